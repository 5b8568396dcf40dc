"""Round and slanted everyday things, which are easier to make by rule than to write by hand."""

from __future__ import annotations

import math

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.flex.model import Assembly, Body, Outline, Region, Study, Term


def circle(radius: float, sides: int, around: bool = False) -> Outline:
    """A regular polygon with flats to the right, top, left and bottom where `sides` is a multiple of 4.

    Its corners lie on the circle, or, with `around`, its sides touch it from outside.
    """
    reach = radius / math.cos(math.pi / sides) if around else radius
    angles = math.tau * (np.arange(sides) + 0.5) / sides
    return _ring(reach * np.column_stack([np.cos(angles), np.sin(angles)]))


def round_peg(diameter: float = 10.0, clearance: float = 0.2, sides: int = 48) -> Assembly:
    """A round peg in a round hole: it travels by the clearance, whichever way.

    Args:
        diameter: of peg and hole as drawn (mm).
        clearance: between them (mm).
        sides: of the polygons that stand for circles.

    Returns:
        The assembly, asked how far the peg goes along x.
    """
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
    """A pulley on a shaft with a key: how far it turns before the key takes the load.

    Args:
        radius: of the shaft (mm).
        key: width of the key (mm).
        clearance: between shaft and bore (mm).
        sides: of the polygons that stand for circles.

    Returns:
        The assembly, asked how far the pulley turns counter-clockwise.
    """
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
    """A full ring of balls between two races: how far the inner race wanders.

    Args:
        balls: how many.
        radius: of the circle of the balls' centres (mm).
        clearance: between balls and races (mm).
        sides: of the polygon that stands for a ball.

    Returns:
        The assembly, asked how far the inner race goes along x.
    """
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
    """Bricks of 20 by 10 in running bond inside a frame: how far one of them turns.

    Args:
        columns: bricks in a full course.
        rows: courses.
        clearance: between bricks (mm).

    Returns:
        The assembly, asked how far the middle brick turns counter-clockwise.
    """
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
    """A stand of three laser-cut parts, flared feet in a base: how far the rest gives when pushed.

    Args:
        clearance: between the parts (mm).
        lean: angle of the rest from the table (rad).

    Returns:
        The assembly, asked how far the rest's tip goes along x.
    """
    foot, strut_foot, thickness = np.array([26.0, 5.0]), np.array([86.0, 5.0]), 6.0
    rest = _plate(foot, foot + _polar_vector(lean, 110.0), thickness)
    strut = _plate(strut_foot, foot + _polar_vector(lean, 62.0), thickness)
    lip = shapely.Polygon(((0, 0), (8, 0), (8, 20), (4, 20), (0, 12)))
    base = shapely.Polygon(_box(0, 0, 104, 13)) | lip
    tip = foot + _polar_vector(lean, 110.0)
    return Assembly(
        title="A phone stand of laser-cut parts",
        clearance=clearance,
        bodies=(
            Body(name="base", outline=_exterior(base - rest - strut), fixed=True),
            Body(name="rest", outline=_exterior(rest - strut)),
            Body(name="strut", outline=_exterior(strut)),
        ),
        study=Study(
            maximize=(Term(body="rest", direction=(1.0, 0.0), point=(float(tip[0]), float(tip[1]))),)
        ),
    )


def _frame_around(width: float, height: float, wall: float = 6.0) -> Body:
    outline = _box(-wall, -wall, width + wall, height + wall)
    return Body(name="frame", outline=outline, holes=(_box(0, 0, width, height),), fixed=True)


def _plate(foot: Floats, head: Floats, thickness: float) -> shapely.Polygon:
    """A plate on edge from foot to head, flared at the foot so that it cannot be pulled out."""
    length = float(np.hypot(*(head - foot)))
    along = (head - foot) / length
    across = 0.5 * thickness * np.array([-along[1], along[0]])
    ankle = foot + thickness * along
    return shapely.Polygon(
        [
            foot - 1.5 * across,
            ankle - across,
            head - across,
            head + across,
            ankle + across,
            foot + 1.5 * across,
        ]
    )


def _polar_vector(angle: float, length: float) -> Floats:
    return length * np.array([math.cos(angle), math.sin(angle)])


def _exterior(area: shapely.Geometry) -> Outline:
    if not isinstance(area, shapely.Polygon) or area.interiors:
        raise ValueError(f"a plate falls into pieces: {shapely.to_wkt(area)}; move its slots apart")
    return _ring(shapely.get_coordinates(area.exterior)[:-1])


def _box(left: float, bottom: float, right: float, top: float) -> Outline:
    return ((left, bottom), (right, bottom), (right, top), (left, top))


def _ring(points: Floats) -> Outline:
    return tuple((x, y) for x, y in points.tolist())
