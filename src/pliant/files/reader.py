"""Files to models: find the kind, bring old versions up to date, and list every fault at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from pliant.core.errors import Fault, InputError
from pliant.core.faults import model_faults, name_cure, value_text
from pliant.core.given import given_path, given_table
from pliant.core.motion import Motion
from pliant.core.plot import Plot
from pliant.core.store import ANEW, reading
from pliant.files.drawn_outlines import with_drawn_outlines
from pliant.files.kinds import KINDS, MIGRATIONS, VERSION, fetch, kind_named, unknown_kind
from pliant.files.parameters import resolved
from pliant.files.parse import (
    MODEL_BYTES,
    RESULT_BYTES,
    STDIN,
    beginning,
    looks_like_json,
    named_file,
    parse,
    read_text,
    text_faults,
)
from pliant.files.results import SavedResult
from pliant.files.schemas import schema
from pliant.files.tolerances import tolerance_faults

if TYPE_CHECKING:
    from pliant.files.kinds import Model

HEAD = 200  # characters in which a model has its version
EDITS = "edits"  # the kind of a file that reshapes a linkage


def load(
    path: str | Path, *, max_bytes: int = MODEL_BYTES, parameters: Mapping[str, object] | None = None
) -> Model:
    """Read a model file, TOML or JSON.

    Args:
        path: the file; "-" is standard input.
        max_bytes: the largest file that is read.
        parameters: that go before the file's own: numbers or expressions, by name or by key path.

    Returns:
        An Assembly, Linkage, Mechanism or Fastener.

    Raises:
        InputError: the file cannot be used; every fault is listed.
    """
    path = given_path(path)
    folder = None if str(path) == STDIN else path.parent
    return model_of(parse(read_text(path, max_bytes), path), named_file(path), parameters, folder)


def model_of(
    data: Mapping[str, object],
    source: str = "",
    parameters: Mapping[str, object] | None = None,
    folder: Path | None = None,
) -> Model:
    """A model from plain data, such as a parsed file or a dict written in Python.

    Args:
        data: keys of a model file, "kind" among them.
        source: the file's name, for what is said of faults.
        parameters: that go before the file's own: numbers or expressions, by name or by key path.
        folder: where drawings lie that it names for its outlines; without one, it may name none.

    Returns:
        An Assembly, Linkage, Mechanism or Fastener.

    Raises:
        InputError: the data cannot be used; every fault is listed.
    """
    data = given_table(data, "data", 'Give the keys of a model, such as {"kind": "assembly", …}')
    if parameters is not None:
        parameters = given_table(parameters, "parameters", 'Give values by name, such as {"a": 12}')
    faults = text_faults(data)
    if faults:
        raise InputError(faults, source)
    data, faults = current(dict(data), source)
    data, drawn = with_drawn_outlines(data, folder)
    if drawn:
        raise InputError([*faults, *drawn], source)
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError([*_kind_faults(data), *faults], source)
    read = resolved(data, schema(kind), parameters)
    data = read.data
    faults += [*read.faults, *tolerance_faults(data, schema(kind))]
    try:
        model = fetch(kind_named(kind).model).model_validate({**data, "pliant": VERSION})
    except ValidationError as error:
        found = model_faults(error.errors(include_url=False), data, schema(kind))
        raise InputError(
            [*faults, *(fault for fault in found if fault.where not in read.unread)], source
        ) from None
    if faults:
        raise InputError(faults, source)
    return model


def load_any(
    path: str | Path, *, max_bytes: int = MODEL_BYTES, parameters: Mapping[str, object] | None = None
) -> Model | SavedResult | Motion | Plot:
    """Read a model, a result that `--json` wrote, or a Motion or Plot that was saved.

    Args:
        path: the file; "-" is standard input.
        max_bytes: the largest model that is read; what was saved may be larger.
        parameters: that go before the file's own: numbers or expressions, by name or by key path.

    Returns:
        What the file holds.

    Raises:
        InputError: the file cannot be used; every fault is listed.
    """
    path = given_path(path)
    head = beginning(path, HEAD)
    if '"pliant"' in head or not looks_like_json(head):
        return load(path, max_bytes=max_bytes, parameters=parameters)
    data = parse(read_text(path, RESULT_BYTES), path, exact=False)  # a result may be larger than a model
    if not is_answer(data):
        return load(path, max_bytes=max_bytes, parameters=parameters)
    try:
        return _saved_answer(data)
    except InputError as error:
        unread = error.faults[0].cure == ANEW
        faults = error.faults if unread else [Fault("", f"its result cannot be read ({error})", ANEW)]
        raise InputError(faults, named_file(path)) from error


@reading("result")
def _saved_answer(data: dict[str, Any]) -> SavedResult | Motion | Plot:
    """What data that was saved holds, all of it read once."""
    if "series" in data:
        return Plot.from_dict(data)
    motion = Motion.from_dict(data.get("motion", data))
    _check_indices(motion)
    if not {"kind", "command", "status"} <= data.keys():
        return motion
    saved = SavedResult(data)
    _ = saved.status, saved.summary(), saved.plots()
    return saved


def is_answer(data: Mapping[str, Any]) -> bool:
    """Whether data is a result, a Motion or a Plot, and no model."""
    return "pliant" not in data and ("motion" in data or {"axis", "poses"} <= data.keys() or "series" in data)


def _check_indices(motion: Motion) -> None:
    for indices, size in (
        (motion.body_shapes, len(motion.shapes)),
        (motion.strokes, len(motion.point_names)),
    ):
        if indices.size and not (indices.min() >= 0 and indices.max() < size):
            raise IndexError("a shape or point that is not there is used")


def current(data: dict[str, Any], source: str) -> tuple[dict[str, Any], list[Fault]]:
    """The data in today's version, and what is wrong with the version it names."""
    version = data.get("pliant")
    line = f"Add pliant = {VERSION} as the first line"
    if is_answer(data):
        cure = 'Give the model file; a result is drawn with "pliant draw"'
        raise InputError([Fault("", "is a result, not a model", cure)], source)
    if version is None:
        return data, [Fault("pliant", "is missing: the version of the file format", line)]
    if isinstance(version, bool) or not isinstance(version, int):
        return data, [
            Fault("pliant", f"is {value_text(version)}, not a version", f"Write pliant = {VERSION}")
        ]
    if version > VERSION:
        problem = f"is {value_text(version)}: the file was made by a newer pliant (this one reads {VERSION})"
        raise InputError([Fault("pliant", problem, 'Update with "pip install -U pliant"')], source)
    while version < VERSION:
        if version not in MIGRATIONS:
            return data, [
                Fault("pliant", f"is {version}, which never was a version", f"Write pliant = {VERSION}")
            ]
        data, version = MIGRATIONS[version](data), version + 1
    return data, []


def _kind_faults(data: Mapping[str, Any]) -> list[Fault]:
    if data.get("kind") == EDITS:
        cure = 'Give it beside its model: "pliant edit MODEL --edits FILE"'
        return [Fault("kind", f"{EDITS!r} are edits of a linkage, not a model", cure)]
    if "kind" in data:
        return [unknown_kind(data["kind"])]
    misspelt = [key for key in data if name_cure(key, ["kind"], "").startswith("Did")]
    if misspelt:
        return [Fault(misspelt[0], "is not a key of a model", "Did you mean 'kind'?")]
    kinds = " or ".join(f'kind = "{kind}"' for kind in KINDS)
    return [Fault("kind", "is missing: what this is a model of", f"Add {kinds}")]
