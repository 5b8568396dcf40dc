"""Weighted least squares over the rows of a program: min Σ w (J Δq − change)²."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import numpy as np
from scipy.sparse import diags_array
from scipy.sparse.linalg import splu

from pliant.core.arrays import Floats
from pliant.flex.lp.program import Program
from pliant.flex.lp.solvers import FEW, is_large, lever_arm

# Bodies that nothing touches stay where they are; the rest is not moved by so little.
RIDGE = 1e-10

SOME = 60  # moving bodies up to which a full normal matrix is solved sooner than a sparse one is made


def least_squares(program: Program, change: Floats, weights: Floats) -> Floats:
    """The step (B, 3) that changes the distances by `change` as nearly as can be.

    Angles are taken times the lever arm: the ridge weighs them against travel.
    """
    columns = np.array([1.0, 1.0, 1.0 / lever_arm(program)])
    solve = _method(len(program.cost), len(program.gaps))
    return columns * solve(replace(program, blocks=program.blocks * columns), change, weights)


def _method(bodies: int, rows: int) -> Callable[[Program, Floats, Floats], Floats]:
    """What is soonest done for so many bodies and rows."""
    if bodies <= FEW:
        return _dense
    if is_large(bodies, rows):
        return _solve_by_fronts
    return _solve_full if bodies <= SOME else _solve_sparse


def _dense(program: Program, change: Floats, weights: Floats) -> Floats:
    """With full matrices, which a few bodies fill."""
    matrix = program.full_matrix()
    weighted = matrix.T * weights
    return _solve_normal_equations(weighted @ matrix, weighted @ change)


def _solve_full(program: Program, change: Floats, weights: Floats) -> Floats:
    """With a full normal matrix, to which every row adds the products of its six numbers."""
    size = program.cost.size + 3  # the ground's columns are the last, and left out
    columns = (3 * (program.pairs % (len(program.cost) + 1))[..., None] + np.arange(3)).reshape(-1, 6)
    blocks = program.blocks.reshape(-1, 6)
    weighted = weights[:, None] * blocks
    products = weighted[:, :, None] * blocks[:, None, :]
    places = size * columns[:, :, None] + columns[:, None, :]
    normal = cast(Floats, np.bincount(places.ravel(), products.ravel(), size**2)).reshape(size, size)
    pull = cast(Floats, np.bincount(columns.ravel(), (weighted * change[:, None]).ravel(), size))
    return _solve_normal_equations(normal[:-3, :-3], pull[:-3])


def _solve_normal_equations(normal: Floats, pull: Floats) -> Floats:
    diagonal = normal.diagonal()
    ridge = np.diag(RIDGE * (diagonal + 1e-4 * diagonal.max(initial=0.0)) + 1e-300)
    return cast(Floats, np.linalg.solve(normal + ridge, pull)).reshape(-1, 3)


def _solve_sparse(program: Program, change: Floats, weights: Floats) -> Floats:
    """With SciPy's sparse factors, which have no compiler to load."""
    matrix = program.matrix()
    weighted = matrix.T @ diags_array(weights)
    normal = (weighted @ matrix).tocsc()
    diagonal = normal.diagonal()
    normal += diags_array(RIDGE * (diagonal + 1e-4 * diagonal.max(initial=0.0)) + 1e-300)
    symmetric = {"SymmetricMode": True}
    factors = splu(normal.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=symmetric)
    return factors.solve(weighted @ change).reshape(-1, 3)


def _solve_by_fronts(program: Program, change: Floats, weights: Floats) -> Floats:
    """With the factors of our own interior-point method."""
    from pliant.flex.lp.blas import one_blas_thread
    from pliant.flex.lp.cholesky import factor, solve
    from pliant.flex.lp.gathered import gather, normal_blocks, transposed_product
    from pliant.flex.lp.symbolic import analyse

    rows = gather(program)
    weights = weights[rows.source]
    blocks = normal_blocks(rows, weights)
    each = np.arange(3)
    diagonal = blocks[: rows.bodies, each, each]
    blocks[: rows.bodies, each, each] += RIDGE * (diagonal + 1e-4 * diagonal.max(initial=0.0)) + 1e-300
    symbolic = analyse(rows.pairs[: rows.coupled], program.centres)
    with one_blas_thread():
        return solve(factor(symbolic, blocks), transposed_product(rows, weights * change[rows.source]))
