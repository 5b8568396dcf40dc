"""Real algebraic numbers of small degree, and decisions about them that are never wrong.

A number is a root of an integer polynomial without repeated roots, in an interval that holds no
other root of it. Signs are decided by floats where their error bound allows it, otherwise by
greatest common divisors (is it zero?) and finer intervals (which sign?).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

from flint import fmpq, fmpz_poly

from pliant.snap.scan import never_zero

EPSILON = 2.0**-52
HALF = fmpq(1, 2)
SHIFT = fmpz_poly([1, 1])


def rational(value: Fraction | int | float) -> fmpq:
    """A number as flint's rational, exactly.

    >>> rational(Fraction(1, 3)), rational(0.5)
    (1/3, 1/2)
    """
    top, bottom = value.as_integer_ratio()
    return fmpq(top, bottom)


def fraction(value: fmpq) -> Fraction:
    """Flint's rational as Python's."""
    return Fraction(int(value.p), int(value.q))


def nearest(value: fmpq) -> float:
    """The nearest float."""
    return int(value.p) / int(value.q)


class Algebraic:
    """A real root of `poly`, between `low` and `high`; a rational number where the two are equal."""

    def __init__(self, poly: fmpz_poly, low: fmpq, high: fmpq) -> None:
        """Of a polynomial without repeated roots, and an interval with one of its roots."""
        self.poly = poly
        self.low = low
        self.high = high
        self._approximate()

    def _approximate(self) -> None:
        self.near = nearest((self.low + self.high) * HALF)
        self.radius = nearest(self.high - self.low) + EPSILON * (abs(self.near) + 2.0**-200)

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
            if _vanishes_between(factor, self.low, self.high):
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
        sign = _sign(self.poly(self.low))
        while self.high - self.low > width:
            if not self._newton(sign):
                self._halve(sign)
            if self.is_rational:
                break
        self._approximate()

    def _halve(self, sign: int) -> None:
        middle = (self.low + self.high) * HALF
        self._cut(middle, _sign(self.poly(middle)), sign)

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
        below, above = _sign(self.poly(low)), _sign(self.poly(high))
        if below != sign or above != -sign:
            return False
        self.low, self.high = low, high
        return True


def simplest(low: fmpq, high: fmpq) -> fmpq:
    """A rational strictly between two, with as short a binary fraction as will do."""
    grid = 1
    while True:
        place = fmpq((low * grid).floor() + 1, grid)
        if place < high:
            return place
        grid *= 16


def _bits(width: fmpq) -> int:
    """About how many binary places an interval of this width fixes."""
    return max(1, int(width.q).bit_length() - int(width.p).bit_length())


def _sign(value: fmpq | int) -> int:
    return (value > 0) - (value < 0)


def _vanishes_between(poly: fmpz_poly, low: fmpq, high: fmpq) -> bool:
    """Whether a polynomial with at most one root between two rationals, and that a simple one, has it."""
    below, above = _sign(poly(low)), _sign(poly(high))
    return below == 0 or above == 0 or below != above


def without_repeats(poly: fmpz_poly) -> fmpz_poly:
    """The polynomial with the same roots, each once."""
    if poly.degree() < 2:
        return poly
    common = poly.gcd(poly.derivative())
    return poly // common if common.degree() > 0 else poly


def surely_not_zero(poly: fmpz_poly, low: float, high: float) -> bool:
    """Whether floats can tell that there is no root between two places: a filter, right where it says so."""
    if poly.degree() > 4 or abs(low) + abs(high) > 4:
        return False
    try:
        c = [*map(float, poly), 0.0, 0.0, 0.0, 0.0, 0.0][:5]
    except OverflowError:
        return False
    error = 2.0**-40 * (abs(c[0]) + abs(c[1]) + abs(c[2]) + abs(c[3]) + abs(c[4]))
    return never_zero(c[0], c[1], c[2], c[3], c[4], low, high - low, error) != 0


def sign_at(poly: fmpz_poly, number: Algebraic) -> int:
    """The sign of a polynomial at a number: floats first, then whether it is zero, then ever finer."""
    value, bound = evaluated(poly, number.near, number.radius)
    if value > bound:
        return 1
    if value < -bound:
        return -1
    if number.is_rational:
        return _sign(poly(number.low))
    if poly.is_zero():
        return 0
    common = poly.gcd(number.poly)
    if common.degree() > 0 and _vanishes_between(common, number.low, number.high):
        return 0
    return _sign_of_nonzero(poly, number)


def evaluated(poly: fmpz_poly, at: float, radius: float) -> tuple[float, float]:
    """A value by floats, and what it may differ by from any within the radius."""
    value = size = slope = 0.0
    reach = abs(at) + radius
    try:
        for number in reversed(list(map(float, poly))):
            value = value * at + number
            slope = slope * reach + size
            size = size * reach + abs(number)
    except OverflowError:
        return 0.0, 1.0
    return value, radius * slope + 32 * EPSILON * size + 2.0**-1000


def _sign_of_nonzero(poly: fmpz_poly, number: Algebraic) -> int:
    """By narrowing the number until no root of the polynomial can be in its interval."""
    width = number.high - number.low
    while True:
        if number.is_rational:
            return _sign(poly(number.low))
        if _variations(_onto(poly, number.low, number.high)) == 0:
            return _sign(poly(number.low)) or _sign(poly(number.high))
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
        shared = common.degree() > 0 and _shares(common, first) and _shares(common, second)
        if shared and _vanishes_between(common, low, high):
            return 0
        narrower = max(first.high - first.low, second.high - second.low) / 1024
        first.refine(narrower)
        second.refine(narrower)
        if first.is_rational or second.is_rational:
            return compare(first, second)


def _shares(common: fmpz_poly, number: Algebraic) -> bool:
    return _vanishes_between(common, number.low, number.high)


def roots(poly: fmpz_poly, low: fmpq, high: fmpq) -> list[Algebraic]:
    """Every root from `low` to `high`, both included, each once and in order.

    >>> [root.near for root in roots(fmpz_poly([-1, 0, 4]), fmpq(0), fmpq(1))]
    [0.5]
    """
    if poly.is_zero() or low > high:
        return []
    poly = without_repeats(poly)
    if poly.degree() < 1:
        return []
    if poly.degree() == 1:
        root = fmpq(-poly[0], poly[1])
        return [Algebraic.of(root)] if low <= root <= high else []
    found: list[Algebraic] = []
    if poly(low) == 0:
        found.append(Algebraic.of(low))
    if low < high:
        _isolate(poly, _onto(poly, low, high), low, high, found)
        if poly(high) == 0:
            found.append(Algebraic.of(high))
    return found


def _isolate(poly: fmpz_poly, onto: fmpz_poly, low: fmpq, high: fmpq, found: list[Algebraic]) -> None:
    """Roots strictly between, by Descartes' rule and halving. `onto` is the polynomial moved onto [0, 1]."""
    waiting: list[tuple[fmpz_poly | None, fmpq, fmpq]] = [(onto, low, high)]
    while waiting:
        onto_here, low, high = waiting.pop()
        if onto_here is None:  # a place, not an interval
            found.append(Algebraic.of(low))
            continue
        count = _variations(onto_here)
        if count == 1:
            found.append(_polished(poly, low, high))
        if count < 2:
            continue
        middle, degree = (low + high) * HALF, onto_here.degree()
        left = fmpz_poly([c << (degree - power) for power, c in enumerate(map(int, onto_here))])
        waiting.append((left(SHIFT), middle, high))
        if poly(middle) == 0:
            waiting.append((None, middle, middle))
        waiting.append((left, low, middle))


def _polished(poly: fmpz_poly, low: fmpq, high: fmpq) -> Algebraic:
    """The one root strictly between, with an interval about as narrow as a float can tell."""
    ends = _inner(poly, low, high)
    if ends is None:  # the root is at neither end, but the polynomial is zero at one
        low, high = _off_the_ends(poly, low, high)
    near = _float_root(poly, nearest(low), nearest(high))
    for places in (46, 40, 32) if near is not None else ():
        found = _about(poly, low, high, near or 0.0, places)
        if found is not None:
            found.refine(fmpq(1, 2**44))
            return found
    number = Algebraic(poly, low, high)
    number.refine(fmpq(1, 2**46))
    return number


def _about(poly: fmpz_poly, low: fmpq, high: fmpq, near: float, places: int) -> Algebraic | None:
    """The one root between low and high, where it is within so many binary places of a float."""
    reach = rational(2.0**-places * (abs(near) + 2.0**-20))
    centre = rational(near)
    inside_low, inside_high = max(low, centre - reach), min(high, centre + reach)
    if inside_low >= inside_high:
        return None
    below, above = _sign(poly(inside_low)), _sign(poly(inside_high))
    if below == 0 and inside_low > low:
        return Algebraic.of(inside_low)
    if above == 0 and inside_high < high:
        return Algebraic.of(inside_high)
    return Algebraic(poly, inside_low, inside_high) if below * above < 0 else None


def _inner(poly: fmpz_poly, low: fmpq, high: fmpq) -> tuple[fmpq, fmpq] | None:
    return None if poly(low) == 0 or poly(high) == 0 else (low, high)


def _off_the_ends(poly: fmpz_poly, low: fmpq, high: fmpq) -> tuple[fmpq, fmpq]:
    """Ends moved inwards past no root but those at the ends."""
    width = high - low
    while True:
        width = width / 16
        inner_low = low + width if poly(low) == 0 else low
        inner_high = high - width if poly(high) == 0 else high
        if poly(inner_low) != 0 != poly(inner_high) and _sign(poly(inner_low)) != _sign(poly(inner_high)):
            return inner_low, inner_high


def _float_root(poly: fmpz_poly, low: float, high: float) -> float | None:
    """A root between two floats, by safeguarded Newton steps; None where floats do not see it."""
    try:
        coefficients = list(map(float, poly))
    except OverflowError:
        return None
    below = _horner(coefficients, low)[0]
    if below == 0 or below * _horner(coefficients, high)[0] >= 0:
        return None
    at = 0.5 * (low + high)
    for _ in range(200):
        value, slope = _horner(coefficients, at)
        if value == 0:
            return at
        if value * below > 0:
            low = at
        else:
            high = at
        step = at - value / slope if slope else low
        last, at = at, step if low < step < high else 0.5 * (low + high)
        if abs(at - last) <= EPSILON * abs(at):
            return at
    return at


def _horner(coefficients: Sequence[float], at: float) -> tuple[float, float]:
    """Value and slope."""
    value = slope = 0.0
    for coefficient in reversed(coefficients):
        slope = slope * at + value
        value = value * at + coefficient
    return value, slope


def _onto(poly: fmpz_poly, low: fmpq, high: fmpq) -> fmpz_poly:
    """A positive multiple of poly(low + (high - low) x)."""
    bottom = int(low.q) * int(high.q)
    line = fmpz_poly([int(low.p) * int(high.q), int(high.p) * int(low.q) - int(low.p) * int(high.q)])
    moved, power = fmpz_poly([]), 1
    for coefficient in reversed(poly.coeffs()):
        moved = moved * line + coefficient * power
        power *= bottom
    return moved


def _variations(onto: fmpz_poly) -> int:
    """Descartes' bound on the roots strictly between 0 and 1; exact where it is 0 or 1."""
    moved = fmpz_poly(onto.coeffs()[::-1])(SHIFT)
    count, last = 0, 0
    for coefficient in moved.coeffs():
        sign = (coefficient > 0) - (coefficient < 0)
        if sign and sign == -last:
            count += 1
        last = sign or last
    return count


def roots_between(poly: fmpz_poly, low: fmpq, high: fmpq) -> int:
    """A bound on the roots strictly between, of a polynomial without repeated ones; exact if 0 or 1."""
    return _variations(_onto(poly, low, high))


def quotient(number: Algebraic, top: fmpz_poly, bottom: fmpz_poly) -> Algebraic:
    """The number top/bottom at a number: a root of the resultant of its polynomial and bottom·x - top."""
    if number.is_rational:
        return Algebraic.of(top(number.low) / bottom(number.low))
    shared = number.poly.gcd(top.gcd(bottom))  # other roots, where top and bottom both vanish
    own = number.poly // shared if shared.degree() > 0 else number.poly
    poly = without_repeats(_resultant(own, top, bottom))
    width = number.high - number.low
    while True:
        enclosure = _enclosed(number, top, bottom)
        if enclosure is not None and roots_between(poly, *enclosure) == 1 and _apart(poly, *enclosure):
            found = Algebraic(poly, *enclosure)
            found.refine(fmpq(1, 2**46) * (1 + abs(found.low)))
            return found
        if number.is_rational:
            return Algebraic.of(top(number.low) / bottom(number.low))
        width = width / 2**20
        number.refine(width)


def _apart(poly: fmpz_poly, low: fmpq, high: fmpq) -> bool:
    return poly(low) != 0 and poly(high) != 0


def _enclosed(number: Algebraic, top: fmpz_poly, bottom: fmpz_poly) -> tuple[fmpq, fmpq] | None:
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
    return _interpolated(points, values)


def _quadratic_resultant(poly: fmpz_poly, top: fmpz_poly, bottom: fmpz_poly) -> fmpz_poly:
    """The same of a quadratic, in closed form: top and bottom are reduced to linear ones first."""
    size = max(top.degree(), bottom.degree())
    scaled = poly[2] ** max(size - 1, 0)  # so that reducing leaves integers, of both alike
    upper, lower = (other * scaled % poly for other in (top, bottom))
    constant, slope = fmpz_poly([-upper[0], lower[0]]), fmpz_poly([-upper[1], lower[1]])
    return constant * constant * poly[2] - constant * slope * poly[1] + slope * slope * poly[0]


def _interpolated(points: Sequence[int], values: Sequence[fmpq]) -> fmpz_poly:
    """An integer multiple of the polynomial through points, by Newton's divided differences."""
    table = list(values)
    for step in range(1, len(points)):
        for index in range(len(points) - 1, step - 1, -1):
            table[index] = (table[index] - table[index - 1]) / (points[index] - points[index - step])
    common = 1
    for value in table:
        common = common * int(value.q) // _gcd(common, int(value.q))
    result = fmpz_poly([])
    for point, value in zip(reversed(points), reversed(table), strict=True):
        result = result * fmpz_poly([-point, 1]) + int(value.p) * (common // int(value.q))
    return result


def _gcd(first: int, second: int) -> int:
    while second:
        first, second = second, first % second
    return first
