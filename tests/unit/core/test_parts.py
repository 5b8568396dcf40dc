"""What numba has written in Python becomes part of a loop, and is whole again for whoever else compiles."""

import numba
import numpy as np
import pytest
from numba.core import compiler
from numba.core.event import install_recorder

from pliant.core.kernel import inner, kernel
from pliant.core.lowering import as_parts

GIVEN = np.array([3.0, 1.0, 2.0])


def ordered(values):
    """numpy's functions that numba has written in Python, and their errors."""
    both = np.concatenate((values, np.full(2, 0.5)))
    places = np.argsort(both)
    return np.searchsorted(both[places], 1.5) + np.max(both) + np.take(both, 1)


def shifted(values, other):
    return values + other


@inner
def power(x, n):
    made = 1.0
    for _ in range(n):
        made *= x
    return made


@kernel
def polynomial(x, n):
    return power(x, 0) + power(x, 1) + power(x, 2) + power(x, n)


def test_a_loop_and_code_of_a_users_own_give_what_numpy_gives_in_either_order():
    wanted = ordered(GIVEN)
    assert numba.njit(ordered)(GIVEN) == wanted
    assert kernel(ordered)(GIVEN) == wanted
    assert numba.njit(ordered)(GIVEN) == wanted  # compiled anew, with what the loop has left


@pytest.mark.parametrize("compile_", [kernel, numba.njit])
def test_errors_of_numbas_own_functions_are_raised_in_words(compile_):
    made = compile_(shifted)
    assert made(GIVEN, GIVEN).tolist() == [6.0, 2.0, 4.0]
    with pytest.raises(ValueError, match="broadcast"):
        made(GIVEN, np.zeros(2))


def test_a_loop_that_is_handed_constants_is_compiled_once():
    with install_recorder("numba:compile") as seen:
        assert polynomial(3.0, 3) == 1.0 + 3.0 + 9.0 + 27.0
    names = [event.data["dispatcher"].py_func.__name__ for _, event in seen.buffer if event.is_start]
    assert names.count("power") == 1


def test_numba_compiles_as_it_did_afterwards_and_after_an_error():
    before = compiler.Compiler.define_pipelines

    @as_parts()
    def fail():
        raise LookupError(compiler.Compiler.define_pipelines is before)

    with pytest.raises(LookupError, match="False"):
        fail()
    assert compiler.Compiler.define_pipelines is before
