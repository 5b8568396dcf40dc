"""Faults between the parts of a mechanism file: names that are not there, and parts that contradict.

The data may be a raw file, however faulty, or the fields of a mechanism that was validated.
What cannot be read is left to the schema's own checks and passed over here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from pydantic_core import InitErrorDetails

from pliant.core.model import fault_at, unknown
from pliant.relax.apart import apart_faults
from pliant.relax.conflicts import bar_faults, dimension_faults, gear_faults, ground_faults, guide_faults
from pliant.relax.overlaps import contact_faults, wrap_faults
from pliant.relax.reading import Found, Reading, each_name, named_elsewhere, named_in_elements, read

SUGGESTED = 40  # unknown names that get the nearest known one
SEARCHED = 2000  # names it is looked for among; beyond either, looking takes longer than it helps

CHECKS = (
    dimension_faults,
    ground_faults,
    apart_faults,
    bar_faults,
    gear_faults,
    guide_faults,
    contact_faults,
    wrap_faults,
)


def reference_faults(data: Mapping[str, Any]) -> Iterable[InitErrorDetails]:
    """All that is wrong between the parts of a mechanism, each at its place and with a cure."""
    reading = read(data)
    if not reading.known:
        return
    lists = (value if isinstance(value, list | tuple) else (value,) for _, value in named_in_elements(data))
    used = {name for names in lists for name in names if isinstance(name, str)}
    if not used <= reading.known.keys():
        yield from _unknown_nodes(named_in_elements(data), reading)
    yield from _unknown_nodes(named_elsewhere(data), reading)
    yield from _idle_nodes(used, reading)
    for check in CHECKS:
        yield from check(data, reading)


def _unknown_nodes(named: Found, reading: Reading) -> Iterator[InitErrorDetails]:
    found = ((place, name) for place, name in each_name(named) if name not in reading.known)
    searched = dict.fromkeys(islice(reading.known, SEARCHED))
    for place, name in islice(found, SUGGESTED):
        yield from unknown(place, name, searched, "node")
    for place, name in found:
        yield fault_at(place, name, f"{name!r} is not a node of this model", "Name one that is in [nodes]")


def _idle_nodes(used: set[str], reading: Reading) -> Iterator[InitErrorDetails]:
    for name, at in reading.known.items():
        if name not in used:
            held = ", and holds nothing on the ground" if name in reading.ground else ""
            cure = "Join it with a bar or a plate, give it a guide, or remove it"
            yield fault_at(("nodes", name), at, f"{name!r} is not used: no element names it{held}", cure)
