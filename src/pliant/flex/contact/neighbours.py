"""Which vertices are near which bodies, found by spatial indices and kept while that holds.

Bodies are near each other by their boxes; then vertices are near bodies by their distance. They are
searched with a margin and kept until bodies have moved, relative to their neighbours, by as much.

Few edges within that distance are simply listed, in arrays; where there are many, as in loose
drawings of curves, each vertex looks for its nearest edge in a tree (`flex.geometry.trees`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import shapely
from numpy.typing import NDArray

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.pose import carry, rotate, rotations
from pliant.flex.geometry.parts import Outlines, Parts
from pliant.flex.lp.program import COMPILED, CROSSOVER

NONE = -1
ROWS = 2.0  # that a vertex near others has, about
PASSES = 6.0  # candidates that take as long as a row: rows are gone through far more often
FINE = 2000  # vertices of one body from which its distance to others is found by trees
PRODUCTS = 300_000  # vertices and edges that are sooner gone through than sorted into a tree
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


Known = TypeVar("Known", Candidates, Hints)


@dataclass(frozen=True)
class NearGroups(Generic[Known]):
    """Groups (convex vertex, other body) that are near each other."""

    vertex: Ints  # (G,) sorted, then by body
    body: Ints  # (G,)
    pair: Ints  # (G,) the place of a group's two bodies among the pairs that were asked about
    edges: Known


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
    most: int | None = None  # moving bodies that count at most, the nearest of each

    def key(self, vertex: Ints, body: Ints) -> Ints:
        """Vertex and body in one number, as in `keys`."""
        return vertex * len(self.poses) + body

    @property
    def count(self) -> int:
        """How many groups there are: about the work of a selection."""
        return len(self.vertex)

    def reach_to(self, parts: Parts, poses: Floats) -> bool:
        """Whether bodies got no further, one relative to the other, than contacts were looked for."""
        if not len(self.pairs):
            return True
        return bool(relative_travel(parts, self.pairs, self.poses, poses).max() <= self.reach + self.margin)

    def still_hold(self, parts: Parts, poses: Floats) -> bool:
        """Whether no vertex can have come within reach of a body unnoticed, be they near or not."""
        moved = np.abs(poses - self.poses)[:-1]
        furthest = (np.hypot(moved[:, 0], moved[:, 1]) + moved[:, 2] * parts.radius).max(initial=0.0)
        if 2 * furthest < self.margin:
            return True
        if relative_travel(parts, self.around, self.poses, poses).max(initial=0.0) >= self.margin:
            return False
        now = _code(parts, *_near_bodies(parts, poses, self.reach).T)
        return bool((_places(now, _code(parts, *self.around.T)) != NONE).all())


def relative_travel(parts: Parts, pairs: Ints, before: Floats, after: Floats) -> Floats:
    """A bound on how far any point of a pair's second body went in the frame of its first, (P,)."""
    first, second = pairs.T
    old, new = (_seen(poses, first, second) for poses in (before, after))
    turned = (after - before)[:, 2]
    radius = np.append(parts.radius, 0.0)[second]
    return np.hypot(*(new - old).T) + np.abs(turned[second] - turned[first]) * radius


def _seen(poses: Floats, first: Ints, second: Ints) -> Floats:
    """Where the second bodies are in the frames of the first."""
    back = rotations(poses) * (1.0, -1.0)
    return rotate(back[first], poses[second, :2] - poses[first, :2])


def find_neighbours(parts: Parts, poses: Floats, reach: float, most: int | None = None) -> Neighbours:
    """Every convex vertex and body within `reach`, and a margin of half as much again.

    Of other moving bodies only the nearest so many count, where `most` is given.

    Source: [Lensgraf2020] section VI-B, for the nearest five.
    """
    margin = 0.5 * reach
    around = pairs = _near_bodies(parts, poses, reach + margin)
    if most is not None:
        pairs = pairs[_among_nearest(parts, poses, pairs, most)]
    near = _near_groups(parts, poses, pairs, reach + margin)
    met, place = np.unique(near.pair, return_inverse=True)
    return Neighbours(
        vertex=near.vertex,
        body=near.body,
        keys=near.vertex * len(poses) + near.body,
        pairs=pairs[met],
        pair=place,
        around=around,
        reach=reach,
        margin=margin,
        poses=poses,
        edges=near.edges,
        most=most,
    )


def _among_nearest(parts: Parts, poses: Floats, pairs: Ints, most: int) -> Bools:
    """Which pairs (P, 2) have a fixed body, or one that is among the nearest of the other, by centroids."""
    kept = np.asarray((parts.moving[pairs] < 0).any(axis=1))
    body, other = np.concatenate([pairs[~kept], pairs[~kept, ::-1]]).T
    apart = np.hypot(*(poses[body, :2] - poses[other, :2]).T)
    order = np.lexsort((apart, body))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - np.searchsorted(body[order], body[order])
    kept[~kept] = (rank < most).reshape(2, -1).any(axis=0)
    return kept


def _near_bodies(parts: Parts, poses: Floats, radius: float) -> Ints:
    """Pairs (P, 2) of bodies whose boxes are within `radius`, one of them moving, no pin between them."""
    if len(parts.free) >= CROSSOVER:
        from pliant.flex.geometry import trees

        outlines = parts.outlines
        body, other = trees.near_bodies(outlines.starts, outlines.point, parts.moving, poses, radius).T
    else:
        body, other = _meeting(parts, poses, radius)
    codes = np.unique(_code(parts, body, other)[~exempt_pairs(parts, body, other)])
    return np.stack([codes // parts.count, codes % parts.count], axis=1)


def _meeting(parts: Parts, poses: Floats, radius: float) -> tuple[Ints, Ints]:
    """Moving bodies and others whose boxes are within `radius`."""
    starts = parts.outlines.starts[:-1]
    world = carry(poses[parts.outlines.body], parts.outlines.point)
    low, high = np.minimum.reduceat(world, starts) - radius, np.maximum.reduceat(world, starts)
    return meeting_boxes(parts.free, low, high)


def meeting_boxes(free: Ints, low: Floats, high: Floats) -> tuple[Ints, Ints]:
    """Bodies of `free` (M,) and others whose boxes, from low to high (B, 2) each, meet."""
    if not len(free):
        return free, free
    within = (low <= high[free].max(axis=0)) & (high >= low[free].min(axis=0))
    among = np.flatnonzero(within.all(axis=1))
    meet = free[:, None] != among
    for axis in range(2):
        meet &= (low[free, None, axis] <= high[among, axis]) & (low[among, axis] <= high[free, None, axis])
    body, other = np.nonzero(meet)
    return free[body], among[other]


def exempt_pairs(parts: Parts, body: Ints, other: Ints) -> Bools:
    """Which of these pairs of bodies lie in different layers, joined by a pin."""
    if not parts.exempt:
        return np.zeros(len(body), np.bool_)
    return np.isin(_code(parts, body, other), _code(parts, *np.array(list(parts.exempt)).T))


def _code(parts: Parts, body: Ints, other: Ints) -> Ints:
    """A pair of bodies as one number, whichever comes first."""
    return np.minimum(body, other) * parts.count + np.maximum(body, other)


def _near_groups(
    parts: Parts, poses: Floats, pairs: Ints, radius: float
) -> NearGroups[Candidates] | NearGroups[Hints]:
    """Groups of bodies in these pairs that are within a distance of each other."""
    if len(parts.free) >= CROSSOVER:  # programs are compiled, so the compiler is loaded in any case
        return _groups_by_trees(parts, poses, pairs, radius)
    world = carry(poses[parts.outlines.body], parts.outlines.point)
    vertices, edges = _near_features(parts, world, pairs, radius)
    if _many(parts.outlines, world, vertices, edges, radius):
        return _groups_by_trees(parts, poses, pairs, radius)
    return _groups_by_lists(parts, world, pairs, vertices, edges, radius)


def _many(outlines: Outlines, world: Floats, vertices: Ints, edges: Ints, radius: float) -> bool:
    """Whether to go through lists would take longer than to load a compiler: by some vertices, for all."""
    some = vertices[:: len(vertices) // SAMPLE + 1]
    if len(vertices) * len(edges) < PASSES * COMPILED:
        return False
    low, high = _boxes(world, outlines, edges, radius)
    inside = outlines.body[some, None] != outlines.body[edges]
    for axis in range(2):
        at = world[some, None, axis]
        inside &= (at >= low[:, axis]) & (at <= high[:, axis])
    rows, candidates = np.count_nonzero(inside.any(axis=1)), np.count_nonzero(inside)
    return bool(max(ROWS * rows, candidates / PASSES) * len(vertices) / len(some) > COMPILED)


def _near_features(parts: Parts, world: Floats, pairs: Ints, radius: float) -> tuple[Ints, Ints]:
    """Convex vertices and edges of bodies near others; of fixed ones what is near any that moves."""
    outlines = parts.outlines
    near = np.zeros(parts.count, np.bool_)
    near[pairs] = True
    edges = np.flatnonzero(near[outlines.body])
    moving = world[edges[parts.moving[outlines.body[edges]] >= 0]]
    if not len(moving):
        return edges, edges  # none
    low, high = _boxes(world, outlines, edges, radius)
    edges = edges[((low <= moving.max(axis=0)) & (high >= moving.min(axis=0))).all(axis=1)]
    return edges[outlines.convex[edges]], edges


def _boxes(world: Floats, outlines: Outlines, edges: Ints, radius: float) -> tuple[Floats, Floats]:
    start, end = world[edges], world[outlines.follow[edges]]
    return np.minimum(start, end) - radius, np.maximum(start, end) + radius


def _groups_by_lists(
    parts: Parts, world: Floats, pairs: Ints, vertices: Ints, edges: Ints, radius: float
) -> NearGroups[Candidates]:
    """Groups of some vertices, with all of some edges that are within `radius` of them."""
    outlines = parts.outlines
    between = _features_between(parts, world, pairs, vertices, edges, radius)
    vertex, edge, pair = between or _by_box_tree(parts, world, pairs, vertices, edges, radius)
    other = outlines.body[edge]
    kept = (pair != NONE) & (_distance(world, outlines, vertex, edge) <= radius)
    vertex, edge, other, pair = vertex[kept], edge[kept], other[kept], pair[kept]
    order = np.argsort((vertex * parts.count + other) * len(world) + edge)
    vertex, edge, other, pair = vertex[order], edge[order], other[order], pair[order]
    first = np.flatnonzero((np.diff(vertex, prepend=-1) != 0) | (np.diff(other, prepend=-1) != 0))
    group = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(edge))))
    return NearGroups(vertex[first], other[first], pair[first], Candidates(edge, group, first))


def _by_box_tree(
    parts: Parts, world: Floats, pairs: Ints, vertices: Ints, edges: Ints, radius: float
) -> tuple[Ints, Ints, Ints]:
    """Vertices and edges in whose boxes, `radius` wider, they are; the pairs of their bodies: (C,) each."""
    outlines = parts.outlines
    low, high = _boxes(world, outlines, edges, radius)
    vertex, edge = shapely.STRtree(shapely.box(*low.T, *high.T)).query(shapely.points(world[vertices]))
    vertex, edge = vertices[vertex], edges[edge]
    apart = outlines.body[vertex] != outlines.body[edge]
    vertex, edge = vertex[apart], edge[apart]
    pair = _places(_code(parts, outlines.body[vertex], outlines.body[edge]), _code(parts, *pairs.T))
    return vertex, edge, pair


def _features_between(
    parts: Parts, world: Floats, pairs: Ints, vertices: Ints, edges: Ints, radius: float
) -> tuple[Ints, Ints, Ints] | None:
    """The same pair by pair: vertices in the box of the other body, and all edges in that of their own.

    None where these are so many that they are sooner found in a tree.
    """
    outlines, starts = parts.outlines, parts.outlines.starts[:-1]
    own, other = np.concatenate([pairs, pairs[:, ::-1]]).T
    place, at = _each_of(outlines.body[vertices], parts.count, own)
    vertex = vertices[place]
    place, beside = _each_of(outlines.body[edges], parts.count, other)
    edge = edges[place]
    in_other, in_own = np.ones(len(vertex), np.bool_), np.ones(len(edge), np.bool_)
    for axis in world.T.copy():
        low, high = np.minimum.reduceat(axis, starts) - radius, np.maximum.reduceat(axis, starts) + radius
        next_to = axis[outlines.follow]
        least, most = np.minimum(axis, next_to)[edge], np.maximum(axis, next_to)[edge]
        in_other &= (axis[vertex] >= low[other][at]) & (axis[vertex] <= high[other][at])
        in_own &= (most >= low[own][beside]) & (least <= high[own][beside])
    vertex, at, edge, beside = vertex[in_other], at[in_other], edge[in_own], beside[in_own]
    if np.bincount(at, minlength=len(own)) @ np.bincount(beside, minlength=len(own)) > PRODUCTS:
        return None
    place, of = _each_of(beside, len(own), at)
    return vertex[of], edge[place], at[of] % len(pairs)


def _each_of(sorted_keys: Ints, count: int, wanted: Ints) -> tuple[Ints, Ints]:
    """All places of keys, which ascend, that are wanted (W,), one after the other; and of which each is."""
    starts = np.searchsorted(sorted_keys, np.arange(count + 1))
    counts = (starts[1:] - starts[:-1])[wanted]
    of = np.repeat(np.arange(len(wanted)), counts)
    return np.arange(len(of)) + (starts[wanted] - np.cumsum(counts) + counts)[of], of


def _distance(world: Floats, outlines: Outlines, vertex: Ints, edge: Ints) -> Floats:
    """From vertices to edges."""
    (x, y), (u, v) = world.T.copy(), (world[outlines.follow] - world).T.copy()
    right, up, u, v = x[vertex] - x[edge], y[vertex] - y[edge], u[edge], v[edge]
    along = np.clip((right * u + up * v) / (outlines.length**2)[edge], 0.0, 1.0)
    return np.hypot(right - along * u, up - along * v)


def _places(codes: Ints, known: Ints) -> Ints:
    """Where each number is among ascending ones, NONE where it is not."""
    if not len(known):
        return np.full(len(codes), NONE)
    place = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    return np.where(known[place] == codes, place, NONE)


def _groups_by_trees(parts: Parts, poses: Floats, pairs: Ints, radius: float) -> NearGroups[Hints]:
    """The same groups, each with its nearest edge."""
    from pliant.flex.geometry.trees import near_vertices

    outlines = parts.outlines
    both = np.concatenate([pairs, pairs[:, ::-1]])
    order = np.lexsort((both[:, 1], both[:, 0]))
    vertex, body, edge, distance, place = near_vertices(
        both[order], outlines.starts, outlines.convex, poses, *outlines.trees, radius
    )
    pair = (order % max(len(pairs), 1))[place]
    return NearGroups(vertex, body, pair, Hints(edge, distance))


def gap_scale(parts: Parts, clearance: float) -> float:
    """A typical gap: the clearance, or the median distance of a moving body to its nearest neighbour.

    What touches or overlaps another body has no gap. Fixed bodies count as neighbours only: scenery,
    however much of it, is no measure of what moves.
    """
    if clearance > 0:
        return clearance
    polygons = parts.polygons(parts.drawn)
    fine = np.diff(parts.outlines.starts)[parts.free] > FINE
    _, distance = shapely.STRtree(polygons).query_nearest(
        polygons[parts.free[~fine]], exclusive=True, return_distance=True, all_matches=False
    )
    apart = np.append(distance, [_to_nearest(parts, polygons, body) for body in parts.free[fine].tolist()])
    apart = apart[(apart > 0) & (apart < np.inf)]
    return float(np.median(apart)) if len(apart) else 0.0


def _to_nearest(parts: Parts, polygons: NDArray[np.object_], body: int) -> float:
    """The distance from a body to its nearest neighbour, by trees: GEOS would compare all edges."""
    others = np.delete(np.arange(parts.count), body)
    shapely.prepare(polygons[body])
    if shapely.intersects(polygons[body], polygons[others]).any():
        return 0.0
    low, high = np.split(shapely.bounds(polygons), 2, axis=1)
    apart = np.hypot(*np.maximum(np.maximum(low - high[body], low[body] - high), 0.0)[others].T)
    least = np.inf
    for some in (apart == apart.min(initial=np.inf), apart > apart.min(initial=np.inf)):
        near = others[some & (apart < least)]
        pairs = np.stack([np.full(len(near), body), near], axis=1)
        least = _groups_by_trees(parts, parts.drawn, pairs, least).edges.distance.min(initial=least)
    return float(least)
