"""The motion of a pawl by floats from event to event, compiled, for as long as no two things nearly coincide.

Where they may, it stops before the event; `leg` and `next_motion` take the pawl past it and hand it back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel
from pliant.snap.arithmetic.floating import CLOSE, TOLERANCE
from pliant.snap.geometry.features import Bodies
from pliant.snap.geometry.time_index import TimeIndex, edges_within
from pliant.snap.sweep.compiled.first_order import (
    JAMS,
    LEVELS,
    MOST,
    RESTS,
    SLIDES,
    SNAPS,
    UNSURE,
    first_order_motion,
    touching_pairs,
)
from pliant.snap.sweep.compiled.locking import lock_on_arc
from pliant.snap.sweep.compiled.next_contact import (
    EVENT,
    FLAT,
    LOCKED,
    LOST,
    NEAR,
    TURNED,
    UNTIL,
    arc_end,
    edge_end_time,
    level_end,
    turn_contacts,
)

STARTS, AT_REST, ON_ARC, LEVEL = range(4)  # motions; LEVEL: along an edge parallel to the way
PIECE, STATE = 0, 1  # rows
WAITING = 8  # events without any progress in t


class MotionLog(NamedTuple):
    """What a pawl does, R rows in order of t: pieces of its motion, and its states between them."""

    row: Ints  # (R,) PIECE or STATE
    code: Ints  # (R,) how a piece ends, or what comes next at a state
    motion: Ints  # (R,) of a piece
    pair: Ints  # (R, 3) of a state: the contact that is followed next
    side: Ints  # (R,) and to which side in u
    first_contact: Ints  # (R,) of a state: where its contacts begin in `touching`
    contact_count: Ints  # (R,) and how many they are
    t: Floats  # (R,)
    u: Floats  # (R,)
    touching: Ints  # (C, 3) pairs


@inner
def _motion_at(
    t: float, u: float, turn: int, stops: tuple[float, float], stride: float,
    index: TimeIndex, bodies: Bodies, pairs: Ints, out: Ints,
) -> tuple[int, int]:  # fmt: skip
    """What comes next at a point, and how many pairs touch there, -1 where that is not clear."""
    slack = 1e-9 * stride + FLAT * (stride + abs(t))
    live = edges_within(index, t - slack, t + slack)
    sign = -1.0 if turn % 2 else 1.0
    count = touching_pairs(t, u, sign, live, bodies, pairs)
    away = 0 if turn == 0 and abs(u) <= CLOSE else 1 if turn > 0 or (turn == 0 and u > 0) else -1
    if count <= 0:
        return (RESTS if away == 0 and count == 0 else UNSURE), count
    stopped = abs(u - stops[0]) <= NEAR, abs(u - stops[1]) <= NEAR
    return first_order_motion(t, u, away, stopped, sign, pairs, count, bodies, out), count


@inner
def _land(
    t: float, u: float, turn: int, stops: tuple[float, float], stride: float,
    index: TimeIndex, bodies: Bodies, pairs: Ints, out: Ints,
) -> tuple[int, float, int]:  # fmt: skip
    """Where a pawl that turns towards rest at one t is held: what comes next there, the angle, contacts."""
    clear, places = turn_contacts(t, u, 1.0, stride, index, bodies)
    if not clear:
        return UNSURE, u, 0
    gone = 0.0
    for place in places:
        if place - gone <= CLOSE or abs(u) - place <= CLOSE:
            continue
        gone = place
        at = u - gone if u > 0 else u + gone
        what, count = _motion_at(t, at, turn, stops, stride, index, bodies, pairs, out)
        if what != SNAPS:
            return what, at, count
    what, count = _motion_at(t, 0.0, turn, stops, stride, index, bodies, pairs, out)
    return what, 0.0, count


@inner
def _motion_end(
    motion: int, followed: Ints, t: float, u: float, turn: int, until: float, stops: tuple[float, float],
    stride: float, index: TimeIndex, bodies: Bodies,
) -> tuple[int, float, float]:  # fmt: skip
    """How a motion ends, t and u."""
    sign = -1.0 if turn % 2 else 1.0
    if motion == STARTS:
        return EVENT, t, u
    if motion == ON_ARC:
        over, t, u = arc_end(followed, t, u, turn == 0, sign, until, stops, stride, index, bodies)
    else:
        end = until if motion == AT_REST else edge_end_time(followed, u, sign, until, bodies)
        over, t = level_end(t, u, sign, end, stride, index, bodies)
        over = EVENT if t < until else UNTIL
    if over != LOST and t >= until - TOLERANCE * (stride + abs(until)):
        over = UNTIL  # the leg's end comes before what happens at it
    return over, t, u


@inner
def _log_piece(log: MotionLog, done: Ints, how: int, motion: int, t: float, u: float) -> None:
    """Write how a motion ended."""
    row = done[0]
    log.row[row], log.code[row], log.motion[row] = PIECE, how, motion
    log.t[row], log.u[row] = t, u
    done[0] += 1


@inner
def _log_state(
    log: MotionLog, done: Ints, what: int, followed: Ints, t: float, u: float, pairs: Ints, count: int
) -> None:
    """Write what touches at a point and what comes next."""
    row, used = done[0], done[1]
    log.row[row], log.code[row], log.side[row] = STATE, what, followed[3]
    log.first_contact[row], log.contact_count[row] = used, count
    log.t[row], log.u[row] = t, u
    for n in range(3):
        log.pair[row, n] = followed[n]
    for place in range(count):
        for n in range(3):
            log.touching[used + place, n] = pairs[place, n]
    done[0] += 1
    done[1] += count


@kernel
def follow_motion(
    t: float, u: float, turn: int, motion: int, start: tuple[int, int, int, int], until: float,
    stops: tuple[float, float], friction: float, pivot: tuple[float, float], stride: float,
    index: TimeIndex, bodies: Bodies, log: MotionLog,
) -> int:  # fmt: skip
    """Follow the pawl and write its motion into the log; how many rows were written.

    `start` is the pair that is followed at first, and its side in u.
    """
    pair, pairs = np.zeros(4, np.int64), np.empty((MOST, 3), np.int64)
    followed = np.array([start[0], start[1], start[2], start[3]])
    sign = -1.0 if turn % 2 else 1.0
    done, waited = np.zeros(2, np.int64), 0  # rows, and contacts
    while done[0] + 3 <= len(log.row) and done[1] + 2 * MOST <= len(log.touching) and waited < WAITING:
        over, t1, u1 = _motion_end(motion, followed, t, u, turn, until, stops, stride, index, bodies)
        if over == LOST:
            break
        if motion > AT_REST and friction > 0.0:
            held, t2, u2 = lock_on_arc(followed, t, u, t1, u1, sign, friction, pivot, bodies)
            if held:
                over, t1, u1 = LOCKED, t2, u2
        what, count = _motion_at(t1, u1, turn, stops, stride, index, bodies, pairs, pair)
        ends = over == LOCKED or (over == UNTIL and count >= 0)
        clear = what != UNSURE and over != UNTIL and (count > 0 or motion == STARTS)
        if not ends and (not clear or (over == TURNED and what not in (SNAPS, JAMS))):
            break
        if motion != STARTS:
            _log_piece(log, done, over, motion, t1, u1)
        waited = waited + 1 if t1 <= t + FLAT * (stride + abs(t)) else 0
        t, u = t1, u1
        _log_state(log, done, what, pair, t, u, pairs, max(count, 0))
        if not ends and what == SNAPS and turn == 0:
            what, u, count = _land(t, u, turn, stops, stride, index, bodies, pairs, pair)
            if what != UNSURE:
                _log_state(log, done, what, pair, t, u, pairs, count)
        if ends or what not in (RESTS, SLIDES, LEVELS):
            break
        motion = AT_REST if what == RESTS else ON_ARC if what == SLIDES else LEVEL
        for n in range(4):
            followed[n] = pair[n]
    return int(done[0])
