"""Rigid poses in the plane: rows of (x, y, θ), and points carried by them."""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats


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
    turned = np.empty((*np.broadcast(cosine, x).shape, 2))
    turned[..., 0] = cosine * x - sine * y
    turned[..., 1] = sine * x + cosine * y
    return turned


def rotations(poses: Floats) -> Floats:
    """Cos θ and sin θ of each pose, (..., 2): found once a body where many vectors turn with it."""
    angle = poses[..., 2]
    both = np.empty((*angle.shape, 2))
    np.cos(angle, out=both[..., 0])
    np.sin(angle, out=both[..., 1])
    return both


def rotate(by: Floats, vectors: Floats) -> Floats:
    """Vectors (N, 2) turned by `rotations` (N, 2)."""
    turned = np.empty_like(vectors)
    turned[:, 0] = by[:, 0] * vectors[:, 0] - by[:, 1] * vectors[:, 1]
    turned[:, 1] = by[:, 1] * vectors[:, 0] + by[:, 0] * vectors[:, 1]
    return turned


def dot(first: Floats, second: Floats) -> Floats:
    """Inner products of vectors (..., 2). Written out: summing over an axis of two is slow."""
    return first[..., 0] * second[..., 0] + first[..., 1] * second[..., 1]


def uncarry(poses: Floats, points: Floats) -> Floats:
    """World points seen from a body's own frame: R(−θ)(p − x), the inverse of `carry`."""
    return turn(-poses[..., 2], points - poses[..., :2])
