"""Ranges of angles and vectors: what holds for everything within a box, rounding included.

A range is (…, 2), its low and its high end. Vectors turned by an angle of a range lie in a box that is found
exactly, up to rounding, which `WIDER` of their size covers.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats

WIDER = 1e-13  # of the numbers involved: far more than a few roundings


def arc_boxes(points: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The boxes (K, 2), low and high, of points (K, 2) turned by every angle from low to high (K,)."""
    radius = np.hypot(points[:, 0], points[:, 1])
    start = np.arctan2(points[:, 1], points[:, 0])
    across = [_cosine_range(start + low - shift, start + high - shift) for shift in (0.0, np.pi / 2)]
    slack = WIDER * radius
    least = np.stack([radius * each[0] - slack for each in across], axis=1)
    most = np.stack([radius * each[1] + slack for each in across], axis=1)
    return least, most


def _cosine_range(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest cosine of the angles from low to high."""
    ends = np.cos(low), np.cos(high)
    over = np.floor(high / (2 * np.pi)) >= np.ceil(low / (2 * np.pi))
    under = np.floor((high - np.pi) / (2 * np.pi)) >= np.ceil((low - np.pi) / (2 * np.pi))
    return np.where(under, -1.0, np.minimum(*ends)), np.where(over, 1.0, np.maximum(*ends))


def turned_boxes(low: Floats, high: Floats, least: Floats, most: Floats) -> tuple[Floats, Floats]:
    """The boxes (K, 2) that hold every vector of boxes low, high (K, 2) turned by least to most (K,).

    The corners of a box turned by an angle are the corners of what it is turned into; each goes along an arc.
    """
    corners = np.stack(
        [np.stack([x[:, 0], y[:, 1]], axis=1) for x in (low, high) for y in (low, high)]
    )  # (4, K, 2)
    count = len(low)
    boxes = arc_boxes(corners.reshape(-1, 2), np.tile(least, 4), np.tile(most, 4))
    return boxes[0].reshape(4, count, 2).min(axis=0), boxes[1].reshape(4, count, 2).max(axis=0)
