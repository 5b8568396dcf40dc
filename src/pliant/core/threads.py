"""Threads for loops that run without the GIL: as many as the process may use cores, or PLIANT_THREADS."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import current_thread
from typing import TypeVar

from pliant.core.errors import PliantError

Item = TypeVar("Item")
Done = TypeVar("Done")

NAME = "pliant"
QUOTA = Path("/sys/fs/cgroup/cpu.max")  # of a container on Linux: microseconds of work in so many of time


@cache
def threads() -> int:
    """How many threads to use: the cores this process may use, PLIANT_THREADS of them at most."""
    given = os.environ.get("PLIANT_THREADS", "")
    if not given:
        return cores()
    if not given.isdecimal() or int(given) < 1:
        raise PliantError(f"PLIANT_THREADS={given}: is no number of threads. Give 1 or more.")
    return min(int(given), cores())


@cache
def cores() -> int:
    """How many cores this process may use."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        work, time = QUOTA.read_text().split()
        return max(min(allowed, -(-int(work) // int(time))), 1)
    except (OSError, ValueError, ZeroDivisionError):  # no container, or one without a limit ("max")
        return allowed


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads(), thread_name_prefix=NAME)


def in_threads(work: Callable[[Item], Done], jobs: Sequence[Item]) -> list[Done]:
    """`work` on every job, on all threads where there is more than one job.

    Work that is on one of them already goes on there: to wait for the others could be to wait for ever.
    """
    if len(jobs) < 2 or threads() == 1 or current_thread().name.startswith(NAME):
        return [work(job) for job in jobs]
    return list(_pool().map(work, jobs))
