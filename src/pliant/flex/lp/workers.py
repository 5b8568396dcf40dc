"""Many programs over one polytope in processes of their own: Python's lock is not shared between them.

Two threads of one process take 38 ms of each for a program that takes one alone 22 ms: between compiled
passes they wait for each other. A process takes a second to start, so that hundreds of programs are worth it.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import IO, Any

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.processes import start_python
from pliant.flex.lp.many import SharedProgram, maximize_all, share_program
from pliant.flex.lp.program import Program, Solution

SERVE = "from pliant.flex.lp.workers import serve_programs; serve_programs()"
ALONE = {"PLIANT_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
AT_ONCE = 6  # programs that a process is given at a time


def maximize_in_processes(
    shared: SharedProgram, program: Program, costs: Sequence[Floats], tolerance: float, processes: int
) -> Iterator[Solution]:
    """The solution for each cost, in order, without its forces; what a process cannot give is found here.

    `program` is what `shared` was made of.
    """
    jobs = [costs[start : start + AT_ONCE] for start in range(0, len(costs), AT_ONCE)]
    workers = [_start(program, tolerance) for _ in range(processes)]
    idle = list(workers)

    def ask(job: Sequence[Floats]) -> list[Solution] | None:
        worker = idle.pop()
        try:
            return _answers(worker, job) if worker is not None else None
        finally:
            idle.append(worker)

    pool = ThreadPoolExecutor(processes, thread_name_prefix="ask")
    try:
        for job, answers in zip(jobs, pool.map(ask, jobs), strict=True):
            yield from answers if answers is not None else maximize_all(shared, job, tolerance)
    finally:
        for worker in workers:
            if worker is not None:
                worker.kill()
                worker.wait()
        pool.shutdown(cancel_futures=True)


def _start(program: Program, tolerance: float) -> subprocess.Popen[bytes] | None:
    """A process that has the program; None where there can be none."""
    try:
        process = start_python(SERVE, **ALONE)  # what goes wrong there is done again here
    except OSError:
        return None
    try:
        _send(process.stdin, (program, tolerance))
    except OSError:
        process.kill()
        return None
    return process


def _answers(worker: subprocess.Popen[bytes], costs: Sequence[Floats]) -> list[Solution] | None:
    """What a process makes of costs; None where it is no more."""
    try:
        _send(worker.stdin, [(cost.shape, np.flatnonzero(cost), cost[cost != 0]) for cost in costs])
        return pickle.load(worker.stdout) if worker.stdout is not None else None
    except (OSError, EOFError, pickle.UnpicklingError, ValueError):
        return None


def _send(line: IO[bytes] | None, what: Any) -> None:
    if line is None:
        raise BrokenPipeError
    pickle.dump(what, line)
    line.flush()


def serve_programs() -> None:
    """Solve for the costs that stdin gives, and say on stdout what came of it, until there are no more."""
    out = os.dup(1)
    os.dup2(2, 1)  # what libraries print is no answer
    asked = sys.stdin.buffer
    program, tolerance = pickle.load(asked)
    shared = share_program(program)
    with os.fdopen(out, "wb") as answers:
        while True:
            try:
                told = pickle.load(asked)
            except EOFError:
                return
            costs: list[Floats] = []
            for shape, places, values in told:
                cost = np.zeros(shape)
                cost.ravel()[places] = values
                costs.append(cost)
            solutions = maximize_all(shared, costs, tolerance)
            _send(answers, [replace(one, forces=np.zeros(0)) for one in solutions])
