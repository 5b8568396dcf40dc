"""Forces along a motion: on each pawl, on the root, and what it takes to move it.

Source: [DonaldPai1993] Appendix A. Differs: their Prop. A.1 (peaks at segment ends only) holds for type B;
on type A the lever changes with the angle and the peak can be inside, so that it is searched for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from pliant.snap.scan import VERTEX, Floats, coefficients
from pliant.snap.scene import Pair, Scene
from pliant.snap.sweep import Path, Piece
from pliant.snap.travel import Course

SAMPLES = 17  # of a piece, its ends included


@dataclass(frozen=True)
class Spring:
    """What turns a pawl back: torque = stiffness · angle - preload."""

    stiffness: float
    preload: float

    def torque(self, angle: Floats) -> Floats:
        """What contacts must hold against."""
        return self.stiffness * angle - self.preload


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
        return np.full(len(t), _angle(piece.turn, piece.start.angle))
    c = _coefficients(path.scene, piece.contacts[0], piece.turn)
    low, high = sorted((piece.start.angle, piece.end.angle))
    square, middle, constant = (c[n] * t + c[3 + n] for n in (2, 1, 0))
    root = np.sqrt(np.maximum(middle * middle - 4 * square * constant, 0.0))
    stable = -0.5 * (middle + np.copysign(root, middle))  # no cancellation in either root
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = stable / square, constant / stable
    first, second = (np.where(np.isfinite(r), r, np.inf) for r in (first, second))
    nearer = _outside(first, low, high) <= _outside(second, low, high)
    return _angle(piece.turn, np.clip(np.where(nearer, first, second), low, high))


def _outside(u: Floats, low: float, high: float) -> Floats:
    return np.maximum(np.maximum(low - u, u - high), 0.0)


def _angle(turn: int, u: Floats | float) -> Floats:
    return np.asarray(turn * math.pi + 2 * np.arctan(u))


def _coefficients(scene: Scene, pair: Pair, turn: int) -> tuple[float, ...]:
    return coefficients(*pair, -1.0 if turn % 2 else 1.0, scene.rigid, scene.floats, scene.way)


def load(path: Path, piece: Piece, t: Floats, spring: Spring, friction: float) -> Load:
    """The forces on a pawl at moments within a piece."""
    angle = angles(path, piece, t)
    torque = spring.torque(angle)
    if not piece.contacts:
        none = np.zeros(len(t))
        return Load(np.zeros((len(t), 2)), np.zeros((len(t), 2)), none, none, none, none)
    scene = path.scene
    every = [_pressed(scene, pair, angle, t, torque, friction) for pair in piece.contacts]
    way = np.array([scene.way.vx, scene.way.vy])
    shares = np.stack([-(force @ way) / np.hypot(*way) for force, _ in every])
    force, place = every[0]
    return Load(force, place, torque, shares[0], shares.min(axis=0), shares.max(axis=0))


def _pressed(
    scene: Scene, pair: Pair, angle: Floats, t: Floats, torque: Floats, friction: float
) -> tuple[Floats, Floats]:
    """The contact force on a pawl that slides, and where it acts; (K, 2) each.

    Source: [DonaldPai1993] eqs A1 to A5.
    """
    hinge = np.stack([scene.way.x + scene.way.vx * t, scene.way.y + scene.way.vy * t], axis=1)
    way = np.array([scene.way.vx, scene.way.vy])
    kind, i, j = pair
    if kind == VERTEX:
        follower = int(scene.floats.following[j])
        edge = np.array(
            [scene.floats.x[follower] - scene.floats.x[j], scene.floats.y[follower] - scene.floats.y[j]]
        )
        lever = _rotated(np.array([scene.rigid.x[i], scene.rigid.y[i]]), angle)
        normal = np.broadcast_to(np.array([edge[1], -edge[0]]) / np.hypot(*edge), lever.shape)
        slide = np.sign(lever @ way) * np.sign(_cross(lever, normal))
        push = normal - friction * slide[:, None] * _along(normal)
    else:
        follower = (i + 1) % len(scene.rigid.x)
        edge = np.array(
            [scene.rigid.x[follower] - scene.rigid.x[i], scene.rigid.y[follower] - scene.rigid.y[i]]
        )
        lever = np.array([scene.floats.x[j], scene.floats.y[j]]) - hinge
        normal = _rotated(np.array([edge[1], -edge[0]]) / np.hypot(*edge), angle)
        slide = -np.sign(lever @ way) * np.sign(_cross(lever, normal))
        push = friction * slide[:, None] * _along(normal) - normal
    arm = _cross(lever, push)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(torque == 0.0, 0.0, torque / arm)
    return size[:, None] * push, hinge + lever


def _rotated(vector: Floats, angle: Floats) -> Floats:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.stack([cosine * vector[0] - sine * vector[1], sine * vector[0] + cosine * vector[1]], axis=1)


def _cross(a: Floats, b: Floats) -> Floats:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def _along(normal: Floats) -> Floats:
    return np.stack([normal[:, 1], -normal[:, 0]], axis=1)


@dataclass(frozen=True)
class Span:
    """A stretch of t in which no pawl changes its contact: a piece of each."""

    begin: float
    end: float
    pieces: dict[str, Piece]


def spans(course: Course) -> list[Span]:
    """The stretches of a course, in order of t."""
    paths = course.paths
    marks = {course.begins, course.ends}
    for path in paths.values():
        for piece in path.pieces:
            marks |= {m for m in (piece.start.t, piece.end.t) if course.begins < m < course.ends}
    edges = sorted(marks)
    found: list[Span] = []
    for begin, end in pairwise(edges):
        if end - begin > 1e-12 * (1 + abs(end)):
            middle = 0.5 * (begin + end)
            held = {name: _covering(path, middle) for name, path in paths.items()}
            found.append(Span(begin, end, {name: piece for name, piece in held.items() if piece is not None}))
    return found


def _covering(path: Path, t: float) -> Piece | None:
    return next((piece for piece in path.pieces if piece.start.t <= t <= piece.end.t), None)


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
    parts = [_sampled(course, span, springs, friction, about) for span in spans(course)]
    if not parts:
        parts = [_nothing(course, springs)]
    joined = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    peak, at = _peak(course, springs, friction, joined)
    locked = course.cause == "lock"  # there the force, and with it the work, grows without bound
    work = math.inf if locked else sum(_work(course, span, springs, friction) for span in spans(course))
    return Curve(
        joined["t"], joined["total"], joined["low"], joined["high"],
        {name: joined[f"pawl {name}"] for name in springs},
        {name: joined[f"angle {name}"] for name in springs},
        np.stack([joined["x"], joined["y"]], axis=1), joined["torque"], peak, at, work,
    )  # fmt: skip


def peak_force(course: Course, springs: dict[str, Spring], friction: float) -> float:
    """The greatest force against the motion alone."""
    parts = [_sampled(course, span, springs, friction, (0.0, 0.0)) for span in spans(course)]
    if not parts:
        return 0.0
    return _peak(
        course, springs, friction, {key: np.concatenate([p[key] for p in parts]) for key in parts[0]}
    )[0]


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
    course: Course, springs: dict[str, Spring], friction: float, joined: dict[str, Floats]
) -> tuple[float, float]:
    """The greatest force against the motion, and when; infinite where a contact locks or a pawl jams."""
    values = np.where(np.isfinite(joined["high"]), joined["high"], -np.inf)
    if not len(values) or not np.isfinite(values.max()):
        return 0.0, course.begins
    place = int(values.argmax())
    best, at = float(values[place]), float(joined["t"][place])
    for span in spans(course):
        inside = np.flatnonzero((joined["t"] > span.begin) & (joined["t"] < span.end))
        if not len(inside) or values[inside].max() < 0.9 * best:
            continue
        middle = int(inside[values[inside].argmax()])
        low, high = joined["t"][max(middle - 1, 0)], joined["t"][min(middle + 1, len(values) - 1)]
        found: Any = minimize_scalar(
            lambda t, span=span: -float(_against(course, span, springs, friction, np.array([t]))[0]),
            bounds=(float(low), float(high)), method="bounded", options={"xatol": 1e-12 * (1 + abs(high))},
        )  # fmt: skip
        if -found.fun > best:
            best, at = float(-found.fun), float(found.x)
    return best, at


def _work(course: Course, span: Span, springs: dict[str, Spring], friction: float) -> float:
    """Of the force against the motion over a stretch."""
    if all(piece.motion == "rest" for piece in span.pieces.values()):
        return 0.0

    def power(t: float) -> float:
        value = float(_against(course, span, springs, friction, np.array([t]))[0])
        return value if math.isfinite(value) else 0.0

    value, _ = quad(power, span.begin, span.end, limit=100, epsabs=0.0, epsrel=1e-9)
    return float(value) * course.speed
