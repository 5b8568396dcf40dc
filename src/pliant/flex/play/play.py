"""How loose every part is, and which joints make it so.

Source: [Lensgraf2020] eq. 11 at the drawn pose; sections VI-A and VIII ask for such answers.
Differs: the paper has one objective at a time; here all of them share the polytope.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.core.loops import run_loops
from pliant.core.pose import carry
from pliant.core.progress import Interrupted, Progress, silent
from pliant.flex.contact.overlap import measure_overlaps, near_pairs
from pliant.flex.diagnosis.as_drawn import findings_as_drawn
from pliant.flex.diagnosis.contact_forces import contact_shares
from pliant.flex.lp.program import Solution
from pliant.flex.model import Assembly, PlayStudy, Term, held_bodies
from pliant.flex.play.along_curve import STOPPED_BY_HAND, curve_play
from pliant.flex.play.ellipsoid import Ellipsoid, flexibility_ellipsoid
from pliant.flex.play.polytope import LocalPolytope, UnsolvedError
from pliant.flex.play.result import BodyPlay, CurvePlay, PlayedEnd, PlayResult, PointPlay
from pliant.flex.play.stack_up import Contribution, StackUp, joint_parts, stack_up
from pliant.flex.problem.system import compile_system
from pliant.flex.solve import solve
from pliant.flex.status import FlexStatus, PlayStatus
from pliant.flex.stepping.step import configuration_at

AXES = np.vstack([np.eye(3), -np.eye(3)])  # travel along x and y, turn; and backward
AS_DRAWN = {FlexStatus.OVERLAPPING: PlayStatus.OVERLAPPING, FlexStatus.VIOLATED: PlayStatus.VIOLATED}


def play(model: Assembly, study: PlayStudy | None = None, progress: Progress = silent) -> PlayResult:
    """The play of every moving body, or of the one that is asked about with its stack-up."""
    study = study or model.study.for_command("play")
    names = _measured_names(model, study)
    with run_loops("flex", inf, progress):
        polytope = _polytope(model, names[0])
        parts, poses = polytope.system.parts, polytope.here.poses
        wrong = findings_as_drawn(
            model, polytope.system, measure_overlaps(parts, poses, near_pairs(parts, poses))
        )
        if wrong is not None:
            return _result(model, study, polytope, AS_DRAWN[wrong[0]])
        if study.drive is not None:
            return _driven(model, study, polytope, progress)
        bodies: list[BodyPlay] = []
        point = None
        try:
            for body in _body_plays(polytope, list(names)):
                bodies.append(body)
                progress(len(bodies), len(names), body.name)
            if study.body is not None:
                point = _point_play(model, polytope, study, progress)
        except KeyboardInterrupt:
            stopped = _result(model, study, polytope, PlayStatus.INTERRUPTED, tuple(bodies))
            raise Interrupted(stopped) from None
        except UnsolvedError as error:
            return _result(model, study, polytope, PlayStatus.SOLVER_FAILED, tuple(bodies), note=str(error))
        status = PlayStatus.FREE if any(body.free for body in bodies) else PlayStatus.BOUNDED
        return _result(model, study, polytope, status, tuple(bodies), point)


def _driven(model: Assembly, study: PlayStudy, polytope: LocalPolytope, progress: Progress) -> PlayResult:
    """The play of a point at each angle of a drive."""
    try:
        curve = curve_play(model, polytope.system, study, progress)
    except UnsolvedError as error:
        return _result(model, study, polytope, PlayStatus.SOLVER_FAILED, note=str(error))
    bounded = np.isfinite(curve.widths).all()
    status = PlayStatus.BOUNDED if bounded else PlayStatus.FREE
    if curve.stopped is None:
        return _result(model, study, polytope, status, curve=curve)
    if curve.stopped[1] == STOPPED_BY_HAND:
        stopped = _result(model, study, polytope, PlayStatus.INTERRUPTED, curve=curve)
        raise Interrupted(stopped)
    return _result(model, study, polytope, PlayStatus.STOPPED, note=curve.stopped[1], curve=curve)


def _measured_names(model: Assembly, study: PlayStudy) -> list[str]:
    """The bodies to be measured: the one asked about, or all that move."""
    held, _ = held_bodies(model)
    names = [body.name for body in model.bodies if body.name not in held and study.body in (None, body.name)]
    if not names:
        raise InputError([Fault("bodies", "nothing moves: every body is held", "Let one of them move")])
    return names


def _polytope(model: Assembly, moving: str) -> LocalPolytope:
    """The local polytope as drawn; the system's own objective, of which nothing depends, moves a body."""
    common = model.study.for_command("flex")
    term = Term(body=moving, spin=1.0)
    system = compile_system(model, common.model_copy(update={"maximize": (term,)}))
    return LocalPolytope(system, configuration_at(system, system.parts.drawn, system.reach, None))


def _body_plays(polytope: LocalPolytope, names: list[str]) -> Iterator[BodyPlay]:
    """The ranges of each body's centroid and turn, as they come."""
    parts = polytope.system.parts
    costs = [
        polytope.cost(name, parts.members.centre[parts.member(name)], axis) for name in names for axis in AXES
    ]
    ends: list[float] = []
    for cost, solution in zip(costs, polytope.extents(costs), strict=True):
        ends.append(inf if polytope.is_free(solution, cost) else max(solution.objective, 0.0))
        if len(ends) == len(AXES):
            x, y, spin, left, down, back = ends
            yield BodyPlay(names.pop(0), (-left, x), (-down, y), (-back, spin))
            ends = []


def _point_play(model: Assembly, polytope: LocalPolytope, study: PlayStudy, progress: Progress) -> PointPlay:
    """The play of the point asked about: its outline, and one direction, as a stack-up and played."""
    parts, name = polytope.system.parts, study.body or ""
    body = parts.index(name)
    point = (
        parts.members.centre[parts.member(name)] if study.point is None else parts.local(name, study.point)
    )
    outline = _outline(polytope, name, point, study.directions)
    direction = None if study.spin else _unit(study.direction or _longest(outline))
    weights = np.array([0.0, 0.0, 1.0]) if direction is None else np.array([*direction, 0.0])
    costs = [polytope.cost(name, point, sign * weights) for sign in (-1.0, 1.0)]
    back, ahead = polytope.extremes(costs)
    free = [polytope.is_free(end, cost) for end, cost in zip((back, ahead), costs, strict=True)]
    at = carry(polytope.here.poses[body], point)
    return PointPlay(
        body=name,
        at=(float(at[0]), float(at[1])),
        direction=direction,
        linear=(-inf if free[0] else -back.objective, inf if free[1] else ahead.objective),
        played=_played(model, name, study.point, direction, progress),
        outline=outline,
        stack_up=None if any(free) else _stack_up(polytope, (back, ahead), costs, study),
        ellipsoid=_ellipsoid(polytope, name, point),
    )


def _outline(polytope: LocalPolytope, name: str, point: Floats, directions: int) -> Floats:
    """Where a point gets to first order in so many directions, (K, 2); NaN where nothing bounds it."""
    angle = 2 * np.pi * np.arange(directions) / directions
    forces = np.stack([np.cos(angle), np.sin(angle), np.zeros(directions)], axis=1)
    costs = [polytope.cost(name, point, force) for force in forces]
    ends = zip(costs, polytope.extremes(costs), strict=True)
    return np.array([
        np.full(2, np.nan) if polytope.is_free(solution, cost) else polytope.travel(name, point, solution)[:2]
        for cost, solution in ends
    ])  # fmt: skip


def _longest(outline: Floats) -> tuple[float, float]:
    """The direction of the widest play of an outline; along x where nothing bounds it."""
    if not np.isfinite(outline).all():
        return (1.0, 0.0)
    apart = outline[:, None] - outline[None]
    first, second = np.unravel_index(np.argmax(np.hypot(apart[..., 0], apart[..., 1])), apart.shape[:2])
    x, y = apart[max(first, second), min(first, second)]
    return (float(x), float(y)) if np.hypot(x, y) > 0 else (1.0, 0.0)


def _unit(direction: tuple[float, float]) -> tuple[float, float]:
    x, y = np.array(direction) / np.hypot(*direction)
    return float(x), float(y)


def _stack_up(
    polytope: LocalPolytope, ends: tuple[Solution, Solution], costs: list[Floats], study: PlayStudy
) -> StackUp:
    """Each joint's part in the play backward and forward, added up."""
    backward, forward = (
        _contributions(polytope, solution, cost, study.ranges)
        for solution, cost in zip(ends, costs, strict=True)
    )
    return stack_up(joint_parts(forward, backward), study.draws, study.seed)


def _contributions(
    polytope: LocalPolytope, solution: Solution, cost: Floats, ranges: bool
) -> dict[str, Contribution]:
    """What each joint contributes to an extent, by its name."""
    system, here = polytope.system, polytope.here
    rows, program = system.rows(here.contacts.rows), polytope.with_cost(cost)
    shares = contact_shares(system, rows, here.poses, program, solution, ranges)
    return {
        share.name: Contribution(share.bodies, share.share * solution.objective, share.share_range)
        for share in shares
    }


def _ellipsoid(polytope: LocalPolytope, name: str, point: Floats) -> Ellipsoid | None:
    """The flexibility ellipsoid of a body about a point; None where nothing bounds the body."""
    parts = polytope.system.parts
    arm = float(parts.radius[parts.index(name)])
    weights = np.array([1.0, 1.0, arm])
    free = False

    def support(directions: Floats) -> Floats:
        nonlocal free
        costs = [polytope.cost(name, point, direction * weights) for direction in directions]
        ends = list(polytope.extremes(costs))
        free = free or any(map(polytope.is_free, ends, costs))
        return np.array([polytope.travel(name, point, end) * weights for end in ends])

    ellipsoid = flexibility_ellipsoid(support, arm)
    return None if free else ellipsoid


def _played(
    model: Assembly,
    name: str,
    point: tuple[float, float] | None,
    direction: tuple[float, float] | None,
    progress: Progress,
) -> tuple[PlayedEnd, PlayedEnd]:
    """The body moved for real, backward and forward."""
    ends: list[PlayedEnd] = []
    for sign in (-1.0, 1.0):
        if direction is None:
            term = Term(body=name, spin=sign)
        else:
            term = Term(body=name, point=point, direction=(sign * direction[0], sign * direction[1]))
        study = model.study.for_command("flex").model_copy(update={"maximize": (term,), "restarts": 0})
        result = solve(model, study, progress)
        ends.append(PlayedEnd(result.objective, result.status))
    return ends[0], ends[1]


def _result(
    model: Assembly,
    study: PlayStudy,
    polytope: LocalPolytope,
    status: PlayStatus,
    bodies: tuple[BodyPlay, ...] = (),
    point: PointPlay | None = None,
    note: str = "",
    curve: CurvePlay | None = None,
) -> PlayResult:
    system = polytope.system
    rows, columns = polytope.program.shape
    return PlayResult(
        status=status,
        model=model,
        study=study,
        bodies=bodies,
        point=point,
        gap=system.gap,
        rows=rows,
        columns=columns,
        shapes=system.parts.members.shapes,
        shape_of=system.parts.members.shape_of,
        seconds=dict(system.clock.seconds),
        note=note,
        curve=curve,
    )
