"""Random walks from the end of a result: is it a local maximum?

A walk makes moves of many sizes, takes each whose straight way is free of overlap and after which the
objective has not fallen by more than a hair, and so climbs whatever there is to climb. It may overlap as
deep as the end itself does, pair by pair, and no deeper. What it claims to have gained is believed only
as far as shapely finds its way free.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import shapely
from numpy.typing import NDArray
from tests.crosscheck.played import Played, rows_of
from tests.crosscheck.swept import deepest, widths
from tests.crosscheck.walking import climb

Floats = NDArray[np.float64]

WORK = 3e8  # pairs of edges that a walk looks at, roughly
WALKS = 2
REACH = 8  # times the size of the largest moving body: what is further away is left to the verification
HAIR = 2e-4  # of the objective, or of the play: what a move may lose
ENOUGH = 0.1  # a gain of so much of the objective, and of three plays, and it is clear


@dataclass(frozen=True)
class Climb:
    """How far beyond the end a walk got."""

    gain: float  # of the objective, verified
    claimed: float  # by the walk itself
    relative: float  # of the objective at the end
    travel: float  # as a length: a turn times the body's radius
    poses: Floats | None  # (B, 3) of the frames at the centroids, where it got


def climbed(play: Played, play_length: float, seed: int = 0, work: float = WORK) -> Climb:
    """The best of some walks from the last frame; `play_length` is the scale of the play, as the gap."""
    play = play.about_centroids
    goal = play.objective
    start = play.frames[-1]
    end = float(goal.value(start))
    scale = max(abs(end), play_length / goal.arm)
    enough = max(ENOUGH * abs(end), 3 * play_length / goal.arm)
    allowed = _allowed(play, play_length)
    near = _within(play, REACH * play.size)
    world = _compiled(replace(play, pairs=play.pairs[near]), start, allowed[near], play_length)
    corners = world[1][2]
    each = float(((corners[:, 1] - corners[:, 0]) * (corners[:, 3] - corners[:, 2])).sum())
    moves = int(np.clip(work / max(each, 1.0) / 20, 500, 10_000))
    best = Climb(0.0, 0.0, 0.0, 0.0, None)
    for walk in range(WALKS):
        path = np.tile(start, (moves + 1, 1, 1))
        rng = np.random.default_rng([seed, walk])
        taken = climb(rng, start, *world, _fine(play), play.size, HAIR * scale, enough, path)
        path = path[: taken + 1]
        values = goal.value(path)
        claimed = float(values.max() - end)
        if claimed <= best.gain or claimed < 5e-3 * scale:
            continue
        path = path[: int(values.argmax()) + 1]
        sound = _sound(play, path, allowed)
        values = values[: sound + 1]
        top = int(values.argmax())
        gain = float(values[top] - end)
        if gain > best.gain:
            best = Climb(gain, claimed, gain / abs(end) if end else np.inf, gain * goal.arm, path[top])
    return best


def _within(play: Played, reach: float) -> NDArray[np.bool_]:
    """(P,) pairs whose bodies are not further apart than this at the end, by circles about them."""
    radius = np.array([np.hypot(*rings[0].T).max() for rings in play.rings])
    centre, (first, second) = play.frames[-1, :, :2], play.pairs.T
    return np.hypot(*(centre[first] - centre[second]).T) <= reach + radius[first] + radius[second]


def _allowed(play: Played, play_length: float) -> Floats:
    """(P,) how deep each pair may overlap: as deep as it does at the end, and a hair."""
    last, bodies = play.frames[-1], play.pairs
    at = [play.polygons(bodies[:, side], last[bodies[:, side]]) for side in (0, 1)]
    return np.maximum(widths(*at), 0.0) + max(1e-4 * play_length, 1e-8 * play.size)


def _fine(play: Played) -> float:
    """A travel in which nothing gets through anything: a part of the thinnest body."""
    return 0.2 * min(_thickness(rings) for rings in play.rings)


def _thickness(rings: tuple[Floats, ...]) -> float:
    polygon = shapely.Polygon(rings[0], rings[1:])
    return 2 * polygon.area / polygon.length


def _sound(play: Played, path: Floats, allowed: Floats) -> int:
    """The last place of a path up to which it is free, by shapely."""
    slack = 0.5 * float(allowed.min())
    low = 0
    for stop in [*range(32, len(path), 32), len(path) - 1]:
        found = deepest(play, slack, path[low : stop + 1], 4000, allowed)
        if found.width > slack:
            return low + int(found.frame)
        low = stop
    return len(path) - 1


def _compiled(play: Played, start: Floats, allowed: Floats, play_length: float) -> tuple:
    """The assembly as arrays for the loops."""
    goal, free = play.objective, ~play.fixed
    radius = np.array([np.hypot(*rings[0].T).max() for rings in play.rings])
    weights = goal.linear.copy()
    for body, direction in zip(goal.body, goal.direction, strict=True):
        weights[body, :2] += direction
    weights[:, 2] /= max(1e-300, np.abs(weights[:, 2]).max())
    shift = np.abs(weights[:, :2]).max()
    weights[:, :2] /= shift if shift > 0 else 1.0
    target = (goal.linear, goal.body, goal.point, goal.direction, goal.drawn)
    return (
        play.pairs, _rings(play, allowed), _rows(play, start, play_length), target, weights, free, radius,
    )  # fmt: skip


def _rings(play: Played, allowed: Floats) -> tuple:
    """Both bodies of each pair, inset by half of what is allowed."""
    points, follow, bounds, reach = [], [], [], []
    total = 0
    for (a, b), depth in zip(play.pairs, allowed, strict=True):
        for body in (a, b):
            rings = _inset(play.rings[body], 0.5 * depth)
            own = [np.roll(np.arange(len(ring)), -1) for ring in rings]
            starts = np.cumsum([0, *map(len, rings)])
            points += rings
            follow += [order + first for order, first in zip(own, starts, strict=False)]
            bounds.append((total, total + starts[-1]))
            reach.append(max(float(np.hypot(*ring.T).max()) for ring in rings))
            total += starts[-1]
    return (
        np.concatenate(points) if points else np.zeros((0, 2)),
        np.concatenate(follow) if follow else np.zeros(0, np.int64),
        np.array(bounds, np.int64).reshape(-1, 4),
        np.array(reach).reshape(-1, 2).sum(axis=1),
    )


def _inset(rings: tuple[Floats, ...], depth: float) -> list[Floats]:
    polygon = shapely.Polygon(rings[0], rings[1:]).buffer(-depth, join_style="mitre", mitre_limit=100)
    parts = [part for part in shapely.get_parts(polygon) if part.area > 0]
    return [
        shapely.get_coordinates(ring)[:-1] for part in parts for ring in (part.exterior, *part.interiors)
    ] or list(rings)


def _rows(play: Played, start: Floats, play_length: float) -> tuple:
    rows = rows_of(play)
    slack = max(1e-4 * play_length, 1e-8 * play.size)
    return (
        np.array([row.kind for row in rows], np.int64),
        np.array([row.a for row in rows], np.int64),
        np.array([row.b for row in rows], np.int64),
        np.array([(*row.first, *row.second, *row.third) for row in rows], np.float64).reshape(-1, 6),
        np.array([max(0.0, -float(row.gap(start))) + slack for row in rows], np.float64),
    )
