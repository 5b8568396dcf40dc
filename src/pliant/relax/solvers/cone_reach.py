"""How far a step of `cone` goes: to where the first contact opens, closes or begins to slip.

With the rows as they are, a step leads from forces that are in order to others that may not be: what sticks
may be asked for any force. So it goes as far as the first row that gives way, which then does, and from there
on with the others. Forces in between answer a share of what is new of drive and loads, so that rows
give way in the order in which they do as the drive goes on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Bools, Floats, Ints
from pliant.relax.mechanics.segment_contact import contact_slope
from pliant.relax.network.elements import State
from pliant.relax.network.laws import BAR, STRING
from pliant.relax.solvers.cone_equations import NONE, ROUNDED, ConeSystem, FrictionState, RoughNetwork

ALIKE = 1e-9  # of a share: what gives way together


@dataclass(frozen=True)
class Reach:
    """The share of a step that can be taken, and what gives way at its end."""

    share: float
    opens: Ints  # rows of J
    closes: Ints  # pairs
    slips: Ints  # grips


def reach(
    own: RoughNetwork, spot: ConeSystem, state: State, now: FrictionState, y: Floats, forces: Floats,
    friction: Floats,
) -> Reach:  # fmt: skip
    """How far a step goes that leads by y (U,) to forces (R,) and friction (K,)."""
    opening = _opening_shares(spot, forces)
    pairs, closing = _closing_shares(own, spot, state, now, y)
    grips, slipping = _slipping_shares(own, spot, now, forces, friction)
    share = min(1.0, *(each.min(initial=1.0) for each in (opening, closing, slipping)))
    if share >= 1.0:
        none = np.zeros(0, np.int64)
        return Reach(1.0, none, none, none)
    last = (1.0 + ALIKE) * share
    return Reach(
        share, np.flatnonzero(opening <= last), pairs[closing <= last], grips[slipping <= last]
    )  # fmt: skip


def give_way(own: RoughNetwork, spot: ConeSystem, now: FrictionState, found: Reach) -> None:
    """Let rows open, close and slip that a step has come to."""
    links, couplings = len(now.links), len(now.couplings)
    for owner in spot.rows.owners[found.opens].tolist():
        if owner < links:
            now.links[owner] = 0.0
        elif owner < links + couplings:
            now.couplings[owner - links] = 0.0
        else:
            now.touches[owner - links - couplings] = 0.0
    now.touches[found.closes] = -NONE
    now.slips[found.slips] = True
    now.slips[len(own.nodes) :] &= now.touches[own.pairs] != 0.0


def _opening_shares(spot: ConeSystem, forces: Floats) -> Floats:
    """(R,) where the force of what only pulls or only presses is 0; inf where it stays."""
    count = len(spot.rows.laws)
    sign = np.where(spot.rows.laws == STRING, 1.0, -1.0) * (spot.rows.laws != BAR)
    first, last = np.maximum(sign * spot.forces[:count], 0.0), sign * forces[:count]
    return _shares(first, first - last, last < 0.0)


def _closing_shares(
    own: RoughNetwork, spot: ConeSystem, state: State, now: FrictionState, y: Floats
) -> tuple[Ints, Floats]:
    """Open pairs, and where they meet; inf where they stay apart."""
    pairs, d = np.flatnonzero(now.touches == 0.0), state.x.shape[1]
    touch, moves = own.net.parts.touch, spot.rows.spread(y[:, None])[0]
    gaps, slopes = np.empty(len(pairs)), np.empty((len(pairs), 4 * d))
    for row, pair in enumerate(pairs.tolist()):
        gaps[row] = contact_slope(state.x, touch, pair, slopes[row])
    nearer = -(slopes * moves[touch.ends[pairs]].reshape(-1, 4 * d)).sum(axis=1)
    least = np.maximum(gaps, 0.0)
    return pairs, _shares(least, nearer, nearer > least)


def _slipping_shares(
    own: RoughNetwork, spot: ConeSystem, now: FrictionState, forces: Floats, friction: Floats
) -> tuple[Ints, Floats]:
    """Grips that stick, and where friction leaves its cone; inf where it does not.

    |t + share dt|² = (h + share dh)² there, h being what friction can hold: of a cone, which is convex, there
    is one way out.
    """
    grips = np.unique(spot.grips)
    grips = grips[~now.slips[grips]]
    most = (1.0 + ROUNDED) * own.friction[grips]
    first, last = (most * (spot.presses[grips] @ each) for each in (spot.forces, forces))
    which, change, more = (
        (spot.grips[:, None] == grips).astype(np.float64),
        friction - spot.friction,
        last - first,
    )
    square = change**2 @ which - more**2
    slope = (spot.friction * change) @ which - first * more
    inside = np.minimum(spot.friction**2 @ which - first**2, 0.0)
    leaves: Bools = np.sqrt(friction**2 @ which) > last
    root = slope + np.sqrt(np.maximum(slope**2 - square * inside, 0.0))
    return grips, _shares(-inside, np.maximum(root, NONE), leaves)


def _shares(left: Floats, change: Floats, comes: Bools) -> Floats:
    """What is left over how fast it is used up where it comes to an end; inf where it does not.

    Where it does, the change is no less than what is left, so that the share is 1 at most however small both
    are; elsewhere it can be 0 or of either sign, and no share is meant.
    """
    return np.divide(left, change, out=np.full(len(left), np.inf), where=comes)
