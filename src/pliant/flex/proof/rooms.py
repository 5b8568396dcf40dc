"""Who can meet whom, and in which room each point of a part stays.

A pair here is directed: points of one body seen from the frame of another, its carrier,

    z = w + R(φ)p,  w = R(−θ₁)(x₂ − x₁),  φ = θ₂ − θ₁.

As long as a motion stays in a box of poses, z stays in a box D, and it never is inside the carrier. So it
stays in that piece of D less the carrier's outline in which it is at the start: its room. That holds for
every point of a body; its convex vertices are followed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import shapely

from pliant.core.arrays import Floats, Geometries, Ints
from pliant.core.pose import carry, uncarry
from pliant.flex.contact.distance import Rows
from pliant.flex.geometry.parts import Parts
from pliant.flex.problem.system import System
from pliant.flex.proof.intervals import arc_boxes, turned_boxes

SHRUNK = 1e-9  # of the parts' size: what outlines are inset by, so that no rounding makes a touch an overlap
LONG = 0.2  # of a body's radius: edges of which points are followed
ALONG = (1 / 256, 1 / 64, 1 / 16, 1 / 4, 1 / 2, 3 / 4, 15 / 16, 63 / 64, 255 / 256)  # where on them


@dataclass(frozen=True, eq=False)
class PoseBox:
    """A box of poses of all bodies, with what is known of pairs of them; equal to itself alone."""

    low: Floats  # (B + 1, 3) poses of centroid frames; the same as high where a body is fixed
    high: Floats
    angle_low: Floats  # (A,) relative turns of the pairs that both move
    angle_high: Floats
    seat_low: Floats  # (P, 2) w of directed pairs
    seat_high: Floats
    followed: Ints  # (H,) the points that may still meet their carriers, of those with a room
    left: Geometries  # (H,) what is left of their rooms

    def copy(self) -> PoseBox:
        """A box of its own, whose arrays may be changed."""
        return PoseBox(*(array.copy() for array in vars(self).values()))


@dataclass(frozen=True)
class DirectedPairs:
    """Pairs (carrier, other) of bodies, P of them, and the angles between those that both move."""

    carrier: Ints  # (P,)
    other: Ints  # (P,)
    angle: Ints  # (P,) place among the angles: of moving bodies (M), then of pairs that both move (A)
    sign: Floats  # (P,) φ = sign·angle + offset
    offset: Floats  # (P,)
    joined: Ints  # (A, 2) the bodies of those angles: θ[1] − θ[0]
    reverse: Ints  # (P,) the same pair seen from the other body, -1 where there is none


def directed_pairs(parts: Parts, couples: Ints) -> DirectedPairs:
    """Directed pairs (P, 2) with their angles."""
    moving, drawn = parts.moving, parts.drawn
    both = [tuple(sorted(pair)) for pair in couples.tolist() if (moving[pair] >= 0).all()]
    joined = np.array(sorted(set(both)), np.int64).reshape(-1, 2)
    place = {tuple(pair): len(parts.free) + number for number, pair in enumerate(joined.tolist())}
    known = {tuple(pair): number for number, pair in enumerate(couples.tolist())}
    angle, sign, offset, reverse = [], [], [], []
    for first, second in couples.tolist():
        if moving[first] < 0:
            found = moving[second], 1.0, -drawn[first, 2]
        elif moving[second] < 0:
            found = moving[first], -1.0, drawn[second, 2]
        else:
            found = place[(min(first, second), max(first, second))], 1.0 if first < second else -1.0, 0.0
        angle.append(found[0])
        sign.append(found[1])
        offset.append(found[2])
        reverse.append(known.get((second, first), -1))
    return DirectedPairs(
        carrier=couples[:, 0],
        other=couples[:, 1],
        angle=np.array(angle, np.int64),
        sign=np.array(sign, np.float64),
        offset=np.array(offset, np.float64),
        joined=joined,
        reverse=np.array(reverse, np.int64),
    )


@dataclass(frozen=True)
class Rooms:
    """Points (G,) of the others of pairs, and the room that each stays in, in the carrier's frame."""

    pair: Ints
    point: Floats  # (G, 2) in the centroid frame of its body
    room: Geometries  # (G,)


@dataclass(frozen=True)
class Setting:
    """An assembly as its bounds see it: pairs, rooms and joints."""

    system: System
    pairs: DirectedPairs
    rooms: Rooms
    joints: Rows  # d ≥ 0, loosened where a polygon was inscribed
    pivots: Rows  # d = 0
    joint_pair: Ints  # (R,) of joints and pivots, one after the other


def meeting_couples(parts: Parts, low: Floats, high: Floats) -> Ints:
    """Pairs of bodies, both ways, that may come near each other within a box of poses (B + 1, 3)."""
    count = parts.count
    first, second = np.triu_indices(count, 1)
    moves = (parts.moving[first] >= 0) | (parts.moving[second] >= 0)
    apart = np.maximum(low[first, :2] - high[second, :2], low[second, :2] - high[first, :2])
    near = np.hypot(*np.maximum(apart, 0.0).T) <= parts.radius[first] + parts.radius[second]
    kept = np.stack([first, second], axis=1)[moves & near]
    free = np.array([tuple(pair) not in parts.exempt for pair in kept.tolist()], np.bool_)
    kept = kept[free] if len(kept) else kept
    return np.concatenate([kept, kept[:, ::-1]])


def angle_ranges(parts: Parts, pairs: DirectedPairs, box: PoseBox) -> tuple[Floats, Floats]:
    """Low and high of every angle (M + A,): turns of moving bodies, then relative turns of pairs."""
    first, second = pairs.joined.T
    low = np.maximum(box.angle_low, box.low[second, 2] - box.high[first, 2])
    high = np.minimum(box.angle_high, box.high[second, 2] - box.low[first, 2])
    free = parts.free
    return np.append(box.low[free, 2], low), np.append(box.high[free, 2], high)


def relative_turns(pairs: DirectedPairs, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Low and high (P,) of φ, from the ranges of the angles."""
    ends = np.stack([low[pairs.angle], high[pairs.angle]]) * pairs.sign + pairs.offset
    return ends.min(axis=0), ends.max(axis=0)


def seat_boxes(pairs: DirectedPairs, box: PoseBox) -> tuple[Floats, Floats]:
    """The boxes (P, 2) of w: what the poses give, within what is known."""
    carrier, other = pairs.carrier, pairs.other
    low = box.low[other, :2] - box.high[carrier, :2]
    high = box.high[other, :2] - box.low[carrier, :2]
    least, most = turned_boxes(low, high, -box.high[carrier, 2], -box.low[carrier, 2])
    return np.maximum(least, box.seat_low), np.minimum(most, box.seat_high)


def make_setting(system: System, low: Floats, high: Floats, joints: Rows, pivots: Rows) -> Setting:
    """The pairs and rooms of a box of poses (B + 1, 3)."""
    parts = system.parts
    rows = Rows.join(joints, pivots)
    held = np.stack([rows.edge_body, rows.point_body], axis=1)
    moves = (parts.moving[held] >= 0).any(axis=1)
    couples = meeting_couples(parts, low, high)
    every = np.unique(np.concatenate([couples, held[moves]]), axis=0)
    pairs = directed_pairs(parts, every)
    number = {tuple(pair): place for place, pair in enumerate(every.tolist())}
    of_row = np.array([number.get(tuple(pair), -1) for pair in held.tolist()], np.int64)
    which = np.array([number[tuple(pair)] for pair in couples.tolist()], np.int64)
    return Setting(system, pairs, _rooms(parts, pairs, which, low, high), joints, pivots, of_row)


def _rooms(parts: Parts, pairs: DirectedPairs, which: Ints, low: Floats, high: Floats) -> Rooms:
    """The rooms of points of the others of some pairs, but for those that never meet the carrier."""
    followed = [_followed_points(parts, body) for body in range(parts.count)]
    points = [followed[body] for body in pairs.other[which]]
    point = np.concatenate([np.zeros((0, 2)), *points])
    pair = np.repeat(which, [len(each) for each in points]).astype(np.int64)
    box = _poses_alone(pairs, low, high)
    least, most = reach_boxes(parts, pairs, box, pair, point)
    carrier = pairs.carrier[pair]
    solid = np.asarray(shapely.buffer(parts.regions, -SHRUNK * parts.size, join_style="mitre"))
    reach = shapely.box(least[:, 0], least[:, 1], most[:, 0], most[:, 1])
    shape = parts.shape_of[carrier] if len(carrier) else np.zeros(0, np.int64)
    meets = np.flatnonzero(shapely.intersects(solid[shape], reach)) if len(carrier) else np.zeros(0, np.int64)
    pair, point, carrier = pair[meets], point[meets], carrier[meets]
    start = uncarry(parts.drawn[carrier], carry(parts.drawn[pairs.other[pair]], point))
    left = shapely.difference(reach[meets], solid[shape[meets]])
    rooms = [_piece_about(each, at, 1e-7 * parts.size) for each, at in zip(left, start, strict=True)]
    return Rooms(pair, point, np.array(rooms, object))


def _followed_points(parts: Parts, body: int) -> Floats:
    """Convex vertices of a body, and points of its long edges.

    Two bodies may share the ends of edges, or pass tip by tip, so that no vertex is inside the other.
    """
    outlines = parts.outlines
    own = outlines.body == body
    long = np.flatnonzero(own & (outlines.length > LONG * parts.radius[body]))
    start, end = outlines.point[long], outlines.point[outlines.follow[long]]
    between = [(1 - share) * start + share * end for share in ALONG]
    return np.concatenate([outlines.point[own & outlines.convex], *between])


def _piece_about(region: shapely.Geometry, at: Floats, near: float) -> shapely.Geometry:
    """The piece of a region that a point is in, or all pieces that it is at the border of."""
    pieces = [piece for piece in shapely.get_parts(region) if piece.area > 0]
    if len(pieces) <= 1:
        return region
    away = shapely.distance(np.array(pieces), shapely.Point(at))
    if away.min() > near:
        return region
    return shapely.union_all([piece for piece, far in zip(pieces, away, strict=True) if far <= near])


def open_box(setting: Setting, low: Floats, high: Floats) -> PoseBox:
    """A box of which nothing but the poses and the rooms are known."""
    box = _poses_alone(setting.pairs, low, high)
    return replace(box, followed=np.arange(len(setting.rooms.pair)), left=setting.rooms.room)


def _poses_alone(pairs: DirectedPairs, low: Floats, high: Floats) -> PoseBox:
    turns, seats = np.full(len(pairs.joined), np.inf), np.full((len(pairs.carrier), 2), np.inf)
    nobody = np.zeros(0, np.int64)
    return PoseBox(low, high, -turns, turns, -seats, seats, nobody, np.zeros(0, object))


def reach_boxes(
    parts: Parts, pairs: DirectedPairs, box: PoseBox, pair: Ints, point: Floats
) -> tuple[Floats, Floats]:
    """The boxes (G, 2) of z of points (G, 2)."""
    low, high = relative_turns(pairs, *angle_ranges(parts, pairs, box))
    seat_low, seat_high = seat_boxes(pairs, box)
    least, most = arc_boxes(point, low[pair], high[pair])
    return seat_low[pair] + least, seat_high[pair] + most
