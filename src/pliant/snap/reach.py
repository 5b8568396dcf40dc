"""Which edges of the obstacles are within a pawl's reach between two t: an index over time, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.core.kernel import kernel
from pliant.snap.scan import Field, Floats, Ints, Way

WIDEST = 4.0  # times as long as the shortest, in a level of the index
LEVELS = 64


class Index(NamedTuple):
    """Between which t each edge is within reach: by levels of about the same length of life, by its beginning."""

    begins: Floats
    ends: Floats
    edges: Ints
    first: Ints  # of each level, and the end of the last
    longest: Floats  # life in each level

    def live(self, begin: float, end: float) -> Ints:
        """Edges within reach at some t between two."""
        return within(self, begin, end)


@kernel
def within(index: Index, begin: float, end: float) -> Ints:
    """Edges within reach at some t between two."""
    found = np.empty(len(index.edges), np.int64)
    count = 0
    for level in range(len(index.longest)):
        start, stop = index.first[level], index.first[level + 1]
        begins = index.begins[start:stop]
        low = np.searchsorted(begins, begin - index.longest[level])
        high = np.searchsorted(begins, end, side="right")
        for place in range(start + low, start + high):
            if index.ends[place] >= begin:
                found[count] = index.edges[place]
                count += 1
    return found[:count].copy()


@kernel
def index(field: Field, way: Way, reach: float) -> Index:
    """Of every edge that comes within `reach` of the hinge; times are a little too wide, never too narrow."""
    speed = np.hypot(way.vx, way.vy)
    ax, ay = way.vx / speed, way.vy / speed
    size = abs(way.x) + abs(way.y) + reach
    far = 0.0
    for j in range(len(field.x)):
        far = max(far, abs(field.x[j] - way.x), abs(field.y[j] - way.y))
    slack = 1e-9 * (size + far)
    reach += slack
    count = 0
    begins, ends, edges = np.empty(len(field.x)), np.empty(len(field.x)), np.empty(len(field.x), np.int64)
    for j in range(len(field.x)):
        k = field.following[j]
        x0, y0, x1, y1 = field.x[j] - way.x, field.y[j] - way.y, field.x[k] - way.x, field.y[k] - way.y
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
    return _leveled(begins[:count], ends[:count], edges[:count])


@kernel
def _leveled(begins: Floats, ends: Floats, edges: Ints) -> Index:
    """Edges of about the same length of life together, each by its beginning."""
    count = len(edges)
    shortest = np.inf
    for place in range(count):
        shortest = min(shortest, ends[place] - begins[place])
    ranks = np.empty(count, np.int64)
    sizes, longest = np.zeros(LEVELS, np.int64), np.zeros(LEVELS)
    for place in range(count):
        life = ends[place] - begins[place]
        rank = min(int(np.log(life / shortest) / np.log(WIDEST)), LEVELS - 1)
        ranks[place] = rank
        sizes[rank] += 1
        longest[rank] = max(longest[rank], life)
    starts = np.cumsum(sizes) - sizes
    order, filled = np.argsort(begins, kind="mergesort"), starts.copy()
    sorted_order = np.empty(count, np.int64)
    for place in order:
        sorted_order[filled[ranks[place]]] = place
        filled[ranks[place]] += 1
    levels = np.flatnonzero(sizes)
    first = np.empty(len(levels) + 1, np.int64)
    first[: len(levels)], first[len(levels)] = starts[levels], count
    return Index(begins[sorted_order], ends[sorted_order], edges[sorted_order], first, longest[levels])
