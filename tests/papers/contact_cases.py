"""What the tests of [DonaldPai1993] share: small scenes, and the paper's formulas as printed."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import shapely
from numpy.typing import NDArray

from pliant.snap.generate import ring, vector
from pliant.snap.model import Fastener, Obstacle, Pawl, Root, SnapStudy
from pliant.snap.result import Event, SnapResult, Way
from pliant.snap.solve import solve

Floats = NDArray[np.float64]
Rational = int | Fraction
Points = Sequence[tuple[Rational, Rational]]


def fastener(
    pawl: Points,
    *obstacles: Points,
    velocity: tuple[Rational, Rational] = (0, -1),
    hinge: tuple[Rational, Rational] = (0, 0),
    until: Rational = 20,
    friction: Rational = 0,
    root: Points | None = None,
) -> Fastener:
    """One pawl, drawn about its hinge, among obstacles."""
    return Fastener(
        friction=Fraction(friction),
        root=Root(
            velocity=vector(*velocity), until=Fraction(until), outline=None if root is None else ring(*root)
        ),
        pawls=(Pawl(name="pawl", hinge=vector(*hinge), outline=ring(*pawl), stiffness=Fraction(100)),),
        obstacles=tuple(Obstacle(outline=ring(*outline)) for outline in obstacles),
    )


def run(model: Fastener, **study: object) -> SnapResult:
    """Solved by a study of these settings."""
    return solve(model, SnapStudy.model_validate(study))


def kinds(way: Way) -> list[str]:
    """What happens, in order."""
    return [event.kind for event in way.events]
