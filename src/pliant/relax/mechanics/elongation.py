"""How far every element is from what it shall measure, and the force in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.kernel import inner, kernel
from pliant.relax.mechanics.forces import most_measures, rail, rail_pull
from pliant.relax.mechanics.segment_contact import contact_slope
from pliant.relax.network.elements import Contacts, Couplings, Links, Rails, State
from pliant.relax.network.laws import BAR, STRING, force
from pliant.relax.network.measures import couple
from pliant.relax.network.network import Network

SMALL = 1e-3  # of the size: smaller radii count as this


@dataclass(frozen=True)
class Elongations:
    """Elongation and force of E links, Q rails and C couplings, and gap of the P contact pairs."""

    links: Floats  # (E,) l − l₀
    rails: Floats  # (Q,)
    couplings: Floats  # (C,) in units of length
    link_forces: Floats  # (E,) positive pulls
    rail_forces: Floats  # (Q,)
    coupling_forces: Floats  # (C,)
    touching: Ints  # (P,) which pairs
    gaps: Floats  # (P,) distance less radius, negative = too near
    touch_forces: Floats  # (P,) negative: they press
    turned: Floats  # (M,) angles as last measured
    worst: float  # by how much a length that shall hold does not, as a share of its element's own scale


def elongations(net: Network, state: State) -> Elongations:
    """Elongation (length) and force (N, positive in tension) of every element at a state."""
    parts, links = net.parts, net.parts.links
    e, f, none = np.empty(len(links.laws)), np.empty(len(links.laws)), np.zeros(0)
    worst = _fill_links(state.x, state.rest, state.given, links, net.rigid, net.scales, e, f)
    if not (len(parts.rails.laws) or len(parts.couplings.laws) or len(parts.touch.radius)):
        return Elongations(
            e, none, none, f, none, none, np.zeros(0, np.int64), none, none, state.turned, worst
        )
    q, c, gaps = (
        np.zeros(len(all_of)) for all_of in (parts.rails.laws, parts.couplings.laws, parts.touch.radius)
    )
    g, h, holds = (
        q.copy(),
        c.copy(),
        HeldElements(
            net.rails_hold, net.couplings_hold, net.touches_hold, net.scales[len(e) :], SMALL * net.size
        ),
    )
    rest = _fill(state, parts.rails, parts.couplings, parts.touch, holds, (q, c), (g, h), gaps)
    worst = max(worst, rest)
    if not len(gaps):
        return Elongations(e, q, c, f, g, h, np.zeros(0, np.int64), gaps, gaps, state.turned.copy(), worst)
    presses = np.minimum(gaps - state.touch_given, 0.0)
    pairs = np.flatnonzero((presses < 0.0) | (gaps < 0.0))
    pressed = (parts.touch.stiffness * presses)[pairs]
    return Elongations(e, q, c, f, g, h, pairs, gaps[pairs], pressed, state.turned.copy(), worst)


def errors(net: Network, stretch: Elongations) -> tuple[Floats, Floats, Floats, Floats]:
    """Length error of each rigid element; 0 for springs, slack strings and free bumpers.

    What pulls or pushes in one way only has to be as long as it is asked to be where it does.

    Of links, rails, couplings and touching pairs: what presses shall neither be too near nor apart.
    """
    parts = net.parts
    return (
        _error(stretch.links, stretch.link_forces, parts.links.laws, net.rigid),
        _error(stretch.rails, stretch.rail_forces, parts.rails.laws, net.rails_hold),
        _error(stretch.couplings, stretch.coupling_forces, parts.couplings.laws, net.couplings_hold),
        np.where(net.touches_hold[stretch.touching], np.abs(stretch.gaps), 0.0),
    )


def _error(over: Floats, forces: Floats, laws: Ints, rigid: Bools) -> Floats:
    one_way = np.maximum(np.where(laws == STRING, over, -over), 0.0)
    return np.where(rigid, np.where((laws == BAR) | (forces != 0.0), np.abs(over), one_way), 0.0)


class HeldElements(NamedTuple):
    """Which elements are rigid, and the reference length of each relative error."""

    rails: Bools  # (Q,)
    couplings: Bools  # (C,)
    touches: Bools  # (T,)
    scales: Floats  # (C + Q,)
    radius: float  # smaller radii of pairs count as this


@kernel
def _fill_links(
    x: Floats, rest: Floats, given: Floats, links: Links, rigid: Bools, scales: Floats, over: Floats,
    forces: Floats,
) -> float:  # fmt: skip
    """Elongations and forces of links; the largest relative length error."""
    worst = 0.0
    for k in range(len(over)):
        square = 0.0
        for a in range(x.shape[1]):
            square += (x[links.ends[k, 1], a] - x[links.ends[k, 0], a]) ** 2
        strain = np.sqrt(square) - rest[k]
        over[k] = strain - given[k]
        forces[k] = force(links.laws[k], links.stiffness[k], links.bands[k], strain)
        if rigid[k]:
            worst = max(worst, _wrong(links.laws[k], over[k], forces[k]) / scales[k])
    return worst


@kernel
def unbalance(x: Floats, rest: Floats, ends: Ints, stiffness: Floats, place: Ints) -> float:
    """Largest out-of-balance force on a free node (N), where all links are bars."""
    force, worst = np.zeros(x.shape), 0.0
    for k in range(len(rest)):
        i, j, square = ends[k, 0], ends[k, 1], 0.0
        for a in range(x.shape[1]):
            square += (x[j, a] - x[i, a]) ** 2
        length = np.sqrt(square)
        pull = stiffness[k] * (length - rest[k]) / length if length > 0.0 else 0.0
        for a in range(x.shape[1]):
            force[i, a] += pull * (x[j, a] - x[i, a])
            force[j, a] -= pull * (x[j, a] - x[i, a])
    for i in range(len(x)):
        square = 0.0
        for a in range(x.shape[1]):
            square += force[i, a] ** 2
        worst = max(worst, square if place[i] >= 0 else 0.0)
    return np.sqrt(worst)


@kernel
def _fill(
    state: State, rails: Rails, couplings: Couplings, touch: Contacts, holds: HeldElements,
    over: tuple[Floats, Floats], forces: tuple[Floats, Floats], gaps: Floats,
) -> float:  # fmt: skip
    """Elongations and forces of rails and couplings, gaps of pairs; the largest relative error."""
    (q, c), (g, h), x, d, worst = over, forces, state.x, state.x.shape[1], 0.0
    away = np.empty(d)
    for k in range(len(q)):
        q[k] = rail(x, rails, k, away)[1] - rails.rest[k]
        strain = rail_pull(x, rails, state.rail_given, k, away)[2]
        g[k] = force(rails.laws[k], rails.stiffness[k], rails.bands[k], strain)
        if holds.rails[k]:
            worst = max(worst, _wrong(rails.laws[k], q[k], g[k]) / holds.scales[len(c) + k])
    most = 4 * most_measures(couplings)
    slope, nodes = np.empty((most, d)), np.empty(most, np.int64)
    for k in range(len(c)):
        strain = couple(x, couplings, k, state.turned, slope, nodes) - state.goal[k]
        c[k] = strain - state.coupling_given[k]
        h[k] = force(couplings.laws[k], couplings.stiffness[k], couplings.bands[k], strain)
        if holds.couplings[k]:
            worst = max(worst, _wrong(couplings.laws[k], c[k], h[k]) / holds.scales[k])
    flat = np.empty(4 * d)
    for k in range(len(gaps)):
        gaps[k] = contact_slope(x, touch, k, flat)
        if holds.touches[k] and (gaps[k] < 0.0 or gaps[k] < state.touch_given[k]):
            worst = max(worst, abs(gaps[k]) / max(touch.radius[k], holds.radius))
    return worst


@inner
def _wrong(law: int, over: float, force: float) -> float:
    """Length error at an elongation: 0 for a slack string and a free bumper."""
    if law == BAR or force != 0.0:
        return abs(over)
    return max(over if law == STRING else -over, 0.0)
