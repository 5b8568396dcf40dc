"""How samples of tolerances may come out."""

from __future__ import annotations

from pliant.core.status import ANSWERED, NO_ANSWER, Status, Tone


class ToleranceStatus(Status):
    """How samples of tolerances came out."""

    ALL_PASS = "every sample keeps all limits", ANSWERED, Tone.SOUND
    SOME_FAIL = "some samples break a limit, or have no answer", ANSWERED
    SPREAD = "the spread was found; there were no limits", ANSWERED, Tone.SOUND
    UNSOLVED = "no sample has an answer", NO_ANSWER
