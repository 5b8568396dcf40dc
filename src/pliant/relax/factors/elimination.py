"""In which order the nodes are eliminated, and where the numbers of a factor go.

Nodes that share elements are put near each other (reverse Cuthill-McKee), so that every row of
the stiffness starts not far from the diagonal: the factor keeps what lies between, row by row.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import kernel
from pliant.relax.factors.skyline import factorise
from pliant.relax.network.elements import FIXED
from pliant.relax.network.laws import BAR
from pliant.relax.network.network import Network, once

ANCHOR = 1e-9  # of a node to where it is, beside its links: parts that hang on nothing stay


class Order(NamedTuple):
    """n nodes that can move, in the order of elimination."""

    place: Ints  # (N,) of each node; -1 on the ground
    node: Ints  # (n,) at each place
    first: Ints  # (n D,) the first column of each row of the stiffness
    rows: Ints  # (n D + 1,) where each row starts
    edges: Ints  # (G, 2) nodes that share an element
    sizes: Floats  # (G,) that an edge without a length of its own is compared with; 0 for rigid ones
    graph_first: Ints  # (n,) the same for the graph's Laplacian
    graph_rows: Ints  # (n + 1,)
    graph: Floats  # its factor


@once
def factor_size(net: Network) -> int:
    """Number of stored entries in the factor of a network's stiffness."""
    _, low = places(net)
    d = net.drawn.shape[1]
    wide = np.arange(len(low)) - low + 1
    return int((d * d * wide - d * (d - 1) // 2).sum())


@once
def elimination_order(net: Network) -> Order:
    """Order the nodes that can move, and factor the Laplacian of their graph."""
    place, low = places(net)
    d = net.drawn.shape[1]
    node = np.argsort(place, kind="stable")[len(place) - len(low) :]
    first = np.repeat(d * low, d)
    rows = np.concatenate([[0], np.cumsum(np.arange(d * len(low)) - first + 1)])
    graph_rows = np.concatenate([[0], np.cumsum(np.arange(len(low)) - low + 1)])
    graph = np.zeros(graph_rows[-1])
    _laplacian(net.edges, place, low, graph_rows, graph)
    factorise(graph, low, graph_rows)
    return Order(place, node, first, rows, net.edges, _sizes(net), low, graph_rows, graph)


def _sizes(net: Network) -> Floats:
    """Reference length of each edge: 0 for rigid links, else the longest edge at its shorter end.

    A slider may come to lie on a node of its line, and a spring have no length at all.
    """
    lengths = np.linalg.norm(net.drawn[net.edges[:, 1]] - net.drawn[net.edges[:, 0]], axis=1)
    longest = np.zeros(len(net.drawn))
    for end in net.edges.T:
        np.maximum.at(longest, end, lengths)
    links = net.parts.links
    rigid = np.sort(links.ends[net.rigid & (links.laws == BAR)], axis=1)
    count = len(net.drawn)
    own = np.isin(net.edges[:, 0] * count + net.edges[:, 1], rigid[:, 0] * count + rigid[:, 1])
    return np.where(own, 0.0, longest[net.edges].min(axis=1))


@once
def places(net: Network) -> tuple[Ints, Ints]:
    """Place of each node in the order, and for each place the lowest one it is coupled with."""
    free = np.flatnonzero(net.parts.guides.kinds != FIXED)
    number = np.full(len(net.drawn), -1)
    number[free] = np.arange(len(free))
    touching = net.parts.touch.ends[:, list(combinations(range(4), 2))].reshape(-1, 2)
    edges = np.concatenate([net.edges, touching])
    joined = number[edges]
    joined = joined[(joined >= 0).all(axis=1)]
    shape = (len(free), len(free))
    both = np.concatenate([joined, joined[:, ::-1]])
    matrix = sparse.coo_matrix((np.ones(len(both)), both.T), shape).tocsr()
    ranked: Any = reverse_cuthill_mckee(matrix, symmetric_mode=True) if len(free) else free
    place = np.full(len(net.drawn), -1, np.int64)
    place[free[ranked]] = np.arange(len(free))
    low = np.arange(len(free))
    pairs = place[edges]
    pairs = pairs[(pairs >= 0).all(axis=1)]
    np.minimum.at(low, pairs.max(axis=1), pairs.min(axis=1))
    return place, low


@kernel
def _laplacian(edges: Ints, place: Ints, low: Ints, rows: Ints, graph: Floats) -> None:
    for i in range(len(low)):
        graph[rows[i + 1] - 1] = ANCHOR
    for e in range(len(edges)):
        i, j = place[edges[e, 0]], place[edges[e, 1]]
        if i >= 0:
            graph[rows[i + 1] - 1] += 1.0
        if j >= 0:
            graph[rows[j + 1] - 1] += 1.0
        if i >= 0 and j >= 0:
            i, j = max(i, j), min(i, j)
            graph[rows[i] + j - low[i]] -= 1.0
