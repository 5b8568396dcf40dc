"""One way along the plan, in or back: its courses, what happens on them, and what force it takes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from heapq import merge
from itertools import accumulate
from typing import Any

import numpy as np

from pliant.snap.arithmetic.numbers import RealNumber
from pliant.snap.arithmetic.protocol import SlicePoint
from pliant.snap.arithmetic.text import exact_text
from pliant.snap.faults import ROOT
from pliant.snap.force.force_curve import ForceCurve, beam_lock_time, force_curve
from pliant.snap.force.lock_friction import LockThreshold, lock_threshold
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.springs.spring import PawlSpring
from pliant.snap.status import SnapStatus
from pliant.snap.sweep.contact_names import NamedContact, named_contacts
from pliant.snap.sweep.path import PathEvent
from pliant.snap.sweep.plan import Course, course_until_lock, elapsed_time, path_until

ROUNDING = 1e-9  # of the work that went to and fro: what is left of it is none
BLOCKED = (SnapStatus.JAMMED, SnapStatus.STOPPED, SnapStatus.STUCK, SnapStatus.DEAD_CENTRE)
ENDINGS = {
    "until": SnapStatus.THROUGH,
    "jam": SnapStatus.JAMMED,
    "stop": SnapStatus.STOPPED,
    "lock": SnapStatus.STUCK,
    "dead centre": SnapStatus.DEAD_CENTRE,
    "limit": SnapStatus.EVENT_LIMIT,
}


@dataclass(frozen=True)
class SnapEvent:
    """Something that happened to a pawl, or the root."""

    t: float  # since the way began
    travel: float  # of the root since then
    at: float  # the leg's own t: on the way back it falls
    kind: str
    pawl: str
    angle: float
    contacts: tuple[NamedContact, ...]
    exact: str  # t, a rational number or a root of a polynomial; "" where it is a sum of roots
    at_exact: str  # the leg's t

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "t": self.t,
            "travel": self.travel,
            "at": self.at,
            "t_exact": self.exact,
            "at_exact": self.at_exact,
            "kind": self.kind,
            "pawl": self.pawl,
            "angle": self.angle,
            "contact": [str(contact) for contact in self.contacts],
        }


@dataclass(frozen=True)
class SnapTrajectory:
    """One way along the plan: its courses, events and forces."""

    status: SnapStatus
    courses: tuple[Course, ...]
    events: tuple[SnapEvent, ...]
    curves: tuple[ForceCurve, ...]  # of forces, one a course
    threshold: LockThreshold | None  # the friction from which on it would lock; None if it never does
    passes: bool  # whether it would go all the way, or sit down, without friction

    @property
    def last(self) -> Course:
        """The course that ended it."""
        return self.courses[-1]

    @property
    def blocked(self) -> bool:
        """Whether a pawl ended it."""
        return self.status in BLOCKED

    @property
    def travel(self) -> float:
        """How far the root went."""
        return sum(course.travel for course in self.courses)

    @property
    def peak(self) -> float:
        """The greatest force against the motion before it ended."""
        return max((curve.peak for curve in self.curves), default=0.0)

    @property
    def peak_force(self) -> float:
        """The force it takes; infinite where a pawl locks or jams."""
        return math.inf if self.blocked else self.peak

    @property
    def peak_at(self) -> tuple[float, float]:
        """Where it takes the greatest force: t since the way began, and how far the root had gone by then."""
        number = max(range(len(self.curves)), key=lambda k: self.curves[k].peak)
        before, course = self.courses[:number], self.courses[number]
        since = self.curves[number].peak_at - course.begins
        t = sum(each.ends - each.begins for each in before) + since
        return t, sum(each.travel for each in before) + since * course.speed

    @property
    def cause(self) -> str:
        """What ended it: "seat" where the root sat down."""
        return "seat" if self.last.by == ROOT else self.last.cause

    @property
    def work(self) -> float:
        """Done on the way; 0 where what was put in came back, up to rounding."""
        done = sum(curve.work for curve in self.curves)
        largest = sum(float(np.abs(curve.spent).max()) for curve in self.curves)
        return 0.0 if abs(done) <= ROUNDING * largest else done

    @property
    def duration(self) -> float:
        """Of t."""
        return sum(course.ends - course.begins for course in self.courses)

    @property
    def angles(self) -> dict[str, float]:
        """Of every pawl at the end."""
        paths = {
            name: path_until(path, self.last.end) for name, path in self.last.paths.items() if name != ROOT
        }
        return {name: path.end.turn * math.pi + 2 * math.atan(path.end.angle) for name, path in paths.items()}

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        force = self.curves
        return {
            "status": self.status.name.lower(),
            "events": [event.to_dict() for event in self.events],
            "end": {
                "t": self.duration,
                "travel": self.travel,
                "t_exact": exact_text(elapsed_time(self.courses, len(self.courses) - 1, self.last.end)),
                "cause": self.cause,
                "pawl": self.last.by,
                "angles": self.angles,
            },
            "force": {
                "t": joined_times(self),
                "insertion": [v for curve in force for v in finite_or_none(curve.total.tolist())],
                "low": [v for curve in force for v in finite_or_none(curve.low.tolist())],
                "high": [v for curve in force for v in finite_or_none(curve.high.tolist())],
                "pawls": {
                    name: [v for curve in force for v in finite_or_none(curve.pawls[name].tolist())]
                    for name in force[0].pawls
                },
                "x": [v for curve in force for v in finite_or_none(curve.force[:, 0].tolist())],
                "y": [v for curve in force for v in finite_or_none(curve.force[:, 1].tolist())],
                "torque": [v for curve in force for v in finite_or_none(curve.torque.tolist())],
            },
            "peak_force": self.peak_force if math.isfinite(self.peak_force) else None,
            "peak": self._plain_peak(),
            "work": None if self.blocked else self.work,
            "lock_friction": None if self.threshold is None else self.threshold.value,
            "lock_friction_exact": None if self.threshold is None else exact_text(self.threshold.friction),
        }

    def _plain_peak(self) -> dict[str, Any] | None:
        """The greatest force and where it is; None where nothing presses against it, or it is blocked."""
        if self.blocked or self.peak <= 0:
            return None
        t, travel = self.peak_at
        bounded = math.isfinite(self.peak)
        return {"force": self.peak if bounded else None, "bounded": bounded, "t": t, "travel": travel}


def joined_times(trajectory: SnapTrajectory) -> list[float]:
    """The t since the way began, of every sample of its forces."""
    times: list[float] = []
    before = 0.0
    for course, curve in zip(trajectory.courses, trajectory.curves, strict=True):
        times += (curve.t - course.begins + before).tolist()
        before += course.ends - course.begins
    return times


def finite_or_none(values: list[float]) -> list[float | None]:
    """Forces without bound as None, which JSON can say, and 0 without a sign."""
    return [value + 0.0 if math.isfinite(value) else None for value in values]


def trajectory(
    model: Fastener, study: SnapStudy, springs: dict[str, PawlSpring], courses: tuple[Course, ...],
    free: tuple[Course, ...],
) -> SnapTrajectory:  # fmt: skip
    """Courses with their events, forces and the friction that would lock them; `free` are those without it.

    Friction does not change where a pawl goes, only how far.
    """
    about = study.about or model.pawls[0].hinge
    centre = (float(about[0]), float(about[1]))
    friction = float(model.friction)
    curves: list[ForceCurve] = []
    for number, course in enumerate(courses):
        curves.append(force_curve(course, springs, friction, centre))
        if name := curves[-1].locked:
            t = beam_lock_time(course, name, springs[name], friction, curves[-1].peak_at)
            courses = (*courses[:number], course_until_lock(course, name, t))
            curves[-1] = force_curve(courses[-1], springs, friction, centre)
            break
    events = tuple(_events(model, courses))
    threshold_of, passes = lock_threshold(free), free[-1].arrived
    return SnapTrajectory(_status(courses, events), courses, events, tuple(curves), threshold_of, passes)


def _status(courses: tuple[Course, ...], events: tuple[SnapEvent, ...]) -> SnapStatus:
    last = courses[-1]
    if last.by == ROOT:
        return SnapStatus.SEATED
    if last.cause == "until" and not events:
        return SnapStatus.NEVER_TOUCHES
    return ENDINGS[last.cause]


def _events(model: Fastener, courses: tuple[Course, ...]) -> list[SnapEvent]:
    """What happened on every course up to its end, in order of t."""
    events: list[SnapEvent] = []
    before = moved = 0.0
    for number, course in enumerate(courses):
        each: list[list[SnapEvent]] = []
        for who, path in course.paths.items():
            kept = [h for h in path.events if h.point.against(course.end) <= 0]
            each.append([_event(model, courses, number, who, h, before, moved) for h in kept])
        events += merge(*map(_with_rising_time, each), key=lambda event: event.t)
        before += course.ends - course.begins
        moved += course.travel
    return events


def _with_rising_time(events: list[SnapEvent]) -> list[SnapEvent]:
    """Events of one pawl, in order, with t that never falls: floats of one t can differ in the last place."""
    tops = accumulate((event.t for event in events), max)
    return [replace(event, t=t) for event, t in zip(events, tops, strict=True)]


def _event(
    model: Fastener, courses: tuple[Course, ...], number: int, who: str, happening: PathEvent,
    before: float, moved: float,
) -> SnapEvent:  # fmt: skip
    point, course = happening.point, courses[number]
    since = point.t - course.begins
    kind = "root collision" if who == ROOT else happening.kind
    return SnapEvent(
        t=before + since,
        travel=moved + since * course.speed,
        at=(-point.t if course.back else point.t) + 0.0,  # 0, not -0
        kind=kind,
        pawl=who,
        angle=angle_of(point),
        contacts=named_contacts(model, course.paths[who].scene, who, point, happening.contacts),
        exact=exact_text(elapsed_time(courses, number, point.time)),
        at_exact=exact_text(path_time(point, course)),
    )


def path_time(point: SlicePoint, course: Course) -> RealNumber:
    """The leg's own t of a point: on the way back it is the negative of the sweep's."""
    time = point.time
    return course.paths[next(iter(course.paths))].scene.arithmetic.negated(time) if course.back else time


def angle_of(point: SlicePoint) -> float:
    """A point's angle in radians, turns included."""
    return point.turn * math.pi + 2 * math.atan(point.angle)
