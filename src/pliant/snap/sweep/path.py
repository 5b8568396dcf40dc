"""The path of one pawl along one leg: what a sweep finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pliant.snap.arithmetic.protocol import SlicePoint
from pliant.snap.geometry.features import FeaturePair
from pliant.snap.geometry.pawl_scene import Scene
from pliant.snap.sweep.next_motion import NextMotion

MotionKind = Literal["rest", "arc", "flat"]
EndCause = Literal["until", "jam", "stop", "lock", "dead centre", "limit"]


class PathPiece(NamedTuple):
    """The pawl at rest, sliding on an arc, or at one angle along a flat contact, between two points."""

    motion: MotionKind
    start: SlicePoint  # a point of the arithmetic
    end: SlicePoint
    contacts: tuple[FeaturePair, ...]  # those that coincide; the first is followed

    @property
    def turn(self) -> int:
        """The chart it is in."""
        return self.start.turn


class PathEvent(NamedTuple):
    """An event: where, what kind by the paper's numerals, and which pairs touch then."""

    kind: str
    point: SlicePoint
    contacts: tuple[FeaturePair, ...]


@dataclass(frozen=True)
class Path:
    """A pawl's motion: pieces in order of t, what happens between them, and how it ends."""

    scene: Scene
    pieces: tuple[PathPiece, ...]
    events: tuple[PathEvent, ...]
    cause: EndCause
    end: SlicePoint
    touching: tuple[FeaturePair, ...]  # at the end


class PawlState(NamedTuple):
    """Where a pawl is, what touches it, what comes next, and what ended its path if something did."""

    point: SlicePoint
    contacts: tuple[FeaturePair, ...]
    going: NextMotion
    cause: EndCause | Literal[""] = ""

    @property
    def followed(self) -> tuple[FeaturePair, ...]:
        """The pairs whose curves come next: several where they coincide, none at rest."""
        return tuple(contact.pair for contact in self.going.curves)


@dataclass
class PathRecord:
    """What a sweep has found so far."""

    scene: Scene
    pieces: list[PathPiece]
    events: list[PathEvent]

    def note(self, kind: str, point: SlicePoint, contacts: Iterable[FeaturePair]) -> None:
        """An event."""
        self.events.append(PathEvent(kind, point, tuple(contacts)))

    def note_change(
        self,
        before: Sequence[FeaturePair],
        after: Sequence[FeaturePair],
        point: SlicePoint,
        contacts: Sequence[FeaturePair],
    ) -> None:
        """Name what happened between two motions that followed some pairs, none at rest, if anything did."""
        if after and not set(before) & set(after):
            others = [pair for pair in contacts if pair not in after]
            self.note("change" if before else "contact", point, [*after, *others])
        elif before and not after:
            self.note("release", point, contacts)

    def note_snap(self, point: SlicePoint, contacts: Sequence[FeaturePair]) -> None:
        """The pawl leaves one contact, or one of several."""
        self.note("snap off" if len(contacts) < 2 else "snap from a vertex", point, contacts)

    def over(self, cause: EndCause, point: SlicePoint, contacts: Iterable[FeaturePair]) -> Path:
        """The path, which ends here."""
        return Path(self.scene, tuple(self.pieces), tuple(self.events), cause, point, tuple(contacts))
