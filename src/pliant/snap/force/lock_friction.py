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

from pliant.snap.arithmetic.numbers import Number, is_at_most, order, reduced_float
from pliant.snap.geometry.contact_curves import curve
from pliant.snap.sweep.friction import Grip, between, grip, on_arc, on_flat
from pliant.snap.sweep.path import Path, Piece
from pliant.snap.sweep.plan import Course, ended_at


@dataclass(frozen=True)
class Threshold:
    """Friction above which a contact locks, who locks, and at which t.

    At the value itself it locks too, unless the contact only begins to resist there (r · v = 0).
    """

    friction: Number
    pawl: str
    t: float

    @property
    def value(self) -> float:
        """As a float."""
        return reduced_float(self.friction)

    def locks_at(self, friction: Fraction) -> bool:
        """Whether a contact locks at a friction, decided exactly where the threshold is exact."""
        if friction == 0:
            return False  # even where the hinge is in line with what resists, as nothing sticks
        return is_at_most(self.friction, friction)


def threshold(courses: Sequence[Course]) -> Threshold | None:
    """The friction above which a contact of courses without any would lock; None if none can."""
    best: Threshold | None = None
    for course in courses:
        for pawl, path in course.paths.items():
            for value, t in (*_of_path(path, course.end), *_at_dead_centre(path, course.end)):
                if best is None or order(value, best.friction) < 0:
                    best = Threshold(value, pawl, t)
    return best


def _of_path(path: Path, end: Any) -> Iterable[tuple[Number, float]]:
    for whole in path.pieces:
        if whole.contacts and whole.start.against(end) <= 0:
            late = whole.end.against(end) > 0
            piece = whole._replace(end=ended_at(path, end).end) if late else whole
            found = [_of_contact(path, piece, pair) for pair in piece.contacts]
            kept = [entry for entry in found if entry is not None]
            if len(kept) == len(found):  # flush: it slides as long as one of its ends does
                yield max(kept, key=cmp_to_key(lambda a, b: order(a[0], b[0])))


def _at_dead_centre(path: Path, end: Any) -> Iterable[tuple[Number, float]]:
    """Where a pawl can go either way, a contact that resists locks it before it does."""
    if path.cause == "dead centre" and path.end.against(end) <= 0:
        for pair in path.touching:
            contact = grip(path.scene, curve(path.scene, pair, path.end.turn), path.end.turn)
            value = _ratio(path, path.end, contact) if _resists(path.end, contact) else None
            if value is not None:
                yield value, path.end.t


def _of_contact(path: Path, piece: Piece, pair: Any) -> tuple[Number, float] | None:
    """The least |r x N| / |r · N| over the part of a piece where the contact resists."""
    scene = path.scene
    contact = grip(scene, curve(scene, pair, piece.turn), piece.turn)
    places = _places(path, piece, contact)
    best: tuple[Number, float] | None = None
    for here, after in pairwise(places):
        if _resists(_between(path, piece, here, after), contact):
            for place in (here, after):
                value = _ratio(path, place, contact)
                if value is not None and (best is None or order(value, best[0]) < 0):
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


def _ratio(path: Path, point: Any, contact: Grip) -> Number | None:
    """|r x N| / |r · N| at a point, None where the contact is at a right angle to the lever."""
    return path.scene.arithmetic.ratio(point, contact.across, contact.along[1])
