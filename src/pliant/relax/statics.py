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

from pliant.relax.elongation import elongations
from pliant.relax.laws import BAR
from pliant.relax.network import Floats, Network, State
from pliant.relax.slopes import slopes

DENSE = 300  # unknowns up to which a dense answer is quick


def rigid_only(net: Network) -> bool:
    """Whether there is nothing but lengths that always hold, and loads."""
    parts = net.parts
    bilateral = bool((parts.links.laws == BAR).all() and (parts.couplings.laws == BAR).all())
    others = len(parts.rails.nodes) + len(parts.touch.radius) + len(parts.fields.power)
    return bilateral and bool(net.rigid.all()) and not others


def stiffened(net: Network, state: State) -> None:
    """Give lengths in by what they carry of loads and springs at a pose, so that they hold it at once."""
    found = elongations(net, state)
    rows = slopes(net, state.x, found)
    count, links = len(net.parts.links.laws), net.parts.links
    bars = np.flatnonzero((rows.laws == BAR) & (rows.owners < count + len(net.parts.couplings.laws)))
    if not len(bars):
        return
    forces = _least(rows.matrix[bars].T, _pulled(net, state, found.link_forces, rows))
    owners, given = rows.owners[bars], forces / rows.stiffness[bars]
    state.rest[:] += state.given
    state.goal[:] += state.coupling_given
    state.given[:], state.coupling_given[:] = 0.0, 0.0
    linked = owners < count
    state.given[owners[linked]] = given[linked]
    state.coupling_given[owners[~linked] - count] = given[~linked]
    state.rest[:] -= state.given
    state.goal[:] -= state.coupling_given


def _pulled(net: Network, state: State, link_forces: Floats, rows: Any) -> Floats:
    """(U,) what loads and links that are not rigid do to the unknowns."""
    loads, links, x = state.loads.copy(), net.parts.links, state.x
    for e in np.flatnonzero(~net.rigid).tolist():
        i, j = links.ends[e]
        away = x[j] - x[i]
        pull = link_forces[e] * away / (np.linalg.norm(away) or 1.0)
        loads[i] += pull
        loads[j] -= pull
    return rows.gathered(loads[None])[:, 0]


def _least(matrix: Any, right: Floats) -> Floats:
    """The least f among those nearest to matrix f = right."""
    if max(matrix.shape) <= DENSE:
        return np.linalg.lstsq(matrix.toarray(), right, rcond=None)[0]
    if matrix.shape[0] == matrix.shape[1]:
        try:
            return splu(sparse.csc_array(matrix)).solve(right)
        except RuntimeError:  # exactly singular
            pass
    return lsqr(matrix, right, atol=1e-14, btol=1e-14)[0]
