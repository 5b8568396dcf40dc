"""Where two ways of one pawl, in directions that are close to each other, part: what is near, and where."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from flint import fmpq

from pliant.snap.arithmetic.algebraic import Algebraic
from pliant.snap.arithmetic.numbers import as_algebraic
from pliant.snap.arithmetic.polynomials import rational
from pliant.snap.arithmetic.protocol import SlicePoint
from pliant.snap.geometry.features import FeaturePair
from pliant.snap.sweep.next_motion import stop_in_chart
from pliant.snap.sweep.path import Path, PathPiece
from pliant.snap.sweep.plan import path_until

NEAR = 2e-3  # how far, of its size, something may be off at a place that is looked at
PathWindow = tuple[Path, Sequence[PathPiece]]


@dataclass(frozen=True)
class DivergencePoint:
    """A configuration near which ways part: its chart, u and w by floats, and angles it may have exactly."""

    turn: int
    u: float
    w: tuple[float, float]  # from the start, in the coordinates of a scene
    known: tuple[Algebraic, ...]  # rest and stops; at the start, the angle there
    start: bool


def divergence_windows(sides: Sequence[Path], locks: Sequence[float]) -> list[PathWindow]:
    """The pieces of two paths about where they part, and about each t where friction locks one."""
    keys = [[(p.motion, frozenset(p.contacts), p.turn) for p in path.pieces] for path in sides]
    windows: list[PathWindow] = []
    if keys[0] != keys[1] or sides[0].cause != sides[1].cause:
        shorter = min(map(len, keys))
        parts = next((n for n in range(shorter) if keys[0][n] != keys[1][n]), shorter)
        windows += [(path, path.pieces[max(parts - 1, 0) : parts + 2]) for path in sides]
    for t in locks:
        reach = NEAR * (1 + abs(t))
        windows += [
            (path, [p for p in path.pieces if p.start.t - reach <= t <= p.end.t + reach]) for path in sides
        ]
    return windows


def contact_pairs(window: PathWindow) -> Iterator[FeaturePair]:
    """What touches from the first of some pieces to the end of the last; without any, at the path's end."""
    path, pieces = window
    begin, end = _span(window)
    for piece in pieces:
        yield from piece.contacts
    for event in path.events:
        if begin <= event.point.t <= end:
            yield from event.contacts
    if path.end.t <= end + NEAR * (1 + abs(end)):
        yield from path.touching


def _span(window: PathWindow) -> tuple[float, float]:
    path, pieces = window
    return (pieces[0].start.t, pieces[-1].end.t) if pieces else (path.end.t, path.end.t)


def divergence_points(
    windows: Iterable[PathWindow], locks: Sequence[float], scale: int
) -> list[DivergencePoint]:
    """Where pieces begin and end, where something happens, and where friction locks: each once."""
    kept: list[DivergencePoint] = []
    for path, pieces in windows:
        begin, end = _span((path, pieces))
        points = [*(p.start for p in pieces), *(p.end for p in pieces), *(() if pieces else [path.end])]
        points += [event.point for event in path.events if begin <= event.point.t <= end]
        points += [path_until(path, Algebraic.of(rational(t))).end for t in locks if begin <= t <= end]
        for point in points:
            place = _divergence_point(path, point, scale)
            if not any(_is_close(place, other) for other in kept):
                kept.append(place)
    return kept


def _divergence_point(path: Path, point: SlicePoint, scale: int) -> DivergencePoint:
    hinge = path.scene.bodies.hinge
    w = (point.t * hinge.vx * scale, point.t * hinge.vy * scale)
    if point.t == 0:
        return DivergencePoint(point.turn, point.angle, w, (as_algebraic(point.u),), True)
    stops = [stop_in_chart(stop, point.turn) for stop in path.scene.stops if stop is not None]
    known = [Algebraic.of(rational(stop)) for stop in stops if stop is not None]
    known += [Algebraic.of(fmpq(0))] if point.turn == 0 else []
    return DivergencePoint(
        point.turn, point.angle, w, tuple(u for u in known if abs(u.near - point.angle) < NEAR), False
    )


def _is_close(one: DivergencePoint, other: DivergencePoint) -> bool:
    """Whether two are too near to each other to be looked at each for itself."""
    near = abs(one.u - other.u) < NEAR / 10 and math.dist(one.w, other.w) <= NEAR / 10 * math.hypot(*one.w)
    same = (one.turn, one.start) == (other.turn, other.start) and len(one.known) <= len(other.known)
    return near and same
