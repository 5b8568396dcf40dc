"""Trace: run a linkage through its motors' path, as far as it goes, and say what it met.

Source: [Bacher2015Supplement] section 1; what it leaves out (limits, change points, coupled
groups) is in `limits`, `follow` and `coupled` of `kinematics`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.clock import Clock
from pliant.core.errors import Fault, InputError
from pliant.core.loops import run_loops
from pliant.core.progress import Progress, silent
from pliant.linkage.analysis.dimension_sensitivity import dimensions, tolerances
from pliant.linkage.kinematics.drive import MotorDrive, motor_drive
from pliant.linkage.kinematics.limits import motion_range, poses_at
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import POSE_AS_PYTHON, LinkagePoses, rates
from pliant.linkage.kinematics.reach import INFINITE, UNFINISHED, MotionRange
from pliant.linkage.model import Linkage, TraceStudy
from pliant.linkage.result import TraceResult
from pliant.linkage.status import TraceStatus
from pliant.linkage.structure.constraints import errors
from pliant.linkage.structure.rule_plan import RulePlan

INSIDE = 1e-9  # of the reach: how far from a limit the last pose is taken, where rates are finite
BESIDE = 1e-6  # of the path: how far from a change point a pose is taken
FAR = 10.0  # sizes from the drawing: how far off a joint is shown that runs off to infinity
RATIO, TURNS = 1.1, 200  # steps towards such an end, each a share nearer
LONGEST = 1e5  # radians, or sizes of the linkage, times joints: the way of a motor
HOLDS = 1e-8  # of the size: how far spare links may be from fitting


def solve(model: Linkage, study: TraceStudy | None = None, progress: Progress = silent) -> TraceResult:
    """Positions, rates and limits of a linkage along its motors' path."""
    study = study or model.study.for_command("trace")
    with run_loops("linkage", POSE_AS_PYTHON * study.samples * len(model.joints), progress):
        return _trace(model, study, progress)


def _trace(model: Linkage, study: TraceStudy, progress: Progress) -> TraceResult:
    clock = Clock()
    with clock.phase("order"):
        plan, path = prepare(model, study)
    with clock.phase("limits"):
        progress(0, 2, "looking for limits")
        reached = _range_of_motion(plan, path, study.branch == "smooth")
    with clock.phase("positions"):
        progress(1, 2, "running")
        t = _beside_changes(sample_parameters(path, _shown_range(plan, path, reached)), reached)
        poses = poses_at(plan, path, reached, t)
        t = t[: poses.x.shape[2]]
        v, a = rates(poses, *path.rates(t))
        error = float(errors(plan.structure.rows, poses.drawn, poses.points).max(initial=0.0))
    status = _status(plan, reached, poses, error)
    return TraceResult(status, model, study, path, reached, t, poses, v, a, error, clock.seconds)


def prepare(model: Linkage, study: TraceStudy) -> tuple[RulePlan, MotorDrive]:
    """The order of rules and the motors' path, or an InputError with what cannot be run."""
    plan, path = compile_plan(model), motor_drive(model, study.samples)
    _refuse_endless_path(plan, path)
    if study.tolerances and not plan.redundancy:
        tolerances(dimensions(plan), study.tolerance, study.tolerances)  # of dimensions that it has
    return plan, path


def _refuse_endless_path(plan: RulePlan, path: MotorDrive) -> None:
    """Limits are looked for cell by cell; a path of very many takes more memory than a machine has."""
    travel = np.abs(np.diff(path.at_knots, axis=1)).sum(axis=1)
    longest = LONGEST * plan.structure.spans / len(plan.drawn)
    for motor in np.flatnonzero(travel > longest).tolist():
        problem = f"goes {travel[motor]:.4g} in all, and limits are looked for up to {longest[motor]:.4g}"
        raise InputError([Fault(f"motors[{motor}]", problem, "Give fewer turns, or a shorter way")])


def _range_of_motion(plan: RulePlan, path: MotorDrive, smooth: bool) -> MotionRange:
    """The reach; spare links that break on the drawn side of a change point say that it goes straight on."""
    reached = motion_range(plan, path, smooth)
    if smooth or not (plan.redundancy and reached.changes):
        return reached
    return motion_range(plan, path, True) if _redundant_links_break(plan, path, reached) else reached


def _redundant_links_break(plan: RulePlan, path: MotorDrive, reached: MotionRange) -> bool:
    """Whether spare links do not fit somewhere on the way."""
    poses = poses_at(plan, path, reached, _beside_changes(sample_parameters(path, reached), reached))
    return bool(
        errors(plan.redundant, poses.drawn, poses.points).max(initial=0.0) > HOLDS * plan.structure.size
    )


def sample_parameters(path: MotorDrive, reached: MotionRange) -> Floats:
    """The poses to show: those asked for, or as many over what can be reached."""
    requested = path.samples
    if not reached.limits:
        return requested
    inset = INSIDE * (reached.high - reached.low)
    low = reached.low + (inset if reached.below else 0.0)
    high = reached.high - (inset if reached.above else 0.0)
    if (
        reached.high < 0.0 or path.lowest < 0.0 <= path.origin
    ):  # not even led to its range, or free to turn either way
        return np.linspace(low, high, len(requested))
    inner = requested[(requested > low) & (requested < high)]
    return np.unique(np.concatenate([[max(low, 0.0)], inner, [max(high, 0.0)]]))


def _shown_range(plan: RulePlan, path: MotorDrive, reached: MotionRange) -> MotionRange:
    """The part of the reach in which no joint is too far off to be shown, where some run off to infinity."""
    low, high = reached.low, reached.high
    away: Floats = RATIO ** np.arange(
        -TURNS, 1, dtype=np.float64
    )  # of the way from the drawn pose, the nearest to the end first
    if reached.above is not None and reached.above.how == INFINITE:
        t = high - away * (high - max(reached.origin, low))
        high = _last_near(plan, path, reached, t[::-1])
    if reached.below is not None and reached.below.how == INFINITE:
        t = low + away * (min(reached.origin, high) - low)
        low = _last_near(plan, path, reached, t[::-1])
    return replace(reached, low=low, high=high)


def _last_near(plan: RulePlan, path: MotorDrive, reached: MotionRange, t: Floats) -> float:
    """The last of t, which leads from the drawn pose to infinity, before a joint is too far off."""
    order = np.argsort(t)
    x = poses_at(plan, path, reached, t[order]).x
    reaches = np.zeros(len(t))
    away = x[plan.structure.own] - plan.structure.centre[:, None]
    far = np.abs(away).max(axis=(0, 1)) / plan.structure.size
    reaches[order[: len(far)]] = far
    beyond = np.flatnonzero(~(reaches <= FAR))
    return float(t[max(int(beyond[0]) - 1, 0)] if len(beyond) else t[-1])


def _beside_changes(t: Floats, reached: MotionRange) -> Floats:
    """Poses just past change points instead of at them, where there are no rates."""
    at = np.array([change.t for change in reached.changes])
    hit = (np.abs(t[:, None] - at) < BESIDE).any(axis=1)
    return np.where(hit, np.where(t + BESIDE <= reached.high, t + BESIDE, t - BESIDE), t)


def _status(plan: RulePlan, reached: MotionRange, poses: LinkagePoses, error: float) -> TraceStatus:
    stops = reached.limits
    if error > HOLDS * plan.structure.size:
        return TraceStatus.LOCKED if plan.redundancy else TraceStatus.LOST
    if any(stop.how == "lost" for stop in stops):
        return TraceStatus.LOST
    if any(stop.how == UNFINISHED for stop in stops):
        return TraceStatus.WORK_LIMIT
    if stops:
        off = all(stop.how == INFINITE for stop in stops)
        return TraceStatus.UNBOUNDED if off else TraceStatus.LIMITED
    return TraceStatus.CHANGE_POINTS if reached.changes else TraceStatus.RUNS
