"""Motion: the one kind of answer every method gives and every view shows.

An axis (time, drive, step), rigid bodies with their poses along it, points with the
strokes that join them, scalars for heat maps, marks (force arrows, bands, labels),
signals and events. It is data: nothing here computes a motion or draws one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.store import Json, read_json, reading, write_json

FORMAT = 1


@dataclass(frozen=True)
class Shape:
    """An outline and its holes, or several, in the frame of the bodies that have them."""

    rings: tuple[Floats, ...]  # each (V, 2), not closed; one inside another is its hole


@dataclass(frozen=True)
class Mark:
    """Something drawn beside the bodies: an arrow of a force, a band, a label."""

    kind: Literal["segment", "arrow", "polygon", "label", "curve"]
    points: Floats  # (K, 2|3) world; a label has one, an arrow tail and tip; a closed curve ends at its first
    frame: int | None = None  # shown in this frame only, or in every frame
    text: str = ""
    group: str = ""  # what it belongs to, such as "force" or "trace": views colour by it
    value: float | None = None  # for views that colour or weigh marks


@dataclass(frozen=True)
class Signal:
    """A named number along the motion."""

    unit: str
    values: Floats  # (F,)


@dataclass(frozen=True)
class Event:
    """Something that happened, at a value of the axis."""

    at: float
    text: str
    kind: str = ""


def _column_head(name: str, unit: str) -> str:
    """The head of a column: `_column_head("force", "N")` is "force (N)"."""
    return f"{name} ({unit})" if unit else name


@dataclass(frozen=True)
class Motion:
    """F frames of B bodies and P points along one axis. Arrays are read-only."""

    axis: str  # its name, such as "step"
    unit: str  # of the axis
    values: Floats  # (F,)
    title: str = ""  # above pictures
    length_unit: str = ""  # of coordinates

    bodies: tuple[str, ...] = ()  # names (B)
    shapes: tuple[Shape, ...] = ()  # outlines, in their own frames
    body_shapes: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # (B,) into shapes
    fixed: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))  # (B,)
    poses: Floats = field(default_factory=lambda: np.zeros((1, 0, 3)))  # (F, B, 3)

    point_names: tuple[str, ...] = ()  # of the points (N)
    points: Floats = field(default_factory=lambda: np.zeros((1, 0, 2)))  # (F, P, 2|3)
    strokes: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int64))  # (S, 2) into points

    body_scalars: Mapping[str, Floats] = field(default_factory=lambda: {})  # (F, B)
    stroke_scalars: Mapping[str, Floats] = field(default_factory=lambda: {})  # (F, S)
    heat: str = ""  # the scalar that views colour by, where nobody chooses another
    marks: tuple[Mark, ...] = ()  # forces, paths, texts and the like
    signals: Mapping[str, Signal] = field(default_factory=lambda: {})  # values (F,) along the axis, by name
    events: tuple[Event, ...] = ()  # at values of the axis

    def __post_init__(self) -> None:
        self._check()
        for array in self._arrays():
            array.setflags(write=False)

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return len(self.values)

    def frame_of(self, at: float) -> int:
        """The frame whose axis value is nearest.

        Args:
            at: value on the motion's axis, in the axis' unit.

        Returns:
            Index of the frame, from 0.
        """
        return int(np.argmin(np.abs(self.values - at)))

    def table(self) -> dict[str, Floats]:
        """Columns (F,) by name: the axis, the signals, poses of bodies that may move, and named points.

        Units stand in the names, angles are in degrees: `{"drive (%)": ..., "peg angle (deg)": ...}`.

        Returns:
            Arrays (F,) by column name.
        """
        columns = {_column_head(self.axis, self.unit): self.values}
        columns |= {_column_head(name, one.unit): one.values for name, one in self.signals.items()}
        for body in np.flatnonzero(~self.fixed).tolist():
            for axis, values in zip("xy", self.poses[:, body].T, strict=False):
                columns[_column_head(f"{self.bodies[body]} {axis}", self.length_unit)] = values
            columns[_column_head(f"{self.bodies[body]} angle", "deg")] = np.degrees(self.poses[:, body, 2])
        for point, name in enumerate(self.point_names):
            for axis, values in zip("xyz", self.points[:, point].T, strict=False):
                columns[_column_head(f"{name} {axis}", self.length_unit)] = values
        return columns

    def save(self, path: str | Path) -> None:
        """Write as JSON, whole or not at all.

        Args:
            path: the file; one that is there is replaced.

        Raises:
            PliantError: the file cannot be written.
        """
        write_json(path, self.to_dict())

    @classmethod
    def load(cls, path: str | Path) -> Motion:
        """Read what `save` wrote.

        Args:
            path: a file that `save` wrote.

        Returns:
            An equal motion.

        Raises:
            InputError: the file cannot be read, or holds no motion.
        """
        return cls.from_dict(read_json(path))

    def to_dict(self) -> dict[str, Json]:
        """Plain lists and numbers, for JSON.

        Returns:
            What `from_dict` takes.
        """
        return {
            "format": FORMAT,
            "axis": {"name": self.axis, "unit": self.unit, "values": self.values.tolist()},
            "title": self.title,
            "length_unit": self.length_unit,
            "bodies": list(self.bodies),
            "shapes": [[ring.tolist() for ring in shape.rings] for shape in self.shapes],
            "body_shapes": self.body_shapes.tolist(),
            "fixed": self.fixed.tolist(),
            "poses": self.poses.tolist(),
            "point_names": list(self.point_names),
            "points": self.points.tolist(),
            "strokes": self.strokes.tolist(),
            "body_scalars": {name: plain(rows) for name, rows in self.body_scalars.items()},
            "stroke_scalars": {name: plain(rows) for name, rows in self.stroke_scalars.items()},
            "heat": self.heat,
            "marks": [_mark_to_dict(mark) for mark in self.marks],
            "signals": {
                name: {"unit": signal.unit, "values": plain(signal.values)}
                for name, signal in self.signals.items()
            },
            "events": [vars(event).copy() for event in self.events],
        }

    @classmethod
    @reading("motion")
    def from_dict(cls, said: Mapping[str, object]) -> Motion:
        """The inverse of `to_dict`.

        Args:
            said: what `to_dict` gave.

        Returns:
            An equal motion.

        Raises:
            InputError: something in it is missing, or of another type.
        """
        data: Any = said
        frames = len(data["axis"]["values"])
        return cls(
            axis=data["axis"]["name"],
            unit=data["axis"]["unit"],
            values=_floats(data["axis"]["values"]),
            title=data["title"],
            length_unit=data["length_unit"],
            bodies=tuple(data["bodies"]),
            shapes=tuple(Shape(tuple(_floats(ring) for ring in rings)) for rings in data["shapes"]),
            body_shapes=np.array(data["body_shapes"], np.int64),
            fixed=np.array(data["fixed"], np.bool_),
            poses=_floats(data["poses"]).reshape(frames, len(data["bodies"]), 3),
            point_names=tuple(data["point_names"]),
            points=_points(data["points"]),
            strokes=np.array(data["strokes"], np.int64).reshape(-1, 2),
            body_scalars={name: _floats(rows) for name, rows in data["body_scalars"].items()},
            stroke_scalars={name: _floats(rows) for name, rows in data["stroke_scalars"].items()},
            heat=data.get("heat", ""),
            marks=tuple(replace(Mark(**mark), points=_floats(mark["points"])) for mark in data["marks"]),
            signals={
                name: Signal(signal["unit"], _floats(signal["values"]))
                for name, signal in data["signals"].items()
            },
            events=tuple(Event(**event) for event in data["events"]),
        )

    def _check(self) -> None:
        frames, bodies = self.frames, len(self.bodies)
        shapes = {
            "poses": (self.poses.shape, (frames, bodies, 3)),
            "body_shapes": (self.body_shapes.shape, (bodies,)),
            "fixed": (self.fixed.shape, (bodies,)),
            "points": (self.points.shape[:2], (frames, len(self.point_names))),
            **{n: (a.shape, (frames, bodies)) for n, a in self.body_scalars.items()},
            **{n: (a.shape, (frames, len(self.strokes))) for n, a in self.stroke_scalars.items()},
            **{n: (s.values.shape, (frames,)) for n, s in self.signals.items()},
        }
        for name, (given, wanted) in shapes.items():
            if given != wanted and 0 not in (*given, *wanted):
                raise ValueError(f"Motion.{name} has shape {given}, not {wanted}")

    def _arrays(self) -> list[NDArray[Any]]:
        return [
            self.values,
            self.poses,
            self.points,
            self.strokes,
            self.body_shapes,
            self.fixed,
            *(ring for shape in self.shapes for ring in shape.rings),
            *self.body_scalars.values(),
            *self.stroke_scalars.values(),
            *(signal.values for signal in self.signals.values()),
            *(mark.points for mark in self.marks),
        ]


def _mark_to_dict(mark: Mark) -> dict[str, Any]:
    return {**vars(mark), "points": plain(mark.points)}


def plain(values: Floats) -> Any:
    """Lists of numbers, with None for what has no value, which JSON can say."""
    finite = np.isfinite(values)
    if finite.all():
        return values.tolist()
    cells = values.astype(object)
    cells[~finite] = None
    return cells.tolist()


def _floats(values: Any) -> Floats:
    return np.array(values, np.float64)  # None is not a number


def _points(values: Any) -> Floats:
    points = _floats(values)  # no points leave no trace of their dimension: [[], []]
    return points if points.ndim == 3 else np.zeros((len(values), 0, 2))
