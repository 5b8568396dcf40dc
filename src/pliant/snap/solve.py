"""Snap: how a fastener goes in, whether and where it snaps, jams or sticks, and what force it takes.

    for each leg of the plan:
        sweep every pawl, and the root, for itself       (sweep.py: from event to event)
        the first that cannot go on ends the leg
    forces along what was swept                          (forces.py)
    the same backwards, if asked for

Source: [DonaldPai1993] sec. 9.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from heapq import merge
from itertools import accumulate
from typing import Any

from pliant.core.clock import Clock
from pliant.core.loops import running
from pliant.core.progress import Progress, silent
from pliant.snap.arithmetic.exact import Exactly
from pliant.snap.arithmetic.floating import Floating
from pliant.snap.arithmetic.protocol import Arithmetic
from pliant.snap.arithmetic.text import exact_text
from pliant.snap.force.force_curve import Curve, Spring, force_curve, lock_of_beam
from pliant.snap.force.lock_friction import threshold
from pliant.snap.geometry.scene import Obstacles
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.questions.diode.classification import classify
from pliant.snap.questions.interference import clashes
from pliant.snap.questions.knife_edge import Ways, knife_edge, met_on, same, unsure
from pliant.snap.questions.search import search
from pliant.snap.questions.stability import margins
from pliant.snap.questions.uncertainty import outcomes
from pliant.snap.result import Event, SnapResult, Way
from pliant.snap.springs.spring import springs_of
from pliant.snap.start.checks import check_asked
from pliant.snap.start.remarks import remarks
from pliant.snap.status import SnapStatus
from pliant.snap.sweep.contact_names import contacts
from pliant.snap.sweep.path import Happening
from pliant.snap.sweep.plan import ROOT, Course, around, back, elapsed, locked_at, travel
from pliant.snap.warm import LOOPS, seconds_as_python

ENDINGS = {
    "until": SnapStatus.THROUGH,
    "jam": SnapStatus.JAMMED,
    "stop": SnapStatus.STOPPED,
    "lock": SnapStatus.STUCK,
    "dead centre": SnapStatus.DEAD_CENTRE,
    "limit": SnapStatus.EVENT_LIMIT,
}


def solve(model: Fastener, study: SnapStudy | None = None, progress: Progress = silent) -> SnapResult:
    """The way of a fastener along its plan, and back if the study asks for it."""
    study = study or model.study
    with running(LOOPS, seconds_as_python(model, study), progress):
        return _moved(model, study, progress)


def _moved(model: Fastener, study: SnapStudy, progress: Progress) -> SnapResult:
    clock = Clock()
    arithmetic: Arithmetic = Exactly() if study.arithmetic == "exact" else Floating()
    with clock.phase("check"):
        check_asked(model, study)
    progress(0, 4, "moving")
    with clock.phase("build"):
        fixed = around(model)

    with clock.phase("move"):
        ways = _ways(model, study, arithmetic, fixed)
        met = met_on(model, ways)
        if study.arithmetic == "float" and unsure(ways, met):
            exact = _ways(model, study, Exactly(), fixed)
            if not same(model, ways, exact):
                arithmetic, ways, met = Exactly(), exact, met_on(model, exact)
    with clock.phase("answers"):
        progress(2, 4, "looking aside")
        edge = knife_edge(model, ways, met, lambda moved: _ways(moved, study, Exactly(), fixed))
        if edge is not None:
            arithmetic, ways = Exactly(), (edge.sides[0].way_in, edge.sides[0].way_back)
        way_in, way_back = ways
        answers = _answers(model, study, arithmetic, fixed, way_in, progress)
        courses = way_in.courses if way_back is None else (*way_in.courses, *way_back.courses)
        said = (*remarks(model), *clashes(model, courses))
    return SnapResult(model, study, fixed, way_in, way_back, said, clock.seconds, knife_edge=edge, **answers)


def _ways(model: Fastener, study: SnapStudy, arithmetic: Arithmetic, fixed: Obstacles) -> Ways:
    """In and, where it is asked for, back."""
    springs = springs_of(model)
    there = travel(model, arithmetic, fixed)
    free = travel(model, arithmetic, fixed, Fraction(0)) if _locked(there) else there
    way_in = _way(model, study, springs, there, free)
    if not study.reverse:
        return way_in, None
    again = back(model, arithmetic, fixed, way_in.courses)
    free = back(model, arithmetic, fixed, way_in.courses, Fraction(0)) if _locked(again) else again
    return way_in, _way(model, study, springs, again, free)


def _answers(
    model: Fastener, study: SnapStudy, arithmetic: Arithmetic, fixed: Obstacles, way: Way, progress: Progress
) -> dict[str, Any]:
    """What else the study asks for."""
    found: dict[str, Any] = {}
    if study.classify:
        springs = springs_of(model)
        found["diode"] = classify(model, study, arithmetic, fixed, springs, way.last, way.peak, progress)
    if study.uncertain:
        found["outcomes"] = outcomes(model, study, arithmetic, fixed, progress)
    if study.stability:
        found["margins"] = margins(model, arithmetic, progress)
    if study.search and study.goal is not None:
        found["design"] = search(model, study.goal, progress)
    return found


def _way(
    model: Fastener,
    study: SnapStudy,
    springs: dict[str, Spring],
    courses: tuple[Course, ...],
    free: tuple[Course, ...],
) -> Way:
    """Courses with their events, forces and the friction that would lock them; `free` are those without it.

    Friction does not change where a pawl goes, only how far.
    """
    about = study.about or model.pawls[0].hinge
    centre = (float(about[0]), float(about[1]))
    friction = float(model.friction)
    curves: list[Curve] = []
    for number, course in enumerate(courses):
        curves.append(force_curve(course, springs, friction, centre))
        if name := curves[-1].locked:
            t = lock_of_beam(course, name, springs[name], friction, curves[-1].peak_at)
            courses = (*courses[:number], locked_at(course, name, t))
            curves[-1] = force_curve(courses[-1], springs, friction, centre)
            break
    events = tuple(_events(model, courses))
    threshold_of, passes = threshold(free), free[-1].arrived
    return Way(_status(courses, events), courses, events, tuple(curves), threshold_of, passes)


def _locked(courses: tuple[Course, ...]) -> bool:
    """Whether friction ended a path."""
    return any(path.cause == "lock" for course in courses for path in course.paths.values())


def _status(courses: tuple[Course, ...], events: tuple[Event, ...]) -> SnapStatus:
    last = courses[-1]
    if last.by == ROOT:
        return SnapStatus.SEATED
    if last.cause == "until" and not events:
        return SnapStatus.NEVER_TOUCHES
    return ENDINGS[last.cause]


def _events(model: Fastener, courses: tuple[Course, ...]) -> list[Event]:
    """What happened on every course up to its end, in order of t."""
    found: list[Event] = []
    before = moved = 0.0
    for number, course in enumerate(courses):
        each: list[list[Event]] = []
        for who, path in course.paths.items():
            told = [h for h in path.happenings if h.point.against(course.end) <= 0]
            each.append([_event(model, courses, number, who, h, before, moved) for h in told])
        found += merge(*map(_rising, each), key=lambda event: event.t)
        before += course.ends - course.begins
        moved += course.travel
    return found


def _rising(events: list[Event]) -> list[Event]:
    """Events of one pawl, in order, with t that never falls: floats of one t can differ in the last place."""
    tops = accumulate((event.t for event in events), max)
    return [replace(event, t=t) for event, t in zip(events, tops, strict=True)]


def _event(
    model: Fastener,
    courses: tuple[Course, ...],
    number: int,
    who: str,
    happening: Happening,
    before: float,
    moved: float,
) -> Event:
    point, course = happening.point, courses[number]
    since = point.t - course.begins
    kind = "root collision" if who == ROOT else happening.kind
    return Event(
        t=before + since,
        travel=moved + since * course.speed,
        at=(-point.t if course.back else point.t) + 0.0,  # 0, not -0
        kind=kind,
        pawl=who,
        angle=angle_of(point),
        contacts=contacts(model, course.paths[who].scene, who, point, happening.contacts),
        exact=exact_text(elapsed(courses, number, point.time)),
        at_exact=exact_text(path_time(point, course)),
    )


def path_time(point: Any, course: Course) -> Any:
    """The leg's own t of a point: on the way back it is the negative of the sweep's."""
    time = point.time
    return course.paths[next(iter(course.paths))].scene.arithmetic.negated(time) if course.back else time


def angle_of(point: Any) -> float:
    """A point's angle in radians, turns included."""
    return point.turn * math.pi + 2 * math.atan(point.angle)
