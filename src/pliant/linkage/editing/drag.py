"""Drag: a joint of a linkage follows a pointer, event by event, and everything is anchored at the start.

An edit looks for the best linkage anew, with weights that it lowers until its targets are reached:
two neighbouring places may get two quite different ones. A drag minimises one sum throughout,

    ½W²|x_joint − pointer|² + ½Σ(soft keeps)² + ½ρ|z − z₀|²,   hard keeps and guards as in `edit`,

over the drawn positions z, with z₀ and the kept curves those of the start. Its minimum moves
smoothly with the pointer, and is followed from event to event: so a pointer that comes back brings
the linkage back. Each event starts from the last one's answer and its multipliers' active guards.

Guards can part one minimum from another: round a large circle the linkage may come back on the far
side of one. Where the pointer has been before and the linkage was another then, the better is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.core.loops import run_loops
from pliant.core.store import Json
from pliant.linkage.editing.edit import redraw
from pliant.linkage.editing.guards import openness_gradients
from pliant.linkage.editing.problem import (
    EditState,
    Problem,
    evaluate_state,
    groups_near_toggle,
    prepare,
    repair,
    runs_as_before,
    try_drawing,
)
from pliant.linkage.editing.quadratic_program import CandidateStep, resistances, solve_step
from pliant.linkage.editing.result import Resistance
from pliant.linkage.editing.terms import DrawnTerm, EditTerm, PositionTerm
from pliant.linkage.kinematics.poses import POSE_AS_PYTHON
from pliant.linkage.model import EditStudy, Linkage
from pliant.linkage.status import DragStatus

PULL = 1e3  # weight of the pointer beside the kept curves
ANCHOR = 1e-4  # ρ: weight of the change
INSIDE = 5e-4  # of c: how far inside the guards a step aims, so that what it neglects does not break one
WATCHED = 0.05  # rules within this of their bound take part in a step
SETTLED = 2e-7  # of the size: a step that is none
ACTS = 1e-4  # of the largest multiplier: a guard that holds
ARRIVED = 1e-4  # of the size: a joint that near is at the pointer
STEPS = 8  # of an event, at most
JUMP = 9.0  # times the pointer's step: how far an event may move a joint
LEAST = 1e-3  # of the size: a pointer's step is counted for no less
WIDEST = 0.2  # of the size: the longest step
ANOTHER = 3e-7  # of the size: drawings farther apart are not one
KNOWN = 500  # places of the pointer whose linkage is remembered


@dataclass(frozen=True)
class Dragged:
    """Where an event brought the linkage."""

    status: DragStatus  # how it ended
    place: tuple[float, float]  # of the pointer
    joints: dict[str, tuple[float, float]]  # where each is drawn now
    miss: float  # how far the joint is from the pointer
    held: tuple[Resistance, ...]  # what holds it back, the strongest first
    freed: tuple[Resistance, ...]  # the guards that kept it from a better linkage, which it went back to now
    settled: bool  # whether the linkage moves no more while the pointer stays
    farthest: float  # how far a joint of the drawing moved since the event before
    steps: int  # quadratic programs
    seconds: float  # of the answer

    @property
    def message(self) -> str:
        """The status as a sentence, with what stands in the way."""
        return str(self.status) + (f": {self.held[0]}" if self.held else "")

    def to_dict(self) -> dict[str, Json]:
        """As JSON has it.

        Returns:
            Plain lists and numbers.
        """
        return {
            "status": self.status.name.lower(),
            "message": self.message,
            "place": list(self.place),
            "joints": {name: list(at) for name, at in self.joints.items()},
            "miss": self.miss,
            "held": [vars(resistance).copy() for resistance in self.held],
            "freed": [vars(resistance).copy() for resistance in self.freed],
            "settled": self.settled,
            "farthest": self.farthest,
            "steps": self.steps,
            "seconds": self.seconds,
        }


class Drag:
    """A drag of one joint, from where it is at a motor angle. `to` moves the pointer.

    What is dragged stays as it was at the start wherever the study's keeps and the least change
    allow it, and no guard is broken at any of its samples. Where the pointer has come back, so has
    the linkage, whatever the way.
    """

    def __init__(self, model: Linkage, joint: str, study: EditStudy | None = None, at: float = 0.0) -> None:
        """Begin to drag a joint; `at` (rad) is the motor angle of the pose that the pointer takes hold of."""
        if joint not in model.joints:
            cure = f"One of: {', '.join(model.joints)}"
            raise InputError([Fault("joint", f"{joint!r} is no joint of the linkage", cure, (joint,))])
        move = {"joint": joint, "to": model.joints[joint], "at": at, "weight": PULL}
        study = EditStudy.model_validate({**(study or EditStudy()).model_dump(), "move": [move]})
        self.original, self.study, self.joint = model, study, joint
        with run_loops("linkage", 3 * POSE_AS_PYTHON * study.samples * len(model.joints)):
            prepared = prepare(model, study, study.samples)
        if prepared is None:
            problem = "the linkage runs through no one cycle (change points, or lost)"
            raise InputError([Fault("motors", problem, "Give the motor a range without change points")])
        self._problem, self._first = prepared
        self._state, self._pointer = self._first, np.array(self.start)
        self._curvature = np.zeros((self._first.drawn.size,) * 2)
        self._visited = [(self._pointer, self._first.sampled)]  # where the pointer was, and the linkage there

    @property
    def start(self) -> tuple[float, float]:
        """Where the pointer takes hold of the joint: the linkage is as drawn while it is there."""
        term = self._problem.terms[0]
        drawn = isinstance(term, DrawnTerm)
        here = self._first.drawn[term.joint] if drawn else self._dragged_position(self._first)
        return float(here[0]), float(here[1])

    @property
    def model(self) -> Linkage:
        """The linkage as it is drawn now."""
        return redraw(self.original, self._state)

    def runs(self) -> bool:
        """Whether the linkage as it is drawn now runs as far as the original did, between the samples too.

        Returns:
            True where it does.
        """
        return runs_as_before(self._problem, self.model)

    def to(self, place: Sequence[float]) -> Dragged:
        """Move the pointer to a place (x, y), and the linkage after it.

        Args:
            place: x and y of the pointer, in the model's unit.

        Returns:
            Where the linkage is now, and what stands in the way.

        Raises:
            InputError: the place is no pair of numbers.
        """
        begun = perf_counter()
        wanted = np.array(place, np.float64)
        if wanted.shape != (2,) or not np.isfinite(wanted).all():
            raise InputError([Fault("place", f"{place!r} is not two finite numbers", "Give (x, y)")])
        before = self._state.drawn
        least = LEAST * self._problem.size  # so that it settles while the pointer rests
        stride = max(float(np.hypot(*(wanted - self._pointer))), least)
        self._pointer = wanted
        self._problem = replace(
            self._problem, terms=[_aim(self._problem.terms[0], wanted), *self._problem.terms[1:]]
        )
        self._state = evaluate_state(self._problem, self._state.sampled)
        last, steps = self._follow(JUMP * stride)
        last, steps, freed = self._return_to_known(stride, before, last, steps)
        if steps < STEPS:
            self._visited = [self._visited[0], *self._visited[1:][1 - KNOWN :], (wanted, self._state.sampled)]
        return self._event_result(wanted, before, last, steps, freed, perf_counter() - begun)

    def _return_to_known(
        self, stride: float, before: Floats, last: CandidateStep, steps: int
    ) -> tuple[CandidateStep, int, tuple[Resistance, ...]]:
        """The steps to the linkage that was here before, where that is better; else those that were taken.

        With them the guards between the two, which let the joints move farther than else at an event.
        """
        here, curvature, problem = self._state, self._curvature, self._problem
        away = np.hypot(*(np.array([pointer for pointer, _ in self._visited]) - self._pointer).T)
        which = int(np.argmin(away))
        distance = float(np.hypot(*(self._visited[which][1].drawn - here.drawn).T).max())
        if away[which] > stride / 2 or distance <= JUMP * float(away[which]) + ANOTHER * problem.size:
            return last, steps, ()
        freed = tuple(resistance for resistance in self._resistances(last) if resistance.kind == "guard")
        self._state = evaluate_state(problem, self._visited[which][1])
        self._curvature = np.zeros_like(curvature)
        again, more = self._follow(np.inf)
        moved = float(np.hypot(*(self._state.drawn - before).T).max())
        if self._objective(self._state) < self._objective(here) and (freed or moved <= JUMP * stride):
            return again, more, freed
        self._state, self._curvature = here, curvature
        self._visited[1:] = [been for n, been in enumerate(self._visited) if n not in (0, which)]
        return last, steps, ()

    def _follow(self, most: float) -> tuple[CandidateStep, int]:
        """Steps downhill from the last event's answer, until none is left or a joint has moved by `most`."""
        problem, value, before = self._problem, self._objective(self._state), self._state.drawn
        radius = min(WIDEST, most / problem.size / 2)
        tried = self._candidate_step(radius)
        for count in range(STEPS):
            length = float(np.abs(tried.change).max(initial=0.0))
            if length <= SETTLED:
                return tried, count
            if np.hypot(*(self._state.drawn + problem.size * tried.change - before).T).max() > most:
                break
            drawn = problem.keeps.restore(self._state.drawn + problem.size * tried.change)
            moved = try_drawing(problem, self._state, drawn)
            if moved is None:
                moved = repair(problem, self._state, drawn, INSIDE / 2)
            gained = -np.inf if moved is None else value - self._objective(moved)
            if gained < 0.25 * tried.predicted_decrease:
                radius = length / (2 if gained > 0 else 4)
                self._curvature = np.zeros_like(self._curvature)  # that of elsewhere does not hold here
            elif gained > 0.75 * tried.predicted_decrease:
                radius = min(max(radius, 2 * length), WIDEST)
            if moved is not None:
                self._curvature = _updated_curvature(self._curvature, problem, self._state, moved, tried)
            if moved is not None and gained > 0:
                self._state, value = moved, value - gained
            elif tried.predicted_decrease <= 1e-14 * value:  # as near as floats go
                return tried, count
            tried = self._candidate_step(radius)
        self._curvature = np.zeros_like(self._curvature)  # what was learnt does not help
        return tried, STEPS

    def _candidate_step(self, radius: float) -> CandidateStep:
        return solve_step(
            self._problem,
            self._first,
            self._state,
            (ANCHOR, 1.0),
            radius,
            bend=self._curvature,
            inside=INSIDE,
            watched=WATCHED,
        )

    def _event_result(
        self,
        wanted: Floats,
        before: Floats,
        last: CandidateStep,
        steps: int,
        freed: tuple[Resistance, ...],
        seconds: float,
    ) -> Dragged:
        size, state = self._problem.size, self._state
        names = self._problem.plan.structure.names[: len(self.original.joints)]
        miss = float(state.misses[0])
        held: tuple[Resistance, ...] = ()
        if miss > ARRIVED * size:
            held = tuple(self._resistances(last))
        settled = steps < STEPS
        status = DragStatus.HELD if settled or held else DragStatus.SETTLING
        status = DragStatus.FOLLOWS if miss <= ARRIVED * size else status
        return Dragged(
            status=status,
            place=(float(wanted[0]), float(wanted[1])),
            joints={name: (float(x), float(y)) for name, (x, y) in zip(names, state.drawn, strict=False)},
            miss=miss,
            held=held,
            freed=freed,
            settled=settled,
            farthest=float(np.hypot(*(state.drawn - before).T).max()),
            steps=steps,
            seconds=seconds,
        )

    def _resistances(self, last: CandidateStep) -> Iterator[Resistance]:
        """What holds the linkage back as it is now: toggles of coupled groups, then what has a multiplier."""
        for joints, t in groups_near_toggle(self._problem, self._state):
            angle = float(self._problem.drive.angles(np.array([t]))[0, 0])
            yield Resistance("guard", f"{joints} would come too near to a toggle", 1.0, angle)
        yield from resistances(self._problem, self._state, last.multipliers)

    def _objective(self, state: EditState) -> float:
        change = ((state.drawn - self._first.drawn) / self._problem.size).ravel()[self._problem.keeps.free]
        return 0.5 * float(state.r @ state.r) + 0.5 * ANCHOR * float((change**2).sum())

    def _dragged_position(self, state: EditState) -> Floats:
        term = self._problem.terms[0]
        assert isinstance(term, PositionTerm)
        return state.view.poses.x[term.joint, :, state.view.count]


def _updated_curvature(
    curvature: Floats, problem: Problem, here: EditState, there: EditState, tried: CandidateStep
) -> Floats:
    """What curvature adds to the sum's Hessian, learnt from a step: symmetric, of rank one.

    Of the residuals, and of the guards and keeps that hold, each by its multiplier: with L the sum
    and what they bear, S s = ∇L(there) − ∇L(here) less what the linearised residuals explain.

    Source: textbook knowledge, a structured secant with the symmetric update of rank one.
    """
    size = problem.size
    s = ((there.drawn - here.drawn) / size).ravel()
    if len(there.r) != len(here.r):  # a guard's pull came in or went out
        return curvature
    bears = np.where(here.soft, there.r, here.r + here.slopes @ tried.change.ravel())
    left = (there.slopes - here.slopes).T @ bears - curvature @ s
    multipliers = tried.multipliers
    of_guards = multipliers.guards[: len(multipliers.pairs)]
    acts = np.flatnonzero(of_guards > ACTS * of_guards.max(initial=0.0))
    if len(acts):
        pairs = multipliers.pairs[acts]
        signs = np.sign(here.c[pairs[:, 0], pairs[:, 1]])
        turned = openness_gradients(there.view, there.c, pairs) - openness_gradients(here.view, here.c, pairs)
        left += size * (of_guards[acts] * signs) @ turned
    if len(multipliers.keeps):
        left += multipliers.keeps @ (problem.keeps.slopes(there.drawn) - problem.keeps.slopes(here.drawn))
    along = float(left @ s)
    if abs(along) <= 1e-8 * float(np.linalg.norm(left) * np.linalg.norm(s)):
        return curvature
    return curvature + np.outer(left, left) / along


def _aim(term: EditTerm, place: Floats) -> EditTerm:
    """The same move to another place."""
    if isinstance(term, DrawnTerm):
        return replace(term, place=place)
    assert isinstance(term, PositionTerm)
    return replace(term, places=place[None])
