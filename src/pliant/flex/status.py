"""How a flex study can end."""

from __future__ import annotations

from pliant.core.status import ANSWERED, NO_ANSWER, Status, Tone


class FlexStatus(Status):
    """Every ending of `flex.solve`."""

    CONVERGED = "the parts have moved as far as their joints let them", ANSWERED, Tone.SOUND
    LOCKED = "nothing moves beyond the tolerance", ANSWERED
    FREE = "some bodies can leave: the motion has no end", ANSWERED
    TURNING = "some bodies turn right round: the motion has no end", ANSWERED
    OVERLAPPING = "parts overlap in the drawn pose", ANSWERED
    STEP_LIMIT = "the step limit was reached before the motion converged", NO_ANSWER
    SOLVER_FAILED = "no solver could solve a linear program of the motion", NO_ANSWER
