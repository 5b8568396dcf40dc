"""The motion of a pawl by floats from event to event, compiled, for as long as no two things nearly coincide.

Where they may, it stops before the event; `sweep` and `local` take the pawl past it and hand it back.
"""

from __future__ import annotations

import math

import numpy as np

from pliant.core.kernel import kernel
from pliant.snap.floating import CLOSE, DOUBLE, TOLERANCE
from pliant.snap.grasp import locked
from pliant.snap.reach import Index, within
from pliant.snap.scan import (
    EDGE,
    ERROR,
    VERTEX,
    Field,
    Floats,
    Ints,
    Rigid,
    Way,
    coefficients,
    never_zero,
    real_roots,
)
from pliant.snap.verdict import LEVELS, MOST, RESTS, SLIDES, SNAPS, UNSURE, met, verdict

AT_REST, ON_ARC, LEVEL, STARTS = range(4)
PIECE, STATE = 0, 1  # rows: a motion, or what touches at a point and what comes next
LOST, EVENT, TURNED, UNTIL, CHART, LOCKED = range(6)  # how a motion ends
NEAR = 1e-7  # angles apart by less, and not the same, are not told apart here
WAITING = 8  # events without any progress in t


@kernel
def _nearest_root(c0: float, c1: float, c2: float, u: float, side: int, limit: float) -> float:
    """The first root of a quadratic after u, up to a limit; infinite if none, NaN where floats do not tell."""
    best = math.inf
    spread, size = c1 * c1 - 4 * c0 * c2, c1 * c1 + 4 * abs(c0 * c2)
    if size == 0.0 or spread < -1e-12 * size:
        return best
    if spread < 1e-12 * size:
        at = -0.5 * c1 / c2 if c2 != 0.0 else math.inf
        return math.nan if (at - u) * side > -DOUBLE and (limit - at) * side > -DOUBLE else best
    half = -0.5 * (c1 + math.copysign(math.sqrt(spread), c1))
    for which in range(2):
        above, below = (c0, half) if which == 0 else (half, c2)
        if below == 0.0:
            continue
        at = above / below
        gone = (at - u) * side
        if gone > CLOSE and (limit - at) * side >= -CLOSE and gone < best:
            best = gone
    if best < NEAR:
        return math.nan
    return u + side * best


@kernel
def _own_end(
    k: tuple[float, ...], u: float, side: int, resting: bool, until: float, stops: tuple[float, float]
) -> tuple[int, float]:
    """Where an arc ends by itself: at an end of its edge, a vertical tangent, rest, a stop, the leg's end.

    Begin and end of an edge are quartics with the factor 1 + u², which is left out.
    """
    best, over = float(side), CHART
    b0, b1 = k[0] * k[9] - k[6] * k[3], k[0] * k[10] + k[1] * k[9] - k[6] * k[4] - k[7] * k[3]
    b2 = k[2] * k[11] - k[8] * k[5]
    for which in range(4):
        if which == 0:
            at = _nearest_root(k[0] * until + k[3], k[1] * until + k[4], k[2] * until + k[5], u, side, best)
        elif which == 1:
            w0, w1, w2 = k[1] * k[3] - k[0] * k[4], 2 * (k[2] * k[3] - k[0] * k[5]), k[2] * k[4] - k[1] * k[5]
            at = _nearest_root(w0, w1, w2, u, side, best)
        elif which == 2:
            at = _nearest_root(b0, b1, b2, u, side, best)
        else:
            at = _nearest_root(k[12] * k[0] - b0, k[12] * k[1] - b1, k[12] * k[2] - b2, u, side, best)
        if math.isnan(at):
            return LOST, u
        if not math.isinf(at) and (over == CHART or (best - at) * side > CLOSE):
            best, over = at, UNTIL if which == 0 else TURNED if which == 1 else EVENT
    for stop in stops:
        if (stop - u) * side > CLOSE and (best - stop) * side >= -CLOSE:
            return LOST, u
    if resting and -u * side > CLOSE and best * side >= -CLOSE:
        if best * side <= CLOSE and over == UNTIL:
            return LOST, u
        best, over = 0.0, EVENT
    return over, best


@kernel
def _crossing(
    k: tuple[float, ...], j: tuple[float, ...], rising: float, u: float, side: int, best: float, c: Floats
) -> float:
    """The first place on an arc, up to `best`, where another contact begins; infinite if none, NaN if unsure."""
    for n in range(15):
        c[n] = 0.0
    for a in range(3):
        for b in range(3):
            c[a + b] += k[a] * j[3 + b] - j[a] * k[3 + b]
    width = best - u
    error = 16 * ERROR * (k[13] * j[14] + j[13] * k[14])
    if never_zero(c[0], c[1], c[2], c[3], c[4], u, width, error) != 0:
        return math.inf
    for a in range(3):
        for b in range(3):
            c[5 + a + b] += rising * (k[a] * j[9 + b] - j[6 + a] * k[3 + b])
    for n in range(3):
        c[10 + n] += rising * k[n] * j[12]
        c[12 + n] += rising * k[n] * j[12]
    for n in range(5):
        c[10 + n] -= c[5 + n]
    error = 16 * ERROR * (k[13] * (j[14] + j[15]) + j[13] * k[14])
    if never_zero(c[5], c[6], c[7], c[8], c[9], u, width, error) < 0:
        return math.inf
    if never_zero(c[10], c[11], c[12], c[13], c[14], u, width, error) < 0:
        return math.inf
    top, degree = 0.0, 4
    for n in range(5):
        top = max(top, abs(c[n]))
    while degree > 0 and abs(c[degree]) <= TOLERANCE * top:
        degree -= 1
    if top <= TOLERANCE * k[13] * j[14] or degree == 0:
        return math.inf if degree == 0 and top > TOLERANCE * k[13] * j[14] else math.nan
    low, high = min(u, best) - CLOSE, max(u, best) + CLOSE
    found = real_roots(c[: degree + 1].copy(), low, high, 0.01 * TOLERANCE, DOUBLE)
    for n in range(len(found)):
        root = found[n] if side > 0 else found[len(found) - 1 - n]
        gone = (root - u) * side
        if gone <= CLOSE:
            continue
        t = -(k[3] + root * (k[4] + root * k[5])) / (k[0] + root * (k[1] + root * k[2]))
        if _is_on(j, t, root):
            return math.nan if gone < NEAR else root
    return math.inf


@kernel
def _is_on(j: tuple[float, ...], t: float, u: float) -> bool:
    """Whether a contact's vertex is on its edge, or as near as floats can tell."""
    grown = 1.0 + u * u
    spot = (j[6] + u * (j[7] + u * j[8])) * t + j[9] + u * (j[10] + u * j[11])
    slack = TOLERANCE * (j[13] * abs(t) + j[14] + j[15]) * grown
    return spot >= -slack and j[12] * grown - spot >= -slack


@kernel
def along(
    pair: Ints, t: float, u: float, side: int, resting: bool, sign: float, until: float,
    stops: tuple[float, float], index: Index, rigid: Rigid, field: Field, way: Way,
) -> tuple[int, float, float]:  # fmt: skip
    """The next event on an arc: how it ends, t and u."""
    k = coefficients(pair[0], pair[1], pair[2], sign, rigid, field, way)
    if side * u > 1.0 - NEAR:
        return LOST, t, u
    over, best = _own_end(k, u, side, resting, until, stops)
    alpha = k[0] + best * (k[1] + best * k[2])
    if over == LOST or over == CHART or abs(alpha) <= 1e3 * TOLERANCE * k[13]:
        return LOST, t, u
    ending = -(k[3] + best * (k[4] + best * k[5])) / alpha
    live = within(index, t - 1e-12 * (1 + abs(t)), min(ending, until) + 1e-9 * (1 + abs(until)))
    c = np.empty(15)
    rising = 1.0 if alpha > 0 else -1.0
    for place in range(len(live)):
        for kind in range(2):
            if kind == EDGE and not field.convex[live[place]]:
                continue
            for i in range(len(rigid.x)):
                if kind == VERTEX and not rigid.convex[i]:
                    continue
                if kind == pair[0] and i == pair[1] and live[place] == pair[2]:
                    continue
                j = coefficients(kind, i, live[place], sign, rigid, field, way)
                hit = _crossing(k, j, rising, u, side, best, c)
                if math.isnan(hit):
                    return LOST, t, u
                if not math.isinf(hit) and (best - hit) * side > CLOSE:
                    best, over = hit, EVENT
    return over, -(k[3] + best * (k[4] + best * k[5])) / (k[0] + best * (k[1] + best * k[2])), best


@kernel
def _leaves(
    pair: Ints, t: float, u: float, sign: float, until: float, rigid: Rigid, field: Field, way: Way
) -> float:
    """When a vertex that keeps its angle comes to the end of its edge, or `until`."""
    j = coefficients(pair[0], pair[1], pair[2], sign, rigid, field, way)
    pace, spot = j[6] + u * (j[7] + u * j[8]), j[9] + u * (j[10] + u * j[11])
    end = -spot / pace if pace < 0 else (j[12] * (1 + u * u) - spot) / pace
    return min(end, until)


@kernel
def ahead(
    t: float, u: float, sign: float, until: float, stride: float,
    index: Index, rigid: Rigid, field: Field, way: Way,
) -> tuple[int, float]:  # fmt: skip
    """The next contact while the pawl keeps its angle: how that ends, and when."""
    best, over = until, UNTIL
    begin, window = t, 2.0 * stride
    while True:
        stop = min(begin + window, until)
        slack = 1e-9 * (1 + abs(begin) + abs(stop))
        live = within(index, begin - slack, stop + slack)
        for place in range(len(live)):
            for kind in range(2):
                if kind == EDGE and not field.convex[live[place]]:
                    continue
                for i in range(len(rigid.x)):
                    if kind == VERTEX and not rigid.convex[i]:
                        continue
                    j = coefficients(kind, i, live[place], sign, rigid, field, way)
                    alpha = j[0] + u * (j[1] + u * j[2])
                    if abs(alpha) <= TOLERANCE * j[13]:
                        continue
                    at = -(j[3] + u * (j[4] + u * j[5])) / alpha
                    here = alpha * (t - at)
                    if here * alpha >= 0.0 or abs(here) <= TOLERANCE * (j[13] * abs(t) + j[14]):
                        continue
                    if at < best - slack and _is_on(j, at, u):
                        best, over = at, EVENT
        if stop >= until or best <= stop:
            return over, best
        begin, window = stop, 2 * window


@kernel
def _is_stop(u: float, stop: float) -> bool:
    return abs(u - stop) <= NEAR


@kernel
def arrived(
    t: float, u: float, turn: int, turned: bool, stops: tuple[float, float],
    index: Index, rigid: Rigid, field: Field, way: Way, pairs: Ints, out: Ints,
) -> tuple[int, int]:  # fmt: skip
    """What comes next at a point, and how many pairs touch there; -1 where that is not clear."""
    slack = 1e-9 + 1e-12 * (1 + abs(t))
    live = within(index, t - slack, t + slack)
    sign = -1.0 if turn % 2 else 1.0
    count = met(t, u, sign, live, rigid, field, way, pairs)
    away = 0 if turn == 0 and abs(u) <= CLOSE else 1 if turn > 0 or (turn == 0 and u > 0) else -1
    if count <= 0:
        return (RESTS if away == 0 and count == 0 else UNSURE), count
    stopped = _is_stop(u, stops[0]), _is_stop(u, stops[1])
    return verdict(t, u, away, turned, stopped, sign, pairs, count, rigid, field, way, out), count


@kernel
def landed(
    t: float, u: float, sign: float, stops: tuple[float, float], index: Index, rigid: Rigid, field: Field, way: Way,
    pairs: Ints, out: Ints,
) -> tuple[int, float, int]:  # fmt: skip
    """Where a pawl that turns towards rest at one t is held: what comes next there, the angle, contacts."""
    side = -1 if u > 0 else 1
    slack = 1e-9 + 1e-12 * (1 + abs(t))
    live = within(index, t - slack, t + slack)
    places, count = np.empty(4 * MOST), 0
    for place in range(len(live)):
        for kind in range(2):
            if kind == EDGE and not field.convex[live[place]]:
                continue
            for i in range(len(rigid.x)):
                if kind == VERTEX and not rigid.convex[i]:
                    continue
                j = coefficients(kind, i, live[place], sign, rigid, field, way)
                at = u
                while True:
                    at = _landing(j, t, u, at, side)
                    if math.isnan(at) or (not math.isinf(at) and count == len(places)):
                        return UNSURE, u, 0
                    if math.isinf(at):
                        break
                    if _is_on(j, t, at):
                        places[count] = (at - u) * side
                        count += 1
    places[:count].sort()
    gone = 0.0
    for place in range(count):
        if places[place] - gone <= CLOSE or abs(u) - places[place] <= CLOSE:
            continue
        gone = places[place]
        at = u + side * gone
        touching = met(t, at, sign, live, rigid, field, way, pairs)
        what = UNSURE
        if touching > 0:
            stopped = _is_stop(at, stops[0]), _is_stop(at, stops[1])
            what = verdict(t, at, -side, False, stopped, sign, pairs, touching, rigid, field, way, out)
        if what != SNAPS:
            return what, at, touching
    what, touching = arrived(t, 0.0, 0, False, stops, index, rigid, field, way, pairs, out)
    return what, 0.0, touching


@kernel
def _landing(j: tuple[float, ...], t: float, u: float, after: float, side: int) -> float:
    """The next angle on the way from u to rest at which a contact is met; infinite if none, NaN if unsure."""
    c0, c1, c2 = j[0] * t + j[3], j[1] * t + j[4], j[2] * t + j[5]
    spread, size = c1 * c1 - 4 * c0 * c2, c1 * c1 + 4 * abs(c0 * c2)
    if size > 0.0 and abs(spread) < 1e-12 * size and c2 != 0.0:
        at = -0.5 * c1 / c2
        if abs(at - u) <= DOUBLE:  # the vertical tangent it snaps from
            return math.inf
    return _nearest_root(c0, c1, c2, after, side, 0.0)


@kernel
def _noted(
    codes: Ints, rows: Floats, row: int, kind: int, what: int, pair: Ints, last: int, t: float, u: float
) -> int:
    codes[row, 0], codes[row, 1] = kind, what
    codes[row, 2], codes[row, 3], codes[row, 4], codes[row, 5] = pair[0], pair[1], pair[2], last
    rows[row, 0], rows[row, 1] = t, u
    return row + 1


@kernel
def glide(
    t: float, u: float, turn: int, motion: int, start: tuple[int, int, int, int], until: float,
    stops: tuple[float, float], friction: float, stride: float,
    index: Index, rigid: Rigid, field: Field, way: Way, codes: Ints, rows: Floats, touched: Ints,
) -> int:  # fmt: skip
    """Follow the pawl; how many rows were written.

    codes (R, 8): PIECE, how it ends, what was followed and its motion, -, -; or STATE, what comes next, what is
    followed then and its side, where its contacts begin in `touched` and how many they are. rows (R, 2): t, u.
    """
    sign = -1.0 if turn % 2 else 1.0
    pair, pairs = np.empty(4, np.int64), np.empty((MOST, 3), np.int64)
    followed = np.array([start[0], start[1], start[2], start[3]])
    row = used = waited = 0
    while row + 3 <= len(codes) and used + 2 * MOST <= len(touched) and waited < WAITING:
        u1, over, t1 = u, EVENT, t
        if motion == AT_REST:
            over, t1 = ahead(t, u, sign, until, stride, index, rigid, field, way)
        elif motion == LEVEL:
            end = _leaves(followed, t, u, sign, until, rigid, field, way)
            over, t1 = ahead(t, u, sign, end, stride, index, rigid, field, way)
            over = EVENT if t1 < until else UNTIL
        elif motion == ON_ARC:
            over, t1, u1 = along(
                followed, t, u, followed[3], turn == 0, sign, until, stops, index, rigid, field, way
            )
        if over == LOST:
            break
        if motion != STARTS and t1 >= until - TOLERANCE * (1 + abs(until)):
            over = UNTIL  # the leg's end comes before what happens at it
        if (motion == ON_ARC or motion == LEVEL) and friction > 0.0:
            held, t2, u2 = locked(followed, t, u, t1, u1, sign, friction, rigid, field, way)
            if held:
                return _noted(codes, rows, row, PIECE, LOCKED, followed, motion, t2, u2)
        what, count = arrived(t1, u1, turn, over == TURNED, stops, index, rigid, field, way, pairs, pair)
        if over == UNTIL and count >= 0:
            row = _noted(codes, rows, row, PIECE, UNTIL, followed, motion, until, u1)
            _stated(codes, rows, row, UNSURE, pair, until, u1, pairs, count, touched, used)
            return row + 1
        if what == UNSURE or (count <= 0 and motion != STARTS):
            break
        if motion != STARTS:
            row = _noted(codes, rows, row, PIECE, EVENT, followed, motion, t1, u1)
            waited = waited + 1 if t1 <= t + 1e-12 * (1 + abs(t)) else 0
        t, u = t1, u1
        used = _stated(codes, rows, row, what, pair, t, u, pairs, count, touched, used)
        row += 1
        if what == SNAPS and turn == 0:
            what, u1, count = landed(t, u, sign, stops, index, rigid, field, way, pairs, pair)
            if what == UNSURE:
                break
            u = u1
            used = _stated(codes, rows, row, what, pair, t, u, pairs, count, touched, used)
            row += 1
        if what != RESTS and what != SLIDES and what != LEVELS:
            break
        motion = AT_REST if what == RESTS else ON_ARC if what == SLIDES else LEVEL
        followed[:] = pair
    return row


@kernel
def _stated(
    codes: Ints, rows: Floats, row: int, what: int, pair: Ints, t: float, u: float,
    pairs: Ints, count: int, touched: Ints, used: int,
) -> int:  # fmt: skip
    _noted(codes, rows, row, STATE, what, pair, pair[3], t, u)
    codes[row, 6], codes[row, 7] = used, count
    touched[used : used + count] = pairs[:count]
    return used + count
