"""The parts of an assembly and of a fastener, as their solves take them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import shapely

from pliant.core.errors import Fault, InputError
from pliant.core.outline import open_ring
from pliant.core.pose import uncarry
from pliant.files.parts.kerf import drilled
from pliant.files.parts.part import Circle, Part, Piece
from pliant.flex.geometry.bodies import RigidBody, rigid_bodies
from pliant.flex.geometry.solid import region
from pliant.flex.model import Assembly
from pliant.snap.model import Fastener


def assembly_parts(model: Assembly, pin: float | None) -> list[Part]:
    """Every rigid body, the clearance taken off; in the file's unit.

    With the diameter of a pin, bodies that are pinned are drilled: the hole of the first is wider by the
    pin's clearance, and the second holds the pin.
    """
    layered = len({body.layer for body in model.bodies}) > 1
    lowest = min(body.layer for body in model.bodies)
    faults: list[Fault] = []
    parts: list[Part] = []
    for body in rigid_bodies(model):
        pieces = tuple(_piece(polygon) for polygon in shapely.get_parts(region(body.rings)))
        x, y, angle = body.drawn.tolist()
        layer = model.bodies[body.members[0]].layer
        names = " + ".join(model.bodies[member].name for member in body.members)
        part = Part(names, pieces, (x, y, angle))
        if layered:
            part = replace(part, level=layer - lowest, layer=f"layer {layer}")
        made = part if pin is None else _with_pin_holes(part, _pin_holes(model, body, pin))
        (faults if isinstance(made, Fault) else parts).append(made)  # type: ignore[arg-type]
    if faults:
        raise InputError(faults)
    return parts


def _piece(polygon: shapely.Polygon) -> Piece:
    outline, *holes = [
        open_ring(shapely.get_coordinates(ring)) for ring in (polygon.exterior, *polygon.interiors)
    ]
    return Piece(outline, tuple(holes))


def _pin_holes(model: Assembly, body: RigidBody, pin: float) -> list[Circle]:
    names = {model.bodies[member].name for member in body.members}
    holes: list[Circle] = []
    for joint in model.pins:
        for name, wider in zip(joint.bodies, (joint.clearance, 0.0), strict=True):
            if name in names:
                x, y = uncarry(body.drawn, np.array(joint.at)).tolist()
                holes.append(Circle(x, y, (pin + wider) / 2))
    return holes


def _with_pin_holes(part: Part, holes: list[Circle]) -> Part | Fault:
    by_piece: defaultdict[int, list[Circle]] = defaultdict(list)
    for hole in holes:
        distances = [
            shapely.distance(_outside(piece), shapely.Point(hole.x, hole.y)) for piece in part.pieces
        ]
        by_piece[int(np.argmin(distances))].append(hole)
    pieces = list(part.pieces)
    for number, own in by_piece.items():
        made = drilled(pieces[number], tuple(own))
        if made is None:
            problem = f"a pin hole of {2 * max(hole.radius for hole in own):g} does not lie within it"
            return Fault(part.name, problem, "Give a thinner --pin, or leave it out", (part.name,))
        pieces[number] = made
    return replace(part, pieces=tuple(pieces))


def _outside(piece: Piece) -> shapely.Polygon:
    return shapely.Polygon(piece.outline)  # type: ignore[arg-type]  # of an assembly, outlines are corners


def fastener_parts(model: Fastener) -> list[Part]:
    """Pawls at rest, obstacles, and the root where it is drawn; in the file's unit."""
    drawn = [(pawl.name, model.outline_at_rest(pawl), pawl.hinge) for pawl in model.pawls]
    drawn += [(model.label(number), model.outline(one), one.at) for number, one in enumerate(model.obstacles)]
    if model.root.outline is not None:
        drawn.append(("root", model.root.outline, (0, 0)))  # type: ignore[list-item]
    return [
        Part(name, (Piece(open_ring(np.array(outline, np.float64))),), (float(at[0]), float(at[1]), 0.0))
        for name, outline, at in drawn
    ]
