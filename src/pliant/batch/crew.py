"""Tasks shared among processes, each of which has one at a time.

`concurrent.futures` has no public way to end its processes at once, and gives up every task where one
process dies; here a task is lost alone, and the second Ctrl-C is heeded.
"""

from __future__ import annotations

import math
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, NamedTuple, Self

from pliant.core.errors import PliantError
from pliant.core.progress import Progress

MOST = 8  # processes, unless more are asked for: each has its own copy of all libraries
HANDING_OVER = 1.0  # seconds after Ctrl-C for processes to hand over what they have
EVERY = 0.2  # seconds between reports while nothing is finished

CrewTask = Callable[[str, Progress], Any]


class LostError(PliantError):
    """A process ended before its task was done."""


class LateError(LostError):
    """A task that took longer than it may."""


class _Hand(NamedTuple):
    """A process, the line to it, and what it is doing."""

    process: Any
    line: Connection
    task: str
    run: int  # which of the runs it takes tasks from
    since: float = 0.0  # when it was given its task


class Crew(AbstractContextManager["Crew"]):
    """Processes at work; leaving the block ends them, whatever they are doing.

    Neighbouring tasks go to one process, so that what they share is imported and compiled once. `work` and
    what it returns are pickled; it is given a Progress that raises KeyboardInterrupt once `stop` was called.
    A task that takes longer than `limit_s` seconds is lost, with its process. Processes that have nothing to
    do wait for what `give` brings.
    """

    def __init__(self, work: CrewTask, tasks: Sequence[str], count: int, limit_s: float = math.inf) -> None:
        self.done, self.total = 0, 0
        self._work, self._count, self._limit_s = work, count, limit_s
        # Not forked: threads of compiled loops and of BLAS do not survive a fork.
        self._context = get_context("spawn")
        self._halt, self._halted = self._context.Event(), math.inf
        self._runs: list[deque[str]] = []
        self._hands: list[_Hand] = []
        self._idle: list[_Hand] = []
        self.give(tasks)

    def give(self, tasks: Sequence[str]) -> None:
        """More to do, once all that was given is done."""
        self.total += len(tasks)
        self._runs = runs(tasks, self._count)
        for run in range(len(self._runs)):
            waiting = [hand for hand in self._idle if hand.process.is_alive()]
            self._idle = waiting[1:]
            if waiting:
                self._go_on(waiting[0]._replace(run=run))
            else:
                self._start(run)

    @property
    def at_work(self) -> tuple[str, ...]:
        """The tasks in hand."""
        return tuple(hand.task for hand in self._hands)

    @property
    def stopped_for(self) -> float:
        """Seconds since `stop` was called first; negative before."""
        return time.monotonic() - self._halted

    def stop(self) -> None:
        """Hand out nothing more, and ask those at work to stop at their next report."""
        for run in self._runs:
            run.clear()
        self._halt.set()
        self._halted = min(self._halted, time.monotonic())

    def next_result(self, progress: Progress) -> tuple[str, Any]:
        """Wait for a task that is done: it, and what came of it; `LostError` where its process died."""
        while not (ready := wait([hand.line for hand in self._hands], EVERY)):
            progress(self.done, self.total, ", ".join(self.at_work))
            if late := [hand for hand in self._hands if time.monotonic() - hand.since > self._limit_s]:
                return self._gave_up(late[0])
        hand = next(hand for hand in self._hands if hand.line is ready[0])
        self._hands.remove(hand)
        self.done += 1
        try:
            answer = hand.line.recv()
        except (EOFError, OSError):
            answer = self._lost(hand)
        else:
            self._go_on(hand)
        return hand.task, answer

    def _start(self, run: int) -> None:
        here, there = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(there, self._halt, self._work), daemon=True)
        with _ctrl_c_held_back():
            process.start()
        there.close()  # so that its end is noticed here
        self._go_on(_Hand(process, here, "", run))

    def _go_on(self, hand: _Hand) -> None:
        """Give it the next task, or let it wait."""
        task = take(self._runs, hand.run)
        if task is None:
            self._idle.append(hand)
            return
        hand.line.send(task)
        self._hands.append(hand._replace(task=task, since=time.monotonic()))

    def _gave_up(self, hand: _Hand) -> tuple[str, LateError]:
        """End a process that does not come to an end."""
        self._hands.remove(hand)
        self.done += 1
        hand.process.kill()
        self._lost(hand)
        return hand.task, LateError(f"no end in {self._limit_s:g} s")

    def _lost(self, hand: _Hand) -> LostError:
        hand.process.join()
        if any(self._runs):
            self._start(hand.run)
        return LostError(f"its process ended (exit code {hand.process.exitcode})")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for hand in (*self._hands, *self._idle):
            hand.process.terminate()
            hand.process.join()


def crew_results(
    work: CrewTask,
    tasks: Sequence[str],
    count: int,
    watch: Progress,
    limit_s: float = math.inf,
    label: Callable[[Sequence[str]], str] = ", ".join,
) -> Iterator[tuple[str, Any]]:
    """Each task and what came of it, as it comes; `label` words the tasks in hand.

    The first Ctrl-C lets those at work hand over what is done, for a while; the second ends them.
    """
    if not tasks:
        return
    with Crew(work, tasks, count, limit_s) as crew:
        yield from results_of(crew, watch, label)


def results_of(
    crew: Crew, watch: Progress, label: Callable[[Sequence[str]], str] = ", ".join
) -> Iterator[tuple[str, Any]]:
    """What comes of all that a crew was given, as it comes."""

    def progress(done: int, total: int | None, text: str) -> None:
        try:
            watch(done, total, label(crew.at_work))
        except KeyboardInterrupt:
            if crew.stopped_for > HANDING_OVER:
                raise
            crew.stop()

    while crew.at_work:
        progress(crew.done, crew.total, "")
        yield crew.next_result(progress)


def runs(tasks: Sequence[str], count: int) -> list[deque[str]]:
    """Tasks in as many runs of neighbours as there are processes, and none of them empty.

    >>> [list(run) for run in runs("abcde", 2)]
    [['a', 'b'], ['c', 'd', 'e']]
    """
    count = min(count, len(tasks))
    return [deque(tasks[k * len(tasks) // count : (k + 1) * len(tasks) // count]) for k in range(count)]


def take(left: Sequence[deque[str]], run: int) -> str | None:
    """The next task of a run; once it is empty, the last of the longest; None where nothing is left."""
    if left[run]:
        return left[run].popleft()
    longest = max(left, key=len)
    return longest.pop() if longest else None


@contextmanager
def _ctrl_c_held_back() -> Generator[None, None, None]:
    """Ctrl-C waits until the end of the block; a process that is begun in it never hears of it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(line: Connection, halt: Any, work: CrewTask) -> None:
    """Do what is sent, one task after the other, until nobody is there to send."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C comes to all; the first process tells the others

    def progress(done: int, total: int | None, text: str) -> None:
        if halt.is_set():
            raise KeyboardInterrupt

    try:
        while True:
            line.send(work(line.recv(), progress))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
