"""How deep any two bodies of a result overlap on the way, by shapely, between its frames too.

From frame to frame each pose goes straight in (x, y, θ) of the body's own frame, as films draw it. The
width of an overlap is the diameter of the largest circle in it. Where one of two bodies moves against the
other by no more than s, the width (or, apart, minus their distance) changes by no more than s; so between
two places with widths w₀, w₁ it is at most (w₀ + w₁ + s)/2. Ways where this is too much are halved, the
worst first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import NDArray
from tests.crosscheck.played import Played, rows_of

from pliant.core.pose import carry, uncarry

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST = 6000  # places of pairs that are looked at, beside the frames themselves
NEARLY = 1.02  # a width is found to so much
HALVINGS = 10  # bisections of an inscribed circle's radius


@dataclass(frozen=True)
class Deepest:
    """The widest overlap found, and where."""

    width: float  # of the largest circle in it; negative: the nearest any two bodies came
    bound: float  # it is nowhere wider than this
    pair: tuple[str, str]
    frame: float  # between frames ⌊frame⌋ and ⌊frame⌋ + 1


@dataclass(frozen=True)
class Strained:
    """The joint other than contact that is violated most on the way."""

    depth: float
    label: str
    frame: float


def deepest(
    play: Played,
    allowed: float,
    frames: Floats | None = None,
    most: int = MOST,
    excused: Floats | None = None,
) -> Deepest:
    """The widest overlap on the way; widths below `allowed` are of no interest, and found roughly.

    `excused` (P,) is taken off the width of each pair.
    """
    frames = play.frames if frames is None else frames
    near = _near(play, frames)
    excused = (np.zeros(len(play.pairs)) if excused is None else excused)[near]
    play = replace(play, pairs=play.pairs[near])
    ways = _Ways(play, frames, excused, allowed + float(excused.min(initial=0.0)))
    best = ways.worst()
    floor = max(allowed, NEARLY * best.width)
    left, looked = ways.beyond(floor), 0
    while len(left.pair) and looked < most:
        if looked + len(left.pair) > most:
            left = left.take(np.argsort(-left.bound)[: max(1, (most - looked))])
        looked += len(left.pair)
        left, found = left.halved()
        best = max(best, found, key=lambda place: place.width)
        floor = max(allowed, NEARLY * best.width)
        left = left.take(left.bound > floor)
    bound = max(floor, float(left.bound.max(initial=-np.inf)))
    return Deepest(best.width, bound, best.pair, best.frame)


def _near(play: Played, frames: Floats) -> NDArray[np.bool_]:
    """(P,) pairs of which circles about both bodies meet somewhere on the way."""
    radius = np.array([np.hypot(*rings[0].T).max() for rings in play.rings])
    arm = np.hypot(*play.origin.T)
    centre, turned = play.centred(frames)[:, :, :2], np.diff(frames[:, :, 2], axis=0)
    step = np.hypot(*np.moveaxis(np.diff(centre, axis=0), -1, 0)) + turned**2 * arm / 4
    reach = radius + np.concatenate([step, np.zeros((1, len(radius)))])  # until the next frame
    first, second = play.pairs.T
    apart = np.hypot(*np.moveaxis(centre[:, first] - centre[:, second], -1, 0))
    return (apart <= reach[:, first] + reach[:, second]).any(axis=0)


class _Ways:
    """Stretches of the way of pairs, from one time to another."""

    def __init__(self, play: Played, frames: Floats, excused: Floats, floor: float) -> None:
        self.play, self.frames, self.excused, self.floor = play, frames, excused, floor
        count, pairs = len(frames), len(play.pairs)
        bodies = len(play.names)
        every = play.polygons(np.tile(np.arange(bodies), count), frames.reshape(-1, 3)).reshape(count, bodies)
        first, second = (every[:, play.pairs[:, side]].ravel() for side in (0, 1))
        self.widths = widths(first, second, floor).reshape(count, pairs) - excused

    def worst(self) -> Deepest:
        if not self.widths.size:
            return Deepest(-np.inf, -np.inf, ("", ""), 0.0)
        frame, pair = np.unravel_index(int(self.widths.argmax()), self.widths.shape)
        return _named(self.play, int(pair), float(frame), float(self.widths[frame, pair]))

    def beyond(self, floor: float) -> Stretches:
        steps, pairs = len(self.frames) - 1, len(self.play.pairs)
        start = np.repeat(np.arange(steps, dtype=float), pairs)
        pair, ends = np.tile(np.arange(pairs), steps), (self.widths[:-1].ravel(), self.widths[1:].ravel())
        made = Stretches(self.play, self.frames, self.excused, self.floor, pair, start, start + 1.0, *ends)
        return made.take(made.bound > floor)


@dataclass(frozen=True)
class Stretches:
    """Stretches of the ways of pairs, with the widths at their ends."""

    play: Played
    frames: Floats
    excused: Floats  # (P,)
    floor: float  # widths below it are of no interest
    pair: Ints  # (N,)
    start: Floats  # (N,) in frames
    end: Floats
    before: Floats  # (N,) signed widths
    after: Floats

    @cached_property
    def bound(self) -> Floats:
        """What the width is at most."""
        return 0.5 * (self.before + self.after + self._travel())

    def take(self, which: NDArray) -> Stretches:
        rest = (column[which] for column in (self.pair, self.start, self.end, self.before, self.after))
        return Stretches(self.play, self.frames, self.excused, self.floor, *rest)

    def halved(self) -> tuple[Stretches, Deepest]:
        """Both halves of each, and the deepest of the middles."""
        middle = 0.5 * (self.start + self.end)
        at = _at(self.play, self.frames, self.pair, middle)
        width = _widths(self.play, self.pair, *at, self.floor)
        width -= self.excused[self.pair]
        worst = int(width.argmax())
        found = _named(self.play, int(self.pair[worst]), float(middle[worst]), float(width[worst]))
        halves = Stretches(
            self.play,
            self.frames,
            self.excused,
            self.floor,
            np.tile(self.pair, 2),
            np.concatenate([self.start, middle]),
            np.concatenate([middle, self.end]),
            np.concatenate([self.before, width]),
            np.concatenate([width, self.after]),
        )
        return halves, found

    def _travel(self) -> Floats:
        """A bound on the way of any point of the one body, as seen from the other."""
        play = self.play
        before = _at(play, self.frames, self.pair, self.start)
        after = _at(play, self.frames, self.pair, self.end)
        travel = np.zeros(len(self.pair))
        for pair in np.unique(self.pair):
            at = self.pair == pair
            ends = [end[at] for end in (*before, *after)]
            travel[at] = _relative_travel(play, *play.pairs[pair], *ends)
        return travel


def _relative_travel(
    play: Played, a: int, b: int, first: Floats, second: Floats, first_after: Floats, second_after: Floats
) -> Floats:
    """(N,) how far the points of the smaller body go in the frame of the other, at most.

    With w = x_b + R_b p − x_a, |w'| ≤ |v| + |ω_b||p|: the path in a's frame bends by at most
    (ω_b²|p| + 2|ω_a||w'| + ω_a²|w|)/8 from its chord.
    """
    smaller = np.ptp(play.rings[a][0]) < np.ptp(play.rings[b][0])
    if play.fixed[b] or (smaller and not play.fixed[a]):
        a, b, first, second, first_after, second_after = b, a, second, first, second_after, first_after
    points = play.rings[b][0] + play.origin[b]
    before = uncarry(first[:, None], carry(second[:, None], points))
    after = uncarry(first_after[:, None], carry(second_after[:, None], points))
    chord = np.hypot(*np.moveaxis(after - before, -1, 0)).max(axis=1)
    turn_a, turn_b = np.abs(first_after - first)[:, 2], np.abs(second_after - second)[:, 2]
    arm = np.hypot(*points.T).max()
    speed = np.hypot(*((second_after - second) - (first_after - first))[:, :2].T) + turn_b * arm
    apart = np.hypot(*np.moveaxis(before, -1, 0)).max(axis=1) + speed
    return chord + 2 * (turn_b**2 * arm + 2 * turn_a * speed + turn_a**2 * apart) / 8


def _named(play: Played, pair: int, frame: float, width: float) -> Deepest:
    a, b = play.pairs[pair]
    return Deepest(width, width, (play.names[a], play.names[b]), frame)


def _at(play: Played, frames: Floats, pair: Ints, time: Floats) -> tuple[Floats, Floats]:
    """Poses of both bodies of pairs at times."""
    low = np.minimum(time.astype(np.int64), max(len(frames) - 2, 0))
    high, share = np.minimum(low + 1, len(frames) - 1), (time - low)[:, None]
    bodies = play.pairs[pair]
    first, second = (
        frames[low, body] * (1 - share) + frames[high, body] * share for body in (bodies[:, 0], bodies[:, 1])
    )
    return first, second


def _widths(play: Played, pair: Ints, first: Floats, second: Floats, floor: float) -> Floats:
    """(N,) the width of the overlap of each, or minus their distance."""
    bodies = play.pairs[pair]
    return widths(play.polygons(bodies[:, 0], first), play.polygons(bodies[:, 1], second), floor)


def widths(first: NDArray[np.object_], second: NDArray[np.object_], floor: float = 0.0) -> Floats:
    """The width of the overlap of polygons, or minus their distance; those below `floor` are rough."""
    apart = np.asarray(shapely.distance(first, second), np.float64)
    found = -apart
    meeting = np.flatnonzero(apart == 0)
    shared = shapely.intersection(first[meeting], second[meeting])
    piece, owner = shapely.get_parts(shared, return_index=True)
    thick = shapely.area(piece) > 0
    np.maximum.at(found, meeting[owner[thick]], inscribed(piece[thick], floor))
    return found


def inscribed(pieces: NDArray[np.object_], floor: float = 0.0) -> Floats:
    """The diameter of the largest circle in each polygon, to a thousandth.

    The radius is at least area / perimeter, and at most √(area/π); the largest inset that leaves
    something is found by bisection, which unlike a search by cells is quick on slivers.
    """
    area, around = np.asarray(shapely.area(pieces)), np.asarray(shapely.length(pieces))
    low, high = area / around, np.minimum(np.sqrt(area / np.pi), 2.05 * area / around)
    hollow = shapely.area(shapely.convex_hull(pieces)) > 1.001 * area
    high[hollow] = np.sqrt(area[hollow] / np.pi)
    unsure = np.flatnonzero((2 * high > floor) & (high > low))
    for _ in range(HALVINGS if len(unsure) else 0):
        middle = 0.5 * (low + high)[unsure]
        inside = ~shapely.is_empty(shapely.buffer(pieces[unsure], -middle, quad_segs=2, join_style="mitre"))
        low[unsure], high[unsure] = (
            np.where(inside, middle, low[unsure]),
            np.where(inside, high[unsure], middle),
        )
    return 2 * low


def strained(play: Played, frames: Floats | None = None, between: int = 16) -> Strained:
    """The worst violation of pins, keep regions, sights and limits, at the frames and between them."""
    frames = play.frames if frames is None else frames
    share = np.linspace(0, 1, between + 1)[:-1, None, None]
    ways = frames[:-1, None] * (1 - share) + frames[1:, None] * share
    poses = np.concatenate([ways.reshape(-1, *frames.shape[1:]), frames[-1:]])
    centred, worst = play.centred(poses), Strained(0.0, "", 0.0)
    for row in rows_of(play):
        depth = -row.gap(centred)
        place = int(depth.argmax())
        if depth[place] > worst.depth:
            worst = Strained(float(depth[place]), row.label, place / between)
    return worst
