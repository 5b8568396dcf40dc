"""Where what pulls or presses one way lets go, and a mechanism under load falls: located with its force 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.network.elements import State
from pliant.relax.network.laws import BAR, STRING
from pliant.relax.network.network import Network
from pliant.relax.solvers.cone import contact_gaps, settle_on_cone
from pliant.relax.solvers.cone_equations import (
    NONE,
    ConeSystem,
    FrictionState,
    RoughNetwork,
    carried_by,
    equations,
    is_applicable,
    rough_network,
    take,
)
from pliant.relax.solvers.dead_centres import displace_nodes
from pliant.relax.solvers.events import locate_fold
from pliant.relax.solvers.run_state import copy_of

TURNS = 40
STILL = 1e-13  # of the size, or of the drive: a step that is none
JUST = 1e-3  # of the size, and of the drive: so near something lets go, at most
PUSH = 1e-5  # of the size: where stiffness is negative
FAR = 1e-3  # of the size: where it is 0, and next to nothing drives it
BEFORE, LATE = (4e-8, 1e-8), 1e-7  # of the drive: shares before a limit, and how near it has to be
SLACK = 1e-7  # of the size: what is loose by less may have let go just before
RANK = 1e-9  # singular values below it are 0; of the largest stiffness, one below it is none


@dataclass(frozen=True)
class Release:
    """Share and pose at which a one-way element's force is 0 and nothing else holds the pose."""

    share: float
    state: State
    push: Floats  # (N, D) a displacement, of the size, from which it falls


def lets_go(net: Network, state: State, share: float, goal: float) -> Release | None:
    """Where, near a pose at rest, the element that carries least lets go, and nothing else holds the pose.

    Newton's steps in (x, f, t), t being the share of the drive, with its force 0. None where there is no such
    element, where it is far, or where the pose holds without it.
    """
    if not is_applicable(net) or len(state.gripped):
        return None
    own = rough_network(net)
    released = _released(net, own, state, carried_by(net, own, state), share, goal)
    if released is not None:
        return released
    late = _just_released(net, own, state, carried_by(net, own, state))
    return None if late is None else _released(net, own, state, late, share, goal)


def _just_released(net: Network, own: RoughNetwork, state: State, now: FrictionState) -> FrictionState | None:
    """What is carried if the element that has been loose for least, and for next to nothing, still holds.

    A pose that nothing makes stable is at rest to the tolerance of forces alone, being about to fall: it is
    as far from what let go as these, and as little negative stiffness as there may be, let it.
    """
    laws = net.parts.links.laws
    lets = net.rigid & (laws != BAR) & (now.links == 0.0)
    slack = np.where(lets, np.abs(elongations(net, state).links), np.inf)
    open_by = np.where(now.touches == 0.0, np.abs(contact_gaps(net, state.x)), np.inf)
    loose = np.append(slack, open_by)
    least = int(loose.argmin()) if len(loose) else -1
    spot = equations(net, own, state, now)
    soft = least_stiffness_left(spot, spot.j)
    falls = soft is not None and soft[0] < -RANK * np.abs(spot.stiff).max()
    if least < 0 or loose[least] > (JUST if falls else SLACK) * (net.size or 1.0):
        return None
    if least < len(laws):
        now.links[least] = NONE if laws[least] == STRING else -NONE
    else:
        now.touches[least - len(laws)] = -NONE
    return now


def _released(
    net: Network, own: RoughNetwork, state: State, now: FrictionState, share: float, goal: float
) -> Release | None:
    """The same, from what elements carry at the pose."""
    there, t, reach, row, size = copy_of(state), share, goal - share, -1, net.size or 1.0
    for _ in range(TURNS):
        spot = equations(net, own, there, now)
        lets = np.flatnonzero(spot.rows.laws != BAR)
        if row < 0 and not len(lets):
            return None
        row = int(lets[np.abs(spot.forces[lets]).argmin()]) if row < 0 else row
        net.aim(there, t + reach)
        solution = _let_go_step(spot, equations(net, own, there, now), row, reach)
        moves, pace = spot.rows.spread(solution[: len(spot.rows.nodes), None])[0], float(solution[-1])
        if not (np.abs(there.x + moves - state.x).max() <= JUST * size and abs(t + pace - share) <= JUST):
            return None
        displace_nodes(net, there, moves)
        take(spot, now, solution[len(spot.rows.nodes) : -1], np.zeros(0))
        t += pace
        net.aim(there, t)
        if np.abs(moves).max() <= STILL * size and abs(pace) <= STILL:
            way = _loose_way(spot, row)
            return None if way is None else Release(t, there, way)
    return None


def slips_over(net: Network, state: State, share: float, goal: float) -> Release | None:
    """Where, ahead of a pose at rest, lengths meet that the drive eases, so that what is taut gets loose.

    At a fold lengths have a self-stress, Jᵀ p = 0, and forces grow along it without bound. Where the drive
    asks for lengths at a rate d with p·d < 0, none of them is strained beyond, as long as what p has to pull
    or to press may get loose: a string that is paid out until it is as long as the farthest point is away.
    With p·d > 0 it locks, and so it does where p is of bars alone.
    """
    if not is_applicable(net) or len(state.gripped):
        return None
    fold = locate_fold(net, state, None, share, goal)
    if fold is None or not abs(fold[0] - share) <= JUST or not goal > share:
        return None
    (at, there), own = fold, rough_network(net)
    now, further = carried_by(net, own, state), copy_of(there)
    net.aim(further, goal)
    spot, ahead = equations(net, own, there, now), equations(net, own, further, now)
    left, sizes, right = np.linalg.svd(spot.j)
    if not len(sizes) or len(sizes) < len(spot.j) or len(ahead.over) != len(spot.over):
        return None
    p, way = left[:, len(sizes) - 1], right[len(sizes) - 1]
    p = -p if p @ spot.forces < 0.0 else p
    loosens = np.abs(p[: len(spot.rows.laws)][spot.rows.laws != BAR]).max(initial=0.0) > RANK
    if not loosens or p @ (ahead.over - spot.over) >= 0.0:
        return None
    moves = spot.rows.spread(way[:, None])[0]
    moves *= np.sign(((there.x - state.x) * moves).sum()) / np.sqrt((moves**2).sum(axis=1).max())
    return Release(at, there, PUSH * moves)


def limit_near(net: Network, state: State, share: float) -> Release | None:
    """The limit that a pose is close to: the least stiffness κ of what is left free falls to 0 as a root.

    From κ² at two shares a little before, which is a straight line in the drive; None where none is near.
    """
    if not is_applicable(net) or len(state.gripped):
        return None
    own, seen, there = rough_network(net), [], copy_of(state)
    for back in BEFORE:
        rest = _stable_rest(net, own, there, state, share - back)
        if rest is None:
            return None
        spot, (stiffness, way) = rest
        seen.append((share - back, stiffness**2, there.x.copy(), way, spot))
    (first, most, x, _, _), (last, least, y, way, spot) = seen
    at = last + least * (last - first) / (most - least) if most > least else np.inf
    if not abs(at - share) <= LATE:
        return None
    moves = spot.rows.spread(way[:, None])[0]
    moves *= np.sign(((y - x) * moves).sum()) / np.sqrt((moves**2).sum(axis=1).max())
    return Release(float(at), there, FAR * moves)


def _stable_rest(
    net: Network, own: RoughNetwork, there: State, at: State, share: float
) -> tuple[ConeSystem, tuple[float, Floats]] | None:
    """Come to the rest at a share that is stable, of the two that meet at a limit near the pose `at`.

    Its equations, with the least stiffness that is left and its way; None where there is no such rest.
    """
    for _ in range(2):
        net.aim(there, share)
        if not settle_on_cone(net, net, there).at_rest:
            return None
        spot = equations(net, own, there, carried_by(net, own, there))
        soft = least_stiffness_left(spot, spot.j)
        if soft is None:
            return None
        if soft[0] > 0.0:
            return spot, soft
        there.x[:] = 2.0 * at.x - there.x  # to the other one
    return None


def least_stiffness_left(spot: ConeSystem, held: Floats) -> tuple[float, Floats] | None:
    """The least stiffness of what rows (R, U) leave free, and the way (U,) it has; None where nothing is."""
    _, sizes, right = np.linalg.svd(held)
    ways = right[int((sizes > RANK).sum()) :].T
    values, modes = np.linalg.eigh(ways.T @ spot.stiff @ ways)
    return (float(values[0]), ways @ modes[:, 0]) if len(values) else None


def _let_go_step(spot: ConeSystem, further: ConeSystem, row: int, reach: float) -> Floats:
    """(U + R + 1,) displacements, forces, and by how much the drive goes on until a row carries nothing."""
    size, unknowns = spot.j.shape
    matrix = np.zeros((unknowns + size + 1,) * 2)
    matrix[:unknowns, :unknowns], matrix[:unknowns, unknowns:-1] = spot.stiff, spot.j.T
    matrix[unknowns:-1, :unknowns] = spot.j
    matrix[:unknowns, -1] = -(further.right - spot.right) / reach
    matrix[unknowns:-1, -1] = (further.over - spot.over) / reach
    matrix[-1, unknowns + row] = 1.0
    right = np.concatenate([spot.right, -spot.over, [0.0]])
    return np.linalg.lstsq(matrix, right, rcond=RANK**2)[0].astype(np.float64)


def _loose_way(spot: ConeSystem, row: int) -> Floats | None:
    """The way in which a pose gives way without a row, so that this gets loose; None where it does not."""
    soft = least_stiffness_left(spot, np.delete(spot.j, row, axis=0))
    if soft is None or soft[0] > -RANK * np.abs(spot.stiff).max():
        return None
    way = soft[1]
    tight = float(spot.j[row] @ way) * (1.0 if spot.rows.laws[row] == STRING else -1.0)
    moves = spot.rows.spread((-way if tight > 0.0 else way)[:, None])[0]
    return PUSH / np.sqrt((moves**2).sum(axis=1).max()) * moves
