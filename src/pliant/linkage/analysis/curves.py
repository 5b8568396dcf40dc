"""What a traced point's curve is like: its length, area, box, speed, strokes and dwells.

A curve is known at its samples with velocity and acceleration. Round a closed cycle of even samples
the trapezoidal rule is as accurate as the curve is smooth. Between samples, and along a curve
that is not closed, the curve is the cubic of `hermite`.

At a limit of the motors velocities grow without end, and in a change point they are rounding over
rounding: slopes far from those of the chords beside them are replaced by the chords'. Where a change
point makes a kink, no one slope is right, and each cell beside it has its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from pliant.core.arrays import Bools, Floats
from pliant.linkage.kinematics import hermite
from pliant.linkage.kinematics.hermite import Cells

AT_REST = 1e-9  # of the curve's extent in the time of the cycle: slower than that is not moving
WILD = 0.1  # a slope this far from its chords' mean, of their length and beyond their own change, is none
KINK = 8.0  # times as much as two samples before and after: chords that change so do not belong to one curve
SLIGHT = 1e-3  # of the top speed: a change of chords that makes no kink
NODES, WEIGHTS = np.polynomial.legendre.leggauss(5)  # on [-1, 1]
SMOOTH = 0.05  # of the top speed: what never goes slower has no kink in its speed
PIECES = 16  # that a cell is cut into where it may


@dataclass(frozen=True)
class Track:
    """A point along the run, as `track` makes it: t is time, or anything that v and a are derivatives by."""

    t: Floats  # (F,) ascending
    x: Floats  # (2, F)
    v: Floats  # (2, F) dx/dt
    a: Floats  # (2, F) d²x/dt²
    period: float | None = None  # of a closed cycle, whose last sample is followed by the first; else None
    kinks: Bools | None = None  # (F,) samples at which it turns all at once; None where it does not

    @property
    def steps(self) -> Floats:
        """(C,) from each sample to the next."""
        return np.diff(self.t if self.period is None else np.append(self.t, self.t[0] + self.period))

    def cells(self, f: Floats, slope: Floats) -> Cells:
        """Values (…, F) and their slopes at the ends of each cell.

        Args:
            f: values at the samples (…, F).
            slope: their derivatives by t (…, F).

        Returns:
            Values and slopes times the step, at both ends of each cell (…, C).
        """
        h = self.steps
        count = len(h)
        after = (np.arange(count) + 1) % len(self.t)
        return Cells(f[..., :count], f[..., after], h * slope[..., :count], h * slope[..., after])

    @property
    def path(self) -> Cells:
        """The curve's cells. At a kink a slope is what a parabola through the cell's other end has."""
        f0, f1, d0, d1 = self.cells(self.x, self.v)
        if self.kinks is None:
            return Cells(f0, f1, d0, d1)
        count = len(self.steps)
        first, last = self.kinks[:count], self.kinks[(np.arange(count) + 1) % len(self.t)]
        both, chord = first & last, f1 - f0
        left = np.where(both, chord, 2 * chord - d1)
        right = np.where(both, chord, 2 * chord - d0)
        return Cells(f0, f1, np.where(first, left, d0), np.where(last, right, d1))

    def closed_integral(self, f: Floats) -> float:
        """∮f dt once round a closed cycle.

        Args:
            f: integrand at the samples (F,).

        Returns:
            By the trapezoid rule.
        """
        h = self.steps
        return float((f * (h + np.roll(h, 1))).sum() / 2)

    @property
    def speed(self) -> Floats:
        """|v| (F,)."""
        return np.hypot(*self.v)

    @property
    def speed_rate(self) -> Floats:
        """d|v|/dt (F,); 0 where the point rests."""
        return np.divide(
            (self.v * self.a).sum(axis=0), self.speed, out=np.zeros_like(self.t), where=self.speed > 0
        )


def track(t: Floats, x: Floats, v: Floats, a: Floats, period: float | None = None) -> Track:
    """A point's path with slopes that can be relied on.

    Args:
        t: samples (F,), ascending.
        x: positions (2, F).
        v: dx/dt (2, F).
        a: d²x/dt² (2, F).
        period: of a closed cycle, in the unit of t.

    Returns:
        The path, with its kinks marked.
    """
    if len(t) < 2:
        return Track(t, x, np.zeros_like(x), np.zeros_like(x), period)
    bare = Track(t, x, v, a, period)
    v = _limited_slopes(bare, x, v)
    return Track(t, x, v, _limited_slopes(bare, v, a), period, _kinks(bare))


def _kinks(run: Track) -> Bools | None:
    """Samples (F,) at which the chords change at once; None where they never do."""
    before, after = _chords(run, run.x)
    change = np.hypot(*(after - before))
    if run.period is None:
        change[[0, -1]] = 0.0  # an end has one chord
    beside = np.maximum(np.roll(change, 2), np.roll(change, -2))  # a kink between samples changes two
    kinks = (change > KINK * beside) & (change > SLIGHT * np.hypot(*after).max())
    return kinks if kinks.any() else None


def _limited_slopes(run: Track, f: Floats, slope: Floats) -> Floats:
    """The slopes (2, F) of f, or those of its chords where they are wild or not finite."""
    before, after = _chords(run, f)
    middle = (before + after) / 2
    most = np.maximum(np.hypot(*before), np.hypot(*after))
    tame = np.hypot(*(slope - middle)) <= np.hypot(*(after - before)) + WILD * most
    return np.where(tame, slope, middle)


def _chords(run: Track, f: Floats) -> tuple[Floats, Floats]:
    """The slopes (2, F) of the chords before and after each sample; at an end that has one, as they go on."""
    f0, f1, _, _ = run.cells(f, f)
    chords = (f1 - f0) / run.steps
    if run.period is not None:
        ends = chords[:, -1:], chords[:, :0]
    elif len(run.steps) > 1:
        ends = 2 * chords[:, :1] - chords[:, 1:2], 2 * chords[:, -1:] - chords[:, -2:-1]
    else:
        ends = chords, chords
    chords = np.concatenate([ends[0], chords, ends[1]], axis=1)
    return chords[:, :-1], chords[:, 1:]


@dataclass(frozen=True)
class Box:
    """Two corners."""

    low: tuple[float, float]  # least x and y
    high: tuple[float, float]  # greatest x and y

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        return self.high[0] - self.low[0], self.high[1] - self.low[1]


@dataclass(frozen=True)
class TopSpeed:
    """The largest speed and when, between samples too."""

    speed: float  # |v|
    t: float  # when


@dataclass(frozen=True)
class TimeRatio:
    """The slow stroke's time over the quick one's, or why there is none."""

    ratio: float | None  # slow stroke over quick one, at least 1
    reason: str  # "" where there is a ratio
    turns: tuple[float, ...]  # t of the turning points
    direction: tuple[float, float]  # of the strokes


@dataclass(frozen=True)
class Sweep:
    """The room a run takes: of joints, without the width of links."""

    box: Box  # around all points
    hull: Floats  # (H, 2) convex, counter-clockwise
    area: float  # of the hull


def length(run: Track) -> float:
    """How far the point goes, once round or from end to end.

    Once round without a stop, the trapezoid rule is as exact as the samples are. Where a point
    turns back, |v| has a kink: cells are cut into many there.

    Args:
        run: the point's path.

    Returns:
        A length in the model's unit.
    """
    if run.period is not None and run.kinks is None and run.speed.min() > SMOOTH * run.speed.max():
        return run.closed_integral(run.speed)
    cells = run.path
    nodes = ((np.arange(PIECES)[:, None] + (1 + NODES) / 2) / PIECES).ravel()
    speeds = np.array([np.hypot(*hermite.slope(cells, np.array(node))).sum() for node in nodes])
    return float(np.tile(WEIGHTS, PIECES) @ speeds) / (2 * PIECES)


def area(run: Track) -> float | None:
    """The enclosed area ½∮x×v dt, positive counter-clockwise; None for a curve that is not closed.

    Args:
        run: the point's path.

    Returns:
        An area in the model's unit squared, or None.
    """
    if run.period is None:
        return None
    middle = run.x.mean(axis=1, keepdims=True)  # about itself, for its digits
    if run.kinks is None:
        return run.closed_integral(cross(run.x - middle, run.v)) / 2
    cells, nodes = run.path, (1 + NODES) / 2
    about = (cross(hermite.value(cells, s) - middle, hermite.slope(cells, s)).sum() for s in nodes)
    return float(WEIGHTS @ np.fromiter(about, np.float64)) / 4


def cross(u: Floats, v: Floats) -> Floats:
    """The product u × v of vectors whose first axis is x, y.

    Args:
        u: vectors (2, …).
        v: vectors (2, …).

    Returns:
        u_x v_y − u_y v_x (…).
    """
    return u[0] * v[1] - u[1] * v[0]


def box(run: Track) -> Box:
    """The smallest upright box, between samples too.

    Args:
        run: the point's path.

    Returns:
        Its lowest and its highest corner.
    """
    return _box(_extremes(run))


def top_speed(run: Track) -> TopSpeed:
    """The largest speed along the curve.

    Args:
        run: the point's path.

    Returns:
        The speed, and when it is reached.
    """
    cells = run.cells(run.speed, run.speed_rate)
    s = hermite.stationary_points(cells)
    values = np.concatenate([run.speed, hermite.value(cells, s).ravel()])
    t = np.concatenate([run.t, (run.t[: len(run.steps)] + s * run.steps).ravel()])
    most = int(np.argmax(values))
    return TopSpeed(float(values[most]), float(t[most]))


def dwell(run: Track, below: float = 0.05) -> float:
    """The share of the run in which the point is slower than `below` of its largest speed.

    Args:
        run: the point's path.
        below: share of the largest speed, from 0 to 1.

    Returns:
        A share of the time, from 0 to 1.
    """
    most = top_speed(run).speed
    if most == 0:
        return 1.0
    cells = run.cells(run.speed - below * most, run.speed_rate)
    slow0, slow1 = cells.f0 < 0, cells.f1 < 0
    crosses = slow0 != slow1
    part = np.where(slow0, 1.0, 0.0)
    s = hermite.zero_crossing(Cells(*(side[crosses] for side in cells)))
    part[crosses] = np.where(slow0[crosses], s, 1 - s)
    return float((part * run.steps).sum() / run.steps.sum())


def time_ratio(run: Track) -> TimeRatio:
    """How much longer the slow stroke takes, of a point that goes out and back once a cycle.

    Strokes are along the direction in which the curve is widest, and end where the point turns.

    Args:
        run: the point's path.

    Returns:
        The ratio, at least 1, with both strokes.
    """
    spread = run.x - run.x.mean(axis=1, keepdims=True)
    direction = np.linalg.eigh(spread @ spread.T)[1][:, 1]
    named = (float(direction[0]), float(direction[1]))
    if run.period is None:
        return TimeRatio(None, "the cycle is not closed", (), named)
    if run.speed.max() * run.period <= AT_REST * (
        np.abs(spread).max() + np.finfo(float).eps * np.abs(run.x).max() + 1e-300
    ):
        return TimeRatio(None, "the point does not move", (), named)
    cells = run.cells(direction @ run.v, direction @ run.a)
    crossings = np.flatnonzero((cells.f0 >= 0) != (cells.f1 >= 0))
    s = hermite.zero_crossing(Cells(*(side[crossings] for side in cells)))
    turns = run.t[crossings] + s * run.steps[crossings]
    times = tuple(float(t) for t in turns)
    if len(turns) != 2:
        return TimeRatio(None, f"it turns {len(turns)} times in a cycle, not twice", times, named)
    stroke = turns[1] - turns[0]
    other = run.period - stroke
    return TimeRatio(float(max(stroke, other) / min(stroke, other)), "", times, named)


def swept_region(tracks: Sequence[Track]) -> Sweep:
    """The box and the convex hull of all points over all poses.

    Args:
        tracks: the points' paths.

    Returns:
        Box, hull and its area.
    """
    points = np.concatenate([_extremes(run) for run in tracks], axis=1)
    closed = np.append(points.T, points.T[:1], axis=0)
    hull = shapely.LineString(closed).convex_hull  # a line is made far sooner than a set of points
    corners = shapely.get_coordinates(hull)
    if isinstance(hull, shapely.Polygon):
        corners = corners[:-1] if hull.exterior.is_ccw else corners[-1:0:-1]
    return Sweep(_box(points), corners, float(hull.area))


def _extremes(run: Track) -> Floats:
    """(2, P): the samples, and wherever x or y turns round between them."""
    cells = run.path
    turns = [
        hermite.value(cells, s) for s in np.moveaxis(hermite.stationary_points(cells), 1, 0).reshape(4, 1, -1)
    ]
    return np.concatenate([run.x, *turns], axis=1)


def _box(points: Floats) -> Box:
    (left, bottom), (right, top) = points.min(axis=1).tolist(), points.max(axis=1).tolist()
    return Box((left, bottom), (right, top))
