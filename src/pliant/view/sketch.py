"""What can be drawn of a file with faults, with the faults written where they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault
from pliant.core.faults import key_path
from pliant.core.model import as_list
from pliant.core.motion import Mark
from pliant.core.pose import carry
from pliant.core.quantity import angle, number


def pinned(
    key: str, places: Mapping[str, Floats], links: Iterable[tuple[str, list[str]]], faults: Sequence[Fault]
) -> Iterator[Mark]:
    """Lines between the points of each link, the points' names, and each fault at the first it is about.

    `key` is that of the points in the file, `links` are their places in it and the points they have.
    """
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
        named = [*fault.names, written.get(fault.where, "")]
        first = min((name for name in named if name in order), key=lambda name: order[name], default="")
        problems.setdefault(first, []).append(_short(fault))
    for name, place in places.items():
        found = problems.get(name, [])
        told = "; ".join(problem.removeprefix(f"{name!r} ") for problem in found)
        text = f"{name}: {told}" if found else name
        yield Mark("label", place[None], group="fault" if found else "outline", text=text[:60])


def part(where: str, table: Mapping[str, Any], shapes: Any, faults: Sequence[Fault]) -> Iterator[Mark]:
    """A part's own outline or the shape it shares, at its pose, with its faults."""
    shared: Any = table.get("shape")
    shape = shapes.get(shared) if isinstance(shapes, Mapping) and isinstance(shared, str) else table
    texts = [_short(fault) for fault in faults if fault.where.startswith((where, f"shapes.{shared}"))]
    yield from _outlines(table, shape, "; ".join(texts))


def tables(value: Any) -> list[Mapping[str, Any]]:
    """A list of tables; what is no table in it is an empty one."""
    return [item if isinstance(item, Mapping) else {} for item in as_list(value)]


def _short(fault: Fault) -> str:
    return fault.problem.split(";")[0].split(" (given")[0]


def _rings(shape: Any) -> list[Any]:
    """Whatever stands where outlines and holes of a shape should."""
    if not isinstance(shape, Mapping):
        return [shape]
    own = [shape["outline"]] if "outline" in shape else []
    own += as_list(shape.get("holes"))
    return own + [ring for piece in as_list(shape.get("outlines")) for ring in _rings(piece)]


def _outlines(body: Mapping[str, Any], shape: Any, problem: str) -> Iterator[Mark]:
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
