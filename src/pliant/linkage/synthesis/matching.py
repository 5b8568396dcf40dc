"""How like a target a curve is, whatever its place, size, turn, side and start.

With both curves sampled evenly along their length, moved to their means and scaled to length
one as vectors t and c of complex numbers, the best similarity leaves the distance

    d² = 1 − max |⟨t, c⟩|²

over all starts (for closed curves one Fourier transform gives them all), both directions, and
c or its mirror image. An open target is compared with arcs of the curve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.fft

from pliant.core.arrays import Complex, Floats, Ints
from pliant.core.kernel import inner, inner_fast, kernel, kernel_fast
from pliant.core.threads import in_threads
from pliant.linkage.synthesis.targets import SAMPLES, PathTarget

POSES = 96  # crank angles at which a candidate is run
EVEN = 256  # points evenly along a curve of which an arc is compared with an open target
ARC = 17  # points of an arc
STRIDES = np.array([3, 4, 5, 6, 8, 10, 12, 15])  # between them: arcs of 19 to 94 % of the curve
STARTS = 32
PIECE = 256  # curves that a thread takes at a time
TURN = 2 * np.pi


@dataclass(frozen=True)
class Match:
    """Where a curve meets the target best."""

    mirrored: bool
    phases: Floats  # (SAMPLES,) crank angles of the points that meet the target's samples


def distances(target: PathTarget, curves: Floats, least: Floats) -> Floats:
    """The distance d (V,) of each closed curve (V, 2, POSES).

    Where it is smaller than `least` (V,), root-mean-square from its mean, it is infinite: of
    a very large linkage some short arc is like anything.
    """
    return (_closed_distances if target.closed else _open_distances)(target, curves, least)[0]


def match(target: PathTarget, curve: Floats) -> Match:
    """How one curve (2, POSES) meets the target best."""
    no_least = np.zeros(1)
    if target.closed:
        _, which, shift, where = _closed_distances(target, curve[None], no_least)
        reverse, mirrored = divmod(int(which[0]), 2)
        at = (np.arange(SAMPLES) * (-1 if reverse else 1) + int(shift[0])) % SAMPLES
        return Match(bool(mirrored), TURN * where[0, at] / POSES)
    _, rows, where = _open_distances(target, curve[None], no_least)
    start, stride, variant = rows[0].tolist()
    reverse, mirrored = divmod(variant, 2)
    twice = np.concatenate([where[0], where[0] + POSES])
    at = np.linspace(start, start + (ARC - 1) * stride, SAMPLES)
    phases = TURN * np.interp(at, np.arange(2 * EVEN), twice) / POSES
    return Match(bool(mirrored), phases[::-1] if reverse else phases)


def _target_variants(t: Complex, *, closed: bool) -> Complex:
    """The target forwards, mirrored, backwards, and backwards mirrored: (4, n), each of length one."""
    t = t - t.mean()
    back = np.roll(t[::-1], 1) if closed else t[::-1]
    return np.array([t, t.conj(), back, back.conj()]) / np.linalg.norm(t)


def _closed_distances(target: PathTarget, curves: Floats, least: Floats) -> tuple[Floats, Ints, Ints, Floats]:
    """Distance, which of the four ways, at which shift, and the poses (V, SAMPLES) of even points."""
    even = np.empty((len(curves), SAMPLES), np.complex128)
    where = np.empty((len(curves), SAMPLES))
    _work_in_pieces(lambda a, b: _resample(curves[a:b], even[a:b], where[a:b]), len(curves))
    even -= even.mean(axis=1, keepdims=True)
    length = np.linalg.norm(even, axis=1)
    small = length <= least * np.sqrt(SAMPLES)
    spectra, wanted = _spectra(even), _spectra(_target_variants(target.samples, closed=True)).conj()
    best, which, shift = np.zeros(len(even)), np.zeros(len(even), np.int64), np.zeros(len(even), np.int64)
    for variant, spectrum in enumerate(wanted):
        likeness = np.abs(_spectra(spectra * spectrum, back=True))
        at = likeness.argmax(axis=1)
        peak = likeness[np.arange(len(at)), at]
        better = peak > best
        best[better], which[better], shift[better] = peak[better], variant, at[better]
    likeness = best / np.maximum(length, 1e-300)
    distance = np.where(small, np.inf, np.sqrt(np.maximum(1 - likeness**2, 0)))
    return distance, which, shift, where


def _spectra(z: Complex, *, back: bool = False) -> Complex:
    transform: Any = scipy.fft.ifft if back else scipy.fft.fft
    return transform(z, axis=1, workers=2)


def _open_distances(target: PathTarget, curves: Floats, least: Floats) -> tuple[Floats, Ints, Floats]:
    """Distance; start, stride and which of the four ways (V, 3); the poses (V, EVEN) of even points."""
    even = np.empty((len(curves), EVEN), np.complex128)
    where = np.empty((len(curves), EVEN))
    at = np.linspace(0, SAMPLES - 1, ARC)
    wanted = _target_variants(np.interp(at, np.arange(SAMPLES), target.samples), closed=False)
    forwards, backwards = _real_pairs(wanted[:1])[0], _real_pairs(wanted[2:3])[0]
    distance, rows = np.empty(len(curves)), np.empty((len(curves), 3), np.int64)

    def work(a: int, b: int) -> None:
        _resample(curves[a:b], even[a:b], where[a:b])
        _arcs(_real_pairs(even[a:b]), least[a:b], forwards, backwards, STRIDES, distance[a:b], rows[a:b])

    _work_in_pieces(work, len(curves))
    return distance, rows, where


def _real_pairs(z: Complex) -> Floats:
    """Complex numbers (V, n) as (V, 2, n)."""
    return np.ascontiguousarray(np.stack([z.real, z.imag], axis=1))


def _work_in_pieces(work: Callable[[int, int], None], count: int) -> None:
    in_threads(lambda first: work(first, min(first + PIECE, count)), range(0, count, PIECE))


@kernel
def _resample(curves: Floats, even: Complex, where: Floats) -> None:
    """Points evenly along each closed curve (V, 2, F), and their fractional poses."""
    poses, count = curves.shape[2], even.shape[1]
    along = np.empty(poses + 1)
    for variant in range(len(curves)):
        x, y = curves[variant, 0], curves[variant, 1]
        _measure(x, y, along)
        step, f = along[poses] / count, 0
        for k in range(count):
            while f < poses - 1 and along[f + 1] < k * step:
                f += 1
            part = (k * step - along[f]) / max(along[f + 1] - along[f], 1e-300)
            after = (f + 1) % poses
            even[variant, k] = complex(x[f] + part * (x[after] - x[f]), y[f] + part * (y[after] - y[f]))
            where[variant, k] = f + part


@inner
def _measure(x: Floats, y: Floats, along: Floats) -> None:
    """Length of a closed curve up to each pose, and back to the first."""
    poses = len(x)
    along[0] = 0.0
    for f in range(1, len(along)):
        a, b = (f - 1) % poses, f % poses
        along[f] = along[f - 1] + np.hypot(x[b] - x[a], y[b] - y[a])


@kernel_fast
def _arcs(
    even: Floats,
    least: Floats,
    forwards: Floats,
    backwards: Floats,
    strides: Ints,
    distance: Floats,
    rows: Ints,
) -> None:
    """The arc of each closed curve (V, 2, EVEN) that is most like the target, over starts and lengths."""
    count, points = even.shape[2], forwards.shape[1]
    x, y = np.empty(2 * count), np.empty(2 * count)  # twice round, so that no arc is cut
    for variant in range(len(even)):
        for k in range(count):
            x[k] = x[count + k] = even[variant, 0, k]
            y[k] = y[count + k] = even[variant, 1, k]
        small = least[variant] ** 2 * points
        distance[variant], best = np.inf, -1.0
        rows[variant, 0] = rows[variant, 1] = rows[variant, 2] = 0
        for stride in strides:
            for start in range(0, count, count // STARTS):
                spread, which, square = _likeness(x, y, start, stride, forwards, backwards)
                if spread > small and square > best * spread:
                    best = square / spread
                    rows[variant, 0], rows[variant, 1], rows[variant, 2] = start, stride, which
        if best >= 0.0:
            distance[variant] = np.sqrt(max(1.0 - best, 0.0))


@inner_fast
def _likeness(
    x: Floats, y: Floats, start: int, stride: int, forwards: Floats, backwards: Floats
) -> tuple[float, int, float]:
    """|c|² of an arc, which way it fits best, and the |⟨t, c⟩|² of that.

    The targets have mean 0, so that c's own mean drops out of the products.
    """
    sx = sy = square = 0.0
    a = b = c = d = p = q = r = s = 0.0
    at = start
    for k in range(forwards.shape[1]):
        cx, cy = x[at], y[at]
        at += stride
        sx += cx
        sy += cy
        square += cx * cx + cy * cy
        a += forwards[0, k] * cx
        b += forwards[1, k] * cy
        c += forwards[0, k] * cy
        d += forwards[1, k] * cx
        p += backwards[0, k] * cx
        q += backwards[1, k] * cy
        r += backwards[0, k] * cy
        s += backwards[1, k] * cx
    products = ((a + b) ** 2 + (c - d) ** 2, (a - b) ** 2 + (c + d) ** 2,
            (p + q) ** 2 + (r - s) ** 2, (p - q) ** 2 + (r + s) ** 2)  # fmt: skip
    best = 0
    for which in range(1, 4):
        if products[which] > products[best]:
            best = which
    return square - (sx * sx + sy * sy) / forwards.shape[1], best, products[best]
