"""What numba finds for calls of its own functions and operators, and how large types are, found once.

Wherever a loop adds two numbers, numba tries every way to add that it knows, those for dates and for text
among them. While pliant's loops are compiled it is told what it found for the same types before.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from numba.core import types
from numba.core.base import BaseContext
from numba.core.targetconfig import ConfigStack

function: Any = types.Function
target: Any = BaseContext
look_for = getattr(function, "get_call_type", None)  # as numba has it
measure = getattr(target, "get_abi_sizeof", None)

_FOUND: dict[Any, tuple[Any, Any]] = {}  # by function, options and types: the signature, and whose code it is
_OPTIONS: dict[Any, int] = {}  # numbers of the compiler's options
_SIZES: dict[str, int] = {}  # bytes, by LLVM's name of a type
_NUMBERED: dict[int, tuple[Any, int]] = {}  # the same, by where the options lie: to compare them takes long


@contextmanager
def resolved_once() -> Generator[None]:
    """While loops are compiled, by one thread at a time: what is looked up belongs to all of numba."""
    if (
        None in (look_for, measure) or function.get_call_type is not look_for
    ):  # another version; or so already
        yield
        return
    function.get_call_type, target.get_abi_sizeof = _resolve_once, _measure_once
    try:
        yield
    finally:
        function.get_call_type, target.get_abi_sizeof = look_for, measure
        _NUMBERED.clear()


def _measure_once(self: Any, kind: Any) -> int:
    """Bytes that a type takes: numba has LLVM read a module for each."""
    text = str(kind)
    if text not in _SIZES or "%" in text:  # by a name that may be of another type elsewhere
        _SIZES[text] = measure(self, kind)  # type: ignore[misc]
    return _SIZES[text]


def _resolve_once(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """The signature of a function for types; and, for what lowers the call, whose code that is."""
    asked = (self, context, _options(), tuple(args), tuple(kws.items()))
    if asked not in _FOUND:
        signature: Any = look_for(self, context, args, kws)  # type: ignore[misc]
        keys = getattr(self, "_impl_keys", {})
        if signature is None or signature.args not in keys:
            return signature
        _FOUND[asked] = signature, keys[signature.args]
    signature, self._impl_keys[signature.args] = _FOUND[asked]
    return signature


def _options() -> int:
    """The number of the options in force: numba compiles what it has written in Python with the same."""
    options = ConfigStack.top_or_none()
    numbered = _NUMBERED.get(id(options))
    if numbered is None:
        number = _OPTIONS.setdefault(options and options.copy(), len(_OPTIONS))
        numbered = _NUMBERED[id(options)] = options, number
    return numbered[1]
