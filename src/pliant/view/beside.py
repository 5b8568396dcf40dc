"""Two motions side by side as one: the second is moved to the right of the first, and both run together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.motion import Mark, Motion
from pliant.core.pose import carry

PRIME = "′"  # after the names of the parts of the second
APART = 0.12  # of the wider one: between the two


def beside(first: Motion, second: Motion, names: tuple[str, str]) -> Motion:
    """One motion of two: from begin to end of each, in as many frames as the longer one has.

    In space and in the plane at once there is no room: then it is the first alone.
    """
    if first.points.shape[2] != second.points.shape[2] and first.points.size and second.points.size:
        return first
    frames = max(first.frames, second.frames)
    run = [_taken(motion, frames, told) for motion, told in ((first, ""), (second, PRIME))]
    spans = [_span(motion) for motion in run]
    shift = np.zeros(max(motion.points.shape[2] for motion in run))
    shift[0] = spans[0][1][0] - spans[1][0][0] + APART * max(float((high - low)[0]) for low, high in spans)
    left, right = run[0], _shifted(run[1], shift)
    titles = [
        Mark("label", np.array([[(low[0] + high[0]) / 2 + move, top]]), text=name, group="name")
        for name, (low, high), move, top in zip(
            names, spans, (0.0, float(shift[0])), _tops(spans), strict=True
        )
    ]
    shapes = len(left.shapes)
    return Motion(
        axis="run",
        unit="%",
        values=np.linspace(0, 100, frames) if frames > 1 else np.zeros(1),
        title=f"{names[0]} and {names[1]}",
        length_unit=left.length_unit,
        bodies=(*left.bodies, *right.bodies),
        shapes=(*left.shapes, *right.shapes),
        body_shapes=np.concatenate([left.body_shapes, right.body_shapes + shapes]),
        fixed=np.concatenate([left.fixed, right.fixed]),
        poses=np.concatenate([left.poses, right.poses], axis=1),
        point_names=(*left.point_names, *right.point_names),
        points=_joined_points(left, right),
        strokes=np.concatenate([left.strokes, right.strokes + len(left.point_names)]),
        body_scalars=_scalars(left, right, "body_scalars"),
        stroke_scalars=_scalars(left, right, "stroke_scalars"),
        heat=left.heat if left.heat == right.heat else "",
        marks=(*left.marks, *right.marks, *(titles if shift.size == 2 else ())),
    )


def _tops(spans: list[tuple[Floats, Floats]]) -> tuple[float, float]:
    """Where the names stand: above the higher of the two."""
    top = max(float(high[1]) for _, high in spans)
    size = max(float((high - low).max()) for low, high in spans)
    return top + 0.05 * size, top + 0.05 * size


def _taken(motion: Motion, frames: int, told: str) -> Motion:
    """The motion in so many frames, from begin to end, its parts told from those of the other."""
    at = np.linspace(0, motion.frames - 1, frames).round().astype(np.int64)
    where: dict[int, Ints] = {old: np.flatnonzero(at == old) for old in range(motion.frames)}
    marks: list[Mark] = []
    for mark in motion.marks:
        if mark.frame is None:
            marks.append(mark)
        else:
            marks += [replace(mark, frame=int(new)) for new in where.get(mark.frame, ())]
    changed: dict[str, Any] = {
        "values": motion.values[at],
        "poses": motion.poses[at] if len(motion.poses) == motion.frames else motion.poses,
        "points": motion.points[at] if len(motion.points) == motion.frames else motion.points,
        "body_scalars": {key: rows[at] for key, rows in motion.body_scalars.items()},
        "stroke_scalars": {key: rows[at] for key, rows in motion.stroke_scalars.items()},
    }
    if not motion.bodies:
        changed["poses"] = np.zeros((frames, 0, 3))
    if not motion.point_names:
        changed["points"] = np.zeros((frames, 0, motion.points.shape[2]))
    return replace(
        motion,
        **changed,
        bodies=tuple(f"{body}{told}" for body in motion.bodies),
        point_names=tuple(f"{point}{told}" for point in motion.point_names),
        marks=tuple(marks),
        signals={},
        events=(),
    )


def _span(motion: Motion) -> tuple[Floats, Floats]:
    """The lower and the upper corner of all that is ever shown, (2,) each."""
    seen = [mark.points[:, :2] for mark in motion.marks]
    seen.append(motion.points.reshape(-1, motion.points.shape[2])[:, :2])
    for body, shape in enumerate(motion.body_shapes):
        ring = np.vstack(motion.shapes[shape].rings)
        seen += [carry(pose, ring) for pose in motion.poses[:: max(motion.frames // 20, 1), body]]
    corners = np.vstack([np.zeros((0, 2)), *seen])
    corners = corners[np.isfinite(corners).all(axis=1)]
    if not len(corners):
        return np.zeros(2), np.ones(2)
    return corners.min(axis=0), corners.max(axis=0)


def _shifted(motion: Motion, shift: Floats) -> Motion:
    poses = motion.poses.copy()
    poses[..., 0] += shift[0]
    points = motion.points + shift[: motion.points.shape[2]]
    marks = tuple(replace(mark, points=mark.points + shift[: mark.points.shape[1]]) for mark in motion.marks)
    return replace(motion, poses=poses, points=points, marks=marks)


def _joined_points(left: Motion, right: Motion) -> Floats:
    if not left.point_names:
        return right.points
    return np.concatenate([left.points, right.points], axis=1) if right.point_names else left.points


def _scalars(left: Motion, right: Motion, field: str) -> dict[str, Floats]:
    """Scalars that both have, one after the other."""
    mine, others = getattr(left, field), getattr(right, field)
    return {name: np.concatenate([mine[name], others[name]], axis=1) for name in mine if name in others}
