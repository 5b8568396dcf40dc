"""`pliant optimize`: values of parameters that come nearest to a goal within limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pliant.cli.answer import print_json, print_summary, print_written
from pliant.cli.options import PICTURES, OutputFile, json_option, same_file
from pliant.cli.sweep import kept_beside, many_solves, named_ranges
from pliant.cli.watch import Watch
from pliant.core.errors import InputError
from pliant.core.status import INTERRUPTED

WRITTEN = (".toml", ".csv", ".parquet", ".json", *PICTURES)


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("ranges", nargs=-1, required=True, metavar="NAME=VALUES...")
@click.option("--goal", required=True, help='"minimize peak_force", "maximize …" or "peak_force = 12".')
@click.option("--limit", "limits", multiple=True, help='That has to hold: "strain <= 0.02". Repeatable.')
@click.option("--seed", type=click.IntRange(0), default=1, help="Of the search (default 1).")
@click.option(
    "--evaluations",
    type=click.IntRange(1),
    metavar="N",
    help="How many values may be tried (default: 100, and 100 more for each parameter).",
)
@click.option(
    "--accuracy",
    type=click.FloatRange(1e-9, 0.1),
    default=1e-5,
    metavar="SHARE",
    help="Of the best values, over their ranges (default 1e-5).",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    type=OutputFile(WRITTEN),
    multiple=True,
    metavar="FILE",
    help="Write the best model (.toml), all that was tried (.csv, .parquet, .json) or how it went (.png, "
    ".svg, .pdf). Repeatable.",
)
@json_option
@many_solves
@click.pass_context
def optimize(ctx: click.Context, model: Path, outputs: tuple[Path, ...], **how: Any) -> None:
    """Find the values of parameters that come nearest to a goal within limits.

    NAME=10:20 is all between, NAME=10:20:2 and NAME=1,2,3 are these; NAME is a parameter of the file or a key
    by its path. Goal and limits name figures as "pliant sweep --report" does, or parameters.
    """
    same_file(outputs, model)
    result, kept = _search(model, outputs, **how)
    _give_out(result, outputs, how["json_to"])
    if not how["quiet"]:
        if how["json_to"] != "-":
            print_summary(result.summary())
        print_written([*outputs, *([kept] if result.stopped else ())])
    ctx.exit(INTERRUPTED if result.stopped else result.status.exit_code)


def _search(
    model: Path,
    outputs: tuple[Path, ...],
    *,
    ranges: tuple[str, ...],
    goal: str,
    limits: tuple[str, ...],
    seed: int,
    evaluations: int | None,
    accuracy: float,
    command: str | None,
    max_bytes: int,
    resume: bool,
    quiet: bool,
    json_to: str | None,
    **where: Any,
) -> tuple[Any, Path]:
    """The result, and where its solves are kept until it is whole."""
    from pliant.batch.journal import Journal
    from pliant.batch.task_batch import open_batch
    from pliant.sweeps.optimize import Effort, read_job, run_job
    from pliant.sweeps.solve_case import solve_for_figures

    given = named_ranges(ranges, "a=10:20 or a=1,2,3")
    job = read_job(model, given, goal, limits, command=command, max_bytes=max_bytes)
    kept = kept_beside(outputs, model)
    with (
        Journal(kept, resume=resume) as journal,
        Watch(quiet) as watch,
        open_batch(solve_for_figures, journal=journal, **where) as run,
    ):
        try:
            result = run_job(job, Effort(seed, evaluations, accuracy), run, watch)
        except InputError:  # a figure that is none: nothing that is kept would be asked for again
            journal.remove()
            raise
        if not result.stopped:
            journal.remove()
    return result, kept


def _give_out(result: Any, outputs: tuple[Path, ...], json_to: str | None) -> None:
    from pliant import view
    from pliant.core.store import write_json

    for path in outputs:
        if path.suffix.lower() in PICTURES:
            view.save_figure(view.chart(result.plot()), path)
        else:
            result.save(path)
    if json_to == "-":
        print_json(result.to_dict())
    elif json_to:
        write_json(json_to, result.to_dict())
