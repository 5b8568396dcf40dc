"""Directions at which what happens to a pawl changes, as exact numbers.

A direction takes the hinge along a ray from one start. What happens is other beyond a direction whose ray
passes a configuration at which three conditions hold at once (two at rest or at a stop, where u is known):
u is a root of their determinant, and the hinge's place, which is the direction, is rational in u. Where two
conditions hold along the way, it is also other beyond one at which they touch: a double root.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import combinations, product

from flint import fmpq, fmpz_poly

from pliant.snap.arithmetic.algebraic import Algebraic, compare, quotient, sign_at
from pliant.snap.arithmetic.isolation import roots
from pliant.snap.arithmetic.numbers import RationalVector
from pliant.snap.arithmetic.polynomials import fraction, rational
from pliant.snap.geometry.features import FeaturePair
from pliant.snap.questions.diode.conditions import (
    AxisScenes,
    Condition,
    DiameterCircle,
    GoalLine,
    axis_scenes,
    contact_condition,
    diameter_circles,
    end_conditions,
    friction_conditions,
    goal_condition,
    pairs_among,
)
from pliant.snap.questions.diode.divergence import (
    NEAR,
    DivergencePoint,
    contact_pairs,
    divergence_points,
    divergence_windows,
)
from pliant.snap.sweep.path import Path
from pliant.snap.sweep.plan import Course

CANDIDATES = 3000  # directions that are looked at; fasteners have some hundred
CROWD = 40  # conditions that hold close by each other: the directions of any three of them are ten thousand
GRID = 2**12  # places of u that roots are looked for between


@dataclass(frozen=True)
class ExactDirection:
    """An exact direction: `ahead` (1 or -1) in x and `slope` in y, or the other way round if it is steep."""

    steep: bool
    ahead: int
    slope: Algebraic

    def beside(self, by: Fraction) -> RationalVector:
        """A rational direction whose slope differs by `by`, or by a little more."""
        number = self.slope.reduced
        number.refine(rational(abs(by)) / 16)
        slope = fraction(number.high if by > 0 else number.low) + by
        return (slope, Fraction(self.ahead)) if self.steep else (Fraction(self.ahead), slope)

    @property
    def angle(self) -> float:
        """In radians."""
        ahead, slope = float(self.ahead), self.slope.reduced.near
        return math.atan2(ahead, slope) if self.steep else math.atan2(slope, ahead)


@dataclass(frozen=True)
class DirectionRange:
    """Directions between two that are close: both as slopes, the lesser first."""

    steep: bool
    ahead: int
    low: Fraction
    high: Fraction

    def bearings(self, u: Algebraic, direction: Sequence[fmpz_poly]) -> Iterator[ExactDirection]:
        """The direction of a vector at u, where it is one of these."""
        top, bottom = direction[:2] if self.steep else direction[1::-1]
        if self._far(u, top, bottom) or sign_at(bottom, u) == 0:
            return
        slope = quotient(u, top * self.ahead, bottom)
        low, high = (compare(slope, Algebraic.of(rational(end))) for end in (self.low, self.high))
        if low >= 0 >= high:
            yield ExactDirection(self.steep, self.ahead, slope)

    def slopes(self, poly: fmpz_poly) -> Iterator[ExactDirection]:
        """Those of these directions whose slopes are roots."""
        for slope in roots(poly, rational(self.low), rational(self.high)):
            yield ExactDirection(self.steep, self.ahead, slope)

    def right_angle(self, row: Condition, circle: DiameterCircle) -> list[fmpz_poly]:
        """Zero where, on a contact, w is on a circle: coefficients of 1, u and u², polynomials in the slope.

        With w = t d the contact has t = -z / (x d₁ + y d₂), and the circle t d · d = c · d.
        """
        ahead, aside = fmpz_poly([self.ahead]), fmpz_poly([0, 1])
        dx, dy = (aside, ahead) if self.steep else (ahead, aside)
        far, size = circle.x * dx + circle.y * dy, dx * dx + dy * dy
        return [far * (row.x[n] * dx + row.y[n] * dy) + row.z[n] * size for n in range(3)]

    def _far(self, u: Algebraic, top: fmpz_poly, bottom: fmpz_poly) -> bool:
        """Whether floats tell that it is none of these."""
        below = _value(bottom, u.near)
        slope = self.ahead * _value(top, u.near) / below if below else math.inf
        return not float(self.low) - 1e-6 < slope < float(self.high) + 1e-6


def direction_range(first: RationalVector, second: RationalVector) -> DirectionRange:
    """Between two directions."""
    steep = abs(first[1]) > abs(first[0])
    low, high = sorted(slope_of(direction, steep) for direction in (first, second))
    return DirectionRange(steep, 1 if first[1 if steep else 0] > 0 else -1, low, high)


def slope_of(direction: RationalVector, steep: bool) -> Fraction:
    """What a direction goes aside, for as much ahead: ahead is along y if it is steep."""
    ahead, aside = direction[::-1] if steep else direction
    return aside / abs(ahead)


class CrowdedError(Exception):
    """Very many conditions hold close by each other."""


def candidate_directions(
    courses: tuple[Course, Course], line: GoalLine, friction: Fraction, locks: Sequence[tuple[str, float]]
) -> list[ExactDirection]:
    """Directions between those of two courses at which the ways of a pawl may part, in order of their slope.

    `line` is where a way is over; `locks` are pawls, and t about which friction locks one of the courses.
    Where very many conditions hold close by, there are none to choose from.
    """
    between = direction_range(courses[0].velocity, courses[1].velocity)
    directions: list[ExactDirection] = []
    tried = 0
    for name in courses[0].paths:
        times = [t for pawl, t in locks if pawl == name]
        try:
            for bearing in _pawl_directions(
                [each.paths[name] for each in courses], times, line, friction, between
            ):
                tried += 1
                if tried > CANDIDATES:
                    return []
                if all(compare(bearing.slope, other.slope) for other in directions):
                    directions.append(bearing)
        except CrowdedError:
            return []
    return sorted(directions, key=cmp_to_key(lambda one, other: compare(one.slope, other.slope)))


def _pawl_directions(
    sides: Sequence[Path], locks: Sequence[float], line: GoalLine, friction: Fraction, between: DirectionRange
) -> Iterator[ExactDirection]:
    windows = divergence_windows(sides, locks)
    both = axis_scenes(sides[0].scene)
    pairs = pairs_among(both.x, {pair for window in windows for pair in contact_pairs(window)})
    round_corners = diameter_circles(both.x, pairs) if friction else set[DiameterCircle]()
    for place in divergence_points(windows, locks, both.x.scale):
        contacts = [
            row for pair in pairs if _nearly_holds(row := contact_condition(both, pair, place.turn), place)
        ]
        rows = [
            row
            for row in _other_conditions(both, pairs, place, line, friction, contacts)
            if _nearly_holds(row, place)
        ]
        near = [circle for circle in round_corners if _is_near(circle, place)]
        if len(contacts) + len(rows) > CROWD:
            raise CrowdedError
        if place.start:
            yield from _at_start(contacts, rows, place, between)
        else:
            yield from _triple_conditions(contacts, rows, near, place, between)
            yield from _at_known_angles([*contacts, *rows], place, between)
            yield from _at_right_angles(contacts, near, place, between)


def _other_conditions(
    both: AxisScenes, pairs: Sequence[FeaturePair], place: DivergencePoint, line: GoalLine,
    friction: Fraction, contacts: Sequence[Condition],
) -> Iterator[Condition]:  # fmt: skip
    """Conditions other than contacts."""
    yield goal_condition(both.x, line)
    for row in contacts:
        yield row.tangent()
        yield row.along()
    for pair in pairs:
        yield from end_conditions(both, pair, place.turn)
        if friction:
            yield from friction_conditions(both, pair, place.turn, friction)


def _triple_conditions(
    contacts: Sequence[Condition], rows: Sequence[Condition], near: Sequence[DiameterCircle],
    place: DivergencePoint, between: DirectionRange,
) -> Iterator[ExactDirection]:  # fmt: skip
    """Directions of configurations with one condition more than those of others close to them."""
    reach = [fmpq(math.floor(GRID * (place.u + side * NEAR)), GRID) for side in (-1, 1)]
    for first, second in combinations([*contacts, *rows], 2):
        w = first.cross(second)
        polys = [circle.at(w) for circle in near]
        if first in contacts and second in contacts:  # they touch, and part again
            polys.append(w[0] * w[1].derivative() - w[1] * w[0].derivative())
        for u in (u for poly in polys for u in roots(poly, *reach)):
            yield from between.bearings(u, w)
    for first, second, third in combinations([*contacts, *rows], 3):
        w = first.cross(second)
        for u in roots(third.at(w), *reach):
            for direction in (w, first.cross(third), second.cross(third)):
                yield from between.bearings(u, direction)


def _at_known_angles(
    rows: Sequence[Condition], place: DivergencePoint, between: DirectionRange
) -> Iterator[ExactDirection]:
    """The same at rest and at a stop."""
    for u in place.known:
        for first, second in combinations(rows, 2):
            yield from between.bearings(u, first.cross(second))


def _at_right_angles(
    contacts: Sequence[Condition], near: Sequence[DiameterCircle], place: DivergencePoint,
    between: DirectionRange,
) -> Iterator[ExactDirection]:  # fmt: skip
    """Directions at a right angle to the line from hinge to contact, at rest, at a stop or flush on an edge.

    Such angles are roots of quadratics; u is eliminated by their resultant.
    """
    angles = [fmpz_poly([-u.low.p, u.low.q]) ** 2 for u in place.known]
    angles += [
        one.z - other.z for one, other in combinations(contacts, 2) if (one.x, one.y) == (other.x, other.y)
    ]
    for angle in angles:
        for row, circle in product(contacts, near):
            yield from between.slopes(_resultant(angle, between.right_angle(row, circle)))


def _resultant(angle: fmpz_poly, b: Sequence[fmpz_poly]) -> fmpz_poly:
    """Of two quadratics in u."""
    a = [angle[n] for n in range(3)]
    middle = b[0] * a[2] - b[2] * a[0]
    return middle * middle - (b[1] * a[2] - b[2] * a[1]) * (b[0] * a[1] - b[1] * a[0])


def _at_start(
    contacts: Sequence[Condition], rows: Sequence[Condition], place: DivergencePoint,
    between: DirectionRange,
) -> Iterator[ExactDirection]:  # fmt: skip
    """Directions along an edge that is touched at the start, or in which two such contacts keep together."""
    (u,) = place.known
    for row in [*contacts, *rows]:
        yield from between.bearings(u, (-row.y, row.x))
    for first, second in combinations(contacts, 2):
        one, other = first.z.derivative(), second.z.derivative()
        direction = first.y * other - second.y * one, second.x * one - first.x * other
        yield from between.bearings(u, direction)


def _nearly_holds(row: Condition, place: DivergencePoint) -> bool:
    """Whether a condition is near to holding."""
    x, y, z = (_value(poly, place.u) for poly in (row.x, row.y, row.z))
    size = abs(x * place.w[0]) + abs(y * place.w[1]) + sum(abs(float(c)) for c in row.z.coeffs())
    return abs(x * place.w[0] + y * place.w[1] + z) <= NEAR * size


def _is_near(circle: DiameterCircle, place: DivergencePoint) -> bool:
    size = math.hypot(*place.w) * (math.hypot(*place.w) + math.hypot(circle.x, circle.y))
    return abs(circle.at((*place.w, 1.0))) <= NEAR * size


def _value(poly: fmpz_poly, at: float) -> float:
    value = 0.0
    for coefficient in reversed(poly.coeffs()):
        value = value * at + float(coefficient)
    return value
