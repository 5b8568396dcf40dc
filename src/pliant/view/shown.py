"""What a result shows of itself: a line in a console, the answer and a player in a notebook."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any

from pliant.core.result import Result
from pliant.core.store import json_text

if TYPE_CHECKING:
    from pliant.core.arrays import Floats

UNLIKE = ("seconds",)  # differ from run to run, and are no part of an answer
FRAME = (
    '<iframe sandbox="allow-scripts allow-downloads" srcdoc="{page}" '
    'style="width: 100%; height: 36em; border: 0" title="{title}"></iframe>'
)


class Shown(Result):
    """A result that a console and a notebook show.

    Two of them are equal where all that they say in plain data is.
    """

    def table(self) -> dict[str, Floats]:
        """Columns of numbers along the motion, by name with unit: for CSV, or `pandas.DataFrame(…)`.

        Returns:
            Arrays (F,) by column name; angles are in degrees.
        """
        return self.motion.table()

    def __repr__(self) -> str:
        result: Any = self
        return f"<{type(self).__name__} {result.status.name}: {result.summary().partition(chr(10))[0]}>"

    def _repr_html_(self) -> str:
        from pliant.view.player import player_html, plots_of

        result: Any = self
        player = player_html(result.motion, plots_of(result))  # the answer stands above it
        page = FRAME.format(page=html.escape(player), title=html.escape(result.motion.title))
        return f"<pre>{html.escape(result.summary())}</pre>\n{page}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Shown):
            return NotImplemented
        return self is other or _plain_answer(self) == _plain_answer(other)

    def __hash__(self) -> int:
        result: Any = self
        return hash(result.status)


def _plain_answer(result: Any) -> dict[str, Any]:
    """What a result says in JSON, but for the time it took."""
    data: dict[str, Any] = json.loads(json_text(result.to_dict()))
    return {key: value for key, value in data.items() if key not in UNLIKE}
