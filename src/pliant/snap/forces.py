"""Forces along a motion: on each pawl, on the root, and what it takes to move it.

Source: [DonaldPai1993] Appendix A. Differs: their Prop. A.1 (peaks at segment ends only) holds for type B;
on type A the lever changes with the angle and the peak can be inside, so that it is searched for.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pliant.snap.press import AGAINST, ANGLE, FORCE_X, FORCE_Y, PLACE_X, PLACE_Y, TORQUE, pressed
from pliant.snap.scan import Floats
from pliant.snap.scene import Pair
from pliant.snap.sweep import Path, Piece
from pliant.snap.travel import Course

SAMPLES = 17  # of a piece, its ends included
ZOOMS = 8  # each eight times closer
CLOSE = 0.9  # of the greatest sample: where a peak between samples could be greater
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


@dataclass(frozen=True)
class Spring:
    """What turns a pawl back: torque = stiffness · angle - preload."""

    stiffness: float
    preload: float


FREE = Spring(0.0, 0.0)


@dataclass(frozen=True)
class Load:
    """On a pawl at K moments: the contact force on it and where it acts, lever and torque, and its range.

    Where a flush contact leaves open where it presses, `low` and `high` are the least and the greatest
    share of the force against the motion.
    """

    force: Floats  # (K, 2)
    place: Floats  # (K, 2)
    torque: Floats  # (K,) of the spring
    against: Floats  # (K,) its share against the motion: what the root has to push with
    low: Floats
    high: Floats


def angles(path: Path, piece: Piece, t: Floats) -> Floats:
    """A pawl's angle in radians at moments within a piece."""
    if piece.motion != "arc":
        return np.full(len(t), piece.turn * math.pi + 2 * math.atan(piece.start.angle))
    return _pressed(path, piece, piece.contacts[0], t, FREE, 0.0)[:, ANGLE]


def load(path: Path, piece: Piece, t: Floats, spring: Spring, friction: float) -> Load:
    """The forces on a pawl at moments within a piece."""
    if not piece.contacts:
        none = np.zeros(len(t))
        return Load(np.zeros((len(t), 2)), np.zeros((len(t), 2)), none, none, none, none)
    first = _pressed(path, piece, piece.contacts[0], t, spring, friction)
    shares = [first[:, AGAINST]]
    shares += [_pressed(path, piece, pair, t, spring, friction)[:, AGAINST] for pair in piece.contacts[1:]]
    low, high = (shares[0],) * 2 if len(shares) == 1 else (np.min(shares, axis=0), np.max(shares, axis=0))
    force, place = first[:, FORCE_X : FORCE_Y + 1], first[:, PLACE_X : PLACE_Y + 1]
    return Load(force, place, first[:, TORQUE], shares[0], low, high)


def _pressed(path: Path, piece: Piece, pair: Pair, t: Floats, spring: Spring, friction: float) -> Floats:
    """What `press.pressed` finds for one contact of a piece."""
    scene, arc = path.scene, piece.motion == "arc"
    low, high = sorted((piece.start.angle, piece.end.angle)) if arc else (piece.start.angle,) * 2
    parts = (scene.rigid, scene.floats, scene.way)
    return pressed(pair, piece.turn, arc, low, high, t, spring.stiffness, spring.preload, friction, *parts)


def _cross(a: Floats, b: Floats) -> Floats:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


@dataclass(frozen=True)
class Span:
    """A stretch of t in which no pawl changes its contact: a piece of each."""

    begin: float
    end: float
    pieces: dict[str, Piece]


def spans(course: Course) -> list[Span]:
    """The stretches of a course, in order of t."""
    marks = {course.begins, course.ends}
    for path in course.paths.values():
        for piece in path.pieces:
            marks |= {m for m in (piece.start.t, piece.end.t) if course.begins < m < course.ends}
    edges = sorted(marks)
    starts = {name: [piece.start.t for piece in path.pieces] for name, path in course.paths.items()}
    found: list[Span] = []
    for begin, end in pairwise(edges):
        if end - begin > 1e-13 * (course.ends - course.begins):
            held = {
                name: _covering(path, starts[name], 0.5 * (begin + end))
                for name, path in course.paths.items()
            }
            found.append(Span(begin, end, {name: piece for name, piece in held.items() if piece is not None}))
    return found


def _covering(path: Path, starts: Sequence[float], t: float) -> Piece | None:
    """The piece that a t strictly between events is in."""
    place = bisect_right(starts, t) - 1
    return path.pieces[place] if place >= 0 and t <= path.pieces[place].end.t else None


@dataclass(frozen=True)
class Curve:
    """Forces along a course: against the motion, in all and by pawl, with its range, and the peak."""

    t: Floats
    total: Floats
    low: Floats
    high: Floats
    pawls: dict[str, Floats]
    angles: dict[str, Floats]
    force: Floats  # (K, 2) on the root by the pawls, in all
    torque: Floats  # (K,) on the root, about the point asked for
    peak: float
    peak_at: float
    work: float


def force_curve(course: Course, springs: dict[str, Spring], friction: float, about: Sequence[float]) -> Curve:
    """The forces along a course, with peaks found where they are, inside a stretch too."""
    stretches = spans(course)
    parts = [_sampled(course, span, springs, friction, about) for span in stretches]
    if not parts:
        parts = [_nothing(course, springs)]
    joined = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    peak, at = _peak(course, stretches, springs, friction, joined)
    locked = course.cause == "lock"  # there the force, and with it the work, grows without bound
    work = math.inf if locked else sum(_work(course, span, springs, friction) for span in stretches)
    return Curve(
        joined["t"], joined["total"], joined["low"], joined["high"],
        {name: joined[f"pawl {name}"] for name in springs},
        {name: joined[f"angle {name}"] for name in springs},
        np.stack([joined["x"], joined["y"]], axis=1), joined["torque"], peak, at, work,
    )  # fmt: skip


def peak_force(course: Course, springs: dict[str, Spring], friction: float) -> float:
    """The greatest force against the motion alone."""
    stretches = spans(course)
    if not stretches:
        return 0.0
    parts = [_sampled(course, span, springs, friction, (0.0, 0.0)) for span in stretches]
    joined = {key: np.concatenate([part[key] for part in parts]) for key in ("t", "high")}
    return _peak(course, stretches, springs, friction, joined)[0]


def _sampled(
    course: Course, span: Span, springs: dict[str, Spring], friction: float, about: Sequence[float]
) -> dict[str, Floats]:
    """Everything at some moments of a stretch, closer together at its ends."""
    t = 0.5 * (span.begin + span.end) - 0.5 * (span.end - span.begin) * np.cos(np.linspace(0, np.pi, SAMPLES))
    t[0], t[-1] = span.begin, span.end
    out = {key: np.zeros(SAMPLES) for key in ("total", "low", "high", "x", "y", "torque")}
    centre = np.array(about)[None, :] + np.array([float(v) for v in course.offset])
    centre = centre + t[:, None] * np.array([float(v) for v in course.velocity])
    for name, spring in springs.items():
        path, piece = course.paths[name], span.pieces.get(name)
        if piece is None:
            out[f"pawl {name}"] = out[f"angle {name}"] = np.zeros(SAMPLES)
            continue
        found = load(path, piece, t, spring, friction)
        out[f"pawl {name}"], out[f"angle {name}"] = found.against, angles(path, piece, t)
        for key, values in (("total", found.against), ("low", found.low), ("high", found.high)):
            out[key] = out[key] + values
        out["x"], out["y"] = out["x"] + found.force[:, 0], out["y"] + found.force[:, 1]
        held = np.where(np.isfinite(found.force), found.force, 0.0)
        out["torque"] = out["torque"] + _cross(found.place - centre, held)
    return {"t": t, **out}


def _nothing(course: Course, springs: dict[str, Spring]) -> dict[str, Floats]:
    """A course that ended where it began."""
    keys = ["total", "low", "high", "x", "y", "torque"]
    keys += [f"{what} {name}" for name in springs for what in ("pawl", "angle")]
    return {"t": np.array([course.begins]), **{key: np.zeros(1) for key in keys}}


def _against(course: Course, span: Span, springs: dict[str, Spring], friction: float, t: Floats) -> Floats:
    total = np.zeros(len(t))
    for name, spring in springs.items():
        if name in span.pieces:
            total = total + load(course.paths[name], span.pieces[name], t, spring, friction).high
    return total


def _peak(
    course: Course,
    stretches: Sequence[Span],
    springs: dict[str, Spring],
    friction: float,
    joined: dict[str, Floats],
) -> tuple[float, float]:
    """The greatest finite force against the motion, and when."""
    values = np.where(np.isfinite(joined["high"]), joined["high"], -np.inf)
    if not np.isfinite(values.max()):
        return 0.0, course.begins
    place = int(values.argmax())
    best, at = float(values[place]), float(joined["t"][place])
    for number, span in enumerate(stretches):
        first = number * SAMPLES
        middle = first + int(values[first : first + SAMPLES].argmax())
        if values[middle] >= CLOSE * best and first < middle < first + SAMPLES - 1:
            around = joined["t"][middle - 1], joined["t"][middle + 1]
            best, at = max((best, at), _zoomed(course, span, springs, friction, around))
    return best, at


def _zoomed(
    course: Course, span: Span, springs: dict[str, Spring], friction: float, around: tuple[float, float]
) -> tuple[float, float]:
    """The peak between two moments, and when, by looking ever closer."""
    low, high = around
    best, at = -math.inf, low
    for _ in range(ZOOMS):
        t = np.linspace(low, high, SAMPLES)
        values = _against(course, span, springs, friction, t)
        place = int(values.argmax())
        if math.isfinite(values[place]):
            best, at = max((best, at), (float(values[place]), float(t[place])))
        low, high = t[max(place - 1, 0)], t[min(place + 1, SAMPLES - 1)]
    return best, at


def _work(course: Course, span: Span, springs: dict[str, Spring], friction: float) -> float:
    """Of the force against the motion over a stretch; nodes crowd at its ends, where forces can be steep."""
    if all(piece.motion == "rest" for piece in span.pieces.values()):
        return 0.0
    phase = 0.5 * math.pi * (NODES + 1)
    half = 0.5 * (span.end - span.begin)
    t = span.begin + half * (1 - np.cos(phase))
    power = _against(course, span, springs, friction, t)
    held = np.where(np.isfinite(power), power, 0.0)
    return float(held @ (WEIGHTS * np.sin(phase))) * half * 0.5 * math.pi * course.speed
