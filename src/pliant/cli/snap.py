"""`pliant snap`: whether a fastener goes in, holds and comes out, and with what force."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import pliant
from pliant.cli.options import NumberPair
from pliant.cli.run import Common, run, solving_command
from pliant.core.errors import Fault, InputError

if TYPE_CHECKING:
    from pliant.snap.model import Fastener

ARITHMETICS = ("exact", "float")
# A flag that says how something is asked asks for it.
ASKS = {"directions": "classify", "spread": "classify", "region": "uncertain", "radius": "uncertain"}


@click.command()
@click.option("--reverse", is_flag=True, default=None, help="Come back from where it stopped.")
@click.option("--classify", is_flag=True, default=None, help="What kind of motion diode it is.")
@click.option("--uncertain", is_flag=True, default=None, help="Every outcome of starts in a region.")
@click.option(
    "--stability", is_flag=True, default=None, help="How far design variables go before events change."
)
@click.option("--search", is_flag=True, default=None, help="Values of the design variables that meet a goal.")
@click.option("--friction", metavar="MU", help="In place of the model's, such as 0.3 or 3/10.")
@click.option("--arithmetic", type=click.Choice(ARITHMETICS), help="How decisions are made.")
@click.option("--directions", type=click.IntRange(4, 10_000), help="Tried by --classify, all around.")
@click.option("--spread", metavar="ANGLE", help='Of the ways back in --classify, such as "20 deg".')
@click.option(
    "--region", type=NumberPair(), multiple=True, metavar="X,Y", help="A corner of --uncertain's region."
)
@click.option("--radius", metavar="LENGTH", help="Of the control cylinder of --uncertain.")
@click.option("--insert-below", metavar="FORCE", help="What --search is to stay below on the way in.")
@click.option("--hold-above", metavar="FORCE", help="What --search is to hold on the way back.")
@click.option("--strain-below", metavar="SHARE", help="Of beams, in --search; else the limit of each.")
@click.option("--frames", type=click.IntRange(2, 100_000), help="Poses along the way.")
@click.option("--digits", type=click.IntRange(1, 1000), help="Of peak forces, each digit proved.")
@click.option("--about", type=NumberPair(), metavar="X,Y", help="Point of the root that torques are about.")
@solving_command()
def snap(
    common: Common,
    friction: str | None,
    insert_below: str | None,
    hold_above: str | None,
    strain_below: str | None,
    **settings: Any,
) -> int:
    """Move a fastener: whether it snaps in, jams, sticks, comes out.

    And with what force. What is asked is the study in the file, and these flags.
    """
    keywords = {key: value for key, value in settings.items() if value not in (None, ())}
    keywords |= {ASKS[key]: True for key in keywords.keys() & ASKS.keys()}
    goal = {"insert_below": insert_below, "hold_above": hold_above, "strain_below": strain_below}
    if given := {key: value for key, value in goal.items() if value is not None}:
        keywords |= {"goal": given, "search": True}
    flags = {key: f"--{key}" for key in keywords}
    flags |= {"friction": "--friction", "goal": " ".join(f"--{key.replace('_', '-')}" for key in given)}

    def ask(model: Fastener, progress: Any) -> Any:
        rubbing = model if friction is None else model.with_(friction=friction)
        if "digits" in keywords and keywords.get("arithmetic", model.study.arithmetic) == "float":
            problem = "are proved from exact events only"
            raise InputError([Fault("digits", problem, "Leave --arithmetic float out")])
        return pliant.solve(rubbing, progress=progress, **keywords)

    return run("snap", common, ask, flags)
