"""`pliant loosen`: how large the clearance may be before an assembly flexes too much."""

from __future__ import annotations

from typing import Any

import click

import pliant
from pliant.cli.options import SUFFIXES
from pliant.cli.run import Common, run, solving_command

AIMS = ("cheapest", "total")


@click.command()
@click.option("--limit", metavar="LENGTH|ANGLE", help="That the flex may reach: what [study] maximises.")
@click.option("--accuracy", metavar="SHARE", help="Of the clearance that is found.")
@click.option("--aim", type=click.Choice(AIMS), help="Of groups in the file: what is best.")
@solving_command((*SUFFIXES, ".toml"))
def loosen(common: Common, **settings: Any) -> int:
    """Find the largest clearance that keeps the flex within a limit.

    And the smallest at which the parts go together. With [study.loosen.groups] in the file, a clearance for
    each group of bodies and pins. -o loose.toml writes the model with the clearance found.
    """
    keywords = {key: value for key, value in settings.items() if value is not None}
    flags = {key: f"--{key}" for key in keywords}
    return run(
        "loosen", common, lambda model, progress: pliant.loosen(model, progress=progress, **keywords), flags
    )
