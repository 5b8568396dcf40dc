"""What every test process does before it loads numpy, and what tests of several folders share."""

import os

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

# Test processes run side by side, as many as there are processors. Threads of BLAS besides would wait for
# each other most of the time: a drawing that takes a second alone took forty.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# How long an example takes says how busy the machine is, not whether a property holds.
settings.register_profile("pliant", deadline=None)
settings.load_profile("pliant")

# Hypothesis tries numbers that stand in sources which are loaded, so that with `derandomize` too the examples
# were others by what else was run, and after an edit elsewhere. Where it has them, it is handed none.
if hasattr(providers, "_get_local_constants"):
    providers._get_local_constants = providers.Constants


@pytest.fixture(autouse=True)
def no_lines_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a command prints does not depend on how busy the machine is: no line of progress after seconds."""
    monkeypatch.setattr("pliant.cli.watch.EVERY", float("inf"))


@pytest.fixture
def not_shaken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the climb of an assembly alone is asked about: to shake parts at its end takes most of a solve.

    For tests that solve models of their own: what they share with others has been shaken.
    """
    monkeypatch.setattr("pliant.flex.solve.is_worth_perturbing", lambda system, walk: False)


@pytest.fixture(params=["climb", pytest.param("shaken", marks=pytest.mark.slow)])
def shaken_or_not(request: pytest.FixtureRequest) -> None:
    """The climb alone in quick tests, and shaken at its end, as users have it, in slow ones."""
    if request.param == "climb":
        request.getfixturevalue("not_shaken")
