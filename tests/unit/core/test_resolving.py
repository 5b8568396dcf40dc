"""What numba finds for its own functions is found once, while loops are compiled and no longer."""

import numpy as np
from numba.core import types
from numba.core.base import BaseContext

from pliant.core import resolving
from pliant.core.kernel import kernel, kernel_fast


def powers(values, n):
    total = 0.0
    for k in range(n):
        total += values[k] ** 2 + values[k] ** -1 + 2 * values[k] - n // 2 + max(values[k], 1.0)
    return total + (n**3 if n > 2 else 2**n)


GIVEN = np.array([1.5, 2.0, 0.25])


def test_operators_of_constants_and_numbers_give_what_python_gives():
    wanted = powers(GIVEN, 3)
    assert kernel(powers)(GIVEN, 3) == wanted
    assert abs(kernel_fast(powers)(GIVEN, 3) - wanted) < 1e-14 * wanted
    assert kernel(powers)(GIVEN, 2) == powers(GIVEN, 2)


def test_the_same_call_is_looked_for_once(monkeypatch):
    asked = []
    look_for = resolving.look_for

    def counted(self, context, args, kws):
        asked.append((self.key[0], tuple(args)))
        return look_for(self, context, args, kws)

    monkeypatch.setattr(resolving, "_FOUND", {})
    monkeypatch.setattr(resolving, "look_for", counted)
    monkeypatch.setattr(types.Function, "get_call_type", counted)

    @kernel
    def sums(x):
        y = x + x
        y = y + x
        return y + y + x

    assert sums(2.0) == 14.0
    assert len(asked) == len(set(asked)) > 0


def test_numba_is_as_it_was_afterwards_and_after_an_error():
    class StopError(Exception):
        pass

    before = types.Function.get_call_type, BaseContext.get_abi_sizeof
    try:
        with resolving.resolved_once():
            assert types.Function.get_call_type is not before[0]
            with resolving.resolved_once():
                pass
            assert types.Function.get_call_type is not before[0]
            raise StopError
    except StopError:
        pass
    assert (types.Function.get_call_type, BaseContext.get_abi_sizeof) == before


def test_where_numba_has_no_such_step_it_is_left_alone(monkeypatch):
    monkeypatch.setattr(resolving, "look_for", None)
    before = types.Function.get_call_type
    with resolving.resolved_once():
        assert types.Function.get_call_type is before
