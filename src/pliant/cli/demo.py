"""`pliant demo`: solve the gallery and lay out what came of it, as a folder to look at."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import pliant
from pliant.cli.answer import write_answer
from pliant.cli.examples import check_name, example_text
from pliant.cli.options import quiet_option
from pliant.cli.watch import Watch
from pliant.core.errors import PliantError
from pliant.core.progress import Interrupted
from pliant.core.status import ANSWERED, INTERRUPTED, NO_ANSWER

if TYPE_CHECKING:
    from pliant.cli.report import Entry
    from pliant.core.progress import Progress
    from pliant.files.kinds import Model

FILM = {"seconds": 3.0, "fps": 16}  # drawing films is most of the work


@click.command()
@click.argument("names", nargs=-1, metavar="[EXAMPLE]...")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("pliant-demo"),
    show_default=True,
    metavar="FOLDER",
    help="Where pictures, films, players and index.html go.",
)
@click.option("--all", "slow_too", is_flag=True, help="The large examples too, which take minutes.")
@quiet_option
@click.pass_context
def demo(ctx: click.Context, names: tuple[str, ...], folder: Path, slow_too: bool, quiet: bool) -> None:
    """Solve the examples and write a report.

    A folder with pictures, films and players of every example, or of those named, and an index.html.
    """
    from pliant import gallery
    from pliant.cli.report import write_report

    for name in names:
        check_name(name)
    folder.mkdir(parents=True, exist_ok=True)
    entries: list[Entry] = []
    try:
        code = _run_all(names or (gallery.names() if slow_too else gallery.quick()), folder, quiet, entries)
    finally:  # whatever happens, what is done is reported
        write_report(folder / "index.html", entries)
    if not quiet:
        click.echo(click.style(f"The report is {folder / 'index.html'}", bold=True))
    ctx.exit(code)


def _run_all(names: Iterable[str], folder: Path, quiet: bool, entries: list[Entry]) -> int:
    """Add an entry for each example; the exit code."""
    for name in names:
        entry, stopped = _run(name, folder, quiet)
        entries += [entry] if entry else []
        if stopped:
            return INTERRUPTED
    return NO_ANSWER if any(not entry.answered for entry in entries) else ANSWERED


def _run(name: str, folder: Path, quiet: bool) -> tuple[Entry | None, bool]:
    """One example's entry, and whether Ctrl-C ended it."""
    from pliant.cli.report import Entry

    started = time.perf_counter()
    try:
        entry, stopped = _solve(name, folder, quiet)
    except KeyboardInterrupt:
        return None, True
    except PliantError as error:
        entry, stopped = Entry(name=name, description="", error=str(error), answered=False), False
    if not quiet:
        seconds = time.perf_counter() - started
        click.echo(f"{click.style(name, bold=True)} ({seconds:.1f} s): {entry.error or entry.sentence}")
    return entry, stopped


def _solve(name: str, folder: Path, quiet: bool) -> tuple[Entry, bool]:
    from pliant import gallery
    from pliant.cli.report import Entry
    from pliant.core.store import write_whole

    model = gallery.load(name)
    with Watch(quiet, name) as watch:
        try:
            result = _answer(model, watch)
        except Interrupted as interruption:
            result = interruption.result
    data = result.to_dict()
    files = [folder / f"{name}{suffix}" for suffix in (".png", ".gif", ".html", ".json")]
    copy = folder / f"{name}.toml"
    write_whole(copy, example_text(name).encode())
    with Watch(quiet, name) as drawing:
        plots = list(result.plots().values())
        write_answer(result.motion, files, drawing, data=data, plots=plots, film=FILM)
    entry = Entry(
        name=name,
        description=gallery.describe(name),
        title=model.title,
        answered=result.status.exit_code == ANSWERED,
        parts=_parts(model),
        data=data,
        summary=result.summary(),
        picture=files[0].read_bytes(),
        files={"player": files[2].name, "film": files[1].name, "result": files[3].name, "model": copy.name},
    )
    return entry, watch.asked_to_stop or drawing.asked_to_stop


def _answer(model: Model, progress: Progress) -> Any:
    """What comes of a model: its edit, where it asks for one."""
    if model.kind == "linkage" and model.study.edit is not None:
        return pliant.edit(model, progress=progress)
    return pliant.solve(model, progress=progress)


def _parts(model: Model) -> int:
    """Bodies, links, pawls and obstacles, or whatever a mechanism is made of."""
    if model.kind == "assembly":
        return len(model.bodies)
    if model.kind == "linkage":
        return len(model.links)
    if model.kind == "fastener":
        return len(model.pawls) + len(model.obstacles) + (model.root.outline is not None)
    from pliant.relax.reading import ELEMENTS

    return sum(len(getattr(model, key)) for key in ELEMENTS)
