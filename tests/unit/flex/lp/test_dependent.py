"""Equalities that follow from others: found, left out, and given their share of the forces."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pliant.flex.lp import dependent as module
from pliant.flex.lp.dependent import dependent_rows, least_forces, least_pivot
from pliant.flex.lp.program import ROUNDING, Program
from pliant.flex.lp.solvers import solve_program

Pin = tuple[int, int, tuple[float, float]]


def pivots(bodies: int, pins: list[Pin], nearest: float = ROUNDING, **rest) -> Program:
    """Pins (first, second, at) of moving bodies, which lie at random places; body −1 is held."""
    centres = np.random.default_rng(bodies).uniform(0, 10, (bodies, 2))
    pairs = np.repeat([[first, second] for first, second, _ in pins], 2, axis=0)
    blocks = np.zeros((len(pairs), 2, 3))
    for pin, (first, second, at) in enumerate(pins):
        for side, (body, sign) in enumerate(((first, -1.0), (second, 1.0))):
            if body >= 0:
                x, y = np.array(at) - centres[body]
                blocks[2 * pin : 2 * pin + 2, side] = sign * np.array([[1, 0, -y], [0, 1, x]])
    given = {
        "gaps": np.zeros(len(pairs)),
        "equal": np.ones(len(pairs), np.bool_),
        "cost": np.zeros((bodies, 3)),
        "bound": np.full((bodies, 3), 1.0),
        **rest,
    }
    return Program(pairs=pairs, blocks=blocks, centres=centres, same=nearest, **given)


def rank(program: Program, rows) -> int:
    matrix = program.matrix().toarray()[rows]
    return int(np.linalg.matrix_rank(matrix, tol=1e-7)) if len(rows) else 0


def truss(cells: int, crossed: bool) -> tuple[int, list[Pin]]:
    """A beam of square cells: chords, posts, a diagonal each, or two; pinned to the ground at one corner."""
    members = [((i, j), (i + 1, j)) for i in range(cells) for j in (0, 1)]
    members += [((i, 0), (i, 1)) for i in range(cells + 1)] + [((i, 0), (i + 1, 1)) for i in range(cells)]
    members += [((i, 1), (i + 1, 0)) for i in range(cells)] if crossed else []
    at: dict[tuple[int, int], list[int]] = {(0, 0): [-1]}
    for member, ends in enumerate(members):
        for end in ends:
            at.setdefault(end, []).append(member)
    pins = [(a, b, end) for end, own in at.items() for a, b in pairwise(own)]
    return len(members), pins


TREES = {
    "a pendulum": (1, [(-1, 0, (0, 0))]),
    "a chain": (4, [(-1, 0, (0, 0)), (0, 1, (3, 0)), (1, 2, (3, 4)), (2, 3, (9, 1))]),
    "a star": (4, [(0, k, (k, 2.5 * k)) for k in (1, 2, 3)]),
    "two ends held": (3, [(-1, 0, (0, 0)), (0, 1, (2, 3)), (1, 2, (7, 3)), (2, -1, (9, 0))]),
}


@pytest.mark.parametrize("name", TREES)
def test_nothing_is_left_out_of_chains_and_of_a_four_bar(name):
    assert not dependent_rows(pivots(*TREES[name])).any()


def test_a_pivot_of_two_held_bodies_says_nothing():
    program = pivots(1, [(-1, -1, (0, 0)), (-1, 0, (1, 1))])
    assert dependent_rows(program).tolist() == [True, True, False, False]


@pytest.mark.parametrize("links", [3, 4, 9])
def test_each_link_beyond_two_of_a_parallelogram_has_one_row_too_many(links):
    feet = np.random.default_rng(links).uniform(0, 9, (links, 2))
    pins = [(-1, k + 1, tuple(feet[k])) for k in range(links)]
    pins += [(0, k + 1, tuple(feet[k] + [2, 5])) for k in range(links)]
    program = pivots(links + 1, pins)
    assert dependent_rows(program).sum() == links - 2


@pytest.mark.parametrize("bodies", [2, 3, 5])
def test_pins_at_one_point_are_as_many_as_bodies_less_one(bodies):
    pins = [(a, b, (3, 4)) for a in range(bodies) for b in range(a)]
    assert dependent_rows(pivots(bodies, pins)).sum() == 2 * (len(pins) - bodies + 1)


@pytest.mark.parametrize("apart", [1e-12, 1e-3, 2.0])
def test_two_pins_of_two_bodies_are_one_where_they_are_no_further_apart_than_may_be_missed(apart):
    pins = [(-1, 0, (0, 0)), (-1, 0, (apart, 0))]
    follows = dependent_rows(pivots(1, pins, nearest=1e-5))
    assert follows.sum() == (2 if apart < 1e-5 else 1)  # along the line through both they say the same


@pytest.mark.parametrize("dense", [1, 10_000])
@pytest.mark.parametrize("seed", range(12))
def test_what_is_left_says_all_that_was_said_and_nothing_twice(seed, dense, monkeypatch):
    monkeypatch.setattr(module, "DENSE", dense)
    rng = np.random.default_rng(seed)
    bodies = int(rng.integers(2, 12))
    points = rng.uniform(0, 10, (6, 2))
    pins = []
    for _ in range(int(rng.integers(1, 25))):
        first, second = rng.choice(bodies + 1, 2, replace=False) - 1
        pins.append((int(first), int(second), tuple(points[rng.integers(6)].tolist())))
    program = pivots(bodies, pins)
    follows = dependent_rows(program)
    every = np.arange(len(follows))
    assert rank(program, every[~follows]) == rank(program, every) == (~follows).sum()


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("cells", [3, 60, 1500])
def test_a_beam_of_thousands_of_pins_has_one_row_too_many_for_each_second_diagonal(cells, crossed):
    bodies, pins = truss(cells, crossed)
    program = pivots(bodies, pins)
    program = replace(program, same=least_pivot(program, 1e-4))
    assert dependent_rows(program).sum() == (cells if crossed else 0)


@pytest.mark.parametrize("cells", [1, 4, 40])
def test_forces_of_dependent_pins_balance_the_same_load_and_are_the_least_that_do(cells):
    bodies, pins = truss(cells, crossed=True)
    program = pivots(bodies, pins)
    follows = dependent_rows(program)
    matrix = program.matrix().toarray()
    forces = np.random.default_rng(cells).normal(size=len(follows)) * ~follows
    least = least_forces(program, forces, follows)
    assert matrix.T @ least == pytest.approx(matrix.T @ forces, abs=1e-8)
    assert least == pytest.approx(np.linalg.pinv(matrix.T, rcond=1e-9) @ (matrix.T @ forces), abs=1e-7)


@pytest.mark.parametrize("name", ["auto", "piqp", "clarabel", "highs", "normal"])
def test_solvers_agree_where_pins_say_the_same_twice_and_not_quite_alike(name):
    """Three equal links, the third a little off: any force and any motion would do for what is left."""
    feet = np.array([[0, 0], [4, 1], [9, 0]])
    pins = [(-1, k + 1, tuple(feet[k])) for k in range(3)]
    pins += [(0, k + 1, tuple(feet[k] + [0, 5])) for k in range(3)]
    cost = np.zeros((4, 3))
    cost[0, 0] = 1.0
    bound = np.full((4, 3), np.inf)
    bound[1, 2] = 0.1
    gaps = 1e-6 * np.random.default_rng(1).normal(size=12)
    program = pivots(4, pins, nearest=1e-4, cost=cost, bound=bound, gaps=gaps)
    solution = solve_program(program, name, 1e-9)
    assert solution.solved
    assert solution.objective == pytest.approx(0.5, abs=1e-5)
    assert np.abs(solution.forces).max() < 10
    load = program.matrix().T @ solution.forces + cost.ravel()
    assert np.delete(load, 3 * 1 + 2) == pytest.approx(0.0, abs=1e-6)
