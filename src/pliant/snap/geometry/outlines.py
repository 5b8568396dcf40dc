"""Outlines as the sweep takes them: in order, with what bends only, and with the numbers of the file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeVar

import numpy as np

from pliant.snap.arithmetic.numbers import RationalVector
from pliant.snap.geometry.features import PawlOutline

Vectors = Sequence[RationalVector]
START = Fraction(0)
KEPT = 256  # rings
NO_VERTEX = (
    -1
)  # a corner where edges of two obstacles cross; it is reflex, so that no edge of a pawl touches it


@dataclass(frozen=True)
class NormalOutline:
    """An outline counter-clockwise, without vertices on straight lines; `drawn` says which they are."""

    points: tuple[RationalVector, ...]
    drawn: tuple[int, ...]
    convex: tuple[bool, ...]

    @cached_property
    def rigid(self) -> PawlOutline:
        """For the kernels."""
        x, y = np.array([(float(x), float(y)) for x, y in self.points]).T.copy()
        return PawlOutline(x, y, np.array(self.convex))

    @cached_property
    def floats(self) -> tuple[tuple[float, float], ...]:
        """Its points, rounded."""
        return tuple(zip(self.rigid.x.tolist(), self.rigid.y.tolist(), strict=True))

    @cached_property
    def size(self) -> float:
        """Across, from corner to corner of the box about it."""
        return math.hypot(np.ptp(self.rigid.x), np.ptp(self.rigid.y))

    @cached_property
    def reach(self) -> float:
        """From the origin to the farthest vertex."""
        return float(np.hypot(self.rigid.x, self.rigid.y).max())


class Face(NamedTuple):
    """What an edge, or a part of one, is in the file: an obstacle's, from one drawn vertex to another."""

    begins: Fraction  # share of the edge
    owner: int
    first: int
    second: int


@dataclass(frozen=True)
class Boundary:
    """A closed line with material on its left: counter-clockwise about a body, clockwise about a hole in it.

    It may touch others, and itself, at corners, with material between.
    """

    points: tuple[RationalVector, ...]
    owner: tuple[int, ...]  # the obstacle whose vertex it is
    drawn: tuple[int, ...]  # which vertex, or NOBODY's
    convex: tuple[bool, ...]  # with less than half a turn of material
    faces: tuple[tuple[Face, ...], ...]  # of the edge after each vertex, in order


def normal_outline(points: Vectors) -> NormalOutline:
    """An outline as the sweep takes it.

    >>> normal_outline([(0, 0), (0, 2), (1, 2), (2, 2), (2, 0)]).drawn
    (4, 3, 1, 0)
    """
    return _cached_outline(_SamePoints(points)) if isinstance(points, tuple) else _normalize(tuple(points))


class _SamePoints:
    """Points as a key: equal where they are one object.

    A model's outlines are the same tuples every time, and to hash their fractions takes long.
    """

    def __init__(self, points: tuple[RationalVector, ...]) -> None:
        self.points = points

    def __hash__(self) -> int:
        return id(self.points)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SamePoints) and self.points is other.points


@lru_cache(KEPT)
def _cached_outline(key: _SamePoints) -> NormalOutline:
    return _normalize(key.points)


@lru_cache(KEPT)
def _normalize(points: tuple[RationalVector, ...]) -> NormalOutline:
    order = list(range(len(points)))
    if sum(cross(points[i - 1], points[i]) for i in order) < 0:
        order.reverse()
    turns = [
        cross(minus(points[b], points[a]), minus(points[c], points[b]))
        for a, b, c in zip(order[-1:] + order[:-1], order, order[1:] + order[:1], strict=True)
    ]
    kept = [place for place, bend in enumerate(turns) if bend != 0]
    drawn = tuple(order[place] for place in kept)
    return NormalOutline(tuple(points[i] for i in drawn), drawn, tuple(turns[place] > 0 for place in kept))


def boundary_of(ring: NormalOutline, owner: int) -> Boundary:
    """An obstacle that touches no other."""
    nexts = (*ring.drawn[1:], ring.drawn[0])
    faces = tuple((Face(START, owner, *ends),) for ends in zip(ring.drawn, nexts, strict=True))
    return Boundary(ring.points, (owner,) * len(faces), ring.drawn, ring.convex, faces)


T = TypeVar("T", Fraction, float)  # coordinates


def minus(a: tuple[T, T], b: tuple[T, T]) -> tuple[T, T]:
    """The difference of two vectors."""
    return a[0] - b[0], a[1] - b[1]


def dot(a: tuple[T, T], b: tuple[T, T]) -> T:
    """The inner product."""
    return a[0] * b[0] + a[1] * b[1]


def cross(a: tuple[T, T], b: tuple[T, T]) -> T:
    """The outer product."""
    return a[0] * b[1] - a[1] * b[0]
