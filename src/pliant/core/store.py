"""Files written whole or not at all, and JSON with no NaN in it."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import os
import re
import tempfile
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel

from pliant.core.errors import Fault, InputError, PliantError
from pliant.core.given import given_path, refused

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"  # what JSON can say


def write_whole(path: str | Path, content: bytes) -> None:
    """Write through a temporary neighbour and rename, so that no half file is ever seen."""
    path = given_path(path)
    if not path.parent.is_dir():
        raise PliantError(f"{path}: its folder {path.parent} does not exist. Make it first.")
    if path.is_dir():
        raise PliantError(f"{path}: is a folder, not a file. Name a file in it.")
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).chmod(0o666 & ~_umask())  # mkstemp's files are for their owner only
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def write_json(path: str | Path, data: Mapping[str, Any]) -> None:
    """Write a mapping as JSON; NaN and infinity are refused."""
    write_whole(path, json_text(data).encode())


def write_csv(path: str | Path, columns: Mapping[str, Iterable[float]]) -> None:
    """Write columns of one length as CSV, a head first; what has no value is left empty.

    Names are as users wrote them: one that a spreadsheet would take for a formula gets an apostrophe.
    """
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([f"'{name}" if name[:1] in tuple("=+-@\t\r") else name for name in columns])
    for row in zip(*columns.values(), strict=True):
        rows.writerow([repr(float(value)) if math.isfinite(value) else "" for value in row])
    write_whole(path, text.getvalue().encode())


def write_parquet(path: str | Path, columns: Mapping[str, Iterable[Any]]) -> None:
    """Columns as a Parquet file: of numbers, or of text where some are none."""
    if find_spec("pyarrow") is None:
        cure = 'Install it: pip install "pliant[tables]"; .csv needs nothing more'
        raise InputError([Fault("-o", ".parquet needs pyarrow, which is not installed", cure)])
    pyarrow: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")

    def column(each: Iterable[Any]) -> Any:
        values = list(each)
        if all(isinstance(value, int | float) for value in values):
            return pyarrow.array([float(value) for value in values], pyarrow.float64())
        return pyarrow.array([str(value) for value in values], pyarrow.string())

    file = io.BytesIO()
    parquet.write_table(pyarrow.table({name: column(values) for name, values in columns.items()}), file)
    write_whole(path, file.getvalue())


def json_text(data: Mapping[str, Any]) -> str:
    """A mapping as one line of JSON."""
    return json.dumps(data, allow_nan=False, ensure_ascii=False) + "\n"


def sayable(value: Any) -> Any:
    """Plain data with null for every number that JSON cannot say: what has no value, or no bound.

    >>> sayable({"force": float("inf"), "path": [1.0, float("nan")]})
    {'force': None, 'path': [1.0, None]}
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: sayable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [sayable(item) for item in value]
    return value


def model_hash(model: BaseModel) -> str:
    """The sha256 of what a model says: equal models have equal hashes, however they were written.

    Args:
        model: a model of any kind, or a study.

    Returns:
        64 hexadecimal digits.
    """
    if not isinstance(model, BaseModel):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise refused("model", model, "model or study", "Give what load gives")
    canonical = json.dumps(model.model_dump(mode="json", by_alias=True), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(re.sub(r"-0\.0\b(?!\d)", "0.0", canonical).encode()).hexdigest()


@cache
def version() -> str:
    """The version of pliant that is running; to look it up takes milliseconds."""
    from importlib.metadata import version

    return version("pliant")


ANEW = "Make the file anew with --json"  # what to do with one that pliant wrote and cannot read


@contextmanager
def reading(what: str) -> Generator[None]:
    """Turn whatever goes wrong while data that pliant wrote is read into an InputError."""
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        problem = f"its {what} cannot be read ({type(error).__name__}: {str(error)[:80]})"
        raise InputError([Fault("", problem, ANEW)]) from error


def read_json(path: str | Path) -> dict[str, Any]:
    """Read a JSON object that pliant wrote."""
    path = given_path(path)
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError([Fault("", f"cannot be read as JSON ({error})")], str(path)) from error
    if not isinstance(data, dict):
        raise InputError([Fault("", "holds no JSON object", "Give a file that pliant wrote")], str(path))
    return data


def opening(
    kind: str, command: str, status: Any, message: str, seconds: Mapping[str, float], model: BaseModel | None
) -> dict[str, Any]:
    """What the JSON of every result begins with: what was asked of what, and how it ended."""
    return {
        "kind": kind,
        "command": command,
        "status": status.name.lower(),
        "message": message,
        "seconds": dict(seconds),
        "version": version(),
        "model": None if model is None else model_hash(model),
    }
