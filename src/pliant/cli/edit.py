"""`pliant edit`: reshape a linkage, and keep what was asked."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import pliant
from pliant.cli.options import SUFFIXES, Target, same_file
from pliant.cli.run import Common, run, solving_command
from pliant.core.errors import Fault, InputError

if TYPE_CHECKING:
    from pliant.core.progress import Progress
    from pliant.linkage.model import Linkage

Targets = tuple[tuple[str, tuple[str, str]], ...]


@click.command()
@click.option("--edits", type=click.Path(path_type=Path), metavar="FILE", help="A file of edits.")
@click.option(
    "--move",
    "moves",
    type=Target(),
    multiple=True,
    metavar="JOINT=X,Y",
    help="Put a joint there, in the drawn pose. Repeatable.",
)
@solving_command((*SUFFIXES, ".toml"))
def edit(common: Common, edits: Path | None, moves: Targets) -> int:
    """Reshape a linkage and keep what was asked.

    What shall change is [study.edit] in the file, a file of edits, or --move. Write the new
    linkage with -o new.toml, the motion before and after with -o new.html.
    """
    if edits:
        same_file(common.written, edits, "file of edits")
    ask = partial(_edit, common=common, edits=edits, moves=moves)
    return run("edit", common, ask, {"move": "--move"} if moves else {})


def _edit(model: Linkage, progress: Progress, common: Common, edits: Path | None, moves: Targets) -> Any:
    from pliant.files import load_edits

    study = load_edits(edits, model, max_bytes=common.max_bytes) if edits else None
    if study is None and not moves and model.study.edit is None:
        cure = "Add [study.edit], or use --edits FILE or --move JOINT=X,Y"
        raise InputError([Fault("study.edit", "is missing: what shall change", cure)])
    keywords: dict[str, Any] = {}
    if moves:
        written = study or model.study.edit
        own = written.move if written else ()
        keywords["move"] = [*own, *({"joint": joint, "to": place} for joint, place in moves)]
    return pliant.edit(model, study, progress=progress, **keywords)
