"""Polynomials with integer coefficients: signs, values with error bounds, and how many roots are between."""

from __future__ import annotations

import copyreg
from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq, fmpz_poly

from pliant.snap.arithmetic.quartic import constant_sign

EPSILON = 2.0**-52
SHIFT = fmpz_poly([1, 1])

# So that results can be pickled, and handed from process to process.
copyreg.pickle(fmpq, lambda value: (fmpq, (int(value.p), int(value.q))))
copyreg.pickle(fmpz_poly, lambda poly: (fmpz_poly, ([int(c) for c in poly.coeffs()],)))


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


def nearest_float(value: fmpq) -> float:
    """The nearest float."""
    return int(value.p) / int(value.q)


def sign_of(value: fmpq | int) -> int:
    """-1, 0 or 1."""
    return (value > 0) - (value < 0)


def simplest_between(low: fmpq, high: fmpq) -> fmpq:
    """A rational strictly between two, with as short a binary fraction as will do."""
    grid = 1
    while True:
        place = fmpq((low * grid).floor() + 1, grid)
        if place < high:
            return place
        grid *= 16


def has_root_between(poly: fmpz_poly, low: fmpq, high: fmpq) -> bool:
    """Whether a polynomial with at most one root between two rationals, and that a simple one, has it."""
    below, above = sign_of(poly(low)), sign_of(poly(high))
    return below == 0 or above == 0 or below != above


def squarefree_part(poly: fmpz_poly) -> fmpz_poly:
    """The polynomial with the same roots, each once."""
    if poly.degree() < 2:
        return poly
    common = poly.gcd(poly.derivative())
    return poly // common if common.degree() > 0 else poly


def is_certainly_nonzero(poly: fmpz_poly, low: float, high: float) -> bool:
    """Whether floats can tell that there is no root between two places: a filter, right where it says so."""
    if poly.degree() > 4 or abs(low) + abs(high) > 4:
        return False
    try:
        c = [*map(float, poly), 0.0, 0.0, 0.0, 0.0, 0.0][:5]
    except OverflowError:
        return False
    error = 2.0**-40 * (abs(c[0]) + abs(c[1]) + abs(c[2]) + abs(c[3]) + abs(c[4]))
    return constant_sign(c[0], c[1], c[2], c[3], c[4], low, high - low, error) != 0


def value_and_error(poly: fmpz_poly, at: float, radius: float) -> tuple[float, float]:
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


def moved_onto(poly: fmpz_poly, low: fmpq, high: fmpq) -> fmpz_poly:
    """A positive multiple of poly(low + (high - low) x)."""
    bottom = int(low.q) * int(high.q)
    line = fmpz_poly([int(low.p) * int(high.q), int(high.p) * int(low.q) - int(low.p) * int(high.q)])
    moved, power = fmpz_poly([]), 1
    for coefficient in reversed(poly.coeffs()):
        moved = moved * line + coefficient * power
        power *= bottom
    return moved


def sign_variations(onto: fmpz_poly) -> int:
    """Descartes' bound on the roots strictly between 0 and 1; exact where it is 0 or 1."""
    moved = fmpz_poly(onto.coeffs()[::-1])(SHIFT)
    count, last = 0, 0
    for coefficient in moved.coeffs():
        sign = (coefficient > 0) - (coefficient < 0)
        if sign and sign == -last:
            count += 1
        last = sign or last
    return count


def root_count(poly: fmpz_poly, low: fmpq, high: fmpq) -> int:
    """A bound on the roots strictly between, of a polynomial without repeated ones; exact if 0 or 1."""
    return sign_variations(moved_onto(poly, low, high))


def float_root(poly: fmpz_poly, low: float, high: float) -> float | None:
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
