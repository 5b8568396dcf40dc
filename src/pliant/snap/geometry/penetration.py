"""How deep outlines that share area lie in each other, and which of many do.

Whether two overlap is decided exactly; how deep is a float.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import shapely

from pliant.core.arrays import Floats, Geometries
from pliant.core.outline import polygon
from pliant.snap.geometry.intersections import (
    Points,
    RegionRelation,
    float_points,
    outward_boxes,
    region_relation,
)

PAIRS = 1_000_000  # of edges, for a depth; beyond, that of the hulls is told
LEAST = 1e-12  # of a part's size: a depth below it is rounding


def overlapping_pairs(
    parts: Sequence[Points], obstacle: Callable[[int], Points], tree: shapely.STRtree
) -> Iterator[tuple[int, int]]:
    """The parts that share area with obstacles, in order; the tree has the boxes about the obstacles."""
    near, among = tree.query(outline_boxes(parts))
    for part, other in sorted(zip(near.tolist(), among.tolist(), strict=True)):
        if region_relation(parts[part], obstacle(other)) is RegionRelation.OVERLAPPING:
            yield part, other


def least_depth(ring: Points) -> float:
    """The depth of a part in another below which it is rounding."""
    return LEAST * float(np.ptp(float_points(ring), axis=0).max())


def outline_boxes(rings: Sequence[Points]) -> Geometries:
    """A box about each ring, rounded outwards."""
    corners = [float_points(ring) for ring in rings]
    return outward_boxes(
        np.array([ring.min(axis=0) for ring in corners]), np.array([ring.max(axis=0) for ring in corners])
    )


def penetration_depth(one: Points, other: Points) -> float:
    """How far one outline has to be moved until they share no area, whichever way is shortest.

    Moved by d they meet where d lies in other − one, all differences of their points: the way to the edge of
    that region. Where the two meet without one holding the other, edges of both do, so that it is made of the
    differences of edges, which are parallelograms, and of each outline less a point of the other.
    """
    # Taken from a point of one, exactly, so that small parts far from the origin keep their digits.
    right, up = one[0]
    first, second = (float_points([(x - right, y - up) for x, y in ring]) for ring in (one, other))
    farthest = _hull_depth(first, second)
    if len(first) * len(second) > PAIRS:
        return farthest
    pieces = _differences(first, second)
    pieces = pieces[shapely.dwithin(pieces, shapely.Point(0, 0), farthest)]
    pieces = [polygon([second - first[0]]), polygon([second[0] - first]), *pieces]
    # Pieces that share an edge would be left with hairs between them; on a grid they have none.
    whole = shapely.union_all(pieces, grid_size=_grid(np.concatenate([first, second])))
    return min(farthest, float(shapely.distance(shapely.boundary(whole), shapely.Point(0, 0))))


def _grid(points: Floats) -> float:
    """A power of two about `LEAST` of the size of some points, so that halves and quarters are on it."""
    return 2.0 ** np.floor(np.log2(LEAST * np.ptp(points, axis=0).max()))


def _differences(first: Floats, second: Floats) -> Geometries:
    """The parallelograms of every edge of the second less every edge of the first, without flat ones."""
    start, end = first[None], np.roll(first, -1, axis=0)[None]
    after, follow = second[:, None], np.roll(second, -1, axis=0)[:, None]
    corners = np.stack([after - start, after - end, follow - end, follow - start], axis=2).reshape(-1, 4, 2)
    parallelograms = np.asarray(shapely.polygons(corners))
    return parallelograms[shapely.area(parallelograms) > 0]


def _hull_depth(first: Floats, second: Floats) -> float:
    """How far the hulls have to be moved across one of their edges until they are apart."""
    hulls = [shapely.get_coordinates(shapely.convex_hull(polygon([ring]))) for ring in (first, second)]
    ways = np.concatenate([np.diff(hull, axis=0) for hull in hulls])
    normals = np.stack([ways[:, 1], -ways[:, 0]]) / np.hypot(*ways.T)
    normals = np.concatenate([normals, -normals], axis=1)
    return float(np.min((first @ normals).max(axis=0) - (second @ normals).min(axis=0)))
