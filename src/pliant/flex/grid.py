"""Which edges are near which points, by a grid of square cells: compiled, for large assemblies.

Each edge is listed in every cell that its box, grown by the radius, meets; a point then looks
in its own cell only.
"""

from __future__ import annotations

import numpy as np

from pliant.core.pose import Floats
from pliant.flex.lp.kernel import kernel
from pliant.flex.lp.program import Ints

CELLS = 4_000_000  # at most: a few bodies far apart must not ask for a cell each millimetre


def near_edges(points: Floats, starts: Floats, ends: Floats, radius: float) -> tuple[Ints, Ints]:
    """Pairs (point, edge) whose boxes, the edge's grown by `radius`, meet."""
    low = np.minimum(starts, ends) - radius
    high = np.maximum(starts, ends) + radius
    origin = low.min(axis=0)
    span = high.max(axis=0) - origin
    cell = max(2 * float(np.median(high - low)), float(np.sqrt(span[0] * span[1] / CELLS)))
    shape = np.floor(span / cell).astype(np.int64) + 1
    return _search(points, low, high, origin, cell, shape)


@kernel
def _search(
    points: Floats, low: Floats, high: Floats, origin: Floats, cell: float, shape: Ints
) -> tuple[Ints, Ints]:
    first = np.floor((low - origin) / cell).astype(np.int64)
    last = np.floor((high - origin) / cell).astype(np.int64)
    starts = np.zeros(shape[0] * shape[1] + 1, np.int64)
    for e in range(len(low)):
        for i in range(first[e, 0], last[e, 0] + 1):
            for j in range(first[e, 1], last[e, 1] + 1):
                starts[i * shape[1] + j + 1] += 1
    for c in range(len(starts) - 1):
        starts[c + 1] += starts[c]
    listed = np.empty(starts[-1], np.int64)
    filled = starts[:-1].copy()
    for e in range(len(low)):
        for i in range(first[e, 0], last[e, 0] + 1):
            for j in range(first[e, 1], last[e, 1] + 1):
                listed[filled[i * shape[1] + j]] = e
                filled[i * shape[1] + j] += 1
    return _look(points, low, high, origin, cell, shape, starts, listed)


@kernel
def _look(
    points: Floats, low: Floats, high: Floats, origin: Floats, cell: float, shape: Ints, starts: Ints,
    listed: Ints,
) -> tuple[Ints, Ints]:  # fmt: skip
    found_point = np.empty(8 * len(points), np.int64)
    found_edge = np.empty(8 * len(points), np.int64)
    count = 0
    for p in range(len(points)):
        x, y = points[p, 0], points[p, 1]
        i, j = int((x - origin[0]) // cell), int((y - origin[1]) // cell)
        if i < 0 or j < 0 or i >= shape[0] or j >= shape[1]:
            continue
        for k in range(starts[i * shape[1] + j], starts[i * shape[1] + j + 1]):
            e = listed[k]
            if low[e, 0] <= x <= high[e, 0] and low[e, 1] <= y <= high[e, 1]:
                if count == len(found_point):
                    found_point = np.concatenate((found_point, np.empty_like(found_point)))
                    found_edge = np.concatenate((found_edge, np.empty_like(found_edge)))
                found_point[count], found_edge[count] = p, e
                count += 1
    return found_point[:count].copy(), found_edge[:count].copy()
