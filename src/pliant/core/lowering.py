"""Inner loops for numba: checked and lowered once, optimised only inside what calls them.

numba optimises every function, makes machine code of it, and does both again for everything that
calls it, so that a chain of calls costs the square of its depth. An inner loop is handed on as it was
lowered; the optimiser and the code generator see a kernel, with all that it calls, once.
"""

from __future__ import annotations

from typing import Any, Literal

from numba.core import compiler, typed_passes
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


class InnerCompiler(compiler.CompilerBase):
    """numba's own way to compile, but for its lowering."""

    def define_pipelines(self) -> list[PassManager]:
        """Every pass of numba's for a function without Python objects."""
        build, made = compiler.DefaultPassBuilder, PassManager("pliant inner")
        made.passes.extend(build.define_untyped_pipeline(self.state).passes)
        made.passes.extend(build.define_typed_pipeline(self.state).passes)
        for step, why in build.define_nopython_lowering_pipeline(self.state).passes:
            made.add_pass(InnerLowering if step is typed_passes.NativeLowering else step, why)
        made.finalize()
        return [made]
