"""Every outcome of a start that is not known exactly, and the starts where the outcome changes.

The root starts somewhere in a region, and keeps to a straight line in a cylinder about it. Moving the start
along the plan's direction changes when things happen, not what: what counts is how far aside it starts.
First contacts change only where a vertex of the pawl passes one of an obstacle, which is an exact place; what
comes later is found by trying between them, and closing in on every change.

Source: [DonaldPai1993] Appendix B. Differs: one sample a contact tuple misses outcomes that change within it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from pliant.core.progress import Progress, silent
from pliant.snap.arithmetic.numbers import RationalVector
from pliant.snap.arithmetic.protocol import Arithmetic
from pliant.snap.geometry.pawl_scene import UnitedObstacles
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.questions.outcome import Outcome, blocked_outcome, outcome, shifted_fastener
from pliant.snap.start.overlaps import first_overlap, obstacle_tree
from pliant.snap.sweep.contact_names import NamedContact
from pliant.snap.sweep.plan import plan_legs

WITHIN = 6  # tries between two places where the first contact can change
MOST = 400  # such places taken; beyond, starts are spread evenly
INSIDE = Fraction(419, 1009)  # of a band: a start that stands for it, hardly ever one of a symmetric design
OutcomeAt = Callable[[Fraction], Outcome]
OutcomeChange = tuple[Fraction, bool]
CLOSE = Fraction(1, 10**9)  # of the width: how near a change is closed in on


@dataclass(frozen=True)
class Band:
    """Starts from one place aside to another that come to the same."""

    low: float  # length units to the left of the plan's direction
    high: float
    outcome: Outcome
    contact: NamedContact | None  # the first
    first_at: tuple[float, float]  # t of the first contact, at either end of the band
    exact: tuple[str, str]  # the ends as fractions of the velocity's length, "" where they were closed in on


@dataclass(frozen=True)
class Outcomes:
    """A map of outcomes over the start region."""

    bands: tuple[Band, ...]
    width: float
    tried: int

    @property
    def sticking(self) -> tuple[Band, ...]:
        """Where friction locks the first contact as it is made."""
        return tuple(band for band in self.bands if band.outcome.sticks_at_once)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "width": self.width,
            "tried": self.tried,
            "bands": [
                {
                    "low": band.low,
                    "high": band.high,
                    "low_exact": band.exact[0],
                    "high_exact": band.exact[1],
                    "first_contact": None if band.contact is None else str(band.contact),
                    "first_t": list(band.first_at),
                    "end": {"cause": band.outcome.cause, "pawl": band.outcome.by, "t": band.outcome.ends},
                    "sticks_at_once": band.outcome.sticks_at_once,
                    "inside": band.outcome.inside or None,
                }
                for band in self.bands
            ],
        }


def outcomes(
    model: Fastener, study: SnapStudy, arithmetic: Arithmetic, fixed: UnitedObstacles,
    progress: Progress = silent,
) -> Outcomes:  # fmt: skip
    """Every outcome found over the study's start region; starts inside an obstacle are not followed."""
    velocity, tree = plan_legs(model)[0].velocity, obstacle_tree(model)
    low, high, behind = _extent(study, velocity)
    seen: dict[Fraction, Outcome] = {}

    def run(aside: Fraction) -> Outcome:
        if aside not in seen:
            x, y = velocity
            start = (behind * x - aside * y, behind * y + aside * x)
            moved = _lengthen_plan(shifted_fastener(model, start), -behind)
            held = first_overlap(moved, tree)
            seen[aside] = outcome(moved, arithmetic, fixed) if held is None else blocked_outcome(*held)
        return seen[aside]

    marks = _marks(model, fixed, velocity, low, high)
    places = _spread_starts(marks)
    for done, place in enumerate(places):
        progress(done, len(places), "trying starts")
        run(place)
    edges = _changes(places, run, marks, high - low)
    return _outcome_map(velocity, (low, high), edges, run, len(seen))


def _lengthen_plan(model: Fastener, by: Fraction) -> Fastener:
    """The fastener with a longer first leg, so that one that starts further back ends where it would have."""
    root = model.root
    if root.plan is not None:
        first = root.plan[0].model_copy(update={"until": root.plan[0].until + by})
        return model.model_copy(update={"root": root.model_copy(update={"plan": (first, *root.plan[1:])})})
    if root.until is None:
        return model
    return model.model_copy(update={"root": root.model_copy(update={"until": root.until + by})})


def _extent(study: SnapStudy, velocity: RationalVector) -> tuple[Fraction, Fraction, Fraction]:
    """How far aside starts can be, as multiples of the velocity turned left, and how far behind."""
    square = velocity[0] ** 2 + velocity[1] ** 2
    region = study.region or ((Fraction(0), Fraction(0)),)
    aside = [(velocity[0] * y - velocity[1] * x) / square for x, y in region]
    along = [(velocity[0] * x + velocity[1] * y) / square for x, y in region]
    reach = study.radius / Fraction(math.sqrt(square))
    return min(aside) - reach, max(aside) + reach, min(min(along) - reach, Fraction(0))


def _marks(
    model: Fastener, fixed: UnitedObstacles, velocity: RationalVector, low: Fraction, high: Fraction
) -> list[Fraction]:
    """Places aside where a vertex at rest runs at one of an obstacle: first contacts change only there."""
    square = velocity[0] ** 2 + velocity[1] ** 2

    def aside(x: Fraction, y: Fraction) -> Fraction:
        return (velocity[0] * y - velocity[1] * x) / square

    moving = {aside(*p) for p in model.root.outline or ()}
    for pawl in model.pawls:
        x, y = pawl.hinge
        moving.add(aside(x, y))  # beside which a contact changes what it turns
        moving |= {aside(a + x, b + y) for a, b in model.outline_at_rest(pawl)}
    still = {aside(*point) for point in fixed.points}
    marks = sorted({q - p for q in still for p in moving if low < q - p < high})
    if len(marks) > MOST:
        marks = [low + (high - low) * Fraction(k, MOST) for k in range(1, MOST)]
    return [low, *marks, high]


def _spread_starts(marks: list[Fraction]) -> list[Fraction]:
    """Starts between the marks, several each."""
    if marks[0] == marks[-1]:
        return [marks[0]]
    return [
        low + (high - low) * Fraction(2 * k + 1, 2 * WITHIN)
        for low, high in pairwise(marks)
        for k in range(WITHIN)
        if high > low
    ]


def _changes(
    places: list[Fraction], run: OutcomeAt, marks: list[Fraction], width: Fraction
) -> list[OutcomeChange]:
    """Where the outcome changes, and whether that is exactly there: at a mark, or closed in on."""
    changes = {c for low, high in pairwise(places) for c in _changes_between(low, high, run, marks, width)}
    return sorted(changes)


def _changes_between(
    low: Fraction, high: Fraction, run: OutcomeAt, marks: list[Fraction], width: Fraction
) -> list[OutcomeChange]:
    """The changes between two starts, by halving."""
    if run(low).signature == run(high).signature:
        return []
    mark = next((m for m in marks if low < m < high), None)
    free = not run(low).inside and not run(high).inside  # else edges tell, not only vertices
    if mark is not None and free and run(low).first != run(high).first:
        return [(mark, True)]
    middle = (low + high) / 2
    if high - low < CLOSE * width:
        return [(middle, False) if mark is None else (mark, True)]
    if middle == mark:  # where things line up for that one start
        middle = low + (high - low) * INSIDE
    return _changes_between(low, middle, run, marks, width) + _changes_between(
        middle, high, run, marks, width
    )


def _outcome_map(
    velocity: RationalVector,
    ends: tuple[Fraction, Fraction],
    edges: list[OutcomeChange],
    run: OutcomeAt,
    tried: int,
) -> Outcomes:
    """Bands between the places where the outcome changes."""
    speed = math.hypot(*map(float, velocity))
    cuts = [(ends[0], True), *edges, (ends[1], True)]
    bands: list[Band] = []
    for (low, low_exact), (high, high_exact) in pairwise(cuts):
        middle = run(low + (high - low) * INSIDE)
        inner = (high - low) / 1000
        times = (run(low + inner).first_at, run(high - inner).first_at)
        exact = (str(low) if low_exact else "", str(high) if high_exact else "")
        bands.append(Band(float(low) * speed, float(high) * speed, middle, middle.contact, times, exact))
    return Outcomes(tuple(bands), float(ends[1] - ends[0]) * speed, tried)
