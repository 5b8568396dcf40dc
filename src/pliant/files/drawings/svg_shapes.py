"""The lines of one SVG shape: paths, arcs and basic shapes by svgelements, flattened under a transform."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
import svgelements as svg

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.files.drawings.flatten import bezier_points, ellipse_points
from pliant.files.drawings.units import MILLIMETRES
from pliant.files.xml_tree import place_of, tag_of

SHAPES = ("path", "rect", "circle", "ellipse", "line", "polyline", "polygon")
_PIXELS = {
    **{unit: MILLIMETRES[unit] / MILLIMETRES["px"] for unit in ("mm", "cm", "in", "pt", "pc")},
    **{
        "px": 1.0,
        "em": 16.0,
        "rem": 16.0,
        "ex": 8.0,
        "m": MILLIMETRES["m"] / MILLIMETRES["px"],
        "ft": 1152.0,
    },
}
_LENGTH = re.compile(
    r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*(%|mm|cm|in|pt|pc|px|em|rem|ex|m|ft)?\s*"
)
SHOWN = 24  # characters of path data around a fault
_TRANSFORMS = re.compile(r"[\s,]*(?:(?:matrix|translate|scale|rotate|skewX|skewY)\s*\([^()]*\)[\s,;]*)+")


def shape_lines(
    element: Element, matrix: Floats, chord: float, viewport: tuple[float, float]
) -> Iterator[tuple[Floats, bool]]:
    """Polylines (K, 2) of a shape, carried by a matrix (2, 3), and whether each is closed."""
    try:
        path = _path_of(element, viewport)
    except InputError:
        raise
    except (ValueError, TypeError, AttributeError, IndexError, ZeroDivisionError, OverflowError):
        raise _refusal(element, "has numbers that cannot be read") from None
    run: list[Floats] = []
    for segment in path:
        kind = type(segment)
        if kind is svg.Move:
            yield from _finished(run, False)
            run = []
            continue
        with np.errstate(all="ignore"):  # of what is not finite, which is refused below
            points = _segment_points(segment, matrix, chord)
        if points is not None:
            if not np.isfinite(points).all():
                raise _refusal(element, "has a number that is not finite")
            run.append(points)
        if kind is svg.Close:
            yield from _finished(run, True)
            run = []
    yield from _finished(run, False)


def circle_of(element: Element, matrix: Floats) -> tuple[tuple[float, float], float] | None:
    """Centre and radius of a circle that stays one under a matrix."""
    if tag_of(element) not in ("circle", "ellipse"):
        return None
    try:
        x, y = (length(element.get(key, "0"), 0.0) for key in ("cx", "cy"))
        radii = [length(element.get(key, element.get("r", "0")), 0.0) for key in ("rx", "ry")]
    except ValueError:
        return None
    axes = np.linalg.svd(matrix[:, :2] * radii, compute_uv=False)
    if not (np.isfinite(axes).all() and 0 < axes[0] <= axes[1] * (1 + 1e-6)):
        return None
    centre = matrix @ np.array([x, y, 1.0])
    return (float(centre[0]), float(centre[1])), float(axes.mean())


def matrix_of(text: str | None, element: Element) -> Floats:
    """A transform attribute as a matrix (2, 3)."""
    if not text or text.strip() in ("", "none"):
        return np.array([[1.0, 0, 0], [0, 1, 0]])
    try:
        if not _TRANSFORMS.fullmatch(text):
            raise ValueError(text)
        made: Any = svg.Matrix(text)
        matrix = np.array([[made.a, made.c, made.e], [made.b, made.d, made.f]], np.float64)
    except (ValueError, TypeError, AttributeError, IndexError, OverflowError):
        raise _refusal(element, f"has a transform that cannot be read: {text[:60]!r}") from None
    if not np.isfinite(matrix).all():
        raise _refusal(element, "has a transform that is not finite")
    return matrix


def compose(outer: Floats, inner: Floats) -> Floats:
    """One matrix (2, 3) after another."""
    return outer @ np.vstack([inner, [0.0, 0.0, 1.0]])


def length(text: str, relative_to: float) -> float:
    """A length in pixels: "10mm", "3in", "50%" of something; ValueError where it is none.

    >>> length("25.4mm", 0.0), length("2in", 0.0), length("50%", 80.0), length("-3", 0.0)
    (96.0, 192.0, 40.0, -3.0)
    """
    said = _LENGTH.fullmatch(text)
    if said is None:
        raise ValueError(text)
    amount, unit = float(said[1]), said[2] or "px"
    amount *= relative_to / 100 if unit == "%" else _PIXELS[unit]
    if not math.isfinite(amount):
        raise ValueError(text)
    return amount


def _path_of(element: Element, viewport: tuple[float, float]) -> Any:
    tag = tag_of(element)
    if tag == "path":
        return _path_data(element)
    if tag in ("polyline", "polygon"):
        numbers = [float(one) for one in element.get("points", "").replace(",", " ").split()]
        points = [complex(*pair) for pair in zip(numbers[::2], numbers[1::2], strict=False)]
        path: Any = svg.Path()
        if points:
            path.move(points[0])
            path.line(*points[1:])
            if tag == "polygon":
                path.closed()
        return path
    return svg.Path(_basic_shape(element, tag, viewport))


def _path_data(element: Element) -> Any:
    text = element.get("d", "")
    path: Any = svg.Path()
    lexer: Any = svg.svgelements.SVGLexicalParser()
    try:
        lexer.parse(path, text)
        path.validate_connections()
    except (ValueError, TypeError, AttributeError, IndexError, OverflowError):
        pass
    else:
        if not text[lexer.pos :].strip():
            return path
    near = text[max(0, lexer.pos - SHOWN // 2) : lexer.pos + SHOWN // 2]
    raise _refusal(element, f"has path data that cannot be read at character {lexer.pos + 1}, near {near!r}")


def _basic_shape(element: Element, tag: str, viewport: tuple[float, float]) -> Any:
    wide, high = viewport
    across = math.hypot(wide, high) / math.sqrt(2)

    def get(key: str, relative: float) -> float:
        return length(element.get(key, "0") or "0", relative)

    if tag == "line":
        return svg.SimpleLine(get("x1", wide), get("y1", high), get("x2", wide), get("y2", high))
    if tag == "circle":
        return svg.Circle(cx=get("cx", wide), cy=get("cy", high), r=max(get("r", across), 0.0))
    if tag == "ellipse":
        rx, ry = max(get("rx", wide), 0.0), max(get("ry", high), 0.0)
        return svg.Ellipse(cx=get("cx", wide), cy=get("cy", high), rx=rx, ry=ry)
    size = {"width": get("width", wide), "height": get("height", high)}
    if min(size.values()) <= 0:
        return svg.Path()
    radii = {
        key: get(key, relative)
        for key, relative in (("rx", wide), ("ry", high))
        if element.get(key, "auto") != "auto"
    }
    return svg.Rect(x=get("x", wide), y=get("y", high), **size, **radii)


def _segment_points(segment: Any, matrix: Floats, chord: float) -> Floats | None:
    """The points of a segment under a matrix; None of one that has no length."""
    if segment.start is None or segment.end is None:
        return None
    turn, shift = matrix[:, :2], matrix[:, 2]

    def carried(*points: Any) -> Floats:
        return np.array([(point.x, point.y) for point in points]) @ turn.T + shift

    if isinstance(segment, svg.Arc):
        return _arc_points(segment, turn, shift, chord)
    if isinstance(segment, svg.CubicBezier):
        return bezier_points(carried(segment.start, segment.control1, segment.control2, segment.end), chord)
    if isinstance(segment, svg.QuadraticBezier):
        return bezier_points(carried(segment.start, segment.control, segment.end), chord)
    return carried(segment.start, segment.end)


def _arc_points(arc: Any, turn: Floats, shift: Floats, chord: float) -> Floats:
    ends = np.array([(arc.start.x, arc.start.y), (arc.end.x, arc.end.y)]) @ turn.T + shift
    if not (arc.rx and arc.ry and arc.sweep):
        return ends
    centre = np.array([arc.center.x, arc.center.y])
    first = np.array([arc.prx.x, arc.prx.y]) - centre
    second = np.array([arc.pry.x, arc.pry.y]) - centre
    points = ellipse_points(
        turn @ centre + shift, turn @ first, turn @ second, float(arc.get_start_t()), float(arc.sweep), chord
    )
    points[0], points[-1] = ends
    return points


def _finished(run: list[Floats], closed: bool) -> Iterator[tuple[Floats, bool]]:
    if run:
        points = np.vstack([run[0], *(part[1:] for part in run[1:])])
        yield (
            (
                np.vstack([points, points[:1]])
                if closed and not np.array_equal(points[0], points[-1])
                else points
            ),
            closed,
        )


def _refusal(element: Element, problem: str) -> InputError:
    cure = "Mend it, or leave it out with --skip and its id"
    return InputError([Fault(place_of(element), problem, cure)])
