"""Where parts that were taken out are put: so far along their ways that nothing after them runs into them.

A part that has left can go straight on for ever, so that each way can be made longer. From the last way to
the first, each is made as long as it takes to be beside all that later ways pass over; what is taken apart
after it left as one goes along with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.pose import carry
from pliant.flex.separation.ways_out import BESIDE, FRAMES, WayOut, distance_until_clear

CornerBounds = tuple[Floats, Floats]  # low and high corner


def spread_out(ways: Sequence[WayOut], names: Sequence[str], corners: Sequence[Floats]) -> tuple[WayOut, ...]:
    """The ways, each long enough; `corners` (V, 2) are of each body, in its own frame."""
    place = {name: index for index, name in enumerate(names)}
    frames = [way.frames.copy() for way in ways]
    room = BESIDE * _span(frames[0][0], corners) if ways else 0.0
    for k in range(len(ways) - 1, -1, -1):
        own = [place[name] for name in ways[k].bodies]
        inner = [j for j in range(k + 1, len(ways)) if set(ways[j].bodies) <= set(ways[k].bodies)]
        outer = [j for j in range(k + 1, len(ways)) if j not in inner]
        velocity = np.zeros((len(names), 2))
        velocity[own] = ways[k].directions
        gone = {place[name] for way in ways[:k] for name in way.bodies}
        others = [_box(corners[b], frames[k][-1:, b]) for b in range(len(names)) if b not in gone | {*own}]
        others += [_box(corners[place[n]], frames[j][:, place[n]]) for j in outer for n in ways[j].bodies]
        mine = [(b, _box(corners[b], frames[k][-1:, b])) for b in own]
        mine += [(b, _box(corners[b], frames[j][:, b])) for j in inner for b in own]
        more = _further(mine, velocity, others, room)
        share = np.arange(1, FRAMES + 1)[:, None] / FRAMES
        for b in own:
            frames[k][-FRAMES:, b, :2] += more * share * velocity[b]
            for later in frames[k + 1 :]:
                later[:, b, :2] += more * velocity[b]
    return tuple(replace(way, frames=own) for way, own in zip(ways, frames, strict=True))


def _further(
    mine: list[tuple[int, CornerBounds]], velocity: Floats, others: list[CornerBounds], room: float
) -> float:
    """How much further all of one way must go until none of its boxes meets another."""
    distance = 0.0
    for _ in range(100 * max(len(others), 1)):
        needed = distance
        for body, (low, high) in mine:
            shift = distance * velocity[body]
            for there in others:
                if np.all(low + shift < there[1]) and np.all(high + shift > there[0]):
                    box = np.stack([low, high]) + shift
                    clear = distance_until_clear(box, velocity[body], there[0] - room, there[1] + room)
                    needed = max(needed, distance + clear)
        if needed <= distance:
            break
        distance = needed
    return distance


def _box(corners: Floats, poses: Floats) -> CornerBounds:
    """The box of a body at some poses (F, 3), between which it moves along the hull of the boxes."""
    points = carry(poses[:, None], corners[None])
    return points.min(axis=(0, 1)), points.max(axis=(0, 1))


def _span(poses: Floats, corners: Sequence[Floats]) -> float:
    points = np.vstack([carry(pose, ring) for pose, ring in zip(poses, corners, strict=True)])
    return float(np.ptp(points, axis=0).max())
