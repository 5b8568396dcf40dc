"""The regions of a rigid body: united where they touch, inset as one, and each member's share of that.

Pieces that share an edge are one piece of material. They are united before they are inset, so that
no gap opens between them; pieces that are apart are inset each by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import KDTree

from pliant.core.arrays import Floats
from pliant.core.outline import Rings, inset, open_ring, polygon, signed_area, wind

CLOSE = 1e-6  # of the extent: pieces drawn no further apart than this touch

Polygons = shapely.Polygon | shapely.MultiPolygon


@dataclass(frozen=True)
class Solid:
    """What a clearance leaves of a rigid body, in the frame its pieces were given in."""

    rings: Rings  # all of it: outsides left about, holes right about
    shares: tuple[Rings, ...]  # of each member
    lost: tuple[int, ...]  # members that are left in pieces, or of which nothing is


def solid(members: Sequence[Sequence[Rings]], depth: float) -> Solid:
    """Unite the pieces of all members and take `depth` of material off every side."""
    pieces = [piece for member in members for piece in member]
    if len(pieces) == 1:
        alone = inset(pieces[0], depth)
        return Solid(alone, (alone,), () if alone else (0,))
    corners = np.concatenate([ring for piece in pieces for ring in piece])
    close = CLOSE * float(np.ptp(corners, axis=0).max())
    own = [_unite(member, close) for member in members]
    left: list[shapely.Polygon] = []
    lost: set[int] = set()
    for united in _polygons(_unite(pieces, close)):
        rings = inset(_rings(united), depth)
        if rings:
            left.append(polygon(rings))
        else:
            lost |= _thin(united, members, own, depth)
    whole = shapely.MultiPolygon(left)
    shares = [whole if len(members) == 1 else _share(whole, region, close) for region in own]
    lost |= {place for place, share in enumerate(shares) if share.is_empty}
    return Solid(_rings(whole), tuple(map(_rings, shares)), tuple(sorted(lost)))


def share(rings: Rings, members: Sequence[Rings]) -> Rings:
    """What is left of some of the members together: no seam between those that touch."""
    corners = np.concatenate(rings)
    close = CLOSE * float(np.ptp(corners, axis=0).max())
    own = shapely.MultiPolygon([part for member in members for part in _polygons(region(member))])
    return _rings(_share(region(rings), own, close))


def region(rings: Rings) -> Polygons:
    """Rings, each outside (left about) with its holes (right about) after it, as one shape."""
    groups: list[list[Floats]] = []
    for ring in rings:
        if not groups or signed_area(ring) > 0:
            groups.append([])
        groups[-1].append(ring)
    made = [polygon(group) for group in groups]
    return made[0] if len(made) == 1 else shapely.MultiPolygon(made)


def _unite(pieces: Sequence[Rings], close: float) -> Polygons:
    """The union of pieces, gaps of up to twice `close` between them shut."""
    shapes = [polygon(piece) for piece in pieces]
    if len(shapes) == 1:
        return shapes[0]
    grown = shapely.union_all([_grow(shape, close) for shape in shapes])
    corners = np.concatenate([ring for piece in pieces for ring in piece])
    parts = _polygons(_grow(grown, -close))
    made = [polygon for part in parts for polygon in _snap_together(part, corners, close)]
    return shapely.simplify(shapely.MultiPolygon(made), 1e-3 * close)  # no vertices on straight seams


def _snap_together(part: shapely.Polygon, corners: Floats, close: float) -> list[shapely.Polygon]:
    """A polygon with its vertices put back to the corners they came from.

    To grow and to shrink leaves edges as short as rounding, whose normals are chance; an inset would make
    them long. Of what is no wider than that beside the whole nothing, or less, may be left.
    """
    tree = KDTree(corners)
    same = np.array([min(near) for near in tree.query_ball_point(corners, 4 * close)])
    rings: list[Floats] = []
    for ring in (part.exterior, *part.interiors):
        points = open_ring(shapely.get_coordinates(ring))
        distance, nearest = map(np.asarray, tree.query(points))
        back = distance <= 4 * close
        points[back] = corners[same[nearest[back]]]
        rings.append(points[(points != np.roll(points, 1, axis=0)).any(axis=1)])
    if len(rings[0]) < 3:
        return []
    made = polygon([ring for ring in rings if len(ring) >= 3])
    pieces = [made] if made.is_valid else list(shapely.get_parts(shapely.make_valid(made)))
    return [part for part in pieces if isinstance(part, shapely.Polygon)]


def _grow(shape: shapely.Geometry, by: float) -> Polygons:
    return shapely.buffer(shape, by, join_style="mitre", mitre_limit=20.0)


def _polygons(shape: Polygons) -> list[shapely.Polygon]:
    return list(shapely.get_parts(shape))


def _rings(shape: Polygons) -> Rings:
    return tuple(
        ring
        for part in _polygons(shape)
        if not part.is_empty
        for ring in wind([open_ring(shapely.get_coordinates(r)) for r in (part.exterior, *part.interiors)])
    )


def _share(whole: Polygons, own: Polygons, close: float) -> Polygons:
    """What is a member's of what is left of the whole."""
    shared = shapely.intersection(whole, shapely.union_all([_grow(part, close) for part in _polygons(own)]))
    parts = [part for part in shapely.get_parts(shared) if part.area > 2 * close * own.length]  # no sliver
    return shapely.MultiPolygon([part for part in parts if isinstance(part, shapely.Polygon)])


def _thin(
    united: shapely.Polygon, members: Sequence[Sequence[Rings]], own: Sequence[Polygons], depth: float
) -> set[int]:
    """Which members break a united piece: those that no clearance like that leaves whole, or all of them."""
    here = {place for place, region in enumerate(own) if region.intersects(united)}
    weak = {place for place in here if not all(inset(piece, depth) for piece in members[place])}
    return weak or here
