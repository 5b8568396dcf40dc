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
    from collections.abc import Mapping
    from pathlib import Path

    from pliant import files, flex, gallery, linkage, relax, snap, view
    from pliant.core.errors import InputError, PliantError
    from pliant.core.motion import Motion
    from pliant.core.plot import Plot
    from pliant.core.progress import Interrupted, Progress
    from pliant.files.kinds import Model
    from pliant.flex.bracing.result import BraceResult
    from pliant.flex.loosening.result import LoosenResult
    from pliant.flex.model import Assembly, BraceStudy, FlexStudy, LoosenStudy, PlayStudy, SeparateStudy
    from pliant.flex.play.result import PlayResult
    from pliant.flex.result import FlexResult
    from pliant.flex.separation.result import SeparationResult
    from pliant.linkage.editing.result import EditResult
    from pliant.linkage.model import EditStudy, Linkage, TraceStudy
    from pliant.linkage.result import TraceResult
    from pliant.relax.model import Mechanism, RelaxStudy
    from pliant.relax.result import RelaxResult
    from pliant.snap.model import Fastener, SnapStudy
    from pliant.snap.result import SnapResult

    __version__: str

__all__ = [
    "Assembly",
    "BraceResult",
    "BraceStudy",
    "EditResult",
    "EditStudy",
    "Fastener",
    "FlexResult",
    "FlexStudy",
    "InputError",
    "Interrupted",
    "Linkage",
    "LoosenResult",
    "LoosenStudy",
    "Mechanism",
    "Motion",
    "PlayResult",
    "PlayStudy",
    "PliantError",
    "Plot",
    "RelaxResult",
    "RelaxStudy",
    "SeparateStudy",
    "SeparationResult",
    "SnapResult",
    "SnapStudy",
    "TraceResult",
    "TraceStudy",
    "__version__",
    "brace",
    "edit",
    "files",
    "flex",
    "gallery",
    "linkage",
    "load",
    "loosen",
    "play",
    "relax",
    "save",
    "separate",
    "snap",
    "solve",
    "view",
]

_ROOMS = ("files", "flex", "gallery", "linkage", "relax", "snap", "view")
_CLASSES = {
    "pliant.core.errors": ("InputError", "PliantError"),
    "pliant.core.motion": ("Motion",),
    "pliant.core.plot": ("Plot",),
    "pliant.core.progress": ("Interrupted",),
    "pliant.flex.model": ("Assembly", "BraceStudy", "FlexStudy", "LoosenStudy", "PlayStudy", "SeparateStudy"),
    "pliant.flex.bracing.result": ("BraceResult",),
    "pliant.flex.loosening.result": ("LoosenResult",),
    "pliant.flex.play.result": ("PlayResult",),
    "pliant.flex.separation.result": ("SeparationResult",),
    "pliant.flex.result": ("FlexResult",),
    "pliant.linkage.model": ("EditStudy", "Linkage", "TraceStudy"),
    "pliant.linkage.editing.result": ("EditResult",),
    "pliant.linkage.result": ("TraceResult",),
    "pliant.relax.model": ("Mechanism", "RelaxStudy"),
    "pliant.relax.result": ("RelaxResult",),
    "pliant.snap.model": ("Fastener", "SnapStudy"),
    "pliant.snap.result": ("SnapResult",),
}
_HOMES = {name: module for module, names in _CLASSES.items() for name in names}
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


def load(source: str | Path | Mapping[str, Any], *, max_bytes: int = _MODEL_BYTES) -> Model:
    """Read a model file (TOML or JSON), or plain data as such a file holds it.

    Raises an InputError that lists every fault.
    """
    from collections.abc import Mapping

    from pliant.files.reader import load, model_of

    return model_of(source) if isinstance(source, Mapping) else load(source, max_bytes=max_bytes)


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
@overload
def solve(
    model: Model | str | Path | Mapping[str, Any],
    study: Any = None,
    *,
    progress: Progress | None = None,
    **keywords: Any,
) -> Any: ...
def solve(model: Any, study: Any = None, *, progress: Progress | None = None, **keywords: Any) -> Any:
    """Answer a model's question: keywords go before `study`, and `study` before the file's own.

    The model may be a file's path, or plain data, too. Keywords are the keys of the study:
    `pliant.solve(model, steps=20, solver="highs")` of an assembly,
    `pliant.solve(model, samples=100, trace=["P"])` of a linkage,
    `pliant.solve(model, method="sync", alpha=0.4)` of a mechanism,
    `pliant.solve(model, reverse=True, classify=True)` of a fastener.
    """
    from pliant.core.progress import silent
    from pliant.files.kinds import fetch, named
    from pliant.files.studies import chosen_study

    loaded = _loaded(model)
    chosen = chosen_study(loaded, study, keywords)
    return fetch(named(loaded.kind).solve)(loaded, chosen, progress=progress or silent)


def _loaded(model: Any) -> Any:
    """A model, or what is read from a file's path or plain data."""
    from pathlib import Path

    from pliant.core.errors import Fault, InputError
    from pliant.core.model import Document

    if isinstance(model, Document):
        return model
    if isinstance(model, (str, Path, dict)):
        return load(model)
    problem = f"is of type {type(model).__name__}, and no model"
    raise InputError([Fault("model", problem, "Give a model, the path of its file, or its data as a dict")])


def edit(
    model: Linkage | str | Path | Mapping[str, Any],
    study: EditStudy | None = None,
    *,
    progress: Progress | None = None,
    **keywords: Any,
) -> EditResult:
    """Reshape a linkage: keywords go before `study`, and `study` before the file's `[study.edit]`.

    Keywords are the keys of that table: `pliant.edit(model, move=[{"joint": "P", "to": [3, 4]}])`.
    """
    return _ask("edit", "pliant.linkage.editing.edit:edit", model, study, progress, keywords)


def play(
    model: Assembly | str | Path | Mapping[str, Any],
    study: PlayStudy | None = None,
    *,
    progress: Progress | None = None,
    **keywords: Any,
) -> PlayResult:
    """How loose the parts of an assembly are: keywords go before `study`, and that before `[study.play]`.

    Keywords are the keys of that table: `pliant.play(model, body="lid", spin=True)`.
    """
    return _ask("play", "pliant.flex.play.play:play", model, study, progress, keywords)


def separate(
    model: Assembly | str | Path | Mapping[str, Any],
    study: SeparateStudy | None = None,
    *,
    progress: Progress | None = None,
    **keywords: Any,
) -> SeparationResult:
    """Take an assembly apart: keywords go before `study`, and that before `[study.separate]`.

    Keywords are the keys of that table: `pliant.separate(model, parts=["lid"])`.
    """
    return _ask("separate", "pliant.flex.separation.separate:separate", model, study, progress, keywords)


def loosen(
    model: Assembly | str | Path | Mapping[str, Any],
    study: LoosenStudy | None = None,
    *,
    progress: Progress | None = None,
    **keywords: Any,
) -> LoosenResult:
    """The largest clearance within a limit: keywords go before `study`, and that before `[study.loosen]`.

    Keywords are the keys of that table: `pliant.loosen(model, limit=0.5)`.
    """
    return _ask("loosen", "pliant.flex.loosening.loosen:loosen", model, study, progress, keywords)


def brace(
    model: Assembly | str | Path | Mapping[str, Any],
    study: BraceStudy | None = None,
    *,
    progress: Progress | None = None,
    **keywords: Any,
) -> BraceResult:
    """Add beams where they hold a structure best: keywords go before `study`, that before `[study.brace]`.

    Keywords are the keys of that table: `pliant.brace(model, beams=2)`.
    """
    return _ask("brace", "pliant.flex.bracing.brace:brace", model, study, progress, keywords)


def _ask(
    command: str,
    function: str,
    model: Any,
    study: Any,
    progress: Progress | None,
    keywords: Mapping[str, Any],
) -> Any:
    """What a command beyond solve answers, by the study of its own table."""
    from pliant.core.progress import silent
    from pliant.files.kinds import fetch
    from pliant.files.studies import chosen_study

    loaded = _loaded(model)
    chosen = chosen_study(loaded, study, keywords, command)
    return fetch(function)(loaded, chosen, progress=progress or silent)


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"pliant.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name == "__version__":
        from importlib.metadata import version

        return version("pliant")
    raise AttributeError(f"module 'pliant' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
