"""The reconstruction rules: where each joint is, from joints that are known already.

    fixed     x_k = x̄_k
    motor     x_k = x_j + R(λφ)(x̄_k − x̄_j)                                        eq. 1
    triangle  |x_k − x_i| = |x̄_k − x̄_i|, |x_k − x_j| = |x̄_k − x̄_j|, on side λ     eq. 2
    point     (x_k − x_i)/(x_j − x_i) = (x̄_k − x̄_i)/(x̄_j − x̄_i) as complex numbers
    slider    |x_k − x_i| = |x̄_k − x̄_i| on a line carried by a and b, on side σ

and those of `dyads`: two lines that cross, a pin in a slot, parts that turn together, and what
linear motors push. Where a motor pushes joints that are found together, a point of its own goes along x
by its travel, for the group to hang on. Positions of all F poses are computed rule by rule, with the poses
innermost, so that the processor does several at a time. `cosines` has the travel of a linear motor in place
of a cosine.

Source: [Bacher2015Supplement] section 1.
Differs: the triangle is built from squared lengths. With L = |x_j − x_i|², the paper's
d = t·f is (L + l_ik² − l_jk²)/2L and its o = λ√(1−t²)·f is λ√(l_ik²/L − d²): one root and one
division instead of three of each. The point and slider rules are not in the paper; the
triangle rule has no side for a joint in the middle of a bar, and gives no position there.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel, kernel_shared
from pliant.linkage.kinematics.sliding import (
    lines_openness,
    place_by_slot,
    place_by_struts,
    place_carried,
    place_driven,
    place_on_lines,
    place_on_strut_line,
    slot_openness,
    strut_openness,
)
from pliant.linkage.structure.rule import RuleKind, op_at


@kernel_shared
def place_joints(
    ops: Ints, signs: Floats, drawn: Floats, cosines: Floats, sines: Floats, start: int, stop: int, x: Floats
) -> None:
    """Fill the positions `x` (N, 2, F) of poses start to stop, rule by rule.

    Where two circles do not meet, the joint is put on the line of their centres: finite, and
    for the caller to leave out (see `limits`).
    """
    for o in range(len(ops)):
        op = op_at(ops, o)
        rule, k, i, j, b = op.rule, op.k, op.i, op.j, op.b
        xk, yk = x[k, 0, start:stop], x[k, 1, start:stop]
        if rule in (RuleKind.FIXED, RuleKind.TRAVEL):
            _place_fixed(drawn[k], rule == RuleKind.TRAVEL, cosines[op.motor, start:stop], xk, yk)
        elif rule == RuleKind.MOTOR:
            m = op.motor
            _place_motor(drawn[k] - drawn[j], drawn[j], cosines[m, start:stop], sines[m, start:stop], xk, yk)
        elif rule == RuleKind.TRIANGLE:
            xi, yi = x[i, 0, start:stop], x[i, 1, start:stop]
            xj, yj = x[j, 0, start:stop], x[j, 1, start:stop]
            _place_triangle(_square(drawn, k, i), _square(drawn, k, j), signs[o], xi, yi, xj, yj, xk, yk)
        elif rule == RuleKind.POINT:
            xi, yi = x[i, 0, start:stop], x[i, 1, start:stop]
            xj, yj = x[j, 0, start:stop], x[j, 1, start:stop]
            _place_point(drawn[k] - drawn[i], drawn[j] - drawn[i], xi, yi, xj, yj, xk, yk)
        elif rule == RuleKind.SLIDER:
            xi, yi = x[i, 0, start:stop], x[i, 1, start:stop]
            xa, ya = x[j, 0, start:stop], x[j, 1, start:stop]
            xb, yb = x[b, 0, start:stop], x[b, 1, start:stop]
            offset = _cross(drawn[b] - drawn[j], drawn[k] - drawn[j])
            _place_slider(_square(drawn, k, i), offset, signs[o], xi, yi, xa, ya, xb, yb, xk, yk)
        elif rule == RuleKind.LINES:
            place_on_lines(op, drawn, start, stop, x)
        elif rule == RuleKind.SLOT:
            place_by_slot(op, drawn, signs[o], start, stop, x)
        elif rule == RuleKind.CARRIED:
            place_carried(op, drawn, start, stop, x)
        elif rule == RuleKind.DRIVEN:
            place_driven(op, drawn, cosines[op.motor], start, stop, x)
        elif rule == RuleKind.STRUT:
            place_by_struts(op, drawn, signs[o], cosines, start, stop, x)
        elif rule == RuleKind.STRUT_LINE:
            place_on_strut_line(op, drawn, signs[o], cosines[op.motor], start, stop, x)


@inner
def _square(drawn: Floats, a: int, b: int) -> float:
    return (drawn[a, 0] - drawn[b, 0]) ** 2 + (drawn[a, 1] - drawn[b, 1]) ** 2


@inner
def _cross(u: Floats, v: Floats) -> float:
    return u[0] * v[1] - u[1] * v[0]


@inner
def _place_fixed(at: Floats, goes: bool, travel: Floats, xk: Floats, yk: Floats) -> None:
    """Where it is drawn, or as far from there along x as a motor went."""
    for f in range(len(xk)):
        xk[f] = at[0] + (travel[f] if goes else 0.0)
        yk[f] = at[1]


@inner
def _place_motor(arm: Floats, pivot: Floats, cosine: Floats, sine: Floats, xk: Floats, yk: Floats) -> None:
    u, v, px, py = arm[0], arm[1], pivot[0], pivot[1]
    for f in range(len(xk)):
        xk[f] = px + cosine[f] * u - sine[f] * v
        yk[f] = py + sine[f] * u + cosine[f] * v


@inner
def _place_triangle(
    ri: float, rj: float, sign: float, xi: Floats, yi: Floats, xj: Floats, yj: Floats, xk: Floats, yk: Floats
) -> None:
    difference = ri - rj
    for f in range(len(xk)):
        u, v = xj[f] - xi[f], yj[f] - yi[f]
        inverse = 1.0 / max(u * u + v * v, 1e-300)
        along = 0.5 + 0.5 * difference * inverse
        across = sign * np.sqrt(max(ri * inverse - along * along, 0.0))
        xk[f] = xi[f] + along * u - across * v
        yk[f] = yi[f] + across * u + along * v


@inner
def _place_point(
    arm: Floats, base: Floats, xi: Floats, yi: Floats, xj: Floats, yj: Floats, xk: Floats, yk: Floats
) -> None:
    square = base[0] ** 2 + base[1] ** 2
    along = (arm[0] * base[0] + arm[1] * base[1]) / square
    across = (base[0] * arm[1] - base[1] * arm[0]) / square
    for f in range(len(xk)):
        u, v = xj[f] - xi[f], yj[f] - yi[f]
        xk[f] = xi[f] + along * u - across * v
        yk[f] = yi[f] + across * u + along * v


@inner
def _place_slider(
    ri: float, offset: float, sign: float, xi: Floats, yi: Floats,
    xa: Floats, ya: Floats, xb: Floats, yb: Floats, xk: Floats, yk: Floats,
) -> None:  # fmt: skip
    for f in range(len(xk)):
        u, v = xb[f] - xa[f], yb[f] - ya[f]
        inverse = 1.0 / (u * u + v * v)
        away = (u * (yi[f] - ya[f]) - v * (xi[f] - xa[f]) - offset) * inverse  # in lengths of (u, v)
        along = sign * np.sqrt(max(ri * inverse - away * away, 0.0))
        xk[f] = xi[f] + away * v + along * u
        yk[f] = yi[f] - away * u + along * v


@kernel
def fill_openness(
    ops: Ints, drawn: Floats, x: Floats, v: Floats, cosines: Floats, w: Floats, c: Floats, dc: Floats
) -> None:
    """How far each triangle or slider is from flat, at every pose: c (K, F), and its rate dc.

    c is the cosine of the angle between the two bars at the joint, or for a slider the sine
    of the angle between the bar and the guide: the rule has two answers where |c| < 1, one
    where |c| = 1 (a toggle, or a change point), and none beyond. Lines and slots have a c of
    their own that reaches 1 where they end: see `sliding`. `w` (M, F) are the motors' rates.
    """
    for o in range(len(ops)):
        op = op_at(ops, o)
        rule, k, i, j, b = op.rule, op.k, op.i, op.j, op.b
        if rule == RuleKind.TRIANGLE:
            ri, rj = _square(drawn, k, i), _square(drawn, k, j)
            scale = 0.5 / np.sqrt(ri * rj)
            for f in range(x.shape[2]):
                px, py = x[j, 0, f] - x[i, 0, f], x[j, 1, f] - x[i, 1, f]
                vx, vy = v[j, 0, f] - v[i, 0, f], v[j, 1, f] - v[i, 1, f]
                c[o, f] = scale * (ri + rj - px * px - py * py)
                dc[o, f] = -2.0 * scale * (px * vx + py * vy)
        elif rule == RuleKind.SLIDER:
            offset = _cross(drawn[b] - drawn[j], drawn[k] - drawn[j])
            scale = 1.0 / np.sqrt(_square(drawn, k, i) * _square(drawn, b, j))
            for f in range(x.shape[2]):
                ux, uy = x[b, 0, f] - x[j, 0, f], x[b, 1, f] - x[j, 1, f]
                px, py = x[i, 0, f] - x[j, 0, f], x[i, 1, f] - x[j, 1, f]
                wx, wy = v[b, 0, f] - v[j, 0, f], v[b, 1, f] - v[j, 1, f]
                vx, vy = v[i, 0, f] - v[j, 0, f], v[i, 1, f] - v[j, 1, f]
                c[o, f] = scale * (ux * py - uy * px - offset)
                dc[o, f] = scale * (wx * py - wy * px + ux * vy - uy * vx)
        elif rule == RuleKind.LINES:
            lines_openness(op, drawn, x, v, c[o], dc[o])
        elif rule == RuleKind.SLOT:
            slot_openness(op, drawn, x, v, c[o], dc[o])
        elif rule in (RuleKind.STRUT, RuleKind.STRUT_LINE):
            strut_openness(op, drawn, x, v, cosines, w, rule == RuleKind.STRUT_LINE, c[o], dc[o])
        else:
            c[o], dc[o] = 0.0, 0.0
