"""Faults between the parts of a linkage file: names that are not there, and parts that contradict.

The data may be a raw file, however faulty, or the fields of a linkage that was validated.
What cannot be read is left to the schema's own checks and passed over here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, islice
from typing import Any

from pydantic_core import InitErrorDetails

from pliant.core.model import SEARCHED, Place, fault_at, get, items, size_fault, unknown
from pliant.linkage.conflicts import ground_faults, link_faults, motor_faults, slider_faults
from pliant.linkage.reading import Reading, entries, listed, read

EDIT: Place = ("study", "edit")
KEEP: Place = (*EDIT, "keep")

Named = Iterator[tuple[Place, Any]]


def reference_faults(data: Mapping[str, Any]) -> Iterable[InitErrorDetails]:
    """All that is wrong between the parts of a linkage, each at its place and with a cure."""
    reading = read(data)
    if not reading.joints:
        return
    yield from unknown(_named_joints(data), reading.joints, "joint")
    yield from unknown(_named_links(data), reading.labels, "link")
    yield from size_fault("joints", reading.size)
    yield from ground_faults(data, reading)
    yield from link_faults(data, reading)
    yield from motor_faults(data, reading)
    yield from slider_faults(data, reading)
    yield from _idle_joints(data, reading)
    yield from _pair_faults(data, reading)
    yield from _tolerance_faults(data, reading)


def _named_joints(data: Mapping[str, Any]) -> Named:
    """Every place that names a joint."""
    study = get(data, "study")
    edit = get(study, "edit")
    keep = get(edit, "keep")
    yield from _each(("ground",), get(data, "ground"))
    for index, link in enumerate(items(data, "links")):
        yield from _each(("links", index, "joints"), get(link, "joints"))
    yield from _field((), data, "motors", "joint", "drives", "slider")
    for index, motor in enumerate(items(data, "motors")):
        yield from _each(("motors", index, "strut"), get(motor, "strut"))
    yield from _field((), data, "sliders", "joint")
    yield from _field((), data, "loads", "joint")
    yield from _each(("study", "trace"), get(study, "trace"))
    yield from _field(EDIT, edit, "move", "joint")
    yield from _field(EDIT, edit, "curves", "point")
    for key in ("lengths", "enclosure"):
        for index, item in enumerate(items(edit, key)):
            yield from _each((*EDIT, key, index, "joints"), get(item, "joints"))
    for key in ("joints", "curves", "timing"):
        yield from _each((*KEEP, key), get(keep, key))
    for index, pair in enumerate(items(keep, "lengths")):
        yield from _each((*KEEP, "lengths", index), pair)
    for index, symmetry in enumerate(items(keep, "symmetry")):
        for place, pair in enumerate(items(symmetry, "pairs")):
            yield from _each((*KEEP, "symmetry", index, "pairs", place), pair)


def _named_links(data: Mapping[str, Any]) -> Named:
    """Every place that names a link."""
    edit = get(get(data, "study"), "edit")
    yield from _field((), data, "sliders", "on")
    yield from _field((), data, "loads", "link")
    yield from _field(EDIT, edit, "lengths", "link")
    yield from _each((*KEEP, "links"), get(get(edit, "keep"), "links"))


def _field(place: Place, table: Any, key: str, *fields: str) -> Named:
    for index, item in enumerate(items(table, key)):
        yield from (((*place, key, index, field), get(item, field)) for field in fields)


def _each(place: Place, names: Any) -> Named:
    yield from (((*place, index), name) for index, name in enumerate(entries(names)))


def _idle_joints(data: Mapping[str, Any], reading: Reading) -> Iterator[InitErrorDetails]:
    used = {*reading.members, *reading.ground}
    used.update(name for _, name in _field((), data, "sliders", "joint") if isinstance(name, str))
    positions: Any = get(data, "joints")
    for name in reading.joints:
        if name not in used:
            problem = f"{name!r} is in no link and no slider, and not on the ground"
            yield fault_at(("joints", name), positions[name], problem, "Add it to a link, or remove it")


def _pair_faults(data: Mapping[str, Any], reading: Reading) -> Iterator[InitErrorDetails]:
    """Distances of two joints that no link keeps."""
    edit = get(get(data, "study"), "edit")
    asked = [
        ((*EDIT, "lengths", index, "joints"), items(length, "joints"))
        for index, length in enumerate(items(edit, "lengths"))
    ]
    kept = items(get(edit, "keep"), "lengths")
    asked += [((*KEEP, "lengths", index), entries(pair)) for index, pair in enumerate(kept)]
    for place, pair in asked:
        if len(pair) != 2 or not reading.knows(*pair):
            continue
        first, second = pair
        if first == second or not reading.common(first, second):
            cure = f"Joints in a link with {first}: {listed(reading.linked(first))}"
            yield fault_at(place, pair, f"{first!r} and {second!r} are not two joints of one link", cure)


def _tolerance_faults(data: Mapping[str, Any], reading: Reading) -> Iterator[InitErrorDetails]:
    given: Any = get(get(data, "study"), "tolerances")
    names = [name for name in given if isinstance(name, str)] if isinstance(given, Mapping) else []
    wrong = ((("study", "tolerances", name), name) for name in names if not _is_dimension(name, reading))
    yield from unknown(wrong, dict.fromkeys(islice(_dimensions(reading), SEARCHED)), "dimension")


def _is_dimension(name: str, reading: Reading) -> bool:
    """Whether it is a distance "B-C" in a link, a pivot's "A.x", a guide's "P.offset", or "P off B-C"."""
    joint, _, axis = name.rpartition(".")
    if axis == "offset" and joint in reading.joints:
        return True
    beside, off, base = name.partition(" off ")
    if off:
        return beside in reading.joints and _is_dimension(base, reading)
    parts = name.split("-")  # a joint's own name may hold dashes
    splits = (("-".join(parts[:at]), "-".join(parts[at:])) for at in range(1, len(parts)))
    pair = any(first != second and reading.common(first, second) for first, second in splits)
    return pair or (axis in ("x", "y") and joint in reading.ground)


def _dimensions(reading: Reading) -> Iterator[str]:
    for joints in reading.links:
        yield from (f"{first}-{second}" for first, second in combinations(joints, 2))
    yield from (f"{joint}.{axis}" for joint in reading.ground for axis in "xy")
