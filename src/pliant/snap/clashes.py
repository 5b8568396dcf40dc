"""Where pawls would run into each other or into the root: the method takes them to pass, so it is said.

Source: [DonaldPai1993] sec. 2, the first assumption.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from shapely import Polygon, affinity

from pliant.snap.forces import Span, angles, spans
from pliant.snap.model import Fastener
from pliant.snap.standing import turned_outline
from pliant.snap.travel import ROOT, ZERO, Course, Vector

SAMPLES = 9  # of a stretch
SWING = 33  # of a snap
SMALL = 1e-6  # of the smaller part's area: what counts as more overlap than as drawn
HALVINGS = 30

Overlap = Callable[[float], float]


@dataclass(frozen=True)
class Part:
    """A pawl, or the root, about its hinge."""

    name: str
    outline: Polygon
    hinge: tuple[float, float]

    def turned(self, angle: float) -> Polygon:
        """At an angle, without the translation that all parts share."""
        about = affinity.rotate(self.outline, angle, (0, 0), use_radians=True) if angle else self.outline
        return affinity.translate(about, *self.hinge)

    def angle(self, course: Course, span: Span, t: float) -> float:
        """At a moment of a stretch; the root does not turn."""
        if self.name == ROOT or self.name not in span.pieces:
            return 0.0
        return float(angles(course.paths[self.name], span.pieces[self.name], np.array([t]))[0])


def clashes(model: Fastener, courses: Sequence[Course]) -> Iterator[str]:
    """One sentence for each two parts that come to overlap on the way, with where they begin to."""
    parts = [_part(pawl.name, turned_outline(model, pawl), pawl.hinge) for pawl in model.pawls]
    if model.root.outline is not None:
        parts.append(_part(ROOT, model.root.outline, ZERO))
    for first, second in combinations(parts, 2):
        travel = _begins(courses, first, second)
        if travel is not None:
            who, where = f"{first.name!r} and {second.name!r}", f"from {travel:.4g} {model.units} on"
            yield f"{who} overlap {where}: pawls and the root do not stop each other."


def _part(name: str, outline: Sequence[Vector], hinge: Vector) -> Part:
    return Part(name, Polygon([(float(x), float(y)) for x, y in outline]), (float(hinge[0]), float(hinge[1])))


def _begins(courses: Sequence[Course], first: Part, second: Part) -> float | None:
    """How far the root had gone when two parts began to overlap more than as drawn."""

    def overlap(one: float, other: float) -> float:
        return first.turned(one).intersection(second.turned(other)).area

    limit = overlap(0.0, 0.0) + SMALL * min(first.outline.area, second.outline.area)
    gone = 0.0
    for course in courses:
        last: tuple[float, float] | None = None
        for span in spans(course):

            def at(t: float, course: Course = course, span: Span = span) -> float:
                return overlap(first.angle(course, span, t), second.angle(course, span, t)) - limit

            here = first.angle(course, span, span.begin), second.angle(course, span, span.begin)
            if last is not None and _in_a_snap(overlap, last, here, limit):
                return gone + (span.begin - course.begins) * course.speed
            begins = _first_over(at, np.linspace(span.begin, span.end, SAMPLES).tolist())
            if begins is not None:
                return gone + (begins - course.begins) * course.speed
            last = first.angle(course, span, span.end), second.angle(course, span, span.end)
        gone += course.travel
    return None


def _in_a_snap(
    overlap: Callable[[float, float], float],
    before: tuple[float, float],
    after: tuple[float, float],
    limit: float,
) -> bool:
    """Whether two parts overlap while one of them, or each, snaps from one angle to another."""
    if np.allclose(before, after, rtol=0.0, atol=1e-9):
        return False
    return any(overlap(one, other) > limit for one, other in np.linspace(before, after, SWING).tolist())


def _first_over(above: Overlap, moments: Sequence[float]) -> float | None:
    """When something comes to be above zero: between the first moment at which it is and the one before."""
    over = next((place for place, moment in enumerate(moments) if above(moment) > 0), None)
    if over is None:
        return None
    low, high = moments[max(over - 1, 0)], moments[over]
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if above(middle) > 0 else (middle, high)
    return high
