"""A linkage as textbooks draw it: bars and plates, hatched ground, sliders, motors and traced curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import shapely

from pliant.core.arrays import Floats, Ints
from pliant.core.errors import Fault
from pliant.core.motion import Event, Mark, Motion, Shape, Signal
from pliant.core.pose import turn, uncarry
from pliant.linkage.analysis.dimension_sensitivity import band_outline
from pliant.linkage.faults import raw_linkage
from pliant.linkage.model import Link, Linkage, LinkageSlider, Motor
from pliant.linkage.result import TraceResult
from pliant.view.sketch import pinned
from pliant.view.symbols import curve, hatched_line, pivot, turning_arrow

BAR = 0.024  # width of a bar over the room the joints take up


def motion(result: TraceResult) -> Motion:
    """The run of a linkage, with its warnings, bands, forces and speeds."""
    steps = np.diff(result.angles)
    turning = bool((steps > 0).all() or (steps < 0).all())
    factor, name, unit = result.scale
    events = [Event(factor * w.angle, w.text, w.kind) for w in result.warnings if w.angle is not None]
    return picture(
        result.model,
        factor * result.angles if turning else result.t * result.drive.seconds,
        result.poses.points[:, : len(result.model.joints)],
        traced=result.traced,
        marks=_marks(result),
        signals=_signals(result),
        events=events if turning else [],
        axis=name if turning else "time",
        unit=unit if turning else "s",
    )


def picture(
    model: Linkage,
    values: Floats,
    points: Floats,
    *,
    traced: Sequence[str] = (),
    before: Floats | None = None,
    marks: Sequence[Mark] = (),
    signals: Mapping[str, Signal] = {},
    events: Sequence[Event] = (),
    axis: str = "motor angle",
    unit: str = "deg",
    title: str | None = None,
) -> Motion:
    """The linkage at the F poses `points` (F, N, 2) of its joints, with the curves of the `traced` ones.

    `before` (F2, N2, 2), drawn faint, is what stood there before an edit: with as many points as the
    linkage has joints, its first pose and the curves of the traced; else one curve a point.
    """
    run = _Figure(model, points)
    parts = _parts(run)
    curves = (Mark("curve", curve(run.path(name)), group="trace", text=name) for name in traced)
    return Motion(
        axis=axis,
        unit=unit,
        values=values,
        title=model.title if title is None else title,
        length_unit=model.units,
        bodies=tuple(part.name for part in parts),
        shapes=tuple(Shape(_rings(part.shape)) for part in parts),
        body_shapes=np.arange(len(parts)),
        fixed=np.array([part.fixed for part in parts], np.bool_),
        poses=np.stack([part.poses for part in parts], axis=1),
        point_names=tuple(model.joints),
        points=points,
        strokes=_struts(model),
        marks=(*_previous_marks(run, before, traced), *_supports(run), *curves, *marks),
        signals=signals,
        events=tuple(events),
    )


def skeleton(model: Linkage, pose: Floats, group: str) -> list[Mark]:
    """The links of one pose (N, 2) as lines: a linkage before an edit, or where its motor stops."""
    place = dict(zip(model.joints, pose, strict=True))
    hulls = [_hull(np.array([place[name] for name in link.joints])) for link in model.links]
    rims = [hull.exterior if hull.geom_type == "Polygon" else hull for hull in hulls]
    return [Mark("curve", shapely.get_coordinates(rim), group=group) for rim in rims]


@dataclass(frozen=True)
class _Figure:
    """A linkage and its joints (F, N, 2), with what all its parts are drawn by."""

    model: Linkage
    points: Floats

    @cached_property
    def width(self) -> float:
        """Of a bar."""
        return BAR * float(np.ptp(self.points, axis=(0, 1)).max())

    @cached_property
    def drawn(self) -> dict[str, Floats]:
        """Where the model has each joint."""
        return {name: np.array(place) for name, place in self.model.joints.items()}

    def path(self, joint: str) -> Floats:
        """The places of a joint, (F, 2)."""
        return self.points[:, list(self.model.joints).index(joint)]

    def ends(self, link: Link) -> tuple[str, str]:
        """The two joints of a link farthest apart; one on the ground is first, for the link to turn about."""
        grounded = sorted(link.joints, key=lambda name: name not in self.model.ground)
        return max(
            combinations(grounded, 2), key=lambda pair: np.hypot(*(self.drawn[pair[1]] - self.drawn[pair[0]]))
        )

    def poses(self, link: Link) -> Floats:
        """The rigid motion (F, 3) of a link whose frame is the drawing's, moved to the first of its ends."""
        first, second = self.ends(link)
        along, drawn = self.path(second) - self.path(first), self.drawn[second] - self.drawn[first]
        turned = np.arctan2(along[:, 1], along[:, 0]) - np.arctan2(drawn[1], drawn[0])
        return np.column_stack([self.path(first), turned])

    def carrier(self, slider: LinkageSlider) -> Link | None:
        """The link a slider slides on; None is the ground."""
        return next((link for link in self.model.links if link.label == slider.on), None)

    def direction(self, slider: LinkageSlider) -> Floats:
        """The direction of a slider's line as drawn, of length one."""
        on = [
            [self.drawn[name] for name in link.joints[:2]]
            for link in self.model.links
            if link.label == slider.on
        ]
        first, second = np.array(slider.along or on[0])
        return (second - first) / np.hypot(*(second - first))

    def stretch(self, slider: LinkageSlider, beyond: float) -> Floats:
        """The line a slider sweeps and a little `beyond`, in the frame of what carries it: (2, 2)."""
        link, direction, path = self.carrier(slider), self.direction(slider), self.path(slider.joint)
        path = path if link is None else uncarry(self.poses(link), path)
        reach = (path - path[0]) @ direction
        return path[0] + np.array([[reach.min() - beyond], [reach.max() + beyond]]) * direction


# Bodies


@dataclass(frozen=True)
class _Part:
    """A link or a slider's block: a polygon in a frame of its own, and the frame's poses (F, 3)."""

    name: str
    shape: Any
    poses: Floats
    fixed: bool = False


def _parts(run: _Figure) -> list[_Part]:
    """From the back to the front: links that carry blocks, the blocks, then the others, the largest first."""
    carriers = {slider.on for slider in run.model.sliders}
    links = sorted((_link(run, link) for link in run.model.links), key=lambda part: -part.shape.area)
    return [
        *(part for part in links if part.name in carriers),
        *(_block(run, slider) for slider in run.model.sliders),
        *(part for part in links if part.name not in carriers),
    ]


def _link(run: _Figure, link: Link) -> _Part:
    """A bar, or a plate around three or more joints."""
    origin = run.drawn[run.ends(link)[0]]
    joints = np.array([run.drawn[name] for name in link.joints]) - origin
    shape = _hull(joints).buffer(run.width / 2, quad_segs=6)
    for slider in run.model.sliders:
        shape = _cut_slot(run, shape, slider) if slider.on == link.label else shape
    return _Part(link.label, shape, run.poses(link), set(link.joints) <= set(run.model.ground))


def _cut_slot(run: _Figure, shape: Any, slider: LinkageSlider) -> Any:
    """A link with a slot for a block that slides on it."""
    slot: Any = shapely.linestrings(run.stretch(slider, 1.3 * run.width))
    cut = shape.union(slot.buffer(0.9 * run.width, quad_segs=6)).difference(slot.buffer(0.35 * run.width))
    return cut if cut.geom_type == "Polygon" else shape


def _block(run: _Figure, slider: LinkageSlider) -> _Part:
    """The block at a slider's joint, turned along its line."""
    link, direction = run.carrier(slider), run.direction(slider)
    half = run.width * np.array([1.25, 0.8] if link is None else [0.9, 0.35])
    corners = half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    shape = shapely.polygons(turn(np.arctan2(direction[1], direction[0]), corners))
    path = run.path(slider.joint)
    turned = np.zeros(len(path)) if link is None else run.poses(link)[:, 2]
    return _Part(f"slider {slider.joint}", shape, np.column_stack([path, turned]))


def _hull(joints: Floats) -> Any:
    return shapely.convex_hull(shapely.multipoints(joints))


def _rings(polygon: Any) -> tuple[Floats, ...]:
    whole: Any = max(shapely.get_parts(polygon), key=shapely.area)
    return tuple(shapely.get_coordinates(ring)[:-1] for ring in (whole.exterior, *whole.interiors))


def _struts(model: Linkage) -> Ints:
    """The two joints of every strut, by their places among the points (S, 2)."""
    names = list(model.joints)
    ends = [[names.index(end) for end in motor.strut] for motor in model.motors if motor.strut is not None]
    return np.array(ends, np.int64).reshape(-1, 2)


# Marks


def _signals(result: TraceResult) -> dict[str, Signal]:
    unit = f"{result.model.units}/s"
    signals = {f"speed of {name}": Signal(unit, result.speed(name)) for name in result.traced}
    if result.transmissions:
        least = np.min([one.angles for one in result.transmissions], axis=0)
        signals["least transmission angle"] = Signal("deg", np.degrees(least))
    return signals


def _marks(result: TraceResult) -> list[Mark]:
    """Tolerance bands around the traced curves, and the forces in the first pose."""
    drawn = list(_outlines(result))
    if result.forces is not None:
        from pliant.linkage.analysis.statics import arrows

        drawn += arrows(result.forces, result.model, result.poses, 0)
    return drawn


def _outlines(result: TraceResult) -> Iterator[Mark]:
    for name, band in result.bands.items():
        points = result.poses.x[result.number(name)].T
        for group, width in (("band", band.worst), ("statistical", band.statistical)):
            outline = band_outline(points, band.normals, width, result.closed)
            yield Mark("polygon", outline, group=group, text=name)


def _supports(run: _Figure) -> Iterator[Mark]:
    """What stands still: pivots, guides and the motors' arrows."""
    for name in run.model.ground:
        yield from pivot(run.path(name)[0], run.width)
    for slider in run.model.sliders:
        if slider.on is None:
            yield _rail(run, slider)
    for motor in run.model.motors:
        yield from _arrow(run, motor)


def _rail(run: _Figure, slider: LinkageSlider) -> Mark:
    """Hatched ground under a block, on the lower side of its line."""
    direction = run.direction(slider)
    below = np.array([direction[1], -direction[0]]) * (-1 if direction[0] < 0 else 1)
    line = run.stretch(slider, 2.6 * run.width) + 0.8 * run.width * below
    return Mark("curve", hatched_line(line, below, run.width), group="guide")


def _arrow(run: _Figure, motor: Motor) -> Iterator[Mark]:
    """An arc about the motor's joint, ahead of the crank, that points the way it turns."""
    if motor.linear:
        yield from _push_arrow(run, motor)
        return
    centre, crank = run.path(str(motor.joint))[0], run.path(str(motor.drives))[0]
    sense = 1 if motor.direction == "ccw" else -1
    length = float(np.hypot(*(crank - centre)))
    radius = min(max(0.6 * length, 2.2 * run.width), 3.6 * run.width)
    start = float(np.arctan2(*(crank - centre)[::-1]))
    arc, barb = turning_arrow(radius, start, sense, run.width)
    yield Mark("curve", centre + arc, group="motor")
    yield Mark("polygon", centre + barb, group="motor")


def _push_arrow(run: _Figure, motor: Motor) -> Iterator[Mark]:
    """An arrow at the joint that a linear motor pushes; of a strut, along it."""
    if motor.strut is not None:
        start, end = (run.path(name)[0] for name in motor.strut)
        at, direction = (start + end) / 2, end - start
    else:
        slider = next(slider for slider in run.model.sliders if slider.joint == motor.slider)
        at, direction = run.path(str(motor.slider))[0], run.direction(slider)
    direction = direction / np.hypot(*direction)
    yield Mark("arrow", np.stack([at + run.width * direction, at + 4 * run.width * direction]), group="motor")


def _previous_marks(run: _Figure, before: Floats | None, traced: Sequence[str]) -> list[Mark]:
    if before is None:
        return []
    names = list(run.model.joints)
    if before.shape[1] != len(names):
        return [Mark("curve", curve(path), group="before") for path in before.transpose(1, 0, 2)]
    curves = [curve(before[:, names.index(name)]) for name in traced if len(before) > 1]
    was, now = (skeleton(run.model, pose, "before") for pose in (before[0], run.points[0]))
    return [
        *(
            old
            for old, new in zip(was, now, strict=True)
            if not _look_alike(old.points, new.points, run.width)
        ),
        *(Mark("curve", points, group="before") for points in curves),
    ]


def _look_alike(first: Floats, second: Floats, width: float) -> bool:
    """Whether two lines are one to the eye."""
    return first.shape == second.shape and bool(np.abs(first - second).max() < 0.1 * width)


# Before anything moves


def drawn_frame(model: Linkage) -> Motion:
    """One frame: the linkage as it is drawn."""
    points = np.array(list(model.joints.values()))
    return picture(model, np.zeros(1), points[None], axis="drawn", unit="")


def sketch(data: Mapping[str, Any], faults: Sequence[Fault]) -> Iterator[Mark]:
    """Links of a file with faults, as lines between their joints."""
    raw = raw_linkage(data)
    places = {name: np.array([at.real, at.imag]) for name, at in raw.joints.items() if at is not None}
    return pinned("joints", places, [(f"links[{n}]", joints) for n, joints in enumerate(raw.links)], faults)
