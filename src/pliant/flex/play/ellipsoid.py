"""The flexibility ellipsoid of a body: the largest one inside what the local polytope lets it do.

The polytope of the whole assembly, seen on one body, is a convex set of (x, y, ρ·θ), with the turn
θ weighed by a length ρ so that the three compare; ρ is the radius of the body about the point. Linear
programs give points on its surface; the ellipsoid is inside the hull of these, so that all of its
motions are possible to first order. Where the body cannot move along some direction at all, the
ellipsoid has no extent along it.

    maximise det L  subject to  |Lᵀ n_i| + n_i·c ≤ b_i  over the hull's facets,  E = {c + L u : |u| ≤ 1}

Source: the programme is textbook knowledge (the maximum-volume inscribed ellipsoid of a polytope).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.spatial import ConvexHull

from pliant.core.arrays import Floats

ROUNDS = 6  # in which facets of the hull are pushed outwards
ENOUGH = 0.01  # of the volume: gained by less, the hull is good enough
FLAT = 1e-6  # of the largest extent: less is none
NOISE = 1e-6  # of an axis: below, a part of it is 0


@dataclass(frozen=True)
class Ellipsoid:
    """c + Σ u_k axis_k, |u| ≤ 1, in (x, y, ρ·θ)."""

    centre: Floats  # (3,)
    axes: Floats  # (K, 3) half axes, the longest first; K < 3 where something cannot move at all
    arm: float  # ρ, length by which a radian counts

    @property
    def half_lengths(self) -> Floats:
        """Of the axes, (K,), lengths."""
        return np.linalg.norm(self.axes, axis=1)


def flexibility_ellipsoid(support: Callable[[Floats], Floats], arm: float) -> Ellipsoid:
    """The largest ellipsoid in a convex set, given where it ends along directions: (K, 3) to (K, 3)."""
    points = support(_directions())
    middle = points.mean(axis=0)
    _, sizes, basis = np.linalg.svd(points - middle, full_matrices=False)
    rank = int((sizes > FLAT * max(float(sizes[0]), 1e-300)).sum()) if sizes[0] > 0 else 0
    if rank == 0:
        return Ellipsoid(middle, np.zeros((0, 3)), arm)
    basis = basis[:rank]
    flat = (points - middle) @ basis.T
    if rank == 1:
        low, high = float(flat.min()), float(flat.max())
        return Ellipsoid(middle + (low + high) / 2 * basis[0], _forward((high - low) / 2 * basis), arm)
    volume = 0.0
    centre, shape = np.zeros(rank), np.zeros((rank, rank))
    for _ in range(ROUNDS):
        hull = ConvexHull(flat)
        normals, offsets = hull.equations[:, :-1], -hull.equations[:, -1]
        centre, shape = _inscribed(normals, offsets, flat)
        grown = float(np.prod(np.diag(shape)))
        if grown <= (1 + ENOUGH) * volume:
            break
        volume = grown
        further = (support(np.unique(normals.round(6), axis=0) @ basis) - middle) @ basis.T
        flat = np.concatenate([flat[hull.vertices], further])
    axes, lengths, _ = np.linalg.svd(shape)
    return Ellipsoid(middle + centre @ basis, _forward((axes * lengths).T @ basis), arm)


def _forward(axes: Floats) -> Floats:
    """Each axis, (K, 3), the way in which its first part that is not 0 is positive: signs are else chance."""
    counted = np.abs(axes) > NOISE * np.abs(axes).max(axis=1, keepdims=True)
    first = np.take_along_axis(axes, counted.argmax(axis=1)[:, np.newaxis], axis=1)
    return np.where(first < 0, -axes, axes)


def _directions() -> Floats:
    """Along the axes and the diagonals of a cube, both ways, (26, 3)."""
    grid = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3), axis=-1).reshape(-1, 3)
    grid = grid[np.any(grid != 0, axis=1)]
    return grid / np.linalg.norm(grid, axis=1, keepdims=True)


def _inscribed(normals: Floats, offsets: Floats, points: Floats) -> tuple[Floats, Floats]:
    """The ellipsoid of largest volume with |Lᵀ n| + n·c ≤ b: its centre c and L, lower triangular."""
    size = normals.shape[1]
    lower = np.tril_indices(size)
    scale = float(np.abs(points).max())
    bounds = offsets / scale
    middle = points.mean(axis=0) / scale
    room = float((bounds - normals @ middle).min())

    def unpack(x: Floats) -> tuple[Floats, Floats]:
        shape = np.zeros((size, size))
        shape[lower] = x[size:]
        return x[:size], shape

    def left(x: Floats) -> Floats:
        centre, shape = unpack(x)
        return bounds - normals @ centre - np.sqrt(((normals @ shape) ** 2).sum(axis=1) + 1e-24)

    diagonal = size + np.flatnonzero(lower[0] == lower[1])
    start = np.concatenate([middle, (0.5 * max(room, 1e-9) * np.eye(size))[lower]])
    answer = minimize(
        lambda x: -np.log(np.maximum(x[diagonal], 1e-12)).sum(),
        start,
        method="SLSQP",
        bounds=[(None, None) if k not in diagonal else (1e-9, None) for k in range(len(start))],
        constraints={"type": "ineq", "fun": left},
        options={"maxiter": 300, "ftol": 1e-9},
    )
    centre, shape = unpack(answer.x)
    short = float(left(answer.x).min())  # a solver's rounding outside is taken back
    if short < 0:
        sizes = np.sqrt(((normals @ shape) ** 2).sum(axis=1))
        shape = shape * max(1.0 + short / max(float(sizes.min()), 1e-12), 0.0)
    return scale * centre, scale * shape
