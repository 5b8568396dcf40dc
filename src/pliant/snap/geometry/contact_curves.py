"""The curve of one contact in the slice (t, u): (1+u²) F = α(u) t + β(u), free where F is not negative."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pliant.snap.arithmetic.protocol import Arithmetic, Coordinates, Poly
from pliant.snap.geometry.features import VERTEX, FeaturePair
from pliant.snap.geometry.outlines import cross, dot, minus
from pliant.snap.geometry.pawl_scene import Scene

MakePoly = Callable[[Sequence[float]], Poly]


@dataclass(frozen=True)
class ContactCurve:
    """A contact's curve, and where along its edge the vertex is: 0 ≤ λ(u) t + ρ(u) ≤ length (1+u²).

    Source: [DonaldPai1993] eqs 3, 4 and 23. Differs: d may have any sign, and t is solved for instead of u,
    so that there is one branch (their sec. 8.3.2) and no resultant (their sec. 8.2).
    """

    pair: FeaturePair
    alpha: Poly
    beta: Poly
    lam: Poly
    rho: Poly
    beyond: Poly  # length (1+u²) - ρ
    round: Poly | None  # V, where α = V (1+u²)
    arithmetic: Arithmetic

    @property
    def line(self) -> tuple[Poly, Poly]:
        """α and β."""
        return self.alpha, self.beta

    @cached_property
    def turning(self) -> Poly:
        """Zero where dt/du is: the curve has a vertical tangent."""
        return self.alpha.derivative() * self.beta - self.alpha * self.beta.derivative()

    @cached_property
    def begin(self) -> Poly:
        """Zero where the vertex is at the edge's first end, while it is on the curve.

        α ρ - λ β has the factor 1 + u², as the distance from the hinge to that end does not depend on u.
        """
        return self.arithmetic.without_round(self.alpha * self.rho - self.lam * self.beta)

    @cached_property
    def end(self) -> Poly:
        """Zero where it is at the other end."""
        return self.arithmetic.without_round(self.alpha * self.beyond + self.lam * self.beta)

    @property
    def is_flat(self) -> bool:
        """Whether t does not appear: the edge is parallel to the motion."""
        return self.alpha.is_zero()

    def meets(self, other: ContactCurve) -> Poly:
        """Zero where the two curves meet; zero throughout where they are one."""
        if self.round is not None and other.round is not None:
            return other.beta * self.round - self.beta * other.round
        return self.alpha * other.beta - other.alpha * self.beta


def contact_curve(scene: Scene, pair: FeaturePair, turn: int) -> ContactCurve:
    """The curve of a pair of features in a chart: the pawl turned by `turn` half turns and 2 atan u."""
    key = pair, turn % 2
    if key not in scene.curves:
        made = _make_curve(scene, pair, -1 if turn % 2 else 1)
        scene.curves[key] = made if scene.arithmetic.is_exact else _with_term_sizes(scene, made)
    return scene.curves[key]


def _with_term_sizes(scene: Scene, made: ContactCurve) -> ContactCurve:
    """The curve in floats that know the size of their terms, so that what cancels counts as zero."""
    kind, i, j = made.pair
    edge = obstacle_edge(scene, j)[1] if kind == VERTEX else pawl_edge(scene, i, 1)[1]
    apart, reach = minus(scene.corner(j), scene.hinge), scene.pawl[i]
    length = math.hypot(*edge)
    far = (math.hypot(*apart) + math.hypot(*reach) + length) * length
    speed = math.hypot(*scene.velocity) * length
    sized = scene.arithmetic.with_term_size
    return replace(
        made,
        alpha=sized(made.alpha, speed),
        lam=sized(made.lam, speed),
        beta=sized(made.beta, far),
        rho=sized(made.rho, far),
        beyond=sized(made.beyond, far),
    )


def _make_curve(scene: Scene, pair: FeaturePair, sign: int) -> ContactCurve:
    poly = scene.arithmetic.poly
    hinge, velocity = scene.hinge, scene.velocity
    if pair[0] == VERTEX:
        vertex = scale_vector(scene.pawl[pair[1]], sign)
        start, edge = obstacle_edge(scene, pair[2])
        normal, gap = outward_normal(edge), minus(hinge, start)
        off, along = dot(velocity, normal), dot(velocity, edge)
        rho = rotated_product(poly, vertex, edge, dot(gap, edge))
        beta = rotated_product(poly, vertex, normal, dot(gap, normal))
        alpha, lam, rest = poly([off, 0, off]), poly([along, 0, along]), _beyond_edge(poly, edge, rho)
        return ContactCurve(pair, alpha, beta, lam, rho, rest, poly([off]), scene.arithmetic)
    start, edge = pawl_edge(scene, pair[1], sign)
    normal, gap = outward_normal(edge), minus(scene.corner(pair[2]), hinge)
    rho = rotated_product(poly, edge, gap, -dot(start, edge))
    beta = rotated_product(poly, normal, gap, -dot(start, normal))
    alpha = -rotated_product(poly, normal, velocity, 0)
    lam, rest = -rotated_product(poly, edge, velocity, 0), _beyond_edge(poly, edge, rho)
    return ContactCurve(pair, alpha, beta, lam, rho, rest, None, scene.arithmetic)


def _beyond_edge(poly: MakePoly, edge: Coordinates, rho: Poly) -> Poly:
    square = dot(edge, edge)
    return poly([square, 0, square]) - rho


def rotated_product(poly: MakePoly, vector: Coordinates, onto: Coordinates, constant: float) -> Poly:
    """(1+u²) (R vector · onto + constant), as a polynomial in u = tan(angle / 2)."""
    inner = dot(vector, onto)
    return poly([inner + constant, 2 * cross(vector, onto), constant - inner])


def obstacle_edge(scene: Scene, edge: int) -> tuple[Coordinates, Coordinates]:
    """Where an obstacle's edge starts, and which way it goes."""
    start = scene.corner(edge)
    return start, minus(scene.corner(scene.obstacles.following[edge]), start)


def pawl_edge(scene: Scene, edge: int, sign: int) -> tuple[Coordinates, Coordinates]:
    """Where a pawl's edge starts, and which way it goes, with the pawl turned by a half turn or not."""
    start = scale_vector(scene.pawl[edge], sign)
    return start, minus(scale_vector(scene.pawl[(edge + 1) % len(scene.pawl)], sign), start)


def outward_normal(edge: Coordinates) -> Coordinates:
    """The outward normal, as long as the edge."""
    return edge[1], -edge[0]


def scale_vector(a: Coordinates, factor: int) -> Coordinates:
    """A multiple of a vector."""
    return factor * a[0], factor * a[1]
