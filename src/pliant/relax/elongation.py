"""How far every element is from what it shall measure, and the force in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.kernel import kernel
from pliant.relax.forces import most_measures, rail, strained
from pliant.relax.laws import BAR, STRING, force
from pliant.relax.measures import couple
from pliant.relax.network import Bools, Couplings, Floats, Ints, Links, Network, Rails, State
from pliant.relax.touching import Touch, contact_slope


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


def elongations(net: Network, state: State) -> Elongations:
    """What a state makes of every element."""
    parts = net.parts
    e, q, c = (np.zeros(len(laws)) for laws in (parts.links.laws, parts.rails.laws, parts.couplings.laws))
    f, g, h, gaps = e.copy(), q.copy(), c.copy(), np.zeros(len(parts.touch.radius))
    _fill(state, parts.links, parts.rails, parts.couplings, parts.touch, e, q, c, f, g, h, gaps)
    presses = np.minimum(gaps - state.touch_given, 0.0)
    pairs = np.flatnonzero((presses < 0.0) | (gaps < 0.0))
    return Elongations(e, q, c, f, g, h, pairs, gaps[pairs], (parts.touch.stiffness * presses)[pairs])


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


@kernel
def _fill(
    state: State, links: Links, rails: Rails, couplings: Couplings, touch: Touch,
    e: Floats, q: Floats, c: Floats, f: Floats, g: Floats, h: Floats, gaps: Floats,
) -> None:  # fmt: skip
    x, d = state.x, state.x.shape[1]
    for k in range(len(e)):
        square = 0.0
        for a in range(d):
            square += (x[links.ends[k, 1], a] - x[links.ends[k, 0], a]) ** 2
        over = np.sqrt(square) - state.rest[k]
        e[k] = over - state.given[k]
        f[k] = force(links.laws[k], links.stiffness[k], links.bands[k], over)
    away = np.empty(d)
    for k in range(len(q)):
        q[k] = rail(x, rails, k, away)[1] - rails.rest[k]
        over = strained(x, rails, state.rail_given, k, away)[2]
        g[k] = force(rails.laws[k], rails.stiffness[k], rails.bands[k], over)
    most = 4 * most_measures(couplings)
    slope, nodes = np.empty((most, d)), np.empty(most, np.int64)
    for k in range(len(c)):
        over = couple(x, couplings, k, state.turned, slope, nodes) - state.goal[k]
        c[k] = over - state.coupling_given[k]
        h[k] = force(couplings.laws[k], couplings.stiffness[k], couplings.bands[k], over)
    flat = np.empty(4 * d)
    for k in range(len(gaps)):
        gaps[k] = contact_slope(x, touch, k, flat)
