"""`pliant flex`: the extreme free motion of an assembly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import pliant
from pliant.cli.options import NumberPair, Share, flags_of, once_called
from pliant.cli.run import Common, run, solving_command

if TYPE_CHECKING:
    from pliant.core.progress import Progress

SOLVERS = ("auto", "piqp", "clarabel", "highs", "normal")
CORNERS = ("average", "chosen", "exact")


@click.command()
@click.option("--move", metavar="BODY", help="Move this body as far as it goes; needs --direction.")
@click.option("--direction", type=NumberPair(), metavar="X,Y", help="Where --move goes.")
@click.option("--spin", metavar="BODY", help="Turn this body counter-clockwise as far as it goes.")
@click.option("--solver", type=click.Choice(SOLVERS), help="Solver of the linear programs.")
@click.option(
    "--corners", type=click.Choice(CORNERS), help="How two convex corners face to face are treated."
)
@click.option("--iterations", "steps", type=click.IntRange(1, 100_000), help="Give up after so many steps.")
@once_called("--steps", "steps", type=click.IntRange(1, 100_000))
@click.option("--restarts", type=click.IntRange(0, 10_000), help="Climb again from so many random poses.")
@click.option("--threshold", metavar="LENGTH", help="Overlap that a step may cause.")
@click.option("--tolerance", metavar="SHARE", help="Converged where a step gains less than this share.")
@click.option(
    "--ranges", is_flag=True, default=None, help="Ranges of the joints' shares where they are not unique."
)
@click.option("--prove", is_flag=True, help="Bound the flex from both sides, by proof.")
@click.option("--gap", type=Share(), metavar="SHARE", help="How near the bounds of --prove shall be: 2%.")
@click.option("--nodes", type=click.IntRange(1, 10_000_000), help="Boxes that --prove bounds at most.")
@solving_command()
def flex(
    common: Common,
    move: str | None,
    direction: tuple[str, str] | None,
    spin: str | None,
    prove: bool,
    gap: float | None,
    nodes: int | None,
    **settings: Any,
) -> int:
    """Find how far the parts of an assembly can move.

    What is maximised is the study in the file, or --move and --spin. With --prove, the answer is an interval.
    """
    if (move is None) != (direction is None):
        raise click.UsageError("--move BODY and --direction X,Y belong together.")
    keywords = {key: value for key, value in settings.items() if value is not None}
    terms = _terms(move, direction, spin)
    if terms:
        keywords |= {"maximize": terms, "stages": ()}  # of a study in stages, too
    flags = flags_of(keywords) | ({"maximize": "--move", "stages": "--move"} if terms else {})
    how = {key: value for key, value in {"gap": gap, "nodes": nodes}.items() if value is not None}
    if how and not prove:
        raise click.UsageError(f"--{next(iter(how))} belongs to --prove.")
    if prove:
        return run("flex", common, lambda model, progress: _proof(model, keywords, how, progress), flags)
    return run(
        "flex", common, lambda model, progress: pliant.solve(model, progress=progress, **keywords), flags
    )


def _proof(model: Any, keywords: dict[str, Any], how: dict[str, Any], progress: Progress) -> Any:
    """The proof of what the flags ask to flex."""
    from pliant.files.studies import chosen_study

    if keywords:
        asked = chosen_study(model, None, keywords)
        model = model.model_copy(update={"study": model.study.model_copy(update={"flex": asked})})
    return pliant.prove(model, progress=progress, **how)


def _terms(move: str | None, direction: tuple[str, str] | None, spin: str | None) -> list[dict[str, Any]]:
    moved: list[dict[str, Any]] = [{"body": move, "direction": direction}] if move is not None else []
    return [*moved, {"body": spin, "spin": 1}] if spin is not None else moved
