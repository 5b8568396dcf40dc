"""How a linkage can run, and how an edit, a drag and a synthesis can end."""

from __future__ import annotations

from pliant.core.status import ANSWERED, INTERRUPTED, NO_ANSWER, Status, Tone


class TraceStatus(Status):
    """Every ending of `linkage.solve`."""

    RUNS = "the motor runs all the way it was asked to", ANSWERED, Tone.SOUND
    CHANGE_POINTS = "it runs, but through poses from which it can go on in two ways", ANSWERED
    LIMITED = "the motor cannot run all the way", ANSWERED
    UNBOUNDED = "a joint runs off to infinity before the motor has run all the way", ANSWERED
    LOCKED = "locked: the links agree as drawn, but not when it moves", ANSWERED
    WORK_LIMIT = "it runs, as far as joints that must be found together were followed", NO_ANSWER
    LOST = "joints that must be found together could not be followed", NO_ANSWER


class EditStatus(Status):
    """Every ending of `editing.edit`."""

    REACHED = "every target is reached", ANSWERED, Tone.SOUND
    COMPROMISE = "the targets, the keeps and the linkage's freedom leave a remainder", ANSWERED
    GUARDED = "the edit went as far as its guards let it", ANSWERED
    UNREADY = (
        "the linkage runs through no one cycle (change points, or lost), so that it cannot be edited",
        ANSWERED,
    )
    TORN = "no linkage was found that does more of what was asked and runs at every angle", NO_ANSWER
    ITERATION_LIMIT = "the iteration limit was reached before the edit settled", NO_ANSWER


class DragStatus(Status):
    """How an event of a drag can end."""

    FOLLOWS = "the joint is at the pointer", ANSWERED, Tone.SOUND
    HELD = "guards or keeps hold the joint back from the pointer", ANSWERED
    SETTLING = "the linkage had not settled when the event's steps were used up", NO_ANSWER


class SynthesisStatus(Status):
    """Every ending of `synthesis.path`."""

    FOUND = "linkages were found for the target", ANSWERED, Tone.SOUND
    NONE = "no candidate could be brought to the target", NO_ANSWER
    STOPPED = "the search was stopped before its end", INTERRUPTED
