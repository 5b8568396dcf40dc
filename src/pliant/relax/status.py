"""How a mechanism can come to rest, and how a search for one can end."""

from __future__ import annotations

from pliant.core.status import ANSWERED, INTERRUPTED, NO_ANSWER, Status, Tone


class RelaxStatus(Status):
    """Every ending of `relax.solve`."""

    CONVERGED = "the mechanism went all the way and came to rest", ANSWERED, Tone.SOUND
    LOCKED = "locked: the actuators ask for what the lengths cannot hold", ANSWERED
    DEAD_CENTRE = "at a dead centre: from there it can go on either way", ANSWERED
    OVER_CONSTRAINED = "over-constrained: the lengths contradict each other before anything moves", ANSWERED
    BRANCH_DOUBTFUL = "it came to rest, but perhaps in another assembly than the one drawn", ANSWERED
    NOT_CONVERGED = "it did not come to rest within the limits of the study", NO_ANSWER


class EvolveStatus(Status):
    """Every ending of `relax.evolve`."""

    EVOLVED = "the best machine of all generations", ANSWERED, Tone.SOUND
    STOPPED = "the best machine of the generations until the search was stopped", INTERRUPTED
