"""Where a coupled group can go no further: its solutions come together, and its path turns back.

There its determinant vanishes, as a square root of what is left of the way. The square of the
determinant, nearly straight along the path, says how far that is; from close by, the fold is
found exactly as the solution of f(x, t) = 0 at which C = ∂f/∂x has a null vector n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import root

from pliant.core.arrays import Floats
from pliant.linkage.kinematics.bifurcations import find_infinity
from pliant.linkage.kinematics.coupled import determinant_rates, determinants
from pliant.linkage.kinematics.drive import MotorDrive
from pliant.linkage.kinematics.follow import follow
from pliant.linkage.kinematics.poses import LinkagePoses, positions, rates, select_poses
from pliant.linkage.structure.constraints import gradients, residuals
from pliant.linkage.structure.rule_plan import CoupledGroup, RulePlan

NEAR = 1e-5  # of the path: how near to the fold the exact search for it begins
LOST = 1e-6  # of its largest: a group that stops with a larger squared determinant was lost, at no fold


@dataclass(frozen=True)
class Fold:
    """The end of a group's path."""

    t: float
    joints: tuple[str, ...]
    sure: bool  # whether it is a fold; else the group was lost on the way
    off: bool = False  # whether its joints run off to infinity there


def find_fold(plan: RulePlan, drive: MotorDrive, signs: Floats, poses: LinkagePoses, t: Floats) -> Fold:
    """The fold beyond the last of `poses`, which were reached along t, and before the next of t."""
    done = poses.x.shape[2]
    squares = _squared_determinants(plan, poses.drawn, poses.x)
    near, at, barred, left = poses.x[:, :, done - 1], float(t[done - 1]), float(t[done]), np.inf
    first, here, step = _group_nearest_fold(drive, poses, t), squares[:, -1], (barred - at) / 2
    while abs(step) > 1e-12 and abs(left) > NEAR:
        path = drive.angles(np.array([at, at + step]))
        finest = float(np.abs((path[:, 1] - path[:, 0]) / plan.structure.spans).max()) / 64
        ahead = follow(plan, path, signs=signs, near=near, finest=finest).poses
        if ahead.x.shape[2] < 2:
            barred, step = at + step, step / 2
            continue
        new = _squared_determinants(plan, poses.drawn, ahead.x[:, :, 1:])[:, 0]
        falling = here > new
        remaining = np.where(falling, new * step / np.where(falling, here - new, 1.0), np.inf)
        first = int(np.argmin(np.abs(remaining))) if falling.any() else first
        left = float(remaining[first])  # to where the square is 0
        near, at, here = ahead.x[:, :, 1], at + step, new
        room = (barred - at) / 2
        step = 0.75 * left if abs(0.75 * left) < abs(room) else room
    away = find_infinity(plan, drive, signs, near, at, barred)
    if away is not None:
        hidden = plan.structure.guide_points
        return Fold(away[0], tuple(plan.structure.names[k] for k in away[1] if k not in hidden), True, True)
    group = plan.groups[first]
    names = plan.joint_names(group)
    exact = _exact_fold(plan, drive, signs, group, near, at)
    if exact is None or abs(exact - at) > 10 * NEAR:
        return Fold(at, names, bool(here[first] < LOST * squares[first].max()))
    return Fold(exact, names, True)


def _squared_determinants(plan: RulePlan, drawn: Floats, x: Floats) -> Floats:
    """(G, F) the squared determinant of every group."""
    return np.stack([determinants(group, drawn, x) ** 2 for group in plan.groups])


def _group_nearest_fold(drive: MotorDrive, poses: LinkagePoses, t: Floats) -> int:
    """The group whose determinant is the first to be 0 beyond the last pose, by its rate.

    Not the one with the smallest: a group of very unequal lengths has a small one anywhere.
    """
    last, direction = select_poses(poses, slice(-1, None)), float(np.sign(t[-1] - t[0]))
    at = poses.x.shape[2] - 1
    slopes = direction * drive.slopes(t[at : at + 1])
    v = rates(last, slopes, np.zeros_like(slopes))[0]
    with np.errstate(all="ignore"):
        falls = [float(determinant_rates(group, last.drawn, last.x, v)[0]) for group in poses.plan.groups]
    return int(np.argmin(np.nan_to_num(falls, nan=-np.inf)))


def _exact_fold(
    plan: RulePlan, drive: MotorDrive, signs: Floats, group: CoupledGroup, near: Floats, at: float
) -> float | None:
    """The t of the fold near a pose (N, 2): f = 0, C n = 0 and n scaled, solved together.

    In units of the size, and with rows of C of length one as they are nearby.
    """
    still, size = plan.drawn[group.near], plan.structure.size

    def parts(x: Floats, t: float) -> tuple[Floats, Floats]:
        poses = positions(plan, drive.angles(np.array([t])), near=near[:, :, None], signs=signs)
        points = poses.points[:, group.near]
        points[0, group.own] = size * x.reshape(-1, 2)
        slopes = gradients(group.rows, still, points)[0][:, group.own].reshape(len(group.rows), -1)
        return residuals(group.rows, still, points)[0] / size, slopes

    start = near[group.joints].ravel() / size
    first = parts(start, at)[1]
    scale = 1 / np.linalg.norm(first, axis=1)
    null_vector = np.linalg.svd(scale[:, None] * first)[2][-1]

    def equations(y: Floats) -> Floats:
        x, n = np.split(y[:-1], 2)
        f, c = parts(x, float(y[-1]))
        return np.concatenate([scale * f, scale * (c @ n), [n @ null_vector - 1.0]])

    solved: Any = root(equations, np.concatenate([start, null_vector, [at]]), tol=1e-14)
    good = np.abs(solved.fun).max() <= 1e-11 + 16 * plan.structure.relative_rounding
    return float(solved.x[-1]) if good else None
