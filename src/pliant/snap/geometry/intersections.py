"""How outlines of exact points meet: one with itself, two with each other. Nothing is decided by rounding.

Floats only choose which edges are looked at, by boxes that are rounded outwards; integers decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from fractions import Fraction
from itertools import islice, pairwise, product
from math import lcm

import numpy as np
import shapely

from pliant.core.arrays import Floats, Geometries

Points = Sequence[tuple[Fraction, Fraction]]
IntegerPoints = Sequence[tuple[int, int]]  # a ring in integers
Edge = tuple[tuple[int, int], tuple[int, int]]

FEW = 150  # pairs of edges: they are looked at sooner than chosen
AT_ONCE = 5_000_000  # pairs of edges that are held
LOOKED_AT = 1_000_000  # pairs of edges of one ring


class RegionRelation(Enum):
    """How two regions lie to each other."""

    APART = "apart"
    TOUCHING = "touching"
    OVERLAPPING = "overlapping"


def near_edge_pairs(ring: Points) -> list[tuple[int, int]] | None:
    """Pairs of edges of a ring whose boxes meet, in order; None where they are too many to look at each."""
    pairs = list(islice(_near_edges(ring, ring), LOOKED_AT + 1))
    return sorted((i, j) for i, j in pairs if i < j) if len(pairs) <= LOOKED_AT else None


def self_intersection(ring: Points, near: Iterable[tuple[int, int]]) -> tuple[int, int, str] | None:
    """The first two edges of a ring that meet where they should not, and how: "fold", "cross" or "touch"."""
    (whole,) = to_integer_points(ring)
    edges = edges_of(whole)
    for index, edge in enumerate(edges):
        if _folds_back(edges[index - 1], edge):
            return (index - 1) % len(edges), index, "fold"
    for first, second in near:
        verb = edge_relation(edges[first], edges[second]) if 1 < second - first < len(edges) - 1 else ""
        if verb:
            return first, second, verb
    return None


def is_degenerate(ring: Points) -> bool:
    """Whether all corners of a ring lie on one line."""
    (whole,) = to_integer_points(ring)
    return all(side(whole[0], whole[1], corner) == 0 for corner in whole)


def region_relation(one: Points, other: Points) -> RegionRelation:
    """How two outlines lie to each other: overlapping is to share area.

    Cut the edges of each where they touch the other. If none cross, every piece lies in the other, out of
    it, or on its edge. The outlines share area where a piece of one lies in the other, or where two pieces
    lie on each other with their material on the same side; and nowhere else: if no edge of either is in the
    other and they share area, each holds the other, so they are the same.
    """
    whole = to_integer_points(one, other)
    first, second = edges_of(whole[0]), edges_of(whole[1])
    contacts = [set[int]() for _ in first], [set[int]() for _ in second]
    for i, j in _near_edges(one, other):
        verb = edge_relation(first[i], second[j])
        if verb == "cross":
            return RegionRelation.OVERLAPPING
        if verb == "touch":
            contacts[0][i].update(_contact_positions(first[i], second[j]))
            contacts[1][j].update(_contact_positions(second[j], first[i]))
    if not any(contacts[0]):
        held = point_location(whole[0][0], second) > 0 or point_location(whole[1][0], first) > 0
        return RegionRelation.OVERLAPPING if held else RegionRelation.APART
    same = (_twice_area(first) > 0) == (_twice_area(second) > 0)
    shared = any(_has_area_beside(*piece, second, same) for piece in _pieces(first, contacts[0]))
    shared = shared or any(_has_area_beside(*piece, first, same) for piece in _pieces(second, contacts[1]))
    return RegionRelation.OVERLAPPING if shared else RegionRelation.TOUCHING


def are_disjoint(one: Points, other: Points) -> bool:
    """Whether two outlines, with all they hold, have no point in common.

    >>> square = [(Fraction(x), Fraction(y)) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    >>> are_disjoint(square, [(x + 1, y) for x, y in square])
    False
    """
    whole = to_integer_points(one, other)
    first, second = edges_of(whole[0]), edges_of(whole[1])
    if any(edge_relation(first[i], second[j]) for i, j in _near_edges(one, other)):
        return False
    return point_location(whole[0][0], second) < 0 and point_location(whole[1][0], first) < 0


def _near_edges(one: Points, other: Points) -> Iterator[tuple[int, int]]:
    """Pairs of edges of two rings whose boxes meet, so many at a time that memory holds them."""
    if len(one) * len(other) <= FEW:
        yield from product(range(len(one)), range(len(other)))
        return
    tree, boxes = shapely.STRtree(_boxes(other)), _boxes(one)
    stride = max(1, AT_ONCE // len(other))
    for start in range(0, len(one), stride):
        first, second = tree.query(boxes[start : start + stride])
        yield from zip((first + start).tolist(), second.tolist(), strict=True)


def _pieces(edges: Sequence[Edge], contacts: Sequence[set[int]]) -> Iterator[tuple[Edge, int, int]]:
    """The pieces between contacts, of edges that have any: the edge, and the share of its middle as a ratio.

    What lies between two contacts of a ring begins on an edge that has one, so that no piece is missed.
    """
    for edge, at in zip(edges, contacts, strict=True):
        length = _edge_parameter(edge, edge[1])
        for before, after in pairwise(sorted({0, *at, length}) if at else ()):
            yield edge, before + after, 2 * length


def _has_area_beside(edge: Edge, share: int, whole: int, edges: Sequence[Edge], same: bool) -> bool:
    """Whether a piece of an edge, at a share of it, has area of an outline beside its own."""
    (ax, ay), (bx, by) = edge
    middle = whole * ax + share * (bx - ax), whole * ay + share * (by - ay)
    place = point_location(middle, edges, whole)
    if place:
        return place > 0
    (cx, cy), (dx, dy) = next(other for other in edges if edge_contains(other, middle, whole))
    return ((bx - ax) * (dx - cx) + (by - ay) * (dy - cy) > 0) == same


def point_location(point: tuple[int, int], edges: Sequence[Edge], whole: int = 1) -> int:
    """1 inside an outline, 0 on its edge, −1 outside. The point's coordinates are over `whole`.

    By the edges that a ray to the right crosses; of those that end on it, the ones that come from above.
    """
    inside = False
    for edge in edges:
        low, high = edge if edge[0][1] <= edge[1][1] else (edge[1], edge[0])
        if low[1] * whole <= point[1] <= high[1] * whole:
            if edge_contains(edge, point, whole):
                return 0
            inside ^= point[1] < high[1] * whole and side(low, high, point, whole) > 0
    return 1 if inside else -1


def edge_relation(one: Edge, other: Edge) -> str:
    """How two edges meet: "cross" with ends on both sides of each, "touch" in a point otherwise, or ""."""
    (a, b), (c, d) = one, other
    of_c, of_d = side(a, b, c), side(a, b, d)
    if (of_c > 0 < of_d) or (of_c < 0 > of_d):
        return ""
    of_a, of_b = side(c, d, a), side(c, d, b)
    if (of_a > 0 < of_b) or (of_a < 0 > of_b):
        return ""
    if of_c and of_d and of_a and of_b:
        return "cross"
    touch = any(_spans(one, end) for end, of in ((c, of_c), (d, of_d)) if of == 0)
    touch = touch or any(_spans(other, end) for end, of in ((a, of_a), (b, of_b)) if of == 0)
    return "touch" if touch else ""


def side(start: tuple[int, int], end: tuple[int, int], point: tuple[int, int], whole: int = 1) -> int:
    """Positive where a point, over `whole`, is to the left of a line, 0 on it, negative to its right."""
    (ax, ay), (bx, by), (x, y) = start, end, point
    return (bx - ax) * (y - ay * whole) - (by - ay) * (x - ax * whole)


def _edge_parameter(edge: Edge, point: tuple[int, int]) -> int:
    """How far along an edge a point is, times its length."""
    (ax, ay), (bx, by) = edge
    return (point[0] - ax) * (bx - ax) + (point[1] - ay) * (by - ay)


def _folds_back(before: Edge, edge: Edge) -> bool:
    """Whether an edge goes back along the one before it."""
    return side(*before, edge[1]) == 0 and _edge_parameter(before, edge[1]) < _edge_parameter(before, edge[0])


def _spans(edge: Edge, point: tuple[int, int], whole: int = 1) -> bool:
    """Whether a point of an edge's line is on the edge."""
    (ax, ay), (bx, by) = edge
    across = min(ax, bx) * whole <= point[0] <= max(ax, bx) * whole
    return across and min(ay, by) * whole <= point[1] <= max(ay, by) * whole


def edge_contains(edge: Edge, point: tuple[int, int], whole: int = 1) -> bool:
    """Whether a point, over `whole`, is on an edge."""
    return side(*edge, point, whole) == 0 and _spans(edge, point, whole)


def _contact_positions(edge: Edge, other: Edge) -> Iterator[int]:
    """How far along an edge the ends of either lie on both, times its length."""
    for end in (*other, *edge):
        if edge_contains(edge, end) and edge_contains(other, end):
            yield _edge_parameter(edge, end)


def _twice_area(edges: Sequence[Edge]) -> int:
    return sum(ax * by - ay * bx for (ax, ay), (bx, by) in edges)


def to_integer_points(*rings: Points) -> list[IntegerPoints]:
    """The rings times the least number that makes all of their coordinates whole."""
    scale = lcm(*{part.denominator for ring in rings for point in ring for part in point})
    return [
        [(x.numerator * (scale // x.denominator), y.numerator * (scale // y.denominator)) for x, y in ring]
        for ring in rings
    ]


def edges_of(ring: IntegerPoints) -> list[Edge]:
    """From each corner to the next, and from the last to the first."""
    return list(zip(ring, [*ring[1:], ring[0]], strict=True))


def float_points(ring: Points) -> Floats:
    """The ring's corners (V, 2), each coordinate as the nearest float."""
    return np.array([[float(x), float(y)] for x, y in ring])


def _boxes(ring: Points) -> Geometries:
    """A box about each edge of a ring (V,)."""
    starts = float_points(ring)
    ends = np.roll(starts, -1, axis=0)
    return outward_boxes(np.minimum(starts, ends), np.maximum(starts, ends))


def outward_boxes(low: Floats, high: Floats) -> Geometries:
    """Boxes between corners (N, 2) that were rounded, so large that they hold what was not."""
    left, bottom = np.nextafter(low, -np.inf).T
    right, top = np.nextafter(high, np.inf).T
    return np.asarray(shapely.box(left, bottom, right, top))


def overlapping_boxes(about: Geometries) -> list[tuple[int, int]]:
    """Pairs of boxes that meet, in order."""
    first, second = shapely.STRtree(about).query(about)
    kept = first < second
    return sorted(zip(first[kept].tolist(), second[kept].tolist(), strict=True))
