"""Positions, rates, Jacobians and gradients of a linkage at many motor angles at once.

Arrays are (N, 2, F): joints (guide points of sliders last), axes, poses. Motor angles are
(M, F), counted from the drawn pose, positive in each motor's own direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.linkage.kinematics import coupled
from pliant.linkage.kinematics.rates import backpropagate, fill_jacobians, fill_rates
from pliant.linkage.kinematics.rules import fill_openness, place_joints
from pliant.linkage.structure.rule_plan import RulePlan

POSE_AS_PYTHON = 5e-4  # seconds that a joint takes at a pose without compiled loops, at most


@dataclass(frozen=True)
class LinkagePoses:
    """A linkage at F motor angles."""

    plan: RulePlan
    drawn: Floats  # (N, 2), where it was drawn: the plan's own, or a variant
    angles: Floats  # (M, F)
    cosines: Floats  # (M, F) of the signed angles; of a linear motor, its signed travel
    sines: Floats
    x: Floats  # (N, 2, F)

    @property
    def points(self) -> Floats:
        """Positions (F, N, 2)."""
        return np.ascontiguousarray(np.moveaxis(self.x, 2, 0))


def positions(
    plan: RulePlan,
    angles: Floats,
    drawn: Floats | None = None,
    near: Floats | None = None,
    signs: Floats | None = None,
) -> LinkagePoses:
    """The linkage at motor angles (M, F).

    Coupled groups are solved by Newton's method from `near` (N, 2, F); `follow.follow` finds it.

    Args:
        plan: of the linkage, from `compile_plan`.
        angles: of the motors, from the drawn pose (M, F) in rad.
        drawn: positions of the joints as drawn (N, 2); left out, the plan's.
        near: positions (N, 2, F) to begin from; needed with coupled groups.
        signs: sides of the rules; left out, those of the drawing.

    Returns:
        Positions (N, 2, F), and which poses close.

    Raises:
        ValueError: there are coupled groups, and no `near`.
    """
    drawn = plan.drawn if drawn is None else np.ascontiguousarray(drawn)
    signs = plan.signs if signs is None else signs
    angles = np.ascontiguousarray(angles, np.float64)
    cosines, sines = plan.structure.cosines_and_sines(angles)
    poses = LinkagePoses(plan, drawn, angles, cosines, sines, np.empty((len(drawn), 2, angles.shape[1])))
    for first, last, group in plan.stages:
        if group is not None:
            if near is None:
                raise ValueError("a linkage with coupled joints needs positions to begin from")
            coupled.solve_positions(group, drawn, near, poses.x)
        else:
            place_joints(
                plan.ops[first:last],
                signs[first:last],
                drawn,
                poses.cosines,
                poses.sines,
                0,
                angles.shape[1],
                poses.x,
            )
    return poses


def rates(poses: LinkagePoses, w: Floats, dw: Floats) -> tuple[Floats, Floats]:
    """Velocities and accelerations (N, 2, F) at motor rates w and dw (M, F), in closed form.

    Args:
        poses: from `positions` or `follow`.
        w: rates of the motors (M, F) in rad by the parameter.
        dw: their derivatives (M, F).

    Returns:
        Velocities, accelerations.
    """
    plan = poses.plan
    v, a = np.empty_like(poses.x), np.empty_like(poses.x)
    turns = plan.structure.turns[:, None]
    w, dw = np.ascontiguousarray(turns * w), np.ascontiguousarray(turns * dw)
    for first, last, group in plan.stages:
        if group is not None:
            with np.errstate(all="ignore"):  # at a change point before it there are no rates
                coupled.fill_rates(group, poses.drawn, poses.x, v, a)
        else:
            fill_rates(plan.ops[first:last], poses.drawn, poses.x, poses.cosines, w, dw, v, a)
    return v, a


def jacobian(poses: LinkagePoses) -> Floats:
    """∂x/∂x̄: (N, 2, N, 2, F), d[k, :, p, c] by drawn joint p along axis c.

    Args:
        poses: from `positions` or `follow`.

    Returns:
        The derivatives; x is as found, x̄ as drawn.
    """
    plan = poses.plan
    count = len(poses.drawn)
    d = np.zeros((count, 2, count, 2, poses.x.shape[2]))
    starts, roots = plan.dependencies
    for first, last, group in plan.stages:
        if group is not None:
            coupled.fill_jacobian(group, poses.drawn, poses.x, d)
        else:
            fill_jacobians(
                plan.ops[first:last], poses.drawn, poses.x, poses.cosines, poses.sines, starts, roots, d
            )
    return d


def gradient(poses: LinkagePoses, slope: Floats) -> Floats:
    """∂L/∂x̄ (N, 2) of a scalar L whose ∂L/∂x is `slope` (N, 2, F): one sweep backwards.

    Args:
        poses: from `positions` or `follow`.
        slope: ∂L/∂x (N, 2, F).

    Returns:
        ∂L/∂x̄ (N, 2).
    """
    plan = poses.plan
    g = np.array(slope, np.float64, order="C")
    out = np.zeros_like(poses.drawn)
    for first, last, group in reversed(plan.stages):
        if group is not None:
            coupled.backpropagate(group, poses.drawn, poses.x, g, out)
        else:
            backpropagate(plan.ops[first:last], poses.drawn, poses.x, poses.cosines, poses.sines, g, out)
    return out


def openness(poses: LinkagePoses, v: Floats, w: Floats | None = None) -> tuple[Floats, Floats]:
    """How far every rule is from flat, c (K, F), and its rate: |c| = 1 is a toggle (`rules.fill_openness`).

    v (N, 2, F) and w (M, F) are the rates of joints and motors; w is of concern to linear motors alone.
    """
    c = np.zeros((len(poses.plan.ops), poses.x.shape[2]))
    dc = np.zeros_like(c)
    turned = np.zeros_like(poses.angles) if w is None else poses.plan.structure.turns[:, None] * w
    # Compiled for arrays without gaps, and for no others.
    x, v, cosines, turned = map(np.ascontiguousarray, (poses.x, v, poses.cosines, turned))
    fill_openness(poses.plan.ops, poses.drawn, x, v, cosines, turned, c, dc)
    return c, dc


def select_poses(poses: LinkagePoses, keep: slice | Ints) -> LinkagePoses:
    """Some of the poses."""
    return replace(
        poses,
        angles=np.ascontiguousarray(poses.angles[:, keep]),
        cosines=np.ascontiguousarray(poses.cosines[:, keep]),
        sines=np.ascontiguousarray(poses.sines[:, keep]),
        x=np.ascontiguousarray(poses.x[:, :, keep]),
    )


def concatenate_poses(parts: Sequence[LinkagePoses]) -> LinkagePoses:
    """Poses of one linkage, one after the other."""
    return replace(
        parts[0],
        angles=np.concatenate([part.angles for part in parts], axis=1),
        cosines=np.concatenate([part.cosines for part in parts], axis=1),
        sines=np.concatenate([part.sines for part in parts], axis=1),
        x=np.concatenate([part.x for part in parts], axis=2),
    )
