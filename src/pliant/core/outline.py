"""Outlines: the polygons parts are cut from. What is wrong with one, and where; insets.

An outline is a ring of vertices (V, 2), not closed, wound either way. A region is an
outside ring (counter-clockwise once prepared) with holes (clockwise), so that walking
any ring leaves the material on the left and its outward normal on the right.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.core.quantity import SHORTEST

Rings = tuple[Floats, ...]
SAME = 1e-14  # of the largest coordinate: vertices so near each other are one when the outline is moved
TOO_SMALL = f"is no larger than {SHORTEST:g} of the unit"


def open_ring(points: Sequence[Sequence[float]] | Floats) -> Floats:
    """Vertices as an array, without a last vertex that repeats the first."""
    ring = np.array(points, np.float64).reshape(-1, 2)
    return ring[:-1] if len(ring) > 1 and np.array_equal(ring[0], ring[-1]) else ring


def ring_fault(ring: Floats) -> str:
    """What keeps a ring from being an outline, or "" when nothing does.

    >>> ring_fault(np.array([[0, 0], [2, 2], [2, 0], [0, 2.0]]))
    'edges 0 and 2 cross; an outline must not cross itself'
    """
    if len(ring) < 3:
        return f"has {len(ring)} different vertices; an outline needs at least 3"
    steps = np.abs(np.roll(ring, -1, axis=0) - ring).max(axis=1)
    repeats = np.flatnonzero(steps <= SAME * np.abs(ring).max())
    if len(repeats):
        return f"vertex {(repeats[0] + 1) % len(ring)} repeats the one before it"
    if too_small(ring):
        return TOO_SMALL
    polygon = shapely.polygons(ring)
    if shapely.is_valid(polygon):
        return ""
    return _crossing_text(ring)


def too_small(ring: Floats) -> bool:
    """Whether a ring is smaller than any length may be."""
    return bool(np.ptp(ring, axis=0).max() < SHORTEST)


def _crossing_text(ring: Floats) -> str:
    edges = np.asarray(shapely.linestrings(np.stack([ring, np.roll(ring, -1, axis=0)], axis=1)))
    tree = shapely.STRtree(edges)
    first, second = tree.query(edges, predicate="intersects")
    apart = (second - first > 1) & (second - first < len(ring) - 1)
    if apart.any():
        pair = sorted(zip(first[apart].tolist(), second[apart].tolist(), strict=True))[0]
        verb = "cross" if shapely.crosses(edges[pair[0]], edges[pair[1]]) else "touch"
        return f"edges {pair[0]} and {pair[1]} {verb}; an outline must not {verb} itself"
    return "has no area"


def region_fault(rings: Sequence[Floats]) -> str:
    """What keeps valid rings from being one region: holes outside, or touching."""
    outside, *holes = [shapely.polygons(ring) for ring in rings]
    for index, hole in enumerate(holes):
        if not shapely.contains_properly(outside, hole):
            return f"hole {index} is not inside the outline"
        for other in range(index):
            if shapely.intersects(hole, holes[other]):
                return f"holes {other} and {index} meet"
    return ""


def signed_area(ring: Floats) -> float:
    """Area of a ring, positive when counter-clockwise."""
    x, y = (ring - ring[0]).T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def wind(rings: Sequence[Floats]) -> Rings:
    """The outside counter-clockwise, holes clockwise."""
    signs = [1.0] + [-1.0] * (len(rings) - 1)
    return tuple(
        ring if sign * signed_area(ring) > 0 else ring[::-1] for ring, sign in zip(rings, signs, strict=True)
    )


def polygon(rings: Sequence[Floats]) -> shapely.Polygon:
    """The region as a shapely polygon."""
    return shapely.Polygon(rings[0], rings[1:])


def inset(rings: Sequence[Floats], depth: float) -> Rings:
    """The region with `depth` of material taken off every side, corners kept sharp.

    Returns no rings when nothing is left, and raises nothing: the caller names the body.

    >>> [ring.tolist() for ring in inset([np.array([[0, 0], [4, 0], [4, 4], [0, 4.0]])], 1)]
    [[[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]]]
    """
    if depth == 0:
        return wind(rings)
    # A mitre limit of 20 keeps corners down to 6 degrees sharp; beyond that they are cut.
    left = polygon(rings).buffer(-depth, join_style="mitre", mitre_limit=20.0)
    if left.geom_type != "Polygon" or left.is_empty:  # several pieces, or none
        return ()
    insets = [open_ring(shapely.get_coordinates(ring)) for ring in (left.exterior, *left.interiors)]
    return _from_first(wind(insets), rings)


def _from_first(insets: Rings, rings: Sequence[Floats]) -> Rings:
    """Start each ring at the vertex nearest the original's first, so that numbering survives."""
    if len(insets) != len(rings):
        return insets
    starts = [
        int(np.argmin(np.linalg.norm(ring - old[0], axis=1))) for ring, old in zip(insets, rings, strict=True)
    ]
    return tuple(np.roll(ring, -start, axis=0) for ring, start in zip(insets, starts, strict=True))
