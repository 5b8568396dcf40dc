"""Parts of a mechanism that contradict each other, the drawing, or its dimension."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import dist
from typing import Any

from pliant.core.faults import KeyPath
from pliant.core.model import FaultLines, fault_at, get, items
from pliant.relax.checks.raw_data import (
    NEAR,
    At,
    RawNodes,
    line_coordinates,
    point_text,
    position,
    vector,
    vectors,
    wheels,
)

STRAIGHT = 1e-6  # nodes of a bar may lie this share of its length beside it


def dimension_faults(data: Mapping[str, Any], reading: RawNodes) -> FaultLines:
    """Nodes and vectors of another dimension than most nodes, and elements that have none in it."""
    first = next(iter(reading.points), "")
    wanted, where = reading.dimension, "in space" if reading.dimension == 3 else "in the plane"
    for name, at in reading.known.items():
        if name not in reading.points and (point := position(at)) is not None:
            problem = f"{name!r} has {len(point)} numbers, and {first!r} has {wanted}"
            cure = "Give every node two numbers, or every node three"
            yield fault_at(("nodes", name), at, problem, cure, [name])
    for place, value in vectors(data):
        point = vector(value)
        if point is None or len(point) == wanted or (wanted == 2 and place[-1] == "axis"):
            continue  # an axis in the plane is a fault of its own
        problem = f"has {len(point)} numbers, and the nodes have {wanted}"
        yield fault_at(place, value, problem, f"Give {wanted} numbers: the mechanism is {where}")
    yield from _flat_faults(data) if wanted == 2 else _spatial_faults(data, reading)


def _flat_faults(data: Mapping[str, Any]) -> FaultLines:
    """What has no meaning in the plane."""
    for index, hinge in enumerate(items(data, "hinges")):
        problem = "is a hinge in the plane, where parts that share a node turn about it already"
        yield fault_at(("hinges", index), hinge, problem, "Leave it out")
    for key, what in (("rotors", "arms"), ("gears", "wheels")):
        for index, item in enumerate(items(data, key)):
            axis: Any = get(item, "axis")
            if axis is not None:
                problem = f"is an axis in the plane, where {what} can turn one way only"
                yield fault_at((key, index, "axis"), axis, problem, "Leave it out")
    for index, wrap in enumerate(items(data, "wraps")):
        for k, obstacle in enumerate(items(wrap, "around")):
            cylinder: Any = get(obstacle, "cylinder")
            if cylinder is not None:
                place = ("wraps", index, "around", k, "cylinder")
                cure = 'Give node = "…" in its place: a circle about a node'
                yield fault_at(place, cylinder, "is a cylinder in the plane", cure)


def _spatial_faults(data: Mapping[str, Any], reading: RawNodes) -> FaultLines:
    """Rotors and gears in space without an axis, or with parts that lie on it."""
    for index, rotor in enumerate(items(data, "rotors")):
        yield from _rotor_axis(index, rotor, reading)
    for index, gear in enumerate(items(data, "gears")):
        given: Any = get(gear, "axis")
        axis = vector(given)
        if given is None:
            cure = "Add axis = [0, 0, 1]: what its wheels turn about"
            yield fault_at(("gears", index), gear, "is a gear in space without an axis", cure)
        elif axis is not None and len(axis) == 3 and any(axis):
            yield from _wheels_on_axis(index, gear, axis, reading)


def _rotor_axis(index: int, rotor: Any, reading: RawNodes) -> FaultLines:
    joint, axis = get(rotor, "joint"), get(rotor, "axis")
    if axis is None:
        cure = 'Add axis = "…": a node, to which the axis runs from the joint'
        yield fault_at(("rotors", index), rotor, "is a rotor in space without an axis", cure)
        return
    ends = reading.at(joint, axis)
    if ends is None:
        return
    if reading.spots[joint] == reading.spots[axis]:
        problem = f"{axis!r} is drawn at one place with the joint {joint!r}: there is no axis"
        yield fault_at(("rotors", index, "axis"), axis, problem, "Name a node beside the joint, on the axis")
        return
    for k, arm in enumerate(items(rotor, "arms")):
        at = reading.at(arm)
        if at is None or reading.spots[arm] == reading.spots[joint]:
            continue
        if line_coordinates(at[0], *ends)[1] <= NEAR * reading.size:
            problem = f"{arm!r} lies on the axis of the rotor, from {joint!r} to {axis!r}"
            yield fault_at(("rotors", index, "arms", k), arm, problem, "Name a node beside the axis")


def _wheels_on_axis(index: int, gear: Any, axis: At, reading: RawNodes) -> FaultLines:
    for key, wheel in wheels(gear).items():
        ends = reading.at(*wheel) if len(wheel) == 2 else None
        if ends is None or reading.spots[wheel[0]] == reading.spots[wheel[1]]:
            continue
        away = tuple(b - a for a, b in zip(*ends, strict=True))
        if line_coordinates(away, (0.0, 0.0, 0.0), axis)[1] <= NEAR * reading.size:
            problem = f"{wheel[1]!r} lies on the axis through {wheel[0]!r}, and does not turn about it"
            yield fault_at(("gears", index, *key), wheel, problem, "Name a node beside the axis")


def ground_faults(data: Mapping[str, Any], reading: RawNodes) -> FaultLines:
    """Nodes twice on the ground, nothing that could move, and drives that the ground holds."""
    seen: set[str] = set()
    for index, name in enumerate(items(data, "ground")):
        if isinstance(name, str) and name in seen:
            yield fault_at(("ground", index), name, f"{name!r} is twice in the ground", "Name it once")
        elif isinstance(name, str):
            seen.add(name)
    if len(reading.ground) == len(reading.known):
        cure = "Take those that shall move from the ground"
        yield fault_at(("ground",), list(reading.ground), "holds every node: nothing can move", cure)
        return
    for index, actuator in enumerate(items(data, "actuators")):
        yield from _held_faults(("actuators", index, "nodes"), "actuator", items(actuator, "nodes"), reading)
    for index, rotor in enumerate(items(data, "rotors")):
        nodes = [get(rotor, "joint"), *items(rotor, "arms")]
        yield from _held_faults(("rotors", index, "arms"), "rotor", nodes, reading)


def _held_faults(place: KeyPath, what: str, nodes: list[Any], reading: RawNodes) -> FaultLines:
    if nodes and all(isinstance(name, str) and name in reading.ground for name in nodes):
        problem = f"all nodes of the {what} are on the ground: it cannot move"
        yield fault_at(place, nodes, problem, f"Take one of them from the ground, or leave the {what} out")


def bar_faults(data: Mapping[str, Any], reading: RawNodes) -> FaultLines:
    """Nodes of a bar that do not lie on it, between its ends."""
    for index, bar in enumerate(items(data, "bars")):
        names = items(bar, "nodes")
        points = reading.at(*names) if len(names) > 2 else None
        if points is None or not (length := dist(points[0], points[-1])):
            continue
        for k in range(1, len(names) - 1):
            share, off = line_coordinates(points[k], points[0], points[-1])
            place = ("bars", index, "nodes", k)
            if off > STRAIGHT * length:
                problem = f"{names[k]!r} is {off:.6g} beside the line from {names[0]!r} to {names[-1]!r}"
                cure = "Move it onto the line, or make the bar one of [[plates]]"
                yield fault_at(place, names[k], problem, cure)
            elif not 0 < share < 1:
                problem = f"{names[k]!r} does not lie between {names[0]!r} and {names[-1]!r}"
                yield fault_at(place, names[k], problem, "List the nodes in order, from end to end")


def gear_faults(data: Mapping[str, Any], reading: RawNodes) -> FaultLines:
    """Gears that couple a wheel with itself."""
    for index, gear in enumerate(items(data, "gears")):
        pairs = [pair for place, pair in wheels(gear).items() if place[0] == "wheels"]
        if len(pairs) == 2 and pairs[0] == pairs[1] and reading.at(*pairs[0]):
            cure = "Name two wheels: each its centre, and a node that turns about it"
            yield fault_at(("gears", index, "wheels"), pairs, "couples a wheel with itself", cure)


def guide_faults(data: Mapping[str, Any], reading: RawNodes) -> FaultLines:
    """Nodes guided twice or held by the ground, and curves that stand still."""
    guided: dict[str, int] = {}
    for index, guide in enumerate(items(data, "guides")):
        node, place = get(guide, "node"), ("guides", index, "node")
        if not isinstance(node, str) or node not in reading.known:
            continue
        first = guided.setdefault(node, index)
        if first != index:
            cure = "Leave one of the two out; two planes that meet are a line"
            yield fault_at(place, node, f"{node!r} is guided by guides[{first}] too", cure)
        if node in reading.ground:
            cure = "Take it from the ground, or leave the guide out"
            yield fault_at(place, node, f"{node!r} is on the ground", cure)
        yield from _curve_faults(index, guide)


def _curve_faults(index: int, guide: Any) -> FaultLines:
    points = [position(point) for point in items(guide, "curve")]
    place, near = ("guides", index, "curve"), NEAR * _extent(points)
    for k, (here, after) in enumerate(pairwise(points)):
        if _coincide(here, after, near):
            problem = f"points {k} and {k + 1} of the curve are one place, {point_text(here or ())}"
            yield fault_at((*place, k + 1), None, problem, "Leave one of the two out")
    first = points[0] if points else None
    if get(guide, "closed") is True and len(points) > 2 and first and _coincide(first, points[-1], near):
        problem = f"ends where it begins, at {point_text(first)}, and is closed beside"
        yield fault_at((*place, len(points) - 1), None, problem, "Leave the last point out")


def _extent(points: Iterable[At | None]) -> float:
    """The longest side of the box about points."""
    return max((max(axis) - min(axis) for axis in zip(*filter(None, points), strict=False)), default=0.0)


def _coincide(first: At | None, second: At | None, near: float) -> bool:
    """Whether two points are known and nowhere apart by more than rounding."""
    if first is None or second is None or len(first) != len(second):
        return False
    return max(abs(a - b) for a, b in zip(first, second, strict=True)) <= near
