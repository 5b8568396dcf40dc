"""A model as it is drawn, before anything moves; and what can be drawn of one with faults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.core.errors import Fault
from pliant.core.motion import Floats, Mark, Motion, Shape
from pliant.core.pose import carry
from pliant.core.quantity import angle, number

if TYPE_CHECKING:
    from pliant.flex.model import Assembly


def drawn(model: Assembly) -> Motion:
    """One frame: the parts as they will move (inset by the clearance), pins, regions and sights."""
    from pliant.flex.parts import compile_parts

    parts = compile_parts(model)
    return Motion(
        axis="drawn",
        unit="",
        values=np.zeros(1),
        title=model.title,
        length_unit=model.units,
        bodies=parts.names,
        shapes=tuple(Shape(rings) for rings in parts.shapes),
        body_shapes=parts.shape_of,
        fixed=parts.moving[:-1] < 0,
        poses=parts.drawn[None, :-1],
        marks=tuple(_marks(model, parts.extent)),
    )


def _marks(model: Assembly, extent: float) -> Iterator[Mark]:
    poses = {body.name: np.array(body.pose) for body in model.bodies}
    circle = np.linspace(0, 2 * np.pi, 33)[:-1]
    for pin in model.pins:
        radius = max(pin.clearance / 2, 0.006 * extent)
        disc = np.array(pin.at) + radius * np.stack([np.cos(circle), np.sin(circle)], axis=1)
        yield Mark("polygon", disc, group="pin")
    for keep in model.keep:
        yield Mark("polygon", np.array(keep.inside), group="keep")
    for sight in model.sights:
        apex = carry(poses[sight.viewer], np.array(sight.apex))
        reach = 1.1 * float(np.linalg.norm(carry(poses[sight.to], np.array(sight.marker)) - apex))
        spread = np.linspace(-1, 1, 9) * sight.half_angle + sight.axis + poses[sight.viewer][2]
        rim = apex + reach * np.stack([np.cos(spread), np.sin(spread)], axis=1)
        yield Mark("polygon", np.vstack([apex, rim]), group="sight")


def drawn_with_faults(data: Mapping[str, Any], faults: Sequence[Fault]) -> Motion:
    """Whatever outlines can be read from a faulty file, each body with its faults written on it."""
    shapes: Any = data.get("shapes")
    bodies: Any = data.get("bodies")
    marks: list[Mark] = []
    for index, body in enumerate(_tables(bodies)):
        shared: Any = body.get("shape")
        shape = shapes.get(shared) if isinstance(shapes, Mapping) and isinstance(shared, str) else body
        places = (f"bodies[{index}]", f"shapes.{shared}")
        found = [
            fault.problem.split(";")[0].split(" (given")[0]
            for fault in faults
            if fault.where.startswith(places)
        ]
        marks.extend(_sketch(body, shape, "; ".join(found)))
    return Motion(
        axis="drawn", unit="", values=np.zeros(1), title="as drawn, with its faults", marks=tuple(marks)
    )


def _tables(value: Any) -> list[Mapping[str, Any]]:
    items: list[Any] = value if isinstance(value, list) else []
    return [item if isinstance(item, Mapping) else {} for item in items]


def _sketch(body: Mapping[str, Any], shape: Any, problem: str) -> Iterator[Mark]:
    holes: Any = shape.get("holes") if isinstance(shape, Mapping) else None
    outline: Any = shape.get("outline") if isinstance(shape, Mapping) else shape
    rings: list[Any] = [outline, *(holes if isinstance(holes, list) else ())]
    for place, ring in enumerate(rings):
        points = _points(body, ring)
        if points is None:
            continue
        for start, end in zip(points, np.roll(points, -1, axis=0), strict=True):
            yield Mark("segment", np.array([start, end]), group="fault" if problem else "outline")
        if place == 0 and problem:
            text = f"{body.get('name', '')}: {problem}"
            yield Mark("label", points.mean(axis=0)[None], group="fault", text=text[:50])
        if problem:  # vertices numbered as the messages number them
            yield from (Mark("label", p[None], group="fault", text=str(i)) for i, p in enumerate(points[:60]))


def _points(body: Mapping[str, Any], ring: Any) -> Floats | None:
    try:
        pose = [*map(number, body.get("pose", (0, 0, 0))[:2]), angle(body.get("pose", (0, 0, 0))[2])]
        points = [[number(x), number(y)] for x, y in ring]
    except (ValueError, TypeError, LookupError):
        return None
    return carry(np.array(pose), np.array(points)) if points else None
