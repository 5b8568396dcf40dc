"""A pawl's path by floats as far as `follow_motion` takes it: its log as pieces and events."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pliant.snap.arithmetic.protocol import SlicePoint
from pliant.snap.geometry.contact_curves import contact_curve
from pliant.snap.geometry.features import VERTEX, FeaturePair
from pliant.snap.geometry.pawl_scene import Scene
from pliant.snap.sweep.compiled.event_loop import (
    AT_REST,
    LEVEL,
    ON_ARC,
    PIECE,
    STARTS,
    STATE,
    MotionLog,
    follow_motion,
)
from pliant.snap.sweep.compiled.first_order import BALANCES, JAMS, LEVELS, RESTS, SLIDES, SNAPS
from pliant.snap.sweep.compiled.next_contact import EVENT, LOCKED, UNTIL
from pliant.snap.sweep.next_motion import NextKind, NextMotion, stop_in_chart
from pliant.snap.sweep.path import MotionKind, PathPiece, PathRecord, PawlState

ROWS, ROOM = 128, 1024  # of a path and of its contacts, at a time
LEAST = 3  # rows that one event can take
CIRCLES = 1e-9  # of the way
KINDS: dict[int, NextKind] = {
    RESTS: "rest", SNAPS: "snap", SLIDES: "arc", LEVELS: "flat", JAMS: "jam", BALANCES: "dead centre"
}  # fmt: skip
MOTIONS: dict[int, MotionKind] = {AT_REST: "rest", ON_ARC: "arc", LEVEL: "flat"}
FOLLOWED = {"start": STARTS, "rest": AT_REST, "arc": ON_ARC, "flat": LEVEL}


def advance(run: PathRecord, state: PawlState, friction: float, most: int) -> PawlState:
    """The pawl's state after everything that nothing coincides at, or after so many events.

    This is the one door to the compiled sweep. In exact arithmetic the state stays as it is.
    """
    if run.scene.arithmetic.is_exact:
        return state
    room = min(ROWS, max(most, LEAST))
    while _is_simple(state):
        before = state.point.t
        rows, touching = motion_rows(run.scene, state, friction, room)
        if rows:
            state = _record_rows(run, state, rows, touching)
        if room < ROWS or len(rows) <= ROWS - LEAST or state.point.t <= before + least_progress(run.scene):
            break
    return state


def least_progress(scene: Scene) -> float:
    """What t goes on by where floats go round in circles, at most."""
    return CIRCLES * abs(scene.way_end)


def _is_simple(state: PawlState) -> bool:
    """Whether a pawl rests or follows one contact, and if it is flat, of a vertex on an obstacle's edge."""
    kind, curves = state.going.kind, state.going.curves
    if state.cause or len(curves) > 1:
        return False
    return kind in ("start", "rest", "arc") or (kind == "flat" and all(c.pair[0] == VERTEX for c in curves))


class LogRow(NamedTuple):
    """A row of a `MotionLog`."""

    row: int
    code: int
    motion: int
    pair: FeaturePair
    side: int
    first_contact: int
    contact_count: int
    t: float
    u: float

    @property
    def followed(self) -> tuple[FeaturePair, ...]:
        """The pair that is followed next, of a state; none at rest, on a snap, and where it ends."""
        return (self.pair,) if self.code in (SLIDES, LEVELS) else ()


def motion_rows(
    scene: Scene, state: PawlState, friction: float, room: int
) -> tuple[list[LogRow], list[FeaturePair]]:
    """What `follow_motion` finds from a state on, in so many rows at most, and the pairs that touch."""
    point, going = state.point, state.going
    whole, real = ((lambda: np.empty(room, np.int64)), (lambda: np.empty(room)))
    pairs, touching = np.zeros((room, 3), np.int64), np.empty((ROOM, 3), np.int64)
    log = MotionLog(whole(), whole(), whole(), pairs, whole(), whole(), whole(), real(), real(), touching)
    start = (*going.curves[0].pair, going.side) if going.curves else (0, 0, 0, 0)
    count = follow_motion(
        point.t, point.angle, point.turn, FOLLOWED[going.kind], start, scene.way_end,
        _stops(scene, point.turn), friction, scene.pivot, scene.stride, scene.index, scene.bodies, log,
    )  # fmt: skip
    columns = [column[:count].tolist() for column in log[:-1]]
    columns[3] = [(kind, i, j) for kind, i, j in columns[3]]
    rows = [LogRow(*row) for row in zip(*columns, strict=True)]
    used = rows[-1].first_contact + rows[-1].contact_count if rows and rows[-1].row == STATE else ROOM
    return rows, [(kind, i, j) for kind, i, j in touching[:used].tolist()]


def _stops(scene: Scene, turn: int) -> tuple[float, float]:
    """Where a pawl stops below and above, in a chart."""
    low, high = scene.stops
    return _stop(low, turn), _stop(high, turn)


def _stop(stop: Fraction | None, turn: int) -> float:
    place = None if stop is None else stop_in_chart(stop, turn)
    return math.inf if place is None else float(place)


def _state(scene: Scene, point: SlicePoint, contacts: tuple[FeaturePair, ...], row: LogRow) -> PawlState:
    curves = tuple(contact_curve(scene, pair, point.turn) for pair in row.followed)
    return PawlState(point, contacts, NextMotion(KINDS[row.code], curves, row.side if curves else 0))


def _record_rows(
    run: PathRecord, state: PawlState, rows: list[LogRow], touching: list[FeaturePair]
) -> PawlState:
    """Rows as pieces and events; the state after the last."""
    point, turn, moment = state.point, state.point.turn, run.scene.arithmetic.moment
    followed = state.contacts if state.going.kind == "start" else state.followed
    how, snapped, contacts = EVENT, False, state.contacts
    for row in rows:
        before, point = point, moment(row.u, turn, row.t)
        if row.row == PIECE:
            how = row.code
            run.pieces.append(PathPiece(MOTIONS[row.motion], before, point, followed))
            if how == LOCKED:
                run.note("lock", point, followed)
                return PawlState(point, followed, state.going, "lock")
            continue
        contacts = tuple(touching[row.first_contact : row.first_contact + row.contact_count])
        if how == UNTIL:
            return PawlState(point, contacts, state.going, "until")
        after = row.followed
        if snapped:
            run.note("lands" if contacts else "rests", point, contacts)
        elif row.code in (RESTS, SLIDES, LEVELS):
            run.note_change(followed, after, point, contacts)
        if row.code == SNAPS and row is not rows[-1]:  # else the sweep takes it on from here
            run.note_snap(point, contacts)
        snapped, followed = row.code == SNAPS, after
    return _state(run.scene, point, contacts, rows[-1])
