"""Joints that must be found together: Newton's method, and derivatives by the implicit function theorem.

With C = ∂f/∂x of the group's rows by its own joints, every derivative is one linear solve:

    C δx = D δx̄ − B δx_known          (Jacobians; B by the known joints, D by the drawing)
    C v = −B v_known,   C a = −B a_known − f''(v)
    Cᵀw = g, then −Bᵀw and Dᵀw         (gradients, backwards)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel
from pliant.linkage.structure.constraints import (
    LINEAR,
    curvatures,
    drawn_gradients,
    fill_gradients,
    fill_residuals,
    gradients,
)
from pliant.linkage.structure.rule_plan import CoupledGroup

STEPS = 40


def solve_positions(group: CoupledGroup, drawn: Floats, near: Floats, x: Floats) -> None:
    """Solve the group at every pose, from `near` (N, 2, F), into x, as far as Newton's method brings it.

    Damped: a step that does not bring the residual down is halved.
    """
    points = _points(group, x)
    points[:, group.own] = np.moveaxis(near[group.joints], 2, 0)
    still = drawn[group.near]
    size = float(np.ptp(still, axis=0).max()) or 1.0
    worst = np.empty(len(points))
    scale = np.where(np.isin(group.rows.kinds, LINEAR), 1.0, 1 / size)  # so that all rows are lengths
    _newton(group.rows.kinds, group.rows.joints, group.own, still, size, scale, points, worst)
    x[group.joints] = np.moveaxis(points[:, group.own], 0, 2)


@kernel
def _newton(
    kinds: Ints,
    joints: Ints,
    own: Ints,
    still: Floats,
    size: float,
    scale: Floats,
    points: Floats,
    worst: Floats,
) -> None:
    count = len(kinds)
    residual, tried = np.empty((1, count)), np.empty((1, count))
    slopes = np.empty((1, count, len(still), 2))
    matrix, step, ones = np.empty((count, count)), np.empty(count), np.ones(count)
    for f in range(len(points)):
        here = points[f : f + 1]
        before = here[0].copy()
        fill_residuals(kinds, joints, still, here, residual)
        worst[f] = _largest_weighted(residual[0], scale)
        for _ in range(STEPS):
            slopes[:] = 0.0
            fill_gradients(kinds, joints, still, here, slopes)
            for row in range(count):
                for u in range(len(own)):
                    matrix[row, 2 * u], matrix[row, 2 * u + 1] = (
                        slopes[0, row, own[u], 0],
                        slopes[0, row, own[u], 1],
                    )
                step[row] = -residual[0, row]
            if not _eliminate(matrix, step):
                break
            _copy(here[0], before)
            factor = 1.0
            while factor > 1e-3:
                for u in range(len(own)):
                    here[0, own[u], 0] = before[own[u], 0] + factor * step[2 * u]
                    here[0, own[u], 1] = before[own[u], 1] + factor * step[2 * u + 1]
                fill_residuals(kinds, joints, still, here, tried)
                if _largest_weighted(tried[0], scale) < worst[f]:
                    break
                factor /= 2.0
            if factor <= 1e-3:  # as near as floats go
                _copy(before, here[0])
                break
            _copy(tried, residual)
            worst[f] = _largest_weighted(tried[0], scale)
            if factor * _largest_weighted(step, ones) <= 1e-15 * size or worst[f] == 0.0:
                break


@inner
def _largest_weighted(values: Floats, weights: Floats) -> float:
    """The largest of some values, each by its weight."""
    most = 0.0
    for k in range(len(values)):
        most = max(most, abs(values[k] * weights[k]))
    return most


@inner
def _copy(source: Floats, target: Floats) -> None:
    for i in range(len(source)):
        for c in range(source.shape[1]):
            target[i, c] = source[i, c]


@inner
def _eliminate(matrix: Floats, right: Floats) -> bool:
    """Gauss with partial pivots, in place: `right` becomes the solution. False where singular."""
    count = len(right)
    for k in range(count):
        pivot = k
        for r in range(k + 1, count):
            pivot = r if abs(matrix[r, k]) > abs(matrix[pivot, k]) else pivot
        if matrix[pivot, k] == 0.0:
            return False
        if pivot != k:
            for c in range(k, count):
                matrix[k, c], matrix[pivot, c] = matrix[pivot, c], matrix[k, c]
            right[k], right[pivot] = right[pivot], right[k]
        for r in range(k + 1, count):
            factor = matrix[r, k] / matrix[k, k]
            if factor != 0.0:
                for c in range(k + 1, count):
                    matrix[r, c] -= factor * matrix[k, c]
                right[r] -= factor * right[k]
    for k in range(count - 1, -1, -1):
        for c in range(k + 1, count):
            right[k] -= matrix[k, c] * right[c]
        right[k] /= matrix[k, k]
    return True


def determinants(group: CoupledGroup, drawn: Floats, x: Floats) -> Floats:
    """(F,) det C with rows of length one: 0 where the group is at a toggle, and its sign is the branch.

    A strut without length pulls nowhere: that is a toggle, too.
    """
    c = _own_gradients(group, drawn[group.near], _points(group, x))
    length = np.linalg.norm(c, axis=2, keepdims=True)
    return np.linalg.det(np.divide(c, length, out=np.zeros_like(c), where=length > 0))


def determinant_rates(group: CoupledGroup, drawn: Floats, x: Floats, v: Floats) -> Floats:
    """(F,) the rate of det C over itself, trace(C⁻¹ dC), at velocities v (N, 2, F): at −1 it is soon 0."""
    still = drawn[group.near]
    slopes = gradients(group.rows, still, _points(group, x))[:, :, group.own]
    turning = gradients(group.rows, still, _points(group, v))[:, :, group.own]
    turning[:, np.isin(group.rows.kinds, LINEAR)] = 0.0  # their slopes are constant
    return np.trace(solve_linear(_matrices(slopes), _matrices(turning)), axis1=1, axis2=2)


def fill_rates(group: CoupledGroup, drawn: Floats, x: Floats, v: Floats, a: Floats) -> None:
    """Fill velocities and accelerations of the group's joints from those of the joints it hangs on."""
    points, still = _points(group, x), drawn[group.near]
    slopes = gradients(group.rows, still, points)
    c = _matrices(slopes[:, :, group.own])
    rate = _known_rates(group, v)
    right = -np.einsum("frnc,fnc->fr", slopes, rate)
    v[group.joints] = _joint_columns(solve_linear(c, right[..., None])[..., 0])
    second = _known_rates(group, a)
    right = -np.einsum("frnc,fnc->fr", slopes, second) - curvatures(group.rows, _points(group, v))
    a[group.joints] = _joint_columns(solve_linear(c, right[..., None])[..., 0])


def fill_jacobian(group: CoupledGroup, drawn: Floats, x: Floats, d: Floats) -> None:
    """Fill d[k] (2, N, 2, F) of the group's joints from those of the joints it hangs on."""
    points, still = _points(group, x), drawn[group.near]
    slopes = gradients(group.rows, still, points)
    known = np.moveaxis(d[group.near], 4, 0).copy()  # (F, L, 2, N, 2)
    known[:, group.own] = 0.0
    right = -np.einsum("frnc,fncpe->frpe", slopes, known)
    right[:, :, group.near] += drawn_gradients(group.rows, still, points)
    shape = (len(points), len(group.rows), -1)
    solution = solve_linear(_matrices(slopes[:, :, group.own]), right.reshape(shape))
    d[group.joints] = np.moveaxis(solution.reshape(len(points), len(group.joints), 2, len(drawn), 2), 0, 4)


def backpropagate(group: CoupledGroup, drawn: Floats, x: Floats, g: Floats, out: Floats) -> None:
    """Carry the gradient of the group's joints to the joints it hangs on, and to the drawing."""
    points, still = _points(group, x), drawn[group.near]
    slopes = gradients(group.rows, still, points)
    c = _matrices(slopes[:, :, group.own])
    own = np.moveaxis(g[group.joints], 2, 0).reshape(len(points), -1, 1)
    w = solve_linear(np.swapaxes(c, 1, 2), own)[..., 0]
    to_known = -np.einsum("fr,frnc->fnc", w, slopes)
    to_known[:, group.own] = 0.0
    g[group.near] += np.moveaxis(to_known, 0, 2)
    out[group.near] += np.einsum("fr,frnc->nc", w, drawn_gradients(group.rows, still, points))


def solve_linear(matrix: Floats, right: Floats) -> Floats:
    """Linear systems, pose by pose; at a toggle, where one is singular, its least-squares answer."""
    linalg: Any = np.linalg
    try:
        return linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        return linalg.pinv(matrix, rcond=1e-12) @ right


def _points(group: CoupledGroup, x: Floats) -> Floats:
    return np.ascontiguousarray(np.moveaxis(x[group.near], 2, 0))


def _known_rates(group: CoupledGroup, v: Floats) -> Floats:
    rate = _points(group, v)
    rate[:, group.own] = 0.0
    return rate


def _own_gradients(group: CoupledGroup, still: Floats, points: Floats) -> Floats:
    return _matrices(gradients(group.rows, still, points)[:, :, group.own])


def _matrices(slopes: Floats) -> Floats:
    poses, rows, joints, axes = slopes.shape
    return slopes.reshape(poses, rows, joints * axes)


def _joint_columns(solution: Floats) -> Floats:
    """(F, 2U) as (U, 2, F)."""
    return np.moveaxis(solution.reshape(len(solution), solution.shape[1] // 2, 2), 0, 2)
