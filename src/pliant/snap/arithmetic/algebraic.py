"""Real algebraic numbers of small degree, and decisions about them that are never wrong.

A number is a root of an integer polynomial without repeated roots, in an interval that holds no
other root of it. Signs are decided by floats where their error bound allows it, otherwise by
greatest common divisors (is it zero?) and finer intervals (which sign?).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import lcm

from flint import fmpq, fmpz_poly

from pliant.snap.arithmetic.polynomials import (
    EPSILON,
    has_root_between,
    moved_onto,
    nearest_float,
    root_count,
    sign_of,
    sign_variations,
    squarefree_part,
    value_and_error,
)

HALF = fmpq(1, 2)


class Algebraic:
    """A real root of `poly`, between `low` and `high`; a rational number where the two are equal."""

    def __init__(self, poly: fmpz_poly, low: fmpq, high: fmpq) -> None:
        """Of a polynomial without repeated roots, and an interval with one of its roots."""
        self.poly = poly
        self.low = low
        self.high = high
        self._approximate()

    def _approximate(self) -> None:
        self.near = nearest_float((self.low + self.high) * HALF)
        self.radius = nearest_float(self.high - self.low) + EPSILON * (abs(self.near) + 2.0**-200)

    @classmethod
    def of(cls, value: fmpq) -> Algebraic:
        """A rational number."""
        return cls(fmpz_poly([-value.p, value.q]), value, value)

    @property
    def is_rational(self) -> bool:
        """Whether it is known as a rational number."""
        return self.low == self.high

    @cached_property
    def reduced(self) -> Algebraic:
        """The same number by its polynomial of least degree: rational where it is."""
        if self.is_rational:
            return self
        for factor, _ in self.poly.factor()[1]:
            if has_root_between(factor, self.low, self.high):
                if factor.degree() == 1:
                    return Algebraic.of(fmpq(-factor[0], factor[1]))
                return Algebraic(factor, self.low, self.high)
        raise AssertionError("a root of a product is a root of a factor")

    @cached_property
    def negated(self) -> Algebraic:
        """Its negative."""
        coefficients = [-c if power % 2 else c for power, c in enumerate(self.poly.coeffs())]
        return Algebraic(fmpz_poly(coefficients), -self.high, -self.low)

    def shifted(self, by: fmpq) -> Algebraic:
        """The number plus a rational one."""
        line, total, power = fmpz_poly([-by.p, by.q]), fmpz_poly([]), 1
        for coefficient in reversed(self.poly.coeffs()):
            total = total * line + coefficient * power
            power *= int(by.q)
        return Algebraic(total, self.low + by, self.high + by)

    def refine(self, width: fmpq) -> None:
        """Narrow the interval below `width`, in place: the number stays the same."""
        if self.is_rational:
            return
        sign = sign_of(self.poly(self.low))
        while self.high - self.low > width:
            if not self._newton(sign):
                self._halve(sign)
            if self.is_rational:
                break
        self._approximate()

    def _halve(self, sign: int) -> None:
        middle = (self.low + self.high) * HALF
        self._cut(middle, sign_of(self.poly(middle)), sign)

    def _cut(self, at: fmpq, here: int, sign: int) -> None:
        if here == 0:
            self.low = self.high = at
            self.poly = fmpz_poly([-at.p, at.q])
        elif here == sign:
            self.low = at
        else:
            self.high = at

    def _newton(self, sign: int) -> bool:
        """Try an interval about Newton's step that is far narrower; whether it holds the root."""
        width = self.high - self.low
        middle = (self.low + self.high) * HALF
        slope = self.poly.derivative()(middle)
        if slope == 0:
            return False
        grid = 2 ** (3 * _bits(width) // 2 + 2)  # the step's error is about the square of the width
        step = middle - self.poly(middle) / slope
        centre = fmpq((step * grid).floor(), grid)
        low, high = centre - fmpq(4, grid), centre + fmpq(5, grid)
        if not (self.low < low and high < self.high):
            return False
        below, above = sign_of(self.poly(low)), sign_of(self.poly(high))
        if below != sign or above != -sign:
            return False
        self.low, self.high = low, high
        return True


def _bits(width: fmpq) -> int:
    """About how many binary places an interval of this width fixes."""
    return max(1, int(width.q).bit_length() - int(width.p).bit_length())


def sign_at(poly: fmpz_poly, number: Algebraic) -> int:
    """The sign of a polynomial at a number: floats first, then whether it is zero, then ever finer."""
    value, bound = value_and_error(poly, number.near, number.radius)
    if value > bound:
        return 1
    if value < -bound:
        return -1
    if number.is_rational:
        return sign_of(poly(number.low))
    if poly.is_zero():
        return 0
    common = poly.gcd(number.poly)
    if common.degree() > 0 and has_root_between(common, number.low, number.high):
        return 0
    return _sign_of_nonzero(poly, number)


def _sign_of_nonzero(poly: fmpz_poly, number: Algebraic) -> int:
    """By narrowing the number until no root of the polynomial can be in its interval."""
    width = number.high - number.low
    while True:
        if number.is_rational:
            return sign_of(poly(number.low))
        if sign_variations(moved_onto(poly, number.low, number.high)) == 0:
            return sign_of(poly(number.low)) or sign_of(poly(number.high))
        width = width / 1024
        number.refine(width)


def compare(first: Algebraic, second: Algebraic) -> int:
    """-1, 0 or 1 as the first is less than, equal to or greater than the second."""
    if first is second:
        return 0
    gap = first.near - second.near
    if abs(gap) > first.radius + second.radius + EPSILON * (abs(first.near) + abs(second.near)):
        return 1 if gap > 0 else -1
    if second.is_rational:
        return sign_at(fmpz_poly([-second.low.p, second.low.q]), first)
    if first.is_rational:
        return -compare(second, first)
    return _compare_close(first, second)


def _compare_close(first: Algebraic, second: Algebraic) -> int:
    common = first.poly.gcd(second.poly)
    while True:
        low, high = max(first.low, second.low), min(first.high, second.high)
        if low >= high:  # ends of intervals are no roots
            return 1 if first.low >= second.high else -1
        spans = ((first.low, first.high), (second.low, second.high), (low, high))
        if common.degree() > 0 and all(has_root_between(common, *span) for span in spans):
            return 0
        narrower = max(first.high - first.low, second.high - second.low) / 1024
        first.refine(narrower)
        second.refine(narrower)
        if first.is_rational or second.is_rational:
            return compare(first, second)


def quotient(number: Algebraic, top: fmpz_poly, bottom: fmpz_poly) -> Algebraic:
    """The number top/bottom at a number: a root of the resultant of its polynomial and bottom·x - top."""
    if number.is_rational:
        return Algebraic.of(top(number.low) / bottom(number.low))
    shared = number.poly.gcd(top.gcd(bottom))  # other roots, where top and bottom both vanish
    own = number.poly // shared if shared.degree() > 0 else number.poly
    poly = squarefree_part(_resultant(own, top, bottom))
    width = number.high - number.low
    while True:
        enclosure = _quotient_interval(number, top, bottom)
        apart = enclosure is not None and poly(enclosure[0]) != 0 != poly(enclosure[1])
        if enclosure is not None and apart and root_count(poly, *enclosure) == 1:
            value = Algebraic(poly, *enclosure)
            value.refine(fmpq(1, 2**46) * (1 + abs(value.low)))
            return value
        if number.is_rational:
            return Algebraic.of(top(number.low) / bottom(number.low))
        width = width / 2**20
        number.refine(width)


def _quotient_interval(number: Algebraic, top: fmpz_poly, bottom: fmpz_poly) -> tuple[fmpq, fmpq] | None:
    """An interval of the quotient over the number's interval; None where the bottom may be zero in it."""
    low_top, high_top = _range(top, number)
    low, high = _range(bottom, number)
    if low <= 0 <= high:
        return None
    ends = [low_top / low, low_top / high, high_top / low, high_top / high]
    margin = (max(ends) - min(ends)) / 1024 + fmpq(1, 2**300)
    return min(ends) - margin, max(ends) + margin


def _range(poly: fmpz_poly, number: Algebraic) -> tuple[fmpq, fmpq]:
    """What a polynomial can be over a number's interval."""
    middle = (number.low + number.high) * HALF
    reach = max(abs(number.low), abs(number.high))
    slope = sum((abs(c) * reach**power for power, c in enumerate(poly.derivative().coeffs())), fmpq(0))
    value, spread = poly(middle) + fmpq(0), slope * (number.high - number.low) * HALF
    return value - spread, value + spread


def _resultant(poly: fmpz_poly, top: fmpz_poly, bottom: fmpz_poly) -> fmpz_poly:
    """The resultant in u of poly(u) and bottom(u)·x - top(u), as a polynomial in x, by interpolation."""
    degree = poly.degree()
    if degree == 2:
        return _quadratic_resultant(poly, top, bottom)
    points = list(range(degree + 1))
    size = max(top.degree(), bottom.degree())
    values: list[fmpq] = []
    for x in points:
        other = bottom * x - top
        lost = size - max(other.degree(), 0)  # where leading terms cancel the resultant lacks this factor
        values.append(fmpq(int(poly.resultant(other)) * int(poly[degree]) ** lost))
    return _interpolating_polynomial(points, values)


def _quadratic_resultant(poly: fmpz_poly, top: fmpz_poly, bottom: fmpz_poly) -> fmpz_poly:
    """The same of a quadratic, in closed form: top and bottom are reduced to linear ones first."""
    size = max(top.degree(), bottom.degree())
    scaled = poly[2] ** max(size - 1, 0)  # so that reducing leaves integers, of both alike
    upper, lower = (other * scaled % poly for other in (top, bottom))
    constant, slope = fmpz_poly([-upper[0], lower[0]]), fmpz_poly([-upper[1], lower[1]])
    return constant * constant * poly[2] - constant * slope * poly[1] + slope * slope * poly[0]


def _interpolating_polynomial(points: Sequence[int], values: Sequence[fmpq]) -> fmpz_poly:
    """An integer multiple of the polynomial through points, by Newton's divided differences."""
    table = list(values)
    for step in range(1, len(points)):
        for index in range(len(points) - 1, step - 1, -1):
            table[index] = (table[index] - table[index - 1]) / (points[index] - points[index - step])
    common = lcm(*(int(value.q) for value in table))
    result = fmpz_poly([])
    for point, value in zip(reversed(points), reversed(table), strict=True):
        result = result * fmpz_poly([-point, 1]) + int(value.p) * (common // int(value.q))
    return result
