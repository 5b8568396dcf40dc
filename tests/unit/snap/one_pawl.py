"""One pawl among obstacles: how a case is written down in the tests of the sweep, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import shapely

from pliant.snap.arithmetic.exact import ExactArithmetic
from pliant.snap.arithmetic.floating import FloatArithmetic
from pliant.snap.geometry.pawl_scene import Scene, UnitedObstacles, pawl_scene, unite_obstacles
from pliant.snap.model import Fastener
from pliant.snap.sweep.leg import sweep_leg
from pliant.snap.sweep.path import Path

EXACT, FLOAT = ExactArithmetic(), FloatArithmetic()
EVENTS = 300  # more than any case here has
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))
WAYS = ((0, -1), (0, -1), (0, -1), (1, -1), (-1, -1), (1, -2), (-1, -2))

Points = Sequence[tuple[Any, Any]]


def ring(*points: tuple[Any, Any]) -> tuple[tuple[Fraction, Fraction], ...]:
    """An outline; numbers may be text, such as "1/3"."""
    return tuple((Fraction(x), Fraction(y)) for x, y in points)


def box(left: Any, bottom: Any, right: Any, top: Any) -> tuple[tuple[Fraction, Fraction], ...]:
    return ring((left, bottom), (right, bottom), (right, top), (left, top))


def around(*outlines: Points) -> UnitedObstacles:
    return unite_obstacles([ring(*outline) for outline in outlines])


def scene_of(
    pawl: Points,
    *outlines: Points,
    velocity: tuple[Any, Any] = (0, -1),
    until: Any = 20,
    hinge: tuple[Any, Any] = (0, 0),
    stops: tuple[Any, Any] = (None, None),
    arithmetic: Any = EXACT,
) -> Scene:
    ends = tuple(None if stop is None else Fraction(stop) for stop in stops)
    (start,), (way,) = ring(hinge), ring(velocity)
    return pawl_scene(
        arithmetic, ring(*pawl), start, way, around(*outlines), Fraction(until), (ends[0], ends[1])
    )


def at_rest(scene: Scene, t: Any = 0) -> Any:
    """The pawl at rest at a t."""
    arithmetic = scene.arithmetic
    return arithmetic.point(arithmetic.zero, 0, arithmetic.line(arithmetic.scalar(Fraction(t))))


def swept(pawl: Points, *outlines: Points, friction: Any = 0, **case: Any) -> Path:
    """The path of a pawl that starts at rest."""
    whole = scene_of(pawl, *outlines, **case)
    return sweep_leg(whole, at_rest(whole), Fraction(friction), EVENTS)


def fastener(pawl: Points, *outlines: Points, root: dict[str, Any], **of_pawl: Any) -> Fastener:
    """The same as a model; the root is as in a file."""
    described = {"name": "pawl", "hinge": (0, 0), "outline": pawl, "stiffness": 100, **of_pawl}
    friction = described.pop("friction", 0)
    return Fastener.model_validate(
        {
            "friction": friction,
            "root": root,
            "pawls": [described],
            "obstacles": [{"outline": outline} for outline in outlines],
        }
    )


def angle(point: Any) -> float:
    """In radians, with its turns."""
    return point.turn * math.pi + 2 * math.atan(point.angle)


def story(path: Path) -> list[tuple[str, float]]:
    """What happened, and when."""
    return [(event.kind, round(event.point.t, 9) + 0.0) for event in path.events]


def pieces(path: Path) -> list[tuple[str, float, float]]:
    """How it moved, from which t to which."""
    return [(piece.motion, round(piece.start.t, 9) + 0.0, round(piece.end.t, 9)) for piece in path.pieces]


def mirrored(points: Points) -> list[tuple[Any, Any]]:
    return [(-x, y) for x, y in points]


# Designs that several files take


TIP = ring((-1, 0), (0, -5), (1, 0))
HILL = ring((5, -6), (14, -6), (10, -3), (8, -3))  # a ramp at 45°, a level top, and a slope of 3 to 4
HOOK = ring(("-1/2", "1/2"), ("-1/2", -8), (0, -8), (2, -5), ("1/2", "-9/2"), ("1/2", "1/2"))
TEE = ring((-1, -12), (1, -12), (1, 0), (3, 0), (3, 1), (-3, 1), (-3, 0), (-1, 0))
# From its hinge over the end of a slab and up against it from below.
CLASP = ring(
    ("-1/2", "1/2"), ("-1/2", "-1/2"), ("5/2", "-1/2"), ("5/2", -4), (1, -3), (2, -5), (3, -5), (3, "1/2")
)
SLAB = box(-6, 0, "3/2", 1)


# Parts on a small grid: flush contacts and coincident events are the rule


def grid_case(seed: int) -> dict[str, Any]:
    """A pawl hinged at the origin and one to four obstacles below it; some touch it, or each other."""
    random = Random(seed)
    pawl = _part(random, (-2, -4, 3, 1))
    taken, outlines = [shapely.Polygon(pawl)], []
    for _ in range(random.randint(1, 4)):
        right, up = random.randint(-3, 3), -random.randint(3, 12)
        outline = [(x + right, y + up) for x, y in _part(random, (-3, -3, 3, 0))]
        area = shapely.Polygon(outline)
        if all(area.intersection(other).area == 0 for other in taken):
            taken.append(area)
            outlines.append(outline)
    if not outlines:
        outlines.append([(1, -9), (2, -9), (2, -8), (1, -8)])
    return {"pawl": pawl, "outlines": outlines, "velocity": random.choice(WAYS)}


def _part(random: Random, within: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    left, bottom, right, top = within
    while True:
        if random.random() < 0.6:
            area = _cells(random, within)
        else:
            corners = [(random.randint(left, right), random.randint(bottom, top)) for _ in range(5)]
            area = shapely.Polygon(corners[: random.randint(3, 5)])
        if isinstance(area, shapely.Polygon) and area.is_valid and area.area > 0 and not area.interiors:
            corners = [(round(x), round(y)) for x, y in area.exterior.coords[:-1]]
            if len(set(corners)) == len(corners):
                return corners


def _cells(random: Random, within: tuple[int, int, int, int]) -> Any:
    """Some squares side by side, perhaps with half a square."""
    left, bottom, right, top = within
    cells = [(random.randrange(left, right), random.randrange(bottom, top))]
    for _ in range(random.randint(0, 5)):
        (x, y), (across, up) = random.choice(cells), random.choice(SIDES)
        if left <= x + across < right and bottom <= y + up < top:
            cells.append((x + across, y + up))
    parts = [shapely.box(x, y, x + 1, y + 1) for x, y in cells]
    if random.random() < 0.5:
        (x, y), (across, up) = random.choice(cells), random.choice(SIDES)
        corners = list(shapely.box(x + across, y + up, x + across + 1, y + up + 1).exterior.coords[:-1])
        del corners[random.randrange(4)]
        parts.append(shapely.Polygon(corners))
    return shapely.union_all(parts)
