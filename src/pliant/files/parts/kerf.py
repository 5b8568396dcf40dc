"""What a cutter follows so that a part is left as drawn: outlines grow, holes shrink, by half the kerf."""

from __future__ import annotations

from dataclasses import replace

import shapely

from pliant.core.errors import Fault
from pliant.core.offset import offset_region
from pliant.core.outline import open_ring
from pliant.files.parts.part import Circle, Loop, Part, Piece, piece_region

CHORD = 1e-3  # mm: of circles where it is looked whether they still lie within their outline


def with_kerf(part: Part, kerf: float) -> Part | Fault:
    """The part as it is cut, or what the kerf does to it."""
    if not kerf:
        return part
    pieces: list[Piece] = []
    for piece in part.pieces:
        grown = _grown(piece, kerf / 2)
        if isinstance(grown, str):
            cure = "Cut with a smaller --kerf, or open it up"
            return Fault(part.name, f"{grown} beside a kerf of {kerf:g} mm", cure, (part.name,))
        pieces.append(grown)
    return replace(part, pieces=tuple(pieces))


def _grown(piece: Piece, by: float) -> Piece | str:
    """A piece with `by` of material added on every side, or what is lost by that."""
    round_holes = [hole for hole in piece.holes if isinstance(hole, Circle)]
    if any(hole.radius <= by for hole in round_holes):
        return "a hole vanishes"
    shrunk = [Circle(hole.x, hole.y, hole.radius - by) for hole in round_holes]
    if isinstance(piece.outline, Circle):
        disc = Circle(piece.outline.x, piece.outline.y, piece.outline.radius + by)
        return Piece(disc, tuple(shrunk))
    drawn = shapely.Polygon(piece.outline, [hole for hole in piece.holes if not isinstance(hole, Circle)])
    if lost := _lost(drawn, by):
        return lost
    made = offset_region(drawn, by)[0]
    outline, *holes = [open_ring(shapely.get_coordinates(ring)) for ring in (made.exterior, *made.interiors)]
    grown = Piece(outline, (*holes, *shrunk))
    return grown if not shrunk or piece_region(grown, CHORD).is_valid else "a pin hole meets another hole"


def _lost(drawn: shapely.Polygon, by: float) -> str:
    """Which loop is not one loop any more, or ""."""
    if len(offset_region(shapely.Polygon(drawn.exterior), by)[0].interiors):
        return "a notch of the outline closes"
    for number, hole in enumerate(drawn.interiors):
        left = offset_region(shapely.Polygon(hole), -by)
        if len(left) != 1:
            return f"hole {number} {'breaks into several' if left else 'vanishes'}"
    return ""


def drilled(piece: Piece, holes: tuple[Circle, ...]) -> Piece | None:
    """A piece with round holes, or None where they do not lie within it and apart."""
    loops: tuple[Loop, ...] = (*piece.holes, *holes)
    made = Piece(piece.outline, loops)
    return made if piece_region(made, CHORD).is_valid else None
