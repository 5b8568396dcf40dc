"""What a cutter leaves of a part, and rings as a model takes them."""

from __future__ import annotations

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.core.offset import offset_region
from pliant.core.outline import open_ring, region_fault, ring_fault, wind

DECIMALS = 9  # of a millimetre
SHAVED = 1e-6  # mm: off every side of a part that touches itself in a point


def model_rings(region: shapely.Polygon) -> list[Floats]:
    """The outline and holes of a region, as a model takes them; none where it takes none of it."""
    for shaved in (0.0, SHAVED):
        for piece in offset_region(region, -shaved)[:1]:
            rings = list(wind([_rounded(ring) for ring in (piece.exterior, *piece.interiors)]))
            if not any(map(ring_fault, rings)) and not region_fault(rings):
                return rings
    return []


def _rounded(ring: shapely.LinearRing) -> Floats:
    points = open_ring(np.round(shapely.get_coordinates(ring), DECIMALS) + 0.0)
    kept = np.abs(np.roll(points, -1, axis=0) - points).max(axis=1) > 10.0**-DECIMALS
    return points[kept]
