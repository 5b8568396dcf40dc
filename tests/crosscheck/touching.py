"""Where polygons touch, which way the contact pushes, and what friction makes of it: plain statics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Pair = tuple[str, int, int, int]  # kind, feature of the pawl, obstacle, its feature; as numbered in the model


@dataclass(frozen=True)
class Contact:
    """A vertex on an edge: of the pawl on the obstacle's ("B"), or of the obstacle on the pawl's ("A")."""

    pair: Pair
    arm: Floats  # (2,) from the hinge
    normal: Floats  # (2,) of length 1, the way it pushes the pawl


@dataclass(frozen=True)
class Rings:
    """Closed rings of vertices, counter-clockwise around material, as arrays of their edges."""

    tail: Floats  # (E, 2) the first vertex of each edge
    head: Floats  # (E, 2)
    convex: NDArray[np.bool_]  # (E,) whether the first vertex is
    part: Ints  # (E,)
    vertex: Ints  # (E,) the first vertex's number in the model, -1 where parts are united
    edge: Ints  # (E,) the edge's

    @property
    def normal(self) -> Floats:
        """(E, 2) outward, of length 1."""
        along = self.head - self.tail
        return np.column_stack([along[:, 1], -along[:, 0]]) / np.linalg.norm(along, axis=1)[:, None]


def rings_of(outlines: Sequence[Floats], parts: Sequence[int] = (0,)) -> Rings:
    """The edges of parts united: what lies between those that touch is not there."""
    areas = shapely.polygons([shapely.linearrings(outline) for outline in outlines])
    united = shapely.get_parts(shapely.orient_polygons(shapely.union_all(areas)))
    closed = [ring for area in united for ring in (area.exterior, *area.interiors)]
    rings = [shapely.get_coordinates(ring)[:-1] for ring in closed]
    tail = np.concatenate(rings)
    head = np.concatenate([np.roll(ring, -1, axis=0) for ring in rings])
    back = tail - np.concatenate([np.roll(ring, 1, axis=0) for ring in rings])
    along = head - tail
    convex = back[:, 0] * along[:, 1] - back[:, 1] * along[:, 0] > 0
    middle = shapely.points((tail + head) / 2)
    part = shapely.distance(areas[:, None], middle).argmin(axis=0)
    vertex = np.array([_number(outlines[k], point) for k, point in zip(part, tail, strict=True)])
    last = np.array([_number(outlines[k], point) for k, point in zip(part, head, strict=True)])
    count = np.array([len(outlines[k]) for k in part])
    # An edge has the number of the vertex from which it is drawn, whichever way that is.
    edge = np.where((vertex + 1) % count == last, vertex, last)
    return Rings(tail, head, convex, np.array(parts)[part], vertex, np.where(vertex < 0, -1, edge))


def _number(outline: Floats, point: Floats) -> int:
    """Which vertex of an outline a point is; -1 if none."""
    same = np.flatnonzero((outline == point).all(axis=1))
    return int(same[0]) if len(same) else -1


def placed(rings: Rings, angle: float, at: Floats) -> Rings:
    """Rings turned about the origin and then moved."""
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return Rings(
        rings.tail @ turn + at, rings.head @ turn + at, rings.convex, rings.part, rings.vertex, rings.edge
    )


def contacts(pawl: Rings, obstacles: Rings, hinge: Floats, near: float) -> list[Contact]:
    """Every convex vertex of the one that is nearer to an edge of the other than `near`.

    Those beside an end of the edge count where there are no others: two vertices then meet.
    """
    found: dict[bool, list[Contact]] = {True: [], False: []}
    for k, e, within in _near(pawl, obstacles, near):
        pair = ("B", int(pawl.vertex[k]), int(obstacles.part[e]), int(obstacles.edge[e]))
        found[within].append(Contact(pair, pawl.tail[k] - hinge, obstacles.normal[e]))
    for k, e, within in _near(obstacles, pawl, near):
        pair = ("A", int(pawl.edge[e]), int(obstacles.part[k]), int(obstacles.vertex[k]))
        found[within].append(Contact(pair, obstacles.tail[k] - hinge, -pawl.normal[e]))
    return found[True] or found[False]


def _near(points: Rings, edges: Rings, near: float) -> Iterator[tuple[int, int, bool]]:
    """Convex vertices and edges near each other, and whether the vertex is between the edge's ends."""
    along = edges.head - edges.tail
    rel = points.tail[:, None] - edges.tail
    share = (rel * along).sum(axis=2) / (along * along).sum(axis=1)
    off = rel - np.clip(share, 0, 1)[:, :, None] * along
    for k, e in np.argwhere((np.hypot(off[..., 0], off[..., 1]) < near) & points.convex[:, None]).tolist():
        yield k, e, bool(0 <= share[k, e] <= 1)


def lever(contact: Contact) -> float:
    """How the normal turns the pawl: positive counter-clockwise."""
    return float(contact.arm[0] * contact.normal[1] - contact.arm[1] * contact.normal[0])


def locks(contact: Contact, velocity: Floats, friction: float) -> bool:
    """Whether hinge and contact push or pull on each other within the friction cone, against the motion."""
    along = float(contact.arm @ contact.normal)
    return abs(lever(contact)) <= friction * abs(along) and np.sign(along) * (contact.arm @ velocity) < 0


def mating_force(contact: Contact, velocity: Floats, friction: float, torque: float) -> float:
    """What pushes the root along its velocity, when the contact alone holds a torque of the spring.

    Friction is against the sliding of the pawl's material, v + ω × r, with the ω that keeps the contact.
    """
    across = np.array([-contact.normal[1], contact.normal[0]])
    spin = -float(contact.normal @ velocity) / lever(contact)
    slide = velocity + spin * np.array([-contact.arm[1], contact.arm[0]])
    pushed = contact.normal - friction * np.sign(slide @ across) * across
    moment = float(contact.arm[0] * pushed[1] - contact.arm[1] * pushed[0])
    return -torque / moment * float(pushed @ velocity) / float(np.linalg.norm(velocity))
