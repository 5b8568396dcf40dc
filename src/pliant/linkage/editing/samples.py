"""Curves as samples: what lies between them, what is nearest, and lengths of a drawing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats, Ints


def peak_bounds(values: Floats, closed: bool) -> Floats:
    """What samples (…, F) may reach about each: a parabola rises by an eighth of its second difference."""
    before, after = neighbours(np.arange(values.shape[-1]), values.shape[-1], closed)
    return values + np.abs(values[..., before] - 2 * values + values[..., after]) / 8


def neighbours(frames: Ints, count: int, closed: bool) -> tuple[Ints, Ints]:
    """The samples before and after; at the ends of an open run, a sample is its own neighbour."""
    if closed:
        return (frames - 1) % count, (frames + 1) % count
    return np.maximum(frames - 1, 0), np.minimum(frames + 1, count - 1)


def length_slopes(drawn: Floats, pairs: Ints) -> tuple[Floats, Floats]:
    """Lengths (K,) between drawn joints, and their Jacobian (K, 2N)."""
    i, j = pairs.T
    bars = drawn[i] - drawn[j]
    lengths = np.hypot(*bars.T)
    slopes = np.zeros((len(pairs), *drawn.shape))
    rows = np.arange(len(pairs))
    slopes[rows, i] += bars / lengths[:, None]
    slopes[rows, j] -= bars / lengths[:, None]
    return lengths, slopes.reshape(len(pairs), -1)


def heights(drawn: Floats, plates: Ints) -> Floats:
    """Heights (P,) of joints k to the left of i→j, of plates (P, 3) i, j, k."""
    i, j, k = plates.T
    base, arm = drawn[j] - drawn[i], drawn[k] - drawn[i]
    return (base[:, 0] * arm[:, 1] - base[:, 1] * arm[:, 0]) / np.hypot(*base.T)


def height_slopes(drawn: Floats, plates: Ints) -> tuple[Floats, Floats]:
    """Heights (P,) of joints k to the left of i→j, of plates (P, 3) i, j, k, and their Jacobian (P, 2N)."""
    i, j, k = plates.T
    base, arm = drawn[j] - drawn[i], drawn[k] - drawn[i]
    lengths = np.hypot(*base.T)[:, None]
    along = base / lengths
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    turn = (along * arm).sum(axis=1)[:, None] / lengths * across
    slopes, rows = np.zeros((len(plates), *drawn.shape)), np.arange(len(plates))
    slopes[rows, k] += across
    slopes[rows, j] -= turn
    slopes[rows, i] += turn - across
    return (across * arm).sum(axis=1), slopes.reshape(len(plates), drawn.size)


@dataclass(frozen=True)
class NearestPoints:
    """The nearest places on a polyline."""

    places: Floats  # (K, 2)
    segments: Ints  # (K,)
    shares: Floats  # (K,) along the segment
    directions: Floats  # (K, 2) of the segment


def nearest_points(points: Floats, line: Floats, closed: bool) -> NearestPoints:
    """For each point, the nearest place on a polyline."""
    start = line if closed else line[:-1]
    along = (np.roll(line, -1, axis=0) if closed else line[1:]) - start
    square = np.maximum((along**2).sum(axis=1), 1e-300)
    x, y = points[:, :1] - start[:, 0], points[:, 1:] - start[:, 1]
    share = np.clip((x * along[:, 0] + y * along[:, 1]) / square, 0.0, 1.0)
    x -= share * along[:, 0]
    y -= share * along[:, 1]
    best = np.argmin(x * x + y * y, axis=1)
    shares = share[np.arange(len(points)), best]
    return NearestPoints(
        start[best] + shares[:, None] * along[best],
        best,
        shares,
        along[best] / np.sqrt(square[best])[:, None],
    )
