"""The smallest singular values σ of a sparse matrix J, and the vectors y it takes to nearly nothing.

A large J is looked into by factors of JᵀJ + μ. That has lost half of the digits: a chain of a thousand
platforms has a smallest σ of 2e-6, and must not be taken for loose. So the factors only lead the way:
what they find is measured by J itself, as |J y| over a whole block of y.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from pliant.core.arrays import Floats

RANK = 1e-8  # σ below it are rounding; rows are slopes of lengths by lengths, whatever the units
RIDGE = 1e-14  # μ, of the largest number on the diagonal: above the rounding of factors
SMALL = 60  # columns: dense factors
BLOCK, MOST = 16, 256  # vectors sought at once, and at all
DENSE = MOST  # columns: all σ
SINGLE = 100  # columns and rows up to which all σ are found sooner than the smallest alone
SWEEPS, STILL = 100, 1e-6  # of inverse iteration, at most, and by how little σ change at its end


def null_space(matrix: Any) -> tuple[Floats, float, bool]:
    """An orthonormal basis (U, K) of all y with J y = 0, the smallest σ above, and whether it is all."""
    rows, unknowns = matrix.shape
    if unknowns <= DENSE:
        square = np.zeros((max(rows, unknowns), unknowns))
        square[:rows] = matrix.toarray()
        sizes, ways = np.linalg.svd(square, full_matrices=False)[1:]
        rank = int((sizes > RANK).sum())
        return ways[rank:].T, float(sizes[rank - 1]) if rank else 0.0, True
    count = BLOCK + max(unknowns - rows, 0)
    while count <= MOST:
        sizes, ways = _smallest_singular_vectors(matrix, count)
        null = int((sizes <= RANK).sum())
        if null < count:
            return ways[:, :null], float(sizes[null]), True
        count *= 2
    return _smallest_singular_vectors(matrix, BLOCK)[1], 0.0, False


def smallest_singular_value(matrix: Any) -> float:
    """The smallest of the min(R, U) singular values of J."""
    rows, unknowns = matrix.shape
    if not rows * unknowns:
        return 0.0
    if rows * unknowns <= SINGLE**2:
        return float(np.linalg.svd(matrix.toarray(), compute_uv=False)[-1])
    tall = sparse.csr_array(matrix.T) if rows < unknowns else matrix
    return float(_smallest_singular_vectors(tall, min(BLOCK, rows, unknowns))[0][0])


def normal_solver(matrix: Any, ridge: float) -> Callable[[Floats], Any]:
    """What solves (JᵀJ + μ) y = right."""
    normal = sparse.csc_array(matrix.T @ matrix)
    mu = ridge * normal.diagonal().max(initial=0.0) or 1.0
    if matrix.shape[1] <= SMALL:
        return partial(np.linalg.solve, normal.toarray() + mu * np.eye(matrix.shape[1]))
    shifted = normal + mu * sparse.eye_array(matrix.shape[1], format="csc")
    # Positive: no pivoting, and an order that keeps it symmetric.
    options = {"SymmetricMode": True}
    return splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options).solve


def _smallest_singular_vectors(matrix: Any, count: int) -> tuple[Floats, Floats]:
    """The `count` smallest σ, rising, and their y (U, count), by inverse iteration of as many at once.

    It ends where those below RANK and the next one stand still: the others only help them along. A block,
    not Lanczos' vectors one by one, for of equal σ those would find one only.
    """
    rows, unknowns = matrix.shape
    solve = normal_solver(matrix, RIDGE)
    ways = np.random.default_rng(0).normal(size=(unknowns, count))
    sizes, product = np.full(count, np.inf), np.zeros((max(rows, count), count))
    for _ in range(SWEEPS):
        ways = np.linalg.qr(solve(ways))[0]
        product[:rows] = matrix @ ways
        before, (_, sizes, turn) = sizes, np.linalg.svd(np.linalg.qr(product, mode="r"))
        sizes, ways = sizes[::-1], ways @ turn[::-1].T
        last = int((sizes <= RANK).sum()) + 1
        if (np.abs(sizes - before)[:last] <= STILL * sizes[:last] + 1e-3 * RANK).all():
            break
    return sizes, ways
