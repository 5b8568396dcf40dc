"""How far a linkage can be run from its drawn pose: what ends that, and where it may go on in two ways."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from pliant.core.arrays import Floats
from pliant.linkage.structure.rule_plan import RulePlan

UNFINISHED = "unfinished"  # how a path ends that was followed as far as work allows
INFINITE = "infinite"  # how a path ends whose joints run off
DRAWN_IN = "drawn in"  # how a path ends whose strut has no length left


@dataclass(frozen=True)
class MotionLimit:
    """Where the motors can go no further, and the joints that are stretched or folded there."""

    t: float
    joints: tuple[str, ...]
    how: str  # "folded", "stretched", "square", "on one line", "locked together", "lost", or one of the above


@dataclass(frozen=True)
class ChangePoint:
    """A pose from which the linkage can go on in two ways."""

    t: float
    joint: str
    op: int
    crossed: bool  # went straight on, to the other side
    how: str  # as that of a stop, or "together" for those of a coupled group
    beyond: tuple[float, Floats] | None = field(default=None, compare=False)  # of a group: t and pose (N, 2)


@dataclass(frozen=True)
class MotionRange:
    """The part of the path that can be run from the drawn pose."""

    low: float
    high: float
    below: MotionLimit | None
    above: MotionLimit | None
    changes: tuple[ChangePoint, ...]
    origin: float  # the drawn pose

    @property
    def limits(self) -> tuple[MotionLimit, ...]:
        """What ends it, the lower first."""
        return tuple(limit for limit in (self.below, self.above) if limit is not None)

    def signs(self, plan: RulePlan, t: Floats) -> list[tuple[slice, Floats]]:
        """Runs of the samples t (ascending) and the side of each rule there."""
        crossed = sorted(change.t for change in self.changes if change.crossed)
        cuts = [0, *np.searchsorted(t, crossed, side="right").tolist(), len(t)]
        return [
            (slice(a, b), self._signs_at(plan, float(t[(a + b) // 2]))) for a, b in pairwise(cuts) if b > a
        ]

    def pose_beyond_change(self, t: float) -> tuple[float, Floats] | None:
        """The pose (t and (N, 2)) beyond the last change point of a group on the way to t, if any."""
        changes = [
            change
            for change in self.changes
            if change.beyond is not None and min(self.origin, t) < change.t < max(self.origin, t)
        ]
        last = max(changes, key=lambda change: abs(change.t - self.origin), default=None)
        return None if last is None else last.beyond

    def _signs_at(self, plan: RulePlan, t: float) -> Floats:
        signs = plan.signs.copy()
        for change in self.changes:
            if change.crossed and min(self.origin, t) < change.t < max(self.origin, t):
                signs[change.op] *= -1
        return signs
