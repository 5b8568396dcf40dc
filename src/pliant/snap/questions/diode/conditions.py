"""What can hold of a pawl's configuration whichever way it got there: contacts, their ends, cones.

The hinge is at w from where it started and the pawl at u = tan(angle / 2). Every condition is linear in w:
x(u) w₁ + y(u) w₂ + z(u) = 0. Along one direction w = t d, and it is the sweep's α(u) t + β(u) = 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

from flint import fmpz_poly

from pliant.snap.arithmetic.exact import exact_line
from pliant.snap.arithmetic.protocol import Coordinates, Line
from pliant.snap.geometry.contact_curves import contact_curve, rotated_product, scale_vector
from pliant.snap.geometry.features import EDGE, VERTEX, FeaturePair
from pliant.snap.geometry.outlines import minus
from pliant.snap.geometry.pawl_scene import Scene
from pliant.snap.sweep.friction_cone import friction_cone, friction_terms

NOTHING = fmpz_poly([])
GoalLine = tuple[tuple[Fraction, Fraction], Fraction]  # n and c of n · w = c


@dataclass(frozen=True)
class Condition:
    """One condition: x(u) w₁ + y(u) w₂ + z(u) = 0."""

    x: fmpz_poly
    y: fmpz_poly
    z: fmpz_poly

    def tangent(self) -> Condition:
        """Zero where it does not change with u."""
        return Condition(self.x.derivative(), self.y.derivative(), self.z.derivative())

    def along(self) -> Condition:
        """Zero where it does not change in the direction of w."""
        return Condition(self.x, self.y, NOTHING)

    def at(self, w: tuple[fmpz_poly, fmpz_poly, fmpz_poly]) -> fmpz_poly:
        """Zero where it holds at W₁ / W₃, W₂ / W₃."""
        return self.x * w[0] + self.y * w[1] + self.z * w[2]

    def cross(self, other: Condition) -> tuple[fmpz_poly, fmpz_poly, fmpz_poly]:
        """W of the w = (W₁, W₂) / W₃ where both hold."""
        return (
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )


@dataclass(frozen=True)
class AxisScenes:
    """A pawl's scene, moved along x and along y: what is linear in the velocity is known by the two."""

    x: Scene
    y: Scene

    def row(self, along_x: Line, along_y: Line) -> Condition:
        """Of a(u) t + b(u) along either."""
        (x, z), (y, _) = exact_line(along_x), exact_line(along_y)
        return Condition(x, y, z)


def axis_scenes(scene: Scene) -> AxisScenes:
    """Of a scene along any direction, in the least integers: its own are as great as the direction's."""
    values = [value for vector in (*scene.pawl, scene.hinge, scene.pivot) for value in vector]
    scale = lcm(scene.obstacles.scale, *{Fraction(int(value), scene.scale).denominator for value in values})

    def taken(vector: Coordinates) -> Coordinates:
        return int(vector[0]) * scale // scene.scale, int(vector[1]) * scale // scene.scale

    pawl, hinge, pivot = tuple(map(taken, scene.pawl)), taken(scene.hinge), taken(scene.pivot)
    along_x = replace(scene, pawl=pawl, hinge=hinge, pivot=pivot, scale=scale, velocity=(1, 0), curves={})
    return AxisScenes(along_x, replace(along_x, velocity=(0, 1), curves={}))


def contact_condition(both: AxisScenes, pair: FeaturePair, turn: int) -> Condition:
    """Zero where a vertex is on an edge's line."""
    return both.row(contact_curve(both.x, pair, turn).line, contact_curve(both.y, pair, turn).line)


def end_conditions(both: AxisScenes, pair: FeaturePair, turn: int) -> Iterator[Condition]:
    """Zero where, along the edge, it is at one of its ends."""
    on_x, on_y = contact_curve(both.x, pair, turn), contact_curve(both.y, pair, turn)
    yield both.row((on_x.lam, on_x.rho), (on_y.lam, on_y.rho))
    yield both.row((-on_x.lam, on_x.beyond), (-on_y.lam, on_y.beyond))


def friction_conditions(
    both: AxisScenes, pair: FeaturePair, turn: int, friction: Fraction
) -> Iterator[Condition]:
    """Zero where the line from the hinge to the contact is an edge of the cone, or at a right angle to w."""
    cones = (_cone(scene, pair, turn, friction) for scene in (both.x, both.y))
    for along_x, along_y in zip(*cones, strict=True):
        yield both.row(along_x, along_y)
    if pair[0] == VERTEX:
        lever = scale_vector(both.x.pawl[pair[1]], -1 if turn % 2 else 1)
        right, up = both.x.pivot
        poly = both.x.arithmetic.poly
        across = rotated_product(poly, lever, (1, 0), -right), rotated_product(poly, lever, (0, 1), -up)
        yield Condition(*exact_line(across), NOTHING)


def _cone(scene: Scene, pair: FeaturePair, turn: int, friction: Fraction) -> tuple[Line, Line]:
    return friction_cone(scene, friction_terms(scene, contact_curve(scene, pair, turn), turn), friction)


@dataclass(frozen=True)
class DiameterCircle:
    """A condition on the hinge alone: w lies on the circle through 0 and (x, y), with these as a diameter.

    There the line from the hinge to a corner at (x, y) is at a right angle to w, and friction turns about.
    """

    x: int
    y: int

    def at(self, w: tuple[Any, Any, Any]) -> Any:
        """Zero where W₁ / W₃, W₂ / W₃ is on it."""
        first, second, whole = w
        return (first * self.x + second * self.y) * whole - first * first - second * second


def diameter_circles(scene: Scene, pairs: Iterable[FeaturePair]) -> set[DiameterCircle]:
    """Of every corner that an edge of the pawl can touch."""
    corners = {j for kind, _, j in pairs if kind == EDGE}
    ends = (minus(minus(scene.corner(j), scene.hinge), scene.pivot) for j in corners)
    return {DiameterCircle(int(x), int(y)) for x, y in ends}


def goal_condition(scene: Scene, line: GoalLine) -> Condition:
    """Zero on a line across the way."""
    (nx, ny), distance = line
    whole = lcm(nx.denominator, ny.denominator, (distance * scene.scale).denominator)
    x, y, z = (fmpz_poly([int(value * whole)]) for value in (nx, ny, -distance * scene.scale))
    return Condition(x, y, z)


def pairs_among(scene: Scene, pairs: Iterable[FeaturePair]) -> list[FeaturePair]:
    """Every vertex with every edge, of the features that some pairs are made of and their neighbours."""
    around, count = scene.obstacles, len(scene.pawl)
    vertices: set[int] = set()
    corners: set[int] = set()
    for kind, i, j in pairs:
        vertices |= {i} if kind == VERTEX else {i, (i + 1) % count}
        corners |= {j} if kind == EDGE else {j, around.following[j]}
    faces = {edge for vertex in vertices for edge in (vertex, (vertex - 1) % count)}
    edges = {edge for corner in corners for edge in (corner, around.before[corner])}
    on_edges: list[FeaturePair] = [(VERTEX, i, j) for i in vertices if scene.pawl_convex[i] for j in edges]
    return [*on_edges, *((EDGE, i, j) for i in faces for j in corners if around.convex[j])]
