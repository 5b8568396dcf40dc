"""`pliant evolve`: machines that nobody designed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pliant.cli.answer import print_json, print_summary, print_written
from pliant.cli.options import OutputFile, json_option, quiet_option
from pliant.cli.watch import Watch
from pliant.core.progress import Interrupted
from pliant.core.status import INTERRUPTED

if TYPE_CHECKING:
    from pliant.relax.evolve.result import Evolved

GOALS = ("line", "crawler")


@click.command()
@click.argument("goal", type=click.Choice(GOALS))
@click.option(
    "-o",
    "--output",
    "outputs",
    type=OutputFile((".toml", ".json")),
    multiple=True,
    help="The machine as a model file (.toml, .json). Repeatable.",
)
@click.option("--seed", type=click.IntRange(0), default=0, help="The same seed finds the same machine.")
@click.option(
    "--generations", type=click.IntRange(1, 1_000_000), help="Default: 240 for a line, 80 to crawl."
)
@click.option("--population", type=click.IntRange(4, 1_000_000), help="Machines in a generation (96).")
@click.option(
    "--checkpoint",
    type=OutputFile((".json",)),
    help="A file the search is kept in, and goes on from where there is one.",
)
@json_option
@quiet_option
@click.pass_context
def evolve(
    ctx: click.Context,
    goal: str,
    outputs: tuple[Path, ...],
    json_to: str | None,
    quiet: bool,
    **settings: Any,
) -> None:
    """Evolve a machine of bars and actuators.

    GOAL is a "line" that its last node draws, as straight as can be, or a "crawler" that gets along a floor.
    Ctrl-C ends the search with the best machine so far; with --checkpoint the same command goes on later.
    """
    from pliant.files import result_data, save

    given = {name: value for name, value in settings.items() if value is not None}
    result, stopped = _search(goal, quiet, given)
    for path in outputs:
        save(result.mechanism(), path)
    if json_to == "-":
        print_json(result_data(result))
    elif json_to:
        from pliant.core.store import write_json

        write_json(json_to, result_data(result))
    if not quiet:
        if json_to != "-":
            print_summary(result.summary())
        print_written((*outputs, *([Path(json_to)] if json_to and json_to != "-" else [])))
    ctx.exit(INTERRUPTED if stopped else result.status.exit_code)


def _search(goal: str, quiet: bool, given: dict[str, Any]) -> tuple[Evolved, bool]:
    from pliant.relax.evolve import crawler, straight_line

    search = {"line": straight_line, "crawler": crawler}[goal]
    with Watch(quiet) as watch:
        try:
            return search(**given, progress=watch), watch.asked_to_stop
        except Interrupted as interruption:
            result: Any = interruption.result
            return result, True
