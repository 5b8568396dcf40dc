"""Rigid poses in the plane: rows of (x, y, θ), and points carried by them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def carry(poses: Floats, points: Floats) -> Floats:
    """Points of a body's own frame, seen from the world: x + R(θ)p.

    Arrays broadcast: poses (..., 3) with points (..., 2).

    >>> carry(np.array([1.0, 0.0, np.pi / 2]), np.array([2.0, 0.0])).round(12)
    array([1., 2.])
    """
    return poses[..., :2] + turn(poses[..., 2], points)


def turn(angles: Floats, vectors: Floats) -> Floats:
    """Vectors (..., 2) turned by angles (...): R(θ)v."""
    cosine, sine = np.cos(angles), np.sin(angles)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([cosine * x - sine * y, sine * x + cosine * y], axis=-1)


def uncarry(poses: Floats, points: Floats) -> Floats:
    """World points seen from a body's own frame: R(−θ)(p − x), the inverse of `carry`."""
    return turn(-poses[..., 2], points - poses[..., :2])
