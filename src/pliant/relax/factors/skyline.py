"""Cholesky factors stored row by row, each from its first number to the diagonal."""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner_fast, kernel


@inner_fast
def _dot(a: Floats, b: Floats) -> float:
    total = 0.0
    for k in range(len(a)):
        total += a[k] * b[k]
    return total


@kernel
def factorise(m: Floats, first: Ints, rows: Ints) -> bool:
    """Overwrite a symmetric matrix by L of L Lᵀ; False where a pivot is not positive.

    Row i holds columns first[i] to i, from rows[i] on.
    """
    for i in range(len(first)):
        fi, at = first[i], rows[i]
        for j in range(fi, i):
            fj = first[j]
            low = max(fi, fj)
            part = _dot(m[at + low - fi : at + j - fi], m[rows[j] + low - fj : rows[j] + j - fj])
            m[at + j - fi] = (m[at + j - fi] - part) / m[rows[j + 1] - 1]
        own = m[at : at + i - fi]
        pivot = m[at + i - fi] - _dot(own, own)
        if not pivot > 0.0:
            return False
        m[at + i - fi] = np.sqrt(pivot)
    return True


@inner_fast
def solve(m: Floats, first: Ints, rows: Ints, x: Floats) -> None:
    """Overwrite x (n,) by the solution of L Lᵀ y = x."""
    for i in range(len(x)):
        fi, at = first[i], rows[i]
        total = x[i]
        for j in range(fi, i):
            total -= m[at + j - fi] * x[j]
        x[i] = total / m[rows[i + 1] - 1]
    for i in range(len(x) - 1, -1, -1):
        fi, at = first[i], rows[i]
        value = x[i] / m[rows[i + 1] - 1]
        x[i] = value
        for j in range(fi, i):
            x[j] -= m[at + j - fi] * value


@inner_fast
def solve_together(m: Floats, first: Ints, rows: Ints, x: Floats) -> None:
    """Overwrite x (n, K) by the solutions of L Lᵀ y = x, for a few columns."""
    n, columns = x.shape
    for i in range(n):
        fi, at = first[i], rows[i]
        for j in range(fi, i):
            share = m[at + j - fi]
            for c in range(columns):
                x[i, c] -= share * x[j, c]
        pivot = 1.0 / m[rows[i + 1] - 1]
        for c in range(columns):
            x[i, c] *= pivot
    for i in range(n - 1, -1, -1):
        fi, at = first[i], rows[i]
        pivot = 1.0 / m[rows[i + 1] - 1]
        for c in range(columns):
            x[i, c] *= pivot
        for j in range(fi, i):
            share = m[at + j - fi]
            for c in range(columns):
                x[j, c] -= share * x[i, c]
