"""Rows of a compiled mechanism as the arrays of `Elements`, by field."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.relax.assemble.rows import AxisVector, Coupling, Layout, LinkRow, Measure, Rail
from pliant.relax.model import Guide, Mechanism
from pliant.relax.network.elements import (
    CURVE,
    FIXED,
    LINE,
    PLANE,
    Couplings,
    Elements,
    Fields,
    Guides,
    Links,
    Rails,
)


def link_arrays(links: Sequence[LinkRow], count: int) -> Links:
    """Arrays of links, and the links at each of `count` nodes."""
    ends = _ints([link.ends for link in links], 2)
    by_node = np.argsort(ends.ravel(), kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(ends.ravel(), minlength=count))])
    return Links(ends, *_laws(links), starts, by_node // 2)


def rail_arrays(rails: Sequence[Rail]) -> Rails:
    """Arrays of rails: distances of nodes from lines."""
    nodes = _ints([rail.nodes for rail in rails], 3)
    return Rails(nodes, _floats([rail.rest for rail in rails]), *_laws(rails))


def coupling_arrays(couplings: Sequence[Coupling], dimension: int) -> Couplings:
    """Arrays of couplings and measures; one of fewer than four nodes repeats its first."""
    measures = [measure for coupling in couplings for measure in coupling.measures]
    counts = [len(coupling.measures) for coupling in couplings]
    nodes = [(*measure.nodes, *measure.nodes[:1] * (4 - len(measure.nodes))) for measure in measures]
    frames = [_frame(measure, (0.0,) * dimension) for measure in measures]
    return Couplings(
        np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]),
        *_laws(couplings),
        measures=np.array([measure.kind for measure in measures], np.int64),
        measured=_ints(nodes, 4),
        factors=_floats([measure.factor for measure in measures]),
        frames=np.array(frames, np.float64).reshape(-1, 2, dimension),
    )


def _frame(measure: Measure, none: AxisVector) -> tuple[AxisVector, ...]:
    return (*measure.frame, none, none)[:2]


def _laws(rows: Sequence[LinkRow] | Sequence[Rail] | Sequence[Coupling]) -> tuple[Floats, Ints, Floats]:
    """Stiffness, law and band of every row."""
    stiffness, bands = _floats([row.stiffness for row in rows]), _floats([row.band for row in rows])
    return stiffness, np.array([row.law for row in rows], np.int64), bands


def guide_arrays(model: Mechanism, layout: Layout, curves: Sequence[Floats]) -> Guides:
    """Arrays of the nodes' constraints, and the cubics of guide curves in order."""
    drawn = layout.drawn
    guides, which = np.zeros((2, len(drawn)), np.int64)
    along, friction = np.zeros_like(drawn), np.zeros(len(drawn))
    guides[[layout.number[name] for name in model.ground]] = FIXED
    closed: list[bool] = []
    for guide in model.guides:
        node = layout.number[guide.node]
        guides[node], direction = _guide_direction(guide)
        friction[node] = guide.friction
        if direction is None:
            which[node] = len(closed)
            closed.append(guide.closed)
        else:
            along[node] = np.array(direction) / np.linalg.norm(direction)
    return Guides(
        kinds=guides,
        at=drawn.copy(),
        along=along,
        curve=which,
        curve_starts=np.cumsum([0, *map(len, curves)]),
        curve_closed=np.array(closed, np.bool_),
        pieces=np.concatenate([np.zeros((0, 4, drawn.shape[1])), *curves]),
        friction=friction,
    )


def _guide_direction(guide: Guide) -> tuple[int, AxisVector | None]:
    if guide.curve is not None:
        return CURVE, None
    return (LINE, guide.line) if guide.line is not None else (PLANE, guide.plane)


def field_arrays(model: Mechanism, layout: Layout) -> Fields:
    """Arrays of fields, and the mass of each node; 0 at hidden ones."""
    hidden = len(layout.names) - len(model.nodes)
    masses = [*(model.masses.get(name, 1.0) for name in model.nodes), *[0.0] * hidden]
    return Fields(
        at=_floats([field.centre for field in model.fields]).reshape(-1, layout.drawn.shape[1]),
        strength=_floats([field.strength for field in model.fields]),
        power=_floats([field.power for field in model.fields]),
        masses=_floats(masses),
    )


def _ints(rows: Sequence[Sequence[int]], width: int) -> Ints:
    return np.array(rows, np.int64).reshape(-1, width)


def _floats(values: Sequence[float] | Sequence[AxisVector]) -> Floats:
    return np.array(values, np.float64)


def edges(parts: Elements) -> Ints:
    """Pairs of nodes (G, 2) that share a link, a rail or a coupling, sorted.

    All pairs of a coupling, however many nodes it has: its stiffness joins each with each.
    """
    count = len(parts.fields.masses)
    rails = parts.rails.nodes[:, [0, 1, 0, 2, 1, 2]].reshape(-1, 2)
    pairs = np.sort(np.concatenate([parts.links.ends, rails, *_coupled_pairs(parts, count)]), axis=1)
    keys = np.unique(pairs[:, 0] * count + pairs[:, 1])
    pairs = np.stack(np.divmod(keys, count), axis=1)
    return pairs[pairs[:, 0] != pairs[:, 1]]


def _coupled_pairs(parts: Elements, count: int) -> list[Ints]:
    """Pairs of nodes of one coupling; couplings of as many nodes together."""
    owner = np.repeat(np.arange(len(parts.couplings.laws)), np.diff(parts.couplings.firsts))
    owner, node = np.divmod(np.unique(owner[:, None] * count + parts.couplings.measured), count)
    sizes = np.bincount(owner, minlength=len(parts.couplings.laws))
    pairs: list[Ints] = []
    for size in np.unique(sizes).tolist():
        members = node[sizes[owner] == size].reshape(-1, size)
        first, second = np.triu_indices(size, 1)
        pairs.append(np.stack([members[:, first], members[:, second]], axis=2).reshape(-1, 2))
    return pairs
