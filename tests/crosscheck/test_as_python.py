"""The gallery, a little of each, solved by compiled loops and as Python: the same endings, words and numbers.

Compiled sums are added in another order, so roundings differ, and steps that end a search once it is near
enough may be one more or less. What is found in the end is the same to the tolerances of the solvers, which
are 1e-6 of the size or finer; how many steps were taken, and where slack parts were on the way, is not.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.processes import WITH_TESTS, said

from pliant import gallery

QUICK = tuple(gallery.quick_examples())

NEAR = 1e-6  # of the largest number of a kind
ALIKE = {"reactions": "forces", "internal_load": "forces"}  # numbers of one kind
ON_THE_WAY = ("seconds", "motion", "path", "iterations", "residual")
NUMBER = re.compile(r"[-+]?\d+(?:,\d{3})*(?:\.\d*)?(?:e[-+]?\d+)?")

SOLVE = "import sys; from tests.crosscheck.shortened import main; main(sys.argv[1:])"

Found = dict[str, tuple[str, dict[str, Any], list[str]]]


def solved(names: tuple[str, ...], **variables: str) -> Found:
    """Summaries, results and loops compiled anew, by name, of a process of its own."""
    out, complaints = said(SOLVE, None, *names, PYTHONPATH=WITH_TESTS, **variables)
    assert "Warning" not in complaints
    return {name: tuple(rest) for name, *rest in map(json.loads, out.splitlines())}


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


def kind(key: str) -> str:
    return ALIKE.get(key.split(".")[1], key.split(".")[1])


def compare(name: str, compiled: Found, as_python: Found) -> None:
    summary, here, _ = compiled[name]
    wanted_summary, data, _ = as_python[name]
    assert NUMBER.sub("#", summary) == NUMBER.sub("#", wanted_summary), name
    for key in ON_THE_WAY:
        data.pop(key, None)
        here.pop(key, None)
    found, wanted = list(numbers(here)), list(numbers(data))
    assert [key for key, _ in found] == [key for key, _ in wanted], name
    sizes: dict[str, float] = {}
    for key, value in wanted:
        room = kind(key)
        sizes[room] = max(sizes.get(room, 0.0), abs(value) if isinstance(value, int | float) else 0.0)
    for (key, value), (_, other) in zip(found, wanted, strict=True):
        if isinstance(value, float) and isinstance(other, float):
            assert abs(value - other) <= NEAR * sizes[kind(key)] + 1e-9, (name, key)
        else:
            assert value == other, (name, key)


def check(names: tuple[str, ...]) -> None:
    """In two processes: one cannot compile, and the other needs no loop that `pliant warm` leaves out."""
    compiled, as_python = solved(names), solved(names, NUMBA_DISABLE_JIT="1")
    assert set(compiled) == set(as_python) == set(names)
    for name in names:
        compare(name, compiled, as_python)
    assert {name: new for name, (_, _, new) in compiled.items() if new} == {}


@pytest.mark.slow
@pytest.mark.parametrize("names", [QUICK[::2], QUICK[1::2]], ids=["half", "other half"])
def test_compiled_and_as_python_the_gallery_is_the_same(names: tuple[str, ...]):
    check(names)
