"""Whether bodies pass through one another on the way from pose to pose.

Bodies overlap by more than a depth where one of them meets the other inset by that depth.
Polygons that are apart and move continuously first meet where a convex vertex of one enters the
other: a vertex of the one the inset outline, or a corner of the inset outline the one. So the
ways of convex vertices, and of the corners that are next to them in their own body's inset
outline, are followed in the frame of every body they come near; the first must not meet that
body's inset outline, the second not the body. Between two frames poses go straight, (x, y, θ) of
the user's own frames, as films and players show them. A vertex then goes along a curve; its
chords err by at most |p''|/8 a piece, and pieces are made short enough for that to be little of
what is allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely

from pliant.core.arrays import Bools, Floats, Geometries, Ints
from pliant.core.pose import dot
from pliant.flex.contact.insets import Insets
from pliant.flex.contact.neighbours import meeting_boxes
from pliant.flex.contact.point_paths import Paths
from pliant.flex.geometry.parts import Outlines, Parts
from pliant.flex.lp.program import COMPILED, CROSSOVER

TOGETHER = 16384  # places of pairs of bodies up to which all of a way is looked at together


@dataclass(frozen=True)
class Crossings:
    """Vertices that go deeper into bodies than is allowed, each with the edge that it enters by."""

    vertex: Ints  # (K,)
    body: Ints  # (K,)
    depth: float  # a bound on how deep the others get, and on how far joints are left
    find_edges: Callable[[], Ints]  # (K,) most crossings are never asked for them

    @cached_property
    def edge(self) -> Ints:
        """The edges, (K,)."""
        return self.find_edges()

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return len(self.vertex) > 0

    def take(self, which: Ints) -> Crossings:
        """Some of them."""
        return Crossings(self.vertex[which], self.body[which], self.depth, lambda: self.edge[which])


def ways_near(
    parts: Parts, reach: Floats, frames: Floats, here: Floats, vertex: Ints, body: Ints, distance: Floats
) -> Paths:
    """The ways of those vertices (G,) that may get to bodies (G,), of all that do not touch them.

    They go along centroid frames (F, B + 1, 3). At the poses `here` they are at least at a distance (G,)
    from their outlines: who stays further away than its reach (G,), as the body sees it, meets nothing.
    """
    start = parts.user_poses(here)
    ways = Paths.of_vertices(parts, parts.user_poses(frames), vertex, body)
    if not _is_many(ways):
        return ways.take(ways.within_travel(start, distance - reach))
    from pliant.flex.contact import kernels as compiled

    every = np.concatenate([start[None], ways.views.poses])
    return ways.take(
        compiled.within_travel(every, ways.point, ways.owner, body, parts.origins, distance - reach)
    )


def _is_many(ways: Paths) -> bool:
    """Whether so many points are followed that loops are compiled for them."""
    return len(ways.views.parts.free) >= CROSSOVER or len(ways.row) > COMPILED


def find_crossings(insets: Insets, vertices: Paths) -> Crossings:
    """Follow vertices in the frames of bodies."""
    parts, enter = insets.parts, _enter_compiled if _is_many(vertices) else _enter
    ways, depth, entries = enter(vertices, insets)
    # What starts too deep is being mended; the rows of the program see to that.
    starts = shapely.points(ways.at_start())
    new = np.flatnonzero(~shapely.intersects(insets.regions(insets.depths[-1])[ways.region], starts))
    body = ways.body[new]

    def find_edges() -> Ints:
        where = entries()[new]
        return _entry_edges(parts.outlines, insets.allowed, where[:, :2], where[:, 2:], body)

    return Crossings(ways.vertex[new], body, depth, find_edges)


# The ways that get deeper than is allowed, how deep others get at most, and where each comes in and heading
# which way, (K, 4), once that is asked for.
Entering = tuple[Paths, float, Callable[[], Floats]]


def _enter(vertices: Paths, insets: Insets) -> Entering:
    """By array expressions and GEOS, to the nearest of the depths that are told apart.

    As long as vertices get deeper nobody asks for corners, but of what is allowed.
    """
    beside, depth, regions = (
        _boxes_meet(vertices, insets.whole, insets.reach[vertices.vertex]),
        0.0,
        insets.whole,
    )
    ways, lines, error = _chords(beside, insets.chord)
    if len(vertices.body):
        for depth in insets.depths:
            regions = insets.regions(depth)
            ways, lines = _entering(ways, lines, regions)
            if len(lines) and depth < insets.depths[-1]:
                continue
            corners = beside.of_corners(insets, depth)
            near = _boxes_meet(corners, regions, np.zeros(len(corners.body)))
            corners, chords, worst = _chords(near, insets.chord)
            corners, chords = _entering(corners, chords, regions)
            error = max(error, worst)
            if depth == insets.depths[-1]:
                ways, lines = ways.join(corners), np.append(lines, chords)
            elif not len(chords):
                break
            beside = beside.take(np.flatnonzero(np.isin(beside.pair, corners.pair)))
    return ways, depth + error, lambda: _entries(lines, regions[ways.region])


def _entering(ways: Paths, lines: Geometries, regions: Geometries) -> tuple[Paths, Geometries]:
    """The ways that meet their regions, and their lines."""
    met = np.flatnonzero(shapely.intersects(regions[ways.region], lines))
    return ways.take(met), lines[met]


def _boxes_meet(ways: Paths, regions: Geometries, reach: Floats) -> Paths:
    """The ways the boxes about which, and so far (G,) about that, meet their regions."""
    parts = ways.views.parts
    left, bottom, right, top = parts.bounds[parts.shape_of[ways.body]].T
    bent, (low_x, low_y, high_x, high_y) = ways.curvature / 8 + reach, ways.box()
    box = low_x - bent, low_y - bent, high_x + bent, high_y + bent
    near = np.flatnonzero((box[0] <= right) & (box[2] >= left) & (box[1] <= top) & (box[3] >= bottom))
    boxes = shapely.box(box[0][near], box[1][near], box[2][near], box[3][near])
    return ways.take(near[shapely.intersects(regions[ways.region[near]], boxes)])


def _chords(ways: Paths, chord: float) -> tuple[Paths, Geometries, float]:
    """Ways (G,), as lines of as many chords as one may err by so little, and how far the worst errs."""
    pieces = ways.pieces(chord)
    lines = np.empty(len(pieces), np.object_)
    for count in np.unique(pieces):
        some = np.flatnonzero(pieces == count)
        lines[some] = shapely.linestrings(np.stack(ways.take(some).seen(int(count)), axis=-1).swapaxes(0, 1))
    return ways, lines, float((ways.curvature / (8.0 * pieces**2)).max(initial=0.0))


def _entries(lines: Geometries, regions: Geometries) -> Floats:
    """Where each line (K,) first comes into its region, and the chord along which it does: (K, 4)."""
    entries, count = np.zeros((len(lines), 4)), shapely.get_num_points(lines)
    for points in np.unique(count):
        some = np.flatnonzero(count == points)
        seen = shapely.get_coordinates(lines[some]).reshape(len(some), int(points), 2)
        entries[some] = _first_entries(seen, regions[some])
    return entries


def _first_entries(seen: Floats, regions: Geometries) -> Floats:
    """The same of lines (K, T, 2): of the chords up to which one has come in, the first, by halving."""
    every, place = np.arange(len(seen)), np.arange(seen.shape[1])
    out, within = np.zeros(len(seen), np.int64), np.full(len(seen), seen.shape[1] - 1)
    while (within - out > 1).any():
        middle = np.maximum((out + within) // 2, 1)
        begun = shapely.linestrings(seen[every[:, None], np.minimum(place, middle[:, None])])
        met = np.asarray(shapely.intersects(regions, begun))
        within = np.where(met, middle, within)
        out = np.where(~met & (middle < within), middle, out)
    start, end = seen[every, within - 1], seen[every, within]
    shared = shapely.intersection(shapely.linestrings(np.stack([start, end], axis=1)), regions)
    points, line = shapely.get_coordinates(shared, return_index=True)
    away = np.hypot(*(points - start[line]).T)
    # At its end, if it only touches and rounding finds nothing shared.
    points, line, away = np.vstack([points, end]), np.append(line, every), np.append(away, every + np.inf)
    order = np.lexsort((away, line))
    return np.hstack([points[order[np.searchsorted(line[order], every)]], end - start])


def _enter_compiled(vertices: Paths, insets: Insets) -> Entering:
    """The same for many points: only what is deeper than is allowed is told apart from what is not."""
    from pliant.flex.contact.kernels import entering

    ways = vertices.join(vertices.of_corners(insets, insets.depths[-1]))
    which, entries = entering(
        ways.views.poses,
        ways.point,
        ways.owner,
        ways.body,
        insets.parts.origins,
        ways.region,
        insets.sides,
        insets.chord,
    )
    return ways.take(which), insets.allowed, lambda: entries


def _entry_edges(outlines: Outlines, allowed: float, at: Floats, heading: Floats, body: Ints) -> Ints:
    """The edge by which each way enters a body (K,), at a point, heading in a direction (K, 2).

    It is the edge nearest to that point; of edges as near, the one that stands most across.
    """
    count = np.diff(outlines.starts)[body]
    each = np.repeat(np.arange(len(body)), count)
    begin = np.cumsum(count) - count
    edge = np.arange(len(each)) + (outlines.starts[body] - begin)[each]
    arm, tangent = at[each] - outlines.point[edge], outlines.tangent[edge]
    along = dot(arm, tangent)
    beyond = along - np.clip(along, 0.0, outlines.length[edge])
    distance = np.hypot(beyond, dot(arm, outlines.normal[edge]))
    if not len(body):
        return body
    tied = distance <= np.minimum.reduceat(distance, begin)[each] + 0.5 * allowed
    across = np.where(tied, dot(outlines.normal[edge], heading[each]), np.inf)
    return edge[np.lexsort((across, each))[begin]]


def approaching_vertices(parts: Parts, frames: Floats, known: Ints) -> tuple[Ints, Ints]:
    """Convex vertices and bodies that come near each other though no pair (P, 2) of `known` says so.

    Bodies do whose circles meet on the way from frame to frame.
    """
    known = np.concatenate([known, np.array(list(parts.exempt), np.int64).reshape(-1, 2)])
    meeting = _compiled_meeting if len(parts.free) >= CROSSOVER else _meeting
    code = np.unique(meeting(parts, frames[:, :-1, :2], _user_radius(parts, frames), known))
    first, second = code // parts.count, code % parts.count
    return _vertices_of(parts, np.append(first, second), np.append(second, first))


def _user_radius(parts: Parts, frames: Floats) -> Floats:
    """The circle about each body, with what its centroid swings off a straight way between frames, (B,)."""
    spin = np.abs(frames[1:, :-1, 2] - frames[:-1, :-1, 2]).max(axis=0, initial=0.0)
    return parts.radius + np.hypot(*parts.origins.T) * spin**2 / 8


def _meeting(parts: Parts, centres: Floats, radius: Floats, known: Ints) -> Ints:
    """Pairs of bodies, as one number, whose circles meet as centres (F, B, 2) go straight, but for some.

    Boxes about less of the way tell more of them apart.
    """
    code = _meeting_boxes(parts, centres, radius)
    code = code[~np.isin(code, known[:, 0] * parts.count + known[:, 1])]
    if len(code) * len(centres) > TOGETHER and len(centres) > 2:
        half = len(centres) // 2
        halves = centres[: half + 1], centres[half:]
        return np.concatenate([_meeting(parts, some, radius, known) for some in halves])
    return code[_circles_meet(centres, radius, code // parts.count, code % parts.count)]


def _meeting_boxes(parts: Parts, centres: Floats, radius: Floats) -> Ints:
    """Pairs of bodies, one of them moving, for which the boxes about all the way of their circles meet."""
    low, high = centres.min(axis=0) - radius[:, None], centres.max(axis=0) + radius[:, None]
    body, other = meeting_boxes(parts.free, low, high)
    once = (body < other) | (parts.moving[other] < 0)
    return (np.minimum(body, other) * parts.count + np.maximum(body, other))[once]


def _circles_meet(centres: Floats, radius: Floats, first: Ints, second: Ints) -> Bools:
    """Whether the circles of pairs (P,) meet as their centres (F, B, 2) go straight from frame to frame."""
    apart = centres[:, second] - centres[:, first]  # (F, P, 2)
    way = apart[1:] - apart[:-1]
    speed = dot(way, way)
    t = np.clip(np.divide(-dot(apart[:-1], way), speed, out=np.zeros_like(speed), where=speed > 0), 0.0, 1.0)
    nearest = apart[:-1] + t[..., None] * way
    return np.any(dot(nearest, nearest) <= (radius[first] + radius[second]) ** 2, axis=0)


def _compiled_meeting(parts: Parts, centres: Floats, radius: Floats, known: Ints) -> Ints:
    from pliant.flex.contact.kernels import meeting

    both = np.concatenate([known, known[:, ::-1]])
    both = both[np.argsort(both[:, 0])]
    starts = np.searchsorted(both[:, 0], np.arange(parts.count + 1))
    moves = parts.moving[:-1] >= 0
    return meeting(np.ascontiguousarray(centres), radius, moves, starts, both[:, 1].copy())


def _vertices_of(parts: Parts, owners: Ints, others: Ints) -> tuple[Ints, Ints]:
    """All convex vertices of each owner, with the other body beside each."""
    convex = np.flatnonzero(parts.outlines.convex)
    starts = np.searchsorted(parts.outlines.body[convex], np.arange(parts.count + 1))
    counts = (starts[1:] - starts[:-1])[owners]
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return convex[np.repeat(starts[owners], counts) + place], np.repeat(others, counts)
