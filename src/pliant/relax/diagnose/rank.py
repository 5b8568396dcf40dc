"""What the lengths of a mechanism hold, what they leave free, and where they are at odds with each other.

With J the slopes of what holds (see `jacobian_at`), a vector y with J y = 0 is a way to move, and a vector p
with Jᵀ p = 0 is forces that balance among themselves: a self-stress.

All this is of first order; `second` says which of the ways go on beyond it, and how stiff they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg
from scipy import sparse

from pliant.core.arrays import Bools, Floats, Ints
from pliant.relax.diagnose.second_order import mode_stiffness, second_order_freedoms
from pliant.relax.factors.singular import RANK, RIDGE, normal_solver, null_space, smallest_singular_value
from pliant.relax.mechanics.elongation import Elongations, elongations
from pliant.relax.mechanics.gradients import Jacobian, jacobian_at
from pliant.relax.mechanics.guides import hold_nodes
from pliant.relax.network.elements import FIXED, FREE
from pliant.relax.network.laws import BAR, STRING
from pliant.relax.network.network import Network
from pliant.relax.solvers.record import Frame, scale

SEEN = 1e-6  # of a way to move: less of it in the model's own nodes is rounding
NONE = 1e-9  # of the force scale: forces below it are not worth a look
STRAIGHT = 1e-5  # of the size: displacements for which slopes are good enough
ROUNDING = 1e-13  # of the size
ROUNDS = 4  # of displacement
STEPS = 4  # of each
MOST = 1e12  # ridge: beyond, y is nothing, or no number
TURNS = 20  # of what pulls and presses
SHOWN = 12  # modes


@dataclass(frozen=True)
class Freedom:
    """Degrees of freedom of a mechanism at a pose with the drive held, with modes and stiffness."""

    count: int  # independent ways to move the model's own nodes; at least so many where not `exact`
    second: int  # of them, those that go on beyond the first order: others a stress holds
    rigid: int  # those that move all of it as one body
    redundant: int  # rows that say what others do: self-stresses; at least so many where not `exact`
    modes: Floats  # (K, N, D) the first few, across each other, largest displacement 1; see `freedom`
    singular: float  # the smallest singular value that counts; 0 where there is none, or it was not found
    exact: bool  # all ways to move were found
    stiffness: Floats  # (K,) N for each unit of length: of the ways where forces act, rising; see `second`


def jacobian(net: Network, frame: Frame) -> sparse.csr_array:
    """Jacobian J (R, U) of the held lengths at a frame; rows and columns as in `jacobian_at`."""
    return jacobian_at(net, frame.x, frame.elongations).matrix


def internal_load(net: Network, frame: Frame) -> Floats:
    """Internal load of every rigid element (E + C + Q + T,): the self-stress in N, positive in tension.

    Of links, couplings, rails and touching pairs.

    The displacement −y sought makes Σ k (e − J y)² least, over elongations e of what shall hold, where
    strings only pull and bumpers only press; the forces that are left are k (e − J y). What an element
    carries besides its elongation (see `State.given`) does not count: it holds a load from outside. A
    displacement larger than the mechanism relieves nothing.
    """
    x, stretch = frame.x, frame.elongations
    own = left = own_forces(net, stretch)
    for _ in range(ROUNDS):
        if _largest_force(own) < NONE * scale(net):
            return own
        rows = jacobian_at(net, x, stretch)
        y, forces = _least_forces(rows, net.size or 1.0)
        left = _element_forces(net, own, rows, forces)
        if np.abs(y).max(initial=0.0) <= STRAIGHT * net.size:
            break
        x, stretch = _displace(net, frame, x, stretch, rows.spread(-y[:, None])[0])
        before, own = own, own_forces(net, stretch)
        if _largest_force(own) > _largest_force(before):
            break  # so far away, slopes say nothing
    return left


def freedom(net: Network, frame: Frame) -> Freedom:
    """Degrees of freedom of a mechanism at a frame, from the rank of J.

    Ways that move hidden nodes only, such as the pieces of a string across it, are not the mechanism's.
    Where nothing is grounded or guided, modes are across motions as one body, which tell nothing.
    """
    rows = jacobian_at(net, frame.x, frame.elongations)
    ways, least, exact = null_space(rows.matrix)
    size, unknowns = rows.matrix.shape
    shown = int((rows.nodes < net.shown).sum())
    own = _own_ways(ways, shown)
    together = _rigid(net, rows, frame.x)
    floats = bool((net.parts.guides.kinds == FREE).all())
    bent, count = (
        _remove_rigid_motions(own, together),
        max(own.shape[1], shown - size),
    )  # each row takes one away at most
    return Freedom(
        count=count,
        second=count - bent.shape[1] + second_order_freedoms(net, frame, rows, bent) if exact else count,
        rigid=together.shape[1],
        redundant=max(size - unknowns + ways.shape[1], 0),
        modes=_modes(rows, bent if floats else own),
        singular=least,
        exact=exact,
        stiffness=mode_stiffness(net, frame, rows, bent),
    )


def smallest_singular_values(net: Network, frames: Sequence[Frame]) -> Floats:
    """The smallest of the min(R, U) singular values of J at each frame (F,): 0 where it has none.

    Always 0 where rows repeat each other and yet leave a way to move.
    """
    return np.array([smallest_singular_value(jacobian(net, frame)) for frame in frames])


# Internal loads


def own_forces(net: Network, stretch: Elongations) -> Floats:
    """Force of each rigid element from its elongation alone (E + C + Q + T,), in N."""
    parts = net.parts
    pairs = stretch.touching[net.touches_hold[stretch.touching]]
    pressed = np.zeros(len(parts.touch.radius))
    pressed[pairs] = np.minimum(stretch.gaps[net.touches_hold[stretch.touching]], 0.0)
    return np.concatenate(
        [
            np.where(net.rigid, parts.links.stiffness * _resisted_part(stretch.links, parts.links.laws), 0.0),
            np.where(
                net.couplings_hold,
                parts.couplings.stiffness * _resisted_part(stretch.couplings, parts.couplings.laws),
                0.0,
            ),
            np.where(
                net.rails_hold, parts.rails.stiffness * _resisted_part(stretch.rails, parts.rails.laws), 0.0
            ),
            parts.touch.stiffness * pressed,
        ]
    )


def _largest_force(forces: Floats) -> float:
    return float(np.abs(forces).max(initial=0.0))


def _resisted_part(over: Floats, laws: Ints) -> Floats:
    """Elongation that produces force: tension only for strings, compression only for bumpers."""
    pulled, pressed = np.maximum(over, 0.0), np.minimum(over, 0.0)
    return np.where(laws == BAR, over, np.where(laws == STRING, pulled, pressed))


def _element_forces(net: Network, own: Floats, rows: Jacobian, forces: Floats) -> Floats:
    """(E + C + Q + T,) of forces in rows (R,); a rail with a row for each direction has their resultant.

    Elements between grounded nodes have no rows, and keep their own: nothing can relieve them.
    """
    out, owners = own.copy(), rows.owners
    out[owners] = forces
    rails = net.parts.rails
    first = len(net.parts.links.laws) + len(net.parts.couplings.laws)
    kept = owners[(owners >= first) & (owners < first + len(rails.laws))]
    kept = kept[rails.rest[kept - first] == 0.0]
    out[kept] = np.sqrt(np.bincount(owners, forces**2, len(own)))[kept]
    return out


def _least_forces(rows: Jacobian, size: float) -> tuple[Floats, Floats]:
    """Displacement y (U,) of least residual strain energy, and the row forces (R,) it leaves.

    Strings that it slackens and bumpers that it frees take no part: they are left out, and put back
    where they would be strained without, until neither happens (Newton's method for a piecewise
    quadratic function).
    """
    weights = np.sqrt(rows.stiffness / rows.stiffness.max(initial=1e-300))
    both, pulls = rows.laws == BAR, rows.laws == STRING
    acts, y, left = np.ones(len(rows.over), np.bool_), np.zeros(len(rows.nodes)), rows.over
    for _ in range(TURNS):
        y = _relief(rows.matrix[acts], weights[acts], rows.over[acts], size)
        left = rows.over - rows.matrix @ y
        strained = np.where(pulls, left, -left) > np.where(acts, -ROUNDING, ROUNDING) * size
        if ((both | strained) == acts).all():
            break
        acts = both | strained
    return y, rows.stiffness * np.where(acts, left, 0.0)


def _relief(matrix: Any, weights: Floats, over: Floats, size: float) -> Floats:
    """The least y (U,) among those that make Σ w² (over − J y)² least, none of it larger than `size`.

    Each step takes what μ kept the last one from; a larger μ keeps y small.
    """
    weighted = sparse.csr_array(sparse.diags_array(weights) @ matrix)
    ridge = RIDGE
    while True:
        y, solve = np.zeros(matrix.shape[1]), normal_solver(weighted, ridge)
        for _ in range(STEPS):
            y += solve(weighted.T @ (weights * over - weighted @ y))
        if np.abs(y).max(initial=0.0) <= size or ridge > MOST:
            return y
        ridge *= 100.0


def _displace(
    net: Network, frame: Frame, x: Floats, stretch: Elongations, y: Floats
) -> tuple[Floats, Elongations]:
    """Positions (N, D) after a displacement y, with guided nodes on their guides, and elongations there."""
    state = net.state(x, frame.share)
    state.turned[:] = stretch.turned
    before = elongations(net, state)
    state.x[:] += y
    for i in np.flatnonzero((net.parts.guides.kinds != FREE) & net.free).tolist():
        hold_nodes(net.parts.guides, i, state.x)
    after = elongations(net, state)
    # By how much they change: angles of `before` are not counted over whole turns.
    return state.x, replace(
        stretch,
        links=stretch.links + after.links - before.links,
        rails=stretch.rails + after.rails - before.rails,
        couplings=stretch.couplings + after.couplings - before.couplings,
        touching=after.touching,
        gaps=after.gaps,
    )


# Ways to move


def _own_ways(ways: Floats, own: int) -> Floats:
    """Basis (U, K) of the motions that move one of the first `own` unknowns."""
    if own == len(ways):
        return ways
    sizes, turn = np.linalg.svd(ways[:own], full_matrices=False)[1:]
    return ways @ turn[sizes > SEEN].T


def _rigid(net: Network, rows: Jacobian, x: Floats) -> Floats:
    """Orthonormal basis (U, r) of the rigid-body motions that guides and rows allow."""
    present: Bools = net.parts.guides.kinds == FIXED
    present[rows.nodes] = True
    bodily = _rigid_motions(x, present)
    y = rows.gathered(bodily)
    refused = (bodily - rows.spread(y)).reshape(len(bodily), -1).T
    sizes, turn = np.linalg.svd(np.concatenate([refused, rows.matrix @ y]), full_matrices=False)[1:]
    return y @ turn[int((sizes > RANK).sum()) :].T


def _rigid_motions(x: Floats, present: Bools) -> Floats:
    """An orthonormal basis (K, N, D) of translations and rotations of the nodes that are present."""
    d = x.shape[1]
    away = (x - x[present].mean(axis=0)) * present[:, None]
    away /= np.abs(away).max() or 1.0
    moves = [np.outer(present, axis) for axis in np.eye(d)]
    for a, b in zip(*np.triu_indices(d, 1), strict=True):
        turn = np.zeros_like(x)
        turn[:, a], turn[:, b] = -away[:, b], away[:, a]
        moves.append(turn)
    sizes, basis = np.linalg.svd(np.reshape(moves, (len(moves), -1)), full_matrices=False)[1:]
    return basis[sizes > RANK * sizes[0]].reshape(-1, *x.shape)


def _remove_rigid_motions(ways: Floats, together: Floats) -> Floats:
    """Basis of the motions (U, K) orthogonal to rigid-body motion."""
    if not together.shape[1]:
        return ways
    turn = np.linalg.svd(ways.T @ together)[0]
    return ways @ turn[:, together.shape[1] :]


def _modes(rows: Jacobian, ways: Floats) -> Floats:
    """The first few modes (K, N, D), recombined so that each moves as few nodes as possible.

    Each follows from moving one coordinate, the one left that moves most: what does not move with it rests.
    """
    if not ways.shape[1]:
        return np.zeros((0, *rows.shape))
    turn: Any = scipy.linalg.qr(ways.T, mode="economic", pivoting=True)[0]
    modes = rows.spread(ways @ turn[:, :SHOWN])
    return modes / np.linalg.norm(modes, axis=2).max(axis=1)[:, None, None]
