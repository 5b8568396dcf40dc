"""Fits a linkage's curve to a target, with exact derivatives: Levenberg and Marquardt's method.

The unknowns are the drawn joints x̄ and, for each target point q_i, the crank angle φ_i at
which the curve is nearest to it. With r_i = x_P(φ_i) − q_i, J_i = ∂x_P/∂x̄ and the tangent v_i
of length one, the best φ_i for a change δ of x̄ leaves the residual across the curve,

    (I − v_i v_iᵀ)(r_i + J_i δ),

whose weighted squares, with a damping μ|δ|², are least at the step taken. The drawing has one
freedom too many (any pose of the linkage may be drawn); the damping keeps it still. A step
that would turn a triangle over, or nearly flat at any crank angle used, is not taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pliant.core.arrays import Floats
from pliant.linkage.analysis.transmission import cosines
from pliant.linkage.kinematics.poses import jacobian, openness, positions, rates
from pliant.linkage.structure.sides import sides
from pliant.linkage.synthesis.families import Family, extent
from pliant.linkage.synthesis.matching import TURN
from pliant.linkage.synthesis.targets import PathTarget

SHORTEST = 0.005  # a bar, over the linkage's size: shorter ones cannot be made
CHECKS = 96  # crank angles at which closing is checked
GIVEN_UP = 1e8  # damping at which no step is found
SETTLED = 1e-6  # share of the error by which a last step improves it
EXACT = 1e-13  # root-mean-square error, over the target's size, that rounding leaves


@dataclass(frozen=True)
class Fit:
    """A linkage of a family beside the target, in the target's frame."""

    family: Family
    drawn: Floats  # (N, 2)
    signs: Floats  # (K,) the sides of its triangles
    phases: Floats  # (Q,) crank angles at which the target's points are met
    gaps: Floats  # (2, Q) from each target point to the curve
    rms: float  # weighted, over the target's size

    @property
    def greatest(self) -> float:
        """The greatest gap, over the target's size."""
        return float(np.hypot(*self.gaps).max())


def fit(family: Family, target: PathTarget, drawn: Floats, phases: Floats) -> Fit | None:
    """A linkage measured against the target, or None where it does not close or cannot be made."""
    size = extent(drawn)
    bars = np.hypot(*(drawn[family.bars[:, 0]] - drawn[family.bars[:, 1]]).T)
    if not (size <= target.largest and bars.min() >= SHORTEST * size):
        return None
    wanted = np.stack([target.points.real, target.points.imag])
    signs = sides(family.plan.ops, drawn)
    checked = crank_angles(target, phases)
    poses = positions(family.plan, np.concatenate([phases, checked])[None], drawn, signs=signs)
    w = np.ones_like(poses.angles)
    v, a = rates(poses, w, np.zeros_like(w))
    count, traced = len(phases), family.traced
    greatest = _greatest_cosines(*openness(poses, v, w), count, abs(checked[1] - checked[0]))
    if not max(float(cosines(family.plan, drawn, o, c)) for o, c in enumerate(greatest)) <= target.flattest:
        return None
    gaps = poses.x[traced, :, :count] - wanted
    nearer = phases + _newton_step(gaps, v[traced, :, :count], a[traced, :, :count])
    there = positions(family.plan, nearer[None], drawn, signs=signs).x[traced] - wanted
    better = (there**2).sum(axis=0) < (gaps**2).sum(axis=0)
    phases, gaps = np.where(better, nearer, phases), np.where(better, there, gaps)
    rms = float(np.sqrt((target.weights * (gaps**2).sum(axis=0)).sum()))
    return Fit(family, drawn, signs, phases, gaps, rms)


def _greatest_cosines(c: Floats, dc: Floats, phases: int, step: float) -> Floats:
    """The greatest |c| of each rule (K,), at most 1, at the phases and on the way, whose angles follow them.

    Half a step beyond an angle |c| has grown by at most |dc| times that, where it turns back
    before the next: so nothing is missed between two angles.
    """
    between = np.abs(c[:, phases:]) + 0.5 * step * np.abs(dc[:, phases:])
    return np.fmin(np.maximum(between.max(axis=1), np.abs(c).max(axis=1)), 1.0)


def crank_angles(target: PathTarget, phases: Floats) -> Floats:
    """The crank angles that are used: the whole turn, or from the first target point to the last."""
    if target.closed:
        return phases[0] + TURN * np.arange(CHECKS) / CHECKS
    return np.linspace(phases.min(), phases.max(), CHECKS)


def _newton_step(gaps: Floats, v: Floats, a: Floats) -> Floats:
    """One step of Newton's method towards the nearest point of the curve, where it leads there."""
    slope, speed = (gaps * v).sum(axis=0), (v * v).sum(axis=0)
    bend = speed + (gaps * a).sum(axis=0)
    return np.clip(-slope / np.where(bend > 0.2 * speed, bend, np.maximum(speed, 1e-300)), -0.1, 0.1)


def polish(target: PathTarget, start: Fit, iterations: int) -> Fit:
    """The best fit that can be reached from `start` without turning a triangle over."""
    here, damping = start, 1e-3
    for _ in range(iterations):
        there, damping = _descend(target, here, damping)
        if there is None:
            break
        settled = there.rms > (1 - SETTLED) * here.rms or there.rms <= EXACT
        here = there
        if settled:
            break
    return here


def _descend(target: PathTarget, here: Fit, damping: float) -> tuple[Fit | None, float]:
    """One step downhill, damped until it is one, and the damping to try next; None where there is none."""
    linear = _linearise(target, here)
    easier = 0.2  # only where the first try was good: else every step would begin with a failure
    while damping < GIVEN_UP:
        step, turn = _step(*linear, damping)
        there = fit(here.family, target, here.drawn + step, here.phases + turn)
        if there is not None and there.rms < here.rms and (there.signs == here.signs).all():
            return there, max(easier * damping, 1e-14)
        damping, easier = 4 * damping, 1.0
    return None, damping


def _linearise(target: PathTarget, here: Fit) -> tuple[Floats, Floats, Floats]:
    """∂x_P/∂x̄ (2, n, Q), the velocities v (2, Q), and the gaps (2, Q), weighted."""
    plan, traced = here.family.plan, here.family.traced
    poses = positions(plan, here.phases[None], here.drawn, signs=here.signs)
    v, _ = rates(poses, np.ones_like(poses.angles), np.zeros_like(poses.angles))
    root = np.sqrt(target.weights)
    slopes = jacobian(poses)[traced].reshape(2, -1, len(here.phases))
    return slopes * root, v[traced] * root, here.gaps * root


def _step(slopes: Floats, tangents: Floats, gaps: Floats, damping: float) -> tuple[Floats, Floats]:
    """The change of the drawing (N, 2) and of the phases (Q,)."""
    speed = (tangents**2).sum(axis=0) + damping / tangents.shape[1]
    ahead = tangents / np.sqrt(speed)
    across = slopes - ahead[:, None] * (ahead[:, None] * slopes).sum(axis=0)
    beside = gaps - ahead * (ahead * gaps).sum(axis=0)
    rows, left = across.transpose(0, 2, 1).reshape(-1, slopes.shape[1]), beside.ravel()
    square = rows.T @ rows
    square.flat[:: len(square) + 1] += damping
    step = -np.linalg.solve(square, rows.T @ left)
    moved = gaps + np.einsum("cnq,n->cq", slopes, step)
    turn = -(tangents * moved).sum(axis=0) / speed
    return step.reshape(-1, 2), np.clip(turn, -0.3, 0.3)


def redraw_at_start(here: Fit) -> Fit:
    """The same linkage, drawn where it meets the target's first point."""
    plan, first = here.family.plan, here.phases[:1]
    drawn = positions(plan, first[None], here.drawn, signs=here.signs).x[:, :, 0]
    return replace(here, drawn=np.ascontiguousarray(drawn), phases=here.phases - first)
