"""Inner loops for numba: checked and lowered once, optimised only inside what calls them.

numba optimises every function, makes machine code of it, and does both again for everything that
calls it, so that a chain of calls costs the square of its depth. An inner loop is handed on as it was
lowered; the optimiser and the code generator see a kernel, with all that it calls, once.

numba also looks in every function for closures and for sums of whole arrays, which loops seldom have: these
steps are left out of functions that cannot need them.
"""

from __future__ import annotations

from types import CodeType
from typing import Any, ClassVar, Literal, cast

from numba.core import compiler, ir, typed_passes, types, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import PassManager, register_pass


class Unfinished(JITCodeLibrary):
    """Code that is linked into what calls it, and not made ready to run on its own."""

    def _optimize_final_module(self) -> None:
        """Left to the kernel it becomes a part of."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(typed_passes.NativeLowering):
    """Lowers a function for its callers alone, without a way in from Python."""

    _name = "pliant_inner_lowering"

    def run_pass(self, state: Any) -> Literal[True]:
        """Lower as numba does, into code that is not finished."""
        state.library = Unfinished(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered, entry = state["cr"], object()  # callers find it by this object
        state["cr"] = lowered._replace(cfunc=entry)
        state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
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
}


class KernelCompiler(compiler.CompilerBase):
    """numba's own way to compile, without the steps that a function cannot need."""

    instead: ClassVar[dict[Any, Any]] = INSTEAD

    def define_pipelines(self) -> list[PassManager]:
        """Every pass of numba's for a function without Python objects."""
        build, made = compiler.DefaultPassBuilder, PassManager("pliant")
        for stage in (
            build.define_untyped_pipeline(self.state),
            build.define_typed_pipeline(self.state),
            build.define_nopython_lowering_pipeline(self.state),
        ):
            for step, why in cast(Any, stage).passes:
                made.add_pass(self.instead.get(step, step), why)
        made.finalize()
        return [made]


class InnerCompiler(KernelCompiler):
    """The same for inner loops, which are not finished."""

    instead: ClassVar[dict[Any, Any]] = {**INSTEAD, typed_passes.NativeLowering: InnerLowering}
