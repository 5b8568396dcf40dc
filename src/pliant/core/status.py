"""How a solve ended: an enum whose members are sentences with an exit code and a tone."""

from __future__ import annotations

from enum import Enum

ANSWERED = 0
BAD_INPUT = 2
NO_ANSWER = 3
INTERRUPTED = 130


class Tone(Enum):
    """How an ending is to be taken: views colour by it."""

    SOUND = "sound"  # an answer that asks for nothing
    NOTICE = "notice"  # an answer that a designer must notice: a jam, a lock, a limit
    FAILURE = "failure"  # no answer


class Status(Enum):
    """A method's endings subclass this: `CONVERGED = "the motion has converged", ANSWERED, Tone.SOUND`.

    An answer is to be noticed unless it is said to be sound, so that none is taken for sound by oversight.
    """

    def __init__(self, sentence: str, exit_code: int, tone: Tone | None = None) -> None:
        self.sentence = sentence
        self.exit_code = exit_code
        self.tone = tone or (Tone.FAILURE if exit_code == NO_ANSWER else Tone.NOTICE)

    def __str__(self) -> str:
        return self.sentence
