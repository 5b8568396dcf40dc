"""Round and slanted everyday things, which are easier to make by rule than to write by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray

from pliant.flex.model import Assembly, Body, Region, Study, Term

Floats = NDArray[np.float64]
Ring = tuple[tuple[float, float], ...]


def circle(radius: float, sides: int, around: bool = False) -> Ring:
    """A regular polygon with flats to the right, top, left and bottom where `sides` is a multiple of 4.

    Its corners lie on the circle, or, with `around`, its sides touch it from outside.
    """
    reach = radius / math.cos(math.pi / sides) if around else radius
    angles = math.tau * (np.arange(sides) + 0.5) / sides
    return _ring(reach * np.column_stack([np.cos(angles), np.sin(angles)]))


def round_peg(diameter: float = 10.0, clearance: float = 0.2, sides: int = 48) -> Assembly:
    """A round peg in a round hole: it travels by the clearance, whichever way."""
    half = 0.9 * diameter
    block = Region(outline=_box(-half, -half, half, half), holes=(circle(0.5 * diameter, sides),))
    return Assembly(
        title="A round peg in a round hole",
        clearance=clearance,
        shapes={"block": block},
        bodies=(
            Body(name="block", shape="block", fixed=True),
            Body(name="peg", outline=circle(0.5 * diameter, sides)),
        ),
        study=Study(maximize=(Term(body="peg", direction=(1.0, 0.0)),)),
    )


def keyed_shaft(radius: float = 12.0, key: float = 6.0, clearance: float = 0.1, sides: int = 60) -> Assembly:
    """A pulley on a shaft with a key: how far it turns before the key takes the load."""
    shaft = shapely.Polygon(circle(radius, sides)) | shapely.box(-0.5 * key, 0, 0.5 * key, radius + 0.6 * key)
    bore = _ring(shapely.get_coordinates(shaft)[:-1])
    return Assembly(
        title="A pulley on a keyed shaft",
        clearance=clearance,
        bodies=(
            Body(name="shaft", outline=bore, fixed=True),
            Body(name="pulley", outline=circle(2.2 * radius, sides), holes=(bore,)),
        ),
        study=Study(maximize=(Term(body="pulley", spin=1.0),)),
    )


def bearing(balls: int = 9, radius: float = 20.0, clearance: float = 0.1, sides: int = 32) -> Assembly:
    """A full ring of balls between two races: how far the inner race wanders."""
    ball = radius * math.sin(math.pi / balls)
    races = 4 * sides
    angles = math.tau * np.arange(balls) / balls + 0.5 * math.pi
    return Assembly(
        title=f"A bearing of {balls} balls",
        clearance=clearance,
        shapes={"ball": circle(ball, sides)},
        bodies=(
            Body(
                name="outer",
                outline=circle(radius + 1.7 * ball, races),
                holes=(circle(radius + ball, races, around=True),),
                fixed=True,
            ),
            Body(name="inner", outline=circle(radius - ball, races), holes=(circle(0.35 * radius, sides),)),
            *(
                Body(name=f"ball{i}", shape="ball", pose=(radius * math.cos(a), radius * math.sin(a), a))
                for i, a in enumerate(angles.tolist())
            ),
        ),
        study=Study(maximize=(Term(body="inner", direction=(1.0, 0.0)),)),
    )


def bricks(columns: int = 4, rows: int = 5, clearance: float = 0.3) -> Assembly:
    """Bricks of 20 by 10 in running bond inside a frame: how far one of them turns."""
    brick, half = _box(-10, -5, 10, 5), _box(-5, -5, 5, 5)
    bodies = [_frame_around(20.0 * columns, 10.0 * rows)]
    for row in range(rows):
        shifted = row % 2
        if shifted:
            bodies.append(Body(name=f"left{row}", shape="half", pose=(5, 10 * row + 5, 0)))
        for column in range(columns - shifted):
            pose = (20.0 * column + 10 * (1 + shifted), 10.0 * row + 5, 0.0)
            bodies.append(Body(name=f"b{column}_{row}", shape="brick", pose=pose))
        if shifted:
            bodies.append(Body(name=f"right{row}", shape="half", pose=(20 * columns - 5, 10 * row + 5, 0)))
    middle = f"b{(columns - rows // 2 % 2) // 2}_{rows // 2}"
    return Assembly(
        title=f"{columns} × {rows} bricks in a frame",
        clearance=clearance,
        shapes={"brick": brick, "half": half},
        bodies=tuple(bodies),
        study=Study(maximize=(Term(body=middle, spin=1.0),)),
    )


def phone_stand(clearance: float = 0.2, lean: float = math.radians(68)) -> Assembly:
    """Three laser-cut plates from the side, each tab in a slot of the next: how far the rest gives."""
    rest = _plate((24.0, 3.5), lean, 112.0, 5.0)
    towards = np.array([24.0, 3.5]) + 62.0 * np.array([math.cos(lean), math.sin(lean)])
    foot = np.array([86.0, 3.5])
    reach = towards - foot
    strut = _plate(tuple(foot.tolist()), math.atan2(reach[1], reach[0]), float(np.hypot(*reach)), 5.0)
    base = shapely.Polygon(_box(0, 0, 100, 9)) | shapely.Polygon(((0, 0), (7, 0), (7, 16), (3, 16), (0, 9)))
    return Assembly(
        title="A phone stand of laser-cut plates",
        clearance=clearance,
        bodies=(
            Body(name="base", outline=_exterior(base - rest - strut), fixed=True),
            Body(name="rest", outline=_exterior(rest - strut)),
            Body(name="strut", outline=_exterior(strut)),
        ),
        study=Study(maximize=(Term(body="rest", direction=(1.0, 0.0), point=_tip(rest)),)),
    )


def _frame_around(width: float, height: float, wall: float = 6.0) -> Body:
    outline = _box(-wall, -wall, width + wall, height + wall)
    return Body(name="frame", outline=outline, holes=(_box(0, 0, width, height),), fixed=True)


def _plate(start: Sequence[float], angle: float, length: float, thickness: float) -> shapely.Polygon:
    """A plate on edge, from the middle of one end."""
    along = np.array([math.cos(angle), math.sin(angle)])
    across = 0.5 * thickness * np.array([-along[1], along[0]])
    foot, head = np.array(start), np.array(start) + length * along
    return shapely.Polygon([foot - across, head - across, head + across, foot + across])


def _tip(plate: shapely.Polygon) -> tuple[float, float]:
    x, y = max(shapely.get_coordinates(plate).tolist(), key=lambda corner: corner[1])
    return x, y


def _exterior(area: shapely.Geometry) -> Ring:
    if not isinstance(area, shapely.Polygon) or area.interiors:
        raise ValueError(f"a plate falls into pieces: {shapely.to_wkt(area)}; move its slots apart")
    return _ring(shapely.get_coordinates(area.exterior)[:-1])


def _box(left: float, bottom: float, right: float, top: float) -> Ring:
    return ((left, bottom), (right, bottom), (right, top), (left, top))


def _ring(points: Floats) -> Ring:
    return tuple((x, y) for x, y in points.tolist())
