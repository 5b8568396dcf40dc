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

from pliant.snap.arithmetic.numbers import RealNumber, is_at_most, order, reduced_float
from pliant.snap.arithmetic.protocol import SlicePoint
from pliant.snap.geometry.contact_curves import contact_curve
from pliant.snap.geometry.features import FeaturePair
from pliant.snap.sweep.friction_cone import (
    FrictionTerms,
    arc_breakpoints,
    flat_breakpoints,
    friction_terms,
    point_between,
)
from pliant.snap.sweep.path import Path, PathPiece
from pliant.snap.sweep.plan import Course, path_until


@dataclass(frozen=True)
class LockThreshold:
    """Friction above which a contact locks, who locks, and at which t.

    At the value itself it locks too, unless the contact only begins to resist there (r · v = 0).
    """

    friction: RealNumber
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


def lock_threshold(courses: Sequence[Course]) -> LockThreshold | None:
    """The friction above which a contact of courses without any would lock; None if none can."""
    best: LockThreshold | None = None
    for course in courses:
        for pawl, path in course.paths.items():
            for value, t in (*_path_thresholds(path, course.end), *_dead_centre_thresholds(path, course.end)):
                if best is None or order(value, best.friction) < 0:
                    best = LockThreshold(value, pawl, t)
    return best


def _path_thresholds(path: Path, end: RealNumber) -> Iterable[tuple[RealNumber, float]]:
    for whole in path.pieces:
        if whole.contacts and whole.start.against(end) <= 0:
            late = whole.end.against(end) > 0
            piece = whole._replace(end=path_until(path, end).end) if late else whole
            thresholds = [_contact_threshold(path, piece, pair) for pair in piece.contacts]
            kept = [entry for entry in thresholds if entry is not None]
            if len(kept) == len(thresholds):  # flush: it slides as long as one of its ends does
                yield max(kept, key=cmp_to_key(lambda a, b: order(a[0], b[0])))


def _dead_centre_thresholds(path: Path, end: RealNumber) -> Iterable[tuple[RealNumber, float]]:
    """Where a pawl can go either way, a contact that resists locks it before it does."""
    if path.cause == "dead centre" and path.end.against(end) <= 0:
        for pair in path.touching:
            contact = friction_terms(
                path.scene, contact_curve(path.scene, pair, path.end.turn), path.end.turn
            )
            value = _ratio(path, path.end, contact) if _resists(path.end, contact) else None
            if value is not None:
                yield value, path.end.t


def _contact_threshold(path: Path, piece: PathPiece, pair: FeaturePair) -> tuple[RealNumber, float] | None:
    """The least |r x N| / |r · N| over the part of a piece where the contact resists."""
    scene = path.scene
    contact = friction_terms(scene, contact_curve(scene, pair, piece.turn), piece.turn)
    places = _places(path, piece, contact)
    best: tuple[RealNumber, float] | None = None
    for here, after in pairwise(places):
        if _resists(_point_between(path, piece, here, after), contact):
            for place in (here, after):
                value = _ratio(path, place, contact)
                if value is not None and (best is None or order(value, best[0]) < 0):
                    best = value, place.t
    return best


def _resists(point: SlicePoint, contact: FrictionTerms) -> bool:
    return point.sign(*contact.along) * point.sign(*contact.ahead) < 0


def _places(path: Path, piece: PathPiece, contact: FrictionTerms) -> list[SlicePoint]:
    """The ends of a piece, and where the contact starts or ceases to resist or points at the hinge."""
    lines = (contact.across, contact.along, contact.ahead)
    if piece.motion == "arc":
        arc = contact_curve(path.scene, piece.contacts[0], piece.turn)
        return arc_breakpoints(path.scene, piece.start, piece.end, arc, lines)
    return flat_breakpoints(path.scene, piece.start, piece.end, lines)


def _point_between(path: Path, piece: PathPiece, here: SlicePoint, after: SlicePoint) -> SlicePoint:
    arc = contact_curve(path.scene, piece.contacts[0], piece.turn)
    return point_between(path.scene, here, after, arc, piece.motion)


def _ratio(path: Path, point: SlicePoint, contact: FrictionTerms) -> RealNumber | None:
    """|r x N| / |r · N| at a point, None where the contact is at a right angle to the lever."""
    return path.scene.arithmetic.ratio(point, contact.across, contact.along[1])
