"""Snap: how a fastener goes in, whether and where it snaps, jams or sticks, and what force it takes.

    for each leg of the plan:
        sweep every pawl, and the root, for itself       (sweep.py: from event to event)
        the first that cannot go on ends the leg
    forces along what was swept                          (forces.py)
    the same backwards, if asked for

Source: [DonaldPai1993] sec. 9.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pliant.core.clock import Clock
from pliant.core.loops import running
from pliant.core.progress import Progress, silent
from pliant.snap.arithmetic.exact import Exactly
from pliant.snap.arithmetic.floating import Floating
from pliant.snap.arithmetic.protocol import Arithmetic
from pliant.snap.force.trajectory import Way, trajectory
from pliant.snap.geometry.scene import Obstacles
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.questions.diode.classification import classify
from pliant.snap.questions.interference import clashes
from pliant.snap.questions.knife_edge import Ways, knife_edge, met_on, same, unsure
from pliant.snap.questions.search import search
from pliant.snap.questions.stability import margins
from pliant.snap.questions.uncertainty import outcomes
from pliant.snap.result import SnapResult
from pliant.snap.springs.spring import springs_of
from pliant.snap.start.checks import check_asked
from pliant.snap.start.remarks import remarks
from pliant.snap.sweep.plan import Course, around, back, travel
from pliant.snap.warm import LOOPS, seconds_as_python


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
    way_in = trajectory(model, study, springs, there, free)
    if not study.reverse:
        return way_in, None
    again = back(model, arithmetic, fixed, way_in.courses)
    free = back(model, arithmetic, fixed, way_in.courses, Fraction(0)) if _locked(again) else again
    return way_in, trajectory(model, study, springs, again, free)


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


def _locked(courses: tuple[Course, ...]) -> bool:
    """Whether friction ended a path."""
    return any(path.cause == "lock" for course in courses for path in course.paths.values())
