"""Where parts stand before anything moves: outlines of a model in the world, exactly."""

from __future__ import annotations

from collections.abc import Sequence

from pliant.snap.geometry.outlines import Vector
from pliant.snap.model import Fastener, Obstacle, Pawl


def turned_outline(model: Fastener, pawl: Pawl) -> Sequence[Vector]:
    """A pawl's outline about its hinge, as its spring holds it at rest."""
    outline = model.outline(pawl)
    if pawl.rest.u == 0:
        return outline
    cosine, sine = pawl.rest.matrix
    return [(cosine * x - sine * y, sine * x + cosine * y) for x, y in outline]


def at_rest(model: Fastener, pawl: Pawl) -> Sequence[Vector]:
    """Where a pawl's outline is at the start, in the world."""
    return _moved(turned_outline(model, pawl), pawl.hinge)


def placed(model: Fastener, obstacle: Obstacle) -> Sequence[Vector]:
    """Where an obstacle's outline is, in the world."""
    return _moved(model.outline(obstacle), obstacle.at)


def _moved(outline: Sequence[Vector], by: Vector) -> Sequence[Vector]:
    right, up = by
    return outline if by == (0, 0) else [(x + right, y + up) for x, y in outline]
