"""What functions are given from outside: a path, a text, a table, or an InputError that says what it was."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from pliant.core.errors import Fault, InputError

A_PATH = 'Give the path of a file, such as "model.toml"'


def refused(where: str, value: object, wanted: str, cure: str) -> InputError:
    """What to raise of something of another sort.

    >>> print(refused("source", 42, "path of a file", "Give one"))
    source: is of type int, and no path of a file. Give one
    """
    what = f"the class {value.__name__}" if isinstance(value, type) else f"of type {type(value).__name__}"
    return InputError([Fault(where, f"is {what}, and no {wanted}", cure)])


def given_path(value: object, where: str = "path", cure: str = A_PATH) -> Path:
    """A path; nothing is said of whether there is such a file."""
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(text, str):
        raise refused(where, value, "path of a file", cure)
    if "\0" in text:
        raise InputError([Fault(where, f"{text!r} holds U+0000, which no file name may", "Leave it out")])
    return Path(text)


def given_text(value: object, where: str, cure: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise refused(where, value, "text", cure)
    return value


def given_texts(value: object, where: str, cure: str) -> list[str]:
    """A list of texts; a text alone would be taken for a list of its letters."""
    if isinstance(value, str) or not isinstance(value, Sequence | set | frozenset):
        raise refused(where, value, "list of texts", cure)
    return [given_text(one, f"{where}[{place}]", cure) for place, one in enumerate(value)]


def given_count(value: object, where: str, cure: str) -> int:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise refused(where, value, "whole number", cure)
    return value


def given_values(value: object, where: str, cure: str) -> Any:
    """Several values, or a text that stands for them."""
    if not isinstance(value, Collection) or isinstance(value, Mapping | bytes):
        raise refused(where, value, "list of values", cure)
    return value


def given_table(value: object, where: str, cure: str) -> Mapping[str, Any]:
    """A dict whose keys are texts."""
    if not isinstance(value, Mapping):
        raise refused(where, value, "dict", cure)
    for key in value:
        given_text(key, f"{where}: the key {key!r}"[:80], cure)
    return value
