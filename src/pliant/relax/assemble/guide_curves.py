"""Curves that guide nodes, as cubic pieces."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from pliant.core.arrays import Floats


def cubics(points: Floats, closed: bool) -> Floats:
    """The cubic spline through points (P, D), by chord length: (pieces, 4, D), the highest power first.

    Each is a cubic in u from 0 to 1; two points are a line. A closed curve returns to its first point as
    smoothly as it passes the others.
    """
    if closed:
        points = np.vstack([points, points[:1]])
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    knots = np.concatenate([[0.0], np.cumsum(chords)])
    spline: Any = CubicSpline(knots, points, bc_type="periodic" if closed else "not-a-knot")
    scaled: Floats = spline.c * (chords ** np.arange(3, -1, -1)[:, None])[:, :, None]
    return np.ascontiguousarray(scaled.transpose(1, 0, 2))
