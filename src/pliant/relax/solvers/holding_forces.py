"""Forces that hold a pose: what rigid lengths carry of loads and of what is elastic.

    Jᵀ f = r

with J the slopes of the lengths that hold and r the forces on the nodes from all else. Where lengths are
as many as needed, f is the one answer; where they are more, the least one; where they are fewer, the part
of r that is left moves the mechanism.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsqr, splu

from pliant.core.arrays import Floats
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.gradients import jacobian_at
from pliant.relax.network.elements import State
from pliant.relax.network.laws import BAR
from pliant.relax.network.network import Network, once
from pliant.relax.solvers.lagrange import applied_forces, set_row_forces

DENSE = 300  # unknowns up to which a dense answer is quick


@once
def is_rigid_only(net: Network) -> bool:
    """Whether there are only two-way rigid elements, and loads."""
    parts = net.parts
    bilateral = bool((parts.links.laws == BAR).all() and (parts.couplings.laws == BAR).all())
    others = len(parts.rails.nodes) + len(parts.touch.radius) + len(parts.fields.power)
    return bilateral and bool(net.rigid.all() and net.couplings_hold.all()) and not others


def preload(net: Network, state: State) -> None:
    """Give lengths in by what they carry of loads and springs at a pose, so that they hold it at once."""
    stretch = elongations(net, state)
    rows = jacobian_at(net, state.x, stretch)
    count = len(net.parts.links.laws)
    bars = np.flatnonzero((rows.laws == BAR) & (rows.owners < count + len(net.parts.couplings.laws)))
    if not len(bars):
        return
    forces = np.zeros(len(rows.owners))
    forces[bars] = _least_norm_solution(rows.matrix[bars].T, applied_forces(net, state, rows, stretch))
    set_row_forces(net, state, rows, forces)


def _least_norm_solution(matrix: Any, right: Floats) -> Floats:
    """Least-norm least-squares solution f of matrix f = right."""
    if max(matrix.shape) <= DENSE:
        return np.linalg.lstsq(matrix.toarray(), right, rcond=None)[0]
    if matrix.shape[0] == matrix.shape[1]:
        try:
            return splu(sparse.csc_array(matrix)).solve(right)
        except RuntimeError:  # exactly singular
            pass
    return lsqr(matrix, right, atol=1e-14, btol=1e-14)[0]
