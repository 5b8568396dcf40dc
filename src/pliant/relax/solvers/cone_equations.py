"""The equations of a mechanism with friction, at a pose: see `cone`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Bools, Floats, Ints
from pliant.relax.mechanics.contact_curvature import contact_curvature
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.forces import forces_and_energy
from pliant.relax.mechanics.friction import (
    HELD,
    PROJECTION,
    STIFFNESS,
    WEIGHTS,
    place_pair,
    rough_ones,
    vectors,
)
from pliant.relax.mechanics.gradients import ActiveElements, Jacobian, holding, jacobian_at
from pliant.relax.network.elements import CURVE, FREE, LINE, State
from pliant.relax.network.laws import BAR, STRING
from pliant.relax.network.network import Network, once
from pliant.relax.solvers.lagrange import applied_forces, reduced_matrix, stiffness_under
from pliant.relax.solvers.multipliers import reduced

MOST = 1200  # unknowns and rows
ROUNDED = 1e-9  # of what friction can hold
NONE = 1e-300  # the force of what has just taken hold


@once
def is_applicable(net: Network) -> bool:
    """Whether these steps apply: few unknowns, straight guides, one-way elements rigid."""
    parts, (count, d) = net.parts, net.drawn.shape
    soft = ~net.couplings_hold & (parts.couplings.laws != BAR)
    if (parts.guides.kinds == CURVE).any() or soft.any() or not net.touches_hold.all():
        return False
    rows = len(parts.links.laws) + len(parts.couplings.laws) + len(parts.touch.radius) + d * count
    return not len(parts.rails.laws) and rows <= MOST


@dataclass
class FrictionState:
    """Element forces at a pose, and which friction rows slip."""

    links: Floats  # (E,)
    couplings: Floats  # (C,)
    touches: Floats  # (T,) negative: they press
    guides: Floats  # (M,) of the rows of rough guides
    friction: Floats  # (G, D)
    slips: Bools  # (G,)

    def carried(self) -> Floats:
        """(E + C + T,) all of them but the guides'; there are no rails."""
        return np.concatenate([self.links, self.couplings, self.touches])


@dataclass(frozen=True)
class RoughNetwork:
    """A mechanism with the rows of its rough guides, whose nodes are free of them."""

    net: Network
    nodes: Ints  # (A,) on rough guides
    pairs: Ints  # (B,) of segments that rub
    friction: Floats  # (A + B,) μ
    normals: Floats  # (M, D) of the guides
    owners: Ints  # (M,) of the A


@dataclass(frozen=True)
class ConeSystem:
    """The equations at a pose."""

    rows: Jacobian
    j: Floats  # (R, U) slopes of what holds, and of guides
    over: Floats  # (R,)
    forces: Floats  # (R,)
    t: Floats  # (K, U) slopes of slips
    grips: Ints  # (K,) whose
    ways: Floats  # (K, D)
    slip: Floats  # (K,)
    friction: Floats  # (K,)
    presses: Floats  # (G, R) by what the normal forces grow with the forces
    right: Floats  # (U,) forces from all else
    stiff: Floats  # (U, U) H


@once
def rough_network(net: Network) -> RoughNetwork:
    """A mechanism with friction, made ready for its equations."""
    guides, (nodes, pairs) = net.parts.guides, rough_ones(net)
    kinds = guides.kinds.copy()
    kinds[nodes] = FREE
    d, normals, owners = net.drawn.shape[1], [], []
    for row, node in enumerate(nodes.tolist()):
        along = guides.along[node] / np.linalg.norm(guides.along[node])
        across = np.linalg.svd(along[None])[2][1:] if guides.kinds[node] == LINE else along[None]
        normals.append(across)
        owners += [row] * len(across)
    friction = np.concatenate([guides.friction[nodes], net.parts.touch.friction[pairs]])
    freed = replace(net, parts=net.parts._replace(guides=guides._replace(kinds=kinds)))
    every = np.concatenate([np.zeros((0, d)), *normals])
    return RoughNetwork(freed, nodes, pairs, friction, every, np.array(owners, np.int64))


def carried_by(net: Network, own: RoughNetwork, state: State) -> FrictionState:
    """Element forces of a state; rows on their cone are taken to slip."""
    parts, friction, held = net.parts, np.zeros((0, state.x.shape[1])), np.zeros(0)
    if len(state.gripped):
        friction = state.grips[:, STIFFNESS, None] * vectors(state.grips, state.x.shape[1])[1]
        held = state.grips[:, HELD]
    far = np.linalg.norm(friction, axis=1)
    return FrictionState(
        np.where(net.rigid, parts.links.stiffness * reduced(state.given, parts.links), 0.0),
        parts.couplings.stiffness * reduced(state.coupling_given, parts.couplings),
        -parts.touch.stiffness * state.touch_given * _touching(net, state),
        (forces_and_energy(state, parts)[0][own.nodes[own.owners]] * own.normals).sum(axis=1),
        friction,
        (far >= (1.0 - ROUNDED) * held) & (far > 0.0),
    )


def _touching(net: Network, state: State) -> Bools:
    """(T,) which pairs press: one that has opened may have been given in before."""
    out = np.zeros(len(state.touch_given), np.bool_)
    out[elongations(net, state).touching] = True
    return out


def equations(net: Network, own: RoughNetwork, state: State, now: FrictionState) -> ConeSystem:
    """The equations at a pose, with the forces there."""
    stretch = elongations(net, state)
    always = holding(own.net, stretch)
    rows = jacobian_at(own.net, state.x, stretch, _acting_elements(own.net, always, now))
    guided = np.zeros((len(own.owners), len(rows.nodes)))
    for m, normal in enumerate(own.normals):
        guided[m] = (rows.nodes == own.nodes[own.owners[m]]) * (rows.ways @ normal)
    rough = _friction_rows(own, state, rows, now)
    stiff = stiffness_under(own.net, state, rows, stretch, (now.links, now.couplings))
    return ConeSystem(
        rows,
        np.vstack([rows.matrix.toarray(), guided]),
        np.append(rows.over, np.zeros(len(guided))),
        np.append(now.carried()[rows.owners], now.guides),
        rough.t, rough.grips, rough.ways, rough.slip,
        (now.friction[rough.grips] * rough.ways).sum(axis=1),
        _presses(own, rows, now),
        applied_forces(own.net, state, rows, stretch),
        stiff + _contact_stiffness(own, state, rows, now),
    )  # fmt: skip


class _FrictionRows(NamedTuple):
    """Active friction rows."""

    grips: Ints  # (K,) whose
    ways: Floats  # (K, D) directions
    t: Floats  # (K, U) slopes of slips
    slip: Floats  # (K,)


def _friction_rows(own: RoughNetwork, state: State, rows: Jacobian, now: FrictionState) -> _FrictionRows:
    """The directions in which what is rough may slip, as rows."""
    d, a = state.x.shape[1], len(own.nodes)
    if not len(state.gripped):
        none = np.zeros((0, len(rows.nodes)))
        return _FrictionRows(np.zeros(0, np.int64), np.zeros((0, d)), none, np.zeros(0))
    slope = np.empty(4 * d)
    grips = np.concatenate([np.arange(a), a + np.flatnonzero(now.touches[own.pairs] != 0.0)])
    for row in grips[a:].tolist():
        place_pair(own.net, state, int(own.pairs[row - a]), row, slope)
    values, modes = np.linalg.eigh(state.grips[grips, PROJECTION : PROJECTION + d * d].reshape(-1, d, d))
    owners, columns = np.nonzero(values > 0.5)
    grips, ways = grips[owners], modes.transpose(0, 2, 1)[owners, columns]
    weights, nodes = state.grips[grips, WEIGHTS], state.gripped[grips]
    t = np.zeros((len(grips), len(rows.nodes)))
    for k in range(4):
        t += (nodes[:, [k]] == rows.nodes) * weights[:, [k]] * (ways @ rows.ways.T)
    slip = np.einsum("ga,gad,gd->g", weights, (state.x - state.since)[nodes], ways)
    return _FrictionRows(grips, ways, t, slip)


def _acting_elements(net: Network, always: ActiveElements, now: FrictionState) -> ActiveElements:
    """Rigid elements that carry force; a one-way element with force 0 is released."""
    links, couplings, moves = net.parts.links, net.parts.couplings, net.free
    one_way = (links.laws != BAR) & (now.links != 0.0) & net.rigid & moves[links.ends].any(axis=1)
    other = (couplings.laws != BAR) & (now.couplings != 0.0)
    return ActiveElements(
        np.union1d(always.links[links.laws[always.links] == BAR], np.flatnonzero(one_way)),
        np.union1d(always.couplings[couplings.laws[always.couplings] == BAR], np.flatnonzero(other)),
        always.rails,
        np.flatnonzero((now.touches != 0.0) & moves[net.parts.touch.ends].any(axis=1)),
    )


def _presses(own: RoughNetwork, rows: Jacobian, now: FrictionState) -> Floats:
    """Derivative of normal forces by element forces (G, R): |N| of guides, −f of pairs."""
    a, size, first = len(own.nodes), len(rows.owners), len(now.links) + len(now.couplings)
    out = np.zeros((len(own.friction), size + len(own.owners)))
    square = np.bincount(own.owners, now.guides**2, a) if a else np.zeros(0)
    for m, owner in enumerate(own.owners.tolist()):
        out[owner, size + m] = now.guides[m] / np.sqrt(square[owner]) if square[owner] else 1.0
    for row, pair in enumerate(own.pairs.tolist(), a):
        out[row, :size] = -1.0 * (rows.owners == first + pair)
    return out


def _contact_stiffness(own: RoughNetwork, state: State, rows: Jacobian, now: FrictionState) -> Floats:
    """(U, U) the slopes of what contacts and their friction do to the unknowns."""
    touch, (count, d) = own.net.parts.touch, state.x.shape
    acting, friction = np.flatnonzero(now.touches != 0.0), np.zeros((len(touch.radius), d))
    friction[own.pairs] = now.friction[len(own.nodes) :]
    slopes = contact_curvature(state.x, touch, acting, now.touches[acting], friction[acting])
    out, ends = np.zeros((count, count, d, d)), touch.ends[acting]
    np.add.at(out, (ends[:, :, None], ends[:, None, :]), slopes.transpose(0, 1, 3, 2, 4))
    return reduced_matrix(rows, out)


def take(spot: ConeSystem, now: FrictionState, forces: Floats, friction: Floats) -> None:
    """Set what elements carry to a solution; what holds with no force at all still holds."""
    count, owners = len(spot.rows.owners), spot.rows.owners
    everything, none = np.zeros(len(now.carried())), np.where(spot.rows.laws == STRING, NONE, -NONE)
    everything[owners] = np.where(forces[:count] == 0.0, none, forces[:count])
    ends = np.cumsum([len(now.links), len(now.couplings)])
    now.links, now.couplings, now.touches = np.split(everything, ends)
    now.guides, now.friction = forces[count:], np.zeros_like(now.friction)
    np.add.at(now.friction, spot.grips, friction[:, None] * spot.ways)
