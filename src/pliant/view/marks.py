"""Marks as matplotlib artists: one collection a kind and group, so that thousands stay quick."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba

from pliant.core.arrays import Floats
from pliant.core.motion import Mark, Motion
from pliant.view.palette import INK, STYLES, Style, group_colours, halo, plain, style_colour
from pliant.view.scene import groups, to_page, traced_names


def add_marks(
    axes: Axes, motion: Motion, marks: Iterable[Mark], unit_pt: float, pen: float = 1.0
) -> list[Artist]:
    """Draw some marks of a motion; `unit_pt` is the length of one world unit on the page, in points.

    `pen` thins the lines of well-known groups in small pictures.
    """
    artists: list[Artist] = []
    shown = [mark for mark in marks if np.isfinite(mark.points).all()]
    colours = group_colours(groups(motion))
    for group in groups(motion):
        mine = [mark for mark in shown if mark.group == group]
        if group in colours:
            artists += _group(axes, motion, mine, colours[group], unit_pt)
        else:
            artists += _draw_styled(axes, motion, mine, STYLES[group], pen)
        artists += [_label(axes, mark, to_page(motion, mark.points)) for mark in mine if _is_labelled(mark)]
    return artists


def _is_labelled(mark: Mark) -> bool:
    """A traced curve and its bands are named in the key, by their colour."""
    return bool(mark.text) and (mark.group not in STYLES or STYLES[mark.group].colour != "trace")


def _group(axes: Axes, motion: Motion, mine: list[Mark], colour: str, unit_pt: float) -> list[Artist]:
    """A group of the method's own: lines and tints as heavy as the marks' values."""
    artists: list[Artist] = []
    alike = (m for m in motion.marks if mine and m.group == mine[0].group)
    heaviest = max((abs(m.value) for m in alike if m.value is not None), default=0)
    for kinds, add in ((("polygon",), _polygons), (("segment", "curve"), _segments), (("arrow",), _arrows)):
        chosen = [mark for mark in mine if mark.kind in kinds and len(mark.points) > 1]
        if chosen:
            lines = [to_page(motion, mark.points) for mark in chosen]
            artists.append(add(axes, lines, _weights(chosen, heaviest), colour, unit_pt))
    return artists


def _draw_styled(axes: Axes, motion: Motion, mine: list[Mark], style: Style, pen: float) -> list[Artist]:
    """A well-known group, as its style says."""
    artists: list[Artist] = []
    names = traced_names(motion)
    dash: Any = [(0, style.dash)] if style.dash else "solid"
    look: dict[str, Any] = {"linewidths": pen * style.width, "linestyles": dash, "zorder": style.order}
    drawn = [mark for mark in mine if mark.kind != "label" and len(mark.points) > 1]
    for areas in (True, False):
        chosen = [mark for mark in drawn if (mark.kind == "polygon") is areas]
        if not chosen:
            continue
        lines = [to_page(motion, mark.points) for mark in chosen]
        colours = [style_colour(style, mark.text, names) for mark in chosen]
        if areas:
            fills = [to_rgba(colour, style.fill) for colour in colours]
            shapes = PolyCollection(lines, facecolors=fills, edgecolors=colours, joinstyle="round", **look)
        else:
            shapes = LineCollection(lines, colors=colours, capstyle="round", joinstyle="round", **look)
        artists.append(axes.add_collection(shapes, autolim=False))
    return artists


def _weights(marks: Sequence[Mark], heaviest: float) -> Floats:
    """How heavy each mark is, from 0 to 1: its value against the greatest of its group in any frame."""
    return np.array([1.0 if m.value is None or not heaviest else abs(m.value) / heaviest for m in marks])


def _tints(colour: str, weights: Floats, lightest: float) -> Floats:
    tints = np.tile(to_rgba(colour), (len(weights), 1))
    tints[:, 3] = lightest + (1 - lightest) * weights
    return tints


def _polygons(axes: Axes, lines: list[Floats], weights: Floats, colour: str, unit_pt: float) -> Artist:
    fills, edges = _tints(colour, weights, 0.4), _tints(colour, weights, 0.5)
    fills[:, 3] *= 0.22
    width = 0.8 if len(lines) < 200 else 0.3
    return axes.add_collection(
        PolyCollection(lines, facecolors=fills, edgecolors=edges, linewidths=width, zorder=1.5), autolim=False
    )


def _segments(axes: Axes, lines: list[Floats], weights: Floats, colour: str, unit_pt: float) -> Artist:
    collection = LineCollection(
        lines,
        colors=_tints(colour, weights, 0.35),
        linewidths=0.6 + 2.0 * weights,
        zorder=6,
        capstyle="round",
    )
    return axes.add_collection(collection, autolim=False)


def _arrows(axes: Axes, lines: list[Floats], weights: Floats, colour: str, unit_pt: float) -> Artist:
    tails, tips = np.array([line[0] for line in lines]), np.array([line[-1] for line in lines])
    widths = (0.7 + 2.2 * weights) / unit_pt
    collection = PolyCollection(
        list(arrow_outlines(tails, tips, widths)),
        facecolors=_tints(colour, weights, 0.35),
        edgecolors="white",
        linewidths=0.25,
        zorder=6,
    )
    return axes.add_collection(collection, autolim=False)


def arrow_outlines(tails: Floats, tips: Floats, widths: Floats) -> Floats:
    """Arrows of given shaft widths as polygons (K, 7, 2); short ones keep their length and lose shaft."""
    along = tips - tails
    length = np.hypot(along[:, 0], along[:, 1])
    along = along / np.where(length > 0, length, 1)[:, None]
    across = np.stack([-along[:, 1], along[:, 0]], axis=-1)
    head = np.minimum(4.0 * widths + 0.5 * widths.mean(), length)
    shaft, wing = widths * head / (4.5 * widths), 0.42 * head
    neck = length - head
    stations = [(0 * neck, shaft / 2), (neck, shaft / 2), (neck, wing), (length, 0 * neck)]
    left = [tails + s[:, None] * along + w[:, None] * across for s, w in stations]
    right = [tails + s[:, None] * along - w[:, None] * across for s, w in reversed(stations[:-1])]
    return np.stack([*left, *right], axis=1)


def _label(axes: Axes, mark: Mark, points: Floats) -> Artist:
    centre = mark.kind in ("label", "polygon")
    x, y = points.mean(axis=0) if centre else points[-1]
    if mark.kind == "polygon":
        y = points[:, 1].max()  # under its upper edge, where bodies seldom are
    text = axes.annotate(
        plain(mark.text),
        (float(x), float(y)),
        xytext={"label": (0, 0), "polygon": (0, -7)}.get(mark.kind, (3, 3)),
        textcoords="offset points",
        ha="center" if centre else "left",
        va="center" if centre else "bottom",
        fontsize=7,
        color=INK,
        zorder=8,
        annotation_clip=False,
    )
    text.set_path_effects(halo(2.0, 0.85))
    return text
