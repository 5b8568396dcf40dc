"""Polynomials by floats, compiled: whether a quartic has a root at all, and where roots are."""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel

SMALL = 1e-10  # of the largest: coefficients that do not count
DOUBLE = 1e-6  # how far apart the halves of a double root can come to lie


@kernel
def constant_sign(
    c0: float, c1: float, c2: float, c3: float, c4: float, start: float, width: float, error: float
) -> int:
    """1 or -1 where a quartic has that sign from start to start + width, by its Bernstein form; else 0."""
    q4 = c4
    q3 = c3 + start * c4
    q2 = c2 + start * q3
    q1 = c1 + start * q2
    q0 = c0 + start * q1
    q3 += start * q4
    q2 += start * q3
    q1 += start * q2
    q3 += start * q4
    q2 += start * q3
    q3 += start * q4
    q1 *= width
    q2 *= width * width
    q3 *= width * width * width
    q4 *= width * width * width * width
    b1 = q0 + q1 / 4
    b2 = q0 + q1 / 2 + q2 / 6
    b3 = q0 + 0.75 * q1 + q2 / 2 + q3 / 4
    b4 = q0 + q1 + q2 + q3 + q4
    if min(q0, b1, b2, b3, b4) > error:
        return 1
    if max(q0, b1, b2, b3, b4) < -error:
        return -1
    return 0


@inner
def ascending_order(values: Floats, count: int) -> Ints:
    """The places of a few values, least first. numpy's own sorts take long to compile."""
    places = np.arange(count)
    for n in range(1, count):
        place, at = places[n], n
        while at > 0 and values[places[at - 1]] > values[place]:
            places[at] = places[at - 1]
            at -= 1
        places[at] = place
    return places


@inner
def _value(c: Floats, degree: int, at: float) -> float:
    value = 0.0
    for power in range(degree, -1, -1):
        value = value * at + c[power]
    return value


@inner
def _bracketed_root(c: Floats, degree: int, low: float, high: float) -> float:
    """The root between two places of opposite sign, by safeguarded Newton steps."""
    below, at = _value(c, degree, low), 0.5 * (low + high)
    for _ in range(100):
        value = slope = 0.0
        for power in range(degree, -1, -1):
            slope = slope * at + value
            value = value * at + c[power]
        if value == 0.0:
            return at
        if (value > 0) == (below > 0):
            low = at
        else:
            high = at
        step = at - value / slope if slope != 0.0 else low
        last = at
        at = step if low < step < high else 0.5 * (low + high)
        if abs(at - last) <= 2e-16 * abs(at):
            return at
    return at


@kernel
def real_roots(c: Floats, low: float, high: float, touch: float, double: float) -> Floats:
    """Roots between two floats in order.

    Where the polynomial is less than `touch` of its terms at a turn it touches zero: that is one root, and
    none beside it within `double` is another.
    """
    top = len(c) - 1
    turns, turn_count = np.empty(top), 0
    roots, count = np.empty(top), 0
    for degree in range(1, top + 1):
        d = c[top - degree :].copy()  # of the (top - degree)th derivative, each power times its factor
        for power in range(degree + 1):
            for factor in range(top - degree):
                d[power] *= power + top - degree - factor
        count = 0
        for place in range(turn_count):
            size = 0.0
            for power in range(degree, -1, -1):
                size = size * abs(turns[place]) + abs(d[power])
            if abs(_value(d, degree, turns[place])) <= touch * size:
                roots[count] = turns[place]
                count += 1
        doubles = count
        for place in range(turn_count + 1):
            left = low if place == 0 else turns[place - 1]
            right = high if place == turn_count else turns[place]
            if _value(d, degree, left) * _value(d, degree, right) < 0:
                root = _bracketed_root(d, degree, left, right)
                near = False
                for other in range(doubles):
                    near = near or abs(roots[other] - root) <= double
                if not near:
                    roots[count] = root
                    count += 1
        rising = ascending_order(roots, count)
        turn_count = count
        for place in range(count):
            turns[place] = roots[rising[place]]
    return turns[:count]


@inner
def largest_coefficient(c: Floats) -> float:
    """Of the coefficients of a quartic."""
    return max(abs(c[0]), abs(c[1]), abs(c[2]), abs(c[3]), abs(c[4]))


@inner
def quartic_roots(c: Floats, low: float, high: float) -> Floats:
    """Roots between two places in order; powers whose coefficients do not count are left out."""
    top, degree = largest_coefficient(c), 4
    while degree > 0 and abs(c[degree]) <= SMALL * top:
        degree -= 1
    return real_roots(c[: degree + 1].copy(), low, high, 0.01 * SMALL, DOUBLE)
