"""What comes back from a play study: ranges of every part, and the stack-up of the one asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.motion import Shape
from pliant.flex.model import Assembly, PlayStudy
from pliant.flex.play.ellipsoid import Ellipsoid
from pliant.flex.play.stack_up import StackUp
from pliant.flex.status import FlexStatus, PlayStatus
from pliant.view.shown import Shown

PlayRange = tuple[float, float]  # from the lower end to the upper; −inf or inf where nothing bounds it


@dataclass(frozen=True)
class BodyPlay:
    """How far a body can go from its drawn pose, to first order: travel of its centroid, and turn."""

    name: str
    x: PlayRange
    y: PlayRange
    turn: PlayRange  # rad

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
    linear: PlayRange  # to first order, along the direction
    played: tuple[PlayedEnd, PlayedEnd]  # backward and forward, by steps on the curved constraints
    outline: Floats  # (K, 2) where the point gets to first order, around it; travel from where it is drawn
    stack_up: StackUp | None  # None where nothing bounds the play
    ellipsoid: Ellipsoid | None


@dataclass(frozen=True)
class CurvePlay:
    """The play of a point at each angle of a drive, along and across the curve that it draws."""

    body: str
    drive: str
    angles: Floats  # (F,) rad, of the drive from the drawn pose
    curve: Floats  # (F, 2) the point where every pin is centred, world
    tangents: Floats  # (F, 2) unit, the way it goes as the drive turns
    poses: Floats  # (F, U, 3) of the bodies of the file
    outlines: Floats  # (F, K, 2) where the point gets at each angle, around it; travel from the curve
    across: Floats  # (F, 2) extents to the right of the way and to the left, both ≥ 0; inf where unbounded
    along: Floats  # (F, 2) extents backward and forward
    joints: tuple[str, ...]  # (J,) those that have a part anywhere
    across_parts: Floats  # (F, J) of each joint in the width across, length
    along_parts: Floats  # (F, J)
    stopped: tuple[float, str] | None = None  # where the drive could be turned no further, and why

    @property
    def widths(self) -> Floats:
        """The whole play across the curve and along it, (F, 2)."""
        return np.stack([self.across.sum(axis=1), self.along.sum(axis=1)], axis=1)

    @property
    def shares(self) -> Floats:
        """Each joint's share of the width across, (F, J); rows sum to 1, or are 0 where nothing moves."""
        return _shares(self.across_parts)

    @property
    def along_shares(self) -> Floats:
        """The same of the width along the curve."""
        return _shares(self.along_parts)


def _shares(parts: Floats) -> Floats:
    total = parts.sum(axis=1, keepdims=True)
    return np.divide(parts, total, out=np.zeros_like(parts), where=total > 0)


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
    curve: CurvePlay | None = None  # of the body that was asked about, at each angle of a drive

    @property
    def message(self) -> str:
        """The status as a sentence, with what is known beyond it."""
        return f"{self.status}{': ' if self.note else ''}{self.note}"

    @property
    def loosest(self) -> BodyPlay | None:
        """The body with the largest travel."""
        return max(self.bodies, key=lambda body: body.travel, default=None)
