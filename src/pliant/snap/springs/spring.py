"""The spring of every pawl."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pliant.core.arrays import Floats
from pliant.snap.model import Fastener, Pawl
from pliant.snap.springs.beam import beam_row, exact_stiffness, rest_strain
from pliant.snap.springs.elastica import WIDTH


@dataclass(frozen=True)
class PawlSpring:
    """What turns a pawl back: torque = stiffness · angle - preload."""

    stiffness: float
    preload: float
    beam: tuple[float, ...] = ()  # as `elastica` reads it, after the two; none for a hinge

    @property
    def row(self) -> Floats:
        """As the loops of `force` read it, (WIDTH,)."""
        values_row = np.zeros(WIDTH)
        values = (self.stiffness, self.preload, *self.beam)
        values_row[: len(values)] = values
        return values_row

    @property
    def held_strain(self) -> float:
        """Of a beam that only its preload bends, against its stop."""
        return rest_strain(self.beam) if self.beam else 0.0


FREE = PawlSpring(0.0, 0.0)


def stiffness_of(model: Fastener, pawl: Pawl) -> Fraction:
    """A pawl's own stiffness, or that of the hinge that stands for its beam."""
    return exact_stiffness(model, pawl) if pawl.beam is not None else pawl.stiffness or Fraction(0)


def springs_of(model: Fastener) -> dict[str, PawlSpring]:
    """By name."""
    return {pawl.name: _spring(model, pawl) for pawl in model.pawls}


def _spring(model: Fastener, pawl: Pawl) -> PawlSpring:
    beam = () if pawl.beam is None else beam_row(model, pawl)
    return PawlSpring(float(stiffness_of(model, pawl)), float(pawl.preload), beam)
