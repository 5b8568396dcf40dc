"""Loops that others call by name: the same answers, machine code once, kept whole with what calls them."""

import numpy as np
import pytest
from tests.tiny import Tiny

from pliant.core import libraries
from pliant.core.kernel import as_python, inner, inner_shared, kernel, kernel_shared

DEEP = """from pliant.core.kernel import inner_shared, kernel_shared
@inner_shared
def scaled(x):
    if x < 0.0:
        raise ValueError("below nothing")
    return 2.0 * x
@inner_shared
def raised(x):
    return scaled(x) + 1.0
@kernel_shared
def part(x):
    return raised(x) + scaled(x)
"""
LOOP = """from pliant.core.kernel import kernel
from pliant.tiny.deep import part, raised
@kernel
def total(x):
    return raised(x) + 1.0
@kernel
def other(x):
    return part(x) - raised(x)
"""
RUN = """
import os
from numba.core.event import install_recorder
from pliant.tiny.deep import part
from pliant.tiny.loop import other, total
loops = {"part": part, "total": total, "other": other}
for name in os.environ["LOOPS"].split():
    with install_recorder("numba:compile") as seen:
        print(loops[name](5.0), end=" ")
    try:
        loops[name](-1.0)
    except ValueError as error:
        print("compiled" if seen.buffer else "loaded", error, end="; ")
"""
ANSWERS = {"part": "21.0", "total": "12.0", "other": "10.0"}


@inner
def half(value):
    return 0.5 * value


@inner_shared
def total(values):
    summed = 0.0
    for k in range(len(values)):
        summed += half(values[k])
    if summed < 0.0:
        raise ValueError("a sum below nothing")
    return summed


@inner_shared
def spread(values):
    return total(values) + values[0]


@kernel_shared
def twice(values):
    return 2.0 * total(values)


@kernel
def first(values):
    return spread(values) + total(values)


@kernel
def second(values):
    return spread(values) * twice(values)


GIVEN = np.array([3.0, 4.0, 5.0])


@pytest.mark.parametrize("loop", [twice, first, second], ids=lambda loop: loop.py_func.__name__)
def test_what_is_called_by_name_answers_as_python_does(loop):
    assert loop(GIVEN) == as_python(loop.py_func)(GIVEN)


def named(loop):
    library = loop.overloads[loop.signatures[0]].library
    return {name.split("B")[0] for name in libraries.shared_by(library)}, library


def test_machine_code_is_made_once_and_kept_with_each_kernel_that_names_it():
    first(GIVEN), second(GIVEN)
    assert len(total.overloads) == len(spread.overloads) == 1
    names, library = named(first)
    assert [any(name.endswith(each) for name in names) for each in ("total", "spread", "half")] == [
        True,
        True,
        False,
    ]
    inside = [each.name for each in library._final_module.functions if not each.is_declaration]
    assert not any("total" in name or "spread" in name for name in inside)


def test_an_error_in_what_is_called_by_name_is_raised():
    with pytest.raises(ValueError, match="a sum below nothing"):
        first(-GIVEN)


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """All of it compiled in one process."""
    made = Tiny(tmp_path_factory.mktemp("once"))
    made.write("deep", DEEP)
    made.write("loop", LOOP)
    assert made.run(RUN, LOOPS="total part other") == said(
        total="compiled", part="compiled", other="compiled"
    )
    return made


def said(**loops: str) -> str:
    return " ".join(f"{ANSWERS[name]} {how} below nothing;" for name, how in loops.items())


@pytest.mark.few(2)
@pytest.mark.parametrize("order", ["total part other", "other part total", "other", "part total"])
def test_each_kernel_is_loaded_with_what_it_names(once: Tiny, order: str):
    assert once.run(RUN, LOOPS=order) == said(**dict.fromkeys(order.split(), "loaded"))


@pytest.mark.few(1)
@pytest.mark.parametrize("lost", ["total", "part", "other"])
def test_what_is_missing_is_compiled_beside_what_is_loaded_and_kept_whole(once: Tiny, tmp_path, lost: str):
    tiny = once.copied(tmp_path)
    tiny.write("deep", DEEP)
    tiny.write("loop", LOOP)
    for path in tiny.cache.rglob(f"{lost}-*.code"):
        path.unlink()
    rest = [name for name in ANSWERS if name != lost]
    how = {**dict.fromkeys(rest, "loaded"), lost: "compiled"}
    assert tiny.run(RUN, LOOPS=" ".join(how)) == said(**how)
    assert tiny.run(RUN, LOOPS=lost) == said(**{lost: "loaded"})
