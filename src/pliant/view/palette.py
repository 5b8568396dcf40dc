"""The colours of every picture, and text made safe to draw.

`player.css` and `player.js` hold the same colours for the browser; a test compares them.
Red is kept for one thing: where bodies were before they moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.patheffects import AbstractPathEffect, Stroke

from pliant.core.arrays import Floats

BEFORE = "#cf2a3a"
BODY, BODY_EDGE = "#d3deeb", "#3f5878"
FIXED, FIXED_EDGE = "#8e99a9", "#39434f"
STROKE = "#37485c"
INK, FAINT, RULE = "#232a33", "#6d7784", "#d8dde4"

# Marks and series take these in order of appearance.
GROUPS = ("#dd8a1b", "#249486", "#7a62c4", "#5c8f2f", "#bd4f95", "#2f7fc1")
SERIES = ("#2f6fb5", "#dd7f2a", "#2f9a78", "#8a63b3", "#6b7683", "#b8982b", "#bd4f95", "#3aa0b0")

# Traced curves, one colour a name: told apart whatever eyes one has (Okabe and Ito's), on bodies as on paper.
TRACES = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


@dataclass(frozen=True)
class Style:
    """How the marks of a well-known group look, in every motion."""

    colour: str  # "#rrggbb"; "ink", "faint" or "stroke", which follow the page; "trace": by the mark's text
    width: float  # of lines and edges, in points
    dash: tuple[float, ...] = ()  # on, off, …, in widths
    fill: float = 0.0  # opacity of polygons
    order: float = 3.3  # bodies lie at 2, joints at 5
    title: str = ""  # in the key, where it needs to be told
    solid: bool = False  # a thing, not a sign: in space it hides what is behind it


STYLES = {
    "band": Style("trace", 0.0, fill=0.2, order=3.0, title="tolerance band"),
    "statistical": Style("trace", 0.0, fill=0.3, order=3.05, title="statistical band"),
    "before": Style("faint", 1.0, (3.2, 3.0), order=2.9, title="before the edit"),
    "guide": Style("stroke", 0.9, order=1.7),
    "ground": Style("stroke", 0.9, fill=0.3, order=1.8, solid=True),
    "limit": Style("#b83d85", 1.1, (5.0, 2.4, 0.8, 2.4), order=3.2, title="the motor stops here"),
    "trace": Style("trace", 2.0, order=3.4, title="path"),
    "target": Style("ink", 1.7, (0.1, 2.0), order=3.6, title="asked for"),
    "motor": Style("ink", 1.1, fill=1.0, order=4.5),
    "plate": Style("#4f7cac", 0.9, fill=0.32, order=2.0, solid=True),
    "actuator": Style("#c26a12", 4.2, order=3.9, solid=True, title="actuator"),
    "sleeve": Style("stroke", 5.0, order=3.9, solid=True),
}

# Light is little and dark is much; both keep away from red, so that `BEFORE` stands out on them.
SEQUENTIAL = ("#f4f3df", "#cfe6c5", "#8fd0bb", "#4fb3bd", "#2c8ab3", "#275b9c", "#1f2f6e")
DIVERGING = ("#245a9f", "#7fa8d2", "#f1f1ec", "#e2a76c", "#a9531b")

RC: Any = {
    "font.family": "DejaVu Sans",  # ships with matplotlib, so that pictures are the same everywhere
    "font.size": 8.0,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.titlesize": 9.5,
    "axes.unicode_minus": True,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 3.0,
    "ytick.major.size": 3.0,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "grid.color": RULE,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "hatch.linewidth": 0.5,
    "svg.hashsalt": "pliant",  # ids that do not change from run to run
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}


def group_colours(groups: Iterable[str]) -> dict[str, str]:
    """Colours for the groups that have no style of their own, in order of appearance.

    >>> group_colours(["trace", "force"])
    {'force': '#dd8a1b'}
    """
    free = [group for group in groups if group not in STYLES]
    return {group: GROUPS[index % len(GROUPS)] for index, group in enumerate(free)}


def style_colour(style: Style, name: str, traced: Sequence[str]) -> str:
    """The colour of a mark with a style, its text being `name`; `traced` are the names of the curves."""
    if style.colour == "trace":
        return TRACES[traced.index(name) % len(TRACES) if name in traced else 0]
    return {"ink": INK, "faint": FAINT, "stroke": STROKE}.get(style.colour, style.colour)


def colour_map(values: Floats) -> tuple[LinearSegmentedColormap, Normalize]:
    """Colours for numbers: diverging about zero when both signs occur, sequential otherwise."""
    low, high = colour_range(values)
    stops = DIVERGING if low < 0 < high else SEQUENTIAL
    return LinearSegmentedColormap.from_list("pliant", list(stops)), Normalize(low, high)


def colour_range(values: Floats) -> tuple[float, float]:
    """The ends of the colour scale; symmetric when both signs occur, never empty.

    >>> import numpy as np
    >>> colour_range(np.array([-1.0, 3.0, np.nan]))
    (-3.0, 3.0)
    >>> colour_range(np.array([2.0, 2.0]))
    (0.0, 2.0)
    """
    finite = values[abs(values) < float("inf")]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    if low < 0 < high:
        high = max(-low, high)
        low = -high
    if low == high:
        low, high = min(low, 0.0), max(high, 0.0)
    return (low, high) if low < high else (0.0, 1.0)


def halo(width: float, alpha: float) -> list[AbstractPathEffect]:
    """A white rim around text. Nothing is snapped to pixels: E, F and T would lose their arms."""
    rim = Stroke(linewidth=width, foreground="white", alpha=alpha, snap=False)
    return [rim, Stroke(linewidth=0, snap=False)]


def plain(text: str, most: int = 60) -> str:
    r"""Text that matplotlib draws as it stands: no mathematics between dollars, and not endless.

    Names come from other people's files. `$\frac` would otherwise be an error, and a legend
    would leave out a name that starts with an underscore.

    >>> plain("cost $5"), plain("a long name", 7)
    ('cost \\$5', 'a long…')
    """
    text = text if len(text) <= most else text[: most - 1] + "…"
    text = "".join(c if c.isprintable() else " " for c in text).replace("$", r"\$")
    return f"\N{ZERO WIDTH SPACE}{text}" if text.startswith("_") else text


def measure(value: float, unit: str = "") -> str:
    """A number as people write it, with its unit.

    >>> measure(0.30000000000000004, "mm"), measure(1 / 3, "deg")
    ('0.3 mm', '0.3333 deg')
    """
    return f"{value:.4g}".replace("-", "−") + (f" {unit}" if unit else "")
