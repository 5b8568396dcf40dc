from __future__ import annotations

from dataclasses import dataclass

from tests.toy.model import Groove, RollStudy
from tests.toy.status import RollStatus

from pliant.core.arrays import Floats
from pliant.view.shown import Shown


@dataclass(frozen=True, repr=False, eq=False)
class RollResult(Shown):
    """Where the ball was."""

    status: RollStatus
    model: Groove
    study: RollStudy
    x: Floats  # (F,)
    seconds: dict[str, float]
