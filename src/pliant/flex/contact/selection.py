"""Which distances matter: for each convex vertex near another body, that body's nearest edge.

Every pair of a vertex and an edge in reach would be far too many rows, and wrong ones:
behind a thin wall, or beyond the end of an edge, a line forbids what is free. One row
for each (convex vertex, neighbouring body) is right: the edge in whose Voronoi region
the vertex lies. Two kinds of edge are added to it, both of which bind at once with it:
the one joined to it by a sharp reflex corner, and a facing wall.

Between two convex corners the vertex must be outside one edge *or* the other. `chosen`
takes the edge it was outside of before; see `flex.stepping.corners` for the other two ways.

Source: [Lensgraf2020] sections V and V-A.
Differs: the paper keeps every pair closer than ε, and lets one body of a pair supply the
vertices; here either body does, since a vertex of either can touch an edge of the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.pose import dot, rotate, rotations
from pliant.flex.contact.distance import Rows, gaps
from pliant.flex.contact.nearest import TIE, Nearest, frame, nearest, vertices_seen_from
from pliant.flex.contact.neighbours import NONE, Neighbours
from pliant.flex.contact.sweep import Crossings
from pliant.flex.geometry.parts import STRAIGHT, Outlines, Parts
from pliant.flex.lp.program import COMPILED

SHARP = 0.02  # rad: blunter reflex corners are straight enough for one edge
APPLICABLE = 0.3  # sine of the angle by which a corner may point past an edge and still be stopped by it


@dataclass(frozen=True)
class Selection:
    """The rows of one pose, and the choices behind them, to be kept for the next."""

    rows: Rows
    group: Ints  # (R,) of each row
    row_edge: Ints  # (R,)
    near: Neighbours
    edge: Ints  # (G,) the edge chosen for each group, NONE beyond reach
    both: Bools  # (G,) whether the vertex was outside the edge next to the chosen one too
    distance: Floats  # (G,) of each vertex from the outline of the body, at least
    corner: Ints  # (K,) rows that stand between two convex corners
    corner_group: Ints  # (K,)
    other_edge: Ints  # (K,) the edge each could have had instead


def flip_corners(parts: Parts, contacts: Selection, which: Bools) -> Selection:
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


def unforeseen_crossings(
    parts: Parts, poses: Floats, contacts: Selection, met: Crossings, slack: float
) -> Crossings:
    """The crossings that want a row which these contacts do not have.

    Their vertex and body are known to be near, and the vertex is now outside the edge it enters by, or
    within `slack` of it. One that has yet to come round a corner would be driven back by such a row.
    """
    near, most = contacts.near, len(contacts.near.keys)
    if not met.any or not most:
        return met.take(np.zeros(0, np.int64))
    group = np.minimum(np.searchsorted(near.keys, near.key(met.vertex, met.body)), most - 1)
    known = (near.vertex[group] == met.vertex) & (near.body[group] == met.body)
    has_row = np.isin(group + most * met.edge, contacts.group + most * contacts.row_edge)
    new = np.flatnonzero(known & ~has_row)
    outside = gaps(_rows(parts.outlines, near, group[new], met.edge[new]), poses) >= -slack
    return met.take(new[outside])


def add_edges(parts: Parts, contacts: Selection, met: Crossings) -> Selection:
    """The contacts with rows for the edges that vertices ran into."""
    group = np.searchsorted(contacts.near.keys, contacts.near.key(met.vertex, met.body))
    return replace(
        contacts,
        rows=Rows.join(contacts.rows, _rows(parts.outlines, contacts.near, group, met.edge)),
        group=np.concatenate([contacts.group, group]),
        row_edge=np.concatenate([contacts.row_edge, met.edge]),
    )


def without_rows(contacts: Selection, rows: Bools) -> Selection:
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


def distance_beyond_ends(parts: Parts, poses: Floats, contacts: Selection) -> Floats:
    """How far the vertex of each row is past the nearer end of its edge, (R,); negative before it."""
    outlines, edge = parts.outlines, contacts.row_edge
    seen = vertices_seen_from(outlines, contacts.near, poses, contacts.group)
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
    near_edges = nearest(parts, poses, near)
    vertex, old, both = near.vertex[near_edges.group], *_recall(before, near, near_edges.group)
    corner, edge, rival = _choose(outlines, tangent, vertex, near_edges, old, both, slack)
    extra = [
        _reflex_edges(
            outlines, near_edges.seen, edge, near.reach, slack + 2 * np.maximum(-near_edges.height, 0.0)
        ),
        _facing_edges(near_edges),
    ]
    places = np.concatenate([np.arange(len(edge)), *(place for place, _ in extra)])
    edges = np.concatenate([edge, *(others for _, others in extra)])
    fits = np.flatnonzero(_points_at(outlines, tangent, vertex[places], edges) >= -APPLICABLE)
    places, edges = places[fits], edges[fits]
    at_corner = np.flatnonzero((fits < len(edge)) & corner[places])
    other_edge = rival[places[at_corner]]
    groups = near_edges.group[places]
    rows = _rows(outlines, near, groups, edges)
    if corners == "average":
        rows = _average_normals(outlines, rows, at_corner, edges[at_corner], other_edge)
    return Selection(
        rows=rows,
        group=groups,
        row_edge=edges,
        near=near,
        edge=_spread(near, near_edges, edge, NONE),
        both=_spread(
            near, near_edges, _outside_both(outlines, near_edges.seen, edge, TIE * near.reach), False
        ),
        distance=_spread(near, near_edges, _distance(outlines, near_edges, near.reach), near.reach),
        corner=at_corner,
        corner_group=groups[at_corner],
        other_edge=other_edge,
    )


def _distance(outlines: Outlines, near_edges: Nearest, reach: float) -> Floats:
    """How far vertices are from the nearest edge, (N,); as several may be as near, to within a tie."""
    along = near_edges.along
    beyond = along - np.clip(along, 0.0, outlines.length[near_edges.edge])
    return np.minimum(np.hypot(beyond, near_edges.height) - 2 * TIE * reach, reach)


def _spread(near: Neighbours, near_edges: Nearest, of: Any, else_: Any) -> Any:
    """What is known of the groups within reach, for all groups, (G,)."""
    every = np.full(len(near.vertex), else_)
    every[near_edges.group] = of
    return every


def _height(outlines: Outlines, edge: Ints, seen: Floats) -> Floats:
    """How high a point is above the line of an edge."""
    return dot(seen - outlines.point[edge], outlines.normal[edge])


def _along(outlines: Outlines, edge: Ints, seen: Floats) -> Floats:
    """How far along the line of an edge a point is."""
    return dot(seen - outlines.point[edge], outlines.tangent[edge])


def _choose(
    outlines: Outlines,
    tangent: Floats,
    vertex: Ints,
    near_edges: Nearest,
    old: Ints,
    both: Bools,
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
    edge, seen, along, height = near_edges.edge.copy(), near_edges.seen, near_edges.along, near_edges.height
    corner, rival = _corner(outlines, edge, along)
    returned = ~corner & ~both & (old != NONE) & _meet_convexly(outlines, edge, old)
    # A corner laid square on a corner is as near to the edge beside as to the one it rests on.
    ends = np.minimum(along, outlines.length[edge] - along) <= slack + 1e-9 * outlines.length[edge]
    inside = ~corner & ((height < 0) | ends)
    rival = np.where(returned, old, np.where(inside, _next_edge(outlines, edge, along), rival))
    unsure = np.flatnonzero(corner | returned | inside)
    pointing = [_points_at(outlines, tangent, vertex[unsure], e[unsure]) for e in (edge, rival)]
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
        from pliant.flex.contact.kernels import points_at

        return points_at(tangent, outlines.before, vertex, edge)
    across = tangent[edge]
    ahead, behind = tangent[vertex], tangent[outlines.before[vertex]]
    leaving = across[:, 1] * ahead[:, 0] - across[:, 0] * ahead[:, 1]  # n = (t_y, −t_x)
    arriving = across[:, 1] * behind[:, 0] - across[:, 0] * behind[:, 1]
    return np.minimum(leaving, -arriving)


def _recall(before: Selection | None, near: Neighbours, group: Ints) -> tuple[Ints, Bools]:
    """What was chosen before for some of these groups, and whether it was outside both edges."""
    if before is None or not len(before.near.keys):
        return np.full(len(group), NONE), np.ones(len(group), np.bool_)
    if before.near is near:
        return before.edge[group], before.both[group]
    keys = near.keys[group]
    place = np.minimum(np.searchsorted(before.near.keys, keys), len(before.near.keys) - 1)
    known = before.near.keys[place] == keys
    return np.where(known, before.edge[place], NONE), before.both[place] | ~known


def _outside_both(outlines: Outlines, seen: Floats, edge: Ints, tie: float) -> Bools:
    """Whether a vertex is outside the edge that meets the chosen one at its nearer convex end."""
    if len(edge) > COMPILED:
        from pliant.flex.contact.kernels import outside_both

        return outside_both(
            seen, edge, outlines.point, outlines.tangent, outlines.length, outlines.turn, outlines.follow,
            outlines.before, STRAIGHT, tie,
        )  # fmt: skip
    other = _next_edge(outlines, edge, _along(outlines, edge, seen))
    return _meet_convexly(outlines, edge, other) & (_height(outlines, other, seen) >= -tie)


def _reflex_edges(
    outlines: Outlines, seen: Floats, edge: Ints, reach: float, depth: Floats
) -> tuple[Ints, Ints]:
    """Edges that meet the chosen one in a sharp reflex corner, where both bind; and of which place.

    Further than `depth` behind such an edge, a point is on the other side of a thin wall.
    """
    if len(edge) > COMPILED:
        from pliant.flex.contact.kernels import joined

        return joined(
            seen, edge, depth, reach, outlines.point, outlines.tangent, outlines.length, outlines.turn,
            outlines.follow, outlines.before, SHARP,
        )  # fmt: skip
    places: list[Ints] = []
    edges: list[Ints] = []
    for ahead in (False, True):
        vertex = outlines.follow[edge] if ahead else edge
        place = np.flatnonzero(outlines.turn[vertex] < -SHARP)
        other = outlines.follow[edge[place]] if ahead else outlines.before[edge[place]]
        along, height = frame(outlines, other, seen[place])
        # Beyond its far end an edge stops; beyond the corner itself both lines still bind.
        reached = along <= outlines.length[other] if ahead else along >= 0
        kept = reached & (height <= reach) & (height >= -depth[place])
        places.append(place[kept])
        edges.append(other[kept])
    return np.concatenate(places), np.concatenate(edges)


def _facing_edges(near_edges: Nearest) -> tuple[Ints, Ints]:
    """The walls that face the nearest edges, which bind at once with them; and of which place."""
    place = np.flatnonzero(near_edges.facing != NONE)
    return place, near_edges.facing[place]


@dataclass(frozen=True)
class RowsPastEnds:
    """Rows for the edges round the corner from those that vertices press on."""

    group: Ints  # (K,) of each
    edge: Ints  # (K,) round the corner
    rows: Rows  # (K,) how far each vertex is past the end; negative: it is not past yet
    tips: Bools  # (R,) rows of the contacts that keep that end from the edges at the vertex


def rows_past_ends(parts: Parts, poses: Floats, contacts: Selection, which: Ints) -> RowsPastEnds:
    """Rows for the edges round the corner from those of some rows, and what is in the way.

    A vertex that presses on an edge within reach of its convex end could slip past that end. In
    the way are rows that keep that end from the edges at the vertex: tip passes tip, and then
    they hold nothing.
    """
    near, outlines = contacts.near, parts.outlines
    group = contacts.group[which]
    edge = contacts.edge[group]
    seen = vertices_seen_from(outlines, near, poses, group)
    other = _next_edge(outlines, edge, _along(outlines, edge, seen))
    could = _meet_convexly(outlines, edge, other) & (_height(outlines, other, seen) > -near.reach)
    group, edge, other = group[could], edge[could], other[could]
    tip, vertex = np.where(outlines.follow[edge] == other, other, edge), near.vertex[group]
    own = contacts.row_edge[:, None]
    meets = (near.vertex[contacts.group][:, None] == tip) & (
        (own == vertex) | (outlines.follow[own] == vertex)
    )
    return RowsPastEnds(group, other, _rows(outlines, near, group, other), meets.any(axis=1))


def with_rows_past_ends(contacts: Selection, past: RowsPastEnds, which: Bools) -> Selection:
    """The contacts with rows past ends (K,) instead of those that some vertices press on."""
    kept = without_rows(contacts, np.isin(contacts.group, past.group[which]))
    return replace(
        kept,
        rows=Rows.join(kept.rows, past.rows.take(which)),
        group=np.concatenate([kept.group, past.group[which]]),
        row_edge=np.concatenate([kept.row_edge, past.edge[which]]),
    )


def _rows(outlines: Outlines, near: Neighbours, groups: Ints, edges: Ints) -> Rows:
    vertex = near.vertex[groups]
    return Rows(
        edge_body=near.body[groups],
        point_body=outlines.body[vertex],
        normal=outlines.normal[edges],
        offset=outlines.offset[edges],
        point=outlines.point[vertex],
        source=np.full(len(groups), NONE),
    )


def _average_normals(outlines: Outlines, rows: Rows, corner: Ints, edge: Ints, other: Ints) -> Rows:
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
