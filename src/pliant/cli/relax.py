"""`pliant relax`: where a compound mechanism goes."""

from __future__ import annotations

from typing import Any

import click

import pliant
from pliant.cli.options import Names
from pliant.cli.run import Common, run, solving_command

METHODS = ("sync", "async", "momentum", "auto")


@click.command()
@click.option("--method", type=click.Choice(METHODS), help="The paper's two updates, or faster ones.")
@click.option("--frames", type=click.IntRange(1, 100_000), help="Poses along the drive.")
@click.option("--trace", type=Names(), metavar="A,B", help="Follow these nodes.")
@click.option(
    "--tolerance", metavar="SHARE", help="Converged where the residual, over stiffness and size, is less."
)
@click.option("--iterations", type=click.IntRange(1, 10**12), help="Give up after so many iterations.")
@click.option("--increments", type=click.IntRange(1, 10**12), help="Iterations over which the drive goes.")
@click.option("--settle", is_flag=True, default=None, help="Come to rest at every frame (sync, async).")
@click.option("--alpha", metavar="FACTOR", help="Relaxation factor of sync and async.")
@click.option("--eta", metavar="FACTOR", help="Below 1: pseudo-inertia (sync, async).")
@click.option("--noise", metavar="SHARE", help="Of displacements, fading away; breaks symmetries.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Of the noise.")
@click.option("--way", type=click.Choice(("first", "second")), help="On from a dead centre.")
@solving_command()
def relax(common: Common, **settings: Any) -> int:
    """Run a mechanism: where it goes, whether it locks.

    In the plane or in space: bars, plates, strings, springs, actuators, gears, cylinders, contacts.
    How it is run is the study in the file, or these flags.
    """
    keywords = {key: value for key, value in settings.items() if value is not None}
    flags = {key: f"--{key}" for key in keywords}
    return run(
        "relax", common, lambda model, progress: pliant.solve(model, progress=progress, **keywords), flags
    )
