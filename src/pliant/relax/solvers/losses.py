"""What a loss of stability is called, and how the drive goes on from it."""

from __future__ import annotations

import numpy as np

from pliant.relax.mechanics.elongation import elongations
from pliant.relax.network.elements import State
from pliant.relax.solvers.critical import CriticalPoint, branches_beyond, state_beyond_limit
from pliant.relax.solvers.dead_centres import displace_nodes
from pliant.relax.solvers.descent import descend
from pliant.relax.solvers.equilibrium import come_to_rest, is_unstable
from pliant.relax.solvers.increment_measures import HOLDS as LENGTHS
from pliant.relax.solvers.record import Record
from pliant.relax.solvers.run_state import Pace, Run, copy_of, restore
from pliant.relax.solvers.stops import (
    SMALLEST,
    choose_branch,
    keep_frame,
    note_instability,
    snap_text,
    stop_drive,
    why_no_further,
)

PUSH = 1e-5  # of the size: by so much it is displaced from where it snaps, the way it gives way
LOST = "loses its stability, and where it comes to rest again was not found"
MEET = "two mirrored ways become one here; driven back, it can take either"


def name_loss(
    run: Run, state: State, pace: Pace, critical: CriticalPoint, goal: float, record: Record
) -> bool:
    """Name the event that a stretch of the path ends at; whether the drive goes on from there."""
    if critical.kind == "limit":
        return _snap_through(run, state, pace, critical, goal, record)
    if critical.kind == "fold":
        restore(state, critical.state)
        pace.share = critical.share  # a long step may have led over it from well before
        return stop_drive(
            run, copy_of(state), state, "lengths", pace, critical.share, goal, record, critical.share
        )
    if critical.kind == "fork":
        ways = branches_beyond(run.net, critical, goal)
        if len(ways) == 2:
            restore(state, critical.state)
            pace.share = critical.share
            return choose_branch(run, state, pace, critical.share, ways, record)
        note_instability(run, pace, critical.share, record)
    else:
        record.notice(critical.share, "fork", MEET)
    ahead = state_beyond_limit(run.net, critical, goal)
    if ahead is None:
        pace.lost = True
        return True
    pace.share = ahead[0]
    restore(state, ahead[1])
    return True


def _rests_elastically(run: Run, state: State, share: float) -> bool:
    """Whether the mechanism rests with its rigid stiffness as it is, lengths holding."""
    settled = come_to_rest(run, state, share, Record())
    return settled.at_rest and elongations(run.net, state).worst <= LENGTHS and not is_unstable(run, state)


def _snap_through(
    run: Run, state: State, pace: Pace, critical: CriticalPoint, goal: float, record: Record
) -> bool:
    """Descend to the next stable rest."""
    net, share = run.net, min(critical.share + 2.0 * SMALLEST, goal)
    on = float(((critical.state.x - state.x) * critical.way).sum())
    way = critical.way / np.abs(critical.way).max() * (-1.0 if on < 0.0 else 1.0)
    there = copy_of(critical.state)
    displace_nodes(net, there, PUSH * net.size * way)
    net.aim(there, share)
    if not descend(net, there) and not _rests_elastically(run, there, share):
        record.notice(critical.share, "snap", LOST)
        record.notice(critical.share, "limit", why_no_further(record))
        keep_frame(run, there, share, np.inf, False, record)
        return False
    record.notice(critical.share, "snap", snap_text(net, critical.state, there))
    restore(state, there)
    pace.share, pace.last = share, None
    return True
