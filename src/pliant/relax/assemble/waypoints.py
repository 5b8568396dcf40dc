"""Values that are driven, at equal steps of one drive."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import lcm

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.assemble.rows import DriveValues

FINE = 2000  # steps


def steps(paths: Iterable[DriveValues]) -> int:
    """Number of equal steps of the drive that include every waypoint; 0 where nothing is driven.

    Where that would be more than 2000, as many as the longest path has: the others are then
    interpolated at these, and their corners rounded by up to one step.
    """
    counts = {len(values) - 1 for values in paths} - {0}
    common = lcm(*counts)
    return 0 if not counts else common if common <= FINE else max(counts)


def sample_paths(paths: Sequence[DriveValues], count: int) -> Floats:
    """Driven values at count + 1 equal steps, linear between waypoints: (count + 1, paths).

    Where nothing moves they are one row, shown again and again: a large mechanism needs no room for them.
    """
    by_length: dict[int, list[int]] = {}
    for index, values in enumerate(paths):
        by_length.setdefault(len(values), []).append(index)
    start = np.array([values[0] for values in paths], np.float64)
    if set(by_length) <= {1}:
        return np.broadcast_to(start, (count + 1, len(start)))
    out = np.tile(start, (count + 1, 1))
    for length in set(by_length) - {1}:
        values = np.array([paths[index] for index in by_length[length]]).T
        # Whole numbers, divided last: at a waypoint the spot is exact.
        spot = np.arange(count + 1) * (length - 1) / count
        before = np.minimum(spot.astype(np.int64), length - 2)
        share = (spot - before)[:, None]
        out[:, by_length[length]] = (1.0 - share) * values[before] + share * values[before + 1]
    return out
