"""What is known of where a joint is: circles and lines; two that cross give it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats
from pliant.linkage.structure.rule import FLAT
from pliant.linkage.structure.rule_plan import PrismaticPair


@dataclass(frozen=True)
class CircleLocus:
    """A joint keeps its distance from a known one, or a motor sets it."""

    link: int  # -1 of a strut
    centre: int
    motor: int = -1  # of a strut


@dataclass(frozen=True)
class LineLocus:
    """A joint stays on a line through `foot`, whose drawn `direction` turns with two known joints."""

    foot: int
    base: tuple[int, int]
    direction: tuple[int, int]
    sliders: tuple[int, ...]  # that say so
    pair: PrismaticPair | None = None  # of links that turn as one, where that is why

    @property
    def is_guide(self) -> bool:
        """Whether it is a guide: the line of two known joints."""
        return self.base == self.direction and self.foot == self.base[0]


Locus = CircleLocus | LineLocus


def crossing_sine(drawn: Floats, k: int, first: Locus, second: Locus) -> float:
    """How squarely two loci of joint k cross in the drawing, 0 to 1; -1 where they do not give it."""
    if isinstance(first, LineLocus):
        if not isinstance(second, LineLocus) or not (first.is_guide or second.is_guide):
            return -1.0
        directions = [drawn[b] - drawn[a] for a, b in (first.direction, second.direction)]
        sine = _sine(*directions)
        return sine if sine > FLAT else -1.0
    bar = drawn[k] - drawn[first.centre]
    if isinstance(second, LineLocus):
        a, b = second.direction
        other = drawn[b] - drawn[a]
        return abs(float(bar @ other)) / (np.hypot(*bar) * np.hypot(*other)) if second.is_guide else -1.0
    return -1.0 if first.centre == second.centre else _sine(bar, drawn[k] - drawn[second.centre])


def _sine(u: Floats, v: Floats) -> float:
    return abs(float(u[0] * v[1] - u[1] * v[0])) / float(np.hypot(*u) * np.hypot(*v))
