"""What a run comes to, so that two runs can be compared: what happens in which order, and how it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pliant.snap.arithmetic import Arithmetic
from pliant.snap.model import Fastener
from pliant.snap.scene import Obstacles, Pair
from pliant.snap.travel import Course, around, travel

Signature = tuple[Any, ...]


@dataclass(frozen=True)
class Outcome:
    """A run: what happens to each pawl in order, the first contact and when, and what ended it."""

    signature: Signature
    first: tuple[str, Pair] | None  # who touches first, and which features
    first_at: float
    cause: str
    by: str
    ends: float
    sticks_at_once: bool  # friction locks the first contact where it is made


def outcome(model: Fastener, arithmetic: Arithmetic, fixed: Obstacles | None = None) -> Outcome:
    """Run a fastener along its plan for its outcome only."""
    courses = travel(model, arithmetic, fixed or around(model))
    happenings = _in_order(courses)
    last = courses[-1]
    touches = [entry for entry in happenings if entry[3]]
    locks = [entry for entry in happenings if entry[2] == "lock"]
    first = touches[0] if touches else None
    at_once = bool(first and locks and locks[0][:2] == first[:2])
    own = {who: tuple(entry[2:] for entry in happenings if entry[1] == who) for who in last.paths}
    signature = (tuple(sorted(own.items())), last.cause, last.by, at_once)
    return Outcome(
        signature=signature,
        first=None if first is None else (first[1], first[3][0]),
        first_at=0.0 if first is None else first[0],
        cause=last.cause,
        by=last.by,
        ends=last.ends,
        sticks_at_once=at_once,
    )


def _in_order(courses: Sequence[Course]) -> list[tuple[float, str, str, tuple[Pair, ...]]]:
    """Every event as (t, who, kind, contacts), in order; those at one t by name."""
    found: list[tuple[float, str, str, tuple[Pair, ...]]] = []
    for course in courses:
        here = [
            (happening.point.t, who, happening.kind, tuple(sorted(happening.contacts)))
            for who, path in course.paths.items()
            for happening in path.happenings
            if happening.point.against(course.end) <= 0
        ]
        span = course.ends - course.begins
        found += sorted(here, key=lambda entry: (round(entry[0] / span, 11) if span else 0.0, entry[1]))
    return found


def shifted(model: Fastener, by: tuple[Fraction, Fraction]) -> Fastener:
    """The fastener started elsewhere: hinges and root moved."""
    x, y = by
    pawls = tuple(
        pawl.model_copy(update={"hinge": (pawl.hinge[0] + x, pawl.hinge[1] + y)}) for pawl in model.pawls
    )
    outline = model.root.outline
    moved = None if outline is None else tuple((a + x, b + y) for a, b in outline)
    return model.model_copy(update={"pawls": pawls, "root": model.root.model_copy(update={"outline": moved})})
