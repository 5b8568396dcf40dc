"""`pliant flex`: the extreme free motion of an assembly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pliant.cli.answer import print_json, print_summary, print_written, write_answer
from pliant.cli.options import (
    Pair,
    json_option,
    max_size_option,
    model_argument,
    output_option,
    quiet_option,
    same_file,
)
from pliant.cli.watch import Watch
from pliant.core.errors import Fault, InputError
from pliant.core.progress import Interrupted
from pliant.core.status import INTERRUPTED

SOLVERS = ("auto", "piqp", "clarabel", "highs", "normal")
CORNERS = ("chosen", "average", "exact")


@click.command()
@model_argument
@click.option("--move", metavar="BODY", help="Move this body as far as it goes; needs --direction.")
@click.option("--direction", type=Pair(), metavar="X,Y", help="Where --move goes.")
@click.option("--spin", metavar="BODY", help="Turn this body counter-clockwise as far as it goes.")
@click.option("--solver", type=click.Choice(SOLVERS), help="Solver of the linear programs.")
@click.option(
    "--corners", type=click.Choice(CORNERS), help="How two convex corners face to face are treated."
)
@click.option("--steps", type=click.IntRange(1, 100_000), help="Stop after so many steps.")
@click.option("--threshold", metavar="LENGTH", help="Overlap that a step may cause.")
@click.option("--tolerance", metavar="SHARE", help="Gain, as a share, below which the motion has converged.")
@click.option(
    "--ranges", is_flag=True, default=None, help="Ranges of the joints' shares where they are not unique."
)
@output_option()
@json_option
@quiet_option
@max_size_option
@click.pass_context
def flex(
    ctx: click.Context,
    model: Path,
    move: str | None,
    direction: tuple[str, str] | None,
    spin: str | None,
    outputs: tuple[Path, ...],
    json_to: str | None,
    quiet: bool,
    max_bytes: int,
    **settings: Any,
) -> None:
    """Find how far the parts of an assembly can move.

    What is maximised is the study in the file, or --move and --spin.
    """
    if (move is None) != (direction is None):
        raise click.UsageError("--move BODY and --direction X,Y belong together.")
    same_file((*outputs, *([Path(json_to)] if json_to and json_to != "-" else [])), model)
    keywords = {key: value for key, value in settings.items() if value is not None}
    if terms := _terms(move, direction, spin):
        keywords["maximize"] = terms
    ctx.exit(_flex(model, keywords, outputs, json_to, quiet, max_bytes))


def _terms(move: str | None, direction: tuple[str, str] | None, spin: str | None) -> list[dict[str, Any]]:
    moved: list[dict[str, Any]] = [{"body": move, "direction": direction}] if move is not None else []
    return [*moved, {"body": spin, "spin": 1}] if spin is not None else moved


def _flex(
    path: Path,
    keywords: dict[str, Any],
    outputs: tuple[Path, ...],
    json_to: str | None,
    quiet: bool,
    max_bytes: int,
) -> int:
    import pliant

    model = pliant.load(path, max_bytes=max_bytes)
    stopped = False
    with Watch(quiet) as watch:
        try:
            result = pliant.solve(model, progress=watch, **keywords)
        except Interrupted as interruption:
            result, stopped = interruption.result, True
        except InputError as error:
            raise _placed(error, path, "--move" if "maximize" in keywords else "") from None
        stopped = stopped or watch.asked_to_stop
    data = result.to_dict()
    with Watch(quiet) as watch:
        write_answer(result.motion, outputs, watch, data=data, plots=list(result.plots().values()))
    _print(result.summary(), data, outputs, json_to, quiet)
    return INTERRUPTED if stopped else result.status.exit_code


def _placed(error: InputError, path: Path, flag: str) -> InputError:
    """Name the flag where a flag is at fault, and the file where the file is."""
    faults = [
        Fault(flag, fault.problem, fault.cure) if flag and fault.where.startswith("maximize") else fault
        for fault in error.faults
    ]
    return InputError(
        faults, "" if all(fault.where == flag for fault in faults) else error.source or str(path)
    )


def _print(
    summary: str, data: dict[str, Any], outputs: tuple[Path, ...], json_to: str | None, quiet: bool
) -> None:
    from pliant.core.store import write_json

    if json_to == "-":
        print_json(data)
    elif json_to:
        write_json(json_to, data)
    if quiet:
        return
    if json_to != "-":
        print_summary(summary)
    print_written([*outputs, *([json_to] if json_to and json_to != "-" else [])])
