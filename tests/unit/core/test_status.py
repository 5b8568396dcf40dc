import pytest

from pliant.core.clock import Clock
from pliant.core.errors import Fault, InputError
from pliant.core.status import ANSWERED, INTERRUPTED, NO_ANSWER, Status, Tone
from pliant.files.comparison import ComparisonStatus
from pliant.flex.status import (
    BraceStatus,
    FlexStatus,
    LoosenStatus,
    PlayStatus,
    ProofStatus,
    SeparationStatus,
)
from pliant.linkage.status import DragStatus, EditStatus, SynthesisStatus, TraceStatus
from pliant.relax.status import EvolveStatus, RelaxStatus
from pliant.snap.status import SnapStatus
from pliant.sweeps.optimum import OptimizeStatus
from pliant.sweeps.tolerance_status import ToleranceStatus

METHODS = (
    FlexStatus,
    ProofStatus,
    ComparisonStatus,
    PlayStatus,
    SeparationStatus,
    LoosenStatus,
    BraceStatus,
    TraceStatus,
    EditStatus,
    DragStatus,
    SynthesisStatus,
    RelaxStatus,
    EvolveStatus,
    SnapStatus,
    OptimizeStatus,
    ToleranceStatus,
)
SOUND = {
    OptimizeStatus.MET,
    OptimizeStatus.BEST_FOUND,
    ToleranceStatus.ALL_PASS,
    ToleranceStatus.SPREAD,
    FlexStatus.CONVERGED,
    ProofStatus.PROVED,
    ComparisonStatus.ALIKE,
    ComparisonStatus.DIFFERENT,
    PlayStatus.BOUNDED,
    SeparationStatus.SEPARATES,
    LoosenStatus.FOUND,
    BraceStatus.MET,
    BraceStatus.BRACED,
    TraceStatus.RUNS,
    EditStatus.REACHED,
    DragStatus.FOLLOWS,
    SynthesisStatus.FOUND,
    RelaxStatus.CONVERGED,
    EvolveStatus.EVOLVED,
    SnapStatus.THROUGH,
    SnapStatus.SEATED,
}


class Ending(Status):
    DONE = "it is done", ANSWERED, Tone.SOUND
    JAMMED = "it is jammed", ANSWERED
    CUT = "it was cut short", INTERRUPTED
    LOST = "it is lost", NO_ANSWER


def test_a_status_is_a_sentence_with_an_exit_code():
    assert str(Ending.DONE) == "it is done"
    assert (Ending.DONE.exit_code, Ending.LOST.exit_code) == (0, 3)


def test_what_is_not_said_to_be_sound_is_to_be_noticed():
    tones = {Ending.JAMMED: Tone.NOTICE, Ending.CUT: Tone.NOTICE, Ending.LOST: Tone.FAILURE}
    assert {ending: ending.tone for ending in Ending} == {Ending.DONE: Tone.SOUND, **tones}


@pytest.mark.parametrize(
    "status", [status for method in METHODS for status in method], ids=lambda one: one.name
)
def test_a_jam_a_lock_or_a_limit_is_never_sound_and_no_answer_is_a_failure(status: Status):
    if status.exit_code == NO_ANSWER:
        assert status.tone is Tone.FAILURE
    else:
        assert status.tone is (Tone.SOUND if status in SOUND else Tone.NOTICE)


def test_the_endings_of_every_method_are_looked_at():
    known = {method for method in Status.__subclasses__() if method.__module__.startswith("pliant.")}
    assert set(METHODS) == known


def test_an_input_error_lists_every_fault_with_its_place():
    faults = [Fault("bodies[0].name", "is empty", "Give it a name"), Fault("", "is too large")]
    assert str(InputError(faults, "a.toml")) == (
        "a.toml: bodies[0].name: is empty. Give it a name\na.toml: is too large"
    )


def test_a_clock_adds_up_the_time_of_a_phase():
    clock = Clock()
    for _ in range(2):
        with clock.phase("work"):
            pass
    assert set(clock.seconds) == {"work"}
    assert clock.seconds["work"] > 0
