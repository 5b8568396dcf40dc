"""Forces along a motion: on each pawl, on the root, and what it takes to move it.

Source: [DonaldPai1993] Appendix A. Differs: their Prop. A.1 (peaks at segment ends only) holds for type B;
on type A the lever changes with the angle and the peak can be inside, so that it is searched for.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.snap.force import contact_force as column
from pliant.snap.force.contact_force import (
    BRIEF,
    SAMPLES,
    WEAK,
    CourseForces,
    CourseTables,
    PawlTable,
    PieceTable,
    contact_forces,
    course_forces,
    forces_at,
)
from pliant.snap.geometry.contact_curves import contact_curve
from pliant.snap.geometry.features import FeaturePair
from pliant.snap.springs.spring import FREE, PawlSpring
from pliant.snap.sweep.friction_cone import friction_cone, friction_terms, is_locked
from pliant.snap.sweep.path import Path, PathPiece
from pliant.snap.sweep.plan import Course


def _nodes(count: int) -> Floats:
    """Phases of a stretch at which work is summed up, and their weights."""
    places, weights = np.polynomial.legendre.leggauss(count)
    phases = 0.5 * math.pi * (places + 1)
    return np.stack([phases, 0.5 * math.pi * weights * np.sin(phases)])


def _sample_weights() -> Floats:
    """The phases of a stretch's samples, and the weights of their sum (Clenshaw and Curtis's)."""
    last = SAMPLES - 1
    phases, even = np.linspace(0.0, math.pi, SAMPLES), np.arange(0, last + 1, 2)
    shares = np.where((even == 0) | (even == last), 0.5, 1.0) * 2 / (1 - even**2)
    weights = 2 / last * np.cos(np.outer(phases, even)) @ shares
    weights[[0, -1]] /= 2
    return np.stack([phases, weights])


def _sample_integrals() -> Floats:
    """Sums of a stretch's samples that are integrals up to each of them, over half of its length."""
    places = -np.cos(np.linspace(0.0, math.pi, SAMPLES))
    every = np.polynomial.chebyshev.chebint(np.eye(SAMPLES), lbnd=-1.0)
    risen = np.polynomial.chebyshev.chebvander(places, SAMPLES) @ every
    return risen @ np.linalg.inv(np.polynomial.chebyshev.chebvander(places, SAMPLES - 1))


NODES, FEWER = _nodes(40), _sample_weights()
UP_TO = _sample_integrals()
HALVINGS = 30
NO_TORQUE = 1e-9  # of a spring's torque at a radian, or its preload: a torque that is none
MANY = 40  # stretches: so many are short, and their samples are nodes enough


@dataclass(frozen=True)
class PawlLoad:
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
    strain: Floats  # (K,) of a beam, 0 without
    slope: Floats  # (K,) rad, how far the nose has turned: of a beam more than the pawl that stands for it


def pawl_angles(path: Path, piece: PathPiece, t: Floats) -> Floats:
    """A pawl's angle in radians at moments within a piece."""
    if piece.motion != "arc":
        return np.full(len(t), piece.turn * math.pi + 2 * math.atan(piece.start.angle))
    return _contact_forces(path, piece, piece.contacts[0], t, FREE, 0.0)[:, column.ANGLE]


def pawl_load(path: Path, piece: PathPiece, t: Floats, spring: PawlSpring, friction: float) -> PawlLoad:
    """The forces on a pawl at moments within a piece."""
    if not piece.contacts:
        none = np.zeros(len(t))
        vectors = np.zeros((len(t), 2))
        return PawlLoad(vectors, vectors, none, none, none, none, none, pawl_angles(path, piece, t))
    first = _contact_forces(path, piece, piece.contacts[0], t, spring, friction)
    shares = [first[:, column.AGAINST]]
    shares += [
        _contact_forces(path, piece, pair, t, spring, friction)[:, column.AGAINST]
        for pair in piece.contacts[1:]
    ]
    low, high = (shares[0],) * 2 if len(shares) == 1 else (np.min(shares, axis=0), np.max(shares, axis=0))
    force, place = (
        first[:, column.FORCE_X : column.FORCE_Y + 1],
        first[:, column.PLACE_X : column.PLACE_Y + 1],
    )
    strain, slope = first[:, column.STRAIN], first[:, column.SLOPE]
    return PawlLoad(force, place, first[:, column.TORQUE], shares[0], low, high, strain, slope)


def _contact_forces(
    path: Path, piece: PathPiece, pair: FeaturePair, t: Floats, spring: PawlSpring, friction: float
) -> Floats:
    """What `contact_forces` finds for one contact of a piece."""
    scene, arc = path.scene, piece.motion == "arc"
    low, high = sorted((piece.start.angle, piece.end.angle)) if arc else (piece.start.angle,) * 2
    span = (piece.start.t, piece.end.t, low, high)
    return contact_forces(pair, piece.turn, arc, span, t, spring.row, friction, scene.bodies)


@dataclass(frozen=True)
class ContactSpan:
    """A stretch of t in which no pawl changes its contact: a piece of each."""

    begin: float
    end: float
    pieces: dict[str, PathPiece]


def contact_spans(course: Course) -> list[ContactSpan]:
    """The stretches of a course, in order of t."""
    edges = _contact_changes(course).tolist()
    starts = {name: [piece.start.t for piece in path.pieces] for name, path in course.paths.items()}
    spans: list[ContactSpan] = []
    for begin, end in pairwise(edges):
        if end - begin > BRIEF * (course.ends - course.begins):
            held = {
                name: _piece_at(path, starts[name], 0.5 * (begin + end))
                for name, path in course.paths.items()
            }
            spans.append(
                ContactSpan(begin, end, {name: piece for name, piece in held.items() if piece is not None})
            )
    return spans


def _piece_at(path: Path, starts: Sequence[float], t: float) -> PathPiece | None:
    """The piece that a t strictly between events is in."""
    place = bisect_right(starts, t) - 1
    return path.pieces[place] if place >= 0 and t <= path.pieces[place].end.t else None


@dataclass(frozen=True)
class ForceCurve:
    """Forces along a course: against the motion, in all and by pawl, with its range, and the peak."""

    t: Floats
    total: Floats
    low: Floats
    high: Floats
    pawls: dict[str, Floats]
    angles: dict[str, Floats]
    strains: dict[str, Floats]  # of beams, 0 of others
    slopes: dict[str, Floats]  # rad, of noses; of a hinge its angle
    force: Floats  # (K, 2) on the root by the pawls, in all
    torque: Floats  # (K,) on the root, about the point asked for
    peak: float
    peak_at: float
    work: float
    spent: Floats  # (K,) work up to each moment
    locked: str = ""  # the pawl whose beam no force bends so far, from `peak_at` on


def force_curve(
    course: Course, springs: dict[str, PawlSpring], friction: float, about: Sequence[float]
) -> ForceCurve:
    """The forces along a course, with peaks found where they are, inside a stretch too."""
    (right, up), (vx, vy) = course.offset, course.velocity
    centre = np.array([about[0] + float(right), about[1] + float(up), float(vx), float(vy)])
    tables = _tables(course, springs, friction)
    marks = _contact_changes(course)
    forces = course_forces(marks, tables, centre, NODES if len(marks) < MANY else FEWER)
    if not len(forces.t):
        return _empty_curve(course, springs)
    pole = _force_pole(course, springs, forces, friction)
    t, sums, by_pawl, spent = forces.t, forces.sums, forces.by_pawl, _work_so_far(course, springs, forces)
    place = int(np.searchsorted(t, forces.peak_at))
    if pole is None and forces.peak > 0 and not (place < len(t) and t[place] == forces.peak_at):
        # the samples hold the peak
        sum_there, each_there = forces_at(forces.peak_at, forces.held[forces.stretch], tables, centre)
        t = np.insert(t, place, forces.peak_at)
        sums, by_pawl = np.insert(sums, place, sum_there[0], 0), np.insert(by_pawl, place, each_there[0], 0)
        spent = np.insert(spent, place, np.interp(forces.peak_at, forces.t, spent))
    each = {name: by_pawl[:, p] for p, name in enumerate(springs)}
    return ForceCurve(
        t=t,
        total=sums[:, column.TOTAL],
        low=sums[:, column.LOW],
        high=sums[:, column.HIGH],
        pawls={name: rows[:, column.OF_FORCE] for name, rows in each.items()},
        angles={name: rows[:, column.OF_ANGLE] for name, rows in each.items()},
        strains={
            name: np.maximum(rows[:, column.OF_STRAIN], springs[name].held_strain)
            for name, rows in each.items()
        },
        slopes={name: rows[:, column.OF_SLOPE] for name, rows in each.items()},
        force=sums[:, column.X : column.Y + 1],
        torque=sums[:, column.ROUND],
        peak=forces.peak if pole is None else math.inf,
        peak_at=forces.peak_at if pole is None else pole,
        work=math.inf
        if course.cause == "lock"
        else forces.work * course.speed + float(_beam_shift_work(forces, springs)[-1]),
        spent=spent,
        locked=_first_locked_beam(forces, springs),
    )


def _first_locked_beam(forces: CourseForces, springs: dict[str, PawlSpring]) -> str:
    """The first pawl whose beam no force bends as far as it would have to; "" without."""
    ends = {
        name: int(np.argmax(~np.isfinite(forces.by_pawl[:, p, column.OF_FORCE])))
        for p, (name, spring) in enumerate(springs.items())
        if spring.beam and not np.isfinite(forces.by_pawl[:, p, column.OF_FORCE]).all()
    }
    return min(ends, key=lambda name: ends[name], default="")


def beam_lock_time(course: Course, name: str, spring: PawlSpring, friction: float, before: float) -> float:
    """The t from which on no force bends a pawl's beam as far as it would have to, at or before a t."""
    path = course.paths[name]
    held = [piece for piece in path.pieces if piece.start.t <= before and piece.contacts]
    low, high = held[-1].start.t, min(before, held[-1].end.t)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        bends = bool(np.isfinite(pawl_load(path, held[-1], np.array([middle]), spring, friction).against[0]))
        low, high = (middle, high) if bends else (low, middle)
    return low


def _work_so_far(course: Course, springs: dict[str, PawlSpring], forces: CourseForces) -> Floats:
    """(K,) what the force against the motion has done up to each sample, as far as it is bounded."""
    pushed = np.where(np.isfinite(forces.sums[:, column.HIGH]), forces.sums[:, column.HIGH], 0.0).reshape(
        -1, SAMPLES
    )
    risen = 0.5 * np.diff(forces.edges, axis=1) * (pushed @ UP_TO.T)
    before = np.concatenate([[0.0], np.cumsum(risen[:-1, -1])])
    return course.speed * (before[:, None] + risen).ravel() + _beam_shift_work(forces, springs)


def _beam_shift_work(forces: CourseForces, springs: dict[str, PawlSpring]) -> Floats:
    """(K,) what the force of beams does where the root is further than with a rigid pawl, so far: ∫ F dS.

    At a change of contact the force turns about the nose, and the root goes on by what S jumps; at a snap it
    does not.
    """
    total = np.zeros(len(forces.t))
    for p, spring in enumerate(springs.values()):
        force, shift = forces.by_pawl[:, p, column.OF_FORCE], forces.by_pawl[:, p, column.OF_SHIFT]
        if spring.beam:
            force = np.where(np.isfinite(force), force, 0.0)
            steps = 0.5 * (force[1:] + force[:-1]) * np.diff(shift)
            held = np.abs(np.diff(forces.by_pawl[:, p, column.OF_ANGLE])) <= 1e-9
            held |= np.arange(1, len(force)) % SAMPLES != 0
            total[1:] += np.cumsum(np.where(held, steps, 0.0))
    return total


def peak_and_strains(
    course: Course, springs: dict[str, PawlSpring], friction: float
) -> tuple[float, dict[str, float]]:
    """The greatest force against the motion, infinite if without bound, and the strain of each pawl."""
    forces = course_forces(
        _contact_changes(course), _tables(course, springs, friction), np.zeros(4), NODES[:, :0]
    )
    peak = forces.peak if _force_pole(course, springs, forces, friction) is None else math.inf
    strained = forces.by_pawl[:, :, column.OF_STRAIN].max(axis=0, initial=0.0).tolist()
    held = (spring.held_strain for spring in springs.values())
    return peak, dict(zip(springs, map(max, strained, held), strict=True))


def peak_force(course: Course, springs: dict[str, PawlSpring], friction: float) -> float:
    """The greatest force against the motion alone; infinite where it is without bound."""
    return peak_and_strains(course, springs, friction)[0]


def _force_pole(
    course: Course, springs: dict[str, PawlSpring], forces: CourseForces, friction: float
) -> float | None:
    """The t of the first pole of the force, where a contact that resists points at the hinge; None without.

    Only without friction is there a way past one: with any, the contact locks. The samples there become
    infinite. Where torque and lever vanish together it is no pole. A beam that no force bends so far has one
    wherever that is.
    """
    beams = [p for p, spring in enumerate(springs.values()) if spring.beam]
    locked = np.flatnonzero(~np.isfinite(forces.by_pawl[:, beams, column.OF_FORCE]).all(axis=1))
    if len(locked):
        return float(forces.t[locked[0]])
    if friction != 0.0 or not len(forces.t):
        return None
    ends = np.arange(len(forces.edges)) * SAMPLES
    pieces = [piece for name in springs for piece in course.paths[name].pieces]
    first: float | None = None
    for p, (name, spring) in enumerate(springs.items()):
        if spring.beam:
            continue
        for late, rows in enumerate((ends, ends + SAMPLES - 1)):
            weak = (forces.held[:, p] >= 0) & (forces.by_pawl[rows, p, column.OF_LEVER] <= WEAK)
            for k in np.flatnonzero(weak).tolist():
                piece, row = pieces[forces.held[k, p]], rows[k]
                if piece.contacts and _is_toggle(course.paths[name], piece, bool(late), spring):
                    forces.sums[row, [column.TOTAL, column.LOW, column.HIGH]] = forces.by_pawl[
                        row, p, column.OF_FORCE
                    ] = math.inf
                    t = float(forces.t[row])
                    first = t if first is None else min(first, t)
    return first


def _is_toggle(path: Path, piece: PathPiece, late: bool, spring: PawlSpring) -> bool:
    """Whether every contact of a piece resists without a lever at one of its ends, against a torque.

    The angle is that of the event: where the torque vanishes there, a sample's would be rounding.
    """
    point, scene = piece.end if late else piece.start, path.scene
    angle = point.turn * math.pi + 2 * math.atan(point.angle)
    torque, most = spring.stiffness * angle - spring.preload, spring.stiffness + abs(spring.preload)
    if abs(torque) <= NO_TORQUE * most:
        return False
    grips = [
        friction_terms(scene, contact_curve(scene, pair, piece.turn), piece.turn) for pair in piece.contacts
    ]
    return all(is_locked(point, contact, friction_cone(scene, contact, Fraction(0))) for contact in grips)


def _empty_curve(course: Course, springs: dict[str, PawlSpring]) -> ForceCurve:
    """A course that ended where it began."""
    none = np.zeros(1)
    by_pawl = dict.fromkeys(springs, none)
    t = np.array([course.begins])
    force = np.zeros((1, 2))
    by, strains = by_pawl, {name: none + spring.held_strain for name, spring in springs.items()}
    return ForceCurve(t, none, none, none, by, by, strains, by, force, none, 0.0, course.begins, 0.0, none)


def _contact_changes(course: Course) -> Floats:
    """When a pawl changes its contact, and the course's ends, in order."""
    begin, end = course.begins, course.ends
    marks = {begin, end}
    for path in course.paths.values():
        for piece in path.pieces:
            marks |= {m for m in (piece.start.t, piece.end.t) if begin < m < end}
    return np.array(sorted(marks))


def _tables(course: Course, springs: dict[str, PawlSpring], friction: float) -> CourseTables:
    """The sprung pawls of a course and their pieces, as `contact_force` reads them."""
    paths = [course.paths[name] for name in springs]
    scenes = [path.scene for path in paths]
    pieces = [piece for path in paths for piece in path.pieces]
    pairs = [pair for piece in pieces for pair in piece.contacts]
    firsts = accumulate([len(piece.contacts) for piece in pieces], initial=0)
    charts = [(piece.motion == "arc", piece.turn, next(firsts)) for piece in pieces]
    table = PieceTable(
        first=_starts([len(path.pieces) for path in paths]),
        spans=np.array([_span(piece) for piece in pieces]).reshape(-1, 4),
        charts=np.array([*charts, (0, 0, len(pairs))]),
        pairs=np.array(pairs, np.int64).reshape(-1, 3),
    )
    pawls = PawlTable(
        first=_starts([len(scene.bodies.pawl.x) for scene in scenes]),
        x=np.concatenate([scene.bodies.pawl.x for scene in scenes]),
        y=np.concatenate([scene.bodies.pawl.y for scene in scenes]),
        convex=np.concatenate([scene.bodies.pawl.convex for scene in scenes]),
        ways=np.array([scene.bodies.hinge for scene in scenes]),
        springs=np.array([spring.row for spring in springs.values()]),
    )
    return CourseTables(table, pawls, scenes[0].bodies.obstacles, friction)


def _span(piece: PathPiece) -> tuple[float, float, float, float]:
    """A piece's times, and the u it is between."""
    first, last = piece.start.angle, piece.end.angle if piece.motion == "arc" else piece.start.angle
    return piece.start.t, piece.end.t, min(first, last), max(first, last)


def _starts(counts: Sequence[int]) -> Ints:
    """Where each of some lists begins when they are put together, and where the last ends."""
    return np.array([0, *accumulate(counts)])
