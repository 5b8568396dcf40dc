"""What is maximised, as a number of a pose and as the weights c of eq. 11 at that pose.

A body along a direction (of its centroid, or of a point of it), spin, every body away from a
centre, every body towards a line; weighted and added. Each is zero at the drawn pose.

Source: [Lensgraf2020] eq. 11, Fig. 5 (radial), Fig. 7 (gather).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.errors import Fault, InputError
from pliant.core.pose import turn
from pliant.flex.geometry.parts import Parts
from pliant.flex.model import FlexStudy, Term
from pliant.flex.problem.joints import Joint, Joints, Linear, join_linear


@dataclass(frozen=True)
class Objective:
    """Σ weight·(constant part + travel of points along directions)."""

    linear: Floats  # (B + 1, 3) weights on the poses themselves
    body: Ints  # (T,) bodies of terms that follow a point
    point: Floats  # (T, 2) in centroid frames
    direction: Floats  # (T, 2) world, times the weight
    drawn: float  # what the above give at the drawn pose
    spin: Floats | None = None  # (B + 1,) weights of turns, where travel is asked for as well
    turned: float = 0.0  # what these give at the drawn pose

    def value(self, poses: Floats) -> float:
        """How much has been gained since the drawn pose."""
        return self._raw(poses) - self.drawn

    def values(self, frames: Floats) -> Floats:
        """The same of many poses (F, B + 1, 3), (F,)."""
        points = frames[:, self.body, :2] + turn(frames[:, self.body, 2], self.point)
        travel = np.einsum("fbk,bk->f", frames, self.linear)
        return travel + np.einsum("ftk,tk->f", points, self.direction) - self.drawn

    def size(self, poses: Floats) -> float:
        """How much has been gained, without its sign; the less of travel and turns, where both are asked for.

        Thousands of millimetres do not make a few radians more nothing.
        """
        value = self.value(poses)
        if self.spin is None:
            return abs(value)
        turns = float(self.spin @ poses[:, 2]) - self.turned
        return min(abs(turns), abs(value - turns))

    def weights(self, poses: Floats) -> Floats:
        """Its gradient, (B + 1, 3)."""
        weights = self.linear.copy()
        arm = turn(poses[self.body, 2], self.point)
        torque = arm[:, 0] * self.direction[:, 1] - arm[:, 1] * self.direction[:, 0]
        for body, push, twist in zip(self.body, self.direction, torque, strict=True):
            weights[body] += (*push, twist)
        return weights

    def _raw(self, poses: Floats) -> float:
        points = poses[self.body, :2] + turn(poses[self.body, 2], self.point)
        return float((self.linear * poses).sum() + (self.direction * points).sum())


LEAST = 1e-9  # of the assembly's extent: nearer to a centre or a line, a body is on it


def compile_objective(study: FlexStudy, parts: Parts, joints: Joints) -> tuple[Objective, Joints]:
    """The objective, and the joints with the rows that gathering needs."""
    linear, sizes = np.zeros((2, parts.count + 1, 3))
    followed: list[Objective] = []
    for term in study.maximize:
        made = _term(term, parts)
        linear += made.linear
        sizes += np.abs(made.weights(parts.drawn))
        followed.append(made)
        if term.gather is not None:
            joints = _with_gather(term, parts, joints)
    joined = [
        np.concatenate([getattr(one, key) for one in followed]) for key in ("body", "point", "direction")
    ]
    objective = Objective(linear, *joined, drawn=Objective(linear, *joined, drawn=0.0).value(parts.drawn))
    _check_gradient(study, parts, objective, sizes)
    if len({term.spin is None for term in study.maximize}) > 1:
        turned = float(linear[:, 2] @ parts.drawn[:, 2])
        objective = replace(objective, spin=linear[:, 2].copy(), turned=turned)
    return objective, joints


def _term(term: Term, parts: Parts) -> Objective:
    """One term as an objective of its own, not yet zero at the drawn pose."""
    nowhere = np.zeros((parts.count + 1, 3))
    name = term.body or ""
    if term.direction is not None and (term.point is not None or not parts.alone(name)):
        body = parts.index(name)
        centre = parts.members.centre[parts.member(name)]
        local = centre if term.point is None else parts.local(name, term.point)
        return Objective(
            nowhere, np.array([body]), local[None], term.weight * np.array([term.direction]), 0.0
        )
    none = np.zeros((0, 2))
    return Objective(_linear_part(term, parts), np.zeros(0, np.int64), none, none, 0.0)


def _check_gradient(study: FlexStudy, parts: Parts, objective: Objective, sizes: Floats) -> None:
    """Refuse an objective that no motion changes from the drawn pose, to first order.

    `sizes` (B + 1, 3) are the weights of the terms without their signs.
    """
    gradient = np.abs(objective.weights(parts.drawn)) > 1e-12 * sizes
    if gradient[parts.free].any():
        return
    faults = [_zero_term_fault(place, term) for place, term in enumerate(study.maximize)]
    if None in faults:
        problem = (
            "its terms cancel each other: no motion from the drawn pose changes their sum, to first order"
        )
        faults = [Fault("study.maximize", problem, "Leave one of them out, or weigh them otherwise")]
    raise InputError([fault for fault in faults if fault])


def _zero_term_fault(place: int, term: Term) -> Fault | None:
    """What to say of a term that is zero because of where the bodies are drawn."""
    if term.radial is not None:
        problem = "every body that moves is drawn at this very centre, and none is away from it"
        return Fault(f"study.maximize[{place}].radial", problem, "Choose another centre, or a direction")
    if term.gather is not None:
        problem = f"every body that moves stands on the line through {term.gather!r} already"
        return Fault(f"study.maximize[{place}].gather", problem, "Choose another axis, or another body")
    return None


def _linear_part(term: Term, parts: Parts) -> Floats:
    weights = np.zeros((parts.count + 1, 3))
    centres = parts.drawn[:-1, :2]
    if term.direction is not None:
        weights[parts.index(term.body or ""), :2] = term.direction
    elif term.spin is not None:
        weights[parts.index(term.body or ""), 2] = term.spin
    elif term.radial is not None:
        away = centres - np.array(term.radial)
        distance = np.hypot(*away.T)[:, None]
        off = distance > LEAST * parts.extent
        weights[:-1, :2] = np.divide(away, distance, out=np.zeros_like(away), where=off)
    else:
        axis, side = _sides(term, parts)
        weights[:-1, :2] = -side[:, None] * axis
        weights[parts.index(term.gather or ""), :2] = side.sum() * axis
    return term.weight * weights


def _sides(term: Term, parts: Parts) -> tuple[Floats, Floats]:
    """The axis, and on which side of the line through the leader each moving body is: −1, 0, 1."""
    axis = np.array(term.axis) / np.hypot(*term.axis)
    offset = (parts.drawn[:-1, :2] - parts.drawn[parts.index(term.gather or ""), :2]) @ axis
    apart = (np.abs(offset) > LEAST * parts.extent) & (parts.moving[:-1] >= 0)
    return axis, np.where(apart, np.sign(offset), 0.0)


def _with_gather(term: Term, parts: Parts, joints: Joints) -> Joints:
    """Nobody crosses the line, so that Σ|offset| stays linear: side·axis·(x − leader) ≥ 0.

    Who stands on the line stays on it: both sides at once.
    """
    axis, side = _sides(term, parts)
    leader = parts.index(term.gather or "")
    moving = np.flatnonzero((parts.moving[:-1] >= 0) & (np.arange(parts.count) != leader))
    on_line = moving[side[moving] == 0]
    followers = np.concatenate([moving, on_line])
    signs = np.where(side[followers] != 0, side[followers], 1.0)
    signs[len(moving) :] = -1.0
    blocks = np.zeros((len(followers), 2, 3))
    blocks[:, 0, :2] = signs[:, None] * axis
    blocks[:, 1, :2] = -blocks[:, 0, :2]
    bodies = np.stack([followers, np.full(len(followers), leader)], axis=1)
    source = np.full(len(followers), len(joints.joints))
    rows = Linear(bodies, blocks, np.zeros(len(followers)), source)
    joint = Joint("gather", (term.gather or "",), f"line through {term.gather}")
    return Joints(
        (*joints.joints, joint),
        joints.rows,
        joints.pivots,
        join_linear([joints.linear, rows]),
        joints.pin_error,
    )
