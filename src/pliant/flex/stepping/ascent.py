"""The climb: step along linear programs until nothing is gained, and say how that ended.

Source: [Lensgraf2020] section V: eq. 11, time stepping and re-enforcement (V-B).
"""

from __future__ import annotations

from math import inf

from pliant.core.progress import Progress, silent
from pliant.flex.diagnosis.unbounded import Ending, leaving
from pliant.flex.problem.system import System
from pliant.flex.status import FlexStatus
from pliant.flex.stepping.alternatives import go_on
from pliant.flex.stepping.linearization import promise, stepped
from pliant.flex.stepping.step import Moved, Promise, move, next_turn, usable
from pliant.flex.stepping.trajectory import Walk

SHRINKINGS = 3
STALLED = "no step, however short, keeps the overlap within the threshold"
FADING = 0.8  # a promise less than that of the one before promises an end
FINEST = 1e-4  # of the objective: a gain that counts as none, whatever the tolerance


def climb(
    system: System, walk: Walk, steps: int, progress: Progress = silent, wander: bool = False
) -> Ending:
    """Step until nothing is gained. Who wanders does not ask whether bodies leave, turn, or could go on."""
    turn, shrinkings = system.study.turn, 0
    while walk.steps < steps:
        progress(walk.steps, None, f"objective {walk.here.value:.6g}")
        found = promise(system, walk.here, turn if walk.promises else None)
        if walk.overlapping():
            walk.undo()
            if shrinkings == SHRINKINGS:
                return Ending(FlexStatus.STEP_LIMIT, note=STALLED)
            turn, shrinkings = turn / 4, shrinkings + 1
            continue
        walk.promises.append(found)
        endless = None if wander else _endless(system, walk, found)
        if endless is not None:
            return endless
        if found.endless is not None and walk.widen():
            continue
        moved = None
        if not walk.settled(found):
            found, moved = stepped(system, found, walk.enough, turn)
        solved = usable(system, found.program, found.solution)
        if moved is None and solved and walk.settled(found):
            small = move(system, found, system.study.turn)
            moved = _not_last(system, walk, found, small)
            moved = moved or (None if wander else go_on(system, found, walk.enough, turn))
            if moved is None or not walk.worth_going(moved):
                return _finish(system, walk, found, small)
        if moved is None and solved and shrinkings == SHRINKINGS:
            moved = go_on(system, found, walk.enough, turn)
        if moved is not None:
            walk.go(moved)
            turn = next_turn(system, moved, turn)
        elif shrinkings < SHRINKINGS:
            turn, shrinkings = turn / 4, shrinkings + 1
        else:
            return _stalled(found, solved)
    return Ending(FlexStatus.STEP_LIMIT)


def _stalled(found: Promise, solved: bool) -> Ending:
    """The ending where no step can be taken, however short."""
    if solved:
        return Ending(FlexStatus.STEP_LIMIT, note=STALLED)
    return Ending(FlexStatus.SOLVER_FAILED, note=found.solution.message)


def _endless(system: System, walk: Walk, found: Promise) -> Ending | None:
    """The ending where bodies leave, or turn right round."""
    away = leaving(system, walk.here.poses, found.program) if found.endless is not None else None
    if away is not None:
        return Ending(FlexStatus.FREE, leaving=away)
    turning = walk.turning()
    return None if turning is None else Ending(FlexStatus.TURNING, turning=turning)


def _not_last(system: System, walk: Walk, found: Promise, small: Moved | None) -> Moved | None:
    """The small step of a program that promises little, where it is not the last.

    It may gain more than it promised; and where promises do not become less from step to step,
    be they small, the motion has not come to its end but to where it is slow.
    """
    if small is None or small.crossings is not None:
        return None
    before = walk.promises[-2].gain if len(walk.promises) > 1 else inf
    size = system.objective.size(walk.here.poses)
    slow = found.gain > max(FADING * before, FINEST * size + system.least)
    gained = small.there.value - walk.here.value
    if gained <= walk.enough and not (slow and gained > 0.1 * found.gain):
        return None
    return small


def _finish(system: System, walk: Walk, found: Promise, small: Moved | None) -> Ending:
    """Take the last, small step too where it mends or gains, and say how it ended."""
    if max(abs(walk.here.value), found.gain) <= system.least:
        return Ending(FlexStatus.LOCKED)
    if small is not None and small.crossings is None:
        gains = small.there.value > walk.here.value
        if gains or small.there.violation < 0.5 * walk.here.violation:
            walk.go(small)
    return Ending(FlexStatus.CONVERGED)
