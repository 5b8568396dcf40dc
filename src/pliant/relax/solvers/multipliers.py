"""Lengths that hold under load: every element is given in by what its stiffness gives way by.

An element of stiffness k that carries f is off by f/k. Made shorter by as much, and the mechanism brought to
rest again, it is off by less, and so on until nothing is left: the multipliers of Hestenes and Powell, with
the element's force as the multiplier. What pulls only is made longer by no more than the band it tightens
over, at which it carries nothing; what presses only, shorter by no more.

    link, coupling   its rest length, or its goal
    rail             a node on its line is taken to be further away, one that is kept out to be nearer
    touch            the pair is taken to be thicker
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.network.elements import Couplings, Links, State
from pliant.relax.network.laws import BAR, BUMPER, STRING
from pliant.relax.network.network import Network

ROUNDING = 1e-12  # of a multiplier: what is left of one that has let go


def add_multipliers(net: Network, state: State) -> None:
    """Add each rigid element's elongation to its multiplier."""
    now, parts = elongations(net, state), net.parts
    links = _admissible(state.given + np.where(net.rigid, now.links, 0.0), parts.links)
    held = np.where(net.couplings_hold, now.couplings, 0.0)
    couplings = _admissible(state.coupling_given + held, parts.couplings)
    state.rest[:] -= links - state.given
    state.goal[:] -= couplings - state.coupling_given
    state.given[:], state.coupling_given[:] = links, couplings
    _give_rails(net, state, now.rails)
    pairs = now.touching[net.touches_hold[now.touching]]
    pressing = np.maximum(state.touch_given[pairs] - now.gaps[net.touches_hold[now.touching]], 0.0)
    state.touch_given[net.touches_hold] = 0.0  # a pair that has opened carries nothing
    state.touch_given[pairs] = pressing


def _admissible(wanted: Floats, group: Links | Couplings) -> Floats:
    """Multipliers clipped to where one-way elements carry nothing."""
    string, bands = group.laws == STRING, group.bands
    one_way = np.where(string, np.maximum(wanted, -bands), np.minimum(wanted, bands))
    return np.where(group.laws == BAR, wanted, one_way)


def _give_rails(net: Network, state: State, over: Floats) -> None:
    rails, given, x = net.parts.rails, state.rail_given, state.x
    if not len(over):
        return
    p, a, b = (x[rails.nodes[:, k]] for k in range(3))
    line = b - a
    unit = line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-300)
    away = p - a + given
    across = away - (away * unit).sum(axis=1, keepdims=True) * unit
    kept = net.rails_hold & (rails.laws == BAR)
    given[kept] = across[kept]
    out = net.rails_hold & (rails.laws != BAR)
    given[out, 0] = np.maximum(given[out, 0] - over[out], 0.0)


def clear_multipliers(state: State) -> None:
    """Set all multipliers to 0: rest lengths as the drive sets them."""
    state.rest[:] += state.given
    state.goal[:] += state.coupling_given
    for part in (state.given, state.coupling_given, state.rail_given, state.touch_given):
        part[:] = 0.0


def extrapolate_multipliers(net: Network, state: State, before: State) -> bool:
    """Go on as multipliers changed since `before`, to where the next element lets go; False where none does.

    Where errors do not fall, forces grow evenly from round to round: they pass from some elements to others,
    until one that only presses or only pulls has none left, or, where there is no such element, for ever.
    """
    parts = net.parts
    laws = (parts.links.laws, parts.couplings.laws, np.full(len(state.touch_given), BUMPER))
    now = (
        state.given + _slack(parts.links),
        state.coupling_given + _slack(parts.couplings),
        state.touch_given,
    )
    change = [
        new - old
        for new, old in (
            (state.given, before.given),
            (state.coupling_given, before.coupling_given),
            (state.touch_given, before.touch_given),
        )
    ]
    ends = [
        -given[less] / each[less]
        for given, each, law in zip(now, change, laws, strict=True)
        for less in [(law != BAR) & (given * each < 0.0)]
    ]
    rounds = float(np.concatenate(ends).min(initial=np.inf))
    if rounds == np.inf:
        return False
    links = _admissible(state.given + rounds * change[0], parts.links)
    couplings = _admissible(state.coupling_given + rounds * change[1], parts.couplings)
    state.rest[:] -= links - state.given
    state.goal[:] -= couplings - state.coupling_given
    state.given[:], state.coupling_given[:] = links, couplings
    state.rail_given[:] += rounds * (state.rail_given - before.rail_given)
    left = state.touch_given + rounds * change[2]
    state.touch_given[:] = np.where(left > ROUNDING * np.abs(state.touch_given), left, 0.0)
    return True


def _slack(group: Links | Couplings) -> Floats:
    """What is given in beyond where an element that acts one way carries nothing, less what is given in."""
    return np.where(group.laws == BAR, 0.0, np.where(group.laws == STRING, group.bands, -group.bands))


def scale_multipliers(given: Floats, share: float, group: Links | Couplings) -> Floats:
    """Multipliers for a stiffness 1/share times as large and the same forces.

    Of strings, with a the band, f/k is g from a on and (g + a)²/4a below.
    """
    return given_in(share * reduced(given, group), group)


def reduced(given: Floats, group: Links | Couplings) -> Floats:
    """Force over stiffness of an element at zero elongation with this multiplier."""
    sign, bands = np.where(group.laws == BUMPER, -1.0, 1.0), np.maximum(group.bands, 1e-300)
    way = sign * given
    pull = np.where(way >= bands, way, np.maximum(np.minimum(way, bands) + bands, 0.0) ** 2 / (4.0 * bands))
    return np.where(group.laws == BAR, given, sign * pull)


def given_in(forces: Floats, group: Links | Couplings) -> Floats:
    """Multiplier of an element that carries this force over stiffness at zero elongation."""
    sign, bands = np.where(group.laws == BUMPER, -1.0, 1.0), np.maximum(group.bands, 1e-300)
    pull = np.maximum(sign * forces, 0.0)
    one_way = sign * np.where(pull >= bands, pull, 2.0 * np.sqrt(bands * pull) - bands)
    return np.where(group.laws == BAR, forces, one_way)


def has_multipliers(state: State) -> bool:
    """Whether any multiplier is not 0."""
    parts = (state.given, state.coupling_given, state.rail_given, state.touch_given)
    return any(bool(part.any()) for part in parts)
