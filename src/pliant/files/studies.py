"""Which study is solved: keywords go before `study=`, and that before the file's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from pliant.core.errors import Fault, InputError
from pliant.core.faults import KeyPath, key_path, model_faults, name_cure, value_text, with_article
from pliant.files.kinds import check_command, kind_named

if TYPE_CHECKING:
    from pliant.files.kinds import Model


def chosen_study(
    model: Model, study: BaseModel | None, keywords: Mapping[str, Any], command: str = ""
) -> Any:
    """The study of a command, by default the one that solves the model; every fault at once."""
    command = command or kind_named(model.kind).command
    check_command(model.kind, command)
    written: Any = model.study
    own: BaseModel = written.for_command(command)
    kind = type(own)
    given = {**({} if study is None else _set_keys(study, command, kind, type(written))), **keywords}
    if not given:
        return own
    unknown = [key for key in keywords if key not in kind.model_fields]
    verb = "solve" if command == kind_named(model.kind).command else command
    faults = [
        Fault(
            key,
            f"is no keyword of {verb} (given {value_text(keywords[key])})",
            name_cure(key, kind.model_fields, "Keywords"),
        )
        for key in unknown
    ]
    data = {
        **_set_keys(written, command, kind, type(written)),
        **{key: given[key] for key in given if key not in unknown},
    }
    return validate_study(model, command, kind, data, faults)


def validate_study(
    model: Model,
    command: str,
    kind: type[BaseModel],
    data: Mapping[str, Any],
    faults: Iterable[Fault] = (),
    source: str = "",
) -> Any:
    """A study of plain data; what it names must be in the model, whose validation says so."""
    # Where the file has it: common keys stand in [study], those of a command apart in its own table.
    place = ("study",) if issubclass(type(model.study), kind) else ("study", command)
    try:
        TypeAdapter(type(model)).validate_python({**dict(model), **_nest_below(place, data)})
        chosen = kind.model_validate(data)
    except ValidationError as error:
        lines = model_faults(
            error.errors(include_url=False),
            {**data, **_nest_below(place, data)},
            _schema(kind, place),
        )
        prefix = f"{key_path(place)}."
        raise InputError(
            [*faults, *(replace(fault, where=fault.where.removeprefix(prefix)) for fault in lines)], source
        ) from None
    if faults := list(faults):
        raise InputError(faults, source)
    return chosen


def _set_keys(
    study: BaseModel, command: str, kind: type[BaseModel], whole: type[BaseModel]
) -> dict[str, Any]:
    """The keys a study sets, those of the command's own table over the common ones."""
    if not isinstance(study, kind | whole):
        problem = f"is {with_article(type(study).__name__)}, not {with_article(kind.__name__)}"
        raise InputError([Fault("study", problem, f"Give {kind.__name__}(…), or its keys as keywords")])
    own: Any = getattr(study, command, None)
    fields = study.model_fields_set & kind.model_fields.keys() if isinstance(study, kind) else ()
    said = {key: getattr(study, key) for key in fields}
    return {**said, **_set_keys(own, command, kind, whole)} if isinstance(own, kind) else said


def _nest_below(place: KeyPath, inner: Any) -> dict[str, Any]:
    """The inner data below the keys of a place."""
    for key in reversed(place):
        inner = {key: inner}
    return inner


def _schema(study: type[BaseModel], place: KeyPath) -> dict[str, Any]:
    """The study's schema, open at its top and at its place, where faults of names are reported."""
    own: dict[str, Any] = study.model_json_schema(by_alias=True)
    there = {key: own[key] for key in ("properties", "title")}
    for key in reversed(place):
        there = {"properties": {key: there}}
    return {**own, "properties": {**own["properties"], **there["properties"]}}
