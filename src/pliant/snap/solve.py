"""Snap: how a fastener goes in, whether and where it snaps, jams or sticks, and what force it takes.

    for each leg of the plan:
        sweep every pawl, and the root, for itself       (sweep: from event to event)
        the first that cannot go on ends the leg
    forces along what was swept                          (force)
    the same backwards, if asked for

Source: [DonaldPai1993] sec. 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from pliant.core.clock import Clock
from pliant.core.loops import run_loops
from pliant.core.progress import Interrupted, Progress, silent
from pliant.snap.arithmetic.exact import ExactArithmetic
from pliant.snap.arithmetic.floating import FloatArithmetic
from pliant.snap.arithmetic.protocol import Arithmetic, sweep_arithmetic
from pliant.snap.force.snap_trajectory import SnapTrajectory, trajectory
from pliant.snap.geometry.pawl_scene import UnitedObstacles
from pliant.snap.model import Fastener, Obstacle, Pawl, SnapStudy
from pliant.snap.questions.design_search import search
from pliant.snap.questions.diode.classification import classify_diode
from pliant.snap.questions.interference import interferences
from pliant.snap.questions.knife_edge import (
    Trajectories,
    all_corner_meetings,
    floats_doubtful,
    knife_edge,
    same_outcome,
)
from pliant.snap.questions.stability import margins
from pliant.snap.questions.uncertainty import outcomes
from pliant.snap.result import SnapResult
from pliant.snap.springs.spring import springs_of
from pliant.snap.start.checks import check_solvable
from pliant.snap.start.remarks import remarks
from pliant.snap.sweep.plan import Course, travel_back, travel_in, united_obstacles


def solve(model: Fastener, study: SnapStudy | None = None, progress: Progress = silent) -> SnapResult:
    """The way of a fastener along its plan, and back if the study asks for it."""
    study = study or model.study
    with run_loops("snap", _seconds_as_python(model, study), progress):
        return _solve(model, study, progress)


def _seconds_as_python(model: Fastener, study: SnapStudy) -> float:
    """How long a run takes without compiled loops, about: by the gallery, within a factor of three."""

    def vertices(parts: Sequence[Pawl | Obstacle]) -> int:
        return sum(len(part.outline or model.shapes[part.shape or ""]) for part in parts)

    pairs = vertices(model.pawls) * vertices(model.obstacles)
    sweeps = 2 + (study.directions / 12 if study.classify else 0)
    sweeps += 20 * (study.uncertain + study.stability) + 200 * study.search
    return 3e-3 * pairs * sweeps


def check(model: Fastener) -> None:
    """Refuse what `solve` refuses of a model with its own study."""
    check_solvable(model, model.study)


def _solve(model: Fastener, study: SnapStudy, progress: Progress) -> SnapResult:
    clock = Clock()
    exactly, by_floats = sweep_arithmetic(ExactArithmetic()), sweep_arithmetic(FloatArithmetic())
    arithmetic = exactly if study.arithmetic == "exact" else by_floats
    with clock.phase("check"):
        check_solvable(model, study)
    progress(0, 4, "moving")
    with clock.phase("build"):
        fixed = united_obstacles(model)

    with clock.phase("move"):
        ways = _trajectories(model, study, arithmetic, fixed)
        met = all_corner_meetings(model, ways)
        if study.arithmetic == "float" and floats_doubtful(ways, met):
            exact = _trajectories(model, study, exactly, fixed)
            if not same_outcome(model, ways, exact):
                arithmetic, ways, met = exactly, exact, all_corner_meetings(model, exact)
    result, answers = SnapResult(model, study, fixed, *ways, (), clock.seconds), dict[str, Any]()
    with clock.phase("answers"):
        try:
            progress(2, 4, "looking aside")
            edge = knife_edge(model, ways, met, lambda moved: _trajectories(moved, study, exactly, fixed))
            if edge is not None:
                arithmetic, ways = exactly, (edge.sides[0].way_in, edge.sides[0].way_back)
                result = SnapResult(model, study, fixed, *ways, (), clock.seconds, knife_edge=edge)
            for key, answer in _answers(model, study, arithmetic, fixed, result.way_in, progress):
                answers[key] = answer
            courses = [course for trajectory in result.ways for course in trajectory.courses]
            said = (*remarks(model), *interferences(model, courses))
        except KeyboardInterrupt:
            raise Interrupted(_so_far(result, answers)) from None
    return replace(result, remarks=said, **answers)


STOPPED = "Stopped before all that was asked for was answered."
ANSWERS = {"classify": "diode", "uncertain": "outcomes", "stability": "margins", "search": "design"}


def _so_far(result: SnapResult, answers: dict[str, Any]) -> SnapResult:
    """The ways, and the answers until a stop; what was not answered counts as not asked for."""
    left = {asked: False for asked, answer in ANSWERS.items() if answer not in answers}
    study = result.study.model_copy(update=left)
    return replace(result, study=study, remarks=(*remarks(result.model), STOPPED), **answers)


def _trajectories(
    model: Fastener, study: SnapStudy, arithmetic: Arithmetic, fixed: UnitedObstacles
) -> Trajectories:
    """In and, where it is asked for, back."""
    springs = springs_of(model)
    there = travel_in(model, arithmetic, fixed)
    free = travel_in(model, arithmetic, fixed, Fraction(0)) if _is_locked(there) else there
    way_in = trajectory(model, study, springs, there, free)
    if not study.reverse:
        return way_in, None
    again = travel_back(model, arithmetic, fixed, way_in.courses)
    free = travel_back(model, arithmetic, fixed, way_in.courses, Fraction(0)) if _is_locked(again) else again
    return way_in, trajectory(model, study, springs, again, free)


def _answers(
    model: Fastener, study: SnapStudy, arithmetic: Arithmetic, fixed: UnitedObstacles,
    trajectory: SnapTrajectory, progress: Progress,
) -> Iterator[tuple[str, Any]]:  # fmt: skip
    """What else the study asks for, one answer after the other."""
    if study.classify:
        springs = springs_of(model)
        yield (
            "diode",
            classify_diode(
                model, study, arithmetic, fixed, springs, trajectory.last, trajectory.peak, progress
            ),
        )
    if study.uncertain:
        yield "outcomes", outcomes(model, study, arithmetic, fixed, progress)
    if study.stability:
        yield "margins", margins(model, arithmetic, progress)
    if study.search and study.goal is not None:
        yield "design", search(model, study.goal, progress)


def _is_locked(courses: tuple[Course, ...]) -> bool:
    """Whether friction ended a path."""
    return any(path.cause == "lock" for course in courses for path in course.paths.values())
