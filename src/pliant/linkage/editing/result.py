"""What comes back from an edit: the new linkage, what was achieved, and what resisted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pliant.core.motion import Mark
from pliant.linkage.model import EditStudy, Linkage
from pliant.linkage.status import EditStatus
from pliant.linkage.structure.rule_plan import structure
from pliant.view.shown import Shown


@dataclass(frozen=True)
class AchievedTarget:
    """One target, or a keep that gives way to targets: how far off at its worst place, before and after."""

    name: str
    before: float
    after: float
    reached: bool
    kept: bool = False  # a keep
    unit: str = ""  # of before and after, where it is not the model's


@dataclass(frozen=True)
class Resistance:
    """What held the targets back, and its share of their pull."""

    kind: str  # "guard" or "keep"
    what: str
    share: float
    angle: float | None = None  # of the first motor, where it is one pose that resists

    def __str__(self) -> str:
        at = "" if self.angle is None else f" at {np.degrees(self.angle):.4g}°"
        return f"{self.what}{at}"


@dataclass(frozen=True, repr=False, eq=False)
class EditResult(Shown):
    """The linkage before and after."""

    status: EditStatus  # how it ended
    original: Linkage  # before
    model: Linkage  # after
    study: EditStudy  # what was asked
    achieved: tuple[AchievedTarget, ...]  # targets and keeps, each before and after
    resisted: tuple[Resistance, ...]  # guards and keeps that stand in the way, the strongest first
    wanted: tuple[Mark, ...]  # what was asked for, to be drawn
    steps: int  # quadratic programs
    seconds: Mapping[str, float]  # by phase

    @property
    def message(self) -> str:
        """The status as a sentence, with what stood in the way."""
        guards = [str(resistance) for resistance in self.resisted if resistance.kind == "guard"]
        return str(self.status) + (f": {guards[0]}" if guards else "")

    @property
    def moved(self) -> dict[str, float]:
        """How far each joint of the drawing moved."""
        return {
            name: float(np.hypot(x - self.original.joints[name][0], y - self.original.joints[name][1]))
            for name, (x, y) in self.model.joints.items()
        }

    @property
    def lengths(self) -> dict[str, tuple[float, float]]:
        """Every length that a link fixes, before and after."""
        before, after = structure(self.original), structure(self.model)
        lengths: dict[str, tuple[float, float]] = {}
        for link in before.links:
            for at, i in enumerate(link):
                for j in link[at + 1 :]:
                    before_and_after = [float(np.hypot(*(s.drawn[i] - s.drawn[j]))) for s in (before, after)]
                    lengths[f"{before.names[i]}-{before.names[j]}"] = (
                        before_and_after[0],
                        before_and_after[1],
                    )
        return lengths
