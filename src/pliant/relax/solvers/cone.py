"""Newton's steps for positions, forces and friction together: each contact sticks, slips or is open.

    H dx + Jᵀ f + Tᵀ t = r,    J dx = −e

with J the slopes of what holds at present and e by how much that is off, f the forces in it, T the slopes of
the slips s since the increment began, t friction against them, r the forces from all else, and H the slopes
of Jᵀ f + Tᵀ t plus the stiffness of what is elastic. What rubs, with the normal force N,

    sticks    s + T dx = 0                while |t + k s| ≤ μN
    slips     t = μN (t + k s)/|t + k s|  else

k being any stiffness: t is the point of the cone nearest to t + k s, which is Coulomb's law. What pulls or
presses one way has a row of J while it does so, and a guide that rubs has rows that keep its node on it. Each
step is Newton's for the rows as they are, as far as the first that gives way (see `cone_reach`); after a
whole one they are looked at anew. It ends where none changes.

For mechanisms of moderate size on straight guides; where it does not end, the rounds of `friction` are left.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import lapack

from pliant.core.arrays import Bools, Floats
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.friction import BEYOND, HELD, PROJECTION, STIFFNESS, WEIGHTS, vectors
from pliant.relax.mechanics.segment_contact import contact_slope
from pliant.relax.network.elements import Couplings, Links, State
from pliant.relax.network.laws import BAR, BUMPER
from pliant.relax.network.measures import measure_angles
from pliant.relax.network.network import Network
from pliant.relax.solvers.cone_equations import (
    NONE,
    ROUNDED,
    ConeSystem,
    FrictionState,
    RoughNetwork,
    carried_by,
    equations,
    rough_network,
    take,
)
from pliant.relax.solvers.cone_reach import give_way, reach
from pliant.relax.solvers.dead_centres import displace_nodes
from pliant.relax.solvers.lagrange import force_level
from pliant.relax.solvers.multipliers import given_in
from pliant.relax.solvers.newton import Settled

_lapack: Any = lapack

TURNS, EACH = 40, 4  # steps, and more of them for each row that may change
YIELD = 1e-9  # of the compliance of what is rigid: by so much rows give way that repeat each other
STILL = 1e-13  # of the size: an error that is none
BALANCED = 1e-12  # of the forces
HELPS = 1e-12  # of the stiffness of what is rigid: what nothing holds stays where it is
MEETS = 1e-9  # of the size: a gap that is none
PASSED, NEAR = 0.5, 0.45  # cosine that a contact turns by at most, where it goes that share of its distance


def settle_on_cone(net: Network, rough: Network, state: State) -> Settled:
    """Bring a mechanism to rest in place, `rough` being the one with the friction; or leave it as it is.

    The sizes of its first steps are those from where rows changed last.
    """
    start, size, own = State._make(array.copy() for array in state), net.size or 1.0, rough_network(rough)
    now, sizes, since, gone = carried_by(net, own, state), [0.0, 0.0], 0, 0.0
    meets = (now.touches == 0.0) & (contact_gaps(net, state.x) <= MEETS * size)
    now.touches[meets] = -NONE  # what would pull opens again
    for turn in range(TURNS + EACH * (len(own.friction) + len(now.touches))):
        spot = equations(net, own, state, now)
        left, wrong = _errors(net, spot, now)
        if since and wrong <= STILL * size and left <= BALANCED:
            if _has_passed(net, start.x, state.x):
                break
            _write_multipliers(net, own, state, now)
            return Settled(left * force_level(net), turn, gone, False, True, True, sizes[0], sizes[1])
        y, changes = _step(own, spot, state, now, net.stiffness)
        moves = spot.rows.spread(y[:, None])[0]
        far = float(np.sqrt((moves**2).sum(axis=1).max(initial=0.0))) / size
        if not far <= 1.0:
            break
        if since < 2:
            sizes[since] = far
        gone, since = gone + far, since + 1
        displace_nodes(net, state, moves)
        if len(state.turned):
            measure_angles(state.x, net.parts.couplings, state.turned)
        if changes or _update_contacts(net, own, state, now):
            sizes, since = [0.0, 0.0], 0
    for array, old in zip(state, start, strict=True):
        array[:] = old
    return Settled(np.inf, TURNS, gone, False, False, False, sizes[0], sizes[1])


def _errors(net: Network, spot: ConeSystem, now: FrictionState) -> tuple[float, float]:
    """Residual force relative to the forces that act, and largest error of a length or of sticking."""
    left = np.abs(spot.right - spot.j.T @ spot.forces - spot.t.T @ spot.friction).max(initial=0.0)
    acting = (np.abs(part).max(initial=0.0) for part in (spot.forces, spot.right))
    sticks = ~now.slips[spot.grips]
    wrong = max(np.abs(part).max(initial=0.0) for part in (spot.over, spot.slip[sticks]))
    return float(left / max(*acting, force_level(net))), float(wrong)


def _step(
    own: RoughNetwork, spot: ConeSystem, state: State, now: FrictionState, firm: float
) -> tuple[Floats, bool]:
    """Solve for the displacement (U,), as far as rows stay as they are, and whether some then change.

    Forces and friction are set to what they are with it.
    """
    (size, unknowns), count = spot.j.shape, len(spot.grips)
    matrix, right = np.zeros((unknowns + size + count,) * 2), np.zeros(unknowns + size + count)
    f, t = slice(unknowns, unknowns + size), slice(unknowns + size, None)
    matrix[:unknowns, :unknowns], matrix[:unknowns, f], matrix[:unknowns, t] = spot.stiff, spot.j.T, spot.t.T
    give = YIELD / np.append(spot.rows.stiffness, np.full(len(now.guides), firm))
    matrix[f, :unknowns], matrix[f, f] = spot.j, -np.diag(give)
    right[:unknowns], right[f] = spot.right, -spot.over - give * spot.forces
    matrix[t, :unknowns], matrix[t, t] = spot.t, -YIELD / firm * np.eye(count)
    right[t] = -spot.slip - YIELD / firm * spot.friction
    for grip in np.flatnonzero(now.slips & np.isin(np.arange(len(now.slips)), spot.grips)).tolist():
        _slip_rows(own, spot, grip, firm, matrix[t], right[t])
    solution = _solve_regularised(matrix, right, HELPS * firm * (np.arange(len(right)) < unknowns))
    if not np.isfinite(solution).all():
        return solution[:unknowns], False
    way = reach(own, spot, state, now, solution[:unknowns], solution[f], solution[t])
    forces = spot.forces + way.share * (solution[f] - spot.forces)
    take(spot, now, forces, spot.friction + way.share * (solution[t] - spot.friction))
    give_way(own, spot, now, way)
    return way.share * solution[:unknowns], way.share < 1.0


def _solve_regularised(matrix: Floats, right: Floats, help_of: Floats) -> Floats:
    """The solution of a system whose diagonal is helped by a little, with what that costs made good once."""
    factor, swaps, _ = _lapack.dgetrf(matrix + np.diag(help_of))
    solution: Floats = _lapack.dgetrs(factor, swaps, right)[0]
    if not np.isfinite(solution).all():  # of a singular system, which is told by its solution
        return solution
    return solution + _lapack.dgetrs(factor, swaps, right - matrix @ solution)[0]


def _slip_rows(
    own: RoughNetwork, spot: ConeSystem, grip: int, firm: float, rows: Floats, right: Floats
) -> None:
    """Write t = μN u/|u| with u = t + k s, to first order, into the rows of a grip that slips."""
    at, unknowns = np.flatnonzero(spot.grips == grip), spot.j.shape[1]
    u = spot.friction[at] + firm * spot.slip[at]
    far = float(np.linalg.norm(u)) or 1.0
    u = u / far
    mu, first = own.friction[grip], unknowns + len(spot.forces)
    normal = float(spot.presses[grip] @ spot.forces)
    turns = max(mu * normal, 0.0) / far * (np.eye(len(at)) - np.outer(u, u))
    rows[at] = 0.0
    rows[at, :unknowns] = -firm * turns @ spot.t[at]
    rows[at, unknowns:first] = -mu * np.outer(u, spot.presses[grip])
    rows[np.ix_(at, first + at)] = np.eye(len(at)) - turns
    right[at] = -turns @ spot.friction[at]


def _update_contacts(net: Network, own: RoughNetwork, state: State, now: FrictionState) -> bool:
    """Update which rows are open, stick or slip; whether any changes."""
    parts, stretch, little = net.parts, elongations(net, state), STILL * (net.size or 1.0)
    gaps = contact_gaps(net, state.x)
    changes = _one_way(now.links, stretch.links, parts.links, net.rigid, little)
    changes |= _one_way(now.couplings, stretch.couplings, parts.couplings, net.couplings_hold, little)
    closes, opens = (now.touches == 0.0) & (gaps < -little), now.touches > 0.0
    now.touches[closes], now.touches[opens] = -NONE, 0.0
    return bool(changes or closes.any() or opens.any()) | _slip_anew(own, state, now, little)


def _slip_anew(own: RoughNetwork, state: State, now: FrictionState, little: float) -> bool:
    """Let slip what is beyond its cone, and stick what slips against its friction; whether any does.

    One at a time: where a part is pushed apart between two, the weaker one slips and holds the other.
    """
    if not len(state.gripped):
        return False
    d, a, before = state.x.shape[1], len(own.nodes), now.slips
    projection = state.grips[:, PROJECTION : PROJECTION + d * d].reshape(-1, d, d)
    gone = np.einsum("ga,gad->gd", state.grips[:, WEIGHTS], (state.x - state.since)[state.gripped])
    slip, size = np.einsum("gcd,gd->gc", projection, gone), np.linalg.norm(now.friction, axis=1)
    back = (slip * now.friction).sum(axis=1) < -little * size
    live = np.append(np.ones(a, np.bool_), now.touches[own.pairs] != 0.0)
    least = 1e-300 * max(size.max(initial=0.0), 1.0)  # so that a share of nothing is no overflow
    most = size / np.maximum(_holds(own, now), least) * (live & ~before)
    over = (most > 1.0 + ROUNDED) & (most >= (1.0 - ROUNDED) * most.max(initial=0.0))
    now.slips = np.where(before, ~back, over) & live
    return bool((before != now.slips).any())


def _holds(own: RoughNetwork, now: FrictionState) -> Floats:
    """Largest friction force of each row (G,): μ times the normal force (N)."""
    guides = np.sqrt(np.bincount(own.owners, now.guides**2, len(own.nodes)))
    return own.friction * np.append(guides, -now.touches[own.pairs])


def _one_way(forces: Floats, over: Floats, group: Links | Couplings, rigid: Bools, little: float) -> bool:
    """Release one-way elements that carry the wrong sign, and engage those whose length is violated."""
    sign = np.where(group.laws == BUMPER, -1.0, 1.0)
    lets = rigid & (group.laws != BAR)
    goes, comes = lets & (sign * forces < 0.0), lets & (forces == 0.0) & (sign * over > little)
    forces[goes] = 0.0
    forces[comes] = (sign * NONE)[comes]
    return bool(goes.any() or comes.any())


def contact_gaps(net: Network, x: Floats) -> Floats:
    """Gap of each contact pair (T,), negative where they overlap."""
    slope = np.empty(4 * x.shape[1])
    return np.array([contact_slope(x, net.parts.touch, k, slope) for k in range(len(net.parts.touch.radius))])


def _has_passed(net: Network, before: Floats, after: Floats) -> bool:
    """Whether any pair may have gone through itself: it is near, and faces another way than before."""
    touch, d = net.parts.touch, before.shape[1]
    first, last = np.empty(4 * d), np.empty(4 * d)
    for pair in range(len(touch.radius)):
        apart = contact_slope(before, touch, pair, first) + touch.radius[pair]
        contact_slope(after, touch, pair, last)
        far = np.linalg.norm((after - before)[touch.ends[pair]], axis=1).max()
        normals = [one[2 * d : 3 * d] + one[3 * d :] for one in (first, last)]
        if far > NEAR * apart and float(normals[0] @ normals[1]) < PASSED:
            return True
    return False


def _write_multipliers(net: Network, own: RoughNetwork, state: State, now: FrictionState) -> None:
    """Store the elements' forces in a state, as multipliers."""
    parts = net.parts
    links = np.where(net.rigid, given_in(now.links / parts.links.stiffness, parts.links), 0.0)
    couplings = given_in(now.couplings / parts.couplings.stiffness, parts.couplings)
    couplings = np.where(net.couplings_hold, couplings, 0.0)
    state.rest[:] -= links - state.given
    state.goal[:] -= couplings - state.coupling_given
    state.given[:], state.coupling_given[:] = links, couplings
    state.touch_given[:] = -now.touches / parts.touch.stiffness
    if len(state.gripped):
        anchor, lead = vectors(state.grips, state.x.shape[1])
        anchor[:] = np.einsum("ga,gad->gd", state.grips[:, WEIGHTS], state.since[state.gripped])
        lead[:] = now.friction / np.maximum(state.grips[:, STIFFNESS, None], 1e-300)
        state.grips[:, HELD], state.grips[:, BEYOND] = _holds(own, now), 0.0
