"""Which marks a frame shows, and where those that move are between two frames. Nothing here draws."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from pliant.core.motion import Mark, Motion

Sort = tuple[str, str, str, int]  # what marks that are alike have in common


@dataclass(frozen=True)
class FrameMarks:
    """The marks of a motion: those of every frame, and those of each.

    Marks that stand alike in two frames one after the other (as many of one kind, group and text, with as
    many points) are marks that move, and are blended in between.
    """

    lasting: tuple[Mark, ...]
    by_frame: dict[int, tuple[Mark, ...]]

    def at(self, frame: float) -> tuple[Mark, ...]:
        """The marks of every frame, then those of the nearest one, on their way to the next."""
        nearest = round(frame)
        here = self.by_frame.get(nearest, ())
        other = nearest + (1 if frame > nearest else -1)
        if frame == nearest or other not in self.by_frame:
            return (*self.lasting, *here)
        return (*self.lasting, *_blend_marks(here, self.by_frame[other], abs(frame - nearest)))


def marks_of(motion: Motion) -> FrameMarks:
    """The marks of a motion, sorted by frame."""
    by_frame: dict[int, list[Mark]] = {}
    for mark in motion.marks:
        if mark.frame is not None:
            by_frame.setdefault(mark.frame, []).append(mark)
    lasting = tuple(mark for mark in motion.marks if mark.frame is None)
    return FrameMarks(lasting, {frame: tuple(marks) for frame, marks in by_frame.items()})


def _blend_marks(here: tuple[Mark, ...], there: tuple[Mark, ...], share: float) -> list[Mark]:
    """Marks part of the way to their like in a frame beside."""
    fellows: dict[Sort, list[Mark]] = {}
    for mark in there:
        fellows.setdefault(_sort(mark), []).append(mark)
    counts, seen = Counter(map(_sort, here)), Counter[Sort]()
    blended: list[Mark] = []
    for mark in here:
        sort = _sort(mark)
        like = fellows.get(sort, [])
        if len(like) == counts[sort]:
            other = like[seen[sort]]
            seen[sort] += 1
            blended.append(replace(mark, points=mark.points + share * (other.points - mark.points)))
        else:
            blended.append(mark)
    return blended


def _sort(mark: Mark) -> Sort:
    return mark.kind, mark.group, mark.text, len(mark.points)
