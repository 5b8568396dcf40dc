"""What can be drawn of a file with faults, with the faults written where they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault
from pliant.core.faults import key_path
from pliant.core.motion import Mark, Motion
from pliant.core.pose import carry
from pliant.core.quantity import angle, number
from pliant.linkage.faults import raw_linkage as read_linkage
from pliant.relax.checks.raw_data import named_in_elements
from pliant.relax.checks.raw_data import read_nodes as read_mechanism
from pliant.snap.arithmetic.half_angle import half_angle
from pliant.view.scene import VIEW

_QUOTED = re.compile(r"'([^']+)'")


def drawn_with_faults(data: Mapping[str, Any], faults: Sequence[Fault]) -> Motion:
    """Whatever can be read from a faulty file, each part with its faults written on it."""
    sketches = {"linkage": _linkage, "mechanism": _mechanism, "fastener": _fastener}
    kind: Any = data.get("kind")
    marks = sketches.get(kind if isinstance(kind, str) else "", _assembly)(data, faults)
    return Motion(
        axis="drawn", unit="", values=np.zeros(1), title="as drawn, with its faults", marks=tuple(marks)
    )


def _linkage(data: Mapping[str, Any], faults: Sequence[Fault]) -> Iterator[Mark]:
    """Links as lines between their joints."""
    reading = read_linkage(data)
    places = {name: np.array([at.real, at.imag]) for name, at in reading.joints.items() if at is not None}
    links = [(f"links[{index}]", joints) for index, joints in enumerate(reading.links)]
    return _link_marks("joints", places, links, faults)


def _mechanism(data: Mapping[str, Any], faults: Sequence[Fault]) -> Iterator[Mark]:
    """Elements as lines between their nodes; in space, seen from a corner."""
    points = read_mechanism(data).points
    places = {name: VIEW @ at if len(at) == 3 else np.array(at) for name, at in points.items()}
    elements = [
        (key_path(place[:2]), [name for name in names if isinstance(name, str)])
        for place, names in named_in_elements(data)
        if isinstance(names, list | tuple)
    ]
    return _link_marks("nodes", places, elements, faults)


def _link_marks(
    key: str, places: Mapping[str, Floats], links: Iterable[tuple[str, list[str]]], faults: Sequence[Fault]
) -> Iterator[Mark]:
    """Lines between the points of each link, the points' names, and each fault at the point it names."""
    faulty = {fault.where.partition("]")[0] + "]" for fault in faults}
    for where, names in links:
        ends = [places[name] for name in names if name in places]
        group = "fault" if where in faulty else "outline"
        for start, end in zip(ends, ends[1:] + (ends[:1] if len(ends) > 2 else []), strict=False):
            yield Mark("segment", np.array([start, end]), group=group)
    order = {name: index for index, name in enumerate(places)}
    written = {key_path([key, name]): name for name in places}
    problems: dict[str, list[str]] = {}
    for fault in faults:
        named = [*_QUOTED.findall(fault.problem), written.get(fault.where, "")]
        first = min((name for name in named if name in order), key=lambda name: order[name], default="")
        problems.setdefault(first, []).append(_short_text(fault))
    for name, place in places.items():
        found = problems.get(name, [])
        told = "; ".join(problem.removeprefix(f"{name!r} ") for problem in found)
        text = f"{name}: {told}" if found else name
        yield Mark("label", place[None], group="fault" if found else "outline", text=text[:60])


def _short_text(fault: Fault) -> str:
    return fault.problem.split(";")[0].split(" (given")[0]


def _assembly(data: Mapping[str, Any], faults: Sequence[Fault]) -> Iterator[Mark]:
    """Outlines, each body with its faults."""
    for index, body in enumerate(_tables(data.get("bodies"))):
        yield from _part(f"bodies[{index}]", body, data.get("shapes"), faults)


def _fastener(data: Mapping[str, Any], faults: Sequence[Fault]) -> Iterator[Mark]:
    """Outlines of the root, the obstacles and the pawls at rest, each with its faults."""
    root: Any = data.get("root")
    parts = [("root", {**root, "name": "root"} if isinstance(root, Mapping) else {})]
    for key, place in (("obstacles", "at"), ("pawls", "hinge")):
        tables = _tables(data.get(key))
        parts += [(f"{key}[{index}]", _own_frame(part, place)) for index, part in enumerate(tables)]
    for where, part in parts:
        yield from _part(where, part, data.get("shapes"), faults)


def _part(where: str, part: Mapping[str, Any], shapes: Any, faults: Sequence[Fault]) -> Iterator[Mark]:
    """The outline of its own or the shape it shares, with its faults."""
    shared: Any = part.get("shape")
    shape = shapes.get(shared) if isinstance(shapes, Mapping) and isinstance(shared, str) else part
    found = [_short_text(fault) for fault in faults if fault.where.startswith((where, f"shapes.{shared}"))]
    yield from _sketch(part, shape, "; ".join(found))


def _own_frame(part: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A part with a pose: where its own frame is, and how far it is turned at rest."""
    at: Any = part.get(key)
    place: list[Any] = list(at) if isinstance(at, list | tuple) and len(at) == 2 else [0, 0]
    try:
        rest = half_angle(part.get("rest", 0)).angle
    except (ValueError, TypeError):
        rest = 0.0
    return {**part, "pose": [*place, rest]}


def _tables(value: Any) -> list[Mapping[str, Any]]:
    items: list[Any] = value if isinstance(value, list) else []
    return [item if isinstance(item, Mapping) else {} for item in items]


def _rings(shape: Any) -> list[Any]:
    """Whatever stands where outlines and holes of a shape should."""
    if not isinstance(shape, Mapping):
        return [shape]
    holes, several = shape.get("holes"), shape.get("outlines")
    own = [shape["outline"]] if "outline" in shape else []
    own += holes if isinstance(holes, list) else []
    return own + [ring for piece in (several if isinstance(several, list) else ()) for ring in _rings(piece)]


def _sketch(body: Mapping[str, Any], shape: Any, problem: str) -> Iterator[Mark]:
    for place, ring in enumerate(_rings(shape)):
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
