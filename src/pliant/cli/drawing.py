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


def drawn(model: Model) -> Motion:
    """One frame: the model at its drawn pose."""
    if model.kind == "assembly":
        return _assembly(model)
    return _linkage(model) if model.kind == "linkage" else _mechanism(model)


def _linkage(model: Linkage) -> Motion:
    from pliant.linkage.drawing import picture

    points = np.array(list(model.joints.values()))
    return picture(model, np.zeros(1), points[None], axis="drawn", unit="")


def _mechanism(model: Mechanism) -> Motion:
    from pliant.relax.drawing import drawn

    return drawn(model)


def _assembly(model: Assembly) -> Motion:
    """The parts as they will move (inset by the clearance), pins, regions and sights."""
    from pliant.flex.parts import compile_parts

    parts = compile_parts(model)
    return Motion(
        axis="drawn",
        unit="",
        values=np.zeros(1),
        title=model.title,
        length_unit=model.units,
        bodies=parts.names,
        shapes=tuple(Shape(rings) for rings in parts.shapes),
        body_shapes=parts.shape_of,
        fixed=parts.moving[:-1] < 0,
        poses=parts.drawn[None, :-1],
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
