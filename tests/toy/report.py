from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.toy.model import Groove
from tests.toy.result import RollResult

from pliant.core.store import model_hash, sayable, version


def summary(result: RollResult) -> str:
    return f"Rolls by {result.x[-1] - result.x[0]:.6g} {result.model.units}.\n  frames  {len(result.x)}"


def to_dict(result: RollResult) -> dict[str, Any]:
    data = {
        "kind": "groove",
        "command": "roll",
        "status": result.status.name.lower(),
        "message": str(result.status),
        "seconds": result.seconds,
        "version": version(),
        "model": model_hash(result.model),
        "x": result.x.tolist(),
    }
    return {**sayable(data), "motion": result.motion.to_dict()}


def describe(model: Groove) -> Iterator[tuple[str, str]]:
    yield "balls", str(len(model.balls))


def part_count(model: Groove) -> int:
    return len(model.balls)
