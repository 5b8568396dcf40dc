"""Shapes inset by depths that are told apart: their regions, sides and convex corners."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import shapely
from scipy.spatial import KDTree

from pliant.core.arrays import Floats, Geometries, Ints
from pliant.flex.geometry.parts import STRAIGHT, Parts

if TYPE_CHECKING:  # numba comes with it
    from pliant.flex.contact.kernels import Sides

LEVELS = (0.02, 0.1, 0.3, 1.0)  # of what is allowed: how deep a vertex may be found to get
CHORD = 0.2  # of what is allowed: how far a chord may err from a vertex's way
RUN = 16  # sides that are boxed together


@dataclass(frozen=True)
class Corners:
    """Convex corners of inset shapes, by the vertex of the outline that each is nearest to."""

    starts: Ints  # (N + 1,) where those of each vertex begin, of shape after shape
    point: Floats  # (C, 2) in the centroid frame of the shape

    def beside(self, vertex: Ints) -> tuple[Ints, Floats]:
        """Those of vertices (G,) of shapes: which each is beside, (K,), and where it is, (K, 2)."""
        first, count = self.starts[vertex], self.starts[vertex + 1] - self.starts[vertex]
        which = np.repeat(np.arange(len(vertex)), count)
        return which, self.point[np.arange(len(which)) + (first - np.cumsum(count) + count)[which]]


@dataclass(frozen=True)
class Insets:
    """Outlines inset by each of the depths that are told apart, prepared for many questions."""

    parts: Parts
    allowed: float

    @property
    def chord(self) -> float:
        """How far a chord may err from a way."""
        return CHORD * self.allowed

    @cached_property
    def depths(self) -> tuple[float, ...]:
        """How deep those are that are told apart, the greatest last."""
        return tuple(level * (1 - CHORD) * self.allowed for level in LEVELS)

    @cached_property
    def whole(self) -> Geometries:
        """The shapes themselves, (S,)."""
        shapely.prepare(self.parts.regions)
        return self.parts.regions

    def regions(self, depth: float) -> Geometries:
        """The shapes inset so much, and the shapes themselves after them, (2S,)."""
        return np.concatenate([self.parts.inset(depth), self.whole])

    @cached_property
    def sides(self) -> Sides:
        """The sides of the shapes inset by the greatest depth, and of the shapes themselves."""
        return _sides(self.regions(self.depths[-1]))

    def corners_beside(self, vertex: Ints, depth: float) -> tuple[Ints, Floats]:
        """Convex corners of bodies inset by a depth, by the vertices (G,) of bodies that they are beside.

        Of each which of the vertices it is beside, (K,), and where it is in its centroid frame, (K, 2).
        """
        if depth not in self._corners:
            self._corners[depth] = _corners(self.parts, self.parts.inset(depth))
        return self._corners[depth].beside(self._vertex_of_shape[vertex])

    @cached_property
    def reach(self) -> Floats:
        """How far from each vertex the corners beside it are, at most, and no less than is allowed, (V,).

        At every depth: a spike that is lost at the greatest has the farthest corners at those before.
        """
        reach = np.full(len(self.parts.outlines.body), self.allowed)
        for depth in self.depths:
            which, at = self.corners_beside(np.arange(len(reach)), depth)
            np.maximum.at(reach, which, np.hypot(*(at - self.parts.outlines.point[which]).T))
        return reach

    @cached_property
    def _vertex_of_shape(self) -> Ints:
        """The place of each vertex of a body among those of shape after shape, (V,)."""
        starts, shape_of = self.parts.outlines.starts, self.parts.shape_of
        size = np.diff(starts)[np.unique(shape_of, return_index=True)[1]]
        first = np.cumsum(size) - size
        body = self.parts.outlines.body
        return np.arange(len(body)) + (first[shape_of] - starts[:-1])[body]

    @cached_property
    def _corners(self) -> dict[float, Corners]:
        return {}


def _sides(polygons: Geometries) -> Sides:
    from pliant.flex.contact.kernels import Sides

    lines, shape = shapely.get_parts(shapely.boundary(polygons), return_index=True)
    points, line = shapely.get_coordinates(lines, return_index=True)
    joined = np.flatnonzero(line[1:] == line[:-1])
    ends, line = np.hstack([points[joined], points[joined + 1]]), line[joined]
    place = np.arange(len(line)) - np.searchsorted(line, line)  # along its ring
    starts = np.flatnonzero(place % RUN == 0)
    low, high = np.minimum(ends[:, :2], ends[:, 2:]), np.maximum(ends[:, :2], ends[:, 2:])
    box = np.zeros((0, 4))
    if len(starts):
        box = np.hstack([np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)])
    runs = np.searchsorted(shape[line[starts]], np.arange(len(polygons) + 1))
    return Sides(runs, np.append(starts, len(line)), box, ends)


def _corners(parts: Parts, polygons: Geometries) -> Corners:
    """The convex corners of inset shapes, each beside the nearest convex vertex of its shape."""
    outlines, body = parts.outlines, np.unique(parts.shape_of, return_index=True)[1]
    own = np.flatnonzero(np.isin(outlines.body, body))  # shapes are in the order of their first bodies
    convex = np.flatnonzero(outlines.convex[own])
    shape = parts.shape_of[outlines.body[own[convex]]]
    point, polygon = _convex_corners(polygons)
    apart = 4.0 * float(parts.radius.max())  # shape from shape, for each to find its own
    tree = KDTree(np.column_stack([outlines.point[own[convex]], apart * shape]))
    beside = convex[tree.query(np.column_stack([point, apart * polygon]))[1]]
    order = np.argsort(beside, kind="stable")
    return Corners(np.searchsorted(beside[order], np.arange(len(own) + 1)), point[order])


def _convex_corners(polygons: Geometries) -> tuple[Floats, Ints]:
    """The convex corners of polygons with holes, (C, 2), and the polygon that each is of."""
    pieces, polygon = shapely.get_parts(polygons, return_index=True)
    rings, piece = shapely.get_rings(pieces, return_index=True)
    outside = np.diff(piece, prepend=np.int64(-1)) > 0
    sign = np.where(shapely.is_ccw(rings) == outside, 1.0, -1.0)  # of a turn to where the polygon is
    points, ring = shapely.get_coordinates(rings, return_index=True)
    starts = np.searchsorted(ring, np.arange(len(rings) + 1))
    arm = np.diff(points, axis=0, append=points[-1:])
    before = np.arange(len(points)) - 1
    before[starts[:-1]] = starts[1:] - 2  # a ring's last point is its first
    arriving = arm[before]
    sine = arriving[:, 0] * arm[:, 1] - arriving[:, 1] * arm[:, 0]
    turn = sign[ring] * sine > STRAIGHT * np.hypot(*arriving.T) * np.hypot(*arm.T)
    turn[starts[1:] - 1] = False
    return points[turn], polygon[piece[ring[turn]]]
