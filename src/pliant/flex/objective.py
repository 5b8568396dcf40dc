"""What is maximised, as a number of a pose and as the weights c of eq. 11 at that pose.

A body along a direction (of its centroid, or of a point of it), spin, every body away from a
centre, every body towards a line; weighted and added. Each is zero at the drawn pose.

Source: [Lensgraf2020] eq. 11, Fig. 5 (radial), Fig. 7 (gather).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.errors import Fault, InputError
from pliant.core.pose import Floats, turn
from pliant.flex.distance import Ints
from pliant.flex.joints import Joint, Joints, Linear, join_linear
from pliant.flex.model import FlexStudy, Term
from pliant.flex.parts import Parts


@dataclass(frozen=True)
class Objective:
    """Σ weight·(constant part + travel of points along directions)."""

    linear: Floats  # (B + 1, 3) weights on the poses themselves
    body: Ints  # (T,) bodies of terms that follow a point
    point: Floats  # (T, 2) in centroid frames
    direction: Floats  # (T, 2) world, times the weight
    drawn: float  # what the above give at the drawn pose

    def value(self, poses: Floats) -> float:
        """How much has been gained since the drawn pose."""
        return self._raw(poses) - self.drawn

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


def compile_objective(study: FlexStudy, parts: Parts, joints: Joints) -> tuple[Objective, Joints]:
    """The objective, and the joints with the rows that gathering needs."""
    if not study.maximize:
        cure = 'Add maximize = [{ body = "…", direction = [1, 0] }] to [study], or use --move'
        raise InputError([Fault("study.maximize", "names nothing to maximise", cure)])
    linear = np.zeros((parts.count + 1, 3))
    followed: list[tuple[int, Floats, Floats]] = []
    for term in study.maximize:
        if term.direction is not None and term.point is not None:
            body = parts.index(term.body or "")
            local = parts.origins[body] + np.array(term.point)
            followed.append((body, local, term.weight * np.array(term.direction)))
        else:
            linear += _linear_part(term, parts)
        if term.gather is not None:
            joints = _with_gather(term, parts, joints)
    body, point, direction = zip(*followed, strict=True) if followed else ((), (), ())
    made = (linear, np.array(body, np.int64), np.reshape(point, (-1, 2)), np.reshape(direction, (-1, 2)))
    return Objective(*made, drawn=Objective(*made, drawn=0.0).value(parts.drawn)), joints


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
        weights[:-1, :2] = np.divide(away, distance, out=np.zeros_like(away), where=distance > 0)
    else:
        axis, side = _sides(term, parts)
        weights[:-1, :2] = -side[:, None] * axis
        weights[parts.index(term.gather or ""), :2] = side.sum() * axis
    return term.weight * weights


def _sides(term: Term, parts: Parts) -> tuple[Floats, Floats]:
    """The axis, and on which side of the line through the leader each moving body is: −1, 0, 1."""
    axis = np.array(term.axis) / np.hypot(*term.axis)
    offset = (parts.drawn[:-1, :2] - parts.drawn[parts.index(term.gather or ""), :2]) @ axis
    apart = (np.abs(offset) > 1e-12 * parts.extent) & (parts.moving[:-1] >= 0)
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
