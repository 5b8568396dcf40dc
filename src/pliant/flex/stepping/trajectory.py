"""What a solve has done so far, gathered step by step and made into its result."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from pliant.core.arrays import Floats
from pliant.flex.contact.neighbours import NONE
from pliant.flex.contact.overlap import Overlaps, measure_overlaps, near_pairs
from pliant.flex.contact.selection import Selection
from pliant.flex.diagnosis.contact_forces import contact_shares, force_chain
from pliant.flex.diagnosis.reactions import Reaction, reactions
from pliant.flex.diagnosis.unbounded import Ending, Turning, bodies_turned_round, frame_up_to_turns
from pliant.flex.model import Assembly
from pliant.flex.problem.system import System
from pliant.flex.result import FlexResult, Frames
from pliant.flex.stepping.step import AcceptedStep, Configuration, LinearStep, configuration_at, sweep

IDLE = 2
FRUITLESS = 8
MANY = 100_000  # candidates for contact: more of them take longer than they help
FEW = 50  # pairs of neighbours, of which overlaps are measured sooner than a thread is told to
SHARED = 1000  # pairs from which on two threads measure half of them each, and place all bodies each
SMALL = 200  # rows: up to here the ranges of the shares are found without being asked for


Measured = Callable[[], float]  # the thickest overlap of a pose


def without_choices(contacts: Selection) -> Selection:
    """Contacts of which the neighbours are kept, while they hold, and no choice of an edge is."""
    nothing = np.full_like(contacts.edge, NONE)
    return replace(contacts, edge=nothing, both=np.ones_like(contacts.both))


class Trajectory:
    """The frames, linear steps and checks of a solve under way."""

    def __init__(
        self,
        model: Assembly,
        system: System,
        start: Configuration,
        looks_far: bool = True,
        overlap: Measured | None = None,  # of the start, where that is known
    ) -> None:
        self.model = model
        self.system = system
        self.here = start
        self.looks_far = looks_far
        self.steps = 0
        self.linear_steps: list[LinearStep] = []
        self.frames: list[Floats] = [start.poses]
        self.accepted: list[int] = [0]
        self.overlaps: list[Measured] = [overlap or (lambda: self.at_start.worst)]
        self.violations: list[float] = [start.violation]
        self.path = 0.0
        self.idle = 0  # steps in a row that were taken whole and gained next to nothing
        self.high = start.value  # the greatest objective so far
        self.fruitless = 0  # steps since then: what one gains, the next may lose in mending its overlap
        self.before = (start, 0.0, 1, self.high, 0)  # what `undo` goes back to

    @cached_property
    def at_start(self) -> Overlaps:
        """What overlaps where it begins."""
        parts, poses = self.system.parts, self.frames[0]
        with self.system.clock.phase("check"):
            return measure_overlaps(parts, poses, near_pairs(parts, poses))

    @cached_property
    def checker(self) -> ThreadPoolExecutor:
        """Where overlaps are measured beside the next program: GEOS works outside Python's lock."""
        return ThreadPoolExecutor(2)

    def is_overlapping(self) -> bool:
        """Whether the last pose overlaps by more than is allowed; it was measured meanwhile."""
        last = self.overlaps[-1]()
        before = self.overlaps[-2]() if self.steps else 0.0
        return self.steps > 0 and last > max(self.system.threshold, before)

    def undo(self) -> None:
        """Take the last step back."""
        self.here, self.path, frames, self.high, self.fruitless = self.before
        self.steps -= 1
        self.idle = 0
        del self.frames[frames:], self.accepted[-1], self.overlaps[-1], self.violations[-1]

    def append_step(self, moved: AcceptedStep) -> None:
        """Take a step and keep its frames."""
        system, there = self.system, moved.there
        assert moved.linear.here.poses is self.here.poses
        self.before = (self.here, self.path, len(self.frames), self.high, self.fruitless)
        self.path = max(self.path, moved.depth)
        self.frames.extend(moved.way)
        self.steps += 1
        gained = abs(there.value - self.here.value)
        little = gained <= 0.5 * system.tolerance * system.objective.size(there.poses) + system.least
        self.idle = self.idle + 1 if little and moved.fraction == 1.0 else 0
        self.here = there
        higher = there.value > self.high + self.enough
        self.high, self.fruitless = (there.value, 0) if higher else (self.high, self.fruitless + 1)
        self.accepted.append(len(self.frames) - 1)
        self.overlaps.append(self._measure_overlap(there))
        self.violations.append(there.violation)

    def cut_at_share(self, share: float) -> Trajectory:
        """The trajectory as far as a share of its way, by how far the body that moves most has gone."""
        frames = np.array(self.frames)
        legs = np.abs(np.diff(frames, axis=0) * (1.0, 1.0, self.system.parts.size / 2)).max(axis=(1, 2))
        gone = np.cumsum(legs)
        leg = int(np.searchsorted(gone, share * legs.sum()))
        if leg >= len(legs) or legs[leg] == 0:
            return self
        return self.cut_on_leg(leg, 1 - (gone[leg] - share * gone[-1]) / legs[leg])

    def cut_on_leg(self, leg: int, part: float) -> Trajectory:
        """The trajectory as far as a part of the way from a frame to the next, which has been found free."""
        poses = (1 - part) * self.frames[leg] + part * self.frames[leg + 1]
        there = configuration_at(self.system, poses, self.reach, without_choices(self.here.contacts))
        short = copy(self)
        kept = sum(frame <= leg for frame in self.accepted)
        short.here, short.steps = there, kept
        short.frames = [*self.frames[: leg + 1], poses]
        short.accepted = [*self.accepted[:kept], leg + 1]
        short.overlaps = [*self.overlaps[:kept], self._measure_overlap(there)]
        short.violations = [*self.violations[:kept], there.violation]
        return short

    @property
    def reach(self) -> float:
        """How far contacts were looked for in the end, but for a first look at all there is."""
        system = self.system
        return min(self.here.contacts.near.reach, max(system.reach, system.parts.size))

    def extend(self, *others: Trajectory) -> None:
        """Go on by walks that begin where this one ended, one after the other."""
        for other in others:
            self.path = max(self.path, other.path)
            self.accepted += [len(self.frames) - 1 + place for place in other.accepted[1:]]
            self.frames += other.frames[1:]
            self.overlaps += other.overlaps[1:]
            self.violations += other.violations[1:]
            self.steps += other.steps
            if other.system is self.system:
                self.here = other.here
                self.linear_steps += other.linear_steps
        self.idle = self.fruitless = 0
        self.high = self.here.value
        self.before = (self.here, self.path, len(self.frames), self.high, 0)

    def go_on_with(self, system: System) -> None:
        """Go on with the same system to another accuracy, as if nothing had been in vain."""
        self.system = system
        self.idle = self.fruitless = 0

    def widen_reach(self) -> bool:
        """Look for contacts further away before the first program is said to have no bound."""
        reach = self.here.contacts.near.reach
        many = self.here.contacts.near.count > MANY
        if not self.looks_far or self.steps > 0 or many or reach >= self.system.parts.extent:
            return False
        self.here = configuration_at(self.system, self.here.poses, 4 * reach, None)
        self.linear_steps.clear()
        return True

    def is_settled(self, linear: LinearStep) -> bool:
        """Whether what could be gained, or what came of the last steps, is too little to go on for."""
        vain = self.idle >= IDLE or self.fruitless >= FRUITLESS
        return linear.endless is None and (vain or abs(linear.gain) <= self.enough)

    def is_worth_taking(self, moved: AcceptedStep) -> bool:
        """Whether a step leads higher than any before; or else, whether the last ones came to something."""
        return moved.there.value > self.high + self.enough or self.fruitless < FRUITLESS

    @property
    def enough(self) -> float:
        """A gain that is worth a step."""
        system = self.system
        return system.tolerance * system.objective.size(self.here.poses) + system.least

    def turning(self) -> Turning | None:
        """Bodies that turn right round, by a way that closes on itself or has been gone twice; None: none."""
        system, poses = self.system, self.here.poses
        bodies = bodies_turned_round(system, poses)
        if not len(bodies):
            return None
        frame, again = frame_up_to_turns(np.array(self.frames), poses)
        value = system.objective.value
        if value(again) <= value(self.frames[frame]) + system.least:
            return None  # they turn, but it is not the turns that gain
        closes = self.here.contacts.near.reach_to(system.parts, again)
        if closes:
            met = sweep(system, self.here, poses, again[None])
            closes = not met.any and met.depth <= system.threshold
        turned = (poses - system.parts.drawn)[:, 2]
        if not closes and np.abs(turned).max() < 4 * np.pi:
            return None
        turns = (turned[body] for body in bodies for _ in system.parts.members_of[body])
        return Turning(system.parts.names_of(bodies), tuple(map(float, turns)), bool(closes))

    def result(self, ending: Ending, ranges: bool = True, **as_drawn: Any) -> FlexResult:
        """The result of what was done; without the ranges of the shares, it is there at once."""
        system = self.system
        with system.clock.phase("check"):
            if self.is_overlapping():
                self.undo()
            thickness = np.array([measured() for measured in self.overlaps])
            if "checker" in self.__dict__:
                self.checker.shutdown()
        first = self.linear_steps[0] if self.linear_steps else None
        last = self.linear_steps[-1] if self.linear_steps else None
        shape = first.program.shape if first else (len(self.here.contacts.rows), 3 * len(system.parts.free))
        with system.clock.phase("forces"):
            contacts = self._contacts(first, ranges) if first is not None and first.endless is None else ()
        chain = None
        if last is not None and last.endless is None:
            chain = force_chain(system.rows(last.here.contacts.rows), last.here.poses, last.solution)
        frames = Frames(
            poses=system.parts.member_poses(np.array(self.frames)),
            accepted=np.array(self.accepted),
            objective=np.array([system.objective.value(poses) for poses in self.frames]),
            overlap=thickness,
            violation=np.array(self.violations),
        )
        return FlexResult(
            status=ending.status,
            model=self.model,
            study=system.study,
            objective=self.here.value,
            linear=first.gain if first is not None and first.endless is None else None,
            left=last.gain if last is not None and last.endless is None else None,
            steps=self.steps,
            violation=self.here.violation,
            overlap=float(thickness.max()),
            path_overlap=max(self.path, float(thickness.max())),
            gap=system.gap,
            threshold=system.threshold,
            rows=shape[0],
            columns=shape[1],
            contacts=contacts,
            chain=chain,
            frames=frames,
            shapes=system.parts.members.shapes,
            shape_of=system.parts.members.shape_of,
            pin_error=system.joints.pin_error,
            solvers=tuple(dict.fromkeys(linear.solution.solver for linear in self.linear_steps)),
            relaxed=max((linear.relaxed for linear in self.linear_steps), default=0.0),
            seconds=dict(system.clock.seconds),
            leaving=ending.leaving,
            turning=ending.turning,
            note=ending.note,
            reactions=self._reactions() if system.study.loaded and ending.status.at_rest else (),
            **as_drawn,
        )

    def _measure_overlap(self, there: Configuration) -> Measured:
        """Have the overlaps of a place measured meanwhile, or of few pairs once they are asked for."""
        near, allowed = there.contacts.near, self.system.threshold
        pairs = near.pairs if near.most is None else near_pairs(self.system.parts, there.poses)
        if len(pairs) <= FEW:
            return cache(lambda: measure_overlaps(self.system.parts, there.poses, pairs, allowed).worst)
        shares = 1 + (len(pairs) > SHARED)
        measured = [
            self.checker.submit(
                measure_overlaps, self.system.parts, there.poses, pairs[share::shares], allowed
            )
            for share in range(shares)
        ]
        return lambda: max(each.result().worst for each in measured)

    def _reactions(self) -> tuple[Reaction, ...]:
        with self.system.clock.phase("forces"):
            return reactions(self.system, self.here.contacts.rows, self.here.poses)

    def _contacts(self, first: LinearStep, ranges: bool) -> Any:
        system = self.system
        ranges = ranges and (system.study.ranges or len(first.program.gaps) <= SMALL)
        rows = system.rows(first.here.contacts.rows)
        return contact_shares(system, rows, first.here.poses, first.program, first.solution, ranges)
