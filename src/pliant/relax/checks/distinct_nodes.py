"""Nodes of one element that must be different, and drawn at different places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic_core import InitErrorDetails

from pliant.core.faults import KeyPath
from pliant.core.model import fault_at, get, items
from pliant.core.quantity import number
from pliant.relax.checks.raw_data import RawNodes, point_text, wheels


class DistinctNodes(NamedTuple):
    """Nodes that an element has together."""

    place: KeyPath
    what: str
    names: list[Any]
    apart: bool = True  # drawn at one place they would give it no length or direction


def distinct_faults(data: Mapping[str, Any], reading: RawNodes) -> Iterator[InitErrorDetails]:
    """Nodes named twice in an element, or drawn at one place where they must be apart."""
    for nodes in _node_groups(data):
        names = [name for name in nodes.names if isinstance(name, str) and name in reading.spots]
        spots = [reading.spots[name] for name in names] if nodes.apart else names
        if len(set(spots)) == len(spots):
            continue
        first: dict[str, str] = {}  # at each place
        for spot, name in zip(spots, names, strict=True):
            if spot in first:
                yield _coincidence_fault(nodes, first[spot], name, reading)
            else:
                first[spot] = name


def _coincidence_fault(nodes: DistinctNodes, first: str, second: str, reading: RawNodes) -> InitErrorDetails:
    if first == second:
        cure = "Name two different nodes" if len(nodes.names) == 2 else "Name it once"
        problem = f"{first!r} is twice in the {nodes.what}"
        return fault_at(nodes.place, nodes.names, problem, cure, [first])
    where = point_text(reading.points[second])
    problem = f"{first!r} and {second!r} of the {nodes.what} are drawn at one place, {where}"
    cure = "Move one of them, or use one node in place of the two"
    return fault_at(nodes.place, nodes.names, problem, cure, [first, second])


def _node_groups(data: Mapping[str, Any]) -> Iterator[DistinctNodes]:
    for key in ("bars", "actuators", "bumpers", "plates", "strings", "springs"):
        for index, item in enumerate(items(data, key)):
            apart = key not in ("strings", "springs") or _needs_length(key, item)
            yield DistinctNodes((key, index, "nodes"), key[:-1], items(item, "nodes"), apart)
    for key in ("welds", "rotors"):
        for index, item in enumerate(items(data, key)):
            yield from _arms((key, index), key[:-1], item)
    for index, hinge in enumerate(items(data, "hinges")):
        sides = [name for side in items(hinge, "sides") if isinstance(side, list | tuple) for name in side]
        yield DistinctNodes(("hinges", index, "sides"), "hinge", [get(hinge, "joint"), *sides], apart=False)
    for index, slider in enumerate(items(data, "sliders")):
        on = items(slider, "on")
        yield DistinctNodes(("sliders", index, "on"), "line of the slider", on)
        yield DistinctNodes(
            ("sliders", index), "slider", [get(slider, "node"), *dict.fromkeys(_texts(on))], apart=False
        )
    for index, gear in enumerate(items(data, "gears")):
        for key, pair in wheels(gear).items():
            yield DistinctNodes(("gears", index, *key), "carrier" if key == ("carrier",) else "wheel", pair)
    for index, circuit in enumerate(items(data, "cylinders")):
        for k, line in enumerate(items(circuit, "lines")):
            yield _pair(("cylinders", index, "lines", k), "cylinder", line)
    for index, wrap in enumerate(items(data, "wraps")):
        yield from _wrap(("wraps", index), wrap)


def _arms(place: KeyPath, what: str, item: Any) -> Iterator[DistinctNodes]:
    arms = items(item, "arms")
    yield DistinctNodes((*place, "arms"), what, arms, apart=False)
    for k, arm in enumerate(arms):
        yield DistinctNodes((*place, "arms", k), what, [get(item, "joint"), arm])


def _wrap(place: KeyPath, wrap: Any) -> Iterator[DistinctNodes]:
    if not items(wrap, "via"):  # with points between, it may come back to where it began
        yield DistinctNodes((*place, "nodes"), "wrap", items(wrap, "nodes"))
    for k, obstacle in enumerate(items(wrap, "around")):
        yield _pair((*place, "around", k, "cylinder"), "obstacle", get(obstacle, "cylinder"))


def _pair(place: KeyPath, what: str, names: Any) -> DistinctNodes:
    return DistinctNodes(place, what, list(names) if isinstance(names, list | tuple) else [])


def _needs_length(key: str, item: Any) -> bool:
    """Whether a string or spring takes its length from the drawing, or pushes and must know which way."""
    length: Any = get(item, "length")
    if key == "strings":
        return length is None
    try:
        return length is not None and number(length) > 0
    except (ValueError, OverflowError):
        return False


def _texts(names: list[Any]) -> list[str]:
    return [name for name in names if isinstance(name, str)]
