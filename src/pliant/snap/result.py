"""What comes back from a fastener, as data: the way in and back, and what else was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pliant.snap.force.snap_trajectory import SnapEvent, SnapTrajectory
from pliant.snap.geometry.pawl_scene import UnitedObstacles
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.questions.design_search import BestDesign
from pliant.snap.questions.diode.classification import Diode
from pliant.snap.questions.knife_edge import KnifeEdge
from pliant.snap.questions.stability import Margin
from pliant.snap.questions.uncertainty import Outcomes
from pliant.snap.status import SnapStatus
from pliant.view.shown import Shown


@dataclass(frozen=True, repr=False, eq=False)
class SnapResult(Shown):
    """A fastener's way in, and what else was asked for."""

    model: Fastener  # that was moved
    study: SnapStudy  # what was asked
    fixed: UnitedObstacles  # all obstacles as one region
    way_in: SnapTrajectory  # the motion as planned
    way_back: SnapTrajectory | None  # the motion reversed, where it was asked for
    remarks: tuple[str, ...]  # what is to be known beside the figures
    seconds: Mapping[str, float]  # by phase
    diode: Diode | None = None  # asked for by `classify`
    outcomes: Outcomes | None = None  # by `uncertain`
    margins: tuple[Margin, ...] = ()  # by `stability`
    design: BestDesign | None = None  # by `search`
    knife_edge: KnifeEdge | None = None  # corner meets corner: the ways are those of the side that goes in

    @property
    def status(self) -> SnapStatus:
        """How the way in ended; that it depends on the side, where corner meets corner."""
        return self.way_in.status if self.knife_edge is None else SnapStatus.KNIFE_EDGE

    @property
    def ways(self) -> tuple[SnapTrajectory, ...]:
        """The way in, and the way back where there is one."""
        return (self.way_in,) if self.way_back is None else (self.way_in, self.way_back)

    @property
    def digits(self) -> int:
        """How many digits of the peak forces are to be proved: those asked for, of exact events."""
        asked = "digits" in self.study.model_fields_set and self.study.arithmetic == "exact"
        return self.study.digits if asked else 0

    @property
    def events(self) -> tuple[SnapEvent, ...]:
        """Of the way in."""
        return self.way_in.events

    @property
    def peak_force(self) -> float:
        """Of the way in."""
        return self.way_in.peak_force
