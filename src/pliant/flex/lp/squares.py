"""Weighted least squares over the rows of a program: min Σ w (J Δq − change)²."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import numpy as np
from scipy.linalg import lapack
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from pliant.core.arrays import Floats, Ints
from pliant.flex.lp.blas import one_blas_thread
from pliant.flex.lp.program import Program
from pliant.flex.lp.solvers import FEW, is_large, lever_arm

# Bodies that nothing touches stay where they are; the rest is not moved by so little.
RIDGE = 1e-10
STIFFER = 1e3  # times the ridge, where rounding leaves a matrix without factors
RIDGES = 4

ROW = np.tile(np.arange(3), 2)  # which of x, y and turn each of the six numbers of a row is of
# Each two of them once: of the first body, of the second, of one and the other.
ONE = np.array([0, 0, 0, 1, 1, 2, 3, 3, 3, 4, 4, 5, 0, 0, 0, 1, 1, 1, 2, 2, 2])
OTHER = np.array([0, 1, 2, 1, 2, 2, 3, 4, 5, 4, 5, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5])

Method = Callable[[Program, Floats, Floats], Floats]


def squares_of(pairs: Ints, bodies: int) -> Method:
    """What solves the least squares of programs whose rows are between these pairs (R, 2) of bodies.

    It takes a program, the `change` (R,) that its distances are wanted to make and their weights (R,),
    and gives the step (B, 3) that comes as near as can be. Angles are taken times the lever arm: the ridge
    weighs them against travel.
    """
    solve = _method(pairs, bodies)

    def least_squares(program: Program, change: Floats, weights: Floats) -> Floats:
        columns = np.array([1.0, 1.0, 1.0 / lever_arm(program)])
        return columns * solve(replace(program, blocks=program.blocks * columns), change, weights)

    return least_squares


def _method(pairs: Ints, bodies: int) -> Method:
    """What is soonest done for so many bodies and rows."""
    if bodies <= FEW:
        return _dense
    return _by_fronts() if is_large(bodies, len(pairs)) else _by_bands(pairs, bodies)


def _dense(program: Program, change: Floats, weights: Floats) -> Floats:
    """With full matrices, which a few bodies fill."""
    matrix = program.full_matrix()
    weighted = matrix.T * weights
    normal = weighted @ matrix
    diagonal = normal.diagonal()
    ridge = np.diag(RIDGE * (diagonal + 1e-4 * diagonal.max(initial=0.0)) + 1e-300)
    return cast(Floats, np.linalg.solve(normal + ridge, weighted @ change)).reshape(-1, 3)


def _by_bands(pairs: Ints, bodies: int) -> Method:
    """With a normal matrix in bands, to which every row adds the products of its six numbers.

    Bodies are numbered anew so that neighbours are near each other in the matrix.
    """
    order, place = _narrow_order(pairs, bodies)
    first, second = place[pairs].T
    # What has no second body adds nothing, where some other would.
    first = np.where(pairs[:, 0] < 0, second ^ 1, first)
    second = np.where(pairs[:, 1] < 0, first ^ 1, second)
    size, width = 3 * (bodies + 1), 3 * int(np.abs(first - second).max(initial=1)) + 3
    places = np.concatenate(list(_band_places(first, second, size))).ravel()
    columns = (3 * np.repeat([first, second], 3, axis=0) + ROW[:, None]).ravel()

    def solve(program: Program, change: Floats, weights: Floats) -> Floats:
        blocks = program.blocks.reshape(-1, 6).T.copy()
        weighted = weights * blocks
        products = (weighted[ONE] * blocks[OTHER]).ravel()
        normal = cast(Floats, np.bincount(places, products, width * size)).reshape(width, size)
        pull = cast(Floats, np.bincount(columns, (weighted * change).ravel(), size))
        step = np.empty((bodies, 3))
        step[order] = _solve_banded(normal[:, : 3 * bodies], pull[: 3 * bodies]).reshape(-1, 3)
        return step

    return solve


def _band_places(first: Ints, second: Ints, size: int) -> Iterator[Ints]:
    """Where the products of rows between bodies (R,) go, by twos as in ONE and OTHER, in bands of a size.

    Band k, which is flat, has what is k below the diagonal of each column.
    """
    one, other = ONE % 3, OTHER % 3
    for body, own in ((first, slice(0, 6)), (second, slice(6, 12))):
        yield ((other - one)[own] * size + one[own])[:, None] + 3 * body
    i, j = one[12:, None], other[12:, None]
    least, below = 3 * np.minimum(first, second), 3 * size * np.abs(second - first)
    yield least + below + np.where(first < second, (j - i) * size + i, (i - j) * size + j)


def _narrow_order(pairs: Ints, bodies: int) -> tuple[Ints, Ints]:
    """The bodies in an order that keeps neighbours near each other, and the place of each in it."""
    first, second = pairs[(pairs >= 0).all(axis=1)].T
    ends = np.append(first, second), np.append(second, first)
    graph = csr_array((np.ones(2 * len(first), np.int8), ends), shape=(bodies, bodies))
    order = np.asarray(reverse_cuthill_mckee(graph, symmetric_mode=True), np.int64)
    place = np.empty(bodies, np.int64)
    place[order] = np.arange(bodies)
    return order, place


def _solve_banded(normal: Floats, pull: Floats) -> Floats:
    """The solution for (N,) of a matrix by lower bands (W, N), with as little of a ridge as gives factors."""
    ridge = RIDGE * (normal[0] + 1e-4 * normal[0].max(initial=0.0)) + 1e-300
    banded: Any = lapack.dpbsv
    failed = 1
    for _ in range(RIDGES):
        normal[0] += ridge
        with one_blas_thread():
            _, answer, failed = banded(normal, pull, lower=1)
        if not failed:
            return answer
        ridge *= STIFFER
    return np.zeros_like(pull)


def _by_fronts() -> Method:
    """With the factors of our own interior-point method, whose order of elimination is found once."""
    from pliant.flex.lp.cholesky import factor, solve
    from pliant.flex.lp.gathered import gather, normal_blocks, transposed_product
    from pliant.flex.lp.symbolic import Symbolic, analyse

    found: list[Symbolic] = []

    def solve_by_fronts(program: Program, change: Floats, weights: Floats) -> Floats:
        rows = gather(program)
        weights = weights[rows.source]
        blocks = normal_blocks(rows, weights)
        each = np.arange(3)
        diagonal = blocks[: rows.bodies, each, each]
        blocks[: rows.bodies, each, each] += RIDGE * (diagonal + 1e-4 * diagonal.max(initial=0.0)) + 1e-300
        if not found:
            found.append(analyse(rows.pairs[: rows.coupled], program.centres))
        pull = transposed_product(rows, weights * change[rows.source])
        with one_blas_thread():
            return solve(factor(found[0], blocks), pull)

    return solve_by_fronts
