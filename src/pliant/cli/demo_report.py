"""The demo's report: an HTML page that opens from disk, with no script and nothing from the network.

Pictures and films are files beside it: the page is small, and a browser loads what is looked at.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files as resources
from pathlib import Path
from string import Template
from textwrap import dedent

from pliant.core.status import Tone
from pliant.core.store import write_whole
from pliant.files.kinds import KINDS

UNREAD = "Not solved", "Examples that could not be read."  # of no kind
LINES = 10  # of the figures behind an answer; all are in its .json file


@dataclass(frozen=True)
class Entry:
    """One solved example, or the error that came in place of an answer."""

    name: str
    kind: str
    description: str
    title: str = ""
    status: str = "failed"  # in words
    tone: Tone = Tone.FAILURE  # of the status
    alerts: tuple[str, ...] = ()  # what a designer must notice besides
    parts: int = 0  # bodies, links or elements
    seconds: float | None = None  # of the solve
    spent: float = 0.0  # seconds, drawing included
    summary: str = ""
    files: dict[str, str] = field(default_factory=lambda: {})  # what it is: its name in the folder
    error: str = ""

    @property
    def sentence(self) -> str:
        """The summary's first line."""
        return self.summary.partition("\n")[0]


def write_report(path: Path, entries: Sequence[Entry], seconds: float) -> None:
    """Write the page: pictures by method, then a table of numbers."""
    import pliant

    style, kinds = "\n" + _part("report.css"), {entry.kind for entry in entries}
    page = Template(_part("report.html"))
    text = page.substitute(
        style=style,
        style_hash="sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        version=escape(pliant.__version__),
        count=_count(len(entries), "example"),
        parts=_count(sum(entry.parts for entry in entries), "part"),
        seconds=f"{seconds:.0f}",
        methods="\n".join(_method(kind, entries) for kind in (*KINDS, "") if kind in kinds),
        rows="\n".join(map(_row, entries)),
    )
    write_whole(path, text.encode())


def _part(name: str) -> str:
    return (resources("pliant.cli") / name).read_text(encoding="utf-8")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


# Tiles


def _method(kind: str, entries: Sequence[Entry]) -> str:
    title, question = (KINDS[kind].title, KINDS[kind].question) if kind else UNREAD
    tiles = "\n".join(_tile(entry) for entry in entries if entry.kind == kind)
    return f"""<section>
<h2>{escape(title)}</h2>
<p class="question">{escape(question)}</p>
<div class="tiles">
{tiles}
</div>
</section>"""


def _tile(entry: Entry) -> str:
    return f"""<article id="{escape(entry.name)}">
{_picture(entry)}
<div class="text">
<h3>{escape(entry.title or entry.name)}</h3>
<p class="about">{escape(entry.description)}</p>
<p class="answer">{escape(entry.error or entry.sentence)}</p>
<p class="badges">{_badges(entry)}</p>
{_figures(entry)}
{_links(entry)}
</div>
</article>"""


def _picture(entry: Entry) -> str:
    """The still picture; the film over it plays while the pointer, or the focus, is on it."""
    if not entry.files:
        return '<div class="picture"></div>'
    still, player = (escape(entry.files[what]) for what in ("picture", "player"))
    film = entry.files.get("film")  # Ctrl-C may have left no time for it
    over = f'<img class="film" src="{escape(film)}" alt="" loading="lazy">' if film else ""
    return (
        f'<a class="picture" href="{player}" aria-label="Play {escape(entry.title or entry.name)}">'
        f'<img src="{still}" alt="{escape(entry.sentence)}" loading="lazy">{over}</a>'
    )


def _badges(entry: Entry) -> str:
    """The status in its own tone, then what must be noticed besides."""
    badges = [(entry.status, entry.tone), *((alert, Tone.NOTICE) for alert in entry.alerts)]
    return " ".join(f'<span class="badge {tone.value}">{escape(text)}</span>' for text, tone in badges)


def _figures(entry: Entry) -> str:
    lines = dedent(entry.summary.partition("\n")[2]).splitlines()
    if not lines:
        return ""
    more = [f"… {len(lines) - LINES} more lines"] if len(lines) > LINES else []
    shown = escape("\n".join([*lines[:LINES], *more]))
    return f"<details><summary>Figures</summary><pre>{shown}</pre></details>"


def _links(entry: Entry) -> str:
    named = {"player": "Play", "film": "Film", "result": "Result", "model": "Model"}
    links = [
        f'<a href="{escape(entry.files[what])}">{text}</a>'
        for what, text in named.items()
        if what in entry.files
    ]
    return f"<nav>{' '.join(links)}</nav>" if links else ""


# Numbers


def _row(entry: Entry) -> str:
    cells = [
        (f'<a href="#{escape(entry.name)}">{escape(entry.name)}</a>', ""),
        (_badges(entry), ""),
        (f"{entry.parts:,}" if entry.parts else "", "number"),
        (f"{entry.seconds:.2f}" if entry.seconds is not None else "", "number"),
        (f"{entry.spent:.1f}", "number"),
    ]
    return "<tr>" + "".join(f'<td class="{kind}">{text}</td>' for text, kind in cells) + "</tr>"
