"""Charts: a `Plot` drawn as its data says, and a motion's signals along its axis."""

from __future__ import annotations

from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.patheffects import withStroke

from pliant.core.arrays import Floats
from pliant.core.errors import PliantError
from pliant.core.given import refused
from pliant.core.motion import Event, Motion
from pliant.core.plot import Plot, Series
from pliant.view.palette import FAINT, INK, RC, RULE, SERIES, plain
from pliant.view.scene import HasMotion, motion_of

AREAS = ("#b4bcc8", "#f2f6fa", "#dde2e8")  # in order of appearance
LINES: dict[str, dict[str, Any]] = {
    "line": {"linewidth": 1.5},
    "heavy": {"linewidth": 4.0, "alpha": 0.75, "zorder": 1.95},
    "dashed": {"linewidth": 0.8, "color": FAINT, "linestyle": (0, (4, 3)), "zorder": 1.9},
}


def chart(plot: Plot, *, width: float = 6.4, height: float = 3.6) -> Figure:
    """Lines, points, bars with their ranges, bands and areas on one pair of axes.

    Args:
        plot: what is drawn.
        width: in inches.
        height: in inches.

    Returns:
        A matplotlib Figure.

    Raises:
        InputError: this is no plot.
    """
    if not isinstance(plot, Plot):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise refused("plot", plot, "Plot", 'Give one of a result, such as result.plot("shares")')
    with mpl.rc_context(RC):
        sheet = _sheet(width, height)
        axes = sheet.add_subplot()
        _set_scales(axes, plot)
        bars = [series for series in plot.series if series.style == "bars"]
        areas = [series for series in plot.series if series.style == "area"]
        for tone, series in enumerate(areas):
            _add_area(axes, series, AREAS[tone % len(AREAS)])
        for index, series in enumerate(plot.series):
            colour = SERIES[index % len(SERIES)]
            if series.style == "map":
                _add_map(sheet, axes, series)
            elif series.style == "bars":
                _add_bars(axes, series, colour, bars.index(series), len(bars))
            elif series.style != "area":
                _add_series(axes, series, colour)
        _name_ticks(axes, plot)
        axes.set_xlabel(plain(plot.x_label))
        axes.set_ylabel(plain(plot.y_label))
        _title(sheet, plot.title)
        if areas:
            axes.margins(0)
            sheet.legend(loc="outside right upper")
        elif len([series for series in plot.series if series.name]) > 1:
            axes.legend(loc="best")
        if plot.note:
            sheet.supxlabel(plain(plot.note, int(17 * width)), fontsize=7, color=FAINT, x=0.02, ha="left")
    return sheet


def signals(result: Motion | HasMotion, *, width: float = 6.4) -> Figure:
    """Each signal along the motion's axis, one above another, with the events across them.

    Args:
        result: whose motion has signals.
        width: in inches.

    Returns:
        A matplotlib Figure, a pair of axes for each signal.

    Raises:
        PliantError: the motion has no signals.
    """
    motion = motion_of(result)
    if not motion.signals:
        raise PliantError("this motion has no signals to draw")
    count = len(motion.signals)
    with mpl.rc_context(RC):
        sheet = _sheet(width, 0.9 + 1.15 * count)
        rows: list[Axes] = list(np.atleast_1d(sheet.subplots(count, 1, sharex=True)))
        for index, (axes, (name, signal)) in enumerate(zip(rows, motion.signals.items(), strict=True)):
            _clean(axes)
            colour = SERIES[index % len(SERIES)]
            lone: dict[str, Any] = {"marker": "o", "markersize": 3} if motion.frames < 12 else {}
            axes.plot(motion.values, signal.values, color=colour, linewidth=1.4, **lone)
            unit = f" ({signal.unit})" if signal.unit else ""
            axes.set_title(plain(f"{name}{unit}"), loc="left", fontsize=8, color=INK, pad=3)
            axes.margins(x=0.01, y=0.12)
            axes.set_yscale(_scale(signal.values))
            for event in motion.events:
                axes.axvline(event.at, color=FAINT, linewidth=0.6, linestyle=(0, (2, 2)), zorder=1)
        _name_events(rows[0], motion.events)
        rows[-1].set_xlabel(plain(f"{motion.axis} ({motion.unit})" if motion.unit else motion.axis))
        _title(sheet, motion.title)
    return sheet


def _scale(values: Floats) -> Literal["linear", "log"]:
    """A signal over many powers of ten and never below zero is read on a logarithmic scale."""
    above = values[values > 0]
    return "log" if above.size and above.max() > 1e4 * above.min() and not (values < 0).any() else "linear"


def _sheet(width: float, height: float) -> Figure:
    sheet = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    sheet.get_layout_engine().set(w_pad=0.12, h_pad=0.1)  # type: ignore[union-attr]  # inches
    FigureCanvasAgg(sheet)
    return sheet


def _title(sheet: Figure, title: str) -> None:
    if title:
        sheet.suptitle(plain(title), x=0.02, ha="left", fontsize=10)


def _clean(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y")
    axes.set_axisbelow(True)


def _set_scales(axes: Axes, plot: Plot) -> None:
    _clean(axes)
    axes.set_xscale(plot.x_scale)
    axes.set_yscale(plot.y_scale)
    if "log" in (plot.x_scale, plot.y_scale):
        axes.grid(which="major", axis="both")


def _add_series(axes: Axes, series: Series, colour: str) -> None:
    label = plain(series.name)
    if series.style == "band":
        low = np.zeros_like(series.y) if series.low is None else series.low
        axes.fill_between(series.x, low, series.y, color=colour, alpha=0.18, linewidth=0, label=label)
    elif series.style == "points":
        dense = len(series.x) > 400
        axes.plot(series.x, series.y, "o", color=colour, ms=2 if dense else 4, mew=0, alpha=0.75, label=label)
    else:
        look: dict[str, Any] = {"color": colour, **LINES[series.style]}
        axes.plot(series.x, series.y, solid_joinstyle="round", label=label, **look)
    if series.style != "band" and series.low is not None and series.high is not None:
        axes.errorbar(series.x, series.y, yerr=_reach(series), fmt="none", ecolor=colour, elinewidth=0.8)


def _add_area(axes: Axes, series: Series, colour: str) -> None:
    """Rings as one path, so that holes stay open."""
    corners = np.column_stack([series.x, series.y])
    rings = [
        ring[np.isfinite(ring).all(axis=1)] for ring in np.split(corners, np.flatnonzero(np.isnan(series.x)))
    ]
    paths = [Path(ring, closed=True) for ring in rings if len(ring)]
    if paths:
        whole = Path.make_compound_path(*paths)
        axes.add_patch(PathPatch(whole, facecolor=colour, linewidth=0, label=plain(series.name)))


def _add_map(sheet: Figure, axes: Axes, series: Series) -> None:
    """Cells about places in rows and columns, coloured by z, and the scale; what is missing is open."""
    x, column = np.unique(series.x, return_inverse=True)
    y, row = np.unique(series.y, return_inverse=True)
    cells = np.full((len(y), len(x)), np.nan)
    cells[row, column] = series.z
    mesh = axes.pcolormesh(x, y, np.ma.masked_invalid(cells), shading="nearest", cmap="viridis")
    sheet.colorbar(mesh, ax=axes, label=plain(series.name))


def _add_bars(axes: Axes, series: Series, colour: str, index: int, count: int) -> None:
    """Several sets of bars stand side by side around each x."""
    spacing = float(np.diff(np.unique(series.x)).min()) if len(np.unique(series.x)) > 1 else 1.0
    thick = 0.72 * spacing / count
    x = series.x + (index - (count - 1) / 2) * thick
    axes.bar(x, series.y, 0.92 * thick, color=colour, alpha=0.85, label=plain(series.name))
    if series.low is not None or series.high is not None:
        axes.errorbar(x, series.y, yerr=_reach(series), fmt="none", ecolor=INK, elinewidth=0.8, capsize=2.5)
    axes.axhline(0, color=RULE, linewidth=0.6)


def _reach(series: Series) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """How far the range reaches below and above y: (2, N), never negative."""
    low = series.y if series.low is None else series.low
    high = series.y if series.high is None else series.high
    return np.maximum(np.stack([series.y - low, high - series.y]), 0)


def _name_ticks(axes: Axes, plot: Plot) -> None:
    if not plot.ticks:
        return
    crowded = sum(map(len, plot.ticks)) > 60
    turned: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
    step = max(1, len(plot.ticks) // 40)
    places = range(0, len(plot.ticks), step)
    axes.set_xticks(list(places), [plain(plot.ticks[i]) for i in places], **turned)
    axes.tick_params(axis="x", length=0)


def _name_events(axes: Axes, events: tuple[Event, ...]) -> None:
    """Names along the top, as long as there are few enough to be read."""
    if len(events) > 8:
        return
    for index, event in enumerate(events):
        name = axes.annotate(
            plain(event.text),
            (event.at, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(2, -1 - 8 * (index % 2)),
            textcoords="offset points",
            va="top",
            fontsize=6.5,
            color=FAINT,
        )
        name.set_path_effects([withStroke(linewidth=2, foreground="white")])
