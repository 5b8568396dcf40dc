"""Compiled loops: numba's compiler as pliant uses it.

`kernel` marks what Python calls: compiled on first use and kept on disk (`core.kept`), or run as Python while
nothing compiled is there and the work is small (`core.loops`). `inner` marks what only other loops call.

Importing this module imports numba: whoever does is about to run a loop that is worth it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial, wraps
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config as numba_config
from numba.core import types

from pliant.core import loops
from pliant.core.bundles import by_reference
from pliant.core.kept import Kept
from pliant.core.libraries import environments
from pliant.core.lowering import (
    InnerCompiler,
    KernelCompiler,
    NamedInnerCompiler,
    NamedKernelCompiler,
    as_parts,
)
from pliant.core.resolving import resolved_once

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba_config  # its names are made at run time

FREELY = frozenset({"reassoc", "nsz", "contract"})  # sums in any order: only so are four added at a time


def kernel(function: Function) -> Function:
    """Compile `function` on first use, keep the result on disk, run it without the GIL."""
    return _kernel(function)


def kernel_fast(function: Function) -> Function:
    """The same, with sums in any order: only so can the processor add four at a time."""
    return _kernel(function, fastmath=set(FREELY))


def kernel_shared(function: Function) -> Function:
    """The same as `kernel`; other loops call it by its name, so that machine code of it is made once."""
    return _kernel(function, pipeline_class=NamedKernelCompiler)


def inner(function: Function) -> Function:
    """What only other loops call: compiled with them. Called from Python, it runs as Python."""
    return _inner(function)


def inner_fast(function: Function) -> Function:
    """The same, with sums in any order."""
    return _inner(function, fastmath=set(FREELY))


def inner_shared(function: Function) -> Function:
    """What several kernels call, and does much at each call: machine code of it is made once, for all."""
    return _inner(function, pipeline_class=NamedInnerCompiler)


def _inner(function: Function, **options: Any) -> Function:
    if config.DISABLE_JIT:
        return cast(Function, as_python(function))
    made = _dispatcher(function, **{"no_cpython_wrapper": True, "pipeline_class": InnerCompiler, **options})
    made.add_overload = partial(_remember, made)
    made._compile_for_args = lambda *_args: as_python(function)
    return cast(Function, made)


def _kernel(function: Function, **options: Any) -> Function:
    if config.DISABLE_JIT:
        return cast(Function, as_python(function))
    made = _dispatcher(function, **{"pipeline_class": KernelCompiler, **options})
    made._cache = Kept(function)
    made._compile_for_args = partial(_callee_chooser, made, made._compile_for_args)
    loops.KERNELS.append(made)
    return cast(Function, made)


def _dispatcher(function: Any, **options: Any) -> Any:
    if function.__defaults__:  # numba hands on stand-ins for them, which Python cannot use
        raise TypeError(f"{function.__module__}.{function.__name__}: a loop takes no default values")
    njit: Any = numba.njit
    made = njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True, **options)(function)
    made.get_call_template = partial(_call_template, made.get_call_template)
    # Of every loop, those that run as Python too: numba asks once for all of them what a tuple's type is.
    made.typeof_pyval = partial(_typeof, made.typeof_pyval)
    return made


def _call_template(get: Callable[..., Any], args: Any, kws: Any) -> Any:
    """What numba asks a loop that calls another for: here named tuples are handed on by reference.

    And what is handed a constant is compiled as for any number: apart for each, numba would have it.
    """
    return get(tuple(map(_as_handed, args)), {name: _as_handed(kind) for name, kind in kws.items()})


def _as_handed(kind: Any) -> Any:
    return by_reference(types.unliteral(kind))


def _typeof(typeof: Callable[[Any], Any], value: Any) -> Any:
    return by_reference(typeof(value))


def _remember(made: Any, result: Any) -> None:
    """Let other loops find what was compiled, and Python not."""
    made.overloads[tuple(result.signature.args)] = result


def _callee_chooser(made: Any, compile_for: Callable[..., Any], *args: Any) -> Callable[..., Any]:
    """What numba shall call for arguments of a signature that is not loaded: compiled code, or Python."""
    signature = tuple(map(made.typeof_pyval, args))
    if loops.runs_as_python(made, signature):
        return as_python(made.py_func)
    with loops.compile_loop(made, signature), resolved_once(), as_parts():
        entry = compile_for(*args)
        _set_environments(made, signature)
    return entry


def _set_environments(made: Any, signature: Any) -> None:
    """Give inner loops that were linked in the environments that numba gives what it finishes itself."""
    result = made.overloads.get(signature)
    if result is not None and result.metadata is not None:  # compiled here, not loaded
        for environment in environments(result.library):
            result.codegen.set_env(environment.env_name, environment)


def as_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` run by the interpreter, with every loop that it calls; overflow and 0/0 give inf and NaN."""

    @wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return _native(_plain(function)(*args))

    return run


def _native(value: Any) -> Any:
    """Python's numbers in place of numpy's, as compiled code returns them."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple):
        items = map(_native, cast(tuple[Any, ...], value))
        return cast(Any, value)._make(items) if hasattr(value, "_make") else tuple(items)
    return value


_PLAIN: dict[
    int, dict[str, Any]
] = {}  # by identity of a module's names: the same, with loops as plain functions


@cache
def _plain(function: Any) -> Callable[..., Any]:
    """A copy of a function that finds plain functions where its module has loops."""
    names, closure = _plain_names(function.__globals__), function.__closure__
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__, closure)


def _plain_names(names: dict[str, Any]) -> dict[str, Any]:
    if id(names) not in _PLAIN:
        mine = _PLAIN[id(names)] = dict(names)
        for name, value in names.items():
            if (function := getattr(value, "py_func", None)) is not None:
                mine[name] = _plain(function)
    return _PLAIN[id(names)]
