"""What the tests of [DonaldPai1993] share: small scenes, where a pawl is, exact numbers as text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import shapely
from numpy.typing import NDArray

from pliant.snap.force.force_curve import pawl_angles
from pliant.snap.force.snap_trajectory import SnapTrajectory
from pliant.snap.generate import motion_diode, random_fastener, ring, two_hooks, vector
from pliant.snap.geometry.features import VERTEX, FeaturePair
from pliant.snap.geometry.pawl_scene import Scene
from pliant.snap.model import Fastener, Obstacle, Pawl, Root, SnapStudy
from pliant.snap.result import SnapResult
from pliant.snap.solve import solve
from pliant.snap.sweep.path import Path, PathPiece

Floats = NDArray[np.float64]
Rational = int | Fraction
Point = tuple[Rational, Rational]

HALF, QUARTER, EIGHTH = (Fraction(1, n) for n in (2, 4, 8))

# Pawls, each followed by what it meets: the line segment of Figs. 11 to 13, upright and leaning, and others.
NEEDLE = ((-EIGHTH, 0), (0, -4), (EIGHTH, 0))
RIDGE = ((2, -5), (14, -5), (4, -2))
LEANING = ((-EIGHTH, 0), (1, -4), (EIGHTH, 0))
FLOOR = ((-60, -9), (60, -9), (60, -5), (-60, -5))
BAR = ((0, 0), (4, 0), (4, QUARTER), (0, QUARTER))
POST = ((1, -3), (HALF, -6), (3 * HALF, -6))
OVER_THE_HINGE = ((1, 4), (2, 6), (0, 6))
TABLE = ((-3, -10), (6, -10), (6, -1), (-3, -1))
BLOCK = ((-2, -3), (2, -3), (2, 3), (-2, 3))  # its right face has d = 2
WEDGE = ((4, 1), (9, HALF), (9, 3 * HALF))


def fastener(
    pawl: Sequence[Point],
    *obstacles: Sequence[Point],
    velocity: Point = (0, -1),
    hinge: Point = (0, 0),
    until: Rational | None = 20,
    friction: Rational = 0,
) -> Fastener:
    """One pawl, drawn about its hinge, among obstacles."""
    return Fastener(
        friction=Fraction(friction),
        root=Root(velocity=vector(*velocity), until=None if until is None else Fraction(until)),
        pawls=(Pawl(name="pawl", hinge=vector(*hinge), outline=ring(*pawl), stiffness=Fraction(100)),),
        obstacles=tuple(Obstacle(outline=ring(*outline)) for outline in obstacles),
    )


def run(model: Fastener, **study: object) -> SnapResult:
    """Solved by a study of these settings."""
    return solve(model, SnapStudy.model_validate(study))


def told(way: SnapTrajectory, pawl: str = "pawl") -> list[str]:
    """What happens to a pawl, in order, until the way ends."""
    return [
        happening.kind
        for course in way.courses
        for happening in course.paths[pawl].events
        if happening.point.against(course.end) <= 0
    ]


def pieces(way: SnapTrajectory) -> Iterator[tuple[Path, PathPiece]]:
    """Every stretch of every pawl, each on one contact, as far as it would go by itself."""
    for course in way.courses:
        for path in course.paths.values():
            for piece in path.pieces:
                yield path, piece


def inside(piece: PathPiece, count: int = 9) -> Floats:
    """Moments within a piece, its ends left out."""
    return np.linspace(piece.start.t, piece.end.t, count + 2)[1:-1]


def angle_at(path: Path, t: float) -> float:
    """A pawl's angle at a moment, in radians."""
    piece = next(piece for piece in path.pieces if piece.start.t <= t <= piece.end.t)
    return float(pawl_angles(path, piece, np.array([t]))[0])


def rotated(vectors: Floats, angle: float) -> Floats:
    """Vectors turned counter-clockwise; (…, 2)."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return vectors @ np.array([[cosine, sine], [-sine, cosine]])


def cross(a: Floats, b: Floats) -> Floats:
    """The paper's r × f, note 8."""
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def frame(way: Floats, normal: Floats) -> Floats:
    """A vector along the paper's x and y: y is the normal, and x × y is positive."""
    return np.array([way[0] * normal[1] - way[1] * normal[0], way @ normal])


def geometry(here: Scene, pair: FeaturePair, angle: float, t: float) -> tuple[Floats, Floats, Floats]:
    """Lever r, normal n_j or m_i, and the hinge's velocity, of a contact; none of it by the sweep."""
    kind, i, j = pair
    pawl = rotated(np.array([here.bodies.pawl.x, here.bodies.pawl.y]).T, angle)
    stone = np.array([here.bodies.obstacles.x, here.bodies.obstacles.y]).T
    velocity = np.array([here.bodies.hinge.vx, here.bodies.hinge.vy])
    if kind == VERTEX:
        edge, lever = stone[here.bodies.obstacles.following[j]] - stone[j], pawl[i]
    else:
        edge = pawl[(i + 1) % len(pawl)] - pawl[i]
        lever = stone[j] - np.array([here.bodies.hinge.x, here.bodies.hinge.y]) - t * velocity
    return lever, np.array([edge[1], -edge[0]]) / np.hypot(*edge), velocity


def sliding_speed(lever: Floats, normal: Floats, velocity: Floats, kind: int) -> float:
    """Eq. 11, and eq. 17 with the sign of type A."""
    r, p = frame(lever, normal), frame(velocity, normal)
    return (1 if kind == VERTEX else -1) * (p[0] + p[1] * r[1] / r[0])


@cache
def sliding(kind: int, friction: Rational = 0) -> list[tuple[Path, PathPiece]]:
    """Pieces on arcs of one type of contact, of the examples and of random fasteners at this friction."""
    models = [two_hooks(), motion_diode(), *(random_fastener(seed) for seed in range(16))]
    rough = [model.model_copy(update={"friction": Fraction(friction)}) for model in models]
    found = [entry for model in rough for entry in pieces(run(model, arithmetic="float").way_in)]
    return [
        (path, piece)
        for path, piece in found
        if piece.motion == "arc" and piece.contacts[0][0] == kind and piece.end.t - piece.start.t > 1e-3
    ]


def overlap(model: Fastener, pawl: int, t: float, angle: float) -> float:
    """The area a pawl and the obstacles share, the root moved along its plan and the pawl turned."""
    part, velocity = model.pawls[pawl], model.root.velocity
    assert velocity is not None
    outline = np.array(model.outline(part), np.float64)
    hinge = np.array(part.hinge, np.float64) + t * np.array(velocity, np.float64)
    here = shapely.Polygon(rotated(outline, angle) + hinge)
    fixed = [shapely.Polygon(np.array(model.outline(o), np.float64)) for o in model.obstacles]
    return sum(here.intersection(each).area for each in fixed)


ROOT_OF = re.compile(r"root of (?P<poly>.+) in \[(?P<low>[^,]+), (?P<high>[^]]+)\]")


def exact_value(text: str) -> Fraction:
    """The number that a text states exactly, to far more digits than a float; a check that it is one.

    Where it is the root of a polynomial, that must change its sign in the interval given with it.
    """
    stated = ROOT_OF.fullmatch(text)
    if stated is None:
        return Fraction(text)
    poly, low, high = stated["poly"].replace("^", "**"), Fraction(stated["low"]), Fraction(stated["high"])

    def sign(t: Fraction) -> bool:
        return eval(poly, {"__builtins__": {}}, {"t": t}) > 0

    assert sign(low) != sign(high)
    while high - low > Fraction(1, 10**40):
        middle = (low + high) / 2
        low, high = (low, middle) if sign(middle) != sign(low) else (middle, high)
    return (low + high) / 2
