"""What comes back from bracing a structure: the beams, and the flex before and after each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pliant.flex.bracing.grid import CellBeam
from pliant.flex.bracing.pairs import VisiblePair
from pliant.flex.model import Assembly, BraceStudy
from pliant.flex.result import FlexResult
from pliant.flex.status import BraceStatus
from pliant.view.shown import Shown


@dataclass(frozen=True)
class AddedBeam:
    """A beam that was added, and what it did."""

    beam: CellBeam
    before: float  # flex
    after: float
    tried: int  # beams whose flex was found before this one was chosen


@dataclass(frozen=True, repr=False, eq=False)
class BraceResult(Shown):
    """A structure braced, or where it ought to be."""

    status: BraceStatus  # how it ended
    model: Assembly  # with the beams that were added
    study: BraceStudy  # what was asked
    beams: tuple[AddedBeam, ...]  # in the order they were added
    pair: VisiblePair | None  # vertices that see each other and whose distance changes the most, as it is now
    before: FlexResult  # flex without beams
    after: FlexResult  # flex with all of them
    seconds: Mapping[str, float]  # by phase

    @property
    def message(self) -> str:
        """The status as a sentence."""
        return str(self.status)
