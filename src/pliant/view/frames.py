"""When each frame of a motion is shown, and which frames tell it.

A *place* is on the scrub bar, from 0 to 1.
"""

from __future__ import annotations

from itertools import pairwise
from typing import cast

import numpy as np

from pliant.core.arrays import Bools, Floats
from pliant.core.motion import Event, Motion
from pliant.view.scene import body_size

SAME = 1e-9  # of the axis: less is rounding
STILL = 1e-6  # of how far the motion goes: less is rounding, in the player's eight digits too


def timeline(motion: Motion) -> Floats:
    """Where each frame lies on the scrub bar, from 0 to 1: (F,).

    In proportion to the axis when it runs one way; frame by frame when it turns back. What moves while the
    axis stands still, as a snap does, takes a frame's share a frame.
    """
    steps = np.diff(motion.values)
    travel = motion.values[-1] - motion.values[0]
    if travel == 0 or not (np.all(steps >= 0) or np.all(steps <= 0)):
        return np.linspace(0.0, 1.0, motion.frames)
    still = np.abs(steps) <= SAME * abs(travel)
    jumps = still & _moves(motion) if still.any() else still
    line = (motion.values - motion.values[0]) / travel
    line[1:] += np.cumsum(jumps) / len(steps)
    return cast(Floats, line / line[-1])


def frame_at(motion: Motion, place: float) -> float:
    """The frame at a place on the scrub bar."""
    return float(np.interp(place, timeline(motion), np.arange(motion.frames)))


# What comes round


def closes(rows: Floats) -> bool:
    """Whether places (F, …) come back to their start: the ends are no farther apart than neighbours."""
    away, steps = _distance_from_start(rows), _steps(rows)
    if len(rows) < 4 or not away.max() > 1.3 * away[-1]:
        return False
    return bool(away[-1] <= 2 * max(np.median(steps), steps[0], steps[-1]))


def cycles(motion: Motion) -> bool:
    """Whether the motion can be played round and round without a jump."""
    return closes(_stance(motion))


def farthest_frame(motion: Motion) -> int:
    """The first frame in which things are farthest from their start."""
    away = _distance_from_start(_stance(motion))
    return int(np.argmax(away >= (1 - STILL) * away.max()))


def _moves(motion: Motion) -> Bools:
    """Whether anything moves from each frame to the next, (F - 1,)."""
    rows = _stance(motion)
    return _steps(rows) > STILL * _distance_from_start(rows).max()


def _distance_from_start(rows: Floats) -> Floats:
    places = rows.reshape(len(rows), -1)
    return cast(Floats, np.linalg.norm(places - places[:1], axis=1))


def _steps(rows: Floats) -> Floats:
    return cast(Floats, np.linalg.norm(np.diff(rows.reshape(len(rows), -1), axis=0), axis=1))


def _stance(motion: Motion) -> Floats:
    """How everything stands, one row a frame: where bodies and points are, and which way bodies point."""
    size, turned = body_size(motion), motion.poses[..., 2]
    arrays = (motion.poses[..., :2], size * np.cos(turned), size * np.sin(turned), motion.points)
    rows = [array.reshape(motion.frames, -1) for array in arrays if array.size]
    return np.hstack([np.zeros((motion.frames, 1)), *rows])


def _bar_end(motion: Motion) -> float:
    """Where the scrub bar of a motion that closes ends: past the step from the last frame to the first."""
    rows = _stance(motion)
    gap, step = (float(np.linalg.norm(rows[i] - rows[0])) for i in (-1, 1))
    return 1 + 1 / (motion.frames - 1) if gap > step / 2 else 1.0


# Which to show


def spread(motion: Motion, count: int) -> Floats:
    """Places on the scrub bar, evenly along the motion; where it closes, its start is not shown twice."""
    if not cycles(motion):
        return np.linspace(0.0, 1.0, count)
    return np.minimum(np.linspace(0.0, _bar_end(motion), count, endpoint=False), 1.0)


def telling_frames(motion: Motion, count: int) -> list[int]:
    """Frames that tell a motion: its ends, both sides of its events, and others evenly between.

    Where the motion closes, its start is not shown twice.
    """
    line, closed = timeline(motion), cycles(motion)
    known = _landmarks(motion, count + closed)
    stops = line[known]
    if closed:
        stops[-1] = _bar_end(motion)
    parts = np.ones(len(known) - 1, np.int64)
    for _ in range(count + closed - len(known) if len(parts) else 0):
        parts[np.argmax(np.diff(stops) / parts)] += 1
    gaps = zip(pairwise(stops), parts, strict=True)
    places = np.concatenate([[], *(np.linspace(a, b, n, endpoint=False)[1:] for (a, b), n in gaps)])
    nearest = np.abs(line[:, None] - places).argmin(axis=0)
    return [frame for frame in sorted({*known, *nearest.tolist()}) if not closed or line[frame] < 1]


def _landmarks(motion: Motion, count: int) -> list[int]:
    """The ends, and the sides of events that lie farthest from one another; peaks first, then what jumps."""
    line = timeline(motion)
    pairs = [_sides(motion, event) for event in motion.events]
    peaks = {motion.frame_of(event.at) for event in motion.events if event.kind == "peak"}
    jumps = {frame for pair in pairs if line[pair[0]] < line[pair[1]] for frame in pair}
    chosen = sorted({0, motion.frames - 1})[:count]
    for frames in (peaks, jumps, {frame for pair in pairs for frame in pair}):
        left = sorted(frames - set(chosen))
        while left and len(chosen) < count:
            lone = max(left, key=lambda frame: np.abs(line[chosen] - line[frame]).min())
            left.remove(lone)
            chosen.append(lone)
    return sorted(chosen)


def _sides(motion: Motion, event: Event) -> tuple[int, int]:
    """The first and the last frame at an event: two where something jumps there."""
    off = np.abs(motion.values - motion.values[motion.frame_of(event.at)])
    here = np.flatnonzero(off <= SAME * np.ptp(motion.values))
    return int(here[0]), int(here[-1])
