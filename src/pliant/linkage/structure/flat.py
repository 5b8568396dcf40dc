"""Drawings in a dead centre: a rule without a side is refused, with what to draw instead."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.linkage.structure.constraints import gradients, residuals, scales
from pliant.linkage.structure.rule import SIDED, Op, RuleKind
from pliant.linkage.structure.rule_plan import LinkageStructure, RulePlan

TRIED = 0.02  # radians that a motor is turned to see whether it can


def refuse_flat(plan: RulePlan) -> None:
    """Raise an InputError where a rule has no side in the drawing."""
    flat = [
        op for op, sign in zip(plan.rules, plan.signs.tolist(), strict=True) if op.rule in SIDED and sign == 0
    ]
    if flat:
        cure = dead_centre_cure(plan.structure)
        raise InputError(
            [
                Fault(
                    f"joints.{(name := plan.structure.names[op.k])}", _flat_problem(plan, op), cure, (name,)
                )
                for op in flat
            ]
        )


def dead_centre_cure(structure: LinkageStructure) -> str:
    """The cure for a drawing in a dead centre: another pose, or other lengths where it has no other pose."""
    if is_locked_for_good(structure):
        return "It is locked for good: no motor can turn either way from here. Make one of these bars longer"
    return "Draw the linkage with its motor turned a little further"


def is_locked_for_good(structure: LinkageStructure) -> bool:
    """Whether no motor of a drawing in a dead centre can move, each tried a little both ways.

    The equations are solved for all joints at once, from the drawing and from a few shaken ones.
    """
    from scipy.optimize import least_squares

    size, rng = structure.size, np.random.default_rng(0)
    rows, scale = structure.rows, scales(structure.rows, structure.drawn)
    free = structure.free_joints

    def placed(z: Floats) -> Floats:
        x = structure.drawn.copy()
        x[free] = size * z.reshape(-1, 2)
        return x

    def wrong(z: Floats, motor: int, turned: float) -> Floats:
        x = placed(z)
        pivot, driven = structure.motors[motor]
        arm = complex(*(structure.drawn[driven] - structure.drawn[pivot])) * np.exp(1j * turned)
        at = x[driven] - x[pivot] - np.array([arm.real, arm.imag])
        return np.concatenate([residuals(rows, structure.drawn, x[None])[0] / scale, at]) / size

    def slopes(z: Floats, motor: int, _: float) -> Floats:
        pivot, driven = structure.motors[motor]
        at = np.zeros((2, *structure.drawn.shape))
        at[:, driven] += np.eye(2)
        at[:, pivot] -= np.eye(2)
        bars = gradients(rows, structure.drawn, placed(z)[None])[0] / scale[:, None, None]
        return np.concatenate([bars, at])[:, free].reshape(len(rows) + 2, -1)

    if len(structure.rotary_motors) < len(structure.motors):
        return False
    for motor in structure.rotary_motors:
        for turned in (TRIED, -TRIED):
            for shake in (0.0, 0.02, 0.02, 0.05, 0.05):
                start = structure.drawn[free].ravel() / size
                start = start + shake * rng.normal(size=start.shape)
                solution: Any = least_squares(
                    wrong, start, slopes, args=(motor, turned), xtol=1e-15, ftol=1e-15, gtol=1e-15
                )
                if np.abs(solution.fun).max() < 1e-9:
                    return False
    return True


def _flat_problem(plan: RulePlan, op: Op) -> str:
    """Why a rule has no side in the drawing."""
    names = plan.structure.names
    rule, k, i, j = op.rule, op.k, op.i, op.j
    where = "so that the way it goes is not defined"
    if rule == RuleKind.SLOT:
        return f"the slot is drawn square to the line from {names[i]} to {names[j]}, {where}"
    if rule == RuleKind.LINES:
        return f"the lines that {names[k]} slides along are drawn parallel, so that they do not cross"
    if rule in (RuleKind.TRIANGLE, RuleKind.STRUT):
        line = f"{names[i]}, {names[k]} and {names[j]} are drawn in one line"
        return f"{line}, so that the side {names[k]} goes to is not defined"
    return f"the bar from {names[i]} to {names[k]} is drawn square to the guide of {names[k]}, {where}"
