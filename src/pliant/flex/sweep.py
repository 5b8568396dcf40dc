"""Whether bodies pass through one another on the way from pose to pose.

Polygons that are apart and move continuously begin to overlap where a convex vertex of one
enters the other, or where an edge meets an edge whose ends it shares: then no vertex gets
inside, but the middle of the edge does. So the ways of convex vertices and of the middles of
edges are followed in the frame of every body they come near, and must not meet that body's
outline inset by the overlap that is allowed. Between
two frames poses go straight, (x, y, θ) of the user's own frames, as films and players show
them. A vertex then goes along a curve; its chords err by at most |p''|/8 a piece, and pieces
are made short enough for that to be little of what is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import NDArray

from pliant.core.pose import Floats, dot, uncarry
from pliant.flex.lp.solvers import CROSSOVER
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
    depth: float  # a bound on how deep the others get, and on how far joints are left

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return len(self.vertex) > 0

    def take(self, which: Ints) -> Crossings:
        """Some of them."""
        return Crossings(self.vertex[which], self.body[which], self.edge[which], self.when[which], self.depth)


class Insets:
    """Outlines inset by each of the depths that are told apart, prepared for many questions."""

    def __init__(self, parts: Parts, allowed: float) -> None:
        self.allowed = allowed
        self.chord = CHORD * allowed
        self.depths = tuple(level * (1 - CHORD) * allowed for level in LEVELS)
        self.polygons = [shapely.buffer(parts.regions, -depth, join_style="mitre") for depth in self.depths]
        for polygons in self.polygons:
            shapely.prepare(polygons)

    @cached_property
    def sides(self) -> tuple[Ints, Floats, Floats, Floats]:
        """At the greatest depth: where the sides of each shape start, all sides (x, y, u, v), boxes."""
        return _sides(self.polygons[-1])


def _sides(polygons: NDArray[np.object_]) -> tuple[Ints, Floats, Floats, Floats]:
    sides: list[Floats] = []
    for region in polygons:
        rings = [shapely.get_coordinates(line) for line in shapely.get_parts(shapely.boundary(region))]
        sides.append(np.vstack([np.zeros((0, 4)), *(np.hstack([ring[:-1], ring[1:]]) for ring in rings)]))
    starts = np.append(0, np.cumsum([len(own) for own in sides]))
    bounds = np.nan_to_num(shapely.bounds(polygons), nan=np.inf)  # what is gone meets nothing
    return starts, np.vstack(sides), bounds[:, :2].copy(), bounds[:, 2:].copy()


def crossings(parts: Parts, insets: Insets, frames: Floats, vertex: Ints, body: Ints) -> Crossings:
    """Follow vertices (G,) in the frames of bodies (G,) along frames (F, B + 1, 3) of centroid frames."""
    ways = _ways(parts, parts.user_poses(frames), vertex, body)
    entering, depth = (_enter_compiled if len(parts.free) >= CROSSOVER else _enter)(ways, insets)
    if not len(entering):
        none = np.zeros(0, np.int64)
        return Crossings(none, none, none, np.zeros(0), depth)
    found = ways.take(entering)
    pieces = int(found.pieces(insets.chord).max())
    lines = np.asarray(shapely.linestrings(found.seen(pieces)))
    starts = shapely.get_point(lines, 0)
    inside = insets.polygons[-1][parts.shape_of[found.body]]
    # What starts too deep is being mended; the rows of the program see to that.
    new = np.flatnonzero(~shapely.intersects(inside, starts) & shapely.intersects(inside, lines))
    edge, when = _entered(parts, insets, lines[new], found.body[new])
    first, last = found.ends[new].T
    middle = first != last  # of an edge: both its ends are kept out
    return Crossings(
        np.append(first, last[middle]),
        np.append(found.body[new], found.body[new][middle]),
        np.append(edge, edge[middle]),
        np.append(when, when[middle]) / pieces,
        depth,
    )


@dataclass(frozen=True)
class Ways:
    """The ways of points (G,) in the frames of bodies (G,), as user poses (F, B, 3) follow each other."""

    parts: Parts
    poses: Floats
    ends: Ints  # (G, 2) the vertices each point is midway between: twice the same where it is one
    body: Ints

    @cached_property
    def owner(self) -> Ints:
        """The bodies that the points are of, (G,)."""
        return self.parts.outlines.body[self.ends[:, 0]]

    @cached_property
    def point(self) -> Floats:
        """The points in the user's frames of their bodies, (G, 2)."""
        return self.parts.outlines.point[self.ends].mean(axis=1) - self.parts.origins[self.owner]

    @cached_property
    def pairs(self) -> tuple[Ints, Ints, Ints]:
        """Owners (P,), bodies (P,) and the pair of each point (G,): what turns is turned once a pair."""
        base = self.poses.shape[1]
        code, pair = np.unique(self.owner * base + self.body, return_inverse=True)
        return code // base, code % base, pair

    @cached_property
    def curvature(self) -> Floats:
        """The largest |p''| of each way, as bodies go from frame to frame in unit time, (G,).

        In the frame of body 1, p = R(−θ₁)(x₂ + R(θ₂)v − x₁) and
        |p''| ≤ ω₁²|w| + 2|ω₁||w'| + ω₂²|v| with w the bracket: as in `flex.check`.
        """
        owner, body, pair = self.pairs
        arm, moved = np.hypot(*self.point.T), np.diff(self.poses, axis=0)
        shift = np.hypot(*np.moveaxis(moved[:, owner, :2] - moved[:, body, :2], 2, 0))  # (F - 1, P)
        start = self.poses[:-1]
        apart = np.hypot(*np.moveaxis(start[:, owner, :2] - start[:, body, :2], 2, 0)) + shift
        turn, spin = np.abs(moved[:, body, 2]), np.abs(moved[:, owner, 2])
        still = turn**2 * apart + 2 * turn * shift
        by_arm = turn**2 * (1 + spin) + 2 * turn * spin + spin**2
        return (still[:, pair] + by_arm[:, pair] * arm).max(axis=0)

    def pieces(self, chord: float) -> Ints:
        """Into how many pieces, a power of 2, ways from frame to frame are cut for chords to err less."""
        wanted = np.ceil(np.sqrt(self.curvature / (8 * chord)))
        return np.exp2(np.ceil(np.log2(np.clip(wanted, 1, MOST_PIECES)))).astype(np.int64)

    def take(self, which: Ints) -> Ways:
        """Some of them."""
        return Ways(self.parts, self.poses, self.ends[which], self.body[which])

    def seen(self, count: int) -> Floats:
        """Where the points are in the centroid frames of the bodies, in so many pieces: (G, T, 2)."""
        t = np.arange(count)[:, None, None] / count
        between = self.poses[:-1, None] + t * np.diff(self.poses, axis=0)[:, None]
        every = np.concatenate([between.reshape(-1, *self.poses.shape[1:]), self.poses[-1:]])
        owner, body, pair = self.pairs
        centre = np.moveaxis(uncarry(every[:, body], every[:, owner, :2]), 0, 1)[pair]  # (G, T, 2)
        angle = (every[:, owner, 2] - every[:, body, 2]).T
        cosine, sine = np.cos(angle)[pair], np.sin(angle)[pair]
        x, y = self.point[:, 0, None], self.point[:, 1, None]
        centre[..., 0] += cosine * x - sine * y
        centre[..., 1] += sine * x + cosine * y
        return centre + self.parts.origins[self.body][:, None]


def _ways(parts: Parts, poses: Floats, vertex: Ints, body: Ints) -> Ways:
    """Of the vertices, and of the middles of the edges between two of them that come near the same body."""
    outlines, base = parts.outlines, parts.count + 1
    following = outlines.follow[vertex]
    near = np.isin(following * base + body, vertex * base + body) | ~outlines.convex[following]
    before = outlines.before[vertex]
    after_reflex = ~outlines.convex[before]
    edges = np.append(vertex[near], before[after_reflex])
    ends = np.stack([edges, outlines.follow[edges]], axis=1)
    every = np.concatenate([np.stack([vertex, vertex], axis=1), ends])
    return Ways(parts, poses, every, np.concatenate([body, body[near], body[after_reflex]]))


def _enter(ways: Ways, insets: Insets) -> tuple[Ints, float]:
    """Which ways get deeper than is allowed, and a bound on how deep the others get."""
    pieces = ways.pieces(insets.chord)
    error = ways.curvature / (8.0 * pieces**2)
    entering, depth, near_error = [np.zeros(0, np.int64)], 0.0, 0.0
    low, high = ways.parts.boxes
    for count in np.unique(pieces):
        which = np.flatnonzero(pieces == count)
        seen = ways.take(which).seen(int(count))
        body = ways.body[which]
        near = ((seen.max(axis=1) >= low[body]) & (seen.min(axis=1) <= high[body])).all(axis=1)
        which, lines = which[near], np.asarray(shapely.linestrings(seen[near]))
        near_error = max(near_error, float(error[which].max(initial=0.0)))
        shape, left = ways.parts.shape_of[body[near]], np.arange(len(which))
        for deep, polygons in zip(insets.depths, insets.polygons, strict=True):
            if not len(left):
                break
            depth = max(depth, deep)
            left = left[shapely.intersects(polygons[shape[left]], lines[left])]
        entering.append(which[left])
    return np.concatenate(entering), depth + near_error


def _enter_compiled(ways: Ways, insets: Insets) -> tuple[Ints, float]:
    """The same for many bodies: only what is deeper than is allowed is told apart from what is not."""
    from pliant.flex.compiled import entering

    parts = ways.parts
    crosses = entering(
        ways.poses,
        ways.point,
        ways.owner,
        ways.body,
        parts.origins,
        parts.shape_of,
        *insets.sides,
        insets.chord,
    )
    return np.flatnonzero(crosses), insets.allowed


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

    Bodies do whose circles meet on the way from frame to frame.
    """
    centres = frames[:, :-1, :2]
    moves = parts.moving[:-1] >= 0
    first, second = (_compiled_meeting if len(parts.free) >= CROSSOVER else _meeting)(
        centres, _user_radius(parts, frames), moves
    )
    code = np.unique(first * parts.count + second)
    code = code[~np.isin(code, known[:, 0] * parts.count + known[:, 1])]
    first, second = code // parts.count, code % parts.count
    apart = ~exempt_pairs(parts, first, second)
    first, second = first[apart], second[apart]
    return _vertices_of(parts, np.append(first, second), np.append(second, first))


def _user_radius(parts: Parts, frames: Floats) -> Floats:
    """The circle about each body, with what its centroid swings off a straight way between frames, (B,)."""
    spin = np.abs(np.diff(frames[:, :-1, 2], axis=0)).max(axis=0, initial=0.0)
    return parts.radius + np.hypot(*parts.origins.T) * spin**2 / 8


def _meeting(centres: Floats, radius: Floats, moves: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Pairs of bodies whose circles meet as their centres go straight from frame to frame."""
    first, second = np.triu_indices(len(radius), 1)
    kept = moves[first] | moves[second]
    first, second = first[kept], second[kept]
    apart = centres[:, second] - centres[:, first]  # (F, P, 2)
    way = np.diff(apart, axis=0)
    speed = dot(way, way)
    t = np.clip(np.divide(-dot(apart[:-1], way), speed, out=np.zeros_like(speed), where=speed > 0), 0.0, 1.0)
    nearest = apart[:-1] + t[..., None] * way
    meet = (dot(nearest, nearest) <= (radius[first] + radius[second]) ** 2).any(axis=0)
    return first[meet], second[meet]


def _compiled_meeting(centres: Floats, radius: Floats, moves: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    from pliant.flex.compiled import meeting

    return meeting(np.ascontiguousarray(centres), radius, moves)


def _vertices_of(parts: Parts, owners: Ints, others: Ints) -> tuple[Ints, Ints]:
    """All convex vertices of each owner, with the other body beside each."""
    convex = np.flatnonzero(parts.outlines.convex)
    starts = np.searchsorted(parts.outlines.body[convex], np.arange(parts.count + 1))
    counts = (starts[1:] - starts[:-1])[owners]
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return convex[np.repeat(starts[owners], counts) + place], np.repeat(others, counts)
