"""Which ways back out of where a fastener came to rest are open: directions, tried exactly.

A way leads out where the root gets as far back as it started, measured along the plan's last leg.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pliant.snap.algebra import Algebraic, fraction
from pliant.snap.arithmetic import Arithmetic
from pliant.snap.critical import Threshold, threshold
from pliant.snap.forces import Spring, peak_force
from pliant.snap.model import Fastener
from pliant.snap.scene import Obstacles
from pliant.snap.travel import Course, Stance, Vector, depart, turned_outline
from pliant.snap.turn import turn

Bracket = tuple[Vector, Vector]
MOST = 100_000  # lines of sight that are looked at
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
        return _angle(self.direction)

    def escapes(self, friction: Fraction) -> bool:
        """Whether it leads out at this friction."""
        return self.open and (self.locks_from is None or not self.locks_from.locks_at(friction))


@dataclass(frozen=True)
class Critical:
    """A direction at which the outcome changes; `exact` is empty where it was closed in on."""

    angle: float
    exact: str


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
    shut = lock is not None and lock.locks_at(model.friction)
    force = math.inf if shut else peak_force(course, springs, float(model.friction))
    return Attempt(direction, True, lock, force)


def stance(course: Course) -> Stance:
    """Where every pawl stands at the end of a course."""
    return Stance({name: path.end for name, path in course.paths.items()})


def heading(angle: float) -> Vector:
    """A rational direction as near to an angle as turns are rounded."""
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


def critical(bracket: Bracket, lines: Sequence[Vector]) -> Critical:
    """Where the outcome changes between two directions: exactly, if a line of sight is between them."""
    low, high = bracket
    middle = 0.5 * (_angle(low) + _past(_angle(high), _angle(low)))
    for line in lines:
        for way in (line, (-line[0], -line[1])):
            if _cross(low, way) >= 0 <= _cross(way, high) and _dot(low, way) > 0:
                return Critical(_angle(way), f"({way[0]}, {way[1]})")
    return Critical(middle, "")


def sight_lines(model: Fastener, fixed: Obstacles, rest: Stance, offset: Vector) -> list[Vector]:
    """Directions in which things line up at the start: edges, and vertices with vertices."""
    lines = [
        _minus(fixed.points[after], point) for point, after in zip(fixed.points, fixed.following, strict=True)
    ]
    for pawl in model.pawls:
        here = rest.points[pawl.name]
        if not isinstance(here.u, Algebraic) or not here.u.reduced.is_rational or here.turn:
            continue
        points = _placed(turned_outline(model, pawl), fraction(here.u.reduced.low), pawl.hinge, offset)
        lines += [_minus(b, a) for a, b in zip(points, points[1:] + points[:1], strict=True)]
        if len(points) * len(fixed.points) <= MOST:
            lines += [_minus(q, p) for q in fixed.points for p in points]
    return [line for line in lines if line != (0, 0)]


def _placed(outline: Sequence[Vector], u: Fraction, hinge: Vector, offset: Vector) -> list[Vector]:
    square = 1 + u * u
    cosine, sine = (1 - u * u) / square, 2 * u / square
    x0, y0 = hinge[0] + offset[0], hinge[1] + offset[1]
    return [(x0 + cosine * x - sine * y, y0 + sine * x + cosine * y) for x, y in outline]


def _angle(direction: Vector) -> float:
    return math.atan2(float(direction[1]), float(direction[0]))


def _minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1]


def _cross(a: Vector, b: Vector) -> Fraction:
    return a[0] * b[1] - a[1] * b[0]


def _dot(a: Vector, b: Vector) -> Fraction:
    return a[0] * b[0] + a[1] * b[1]
