"""Whether bodies pass through one another on the way from pose to pose.

Polygons that are apart and move continuously begin to overlap where a convex vertex of one
enters the other. So the way of every convex vertex is followed in the frame of every body it
comes near, and must not meet that body's outline inset by the overlap that is allowed. Between
two frames poses go straight, (x, y, θ) of the user's own frames, as films and players show
them. A vertex then goes along a curve; its chords err by at most |p''|/8 a piece, and pieces
are made short enough for that to be little of what is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely
from numpy.typing import NDArray

from pliant.core.pose import Floats, carry, uncarry
from pliant.flex.neighbours import Ints, exempt_pairs
from pliant.flex.parts import Parts

LEVELS = (0.02, 0.1, 0.3, 1.0)  # of what is allowed: how deep a vertex may be found to get
CHORD = 0.2  # of what is allowed: how far a chord may err from a vertex's way
MOST_PIECES = 64  # of the way from frame to frame


@dataclass(frozen=True)
class Crossings:
    """Vertices that go deeper into bodies than is allowed, each with the edge that it enters by."""

    vertex: Ints  # (K,)
    body: Ints  # (K,)
    edge: Ints  # (K,)
    when: Floats  # (K,) in frames from the start
    depth: float  # a bound on how deep the others get

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return len(self.vertex) > 0


class Insets:
    """Outlines inset by each of the depths that are told apart, prepared for many questions."""

    def __init__(self, parts: Parts, allowed: float) -> None:
        self.allowed = allowed
        self.chord = CHORD * allowed
        self.depths = tuple(level * (1 - CHORD) * allowed for level in LEVELS)
        self.polygons = [shapely.buffer(parts.regions, -depth, join_style="mitre") for depth in self.depths]
        for polygons in self.polygons:
            shapely.prepare(polygons)


def crossings(parts: Parts, insets: Insets, frames: Floats, vertex: Ints, body: Ints) -> Crossings:
    """Follow vertices (G,) in the frames of bodies (G,) along frames (F, B + 1, 3) of centroid frames."""
    pieces, error = _pieces(parts, frames, vertex, body, insets.chord)
    found: list[tuple[Ints, Ints, Ints, Floats]] = []
    depth = 0.0
    for count in np.unique(pieces):
        which = np.flatnonzero(pieces == count)
        ways = _ways(parts, frames, vertex[which], body[which], int(count))
        near = _meets_box(parts, ways, body[which])
        which, ways = which[near], ways[near]
        lines = np.asarray(shapely.linestrings(ways))
        entering, deep = _deepest(parts, insets, lines, ways[:, 0], body[which])
        depth = max(depth, deep)
        if len(entering):
            chosen = which[entering]
            edge, when = _entered(parts, insets, lines[entering], body[chosen])
            found.append((vertex[chosen], body[chosen], edge, when / count))
    bound = depth + float(error.max(initial=0.0)) if depth > 0 else 0.0
    if not found:
        none = np.zeros(0, np.int64)
        return Crossings(none, none, none, np.zeros(0), bound)
    return Crossings(*(np.concatenate(column) for column in zip(*found, strict=True)), depth=bound)


def _deepest(
    parts: Parts, insets: Insets, lines: NDArray[np.object_], starts: Floats, body: Ints
) -> tuple[Ints, float]:
    """Which ways get deeper than is allowed, and how deep the others get at most.

    What starts too deep is being mended; the rows of the program see to that.
    """
    left = np.arange(len(lines))
    entering = np.zeros(0, np.int64)
    deep = 0.0
    for depth, polygons in zip(insets.depths, insets.polygons, strict=True):
        left = left[shapely.intersects(polygons[parts.shape_of[body[left]]], lines[left])]
        if not len(left):
            break
        deep = depth
        entering = left
    if deep < insets.depths[-1]:
        following = insets.depths[insets.depths.index(deep) + 1] if deep else insets.depths[0]
        return np.zeros(0, np.int64), following if deep else 0.0
    inside = shapely.intersects_xy(insets.polygons[-1][parts.shape_of[body[entering]]], starts[entering])
    return entering[~inside], insets.allowed


def _pieces(parts: Parts, frames: Floats, vertex: Ints, body: Ints, chord: float) -> tuple[Ints, Floats]:
    """Into how many pieces each way must be cut from frame to frame, a power of 2, and how far chords err.

    In the frame of body 1, p = R(−θ₁)(x₂ + R(θ₂)v − x₁) and
    |p''| ≤ ω₁²|w| + 2|ω₁||w'| + ω₂²|v| with w the bracket: as in `flex.check`.
    """
    owner = parts.outlines.body[vertex]
    arm = np.hypot(*_user_points(parts, vertex).T)
    most = np.zeros(len(vertex))
    poses = parts.user_poses(frames)
    for before, after in pairwise(poses):
        moved = after - before
        speed = np.hypot(*(moved[owner] - moved[body])[:, :2].T) + np.abs(moved[owner, 2]) * arm
        apart = np.hypot(*(before[owner] - before[body])[:, :2].T) + arm + speed
        turn, spin = np.abs(moved[body, 2]), np.abs(moved[owner, 2])
        most = np.maximum(most, turn**2 * apart + 2 * turn * speed + spin**2 * arm)
    wanted = np.ceil(np.sqrt(most / (8 * chord)))
    pieces = np.exp2(np.ceil(np.log2(np.clip(wanted, 1, MOST_PIECES)))).astype(np.int64)
    return pieces, most / (8.0 * pieces**2)


def _user_points(parts: Parts, vertex: Ints) -> Floats:
    """Vertices in the user's frames of their bodies."""
    return parts.outlines.point[vertex] - parts.origins[parts.outlines.body[vertex]]


def _ways(parts: Parts, frames: Floats, vertex: Ints, body: Ints, count: int) -> Floats:
    """Where vertices are, in the centroid frames of bodies: (G, (F − 1)·count + 1, 2)."""
    poses = parts.user_poses(frames)
    t = np.arange(count)[:, None, None] / count
    between = [before + t * (after - before) for before, after in pairwise(poses)]
    every = np.concatenate([*between, poses[-1:]])  # (T, B, 3)
    owner = parts.outlines.body[vertex]
    world = carry(every[:, owner], _user_points(parts, vertex))
    return np.moveaxis(uncarry(every[:, body], world) + parts.origins[body], 0, 1)


def _meets_box(parts: Parts, ways: Floats, body: Ints) -> NDArray[np.bool_]:
    """Which ways come into the box of the body they are seen from."""
    low, high = parts.boxes
    meets = (ways.max(axis=1) >= low[body]) & (ways.min(axis=1) <= high[body])
    return meets.all(axis=1)


def _entered(parts: Parts, insets: Insets, lines: NDArray[np.object_], body: Ints) -> tuple[Ints, Floats]:
    """The edge by which each way enters, and when, in pieces from the start.

    It is the edge nearest to where the way comes to the inset outline; of edges as near, the
    one that stands most across the way.
    """
    outlines = parts.outlines
    edges, times = np.empty(len(lines), np.int64), np.empty(len(lines))
    for place, (line, a) in enumerate(zip(lines, body, strict=True)):
        inside = shapely.intersection(line, insets.polygons[-1][parts.shape_of[a]])
        points = shapely.get_coordinates(inside)
        along = shapely.line_locate_point(line, shapely.points(points))
        entry = points[int(np.argmin(along))]
        way = shapely.get_coordinates(line)
        piece = np.append(0.0, np.cumsum(np.hypot(*np.diff(way, axis=0).T)))
        last = min(int(np.searchsorted(piece, along.min(), side="right")) - 1, len(way) - 2)
        heading = way[last + 1] - way[last]
        own = np.flatnonzero(outlines.body == a)
        arm = entry - outlines.point[own]
        reached = np.clip((arm * outlines.tangent[own]).sum(axis=1), 0.0, outlines.length[own])
        distance = np.hypot(*(arm - reached[:, None] * outlines.tangent[own]).T)
        tied = own[distance <= distance.min() + 0.5 * insets.allowed]
        edges[place] = tied[int(np.argmin(outlines.normal[tied] @ heading))]
        times[place] = last
    return edges, times


def coming_near(parts: Parts, frames: Floats, known: Ints) -> tuple[Ints, Ints]:
    """Convex vertices and bodies that come near each other though no pair (P, 2) of `known` says so.

    By boxes: of all that a body passes over on its way.
    """
    low, high = _swept_boxes(parts, frames)
    tree = shapely.STRtree(shapely.box(low[:, 0], low[:, 1], high[:, 0], high[:, 1]))
    first, second = tree.query(tree.geometries)
    kept = (first < second) & ((parts.moving[first] >= 0) | (parts.moving[second] >= 0))
    first, second = first[kept], second[kept]
    code = first * parts.count + second
    kept = ~np.isin(code, known[:, 0] * parts.count + known[:, 1]) & ~exempt_pairs(parts, first, second)
    first, second = first[kept], second[kept]
    if not len(first):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    convex = np.flatnonzero(parts.outlines.convex)
    owners = parts.outlines.body[convex]
    vertex, body = [], []
    for one, other in zip((*first, *second), (*second, *first), strict=True):
        own = convex[owners == one]
        vertex.append(own)
        body.append(np.full(len(own), other))
    return np.concatenate(vertex), np.concatenate(body)


def _swept_boxes(parts: Parts, frames: Floats) -> tuple[Floats, Floats]:
    """A box about all that each body passes over, (B, 2) low and high."""
    poses = parts.user_poses(frames)
    own = parts.outlines.body
    world = carry(poses[:, own], parts.outlines.point - parts.origins[own])
    starts = np.flatnonzero(np.diff(own, prepend=-1))
    low = np.minimum.reduceat(world.min(axis=0), starts)
    high = np.maximum.reduceat(world.max(axis=0), starts)
    spin = np.abs(np.diff(poses[..., 2], axis=0)).max(axis=0, initial=0.0)
    bulge = spin**2 / 8 * (parts.radius + np.hypot(*parts.origins.T))  # of an arc beyond its chord
    return low - bulge[:, None], high + bulge[:, None]
