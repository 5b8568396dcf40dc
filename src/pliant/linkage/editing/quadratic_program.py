"""One step of an edit: a quadratic program, and what its multipliers say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.linkage.editing.guards import INSIDE, WATCHED, openness_gradients
from pliant.linkage.editing.problem import EditState, Problem
from pliant.linkage.editing.result import Resistance

ITERATIONS = 50  # of a program: where it stops short of its accuracy, the last 20 change nothing
SLIGHT = 5e-3  # a resistance below this share of the pull is not worth a word


@dataclass(frozen=True)
class Multipliers:
    """Multipliers: what each guard and each keep holds back."""

    guards: Floats  # (R + L + P,) of the watched angles, then of the lengths, then of the plates
    pairs: Ints  # (R, 2) rule and pose of each watched angle
    keeps: Floats  # (E,)
    pull: Floats  # (2N,) of the targets on every coordinate, those that may not move included


@dataclass(frozen=True)
class CandidateStep:
    """A step in units of the size, what it promises to bring the sum down by, and its multipliers."""

    change: Floats  # (N, 2)
    predicted_decrease: float
    multipliers: Multipliers


def solve_step(
    problem: Problem,
    first: EditState,
    state: EditState,
    weights: tuple[float, float],
    radius: float,
    damping: float = 0.0,
    bend: Floats | None = None,
    inside: float = INSIDE,
    watched: float = WATCHED,
) -> CandidateStep:
    """Solve the program of `edit` with PIQP, in units of the linkage's size.

    `damping` shortens steps in directions that no target asks for. `bend` (2N, 2N) is what the
    residuals' own curvature adds to the sum's; `inside` is how far inside the guards a step aims,
    and `watched` how near to its bound a rule takes part.
    """
    piqp: Any = import_module("piqp")
    free, size = problem.keeps.free, problem.size
    weight, fade = weights
    r, slopes = state.faded_residuals(fade)
    pull = slopes.T @ r + weight * ((state.drawn - first.drawn) / size).ravel()
    slopes = slopes[:, free]
    hessian = slopes.T @ slopes + (weight + damping) * np.eye(len(free))
    if bend is not None:
        hessian = _make_convex(hessian + bend[np.ix_(free, free)], weight)
    scale = 1 / max(float(np.abs(pull[free]).max(initial=0.0)), 1e-12)  # the solver stops by absolute errors
    equal, wrong = problem.keeps.slopes(state.drawn)[:, free], problem.keeps.values(state.drawn) / size
    flat, open_, pairs = problem.guards.openness_rows(state.view, state.c, inside, watched)
    short, spare = problem.guards.length_rows(state.drawn)
    rows, room = np.concatenate([size * flat, short]), np.concatenate([open_, spare / size])
    solver: Any = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-10
    solver.settings.max_iter = ITERATIONS
    solver.setup(
        scale * hessian,
        scale * pull[free],
        equal if len(equal) else None,
        -wrong if len(equal) else None,
        rows[:, free],
        None,
        room,
        np.full(len(free), -radius),
        np.full(len(free), radius),
    )
    usable = solver.solve() in (piqp.PIQP_SOLVED, piqp.PIQP_MAX_ITER_REACHED)
    solution = np.clip(np.asarray(solver.result.x), -radius, radius) if usable else np.zeros(len(free))
    change = np.zeros(state.drawn.size)
    change[free] = solution
    multipliers = Multipliers(
        np.asarray(solver.result.z_u) / scale,
        pairs,
        np.asarray(solver.result.y) / scale if len(equal) else np.zeros(0),
        pull,
    )
    promised = -float(pull[free] @ solution + 0.5 * solution @ hessian @ solution)
    return CandidateStep(change.reshape(state.drawn.shape), promised, multipliers)


def _make_convex(hessian: Floats, least: float) -> Floats:
    """The nearest matrix in which the sum bends up every way."""
    try:
        np.linalg.cholesky(hessian - 0.5 * least * np.eye(len(hessian)))
    except np.linalg.LinAlgError:
        eigenvalues, modes = np.linalg.eigh((hessian + hessian.T) / 2)
        return (modes * np.maximum(eigenvalues, least)) @ modes.T
    return hessian


def resistances(problem: Problem, state: EditState, multipliers: Multipliers) -> Iterator[Resistance]:
    """Guards, keeps and joints that hold the targets back, the strongest first, by the pull they bear."""
    strongest: dict[tuple[str, str], tuple[float, float | None]] = {}
    for kind, what, strength, angle in (
        *_guard_resistances(problem, state, multipliers),
        *_keep_resistances(problem, multipliers),
    ):
        if strength > strongest.get((kind, what), (0.0, None))[0]:
            strongest[kind, what] = strength, angle
    total = float(np.linalg.norm(multipliers.pull)) or 1.0
    for (kind, what), (strength, angle) in sorted(strongest.items(), key=lambda entry: -entry[1][0]):
        if strength > SLIGHT * total:
            yield Resistance(kind, what, min(strength / total, 1.0), angle)


def _guard_resistances(
    problem: Problem, state: EditState, multipliers: Multipliers
) -> Iterator[tuple[str, str, float, float | None]]:
    names, free = problem.plan.structure.names, problem.keeps.free
    slopes = problem.size * openness_gradients(state.view, state.c, multipliers.pairs)[:, free]
    count = len(multipliers.pairs)
    strengths = multipliers.guards[:count] * np.linalg.norm(slopes, axis=1)
    angles = problem.drive.angles(problem.t)[0]
    for (op, pose), strength in zip(multipliers.pairs.tolist(), strengths.tolist(), strict=True):
        end = "stretched out" if state.c[op, pose] < 0 else "folded up"
        joint = names[problem.plan.rules[op].k]
        yield "guard", f"{joint} would come too near to {end}", strength, float(angles[pose])
    lengths, plates = np.split(multipliers.guards[count:], [len(problem.guards.pairs)])
    for (i, j), multiplier in zip(problem.guards.pairs.tolist(), lengths.tolist(), strict=True):
        yield "guard", f"{names[i]}-{names[j]} would become too short", multiplier, None
    for plate, multiplier in zip(problem.guards.plates.tolist(), plates.tolist(), strict=True):
        yield "guard", f"{'-'.join(names[k] for k in sorted(plate))} would be turned over", multiplier, None


def _keep_resistances(
    problem: Problem, multipliers: Multipliers
) -> Iterator[tuple[str, str, float, float | None]]:
    for multiplier, name in zip(multipliers.keeps.tolist(), problem.keeps.names, strict=True):
        yield "keep", name, abs(multiplier), None
    free = set(problem.keeps.free.tolist())
    for k, name in enumerate(problem.plan.structure.names):
        if 2 * k not in free:
            joint, _, guide = name.partition(".guide.")
            what = f"the guide of {joint} stays" if guide else f"{name} stays"
            yield "keep", what, float(np.hypot(*multipliers.pull[2 * k : 2 * k + 2])), None
