"""Between two samples: the cubic that has their values and their slopes.

    f(s) = f0 + d0 s + b s² + a s³,   a = 2(f0 − f1) + d0 + d1,   b = 3(f1 − f0) − 2 d0 − d1

for s in [0, 1], slopes d taken by s. Its error is h⁴/384 of the fourth derivative: with a pose a
degree, a few 1e-10 of what is measured.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats

HALVINGS = 52  # as many as a double has bits


class Cells(NamedTuple):
    """Values and slopes at the left and right ends of many cells."""

    f0: Floats  # (…, C)
    f1: Floats
    d0: Floats  # by s
    d1: Floats


def value(cells: Cells, s: Floats) -> Floats:
    """f(s)."""
    f0, f1, d0, d1 = cells
    return f0 + s * (d0 + s * (3 * (f1 - f0) - 2 * d0 - d1 + s * (2 * (f0 - f1) + d0 + d1)))


def slope(cells: Cells, s: Floats) -> Floats:
    """f'(s)."""
    f0, f1, d0, d1 = cells
    return d0 + s * (2 * (3 * (f1 - f0) - 2 * d0 - d1) + s * 3 * (2 * (f0 - f1) + d0 + d1))


def second_slope(cells: Cells, s: Floats) -> Floats:
    """f''(s)."""
    f0, f1, d0, d1 = cells
    return 2 * (3 * (f1 - f0) - 2 * d0 - d1) + 6 * s * (2 * (f0 - f1) + d0 + d1)


def stationary_points(cells: Cells) -> Floats:
    """Where f turns round inside each cell, (2, …, C): up to two places, 0 in place of one that is not."""
    f0, f1, d0, d1 = cells
    a, b = 2 * (f0 - f1) + d0 + d1, 3 * (f1 - f0) - 2 * d0 - d1
    root = np.sqrt(np.maximum(b * b - 3 * a * d0, 0.0))
    q = -(b + np.where(b < 0, -root, root))  # the sum that does not cancel
    places = np.stack([_safe_ratio(q, 3 * a), _safe_ratio(d0, q)])
    inside = (places > 0) & (places < 1) & (b * b >= 3 * a * d0)
    return np.where(inside, places, 0.0)


def zero_crossing(cells: Cells) -> Floats:
    """Where f crosses 0 in cells whose ends have opposite signs: (…, C), by bisection."""
    low, high = np.zeros_like(cells.f0), np.ones_like(cells.f0)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        before = (value(cells, middle) >= 0) == (cells.f0 >= 0)
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return (low + high) / 2


def _safe_ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros_like(above), where=np.abs(below) > 1e-300)
