"""The spring of every pawl."""

from __future__ import annotations

from fractions import Fraction

from pliant.snap.force.force_curve import Spring
from pliant.snap.model import Fastener, Pawl
from pliant.snap.springs.beam import bending, exact_stiffness


def stiffness_of(model: Fastener, pawl: Pawl) -> Fraction:
    """A pawl's own stiffness, or that of the hinge that stands for its beam."""
    return exact_stiffness(model, pawl) if pawl.beam is not None else pawl.stiffness or Fraction(0)


def springs_of(model: Fastener) -> dict[str, Spring]:
    """By name."""
    return {pawl.name: _spring(model, pawl) for pawl in model.pawls}


def _spring(model: Fastener, pawl: Pawl) -> Spring:
    beam = () if pawl.beam is None else bending(model, pawl)
    return Spring(float(stiffness_of(model, pawl)), float(pawl.preload), beam)
