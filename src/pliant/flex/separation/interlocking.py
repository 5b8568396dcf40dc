"""Interlocked or not, to first order: a motion that opens or slides, or the forces that prove there is none.

With every joint taken as closed, a motion q̇ is possible to first order if J q̇ ≥ 0. One program opens every
contact that can open at once:

    max Σ s_i  subject to  J q̇ ≥ s,  0 ≤ s ≤ 1.

Where it is 0 no contact opens, and what can still move slides: J q̇ = 0. Nothing moves if and only if the
program is 0 and J has full rank. Proof of the first is a force on every row that balances itself,
Jᵀy = 0 with y ≥ 1 (Stiemke's lemma); of the second, the least singular value of J.

Source: [Lensgraf2020] section VI-C asks for such a motion.
Differs: the paper looks for velocities whose sum is large (`velocity_sum_motion`), and so misses motions
whose velocities sum to zero; and its signs as printed make every program infeasible. This one misses none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, vstack

from pliant.core.arrays import Floats, Ints
from pliant.flex.lp.program import Program
from pliant.flex.lp.solvers import in_natural_units

OPENS = 1e-6  # of a row's unit: less is a solver's rounding
FULL = 1e-7  # of the largest singular value: less is none
SAME = 1e-5  # of the fastest: bodies whose velocities differ by less move as one


@dataclass(frozen=True)
class FirstOrder:
    """What the contacts of a pose allow to first order, all of them closed."""

    motion: Floats | None  # (M, 3) a motion that opens contacts, or slides along them; None: interlocked
    opening: int  # rows that it opens
    forces: Floats | None  # (R,) y ≥ 1 with Jᵀy = 0, the proof that nothing opens; None where something does
    unbalanced: float  # the largest of |Jᵀy|, in natural units
    least_singular: float  # of J in natural units, over its largest: 0 where something slides

    @property
    def interlocked(self) -> bool:
        """Whether nothing moves, to first order."""
        return self.motion is None


def first_order(program: Program) -> FirstOrder:
    """The motion that opens the most, else one that slides, else the proof that there is none."""
    own, units = in_natural_units(program)
    matrix = _one_sided(own)
    if matrix.shape[0] == 0:
        return FirstOrder(np.ones_like(program.cost), 0, None, 0.0, 0.0)
    rows, columns = matrix.shape
    cost = np.concatenate([np.zeros(columns), -np.ones(rows)])
    bounds = [(None, None)] * columns + [(0.0, 1.0)] * rows
    answer = linprog(
        cost, hstack([-matrix, eye_array(rows)], format="csr"), np.zeros(rows), bounds=bounds, method="highs"
    )
    if answer.x is not None and -answer.fun > OPENS:
        motion = answer.x[:columns].reshape(-1, 3) * units.columns
        opening = int((answer.x[columns:] > OPENS).sum())
        return FirstOrder(motion / np.abs(motion).max(), opening, None, 0.0, 0.0)
    sliding, least = _sliding_motion(matrix)
    forces, unbalanced = _balanced_forces(matrix)
    motion = None if sliding is None else sliding.reshape(-1, 3) * units.columns
    return FirstOrder(motion, 0, forces, unbalanced, least)


def _one_sided(program: Program) -> csr_array:
    """J with equalities as rows of either sign: J q̇ ≥ 0 for all of it."""
    matrix = program.matrix()
    return csr_array(vstack([matrix, -matrix[program.equal]])) if program.equal.any() else csr_array(matrix)


def _sliding_motion(matrix: csr_array) -> tuple[Floats | None, float]:
    """A motion with J q̇ = 0, if there is one; and the least singular value of J over its largest."""
    values, vectors = np.linalg.eigh((matrix.T @ matrix).toarray())
    sizes = np.sqrt(np.maximum(values, 0.0))
    least = float(sizes[0] / max(float(sizes[-1]), 1e-300))
    if least > FULL:
        return None, least
    slide = vectors[:, 0]
    return slide / np.abs(slide).max(), least


def _balanced_forces(matrix: csr_array) -> tuple[Floats | None, float]:
    """Forces y ≥ 1 that balance themselves, and by how much they do not."""
    rows, columns = matrix.shape
    answer = linprog(
        np.ones(rows),
        A_eq=csr_array(matrix.T),
        b_eq=np.zeros(columns),
        bounds=[(1.0, None)] * rows,
        method="highs",
    )
    if answer.x is None:
        return None, np.inf
    return answer.x, float(np.abs(matrix.T @ answer.x).max(initial=0.0))


def clusters(motion: Floats, centres: Floats) -> list[Ints]:
    """Moving bodies in groups that move as one rigid body, those that stand still left out; smallest first.

    `motion` (M, 3) are velocities of the centroids at `centres` (M, 2), and turns.
    """
    spin = motion[:, 2]
    at_origin = motion.copy()  # bodies that move as one have one velocity there
    at_origin[:, 0] += spin * centres[:, 1]
    at_origin[:, 1] -= spin * centres[:, 0]
    at_origin[:, 2] *= float(np.abs(centres).max(initial=0.0)) or 1.0
    rounded = np.round(at_origin / (SAME * (np.abs(at_origin).max() or 1.0))).astype(np.int64)
    groups: dict[tuple[int, ...], list[int]] = {}
    for body in np.flatnonzero(np.abs(rounded).max(axis=1) > 0).tolist():
        groups.setdefault(tuple(rounded[body].tolist()), []).append(body)
    return sorted((np.array(group) for group in groups.values()), key=len)


def velocity_sum_motion(program: Program, least: float = 1.0) -> Floats | None:
    """The paper's test: a motion (M, 3) with J q̇ + d ≥ 0 and k ≤ ±Σ(ẋ + ẏ) ≤ 2k; None where there is none.

    Source: [Lensgraf2020] section VI-C.
    Differs: d gets −k and +2k for the sum and its negative (as printed, +k and −2k, no motion has both);
    then both signs are turned. Motions whose sum is zero are not found.
    """
    own, units = in_natural_units(program)
    matrix = _one_sided(own)
    gaps = np.concatenate([own.gaps, -own.gaps[own.equal]])
    far = least * 1e3 * max(float(np.abs(own.gaps).max(initial=0.0)), 1.0)
    total = np.tile([1.0, 1.0, 0.0], len(own.cost))
    for sign in (1.0, -1.0):
        rows = csr_array(vstack([-matrix, csr_array(np.stack([-sign * total, sign * total]))]))
        right = np.concatenate([gaps, [-far, 2 * far]])
        answer = linprog(np.zeros(own.cost.size), rows, right, bounds=(None, None), method="highs")
        if answer.status == 0:
            return answer.x.reshape(-1, 3) * units.columns
    return None
