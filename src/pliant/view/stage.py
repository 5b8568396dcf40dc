"""The artists of one motion on one axes. Figures show them once, animations move them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_rgba_array
from matplotlib.path import Path

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.errors import PliantError
from pliant.core.motion import Mark, Motion
from pliant.core.pose import carry
from pliant.view import palette
from pliant.view.blending import marks_of
from pliant.view.marks import add_marks
from pliant.view.names import Names
from pliant.view.palette import colour_map
from pliant.view.scene import (
    Room,
    bodies_of,
    body_size,
    chains,
    fixed_bodies,
    named_points,
    poses_at,
    rests,
    rings,
    roomiest_place,
    rows_at,
    spatial,
    to_page,
    traced_names,
    wires,
)
from pliant.view.skeleton import GAPS, Bones, Flat, Skeleton, Space, crossing_strokes, stands


@dataclass(frozen=True)
class DrawOptions:
    """What to show of a motion. None leaves the choice to how much there is to show."""

    before: int | None = 0  # the frame outlined in red
    scalar: str | None = None  # a body or stroke scalar to colour by
    marks: bool = True
    names: bool | None = None
    trails: bool | None = None  # the paths of the points

    def shows_names(self, motion: Motion) -> bool:
        """A dozen names can be read; a hundred cannot."""
        few = (named_points(motion).sum() or len(motion.bodies)) <= 12
        return bool(few) if self.names is None else self.names

    def shows_trails(self, motion: Motion) -> bool:
        """Paths of a few points are curves; of many, a cloud. Traced curves are those that were asked for."""
        few = bool(named_points(motion).sum() <= 24) and motion.frames > 2
        return few and not traced_names(motion) if self.trails is None else self.trails


def scalar_values(motion: Motion, name: str) -> Floats:
    """Every value of the scalar of that name, on bodies and on strokes."""
    scalars = (motion.stroke_scalars, motion.body_scalars)
    arrays = [rows[name].ravel() for rows in scalars if name in rows]
    if not arrays:
        known = dict.fromkeys([*motion.stroke_scalars, *motion.body_scalars])
        close = difflib.get_close_matches(name, known, 1)
        hint = f'Did you mean "{close[0]}"?' if close else f"It has: {', '.join(known) or 'none'}."
        raise PliantError(f'scalar "{name}": the motion has none of that name. {hint}')
    return np.concatenate(arrays)


class Stage:
    """Draws a motion within a room of the page; `show` moves it to a frame.

    `unit_pt` is the length of one world unit on the page, in points: widths of lines follow it.
    """

    def __init__(self, axes: Axes, motion: Motion, options: DrawOptions, room: Room, unit_pt: float) -> None:
        self.axes, self.motion, self.options, self.unit_pt = axes, motion, options, unit_pt
        self.colours = None if options.scalar is None else colour_map(scalar_values(motion, options.scalar))
        self._edge = float(np.clip(0.016 * body_size(motion) * unit_pt, 0.12, 0.8))
        self._pen = float(np.clip(room.size.max() * unit_pt / 300, 0.4, 1.0))  # small pictures, thin lines
        self._stroke = self._pen * float(np.clip(90 / _busy(motion), 0.6, 2.6))
        self._paths = [(rings(shape), bodies_of(motion, index)) for index, shape in enumerate(motion.shapes)]
        self._widths = np.where(wires(motion), 0.4 * self._stroke + 0.2 * self._pen, self._stroke)
        self._marks = marks_of(motion)
        _frame_axes(axes, room)
        self._add_trails()
        self._bodies = self._add_bodies()
        self._skeleton = self._add_skeleton()
        self._add_before()
        self._names = Names(axes, motion, unit_pt, options.shows_names(motion))
        self._add_signs(self._marks.lasting)
        self._signs: list[Artist] = []

    def show(self, frame: float) -> None:
        """Move everything to a frame, whole or between two."""
        motion = self.motion
        poses, points = poses_at(motion, frame), rows_at(motion.points, frame)
        marks = self._marks.at(frame)
        paths = self._body_paths(poses)
        for chosen, collection in self._bodies:
            collection.set_paths([paths[body] for body in chosen])
        self._skeleton.show(points, filter(self._stands, marks), self._colour(frame))
        flat = to_page(motion, points)
        self._names.show(
            self._body_centres(poses), flat, [*paths, *self._solids(marks)], flat[motion.strokes]
        )
        for sign in self._signs:
            sign.remove()
        self._signs = self._add_signs(marks[len(self._marks.lasting) :])

    def _add_signs(self, marks: Iterable[Mark]) -> list[Artist]:
        """Marks that do not stand in space. Those that last are added once: most films have no others."""
        signs = [mark for mark in marks if self.options.marks and not self._stands(mark)]
        return add_marks(self.axes, self.motion, signs, self.unit_pt, self._pen) if signs else []

    def _solids(self, marks: Iterable[Mark]) -> list[Path]:
        """What stands in space, as paths of the page."""
        standing = (to_page(self.motion, mark.points) for mark in marks if self._stands(mark))
        return [Path(np.vstack([points, points[:1]])) for points in standing]

    def _stands(self, mark: Mark) -> bool:
        return spatial(self.motion) and stands(mark)

    # Bodies

    def _body_paths(self, poses: Floats) -> list[Path]:
        paths = [Path(np.zeros((0, 2)))] * len(poses)
        for outline, bodies in self._paths:
            if not len(outline.vertices):
                continue
            codes = np.full(len(outline.vertices), Path.LINETO, Path.code_type)
            codes[outline.starts] = Path.MOVETO
            codes[np.append(outline.starts[1:], len(codes)) - 1] = Path.CLOSEPOLY
            world = to_page(self.motion, carry(poses[bodies][:, None, :], outline.vertices[None]))
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
        if self._is_hatched():
            # A hatch takes the colour of the edge, so it is a layer of its own.
            hatch = PathCollection([], facecolors="none", edgecolors="#ffffff90", linewidths=0, zorder=2.05)
            hatch.set_hatch("////")
            self.axes.add_collection(hatch, autolim=False)
            layers.append((layers[0][0], hatch))
        return layers

    def _is_hatched(self) -> bool:
        """Hatching is for bodies big enough to carry it, and gives way to a heat map."""
        fits = body_size(self.motion) * self.unit_pt > 18
        return fits and self.options.scalar not in self.motion.body_scalars

    def _add_before(self) -> None:
        motion, frame = self.motion, self.options.before
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
        points = to_page(motion, rows_at(motion.points, frame))
        moving = self._marks.by_frame.get(frame, ())
        solids = [np.asarray(path.vertices) for path in self._solids(moving)]
        strokes = LineCollection(
            [*points[motion.strokes], *solids],
            colors=palette.BEFORE,
            linewidths=min(0.8, self._stroke / 2),
            alpha=0.55 if spatial(motion) else 1.0,  # behind what stands there now
            zorder=1.6 if spatial(motion) else 3.1,
        )
        self.axes.add_collection(strokes, autolim=False)

    # Points and strokes

    def _add_skeleton(self) -> Skeleton:
        """Joints are circles; squares where points never move, unless ground is drawn there.

        A point whose curve is traced has the colour of its curve.
        """
        motion, names = self.motion, traced_names(self.motion)
        grounded = any(mark.group == "ground" for mark in motion.marks)
        joints = np.flatnonzero(named_points(motion))
        resting = rests(motion)[joints] & np.bool_(not grounded)
        fills = {name: palette.style_colour(palette.STYLES["trace"], name, names) for name in names}
        own = [
            fills.get(motion.point_names[point], palette.STROKE if still else "white")
            for point, still in zip(joints, resting, strict=True)
        ]
        bones = Bones(
            motion.strokes,
            self._widths,
            chains(motion),
            joints,
            to_rgba_array(own).reshape(-1, 4),
            resting,
            size=min((2.4 * self._stroke + 1) / 8**0.5, 0.16 * _usual_stroke(motion) * self.unit_pt),
            rim=0.4 * self._stroke,
            crossing=self._crossing_strokes(),
            solid=max(self._stroke / 2.6, 0.3),
            unit_pt=self.unit_pt,
        )
        return Space(self.axes, bones) if spatial(motion) else Flat(self.axes, bones)

    def _crossing_strokes(self) -> Bools:
        motion = self.motion
        if not spatial(motion) or len(motion.strokes) > GAPS:
            return np.zeros(len(motion.strokes), np.bool_)
        return crossing_strokes(motion.points[0, motion.strokes], filter(stands, self._marks.at(0)))

    def _add_trails(self) -> None:
        if not self.options.shows_trails(self.motion):
            return
        moving = np.flatnonzero(~rests(self.motion) & named_points(self.motion))
        paths = to_page(self.motion, self.motion.points)[:, moving].transpose(1, 0, 2)
        trails = LineCollection(list(paths), colors="#9fb4cc", linewidths=0.8, zorder=1)
        self.axes.add_collection(trails, autolim=False)

    # Colours

    def _colour(self, frame: float) -> Floats | None:
        """Colour the bodies by the scalar; the colours of the strokes (S, 4), None where they are plain."""
        name = self.options.scalar
        if name is None or self.colours is None:
            return None
        colours, scale = self.colours
        motion = self.motion
        if name in motion.body_scalars:
            values: Any = colours(scale(rows_at(motion.body_scalars[name], frame)))
            for chosen, collection in self._bodies:
                collection.set_facecolor(values[chosen])
        if name not in motion.stroke_scalars:
            return None
        heat: Floats = np.asarray(colours(scale(rows_at(motion.stroke_scalars[name], frame))))
        return heat

    def _body_centres(self, poses: Floats) -> Floats:
        centres = np.zeros((len(poses), 2))
        for (_, bodies), inside in zip(self._paths, self._insides, strict=True):
            centres[bodies] = carry(poses[bodies], inside)
        return to_page(self.motion, centres)

    @cached_property
    def _insides(self) -> list[Floats]:
        """A place inside each shape for its name: where there is most room, if bodies show theirs."""
        if not self._names.of_bodies:
            return [np.zeros(2) for _ in self.motion.shapes]
        return [roomiest_place(shape) for shape in self.motion.shapes]


def _usual_stroke(motion: Motion) -> float:
    """The middle one of the lengths between joints in the first frame; without any, nothing limits joints."""
    ends = motion.points[0, motion.strokes[~wires(motion)]]
    return float(np.median(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1))) if len(ends) else np.inf


def _busy(motion: Motion) -> int:
    """How much there is to tell apart by lines: strokes between joints, or joints where those are wires."""
    if not len(motion.strokes):
        return 1
    return int(max((~wires(motion)).sum(), 2 * named_points(motion).sum(), 1))


def _frame_axes(axes: Axes, room: Room) -> None:
    axes.set_xlim(float(room.low[0]), float(room.high[0]))
    axes.set_ylim(float(room.low[1]), float(room.high[1]))
    axes.set_aspect("equal", adjustable="box")
