"""What every test process does before it loads numpy, and what tests of several folders share."""

import os

import pytest
from hypothesis import settings

# Test processes run side by side, as many as there are processors. Threads of BLAS besides would wait for
# each other most of the time: a drawing that takes a second alone took forty.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# How long an example takes says how busy the machine is, not whether a property holds.
settings.register_profile("pliant", deadline=None)
settings.load_profile("pliant")


@pytest.fixture
def not_shaken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the climb of an assembly alone is asked about: to shake parts at its end takes most of a solve.

    For tests that solve models of their own: what they share with others has been shaken.
    """
    monkeypatch.setattr("pliant.flex.solve.is_worth_perturbing", lambda system, walk: False)
