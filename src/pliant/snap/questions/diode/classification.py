"""What kind of motion diode a fastener is.

Source: [DonaldPai1993] sec. 4.4 and Appendix A. A diode lets itself be put together and does not come apart:
by shape alone (kinematic), by friction, or only below a force that is greater than the one that puts it
together (force); against the plan reversed and its neighbours (relative), or against every direction (total).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

from pliant.core.progress import Progress, silent
from pliant.snap.arithmetic.protocol import Arithmetic
from pliant.snap.geometry.pawl_scene import UnitedObstacles
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.questions.diode.critical_direction import CriticalDirection, outcome_change
from pliant.snap.questions.diode.escape import (
    EscapeAttempt,
    RestPosition,
    Sector,
    rational_direction,
    rest_position,
    sectors,
    try_direction,
)
from pliant.snap.springs.spring import PawlSpring
from pliant.snap.sweep.plan import Course

HoldingCause = Literal["kinematic", "friction", "force", "none"]
Extent = Literal["total", "relative", "none"]


@dataclass(frozen=True)
class Diode:
    """A fastener's class, and what it rests on."""

    motion: Extent
    cause: HoldingCause
    relative: HoldingCause  # against the plan reversed and its neighbours
    total: HoldingCause  # against every direction tried
    bound: float  # the least force that brings it out; infinite where none does
    bound_reversed: float  # along the plan reversed
    friction: float | None  # from which on the plan reversed locks; None: at no friction, or it jams
    attempts: tuple[EscapeAttempt, ...]
    sectors: tuple[Sector, ...]
    critical: tuple[CriticalDirection, ...]  # directions at which the outcome changes
    tried: str  # what "every direction" means here

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "motion": self.motion,
            "cause": self.cause,
            "relative": self.relative,
            "total": self.total,
            "bound": self.bound if math.isfinite(self.bound) else None,
            "bound_reversed": self.bound_reversed if math.isfinite(self.bound_reversed) else None,
            "friction": self.friction,
            "tried": self.tried,
            "sectors": [vars(sector).copy() for sector in self.sectors],
            "critical": [entry.to_dict() for entry in self.critical],
            "directions": [
                {"angle": a.angle, "open": a.open, "force": a.force if math.isfinite(a.force) else None}
                for a in self.attempts
            ],
        }


def classify_diode(
    model: Fastener, study: SnapStudy, arithmetic: Arithmetic, fixed: UnitedObstacles,
    springs: dict[str, PawlSpring], last: Course, insertion: float, progress: Progress = silent,
) -> Diode | None:  # fmt: skip
    """The class of a fastener that went in; None for one that did not."""
    if not last.arrived:
        return None
    start = rest_position(model, arithmetic, fixed, springs, last)
    family = _reversed_attempts(study, start)
    every, changes = _all_attempts(study, start, progress)
    relative, total = (
        _holding_cause(family, model.friction, insertion),
        _holding_cause(every, model.friction, insertion),
    )
    extent: Extent = "total" if total != "none" else "relative" if relative != "none" else "none"
    lock = family[0].locks_from
    return Diode(
        motion=extent,
        cause=total if total != "none" else relative,
        relative=relative,
        total=total,
        bound=min(a.force for a in every),
        bound_reversed=family[0].force,
        friction=None if lock is None else lock.value,
        attempts=tuple(every),
        sectors=tuple(sectors(every, model.friction)),
        critical=tuple(changes),
        tried=f"{len(every)} directions that lead back, closer together where neighbours end differently",
    )


def _reversed_attempts(study: SnapStudy, start: RestPosition) -> list[EscapeAttempt]:
    """The plan reversed, and directions to either side of it as far as the study asks."""
    attempts = [try_direction(start, start.backwards)]
    spread = study.spread.angle
    if spread:
        centre = attempts[0].angle
        attempts += [
            try_direction(start, rational_direction(centre + spread * k / 8)) for k in range(-8, 9) if k
        ]
    return attempts


def _all_attempts(
    study: SnapStudy, start: RestPosition, progress: Progress
) -> tuple[list[EscapeAttempt], list[CriticalDirection]]:
    """Directions that lead back at all, the reversed one first; closer where neighbours end differently."""
    friction = start.model.friction
    centre = math.atan2(float(start.backwards[1]), float(start.backwards[0]))
    half = study.directions // 4
    places = [k for k in range(-half, half + 1) if abs(k) * 4 < study.directions]
    row: list[EscapeAttempt] = []
    for done, k in enumerate(places):
        progress(done, len(places), "trying directions")
        direction = rational_direction(centre + 2 * math.pi * k / study.directions) if k else start.backwards
        row.append(try_direction(start, direction))
    closer: list[EscapeAttempt] = []
    changes: list[CriticalDirection] = []
    for one, other in pairwise(row):
        if one.escapes(friction) != other.escapes(friction):
            between, change = outcome_change(start, one, other)
            closer += between
            changes.append(change)
    middle = places.index(0)
    return [row[middle], *row[:middle], *row[middle + 1 :], *closer], changes


def _holding_cause(attempts: list[EscapeAttempt], friction: Fraction, insertion: float) -> HoldingCause:
    """What keeps it together against all of some directions."""
    if not any(a.open for a in attempts):
        return "kinematic"
    if not any(a.escapes(friction) for a in attempts):
        return "friction"
    if min(a.force for a in attempts) > insertion:
        return "force"
    return "none"
