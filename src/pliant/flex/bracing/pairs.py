"""Vertices that see each other across a void, and how much the distance between them changes as it flexes.

Source: [Lensgraf2020] section VI-A, Fig. 5: "the pair of mutually visible vertices which has changed the
most".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.core.pose import carry
from pliant.flex.result import FlexResult

LONG = 1.5  # median sizes of bodies: nearer vertices are of one joint, not of a span
MOST = 1200  # vertices that are paired; of more, those that moved the most against their surroundings
TRIED = 4000  # pairs whose view is tested, the largest change first
SHY = 1e-3  # of a segment's length, left out at either end: vertices touch what they are on


@dataclass(frozen=True)
class VisiblePair:
    """Two vertices in view of each other as drawn, and the distance between them before and after."""

    bodies: tuple[str, str]
    points: tuple[tuple[float, float], tuple[float, float]]  # as drawn
    before: float
    after: float

    @property
    def change(self) -> float:
        """By how much they part, or approach each other where it is negative."""
        return self.after - self.before


def widest_pair(result: FlexResult) -> VisiblePair | None:
    """The pair of mutually visible vertices whose distance changes the most; None where none spans a void."""
    owner, local = _corners(result)
    drawn, moved = (carry(poses[owner], local) for poses in (result.frames.poses[0], result.frames.poses[-1]))
    solid = _solid(result)
    reach = max(result.gap, result.model.clearance, 1e-9 * float(np.ptp(drawn, axis=0).max()))
    outside = shapely.distance(shapely.points(drawn), shapely.boundary(solid)) <= reach
    owner, drawn, moved = owner[outside], drawn[outside], moved[outside]
    if len(owner) > MOST:
        kept = np.argsort(-np.hypot(*(moved - drawn).T), kind="stable")[:MOST]
        owner, drawn, moved = owner[kept], drawn[kept], moved[kept]
    first, second = np.triu_indices(len(owner), 1)
    before = np.hypot(*(drawn[first] - drawn[second]).T)
    change = np.abs(np.hypot(*(moved[first] - moved[second]).T) - before)
    spans = [np.ptp(np.vstack(shape.rings), axis=0).max() for shape in result.shapes]
    far = (before > LONG * float(np.median(spans))) & (change > 0)
    order = np.flatnonzero(far)[np.argsort(-change[far], kind="stable")][:TRIED]
    for pair in order:
        i, j = int(first[pair]), int(second[pair])
        if _sees(solid, drawn[i], drawn[j]):
            names = [result.model.bodies[owner[k]].name for k in (i, j)]
            ends = [(float(drawn[k, 0]), float(drawn[k, 1])) for k in (i, j)]
            after = float(np.hypot(*(moved[i] - moved[j])))
            return VisiblePair((names[0], names[1]), (ends[0], ends[1]), float(before[pair]), after)
    return None


def _corners(result: FlexResult) -> tuple[np.ndarray, Floats]:
    """Bodies (N,) and own coordinates (N, 2) of all corners."""
    rings = [np.vstack(result.shapes[shape].rings) for shape in result.shape_of]
    owner = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
    return owner, np.vstack(rings)


def _solid(result: FlexResult) -> shapely.Geometry:
    """The drawn structure, the gaps between its parts closed."""
    parts = [
        shapely.Polygon(carry(pose, rings[0]), [carry(pose, ring) for ring in rings[1:]])
        for pose, rings in (
            (pose, result.shapes[shape].rings)
            for pose, shape in zip(result.frames.poses[0], result.shape_of, strict=True)
        )
    ]
    close = 0.51 * max(result.gap, result.model.clearance)
    whole = shapely.union_all(shapely.buffer(parts, 1.02 * close, join_style="mitre"))
    return shapely.buffer(whole, -1.1 * close, join_style="mitre") if close else whole


def _sees(solid: shapely.Geometry, first: Floats, second: Floats) -> bool:
    """Whether nothing lies between two points."""
    away = SHY * (second - first)
    line = shapely.LineString([first + away, second - away])
    return bool(shapely.length(shapely.intersection(line, solid)) <= 2 * SHY * line.length)
