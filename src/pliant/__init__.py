"""How an assembly moves before you build it.

>>> import pliant
>>> model = pliant.load("drawer.toml")            # doctest: +SKIP
>>> result = pliant.solve(model)                # doctest: +SKIP
>>> print(result.summary())                     # doctest: +SKIP

Nothing heavy is imported before it is used: `import pliant` takes milliseconds.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pliant import files, gallery, view
    from pliant.core.progress import Progress
    from pliant.flex.model import Assembly, FlexStudy
    from pliant.flex.result import FlexResult

    __version__: str

__all__ = ["__version__", "files", "gallery", "load", "save", "solve", "view"]

_ROOMS = ("files", "gallery", "view")
_MODEL_BYTES = 10_000_000


def load(path: str | Path, *, max_bytes: int = _MODEL_BYTES) -> Assembly:
    """Read a model file (TOML or JSON), or raise an InputError that lists every fault in it."""
    from pliant.files.reader import load

    return load(path, max_bytes=max_bytes)


def save(model: Assembly, path: str | Path) -> None:
    """Write a model as TOML or JSON, by suffix. Reading it back gives an equal model."""
    from pliant.files.writer import save

    save(model, path)


def solve(
    model: Assembly, study: FlexStudy | None = None, *, progress: Progress | None = None, **keywords: Any
) -> FlexResult:
    """Answer a model's question: keywords go before `study`, and `study` before the file's own.

    Keywords are the keys of the study: `pliant.solve(model, steps=20, solver="highs")`.
    """
    from pliant.core.progress import silent
    from pliant.files.kinds import fetch, named
    from pliant.files.studies import chosen_study

    chosen = chosen_study(model, study, keywords)
    return fetch(named(model.kind).solve)(model, chosen, progress=progress or silent)


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"pliant.{name}")
    if name == "__version__":
        from importlib.metadata import version

        return version("pliant")
    raise AttributeError(f"module 'pliant' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
