"""A model file's text with other values in it: its expressions stay, so that it can be varied further."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pliant.core.errors import InputError
from pliant.files.parameters import with_changes
from pliant.files.parse import parse
from pliant.files.schemas import schema
from pliant.files.writer import file_numbers, toml_text


def changed_text(text: str, suffix: str, changes: Mapping[str, Any]) -> str:
    """TOML of a model with other values of parameters and keys."""
    data = parse(text, Path(f"model{suffix}"))
    data, faults = with_changes(data, changes, schema(str(data["kind"]))["properties"])
    if faults:
        raise InputError(faults)
    return toml_text(file_numbers(data))
