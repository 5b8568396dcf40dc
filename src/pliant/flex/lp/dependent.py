"""Equality rows that follow from others: pivots of a truss, of a third link beside two.

Solvers part ways over equalities that say the same thing twice and not quite alike: what is left
of a correction is then worth any force and any motion. So such rows are found and left out of the
program. They hold with the others, as far as they can, and are still checked in every pose.

What a row adds to those before it is its distance from their span, with the turns of a body
measured by its longest arm: what it changes by when bodies go as far as that, and the others hold.
Rows that were meant to add nothing lie far below all others in that.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from scipy.linalg import qr
from scipy.sparse import csr_array, diags_array, eye_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from pliant.core.arrays import Bools, Floats, Ints
from pliant.flex.lp.blas import one_blas_thread
from pliant.flex.lp.program import ROUNDING, Program

MEANT = 1e-4  # of an arm: a row that adds no more may be one that was meant to add nothing
APART = 30.0  # times what those add, the least that any other row does
DENSE = 300  # rows that are factored as a full matrix
SQUARED = 5e-6  # of an arm: less is lost where squares of rows are factored
RIDGE = 1e-15
REFINEMENTS = 6


def dependent_rows(program: Program) -> Bools:
    """Which rows (R,) are equalities that follow from the rest of them."""
    return program.equal & (_row_additions(program, _scaled_blocks(program)[0]) <= program.same)


def least_pivot(program: Program, slack: float) -> float:
    """What a row must add, of an arm, to count: in the widest gap between little and more.

    Where what is left out then misses more than `slack`, the pins contradict each other. They bind,
    and all but what is rounding is kept.
    """
    blocks, arm = _scaled_blocks(program)
    added = np.sort(np.clip(_row_additions(program, blocks)[program.equal], ROUNDING, 1.0))
    little = np.flatnonzero(added[:-1] <= MEANT)
    if not len(little):
        return ROUNDING
    apart = added[little + 1] / added[little]
    widest = int(little[np.argmax(apart)])
    if apart.max() < APART or added[widest] * arm > max(slack, ROUNDING * arm):
        return ROUNDING
    return float(np.sqrt(added[widest] * added[widest + 1]))


def _row_additions(program: Program, blocks: Floats) -> Floats:
    """What each equality adds to those before it, (R,), of an arm: all, where no others could."""
    added = np.ones(len(program.gaps))
    told = program.equal & blocks.any(axis=(1, 2))
    added[program.equal & ~told] = 0.0  # pivots of two held bodies
    for group in _loops(program.pairs, blocks, np.flatnonzero(told)):
        matrix = _matrix(program.pairs, blocks, group)
        added[group] = _full_pivots(matrix) if len(group) <= DENSE else _sparse_pivots(matrix)
    return added


def least_forces(program: Program, forces: Floats, follows: Bools) -> Floats:
    """The forces (R,) with those of loops that have dependent rows as small as balances the same load.

    min Σ y²  subject to  Eᵀ y = Eᵀ y₀: with y = E z, by Newton's corrections of z.
    """
    blocks = _scaled_blocks(program)[0]
    rows = np.flatnonzero(program.equal & blocks.any(axis=(1, 2)))
    forces = forces.copy()
    for group in _loops(program.pairs, blocks, rows):
        if not follows[group].any():
            continue
        matrix = _matrix(program.pairs, blocks, group)
        normal = (matrix.T @ matrix).tocsc()
        normal += diags_array(1e-12 * (normal.diagonal() + normal.diagonal().mean()))
        factors = splu(normal.tocsc())
        load, least = matrix.T @ forces[group], np.zeros(len(group))
        for _ in range(REFINEMENTS):
            least += matrix @ factors.solve(load - matrix.T @ least)
        forces[group] = least
    return forces


def _scaled_blocks(program: Program) -> tuple[Floats, float]:
    """Rows with each body's turns taken about the middle of its pivots, by its longest arm; and the longest.

    With o from a body's frame to that point, ∂d/∂θ becomes t + a·o_y − b·o_x for a row (a, b, t);
    least squares find o.
    """
    rows, sides = np.nonzero((program.pairs >= 0) & program.equal[:, None])
    body, size = program.pairs[rows, sides], len(program.cost)
    a, b, t = program.blocks[rows, sides].T
    squares = np.zeros((size, 2, 2))
    squares[:, 0, 0], squares[:, 1, 1] = (np.bincount(body, c * c, size) + 1e-12 for c in (a, b))
    squares[:, 0, 1] = squares[:, 1, 0] = -np.bincount(body, a * b, size)
    right = np.stack([np.bincount(body, -a * t, size), np.bincount(body, b * t, size)], axis=1)
    up, along = np.linalg.solve(squares, right[..., None])[body, :, 0].T
    turn = t + a * up - b * along
    arms = np.zeros(size)
    np.maximum.at(arms, body, np.abs(turn))
    far = float(np.abs(t).max(initial=0.0)) or 1.0
    arms = np.where(arms > ROUNDING * far, arms, far)  # of a body on one pin, the turn does not matter
    blocks = np.zeros_like(program.blocks)
    blocks[rows, sides] = np.stack([a, b, turn / arms[body]], axis=1)
    return blocks, float(arms.max())


def _loops(pairs: Ints, blocks: Floats, rows: Ints) -> list[Ints]:
    """Rows that may depend on each other, group by group.

    A body with no more pivots than it has freedoms to follow them by follows them, whatever the
    rest does: its rows are taken off, and then those of its neighbours, until loops are left.
    """
    touching: defaultdict[int, set[int]] = defaultdict(set)
    for row in rows.tolist():
        for body in pairs[row].tolist():
            if body >= 0:
                touching[body].add(row)
    loose = [body for body, own in touching.items() if len(own) <= 2]
    while loose:
        body = loose.pop()
        own = sorted(touching[body])
        if not own or not _independent(pairs, blocks, body, own):
            continue
        for row in own:
            for other in pairs[row].tolist():
                if other >= 0:
                    touching[other].discard(row)
                    if 0 < len(touching[other]) <= 2:
                        loose.append(other)
    left = np.array(sorted(set().union(*touching.values())), np.int64)
    return _connected_rows(pairs, left)


def _independent(pairs: Ints, blocks: Floats, body: int, rows: list[int]) -> bool:
    """Whether a body alone can follow these one or two rows."""
    own = np.array([blocks[row][pairs[row] == body].sum(axis=0) for row in rows])
    return bool(np.linalg.det(own @ own.T) > 1e-4)


def _connected_rows(pairs: Ints, rows: Ints) -> list[Ints]:
    """Rows in groups that have no moving body in common."""
    if not len(rows):
        return []
    entries = np.ones(2 * len(rows)), (np.repeat(np.arange(len(rows)), 2), pairs[rows].ravel() + 1)
    shared = csr_array(entries, shape=(len(rows), int(pairs[rows].max()) + 2))[:, 1:]
    label = connected_components(shared @ shared.T, directed=False)[1]
    order = np.argsort(label, kind="stable")
    return np.split(rows[order], np.flatnonzero(np.diff(label[order])) + 1)


def _matrix(pairs: Ints, blocks: Floats, rows: Ints) -> csr_array:
    """The rows as a sparse matrix over the columns they use."""
    row, side = np.nonzero(pairs[rows] >= 0)
    columns = 3 * pairs[rows][row, side][:, None] + np.arange(3)
    used, place = np.unique(columns.ravel(), return_inverse=True)
    entries = blocks[rows][row, side].ravel(), (np.repeat(row, 3), place)
    return csr_array(entries, shape=(len(rows), len(used)))


def _full_pivots(matrix: csr_array) -> Floats:
    """The distance of each row from the span of those taken before it, the farthest taken first."""
    with one_blas_thread():
        factors: Any = qr(matrix.toarray().T, mode="r", pivoting=True)
    left, order = factors
    distance = np.zeros(len(order))
    distance[order[: min(left.shape)]] = np.abs(np.diag(left))
    return distance


def _sparse_pivots(matrix: csr_array) -> Floats:
    """The same in an order that keeps factors sparse: the pivots of E Eᵀ are squares of these distances.

    The last bars of a long beam of N cells add as little as N^-1.5: the longer, the more it counts.
    """
    squares: Any = matrix @ matrix.T
    squares = (squares + RIDGE * eye_array(squares.shape[0])).tocsc()
    symmetric = {"SymmetricMode": True}
    factors = splu(squares, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=symmetric)
    pivots: Any = factors.U.diagonal()[factors.perm_c]
    distance = np.sqrt(np.maximum(pivots, 0.0))
    return np.where(distance > SQUARED, distance, 0.0) * len(distance) / DENSE
