"""Which edges of the obstacles are within a pawl's reach between two t: an index over time, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel
from pliant.snap.geometry.features import HingeMotion, ObstacleEdges

WIDEST = 4.0  # times as long as the shortest, in a level of the index
LEVELS = 64


class TimeIndex(NamedTuple):
    """Between which t each edge is within reach, by its beginning, in levels of about one length of life."""

    begins: Floats
    ends: Floats
    edges: Ints
    first: Ints  # of each level, and the end of the last
    longest: Floats  # life in each level

    def live(self, begin: float, end: float) -> Ints:
        """Edges within reach at some t between two."""
        return edges_within(self, begin, end)


@kernel
def edges_within(index: TimeIndex, begin: float, end: float) -> Ints:
    """Edges within reach at some t between two."""
    edges = np.empty(len(index.edges), np.int64)
    count = 0
    for level in range(len(index.longest)):
        start, stop = index.first[level], index.first[level + 1]
        place = _first_after(index.begins, start, stop, begin - index.longest[level])
        while place < stop and index.begins[place] <= end:
            if index.ends[place] >= begin:
                edges[count] = index.edges[place]
                count += 1
            place += 1
    return edges[:count]


@inner
def _first_after(values: Floats, low: int, high: int, least: float) -> int:
    """The first place between two, of values in order, with at least so much."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def build_index(field: ObstacleEdges, hinge: HingeMotion, reach: float) -> TimeIndex:
    """Of every edge that comes within `reach` of the hinge; times are a little too wide, never too narrow."""
    speed = np.hypot(hinge.vx, hinge.vy)
    ax, ay = hinge.vx / speed, hinge.vy / speed
    size = abs(hinge.x) + abs(hinge.y) + reach
    far = 0.0
    for j in range(len(field.x)):
        far = max(far, abs(field.x[j] - hinge.x), abs(field.y[j] - hinge.y))
    slack = 1e-9 * (size + far)
    reach += slack
    count = 0
    begins, ends, edges = np.empty(len(field.x)), np.empty(len(field.x)), np.empty(len(field.x), np.int64)
    for j in range(len(field.x)):
        k = field.following[j]
        x0, y0, x1, y1 = (
            field.x[j] - hinge.x,
            field.y[j] - hinge.y,
            field.x[k] - hinge.x,
            field.y[k] - hinge.y,
        )
        side0, side1 = y0 * ax - x0 * ay, y1 * ax - x1 * ay
        if min(side0, side1) > reach or max(side0, side1) < -reach:
            continue
        along0, along1 = x0 * ax + y0 * ay, x1 * ax + y1 * ay
        low, high = 0.0, 1.0
        if side0 != side1:  # the part of the edge within reach to the side
            low, high = (-reach - side0) / (side1 - side0), (reach - side0) / (side1 - side0)
            low, high = max(min(low, high), 0.0), min(max(low, high), 1.0)
        near, after = along0 + low * (along1 - along0), along0 + high * (along1 - along0)
        begins[count] = (min(near, after) - reach - slack) / speed
        ends[count] = (max(near, after) + reach + slack) / speed
        edges[count] = j
        count += 1
    return _index_by_level(begins[:count], ends[:count], edges[:count])


@inner
def _index_by_level(begins: Floats, ends: Floats, edges: Ints) -> TimeIndex:
    """Edges of about the same length of life together, each by its beginning."""
    count = len(edges)
    shortest = np.inf
    for place in range(count):
        shortest = min(shortest, ends[place] - begins[place])
    ranks, sizes, longest = np.empty(count, np.int64), np.zeros(LEVELS, np.int64), np.zeros(LEVELS)
    for place in range(count):
        life = ends[place] - begins[place]
        rank = min(int(np.log(life / shortest) / np.log(WIDEST)), LEVELS - 1)
        ranks[place] = rank
        sizes[rank] += 1
        longest[rank] = max(longest[rank], life)
    order = _rank_order(begins, ranks)
    levels = 0
    first, lives = np.zeros(LEVELS + 1, np.int64), np.empty(LEVELS)
    for rank in range(LEVELS):
        if sizes[rank]:
            lives[levels] = longest[rank]
            first[levels + 1] = first[levels] + sizes[rank]
            levels += 1
    return TimeIndex(begins[order], ends[order], edges[order], first[: levels + 1], lives[:levels])


@inner
def _rank_order(begins: Floats, ranks: Ints) -> Ints:
    """The order by rank, then by beginning: runs twice as long are merged again and again."""
    count, width = len(begins), 1
    order, merged = np.arange(count), np.empty(count, np.int64)
    while width < count:
        for start in range(0, count, 2 * width):
            a, b = start, min(start + width, count)
            middle, end = b, min(start + 2 * width, count)
            for place in range(start, end):
                one, other = order[min(a, count - 1)], order[min(b, count - 1)]
                first = ranks[one] < ranks[other] or (
                    ranks[one] == ranks[other] and begins[one] <= begins[other]
                )
                if a < middle and (b == end or first):
                    merged[place] = one
                    a += 1
                else:
                    merged[place] = other
                    b += 1
        order, merged = merged, order
        width *= 2
    return order
