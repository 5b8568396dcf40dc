"""`pliant tolerances`: samples of a model within its tolerances, and how many are good."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pliant.cli.answer import print_json, print_summary, print_written
from pliant.cli.options import PICTURES, OutputFile, json_option, same_file
from pliant.cli.sweep import TABLES, kept_beside, many_solves, named_ranges, report_option
from pliant.cli.watch import Watch
from pliant.core.errors import InputError
from pliant.core.status import INTERRUPTED


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.option(
    "--vary",
    "given",
    multiple=True,
    metavar="NAME=SPREAD",
    help="Before the file's own: gap=normal:0.05, gap=normal:0.15,sigmas:3, gap=uniform:0.1, gap=laser. "
    "Repeatable.",
)
@click.option("--draws", "samples", type=click.IntRange(1), default=1000, help="How many (default 1000).")
@click.option("--seed", type=click.IntRange(0), default=1, help="Of the samples (default 1).")
@click.option("--limit", "limits", multiple=True, help='That a good one keeps: "strain <= 0.02". Repeatable.')
@report_option
@click.option(
    "--save-worst",
    "worst",
    type=(click.IntRange(1), click.Path(path_type=Path, file_okay=False)),
    metavar="N FOLDER",
    help="Write the N worst samples as models, into a folder.",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    type=OutputFile(TABLES),
    multiple=True,
    metavar="FILE",
    help="Write the samples (.csv, .parquet), everything (.json) or a histogram (.png, .svg, .pdf). "
    "Repeatable.",
)
@click.option(
    "--plot",
    "figure",
    metavar="NAME",
    help='Which figure a picture shows (default: the first), or "contributions".',
)
@json_option
@many_solves
@click.pass_context
def tolerances(ctx: click.Context, model: Path, outputs: tuple[Path, ...], **how: Any) -> None:
    """Solve samples of a model within its tolerances: how many keep the limits, and why the others do not.

    The spread of each parameter, or of a key by its path, stands under [tolerances] in the file.
    """
    same_file(outputs, model)
    result, kept = _solve(model, outputs, **how)
    written = _give_out(result, outputs, how["figure"], how["json_to"], how["worst"])
    left = result.samples.left
    if not how["quiet"]:
        if how["json_to"] != "-":
            print_summary(result.summary())
        print_written([*written, *([kept] if left else ())])
    ctx.exit(INTERRUPTED if left else result.status.exit_code)


def _solve(
    model: Path,
    outputs: tuple[Path, ...],
    *,
    given: tuple[str, ...],
    samples: int,
    seed: int,
    limits: tuple[str, ...],
    report: tuple[str, ...],
    command: str | None,
    max_bytes: int,
    resume: bool,
    quiet: bool,
    figure: str | None,
    json_to: str | None,
    worst: tuple[int, Path] | None,
    **where: Any,
) -> tuple[Any, Path]:
    """The result, and where its samples are kept until it is whole."""
    from pliant.batch.journal import Journal
    from pliant.batch.task_batch import open_batch
    from pliant.sweeps.sampling import read_tolerance
    from pliant.sweeps.solve_case import solve_for_figures
    from pliant.sweeps.tolerances import read_lot, run_lot

    named = named_ranges(given, "gap=normal:0.05")
    spreads = {name: read_tolerance(name, text) for name, text in named.items()}
    lot = read_lot(
        model, spreads, report, limits, samples=samples, seed=seed, command=command, max_bytes=max_bytes
    )
    kept = kept_beside(outputs, model)
    with (
        Journal(kept, resume=resume) as journal,
        Watch(quiet) as watch,
        open_batch(solve_for_figures, journal=journal, **where) as run,
    ):
        try:
            result = run_lot(lot, run, watch)
        except InputError:  # a figure that is none: nothing that is kept would be asked for again
            journal.remove()
            raise
        if not result.samples.left:
            journal.remove()
    return result, kept


def _give_out(
    result: Any,
    outputs: tuple[Path, ...],
    figure: str | None,
    json_to: str | None,
    worst: tuple[int, Path] | None,
) -> list[Path]:
    """Write what was asked for; which files."""
    from pliant import view
    from pliant.core.store import write_json

    for path in outputs:
        if path.suffix.lower() in PICTURES:
            view.save_figure(view.chart(result.plot(figure)), path)
        else:
            result.save(path)
    if json_to == "-":
        print_json(result.to_dict())
    elif json_to:
        write_json(json_to, result.to_dict())
    saved = result.save_worst(*worst) if worst else []
    return [*outputs, *saved]
