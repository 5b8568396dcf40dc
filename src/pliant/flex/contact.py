"""Which distances matter: for each convex vertex near another body, that body's nearest edge.

Every pair of a vertex and an edge in reach would be far too many rows, and wrong ones:
behind a thin wall, or beyond the end of an edge, a line forbids what is free. One row
for each (convex vertex, neighbouring body) is right: the edge in whose Voronoi region
the vertex lies. Two kinds of edge are added to it, both of which bind at once with it:
the one joined to it by a sharp reflex corner, and a facing wall.

Between two convex corners the vertex must be outside one edge *or* the other. `chosen`
takes the edge it was outside of before; see `flex.corners` for the other two ways.

Source: [Lensgraf2020] sections V and V-A.
Differs: the paper keeps every pair closer than ε, and lets one body of a pair supply the
vertices; here either body does, since a vertex of either can touch an edge of the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from pliant.core.pose import Floats, dot, rotate, rotations
from pliant.flex.distance import Rows
from pliant.flex.lp.solvers import CROSSOVER
from pliant.flex.neighbours import NONE, Bools, Ints, Neighbours
from pliant.flex.parts import STRAIGHT, Outlines, Parts
from pliant.flex.sweep import Crossings

SHARP = 0.02  # rad: blunter reflex corners are straight enough for one edge
APPLICABLE = 0.3  # sine of the angle by which a corner may point past an edge and still be stopped by it
TIE = 1e-7  # of the reach: lengths that differ by less are equal, so that no rounding decides between edges
COMPILED = 6000  # rows: below that an array expression is done before a compiler is loaded


@dataclass(frozen=True)
class Selection:
    """The rows of one pose, and the choices behind them, to be kept for the next."""

    rows: Rows
    group: Ints  # (R,) of each row
    row_edge: Ints  # (R,)
    near: Neighbours
    edge: Ints  # (G,) the edge chosen for each group, NONE beyond reach
    both: Bools  # (G,) whether the vertex was outside the edge next to the chosen one too
    corner: Ints  # (K,) rows that stand between two convex corners
    corner_group: Ints  # (K,)
    other_edge: Ints  # (K,) the edge each could have had instead


def flip(parts: Parts, contacts: Selection, which: Bools) -> Selection:
    """The same contacts with the other edge at some of the corners, (K,)."""
    if not which.any():
        return contacts
    row, other = contacts.corner[which], contacts.other_edge[which]
    chosen = contacts.edge[contacts.corner_group[which]]
    rows = contacts.rows
    normal, offset = rows.normal.copy(), rows.offset.copy()
    normal[row] = parts.outlines.normal[other]
    offset[row] = dot(normal[row], parts.outlines.point[other])
    edge, other_edge, row_edge = contacts.edge.copy(), contacts.other_edge.copy(), contacts.row_edge.copy()
    edge[contacts.corner_group[which]], other_edge[which], row_edge[row] = other, chosen, other
    rows = replace(rows, normal=normal, offset=offset)
    return replace(contacts, rows=rows, row_edge=row_edge, edge=edge, other_edge=other_edge)


def unforeseen(contacts: Selection, met: Crossings) -> Ints:
    """Which of the crossings have no row, though their vertex and body are known to be near."""
    near, most = contacts.near, len(contacts.near.keys)
    group = np.minimum(np.searchsorted(near.keys, near.key(met.vertex, met.body)), most - 1)
    known = (near.vertex[group] == met.vertex) & (near.body[group] == met.body)
    has_row = np.isin(group + most * met.edge, contacts.group + most * contacts.row_edge)
    return np.flatnonzero(known & ~has_row)


def add_edges(parts: Parts, contacts: Selection, met: Crossings) -> Selection:
    """The contacts with rows for the edges that vertices ran into, the first of each vertex and body."""
    new = unforeseen(contacts, met)
    vertex, edge = met.vertex[new], met.edge[new]
    group = np.searchsorted(contacts.near.keys, contacts.near.key(vertex, met.body[new]))
    return replace(
        contacts,
        rows=Rows.join(contacts.rows, _rows(parts.outlines, contacts.near, group, edge)),
        group=np.concatenate([contacts.group, group]),
        row_edge=np.concatenate([contacts.row_edge, edge]),
    )


def leave_out(contacts: Selection, rows: Bools) -> Selection:
    """The contacts without some of their rows (R,)."""
    kept = ~rows
    place = np.cumsum(kept) - 1
    corners = kept[contacts.corner]
    return replace(
        contacts,
        rows=contacts.rows.take(kept),
        group=contacts.group[kept],
        row_edge=contacts.row_edge[kept],
        corner=place[contacts.corner[corners]],
        corner_group=contacts.corner_group[corners],
        other_edge=contacts.other_edge[corners],
    )


def beyond_ends(parts: Parts, poses: Floats, contacts: Selection) -> Floats:
    """How far the vertex of each row is past the nearer end of its edge, (R,); negative before it."""
    outlines, edge = parts.outlines, contacts.row_edge
    seen = _seen(outlines, contacts.near, poses, rotations(poses), contacts.group)
    along = _along(outlines, edge, seen)
    return np.maximum(-along, along - outlines.length[edge])


def select(
    parts: Parts,
    poses: Floats,
    near: Neighbours,
    before: Selection | None = None,
    corners: Literal["chosen", "average"] = "chosen",
    slack: float = 0.0,
) -> Selection:
    """The rows at these poses, keeping what `before` chose where two corners meet.

    `slack` is the overlap that counts as none.
    """
    outlines = parts.outlines
    tangent = rotate(rotations(poses)[outlines.body], outlines.tangent)
    seen, along, height, distance, best = _measure(parts, poses, near)
    corner, edge, rival = _choose(
        outlines, tangent, near, seen, along[best], height[best], best, before, slack
    )
    close = distance[best] <= ((1 + TIE) * near.reach) ** 2
    extra = [
        _joined(outlines, seen, edge, close, near.reach, slack + 2 * np.maximum(-height[best], 0.0)),
        _facing(outlines, near, along, height, best, close),
    ]
    groups = np.concatenate([np.flatnonzero(close), *(group for group, _ in extra)])
    edges = np.concatenate([edge[close], *(found for _, found in extra)])
    chosen = np.arange(len(groups)) < np.count_nonzero(close)
    fits = _points_at(outlines, tangent, near.vertex[groups], edges) >= -APPLICABLE
    groups, edges, chosen = groups[fits], edges[fits], chosen[fits]
    at_corner = np.flatnonzero(chosen & corner[groups])
    other_edge = rival[groups[at_corner]]
    rows = _rows(outlines, near, groups, edges)
    if corners == "average":
        rows = _averaged(outlines, rows, at_corner, edges[at_corner], other_edge)
    return Selection(
        rows=rows,
        group=groups,
        row_edge=edges,
        near=near,
        edge=np.where(close, edge, NONE),
        both=_outside_both(outlines, seen, edge, TIE * near.reach),
        corner=at_corner,
        corner_group=groups[at_corner],
        other_edge=other_edge,
    )


def _measure(parts: Parts, poses: Floats, near: Neighbours) -> tuple[Floats, Floats, Floats, Floats, Ints]:
    """Vertices as their neighbours see them, (G, 2); where each candidate is; the nearest of each group."""
    outlines = parts.outlines
    if len(parts.free) >= CROSSOVER:
        from pliant.flex.compiled import nearest

        return nearest(
            near.vertex, near.body, near.edge, near.starts, outlines.body, outlines.point, outlines.tangent,
            outlines.length, poses, TIE * near.reach,
        )  # fmt: skip
    seen = _seen(outlines, near, poses, rotations(poses), slice(None))
    along, height = _frame(outlines, near.edge, seen[near.group])
    beyond = along - np.clip(along, 0.0, outlines.length[near.edge])
    distance = beyond**2 + height**2
    return seen, along, height, distance, _nearest(near, along, height, distance)


def _seen(outlines: Outlines, near: Neighbours, poses: Floats, turned: Floats, group: Ints | slice) -> Floats:
    """The vertices of groups, in the frames of the bodies they are near."""
    vertex, body = near.vertex[group], near.body[group]
    owner = outlines.body[vertex]
    arm = rotate(turned[owner], outlines.point[vertex]) + (poses[owner, :2] - poses[body, :2])
    return rotate(turned[body] * (1.0, -1.0), arm)


def _height(outlines: Outlines, edge: Ints, seen: Floats) -> Floats:
    """How high a point is above the line of an edge."""
    return dot(seen - outlines.point[edge], outlines.normal[edge])


def _frame(outlines: Outlines, edge: Ints, seen: Floats) -> tuple[Floats, Floats]:
    """Both: how far along an edge a point is, and how high above it."""
    arm, tangent = seen - outlines.point[edge], outlines.tangent[edge]
    return dot(arm, tangent), arm[:, 0] * tangent[:, 1] - arm[:, 1] * tangent[:, 0]


def _along(outlines: Outlines, edge: Ints, seen: Floats) -> Floats:
    """How far along the line of an edge a point is."""
    return dot(seen - outlines.point[edge], outlines.tangent[edge])


def _nearest(near: Neighbours, along: Floats, height: Floats, distance: Floats) -> Ints:
    """The nearest candidate of each group; of those as near, the highest one.

    Of those as high, as in a mitred corner or on the diagonal of a grid, it is the edge that
    starts at the corner, the point being less far along it: outlines are wound one way, so that
    the choice turns and scales with the drawing.
    """
    if not len(near.starts):
        return np.zeros(0, np.int64)
    tie = TIE * near.reach
    near_enough = np.sqrt(np.minimum.reduceat(distance, near.starts)) + tie
    tied = distance <= (near_enough**2)[near.group]
    for size in (-height, along):
        left = np.where(tied, size, np.inf)
        tied = left <= np.minimum.reduceat(left, near.starts)[near.group] + tie
    first = np.flatnonzero(tied)
    return first[np.diff(near.group[first], prepend=-1) != 0]


def _choose(
    outlines: Outlines,
    tangent: Floats,
    near: Neighbours,
    seen: Floats,
    along: Floats,
    height: Floats,
    best: Ints,
    before: Selection | None,
    slack: float,
) -> tuple[Bools, Ints, Ints]:
    """The edge of each group; where two would do, which groups those are and the other edge.

    An edge can only stop a corner that points at it: the body must lie outside the edge's line
    around the vertex. A vertex just inside came in by such an edge, be another one nearer. Where
    both edges of a convex corner can, there is a choice, and it stays
    with the edge of before until the vertex has been outside both: a vertex gets from one side
    of a corner to the other by way of the region outside both. The larger distance alone would
    let two facing corners slip through each other, in by one edge and out by the other. There is
    a choice too at the very end of an edge, where the vertex points past it and at the next one:
    else two corners, tip to tip, would each hold the other behind an edge that has ended.
    """
    edge = near.edge[best]
    corner, rival = _corner(outlines, edge, along)
    old, both = _recall(before, near)
    returned = ~corner & ~both & (old != NONE) & _meet_convexly(outlines, edge, old)
    # A corner laid square on a corner is as near to the edge beside as to the one it rests on.
    ends = np.minimum(along, outlines.length[edge] - along) <= slack + 1e-9 * outlines.length[edge]
    inside = ~corner & ((height < 0) | ends)
    rival = np.where(returned, old, np.where(inside, _next_edge(outlines, edge, along), rival))
    unsure = np.flatnonzero(corner | returned | inside)
    vertex = near.vertex[unsure]
    pointing = [_points_at(outlines, tangent, vertex, e[unsure]) for e in (edge, rival)]
    fits = [clearly >= -APPLICABLE for clearly in pointing]
    convex = inside[unsure] & _meet_convexly(outlines, edge[unsure], rival[unsure])
    past = convex & ends[unsure] & (pointing[0] < -SHARP) & (pointing[1] > pointing[0] + SHARP)
    choice = fits[0] & fits[1] & (corner[unsure] | past)
    known = (old[unsure] == rival[unsure]) & fits[1]
    outside = _height(outlines, rival[unsure], seen[unsure]) >= -slack
    came_in = convex & ~fits[0] & fits[1]
    swapped = unsure[known & (~both[unsure] | (choice & outside)) | came_in]
    corner[unsure] = choice
    edge[swapped], rival[swapped] = rival[swapped], edge[swapped]
    return corner, edge, rival


def _next_edge(outlines: Outlines, edge: Ints, along: Floats) -> Ints:
    """The edge that meets one at the end nearer to a point."""
    start = along < outlines.length[edge] / 2
    return np.where(start, outlines.before[edge], outlines.follow[edge])


def _corner(outlines: Outlines, edge: Ints, along: Floats) -> tuple[Bools, Ints]:
    """Whether the nearest feature is a convex corner, and the other edge that meets there."""
    slack = 1e-9 * outlines.length[edge]  # corners that face each other squarely are edge to edge
    start, end = along < -slack, along > outlines.length[edge] + slack
    vertex = np.where(start, edge, outlines.follow[edge])
    corner = (start | end) & outlines.convex[vertex]
    return corner, np.where(start, outlines.before[edge], outlines.follow[edge])


def _meet_convexly(outlines: Outlines, edge: Ints, other: Ints) -> Bools:
    ahead = (other == outlines.follow[edge]) & outlines.convex[outlines.follow[edge]]
    behind = (other == outlines.before[edge]) & outlines.convex[edge]
    return ahead | behind


def _points_at(outlines: Outlines, tangent: Floats, vertex: Ints, edge: Ints) -> Floats:
    """How clearly the two edges of a vertex leave it away from the line of another body's edge.

    The lesser of n·u₁ and n·u₂, with u the directions of its edges as they leave it: negative
    where one of them crosses the line. Then the corner of the other body meets that edge before
    the vertex meets anything, and the vertex needs no row. `tangent` (V, 2) is in the world.
    """
    if len(edge) > COMPILED:
        from pliant.flex.compiled import points_at

        return points_at(tangent, outlines.before, vertex, edge)
    across = tangent[edge]
    ahead, behind = tangent[vertex], tangent[outlines.before[vertex]]
    leaving = across[:, 1] * ahead[:, 0] - across[:, 0] * ahead[:, 1]  # n = (t_y, −t_x)
    arriving = across[:, 1] * behind[:, 0] - across[:, 0] * behind[:, 1]
    return np.minimum(leaving, -arriving)


def _recall(before: Selection | None, near: Neighbours) -> tuple[Ints, Bools]:
    """What was chosen before for each of these groups, and whether it was outside both edges."""
    if before is None or not len(before.near.keys):
        return np.full(len(near.keys), NONE), np.ones(len(near.keys), np.bool_)
    if before.near is near:
        return before.edge, before.both
    place = np.minimum(np.searchsorted(before.near.keys, near.keys), len(before.near.keys) - 1)
    found = before.near.keys[place] == near.keys
    return np.where(found, before.edge[place], NONE), before.both[place] | ~found


def _outside_both(outlines: Outlines, seen: Floats, edge: Ints, tie: float) -> Bools:
    """Whether a vertex is outside the edge that meets the chosen one at its nearer convex end."""
    if len(edge) > COMPILED:
        from pliant.flex.compiled import outside_both

        return outside_both(
            seen, edge, outlines.point, outlines.tangent, outlines.length, outlines.turn, outlines.follow,
            outlines.before, STRAIGHT, tie,
        )  # fmt: skip
    other = _next_edge(outlines, edge, _along(outlines, edge, seen))
    return _meet_convexly(outlines, edge, other) & (_height(outlines, other, seen) >= -tie)


def _joined(
    outlines: Outlines, seen: Floats, edge: Ints, close: Bools, reach: float, depth: Floats
) -> tuple[Ints, Ints]:
    """Edges that meet the chosen one in a sharp reflex corner, where both bind.

    Further than `depth` behind such an edge, a point is on the other side of a thin wall.
    """
    groups: list[Ints] = []
    edges: list[Ints] = []
    for ahead in (False, True):
        vertex = outlines.follow[edge] if ahead else edge
        group = np.flatnonzero(close & (outlines.turn[vertex] < -SHARP))
        found = outlines.follow[edge[group]] if ahead else outlines.before[edge[group]]
        along, height = _frame(outlines, found, seen[group])
        # Beyond its far end an edge stops; beyond the corner itself both lines still bind.
        reached = along <= outlines.length[found] if ahead else along >= 0
        kept = reached & (height <= reach) & (height >= -depth[group])
        groups.append(group[kept])
        edges.append(found[kept])
    return np.concatenate(groups), np.concatenate(edges)


def _facing(
    outlines: Outlines, near: Neighbours, along: Floats, height: Floats, best: Ints, close: Bools
) -> tuple[Ints, Ints]:
    """The nearest wall that faces the chosen one across the vertex, as in a narrow slot."""
    if not len(best):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    over = (along >= 0) & (along <= outlines.length[near.edge]) & (height >= 0) & (height <= near.reach)
    over[best] = False
    wall = np.flatnonzero(over & close[near.group])
    facing = outlines.normal[near.edge[best[near.group[wall]]]]
    wall = wall[dot(outlines.normal[near.edge[wall]], facing) < -0.5]
    order = np.lexsort((height[wall], near.group[wall]))
    wall = wall[order]
    found = wall[np.diff(near.group[wall], prepend=-1) != 0]
    return near.group[found], near.edge[found]


def past_ends(parts: Parts, poses: Floats, contacts: Selection, which: Ints) -> tuple[Ints, Rows]:
    """Rows for the edges round the corner from those of some rows, and the groups they are of.

    A vertex that presses on an edge within reach of its convex end could slip past that end:
    these rows tell how far it is from having done so (negative: it is not past yet).
    """
    near, outlines = contacts.near, parts.outlines
    group = contacts.group[which]
    edge = contacts.edge[group]
    seen = _seen(outlines, near, poses, rotations(poses), group)
    other = _next_edge(outlines, edge, _along(outlines, edge, seen))
    could = _meet_convexly(outlines, edge, other) & (_height(outlines, other, seen) > -near.reach)
    return group[could], _rows(outlines, near, group[could], other[could])


def _rows(outlines: Outlines, near: Neighbours, groups: Ints, edges: Ints) -> Rows:
    vertex = near.vertex[groups]
    normal = outlines.normal[edges]
    return Rows(
        edge_body=near.body[groups],
        point_body=outlines.body[vertex],
        normal=normal,
        offset=dot(normal, outlines.point[edges]),
        point=outlines.point[vertex],
        source=np.full(len(groups), NONE),
    )


def _averaged(outlines: Outlines, rows: Rows, corner: Ints, edge: Ints, other: Ints) -> Rows:
    """One half-plane a corner, through it, across the mean of the two edges' normals.

    Source: [Lensgraf2020] section V-A.
    """
    normal = outlines.normal[edge] + outlines.normal[other]
    normal /= np.hypot(*normal.T)[:, None]
    vertex = np.where(outlines.follow[edge] == other, other, edge)
    new_normal, new_offset = rows.normal.copy(), rows.offset.copy()
    new_normal[corner] = normal
    new_offset[corner] = dot(normal, outlines.point[vertex])
    return replace(rows, normal=new_normal, offset=new_offset)
