"""Corner meets corner: where it depends on a hair's breadth aside what becomes of a fastener.

A hook drawn flush with the edge it shall pass meets it corner on corner. Started a little to one side it goes
in, to the other it lands on top. Neither is the answer: both are, and that it is a knife's edge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from pliant.snap.arithmetic.numbers import RationalVector
from pliant.snap.arithmetic.protocol import SlicePoint
from pliant.snap.faults import ROOT
from pliant.snap.force.snap_trajectory import SnapTrajectory
from pliant.snap.geometry.features import VERTEX, FeaturePair
from pliant.snap.geometry.outlines import normal_outline
from pliant.snap.geometry.pawl_scene import Scene
from pliant.snap.model import Fastener
from pliant.snap.questions.outcome import shifted_fastener
from pliant.snap.springs.spring import springs_of
from pliant.snap.start.overlaps import first_overlap, obstacle_tree
from pliant.snap.sweep.leg import contacts_at
from pliant.snap.sweep.next_motion import coinciding_corners
from pliant.snap.sweep.path import PathPiece
from pliant.snap.sweep.plan import Course

Trajectories = tuple[SnapTrajectory, SnapTrajectory | None]  # in and, where asked for, back

HAIR = 6  # decimal places below the size of the parts: how far aside either outcome is looked for
NEAR = 1e-7  # of a pawl's reach: corners further apart do not meet
ALIKE = 0.02  # of a pawl's reach, of a force, of a radian: what a hair aside may change in one outcome
GRAZED = 3e-3  # rad: over a corner that overlaps by a hair, 1e-6 of its reach, a pawl turns by at most √2e-6
DECIDED = ("jam", "stop", "dead centre", "limit")  # how a way ends that floats may have decided wrongly
LEANING = 1e-9  # of a direction: what counts as along an axis


@dataclass(frozen=True)
class CornerMeeting:
    """Two convex corners that meet: whose, which vertices of their outlines, after which travel."""

    part: str
    vertex: int
    obstacle: str
    corner: int
    travel: float  # of the root since the way began
    velocity: RationalVector  # of the root there
    back: bool = False  # whether they meet on the way back

    def __str__(self) -> str:
        return f"vertex {self.vertex} of {self.part} meets vertex {self.corner} of {self.obstacle}"


@dataclass(frozen=True)
class KnifeEdgeSide:
    """What becomes of a fastener that starts a hair aside: by which offset, and its ways."""

    offset: RationalVector
    way_in: SnapTrajectory
    way_back: SnapTrajectory | None

    @property
    def where(self) -> str:
        """To which side, in the drawing."""
        x, y = map(float, self.offset)
        size = math.hypot(x, y)
        names = {(-1, 0): "to the left", (1, 0): "to the right", (0, 1): "up", (0, -1): "down"}
        for (right, up), name in names.items():
            if math.hypot(x / size - right, y / size - up) < LEANING:
                return name
        return f"towards ({x / size:.3g}, {y / size:.3g})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values; the ways without their samples."""
        return {
            "offset": [float(value) for value in self.offset],
            "where": self.where,
            **_plain_trajectory(self.way_in),
            "back": None if self.way_back is None else _plain_trajectory(self.way_back),
        }


def _plain_trajectory(trajectory: SnapTrajectory) -> dict[str, Any]:
    keys = ("status", "end", "peak_force", "peak", "work", "lock_friction", "lock_friction_exact")
    plain = trajectory.to_dict()
    return {key: plain[key] for key in keys}


@dataclass(frozen=True)
class KnifeEdge:
    """Where corners meet, and what follows on either side; `drawn` is the outcome exactly as drawn."""

    corners: CornerMeeting
    sides: tuple[KnifeEdgeSide, KnifeEdgeSide]
    drawn: SnapTrajectory

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "contact": str(self.corners),
            "back": self.corners.back,
            "travel": self.corners.travel,
            "sides": [side.to_dict() for side in self.sides],
            "drawn": _plain_trajectory(self.drawn),
        }


def corner_meetings(model: Fastener, courses: Sequence[Course]) -> Iterator[CornerMeeting]:
    """Where a convex corner of a part meets one of an obstacle that it does not slide along, on a way.

    A contact that comes to the end of its edge brings two corners together on any way; others meet on this
    one and on none beside it.
    """
    gone = 0.0
    for course in courses:
        for name, path in course.paths.items():
            for piece in path.pieces:
                if piece.end.against(course.end) > 0 or piece.start is piece.end:
                    continue
                for corners in _extra_corners(path.scene, piece):
                    travel = gone + (piece.end.t - course.begins) * course.speed
                    yield _corner_meeting(model, path.scene, name, corners, travel, course)
        gone += course.travel


def _extra_corners(scene: Scene, piece: PathPiece) -> list[tuple[int, int]]:
    """Convex corners, of the pawl and of the obstacles, that meet at a piece's end and are no ends of it."""
    usual = {pair for contact in piece.contacts for pair in _ends(scene, contact)}
    if not any(pair not in usual for pair in _near_corners(scene, piece.end)):
        return []
    contacts = contacts_at(scene, piece.end)
    return [
        (vertex, corner)
        for vertex, corner in coinciding_corners(scene, piece.end, contacts)
        if (vertex, corner) not in usual and scene.pawl_convex[vertex] and scene.obstacles.convex[corner]
    ]


def _ends(scene: Scene, pair: FeaturePair) -> list[tuple[int, int]]:
    """The corners that meet where a contact comes to an end of its edge."""
    kind, i, j = pair
    if kind == VERTEX:
        return [(i, j), (i, scene.obstacles.following[j])]
    return [(i, j), ((i + 1) % len(scene.pawl), j)]


def _near_corners(scene: Scene, point: SlicePoint) -> Iterator[tuple[int, int]]:
    """Convex corners, of the pawl and of the obstacles, about at one place: floats tell most apart."""
    t, slack = point.t, NEAR * scene.stride
    live = scene.index.live(t - slack, t + slack)
    hinge, rigid, field = scene.bodies.hinge, scene.bodies.pawl, scene.bodies.obstacles
    turned = point.turn * math.pi + 2 * math.atan(point.angle)
    cosine, sine = math.cos(turned), math.sin(turned)
    ends = np.concatenate([live, field.following[live]])
    ends = ends[field.convex[ends]]
    ends = ends[np.argsort(field.x[ends])]
    x = hinge.x + hinge.vx * t + cosine * rigid.x - sine * rigid.y
    y = hinge.y + hinge.vy * t + sine * rigid.x + cosine * rigid.y
    reach, across = NEAR * scene.reach, field.x[ends]
    first, last = np.searchsorted(across, x - reach), np.searchsorted(across, x + reach, side="right")
    for i in np.flatnonzero((last > first) & rigid.convex).tolist():  # with a corner above or below
        for corner in ends[first[i] : last[i]].tolist():
            if abs(field.y[corner] - y[i]) < reach:
                yield i, corner


def _corner_meeting(
    model: Fastener, scene: Scene, name: str, corners: tuple[int, int], travel: float, course: Course
) -> CornerMeeting:
    """A vertex of a part and one of the obstacles, as their outlines are drawn."""
    if name == ROOT and model.root.outline is not None:
        drawn = normal_outline(model.root.outline).drawn
    else:
        drawn = normal_outline(model.outline_at_rest(next(p for p in model.pawls if p.name == name))).drawn
    (vertex, corner), fixed = corners, scene.obstacles
    return CornerMeeting(
        name, drawn[vertex], model.label(fixed.owner[corner]), fixed.drawn[corner], travel,
        course.velocity, course.back,
    )  # fmt: skip


def side_offsets(model: Fastener, velocity: RationalVector) -> tuple[RationalVector, RationalVector]:
    """A hair's breadth to either side of the way, exactly: left of it, then right."""
    size = max(normal_outline(model.outline(pawl)).reach for pawl in model.pawls)
    hair = Fraction(10) ** (math.floor(math.log10(size)) - HAIR)
    x, y = velocity
    unit = hair / Fraction(max(abs(x), abs(y)))
    return (-y * unit, x * unit), (y * unit, -x * unit)


def knife_edge(
    model: Fastener, drawn: Trajectories, met: Sequence[CornerMeeting],
    ways: Callable[[Fastener], Trajectories],
) -> KnifeEdge | None:  # fmt: skip
    """Where corners meet and it ends otherwise a hair aside: both outcomes; None where they are alike.

    `drawn` are the ways of the fastener as it is drawn, with the corners that meet on them, and `ways`
    finds those of one that is moved.
    """
    for corners in _first_by_direction(met):
        sides = _sides(model, corners, ways)
        if sides is not None and not all(
            same_outcome(model, drawn, (side.way_in, side.way_back)) for side in sides
        ):
            return KnifeEdge(corners, sides, drawn[0])
    return None


def floats_doubtful(drawn: Trajectories, met: Sequence[CornerMeeting]) -> bool:
    """Whether floats may have decided wrongly: corners meet, or a pawl was left nowhere to go.

    Contacts a millionth apart part by less than floats can tell, where one is square to the hinge.
    """
    return bool(met) or any(one is not None and one.last.cause in DECIDED for one in drawn)


def all_corner_meetings(model: Fastener, ways: Trajectories) -> tuple[CornerMeeting, ...]:
    """The corners that meet on the way in, and back."""
    meetings = (corner_meetings(model, one.courses) for one in ways if one is not None)
    return tuple(chain.from_iterable(meetings))


def _first_by_direction(met: Sequence[CornerMeeting]) -> Iterator[CornerMeeting]:
    """Of corners that meet, the first for each direction of the way: a hair aside is one square to it."""
    seen: list[RationalVector] = []
    for corners in met:
        x, y = corners.velocity
        if all(x * v != y * u for u, v in seen):
            seen.append(corners.velocity)
            yield corners


def _sides(
    model: Fastener, corners: CornerMeeting, ways: Callable[[Fastener], Trajectories]
) -> tuple[KnifeEdgeSide, KnifeEdgeSide] | None:
    """What becomes of it a hair to either side, what gets further first; None where it has no room there."""
    tree = obstacle_tree(model)
    moved = [shifted_fastener(model, offset) for offset in side_offsets(model, corners.velocity)]
    if any(first_overlap(each, tree) is not None for each in moved):
        return None
    sides = [
        KnifeEdgeSide(o, *ways(m)) for o, m in zip(side_offsets(model, corners.velocity), moved, strict=True)
    ]
    first, second = sorted(sides, key=_shortfall)
    return first, second


class _Shortfall(NamedTuple):
    """What a side falls short of, in the order in which sides are compared."""

    stops: bool  # on the way in
    travel: float  # the negative of how far it gets
    force: float
    stays: bool  # on the way back
    pull: float


def _shortfall(side: KnifeEdgeSide) -> _Shortfall:
    """Least for the side that goes in, or gets further, or needs less force; then for the way back."""
    into, out = side.way_in, side.way_back
    stays, pull = (False, 0.0) if out is None else (not out.last.arrived, out.peak_force)
    travel, force = -round(into.travel, HAIR), round(into.peak_force, HAIR)
    return _Shortfall(not into.last.arrived, travel, force, stays, pull)


def same_outcome(model: Fastener, first: Trajectories, second: Trajectories) -> bool:
    """Whether two fasteners that differ by a hair, or by rounding, have one outcome: in, and back."""
    pairs = ((one, other) for one, other in zip(first, second, strict=True) if one is not None)
    return all(other is not None and _is_alike(model, one, other) for one, other in pairs)


def _is_alike(model: Fastener, first: SnapTrajectory, second: SnapTrajectory) -> bool:
    """Whether two ways end as good as alike, as far and with as much force: what a hair's breadth may do."""
    if first.last.arrived != second.last.arrived:
        return False
    size = max(normal_outline(model.outline(pawl)).reach for pawl in model.pawls)
    if abs(first.travel - second.travel) > ALIKE * size:
        return False
    least = min(ALIKE * spring.stiffness / size for spring in springs_of(model).values())
    if not (_grazes(first) and _grazes(second)) and not _forces_alike(
        first.peak_force, second.peak_force, least
    ):
        return False
    return all(abs(first.angles[name] - second.angles[name]) <= ALIKE for name in first.angles)


def _grazes(trajectory: SnapTrajectory) -> bool:
    """Whether no pawl turns further than a hair's overlap makes it.

    Where the lever to the hinge vanishes, such a pawl's force is of any size, and does no work.
    """
    turned = (angles for curve in trajectory.curves for angles in curve.angles.values())
    return all(float(np.abs(angles).max(initial=0.0)) <= GRAZED for angles in turned)


def _forces_alike(first: float, second: float, least: float) -> bool:
    """Whether two forces are one but for a small share of them, or for less than `least`."""
    if math.isinf(first) or math.isinf(second):
        return first == second
    return abs(first - second) <= max(ALIKE * max(abs(first), abs(second)), least)
