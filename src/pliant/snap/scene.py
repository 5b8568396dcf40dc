"""One pawl on one straight leg among all obstacles, ready to be swept: numbers, and an index over t."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

import numpy as np

from pliant.snap.arithmetic import Arithmetic
from pliant.snap.scan import EDGE, VERTEX, Field, Floats, Ints, Rigid, Way

Vectors = Sequence[tuple[Fraction, Fraction]]
Pair = tuple[int, int, int]  # kind, feature of the pawl, feature of the obstacles
WIDEST = 4.0  # times as long as the shortest, in a level of the index


@dataclass(frozen=True)
class Ring:
    """An outline counter-clockwise, without vertices on straight lines; `drawn` says which they are."""

    points: tuple[tuple[Fraction, Fraction], ...]
    drawn: tuple[int, ...]
    convex: tuple[bool, ...]


def ring(points: Vectors) -> Ring:
    """An outline as the sweep takes it.

    >>> ring([(0, 0), (0, 2), (1, 2), (2, 2), (2, 0)]).drawn
    (4, 3, 1, 0)
    """
    return _ring(tuple(points))


@lru_cache(256)
def _ring(points: tuple[tuple[Fraction, Fraction], ...]) -> Ring:
    order = list(range(len(points)))
    if sum(_cross(points[i - 1], points[i]) for i in order) < 0:
        order.reverse()
    turns = [
        _cross(_minus(points[b], points[a]), _minus(points[c], points[b]))
        for a, b, c in zip(order[-1:] + order[:-1], order, order[1:] + order[:1], strict=True)
    ]
    kept = [place for place, bend in enumerate(turns) if bend != 0]
    drawn = tuple(order[place] for place in kept)
    return Ring(tuple(points[i] for i in drawn), drawn, tuple(turns[place] > 0 for place in kept))


def _minus(a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, Any]:
    return a[0] - b[0], a[1] - b[1]


def _cross(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return a[0] * b[1] - a[1] * b[0]


@dataclass(frozen=True)
class Obstacles:
    """Every obstacle's outline, one after another."""

    points: tuple[tuple[Fraction, Fraction], ...]
    owner: tuple[int, ...]
    drawn: tuple[int, ...]
    following: tuple[int, ...]
    before: tuple[int, ...]
    convex: tuple[bool, ...]
    floats: Field
    scale: int  # that makes every coordinate an integer


def obstacles(outlines: Sequence[Vectors]) -> Obstacles:
    """Of the outlines in the world.

    Differs: obstacles that touch are not united. Where their interiors are what a pawl must not enter, a
    seam has no width, no pawl fits into it, and features hidden by another obstacle are never reached.
    """
    points: list[tuple[Fraction, Fraction]] = []
    owner: list[int] = []
    drawn: list[int] = []
    following: list[int] = []
    before: list[int] = []
    convex: list[bool] = []
    for index, outline in enumerate(outlines):
        whole = ring(outline)
        first, count = len(points), len(whole.points)
        points.extend(whole.points)
        owner.extend([index] * count)
        drawn.extend(whole.drawn)
        convex.extend(whole.convex)
        following.extend([first + (k + 1) % count for k in range(count)])
        before.extend([first + (k - 1) % count for k in range(count)])
    xy = np.array([(float(x), float(y)) for x, y in points])
    floats = Field(xy[:, 0].copy(), xy[:, 1].copy(), np.array(following), np.array(convex))
    scale = lcm(*{value.denominator for point in points for value in point})
    return Obstacles(
        tuple(points),
        tuple(owner),
        tuple(drawn),
        tuple(following),
        tuple(before),
        tuple(convex),
        floats,
        scale,
    )


@dataclass(frozen=True)
class Level:
    """Edges of about the same length of life, by its beginning."""

    begins: Floats
    ends: Floats
    edges: Ints
    longest: float


@dataclass(frozen=True)
class Index:
    """Between which t each edge of the obstacles is within the pawl's reach."""

    levels: tuple[Level, ...]

    def live(self, begin: float, end: float) -> Ints:
        """Edges within reach at some t between two."""
        found: list[Ints] = []
        for level in self.levels:
            first = int(np.searchsorted(level.begins, begin - level.longest))
            last = int(np.searchsorted(level.begins, end, side="right"))
            found.append(level.edges[first:last][level.ends[first:last] >= begin])
        return np.concatenate(found) if found else np.zeros(0, np.int64)


def index(floats: Field, way: Way, reach: float) -> Index:
    """Of every edge that comes within `reach` of the hinge; times are a little too wide, never too narrow."""
    speed = float(np.hypot(way.vx, way.vy))
    ahead, aside = np.array([way.vx, way.vy]) / speed, np.array([-way.vy, way.vx]) / speed
    starts = np.stack([floats.x - way.x, floats.y - way.y], axis=1)
    ends = starts[floats.following]
    size = float(np.abs(starts).max(initial=0.0)) + abs(way.x) + abs(way.y) + reach
    slack = 1e-9 * size
    reach += slack
    side = np.stack([starts @ aside, ends @ aside])
    along = np.stack([starts @ ahead, ends @ ahead])
    near = (side.min(axis=0) <= reach) & (side.max(axis=0) >= -reach)
    edges = np.flatnonzero(near)
    side, along = side[:, edges], along[:, edges]
    # The part of the edge within reach to the side, then half a chord of the circle at its nearest.
    width = np.where(side[1] == side[0], 1.0, side[1] - side[0])
    cuts = np.sort(np.clip((np.array([[-reach], [reach]]) - side[0]) / width, 0.0, 1.0), axis=0)
    flat = side[1] == side[0]
    cuts = np.where(flat, np.array([[0.0], [1.0]]), cuts)
    spots = along[0] + cuts * (along[1] - along[0])
    begin = (spots.min(axis=0) - reach - slack) / speed
    end = (spots.max(axis=0) + reach + slack) / speed
    return Index(_levels(begin, end, edges))


def _levels(begin: Floats, end: Floats, edges: Ints) -> tuple[Level, ...]:
    if not len(edges):
        return ()
    life = end - begin
    ranks = np.floor(np.log(life / life.min()) / np.log(WIDEST)).astype(int)
    levels: list[Level] = []
    for rank in np.unique(ranks).tolist():
        chosen = np.flatnonzero(ranks == rank)
        chosen = chosen[np.argsort(begin[chosen], kind="stable")]
        levels.append(Level(begin[chosen], end[chosen], edges[chosen], float(life[chosen].max())))
    return tuple(levels)


@dataclass(frozen=True)
class Scene:
    """What the sweep of one pawl works on. Coordinates are integers in the exact arithmetic, scaled alike."""

    arithmetic: Any
    pawl: tuple[tuple[Any, Any], ...]
    pawl_convex: tuple[bool, ...]
    hinge: tuple[Any, Any]
    velocity: tuple[Any, Any]
    obstacles: Obstacles
    scale: int
    rigid: Rigid
    way: Way
    index: Index
    until: Any  # a scalar of the arithmetic
    stops: tuple[Fraction | None, Fraction | None]  # half-angle tangents below and above rest
    curves: dict[tuple[Pair, int], Any] = field(default_factory=lambda: {}, compare=False)

    def corner(self, vertex: int) -> tuple[Any, Any]:
        """A vertex of the obstacles, as the arithmetic takes it."""
        x, y = self.obstacles.points[vertex]
        return self.coordinate(x), self.coordinate(y)

    def coordinate(self, value: Fraction) -> Any:
        """A coordinate as the arithmetic takes it."""
        if self.arithmetic.name == "float":
            return float(value)
        return value.numerator * (self.scale // value.denominator)

    @property
    def way_end(self) -> float:
        """The leg's end as a float."""
        return self.arithmetic.near(self.until)

    @property
    def stride(self) -> float:
        """How long the hinge takes for the pawl's own reach."""
        reach = float(np.hypot(self.rigid.x, self.rigid.y).max())
        return reach / float(np.hypot(self.way.vx, self.way.vy))

    @property
    def floats(self) -> Field:
        """The obstacles for the kernels."""
        return self.obstacles.floats


def scene(
    arithmetic: Arithmetic,
    pawl: Vectors,
    hinge: tuple[Fraction, Fraction],
    velocity: tuple[Fraction, Fraction],
    around: Obstacles,
    until: Fraction,
    stops: tuple[Fraction | None, Fraction | None] = (None, None),
) -> Scene:
    """A pawl whose hinge starts at `hinge` and is moved by velocity · t up to t = until."""
    whole = ring(pawl)
    values = [value for point in (*whole.points, hinge, velocity) for value in point]
    scale = lcm(around.scale, *{value.denominator for value in values})
    exactly = arithmetic.name == "exact"

    def taken(vector: tuple[Fraction, Fraction]) -> tuple[Any, Any]:
        if not exactly:
            return float(vector[0]), float(vector[1])
        x, y = vector
        return x.numerator * (scale // x.denominator), y.numerator * (scale // y.denominator)

    xy = np.array([(float(x), float(y)) for x, y in whole.points])
    rigid = Rigid(xy[:, 0].copy(), xy[:, 1].copy(), np.array(whole.convex))
    way = Way(float(hinge[0]), float(hinge[1]), float(velocity[0]), float(velocity[1]))
    return Scene(
        arithmetic=arithmetic,
        pawl=tuple(map(taken, whole.points)),
        pawl_convex=whole.convex,
        hinge=taken(hinge),
        velocity=taken(velocity),
        obstacles=around,
        scale=scale,
        rigid=rigid,
        way=way,
        index=index(around.floats, way, float(np.hypot(rigid.x, rigid.y).max())),
        until=arithmetic.scalar(until),
        stops=stops,
    )


__all__ = ["EDGE", "VERTEX", "Obstacles", "Pair", "Ring", "Scene", "obstacles", "ring", "scene"]
