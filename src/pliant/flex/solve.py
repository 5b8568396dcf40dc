"""Flex: move an assembly of loose parts as far as its joints let it, step by step.

Source: [Lensgraf2020] section V: eq. 11, time stepping and re-enforcement (V-B).
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from pliant.core.loops import running
from pliant.core.progress import Interrupted, Progress, silent
from pliant.flex.drawn import as_drawn
from pliant.flex.findings import Leaving, leaving, recession
from pliant.flex.model import Assembly, FlexStudy
from pliant.flex.promise import Promise, other_way, promise, trusting
from pliant.flex.result import FlexResult
from pliant.flex.slip import slip
from pliant.flex.status import FlexStatus
from pliant.flex.step import move, next_turn, place, usable
from pliant.flex.system import System, compile_system
from pliant.flex.walk import Walk
from pliant.flex.warm import LOOPS

SHRINKINGS = 3
STALLED = "no step, however short, keeps the overlap within the threshold"
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
    wrong = as_drawn(model, system, walk.drawn)
    if wrong is not None:
        return walk.end(wrong[0], **wrong[1])
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
        away = _leaves(system, walk, found)
        if away is not None:
            return walk.end(FlexStatus.FREE, leaving=away)
        if found.endless is not None and walk.widen():
            continue
        trusted, found = _bounded(system, walk, found, turn)
        if not usable(system, found.program, found.solution):
            return walk.end(FlexStatus.SOLVER_FAILED, note=found.solution.message)
        if walk.settled(found):
            if _at_rest(system, walk, found, turn):
                return _finish(system, walk, found)
            continue
        moved = move(system, trusted, found, turn)
        if moved is not None:
            walk.go(found, *moved)
            walk.here = other_way(system, found, walk.here) or walk.here
            turn = next_turn(system, found, *moved, turn)
        elif walk.here is not walk.plain:
            walk.here, walk.turned = walk.plain, True  # the other way round the corners leads nowhere
        elif shrinkings < SHRINKINGS:
            turn, shrinkings = turn / 4, shrinkings + 1
        else:
            break
    stalled = walk.steps < system.study.steps
    return walk.end(FlexStatus.STEP_LIMIT, note=STALLED if stalled else "")


def _bounded(system: System, walk: Walk, found: Promise, turn: float) -> tuple[System, Promise]:
    """A program without bound solved again, with the relative motion of neighbours bounded."""
    if found.endless is None:
        return system, found
    trusted = trusting(system, walk.here)
    return trusted, promise(trusted, walk.here, turn)


def _leaves(system: System, walk: Walk, found: Promise) -> Leaving | None:
    """Who can leave for good: played until clear, or gone already and nothing in the way."""
    gone = walk.has_gone()
    motion = recession(system, found.program) if gone else found.endless
    if motion is None:
        return None
    away = leaving(system, walk.here.poses, found.program, motion)
    return away if away.proven or gone else None


def _at_rest(system: System, walk: Walk, found: Promise, turn: float) -> bool:
    """Whether nothing is left to try; else it has been tried, and the walk goes on.

    The corners that hold the motion are tried the other way round, and then slid past.
    """
    if len(system.parts.free) > FEW:
        return True
    other = None if walk.turned else other_way(system, found, walk.here)
    if other is not None:
        walk.here, walk.turned = other, True
        return False
    slid = slip(system, found, turn)
    if slid is not None:
        walk.go(*slid)
    return slid is None


def _finish(system: System, walk: Walk, found: Promise) -> FlexResult:
    """Take the last, small step too where it mends or gains, and say how it ended."""
    if max(abs(walk.here.value), found.gain) <= system.least:
        return walk.end(FlexStatus.LOCKED)
    moved = move(system, system, found, system.study.turn)
    if moved is not None and (
        moved[0].value >= walk.here.value or moved[0].violation < 0.5 * walk.here.violation
    ):
        walk.go(found, *moved)
    return walk.end(FlexStatus.CONVERGED)
