"""What can be read of a mechanism file, however faulty: where its nodes are, and who names them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import dist
from typing import Any

import numpy as np

from pliant.core.faults import KeyPath
from pliant.core.model import PlacedNames, get, items
from pliant.core.quantity import FARTHEST, coordinate

NEAR = 1e-9  # nodes closer than this share of the drawing's size are drawn at one place

At = tuple[float, ...]

# The keys of each kind of element that name nodes, and how many lists lie around a name there.
ELEMENTS: dict[str, dict[str, int]] = {
    "bars": {"nodes": 1},
    "strings": {"nodes": 1},
    "springs": {"nodes": 1},
    "bumpers": {"nodes": 1},
    "actuators": {"nodes": 1},
    "plates": {"nodes": 1},
    "welds": {"joint": 0, "arms": 1},
    "rotors": {"joint": 0, "arms": 1, "axis": 0},
    "hinges": {"joint": 0, "sides": 2},
    "sliders": {"node": 0, "on": 1},
    "guides": {"node": 0},
    "gears": {"wheels": 2, "carrier": 1, "wheel": 1, "rack": 0},
    "cylinders": {"lines": 2},
    "contacts": {"members": 2, "against": 2},
    "wraps": {"nodes": 1},
}
OBSTACLES = {"node": 0, "cylinder": 1}
VECTORS: dict[str, dict[str, int]] = {
    "hinges": {"axis": 1},
    "guides": {"line": 1, "plane": 1, "curve": 2},
    "gears": {"along": 1, "axis": 1},
    "wraps": {"via": 2},
    "loads": {"force": 1, "to": 1},
    "fields": {"centre": 1},
}


@dataclass(frozen=True)
class RawNodes:
    """The nodes of a file."""

    known: dict[str, Any]  # as given
    dimension: int  # of most nodes; 0 where none can be read
    points: dict[str, At]  # those that can be read and are of that dimension
    spots: dict[str, str]  # the first node drawn at the same place
    ground: dict[str, None]  # in order
    size: float  # the longest side of the drawing's box

    def at(self, *names: Any) -> list[At] | None:
        """Where some nodes are drawn; None unless all of them are known."""
        if not all(isinstance(name, str) and name in self.points for name in names):
            return None
        return [self.points[name] for name in names]


def read_nodes(data: Mapping[str, Any]) -> RawNodes:
    """Read raw data, or the fields of a mechanism that was validated."""
    given: Any = get(data, "nodes")
    pairs = given.items() if isinstance(given, Mapping) else ()
    known = {name: at for name, at in pairs if isinstance(name, str)}
    points = {name: point for name, at in known.items() if (point := position(at)) is not None}
    dimensions = Counter(map(len, points.values()))
    dimension = max(dimensions, key=lambda item: dimensions[item], default=0)  # of two as many, the first
    points = {name: point for name, point in points.items() if len(point) == dimension}
    ground = {name: None for name in items(data, "ground") if isinstance(name, str) and name in known}
    spots, size = _spots(points)
    return RawNodes(known, dimension, points, spots, ground, size)


def _spots(points: Mapping[str, At]) -> tuple[dict[str, str], float]:
    """Which nodes are drawn at one place, and the size of the drawing."""
    if not points:
        return {}, 0.0
    places = np.array(list(points.values()))
    places -= places.min(axis=0)
    size = float(places.max())
    cells = np.rint(places / (NEAR * size)) if NEAR * size else places
    first: dict[tuple[float, ...], str] = {}
    return {n: first.setdefault(tuple(cell), n) for n, cell in zip(points, cells.tolist(), strict=True)}, size


def position(at: Any) -> At | None:
    """Where a node is, two or three numbers; None where they cannot be read, or are too large."""
    point = vector(at)
    return point if point and max(map(abs, point)) <= FARTHEST else None


def vector(given: Any) -> At | None:
    """Two or three numbers; None where they cannot be read."""
    if not isinstance(given, list | tuple) or len(given) not in (2, 3):
        return None
    try:
        return tuple(map(coordinate, given))
    except (ValueError, OverflowError):
        return None


def named_in_elements(data: Mapping[str, Any]) -> PlacedNames:
    """Every place in an element that names a node, or holds a list of names."""
    for key, fields in ELEMENTS.items():
        yield from _fields((key,), items(data, key), fields)
    for index, wrap in enumerate(items(data, "wraps")):
        yield from _fields(("wraps", index, "around"), items(wrap, "around"), OBSTACLES)


def named_elsewhere(data: Mapping[str, Any]) -> PlacedNames:
    """The same of all else: the ground, loads, masses and the study."""
    study = get(data, "study")
    yield ("ground",), items(data, "ground")
    yield from _fields(("loads",), items(data, "loads"), {"node": 0})
    yield ("study", "trace"), items(study, "trace")
    tables = {("masses",): get(data, "masses")}
    tables |= {("study", key): get(study, key) for key in ("alphas", "etas")}
    for place, table in tables.items():
        names = [name for name in table if isinstance(name, str)] if isinstance(table, Mapping) else []
        yield from (((*place, name), name) for name in names)


def each_name(places: PlacedNames) -> PlacedNames:
    """Every name by itself, at its own place."""
    for place, value in places:
        named = [(place, value)] if isinstance(value, str) else _numbered_places(place, value)
        yield from ((at, name) for at, name in named if isinstance(name, str))


def _fields(place: KeyPath, elements: Iterable[Any], fields: Mapping[str, int]) -> PlacedNames:
    """What stands in some keys of elements: a name, a list (1), or each list of a list of them (2)."""
    for index, element in enumerate(elements):
        for field, depth in fields.items():
            value, at = get(element, field), (*place, index, field)
            if not isinstance(value, list | tuple if depth else str):
                continue
            if depth < 2:
                yield at, value
            else:
                yield from (item for item in _numbered_places(at, value) if isinstance(item[1], list | tuple))


def _numbered_places(place: KeyPath, value: Sequence[Any]) -> PlacedNames:
    return (((*place, index), inner) for index, inner in enumerate(value))


def wheels(gear: Any) -> dict[KeyPath, list[Any]]:
    """The pairs of nodes of a gear, by their places in it: wheels, one wheel, a carrier."""
    pairs: dict[KeyPath, Any] = {("wheels", k): pair for k, pair in enumerate(items(gear, "wheels"))}
    pairs |= {(key,): get(gear, key) for key in ("wheel", "carrier")}
    return {place: list(pair) for place, pair in pairs.items() if isinstance(pair, list | tuple)}


def vectors(data: Mapping[str, Any]) -> PlacedNames:
    """Every place that holds a point or a direction, but for the nodes themselves."""
    for key, fields in VECTORS.items():
        yield from _fields((key,), items(data, key), fields)
    yield ("gravity",), get(data, "gravity")


def line_coordinates(point: At, start: At, end: At) -> tuple[float, float]:
    """Where a point is beside the line from start to end: at which share of it, and how far off."""
    course = [b - a for a, b in zip(start, end, strict=True)]
    here = [b - a for a, b in zip(start, point, strict=True)]
    square = sum(part * part for part in course)
    share = sum(a * b for a, b in zip(course, here, strict=True)) / square if square else 0.0
    return share, dist(here, [share * part for part in course])


def point_text(point: At) -> str:
    """A place as in a file, in six digits."""
    return f"[{', '.join(f'{part:.6g}' for part in point)}]"
