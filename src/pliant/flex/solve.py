"""Flex: move an assembly of loose parts as far as its joints let it, step by step.

Source: [Lensgraf2020] section V: eq. 11, time stepping and re-enforcement (V-B).
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from pliant.core.loops import running
from pliant.core.progress import Interrupted, Progress, silent
from pliant.flex.findings import drawn_overlaps, gone, leaving
from pliant.flex.model import Assembly, FlexStudy
from pliant.flex.promise import promise, stepped
from pliant.flex.rest import go_on
from pliant.flex.result import FlexResult
from pliant.flex.status import FlexStatus
from pliant.flex.step import Moved, Promise, move, next_turn, place, usable
from pliant.flex.system import System, compile_system
from pliant.flex.walk import Walk
from pliant.flex.warm import LOOPS

SHRINKINGS = 3
STALLED = "no step, however short, keeps the overlap within the threshold"
FADING = 0.8  # a promise less than that of the one before promises an end
FINEST = 1e-4  # of the objective: a gain that counts as none, whatever the tolerance
VERY_FEW = 12  # moving bodies up to which two paces cost nothing
FEW = 100  # moving bodies up to which every corner is tried once more at rest


def solve(model: Assembly, study: FlexStudy | None = None, progress: Progress = silent) -> FlexResult:
    """The extreme motion of an assembly, or why there is none.

    Round a corner there may be more than one way, and which is found can depend on the pace;
    a small assembly is walked at a slow pace too, and the better of the two counts.
    """
    with running(LOOPS, inf, progress):  # only large assemblies have loops that are compiled
        return _flex(model, study or model.study.for_command("flex"), progress)


def _flex(model: Assembly, study: FlexStudy, progress: Progress) -> FlexResult:
    system = compile_system(model, study)
    result = _pace(model, system, progress)
    if result.status is not FlexStatus.CONVERGED or len(system.parts.free) > VERY_FEW:
        return result
    slow = system.study.model_copy(update={"turn": system.study.turn / 15})
    careful = _pace(model, replace(system, study=slow), silent)
    better = careful.status is result.status and careful.objective > result.objective + 10 * system.least
    return careful if better else result


def _pace(model: Assembly, system: System, progress: Progress) -> FlexResult:
    """One walk from the drawn pose."""
    walk = Walk(model, system, place(system, system.parts.drawn, system.reach, None))
    overlapping = drawn_overlaps(system, walk.drawn)
    if overlapping:
        return walk.end(FlexStatus.OVERLAPPING, drawn=overlapping)
    if not len(system.parts.free):
        return walk.end(FlexStatus.LOCKED)
    try:
        return _walk(system, walk, progress)
    except KeyboardInterrupt:
        raise Interrupted(walk.end(FlexStatus.STEP_LIMIT, ranges=False, note="interrupted")) from None


def _walk(system: System, walk: Walk, progress: Progress) -> FlexResult:
    """Step until nothing is gained."""
    turn, shrinkings = system.study.turn, 0
    while walk.steps < system.study.steps:
        progress(walk.steps, None, f"objective {walk.here.value:.6g}")
        found = promise(system, walk.here, turn if walk.promises else None)
        if walk.overlapping():
            walk.undo()
            if shrinkings == SHRINKINGS:
                break
            turn, shrinkings = turn / 4, shrinkings + 1
            continue
        walk.promises.append(found)
        endless = _endless(system, walk, found)
        if endless is not None:
            return endless
        if found.endless is not None and walk.widen():
            continue
        moved = None
        if not walk.settled(found):
            found, moved = stepped(system, found, walk.enough, turn)
        if not usable(system, found.program, found.solution):
            return walk.end(FlexStatus.SOLVER_FAILED, note=found.solution.message)
        if moved is None and walk.settled(found):
            small = move(system, system, found, system.study.turn)
            moved = _not_last(system, walk, found, small) or go_on(system, found, walk.enough, turn)
            if moved is None:
                return _finish(system, walk, found, small)
        if moved is not None:
            walk.go(moved)
            turn = next_turn(system, moved.found, moved.there, moved.fraction, turn)
        elif shrinkings < SHRINKINGS:
            turn, shrinkings = turn / 4, shrinkings + 1
        else:
            break
    stalled = walk.steps < system.study.steps
    return walk.end(FlexStatus.STEP_LIMIT, note=STALLED if stalled else "")


def _endless(system: System, walk: Walk, found: Promise) -> FlexResult | None:
    """The result where bodies leave, or turn right round."""
    poses = walk.here.poses
    away = leaving(system, poses, found.program) if found.endless is not None else None
    away = away or gone(system, poses)
    if away is not None:
        return walk.end(FlexStatus.FREE, leaving=away)
    turning = walk.turning()
    return None if turning is None else walk.end(FlexStatus.TURNING, turning=turning)


def _not_last(system: System, walk: Walk, found: Promise, small: Moved | None) -> Moved | None:
    """The small step of a program that promises little, where it is not the last.

    It may gain more than it promised; and where promises do not become less from step to step,
    be they small, the motion has not come to its end but to where it is slow.
    """
    if small is None or small.crossings is not None:
        return None
    slow = found.gain > max(FADING * walk.little, FINEST * abs(walk.here.value) + system.least)
    gained = small.there.value - walk.here.value
    if gained <= walk.enough and not (slow and gained > 0.1 * found.gain):
        return None
    walk.little = found.gain
    return small


def _finish(system: System, walk: Walk, found: Promise, small: Moved | None) -> FlexResult:
    """Take the last, small step too where it mends or gains, and say how it ended."""
    if max(abs(walk.here.value), found.gain) <= system.least:
        return walk.end(FlexStatus.LOCKED)
    if small is not None and small.crossings is None:
        gains = small.there.value > walk.here.value
        if gains or small.there.violation < 0.5 * walk.here.violation:
            walk.go(small)
    return walk.end(FlexStatus.CONVERGED)
