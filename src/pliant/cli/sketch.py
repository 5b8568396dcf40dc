"""What can be drawn of a file with faults, with the faults written where they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from pliant.core.errors import Fault
from pliant.core.motion import Floats, Mark, Motion
from pliant.core.pose import carry
from pliant.core.quantity import angle, number
from pliant.files.faults import key_path
from pliant.linkage.reading import read


def drawn_with_faults(data: Mapping[str, Any], faults: Sequence[Fault]) -> Motion:
    """Whatever can be read from a faulty file, each part with its faults written on it."""
    marks = _linkage(data, faults) if data.get("kind") == "linkage" else _assembly(data, faults)
    return Motion(
        axis="drawn", unit="", values=np.zeros(1), title="as drawn, with its faults", marks=tuple(marks)
    )


def _linkage(data: Mapping[str, Any], faults: Sequence[Fault]) -> Iterator[Mark]:
    """Links as lines between their joints, the joints' names, and each fault at the joint it names."""
    reading = read(data)
    places = {name: np.array([at.real, at.imag]) for name, at in reading.joints.items() if at is not None}
    problems: dict[str, list[str]] = {}
    for index, joints in enumerate(reading.links):
        ends = [places[joint] for joint in joints if joint in places]
        found = [fault for fault in faults if fault.where.startswith(f"links[{index}]")]
        for start, end in combinations(ends, 2):
            yield Mark("segment", np.array([start, end]), group="fault" if found else "outline")
    for fault in faults:
        named = [joint for joint in places if _names(fault, joint)]
        problems.setdefault(named[0] if named else "", []).append(_short(fault))
    for joint, place in places.items():
        found = problems.get(joint, [])
        told = "; ".join(problem.removeprefix(f"{joint!r} ") for problem in found)
        text = f"{joint}: {told}" if found else joint
        yield Mark("label", place[None], group="fault" if found else "outline", text=text[:60])


def _names(fault: Fault, joint: str) -> bool:
    return fault.where == key_path(["joints", joint]) or repr(joint) in fault.problem


def _short(fault: Fault) -> str:
    return fault.problem.split(";")[0].split(" (given")[0]


def _assembly(data: Mapping[str, Any], faults: Sequence[Fault]) -> Iterator[Mark]:
    """Outlines, each body with its faults."""
    shapes: Any = data.get("shapes")
    bodies: Any = data.get("bodies")
    for index, body in enumerate(_tables(bodies)):
        shared: Any = body.get("shape")
        shape = shapes.get(shared) if isinstance(shapes, Mapping) and isinstance(shared, str) else body
        places = (f"bodies[{index}]", f"shapes.{shared}")
        found = [_short(fault) for fault in faults if fault.where.startswith(places)]
        yield from _sketch(body, shape, "; ".join(found))


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
