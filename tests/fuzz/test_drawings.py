"""Broken drawings are read or refused in words; `python -m tests.fuzz.drawings` goes on for longer."""

from pathlib import Path

import pytest
from tests.fuzz.drawings import trial


@pytest.mark.parametrize("first", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(40, 800, 40))])
def test_broken_drawings_are_read_or_refused_in_words(first: int, tmp_path: Path):
    assert [wrong for seed in range(first, first + 40) if (wrong := trial(seed, tmp_path))] == []
