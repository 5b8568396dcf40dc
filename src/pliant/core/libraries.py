"""Code as numba keeps it in memory: of kernels, of inner loops, and of loops that others call by name.

What a kernel calls is made part of it, and optimised with it. A loop that is long, and does much each time it
is called, gains nothing by that and takes the compiler as long in every kernel. Such a loop is finished by
itself; a kernel that calls it only names it, and finds it among what is loaded. With the code of a kernel the
code of all that it names is kept, so that a file is whole by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.environment import lookup_environment

TIDY = 1  # of LLVM's levels of optimising: loops are not yet taken apart


class Own(JITCodeLibrary):
    """Code whose functions are tidied, one by one, before all of them are optimised together.

    numba optimises them fully twice; and sets its optimiser up for functions that are only named, too.
    """

    def _optimize_functions(self, ll_module: Any) -> None:
        codegen: Any = self._codegen
        try:
            manager, builder = codegen._function_pass_manager(opt=TIDY)
        except TypeError:  # of a version that does it another way
            super()._optimize_functions(ll_module)
            return
        ll_module.data_layout = codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                manager.run(function, builder)

    def finalize(self) -> None:
        """Link all that is called, by what is called too, and make machine code of it."""
        self._linking_libraries: list[Any] = list(dict.fromkeys(_linked(self)))
        super().finalize()


def _linked(library: Any) -> Iterator[Any]:
    for each in library._linking_libraries:
        yield each
        if isinstance(each, Unfinished):
            yield from each.linked


class Unfinished(Own):
    """Code that is linked into a kernel, with all that it calls, and not made ready to run on its own."""

    linked: tuple[Any, ...] = ()  # what it calls, and what that calls

    def finalize(self) -> None:
        """Optimising and linking are left to the kernel it becomes a part of."""
        self.linked = tuple(dict.fromkeys(_linked(self)))
        self._finalize_dynamic_globals()
        self._finalized = True


class Lowered(Own):
    """Code of numba's own functions, with all that they call: optimised in what it becomes a part of.

    It is whole by itself, as what a user compiles with numba may become the next that it is a part of.
    """

    def _optimize_final_module(self) -> None:
        """Leave it as it was lowered."""

    def _finalize_final_module(self) -> None:
        """Make no machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True


class Named(Own):
    """Code that others link to by its name alone."""

    def _get_module_for_linking(self) -> Any:
        self._ensure_finalized()
        codegen: Any = self._codegen
        return llvm.parse_assembly(str(codegen._create_empty_module(self.name)))

    def as_named(self) -> Any:
        """As numba writes a library, with nothing that could be made part of a kernel."""
        nothing = self._get_module_for_linking().as_bitcode()
        return self.name, "object", (self._get_compiled_object(), nothing)

    def serialize_using_object_code(self) -> Any:
        """As numba writes it: a kernel that is loaded again is made part of what is compiled later."""
        whole = JITCodeLibrary._get_module_for_linking(self).as_bitcode()
        return self.name, "object", (self._get_compiled_object(), whole)


class Shared(NamedTuple):
    """The code of a loop that others name, as it can be kept."""

    code: Any  # as numba writes a library
    environments: list[Any]  # what its errors and constants are made of


_READY: dict[str, Any] = {}  # by name: the library, which has to last as long as what calls it
_CAME_WITH: dict[str, dict[str, Shared]] = {}  # by name, of what was not made here: all that it was kept with


def finish(name: str, library: Any) -> None:
    """Make a loop's machine code, which others then call by this name."""
    library._ensure_finalized()
    for environment in environments(library):
        library.codegen.set_env(environment.env_name, environment)
    _READY[name] = library
    _CAME_WITH.pop(name, None)


def environments(library: Any) -> list[Any]:
    """What the errors and constants are made of, of a loop and of all that was made part of it."""
    names = [each.name for each in library._final_module.global_variables]
    found = [lookup_environment(name) for name in names if name.startswith("_ZN08NumbaEnv")]
    return [each for each in found if each is not None and each.can_cache()]


def shared_by(library: Any) -> dict[str, Shared]:
    """The loops that code names, by name, each after those that it names itself."""
    found: dict[str, Shared] = {}
    for name in _named(library):
        if name in _CAME_WITH:
            found |= _CAME_WITH[name]
        else:
            made = _READY[name]
            found |= shared_by(made)
            found[name] = Shared(made.as_named(), environments(made))
    return found


def is_whole(library: Any) -> bool:
    """Whether code needs nothing that is in this process alone."""
    return not library.has_dynamic_globals and all(is_whole(_READY[name]) for name in _named(library))


def _named(library: Any) -> list[str]:
    functions = library._final_module.functions
    return [each.name for each in functions if each.is_declaration and each.name in _READY]


def load(shared: dict[str, Shared], codegen: Any) -> None:
    """Make what a kernel names ready, before the kernel."""
    for name, each in shared.items():
        if name in _READY:
            continue
        _READY[name], _CAME_WITH[name] = codegen.unserialize_library(each.code), shared
        for environment in each.environments:
            codegen.set_env(environment.env_name, environment)
