"""The spring of every pawl."""

from __future__ import annotations

from fractions import Fraction

from pliant.snap.beam import exact_stiffness
from pliant.snap.forces import Spring
from pliant.snap.model import Fastener, Pawl


def stiffness_of(pawl: Pawl) -> Fraction:
    """A pawl's own stiffness, or its beam's."""
    return exact_stiffness(pawl.beam) if pawl.beam is not None else pawl.stiffness or Fraction(0)


def springs_of(model: Fastener) -> dict[str, Spring]:
    """By name."""
    return {p.name: Spring(float(stiffness_of(p)), float(p.preload)) for p in model.pawls}
