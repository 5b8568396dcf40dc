"""The whole fastener along its plan: every pawl and the root, leg by leg, and back from where it stopped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cmp_to_key

from flint import fmpq

from pliant.snap.arithmetic.algebraic import Algebraic
from pliant.snap.arithmetic.numbers import RationalVector, RealNumber, as_float, exact_rational, exact_sum
from pliant.snap.arithmetic.protocol import Arithmetic, Scalar, SlicePoint
from pliant.snap.faults import ROOT
from pliant.snap.geometry.contact_curves import contact_curve
from pliant.snap.geometry.features import FeaturePair
from pliant.snap.geometry.outlines import normal_outline
from pliant.snap.geometry.pawl_scene import (
    Scene,
    UnitedObstacles,
    pawl_scene,
    reversed_scene,
    unite_obstacles,
)
from pliant.snap.model import Fastener, Leg, Pawl
from pliant.snap.springs.beam import pivot_of
from pliant.snap.sweep.leg import sweep_leg
from pliant.snap.sweep.path import EndCause, Path, PathEvent, PathPiece

ZERO: RationalVector = (Fraction(0), Fraction(0))


@dataclass(frozen=True)
class Course:
    """A straight leg as it went: every pawl's path, and what ended it."""

    leg: int
    back: bool
    velocity: RationalVector
    offset: RationalVector  # of the root, where t = 0
    start: RealNumber  # t where it began
    paths: dict[str, Path]  # by pawl, and the root's where it has an outline
    cause: EndCause
    by: str  # who ended it; "" where the leg came to its end
    end: RealNumber  # t where it ended

    @property
    def begins(self) -> float:
        """The t where it began."""
        return as_float(self.start)

    @property
    def ends(self) -> float:
        """The t where it ended."""
        return as_float(self.end)

    @property
    def speed(self) -> float:
        """Length of the velocity."""
        return math.hypot(*map(float, self.velocity))

    @property
    def arrived(self) -> bool:
        """Whether nothing but the leg's end, or the root's seat, ended it."""
        return self.cause == "until" or self.by == ROOT

    @property
    def travel(self) -> float:
        """How far the root went."""
        return (self.ends - self.begins) * self.speed


def elapsed_time(courses: Sequence[Course], number: int, time: RealNumber) -> Algebraic | None:
    """The t since a way began, exactly, of a t of one of its courses; None where it is not known exactly.

    It is where every course before, and this one, began and ended at a rational t.
    """
    total, begin = fmpq(0), exact_rational(courses[number].start)
    for course in courses[:number]:
        start, end = exact_rational(course.start), exact_rational(course.end)
        if start is None or end is None:
            return None
        total += end - start
    return None if begin is None else exact_sum(time, total - begin)


@dataclass(frozen=True)
class PawlPoints:
    """Where every pawl is, at the end of a course: a point of the arithmetic each."""

    points: dict[str, SlicePoint]


def plan_legs(model: Fastener, fixed: UnitedObstacles | None = None) -> tuple[Leg, ...]:
    """The plan; without an end, far enough for everything to be passed."""
    root = model.root
    if root.plan is not None:
        return root.plan
    assert root.velocity is not None
    until = root.until or clearing_time(model, root.velocity, fixed)
    return (Leg.model_construct(velocity=root.velocity, until=until),)


def clearing_time(
    model: Fastener, velocity: RationalVector, fixed: UnitedObstacles | None = None
) -> Fraction:
    """A t by which everything that moves is past every obstacle."""
    x, y = float(velocity[0]), float(velocity[1])
    speed = math.hypot(x, y)
    field = (fixed or united_obstacles(model)).floats
    farthest = float((field.x * x + field.y * y).max()) / speed
    behind: list[float] = []
    for pawl in model.pawls:
        along = (float(pawl.hinge[0]) * x + float(pawl.hinge[1]) * y) / speed
        behind.append(along - normal_outline(model.outline(pawl)).reach)
    if model.root.outline is not None:
        rigid = normal_outline(model.root.outline).rigid
        behind.append(float((rigid.x * x + rigid.y * y).min()) / speed)
    return Fraction(max(1, math.ceil((farthest - min(behind)) * 1.02 / speed)))


def united_obstacles(model: Fastener) -> UnitedObstacles:
    """The obstacles, ready for any number of sweeps."""
    return unite_obstacles([model.placed(obstacle) for obstacle in model.obstacles])


def stops_of(pawl: Pawl) -> tuple[Fraction | None, Fraction | None]:
    """Half-angle tangents a pawl stops at: its own, and the one its preload holds it against."""
    low, high = (None, None) if pawl.stops is None else (pawl.stops[0].u, pawl.stops[1].u)
    if pawl.preload > 0:
        high = Fraction(0)
    if pawl.preload < 0:
        low = Fraction(0)
    return low, high


def travel_in(
    model: Fastener, arithmetic: Arithmetic, fixed: UnitedObstacles, friction: Fraction | None = None
) -> tuple[Course, ...]:
    """Every leg of the plan, up to the first that cannot be finished."""
    mu = model.friction if friction is None else friction
    courses: list[Course] = []
    offset, stance = ZERO, None
    for number, leg in enumerate(plan_legs(model, fixed)):
        scenes = _scenes(model, arithmetic, fixed, offset, leg.velocity, leg.until)
        starts = _starts(scenes, stance, arithmetic.scalar(Fraction(0)))
        held = _pressing_contacts(courses[-1] if courses else None)
        paths = {
            name: sweep_leg(each, starts[name], mu, held=held.get(name, ())) for name, each in scenes.items()
        }
        course = _course(number, False, leg.velocity, offset, arithmetic.number(Fraction(0)), paths)
        courses.append(course)
        if course.cause != "until":
            break
        stance = PawlPoints({name: path.end for name, path in paths.items()})
        offset = (offset[0] + leg.velocity[0] * leg.until, offset[1] + leg.velocity[1] * leg.until)
    return tuple(courses)


def travel_back(
    model: Fastener, arithmetic: Arithmetic, fixed: UnitedObstacles, ways: Sequence[Course],
    friction: Fraction | None = None,
) -> tuple[Course, ...]:  # fmt: skip
    """The plan reversed from wherever it stopped, up to its start or where it cannot go on."""
    mu = model.friction if friction is None else friction
    courses: list[Course] = []
    stance = None
    for way in reversed(ways):
        velocity = (-way.velocity[0], -way.velocity[1])
        scenes = {name: reversed_scene(path.scene, Fraction(0)) for name, path in way.paths.items()}
        begin = arithmetic.negated(way.end)
        if stance is None:
            starts = {name: _reversed_start(way.paths[name], way.end, scenes[name]) for name in scenes}
        else:
            starts = _starts(scenes, stance, None, begin)
        held = _pressing_contacts(courses[-1] if courses else None)
        paths = {
            name: sweep_leg(each, starts[name], mu, held=held.get(name, ())) for name, each in scenes.items()
        }
        course = _course(way.leg, True, velocity, way.offset, begin, paths)
        courses.append(course)
        if course.cause != "until":
            break
        stance = PawlPoints({name: path.end for name, path in paths.items()})
    return tuple(courses)


def _pressing_contacts(course: Course | None) -> dict[str, tuple[FeaturePair, ...]]:
    """What presses on each pawl at the end of a leg."""
    if course is None:
        return {}
    ends = {name: path.pieces[-1] for name, path in course.paths.items() if path.pieces}
    return {name: piece.contacts for name, piece in ends.items() if piece.end.against(course.end) == 0}


def travel_from(
    model: Fastener, arithmetic: Arithmetic, fixed: UnitedObstacles, stance: PawlPoints,
    offset: RationalVector, velocity: RationalVector, until: Fraction,
) -> Course:  # fmt: skip
    """A leg of its own without friction, from where every pawl stands."""
    scenes = _scenes(model, arithmetic, fixed, offset, velocity, until)
    starts = _starts(scenes, stance, arithmetic.scalar(Fraction(0)))
    paths = {name: sweep_leg(each, starts[name]) for name, each in scenes.items()}
    return _course(0, False, velocity, offset, arithmetic.number(Fraction(0)), paths)


def path_until(path: Path, end: RealNumber) -> Path:
    """A path cut off at a t: its end is where the pawl is then."""
    arithmetic = path.scene.arithmetic
    piece = piece_at(path, end)
    if piece is None or path.end.against(end) == 0:
        return path
    if piece.motion != "arc":
        return replace(path, end=arithmetic.point(piece.start.u, piece.turn, None, end))
    line = contact_curve(path.scene, piece.contacts[0], piece.turn).line
    return replace(path, end=arithmetic.point(_angle_on(path, piece, end), piece.turn, line))


def course_until_lock(course: Course, name: str, t: float) -> Course:
    """A course that ends at a t, where the beam of a pawl locks."""
    path = course.paths[name]
    end = path.scene.arithmetic.number(Fraction(t).limit_denominator(10**9))
    piece = piece_at(path, end)
    lock = PathEvent("lock", path_until(path, end).end, () if piece is None else piece.contacts)
    kept = tuple(each for each in path.events if each.point.against(end) <= 0)
    cut = {**course.paths, name: replace(path, events=(*kept, lock))}
    return replace(course, paths=cut, cause="lock", by=name, end=end)


def _angle_on(path: Path, piece: PathPiece, t: RealNumber) -> RealNumber:
    """The angle on an arc at a t between its ends."""
    arithmetic = path.scene.arithmetic
    forward = contact_curve(path.scene, piece.contacts[0], piece.turn)
    low, high = sorted((piece.start.angle, piece.end.angle))
    here = arithmetic.point(arithmetic.zero, 0, None, t)
    angles = arithmetic.landing(here, forward.alpha, forward.beta, low - 1e-12, high + 1e-12)
    for u in angles:
        if arithmetic.sign_at(forward.alpha, u) != 0:  # else it is the curve's flat line, there at every t
            return u
    return angles[0]


def _scenes(
    model: Fastener, arithmetic: Arithmetic, fixed: UnitedObstacles, offset: RationalVector,
    velocity: RationalVector, until: Fraction,
) -> dict[str, Scene]:  # fmt: skip
    """A scene a pawl, and one for the root, which is a pawl that cannot turn."""
    scenes: dict[str, Scene] = {}
    for pawl in model.pawls:
        hinge = (pawl.hinge[0] + offset[0], pawl.hinge[1] + offset[1])
        outline = model.outline_at_rest(pawl)
        pivot = ZERO if pawl.beam is None else pivot_of(model, pawl)
        scenes[pawl.name] = pawl_scene(
            arithmetic, outline, hinge, velocity, fixed, until, stops_of(pawl), pivot
        )
    if model.root.outline is not None:
        still = (Fraction(0), Fraction(0))
        scenes[ROOT] = pawl_scene(arithmetic, model.root.outline, offset, velocity, fixed, until, still)
    return scenes


def _starts(
    scenes: dict[str, Scene], stance: PawlPoints | None, t: Scalar | None, at: RealNumber | None = None
) -> dict[str, SlicePoint]:
    """Where each pawl starts: at rest, or as the leg before left it."""
    own = {name: each.arithmetic for name, each in scenes.items()}
    if stance is None:
        assert t is not None
        return {name: each.moment(each.zero, 0, t) for name, each in own.items()}
    points = {name: stance.points[name] for name in scenes}
    if t is None:
        return {name: own[name].point(point.u, point.turn, None, at) for name, point in points.items()}
    return {name: own[name].moment(point.u, point.turn, t) for name, point in points.items()}


def _reversed_start(path: Path, end: RealNumber, scene: Scene) -> SlicePoint:
    """A pawl's state at the end of a course, as the start of the way back, where t counts from minus it."""
    arithmetic = scene.arithmetic
    piece = piece_at(path, end)
    at = arithmetic.negated(end)
    landed = path.end.against(end) == 0 and (not path.pieces or path.pieces[-1].end is not path.end)
    if piece is None or landed:
        return arithmetic.point(path.end.u, path.end.turn, None, at)
    if piece.motion != "arc":
        return arithmetic.point(piece.start.u, piece.turn, None, at)
    line = contact_curve(scene, piece.contacts[0], piece.turn).line
    if piece.end.against(end) == 0:
        return arithmetic.point(piece.end.u, piece.turn, line)
    return arithmetic.point(_angle_on(path, piece, end), piece.turn, line)


def piece_at(path: Path, t: RealNumber) -> PathPiece | None:
    """The last piece that holds a t; None where the path ends on a snap."""
    for piece in reversed(path.pieces):
        if piece.start.against(t) <= 0:
            return piece if piece.end.against(t) >= 0 else None
    return None


def _course(
    leg: int,
    reverse: bool,
    velocity: RationalVector,
    offset: RationalVector,
    start: RealNumber,
    paths: dict[str, Path],
) -> Course:
    """Of paths that went on each for itself: the first that ended ends all."""

    def order(one: tuple[str, Path], other: tuple[str, Path]) -> int:
        return one[1].end.against(other[1].end.time)

    name, first = min(paths.items(), key=cmp_to_key(order))
    cause: EndCause = first.cause
    return Course(
        leg, reverse, velocity, offset, start, paths, cause, "" if cause == "until" else name, first.end.time
    )
