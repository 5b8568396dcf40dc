"""The demo's report: one HTML page that opens from disk, with no script and nothing from the network."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files as resources
from pathlib import Path
from string import Template
from textwrap import dedent
from typing import Any

from pliant.core.store import write_whole


@dataclass(frozen=True)
class Entry:
    """One solved example, or the error that came in place of an answer."""

    name: str
    description: str
    answered: bool = True
    title: str = ""
    parts: int = 0  # bodies, links or elements
    data: dict[str, Any] = field(default_factory=lambda: {})  # the result's to_dict()
    summary: str = ""
    picture: bytes = b""  # PNG
    files: dict[str, str] = field(default_factory=lambda: {})  # what it is: its name in the folder
    error: str = ""

    @property
    def sentence(self) -> str:
        """The summary's first line."""
        return self.summary.partition("\n")[0]

    @property
    def seconds(self) -> float | None:
        """How long the solve took, over all its phases."""
        phases = self.data.get("seconds")
        if not isinstance(phases, dict):
            return None
        return phases["total"] if "total" in phases else sum(phases.values())


def write_report(path: Path, entries: Sequence[Entry]) -> None:
    """Write the page: a table of numbers, then a card for each example."""
    import pliant

    page = Template((resources("pliant.cli") / "report.html").read_text(encoding="utf-8"))
    text = page.substitute(
        version=escape(pliant.__version__),
        count=len(entries),
        parts=f"{sum(entry.parts for entry in entries):,}",
        rows="\n".join(map(_row, entries)),
        cards="\n".join(map(_card, entries)),
    )
    write_whole(path, text.encode())


def _row(entry: Entry) -> str:
    cells = [
        (f'<a href="#{_id(entry)}">{escape(entry.name)}</a>', ""),
        (_badge(entry), ""),
        (f"{entry.parts:,}" if entry.parts else "", "number"),
        (escape(entry.error or entry.sentence), "sentence"),
        (f"{entry.seconds:.2f}" if entry.seconds is not None else "", "number"),
    ]
    return "<tr>" + "".join(f'<td class="{kind}">{text}</td>' for text, kind in cells) + "</tr>"


def _card(entry: Entry) -> str:
    links = " ".join(f'<a href="{escape(name)}">{escape(what)}</a>' for what, name in entry.files.items())
    lines = dedent(entry.summary.partition("\n")[2])
    return f"""<article id="{_id(entry)}">
{_picture(entry)}
<div class="text">
<h2>{escape(entry.title or entry.name)}</h2>
<p class="about">{escape(entry.description)}</p>
<p>{_badge(entry)} {escape(entry.error or entry.sentence)}</p>
<pre>{escape(lines)}</pre>
<nav>{links}</nav>
</div>
</article>"""


def _picture(entry: Entry) -> str:
    """The still picture lies in the page; the film beside it plays while the pointer is on it."""
    if not entry.picture:
        return '<div class="picture"></div>'
    data = base64.b64encode(entry.picture).decode()
    still = f'<img src="data:image/png;base64,{data}" alt="{escape(entry.sentence)}">'
    film, player = escape(entry.files["film"]), escape(entry.files["player"])
    return (
        f'<a class="picture" href="{player}">{still}<img class="film" src="{film}" alt="" loading="lazy"></a>'
    )


def _badge(entry: Entry) -> str:
    status = "failed" if entry.error else str(entry.data.get("status", ""))
    return f'<span class="badge {escape(status.lower())}">{escape(status.lower().replace("_", " "))}</span>'


def _id(entry: Entry) -> str:
    return escape(entry.name)
