"""What a flex result says, read anew: bodies as rings at poses, joints as distances, the objective.

Nothing here comes from the solver but its answer: the model, the inset shapes and the frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from pliant.core.pose import carry, turn, uncarry
from pliant.flex.model import Assembly
from pliant.flex.result import FlexResult

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Polygons = NDArray[np.object_]


@dataclass(frozen=True)
class Played:
    """An assembly that was moved: its bodies in frames at their centroids, and where they went."""

    names: tuple[str, ...]
    rings: tuple[tuple[Floats, ...], ...]  # of each body, about its centroid
    centroid: Floats  # (B, 2) in the user's frame
    origin: Floats  # (B, 2) the centroid in the frame that `frames` are of
    fixed: NDArray[np.bool_]  # (B,)
    frames: Floats  # (F, B, 3) of the user's frames, or of others
    pairs: Ints  # (P, 2) that must not overlap: not both fixed, not joined by a pin
    model: Assembly
    size: float  # of the largest moving body

    @property
    def drawn(self) -> Floats:
        """(B, 3) of the frames at the centroids."""
        poses = np.array([body.pose for body in self.model.bodies])
        return np.concatenate([carry(poses, self.centroid), poses[:, 2:]], axis=-1)

    def index(self, name: str | None) -> int:
        return self.names.index(name or "")

    def centred(self, poses: Floats) -> Floats:
        """Poses (…, B, 3) of the frames at the centroids, from those that `frames` are of."""
        return np.concatenate([carry(poses, self.origin), poses[..., 2:]], axis=-1)

    def polygons(self, bodies: Ints, poses: Floats) -> Polygons:
        """Bodies (N,) at poses (N, 3) as `frames` has them."""
        made = np.empty(len(bodies), object)
        for body in np.unique(bodies):
            at = np.flatnonzero(bodies == body)
            rings = [self._closed(body, ring, poses[at]) for ring in self.rings[body]]
            made[at] = shapely.polygons(rings[0], holes=np.stack(rings[1:], axis=1) if rings[1:] else None)
        return made

    def _closed(self, body: int, ring: Floats, poses: Floats) -> Polygons:
        closed = np.vstack([ring, ring[:1]]) + self.origin[body]
        return np.asarray(shapely.linearrings(carry(poses[:, None, :], closed)))

    @property
    def objective(self) -> Objective:
        """What is maximised."""
        return objective_of(self)

    @property
    def about_centroids(self) -> Played:
        """The same with every body's frame at its centroid: on the way it turns about that."""
        return replace(self, origin=np.zeros_like(self.origin), frames=self.centred(self.frames))


def played(result: FlexResult) -> Played:
    """The bodies and frames of a result."""
    model, rings, origin = result.model, [], []
    for shape in result.shape_of:
        own = result.shapes[shape].rings
        centre = np.array(shapely.Polygon(own[0], own[1:]).centroid.coords[0])
        rings.append(tuple(ring - centre for ring in own))
        origin.append(centre)
    fixed = np.array([body.fixed for body in model.bodies])
    names = tuple(body.name for body in model.bodies)
    spans = [float(np.ptp(own[0], axis=0).max()) for own, held in zip(rings, fixed, strict=True) if not held]
    return Played(
        names=names,
        rings=tuple(rings),
        centroid=np.array(origin),
        origin=np.array(origin),
        fixed=fixed,
        frames=np.asarray(result.frames.poses),
        pairs=_pairs(model, names, fixed),
        model=model,
        size=max(spans, default=1.0),
    )


def _pairs(model: Assembly, names: Sequence[str], fixed: NDArray[np.bool_]) -> Ints:
    joined = {frozenset(pin.bodies) for pin in model.pins}
    joined |= {frozenset(weld.bodies) for weld in getattr(model, "welds", ())}
    found = [
        (a, b)
        for b in range(len(names))
        for a in range(b)
        if not (fixed[a] and fixed[b]) and frozenset((names[a], names[b])) not in joined
    ]
    return np.array(found, np.int64).reshape(-1, 2)


@dataclass(frozen=True)
class Objective:
    """What is maximised, at poses of the frames at the centroids; 0 as drawn."""

    linear: Floats  # (B, 3)
    body: Ints  # (T,)
    point: Floats  # (T, 2) about the centroid
    direction: Floats  # (T, 2)
    drawn: float
    arm: float  # what a body travels, at least, for each unit that is gained: of a turn, its radius

    def value(self, poses: Floats) -> Floats:
        """At (…, B, 3)."""
        points = carry(poses[..., self.body, :], self.point)
        return (
            (self.linear * poses).sum(axis=(-1, -2))
            + (self.direction * points).sum(axis=(-1, -2))
            - self.drawn
        )


def objective_of(play: Played) -> Objective:
    """From the terms of the model's study; gathering is not known here."""
    study = play.model.study.for_command("flex")
    linear, followed = np.zeros((len(play.names), 3)), []
    drawn = play.drawn
    for term in study.maximize:
        body = play.index(term.body) if term.body else -1
        if term.direction is not None and term.point is not None:
            followed.append(
                (body, np.array(term.point) - play.centroid[body], term.weight * np.array(term.direction))
            )
        elif term.direction is not None:
            linear[body, :2] += term.weight * np.array(term.direction)
        elif term.spin is not None:
            linear[body, 2] += term.weight * term.spin
        elif term.radial is not None:
            away = drawn[:, :2] - term.radial
            distance = np.hypot(*away.T)[:, None]
            linear[:, :2] += term.weight * np.divide(
                away, distance, out=np.zeros_like(away), where=distance > 0
            )
        else:
            raise NotImplementedError("gather")
    body, point, direction = zip(*followed, strict=True) if followed else ((), (), ())
    made: Any = (linear, np.array(body, np.int64), np.reshape(point, (-1, 2)), np.reshape(direction, (-1, 2)))
    radii = np.array([np.hypot(*rings[0].T).max() for rings in play.rings])
    weights = (np.hypot(*linear[:, :2].T), np.abs(linear[:, 2]) / radii, np.hypot(*made[3].T))
    arm = 1.0 / max(float(weight.max(initial=0.0)) for weight in weights)
    return Objective(*made, drawn=float(Objective(*made, 0.0, arm).value(drawn)), arm=arm)


@dataclass(frozen=True)
class Row:
    """One side of a joint other than contact: d ≥ 0 at poses (…, B, 3) of the centroid frames.

    kind 0: d = most − |a's point − b's point|; 1: d = n·(b's point − offset point) in a's frame (a = −1: the
    world's); 2: d = sign·(q[column] − bound), a turn times the arm.
    """

    label: str
    kind: int
    a: int
    b: int
    first: tuple[float, float]  # 0: point of a; 1: normal; 2: (sign·arm, 0)
    second: tuple[float, float]  # point of b; 2: (column, bound)
    third: tuple[float, float]  # 0: (most, 0); 1: a point of the line

    def gap(self, poses: Floats) -> Floats:
        """d at (…, B, 3)."""
        if self.kind == 0:
            apart = carry(poses[..., self.b, :], np.array(self.second)) - carry(
                poses[..., self.a, :], np.array(self.first)
            )
            return self.third[0] - np.hypot(apart[..., 0], apart[..., 1])
        if self.kind == 2:
            return self.first[0] * (poses[..., self.b, int(self.second[0])] - self.second[1])
        point = carry(poses[..., self.b, :], np.array(self.second))
        if self.a >= 0:
            point = uncarry(poses[..., self.a, :], point)
        return (point - np.array(self.third)) @ np.array(self.first)


def rows_of(play: Played) -> list[Row]:
    """Pins, keep regions, sights and limits of the model."""
    model, rows = play.model, []
    drawn = play.drawn

    def own(body: int, point: Any) -> tuple[float, float]:
        x, y = np.asarray(point) - play.centroid[body]
        return float(x), float(y)

    for pin in model.pins:
        a, b = (play.index(name) for name in pin.bodies)
        at = np.array(pin.at)
        ends = [tuple(uncarry(drawn[body], at).tolist()) for body in (a, b)]
        rows.append(Row(f"pin {pin.bodies[0]}–{pin.bodies[1]}", 0, a, b, *ends, (pin.clearance / 2, 0.0)))
    for keep in model.keep:
        b, ring = (
            play.index(keep.body),
            shapely.get_coordinates(shapely.orient_polygons(shapely.Polygon(keep.inside))),
        )
        for tail, side in zip(ring[:-1], np.diff(ring, axis=0), strict=True):
            inward = np.array([-side[1], side[0]]) / np.hypot(*side)
            rows.append(Row(f"keep {keep.body}", 1, -1, b, tuple(inward), own(b, keep.point), tuple(tail)))
    for sight in model.sights:
        a, b = play.index(sight.viewer), play.index(sight.to)
        for sign in (1, -1):
            edge = turn(np.array(sight.axis + sign * sight.half_angle), np.array([1.0, 0.0]))
            inner = sign * np.array([edge[1], -edge[0]])
            label = f"sight {sight.viewer}–{sight.to}"
            rows.append(Row(label, 1, a, b, tuple(inner), own(b, sight.marker), own(a, sight.apex)))
    for limit in model.limits:
        b, spin = play.index(limit.body), limit.rotation
        arm = float(np.hypot(*play.rings[b][0].T).max())
        spans = (limit.x, limit.y, (-spin, spin) if isinstance(spin, float) else spin)
        for column, span in enumerate(spans):
            for sign, bound in zip((1.0, -1.0), span or (), strict=False):
                reach = sign * (arm if column == 2 else 1.0)
                at = (float(column), float(drawn[b, column] + bound))
                rows.append(Row(f"limit {limit.body}", 2, -1, b, (reach, 0.0), at, (0.0, 0.0)))
    return rows
