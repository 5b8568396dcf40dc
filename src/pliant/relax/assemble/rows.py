"""What a mechanism is compiled to, one element at a time, before it becomes arrays."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.network.laws import BAR

DriveValues = tuple[
    float, ...
]  # values at equal steps of the drive, the first at its start; one where nothing drives
AxisVector = tuple[float, ...]


class LinkRow(NamedTuple):
    """One link: the distance of two nodes."""

    name: str
    ends: tuple[int, int]
    rest: DriveValues
    stiffness: float
    law: int = BAR
    band: float = 0.0
    rigid: bool = True  # its length shall hold
    hidden: bool = False


class Rail(NamedTuple):
    """The distance of a node from the line through two others."""

    name: str
    nodes: tuple[int, int, int]
    stiffness: float
    rest: float = 0.0
    law: int = BAR
    band: float = 0.0
    rigid: bool = True  # its distance shall hold


class Measure(NamedTuple):
    """A length, an angle or a coordinate, with its weight in a coupling."""

    kind: int
    nodes: tuple[int, ...]
    factor: float
    frame: tuple[AxisVector, ...] = ()  # axes of an angle, or the direction of travel


class Coupling(NamedTuple):
    """A weighted sum of measures."""

    name: str
    measures: tuple[Measure, ...]
    goal: DriveValues  # what the sum shall be; where `counted`, beyond what it is as drawn
    stiffness: float
    law: int = BAR
    band: float = 0.0
    counted: bool = True
    rigid: bool = True  # what it measures shall hold


@dataclass(frozen=True)
class Layout:
    """Nodes by number: the model's own in its order, then hidden ones."""

    names: tuple[str, ...]
    number: Mapping[str, int]  # of the model's own
    drawn: Floats  # (N, D)
    stiffness: float  # of what is rigid

    @cached_property
    def places(self) -> list[AxisVector]:
        """Drawn positions as Python floats, which are quicker to read singly."""
        return [tuple(place) for place in self.drawn.tolist()]

    def numbers(self, names: Iterable[str]) -> tuple[int, ...]:
        """The numbers of some of the model's own nodes."""
        return tuple(self.number[name] for name in names)

    def distance(self, first: str, second: str) -> float:
        """Drawn distance of two nodes."""
        return math.dist(self.places[self.number[first]], self.places[self.number[second]])

    def extended(self, names: list[str], places: list[Floats]) -> Layout:
        """The layout with further hidden nodes."""
        if not names:
            return self
        return replace(self, names=(*self.names, *names), drawn=np.vstack([self.drawn, *places]))


def path(start: float, to: float | DriveValues | None) -> DriveValues:
    """Driven values from a start to an end or through waypoints; the start alone where none is driven."""
    if to is None:
        return (start,)
    return (start, *to) if isinstance(to, tuple) else (start, to)
