"""Clocks, medians and tables."""

import platform
import resource
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from os import cpu_count
from statistics import median
from time import perf_counter, process_time
from typing import Any

PACKAGES = (
    "pliant",
    "numpy",
    "scipy",
    "numba",
    "shapely",
    "piqp",
    "clarabel",
    "highspy",
    "gurobipy",
    "pylinkage",
    "python-flint",
    "mujoco",
    "pymunk",
    "jax",
)


def timed(work: Callable[[], Any], repeats: int) -> tuple[Any, float, float]:
    """The last answer, and the medians of wall and CPU seconds."""
    walls, cpus, answer = [], [], None
    for _ in range(repeats):
        wall, cpu = perf_counter(), process_time()
        answer = work()
        walls.append(perf_counter() - wall)
        cpus.append(process_time() - cpu)
    return answer, median(walls), median(cpus)


def by_turns(works: Sequence[Callable[[], Any]], repeats: Sequence[int]) -> list[tuple[Any, float]]:
    """The last answer of each work and its median CPU seconds, by turns, the first of each not counted."""
    answers: list[Any] = [work() for work in works]
    cpus: list[list[float]] = [[] for _ in works]
    for turn in range(max(repeats)):
        for k, work in enumerate(works):
            if turn < repeats[k]:
                cpu = process_time()
                answers[k] = work()
                cpus[k].append(process_time() - cpu)
    return [(answer, median(each)) for answer, each in zip(answers, cpus, strict=True)]


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def seconds(value: float | None) -> str:
    """Three figures, or a dash where nothing was run."""
    return "–" if value is None else f"{value:.3g}"


def machine() -> str:
    """Where and with what the figures were taken."""
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    return f"{platform.machine()}, {cpu_count()} cores, Python {platform.python_version()}; " + ", ".join(
        found
    )


def peak_memory() -> float:
    """The most memory this process has held, GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
