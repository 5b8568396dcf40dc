"""Where pawls would run into each other or into the root: the method takes them to pass, so it is said.

Source: [DonaldPai1993] sec. 2, the first assumption.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np
from shapely import Polygon, affinity

from pliant.snap.forces import Span, angles, spans
from pliant.snap.model import Fastener
from pliant.snap.travel import ROOT, Course, Vector, turned_outline

SAMPLES = 9  # of a stretch
SMALL = 1e-6  # of the smaller part's area: what counts as more overlap than as drawn
HALVINGS = 30

Overlap = Callable[[Course, Span, float], float]


def clashes(model: Fastener, courses: Sequence[Course]) -> Iterator[str]:
    """One sentence for each two parts that come to overlap on the way, with where they begin to."""
    parts = {pawl.name: _polygon(turned_outline(model, pawl)) for pawl in model.pawls}
    hinges = {pawl.name: (float(pawl.hinge[0]), float(pawl.hinge[1])) for pawl in model.pawls}
    if model.root.outline is not None:
        parts[ROOT], hinges[ROOT] = _polygon(model.root.outline), (0.0, 0.0)
    for first, second in combinations(parts, 2):
        travel = _begins(parts, hinges, courses, first, second)
        if travel is not None:
            where = f"from {travel:.4g} {model.units} on"
            yield f"{first!r} and {second!r} overlap {where}: pawls and the root do not stop each other."


def _polygon(outline: Sequence[Vector]) -> Polygon:
    return Polygon([(float(x), float(y)) for x, y in outline])


def _begins(
    parts: dict[str, Polygon], hinges: dict[str, tuple[float, float]], courses: Sequence[Course],
    first: str, second: str,
) -> float | None:  # fmt: skip
    """How far the root had gone when two parts began to overlap more than as drawn."""

    def overlap(course: Course, span: Span | None, t: float) -> float:
        one, other = (_placed(parts[name], hinges[name], course, span, name, t) for name in (first, second))
        return one.intersection(other).area

    drawn = overlap(courses[0], None, 0.0)
    limit = drawn + SMALL * min(parts[first].area, parts[second].area)
    gone = 0.0
    for course in courses:
        for span in spans(course):
            last = span.begin
            for t in np.linspace(span.begin, span.end, SAMPLES).tolist():
                if overlap(course, span, t) > limit:
                    begins = _closed_in(course, span, last, t, overlap, limit)
                    return gone + (begins - course.begins) * course.speed
                last = t
        gone += course.travel
    return None


def _placed(
    part: Polygon, hinge: tuple[float, float], course: Course, span: Span | None, name: str, t: float
) -> Polygon:
    """A part turned about its hinge, without the translation that all of them share."""
    if span is None or name not in span.pieces or name == ROOT:
        return affinity.translate(part, *hinge)
    angle = float(angles(course.paths[name], span.pieces[name], np.array([t]))[0])
    return affinity.translate(affinity.rotate(part, angle, (0, 0), use_radians=True), *hinge)


def _closed_in(course: Course, span: Span, low: float, high: float, overlap: Overlap, limit: float) -> float:
    """When the overlap begins, between two t."""
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if overlap(course, span, middle) > limit else (middle, high)
    return high
