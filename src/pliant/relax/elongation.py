"""How far every element is from what it shall measure, and the force in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pliant.core.kernel import inner, kernel
from pliant.relax.forces import most_measures, rail, strained
from pliant.relax.laws import BAR, STRING, force
from pliant.relax.measures import couple
from pliant.relax.network import Bools, Couplings, Floats, Ints, Links, Network, Rails, State
from pliant.relax.touching import Touch, contact_slope

SMALL = 1e-3  # of the size: smaller radii count as this


@dataclass(frozen=True)
class Elongations:
    """Of E links, Q rails and C couplings, and of the P pairs that touch."""

    links: Floats  # (E,) l − l₀
    rails: Floats  # (Q,)
    couplings: Floats  # (C,) in units of length
    link_forces: Floats  # (E,) positive pulls
    rail_forces: Floats  # (Q,)
    coupling_forces: Floats  # (C,)
    touching: Ints  # (P,) which pairs
    gaps: Floats  # (P,) distance less radius, negative = too near
    touch_forces: Floats  # (P,) negative: they press
    worst: float  # by how much a length that shall hold does not, as a share of its element's own scale


def elongations(net: Network, state: State) -> Elongations:
    """What a state makes of every element."""
    parts = net.parts
    e, q, c = (np.zeros(len(laws)) for laws in (parts.links.laws, parts.rails.laws, parts.couplings.laws))
    f, g, h, gaps = e.copy(), q.copy(), c.copy(), np.zeros(len(parts.touch.radius))
    holds = Holds(net.rigid, net.rails_hold, net.touches_hold, net.scales, SMALL * net.size)
    worst = _fill(
        state, parts.links, parts.rails, parts.couplings, parts.touch, holds, (e, q, c), (f, g, h), gaps
    )
    if not len(gaps):
        return Elongations(e, q, c, f, g, h, np.zeros(0, np.int64), gaps, gaps, worst)
    presses = np.minimum(gaps - state.touch_given, 0.0)
    pairs = np.flatnonzero((presses < 0.0) | (gaps < 0.0))
    pressed = (parts.touch.stiffness * presses)[pairs]
    return Elongations(e, q, c, f, g, h, pairs, gaps[pairs], pressed, worst)


def errors(net: Network, found: Elongations) -> tuple[Floats, Floats, Floats, Floats]:
    """By how much lengths that shall hold do not: slack strings and free bumpers have none, nor springs.

    Of links, rails, couplings and touching pairs: what presses shall neither be too near nor apart.
    """
    parts = net.parts
    return (
        _error(found.links, parts.links.laws, net.rigid),
        _error(found.rails, parts.rails.laws, net.rails_hold),
        _error(found.couplings, parts.couplings.laws, np.ones(len(parts.couplings.laws), np.bool_)),
        np.where(net.touches_hold[found.touching], np.abs(found.gaps), 0.0),
    )


def _error(over: Floats, laws: np.ndarray, rigid: Bools) -> Floats:
    pulls = np.where(laws == BAR, np.abs(over), np.maximum(np.where(laws == STRING, over, -over), 0.0))
    return np.where(rigid, pulls, 0.0)


class Holds(NamedTuple):
    """Which lengths shall hold, and what their errors are shares of."""

    links: Bools  # (E,)
    rails: Bools  # (Q,)
    touches: Bools  # (T,)
    scales: Floats  # (E + C + Q,)
    radius: float  # smaller radii of pairs count as this


@kernel
def _fill(
    state: State, links: Links, rails: Rails, couplings: Couplings, touch: Touch, holds: Holds,
    over: tuple[Floats, Floats, Floats], forces: tuple[Floats, Floats, Floats], gaps: Floats,
) -> float:  # fmt: skip
    """Elongations and forces of links, rails and couplings, gaps of pairs; the largest error as a share."""
    (e, q, c), (f, g, h), x, d, worst = over, forces, state.x, state.x.shape[1], 0.0
    for k in range(len(e)):
        square = 0.0
        for a in range(d):
            square += (x[links.ends[k, 1], a] - x[links.ends[k, 0], a]) ** 2
        strain = np.sqrt(square) - state.rest[k]
        e[k] = strain - state.given[k]
        f[k] = force(links.laws[k], links.stiffness[k], links.bands[k], strain)
        if holds.links[k]:
            worst = max(worst, _wrong(links.laws[k], e[k]) / holds.scales[k])
    away = np.empty(d)
    for k in range(len(q)):
        q[k] = rail(x, rails, k, away)[1] - rails.rest[k]
        strain = strained(x, rails, state.rail_given, k, away)[2]
        g[k] = force(rails.laws[k], rails.stiffness[k], rails.bands[k], strain)
        if holds.rails[k]:
            worst = max(worst, _wrong(rails.laws[k], q[k]) / holds.scales[len(e) + len(c) + k])
    most = 4 * most_measures(couplings)
    slope, nodes = np.empty((most, d)), np.empty(most, np.int64)
    for k in range(len(c)):
        strain = couple(x, couplings, k, state.turned, slope, nodes) - state.goal[k]
        c[k] = strain - state.coupling_given[k]
        h[k] = force(couplings.laws[k], couplings.stiffness[k], couplings.bands[k], strain)
        worst = max(worst, _wrong(couplings.laws[k], c[k]) / holds.scales[len(e) + k])
    flat = np.empty(4 * d)
    for k in range(len(gaps)):
        gaps[k] = contact_slope(x, touch, k, flat)
        if holds.touches[k] and (gaps[k] < 0.0 or gaps[k] < state.touch_given[k]):
            worst = max(worst, abs(gaps[k]) / max(touch.radius[k], holds.radius))
    return worst


@inner
def _wrong(law: int, over: float) -> float:
    """By how much a length is wrong: a slack string and a free bumper are not."""
    return abs(over) if law == BAR else max(over if law == STRING else -over, 0.0)
