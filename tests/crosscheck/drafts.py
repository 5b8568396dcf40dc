"""An assembly drafted in the world, and the model made of it: scaled, moved, in frames of its own.

A family of random assemblies is drawn in plain world coordinates. What must not change the answer (the
unit of length, where and how the whole lies, the frames of the bodies, which way an outline winds, what
stands far away) is chosen here, at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import shapely
from numpy.random import Generator
from numpy.typing import NDArray

from pliant.core.pose import carry, turn, uncarry
from pliant.flex.model import Assembly

Floats = NDArray[np.float64]
Rings = tuple[Floats, ...]

TOUCHING = 1e-9  # of an assembly's size: parts drawn touching may share a strip as thin as rounding makes it


@dataclass(frozen=True)
class Part:
    """A body by its rings in the world: the outline, then holes."""

    name: str
    rings: Rings
    fixed: bool = False

    @property
    def polygon(self) -> shapely.Polygon:
        return shapely.Polygon(self.rings[0], self.rings[1:])


@dataclass(frozen=True)
class Draft:
    """An assembly in world coordinates; what holds it and what is asked, too."""

    parts: tuple[Part, ...]
    terms: tuple[dict[str, Any], ...]  # as in a file, but `point` is of the world
    clearance: float = 0.0
    pins: tuple[dict[str, Any], ...] = ()
    keep: tuple[dict[str, Any], ...] = ()  # `point` of the world
    sights: tuple[dict[str, Any], ...] = ()  # `apex`, `axis` and `marker` of the world
    limits: tuple[dict[str, Any], ...] = ()

    @property
    def size(self) -> float:
        """The diameter of what is drawn."""
        corners = np.vstack([part.rings[0] for part in self.parts])
        return float(np.hypot(*np.ptp(corners, axis=0)))


@dataclass(frozen=True)
class Look:
    """How a draft is written down."""

    scale: float = 1.0
    angle: float = 0.0
    shift: tuple[float, float] = (0.0, 0.0)
    frames: str = "world"  # "world": all bodies in the world's; "own": somewhere near; "far": far away
    scenery: int = 0  # fixed blocks far away
    reverse: bool = False  # outlines run clockwise


def random_look(rng: Generator, draft: Draft) -> Look:
    """Every other draft is left as it is in each respect."""
    turned = rng.random() < 0.5 and not any({"x", "y"} & limit.keys() for limit in draft.limits)
    moved = rng.uniform(-5, 5, 2) * draft.size if rng.random() < 0.5 else np.zeros(2)
    return Look(
        scale=float(rng.choice([1.0, 1e-3, 1e3, 25.4], p=[0.6, 0.15, 0.15, 0.1])),
        angle=float(rng.uniform(-np.pi, np.pi)) if turned else 0.0,
        shift=(float(moved[0]), float(moved[1])),
        frames=str(rng.choice(["world", "own", "far"], p=[0.4, 0.5, 0.1])),
        scenery=int(rng.choice([0, 1, 5, 20], p=[0.7, 0.1, 0.1, 0.1])),
        reverse=bool(rng.random() < 0.3),
    )


def clean(draft: Draft) -> bool:
    """Whether every part is sound, no two of them overlap as drawn, and what must be kept is kept."""
    if not all(shapely.Polygon(keep["inside"]).covers(shapely.Point(keep["point"])) for keep in draft.keep):
        return False
    for sight in draft.sights:
        x, y = np.array(sight["marker"]) - sight["apex"]
        if abs(np.arctan2(y, x) - sight["axis"]) > sight["half_angle"]:
            return False
    polygons = np.array([part.polygon for part in draft.parts])
    if not shapely.is_valid(polygons).all() or shapely.area(polygons).min() <= 0:
        return False
    if draft.clearance > 0:
        insets = shapely.buffer(polygons, -0.5 * draft.clearance, join_style="mitre")
        if not (shapely.get_type_id(insets) == shapely.GeometryType.POLYGON).all():
            return False
    joined = {frozenset(pin["bodies"]) for pin in draft.pins}
    for second, part in enumerate(draft.parts):
        for first, other in enumerate(draft.parts[:second]):
            if (part.fixed and other.fixed) or frozenset((part.name, other.name)) in joined:
                continue
            shared = polygons[first].intersection(polygons[second])
            if shared.area > TOUCHING * draft.size * shared.length:
                return False
    return True


def written(draft: Draft, look: Look, rng: Generator) -> Assembly:
    """The model of a draft, as it looks."""
    return Assembly.model_validate(to_data(draft, look, rng))


def to_data(draft: Draft, look: Look, rng: Generator) -> dict[str, Any]:
    """The model as plain data."""
    scale, size = look.scale, look.scale * draft.size
    draft = replace(draft, parts=(*draft.parts, *_scenery(draft, look.scenery, rng)))
    whole = np.array([*look.shift, look.angle])

    def world(points: Any) -> Floats:
        return scale * carry(whole, np.asarray(points, np.float64))

    frames = {part.name: _frame(world(part.rings[0]), look.frames, size, rng) for part in draft.parts}

    def local(name: str, point: Any) -> list[float]:
        return uncarry(frames[name], world(point)).tolist()

    bodies = []
    for part in draft.parts:
        rings = [uncarry(frames[part.name], world(ring)) for ring in part.rings]
        rings = [ring[::-1] if look.reverse else ring for ring in rings]
        body = {"name": part.name, "outline": rings[0].tolist(), "pose": frames[part.name].tolist()}
        body |= {"holes": [ring.tolist() for ring in rings[1:]]} if rings[1:] else {}
        bodies.append(body | ({"fixed": True} if part.fixed else {}))
    terms = []
    for term in draft.terms:
        made = dict(term)
        if "direction" in term:
            made["direction"] = turn(np.array(look.angle), np.array(term["direction"], np.float64)).tolist()
        if "point" in term:
            made["point"] = local(term["body"], term["point"])
        terms.append(made)
    data: dict[str, Any] = {"pliant": 1, "kind": "assembly", "bodies": bodies, "study": {"maximize": terms}}
    if draft.clearance:
        data["clearance"] = scale * draft.clearance
    data["pins"] = [
        pin | {"at": world(pin["at"]).tolist(), "clearance": scale * pin["clearance"]} for pin in draft.pins
    ]
    data["keep"] = [
        keep | {"point": local(keep["body"], keep["point"]), "inside": world(keep["inside"]).tolist()}
        for keep in draft.keep
    ]
    data["sights"] = [
        sight
        | {
            "apex": local(sight["from"], sight["apex"]),
            "marker": local(sight["to"], sight["marker"]),
            "axis": sight["axis"] + look.angle - frames[sight["from"]][2],
        }
        for sight in draft.sights
    ]
    data["limits"] = [
        limit | {key: [scale * bound for bound in limit[key]] for key in ("x", "y") if key in limit}
        for limit in draft.limits
    ]
    return {key: value for key, value in data.items() if value != []}


def _frame(ring: Floats, kind: str, size: float, rng: Generator) -> Floats:
    """A body's frame in the world: the world's own, one near the body, or one far from it."""
    if kind == "world":
        return np.zeros(3)
    away = 0.2 if kind == "own" else 3.0
    return np.array([*(ring.mean(axis=0) + away * size * rng.normal(size=2)), rng.uniform(-np.pi, np.pi)])


def _scenery(draft: Draft, count: int, rng: Generator) -> list[Part]:
    """Blocks on a ring far outside, in no way of anything."""
    middle = np.vstack([part.rings[0] for part in draft.parts]).mean(axis=0)
    blocks = []
    for number in range(count):
        angle, far = 2 * np.pi * (number + 0.8 * rng.random()) / count, rng.uniform(20, 60) * draft.size
        corner = middle + far * np.array([np.cos(angle), np.sin(angle)])
        width, height = rng.uniform(0.05, 1.0, 2) * draft.size
        blocks.append(
            Part(f"far{number}", (box(*corner, corner[0] + width, corner[1] + height),), fixed=True)
        )
    return blocks


def box(left: float, bottom: float, right: float, top: float) -> Floats:
    """A rectangle, counter-clockwise."""
    return np.array([[left, bottom], [right, bottom], [right, top], [left, top]])


def moved(ring: Floats, x: float, y: float, angle: float) -> Floats:
    """A ring about the origin, placed."""
    return carry(np.array([x, y, angle]), ring)


def framed(hole: Floats, wall: float, name: str = "frame") -> Part:
    """A fixed frame around a convex hole, closed."""
    outside = shapely.Polygon(hole).convex_hull.buffer(wall, join_style="mitre")
    return Part(name, (ring_of(outside), hole), fixed=True)


def ring_of(polygon: Any) -> Floats:
    """The outline of a shapely polygon, counter-clockwise and not closed."""
    return shapely.get_coordinates(shapely.orient_polygons(shapely.Polygon(polygon.exterior)))[:-1]


def direction(rng: Generator, axis: Sequence[float] | None = None) -> list[float]:
    """A unit vector: one of the axes, or any; or near the one that is given."""
    if axis is not None:
        angle = np.arctan2(axis[1], axis[0]) + (rng.normal(0, 0.2) if rng.random() < 0.3 else 0.0)
    else:
        angle = rng.integers(4) * np.pi / 2 if rng.random() < 0.4 else rng.uniform(-np.pi, np.pi)
    return [round(float(np.cos(angle)), 12), round(float(np.sin(angle)), 12)]


def term(rng: Generator, part: Part, spin: float = 0.3, point: float = 0.25) -> dict[str, Any]:
    """What is asked of a body: to turn, or to go somewhere, by its centroid or by a corner of it."""
    if rng.random() < spin:
        return {"body": part.name, "spin": float(rng.choice([-1.0, 1.0]))}
    asked: dict[str, Any] = {"body": part.name, "direction": direction(rng)}
    if rng.random() < point:
        asked["point"] = part.rings[0][rng.integers(len(part.rings[0]))]
    return asked


def asked(rng: Generator, parts: Sequence[Part], **chances: float) -> tuple[dict[str, Any], ...]:
    """One term, at times two, of bodies that move."""
    moving = [part for part in parts if not part.fixed]
    count = 2 if len(moving) > 1 and rng.random() < 0.15 else 1
    return tuple(term(rng, moving[k], **chances) for k in rng.permutation(len(moving))[:count])
