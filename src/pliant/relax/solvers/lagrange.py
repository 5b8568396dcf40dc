"""Newton's steps for positions and forces together, where rigid lengths carry loads.

    H dx + Jᵀ f = r,    J dx = −e

with J the slopes of the lengths that hold and e by how much they are off, f the forces in them, r those on
the nodes from all else, and H = Σ f ∇²length plus the stiffness of what is elastic. No stiffness of what
is rigid comes into it, so that increments are as large as the motion allows, and lengths hold to rounding.

For small mechanisms of bars, plates, springs, rotors and gears: what comes and goes or slides is left to
multipliers.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.relax.mechanics.elongation import Elongations, elongations
from pliant.relax.mechanics.fields import field_forces
from pliant.relax.mechanics.gradients import Jacobian, jacobian_at
from pliant.relax.network.elements import CURVE, WOUND, State
from pliant.relax.network.laws import BAR, tangent
from pliant.relax.network.measures import add_resistance, measure_angles
from pliant.relax.network.network import Network, once
from pliant.relax.solvers.dead_centres import displace_nodes
from pliant.relax.solvers.newton import Settled

MOST = 200  # unknowns and rows
TURNS = 12
YIELD = 1e-9  # of the compliance of what is rigid: by so much lengths give way that repeat each other
STILL = 1e-13  # of the size: a step that is none
STRAIN = 1e-3  # of the size: what is elastic is strained by so much, about
DIFFERENCE = 1e-3  # of the size, over which slopes of couplings are compared
HOLDS = 1e-13  # of the size: an error that is none
BALANCED = 1e-12  # of the forces
BEYOND = 1e100  # a step that a singular matrix gave
RANK = 1e-9  # singular values below it are 0
SOFT = -1e-9  # of the largest stiffness: below it, a disturbance grows


@once
def is_applicable(net: Network) -> bool:
    """Whether these steps apply: few unknowns, straight guides, two-way elements, loads."""
    parts = net.parts
    laws = np.concatenate([parts.links.laws, parts.couplings.laws])
    others = len(parts.rails.nodes) + len(parts.touch.radius)
    rows = int(net.rigid.sum()) + len(parts.couplings.laws)
    bent = (parts.guides.kinds == CURVE).any() or (parts.couplings.measures == WOUND).any()
    if not net.loaded or others or bent:
        return False
    return bool((laws == BAR).all()) and rows + int(net.free.sum()) * net.drawn.shape[1] <= MOST


def settle_exactly(net: Network, state: State) -> Settled:
    """Bring a mechanism to rest in place; its steps are clean where they go straight there."""
    size, sizes = net.size or 1.0, [0.0, 0.0]
    for turn in range(TURNS):
        stretch = elongations(net, state)
        rows = jacobian_at(net, state.x, stretch)
        forces = row_forces(net, state, rows)
        right = applied_forces(net, state, rows, stretch)
        off, left = np.abs(rows.over).max(initial=0.0), np.abs(right - rows.matrix.T @ forces)
        level = max(np.abs(forces).max(initial=0.0), np.abs(right).max(initial=0.0), force_level(net))
        residual = float(left.max(initial=0.0))
        if off <= HOLDS * size and residual <= BALANCED * level:
            return Settled(residual, turn, sizes[0], False, True, True, sizes[0], sizes[1])
        step = _step(net, rows, stiffness(net, state, rows, stretch), forces, right)
        if step is None or not (np.abs(step[0]) < BEYOND).all():
            break
        y, new = step
        moves = rows.spread(y[:, None])[0]
        far = float(np.sqrt((moves**2).sum(axis=1).max(initial=0.0))) / size
        if turn < 2:
            sizes[turn] = far
        if not np.isfinite(far) or far > 1.0 or (turn > 2 and far > sizes[0]):
            break
        displace_nodes(net, state, moves)
        set_row_forces(net, state, rows, new)
        if len(state.turned):
            measure_angles(state.x, net.parts.couplings, state.turned)
        if turn > 0 and far < STILL:
            return Settled(residual, turn + 1, sizes[0], False, True, True, sizes[0], sizes[1])
    return Settled(np.inf, TURNS, sizes[0], False, False, False, sizes[0], sizes[1])


@once
def force_level(net: Network) -> float:
    """Reference force where none acts yet (N): the largest load, or a typical spring force."""
    parts = net.parts
    loose = np.append(parts.links.stiffness[~net.rigid], parts.couplings.stiffness[~net.couplings_hold])
    elastic = STRAIN * float(loose.max(initial=0.0)) * (net.size or 1.0)
    return max(float(np.abs(net.drive.loads).max(initial=0.0)), elastic) or 1.0


def least_free_stiffness(net: Network, state: State) -> float:
    """Least stiffness of the motions that lengths leave free, over the largest; inf where there are none."""
    stretch = elongations(net, state)
    rows = jacobian_at(net, state.x, stretch)
    stiff = stiffness(net, state, rows, stretch)
    values = free_modes(rows, stiff)[0]
    return float(values.min(initial=np.inf)) / (float(np.abs(stiff).max(initial=0.0)) or 1.0)


def free_modes(rows: Jacobian, stiff: Floats) -> tuple[Floats, Floats]:
    """Stiffness (K,) of the motions that lengths leave free, ascending, and unit modes (U, K)."""
    _, sizes, right = np.linalg.svd(rows.matrix.toarray())
    ways = right[int((sizes > RANK).sum()) :].T
    values, vectors = np.linalg.eigh(ways.T @ stiff @ ways)
    return values.astype(np.float64), ways @ vectors


def _step(
    net: Network, rows: Jacobian, stiff: Floats, forces: Floats, right: Floats
) -> tuple[Floats, Floats] | None:
    size, unknowns = rows.matrix.shape
    matrix = np.zeros((unknowns + size, unknowns + size))
    matrix[:unknowns, :unknowns] = stiff
    matrix[unknowns:, :unknowns] = rows.matrix.toarray()
    matrix[:unknowns, unknowns:] = matrix[unknowns:, :unknowns].T
    give = YIELD / rows.stiffness
    matrix[range(unknowns, unknowns + size), range(unknowns, unknowns + size)] = -give
    try:
        wanted = np.concatenate([right, -rows.over - give * forces])
        solution: Floats = np.linalg.solve(matrix, wanted).astype(np.float64)
    except np.linalg.LinAlgError:
        return None
    return solution[:unknowns], solution[unknowns:]


def stiffness(net: Network, state: State, rows: Jacobian, stretch: Elongations) -> Floats:
    """Hessian H (U, U): geometric stiffness of rigid elements and stiffness of elastic ones."""
    links, couplings = net.parts.links.stiffness, net.parts.couplings.stiffness
    return stiffness_under(net, state, rows, stretch, (links * state.given, couplings * state.coupling_given))


def stiffness_under(
    net: Network, state: State, rows: Jacobian, found: Elongations, carried: tuple[Floats, Floats]
) -> Floats:
    """Hessian H (U, U) from the forces of rigid links (E,) and couplings (C,)."""
    forces = np.where(net.rigid, carried[0], found.link_forces)
    out = tangent_stiffness(net, state.x, rows, forces, found.links)
    couplings = net.parts.couplings
    if not len(couplings.laws):
        return out
    held, (count, d) = net.couplings_hold, state.x.shape
    forces = np.where(held, carried[1], found.coupling_forces)
    rates, blocks = np.where(held, 0.0, couplings.stiffness), np.zeros((count, count, d, d))
    step = DIFFERENCE * (net.size or 1.0)
    add_resistance(state.x, couplings, state.turned, forces, rates, step, np.zeros((count, d)), blocks)
    return out + reduced_matrix(rows, blocks)


def tangent_stiffness(net: Network, x: Floats, rows: Jacobian, forces: Floats, over: Floats) -> Floats:
    """Hessian H (U, U) from link forces (E,) and elongations; links with a row are rigid."""
    links, (count, d) = net.parts.links, x.shape
    away = x[links.ends[:, 1]] - x[links.ends[:, 0]]
    length = np.maximum(np.linalg.norm(away, axis=1), 1e-300)
    n = away / length[:, None]
    across = forces / length
    along = _rates(net, over) - across
    blocks = across[:, None, None] * np.eye(d) + along[:, None, None] * n[:, :, None] * n[:, None, :]
    out = np.zeros((count, count, d, d))
    i, j = links.ends.T
    for a, b, sign in ((i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)):
        np.add.at(out, (a, b), sign * blocks)
    _fields(net, x, out)
    return reduced_matrix(rows, out)


def reduced_matrix(rows: Jacobian, blocks: Floats) -> Floats:
    """Matrix (U, U) of blocks (N, N, D, D), projected on what guides allow."""
    ways, nodes = rows.ways, rows.nodes
    return np.einsum("ua,uvab,vb->uv", ways, blocks[nodes[:, None], nodes[None, :]], ways)


def _rates(net: Network, over: Floats) -> Floats:
    """Axial stiffness of each link (E,), 0 for rigid ones."""
    links = net.parts.links
    rates = np.where(links.laws == BAR, links.stiffness, 0.0)
    for e in np.flatnonzero(links.laws != BAR).tolist():
        rates[e] = tangent(links.laws[e], links.stiffness[e], links.bands[e], over[e])
    return np.where(net.rigid, 0.0, rates)


def _fields(net: Network, x: Floats, out: Floats) -> None:
    for away, across, along in field_forces(net.parts.fields, x):
        block = across[:, None, None] * np.eye(x.shape[1])
        block += along[:, None, None] * away[:, :, None] * away[:, None, :]
        out[np.arange(len(x)), np.arange(len(x))] += block


def row_forces(net: Network, state: State, rows: Jacobian) -> Floats:
    """Force in each row from its multiplier (R,), its elongation left out (N)."""
    links, couplings = net.parts.links.stiffness * state.given, net.parts.couplings.stiffness
    return np.concatenate([links, couplings * state.coupling_given])[rows.owners]


def set_row_forces(net: Network, state: State, rows: Jacobian, forces: Floats) -> None:
    """Set multipliers so that rows carry these forces (R,) at zero elongation."""
    state.rest[:] += state.given
    state.goal[:] += state.coupling_given
    count: int = len(net.parts.links.laws)
    owners: Ints = rows.owners
    linked, coupled = owners < count, (owners >= count) & (owners < count + len(state.coupling_given))
    given = forces / rows.stiffness
    state.given[:], state.coupling_given[:] = 0.0, 0.0
    state.given[owners[linked]] = given[linked]
    state.coupling_given[owners[coupled] - count] = given[coupled]
    state.rest[:] -= state.given
    state.goal[:] -= state.coupling_given


def applied_forces(net: Network, state: State, rows: Jacobian, stretch: Elongations) -> Floats:
    """Force of loads, fields and elastic links on the unknowns (U,)."""
    loads, links, x = state.loads.copy(), net.parts.links, state.x
    loose = np.flatnonzero(~net.rigid)
    i, j = links.ends[loose].T
    away = x[j] - x[i]
    length = np.maximum(np.linalg.norm(away, axis=1), 1e-300)
    pull = (stretch.link_forces[loose] / length)[:, None] * away
    np.add.at(loads, i, pull)
    np.subtract.at(loads, j, pull)
    for away, across, _ in field_forces(net.parts.fields, x):
        loads += across[:, None] * away
    soft = np.where(net.couplings_hold, 0.0, stretch.coupling_forces)
    if soft.any():
        pull, none = np.zeros(x.shape), np.zeros((0, 0, 0, 0))
        add_resistance(x, net.parts.couplings, state.turned, soft, np.zeros(len(soft)), 0.0, pull, none)
        loads -= pull
    return rows.gathered(loads[None])[:, 0]
