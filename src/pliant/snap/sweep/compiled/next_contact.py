"""What a pawl meets next, by floats, compiled: on an arc, at one angle, and on its way back to rest.

Angles that differ by less than NEAR and are not the same, or roots that nearly are double, are not told apart
here: then the answer is LOST, or NaN, and `leg` finds it.
"""

from __future__ import annotations

import math

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner
from pliant.snap.arithmetic.floating import CLOSE, TOLERANCE
from pliant.snap.arithmetic.quartic import (
    DOUBLE,
    ascending_order,
    constant_sign,
    largest_coefficient,
    quartic_roots,
)
from pliant.snap.geometry.features import ERROR, Bodies, ContactCoefficients, coefficients, quadratic
from pliant.snap.geometry.time_index import TimeIndex, edges_within
from pliant.snap.sweep.candidates import nearby_pairs

LOST, EVENT, TURNED, UNTIL, CHART, LOCKED = range(6)  # how a motion ends
NEAR = 1e-7
MANY = 4000  # pairs of features: with more of them an arc is looked at piece by piece,
FIRST, GROWTH = 2.0**-9, 4.0  # the first of which is this share of it, and the others as many times as long
FLAT = 1e-12  # of its terms: a discriminant that may be zero


@inner
def arc_time(k: ContactCoefficients, u: float) -> float:
    """The t of an angle on an arc."""
    return -quadratic(k.beta, u) / quadratic(k.alpha, u)


@inner
def _is_on_edge(j: ContactCoefficients, t: float, u: float) -> bool:
    """Whether a contact's vertex is on its edge, or as near as floats can tell."""
    grown = 1.0 + u * u
    spot = quadratic(j.lam, u) * t + quadratic(j.rho, u)
    slack = TOLERANCE * (j.size_rate * abs(t) + j.size + j.size_edge) * grown * j.shortness
    return spot >= -slack and j.length_squared * grown - spot >= -slack


@inner
def _first_root(c0: float, c1: float, c2: float, u: float, side: int, limit: float) -> float:
    """The first root of a quadratic after u, up to a limit; infinite if none, NaN if unsure."""
    best = math.inf
    spread, size = c1 * c1 - 4 * c0 * c2, c1 * c1 + 4 * abs(c0 * c2)
    if size == 0.0 or spread < -FLAT * size:
        return best
    if spread < FLAT * size:
        at = -0.5 * c1 / c2 if c2 != 0.0 else math.inf
        return math.nan if (at - u) * side > -DOUBLE and (limit - at) * side > -DOUBLE else best
    half = -0.5 * (c1 + math.copysign(math.sqrt(spread), c1))
    for which in range(2):
        above, below = (c0, half) if which == 0 else (half, c2)
        at = above / below if below != 0.0 else math.inf
        gone = (at - u) * side
        if gone > CLOSE and (limit - at) * side >= -CLOSE:
            best = min(best, gone)
    return math.nan if best < NEAR else u + side * best


@inner
def _own_end(
    k: ContactCoefficients, u: float, side: int, resting: bool, until: float, stops: tuple[float, float]
) -> tuple[int, float]:
    """Where an arc ends by itself: at an end of its edge, a vertical tangent, rest, a stop, the leg's end.

    The ends of an edge are roots of quartics with the factor 1 + u², which is left out.
    """
    best, over = float(side), CHART
    a, b, lam, rho, length = k.alpha, k.beta, k.lam, k.rho, k.length_squared
    b0, b1 = a[0] * rho[0] - lam[0] * b[0], a[0] * rho[1] + a[1] * rho[0] - lam[0] * b[1] - lam[1] * b[0]
    b2 = a[2] * rho[2] - lam[2] * b[2]
    w0, w1, w2 = a[1] * b[0] - a[0] * b[1], 2 * (a[2] * b[0] - a[0] * b[2]), a[2] * b[1] - a[1] * b[2]
    ends = (
        (a[0] * until + b[0], a[1] * until + b[1], a[2] * until + b[2], UNTIL),
        (w0, w1, w2, TURNED),
        (b0, b1, b2, EVENT),
        (length * a[0] - b0, length * a[1] - b1, length * a[2] - b2, EVENT),
    )
    for c0, c1, c2, how in ends:
        at = _first_root(c0, c1, c2, u, side, best)
        if math.isnan(at):
            return LOST, u
        if math.isfinite(at) and (over == CHART or (best - at) * side > CLOSE):
            best, over = at, how
    for stop in stops:
        if (stop - u) * side > CLOSE and (best - stop) * side >= -CLOSE:
            return LOST, u
    if resting and -u * side > CLOSE and best * side >= -CLOSE:
        return (LOST, u) if best * side <= CLOSE and over == UNTIL else (EVENT, 0.0)
    return over, best


@inner
def _may_touch(
    k: ContactCoefficients, j: ContactCoefficients, rising: float, u: float, width: float, c: Floats
) -> bool:
    """Whether a contact may begin on an arc after u; c (15,) is where the two meet, j's edge begins, ends."""
    c[:] = 0.0
    for a in range(3):
        for b in range(3):
            c[a + b] += k.alpha[a] * j.beta[b] - j.alpha[a] * k.beta[b]
    error = 16 * ERROR * (k.size_rate * j.size + j.size_rate * k.size)
    if constant_sign(c[0], c[1], c[2], c[3], c[4], u, width, error) != 0:
        return False
    for a in range(3):
        for b in range(3):
            c[5 + a + b] += rising * (k.alpha[a] * j.rho[b] - j.lam[a] * k.beta[b])
        c[10 + a] += rising * k.alpha[a] * j.length_squared
        c[12 + a] += rising * k.alpha[a] * j.length_squared
    for n in range(5):
        c[10 + n] -= c[5 + n]
    error += 16 * ERROR * k.size_rate * j.size_edge
    begins = constant_sign(c[5], c[6], c[7], c[8], c[9], u, width, error) >= 0
    return begins and constant_sign(c[10], c[11], c[12], c[13], c[14], u, width, error) >= 0


@inner
def _first_crossing(
    k: ContactCoefficients, j: ContactCoefficients, u: float, side: int, best: float, c: Floats
) -> float:
    """The first place on an arc, up to `best`, where a contact begins; infinite if none, NaN if unsure."""
    if largest_coefficient(c) <= TOLERANCE * k.size_rate * k.shortness * j.size * j.shortness:
        return math.nan
    roots = quartic_roots(c, min(u, best) - CLOSE, max(u, best) + CLOSE)
    for n in range(len(roots)):
        root = roots[n] if side > 0 else roots[len(roots) - 1 - n]
        gone = (root - u) * side
        if gone > CLOSE and _is_on_edge(j, arc_time(k, root), root):
            return math.nan if gone < NEAR else root
    return math.inf


@inner
def arc_end(
    arc: Ints, t: float, u: float, resting: bool, sign: float, until: float,
    stops: tuple[float, float], stride: float, index: TimeIndex, bodies: Bodies,
) -> tuple[int, float, float]:  # fmt: skip
    """The next event on an arc, a pair and its side in u: how it ends, t and u."""
    pawl, obstacles, _ = bodies
    side = int(arc[3])
    k = coefficients(arc[0], arc[1], arc[2], sign, bodies)
    over, best = _own_end(k, u, side, resting, until, stops)
    alpha = quadratic(k.alpha, best)
    if over in (LOST, CHART) or abs(alpha) <= 1e3 * TOLERANCE * k.size_rate * k.shortness:
        return LOST, t, u
    rising = 1.0 if alpha > 0 else -1.0
    whole, share, begin = best - u, FIRST if len(pawl.x) * len(obstacles.x) > MANY else 1.0, u
    early, c = t, np.empty(15)
    while True:
        stop = u + share * whole if share < 1.0 else u + whole
        last = min(arc_time(k, stop), until)
        slack = 1e-9 * (stride + abs(until))
        live = edges_within(index, early - FLAT * (stride + abs(t)), last + slack)
        near = nearby_pairs(live, bodies, sign, (early - slack, last + slack), (begin, stop))
        for place in range(len(near)):
            kind, i, other = near[place, 0], near[place, 1], near[place, 2]
            if kind == arc[0] and i == arc[1] and other == arc[2]:
                continue
            j = coefficients(kind, i, other, sign, bodies)
            if not _may_touch(k, j, rising, begin, stop - begin, c):
                continue
            hit = _first_crossing(k, j, u, side, best, c)
            if math.isnan(hit):
                return LOST, t, u
            if math.isfinite(hit) and (best - hit) * side > CLOSE:
                best, over = hit, EVENT
        if share >= 1.0 or (best - stop) * side < -CLOSE:
            return over, arc_time(k, best), best
        share, begin, early = share * GROWTH, stop, last


@inner
def edge_end_time(pair: Ints, u: float, sign: float, until: float, bodies: Bodies) -> float:
    """When a vertex that keeps its angle comes to the end of its edge, or `until`."""
    j = coefficients(pair[0], pair[1], pair[2], sign, bodies)
    pace, spot = quadratic(j.lam, u), quadratic(j.rho, u)
    return min(-spot / pace if pace < 0 else (j.length_squared * (1 + u * u) - spot) / pace, until)


@inner
def level_end(
    t: float, u: float, sign: float, until: float, stride: float,
    index: TimeIndex, bodies: Bodies,
) -> tuple[int, float]:  # fmt: skip
    """The next contact while the pawl keeps its angle: how that ends, and when."""
    best, over = until, UNTIL
    begin, window = t, 2.0 * stride
    while True:
        stop = min(begin + window, until)
        slack = 1e-9 * (stride + abs(begin) + abs(stop))
        live = edges_within(index, begin - slack, stop + slack)
        near = nearby_pairs(live, bodies, sign, (begin - slack, stop + slack), (u, u))
        for place in range(len(near)):
            kind, i, other = near[place, 0], near[place, 1], near[place, 2]
            j = coefficients(kind, i, other, sign, bodies)
            alpha = quadratic(j.alpha, u)
            if abs(alpha) <= TOLERANCE * j.size_rate * j.shortness:
                continue
            at = -quadratic(j.beta, u) / alpha
            later = (
                abs(alpha) * (at - t) > TOLERANCE * (j.size_rate * abs(t) + j.size) * j.shortness
            )  # else it touches now
            if later and at < best - slack and _is_on_edge(j, at, u):
                best, over = at, EVENT
        if stop >= until or best <= stop:
            return over, best
        begin, window = stop, 2 * window


@inner
def _next_turn_contact(j: ContactCoefficients, t: float, u: float, after: float, side: int) -> float:
    """The next angle on the way from u to rest at which a contact is met; infinite if none, NaN if unsure."""
    c0, c1, c2 = j.alpha[0] * t + j.beta[0], j.alpha[1] * t + j.beta[1], j.alpha[2] * t + j.beta[2]
    spread, size = c1 * c1 - 4 * c0 * c2, c1 * c1 + 4 * abs(c0 * c2)
    if abs(spread) < FLAT * size and c2 != 0.0 and abs(-0.5 * c1 / c2 - u) <= DOUBLE:
        return math.inf  # the vertical tangent it snaps from
    return _first_root(c0, c1, c2, after, side, 0.0)


@inner
def turn_contacts(
    t: float, u: float, sign: float, stride: float, index: TimeIndex, bodies: Bodies
) -> tuple[bool, Floats]:
    """Whether it is clear, and how far a pawl turns towards rest at one t until each contact, in order."""
    side = -1 if u > 0 else 1
    slack = 1e-9 * stride + FLAT * (stride + abs(t))
    near = nearby_pairs(edges_within(index, t - slack, t + slack), bodies, sign, (t, t), (0.0, u))
    places, count = np.empty(2 * len(near)), 0
    for place in range(len(near)):
        kind, i, other = near[place, 0], near[place, 1], near[place, 2]
        j = coefficients(kind, i, other, sign, bodies)
        at = _next_turn_contact(j, t, u, u, side)
        while math.isfinite(at):
            if _is_on_edge(j, t, at):
                places[count] = (at - u) * side
                count += 1
            at = _next_turn_contact(j, t, u, at, side)
        if math.isnan(at):
            return False, places[:0]
    return True, places[ascending_order(places, count)]
