"""What a solve has done so far, gathered step by step and made into its result."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from pliant.core.pose import Floats
from pliant.flex.check import overlaps, path_overlap
from pliant.flex.forces import contacts_of, force_chain
from pliant.flex.model import Assembly
from pliant.flex.result import FlexResult, Frames
from pliant.flex.status import FlexStatus
from pliant.flex.step import Place, Promise, arc
from pliant.flex.system import System

FRAME_TURN = 0.08  # rad: between two frames of a step no body turns much more than this
IDLE = 2
SMALL = 200  # rows: up to here the ranges of the shares are found without being asked for


class Walk:
    """The frames, promises and checks of a solve under way."""

    def __init__(self, model: Assembly, system: System, start: Place) -> None:
        self.model = model
        self.system = system
        self.here = start
        self.steps = 0
        self.promises: list[Promise] = []
        self.frames: list[Floats] = [start.poses]
        self.accepted: list[int] = [0]
        self.overlaps: list[float] = [start.overlap]
        self.violations: list[float] = [start.violation]
        self.path = 0.0
        self.idle = 0  # steps in a row that were taken whole and gained next to nothing

    def go(self, found: Promise, there: Place, fraction: float) -> None:
        """Take a step: keep its frames, and check the way."""
        system, before = self.system, found.here.poses
        step = np.zeros_like(before)
        step[system.parts.free] = fraction * found.solution.step
        count = int(np.clip(np.ceil(np.abs(step[:, 2]).max() / FRAME_TURN), 1, 8))
        way = arc(before, step, there.poses, count)
        with system.clock.phase("check"):
            rows = system.rows(found.here.contacts.rows)
            places = [before, *way]
            self.path = max(
                self.path,
                *(path_overlap(rows, a, b, system.threshold) for a, b in pairwise(places)),
            )
        self.frames.extend(way)
        self.steps += 1
        gained = abs(there.value - self.here.value)
        little = gained <= 0.5 * system.tolerance * abs(there.value) + system.least
        self.idle = self.idle + 1 if little and fraction == 1.0 else 0
        self.here = there
        self.accepted.append(len(self.frames) - 1)
        self.overlaps.append(there.overlap)
        self.violations.append(there.violation)

    def settled(self, found: Promise) -> bool:
        """Whether what is promised, or what came of the last promises, is too little to go on for."""
        return (
            self.idle >= IDLE
            or abs(found.gain) <= self.system.tolerance * abs(self.here.value) + self.system.least
        )

    def has_gone(self) -> bool:
        """Whether a body has left the assembly, or turned right round."""
        moved = np.abs(self.here.poses - self.system.parts.drawn)
        far = np.hypot(moved[:, 0], moved[:, 1]).max() > 2 * self.system.parts.extent
        return bool(far or moved[:, 2].max() > 2 * np.pi)

    def end(self, status: FlexStatus, **findings: Any) -> FlexResult:
        """The result of what was done."""
        system = self.system
        with system.clock.phase("check"):
            self.overlaps[-1] = overlaps(system.parts, self.here.poses, self.here.contacts.near.pairs).worst
        first = self.promises[0] if self.promises else None
        last = self.promises[-1] if self.promises else None
        shape = first.program.shape if first else (len(self.here.contacts.rows), 3 * len(system.parts.free))
        with system.clock.phase("forces"):
            contacts = self._contacts(first) if first is not None and first.endless is None else ()
        chain = None
        if last is not None and last.endless is None:
            chain = force_chain(system.rows(last.here.contacts.rows), last.here.poses, last.solution)
        frames = Frames(
            poses=system.parts.user_poses(np.array(self.frames)),
            accepted=np.array(self.accepted),
            objective=np.array([system.objective.value(poses) for poses in self.frames]),
            overlap=np.array(self.overlaps),
            violation=np.array(self.violations),
        )
        return FlexResult(
            status=status,
            model=self.model,
            study=system.study,
            objective=self.here.value,
            linear=first.gain if first is not None and first.endless is None else None,
            left=last.gain if last is not None and last.endless is None else None,
            steps=self.steps,
            violation=self.here.violation,
            overlap=max(self.overlaps),
            path_overlap=self.path,
            gap=system.gap,
            threshold=system.threshold,
            rows=shape[0],
            columns=shape[1],
            contacts=contacts,
            chain=chain,
            frames=frames,
            shapes=system.parts.user_shapes(),
            shape_of=system.parts.shape_of,
            pin_error=system.joints.pin_error,
            solvers=tuple(dict.fromkeys(found.solution.solver for found in self.promises)),
            relaxed=max((found.relaxed for found in self.promises), default=0.0),
            seconds=dict(system.clock.seconds),
            **findings,
        )

    def _contacts(self, first: Promise) -> Any:
        system = self.system
        ranges = system.study.ranges or len(first.program.gaps) <= SMALL
        rows = system.rows(first.here.contacts.rows)
        return contacts_of(system, rows, first.here.poses, first.program, first.solution, ranges)
