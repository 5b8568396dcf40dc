"""`pliant examples`: the gallery's models, listed or copied out."""

from __future__ import annotations

from pathlib import Path

import click

from pliant.cli.answer import print_written
from pliant.cli.options import OutputFile, quiet_option


@click.command()
@click.argument("name", required=False)
@click.option(
    "-o", "--output", type=OutputFile((".toml", ".json")), metavar="FILE", help="Copy the model here."
)
@quiet_option
def examples(name: str | None, output: Path | None, quiet: bool) -> None:
    """List the example models.

    With a NAME, print that one, or copy it to a file with -o.
    """
    from pliant import gallery

    if name is None:
        width = max(map(len, gallery.names()))
        for known in gallery.names():
            click.echo(f"{click.style(known.ljust(width), bold=True)}  {gallery.describe(known)}")
        return
    path = gallery_path(name)
    if output is None:
        click.echo(path.read_text(encoding="utf-8"), nl=False)
    else:
        _copy(path, output)
        if not quiet:
            print_written([output])


def gallery_path(name: str) -> Path:
    """Where an example lies, or an error that names the nearest."""
    from pliant import gallery
    from pliant.core.errors import Fault, InputError
    from pliant.files.faults import nearest

    if name not in gallery.names():
        raise InputError(
            [Fault("", f"{name!r} is not an example", nearest(name, gallery.names(), "Examples"))]
        )
    return gallery.path(name)


def _copy(path: Path, output: Path) -> None:
    """Byte for byte, comments and all; a change of format goes through the model."""
    from pliant.core.store import write_whole
    from pliant.files import load, save

    if path.suffix == output.suffix.lower():
        write_whole(output, path.read_bytes())
    else:
        save(load(path), output)
