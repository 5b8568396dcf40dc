"""Named tuples reach loops by reference: the same answers, no reference lost or left over, none returned."""

import sys
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core import types
from numba.core.runtime import _nrt_python as counts
from numba.core.runtime import rtsys

from pliant.core.bundles import Bundle, by_reference
from pliant.core.kernel import as_python, inner, kernel


class Inside(NamedTuple):
    weights: Any  # (n,)
    factor: float
    heavy: bool


class Outside(NamedTuple):
    inside: Inside
    values: Any  # (n,)
    rows: Any  # (m, n)


class Numbers(NamedTuple):
    first: float
    second: float


GIVEN = Outside(Inside(np.array([1.0, 2.0, 3.0]), 0.5, True), np.arange(3.0), np.arange(12.0).reshape(4, 3))


@inner
def weighted(bundle):
    total = 0.0
    for k in range(len(bundle.values)):
        total += bundle.inside.weights[k] * bundle.values[k]
    return total * bundle.inside.factor if bundle.inside.heavy else 0.0


@inner
def row_sums(bundle):
    """Looks at rows, one after the other, and makes no array."""
    most = 0.0
    for row in bundle.rows:
        part, total = row[1:], 0.0
        for value in part:
            total += value
        most = max(most, total)
    return most


@inner
def doubled(bundle):
    return Outside(bundle.inside.weights, 2.0 * bundle.values, bundle.rows).values


@kernel
def handed_on(bundle):
    return weighted(bundle) + row_sums(bundle)


@kernel
def made_in_a_loop(bundle):
    inside = Inside(2.0 * bundle.inside.weights, 2.0, True)
    total = 0.0
    for k in range(3):
        total += weighted(Outside(inside, bundle.rows[k], bundle.rows))
        total += weighted(Outside(bundle.inside, bundle.rows[k], bundle.rows))
    return total


@kernel
def taken_out(bundle):
    return bundle.inside.weights, bundle.rows[1:], doubled(bundle)


@inner
def sum_of(inside):
    weights, factor, heavy = inside
    return weights[0] * factor if heavy else -1.0


@kernel
def unpacked(bundle):
    inside, values, rows = bundle
    weights, _, _ = inside
    return sum_of(inside) + weights[1] + values[2] + rows[1, 1] + len(bundle)


@kernel
def by_number(bundle):
    pair = bundle[1:]
    return bundle[0][0][2] + bundle[-1][3, 2] + pair[0][1] + pair[1][2, 0] + sum_of(bundle[0])


LOOPS = (handed_on, made_in_a_loop, taken_out, unpacked, by_number)


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.py_func.__name__)
def test_a_bundle_is_read_as_the_named_tuple_is(loop):
    wanted, found = as_python(loop.py_func)(GIVEN), loop(GIVEN)
    if loop is not taken_out:
        wanted, found = (wanted,), (found,)
    for want, got in zip(wanted, found, strict=True):
        np.testing.assert_array_equal(got, want)


def test_an_inner_loop_is_compiled_once_for_tuples_of_python_and_of_loops():
    @inner
    def heaviest(bundle):
        return bundle.inside.weights[-1] * bundle.values[-1]

    @kernel
    def handed(bundle):
        return heaviest(bundle)

    @kernel
    def made(bundle):
        return heaviest(Outside(bundle.inside, bundle.rows[0], bundle.rows))

    assert handed(GIVEN) == made(GIVEN) == 6.0
    assert len(heaviest.overloads) == 1


@pytest.fixture
def _counted():
    """With numba's count of what it allocates and frees."""
    counts.memsys_enable_stats()
    yield
    counts.memsys_disable_stats()


@pytest.mark.usefixtures("_counted")
def test_no_reference_is_lost_or_left_over():
    arrays = (GIVEN.inside.weights, GIVEN.values, GIVEN.rows)
    for loop in LOOPS:
        loop(GIVEN)
    held, before = [sys.getrefcount(array) for array in arrays], rtsys.get_allocation_stats()
    for _ in range(20):
        for loop in LOOPS:
            loop(GIVEN)
    after = rtsys.get_allocation_stats()
    assert [sys.getrefcount(array) for array in arrays] == held
    assert after.alloc - before.alloc == after.free - before.free > 0


def test_an_array_outlives_the_tuple_it_was_taken_out_of():
    weights, rows, twice = taken_out(Outside(GIVEN.inside, np.arange(3.0), np.arange(12.0).reshape(4, 3)))
    np.empty(12).fill(7.0)  # where the rows lay, if they were let go
    assert rows.tolist() == np.arange(3.0, 12.0).reshape(3, 3).tolist()
    assert twice.tolist() == [0.0, 2.0, 4.0]
    assert weights is GIVEN.inside.weights


def test_a_loop_that_returns_what_it_was_handed_is_refused():
    @inner
    def inside(bundle):
        return bundle.inside, 1.0

    @kernel
    def factor(bundle):
        return inside(bundle)[0].factor

    with pytest.raises(TypeError, match="inside returns the Inside that it was handed"):
        factor(GIVEN)


def test_named_tuples_of_numbers_are_handed_on_as_they_are():
    numbers = types.NamedUniTuple(types.float64, 2, Numbers)
    assert by_reference(numbers) is numbers
    named = types.NamedTuple((types.float64[::1], types.int64, types.boolean), Inside)
    assert isinstance(by_reference(named), Bundle)
    assert by_reference(by_reference(named)) == by_reference(named)


def test_a_field_that_is_not_a_tuple_as_before_asks_for_other_code():
    handed_on(GIVEN)
    other = GIVEN._replace(values=np.arange(6.0)[::2])
    assert handed_on(other) == pytest.approx(as_python(handed_on.py_func)(other))
    assert len(handed_on.signatures) == 2


def test_where_numba_sets_its_optimiser_up_another_way_that_is_left_to_it(monkeypatch: pytest.MonkeyPatch):
    asked: list[dict[str, Any]] = []

    def old(self: Any, *args: Any, **options: Any) -> Any:
        asked.append(options)
        if "opt" in options:
            raise TypeError("unexpected keyword")
        return set_up(self, *args, **options)

    from numba.core.codegen import CPUCodegen

    set_up = CPUCodegen._function_pass_manager
    monkeypatch.setattr(CPUCodegen, "_function_pass_manager", old)

    @kernel
    def scaled(bundle):
        return 3.0 * weighted(bundle)

    assert scaled(GIVEN) == 3.0 * as_python(weighted.py_func)(GIVEN)
    assert [options for options in asked if "opt" not in options]
