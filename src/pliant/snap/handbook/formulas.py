"""What the handbooks say of a snap-fit's force, and what a rigid hook on a hinge gives instead.

A ramp makes the angle α with the direction of the motion, and friction adds ρ = atan μ to it. The handbook
takes the force across the motion, P, as that of a straight beam, and the force along it as W = P tan(α + ρ).
Where the contact lies beside the line through the hinge along the motion, that force has an arm too. With
the contact L along the motion from the hinge and x beside it, the torques about the hinge balance for

    F = κ|θ| K / (L − x K),   K = tan(α + ρ).

x is positive where the push comes from, towards the line through the hinge, on the way in; the same contact
has −x on the way back. For x/L → 0 this is the handbook's formula, and x K = L is the lock.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pliant.core.arrays import Floats


def deflection_force(stiffness: ArrayLike, angle: ArrayLike, length: ArrayLike) -> Floats:
    """The force across the motion that holds a hook turned by an angle: P = κ|θ|/L."""
    return np.asarray(stiffness) * np.abs(angle) / np.asarray(length, np.float64)


def mating_force(across: ArrayLike, ramp: ArrayLike, friction: ArrayLike) -> Floats:
    """The handbook's force along the motion, W = P (μ + tan α)/(1 − μ tan α); infinite where it locks.

    Source: Bayer, Snap-Fit Joints for Plastics: A Design Guide, p. 14.

    Args:
        across: force across the motion P (N).
        ramp: α (rad): of the lead on the way in, of the return on the way back.
        friction: coefficient μ.

    Returns:
        The force in N, positive against the motion.

    >>> float(mating_force(32.5, np.radians(30), 0.6).round(1))
    58.5
    """
    return hinged_force(across, 1.0, 1.0, 0.0, ramp, friction)


def hinged_force(
    stiffness: ArrayLike, angle: ArrayLike, along: ArrayLike, beside: ArrayLike, ramp: ArrayLike,
    friction: ArrayLike,
) -> Floats:  # fmt: skip
    """The force along the motion on a rigid hook on a hinge, F = κ|θ| K/(L − x K); infinite where it locks.

    Source: [DonaldPai1993] eq. A3, with the hinge's torque of eq. A1, for a straight ramp.
    Differs: in sines and cosines of α + ρ, which go on past 90°, where K has jumped to −∞.

    Args:
        stiffness: κ of the hinge (N·mm/rad).
        angle: θ that the hook is turned by (rad), of either sign.
        along: distance L of the contact from the hinge along the motion (mm).
        beside: its distance x from the line through the hinge (mm), positive where the push comes from.
        ramp: α (rad).
        friction: coefficient μ.

    Returns:
        The force in N, positive against the motion.
    """
    steep = np.asarray(ramp) + np.arctan(friction)
    arm = np.asarray(along) * np.cos(steep) - np.asarray(beside) * np.sin(steep)
    torque = np.asarray(stiffness) * np.abs(angle) * np.sin(steep)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(arm > 0, torque / arm, np.inf)


def lock_friction(ramp: ArrayLike, along: ArrayLike, beside: ArrayLike = 0.0) -> Floats:
    """The friction from which on the hook locks: x tan(α + atan μ) = L.

    0 where it locks without any, infinite where no friction locks it. With x = 0 it is the handbook's
    μ = 1/tan α.

    Args:
        ramp: α (rad).
        along: distance L of the contact from the hinge along the motion.
        beside: its distance x from the line through the hinge, in the same unit.

    Returns:
        The coefficient μ.

    >>> float(lock_friction(np.radians(45), 1.0).round(12))
    1.0
    """
    left = np.arctan2(along, beside) - np.asarray(ramp)
    return np.where(left >= np.pi / 2, np.inf, np.tan(np.clip(left, 0.0, np.pi / 2)))
