"""What a run comes to, so that two runs can be compared: what happens in which order, and how it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from pliant.snap.arithmetic.protocol import Arithmetic
from pliant.snap.geometry.features import FeaturePair
from pliant.snap.geometry.pawl_scene import Scene, UnitedObstacles
from pliant.snap.model import Fastener
from pliant.snap.sweep.contact_names import NamedContact, named_contacts
from pliant.snap.sweep.path import PathEvent
from pliant.snap.sweep.plan import Course, travel_in, united_obstacles

Signature = tuple[object, ...]


@dataclass(frozen=True)
class Outcome:
    """A run: what happens to each pawl in order, the first contact and when, and what ended it."""

    signature: Signature
    first: tuple[str, FeaturePair] | None  # who touches first, and which features
    contact: NamedContact | None  # the same by name
    first_at: float
    cause: str
    by: str
    ends: float
    sticks_at_once: bool  # friction locks the first contact where it is made
    inside: str = ""  # the obstacle that `by` lies in at the start: then nothing is followed


def outcome(model: Fastener, arithmetic: Arithmetic, fixed: UnitedObstacles | None = None) -> Outcome:
    """Run a fastener along its plan for its outcome only."""
    courses = travel_in(model, arithmetic, fixed or united_obstacles(model))
    events = _ordered_events(courses)
    last = courses[-1]
    first = next((one for one in events if one.event.contacts), None)
    lock = next((one for one in events if one.event.kind == "lock"), None)
    at_once = bool(first and lock and (lock.who, lock.t) == (first.who, first.t))
    own = {who: tuple(one.signature for one in events if one.who == who) for who in last.paths}
    return Outcome(
        signature=(tuple(sorted(own.items())), last.cause, last.by, at_once),
        first=None if first is None else (first.who, first.pair),
        contact=None if first is None else first.contact(model),
        first_at=0.0 if first is None else first.t,
        cause=last.cause,
        by=last.by,
        ends=last.ends,
        sticks_at_once=at_once,
    )


def blocked_outcome(part: str, obstacle: str) -> Outcome:
    """A start at which a part lies in an obstacle: it is not followed."""
    cause = "inside"
    return Outcome((cause, part, obstacle), None, None, 0.0, cause, part, 0.0, False, obstacle)


class _EventOf(NamedTuple):
    """An event, of whom."""

    who: str
    scene: Scene
    event: PathEvent

    @property
    def t(self) -> float:
        return self.event.point.t

    @property
    def pair(self) -> FeaturePair:
        return min(self.event.contacts)

    @property
    def signature(self) -> Signature:
        """Its kind and contacts, by what they are in the file: united obstacles are numbered otherwise."""
        feature = self.scene.obstacles.feature
        return self.event.kind, frozenset((k, i, feature(k, j)) for k, i, j in self.event.contacts)

    def contact(self, model: Fastener) -> NamedContact:
        """The first of its contacts."""
        return named_contacts(model, self.scene, self.who, self.event.point, [self.pair])[0]


def _ordered_events(courses: Sequence[Course]) -> list[_EventOf]:
    """Every event in order; those at one t by name."""
    events: list[_EventOf] = []
    for course in courses:
        here = [
            _EventOf(who, path.scene, happening)
            for who, path in course.paths.items()
            for happening in path.events
            if happening.point.against(course.end) <= 0
        ]
        span = course.ends - course.begins
        events += sorted(here, key=lambda one: (round(one.t / span, 11) if span else 0.0, one.who))
    return events


def shifted_fastener(model: Fastener, by: tuple[Fraction, Fraction]) -> Fastener:
    """The fastener started elsewhere: hinges and root moved."""
    x, y = by
    pawls = tuple(
        pawl.model_copy(update={"hinge": (pawl.hinge[0] + x, pawl.hinge[1] + y)}) for pawl in model.pawls
    )
    outline = model.root.outline
    moved = None if outline is None else tuple((a + x, b + y) for a, b in outline)
    return model.model_copy(update={"pawls": pawls, "root": model.root.model_copy(update={"outline": moved})})
