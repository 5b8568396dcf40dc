"""Which vertices are near which bodies, found by a spatial index and kept while that holds.

Candidates are searched with a margin and kept until bodies have moved, relative to their
neighbours, by as much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from pliant.core.pose import Floats, carry, uncarry
from pliant.flex.lp.solvers import CROSSOVER
from pliant.flex.parts import Outlines, Parts

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NONE = -1


@dataclass(frozen=True)
class Neighbours:
    """Groups (convex vertex, other body), each with the edges that could be nearest."""

    vertex: Ints  # (G,) sorted, then by body
    body: Ints  # (G,)
    edge: Ints  # (C,) candidates, group after group
    group: Ints  # (C,)
    starts: Ints  # (G,) where each group's candidates start
    keys: Ints  # (G,) vertex and body in one number, ascending
    pairs: Ints  # (P, 2) bodies that are near each other, each pair once
    reach: float
    margin: float
    poses: Floats  # (B + 1, 3) where the bodies were

    def key(self, vertex: Ints, body: Ints) -> Ints:
        """Vertex and body in one number, as in `keys`."""
        return vertex * len(self.poses) + body

    @property
    def count(self) -> int:
        """How many candidates there are."""
        return len(self.edge)

    def reach_to(self, parts: Parts, poses: Floats) -> bool:
        """Whether bodies got no further, one relative to the other, than contacts were looked for."""
        if not len(self.pairs):
            return True
        return bool(relative_travel(parts, self.pairs, self.poses, poses).max() <= self.reach + self.margin)

    def still_hold(self, parts: Parts, poses: Floats) -> bool:
        """Whether no pair has moved enough, one relative to the other, to miss a candidate."""
        if not len(self.pairs):
            return bool(np.abs(poses - self.poses)[:-1, :2].max(initial=0.0) < self.margin)
        travel = relative_travel(parts, self.pairs, self.poses, poses)
        return bool(travel.max() < self.margin)


def relative_travel(parts: Parts, pairs: Ints, before: Floats, after: Floats) -> Floats:
    """A bound on how far any point of a pair's second body went in the frame of its first, (P,)."""
    first, second = pairs.T
    old = uncarry(before[first], before[second, :2])
    new = uncarry(after[first], after[second, :2])
    spin = (after - before)[second, 2] - (after - before)[first, 2]
    radius = np.append(parts.radius, 0.0)[second]
    return np.hypot(*(new - old).T) + np.abs(spin) * radius


def find_neighbours(parts: Parts, poses: Floats, reach: float) -> Neighbours:
    """Candidates for every contact within `reach`, and a margin of half as much again."""
    margin = 0.5 * reach
    outlines = parts.outlines
    world = carry(poses[outlines.body], outlines.point)
    vertices = np.flatnonzero(outlines.convex)
    near = _by_grid if len(parts.free) >= CROSSOVER else _by_tree
    place, edge = near(world, outlines, vertices, reach + margin)
    vertex = vertices[place]
    body, other = outlines.body[vertex], outlines.body[edge]
    held = (parts.moving[body] == NONE) & (parts.moving[other] == NONE)
    kept = (body != other) & ~held & ~exempt_pairs(parts, body, other)
    vertex, edge, other = vertex[kept], edge[kept], other[kept]
    keys = vertex * (parts.count + 1) + other
    order = np.argsort(keys, kind="stable")
    vertex, edge, other, keys = vertex[order], edge[order], other[order], keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return Neighbours(
        vertex=vertex[starts],
        body=other[starts],
        edge=edge,
        group=np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(keys)))),
        starts=starts,
        keys=keys[starts],
        pairs=_pairs(parts, outlines.body[vertex[starts]], other[starts]),
        reach=reach,
        margin=margin,
        poses=poses,
    )


def _by_tree(world: Floats, outlines: Outlines, vertices: Ints, radius: float) -> tuple[Ints, Ints]:
    """Vertices and edges whose boxes, the vertex's grown by `radius`, meet."""
    edges = np.asarray(shapely.linestrings(np.stack([world, world[outlines.follow]], axis=1)))
    low, high = (world[vertices] - radius).T, (world[vertices] + radius).T
    place, edge = shapely.STRtree(edges).query(shapely.box(low[0], low[1], high[0], high[1]))
    order = np.lexsort((edge, place))  # the tree's own order changes with the last digits of its boxes
    return place[order].astype(np.int64), edge[order].astype(np.int64)


def _by_grid(world: Floats, outlines: Outlines, vertices: Ints, radius: float) -> tuple[Ints, Ints]:
    """The same, compiled: a tree of many thousand edges takes longer to plant than to climb."""
    from pliant.flex.compiled import near_edges

    bodies = outlines.body
    return near_edges(world[vertices], bodies[vertices], world, world[outlines.follow], bodies, radius)


def exempt_pairs(parts: Parts, body: Ints, other: Ints) -> Bools:
    """Which of these pairs of bodies lie in different layers, joined by a pin."""
    if not parts.exempt:
        return np.zeros(len(body), np.bool_)
    codes = np.minimum(body, other) * parts.count + np.maximum(body, other)
    return np.isin(codes, [first * parts.count + second for first, second in parts.exempt])


def _pairs(parts: Parts, body: Ints, other: Ints) -> Ints:
    codes = np.unique(np.minimum(body, other) * parts.count + np.maximum(body, other))
    return np.stack([codes // parts.count, codes % parts.count], axis=1)


def gap_scale(parts: Parts, clearance: float) -> float:
    """A typical gap: the clearance, or the median distance of a body to its nearest neighbour."""
    if clearance > 0:
        return clearance
    polygons = parts.polygons(parts.drawn)
    if len(polygons) < 2:
        return 0.0
    _, distance = shapely.STRtree(polygons).query_nearest(
        polygons, exclusive=True, return_distance=True, all_matches=False
    )
    apart = distance[distance > 0]
    return float(np.median(apart)) if len(apart) else 0.0
