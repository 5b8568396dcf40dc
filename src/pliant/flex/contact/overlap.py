"""Two checks of a motion that do not trust the rows it was computed with.

`overlaps` intersects the very polygons (GEOS, by way of shapely) and divides the area two
bodies share by the length they share it along: the mean thickness of the overlap. Rows see
vertices against lines; an area sees corners that slipped past each other too.

`path_overlap` bounds how deep any row gets on the straight way between two poses. Along it
each distance is smooth with a bounded second derivative, so between checked places it errs
from the chord by at most |d''|/8; where that is too much, the way is halved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from pliant.core.arrays import Floats, Ints
from pliant.core.pose import dot, turn
from pliant.flex.contact.distance import Rows
from pliant.flex.geometry.parts import Parts

HALVINGS = 3


@dataclass(frozen=True)
class Overlaps:
    """Bodies that share area, at one pose."""

    pairs: Ints  # (K, 2)
    area: Floats  # (K,)
    thickness: Floats  # (K,) area over the length it is shared along, or the width where that matters

    @property
    def worst(self) -> float:
        """The largest thickness; 0 where nothing overlaps."""
        return float(self.thickness.max(initial=0.0))


def measure_overlaps(parts: Parts, poses: Floats, pairs: Ints, allowed: float = np.inf) -> Overlaps:
    """Which of these pairs share area, and how thickly.

    A wedge is twice as thick as in the mean: where that may be more than is allowed, its width counts.
    """
    bodies = np.unique(pairs)
    few = 4 * len(bodies) < parts.count
    polygons = parts.polygons_of(poses, bodies) if few else parts.polygons(poses)
    places = np.searchsorted(bodies, pairs) if few else pairs
    meeting = shapely.intersects(polygons[places[:, 0]], polygons[places[:, 1]])
    pairs, places = pairs[meeting], places[meeting]
    shared = shapely.intersection(polygons[places[:, 0]], polygons[places[:, 1]])
    area = np.asarray(shapely.area(shared), np.float64)
    kept = area > 0
    length = np.asarray(shapely.length(shared), np.float64)[kept] / 2  # a sliver has two long sides
    thickness = area[kept] / length
    for place in np.flatnonzero(2 * thickness > allowed):
        thickness[place] = max(thickness[place], _width(shared[kept][place]))
    return Overlaps(pairs[kept], area[kept], thickness)


def _width(region: shapely.Geometry) -> float:
    """The least width of the hull of a region's widest part: across one of the hull's sides."""
    parts = [part for part in shapely.get_parts(region) if shapely.area(part) > 0]
    return max(_hull_width(shapely.get_coordinates(shapely.convex_hull(part))) for part in parts)


def _hull_width(ring: Floats) -> float:
    side = np.diff(ring, axis=0)
    length = np.hypot(*side.T)
    side, start = side[length > 0] / length[length > 0, None], ring[:-1][length > 0]
    arm = ring[None] - start[:, None]
    return float(np.abs(side[:, None, 0] * arm[..., 1] - side[:, None, 1] * arm[..., 0]).max(axis=1).min())


def near_pairs(parts: Parts, poses: Floats) -> Ints:
    """Every pair of bodies whose boxes meet, at least one of them moving and not joined by a pin."""
    polygons = parts.polygons(poses)
    first, second = shapely.STRtree(polygons).query(polygons)
    kept = (first < second) & ((parts.moving[first] >= 0) | (parts.moving[second] >= 0))
    pairs = np.stack([first[kept], second[kept]], axis=1).astype(np.int64)
    if not parts.exempt:
        return pairs
    return pairs[[(a, b) not in parts.exempt for a, b in pairs.tolist()]]


def path_overlap(rows: Rows, places: Sequence[Floats], allowed: float) -> float:
    """A bound on how far any row is violated on the straight ways from place to place."""
    if not len(rows):
        return 0.0
    frames = np.array(places)
    ends = frames[:, np.stack([rows.edge_body, rows.point_body], axis=1)]  # (F, R, 2, 3)
    lines = np.column_stack([rows.normal, rows.offset, rows.point])
    distance, before, after = _distance(lines, ends), ends[:-1], ends[1:]
    deepest = -np.minimum(distance[:-1], distance[1:]) + _curvature(lines, before, after) / 8  # (F - 1, R)
    deep, known = deepest > allowed, 0.0
    lines = np.broadcast_to(lines, (*deep.shape, 5))
    for halvings in range(HALVINGS - 1, -1, -1):
        known = max(known, float(deepest[~deep].max(initial=0.0)))
        if not deep.any():
            break
        lines, middle = np.tile(lines[deep], (2, 1)), (before[deep] + after[deep]) / 2
        before, after = np.concatenate([before[deep], middle]), np.concatenate([middle, after[deep]])
        ends = np.minimum(_distance(lines, before), _distance(lines, after))
        deepest = _curvature(lines, before, after) / 8 - ends
        deep = (deepest > allowed) & (halvings > 0)
    return max(known, float(deepest.max(initial=0.0)))


def _distance(lines: Floats, poses: Floats) -> Floats:
    """D (..., K) of rows n, c, p (K, 5) whose bodies 1 and 2 are at poses (..., K, 2, 3): eq. 12."""
    normal = turn(poses[..., 0, 2], lines[:, :2])
    arm = poses[..., 1, :2] - poses[..., 0, :2] + turn(poses[..., 1, 2], lines[:, 3:])
    return dot(normal, arm) - lines[:, 2]


def _curvature(lines: Floats, before: Floats, after: Floats) -> Floats:
    """A bound on |d''| of each row (K, 5) as its poses (..., K, 2, 3) go straight to `after` in unit time.

    With N = R(θ₁)n, P = R(θ₂)p and w = x₂ + P − x₁:
    d'' = −ω₁² N·w + 2ω₁ N⊥·w' − ω₂² N·P, and |w'| ≤ |v₂ − v₁| + |ω₂||p|.
    """
    first, second = np.moveaxis(after - before, -2, 0)
    arm = np.hypot(*lines[:, 3:].T)
    shift, apart = second - first, before[..., 1, :2] - before[..., 0, :2]
    speed = np.hypot(shift[..., 0], shift[..., 1]) + np.abs(second[..., 2]) * arm
    apart = np.hypot(apart[..., 0], apart[..., 1]) + arm + speed
    spin = np.abs(first[..., 2])
    return spin**2 * apart + 2 * spin * speed + second[..., 2] ** 2 * arm
