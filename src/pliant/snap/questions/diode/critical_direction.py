"""The direction at which the outcome changes, between two that end differently: exactly where it can be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from pliant.core.quantity import exact_to_file
from pliant.snap.arithmetic.algebraic import Algebraic, compare
from pliant.snap.arithmetic.numbers import RationalVector
from pliant.snap.arithmetic.polynomials import rational
from pliant.snap.arithmetic.text import exact_text
from pliant.snap.questions.diode.escape import EscapeAttempt, RestPosition, rational_direction, try_direction
from pliant.snap.questions.diode.exact_direction import ExactDirection, candidate_directions, slope_of

NARROW = 1e-7  # radians: between two directions that end differently
HAIR = Fraction(1, 2**60)  # of the slope, to either side of a direction that is named


@dataclass(frozen=True)
class CriticalDirection:
    """A direction at which the outcome changes, and two about it that end differently, low angle first.

    `exact` is empty where it is only known to lie between the two: by floats, or if no one direction, or
    more than one, was found that could be it.
    """

    angle: float
    exact: str
    between: tuple[RationalVector, RationalVector]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        ends = [[str(exact_to_file(x)), str(exact_to_file(y))] for x, y in self.between]
        return {"angle": self.angle, "exact": self.exact, "between": ends}


def outcome_change(
    seat: RestPosition, first: EscapeAttempt, second: EscapeAttempt
) -> tuple[list[EscapeAttempt], CriticalDirection]:
    """Directions ever closer to where the outcome changes between two that end differently, and that one."""
    friction = seat.model.friction
    attempts: list[EscapeAttempt] = []
    low, width = first.angle, math.remainder(second.angle - first.angle, 2 * math.pi)
    while abs(width) > NARROW:
        width /= 2
        middle = try_direction(seat, rational_direction(low + width))
        attempts.append(middle)
        if middle.escapes(friction) == first.escapes(friction):
            low += width
    return attempts, critical_direction(seat, *_nearest_pair([first, *attempts, second], friction))


def _nearest_pair(attempts: list[EscapeAttempt], friction: Fraction) -> tuple[EscapeAttempt, EscapeAttempt]:
    """The two nearest directions that end differently, in order of their angle."""
    order = sorted(attempts, key=lambda a: math.remainder(a.angle - attempts[0].angle, 2 * math.pi))
    return next(
        (one, other) for one, other in pairwise(order) if one.escapes(friction) != other.escapes(friction)
    )


def critical_direction(seat: RestPosition, low: EscapeAttempt, high: EscapeAttempt) -> CriticalDirection:
    """Where the outcome changes between two directions."""
    between = low.direction, high.direction
    named = exact_change(seat, low, high)
    if named is None:
        middle = low.angle + 0.5 * math.remainder(high.angle - low.angle, 2 * math.pi)
        return CriticalDirection(middle, "", between)
    return CriticalDirection(named.angle, direction_text(named), between)


def exact_change(seat: RestPosition, low: EscapeAttempt, high: EscapeAttempt) -> ExactDirection | None:
    """The one direction between two at which sweeps a hair to either side end as the two do."""
    if not seat.arithmetic.is_exact:
        return None
    courses = seat.course(low.direction), seat.course(high.direction)
    locks = [(a.locks_from.pawl, a.locks_from.t) for a in (low, high) if a.locks_from is not None]
    line, friction = (seat.backwards, seat.far), seat.model.friction
    directions = [
        b for b in candidate_directions(courses, line, friction, locks) if _separates(seat, low, high, b)
    ]
    return directions[0] if len(directions) == 1 else None


def _separates(seat: RestPosition, low: EscapeAttempt, high: EscapeAttempt, bearing: ExactDirection) -> bool:
    """Whether what ends like the one is on one side of a direction, and like the other on the other."""
    friction = seat.model.friction
    ends = [slope_of(end.direction, bearing.steep) for end in (low, high)]
    up = 1 if ends[0] < ends[1] else -1
    for end, side, like in zip(ends, (-up, up), (low, high), strict=True):
        if compare(bearing.slope, Algebraic.of(rational(end))) != 0:
            beside = try_direction(seat, bearing.beside(side * HAIR))
            if beside.escapes(friction) != like.escapes(friction):
                return False
    return True


def direction_text(bearing: ExactDirection) -> str:
    """A direction exactly: two integers, or a coordinate of 1 and the polynomial the other is a root of."""
    slope = bearing.slope.reduced
    if slope.is_rational:
        ahead, aside = bearing.ahead * int(slope.low.q), int(slope.low.p)
        return f"({aside}, {ahead})" if bearing.steep else f"({ahead}, {aside})"
    name = "x" if bearing.steep else "y"
    pair = f"(x, {bearing.ahead})" if bearing.steep else f"({bearing.ahead}, y)"
    return f"{pair}, {name} = {exact_text(slope, name)}"
