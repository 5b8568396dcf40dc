"""What stops a drive: a fold, a stop, or lengths that no assembly has."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from pliant.core.arrays import Floats
from pliant.relax.factors.singular import smallest_singular_value
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.gradients import ActiveElements, Jacobian, holding, jacobian_at
from pliant.relax.network.elements import State
from pliant.relax.network.laws import BAR
from pliant.relax.network.measures import measure_angles
from pliant.relax.network.network import Network
from pliant.relax.solvers.dead_centres import displace_nodes, stress_form
from pliant.relax.solvers.increment_measures import length_errors
from pliant.relax.solvers.multipliers import clear_multipliers
from pliant.relax.solvers.run_state import copy_of

SINGULAR = 1e-2  # of the least singular value as drawn: at a fold, one falls below
ZERO = 1e-6  # singular values of the drawing below it are 0
DENSE = 300  # unknowns up to which all of them are found
FEW, MANY, TURNS = (
    120,
    3000,
    40,
)  # unknowns of a dense matrix, and up to which a fold is sought; steps towards it
RANK = 1e-10  # of the largest: singular values below it are 0
NEAR = 0.3  # of the size: so far a fold is from where it is sought, at most
BACK = 1e-5  # of the drive: by so much it may have gone too far, lengths giving way a little
STILL = 1e-12  # of the size, or of the drive: a step that is none
HOLDS = 1e-13  # of the size, or of p: what rounding leaves of the equations of a fold
DIFFERENCE = 1e-6  # of the size, or of the drive: over which slopes are compared
AHEAD, BESIDE = 1e-3, 0.1  # of the drive: how near a fold is told ahead; of the way there: how far beside it
CARRIES = 1e-3  # of the largest error: what is off by as much carries a lock

FOLD = "a fold: two assemblies meet there, and beyond it there is none"
LOSS = "no assembly exists beyond: the lengths contradict what the drive asks for"


def is_rank_deficient(net: Network, state: State) -> bool:
    """Whether lengths have become dependent that were not as drawn: a singular value has all but vanished."""
    first, now = (_singular_values(net, one) for one in (net.state(), state))
    rank = min(int((first > ZERO).sum()), len(now))
    return rank > 0 and bool(now[rank - 1] < SINGULAR * first[rank - 1])


def _singular_values(net: Network, state: State) -> Floats:
    """Singular values of J, descending; of large mechanisms the smallest alone."""
    matrix = jacobian_at(net, state.x, elongations(net, state)).matrix
    if matrix.shape[1] > DENSE:
        return np.array([smallest_singular_value(matrix)])
    sizes: Floats = np.linalg.svd(matrix.toarray(), compute_uv=False).astype(np.float64)
    return sizes


def lock_name(net: Network, state: State, strained: State | None) -> tuple[str, str]:
    """Kind and name of a lock, from its pose or the last before it, and an element it strains."""
    if strained is not None:
        names = _one_sided_carriers(net, strained)
        if names:
            return "stop", f"a stop: {', '.join(names)} {'holds' if len(names) == 1 else 'hold'} it"
    if is_rank_deficient(net, state):
        return "fold", FOLD
    return "lock", LOSS


def _one_sided_carriers(net: Network, state: State) -> list[str]:
    """Strings, bumpers, one-way circuits and contacts that carry a strain, once each."""
    stretch, parts = elongations(net, state), net.parts
    share = length_errors(net, stretch)
    laws = np.concatenate([parts.links.laws, parts.couplings.laws, parts.rails.laws])
    names = (*net.link_names, *net.coupling_names, *net.rail_names)
    bound = CARRIES * share.max(initial=0.0)
    carry = [names[at] for at in np.flatnonzero((laws != BAR) & (share > bound)).tolist()]
    carry += [net.touch_name(at) for at in stretch.touching.tolist()]
    return list(dict.fromkeys(carry))


def locate_fold(
    net: Network, state: State, strained: State | None, share: float, goal: float
) -> tuple[float, State] | None:
    """The share of the drive from which on lengths cannot hold, and the pose there; None where none is near.

    Solves e(x, t) = 0 and Jᵀ p = 0 with |p| = 1 together, e the elongations at the share t: there, lengths
    that were independent are no more. By Gauss and Newton, each step the least; of forces it knows
    nothing, which close to a fold grow without bound. Lengths are those that hold what is strained, so that a
    contact that has yet to close, or a string to tighten, is among them. Once the equations hold, nodes need
    not come to a stand: where lengths leave them free, next to nothing but rounding moves them.
    """
    there, seen = copy_of(state), state if strained is None else strained
    chosen = holding(net, elongations(net, seen))
    clear_multipliers(there)  # of forces without bound, rounding would be left in the lengths
    net.aim(there, share)
    rows = jacobian_at(net, there.x, elongations(net, there), chosen)
    if not 0 < rows.matrix.shape[1] <= MANY or not len(rows.over):
        return None
    p, t, reach = _stress(net, rows, strained, chosen), share, goal - share
    if p is None:
        return None
    for _ in range(TURNS):
        matrix, right = _fold_system(net, there, rows, p, (t, reach), chosen)
        scales = np.where(np.arange(len(right)) < len(p), net.size, 1.0)
        step, held = _step(matrix, right), bool((np.abs(right) <= HOLDS * scales).all())
        unknowns = len(rows.nodes)
        y, pace = rows.spread(step[:unknowns, None])[0], step[unknowns] * reach
        if not np.abs(there.x + y - state.x).max() <= NEAR * net.size:
            return None
        displace_nodes(net, there, y)
        p, t = p + step[unknowns + 1 :], t + pace
        net.aim(there, t)
        if len(there.turned):
            measure_angles(there.x, net.parts.couplings, there.turned)
        rows = jacobian_at(net, there.x, elongations(net, there), chosen)
        if (held or np.abs(y).max() <= STILL * net.size) and abs(pace) <= STILL:
            fold = min(max(float(t), 0.0), 1.0), there
            return fold if share - BACK <= t <= goal + STILL else None
    return None


def fold_ahead(net: Network, state: State, share: float, goal: float) -> tuple[float, State] | None:
    """The fold that a pose of lengths alone is close to on its own way, and the pose there; None where none.

    With Jᵀ p = 0 and J y = 0 at the fold, poses are displaced from it by a y, ½ a² p·q(y) = p·d (t − t₀), d
    being how fast the drive asks for lengths. A fold near by that another way comes to is not meant.
    """
    fold = locate_fold(net, state, None, share, goal)
    if fold is None or not share <= fold[0] <= share + AHEAD:
        return None
    _, there = fold
    rows, further = jacobian_at(net, there.x, elongations(net, there)), copy_of(there)
    left, _, right = np.linalg.svd(rows.matrix.toarray())
    y, p = right[-1], left[:, len(rows.nodes) - 1]
    bend = float(stress_form(net, there, rows, y[:, None], p)[0, 0])
    net.aim(further, share)
    asked = rows.over - jacobian_at(net, further.x, elongations(net, further)).over
    square = 2.0 * float(p @ asked) / bend if bend else np.inf
    gone = rows.gathered((state.x - there.x)[None])[:, 0]
    fits = square > 0.0 and abs(abs(gone @ y) - np.sqrt(square)) <= BESIDE * np.sqrt(square)
    return fold if fits and np.abs(gone - (gone @ y) * y).max() <= BESIDE * np.sqrt(square) else None


def _stress(net: Network, rows: Jacobian, strained: State | None, chosen: ActiveElements) -> Floats | None:
    """Unit self-stress of the rows; from the strain, where there is one."""
    if strained is not None:
        there = jacobian_at(net, strained.x, elongations(net, strained), chosen)
        p = there.stiffness * there.over
        if p.any():
            return p / np.linalg.norm(p)
    if rows.matrix.shape[1] > FEW:
        return None
    return np.linalg.svd(rows.matrix.toarray(), full_matrices=False)[0][:, -1]


def _step(matrix: Any, right: Floats) -> Floats:
    """The least step that solves a system, or comes nearest to it; not a number where there is none."""
    size = matrix.shape[0]
    if size <= 2 * FEW:
        return np.linalg.lstsq(matrix.toarray(), right, rcond=RANK)[0].astype(np.float64)
    whole = sparse.block_array(
        [[sparse.eye_array(size), matrix.T], [matrix, -(RANK**2) * sparse.eye_array(size)]]
    )
    try:
        return splu(sparse.csc_array(whole)).solve(np.append(np.zeros(size), right))[:size]
    except RuntimeError:  # exactly singular
        return np.full(size, np.nan)


def _fold_system(
    net: Network, state: State, rows: Jacobian, p: Floats, at: tuple[float, float], chosen: ActiveElements
) -> tuple[Any, Floats]:
    """The matrix of a step in (y, t, p), and its right side."""
    (share, reach), j = at, rows.matrix
    further = State._make(array.copy() for array in state)
    net.aim(further, share + DIFFERENCE * reach)
    after = jacobian_at(net, further.x, elongations(net, further), chosen)
    driven = (after.over - rows.over)[:, None] / DIFFERENCE
    bent = _bent(net, state, rows, p, chosen)
    matrix = sparse.block_array([[j, driven, None], [bent, None, j.T], [None, None, 2.0 * p[None]]])
    return matrix, -np.concatenate([rows.over, j.T @ p, [p @ p - 1.0]])


def _bent(net: Network, state: State, rows: Jacobian, p: Floats, chosen: ActiveElements) -> Any:
    """(U, U) how Jᵀ p changes with the unknowns, by differences: of those at once that share no neighbour."""
    pattern = sparse.csr_array(abs(rows.matrix).T @ abs(rows.matrix) + sparse.eye_array(len(rows.nodes)))
    clashes = sparse.csr_array(pattern @ pattern)
    colours, h = np.full(len(rows.nodes), -1), DIFFERENCE * (net.size or 1.0)
    for u in range(len(colours)):
        taken = set(colours[clashes.indices[clashes.indptr[u] : clashes.indptr[u + 1]]].tolist())
        colours[u] = next(c for c in range(len(taken) + 1) if c not in taken)
    changes, here = np.zeros((len(colours), colours.max() + 1)), rows.matrix.T @ p
    for colour in range(changes.shape[1]):
        there = State._make(array.copy() for array in state)
        np.add.at(there.x, rows.nodes, h * rows.ways * (colours == colour)[:, None])
        moved = jacobian_at(net, there.x, elongations(net, there), chosen)
        changes[:, colour] = (moved.matrix.T @ p - here) / h
    u, v = pattern.nonzero()
    return sparse.csr_array((changes[u, colours[v]], (u, v)), pattern.shape)
