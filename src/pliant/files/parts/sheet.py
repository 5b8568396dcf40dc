"""Parts on a sheet: in rows, none over another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import shapely

from pliant.core.errors import Fault, InputError
from pliant.files.parts.part import Part, moved, part_box, piece_region

WIDER = 1.4  # of a sheet without a size, as wide as it is high
CHORD = 1e-3  # mm


@dataclass(frozen=True)
class CutSheet:
    """Parts where they are cut, from (0, 0) to a size in mm."""

    parts: tuple[Part, ...]
    size: tuple[float, float]
    in_place: bool


def laid_out(parts: Sequence[Part], spacing: float, size: tuple[float, float] | None) -> CutSheet:
    """Parts in rows from the lower left, the highest first, `spacing` apart and from the sheet's edge."""
    boxes = [part_box(part) for part in parts]
    sizes = np.array([box[1] - box[0] for box in boxes])
    across = size[0] if size else _width_for(sizes, spacing)
    places = _shelves(sizes, spacing, across)
    used = (places + sizes).max(axis=0) + spacing
    if size:
        _check_fits(parts, sizes, places, spacing, size)
    placed = [
        moved(part, (float(x - box[0, 0]), float(y - box[0, 1]), 0.0))
        for part, box, (x, y) in zip(parts, boxes, places.tolist(), strict=True)
    ]
    return CutSheet(tuple(placed), size or (float(used[0]), float(used[1])), False)


def _width_for(sizes: np.ndarray, spacing: float) -> float:
    area = float(np.prod(sizes + spacing, axis=1).sum())
    return max(sqrt(WIDER * area), float(sizes[:, 0].max()) + spacing) + spacing


def _shelves(sizes: np.ndarray, spacing: float, across: float) -> np.ndarray:
    """Lower left corners (P, 2) of boxes of sizes (P, 2)."""
    places = np.zeros_like(sizes)
    x = y = spacing
    height = 0.0
    for number in sorted(range(len(sizes)), key=lambda one: -sizes[one, 1]):
        wide, high = sizes[number]
        if x > spacing and x + wide + spacing > across * (1 + 1e-12):
            x, y, height = spacing, y + height + spacing, 0.0
        places[number] = x, y
        x, height = x + wide + spacing, max(height, high)
    return places


def _check_fits(
    parts: Sequence[Part], sizes: np.ndarray, places: np.ndarray, spacing: float, size: tuple[float, float]
) -> None:
    over = np.flatnonzero(((places + sizes + spacing) > np.array(size) * (1 + 1e-12)).any(axis=1)).tolist()
    if not over:
        return
    wide, high = sizes[over[0]].tolist()
    problem = (
        f"has no room for {len(over)} of {len(parts)} parts; the first is"
        f" {parts[over[0]].name!r}, {wide:.4g} × {high:.4g} mm"
    )
    cure = "Give a larger sheet, a smaller --spacing, or fewer parts"
    raise InputError([Fault("--sheet", problem, cure, (parts[over[0]].name,))])


def in_place(parts: Sequence[Part], kerf: float) -> CutSheet:
    """Parts as the model has them drawn, from the lower left corner of them all."""
    placed = [moved(part, part.pose) for part in parts]
    if kerf:
        _check_apart(placed)
    boxes = np.array([part_box(part) for part in placed])
    low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
    shift = (float(-low[0]), float(-low[1]), 0.0)
    return CutSheet(tuple(moved(part, shift) for part in placed), tuple((high - low).tolist()), True)


def _check_apart(parts: Sequence[Part]) -> None:
    """Parts of one layer whose cuts would run through each other cannot be cut where they are."""
    owners = [part for part in parts for _ in part.pieces]
    regions = [piece_region(piece, CHORD) for part in parts for piece in part.pieces]
    tree = shapely.STRtree(regions)
    for first, second in tree.query(regions, predicate="intersects").T.tolist():
        one, other = owners[first], owners[second]
        if first < second and one.level == other.level and regions[first].intersection(regions[second]).area:
            problem = f"{one.name!r} and {other.name!r} are nearer to each other than the kerf"
            cure = "Leave --in-place out: each is cut by itself"
            raise InputError([Fault("--in-place", problem, cure, (one.name, other.name))])
