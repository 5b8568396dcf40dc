"""Points and the strokes that join them: in the plane lines with joints on them, in space one picture.

In space faces, strokes and joints are drawn from the back to the front. What is farther away is paler,
and a line that passes in front of another leaves a gap beside itself: an orthographic picture has no other
way to say what is near.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_rgba, to_rgba_array
from matplotlib.path import Path

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.motion import Mark
from pliant.view.palette import STROKE, STYLES, style_colour
from pliant.view.scene import LEVEL, TOWARDS, VIEW

FOG = 0.5  # how much paler what is farthest away is
GAPS = 800  # strokes that still leave gaps
ROUND = np.linspace(0, 2 * np.pi, 17)


@dataclass(frozen=True)
class Bones:
    """What there is to draw. Widths are in points."""

    strokes: Ints  # (S, 2) into the points
    widths: Floats  # (S,)
    chains: list[list[int]]  # the strokes end to end, so that a bent wire is one line
    joints: Ints  # (J,) the points that are joints
    fills: Floats  # (J, 4)
    square: Bools  # (J,) or round
    size: float  # radius of a joint
    rim: float  # its line
    crossing: Bools  # (S,) leaves gaps in what it passes
    solid: float  # what thins marks that stand in space
    unit_pt: float  # points to one world unit


class Skeleton(Protocol):
    """The artists of points and strokes."""

    def show(self, points: Floats, solid: Iterable[Mark], heat: Floats | None) -> None:
        """Points (P, 2|3), marks that stand in space, and the colours of strokes (S, 4) if not plain."""
        ...


class Flat:
    """Points and strokes in the plane."""

    def __init__(self, axes: Axes, bones: Bones) -> None:
        self._bones = bones
        starts = np.cumsum([0, *(len(chain) - 1 for chain in bones.chains)])[:-1]
        self._widths = bones.widths[starts]  # (chains,)
        self._lines = LineCollection([], colors=STROKE, capstyle="round", joinstyle="round", zorder=4)
        axes.add_collection(self._lines, autolim=False)
        self._joints = [
            (which, self._scatter(axes, which, marker))
            for which, marker in ((bones.square, "s"), (~bones.square, "o"))
        ]

    def _scatter(self, axes: Axes, which: Bools, marker: str) -> PathCollection:
        bones, nowhere = self._bones, np.full(int(which.sum()), np.nan)
        return axes.scatter(
            nowhere,
            nowhere,
            s=4 * bones.size**2,
            marker=marker,
            facecolors=bones.fills[which],
            edgecolors=STROKE,
            linewidths=bones.rim,
            zorder=5,
        )

    def show(self, points: Floats, solid: Iterable[Mark], heat: Floats | None) -> None:
        """Move everything; nothing stands in a plane."""
        bones = self._bones
        if heat is None:
            self._lines.set_segments([points[chain] for chain in bones.chains])
            self._lines.set(linewidth=self._widths)
        else:
            self._lines.set_segments(list(points[bones.strokes]))
            self._lines.set(color=heat, linewidth=bones.widths)
        for which, scatter in self._joints:
            scatter.set_offsets(points[bones.joints[which]])


@dataclass(frozen=True)
class _Piece:
    """K paths, how near they are, and how they are drawn."""

    paths: Sequence[Floats]  # each (V, 2)
    middles: Floats  # (K, 3) in space
    fills: Floats  # (K, 4)
    edges: Floats  # (K, 4)
    widths: Floats  # (K,)
    ahead: float = 0.0  # how much nearer it counts as


def crossing_strokes(strokes: Floats, solid: Iterable[Mark]) -> Bools:
    """Which strokes (S, 2, 3) pass others: the edges of faces do not, which they belong to."""
    size = float(np.abs(strokes).max(initial=0.0)) or 1.0

    def key(place: Floats) -> tuple[int, ...]:
        return tuple(np.round(place / (1e-6 * size)).astype(np.int64).tolist())

    edges: set[frozenset[tuple[int, ...]]] = set()
    for mark in solid:
        corners = [key(place) for place in mark.points]
        edges.update(map(frozenset, zip(corners, corners[1:] + corners[:1], strict=True)))
    return np.array([frozenset(map(key, ends)) not in edges for ends in strokes], np.bool_)


def stands(mark: Mark) -> bool:
    """Whether a mark is a thing that stands in space, and not a sign beside it."""
    return mark.group in STYLES and STYLES[mark.group].solid and len(mark.points) > 1


class Space:
    """Everything that stands in space, in one collection."""

    def __init__(self, axes: Axes, bones: Bones) -> None:
        self._bones = bones
        self._all = PathCollection([], zorder=4, capstyle="round", joinstyle="round")
        axes.add_collection(self._all, autolim=False)

    def show(self, points: Floats, solid: Iterable[Mark], heat: Floats | None) -> None:
        """Sort everything by how near it is, and fade what is far unless colours are figures."""
        pieces = [*self._lines(points, heat), self._joints(points), *(self._solid(mark) for mark in solid)]
        middles = np.concatenate([piece.middles for piece in pieces])
        near = np.concatenate([piece.middles @ TOWARDS + piece.ahead for piece in pieces])
        order = np.argsort(near, kind="stable")
        paths = [path for piece in pieces for path in piece.paths]
        fills, edges = (np.vstack([getattr(piece, name) for piece in pieces]) for name in ("fills", "edges"))
        if heat is None:
            fills, edges = (_fade(colours, middles @ LEVEL) for colours in (fills, edges))
        widths = np.concatenate([piece.widths for piece in pieces])
        self._all.set_paths([Path(paths[k]) for k in order])
        self._all.set(facecolor=fills[order], edgecolor=edges[order], linewidth=widths[order])

    def _lines(self, points: Floats, heat: Floats | None) -> Iterable[_Piece]:
        """Strokes, each over a white one that is a little wider and shorter."""
        bones = self._bones
        pairs, owners = self._long_strokes(points @ VIEW.T) if heat is None else (bones.strokes, slice(None))
        ends, widths = points[pairs], bones.widths[owners]
        middles, flat, count = ends.mean(axis=1), ends @ VIEW.T, len(ends)
        clear = np.zeros((count, 4))
        if len(bones.strokes) <= GAPS:
            along = flat[:, 1] - flat[:, 0]
            length = np.maximum(np.linalg.norm(along, axis=1), 1e-300)
            back = (3.0 * widths + 3.0) / bones.unit_pt / length
            crossing = bones.crossing[owners] & (back < 0.5)
            inset = flat + back[:, None, None] * np.stack([along, -along], axis=1)
            white = np.ones((int(crossing.sum()), 4))
            wide = widths[crossing] + 0.6 + 1.2 * bones.solid
            yield _Piece(list(inset[crossing]), middles[crossing], clear[crossing], white, wide)
        colours = np.tile(to_rgba(STROKE), (count, 1)) if heat is None else heat
        yield _Piece(list(flat), middles, clear, colours, widths)

    def _long_strokes(self, flat: Floats) -> tuple[Ints, Ints]:
        """The strokes (R, 2) to draw of points on the page, and of each which of all it is.

        Wires that are straight there are one stroke: the seams of many would be seen.
        """
        pairs, owners, first = list[tuple[int, int]](), list[int](), 0
        for chain in self._bones.chains:
            count = len(chain) - 1
            whole = count > 1 and _is_straight(flat[chain], 0.2 / self._bones.unit_pt)
            pairs += [(chain[0], chain[-1])] if whole else pairwise(chain)
            owners += [first] if whole else range(first, first + count)
            first += count
        return np.array(pairs, np.int64).reshape(-1, 2), np.array(owners, np.int64)

    def _joints(self, points: Floats) -> _Piece:
        """Joints, in front of the strokes that meet there."""
        bones = self._bones
        places = points[bones.joints]
        reach, count = bones.size / bones.unit_pt, len(places)
        circle = reach * np.column_stack([np.cos(ROUND), np.sin(ROUND)])
        square = reach * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]])
        shapes = [square if corner else circle for corner in bones.square]
        rims = np.tile(to_rgba(STROKE), (count, 1))
        return _Piece(
            [place + shape for place, shape in zip(places @ VIEW.T, shapes, strict=True)],
            places,
            bones.fills,
            rims,
            np.full(count, bones.rim),
            ahead=2 * reach,
        )

    def _solid(self, mark: Mark) -> _Piece:
        style = STYLES[mark.group]
        colour = style_colour(style, mark.text, ())
        area = mark.kind == "polygon"
        points = np.vstack([mark.points, mark.points[:1]]) if area else mark.points
        return _Piece(
            [points @ VIEW.T],
            mark.points.mean(axis=0)[None],
            to_rgba_array(colour, style.fill if area else 0.0),
            to_rgba_array(colour),
            np.array([self._bones.solid * style.width]),
        )


def _is_straight(line: Floats, bound: float) -> bool:
    """Whether all points (K, 2) lie that near to the line between the ends."""
    along, away = line[-1] - line[0], line - line[0]
    off = along[0] * away[:, 1] - along[1] * away[:, 0]
    return bool(np.abs(off).max() <= bound * np.linalg.norm(along))


def _fade(colours: Floats, near: Floats) -> Floats:
    """Colours (K, 4) mixed with the page's white, the more the farther they are."""
    far = (near.max() - near) / max(float(np.ptp(near)), 1e-300)
    faded = colours.copy()
    faded[:, :3] += FOG * far[:, None] * (1 - colours[:, :3])
    return faded
