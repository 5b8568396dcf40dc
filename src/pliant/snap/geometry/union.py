"""Obstacles that touch or overlap, united exactly before anything is swept.

Edges are cut where they meet. Of the pieces those stay that have material on their left and none on their
right; followed from end to end they are the outlines of the whole, and of holes in it. Floats only choose
what is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import numpy as np
import shapely

from pliant.core.arrays import Geometries
from pliant.snap.arithmetic.numbers import RationalVector
from pliant.snap.geometry.intersections import (
    Edge,
    are_disjoint,
    edge_contains,
    edge_relation,
    edges_of,
    float_points,
    outward_boxes,
    overlapping_boxes,
    point_location,
    side,
    to_integer_points,
)
from pliant.snap.geometry.outlines import (
    NO_VERTEX,
    Boundary,
    Face,
    NormalOutline,
    Vectors,
    boundary_of,
    cross,
    dot,
    minus,
)

NEAR = 1e-9  # of the largest coordinate: how far apart floats may be that are looked at


class EdgePiece(NamedTuple):
    """A part of an obstacle's edge between two cuts, material on its left."""

    start: RationalVector
    end: RationalVector
    owner: int
    edge: int  # by its first vertex in the obstacle's ring

    @property
    def direction(self) -> RationalVector:
        """From its start to its end."""
        return minus(self.end, self.start)


def union_boundaries(rings: Sequence[NormalOutline]) -> Iterator[Boundary]:
    """The outlines of what the obstacles cover together; those that touch no other are as they were.

    Where bodies touch at a corner only, nothing is joined: every corner is a wedge of material.
    """
    members = touching_groups([ring.points for ring in rings], _near_outlines(rings))
    joined = {group[0]: group for group in members}
    taken = {owner for group in members for owner in group}
    for owner, ring in enumerate(rings):
        if owner in joined:
            group = {member: rings[member] for member in joined[owner]}
            kept = _outer_pieces(list(_pieces(group)), group)
            yield from (_boundary(loop, group) for loop in _loops(kept))
        elif owner not in taken:
            yield boundary_of(ring, owner)


def touching_groups(outlines: Sequence[Vectors], pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Outlines that hang together, of the pairs that touch or overlap."""
    group_of: dict[int, set[int]] = {}
    for i, j in pairs:
        one, other = group_of.setdefault(i, {i}), group_of.setdefault(j, {j})
        if one is not other and not are_disjoint(outlines[i], outlines[j]):
            one |= other
            group_of.update(dict.fromkeys(other, one))
    return sorted({min(group): sorted(group) for group in group_of.values() if len(group) > 1}.values())


def _near_outlines(rings: Sequence[NormalOutline]) -> list[tuple[int, int]]:
    """Pairs of rings that could touch or overlap."""
    areas, slack = _areas(rings)
    first, second = shapely.STRtree(areas).query(areas, predicate="dwithin", distance=slack)
    kept = first < second
    return sorted(zip(first[kept].tolist(), second[kept].tolist(), strict=True))


def _areas(rings: Sequence[NormalOutline]) -> tuple[Geometries, float]:
    """The rings as shapely takes them, and how far they could be from what they are."""
    corners = np.concatenate([float_points(ring.points) for ring in rings])
    owners = np.repeat(np.arange(len(rings)), [len(ring.points) for ring in rings])
    areas = np.asarray(shapely.polygons(shapely.linearrings(corners, indices=owners)))
    return areas, NEAR * float(np.abs(corners).max())


# Pieces


def _pieces(group: dict[int, NormalOutline]) -> Iterator[EdgePiece]:
    """Every edge of the obstacles, cut where it meets one of another's."""
    cuts = _cuts(group)
    for owner, ring in group.items():
        for edge, (start, end) in enumerate(_sides(ring)):
            inner = {*cuts.get((owner, edge), ())} - {start, end}
            direction = minus(end, start)
            along = sorted(inner, key=lambda place, direction=direction: dot(place, direction))
            yield from (EdgePiece(*ends, owner, edge) for ends in pairwise([start, *along, end]))


def _sides(ring: NormalOutline) -> Iterator[tuple[RationalVector, RationalVector]]:
    return zip(ring.points, (*ring.points[1:], ring.points[0]), strict=True)


def _cuts(group: dict[int, NormalOutline]) -> dict[tuple[int, int], list[RationalVector]]:
    """Where each edge, by obstacle and number, meets those of other obstacles."""
    names = [(owner, edge) for owner, ring in group.items() for edge in range(len(ring.points))]
    drawn = [ends for ring in group.values() for ends in _sides(ring)]
    whole = [
        edge
        for ring in to_integer_points(*(ring.points for ring in group.values()))
        for edge in edges_of(ring)
    ]
    starts, ends = (float_points([ends[k] for ends in drawn]) for k in (0, 1))
    cuts: dict[tuple[int, int], list[RationalVector]] = {}
    for i, j in overlapping_boxes(outward_boxes(np.minimum(starts, ends), np.maximum(starts, ends))):
        verb = "" if names[i][0] == names[j][0] else edge_relation(whole[i], whole[j])
        if verb == "cross":
            place = _crossing_point(drawn[i], whole[i], whole[j])
            cuts.setdefault(names[i], []).append(place)
            cuts.setdefault(names[j], []).append(place)
        elif verb == "touch":
            for one, other in ((i, j), (j, i)):
                at = [
                    place
                    for place, k in zip(drawn[other], whole[other], strict=True)
                    if edge_contains(whole[one], k)
                ]
                cuts.setdefault(names[one], []).extend(at)
    return cuts


def _crossing_point(drawn: tuple[RationalVector, RationalVector], one: Edge, other: Edge) -> RationalVector:
    """Where an edge crosses another: between its ends by how far these are from the other's line."""
    before, after = side(*other, one[0]), side(*other, one[1])
    share = Fraction(before, before - after)
    start, direction = drawn[0], minus(drawn[1], drawn[0])
    return start[0] + share * direction[0], start[1] + share * direction[1]


def _outer_pieces(pieces: Sequence[EdgePiece], group: dict[int, NormalOutline]) -> list[EdgePiece]:
    """The pieces with material on their left only; of those that coincide, the first."""
    along: dict[frozenset[RationalVector], list[EdgePiece]] = {}
    for piece in pieces:
        along.setdefault(frozenset((piece.start, piece.end)), []).append(piece)
    lines = [line for line in along.values() if len({piece.start for piece in line}) == 1]
    covered = _covered_lines(lines, group)
    return [line[0] for index, line in enumerate(lines) if index not in covered]


def _covered_lines(lines: Sequence[Sequence[EdgePiece]], group: dict[int, NormalOutline]) -> set[int]:
    """Which of some lines, each an edge of one obstacle or several, lie inside yet another."""
    owners = list(group)
    areas, slack = _areas(list(group.values()))
    middles = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for (a, b, *_), *_ in lines]
    spots: Any = shapely.points(float_points(middles))
    near = shapely.STRtree(areas).query(spots, predicate="dwithin", distance=slack)
    inside: set[int] = set()
    for index, place in near.T.tolist():
        other = owners[place]
        if index not in inside and all(piece.owner != other for piece in lines[index]):
            outline, (middle,) = to_integer_points(group[other].points, [middles[index]])
            if point_location(middle, edges_of(outline)) > 0:
                inside.add(index)
    return inside


# Loops


def _loops(pieces: Sequence[EdgePiece]) -> Iterator[list[EdgePiece]]:
    """Pieces in order, end to start. Where several go on, the one that has the next wedge of material."""
    leaving: dict[RationalVector, list[EdgePiece]] = {}
    for piece in pieces:
        leaving.setdefault(piece.start, []).append(piece)
    gone: set[EdgePiece] = set()
    for first in pieces:
        loop: list[EdgePiece] = []
        piece = first
        while piece not in gone:
            gone.add(piece)
            loop.append(piece)
            back = minus(piece.start, piece.end)
            piece = min(leaving[piece.end], key=lambda other, back=back: _right_turn(back, other.direction))
        if loop:
            yield loop


def _right_turn(start: RationalVector, direction: RationalVector) -> tuple[int, Fraction]:
    """A measure that grows with how far to turn right, less than a whole turn, from one way to another."""
    across = cross(direction, start)
    return (
        (1, Fraction(0))
        if across == 0
        else (0 if across > 0 else 2, -Fraction(dot(direction, start)) / across)
    )


def _boundary(loop: Sequence[EdgePiece], group: dict[int, NormalOutline]) -> Boundary:
    """The outline that a loop is, with its corners and what its edges are in the file."""
    turns = [cross(loop[k - 1].direction, piece.direction) for k, piece in enumerate(loop)]
    corners = [k for k, turn in enumerate(turns) if turn != 0]
    named = [_vertex(loop[k - 1], loop[k], group) for k in corners]
    ends = (*corners[1:], corners[0] + len(loop))
    sides = [[loop[k % len(loop)] for k in range(*ends)] for ends in zip(corners, ends, strict=True)]
    return Boundary(
        points=tuple(loop[k].start for k in corners),
        owner=tuple(owner for owner, _ in named),
        drawn=tuple(vertex for _, vertex in named),
        convex=tuple(turns[k] > 0 for k in corners),
        faces=tuple(tuple(_faces(pieces, group)) for pieces in sides),
    )


def _vertex(before: EdgePiece, after: EdgePiece, group: dict[int, NormalOutline]) -> tuple[int, int]:
    """Whose vertex a corner is, and which; where edges of two cross, the obstacle of the edge after it."""
    for piece, place, step in ((after, after.start, 0), (before, before.end, 1)):
        ring = group[piece.owner]
        vertex = (piece.edge + step) % len(ring.points)
        if ring.points[vertex] == place:
            return piece.owner, ring.drawn[vertex]
    return after.owner, NO_VERTEX


def _faces(pieces: Sequence[EdgePiece], group: dict[int, NormalOutline]) -> Iterator[Face]:
    """The drawn edges that pieces on one line lie on."""
    start, direction = pieces[0].start, minus(pieces[-1].end, pieces[0].start)
    for (owner, edge), part in groupby(pieces, key=lambda piece: (piece.owner, piece.edge)):
        share = Fraction(dot(minus(next(part).start, start), direction)) / dot(direction, direction)
        drawn = group[owner].drawn
        yield Face(share, owner, drawn[edge], drawn[(edge + 1) % len(drawn)])
