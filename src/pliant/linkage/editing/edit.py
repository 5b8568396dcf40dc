"""Edit: the nearest linkage that does what was asked and keeps what was kept.

Sequential quadratic programming on the drawn positions z, with exact derivatives: the targets'
residuals r are linearised (Gauss–Newton), the change from the first drawing is added with a
weight ρ that shrinks, keeps are equations, guards are inequalities, and a trust region bounds
each step.

    min ½|r + J d|² + ½ρ|z + d − z₀|²   such that   E d = −e,   G d ≤ room,   |d| ≤ Δ

Keeps hold before every step, so that d = 0 solves every program: an edit goes as far as it can,
and the multipliers of a last program, with a short step, say what stopped it. Where the targets
are reached, the last sum is then brought all the way down: a gain too small to matter for the
targets still moves joints that they leave free.

Source: [Bacher2015Supplement] for the derivatives, and for the sides of triangles, which edits keep.
Differs: it leaves how edits are solved to its main paper; this program is our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pliant.core.clock import Clock
from pliant.core.errors import Fault, InputError
from pliant.core.loops import run_loops
from pliant.core.progress import Interrupted, Progress, silent
from pliant.linkage import solve as trace
from pliant.linkage.analysis.transmission import transmissions
from pliant.linkage.editing.problem import EditState, Problem, prepare, runs_as_before, try_drawing
from pliant.linkage.editing.quadratic_program import resistances, solve_step
from pliant.linkage.editing.result import AchievedTarget, EditResult
from pliant.linkage.kinematics.poses import POSE_AS_PYTHON
from pliant.linkage.model import EditStudy, Linkage
from pliant.linkage.status import EditStatus

# Weights of the change and of soft keeps beside the targets, one pair after the other.
WEIGHTS = ((1e-4, 1.0), (1e-7, 0.3), (1e-10, 0.1), (1e-13, 0.03))
REACHED = 1e-6  # of the size: a target that near counts as reached
SETTLED = 1e-10  # of the size: a step that is none
NEAR = 1e-3  # of the size: how far ahead something is in the way
CREPT = 0.1  # share of the sum that steps have to bring it down by together
FINER = (1, 4, 16)  # times the samples, where the coarser ones do not see enough


class StoppingCriteria(NamedTuple):
    """When a sum is brought down no further."""

    nothing: float  # a gain that is none
    gain: float  # of the sum: a gain that is not worth a step
    creeps: int  # steps that together have to bring the sum down by CREPT
    damping: float  # of what no target asks for: the least change is last


COARSE = StoppingCriteria(1e-15, 1e-3, 8, 1e-7)
FINE = StoppingCriteria(0.0, 1e-12, 100, 0.0)


def edit(model: Linkage, study: EditStudy | None = None, progress: Progress = silent) -> EditResult:
    """Reshape a linkage: targets reached as far as keeps and guards let it, with the least change.

    The guards hold at the samples. Where the result would not run between them, it is edited
    again with finer samples.
    """
    study = study or model.study.for_command("edit")
    _refuse_empty(study)
    with run_loops("linkage", 3 * POSE_AS_PYTHON * study.samples * len(model.joints), progress):
        return _edit(model, study, progress)


def check(model: Linkage) -> None:
    """Refuse what a trace or an edit of a linkage by its own study refuses.

    An edit that asks for nothing yet is none of that: what shall change may be given beside the file.
    """
    trace.prepare(model, model.study.for_command("trace"))
    if (study := model.study.edit) is None:
        return
    with run_loops("linkage", POSE_AS_PYTHON * study.samples * len(model.joints)):
        try:
            prepare(model, study, study.samples)
        except InputError as error:
            faults = [replace(fault, where=f"study.edit.{fault.where}".rstrip(".")) for fault in error.faults]
            raise InputError(faults) from None


def _edit(model: Linkage, study: EditStudy, progress: Progress) -> EditResult:
    clock, status = Clock(), EditStatus.TORN
    for finer in FINER:
        try:
            with clock.phase("prepare"):
                prepared = prepare(model, study, study.samples * finer)
        except InputError:
            if finer == FINER[0]:
                raise
            break  # what keeps ask for runs at the samples, and not between them
        if prepared is None:
            status = EditStatus.UNREADY
            break
        descent = EditDescent(*prepared)
        try:
            _descend(descent, study, progress, clock)
        except KeyboardInterrupt:
            raise Interrupted(_result(model, study, descent, clock)) from None
        result = _result(model, study, descent, clock)
        with clock.phase("check"):
            if runs_as_before(descent.problem, result.model):
                return result
    return EditResult(status, model, model, study, (), (), (), 0, clock.seconds)


def _refuse_empty(study: EditStudy) -> None:
    if study.is_empty:
        cure = "Add a move, a curve, a length, an enclosure, or guard.transmission"
        raise InputError([Fault("", "the edit asks for nothing", cure)])


def _descend(descent: EditDescent, study: EditStudy, progress: Progress, clock: Clock) -> None:
    with clock.phase("solve"):
        for weights in WEIGHTS:
            for _ in descent.descend(weights, study.iterations, COARSE):
                progress(descent.steps, None, f"off by {descent.state.misses.max(initial=0.0):.4g}")
            if descent.targets_reached:
                descent.minimise_change(weights, study.iterations)
                break


class EditDescent:
    """Where an edit stands; changed by `edit` alone."""

    def __init__(self, problem: Problem, first: EditState) -> None:
        self.problem = problem
        self.first = first
        self.state = first
        self.steps = 0

    @property
    def targets_reached(self) -> bool:
        """Whether every target is reached, and with the least change, as the first weight finds it."""
        targets = [not term.kept for term in self.problem.terms]
        return self.steps > 0 and bool((self.state.misses[targets] <= REACHED * self.problem.size).all())

    def minimise_change(self, weights: tuple[float, float], most: int) -> None:
        """Bring the change down to the least there is, as long as the targets stay reached by it."""
        reached = self.state
        for _ in self.descend(weights, most, FINE):
            pass
        if not self.targets_reached:
            self.state = reached

    def descend(self, weights: tuple[float, float], most: int, stop: StoppingCriteria) -> Iterator[None]:
        """Steps that each bring the sum down, until none does."""
        problem, radius = self.problem, 0.1
        value = self._objective(self.state, weights)
        trail = [np.inf] * stop.creeps
        while self.steps < most and radius > SETTLED and value <= (1 - CREPT) * trail[-stop.creeps]:
            tried = solve_step(problem, self.first, self.state, weights, radius, stop.damping)
            length = float(np.abs(tried.change).max(initial=0.0))
            if tried.predicted_decrease <= stop.nothing + stop.gain * value or length <= SETTLED:
                return
            self.steps += 1
            trail.append(value)
            drawn = problem.keeps.restore(self.state.drawn + problem.size * tried.change)
            moved = try_drawing(problem, self.state, drawn)
            gained = -np.inf if moved is None else value - self._objective(moved, weights)
            if moved is not None and gained > 0:
                self.state, value = moved, value - gained
            if gained > 0.75 * tried.predicted_decrease:
                radius = max(radius, 2 * length)
            elif gained < 0.25 * tried.predicted_decrease:
                radius = length / (2 if gained > 0 else 4)
            yield

    def _objective(self, state: EditState, weights: tuple[float, float]) -> float:
        weight, fade = weights
        change = ((state.drawn - self.first.drawn) / self.problem.size).ravel()[self.problem.keeps.free]
        r, _ = state.faded_residuals(fade)
        return 0.5 * float(r @ r) + 0.5 * weight * float((change**2).sum())


def _result(model: Linkage, study: EditStudy, descent: EditDescent, clock: Clock) -> EditResult:
    problem, state = descent.problem, descent.state
    edited = redraw(model, state)
    achieved = tuple(
        AchievedTarget(term.name, before, after, after <= REACHED * problem.size, term.kept)
        for term, before, after in zip(
            problem.terms, descent.first.misses.tolist(), state.misses.tolist(), strict=True
        )
    )
    achieved += tuple(_transmission_target(study, descent))
    done = all(target.reached for target in achieved if not target.kept)
    last = solve_step(problem, descent.first, state, WEIGHTS[-1], NEAR, COARSE.damping)
    resisted = () if done else tuple(resistances(problem, state, last.multipliers))
    if done:
        status = EditStatus.REACHED
    elif descent.steps >= study.iterations:
        status = EditStatus.ITERATION_LIMIT
    else:
        guarded = any(resistance.kind == "guard" for resistance in resisted)
        status = EditStatus.GUARDED if guarded else EditStatus.COMPROMISE
    wanted = tuple(mark for term in problem.terms for mark in term.marks(problem.size))
    return EditResult(status, model, edited, study, achieved, resisted, wanted, descent.steps, clock.seconds)


def redraw(model: Linkage, state: EditState) -> Linkage:
    """The linkage with its joints, and the guides that ride on its links, where they are now."""
    rows = iter(state.drawn.tolist())
    places = {name: tuple(next(rows)) for name in model.joints}
    sliders = tuple(
        slider
        if slider.along is None
        else slider.model_copy(update={"along": (tuple(next(rows)), tuple(next(rows)))})
        for slider in model.sliders
    )
    links = tuple(link.model_copy(update={"length": None}) for link in model.links)
    return model.model_copy(update={"joints": places, "links": links, "sliders": sliders})


def _transmission_target(study: EditStudy, descent: EditDescent) -> Iterator[AchievedTarget]:
    """A transmission angle that the drawing did not have is a target too."""
    wanted = study.guard.transmission
    if wanted is not None:
        closed = descent.problem.drive.closed
        every_transmission = (
            transmissions(state.sampled, closed) for state in (descent.first, descent.state)
        )
        least = (min((one.worst for one in each), default=np.pi / 2) for each in every_transmission)
        before, after = (float(np.degrees(max(wanted - angle, 0.0))) for angle in least)
        name = f"transmission angles of {np.degrees(wanted):g}°"
        yield AchievedTarget(name, before, after, after == 0.0, unit="°")
