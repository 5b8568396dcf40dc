"""A batch: tasks done in processes here or on a cluster, each kept as it comes, gone on with later.

The same task gives the same result wherever it is done: a process has one thread for arithmetic, whatever the
number of processes.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from pliant.batch.crew import MOST, Crew, LateError, LostError, results_of
from pliant.batch.journal import Journal
from pliant.core.progress import Progress, silent

Work = Callable[[str, Progress], Mapping[str, Any] | None]  # None: stopped

ONE_THREAD = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "PLIANT_THREADS")


def run_batch(
    work: Work,
    tasks: Sequence[str],
    *,
    journal: Journal | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    limit_s: float | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """What comes of each task, in the order of the tasks; those that a stop left undone are not there.

    Args:
        work: a function of a module, from a task (text) and a Progress to plain data.
        tasks: texts, each one once.
        journal: keeps each result as it comes; tasks that it has are not done again.
        jobs: processes at a time (default: one a core, up to 8).
        cluster: the address of a Dask scheduler, or "local", in place of processes here.
        limit_s: seconds after which a task is given up: {"lost": why, "late": True}.
        progress: called as the work goes on.

    """
    with open_batch(work, journal=journal, jobs=jobs, cluster=cluster, limit_s=limit_s) as run:
        return run(tasks, progress)


RunTasks = Callable[[Sequence[str], Progress], dict[str, Any]]
Doer = Callable[[Sequence[str], Progress], Iterator[tuple[str, Any]]]


@contextmanager
def open_batch(
    work: Work,
    *,
    journal: Journal | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    limit_s: float | None = None,
) -> Generator[RunTasks]:
    """What `run_batch` does, time and again in the same processes: for searches, whose tasks come in rounds.

    Nothing is started before a task needs it.
    """
    from pliant.core.threads import cores

    jobs = jobs or min(cores(), MOST)
    with ExitStack() as stack:
        stack.enter_context(_one_thread())
        do = _cluster_doer(work, cluster, jobs, limit_s, stack) if cluster else None
        do = do or _crew_doer(work, jobs, limit_s or math.inf, stack)

        def run(tasks: Sequence[str], progress: Progress) -> dict[str, Any]:
            done = journal.done(tasks) if journal else {}
            left = [task for task in tasks if task not in done]
            try:
                for task, result in do(left, progress) if left else ():
                    if result is None:  # stopped before it was done
                        continue
                    done[task] = _plain(result)
                    if journal:
                        journal.keep(task, done[task])
            except KeyboardInterrupt:
                pass  # what is done is kept, and who asked knows from what is not there
            return {task: done[task] for task in tasks if task in done}

        yield run


def _crew_doer(work: Work, jobs: int, limit_s: float, stack: ExitStack) -> Doer:
    crews: list[Crew] = []

    def do(tasks: Sequence[str], progress: Progress) -> Iterator[tuple[str, Any]]:
        if crews:
            crews[0].give(tasks)
        else:
            crews.append(stack.enter_context(Crew(work, tasks, jobs, limit_s)))
        yield from results_of(crews[0], progress, lambda now: f"{len(now)} at a time")

    return do


def _cluster_doer(work: Work, address: str, jobs: int, limit_s: float | None, stack: ExitStack) -> Doer:
    clients: list[Any] = []

    def do(tasks: Sequence[str], progress: Progress) -> Iterator[tuple[str, Any]]:
        from pliant.batch.cluster import dask_client, run_on_cluster

        if not clients:
            clients.append(stack.enter_context(dask_client(address, jobs)))
        yield from run_on_cluster(clients[0], work, tasks, limit_s, progress)

    return do


def _plain(result: Any) -> Mapping[str, Any]:
    if isinstance(result, LostError):
        return {"lost": str(result), "late": isinstance(result, LateError)}
    return result


@contextmanager
def _one_thread() -> Generator[None]:
    """Processes begun in here have one thread for arithmetic: the same sums in the same order."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
