"""The gallery, solved by compiled loops and as Python: the same endings, words and numbers.

Compiled sums are added in another order, so roundings differ, and steps that end a search once it is near
enough may be one more or less. What is found in the end is the same to the tolerances of the solvers, which
are 1e-6 of the size or finer; how many steps were taken, and where slack parts were on the way, is not.
"""

import json
import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from tests.processes import said

import pliant
from pliant import gallery
from pliant.core import loops

SAMPLE = ("drawer", "klann", "singular", "incline", "two-hooks")
LONG = ("finger", "cam", "hoist", "crawler")  # minutes as Python
REST = tuple(name for name in gallery.quick() if name not in SAMPLE + LONG)

NEAR = 1e-6  # of the largest number of a kind
ON_THE_WAY = ("seconds", "motion", "path", "iterations", "residual")
NUMBER = re.compile(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?")

SOLVE = """
import json, sys
from numba.core import config
import pliant
from pliant import gallery
assert config.DISABLE_JIT
for name in sys.argv[1:]:
    result = pliant.solve(gallery.load(name))
    print(json.dumps([name, result.summary(), result.to_dict()]))
"""


@cache
def as_python(names: tuple[str, ...]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Summaries and results by name, of a process that cannot compile."""
    out, complaints = said(SOLVE, None, *names, NUMBA_DISABLE_JIT="1")
    assert "Warning" not in complaints
    return {name: (summary, data) for name, summary, data in map(json.loads, out.splitlines())}


def numbers(data: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Everything in a result, named by the keys that lead to it."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from numbers(value, f"{name}.{key}")
    elif isinstance(data, list):
        for value in data:
            yield from numbers(value, name)
    else:
        yield name, data


def compare(name: str, names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "SMALL", -math.inf)  # nothing is small: all of it is compiled
    result = pliant.solve(gallery.load(name))
    summary, data = as_python(names)[name]
    assert NUMBER.sub("#", summary) == NUMBER.sub("#", result.summary())
    here = json.loads(json.dumps(result.to_dict()))
    for key in ON_THE_WAY:
        data.pop(key, None)
        here.pop(key, None)
    found, wanted = list(numbers(here)), list(numbers(data))
    assert [key for key, _ in found] == [key for key, _ in wanted]
    sizes: dict[str, float] = {}
    for key, value in wanted:
        room = key.split(".")[1]
        sizes[room] = max(sizes.get(room, 0.0), abs(value) if isinstance(value, int | float) else 0.0)
    for (key, value), (_, other) in zip(found, wanted, strict=True):
        if isinstance(value, float) and isinstance(other, float):
            assert abs(value - other) <= NEAR * sizes[key.split(".")[1]] + 1e-9, key
        else:
            assert value == other, key


@pytest.mark.parametrize("name", SAMPLE)
def test_compiled_and_as_python_a_sample_of_the_gallery_is_the_same(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    compare(name, SAMPLE, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("names", [REST[::2], REST[1::2]], ids=["half", "other half"])
def test_compiled_and_as_python_the_rest_of_the_gallery_is_the_same(
    names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    """In two halves, each of which begins one process: one for each model would take the time of all."""
    for name in names:
        compare(name, names, monkeypatch)
