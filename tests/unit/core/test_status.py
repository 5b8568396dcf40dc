from pliant.core.clock import Clock
from pliant.core.errors import Fault, InputError
from pliant.core.status import ANSWERED, NO_ANSWER, Status


class Ending(Status):
    DONE = "it is done", ANSWERED
    LOST = "it is lost", NO_ANSWER


def test_a_status_is_a_sentence_with_an_exit_code():
    assert str(Ending.DONE) == "it is done"
    assert (Ending.DONE.exit_code, Ending.LOST.exit_code) == (0, 3)


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
