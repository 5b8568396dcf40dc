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
from tests.crosscheck.walking import climb, shorten

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WORK = 3e8  # pairs of edges that a walk looks at, roughly
WALKS, MOST_WALKS = 2, 4  # and one more for each that was not free
FINE = 0.15  # of the thinnest body: travel between two looks at whether a way is free
FINER = 0.3  # each walk looks so much nearer than the last: corners may meet between two looks
REACH = 8  # times the size of the largest moving body: what is further away is left to the verification
CHUNK = 32  # legs of a path that are verified at once
HAIR = 2e-4  # of the objective, or of the play: what a move may lose
SLACK = 1e-4  # of the play
ENOUGH = 0.1  # a gain of so much of the objective, and of three plays, and it is clear


@dataclass(frozen=True)
class Climb:
    """How far beyond the end a walk got."""

    gain: float  # of the objective, verified
    claimed: float  # by the walk itself
    relative: float  # of the objective at the end
    travel: float  # as a length: a turn times the body's radius
    poses: Floats | None  # (B, 3) of the frames at the centroids, where it got


def climbed(
    play: Played, play_length: float, seed: int = 0, work: float = WORK, hair: float = SLACK
) -> Climb:
    """The best of some walks from the last frame; `play_length` is the scale of the play, as the gap.

    Where a walk turns out not to be free, another goes on from as far as it was. What overlaps at the end
    may do so by a `hair` of the play more.
    """
    play = play.about_centroids
    goal, start = play.objective, play.frames[-1]
    end = float(goal.value(start))
    scale = max(abs(end), play_length / goal.arm)
    slack = max(hair * play_length, 1e-4 * hair * play.size)
    allowed, near = _allowed(play, slack), _within(play, REACH * play.size)
    world = _compiled(replace(play, pairs=play.pairs[near]), start, allowed[near], slack)
    best, fine, left = Climb(0.0, 0.0, 0.0, 0.0, None), FINE * _thinnest(play), WALKS
    for walk in range(MOST_WALKS):
        rng = np.random.default_rng([seed, walk])
        path, places = _walked(rng, play, start, world, play_length, scale, fine, work)
        values, left = goal.value(path), left - 1
        claimed, fine = float(values[-1] - end), FINER * fine
        if claimed > max(best.gain, 5e-3 * scale):
            sound = _sound(play, path, places, allowed)
            start, left = path[sound], left + (sound < len(path) - 1)
            top = int(values[: sound + 1].argmax())
            gain = float(values[top] - end)
            if gain > best.gain:
                best = Climb(gain, claimed, gain / abs(end) if end else np.inf, gain * goal.arm, path[top])
        if left == 0:
            break
    return best


def _walked(
    rng: np.random.Generator,
    play: Played,
    start: Floats,
    world: tuple,
    play_length: float,
    scale: float,
    fine: float,
    work: float,
) -> tuple[Floats, Ints]:
    """A walk as far as its highest place (K, B, 3), and the places of it that straight ways join."""
    goal, corners = play.objective, world[1][2]
    each = float(((corners[:, 1] - corners[:, 0]) * (corners[:, 3] - corners[:, 2])).sum())
    path = np.tile(start, (int(np.clip(work / max(each, 1.0) / 20, 500, 10_000)) + 1, 1, 1))
    least = min(max(1e-3 * play_length, 1e-6 * play.size), 1e-2 * play.size)
    enough = max(ENOUGH * abs(float(goal.value(start))), 3 * play_length / goal.arm)
    taken = climb(rng, start, *world, fine, play.size, least, HAIR * scale, enough, path)
    path = path[: int(goal.value(path[: taken + 1]).argmax()) + 1]
    return path, shorten(path, *world[:3], *world[5:], fine)


def _within(play: Played, reach: float) -> NDArray[np.bool_]:
    """(P,) pairs whose bodies are not further apart than this at the end, by circles about them."""
    radius = np.array([np.hypot(*rings[0].T).max() for rings in play.rings])
    centre, (first, second) = play.frames[-1, :, :2], play.pairs.T
    return np.hypot(*(centre[first] - centre[second]).T) <= reach + radius[first] + radius[second]


def _allowed(play: Played, slack: float) -> Floats:
    """(P,) how deep each pair may overlap: as deep as it does at the end, and a little more."""
    last, bodies = play.frames[-1], play.pairs
    at = [play.polygons(bodies[:, side], last[bodies[:, side]]) for side in (0, 1)]
    return np.maximum(widths(*at), 0.0) + slack


def _thinnest(play: Played) -> float:
    return min(_thickness(rings) for rings in play.rings)


def _thickness(rings: tuple[Floats, ...]) -> float:
    polygon = shapely.Polygon(rings[0], rings[1:])
    return 2 * polygon.area / polygon.length


def _sound(play: Played, path: Floats, places: Ints, allowed: Floats) -> int:
    """The last place of a path up to which it is free, by shapely.

    The way from one of `places` to the next is straight, or as it was walked where the straight one is not
    free.
    """
    reached = _legs(play, path[places], allowed)
    while reached < len(places) - 1:
        here, there = places[reached], places[reached + 1]
        walked = _legs(play, path[here : there + 1], allowed)
        if walked < there - here:
            return int(here + walked)
        reached += 1 + _legs(play, path[places[reached + 1 :]], allowed)
    return len(path) - 1


def _legs(play: Played, path: Floats, allowed: Floats) -> int:
    """How many legs of a path are free, from its beginning."""
    if len(path) > CHUNK + 1:
        first = _legs(play, path[: CHUNK + 1], allowed)
        return first if first < CHUNK else CHUNK + _legs(play, path[CHUNK:], allowed)
    slack = 0.5 * float(allowed.min())
    if len(path) == 1 or deepest(play, slack, path, 4000, allowed).width <= slack:
        return len(path) - 1
    if len(path) == 2:
        return 0
    half = len(path) // 2
    first = _legs(play, path[: half + 1], allowed)
    return first if first < half else half + _legs(play, path[half:], allowed)


def _compiled(play: Played, start: Floats, allowed: Floats, slack: float) -> tuple:
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
        play.pairs, _rings(play, allowed), _rows(play, start, slack), target, weights, free, radius,
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


def _rows(play: Played, start: Floats, slack: float) -> tuple:
    rows = rows_of(play)
    return (
        np.array([row.kind for row in rows], np.int64),
        np.array([row.a for row in rows], np.int64),
        np.array([row.b for row in rows], np.int64),
        np.array([(*row.first, *row.second, *row.third) for row in rows], np.float64).reshape(-1, 6),
        np.array([max(0.0, -float(row.gap(start))) + slack for row in rows], np.float64),
    )
