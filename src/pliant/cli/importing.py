"""`pliant import`: a drawing, or a file of another program, as a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pliant.cli.answer import print_json, print_summary, print_written, write_answer
from pliant.cli.options import PICTURES, OutputFile, json_option, quiet_option, same_file
from pliant.cli.watch import Watch
from pliant.core.progress import silent

if TYPE_CHECKING:
    from pliant.core.motion import Motion

UNITS = ("mm", "cm", "m", "in", "ft", "px", "pt", "mil", "um")
KINDS = ("assembly", "fastener", "linkage")


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=OutputFile((".toml", ".json")), metavar="FILE", help="Write the model here."
)
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="assembly",
    metavar="KIND",
    help="What a drawing is of (default assembly).",
)
@click.option("--clearance", type=float, default=0.0, metavar="MM", help="Between parts, in the model.")
@click.option(
    "--kerf", type=float, default=0.0, metavar="MM", help="Width of the cut: half is taken off every side."
)
@click.option("--fixed", multiple=True, metavar="PART", help="What is held. Repeatable.")
@click.option("--scale", type=float, default=1.0, metavar="FACTOR", help="Enlarge the drawing.")
@click.option(
    "--units", type=click.Choice(UNITS), help="What the drawing's numbers are in; default as it says."
)
@click.option("--chord", type=float, metavar="MM", help="Chords stay this close to curves (0.05).")
@click.option("--close", type=float, metavar="MM", help="Ends this close are joined (0.1).")
@click.option(
    "--only", multiple=True, metavar="NAME", help="Read this layer, group, id or colour. Repeatable."
)
@click.option(
    "--skip", multiple=True, metavar="NAME", help="Leave this layer, group, id or colour out. Repeatable."
)
@click.option("--insides", is_flag=True, help="What is cut out of a part is a part, too.")
@click.option(
    "--bodies", type=click.Choice(("parts", "groups", "layers")), default="parts", help="What is one body."
)
@click.option("--picture", type=OutputFile(PICTURES), metavar="FILE", help="Default: beside the model.")
@click.option("--no-picture", is_flag=True, help="Draw none.")
@click.option("--force", is_flag=True, help="Write over a model that is there.")
@click.option(
    "--timeout", "seconds", type=float, default=120.0, metavar="S", help="Give up after so long (120)."
)
@click.option(
    "--max-size", "megabytes", type=float, default=50.0, metavar="MB", help="Read files up to this (50)."
)
@json_option
@quiet_option
def import_(
    file: Path,
    output: Path | None,
    picture: Path | None,
    no_picture: bool,
    force: bool,
    json_to: str | None,
    quiet: bool,
    megabytes: float,
    **settings: Any,
) -> None:
    """Make a model of a drawing or of another program's file, and say what was read.

    FILE is an SVG or DXF drawing; a linkage of PMKS, pylinkage or Pyslvs; or a mechanism in MJCF.
    Parts that share a line may be cut once. The model is in mm.
    """
    from pliant.files.imported import EmptyDrawingError

    picture = _picture_of(output, picture, no_picture)
    same_file(tuple(path for path in (output, picture) if path), file, "drawing")
    if output is not None:
        _check_free(output, force)
    try:
        with Watch(quiet) as watch:
            imported = _import(file, int(megabytes * 1e6), watch, settings)
    except EmptyDrawingError as error:
        if picture and error.motion.marks:
            _draw(error.motion, picture)
            print_written([picture])
        raise
    _give_out(imported, output, picture, json_to, quiet)


def _import(file: Path, max_bytes: int, progress: Any, settings: dict[str, Any]) -> Any:
    from pliant.files.importer import import_file

    return import_file(file, max_bytes=max_bytes, progress=progress, **settings)


def _give_out(
    imported: Any, output: Path | None, picture: Path | None, json_to: str | None, quiet: bool
) -> None:
    from pliant.core.store import write_json
    from pliant.files import save
    from pliant.files.writer import plain, toml_text

    if output is not None:
        save(imported.model, output)
    if picture is not None:
        _draw(imported.motion, picture)
    if json_to == "-":
        print_json(imported.to_dict())
    elif json_to:
        write_json(json_to, imported.to_dict())
    if not quiet and json_to != "-":
        if output is None:
            click.echo(toml_text(plain(imported.model)), nl=False)
            click.echo(imported.summary(), err=True)
        else:
            print_summary(imported.summary())
            from pliant.files.kinds import kind_named

            click.echo(f"Solve it with: pliant {kind_named(imported.model.kind).command} {output}")
    if not quiet:
        written = [*filter(None, [output, picture]), *([json_to] if json_to and json_to != "-" else [])]
        print_written([str(path) for path in written])


def _draw(motion: Motion, picture: Path) -> None:
    write_answer(motion, [picture], silent)


def _picture_of(output: Path | None, picture: Path | None, no_picture: bool) -> Path | None:
    """Where the picture goes: as asked, else beside the model, under its name."""
    if no_picture:
        return None
    return picture or (output.with_name(f"{output.stem}.import.png") if output else None)


def _check_free(output: Path, force: bool) -> None:
    from pliant.core.errors import Fault, InputError

    if output.exists() and not force:
        cure = "Name another file, or write over it with --force"
        raise InputError([Fault(str(output), "is there already, and would be lost", cure)])
