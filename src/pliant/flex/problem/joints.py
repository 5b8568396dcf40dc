"""What holds bodies besides contact: pins, keep regions, sights and limits, as rows.

These rows never change; contacts are selected anew at every step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.outline import signed_area
from pliant.core.pose import carry, dot, uncarry
from pliant.flex.contact.distance import Rows
from pliant.flex.geometry.parts import Parts
from pliant.flex.model import Assembly, Keep, Limit, Pin, Sight


@dataclass(frozen=True)
class Linear:
    """Rows that are linear in the poses: d = Σ blocks · (poses of the bodies) + offset."""

    bodies: Ints  # (L, 2) body indices, the ground where there is none
    blocks: Floats  # (L, 2, 3)
    offset: Floats  # (L,)
    source: Ints  # (L,) joint

    def gaps(self, poses: Floats) -> Floats:
        """d, (L,)."""
        return (self.blocks * poses[self.bodies]).sum(axis=(1, 2)) + self.offset


@dataclass(frozen=True)
class Joint:
    """Something other than contact that can stop a motion, for reports."""

    kind: str  # "pin", "keep", "sight", "limit", "gather", "place"
    bodies: tuple[str, ...]
    label: str


@dataclass(frozen=True)
class Joints:
    """Every row of an assembly that is no contact."""

    joints: tuple[Joint, ...]
    rows: Rows  # d ≥ 0
    pivots: Rows  # d = 0, two rows each
    linear: Linear
    pin_error: float  # how much play the inscribed polygons leave out, at most

    def seen_by_users(self, parts: Parts) -> Rows:
        """All of them but the linear ones in the user's frames, as d ≥ 0: pivots from either side."""
        turned = replace(self.pivots, normal=-self.pivots.normal, offset=-self.pivots.offset)
        rows = Rows.join(self.rows, self.pivots, turned)
        origins = np.vstack([parts.origins, np.zeros(2)])
        offset = rows.offset - dot(rows.normal, origins[rows.edge_body])
        return replace(rows, offset=offset, point=rows.point - origins[rows.point_body])


def compile_joints(model: Assembly, parts: Parts) -> Joints:
    """Rows for pins, keep regions, sights and limits."""
    joints: list[Joint] = []
    rows: list[Rows] = [Rows.none()]
    pivots: list[Rows] = [Rows.none()]
    for pin in model.pins:
        if parts.index(pin.bodies[0]) != parts.index(pin.bodies[1]):
            made = _pin(pin, parts, len(joints))
            (pivots if pin.clearance == 0 else rows).append(made)
        joints.append(Joint("pin", pin.bodies, f"pin of {pin.bodies[0]} and {pin.bodies[1]}"))
    for keep in model.keep:
        rows.append(_keep(keep, parts, len(joints)))
        joints.append(Joint("keep", (keep.body,), f"keep region of {keep.body}"))
    for sight in model.sights:
        if parts.index(sight.viewer) != parts.index(sight.to):
            rows.append(_sight(sight, parts, len(joints)))
        joints.append(Joint("sight", (sight.viewer, sight.to), f"sight from {sight.viewer} to {sight.to}"))
    limits = [_limit(limit, parts, len(joints) + place) for place, limit in enumerate(model.limits)]
    rows += [_limit_of_member(limit, parts, len(joints) + place) for place, limit in enumerate(model.limits)]
    joints += [Joint("limit", (limit.body,), f"limit of {limit.body}") for limit in model.limits]
    for tie in parts.ties:
        pivots.append(_tie(tie, parts, len(joints)))
        joints.append(Joint("weld", (parts.names[tie[0]], parts.names[tie[1]]), "weld"))
    error = max((pin.clearance / 2 * (1 - np.cos(np.pi / pin.sides)) for pin in model.pins), default=0.0)
    return Joints(tuple(joints), Rows.join(*rows), Rows.join(*pivots), join_linear(limits), float(error))


def _pin(pin: Pin, parts: Parts, source: int) -> Rows:
    """The peg's centre stays in a disc about the hole's, as an inscribed polygon; or on it.

    |peg − hole| ≤ clearance/2 becomes `sides` half-planes at distance clearance/2·cos(π/sides):
    inside the disc, so that no pose is allowed that the pin forbids.
    """
    hole, peg = (parts.index(name) for name in pin.bodies)
    if pin.clearance == 0:
        return pivot_rows(hole, peg, np.array(pin.at), parts, source)
    centre, point = (uncarry(parts.drawn[body], np.array(pin.at)) for body in (hole, peg))
    angle = 2 * np.pi * np.arange(pin.sides) / pin.sides
    normal = -np.stack([np.cos(angle), np.sin(angle)], axis=1)
    play = pin.clearance / 2 * np.cos(np.pi / pin.sides)
    return _lines(hole, peg, normal, normal @ centre - play, point, source)


def pivot_rows(first: int, second: int, at: Floats, parts: Parts, source: int) -> Rows:
    """Two rows d = 0: a point of the drawing stays where it is on both bodies."""
    centre, point = (uncarry(parts.drawn[body], at) for body in (first, second))
    return _lines(first, second, np.eye(2), centre, point, source)


def _tie(tie: tuple[int, int], parts: Parts, source: int) -> Rows:
    """Two bodies are one: pivots at the ends of a line across them."""
    first, second = tie
    centre, reach = parts.drawn[first, :2], np.array([max(parts.radius[first], parts.radius[second]), 0.0])
    return Rows.join(
        *(pivot_rows(first, second, at, parts, source) for at in (centre - reach, centre + reach))
    )


def _keep(keep: Keep, parts: Parts, source: int) -> Rows:
    body = parts.index(keep.body)
    normal, offset = _inward(np.array(keep.inside))
    return _lines(parts.count, body, normal, offset, parts.local(keep.body, keep.point), source)


def _inward(ring: Floats) -> tuple[Floats, Floats]:
    side = np.roll(ring, -1, axis=0) - ring
    inward = np.stack([-side[:, 1], side[:, 0]], axis=1) * np.sign(signed_area(ring))
    normal = inward / np.hypot(*side.T)[:, None]
    return normal, (normal * ring).sum(axis=1)


def _sight(sight: Sight, parts: Parts, source: int) -> Rows:
    """The marker stays on the inner side of both edges of the cone."""
    viewer, seen = parts.index(sight.viewer), parts.index(sight.to)
    axis = sight.axis + parts.members.turn[parts.member(sight.viewer)]
    left, right = axis + sight.half_angle, axis - sight.half_angle
    normal = np.array([[np.sin(left), -np.cos(left)], [-np.sin(right), np.cos(right)]])
    apex = parts.local(sight.viewer, sight.apex)
    return _lines(viewer, seen, normal, normal @ apex, parts.local(sight.to, sight.marker), source)


def _lines(carrier: int, body: int, normal: Floats, offset: Floats, point: Floats, source: int) -> Rows:
    count = len(normal)
    return Rows(
        edge_body=np.full(count, carrier),
        point_body=np.full(count, body),
        normal=normal,
        offset=offset,
        point=np.tile(point, (count, 1)),
        source=np.full(count, source),
    )


def _limit(limit: Limit, parts: Parts, source: int) -> Linear:
    """Low ≤ q − drawn ≤ high for the turn, and for the travel of the centroid where that is the body's."""
    turn = limit.rotation
    spans: list[Any] = [limit.x, limit.y, (-turn, turn) if isinstance(turn, float) else turn]
    if not parts.alone(limit.body):
        spans[:2] = None, None
    body = parts.index(limit.body)
    made = [
        half_line(parts, body, column, sign, bound, source)
        for column, span in enumerate(spans)
        if span is not None
        for sign, bound in ((1.0, span[0]), (-1.0, span[1]))
    ]
    return join_linear(made)


def _limit_of_member(limit: Limit, parts: Parts, source: int) -> Rows:
    """Low ≤ travel ≤ high along x and y for the centroid of a member, which turns with its body."""
    if parts.alone(limit.body):
        return Rows.none()
    body, point = parts.index(limit.body), parts.members.centre[parts.member(limit.body)]
    drawn, axes = carry(parts.drawn[body], point), np.eye(2)
    rows = [Rows.none()]
    for axis, span in zip(axes, (limit.x, limit.y), strict=True):
        for sign, bound in zip((1.0, -1.0), span or (), strict=False):
            offset = sign * (axis @ drawn + bound)
            rows.append(_lines(parts.count, body, sign * axis[None], np.array([offset]), point, source))
    return Rows.join(*rows)


def half_line(parts: Parts, body: int, column: int, sign: float, bound: float, source: int) -> Linear:
    """A turn counts as the travel it gives the body's outermost point: every row is a length."""
    arm = sign * (parts.radius[body] if column == 2 else 1.0)
    blocks = np.zeros((1, 2, 3))
    blocks[0, 0, column] = arm
    offset = -arm * (parts.drawn[body, column] + bound)
    return Linear(np.array([[body, parts.count]]), blocks, np.array([offset]), np.array([source]))


def join_linear(parts: list[Linear]) -> Linear:
    """Linear rows one after the other."""
    empty = Linear(np.zeros((0, 2), np.int64), np.zeros((0, 2, 3)), np.zeros(0), np.zeros(0, np.int64))
    every = [empty, *parts]
    return Linear(
        np.concatenate([part.bodies for part in every]),
        np.concatenate([part.blocks for part in every]),
        np.concatenate([part.offset for part in every]),
        np.concatenate([part.source for part in every]),
    )
