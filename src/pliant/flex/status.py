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
    VIOLATED = "a keep region, a sight or a limit does not hold in the drawn pose", ANSWERED
    BLOCKED = "a stage came to rest before every body was where it was to go", ANSWERED
    STEP_LIMIT = "the step limit was reached before the motion converged", NO_ANSWER
    SOLVER_FAILED = "no solver could solve a linear program of the motion", NO_ANSWER

    @property
    def at_rest(self) -> bool:
        """Whether the motion has come to an end."""
        return self in (FlexStatus.CONVERGED, FlexStatus.LOCKED)

    @property
    def endless(self) -> bool:
        """Whether the motion goes on for ever."""
        return self in (FlexStatus.FREE, FlexStatus.TURNING)


class ProofStatus(Status):
    """Every ending of `flex.prove`."""

    PROVED = "the flex lies between two proved bounds, as near as was asked", ANSWERED, Tone.SOUND
    OPEN = "the bounds are proved, and not as near as was asked", NO_ANSWER
    FREE = "the motion has no end: there is no bound", ANSWERED
    OVERLAPPING = "parts overlap in the drawn pose", ANSWERED
    VIOLATED = "a keep region, a sight or a limit does not hold in the drawn pose", ANSWERED
    NO_ANSWER = "the flex to begin with had no answer", NO_ANSWER


class PlayStatus(Status):
    """Every ending of `flex.play`."""

    BOUNDED = "joints bound the play of every part", ANSWERED, Tone.SOUND
    FREE = "nothing bounds the play of some parts", ANSWERED
    STOPPED = "the drive cannot be turned as far as was asked", ANSWERED
    OVERLAPPING = "parts overlap in the drawn pose", ANSWERED
    VIOLATED = "a keep region, a sight or a limit does not hold in the drawn pose", ANSWERED
    INTERRUPTED = "stopped before every part was measured", NO_ANSWER
    SOLVER_FAILED = "no solver could solve a linear program of the play", NO_ANSWER


class LoosenStatus(Status):
    """Every ending of `flex.loosen`."""

    FOUND = "the largest clearance at which the flex stays within its limit", ANSWERED, Tone.SOUND
    IMPOSSIBLE = (
        "the flex is beyond its limit at the smallest clearance at which the parts go together",
        ANSWERED,
    )
    UNLIMITED = "no clearance at which the parts stay whole takes the flex to its limit", ANSWERED
    INTERRUPTED = "stopped before the clearance was found", NO_ANSWER
    NO_ANSWER = "a flex that was needed had no answer", NO_ANSWER


class BraceStatus(Status):
    """Every ending of `flex.brace`."""

    MET = "braced, and the flex is within its limit", ANSWERED, Tone.SOUND
    BRACED = "braced: the flex is less than it was", ANSWERED, Tone.SOUND
    SHORT = "braced as often as was allowed, or as helps, and the flex is still beyond its limit", ANSWERED
    NO_BEAM = "no beam across it would make the flex less", ANSWERED
    ADVISED = "where a brace would help most; no cells on a grid, so that none was added", ANSWERED
    UNFIT = "it has no end of its flex to brace against", ANSWERED
    INTERRUPTED = "stopped before it was braced", NO_ANSWER


class SeparationStatus(Status):
    """Every ending of `flex.separate`."""

    SEPARATES = "every part comes away, by motions that were played", ANSWERED, Tone.SOUND
    PARTLY = "some parts come away, and for the rest no way apart was found", ANSWERED
    INTERLOCKED = "nothing moves: proved to first order, with every joint closed", ANSWERED
    STUCK = "no way apart was found, though something moves to first order", ANSWERED
    OVERLAPPING = "parts overlap in the drawn pose", ANSWERED
    VIOLATED = "a keep region, a sight or a limit does not hold in the drawn pose", ANSWERED
    INTERRUPTED = "stopped before the search for ways apart was done", NO_ANSWER
