"""Runs a linkage along a path of motor angles, from the drawn pose on.

Rules need no path: every pose is closed form. Coupled groups have several solutions, and the
right one is the one that is reached from the drawing: they are followed with a prediction
along the tangent, a correction by Newton's method, and steps that are halved until the
correction is small beside the step and no determinant has changed its sign.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.linkage.constraints import errors
from pliant.linkage.coupled import determinants
from pliant.linkage.plan import Plan
from pliant.linkage.poses import Poses, positions, rates, some
from pliant.linkage.rules import Floats

SMALLEST = 1e-9  # radians below which a step is not halved again: something is in the way
CLOSED = 1e-9  # how far from holding, of the linkage's size, a row may be


@dataclass(frozen=True)
class Run:
    """As many poses as were reached."""

    poses: Poses
    complete: bool


def run(
    plan: Plan,
    angles: Floats,
    drawn: Floats | None = None,
    signs: Floats | None = None,
    near: Floats | None = None,
) -> Run:
    """The linkage at motor angles (M, F); with coupled groups, walked from the drawn pose in that order.

    `near`, where given, is (N, 2) of a pose at angles[:, 0] to begin from instead.
    """
    if not plan.groups:
        return Run(positions(plan, angles, drawn, signs=signs), True)
    drawn = plan.drawn if drawn is None else drawn
    count = angles.shape[1]
    if near is None:
        here = positions(plan, np.zeros((len(angles), 1)), drawn, drawn[:, :, None], signs)
    else:
        here = positions(plan, angles[:, :1], drawn, near[:, :, None], signs)
    found: list[Poses] = []
    for f in range(count):
        there = _walk(here, angles[:, f : f + 1], signs)
        if there is None:
            break
        here = there
        found.append(here)
    poses = positions(plan, angles, drawn, np.zeros((len(drawn), 2, count)), signs)
    if found:
        poses.x[:, :, : len(found)] = np.concatenate([pose.x for pose in found], axis=2)
    return Run(some(poses, slice(0, len(found))), len(found) == count)


def _walk(here: Poses, target: Floats, signs: Floats | None) -> Poses | None:
    """From one pose to another, in as many steps as it takes; None where it cannot get there."""
    step = 1.0  # of what is left
    while True:
        left = target - here.angles
        span = float(np.abs(left).max())
        if span == 0.0:
            return here
        there = _step(here, here.angles + step * left, signs)
        if there is not None:
            here = there
            if step == 1.0:
                return here
            step = min(1.0, 2.0 * step / (1.0 - step))
        elif step * span <= SMALLEST:
            return None
        else:
            step /= 2.0


def _step(here: Poses, angles: Floats, signs: Floats | None) -> Poses | None:
    """One prediction and correction; None where they do not agree."""
    ahead = angles - here.angles
    v, _ = rates(here, ahead, np.zeros_like(ahead))
    guess = here.x + v
    there = positions(here.plan, angles, here.drawn, guess, signs)
    if not np.isfinite(there.x).all():
        return None
    far = np.abs(v).max()
    if np.abs(there.x - guess).max() > 0.25 * far + 1e-9 * here.plan.structure.size:
        return None
    return there if holds(there) and same_branch(here, there) else None


def holds(poses: Poses) -> bool:
    """Whether every equation that a rule or a group solves is solved."""
    structure = poses.plan.structure
    wrong = errors(structure.rows, poses.drawn, poses.points)
    if len(poses.plan.spare):
        spare = set(poses.plan.spare.owners)
        wrong = wrong[:, [owner not in spare for owner in structure.rows.owners]]
    return bool((wrong <= CLOSED * structure.size).all())


def same_branch(here: Poses, there: Poses) -> bool:
    """Whether no group has gone through a toggle between two poses."""
    return all(
        (np.sign(determinants(g, here.drawn, here.x)) == np.sign(determinants(g, there.drawn, there.x))).all()
        for g in here.plan.groups
    )
