"""One HTML file that plays a motion: opens from disk, asks the network for nothing.

`player.js` exports `mount(element, data)`, with `data` as `player_data` gives it; the page here is a
thin shell around that.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from pliant.core.motion import Motion
from pliant.core.plot import Plot
from pliant.core.status import Tone
from pliant.core.store import Json, write_whole
from pliant.view.scene import HasMotion, motion_of

START = 'mount(document.body, JSON.parse(document.getElementById("data").textContent));\n'
PAGE_STYLE = """\
body { margin: 0; background: #ffffff; }
body > .pliant-player { min-height: 100vh; }
@media (prefers-color-scheme: dark) { body { background: #15191f; } }
"""


def write_player(
    result: Motion | HasMotion,
    path: str | Path,
    plots: Sequence[Plot] | None = None,
    answer: Mapping[str, Json] | None = None,
) -> None:
    """Write a self-contained page that plays the motion, with the answer around it and the plots under it.

    Args:
        result: what moves.
        path: an .html file.
        plots: charts below it; left out, the result's own.
        answer: what `answer_of` gives; left out, the result's own.

    Raises:
        PliantError: the file cannot be written.
    """
    write_whole(path, player_html(result, plots, answer).encode("utf-8", "replace"))


def player_html(
    result: Motion | HasMotion,
    plots: Sequence[Plot] | None = None,
    answer: Mapping[str, Json] | None = None,
) -> str:
    """The page as text.

    Args:
        result: what moves.
        plots: charts below it; left out, the result's own.
        answer: what `answer_of` gives; left out, the result's own.

    Returns:
        One HTML page, with no script or style from elsewhere.
    """
    motion = motion_of(result)
    script = "\n" + _part("player.js") + START
    style = "\n" + PAGE_STYLE + _part("player.css")
    # Nothing may load or run but these two texts, whatever a name in the data says.
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    fills = {
        "policy": policy,
        "title": html.escape(motion.title or "pliant"),
        "style": style,
        "data": script_safe(
            player_data(
                motion,
                plots_of(result) if plots is None else plots,
                answer_of(result) if answer is None else answer,
            )
        ),
        "script": script,
    }
    first, *rest = _part("player.html").split("@")
    return first + "".join(fills.get(piece, piece) for piece in rest)


def player_data(
    motion: Motion, plots: Sequence[Plot] = (), answer: Mapping[str, Json] | None = None
) -> dict[str, Any]:
    """What `mount` takes: a motion, plots and an answer as plain data, in eight digits, with null for NaN."""
    data = {"motion": motion.to_dict(), "plots": [plot.to_dict() for plot in plots], "answer": answer}
    return cast(dict[str, Any], _short_number(data))


def answer_of(result: object) -> dict[str, Json] | None:
    """What is said in words: the sentence, how that is to be taken, and named lines.

    Lines of a summary are names and texts, two spaces or more apart.
    """
    summary: Callable[[], str] | None = getattr(result, "summary", None)
    if not callable(summary):
        return None
    sentence, *rest = summary().split("\n")
    tone = getattr(getattr(result, "status", None), "tone", Tone.NOTICE)
    named = [line.split("  ", maxsplit=1) for text in rest if (line := re.sub(r"\s{2,}", "  ", text.strip()))]
    lines: list[Json] = [[*line] if len(line) == 2 else ["", *line] for line in named]
    alerts: list[Json] = list(getattr(result, "alerts", ()))
    return {"sentence": sentence, "tone": str(tone.value), "alerts": alerts, "lines": lines}


def plots_of(result: object) -> Sequence[Plot]:
    """The plots a result offers; a bare motion offers none."""
    offer: Callable[[], Mapping[str, Plot]] | None = getattr(result, "plots", None)
    return tuple(offer().values()) if callable(offer) else ()


def script_safe(data: Mapping[str, Any]) -> str:
    r"""JSON that cannot end the element it stands in: every < is written \u003c, which JSON reads back.

    >>> script_safe({"name": "</script>"})
    '{"name":"\\u003c/script>"}'
    """
    return json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _short_number(value: Any) -> Any:
    """Eight digits are finer than any screen and halve the file."""
    if isinstance(value, float):
        return float(f"{value:.8g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _short_number(item) for key, item in cast(dict[str, Any], value).items()}
    if isinstance(value, list | tuple):
        return [_short_number(item) for item in cast(Sequence[Any], value)]
    return value


def _part(name: str) -> str:
    return files("pliant.view").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
