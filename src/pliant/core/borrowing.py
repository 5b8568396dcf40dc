"""Loops that need not count references: the arrays that they see are their caller's while the call lasts.

numba counts whenever a function looks at an array, and has LLVM find out later that most of it cancels. A
function that makes no array and returns none need not begin with it.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir, types

TAKEN = ("getattr", "static_getitem", "getitem", "exhaust_iter", "getiter", "iternext", "pair_first")
LOOKS = (*TAKEN, "cast", "phi", "build_tuple")  # expressions that make nothing
PLAIN = (types.Integer, types.SliceType, types.NoneType, types.EllipsisType)  # indices that give a view


def borrows_only(state: Any) -> bool:
    """Whether a function neither makes nor returns anything that is counted, nor asks numba's own to."""
    if is_counted(state.targetctx, state.return_type) or state.func_ir.is_generator:
        return False
    for block in state.func_ir.blocks.values():
        for step in block.body:
            if isinstance(step, ir.Assign) and not _borrows(state, step):
                return False
            if isinstance(step, ir.SetItem) and is_counted(state.targetctx, state.typemap[step.value.name]):
                return False  # an array put into an array: where they overlap, numba makes a copy
    return True


def _borrows(state: Any, step: Any) -> bool:
    value = step.value
    if isinstance(value, ir.Expr) and value.op == "call":
        called = state.typemap[value.func.name]
        if not isinstance(called, types.Dispatcher) and _takes_counted(state, called, value):
            return False
    if not is_counted(state.targetctx, state.typemap[step.target.name]):
        return True
    if isinstance(value, ir.Expr):
        return value.op in LOOKS and _views(state, value)
    return isinstance(value, ir.Arg | ir.Var)


def _takes_counted(state: Any, called: Any, call: Any) -> bool:
    """Whether numba's own function is handed an array, other than to say how long it is."""
    if getattr(called, "typing_key", None) is len:
        return False
    given = [state.typemap[each.name] for each in (*call.args, *(value for _, value in call.kws))]
    return any(is_counted(state.targetctx, each) for each in (*given, getattr(called, "this", types.none)))


def _views(state: Any, value: Any) -> bool:
    """Whether what is taken out of an array is a part of it: by an array of indices it is a copy."""
    if value.op not in ("getitem", "static_getitem"):
        return True
    if value.op == "static_getitem" and value.index_var is None:
        return True
    index = state.typemap[(value.index if value.op == "getitem" else value.index_var).name]
    parts: Any = getattr(index, "types", (index,))
    return all(isinstance(each, PLAIN) for each in parts)


def is_counted(context: Any, kind: Any) -> bool:
    """Whether numba counts references to values of a type."""
    return context.data_model_manager[kind].contains_nrt_meminfo()
