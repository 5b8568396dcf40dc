"""`pliant compare`: two designs side by side, by the same question to both."""

from __future__ import annotations

from pathlib import Path

import click

import pliant
from pliant.cli.answer import print_json, print_summary, print_written, write_answer
from pliant.cli.options import json_option, max_size_option, output_option, quiet_option, same_file
from pliant.cli.watch import Watch


@click.command()
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option(
    "--command", metavar="COMMAND", help="What both are asked: flex, play, …; else what solves them."
)
@output_option()
@json_option
@quiet_option
@max_size_option
@click.pass_context
def compare(
    ctx: click.Context,
    first: Path,
    second: Path,
    command: str | None,
    outputs: tuple[Path, ...],
    json_to: str | None,
    quiet: bool,
    max_bytes: int,
) -> None:
    """Ask two models the same and show their answers side by side.

    FIRST and SECOND are models of one kind, or results that --json wrote. What is asked is the study in each
    file; the table has every figure that differs, and -o both.png or -o both.html shows both.
    """
    from pliant.core.store import write_json

    written = (*outputs, *([Path(json_to)] if json_to and json_to != "-" else []))
    for model in (first, second):
        same_file(written, model)
    with Watch(quiet) as watch:
        compared = pliant.compare(first, second, command=command or "", progress=watch, max_bytes=max_bytes)
    asked = json_to or any(path.suffix.lower() == ".json" for path in outputs)
    data = compared.to_dict() if asked else None
    if json_to == "-":
        print_json(data or {})
    elif json_to:
        write_json(json_to, data or {})
    if outputs:
        with Watch(quiet) as watch:
            write_answer(compared.motion, outputs, watch, data=data, plots=list(compared.plots().values()))
    if not quiet:
        if json_to != "-":
            print_summary(compared.summary())
        print_written(written)
    ctx.exit(compared.status.exit_code)
