"""The page around a motion: how big the figure is, and where title, key and scale bar go.

Laid out in inches by hand rather than by a layout engine: the scale is then known before
anything is drawn, widths of lines can follow it, and the same motion gives the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pliant.core.arrays import Floats
from pliant.core.motion import Motion
from pliant.view import palette
from pliant.view.palette import measure, plain
from pliant.view.scene import VIEW, Room, fixed_bodies, groups, rows_at, spatial, traced_names
from pliant.view.stage import DrawOptions, Stage

MARGIN, GAP, LINE = 0.2, 0.14, 0.22  # inches
LETTER = 0.062  # inches across, of the key and of captions
DIRECTIONS = 0.16  # inches: what the directions of space need below a picture beside a line of the key
EMPTY = 1.5  # how ill a strip looks with empty places, against one twice as wide or high as it should be
MIN_PICTURE, MAX_PICTURE = 1.2, 5.6  # inches: how high a picture may be, unless another height is asked for


@dataclass(frozen=True)
class Panel:
    """A picture's rectangle on the page (inches from the lower left), what it shows, and at what scale."""

    left: float
    bottom: float
    width: float
    height: float
    room: Room
    unit_pt: float  # points on the page to one world unit


@dataclass(frozen=True)
class Page:
    """The figure's size and its panels, all in inches."""

    width: float
    height: float
    panels: tuple[Panel, ...]
    key_columns: int


def lay_out(
    room: Room,
    width: float,
    count: int,
    header: bool,
    key: list[Artist],
    side: float,
    rulers: bool,
    caption: int,
    below: float = 0.0,
    tallest: float = MAX_PICTURE,
) -> Page:
    """Place `count` equal panels on a page of a width.

    `side` is kept free at the right for a colour bar, `below` for the directions of space. `caption` is how
    many characters the longest caption above a panel has, 0 where there are none.
    """
    left, foot = (0.62, 0.5) if rulers else (MARGIN, MARGIN + below)
    free = width - left - MARGIN - side
    fitting = int((free + GAP) / (max(LETTER * caption, GAP) + GAP))
    columns = _columns(room, count, max(1, min(count, fitting)))
    rows = -(-count // columns)
    panel_width = (free - GAP * (columns - 1)) / columns
    wanted = panel_width * float(room.size[1] / room.size[0])
    panel_height = float(np.clip(wanted, MIN_PICTURE / rows, tallest / rows))
    unit = min(panel_width / float(room.size[0]), panel_height / float(room.size[1]))
    key_columns, key_rows = _key_grid(key, free)
    foot += LINE * key_rows + (0.1 if key_rows else 0)
    captioned = LINE if caption else 0.0
    head = MARGIN + (0.3 if header else 0)
    height = foot + rows * (panel_height + captioned) + GAP * (rows - 1) + head
    shown = _widen(room, panel_width / unit, panel_height / unit)
    panels = tuple(
        Panel(
            left + (index % columns) * (panel_width + GAP),
            height - head - (index // columns + 1) * (panel_height + captioned) - index // columns * GAP,
            panel_width,
            panel_height,
            shown,
            unit * 72,
        )
        for index in range(count)
    )
    return Page(width, height, panels, key_columns)


def _columns(room: Room, count: int, most: int) -> int:
    """As many columns as make the whole strip about two wide to one high, with few places left empty."""
    shape = float(room.size[0] / room.size[1])

    def fault(columns: int) -> float:
        rows = -(-count // columns)
        return abs(np.log(columns * shape / rows / 2.0)) + EMPTY * (1 - count / (columns * rows))

    return min(range(1, most + 1), key=fault)


def _widen(room: Room, width: float, height: float) -> Room:
    middle, half = (room.low + room.high) / 2, np.array([width, height]) / 2
    return replace(room, low=middle - half, high=middle + half)


def _key_grid(key: list[Artist], width: float) -> tuple[int, int]:
    """Columns and rows of the key, filled column by column, that fit beside the scale bar."""
    inches = [0.38 + LETTER * len(str(artist.get_label())) for artist in key]
    for columns in range(len(key), 1, -1):
        rows = -(-len(key) // columns)
        if sum(max(inches[i : i + rows]) for i in range(0, len(key), rows)) <= width - 1.3:
            return -(-len(key) // rows), rows
    return 1, max(len(key), 1)  # with no key, the scale bar's own line


def add_stage(
    figure: Figure, page: Page, panel: Panel, motion: Motion, options: DrawOptions, rulers: bool
) -> Stage:
    """An axes in the panel's place with the motion's artists on it."""
    axes = figure.add_axes(
        (
            panel.left / page.width,
            panel.bottom / page.height,
            panel.width / page.width,
            panel.height / page.height,
        )
    )
    stage = Stage(axes, motion, options, panel.room, panel.unit_pt)
    if rulers:
        unit = f" ({plain(motion.length_unit)})" if motion.length_unit else ""
        axes.set_xlabel(f"x{unit}")
        axes.set_ylabel(f"y{unit}")
        axes.spines[["top", "right"]].set_visible(False)
    else:
        axes.set_axis_off()
    return stage


def add_header(figure: Figure, page: Page, title: str) -> None:
    """The title at the upper left."""
    y = 1 - (MARGIN + 0.02) / page.height
    left = page.panels[0].left / page.width
    room = int(13 * page.width) - 18  # letters of size 10
    size = max(7.0, 10.0 * min(1.0, room / max(len(title), 1)))
    figure.text(left, y, plain(title, int(10 * room / size)), ha="left", va="top", fontsize=size)


def readout(motion: Motion, frame: float) -> str:
    """Where on the axis a frame is, in words."""
    return f"{plain(motion.axis)} {measure(float(rows_at(motion.values, frame)), plain(motion.unit))}"


def key_entries(motion: Motion, options: DrawOptions, after: int | None = None) -> list[Artist]:
    """What the colours mean; nothing where there is nothing to tell apart."""
    entries: list[Artist] = []
    heat = options.scalar in motion.body_scalars
    if options.before is not None:
        at = readout(motion, options.before)
        entries.append(Line2D([], [], color=palette.BEFORE, linewidth=1, label=f"before ({at})"))
    if after is not None and not heat and motion.bodies:
        at = readout(motion, after)
        entries.append(_area_entry(f"after ({at})", palette.BODY, palette.BODY_EDGE))
    elif after is not None and not motion.bodies and options.scalar is None:
        entries.append(
            Line2D([], [], color=palette.STROKE, linewidth=2, label=f"after ({readout(motion, after)})")
        )
    if fixed_bodies(motion).any() and not heat:
        entries.append(_area_entry("fixed", palette.FIXED, palette.FIXED_EDGE))
    for group in groups(motion) if options.marks else ():
        entries += _group_entries(motion, group)
    return entries


def _group_entries(motion: Motion, group: str) -> list[Artist]:
    """A group of marks in the key; traced curves one by one."""
    kinds = {mark.kind for mark in motion.marks if mark.group == group}
    if not group or kinds == {"label"}:
        return []
    if group not in palette.STYLES:
        colour, label = palette.group_colours(groups(motion))[group], plain(group)
        line = Line2D([], [], color=colour, linewidth=2, label=label)
        return [_area_entry(label, f"{colour}38", colour) if "polygon" in kinds else line]
    style, names = palette.STYLES[group], traced_names(motion)
    titles = {name: plain(f"{style.title} of {name}") for name in names if name} if group == "trace" else {}
    return [
        _styled_entry(style, label, palette.style_colour(style, name, names), "polygon" in kinds)
        for name, label in (titles or {"": style.title}).items()
        if label
    ]


def _styled_entry(style: palette.Style, label: str, colour: str, area: bool) -> Artist:
    if area and not style.dash:
        return Patch(facecolor=colour, alpha=style.fill, linewidth=0, label=label)
    dash: Any = (0, style.dash) if style.dash else "solid"
    return Line2D(
        [], [], color=colour, linewidth=style.width, linestyle=dash, dash_capstyle="round", label=label
    )


def _area_entry(label: str, fill: str, edge: str) -> Artist:
    return Patch(facecolor=fill, edgecolor=edge, linewidth=0.6, label=label)


def add_key(figure: Figure, page: Page, entries: list[Artist]) -> None:
    """The key at the lower right."""
    if not entries:
        return
    panels = page.panels
    right = max(panel.left + panel.width for panel in panels) / page.width
    figure.legend(
        handles=entries,
        loc="lower right",
        bbox_to_anchor=(right, 0.5 * MARGIN / page.height),
        ncols=page.key_columns,
        borderaxespad=0,
        borderpad=0,
        columnspacing=1.4,
        handlelength=1.3,
        handletextpad=0.5,
    )


def add_scale_bar(figure: Figure, page: Page, motion: Motion) -> None:
    """A bar of a round length at the lower left; directions instead where lengths are foreshortened."""
    panel = page.panels[0]
    if spatial(motion):
        _add_directions(figure, page)
        return
    length = round_length(float(panel.room.size[0]) / (5 if len(page.panels) == 1 else 2.5))
    x, y = panel.left / page.width, (0.5 * MARGIN + 0.09) / page.height
    across = length * panel.unit_pt / 72 / page.width
    tick = 0.035 / page.height
    style: dict[str, Any] = {
        "color": palette.INK,
        "linewidth": 0.9,
        "transform": figure.transFigure,
        "solid_capstyle": "butt",
    }
    figure.add_artist(Line2D([x, x + across], [y, y], **style))
    for end in (x, x + across):
        figure.add_artist(Line2D([end, end], [y - tick, y + tick], **style))
    label = measure(length, plain(motion.length_unit))
    figure.text(
        x + across + 0.06 / page.width, y, label, ha="left", va="center", fontsize=7.5, color=palette.FAINT
    )


def _add_directions(figure: Figure, page: Page) -> None:
    """Where x, y and z point in a view of space."""
    centre = np.array([page.panels[0].left + 0.28, MARGIN + 0.1])
    for name, axis in zip("xyz", VIEW.T, strict=True):
        tip, label = (centre + reach * axis for reach in (0.26, 0.37))
        ends = np.array([centre, tip]) / [page.width, page.height]
        figure.add_artist(Line2D(*ends.T, color=palette.FAINT, linewidth=0.9, transform=figure.transFigure))
        x, y = label / [page.width, page.height]
        figure.text(x, y, name, ha="center", va="center", fontsize=7, color=palette.FAINT)


def round_length(most: float) -> float:
    """The greatest 1, 2 or 5 times a power of ten that is no more than `most`.

    >>> round_length(7.3), round_length(0.0213)
    (5.0, 0.02)
    """
    power = 10.0 ** np.floor(np.log10(most))
    return float(max((step for step in (1, 2, 5) if step * power <= most * (1 + 1e-9)), default=1) * power)


def add_colour_bar(figure: Figure, page: Page, stage: Stage) -> Axes | None:
    """What the colours of the scalar stand for, right of the picture."""
    if stage.colours is None:
        return None
    colours, scale = stage.colours
    bottom = min(panel.bottom for panel in page.panels)
    top = max(panel.bottom + panel.height for panel in page.panels)
    right = max(panel.left + panel.width for panel in page.panels)
    height = min(top - bottom, 2.6)
    place: Floats = np.array([right + 0.16, (bottom + top - height) / 2, 0.1, height])
    axes = figure.add_axes(tuple(place / [page.width, page.height, page.width, page.height]))
    bar = figure.colorbar(ScalarMappable(scale, colours), cax=axes)
    bar.outline.set_visible(False)  # type: ignore[union-attr]  # matplotlib's stubs call it a property of none
    bar.ax.tick_params(labelsize=7, length=2)
    bar.set_label(plain(stage.options.scalar or ""), fontsize=8)
    return axes
