"""What every test process does before it loads numpy, and what tests of several folders share."""

import gc
import os
from typing import Any

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


# Nothing goes of what is imported and collected: it is not looked through for garbage again and again.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem() -> Any:
    """Of the cases of a test marked few(count) so many are quick, from the first to the last; others slow."""
    found = yield
    cases = found if isinstance(found, list) else []
    mark = cases[0].get_closest_marker("few") if cases else None
    if mark is None:
        return found
    quick = [case for case in cases if not case.get_closest_marker("slow")]
    (count,) = mark.args
    apart = (len(quick) - 1) / max(count - 1, 1)
    kept = {round(k * apart) for k in range(count)}
    for place, case in enumerate(quick):
        if place not in kept:
            case.add_marker("slow")
    return found


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
