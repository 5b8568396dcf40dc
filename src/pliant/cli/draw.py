"""`pliant draw`: a picture, film or player of a model or of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pliant.cli.answer import print_written, write_answer
from pliant.cli.options import max_size_option, output_option, quiet_option, same_file, set_option
from pliant.cli.watch import Watch

if TYPE_CHECKING:
    from pliant.core.motion import Motion
    from pliant.core.plot import Plot


@click.command()
@click.argument("source", metavar="MODEL|RESULT", type=click.Path(path_type=Path))
@output_option(required=True)
@click.option(
    "--frame",
    type=int,
    help="Which frame a picture shows (default: the last; the first where curves are traced).",
)
@click.option("--filmstrip", "strip", is_flag=True, help="Pictures show the motion as a row of frames.")
@click.option("--scalar", help="Colour the bodies by this scalar of the motion.")
@click.option("--no-marks", is_flag=True, help="Leave out arrows, bands and labels.")
@set_option
@quiet_option
@max_size_option
def draw(
    source: Path,
    outputs: tuple[Path, ...],
    frame: int | None,
    strip: bool,
    scalar: str | None,
    no_marks: bool,
    parameters: Mapping[str, str],
    quiet: bool,
    max_bytes: int,
) -> None:
    """Draw a model, or a result that --json wrote.

    A model is drawn at its drawn pose. A Motion or Plot saved as JSON works too.
    """
    same_file(outputs, source)
    answer, plots, said = _answer(source, max_bytes, parameters)
    look: dict[str, Any] = {"scalar": scalar, "marks": not no_marks, **({} if strip else {"frame": frame})}
    with Watch(quiet) as watch:
        write_answer(answer, outputs, watch, plots=plots, said=said, strip=strip, **look)
    if not quiet:
        print_written(outputs)


def _answer(
    source: Path, max_bytes: int, parameters: Mapping[str, str]
) -> tuple[Motion | Plot, Sequence[Plot], object]:
    """What is drawn, and the charts and words that a player shows with it."""
    from pliant.core.model import Document
    from pliant.core.result import Result
    from pliant.files import load_any
    from pliant.files.kinds import fetch, kind_named

    loaded = load_any(source, max_bytes=max_bytes, parameters=parameters)
    if isinstance(loaded, Result):
        return loaded.motion, list(loaded.plots().values()), loaded
    drawn = fetch(kind_named(loaded.kind).drawn)(loaded) if isinstance(loaded, Document) else loaded
    return drawn, (), None
