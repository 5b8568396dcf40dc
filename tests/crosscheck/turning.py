"""A pawl among polygons at one moment: how far it is from them, and where it turns to.

The pawl is shrunk by `THIN`, so that touching is not overlapping; it is free where shapely finds that it
does not intersect an obstacle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from tests.crosscheck.touching import Contact, Rings, contacts, placed, rings_of

from pliant.snap.model import Fastener
from pliant.snap.springs.spring import stiffness_of

Floats = NDArray[np.float64]

THIN = 1e-9  # by which pawls and the root are shrunk
TOUCHING = 50 * THIN  # features nearer than this are in contact: a corner of 0.1 rad recedes by 20 THIN
MOST = 0.01  # rad, the most a pawl turns in a step
CLOSE = 1e-11  # how near to an obstacle a pawl is put


@dataclass(frozen=True)
class Scene:
    """One pawl on one straight leg, among the obstacles it can reach."""

    shell: Floats  # (V, 2) the pawl at rest about its hinge, shrunk
    pawl: Rings
    hinge: Floats  # (2,) at the leg's start
    velocity: Floats  # (2,)
    obstacles: shapely.Geometry
    edges: Rings | None  # of the obstacles
    stops: tuple[float, float]
    stiffness: float
    preload: float
    friction: float
    reach: float  # of the pawl from its hinge

    @property
    def speed(self) -> float:
        return float(np.hypot(*self.velocity))


def scene_of(model: Fastener, index: int, moved: Floats, velocity: Floats, until: float) -> Scene:
    """A pawl at the start of a leg, its root moved by so much from where it is drawn."""
    pawl = model.pawls[index]
    cosine, sine = map(float, pawl.rest.matrix)
    outline = floats(model.outline(pawl)) @ np.array([[cosine, sine], [-sine, cosine]])
    hinge, reach = floats(pawl.hinge) + moved, float(np.hypot(*outline.T).max())
    path = shapely.LineString([hinge, hinge + velocity * until])
    near = [
        k for k, ring in enumerate(outlines(model)) if shapely.dwithin(path, shapely.Polygon(ring), reach)
    ]
    parts = [outlines(model)[k] for k in near]
    spring = float(stiffness_of(model, pawl))
    stops = (pawl.stops[0].angle, pawl.stops[1].angle) if pawl.stops else (-math.inf, math.inf)
    return Scene(
        shell=shrunk(outline),
        pawl=rings_of([outline]),
        hinge=hinge,
        velocity=velocity,
        obstacles=united(parts),
        edges=rings_of(parts, near) if parts else None,
        stops=stops,
        stiffness=spring,
        preload=float(pawl.preload),
        friction=float(model.friction),
        reach=reach,
    )


def outlines(model: Fastener) -> list[Floats]:
    """Of the obstacles, where they are."""
    return [floats(model.outline(part)) + floats(part.at) for part in model.obstacles]


def united(rings: list[Floats]) -> shapely.Geometry:
    """The area of all of them, ready to be asked often."""
    area = shapely.union_all([shapely.Polygon(ring) for ring in rings])
    shapely.prepare(area)
    return area


def shrunk(ring: Floats) -> Floats:
    """A ring with `THIN` taken off its sides."""
    return shapely.get_coordinates(
        shapely.Polygon(ring).buffer(-THIN, join_style="mitre", mitre_limit=100.0)
    )[:-1]


def floats(points: object) -> Floats:
    """Exact coordinates as the nearest floats."""
    return np.array(points, np.float64)


def touching(scene: Scene, t: float, angle: float) -> list[Contact]:
    at = scene.hinge + scene.velocity * t
    return contacts(placed(scene.pawl, angle, at), scene.edges, at, TOUCHING) if scene.edges else []


def most(scene: Scene, step: float) -> float:
    """How far a pawl may turn in a step: as far as near a tangency, where its angle goes as √t."""
    return min(MOST, 4 * math.sqrt(scene.speed * step / scene.reach))


def turned(scene: Scene, t: float, angle: float, most: float, rungs: int) -> list[float]:
    """Where a pawl goes from an angle at t: towards its rest, or the nearest way out, and the other.

    A way out is looked for on so many rungs, each further by the same factor; a narrower gap is missed.
    """
    if _gap(scene, t, angle) > 0:
        return [_relaxed(scene, t, angle)]
    ladder = np.clip(angle + np.outer([1, -1], np.geomspace(1e-6 * most, most, rungs)), *scene.stops)
    free = ~shapely.intersects(scene.obstacles, _shapes(scene, t, ladder.ravel())).reshape(ladder.shape)
    found = []
    for angles, out in zip(ladder, free, strict=True):
        if out.any():
            first = int(np.argmax(out))
            limit = _limit(scene, t, angles[first], angles[first - 1] if first else angle)
            pushed_back = angle * (limit - angle) < 0  # towards its rest: there it may go on
            found.append(_relaxed(scene, t, limit) if pushed_back else limit)
    return sorted(found, key=lambda other: abs(other - angle))


def _relaxed(scene: Scene, t: float, angle: float) -> float:
    """As near to its rest as a free pawl gets, never turning further at once than it has room for.

    Close to where it starts, at an obstacle it may just be leaving, it goes three times as far each time.
    """
    start = angle
    while angle:
        gone = abs(angle - start)
        turn = max(_gap(scene, t, angle) / scene.reach, min(2 * gone, MOST / 2), CLOSE)
        other = 0.0 if turn >= abs(angle) else angle - math.copysign(turn, angle)
        if not _gap(scene, t, other):
            return _limit(scene, t, angle, other)
        angle = other
    return angle


def _limit(scene: Scene, t: float, free: float, taken: float) -> float:
    """The last free angle between a free one and one that overlaps, by Newton on the gap and by halves.

    Steps of Newton are shortened by their own square, so as not to come out on the other side.
    """
    gap, rate = _closing(scene, t, free)
    while gap > CLOSE and abs(taken - free) > 1e-13:
        step = (gap - CLOSE / 2) / -rate if rate else math.inf
        guess = free + step * (1 - min(0.5, 2 * abs(step)))
        if not min(free, taken) < guess < max(free, taken):
            guess = (free + taken) / 2
        other = _closing(scene, t, guess)
        if other[0]:
            free, (gap, rate) = guess, other
        else:
            taken, rate = guess, 0.0
    return free


def _closing(scene: Scene, t: float, angle: float) -> tuple[float, float]:
    """The gap, and its rate with the angle: that of the pawl's nearest point along the shortest line."""
    shape = _shapes(scene, t, np.array([angle]))[0]
    there, here = shapely.get_coordinates(shapely.shortest_line(scene.obstacles, shape))
    away, arm = here - there, here - scene.hinge - scene.velocity * t
    gap = float(np.hypot(*away))
    return gap, float(arm[0] * away[1] - arm[1] * away[0]) / gap if gap else 0.0


def flight(scene: Scene, t: float, angle: float, until: float) -> float:
    """How long a pawl can go on without turning: what it sweeps meets nothing before."""
    shell = _shapes(scene, t, np.array([angle]))
    return clear(shapely.get_coordinates(shell)[:-1], scene.velocity, until - t, scene.obstacles)


def clear(ring: Floats, velocity: Floats, until: float, obstacles: shapely.Geometry) -> float:
    """How long a ring can be translated before an edge of it sweeps over an obstacle."""

    def meets(t: float) -> bool:
        quads = np.stack([ring, np.roll(ring, -1, axis=0)], axis=1)
        quads = np.concatenate([quads, quads + velocity * t], axis=1)
        return bool(shapely.intersects(obstacles, shapely.convex_hull(shapely.multipoints(quads))).any())

    if not meets(until):
        return until
    low, high = 0.0, until
    while high - low > 1e-13 * until:
        middle = (low + high) / 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    return low


def _shapes(scene: Scene, t: float, angles: Floats) -> NDArray:
    """(K,) polygons: the shrunk pawl at each angle."""
    cosine, sine = np.cos(angles)[:, None], np.sin(angles)[:, None]
    x, y = scene.shell.T
    at = scene.hinge + scene.velocity * t
    return shapely.polygons(np.stack([cosine * x - sine * y + at[0], sine * x + cosine * y + at[1]], axis=2))


def _gap(scene: Scene, t: float, angle: float) -> float:
    """How far the shrunk pawl is from the obstacles: 0 where it overlaps."""
    return float(shapely.distance(scene.obstacles, _shapes(scene, t, np.array([angle]))[0]))
