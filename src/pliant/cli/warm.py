"""`pliant warm`: compile every loop ahead of time."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Lock

import click

from pliant.cli.options import quiet_option
from pliant.cli.watch import Watch
from pliant.core.errors import PliantError
from pliant.core.loops import alone, compile_all, compiler, loops_of
from pliant.core.progress import Progress

# The longest first, and flex.geometry before flex, which calls its loops.
METHODS = ("relax", "snap", "flex.geometry", "flex", "linkage", "relax.machines")


@click.command()
@click.argument("methods", nargs=-1, type=click.Choice(METHODS))
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes at a time (default: as many as cores)."
)
@click.option("--beside", is_flag=True, hidden=True)  # other work, of which this process is the compiler
@click.option(
    "--told", is_flag=True, hidden=True
)  # progress on stdout, for the process that started this one
@quiet_option
def warm(methods: tuple[str, ...], jobs: int | None, beside: bool, told: bool, quiet: bool) -> None:
    """Compile all loops now, so that no first run has to.

    Compiled loops are kept in your cache folder, or where NUMBA_CACHE_DIR says, until pliant, numba or the
    processor change. METHODS are flex, linkage, relax and snap, flex.geometry (what curves need of it) and
    relax.machines (many at once); all of them, if none is named.
    """
    chosen = methods or METHODS
    if beside:
        _compile_beside(chosen)
    elif told:
        _compile(chosen, _tell)
    else:
        _check_place()
        with Watch(quiet) as watch:
            _share(chosen, jobs, watch)
        if not quiet:
            click.echo(f"Compiled: {', '.join(chosen)}.")


def _check_place() -> None:
    from pliant.core.kept import CURE, why_not

    if why := why_not():
        raise PliantError(f"Compiled loops cannot be kept ({why}). {CURE}.")


def _compile(methods: Sequence[str], progress: Progress) -> None:
    for method in methods:
        compile_all(loops_of(method), progress)


def _compile_beside(methods: Sequence[str]) -> None:
    if hasattr(os, "nice"):
        os.nice(15)
    for method in methods:
        with alone(method) as only:
            if only:
                compile_all(loops_of(method))


def _tell(done: int, total: int | None, text: str) -> None:
    click.echo(f"{done}\t{total or 0}\t{text}")


def _share(methods: Sequence[str], jobs: int | None, progress: Progress) -> None:
    """Each method in a process of its own, as many at a time as there are cores; their progress as one."""
    from pliant.core.threads import cores

    together = _Together(progress)
    with ThreadPoolExecutor(jobs or cores()) as pool:
        running = [pool.submit(_follow, method, together) for method in methods]
        try:
            for one in as_completed(running):
                one.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # else those that wait are begun yet
            together.stop()
            raise


class _Together:
    """The progress of several processes as that of one."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._lock = progress, Lock()
        self._done: dict[str, tuple[int, int]] = {}
        self.processes: list[subprocess.Popen[str]] = []

    def tell(self, method: str, done: int, total: int, text: str) -> None:
        """Add what one of them has done."""
        with self._lock:
            self._done[method] = done, total
            sums = [sum(column) for column in zip(*self._done.values(), strict=True)]
            self._progress(sums[0], sums[1], text)

    def stop(self) -> None:
        """End the processes."""
        for process in self.processes:
            process.terminate()


def _follow(method: str, together: _Together) -> None:
    with compiler(method, "--told", stdout=subprocess.PIPE) as process:
        together.processes.append(process)
        try:
            for done, total, text in _lines(process):
                together.tell(method, done, total, text)
        except BaseException:
            process.terminate()  # else it would be waited for
            raise
    if process.returncode:
        raise PliantError(f"The loops of {method} were not compiled (exit code {process.returncode}).")


def _lines(process: subprocess.Popen[str]) -> Iterator[tuple[int, int, str]]:
    for line in process.stdout or ():
        done, total, text = line.rstrip("\n").split("\t")
        yield int(done), int(total), text
