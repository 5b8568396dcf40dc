from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.toy.model import Groove
from tests.toy.result import RollResult

from pliant.core.store import opening, sayable


def summary(result: RollResult) -> str:
    return f"Rolls by {result.x[-1] - result.x[0]:.6g} {result.model.units}.\n  frames  {len(result.x)}"


def to_dict(result: RollResult) -> dict[str, Any]:
    head = opening("groove", "roll", result.status, str(result.status), result.seconds, result.model)
    data = {**head, "x": result.x.tolist()}
    return {**sayable(data), "motion": result.motion.to_dict()}


def describe(model: Groove) -> Iterator[tuple[str, str]]:
    yield "balls", str(len(model.balls))


def part_count(model: Groove) -> int:
    return len(model.balls)
