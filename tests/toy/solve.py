"""Roll: from where a ball lies to the end of its groove."""

from __future__ import annotations

import numpy as np
from tests.toy.faults import check_ball
from tests.toy.model import Groove, RollStudy
from tests.toy.result import RollResult
from tests.toy.status import RollStatus

from pliant.core.progress import Progress, silent


def solve(model: Groove, study: RollStudy | None = None, progress: Progress = silent) -> RollResult:
    study = study or model.study
    start = model.balls[check_ball(study.ball)]
    inside = 0 <= start <= model.length
    x = np.linspace(start, model.length if inside else start, study.frames)
    status = RollStatus.ROLLED if inside else RollStatus.OUTSIDE
    return RollResult(status, model, study, x, {"solve": 0.0})


def check(model: Groove) -> None:
    check_ball(model.study.ball)
