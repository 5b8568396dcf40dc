"""The faces of a rigid body's nodes: a polygon where they are flat, else those of their hull."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from pliant.core.arrays import Floats

FLAT = 1e-6  # of its size: a body less thick than this is flat, or straight


def faces(places: Floats) -> list[list[int]]:
    """Rings of places (n, D), counter-clockwise or outwards; of a straight row its ends.

    >>> faces(np.array([[0.0, 0.0], [1.0, 0.0], [0.4, 0.3], [0.0, 1.0]]))
    [[0, 1, 3]]
    """
    away = places - places.mean(axis=0)
    axes, spread = np.linalg.svd(away, full_matrices=False)[2], np.zeros(3)
    spread[: len(axes)] = np.ptp(away @ axes.T, axis=0)
    if spread[1] <= FLAT * spread[0]:
        along = away @ axes[0]
        return [[int(along.argmin()), int(along.argmax())]]
    if spread[2] <= FLAT * spread[0]:
        # A frame that keeps which way is round: in the plane the axes themselves.
        flat = away if places.shape[1] == 2 else away @ axes[:2].T
        return [[int(k) for k in ConvexHull(flat).vertices]]
    return _sides(places)


def _sides(places: Floats) -> list[list[int]]:
    """The sides of a hull in space, triangles of one plane joined."""
    hull = ConvexHull(places)
    size = float(np.ptp(places, axis=0).max())
    planes = np.round(hull.equations / np.array([1.0, 1.0, 1.0, size]), 6) + 0.0
    corners_of: dict[tuple[float, ...], set[int]] = {}
    for plane, corners in zip(planes, hull.simplices, strict=True):
        corners_of.setdefault(tuple(plane.tolist()), set()).update(map(int, corners))
    return [
        _corner_order(places, sorted(corners), np.array(plane[:3])) for plane, corners in corners_of.items()
    ]


def _corner_order(places: Floats, corners: list[int], normal: Floats) -> list[int]:
    """Corners of a flat side in order about its middle."""
    away = places[corners] - places[corners].mean(axis=0)
    u = away[0] / np.linalg.norm(away[0])
    angles = np.arctan2(away @ np.cross(normal, u), away @ u)
    return [corners[k] for k in np.argsort(angles)]
