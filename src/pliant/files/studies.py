"""Which study is solved: keywords go before `study=`, and that before the file's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from pliant.core.errors import Fault, InputError
from pliant.files.faults import model_faults, nearest, shown
from pliant.files.kinds import named
from pliant.files.schemas import schema


def chosen_study(model: Any, study: BaseModel | None, keywords: Mapping[str, Any]) -> Any:
    """The study of a model's own command, key by key; every fault of the keywords at once."""
    command = named(model.kind).command
    given = {**({} if study is None else _said(study, command)), **keywords}
    if not given:
        return model.study.for_command(command)
    kind = type(model.study.for_command(command))
    unknown = [key for key in keywords if key not in kind.model_fields]
    faults = [
        Fault(
            key,
            f"is no keyword of solve (given {shown(keywords[key])})",
            nearest(key, kind.model_fields, "Keywords"),
        )
        for key in unknown
    ]
    data = {**_said(model.study, command), **{key: given[key] for key in given if key not in unknown}}
    try:
        chosen = kind.model_validate(data)
        _check_names(model, {"maximize": chosen.maximize} if "maximize" in given else {})
    except ValidationError as error:
        found = model_faults(
            error.errors(include_url=False), {**data, "study": data}, _schema(model.kind, kind)
        )
        raise InputError(
            [*faults, *(replace(f, where=f.where.removeprefix("study.")) for f in found)]
        ) from None
    if faults:
        raise InputError(faults)
    return chosen


def _said(study: BaseModel, command: str) -> dict[str, Any]:
    """The keys a study sets, those of the command's own table over the common ones."""
    own = getattr(study, command, None)
    said = {key: getattr(study, key) for key in study.model_fields_set if key != command}
    return said if own is None else {**said, **_said(own, command)}


def _check_names(model: Any, part: Mapping[str, Any]) -> None:
    """Bodies that the study names must be in the model; the model's own validation says so."""
    if part:
        TypeAdapter(type(model)).validate_python({**dict(model), "study": part})


def _schema(kind: str, study: type[BaseModel]) -> dict[str, Any]:
    """The study's schema, open at its top and below `study`, where faults of names are reported."""
    whole = schema(kind)
    own = whole["$defs"][study.__name__]
    return {"$defs": whole["$defs"], **own, "properties": {**own["properties"], "study": own}}
