"""The ascent: step along linear programs until nothing is gained, and say how that ended.

Source: [Lensgraf2020] section V: eq. 11, time stepping and re-enforcement (V-B).
"""

from __future__ import annotations

from math import inf

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.progress import Progress, silent
from pliant.flex.diagnosis.unbounded import Ending, find_leaving
from pliant.flex.problem.system import System
from pliant.flex.status import FlexStatus
from pliant.flex.stepping.alternatives import alternative_step, nearby_step
from pliant.flex.stepping.linearization import linear_step, step_with_new_contacts
from pliant.flex.stepping.step import (
    AcceptedStep,
    LinearStep,
    gains_nothing,
    is_usable,
    next_turn_bound,
    take_step,
)
from pliant.flex.stepping.trajectory import Trajectory

SHRINKINGS = 3
STALLED = "no step, however short, keeps the overlap within the threshold"
FADING = 0.8  # a gain in prospect less than that of the one before foretells an end
FINEST = 1e-4  # of the objective: a gain that counts as none, whatever the tolerance


def ascend(
    system: System, trajectory: Trajectory, steps: int, progress: Progress = silent, wander: bool = False
) -> Ending:
    """Step until nothing is gained. Who wanders does not ask whether bodies leave, turn, or could go on."""
    turn, shrinkings = np.full(len(system.parts.free), system.study.turn), 0
    before: AcceptedStep | None = None
    while trajectory.steps < steps:
        progress(trajectory.steps, None, f"objective {trajectory.here.value:.6g}")
        linear = linear_step(system, trajectory.here, turn if trajectory.linear_steps else None)
        if trajectory.is_overlapping():
            trajectory.undo()
            before = None
            if shrinkings == SHRINKINGS:
                return Ending(FlexStatus.STEP_LIMIT, note=STALLED)
            turn, shrinkings = turn / 4, shrinkings + 1
            continue
        trajectory.linear_steps.append(linear)
        endless = None if wander else _unbounded_ending(system, trajectory, linear)
        if endless is not None:
            return endless
        if linear.endless is not None and trajectory.widen_reach():
            continue
        moved = None
        if not trajectory.is_settled(linear):
            linear, moved = step_with_new_contacts(system, linear, trajectory.enough, turn)
        solved = is_usable(system, linear.program, linear.solution)
        if moved is None and solved and trajectory.is_settled(linear):
            small = None if wander else take_step(system, linear, system.study.turn)
            moved = None if wander else _step_at_rest(system, trajectory, linear, small, turn)
            if moved is None or not trajectory.is_worth_taking(moved):
                return _finish(system, trajectory, linear, small)
        if moved is None and solved and shrinkings == SHRINKINGS and not wander:
            linear, moved = _step_where_stalled(system, trajectory, linear, turn)
        if moved is not None:
            trajectory.append_step(moved)
            turn, before = next_turn_bound(system, moved, before, turn), moved
        elif shrinkings < SHRINKINGS:
            turn, shrinkings = turn / 4, shrinkings + 1
        else:
            return _stall_ending(system, trajectory, linear, solved, turn)
    return Ending(FlexStatus.STEP_LIMIT)


def _step_at_rest(
    system: System, trajectory: Trajectory, linear: LinearStep, small: AcceptedStep | None, turn: Floats
) -> AcceptedStep | None:
    """A step on from where a program has nothing more to gain; None: it is an end."""
    worthwhile = _worthwhile_small_step(system, trajectory, linear, small)
    return worthwhile or alternative_step(system, linear, small, trajectory.enough, turn)


def _step_where_stalled(
    system: System, trajectory: Trajectory, linear: LinearStep, turn: Floats
) -> tuple[LinearStep, AcceptedStep | None]:
    """A step where none along the program gains, however short, and the program with bodies kept near."""
    near, moved = nearby_step(system, linear, trajectory.enough, system.study.turn)
    return near, moved or alternative_step(system, linear, None, trajectory.enough, turn)


def _stall_ending(
    system: System, trajectory: Trajectory, linear: LinearStep, solved: bool, turn: Floats
) -> Ending:
    """The ending where no step can be taken, however short.

    That is at rest where a program that keeps bodies near promises nothing either, or where short steps
    can be gone and gain nothing: what slopes there are lead nowhere but down, to second order.
    """
    enough = trajectory.enough
    at_rest = linear.gain <= enough or gains_nothing(system, linear, turn, enough)
    if solved and linear.solution.solved and at_rest:
        return _finish(system, trajectory, linear, None)
    if solved:
        return Ending(FlexStatus.STEP_LIMIT, note=STALLED)
    return Ending(FlexStatus.SOLVER_FAILED, note=linear.solution.message)


def _unbounded_ending(system: System, trajectory: Trajectory, linear: LinearStep) -> Ending | None:
    """The ending where bodies leave, or turn right round."""
    away = find_leaving(system, trajectory.here.poses, linear.program) if linear.endless is not None else None
    if away is not None:
        return Ending(FlexStatus.FREE, leaving=away)
    turning = trajectory.turning()
    return None if turning is None else Ending(FlexStatus.TURNING, turning=turning)


def _worthwhile_small_step(
    system: System, trajectory: Trajectory, linear: LinearStep, small: AcceptedStep | None
) -> AcceptedStep | None:
    """The small step of a program that has little to gain, where it is not the last.

    It may gain more than its program says; and where such gains do not become less from step to step,
    be they small, the motion has not come to its end but to where it is slow.
    """
    if small is None or small.crossings is not None:
        return None
    before = trajectory.linear_steps[-2].gain if len(trajectory.linear_steps) > 1 else inf
    size = system.objective.size(trajectory.here.poses)
    slow = linear.gain > max(FADING * before, FINEST * size + system.least)
    gained = small.there.value - trajectory.here.value
    if gained <= trajectory.enough and not (slow and gained > 0.1 * linear.gain):
        return None
    return small


def _finish(system: System, trajectory: Trajectory, linear: LinearStep, small: AcceptedStep | None) -> Ending:
    """Take the last, small step too where it mends or gains, and say how it ended."""
    if max(abs(trajectory.here.value), linear.gain) <= system.least:
        return Ending(FlexStatus.LOCKED)
    if small is not None and small.crossings is None:
        gains = small.there.value > trajectory.here.value
        if gains or small.there.violation < 0.5 * trajectory.here.violation:
            trajectory.append_step(small)
    return Ending(FlexStatus.CONVERGED)
