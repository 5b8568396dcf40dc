"""Where coupled groups can go on in two ways, and where they run off to infinity.

At a fold the solutions of a group come together and end (see `folds`). Where two of its paths
cross instead, its determinant passes through 0 and its joints go straight on: the path is led
across on polynomials through poses on this side, set right by Newton's method on the other, and
the change point is the root of the polynomial through the determinants on both sides. Poses next
to it would not do: there rounding decides between the two paths.

Where joints run off, x ≈ A/(t∞ − t): 1/|x| is nearly straight along the path, and its root is t∞.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.linkage.kinematics.coupled import determinants
from pliant.linkage.kinematics.drive import MotorDrive
from pliant.linkage.kinematics.follow import CLOSED, are_closed, follow
from pliant.linkage.kinematics.poses import LinkagePoses, concatenate_poses, positions, select_poses
from pliant.linkage.structure.constraints import errors
from pliant.linkage.structure.rule_plan import RulePlan

POSES = 6  # on each side of a change point
STRAIGHT = 1e-3  # of the size: how much a pose beyond may be off where it was expected
BESIDE = 1e-5  # of a radian: how far beyond a change point the run begins again
OFF = 20.0  # sizes from the drawing: joints that run off are farther
FARTHEST = 1e7  # sizes: near enough to infinity to say where it is


@dataclass(frozen=True)
class Bifurcation:
    """A change point of a group, and a pose just beyond it."""

    t: float
    group: int
    beyond: float
    pose: Floats  # (N, 2)


def find_bifurcation(
    plan: RulePlan, drive: MotorDrive, signs: Floats, poses: LinkagePoses, t: Floats, cell: float
) -> Bifurcation | None:
    """The change point beyond the last of `poses`, which were reached along t; None where there is none.

    `cell` (signed) is how far apart along t the poses are taken that it is found from.
    """
    own, last = plan.coupled_joints, poses.x.shape[2] - 1
    short = abs(float(t[last] - t[0])) / (POSES + 1)  # where the run has only just begun, on this side of it
    for size in (abs(cell), *([short] if 1e-9 < short < abs(cell) else [])):
        step = float(np.sign(cell)) * size
        for back in range(3):  # from where the last pose is too near to the change point to be sure of
            behind = float(t[last]) - step * (back + np.arange(POSES, dtype=np.float64)[::-1])
            reached = _poses_behind(plan, drive, signs, poses, t, behind)
            if reached is None:
                break
            led = _poses_beyond(drive, signs, reached, behind, step, own)
            if led is not None:
                return _locate(drive, signs, *led, step)
    return None


def _poses_behind(
    plan: RulePlan, drive: MotorDrive, signs: Floats, poses: LinkagePoses, t: Floats, wanted: Floats
) -> LinkagePoses | None:
    """The linkage at poses that were passed already."""
    parts: list[LinkagePoses] = []
    for at in wanted.tolist():
        nearest = int(np.argmin(np.abs(t[: poses.x.shape[2]] - at)))
        angles = np.concatenate([poses.angles[:, nearest : nearest + 1], _angles(drive, at)], axis=1)
        there = follow(plan, angles, signs=signs, near=poses.x[:, :, nearest])
        if not there.complete:
            return None
        parts.append(select_poses(there.poses, slice(-1, None)))
    return concatenate_poses(parts)


def _poses_beyond(
    drive: MotorDrive, signs: Floats, behind: LinkagePoses, t: Floats, cell: float, own: Ints
) -> tuple[LinkagePoses, Floats] | None:
    """As many poses again beyond the next two cells, each expected from those before it."""
    plan, parts = behind.plan, [behind]
    for _ in range(POSES):
        so_far = concatenate_poses(parts)
        ahead = float(t[-1]) + (3 if len(t) == POSES else 1) * cell
        guess = _interpolate(t[-POSES:], so_far.x[:, :, -POSES:], ahead)
        there = positions(plan, _angles(drive, ahead), near=guess[:, :, None], signs=signs)
        off = np.abs(there.x[:, :, 0] - guess)[own].max()
        if not off <= STRAIGHT * plan.structure.size or not are_closed(there)[0]:
            return None
        parts.append(there)
        t = np.append(t, ahead)
    return concatenate_poses(parts), t


def _locate(
    drive: MotorDrive, signs: Floats, poses: LinkagePoses, t: Floats, cell: float
) -> Bifurcation | None:
    """The root of a group's determinant among poses on both sides, and a pose just beyond it."""
    plan = poses.plan
    every = [determinants(group, poses.drawn, poses.x) for group in plan.groups]
    passing = [number for number, d in enumerate(every) if d[POSES - 1] * d[POSES] < 0]
    if not passing:
        return None  # none passes through 0: no change point here
    number = passing[0]
    sizes = every[number]
    a, b = float(t[POSES - 1]), float(t[POSES])
    for _ in range(100):
        middle = (a + b) / 2
        if _interpolate(t, sizes[None, None], middle)[0, 0] * sizes[POSES - 1] > 0:
            a = middle
        else:
            b = middle
    at = (a + b) / 2
    turned = float(np.abs(drive.slopes(np.array([at])) / plan.structure.spans[:, None]).max())
    beyond = at + float(np.sign(cell)) * BESIDE / max(turned, 1e-300)
    guess = _interpolate(t, poses.x, beyond)
    there = positions(plan, _angles(drive, beyond), near=guess[:, :, None], signs=signs)
    return Bifurcation(at, number, beyond, there.x[:, :, 0])


def _interpolate(t: Floats, values: Floats, at: float) -> Floats:
    """The polynomial through values (…, n) at t (n,), at one place."""
    weights = np.array(
        [np.prod([(at - other) / (here - other) for other in t if other != here]) for here in t]
    )
    return values @ weights


def _angles(drive: MotorDrive, t: float) -> Floats:
    """Motor angles (M, 1), straight on beyond the ends of the path."""
    inside = np.clip(np.array([t]), drive.knots[0], drive.knots[-1])
    return drive.angles(inside) + drive.slopes(inside) * (t - inside)


def find_infinity(
    plan: RulePlan, drive: MotorDrive, signs: Floats, near: Floats, at: float, ahead: float
) -> tuple[float, tuple[int, ...]] | None:
    """Where joints run off to infinity beyond a pose (N, 2) at t, and which; None where none does.

    `ahead` is where along t the group could not be followed to.
    """
    size, centre, own = plan.structure.size, plan.structure.centre, plan.coupled_joints

    def far(x: Floats) -> Floats:
        return np.hypot(*(x - centre).T)[own] / size

    if far(near).max() < OFF:
        return None
    joint = int(own[np.argmax(far(near))])
    step = (ahead - at) * 1e-3
    before, behind = near, at
    corrected = _correct(plan, drive, signs, before, at - step)
    if corrected is None:
        return None
    before, behind = corrected, at - step
    end = at
    for _ in range(200):
        y0, y1 = (1 / np.hypot(*(x[joint] - centre)) for x in (before, near))
        if not y1 < y0:
            return None
        end = at + (at - behind) * y1 / (y0 - y1)
        if y1 * size * FARTHEST <= 1 or end == at:
            break
        nearer = at + 0.5 * (end - at)
        share = (end - at) / (end - nearer)
        guess = np.where(
            (np.hypot(*(near - centre).T) > OFF * size / 2)[:, None], centre + share * (near - centre), near
        )
        corrected = _correct(plan, drive, signs, guess, nearer)
        if corrected is None:
            break
        before, behind, near, at = near, at, corrected, nearer
    off = tuple(int(k) for k, much in zip(own.tolist(), far(near), strict=True) if much >= OFF)
    return end, off


def _correct(plan: RulePlan, drive: MotorDrive, signs: Floats, guess: Floats, t: float) -> Floats | None:
    """The linkage at t near a guess (N, 2); None where it is not there."""
    there = positions(plan, drive.angles(np.array([t])), near=guess[:, :, None], signs=signs)
    reach = max(plan.structure.size, float(np.abs(there.x).max()))
    for group in plan.groups:
        wrong = errors(group.rows, there.drawn[group.near], there.points[:, group.near])
        if not wrong.max() <= CLOSED * reach:
            return None
    return there.x[:, :, 0]
