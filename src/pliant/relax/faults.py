"""Faults between the parts of a mechanism file: names that are not there, and parts that contradict.

The data may be a raw file, however faulty, or the fields of a mechanism that was validated.
What cannot be read is left to the schema's own checks and passed over here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic_core import InitErrorDetails

from pliant.core.model import fault_at, size_fault, unknown
from pliant.relax.checks.conflicts import (
    bar_faults,
    dimension_faults,
    gear_faults,
    ground_faults,
    guide_faults,
)
from pliant.relax.checks.distinct_nodes import apart_faults
from pliant.relax.checks.drawn_overlaps import contact_faults, wrap_faults
from pliant.relax.checks.raw_data import Reading, each_name, named_elsewhere, named_in_elements, read

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
        yield from unknown(each_name(named_in_elements(data)), reading.known, "node")
    yield from unknown(each_name(named_elsewhere(data)), reading.known, "node")
    yield from _idle_nodes(used, reading)
    yield from size_fault("nodes", reading.size)
    for check in CHECKS:
        yield from check(data, reading)


def _idle_nodes(used: set[str], reading: Reading) -> Iterator[InitErrorDetails]:
    for name, at in reading.known.items():
        if name not in used:
            held = ", and holds nothing on the ground" if name in reading.ground else ""
            cure = "Join it with a bar or a plate, give it a guide, or remove it"
            problem = f"{name!r} is not used: no element names it{held}"
            yield fault_at(("nodes", name), at, problem, cure, [name])
