"""`pliant play`: how loose every part of an assembly is, and which joints make it so."""

from __future__ import annotations

from typing import Any

import click

import pliant
from pliant.cli.options import NumberPair, flags_of, once_called
from pliant.cli.run import Common, run, solving_command


@click.command()
@click.option("--body", metavar="BODY", help="Look into the play of this one.")
@click.option(
    "--point", type=NumberPair(), metavar="X,Y", help="Of the body, in its own frame; else its centroid."
)
@click.option(
    "--direction", type=NumberPair(), metavar="X,Y", help="Whose stack-up is made; else of the largest play."
)
@click.option("--turn", "spin", is_flag=True, default=None, help="The stack-up of its turn instead.")
@once_called("--spin", "spin", is_flag=True, default=None)
@click.option("--directions", type=click.IntRange(4, 3600), help="Around the point, for its outline.")
@click.option("--draws", type=click.IntRange(100, 10_000_000), help="Of Monte Carlo.")
@click.option("--seed", type=click.IntRange(0, 4_294_967_295), help="Of Monte Carlo.")
@click.option(
    "--ranges", is_flag=True, default=None, help="Ranges of the joints' shares where they are not unique."
)
@click.option("--drive", metavar="BODY", help="Turn this one, a crank: the play of --body at each angle.")
@click.option("--angles", type=NumberPair(), metavar="FROM,TO", help='Of the drive, such as "0, 180 deg".')
@click.option(
    "--frames", "samples", type=click.IntRange(2, 100_000), help="Poses of the drive, both ends included."
)
@solving_command()
def play(common: Common, **settings: Any) -> int:
    """Measure how loose every part of an assembly is.

    To first order, for every body: travel in x and y, and turn; -o play.png colours the parts by it. With
    --body, one of them: worst case, root sum of squares and Monte Carlo side by side, and each joint's share.
    With --drive too, the play of a point of a loose linkage at each angle of its crank, as a band.
    """
    keywords = {key: value for key, value in settings.items() if value is not None}
    flags = flags_of(keywords)
    return run(
        "play", common, lambda model, progress: pliant.play(model, progress=progress, **keywords), flags
    )
