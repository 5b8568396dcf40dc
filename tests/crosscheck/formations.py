"""Whether robots of a formation keep clear of each other and in view, at every frame and between them.

By numpy alone, from the frames and the model of a result. From frame to frame each pose goes straight in
(x, y, θ), as films draw it. The gap of two convex outlines is the widest separation along a normal of
either: negative by how deep they overlap. Seen from either body nothing of the other moves by more than s
between two times, and then no gap or distance from a cone's edge changes by more than s: between two times
with d₀ and d₁ it is at least (d₀ + d₁ − s)/2. Ways are halved until that is not below what is allowed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pliant.core.pose import carry, rotations
from pliant.flex.result import FlexResult

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

HALVINGS = 14
TOGETHER = 4_000_000  # pairs that are looked at in one go


def least_gap(result: FlexResult, allowed: float) -> float:
    """A gap that no two bodies of which one moves are nearer than on the way; −∞ where none was proved."""
    outlines = _outlines(result)
    radius = np.hypot(*np.moveaxis(outlines, 2, 0)).max(axis=1)
    fixed = np.array([body.fixed for body in result.model.bodies])
    least = np.inf
    for before, after in zip(result.frames.poses[:-1], result.frames.poses[1:], strict=True):
        first, second = _meeting(before, after, radius, fixed)

        def gap(poses: Floats, pair: Ints, first: Ints = first, second: Ints = second) -> Floats:
            return _gaps(outlines, poses[0], poses[1], first[pair], second[pair])

        ends = [np.stack([poses[first], poses[second]]) for poses in (before, after)]
        reach = radius[first] + radius[second]
        least = min(least, _least(gap, ends[0], ends[1], reach, allowed))
    return least


def least_view(result: FlexResult, allowed: float) -> float:
    """How far inside its cone's edges every marker stays on the way, at least; −∞ where none was proved."""
    places = {body.name: place for place, body in enumerate(result.model.bodies)}
    sights = result.model.sights
    viewer, seen = (np.array([places[getattr(s, key)] for s in sights]) for key in ("viewer", "to"))
    apex, marker = (np.array([getattr(s, key) for s in sights]) for key in ("apex", "marker"))
    axis, half = np.array([s.axis for s in sights]), np.array([s.half_angle for s in sights])

    def inside(poses: Floats, which: Ints) -> Floats:
        ray = carry(poses[1], marker[which]) - carry(poses[0], apex[which])
        off = np.arctan2(ray[:, 1], ray[:, 0]) - poses[0][:, 2] - axis[which]
        off = np.abs(np.arctan2(np.sin(off), np.cos(off)))
        return np.hypot(*ray.T) * np.sin(np.clip(half[which] - off, -np.pi / 2, np.pi / 2))

    reach = np.hypot(*apex.T) + np.hypot(*marker.T)
    least = np.inf
    for before, after in zip(result.frames.poses[:-1], result.frames.poses[1:], strict=True):
        ends = [np.stack([poses[viewer], poses[seen]]) for poses in (before, after)]
        least = min(least, _least(inside, ends[0], ends[1], reach, allowed))
    return least


def _least(
    measure: Callable[[Floats, Ints], Floats], before: Floats, after: Floats, reach: Floats, allowed: float
) -> float:
    """A bound from below on a measure of pairs as poses (2, P, 3) go straight from `before` to `after`."""
    which = np.arange(before.shape[1])
    low, high, least = measure(before, which), measure(after, which), np.inf
    for _ in range(HALVINGS):
        bound = 0.5 * (low + high - _travel(before, after, reach[which]))
        near = bound < -allowed
        if (~near).any():
            least = min(least, float(bound[~near].min()))
        if not near.any():
            return least
        before, after, low, high, which = before[:, near], after[:, near], low[near], high[near], which[near]
        middle = 0.5 * (before + after)
        at = measure(middle, which)
        before, after = np.concatenate([before, middle], axis=1), np.concatenate([middle, after], axis=1)
        low, high, which = np.append(low, at), np.append(at, high), np.append(which, which)
    return -np.inf


def _travel(before: Floats, after: Floats, reach: Floats) -> Floats:
    """How far any point of either body goes as the other sees it, at most."""
    apart, later = before[1] - before[0], after[1] - after[0]
    furthest = np.maximum(np.hypot(*apart[:, :2].T), np.hypot(*later[:, :2].T)) + reach
    spin = np.abs(after - before)[..., 2].sum(axis=0)
    return np.hypot(*(later - apart)[:, :2].T) + spin * furthest


def _outlines(result: FlexResult) -> Floats:
    """The outlines (B, V, 2) of bodies, all convex and of as many vertices."""
    rings = [np.asarray(shape.rings[0]) for shape in result.shapes]
    return np.array([rings[shape] for shape in result.shape_of])


def _gaps(outlines: Floats, one: Floats, other: Floats, first: Ints, second: Ints) -> Floats:
    """The widest separation of each pair along a normal of either, (P,)."""
    world = [_world(outlines[body], poses) for body, poses in ((first, one), (second, other))]
    best = np.full(len(first), -np.inf)
    for own, against in (world, world[::-1]):
        side = np.roll(own, -1, axis=1) - own
        normal = (
            np.stack([side[..., 1], -side[..., 0]], axis=-1) / np.hypot(*np.moveaxis(side, -1, 0))[..., None]
        )
        height = np.einsum("pek,pevk->pev", normal, against[:, None] - own[:, :, None])
        best = np.maximum(best, height.min(axis=2).max(axis=1))
    return best


def _world(outline: Floats, poses: Floats) -> Floats:
    turn = rotations(poses)
    cosine, sine = turn[:, 0, None], turn[:, 1, None]
    x, y = outline[..., 0], outline[..., 1]
    return np.stack([cosine * x - sine * y, sine * x + cosine * y], axis=-1) + poses[:, None, :2]


def _meeting(before: Floats, after: Floats, radius: Floats, fixed: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Pairs whose circles meet as their centres go straight, one of them moving."""
    count = len(radius)
    firsts, seconds = [], []
    for low in range(0, count, max(TOGETHER // count, 1)):
        rows = np.arange(low, min(low + max(TOGETHER // count, 1), count))
        apart = before[None, :, :2] - before[rows, None, :2]
        way = after[None, :, :2] - after[rows, None, :2] - apart
        speed = (way * way).sum(axis=-1)
        t = np.clip(-(apart * way).sum(axis=-1) / np.where(speed > 0, speed, 1.0), 0.0, 1.0)
        nearest = apart + t[..., None] * way
        meet = np.hypot(nearest[..., 0], nearest[..., 1]) <= radius[rows, None] + radius
        meet &= (np.arange(count) > rows[:, None]) & ~(fixed[rows, None] & fixed)
        first, second = np.nonzero(meet)
        firsts.append(rows[first])
        seconds.append(second)
    return np.concatenate(firsts), np.concatenate(seconds)
