"""What is wrong with an assembly as it is drawn: parts that overlap, constraints that do not hold.

Overlap is decided by area; keep regions, sights and limits by how far the drawn pose is outside of
them. Both are judged by the overlap that a step may cause: less is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import shapely
from shapely.affinity import translate

from pliant.core.arrays import Floats, Ints
from pliant.core.pose import carry
from pliant.flex.contact.overlap import Overlaps
from pliant.flex.geometry.bodies import broken_bodies
from pliant.flex.geometry.parts import Parts, inset_depths
from pliant.flex.geometry.solid import Polygons
from pliant.flex.model import Assembly, Keep, Limit, Sight
from pliant.flex.problem.system import System
from pliant.flex.status import FlexStatus

SHOWN = 10  # pairs that a way apart is found for
DIRECTIONS = 48  # ways apart that are tried, those across the longest edges first
STRIDES = 60
MORE = 1.001  # times the clearance at which bodies touch: what is left at that must be whole


@dataclass(frozen=True)
class Separation:
    """How a body, with what is welded to it, could be drawn apart from another."""

    bodies: tuple[str, ...]
    distance: float
    direction: tuple[float, float]  # unit


@dataclass(frozen=True)
class DrawnOverlap:
    """Two bodies that overlap in the drawn pose."""

    bodies: tuple[str, str]
    area: float
    depth: float  # clearance the two would need to come apart
    apart: Separation | None = None  # where no clearance cures it


@dataclass(frozen=True)
class Violation:
    """A keep region, a sight or a limit that the drawn pose does not satisfy."""

    where: str  # its key, such as "keep[0]" or "limits[1].rotation"
    bodies: tuple[str, ...]
    distance: float  # by which it is missed; of a turn, the travel of the body's outermost point
    angle: float | None = None  # rad, by which a sight or a limit on rotation is missed


def findings_as_drawn(
    model: Assembly, system: System, overlaps: Overlaps
) -> tuple[FlexStatus, dict[str, Any]] | None:
    """The finding about the drawn pose, with its data; None where nothing is wrong with it."""
    violated = violations_as_drawn(model, system)
    overlapping = overlaps_as_drawn(system, overlaps)
    if not overlapping:
        return (FlexStatus.VIOLATED, {"violated": violated}) if violated else None
    needed = model.clearance + overlapping[0].depth
    lost = broken_bodies(model, MORE * needed)
    if lost:
        ways = [_shortest_separation(system.parts, pair) for pair in overlapping[:SHOWN]]
        overlapping = (*map(_with, overlapping, ways), *overlapping[SHOWN:])
    findings = {"drawn": overlapping, "violated": violated, "lost": lost, "needed": needed}
    return FlexStatus.OVERLAPPING, findings


def _with(overlap: DrawnOverlap, apart: Separation) -> DrawnOverlap:
    return replace(overlap, apart=apart)


def overlaps_as_drawn(system: System, overlaps: Overlaps) -> tuple[DrawnOverlap, ...]:
    """Pairs that overlap as drawn by more than the threshold, the deepest first."""
    parts = system.parts
    thick = overlaps.thickness > system.threshold
    if not thick.any():
        return ()
    pairs, area = _member_pairs(parts, overlaps.pairs[thick])
    names, depths = parts.members.names, inset_depths(parts, pairs)
    listed = [
        DrawnOverlap((names[a], names[b]), float(shared), float(depth))
        for (a, b), shared, depth in zip(pairs, area, depths, strict=True)
    ]
    return tuple(sorted(listed, key=lambda overlap: -overlap.depth))


def _member_pairs(parts: Parts, pairs: Ints) -> tuple[Ints, Floats]:
    """Pairs of members that share area, of pairs of bodies that do; and how much."""
    polygons = parts.member_polygons(parts.drawn)
    between = [pair for a, b in pairs for pair in product(parts.members_of[a], parts.members_of[b])]
    made = np.array(between, np.int64)
    area = np.asarray(shapely.area(shapely.intersection(polygons[made[:, 0]], polygons[made[:, 1]])))
    # Where welds overlap in several places, those that are nothing beside the largest are left out.
    shared = area > 1e-6 * area.max()
    return made[shared], area[shared]


def _shortest_separation(parts: Parts, overlap: DrawnOverlap) -> Separation:
    """The shortest straight way found on which one body of a pair, one that moves, gets clear of the other.

    Ways across the edges of both are tried: of convex bodies the shortest is among them.
    """
    places = [parts.index(name) for name in overlap.bodies]
    polygons = parts.polygons(parts.drawn)
    # Who is held stays; of two that are not, the larger one.
    still, mover = sorted(places, key=lambda place: (parts.moving[place] >= 0, -polygons[place].area))
    best, along = np.inf, np.zeros(2)
    for direction in _edge_normals(polygons[still], polygons[mover]):
        distance = _clear(polygons[still], polygons[mover], direction, best)
        if distance < best:
            best, along = distance, direction
    return Separation(parts.names_of(np.array([mover])), float(best), (float(along[0]), float(along[1])))


def _edge_normals(*polygons: Polygons) -> Floats:
    """Unit normals of the edges of polygons, either way, (D, 2), each once."""
    rings = [ring for polygon in polygons for ring in shapely.get_rings(shapely.get_parts(polygon))]
    sides = np.concatenate([np.diff(shapely.get_coordinates(ring), axis=0) for ring in rings])
    length = np.hypot(*sides.T)
    sides = sides[np.argsort(-length, kind="stable")]
    normal = np.stack([sides[:, 1], -sides[:, 0]], axis=1) / np.hypot(*sides.T)[:, None]
    either = np.stack([normal, -normal], axis=1).reshape(-1, 2)
    first = np.unique(either.round(6) + 0.0, axis=0, return_index=True)[1]
    return either[np.sort(first)[:DIRECTIONS]]


def _clear(still: Polygons, mover: Polygons, direction: Floats, enough: float) -> float:
    """How far a body must go along a direction to share no area with another; inf from `enough` on."""
    ends = [shapely.get_coordinates(polygon) @ direction for polygon in (still, mover)]
    farthest = float(ends[0].max() - ends[1].min())  # there nothing of the one is beside the other
    least = 1e-12 * min(still.area, mover.area)
    near = far = 0.0
    for _ in range(STRIDES):
        shared = still.intersection(translate(mover, *(far * direction)))
        if shared.area <= least:
            break
        if far >= enough:
            return np.inf
        stride = max(float(np.ptp(shapely.get_coordinates(shared) @ direction)), farthest / STRIDES)
        near, far = far, min(far + stride, farthest)
    for _ in range(40):
        middle = (near + far) / 2
        clear = still.intersection(translate(mover, *(middle * direction))).area <= least
        near, far = (near, middle) if clear else (middle, far)
    return far


def violations_as_drawn(model: Assembly, system: System) -> tuple[Violation, ...]:
    """What the drawn pose misses by more than the threshold, the worst first."""
    poses = {body.name: np.array(body.pose) for body in model.bodies}
    overlaps = [
        *(_keep(f"keep[{k}]", keep, poses) for k, keep in enumerate(model.keep)),
        *(_sight(f"sights[{k}]", sight, poses) for k, sight in enumerate(model.sights)),
        *(one for k, limit in enumerate(model.limits) for one in _limit(f"limits[{k}]", limit, system.parts)),
    ]
    missed = [violation for violation in overlaps if violation.distance > system.threshold]
    return tuple(sorted(missed, key=lambda violation: -violation.distance))


def _keep(where: str, keep: Keep, poses: dict[str, Floats]) -> Violation:
    point = carry(poses[keep.body], np.array(keep.point))
    return Violation(where, (keep.body,), float(shapely.Polygon(keep.inside).distance(shapely.Point(point))))


def _sight(where: str, sight: Sight, poses: dict[str, Floats]) -> Violation:
    """The distance of the marker from the cone, and how far it lies beyond its edge, seen from the apex."""
    away = carry(poses[sight.to], np.array(sight.marker)) - carry(poses[sight.viewer], np.array(sight.apex))
    axis = poses[sight.viewer][2] + sight.axis
    aside = np.arctan2(np.sin(turn := np.arctan2(away[1], away[0]) - axis), np.cos(turn))
    beyond = max(abs(float(aside)) - sight.half_angle, 0.0)
    distance = float(np.hypot(*away) * np.sin(min(beyond, np.pi / 2)))
    return Violation(where, (sight.viewer, sight.to), distance, beyond if distance else 0.0)


def _limit(where: str, limit: Limit, parts: Parts) -> Iterator[Violation]:
    """How far each range is from 0, which is the drawn pose."""
    for key in ("x", "y", "rotation"):
        span = getattr(limit, key)
        if isinstance(span, tuple):
            off = max(span[0], -span[1], 0.0)
            arm, angle = (parts.radius[parts.index(limit.body)], off) if key == "rotation" else (1.0, None)
            yield Violation(f"{where}.{key}", (limit.body,), float(off * arm), angle)
