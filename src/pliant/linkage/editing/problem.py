"""An edit compiled: what does not change while it is solved, and what one drawing does."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pliant.core.arrays import Bools, Floats
from pliant.core.errors import InputError
from pliant.linkage.editing.guards import Guards, edit_guards, openness_at
from pliant.linkage.editing.keeps import Keeps, hard_keeps, refuse_unkept
from pliant.linkage.editing.requests import edit_terms
from pliant.linkage.editing.terms import EditTerm, EditView, evaluate_poses
from pliant.linkage.kinematics.coupled import determinants
from pliant.linkage.kinematics.drive import MotorDrive, motor_drive
from pliant.linkage.kinematics.limits import motion_range, poses_at
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import LinkagePoses, jacobian, positions
from pliant.linkage.kinematics.reach import MotionRange
from pliant.linkage.model import EditStudy, Linkage
from pliant.linkage.structure.constraints import errors
from pliant.linkage.structure.rule_plan import RulePlan
from pliant.linkage.structure.sides import sides

INSET = 0.02  # of the reach: how far from a limit that the drawing has the cycle is watched
FITS = 1e-7  # of the size: how far spare links may be from fitting
MENDINGS = 3  # tries to bring a drawing back inside the guards
FAR = 0.05  # of the size: what is farther off is not brought back
LEAST = 0.3  # of what it was as drawn: how small a coupled group's determinant may become
NEARLY = 1.5  # times that: where it holds a drawing back


@dataclass(frozen=True)
class Problem:
    """Targets, keeps and guards over the sampled cycle."""

    plan: RulePlan
    drive: MotorDrive
    reached: MotionRange  # of the drawing
    t: Floats  # (F,) the cycle, sampled
    terms: list[EditTerm]
    keeps: Keeps
    guards: Guards
    branches: list[Floats]  # (F,) determinants of each coupled group, as drawn
    size: float


@dataclass(frozen=True)
class EditState:
    """A drawing and what it does."""

    drawn: Floats  # (N, 2)
    sampled: LinkagePoses
    view: EditView
    c: Floats  # (K, F)
    misses: Floats  # (T,) the largest residual of each term, in lengths
    r: Floats  # (m,) weighted residuals, without unit
    slopes: Floats  # (m, 2N) by drawn positions over the size
    soft: Bools  # (m,) residuals of keeps, which give way to targets

    def faded_residuals(self, fade: float) -> tuple[Floats, Floats]:
        """Residuals and slopes with those of keeps faded."""
        share = np.where(self.soft, fade, 1.0)
        return share * self.r, share[:, None] * self.slopes


def prepare(model: Linkage, study: EditStudy, samples: int) -> tuple[Problem, EditState] | None:
    """The edit of a linkage; None where the linkage does not run through one well-defined cycle."""
    plan = compile_plan(model)
    path = motor_drive(model, samples)
    reached = motion_range(plan, path)
    t = path.samples
    if reached.limits:
        inset = INSET * (reached.high - reached.low)
        t = np.linspace(reached.low + inset, reached.high - inset, samples)
        path = replace(path, closed=False)
    poses = poses_at(plan, path, reached, t)
    if poses.x.shape[2] < len(t) or reached.changes:
        return None
    requested = edit_terms(model, study, plan.structure.pins, path, t, poses)
    kept = hard_keeps(model, study, plan.structure)
    branches = [determinants(group, poses.drawn, poses.x) for group in plan.groups]
    guarded = edit_guards(plan, study, openness_at(poses, len(t)), path.closed)
    problem = Problem(plan, path, reached, t, requested, kept, guarded, branches, plan.structure.size)
    state = evaluate_state(problem, poses)
    start = kept.restore(plan.drawn)
    refuse_unkept(kept, start)
    first = state if start is plan.drawn else try_drawing(problem, state, start)
    if first is None:
        refuse_unkept(kept, plan.drawn)
    return problem, first or state


def try_drawing(problem: Problem, state: EditState, drawn: Floats) -> EditState | None:
    """What another drawing does; None where it breaks a guard, changes a side or loses a branch."""
    plan = problem.plan
    if not np.array_equal(sides(plan.ops, drawn), plan.signs):
        return None
    near = state.sampled.x if plan.groups else None
    poses = positions(plan, problem.drive.angles(problem.t), drawn, near)
    if problem.guards.are_broken(drawn, openness_at(poses, len(problem.t))):
        return None
    if len(plan.redundant) and errors(plan.redundant, drawn, poses.points).max() > FITS * problem.size:
        return None
    for group, before in zip(plan.groups, problem.branches, strict=True):
        now = determinants(group, drawn, poses.x)
        if (np.sign(now) != np.sign(before)).any() or np.abs(now).min() < LEAST * np.abs(before).min():
            return None
    return evaluate_state(problem, poses)


def groups_near_toggle(problem: Problem, state: EditState) -> list[tuple[str, float]]:
    """The coupled groups that are as near to a toggle as they may come, by name, and at which t."""
    near_toggle: list[tuple[str, float]] = []
    for group, before in zip(problem.plan.groups, problem.branches, strict=True):
        now = np.abs(determinants(group, state.drawn, state.sampled.x))
        if now.min() < NEARLY * LEAST * np.abs(before).min():
            near_toggle.append((", ".join(problem.plan.joint_names(group)), float(problem.t[np.argmin(now)])))
    return near_toggle


def repair(problem: Problem, state: EditState, drawn: Floats, inside: float) -> EditState | None:
    """What a drawing does that was moved back inside the guards by the least change; None where it is not."""
    plan, free, size = problem.plan, problem.keeps.free, problem.size
    for _ in range(MENDINGS):
        if not np.array_equal(sides(plan.ops, drawn), plan.signs):
            return None
        near = state.sampled.x if plan.groups else None
        poses = positions(plan, problem.drive.angles(problem.t), drawn, near)
        view = EditView(poses, jacobian(poses), len(problem.t))
        rows, over = problem.guards.violations(view, openness_at(poses, len(problem.t)), inside)
        rows, over = (part if np.isfinite(rows).all() else part[:0] for part in (rows, over))
        if not len(over):
            return None
        step = np.zeros(drawn.size)
        step[free] = np.linalg.lstsq(rows[:, free], -over, rcond=1e-10)[0]
        if np.abs(step).max() > FAR * size:
            return None
        drawn = problem.keeps.restore(drawn + step.reshape(drawn.shape))
        repaired = try_drawing(problem, state, drawn)
        if repaired is not None:
            return repaired
    return None


def runs_as_before(problem: Problem, edited: Linkage) -> bool:
    """Whether an edited linkage runs as far as the drawn one did, at every angle."""
    try:
        plan = compile_plan(edited)
    except InputError:  # spare links no longer fit
        return False
    old, new = problem.reached, motion_range(plan, problem.drive)
    if new.changes:
        return False
    inset = INSET * (old.high - old.low)
    below = new.below is None or (old.below is not None and new.low <= old.low + inset)
    above = new.above is None or (old.above is not None and new.high >= old.high - inset)
    return below and above


def evaluate_state(problem: Problem, poses: LinkagePoses) -> EditState:
    """What a drawing at these poses does."""
    view, moments = evaluate_poses(problem.terms, poses, problem.drive, problem.t)
    c = openness_at(view.poses, view.count)
    term_residuals = [term.residuals(view, at) for term, at in zip(problem.terms, moments, strict=True)]
    scales = [
        term.weight / (problem.size * np.sqrt(max(term.count(r), 1)))
        for term, (r, _) in zip(problem.terms, term_residuals, strict=True)
    ]
    pull = problem.guards.restoring_residuals(view, c)
    scaled = [*zip(scales, term_residuals, strict=True), (1 / np.sqrt(max(len(pull[0]), 1)), pull)]
    kept = [*(term.kept for term in problem.terms), False]
    return EditState(
        drawn=poses.drawn,
        sampled=poses,
        view=view,
        c=c,
        misses=np.array(
            [term.worst_distance(r) for term, (r, _) in zip(problem.terms, term_residuals, strict=True)]
        ),
        r=np.concatenate([scale * r for scale, (r, _) in scaled]),
        slopes=np.concatenate([scale * problem.size * slopes for scale, (_, slopes) in scaled]),
        soft=np.repeat(kept, [len(r) for _, (r, _) in scaled]),
    )
