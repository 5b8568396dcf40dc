"""What a designer checks of a snap-fit's beam: its strain against the limit, and the handbook's force."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.core.arrays import Floats
from pliant.snap.force.force_curve import ForceCurve, pawl_angles, pawl_load
from pliant.snap.force.peak import ForcePeak, peak_of
from pliant.snap.force.snap_trajectory import SnapTrajectory
from pliant.snap.geometry.features import VERTEX
from pliant.snap.handbook.formulas import mating_force
from pliant.snap.handbook.strain import Strain
from pliant.snap.model import Fastener
from pliant.snap.springs.beam import handbook_stiffness, strain_limit
from pliant.snap.springs.spring import FREE, springs_of
from pliant.snap.sweep.path import Path, PathPiece


@dataclass(frozen=True)
class Ramp:
    """What the handbook gives for a pawl where a way takes its greatest force, and what is found there."""

    angle: float  # rad, of the ramp against the motion as it is drawn
    deflection: float  # how far this ramp pushes the nose aside at most, the undercut
    handbook: float  # N, along the motion
    found: float
    slope: float  # rad, by which the nose has turned
    bent: float  # rad, of the ramp against the motion, turned with the nose where it is the nose's

    def to_dict(self) -> dict[str, Any]:
        """Plain values; a force without bound is None."""
        return {key: value if math.isfinite(value) else None for key, value in vars(self).items()}


def strains(model: Fastener, ways: Iterable[SnapTrajectory]) -> dict[str, Strain]:
    """Of every pawl that has a beam, along its ways; the strain of its preload is in it."""
    return strains_along(model, [curve for trajectory in ways for curve in trajectory.curves])


def strains_along(model: Fastener, curves: Iterable[ForceCurve]) -> dict[str, Strain]:
    """The same along any courses."""
    every = list(curves)
    strains: dict[str, Strain] = {}
    for pawl in model.pawls:
        if pawl.beam is not None:
            peak = max((float(curve.strains[pawl.name].max()) for curve in every), default=0.0)
            slope = max((float(np.abs(curve.slopes[pawl.name]).max()) for curve in every), default=0.0)
            strains[pawl.name] = Strain(peak, strain_limit(pawl.beam), slope)
    return strains


def ramps(model: Fastener, trajectory: SnapTrajectory) -> dict[str, Ramp]:
    """Of every pawl that has a beam and presses where a way takes its greatest force.

    The handbook bends the beam by how far its nose is pushed aside, y, and takes the ramp as it is drawn:
    P = 3 EI y/L³, W = P tan(α + ρ). Found is the force of the beam with its nose turned, bent by all of it.
    """
    peak = peak_of(model, trajectory)
    if peak is None or not math.isfinite(trajectory.peak_force):
        return {}
    ahead = np.array([float(v) for v in peak.course.velocity]) / peak.course.speed
    springs, mu, at = springs_of(model), float(model.friction), np.array([peak.t])
    by_pawl: dict[str, Ramp] = {}
    for pawl in model.pawls:
        piece, path = peak.span.pieces.get(pawl.name), peak.course.paths[pawl.name]
        if pawl.beam is None or piece is None or not piece.contacts:
            continue
        pressed = pawl_load(path, piece, at, springs[pawl.name], mu)
        aside = _undercut(path, piece, peak, ahead)
        across = handbook_stiffness(model, pawl, float(pressed.strain[0])) * aside
        angle, slope = _drawn_ramp_angle(path, piece, ahead), float(pressed.slope[0])
        against, sideways = -pressed.force[0] @ ahead, abs(_cross(pressed.force[0], ahead))
        bent = float(np.arctan2(against, sideways) - np.arctan(mu))
        handbook = float(mating_force(across, angle, mu))
        by_pawl[pawl.name] = Ramp(angle, aside, handbook, float(against), slope, bent)
    return by_pawl


def _undercut(path: Path, piece: PathPiece, peak: ForcePeak, ahead: Floats) -> float:
    """How far the ramp that has the peak pushes the nose aside at most: the handbook's undercut."""
    ends = peak.course.ends
    alike = [each for each in path.pieces if each.contacts[:1] == piece.contacts[:1] and each.start.t <= ends]
    return max(
        abs(_deflection(path, each, t, ahead))
        for each in alike
        for t in (each.start.t, min(each.end.t, ends))
    )


def _deflection(path: Path, piece: PathPiece, t: float, ahead: Floats) -> float:
    """How far the point of the pawl that touches is from where it would be at rest, across the motion."""
    load = pawl_load(path, piece, np.array([t]), FREE, 0.0)
    hinge, turned = path.scene.bodies.hinge, float(pawl_angles(path, piece, np.array([t]))[0])
    arm = load.place[0] - np.array([hinge.x + hinge.vx * t, hinge.y + hinge.vy * t])
    cosine, sine = math.cos(turned), math.sin(turned)
    rest = np.array([cosine * arm[0] + sine * arm[1], cosine * arm[1] - sine * arm[0]])
    return _cross(ahead, arm - rest)


def _drawn_ramp_angle(path: Path, piece: PathPiece, ahead: Floats) -> float:
    """The angle of the edge that slides against the motion, as it is drawn, from 0 to 90 degrees."""
    kind, i, j = piece.contacts[0]
    rigid, field = path.scene.bodies.pawl, path.scene.bodies.obstacles
    if kind == VERTEX:
        k = field.following[j]
        edge = np.array([field.x[k] - field.x[j], field.y[k] - field.y[j]])
    else:
        k = (i + 1) % len(rigid.x)
        edge = np.array([rigid.x[k] - rigid.x[i], rigid.y[k] - rigid.y[i]])
    return math.atan2(abs(_cross(edge, ahead)), abs(float(edge @ ahead)))


def _cross(one: Floats, other: Floats) -> float:
    return float(one[0] * other[1] - one[1] * other[0])
