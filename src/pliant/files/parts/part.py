"""A part as a cutter takes it: closed loops in millimetres, at a place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import acos, ceil, cos, hypot, pi, sin

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.core.outline import Rings, wind
from pliant.core.pose import carry

FEWEST_SIDES = 16


@dataclass(frozen=True)
class Circle:
    """A round loop, which formats that have circles keep as one."""

    x: float
    y: float
    radius: float


Loop = Floats | Circle  # (V, 2) mm, not closed, or a circle


@dataclass(frozen=True)
class Piece:
    """An outline with its holes."""

    outline: Loop
    holes: tuple[Loop, ...] = ()

    @property
    def loops(self) -> tuple[Loop, ...]:
        """Holes first, as they are cut: a part that is loose from its sheet moves."""
        return (*self.holes, self.outline)


@dataclass(frozen=True)
class Part:
    """One thing to be cut, in a frame of its own, and where that is in the model as drawn."""

    name: str
    pieces: tuple[Piece, ...]
    pose: tuple[float, float, float] = (0.0, 0.0, 0.0)  # mm, mm, rad
    level: int | None = None  # in which layer it runs, from the lowest up; None where there is but one
    layer: str = ""  # what that layer is called


def circle_sides(radius: float, chord: float) -> int:
    """Sides of a polygon in a circle that keeps within `chord` of it, a multiple of 4.

    >>> circle_sides(5.0, 0.01)
    52
    """
    angle = acos(max(1 - chord / radius, cos(pi / FEWEST_SIDES)))
    return 4 * ceil(pi / angle / 4)


def ring_of(loop: Loop, chord: float) -> Floats:
    """A loop as corners (V, 2)."""
    if not isinstance(loop, Circle):
        return loop
    sides = circle_sides(loop.radius, chord)
    corners = [(cos(angle), sin(angle)) for angle in (2 * pi * side / sides for side in range(sides))]
    return np.array([loop.x, loop.y]) + loop.radius * np.array(corners)


def piece_rings(piece: Piece, chord: float) -> Rings:
    """The outline left about and its holes right about."""
    return wind([ring_of(loop, chord) for loop in (piece.outline, *piece.holes)])


def piece_region(piece: Piece, chord: float) -> shapely.Polygon:
    """A piece as a polygon."""
    outside, *holes = piece_rings(piece, chord)
    return shapely.Polygon(outside, holes)


def moved(part: Part, pose: tuple[float, float, float]) -> Part:
    """The part with its loops carried by a pose: in a frame that it has no pose in."""
    at = np.array(pose)

    def loop_at(loop: Loop) -> Loop:
        if isinstance(loop, Circle):
            x, y = carry(at, np.array([loop.x, loop.y])).tolist()
            return Circle(x, y, loop.radius)
        return carry(at, loop) if pose[2] else loop + at[:2]

    return replace(part, pieces=_mapped(part.pieces, loop_at), pose=(0.0, 0.0, 0.0))


def scaled(part: Part, factor: float) -> Part:
    """The part enlarged, with its place."""

    def loop_of(loop: Loop) -> Loop:
        if isinstance(loop, Circle):
            return Circle(factor * loop.x, factor * loop.y, factor * loop.radius)
        return factor * loop

    x, y, angle = part.pose
    return replace(part, pieces=_mapped(part.pieces, loop_of), pose=(factor * x, factor * y, angle))


def _mapped(pieces: tuple[Piece, ...], change: Callable[[Loop], Loop]) -> tuple[Piece, ...]:
    return tuple(Piece(change(piece.outline), tuple(map(change, piece.holes))) for piece in pieces)


def part_box(part: Part) -> Floats:
    """The lower left and the upper right corner (2, 2) of a part where its loops are."""
    corners = np.concatenate([_loop_box(piece.outline) for piece in part.pieces])
    return np.array([corners.min(axis=0), corners.max(axis=0)])


def _loop_box(loop: Loop) -> Floats:
    if isinstance(loop, Circle):
        centre = np.array([loop.x, loop.y])
        return np.array([centre - loop.radius, centre + loop.radius])
    return np.array([loop.min(axis=0), loop.max(axis=0)])


def cut_length(part: Part) -> float:
    """How far a cutter goes around all loops, mm."""
    return sum(_around(loop) for piece in part.pieces for loop in piece.loops)


def _around(loop: Loop) -> float:
    if isinstance(loop, Circle):
        return 2 * pi * loop.radius
    return sum(hypot(x, y) for x, y in (np.roll(loop, -1, axis=0) - loop).tolist())
