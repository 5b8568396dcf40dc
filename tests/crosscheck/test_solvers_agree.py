"""HiGHS, Clarabel and the default solver give the same linear estimate on random small assemblies."""

from __future__ import annotations

import numpy as np
import pytest

from pliant.flex.generate import bricks, flock, jigsaw, random_outline, voxels
from pliant.flex.lp.program import Program
from pliant.flex.lp.solvers import residuals, solve_program
from pliant.flex.model import Assembly, Study, Term
from pliant.flex.problem.system import compile_system
from pliant.flex.solve import solve
from pliant.flex.stepping.step import configuration_at


def random_assembly(seed: int) -> Assembly:
    """Voxels with either joint, tight or loose, or a jigsaw, and one body pulled somewhere or turned."""
    rng = np.random.default_rng(seed)
    if seed % 4 == 3:
        model = jigsaw(
            int(rng.integers(2, 5)), 2, vertices=48, clearance=float(rng.uniform(0.05, 0.4)), seed=seed
        )
    else:
        mask = random_outline(int(rng.integers(3, 25)), seed=seed)
        joint = "puzzle" if seed % 4 == 2 else "dovetail"
        model = voxels(mask, joint, clearance=float(rng.uniform(0.002, 0.03)), polarity="random", seed=seed)
    name = str(rng.choice([body.name for body in model.bodies if not body.fixed]))
    x, y = rng.normal(size=2).tolist()
    term = Term(body=name, spin=1.0) if seed % 5 == 0 else Term(body=name, direction=(x, y))
    return model.model_copy(update={"study": Study(maximize=(term,))})


def first_program(model: Assembly) -> Program:
    system = compile_system(model, model.study.for_command("flex"))
    here = configuration_at(system, system.parts.drawn, system.reach, None)
    return system.program(here.contacts.rows, here.poses, np.full((len(system.parts.free), 3), np.inf))


@pytest.mark.few(8)
@pytest.mark.parametrize("seed", range(24))
def test_highs_and_clarabel_agree_with_the_default_on_the_linear_estimate(seed):
    program = first_program(random_assembly(seed))
    answers = {name: solve_program(program, name, 1e-8) for name in ("auto", "highs", "clarabel")}
    assert all(answer.solved for answer in answers.values())
    for name in ("highs", "clarabel"):
        assert answers["auto"].objective == pytest.approx(answers[name].objective, rel=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_the_forces_of_one_solver_prove_the_step_of_another(seed):
    """Strong duality across solvers: neither could hide an error that both its vectors share."""
    program = first_program(random_assembly(seed))
    ours, theirs = (solve_program(program, name, 1e-8) for name in ("auto", "highs"))
    scale = float(np.median(program.gaps[program.gaps > 0]))
    for step, forces in ((ours.step, theirs.forces), (theirs.step, ours.forces)):
        primal, dual, gap = residuals(program, step, forces)
        assert primal <= 1e-6 * scale
        assert dual <= 1e-5 * np.abs(forces).max()
        assert gap <= 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_the_whole_study_reports_the_same_linear_estimate_with_either_solver(seed):
    model = random_assembly(seed)
    answers = []
    for solver in ("auto", "highs"):
        study = model.study.model_copy(update={"solver": solver, "steps": 1})
        answers.append(solve(model.model_copy(update={"study": study})))
    ours, theirs = answers
    assert theirs.solvers == ("highs",)
    assert ours.linear == pytest.approx(theirs.linear, rel=1e-6)


@pytest.mark.parametrize(
    "model", [flock(10), flock(21), bricks(3, 3)], ids=["flock-10", "flock-21", "bricks"]
)
def test_they_agree_where_keeps_sights_limits_and_a_frame_hold_the_motion(model):
    program = first_program(model)
    ours, theirs = (solve_program(program, name, 1e-8) for name in ("auto", "highs"))
    assert ours.solved
    assert theirs.solved
    assert ours.objective == pytest.approx(theirs.objective, rel=1e-6)
