"""How large a box of poses must be so that nothing reachable gets to its border.

Poses that are reached by motions within a box B₀ are in every box that B₀ is narrowed to by what holds for
all that is possible in it. Where the narrowed box does not touch a face of B₀, no motion that stays in B₀
gets to that face; where it touches none, no motion leaves B₀ at all: what is found then holds for everything
that can be reached. Faces that are touched are moved away and it is tried again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pliant.core.arrays import Bools, Floats
from pliant.flex.contact.distance import Rows
from pliant.flex.model import Assembly
from pliant.flex.problem.objective import Objective
from pliant.flex.problem.system import System
from pliant.flex.proof.component import Cover
from pliant.flex.proof.linear_relaxation import narrow, relax
from pliant.flex.proof.neighbours_alone import RelativeBounds, apply_relative_bounds, find_relative_bounds
from pliant.flex.proof.rooms import PoseBox, Setting, make_setting, open_box
from pliant.flex.proof.search import BranchAndBound, bound_program
from pliant.flex.proof.witness import travel_seen
from pliant.flex.stepping.step import configuration_at

ROUNDS = 12  # of bounds on every pose, each within the last
WORTH = 0.1  # of a range: what a round must take off some of them for another
GROWTHS = (1.3, 1.5, 2.0, 3.0, 10.0)  # of faces that are touched, from attempt to attempt
FACE_NODES = 30  # boxes that are split to show that a face is not reached, at first
PAIR_NODES = 1200  # boxes that are split for two neighbours alone
MORE_NODES = 4  # times as many after that
CLEAR = 1e-3  # of a range: as near as that to a face is at it
LESS = 0.3  # of a gap: how far beyond what was seen to be reached the first box goes

Report = Callable[[str], None]


@dataclass(frozen=True)
class Explored:
    """Boxes of poses around the drawn one that hold all that can be reached within the box explored."""

    setting: Setting
    boxes: tuple[PoseBox, ...]
    low: Floats  # (B + 1, 3) of the box explored
    high: Floats
    touched: Bools  # (2, B + 1, 3) whether motions may leave by faces of it: low ones, high ones

    @property
    def closed(self) -> bool:
        """Whether no motion leaves it."""
        return not self.touched.any()


def explored_box(
    model: Assembly, system: System, rows: tuple[Rows, Rows], travel: Floats, nodes: int, report: Report
) -> Explored:
    """A box that motions do not leave; where none is found, one as large as `travel` (2, B + 1, 3) suggests.

    Faces are shown not to be reached by programs alone, by what neighbours say of each other, or by
    splitting up to so many boxes. Those that may be reached are moved away.
    """
    first = _explore(system, rows, _first_size(system, travel), [])
    if first.closed:
        return first
    known: list[RelativeBounds] = []
    if len(system.parts.free) > 1:
        report("neighbours two by two")
        neighbours = configuration_at(system, system.parts.drawn, system.reach, None).contacts.near.pairs
        known = find_relative_bounds(
            model, system, neighbours, lambda two, alone: _closed_two(two, alone, report)
        )
    return _grow(system, rows, known, (_first_size(system, travel), nodes), report)


def _closed_two(
    model: Assembly, system: System, report: Report
) -> tuple[Setting, tuple[PoseBox, ...]] | None:
    """What two parts do, one of them held, where they hold each other."""
    rows = system.joints.rows, system.joints.pivots
    travel, endless = travel_seen(model, system, system.parts.drawn[None, :-1])
    if endless:
        return None
    explored = _grow(system, rows, [], (_first_size(system, travel), PAIR_NODES), report)
    return (explored.setting, explored.boxes) if explored.closed else None


def _grow(
    system: System,
    rows: tuple[Rows, Rows],
    known: list[RelativeBounds],
    size: tuple[Floats, int],
    report: Report,
) -> Explored:
    """A box that grows where it is touched, from a size (2, B + 1, 3), with so many boxes to split."""
    tried: list[Explored] = []
    reach, nodes = size
    used = 0
    most = np.array([2 * system.parts.extent, 2 * system.parts.extent, np.pi])
    for growth in (*GROWTHS, 1.0):
        explored = _explore(system, rows, reach, known)
        if tried or not known:  # what neighbours say may be enough, in a larger box
            explored, spent = _split_faces(explored, (nodes - used) // 2, report)
            used += spent
        if explored.closed:
            return explored
        tried.append(explored)
        if (reach >= most)[explored.touched].all():
            break
        reach = np.where(explored.touched, np.minimum((2.0 if known else growth) * reach, most), reach)
    for explored in sorted(tried, key=lambda each: int(each.touched.sum())):
        closer, spent = _break_chains(explored, nodes - used, report)
        used += spent
        if closer.closed:
            return closer
        if used >= nodes:
            break
    return tried[0]


def _first_size(system: System, travel: Floats) -> Floats:
    """A little more than what was seen to be reached: how far from the drawn pose, (2, B + 1, 3)."""
    parts = system.parts
    gap = system.gap or 0.02 * parts.size
    arm = np.append(parts.radius, 1.0)
    more = LESS * gap * np.stack([np.ones_like(arm), np.ones_like(arm), 1 / arm], axis=1)
    reach = np.minimum(1.15 * travel + more, np.array([2 * parts.extent, 2 * parts.extent, np.pi]))
    return np.where((parts.moving >= 0)[:, None], reach, 0.0)


def _explore(system: System, rows: tuple[Rows, Rows], reach: Floats, known: list[RelativeBounds]) -> Explored:
    """A box of that size, narrowed by what is known of neighbours and by programs."""
    low, high = system.parts.drawn - reach[0], system.parts.drawn + reach[1]
    _, box = _narrowest(system, rows, low, high, known)
    setting, box = _narrowest(system, rows, box.low, box.high, known)  # rooms are smaller in a smaller box
    return Explored(setting, (box,), low, high, touched_faces(setting, (box,), low, high))


def _narrowest(
    system: System, rows: tuple[Rows, Rows], low: Floats, high: Floats, known: list[RelativeBounds]
) -> tuple[Setting, PoseBox]:
    setting = make_setting(system, low, high, *rows)
    box = open_box(setting, low.copy(), high.copy())
    apply_relative_bounds(setting, box, known)
    return setting, contracted(setting, box)


def touched_faces(setting: Setting, boxes: tuple[PoseBox, ...], low: Floats, high: Floats) -> Bools:
    """Which faces (2, B + 1, 3) of the box low, high some of the boxes come to."""
    width = high - low
    whole = (width >= 2 * np.pi) & _is_periodic(setting)  # all turns there are: a seam, no face
    least, most = np.min([box.low for box in boxes], axis=0), np.max([box.high for box in boxes], axis=0)
    edge = CLEAR * width
    return ((width > 0) & ~whole) & np.stack([least <= low + edge, most >= high - edge])


def _split_faces(explored: Explored, nodes: int, report: Report) -> tuple[Explored, int]:
    """The same box with the faces that splitting shows not to be reached; how many boxes that took.

    Each face that is not makes the box smaller, so that others may be shown not to be reached after all.
    """
    used, limit, most = 0, FACE_NODES, int(explored.touched.sum())
    while explored.touched.any() and used < nodes and limit <= MORE_NODES**2 * FACE_NODES:
        report(f"{explored.touched.sum()} faces of the box")
        explored, spent = _split_each_face(explored, limit, nodes - used)
        used, limit = used + spent, MORE_NODES * limit
        if 2 * explored.touched.sum() > most:  # the box is too small for what can be reached
            break
    return explored, used


def _split_each_face(explored: Explored, limit: int, nodes: int) -> tuple[Explored, int]:
    setting, box, spent = explored.setting, explored.boxes[0].copy(), 0
    edge = CLEAR * (explored.high - explored.low)
    for side, body, part in np.argwhere(explored.touched):
        sign, face, ends = (-1.0, explored.low, box.low) if side == 0 else (1.0, explored.high, box.high)
        beyond = float(sign * face[body, part] - edge[body, part])
        if spent < nodes:
            reached, tried = _reached(setting, box, (int(body), int(part), sign), beyond, limit)
            spent += tried
            if reached < beyond:
                ends[body, part] = sign * reached
    box = contracted(setting, box)
    touched = touched_faces(setting, (box,), explored.low, explored.high)
    return replace(explored, boxes=(box,), touched=touched), spent


def _break_chains(explored: Explored, nodes: int, report: Report) -> tuple[Explored, int]:
    """The same box, split until no chain of boxes leads to a face of it; how many boxes that took."""
    setting, low, high = explored.setting, explored.low, explored.high
    cover = Cover(setting, *explored.boxes)
    spent = cover.separate(lambda box: bool(touched_faces(setting, (box,), low, high).any()), nodes, report)
    boxes = cover.reachable()
    return Explored(setting, boxes, low, high, touched_faces(setting, boxes, low, high)), spent


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


def _reached(
    setting: Setting, box: PoseBox, way: tuple[int, int, float], target: float, nodes: int
) -> tuple[float, int]:
    """A bound on how far a part of a pose gets one way, by splitting the box; how many boxes that took."""
    body, part, sign = way
    nothing = np.zeros((0, 2))
    weights = np.zeros_like(box.low)
    weights[body, part] = sign
    goal = Objective(weights, np.zeros(0, np.int64), nothing, nothing, 0.0)
    short = abs(target - sign * setting.system.parts.drawn[body, part])
    search = BranchAndBound(setting, goal, target - CLEAR * short)
    search.add(box)
    search.run(nodes)
    return search.upper, search.nodes


def contracted(setting: Setting, box: PoseBox) -> PoseBox:
    """A box narrowed by bounds on every pose, relative turn and seat in it, until that takes off little."""
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
