"""`pliant check`: what a model holds, and what is wrong with it and where."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from pliant.cli.answer import print_json, print_summary, print_written, write_answer
from pliant.cli.options import (
    PICTURES,
    OutputFile,
    json_option,
    max_size_option,
    quiet_option,
    same_file,
    set_option,
)
from pliant.core.errors import InputError
from pliant.core.progress import silent


@click.command()
@click.argument("model", required=False, type=click.Path(path_type=Path))
@click.option("--draw", "picture", type=OutputFile(PICTURES), metavar="FILE", help="Draw it, faults and all.")
@click.option("--schema", "kind", metavar="KIND", help='Print the JSON Schema of a kind, such as "assembly".')
@set_option
@json_option
@quiet_option
@max_size_option
def check(
    model: Path | None,
    picture: Path | None,
    kind: str | None,
    parameters: Mapping[str, str],
    json_to: str | None,
    quiet: bool,
    max_bytes: int,
) -> None:
    """Validate a model; say what it holds, or what is wrong and where."""
    if kind is not None:
        from pliant.files import schema

        click.echo(_pretty(schema(kind)))
    elif model is None:
        raise click.UsageError("Name a MODEL to check, or --schema KIND.")
    else:
        if picture:
            same_file((picture,), model)
        _check(model, picture, parameters, json_to, quiet, max_bytes)


def _check(
    path: Path,
    picture: Path | None,
    parameters: Mapping[str, str],
    json_to: str | None,
    quiet: bool,
    max_bytes: int,
) -> None:
    from pliant.files import load
    from pliant.files.kinds import fetch, kind_named
    from pliant.files.parse import named_file

    source = named_file(path)
    try:
        model = load(path, max_bytes=max_bytes, parameters=parameters)
        kind = kind_named(model.kind)
        fetch(kind.check)(model)
        holds, motion = dict(fetch(kind.describe)(model)), fetch(kind.drawn)(model)
    except InputError as error:
        placed = error if error.source else InputError(error.faults, source)
        if picture:
            _draw_faulty(path, parameters, placed, picture, max_bytes)
        _write_json({"model": source, "faults": [vars(fault) for fault in placed.faults]}, json_to)
        raise placed from None
    if picture:
        write_answer(motion, [picture], silent)
    _write_json({"model": source, "faults": [], "holds": holds}, json_to)
    if not quiet and json_to != "-":
        width = max(map(len, holds))
        lines = [f"  {key.ljust(width)}  {value}" for key, value in holds.items()]
        print_summary("\n".join([f"{source} is a sound {model.kind}.", *lines]))
        click.echo(f"Solve it with: pliant {kind.command} {path}")
        for command in kind.commands[1:]:
            if (study := getattr(model.study, command, None)) is not None:
                click.echo(f"Its [study.{command}] {_use(command, study, path)}")
    if not quiet:
        print_written([picture] if picture else [])


def _use(command: str, study: Any, path: Path) -> str:
    """What a table of a study is for: the command that takes it, with what it leaves to be given there."""
    if command == "edit" and study.is_empty:
        return f"leaves open what shall change: pliant edit {path} --edits FILE, or --move JOINT=X,Y"
    if command == "loosen" and study.limit is None:
        return f"leaves open how far it may flex: pliant loosen {path} --limit LENGTH|ANGLE"
    return f"is for: pliant flex {path} --prove" if command == "prove" else f"is for: pliant {command} {path}"


def _write_json(data: dict[str, Any], json_to: str | None) -> None:
    from pliant.core.store import write_json

    if json_to == "-":
        print_json(data)
    elif json_to:
        write_json(json_to, data)


def _draw_faulty(
    path: Path, parameters: Mapping[str, str], error: InputError, picture: Path, max_bytes: int
) -> None:
    from pliant.files.parse import parse, read_text
    from pliant.files.sketches import drawn_with_faults

    motion = drawn_with_faults(parse(read_text(path, max_bytes), path), error.faults, parameters)
    if motion.marks:
        write_answer(motion, [picture], silent)
        print_written([picture])


def _pretty(data: dict[str, Any]) -> str:
    import json

    return json.dumps(data, indent=2, ensure_ascii=False)
