"""An answer's way out: pictures, films, players, JSON and tables by suffix; the summary to stdout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from pliant.cli.options import FILMS, PICTURES

if TYPE_CHECKING:
    from pliant.core.motion import Motion
    from pliant.core.plot import Plot
    from pliant.core.progress import Progress


def write_answer(
    answer: Motion | Plot,
    outputs: Iterable[Path],
    progress: Progress,
    *,
    data: dict[str, Any] | None = None,
    plots: Sequence[Plot] = (),
    said: object = None,
    strip: bool = False,
    film: Mapping[str, Any] = MappingProxyType({}),
    **look: Any,
) -> None:
    """Write one answer to every file asked for; `data` is what .json gets, if not the answer itself.

    `said` is the result whose words players show.
    """
    from pliant import view
    from pliant.core.motion import Motion
    from pliant.core.plot import Plot
    from pliant.core.store import write_csv, write_json, write_parquet
    from pliant.view.player import answer_of

    if isinstance(answer, Motion) and answer.frames == 1:
        look = {"before": None, **look}  # nothing has moved
    for path in outputs:
        suffix = path.suffix.lower()
        if suffix == ".json":
            write_json(path, answer.to_dict() if data is None else data)
        elif suffix == ".csv":
            write_csv(path, answer.table())
        elif suffix == ".parquet":
            write_parquet(path, answer.table())
        elif isinstance(answer, Plot):
            if suffix not in PICTURES:
                raise click.UsageError(f"{path}: a plot is drawn as {', '.join(PICTURES)}.")
            view.save_figure(view.chart(answer), path)
        elif suffix in PICTURES:
            drawn = view.filmstrip(answer, **look) if strip else view.figure(answer, **look)
            view.save_figure(drawn, path)
        elif suffix in FILMS:
            view.animate(answer, path, progress=progress, **film)
        else:
            view.write_player(answer, path, plots=plots, answer=answer_of(said))


def print_json(data: dict[str, Any]) -> None:
    """One line of JSON to stdout."""
    from pliant.core.store import json_text

    click.echo(json_text(data), nl=False)


def print_summary(summary: str) -> None:
    """The sentence first and bold, then its lines."""
    sentence, _, rest = summary.partition("\n")
    click.echo(click.style(sentence, bold=True))
    if rest:
        click.echo(rest)


def print_written(paths: Iterable[Path | str]) -> None:
    """Name what was written, on stderr, so that stdout holds results only."""
    for path in paths:
        click.echo(f"wrote {path}", err=True)
