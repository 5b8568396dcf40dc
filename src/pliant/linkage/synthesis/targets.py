"""The curve or the points that a linkage shall trace, made ready to compare with."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import shapely
from scipy.interpolate import CubicSpline

from pliant.core.arrays import Complex, Floats
from pliant.core.errors import PliantError

FEW = 40  # points that are passed one by one: nobody draws a curve with so few
SAMPLES = 64  # along a target, a power of two for the Fourier transform
LONG = 1 / 12  # of the whole length: a straight piece longer than that is filled with points
LARGEST = 6.0  # a linkage, over the target's size
FLATTEST = (
    0.9995  # greatest |c| (see `rules.fill_openness`) of a linkage that is offered: 1.8 degrees from flat
)
MOST = 160  # points that a fit looks at


@dataclass(frozen=True)
class PathTarget:
    """A curve (or points to pass) as complex numbers, moved to the origin and scaled to size 1."""

    given: Floats  # (K, 2) as the user gave them
    closed: bool
    through: bool  # pass the given points; what lies between is free
    centre: complex
    size: float  # diameter of the smallest circle around what was given
    samples: Complex  # (SAMPLES,) evenly along it; a closed one does not repeat its first
    points: Complex  # (Q,) what a fit looks at
    weights: Floats  # (Q,) share of the length that each stands for; they sum to 1
    fractions: Floats  # (Q,) how far along each is, from 0 to 1
    flattest: float = FLATTEST  # the greatest cosine of a transmission angle on the way
    largest: float = LARGEST  # a linkage, over the size

    @property
    def radius(self) -> float:
        """Root-mean-square distance of the samples from their mean."""
        return float(np.std(self.samples))


def path_target(
    points: Any,
    *,
    closed: bool,
    through: bool | None = None,
    transmission: float | None = None,
    largest: float | None = None,
) -> PathTarget:
    """Check the points (K, 2) and prepare them. Up to forty points are passed, more are a drawn curve.

    A linkage has no smaller transmission angle (rad) and is no larger (over the size) than given.
    """
    given = _check_points(points, closed)
    through = len(given) <= FEW if through is None else through
    size, centre = 2 * _radius(given), complex(*given.mean(axis=0))
    z = (as_complex(given) - centre) / size
    line, place = _smooth(z, closed) if through else (z, np.arange(len(z), dtype=np.float64))
    along = _lengths(line, closed)
    ends = np.arange(SAMPLES) / (SAMPLES if closed else SAMPLES - 1)
    looked = place if through else _fit_indices(along, closed)
    fractions = np.interp(looked, np.arange(len(along)), along / along[-1])
    return PathTarget(
        given=given,
        closed=closed,
        through=through,
        centre=centre,
        size=size,
        samples=_at(line, along, ends * along[-1], closed),
        points=_interpolate(line, looked, closed),
        weights=np.full(len(looked), 1 / len(looked)) if through else _shares(fractions, closed),
        fractions=fractions,
        flattest=FLATTEST if transmission is None else min(float(np.cos(transmission)), FLATTEST),
        largest=LARGEST if largest is None else largest,
    )


def as_complex(points: Floats) -> Complex:
    """Points (…, 2) as complex numbers."""
    return np.asarray(points[..., 0] + 1j * points[..., 1], np.complex128)


def as_points(z: Complex) -> Floats:
    """Complex numbers as points (…, 2)."""
    return np.stack([z.real, z.imag], axis=-1)


def _check_points(points: Any, closed: bool) -> Floats:
    try:
        given = np.array(points, np.float64)
    except (TypeError, ValueError):
        raise PliantError("the target is no list of points. Give pairs of numbers, [[x, y], …].") from None
    if given.ndim != 2 or given.shape[1] != 2:
        raise PliantError(f"the target has shape {given.shape}. Give pairs of numbers, [[x, y], …].")
    if not np.isfinite(given).all():
        row = int(np.flatnonzero(~np.isfinite(given).all(axis=1))[0])
        raise PliantError(f"point {row} of the target is {given[row].tolist()}. Give finite numbers.")
    stays = (np.diff(given, axis=0) == 0).all(axis=1)
    given = given[np.concatenate([[True], ~stays])]
    if closed and len(given) > 1 and (given[0] == given[-1]).all():
        given = given[:-1]
    least = 3 if closed else 2
    if len(given) < least:
        kind = "closed curve" if closed else "path"
        raise PliantError(f"the target has {len(given)} different points; a {kind} needs {least} or more.")
    return given


def _radius(given: Floats) -> float:
    """Of the smallest circle around them: it does not change as they turn."""
    return float(shapely.minimum_bounding_radius(shapely.multipoints(given)))


def _closed_line(z: Complex, closed: bool) -> Complex:
    return np.append(z, z[0]) if closed else z


def _lengths(z: Complex, closed: bool) -> Floats:
    """Length from the first point to each; of a closed line, back to the first as well."""
    return np.concatenate([[0.0], np.cumsum(np.abs(np.diff(_closed_line(z, closed))))])


def _interpolate(z: Complex, at: Floats, closed: bool) -> Complex:
    """Points of the line at fractional indices."""
    ring = _closed_line(z, closed)
    return np.asarray(np.interp(at, np.arange(len(ring)), ring), np.complex128)


def _at(z: Complex, along: Floats, lengths: Floats, closed: bool) -> Complex:
    return _interpolate(z, np.interp(lengths, along, np.arange(len(along))), closed)


def _smooth(z: Complex, closed: bool) -> tuple[Complex, Floats]:
    """A smooth line through the points, and the index of each of them in it."""
    knots, ring = _lengths(z, closed), _closed_line(z, closed)
    pieces = 16
    at = np.interp(np.arange((len(ring) - 1) * pieces + 1) / pieces, np.arange(len(ring)), knots)
    spline = CubicSpline(knots, ring, bc_type="periodic" if closed else "natural")
    line = np.asarray(spline(at), np.complex128)
    return (line[:-1] if closed else line), pieces * np.arange(len(z), dtype=np.float64)


def _fit_indices(along: Floats, closed: bool) -> Floats:
    """Fractional indices: the given points, thinned where there are many, filled in where they are few."""
    count = len(along) - closed
    step = -(-count // MOST)
    own = np.arange(0, count, step, dtype=np.float64)
    if not closed and own[-1] != count - 1:
        own = np.append(own, count - 1)
    ends = np.append(own, count) if closed else own
    filled = [ends[:1]]
    for first, last in pairwise(ends.tolist()):
        length = along[int(last)] - along[int(first)]
        share = length / along[-1]  # of a long straight piece: it gets as many points as a curve would
        pieces = int(np.ceil(share * SAMPLES)) if share > LONG else 1
        filled.append(first + (last - first) * np.arange(1, pieces + 1) / pieces)
    indices = np.concatenate(filled)
    return indices[:-1] if closed else indices


def _shares(fractions: Floats, closed: bool) -> Floats:
    """Half the way to each neighbour."""
    if closed:
        steps = np.diff(np.append(fractions, 1.0))
        return 0.5 * (steps + np.roll(steps, 1))
    steps = np.diff(fractions)
    shares = 0.5 * (np.append(steps, 0.0) + np.append(0.0, steps))
    return shares / shares.sum()
