"""Loops and lines to parts: faces between lines that parts share, loops one within the other.

Lines that touch are one component. A component of loops alone is taken loop by loop, so that parts may
overlap, and a border around its pieces is no part; one that open lines cut is polygonised. What lies
inside a part and touches nothing is a hole in it, and what lies in a hole is a part again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import shapely
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pliant.files.drawings.joining import JoinedStrokes
from pliant.files.drawings.strokes import Stroke

MOST_OVERLAPS = 1000  # pairs of parts that are told
SLIVER = 0.5  # of the tolerance: what is narrower is no part


@dataclass
class CutPart:
    """A part: its region, and the loop it was drawn as, where it was drawn as one."""

    region: shapely.Polygon
    loop: Stroke | None = None
    name: str = ""


@dataclass(frozen=True)
class FoundParts:
    """Parts of a drawing, and what else its lines are."""

    parts: tuple[CutPart, ...]
    doubled: int  # loops drawn more than once
    borders: int  # loops around parts that fill them
    holes: int
    slivers: int
    overlaps: tuple[tuple[int, int, float], ...]  # pairs of parts, and the area they share
    open_lines: tuple[Stroke, ...]  # that bound nothing
    lines_in_parts: int  # of these, how many lie within a part: engravings, perhaps


@dataclass
class _Component:
    """Lines that touch, and the regions between them."""

    regions: list[shapely.Polygon]
    loops: list[Stroke | None]  # of each region
    outer: list[bool]  # of each region: in a hole it is empty; the others are parts even there
    subdivided: bool  # by open lines, so that in a part it is parts, and no hole
    footprint: list[shapely.Polygon] = field(default_factory=lambda: [])


def find_parts(joined: JoinedStrokes, tolerance: float, *, insides: bool = False) -> FoundParts:
    """Parts of a drawing; with `insides`, what is cut out of a part is a part as well."""
    loops, doubled = _distinct([_mended(loop, tolerance) for loop in joined.loops], tolerance)
    strokes = [*loops, *joined.lines]
    if not strokes:
        return FoundParts((), 0, 0, 0, 0, (), (), 0)
    lines = np.array([shapely.LineString(one.points) for one in strokes])
    components: list[_Component] = []
    open_lines: list[Stroke] = []
    counted = {"slivers": 0, "borders": 0}
    for members in _touching(lines):
        mine = [strokes[number] for number in members]
        alone = all(one.closed for one in mine) and bool(shapely.is_simple(lines[members]).all())
        made = (
            _by_loops(mine, tolerance, counted)
            if alone
            else _by_faces(mine, lines[members], tolerance, counted)
        )
        if made.regions:
            components.append(made)
        open_lines += [] if alone else _left_open(mine, lines[members], made)
    parts, holes = _nested(components, insides)
    inside = _lines_within(open_lines, parts)
    return FoundParts(
        tuple(parts), doubled, counted["borders"], holes, counted["slivers"], _overlaps(parts, tolerance),
        tuple(open_lines), inside,
    )  # fmt: skip


def _mended(loop: Stroke, tolerance: float) -> Stroke:
    """A loop that crosses itself without its knots, where these are slivers and one face is left."""
    line = shapely.LineString(loop.points)
    if line.is_simple:
        return loop
    faces = [
        face
        for face in _polygons(shapely.polygonize([shapely.union_all([line])]))
        if not _is_sliver(face, tolerance)
    ]
    return replace(loop, points=shapely.get_coordinates(faces[0].exterior)) if len(faces) == 1 else loop


def _distinct(loops: Sequence[Stroke], tolerance: float) -> tuple[list[Stroke], int]:
    """Loops without those that are drawn again, whichever way round."""
    if len(loops) < 2:
        return list(loops), 0
    rings: Any = np.array([shapely.Polygon(loop.points) for loop in loops])
    bounds = shapely.bounds(rings)
    tree = shapely.STRtree(rings)
    kept: list[Stroke] = []
    again: set[int] = set()
    for number, ring in enumerate(rings):
        if number in again:
            continue
        kept.append(loops[number])
        for other in tree.query(ring).tolist():
            alike = other > number and np.abs(bounds[other] - bounds[number]).max() <= tolerance / 2
            if alike and shapely.hausdorff_distance(ring.exterior, rings[other].exterior) <= tolerance / 2:
                again.add(other)
    return kept, len(again)


def _touching(lines: Any) -> list[list[int]]:
    """The numbers of lines in groups that touch."""
    count = len(lines)
    one, other = shapely.STRtree(lines).query(lines, predicate="intersects")
    graph = coo_matrix((np.ones(len(one)), (one, other)), (count, count))
    number, label = connected_components(graph, directed=False)
    order = np.argsort(label, kind="stable")
    ends = np.cumsum(np.bincount(label, minlength=number))[:-1]
    return [group.tolist() for group in np.split(order, ends)]


def _by_loops(loops: list[Stroke], tolerance: float, counted: dict[str, int]) -> _Component:
    """Loops one by one, each without those inside it that touch it."""
    whole = [shapely.Polygon(loop.points) for loop in loops]
    if len(whole) == 1:
        return _kept(_Component(whole, [*loops], [True], False, list(whole)), tolerance, counted)
    parents = _parents(whole, tolerance)
    regions: list[shapely.Polygon] = []
    owners: list[Stroke | None] = []
    outer: list[bool] = []
    within: defaultdict[int, list[shapely.Polygon]] = defaultdict(list)
    for ring, parent in zip(whole, parents, strict=True):
        within[parent].append(ring)
    for number, ring in enumerate(whole):
        inner = within[number]
        rest = shapely.difference(ring, shapely.union_all(inner)) if inner else ring
        pieces = [piece for piece in _polygons(rest) if not _is_sliver(piece, tolerance)]
        counted["borders"] += not pieces
        regions += pieces
        owners += [loops[number]] * len(pieces)
        outer += [parents[number] < 0] * len(pieces)
    return _Component(regions, owners, outer, False, _polygons(shapely.union_all(whole)))


def _parents(whole: list[shapely.Polygon], tolerance: float) -> list[int]:
    """For each loop the smallest that it lies in, touching; -1 where there is none."""
    rings, areas = np.array(whole), shapely.area(np.array(whole))
    grown = shapely.buffer(rings, tolerance / 2, join_style="mitre")
    inside, around = shapely.STRtree(grown).query(rings, predicate="covered_by")
    parents = [-1] * len(whole)
    for one, other in zip(inside.tolist(), around.tolist(), strict=True):
        larger = areas[other] > areas[one] and one != other
        if larger and (parents[one] < 0 or areas[other] < areas[parents[one]]):
            parents[one] = other
    return parents


def _by_faces(mine: list[Stroke], lines: Any, tolerance: float, counted: dict[str, int]) -> _Component:
    """The faces between lines, but for those that only loops bound and none has within."""
    noded = shapely.union_all(lines)
    faces = _polygons(shapely.polygonize([noded]))
    closed = [line for line, one in zip(lines, mine, strict=True) if one.closed]
    if closed:
        filled = shapely.union_all([shapely.Polygon(line.coords).buffer(0) for line in closed])
        drawn = shapely.union_all(closed)
        shapely.prepare([filled, drawn])
        faces = [
            face
            for face in faces
            if shapely.contains_xy(filled, *face.representative_point().coords[0])
            or not _lies_on(face.exterior, drawn, tolerance / 10)
        ]
    cut = len(faces) > 1
    made = _Component(
        faces, [None] * len(faces), [True] * len(faces), cut, _polygons(shapely.union_all(faces))
    )
    return _kept(made, tolerance, counted)


def _lies_on(ring: shapely.LinearRing, lines: Any, tolerance: float) -> bool:
    """Whether a ring of noded edges runs along lines only: then the middle of every edge is on one."""
    corners = shapely.get_coordinates(ring)
    return bool(shapely.dwithin(shapely.points((corners[1:] + corners[:-1]) / 2), lines, tolerance).all())


def _kept(component: _Component, tolerance: float, counted: dict[str, int]) -> _Component:
    thick = [not _is_sliver(region, tolerance) for region in component.regions]
    counted["slivers"] += thick.count(False)
    if all(thick):
        return component
    chosen = [number for number, is_thick in enumerate(thick) if is_thick]
    return _Component(
        [component.regions[number] for number in chosen],
        [component.loops[number] for number in chosen],
        [component.outer[number] for number in chosen],
        component.subdivided,
        component.footprint,
    )


def _is_sliver(region: shapely.Polygon, tolerance: float) -> bool:
    """Whether a region is, on the whole, narrower than anything that is cut."""
    return 2 * region.area < SLIVER * tolerance * region.length


def _left_open(mine: list[Stroke], lines: Any, made: _Component) -> list[Stroke]:
    """Open strokes of a component that bound none of its regions."""
    if not made.regions:
        return [one for one in mine if not one.closed]
    bounds = shapely.union_all(shapely.boundary(np.array(made.regions)))
    shapely.prepare(bounds)
    middles = shapely.line_interpolate_point(lines, 0.5, normalized=True)
    near = shapely.dwithin(middles, bounds, 1e-6 + 1e-9 * float(np.abs(shapely.bounds(bounds)).max()))
    return [one for one, is_near in zip(mine, near, strict=True) if not one.closed and not is_near]


def _nested(components: list[_Component], insides: bool) -> tuple[list[CutPart], int]:
    """Parts with their holes, from the outermost component to the innermost."""
    sizes = [sum(one.area for one in component.footprint) for component in components]
    order = sorted(range(len(components)), key=lambda number: -sizes[number])
    places = [(number, k) for number in order for k in range(len(components[number].regions))]
    regions = np.array([components[number].regions[k] for number, k in places])
    tree = shapely.STRtree(regions) if len(regions) else None
    material: dict[tuple[int, int], list[shapely.Polygon]] = {}
    holes = 0
    for number in order:
        component = components[number]
        point = shapely.Point(component.footprint[0].exterior.coords[0])
        around = [places[one] for one in (tree.query(point, predicate="within").tolist() if tree else [])]
        around = [place for place in around if place[0] != number]
        parent = min(around, key=lambda place: components[place[0]].regions[place[1]].area, default=None)
        in_part = parent is not None and parent in material
        if in_part and parent is not None:
            material[parent] += component.footprint
            holes += len(component.footprint)
        solid = not in_part or insides or component.subdivided
        for k, outer in enumerate(component.outer):
            if solid or not outer:
                material[number, k] = []
    parts = [
        CutPart(_with_holes(components[number].regions[k], inner), components[number].loops[k])
        for (number, k), inner in material.items()
    ]
    return parts, holes


def _with_holes(region: shapely.Polygon, inner: list[shapely.Polygon]) -> shapely.Polygon:
    if not inner:
        return region
    return shapely.Polygon(region.exterior, [*region.interiors, *(one.exterior for one in inner)])


def _overlaps(parts: list[CutPart], tolerance: float) -> tuple[tuple[int, int, float], ...]:
    """Pairs of parts that share more than a sliver."""
    if len(parts) < 2:
        return ()
    regions = np.array([part.region for part in parts])
    one, other = shapely.STRtree(regions).query(regions, predicate="intersects")
    pairs = [(a, b) for a, b in zip(one.tolist(), other.tolist(), strict=True) if a < b]
    found: list[tuple[int, int, float]] = []
    for a, b in pairs:
        if shapely.touches(regions[a], regions[b]):
            continue
        shared = _polygons(shapely.intersection(regions[a], regions[b]))
        area = sum(piece.area for piece in shared if not _is_sliver(piece, tolerance))
        if area:
            found.append((a, b, area))
        if len(found) == MOST_OVERLAPS:
            break
    return tuple(found)


def _lines_within(open_lines: list[Stroke], parts: list[CutPart]) -> int:
    if not open_lines or not parts:
        return 0
    middles = [shapely.LineString(one.points).interpolate(0.5, normalized=True) for one in open_lines]
    inside, _ = shapely.STRtree([part.region for part in parts]).query(middles, predicate="within")
    return len(set(inside.tolist()))


def _polygons(geometry: Any) -> list[shapely.Polygon]:
    """The polygons of whatever an operation gave."""
    return [
        one
        for one in shapely.get_parts(shapely.get_parts(geometry))
        if isinstance(one, shapely.Polygon) and one.area > 0
    ]
