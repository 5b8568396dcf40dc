"""Parts extruded: closed surfaces of triangles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from pliant.core.arrays import Floats, Ints
from pliant.core.errors import PliantError
from pliant.files.parts.part import Part, Piece, piece_rings
from pliant.files.parts.sheet import CutSheet


@dataclass(frozen=True)
class Mesh:
    """A closed surface, its triangles left about as seen from outside."""

    name: str
    points: Floats  # (V, 3) mm
    triangles: Ints  # (T, 3) places in points


def meshes(sheet: CutSheet, thickness: float, chord: float) -> list[Mesh]:
    """Every part as a plate; in place, those of higher layers lie upon those of lower ones."""
    return [
        _extruded(part, thickness, chord, (part.level or 0) * thickness if sheet.in_place else 0.0)
        for part in sheet.parts
    ]


def _extruded(part: Part, thickness: float, chord: float, floor: float) -> Mesh:
    points: list[Floats] = []
    triangles: list[Ints] = []
    count = 0
    for piece in part.pieces:
        corners, faces = _prism(piece, thickness, chord, floor)
        points.append(corners)
        triangles.append(faces + count)
        count += len(corners)
    mesh = Mesh(part.name, np.concatenate(points), np.concatenate(triangles))
    if not is_closed(mesh.triangles):
        raise PliantError(f"{part.name}: no closed surface was found for it. Simplify its outline.")
    return mesh


def _prism(piece: Piece, thickness: float, chord: float, floor: float) -> tuple[Floats, Ints]:
    """Corners at the bottom, then those at the top; faces of bottom, top and sides."""
    rings = piece_rings(piece, chord)
    flat = np.concatenate(rings)
    face = _triangulated(rings, flat)
    count = len(flat)
    sides = [_sides(start, len(ring), count) for start, ring in zip(_starts(rings), rings, strict=True)]
    bottom = np.column_stack([flat, np.full(count, floor)])
    top = np.column_stack([flat, np.full(count, floor + thickness)])
    return np.concatenate([bottom, top]), np.concatenate([face[:, ::-1], face + count, *sides])


def _starts(rings: Sequence[Floats]) -> list[int]:
    return [0, *np.cumsum([len(ring) for ring in rings])[:-1].tolist()]


def _triangulated(rings: Sequence[Floats], flat: Floats) -> Ints:
    """Triangles (T, 3), left about, between the corners of a region."""
    region = shapely.Polygon(rings[0], rings[1:])
    found = shapely.get_parts(shapely.constrained_delaunay_triangles(region))
    corners = shapely.get_coordinates(found).reshape(-1, 4, 2)[:, :3]
    places = {point: number for number, point in enumerate(map(tuple, flat.tolist()))}
    face = np.array([[places[tuple(point)] for point in one] for one in corners.tolist()], np.int64)
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    right_about = first[:, 0] * second[:, 1] < first[:, 1] * second[:, 0]
    return np.where(right_about[:, None], face[:, ::-1], face)


def _sides(start: int, length: int, count: int) -> Ints:
    """Two triangles for each edge of a ring whose material is on its left."""
    here = start + np.arange(length)
    there = start + np.roll(np.arange(length), -1)
    return np.concatenate(
        [
            np.stack([here, there, there + count], axis=1),
            np.stack([here, there + count, here + count], axis=1),
        ]
    )


def is_closed(triangles: Ints) -> bool:
    """Whether every edge of every triangle is met once, the other way about, by another."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    forth = edges[:, 0] * (edges.max() + 1) + edges[:, 1]
    back = edges[:, 1] * (edges.max() + 1) + edges[:, 0]
    return len(np.unique(forth)) == len(forth) and np.array_equal(np.sort(forth), np.sort(back))
