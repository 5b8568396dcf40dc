"""How the motors run: their angles along one path parameter t, and their rates in time.

t is 0 at the first pose that was asked for and 1 at the last. The drawn pose lies at `origin`:
on the path, or before it, where the motors first have to be brought to its beginning.

Source: [Bacher2015Supplement] section 1.2: φ_i = iΔφ, Δφ = 2π/n, or a profile of n angles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats
from pliant.linkage.model import Linkage, Motor

RESTS = 1e-12  # rad, or the unit of length: a motor that travels no further does not move


@dataclass(frozen=True)
class MotorDrive:
    """Motor angles, counted from the drawn pose, as broken lines over t."""

    knots: Floats  # (K,)
    at_knots: Floats  # (M, K)
    origin: float  # t of the drawn pose
    lowest: float  # t down to which it may run where it cannot go on upwards
    closed: bool  # the last pose is followed by the first
    samples: Floats  # (F,) of t
    seconds: float  # from t = 0 to t = 1
    profiled: bool

    def angles(self, t: Floats) -> Floats:
        """(M, F)."""
        return np.stack([np.interp(t, self.knots, row) for row in self.at_knots])

    def slopes(self, t: Floats) -> Floats:
        """dφ/dt (M, F), to the right of a knot."""
        at = np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, len(self.knots) - 2)
        return np.diff(self.at_knots, axis=1)[:, at] / np.diff(self.knots)[at]

    def rates(self, t: Floats) -> tuple[Floats, Floats]:
        """Angular velocities and accelerations in time, (M, F); of a profile, by a cubic spline."""
        if not self.profiled:
            speed = self.slopes(t) / self.seconds
            return speed, np.zeros_like(speed)
        from scipy.interpolate import CubicSpline  # slow to import, and seldom needed

        inside = self.knots >= 0
        spline = CubicSpline(self.knots[inside], self.at_knots[:, inside], axis=1, bc_type="not-a-knot")
        return spline(t, 1) / self.seconds, spline(t, 2) / self.seconds**2


def motor_drive(model: Linkage, samples: int) -> MotorDrive:
    """The path of a model's motors."""
    profiles = [motor.profile for motor in model.motors if motor.profile is not None]
    closed = not profiles and all(m.range is None and float(m.turns).is_integer() for m in model.motors)
    count = len(profiles[0]) if profiles else samples
    t = np.arange(count) / count if closed else np.linspace(0.0, 1.0, count)
    grid = t if profiles else np.array([0.0, 1.0])
    angles = np.stack([_angles(motor, grid) for motor in model.motors])
    free = not profiles and all(motor.range is None for motor in model.motors)
    knots, at_knots, origin = _with_origin(grid, angles, free)
    return MotorDrive(
        knots=knots,
        at_knots=at_knots,
        origin=origin,
        lowest=-1.0 if free else min(origin, 0.0),
        closed=closed,
        samples=t,
        seconds=_seconds(model, angles),
        profiled=bool(profiles),
    )


def _seconds(model: Linkage, angles: Floats) -> float:
    """Motors run in step: the one that takes longest at its own speed sets the time; 1 where all rest."""
    travel = np.abs(np.diff(angles, axis=1)).sum(axis=1)
    speeds = np.array([motor.speed for motor in model.motors])
    return float((travel / speeds).max()) if travel.max() > RESTS else 1.0


def _angles(motor: Motor, t: Floats) -> Floats:
    if motor.profile is not None:
        return np.array(motor.profile)
    low, high = motor.range or (0.0, 2 * np.pi * motor.turns)
    return low + (high - low) * t


def _with_origin(t: Floats, angles: Floats, free: bool) -> tuple[Floats, Floats, float]:
    """The path with the drawn pose, where every angle is 0, put on it or before it."""
    if free:  # may turn back as far as it was to go on
        return np.concatenate([-t[:0:-1], t]), np.concatenate([-angles[:, :0:-1], angles], axis=1), 0.0
    if (angles[:, 0] == 0).all():
        return t, angles, 0.0
    if len(t) == 2 and not angles[angles[:, 0] == angles[:, 1]].any():  # a motor at rest is at 0 all along
        first, last = angles[angles[:, 0] != angles[:, 1]].T
        zero = first / (first - last)
        if np.ptp(zero) <= 1e-12 and 0.0 <= zero[0] <= 1.0:
            return t, angles, float(zero[0])
    return np.insert(t, 0, -1.0), np.insert(angles, 0, 0.0, axis=1), -1.0
