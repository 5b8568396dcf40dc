"""Inner loops for numba: checked and lowered once, optimised only inside what calls them.

numba optimises every function, makes machine code of it, and does both again for everything that
calls it, so that a chain of calls costs the square of its depth. An inner loop is handed on as it was
lowered; the optimiser and the code generator see a kernel, with all that it calls, once.

numba also looks in every function for closures and for sums of whole arrays, which loops seldom have: these
steps are left out of functions that cannot need them.
"""

from __future__ import annotations

import operator
from collections.abc import Generator
from contextlib import contextmanager
from types import CodeType
from typing import Any, ClassVar, Literal, cast

from numba.core import compiler, ir, typed_passes, types, untyped_passes
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.lowering import Lower

from pliant.core.borrowing import borrows_only, is_counted
from pliant.core.bundles import Bundle, refuse_returned, size
from pliant.core.libraries import Lowered, Named, Own, Unfinished, finish

POWERS = (operator.pow, operator.ipow)


class LoopLower(Lower):
    """Makes of a typed function what LLVM reads."""

    def extract_function_arguments(self) -> Any:
        """The arguments. Nobody writes to bundles: what is read of one, the optimiser may read once."""
        values: Any = super().extract_function_arguments()
        for kind, value in zip(self.fndesc.argtypes, values, strict=True):
            if isinstance(kind, Bundle):
                value.add_attribute("noalias")
                value.attributes.dereferenceable = size(self.context, kind)
        return values

    def delvar(self, name: str) -> None:
        """Forget a variable: only where it holds something that is counted there is something to do."""
        if self.context.enable_nrt and is_counted(self.context, self.typeof(name)):
            super().delvar(name)

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        """An operator. numba looks three times for code made for a constant, which powers alone have."""
        if op not in POWERS:
            expr.static_lhs = expr.static_rhs = ir.UNDEFINED
        return super().lower_binop(resty, expr, op)


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(typed_passes.NativeLowering):
    """Lowers a function that Python calls."""

    _name = "pliant_kernel_lowering"
    library: ClassVar[type[Own]] = Own

    @property
    def lowering_class(self) -> Any:
        """What lowers it."""
        return LoopLower

    def run_pass(self, state: Any) -> Literal[True]:
        """Lower as numba does."""
        refuse_returned(state.return_type, state.func_id.func_qualname)
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        typed_passes.NativeLowering.run_pass(self, state)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class NamedKernelLowering(KernelLowering):
    """Lowers a function that Python calls, and other loops by its name."""

    _name = "pliant_named_kernel_lowering"
    library: ClassVar[type[Own]] = Named

    def run_pass(self, state: Any) -> Literal[True]:
        """Lower as numba does, and let it be found."""
        super().run_pass(state)
        finish(state["cr"].fndesc.llvm_func_name, state.library)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(KernelLowering):
    """Lowers a function for its callers alone, without a way in from Python."""

    _name = "pliant_inner_lowering"
    library: ClassVar[type[Own]] = Unfinished

    def run_pass(self, state: Any) -> Literal[True]:
        """Lower as numba does, into code that is not finished."""
        refuse_returned(state.return_type, state.func_id.func_qualname)
        counted = state.targetctx
        state.flags.no_compile = True
        if borrows_only(state):
            state.targetctx = counted.subtarget(enable_nrt=False)
            state.targetctx.__dict__.pop("nrt", None)  # made for the other
        try:
            state.library = self.library(counted.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            typed_passes.NativeLowering.run_pass(self, state)
        finally:
            state.targetctx = counted
        lowered, entry = state["cr"], object()  # callers find it by this object
        state["cr"] = lowered._replace(cfunc=entry)
        state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class NamedInnerLowering(InnerLowering):
    """Lowers a function that other loops call by its name."""

    _name = "pliant_named_inner_lowering"
    library: ClassVar[type[Own]] = Named

    def run_pass(self, state: Any) -> Literal[True]:
        """Lower as numba does, finish the code and let it be found."""
        super().run_pass(state)
        finish(state["cr"].fndesc.llvm_func_name, state.library)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(typed_passes.NativeLowering):
    """Lowers what numba has written in Python, for its callers alone."""

    _name = "pliant_part_lowering"

    def run_pass(self, state: Any) -> Literal[True]:
        """Lower as numba does, into code that is not finished; but for what Python may call, too."""
        if not state.flags.no_cpython_wrapper:
            return super().run_pass(state)
        alone, state.flags.no_compile = state.flags.no_compile, True
        state.library = Lowered(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        super().run_pass(state)
        if not alone:  # callers find it by this object, which numba wants to be a function of C's
            lowered = state["cr"]
            state["cr"] = lowered._replace(cfunc=object().__reduce__)
            state.targetctx.insert_user_function(state["cr"].cfunc, lowered.fndesc, [state.library])
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class ClosuresInlined(untyped_passes.InlineClosureLikes):
    """What is defined within a function, comprehensions among it, made part of it: if there is any."""

    _name = "pliant_closures_inlined"

    def run_pass(self, state: Any) -> Literal[True]:
        """Look for closures only where code has code within."""
        if any(isinstance(each, CodeType) for each in state.func_id.code.co_consts):
            super().run_pass(state)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class ArraysRewritten(typed_passes.NopythonRewrites):
    """Sums and products of whole arrays made one loop each: if there are any."""

    _name = "pliant_arrays_rewritten"

    def run_pass(self, state: Any) -> Literal[True]:
        """Look for expressions only where one gives an array."""
        if _makes_arrays(state):
            super().run_pass(state)
        return True


def _makes_arrays(state: Any) -> bool:
    """Whether an expression other than a look at what is there gives an array."""
    for block in state.func_ir.blocks.values():
        for made in block.find_insts(ir.Assign):
            value = made.value
            plain = not isinstance(value, ir.Expr) or value.op in ("getattr", "static_getitem", "cast", "phi")
            if not plain and isinstance(state.typemap[made.target.name], types.Array):
                return True
    return False


INSTEAD: dict[Any, Any] = {
    untyped_passes.InlineClosureLikes: ClosuresInlined,
    typed_passes.NopythonRewrites: ArraysRewritten,
    typed_passes.NativeLowering: KernelLowering,
}

PARTS = {**INSTEAD, typed_passes.NativeLowering: PartLowering}  # of what numba has written in Python


def pipelines(state: Any, instead: dict[Any, Any]) -> list[PassManager]:
    """Every pass of numba's for a function without Python objects, or what is to be done instead."""
    build, made = compiler.DefaultPassBuilder, PassManager("pliant")
    for stage in (
        build.define_untyped_pipeline(state),
        build.define_typed_pipeline(state),
        build.define_nopython_lowering_pipeline(state),
    ):
        for step, why in cast(Any, stage).passes:
            made.add_pass(instead.get(step, step), why)
    made.finalize()
    return [made]


class KernelCompiler(compiler.CompilerBase):
    """numba's own way to compile, without the steps that a function cannot need."""

    instead: ClassVar[dict[Any, Any]] = INSTEAD

    def define_pipelines(self) -> list[PassManager]:
        """Every pass of numba's for a function without Python objects."""
        return pipelines(self.state, self.instead)


class InnerCompiler(KernelCompiler):
    """The same for inner loops, which are not finished."""

    instead: ClassVar[dict[Any, Any]] = {**INSTEAD, typed_passes.NativeLowering: InnerLowering}


class NamedKernelCompiler(KernelCompiler):
    """The same for kernels that other loops call by name."""

    instead: ClassVar[dict[Any, Any]] = {**INSTEAD, typed_passes.NativeLowering: NamedKernelLowering}


class NamedInnerCompiler(KernelCompiler):
    """The same for inner loops that others call by name."""

    instead: ClassVar[dict[Any, Any]] = {**INSTEAD, typed_passes.NativeLowering: NamedInnerLowering}


default: Any = compiler.Compiler
define: Any = default.define_pipelines  # as numba has it


@contextmanager
def as_parts() -> Generator[None]:
    """While loops are compiled: what numba has written in Python is lowered only, a part of them."""
    before, default.define_pipelines = default.define_pipelines, _part_pipelines
    try:
        yield
    finally:
        default.define_pipelines = before


def _part_pipelines(self: Any) -> list[PassManager]:
    return define(self) if self.state.flags.force_pyobject else pipelines(self.state, PARTS)
