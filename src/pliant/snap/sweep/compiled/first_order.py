"""What comes next at a contact where nothing coincides, compiled: the rule of `next_motion` to first order.

Just after a point, at t + δ and u + s δ, a contact is apart where F_t + s F_u is positive. Slopes
s = -F_t / F_u that differ split what comes next into cells, and signs tell which are free. Wherever one
of these is too small to tell, the answer is UNSURE, and `next_motion` decides.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner
from pliant.snap.arithmetic.floating import TOLERANCE
from pliant.snap.arithmetic.quartic import ascending_order
from pliant.snap.geometry.features import EDGE, VERTEX, Bodies, coefficients, quadratic
from pliant.snap.sweep.candidates import nearby_pairs

LOOSE = 100 * TOLERANCE  # between the two it is not clear whether things coincide
DISTINCT = 1e-7  # of their sizes: slopes that differ by less are not told apart
MOST = 32  # contacts at one point

UNSURE, RESTS, SNAPS, SLIDES, LEVELS, JAMS, BALANCES = range(
    7
)  # LEVELS: along an edge parallel to the motion


@inner
def touching_pairs(t: float, u: float, sign: float, live: Ints, bodies: Bodies, pairs: Ints) -> int:
    """The pairs that touch at a point, and how many; -1 where one nearly does."""
    total, grown = 0, 1.0 + u * u
    near = nearby_pairs(live, bodies, sign, (t, t), (u, u))
    for place in range(len(near)):
        kind, i, other = near[place, 0], near[place, 1], near[place, 2]
        c = coefficients(kind, i, other, sign, bodies)
        size = (c.size_rate * abs(t) + c.size) * grown * c.shortness
        value = abs(quadratic(c.alpha, u) * t + quadratic(c.beta, u))
        if value > LOOSE * size:
            continue
        spot = quadratic(c.lam, u) * t + quadratic(c.rho, u)
        off = min(spot, c.length_squared * grown - spot)
        size += c.size_edge * grown * c.shortness
        if off < -LOOSE * size:
            continue
        if value > TOLERANCE * size or TOLERANCE * size < abs(off) < LOOSE * size or total == MOST:
            return -1
        pairs[total, 0], pairs[total, 1], pairs[total, 2] = kind, i, other
        total += 1
    return total


@inner
def _wedge_side(kind: int, i: int, j: int, cosine: float, sine: float, bodies: Bodies, at: int) -> int:
    """Whether the wedge of the other part at a corner points away from an edge: 1, -1, or 0 if it lies on it.

    `at` is the pawl's vertex of a pair with an obstacle's edge, the obstacles' vertex of one with a pawl's.
    """
    pawl, obstacles, _ = bodies
    count = len(pawl.x)
    if kind == VERTEX:
        after = obstacles.following[j]
        nx, ny = obstacles.y[after] - obstacles.y[j], obstacles.x[j] - obstacles.x[after]
        nx, ny = cosine * nx + sine * ny, cosine * ny - sine * nx  # as the pawl sees it
        x, y, ahead, behind = pawl.x, pawl.y, (at + 1) % count, (at - 1) % count
    else:
        after = (i + 1) % count
        nx, ny = pawl.y[after] - pawl.y[i], pawl.x[i] - pawl.x[after]
        nx, ny = cosine * nx - sine * ny, sine * nx + cosine * ny
        x, y, ahead, behind = obstacles.x, obstacles.y, obstacles.following[at], obstacles.before[at]
    least = 1
    for other in (ahead, behind):
        dx, dy = x[other] - x[at], y[other] - y[at]
        value = dx * nx + dy * ny
        if abs(value) <= LOOSE * np.hypot(dx, dy) * np.hypot(nx, ny):
            return 0
        if value < 0:
            least = -1
    return least


@inner
def _corner_constraints(
    vertex: int, corner: int, cosine: float, sine: float, bodies: Bodies, out: Ints
) -> int:
    """The pairs that keep two vertices apart: how many, negative where one of them is enough; 0 if unsure."""
    pawl, obstacles, _ = bodies
    count = 0
    before = (vertex - 1) % len(pawl.x)
    both = pawl.convex[vertex] and obstacles.convex[corner]
    for kind in range(2):
        if not (pawl.convex[vertex] if kind == VERTEX else obstacles.convex[corner]):
            continue
        for side in range(2):
            i = vertex if kind == VERTEX or side == 0 else before
            j = corner if kind == EDGE or side == 0 else obstacles.before[corner]
            away = _wedge_side(kind, i, j, cosine, sine, bodies, vertex if kind == VERTEX else corner)
            if away == 0 or (away < 0 and not both):
                return 0
            if away > 0:
                out[count, 0], out[count, 1], out[count, 2] = kind, i, j
                count += 1
    return -count if both else count


@inner
def _constraints(
    t: float, u: float, sign: float, pairs: Ints, count: int, bodies: Bodies,
    held: Ints, group: Ints, either: Ints,
) -> int:  # fmt: skip
    """What keeps the parts apart, pair by pair, by places where they touch; -1 if unsure."""
    pawl, obstacles, _ = bodies
    grown = 1.0 + u * u
    cosine, sine = sign * (1.0 - u * u) / grown, sign * 2.0 * u / grown
    seen, corners, places, total = np.empty((MOST, 2), np.int64), 0, 0, 0
    for place in range(count):
        kind, i, j = pairs[place, 0], pairs[place, 1], pairs[place, 2]
        c = coefficients(kind, i, j, sign, bodies)
        size = (c.size_rate * abs(t) + c.size + c.size_edge) * grown * c.shortness
        spot = quadratic(c.lam, u) * t + quadratic(c.rho, u)
        first, last = spot <= LOOSE * size, c.length_squared * grown - spot <= LOOSE * size
        if not first and not last:
            held[total, 0], held[total, 1], held[total, 2] = kind, i, j
            group[total], either[places] = places, 0
            total, places = total + 1, places + 1
            continue
        vertex, corner = int(i), int(j)
        if kind == VERTEX and not first:
            corner = int(obstacles.following[j])
        if kind == EDGE and not first:
            vertex = (i + 1) % len(pawl.x)
        known = False
        for other in range(corners):
            known = known or (seen[other, 0] == vertex and seen[other, 1] == corner)
        if known:
            continue
        seen[corners, 0], seen[corners, 1] = vertex, corner
        corners += 1
        number = _corner_constraints(vertex, corner, cosine, sine, bodies, held[total:])
        if number == 0:
            return -1
        for other in range(total, total + abs(number)):
            group[other] = places
        either[places] = 1 if number < 0 else 0
        total, places = total + abs(number), places + 1
    return total


@inner
def _is_free(slope: float, rates: Floats, group: Ints, either: Ints, total: int) -> bool:
    """Whether the parts are apart where u goes by `slope` while t goes by one."""
    place = 0
    while place < total:
        after, every, some = place, True, False
        while after < total and group[after] == group[place]:
            apart = rates[after, 0] + slope * rates[after, 1] > 0.0
            every, some = every and apart, some or apart
            after += 1
        if not (some if either[group[place]] else every):
            return False
        place = after
    return True


@inner
def first_order_motion(
    t: float, u: float, away: int, stopped: tuple[bool, bool], sign: float,
    pairs: Ints, count: int, bodies: Bodies, out: Ints,
) -> int:  # fmt: skip
    """What comes next where some pairs touch; `out` is the pair that is followed and its side in u.

    `away` leads away from rest, 0 at rest; `stopped`: whether a stop keeps the pawl from turning down or up.
    """
    held, group = np.empty((4 * MOST, 3), np.int64), np.empty(4 * MOST, np.int64)
    either, rates = np.empty(MOST, np.int64), np.empty((4 * MOST, 2))
    total = _constraints(t, u, sign, pairs, count, bodies, held, group, either)
    if total < 1 or (away != 0 and (stopped[0] or stopped[1])):
        return UNSURE
    clear = _rates(t, u, sign, held, total, away == 0, bodies, rates)
    if not clear:
        return UNSURE if total > 1 or away == 0 else _tangent(t, sign, held, rates, bodies)
    slopes = -rates[:total, 0] / rates[:total, 1]
    rising = ascending_order(slopes, total)
    for place in range(1, total):
        low, high = slopes[rising[place - 1]], slopes[rising[place]]
        if high - low <= DISTINCT * (abs(low) + abs(high)):
            return UNSURE
    return _chosen_motion(away, stopped, rising, slopes, rates, group, either, held, out)


@inner
def _tangent(t: float, sign: float, held: Ints, rates: Floats, bodies: Bodies) -> int:
    """Where one contact's curve has a vertical tangent and ends: all about it is free after, or nothing is.

    F = F_t δ + F_uu υ² / 2, with no root υ after δ = 0 where the two have one sign.
    """
    c = coefficients(held[0, 0], held[0, 1], held[0, 2], sign, bodies)
    ends = rates[0, 0] * (c.alpha[2] * t + c.beta[2]) > 0.0
    if (
        rates[0, 1] != 0.0
        or not ends
        or abs(c.alpha[2] * t + c.beta[2]) <= LOOSE * (c.size_rate * abs(t) + c.size) * c.shortness
    ):
        return UNSURE
    return SNAPS if rates[0, 0] > 0 else JAMS


@inner
def _rates(
    t: float, u: float, sign: float, held: Ints, total: int, resting: bool,
    bodies: Bodies, rates: Floats,
) -> bool:  # fmt: skip
    """Write F_t and F_u of some pairs, 0 where they are small; whether they tell what comes next."""
    clear, grown = True, 1.0 + u * u
    for place in range(total):
        kind, i, j = held[place, 0], held[place, 1], held[place, 2]
        c = coefficients(kind, i, j, sign, bodies)
        rates[place, 0] = quadratic(c.alpha, u)
        rates[place, 1] = (c.alpha[1] + 2 * u * c.alpha[2]) * t + c.beta[1] + 2 * u * c.beta[2]
        if abs(rates[place, 0]) <= LOOSE * c.size_rate * grown * c.shortness:
            rates[place, 0] = 0.0
            clear = clear and kind == VERTEX and not resting  # along an edge parallel to the motion
        if abs(rates[place, 1]) <= LOOSE * (c.size_rate * abs(t) + c.size) * grown * c.shortness:
            rates[place, 1], clear = 0.0, False
    return clear


@inner
def _chosen_motion(
    away: int, stopped: tuple[bool, bool], rising: Ints, slopes: Floats, rates: Floats,
    group: Ints, either: Ints, held: Ints, out: Ints,
) -> int:  # fmt: skip
    """The free cell that the pawl goes on in: the first one away from rest."""
    total = len(rising)
    free = np.empty(total + 1, np.bool_)
    middle = 0  # the cell that keeps the angle
    for cell in range(total + 1):
        low = float(slopes[rising[cell - 1]]) if cell else 0.0
        high = float(slopes[rising[cell]]) if cell < total else 0.0
        at = 0.5 * (low + high) if 0 < cell < total else low + 1 + abs(low) if cell else high - 1 - abs(high)
        free[cell] = _is_free(at, rates, group, either, total)
        if cell and low < 0.0:
            middle = cell
    if away == 0:
        if free[middle]:
            return RESTS
        up = total + 1 if stopped[1] else middle + 1
        down = -1 if stopped[0] else middle - 1
        while up <= total and not free[up]:
            up += 1
        while down >= 0 and not free[down]:
            down -= 1
        if up <= total and down >= 0:
            return BALANCES
        cell, bound = (up, up - 1) if up <= total else (down, down)
    else:
        cell = 0 if away > 0 else total
        if free[cell]:
            return SNAPS
        while 0 <= cell <= total and not free[cell]:
            cell += away
        bound = cell - 1 if away > 0 else cell
    if cell < 0 or cell > total:
        return JAMS
    chosen = rising[bound]
    out[0], out[1], out[2] = held[chosen, 0], held[chosen, 1], held[chosen, 2]
    out[3] = 1 if slopes[chosen] > 0 else -1 if slopes[chosen] < 0 else 0
    return SLIDES if out[3] else LEVELS
