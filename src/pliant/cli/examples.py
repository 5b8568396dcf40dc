"""`pliant examples`: the gallery's models, listed or copied out."""

from __future__ import annotations

from pathlib import Path

import click

from pliant.cli.answer import print_written
from pliant.cli.options import OutputFile, quiet_option


@click.command()
@click.argument("name", required=False)
@click.option(
    "-o",
    "--output",
    type=OutputFile((".toml", ".json", ".svg", ".dxf")),
    metavar="FILE",
    help="Copy the model here; of one that is drawn, its drawing.",
)
@click.option("--kind", metavar="KIND", help="List those of a kind: assembly, linkage, mechanism, fastener.")
@quiet_option
def examples(name: str | None, output: Path | None, kind: str | None, quiet: bool) -> None:
    """List the example models, with the kind of each and the command that solves it.

    With a NAME, print that one, or copy it to a file with -o.
    """
    if name is None:
        _list(kind)
        return
    check_name(name)
    if output is None:
        click.echo(example_text(name), nl=False)
    else:
        _copy(name, output)
        if not quiet:
            print_written([output])


def _list(kind: str | None) -> None:
    from pliant import gallery
    from pliant.files.kinds import kind_named

    if kind is not None:
        kind_named(kind)
    width = max(map(len, gallery.names()))
    for name in gallery.names():
        own = gallery.kind(name)
        if kind in (None, own):
            command = kind_named(own).command.ljust(5)
            label = f"{click.style(name.ljust(width), bold=True)}  {own.ljust(9)}  {command}"
            click.echo(f"{label}  {gallery.describe(name)}")


def check_name(name: str) -> None:
    """Refuse what is no example, and name the nearest."""
    from pliant import gallery
    from pliant.core.errors import Fault, InputError
    from pliant.core.faults import name_cure

    if name not in gallery.names():
        raise InputError(
            [Fault("", f"{name!r} is not an example", name_cure(name, gallery.names(), "Examples"))]
        )


def example_text(name: str) -> str:
    """An example as TOML: its own file with its comments, or what its recipe makes."""
    from pliant import gallery
    from pliant.files.writer import plain, toml_text

    path = gallery.path(name)
    return toml_text(plain(gallery.load(name))) if path is None else path.read_text(encoding="utf-8")


def _copy(name: str, output: Path) -> None:
    from pliant import gallery
    from pliant.core.errors import Fault, InputError
    from pliant.core.store import write_whole
    from pliant.files import save

    if output.suffix.lower() in (".svg", ".dxf"):
        drawing = gallery.drawing(name)
        if drawing is None or drawing.suffix != output.suffix.lower():
            cure = f"Name the file {name}{drawing.suffix if drawing else '.toml'}"
            raise InputError([Fault(name, f"has no {output.suffix.lower()} drawing", cure)])
        write_whole(output, drawing.read_bytes())
    elif output.suffix.lower() == ".toml":
        write_whole(output, example_text(name).encode())
    else:
        save(gallery.load(name), output)
