"""What fields do to nodes, for all of them at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.network.elements import Fields


class FieldForces(NamedTuple):
    """Force, stiffness and energy of one field on N nodes in D axes."""

    away: Floats  # (N, D) the way to its centre
    across: Floats  # (N,) force for a unit of that way, which is its stiffness across it, too
    along: Floats  # (N,) what its stiffness along the way is more, divided by the square of the way


def field_forces(fields: Fields, x: Floats) -> Iterator[FieldForces]:
    """Force strength · mass · distance^power towards each centre (N, D); 0 at it and on overflow."""
    for at, strength, power in zip(fields.at, fields.strength, fields.power, strict=True):
        away = at - x
        square = (away**2).sum(axis=1)
        with np.errstate(all="ignore"):
            across = strength * fields.masses * square ** (0.5 * (power - 1.0))
            along = (power - 1.0) * across / square
        finite = np.isfinite(across) & np.isfinite(along) & (square > 0.0)
        yield FieldForces(away, np.where(finite, across, 0.0), np.where(finite, along, 0.0))
