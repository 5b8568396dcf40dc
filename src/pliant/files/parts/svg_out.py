"""A sheet as SVG: a group a layer, a group a part, true size in millimetres."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from pliant.files.parts.part import Circle, Loop, Part
from pliant.files.parts.part_names import ids, text_of
from pliant.files.parts.sheet import CutSheet

LINE = 0.1  # mm


def svg_text(sheet: CutSheet, title: str) -> str:
    """The whole file. Holes come before their outline, as they are cut."""
    width, height = sheet.size
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'
        f' width="{width!r}mm" height="{height!r}mm" viewBox="0 0 {width!r} {height!r}"'
        f' fill="none" stroke="#000000" stroke-width="{LINE}">\n'
        f"<title>{escape(text_of(title))}</title>\n"
    )
    return head + "".join(_layers(sheet, height)) + "</svg>\n"


def _layers(sheet: CutSheet, height: float) -> Iterator[str]:
    named = zip(sheet.parts, ids(part.name for part in sheet.parts), strict=True)
    for layer, members in groupby(named, key=lambda one: one[0].layer):
        if layer:
            yield f'<g inkscape:groupmode="layer" inkscape:label={_quoted(layer)}>\n'
        for part, name in members:
            yield f'<g id="{name}" inkscape:label={_quoted(part.name)}>\n'
            yield from _loops(part, height)
            yield "</g>\n"
        if layer:
            yield "</g>\n"


def _loops(part: Part, height: float) -> Iterable[str]:
    return [_loop(loop, height) for piece in part.pieces for loop in piece.loops]


def _loop(loop: Loop, height: float) -> str:
    """One closed line; y goes down in SVG."""
    if isinstance(loop, Circle):
        return f'<circle cx="{loop.x!r}" cy="{height - loop.y!r}" r="{loop.radius!r}"/>\n'
    corners = " ".join(f"{x!r},{height - y!r}" for x, y in loop.tolist())
    return f'<path d="M{corners}Z"/>\n'


def _quoted(text: str) -> str:
    return quoteattr(text_of(text))
