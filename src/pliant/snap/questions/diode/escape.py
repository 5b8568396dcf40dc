"""Which ways back out of where a fastener came to rest are open: directions, tried exactly.

A way leads out where the root gets as far back as it started, measured along the plan's last leg.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pliant.snap.arithmetic.half_angle import half_angle
from pliant.snap.arithmetic.numbers import RationalVector, near_fraction
from pliant.snap.arithmetic.protocol import Arithmetic
from pliant.snap.force.force_curve import peak_force
from pliant.snap.force.lock_friction import LockThreshold, lock_threshold
from pliant.snap.geometry.pawl_scene import UnitedObstacles
from pliant.snap.model import Fastener
from pliant.snap.springs.spring import PawlSpring
from pliant.snap.sweep.plan import Course, PawlPoints, path_until, travel_from


@dataclass(frozen=True)
class EscapeAttempt:
    """A way out in one direction: open without friction or not, the friction that locks it, and its force."""

    direction: RationalVector
    open: bool
    locks_from: LockThreshold | None
    force: float

    @property
    def angle(self) -> float:
        """Of the direction, in radians."""
        return _angle(self.direction)

    def escapes(self, friction: Fraction) -> bool:
        """Whether it leads out at this friction."""
        return self.open and (self.locks_from is None or not self.locks_from.locks_at(friction))


@dataclass(frozen=True)
class Sector:
    """Directions from one angle to another, counter-clockwise, that all end alike as far as was tried."""

    first: float
    last: float
    escapes: bool


@dataclass(frozen=True)
class RestPosition:
    """Where a fastener came to rest, and how far back is out: where `backwards` · w = `far`."""

    model: Fastener
    arithmetic: Arithmetic
    fixed: UnitedObstacles
    springs: dict[str, PawlSpring]
    rest: PawlPoints
    offset: RationalVector  # of the root
    backwards: RationalVector
    far: Fraction

    def course(self, direction: RationalVector) -> Course:
        """A way back without friction, up to where it is out."""
        until = self.far / (self.backwards[0] * direction[0] + self.backwards[1] * direction[1])
        return travel_from(self.model, self.arithmetic, self.fixed, self.rest, self.offset, direction, until)


def rest_position(
    model: Fastener, arithmetic: Arithmetic, fixed: UnitedObstacles, springs: dict[str, PawlSpring],
    last: Course,
) -> RestPosition:  # fmt: skip
    """At the end of the course that brought it in."""
    end = near_fraction(last.end)
    offset = (last.offset[0] + last.velocity[0] * end, last.offset[1] + last.velocity[1] * end)
    rest = PawlPoints({name: path_until(path, last.end).end for name, path in last.paths.items()})
    backwards = (-last.velocity[0], -last.velocity[1])
    far = end * (backwards[0] ** 2 + backwards[1] ** 2)
    return RestPosition(model, arithmetic, fixed, springs, rest, offset, backwards, far)


def try_direction(seat: RestPosition, direction: RationalVector) -> EscapeAttempt:
    """Try one direction."""
    course, friction = seat.course(direction), seat.model.friction
    if course.cause != "until":
        return EscapeAttempt(direction, False, None, math.inf)
    lock = lock_threshold([course])
    shut = lock is not None and lock.locks_at(friction)
    force = math.inf if shut else peak_force(course, seat.springs, float(friction))
    return EscapeAttempt(direction, True, lock, force)


def rational_direction(angle: float) -> RationalVector:
    """A rational direction as near to an angle as turns are rounded."""
    folded = math.remainder(angle, 2 * math.pi)
    if abs(folded) > math.pi / 2:
        x, y = rational_direction(folded - math.copysign(math.pi, folded))
        return -x, -y
    u = half_angle(folded).u
    return 1 - u * u, 2 * u


def sectors(attempts: Sequence[EscapeAttempt], friction: Fraction) -> list[Sector]:
    """Neighbouring directions that end alike."""
    merged: list[Sector] = []
    for angle, escapes in sorted(
        (_unwrapped_angle(a.angle, attempts[0].angle), a.escapes(friction)) for a in attempts
    ):
        if merged and merged[-1].escapes == escapes:
            merged[-1] = Sector(merged[-1].first, angle, escapes)
        else:
            merged.append(Sector(angle, angle, escapes))
    return merged


def _unwrapped_angle(angle: float, middle: float) -> float:
    """An angle counted so that those to either side of the middle are in order."""
    return middle + math.remainder(angle - middle, 2 * math.pi)


def _angle(direction: RationalVector) -> float:
    return math.atan2(float(direction[1]), float(direction[0]))
