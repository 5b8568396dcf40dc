"""Compiled code, kept on disk: a file for each loop and signature, in the user's cache folder.

A loop's folder is named for its module and a key: the text of that module and of every module of pliant that
it imports, the versions of Python, numpy and numba, and the processor. So compiled code is never older than
any line it was made of; numba's own cache looks at the file of the outermost function only. Where the text is
not known, of loops outside pliant or where there are no sources, nothing is kept.
"""

from __future__ import annotations

import contextlib
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

from pliant.core.errors import PliantError
from pliant.core.libraries import is_whole, load, shared_by
from pliant.core.store import write_whole

config: Any = numba_config  # its names are made at run time
results: Any = compiler.CompileResult

PACKAGE = Path(__file__).parents[1]
IMPORTED = re.compile(r"^from (pliant[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)
KEYS = 3  # of a module that are kept, the last used: other versions and other environments have theirs
SUM = 20  # bytes before the code, by which a broken file is known
CURE = "NUMBA_CACHE_DIR names another folder"
NO_MATTER = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS")  # settings that do not change what is compiled


class Kept:
    """What is kept of one function; numba asks it before it compiles, and tells it afterwards."""

    def __init__(self, function: Callable[..., Any]) -> None:
        # Named at once: a source that is edited while this runs is not the one that this runs.
        self._folder, self._name = folder(function.__module__), function.__qualname__

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The code for a signature, or None where there is none, or a broken file."""
        code = _read(path) if (path := self._path(signature)) else None
        if code is None:
            return None
        target.refresh()
        shared, parts = pickle.loads(code)
        load(shared, target.codegen())
        return results._rebuild(target, *parts)

    def save_overload(self, signature: Any, made: Any) -> None:
        """Keep what was compiled for a signature."""
        path = self._path(signature)
        if not can_keep() or path is None or not is_whole(made.library):
            return
        unannotated = made._replace(type_annotation="")  # a listing of types, long and not needed
        code = serialize.dumps((shared_by(made.library), unannotated._reduce()))
        try:
            _make(path.parent)
            write_whole(path, _sum(code) + code)
        except (OSError, PliantError) as error:  # the disk is full; the folder was removed meanwhile
            cannot_keep(str(error))

    def has(self, signature: Any) -> bool:
        """Whether there is code for a signature."""
        path = self._path(signature)
        return path is not None and os.access(path, os.R_OK)

    @property
    def any(self) -> bool:
        """Whether there is code for some signature."""
        return self._folder is not None and any(self._folder.glob(f"{self._name}-*.code"))

    def _path(self, signature: Any) -> Path | None:
        return self._folder / f"{self._name}-{_digest(type_text(signature))}.code" if self._folder else None


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
    kept, key = root(), _key(module)
    return kept / f"{module}-{key}" if kept and key else None


@cache
def can_keep() -> bool:
    """Whether compiled code can be kept; if not, that is said."""
    if why := why_not():
        cannot_keep(why)
    return not why


def why_not() -> str:
    """Why compiled code cannot be kept; nothing, if it can be."""
    kept = root()
    if kept is None:
        return "there is no home folder"
    if _text(__name__) is None:
        return "pliant is here without its sources"
    try:
        kept.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return f"{kept}: {error.strerror}"
    return "" if os.access(kept, os.W_OK) else f"{kept} cannot be written to"


_said: list[str] = []


def cannot_keep(why: str) -> None:
    """Say once that loops are compiled each time."""
    if not _said:
        _said.append(f"Compiled loops cannot be kept ({why}), so they are compiled each time. {CURE}.\n")
        sys.stderr.write(_said[0])


def type_text(kind: Any) -> str:
    """A type, or a signature of them, with the fields of named tuples, which numba's own text leaves out."""
    parts = kind if isinstance(kind, tuple) else getattr(kind, "types", ())
    named = getattr(kind, "instance_class", None)
    fields = f" {named.__module__}.{named.__qualname__}{named._fields}" if named else ""
    return f"{kind}{fields}{[type_text(part) for part in parts]}" if parts else str(kind)


def _read(path: Path) -> bytes | None:
    """The code in a file; None where there is no such file, or it is broken."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    with contextlib.suppress(OSError):  # where others keep it for us
        os.utime(path.parent)  # folders that are used stay
    code = content[SUM:]
    return code if content[:SUM] == _sum(code) else None


def _sum(code: bytes) -> bytes:
    return blake2b(code, digest_size=SUM).digest()


def _make(path: Path) -> None:
    """Make a module's folder, and remove those of the same module that were not used for longest."""
    if path.exists():
        return
    path.mkdir(parents=True, exist_ok=True)
    module = path.name.rpartition("-")[0]
    for old in sorted(path.parent.glob(f"{module}-*"), key=_last_use, reverse=True)[KEYS:]:
        shutil.rmtree(old, ignore_errors=True)


def _last_use(path: Path) -> float:
    """When a folder was last used; another process may have removed it."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


@cache
def _key(module: str) -> str | None:
    texts = {name: _text(name) for name in sorted(_made_of(module))}
    known = [f"{name}\0{text}" for name, text in texts.items() if text is not None]
    return _digest("\0".join([*known, _machine()])) if len(known) == len(texts) else None


@cache
def _machine() -> str:
    """What compiled code depends on beside its text."""
    processor = config.CPU_NAME or llvmlite.binding.get_host_cpu_name()
    features = config.CPU_FEATURES
    if features is None:
        features = "" if config.CPU_NAME else llvmlite.binding.get_host_cpu_features().flatten()
    python = f"{platform.python_implementation()} {sys.version_info[:2]} {platform.machine()} {sys.platform}"
    versions = f"{python} {numba.__version__} {llvmlite.__version__} {np.__version__}"
    settings = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_"))
    settings = [setting for setting in settings if not setting.startswith(NO_MATTER)]
    return f"{versions} {processor} {features} {config.OPT} {config.USING_SVML} {settings}"


def _made_of(module: str) -> set[str]:
    """A module and every module of pliant that it imports, or that these import."""
    modules, ahead = {module}, [module]
    while ahead:
        fresh = set(_imports(ahead.pop())) - modules
        modules |= fresh
        ahead += fresh
    return modules


@cache
def _imports(module: str) -> tuple[str, ...]:
    return tuple(_imported_modules(_text(module) or ""))


def _imported_modules(text: str) -> Iterator[str]:
    for package, names in IMPORTED.findall(text):
        yield package
        yield from (f"{package}.{name}" for name in re.findall(r"\w+", names) if _file(f"{package}.{name}"))


@cache
def _text(module: str) -> str | None:
    file = _file(module)
    return file.read_text(encoding="utf-8") if file else None


def _file(module: str) -> Path | None:
    """The source of a module of pliant, where it has one."""
    package, *names = module.split(".")
    path = PACKAGE.joinpath(*names)
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if package == "pliant" and file.is_file():
            return file
    return None


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=10).hexdigest()
