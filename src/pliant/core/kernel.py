"""Compiled loops: numba's compiler as pliant uses it, and two threads to run them on.

Importing this module imports numba: whoever does is about to run a loop that is worth it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])
Job = TypeVar("Job")
Outcome = TypeVar("Outcome")


def kernel(function: Function) -> Function:
    """Compile `function` on first use, keep the result on disk, run it without the GIL."""
    return cast(Function, numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def inner(function: Function) -> Function:
    """The same for what only other loops call: compiled with them, sooner without a way in from Python."""
    alone: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(Function, numba.njit(nogil=True, error_model="numpy", **alone)(function))


def kernel_fast(function: Function) -> Function:
    """The same, with sums in any order: only so can the processor add four at a time."""
    freely = {"reassoc", "nsz", "contract"}
    return cast(Function, numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=freely)(function))


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(2, thread_name_prefix="pliant")


def in_threads(work: Callable[[Job], Outcome], jobs: Sequence[Job]) -> list[Outcome]:
    """`work` on every job, on two threads where there is more than one job."""
    return [work(job) for job in jobs] if len(jobs) < 2 else list(_threads().map(work, jobs))
