"""Strings around obstacles: where they run as drawn; in the plane by discs, in space by short pieces.

In the plane a string is a coupling of the discs it goes by, one after the other (see `winding`): which, in
which order, on which side and how often round follows from the path it is drawn on. In space it is a chain.

A string that an obstacle is in the way of is led round its nearer side and pulled tight: its nodes
go to the middle between their neighbours, over-relaxed, and out of the obstacles again, until they
rest. That is a shortest path among those near by, as far as pieces of a string can follow it.
Cylinders have no ends here: they reach as far as their line does.

Source: [Lipson2006] Table 2, "Wrapping".
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import ceil
from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel
from pliant.relax.assemble.element_arrays import coupling_arrays
from pliant.relax.assemble.links import BAND
from pliant.relax.assemble.rows import Coupling, DriveValues, Layout, LinkRow, Measure, Rail, path
from pliant.relax.model import Mechanism, Wrap
from pliant.relax.network.elements import WOUND
from pliant.relax.network.laws import BUMPER, STRING
from pliant.relax.network.measures import measure_couplings

MOST = 10_000  # pieces of a string
SOFT = 1e-3  # of its radius, over which an obstacle begins to push
CENTRAL = 1e-9  # of its radius: a path that passes nearer to the middle has no nearer side
AXIAL = 1e-9  # sine of the angle below which a path runs along a cylinder
TIGHT = 1e-12  # of its length, by which no node moves any more
BESIDE = 1.25  # of its radius: as near a path goes by a disc wherever it may come to lie on it
FINE = 8  # points of a path to a radius, by which it is looked at
WORK = 100_000_000  # nodes times obstacles times sweeps; some 4 sweeps for each node are usual


class Obstacles(NamedTuple):
    """Balls (circles in the plane) and cylinders."""

    middle: Floats  # (O, D)
    axis: Floats  # (O, D) unit vector; 0 for balls
    radius: Floats  # (O,)


class WrappedString(NamedTuple):
    """A wrapped string, by numbers of nodes."""

    wrap: Wrap
    name: str
    nodes: tuple[int, ...]  # from end to end, hidden ones between
    rest: DriveValues  # of each piece


def wrapped_strings(model: Mechanism, layout: Layout) -> tuple[Layout, list[WrappedString]]:
    """Every wrapped string with its hidden nodes laid out."""
    names: list[str] = []
    places: list[Floats] = []
    strings: list[WrappedString] = []
    for index, wrap in enumerate(model.wraps if model.dimension == 3 else ()):
        ends = layout.numbers(wrap.nodes)
        points = _drawn_course(wrap, layout)
        fresh = range(len(layout.names) + len(names), len(layout.names) + len(names) + len(points) - 2)
        names += [f"wrap {index + 1}: {k + 1}" for k in range(len(fresh))]
        places += [points[1:-1]] if fresh else []
        whole = path(_length(points) if wrap.length is None else wrap.length, wrap.to)
        rest = tuple(length / (len(points) - 1) for length in whole)
        strings.append(WrappedString(wrap, f"wrap {'-'.join(wrap.nodes)}", (ends[0], *fresh, ends[1]), rest))
    return layout.extended(names, places), strings


def windings(model: Mechanism, layout: Layout) -> Iterator[Coupling]:
    """Every string around discs in the plane; without a length of its own as long as drawn, and taut."""
    for wrap in model.wraps if model.dimension == 2 else ():
        measures = _visits(wrap, layout)
        length = wrap.length
        if length is None:
            length = max(_taut(measures, layout), _length(_corners(wrap, layout)))
        own, rest = wrap.stiffness, path(length, wrap.to)
        yield Coupling(
            f"wrap {'-'.join(wrap.nodes)}",
            measures,
            rest,
            layout.stiffness if own is None else own,
            STRING,
            BAND * rest[0],
            counted=False,
            rigid=own is None,
        )


def _taut(measures: tuple[Measure, ...], layout: Layout) -> float:
    """Taut length of a string as drawn."""
    alone = coupling_arrays([Coupling("", measures, (0.0,), 1.0)], 2)
    return float(measure_couplings(layout.drawn, alone, np.zeros(len(measures)))[0])


def _visits(wrap: Wrap, layout: Layout) -> tuple[Measure, ...]:
    """Radius of each disc that the string passes, in order, and the angle it sweeps there (rad)."""
    corners, obstacles = _corners(wrap, layout), _obstacles(wrap, layout)
    count = min(ceil(FINE * _length(corners) / obstacles.radius.min()) + FINE, MOST)
    points, ways = _even_points(corners, count)
    _lead_round(points, ways, obstacles)
    first, last = layout.numbers(wrap.nodes)
    seen = sorted(
        (spot, layout.number[one.node], one.radius)
        for one in wrap.around
        if one.node is not None
        for spot in _nearest_points(points, layout.drawn[layout.number[one.node]], one.radius)
    )
    items = [(0, first, 0.0), *seen, (len(points) - 1, last, 0.0)]
    swept = [
        0.0,
        *(
            _swept_angle(points, layout.drawn, three)
            for three in zip(items, items[1:], items[2:], strict=False)
        ),
    ]
    return tuple(
        Measure(WOUND, (node, after[1]), 1.0, ((radius, angle),))
        for (_, node, radius), after, angle in zip(items[:-1], items[1:], swept, strict=True)
    )


def _nearest_points(points: Floats, middle: Floats, radius: float) -> list[int]:
    """Indices of a path's local nearest points to a disc, one for each pass."""
    far = np.linalg.norm(points - middle, axis=1)
    beside = np.flatnonzero(far <= BESIDE * radius)
    if not len(beside):
        return [int(far.argmin())]
    runs = np.split(beside, np.flatnonzero(np.diff(beside) > 1) + 1)
    return [int(run[np.flatnonzero(far[run] <= far[run].min() * (1 + AXIAL))].mean()) for run in runs]


def _swept_angle(points: Floats, drawn: Floats, three: tuple[tuple[int, int, float], ...]) -> float:
    """The angle that a path sweeps about a disc, from the middle of the one before to that of the next."""
    (start, before, _), (_, here, _), (end, after, _) = three
    path = np.vstack([drawn[before], points[start : end + 1], drawn[after]]) - drawn[here]
    turn = path[:-1, 0] * path[1:, 1] - path[:-1, 1] * path[1:, 0]
    angles = np.arctan2(turn, (path[:-1] * path[1:]).sum(axis=1))
    return float(angles.sum()) or CENTRAL


def string_links(strings: list[WrappedString], layout: Layout) -> Iterator[LinkRow]:
    """Links between neighbouring nodes of strings, and hidden bumpers that keep them out of balls."""
    for thread in strings:
        own, rest = thread.wrap.stiffness, thread.rest
        # Pieces in a row are softer than each of them: together they are as stiff as the string.
        stiffness = layout.stiffness if own is None else own * (len(thread.nodes) - 1)
        for ends in pairwise(thread.nodes):
            yield LinkRow(thread.name, ends, rest, stiffness, STRING, BAND * rest[0], rigid=own is None)
        for obstacle in thread.wrap.around:
            if obstacle.node is None:
                continue
            centre, radius = layout.number[obstacle.node], obstacle.radius
            name = f"{thread.name} on {obstacle.node}"
            for node in thread.nodes[1:-1]:
                ends = node, centre
                yield LinkRow(name, ends, (radius,), layout.stiffness, BUMPER, SOFT * radius, hidden=True)


def cylinders(strings: list[WrappedString], layout: Layout) -> Iterator[Rail]:
    """Rails that keep the strings' nodes out of cylinders."""
    for thread in strings:
        for obstacle in thread.wrap.around:
            if obstacle.cylinder is None:
                continue
            first, second = layout.numbers(obstacle.cylinder)
            name, radius = f"{thread.name} on {'-'.join(obstacle.cylinder)}", obstacle.radius
            for node in thread.nodes[1:-1]:
                nodes = node, first, second
                yield Rail(name, nodes, layout.stiffness, radius, BUMPER, SOFT * radius)


def _drawn_course(wrap: Wrap, layout: Layout) -> Floats:
    """Where a string runs, ends and all; in more pieces than asked, where they would be longer than a radius.

    Two neighbours could else lie on either side of an obstacle, and the string go through it.
    """
    corners, obstacles = _corners(wrap, layout), _obstacles(wrap, layout)
    count = wrap.pieces
    while True:
        points = route(corners, obstacles, count)
        longest = max(_length(points), *path(wrap.length or 0.0, wrap.to))
        needed = min(ceil(longest / obstacles.radius.min()), MOST)
        if needed <= count:
            return points
        count = needed


def _corners(wrap: Wrap, layout: Layout) -> Floats:
    """The ends of a string, and the points of its path between them."""
    ends = layout.drawn[list(layout.numbers(wrap.nodes))]
    return np.vstack([ends[:1], *(np.array([point]) for point in wrap.via), ends[1:]])


def _obstacles(wrap: Wrap, layout: Layout) -> Obstacles:
    middles: list[Floats] = []
    ways: list[Floats] = []
    for obstacle in wrap.around:
        first, *second = layout.numbers(obstacle.cylinder or [obstacle.node or ""])
        middles.append(layout.drawn[first])
        axis = layout.drawn[second[0]] - layout.drawn[first] if second else np.zeros(layout.drawn.shape[1])
        ways.append(axis / (np.linalg.norm(axis) or 1.0))
    return Obstacles(np.array(middles), np.array(ways), np.array([o.radius for o in wrap.around]))


def route(corners: Floats, obstacles: Obstacles, count: int) -> Floats:
    """The path (count + 1, D) of a string along corners, led round what is in its way.

    Between its ends alone it is pulled tight; a path that is drawn corner by corner is taken as drawn.
    Ten thousand pieces are not pulled to the last: their obstacles are then so small beside the string
    that the way round them is hardly longer than the way through.
    """
    points, ways = _even_points(corners, count)
    _lead_round(points, ways, obstacles)
    if len(corners) == 2:
        sweeps = min(20 * count, WORK // (count * (len(obstacles.radius) + 1)))
        _tighten_path(points, obstacles, sweeps, TIGHT * _length(points))
    return points


def _even_points(corners: Floats, count: int) -> tuple[Floats, Floats]:
    """Points (count + 1, D) at equal arclength along corners, and unit tangents there."""
    sides = np.diff(corners, axis=0)
    lengths = np.linalg.norm(sides, axis=1)
    marks = np.concatenate([[0.0], np.cumsum(lengths)])
    along = np.linspace(0.0, marks[-1], count + 1)
    points = np.column_stack([np.interp(along, marks, axis) for axis in corners.T])
    side: Ints = np.clip(np.searchsorted(marks, along, side="right") - 1, 0, len(sides) - 1)
    return points, sides[side] / np.maximum(lengths[side], np.finfo(np.float64).tiny)[:, None]


def _length(points: Floats) -> float:
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def _lead_round(points: Floats, ways: Floats, obstacles: Obstacles) -> None:
    """Move points out of obstacles, perpendicular to the path: a chord becomes its nearer arc."""
    for middle, axis, radius in zip(*obstacles, strict=True):
        away, along = points - middle, ways - np.outer(ways @ axis, axis)
        away -= np.outer(away @ axis, axis)
        inside = np.linalg.norm(away, axis=1) < radius
        inside[[0, -1]] = False
        away, along, ways_in = away[inside], along[inside], ways[inside]
        pace = np.linalg.norm(along, axis=1, keepdims=True)
        along = np.where(pace > AXIAL, along / np.maximum(pace, AXIAL), 0.0)
        ahead = (away * along).sum(axis=1, keepdims=True)
        offset = away - ahead * along
        aside = np.linalg.norm(offset, axis=1, keepdims=True)
        central = aside <= CENTRAL * radius
        across = np.where(central, _across(ways_in, axis), offset / np.where(central, 1.0, aside))
        points[inside] += across * (np.sqrt(np.maximum(radius**2 - ahead**2, 0.0)) - aside)


def _across(ways: Floats, axis: Floats) -> Floats:
    """Unit normals to tangents (P, D) and an axis: to the left in the plane, any in space."""
    if len(axis) == 2:
        return ways[:, ::-1] * [-1.0, 1.0]
    out = np.cross(ways, axis)
    along = np.linalg.norm(out, axis=1) <= AXIAL
    out[along] = np.cross(ways[along], np.eye(3)[np.abs(ways[along]).argmin(axis=1)])
    return out / np.linalg.norm(out, axis=1, keepdims=True)


@kernel
def _tighten_path(points: Floats, obstacles: Obstacles, sweeps: int, enough: float) -> None:
    """Pull points between fixed ends tight, out of the obstacles; `enough` ends it, or so many sweeps.

    The factor is the best one for a straight string (Young's, of successive over-relaxation).
    """
    count, d = len(points) - 1, points.shape[1]
    factor = 2.0 / (1.0 + np.sin(np.pi / count))
    before = np.empty(d)
    for _ in range(sweeps):
        moved = 0.0
        for i in range(1, count):
            for c in range(d):
                before[c] = points[i, c]
                middle = 0.5 * (points[i - 1, c] + points[i + 1, c])
                points[i, c] += factor * (middle - points[i, c])
            for o in range(len(obstacles.radius)):
                _push_out(points, i, obstacles, o)
            for c in range(d):
                moved = max(moved, abs(points[i, c] - before[c]))
        if moved <= enough:
            break


@inner
def _push_out(points: Floats, i: int, obstacles: Obstacles, o: int) -> None:
    """Project a point that is inside an obstacle onto its surface."""
    middle, axis = obstacles.middle, obstacles.axis
    ahead = square = 0.0
    for c in range(points.shape[1]):
        ahead += (points[i, c] - middle[o, c]) * axis[o, c]
    for c in range(points.shape[1]):
        square += (points[i, c] - middle[o, c] - ahead * axis[o, c]) ** 2
    if 0.0 < square < obstacles.radius[o] ** 2:
        more = obstacles.radius[o] / np.sqrt(square) - 1.0
        for c in range(points.shape[1]):
            points[i, c] += more * (points[i, c] - middle[o, c] - ahead * axis[o, c])
