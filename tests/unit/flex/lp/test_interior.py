"""The interior-point method alone: what it must survive, and that its parts do what they say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pliant.flex.lp.gathered import blend, gather, measure, normal_blocks, transposed_product
from pliant.flex.lp.interior import solve_interior
from pliant.flex.lp.program import Program
from pliant.flex.lp.solvers import residuals, solve_program

from .test_solvers import chain, random_program


def slab(width: int, height: int, gap: float = 1.0) -> Program:
    """Unit squares that keep six distances within ±gap to each of four neighbours.

    Every gap is the same, so hundreds of rows are tight at once at the optimum.
    """
    index = np.arange(width * height).reshape(width, height)
    sides = [(index[:-1], index[1:], (1.0, 0.0)), (index[:, :-1], index[:, 1:], (0.0, 1.0))]
    pairs, blocks = [], []
    for before, after, way in sides:
        along, normal = np.array(way), np.array([-way[1], way[0]])
        for direction, offset in [(along, 0.5), (along, -0.5), (normal, 0.0)]:
            arms = [direction @ [-p[1], p[0]] for p in (along / 2 + offset * normal,)]
            back = [direction @ [-p[1], p[0]] for p in (-along / 2 + offset * normal,)]
            row = np.array([[*-direction, -arms[0]], [*direction, back[0]]])
            for sign in (1.0, -1.0):
                pairs.append(np.stack([before.ravel(), after.ravel()], axis=1))
                blocks.append(np.repeat(sign * row[None], before.size, axis=0))
    pairs, blocks = np.concatenate(pairs) - 1, np.concatenate(blocks)
    blocks[pairs < 0] = 0.0
    bodies = width * height - 1
    cost = np.zeros((bodies, 3))
    cost[-1, 0] = 1.0
    nothing = np.zeros(len(pairs), bool)
    bound = np.full(cost.shape, np.inf)
    centres = np.argwhere(index >= 0).astype(float)[1:]
    return Program(pairs, blocks, np.full(len(pairs), gap), nothing, cost, bound, centres)


@pytest.mark.parametrize(("width", "height"), [(3, 3), (8, 8), (40, 2), (2, 40), (20, 12)])
def test_degenerate_slabs_are_solved_to_eight_digits(width: int, height: int) -> None:
    program = slab(width, height)
    solution = solve_program(program, "normal", 1e-8)
    reference = solve_program(program, "piqp", 1e-9)
    assert solution.solved
    assert solution.relative_gap < 1e-7
    assert solution.objective == pytest.approx(reference.objective, rel=1e-7)


def test_a_long_beam_bent_by_its_end_is_solved() -> None:
    """Deflections of 10⁴ gaps: the normal matrix is as ill-conditioned as it gets."""
    program = slab(300, 3)
    cost = np.roll(program.cost, 1, axis=1)
    solution = solve_program(replace(program, cost=cost), "normal", 1e-8)
    assert solution.solved
    assert solution.objective > 1e4


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5, 1e-7])
def test_a_looser_tolerance_is_kept_and_saves_iterations(tolerance: float) -> None:
    program = slab(10, 10)
    loose, tight = (solve_interior(program, t) for t in (tolerance, 1e-9))
    assert max(residuals(program, loose.step, loose.forces)) <= tolerance
    assert loose.iterations < tight.iterations


def test_bounds_of_zero_hold_a_body_still() -> None:
    program = slab(6, 4)
    bound = program.bound.copy()
    bound[7], bound[9, 2] = 0.0, 0.0
    held = replace(program, bound=bound)
    solution, reference = (solve_program(held, name) for name in ("normal", "clarabel"))
    assert solution.solved
    assert np.abs(solution.step[7]).max() == 0.0
    assert solution.objective == pytest.approx(reference.objective, rel=1e-6)


def test_rows_without_a_body_are_carried_along() -> None:
    program = chain(4)
    idle = replace(
        program,
        pairs=np.vstack([program.pairs, [[-1, -1]]]),
        blocks=np.concatenate([program.blocks, np.zeros((1, 2, 3))]),
        gaps=np.append(program.gaps, 0.5),
        equal=np.append(program.equal, False),
    )
    solution = solve_program(idle, "normal")
    assert solution.solved
    assert solution.objective == pytest.approx(4.0, rel=1e-6)
    assert solution.forces[-1] == 0.0


@pytest.mark.parametrize("seed", range(4))
def test_renumbering_bodies_and_rows_changes_nothing(seed: int) -> None:
    program = random_program(seed)
    rng = np.random.default_rng(seed)
    bodies, rows = rng.permutation(len(program.cost)), rng.permutation(len(program.gaps))
    number = np.argsort(bodies)
    pairs = np.where(program.pairs < 0, -1, number[program.pairs])
    other = Program(
        pairs[rows][:, ::-1],
        program.blocks[rows][:, ::-1],
        program.gaps[rows],
        program.equal[rows],
        program.cost[bodies],
        program.bound[bodies],
        program.centres[bodies],
    )
    here, there = solve_program(program, "normal"), solve_program(other, "normal")
    assert there.objective == pytest.approx(here.objective, rel=1e-7)
    assert np.allclose(program.matrix()[rows].T @ there.forces, program.matrix().T @ here.forces,
                       atol=1e-5)  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_passes_over_gathered_rows_are_products_with_the_matrix(seed: int) -> None:
    program = random_program(seed, held=0.0)
    rows, rng = gather(program), np.random.default_rng(seed)
    matrix = program.matrix().toarray()[rows.source]
    x, y = rng.normal(size=program.cost.shape), rng.random(len(rows.gaps))
    assert np.allclose(transposed_product(rows, y).ravel(), matrix.T @ y)
    miss, load, worst = measure(rows, x, np.zeros_like(y), y)
    slack = matrix @ x.ravel() + rows.gaps
    assert np.allclose(miss, slack)
    assert np.allclose(load.ravel(), matrix.T @ y)
    assert worst == pytest.approx(np.where(rows.equal > 0, np.abs(slack), -slack).max())
    normal, blocks = matrix.T @ (y[:, None] * matrix), normal_blocks(rows, y)
    bodies = np.arange(rows.bodies)
    whole = normal.reshape(rows.bodies, 3, rows.bodies, 3).transpose(0, 2, 1, 3)
    assert np.allclose(blocks[: rows.bodies], whole[bodies, bodies])
    assert np.allclose(blocks[rows.bodies :], whole[tuple(rows.pairs[: rows.coupled].T)])


def test_two_threads_pass_over_the_rows_as_one() -> None:
    program = slab(9, 9)
    alone = gather(program)
    shared = replace(alone, shares=((0, 50), (50, len(alone.pairs))))
    y = np.random.default_rng(0).random(len(alone.gaps))
    assert np.allclose(normal_blocks(alone, y), normal_blocks(shared, y))
    assert np.allclose(transposed_product(alone, y), transposed_product(shared, y))


def test_only_the_useful_share_of_a_correction_is_taken() -> None:
    v, equal = np.ones(2), np.zeros(2)
    step, correction = np.array([-2.0, 0.5]), np.array([2.0, -3.5])
    share, length = blend(v, step, correction, equal)
    assert length == pytest.approx(1 / np.min(np.maximum(2 - 2 * share, 3.5 * share - 0.5)))
    assert share == pytest.approx(0.4) or share == pytest.approx(0.5)


def test_a_program_without_optimum_stops_early() -> None:
    program = chain(3)
    result = solve_interior(replace(program, gaps=-program.gaps), 1e-8)
    assert result.message != "converged"
    assert result.iterations < 150
