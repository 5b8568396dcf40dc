"""Which vertices are near which bodies, found by spatial indices and kept while that holds.

Bodies are near each other by their boxes; then vertices are near bodies by their distance. They are
searched with a margin and kept until bodies have moved, relative to their neighbours, by as much.

Few edges within that distance are simply listed, in arrays; where there are many, as in loose
drawings of curves, each vertex looks for its nearest edge in a tree (`flex.trees`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from pliant.core.pose import Floats, carry, dot, uncarry
from pliant.flex.distance import COMPILED
from pliant.flex.lp.solvers import CROSSOVER
from pliant.flex.parts import Outlines, Parts

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NONE = -1
ROWS = 2.0  # of a vertex near others, about
PASSES = 32.0  # over rows for each over candidates, about
SAMPLE = 32  # vertices whose candidates are counted to tell how many there are


@dataclass(frozen=True)
class Candidates:
    """The edges that could be nearest, listed."""

    edge: Ints  # (C,) group after group
    group: Ints  # (C,)
    starts: Ints  # (G,) where each group's begin


@dataclass(frozen=True)
class Hints:
    """The edges that were nearest, from which a search in the trees begins."""

    edge: Ints  # (G,)
    distance: Floats  # (G,)


@dataclass(frozen=True)
class Neighbours:
    """Groups (convex vertex, other body) that are near each other, and what is known of their edges."""

    vertex: Ints  # (G,) sorted, then by body
    body: Ints  # (G,)
    keys: Ints  # (G,) vertex and body in one number, ascending
    pairs: Ints  # (P, 2) bodies that are near each other, each pair once
    pair: Ints  # (G,) the place of a group's two bodies among them
    around: Ints  # (Q, 2) pairs of bodies whose boxes are near each other
    reach: float
    margin: float
    poses: Floats  # (B + 1, 3) where the bodies were
    edges: Candidates | Hints

    def key(self, vertex: Ints, body: Ints) -> Ints:
        """Vertex and body in one number, as in `keys`."""
        return vertex * len(self.poses) + body

    @property
    def count(self) -> int:
        """How many groups there are: about the work of a selection."""
        return len(self.vertex)

    def travel(self, parts: Parts, poses: Floats) -> Floats:
        """A bound on how far each pair has moved since, one body relative to the other, (P,)."""
        return relative_travel(parts, self.pairs, self.poses, poses)

    def reach_to(self, parts: Parts, poses: Floats) -> bool:
        """Whether bodies got no further, one relative to the other, than contacts were looked for."""
        if not len(self.pairs):
            return True
        return bool(relative_travel(parts, self.pairs, self.poses, poses).max() <= self.reach + self.margin)

    def still_hold(self, parts: Parts, poses: Floats) -> bool:
        """Whether no pair of bodies, near or not, can have come within reach unnoticed."""
        moved = np.abs(poses - self.poses)[:-1]
        furthest = (np.hypot(moved[:, 0], moved[:, 1]) + moved[:, 2] * parts.radius).max(initial=0.0)
        if 2 * furthest < self.margin:
            return True
        if relative_travel(parts, self.around, self.poses, poses).max(initial=0.0) >= self.margin:
            return False
        world = carry(poses[parts.outlines.body], parts.outlines.point)
        return _includes(parts, self.around, _near_bodies(parts, world, poses, self.reach))


def relative_travel(parts: Parts, pairs: Ints, before: Floats, after: Floats) -> Floats:
    """A bound on how far any point of a pair's second body went in the frame of its first, (P,)."""
    first, second = pairs.T
    old = uncarry(before[first], before[second, :2])
    new = uncarry(after[first], after[second, :2])
    spin = (after - before)[second, 2] - (after - before)[first, 2]
    radius = np.append(parts.radius, 0.0)[second]
    return np.hypot(*(new - old).T) + np.abs(spin) * radius


def find_neighbours(parts: Parts, poses: Floats, reach: float) -> Neighbours:
    """Every convex vertex and body within `reach`, and a margin of half as much again."""
    margin = 0.5 * reach
    world = carry(poses[parts.outlines.body], parts.outlines.point)
    pairs = _near_bodies(parts, world, poses, reach + margin)
    find = _by_trees if _many(parts, world, pairs, reach + margin) else _by_lists
    vertex, body, pair, edges = find(parts, world, poses, pairs, reach + margin)
    met, place = np.unique(pair, return_inverse=True)
    return Neighbours(
        vertex=vertex,
        body=body,
        keys=vertex * (parts.count + 1) + body,
        pairs=pairs[met],
        pair=place,
        around=pairs,
        reach=reach,
        margin=margin,
        poses=poses,
        edges=edges,
    )


def _near_bodies(parts: Parts, world: Floats, poses: Floats, radius: float) -> Ints:
    """Pairs whose boxes and circles are within `radius`, one of the two moving, no pin between them."""
    starts, free = parts.outlines.starts[:-1], parts.free
    low, high = np.minimum.reduceat(world, starts), np.maximum.reduceat(world, starts)
    tree = shapely.STRtree(shapely.box(*low.T, *high.T))
    place, other = tree.query(shapely.box(*(low[free] - radius).T, *(high[free] + radius).T))
    body = free[place]
    apart = np.hypot(*(poses[body, :2] - poses[other, :2]).T)
    kept = (body != other) & (apart <= parts.radius[body] + parts.radius[other] + radius)
    body, other = body[kept], other[kept]
    codes = np.unique(_code(parts, body, other)[~exempt_pairs(parts, body, other)])
    return np.stack([codes // parts.count, codes % parts.count], axis=1)


def exempt_pairs(parts: Parts, body: Ints, other: Ints) -> Bools:
    """Which of these pairs of bodies lie in different layers, joined by a pin."""
    if not parts.exempt:
        return np.zeros(len(body), np.bool_)
    return np.isin(_code(parts, body, other), _code(parts, *np.array(list(parts.exempt)).T))


def _includes(parts: Parts, pairs: Ints, some: Ints) -> bool:
    return bool(np.isin(_code(parts, *some.T), _code(parts, *pairs.T)).all())


def _code(parts: Parts, body: Ints, other: Ints) -> Ints:
    """A pair of bodies as one number, whichever comes first."""
    return np.minimum(body, other) * parts.count + np.maximum(body, other)


def _many(parts: Parts, world: Floats, pairs: Ints, radius: float) -> bool:
    """Whether a search by arrays would take longer than to load a compiler: by some vertices, for all.

    Where programs are compiled, it is loaded already.
    """
    if len(parts.free) >= CROSSOVER:
        return True
    vertices, edges = _near_features(parts, world, pairs, radius)
    some = vertices[:: len(vertices) // SAMPLE + 1]
    if not len(some):
        return False
    low, high = _boxes(world, parts.outlines, edges, radius)
    point, body = world[some], parts.outlines.body
    inside = body[some, None] != body[edges]
    for axis in range(2):
        inside &= (point[:, axis, None] >= low[:, axis]) & (point[:, axis, None] <= high[:, axis])
    rows, candidates = np.count_nonzero(inside.any(axis=1)), np.count_nonzero(inside)
    return max(ROWS * rows, candidates / PASSES) * len(vertices) / len(some) > COMPILED


def _near_features(parts: Parts, world: Floats, pairs: Ints, radius: float) -> tuple[Ints, Ints]:
    """The convex vertices, and the edges, of bodies near others; of fixed ones what is near any that moves."""
    outlines = parts.outlines
    near = np.zeros(parts.count, np.bool_)
    near[pairs] = True
    edges = np.flatnonzero(near[outlines.body])
    moving = world[edges[parts.moving[outlines.body[edges]] >= 0]]
    if not len(moving):
        return edges, edges
    low, high = _boxes(world, outlines, edges, radius)
    edges = edges[((low <= moving.max(axis=0)) & (high >= moving.min(axis=0))).all(axis=1)]
    return edges[outlines.convex[edges]], edges


def _boxes(world: Floats, outlines: Outlines, edges: Ints, radius: float) -> tuple[Floats, Floats]:
    start, end = world[edges], world[outlines.follow[edges]]
    return np.minimum(start, end) - radius, np.maximum(start, end) + radius


def _by_lists(
    parts: Parts, world: Floats, poses: Floats, pairs: Ints, radius: float
) -> tuple[Ints, Ints, Ints, Candidates]:
    """Groups, the places of their pairs, and every edge within `radius` of their vertices."""
    outlines = parts.outlines
    vertices, edges = _near_features(parts, world, pairs, radius)
    low, high = _boxes(world, outlines, edges, radius)
    near = shapely.STRtree(shapely.box(*low.T, *high.T)).query(shapely.points(world[vertices]))
    vertex, edge = vertices[near[0]], edges[near[1]]
    body, other = outlines.body[vertex], outlines.body[edge]
    pair = _places(_code(parts, body, other), _code(parts, *pairs.T))
    arm = world[vertex] - world[edge]
    side = world[outlines.follow[edge]] - world[edge]
    along = np.clip(dot(arm, side) / outlines.length[edge] ** 2, 0.0, 1.0)
    kept = (pair != NONE) & (np.hypot(*(arm - along[:, None] * side).T) <= radius)
    vertex, edge, other, pair = vertex[kept], edge[kept], other[kept], pair[kept]
    order = np.argsort((vertex * parts.count + other) * len(world) + edge)
    vertex, edge, other, pair = vertex[order], edge[order], other[order], pair[order]
    first = np.flatnonzero((np.diff(vertex, prepend=-1) != 0) | (np.diff(other, prepend=-1) != 0))
    group = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(edge))))
    return vertex[first], other[first], pair[first], Candidates(edge, group, first)


def _places(codes: Ints, known: Ints) -> Ints:
    """Where each number is among ascending ones, NONE where it is not."""
    if not len(known):
        return np.full(len(codes), NONE)
    place = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    return np.where(known[place] == codes, place, NONE)


def _by_trees(
    parts: Parts, world: Floats, poses: Floats, pairs: Ints, radius: float
) -> tuple[Ints, Ints, Ints, Hints]:
    """The same groups, with their nearest edges."""
    from pliant.flex.trees import near_vertices

    both = np.concatenate([pairs, pairs[:, ::-1]])
    order = np.lexsort((both[:, 1], both[:, 0]))
    outlines = parts.outlines
    vertex, body, edge, distance, place = near_vertices(
        both[order], outlines.starts, outlines.convex, poses, *outlines.trees, radius
    )
    pair = (order % max(len(pairs), 1))[place]
    return vertex, body, pair, Hints(edge, distance)


def gap_scale(parts: Parts, clearance: float) -> float:
    """A typical gap: the clearance, or the median distance of a moving body to its nearest neighbour.

    Fixed bodies count only as neighbours: scenery, however much of it, is no measure of the parts.
    """
    if clearance > 0:
        return clearance
    polygons = parts.polygons(parts.drawn)
    if len(polygons) < 2 or not len(parts.free):
        return 0.0
    _, distance = shapely.STRtree(polygons).query_nearest(
        polygons[parts.free], exclusive=True, return_distance=True, all_matches=False
    )
    apart = distance[distance > 0]
    return float(np.median(apart)) if len(apart) else 0.0
