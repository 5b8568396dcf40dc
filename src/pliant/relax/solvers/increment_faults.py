"""What speaks against an increment of the drive.

Source: [Lipson2006] "Incorrect solutions": changes "should be made in very small increments".
Differs: how small is not left to the user. That the second of two Newton's steps is at most half of the
first is the test of convergence of Newton and Mysovskikh, by which a step finds the branch it began on.
"""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Bools, Floats
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.forces import forces_and_energy
from pliant.relax.network.elements import State
from pliant.relax.network.network import Network
from pliant.relax.solvers.equilibrium import (
    TRIES,
    comes_to_rest,
    is_rough,
    is_unstable,
    newton_steps,
    rest_increment,
)
from pliant.relax.solvers.increment_measures import (
    BOUND,
    FREE,
    GROWS,
    JUMP,
    LEAST,
    LOADED,
    SHRINKS,
    SLOWEST,
    STEADY,
    determinant_at,
    displacement,
    law_regions,
    length_rounding,
)
from pliant.relax.solvers.newton import Settled
from pliant.relax.solvers.record import Record
from pliant.relax.solvers.run_state import Pace, Run, copy_of

ALMOST = 2.0  # times the tolerance: what rests does so still where the drive has gone on by next to nothing
PIECES = 40  # that an increment is cut into, at most, to see whether it jumps: one of more is too long
OVERSHOOT = 2.0  # times the first of Newton's steps: so far they go in all where they go straight


def increment_fault(run: Run, before: State, state: State, settled: Settled, pace: Pace, step: float) -> str:
    """Reason to reject an increment; none where it can be taken."""
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
    if not (
        small
        or _is_continuous(run, before, state, settled, (far, step), pace)
        or (step <= SLOWEST and drifts(run, before, state, pace.share + step))
    ):
        return "jump"
    stays = pace.sign and (
        not run.one_sided or np.array_equal(law_regions(net, before), law_regions(net, state))
    )
    turn = determinant_at(net, state.x, now) if stays else None
    if turn and (turn.sign * pace.sign < 0.0 or turn.singular):
        return "singular" if turn.singular else "sign"
    return "unstable" if not pace.unstable and is_unstable(run, state) else ""


def drifts(run: Run, before: State, state: State, share: float) -> bool:
    """Whether all of the way of an increment is at rest, to within the tolerance of forces.

    Next to where it began it rests so too, and from there the energy falls by no more than forces so small do
    on the way. That is so wherever the energy is convex: held by nothing but strings that have just become
    taut it grows with the fourth power of displacements, and a rest is known to the third root of the
    tolerance. What snaps falls over a ridge, and releases far more.
    """
    if not run.loaded or is_rough(run):
        return False
    near, least = copy_of(before), ALMOST * run.tolerance
    run.net.aim(near, share)
    settled = newton_steps(run, near, Record(), least, TRIES, BOUND)
    if settled.residual > least or displacement(before.x, near.x) > JUMP * run.net.size:
        return False
    gone = float(np.sqrt(((state.x - near.x) ** 2).sum(axis=1)).sum())
    high = forces_and_energy(state._replace(x=near.x), run.net.parts)[1]
    return high - forces_and_energy(state, run.net.parts)[1] <= least * gone


def _is_continuous(
    run: Run, before: State, state: State, settled: Settled, gone: tuple[float, float], pace: Pace
) -> bool:
    """Whether an increment went on along the branch it began on."""
    far, step = gone
    if settled.distorted > BOUND:
        return False
    if run.one_sided and not np.array_equal(law_regions(run.net, before), law_regions(run.net, state)):
        return _unbroken(run, before, state, pace, step)
    return _is_smooth(settled, far / step, pace) or (
        run.one_sided and _unbroken(run, before, state, pace, step)
    )


def _is_smooth(settled: Settled, speed: float, pace: Pace) -> bool:
    """Whether Newton's steps converged directly, at about the last increment's speed."""
    steady = pace.last is None or speed <= max(GROWS * pace.last, LEAST * pace.speed)
    return steady and (_goes_straight(settled) or pace.unstable)  # from where it is unstable, no step does


def _goes_straight(settled: Settled) -> bool:
    """Whether Newton's steps went straight to where they ended."""
    return settled.clean and settled.second <= max(SHRINKS * settled.first, STEADY)


def _unbroken(run: Run, before: State, state: State, pace: Pace, step: float) -> bool:
    """Whether the way of an increment bends, where elements come and go, and does not jump.

    It is halved, and its halves again, down to those that go by steps as straight as any increment's and
    change no element, or next to nowhere: what jumps goes as far however short it is.
    """
    halves = [(before, pace.share, state, pace.share + step)]
    while halves:
        here, start, ahead, end = halves.pop()
        pace.pieces += 1
        if displacement(here.x, ahead.x) <= JUMP * run.net.size:
            continue
        middle = 0.5 * (start + end)
        there = _straight_rest(run, here, middle)
        if end - start < SLOWEST * step or there is None or pace.pieces >= PIECES:
            return False
        if not there[1]:
            halves.append((here, start, there[0], middle))
        beyond = _straight_rest(run, there[0], end)
        if beyond is None or not beyond[1] or displacement(beyond[0].x, ahead.x) > STEADY * run.net.size:
            halves.append((there[0], middle, ahead, end))
    return True


def _straight_rest(run: Run, before: State, share: float) -> tuple[State, bool] | None:
    """Where a state comes to rest at a share; whether straight, the elements that act staying as they are."""
    there = copy_of(before)
    run.net.aim(there, share)
    settled = rest_increment(run, before, there, share, False, False, Record())
    if not settled.at_rest:
        there = copy_of(before)
        run.net.aim(there, share)
        return (there, False) if comes_to_rest(run, there, Record()) else None
    stays = np.array_equal(law_regions(run.net, before), law_regions(run.net, there))
    near = displacement(before.x, there.x) <= (OVERSHOOT * settled.first + STEADY) * run.net.size
    return there, stays and near and _goes_straight(settled)


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
