"""The artists of one motion on one axes. Figures show them once, animations move them."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.path import Path

from pliant.core.errors import PliantError
from pliant.core.motion import Floats, Ints, Motion
from pliant.core.pose import carry
from pliant.view import palette
from pliant.view.marks import add_marks
from pliant.view.names import Names
from pliant.view.palette import colour_map
from pliant.view.scene import (
    Room,
    bodies_of,
    body_size,
    fixed_bodies,
    flatten,
    poses_at,
    rests,
    rings,
    rows_at,
    traced,
)


@dataclass(frozen=True)
class Look:
    """What to show of a motion. None leaves the choice to how much there is to show."""

    before: int | None = 0  # the frame outlined in red
    scalar: str | None = None  # a body or stroke scalar to colour by
    marks: bool = True
    names: bool | None = None
    trails: bool | None = None  # the paths of the points

    def shows_names(self, motion: Motion) -> bool:
        """A dozen names can be read; a hundred cannot."""
        return len(motion.point_names or motion.bodies) <= 12 if self.names is None else self.names

    def shows_trails(self, motion: Motion) -> bool:
        """Paths of a few points are curves; of many, a cloud. Traced curves are those that were asked for."""
        few = motion.points.shape[1] <= 24 and motion.frames > 2
        return few and not traced(motion) if self.trails is None else self.trails


def scalar_rows(motion: Motion, name: str) -> Floats:
    """The scalar of that name, on bodies (F, B) or on strokes (F, S)."""
    known = {**motion.stroke_scalars, **motion.body_scalars}
    if name not in known:
        close = difflib.get_close_matches(name, known, 1)
        hint = f'Did you mean "{close[0]}"?' if close else f"It has: {', '.join(known) or 'none'}."
        raise PliantError(f'scalar "{name}": the motion has none of that name. {hint}')
    return known[name]


class Stage:
    """Draws a motion within a room of the page; `show` moves it to a frame.

    `unit_pt` is the length of one world unit on the page, in points: widths of lines follow it.
    """

    def __init__(self, axes: Axes, motion: Motion, look: Look, room: Room, unit_pt: float) -> None:
        self.axes, self.motion, self.look, self.unit_pt = axes, motion, look, unit_pt
        self.colours = None if look.scalar is None else colour_map(scalar_rows(motion, look.scalar))
        self._edge = float(np.clip(0.016 * body_size(motion) * unit_pt, 0.12, 0.8))
        self._pen = float(np.clip(room.size.max() * unit_pt / 300, 0.4, 1.0))  # small pictures, thin lines
        self._stroke = self._pen * float(np.clip(90 / max(len(motion.strokes), 1), 0.6, 2.6))
        self._paths = [(rings(shape), bodies_of(motion, index)) for index, shape in enumerate(motion.shapes)]
        _frame_axes(axes, room)
        self._add_trails()
        self._bodies = self._add_bodies()
        self._strokes = self._add_strokes()
        self._joints = self._add_joints()
        self._add_before()
        self._names = Names(axes, motion, unit_pt, look.shows_names(motion))
        self._marks: list[Artist] = []

    def show(self, frame: float) -> None:
        """Move everything to a frame, whole or between two."""
        motion = self.motion
        poses, points = poses_at(motion, frame), flatten(motion, rows_at(motion.points, frame))
        paths = self._body_paths(poses)
        for chosen, collection in self._bodies:
            collection.set_paths([paths[body] for body in chosen])
        self._strokes.set_segments(list(points[motion.strokes]))
        for chosen, collection in self._joints:
            collection.set_offsets(points[chosen])
        self._colour(frame)
        self._names.show(self._body_centres(poses), points, paths)
        for mark in self._marks:
            mark.remove()
        marks = self.look.marks
        self._marks = add_marks(self.axes, motion, frame, self.unit_pt, self._pen) if marks else []

    # Bodies

    def _body_paths(self, poses: Floats) -> list[Path]:
        paths = [Path(np.zeros((0, 2)))] * len(poses)
        for outline, bodies in self._paths:
            if not len(outline.vertices):
                continue
            codes = np.full(len(outline.vertices), Path.LINETO, Path.code_type)
            codes[outline.starts] = Path.MOVETO
            codes[np.append(outline.starts[1:], len(codes)) - 1] = Path.CLOSEPOLY
            world = flatten(self.motion, carry(poses[bodies][:, None, :], outline.vertices[None]))
            for body, vertices in zip(bodies, world, strict=True):
                paths[body] = Path(vertices, codes)
        return paths

    def _add_bodies(self) -> list[tuple[Ints, PathCollection]]:
        fixed = fixed_bodies(self.motion)
        kinds = (
            (fixed, palette.FIXED, palette.FIXED_EDGE, 2.0),
            (~fixed, palette.BODY, palette.BODY_EDGE, 2.1),
        )
        layers: list[tuple[Ints, PathCollection]] = []
        for which, fill, edge, order in kinds:
            chosen = np.flatnonzero(which)
            collection = PathCollection(
                [], facecolors=fill, edgecolors=edge, linewidths=self._edge, zorder=order, joinstyle="round"
            )
            self.axes.add_collection(collection, autolim=False)
            layers.append((chosen, collection))
        if self._hatched():
            # A hatch takes the colour of the edge, so it is a layer of its own.
            hatch = PathCollection([], facecolors="none", edgecolors="#ffffff90", linewidths=0, zorder=2.05)
            hatch.set_hatch("////")
            self.axes.add_collection(hatch, autolim=False)
            layers.append((layers[0][0], hatch))
        return layers

    def _hatched(self) -> bool:
        """Hatching is for bodies big enough to carry it, and gives way to a heat map."""
        fits = body_size(self.motion) * self.unit_pt > 18
        return fits and self.look.scalar not in self.motion.body_scalars

    def _add_before(self) -> None:
        motion, frame = self.motion, self.look.before
        if frame is None:
            return
        moving = np.flatnonzero(~fixed_bodies(motion))
        paths = self._body_paths(poses_at(motion, frame))
        width = float(np.clip(0.9 * self._edge + 0.1, 0.2, 0.8))
        outlines = PathCollection(
            [paths[body] for body in moving],
            facecolors="none",
            edgecolors=palette.BEFORE,
            linewidths=width,
            alpha=1.0 if len(moving) < 300 else 0.7,  # dense outlines must not drown what lies under them
            zorder=3,
        )
        self.axes.add_collection(outlines, autolim=False)
        points = flatten(motion, rows_at(motion.points, frame))
        strokes = LineCollection(
            list(points[motion.strokes]),
            colors=palette.BEFORE,
            linewidths=min(0.8, self._stroke / 2),
            zorder=3.1,
        )
        self.axes.add_collection(strokes, autolim=False)

    # Points and strokes

    def _add_strokes(self) -> LineCollection:
        strokes = LineCollection(
            [], colors=palette.STROKE, linewidths=self._stroke, capstyle="round", zorder=4
        )
        self.axes.add_collection(strokes, autolim=False)
        return strokes

    def _add_joints(self) -> list[tuple[Ints, PathCollection]]:
        """Circles where strokes meet; squares where points never move, unless ground is drawn there.

        A point whose curve is traced has the colour of its curve.
        """
        grounded = any(mark.group == "ground" for mark in self.motion.marks)
        resting = rests(self.motion) & np.bool_(not grounded)
        size = (2.4 * self._stroke + 1) ** 2 / 2
        layers: list[tuple[Ints, PathCollection]] = []
        names = traced(self.motion)
        fills = {name: palette.style_colour(palette.STYLES["trace"], name, names) for name in names}
        for which, marker, fill in ((resting, "s", palette.STROKE), (~resting, "o", "white")):
            chosen = np.flatnonzero(which)
            nowhere = np.full(len(chosen), np.nan)
            scatter = self.axes.scatter(
                nowhere,
                nowhere,
                s=size,
                marker=marker,
                facecolors=[fills.get(self.motion.point_names[point], fill) for point in chosen],
                edgecolors=palette.STROKE,
                linewidths=self._stroke * 0.4,
                zorder=5,
            )
            layers.append((chosen, scatter))
        return layers

    def _add_trails(self) -> None:
        if not self.look.shows_trails(self.motion):
            return
        moving = np.flatnonzero(~rests(self.motion))
        paths = flatten(self.motion, self.motion.points)[:, moving].transpose(1, 0, 2)
        trails = LineCollection(list(paths), colors="#9fb4cc", linewidths=0.8, zorder=1)
        self.axes.add_collection(trails, autolim=False)

    # Colours

    def _colour(self, frame: float) -> None:
        name = self.look.scalar
        if name is None or self.colours is None:
            return
        colours, scale = self.colours
        values: Any = colours(scale(rows_at(scalar_rows(self.motion, name), frame)))
        if name not in self.motion.body_scalars:
            self._strokes.set_color(values)
            return
        for chosen, collection in self._bodies:
            collection.set_facecolor(values[chosen])

    def _body_centres(self, poses: Floats) -> Floats:
        centres = np.zeros((len(poses), 2))
        for outline, bodies in self._paths:
            if len(outline.vertices):
                inside = (outline.vertices.min(axis=0) + outline.vertices.max(axis=0)) / 2
                centres[bodies] = carry(poses[bodies], inside)
        return flatten(self.motion, centres)


def _frame_axes(axes: Axes, room: Room) -> None:
    axes.set_xlim(float(room.low[0]), float(room.high[0]))
    axes.set_ylim(float(room.low[1]), float(room.high[1]))
    axes.set_aspect("equal", adjustable="box")
