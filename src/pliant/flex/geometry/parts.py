"""An assembly compiled to arrays, once: outlines inset, frames moved to centroids.

A body here is rigid: a body of the file, or several of them that move as one, its members. Its
frame is put at its centroid, so that a rotation moves a body little and steps are well scaled
wherever the user drew the origin. Edge i runs from vertex i to the next vertex of its ring; the
material lies on its left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import shapely

from pliant.core.arrays import Bools, Floats, Geometries, Ints
from pliant.core.errors import Fault, InputError
from pliant.core.motion import Shape
from pliant.core.outline import Rings, signed_area
from pliant.core.pose import carry, dot, turn, uncarry
from pliant.flex.geometry.bodies import Key, RigidBody, rigid_bodies
from pliant.flex.geometry.solid import region
from pliant.flex.model import Assembly

if TYPE_CHECKING:  # numba comes with it
    from pliant.flex.geometry.trees import Edges, Trees


SCENERY = 30.0  # diameters of what moves and is near that: further away what is fixed does not count
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

    @cached_property
    def offset(self) -> Floats:
        """How far the line of edge i is from the body's centroid, along its normal, (V,)."""
        return dot(self.normal, self.point)

    @cached_property
    def starts(self) -> Ints:
        """Where each body's vertices begin, and where the last one's end, (B + 1,)."""
        return np.searchsorted(self.body, np.arange(self.body[-1] + 2))

    @cached_property
    def trees(self) -> tuple[Edges, Trees]:
        """The edges as `flex.geometry.trees` searches them."""
        from pliant.flex.geometry.trees import Edges, build_trees

        planted = build_trees(self.starts, self.point, self.follow, self.tangent)
        return Edges(self.point, self.tangent, self.length), planted


@dataclass(frozen=True)
class Members:
    """The bodies as the file has them."""

    names: tuple[str, ...]  # (U,)
    body: Ints  # (U,) the rigid body that each is, or is a member of
    origin: Floats  # (U, 2) where its own frame is, in the frame of that body
    turn: Floats  # (U,) rad, by which its own frame is turned in that
    centre: Floats  # (U, 2) its centroid, in that
    shapes: tuple[Shape, ...]  # inset, in their own frames
    shape_of: Ints  # (U,)


@dataclass(frozen=True)
class Parts:
    """The assembly as arrays. Body index B stands for the ground: fixed, at the origin."""

    names: tuple[str, ...]  # (B,) of the first member of each
    members: Members
    drawn: Floats  # (B + 1, 3) poses of the centroid frames as drawn
    moving: Ints  # (B + 1,) place among the moving bodies, -1 where fixed
    shapes: tuple[Rings, ...]  # inset, in centroid frames; each outside with its holes after it
    shape_of: Ints  # (B,)
    origins: Floats  # (B, 2) the user's origin of each body (of its first member), in its centroid frame
    outlines: Outlines
    radius: Floats  # (B,) of the circle about the centroid that holds the body
    exempt: frozenset[tuple[int, int]]  # pairs that do not meet: pinned, of one weld, or in two layers
    ties: tuple[tuple[int, int], ...]  # bodies of one weld that lie in different layers

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
        """A typical diameter of the bodies that move; of all, where none does."""
        return 2.0 * float(np.median(self.radius[self.free] if len(self.free) else self.radius))

    @cached_property
    def extent(self) -> float:
        """The drawn assembly's diameter, without scenery."""
        centres, radius = self.drawn[:-1, :2][~self.scenery], self.radius[~self.scenery]
        return float(np.linalg.norm(np.ptp(centres, axis=0)) + 2 * radius.max())

    @cached_property
    def scenery(self) -> Bools:
        """Fixed bodies too far from all that moves, and from what is near that, to be part of it, (B,)."""
        radius, away = self.radius[:, None], self.moving[:-1] < 0
        low, high = self.drawn[:-1, :2] - radius, self.drawn[:-1, :2] + radius
        while away.any() and not away.all():
            least, most = low[~away].min(axis=0), high[~away].max(axis=0)
            apart = np.hypot(*np.maximum(np.maximum(low - most, least - high), 0.0).T)
            near = away & (apart <= SCENERY * np.hypot(*(most - least)))
            if not near.any():
                return away
            away &= ~near
        return np.zeros_like(away)

    @cached_property
    def regions(self) -> Geometries:
        """Each shape as a shapely polygon in its centroid frame, (S,)."""
        return np.array([region(rings) for rings in self.shapes])

    @cached_property
    def bounds(self) -> Floats:
        """Low x, low y, high x, high y of each shape in its centroid frame, (S, 4)."""
        return shapely.bounds(self.regions)

    def inset(self, depth: float) -> Geometries:
        """Each shape less so much all round, prepared for many questions; made once for each depth, (S,)."""
        if depth not in self._insets:
            self._insets[depth] = np.asarray(shapely.buffer(self.regions, -depth, join_style="mitre"))
            shapely.prepare(self._insets[depth])
        return self._insets[depth]

    @cached_property
    def _insets(self) -> dict[float, Geometries]:
        return {}

    def index(self, name: str) -> int:
        """Place of the rigid body that a body of the file is, or is a member of."""
        return int(self.members.body[self.member(name)])

    def member(self, name: str) -> int:
        """Place of a body of the file by its name."""
        return self._places[name]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.members.names)}

    @cached_property
    def members_of(self) -> tuple[Ints, ...]:
        """The bodies of the file that each rigid body has, (B,)."""
        order = np.argsort(self.members.body, kind="stable")
        return tuple(np.split(order, np.searchsorted(self.members.body[order], np.arange(1, self.count))))

    def names_of(self, bodies: Ints) -> tuple[str, ...]:
        """The names of all members of some bodies."""
        return tuple(self.members.names[member] for body in bodies for member in self.members_of[body])

    @property
    def welded(self) -> bool:
        """Whether some body has several members."""
        return len(self.members.names) > self.count

    def alone(self, name: str) -> bool:
        """Whether a body of the file is a rigid body by itself, so that their centroids are one."""
        return np.count_nonzero(self.members.body == self.index(name)) == 1

    def local(self, name: str, point: tuple[float, float]) -> Floats:
        """A point of a body of the file, from its own frame to that of its rigid body."""
        member = self.member(name)
        return self.members.origin[member] + turn(self.members.turn[member], np.array(point))

    def member_poses(self, poses: Floats) -> Floats:
        """Poses of the own frames of the file's bodies, from those of the centroid frames: (…, U, 3)."""
        carrier = poses[..., self.members.body, :]
        angle = carrier[..., 2:] + self.members.turn[:, None]
        return np.concatenate([carry(carrier, self.members.origin), angle], axis=-1)

    def member_polygons(self, poses: Floats) -> Geometries:
        """Each body of the file as a shapely polygon at these poses, (U,)."""
        if not self.welded:
            return self.polygons(poses)
        shapes = (self.members.shapes[shape].rings for shape in self.members.shape_of)
        placed = zip(self.member_poses(poses), shapes, strict=True)
        return np.array([region(tuple(carry(pose, ring) for ring in rings)) for pose, rings in placed])

    def user_poses(self, poses: Floats) -> Floats:
        """Poses of the user's own frames, from those of the centroid frames: (…, B, 3)."""
        bodies = poses[..., : self.count, :]
        return np.concatenate([carry(bodies, self.origins), bodies[..., 2:]], axis=-1)

    def polygons(self, poses: Floats) -> Geometries:
        """Each body as a shapely polygon at these poses, (B,)."""
        world = carry(poses[self.outlines.body], self.outlines.point)
        return _assemble(world, self._rings)

    def polygons_of(self, poses: Floats, bodies: Ints) -> Geometries:
        """Some bodies (K,) as shapely polygons at these poses, (K,)."""
        shapes = (self.shapes[self.shape_of[body]] for body in bodies)
        placed = zip(poses[bodies], shapes, strict=True)
        return np.array([region(tuple(carry(pose, ring) for ring in rings)) for pose, rings in placed])

    @cached_property
    def _rings(self) -> tuple[Ints, Ints, Bools]:
        """Where each ring starts, its body, and whether it is an outside."""
        starts = np.flatnonzero(self.outlines.before >= np.arange(len(self.outlines.body)))
        outside = [
            np.array([not k or signed_area(ring) > 0 for k, ring in enumerate(r)]) for r in self.shapes
        ]
        return (
            starts,
            self.outlines.body[starts],
            np.concatenate([outside[shape] for shape in self.shape_of]),
        )


def compile_parts(model: Assembly) -> Parts:
    """Unite, inset, centre and index an assembly; an InputError where a clearance leaves no parts."""
    if model.clearance < 0:
        raise InputError([press_fit_fault(model)])
    bodies = rigid_bodies(model)
    keys = {key: place for place, key in enumerate(dict.fromkeys(body.key for body in bodies))}
    shape_of = np.array([keys[body.key] for body in bodies])
    first = [bodies[place] for place in np.unique(shape_of, return_index=True)[1]]
    centroids = np.array([shapely.get_coordinates(region(body.rings).centroid)[0] for body in first])
    shapes = tuple(
        tuple(ring - centroid for ring in body.rings) for body, centroid in zip(first, centroids, strict=True)
    )
    frames = np.array([body.drawn for body in bodies])
    centres = np.concatenate([carry(frames, centroids[shape_of]), frames[:, 2:]], axis=1)
    fixed = np.array([body.held for body in bodies] + [True])
    radii = np.array([np.linalg.norm(np.concatenate(rings), axis=1).max() for rings in shapes])
    members = _members(model, bodies, centroids[shape_of])
    return Parts(
        names=tuple(model.bodies[body.members[0]].name for body in bodies),
        members=members,
        drawn=np.vstack([centres, np.zeros(3)]),
        moving=np.where(fixed, -1, np.cumsum(~fixed) - 1),
        shapes=shapes,
        shape_of=shape_of,
        origins=members.origin[[body.members[0] for body in bodies]],
        outlines=_outlines(shapes, shape_of),
        radius=radii[shape_of],
        exempt=_exempt(model, bodies, members),
        ties=tuple(
            (group[0], other) for group in _welds(bodies) if not bodies[group[0]].held for other in group[1:]
        ),
    )


def _members(model: Assembly, bodies: list[RigidBody], centroids: Floats) -> Members:
    """The bodies of the file, in the frames of their rigid bodies."""
    count = len(model.bodies)
    owner, shape_of = np.zeros((2, count), np.int64)
    origin, centre = np.zeros((2, count, 2))
    angle = np.zeros(count)
    shapes: list[Shape] = []
    known: dict[Key, int] = {}
    for place, (body, centroid) in enumerate(zip(bodies, centroids, strict=True)):
        for member, frame, rings in zip(body.members, body.frames, body.shares, strict=True):
            key = body.key if len(body.members) == 1 else member
            if key not in known:
                known[key] = len(shapes)
                shapes.append(Shape(tuple(uncarry(frame, ring) if frame.any() else ring for ring in rings)))
            owner[member], shape_of[member], angle[member] = place, known[key], frame[2]
            origin[member] = frame[:2] - centroid
            if len(body.members) > 1:
                centre[member] = shapely.get_coordinates(region(rings).centroid)[0] - centroid
    names = tuple(body.name for body in model.bodies)
    return Members(names, owner, origin, angle, centre, tuple(shapes), shape_of)


def _exempt(model: Assembly, bodies: list[RigidBody], members: Members) -> frozenset[tuple[int, int]]:
    places = dict(zip(members.names, members.body.tolist(), strict=True))
    pinned = (sorted(places[name] for name in pin.bodies) for pin in model.pins)
    welded = (pair for group in _welds(bodies) for pair in combinations(group, 2))
    pairs = frozenset([*((first, second) for first, second in pinned if first != second), *welded])
    return pairs.union(_in_two_layers([model.bodies[body.members[0]].layer for body in bodies]))


def _in_two_layers(layers: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs of bodies that lie in different layers, by the layer of each."""
    if len(set(layers)) > 1:
        yield from ((a, b) for a, b in combinations(range(len(layers)), 2) if layers[a] != layers[b])


def _welds(bodies: list[RigidBody]) -> list[list[int]]:
    """The bodies of each weld, and of each body alone."""
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for place, body in enumerate(bodies):
        groups[body.group].append(place)
    return list(groups.values())


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
    sizes = np.array([len(ring) for ring in rings])
    starts = np.cumsum(sizes) - sizes
    follow = np.arange(1, len(point) + 1)
    follow[starts + sizes - 1] = starts
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


def _assemble(world: Floats, rings: tuple[Ints, Ints, Bools]) -> Geometries:
    starts, bodies, outside = rings
    closed = np.insert(world, np.append(starts[1:], len(world)), world[starts], axis=0)
    lengths = np.diff(np.append(starts, len(world))) + 1
    loops = np.asarray(shapely.linearrings(closed, indices=np.repeat(np.arange(len(starts)), lengths)))
    if outside.all() and len(bodies) == bodies[-1] + 1:
        return np.asarray(shapely.polygons(loops))
    piece = np.cumsum(outside) - 1
    shells, holes = loops[outside], loops[~outside]
    owners = piece[~outside]
    made = np.asarray(shapely.polygons(shells))
    for owner in np.unique(owners):
        made[owner] = shapely.polygons(shells[owner], holes=holes[owners == owner])
    body = bodies[outside]
    first = np.flatnonzero(np.diff(body, prepend=-1))
    several = np.flatnonzero(np.bincount(body) > 1)
    polygons = made[first]
    for place in several:
        polygons[place] = shapely.MultiPolygon(made[body == place].tolist())
    return polygons


def press_fit_fault(model: Assembly) -> Fault:
    """What to say of a clearance below 0: the least that goes together, and which parts need it."""
    parts = compile_parts(model.model_copy(update={"clearance": 0.0}))
    polygons = parts.member_polygons(parts.drawn)
    first, second = shapely.STRtree(polygons).query(polygons, predicate="intersects")
    owner = parts.members.body
    pairs = [
        (a, b)
        for a, b in zip(first.tolist(), second.tolist(), strict=True)
        if a < b and owner[a] != owner[b] and tuple(sorted((owner[a], owner[b]))) not in parts.exempt
    ]
    problem = f"is {model.clearance:g}: a press fit, and rigid parts do not give"
    pairs = np.array(pairs, np.int64).reshape(-1, 2)
    depths = inset_depths(parts, pairs) if len(pairs) else np.zeros(0)
    if not len(depths) or depths.max() <= 1e-9 * parts.size:
        return Fault("clearance", problem, "The least at which the parts go together as drawn is 0")
    worst = int(np.argmax(depths))
    names = tuple(parts.members.names[place] for place in pairs[worst])
    least = f"{depths[worst]:.6g} {model.units}: {' and '.join(names)}"
    return Fault("clearance", problem, f"The least at which the parts go together as drawn is {least}", names)


def inset_depths(parts: Parts, pairs: Ints) -> Floats:
    """The smallest clearance (twice the inset of both) at which each pair is apart, by bisection."""
    bodies, members = parts.polygons(parts.drawn), parts.member_polygons(parts.drawn)
    sides = [(bodies[parts.members.body[own]], members[own]) for own in pairs.T]
    low = np.zeros(len(pairs))
    high = np.full(len(pairs), 2.0 * float(parts.radius.max()))
    for _ in range(48):
        middle = (low + high) / 2
        left, right = (shapely.buffer(body, -middle / 2, join_style="mitre") for body, _ in sides)
        if parts.welded:  # what is left of a member: no gap opens between those that touch
            left, right = shapely.intersection(left, sides[0][1]), shapely.intersection(right, sides[1][1])
        apart = shapely.area(shapely.intersection(left, right)) <= 0
        low, high = np.where(apart, low, middle), np.where(apart, middle, high)
    return high
