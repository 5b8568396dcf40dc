"""A drawing file to parts as plain data: what runs in a process of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from scipy.spatial import cKDTree

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.files.drawings.cutting import model_rings, offset_region
from pliant.files.drawings.faces import CutPart, FoundParts, find_parts
from pliant.files.drawings.joining import JoinedStrokes, join_strokes
from pliant.files.drawings.naming import name_parts
from pliant.files.drawings.strokes import Sheet, Stroke, matches

CHORD, CLOSE = 0.05, 0.1  # mm
TINY_CHORD, TINY_CLOSE = 1 / 2000, 1 / 1000  # of a drawing's size, where that is less
ROUND, FEWEST = 0.02, 8  # a circle of chords: how far radii may differ, and how many vertices it has
SHOWN_LINES = 2000  # open lines that are handed over for the picture
# Layers that are drawn beside the cut, by their names.
BESIDE_CUT = re.compile(
    r"engrav|etch|score|scoring|annot|dimension|\bdims?\b|\btexts?\b|label|guide|construction|cent(er|re)\s?line"
    r"|\bfold|\bbend|mitte|hilfslin|bema(ss|ß)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class DrawingSettings:
    """How a drawing is read. Lengths are those of the model."""

    chord: float | None = (
        None  # largest distance of a chord from its curve; None: CHORD, less of what is tiny
    )
    close: float | None = None  # ends nearer than this are joined; None: CLOSE, less of what is tiny
    scale: float = 1.0  # beside that of the units
    units: str | None = None  # of the drawing's numbers; None as the file says
    only: tuple[str, ...] = ()  # ids, groups, layers or colours that are read
    skip: tuple[str, ...] = ()  # those that are not
    kerf: float = 0.0  # width of the cut: half of it is taken off every side
    insides: bool = False  # what is cut out of a part is a part too
    bodies: str = "parts"  # or "groups", "layers": what is one body


def read_parts(path: str, loops: bool, **settings: Any) -> dict[str, Any]:
    """Parts of a drawing with what was read and what was not; with `loops`, every loop by itself as well."""
    given: dict[str, Any] = {
        key: tuple(one) if isinstance(one, list) else one for key, one in settings.items()
    }
    asked = DrawingSettings(**given)
    sheet, chord, close = _fine_sheet(Path(path), asked)
    strokes = _chosen(sheet, asked)
    joined = join_strokes(strokes, close)
    partition = find_parts(joined, close, insides=asked.insides)
    name_parts(partition.parts, sheet.captions, handles=Path(path).suffix.lower() == ".dxf")
    answer = _findings(sheet, strokes, joined, partition) | {"chord": chord, "close": close}
    answer["parts"] = _kerfed(partition.parts, asked, answer)
    answer["apart"] = _nearest_gap(partition.parts)
    if loops:
        answer["loops"] = [_loop_data(one) for one in joined.loops]
    return answer


def _fine_sheet(path: Path, asked: DrawingSettings) -> tuple[Sheet, float, float]:
    """The sheet, its chord error and what is joined in it: of a tiny drawing, both as small as befits it."""
    chord = asked.chord or CHORD
    sheet = _sheet(path, asked, chord)
    size = _size(sheet)
    if asked.chord is None and 0 < size * TINY_CHORD < chord:
        chord = size * TINY_CHORD
        sheet = _sheet(path, asked, chord)
    return sheet, chord, asked.close or (min(CLOSE, size * TINY_CLOSE) or CLOSE)


def _size(sheet: Sheet) -> float:
    ends = [one.points for one in sheet.strokes]
    return float(np.ptp(np.vstack(ends), axis=0).max()) if ends else 0.0


def _sheet(path: Path, asked: DrawingSettings, chord: float) -> Sheet:
    common: dict[str, Any] = {"scale": asked.scale, "units": asked.units, "skip": frozenset(asked.skip)}
    if path.suffix.lower() == ".dxf":
        from pliant.files.drawings.dxf import read_dxf

        return read_dxf(path, chord, **common)
    from pliant.files.drawings.svg import read_svg

    return read_svg(path, chord, **common)


def _chosen(sheet: Sheet, asked: DrawingSettings) -> list[Stroke]:
    """The strokes that are asked for; layers that are drawn beside the cut only where they are named."""
    chosen: list[Stroke] = []
    unknown = [one for one in asked.only if not any(matches([one], stroke) for stroke in sheet.strokes)]
    if unknown:
        layers = sorted({layer for one in sheet.strokes if (layer := one.layer or one.group)})[:12]
        cure = f"Layers and groups are: {', '.join(layers)}" if layers else "The drawing has no layers"
        raise InputError(
            [Fault("--only", f"nothing in the drawing is called {one!r}", cure) for one in unknown]
        )
    for stroke in sheet.strokes:
        why = ""
        if asked.only:
            why = "" if matches(asked.only, stroke) else "not asked for by --only"
        elif matches(asked.skip, stroke):
            why = "left out by --skip"
        elif BESIDE_CUT.search(stroke.layer):
            why = "is on a layer that is not cut, by its name (see --only)"
        if why:
            sheet.left_out.add("line", why, stroke.layer or stroke.colour, stroke.where)
        else:
            chosen.append(stroke)
    return chosen


def _findings(
    sheet: Sheet, strokes: Sequence[Stroke], joined: JoinedStrokes, partition: FoundParts
) -> dict[str, Any]:
    names = [part.name for part in partition.parts]
    if joined.points:
        sheet.left_out.add("line", "has no length", "", "", joined.points)
    return {
        "unit": sheet.unit,
        "millimetres": sheet.scale,
        "notes": list(sheet.notes),
        "strokes": len(strokes),
        "vertices": sum(len(one.points) for one in strokes),
        "loops_found": len(joined.loops),
        "layers": dict(Counter(one.layer for one in strokes)),
        "colours": dict(Counter(one.colour for one in strokes)),
        "left_out": sheet.left_out.to_list(),
        "gaps": [{"at": list(gap.at), "width": gap.width} for gap in joined.gaps],
        "doubled": partition.doubled,
        "borders": partition.borders,
        "holes": partition.holes,
        "slivers": partition.slivers,
        "overlaps": [[names[a], names[b], area] for a, b, area in partition.overlaps],
        "engraved": partition.lines_in_parts,
        "open": _open_lines(partition.open_lines),
    }


def _open_lines(lines: Sequence[Stroke]) -> list[dict[str, Any]]:
    """Lines that bound nothing: where they end, and how far the next end is."""
    if not lines:
        return []
    ends = np.vstack([one.points[[0, -1]] for one in lines])
    gaps = cKDTree(ends).query(ends, k=min(3, len(ends)))[0]
    tables: list[dict[str, Any]] = []
    for number, one in enumerate(lines):
        others = [float(gap) for gap in gaps[2 * number : 2 * number + 2, -1] if np.isfinite(gap)]
        shown = one.points if number < SHOWN_LINES else one.points[[0, -1]]
        tables.append(
            {
                "points": shown.tolist(),
                "length": float(np.hypot(*np.diff(one.points, axis=0).T).sum()),
                "gap": min(others, default=None),
                "name": one.name,
                "layer": one.layer,
                "where": one.where,
            }
        )
    return tables


def _kerfed(parts: Sequence[CutPart], asked: DrawingSettings, answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Every part as the cutter leaves it, with its rings as plain numbers."""
    tables: list[dict[str, Any]] = []
    gone: list[str] = []
    for part in parts:
        pieces = [
            rings for piece in offset_region(part.region, -asked.kerf / 2) if (rings := model_rings(piece))
        ]
        if not pieces:
            gone.append(part.name)
            continue
        loop = part.loop
        tables.append(
            {
                "name": part.name,
                "pieces": [[ring.tolist() for ring in rings] for rings in pieces],
                "area": float(part.region.area),
                "size": [float(one) for one in np.ptp(shapely.get_coordinates(part.region), axis=0)],
                "centre": [float(one) for one in part.region.centroid.coords[0]],
                "id": loop.name if loop else "",
                "group": loop.group if loop else "",
                "layer": loop.layer if loop else "",
                "colour": loop.colour if loop else "",
            }
        )
    answer["gone"] = gone
    return tables


def _nearest_gap(parts: Sequence[CutPart]) -> float | None:
    """The smallest distance of two parts; None where there is one part only."""
    if len(parts) < 2:
        return None
    regions = np.array([part.region for part in parts])
    pairs, gaps = shapely.STRtree(regions).query_nearest(
        regions, exclusive=True, all_matches=False, return_distance=True
    )
    return float(gaps.min()) if len(pairs[0]) else None


def _round(ring: Floats) -> list[float] | None:
    """Centre and radius of a ring that is a circle in all but name, as programs draw that know none."""
    if len(ring) < FEWEST:
        return None
    centre = np.array(shapely.Polygon(ring).centroid.coords[0])
    radii = np.hypot(*(ring - centre).T)
    return [*map(float, centre), float(radii.mean())] if np.ptp(radii) <= ROUND * radii.mean() else None


def _loop_data(loop: Stroke) -> dict[str, Any]:
    return {
        "points": loop.points[:-1].tolist(),
        "circle": [*loop.centre, loop.radius] if loop.centre else _round(loop.points[:-1]),
        "name": loop.name,
        "group": loop.group,
        "layer": loop.layer,
    }
