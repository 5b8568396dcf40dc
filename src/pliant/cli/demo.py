"""`pliant demo`: solve examples and lay out what came of it, as a folder to look at."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import pliant
from pliant.cli.answer import write_answer
from pliant.cli.examples import check_name, example_text
from pliant.cli.options import quiet_option
from pliant.cli.watch import Watch
from pliant.core.errors import PliantError
from pliant.core.progress import Interrupted, silent
from pliant.core.status import ANSWERED, INTERRUPTED, NO_ANSWER, Tone

if TYPE_CHECKING:
    from pliant.cli.demo_report import Entry
    from pliant.core.motion import Motion
    from pliant.core.progress import Progress
    from pliant.files.kinds import Model

LOOK: dict[str, Any] = {"title": "", "width": 4.4, "tallest": 3.1}  # inches: letters can be read on a tile
FILM: dict[str, Any] = {"seconds": 2.5, "fps": 12, "dpi": 120, **LOOK}  # drawing films is most of the work
SUFFIXES = {"picture": ".png", "film": ".gif", "player": ".html", "result": ".json", "model": ".toml"}


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
@click.option("--all", "everything", is_flag=True, help="Every example; the large ones take minutes.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Solve so many at a time (default: one a processor, up to 8).",
)
@quiet_option
@click.pass_context
def demo(
    ctx: click.Context,
    names: tuple[str, ...],
    folder: Path,
    everything: bool,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Solve a dozen examples and write a report.

    A folder with pictures, films and players of a dozen examples, of those named or of --all, and an
    index.html that shows them.
    """
    from pliant.cli.demo_report import write_report

    started = time.perf_counter()
    chosen = _examples_named(names, everything)
    folder.mkdir(parents=True, exist_ok=True)
    by_name: dict[str, Entry] = {}
    with Watch(quiet) as watch:  # all along: a Ctrl-C between two examples would be raised anywhere
        try:
            _gather(_solve_all(chosen, folder, jobs, watch), by_name, watch, quiet)
        finally:  # whatever happens, what is done is reported
            entries = [by_name[name] for name in chosen if name in by_name]
            write_report(folder / "index.html", entries, time.perf_counter() - started)
    if not quiet:
        seconds = time.perf_counter() - started
        click.echo(f"{len(entries)} example{'s' * (len(entries) != 1)} in {seconds:.1f} s.")
        click.echo(click.style(f"The report is {folder / 'index.html'}", bold=True))
    failed = any(entry.tone is Tone.FAILURE for entry in entries)
    ctx.exit(INTERRUPTED if watch.asked_to_stop else NO_ANSWER if failed else ANSWERED)


def _examples_named(names: tuple[str, ...], everything: bool) -> list[str]:
    from pliant import gallery

    if names and everything:
        raise click.UsageError("--all solves every example; name some, or leave them to --all.")
    for name in names:
        check_name(name)
    return list(dict.fromkeys(names)) or (gallery.names() if everything else gallery.tour())


Solved = Iterator[tuple[str, "Entry | None"]]  # an example's name, and None where it was stopped


def _gather(solved: Solved, by_name: dict[str, Entry], watch: Watch, quiet: bool) -> None:
    """Keep and tell each example as it is solved, until Ctrl-C ends it."""
    with suppress(KeyboardInterrupt):
        for name, entry in solved:
            if entry is None:
                continue
            by_name[name] = entry
            if not quiet:
                said = entry.error or entry.sentence
                with watch.aside():
                    click.echo(f"{click.style(name, bold=True)} ({entry.spent:.1f} s): {said}")


def _solve_all(names: Sequence[str], folder: Path, jobs: int | None, watch: Watch) -> Solved:
    from pliant.batch.crew import MOST
    from pliant.core.threads import cores

    jobs = min(cores(), MOST) if jobs is None else jobs
    if min(jobs, len(names)) < 2:
        return _solve_in_turn(names, folder, watch)
    return _side_by_side(names, folder, jobs, watch)


def _solve_in_turn(names: Sequence[str], folder: Path, watch: Watch) -> Solved:
    for name in names:
        if watch.asked_to_stop:
            return
        watch.label = name
        yield name, solve_example(name, watch, folder)


def _side_by_side(names: Sequence[str], folder: Path, jobs: int, watch: Watch) -> Solved:
    from pliant.batch.crew import LostError, crew_results

    for name, entry in crew_results(partial(solve_example, folder=folder), names, jobs, watch):
        yield name, _failure_entry(name, entry) if isinstance(entry, LostError) else entry


# One example


def solve_example(name: str, progress: Progress, folder: Path) -> Entry | None:
    """Solve one example and draw it; its own failure is an entry too, and None that it was stopped."""
    started = time.perf_counter()
    try:
        entry = _solve_example(name, progress, folder)
    except KeyboardInterrupt:
        return None
    except Exception as error:  # noqa: BLE001  whatever it is, the other examples go on
        entry = _failure_entry(name, error)
    return replace(entry, spent=time.perf_counter() - started)


def _solve_example(name: str, progress: Progress, folder: Path) -> Entry:
    from pliant import gallery
    from pliant.cli.demo_report import Entry
    from pliant.core.store import write_whole
    from pliant.files import result_data
    from pliant.files.kinds import fetch, kind_named

    result: Any
    model, stopped = gallery.load(name), False
    try:
        result = _answer(model, progress)
    except Interrupted as interruption:
        result, stopped = interruption.result, True
    data: Any = result_data(result)
    files = {what: f"{name}{suffix}" for what, suffix in SUFFIXES.items()}
    write_whole(folder / files["model"], example_text(name).encode())
    drawn = [folder / files[what] for what in ("picture", "player", "result")]
    plots = list(result.plots().values())
    write_answer(result.motion, drawn, silent, data=data, plots=plots, said=result, **LOOK)
    if stopped or not _write_film(result.motion, folder / files["film"], progress):
        del files["film"]
    return Entry(
        name=name,
        kind=model.kind,
        description=gallery.describe(name),
        title=model.title,
        status=result.status.name.lower().replace("_", " "),
        tone=result.status.tone,
        alerts=tuple(result.alerts),
        parts=fetch(kind_named(model.kind).parts)(model),
        seconds=_seconds(data["seconds"]),
        summary=result.summary(),
        files=files,
    )


def _write_film(motion: Motion, path: Path, progress: Progress) -> bool:
    """Whether there was time for a film."""
    try:
        write_answer(motion, [path], progress, film=FILM)
    except KeyboardInterrupt:
        return False
    return True


def _failure_entry(name: str, error: Exception) -> Entry:
    """An example that came to no answer at all."""
    from pliant import gallery
    from pliant.cli.demo_report import Entry

    said = str(error) if isinstance(error, PliantError) else f"{type(error).__name__}: {error}"
    try:
        kind = gallery.load(name).kind
    except PliantError:
        kind = ""
    return Entry(name=name, kind=kind, description=gallery.describe(name), error=said)


def _seconds(phases: dict[str, float]) -> float:
    """How long a solve took, over all its phases."""
    return phases["total"] if "total" in phases else sum(phases.values())


def _answer(model: Model, progress: Progress) -> Any:
    """What comes of a model: of what its own study asks for."""
    from pliant.files.kinds import kind_named

    kind = kind_named(model.kind)
    command = kind.asked_command(model.study)
    ask = pliant.solve if command == kind.command else getattr(pliant, command)
    return ask(model, progress=progress)
