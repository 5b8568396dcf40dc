"""`pliant brace`: where a beam across a structure helps most, and the structure with it."""

from __future__ import annotations

from typing import Any

import click

import pliant
from pliant.cli.options import SUFFIXES
from pliant.cli.run import Common, run, solving_command


@click.command()
@click.option("--limit", metavar="LENGTH|ANGLE", help="Add beams until the flex is within this.")
@click.option("--beams", type=click.IntRange(1, 100), help="So many at most.")
@click.option("--longest", type=click.IntRange(1, 100_000), help="Cells that a beam may have.")
@click.option("--tried", type=click.IntRange(1, 1000), help="Beams whose flex is found before one is chosen.")
@solving_command((*SUFFIXES, ".toml"))
def brace(common: Common, **settings: Any) -> int:
    """Add beams to a structure of cells where they hold it best.

    Of other assemblies, says between which two vertices a brace would help most. -o braced.toml writes the
    new structure.
    """
    keywords = {key: value for key, value in settings.items() if value is not None}
    flags = {key: f"--{key}" for key in keywords}
    return run(
        "brace", common, lambda model, progress: pliant.brace(model, progress=progress, **keywords), flags
    )
