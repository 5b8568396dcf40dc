"""Draws a Motion or a Plot: figures, animations, one HTML player. Knows no method.

Every function takes a `Motion`, or a result that carries one. matplotlib is imported when the
first function is called, not before.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

# No module may have the name of a function: importing it would put the module in the function's place.
_HOMES = {
    "animate": "animation",
    "chart": "charts",
    "figure": "figures",
    "filmstrip": "figures",
    "player_html": "player",
    "save_figure": "figures",
    "signals": "charts",
    "write_player": "player",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
