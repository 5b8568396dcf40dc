"""The roots of polynomials with integer coefficients, each in an interval of its own."""

from __future__ import annotations

from flint import fmpq, fmpz_poly

from pliant.snap.arithmetic.algebraic import HALF, Algebraic
from pliant.snap.arithmetic.polynomials import (
    SHIFT,
    float_root,
    moved_onto,
    nearest_float,
    rational,
    sign_of,
    sign_variations,
    squarefree_part,
)


def roots(poly: fmpz_poly, low: fmpq, high: fmpq) -> list[Algebraic]:
    """Every root from `low` to `high`, both included, each once and in order.

    >>> [root.near for root in roots(fmpz_poly([-1, 0, 4]), fmpq(0), fmpq(1))]
    [0.5]
    """
    if poly.is_zero() or low > high:
        return []
    poly = squarefree_part(poly)
    if poly.degree() < 1:
        return []
    if poly.degree() == 1:
        root = fmpq(-poly[0], poly[1])
        return [Algebraic.of(root)] if low <= root <= high else []
    isolated: list[Algebraic] = []
    if poly(low) == 0:
        isolated.append(Algebraic.of(low))
    if low < high:
        _isolate(poly, moved_onto(poly, low, high), low, high, isolated)
        if poly(high) == 0:
            isolated.append(Algebraic.of(high))
    return isolated


def _isolate(poly: fmpz_poly, onto: fmpz_poly, low: fmpq, high: fmpq, isolated: list[Algebraic]) -> None:
    """Roots strictly between, by Descartes' rule and halving. `onto` is the polynomial moved onto [0, 1]."""
    waiting: list[tuple[fmpz_poly | None, fmpq, fmpq]] = [(onto, low, high)]
    while waiting:
        onto_here, low, high = waiting.pop()
        if onto_here is None:  # a place, not an interval
            isolated.append(Algebraic.of(low))
            continue
        count = sign_variations(onto_here)
        if count == 1:
            isolated.append(_isolated_root(poly, low, high))
        if count < 2:
            continue
        middle, degree = (low + high) * HALF, onto_here.degree()
        left = fmpz_poly([c << (degree - power) for power, c in enumerate(map(int, onto_here))])
        waiting.append((left(SHIFT), middle, high))
        if poly(middle) == 0:
            waiting.append((None, middle, middle))
        waiting.append((left, low, middle))


def _isolated_root(poly: fmpz_poly, low: fmpq, high: fmpq) -> Algebraic:
    """The one root strictly between, with an interval about as narrow as a float can tell."""
    if poly(low) == 0 or poly(high) == 0:  # the root is at neither end
        low, high = _off_the_ends(poly, low, high)
    near = float_root(poly, nearest_float(low), nearest_float(high))
    for places in (46, 40, 32) if near is not None else ():
        root = _about(poly, low, high, near or 0.0, places)
        if root is not None:
            root.refine(fmpq(1, 2**44))
            return root
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
    below, above = sign_of(poly(inside_low)), sign_of(poly(inside_high))
    if below == 0 and inside_low > low:
        return Algebraic.of(inside_low)
    if above == 0 and inside_high < high:
        return Algebraic.of(inside_high)
    return Algebraic(poly, inside_low, inside_high) if below * above < 0 else None


def _off_the_ends(poly: fmpz_poly, low: fmpq, high: fmpq) -> tuple[fmpq, fmpq]:
    """Ends moved inwards past no root but those at the ends."""
    width = high - low
    while True:
        width = width / 16
        inner_low = low + width if poly(low) == 0 else low
        inner_high = high - width if poly(high) == 0 else high
        if poly(inner_low) != 0 != poly(inner_high) and sign_of(poly(inner_low)) != sign_of(poly(inner_high)):
            return inner_low, inner_high
