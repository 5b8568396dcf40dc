"""Progress on stderr, and Ctrl-C that keeps what is done."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from types import FrameType, TracebackType
from typing import Any, Self

import click

from pliant.core.stop import end_process, stop

EVERY = 3.0  # seconds between lines where there is no terminal
REPORT, ANSWER = 1.0, 1.8  # seconds after Ctrl-C: for a report to come, and for the work to be stopped anyhow


class Watch(AbstractContextManager["Watch"]):
    """A Progress: a bar on a terminal, a line now and then elsewhere, nothing when quiet.

    The first Ctrl-C asks the work to stop at its next report, so that it can hand over what
    is done. Where no report comes soon, or at a second Ctrl-C, it is stopped wherever it is, which it may
    still catch to hand over. Where not even that reaches it, in code that is not Python, the process ends.
    """

    def __init__(self, quiet: bool = False, label: str = "") -> None:
        self.asked_to_stop = False
        self.label = label  # of what is worked on, before every report
        self._quiet = quiet
        self._bar: Any = None
        self._task: Any = None
        self._said = time.monotonic()
        self._handler: Any = None
        self._heard = threading.Event()
        self._line: tuple[int, int] | None = None  # what Ctrl-C writes to, and what was written to before

    def __call__(self, done: int, total: int | None, text: str) -> None:
        """Show where the work stands; raise if it shall stop."""
        if self.asked_to_stop:
            self._heard.set()
            raise KeyboardInterrupt
        if self._quiet:
            return
        label = f"{self.label}: " if self.label else ""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total, description=f"{label}{text}")
        elif time.monotonic() - self._said >= EVERY:
            self._said = time.monotonic()
            click.echo(f"{label}{done}{f' of {total}' if total else ''} {text}".rstrip(), err=True)

    @contextmanager
    def aside(self) -> Generator[None]:
        """While something else is printed, there is no bar on the terminal."""
        if self._bar is not None:
            self._bar.stop()
        yield
        if self._bar is not None:
            self._bar.start()

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._handler = signal.signal(signal.SIGINT, self._stop)
            self._listen()
        if not self._quiet and sys.stderr.isatty():
            self._bar = _bar()
            self._task = self._bar.add_task(self.label or "…", total=None)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._heard.set()
        if self._bar is not None:
            self._bar.stop()
        if self._line is not None:
            signal.set_wakeup_fd(self._line[1])
            os.close(self._line[0])
            signal.signal(signal.SIGINT, self._handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self.asked_to_stop:
            self._heard.set()
            stop(number, frame)
        self.asked_to_stop = True
        with suppress(RuntimeError):  # amid another line that is being written, this one is left out
            click.echo("\nStopping after this step; Ctrl-C again to stop at once.", err=True)

    def _listen(self) -> None:
        """Have the seconds counted in a thread: the main one hears nothing in code that is not Python."""
        ear, mouth = os.pipe()
        os.set_blocking(mouth, False)
        self._line = mouth, signal.set_wakeup_fd(mouth, warn_on_full_buffer=False)
        threading.Thread(target=self._count, args=(ear,), daemon=True).start()

    def _count(self, ear: int) -> None:
        with open(ear, "rb", buffering=0) as line:
            while number := line.read(1):
                if number[0] != signal.SIGINT or self._heard.wait(REPORT):
                    continue
                _interrupt()
                if not self._heard.wait(ANSWER - REPORT):
                    _end()


def _interrupt() -> None:
    """As Ctrl-C does: `interrupt_main` alone does not wake a main thread that waits for another."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        _thread.interrupt_main()


def _end() -> None:
    end_process("Stopped. The step could not be interrupted, and nothing of this run is kept.")


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
