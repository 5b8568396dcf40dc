"""Which ways back out of where a fastener came to rest are open: directions, tried exactly.

A way leads out where the root gets as far back as it started, measured along the plan's last leg.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pliant.snap.arithmetic import Arithmetic
from pliant.snap.critical import Threshold, threshold
from pliant.snap.forces import Spring, peak_force
from pliant.snap.model import Fastener
from pliant.snap.scene import Obstacles
from pliant.snap.travel import Course, Stance, Vector, depart
from pliant.snap.turn import turn

NARROW = 1e-7  # radians: between two directions that end differently


@dataclass(frozen=True)
class Attempt:
    """A way out in one direction: open without friction or not, the friction that locks it, and its force."""

    direction: Vector
    open: bool
    locks_from: Threshold | None
    force: float

    @property
    def angle(self) -> float:
        """Of the direction, in radians."""
        return math.atan2(float(self.direction[1]), float(self.direction[0]))

    def escapes(self, friction: Fraction) -> bool:
        """Whether it leads out at this friction."""
        return self.open and (self.locks_from is None or self.locks_from.value > friction)


@dataclass(frozen=True)
class Sector:
    """Directions from one angle to another, counter-clockwise, that all end alike as far as was tried."""

    first: float
    last: float
    escapes: bool


def attempt(
    model: Fastener, arithmetic: Arithmetic, fixed: Obstacles, springs: dict[str, Spring], rest: Stance,
    offset: Vector, direction: Vector, until: Fraction,
) -> Attempt:  # fmt: skip
    """Try one direction from where every pawl stands, up to a t."""
    course = depart(model, arithmetic, fixed, rest, offset, direction, until)
    if course.cause != "until":
        return Attempt(direction, False, None, math.inf)
    lock = threshold([course])
    shut = lock is not None and lock.value <= model.friction
    force = math.inf if shut else peak_force(course, springs, float(model.friction))
    return Attempt(direction, True, lock, force)


def stance(course: Course) -> Stance:
    """Where every pawl stands at the end of a course."""
    return Stance({name: path.end for name, path in course.paths.items()})


def heading(angle: float) -> Vector:
    """A rational direction within a millionth of an angle."""
    folded = math.remainder(angle, 2 * math.pi)
    if abs(folded) > math.pi / 2:
        x, y = heading(folded - math.copysign(math.pi, folded))
        return -x, -y
    u = turn(folded).u
    return 1 - u * u, 2 * u


def sectors(attempts: Sequence[Attempt], friction: Fraction) -> list[Sector]:
    """Neighbouring directions that end alike."""
    found: list[Sector] = []
    for angle, escapes in sorted((_past(a.angle, attempts[0].angle), a.escapes(friction)) for a in attempts):
        if found and found[-1].escapes == escapes:
            found[-1] = Sector(found[-1].first, angle, escapes)
        else:
            found.append(Sector(angle, angle, escapes))
    return found


def _past(angle: float, middle: float) -> float:
    """An angle counted so that those to either side of the middle are in order."""
    return middle + math.remainder(angle - middle, 2 * math.pi)
