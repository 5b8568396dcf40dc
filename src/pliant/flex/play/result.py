"""What comes back from a play study: ranges of every part, and the stack-up of the one asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from pliant.core.arrays import Floats, Ints
from pliant.core.motion import Shape
from pliant.flex.model import Assembly, PlayStudy
from pliant.flex.play.ellipsoid import Ellipsoid
from pliant.flex.play.stack_up import StackUp
from pliant.flex.status import FlexStatus, PlayStatus
from pliant.view.shown import Shown

Range = tuple[float, float]  # from the lower end to the upper; −inf or inf where nothing bounds it


@dataclass(frozen=True)
class BodyPlay:
    """How far a body can go from its drawn pose, to first order: travel of its centroid, and turn."""

    name: str
    x: Range
    y: Range
    turn: Range  # rad

    @property
    def free(self) -> bool:
        """Whether nothing bounds one of them."""
        return not all(isfinite(end) for span in (self.x, self.y, self.turn) for end in span)

    @property
    def travel(self) -> float:
        """The larger of the widths in x and y."""
        return max(self.x[1] - self.x[0], self.y[1] - self.y[0])


@dataclass(frozen=True)
class PlayedEnd:
    """How far the body went when it was moved for real, and how that ended."""

    distance: float
    status: FlexStatus


@dataclass(frozen=True)
class PointPlay:
    """The play of a point of a body: around it, along one direction, and who is to blame for it."""

    body: str
    at: tuple[float, float]  # the point as drawn, world
    direction: tuple[float, float] | None  # unit, world; None: the body's turn
    linear: Range  # to first order, along the direction
    played: tuple[PlayedEnd, PlayedEnd]  # backward and forward, by steps on the curved constraints
    outline: Floats  # (K, 2) where the point gets to first order, around it; travel from where it is drawn
    stack_up: StackUp | None  # None where nothing bounds the play
    ellipsoid: Ellipsoid | None


@dataclass(frozen=True, repr=False, eq=False)
class PlayResult(Shown):
    """How loose the parts of an assembly are as drawn."""

    status: PlayStatus  # how it ended
    model: Assembly  # that was measured
    study: PlayStudy  # what was asked
    bodies: tuple[BodyPlay, ...]  # those that move and were measured
    point: PointPlay | None  # of the body that was asked about
    gap: float  # typical clearance (length)
    rows: int  # of the programs
    columns: int  # of the programs
    shapes: tuple[Shape, ...]  # inset
    shape_of: Ints  # (B,)
    seconds: Mapping[str, float]  # by phase
    note: str = ""  # what is known beyond the status

    @property
    def message(self) -> str:
        """The status as a sentence, with what is known beyond it."""
        return f"{self.status}{': ' if self.note else ''}{self.note}"

    @property
    def loosest(self) -> BodyPlay | None:
        """The body with the largest travel."""
        return max(self.bodies, key=lambda body: body.travel, default=None)
