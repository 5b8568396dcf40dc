"""The friction at which a fastener starts to lock, exactly.

Friction does not change the way a pawl goes, only how far. A contact that resists locks where
|r x N| / |r · N| is no more than μ, so that the least of it along the way without friction is the threshold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from flint import fmpz_poly

from pliant.snap.arithmetic.algebraic import Algebraic, compare, quotient, sign_at
from pliant.snap.arithmetic.polynomials import rational
from pliant.snap.geometry.contact_curves import curve
from pliant.snap.sweep.friction import Grip, between, grip, on_arc, on_flat
from pliant.snap.sweep.path import Path, Piece
from pliant.snap.sweep.plan import Course, ended_at


@dataclass(frozen=True)
class Threshold:
    """Friction above which a contact locks, who locks, and at which t.

    At the value itself it locks too, unless the contact only begins to resist there (r · v = 0).
    """

    friction: Any  # a number of the arithmetic
    pawl: str
    t: float

    @property
    def value(self) -> float:
        """As a float."""
        return self.friction if isinstance(self.friction, float) else self.friction.reduced.near

    def locks_at(self, friction: Fraction) -> bool:
        """Whether a contact locks at a friction, decided exactly where the threshold is exact."""
        if friction == 0:
            return False  # even where the hinge is in line with what resists, as nothing sticks
        if isinstance(self.friction, float):
            return self.friction <= friction
        return compare(self.friction, Algebraic.of(rational(friction))) <= 0


def threshold(courses: Sequence[Course]) -> Threshold | None:
    """The friction above which a contact of courses without any would lock; None if none can."""
    best: Threshold | None = None
    for course in courses:
        for pawl, path in course.paths.items():
            for value, t in (*_of_path(path, course.end), *_at_dead_centre(path, course.end)):
                if best is None or _less(value, best.friction):
                    best = Threshold(value, pawl, t)
    return best


def _less(first: Any, second: Any) -> bool:
    return _order(first, second) < 0


def _of_path(path: Path, end: Any) -> Iterable[tuple[Any, float]]:
    for whole in path.pieces:
        if whole.contacts and whole.start.against(end) <= 0:
            late = whole.end.against(end) > 0
            piece = whole._replace(end=ended_at(path, end).end) if late else whole
            found = [_of_contact(path, piece, pair) for pair in piece.contacts]
            kept = [entry for entry in found if entry is not None]
            if len(kept) == len(found):  # flush: it slides as long as one of its ends does
                yield max(kept, key=cmp_to_key(lambda a, b: _order(a[0], b[0])))


def _at_dead_centre(path: Path, end: Any) -> Iterable[tuple[Any, float]]:
    """Where a pawl can go either way, a contact that resists locks it before it does."""
    if path.cause == "dead centre" and path.end.against(end) <= 0:
        for pair in path.touching:
            contact = grip(path.scene, curve(path.scene, pair, path.end.turn), path.end.turn)
            value = _ratio(path.end, contact) if _resists(path.end, contact) else None
            if value is not None:
                yield value, path.end.t


def _order(first: Any, second: Any) -> int:
    return (first > second) - (first < second) if isinstance(first, float) else compare(first, second)


def _of_contact(path: Path, piece: Piece, pair: Any) -> tuple[Any, float] | None:
    """The least |r x N| / |r · N| over the part of a piece where the contact resists."""
    scene = path.scene
    contact = grip(scene, curve(scene, pair, piece.turn), piece.turn)
    places = _places(path, piece, contact)
    best: tuple[Any, float] | None = None
    for here, after in pairwise(places):
        if _resists(_between(path, piece, here, after), contact):
            for place in (here, after):
                value = _ratio(place, contact)
                if value is not None and (best is None or _less(value, best[0])):
                    best = value, place.t
    return best


def _resists(point: Any, contact: Grip) -> bool:
    return point.sign(*contact.along) * point.sign(*contact.ahead) < 0


def _places(path: Path, piece: Piece, contact: Grip) -> list[Any]:
    """The ends of a piece, and where the contact starts or ceases to resist or points at the hinge."""
    lines = (contact.across, contact.along, contact.ahead)
    if piece.motion == "arc":
        arc = curve(path.scene, piece.contacts[0], piece.turn)
        return on_arc(path.scene, piece.start, piece.end, arc, lines)
    return on_flat(path.scene, piece.start, piece.end, lines)


def _between(path: Path, piece: Piece, here: Any, after: Any) -> Any:
    arc = curve(path.scene, piece.contacts[0], piece.turn)
    return between(path.scene, here, after, arc, piece.motion)


def _ratio(point: Any, contact: Grip) -> Any:
    """|r x N| / |r · N| at a point, None where the contact is at a right angle to the lever."""
    (a, b), (_, c) = contact.across, contact.along
    if not isinstance(point.u, Algebraic):
        bottom = c(point.u)
        return abs((a(point.u) * point.t + b(point.u)) / bottom) if bottom else None
    if sign_at(c, point.u) == 0:
        return None
    if a.is_zero():
        return _absolute(quotient(point.u, b, c))
    if point.line is None:  # on a flat segment after a snap: t is a number of its own
        return _absolute(_independent(point, a, b, c))
    alpha, beta = point.line
    return _absolute(quotient(point.u, b * alpha - a * beta, alpha * c))


def _independent(point: Any, a: fmpz_poly, b: fmpz_poly, c: fmpz_poly) -> Algebraic:
    """(a t + b) / c where u is rational, as on a wall parallel to the motion."""
    u = point.u.reduced
    slope, constant = a(u.low) / c(u.low), b(u.low) / c(u.low)
    top = fmpz_poly([constant.p * slope.q, slope.p * constant.q])
    return quotient(point.time, top, fmpz_poly([slope.q * constant.q]))


def _absolute(value: Algebraic) -> Algebraic:
    return value if compare(value, Algebraic.of(value.low * 0)) >= 0 else value.negated
