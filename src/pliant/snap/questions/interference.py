"""Where pawls would run into each other or into the root: the method takes them to pass, so it is said.

All of them are carried along alike, so that only how far they have turned counts. Parts whose boxes, over all
that they turn, stay apart cannot meet; the others are looked at where one of the two turns.

Source: [DonaldPai1993] sec. 2, the first assumption.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from shapely import Polygon, affinity

from pliant.core.arrays import Floats
from pliant.snap.arithmetic.numbers import RationalVector
from pliant.snap.faults import ROOT
from pliant.snap.force.contact_force import BRIEF
from pliant.snap.force.force_curve import pawl_angles
from pliant.snap.geometry.intersections import outward_boxes, overlapping_boxes
from pliant.snap.model import Fastener
from pliant.snap.sweep.path import Path, PathPiece
from pliant.snap.sweep.plan import ZERO, Course

SAMPLES = 9  # of a stretch
SWING = 33  # of a snap
SMALL = 1e-6  # of the smaller part's area: what counts as more overlap than as drawn
HALVINGS = 30
STEP = 0.1  # rad, between the turned outlines that a box is laid about

AreaAt = Callable[[float], float]


@dataclass(frozen=True)
class TurningPart:
    """A pawl, or the root, about its hinge."""

    name: str
    outline: Polygon
    corners: Floats  # (K, 2)
    hinge: tuple[float, float]

    def turned(self, angle: float) -> Polygon:
        """At an angle, without the translation that all parts share."""
        about = affinity.rotate(self.outline, angle, (0, 0), use_radians=True) if angle else self.outline
        return affinity.translate(about, *self.hinge)

    def box(self, low: float, high: float) -> tuple[Floats, Floats]:
        """The corners of a box about the part at every angle between two."""
        at = np.linspace(low, high, 2 + int((high - low) / STEP))[:, None]
        x = np.cos(at) * self.corners[:, 0] - np.sin(at) * self.corners[:, 1] + self.hinge[0]
        y = np.sin(at) * self.corners[:, 0] + np.cos(at) * self.corners[:, 1] + self.hinge[1]
        slack = np.hypot(*self.corners.T).max() * (1 - math.cos(STEP / 2)) if high > low else 0.0
        return np.array([x.min(), y.min()]) - slack, np.array([x.max(), y.max()]) + slack


def interferences(model: Fastener, courses: Sequence[Course]) -> Iterator[str]:
    """One sentence for each two parts that come to overlap on the way, with where they begin to."""
    parts = [_part(pawl.name, model.outline_at_rest(pawl), pawl.hinge) for pawl in model.pawls]
    if model.root.outline is not None:
        parts.append(_part(ROOT, model.root.outline, ZERO))
    swept = [part.box(*_turns(part, courses)) for part in parts]
    boxes = outward_boxes(np.array([low for low, _ in swept]), np.array([high for _, high in swept]))
    for i, j in sorted((min(pair), max(pair)) for pair in overlapping_boxes(boxes)):
        first, second = parts[i], parts[j]
        travel = _overlap_start(courses, first, second)
        if travel is not None:
            who, where = f"{first.name!r} and {second.name!r}", f"from {travel:.4g} {model.units} on"
            yield f"{who} overlap {where}: pawls and the root do not stop each other."


def _part(name: str, outline: Sequence[RationalVector], hinge: RationalVector) -> TurningPart:
    corners = np.array([(float(x), float(y)) for x, y in outline])
    return TurningPart(name, Polygon(corners), corners, (float(hinge[0]), float(hinge[1])))


def _turns(part: TurningPart, courses: Sequence[Course]) -> tuple[float, float]:
    """The least and the greatest angle of a part: between the ends of a piece it turns one way."""
    angles = [0.0]
    for course in courses:
        for piece in () if part.name == ROOT else course.paths[part.name].pieces:
            angles += [piece.turn * math.pi + 2 * math.atan(end.angle) for end in (piece.start, piece.end)]
    return min(angles), max(angles)


class AngleStretch(NamedTuple):
    """Moments of a course between which two parts keep their contacts, and their angles at them."""

    t: Floats
    turned: Floats  # (K, 2)
    at: Callable[[Floats], Floats]  # the angles at any moments of it


def _stretches(course: Course, first: TurningPart, second: TurningPart) -> Iterator[AngleStretch]:
    """Where neither of two parts changes its contact: with as many moments as are worth it."""
    paths = [None if part.name == ROOT else course.paths[part.name] for part in (first, second)]
    marks = {course.begins, course.ends}
    for path in paths:
        marks |= {t for piece in (path.pieces if path else ()) for t in (piece.start.t, piece.end.t)}
    inside = sorted(mark for mark in marks if course.begins <= mark <= course.ends)
    for begin, end in pairwise(inside):
        if end - begin > BRIEF * (course.ends - course.begins):
            held = [_piece_at(path, 0.5 * (begin + end)) for path in paths]
            moving = any(piece is not None and piece.motion == "arc" for piece in held)
            t = np.linspace(begin, end, SAMPLES if moving else 2)

            def at(t: Floats, held: list[PathPiece | None] = held) -> Floats:
                return np.column_stack([_angles(*each, t) for each in zip(paths, held, strict=True)])

            yield AngleStretch(t, at(t), at)


def _piece_at(path: Path | None, t: float) -> PathPiece | None:
    """The piece of a path that a t is in; None of the root, and on a snap."""
    if path is None:
        return None
    place = bisect_right(path.pieces, t, key=lambda piece: piece.start.t) - 1
    return path.pieces[place] if place >= 0 and t <= path.pieces[place].end.t else None


def _angles(path: Path | None, piece: PathPiece | None, t: Floats) -> Floats:
    return np.zeros(len(t)) if path is None or piece is None else pawl_angles(path, piece, t)


def _overlap_start(courses: Sequence[Course], first: TurningPart, second: TurningPart) -> float | None:
    """How far the root had gone when two parts began to overlap more than as drawn."""

    def overlap(one: float, other: float) -> float:
        return first.turned(one).intersection(second.turned(other)).area

    limit = overlap(0.0, 0.0) + SMALL * min(first.outline.area, second.outline.area)
    gone = 0.0
    for course in courses:
        last: tuple[float, float] | None = None
        for stretch in _stretches(course, first, second):
            turned = stretch.turned
            if last is not None and _overlaps_in_snap(overlap, last, (turned[0, 0], turned[0, 1]), limit):
                return gone + (stretch.t[0] - course.begins) * course.speed

            def at(t: float, stretch: AngleStretch = stretch) -> float:
                one, other = stretch.at(np.array([t]))[0].tolist()
                return overlap(one, other) - limit

            still = np.ptp(turned, axis=0).max() <= 1e-12
            begins = _first_over(at, stretch.t.tolist()[: 1 if still else None])
            if begins is not None:
                return gone + (begins - course.begins) * course.speed
            last = (turned[-1, 0], turned[-1, 1])
        gone += course.travel
    return None


def _overlaps_in_snap(
    overlap: Callable[[float, float], float], before: tuple[float, float], after: tuple[float, float],
    limit: float,
) -> bool:  # fmt: skip
    """Whether two parts overlap while one of them, or each, snaps from one angle to another."""
    if np.allclose(before, after, rtol=0.0, atol=1e-9):
        return False
    return any(overlap(one, other) > limit for one, other in np.linspace(before, after, SWING).tolist())


def _first_over(above: AreaAt, moments: Sequence[float]) -> float | None:
    """When something comes to be above zero: between the first moment at which it is and the one before."""
    over = next((place for place, moment in enumerate(moments) if above(moment) > 0), None)
    if over is None:
        return None
    low, high = moments[max(over - 1, 0)], moments[over]
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if above(middle) > 0 else (middle, high)
    return high
