"""Dyads with sliding pairs and with linear motors: the equations that place a joint, and their derivatives.

With u × v the cross product and vectors as
complex numbers too, so that a product turns and stretches,

    lines       (x_b − x_j) × (x_k − x_j) and, of a line through x_i whose direction r→s turns
                with p→q,  n × (x_k − x_i),  n = (x̄_s − x̄_r)(x_q − x_p)/(x̄_q − x̄_p),  are as drawn
    slot        |x_k − x_i| and, of the pin j in a slot r→s of the link of i and k,
                n × (x_j − x_i),  n = (x̄_s − x̄_r)(x_k − x_i)/(x̄_k − x̄_i),  are as drawn
    carried     x_k = x_i + (x̄_k − x̄_i)(x_b − x_j)/(x̄_b − x̄_j)
    driven      x_k = x_j + (x̄_k − x̄_j + u e)(x_b − x_j)/(x̄_b − x̄_j),  e along the guide, u the travel
    strut       |x_k − x_i| = |x̄_k − x̄_i| + u_m,   |x_k − x_j| = |x̄_k − x̄_j| + u_p (or as drawn)
    strut line  |x_k − x_i| = |x̄_k − x̄_i| + u_m,   (x_b − x_j) × (x_k − x_j) as drawn

Each is two equations F(x) = F̄(x̄, u) for x_k, of at most second degree in x: with G = ∂F/∂x and
D = ∂F̄/∂x̄ (what a change of the drawing does at the pose at hand), rates, Jacobians and gradients
are a solve with the 2 × 2 block of k.

Source: our own; the dyads are the Assur groups of class II that have sliding pairs.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, inner_shared
from pliant.linkage.structure.rule import Op, RuleKind

AT_K, AT_I, AT_J, AT_B, AT_P, AT_Q, AT_R, AT_S = range(8)  # the slots of a rule's joints in its equations
SLOTS = 8
MOVING = AT_R  # slots before it are where they are at the pose; of r and s only the drawing counts


@inner
def joint_at(op: Op, slot: int) -> int:
    """The joint in a slot; -1 where the rule has none there."""
    if slot >= AT_P and op.rule not in (RuleKind.LINES, RuleKind.SLOT):
        return -1
    return (op.k, op.i, op.j, op.b, op.p, op.q, op.r, op.s)[slot]


@inner_shared
def fill_equations(op: Op, drawn: Floats, x: Floats, cosines: Floats, f: int, g: Floats, d: Floats) -> None:
    """G and D (2, SLOTS, 2) of one rule at pose f."""
    for row in range(2):
        for slot in range(SLOTS):
            g[row, slot, 0] = g[row, slot, 1] = d[row, slot, 0] = d[row, slot, 1] = 0.0
    rule, k, i, j, b, m = op.rule, op.k, op.i, op.j, op.b, op.motor
    if rule == RuleKind.LINES:
        _area(x[b, 0, f] - x[j, 0, f], x[b, 1, f] - x[j, 1, f],
              x[k, 0, f] - x[j, 0, f], x[k, 1, f] - x[j, 1, f], g[0])  # fmt: skip
        _area(drawn[b, 0] - drawn[j, 0], drawn[b, 1] - drawn[j, 1],
              drawn[k, 0] - drawn[j, 0], drawn[k, 1] - drawn[j, 1], d[0])  # fmt: skip
        _add_turned_line(op, k, AT_K, AT_I, AT_Q, AT_P, op.p, op.q, drawn, x, f, g[1], d[1])
    elif rule == RuleKind.SLOT:
        _arm(x[k, 0, f] - x[i, 0, f], x[k, 1, f] - x[i, 1, f], AT_I, g[0])
        _arm(drawn[k, 0] - drawn[i, 0], drawn[k, 1] - drawn[i, 1], AT_I, d[0])
        _add_turned_line(op, j, AT_J, AT_I, AT_K, AT_I, i, k, drawn, x, f, g[1], d[1])
    elif rule in (RuleKind.CARRIED, RuleKind.DRIVEN):
        base = j if rule == RuleKind.DRIVEN else i
        slot = AT_J if rule == RuleKind.DRIVEN else AT_I
        bx, by = drawn[b, 0] - drawn[j, 0], drawn[b, 1] - drawn[j, 1]
        ax, ay = drawn[k, 0] - drawn[base, 0], drawn[k, 1] - drawn[base, 1]
        square = bx * bx + by * by
        cr, ci = (ax * bx + ay * by) / square, (bx * ay - by * ax) / square
        u, w = x[b, 0, f] - x[j, 0, f], x[b, 1, f] - x[j, 1, f]
        qr, qi = (u * bx + w * by) / square, (w * bx - u * by) / square
        out = cosines[m, f] / np.sqrt(square) if rule == RuleKind.DRIVEN else 0.0
        _factor(g, AT_K, 1.0, 0.0)
        _factor(g, slot, -1.0, 0.0)
        _factor(g, AT_B, -cr - out, -ci)
        _factor(g, AT_J, cr + out, ci)
        _factor(d, AT_K, qr, qi)
        _factor(d, slot, -qr, -qi)
        _factor(d, AT_B, -(qr * cr - qi * ci), -(qr * ci + qi * cr))
        _factor(d, AT_J, qr * cr - qi * ci, qr * ci + qi * cr)
        if rule == RuleKind.DRIVEN:  # the travel is a length, whatever that of the drawn guide
            for row in range(2):
                along = -out * (u if row == 0 else w) / square
                d[row, AT_B, 0] += along * bx
                d[row, AT_B, 1] += along * by
                d[row, AT_J, 0] -= along * bx
                d[row, AT_J, 1] -= along * by
    else:
        _strut(k, i, m, AT_I, drawn, x, cosines, f, g[0], d[0])
        if rule == RuleKind.STRUT:
            _strut(k, j, op.p, AT_J, drawn, x, cosines, f, g[1], d[1])
        else:
            _area(x[b, 0, f] - x[j, 0, f], x[b, 1, f] - x[j, 1, f],
                  x[k, 0, f] - x[j, 0, f], x[k, 1, f] - x[j, 1, f], g[1])  # fmt: skip
            _area(drawn[b, 0] - drawn[j, 0], drawn[b, 1] - drawn[j, 1],
                  drawn[k, 0] - drawn[j, 0], drawn[k, 1] - drawn[j, 1], d[1])  # fmt: skip


@inner
def _area(ux: float, uy: float, px: float, py: float, row: Floats) -> None:
    """The slopes of u × p, u = x_b − x_j and p = x_k − x_j."""
    row[AT_K, 0] -= uy
    row[AT_K, 1] += ux
    row[AT_B, 0] += py
    row[AT_B, 1] -= px
    row[AT_J, 0] += uy - py
    row[AT_J, 1] += px - ux


@inner
def _arm(ex: float, ey: float, slot: int, row: Floats) -> None:
    """The slopes of |e|²/2, e from the joint in `slot` to k."""
    row[AT_K, 0] += ex
    row[AT_K, 1] += ey
    row[slot, 0] -= ex
    row[slot, 1] -= ey


@inner
def _strut(
    k: int, i: int, m: int, slot: int, drawn: Floats, x: Floats, cosines: Floats, f: int, g: Floats, d: Floats
) -> None:
    ax, ay = drawn[k, 0] - drawn[i, 0], drawn[k, 1] - drawn[i, 1]
    grown = 1.0 + cosines[m, f] / np.sqrt(ax * ax + ay * ay) if m >= 0 else 1.0
    _arm(x[k, 0, f] - x[i, 0, f], x[k, 1, f] - x[i, 1, f], slot, g)
    _arm(grown * ax, grown * ay, slot, d)


@inner
def _add_turned_line(
    op: Op, end: int, at: int, foot: int, tip: int, tail: int, p: int, q: int,
    drawn: Floats, x: Floats, f: int, g: Floats, d: Floats,
) -> None:  # fmt: skip
    """The slopes of n × a: a from i to `end` (in slot `at`), n the drawn direction r→s turned with p→q.

    `tip` and `tail` are the slots of q and p, `foot` that of i.
    """
    i, r, s = op.i, op.r, op.s
    nx, ny = drawn[s, 0] - drawn[r, 0], drawn[s, 1] - drawn[r, 1]
    wx, wy = drawn[q, 0] - drawn[p, 0], drawn[q, 1] - drawn[p, 1]
    square = wx * wx + wy * wy
    mr, mi = (nx * wx + ny * wy) / square, (wx * ny - wy * nx) / square
    vx, vy = x[q, 0, f] - x[p, 0, f], x[q, 1, f] - x[p, 1, f]
    qr, qi = (vx * wx + vy * wy) / square, (vy * wx - vx * wy) / square
    gx, gy = mr * vx - mi * vy, mi * vx + mr * vy
    ax, ay = x[end, 0, f] - x[i, 0, f], x[end, 1, f] - x[i, 1, f]
    bx, by = drawn[end, 0] - drawn[i, 0], drawn[end, 1] - drawn[i, 1]
    _add(g, at, foot, -gy, gx)
    _add(g, tip, tail, mr * ay - mi * ax, -mi * ay - mr * ax)
    _add(d, at, foot, -ny, nx)
    _add(d, AT_S, AT_R, by - qr * ay + qi * ax, -bx + qi * ay + qr * ax)
    zr, zi = qr * mr - qi * mi, qr * mi + qi * mr
    _add(d, tip, tail, zr * ay - zi * ax, -zi * ay - zr * ax)


@inner
def _add(row: Floats, tip: int, tail: int, a: float, b: float) -> None:
    row[tip, 0] += a
    row[tip, 1] += b
    row[tail, 0] -= a
    row[tail, 1] -= b


@inner
def _factor(rows: Floats, slot: int, re: float, im: float) -> None:
    """Both rows of (re + i·im)·δx."""
    rows[0, slot, 0] += re
    rows[0, slot, 1] -= im
    rows[1, slot, 0] += im
    rows[1, slot, 1] += re


@inner
def dyad_rates(
    op: Op, drawn: Floats, x: Floats, cosines: Floats, w: Floats, dw: Floats, f: int,
    g: Floats, d: Floats, v: Floats, a: Floats,
) -> None:  # fmt: skip
    """Velocity and acceleration of joint k at pose f, from those of the others and of the motors."""
    fill_equations(op, drawn, x, cosines, f, g, d)
    k = op.k
    r0, r1 = _motor_term(op, 0, drawn, x, cosines, w, f), _motor_term(op, 1, drawn, x, cosines, w, f)
    for slot in range(AT_I, MOVING):
        p = joint_at(op, slot)
        if p >= 0:
            r0 -= g[0, slot, 0] * v[p, 0, f] + g[0, slot, 1] * v[p, 1, f]
            r1 -= g[1, slot, 0] * v[p, 0, f] + g[1, slot, 1] * v[p, 1, f]
    inverse = 1.0 / (g[0, AT_K, 0] * g[1, AT_K, 1] - g[0, AT_K, 1] * g[1, AT_K, 0])
    v[k, 0, f] = (g[1, AT_K, 1] * r0 - g[0, AT_K, 1] * r1) * inverse
    v[k, 1, f] = (g[0, AT_K, 0] * r1 - g[1, AT_K, 0] * r0) * inverse
    r0 = _motor_term(op, 0, drawn, x, cosines, dw, f) - _curvature_term(op, 0, drawn, v, w, f)
    r1 = _motor_term(op, 1, drawn, x, cosines, dw, f) - _curvature_term(op, 1, drawn, v, w, f)
    for slot in range(AT_I, MOVING):
        p = joint_at(op, slot)
        if p >= 0:
            r0 -= g[0, slot, 0] * a[p, 0, f] + g[0, slot, 1] * a[p, 1, f]
            r1 -= g[1, slot, 0] * a[p, 0, f] + g[1, slot, 1] * a[p, 1, f]
    a[k, 0, f] = (g[1, AT_K, 1] * r0 - g[0, AT_K, 1] * r1) * inverse
    a[k, 1, f] = (g[0, AT_K, 0] * r1 - g[1, AT_K, 0] * r0) * inverse


@inner
def _motor_term(op: Op, row: int, drawn: Floats, x: Floats, cosines: Floats, w: Floats, f: int) -> float:
    """What the motors' rates add on the right of a row."""
    rule, k, i, j, b, m = op.rule, op.k, op.i, op.j, op.b, op.motor
    if rule in (RuleKind.LINES, RuleKind.SLOT, RuleKind.CARRIED):
        return 0.0
    if rule == RuleKind.DRIVEN:
        length = np.sqrt((drawn[b, 0] - drawn[j, 0]) ** 2 + (drawn[b, 1] - drawn[j, 1]) ** 2)
        return w[m, f] * (x[b, row, f] - x[j, row, f]) / length
    motor, centre = (m, i) if row == 0 else (op.p if rule == RuleKind.STRUT else -1, j)
    if motor < 0:
        return 0.0
    length = np.sqrt((drawn[k, 0] - drawn[centre, 0]) ** 2 + (drawn[k, 1] - drawn[centre, 1]) ** 2)
    return w[motor, f] * (length + cosines[motor, f])


@inner
def _curvature_term(op: Op, row: int, drawn: Floats, v: Floats, w: Floats, f: int) -> float:  # noqa: PLR0911
    """What a row's second derivative has without any acceleration in it."""
    rule, k, i, j, b, m = op.rule, op.k, op.i, op.j, op.b, op.motor
    if rule in (RuleKind.CARRIED, RuleKind.DRIVEN):
        if rule == RuleKind.CARRIED:
            return 0.0
        length = np.sqrt((drawn[b, 0] - drawn[j, 0]) ** 2 + (drawn[b, 1] - drawn[j, 1]) ** 2)
        return -2.0 * w[m, f] * (v[b, row, f] - v[j, row, f]) / length
    if rule == RuleKind.SLOT or (rule == RuleKind.LINES and row == 1):
        if row == 0:
            return _squared_speed(v, k, i, f)
        p, q, end = (i, k, j) if rule == RuleKind.SLOT else (op.p, op.q, k)
        r, s = op.r, op.s
        nx, ny = drawn[s, 0] - drawn[r, 0], drawn[s, 1] - drawn[r, 1]
        wx, wy = drawn[q, 0] - drawn[p, 0], drawn[q, 1] - drawn[p, 1]
        square = wx * wx + wy * wy
        mr, mi = (nx * wx + ny * wy) / square, (wx * ny - wy * nx) / square
        vx, vy = v[q, 0, f] - v[p, 0, f], v[q, 1, f] - v[p, 1, f]
        gx, gy = mr * vx - mi * vy, mi * vx + mr * vy
        return 2.0 * (gx * (v[end, 1, f] - v[i, 1, f]) - gy * (v[end, 0, f] - v[i, 0, f]))
    if row == 1 and rule == RuleKind.STRUT:
        return _squared_speed(v, k, j, f) - (w[op.p, f] ** 2 if op.p >= 0 else 0.0)
    if row == 0 and rule != RuleKind.LINES:
        return _squared_speed(v, k, i, f) - w[m, f] ** 2
    ux, uy = v[b, 0, f] - v[j, 0, f], v[b, 1, f] - v[j, 1, f]
    return 2.0 * (ux * (v[k, 1, f] - v[j, 1, f]) - uy * (v[k, 0, f] - v[j, 0, f]))


@inner
def _squared_speed(v: Floats, k: int, i: int, f: int) -> float:
    return (v[k, 0, f] - v[i, 0, f]) ** 2 + (v[k, 1, f] - v[i, 1, f]) ** 2


@inner
def dyad_jacobian(
    op: Op, drawn: Floats, x: Floats, cosines: Floats, starts: Ints, roots: Ints, f: int,
    g: Floats, d: Floats, out: Floats,
) -> None:  # fmt: skip
    """Fill out[k, :, p, c, f] for every drawn joint p that x_k depends on."""
    fill_equations(op, drawn, x, cosines, f, g, d)
    k = op.k
    inverse = 1.0 / (g[0, AT_K, 0] * g[1, AT_K, 1] - g[0, AT_K, 1] * g[1, AT_K, 0])
    for at in range(starts[k], starts[k + 1]):
        p = roots[at]
        for c in range(2):
            r0 = r1 = 0.0
            for slot in range(SLOTS):
                joint = joint_at(op, slot)
                if joint < 0:
                    continue
                if joint == p:
                    r0 += d[0, slot, c]
                    r1 += d[1, slot, c]
                if AT_K < slot < MOVING:
                    r0 -= g[0, slot, 0] * out[joint, 0, p, c, f] + g[0, slot, 1] * out[joint, 1, p, c, f]
                    r1 -= g[1, slot, 0] * out[joint, 0, p, c, f] + g[1, slot, 1] * out[joint, 1, p, c, f]
            out[k, 0, p, c, f] = (g[1, AT_K, 1] * r0 - g[0, AT_K, 1] * r1) * inverse
            out[k, 1, p, c, f] = (g[0, AT_K, 0] * r1 - g[1, AT_K, 0] * r0) * inverse


@inner
def dyad_backward(
    op: Op, drawn: Floats, x: Floats, cosines: Floats, f: int, g: Floats, d: Floats,
    slope: Floats, out: Floats,
) -> None:  # fmt: skip
    """Carry the gradient of joint k at pose f to the joints it is found from, and to the drawing."""
    fill_equations(op, drawn, x, cosines, f, g, d)
    k = op.k
    inverse = 1.0 / (g[0, AT_K, 0] * g[1, AT_K, 1] - g[0, AT_K, 1] * g[1, AT_K, 0])
    w0 = (g[1, AT_K, 1] * slope[k, 0, f] - g[1, AT_K, 0] * slope[k, 1, f]) * inverse
    w1 = (g[0, AT_K, 0] * slope[k, 1, f] - g[0, AT_K, 1] * slope[k, 0, f]) * inverse
    for slot in range(SLOTS):
        joint = joint_at(op, slot)
        if joint < 0:
            continue
        for c in range(2):
            out[joint, c] += w0 * d[0, slot, c] + w1 * d[1, slot, c]
            if AT_K < slot < MOVING:
                slope[joint, c, f] -= w0 * g[0, slot, c] + w1 * g[1, slot, c]
