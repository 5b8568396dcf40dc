"""Puts a linkage where its curve meets the target best."""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats
from pliant.linkage.kinematics.variants import variant_curves
from pliant.linkage.synthesis.families import Family
from pliant.linkage.synthesis.matching import POSES, TURN, match
from pliant.linkage.synthesis.polish import Fit, fit
from pliant.linkage.synthesis.targets import PathTarget, as_complex, as_points

ANGLES = TURN * np.arange(POSES)[None] / POSES


def place_on_target(target: PathTarget, family: Family, drawn: Floats) -> Fit | None:
    """A linkage turned, scaled and moved onto the target, or None where it does not fit there."""
    points, _ = variant_curves(family.plan, drawn[None], ANGLES, family.traced)
    best = match(target, points[0, 0])
    line = as_complex(points[0, 0].T)
    z, phases = as_complex(drawn), np.unwrap(best.phases)
    met = np.interp(phases * POSES / TURN % POSES, np.arange(POSES + 1), np.append(line, line[0]))
    if best.mirrored:
        z, met, phases = z.conj(), met.conj(), -phases
    middle, wanted = met.mean(), target.samples
    w = np.vdot(met - middle, wanted) / np.vdot(met - middle, met - middle)  # least squares
    z = w * (z - middle) + wanted.mean()
    return fit(family, target, as_points(z), _angles_at_points(target, phases))


def place_again(target: PathTarget, start: Fit) -> Fit | None:
    """A fitted linkage placed anew."""
    return place_on_target(target, start.family, start.drawn)


def _angles_at_points(target: PathTarget, phases: Floats) -> Floats:
    """Crank angles at the target's points, from those at its even samples."""
    if target.closed:
        turn = TURN * np.sign(phases[-1] - phases[0])
        phases = np.append(phases, phases[0] + turn)
    return np.interp(target.fractions, np.linspace(0, 1, len(phases)), phases)


def is_folded(start: Fit) -> bool:
    """Whether the curve meets the target's points out of their order."""
    ahead = np.diff(start.phases)
    return bool((ahead > 0).any() and (ahead < 0).any())


def unfold(target: PathTarget, start: Fit) -> Fit | None:
    """The same linkage, with points that are met out of order put between their neighbours.

    Near a cusp a point can be held by the wrong branch of the curve, and no small step frees it.
    """
    ahead = np.diff(start.phases)
    back = np.sign(ahead) != np.sign(np.median(ahead))
    wrong = np.convolve(np.append(back, False) | np.append(False, back), np.ones(5), "same") > 0
    if wrong.sum() > len(wrong) // 2:
        return None
    number = np.arange(len(wrong))
    phases = np.interp(number, number[~wrong], start.phases[~wrong])
    return fit(start.family, target, start.drawn, phases)
