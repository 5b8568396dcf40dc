"""A separation result as a motion: parts leave one after the other; or, where none does, what can move."""

from __future__ import annotations

import numpy as np

from pliant.core.motion import Event, Mark, Motion
from pliant.core.plot import Plot
from pliant.core.pose import carry
from pliant.flex.model import held_bodies
from pliant.flex.separation.result import SeparationResult


def motion(result: SeparationResult) -> Motion:
    """All ways out after each other, paced by travel."""
    frames = [result.drawn[None], *(way.frames[1:] for way in result.ways)]
    poses = np.concatenate(frames)
    starts = np.cumsum([len(each) for each in frames])[:-1] - 1  # the frame that each way begins at
    held, _ = held_bodies(result.model)
    middles = np.array([np.vstack(result.shapes[shape].rings).mean(axis=0) for shape in result.shape_of])
    moved = np.diff(carry(poses, middles), axis=0)
    values = np.append(0.0, np.cumsum(np.hypot(*np.moveaxis(moved, -1, 0)).max(axis=1)))
    order = np.full(len(result.model.bodies), np.nan)
    names = [body.name for body in result.model.bodies]
    for number, way in enumerate(result.ways, 1):
        order[[names.index(name) for name in way.bodies]] = number
    return Motion(
        axis="travel",
        unit=result.model.units,
        values=values,
        title=result.model.title,
        length_unit=result.model.units,
        bodies=tuple(names),
        shapes=result.shapes,
        body_shapes=result.shape_of,
        fixed=np.array([name in held for name in names]),
        poses=poses,
        body_scalars={"order": np.repeat(order[None], len(poses), axis=0)} if result.ways else {},
        marks=() if result.ways else _arrows(result),
        events=tuple(
            Event(
                float(values[start]),
                f"{', '.join(way.bodies[:4])} leave{'s' * (len(way.bodies) == 1)}",
                "leaves",
            )
            for start, way in zip(starts, result.ways, strict=True)
        ),
    )


def _arrows(result: SeparationResult) -> tuple[Mark, ...]:
    """Velocities to first order, the fastest half as long as a typical body."""
    if not result.moves:
        return ()
    spans = [np.ptp(np.vstack(shape.rings), axis=0).max() for shape in result.shapes]
    fastest = max(np.hypot(x, y) for x, y, _ in result.moves.values()) or 1.0
    length = 0.5 * float(np.median(spans)) / fastest
    marks: list[Mark] = []
    for place, body in enumerate(result.model.bodies):
        x, y, _ = result.moves.get(body.name, (0.0, 0.0, 0.0))
        if np.hypot(x, y) > 1e-3 * fastest:
            middle = np.vstack(result.shapes[result.shape_of[place]].rings).mean(axis=0)
            tail = carry(result.drawn[place], middle)
            marks.append(Mark("arrow", np.stack([tail, tail + length * np.array([x, y])]), group="velocity"))
    return tuple(marks)


def plots(result: SeparationResult) -> dict[str, Plot]:
    """None: an order is not a chart."""
    return {}
