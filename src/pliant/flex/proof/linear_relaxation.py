"""What holds for every possible pose in a box, as one linear program.

Unknowns are the poses (x, y, θ), the cosine and sine of every angle, and the seat w of every directed pair.
In these a point's place z = w + R(φ)p and the objective are linear. What is not, is relaxed, and each
relaxation holds all of what it stands for:

- (cos τ, sin τ) with |τ| ≤ ρ is an arc: its chord, tangents, and |sin τ − kτ| ≤ e with k = sin ρ / ρ;
- R(θ)w with w = w₀ + δ, |δ| ≤ s: linear but for −(1 − cos τ)δ + sin τ·Jδ, at most (1 − cos ρ)s + sin ρ·Js;
- z is in its room within the box that it can get to: in the convex hull of that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
import shapely

from pliant.core.arrays import Floats, Geometries, Ints
from pliant.core.pose import turn
from pliant.flex.contact.distance import Rows
from pliant.flex.problem.objective import Objective
from pliant.flex.proof.intervals import arc_boxes, turned_boxes
from pliant.flex.proof.rooms import PoseBox, Setting, angle_ranges, relative_turns, seat_boxes

PASSES = 4
WORTH = 0.02  # of a seat's width: what another pass must take off some
SLACK = 1e-9  # of the parts' size: rows are loosened by that, far more than their rounding
SHORT = 1e-6  # of the parts' size: the direction of a shorter side of a hull is no row


@dataclass(frozen=True)
class Narrowed:
    """A box narrowed to what rooms leave of it, with what they leave of each point's reach."""

    box: PoseBox
    hull: Geometries  # (H,) convex, of the points that are followed
    reach_low: Floats  # (H, 2)
    reach_high: Floats


def narrow(setting: Setting, box: PoseBox) -> Narrowed | None:
    """A box of poses narrowed by what points can get to; None: nothing in it is possible."""
    box = box.copy()
    left, reach_low, reach_high = box.left, np.zeros((0, 2)), np.zeros((0, 2))
    for _ in range(PASSES):
        before = _narrow_by_poses(setting, box)
        if before is None:
            return None
        left, reach_low, reach_high = _narrow_by_rooms(setting, box, left)
        if not len(left) and len(box.followed):
            return None
        _place_bodies(setting, box)
        width = box.seat_high - box.seat_low
        if (width < 0).any() or (box.low > box.high).any():
            return None
        if not (before - width > WORTH * before).any():
            break
    whole = (reach_high - reach_low).prod(axis=1)
    met = shapely.area(left) < (1 - 1e-9) * whole
    box = replace(box, followed=box.followed[met], left=left[met])
    return Narrowed(box, np.asarray(shapely.convex_hull(left[met])), reach_low[met], reach_high[met])


def _narrow_by_poses(setting: Setting, box: PoseBox) -> Floats | None:
    """What poses say of angles and seats, and back; the widths of seats (P, 2), or None: there is nothing."""
    parts, pairs = setting.system.parts, setting.pairs
    first, second = pairs.joined.T
    np.maximum.at(box.low[:, 2], second, box.low[first, 2] + box.angle_low)
    np.minimum.at(box.high[:, 2], second, box.high[first, 2] + box.angle_high)
    np.maximum.at(box.low[:, 2], first, box.low[second, 2] - box.angle_high)
    np.minimum.at(box.high[:, 2], first, box.high[second, 2] - box.angle_low)
    low, high = angle_ranges(parts, pairs, box)
    box.angle_low[:], box.angle_high[:] = low[len(parts.free) :], high[len(parts.free) :]
    box.seat_low[:], box.seat_high[:] = seat_boxes(pairs, box)
    width = box.seat_high - box.seat_low
    return None if (low > high).any() or (width < 0).any() else width


def _narrow_by_rooms(setting: Setting, box: PoseBox, left: Geometries) -> tuple[Geometries, Floats, Floats]:
    """What is left of rooms (H,) within reach, and reaches; seats by these. Nothing: a room is out of it."""
    parts, pairs = setting.system.parts, setting.pairs
    pair, point = setting.rooms.pair[box.followed], setting.rooms.point[box.followed]
    low, high = relative_turns(pairs, *angle_ranges(parts, pairs, box))
    least, most = arc_boxes(point, low[pair], high[pair])
    reach_low, reach_high = box.seat_low[pair] + least, box.seat_high[pair] + most
    reach = shapely.box(reach_low[:, 0], reach_low[:, 1], reach_high[:, 0], reach_high[:, 1])
    left = np.asarray(shapely.intersection(left, reach))
    if shapely.is_empty(left).any():
        return left[:0], reach_low, reach_high
    bounds, slack = shapely.bounds(left), SLACK * parts.size
    np.maximum.at(box.seat_low, pair, bounds[:, :2] - most - slack)
    np.minimum.at(box.seat_high, pair, bounds[:, 2:] - least + slack)
    return left, reach_low, reach_high


def _place_bodies(setting: Setting, box: PoseBox) -> None:
    """Where bodies can be, by their seats on others: x₂ = x₁ + R(θ₁)w, and back."""
    pairs, moving = setting.pairs, setting.system.parts.moving
    carrier, other = pairs.carrier, pairs.other
    least, most = turned_boxes(box.seat_low, box.seat_high, box.low[carrier, 2], box.high[carrier, 2])
    for body, from_low, from_high in (
        (other, box.low[carrier, :2] + least, box.high[carrier, :2] + most),
        (carrier, box.low[other, :2] - most, box.high[other, :2] - least),
    ):
        free = moving[body] >= 0
        lows, highs = np.full_like(box.low[:, :2], -np.inf), np.full_like(box.low[:, :2], np.inf)
        np.maximum.at(lows, body[free], from_low[free])
        np.minimum.at(highs, body[free], from_high[free])
        box.low[:, :2], box.high[:, :2] = np.maximum(box.low[:, :2], lows), np.minimum(box.high[:, :2], highs)


@dataclass(frozen=True)
class Relaxation:
    """low ≤ Av ≤ high with v between `least` and `most`, all finite."""

    matrix: sp.csr_matrix
    low: Floats
    high: Floats
    least: Floats
    most: Floats
    middle: Floats  # (M + A,) of the angles
    spread: Floats  # (M + A,) half of their ranges
    narrowed: Narrowed


class _RowTable:
    """Rows of the program, gathered in triplets."""

    def __init__(self) -> None:
        self.count = 0
        self.row: list[Ints] = []
        self.column: list[Ints] = []
        self.value: list[Floats] = []
        self.low: list[Floats] = []
        self.high: list[Floats] = []

    def add(self, terms: list[tuple[Ints, Floats]], low: Floats, high: Floats) -> None:
        """K rows, each with one column (K,) and value (K,) of every term; columns below 0 are left out."""
        count = len(low)
        rows = self.count + np.arange(count)
        for column, value in terms:
            kept = column >= 0
            self.row.append(rows[kept])
            self.column.append(column[kept])
            self.value.append(np.broadcast_to(value, (count,))[kept])
        self.low.append(low)
        self.high.append(high)
        self.count += count


def relax(setting: Setting, narrowed: Narrowed) -> Relaxation:
    """The program of a narrowed box."""
    parts, pairs, box = setting.system.parts, setting.pairs, narrowed.box
    low, high = angle_ranges(parts, pairs, box)
    middle, spread = (low + high) / 2, (high - low) / 2
    table = _RowTable()
    _add_arcs(table, setting, middle, spread)
    arcs = table.count
    _add_seats(table, setting, box, middle, spread)
    _add_hulls(table, setting, narrowed, middle)
    _add_joints(table, setting, middle)
    least, most = _bounds(setting, box, spread)
    shape = (table.count, len(least))
    matrix = sp.csr_matrix(
        (np.concatenate(table.value), (np.concatenate(table.row), np.concatenate(table.column))), shape
    )
    slack = np.where(np.arange(table.count) < arcs, SLACK, SLACK * parts.size)
    return Relaxation(
        matrix,
        np.concatenate(table.low) - slack,
        np.concatenate(table.high) + slack,
        least,
        most,
        middle,
        spread,
        narrowed,
    )


# Columns: 3 M of poses, 2 (M + A) of cosines and sines, 2 P of seats.


def _cosine(setting: Setting, angle: Ints) -> Ints:
    return 3 * len(setting.system.parts.free) + 2 * angle


def _seat(setting: Setting, pair: Ints) -> Ints:
    free = len(setting.system.parts.free)
    return 3 * free + 2 * (free + len(setting.pairs.joined)) + 2 * pair


def _pose(setting: Setting, body: Ints, part: int) -> Ints:
    place = setting.system.parts.moving[body]
    return np.where(place >= 0, 3 * place + part, -1)


def _bounds(setting: Setting, box: PoseBox, spread: Floats) -> tuple[Floats, Floats]:
    free = setting.system.parts.free
    cosine, sine = np.cos(np.minimum(spread, np.pi)), np.sin(np.minimum(spread, np.pi / 2))
    arcs = np.stack([cosine, -sine], axis=1), np.stack([np.ones_like(sine), sine], axis=1)
    slack = SLACK
    least = np.concatenate([box.low[free].ravel(), arcs[0].ravel() - slack, box.seat_low.ravel()])
    most = np.concatenate([box.high[free].ravel(), arcs[1].ravel() + slack, box.seat_high.ravel()])
    return least, most


def _add_arcs(table: _RowTable, setting: Setting, middle: Floats, spread: Floats) -> None:
    """Tangents to the circle, and sines by their angles."""
    parts, pairs = setting.system.parts, setting.pairs
    angles = np.arange(len(middle))
    cosine = _cosine(setting, angles)
    never = np.full(len(middle), -np.inf)
    for share in (-1.0, -0.5, 0.5, 1.0):
        at = share * np.minimum(spread, np.pi / 2)
        table.add([(cosine, np.cos(at)), (cosine + 1, np.sin(at))], never, np.ones(len(middle)))
    small = (spread > 1e-9) & (spread <= np.pi / 2)
    slope = np.divide(np.sin(spread), spread, out=np.ones_like(spread), where=spread > 1e-9)
    top = np.arccos(np.clip(slope, -1.0, 1.0))
    error = np.where(small, np.sin(top) - slope * top + 1e-14, np.where(spread <= 1e-9, 1e-14, 10.0))
    count = len(parts.free)
    second = np.append(parts.free, pairs.joined[:, 1])
    first = np.append(np.full(count, parts.count), pairs.joined[:, 0])
    table.add(
        [
            (cosine + 1, np.ones(1)),
            (_pose(setting, second, 2), -slope),
            (_pose(setting, first, 2), slope),
        ],
        -error - slope * middle,
        error - slope * middle,
    )


def _add_seats(table: _RowTable, setting: Setting, box: PoseBox, middle: Floats, spread: Floats) -> None:
    """R(−μ)(x₂ − x₁) = R(τ)w of every pair, and R(−μ)(−w) = R(τ)w' of a pair and its reverse."""
    parts, pairs = setting.system.parts, setting.pairs
    drawn = parts.drawn
    carrier, other = pairs.carrier, pairs.other
    place = parts.moving[carrier]
    moves = place >= 0
    turned = np.where(moves, middle[np.where(moves, place, 0)], drawn[carrier, 2])
    rho = np.where(moves, spread[np.where(moves, place, 0)], 0.0)
    fixed = np.zeros((len(carrier), 2))
    fixed[parts.moving[other] < 0] += drawn[other, :2][parts.moving[other] < 0]
    fixed[~moves] -= drawn[carrier, :2][~moves]
    which = np.arange(len(carrier))
    lifted = np.where(moves, _cosine(setting, np.where(moves, place, 0)), -1)
    for axis in range(2):
        back = turn(turned, np.eye(2)[axis])  # R(μ)e, so that e·R(−μ)u = back·u
        terms = [
            (_pose(setting, other, 0), back[:, 0]),
            (_pose(setting, other, 1), back[:, 1]),
            (_pose(setting, carrier, 0), -back[:, 0]),
            (_pose(setting, carrier, 1), -back[:, 1]),
        ]
        known = (back * fixed).sum(axis=1)
        _add_turned(table, setting, box, which, axis, terms, known, lifted, np.ones(len(which)), rho)
    both = np.flatnonzero((parts.moving[carrier] >= 0) & (parts.moving[other] >= 0) & (pairs.reverse >= 0))
    reverse = pairs.reverse[both]  # R(φ) w' = −w, φ of the pair itself
    turned = pairs.sign[both] * middle[pairs.angle[both]] + pairs.offset[both]
    lifted = _cosine(setting, pairs.angle[both])
    for axis in range(2):
        back = turn(turned, np.eye(2)[axis])
        terms = [(_seat(setting, both), -back[:, 0]), (_seat(setting, both) + 1, -back[:, 1])]
        rho = spread[pairs.angle[both]]
        none = np.zeros(len(both))
        _add_turned(table, setting, box, reverse, axis, terms, none, lifted, pairs.sign[both], rho)


def _add_turned(
    table: _RowTable,
    setting: Setting,
    box: PoseBox,
    seat: Ints,
    axis: int,
    terms: list[tuple[Ints, Floats]],
    known: Floats,
    lifted: Ints,
    sign: Floats,
    rho: Floats,
) -> None:
    """Terms + known = (R(τ)w) along an axis, w the seat of a pair, τ by its lifted cosine and sine.

    R(τ)w = C w₀ + S J w₀ + δ − (1 − C)δ + S Jδ.
    """
    low, high = box.seat_low[seat], box.seat_high[seat]
    at, half = (low + high) / 2, (high - low) / 2
    beside = np.stack([-at[:, 1], at[:, 0]], axis=1)  # J w₀
    reach = np.minimum(rho, np.pi / 2)
    error = (1 - np.cos(np.minimum(rho, np.pi))) * half[:, axis] + np.sin(reach) * half[:, 1 - axis]
    has = lifted >= 0
    # A carrier that is fixed has C = 1, S = 0.
    constant = known - np.where(has, 0.0, at[:, axis]) + at[:, axis]
    table.add(
        [
            *terms,
            (lifted, -at[:, axis]),
            (np.where(has, lifted + 1, -1), -sign * beside[:, axis]),
            (_seat(setting, seat) + axis, np.full(len(seat), -1.0)),
        ],
        -error - constant,
        error - constant,
    )


def _place_terms(
    setting: Setting, pair: Ints, point: Floats, normal: Floats, middle: Floats
) -> list[tuple[Ints, Floats]]:
    """normal·z of points (K, 2) in the frames of carriers: normal·w + normal·R(μ)(C p + S J p)."""
    pairs = setting.pairs
    angle, sign = pairs.angle[pair], pairs.sign[pair]
    mu = sign * middle[angle] + pairs.offset[pair]
    there = turn(mu, point)
    beside = np.stack([-there[:, 1], there[:, 0]], axis=1)
    cosine, seat = _cosine(setting, angle), _seat(setting, pair)
    return [
        (seat, normal[:, 0]),
        (seat + 1, normal[:, 1]),
        (cosine, (normal * there).sum(axis=1)),
        (cosine + 1, sign * (normal * beside).sum(axis=1)),
    ]


def _add_hulls(table: _RowTable, setting: Setting, narrowed: Narrowed, middle: Floats) -> None:
    """Points stay in the convex hulls of their rooms; sides of what they reach anyway are left out."""
    rooms, size = setting.rooms, setting.system.parts.size
    flat = shapely.get_type_id(narrowed.hull) == 3
    of = np.flatnonzero(flat)
    corners, ring = shapely.get_coordinates(narrowed.hull[of], return_index=True)
    same = np.flatnonzero(ring[1:] == ring[:-1])
    side = corners[same + 1] - corners[same]
    length = np.hypot(*side.T)
    which, start = of[ring[same]], corners[same]
    inward = np.stack([-side[:, 1], side[:, 0]], axis=1) / np.maximum(length, 1e-300)[:, None]
    centre = np.stack([np.bincount(ring, corners[:, k]) / np.bincount(ring) for k in (0, 1)], axis=1)
    facing = ((centre[ring[same]] - start) * inward).sum(axis=1)
    inward *= np.sign(facing)[:, None]
    low, high = narrowed.reach_low[which], narrowed.reach_high[which]
    tiny = 1e-9 * size
    at_end = np.minimum(np.abs(start - low), np.abs(start - high)) <= tiny
    outer = ((np.abs(side) <= tiny) & at_end).any(axis=1)
    kept = (length > SHORT * size) & (np.abs(facing) > 0) & ~outer
    which, inward, start = which[kept], inward[kept], start[kept]
    point = narrowed.box.followed[which]
    terms = _place_terms(setting, rooms.pair[point], rooms.point[point], inward, middle)
    table.add(terms, (inward * start).sum(axis=1), np.full(len(which), np.inf))


def _add_joints(table: _RowTable, setting: Setting, middle: Floats) -> None:
    """Pins, keep regions, sights and pivots are rows of a point's place; limits are rows of poses."""
    parts, linear = setting.system.parts, setting.system.joints.linear
    rows = Rows.join(setting.joints, setting.pivots)
    kept = np.flatnonzero(setting.joint_pair >= 0)
    low, high = rows.offset[kept], np.full(len(kept), np.inf)
    equal = kept >= len(setting.joints)
    high[equal] = low[equal]
    terms = _place_terms(setting, setting.joint_pair[kept], rows.point[kept], rows.normal[kept], middle)
    table.add(terms, low, high)
    if len(linear.offset):
        fixed = (parts.moving[linear.bodies] < 0)[..., None] * linear.blocks * parts.drawn[linear.bodies]
        poses = [
            (_pose(setting, linear.bodies[:, body], part), linear.blocks[:, body, part])
            for body in (0, 1)
            for part in range(3)
        ]
        known = linear.offset + fixed.sum(axis=(1, 2))
        table.add(poses, -known, np.full(len(known), np.inf))


def objective_weights(setting: Setting, objective: Objective, middle: Floats) -> tuple[Floats, float]:
    """The objective as weights of the program's unknowns and a constant."""
    parts = setting.system.parts
    free, count = parts.free, len(parts.free)
    weights = np.zeros(3 * count + 2 * len(middle) + 2 * len(setting.pairs.carrier))
    weights[: 3 * count] = objective.linear[free].ravel()
    held = np.flatnonzero(parts.moving < 0)
    constant = float((objective.linear[held] * parts.drawn[held]).sum()) - objective.drawn
    for body, point, direction in zip(objective.body, objective.point, objective.direction, strict=True):
        place = parts.moving[body]
        if place < 0:
            constant += float(direction @ (parts.drawn[body, :2] + turn(parts.drawn[body, 2], point)))
            continue
        there = turn(middle[place], point)
        weights[3 * place : 3 * place + 2] += direction
        weights[3 * count + 2 * place] += float(direction @ there)
        weights[3 * count + 2 * place + 1] += float(direction @ np.array([-there[1], there[0]]))
    return weights, constant
