"""`pliant new`: a first file of a kind, with comments, to write on from."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from pliant.cli.answer import print_written
from pliant.cli.options import OutputFile, quiet_option


@click.command()
@click.argument("kind")
@click.option("-o", "--output", type=OutputFile((".toml",)), metavar="FILE", help="Write it here.")
@quiet_option
def new(kind: str, output: Path | None, quiet: bool) -> None:
    """Begin a model: print a first file of a KIND, with comments, or write it with -o.

    Kinds are assembly, linkage, mechanism and fastener.
    """
    from pliant.core.errors import Fault, InputError
    from pliant.core.store import write_whole
    from pliant.files.kinds import kind_named

    package, _, name = kind_named(kind).first.partition(":")
    text = (files(package) / name).read_text(encoding="utf-8")
    if output is None:
        click.echo(text, nl=False)
        return
    if output.exists():
        cure = "Name another file, or remove that one"
        raise InputError([Fault(str(output), "is there already, and would be lost", cure)])
    write_whole(output, text.replace("FILE", output.name).encode())
    if not quiet:
        print_written([output])
