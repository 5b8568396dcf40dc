"""Draws a Motion or a Plot: figures, animations, one HTML player. Knows no method.

Every function takes a `Motion`, or a result that carries one. matplotlib is imported when the
first function is called, not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pliant.core.exports import exports

if TYPE_CHECKING:
    from pliant.view.animation import animate
    from pliant.view.charts import chart, signals
    from pliant.view.figures import figure, filmstrip, save_figure
    from pliant.view.player import player_html, write_player

__all__ = [
    "animate",
    "chart",
    "figure",
    "filmstrip",
    "player_html",
    "save_figure",
    "signals",
    "write_player",
]

__getattr__ = exports(
    __name__,
    __all__,
    {
        "animation": ["animate"],
        "charts": ["chart", "signals"],
        "figures": ["figure", "filmstrip", "save_figure"],
        "player": ["player_html", "write_player"],
    },
)


def __dir__() -> list[str]:
    return __all__
