"""A sheet as DXF: a layer a part, closed polylines and circles, in millimetres."""

from __future__ import annotations

import io
from typing import Any

import ezdxf

from pliant.files.parts.part import Circle, Loop, Part
from pliant.files.parts.part_names import layer_names
from pliant.files.parts.sheet import CutSheet

MILLIMETRES = 4  # of $INSUNITS


def dxf_text(sheet: CutSheet) -> str:
    """The whole file. Holes come before their outline, as they are cut."""
    document: Any = ezdxf.new("R2010", units=MILLIMETRES)  # type: ignore[attr-defined]
    document.header["$MEASUREMENT"] = 1
    space = document.modelspace()
    names = layer_names(_layer(part) for part in sheet.parts)
    for part, name in zip(sheet.parts, names, strict=True):
        document.layers.add(name)
        for piece in part.pieces:
            for loop in piece.loops:
                _add(space, loop, name)
    text = io.StringIO()
    document.write(text)
    return text.getvalue()


def _layer(part: Part) -> str:
    return f"{part.layer} {part.name}" if part.layer else part.name


def _add(space: Any, loop: Loop, layer: str) -> None:
    if isinstance(loop, Circle):
        space.add_circle((loop.x, loop.y), loop.radius, dxfattribs={"layer": layer})
    else:
        space.add_lwpolyline(loop.tolist(), close=True, dxfattribs={"layer": layer})
