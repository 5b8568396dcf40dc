"""Loops over the rows of large assemblies, compiled. Small ones never import this.

Each function gives what its namesake gives in `flex.contact.distance` and `.selection`, sooner.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel


class Sides(NamedTuple):
    """The sides of shapes, in runs of sides that follow each other, each with the box about it."""

    runs: Ints  # (S + 1,) where the runs of each shape begin
    starts: Ints  # (R + 1,) where the sides of each run begin
    box: Floats  # (R, 4) low x, low y, high x, high y
    ends: Floats  # (N, 4) of each side: x, y, u, v


@kernel
def gaps(first: Ints, second: Ints, normal: Floats, offset: Floats, point: Floats, poses: Floats) -> Floats:
    """D of every row: `flex.distance.gaps`."""
    cosine, sine = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    values = np.empty(len(offset))
    for r in range(len(offset)):
        a, b = first[r], second[r]
        nx = cosine[a] * normal[r, 0] - sine[a] * normal[r, 1]
        ny = sine[a] * normal[r, 0] + cosine[a] * normal[r, 1]
        x = poses[b, 0] + cosine[b] * point[r, 0] - sine[b] * point[r, 1] - poses[a, 0]
        y = poses[b, 1] + sine[b] * point[r, 0] + cosine[b] * point[r, 1] - poses[a, 1]
        values[r] = nx * x + ny * y - offset[r]
    return values


@kernel
def blocks(
    first: Ints, second: Ints, normal: Floats, offset: Floats, point: Floats, poses: Floats
) -> tuple[Floats, Floats]:
    """D and its gradient: `flex.distance.gaps_and_blocks`."""
    cosine, sine = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    values, block = np.empty(len(offset)), np.empty((len(offset), 2, 3))
    for r in range(len(offset)):
        a, b = first[r], second[r]
        nx = cosine[a] * normal[r, 0] - sine[a] * normal[r, 1]
        ny = sine[a] * normal[r, 0] + cosine[a] * normal[r, 1]
        px = cosine[b] * point[r, 0] - sine[b] * point[r, 1]
        py = sine[b] * point[r, 0] + cosine[b] * point[r, 1]
        x, y = poses[b, 0] + px - poses[a, 0], poses[b, 1] + py - poses[a, 1]
        values[r] = nx * x + ny * y - offset[r]
        block[r, 0, 0], block[r, 0, 1], block[r, 0, 2] = -nx, -ny, nx * y - ny * x
        block[r, 1, 0], block[r, 1, 1], block[r, 1, 2] = nx, ny, ny * px - nx * py
    return values, block


@kernel
def points_at(tangent: Floats, before: Ints, vertex: Ints, edge: Ints) -> Floats:
    """How clearly a vertex points at an edge: `flex.contact._points_at`."""
    values = np.empty(len(edge))
    for r in range(len(edge)):
        nx, ny = tangent[edge[r], 1], -tangent[edge[r], 0]
        v, w = vertex[r], before[vertex[r]]
        values[r] = min(nx * tangent[v, 0] + ny * tangent[v, 1], -nx * tangent[w, 0] - ny * tangent[w, 1])
    return values


@kernel
def outside_both(
    seen: Floats, edge: Ints, point: Floats, tangent: Floats, length: Floats, turn: Floats, follow: Ints,
    before: Ints, straight: float, tie: float,
) -> np.ndarray:  # fmt: skip
    """Whether a vertex is outside the edge round the nearer corner too: `flex.contact._outside_both`."""
    values = np.zeros(len(edge), np.bool_)
    for g in range(len(edge)):
        e = edge[g]
        dx, dy = seen[g, 0] - point[e, 0], seen[g, 1] - point[e, 1]
        ahead = dx * tangent[e, 0] + dy * tangent[e, 1] >= length[e] / 2
        other = follow[e] if ahead else before[e]
        if turn[follow[e] if ahead else e] > straight:
            dx, dy = seen[g, 0] - point[other, 0], seen[g, 1] - point[other, 1]
            values[g] = dx * tangent[other, 1] - dy * tangent[other, 0] >= -tie
    return values


@kernel
def meeting(centres: Floats, radius: Floats, moves: np.ndarray, starts: Ints, known: Ints) -> Ints:
    """Pairs of bodies, as one number, whose circles meet: `flex.contact.sweep._meeting`.

    Of body b those known are starts[b] to starts[b + 1].
    """
    values, count, bodies = np.empty(64, np.int64), 0, len(radius)
    beside, stamp = np.full(bodies, -1), -1
    for f in range(len(centres) - 1):
        here, there = centres[f], centres[f + 1]
        low = np.minimum(here[:, 0], there[:, 0]) - radius
        high = np.maximum(here[:, 0], there[:, 0]) + radius
        order = np.argsort(low)
        for i in range(bodies):
            a = order[i]
            stamp += 1
            for k in range(starts[a], starts[a + 1]):
                beside[known[k]] = stamp
            for j in range(i + 1, bodies):
                b = order[j]
                if low[b] > high[a]:
                    break
                if beside[b] == stamp or not (moves[a] or moves[b]):
                    continue
                x, y = here[b, 0] - here[a, 0], here[b, 1] - here[a, 1]
                u, v = there[b, 0] - there[a, 0] - x, there[b, 1] - there[a, 1] - y
                speed, together = u * u + v * v, radius[a] + radius[b]
                t = min(max(-(x * u + y * v) / speed, 0.0), 1.0) if speed > 0 else 0.0
                if (x + t * u) ** 2 + (y + t * v) ** 2 <= together * together:
                    if count == len(values):
                        values = np.concatenate((values, np.empty_like(values)))
                    values[count] = min(a, b) * bodies + max(a, b)
                    count += 1
    return values[:count].copy()


@kernel
def entering(
    poses: Floats, point: Floats, owner: Ints, body: Ints, origins: Floats, region: Ints, sides: Sides,
    chord: float,
) -> tuple[Ints, Floats]:  # fmt: skip
    """Which ways of points (G, 2) cross a side of their region, in the frame of a body, and where.

    From frame to frame a way is followed by its chord, which errs by |p''|/8; where that is more
    than `chord` and a side is no further off, by the chords of its halves, and so on.
    """
    cosine, sine, steps = np.cos(poses[:, :, 2]), np.sin(poses[:, :, 2]), len(poses) - 1
    which, entries, count = np.empty(64, np.int64), np.empty((64, 4)), 0
    # Points of one body follow each other: how it is seen from those near it is found once for all of them.
    places, used, run, last = np.empty((16, 6, steps + 1)), 0, 0, -1
    found_in, slot = np.full(len(origins), -1), np.zeros(len(origins), np.int64)
    across, up, close = np.empty(steps + 1), np.empty(steps + 1), np.empty(len(sides.ends), np.int64)
    for g in range(len(owner)):
        a, b = body[g], owner[g]
        if b != last:
            run, used, last = run + 1, 0, b
        if found_in[a] != run:
            if used == len(places):
                places = np.concatenate((places, np.empty_like(places)))
            found_in[a], slot[a] = run, used
            _places(places[used], poses, cosine, sine, a, b, origins[a])
            used += 1
        x, y, place = point[g, 0], point[g, 1], places[slot[a]]
        arm = np.hypot(x, y)
        for f in range(steps + 1):
            across[f] = place[0, f] * x - place[1, f] * y + place[2, f]
            up[f] = place[1, f] * x + place[0, f] * y + place[3, f]
        most = (place[4, steps] + place[5, steps] * arm) / 8
        near = _close(close, across, up, most, sides, region[g])
        for f in range(steps if near > 0 else 0):
            p, q = (across[f], up[f]), (across[f + 1], up[f + 1])
            error = (place[4, f] + place[5, f] * arm) / 8
            met = _met(p, q, error, sides.ends, close, near, error <= chord)
            if met >= 0.0 and error > chord:
                p, q, met = _met_finely(
                    poses[f],
                    poses[f + 1],
                    a,
                    b,
                    point[g],
                    origins[a],
                    p,
                    error,
                    sides.ends,
                    close,
                    near,
                    chord,
                )
            if met >= 0.0:
                if count == len(which):
                    which = np.concatenate((which, np.empty_like(which)))
                    entries = np.concatenate((entries, np.empty_like(entries)))
                u, v = q[0] - p[0], q[1] - p[1]
                which[count] = g
                entries[count, 0], entries[count, 1] = p[0] + met * u, p[1] + met * v
                entries[count, 2], entries[count, 3] = u, v
                count += 1
                break
    return which[:count].copy(), entries[:count].copy()


@kernel
def within_travel(
    poses: Floats, point: Floats, owner: Ints, body: Ints, origins: Floats, distance: Floats
) -> Ints:
    """Which points (G, 2) go as far as a distance (G,): `flex.contact.point_paths.Paths.within_travel`.

    The first of the poses is where they are at that distance; ways begin at the second.
    """
    cosine, sine, steps = np.cos(poses[:, :, 2]), np.sin(poses[:, :, 2]), len(poses) - 1
    which, count = np.empty(len(owner), np.int64), 0
    places, used, run, last = np.empty((16, 6, steps + 1)), 0, 0, -1
    found_in, slot = np.full(len(origins), -1), np.zeros(len(origins), np.int64)
    for g in range(len(owner)):
        a, b = body[g], owner[g]
        if b != last:
            run, used, last = run + 1, 0, b
        if found_in[a] != run:
            if used == len(places):
                places = np.concatenate((places, np.empty_like(places)))
            found_in[a], slot[a] = run, used
            _places(places[used], poses, cosine, sine, a, b, origins[a])
            used += 1
        x, y, place = point[g, 0], point[g, 1], places[slot[a]]
        arm, room = np.hypot(x, y), distance[g]
        left = place[0, 0] * x - place[1, 0] * y + place[2, 0]
        low = place[1, 0] * x + place[0, 0] * y + place[3, 0]
        for f in range(1, steps + 1):
            bent = 0.0 if f == steps else (place[4, f] + place[5, f] * arm) / 8
            if f > 1:
                bent = max(bent, (place[4, f - 1] + place[5, f - 1] * arm) / 8)
            across = place[0, f] * x - place[1, f] * y + place[2, f] - left
            up = place[1, f] * x + place[0, f] * y + place[3, f] - low
            if room <= bent or across * across + up * up >= (room - bent) ** 2:
                which[count] = g
                count += 1
                break
    return which[:count].copy()


@inner
def _close(close: Ints, across: Floats, up: Floats, error: float, sides: Sides, region: int) -> int:
    """How many sides are in the box about a way, up to its error, and not on one side of it; which ones."""
    left, right, bottom, top = across[0], across[0], up[0], up[0]
    for f in range(1, len(up)):
        left, right = min(left, across[f]), max(right, across[f])
        bottom, top = min(bottom, up[f]), max(top, up[f])
    left, right, bottom, top = left - error, right + error, bottom - error, top + error
    count, box = 0, sides.box
    for r in range(sides.runs[region], sides.runs[region + 1]):
        if box[r, 2] < left or box[r, 0] > right or box[r, 3] < bottom or box[r, 1] > top:
            continue
        for e in range(sides.starts[r], sides.starts[r + 1]):
            x, y, u, v = sides.ends[e, 0], sides.ends[e, 1], sides.ends[e, 2], sides.ends[e, 3]
            if max(x, u) < left or min(x, u) > right or max(y, v) < bottom or min(y, v) > top:
                continue
            u, v = u - x, v - y
            least = most = u * (up[0] - y) - v * (across[0] - x)
            for f in range(1, len(up)):
                height = u * (up[f] - y) - v * (across[f] - x)
                least, most = min(least, height), max(most, height)
            if least <= error * np.hypot(u, v) and most >= -error * np.hypot(u, v):
                close[count] = e
                count += 1
    return count


@inner
def _places(
    place: Floats, poses: Floats, cosine: Floats, sine: Floats, a: int, b: int, origin: Floats
) -> None:
    """How b is seen from a in each frame: cos, sin, x, y; and how much ways bend, as in `Views.bends`.

    They bend by so much and so much an arm from each frame to the next; at the last it is the most of all.
    """
    last = len(poses) - 1
    place[4, last] = place[5, last] = 0.0
    for f in range(len(poses)):
        x, y = poses[f, b, 0] - poses[f, a, 0], poses[f, b, 1] - poses[f, a, 1]
        c, s = cosine[f, a], sine[f, a]
        place[0, f] = c * cosine[f, b] + s * sine[f, b]
        place[1, f] = c * sine[f, b] - s * cosine[f, b]
        place[2, f], place[3, f] = c * x + s * y + origin[0], c * y - s * x + origin[1]
        if f < last:
            turn, spin = poses[f + 1, a, 2] - poses[f, a, 2], poses[f + 1, b, 2] - poses[f, b, 2]
            u, v = poses[f + 1, b, 0] - poses[f + 1, a, 0], poses[f + 1, b, 1] - poses[f + 1, a, 1]
            turned_x, turned_y, square = -2 * turn * (v - y), 2 * turn * (u - x), turn * turn
            one = (turned_x + square * x) ** 2 + (turned_y + square * y) ** 2
            two = (turned_x + square * u) ** 2 + (turned_y + square * v) ** 2
            place[4, f], place[5, f] = np.sqrt(max(one, two)), (spin - turn) ** 2
            place[4, last] = max(place[4, last], place[4, f])
            place[5, last] = max(place[5, last], place[5, f])


@inner
def _met(
    p: tuple[float, float],
    q: tuple[float, float],
    error: float,
    sides: Floats,
    close: Ints,
    near: int,
    crossing: bool,
) -> float:
    """Where along a chord it first crosses a side; not `crossing`: 0, if it may come as near; −1: nowhere."""
    left, right = min(p[0], q[0]) - error, max(p[0], q[0]) + error
    bottom, top = min(p[1], q[1]) - error, max(p[1], q[1]) + error
    met = -1.0
    for k in range(near):
        e = close[k]
        sx, sy, tx, ty = sides[e, 0], sides[e, 1], sides[e, 2], sides[e, 3]
        if max(sx, tx) < left or min(sx, tx) > right or max(sy, ty) < bottom or min(sy, ty) > top:
            continue
        one = (tx - sx) * (p[1] - sy) - (ty - sy) * (p[0] - sx)
        two = (tx - sx) * (q[1] - sy) - (ty - sy) * (q[0] - sx)
        if crossing:
            three = (q[0] - p[0]) * (sy - p[1]) - (q[1] - p[1]) * (sx - p[0])
            four = (q[0] - p[0]) * (ty - p[1]) - (q[1] - p[1]) * (tx - p[0])
            if one * two <= 0 and three * four <= 0:
                t = one / (one - two) if one != two else 0.0
                met = t if met < 0.0 else min(met, t)
        elif one * two <= 0 or min(abs(one), abs(two)) <= error * np.hypot(tx - sx, ty - sy):
            return 0.0
    return met


@inner
def _met_finely(
    before: Floats, after: Floats, a: int, b: int, point: Floats, origin: Floats, start: tuple[float, float],
    error: float, sides: Floats, close: Ints, near: int, chord: float,
) -> tuple[tuple[float, float], tuple[float, float], float]:  # fmt: skip
    """The same in pieces: one that may come near is halved until its chord decides; that chord, and where."""
    size, at, p = 0.5, 0.0, start
    error /= 4
    while at < 1.0:
        t = at + size
        ya, yb = (
            before[a, 2] + t * (after[a, 2] - before[a, 2]),
            before[b, 2] + t * (after[b, 2] - before[b, 2]),
        )
        ca, sa, cb, sb = np.cos(ya), np.sin(ya), np.cos(yb), np.sin(yb)
        x = before[b, 0] - before[a, 0] + t * (after[b, 0] - before[b, 0] - after[a, 0] + before[a, 0])
        y = before[b, 1] - before[a, 1] + t * (after[b, 1] - before[b, 1] - after[a, 1] + before[a, 1])
        x, y = x + cb * point[0] - sb * point[1], y + sb * point[0] + cb * point[1]
        q = (ca * x + sa * y + origin[0], ca * y - sa * x + origin[1])
        fine = error <= chord
        met = _met(p, q, error, sides, close, near, fine)
        if met < 0.0:
            at, p = t, q
            if at % (2 * size) == 0 and size < 0.5:
                size, error = 2 * size, 4 * error
        elif fine:
            return p, q, met
        else:
            size, error = size / 2, error / 4
    return p, p, -1.0


@kernel
def joined(
    seen: Floats, edge: Ints, depth: Floats, reach: float, point: Floats, tangent: Floats, length: Floats,
    turn: Floats, follow: Ints, before: Ints, sharp: float,
) -> tuple[Ints, Ints]:  # fmt: skip
    """Edges joined to the chosen ones by a sharp reflex corner: `flex.contact._joined`."""
    place, values = np.empty(2 * len(edge), np.int64), np.empty(2 * len(edge), np.int64)
    count = 0
    for ahead in (False, True):
        for g in range(len(edge)):
            e = edge[g]
            if turn[follow[e] if ahead else e] >= -sharp:
                continue
            other = follow[e] if ahead else before[e]
            dx, dy = seen[g, 0] - point[other, 0], seen[g, 1] - point[other, 1]
            along = dx * tangent[other, 0] + dy * tangent[other, 1]
            height = dx * tangent[other, 1] - dy * tangent[other, 0]
            reached = along <= length[other] if ahead else along >= 0
            if reached and -depth[g] <= height <= reach:
                place[count], values[count] = g, other
                count += 1
    return place[:count].copy(), values[:count].copy()
