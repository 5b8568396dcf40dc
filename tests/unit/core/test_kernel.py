"""Loops give the same answers compiled and as Python, and as Python nothing is compiled or complained of."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.event import install_recorder
from numpy.testing import assert_allclose

from pliant.core import loops
from pliant.core.kernel import as_python, inner, inner_fast, kernel, kernel_fast
from pliant.core.loops import run_loops


@inner
def reciprocal(x):
    return 1.0 / x


@inner
def twice(x):
    return 2.0 * reciprocal(x)


@inner_fast
def square(x):
    return x * x


@kernel
def total(values):
    sums = 0.0
    for k in range(len(values)):
        sums += twice(values[k])
    return sums


@kernel_fast
def length(values):
    sums = 0.0
    for k in range(len(values)):
        sums += square(values[k])
    return np.sqrt(sums)


@kernel
def swap(pair):
    return pair[1], pair[0]


class Fields(NamedTuple):
    values: Any
    count: int


@kernel
def gathered(fields):
    sums = 0.0
    for k in range(fields.count):
        sums += fields.values[k]
    return sums


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch):
    """Within small work, with nobody who compiles beside it."""
    monkeypatch.setattr(loops, "compile_beside", lambda method: None)
    with run_loops("none", 0.0):
        yield


def compilations(work: Callable[[], Any]) -> tuple[Any, int]:
    """What comes of some work, and how often the compiler was called."""
    with install_recorder("numba:compile") as seen:
        found = work()
    return found, len(seen.buffer)


VALUES = np.linspace(-3.0, 5.0, 1001) + 0.001


@pytest.mark.usefixtures("_small")
def test_small_work_compiles_nothing():
    for work in (lambda: total(VALUES), lambda: length(VALUES), lambda: swap((1, 2.5))):
        assert compilations(work)[1] == 0


def test_compiled_and_as_python_the_answer_is_the_same():
    # Sums of n terms in another order differ by n roundings of the largest partial sum, at most.
    for loop in (total, length, swap):
        given = (1, 2.5) if loop is swap else VALUES
        bound = len(VALUES) * np.finfo(float).eps * np.abs(2 / VALUES).sum()
        assert_allclose(as_python(loop.py_func)(given), loop(given), rtol=0, atol=bound)


def test_named_tuples_are_read_by_their_fields_either_way():
    fields = Fields(VALUES, 10)
    assert gathered(fields) == as_python(gathered.py_func)(fields)


def test_an_inner_loop_called_from_python_runs_as_python():
    assert compilations(lambda: twice(4.0)) == (0.5, 0)
    assert compilations(lambda: twice(x=4.0)) == (0.5, 0)
    assert compilations(lambda: square(3.0)) == (9.0, 0)


@pytest.mark.usefixtures("_small")
def test_division_by_zero_and_overflow_give_no_warning_as_python():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(total(np.array([0.0, -0.0])))  # ∞ − ∞
        assert length(np.array([1e200, 1e200])) == np.inf
        assert twice(np.float64(0.0)) == np.inf


def test_compiled_they_give_the_same_infinities():
    assert np.isnan(total(np.array([0.0, -0.0])))
    assert length(np.array([1e200, 1e200])) == np.inf


def test_settings_of_numpy_are_put_back_after_a_loop_that_ran_as_python():
    before = np.geterr()
    twice(np.float64(0.0))
    assert np.geterr() == before


def test_a_loop_with_default_values_is_refused():
    def scaled(x, factor=2.0):
        return factor * x

    for mark in (kernel, kernel_fast, inner, inner_fast):
        with pytest.raises(TypeError, match="scaled: a loop takes no default values"):
            mark(scaled)


def test_a_loop_whose_compilation_was_stopped_compiles_when_called_again(monkeypatch: pytest.MonkeyPatch):
    @inner
    def below(x):
        return x + 1.0

    @kernel
    def above(x):
        return below(x) + below(2 * x)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("pliant.core.lowering.InnerLowering.run_pass", stop)
        with pytest.raises(KeyboardInterrupt):
            above(1.0)
    assert above(1.0) == 5.0
    assert compilations(lambda: above(2.0)) == (8.0, 0)


def test_numbers_come_back_from_python_as_they_do_from_compiled_code():
    @inner
    def sums(values):
        return values[0] + values[1], values[0] > values[1], (values.astype(np.int64)[0],)

    given = sums(np.array([1.0, 2.0]))
    assert [type(one) for one in (*given[:2], *given[2])] == [float, bool, int]


@inner
def half_as_much_again(values):
    return values * 0.5 + values


@inner
def squares(count):
    return np.array([k * k for k in range(count)])


@kernel
def of_whole_arrays_and_comprehensions(values, count):
    return half_as_much_again(values).sum() + squares(count).sum()


def test_loops_may_hold_whole_arrays_and_comprehensions():
    values = np.array([1.0, 2.0])
    wanted = as_python(of_whole_arrays_and_comprehensions.py_func)(values, 4)
    assert of_whole_arrays_and_comprehensions(values, 4) == pytest.approx(wanted) == pytest.approx(18.5)
