"""How firmly machines hold their shape: the smallest singular value of what their links see.

A row of the matrix is a link, its entries the directions in which it holds its ends. The
singular values do not depend on the size; 0 is a freedom that no link holds.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.machines.population import Machines


def firmness(made: Machines, points: Floats, freedoms: int = 0) -> Floats:
    """The smallest singular value (M,) at points (M, J, D), leaving out as many freedoms."""
    count, nodes, axes = points.shape
    rows = np.arange(count)[:, None]
    a, b = made.ends[..., 0], made.ends[..., 1]
    e = points[rows, b] - points[rows, a]
    length = np.linalg.norm(e, axis=2, keepdims=True)
    n = np.where((length > 0.0) & (made.stiffness[..., None] > 0.0), e / np.maximum(length, 1e-300), 0.0)
    seen = np.zeros((count, made.ends.shape[1], nodes, axes))
    link = np.arange(made.ends.shape[1])
    seen[rows, link, a] -= n
    seen[rows, link, b] += n
    seen *= made.free[:, None, :, None]
    flat = seen.reshape(count, made.ends.shape[1], nodes * axes)
    squares = np.einsum("mli,mlj->mij", flat, flat)
    diagonal = np.arange(nodes * axes)
    # Nodes that are held would count as freedoms: they are given more than any link can.
    squares[:, diagonal, diagonal] += 1e3 * ~np.repeat(made.free, axes, axis=1)
    return np.sqrt(np.maximum(np.linalg.eigvalsh(squares)[:, freedoms], 0.0))
