"""What comes back from a fastener: the way in and back, event by event, and the forces along it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pliant.core.motion import Motion
from pliant.core.plot import Plot
from pliant.core.store import model_hash, sayable, version
from pliant.snap.arithmetic.text import exact_text
from pliant.snap.force.force_curve import Curve
from pliant.snap.force.lock_friction import Threshold
from pliant.snap.geometry.scene import Obstacles
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.questions.diode.classification import Diode
from pliant.snap.questions.knife_edge import KnifeEdge
from pliant.snap.questions.search import Design
from pliant.snap.questions.stability import Margin
from pliant.snap.questions.uncertainty import Outcomes
from pliant.snap.status import SnapStatus
from pliant.snap.sweep.contact_names import Contact
from pliant.snap.sweep.plan import ROOT, Course, elapsed, ended_at
from pliant.view.shown import Shown


@dataclass(frozen=True)
class Event:
    """Something that happened to a pawl, or the root."""

    t: float  # since the way began
    travel: float  # of the root since then
    at: float  # the leg's own t: on the way back it falls
    kind: str
    pawl: str
    angle: float
    contacts: tuple[Contact, ...]
    exact: str  # t, a rational number or a root of a polynomial; "" where it is a sum of roots
    at_exact: str  # the leg's t

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "t": self.t,
            "travel": self.travel,
            "at": self.at,
            "t_exact": self.exact,
            "at_exact": self.at_exact,
            "kind": self.kind,
            "pawl": self.pawl,
            "angle": self.angle,
            "contact": [str(contact) for contact in self.contacts],
        }


@dataclass(frozen=True)
class Way:
    """One way along the plan: its courses, events and forces."""

    status: SnapStatus
    courses: tuple[Course, ...]
    events: tuple[Event, ...]
    curves: tuple[Curve, ...]  # of forces, one a course
    threshold: Threshold | None  # the friction from which on it would lock; None if it never does
    passes: bool  # whether it would go all the way, or sit down, without friction

    @property
    def last(self) -> Course:
        """The course that ended it."""
        return self.courses[-1]

    @property
    def blocked(self) -> bool:
        """Whether a pawl ended it."""
        return self.status in BLOCKED

    @property
    def travel(self) -> float:
        """How far the root went."""
        return sum(course.travel for course in self.courses)

    @property
    def peak(self) -> float:
        """The greatest force against the motion before it ended."""
        return max((curve.peak for curve in self.curves), default=0.0)

    @property
    def peak_force(self) -> float:
        """The force it takes; infinite where a pawl locks or jams."""
        return math.inf if self.blocked else self.peak

    @property
    def peak_at(self) -> tuple[float, float]:
        """Where it takes the greatest force: t since the way began, and how far the root had gone by then."""
        number = max(range(len(self.curves)), key=lambda k: self.curves[k].peak)
        before, course = self.courses[:number], self.courses[number]
        since = self.curves[number].peak_at - course.begins
        t = sum(each.ends - each.begins for each in before) + since
        return t, sum(each.travel for each in before) + since * course.speed

    @property
    def cause(self) -> str:
        """What ended it: "seat" where the root sat down."""
        return "seat" if self.last.by == ROOT else self.last.cause

    @property
    def work(self) -> float:
        """Done on the way; 0 where what was put in came back, up to rounding."""
        done = sum(curve.work for curve in self.curves)
        largest = sum(float(np.abs(curve.spent).max()) for curve in self.curves)
        return 0.0 if abs(done) <= ROUNDING * largest else done

    @property
    def duration(self) -> float:
        """Of t."""
        return sum(course.ends - course.begins for course in self.courses)

    @property
    def angles(self) -> dict[str, float]:
        """Of every pawl at the end."""
        paths = {
            name: ended_at(path, self.last.end) for name, path in self.last.paths.items() if name != ROOT
        }
        return {name: path.end.turn * math.pi + 2 * math.atan(path.end.angle) for name, path in paths.items()}

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        force = self.curves
        return {
            "status": self.status.name.lower(),
            "events": [event.to_dict() for event in self.events],
            "end": {
                "t": self.duration,
                "travel": self.travel,
                "t_exact": exact_text(elapsed(self.courses, len(self.courses) - 1, self.last.end)),
                "cause": self.cause,
                "pawl": self.last.by,
                "angles": self.angles,
            },
            "force": {
                "t": joined_times(self),
                "insertion": [v for curve in force for v in finite(curve.total.tolist())],
                "low": [v for curve in force for v in finite(curve.low.tolist())],
                "high": [v for curve in force for v in finite(curve.high.tolist())],
                "pawls": {
                    name: [v for curve in force for v in finite(curve.pawls[name].tolist())]
                    for name in force[0].pawls
                },
                "x": [v for curve in force for v in finite(curve.force[:, 0].tolist())],
                "y": [v for curve in force for v in finite(curve.force[:, 1].tolist())],
                "torque": [v for curve in force for v in finite(curve.torque.tolist())],
            },
            "peak_force": self.peak_force if math.isfinite(self.peak_force) else None,
            "peak": self._peak_told(),
            "work": None if self.blocked else self.work,
            "lock_friction": None if self.threshold is None else self.threshold.value,
            "lock_friction_exact": None if self.threshold is None else exact_text(self.threshold.friction),
        }

    def _peak_told(self) -> dict[str, Any] | None:
        """The greatest force and where it is; None where nothing presses against it, or it is blocked."""
        if self.blocked or self.peak <= 0:
            return None
        t, travel = self.peak_at
        bounded = math.isfinite(self.peak)
        return {"force": self.peak if bounded else None, "bounded": bounded, "t": t, "travel": travel}


ROUNDING = 1e-9  # of the work that went to and fro: what is left of it is none
BLOCKED = (SnapStatus.JAMMED, SnapStatus.STOPPED, SnapStatus.STUCK, SnapStatus.DEAD_CENTRE)


def joined_times(way: Way) -> list[float]:
    """The t since the way began, of every sample of its forces."""
    found: list[float] = []
    before = 0.0
    for course, curve in zip(way.courses, way.curves, strict=True):
        found += (curve.t - course.begins + before).tolist()
        before += course.ends - course.begins
    return found


def finite(values: list[float]) -> list[float | None]:
    """Forces without bound as None, which JSON can say, and 0 without a sign."""
    return [value + 0.0 if math.isfinite(value) else None for value in values]


@dataclass(frozen=True, repr=False, eq=False)
class SnapResult(Shown):
    """A fastener's way in, and what else was asked for."""

    model: Fastener
    study: SnapStudy
    fixed: Obstacles
    way_in: Way
    way_back: Way | None
    remarks: tuple[str, ...]
    seconds: Mapping[str, float]
    diode: Diode | None = None  # asked for by `classify`
    outcomes: Outcomes | None = None  # by `uncertain`
    margins: tuple[Margin, ...] = ()  # by `stability`
    design: Design | None = None  # by `search`
    knife_edge: KnifeEdge | None = None  # corner meets corner: the ways are those of the side that goes in

    @property
    def status(self) -> SnapStatus:
        """How the way in ended; that it depends on the side, where corner meets corner."""
        return self.way_in.status if self.knife_edge is None else SnapStatus.KNIFE_EDGE

    @property
    def ways(self) -> tuple[Way, ...]:
        """The way in, and the way back where there is one."""
        return (self.way_in,) if self.way_back is None else (self.way_in, self.way_back)

    @property
    def digits(self) -> int:
        """How many digits of the peak forces are to be proved: those asked for, of exact events."""
        asked = "digits" in self.study.model_fields_set and self.study.arithmetic == "exact"
        return self.study.digits if asked else 0

    @property
    def events(self) -> tuple[Event, ...]:
        """Of the way in."""
        return self.way_in.events

    @property
    def peak_force(self) -> float:
        """Of the way in."""
        return self.way_in.peak_force

    @property
    def alerts(self) -> tuple[str, ...]:
        """What a designer must notice beside the status, in a few words each."""
        from pliant.snap.report import alerts

        return tuple(alerts(self))

    @cached_property
    def motion(self) -> Motion:
        """What every view shows."""
        from pliant.snap.drawing import picture

        return picture(self)

    def plots(self) -> dict[str, Plot]:
        """Charts of the motion."""
        from pliant.snap.charts import plots

        return plots(self)

    def summary(self) -> str:
        """The answer in words."""
        from pliant.snap.report import summary

        return summary(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, for JSON."""
        from pliant.snap.force.sizing import strains
        from pliant.snap.report import sentence

        data = {
            "kind": "fastener",
            "command": "snap",
            "status": self.status.name.lower(),
            "message": sentence(self),
            "seconds": dict(self.seconds),
            "version": version(),
            "model": model_hash(self.model),
            "arithmetic": self.study.arithmetic,
            **{key: value for key, value in self._told(self.way_in).items() if key != "status"},
            "strain": {name: found.to_dict() for name, found in strains(self.model, self.ways).items()},
            "back": None if self.way_back is None else self._told(self.way_back),
            "knife_edge": None if self.knife_edge is None else self.knife_edge.to_dict(),
            "diode": None if self.diode is None else self.diode.to_dict(),
            "outcomes": None if self.outcomes is None else self.outcomes.to_dict(),
            "margins": [margin.to_dict() for margin in self.margins],
            "design": None if self.design is None else self.design.to_dict(),
            "remarks": list(self.remarks),
        }
        return {**sayable(data), "motion": self.motion.to_dict()}

    def _told(self, way: Way) -> dict[str, Any]:
        """A way, with what is worked out from its peak."""
        from pliant.snap.force.peak import certified, peak_of, provable
        from pliant.snap.force.sizing import ramps

        asked = self.digits and math.isfinite(way.peak_force)
        peak = peak_of(self.model, way) if asked else None
        proved = None
        if peak is not None and provable(self.model, peak):
            proved = certified(self.model, peak, self.digits).to_dict(self.digits)
        found = ramps(self.model, way)
        handbook = dict(zip(found, finite([ramp.handbook for ramp in found.values()]), strict=True))
        beams = {name: ramp.to_dict() for name, ramp in found.items()}
        return {**way.to_dict(), "peak_certified": proved, "handbook": handbook, "ramps": beams}
