"""A fastener along its way in, and back where it came back: what moves, what presses, and what happens.

The axis is the travel of the root, which grows on the way back too. Frames are spread along it, and every
event has its own: two where a force jumps, and a few at one travel where a pawl snaps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from pliant.core.arrays import Bools, Floats
from pliant.core.errors import Fault
from pliant.core.model import as_list
from pliant.core.motion import Event, Mark, Motion, Shape, Signal
from pliant.core.pose import carry
from pliant.snap.arithmetic.half_angle import half_angle
from pliant.snap.faults import ROOT
from pliant.snap.force.force_curve import ContactSpan, contact_spans, pawl_angles, pawl_load
from pliant.snap.force.sizing import strains
from pliant.snap.force.snap_trajectory import SnapTrajectory, angle_of
from pliant.snap.model import Fastener, Obstacle, Pawl
from pliant.snap.report import force
from pliant.snap.result import SnapResult
from pliant.snap.springs.spring import springs_of
from pliant.snap.sweep.plan import Course, plan_legs
from pliant.view.sketch import part, tables

TURNING = 6  # frames between the ends of a snap
CROWD = 1000  # contacts one after another, beyond which they have no frames of their own
SAME = 1e-9  # rad, or of the travel: less is rounding
LINGER = 0.04  # of the travel: how long what happened stays written, for a film to be read
LOCKED = 1e9  # times what its torque takes: a force this large is without bound, but for rounding
BELOW = 0.05  # of the picture: where that is
RING, LONGEST = 0.035, 0.5  # of the largest pawl: a hinge's radius, and the arrow of a large force
LARGE = 2.5  # times the middle one of the forces: those beyond, as where friction nearly locks, look alike


def motion(result: SnapResult) -> Motion:
    """The motion of a fastener for every view."""
    model = result.model
    film, turns = _film(result)
    poses = _poses(model, film)
    there, turn, back = _simultaneous_events(result.way_in, 0.0), (), []
    if result.way_back is not None:
        back = _simultaneous_events(result.way_back, result.way_in.travel)
        turn = (Event(result.way_in.travel, "turns back", "back"),)
    shapes, which = _shapes(model)
    peaks = _peaks(result)
    return Motion(
        axis="travel",
        unit=model.units,
        values=film.travel,
        title=headline(result),
        length_unit=model.units,
        bodies=tuple(_names(model)),
        shapes=shapes,
        body_shapes=np.array(which, np.int64),
        fixed=np.arange(len(which)) < len(model.obstacles),
        poses=poses,
        marks=(
            *_hinges(model, poses),
            *_arrows(model, film),
            *_captions(model, film, poses, (there, back), turns, peaks),
        ),
        signals=_signals(result, film),
        events=(*_axis_events(there), *turn, *_axis_events(back), *peaks),
    )


def headline(result: SnapResult) -> str:
    """The title, and the outcome in a few words: the forces in and out, and strain against its limit."""
    words = [_trajectory_words(result.way_in, "in")]
    if result.way_back is not None and not result.way_in.blocked:
        words.append(_trajectory_words(result.way_back, "out"))
    if result.knife_edge is not None:
        words.insert(0, "on a knife's edge")
    for name, strain in strains(result.model, result.ways).items():
        limit = "" if strain.limit is None else f" of {100 * strain.limit:.2g} %"
        who = f" of {name}" if len(result.model.pawls) > 1 else ""
        words.append(f"{'over' if strain.exceeds else ''}strain{who} {100 * strain.peak:.2g} %{limit}")
    return f"{result.model.title or 'A fastener'}: {', '.join(words)}"


def _trajectory_words(trajectory: SnapTrajectory, which: str) -> str:
    if trajectory.blocked:
        return f"{trajectory.status.name.lower().replace('_', ' ')} on the way {which}"
    if not math.isfinite(trajectory.peak):
        return f"{which} without bound"
    return f"{trajectory.peak:.3g} N {which}" if trajectory.peak > 0 else f"freely {which}"


def _peaks(result: SnapResult) -> tuple[Event, ...]:
    """Where each way takes its greatest force, along the axis of the film."""
    events: list[Event] = []
    starts = (0.0, result.way_in.travel)
    for trajectory, before, which in zip(result.ways, starts, ("in", "out"), strict=False):
        if not trajectory.blocked and trajectory.peak > 0:
            words = (
                f"peak {which} {force(trajectory.peak)}, work {trajectory.work:.3g} N·{result.model.units}"
            )
            events.append(Event(before + trajectory.peak_at[1], words, "peak"))
    return tuple(events)


# Frames


@dataclass(frozen=True)
class _Film:
    """K moments of P pawls."""

    travel: Floats  # (K,)
    offset: Floats  # (K, 2) of the root
    angles: Floats  # (K, P)
    force: Floats  # (K, P, 2) on each pawl
    place: Floats  # (K, P, 2) where it acts
    against: Floats  # (K,) the motion, in all
    strain: Floats  # (K, P) of beams

    def cut(self, first: int) -> _Film:
        """Without what is before a moment."""
        return _Film(*(getattr(self, field.name)[first:] for field in fields(self)))


def _film(result: SnapResult) -> tuple[_Film, int]:
    """Every frame, in order, and how many of them are of the way in."""
    every = [[(course, contact_spans(course)) for course in one.courses] for one in result.ways]
    grid = np.linspace(0.0, sum(one.travel for one in result.ways), result.study.frames)
    grid = np.union1d(grid, [event.at for event in _peaks(result)])
    crowded = sum(len(stretches) for courses in every for _, stretches in courses) > CROWD
    strips = _strips(result.model, every[0], grid, crowded, [], 0.0)
    turns = sum(len(strip.travel) for strip in strips)
    for courses in every[1:]:
        inwards = len(strips)
        _strips(result.model, courses, grid, crowded, strips, result.way_in.travel)
        if len(strips) == inwards:  # held at once: what is said of it needs a frame
            strips.append(strips[-1].cut(-1))
    joined = (np.concatenate([getattr(strip, f.name) for strip in strips]) for f in fields(_Film))
    return _Film(*joined), turns


def _strips(
    model: Fastener, courses: Sequence[tuple[Course, list[ContactSpan]]], grid: Floats, crowded: bool,
    strips: list[_Film], moved: float,
) -> list[_Film]:  # fmt: skip
    """Add a way that begins after so much travel."""
    for course, stretches in courses:
        for span in stretches:
            begin, end = (moved + (t - course.begins) * course.speed for t in (span.begin, span.end))
            inner = grid[(grid > begin + SAME * grid[-1]) & (grid < end - SAME * grid[-1])]
            travel = inner if crowded else np.array([begin, *inner, end])
            if len(travel):
                _add(strips, _stretch(model, course, span, travel, moved), crowded)
        moved += course.travel
        landed = _landing_film(model, course, strips, moved)
        if landed is not None:
            _add(strips, landed, crowded)
    return strips


def _add(strips: list[_Film], strip: _Film, crowded: bool) -> None:
    """Join a stretch on: by a turn where it begins at another angle, without a frame that is there."""
    if strips and not crowded:
        last = strips[-1]
        if np.abs(strip.angles[0] - last.angles[-1]).max() > SAME:
            strips.append(_snap_film(last, strip))
        elif np.allclose(strip.force[0], last.force[-1], rtol=SAME, atol=SAME):
            strip = strip.cut(1)
    if len(strip.travel):
        strips.append(strip)


def _stretch(model: Fastener, course: Course, span: ContactSpan, travel: Floats, moved: float) -> _Film:
    """Moments between two changes of contact."""
    t = np.clip(course.begins + (travel - moved) / course.speed, span.begin, span.end)
    shape = len(t), len(model.pawls)
    film = _idle_film(course, travel, t, np.zeros(shape))
    springs = springs_of(model)
    for p, pawl in enumerate(model.pawls):
        piece, path = span.pieces.get(pawl.name), course.paths[pawl.name]
        if piece is None:
            continue
        load = pawl_load(path, piece, t, springs[pawl.name], float(model.friction))
        film.angles[:, p] = pawl_angles(path, piece, t)
        arms = np.linalg.norm(load.place - film.offset - np.array(pawl.hinge, np.float64), axis=1)
        bounded = np.linalg.norm(load.force, axis=1) * arms <= LOCKED * np.abs(load.torque)
        film.force[:, p], film.place[:, p] = _last_bounded_forces(load.force, bounded), load.place
        film.against[:] += np.where(bounded, load.against, np.inf)
        film.strain[:, p] = load.strain
    return film


def _idle_film(course: Course, travel: Floats, t: Floats, turned: Floats) -> _Film:
    """Moments of a course at which nothing presses."""
    line = np.array([[float(v) for v in course.offset], [float(v) for v in course.velocity]])
    none = np.zeros((*turned.shape, 2))
    offset, still = line[0] + t[:, None] * line[1], np.zeros(len(t))
    return _Film(travel, offset, turned, none, none.copy(), still, np.zeros(turned.shape))


def _last_bounded_forces(force: Floats, bounded: Bools) -> Floats:
    """Forces (K, 2); where friction locks and one is without bound, the last that is not."""
    last = np.maximum.accumulate(np.where(bounded, np.arange(len(force)), -1))
    return np.where((last >= 0)[:, None], force[np.maximum(last, 0)], 0.0)


def _snap_film(last: _Film, following: _Film) -> _Film:
    """The moments of a snap: pure rotation, with nothing that presses."""
    share = np.linspace(0.0, 1.0, TURNING + 2)[1:-1, None]
    turned = last.angles[-1] + share * (following.angles[0] - last.angles[-1])
    none = np.zeros((*turned.shape, 2))
    travel, offset = np.repeat(last.travel[-1:], TURNING), np.repeat(last.offset[-1:], TURNING, axis=0)
    return _Film(travel, offset, turned, none, none.copy(), np.zeros(TURNING), np.zeros(turned.shape))


def _landing_film(model: Fastener, course: Course, strips: Sequence[_Film], travel: float) -> _Film | None:
    """The end of a course, where no stretch leads to it: it ended as it began, or on a snap."""
    before = strips[-1].angles[-1] if strips else np.zeros(len(model.pawls))
    turned = before.copy()
    for p, pawl in enumerate(model.pawls):
        for happening in course.paths[pawl.name].events:
            if happening.point.against(course.end) == 0:
                turned[p] = angle_of(happening.point)
    if strips and np.abs(turned - before).max() <= SAME:
        return None
    return _idle_film(course, np.array([travel]), np.array([course.ends]), turned[None])


# Bodies


def _names(model: Fastener) -> Iterator[str]:
    """From the back to the front."""
    yield from (model.label(k) for k in range(len(model.obstacles)))
    if model.root.outline is not None:
        yield ROOT
    yield from (pawl.name for pawl in model.pawls)


def _shapes(model: Fastener) -> tuple[tuple[Shape, ...], list[int]]:
    """The outlines, and which of them each body has."""
    parts: list[Obstacle | Pawl] = [*model.obstacles, *model.pawls]
    rings = [model.outline(part) for part in parts]
    if model.root.outline is not None:
        rings.insert(len(model.obstacles), model.root.outline)
    known = {ring: k for k, ring in enumerate(dict.fromkeys(rings))}
    shapes = tuple(Shape((np.array(ring, np.float64),)) for ring in known)
    return shapes, [known[ring] for ring in rings]


def _poses(model: Fastener, film: _Film) -> Floats:
    """Of every body in every frame, (F, B, 3)."""
    frames = len(film.travel)
    still = [np.broadcast_to([*map(float, part.at), 0.0], (frames, 3)) for part in model.obstacles]
    root = [np.column_stack([film.offset, np.zeros(frames)])] * (model.root.outline is not None)
    pawls = [
        np.column_stack([film.offset + np.array(pawl.hinge, np.float64), pawl.rest.angle + film.angles[:, p]])
        for p, pawl in enumerate(model.pawls)
    ]
    return np.stack([*still, *root, *pawls], axis=1)


# Marks


def _reach(model: Fastener) -> float:
    """Of the largest pawl from its hinge."""
    return max(float(np.hypot(*np.array(model.outline(pawl), np.float64).T).max()) for pawl in model.pawls)


def _hinges(model: Fastener, poses: Floats) -> Iterator[Mark]:
    around = np.linspace(0.0, 2 * np.pi, 17)
    ring = RING * _reach(model) * np.column_stack([np.cos(around), np.sin(around)])
    for frame, row in enumerate(poses[:, -len(model.pawls) :, :2]):
        for hinge in row:
            yield Mark("curve", hinge + ring, frame, group="hinge")


def _arrows(model: Fastener, film: _Film) -> Iterator[Mark]:
    """Contact forces on pawls, with their tips where they press."""
    sizes = np.linalg.norm(film.force, axis=2)
    pressing = sizes > SAME * sizes.max()
    if not pressing.any():
        return
    large = min(LARGE * float(np.median(sizes[pressing])), float(sizes.max()))
    longest = LONGEST * _reach(model)
    for frame, p in np.argwhere(pressing).tolist():
        tip, size = film.place[frame, p], float(sizes[frame, p])
        along = film.force[frame, p] / size * longest * min(size / large, 1.0)
        yield Mark("arrow", np.stack([tip - along, tip]), frame, group="force", value=min(size, large))


def _captions(
    model: Fastener, film: _Film, poses: Floats, ways: Sequence[Sequence[_SimultaneousEvents]], turns: int,
    peaks: Sequence[Event],
) -> Iterator[Mark]:  # fmt: skip
    """What happens, under the picture, until something else does.

    What happens on the way back is written from its first frame on: the one before is the end of the way in.
    """
    seen = [
        (event, max(frame, begin))
        for happened, begin in zip(ways, (0, turns), strict=True)
        for event in happened
        if (frame := _first_frame(model, film, event)) is not None
    ]
    spot = _place_below(model, poses)[None]
    following = [*(frame for _, frame in seen[1:]), len(film.travel)]
    texts: dict[int, str] = {}
    for (event, frame), end in zip(seen, following, strict=False):
        late = np.searchsorted(film.travel, event.travel + LINGER * film.travel[-1], side="right")
        for shown in range(frame, min(int(late), end)):
            texts[shown] = _caption(model, event)
    for peak in peaks:
        here = int(np.argmin(np.abs(film.travel - peak.at)))
        texts[here] = f"{texts[here]}, {peak.text}" if here in texts else peak.text
    yield from (Mark("label", spot, frame, text=text, group="event") for frame, text in sorted(texts.items()))


def _caption(model: Fastener, event: _SimultaneousEvents) -> str:
    """Short enough for a filmstrip: who, only where others do not take part."""
    some = ROOT not in event.who and len(event.who) < len(model.pawls)
    return f"{_joined_names(event.who)}: {event.kind}" if some else event.kind


def _place_below(model: Fastener, poses: Floats) -> Floats:
    """The place below the middle of all that is ever seen."""
    shapes, which = _shapes(model)
    seen = [carry(poses[:, b, None], shapes[k].rings[0]).reshape(-1, 2) for b, k in enumerate(which)]
    low = np.min([part.min(axis=0) for part in seen], axis=0)
    high = np.max([part.max(axis=0) for part in seen], axis=0)
    return np.array([(low[0] + high[0]) / 2, low[1] - BELOW * (high - low).max()])


def _first_frame(model: Fastener, film: _Film, event: _SimultaneousEvents) -> int | None:
    """The first frame at an event's travel in which its pawl has its angle."""
    here = np.abs(film.travel - event.travel) <= SAME * film.travel[-1]
    for p, pawl in enumerate(model.pawls):
        if pawl.name == event.who[0]:
            here &= np.abs(film.angles[:, p] - event.angle) <= SAME
    return int(np.argmax(here)) if here.any() else None


# Along the axis


@dataclass(frozen=True)
class _SimultaneousEvents:
    """What happens to one or several parts at once."""

    travel: float  # since the start, on the way back too
    kind: str
    who: tuple[str, ...]
    angle: float  # of the first


def _simultaneous_events(trajectory: SnapTrajectory, before: float) -> list[_SimultaneousEvents]:
    """The events of a way that begins so far from the start."""
    events: dict[tuple[float, str], _SimultaneousEvents] = {}
    for event in trajectory.events:
        key = round(event.travel / (trajectory.travel or 1.0), 12), event.kind
        known = events.get(key, _SimultaneousEvents(before + event.travel, event.kind, (), event.angle))
        events[key] = replace(known, who=(*known.who, event.pawl))
    return list(events.values())


def _joined_names(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + " and " * (len(names) > 1) + names[-1]


def _axis_events(happened: Sequence[_SimultaneousEvents]) -> Iterator[Event]:
    for event in happened:
        text = event.kind if ROOT in event.who else f"{_joined_names(event.who)}: {event.kind}"
        yield Event(event.travel, text, event.kind)


def _work_so_far(result: SnapResult) -> tuple[Floats, Floats]:
    """Travels since the start, and the work that was done up to each."""
    travels, works = [np.zeros(1)], [np.zeros(1)]
    moved = 0.0
    for trajectory in result.ways:
        for course, curve in zip(trajectory.courses, trajectory.curves, strict=True):
            travels.append(moved + (curve.t - course.begins) * course.speed)
            works.append(works[-1][-1] + curve.spent)
            moved += course.travel
    return np.concatenate(travels), np.concatenate(works)


def _signals(result: SnapResult, film: _Film) -> dict[str, Signal]:
    """The force, which at a lock is without bound and stays at the largest before it, work and angles."""
    model, springs = result.model, springs_of(result.model)
    finite = np.isfinite(film.against)
    highest = float(film.against[finite].max()) if finite.any() else 0.0
    signals = {"force against the motion": Signal("N", np.where(finite, film.against, highest))}
    signals["work so far"] = Signal(f"N·{model.units}", np.interp(film.travel, *_work_so_far(result)))
    for p, pawl in enumerate(model.pawls):
        if pawl.beam is not None:
            strain = np.maximum(film.strain[:, p], springs[pawl.name].held_strain)
            signals[f"strain of {pawl.name}"] = Signal("%", 100 * strain)
        signals[f"angle of {pawl.name}"] = Signal("deg", np.degrees(film.angles[:, p]))
    return signals


# Before anything moves


def drawn_frame(model: Fastener) -> Motion:
    """One frame: obstacles, the root and the pawls at rest; hinges, and the way the first is to go."""
    still = [[*map(float, obstacle.at), 0.0] for obstacle in model.obstacles]
    root = [] if model.root.outline is None else [(ROOT, model.root.outline)]
    pawls = [[*map(float, pawl.hinge), pawl.rest.angle] for pawl in model.pawls]
    parts = [(model.label(k), model.outline(obstacle)) for k, obstacle in enumerate(model.obstacles)]
    parts += [*root, *((pawl.name, model.outline(pawl)) for pawl in model.pawls)]
    return Motion(
        axis="drawn",
        unit="",
        values=np.zeros(1),
        title=model.title,
        length_unit=model.units,
        bodies=tuple(name for name, _ in parts),
        shapes=tuple(Shape((np.array(outline, np.float64),)) for _, outline in parts),
        body_shapes=np.arange(len(parts)),
        fixed=np.arange(len(parts)) < len(still),
        poses=np.array([[*still, *([[0.0, 0.0, 0.0]] * len(root)), *pawls]]),
        marks=tuple(_hinges_and_plan(model)),
    )


def _hinges_and_plan(model: Fastener) -> Iterator[Mark]:
    hinges = np.array([pawl.hinge for pawl in model.pawls], np.float64)
    yield from _hinges(model, hinges[None])
    start = hinges[0]
    for leg in plan_legs(model):
        end = start + np.array(leg.velocity, np.float64) * float(leg.until)
        yield Mark("arrow", np.stack([start, end]), group="plan")
        start = end


def sketch(data: Mapping[str, Any], faults: Sequence[Fault]) -> Iterator[Mark]:
    """Outlines of a file with faults: the root, the obstacles and the pawls at rest, each with its own."""
    root: Any = data.get("root")
    parts = [(ROOT, {**root, "name": ROOT} if isinstance(root, Mapping) else {})]
    for key, place in (("obstacles", "at"), ("pawls", "hinge")):
        every = enumerate(tables(data.get(key)))
        parts += [(f"{key}[{index}]", _placed_part(table, place)) for index, table in every]
    for where, table in parts:
        yield from part(where, table, data.get("shapes"), faults)


def _placed_part(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A part with a pose: where its own frame is, and how far it is turned at rest."""
    at = as_list(table.get(key))
    try:
        rest = half_angle(table.get("rest", 0)).angle
    except (ValueError, TypeError):
        rest = 0.0
    return {**table, "pose": [*(at if len(at) == 2 else (0, 0)), rest]}
