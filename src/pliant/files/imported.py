"""Files of other programs to models: what each is, what became of it, and what did not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pliant.core.errors import Fault, InputError
from pliant.core.motion import Mark, Motion
from pliant.core.store import Json
from pliant.files.kinds import fetch, kind_named
from pliant.files.writer import plain

if TYPE_CHECKING:
    from pliant.files.kinds import Model

MARKED = 400  # open ends that are marked in the picture
NAMED = range(13, 61)  # so many parts have their names written into it; views name fewer themselves


@dataclass(frozen=True)
class LeftOutItem:
    """Something of a file that the model does not have, and why."""

    what: str
    why: str
    count: int = 1
    where: str = ""  # of the first: layer, line or handle

    def __str__(self) -> str:
        place = f" (first: {self.where})" if self.where else ""
        return f"{self.count} {self.what}: {self.why}{place}"


@dataclass(frozen=True)
class Imported:
    """A model made of another program's file, and the report on how it was made."""

    source: str
    format: str  # "SVG", "DXF", "PMKS", …
    model: Model
    facts: Mapping[str, str]  # what was read, in words
    left_out: tuple[LeftOutItem, ...] = ()
    chosen: tuple[str, ...] = ()  # because nobody said it
    warnings: tuple[str, ...] = ()
    open_lines: tuple[np.ndarray, ...] = field(default=(), repr=False)  # (K, 2) each: they bound no part
    figures: Mapping[str, Json] = field(default_factory=lambda: {}, repr=False)

    @cached_property
    def motion(self) -> Motion:
        """The model as drawn, with the names of its parts, and every loose end marked."""
        drawn: Motion = fetch(kind_named(self.model.kind).drawn)(self.model)
        return replace(
            drawn,
            title=Path(self.source).name,
            marks=(*drawn.marks, *_names(drawn), *open_marks(self.open_lines)),
        )

    def summary(self) -> str:
        """A sentence, then what was read, what was not and why, and what was chosen."""
        kind = self.model.kind
        lines = [
            f"{self.source} was read as {'an' if kind[0] in 'aeiou' else 'a'} {kind}: {self.facts['holds']}."
        ]
        told = [(key, value) for key, value in self.facts.items() if key != "holds"]
        told += [("not read", str(item)) for item in self.left_out]
        told += [("chosen", one) for one in self.chosen]
        told += [("warning", one) for one in self.warnings]
        width = max((len(key) for key, _ in told), default=0)
        return "\n".join([*lines, *(f"  {key.ljust(width)}  {value}" for key, value in told)])

    def to_dict(self) -> dict[str, Json]:
        """The report as plain data; the model is under "model", as its file has it."""
        return {
            "source": self.source,
            "format": self.format,
            "kind": self.model.kind,
            "facts": dict(self.facts),
            "left_out": [dict(vars(item)) for item in self.left_out],
            "chosen": list(self.chosen),
            "warnings": list(self.warnings),
            "figures": dict(self.figures),
            "model": plain(self.model),
        }


class EmptyDrawingError(InputError):
    """A drawing of which nothing could be made; `motion` shows its lines."""

    def __init__(self, faults: Sequence[Fault], source: str, motion: Motion) -> None:
        super().__init__(faults, source)
        self.motion = motion


def open_marks(lines: Sequence[np.ndarray]) -> tuple[Mark, ...]:
    """Lines that bound nothing, with a ring around each of their ends."""
    if not lines:
        return ()
    shown = lines[:MARKED]
    size = float(np.ptp(np.vstack([line[[0, -1]] for line in shown]), axis=0).max()) or 1.0
    turn = np.linspace(0, 2 * np.pi, 17)
    ring = 0.012 * size * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    marks = [Mark("curve", line, group="open line") for line in shown]
    marks += [Mark("curve", end + ring, group="loose end") for line in shown for end in line[[0, -1]]]
    return tuple(marks)


def _names(drawn: Motion) -> list[Mark]:
    if len(drawn.bodies) not in NAMED:
        return []
    middles = [_middle(drawn.shapes[k].rings[0]) for k in drawn.body_shapes.tolist()]
    poses = drawn.poses[0]
    turns = np.stack([np.cos(poses[:, 2]), np.sin(poses[:, 2])], axis=1)
    places = [
        pose[:2] + np.array([c * x - s * y, s * x + c * y])
        for pose, (c, s), (x, y) in zip(poses, turns, middles, strict=True)
    ]
    return [
        Mark("label", at[None], group="name", text=name)
        for name, at in zip(drawn.bodies, places, strict=True)
    ]


def _middle(ring: np.ndarray) -> np.ndarray:
    """A point well inside a ring."""
    import shapely

    return np.array(shapely.Polygon(ring).representative_point().coords[0])
