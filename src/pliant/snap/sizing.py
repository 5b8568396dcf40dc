"""What a designer checks of a snap-fit's beam: its strain against the limit, and the handbook's force."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.snap.beam import strain, strain_limit
from pliant.snap.forces import load
from pliant.snap.handbook import deflection_force, mating_force
from pliant.snap.model import Fastener
from pliant.snap.peak import peak_of
from pliant.snap.springs import springs_of

if TYPE_CHECKING:
    from pliant.snap.result import Way


@dataclass(frozen=True)
class Strain:
    """The largest strain of a beam on its ways, and what it may have; None where no limit is given."""

    peak: float
    limit: float | None

    @property
    def exceeds(self) -> bool:
        """Whether it is too much."""
        return self.limit is not None and self.peak > self.limit

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"peak": self.peak, "limit": self.limit}


@dataclass(frozen=True)
class Ramp:
    """What the handbook gives for a pawl where a way takes its greatest force, and what is found there."""

    angle: float  # of the contact against the motion, without friction
    handbook: float
    found: float


def strains(model: Fastener, ways: Iterable[Way]) -> dict[str, Strain]:
    """Of every pawl that has a beam."""
    curves = [curve for way in ways for curve in way.curves]
    found: dict[str, Strain] = {}
    for pawl in model.pawls:
        if pawl.beam is not None:
            angle = max(float(np.abs(curve.angles[pawl.name]).max()) for curve in curves)
            found[pawl.name] = Strain(strain(pawl.beam, angle), strain_limit(pawl.beam))
    return found


def ramps(model: Fastener, way: Way) -> dict[str, Ramp]:
    """Of every pawl that has a beam and presses where a way takes its greatest force.

    The direction of the contact force is α + atan μ off the normal of the motion, which gives the ramp's α;
    the beam's force P across the motion is its torque over the lever along it.
    """
    peak = peak_of(model, way)
    if peak is None or way.blocked:
        return {}
    ahead = np.array([float(v) for v in peak.course.velocity]) / peak.course.speed
    springs, mu, at = springs_of(model), float(model.friction), np.array([peak.t])
    found: dict[str, Ramp] = {}
    for pawl in model.pawls:
        piece, path = peak.span.pieces.get(pawl.name), peak.course.paths[pawl.name]
        if pawl.beam is None or piece is None or not piece.contacts:
            continue
        pressed = load(path, piece, at, springs[pawl.name], mu)
        against, across = -pressed.force[0] @ ahead, _across(pressed.force[0], ahead)
        hinge = [float(h) + float(o) for h, o in zip(pawl.hinge, peak.course.offset, strict=True)]
        lever = pressed.place[0] - hinge - peak.t * peak.course.speed * ahead
        angle = float(np.arctan2(against, across) - np.arctan(mu))
        sideways = deflection_force(1.0, float(pressed.torque[0]), abs(float(lever @ ahead)))
        found[pawl.name] = Ramp(angle, float(mating_force(sideways, angle, mu)), float(against))
    return found


def _across(force: Any, ahead: Any) -> float:
    return abs(float(force[0] * ahead[1] - force[1] * ahead[0]))
