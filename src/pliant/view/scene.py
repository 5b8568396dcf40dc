"""What is where in a motion: poses between frames, outlines in the world, the room they take.

Nothing here draws. A *frame* may be a fraction: 2.5 is half way from frame 2 to frame 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol, cast

import numpy as np

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.errors import PliantError
from pliant.core.motion import Motion, Shape
from pliant.core.pose import carry

ENOUGH = 0.8  # of the room that there is at most: so much is enough for a name in the middle


class HasMotion(Protocol):
    """Any method's result."""

    @property
    def motion(self) -> Motion:
        """What the method found."""
        ...


def motion_of(result: Motion | HasMotion) -> Motion:
    """The motion itself, or the one a result carries."""
    motion: object = getattr(result, "motion", result)
    if not isinstance(motion, Motion):
        raise PliantError(
            f"{type(result).__name__}: holds no motion to draw. Give a Motion, a Plot or a solve's result."
        )
    if motion.frames == 0:
        raise PliantError("this motion has no frames, so there is nothing to draw")
    return motion


def whole_frame(motion: Motion, frame: int) -> int:
    """A frame counted from the front, or from the back when negative."""
    if not -motion.frames <= frame < motion.frames:
        raise PliantError(f"frame {frame}: the motion has frames 0 to {motion.frames - 1}; −1 is the last")
    return frame % motion.frames


def traced_names(motion: Motion) -> tuple[str, ...]:
    """The names of the traced curves, in order of appearance."""
    return tuple(dict.fromkeys(mark.text for mark in motion.marks if mark.group == "trace"))


Before = int | Literal["auto"] | None  # "auto": the first frame, and none where curves are traced


def frame_before(motion: Motion, before: Before) -> int | None:
    """The frame to outline, counted from the front."""
    if before == "auto":
        return None if traced_names(motion) else 0
    return None if before is None else whole_frame(motion, before)


# Between frames


def _rows_between(rows: Floats, frame: float) -> tuple[Floats, Floats, float]:
    low = min(int(frame), len(rows) - 1)
    high = min(low + 1, len(rows) - 1)
    return rows[low], rows[high], frame - low


def poses_at(motion: Motion, frame: float) -> Floats:
    """Poses (B, 3) at a frame; angles turn the short way between frames."""
    before, after, share = _rows_between(motion.poses, frame)
    step = after - before
    step[:, 2] = np.remainder(step[:, 2] + np.pi, 2 * np.pi) - np.pi
    return before + share * step


def rows_at(rows: Floats, frame: float) -> Floats:
    """Rows of points, scalars or axis values at a frame."""
    before, after, share = _rows_between(rows, frame)
    return before + share * (after - before)


# Outlines


@dataclass(frozen=True)
class ClosedRings:
    """A shape's rings end to end, each closed; outsides run left about, holes right about."""

    vertices: Floats  # (V, 2)
    starts: Ints  # (R,) where each ring starts


def roomiest_place(shape: Shape) -> Floats:
    """A place in a shape (2,) that is far from its outlines: in the middle, or in its largest circle."""
    import shapely

    drawn = sorted((ring for ring in shape.rings if len(ring) > 2), key=lambda ring: -abs(_area(ring)))
    if not drawn:
        return np.zeros(2)
    outside = shapely.Polygon(drawn[0])
    holes = [ring for ring in drawn[1:] if outside.contains(shapely.Polygon(ring))]
    region = shapely.Polygon(drawn[0], holes)
    largest, middle = (
        shapely.maximum_inscribed_circle(region),
        (drawn[0].min(axis=0) + drawn[0].max(axis=0)) / 2,
    )
    room = region.boundary.distance(shapely.Point(middle)) if region.covers(shapely.Point(middle)) else 0.0
    return middle if room > ENOUGH * largest.length else shapely.get_coordinates(largest)[0]


def rings(shape: Shape) -> ClosedRings:
    """Join the rings of a shape. Opposite turns keep holes open under the nonzero rule of every renderer."""
    drawn = [ring for ring in shape.rings if len(ring) > 0]
    closed = [
        np.vstack([ring, ring[:1]])[:: 1 if (_area(ring) > 0) == _is_outside(ring, drawn) else -1]
        for ring in drawn
    ]
    starts = np.cumsum([0, *map(len, closed[:-1])]) if closed else np.zeros(0, np.int64)
    return ClosedRings(np.vstack([np.zeros((0, 2)), *closed]), starts)


def _is_outside(ring: Floats, rings: list[Floats]) -> bool:
    """Whether a ring is in none of the others, or in a hole: in an even number of them."""
    return sum(_holds(other, ring[0]) for other in rings if other is not ring) % 2 == 0


def _holds(ring: Floats, point: Floats) -> bool:
    """Whether a ring goes round a point: how often it crosses the ray from there to the right."""
    start, end = ring, np.roll(ring, -1, axis=0)
    across = (start[:, 1] > point[1]) != (end[:, 1] > point[1])
    (x, y), (u, v) = start[across].T, end[across].T
    return bool(np.count_nonzero(x + (point[1] - y) * (u - x) / (v - y) > point[0]) % 2)


def _area(ring: Floats) -> float:
    x, y = ring[:, 0], ring[:, 1]
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2


def fixed_bodies(motion: Motion) -> Bools:
    """Which bodies are fixed (B,); a motion that does not say has none."""
    given = motion.fixed if motion.fixed.size else np.zeros(len(motion.bodies), np.bool_)
    return cast("Bools", given)


def bodies_of(motion: Motion, shape: int) -> Ints:
    """The bodies that have this shape."""
    return cast(Ints, np.flatnonzero(motion.body_shapes == shape))


def body_size(motion: Motion) -> float:
    """The middle one of the bodies' widths, for choosing the widths of lines."""
    if not motion.body_shapes.size:
        return 0.0
    outlines = [rings(shape).vertices for shape in motion.shapes]
    spans = np.array([np.ptp(outline, axis=0).max() if len(outline) else 0.0 for outline in outlines])
    return float(np.median(spans[motion.body_shapes]))


def named_points(motion: Motion) -> Bools:
    """Which points have names (P,): joints. The others only bend lines: a coil, a slack string, a rim."""
    return np.array([bool(name) for name in motion.point_names], np.bool_)


def wires(motion: Motion) -> Bools:
    """Which strokes are wires (S,), drawn fine: those that end at a point without a name."""
    joints: Bools = named_points(motion)[motion.strokes]
    return ~joints[:, 0] | ~joints[:, 1]


def chains(motion: Motion) -> list[list[int]]:
    """Strokes end to end as runs of points, joined where one ends at a point without a name."""
    lines: list[list[int]] = []
    for first, second in motion.strokes.tolist():
        if lines and lines[-1][-1] == first and not motion.point_names[first]:
            lines[-1].append(second)
        else:
            lines.append([first, second])
    return lines


def rests(motion: Motion) -> Bools:
    """Which points never move (P,): views draw them as ground."""
    if motion.frames < 2 or not motion.points.shape[1]:
        return np.zeros(motion.points.shape[1], np.bool_)
    travel = np.ptp(motion.points, axis=0).max(axis=-1)
    return travel <= 1e-9 * max(float(np.ptp(motion.points)), 1e-300)


# Space to plane

_TURN, _TILT = np.radians(-35.0), np.radians(24.0)
VIEW = np.array(  # (2, 3) orthographic: z is up on the page; turned about z, then seen from above
    [
        [np.cos(_TURN), -np.sin(_TURN), 0.0],
        [np.sin(_TURN) * np.sin(_TILT), np.cos(_TURN) * np.sin(_TILT), np.cos(_TILT)],
    ]
)
TOWARDS = np.cross(*VIEW)  # (3,) from the page to the eye
LEVEL = TOWARDS * np.array([1.0, 1.0, 0.0])  # the same on level ground: height says nothing of distance


def spatial(motion: Motion) -> bool:
    """Whether the motion has points in space."""
    return motion.points.shape[-1] == 3 and motion.points.shape[1] > 0


def to_page(motion: Motion, points: Floats) -> Floats:
    """Points (…, 2|3) on the page: as they are in the plane, seen from a corner in space."""
    if not spatial(motion):
        return points[..., :2]
    if points.shape[-1] == 2:
        points = np.concatenate([points, np.zeros_like(points[..., :1])], axis=-1)
    return points @ VIEW.T


# Room


@dataclass(frozen=True)
class Room:
    """The rectangle of the page that a drawing needs."""

    low: Floats  # (2,)
    high: Floats  # (2,)

    @property
    def size(self) -> Floats:
        """Width and height."""
        return self.high - self.low


def room(motion: Motion, frames: Iterable[int], marks: bool = True) -> Room:
    """What the bodies, points and marks of some frames take up, with a little air."""
    frames = dict.fromkeys(frames)
    outlines = [rings(shape).vertices for shape in motion.shapes]
    clouds: list[Floats] = []
    for frame in frames:
        clouds += _body_corners(motion, frame, outlines)
        if motion.points.shape[1]:
            clouds.append(_corners(to_page(motion, motion.points[frame])))
    if marks:
        shown = (mark for mark in motion.marks if mark.frame is None or mark.frame in frames)
        clouds += [_corners(to_page(motion, mark.points)) for mark in shown if len(mark.points)]
    cloud = np.vstack([np.zeros((0, 2)), *clouds])
    cloud = cloud[np.isfinite(cloud).all(axis=1)]
    return _with_air(cloud if len(cloud) else np.array([[0.0, 0.0], [1.0, 1.0]]))


def _body_corners(motion: Motion, frame: int, outlines: list[Floats]) -> list[Floats]:
    corners: list[Floats] = []
    for shape, outline in enumerate(outlines):
        bodies = bodies_of(motion, shape)
        if len(bodies) and len(outline):
            world = carry(motion.poses[frame, bodies][:, None, :], outline[None])
            corners.append(_corners(to_page(motion, world).reshape(-1, 2)))
    return corners


def _corners(points: Floats) -> Floats:
    finite = points[np.isfinite(points).all(axis=-1)]
    return np.array([finite.min(axis=0), finite.max(axis=0)]) if len(finite) else np.zeros((0, 2))


def _with_air(cloud: Floats) -> Room:
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    span = float((high - low).max()) or 1.0
    thin = np.maximum(0.12 * span - (high - low), 0) / 2  # a flat motion still gets some height
    air = 0.03 * span + thin
    return Room(low - air, high + air)


def groups(motion: Motion) -> tuple[str, ...]:
    """The groups of the marks, in order of appearance: views colour by it."""
    return tuple(dict.fromkeys(mark.group for mark in motion.marks))
