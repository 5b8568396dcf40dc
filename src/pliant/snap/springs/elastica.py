"""A cantilever bent by a force on its nose, however far: the elastica, solved where a pawl is pressed.

The beam is clamped at its root, does not stretch, and bends by its moment over its stiffness; the nose is
rigid. With s along the beam from the root, z(s) its centre line, φ(s) its slope, f the force on the nose at
c:

    dφ/ds = (c − z) × f / EI(s),   dz/ds = (cos φ, sin φ),   φ(0) = C M(0),   z(0) = 0.

C is the give of the base. The force keeps its direction on an obstacle's edge, and turns with the nose on the
pawl's own. Unknown are its size and the slope of the tip; known are the point of the nose that touches, and
how far it has been pushed aside. Lengths are over the beam's, forces over EI/L² at the root.

It is Euler's elastica, with a taper and a base that gives; derived here.
"""

from __future__ import annotations

import math

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.kernel import inner, kernel, kernel_shared

# A spring as a row: what turns the pawl back, and the beam that it stands for, where it is one.
STIFFNESS, PRELOAD, LENGTH, AXIS_X, AXIS_Y, BEHIND, SCALE, HALF, TAPER, NARROW, BASE, STARTS, HELD, SLOPE0 = (
    range(14)
)
SECANT = 14  # from here on: four pairs of a strain, rising, and the modulus there over that of small strains
WIDTH = SECANT + 8

STEPS = 10  # of the integration along the beam
TRIES = 40  # of Newton's method
ENOUGH = 1e-11  # of the length, and rad
STEEPEST = 1.5  # rad: a slope beyond is taken for none
SHORTEST = 0.05  # of the length: what is left of a beam that is touched at its root
NUDGE = 1e-6  # for slopes of the residual


@inner
def _section(s: float, spring: Floats) -> tuple[float, float]:
    """Thickness and bending stiffness of the beam so far out, over those of the root."""
    thick = 1.0 + (spring[TAPER] - 1.0) * s
    return thick, (1.0 + (spring[NARROW] - 1.0) * s) * thick**3


@inner
def _rates(
    x: float, y: float, phi: float, step: float, dx: float, dy: float, dphi: float,
    nose: Floats, fx: float, fy: float, rigid: float,
) -> tuple[float, float, float]:  # fmt: skip
    """How the centre line and its slope go on towards the root, a step on at given rates."""
    at, moment = phi + step * dphi, (nose[0] - x - step * dx) * fy - (nose[1] - y - step * dy) * fx
    return -math.cos(at), -math.sin(at), -moment / rigid


@inner
def _integrate_inwards(
    slope: float, outer: float, inner_end: float, nose: Floats, fx: float, fy: float, spring: Floats
) -> tuple[float, float, float, float, float]:
    """Integrate along the beam from one place to another nearer to the root (Runge and Kutta's method).

    The centre line begins at the origin, `nose` is where the force acts. Gives x, y, slope and moment at the
    end, and the largest strain on the way.
    """
    step = (outer - inner_end) / STEPS
    x, y, phi, strain = 0.0, 0.0, slope, 0.0
    thick, rigid = _section(outer, spring)
    for n in range(STEPS):
        s = outer - n * step
        moment = (nose[0] - x) * fy - (nose[1] - y) * fx
        strain = max(strain, spring[HALF] * thick * abs(moment) / rigid)
        _, halfway = _section(s - 0.5 * step, spring)
        thick, ahead = _section(s - step, spring)
        x1, y1, p1 = -math.cos(phi), -math.sin(phi), -moment / rigid
        x2, y2, p2 = _rates(x, y, phi, 0.5 * step, x1, y1, p1, nose, fx, fy, halfway)
        x3, y3, p3 = _rates(x, y, phi, 0.5 * step, x2, y2, p2, nose, fx, fy, halfway)
        x4, y4, p4 = _rates(x, y, phi, step, x3, y3, p3, nose, fx, fy, ahead)
        x += step * (x1 + 2 * x2 + 2 * x3 + x4) / 6
        y += step * (y1 + 2 * y2 + 2 * y3 + y4) / 6
        phi += step * (p1 + 2 * p2 + 2 * p3 + p4) / 6
        rigid = ahead
    thick, rigid = _section(inner_end, spring)
    moment = (nose[0] - x) * fy - (nose[1] - y) * fx
    return x, y, phi, moment, max(strain, spring[HALF] * thick * abs(moment) / rigid)


@inner
def _shooting_residual(
    force: float, slope: float, place: float, turned: float, nose: Floats, push: Floats, spring: Floats
) -> tuple[float, float, float, float]:
    """What is wrong with the slope at the root, where the nose begins as seen from the root, and the strain.

    `place` is how far out the nose begins; `nose` where it is touched, from there; `push` the force's
    direction, turned by `turned`.
    """
    cosine, sine = math.cos(turned), math.sin(turned)
    fx, fy = force * (cosine * push[0] - sine * push[1]), force * (sine * push[0] + cosine * push[1])
    x, y, phi, moment, strain = _integrate_inwards(slope, place, 0.0, nose, fx, fy, spring)
    return phi - spring[BASE] * moment, -x, -y, strain


@inner
def _rest_shape(place: float, spring: Floats) -> tuple[float, float, float, float]:
    """Where the beam is at a place out on it, its slope and strain, while only a preload bends it."""
    if spring[HELD] == 0.0:
        return place, 0.0, 0.0, 0.0
    none, across = np.zeros(2), np.array([0.0, 1.0])
    _, x, y, strain = _shooting_residual(spring[HELD], spring[SLOPE0], 1.0, 0.0, none, across, spring)
    dx, dy, slope, _, _ = _integrate_inwards(spring[SLOPE0], 1.0, place, none, 0.0, spring[HELD], spring)
    return x + dx, y + dy, slope, strain


@inner
def _contact_residual(
    force: float, slope: float, place: float, angle: float, rest: Floats, nose: Floats, push: Floats,
    goal: Floats, across: Floats, spring: Floats,
) -> tuple[float, float, float, float]:  # fmt: skip
    """What is wrong with a force and a slope: in the slope of the root, and aside at the nose; strain; ahead.

    Ahead is how far the nose is beyond where it shall be, a quarter turn back from `across`.

    `angle` is NaN where the force keeps its direction, else that by which it is turned already.
    """
    leaned = slope - rest[2]
    cosine, sine = math.cos(leaned), math.sin(leaned)
    out = np.array([cosine * nose[0] - sine * nose[1], sine * nose[0] + cosine * nose[1]])
    turned = 0.0 if math.isnan(angle) else leaned - angle
    wrong, x, y, strain = _shooting_residual(force, slope, place, turned, out, push, spring)
    dx, dy = x - rest[0] + out[0] - goal[0], y - rest[1] + out[1] - goal[1]
    return wrong, dx * across[0] + dy * across[1], strain, dx * across[1] - dy * across[0]


@inner
def _newton(
    force: float, slope: float, place: float, angle: float, rest: Floats, nose: Floats, push: Floats,
    goal: Floats, across: Floats, spring: Floats,
) -> tuple[bool, float, float, float, float]:  # fmt: skip
    """Whether a force and a slope were found, and both, the strain, and how far ahead the nose is.

    Newton's method; while each step leaves less than a third of what was wrong, the matrix is not
    differenced anew but mended by what the step showed (Broyden's).
    """
    e1, e2, strain, ahead = _contact_residual(
        force, slope, place, angle, rest, nose, push, goal, across, spring
    )
    a1 = a2 = b1 = b2 = 0.0
    fresh = True
    for _ in range(TRIES):
        if abs(e1) + abs(e2) < ENOUGH:
            return force > 0.0 and abs(slope) < STEEPEST, force, slope, strain, ahead
        if fresh:
            a1, a2, _, _ = _contact_residual(
                force + NUDGE, slope, place, angle, rest, nose, push, goal, across, spring
            )
            b1, b2, _, _ = _contact_residual(
                force, slope + NUDGE, place, angle, rest, nose, push, goal, across, spring
            )
            a1, a2, b1, b2 = (a1 - e1) / NUDGE, (a2 - e2) / NUDGE, (b1 - e1) / NUDGE, (b2 - e2) / NUDGE
        det = a1 * b2 - a2 * b1
        if det == 0.0 or not math.isfinite(det):
            return False, force, slope, strain, ahead
        df, ds = (-e1 * b2 + e2 * b1) / det, (-a1 * e2 + a2 * e1) / det
        most = max(abs(ds) / 0.2, abs(df) / (1.0 + 2.0 * abs(force)), 1.0)
        df, ds, wrong = df / most, ds / most, abs(e1) + abs(e2)
        force, slope = force + df, slope + ds
        g1, g2, strain, ahead = _contact_residual(
            force, slope, place, angle, rest, nose, push, goal, across, spring
        )
        fresh = abs(g1) + abs(g2) > wrong / 3
        square = df * df + ds * ds
        if square == 0.0:
            return False, force, slope, strain, ahead
        u1, u2 = (g1 - e1 - a1 * df - b1 * ds) / square, (g2 - e2 - a2 * df - b2 * ds) / square
        a1, b1, a2, b2 = a1 + u1 * df, b1 + u1 * ds, a2 + u2 * df, b2 + u2 * ds
        e1, e2 = g1, g2
    return False, force, slope, strain, ahead


@kernel_shared
def bend_beam(
    spring: Floats, point: Floats, place: Floats, push: Floats, across: Floats, angle: float, edge: bool
) -> Floats:
    """(5,): the force along `push` in N, the angle it is turned by, slope of the nose, strain, ahead.

    From the hinge, all of it: `point` of the pawl at rest that touches, the `place` where it is, and along
    which it may not miss it, `across`; ahead is how far it is beyond, a quarter turn back from that. `push`
    is the direction as the rigid pawl has it, turned by `angle`; on an `edge` of the pawl it turns with the
    nose. Infinite where no force bends the beam so: it locks.
    """
    ax, ay, length = spring[AXIS_X], spring[AXIS_Y], spring[LENGTH]
    local = np.empty((4, 2))
    for row, vector in enumerate((point, place, push, across)):
        local[row, 0], local[row, 1] = vector[0] * ax + vector[1] * ay, -vector[0] * ay + vector[1] * ax
    out = (local[0, 0] + spring[BEHIND]) / length  # how far out on the beam the nose is touched
    # The nose is rigid and held by the end of the beam; touched before it, the beam bends up to there only.
    begins = 1.0 if out >= spring[STARTS] - 1e-9 else max(out, SHORTEST)
    start = np.array([begins - spring[BEHIND] / length, 0.0])  # from the hinge
    x, y, leaning, strained = _rest_shape(begins, spring)
    rest = np.array([x, y, leaning])
    nose, goal = local[0] / length - start, local[1] / length - start
    size = math.hypot(local[2, 0], local[2, 1])
    direction, aside = local[2] / size, local[3]
    wanted = (goal[0] - nose[0]) * aside[0] + (goal[1] - nose[1]) * aside[1]
    turning = angle if edge else math.nan
    result = np.array([0.0, 0.0, 0.0, strained, 0.0])
    if abs(wanted) < 1e-13 and spring[HELD] == 0.0:
        return result
    force, slope = max(3.0 * abs(wanted) / begins**3, 1e-6), leaning + 1.3 * angle
    solved, force, slope, strain, ahead = _newton(
        force, slope, begins, turning, rest, nose, direction, goal, aside, spring
    )
    if not solved:  # from a little aside to as far as it is, in steps
        force, slope, steps = 1e-9, leaning, 12
        for n in range(1, steps + 1):
            share = n / steps
            near = nose + share * (goal - nose)
            solved, force, slope, strain, ahead = _newton(
                force, slope, begins, turning, rest, nose, direction, near, aside, spring
            )
            if not solved:
                break
    if not solved:
        result[0], result[2], result[3] = math.inf, angle, strained
        return result
    softer = _secant_modulus(strain, spring)
    result[0] = force * spring[SCALE] * softer / size
    result[1] = slope - leaning - angle if edge else 0.0
    result[2], result[3], result[4] = slope - leaning, max(strain, strained), ahead * length
    return result


@inner
def _secant_modulus(strain: float, spring: Floats) -> float:
    """The secant modulus at a strain over that of small strains: straight between the points given."""
    last, value = 0.0, 1.0
    for n in range(SECANT, WIDTH, 2):
        if spring[n] <= last:
            break
        if strain <= spring[n]:
            return value + (spring[n + 1] - value) * (strain - last) / (spring[n] - last)
        last, value = spring[n], spring[n + 1]
    return value


@kernel
def preloaded_tip(force: float, spring: Floats) -> tuple[float, float]:
    """The slope of the tip, and the strain, under a force across it, over EI/L²."""
    none, across = np.zeros(2), np.array([0.0, 1.0])
    slope = 0.5 * force
    strain = 0.0
    for _ in range(TRIES):
        wrong, _, _, strain = _shooting_residual(force, slope, 1.0, 0.0, none, across, spring)
        if abs(wrong) < ENOUGH:
            break
        beyond, _, _, _ = _shooting_residual(force, slope + NUDGE, 1.0, 0.0, none, across, spring)
        slope -= wrong * NUDGE / (beyond - wrong)
    return slope, strain
