"""Rigid bodies: a simplex of links, and every other node tied to it.

The base is a well-spread simplex of the body's nodes, with a link for each pair of them. A node p
beside it keeps its barycentric coordinates w, in D rows, one for each axis:

    p − Σ w_j b_j = 0

which hold for every rigid motion, since Σ w_j = 1. With n nodes that is a row for each freedom
taken, D n − D (D + 1)/2 of them; fewer where the nodes are collinear, or coplanar in space, for
then the base is smaller and says nothing of how the body turns about itself.

Source: [Lipson2006] Table 1, "Rigid components", "Intermediate connections", "Welded joint",
"3D Hinges".
Differs: no triangular mesh, whose links are many more than the freedoms they take.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import dist
from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.relax.assemble.links import bar_stiffness
from pliant.relax.assemble.rows import Coupling, Layout, LinkRow, Measure
from pliant.relax.model import Mechanism
from pliant.relax.network.elements import TRAVEL

FLAT = 1e-9  # of its size: a body less thick than this is collinear, or coplanar
THIN = 0.05  # less thick than this, its own nodes are no base: links between them would hardly hold it


class NodeBody(NamedTuple):
    """Nodes whose mutual distances are constant."""

    name: str
    nodes: tuple[int, ...]
    stiffness: float | None = None  # of its own
    hidden: bool = False


class BodySimplex(NamedTuple):
    """Base simplex of a rigid body, and barycentric coordinates of its other nodes."""

    body: NodeBody
    nodes: tuple[int, ...]
    tied: tuple[int, ...]
    weights: Floats  # (tied, base nodes)


def hinge_bodies(model: Mechanism, layout: Layout) -> tuple[Layout, list[NodeBody]]:
    """Two bodies for each hinge in space, which share the joint and a hidden node on the axis."""
    names: list[str] = []
    places: list[Floats] = []
    rigid: list[NodeBody] = []
    for index, hinge in enumerate(model.hinges):
        arms = [layout.distance(hinge.joint, name) for side in hinge.sides for name in side]
        axis = np.array(hinge.axis) / np.linalg.norm(hinge.axis)
        joint, hidden = layout.number[hinge.joint], len(layout.names) + len(names)
        names.append(f"hinge {index + 1}: axis")
        places.append(layout.drawn[joint] + axis * np.mean(arms))
        for side in hinge.sides:
            rigid.append(
                NodeBody(f"hinge {hinge.joint}", (joint, hidden, *layout.numbers(side)), hidden=True)
            )
    return layout.extended(names, places), rigid


def bodies(model: Mechanism, layout: Layout) -> Iterator[NodeBody]:
    """Bars with nodes between their ends, plates and welds."""
    for bar in model.bars:
        if len(bar.nodes) > 2:
            ends = bar.nodes[0], bar.nodes[-1]
            own = bar_stiffness(bar, layout.distance(*ends))
            yield NodeBody(f"bar {'-'.join(ends)}", layout.numbers(bar.nodes), own)
    for plate in model.plates:
        yield NodeBody(f"plate {plate.label}", layout.numbers(plate.nodes), plate.stiffness)
    for weld in model.welds:
        yield NodeBody(f"weld {weld.joint}", layout.numbers((weld.joint, *weld.arms)), hidden=True)


def body_simplices(rigid: Iterable[NodeBody], layout: Layout) -> tuple[Layout, list[BodySimplex]]:
    """Base simplex of each body; thin bodies get hidden nodes so that it is well-conditioned."""
    names: list[str] = []
    places: list[Floats] = []
    bases: list[BodySimplex] = []
    for body, chosen, apexes in _simplex_corners(list(rigid), layout.drawn):
        fresh = tuple(len(layout.names) + len(names) + k for k in range(len(apexes)))
        names += [f"{body.name}: {k + 1} beside it" for k in range(len(apexes))]
        places += apexes
        held = set(chosen)
        tied = tuple(node for node in body.nodes if node not in held)
        weights = np.zeros((0, len(chosen) + len(fresh)))
        if tied:
            corners = np.vstack([layout.drawn[list(chosen)], *apexes])
            weights = _weights(corners, layout.drawn[list(tied)])
        bases.append(BodySimplex(body, chosen + fresh, tied, weights))
    return layout.extended(names, places), bases


def _simplex_corners(
    rigid: list[NodeBody], drawn: Floats
) -> Iterator[tuple[NodeBody, tuple[int, ...], list[Floats]]]:
    """For each body the nodes of its base, and the places of those it lacks; those with as many together."""
    for count in sorted({len(body.nodes) for body in rigid}):
        alike = [body for body in rigid if len(body.nodes) == count]
        nodes = np.array([body.nodes for body in alike])
        corners, heights, ways = _spread(drawn[nodes])
        chosen = np.take_along_axis(nodes, corners, axis=1).tolist()
        for body, base, height, direction in zip(alike, chosen, heights.tolist(), ways, strict=True):
            thick = sum(h > FLAT * height[0] for h in height)  # heights fall, so these are the first
            sound = sum(h >= THIN * height[0] for h in height[:thick])
            kept = tuple(base[: sound + 1])
            yield body, kept, [_apex(drawn[list(kept)], height[0], direction[k]) for k in range(sound, thick)]


def _apex(corners: Floats, size: float, direction: Floats) -> Floats:
    return corners.mean(axis=0) + 0.5 * size * direction


def _spread(places: Floats) -> tuple[Ints, Floats, Floats]:
    """Well-spread corners of bodies (B, n, D) with as many nodes each.

    The farthest from the middle, the farthest from that, then from their line, then from their plane:
    corners (B, D + 1), how far each is from those before it (B, D), and which way (B, D, D).
    """
    rows = np.arange(len(places))
    away = places - places.mean(axis=1, keepdims=True)
    corners = [np.linalg.norm(away, axis=2).argmax(axis=1)]
    away = places - places[rows, corners[0], None]
    heights: list[Floats] = []
    ways: list[Floats] = []
    for _ in range(places.shape[2]):
        far = np.linalg.norm(away, axis=2)
        corners.append(far.argmax(axis=1))
        heights.append(far[rows, corners[-1]])
        ways.append(away[rows, corners[-1]] / np.maximum(heights[-1], np.finfo(np.float64).tiny)[:, None])
        away = away - (away @ ways[-1][:, :, None]) * ways[-1][:, None, :]
    return np.stack(corners, axis=1), np.stack(heights, axis=1), np.stack(ways, axis=1)


def _weights(corners: Floats, places: Floats) -> Floats:
    """Barycentric coordinates of places (T, D) in the simplex of K corners: (T, K)."""
    sides = corners[1:] - corners[0]
    rest = np.linalg.lstsq(sides.T, (places - corners[0]).T, rcond=None)[0].T
    return np.column_stack([1.0 - rest.sum(axis=1), rest])


def base_links(bases: Iterable[BodySimplex], layout: Layout, shown: int) -> Iterator[LinkRow]:
    """Links between all pairs of a base's nodes; hidden where one of them is hidden."""
    for base in bases:
        own = base.body.stiffness
        for ends in combinations(base.nodes, 2):
            yield LinkRow(
                base.body.name,
                ends,
                (dist(layout.places[ends[0]], layout.places[ends[1]]),),
                layout.stiffness if own is None else own,
                rigid=own is None,
                hidden=base.body.hidden or max(ends) >= shown,
            )


def ties(bases: Iterable[BodySimplex], layout: Layout) -> Iterator[Coupling]:
    """D coupling rows for each node beside a base, at least as stiff as rigid links."""
    axes = [tuple(axis) for axis in np.eye(layout.drawn.shape[1]).tolist()]
    for base in bases:
        stiffness = max(layout.stiffness, base.body.stiffness or 0.0)
        for node, weights in zip(base.tied, base.weights.tolist(), strict=True):
            factors = [(node, 1.0), *((corner, -w) for corner, w in zip(base.nodes, weights, strict=True))]
            for axis in axes:
                measures = tuple(Measure(TRAVEL, (at,), factor, (axis,)) for at, factor in factors)
                yield Coupling(base.body.name, measures, (0.0,), stiffness, counted=False)
