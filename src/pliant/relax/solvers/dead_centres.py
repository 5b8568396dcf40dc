"""Dead centres: poses from which a drive can go on either way.

Lengths change with a displacement z and a way y that J takes to nothing as

    J z + ½ q(y),    q(y) = d²(lengths)/dt² along y

A drive asks them to change by d. Where J's rows depend on each other, some p ≠ 0 has Jᵀ p = 0, and with
p·d ≠ 0 no z does it alone: what is left is ½ p·q(y) = p·d. If the form p·q is positive for some y, both
y and −y do: a dead centre. If it is not, the mechanism is locked.

Lengths hold on both sides of it; where loads act, it need not rest near by, and falls to where it does.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.gradients import Jacobian, jacobian_at
from pliant.relax.mechanics.guides import hold_nodes
from pliant.relax.network.elements import FREE, State
from pliant.relax.network.network import Network

MOST = 256  # unknowns
NULL = 1e-4  # singular values below count as 0: a dead centre is reached as the root of what a drive is off
FEW = 24  # ways to move, at most
PART = 1e-9  # of what the drive asks for: less of it is asked of the ways
FAR, SHORT = 0.02, 1e-4  # of the size: how far a way is gone, and by how much it is looked along
ASTRAY = 5.0  # times as far as it should have gone

Rest = Callable[[State], bool]  # brings a state to rest in place; whether it does, and lengths hold


def branches(
    net: Network, state: State, share: float, goal: float, rest: Rest, fall: Rest | None = None
) -> list[tuple[float, State]]:
    """States a little further along the drive than one at a dead centre; none where it is locked.

    The first is the one in which the coordinate that moves most grows. From a side on which it does not
    rest stably near by it is let fall, where loads act.
    """
    form = _largest_form(net, state, goal)
    if form is None:
        return []
    y, growth, asked = form
    reach = FAR * net.size
    part = min(1.0, 0.5 * growth * reach**2 / asked)
    ahead = share + part * (goal - share)
    length = np.sqrt(2.0 * part * asked / growth)
    out: list[tuple[float, State]] = []
    for sign in (1.0, -1.0):
        there = State._make(array.copy() for array in state)
        displace_nodes(net, there, sign * length * y)
        net.aim(there, ahead)
        beside = State._make(array.copy() for array in there)
        if rest(there):
            gone = there.x - state.x
            along = sign * float((gone * y).sum() / (y * y).sum())
            if 0.2 * length < along and np.abs(gone).max() < ASTRAY * length * np.abs(y).max():
                out.append((ahead, there))
                continue
        if fall is not None and fall(beside):
            out.append((ahead, beside))
    return out


def displace_nodes(net: Network, state: State, y: Floats) -> None:
    """Move the nodes of a state by y (N, D), and guided ones back onto their guides."""
    state.x[:] += y
    for i in np.flatnonzero((net.parts.guides.kinds != FREE) & net.free).tolist():
        hold_nodes(net.parts.guides, i, state.x)


def _largest_form(net: Network, state: State, goal: float) -> tuple[Floats, float, float] | None:
    """The way (N, D) along which p·q is largest, that value, and p·d; None where it is not positive."""
    rows = jacobian_at(net, state.x, elongations(net, state))
    if not 0 < rows.matrix.shape[1] <= MOST:
        return None
    left, sizes, right = np.linalg.svd(rows.matrix.toarray())
    rank = int((sizes > NULL).sum())
    ways = right[rank:].T
    if not 0 < ways.shape[1] <= FEW or rank == len(rows.over):
        return None
    further = State._make(array.copy() for array in state)
    net.aim(further, goal)
    asked = rows.over - _row_elongations(net, further, rows)
    p = left[:, rank:] @ (left[:, rank:].T @ asked)
    if np.linalg.norm(p) <= PART * np.linalg.norm(asked):
        return None
    p /= np.linalg.norm(p)
    values, vectors = np.linalg.eigh(stress_form(net, state, rows, ways, p))
    if values[-1] * (net.size or 1.0) <= NULL:
        return None
    y = rows.spread((ways @ vectors[:, -1])[:, None])[0]
    y *= np.sign(y.flat[np.abs(y).argmax()]) or 1.0
    return y, float(values[-1]), float(p @ asked)


def stress_form(net: Network, state: State, rows: Jacobian, ways: Floats, p: Floats) -> Floats:
    """p·q as a symmetric matrix over the ways (U, K), by differences."""
    moves, h = rows.spread(ways), SHORT * (net.size or 1.0)

    def along(y: Floats) -> float:
        total = -2.0 * rows.over
        for sign in (1.0, -1.0):
            there = State._make(array.copy() for array in state)
            displace_nodes(net, there, sign * h * y)
            total = total + _row_elongations(net, there, rows)
        return float(p @ total) / h**2

    count = len(moves)
    out = np.diag([along(move) for move in moves])
    for a in range(count):
        for b in range(a):
            both = along(moves[a] + moves[b])
            out[a, b] = out[b, a] = 0.5 * (both - out[a, a] - out[b, b])
    return out


def _row_elongations(net: Network, state: State, rows: Jacobian) -> Floats:
    """Elongations of the same rows at another state; as they were where other elements hold there."""
    there = jacobian_at(net, state.x, elongations(net, state))
    return there.over if np.array_equal(there.owners, rows.owners) else rows.over
