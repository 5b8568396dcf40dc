"""What speaks against an increment of the drive.

Source: [Lipson2006] "Incorrect solutions": changes "should be made in very small increments".
Differs: how small is not left to the user. That the second of two Newton's steps is at most half of the
first is the test of convergence of Newton and Mysovskikh, by which a step finds the branch it began on.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Bools, Floats
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.network.network import Network, State
from pliant.relax.solvers.equilibrium import is_unstable
from pliant.relax.solvers.increment_measures import (
    BAND,
    BOUND,
    FREE,
    GROWS,
    JUMP,
    LEAST,
    LOADED,
    SHRINKS,
    STEADY,
    determinant_at,
    displacement,
    law_regions,
    length_rounding,
)
from pliant.relax.solvers.newton import Settled
from pliant.relax.solvers.run_state import Pace, Run

QUICK = 4.0  # times as fast as it ever went: no faster where strings tighten and contacts close


def increment_fault(run: Run, before: State, state: State, settled: Settled, pace: Pace, step: float) -> str:
    """What speaks against an increment; nothing where it can be taken."""
    net = run.net
    if not settled.at_rest:
        return "rest"
    now = elongations(net, state)
    if now.worst > (LOADED if run.loaded else FREE) + length_rounding(net):
        return "lengths"
    if not _same_sides(net, before.x, state.x):
        return "sides"
    far = displacement(before.x, state.x)
    small = settled.distorted <= JUMP and (far <= JUMP * net.size or not run.loaded)
    if not small and not _is_continuous(run, before, state, settled, (far, step), pace):
        return "jump"
    turn = determinant_at(net, state.x, now) if pace.sign else None
    if turn and (turn.sign * pace.sign < 0.0 or turn.singular):
        return "singular" if turn.singular else "sign"
    return "unstable" if not pace.unstable and is_unstable(run, state) else ""


def _is_continuous(
    run: Run, before: State, state: State, settled: Settled, gone: tuple[float, float], pace: Pace
) -> bool:
    """Whether an increment went on along the branch it began on."""
    far, step = gone
    if settled.distorted > BOUND:
        return False
    return _is_smooth(settled, far / step, pace) or (
        run.one_sided and _is_kinked(run, before, state, far, pace, step)
    )


def _is_smooth(settled: Settled, speed: float, pace: Pace) -> bool:
    """Whether Newton's steps went straight to where they ended, and not much faster than before."""
    steady = pace.last is None or speed <= max(GROWS * pace.last, LEAST * pace.speed)
    straight = settled.clean and settled.second <= max(SHRINKS * settled.first, STEADY)
    return steady and (straight or pace.unstable)  # from where it is unstable, no step goes straight


def _is_kinked(run: Run, before: State, state: State, far: float, pace: Pace, step: float) -> bool:
    """Whether it is elements that come and go which bent its way, and it went no faster than before."""
    if far > QUICK * pace.speed * step:
        return False
    first, last = law_regions(run.net, before), law_regions(run.net, state)
    return bool(BAND in first or not np.array_equal(first, last))


def _same_sides(net: Network, before: Floats, after: Floats) -> bool:
    return not _inverted_bodies(net, before, after).any()


def _inverted_bodies(net: Network, before: Floats, after: Floats) -> Bools:
    """Bodies that turned inside out."""
    if not len(net.simplices):
        return np.zeros(0, np.bool_)
    first, second = (
        np.linalg.det(x[net.simplices[:, 1:]] - x[net.simplices[:, :1]]) for x in (before, after)
    )
    return first * second < 0.0


def inversion_text(net: Network, before: Floats, after: Floats) -> str:
    """Which bodies turned inside out, in words."""
    names = [net.body_names[b] for b in np.flatnonzero(_inverted_bodies(net, before, after))]
    return f"{', '.join(names)} turned inside out"
