"""Weighted least squares: every way of solving them finds the one answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pliant.flex.lp import squares
from pliant.flex.lp.program import Program

METHODS = ("dense", "bands", "fronts")


def solved(method: str, program: Program, change: np.ndarray, weights: np.ndarray) -> np.ndarray:
    if method == "bands":
        return squares._by_bands(program.pairs, len(program.cost))(program, change, weights)
    return {"dense": squares._dense, "fronts": squares._by_fronts()}[method](program, change, weights)


def joined(bodies: int, rows: int, seed: int) -> Program:
    """Rows between random bodies and, every fifth, the ground."""
    chance = np.random.default_rng(seed)
    first = chance.integers(0, bodies, rows)
    second = (first + chance.integers(1, bodies, rows)) % bodies
    second[::5] = -1
    blocks = chance.normal(size=(rows, 2, 3))
    blocks[::5, 1] = 0.0
    nothing = np.zeros((bodies, 3))
    return Program(
        pairs=np.stack([first, second], axis=1),
        blocks=blocks,
        gaps=chance.uniform(0.1, 1.0, rows),
        equal=np.zeros(rows, np.bool_),
        cost=nothing,
        bound=np.full((bodies, 3), np.inf),
        centres=chance.normal(size=(bodies, 2)),
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_every_method_finds_what_a_decomposition_of_the_rows_finds(method: str, seed: int) -> None:
    program = joined(9, 80, seed)
    chance = np.random.default_rng(seed + 100)
    change, weights = chance.normal(size=80), chance.uniform(0.5, 50.0, 80)
    root = np.sqrt(weights)
    wanted = np.linalg.lstsq(root[:, None] * program.full_matrix(), root * change, rcond=None)[0]
    found = solved(method, program, change, weights)
    assert found.ravel() == pytest.approx(wanted, abs=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_a_body_without_rows_stays_where_it_is(method: str) -> None:
    program = joined(5, 60, 1)
    alone = replace(
        program,
        cost=np.zeros((6, 3)),
        bound=np.full((6, 3), np.inf),
        centres=np.vstack([program.centres, [[3.0, 3.0]]]),
    )
    change, weights = np.ones(60), np.ones(60)
    found = solved(method, alone, change, weights)
    assert np.array_equal(found[5], np.zeros(3))
    assert found[:5] == pytest.approx(solved(method, program, change, weights), abs=1e-12)


def test_bands_without_factors_get_as_much_of_a_ridge_as_they_need() -> None:
    """A matrix that rounding has made indefinite by 1e-9: 4 on the diagonal, 4 + 4e-9 beside it."""
    banded = np.array([[4.0, 4.0], [4.0 + 4e-9, 0.0]])
    found = squares._solve_banded(banded.copy(), np.array([1.0, 1.0]))
    assert found == pytest.approx([0.125, 0.125], rel=1e-4)
