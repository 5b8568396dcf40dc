"""What a loss of stability is called, and how the drive goes on from it."""

from __future__ import annotations

import numpy as np

from pliant.relax.assemble.network import State
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.solvers.critical import Critical, beyond, ways_beyond
from pliant.relax.solvers.dead_centres import displaced
from pliant.relax.solvers.descent import fallen
from pliant.relax.solvers.equilibrium import come_to_rest, falls
from pliant.relax.solvers.increment_measures import HOLDS as LENGTHS
from pliant.relax.solvers.increment_measures import moved
from pliant.relax.solvers.record import Record
from pliant.relax.solvers.run import Pace, Run, copied, restore
from pliant.relax.solvers.stops import SMALLEST, keep_frame, part, stopped, tell_unstable, why_no_further

PUSH = 1e-5  # of the size: by so much it is displaced from where it snaps, the way it gives way
LOST = "loses its stability, and where it comes to rest again was not found"
MEET = "two mirrored ways become one here; driven back, it can take either"


def name_loss(run: Run, state: State, pace: Pace, found: Critical, goal: float, record: Record) -> bool:
    """Name what a stretch of the exact way ends at; whether the drive goes on from there."""
    if found.kind == "limit":
        return _snaps(run, state, pace, found, goal, record)
    if found.kind == "fold":
        restore(state, found.state)
        return stopped(run, copied(state), state, "lengths", pace, found.share, goal, record, found.share)
    if found.kind == "fork":
        ways = ways_beyond(run.net, found, goal)
        if len(ways) == 2:
            restore(state, found.state)
            pace.share = found.share
            return part(run, state, pace, found.share, ways, record)
        tell_unstable(run, pace, found.share, record)
    else:
        record.notice(found.share, "fork", MEET)
    ahead = beyond(run.net, found, goal)
    if ahead is None:
        pace.lost = True
        return True
    pace.share = ahead[0]
    restore(state, ahead[1])
    return True


def _comes_to_rest(run: Run, state: State, share: float) -> bool:
    """Whether what is rigid being as stiff as it is brings it to rest, lengths holding."""
    found = come_to_rest(run, state, share, Record())
    return found.at_rest and elongations(run.net, state).worst <= LENGTHS and not falls(run, state)


def _snaps(run: Run, state: State, pace: Pace, found: Critical, goal: float, record: Record) -> bool:
    """Let it fall to where it comes to rest again."""
    net, share = run.net, min(found.share + 2.0 * SMALLEST, goal)
    on = float(((found.state.x - state.x) * found.way).sum())
    way = found.way / np.abs(found.way).max() * (-1.0 if on < 0.0 else 1.0)
    there = copied(found.state)
    displaced(net, there, PUSH * net.size * way)
    net.aim(there, share)
    if not fallen(net, there) and not _comes_to_rest(run, there, share):
        record.notice(found.share, "snap", LOST)
        record.notice(found.share, "limit", why_no_further(record))
        keep_frame(run, there, share, np.inf, False, record)
        return False
    gone = moved(found.state.x, there.x)
    node = int(((there.x - found.state.x)[: net.shown] ** 2).sum(axis=1).argmax())
    text = f"loses its stability and snaps through: {net.names[node]} goes {gone:.4g} at once"
    record.notice(found.share, "snap", text)
    restore(state, there)
    pace.share, pace.last = share, None
    return True
