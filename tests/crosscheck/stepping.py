"""A fastener moved in small steps with shapely: slow, approximate, and ignorant of the exact sweep.

Pawls are shrunk by `THIN`, so that touching is not overlapping, and are free wherever they do not intersect
an obstacle. At each step of the root a pawl turns to where its spring wants it, or as near as it gets: while
it is free, towards its rest, by no more at a time than its distance from the obstacles allows; while it
overlaps, to the nearest free angle on either side. Whatever comes as a surprise (a long turn, another
contact, a lock, no free angle) is tried again with half the step, down to `FINEST`: so a jam is told from a
step that is too long, and events are timed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from tests.crosscheck.touching import Contact, Pair, lever, locks, mating_force
from tests.crosscheck.turning import (
    Scene,
    clear,
    flight,
    floats,
    most,
    outlines,
    scene_of,
    shrunk,
    touching,
    turned,
    united,
)

from pliant.snap.model import Fastener

Floats = NDArray[np.float64]
Legs = list[tuple[Floats, float]]

FINEST = 1e-8  # the shortest step of the root, as a length
PACE = 0.02  # the longest
FEW, MANY = 10, 60  # angles at which a way out is looked for
ALIKE = 100.0  # from rest, two ways out that differ by less can both be taken: beside a dead centre


@dataclass(frozen=True)
class Snap:
    """A sudden turn of a pawl."""

    t: float
    before: float  # rad
    after: float


@dataclass(frozen=True)
class Change:
    """From t on, these pairs of features hold the pawl from its rest; none when it rests."""

    t: float
    pairs: tuple[Pair, ...]

    @property
    def obstacles(self) -> tuple[int, ...]:
        return tuple(sorted({pair[2] for pair in self.pairs}))


@dataclass(frozen=True)
class End:
    """Why the motion stopped: through, root, jam, stop, friction, or dead centre."""

    t: float
    cause: str
    pawl: int | None = None


@dataclass
class Track:
    """What one pawl did. `force` is what it takes to move the root on, from the least to the most possible.

    A doubt is a time at which one of several contacts could lock the pawl, and another not: it is not locked.
    """

    t: list[float] = field(default_factory=list)
    angle: list[float] = field(default_factory=list)
    force: list[tuple[float, float]] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    snaps: list[Snap] = field(default_factory=list)
    doubts: list[float] = field(default_factory=list)

    def contacts(self, shortest: float = 1e-6) -> list[Change]:
        """The changes after which a contact lasted: not those while two vertices pass each other."""
        ends = [change.t for change in self.changes[1:]] + [math.inf]
        lasting = [one for one, end in zip(self.changes, ends, strict=True) if end - one.t > shortest]
        return [one for k, one in enumerate(lasting) if not k or one.pairs != lasting[k - 1].pairs]


@dataclass(frozen=True)
class Walk:
    """How a fastener moved."""

    tracks: tuple[Track, ...]
    end: End


@dataclass(frozen=True)
class State:
    """A pawl at a time of its leg, what holds it, and the step that brought it there."""

    t: float
    angle: float
    held: list[Contact]
    step: float


def walk(model: Fastener, reverse: bool = False) -> Walk:
    """Move a fastener as its root is told; with `reverse`, then back from where that ended."""
    legs = _legs(model)
    there = _along(model, legs, np.zeros(2), [0.0] * len(model.pawls))
    if not reverse:
        return there
    left, done = there.end.t, []
    for velocity, until in legs:
        done.append((velocity, min(until, left)))
        left -= done[-1][1]
    moved = sum((velocity * until for velocity, until in done), np.zeros(2))
    back = [(-velocity, until) for velocity, until in reversed(done) if until > 0]
    return _along(model, back, moved, [track.angle[-1] for track in there.tracks])


def _legs(model: Fastener) -> Legs:
    root = model.root
    if root.plan is not None:
        return [(floats(leg.velocity), float(leg.until)) for leg in root.plan]
    velocity = floats(root.velocity)
    return [(velocity, float(root.until) if root.until is not None else _past(model, velocity))]


def _past(model: Fastener, velocity: Floats) -> float:
    """The time after which nothing of the fastener, however turned, can be beside an obstacle."""
    far = max(float((ring @ velocity).max()) for ring in outlines(model))
    behind = [
        floats(pawl.hinge) @ velocity - np.hypot(*floats(model.outline(pawl)).T).max() * np.hypot(*velocity)
        for pawl in model.pawls
    ]
    behind += [float((floats(model.root.outline) @ velocity).min())] if model.root.outline else []
    return max(far - min(behind), 0.0) / float(velocity @ velocity)


def _root_end(model: Fastener, moved: Floats, velocity: Floats, until: float) -> End:
    if model.root.outline is None:
        return End(until, "through")
    t = clear(shrunk(floats(model.root.outline)) + moved, velocity, until, united(outlines(model)))
    return End(t, "root" if t < until else "through")


def _joined(track: Track, more: Track, since: float) -> Track:
    """A track and what came after."""
    later = [replace(change, t=since + change.t) for change in more.changes]
    if track.changes and track.changes[-1].pairs == later[0].pairs:
        later = later[1:]
    return Track(
        track.t + [since + t for t in more.t],
        track.angle + more.angle,
        track.force + more.force,
        track.changes + later,
        track.snaps + [replace(snap, t=since + snap.t) for snap in more.snaps],
        track.doubts + [since + t for t in more.doubts],
    )


def _along(model: Fastener, legs: Legs, moved: Floats, angles: list[float]) -> Walk:
    tracks, since, end = [Track() for _ in angles], 0.0, End(0.0, "through")
    for velocity, until in legs:
        scenes = [scene_of(model, k, moved, velocity, until) for k in range(len(angles))]
        end, runs = _root_end(model, moved, velocity, until), []
        for k, scene in enumerate(scenes):
            runs.append(_follow(scene, angles[k], end.t))
            end = replace(runs[k][1], pawl=k) if runs[k][1].cause != "through" else end
        for k, (track, met) in enumerate(runs):  # one that went on past the end is moved again, up to it
            cut = track if met.t <= end.t else _follow(scenes[k], angles[k], end.t)[0]
            tracks[k] = _joined(tracks[k], cut, since)
            angles[k] = cut.angle[-1]
        moved, since = moved + velocity * end.t, since + end.t
        if end.cause != "through":
            break
    return Walk(tuple(tracks), replace(end, t=since))


def _follow(scene: Scene, angle: float, until: float) -> tuple[Track, End]:
    """One pawl along a leg, until something stops it."""
    track, state = Track(), State(0.0, angle, _holding(scene, 0.0, angle), 0.0)
    _note(scene, track, state)
    while not _locked(scene, state.held, track, state.t):
        if not state.angle:
            state = replace(state, t=state.t + flight(scene, state.t, state.angle, until), step=0.0)
            _note(scene, track, state)
            ahead = [one for one in touching(scene, state.t, state.angle) if one.normal @ scene.velocity < 0]
            if state.t < until and _locked(scene, ahead, track, state.t):
                track.changes.append(Change(state.t, _pairs(ahead)))
                break
        if state.t >= until:
            return track, End(until, "through")
        further = _advance(scene, state, until)
        if isinstance(further, str):
            return track, End(state.t, further)
        if abs(further.angle - state.angle) > most(scene, further.step):
            track.snaps.append(Snap(further.t, state.angle, further.angle))
        state = further
        _note(scene, track, state)
    return track, End(state.t, "friction")


def _advance(scene: Scene, state: State, until: float) -> State | str:
    """The state after the longest step without surprises, or after the shortest; or why there is none."""
    finest = FINEST / scene.speed
    step = min(max(2 * state.step, finest), PACE / scene.speed, until - state.t)
    while True:
        t, limit = state.t + step, most(scene, step)
        angles = turned(scene, t, state.angle, limit, FEW if step > finest else MANY)
        further = State(t, angles[0], _holding(scene, t, angles[0]), step) if angles else None
        if step <= finest or (further and _calm(scene, state, further, angles)):
            break
        step = max(step / 2, finest)
    if further is None:
        return "stop" if min(abs(state.angle - stop) for stop in scene.stops) < limit else "jam"
    turns = [abs(angle - state.angle) for angle in angles]
    if len(turns) == 2 and not state.angle and turns[1] < ALIKE * turns[0]:
        return "dead centre"
    return further


def _calm(scene: Scene, state: State, further: State, angles: list[float]) -> bool:
    """Whether a step brings nothing new: a pawl that leaves its rest, or turns back to it, has one way."""
    turn = further.angle - state.angle
    return (
        abs(turn) <= most(scene, further.step)
        and (len(angles) == 1 or turn * state.angle > 0)
        and _pairs(further.held) == _pairs(state.held)
        and not _locked(scene, further.held)
    )


def _holding(scene: Scene, t: float, angle: float) -> list[Contact]:
    """The contacts that push a pawl away from where it would rest."""
    away = np.sign(angle)
    return [one for one in touching(scene, t, angle) if np.sign(lever(one)) == away] if away else []


def _pairs(held: list[Contact]) -> tuple[Pair, ...]:
    return tuple(sorted(one.pair for one in held))


def _locked(scene: Scene, held: list[Contact], track: Track | None = None, t: float = 0.0) -> bool:
    """Whether friction locks every contact that holds a pawl; where only some, it is a doubt."""
    stuck = [locks(one, scene.velocity, scene.friction) for one in held]
    if any(stuck) and not all(stuck) and track is not None:
        track.doubts.append(t)
    return bool(stuck) and all(stuck)


def _note(scene: Scene, track: Track, state: State) -> None:
    """Write a state down. While two vertices pass each other the force is that before."""
    torque = scene.stiffness * state.angle - scene.preload
    forces = [mating_force(one, scene.velocity, scene.friction, torque) for one in state.held] or [0.0]
    passing = any(one.normal @ state.held[0].normal < 1 - 1e-6 for one in state.held)
    track.t.append(state.t)
    track.angle.append(state.angle)
    track.force.append(track.force[-1] if passing and track.force else (min(forces), max(forces)))
    if not track.changes or track.changes[-1].pairs != _pairs(state.held):
        track.changes.append(Change(state.t, _pairs(state.held)))
