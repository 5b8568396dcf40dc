"""A fastener for engines that step: convex pieces, a root driven slowly on its way, and what they found."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import shapely
from numpy.typing import NDArray

from pliant.snap.model import Fastener, Pawl
from pliant.snap.springs.spring import stiffness_of

Floats = NDArray[np.float64]

LOST = 0.02  # how far an engine may let a pawl sink in, or leave its hinge, before it counts as stuck
FORCE = 50.0  # and how hard it may push, in stiffness · rad / reach of all the pawls


@dataclass(frozen=True)
class Hinged:
    """A pawl at rest, about its hinge."""

    pieces: tuple[Floats, ...]  # (V, 2) each, convex
    hinge: Floats  # (2,) where it starts
    stiffness: float
    preload: float
    stops: tuple[float, float] | None
    reach: float


@dataclass(frozen=True)
class Scene:
    """What an engine is given."""

    pawls: tuple[Hinged, ...]
    obstacles: tuple[Floats, ...]  # convex pieces
    friction: float
    velocity: Floats  # (2,)
    until: float  # where the root collides, if it does before its time
    ends: str  # "root" or "through"


@dataclass(frozen=True)
class Reading:
    """A moment of an engine's world."""

    angles: tuple[float, ...]
    force: float  # of the obstacles on the pawls, along the way in
    lost: float  # the deepest overlap, or the largest distance of a pawl from its hinge


class World(Protocol):
    """A stepping engine with a fastener in it."""

    seconds: float  # spent in the engine; what is read and kept between its steps is not counted

    def step(self, t: float) -> Reading:
        """One step, to where the root is at a time t of the way in."""
        ...


@dataclass(frozen=True)
class Trace:
    """One way of a fastener: F samples, each a mean over the steps since the one before."""

    t: Floats  # (F,)
    angles: Floats  # (F, P)
    force: Floats  # (F,) that pushes the root along
    end: str  # "through", "root" or "stuck"
    reached: float  # when
    steps: int
    seconds: float  # of stepping

    def at(self, t: Floats) -> tuple[Floats, Floats]:
        """Angles (K, P) and force (K,) at given times."""
        angles = [np.interp(t, self.t, column) for column in self.angles.T]
        return np.column_stack(angles), np.interp(t, self.t, self.force)


def scene_of(model: Fastener) -> Scene:
    """A fastener with one straight leg, as floats."""
    if model.root.velocity is None:
        raise ValueError("a plan of several legs: the peers take one velocity")
    velocity = np.array(model.root.velocity, np.float64)
    rings = [np.array(model.outline(part), np.float64) + np.array(part.at, float) for part in model.obstacles]
    area = shapely.union_all([shapely.Polygon(ring) for ring in rings])
    obstacles = tuple(piece for part in shapely.get_parts(area) for piece in convex(part))
    pawls = tuple(_hinged(model, pawl) for pawl in model.pawls)
    far = max(float((ring @ velocity).max()) for ring in rings)
    near = min(pawl.hinge @ velocity - pawl.reach * math.hypot(*velocity) for pawl in pawls)
    until = float(model.root.until or (far - near) / float(velocity @ velocity))
    hit = _collision(model, velocity, until, area)
    ends = "root" if hit < until else "through"
    return Scene(pawls, obstacles, float(model.friction), velocity, hit, ends)


def _hinged(model: Fastener, pawl: Pawl) -> Hinged:
    cosine, sine = map(float, pawl.rest.matrix)
    ring = np.array(model.outline(pawl), np.float64) @ np.array([[cosine, sine], [-sine, cosine]])
    return Hinged(
        pieces=tuple(convex(shapely.Polygon(ring))),
        hinge=np.array(pawl.hinge, np.float64),
        stiffness=float(stiffness_of(model, pawl)),
        preload=float(pawl.preload),
        stops=(pawl.stops[0].angle, pawl.stops[1].angle) if pawl.stops else None,
        reach=float(np.hypot(*ring.T).max()),
    )


def convex(area: shapely.Polygon) -> Iterator[Floats]:
    """Convex pieces of a polygon, counter-clockwise, that meet at its corners only: triangles, joined.

    A seam inside a face would catch what slides over it.
    """
    left = list(shapely.get_parts(shapely.constrained_delaunay_triangles(area)))
    while left:
        piece, grew = left.pop(), True
        while grew:
            grew = False
            for other in left:
                both = shapely.union(piece, other)
                if both.geom_type == "Polygon" and both.convex_hull.area - both.area < 1e-9 * area.area:
                    piece, grew = both, True
                    left.remove(other)
                    break
        yield shapely.get_coordinates(shapely.orient_polygons(piece.convex_hull))[:-1]


def _collision(model: Fastener, velocity: Floats, until: float, area: shapely.Geometry) -> float:
    """When the root meets an obstacle, or `until`: what its convex pieces sweep is convex."""
    if model.root.outline is None:
        return until
    root = shapely.Polygon(np.array(model.root.outline, np.float64)).buffer(-1e-9, join_style="mitre")
    pieces = list(convex(root))

    def meets(t: float) -> bool:
        swept = [
            shapely.MultiPoint(np.concatenate([piece, piece + velocity * t])).convex_hull for piece in pieces
        ]
        return bool(shapely.intersects(area, swept).any())

    low, high = (0.0, until) if meets(until) else (until, until)
    while high - low > 1e-12 * until:
        middle = (low + high) / 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high


def there_and_back(scene: Scene, world: World, stride: float, samples: int) -> tuple[Trace, Trace | None]:
    """The way in, and out again unless it was stuck; `stride` is how far the root goes in a step."""
    there = drive(scene, world, 1, scene.until, stride, samples)
    return there, None if there.end == "stuck" else drive(scene, world, -1, there.reached, stride, samples)


def drive(scene: Scene, world: World, way: int, until: float, stride: float, samples: int) -> Trace:
    """Move the root in (way 1), or from there out (−1), until its time is over or a pawl is stuck."""
    group = math.ceil(until * math.hypot(*scene.velocity) / stride / samples)
    h = until / (group * samples)  # the time of a step
    most = FORCE * sum(pawl.stiffness / pawl.reach for pawl in scene.pawls)
    rows: list[Floats] = []
    began, end = world.seconds, scene.ends if way > 0 else "through"
    while len(rows) < samples and end != "stuck":
        readings = []
        for k in range(len(rows) * group + 1, (len(rows) + 1) * group + 1):
            readings.append(world.step((k if way > 0 else group * samples - k) * h))
        rows.append(np.mean([(-way * now.force, *now.angles) for now in readings], axis=0))
        if readings[-1].lost > LOST or abs(rows[-1][0]) > most:
            end = "stuck"
    steps = len(rows) * group
    found = np.array(rows)
    t = (np.arange(len(rows)) * group + (group + 1) / 2) * h
    return Trace(t, found[:, 1:], found[:, 0], end, steps * h, steps, world.seconds - began)
