"""Offsets of regions: every edge moved out or in by one width, corners kept sharp, and nothing rounded off.

GEOS takes vertices out of a line before it offsets it, up to a hundredth of the width from where they
are. Here every edge has a strip of its own: the region grown is its union with the strips outside it,
and the region shrunk is what the strips inside it leave.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.core.outline import open_ring, wind

MITRE = 20.0  # how far a corner may go out, in widths: sharp ones are kept down to 6 degrees, others cut
STRAIGHT = 1e-9  # sine of a turn below which two edges are one line
SLIVER = 1e-9  # of the width: what is no wider is rounding


def offset_region(region: shapely.Polygon, width: float) -> list[shapely.Polygon]:
    """A region grown by `width` on every side, or shrunk where that is negative: its pieces.

    >>> [piece.bounds for piece in offset_region(shapely.box(0, 0, 4, 4), -1)]
    [(1.0, 1.0, 3.0, 3.0)]
    """
    if not width:
        return [region]
    rings = [open_ring(shapely.get_coordinates(ring)) for ring in (region.exterior, *region.interiors)]
    strips = shapely.union_all([strip for ring in wind(rings) for strip in _strips(ring, width)])
    made = region.union(strips) if width > 0 else region.difference(strips)
    pieces = [piece for piece in shapely.get_parts(made) if isinstance(piece, shapely.Polygon)]
    return [_without_slivers(piece, width) for piece in pieces if not _is_sliver(piece, width)]


def _strips(ring: Floats, width: float) -> list[shapely.Polygon]:
    """Along every edge of a ring (material on its left), what lies between it and where it is moved.

    At corners that the offset opens, strips go up to the corner's mitre, m = v + w (n₁ + n₂) / (1 + n₁·n₂);
    at others they end square, and overlap.
    """
    ends = np.roll(ring, -1, axis=0)
    edges = ends - ring
    normals = np.stack([edges[:, 1], -edges[:, 0]], axis=1) / np.linalg.norm(edges, axis=1)[:, None]
    before = np.roll(normals, 1, axis=0)
    turns = before[:, 0] * normals[:, 1] - before[:, 1] * normals[:, 0]
    cosines = (before * normals).sum(axis=1)
    opened = turns * np.sign(width) > -STRAIGHT
    sharp = 1 + cosines < 2 / MITRE**2
    mitres = ring + width * (before + normals) / np.where(sharp, 1.0, 1 + cosines)[:, None]
    mitred = (opened & ~sharp)[:, None]
    first = np.where(mitred, mitres, ring + width * normals)
    last = np.roll(np.where(mitred, mitres, ring + width * before), -1, axis=0)
    strips = _polygons(np.stack([ring, ends, last, first], axis=1))
    cut = opened & sharp
    bevels = np.stack([ring[cut], (ring + width * before)[cut], (ring + width * normals)[cut]], axis=1)
    return strips + _polygons(bevels)


def _polygons(corners: Floats) -> list[shapely.Polygon]:
    made: Any = shapely.polygons(corners)
    return list(made)


def _without_slivers(piece: shapely.Polygon, width: float) -> shapely.Polygon:
    holes = [ring for ring in piece.interiors if not _is_sliver(shapely.Polygon(ring), width)]
    return piece if len(holes) == len(piece.interiors) else shapely.Polygon(piece.exterior, holes)


def _is_sliver(piece: shapely.Polygon, width: float) -> bool:
    return bool(piece.area <= SLIVER * abs(width) * piece.length)
