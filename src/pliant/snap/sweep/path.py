"""The path of one pawl along one leg: what a sweep finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from pliant.snap.geometry.features import Pair
from pliant.snap.geometry.scene import Scene

MotionKind = Literal["rest", "arc", "flat"]
EndCause = Literal["until", "jam", "stop", "lock", "dead centre", "limit"]


class PathPiece(NamedTuple):
    """The pawl at rest, sliding on an arc, or at one angle along a flat contact, between two points."""

    motion: MotionKind
    start: Any  # a point of the arithmetic
    end: Any
    contacts: tuple[Pair, ...]  # those that coincide; the first is followed

    @property
    def turn(self) -> int:
        """The chart it is in."""
        return self.start.turn


class PathEvent(NamedTuple):
    """An event: where, what kind by the paper's numerals, and which pairs touch then."""

    kind: str
    point: Any
    contacts: tuple[Pair, ...]


@dataclass(frozen=True)
class Path:
    """A pawl's motion: pieces in order of t, what happens between them, and how it ends."""

    scene: Scene
    pieces: tuple[PathPiece, ...]
    happenings: tuple[PathEvent, ...]
    cause: EndCause
    end: Any
    touching: tuple[Pair, ...]  # at the end


@dataclass
class PathRecord:
    """What a sweep has found so far."""

    scene: Scene
    pieces: list[PathPiece]
    happenings: list[PathEvent]

    def note(self, kind: str, point: Any, contacts: Iterable[Pair]) -> None:
        """An event."""
        self.happenings.append(PathEvent(kind, point, tuple(contacts)))

    def note_change(
        self, before: Sequence[Pair], after: Sequence[Pair], point: Any, contacts: Sequence[Pair]
    ) -> None:
        """Name what happened between two motions that followed some pairs, none at rest, if anything did."""
        if after and not set(before) & set(after):
            others = [pair for pair in contacts if pair not in after]
            self.note("change" if before else "contact", point, [*after, *others])
        elif before and not after:
            self.note("release", point, contacts)

    def note_snap(self, point: Any, contacts: Sequence[Pair]) -> None:
        """The pawl leaves one contact, or one of several."""
        self.note("snap off" if len(contacts) < 2 else "snap from a vertex", point, contacts)

    def over(self, cause: EndCause, point: Any, contacts: Iterable[Pair]) -> Path:
        """The path, which ends here."""
        return Path(self.scene, tuple(self.pieces), tuple(self.happenings), cause, point, tuple(contacts))
