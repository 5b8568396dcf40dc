"""Exact arithmetic of the sweep: integer polynomials, algebraic numbers, and points (t, u) of them."""

# ruff: noqa: D102 (`Arithmetic` says what its methods give)

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import cast

from flint import fmpq, fmpz_poly

from pliant.snap.arithmetic.algebraic import Algebraic, compare, quotient, sign_at
from pliant.snap.arithmetic.isolation import roots
from pliant.snap.arithmetic.numbers import RationalVector
from pliant.snap.arithmetic.polynomials import (
    is_certainly_nonzero,
    nearest_float,
    rational,
    root_count,
    simplest_between,
    squarefree_part,
    value_and_error,
)
from pliant.snap.arithmetic.protocol import Line

Whole = tuple[int, int]
ROUND = fmpz_poly([1, 0, 1])  # 1 + u²


class ExactPoint:
    """A point of the slice: an angle u in the chart `turn`, and the t at which a(u) t + b(u) = 0.

    After a snap onto a flat segment t has nothing to do with u: then `at` is t itself.
    """

    def __init__(
        self, u: Algebraic, turn: int, line: tuple[fmpz_poly, fmpz_poly] | None, at: Algebraic | None = None
    ) -> None:
        """By the line through it that is known not to be flat there, or by t itself."""
        self.u = u
        self.turn = turn
        self.line = line
        self._at = at
        if line is not None:
            self._rising = sign_at(line[0], u)
            if self._rising == 0:  # a flat line crosses it here: t is that of the other branch
                common = line[0].gcd(line[1])
                line = self.line = line[0] // common, line[1] // common
                self._rising = sign_at(line[0], u)
            self.t, self.slack = self._approximate(line)
        else:
            assert at is not None
            self.t, self.slack = at.near, at.radius

    def _approximate(self, line: tuple[fmpz_poly, fmpz_poly]) -> tuple[float, float]:
        """The t as a float, and what it may be wrong by."""
        top, top_error = value_and_error(line[1], self.u.near, self.u.radius)
        bottom, error = value_and_error(line[0], self.u.near, self.u.radius)
        if abs(bottom) > 1e3 * error:
            t = -top / bottom
            slack = 2 * (top_error + abs(t) * error) / (abs(bottom) - error) + 2.0**-51 * abs(t)
            if slack <= 1e-11 * (1 + abs(t)):
                return t, slack
        return self._refined_sign(line)

    def _refined_sign(self, line: tuple[fmpz_poly, fmpz_poly]) -> tuple[float, float]:
        """The same, where floats do not tell: the number is narrowed until they do."""
        while True:
            u, width = (self.u.low + self.u.high) / 2, self.u.high - self.u.low
            bottom = line[0](u)
            if abs(bottom) > _slope_bound(line[0], u) * width * 2**20 or self.u.is_rational:
                t = -line[1](u) / bottom
                spread = (_slope_bound(line[1], u) + abs(t) * _slope_bound(line[0], u)) * width
                near = nearest_float(t + 0)
                slack = 2 * nearest_float(spread / abs(bottom)) + 2.0**-51 * abs(near)
                if slack <= 1e-13 * (1 + abs(near)) or self.u.is_rational:
                    return near, slack
            self.u.refine(width / 2**30)

    @property
    def angle(self) -> float:
        """The u as a float."""
        return self.u.near

    @property
    def time(self) -> Algebraic:
        """The t as a number of its own."""
        if self._at is None:
            assert self.line is not None
            self._at = quotient(self.u, -self.line[1], self.line[0])
        return self._at

    def sign(self, a: fmpz_poly, b: fmpz_poly) -> int:
        """The sign of a(u) t + b(u) here."""
        if self.line is not None:
            alpha, beta = self.line
            return self._rising * sign_at(b * alpha - a * beta, self.u)
        slope = sign_at(a, self.u)
        if slope == 0:
            return sign_at(b, self.u)
        return slope * compare(self.time, quotient(self.u, -b, a))

    def against(self, t: Algebraic) -> int:
        """The sign of what this point is later than a number by."""
        gap = self.t - t.near
        if abs(gap) > self.slack + t.radius + 2.0**-50 * abs(self.t):
            return 1 if gap > 0 else -1
        return compare(self.time, t)

    def after(self, t: fmpq) -> int:
        """The sign of what this point is later than a rational t by."""
        if self.line is None:
            return compare(self.time, Algebraic.of(t))
        alpha, beta = self.line
        return self._rising * sign_at(-(beta * t.q + alpha * t.p), self.u)


def exact_line(line: Line) -> tuple[fmpz_poly, fmpz_poly]:
    """A line of the sweep in exact arithmetic, for those who ask what its polynomials are."""
    return cast(tuple[fmpz_poly, fmpz_poly], line)


def _slope_bound(poly: fmpz_poly, at: fmpq) -> fmpq:
    """A bound on the slope of a polynomial near a place."""
    reach = abs(at) + 1
    total = fmpq(0)
    for power, coefficient in enumerate(poly.derivative().coeffs()):
        total += abs(coefficient) * reach**power
    return total


class ExactArithmetic:
    """Decisions that are never wrong."""

    name, is_exact = "exact", True
    angle_slack = 2.0**-40
    zero = Algebraic.of(fmpq(0))

    @staticmethod
    def paced(stride: float) -> ExactArithmetic:
        """Itself: nothing is rounded."""
        return ExactArithmetic()

    @staticmethod
    def poly(coefficients: Sequence[int]) -> fmpz_poly:
        return fmpz_poly(coefficients)

    @staticmethod
    def scalar(value: Fraction) -> fmpq:
        return rational(value)

    @staticmethod
    def number(value: Fraction) -> Algebraic:
        return Algebraic.of(rational(value))

    @staticmethod
    def line(t: fmpq) -> tuple[fmpz_poly, fmpz_poly]:
        return fmpz_poly([t.q]), fmpz_poly([-t.p])

    @staticmethod
    def compare(first: Algebraic, second: Algebraic) -> int:
        return compare(first, second)

    @staticmethod
    def sign_at(poly: fmpz_poly, u: Algebraic) -> int:
        return sign_at(poly, u)

    @staticmethod
    def roots_after(poly: fmpz_poly, start: Algebraic, limit: Algebraic, near: float) -> list[Algebraic]:
        low = min(start.near - 2 * start.radius, limit.near - 2 * limit.radius)
        high = max(start.near + 2 * start.radius, limit.near + 2 * limit.radius)
        if is_certainly_nonzero(poly, low, high):
            return []
        up = compare(limit, start) > 0
        clear = abs(near - start.near) > 4 * start.radius  # else floats do not tell what lies between
        skip = rational(near) if clear else (start.low if up else start.high)
        if up:
            first = max(start.low, skip) if skip < limit.high else start.low
            within = [r for r in roots(poly, first, limit.high) if compare(r, start) > 0 >= compare(r, limit)]
        else:
            last = min(start.high, skip) if skip > limit.low else start.high
            within = [r for r in roots(poly, limit.low, last) if compare(r, start) < 0 <= compare(r, limit)]
            within.reverse()
        return within

    @staticmethod
    def point(
        u: Algebraic, turn: int, line: tuple[fmpz_poly, fmpz_poly] | None, at: Algebraic | None = None
    ) -> ExactPoint:
        return ExactPoint(u, turn, line, at)

    @staticmethod
    def moment(u: Algebraic, turn: int, t: fmpq) -> ExactPoint:
        return ExactPoint(u, turn, ExactArithmetic.line(t))

    @staticmethod
    def landing(
        point: ExactPoint, alpha: fmpz_poly, beta: fmpz_poly, low: float, high: float
    ) -> list[Algebraic]:
        """Angles between two floats at which α(u) t + β(u) = 0 at the point's t, in order.

        If T(t) = 0 then U(u) = Σ Tᵢ (-β)ⁱ α^(d-i) = 0; which roots of U belong to this t is decided exactly.
        """
        time = point.time
        if time.poly.degree() > 1:
            angles = _float_landings(point, alpha, beta, low, high)
            if angles is not None:
                return angles
        angles = roots(_landing_polynomial(time, alpha, beta), rational(low), rational(high))
        return angles if time.poly.degree() == 1 else [r for r in angles if _has_time(r, time, alpha, beta)]

    @staticmethod
    def strip(u: Algebraic, polys: Sequence[fmpz_poly]) -> tuple[fmpq, fmpq]:
        reach = fmpq(1, 2**10)
        while True:
            u.refine(reach / 4)
            middle = (u.low + u.high) / 2
            low, high = middle - reach, middle + reach
            if all(_has_no_other_root(poly, u, low, high) for poly in polys if poly.degree() > 0):
                return low, high
            reach = reach / 32

    @staticmethod
    def negated(value: Algebraic) -> Algebraic:
        return value.negated

    @staticmethod
    def between(first: Algebraic, second: Algebraic) -> Algebraic:
        if compare(first, second) == 0:
            return first
        low, high = (first, second) if compare(first, second) < 0 else (second, first)
        while low.high >= high.low:
            low.refine((low.high - low.low) / 1024)
            high.refine((high.high - high.low) / 1024)
        return Algebraic.of(simplest_between(low.high, high.low))

    @staticmethod
    def common_scale(values: Iterable[Fraction], least: int) -> int:
        return lcm(least, *{value.denominator for value in values})

    @staticmethod
    def coordinates(
        exact: Sequence[RationalVector], floats: Sequence[tuple[float, float]], scale: int
    ) -> list[Whole]:
        return [
            (x.numerator * (scale // x.denominator), y.numerator * (scale // y.denominator)) for x, y in exact
        ]

    @staticmethod
    def without_round(poly: fmpz_poly) -> fmpz_poly:
        return poly // ROUND

    @staticmethod
    def with_term_size(poly: fmpz_poly, size: float) -> fmpz_poly:
        """Itself: nothing is rounded."""
        return poly

    @staticmethod
    def same(first: fmpq, second: fmpq) -> bool:
        return first == second

    @staticmethod
    def ratio(point: ExactPoint, top: tuple[fmpz_poly, fmpz_poly], bottom: fmpz_poly) -> Algebraic | None:
        a, b = top
        if sign_at(bottom, point.u) == 0:
            return None
        if a.is_zero():
            return _absolute(quotient(point.u, b, bottom))
        if point.line is None:  # on a flat segment after a snap: t is a number of its own
            return _absolute(_independent(point, a, b, bottom))
        alpha, beta = point.line
        return _absolute(quotient(point.u, b * alpha - a * beta, alpha * bottom))

    @staticmethod
    def near(value: fmpq) -> float:
        return nearest_float(value + 0)


def _landing_polynomial(time: Algebraic, alpha: fmpz_poly, beta: fmpz_poly) -> fmpz_poly:
    """A polynomial that vanishes wherever α(u) t + β(u) does, at this t and its conjugates."""
    degree = time.poly.degree()
    powers = [fmpz_poly([1])]
    for _ in range(degree):
        powers.append(powers[-1] * alpha)
    total, falling = fmpz_poly([]), fmpz_poly([1])
    for power, coefficient in enumerate(time.poly.coeffs()):
        total += coefficient * falling * powers[degree - power]
        falling *= -beta
    return total


def _float_landings(
    point: ExactPoint, alpha: fmpz_poly, beta: fmpz_poly, low: float, high: float
) -> list[Algebraic] | None:
    """The same where floats tell the roots apart: one root of the polynomial about each; else None."""
    try:
        a, b = [float(alpha[n]) for n in range(3)], [float(beta[n]) for n in range(3)]
    except OverflowError:
        return None
    c = [a[n] * point.t + b[n] for n in range(3)]
    size = sum(abs(a[n] * point.t) + abs(b[n]) for n in range(3))
    error = 2.0**-48 * size + point.slack * sum(map(abs, a))
    spread = c[1] * c[1] - 4 * c[0] * c[2]
    if spread < -16 * error * size:
        return []
    squared = size * size  # beyond all floats where these hold the coefficients, but not their squares
    if spread < 2.0**-20 * squared or not math.isfinite(squared + error):
        return None
    half = -0.5 * (c[1] + math.copysign(math.sqrt(spread), c[1]))
    places = [c[0] / half] if half else []
    places += [half / c[2]] if abs(c[2]) > 2.0**-30 * size else []
    if len(places) < 2 and max(abs(low), abs(high)) > 1e6:
        return None
    poly: fmpz_poly | None = None
    angles: list[Algebraic] = []
    for u in sorted(places):
        reach = 64 * error / math.sqrt(spread) * (1 + abs(u)) ** 2 + 2.0**-46
        if u < low - reach or u > high + reach:
            continue
        poly = _landing_polynomial(point.time, alpha, beta) if poly is None else poly
        left, right = rational(u - reach), rational(u + reach)
        if poly(left) == 0 or poly(right) == 0 or root_count(poly, left, right) != 1:
            return None
        angles.append(Algebraic(poly, left, right))
    return angles


def _has_time(root: Algebraic, time: Algebraic, alpha: fmpz_poly, beta: fmpz_poly) -> bool:
    if sign_at(alpha, root) == 0:
        return sign_at(beta, root) == 0
    return compare(quotient(root, -beta, alpha), time) == 0


def _has_no_other_root(poly: fmpz_poly, u: Algebraic, low: fmpq, high: fmpq) -> bool:
    """Whether a polynomial has no root from low to high but u: floats first, then Descartes' rule."""
    near, reach = u.near, 2 * nearest_float(high - low)
    value, bound = value_and_error(poly, near, reach)
    if abs(value) > bound:
        return True
    vanishes = sign_at(poly, u) == 0
    slope, bound = value_and_error(poly.derivative(), near, reach)
    if vanishes and abs(slope) > bound:
        return True
    if poly(low) == 0 or poly(high) == 0:
        return False
    return root_count(squarefree_part(poly), low, high) == int(vanishes)


def _independent(point: ExactPoint, a: fmpz_poly, b: fmpz_poly, c: fmpz_poly) -> Algebraic:
    """(a t + b) / c where u is rational, as on a wall parallel to the motion."""
    u = point.u.reduced
    slope, constant = a(u.low) / c(u.low), b(u.low) / c(u.low)
    top = fmpz_poly([constant.p * slope.q, slope.p * constant.q])
    return quotient(point.time, top, fmpz_poly([slope.q * constant.q]))


def _absolute(value: Algebraic) -> Algebraic:
    return value if compare(value, Algebraic.of(value.low * 0)) >= 0 else value.negated
