"""The nearest edge of each (convex vertex, neighbouring body) within reach, and the wall that faces it.

Lists of candidates are measured by array expressions, trees of edges (`flex.geometry.trees`) are searched by
compiled loops; both give the same edges, to the same rules where several are as near.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.pose import dot, rotate, rotations
from pliant.flex.contact.neighbours import NONE, Candidates, Hints, Neighbours, relative_travel
from pliant.flex.geometry.parts import Outlines, Parts

TIE = 1e-7  # of the reach: lengths that differ by less are equal, so that no rounding decides between edges
FACING = -0.5  # cosine of the angle between the normals of two walls that face each other


@dataclass(frozen=True)
class Nearest:
    """The groups within reach, N of them, in order."""

    group: Ints  # (N,)
    seen: Floats  # (N, 2) the vertex in the frame of the body it is near
    edge: Ints  # (N,) the nearest
    along: Floats  # (N,) how far along that edge the vertex is
    height: Floats  # (N,) and how high above it
    facing: Ints  # (N,) the nearest edge that faces it across the vertex, NONE: there is none


def nearest(parts: Parts, poses: Floats, near: Neighbours) -> Nearest:
    """What is nearest to each vertex at these poses, for which the neighbours must still hold."""
    if isinstance(near.edges, Hints):
        return _by_trees(parts, poses, near, near.edges)
    return _by_lists(parts.outlines, poses, near, near.edges)


def _by_trees(parts: Parts, poses: Floats, near: Neighbours, hints: Hints) -> Nearest:
    from pliant.flex.geometry import trees

    outlines = parts.outlines
    travel = relative_travel(parts, near.pairs, near.poses, poses)
    return Nearest(
        *trees.nearest_edges(
            near.vertex, near.body, hints.edge, hints.distance, near.pair, travel, outlines.body,
            outlines.starts, poses, *outlines.trees, near.reach, TIE * near.reach, FACING,
        )
    )  # fmt: skip


def _by_lists(outlines: Outlines, poses: Floats, near: Neighbours, listed: Candidates) -> Nearest:
    seen = vertices_seen_from(outlines, near, poses, slice(None))
    along, height = frame(outlines, listed.edge, seen[listed.group])
    beyond = along - np.clip(along, 0.0, outlines.length[listed.edge])
    distance = beyond**2 + height**2
    best = _best(listed, along, height, distance, TIE * near.reach)
    close = distance[best] <= ((1 + TIE) * near.reach) ** 2
    facing = _facing(outlines, listed, along, height, best, near.reach)
    best = best[close]
    return Nearest(
        np.flatnonzero(close), seen[close], listed.edge[best], along[best], height[best], facing[close]
    )


def vertices_seen_from(outlines: Outlines, near: Neighbours, poses: Floats, group: Ints | slice) -> Floats:
    """The vertices of groups, in the frames of the bodies they are near."""
    vertex, body, turned = near.vertex[group], near.body[group], rotations(poses)
    owner = outlines.body[vertex]
    arm = rotate(turned[owner], outlines.point[vertex]) + (poses[owner, :2] - poses[body, :2])
    return rotate(turned[body] * (1.0, -1.0), arm)


def frame(outlines: Outlines, edge: Ints, seen: Floats) -> tuple[Floats, Floats]:
    """How far along the line of an edge a point is, and how high above it."""
    arm, tangent = seen - outlines.point[edge], outlines.tangent[edge]
    return dot(arm, tangent), arm[:, 0] * tangent[:, 1] - arm[:, 1] * tangent[:, 0]


def _best(listed: Candidates, along: Floats, height: Floats, distance: Floats, tie: float) -> Ints:
    """The nearest candidate of each group; of those as near, the highest one.

    Of those as high, as in a mitred corner or on the diagonal of a grid, it is the edge that
    starts at the corner, the point being less far along it: outlines are wound one way, so that
    the choice turns and scales with the drawing.
    """
    if not len(listed.starts):
        return np.zeros(0, np.int64)
    near_enough = np.sqrt(np.minimum.reduceat(distance, listed.starts)) + tie
    tied = distance <= (near_enough**2)[listed.group]
    for size in (-height, along):
        left = np.where(tied, size, np.inf)
        tied = left <= np.minimum.reduceat(left, listed.starts)[listed.group] + tie
    return _first_of_each(listed.group, np.flatnonzero(tied))


def _facing(
    outlines: Outlines, listed: Candidates, along: Floats, height: Floats, best: Ints, reach: float
) -> Ints:
    """The nearest wall that faces the nearest edge across the vertex, as in a narrow slot."""
    edge, group = listed.edge, listed.group
    over = (along >= 0) & (along <= outlines.length[edge]) & (height >= 0) & (height <= reach)
    wall = np.flatnonzero(over)
    facing = outlines.normal[edge[best[group[wall]]]]
    wall = wall[dot(outlines.normal[edge[wall]], facing) < FACING]
    wall = _first_of_each(group, wall[np.lexsort((height[wall], group[wall]))])
    facing = np.full(len(best), NONE)
    facing[group[wall]] = edge[wall]
    return facing


def _first_of_each(group: Ints, which: Ints) -> Ints:
    """The first of each group among candidates that are in order of groups."""
    return which[np.diff(group[which], prepend=-1) != 0]
