"""What is maximised, as a number of a pose and as the weights c of eq. 11 at that pose.

A body along a direction (of its centroid, or of a point of it), spin, every body away from a
centre, every body towards a line, a body to a place; weighted and added. Each is zero where the
motion starts: at the drawn pose, or where the stage before ended.

Source: [Lensgraf2020] eq. 11, Fig. 5 (radial), Fig. 7 (gather).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.errors import Fault
from pliant.core.pose import turn
from pliant.flex.geometry.parts import Parts
from pliant.flex.model import Term
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
    pulls: bool = True  # whether any motion changes it from its start, to first order

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


SETTLED = 1e-3  # of a body's size: so near to its place along an axis, a body is there
EDGE = 1.001  # times that: who is led to a place ends this far past it, give or take rounding, and is there
LEAST = 1e-9  # of the assembly's extent: nearer to a centre or a line, a body is on it


def compile_objective(
    terms: tuple[Term, ...], parts: Parts, joints: Joints, start: Floats
) -> tuple[Objective, Joints]:
    """The objective of a motion from `start` (B + 1, 3), and the joints with the rows that its terms need."""
    linear, sizes = np.zeros((2, parts.count + 1, 3))
    followed: list[Objective] = []
    for term in terms:
        if term.to is not None:  # thousands of robots have a place each: no array of all for every one
            body = parts.index(term.body or "")
            pull = -term.weight * _sides_of_place(term, parts, start)
            linear[body, :2] += pull
            sizes[body, :2] += np.abs(pull)
            continue
        made = _term(term, parts, start)
        linear += made.linear
        sizes += np.abs(made.weights(start))
        followed.append(made)
        if term.gather is not None:
            joints = _with_gather(term, parts, joints, start)
    joints = _with_places(terms, parts, joints, start)
    nothing = Objective(linear, np.zeros(0, np.int64), np.zeros((0, 2)), np.zeros((0, 2)), 0.0)
    joined = [
        np.concatenate([getattr(one, key) for one in (nothing, *followed)])
        for key in ("body", "point", "direction")
    ]
    objective = Objective(linear, *joined, drawn=Objective(linear, *joined, drawn=0.0).value(start))
    gradient = np.abs(objective.weights(start)) > 1e-12 * sizes  # of the terms without their signs
    objective = replace(objective, pulls=bool(gradient[parts.free].any()))
    if len({term.spin is None for term in terms}) > 1:
        turned = float(linear[:, 2] @ start[:, 2])
        objective = replace(objective, spin=linear[:, 2].copy(), turned=turned)
    return objective, joints


def _term(term: Term, parts: Parts, start: Floats) -> Objective:
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
    return Objective(_linear_part(term, parts, start), np.zeros(0, np.int64), none, none, 0.0)


def still_faults(terms: tuple[Term, ...], where: str) -> list[Fault]:
    """Why no motion changes an objective from its start, to first order; `where` is the key of its terms."""
    faults = [_zero_term_fault(f"{where}[{place}]", term) for place, term in enumerate(terms)]
    if None in faults:
        problem = "its terms cancel each other: no motion from here changes their sum, to first order"
        return [Fault(where, problem, "Leave one of them out, or weigh them otherwise")]
    return [fault for fault in faults if fault]


def _zero_term_fault(where: str, term: Term) -> Fault | None:
    """What to say of a term that is zero because of where the bodies are."""
    if term.radial is not None:
        problem = "every body that moves is at this very centre, and none is away from it"
        return Fault(f"{where}.radial", problem, "Choose another centre, or a direction")
    if term.gather is not None:
        problem = f"every body that moves stands on the line through {term.gather!r} already"
        return Fault(f"{where}.gather", problem, "Choose another axis, or another body")
    if term.to is not None:
        problem = f"{term.body!r} is there already"
        return Fault(f"{where}.to", problem, "Choose another place, or leave the term out")
    return None


def _linear_part(term: Term, parts: Parts, start: Floats) -> Floats:
    weights = np.zeros((parts.count + 1, 3))
    centres = start[:-1, :2]
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
        axis, side = _sides(term, parts, start)
        weights[:-1, :2] = -side[:, None] * axis
        weights[parts.index(term.gather or ""), :2] = side.sum() * axis
    return term.weight * weights


def _sides(term: Term, parts: Parts, start: Floats) -> tuple[Floats, Floats]:
    """The axis, and on which side of the line through the leader each moving body is: −1, 0, 1."""
    axis = np.array(term.axis) / np.hypot(*term.axis)
    offset = (start[:-1, :2] - start[parts.index(term.gather or ""), :2]) @ axis
    apart = (np.abs(offset) > LEAST * parts.extent) & (parts.moving[:-1] >= 0)
    return axis, np.where(apart, np.sign(offset), 0.0)


def _sides_of_place(term: Term, parts: Parts, start: Floats) -> Floats:
    """On which sides of its place a body is along x and y: −1, 0 where it is there already, 1."""
    off = _off_place(term, parts, start)
    return np.where(np.abs(off) > EDGE * SETTLED * parts.size, np.sign(off), 0.0)


def _off_place(term: Term, parts: Parts, start: Floats) -> Floats:
    return start[parts.index(term.body or ""), :2] - np.array(term.to)


def _with_places(terms: tuple[Term, ...], parts: Parts, joints: Joints, start: Floats) -> Joints:
    """Nobody goes past its place, so that |x − place| stays linear: side·(x − place) ≥ 0 along x and y.

    Who is there already along an axis stays there, to within what counts as there.
    """
    made: list[Linear] = []
    named = list(joints.joints)
    for term in terms:
        if term.to is None:
            continue
        body, off = parts.index(term.body or ""), np.abs(_off_place(term, parts, start)).tolist()
        for column, side in enumerate(_sides_of_place(term, parts, start).tolist()):
            signs = np.array([side] if side else [1.0, -1.0])
            blocks = np.zeros((len(signs), 2, 3))
            blocks[:, 0, column] = signs
            # Reached is reached from either side, by a little: rows without any room have no interior.
            room = SETTLED * parts.size if side else max(SETTLED * parts.size, off[column])
            offset = room - signs * term.to[column]
            bodies, source = np.array([[body, parts.count]] * len(signs)), np.full(len(signs), len(named))
            made.append(Linear(bodies, blocks, offset, source))
        named.append(Joint("place", (term.body or "",), f"place of {term.body}"))
    if not made:
        return joints
    return replace(joints, joints=tuple(named), linear=join_linear([joints.linear, *made]))


def _with_gather(term: Term, parts: Parts, joints: Joints, start: Floats) -> Joints:
    """Nobody crosses the line, so that Σ|offset| stays linear: side·axis·(x − leader) ≥ 0.

    Who stands on the line stays on it: both sides at once.
    """
    axis, side = _sides(term, parts, start)
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
