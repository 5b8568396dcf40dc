"""Broken files that broke pliant once, each named for what was wrong with it: none does again."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from tests.fuzz.trial import Depth, tried

FOUND = sorted(Path(__file__).with_name("found").glob("*.json"))
LIMIT_S = 60.0  # of processor time
LONG = ("floats", "creeps", "crowd", "lengths-far")  # in the names of those that take seconds


class Endless(BaseException):
    """A file that takes longer than a campaign gives it."""


@pytest.fixture
def limited() -> Iterator[None]:
    def end(*_: object) -> None:
        raise Endless

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


def cases() -> Iterator[ParameterSet]:
    for path in FOUND:
        marks = [pytest.mark.slow] if any(word in path.stem for word in LONG) else []
        yield pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.few(9)
@pytest.mark.parametrize("path", list(cases()))
@pytest.mark.usefixtures("limited")
def test_a_file_that_broke_pliant_once_does_not_again(path: Path):
    assert not tried(path.read_text(encoding="utf-8"), Depth.IN_FULL).findings
