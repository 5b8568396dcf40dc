"""Where friction locks a contact: the line from hinge to contact lies in the friction cone and resists.

Where the hinge stands for a beam, it is the beam's pivot in place of the hinge: a force through it bends the
beam without pushing its nose aside. With r from there to contact and N the normal of the force on the pawl, a
contact locks where
|r x N| ≤ μ |r · N| and sgn(r · N) (r · v) < 0. Every quantity in it is a(u) t + b(u), so that the places
where it changes are roots of polynomials in u on an arc, and of linear ones in t on a flat segment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key

from pliant.snap.arithmetic.numbers import RealNumber
from pliant.snap.arithmetic.protocol import Arithmetic, Line, SlicePoint
from pliant.snap.geometry.contact_curves import (
    ContactCurve,
    obstacle_edge,
    outward_normal,
    pawl_edge,
    rotated_product,
    scale_vector,
)
from pliant.snap.geometry.features import VERTEX
from pliant.snap.geometry.outlines import dot, minus
from pliant.snap.geometry.pawl_scene import Scene
from pliant.snap.sweep.path import MotionKind

LockSearch = Callable[
    [Scene, SlicePoint, SlicePoint, Sequence[ContactCurve], MotionKind], SlicePoint | None
]  # where a contact locks on the way, or None


@dataclass(frozen=True)
class FrictionTerms:
    """What decides whether a contact slides: each a(u) t + b(u), up to a positive factor."""

    across: Line  # r x N
    along: Line  # r · N
    ahead: Line  # r · v


def friction_terms(scene: Scene, contact: ContactCurve, turn: int) -> FrictionTerms:
    """Of a contact: what its friction depends on.

    Source: [DonaldPai1993] Props 6.1, 6.2, eqs 11, 17. Differs: one test for both types of contact, for any
    sign of d and wherever the hinge is; their time of sticking for type B has (1+μ²) for its root.
    """
    poly, sign = scene.arithmetic.poly, -1 if turn % 2 else 1
    none, pivot = poly([0]), scene.pivot
    if contact.pair[0] == VERTEX:
        vertex = scale_vector(scene.pawl[contact.pair[1]], sign)
        normal = outward_normal(obstacle_edge(scene, contact.pair[2])[1])
        across = rotated_product(poly, vertex, outward_normal(normal), -dot(pivot, outward_normal(normal)))
        return FrictionTerms(
            (none, across),
            (none, rotated_product(poly, vertex, normal, -dot(pivot, normal))),
            (none, rotated_product(poly, vertex, scene.velocity, -dot(pivot, scene.velocity))),
        )
    start, edge = pawl_edge(scene, contact.pair[1], sign)
    normal, gap = outward_normal(edge), minus(minus(scene.corner(contact.pair[2]), scene.hinge), pivot)
    depth = dot(start, normal)
    across = rotated_product(poly, normal, outward_normal(gap), 0)
    moving = -rotated_product(poly, normal, outward_normal(scene.velocity), 0)
    speed = dot(scene.velocity, scene.velocity)
    reach = dot(gap, scene.velocity)
    return FrictionTerms(
        (moving, across),
        (none, rotated_product(poly, normal, pivot, -depth)),
        (poly([-speed, 0, -speed]), poly([reach, 0, reach])),
    )


def lock_search(friction: Fraction) -> LockSearch:
    """Where contacts lock at this friction, as the sweep asks for it."""

    def lock(
        scene: Scene, start: SlicePoint, end: SlicePoint, curves: Sequence[ContactCurve], motion: MotionKind
    ) -> SlicePoint | None:
        if friction == 0 or motion == "rest" or not curves:
            return None
        places: list[SlicePoint] = []
        for contact in curves:
            place = _lock_point(scene, start, end, contact, curves[0], friction, motion)
            if place is None:
                return None  # flush: as long as one of its ends slides, all do
            places.append(place)
        return max(places, key=cmp_to_key(_time_order))

    return lock


def _time_order(first: SlicePoint, second: SlicePoint) -> int:
    """Which of two points is further on in t."""
    return first.against(second.time)


def friction_cone(scene: Scene, contact: FrictionTerms, friction: Fraction) -> tuple[Line, Line]:
    """The two edges of the friction cone: zero where the line from hinge to contact lies on one of them."""
    poly = scene.arithmetic.poly
    top, bottom = poly([friction.numerator]), poly([friction.denominator])
    (a, b), (_, c) = contact.across, contact.along
    return (a * bottom, b * bottom - c * top), (a * bottom, b * bottom + c * top)


def is_locked(point: SlicePoint, contact: FrictionTerms, edges: tuple[Line, Line]) -> bool:
    """Whether a contact locks at a point."""
    within = point.sign(*edges[0]) * point.sign(*edges[1]) <= 0
    return within and point.sign(*contact.along) * point.sign(*contact.ahead) < 0


def _lock_point(
    scene: Scene, start: SlicePoint, end: SlicePoint, contact: ContactCurve, arc: ContactCurve,
    friction: Fraction, motion: MotionKind,
) -> SlicePoint | None:  # fmt: skip
    """The first point from start to end where a contact locks, or None."""
    contact_grip = friction_terms(scene, contact, start.turn)
    edges = friction_cone(scene, contact_grip, friction)
    lines = (*edges, contact_grip.along, contact_grip.ahead)
    sliding = motion == "arc"
    places = (
        arc_breakpoints(scene, start, end, arc, lines)
        if sliding
        else flat_breakpoints(scene, start, end, lines)
    )
    for here, after in zip(places, [*places[1:], None], strict=True):
        if is_locked(here, contact_grip, edges):
            return here
        if after is not None and is_locked(
            point_between(scene, here, after, arc, motion), contact_grip, edges
        ):
            return here
    return None


def arc_breakpoints(
    scene: Scene, start: SlicePoint, end: SlicePoint, arc: ContactCurve, lines: Sequence[Line]
) -> list[SlicePoint]:
    """The points of an arc where one of the lines is met, and its ends."""
    arithmetic = scene.arithmetic
    breaks: list[RealNumber] = []
    for a, b in lines:
        poly = b * arc.alpha - a * arc.beta
        if not poly.is_zero():
            breaks += arithmetic.roots_after(poly, start.u, end.u, start.angle)
    rising = arithmetic.compare(end.u, start.u)
    breaks.sort(key=cmp_to_key(lambda p, q: rising * arithmetic.compare(p, q)))
    inner = [u for u in _distinct(arithmetic, breaks) if arithmetic.compare(u, end.u) != 0]
    return [start, *(arithmetic.point(u, start.turn, arc.line) for u in inner), end]


def _distinct(arithmetic: Arithmetic, numbers: Sequence[RealNumber]) -> list[RealNumber]:
    kept: list[RealNumber] = []
    for number in numbers:
        if not kept or arithmetic.compare(number, kept[-1]) != 0:
            kept.append(number)
    return kept


def flat_breakpoints(
    scene: Scene, start: SlicePoint, end: SlicePoint, lines: Sequence[Line]
) -> list[SlicePoint]:
    """The same along a flat segment, in order of t."""
    arithmetic = scene.arithmetic
    breaks: list[SlicePoint] = []
    for line in lines:
        rising = arithmetic.sign_at(line[0], start.u)
        if rising and start.sign(*line) * rising < 0 < end.sign(*line) * rising:
            breaks.append(arithmetic.point(start.u, start.turn, line))
    breaks.sort(key=cmp_to_key(_time_order))
    return [start, *breaks, end]


def point_between(
    scene: Scene, here: SlicePoint, after: SlicePoint, arc: ContactCurve, motion: MotionKind
) -> SlicePoint:
    """A point strictly between two of a piece."""
    arithmetic = scene.arithmetic
    if motion == "arc":
        return arithmetic.point(arithmetic.between(here.u, after.u), here.turn, arc.line)
    return arithmetic.point(here.u, here.turn, None, arithmetic.between(here.time, after.time))
