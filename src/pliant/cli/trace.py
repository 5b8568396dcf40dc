"""`pliant trace`: how a linkage runs."""

from __future__ import annotations

from typing import Any

import click

import pliant
from pliant.cli.options import Names, flags_of, once_called
from pliant.cli.run import Common, run, solving_command

BRANCHES = ("side", "smooth")


@click.command()
@click.option("--frames", "samples", type=click.IntRange(2, 1_000_000), help="Poses along the motion.")
@once_called("--samples", "samples", type=click.IntRange(2, 1_000_000))
@click.option("--trace", type=Names(), metavar="A,B", help="Follow these joints.")
@click.option(
    "--branch", type=click.Choice(BRANCHES), help="At change points: the drawn side, or straight on."
)
@click.option(
    "--deviation", "tolerance", metavar="LENGTH", help="How far every dimension may be off, for bands."
)
@once_called("--tolerance", "tolerance", metavar="LENGTH")
@click.option("--velocity", is_flag=True, default=None, help="Velocities too.")
@click.option("--acceleration", is_flag=True, default=None, help="Accelerations too.")
@click.option("--jacobian", is_flag=True, default=None, help="How each drawn joint moves the traced ones.")
@click.option("--centres", is_flag=True, default=None, help="Instant centres of every pair of links.")
@click.option("--layers", is_flag=True, default=None, help="Put the links into layers that do not collide.")
@click.option("--width", metavar="LENGTH", help="Width of links and pins, for --layers.")
@solving_command()
def trace(common: Common, **settings: Any) -> int:
    """Run a linkage: curves, limits, transmission.

    What is followed is the study in the file, or --trace.
    """
    keywords = {key: value for key, value in settings.items() if value is not None}
    flags = flags_of(keywords)
    return run(
        "trace", common, lambda model, progress: pliant.solve(model, progress=progress, **keywords), flags
    )
