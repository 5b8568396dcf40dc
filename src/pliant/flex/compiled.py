"""Loops over the rows of large assemblies, compiled. Small ones never import this.

Each function gives what its namesake gives in `flex.distance` and `flex.contact`, sooner.
"""

from __future__ import annotations

import numpy as np

from pliant.core.kernel import inner, kernel
from pliant.core.pose import Floats
from pliant.flex.lp.program import Ints


@kernel
def gaps(first: Ints, second: Ints, normal: Floats, offset: Floats, point: Floats, poses: Floats) -> Floats:
    """D of every row: `flex.distance.gaps`."""
    cosine, sine = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    found = np.empty(len(offset))
    for r in range(len(offset)):
        a, b = first[r], second[r]
        nx = cosine[a] * normal[r, 0] - sine[a] * normal[r, 1]
        ny = sine[a] * normal[r, 0] + cosine[a] * normal[r, 1]
        x = poses[b, 0] + cosine[b] * point[r, 0] - sine[b] * point[r, 1] - poses[a, 0]
        y = poses[b, 1] + sine[b] * point[r, 0] + cosine[b] * point[r, 1] - poses[a, 1]
        found[r] = nx * x + ny * y - offset[r]
    return found


@kernel
def blocks(
    first: Ints, second: Ints, normal: Floats, offset: Floats, point: Floats, poses: Floats
) -> tuple[Floats, Floats]:
    """D and its gradient: `flex.distance.gaps_and_blocks`."""
    cosine, sine = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    found, block = np.empty(len(offset)), np.empty((len(offset), 2, 3))
    for r in range(len(offset)):
        a, b = first[r], second[r]
        nx = cosine[a] * normal[r, 0] - sine[a] * normal[r, 1]
        ny = sine[a] * normal[r, 0] + cosine[a] * normal[r, 1]
        px = cosine[b] * point[r, 0] - sine[b] * point[r, 1]
        py = sine[b] * point[r, 0] + cosine[b] * point[r, 1]
        x, y = poses[b, 0] + px - poses[a, 0], poses[b, 1] + py - poses[a, 1]
        found[r] = nx * x + ny * y - offset[r]
        block[r, 0, 0], block[r, 0, 1], block[r, 0, 2] = -nx, -ny, nx * y - ny * x
        block[r, 1, 0], block[r, 1, 1], block[r, 1, 2] = nx, ny, ny * px - nx * py
    return found, block


@kernel
def points_at(tangent: Floats, before: Ints, vertex: Ints, edge: Ints) -> Floats:
    """How clearly a vertex points at an edge: `flex.contact._points_at`."""
    found = np.empty(len(edge))
    for r in range(len(edge)):
        nx, ny = tangent[edge[r], 1], -tangent[edge[r], 0]
        v, w = vertex[r], before[vertex[r]]
        found[r] = min(nx * tangent[v, 0] + ny * tangent[v, 1], -nx * tangent[w, 0] - ny * tangent[w, 1])
    return found


@kernel
def outside_both(
    seen: Floats, edge: Ints, point: Floats, tangent: Floats, length: Floats, turn: Floats, follow: Ints,
    before: Ints, straight: float, tie: float,
) -> np.ndarray:  # fmt: skip
    """Whether a vertex is outside the edge round the nearer corner too: `flex.contact._outside_both`."""
    found = np.zeros(len(edge), np.bool_)
    for g in range(len(edge)):
        e = edge[g]
        dx, dy = seen[g, 0] - point[e, 0], seen[g, 1] - point[e, 1]
        ahead = dx * tangent[e, 0] + dy * tangent[e, 1] >= length[e] / 2
        other = follow[e] if ahead else before[e]
        if turn[follow[e] if ahead else e] > straight:
            dx, dy = seen[g, 0] - point[other, 0], seen[g, 1] - point[other, 1]
            found[g] = dx * tangent[other, 1] - dy * tangent[other, 0] >= -tie
    return found


@kernel
def meeting(centres: Floats, radius: Floats, moves: np.ndarray) -> tuple[Ints, Ints]:
    """Pairs of bodies whose circles meet as they go straight from frame to frame: `flex.sweep._meeting`."""
    first, second = np.empty(1024, np.int64), np.empty(1024, np.int64)
    count = 0
    for f in range(len(centres) - 1):
        here, there = centres[f], centres[f + 1]
        low = np.minimum(here[:, 0], there[:, 0]) - radius
        high = np.maximum(here[:, 0], there[:, 0]) + radius
        order = np.argsort(low)
        for i in range(len(order)):
            a = order[i]
            for j in range(i + 1, len(order)):
                b = order[j]
                if low[b] > high[a]:
                    break
                if not (moves[a] or moves[b]):
                    continue
                x, y = here[b, 0] - here[a, 0], here[b, 1] - here[a, 1]
                u, v = there[b, 0] - there[a, 0] - x, there[b, 1] - there[a, 1] - y
                speed = u * u + v * v
                t = min(max(-(x * u + y * v) / speed, 0.0), 1.0) if speed > 0 else 0.0
                together = radius[a] + radius[b]
                if (x + t * u) ** 2 + (y + t * v) ** 2 <= together * together:
                    if count == len(first):
                        first = np.concatenate((first, np.empty_like(first)))
                        second = np.concatenate((second, np.empty_like(second)))
                    first[count], second[count] = min(a, b), max(a, b)
                    count += 1
    return first[:count].copy(), second[:count].copy()


@kernel
def entering(
    poses: Floats, point: Floats, owner: Ints, body: Ints, origins: Floats, shape_of: Ints, starts: Ints,
    sides: Floats, low: Floats, high: Floats, chord: float,
) -> np.ndarray:  # fmt: skip
    """Which ways of points (G, 2) cross a side (x, y, u, v) of the body they are seen from.

    `starts` says where the sides of each shape begin; `low` and `high` are its box. From frame
    to frame a way is followed by its chord, which errs by |p''|/8; where that is more than
    `chord` and a side is no further off, by the chords of its halves, and so on.
    """
    cosine, sine = np.cos(poses[:, :, 2]), np.sin(poses[:, :, 2])
    crosses = np.zeros(len(owner), np.bool_)
    for g in range(len(owner)):
        a, b = body[g], owner[g]
        shape = shape_of[a]
        arm = np.hypot(point[g, 0], point[g, 1])
        near = (low[shape], high[shape], sides[starts[shape] : starts[shape + 1]])
        p = _seen_at(poses, cosine, sine, 0, a, b, point[g], origins[a])
        for f in range(len(poses) - 1):
            q = _seen_at(poses, cosine, sine, f + 1, a, b, point[g], origins[a])
            error = _bend(poses[f], poses[f + 1], a, b, arm) / 8
            if _meets(p, q, error, near, error <= chord) and (
                error <= chord
                or _meets_finely(poses[f], poses[f + 1], a, b, point[g], origins[a], p, error, near, chord)
            ):
                crosses[g] = True
                break
            p = q
    return crosses


@inner
def _seen_at(
    poses: Floats, cosine: Floats, sine: Floats, f: int, a: int, b: int, point: Floats, origin: Floats
) -> tuple[float, float]:
    x = poses[f, b, 0] + cosine[f, b] * point[0] - sine[f, b] * point[1] - poses[f, a, 0]
    y = poses[f, b, 1] + sine[f, b] * point[0] + cosine[f, b] * point[1] - poses[f, a, 1]
    return cosine[f, a] * x + sine[f, a] * y + origin[0], cosine[f, a] * y - sine[f, a] * x + origin[1]


@inner
def _bend(before: Floats, after: Floats, a: int, b: int, arm: float) -> float:
    """A bound on |p''| from frame to frame: `flex.sweep._curvatures`."""
    turn, spin = abs(after[a, 2] - before[a, 2]), abs(after[b, 2] - before[b, 2])
    x, y = before[b, 0] - before[a, 0], before[b, 1] - before[a, 1]
    speed = np.hypot(after[b, 0] - after[a, 0] - x, after[b, 1] - after[a, 1] - y) + spin * arm
    return turn * turn * (np.hypot(x, y) + arm + speed) + 2 * turn * speed + spin * spin * arm


@inner
def _meets(
    p: tuple[float, float],
    q: tuple[float, float],
    error: float,
    near: tuple[Floats, Floats, Floats],
    crossing: bool,
) -> bool:
    """Whether a chord crosses a side; or, not asked for a crossing, whether it may come within `error`."""
    low, high, sides = near
    left, right = min(p[0], q[0]) - error, max(p[0], q[0]) + error
    bottom, top = min(p[1], q[1]) - error, max(p[1], q[1]) + error
    if right < low[0] or left > high[0] or top < low[1] or bottom > high[1]:
        return False
    for e in range(len(sides)):
        sx, sy, tx, ty = sides[e, 0], sides[e, 1], sides[e, 2], sides[e, 3]
        if max(sx, tx) < left or min(sx, tx) > right or max(sy, ty) < bottom or min(sy, ty) > top:
            continue
        one = (tx - sx) * (p[1] - sy) - (ty - sy) * (p[0] - sx)
        two = (tx - sx) * (q[1] - sy) - (ty - sy) * (q[0] - sx)
        if crossing:
            three = (q[0] - p[0]) * (sy - p[1]) - (q[1] - p[1]) * (sx - p[0])
            four = (q[0] - p[0]) * (ty - p[1]) - (q[1] - p[1]) * (tx - p[0])
            if one * two <= 0 and three * four <= 0:
                return True
        elif one * two <= 0 or min(abs(one), abs(two)) <= error * np.hypot(tx - sx, ty - sy):
            return True
    return False


@inner
def _meets_finely(
    before: Floats, after: Floats, a: int, b: int, point: Floats, origin: Floats, start: tuple[float, float],
    error: float, near: tuple[Floats, Floats, Floats], chord: float,
) -> bool:  # fmt: skip
    """The same in pieces: one that may come near is halved until its chord decides."""
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
        if not _meets(p, q, error, near, fine):
            at, p = t, q
            if at % (2 * size) == 0 and size < 0.5:
                size, error = 2 * size, 4 * error
        elif fine:
            return True
        else:
            size, error = size / 2, error / 4
    return False


@kernel
def joined(
    seen: Floats, edge: Ints, depth: Floats, reach: float, point: Floats, tangent: Floats, length: Floats,
    turn: Floats, follow: Ints, before: Ints, sharp: float,
) -> tuple[Ints, Ints]:  # fmt: skip
    """Edges joined to the chosen ones by a sharp reflex corner: `flex.contact._joined`."""
    place, found = np.empty(2 * len(edge), np.int64), np.empty(2 * len(edge), np.int64)
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
                place[count], found[count] = g, other
                count += 1
    return place[:count].copy(), found[:count].copy()
