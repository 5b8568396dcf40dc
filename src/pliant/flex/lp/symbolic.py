"""Where the numbers of a sparse Cholesky factor go, found from the graph of the bodies alone.

Fronts and their leftovers on a stack are those of the multifrontal method (`cholesky`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel
from pliant.core.threads import threads
from pliant.flex.lp.dissection import LEAF, dissect, neighbour_lists

# Multiplications from which a second thread earns more than it takes to wake, on a busy
# machine too: about 5,000 bodies.
SHARED = 1e8


@dataclass(frozen=True)
class Symbolic:
    """Where everything goes, for a graph of B bodies and P adjacent pairs in T groups."""

    pairs: Ints  # (P, 2) adjacent bodies
    order: Ints  # (B,) body at each place of the elimination
    starts: Ints  # (T + 1,) places of each group
    tree: Ints  # (T, 3) parent, last child and previous sibling of each group, -1 for none
    edge_starts: Ints  # (T + 1,) into `boundary` and `relative`
    boundary: Ints  # places outside a group that its elimination couples, sorted
    relative: Ints  # the same, as positions in the front of the parent
    panel_starts: Ints  # (T + 1,) into the numbers of the factor
    targets: Ints  # (B + P, 3) of each block: where in the factor, column length, transposed?
    shares: tuple[Ints, ...]  # groups for each thread, then those that wait for all
    stack: Ints  # (T, 2) where a group's leftover is made and where it waits
    stack_size: int
    work: float  # multiplications of a factorisation, about


def analyse(pairs: Ints, centres: Floats, leaf: int = LEAF, shared: float = SHARED) -> Symbolic:
    """Prepare the factorisation of matrices coupling `pairs` of the bodies at `centres`.

    From `shared` multiplications on the work is divided between two threads.
    """
    bodies = len(centres)
    near, neighbours = neighbour_lists(pairs, bodies)
    groups = dissect(near, neighbours, centres, leaf)
    place = np.empty(bodies, np.int64)
    place[groups.order] = np.arange(bodies)
    starts, tree = groups.starts, _tree(groups.parents)
    edge_starts, boundary, relative = _boundaries(near, neighbours, groups.order, place, starts, tree)
    own, rest = np.diff(starts), np.diff(edge_starts)
    panel_starts = np.concatenate([[0], np.cumsum(9 * own * (own + rest))])
    owners = np.repeat(np.arange(len(own)), own)
    blocks = np.concatenate([np.repeat(np.arange(bodies), 2).reshape(-1, 2), pairs])
    targets = _targets(place[blocks], owners, starts, edge_starts, boundary, panel_starts)
    work = 27.0 * own * (own**2 / 3 + own * rest + rest**2)
    alone = work.sum() <= shared or threads() == 1
    shares = (np.arange(len(own)),) if alone else divide(groups.parents, work, threads())
    stack, stack_size = np.zeros((len(own), 2), np.int64), 0
    for share in shares:
        stack_size = _stack(share, tree, 9 * rest * rest, stack, stack_size)
    return Symbolic(
        pairs, groups.order, starts, tree, edge_starts, boundary, relative, panel_starts,
        targets, shares, stack, int(stack_size), float(work.sum()),
    )  # fmt: skip


def divide(parents: Ints, work: Floats, threads: int = 2) -> tuple[Ints, ...]:
    """Find groups for so many threads with about the same work each, and those that wait for all.

    The largest subtree is split at its root until the subtrees can be dealt out evenly.
    """
    total = work.copy()
    first = np.arange(len(parents))
    for t, parent in enumerate(parents.tolist()):
        if parent >= 0:
            total[parent] += total[t]
            first[parent] = min(first[parent], first[t])
    pieces = np.flatnonzero(parents < 0).tolist()
    hands, sums = _deal(pieces, total, threads)
    while max(sums) > 1.06 / threads * sum(sums) and total[pieces[0]] > 0.04 / threads * sum(sums):
        pieces = pieces[1:] + np.flatnonzero(parents == pieces[0]).tolist()
        hands, sums = _deal(pieces, total, threads)
    owner = np.full(len(parents), threads)
    for hand, pile in enumerate(hands):
        for t in pile:
            owner[first[t] : t + 1] = hand
    return tuple(np.flatnonzero(owner == hand) for hand in range(threads + 1))


def _deal(pieces: list[int], total: Floats, threads: int) -> tuple[list[list[int]], list[float]]:
    """Sort pieces and deal them, largest first, to the hand that holds least."""
    pieces.sort(key=lambda t: -total[t])
    hands: list[list[int]] = [[] for _ in range(threads)]
    sums = [0.0] * threads
    for t in pieces:
        hand = sums.index(min(sums))
        hands[hand].append(t)
        sums[hand] += float(total[t])
    return hands, sums


@kernel
def _boundaries(
    near: Ints, neighbours: Ints, order: Ints, place: Ints, starts: Ints, tree: Ints
) -> tuple[Ints, Ints, Ints]:
    """Of every group the later places it is coupled to, by the graph or by fill."""
    groups = len(tree)
    edges = np.zeros(groups + 1, np.int64)
    boundary = np.empty(16 * len(order) + 16, np.int64)
    seen = np.full(len(order), -1)
    for t in range(groups):
        end, first = starts[t + 1], edges[t]
        top = first
        for i in range(starts[t], end):
            for e in range(near[order[i]], near[order[i] + 1]):
                p = place[neighbours[e]]
                if p >= end and seen[p] != t:
                    seen[p] = t
                    boundary[top] = p
                    top += 1
            if top + len(order) > len(boundary):
                boundary = np.concatenate((boundary, np.empty_like(boundary)))
        c = tree[t, 1]
        while c >= 0:
            for j in range(edges[c], edges[c + 1]):
                p = boundary[j]
                if p >= end and seen[p] != t:
                    seen[p] = t
                    boundary[top] = p
                    top += 1
            c = tree[c, 2]
        boundary[first:top].sort()
        edges[t + 1] = top
        if top + 2 * len(order) > len(boundary):
            boundary = np.concatenate((boundary, np.empty_like(boundary)))
    return edges, boundary[: edges[groups]].copy(), _relative(starts, tree, edges, boundary)


@inner
def _relative(starts: Ints, tree: Ints, edges: Ints, boundary: Ints) -> Ints:
    """Positions of a group's boundary in the front of its parent."""
    relative = np.empty(edges[-1], np.int64)
    for t in range(len(tree)):
        parent = tree[t, 0]
        if parent < 0:
            continue
        low, high = starts[parent], starts[parent + 1]
        j = edges[parent]
        for e in range(edges[t], edges[t + 1]):
            if boundary[e] < high:
                relative[e] = boundary[e] - low
                continue
            while boundary[j] < boundary[e]:
                j += 1
            relative[e] = high - low + j - edges[parent]
    return relative


@kernel
def _targets(
    places: Ints, owners: Ints, starts: Ints, edges: Ints, boundary: Ints, panel_starts: Ints
) -> Ints:
    """Of every block (row body, column body): offset in the factor, column length, flip."""
    targets = np.empty((len(places), 3), np.int64)
    for b in range(len(places)):
        row, column = max(places[b, 0], places[b, 1]), min(places[b, 0], places[b, 1])
        t = owners[column]
        low, high = starts[t], starts[t + 1]
        across = high - low + edges[t + 1] - edges[t]
        local = row - low
        if row >= high:
            at = np.searchsorted(boundary[edges[t] : edges[t + 1]], row)
            local = high - low + at
        targets[b, 0] = panel_starts[t] + 3 * (column - low) * 3 * across + 3 * local
        targets[b, 1] = 3 * across
        targets[b, 2] = places[b, 0] < places[b, 1]
    return targets


@kernel
def _tree(parents: Ints) -> Ints:
    """Parent, last child and previous sibling of every group."""
    tree = np.full((len(parents), 3), -1)
    for t in range(len(parents)):
        parent = parents[t]
        tree[t, 0] = parent
        if parent >= 0:
            tree[t, 2] = tree[parent, 1]
            tree[parent, 1] = t
    return tree


@kernel
def _stack(share: Ints, tree: Ints, sizes: Ints, stack: Ints, base: int) -> int:
    """Places on a stack that starts at `base`; where it ends at its highest.

    The leftovers of a group's children are on top when its turn comes; its own is made
    above them and then moved down over them. Children of another share lie elsewhere.
    """
    inside = np.zeros(len(tree), np.bool_)
    inside[share] = True
    top, most = int(base), int(base)
    for i in range(len(share)):
        t = int(share[i])
        bottom, c = top, int(tree[t, 1])
        while c >= 0:
            if inside[c]:
                bottom = min(bottom, int(stack[c, 1]))
            c = int(tree[c, 2])
        stack[t, 0], stack[t, 1] = top, bottom
        most = max(most, top + int(sizes[t]))
        top = bottom + int(sizes[t])
    return most
