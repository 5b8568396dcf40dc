"""One pawl on one straight leg among all obstacles, ready to be swept: numbers, and an index over t."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from pliant.snap.arithmetic.numbers import RationalVector
from pliant.snap.arithmetic.protocol import Arithmetic, Coordinates, Scalar
from pliant.snap.geometry.features import VERTEX, Bodies, FeaturePair, HingeMotion, ObstacleEdges
from pliant.snap.geometry.outlines import Face, NormalOutline, Vectors, normal_outline
from pliant.snap.geometry.time_index import TimeIndex, build_index
from pliant.snap.geometry.union import union_boundaries


@dataclass(frozen=True)
class UnitedObstacles:
    """Every outline of the obstacles, united where they touch, one after another, material on the left."""

    points: tuple[RationalVector, ...]
    owner: tuple[int, ...]  # the obstacle whose vertex it is
    drawn: tuple[int, ...]  # which vertex, or NOBODY's
    faces: tuple[tuple[Face, ...], ...]  # the drawn edges that the edge after each vertex lies on, in order
    following: tuple[int, ...]
    before: tuple[int, ...]
    convex: tuple[bool, ...]
    floats: ObstacleEdges
    scale: int  # that makes every coordinate an integer
    rings: tuple[NormalOutline, ...]  # each obstacle for itself

    def feature(self, kind: int, which: int) -> tuple[tuple[int, int, int], ...] | tuple[int, int]:
        """The edge that a pawl's vertex is on, or the vertex on its edge, by what it is in the file."""
        if kind == VERTEX:
            return tuple((face.owner, face.first, face.second) for face in self.faces[which])
        return self.owner[which], self.drawn[which]


def unite_obstacles(outlines: Sequence[Vectors]) -> UnitedObstacles:
    """Of the outlines in the world, those that touch or overlap united first."""
    rings = [normal_outline(outline) for outline in outlines]
    bounds = list(union_boundaries(rings))
    points = [point for each in bounds for point in each.points]
    following: list[int] = []
    before: list[int] = []
    for each in bounds:
        first, count = len(following), len(each.points)
        following.extend([first + (k + 1) % count for k in range(count)])
        before.extend([first + (k - 1) % count for k in range(count)])
    convex = tuple(bend for each in bounds for bend in each.convex)
    x, y = np.array([(float(x), float(y)) for x, y in points]).T.copy()
    return UnitedObstacles(
        points=tuple(points),
        owner=tuple(owner for each in bounds for owner in each.owner),
        drawn=tuple(vertex for each in bounds for vertex in each.drawn),
        faces=tuple(faces for each in bounds for faces in each.faces),
        following=tuple(following),
        before=tuple(before),
        convex=convex,
        floats=ObstacleEdges(x, y, np.array(following), np.array(before), np.array(convex)),
        scale=lcm(*{value.denominator for point in points for value in point}),
        rings=tuple(rings),
    )


@dataclass(frozen=True)
class Scene:
    """What the sweep of one pawl works on. Coordinates are integers in the exact arithmetic, scaled alike."""

    arithmetic: Arithmetic
    pawl: tuple[Coordinates, ...]
    pawl_convex: tuple[bool, ...]
    hinge: Coordinates
    velocity: Coordinates
    obstacles: UnitedObstacles
    scale: int
    bodies: Bodies  # the same for the compiled loops
    index: TimeIndex
    until: Scalar
    stops: tuple[Fraction | None, Fraction | None]  # half-angle tangents below and above rest
    reach: float  # of the pawl, from its hinge
    stride: float  # how long it takes for its own size: what times are measured against
    pivot: Coordinates = (0, 0)  # from the hinge: a force through it does not turn the pawl
    curves: dict[tuple[FeaturePair, int], Any] = field(default_factory=lambda: {}, compare=False)
    last: list[float] = field(default_factory=lambda: [1.0], compare=False)  # how far in u the last arc went

    def corner(self, vertex: int) -> Coordinates:
        """A vertex of the obstacles, as the arithmetic takes it."""
        fixed = self.obstacles
        rounded = float(fixed.floats.x[vertex]), float(fixed.floats.y[vertex])
        return self.arithmetic.coordinates([fixed.points[vertex]], [rounded], self.scale)[0]

    @property
    def way_end(self) -> float:
        """The leg's end as a float."""
        return self.arithmetic.near(self.until)


def pawl_scene(
    arithmetic: Arithmetic, pawl: Vectors, hinge: tuple[Fraction, Fraction],
    velocity: tuple[Fraction, Fraction], around: UnitedObstacles, until: Fraction,
    stops: tuple[Fraction | None, Fraction | None] = (None, None),
    pivot: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0)),
) -> Scene:  # fmt: skip
    """A pawl whose hinge starts at `hinge` and is moved by velocity · t up to t = until.

    `pivot`, from the hinge, is what a force must pass to lock it: the hinge, unless that stands for a beam.
    """
    whole = normal_outline(pawl)
    motion = HingeMotion(float(hinge[0]), float(hinge[1]), float(velocity[0]), float(velocity[1]))
    vectors = (hinge, velocity, pivot, *whole.points)
    floats = (motion[:2], motion[2:], (float(pivot[0]), float(pivot[1])), *whole.floats)
    scale = arithmetic.common_scale((value for vector in vectors for value in vector), around.scale)
    start, pace, centre, *points = arithmetic.coordinates(vectors, floats, scale)
    stride = whole.size / math.hypot(motion.vx, motion.vy)
    return Scene(
        arithmetic=arithmetic.paced(stride),
        pawl=tuple(points),
        pawl_convex=whole.convex,
        hinge=start,
        velocity=pace,
        obstacles=around,
        scale=scale,
        bodies=Bodies(whole.rigid, around.floats, motion),
        index=build_index(around.floats, motion, whole.reach),
        until=arithmetic.scalar(until),
        stops=stops,
        reach=whole.reach,
        stride=stride,
        pivot=centre,
    )


def reversed_scene(scene: Scene, until: Fraction) -> Scene:
    """The same with the hinge moved the other way: where it was at t it is at -t."""
    x, y = scene.velocity
    hinge = scene.bodies.hinge
    reverse = hinge._replace(vx=-hinge.vx, vy=-hinge.vy)
    return replace(
        scene,
        velocity=(-x, -y),
        bodies=scene.bodies._replace(hinge=reverse),
        index=build_index(scene.bodies.obstacles, reverse, scene.reach),
        until=scene.arithmetic.scalar(until),
        curves={},
    )
