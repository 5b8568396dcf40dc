"""Files of edits: what shall become of a linkage, apart from the linkage itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pliant.core.errors import Fault, InputError
from pliant.core.faults import value_text
from pliant.core.given import given_path, given_table, refused
from pliant.files.parse import MODEL_BYTES, named_file, parse, read_text, text_faults
from pliant.files.reader import EDITS, current
from pliant.files.studies import validate_study

if TYPE_CHECKING:
    from pliant.linkage.model import EditStudy, Linkage


def load_edits(path: str | Path, model: Linkage, *, max_bytes: int = MODEL_BYTES) -> EditStudy:
    """Read a file of edits for a linkage.

    Args:
        path: a TOML or JSON file with the keys of `[study.edit]`.
        model: the linkage whose joints and links it names.
        max_bytes: the largest file that is read.

    Returns:
        What shall change and what shall not.

    Raises:
        InputError: the file cannot be used; every fault is listed.
    """
    path = given_path(path)
    return edits_of(parse(read_text(path, max_bytes), path), model, source=named_file(path))


def edits_of(data: Mapping[str, object], model: Linkage, source: str = "") -> EditStudy:
    """Edits from plain data; what they name must be in the linkage.

    Args:
        data: keys of `[study.edit]`.
        model: the linkage whose joints and links it names.
        source: the file's name, for what is said of faults.

    Returns:
        What shall change and what shall not.

    Raises:
        InputError: the data cannot be used; every fault is listed.
    """
    from pliant.linkage.model import EditStudy, Linkage

    if not isinstance(model, Linkage):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise refused("model", model, "linkage", "Give the linkage that shall be edited")
    data = given_table(data, "data", 'Give the keys of a file of edits, such as {"kind": "edits", …}')
    if faults := text_faults(data):
        raise InputError(faults, source)
    data, faults = current(dict(data), source)
    kind = data.pop("kind", None)
    data.pop("pliant", None)
    if kind != EDITS:
        raise InputError([*faults, _wrong_kind(kind, model.kind)], source)
    return validate_study(model, "edit", EditStudy, data, faults, source)


def _wrong_kind(kind: Any, models: str) -> Fault:
    problem = (
        "is missing: what the file is" if kind is None else f"is {value_text(kind)}, not {value_text(EDITS)}"
    )
    if kind == models:
        return Fault("kind", problem, 'Give the model first: "pliant edit MODEL --edits FILE"')
    return Fault("kind", problem, f'Write kind = "{EDITS}"')
