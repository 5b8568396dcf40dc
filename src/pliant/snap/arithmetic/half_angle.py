"""Angles as exact half-angle tangents: a rotation by a rational one is a rational matrix."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated, NamedTuple

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from pliant.core.model import fault
from pliant.core.quantity import angle, exact, exact_to_file

FINEST = 10**6  # places an angle is rounded to, relative to itself


class HalfAngle(NamedTuple):
    """A rotation by less than half a turn: u = tan(angle / 2), and the angle that was asked for."""

    u: Fraction
    asked: float  # radians

    @property
    def angle(self) -> float:
        """The angle that is taken, in radians."""
        return 2 * math.atan(self.u)

    @property
    def rounding(self) -> float:
        """By how much the angle taken differs from the one asked for, in radians."""
        return self.angle - self.asked

    @property
    def matrix(self) -> tuple[Fraction, Fraction]:
        """Its cosine and sine."""
        square = self.u * self.u
        return (1 - square) / (1 + square), 2 * self.u / (1 + square)


NONE = HalfAngle(Fraction(0), 0.0)


def half_angle(value: object) -> HalfAngle:
    """An angle in radians, in degrees ("30 deg"), or exactly as its half-angle tangent ("1/5 u").

    >>> half_angle("1/5 u").u, half_angle("90 deg").u
    (Fraction(1, 5), Fraction(1, 1))
    """
    if isinstance(value, HalfAngle):
        return value
    if isinstance(value, str) and value.strip().endswith("u"):
        u = exact(value.strip()[:-1])
        return HalfAngle(u, 2 * math.atan(u))
    asked = angle(value)
    if not abs(asked) < math.pi - 1e-6:
        raise fault(f"{asked:g} rad is half a turn or more", "Give an angle between -180 and 180 degrees")
    tangent = Fraction(math.tan(asked / 2))
    near = (
        tangent.limit_denominator(FINEST if abs(tangent) > 1e-3 else int(FINEST / abs(tangent)))
        if tangent
        else tangent
    )
    return HalfAngle(near, asked)


def _plain_angle(value: HalfAngle) -> float | str:
    return value.asked if value.rounding else f"{exact_to_file(value.u)} u"


HalfAngleOf = Annotated[
    HalfAngle,
    BeforeValidator(half_angle),
    PlainSerializer(_plain_angle, return_type=float | str),
    WithJsonSchema(
        {
            "anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^\s*[+-]?[0-9]"}],
            "description": 'radians, degrees as "30 deg", or exactly tan(angle/2) as "1/5 u"',
        }
    ),
]
