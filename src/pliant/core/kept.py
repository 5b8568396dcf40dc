"""Compiled code, kept on disk: a file for each loop and signature, in the user's cache folder.

A loop's folder is named for its module and a key: the text of that module and of every module of pliant that
it imports, the versions of Python, numpy and numba, and the processor. So compiled code is never older than
any line it was made of; numba's own cache looks at the file of the outermost function only.
"""

from __future__ import annotations

import os
import pickle
import platform
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding
import numba
import numpy as np
import platformdirs
from numba.core import compiler, serialize
from numba.core import config as numba_config

from pliant.core.store import write_whole

config: Any = numba_config  # its names are made at run time
results: Any = compiler.CompileResult

PACKAGE = Path(__file__).parents[1]
IMPORTED = re.compile(r"^from (pliant[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)
KEYS = 3  # of a module that are kept: those of other versions and of other environments among them
UNREADABLE = (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError, ValueError, TypeError)


class Kept:
    """What is kept of one function; numba asks it before it compiles, and tells it afterwards."""

    def __init__(self, function: Callable[..., Any]) -> None:
        # Named at once: a source that is edited while this runs is not the one that this runs.
        self._folder, self._name = folder(function.__module__), function.__qualname__

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The code for a signature, or None."""
        path = self._path(signature)
        if path is None or not path.exists():
            return None
        target.refresh()
        try:
            kept = pickle.loads(path.read_bytes())
        except UNREADABLE:
            return None
        return results._rebuild(target, *kept)

    def save_overload(self, signature: Any, made: Any) -> None:
        """Keep what was compiled for a signature."""
        path = self._path(signature)
        if path is None or made.library.has_dynamic_globals:
            return
        try:
            _make(path.parent)
            unannotated = made._replace(type_annotation="")  # a listing of types, long and not needed
            write_whole(path, serialize.dumps(unannotated._reduce()))
        except OSError as error:
            cannot_keep(f"{path.parent}: {error.strerror}")

    def has(self, signature: Any) -> bool:
        """Whether there is code for a signature."""
        path = self._path(signature)
        return path is not None and path.exists()

    @property
    def any(self) -> bool:
        """Whether there is code for some signature."""
        return self._folder is not None and any(self._folder.glob(f"{self._name}-*.code"))

    def _path(self, signature: Any) -> Path | None:
        return self._folder / f"{self._name}-{_digest(str(signature))}.code" if self._folder else None


def root() -> Path | None:
    """Where compiled code is kept: under NUMBA_CACHE_DIR if that is set, else in the user's cache folder."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    try:
        path = Path(given) / "pliant" if given else platformdirs.user_cache_path("pliant", appauthor=False)
    except RuntimeError:  # nobody's home
        return None
    return path if path.is_absolute() or given else None


@cache
def folder(module: str) -> Path | None:
    """The folder of a module's loops, whether it is there yet or not; None where there is no place for it."""
    kept = root()
    return kept / f"{module}-{_key(module)}" if kept else None


@cache
def can_keep() -> bool:
    """Whether compiled code can be kept; if not, that is said once."""
    kept = root()
    if kept is None:
        cannot_keep("there is no home folder")
        return False
    try:
        kept.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        cannot_keep(f"{kept}: {error.strerror}")
        return False
    if not os.access(kept, os.W_OK):
        cannot_keep(f"{kept} cannot be written to")
        return False
    return True


@cache
def cannot_keep(why: str) -> None:
    """Say once that loops are compiled each time."""
    cure = "NUMBA_CACHE_DIR names another folder"
    sys.stderr.write(f"Compiled loops cannot be kept ({why}), so they are compiled each time. {cure}.\n")


def _make(path: Path) -> None:
    """Make a module's folder, and remove the oldest ones of the same module."""
    if path.exists():
        return
    path.mkdir(parents=True, exist_ok=True)
    module = path.name.rpartition("-")[0]
    others = [other for other in path.parent.glob(f"{module}-*") if other.name.rpartition("-")[0] == module]
    for old in sorted(others, key=lambda other: other.stat().st_mtime, reverse=True)[KEYS:]:
        shutil.rmtree(old, ignore_errors=True)


@cache
def _key(module: str) -> str:
    texts = [text for name in sorted(_made_of(module)) for text in (name, _text(name))]
    return _digest("\0".join([*texts, _machine()]))


@cache
def _machine() -> str:
    """What compiled code depends on beside its text."""
    processor = config.CPU_NAME or llvmlite.binding.get_host_cpu_name()
    features = config.CPU_FEATURES
    if features is None:
        features = "" if config.CPU_NAME else llvmlite.binding.get_host_cpu_features().flatten()
    python = f"{platform.python_implementation()} {sys.version_info[:2]} {platform.machine()} {sys.platform}"
    versions = f"{python} {numba.__version__} {llvmlite.__version__} {np.__version__}"
    return f"{versions} {processor} {features} {config.OPT}"


def _made_of(module: str) -> set[str]:
    """A module and every module of pliant that it imports, or that these import."""
    found, ahead = {module}, [module]
    while ahead:
        fresh = set(_imports(ahead.pop())) - found
        found |= fresh
        ahead += fresh
    return found


@cache
def _imports(module: str) -> tuple[str, ...]:
    return tuple(_imported(_text(module)))


def _imported(text: str) -> Iterator[str]:
    for package, names in IMPORTED.findall(text):
        yield package
        yield from (f"{package}.{name}" for name in re.findall(r"\w+", names) if _file(f"{package}.{name}"))


@cache
def _text(module: str) -> str:
    file = _file(module)
    return file.read_text(encoding="utf-8") if file else ""


def _file(module: str) -> Path | None:
    """The source of a module, where it has one."""
    if module.partition(".")[0] != "pliant":
        known = getattr(sys.modules.get(module), "__file__", None)
        return Path(known) if known and Path(known).is_file() else None
    path = PACKAGE.joinpath(*module.split(".")[1:])
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.is_file():
            return file
    return None


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=10).hexdigest()
