"""`pliant separate`: how an assembly comes apart, or what holds it together."""

from __future__ import annotations

from typing import Any

import click

import pliant
from pliant.cli.run import Common, run, solving_command


@click.command()
@click.option(
    "--part", "parts", metavar="BODY", multiple=True, help="Get this one out. Repeatable; else all."
)
@click.option("--together", is_flag=True, default=None, help="All at once, by one motion.")
@click.option("--directions", type=click.IntRange(4, 360), help="Tried for each part.")
@solving_command()
def separate(common: Common, parts: tuple[str, ...], **settings: Any) -> int:
    """Take an assembly apart: in which order, by which motions.

    Each motion is played until the part is clear. What does not come apart is said, with the proof to first
    order where it is interlocked.
    """
    keywords = {key: value for key, value in settings.items() if value is not None}
    if parts:
        keywords["parts"] = list(parts)
    flags = {"parts": "--part", "directions": "--directions"}
    return run(
        "separate",
        common,
        lambda model, progress: pliant.separate(model, progress=progress, **keywords),
        {key: flags[key] for key in keywords if key in flags},
    )
