"""A fastener's forces and angles along its way, and the slices of configuration space it goes through."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.core.plot import Plot, Series, SeriesStyle
from pliant.snap.force.force_curve import ContactSpan, contact_spans, pawl_angles, pawl_load
from pliant.snap.force.snap_trajectory import SnapTrajectory
from pliant.snap.model import Fastener
from pliant.snap.questions.configuration_space import ConfigurationSlice, configuration_slice, possible_pairs
from pliant.snap.report import force
from pliant.snap.result import SnapResult
from pliant.snap.springs.spring import springs_of
from pliant.snap.status import SnapStatus
from pliant.snap.sweep.plan import Course

MOST = 800  # contacts beyond which a slice takes too long, and shows too much
FINE, POINTS = 65, 5000  # samples between two changes of contact, and in all
TOP = 6.0  # times the middle one of the forces: those beyond, towards a lock, are left out of the chart
GAP = np.full((1, 2), np.nan)  # lifts the pen
ENDS = {SnapStatus.STUCK: "locks", SnapStatus.DEAD_CENTRE: "ends at a dead centre"}


def plots(result: SnapResult) -> dict[str, Plot]:
    """Every chart there is something to show in."""
    runs = _all_samples(result)
    charts: dict[str, Plot] = {}
    if any(len(run.samples.depth) for run in runs):
        charts |= {"force": _force(result, runs), "angles": _angles(result, runs)}
    for run in runs:
        for number, course in enumerate(run.trajectory.courses):
            leg = f" leg {course.leg + 1}" if len(run.trajectory.courses) > 1 else ""
            for pawl in result.model.pawls:
                scene = course.paths[pawl.name].scene
                if len(possible_pairs(scene, course.begins, course.ends)) <= MOST:
                    charts[f"slice {pawl.name}{leg}{run.suffix}"] = _slice(result, run, number, pawl.name)
    return charts


@dataclass(frozen=True)
class _Samples:
    """Moments of a way: how far in the root is, the force against it and its range, angles of P pawls."""

    depth: Floats  # (K,)
    total: Floats
    low: Floats
    high: Floats
    angles: Floats  # (K, P)


@dataclass(frozen=True)
class _TrajectorySamples:
    """One way, the travel of the root before each of its courses, and samples."""

    trajectory: SnapTrajectory
    name: str
    suffix: str
    before: list[float]
    samples: _Samples
    peak_at: float  # how far in the root is then
    end: float  # and where it ends


def _all_samples(result: SnapResult) -> list[_TrajectorySamples]:
    runs = [_trajectory_samples(result.model, result.way_in, "insertion", "", 0.0, 1)]
    if result.way_back is not None:
        start = result.way_in.travel
        runs.append(_trajectory_samples(result.model, result.way_back, "retention", " back", start, -1))
    return runs


def _trajectory_samples(
    model: Fastener, trajectory: SnapTrajectory, name: str, suffix: str, start: float, sense: int
) -> _TrajectorySamples:
    before = [sum(course.travel for course in trajectory.courses[:k]) for k in range(len(trajectory.courses))]
    stretches = [(k, span) for k, course in enumerate(trajectory.courses) for span in contact_spans(course)]
    count = max(2, min(FINE, POINTS // max(len(stretches), 1)))

    def depth(k: int, t: Floats) -> Floats:
        course = trajectory.courses[k]
        return start + sense * (before[k] + (t - course.begins) * course.speed)

    parts = [_Samples(*(np.zeros(shape) for shape in ((0,), (0,), (0,), (0,), (0, len(model.pawls)))))]
    for k, span in stretches:
        t = span.begin + (span.end - span.begin) * (0.5 - 0.5 * np.cos(np.linspace(0, np.pi, count)))
        parts.append(_sample_span(model, trajectory.courses[k], span, t, depth(k, t)))
    samples = _Samples(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(_Samples)))
    k = max(range(len(trajectory.curves)), key=lambda k: trajectory.curves[k].peak)
    peak_at = float(depth(k, np.array(trajectory.curves[k].peak_at)))
    return _TrajectorySamples(
        trajectory, name, suffix, before, samples, peak_at, start + sense * trajectory.travel
    )


def _sample_span(model: Fastener, course: Course, span: ContactSpan, t: Floats, depth: Floats) -> _Samples:
    """Between two changes of contact; a force without bound is a gap."""
    springs, turned, forces = springs_of(model), np.zeros((len(t), len(model.pawls))), np.zeros((3, len(t)))
    for p, pawl in enumerate(model.pawls):
        piece, path = span.pieces.get(pawl.name), course.paths[pawl.name]
        if piece is not None:
            here = pawl_load(path, piece, t, springs[pawl.name], float(model.friction))
            turned[:, p] = pawl_angles(path, piece, t)
            forces += np.stack([here.against, here.low, here.high])
    total, low, high = np.where(np.isfinite(forces), forces, np.nan)
    return _Samples(depth, total, low, high, turned)


# Forces and angles


def _force(result: SnapResult, runs: Sequence[_TrajectorySamples]) -> Plot:
    lines = [
        Series(run.name, run.samples.depth.copy(), _bounded_forces(run, run.samples.total)) for run in runs
    ]
    bands = [band for run in runs if (band := _open_band(run)) is not None]
    unit = result.model.units
    note = "; ".join(_ending_text(run, unit) for run in runs)
    return Plot("Force against the motion", f"how far in ({unit})", "force (N)", (*lines, *bands), note=note)


def _bounded_forces(run: _TrajectorySamples, values: Floats) -> Floats:
    """Forces with a gap where one is nearly without bound: friction is about to lock, or it is a toggle."""
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    grows = run.trajectory.status is SnapStatus.STUCK or not np.isfinite(run.trajectory.peak)
    if not grows or not len(sizes):
        return values.copy()
    return np.where(np.abs(values) <= TOP * np.median(sizes), values, np.nan)


def _open_band(run: _TrajectorySamples) -> Series | None:
    """Between which forces flush contact leaves it open; None where it never does."""
    low, high = _bounded_forces(run, run.samples.low), _bounded_forces(run, run.samples.high)
    wide = high - low > 1e-9 * run.trajectory.peak
    if not wide.any():
        return None
    low, high = np.where(wide, low, np.nan), np.where(wide, high, np.nan)
    return Series(f"{run.name}, left open by flush contact", run.samples.depth.copy(), high, "band", low=low)


def _ending_text(run: _TrajectorySamples, unit: str) -> str:
    """The peak, or where it is stopped."""
    if run.trajectory.blocked:
        return f"{run.name} {ENDS.get(run.trajectory.status, 'jams')} {run.end:.4g} {unit} in"
    return f"{run.name} peaks at {force(run.trajectory.peak)}, {run.peak_at:.4g} {unit} in"


def _angles(result: SnapResult, runs: Sequence[_TrajectorySamples]) -> Plot:
    series = tuple(
        Series(f"{pawl.name}{run.suffix}", run.samples.depth.copy(), np.degrees(run.samples.angles[:, p]))
        for run in runs
        for p, pawl in enumerate(result.model.pawls)
    )
    unit = result.model.units
    return Plot("How far the pawls turn", f"how far in ({unit})", "angle (deg)", series)


# Slices


def _slice(result: SnapResult, run: _TrajectorySamples, number: int, pawl: str) -> Plot:
    """The slice of one pawl: forbidden and free space, its rim by friction, and the path through it.

    Source: [DonaldPai1993] Figs. 20 to 22.
    """
    course, before = run.trajectory.courses[number], run.before[number]

    def laid(places: Floats) -> Floats:
        along = before + (places[:, 0] - course.begins) * course.speed
        return np.column_stack([along, np.degrees(places[:, 1])])

    space = configuration_slice(course, pawl, result.model.friction)
    mine = [event for event in run.trajectory.events if event.pawl == pawl]
    here = [event for event in mine if before <= event.travel <= before + course.travel]
    events = np.array([[event.travel, np.degrees(event.angle)] for event in here]).reshape(-1, 2)
    title = f"Configurations of {pawl}{' on the way back' if course.back else ''}"
    layers = tuple(_layers(space, laid, events))
    return Plot(title, f"travel ({result.model.units})", "angle (deg)", layers)


def _layers(space: ConfigurationSlice, laid: Callable[[Floats], Floats], events: Floats) -> Iterator[Series]:
    """In an order that gives sticking the second colour, and sliding the third."""
    rest = _series("rest", laid(np.array([[space.window.begin, 0.0], [space.window.end, 0.0]])), "dashed")
    sticks = [laid(arc.places) for arc in space.arcs if arc.sticks]
    slides = [laid(arc.places) for arc in space.arcs if not arc.sticks]
    yield _series("path", laid(space.path), "heavy")
    yield _series("sticking", _join_with_gaps(sticks)) if sticks else rest
    if slides:
        yield _series("sliding", _join_with_gaps(slides))
    if len(events):
        yield _series("events", events, "points")
    for name, area in (("forbidden", space.forbidden), ("free", space.reach), ("out of reach", space.apart)):
        rings = [laid(ring) for ring in _rings(area)]
        if rings:
            yield _series(name, _join_with_gaps(rings), "area")
    if sticks:
        yield rest


def _series(name: str, places: Floats, style: SeriesStyle = "line") -> Series:
    return Series(name, places[:, 0].copy(), places[:, 1].copy(), style)


def _join_with_gaps(lines: Sequence[Floats]) -> Floats:
    """Lines (K, 2) one after another, with a gap after each."""
    return np.concatenate([part for line in lines for part in (line, GAP)])


def _rings(area: shapely.Geometry) -> Iterator[Floats]:
    """The rings of an area: outsides left about, holes right about."""
    for polygon in shapely.get_parts(area):
        for place, ring in enumerate((polygon.exterior, *polygon.interiors)):
            corners = shapely.get_coordinates(ring)
            yield corners if shapely.is_ccw(ring) == (place == 0) else corners[::-1]
