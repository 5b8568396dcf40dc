"""Exact numbers as text."""

from __future__ import annotations

from decimal import Decimal

from flint import fmpq

from pliant.snap.arithmetic.algebraic import Algebraic
from pliant.snap.arithmetic.polynomials import fraction, root_count


def exact_text(number: object, unknown: str = "t") -> str:
    """A number exactly: a fraction, or the polynomial it is a root of and where.

    >>> exact_text(0.5)
    ''
    """
    if not isinstance(number, Algebraic):
        return ""
    number = number.reduced
    if number.is_rational:
        return str(fraction(number.low))
    low, high = _isolating_decimals(number)
    return f"root of {number.poly.str(var=unknown)} in [{low}, {high}]"


def _isolating_decimals(number: Algebraic) -> tuple[str, str]:
    """The shortest decimals between which the polynomial has this root and no other."""
    for digits in range(3, 400):
        grid = 10**digits
        place = int((number.low * grid).floor())
        low, high = fmpq(place, grid), fmpq(place + 1, grid)
        number.refine(fmpq(1, 100 * grid))
        if low < number.low and number.high < high and root_count(number.poly, low, high) == 1:
            return f"{_decimal(place, digits)}", f"{_decimal(place + 1, digits)}"
    return str(fraction(number.low)), str(fraction(number.high))


def _decimal(place: int, digits: int) -> str:
    return str(Decimal(place).scaleb(-digits))
