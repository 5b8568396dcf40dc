"""Restarts: ascend again from random poses that the parts can get to, and compare the ends.

Where parts have play to rattle in there is more than one end, and which one an ascent finds
depends on where it starts. Each restart is a motion from the drawn pose like any other.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import IO

import numpy as np

from pliant.core.errors import PliantError
from pliant.core.loops import run_loops
from pliant.core.processes import start_python
from pliant.core.progress import Interrupted, Progress, silent
from pliant.core.threads import threads
from pliant.flex.model import Assembly, FlexStudy
from pliant.flex.problem.system import System, compile_system
from pliant.flex.result import FlexResult, Restarts
from pliant.flex.stepping.ascent import ascend
from pliant.flex.stepping.perturbation import push_aside
from pliant.flex.stepping.pushes import random_push
from pliant.flex.stepping.step import configuration_at
from pliant.flex.stepping.trajectory import Trajectory

PUSHES, STEPS = 3, 3  # one after the other, and of each, by which parts get to where a restart begins
SLOW = 1.0  # s that the first ascent took, from which on restarts have processes of their own


def best_of_restarts(model: Assembly, system: System, first: FlexResult, progress: Progress) -> FlexResult:
    """The best of a result and its restarts, and how many ends agree with it."""
    if not first.status.at_rest:
        return first
    best, ends = first, [first.objective]
    try:
        for done, result in enumerate(_restart_results(model, system, first)):
            progress(done + 1, system.study.restarts, f"restarts, objective {best.objective:.6g}")
            if not (result.status.at_rest or result.status.endless):
                continue
            ends.append(result.objective)
            if result.status.endless or result.objective > best.objective:
                best = result
            if best.status.endless:
                break
    except KeyboardInterrupt:
        raise Interrupted(_with_first_estimate(first, best, ends)) from None
    return _with_first_estimate(first, best, ends)


def _with_first_estimate(first: FlexResult, best: FlexResult, ends: list[float]) -> FlexResult:
    """What is said of the drawn pose is said by the first ascent."""
    said = {name: getattr(first, name) for name in ("linear", "contacts", "rows", "columns")}
    return replace(best, **said, restarts=Restarts(tuple(ends)))


def _restart_results(model: Assembly, system: System, first: FlexResult) -> Iterator[FlexResult]:
    """Restart after restart, as they are done; large ones side by side."""
    seeds = range(1, system.study.restarts + 1)
    if sum(first.seconds.values()) < SLOW or threads() == 1:
        yield from (_restart(model, system, seed) for seed in seeds)
        return
    workers: list[_Worker] = []
    try:
        for place in range(threads()):
            workers.append(_Worker())
            workers[-1].begin(model, system.study, seeds[place :: threads()])
        for seed in seeds:
            yield workers[(seed - 1) % threads()].result()
    finally:
        for worker in workers:
            worker.end()


class _Worker:
    """A process that does some of the restarts, and never runs the script that called pliant again."""

    def __init__(self) -> None:
        self.process = start_python("from pliant.flex.stepping.restarts import run_worker; run_worker()")

    def begin(self, model: Assembly, study: FlexStudy, seeds: range) -> None:
        """Have it do the restarts of these seeds."""
        # Where it has ended, whoever asks for a result is told.
        with suppress(BrokenPipeError), self._pipe(self.process.stdin) as asked:
            pickle.dump((model, study, seeds), asked)

    def result(self) -> FlexResult:
        """The next result, once it is there."""
        try:
            return pickle.load(self._pipe(self.process.stdout))
        except (EOFError, pickle.UnpicklingError):
            raise PliantError("a process that did restarts has ended before its time") from None

    def end(self) -> None:
        """Stop the process, whatever it is doing."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(BrokenPipeError):  # what was not yet sent
                self._pipe(pipe).close()

    @staticmethod
    def _pipe(end: IO[bytes] | None) -> IO[bytes]:
        if end is None:
            raise PliantError("a process that does restarts has no pipe")
        return end


def run_worker() -> None:
    """What a worker's process does: restart after restart, each handed over when it is done."""
    model, study, seeds = pickle.load(sys.stdin.buffer)
    with run_loops("flex", inf, silent):
        system = compile_system(model, study)
        for seed in seeds:
            pickle.dump(_restart(model, system, seed), sys.stdout.buffer)
            sys.stdout.buffer.flush()


def _restart(model: Assembly, system: System, seed: int) -> FlexResult:
    """One ascent from a random pose that the parts can get to."""
    chance = np.random.default_rng(seed)
    trajectory = Trajectory(model, system, configuration_at(system, system.parts.drawn, system.reach, None))
    for _ in range(PUSHES):
        aside = push_aside(system, trajectory, random_push(system, chance), 0.0, STEPS, far=True)
        back = Trajectory(model, system, configuration_at(system, aside.here.poses, system.reach, None))
        trajectory.extend(aside, back)
    start = trajectory.steps
    ending = ascend(system, trajectory, start + system.study.steps)
    return trajectory.result(ending, ranges=False)
