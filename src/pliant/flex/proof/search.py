"""Best-first branch and bound over boxes of poses.

A box is narrowed, relaxed and bounded; the one with the greatest bound is split where its relaxation is
furthest from what it stands for. What has been split off stays as a leaf: empty, or with a bound.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.core.pose import turn
from pliant.flex.contact.distance import Rows, gaps
from pliant.flex.problem.objective import Objective
from pliant.flex.proof.bound import BoundProgram
from pliant.flex.proof.linear_relaxation import Relaxation, narrow, objective_weights, relax
from pliant.flex.proof.rooms import PoseBox, Setting

MIDDLE = 0.2  # a box is split where the program's answer is, but this share of it is left on either side
NEGLIGIBLE = 1e-9  # of the parts' size: relaxations off by less cannot be made better


@dataclass(frozen=True)
class Leaf:
    """A box with a bound on the objective over all that is possible in it."""

    box: PoseBox
    bound: float
    split: tuple[int, int, float] | None  # body, part of its pose, and where; None: no use to split


@dataclass
class BranchAndBound:
    """Leaves so far. What is possible in the root box is in one of them."""

    setting: Setting
    objective: Objective
    target: float  # leaves whose bound is below it are not split
    open: list[tuple[float, int, Leaf]] = field(default_factory=list[tuple[float, int, Leaf]])
    closed: list[Leaf] = field(default_factory=list[Leaf])
    nodes: int = 0

    @property
    def upper(self) -> float:
        """The greatest bound of any leaf; −inf where nothing is possible."""
        top = -self.open[0][0] if self.open else -np.inf
        return max([top, *(leaf.bound for leaf in self.closed)], default=-np.inf)

    @property
    def stuck(self) -> bool:
        """Whether the greatest bound is that of a leaf that is no use to split."""
        top = -self.open[0][0] if self.open else -np.inf
        return any(leaf.bound > self.target and leaf.bound >= top for leaf in self.closed)

    def add(self, box: PoseBox, parent: float = np.inf) -> None:
        """Bound a box and keep it as a leaf, unless it is empty."""
        self.nodes += 1
        leaf = bounded_leaf(self.setting, self.objective, box, parent)
        if leaf is None:
            return
        if leaf.bound <= self.target or leaf.split is None:
            self.closed.append(leaf)
        else:
            heapq.heappush(self.open, (-leaf.bound, self.nodes, leaf))

    def step(self) -> bool:
        """Split the leaf with the greatest bound; False where none is left to split."""
        if not self.open:
            return False
        leaf = heapq.heappop(self.open)[2]
        assert leaf.split is not None
        body, part, at = leaf.split
        for upper in (False, True):
            box = leaf.box.copy()
            (box.low if upper else box.high)[body, part] = at
            self.add(box, leaf.bound)
        return True

    def run(self, nodes: int, report: Callable[[int, float], None] | None = None) -> None:
        """Split until every bound is at the target, or so many boxes were bounded."""
        while self.nodes < nodes and not self.stuck and self.step():
            if report is not None and self.nodes % 20 < 2:
                report(self.nodes, self.upper)


def bounded_leaf(setting: Setting, objective: Objective, box: PoseBox, parent: float) -> Leaf | None:
    """A box with its bound and where it is best split; None where nothing in it is possible."""
    narrowed = narrow(setting, box)
    if narrowed is None:
        return None
    relaxation = relax(setting, narrowed)
    program = bound_program(setting, relaxation)
    weights, constant = objective_weights(setting, objective, relaxation.middle)
    found = program.maximum(weights)
    if found.value == -np.inf:
        return None
    bound = min(found.value + constant, parent)
    split = _split(setting, objective, relaxation, found.at)
    return Leaf(narrowed.box, bound, split)


def bound_program(setting: Setting, relaxation: Relaxation) -> BoundProgram:
    """The program of a relaxation, which knows what unknowns are lengths."""
    parts = setting.system.parts
    free, angles = len(parts.free), len(relaxation.middle)
    lengths = np.concatenate([
        np.tile([1.0, 1.0, 0.0], free), np.zeros(2 * angles), np.ones(2 * len(setting.pairs.carrier))
    ])  # fmt: skip
    return BoundProgram(relaxation, parts.size, lengths)


def _split(
    setting: Setting, objective: Objective, relaxation: Relaxation, at: Floats | None
) -> tuple[int, int, float] | None:
    """Which part of which pose is split, and where: what would mend the most of what is wrong."""
    parts, box = setting.system.parts, relaxation.narrowed.box
    width = box.high - box.low
    arm = np.append(parts.radius, 0.0)[:, None] ** np.array([0.0, 0.0, 1.0])  # a turn, as a length
    scores = width * arm if at is None else _scores(setting, objective, relaxation, at)
    scores = np.where(width * arm > 1e-7 * parts.size, scores, 0.0)
    body, part = np.unravel_index(int(scores.argmax()), scores.shape)
    if scores[body, part] <= NEGLIGIBLE * parts.size:
        return None
    low, high = box.low[body, part], box.high[body, part]
    place = parts.moving[body]
    value = (low + high) / 2 if at is None else at[3 * place + part]
    margin = MIDDLE * (high - low)
    return int(body), int(part), float(np.clip(value, low + margin, high - margin))


def _scores(setting: Setting, objective: Objective, relaxation: Relaxation, at: Floats) -> Floats:
    """How much of what is wrong at the program's answer each part of a pose is to blame for, (B + 1, 3)."""
    parts, pairs, rooms = setting.system.parts, setting.pairs, setting.rooms
    box, free = relaxation.narrowed.box, parts.free
    width = box.high - box.low
    poses = parts.drawn.copy()
    poses[free] = at[: 3 * len(free)].reshape(-1, 3)
    scores = np.zeros_like(poses)
    count, angles = 3 * len(free), len(relaxation.middle)
    arcs = at[count : count + 2 * angles].reshape(-1, 2)
    seats = at[count + 2 * angles :].reshape(-1, 2)
    turns = np.append(poses[free, 2], poses[pairs.joined[:, 1], 2] - poses[pairs.joined[:, 0], 2])
    off = turns - relaxation.middle
    arc_error = np.hypot(arcs[:, 0] - np.cos(off), arcs[:, 1] - np.sin(off))  # (M + A,)
    # The objective that the program counts on and the pose does not have.
    for body, point in zip(objective.body, objective.point, strict=True):
        if parts.moving[body] >= 0:
            scores[body, 2] += float(np.hypot(*point)) * arc_error[parts.moving[body]]
    carrier, other = pairs.carrier, pairs.other
    true_seat = turn(-poses[carrier, 2], poses[other, :2] - poses[carrier, :2])
    seat_error = np.hypot(*(seats - true_seat).T)
    phi = pairs.sign * turns[pairs.angle] + pairs.offset
    pair, room = rooms.pair[box.followed], rooms.room[box.followed]
    z_true = true_seat[pair] + turn(phi[pair], rooms.point[box.followed])
    depth = shapely.distance(room, shapely.points(z_true)) if len(pair) else np.zeros(0)
    wrong = np.flatnonzero(depth > NEGLIGIBLE * parts.size)
    mu = pairs.sign * relaxation.middle[pairs.angle] + pairs.offset
    for g in wrong:
        p = int(pair[g])
        point, a = rooms.point[box.followed[g]], pairs.angle[p]
        reach = float(np.hypot(*point))
        c, s = arcs[a, 0], pairs.sign[p] * arcs[a, 1]
        z = seats[p] + turn(mu[p], np.array([c * point[0] - s * point[1], s * point[0] + c * point[1]]))
        hull_error = float(shapely.distance(room[g], shapely.Point(z)))
        by_arc, by_seat = reach * arc_error[a], seat_error[p]
        total = hull_error + by_arc + by_seat
        if total <= 0:
            continue
        share = depth[g] / total
        _blame(scores, box, (p, int(carrier[p]), int(other[p])), reach, share * hull_error)
        turning = other[p] if width[other[p], 2] >= width[carrier[p], 2] else carrier[p]
        scores[turning, 2] += share * by_arc
        scores[carrier[p], 2] += share * by_seat
    _blame_joints(scores, setting, poses, arc_error, seat_error)
    return scores


def _blame_joints(
    scores: Floats, setting: Setting, poses: Floats, arc_error: Floats, seat_error: Floats
) -> None:
    """Blame the turns of the bodies of joints that do not hold at poses (B + 1, 3)."""
    rows, pairs = Rows.join(setting.joints, setting.pivots), setting.pairs
    distance = gaps(rows, poses)
    depth = np.where(np.arange(len(rows)) < len(setting.joints), -distance, np.abs(distance))
    for row in np.flatnonzero((depth > NEGLIGIBLE * setting.system.parts.size) & (setting.joint_pair >= 0)):
        pair = setting.joint_pair[row]
        by_arc = float(np.hypot(*rows.point[row])) * arc_error[pairs.angle[pair]]
        total = by_arc + seat_error[pair]
        if total > 0:
            moves = setting.system.parts.moving[pairs.other[pair]] >= 0
            body = pairs.other[pair] if moves else pairs.carrier[pair]
            scores[body, 2] += depth[row] * by_arc / total
            scores[pairs.carrier[pair], 2] += depth[row] * seat_error[pair] / total


def _blame(scores: Floats, box: PoseBox, pairing: tuple[int, int, int], reach: float, amount: float) -> None:
    """Share what a hull holds too much among the parts of poses that make a point's reach wide.

    `pairing` is the pair with its carrier and other, `reach` how far the point is from its body's centroid.
    """
    pair, carrier, other = pairing
    width = box.high - box.low
    seat = box.seat_high[pair] - box.seat_low[pair]
    arm = float(np.hypot(*(box.seat_high[pair] + box.seat_low[pair]))) / 2 + reach
    parts = [
        (other, 0, min(width[other, 0], seat.max())),
        (other, 1, min(width[other, 1], seat.max())),
        (other, 2, width[other, 2] * reach),
        (carrier, 0, min(width[carrier, 0], seat.max())),
        (carrier, 1, min(width[carrier, 1], seat.max())),
        (carrier, 2, min(width[carrier, 2] * arm, width[carrier, 2] * reach + seat.max())),
    ]
    total = sum(size**2 for *_, size in parts)
    for body, part, size in parts:
        if total > 0:
            scores[body, part] += amount * size**2 / total
