"""Friction of guides and contacts, for Newton's steps: held within its cone by projection.

What rubs is a row: nodes with weights, whose relative displacement along the contact since the increment
began is its slip, P (Σ w x − anchor). Friction answers with k (slip + lead) up to μN, N being the normal
force, and beyond with a stiffness that is less: a law with an energy, convex while N stands still, in which
nothing runs away. After each rest N is measured anew, and

    lead ← (slip + lead), no longer than μN/k,

the multiplier of Hestenes and Powell, projected on the cone; and as N comes to stand still, the stiffness
beyond the cone falls to nothing. Where that changes nothing any more, what sticks has not slipped at all,
and what slips has friction μN against its slip: Coulomb's law.

Source: [Lipson2006] Table 2, "Static Friction".
Differs: the paper zeroes the force along a contact where it is inside the cone, wherever an iteration happens
to stop. Here both bodies of a contact feel friction, and it depends on what has slipped.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.forces import forces_and_energy
from pliant.relax.mechanics.guides import basis
from pliant.relax.mechanics.segment_contact import contact_slope, nearest_points
from pliant.relax.network.elements import FIXED, State
from pliant.relax.network.network import Network, once

# Columns of a row: weights (4), what friction can hold, k, the stiffness beyond, P (D·D), anchor, lead (D).
WEIGHTS, HELD, STIFFNESS, BEYOND, PROJECTION = slice(4), 4, 5, 6, 7
BEGINS, FALLS, NOTHING = 1e-3, 0.03, 1e-12  # of k: the stiffness beyond the cone, how it falls, and ends
STEADY = 0.1  # of what friction can hold: by so little it changes where N comes to stand still


@once
def has_friction(net: Network) -> bool:
    """Whether any guide or contact has friction."""
    return bool(net.parts.guides.friction.any() or net.parts.touch.friction.any())


def smooth(net: Network) -> Network:
    """The network without friction."""
    parts = net.parts
    guides = parts.guides._replace(friction=np.zeros_like(parts.guides.friction))
    touch = parts.touch._replace(friction=np.zeros_like(parts.touch.friction))
    return replace(net, parts=parts._replace(guides=guides, touch=touch))


def with_friction_rows(net: Network, state: State) -> State:
    """A state with a row for every guide and every pair that has friction.

    At first all stick: what would slide without friction may have nowhere to rest.
    """
    if not has_friction(net):
        return state
    nodes, pairs = rough_ones(net)
    d = state.x.shape[1]
    gripped = np.concatenate([np.repeat(nodes[:, None], 4, axis=1), net.parts.touch.ends[pairs]])
    grips = np.zeros((len(gripped), PROJECTION + d * d + 2 * d))
    state = state._replace(since=state.x.copy(), gripped=gripped, grips=grips)
    _guides(net, state, nodes, grips[:, HELD])
    _stick_near_pairs(net, state, pairs, len(nodes))
    grips[: len(nodes), HELD] = np.inf
    begin_increment(state)
    return state


def _stick_near_pairs(net: Network, state: State, pairs: Ints, first: int) -> None:
    """Pairs that all but touch stick too, until it is known what presses on them."""
    slope = np.empty(4 * state.x.shape[1])
    for row, pair in enumerate(pairs.tolist(), first):
        if contact_slope(state.x, net.parts.touch, pair, slope) < net.parts.touch.radius[pair]:
            place_pair(net, state, pair, row, slope)
            state.grips[row, HELD] = np.inf


def rough_ones(net: Network) -> tuple[Ints, Ints]:
    """Nodes on guides with friction, and contact pairs with friction."""
    guides = net.parts.guides
    nodes = np.flatnonzero((guides.friction > 0.0) & (guides.kinds != FIXED))
    return nodes, np.flatnonzero(net.parts.touch.friction > 0.0)


def begin_increment(state: State) -> None:
    """Start an increment: slip is counted from the present positions."""
    if len(state.gripped):
        state.since[:] = state.x
        anchor, _ = vectors(state.grips, state.x.shape[1])
        state.grips[:, BEYOND] = BEGINS * state.grips[:, STIFFNESS]
        anchor[:] = np.einsum("ga,gad->gd", state.grips[:, WEIGHTS], state.x[state.gripped])


def update(net: Network, state: State) -> float:
    """Update normal forces and leads; the largest change of a lead, as a length.

    `net` is the one with the friction.
    """
    nodes, pairs = rough_ones(net)
    d = state.x.shape[1]
    anchor, lead = vectors(state.grips, d)
    before, could = lead.copy(), state.grips[:, HELD].copy()
    held = np.zeros(len(state.gripped))
    _guides(net, state, nodes, held)
    _pairs(net, state, pairs, len(nodes), held)
    projection = state.grips[:, PROJECTION : PROJECTION + d * d].reshape(-1, d, d)
    weights, firm = state.grips[:, WEIGHTS], np.maximum(state.grips[:, STIFFNESS], 1e-300)
    anchor[:] = np.einsum("ga,gad->gd", weights, state.since[state.gripped])
    moved = np.einsum("ga,gad->gd", weights, state.x[state.gripped]) - anchor
    tried = np.einsum("gcd,gd->gc", projection, moved + before)
    far, longest = np.linalg.norm(tried, axis=1), held / firm
    beyond = np.where(held > 0.0, np.maximum(far - longest, 0.0), 0.0)
    lead[:] = tried * np.where(far > longest, longest / np.maximum(far, 1e-300), 1.0)[:, None]
    state.grips[:, HELD] = held
    more = float((state.grips[:, BEYOND] / firm * beyond).max(initial=0.0))
    if (np.abs(held - could) <= STEADY * held).all():
        soft = FALLS * state.grips[:, BEYOND]
        state.grips[:, BEYOND] = np.where(soft > NOTHING * firm, soft, 0.0)
    return max(float(np.abs(lead - before).max(initial=0.0)), more)


def contact_friction(state: State) -> Floats:
    """Force on each node (N, D) of the friction between pairs that touch; a guide's is its own answer."""
    d, out = state.x.shape[1], np.zeros_like(state.x)
    pairs = (state.gripped != state.gripped[:, :1]).any(axis=1)
    grips, nodes = state.grips[pairs], state.gripped[pairs]
    anchor, lead = vectors(grips, d)
    moved = np.einsum("ga,gad->gd", grips[:, WEIGHTS], state.x[nodes]) - anchor + lead
    slip = np.einsum("gcd,gd->gc", grips[:, PROJECTION : PROJECTION + d * d].reshape(-1, d, d), moved)
    far, firm, held = np.linalg.norm(slip, axis=1), grips[:, STIFFNESS], grips[:, HELD]
    most = np.minimum(firm * far, held) / np.maximum(far, 1e-300)
    np.subtract.at(out, nodes, grips[:, WEIGHTS, None] * (most[:, None] * slip)[:, None])
    return out


def has_landed(net: Network, before: State, now: State, near: float) -> bool:
    """Whether a pair with friction closed a gap larger than `near`: its motion before is no slip."""
    if not net.parts.touch.friction.any():
        return False
    d, touch, pairs = now.x.shape[1], net.parts.touch, elongations(net, now).touching
    slope = np.empty(4 * d)
    rough = pairs[touch.friction[pairs] > 0.0].tolist()
    return any(contact_slope(before.x, touch, pair, slope) > near for pair in rough)


def vectors(grips: Floats, d: int) -> tuple[Floats, Floats]:
    """Views of rows: anchor and lead (G, D)."""
    return grips[:, -2 * d : -d], grips[:, -d:]


def _guides(net: Network, state: State, nodes: Ints, held: Floats) -> None:
    """A node on its guide: the normal force is what the guide takes from the others."""
    if not len(nodes):
        return
    guides, d = net.parts.guides, state.x.shape[1]
    force, ways = forces_and_energy(state, net.parts)[0], np.empty((d, d))
    for row, node in enumerate(nodes.tolist()):
        count = basis(guides, node, state.x[node], ways)
        along = ways[:count].T @ ways[:count]
        normal = force[node] - along @ force[node]
        held[row] = guides.friction[node] * float(np.linalg.norm(normal))
        state.grips[row, WEIGHTS] = 1.0, 0.0, 0.0, 0.0
        state.grips[row, STIFFNESS] = net.stiffness
        state.grips[row, PROJECTION : PROJECTION + d * d] = along.ravel()


def _pairs(net: Network, state: State, pairs: Ints, first: int, held: Floats) -> None:
    """Segments that touch, and the normal forces between them."""
    stretch, touch = elongations(net, state), net.parts.touch
    slope = np.empty(4 * state.x.shape[1])
    at = np.searchsorted(pairs, stretch.touching)
    for k, pair in enumerate(stretch.touching.tolist()):
        if at[k] < len(pairs) and pairs[at[k]] == pair:
            row = first + int(at[k])
            place_pair(net, state, pair, row, slope)
            held[row] = -touch.friction[pair] * stretch.touch_forces[k]


def place_pair(net: Network, state: State, pair: int, row: int, slope: Floats) -> None:
    """Weights and tangent projector of a pair's nearest points, as points fixed to the segments."""
    touch, d = net.parts.touch, state.x.shape[1]
    contact_slope(state.x, touch, pair, slope)
    s, t, _ = nearest_points(state.x, *touch.ends[pair])
    normal = slope[2 * d : 3 * d] + slope[3 * d :]
    state.grips[row, WEIGHTS] = s - 1.0, -s, 1.0 - t, t
    state.grips[row, STIFFNESS] = touch.stiffness[pair]
    across = np.eye(d) - np.outer(normal, normal)
    state.grips[row, PROJECTION : PROJECTION + d * d] = across.ravel()
