"""Pawls or a root that lie in an obstacle at the start: who, in whom, and how deep.

Touching is allowed. Whether two overlap is decided exactly; how deep is a float.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.core.outline import polygon
from pliant.snap.faults import ROOT
from pliant.snap.geometry.intersections import Meeting, Ring, boxes_about, floats_of, meeting
from pliant.snap.model import Fastener
from pliant.snap.start.placement import at_rest, placed

TOLD = 100  # overlaps in one refusal
PAIRS = 1_000_000  # of edges, for a depth; beyond, that of the hulls is told
LEAST = 1e-12  # of a part's size: a depth below it is rounding


class Overlap(NamedTuple):
    """A part that lies in an obstacle at the start."""

    part: str
    obstacle: str
    depth: float  # the shortest way out


class Mover(NamedTuple):
    """A part that is moved, where it starts."""

    where: str  # in the file
    name: str
    ring: Ring


def overlaps(model: Fastener) -> list[Overlap]:
    """Every pawl and the root with every obstacle that it overlaps at the start."""
    return [overlap for _, overlap in _found(model)]


def check_start(model: Fastener) -> None:
    """Refuse a fastener whose parts lie in obstacles at the start; every overlap is a fault."""
    units = f" {model.units}".rstrip()
    faults = [
        Fault(
            mover.where,
            f"{overlap.part!r} overlaps {overlap.obstacle!r} at the start, {_deep(mover, overlap)}{units}",
            "Start further back, or redraw one of the two; they may touch",
        )
        for mover, overlap in islice(_found(model), TOLD)
    ]
    if faults:
        raise InputError(faults)


def lies_in(model: Fastener, tree: shapely.STRtree) -> tuple[str, str] | None:
    """The first part that lies in an obstacle at the start, and that obstacle; None where all are free.

    The obstacles' tree is the same wherever a fastener starts.
    """
    for mover, index in _met(model, tree):
        return mover.name, model.label(index)
    return None


def obstacle_tree(model: Fastener) -> shapely.STRtree:
    """The boxes about the obstacles, to be asked what is near."""
    return shapely.STRtree(obstacle_boxes(model))


def _met(model: Fastener, tree: shapely.STRtree) -> Iterator[tuple[Mover, int]]:
    parts = movers(model)
    near, among = tree.query(boxes([part.ring for part in parts]))
    for part, index in sorted(zip(near.tolist(), among.tolist(), strict=True)):
        if meeting(parts[part].ring, placed(model, model.obstacles[index])) is Meeting.OVERLAPPING:
            yield parts[part], index


def _found(model: Fastener) -> Iterator[tuple[Mover, Overlap]]:
    for mover, index in _met(model, obstacle_tree(model)):
        deep = depth(mover.ring, placed(model, model.obstacles[index]))
        yield mover, Overlap(mover.name, model.label(index), deep)


def _deep(mover: Mover, overlap: Overlap) -> str:
    least = LEAST * float(np.ptp(floats_of(mover.ring), axis=0).max())
    return f"by {overlap.depth:.3g}" if overlap.depth > least else f"by less than {least:.1g}"


def movers(model: Fastener) -> list[Mover]:
    """The pawls, and the root where it has an outline."""
    found = [
        Mover(f"pawls[{index}]", pawl.name, at_rest(model, pawl)) for index, pawl in enumerate(model.pawls)
    ]
    rooted = model.root.outline
    return found if rooted is None else [*found, Mover(f"{ROOT}.outline", ROOT, rooted)]


def obstacle_boxes(model: Fastener) -> NDArray[np.object_]:
    """A box about each obstacle."""
    return boxes([placed(model, obstacle) for obstacle in model.obstacles])


def boxes(rings: Sequence[Ring]) -> NDArray[np.object_]:
    """A box about each ring, rounded outwards."""
    corners = [floats_of(ring) for ring in rings]
    return boxes_about(
        np.array([ring.min(axis=0) for ring in corners]), np.array([ring.max(axis=0) for ring in corners])
    )


def depth(one: Ring, other: Ring) -> float:
    """How far one outline has to be moved until they share no area, whichever way is shortest.

    Moved by d they meet where d lies in other − one, all differences of their points: the way to the edge of
    that region. Where the two meet without one holding the other, edges of both do, so that it is made of the
    differences of edges, which are parallelograms, and of each outline less a point of the other.
    """
    # Taken from a point of one, exactly, so that small parts far from the origin keep their digits.
    right, up = one[0]
    first, second = (floats_of([(x - right, y - up) for x, y in ring]) for ring in (one, other))
    farthest = _between_hulls(first, second)
    if len(first) * len(second) > PAIRS:
        return farthest
    pieces = _differences(first, second)
    pieces = pieces[shapely.dwithin(pieces, shapely.Point(0, 0), farthest)]
    pieces = [polygon([second - first[0]]), polygon([second[0] - first]), *pieces]
    # Pieces that share an edge would be left with hairs between them; on a grid they have none.
    whole = shapely.union_all(pieces, grid_size=_grid(np.concatenate([first, second])))
    return min(farthest, float(shapely.distance(shapely.boundary(whole), shapely.Point(0, 0))))


def _grid(points: Floats) -> float:
    """A power of two about `LEAST` of the size of some points, so that halves and quarters are on it."""
    return 2.0 ** np.floor(np.log2(LEAST * np.ptp(points, axis=0).max()))


def _differences(first: Floats, second: Floats) -> NDArray[np.object_]:
    """The parallelograms of every edge of the second less every edge of the first, without flat ones."""
    start, end = first[None], np.roll(first, -1, axis=0)[None]
    after, follow = second[:, None], np.roll(second, -1, axis=0)[:, None]
    corners = np.stack([after - start, after - end, follow - end, follow - start], axis=2).reshape(-1, 4, 2)
    found = np.asarray(shapely.polygons(corners))
    return found[shapely.area(found) > 0]


def _between_hulls(first: Floats, second: Floats) -> float:
    """How far the hulls have to be moved across one of their edges until they are apart."""
    hulls = [shapely.get_coordinates(shapely.convex_hull(polygon([ring]))) for ring in (first, second)]
    ways = np.concatenate([np.diff(hull, axis=0) for hull in hulls])
    normals = np.stack([ways[:, 1], -ways[:, 0]]) / np.hypot(*ways.T)
    normals = np.concatenate([normals, -normals], axis=1)
    return float(np.min((first @ normals).max(axis=0) - (second @ normals).min(axis=0)))
