"""A DXF file as strokes: lines, arcs, polylines with bulges, splines, ellipses, blocks, layers, units."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from ezdxf import recover
from ezdxf.filemanagement import readfile
from ezdxf.lldxf.const import DXFError
from ezdxf.math import OCS

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.core.faults import value_text
from pliant.files.drawings.flatten import MOST_POINTS, bulge_points, ellipse_points, sampled_points
from pliant.files.drawings.strokes import Caption, LeftOut, Sheet, Stroke
from pliant.files.drawings.units import DXF_UNITS, millimetres

HEADER_BYTES = 1_000_000  # within which a header says its unit
BLOCKS = 20  # within one another
ENTITIES = 1_000_000
MADE = 20_000  # of them by blocks, which can make very many of very little
NOT_CUT = ("CENTER", "PHANTOM", "HIDDEN", "DASHDOT", "BORDER")  # in the name of a line type
BROKEN = (DXFError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, OverflowError)
WORDS = ("TEXT", "MTEXT", "ATTRIB", "ATTDEF")
FULL = 2 * math.pi


@dataclass(frozen=True)
class _BlockPen:
    """What holds within blocks."""

    blocks: tuple[str, ...] = ()
    layer: str = ""  # of the insert: what is on layer 0 of a block is on it
    colour: int = 256


class _DxfReader:
    """Goes through the model space; what it finds is in its lists."""

    def __init__(self, document: Any, scale: float, chord: float, skip: frozenset[str]) -> None:
        self.skip = skip
        self.made = 0
        self.document = document
        self.scale = scale  # millimetres of the model for each unit of the file
        self.chord = chord / scale  # in the file's unit
        self.strokes: list[Stroke] = []
        self.captions: list[Caption] = []
        self.left_out = LeftOut()
        self.drawn = 0
        self.points = 0
        self.hidden = {
            layer.dxf.name.casefold() for layer in document.layers if layer.is_off() or layer.is_frozen()
        }
        self.lowest, self.highest = math.inf, -math.inf

    def read(self, entity: Any, pen: _BlockPen) -> None:
        """One entity, and of an insert all that is in its block."""
        self.drawn += 1
        self.made += bool(pen.blocks)
        kind = entity.dxftype()
        if self.drawn > ENTITIES or self.made > MADE:
            problem = f"there are more than {ENTITIES:,} entities, or {MADE:,} that blocks make"
            raise InputError(
                [Fault(place_of(entity), problem, "Save the parts that matter in a file of their own")]
            )
        layer = str(_attribute(entity, "layer", "0"))
        layer = pen.layer if layer == "0" and pen.layer else layer
        if why := self._why_not(entity, layer):
            return self.left_out.add(kind, why, layer, place_of(entity))
        if kind == "INSERT":
            return self._insert(entity, pen, layer)
        if kind in WORDS:
            return self._words(entity, layer)
        if kind not in LINES:
            return self.left_out.add(kind, "is no line", layer, place_of(entity))
        return self._line(entity, pen, layer)

    def _why_not(self, entity: Any, layer: str) -> str:
        if layer in self.skip:
            return "left out by --skip"
        if layer.casefold() in self.hidden:
            return "hidden (layer off or frozen)"
        if _attribute(entity, "invisible", 0):
            return "hidden"
        if layer.casefold() == "defpoints":
            return "is on a layer that is never plotted"
        line_type = str(_attribute(entity, "linetype", "BYLAYER")).upper()
        if line_type == "BYLAYER" and layer in self.document.layers:
            line_type = str(self.document.layers.get(layer).dxf.get("linetype", "")).upper()
        if any(word in line_type for word in NOT_CUT):
            return f"is drawn as {line_type}, which is not cut"
        return ""

    def _insert(self, entity: Any, pen: _BlockPen, layer: str) -> None:
        name = str(entity.dxf.get("name", ""))
        if name in pen.blocks:
            cycle = " → ".join((*pen.blocks[pen.blocks.index(name) :], name))
            raise InputError(
                [Fault(place_of(entity), f"inserts itself: {cycle[:120]}", "Take the circle apart")]
            )
        if len(pen.blocks) >= BLOCKS:
            raise InputError(
                [Fault(place_of(entity), f"is the {BLOCKS}th block within a block", "Explode it")]
            )
        if name not in self.document.blocks:
            return self.left_out.add(
                "INSERT", f"of the block {value_text(name)}, which is not there", layer, place_of(entity)
            )
        if entity.mcount > MADE:
            problem = f"inserts {value_text(name)} {entity.mcount:,} times; {MADE:,} are the limit"
            raise InputError([Fault(place_of(entity), problem, "Explode what matters")])
        inner = _BlockPen((*pen.blocks, name), layer, entity.dxf.get("color", 256))
        copies = entity.multi_insert() if entity.mcount > 1 else [entity]
        for copy in copies:
            for one in copy.virtual_entities():
                self.read(one, inner)
            for attribute in copy.attribs:
                self.read(attribute, inner)
        return None

    def _words(self, entity: Any, layer: str) -> None:
        said = entity.plain_text() if hasattr(entity, "plain_text") else entity.dxf.get("text", "")
        words, at = " ".join(str(said).split()), entity.dxf.get("insert", (0, 0))
        place = np.array([at[0], at[1]], np.float64) * self.scale
        if words and np.isfinite(place).all():
            self.captions.append(Caption(words[:200], (float(place[0]), float(place[1]))))
        self.left_out.add(entity.dxftype(), "is no line; it may name a part", layer, place_of(entity))

    def _line(self, entity: Any, pen: _BlockPen, layer: str) -> None:
        lines = [points for points in LINES[entity.dxftype()](entity, self.chord) if len(points) > 1]
        circle = _circle(entity)
        if not lines:
            self.left_out.add(entity.dxftype(), "has no length", layer, place_of(entity))
        for points in lines:
            if not np.isfinite(points).all():
                cure = "Mend it, or leave its layer out with --skip"
                raise InputError([Fault(place_of(entity), "has a coordinate that is no finite number", cure)])
            self.points += len(points)
            if self.points > MOST_POINTS:
                problem = f"there are more than {MOST_POINTS:,} points"
                raise InputError([Fault(place_of(entity), problem, "Give a larger --chord")])
            self.lowest = min(self.lowest, float(points[:, 2:].min(initial=math.inf)))
            self.highest = max(self.highest, float(points[:, 2:].max(initial=-math.inf)))
            flat = points[:, :2] * self.scale
            self.strokes.append(
                Stroke(
                    flat,
                    bool(np.array_equal(flat[0], flat[-1])) and len(flat) > 3,
                    name=str(entity.dxf.get("handle") or ""),
                    layer=layer,
                    group=pen.blocks[-1] if pen.blocks else "",
                    colour=f"colour {entity.dxf.get('color', 256)}"
                    if entity.dxf.get("color", 256) < 256
                    else "",
                    where=place_of(entity),
                    centre=(circle[0] * self.scale, circle[1] * self.scale) if circle else None,
                    radius=circle[2] * self.scale if circle else 0.0,
                )
            )


def read_dxf(path: Path, chord: float, *, scale: float, units: str | None, skip: frozenset[str]) -> Sheet:
    """A DXF file as a sheet, in millimetres times `scale`."""
    document, notes = _document(path)
    # Of a file that names no unit, the library says metres, in documents as new ones have.
    code = int(document.header.get("$INSUNITS", 0) or 0) if _names_unit(path) else 0
    unit, size = DXF_UNITS.get(code, ("", 1.0))
    if units:
        unit, size = units, millimetres(units)
    elif not unit:
        unit = "mm"
        notes.append("The drawing names no unit: its numbers are taken for millimetres (see --units)")
    reader = _DxfReader(document, size * scale, chord, skip)
    for entity in document.modelspace():
        _guarded(entity, lambda one: reader.read(one, _BlockPen()))
    for layout in document.layouts:
        if layout.name != "Model" and len(layout):
            reader.left_out.add("entities", "are in paper space", "", f"layout {layout.name!r}", len(layout))
    if reader.highest - reader.lowest > 1e-6:
        notes.append(
            f"Heights (z) from {reader.lowest:g} to {reader.highest:g} are left out: the plan is read"
        )
    return Sheet(tuple(reader.strokes), tuple(reader.captions), reader.left_out, unit, size, tuple(notes))


def _names_unit(path: Path) -> bool:
    with path.open("rb") as file:
        return b"$INSUNITS" in file.read(HEADER_BYTES)


def place_of(entity: Any) -> str:
    """Where an entity stands, in words."""
    handle = _attribute(entity, "handle", "")
    layer = str(_attribute(entity, "layer", "0"))[:60]
    return f"{entity.dxftype()}{f' #{handle}' if handle else ''} on layer {layer!r}"


def _attribute(entity: Any, key: str, default: Any) -> Any:
    """An attribute, where entities of its type have it."""
    return entity.dxf.get(key, default) if entity.dxf.is_supported(key) else default


def _document(path: Path) -> tuple[Any, list[str]]:
    """The document, mended where it is broken, and what is to be said of that."""
    try:
        return readfile(path), []
    except (*BROKEN, OSError):
        pass
    keeper = _LogKeeper()
    log = logging.getLogger("ezdxf")
    log.addHandler(keeper)
    try:
        document, audit = recover.readfile(path)
    except (*BROKEN, OSError) as error:
        said = str(error).strip().split("\n")[0][:120] or type(error).__name__
        problem = f"cannot be read as DXF: {said}"
        raise InputError([Fault("", problem, "Save it anew as DXF R12 or R2010, as text")]) from None
    finally:
        log.removeHandler(keeper)
    mended = [*keeper.said, *(error.message for error in audit.errors)]
    if not mended:
        return document, ["The file does not keep to the order of a DXF; it was read all the same"]
    first = f"{len(mended)} times; first: {' '.join(mended[0].split())[:120]}"
    return document, [f"The file is broken, and was read as far as it could be mended ({first})"]


class _LogKeeper(logging.Handler):
    """Keeps what the library says while it mends a file."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one."""
        self.said.append(record.getMessage())


def _guarded(entity: Any, read: Callable[[Any], None]) -> None:
    try:
        read(entity)
    except InputError:
        raise
    except BROKEN as error:
        problem = f"cannot be read ({type(error).__name__}: {str(error)[:80]})"
        raise InputError(
            [Fault(place_of(entity), problem, "Mend it, or explode it in the CAD program")]
        ) from None


def _world(entity: Any, points: Floats) -> Floats:
    """Points (K, 3) of an entity's own frame in the world's."""
    extrusion = entity.dxf.get("extrusion", (0, 0, 1))
    if tuple(extrusion) == (0, 0, 1):
        return points
    return np.array([tuple(point) for point in OCS(extrusion).points_to_wcs(map(tuple, points.tolist()))])


def _line_points(entity: Any, _chord: float) -> Iterator[Floats]:
    yield np.array([tuple(entity.dxf.start), tuple(entity.dxf.end)], np.float64)


def _arc_points(entity: Any, chord: float) -> Iterator[Floats]:
    centre, radius = np.array(tuple(entity.dxf.center), np.float64), float(entity.dxf.radius)
    start, sweep = 0.0, FULL
    if entity.dxftype() == "ARC":
        start = math.radians(float(entity.dxf.start_angle))
        sweep = (math.radians(float(entity.dxf.end_angle)) - start) % FULL or FULL
    if not (math.isfinite(radius) and np.isfinite(centre).all() and math.isfinite(sweep)):
        yield np.full((2, 3), np.nan)
    elif radius > 0:
        flat = ellipse_points(
            centre[:2], np.array([radius, 0.0]), np.array([0.0, radius]), start, sweep, chord
        )
        if sweep == FULL:
            flat[-1] = flat[0]
        yield _world(entity, np.column_stack([flat, np.full(len(flat), centre[2])]))


def _ellipse_points(entity: Any, chord: float) -> Iterator[Floats]:
    tool = entity.construction_tool()
    centre, major, minor = (
        np.array(tuple(one), np.float64) for one in (tool.center, tool.major_axis, tool.minor_axis)
    )
    start, sweep = float(tool.start_param), float(tool.end_param - tool.start_param) % FULL or FULL
    if not np.isfinite([*centre, *major, *minor, start, sweep]).all():
        yield np.full((2, 3), np.nan)
        return
    flat = ellipse_points(centre[:2], major[:2], minor[:2], start, sweep, chord)
    if abs(sweep - FULL) < 1e-9:
        flat[-1] = flat[0]
    yield np.column_stack([flat, np.full(len(flat), centre[2])])


def _polyline_points(entity: Any, chord: float) -> Iterator[Floats]:
    if entity.dxftype() == "LWPOLYLINE":
        rows = np.array(entity.get_points("xyb"), np.float64).reshape(-1, 3)
        height, closed = float(entity.dxf.get("elevation", 0.0)), bool(entity.closed)
    elif entity.is_2d_polyline or entity.is_3d_polyline:
        # Control points of a curve that was fitted to the polyline are no points of it.
        shown = [one for one in entity.vertices if not one.dxf.get("flags", 0) & 16]
        rows = np.array(
            [(*tuple(one.dxf.location)[:2], one.dxf.get("bulge", 0.0)) for one in shown], np.float64
        )
        rows = rows.reshape(-1, 3)
        height, closed = 0.0, bool(entity.is_closed)
    else:
        return
    if not np.isfinite(rows).all():
        yield np.full((2, 3), np.nan)
        return
    if closed and len(rows):
        rows = np.vstack([rows, rows[:1]])
    pieces = [bulge_points(one[:2], other[:2], float(one[2]), chord) for one, other in pairwise(rows)]
    if pieces:
        flat = np.vstack([pieces[0], *(piece[1:] for piece in pieces[1:])])
        yield _world(entity, np.column_stack([flat, np.full(len(flat), height)]))


def _spline_points(entity: Any, chord: float) -> Iterator[Floats]:
    if not np.isfinite([tuple(one) for one in (*entity.control_points, *entity.fit_points)]).all():
        yield np.full((2, 3), np.nan)
        return
    tool = entity.construction_tool()
    knots = np.unique(np.array(tool.knots(), np.float64))
    knots = knots[(knots >= tool.knots()[tool.order - 1]) & (knots <= tool.knots()[-tool.order])]

    def at(values: Floats) -> Floats:
        return np.array([tuple(point) for point in tool.points(values.tolist())], np.float64)[:, :2]

    flat = sampled_points(at, knots, chord)
    if entity.closed and not np.array_equal(flat[0], flat[-1]):
        flat = np.vstack([flat, flat[:1]])
    yield np.column_stack([flat, np.zeros(len(flat))])


def _circle(entity: Any) -> tuple[float, float, float] | None:
    if entity.dxftype() != "CIRCLE":
        return None
    centre = _world(entity, np.array([tuple(entity.dxf.center)], np.float64))[0]
    radius = float(entity.dxf.radius)
    return (float(centre[0]), float(centre[1]), radius) if np.isfinite([*centre, radius]).all() else None


LINES: dict[str, Callable[[Any, float], Iterator[Floats]]] = {
    "LINE": _line_points,
    "ARC": _arc_points,
    "CIRCLE": _arc_points,
    "ELLIPSE": _ellipse_points,
    "LWPOLYLINE": _polyline_points,
    "POLYLINE": _polyline_points,
    "SPLINE": _spline_points,
    "HELIX": _spline_points,
}
