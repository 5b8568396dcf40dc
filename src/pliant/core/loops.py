"""When loops are compiled: small work begins at once, as Python, and the compiler works beside it.

A method says at the start of a run how long it would take as Python. Where its compiled loops are there, that
does not matter. Where they are not, work of a few seconds runs as Python, and a process of its own
compiles at low priority, so that the next run finds them; larger work waits for the compiler, and says what
it waits for.
"""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from pliant.core.progress import Progress, silent

KERNELS: list[Any] = []  # every compiled loop that Python calls, as its module is imported
SMALL = 5.0  # seconds as Python that are not worth a wait
PATIENCE = 10.0  # seconds after which work that was thought small turns out not to be
STALE = 900.0  # seconds after which a compiling process is no longer believed to be there


@dataclass(frozen=True)
class Loops:
    """The compiled loops of a method, or of a package within it that other runs of the method do without."""

    method: str  # as `pliant warm` takes it: "relax", or "relax.machines"
    modules: tuple[str, ...]  # that they are in, within the package
    exercise: Callable[[], None]  # small runs that between them use every one

    def prepare(self) -> None:
        """Import the modules, so that all loops are known."""
        for module in self.modules:
            import_module(f"pliant.{self.method}.{module}")


def loops_of(method: str) -> Loops:
    """The loops of a method, by its name: what its `warm` says, which stands above all of its package."""
    return import_module(f"pliant.{method}.warm").LOOPS


@dataclass(eq=False)
class _Run:
    method: str
    small: bool
    progress: Progress
    all_of_them: bool = False  # are to be compiled, one after the other
    started: float = field(default_factory=time.monotonic)
    as_python: set[Any] = field(default_factory=set[Any])  # loops that are not there
    made: int = 0
    total: int = 0


_runs: list[_Run] = []
_ended: dict[str, _Run] = {}  # the last run of each method: what is asked of its result goes on as it went
_ALL_AT_ONCE = threading.RLock()
_ONE_AT_A_TIME = threading.RLock()  # numba compiles so anyway; two threads that need one loop compile it once


@contextmanager
def run_loops(method: str, seconds: float, progress: Progress = silent) -> Generator[None]:
    """While a method runs that would take so many seconds as Python, about."""
    if _runs and _runs[-1].all_of_them:
        yield
        return
    run = _Run(method, seconds <= SMALL, progress)
    with _run(run):
        yield
    _ended[method] = replace(run, progress=silent, started=time.monotonic())


def compile_all(loops: Loops, progress: Progress = silent) -> None:
    """Compile every loop of a method that is not yet there, and report each."""
    loops.prepare()
    run = _Run(
        loops.method, small=False, progress=progress, all_of_them=True, total=len(missing_kernels(loops))
    )
    with _run(run), _pause_collector():
        loops.exercise()


@contextmanager
def _run(run: _Run) -> Generator[None]:
    _runs.append(run)
    try:
        yield
    finally:
        _runs.remove(run)


def missing_kernels(loops: Loops) -> list[Any]:
    """The kernels of a method, in modules that are imported, of which nothing is kept."""
    return [made for made in KERNELS if _method_of(made) == loops.method and not made._cache.any]


def runs_as_python(made: Any, signature: Any) -> bool:
    """Whether a loop that is not loaded shall run as Python."""
    run = _runs[-1] if _runs else _ended.get(_method_of(made))
    if run is None or not run.small:
        return False
    if made in run.as_python:
        return time.monotonic() - run.started < PATIENCE
    if made._cache.has(signature):
        return False
    run.as_python.add(made)
    compile_beside(_method_of(made))
    return True


def _method_of(made: Any) -> str:
    """The method that a loop is of: "relax" of pliant.relax.solvers.newton."""
    return _warmed_by(made.py_func.__module__.removeprefix("pliant."))


@cache
def _warmed_by(module: str) -> str:
    """The nearest package above a module, both within pliant, that has a `warm`; else the outermost."""
    from pliant.core import kept

    package = module.rpartition(".")[0] or module
    while "." in package and not kept.PACKAGE.joinpath(*package.split("."), "warm.py").exists():
        package = package.rpartition(".")[0]
    return package


@contextmanager
def compile_loop(made: Any, signature: Any) -> Generator[None]:
    """While a loop is loaded or, if it is not there, compiled; of large work all loops are compiled first."""
    _compile_all_for_large_work(made, signature)
    with _ONE_AT_A_TIME, _pause_collector():
        yield from _compile_loop(made, signature)


def _compile_all_for_large_work(made: Any, signature: Any) -> None:
    """Outside the lock on one loop: what uses all loops uses some of them in threads of its own."""
    with contextlib.ExitStack() as held:
        if _is_large(made, signature):
            held.enter_context(_ALL_AT_ONCE)
            if _is_large(made, signature):  # still: no other thread has done it meanwhile
                compile_all(loops_of(_method_of(made)), _runs[-1].progress)


def _is_large(made: Any, signature: Any) -> bool:
    run = _runs[-1] if _runs else None
    return run is not None and not run.all_of_them and not run.small and not made._cache.has(signature)


@contextmanager
def _pause_collector() -> Generator[None]:
    """The compiler makes very many objects that live until it is done: to look through them costs a fifth."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _compile_loop(made: Any, signature: Any) -> Generator[None]:
    run = _runs[-1] if _runs else None
    if run is None or made._cache.has(signature):
        yield
        return
    module, name = made.py_func.__module__.removeprefix("pliant."), made.py_func.__name__.lstrip("_")
    left = f", {run.total - run.made} left" if run.made < run.total else ""
    run.progress(run.made, run.total or None, f"compiling {module}.{name}{left}")
    yield
    run.made += 1


@cache
def compile_beside(method: str) -> None:
    """Have a process of its own compile a method's loops, unless one does already."""
    from pliant.core import kept

    if not sys.executable or not kept.can_keep() or _is_lock_held(lock(method)):
        return
    with contextlib.suppress(OSError):
        process = compiler(method, "--beside", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        process.returncode = 0  # it goes on when this process ends, and nobody waits for it


def compiler(method: str, flag: str, **streams: Any) -> subprocess.Popen[str]:
    """A process that compiles a method's loops."""
    from pliant.core import kept

    path = os.pathsep.join(filter(None, [str(kept.PACKAGE.parent), os.environ.get("PYTHONPATH")]))
    return subprocess.Popen(
        [sys.executable, "-c", "from pliant import main; main()", "warm", method, flag],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        process_group=0,  # Ctrl-C is meant for the work; in its session, so that its priority counts there
        text=True,
        encoding="utf-8",
        **streams,
    )


@contextmanager
def alone(method: str) -> Generator[bool]:
    """Whether no other process compiles a method's loops beside other work; if so, none will."""
    path = lock(method)
    if not _take_lock(path):
        yield False
        return
    try:
        yield True
    finally:
        path.unlink(missing_ok=True)


def _take_lock(path: Path) -> bool:
    """Whether this process now has the lock: of several that try at once, one gets it."""
    if not _is_lock_held(path):
        path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return False
    return True


def lock(method: str) -> Path:
    """The file that says which process compiles a method's loops."""
    from pliant.core import kept

    return (kept.root() or Path()) / f"compiling-{method}"


def _is_lock_held(path: Path) -> bool:
    """Whether a process that wrote the file still compiles; it may have been killed."""
    try:
        return time.time() - path.stat().st_mtime < STALE and _alive(int(path.read_text()))
    except (OSError, ValueError, OverflowError):
        return False


def _alive(process: int) -> bool:
    if os.name != "posix":
        return True  # signals would end it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
