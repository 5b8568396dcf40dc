"""What tests of assemblies share."""

import pytest


@pytest.fixture
def not_shaken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the climb alone is asked about: to shake the parts at its end takes most of the time of a solve.

    For tests that solve models of their own: what they share with others has been shaken.
    """
    monkeypatch.setattr("pliant.flex.solve.FEW", 0)
