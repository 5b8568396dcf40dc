"""Which bodies of a model are one rigid body: welds, and pivots that come to the same.

Two bodies with pivots (pins without clearance) at two different points cannot move against each
other. Nor can two welded groups with pivots at two points between them, so groups grow until
nothing more is joined. A group with a fixed body is held, as is one with two pivots on held bodies.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import dist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pliant.flex.model import Assembly

GROUND = -1
APART = 1e-6  # of the drawing's size: pins nearer to each other than this are one


@dataclass(frozen=True)
class RigidGroups:
    """The bodies of a model in groups that move as one."""

    groups: tuple[tuple[int, ...], ...]  # places of bodies, in the model's order; by their first
    held: tuple[bool, ...]  # (G,) whether a group is fixed

    def why(self, model: Assembly) -> dict[str, str]:
        """What holds each body that is held."""
        reasons: dict[str, str] = {}
        for group, held in zip(self.groups, self.held, strict=True):
            fixed = [model.bodies[place].name for place in group if model.bodies[place].fixed]
            for place in group if held else ():
                body = model.bodies[place]
                other = f"is one with {fixed[0]!r}, which is fixed" if fixed else "is pinned to what is fixed"
                reasons[body.name] = "is fixed" if body.fixed else other
        return reasons


def rigid_groups(model: Assembly) -> RigidGroups:
    """Join what is welded, and what is pinned so that it comes to the same."""
    places = {body.name: place for place, body in enumerate(model.bodies)}
    leader = list(range(len(model.bodies)))

    def find(place: int) -> int:
        while leader[place] != place:
            leader[place] = place = leader[leader[place]]
        return place

    def join(first: int, second: int) -> None:
        low, high = sorted((find(first), find(second)))
        leader[high] = low
        held[low] = held[low] or held[high]

    held = [body.fixed for body in model.bodies]
    for weld in model.welds:
        for name in weld.bodies[1:]:
            join(places[weld.bodies[0]], places[name])
    pivots = [(*(places[name] for name in pin.bodies), pin.at) for pin in model.pins if pin.clearance == 0]
    apart = APART * _size(model) if pivots else 0.0
    grown = bool(pivots)
    while grown:
        grown = False
        first_at: defaultdict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
        for first, second, at in pivots:
            one, other = (GROUND if held[find(place)] else find(place) for place in (first, second))
            pair = (min(one, other), max(one, other))
            known = first_at[pair]
            if one == other or any(dist(at, there) <= apart for there in known):
                continue
            known.append(at)
            if len(known) == 2:
                grown = True
                if GROUND in pair:
                    held[max(pair)] = True
                else:
                    join(one, other)
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for place in range(len(leader)):
        groups[find(place)].append(place)
    ordered = sorted(groups.items())
    return RigidGroups(
        tuple(tuple(group) for _, group in ordered), tuple(held[first] for first, _ in ordered)
    )


def _size(model: Assembly) -> float:
    """How far apart pins and the corners of bodies are drawn; of shared shapes, their places only."""
    points = [*(pin.at for pin in model.pins), *(body.pose[:2] for body in model.bodies)]
    spans = [np.ptp(np.array(body.outline), axis=0).max() for body in model.bodies if body.outline]
    return max(float(np.ptp(np.array(points), axis=0).max()), *map(float, spans), 0.0)
