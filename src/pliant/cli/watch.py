"""Progress on stderr, and Ctrl-C that keeps what is done."""

from __future__ import annotations

import signal
import sys
import threading
import time
from contextlib import AbstractContextManager
from types import FrameType, TracebackType
from typing import Any, Self

import click

EVERY = 3.0  # seconds between lines where there is no terminal


class Watch(AbstractContextManager["Watch"]):
    """A Progress: a bar on a terminal, a line now and then elsewhere, nothing when quiet.

    The first Ctrl-C asks the work to stop at its next report, so that it can hand over what
    is done; the second stops it at once.
    """

    def __init__(self, quiet: bool = False, label: str = "") -> None:
        self.asked_to_stop = False
        self._quiet = quiet
        self._label = f"{label}: " if label else ""
        self._bar: Any = None
        self._task: Any = None
        self._said = time.monotonic()
        self._handler: Any = None

    def __call__(self, done: int, total: int | None, text: str) -> None:
        """Show where the work stands; raise if it shall stop."""
        if self.asked_to_stop:
            raise KeyboardInterrupt
        if self._quiet:
            return
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total, description=f"{self._label}{text}")
        elif time.monotonic() - self._said >= EVERY:
            self._said = time.monotonic()
            click.echo(f"{self._label}{done}{f' of {total}' if total else ''} {text}".rstrip(), err=True)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._handler = signal.signal(signal.SIGINT, self._stop)
        if not self._quiet and sys.stderr.isatty():
            self._bar = _bar()
            self._task = self._bar.add_task(self._label or "…", total=None)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        if self.asked_to_stop:
            raise KeyboardInterrupt
        self.asked_to_stop = True
        click.echo("\nStopping after this step; Ctrl-C again to stop at once.", err=True)


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
