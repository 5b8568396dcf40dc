"""What comes back from a flex study: the motion, the numbers, and who is to blame for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pliant.core.arrays import Floats, Ints
from pliant.core.motion import Shape
from pliant.flex.diagnosis.as_drawn import DrawnOverlap, Violation
from pliant.flex.diagnosis.contact_forces import ContactForce, ForceChain
from pliant.flex.diagnosis.reactions import Reaction
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

    status: FlexStatus  # how it ended
    model: Assembly  # that was solved
    study: FlexStudy  # what was asked
    objective: float  # reached
    linear: float | None  # the first program's estimate; None where it has no bound
    left: float | None  # what the last program would still gain
    steps: int  # linear programs taken along the way
    violation: float  # of the worst row at the end
    overlap: float  # thickest at any accepted pose: area over the length it is shared along
    path_overlap: float  # a bound on the overlap between the frames
    gap: float  # typical clearance (length), by which steps are measured
    threshold: float  # overlap (length) that a step may cause
    rows: int  # of the first program
    columns: int  # of the first program
    contacts: tuple[ContactForce, ...]  # forces at the end under the unit load, with their joints' shares
    chain: ForceChain | None  # forces at the end, under the unit load
    frames: Frames  # poses along the way
    shapes: tuple[Shape, ...]  # inset
    shape_of: Ints  # (B,)
    pin_error: float  # farthest that a pivot's two points came apart (length)
    solvers: tuple[str, ...]  # that solved programs, by name
    relaxed: float  # most that rows were widened by so that a program had an answer (length)
    seconds: Mapping[str, float]  # by phase
    drawn: tuple[DrawnOverlap, ...] = ()  # pairs that overlap as drawn, the deepest first
    needed: float = 0.0  # the clearance at which they would all come apart
    lost: tuple[str, ...] = ()  # bodies that such a clearance leaves in pieces, or nothing of
    violated: tuple[Violation, ...] = ()  # what does not hold as drawn, the worst first
    leaving: Leaving | None = None  # bodies that go on for ever, if any do
    turning: Turning | None = None  # bodies that turn for ever, if any do
    restarts: Restarts | None = None  # ends from other poses, where they were asked for
    stages: tuple[StageEnd, ...] = ()  # of a study in stages, those that were begun
    note: str = ""  # what is known beyond the status
    reactions: tuple[Reaction, ...] = ()  # forces at the end under the study's loads, the largest first

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
