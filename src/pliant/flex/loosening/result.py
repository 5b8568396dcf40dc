"""What comes back from a search for a clearance: the largest and the smallest, and the flex between them."""

from __future__ import annotations

from dataclasses import dataclass

from pliant.flex.model import Assembly, LoosenStudy
from pliant.flex.result import FlexResult
from pliant.flex.status import FlexStatus, LoosenStatus
from pliant.view.shown import Shown


@dataclass(frozen=True)
class FlexSample:
    """The flex at one clearance."""

    clearance: float
    flex: float  # length or rad; inf where nothing stops the motion
    status: FlexStatus


@dataclass(frozen=True, repr=False, eq=False)
class LoosenResult(Shown):
    """How loose an assembly may be made."""

    status: LoosenStatus  # how it ended
    model: Assembly  # with the clearance that was found, where one was
    study: LoosenStudy  # what was asked
    clearance: float | None  # the largest at which the flex is within its limit
    smallest: float  # at which parts do not overlap as drawn
    flex: float  # at `clearance`, or at `smallest` where none was found
    samples: tuple[FlexSample, ...]  # by clearance
    bound_by: tuple[str, ...]  # bodies that a larger clearance would leave in pieces; of UNLIMITED
    at_clearance: FlexResult | None  # the motion there
    seconds: dict[str, float]  # by phase

    @property
    def message(self) -> str:
        """The status as a sentence."""
        return str(self.status)
