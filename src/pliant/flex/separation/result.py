"""What comes back from taking an assembly apart: the ways out in order, and what holds the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pliant.core.arrays import Floats, Ints
from pliant.core.motion import Shape
from pliant.flex.model import Assembly, SeparateStudy
from pliant.flex.separation.ways_out import WayOut
from pliant.flex.status import SeparationStatus
from pliant.view.shown import Shown


@dataclass(frozen=True)
class Interlock:
    """Bodies for which no way apart was found, and what is known to first order, with all joints closed."""

    bodies: tuple[str, ...]
    proved: bool  # nothing moves to first order
    unbalanced: float  # of the forces that prove it: the largest of |Jᵀy|, y ≥ 1, in natural units
    least_singular: float  # of J over its largest


@dataclass(frozen=True)
class DisassemblyTree:
    """A group of bodies, and the groups it comes apart into; none where it is one part, or does not."""

    bodies: tuple[str, ...]
    branches: tuple[DisassemblyTree, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """As the result's JSON has it."""
        return {"bodies": list(self.bodies), "branches": [branch.to_dict() for branch in self.branches]}


@dataclass(frozen=True, repr=False, eq=False)
class SeparationResult(Shown):
    """How an assembly comes apart, or what holds it."""

    status: SeparationStatus  # how it ended
    model: Assembly  # that was taken apart
    study: SeparateStudy  # what was asked
    ways: tuple[WayOut, ...]  # in order
    first: tuple[str, ...]  # bodies that can leave first, each alone
    moves: Mapping[str, tuple[float, float, float]]  # ẋ, ẏ, θ̇ of each body as drawn, or empty
    tree: DisassemblyTree  # groups and what they come apart into
    interlocks: tuple[Interlock, ...]  # what does not come apart
    gap: float  # typical clearance (length)
    shapes: tuple[Shape, ...]  # inset
    shape_of: Ints  # (B,)
    drawn: Floats  # (B, 3) poses as drawn
    seconds: Mapping[str, float]  # by phase

    @property
    def message(self) -> str:
        """The status as a sentence."""
        return str(self.status)

    @property
    def key(self) -> str | None:
        """The key piece: the only one that can leave first, of three or more."""
        return self.first[0] if len(self.first) == 1 and len(self.model.bodies) > 2 else None
