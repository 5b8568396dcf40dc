"""The greatest force of a way: where it is, and what it is to any number of digits, each of them proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx

from pliant.snap.arithmetic.algebraic import Algebraic
from pliant.snap.arithmetic.numbers import as_algebraic
from pliant.snap.arithmetic.polynomials import fraction, rational
from pliant.snap.force.certified import certified_force
from pliant.snap.force.force_curve import ContactSpan, contact_spans, pawl_load
from pliant.snap.force.snap_trajectory import SnapTrajectory
from pliant.snap.model import Fastener
from pliant.snap.springs.spring import springs_of, stiffness_of
from pliant.snap.sweep.plan import Course

WITHIN = Fraction(1, 10**5)  # of a stretch: floats find a peak inside it nearer than that
THIRD = Fraction(1, 3)


@dataclass(frozen=True)
class ForcePeak:
    """Where the force against the motion is greatest: at a t of a course, in one of its stretches."""

    course: Course
    span: ContactSpan
    t: float

    @property
    def travel(self) -> float:
        """How far the root has gone on this course by then."""
        return abs(self.t - self.course.begins) * self.course.speed


@dataclass(frozen=True)
class CertifiedForce:
    """A ball that surely holds the force against the motion at an exact t, which is the peak's or next to it.

    Inside a stretch t is so near to the peak that the force differs by less than the digits asked for. Where
    the peak is at an event, whose t may be no fraction, it is a fraction as near to that.
    """

    t: Fraction
    force: arb

    def text(self, digits: int) -> str:
        """So many digits, and how far off they can be."""
        return self.force.str(digits).strip("[]").replace("+/-", "±")

    def to_dict(self, digits: int) -> dict[str, Any]:
        """Plain values: an exact fraction, and decimals that are certain up to a radius."""
        middle, _, radius = self.text(digits).partition(" ± ")
        return {"t_exact": str(self.t), "force": middle, "radius": radius or "0"}


def peak_of(model: Fastener, trajectory: SnapTrajectory) -> ForcePeak | None:
    """Where a way takes its greatest force; None where it is never pressed against."""
    course, curve = max(
        zip(trajectory.courses, trajectory.curves, strict=True), key=lambda entry: entry[1].peak
    )
    if curve.peak <= 0:
        return None
    near = 1e-9 * (abs(course.begins) + abs(course.ends))
    here = [s for s in contact_spans(course) if s.begin - near <= curve.peak_at <= s.end + near]
    # At an event the force can jump: the peak belongs to the stretch that has it.
    return ForcePeak(
        course, max(here, key=lambda s: _force_at(model, course, s, curve.peak_at)), curve.peak_at
    )


def _force_at(model: Fastener, course: Course, span: ContactSpan, t: float) -> float:
    at, friction = np.array([min(max(t, span.begin), span.end)]), float(model.friction)
    return sum(
        float(pawl_load(course.paths[name], span.pieces[name], at, spring, friction).high[0])
        for name, spring in springs_of(model).items()
        if name in span.pieces
    )


def is_provable(model: Fastener, peak: ForcePeak) -> bool:
    """Whether hinges alone press at a peak: the force of a bent beam is found by floats."""
    pressing = {name for name, piece in peak.span.pieces.items() if piece.contacts}
    return all(pawl.beam is None for pawl in model.pawls if pawl.name in pressing)


def certified_peak(model: Fastener, peak: ForcePeak, digits: int) -> CertifiedForce:
    """The force at the peak, right to so many digits.

    The enclosure is proved; that no other force is greater rests on the search by floats that found it.
    """

    def force(t: Fraction) -> arb:
        return _total(model, peak, t, digits + 3)

    begin, end = _ends(peak.span, Fraction(1, 10 ** (digits + 4)))
    window = (end - begin) * WITHIN
    if peak.t - peak.span.begin < window:
        t = begin
    elif peak.span.end - peak.t < window:
        t = end
    else:
        middle = Fraction(peak.t)
        t = _peak_time(force, middle - window, middle + window, digits)
    return CertifiedForce(t, force(t))


def _total(model: Fastener, peak: ForcePeak, t: Fraction, digits: int) -> arb:
    """The force against the motion of all pawls at a t; where flush contacts leave it open, the greatest."""
    forces: list[arb] = []
    for pawl in model.pawls:
        piece, spring = peak.span.pieces.get(pawl.name), (stiffness_of(model, pawl), pawl.preload)
        if piece is None or not piece.contacts:
            continue
        every = [
            certified_force(
                peak.course.paths[pawl.name],
                piece._replace(contacts=(pair,)),
                t,
                spring,
                model.friction,
                digits,
            ).against
            for pair in piece.contacts
        ]
        forces.append(max(every, key=lambda ball: float(ball.mid())))
    with ctx.workprec(int(3.33 * digits) + 64):
        return sum(forces[1:], forces[0])


def _ends(span: ContactSpan, near: Fraction) -> tuple[Fraction, Fraction]:
    """Fractions inside a stretch, as near to its ends as asked."""
    times = [as_algebraic(at.time) for piece in span.pieces.values() for at in (piece.start, piece.end)]
    begin = min(times, key=lambda time: abs(time.near - span.begin))
    end = min(times, key=lambda time: abs(time.near - span.end))
    return _neighbours(begin, near)[1], _neighbours(end, near)[0]


def _neighbours(time: Algebraic, near: Fraction) -> tuple[Fraction, Fraction]:
    """Fractions before and after a number."""
    time.refine(rational(near))
    return fraction(time.low) - near, fraction(time.high) + near


def _peak_time(force: Callable[[Fraction], arb], low: Fraction, high: Fraction, digits: int) -> Fraction:
    """Where a force with one peak between two t is highest: near enough for so many of its digits.

    At a peak it falls off with the square of the distance, so that half as many digits of t are enough.
    """
    fine = Fraction(1, 10 ** (digits // 2 + 4))
    while high - low > fine:
        left, right = low + (high - low) * THIRD, high - (high - low) * THIRD
        left, right = (t.limit_denominator(10 ** (digits + 10)) for t in (left, right))
        low, high = (left, high) if force(left).mid() < force(right).mid() else (low, right)
    return (low + high) / 2
