"""Which contacts could come next: every pair of features that is near, by floats with error bounds.

Nothing is decided here. What a kernel leaves out is certainly not it; what it returns is decided
afterwards by the arithmetic that is asked for.
"""

from __future__ import annotations

import math

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, inner_shared, kernel
from pliant.snap.arithmetic.quartic import constant_sign
from pliant.snap.geometry.features import EDGE, ERROR, VERTEX, Bodies, Quadratic, coefficients, quadratic

SLACK = 1e-8  # rad, and of coordinates: what boxes are wider by
FEW = 400  # pairs: so few are not worth boxes
RUN = 16  # vertices that share a box
LEAF = 10  # halvings after which a root is left to the arithmetic


@inner
def all_pairs(live: Ints, bodies: Bodies) -> Ints:
    """Pairs (N, 3) of a pawl's features with those of some edges of the obstacles; only convex ones touch."""
    pawl, obstacles, _ = bodies
    pairs, count = np.empty((2 * len(live) * len(pawl.x), 3), np.int64), 0
    for j in live:
        for i in range(len(pawl.x)):
            if pawl.convex[i]:
                pairs[count, 0], pairs[count, 1], pairs[count, 2] = VERTEX, i, j
                count += 1
        if obstacles.convex[j]:
            for i in range(len(pawl.x)):
                pairs[count, 0], pairs[count, 1], pairs[count, 2] = EDGE, i, j
                count += 1
    return pairs[:count]


@inner
def _vertex_boxes(
    bodies: Bodies, sign: float, t: tuple[float, float], middle: float, wide: float
) -> tuple[Floats, Floats]:
    """The lowest and highest x and y (V, 2) of every vertex while t is between two and u about `middle`.

    `wide` is how far from there it turns, in radians.
    """
    pawl, _, hinge = bodies
    count, grown = len(pawl.x), 1.0 + middle * middle
    cosine, sine = sign * (1.0 - middle * middle) / grown, sign * 2.0 * middle / grown
    hx, hy = hinge.x + 0.5 * (t[0] + t[1]) * hinge.vx, hinge.y + 0.5 * (t[0] + t[1]) * hinge.vy
    half = 0.5 * abs(t[1] - t[0])
    far = abs(hx) + abs(hy) + half * (abs(hinge.vx) + abs(hinge.vy))
    low, high = np.empty((count, 2)), np.empty((count, 2))
    for i in range(count):
        px, py = pawl.x[i], pawl.y[i]
        size = abs(px) + abs(py)
        slack = size * wide + SLACK * (far + size)
        x, y = hx + cosine * px - sine * py, hy + sine * px + cosine * py
        low[i, 0], high[i, 0] = x - slack - half * abs(hinge.vx), x + slack + half * abs(hinge.vx)
        low[i, 1], high[i, 1] = y - slack - half * abs(hinge.vy), y + slack + half * abs(hinge.vy)
    return low, high


@inner
def _run_boxes(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Boxes (R, 2) of vertices in a row, each with the end of its last edge."""
    count = len(low)
    runs = (count + RUN - 1) // RUN
    least, most = np.full((runs, 2), np.inf), np.full((runs, 2), -np.inf)
    for r in range(runs):
        for i in range(r * RUN, min((r + 1) * RUN, count) + 1):
            for n in range(2):
                least[r, n] = min(least[r, n], low[i % count, n])
                most[r, n] = max(most[r, n], high[i % count, n])
    return least, most


@inner_shared
def nearby_pairs(
    live: Ints, bodies: Bodies, sign: float, t: tuple[float, float], u: tuple[float, float]
) -> Ints:
    """The candidates whose boxes meet while t and u are each between two: those left out cannot touch.

    At angles within Δ of the middle one a vertex is within |p| Δ of where it is there. Sixteen vertices
    in a row have a box of their own, which spares most of them.
    """
    pawl, obstacles, _ = bodies
    count = len(pawl.x)
    wide = abs(math.atan(u[1]) - math.atan(u[0])) + SLACK  # half of how far it turns
    middle = math.tan(0.5 * (math.atan(u[0]) + math.atan(u[1])))
    if len(live) * count < FEW or wide > 0.5:
        return all_pairs(live, bodies)
    low, high = _vertex_boxes(bodies, sign, t, middle, wide)
    least, most = _run_boxes(low, high)
    pairs, total = np.empty((64, 3), np.int64), 0
    for j in live:
        k = obstacles.following[j]
        x0, y0, x1, y1 = obstacles.x[j], obstacles.y[j], obstacles.x[k], obstacles.y[k]
        blur = SLACK * (abs(x0) + abs(y0) + abs(x1) + abs(y1))
        left, right, below, above = (
            min(x0, x1) - blur,
            max(x0, x1) + blur,
            min(y0, y1) - blur,
            max(y0, y1) + blur,
        )
        for r in range(len(least)):
            if least[r, 0] > right or most[r, 0] < left or least[r, 1] > above or most[r, 1] < below:
                continue
            for i in range(r * RUN, min((r + 1) * RUN, count)):
                if total + 2 > len(pairs):
                    pairs = np.concatenate((pairs, np.empty((len(pairs), 3), np.int64)))
                m = i + 1 if i + 1 < count else 0
                apart = low[i, 0] > right or high[i, 0] < left or low[i, 1] > above or high[i, 1] < below
                if pawl.convex[i] and not apart:
                    pairs[total, 0], pairs[total, 1], pairs[total, 2] = VERTEX, i, j
                    total += 1
                apart = min(low[i, 0], low[m, 0]) > x0 + blur or max(high[i, 0], high[m, 0]) < x0 - blur
                apart = apart or min(low[i, 1], low[m, 1]) > y0 + blur
                if obstacles.convex[j] and not apart and max(high[i, 1], high[m, 1]) >= y0 - blur:
                    pairs[total, 0], pairs[total, 1], pairs[total, 2] = EDGE, i, j
                    total += 1
    return pairs[:total]


@inner_shared
def _first_share(c: Floats, e: Floats, f: Floats, errors: Floats, start: float, width: float) -> float:
    """The least share of the way from start at which c may be zero with e and f not negative; 2 if none."""
    level, place = 0, 0
    while True:
        step = 1.0 / (1 << level)
        at, wide = start + place * step * width, step * width
        may = (
            constant_sign(c[0], c[1], c[2], c[3], c[4], at, wide, errors[0]) == 0
            and constant_sign(e[0], e[1], e[2], e[3], e[4], at, wide, errors[1]) >= 0
            and constant_sign(f[0], f[1], f[2], f[3], f[4], at, wide, errors[1]) >= 0
        )
        if may and level == LEAF:
            return place * step
        if may:
            level, place = level + 1, place * 2
            continue
        place += 1
        while level > 0 and place % 2 == 0:
            level, place = level - 1, place // 2
        if level == 0:
            return 2.0


@inner
def _add_product(p: Quadratic, q: Quadratic, sign: float, out: Floats) -> None:
    """Add sign p(u) q(u) to a quartic."""
    for i in range(3):
        for k in range(3):
            out[i + k] += sign * p[i] * q[k]


@kernel
def pairs_along_arc(
    arc: tuple[int, int, int], rising: float, sign: float, start: float, width: float, t: tuple[float, float],
    live: Ints, bodies: Bodies, pairs: Ints, shares: Floats,
) -> int:  # fmt: skip
    """Pairs that may touch while the pawl slides on `arc` from u = start to start + width; how many.

    `shares` tells from which share of the way on. `rising` is the sign of the arc's α, `t` between which two.
    """
    k = coefficients(arc[0], arc[1], arc[2], sign, bodies)
    c, e, f, errors = np.empty(5), np.empty(5), np.empty(5), np.empty(2)
    total = 0
    near = nearby_pairs(live, bodies, sign, t, (start, start + width))
    for place in range(len(near)):
        kind, i, other = near[place, 0], near[place, 1], near[place, 2]
        if kind == arc[0] and i == arc[1] and other == arc[2]:
            continue
        j = coefficients(kind, i, other, sign, bodies)
        for n in range(5):
            c[n] = e[n] = f[n] = 0.0
        _add_product(k.alpha, j.beta, 1.0, c)
        _add_product(j.alpha, k.beta, -1.0, c)
        errors[0] = 16 * ERROR * (k.size_rate * j.size + j.size_rate * k.size)
        errors[1] = 16 * ERROR * (k.size_rate * (j.size + j.size_edge) + j.size_rate * k.size)
        _add_product(k.alpha, j.rho, rising, e)
        _add_product(j.lam, k.beta, -rising, e)
        for n in range(3):
            f[n] += rising * k.alpha[n] * j.length_squared
            f[n + 2] += rising * k.alpha[n] * j.length_squared
        for n in range(5):
            f[n] -= e[n]
        share = _first_share(c, e, f, errors, start, width)
        if share <= 1.0:
            total = _append_pair(pairs, shares, total, near, place, share)
    return total


@inner
def _append_pair(pairs: Ints, values: Floats, total: int, near: Ints, place: int, value: float) -> int:
    """Note a pair and a value of it where there is room; how many there are now."""
    if total < len(pairs):
        for n in range(3):
            pairs[total, n] = near[place, n]
        values[total] = value
    return total + 1


@kernel
def pairs_at_time(
    t: float, slack: float, sign: float, start: float, width: float,
    live: Ints, bodies: Bodies, pairs: Ints, shares: Floats,
) -> int:  # fmt: skip
    """Pairs that may touch while the pawl turns from u = start by width at one t, known to `slack`."""
    c, e, f, errors = np.zeros(5), np.zeros(5), np.zeros(5), np.empty(2)
    total = 0
    near = nearby_pairs(live, bodies, sign, (t - slack, t + slack), (start, start + width))
    for place in range(len(near)):
        kind, i, other = near[place, 0], near[place, 1], near[place, 2]
        j = coefficients(kind, i, other, sign, bodies)
        for n in range(3):
            c[n] = j.alpha[n] * t + j.beta[n]
            e[n] = j.lam[n] * t + j.rho[n]
            f[n] = (j.length_squared if n != 1 else 0.0) - e[n]
        size = j.size_rate * abs(t) + j.size
        errors[0] = 4 * (ERROR * size + slack * j.size_rate)
        errors[1] = errors[0] + 4 * ERROR * j.size_edge
        share = _first_share(c, e, f, errors, start, width)
        if share <= 1.0:
            total = _append_pair(pairs, shares, total, near, place, share)
    return total


@kernel
def pairs_at_angle(
    u: float, slack: float, sign: float, after: float, beyond: float, until: float,
    live: Ints, bodies: Bodies, pairs: Ints, times: Floats,
) -> int:  # fmt: skip
    """Pairs that may touch between two t while the pawl keeps one angle u, known to `slack`; from which t on.

    Pairs that surely touch after `beyond` set `until` back, so that few are returned.
    """
    total = 0
    grown = 1.0 + u * u
    wide = 8 * (ERROR + slack)
    near = nearby_pairs(live, bodies, sign, (after, until), (u - slack, u + slack))
    for place in range(len(near)):
        kind, i, other = near[place, 0], near[place, 1], near[place, 2]
        j = coefficients(kind, i, other, sign, bodies)
        alpha = quadratic(j.alpha, u)
        beta = quadratic(j.beta, u)
        blur = wide * j.size_rate
        if abs(alpha) <= blur:
            if abs(beta) <= wide * j.size + blur * max(
                abs(after), abs(until)
            ):  # else parallel, and away from it
                total = _append_pair(pairs, times, total, near, place, after)
            continue
        t = -beta / alpha
        fuzzy = (wide * j.size + blur * abs(t)) / (abs(alpha) - blur)
        if t + fuzzy < after or t - fuzzy > until:
            continue
        slope = quadratic(j.lam, u)
        spot = slope * t + quadratic(j.rho, u)
        margin = wide * (j.size + j.size_edge) + blur * abs(t) + (abs(slope) + blur) * fuzzy
        if spot < -margin or spot > j.length_squared * grown + margin:
            continue
        if t - fuzzy > beyond and spot > margin and spot < j.length_squared * grown - margin:
            until = min(until, t + fuzzy)
        total = _append_pair(pairs, times, total, near, place, t - fuzzy)
    return total


@kernel
def pairs_touching(
    t: float, slack_t: float, u: float, slack_u: float, sign: float,
    live: Ints, bodies: Bodies, pairs: Ints, sizes: Floats,
) -> int:  # fmt: skip
    """Pairs that may touch at one t and one angle, each known to a slack; and F there."""
    total = 0
    grown = 1.0 + u * u
    near = nearby_pairs(live, bodies, sign, (t - slack_t, t + slack_t), (u - slack_u, u + slack_u))
    for place in range(len(near)):
        kind, i, other = near[place, 0], near[place, 1], near[place, 2]
        j = coefficients(kind, i, other, sign, bodies)
        size = (j.size_rate * (abs(t) + 1) + j.size) * grown
        error = 8 * ((ERROR + slack_u) * size + slack_t * j.size_rate * grown)
        value = quadratic(j.alpha, u) * t + quadratic(j.beta, u)
        if abs(value) > error:
            continue
        spot = quadratic(j.lam, u) * t + quadratic(j.rho, u)
        error += 8 * (ERROR + slack_u) * j.size_edge * grown
        if spot >= -error and spot <= j.length_squared * grown + error:
            total = _append_pair(pairs, sizes, total, near, place, value)
    return total
