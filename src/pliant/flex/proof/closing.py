"""How large a box of poses must be so that nothing reachable gets to its border.

Poses that are reached by motions within a box B₀ are in every box that B₀ is narrowed to by what holds for
all that is possible in it. Where the narrowed box does not touch a face of B₀, no motion that stays in B₀
gets to that face; where it touches none, no motion leaves B₀ at all: what is found then holds for everything
that can be reached. Faces that are touched are moved away and it is tried again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Bools, Floats
from pliant.flex.contact.distance import Rows
from pliant.flex.problem.objective import Objective
from pliant.flex.problem.system import System
from pliant.flex.proof.pairs import PoseBox, Setting, make_setting, open_box
from pliant.flex.proof.relaxation import narrow, relax
from pliant.flex.proof.search import BranchAndBound, bound_program

ROUNDS = 12  # of bounds on every pose, each within the last
WORTH = 0.1  # of a range: what a round must take off some of them for another
ATTEMPTS = 6
GROWTH = 2.0
FACE_NODES = 200  # boxes that are split to show that a face is not reached
CLEAR = 1e-3  # of a range: as near as that to a face is at it

Report = Callable[[str], None]


@dataclass(frozen=True)
class Explored:
    """A box of poses around the drawn one, narrowed to what is possible in it."""

    setting: Setting
    box: PoseBox
    low: Floats  # (B + 1, 3) of the box before it was narrowed
    high: Floats
    touched: Bools  # (B + 1, 3) whether motions may leave by faces of it

    @property
    def closed(self) -> bool:
        """Whether no motion leaves it."""
        return not self.touched.any()


def explored_box(system: System, rows: tuple[Rows, Rows], travel: Floats, report: Report) -> Explored:
    """A box that motions do not leave; where none is found, one as large as `travel` (B + 1, 3) suggests."""
    parts = system.parts
    gap = system.gap or 0.02 * parts.size
    moves = (parts.moving >= 0)[:, None]
    arm = np.append(parts.radius, 1.0)
    first = np.where(moves, 1.25 * travel + gap * np.stack([arm / arm, arm / arm, 1 / arm], axis=1), 0.0)
    most = np.array([2 * parts.extent, 2 * parts.extent, np.pi])
    half, found = np.minimum(first, most), None
    for attempt in range(ATTEMPTS):
        report(f"box {attempt + 1}")
        found = _explore(system, rows, half)
        if found.closed or (half >= most)[found.touched].all():
            break
        half = np.where(found.touched, np.minimum(GROWTH ** (attempt + 1) * half, most), half)
    assert found is not None
    if found.closed:
        return found
    found = _explore(system, rows, np.where(found.touched, np.minimum(first, most), half))
    return found


def _explore(system: System, rows: tuple[Rows, Rows], half: Floats) -> Explored:
    low, high = system.parts.drawn - half, system.parts.drawn + half
    setting = make_setting(system, low, high, *rows)
    box = contracted(setting, open_box(setting, low, high))
    # Rooms are smaller in a smaller box.
    setting = make_setting(system, box.low, box.high, *rows)
    box = contracted(setting, open_box(setting, box.low, box.high))
    touched = np.zeros(half.shape, np.bool_)
    round_trip = (half >= np.pi) & _is_periodic(setting)  # all turns there are: no face but a seam
    for body, part in np.argwhere((half > 0) & ~round_trip):
        for sign in (-1.0, 1.0):
            face = (high if sign > 0 else low)[body, part]
            edge = CLEAR * half[body, part]
            if sign * (face - (box.high if sign > 0 else box.low)[body, part]) > edge:
                continue
            reached = _reached(setting, box, int(body), int(part), sign, sign * face - edge)
            if reached < sign * face - edge:
                (box.high if sign > 0 else box.low)[body, part] = sign * reached
            else:
                touched[body, part] = True
    return Explored(setting, box, low, high, touched)


def _is_periodic(setting: Setting) -> Bools:
    """Which parts of poses (B + 1, 3) are turns that come back to the same: nothing counts them."""
    system = setting.system
    counted = system.objective.linear[:, 2] != 0
    linear = system.joints.linear
    for side in (0, 1):
        np.logical_or.at(counted, linear.bodies[:, side], linear.blocks[:, side, 2] != 0)
    periodic = np.zeros((len(counted), 3), np.bool_)
    periodic[:, 2] = ~counted
    return periodic


def _reached(setting: Setting, box: PoseBox, body: int, part: int, sign: float, target: float) -> float:
    """A bound on how far a part of a pose gets, by splitting the box."""
    nothing = np.zeros((0, 2))
    weights = np.zeros_like(box.low)
    weights[body, part] = sign
    goal = Objective(weights, np.zeros(0, np.int64), nothing, nothing, 0.0)
    search = BranchAndBound(setting, goal, target - 1e-3 * abs(target - sign * setting.system.parts.drawn[body, part]))
    search.add(box)
    search.run(FACE_NODES)
    return search.upper


def contracted(setting: Setting, box: PoseBox) -> PoseBox:
    """A box narrowed by the bounds of every pose, relative turn and seat in it, until that takes off little."""
    for _ in range(ROUNDS):
        narrowed = narrow(setting, box)
        assert narrowed is not None, "the drawn pose is in the box"
        before = _widths(narrowed.box)
        box = _contract(setting, narrowed.box)
        after = _widths(box)
        if not (before - after > WORTH * before).any():
            break
    return box


def _widths(box: PoseBox) -> Floats:
    return np.concatenate([(box.high - box.low).ravel(), box.angle_high - box.angle_low])


def _contract(setting: Setting, box: PoseBox) -> PoseBox:
    """One bound of each kind over one program."""
    narrowed = narrow(setting, box)
    assert narrowed is not None
    relaxation, box = relax(setting, narrowed), narrowed.box.copy()
    program = bound_program(setting, relaxation)
    parts, pairs = setting.system.parts, setting.pairs
    weights = np.zeros(relaxation.matrix.shape[1])

    def largest(terms: list[tuple[int, float]], sign: float) -> float:
        weights[:] = 0.0
        for column, value in terms:
            weights[column] = sign * value
        return program.maximum(weights).value

    for place, body in enumerate(parts.free):
        for part in range(3):
            column = [(3 * place + part, 1.0)]
            box.high[body, part] = min(box.high[body, part], largest(column, 1.0))
            box.low[body, part] = max(box.low[body, part], -largest(column, -1.0))
    for number, (first, second) in enumerate(pairs.joined):
        terms = [(3 * int(parts.moving[second]) + 2, 1.0), (3 * int(parts.moving[first]) + 2, -1.0)]
        box.angle_high[number] = min(box.angle_high[number], largest(terms, 1.0))
        box.angle_low[number] = max(box.angle_low[number], -largest(terms, -1.0))
    start = 3 * len(parts.free) + 2 * len(relaxation.middle)
    for pair in np.flatnonzero((parts.moving[pairs.carrier] >= 0) & (parts.moving[pairs.other] >= 0)):
        for axis in range(2):
            column = [(start + 2 * int(pair) + axis, 1.0)]
            box.seat_high[pair, axis] = min(box.seat_high[pair, axis], largest(column, 1.0))
            box.seat_low[pair, axis] = max(box.seat_low[pair, axis], -largest(column, -1.0))
    return box
