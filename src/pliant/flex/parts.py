"""An assembly compiled to arrays, once: outlines inset, frames moved to centroids.

Each body's frame is put at the centroid of its outline, so that a rotation moves a body
little and steps are well scaled wherever the user drew the origin. Edge i runs from
vertex i to the next vertex of its ring; the material lies on its left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import NDArray

from pliant.core.errors import Fault, InputError
from pliant.core.motion import Shape
from pliant.core.outline import Rings, inset, open_ring, polygon
from pliant.core.pose import carry
from pliant.flex.model import Assembly, Body, Region

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

STRAIGHT = 1e-9  # rad: a vertex that turns less than this is neither convex nor reflex


@dataclass(frozen=True)
class Outlines:
    """Vertices and edges of every body, ring after ring, in centroid frames."""

    body: Ints  # (V,)
    point: Floats  # (V, 2) vertex i, where edge i starts
    follow: Ints  # (V,) the next vertex of the ring
    before: Ints  # (V,) the one before
    tangent: Floats  # (V, 2) unit, of edge i
    normal: Floats  # (V, 2) outward, unit
    length: Floats  # (V,)
    turn: Floats  # (V,) exterior angle at vertex i: positive convex, negative reflex

    @cached_property
    def convex(self) -> Bools:
        """Vertices that can touch first."""
        return self.turn > STRAIGHT


@dataclass(frozen=True)
class Parts:
    """The assembly as arrays. Body index B stands for the ground: fixed, at the origin."""

    names: tuple[str, ...]
    drawn: Floats  # (B + 1, 3) poses of the centroid frames as drawn
    moving: Ints  # (B + 1,) place among the moving bodies, -1 where fixed
    shapes: tuple[Rings, ...]  # inset, in centroid frames
    shape_of: Ints  # (B,)
    origins: Floats  # (B, 2) the user's origin of each body, in its centroid frame
    outlines: Outlines
    radius: Floats  # (B,) of the circle about the centroid that holds the body
    exempt: frozenset[tuple[int, int]]  # pairs joined by a pin lie in different layers

    @property
    def count(self) -> int:
        """How many bodies there are; also the index of the ground."""
        return len(self.names)

    @cached_property
    def free(self) -> Ints:
        """Indices of the moving bodies, (M,)."""
        return np.flatnonzero(self.moving >= 0)

    @cached_property
    def size(self) -> float:
        """A typical body's diameter."""
        return 2.0 * float(np.median(self.radius))

    @cached_property
    def extent(self) -> float:
        """The drawn assembly's diameter."""
        reach = self.drawn[:-1, :2]
        return float(np.linalg.norm(np.ptp(reach, axis=0)) + 2 * self.radius.max())

    @cached_property
    def regions(self) -> NDArray[np.object_]:
        """Each shape as a shapely polygon in its centroid frame, (S,)."""
        return np.array([polygon(rings) for rings in self.shapes])

    @cached_property
    def boxes(self) -> tuple[Floats, Floats]:
        """The box about each body in its centroid frame: low and high corners, (B, 2) each."""
        low = np.array([rings[0].min(axis=0) for rings in self.shapes])
        high = np.array([rings[0].max(axis=0) for rings in self.shapes])
        return low[self.shape_of], high[self.shape_of]

    def index(self, name: str) -> int:
        """Place of a body by its name."""
        return self._places[name]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def user_poses(self, poses: Floats) -> Floats:
        """Poses of the user's own frames, from those of the centroid frames: (…, B, 3)."""
        bodies = poses[..., : self.count, :]
        return np.concatenate([carry(bodies, self.origins), bodies[..., 2:]], axis=-1)

    def user_shapes(self) -> tuple[Shape, ...]:
        """The shapes in the user's frames."""
        first = np.unique(self.shape_of, return_index=True)[1]
        origins = self.origins[first]
        return tuple(
            Shape(tuple(ring - origin for ring in rings))
            for rings, origin in zip(self.shapes, origins, strict=True)
        )

    def polygons(self, poses: Floats) -> NDArray[np.object_]:
        """Each body as a shapely polygon at these poses, (B,)."""
        world = carry(poses[self.outlines.body], self.outlines.point)
        return _assemble(world, self._rings)

    @cached_property
    def _rings(self) -> tuple[Ints, Ints, Bools]:
        starts = np.flatnonzero(self.outlines.before >= np.arange(len(self.outlines.body)))
        bodies = self.outlines.body[starts]
        outside = np.diff(bodies, prepend=-1) != 0
        return starts, bodies, outside


def compile_parts(model: Assembly) -> Parts:
    """Inset, centre and index an assembly."""
    shapes, shape_of, centroids = _shapes(model)
    poses = np.array([body.pose for body in model.bodies])
    centres = np.concatenate([carry(poses, centroids), poses[:, 2:]], axis=1)
    fixed = np.array([body.fixed for body in model.bodies] + [True])
    radii = np.array([np.linalg.norm(rings[0], axis=1).max() for rings in shapes])
    names = tuple(body.name for body in model.bodies)
    places = {name: place for place, name in enumerate(names)}
    return Parts(
        names=names,
        drawn=np.vstack([centres, np.zeros(3)]),
        moving=np.where(fixed, -1, np.cumsum(~fixed) - 1),
        shapes=shapes,
        shape_of=shape_of,
        origins=-centroids,
        outlines=_outlines(shapes, shape_of),
        radius=radii[shape_of],
        exempt=frozenset(_ordered(*(places[name] for name in pin.bodies)) for pin in model.pins),
    )


def _ordered(first: int, second: int) -> tuple[int, int]:
    return (first, second) if first < second else (second, first)


def _shapes(model: Assembly) -> tuple[tuple[Rings, ...], Ints, Floats]:
    """Each different shape once, inset and centred; which body has which; their centroids."""
    places: dict[str | int, int] = {}
    shapes: list[Rings] = []
    centroids: list[Floats] = []
    shape_of: list[int] = []
    faults: list[Fault] = []
    for index, body in enumerate(model.bodies):
        key = body.shape if body.shape is not None else index
        if key not in places:
            places[key] = len(shapes)
            rings = inset(_rings(model, body), model.clearance / 2)
            if not rings:
                where = f"shapes.{body.shape}" if body.shape else f"bodies[{index}].outline"
                problem = f"a clearance of {model.clearance:g} leaves no single piece of it"
                faults.append(Fault(where, problem, "Make the clearance smaller or the part thicker"))
                rings = (np.eye(3, 2),)
            centroid = shapely.get_coordinates(polygon(rings).centroid)[0]
            shapes.append(tuple(ring - centroid for ring in rings))
            centroids.append(centroid)
        shape_of.append(places[key])
    if faults:
        raise InputError(faults)
    return tuple(shapes), np.array(shape_of), np.array(centroids)[shape_of]


def _rings(model: Assembly, body: Body) -> Rings:
    shape = model.shapes[body.shape] if body.shape is not None else body
    if isinstance(shape, Region | Body):
        return tuple(open_ring(ring) for ring in (shape.outline or (), *shape.holes))
    return (open_ring(shape),)


def _outlines(shapes: tuple[Rings, ...], shape_of: Ints) -> Outlines:
    """Vertices and edges of all bodies, made per shape and repeated per body."""
    tables = [_shape_table(rings) for rings in shapes]
    counts = np.array([len(table["point"]) for table in tables])[shape_of]
    offsets = np.cumsum(counts) - counts
    joined = {name: np.concatenate([tables[s][name] for s in shape_of]) for name in tables[0]}
    shift = np.repeat(offsets, counts)
    return Outlines(
        body=np.repeat(np.arange(len(shape_of)), counts),
        point=joined["point"],
        follow=joined["follow"].astype(np.int64) + shift,
        before=joined["before"].astype(np.int64) + shift,
        tangent=joined["tangent"],
        normal=joined["normal"],
        length=joined["length"],
        turn=joined["turn"],
    )


def _shape_table(rings: Rings) -> dict[str, Floats | Ints]:
    point = np.concatenate(rings)
    sizes = [len(ring) for ring in rings]
    starts = np.cumsum(sizes) - sizes
    follow = np.concatenate([np.roll(np.arange(n), -1) + s for n, s in zip(sizes, starts, strict=True)])
    before = np.empty_like(follow)
    before[follow] = np.arange(len(follow))
    side = point[follow] - point
    length = np.hypot(*side.T)
    tangent = side / length[:, None]
    normal = np.stack([tangent[:, 1], -tangent[:, 0]], axis=1)
    arriving = tangent[before]
    sine = arriving[:, 0] * tangent[:, 1] - arriving[:, 1] * tangent[:, 0]
    turn = np.arctan2(sine, (arriving * tangent).sum(axis=1))
    return {
        "point": point,
        "follow": follow,
        "before": before,
        "tangent": tangent,
        "normal": normal,
        "length": length,
        "turn": turn,
    }


def _assemble(world: Floats, rings: tuple[Ints, Ints, Bools]) -> NDArray[np.object_]:
    starts, _, outside = rings
    closed = np.insert(world, np.append(starts[1:], len(world)), world[starts], axis=0)
    lengths = np.diff(np.append(starts, len(world))) + 1
    loops = np.asarray(shapely.linearrings(closed, indices=np.repeat(np.arange(len(starts)), lengths)))
    if outside.all():
        return np.asarray(shapely.polygons(loops))
    body = np.cumsum(outside) - 1
    shells, holes = loops[outside], loops[~outside]
    owners = body[~outside]
    made = np.asarray(shapely.polygons(shells))
    for owner in np.unique(owners):
        made[owner] = shapely.polygons(shells[owner], holes=holes[owners == owner])
    return made
