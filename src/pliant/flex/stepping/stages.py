"""A study in stages: each goes on from where the one before ended, with an objective of its own.

So a motion that no single objective leads to is described by its parts: a formation draws out,
closes up, and goes through a door. A stage whose bodies have places to go to must bring them
there, or the motion ends with it and says who is stuck where, and by what. A stage that finds
nothing to gain where it begins ends at once: where it begins is known only once the one before it
has ended, so that this is no fault of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pliant.core.progress import Interrupted, Progress
from pliant.core.written import listed
from pliant.flex.contact.distance import gaps
from pliant.flex.diagnosis.as_drawn import findings_as_drawn
from pliant.flex.diagnosis.contact_forces import ContactForce, contact_shares
from pliant.flex.diagnosis.unbounded import Ending
from pliant.flex.model import Assembly
from pliant.flex.problem.objective import still_faults
from pliant.flex.problem.system import System, system_of_stage
from pliant.flex.result import FlexResult, Frames, StageEnd, Stuck
from pliant.flex.status import FlexStatus
from pliant.flex.stepping.ascent import ascend
from pliant.flex.stepping.perturbation import is_worth_perturbing, perturb_end
from pliant.flex.stepping.step import Configuration, configuration_at
from pliant.flex.stepping.trajectory import Trajectory, without_choices

ARRIVED = 0.01  # of a body's size: so near to its place it has got there
FINER = (1e-2, 1e-4)  # of the tolerance, for those who are not at their places yet
SHOWN = 3  # bodies that are told of


def solve_stages(model: Assembly, first: System, progress: Progress) -> FlexResult:
    """The motion of all stages, up to the first that does not come to its end."""
    results: list[FlexResult] = []
    ends: list[StageEnd] = []
    count, here = len(first.study.stages), configuration_at(first, first.parts.drawn, first.reach, None)
    for stage in range(count):
        system = system_of_stage(model, first, stage, here.poses) if stage else first
        start = configuration_at(system, here.poses, system.reach, without_choices(here.contacts))
        trajectory = Trajectory(model, system, start, looks_far=stage == 0)
        stopped = None
        try:
            result, stuck = _climb(model, trajectory, stage, _stage_progress(progress, stage, count))
        except KeyboardInterrupt as stopped_by:
            stopped, stuck = stopped_by, ()
            result = trajectory.result(Ending(FlexStatus.STEP_LIMIT, note="interrupted"), ranges=False)
        results.append(result)
        ends.append(StageEnd(result.status, result.objective, result.steps, stuck))
        if stopped is not None:
            raise Interrupted(_joined(results, ends, count)) from None
        if not result.status.at_rest:
            break
        here = trajectory.here
    return _joined(results, ends, count)


def _climb(
    model: Assembly, trajectory: Trajectory, stage: int, progress: Progress
) -> tuple[FlexResult, tuple[Stuck, ...]]:
    """One stage as far as it goes, and who is stuck at its end."""
    system = trajectory.system
    wrong = findings_as_drawn(model, system, trajectory.at_start) if stage == 0 else None
    if wrong is not None:
        return trajectory.result(Ending(wrong[0]), **wrong[1]), ()
    unmet = _unmet(system, trajectory.here)
    if unmet:
        return trajectory.result(Ending(FlexStatus.VIOLATED, note=unmet)), ()
    if not system.objective.pulls:
        return _ended_at_once(model, trajectory, stage)
    ending = ascend(system, trajectory, system.study.steps, progress)
    stuck = tuple(_stuck(trajectory, stage)) if ending.status.at_rest else ()
    for finer in FINER if stuck else ():  # of thousands, the last few are little of what all together gain
        closer = system.study.model_copy(update={"tolerance": finer * system.tolerance})
        trajectory.go_on_with(replace(system, study=closer))
        ending = ascend(trajectory.system, trajectory, system.study.steps, progress)
        stuck = tuple(_stuck(trajectory, stage)) if ending.status.at_rest else ()
        if not stuck:
            break
    if stuck and is_worth_perturbing(system, trajectory):
        ending = perturb_end(system, trajectory, ending, progress)
        stuck = tuple(_stuck(trajectory, stage)) if ending.status.at_rest else ()
    if stuck:
        ending = replace(ending, status=FlexStatus.BLOCKED, note=_note(stuck, model.units))
    return trajectory.result(ending), stuck


def _ended_at_once(
    model: Assembly, trajectory: Trajectory, stage: int
) -> tuple[FlexResult, tuple[Stuck, ...]]:
    """A stage whose objective pulls at nothing where it starts: everybody is there, or its terms cancel."""
    stuck = tuple(_stuck(trajectory, stage))
    faults = still_faults(trajectory.system.study.stages[stage].maximize, "")
    reasons = list(dict.fromkeys(fault.problem for fault in faults))
    note = f"there is nothing to gain where it starts: {listed(reasons, '; ', most=SHOWN)}"
    ending = Ending(FlexStatus.CONVERGED, note=note)
    if stuck:
        ending = Ending(FlexStatus.BLOCKED, note=f"{_note(stuck, model.units)}; {note}")
    return trajectory.result(ending), stuck


def _unmet(system: System, here: Configuration) -> str:
    """What holds in a stage and does not where it starts; nothing: all does."""
    joints, poses = system.joints, here.poses
    depth = -np.concatenate([gaps(joints.rows, poses), joints.linear.gaps(poses)])
    source = np.concatenate([joints.rows.source, joints.linear.source])
    worst = np.flatnonzero(depth > system.threshold)
    worst = worst[np.argsort(-depth[worst], kind="stable")]
    if not len(worst):
        return ""
    labels = list(dict.fromkeys(joints.joints[place].label for place in source[worst].tolist()))
    missed = f"missed by {depth[worst[0]]:.4g}"
    return f"where the stage starts, {listed(labels, most=SHOWN)} does not hold ({missed} at most)"


def _stage_progress(progress: Progress, stage: int, count: int) -> Progress:
    return lambda done, total, text: progress(done, total, f"stage {stage + 1} of {count}, {text}")


def _stuck(trajectory: Trajectory, stage: int) -> Iterator[Stuck]:
    """Bodies that are not where they were to go, the furthest off first, and what holds each."""
    system, poses = trajectory.system, trajectory.here.poses
    parts = system.parts
    off: list[tuple[float, str]] = []
    for term in system.study.stages[stage].maximize:
        if term.to is not None:
            body = term.body or ""
            away = float(np.hypot(*(poses[parts.index(body), :2] - np.array(term.to))))
            if away > ARRIVED * parts.size:
                off.append((away, body))
    if not off:
        return
    forces: tuple[ContactForce, ...] = ()
    for last in trajectory.linear_steps[-1:]:  # none where nothing pulled at anybody
        rows = system.rows(last.here.contacts.rows)
        forces = contact_shares(system, rows, last.here.poses, last.program, last.solution, ranges=False)
    for away, body in sorted(off, key=lambda each: -each[0]):
        pressing = [force for force in forces if body in force.bodies and force.kind != "place"]
        pressing.sort(key=lambda force: -force.force)
        holders = [name for force in pressing for name in force.bodies if name != body]
        yield Stuck(body, away, tuple(dict.fromkeys(holders))[:SHOWN])


def _note(stuck: Sequence[Stuck], unit: str) -> str:
    """Who is stuck where, and by what."""
    said = [
        f"{each.body} is {each.distance:.4g} {unit} from its place"
        + (f", held by {listed(list(each.held_by))}" if each.held_by else "")
        for each in stuck[:SHOWN]
    ]
    more = f"; and {len(stuck) - SHOWN} more" if len(stuck) > SHOWN else ""
    return "; ".join(said) + more


def _joined(results: list[FlexResult], ends: list[StageEnd], count: int) -> FlexResult:
    """One result of all stages: the first one's forces and estimate, the last one's end."""
    first, last = results[0], results[-1]
    notes = [
        f"stage {number} of {count}: {result.note}"
        for number, result in enumerate(results, start=1)
        if result.note
    ]
    return replace(
        last,
        objective=sum(result.objective for result in results),
        linear=first.linear,
        steps=sum(result.steps for result in results),
        overlap=max(result.overlap for result in results),
        path_overlap=max(result.path_overlap for result in results),
        rows=first.rows,
        columns=first.columns,
        contacts=first.contacts,
        frames=_joined_frames([result.frames for result in results]),
        solvers=tuple(dict.fromkeys(name for result in results for name in result.solvers)),
        relaxed=max(result.relaxed for result in results),
        stages=tuple(ends),
        note="; ".join(notes),
    )


def _joined_frames(frames: list[Frames]) -> Frames:
    """Frames of one stage after the other, the first of each being the last of the one before."""
    poses, accepted, objective = [frames[0].poses], [frames[0].accepted], [frames[0].objective]
    overlap, violation = [frames[0].overlap], [frames[0].violation]
    gained, last = float(frames[0].objective[-1]), len(frames[0].poses) - 1
    for each in frames[1:]:
        poses.append(each.poses[1:])
        accepted.append(each.accepted[1:] + last)
        objective.append(each.objective[1:] + gained)
        overlap.append(each.overlap[1:])
        violation.append(each.violation[1:])
        gained, last = gained + float(each.objective[-1]), last + len(each.poses) - 1
    return Frames(
        poses=np.concatenate(poses),
        accepted=np.concatenate(accepted),
        objective=np.concatenate(objective),
        overlap=np.concatenate(overlap),
        violation=np.concatenate(violation),
    )
