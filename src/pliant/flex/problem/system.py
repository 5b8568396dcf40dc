"""An assembly and a study compiled together: all that does not change while it moves."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.clock import Clock
from pliant.core.errors import InputError
from pliant.flex.contact.distance import Rows, gaps, gaps_and_blocks
from pliant.flex.contact.insets import Insets
from pliant.flex.contact.neighbours import gap_scale
from pliant.flex.contact.overlap import path_overlap
from pliant.flex.faults import check_study
from pliant.flex.geometry.parts import Parts, compile_parts
from pliant.flex.lp.program import ROUNDING, Program
from pliant.flex.model import Assembly, FlexStudy, Term, held_bodies
from pliant.flex.problem.joints import Joints, compile_joints
from pliant.flex.problem.loads import with_loads
from pliant.flex.problem.objective import Objective, compile_objective, still_faults

ROUNDED = 1e-10  # of a body's size: bodies drawn as near as that touch
RATTLES = 0.05  # of a body's radius: gaps from which parts do
SQRT2 = 2**0.5  # of two rows across each other, as a pivot has, the greater is at least that share


@dataclass(frozen=True)
class System:
    """What the steps of a solve share."""

    parts: Parts
    joints: Joints
    objective: Objective
    study: FlexStudy
    gap: float  # a typical gap between neighbours; 0 where everything touches
    clock: Clock = field(default_factory=Clock)

    @cached_property
    def threshold(self) -> float:
        """The overlap that a step may cause."""
        if self.study.threshold is not None:
            return self.study.threshold
        if self.gap == 0:
            return 1e-5 * self.parts.size
        return max(min(0.01 * self.gap, 1e-3 * self.parts.size), 1e-9 * self.parts.size)

    def joints_on_the_way(self, frames: Floats) -> float:
        """A bound on how far pins, keep regions and sights are violated between frames (F, B + 1, 3)."""
        users = np.zeros_like(frames)
        users[:, :-1] = self.parts.user_poses(frames)
        return SQRT2 * path_overlap(self._user_joints, list(users), 0.2 * self.threshold)

    @cached_property
    def _user_joints(self) -> Rows:
        return self.joints.seen_by_users(self.parts)

    @cached_property
    def insets(self) -> Insets:
        """The bodies less the overlap that is allowed, by which ways are judged."""
        return Insets(self.parts, self.threshold)

    @cached_property
    def reach(self) -> float:
        """How near a contact must be to be a row, to begin with: a few gaps."""
        if self.study.reach is not None:
            return self.study.reach
        return max(6 * self.gap, 0.02 * self.parts.size)

    @cached_property
    def rattles(self) -> bool:
        """Whether gaps are not small against the parts, so that they can get to quite other places."""
        return self.gap > RATTLES * float(np.median(self.parts.radius[self.parts.free]))

    @cached_property
    def least(self) -> float:
        """A gain of the objective that counts as none."""
        return (1e-5 * self.gap or 1e-7 * self.parts.size) * self.weight

    @cached_property
    def weight(self) -> float:
        """What the objective gains, at most, for each unit of length that a body goes."""
        arm = np.array([1.0, 1.0, 1.0 / self.parts.size])
        return float(np.abs(self.objective.weights(self.parts.drawn) * arm).max())

    @cached_property
    def tolerance(self) -> float:
        """The relative gain below which the motion has converged.

        In large assemblies each further step moves a few contacts on, for less than what the
        overlap that a step may leave is worth.
        """
        if self.study.tolerance is not None:
            return self.study.tolerance
        return 1e-4 if len(self.parts.free) <= 100 else 2e-3

    @cached_property
    def _same(self) -> float:
        """What a pivot must add to the others to count, as the drawn pose has them."""
        from pliant.flex.lp.dependent import least_pivot

        pivots, moving = self.joints.pivots, self.parts.moving
        pairs = moving[np.stack([pivots.edge_body, pivots.point_body], axis=1)]
        distance, blocks = gaps_and_blocks(pivots, self.parts.drawn)
        blocks[pairs < 0] = 0.0
        free = len(self.parts.free)
        nothing = np.zeros((free, 3))
        equal = np.ones(len(pairs), np.bool_)
        centres = self.parts.drawn[self.parts.free, :2]
        return least_pivot(Program(pairs, blocks, distance, equal, nothing, nothing, centres), self.threshold)

    def rows(self, contacts: Rows) -> Rows:
        """Contacts, then joints, then pivots: the geometric rows of the program, in its order."""
        return Rows.join(contacts, self.joints.rows, self.joints.pivots)

    def gaps(self, rows: Rows, poses: Floats) -> Floats:
        """D of geometric and linear rows, in the program's order."""
        return np.concatenate([gaps(rows, poses), self.joints.linear.gaps(poses)])

    def violation(self, contacts: Rows, poses: Floats) -> float:
        """How far the worst row is violated: 0 when none is."""
        rows = self.rows(contacts)
        depth = -self.gaps(rows, poses)
        pivots = slice(len(rows) - len(self.joints.pivots), len(rows))
        depth[pivots] = np.repeat(np.hypot(*depth[pivots].reshape(-1, 2).T), 2)  # two rows a pivot
        return float(depth.max(initial=0.0))

    def program(self, contacts: Rows, poses: Floats, bound: Floats) -> Program:
        """Equation 11 at these poses, |Δq| ≤ bound (M, 3) on the moving bodies."""
        rows, parts, linear = self.rows(contacts), self.parts, self.joints.linear
        distance, blocks = gaps_and_blocks(rows, poses)
        pairs = parts.moving[np.stack([rows.edge_body, rows.point_body], axis=1)]
        pairs = np.concatenate([pairs, parts.moving[linear.bodies]])
        blocks = np.concatenate([blocks, linear.blocks])
        blocks[pairs < 0] = 0.0
        equal = np.zeros(len(pairs), np.bool_)
        equal[len(rows) - len(self.joints.pivots) : len(rows)] = True
        return Program(
            pairs=pairs,
            blocks=blocks,
            gaps=np.concatenate([distance, linear.gaps(poses)]),
            equal=equal,
            cost=self.objective.weights(poses)[parts.free],
            bound=bound,
            centres=poses[parts.free, :2],
            same=self._same if len(self.joints.pivots) else ROUNDING,
        )

    def program_moved(self, program: Program, rows: Rows, poses: Floats) -> Program:
        """A program of these geometric rows at other poses: its distances and their gradients."""
        distance, blocks = gaps_and_blocks(rows, poses)
        blocks[program.pairs[: len(rows)] < 0] = 0.0
        linear = self.joints.linear
        if not len(linear.offset):
            return replace(program, blocks=blocks, gaps=distance)
        blocks = np.concatenate([blocks, program.blocks[len(rows) :]])
        return replace(program, blocks=blocks, gaps=np.concatenate([distance, linear.gaps(poses)]))


def compile_system(model: Assembly, study: FlexStudy) -> System:
    """Arrays for a solve, of its first stage, or an InputError where nothing can change what is asked for."""
    check_study(study, *held_bodies(model))
    study = with_loads(model, study)
    parts = compile_parts(model)
    objective, joints = _compile_stage(model, study, parts, 0, parts.drawn)
    if not objective.pulls:
        where = "study.stages[0].maximize" if study.stages else "study.maximize"
        raise InputError(still_faults(_terms(study, 0), where))
    clearances = [pin.clearance for pin in model.pins if pin.clearance > 0]
    own = any(body.clearance is not None for body in model.bodies)
    gap = gap_scale(parts, 0.0 if own else model.clearance) or min(clearances, default=0.0)
    if gap < ROUNDED * parts.size:
        gap = 0.0
    return System(parts, joints, objective, study, gap)


def system_of_stage(model: Assembly, system: System, stage: int, start: Floats) -> System:
    """The system of a stage that starts at poses (B + 1, 3), where its objective may pull at nothing."""
    objective, joints = _compile_stage(model, system.study, system.parts, stage, start)
    return System(system.parts, joints, objective, system.study, system.gap, system.clock)


def _model_of_stage(model: Assembly, study: FlexStudy, stage: int) -> Assembly:
    """The model with what a stage holds besides it."""
    if not study.stages:
        return model
    held = study.stages[stage]
    added = {"keep": (*model.keep, *held.keep), "limits": (*model.limits, *held.limits)}
    return model.model_copy(update=added)


def _compile_stage(
    model: Assembly, study: FlexStudy, parts: Parts, stage: int, start: Floats
) -> tuple[Objective, Joints]:
    joints = compile_joints(_model_of_stage(model, study, stage), parts)
    return compile_objective(_terms(study, stage), parts, joints, start)


def _terms(study: FlexStudy, stage: int) -> tuple[Term, ...]:
    return study.stages[stage].maximize if study.stages else study.maximize
