"""Numbers of either arithmetic, algebraic or floats: the one place that asks which of the two one is."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq

from pliant.snap.arithmetic.algebraic import Algebraic, compare
from pliant.snap.arithmetic.polynomials import fraction, rational

RealNumber = Algebraic | float
RationalVector = tuple[Fraction, Fraction]


def as_float(number: RealNumber) -> float:
    """A number, rounded."""
    return number.near if isinstance(number, Algebraic) else number


def as_algebraic(number: RealNumber) -> Algebraic:
    """A number of the exact arithmetic."""
    assert isinstance(number, Algebraic)
    return number


def reduced_float(number: RealNumber) -> float:
    """A number by its polynomial of least degree, rounded."""
    return number.reduced.near if isinstance(number, Algebraic) else number


def order(first: RealNumber, second: RealNumber) -> int:
    """-1, 0 or 1 as the first is less than, equal to or greater than the second, of one arithmetic."""
    if isinstance(first, Algebraic) and isinstance(second, Algebraic):
        return compare(first, second)
    one, other = as_float(first), as_float(second)
    return (one > other) - (one < other)


def is_at_most(number: RealNumber, bound: Fraction) -> bool:
    """Whether a number is no greater than a fraction, decided exactly where the number is exact."""
    if isinstance(number, Algebraic):
        return compare(number, Algebraic.of(rational(bound))) <= 0
    return number <= bound


def near_fraction(number: RealNumber) -> Fraction:
    """A number that is rational, exactly; by floats, to a billionth."""
    if isinstance(number, Algebraic):
        return fraction(number.reduced.low)
    return Fraction(number).limit_denominator(10**9)


def exact_rational(number: RealNumber) -> fmpq | None:
    """A number that is known to be rational; None of others, and of floats."""
    if not isinstance(number, Algebraic) or not number.reduced.is_rational:
        return None
    return number.reduced.low


def exact_sum(number: RealNumber, by: fmpq) -> Algebraic | None:
    """A number plus a rational one; None of floats."""
    return number.shifted(by) if isinstance(number, Algebraic) else None
