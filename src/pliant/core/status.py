"""How a solve ended: an enum whose members are sentences with an exit code."""

from __future__ import annotations

from enum import Enum

ANSWERED = 0
BAD_INPUT = 2
NO_ANSWER = 3
INTERRUPTED = 130


class Status(Enum):
    """A method's endings subclass this: `CONVERGED = "the motion has converged", ANSWERED`."""

    def __init__(self, sentence: str, exit_code: int) -> None:
        self.sentence = sentence
        self.exit_code = exit_code

    def __str__(self) -> str:
        return self.sentence
