"""`pliant sweep` and `pliant batch`: many solves, a row each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pliant.cli.answer import print_summary, print_written
from pliant.cli.options import PICTURES, NameList, OutputFile, max_size_option, quiet_option, same_file
from pliant.cli.watch import Watch
from pliant.core.status import ANSWERED, INTERRUPTED, NO_ANSWER

if TYPE_CHECKING:
    from pliant.sweeps.cases import Case

TABLES = (".csv", ".parquet", ".json", *PICTURES)
F = Callable[..., Any]

report_option = click.option(
    "--report", type=NameList(), default=(), help="Figures of the results, such as peak_force,strain."
)


def _many(command: F) -> F:
    """The options that sweep and batch share."""
    for option in (
        report_option,
        click.option(
            "-o",
            "--output",
            "outputs",
            type=OutputFile(TABLES),
            multiple=True,
            metavar="FILE",
            help="Write a .csv, .parquet or .json table, or a .png, .svg or .pdf curve or map. Repeatable.",
        ),
        click.option(
            "--plot", "figure", metavar="NAME", help="Which figure a picture shows (default: the first)."
        ),
    ):
        command = option(command)
    return many_solves(command)


def many_solves(command: F) -> F:
    """The options of every command that solves many cases."""
    for option in (
        click.option("--ask", "command", metavar="COMMAND", help="Ask with this command (play, loosen, …)."),
        click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Processes at a time."),
        click.option(
            "--cluster", metavar="ADDRESS", help='A Dask scheduler, such as tcp://host:8786, or "local".'
        ),
        click.option(
            "--time-limit",
            "limit_s",
            type=click.FloatRange(min=0, min_open=True),
            metavar="SECONDS",
            help="Give a case up after this long, and go on with the others.",
        ),
        click.option("--resume", is_flag=True, help="Go on with what an earlier run left undone."),
        quiet_option,
        max_size_option,
    ):
        command = option(command)
    return command


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("ranges", nargs=-1, required=True, metavar="NAME=VALUES...")
@_many
@click.pass_context
def sweep(ctx: click.Context, model: Path, ranges: tuple[str, ...], max_bytes: int, **how: Any) -> None:
    """Solve a model over values of its parameters.

    NAME=10:20:0.5 goes from 10 to 20, NAME=1,2,3 takes these; NAME is a parameter of the file, or a key by
    its path, such as clearance or "pawls[0].stiffness". One gives a curve, two a map, more a table.
    """
    from pliant.sweeps.cases import grid_cases

    same_file(how["outputs"], model)
    given = named_ranges(ranges, "a=10:20:0.5 or a=1,2,3")
    ctx.exit(_solve_all(grid_cases(model, given, max_bytes), model, **how))


def named_ranges(texts: Sequence[str], example: str) -> dict[str, str]:
    """Ranges by name, of words such as a=10:20."""
    given: dict[str, str] = {}
    for text in texts:
        name, _, values = text.partition("=")
        if not (name.strip() and values.strip()):
            raise click.UsageError(f"{text!r} gives no values; write {example}.")
        if name.strip() in given:
            raise click.UsageError(f"{name.strip()!r} is given twice; write {example}, each name once.")
        given[name.strip()] = values
    return given


def kept_beside(outputs: Sequence[Path], source: Path) -> Path:
    """Where each solve is kept as it comes: beside what is written first, or beside the model."""
    first = outputs[0] if outputs else Path("stdin") if str(source) == "-" else source
    return first.with_suffix(".rows.jsonl")


@click.command()
@click.argument("source", metavar="FOLDER|MODEL", type=click.Path(path_type=Path))
@click.option("--table", type=click.Path(path_type=Path), help="A .csv: a column a parameter, a row a case.")
@_many
@click.pass_context
def batch(ctx: click.Context, source: Path, table: Path | None, max_bytes: int, **how: Any) -> None:
    """Solve every model of a folder, or a model for each row of a table of parameters."""
    from pliant.sweeps.sweep import batch_cases

    if table is not None and source.is_dir():
        raise click.UsageError("--table goes with one MODEL, not with a folder.")
    for path in (source, *([table] if table else ())):
        same_file(how["outputs"], path)
    ctx.exit(_solve_all(batch_cases(source, table, max_bytes), source, **how))


def _solve_all(
    cases: Sequence[Case],
    source: Path,
    *,
    report: tuple[str, ...],
    command: str | None,
    outputs: tuple[Path, ...],
    figure: str | None,
    resume: bool,
    quiet: bool,
    **where: Any,
) -> int:
    """Solve cases, keeping each as it comes; write the table; the exit code."""
    from pliant import view
    from pliant.batch.journal import Journal
    from pliant.sweeps.sweep import solve_cases

    kept = kept_beside(outputs, source)
    with Journal(kept, resume=resume) as journal, Watch(quiet) as watch:
        table = solve_cases(cases, report, command=command, journal=journal, progress=watch, **where)
        for path in outputs:
            if path.suffix.lower() in PICTURES:
                if table.rows:
                    view.save_figure(view.chart(table.plot(figure)), path)
            else:
                table.save(path)
        if not table.left:
            journal.remove()
    if not quiet:
        print_summary(table.summary())
        print_written([*outputs, *([kept] if table.left else ())])
    return INTERRUPTED if table.left else NO_ANSWER if table.failed else ANSWERED
