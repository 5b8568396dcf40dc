"""What comes back from a proof: two bounds, the motion that reaches the lower, what the upper holds for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pliant.flex.model import Assembly, ProveStudy
from pliant.flex.result import FlexResult
from pliant.flex.status import ProofStatus
from pliant.view.shown import Shown


@dataclass(frozen=True, repr=False, eq=False)
class ProofResult(Shown):
    """Between which bounds the flex of an assembly lies."""

    status: ProofStatus  # how it ended
    model: Assembly  # whose flex is bounded
    study: ProveStudy  # what was asked
    lower: float  # reached by the witness: a length, or rad for a turn
    upper: float  # that nothing goes beyond; inf where none was found
    everything: bool  # whether the upper bound holds for all that can be reached, or for the box explored
    box: Mapping[str, tuple[tuple[float, float], ...]]  # explored, by body: from the drawn x, y and turn
    touched: tuple[str, ...]  # bodies that may leave the box
    nodes: int  # boxes that were bounded
    leaves: int  # of these, what is left at the end
    margin: float  # by which outlines were grown for the witness, so that it is free of overlap as drawn
    pivot_error: float  # a bound on how far pivots are left between its frames
    reached: float  # by flex, which allows a little overlap
    witness: FlexResult | None  # its frames are free of overlap
    flex: FlexResult  # from which it was begun
    seconds: Mapping[str, float]  # by phase

    @property
    def message(self) -> str:
        """The status as a sentence."""
        return str(self.status)

    @property
    def gap(self) -> float:
        """The width of the interval, as a share of the upper bound."""
        return (self.upper - self.lower) / abs(self.upper) if self.upper else 0.0
