"""Progress of long work: methods report it, whoever runs them decides what to show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pliant.core.result import Result


class Progress(Protocol):
    """Called as work goes on. Raising from it (Ctrl-C) stops the work; what is done is kept."""

    def __call__(self, done: int, total: int | None, text: str) -> None:
        """`done` of `total` units (None: nobody knows) and a few words on where things stand."""
        ...


def silent(done: int, total: int | None, text: str) -> None:
    """Show nothing."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a solve: `result` is what was done until then.

    It is a KeyboardInterrupt, so that a script that does not look for it stops, as asked.
    """

    def __init__(self, result: Result) -> None:
        super().__init__("interrupted; what is done is kept")
        self.result = result
