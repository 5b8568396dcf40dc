"""What presses on pawls at given moments, and along a whole course: the loops behind `force_curve`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.kernel import inner, inner_shared, kernel, kernel_shared
from pliant.snap.geometry.features import (
    EDGE,
    VERTEX,
    Bodies,
    ContactCoefficients,
    HingeMotion,
    ObstacleEdges,
    PawlOutline,
    coefficients,
    quadratic,
)
from pliant.snap.springs.elastica import AXIS_X, AXIS_Y, LENGTH, PRELOAD, STIFFNESS, bend_beam

FLAT = 1e-12  # of its terms: where a curve counts as flat
LOCKED = 1e-12  # of the lever: what is left of it where friction locks
WEAK = 1e-5  # of the distance from the hinge: a lever below it may be rounding
INWARD = 1e-7  # of a piece: how far inside it what happens at its end is looked at
GROWS = 1.5  # times as large four times nearer to an end: without bound there (a pole has 2 or 4)

LENGTHWAYS = 0.5  # the cosine of the angle between motion and beam, below which it goes across

SAMPLES = 17  # of a stretch, its ends included
ZOOMS = 8  # each eight times closer
CLOSE = 0.9  # of the greatest sample: where a peak between samples could be greater
BRIEF = 1e-13  # of a course: stretches that are no longer are left out

ANGLE, TORQUE, FORCE_X, FORCE_Y, PLACE_X, PLACE_Y, AGAINST, LEVER, STRAIN, SLOPE, SHIFT = range(11)
COLUMNS = 11
TOTAL, LOW, HIGH, X, Y, ROUND = range(6)
OF_FORCE, OF_ANGLE, OF_LEVER, OF_STRAIN, OF_SLOPE, OF_SHIFT = range(6)  # by pawl
EACH = 6


class PieceTable(NamedTuple):
    """The pieces of every sprung pawl of a course, one pawl after another, as `contact_force` reads them."""

    first: Ints  # (P+1,) of each pawl, and their number
    spans: Floats  # (N, 4) t where it begins and ends, the lower and the upper u
    charts: Ints  # (N+1, 3) whether it is an arc, its chart, its first pair; last row: the number of pairs
    pairs: Ints  # (C, 3)


class PawlTable(NamedTuple):
    """The sprung pawls of a course, one after another."""

    first: Ints  # (P+1,) vertex of each, and their number
    x: Floats
    y: Floats
    convex: Bools
    ways: Floats  # (P, 4) as in `HingeMotion`
    springs: Floats  # (P, WIDTH) as `elastica` has them


class CourseTables(NamedTuple):
    """A course for the loops below."""

    pieces: PieceTable
    pawls: PawlTable
    obstacles: ObstacleEdges
    friction: float


@inner
def arc_tangent(c: ContactCoefficients, t: float, low: float, high: float) -> float:
    """The root u of α t + β that lies between two, or is nearest to it."""
    square, middle, constant = (
        c.alpha[2] * t + c.beta[2],
        c.alpha[1] * t + c.beta[1],
        c.alpha[0] * t + c.beta[0],
    )
    root = math.sqrt(max(middle * middle - 4 * square * constant, 0.0))
    stable = -0.5 * (middle + math.copysign(root, middle))  # no cancellation in either root
    best, least = low, math.inf
    for which in range(2):
        below = square if which == 0 else stable
        above = stable if which == 0 else constant
        if below == 0.0:
            continue
        u = above / below
        off = max(low - u, u - high, 0.0)
        if off < least:
            best, least = u, off
    return min(max(best, low), high)


@inner
def flat_root(c: ContactCoefficients, low: float, high: float) -> float:
    """The end of an arc at which α and β both vanish, so that it is a root at every t; else NaN."""
    for u in (low, high):
        alpha, beta = quadratic(c.alpha, u), quadratic(c.beta, u)
        if abs(alpha) <= FLAT * c.size_rate * (1 + u * u) and abs(beta) <= FLAT * c.size * (1 + u * u):
            return u
    return math.nan


@inner
def _write_moment(
    pair: tuple[int, int, int], turn: int, u: float, t: float,
    spring: Floats, friction: float, bodies: Bodies, out: Floats,
) -> None:  # fmt: skip
    """Write what presses at one moment and angle."""
    pawl, obstacles, hinge = bodies
    kind, i, j = pair
    sign = -1.0 if turn % 2 else 1.0
    speed = math.hypot(hinge.vx, hinge.vy)
    if kind == VERTEX:
        other = obstacles.following[j]
        ex, ey = obstacles.x[other] - obstacles.x[j], obstacles.y[other] - obstacles.y[j]
    else:
        other = i + 1 if i + 1 < len(pawl.x) else 0
        ex, ey = pawl.x[other] - pawl.x[i], pawl.y[other] - pawl.y[i]
    length = math.hypot(ex, ey)
    nx, ny = ey / length, -ex / length
    angle = turn * math.pi + 2 * math.atan(u)
    cosine, sine = sign * (1 - u * u) / (1 + u * u), sign * 2 * u / (1 + u * u)
    hx, hy = hinge.x + hinge.vx * t, hinge.y + hinge.vy * t
    if kind == VERTEX:
        rx, ry = cosine * pawl.x[i] - sine * pawl.y[i], sine * pawl.x[i] + cosine * pawl.y[i]
        mx, my = nx, ny
    else:
        rx, ry = obstacles.x[j] - hx, obstacles.y[j] - hy
        mx, my = -(cosine * nx - sine * ny), -(sine * nx + cosine * ny)
    across = rx * my - ry * mx
    slide = np.sign(rx * hinge.vx + ry * hinge.vy) * np.sign(across)
    px, py = mx - friction * slide * my, my + friction * slide * mx
    torque = spring[STIFFNESS] * angle - spring[PRELOAD]
    arm = rx * py - ry * px
    away = math.hypot(rx, ry)
    out[ANGLE], out[TORQUE], out[LEVER] = angle, torque, min(abs(arm), abs(across)) / away
    out[PLACE_X], out[PLACE_Y] = hx + rx, hy + ry
    out[STRAIN], out[SLOPE], out[SHIFT] = 0.0, angle, 0.0
    if spring[LENGTH] > 0.0:
        _write_bent(kind == EDGE, angle, rx, ry, mx, my, px, py, spring, hinge, out)
        return
    if torque != 0.0 and abs(arm) <= LOCKED * away:  # the force has no lever: it locks
        out[FORCE_X], out[FORCE_Y], out[AGAINST] = math.inf, math.inf, math.inf
        return
    size = 0.0 if torque == 0.0 else torque / arm
    out[FORCE_X], out[FORCE_Y] = size * px, size * py
    out[AGAINST] = -size * (px * hinge.vx + py * hinge.vy) / speed


@inner
def _write_bent(
    edge: bool, angle: float, rx: float, ry: float, mx: float, my: float, px: float, py: float,
    spring: Floats, hinge: HingeMotion, out: Floats,
) -> None:  # fmt: skip
    """Write the force that bends a beam so far that the nose is where the rigid pawl has it.

    The point that touches is the same, and how far it is pushed aside; along the motion the two may differ.
    Where the motion goes across the beam, it is the normal of the contact that says where the nose is.
    """
    speed = math.hypot(hinge.vx, hinge.vy)
    cosine, sine = math.cos(angle), math.sin(angle)
    point = np.array([cosine * rx + sine * ry, cosine * ry - sine * rx])
    along = (hinge.vx * spring[AXIS_X] + hinge.vy * spring[AXIS_Y]) / speed
    lengthways = abs(along) > LENGTHWAYS
    across = np.array([-hinge.vy / speed, hinge.vx / speed]) if lengthways else np.array([mx, my])
    beam = bend_beam(spring, point, np.array([rx, ry]), np.array([px, py]), across, angle, edge)
    out[SLOPE], out[STRAIN], out[SHIFT] = beam[2], beam[3], -beam[4] if lengthways else 0.0
    cosine, sine = math.cos(beam[1]), math.sin(beam[1])
    x, y = cosine * px - sine * py, sine * px + cosine * py
    if not math.isfinite(beam[0]):
        out[FORCE_X], out[FORCE_Y], out[AGAINST] = math.inf, math.inf, math.inf
        return
    out[FORCE_X], out[FORCE_Y] = beam[0] * x, beam[0] * y
    out[AGAINST] = -beam[0] * (x * hinge.vx + y * hinge.vy) / speed


@inner
def _tangent_at(c: ContactCoefficients, flat: float, t: float, low: float, high: float) -> float:
    """The u of an arc at one moment."""
    if math.isnan(flat):
        return arc_tangent(c, t, low, high)
    square, middle = (
        c.alpha[2] * t + c.beta[2],
        c.alpha[1] * t + c.beta[1],
    )  # the other root than the flat one
    return min(max(-middle / square - flat, low), high) if square != 0.0 else flat


@kernel_shared
def contact_forces(
    pair: tuple[int, int, int], turn: int, arc: bool, span: tuple[float, float, float, float], t: Floats,
    spring: Floats, friction: float, bodies: Bodies,
) -> Floats:  # fmt: skip
    """(K, 11): angle, torque, contact force on the pawl, where it acts, its share against the motion, lever.

    The lever, over the distance from the hinge, is the lesser of the normal's and of the force's.

    And of a beam its strain, the slope of its nose, and how much further the root is than with a rigid pawl.

    `span` is a piece's t at either end, and the u it is between: on an arc the angle is between the two, else
    it is the lower. Source: [DonaldPai1993] eqs A1 to A5.
    """
    begin, end, low, high = span
    out, kind, i, j = np.empty((len(t), COLUMNS)), pair[0], pair[1], pair[2]
    c = coefficients(kind, i, j, -1.0 if turn % 2 else 1.0, bodies)
    flat = flat_root(c, low, high)
    near = np.empty((3, COLUMNS))
    for k in range(len(t)):
        u = _tangent_at(c, flat, t[k], low, high) if arc else low
        _write_moment(pair, turn, u, t[k], spring, friction, bodies, out[k])
        inward = 1.0 if t[k] - begin < end - t[k] else -1.0
        if out[k, LEVER] > WEAK or (t[k] - begin) * (end - t[k]) > INWARD * (end - begin) ** 2:
            continue
        # Where a piece ends without a lever, torque and lever may vanish together; and where the normal has
        # none, as at a snap, which way friction acts is rounding. The limit is taken from inside. All go with
        # the root of the distance, in which a parabola through three places is taken.
        for step in range(3):
            moment = t[k] + inward * INWARD * 4**step * (end - begin)
            u = _tangent_at(c, flat, moment, low, high) if arc else low
            _write_moment(pair, turn, u, moment, spring, friction, bodies, near[step])
        for n in (FORCE_X, FORCE_Y, AGAINST):
            first, second = near[0, n], near[1, n]
            limit = 8 / 3 * first - 2 * second + near[2, n] / 3
            out[k, n] = math.copysign(math.inf, first) if abs(first) > GROWS * abs(second) else limit
        if spring[LENGTH] > 0.0:
            for n in (STRAIN, SLOPE, SHIFT):
                out[k, n] = 8 / 3 * near[0, n] - 2 * near[1, n] + near[2, n] / 3
    return out


@inner
def _piece(pieces: PieceTable, pawl: int, t: float) -> int:
    """The piece of a pawl that a t strictly between events is in; -1 on a snap."""
    first, last = pieces.first[pawl], pieces.first[pawl + 1]
    low, high = first, last  # which piece is the first that begins later
    while low < high:
        middle = (low + high) // 2
        if pieces.spans[middle, 0] <= t:
            low = middle + 1
        else:
            high = middle
    place = low - 1
    return place if place >= first and t <= pieces.spans[place, 1] else -1


@inner
def _pair_forces(course: CourseTables, place: int, pair: int, pawl: int, t: Floats) -> Floats:
    """What `contact_forces` finds for one contact of a piece."""
    pieces, pawls, obstacles, friction = course
    a, b = pawls.first[pawl], pawls.first[pawl + 1]
    outline = PawlOutline(pawls.x[a:b], pawls.y[a:b], pawls.convex[a:b])
    v, spring, span = pawls.ways[pawl], pawls.springs[pawl], pieces.spans[place]
    which = pieces.pairs[pair]
    return contact_forces(
        (which[0], which[1], which[2]), pieces.charts[place, 1], pieces.charts[place, 0] == 1,
        (span[0], span[1], span[2], span[3]), t, spring, friction,
        Bodies(outline, obstacles, HingeMotion(v[0], v[1], v[2], v[3])),
    )  # fmt: skip


@inner_shared
def _write_samples(
    held: Ints, course: CourseTables, t: Floats,
    centre: Floats, sums: Floats, by_pawl: Floats,
) -> None:  # fmt: skip
    """Everything at moments of a stretch; `centre` (4,) is where torques are about, and its velocity."""
    low, high = np.empty(len(t)), np.empty(len(t))
    for pawl in range(len(held)):
        place = held[pawl]
        if place < 0:
            continue
        first, last = course.pieces.charts[place, 2], course.pieces.charts[place + 1, 2]
        for pair in range(first, last):
            forces = _pair_forces(course, place, pair, pawl, t)
            for k in range(len(t)):
                share = forces[k, AGAINST]
                low[k] = share if pair == first else min(low[k], share)
                high[k] = share if pair == first else max(high[k], share)
                here = by_pawl[k, pawl]
                for n in (OF_LEVER, OF_STRAIN, OF_SLOPE, OF_SHIFT):
                    value = forces[k, LEVER + n - OF_LEVER]
                    here[n] = value if pair == first or abs(value) > abs(here[n]) else here[n]
                if pair > first:
                    continue
                x, y = forces[k, FORCE_X], forces[k, FORCE_Y]
                here[OF_ANGLE], here[OF_FORCE] = forces[k, ANGLE], share
                sums[k, TOTAL] += share
                sums[k, X] += x
                sums[k, Y] += y
                if math.isfinite(x) and math.isfinite(y):
                    dx = forces[k, PLACE_X] - centre[0] - t[k] * centre[2]
                    dy = forces[k, PLACE_Y] - centre[1] - t[k] * centre[3]
                    sums[k, ROUND] += dx * y - dy * x
        for k in range(len(t)):
            if first == last:
                turned = course.pieces.charts[place, 1] * math.pi + 2 * math.atan(
                    course.pieces.spans[place, 2]
                )
                by_pawl[k, pawl, OF_ANGLE], by_pawl[k, pawl, OF_SLOPE] = turned, turned
            else:
                sums[k, LOW] += low[k]
                sums[k, HIGH] += high[k]


@inner
def _greatest_force(held: Ints, course: CourseTables, t: Floats) -> Floats:
    """The greatest force against the motion at moments of a stretch."""
    sums, by_pawl = np.zeros((len(t), 6)), np.zeros((len(t), len(held), EACH))
    _write_samples(held, course, t, np.zeros(4), sums, by_pawl)
    return sums[:, HIGH].copy()


@inner
def _refined_peak(low: float, high: float, held: Ints, course: CourseTables) -> tuple[float, float]:
    """The peak between two moments, and when, by looking ever closer."""
    best, at = -math.inf, low
    for _ in range(ZOOMS):
        t, place = np.empty(SAMPLES), 0
        for n in range(SAMPLES):
            t[n] = low + (high - low) * n / (SAMPLES - 1)
        values = _greatest_force(held, course, t)
        for n in range(SAMPLES):
            place = n if values[n] > values[place] else place
        if math.isfinite(values[place]) and values[place] > best:
            best, at = values[place], t[place]
        low, high = t[max(place - 1, 0)], t[min(place + 1, SAMPLES - 1)]
    return best, at


@inner
def _stretches(marks: Floats, pieces: PieceTable) -> tuple[Floats, Ints]:
    """(S, 2) begin and end of each stretch between events; (S, P) the piece each pawl is in, -1 for none."""
    brief = BRIEF * (marks[-1] - marks[0])
    edges, held = np.empty((len(marks), 2)), np.empty((len(marks), len(pieces.first) - 1), np.int64)
    count = 0
    for k in range(len(marks) - 1):
        if marks[k + 1] - marks[k] > brief:
            edges[count, 0], edges[count, 1] = marks[k], marks[k + 1]
            for pawl in range(held.shape[1]):
                held[count, pawl] = _piece(pieces, pawl, 0.5 * (marks[k] + marks[k + 1]))
            count += 1
    return edges[:count], held[:count]


@inner
def _rises_inward(end: float, following: float, held: Ints, course: CourseTables) -> bool:
    """Whether the force grows from an end of a stretch towards the sample that follows it."""
    near = np.empty(2)
    near[0], near[1] = end, end + 1e-3 * (following - end)
    values = _greatest_force(held, course, near)
    return bool(values[1] > values[0])


@inner
def _peak(t: Floats, high: Floats, held: Ints, course: CourseTables) -> tuple[float, float, int]:
    """The greatest finite force against the motion, when and in which stretch; -inf where none is finite."""
    best, at, where = -math.inf, t[0], 0
    tops, places = np.empty(len(held)), np.zeros(len(held), np.int64)
    for k in range(len(held)):
        tops[k] = -math.inf
    for place in range(len(t)):
        k = place // SAMPLES
        if math.isfinite(high[place]) and high[place] > tops[k]:
            tops[k], places[k] = high[place], place
            if high[place] > best:
                best, at, where = high[place], t[place], k
    for k in range(len(held)):
        if tops[k] < CLOSE * best or tops[k] <= 0.0:
            continue
        middle, first, last = int(places[k]), k * SAMPLES, k * SAMPLES + SAMPLES - 1
        following = middle + 1 if middle == first else middle - 1
        if middle in (first, last) and not _rises_inward(t[middle], t[following], held[k], course):
            continue
        low, high_end = t[max(middle - 1, first)], t[min(middle + 1, last)]
        peak, when = _refined_peak(low, high_end, held[k], course)
        if peak > best:
            best, at, where = peak, when, k
    return best, at, where


@inner
def _work(edges: Floats, held: Ints, course: CourseTables, nodes: Floats) -> float:
    """Of the force against the motion, over t. Nodes crowd at the ends of a stretch, where it is steep."""
    total = 0.0
    for k in range(len(edges)):
        half = 0.5 * (edges[k, 1] - edges[k, 0])
        t = np.empty(nodes.shape[1])
        for n in range(len(t)):
            t[n] = edges[k, 0] + half * (1 - math.cos(nodes[0, n]))
        power = _greatest_force(held[k], course, t)
        for n in range(len(power)):
            if math.isfinite(power[n]):
                total += power[n] * nodes[1, n] * half
    return total


@inner
def _sampled_work(edges: Floats, high: Floats, nodes: Floats) -> float:
    """The same from the samples themselves, where they are the nodes."""
    total = 0.0
    for k in range(len(edges)):
        half = 0.5 * (edges[k, 1] - edges[k, 0])
        for n in range(SAMPLES):
            if math.isfinite(high[k * SAMPLES + n]):
                total += high[k * SAMPLES + n] * nodes[1, n] * half
    return total


class CourseForces(NamedTuple):
    """What is found along a course of P pawls, at K moments in S stretches."""

    edges: Floats  # (S, 2) t where each stretch begins and ends
    held: Ints  # (S, P) the piece each pawl is in, -1 for none
    t: Floats  # (K,) SAMPLES of each stretch
    sums: Floats  # (K, 6)
    by_pawl: (
        Floats  # (K, P, EACH) force against the motion, angle, lever (0: no contact), strain, slope, shift
    )
    peak: float
    peak_at: float
    stretch: int  # that has the peak
    work: float


@kernel
def course_forces(marks: Floats, course: CourseTables, centre: Floats, nodes: Floats) -> CourseForces:
    """Forces along a course. `marks` are the t at which a pawl changes its contact; K is 0 if nothing moves.

    `nodes` (2, G) are where work is summed up, and weights; none if it is not asked for. As many as there are
    samples of a stretch are these.
    """
    edges, held = _stretches(marks, course.pieces)
    count, number = len(edges) * SAMPLES, held.shape[1]
    t, sums, by_pawl = np.empty(count), np.zeros((count, 6)), np.zeros((count, number, EACH))
    for k in range(len(edges)):
        begin, end = edges[k, 0], edges[k, 1]
        a, b = k * SAMPLES, (k + 1) * SAMPLES
        for n in range(SAMPLES):
            t[a + n] = 0.5 * (begin + end) - 0.5 * (end - begin) * math.cos(math.pi * n / (SAMPLES - 1))
        t[a], t[b - 1] = begin, end
        _write_samples(held[k], course, t[a:b], centre, sums[a:b], by_pawl[a:b])
    if count == 0:
        return CourseForces(edges, held, t, sums, by_pawl, 0.0, marks[0], 0, 0.0)
    best, at, where = _peak(t, sums[:, HIGH], held, course)
    spent = 0.0
    if nodes.shape[1] == SAMPLES:
        spent = _sampled_work(edges, sums[:, HIGH], nodes)
    elif nodes.shape[1]:
        spent = _work(edges, held, course, nodes)
    best = best if math.isfinite(best) else 0.0
    return CourseForces(edges, held, t, sums, by_pawl, best, at, where, spent)


@kernel
def forces_at(t: float, held: Ints, course: CourseTables, centre: Floats) -> tuple[Floats, Floats]:
    """Sums (1, 6), and by pawl (1, P, EACH), at a moment of a stretch."""
    sums, by_pawl, moment = np.zeros((1, 6)), np.zeros((1, len(held), EACH)), np.empty(1)
    moment[0] = t
    _write_samples(held, course, moment, centre, sums, by_pawl)
    return sums, by_pawl
