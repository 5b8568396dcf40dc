"""What happens next at a point where contacts meet: the cells of free space there, just after its t.

Within a strip of angles so narrow that its curves meet, turn and end nowhere but at the point, cells are told
apart by rational samples, and whether one is free by the wedges that touch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pliant.snap.arithmetic.numbers import RealNumber
from pliant.snap.arithmetic.protocol import Arithmetic, Poly, Scalar, SlicePoint
from pliant.snap.geometry.contact_curves import (
    ContactCurve,
    contact_curve,
    obstacle_edge,
    outward_normal,
    pawl_edge,
    rotated_product,
    scale_vector,
)
from pliant.snap.geometry.features import EDGE, VERTEX, FeaturePair
from pliant.snap.geometry.pawl_scene import Scene

NextKind = Literal["start", "rest", "snap", "arc", "flat", "jam", "dead centre"]


@dataclass(frozen=True)
class NextMotion:
    """How the motion goes on: along curves (those that coincide) upwards or downwards in u, or not at all."""

    kind: NextKind
    curves: tuple[ContactCurve, ...] = ()
    side: int = 0


@dataclass(frozen=True)
class CornerContact:
    """A vertex of the pawl on a vertex of an obstacle: the edges that meet there, and which way they run."""

    vertex: int
    corner: int
    signs: tuple[tuple[Poly, ...], ...]  # polynomials: pawl's rays along the obstacle's two normals
    faces: tuple[tuple[Poly, ...], ...]  # polynomials: the obstacle's rays along the pawl's two normals
    on_edges: tuple[ContactCurve, ...]
    on_faces: tuple[ContactCurve, ...]
    flush: tuple[bool, bool]  # pawl's leaving edge on the obstacle's arriving one, and the other way round


@dataclass(frozen=True)
class StripSide:
    """One side of the point in the strip: curves that go on in it by groups, nearest to the point first."""

    at: Scalar | _PointAngle
    groups: tuple[tuple[ContactCurve, ...], ...]
    later: dict[FeaturePair, int]  # by contact: the group it is in
    rising: dict[FeaturePair, int]  # by contact: the sign of α, or of F itself where it is flat
    fixed: frozenset[FeaturePair]  # contacts that are flat: F has one sign throughout


@dataclass(frozen=True)
class Cell:
    """A cell just after the point."""

    free: bool
    below: tuple[ContactCurve, ...] | None  # what bounds it from below in u; None: the cell before goes on
    side: int  # of that bound; 0 if it is flat


def next_motion(scene: Scene, point: SlicePoint, contacts: Sequence[ContactCurve]) -> NextMotion:
    """How a pawl that touches at a point goes on: the one rule behind events (i) to (vi).

    Source: [DonaldPai1993] sec. 9.2. Differs: their tests of two normals (eq. 32) are sufficient only; here
    the state is the end nearest to rest of what is free just after, on the side the pawl is pushed to.
    """
    if not contacts:
        return NextMotion("rest") if _is_at_rest(scene, point) else NextMotion("snap")
    sign_at = scene.arithmetic.sign_at
    corners, edges = _contact_places(scene, point, contacts)
    low, high = scene.arithmetic.strip(point.u, _critical_polynomials(scene, point, contacts, corners))
    sides = [_side(scene, point, contacts, low, -1), _side(scene, point, contacts, high, 1)]
    flats = tuple(c for c in contacts if sign_at(c.alpha, point.u) == 0 and _stays_on_edge(scene, point, c))
    gaps = _cells(scene, point, sides, flats, corners, edges)
    middle, level = len(sides[0].groups), _angle_stays_free(scene, point, contacts, corners, edges)
    if _is_at_rest(scene, point):
        return NextMotion("rest") if level else _motion_from_rest(gaps, middle)
    away = 1 if _is_above_rest(scene, point) else -1
    holding = tuple(c for c in flats if (_slope(point, c) or sign_at(c.alpha.derivative(), point.u)) == away)
    held = NextMotion("flat", holding) if level and holding else None
    first, across = (0, middle + 1) if away > 0 else (len(gaps) - 1, middle)
    going = _first_free_cell(gaps, first, away, "snap", held, across)
    return NextMotion("flat", flats) if going.kind == "jam" and level and flats else going


def _is_at_rest(scene: Scene, point: SlicePoint) -> bool:
    return point.turn == 0 and scene.arithmetic.compare(point.u, scene.arithmetic.zero) == 0


def _is_above_rest(scene: Scene, point: SlicePoint) -> bool:
    """Whether rest lies below."""
    return point.turn > 0 or (
        point.turn == 0 and scene.arithmetic.compare(point.u, scene.arithmetic.zero) > 0
    )


def _motion_from_rest(gaps: Sequence[Cell], middle: int) -> NextMotion:
    """Pushed from rest to the one side that is free."""
    up, down = _first_free_cell(gaps, middle + 1, 1, "jam"), _first_free_cell(gaps, middle, -1, "jam")
    if up.kind != "jam" and down.kind != "jam":
        return NextMotion("dead centre")
    return up if up.kind != "jam" else down


def _first_free_cell(
    gaps: Sequence[Cell], first: int, step: int, at_first: NextKind, held: NextMotion | None = None,
    across: int = -1,
) -> NextMotion:  # fmt: skip
    """The first free cell going away from rest, and the curves at its near end.

    `held` is what comes before the cell `across`: the angle itself, where it alone is free.
    """
    place = first
    while 0 <= place < len(gaps):
        if place == across and held is not None:
            return held
        if gaps[place].free:
            if place == first:
                return NextMotion(at_first)
            bound = gaps[place] if step > 0 else gaps[place + 1]
            return NextMotion("flat" if bound.side == 0 else "arc", bound.below or (), bound.side)
        place += step
    return NextMotion("jam")


def _contact_places(
    scene: Scene, point: SlicePoint, contacts: Sequence[ContactCurve]
) -> tuple[tuple[CornerContact, ...], tuple[ContactCurve, ...]]:
    """Where the contacts are: vertices on vertices, and vertices within edges."""
    met, within = _corners_and_edges(scene, point, contacts)
    return tuple(_corner(scene, point, *pair) for pair in sorted(met)), tuple(within)


def coinciding_corners(
    scene: Scene, point: SlicePoint, contacts: Sequence[ContactCurve]
) -> list[tuple[int, int]]:
    """The vertices of the pawl that are on vertices of the obstacles, and these."""
    return sorted(_corners_and_edges(scene, point, contacts)[0])


def _corners_and_edges(
    scene: Scene, point: SlicePoint, contacts: Sequence[ContactCurve]
) -> tuple[set[tuple[int, int]], list[ContactCurve]]:
    met: set[tuple[int, int]] = set()
    within: list[ContactCurve] = []
    count = len(scene.pawl)
    for contact in contacts:
        kind, i, j = contact.pair
        first = point.sign(contact.lam, contact.rho) == 0
        last = point.sign(-contact.lam, contact.beyond) == 0
        if not first and not last:
            within.append(contact)
        elif kind == VERTEX:
            met.add((i, j if first else scene.obstacles.following[j]))
        else:
            met.add((i if first else (i + 1) % count, j))
    return met, within


def _corner(scene: Scene, point: SlicePoint, vertex: int, corner: int) -> CornerContact:
    turn = point.turn
    poly, sign = scene.arithmetic.poly, -1 if turn % 2 else 1
    before = scene.obstacles.before[corner]
    previous = (vertex - 1) % len(scene.pawl)
    ahead, behind = obstacle_edge(scene, corner)[1], obstacle_edge(scene, before)[1]
    leaving, arriving = pawl_edge(scene, vertex, sign)[1], pawl_edge(scene, previous, sign)[1]
    rays, stones = (leaving, scale_vector(arriving, -1)), (ahead, scale_vector(behind, -1))
    signs = tuple(
        tuple(rotated_product(poly, ray, outward_normal(edge), 0) for ray in rays) for edge in (ahead, behind)
    )
    faces = tuple(
        tuple(rotated_product(poly, outward_normal(edge), stone, 0) for stone in stones)
        for edge in (leaving, arriving)
    )
    on_edges, on_faces = (), ()
    if scene.pawl_convex[vertex]:
        on_edges = tuple(contact_curve(scene, (VERTEX, vertex, edge), turn) for edge in (corner, before))
    if scene.obstacles.convex[corner]:
        on_faces = tuple(contact_curve(scene, (EDGE, edge, corner), turn) for edge in (vertex, previous))
    sign_at = scene.arithmetic.sign_at
    flush = tuple(
        sign_at(row, point.u) == 0 and sign_at(rotated_product(poly, ray, stone, 0), point.u) > 0
        for row, ray, stone in ((signs[1][0], rays[0], stones[1]), (signs[0][1], rays[1], stones[0]))
    )
    return CornerContact(vertex, corner, signs, faces, on_edges, on_faces, (flush[0], flush[1]))


def _critical_polynomials(
    scene: Scene, point: SlicePoint, contacts: Sequence[ContactCurve], corners: Sequence[CornerContact]
) -> list[Poly]:
    """Polynomials whose roots the strip must not hold: curves meet, turn or end, edges are parallel."""
    polys: list[Poly] = []
    for place, contact in enumerate(contacts):
        polys += [contact.alpha, contact.turning, contact.begin, contact.end]
        polys += [contact.meets(other) for other in contacts[:place]]
    for corner in corners:
        polys += [poly for row in corner.signs for poly in row]
    polys += [scene.arithmetic.poly(line) for line in rest_and_stop_lines(scene, point.turn)]
    return [poly for poly in polys if not poly.is_zero()]


def rest_and_stop_lines(scene: Scene, turn: int) -> list[list[int]]:
    """Rest and stops in a chart, each as the coefficients of a polynomial that is zero there."""
    lines: list[list[int]] = [[0, 1]] if turn == 0 else []
    for stop in scene.stops:
        place = None if stop is None else stop_in_chart(stop, turn)
        if place is not None:
            lines.append([-place.numerator, place.denominator])
    return lines


def stop_in_chart(stop: Fraction, turn: int) -> Fraction | None:
    """A stop's u in a chart, or None where it is in none of its reach."""
    if turn == 0:
        return stop
    if abs(turn) == 1 and stop != 0 and (stop > 0) == (turn > 0):
        return -1 / stop
    return None


def _side(
    scene: Scene, point: SlicePoint, contacts: Sequence[ContactCurve], at: Scalar, side: int
) -> StripSide:
    """The curves on one side of the point, at a place within the strip."""
    ahead: list[tuple[Scalar, ContactCurve]] = []
    rising: dict[FeaturePair, int] = {}
    fixed: set[FeaturePair] = set()
    for contact in contacts:
        alpha = contact.alpha(at)
        flat = _flat_sign(scene, point, contact, at, side)
        if flat is not None:
            rising[contact.pair] = flat
            fixed.add(contact.pair)
            continue
        rising[contact.pair] = (alpha > 0) - (alpha < 0)
        t = -contact.beta(at) / alpha
        if point.after(t) < 0:
            ahead.append((t, contact))
    groups = _groups_by_time(scene, ahead)
    later = {contact.pair: place for place, group in enumerate(groups) for contact in group}
    return StripSide(at, groups, later, rising, frozenset(fixed))


def _slope(point: SlicePoint, contact: ContactCurve) -> int:
    """The sign of dF/du at a point: 0 where the contact's force has no lever about the hinge."""
    return point.sign(contact.alpha.derivative(), contact.beta.derivative())


def _flat_sign(scene: Scene, point: SlicePoint, contact: ContactCurve, at: Scalar, side: int) -> int | None:
    """The sign of F beside the point, of a curve that is flat there and nothing else; else None."""
    sign_at = scene.arithmetic.sign_at
    if sign_at(contact.alpha, point.u) != 0:
        return None
    slope = _slope(point, contact)
    if slope:
        return side * slope
    if sign_at(contact.alpha.derivative(), point.u) != 0:
        return None  # another branch crosses the flat one here
    alpha, beta = contact.alpha(at), contact.beta(at)
    if alpha == 0:
        return (beta > 0) - (beta < 0)
    return ((alpha > 0) - (alpha < 0)) * point.after(-beta / alpha)


def _groups_by_time(
    scene: Scene, ahead: list[tuple[Scalar, ContactCurve]]
) -> tuple[tuple[ContactCurve, ...], ...]:
    """By time, latest first: at one t just after the point that one is nearest to it."""
    groups: list[list[ContactCurve]] = []
    last = None
    for t, contact in sorted(ahead, key=lambda entry: entry[0], reverse=True):
        if last is None or not scene.arithmetic.same(t, last):
            groups.append([])
        groups[-1].append(contact)
        last = t
    return tuple(map(tuple, groups))


def _cells(
    scene: Scene, point: SlicePoint, sides: Sequence[StripSide], flats: tuple[ContactCurve, ...],
    corners: Sequence[CornerContact], edges: Sequence[ContactCurve],
) -> list[Cell]:  # fmt: skip
    """Every cell just after the point, from below."""
    below, above = sides
    gaps: list[Cell] = []
    for cell in range(len(below.groups), -1, -1):
        free = _is_free(scene, point, below, cell, corners, edges) and not _is_stopped(scene, point, -1)
        bound = below.groups[cell] if cell < len(below.groups) else None
        gaps.append(Cell(free, _curves_on_edge(below, bound), -1))
    for cell in range(len(above.groups) + 1):
        free = _is_free(scene, point, above, cell, corners, edges) and not _is_stopped(scene, point, 1)
        bound = above.groups[cell - 1] if cell else flats
        gaps.append(Cell(free, _curves_on_edge(above, bound) if cell else bound, 1 if cell else 0))
    return gaps


def _curves_on_edge(
    side: StripSide, group: tuple[ContactCurve, ...] | None
) -> tuple[ContactCurve, ...] | None:
    """Of curves that coincide, those whose vertex is on the edge; all where rounding hides it."""
    if group is None:
        return None
    on = tuple(c for c in group if _is_on_edge(side, c))
    return on or group


def _is_on_edge(side: StripSide, contact: ContactCurve) -> bool:
    sign = side.rising[contact.pair]
    return all(sign * _sign_or_value(end, side.at) >= 0 for end in (contact.begin, contact.end))


def _stays_on_edge(scene: Scene, point: SlicePoint, contact: ContactCurve) -> bool:
    """Whether the vertex is still on the edge just after, along a flat curve."""
    sign_at = scene.arithmetic.sign_at
    first = point.sign(contact.lam, contact.rho) or sign_at(contact.lam, point.u)
    last = point.sign(-contact.lam, contact.beyond) or -sign_at(contact.lam, point.u)
    return first >= 0 and last >= 0


def _angle_stays_free(
    scene: Scene, point: SlicePoint, contacts: Sequence[ContactCurve], corners: Sequence[CornerContact],
    edges: Sequence[ContactCurve],
) -> bool:  # fmt: skip
    """Whether the angle itself stays free just after, even where no angle beside it does."""
    sign_at, u = scene.arithmetic.sign_at, point.u
    rising = {contact.pair: sign_at(contact.alpha, u) for contact in contacts}
    here = StripSide(_PointAngle(scene.arithmetic, u), (), {}, rising, frozenset())
    return _is_free(scene, point, here, 0, corners, edges)


@dataclass(frozen=True)
class _PointAngle:
    """The point's own angle as a place to take signs at."""

    arithmetic: Arithmetic
    u: RealNumber


def _sign_or_value(poly: Poly, place: Scalar | _PointAngle) -> Scalar | int:
    """A polynomial at a place, or its sign where the place is an algebraic number."""
    return place.arithmetic.sign_at(poly, place.u) if isinstance(place, _PointAngle) else poly(place)


def _is_stopped(scene: Scene, point: SlicePoint, side: int) -> bool:
    """Whether a stop is at the point and keeps the pawl from turning further to this side."""
    stop = scene.stops[0 if side < 0 else 1]
    place = None if stop is None else stop_in_chart(stop, point.turn)
    if place is None:
        return False
    here = scene.arithmetic.compare(point.u, scene.arithmetic.number(place))
    return here <= 0 if side < 0 else here >= 0


def _is_free(
    scene: Scene, point: SlicePoint, side: StripSide, cell: int, corners: Sequence[CornerContact],
    edges: Sequence[ContactCurve],
) -> bool:  # fmt: skip
    """Whether no interiors overlap in a cell: each place of contact for itself."""
    if any(_contact_sign(side, cell, contact) < 0 for contact in edges):
        return False
    return all(_wedges_apart(scene, side, cell, corner) for corner in corners)


def _contact_sign(side: StripSide, cell: int, contact: ContactCurve) -> int:
    """The sign of a contact's F in a cell."""
    sign = side.rising.get(contact.pair, 0)
    return -sign if side.later.get(contact.pair, cell) < cell else sign


def _wedges_apart(scene: Scene, side: StripSide, cell: int, corner: CornerContact) -> bool:
    """Whether two wedges that met at their tips are apart: a line along one of their edges separates them.

    Edges that lie flush from the tips on are told apart there and, by another contact, at their far end.
    """
    pawl_convex, corner_convex = scene.pawl_convex[corner.vertex], scene.obstacles.convex[corner.corner]
    if not pawl_convex and not corner_convex:
        return False
    if pawl_convex and corner_convex and any(corner.flush):
        return all(_flush_edges_apart(side, cell, corner, k) for k in (0, 1) if corner.flush[k])
    first, second = corner.flush
    along = ((False, second), (first, False))  # rays that lie flush on an edge
    edges = (
        _contact_sign(side, cell, contact) >= 0 and _points_away(side, row, skip)
        for contact, row, skip in zip(corner.on_edges, corner.signs, along, strict=False)
    )
    facing = ((False, first), (second, False))
    faces = (
        _contact_sign(side, cell, contact) >= 0 and _points_away(side, row, skip)
        for contact, row, skip in zip(corner.on_faces, corner.faces, facing, strict=False)
    )
    if pawl_convex and corner_convex:
        return any(edges) or any(faces)
    return all(edges) if pawl_convex else all(faces)


def _points_away(side: StripSide, row: Sequence[Poly], skip: Sequence[bool]) -> bool:
    """Whether both rays of a wedge point away from an edge."""
    return all(flush or _sign_or_value(poly, side.at) >= 0 for poly, flush in zip(row, skip, strict=True))


def _flush_edges_apart(side: StripSide, cell: int, corner: CornerContact, which: int) -> bool:
    """Whether two flush edges are apart at the tips: by the vertex that is further in."""
    pair = (corner.on_edges[1 - which], corner.on_faces[which])
    inner = [c for c in pair if c.pair in side.later and _is_on_edge(side, c)]
    return all(_contact_sign(side, cell, contact) >= 0 for contact in inner or pair)
