"""A mechanism as textbooks draw it, along its drive.

The axis of the motion is always the drive, in per cent: notices, charts and the summary speak of it, and
every mechanism has one. What a few actuators and rotors measure on the way are signals beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from pliant.core.errors import Fault
from pliant.core.faults import key_path
from pliant.core.motion import Event, Floats, Ints, Mark, Motion, Shape, Signal
from pliant.relax.assemble.build import build
from pliant.relax.charts import signals
from pliant.relax.checks.raw_data import named_in_elements, read
from pliant.relax.diagnose.rank import unmet
from pliant.relax.model import Mechanism
from pliant.relax.report import shows_freedoms
from pliant.relax.solvers.record import scale
from pliant.relax.symbols.bodies import bodies
from pliant.relax.symbols.lines import lines
from pliant.relax.symbols.poses import DrawnLine, FramePoses
from pliant.relax.symbols.signs import carriers, modes, signs
from pliant.relax.symbols.wheels import wheel_bodies, wheel_lines
from pliant.view.scene import VIEW
from pliant.view.sketch import pinned
from pliant.view.symbols import curve

if TYPE_CHECKING:
    from pliant.relax.result import RelaxResult

CARRIERS = 12  # elements with an internal load that are marked
ROUNDING = 1e-9  # of the force scale: less is no force


def motion(result: RelaxResult) -> Motion:
    """The run of a mechanism, with what can be measured on the way."""
    places = np.stack([frame.x for frame in result.frames])
    turned = np.stack([frame.elongations.turned for frame in result.frames])
    poses = FramePoses(result.model, result.network, result.shares, places, _forces(result), turned)
    traced = [Mark("curve", curve(poses.path(name)), group="trace", text=name) for name in result.study.trace]
    return _motion(
        poses,
        [
            *signs(poses),
            *traced,
            *carriers(poses, result.trust.carriers[:CARRIERS]),
            *_freedoms(result, poses),
        ],
        100.0 * result.shares,
        "drive",
        "%",
        signals=signals(result),
        events=tuple(events(result)),
    )


def drawn(model: Mechanism) -> Motion:
    """A mechanism before anything moves."""
    net = build(model)
    poses = FramePoses(model, net, np.zeros(1), net.drawn[None])
    return _motion(poses, list(signs(poses)), np.zeros(1), "drawn", "")


def _motion(
    poses: FramePoses,
    marks: Sequence[Mark],
    values: Floats,
    axis: str,
    unit: str,
    signals: Mapping[str, Signal] = {},
    events: tuple[Event, ...] = (),
) -> Motion:
    solid = [*wheel_bodies(poses), *bodies(poses)] if poses.solid else []
    strung = [*lines(poses), *wheel_lines(poses)]
    points, strokes, owners = _joined(poses, strung)
    return Motion(
        axis=axis,
        unit=unit,
        values=values,
        title=poses.model.title,
        length_unit=poses.model.units,
        bodies=tuple(body.name for body in solid),
        shapes=tuple(Shape(_rings(body.shape)) for body in solid),
        body_shapes=np.arange(len(solid)),
        fixed=np.array([body.fixed for body in solid], np.bool_),
        poses=_stacked([body.poses for body in solid], len(values)),
        point_names=(*poses.model.nodes, *[""] * (points.shape[1] - poses.net.shown)),
        points=points,
        strokes=strokes,
        body_scalars=_scalars(poses, [body.element for body in solid]),
        stroke_scalars=_scalars(poses, [strung[k].element for k in owners]),
        marks=tuple(marks),
        signals=signals,
        events=events,
    )


def _joined(poses: FramePoses, strung: Sequence[DrawnLine]) -> tuple[Floats, Ints, list[int]]:
    """Nodes and the points of lines (F, P, D), strokes (S, 2), and the line of each stroke."""
    points, strokes, owners = [poses.x[:, : poses.net.shown]], list[tuple[int, int]](), list[int]()
    count = poses.net.shown
    for k, line in enumerate(strung):
        fresh = range(count, count + line.between.shape[1])
        chain = [end for end in (line.start, *fresh, line.end) if end is not None]
        strokes += pairwise(chain)
        owners += [k] * (len(chain) - 1)
        points.append(line.between)
        count += len(fresh)
    return np.concatenate(points, axis=1), np.array(strokes, np.int64).reshape(-1, 2), owners


def _stacked(rows: Sequence[Floats], frames: int) -> Floats:
    return np.stack(rows, axis=1) if rows else np.zeros((frames, 0, 3))


def _rings(polygon: Any) -> tuple[Floats, ...]:
    """Its rings; of several pieces, such as teeth wider than their wheel leave, those of the largest."""
    whole = max(shapely.get_parts(polygon), key=shapely.area)
    return tuple(shapely.get_coordinates(ring)[:-1] for ring in (whole.exterior, *whole.interiors))


def _scalars(poses: FramePoses, elements: Sequence[str]) -> dict[str, Floats]:
    """Every scalar by the elements of some parts, (F, n); none where there are no parts."""
    found = {
        element: {name: poses.scalar(name, element) for name in poses.scalars} for element in set(elements)
    }
    return {
        name: np.stack([found[element][name] for element in elements], axis=1)
        for name in poses.scalars
        if elements
    }


# What a result adds


def _forces(result: RelaxResult) -> dict[str, Floats]:
    """Forces in links, couplings and rails (F, E + C + Q), where they are more than rounding."""
    net, bound = result.network, ROUNDING * scale(result.network)
    found = [frame.elongations for frame in result.frames]
    rows = np.stack([np.concatenate([e.link_forces, e.coupling_forces, e.rail_forces]) for e in found])
    scalars = {"force": rows} if np.abs(rows).max(initial=0.0) > bound else {}
    if result.trust.locks_at is not None:
        scalars["internal load"] = np.stack([unmet(net, frame) for frame in result.frames])
    return scalars


def events(result: RelaxResult) -> Iterator[Event]:
    """What was noticed on the way, and where it locks."""
    for notice in result.trust.notices:
        yield Event(100 * notice.share, notice.text, notice.kind)
    at = result.trust.locks_at
    if at is not None and not any(notice.kind == "lock" for notice in result.trust.notices):
        yield Event(100 * at, f"locks at {at:.0%} of the drive", "lock")


def _freedoms(result: RelaxResult, poses: FramePoses) -> Iterator[Mark]:
    if shows_freedoms(result):
        yield from modes(poses, result.freedom.modes)


def sketch(data: Mapping[str, Any], faults: Sequence[Fault]) -> Iterator[Mark]:
    """Elements of a file with faults, as lines between their nodes; in space, seen from a corner."""
    points = read(data).points
    places = {name: VIEW @ at if len(at) == 3 else np.array(at) for name, at in points.items()}
    elements = [
        (key_path(place[:2]), [name for name in names if isinstance(name, str)])
        for place, names in named_in_elements(data)
        if isinstance(names, list | tuple)
    ]
    return pinned("nodes", places, elements, faults)
