"""What textbooks draw beside a mechanism, as marks: pivots on hatched ground, arrows of motors, curves.

Nothing here draws. Places are in the world; `width` is that of a bar.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.motion import Mark
from pliant.view.frames import closes

HATCHES = 400  # under one line; more are a grey bar


def curve(path: Floats) -> Floats:
    """The places (F, 2|3) of a point as a curve, closed where its ends are neighbours: after a whole turn."""
    return np.vstack([path, path[:1]]) if closes(path) else path.copy()


def pivot(place: Floats, width: float, hanging: bool = False) -> Iterator[Mark]:
    """What holds a point still: a triangle on hatched ground, or hanging from it; in space a pyramid."""
    if len(place) == 3:
        yield from _pyramid(place, width)
        return
    side = np.array([1.0, -1.0 if hanging else 1.0])
    foot = place + width * side * np.array([[0, 0], [-1.15, -1.8], [1.15, -1.8]])
    yield Mark("polygon", foot, group="ground")
    line = place + width * side * np.array([[-1.8, -1.8], [1.8, -1.8]])
    yield Mark("curve", hatched_line(line, side * [0.0, -1.0], width), group="ground")


def _pyramid(place: Floats, width: float) -> Iterator[Mark]:
    """Four faces on a square, seen from any side."""
    corners = place + width * np.array(
        [[-0.8, -0.8, -1.7], [0.8, -0.8, -1.7], [0.8, 0.8, -1.7], [-0.8, 0.8, -1.7]]
    )
    for first, second in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        yield Mark("polygon", np.stack([place, first, second]), group="ground")


def hatched_line(line: Floats, below: Floats, width: float) -> Floats:
    """A line (2, 2) and the strokes under it as one stroke of the pen, to and fro."""
    along = line[1] - line[0]
    count = max(2, round(min(float(np.hypot(*along)) / (0.72 * width), HATCHES)))
    feet = (
        line[0] + np.linspace(0, 1, count + 1)[1:, None] * along
    )  # strokes lean back, so not from the start
    tips = feet - along / count + 0.72 * width * below
    return np.vstack([line[:1], np.stack([feet, tips, feet], axis=1).reshape(-1, 2)])


def turning_arrow(radius: float, start: float, sense: float, width: float) -> tuple[Floats, Floats]:
    """An arc (24, 2) about the origin ahead of an arm at the angle `start`, and the head (3, 2) at its end.

    It points the way the arm turns: `sense` is 1 or −1.
    """
    angles = start + sense * np.linspace(np.radians(28), np.radians(112), 24)
    head = 0.7 * width
    # The tip leads the arc by the head's length, bent with the circle.
    tip, tail = angles[-1] + sense * 1.1 * head / radius, angles[-1]
    wings = [(radius, tip), (radius - 0.5 * head, tail), (radius + 0.5 * head, tail)]
    barb = np.array([[reach * np.cos(angle), reach * np.sin(angle)] for reach, angle in wings])
    return radius * np.column_stack([np.cos(angles), np.sin(angles)]), barb
