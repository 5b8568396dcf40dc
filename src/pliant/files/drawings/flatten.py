"""Curves to chords: as few as keep within a stated distance of the curve.

A chord over a step dt of a curve c(t) is never further from it than dt² max|c''| / 8; on an ellipse
with larger half axis r, than r (1 − cos(dt/2)). Steps are equal in the parameter, so that a curve drawn
again the other way round gets the same vertices.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError

MOST_CHORDS = 100_000  # of one curve
MOST_POINTS = 3_000_000  # of a drawing


def bezier_points(control: Floats, chord: float) -> Floats:
    """Points of a Bézier curve (K+1, 2) by its control points (2, 3 or 4, 2); ends included.

    >>> bezier_points(np.array([[0, 0], [1, 2], [2, 0.0]]), 0.3).tolist()
    [[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]]
    """
    degree = len(control) - 1
    if degree == 1:
        return control
    second = control[:-2] - 2 * control[1:-1] + control[2:]
    bend = degree * (degree - 1) * float(np.hypot(*second.T).max())
    count = chord_count(math.sqrt(bend / (8 * chord)))
    t = np.linspace(0.0, 1.0, count + 1)[:, None]
    s = 1 - t
    if degree == 2:
        points = s * s * control[0] + 2 * s * t * control[1] + t * t * control[2]
    else:
        points = s**3 * control[0] + 3 * s * t * (s * control[1] + t * control[2]) + t**3 * control[3]
    points[0], points[-1] = control[0], control[-1]
    return points


def ellipse_points(
    centre: Floats, first: Floats, second: Floats, start: float, sweep: float, chord: float
) -> Floats:
    """Points centre + cos t · first + sin t · second, t from start over sweep (rad); ends included."""
    axes = np.stack([first, second])
    radius = float(np.linalg.svd(axes, compute_uv=False)[0]) if np.isfinite(axes).all() else math.inf
    step = 2 * math.acos(max(1 - chord / radius, 0.5)) if radius > chord else 2 * math.pi / 3
    count = chord_count(abs(sweep) / step if step > 0 else math.inf)
    t = (start + sweep * np.linspace(0.0, 1.0, count + 1))[:, None]
    return centre + np.cos(t) * first + np.sin(t) * second


def bulge_points(start: Floats, end: Floats, bulge: float, chord: float) -> Floats:
    """An arc by its ends and bulge, the tangent of a quarter of its angle; positive is counter-clockwise."""
    if bulge == 0 or np.array_equal(start, end):
        return np.stack([start, end])
    sweep = 4 * math.atan(bulge)
    half = (end - start) / 2
    centre = (start + end) / 2 + np.array([-half[1], half[0]]) * (1 - bulge * bulge) / (2 * bulge)
    out = start - centre
    points = ellipse_points(centre, out, np.array([-out[1], out[0]]), 0.0, sweep, chord)
    points[0], points[-1] = start, end
    return points


def sampled_points(curve: Callable[[Floats], Floats], knots: Floats, chord: float) -> Floats:
    """Points of a curve that can only be asked for points: each span is halved until its middles are near.

    A smooth curve is within twice what the middles of its chords are off by; half of `chord` is asked for.
    """
    spans: list[Floats] = []
    for low, high in pairwise(knots.tolist()):
        count = 2
        while True:
            points = curve(np.linspace(low, high, 2 * count + 1))
            middles, ends = points[1::2], points[::2]
            off = float(np.hypot(*(middles - (ends[:-1] + ends[1:]) / 2).T).max())
            if off <= chord / 2 or count >= 4096:
                break
            count *= 2
        spans.append(ends[:-1])
    return np.vstack([*spans, curve(knots[-1:])])


def chord_count(wanted: float) -> int:
    """A whole number of chords, 1 at least; refused where it is beyond reason."""
    if not wanted <= MOST_CHORDS:
        problem = f"has a curve of more than {MOST_CHORDS:,} chords"
        raise InputError([Fault("", problem, "Give a larger --chord, or --units of the drawing")])
    return max(1, math.ceil(wanted - 1e-9))
