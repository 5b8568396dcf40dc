"""What a drawing is read as: strokes, words, and what was left out of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pliant.core.arrays import Floats

PartTable = Mapping[str, Any]  # a part of a drawing as JSON
LoopTable = Mapping[str, Any]  # a closed loop of a drawing as JSON


@dataclass(frozen=True)
class Stroke:
    """A polyline of a drawing, in the model's unit with y upwards."""

    points: Floats  # (K, 2); a closed one ends at its first point
    closed: bool = False
    name: str = ""  # id or label, of an SVG; handle, of a DXF
    layer: str = ""
    group: str = ""  # the innermost group or block around it that has a name
    colour: str = ""  # as "#rrggbb" or a word; "" where it has none
    where: str = ""  # line or handle in the file
    centre: tuple[float, float] | None = None  # of a circle
    radius: float = 0.0  # of a circle


@dataclass(frozen=True)
class Caption:
    """Words that stand in a drawing: parts are named by them."""

    text: str
    at: tuple[float, float]


@dataclass
class LeftOut:
    """What was not read, by why, kind and layer, with counts."""

    counts: dict[tuple[str, str, str], int] = field(default_factory=lambda: {})
    where: dict[tuple[str, str, str], str] = field(default_factory=lambda: {})

    def add(self, what: str, why: str, layer: str = "", where: str = "", count: int = 1) -> None:
        """One more (or so many) of a kind."""
        key = (what, why, layer)
        self.counts[key] = self.counts.get(key, 0) + count
        self.where.setdefault(key, where)

    def to_list(self) -> list[dict[str, object]]:
        """Plain data, in the order in which they were met."""
        return [
            {"what": what, "why": why, "layer": layer, "count": count, "first": self.where[what, why, layer]}
            for (what, why, layer), count in self.counts.items()
        ]


@dataclass(frozen=True)
class Sheet:
    """A whole drawing."""

    strokes: tuple[Stroke, ...]
    captions: tuple[Caption, ...]
    left_out: LeftOut
    unit: str  # in which it was drawn
    scale: float  # millimetres for each of its units
    notes: tuple[str, ...] = ()


def matches(wanted: Iterable[str], stroke: Stroke) -> bool:
    """Whether a stroke has one of some names: its own, its group's, its layer's, or its colour."""
    own = {one.casefold() for one in (stroke.name, stroke.group, stroke.layer, stroke.colour) if one}
    return any(one.casefold() in own for one in wanted)
