"""What path synthesis finds: linkages ready to run, and how near their curves are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.core.arrays import Floats
from pliant.linkage.model import Linkage
from pliant.linkage.status import SynthesisStatus
from pliant.linkage.synthesis.matching import TURN
from pliant.linkage.synthesis.polish import Fit
from pliant.linkage.synthesis.targets import PathTarget
from pliant.view.shown import Shown

GOOD = np.pi / 6  # a transmission angle that is good enough
BINDS = 0.003  # what a joint that binds counts for, over the target's size
SMALL = 2.0  # a linkage, over the target's size, that is small enough
ROOM = 0.0003  # what each such size more counts for
TOLERATED = 0.05  # how far the curve may stray between the target's points before it counts as error


@dataclass(frozen=True)
class SynthesizedLinkage:
    """One linkage. Errors and its extent are over the target's size."""

    linkage: Linkage
    fit: Fit
    points: Floats  # (F, N, 2) where its joints are, as far as its motor is driven
    rms: float  # from the target to the curve
    greatest: float
    stray: float  # the farthest that the curve goes from the target; 0 where only points are given
    transmission: float  # the least transmission angle on its way, rad
    extent: float  # the longest side of the box about its drawn joints

    @property
    def kind(self) -> str:
        """What sort of linkage it is."""
        return self.fit.family.name

    @property
    def score(self) -> float:
        """What answers are ranked by: how far off they are, and how hard to build.

        A curve that goes elsewhere too is a worse one; so is a linkage that binds, or that is large.
        """
        flat, large = max(0.0, 1 - self.transmission / GOOD), max(0.0, self.extent / SMALL - 1)
        return self.rms + max(0.0, self.stray - TOLERATED) + BINDS * flat + ROOM * large

    @property
    def path(self) -> Floats:
        """The curve that P traces, (F, 2)."""
        return self.points[:, -1]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, for JSON."""
        return {
            "kind": self.kind,
            "rms": self.rms,
            "greatest": self.greatest,
            "stray": self.stray,
            "transmission": self.transmission,
            "extent": self.extent,
            "path": self.path.tolist(),
            "linkage": self.linkage.model_dump(mode="json", exclude_unset=True),
        }


@dataclass(frozen=True, repr=False, eq=False)
class Synthesis(Shown):
    """The answers, best first."""

    status: SynthesisStatus  # how it ended
    target: PathTarget  # the curve that was asked for
    answers: tuple[SynthesizedLinkage, ...]  # the best first
    candidates: int  # that the search began with
    seed: int  # of all that was random
    seconds: dict[str, float]  # by phase


def turn_of(fit: Fit, target: PathTarget) -> float:
    """How far the motor turns in its own direction: a turn, or from the first point to the last."""
    return TURN if target.closed else float(np.abs(fit.phases).max())
