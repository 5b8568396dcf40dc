"""A pawl's path by floats as far as `glide` takes it: its rows as pieces and events."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np

from pliant.snap.geometry.contact_curves import curve
from pliant.snap.geometry.scene import Pair, Scene
from pliant.snap.sweep.candidates import VERTEX
from pliant.snap.sweep.compiled.first_order import BALANCES, JAMS, LEVELS, RESTS, SLIDES, SNAPS
from pliant.snap.sweep.compiled.follow import AT_REST, LEVEL, ON_ARC, PIECE, STARTS, STATE, glide
from pliant.snap.sweep.compiled.next_contact import EVENT, LOCKED, UNTIL
from pliant.snap.sweep.next_motion import Kind, Next, stop_in
from pliant.snap.sweep.path import Cause, Motion, Piece, Run

ROWS, ROOM = 128, 1024  # of a path and of its contacts, at a time
LEAST = 3  # rows that one event can take
CIRCLES = 1e-9  # of the way
KINDS: dict[int, Kind] = {
    RESTS: "rest", SNAPS: "snap", SLIDES: "arc", LEVELS: "flat", JAMS: "jam", BALANCES: "dead centre"
}  # fmt: skip
MOTIONS: dict[int, Motion] = {AT_REST: "rest", ON_ARC: "arc", LEVEL: "flat"}
FOLLOWED = {"start": STARTS, "rest": AT_REST, "arc": ON_ARC, "flat": LEVEL}


class State(NamedTuple):
    """Where a pawl is, what touches it, what comes next, and what ended its path if something did."""

    point: Any
    contacts: tuple[Pair, ...]
    going: Next
    cause: Cause | Literal[""] = ""

    @property
    def followed(self) -> tuple[Pair, ...]:
        """The pairs whose curves come next: several where they coincide, none at rest."""
        return tuple(contact.pair for contact in self.going.curves)


def quickly(run: Run, state: State, friction: float, most: int) -> State:
    """The pawl's state after everything that nothing coincides at, or after so many events."""
    room = min(ROWS, max(most, LEAST))
    while _is_simple(state):
        before = state.point.t
        codes, rows, touched = _rows(run.scene, state, friction, room)
        if codes:
            state = _replayed(run, state, codes, rows, touched)
        if room < ROWS or len(codes) <= ROWS - LEAST or state.point.t <= before + hardly(run.scene):
            break
    return state


def hardly(scene: Scene) -> float:
    """What t goes on by where floats go round in circles, at most."""
    return CIRCLES * abs(float(scene.until))


def _is_simple(state: State) -> bool:
    """Whether a pawl rests or follows one contact, and if it is flat, of a vertex on an obstacle's edge."""
    kind, curves = state.going.kind, state.going.curves
    if state.cause or len(curves) > 1:
        return False
    return kind in ("start", "rest", "arc") or (kind == "flat" and all(c.pair[0] == VERTEX for c in curves))


def _rows(
    scene: Scene, state: State, friction: float, room: int
) -> tuple[list[list[int]], list[list[float]], list[Pair]]:
    """What `glide` finds from a state on."""
    point, going = state.point, state.going
    codes, rows = np.empty((room, 8), np.int64), np.empty((room, 2))
    touched = np.empty((ROOM, 3), np.int64)
    start = (*going.curves[0].pair, going.side) if going.curves else (0, 0, 0, 0)
    count = glide(
        point.t, point.u, point.turn, FOLLOWED[going.kind], start, scene.until, _stops(scene, point.turn),
        friction, scene.pivot, scene.stride, scene.index, scene.rigid, scene.floats, scene.way,
        codes, rows, touched,
    )  # fmt: skip
    told = codes[:count].tolist()
    used = sum(told[-1][6:]) if told and told[-1][0] == STATE else ROOM
    pairs: list[Pair] = list(map(tuple, touched[:used].tolist()))
    return told, rows[:count].tolist(), pairs


def _stops(scene: Scene, turn: int) -> tuple[float, float]:
    """Where a pawl stops below and above, in a chart."""
    low, high = scene.stops
    return _stop(low, turn), _stop(high, turn)


def _stop(stop: Fraction | None, turn: int) -> float:
    place = None if stop is None else stop_in(stop, turn)
    return math.inf if place is None else float(place)


def _state(scene: Scene, point: Any, contacts: tuple[Pair, ...], what: int, followed: list[int]) -> State:
    if what not in (SLIDES, LEVELS):
        return State(point, contacts, Next(KINDS[what]))
    kind, i, j, side = followed
    return State(point, contacts, Next(KINDS[what], (curve(scene, (kind, i, j), point.turn),), side))


def _replayed(
    run: Run, state: State, codes: list[list[int]], rows: list[list[float]], touched: list[Pair]
) -> State:
    """Rows as pieces and events; the state after the last."""
    point, turn, moment = state.point, state.point.turn, run.scene.arithmetic.moment
    followed = state.contacts if state.going.kind == "start" else state.followed
    how, what, code, snapped = EVENT, RESTS, codes[-1], False
    contacts = state.contacts
    for number, (code, (t, u)) in enumerate(zip(codes, rows, strict=True), 1):
        before, point = point, moment(u, turn, t)
        if code[0] == PIECE:
            how = code[1]
            run.pieces.append(Piece(MOTIONS[code[5]], before, point, followed))
            if how == LOCKED:
                run.note("lock", point, followed)
                return State(point, followed, state.going, "lock")
            continue
        contacts = tuple(touched[code[6] : code[6] + code[7]])
        if how == UNTIL:
            return State(point, contacts, state.going, "until")
        what = code[1]
        after: tuple[Pair, ...] = ((code[2], code[3], code[4]),) if what in (SLIDES, LEVELS) else ()
        if snapped:
            run.note("lands" if contacts else "rests", point, contacts)
        elif what in (RESTS, SLIDES, LEVELS):
            run.note_change(followed, after, point, contacts)
        if what == SNAPS and number < len(codes):  # else the sweep takes it on from here
            run.note_snap(point, contacts)
        snapped, followed = what == SNAPS, after
    return _state(run.scene, point, contacts, what, code[2:6])
