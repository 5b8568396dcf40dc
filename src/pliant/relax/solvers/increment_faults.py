"""What speaks against an increment of the drive.

Source: [Lipson2006] "Incorrect solutions": changes "should be made in very small increments".
Differs: how small is not left to the user. That the second of two Newton's steps is at most half of the
first is the test of convergence of Newton and Mysovskikh, by which a step finds the branch it began on.
"""

from __future__ import annotations

import numpy as np

from pliant.relax.assemble.network import Bools, Floats, Network, State
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.solvers.equilibrium import falls
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
    moved,
    orientation,
    regions,
    rounding,
)
from pliant.relax.solvers.newton import Settled
from pliant.relax.solvers.run import Pace, Run

QUICK = 4.0  # times as fast as it ever went: no faster where strings tighten and contacts close


def fault_of(run: Run, before: State, state: State, found: Settled, pace: Pace, step: float) -> str:
    """What speaks against an increment; nothing where it can be taken."""
    net = run.net
    if not found.at_rest:
        return "rest"
    now = elongations(net, state)
    if now.worst > (LOADED if run.loaded else FREE) + rounding(net):
        return "lengths"
    if not _same_sides(net, before.x, state.x):
        return "sides"
    far = moved(before.x, state.x)
    small = found.distorted <= JUMP and (far <= JUMP * net.size or not run.loaded)
    if not small and not _continuous(run, before, state, found, (far, step), pace):
        return "jump"
    turn = orientation(net, state.x, now) if pace.sign else None
    if turn and (turn.sign * pace.sign < 0.0 or turn.singular):
        return "singular" if turn.singular else "sign"
    return "unstable" if not pace.unstable and falls(run, state) else ""


def _continuous(
    run: Run, before: State, state: State, found: Settled, gone: tuple[float, float], pace: Pace
) -> bool:
    """Whether an increment went on along the branch it began on."""
    far, step = gone
    if found.distorted > BOUND:
        return False
    return _smooth(found, far / step, pace) or (
        run.one_sided and _kinked(run, before, state, far, pace, step)
    )


def _smooth(found: Settled, speed: float, pace: Pace) -> bool:
    """Whether Newton's steps went straight to where they ended, and not much faster than before."""
    steady = pace.last is None or speed <= max(GROWS * pace.last, LEAST * pace.speed)
    straight = found.clean and found.second <= max(SHRINKS * found.first, STEADY)
    return steady and (straight or pace.unstable)  # from where it is unstable, no step goes straight


def _kinked(run: Run, before: State, state: State, far: float, pace: Pace, step: float) -> bool:
    """Whether it is elements that come and go which bent its way, and it went no faster than before."""
    if far > QUICK * pace.speed * step:
        return False
    first, last = regions(run.net, before), regions(run.net, state)
    return bool(BAND in first or not np.array_equal(first, last))


def _same_sides(net: Network, before: Floats, after: Floats) -> bool:
    return not _turned(net, before, after).any()


def _turned(net: Network, before: Floats, after: Floats) -> Bools:
    """Bodies that turned inside out."""
    if not len(net.simplices):
        return np.zeros(0, np.bool_)
    first, second = (
        np.linalg.det(x[net.simplices[:, 1:]] - x[net.simplices[:, :1]]) for x in (before, after)
    )
    return first * second < 0.0


def flipped(net: Network, before: Floats, after: Floats) -> str:
    """Which bodies turned inside out, in words."""
    names = [net.body_names[b] for b in np.flatnonzero(_turned(net, before, after))]
    return f"{', '.join(names)} turned inside out"
