"""How an assembly moves before you build it.

>>> import pliant
>>> model = pliant.load("drawer.toml")            # doctest: +SKIP
>>> result = pliant.solve(model)                # doctest: +SKIP
>>> print(result.summary())                     # doctest: +SKIP

Nothing heavy is imported before it is used: `import pliant` takes milliseconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from pathlib import Path

    from pliant import files, gallery, view
    from pliant.core.progress import Progress
    from pliant.files.kinds import Model
    from pliant.flex.model import Assembly, FlexStudy
    from pliant.flex.result import FlexResult
    from pliant.linkage.editing.result import EditResult
    from pliant.linkage.model import EditStudy, Linkage, TraceStudy
    from pliant.linkage.result import TraceResult
    from pliant.relax.model import Mechanism, RelaxStudy
    from pliant.relax.result import RelaxResult
    from pliant.snap.model import Fastener, SnapStudy
    from pliant.snap.result import SnapResult

    __version__: str

__all__ = ["__version__", "edit", "files", "gallery", "load", "save", "solve", "view"]

_ROOMS = ("files", "gallery", "view")
_MODEL_BYTES = 10_000_000


def main() -> None:
    """The command line. Ctrl-C ends it in a word, from the first import on."""
    import signal

    from pliant.core.stop import leave, stop

    signal.signal(signal.SIGINT, stop)
    from pliant.cli import main as command

    try:
        command()
    except SystemExit as ending:
        leave(ending.code)
        raise


def load(path: str | Path, *, max_bytes: int = _MODEL_BYTES) -> Model:
    """Read a model file (TOML or JSON), or raise an InputError that lists every fault in it."""
    from pliant.files.reader import load

    return load(path, max_bytes=max_bytes)


def save(model: Model, path: str | Path) -> None:
    """Write a model as TOML or JSON, by suffix. Reading it back gives an equal model."""
    from pliant.files.writer import save

    save(model, path)


@overload
def solve(
    model: Assembly, study: FlexStudy | None = None, *, progress: Progress | None = None, **keywords: Any
) -> FlexResult: ...
@overload
def solve(
    model: Linkage, study: TraceStudy | None = None, *, progress: Progress | None = None, **keywords: Any
) -> TraceResult: ...
@overload
def solve(
    model: Mechanism, study: RelaxStudy | None = None, *, progress: Progress | None = None, **keywords: Any
) -> RelaxResult: ...
@overload
def solve(
    model: Fastener, study: SnapStudy | None = None, *, progress: Progress | None = None, **keywords: Any
) -> SnapResult: ...
def solve(model: Model, study: Any = None, *, progress: Progress | None = None, **keywords: Any) -> Any:
    """Answer a model's question: keywords go before `study`, and `study` before the file's own.

    Keywords are the keys of the study: `pliant.solve(model, steps=20, solver="highs")` of an
    assembly, `pliant.solve(model, samples=100, trace=["P"])` of a linkage,
    `pliant.solve(model, method="sync", alpha=0.4)` of a mechanism,
    `pliant.solve(model, reverse=True, classify=True)` of a fastener.
    """
    from pliant.core.progress import silent
    from pliant.files.kinds import fetch, named
    from pliant.files.studies import chosen_study

    chosen = chosen_study(model, study, keywords)
    return fetch(named(model.kind).solve)(model, chosen, progress=progress or silent)


def edit(
    model: Linkage, study: EditStudy | None = None, *, progress: Progress | None = None, **keywords: Any
) -> EditResult:
    """Reshape a linkage: keywords go before `study`, and `study` before the file's `[study.edit]`.

    Keywords are the keys of that table: `pliant.edit(model, move=[{"joint": "P", "to": [3, 4]}])`.
    """
    from pliant.core.progress import silent
    from pliant.files.kinds import fetch
    from pliant.files.studies import chosen_study

    chosen = chosen_study(model, study, keywords, "edit")
    return fetch("pliant.linkage.edit:edit")(model, chosen, progress=progress or silent)


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"pliant.{name}")
    if name == "__version__":
        from importlib.metadata import version

        return version("pliant")
    raise AttributeError(f"module 'pliant' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
