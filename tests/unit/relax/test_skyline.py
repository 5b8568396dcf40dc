"""Cholesky factors in rows: the same as dense ones, and a no where there is none."""

import numpy as np
import pytest

from pliant.relax.factors.skyline import factorise, solve


def profile(random, size):
    """First columns of the rows, most of them near the diagonal."""
    return np.array([random.integers(max(i - 6, 0), i + 1) for i in range(size)], np.int64)


def row_starts(first):
    return np.concatenate([[0], np.cumsum(np.arange(len(first)) - first + 1)])


def within(first):
    """(n, n) what of the lower triangle is stored."""
    columns = np.arange(len(first))
    return (columns >= first[:, None]) & (columns <= columns[:, None])


def positive(random, first):
    """Symmetric, and heavier on the diagonal than beside it."""
    lower = np.where(within(first), random.normal(size=(len(first),) * 2), 0.0)
    matrix = np.tril(lower, -1) + np.tril(lower, -1).T
    return matrix + np.diag(np.abs(matrix).sum(axis=1) + random.uniform(0.1, 1.0, len(first)))


def stored(matrix, first):
    return matrix[within(first)]


@pytest.fixture(params=[(1, 1), (2, 2), (7, 3), (40, 4), (120, 5)], ids=lambda case: f"size {case[0]}")
def system(request):
    size, seed = request.param
    random = np.random.default_rng(seed)
    first = profile(random, size)
    return positive(random, first), first, row_starts(first)


def test_factors_are_those_of_a_dense_matrix(system):
    matrix, first, rows = system
    m = stored(matrix, first)
    assert factorise(m, first, rows)
    dense = np.linalg.cholesky(matrix)
    np.testing.assert_allclose(dense[~within(first)], 0, atol=1e-14)  # nothing fills in before a row begins
    np.testing.assert_allclose(m, stored(dense, first), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("columns", [1, 3])
def test_solutions_are_those_of_a_dense_matrix(system, columns):
    matrix, first, rows = system
    m, right = stored(matrix, first), np.random.default_rng(0).normal(size=(len(first), columns))
    x = right.copy()
    factorise(m, first, rows)
    solve(m, first, rows, x)
    np.testing.assert_allclose(x, np.linalg.solve(matrix, right), rtol=1e-11, atol=1e-13)


def test_a_matrix_that_gives_way_has_no_factor(system):
    matrix, first, rows = system
    least = np.linalg.eigvalsh(matrix)[0]
    for shift, fine in [(0.999, True), (1.001, False)]:
        shifted = matrix - shift * least * np.eye(len(first))
        assert factorise(stored(shifted, first), first, rows) == fine


@pytest.mark.parametrize("pivot", [0.0, -1.0, np.nan])
def test_a_pivot_must_be_positive(pivot):
    first, rows = np.zeros(2, np.int64), np.array([0, 1, 3])
    assert not factorise(np.array([1.0, 1.0, 1.0 + pivot]), first, rows)
    assert not factorise(np.array([pivot, 0.0, 1.0]), first, rows)
