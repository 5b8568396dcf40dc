"""A model as it is drawn, before anything moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pliant.core.motion import Mark, Motion, Shape
from pliant.core.pose import carry

if TYPE_CHECKING:
    from pliant.files.kinds import Model
    from pliant.flex.model import Assembly
    from pliant.linkage.model import Linkage
    from pliant.relax.model import Mechanism
    from pliant.snap.model import Fastener


def drawn_frame(model: Model) -> Motion:
    """One frame: the model at its drawn pose."""
    if model.kind == "assembly":
        return _assembly(model)
    if model.kind == "linkage":
        return _linkage(model)
    return _mechanism(model) if model.kind == "mechanism" else _fastener(model)


def _linkage(model: Linkage) -> Motion:
    from pliant.linkage.drawing import picture

    points = np.array(list(model.joints.values()))
    return picture(model, np.zeros(1), points[None], axis="drawn", unit="")


def _mechanism(model: Mechanism) -> Motion:
    from pliant.relax.drawing import drawn_frame

    return drawn_frame(model)


def _assembly(model: Assembly) -> Motion:
    """The parts as they will move (inset by the clearance), pins, regions and sights."""
    from pliant.flex.geometry.parts import compile_parts

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
        marks=tuple(_marks(model, parts.extent)),
    )


def _marks(model: Assembly, extent: float) -> Iterator[Mark]:
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


def _fastener(model: Fastener) -> Motion:
    """Obstacles, the root and the pawls at rest; hinges, and the way the first of them is to go."""
    from pliant.snap.faults import ROOT

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
    from pliant.snap.sweep.plan import plan_legs

    hinges = np.array([pawl.hinge for pawl in model.pawls], np.float64)
    reach = max(float(np.ptp(np.array(model.outline(pawl), np.float64))) for pawl in model.pawls)
    around = np.linspace(0, 2 * np.pi, 17)
    for hinge in hinges:
        ring = 0.03 * reach * np.stack([np.cos(around), np.sin(around)], axis=1)
        yield Mark("curve", hinge + ring, group="hinge")
    start = hinges[0]
    for leg in plan_legs(model):
        end = start + np.array(leg.velocity, np.float64) * float(leg.until)
        yield Mark("arrow", np.stack([start, end]), group="plan")
        start = end
