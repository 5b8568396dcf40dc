"""What kind of motion diode a fastener is.

Source: [DonaldPai1993] sec. 4.4 and Appendix A. A diode lets itself be put together and does not come apart:
by shape alone (kinematic), by friction, or only below a force that is greater than the one that puts it
together (force); against the plan reversed and its neighbours (relative), or against every direction (total).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

from pliant.core.progress import Progress, silent
from pliant.snap.arithmetic import Arithmetic
from pliant.snap.escape import (
    NARROW,
    Attempt,
    Bracket,
    Critical,
    Sector,
    attempt,
    critical,
    heading,
    sectors,
    sight_lines,
    stance,
)
from pliant.snap.forces import Spring
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.scene import Obstacles
from pliant.snap.travel import Course, Vector, ended_at

Cause = Literal["kinematic", "friction", "force", "none"]
Extent = Literal["total", "relative", "none"]


@dataclass(frozen=True)
class Diode:
    """A fastener's class, and what it rests on."""

    motion: Extent
    cause: Cause
    relative: Cause  # against the plan reversed and its neighbours
    total: Cause  # against every direction tried
    bound: float  # the least force that brings it out; infinite where none does
    bound_reversed: float  # along the plan reversed
    friction: float | None  # from which on the plan reversed locks; None: at no friction, or it jams
    attempts: tuple[Attempt, ...]
    sectors: tuple[Sector, ...]
    critical: tuple[Critical, ...]  # directions at which the outcome changes
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
            "critical": [vars(entry).copy() for entry in self.critical],
            "directions": [
                {"angle": a.angle, "open": a.open, "force": a.force if math.isfinite(a.force) else None}
                for a in self.attempts
            ],
        }


def classify(
    model: Fastener, study: SnapStudy, arithmetic: Arithmetic, fixed: Obstacles, springs: dict[str, Spring],
    last: Course, insertion: float, progress: Progress = silent,
) -> Diode | None:  # fmt: skip
    """The class of a fastener that went in; None for one that did not."""
    if not last.arrived:
        return None
    end = _rational(last.end)
    offset = (last.offset[0] + last.velocity[0] * end, last.offset[1] + last.velocity[1] * end)
    rest = stance(_cut(last))

    backwards = (-last.velocity[0], -last.velocity[1])
    far = end * (backwards[0] ** 2 + backwards[1] ** 2)

    def tried(direction: Vector) -> Attempt:
        until = far / (backwards[0] * direction[0] + backwards[1] * direction[1])
        return attempt(model, arithmetic, fixed, springs, rest, offset, direction, until)

    family = _family(study, backwards, tried)
    every, brackets = _every(study, backwards, tried, model.friction, progress)
    relative, total = _cause(family, model.friction, insertion), _cause(every, model.friction, insertion)
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
        critical=tuple(critical(bracket, sight_lines(model, fixed, rest, offset)) for bracket in brackets),
        tried=f"{len(every)} directions that lead back, closer together where neighbours end differently",
    )


def _rational(end: Any) -> Fraction:
    """The end of a course as a fraction: the leg's, or where the root sat down."""
    if isinstance(end, float):  # by floats, to a billionth
        return Fraction(end).limit_denominator(10**9)
    reduced = end.reduced
    return Fraction(int(reduced.low.p), int(reduced.low.q))


def _cut(course: Course) -> Course:
    """The course with every path ended where it ended."""
    return replace(course, paths={name: ended_at(path, course.end) for name, path in course.paths.items()})


def _family(study: SnapStudy, backwards: Vector, tried: Callable[[Vector], Attempt]) -> list[Attempt]:
    """The plan reversed, and directions to either side of it as far as the study asks."""
    found = [tried(backwards)]
    spread = study.spread.angle
    if spread:
        centre = math.atan2(float(backwards[1]), float(backwards[0]))
        found += [tried(heading(centre + spread * k / 8)) for k in range(-8, 9) if k]
    return found


def _every(
    study: SnapStudy,
    backwards: Vector,
    tried: Callable[[Vector], Attempt],
    friction: Fraction,
    progress: Progress,
) -> tuple[list[Attempt], list[Bracket]]:
    """Directions that lead back at all, the reversed one first; closer where neighbours end differently."""
    start = math.atan2(float(backwards[1]), float(backwards[0]))
    half = study.directions // 4
    places = [k for k in range(-half, half + 1) if abs(k) * 4 < study.directions]
    row: list[Attempt] = []
    for done, k in enumerate(places):
        progress(done, len(places), "trying directions")
        row.append(tried(heading(start + 2 * math.pi * k / study.directions) if k else backwards))
    closer: list[Attempt] = []
    brackets: list[Bracket] = []
    for one, other in pairwise(row):
        if one.escapes(friction) != other.escapes(friction):
            closer += (found := _boundary(one, other, tried, friction))
            brackets.append(_innermost([one, *found, other], friction))
    middle = places.index(0)
    return [row[middle], *row[:middle], *row[middle + 1 :], *closer], brackets


def _innermost(attempts: list[Attempt], friction: Fraction) -> Bracket:
    """The two nearest directions that end differently, in order of their angle."""
    order = sorted(attempts, key=lambda a: math.remainder(a.angle - attempts[0].angle, 2 * math.pi))
    return next(
        (one.direction, other.direction)
        for one, other in pairwise(order)
        if one.escapes(friction) != other.escapes(friction)
    )


def _boundary(
    first: Attempt, second: Attempt, tried: Callable[[Vector], Attempt], friction: Fraction
) -> list[Attempt]:
    """Directions ever closer to where the outcome changes between two that end differently."""
    found: list[Attempt] = []
    low, width = first.angle, math.remainder(second.angle - first.angle, 2 * math.pi)
    while abs(width) > NARROW:
        width /= 2
        middle = tried(heading(low + width))
        found.append(middle)
        if middle.escapes(friction) == first.escapes(friction):
            low += width
    return found


def _cause(attempts: list[Attempt], friction: Fraction, insertion: float) -> Cause:
    """What keeps it together against all of some directions."""
    if not any(a.open for a in attempts):
        return "kinematic"
    if not any(a.escapes(friction) for a in attempts):
        return "friction"
    if min(a.force for a in attempts) > insertion:
        return "force"
    return "none"
