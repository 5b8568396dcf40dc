"""Models to files: tidy TOML for people, JSON for machines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import tomli_w
from pydantic import BaseModel

from pliant.core.errors import Fault, InputError
from pliant.core.given import given_path, refused
from pliant.core.quantity import exact_to_file
from pliant.core.result import Result
from pliant.core.store import json_text, write_json, write_whole
from pliant.files.parse import text_faults
from pliant.files.results import result_data

WIDTH = 100


@runtime_checkable
class SavesItself(Protocol):
    """What has files of its own, such as the table of a sweep, a motion or a plot."""

    def save(self, path: str | Path) -> None:
        """Write it, by the suffix."""
        ...


def save(saved: BaseModel | Result | SavesItself, path: str | Path) -> None:
    """Write a model as TOML or JSON, by suffix, or a result as JSON. Reading it back gives an equal one.

    Args:
        saved: a model or a result; what has a `save` of its own is written by that.
        path: a model's is .toml or .json, a result's .json; one that is there is replaced.

    Raises:
        InputError: this is nothing that can be saved, the suffix is none of these, or a text cannot be
            written.
        PliantError: the file cannot be written.
    """
    path = given_path(path)
    if isinstance(saved, SavesItself) and not isinstance(saved, type):
        saved.save(path)
        return
    if isinstance(saved, Result):
        if path.suffix.lower() != ".json":
            raise InputError(
                [Fault("", "a result is saved as .json", "Name the file result.json")], str(path)
            )
        write_json(path, result_data(saved))
        return
    if not isinstance(saved, BaseModel):  # pyright: ignore[reportUnnecessaryIsInstance]
        cure = "Give what load, solve or sweep gives; a figure is written by view.save_figure"
        raise refused("saved", saved, "model or result", cure)
    writers = {".toml": toml_text, ".json": json_text}
    if path.suffix.lower() not in writers:
        raise InputError(
            [Fault("", "ends in neither .toml nor .json", "Name the file model.toml")], str(path)
        )
    data = plain(saved)
    if faults := text_faults(data):
        raise InputError(faults, str(path))
    write_whole(path, writers[path.suffix.lower()](data).encode())


def plain(model: BaseModel) -> dict[str, Any]:
    """A model as plain data, without what is default anyway."""
    data = model.model_dump(by_alias=True, exclude_defaults=True)
    study = getattr(model, "study", None)
    for name in type(study).model_fields if isinstance(study, BaseModel) else ():
        own = getattr(study, name)
        if isinstance(own, BaseModel):
            # A command's own study overrides the common one even with a default, but not with nothing.
            data["study"][name] = own.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
    head = {"pliant": getattr(model, "pliant", None), "kind": getattr(model, "kind", None)}
    return _short_number({**head, **data})


def toml_text(data: Mapping[str, Any]) -> str:
    """Plain data as TOML: tables below their keys, lists of tables as [[name]], points on one line."""
    return "\n".join(_table(data, ())).strip() + "\n"


def file_numbers(value: Any) -> Any:
    """Plain data as a file holds it: exact numbers by their digits, no keys without a value."""
    if isinstance(value, Mapping):
        return {key: file_numbers(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [file_numbers(item) for item in value]
    return exact_to_file(Fraction(value)) if isinstance(value, Decimal | Fraction) else value


def _short_number(value: Any) -> Any:
    """Whole floats as whole numbers (a negative zero stays one), tuples as lists."""
    if isinstance(value, Mapping):
        return {key: _short_number(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_short_number(item) for item in value]
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return int(value) if whole and (value or math.copysign(1, value) > 0) else value


def _table(data: Mapping[str, Any], place: tuple[str, ...]) -> Iterator[str]:
    below = {key: value for key, value in data.items() if isinstance(value, dict) or _is_tables(value, place)}
    for key, value in data.items():
        if key not in below:
            yield _line(key, value)
    for key, value in below.items():
        path = (*place, key)
        name = ".".join(map(_key, path))
        for entry in value if isinstance(value, list) else ():
            yield f"\n[[{name}]]"
            yield from _table(entry, path)
        if isinstance(value, dict):
            # A table of nothing but tables needs no line of its own.
            if not value or not all(isinstance(item, dict) for item in value.values()):
                yield f"\n[{name}]"
            yield from _table(value, path)


def _is_tables(value: Any, place: tuple[str, ...]) -> bool:
    """Lists of tables stand below as [[name]] at the top of a file; deeper ones are written inline."""
    return (
        not place
        and isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) for item in value)
    )


def _line(key: str, value: Any) -> str:
    line = f"{_key(key)} = {_inline(value)}"
    if len(line) <= WIDTH or not isinstance(value, list):
        return line
    return f"{_key(key)} = [\n{_fill_lines([_inline(item) for item in value])}]"


def _fill_lines(items: list[str]) -> str:
    """As many items on each line as go in."""
    text, used = "", 0
    for item in items:
        if used and used + len(item) + 2 > WIDTH:
            text, used = text.rstrip() + "\n", 0
        text += ("" if used else "  ") + item + ", "
        used += len(item) + 2
    return text.rstrip() + "\n"


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_inline(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return tomli_w.dumps({"k": value})[len("k = ") : -1]


def _key(key: str) -> str:
    return tomli_w.dumps({key: 0})[: -len(" = 0\n")]
