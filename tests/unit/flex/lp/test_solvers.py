"""Every solver gives the same answer, in the same convention, and is believed only when checked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pliant.flex.lp import solvers
from pliant.flex.lp.program import Program
from pliant.flex.lp.solvers import SOLVERS, in_natural_units, residuals, solve_program

METHODS = [name for name in SOLVERS if name != "auto"]


def random_program(seed: int, bodies: int = 12, pivots: int = 3, held: float = 0.3) -> Program:
    """Rows between random neighbours, Δq = 0 feasible, bounded by a box round the rest."""
    rng = np.random.default_rng(seed)
    rows = 14 * bodies
    first = rng.integers(0, bodies, rows)
    pairs = np.stack([first, (first + rng.integers(1, 3, rows)) % bodies], axis=1)
    pairs[rng.random(rows) < 0.15, 1] = -1
    blocks = rng.normal(size=(rows, 2, 3))
    blocks[pairs < 0] = 0.0
    equal = np.zeros(rows, bool)
    equal[rng.choice(rows, pivots, replace=False)] = True
    gaps = np.where(equal, 0.0, rng.random(rows))
    bound = np.where(rng.random((bodies, 3)) < held, 0.05, np.inf)
    cost = rng.normal(size=(bodies, 3))
    return Program(pairs, blocks, gaps, equal, cost, bound, rng.random((bodies, 2)))


def chain(links: int, gap: float = 1.0) -> Program:
    """Bodies in a row, each at most `gap` from the one before: the last travels links·gap.

    Every row has a twin, so the forces are not unique and all gaps are equal.
    """
    index = np.arange(links)
    before = np.stack([index, index - 1], axis=1)
    along = np.array([[1.0, 0, 0], [-1.0, 0, 0]])
    across = np.roll(along, 1, axis=1)
    turn = np.roll(along, 2, axis=1)
    kinds = np.stack([s * k for k in (along, across, turn) for s in (1.0, -1.0, 1.0, -1.0)])
    blocks = np.repeat(kinds[None], links, axis=0)
    blocks[0, :, 1] = 0.0
    cost = np.zeros((links, 3))
    cost[-1, 0] = 1.0
    rows = links * len(kinds)
    return Program(
        np.repeat(before, len(kinds), axis=0),
        blocks.reshape(rows, 2, 3),
        np.full(rows, gap),
        np.zeros(rows, bool),
        cost,
        np.full((links, 3), np.inf),
        np.stack([index, 0 * index], axis=1).astype(float),
    )


@pytest.mark.parametrize("seed", range(6))
def test_all_solvers_agree_on_random_programs_with_bounds_and_pivots(seed: int) -> None:
    program = random_program(seed)
    found = [solve_program(program, name) for name in METHODS]
    assert all(solution.solved for solution in found)
    values = [solution.objective for solution in found]
    assert np.ptp(values) <= 1e-6 * (1 + abs(values[0]))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_forces_and_bound_forces_balance_the_load_and_prove_the_objective(name: str, seed: int) -> None:
    program = random_program(seed)
    solution = solve_program(program, name)
    balance = (program.matrix().T @ solution.forces).reshape(program.cost.shape) + program.cost
    assert np.allclose(balance, solution.bound_forces, atol=1e-6)
    assert np.all(solution.forces[~program.equal] >= 0)
    assert np.all(solution.bound_forces[np.isinf(program.bound)] == 0)
    held = np.abs(solution.bound_forces) > 1e-4
    assert held.any()
    side = np.sign(solution.bound_forces[held]) * program.bound[held]
    assert np.allclose(solution.step[held], side, atol=1e-5)
    bound = np.where(np.isinf(program.bound), 0.0, program.bound)
    proof = solution.forces @ program.gaps + np.sum(np.abs(solution.bound_forces) * bound)
    assert proof == pytest.approx(solution.objective, rel=1e-6)


@pytest.mark.parametrize("name", METHODS)
def test_pivots_stay_shut_and_may_pull(name: str) -> None:
    program = random_program(1, pivots=5)
    solution = solve_program(program, name)
    slack = program.matrix() @ solution.step.ravel() + program.gaps
    assert np.abs(slack[program.equal]).max() < 1e-7
    assert slack.min() > -1e-7
    assert solution.forces[program.equal].min() < -1e-3


@pytest.mark.parametrize("name", METHODS)
def test_a_chain_of_equal_gaps_stretches_by_their_sum(name: str) -> None:
    solution = solve_program(chain(20, gap=0.02), name)
    assert solution.solved
    assert solution.objective == pytest.approx(0.4, rel=1e-6)
    pulls = solution.forces.reshape(20, 12)[:, [1, 3]].sum(axis=1)
    assert np.allclose(pulls, 1.0, atol=1e-6)


@pytest.mark.parametrize("name", METHODS)
def test_a_body_nothing_touches_does_not_disturb_the_rest(name: str) -> None:
    program = chain(5)
    loose = replace(
        program,
        cost=np.vstack([program.cost, np.zeros((2, 3))]),
        bound=np.full((7, 3), np.inf),
        centres=np.vstack([program.centres, [[9.0, 9.0], [9.0, 8.0]]]),
    )
    solution = solve_program(loose, name)
    assert solution.solved
    assert solution.objective == pytest.approx(5.0, rel=1e-6)
    assert np.isfinite(solution.step).all()


@pytest.mark.parametrize("name", METHODS)
def test_slightly_negative_gaps_are_opened_again(name: str) -> None:
    program = chain(8)
    gaps = program.gaps.copy()
    gaps[::12] = -0.05
    solution = solve_program(replace(program, gaps=gaps), name)
    assert solution.solved
    assert (program.matrix() @ solution.step.ravel() + gaps).min() > -1e-7
    assert solution.objective == pytest.approx(8.0, rel=1e-6)


@pytest.mark.parametrize("name", METHODS)
def test_a_rigid_program_moves_by_nothing(name: str) -> None:
    solution = solve_program(replace(chain(5), gaps=np.zeros(60), bound=np.ones((5, 3))), name)
    assert solution.solved
    assert np.abs(solution.step).max() < 1e-6


@pytest.mark.parametrize("name", METHODS)
def test_an_unbounded_or_infeasible_program_is_never_called_solved(name: str) -> None:
    program = chain(3)
    pushing_only = np.tile(np.arange(12) % 2 == 0, 3)
    free = Program(
        program.pairs[pushing_only],
        program.blocks[pushing_only],
        program.gaps[pushing_only],
        program.equal[pushing_only],
        program.cost,
        program.bound,
        program.centres,
    )
    assert not solve_program(free, name).solved
    assert not solve_program(replace(program, gaps=-program.gaps), name).solved


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_a_change_of_the_length_unit_changes_nothing_else(name: str, scale: float) -> None:
    program = random_program(2)
    columns = np.array([scale, scale, 1.0])
    other = replace(
        program,
        blocks=program.blocks * scale / columns,
        gaps=program.gaps * scale,
        bound=program.bound * columns,
        cost=program.cost / columns,
    )
    here, there = solve_program(program, name), solve_program(other, name)
    assert there.solved
    assert there.objective == pytest.approx(here.objective, rel=1e-7)


def test_residuals_see_overlap_pull_and_imbalance() -> None:
    program = chain(2)
    step, forces = np.zeros((2, 3)), np.zeros(24)
    assert residuals(program, step, forces) == (0.0, 1.0, 0.0)
    step[0, 0] = -1.5
    assert residuals(program, step, forces)[0] == pytest.approx(0.5)
    forces[0] = -3.0
    assert residuals(program, step, forces)[1] == pytest.approx(3.0)


@pytest.mark.parametrize("forces", [0.0, np.inf])
def test_auto_falls_through_to_a_solver_that_holds(monkeypatch: pytest.MonkeyPatch, forces: float) -> None:
    from pliant.flex.lp import solvers

    def broken(program: Program, tolerance: float) -> solvers.RawSolution:
        signs = (-1.0) ** np.arange(len(program.gaps))
        step = np.full(program.cost.size, np.nan)
        return solvers.RawSolution(step, signs * forces if forces else 0 * signs, 0, "broken")

    monkeypatch.setitem(solvers._ADAPTORS, "piqp", broken)
    solution = solve_program(chain(4))
    assert solution.solved
    assert solution.solver == "clarabel"


def test_few_bodies_with_very_many_rows_are_solved_by_our_own_method() -> None:
    """As curved pieces have them; a dozen bodies or fewer are not worth it."""
    program = chain(20)
    many = 6001 // len(program.gaps) + 1
    program = replace(
        program,
        pairs=np.tile(program.pairs, (many, 1)),
        blocks=np.tile(program.blocks, (many, 1, 1)),
        gaps=np.tile(program.gaps, many) + np.repeat(np.linspace(0, 1, many), len(program.gaps)),
        equal=np.tile(program.equal, many),
    )
    found = solve_program(program)
    assert found.solver == "normal"
    assert found.objective == pytest.approx(solve_program(chain(20)).objective, rel=1e-6)
    assert solve_program(chain(20)).solver == "piqp"


def test_an_unknown_solver_is_named_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"gurobi.*piqp, clarabel, highs, normal"):
        solve_program(chain(2), "gurobi")


def test_a_small_program_loads_no_compiler() -> None:
    import subprocess
    import sys

    script = (
        "import sys, numpy as np; from pliant.flex.lp.program import Program; "
        "from pliant.flex.lp.solvers import solve_program; one = np.ones(1); "
        "p = Program(np.array([[0, -1]]), np.array([[[-1., 0, 0], [0, 0, 0]]]), one, one < 0, "
        "np.array([[1., 0, 0]]), np.full((1, 3), np.inf), np.zeros((1, 2))); "
        "s = solve_program(p); assert abs(s.objective - 1) < 1e-6; "
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


@pytest.mark.parametrize("limit", ["IPX_ITERATIONS", "PIVOTS"])
def test_highs_ends_where_it_would_go_round_for_ever(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """IPX did so on a program whose gaps were rounding noise: its default is no limit at all."""
    asked = in_natural_units(random_program(0))[0]
    monkeypatch.setattr(solvers, limit, 0)
    method = "ipx" if limit == "IPX_ITERATIONS" else "simplex"
    assert "limit" in solvers._run_highs(asked, 1e-8, method).message


def test_what_corrections_leave_of_touching_gaps_is_not_the_unit_of_a_program() -> None:
    few = chain(3)
    noise = np.where(np.arange(len(few.gaps)) < 30, 1e-8, 1.0)
    units = in_natural_units(replace(few, gaps=noise))[1]
    assert units.columns[0, 0] == pytest.approx(1.0)
