"""What contradicts what in a groove."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import InitErrorDetails

from pliant.core.errors import Fault, InputError
from pliant.core.model import get, unknown


def reference_faults(data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
    balls = get(data, "balls")
    if isinstance(balls, Mapping):
        yield from unknown([(("study", "ball"), get(get(data, "study"), "ball"))], balls, "ball")


def check_ball(ball: str | None) -> str:
    if ball is None:
        raise InputError([Fault("study.ball", "names no ball to roll", 'Add ball = "…" to [study]')])
    return ball
