"""Flex: move an assembly of loose parts as far as its joints let it, step by step.

Source: [Lensgraf2020] section V: eq. 11, time stepping and re-enforcement (V-B).
"""

from __future__ import annotations

from pliant.core.progress import Interrupted, Progress, silent
from pliant.flex.findings import drawn_overlaps, leaving, recession
from pliant.flex.model import Assembly, FlexStudy
from pliant.flex.promise import Promise, other_way, promise, trusting
from pliant.flex.result import FlexResult
from pliant.flex.slip import slip
from pliant.flex.status import FlexStatus
from pliant.flex.step import move, next_turn, place, usable
from pliant.flex.system import System, compile_system
from pliant.flex.walk import Walk

SHRINKINGS = 3
STALLED = "no step, however short, keeps the overlap within the threshold"
FEW = 100  # moving bodies up to which every corner is tried once more at rest


def solve(model: Assembly, study: FlexStudy | None = None, progress: Progress = silent) -> FlexResult:
    """The extreme motion of an assembly, or why there is none."""
    system = compile_system(model, study or model.study.for_command("flex"))
    walk = Walk(model, system, place(system, system.parts.drawn, system.reach, None))
    overlapping = drawn_overlaps(system, walk.drawn)
    if overlapping:
        return walk.end(FlexStatus.OVERLAPPING, drawn=overlapping)
    if not len(system.parts.free):
        return walk.end(FlexStatus.LOCKED)
    try:
        return _walk(system, walk, progress)
    except KeyboardInterrupt:
        raise Interrupted(walk.end(FlexStatus.STEP_LIMIT, note="interrupted")) from None


def _walk(system: System, walk: Walk, progress: Progress) -> FlexResult:
    """Step until nothing is gained."""
    turn, quiet, shrinkings = system.study.turn, False, 0
    later = 0.02 * system.tolerance
    first = 1e-4 * system.tolerance  # its duals are reported
    while walk.steps < system.study.steps:
        progress(walk.steps, None, f"objective {walk.here.value:.6g}")
        found = promise(system, walk.here, turn if walk.promises else None, later if walk.promises else first)
        if walk.overlapping():
            if shrinkings == SHRINKINGS:
                return walk.end(FlexStatus.STEP_LIMIT, note=STALLED)
            walk.undo()
            turn, shrinkings = turn / 4, shrinkings + 1
            continue
        walk.promises.append(found)
        trusted, gone = system, walk.has_gone()
        endless = recession(system, found.program) if gone else found.endless
        if endless is not None:
            away = leaving(system, walk.here.poses, found.program, endless)
            if away.proven or gone:
                return walk.end(FlexStatus.FREE, leaving=away)
            if walk.steps == 0 and walk.widen():
                continue
            trusted = trusting(system, walk.here)
            found = promise(trusted, walk.here, turn, later)
        if not usable(system, found.program, found.solution):
            return walk.end(FlexStatus.SOLVER_FAILED, note=found.solution.message)
        if walk.settled(found):
            other = other_way(system, found, walk.here)
            if other is None or quiet or len(system.parts.free) > FEW:
                slid = None if len(system.parts.free) > FEW else slip(system, found, turn, later)
                if slid is None:
                    return _finish(system, walk, found)
                walk.go(*slid)
                quiet = False
                continue
            walk.here, quiet = other, True
            continue
        moved = move(system, trusted, found, turn)
        if moved is not None:
            walk.go(found, *moved)
            walk.here, quiet = other_way(system, found, walk.here) or walk.here, False
            turn = next_turn(system, found, moved[1], turn)
        elif shrinkings < SHRINKINGS:
            turn, shrinkings = turn / 4, shrinkings + 1
        else:
            return walk.end(FlexStatus.STEP_LIMIT, note=STALLED)
    return walk.end(FlexStatus.STEP_LIMIT)


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
