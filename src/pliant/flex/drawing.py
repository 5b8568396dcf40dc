"""A flex result as a motion: poses of the bodies, how far each moved, forces and regions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault
from pliant.core.motion import Event, Mark, Motion, Signal
from pliant.core.pose import carry
from pliant.flex.geometry.parts import compile_parts
from pliant.flex.model import Assembly, rigid_groups
from pliant.flex.problem.loads import in_newtons, measure
from pliant.flex.result import FlexResult
from pliant.view.sketch import part, tables

LONGEST = 0.25  # of the picture: no arrow is longer
LABELLED = 12  # forces with a figure beside them
DEPARTURE_FRAMES = 12  # in which what can leave does


def motion(result: FlexResult) -> Motion:
    """The motion for every view: bodies, how far each moved, forces, keep regions, signals.

    It is paced by travel: how far, frame by frame, the body that moves most has gone. What can leave
    by a straight way does so after the last step, where nothing is measured.
    """
    stepped, accepted, out = result.frames.poses, result.frames.accepted, _departure(result)
    poses = np.concatenate([stepped, out])
    values = _travel(result, poses)
    overlap = np.interp(np.arange(len(stepped)), accepted, result.frames.overlap)
    unmeasured = np.full(len(out), np.nan)
    held = rigid_groups(result.model).why(result.model)
    travelled = np.hypot(*np.moveaxis(poses[..., :2] - poses[:1, :, :2], -1, 0))
    turned = np.degrees(poses[..., 2] - poses[:1, :, 2])
    scale, unit = measure(result.model, result.study)
    return Motion(
        axis="travel",
        unit=result.model.units,
        values=values,
        title=result.model.title,
        length_unit=result.model.units,
        bodies=tuple(body.name for body in result.model.bodies),
        shapes=result.shapes,
        body_shapes=result.shape_of,
        fixed=np.array([body.name in held for body in result.model.bodies]),
        poses=poses,
        body_scalars={"travel": travelled, "turn (deg)": turned},
        marks=(*_force_marks(result, len(stepped) - 1), *_region_marks(result.model)),
        signals={
            "objective": Signal(unit, np.append(scale * result.frames.objective, unmeasured)),
            "overlap": Signal(result.model.units, np.append(overlap, unmeasured)),
        },
        events=(Event(float(values[len(stepped) - 1]), result.message, result.status.name.lower()),),
    )


def _travel(result: FlexResult, poses: Floats) -> Floats:
    """How far the body that moves most from each frame to the next has gone in all, (F,)."""
    corners = [np.vstack(shape.rings) for shape in result.shapes]
    middles = np.array([ring.mean(axis=0) for ring in corners])
    radii = np.array([np.hypot(*(ring - ring.mean(axis=0)).T).max() for ring in corners])
    moved = np.diff(carry(poses, middles[result.shape_of]), axis=0)
    turned = np.abs(np.diff(poses[..., 2], axis=0)) * radii[result.shape_of]
    return np.append(0.0, np.cumsum((np.hypot(*np.moveaxis(moved, -1, 0)) + turned).max(axis=1)))


def _departure(result: FlexResult) -> Floats:
    """What leaves by a straight way that was played, going as far as the assembly is large: (K, B, 3)."""
    last, leaving = result.frames.poses[-1], result.leaving
    if leaving is None:
        return np.zeros((0, *last.shape))
    number = {body.name: k for k, body in enumerate(result.model.bodies)}
    velocity = np.zeros_like(last)
    for name, direction in zip(leaving.bodies, leaving.velocities, strict=True):
        velocity[number[name], :2] = direction
    outlines = [np.vstack(result.shapes[k].rings) for k in result.shape_of]
    corners = np.vstack([carry(pose, ring) for pose, ring in zip(last, outlines, strict=True)])
    share = np.arange(1, DEPARTURE_FRAMES + 1)[:, None, None] / DEPARTURE_FRAMES
    return last + share * float(np.ptp(corners, axis=0).max()) * velocity


def _force_marks(result: FlexResult, frame: int) -> list[Mark]:
    """An arrow a loaded contact, the longest as a typical body, at the final pose; loads have figures."""
    chain = result.chain
    if chain is None or not len(chain.strength):
        return []
    spans = [np.ptp(np.vstack(shape.rings), axis=0).max() for shape in result.shapes]
    share = chain.forces / chain.strength.max()  # of forces that may be as small as numbers go
    arrows = min(float(np.median(spans)), LONGEST * _extent(result)) * share
    marks = [
        Mark("arrow", np.stack([point - arrow, point]), frame, group="force", value=float(strength))
        for point, arrow, strength in zip(chain.points, arrows, chain.strength, strict=True)
    ]
    unit = " N" if in_newtons(result.model, result.study) else ""
    return marks + [
        Mark("label", np.array([one.at]), frame, text=f"{one.size:.3g}{unit}", group="force")
        for one in result.reactions[:LABELLED]
    ]


def _extent(result: FlexResult) -> float:
    """The larger side of the box around all parts as drawn."""
    placed = zip(result.frames.poses[0], result.shape_of, strict=True)
    corners = np.vstack([carry(pose, np.vstack(result.shapes[shape].rings)) for pose, shape in placed])
    return float(np.ptp(corners, axis=0).max())


def _region_marks(model: Assembly) -> list[Mark]:
    return [Mark("polygon", np.array(keep.inside), group="keep", text=keep.body) for keep in model.keep]


# Before anything moves


def drawn_frame(model: Assembly) -> Motion:
    """One frame: the parts as they will move (inset by the clearance), pins, regions and sights."""
    parts = compile_parts(model)
    return Motion(
        axis="drawn",
        unit="",
        values=np.zeros(1),
        title=model.title,
        length_unit=model.units,
        bodies=parts.members.names,
        shapes=parts.members.shapes,
        body_shapes=parts.members.shape_of,
        fixed=parts.moving[parts.members.body] < 0,
        poses=parts.member_poses(parts.drawn)[None],
        marks=tuple(_drawn_marks(model, parts.extent)),
    )


def _drawn_marks(model: Assembly, extent: float) -> Iterator[Mark]:
    poses = {body.name: np.array(body.pose) for body in model.bodies}
    circle = np.linspace(0, 2 * np.pi, 33)[:-1]
    for pin in model.pins:
        radius = max(pin.clearance / 2, 0.006 * extent)
        disc = np.array(pin.at) + radius * np.stack([np.cos(circle), np.sin(circle)], axis=1)
        yield Mark("polygon", disc, group="pin")
    for keep in model.keep:
        yield Mark("polygon", np.array(keep.inside), group="keep")
    for sight in model.sights:
        apex = carry(poses[sight.viewer], np.array(sight.apex))
        reach = 1.1 * float(np.linalg.norm(carry(poses[sight.to], np.array(sight.marker)) - apex))
        spread = np.linspace(-1, 1, 9) * sight.half_angle + sight.axis + poses[sight.viewer][2]
        rim = apex + reach * np.stack([np.cos(spread), np.sin(spread)], axis=1)
        yield Mark("polygon", np.vstack([apex, rim]), group="sight")


def sketch(data: Mapping[str, Any], faults: Sequence[Fault]) -> Iterator[Mark]:
    """Outlines of a file with faults, each body with its own."""
    for index, body in enumerate(tables(data.get("bodies"))):
        yield from part(f"bodies[{index}]", body, data.get("shapes"), faults)
