"""What comes back from a flex study: the motion, the numbers, and who is to blame for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pliant.core.arrays import Floats, Ints
from pliant.core.motion import Shape
from pliant.flex.diagnosis.as_drawn import DrawnOverlap, Violation
from pliant.flex.diagnosis.contact_forces import ContactForce, ForceChain
from pliant.flex.diagnosis.unbounded import Leaving, Turning
from pliant.flex.model import Assembly, FlexStudy
from pliant.flex.status import FlexStatus
from pliant.view.shown import Shown


@dataclass(frozen=True)
class Frames:
    """Poses along the motion: the accepted ones, and some on the way between them."""

    poses: Floats  # (F, B, 3) of the user's frames
    accepted: Ints  # (A,) frames that steps ended at; the first is the drawn pose
    objective: Floats  # (F,)
    overlap: Floats  # (A,) thickness by area
    violation: Floats  # (A,) of the worst row


@dataclass(frozen=True)
class Restarts:
    """Where ascents from several poses ended, the first from the drawn one."""

    objectives: tuple[float, ...]

    @property
    def agreeing(self) -> int:
        """How many of them end within 1 % of the best."""
        best = max(self.objectives)
        return sum(value >= best - 0.01 * abs(best) for value in self.objectives)


@dataclass(frozen=True)
class Stuck:
    """A body that is not where a stage was to bring it."""

    body: str
    distance: float  # of its centroid from its place
    held_by: tuple[str, ...]  # bodies that press on it, the hardest first


@dataclass(frozen=True)
class StageEnd:
    """How one stage of a study ended."""

    status: FlexStatus
    objective: float  # what the stage gained
    steps: int
    stuck: tuple[Stuck, ...] = ()  # the furthest off first


@dataclass(frozen=True, repr=False, eq=False)
class FlexResult(Shown):
    """How far the assembly went, how it ended, and what held it."""

    status: FlexStatus
    model: Assembly
    study: FlexStudy
    objective: float  # reached
    linear: float | None  # the first program's estimate; None where it has no bound
    left: float | None  # what the last program would still gain
    steps: int
    violation: float  # of the worst row at the end
    overlap: float  # thickest at any accepted pose: area over the length it is shared along
    path_overlap: float  # a bound on the overlap between the frames
    gap: float
    threshold: float
    rows: int
    columns: int
    contacts: tuple[ContactForce, ...]
    chain: ForceChain | None  # forces at the end, under the unit load
    frames: Frames
    shapes: tuple[Shape, ...]  # inset
    shape_of: Ints  # (B,)
    pin_error: float
    solvers: tuple[str, ...]
    relaxed: float
    seconds: Mapping[str, float]
    drawn: tuple[DrawnOverlap, ...] = ()  # pairs that overlap as drawn, the deepest first
    needed: float = 0.0  # the clearance at which they would all come apart
    lost: tuple[str, ...] = ()  # bodies that such a clearance leaves in pieces, or nothing of
    violated: tuple[Violation, ...] = ()  # what does not hold as drawn, the worst first
    leaving: Leaving | None = None
    turning: Turning | None = None
    restarts: Restarts | None = None
    stages: tuple[StageEnd, ...] = ()  # of a study in stages, those that were begun
    note: str = ""

    @property
    def message(self) -> str:
        """The status as a sentence, with what is known beyond it."""
        return f"{self.status}{': ' if self.note else ''}{self.note}"

    @property
    def cure(self) -> float | None:
        """The clearance at which parts that overlap as drawn come apart and stay whole; None: none does."""
        return self.needed if self.drawn and not self.lost else None

    @property
    def poses(self) -> dict[str, tuple[float, float, float]]:
        """Where each body ends: x, y, theta of its own frame."""
        final = self.frames.poses[-1].tolist()
        return {body.name: tuple(pose) for body, pose in zip(self.model.bodies, final, strict=True)}
