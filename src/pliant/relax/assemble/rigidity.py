"""How stiff is stiff: the stiffness of what is rigid, where the model does not say."""

from __future__ import annotations

from collections.abc import Iterator
from math import dist, hypot

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.assemble.links import bar_stiffness
from pliant.relax.model import Attraction, Mechanism

ABOVE = 10_000.0  # times as stiff as the stiffest that gives way
NEAREST = 1e-3  # of the drawing: fields that grow without bound near their centre count from here


def rigid_stiffness(model: Mechanism, drawn: Floats) -> float:
    """Stiffness of rigid elements: 1 without forces, else far above springs, and loads over the size."""
    if model.stiffness is not None:
        return model.stiffness
    size = float(np.ptp(drawn, axis=0).max()) or 1.0
    largest = max((*_elastic(model), *(force / size for force in _forces(model, drawn, size))), default=0.0)
    return ABOVE * largest or 1.0


def _elastic(model: Mechanism) -> Iterator[float]:
    """Stiffnesses of the elastic elements."""
    for bar in model.bars:
        if bar.stiffness is not None or bar.modulus is not None:
            first, last = bar.nodes[0], bar.nodes[-1]
            yield bar_stiffness(bar, bar.length or dist(model.nodes[first], model.nodes[last])) or 0.0
    yield from (spring.stiffness for spring in model.springs)
    for element in (
        *model.strings, *model.wraps, *model.actuators, *model.bumpers, *model.plates, *model.rotors,
        *model.sliders, *model.gears, *model.cylinders, *model.contacts,
    ):  # fmt: skip
        if element.stiffness is not None:
            yield element.stiffness


def _forces(model: Mechanism, drawn: Floats, size: float) -> Iterator[float]:
    """Magnitudes of the external forces (N)."""
    for load in model.loads:
        yield hypot(*load.force)
        yield hypot(*(load.to or ()))
    masses = np.array([model.masses.get(name, 1.0) for name in model.nodes])
    if model.gravity is not None:
        yield hypot(*model.gravity) * float(masses.max())
    yield from (_strongest_pull(field, drawn, masses, size) for field in model.fields)


def _strongest_pull(field: Attraction, drawn: Floats, masses: Floats, size: float) -> float:
    far = np.maximum(np.linalg.norm(drawn - np.array(field.centre), axis=1), NEAREST * size)
    return float(np.max(np.abs(field.strength) * masses * far**field.power))
