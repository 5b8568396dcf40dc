from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from tests.toy.model import Groove
from tests.toy.result import RollResult

from pliant.core.arrays import Floats
from pliant.core.errors import Fault
from pliant.core.motion import Mark, Motion
from pliant.view.sketch import pinned


def motion(result: RollResult) -> Motion:
    return _motion(result.model, result.x, (result.study.ball or "",))


def drawn(model: Groove) -> Motion:
    return _motion(model, np.array([*model.balls.values()])[:1], (next(iter(model.balls)),))


def _motion(model: Groove, x: Floats, names: tuple[str, ...]) -> Motion:
    points = np.stack([x, np.zeros_like(x)], axis=1)[:, None]
    return Motion("travel", model.units, x - x[0], title=model.title, point_names=names, points=points)


def sketch(data: Mapping[str, Any], faults: Sequence[Fault]) -> Iterator[Mark]:
    balls = {name: at for name, at in data.get("balls", {}).items() if isinstance(at, int)}
    return pinned("balls", {name: np.array([float(at), 0.0]) for name, at in balls.items()}, [], faults)
