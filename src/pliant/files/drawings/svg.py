"""An SVG file as strokes: groups, transforms, `use`, viewBox, units and hidden layers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.files.drawings.flatten import MOST_POINTS
from pliant.files.drawings.strokes import Caption, LeftOut, Sheet, Stroke
from pliant.files.drawings.svg_shapes import SHAPES, circle_of, compose, length, matrix_of, shape_lines
from pliant.files.drawings.svg_style import (
    StyleProperties,
    colour_of,
    is_removed,
    sheet_of,
    style_of,
    why_invisible,
)
from pliant.files.drawings.units import MILLIMETRES, millimetres
from pliant.files.xml_tree import place_of, read_tree, tag_of

USES = 30  # of one another, one within the other
DRAWN = 1_000_000  # shapes
MADE = 20_000  # of them by `use`, which can make very many of very little
INKSCAPE = "{http://www.inkscape.org/namespaces/inkscape}"
LINKS = ("href", "{http://www.w3.org/1999/xlink}href")
CONTAINERS = ("svg", "g", "a", "switch")
SILENT = (  # say nothing about the drawing's lines, and are not listed
    *("defs", "symbol", "style", "metadata", "title", "desc", "view", "script", "linearGradient"),
    *("radialGradient", "clipPath", "mask", "filter", "pattern", "marker", "cursor", "font"),
)
_OLD_INKSCAPE = re.compile(r"0\.(?:[1-8]|9[01]|4)")
_VIEW = re.compile(r"[\s,]+")


@dataclass(frozen=True)
class _Pen:
    """What holds at a place in the tree."""

    matrix: Floats  # (2, 3) from its coordinates to the model's
    style: StyleProperties = field(default_factory=lambda: {})
    layer: str = ""
    group: str = ""
    name: str = ""  # of a `use`, for what it makes
    viewport: tuple[float, float] = (100.0, 100.0)
    uses: tuple[str, ...] = ()


class _SvgReader:
    """Goes through the tree; what it finds is in its lists."""

    def __init__(self, root: Element, chord: float, skip: frozenset[str]) -> None:
        self.chord = chord
        self.skip = skip
        self.strokes: list[Stroke] = []
        self.captions: list[Caption] = []
        self.left_out = LeftOut()
        self.named = {name: one for one in root.iter() if (name := one.get("id"))}
        self.rules = sheet_of("".join(one.itertext()) for one in root.iter() if tag_of(one) == "style")
        self.drawn = 0
        self.made = 0
        self.points = 0

    def read(self, element: Element, pen: _Pen) -> None:
        """One element, and all in it."""
        tag = tag_of(element)
        if tag in SILENT or tag.startswith("{") or not tag:
            return None
        pen = self._pen_of(element, pen)
        if {element.get("id", ""), pen.name} & self.skip:
            return self.left_out.add(tag, "left out by --skip", pen.layer, place_of(element))
        if is_removed(pen.style):
            return self._hide(element, pen)
        if element.get("clip-path") or element.get("mask"):
            self.left_out.add(
                "clip or mask", "is not applied: shapes are read whole", pen.layer, place_of(element)
            )
        if tag in CONTAINERS:
            self._go_in(element, pen)
        elif tag == "use":
            self._use(element, pen)
        elif tag in SHAPES:
            self._shape(element, pen)
        elif tag == "text":
            self._text(element, pen)
        else:
            self.left_out.add(tag, "is no line", pen.layer, place_of(element))
        return None

    def _pen_of(self, element: Element, pen: _Pen) -> _Pen:
        tag = tag_of(element)
        label = element.get(INKSCAPE + "label") or element.get("id") or ""
        is_layer = element.get(INKSCAPE + "groupmode") == "layer"
        named = tag in ("g", "symbol") and label
        return replace(
            pen,
            matrix=compose(pen.matrix, matrix_of(element.get("transform"), element)),
            style=style_of(element, pen.style, self.rules),
            layer=label if is_layer else pen.layer,
            group=label if named and not is_layer else pen.group,
        )

    def _go_in(self, element: Element, pen: _Pen) -> None:
        if tag_of(element) == "svg" and pen.uses != ("root",):
            pen = replace(pen, matrix=compose(pen.matrix, nested_view(element, pen.viewport)))
        for child in element:
            self.read(child, replace(pen, uses=pen.uses if pen.uses != ("root",) else ()))

    def _use(self, element: Element, pen: _Pen) -> None:
        link = next((element.get(key, "") for key in LINKS if element.get(key)), "")
        target = self.named.get(link[1:]) if link.startswith("#") else None
        if target is None:
            why = "refers to another file" if link and not link.startswith("#") else "refers to nothing"
            return self.left_out.add("use", why, pen.layer, place_of(element))
        self.made += 1
        if link in pen.uses:
            cycle = " → ".join((*pen.uses[pen.uses.index(link) :], link))
            raise InputError(
                [Fault(place_of(element), f"uses itself: {cycle[:120]}", "Take the circle apart")]
            )
        if len(pen.uses) >= USES:
            raise InputError([Fault(place_of(element), f"is the {USES}th use within a use", "Draw it out")])
        try:
            shift = [
                length(element.get(key, "0"), size) for key, size in zip("xy", pen.viewport, strict=True)
            ]
        except ValueError:
            raise InputError(
                [Fault(place_of(element), "has a place that is no length", "Give numbers")]
            ) from None
        moved = np.array([[1.0, 0, shift[0]], [0, 1, shift[1]]])
        label = element.get(INKSCAPE + "label") or element.get("id") or ""
        inner = replace(
            pen,
            matrix=compose(pen.matrix, moved),
            uses=(*pen.uses, link),
            name=label,
            group=label or pen.group,
        )
        if tag_of(target) not in ("symbol", "svg"):
            return self.read(target, inner)
        inner = self._pen_of(target, inner)
        if target.get("viewBox") and (element.get("width") or target.get("width")):
            kept = {key: value for key, value in target.attrib.items() if key not in ("x", "y")}
            own = {key: value for key, value in element.attrib.items() if key in ("width", "height")}
            sized = Element("svg", kept | own)
            inner = replace(inner, matrix=compose(inner.matrix, nested_view(sized, pen.viewport)))
        for child in target:
            self.read(child, inner)
        return None

    def _shape(self, element: Element, pen: _Pen) -> None:
        self.drawn += 1
        self.made += bool(pen.uses)
        if self.drawn > DRAWN or self.made > MADE:
            problem = f"there are more than {DRAWN:,} shapes, or {MADE:,} that `use` makes"
            raise InputError(
                [Fault(place_of(element), problem, "Save the parts that matter in a file of their own")]
            )
        if why := why_invisible(pen.style):
            return self.left_out.add(tag_of(element), why, pen.layer, place_of(element))
        own = element.get(INKSCAPE + "label") or element.get("id") or ""
        circle = circle_of(element, pen.matrix)
        lines = list(shape_lines(element, pen.matrix, self.chord, pen.viewport))
        if not lines:
            self.left_out.add(tag_of(element), "has no length", pen.layer, place_of(element))
        for points, closed in lines:
            self.points += len(points)
            if self.points > MOST_POINTS:
                problem = f"there are more than {MOST_POINTS:,} points at a chord error of {self.chord:g}"
                raise InputError([Fault(place_of(element), problem, "Give a larger --chord")])
            self.strokes.append(
                Stroke(
                    points,
                    closed,
                    name=pen.name or own,
                    layer=pen.layer,
                    group=pen.group,
                    colour=colour_of(pen.style),
                    where=place_of(element),
                    centre=circle[0] if circle else None,
                    radius=circle[1] if circle else 0.0,
                )
            )
        return None

    def _text(self, element: Element, pen: _Pen) -> None:
        if why_invisible(pen.style) == "hidden":
            return self.left_out.add("text", "hidden", pen.layer, place_of(element))
        words = " ".join(" ".join(element.itertext()).split())
        spans = [element, *element.iter()]
        at = [next((one.get(key, "") for one in spans if one.get(key)), "0") for key in ("x", "y")]
        try:
            x, y = (length(re.split(r"[\s,]+", one.strip())[0], 0.0) for one in at)
        except ValueError:
            x = y = 0.0
        place = pen.matrix @ np.array([x, y, 1.0])
        if words and np.isfinite(place).all():
            self.captions.append(Caption(words[:200], (float(place[0]), float(place[1]))))
        return self.left_out.add("text", "is no line; it may name a part", pen.layer, place_of(element))

    def _hide(self, element: Element, pen: _Pen) -> None:
        shapes = [one for one in element.iter() if tag_of(one) in (*SHAPES, "text", "use", "image")]
        label = element.get(INKSCAPE + "label") or element.get("id") or pen.layer
        for one in shapes:
            self.left_out.add(tag_of(one), "hidden (display: none)", label, place_of(one))


def read_svg(path: Path, chord: float, *, scale: float, units: str | None, skip: frozenset[str]) -> Sheet:
    """An SVG file as a sheet, in millimetres times `scale`, y upwards from the foot of the page."""
    root = read_tree(path, "svg", "an SVG drawing")
    view, viewport, notes = _root_view(root, units)
    unit = millimetres(units) if units else MILLIMETRES["px"]
    page = compose(np.array([[unit * scale, 0, 0], [0, -unit * scale, unit * scale * viewport[1]]]), view)
    reader = _SvgReader(root, chord, skip)
    box = _numbers(root.get("viewBox", ""))
    inner = (box[2], box[3]) if len(box) == 4 else viewport
    reader.read(root, _Pen(page, viewport=inner, uses=("root",)))
    drawn = units or _written_unit(root)
    return Sheet(
        tuple(reader.strokes),
        tuple(reader.captions),
        reader.left_out,
        drawn or "px",
        float(abs(np.linalg.det(page[:, :2])) ** 0.5) / scale,
        notes,
    )


def _root_view(root: Element, units: str | None) -> tuple[Floats, tuple[float, float], tuple[str, ...]]:
    """From user units to pixels (or those of `units`), the page in the same, and what had to be guessed."""
    box = _numbers(root.get("viewBox", ""))
    same = np.array([[1.0, 0, 0], [0, 1, 0]])
    if units:
        height = box[1] + box[3] if len(box) == 4 else _size(root, "height") or 0.0
        return same, (box[2] if len(box) == 4 else 0.0, height), ()
    notes: list[str] = []
    if not _written_unit(root):
        notes.append(
            "The drawing names no unit: its numbers are taken for pixels, 96 to the inch (see --units)"
        )
    if not _written_unit(root) and _OLD_INKSCAPE.match(root.get(INKSCAPE + "version", "")):
        notes.append("An Inkscape of before 0.92 drew it, with 90 pixels to the inch: --scale 1.0667")
    wide, high = _size(root, "width"), _size(root, "height")
    if len(box) != 4:
        return same, (wide or 0.0, high or 0.0), tuple(notes)
    if not (box[2] > 0 and box[3] > 0):
        raise InputError(
            [Fault(place_of(root), "has a viewBox without area", "Give viewBox = 0 0 width height")]
        )
    view = _fitted(
        box,
        wide or (high * box[2] / box[3] if high else box[2]),
        high or (wide or box[2]) * box[3] / box[2],
        root,
    )
    return view, (wide or box[2], high or (wide or box[2]) * box[3] / box[2]), tuple(notes)


def nested_view(element: Element, viewport: tuple[float, float]) -> Floats:
    """From the coordinates in an inner svg to those around it."""
    try:
        x, y = (length(element.get(key, "0"), size) for key, size in zip("xy", viewport, strict=True))
        wide, high = (
            length(element.get(key, "100%"), size)
            for key, size in zip(("width", "height"), viewport, strict=True)
        )
    except ValueError:
        raise InputError([Fault(place_of(element), "has a size that is no length", "Give numbers")]) from None
    moved = np.array([[1.0, 0, x], [0, 1, y]])
    box = _numbers(element.get("viewBox", ""))
    if len(box) != 4 or min(box[2:]) <= 0:
        return moved
    return compose(moved, _fitted(box, wide, high, element))


def _fitted(box: list[float], wide: float, high: float, element: Element) -> Floats:
    """A viewBox in a viewport, as preserveAspectRatio says."""
    asked = element.get("preserveAspectRatio", "xMidYMid meet").split() or ["xMidYMid"]
    across, down = wide / box[2], high / box[3]
    if asked[0] != "none":
        across = down = max(across, down) if "slice" in asked else min(across, down)
    share = {"Min": 0.0, "Mid": 0.5, "Max": 1.0}
    spare_x, spare_y = wide - across * box[2], high - down * box[3]
    x = share.get(asked[0][1:4], 0.0) * spare_x
    y = share.get(asked[0][5:8], 0.0) * spare_y
    return np.array([[across, 0, x - across * box[0]], [0, down, y - down * box[1]]])


def _written_unit(root: Element) -> str:
    """The unit that the width or height of the page is in; "" where it is none, or a share."""
    for key in ("width", "height"):
        unit = re.sub(r"[\d.eE+\-\s]*", "", root.get(key, ""), count=1)
        if unit in MILLIMETRES and unit != "px":
            return unit
    return ""


def _size(root: Element, key: str) -> float | None:
    """The width or height of the page in pixels; None where it is a share, or not given."""
    said = root.get(key, "").strip()
    if not said or said.endswith("%") or said == "auto":
        return None
    try:
        found = length(said, 0.0)
    except ValueError:
        raise InputError(
            [Fault(place_of(root), f"has {key} = {said[:40]!r}, which is no length", "Give 100mm")]
        ) from None
    return found if found > 0 else None


def _numbers(text: str) -> list[float]:
    try:
        found = [float(one) for one in _VIEW.split(text.strip()) if one]
    except ValueError:
        return []
    return found if np.isfinite(found).all() else []
