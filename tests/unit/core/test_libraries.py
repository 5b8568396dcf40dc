"""Loops that others call by name: the same answers, machine code once, and kept whole with what calls them."""

import pickle

import numpy as np
import pytest

from pliant.core import libraries
from pliant.core.kernel import as_python, inner, inner_shared, kernel, kernel_shared


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
