"""Sparse Cholesky factors of matrices with 3x3 blocks on the graph of the bodies.

N = L Lᵀ is computed front by front: a group of bodies (`dissection`) is eliminated as a
small dense matrix by LAPACK, and what is left over its boundary is added to the front
of its parent. `analyse` looks at the graph only; `factor` may then be called for any
numbers on that graph.

Source: [Duff1983] for the multifrontal method.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pliant.flex.dissection import LEAF, dissect, neighbour_lists
from pliant.flex.kernel import (
    backward_front,
    cholesky_front,
    forward_front,
    in_threads,
    kernel,
)
from pliant.flex.program import Floats, Ints

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
    shares: tuple[Ints, ...]  # groups for each thread, then those that wait for both
    stack: Ints  # (T, 2) where a group's leftover is made and where it waits
    stack_size: int


@dataclass(frozen=True)
class Factor:
    """L of a matrix on the graph of `symbolic`."""

    symbolic: Symbolic
    panels: Floats  # columns of every group, one group after the other
    failed: bool  # a pivot was not positive: the panels are no factor


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
    edge_starts, boundary, relative = _boundaries(
        near, neighbours, groups.order, place, starts, tree
    )
    own, rest = np.diff(starts), np.diff(edge_starts)
    panel_starts = np.concatenate([[0], np.cumsum(9 * own * (own + rest))])
    owners = np.repeat(np.arange(len(own)), own)
    blocks = np.concatenate([np.repeat(np.arange(bodies), 2).reshape(-1, 2), pairs])
    targets = _targets(place[blocks], owners, starts, edge_starts, boundary, panel_starts)
    work = 27.0 * own * (own**2 / 3 + own * rest + rest**2)
    shares = divide(groups.parents, work) if work.sum() > shared else (np.arange(len(own)),)
    stack, stack_size = np.zeros((len(own), 2), np.int64), 0
    for share in shares:
        stack_size = _stack(share, tree, 9 * rest * rest, stack, stack_size)
    return Symbolic(
        pairs, groups.order, starts, tree, edge_starts, boundary, relative, panel_starts,
        targets, shares, stack, int(stack_size),
    )  # fmt: skip


def factor(symbolic: Symbolic, blocks: Floats) -> Factor:
    """L of a symmetric matrix given by its blocks, (B + P, 3, 3).

    The first B are the diagonal; block B + p holds the rows of the first body of
    `symbolic.pairs[p]` and the columns of the second.
    """
    panels, stack = np.zeros(symbolic.panel_starts[-1]), np.empty(symbolic.stack_size)
    _scatter(blocks, symbolic.targets, panels)

    def work(share: Ints) -> int:
        return _factor(
            share, symbolic.starts, symbolic.tree, symbolic.edge_starts, symbolic.relative,
            symbolic.panel_starts, symbolic.stack, panels, stack,
        )  # fmt: skip

    *apart, last = symbolic.shares
    failed = any(in_threads(work, apart)) or work(last)
    return Factor(symbolic, panels, bool(failed))


def solve(factor: Factor, right: Floats) -> Floats:
    """N⁻¹ applied to a (B, 3) right-hand side."""
    symbolic = factor.symbolic
    x = right[symbolic.order].ravel()

    def forward(share: Ints, x: Floats) -> None:
        _forward(
            share, symbolic.starts, symbolic.edge_starts, symbolic.boundary,
            symbolic.panel_starts, factor.panels, x,
        )  # fmt: skip

    def backward(share: Ints) -> None:
        _backward(
            share, symbolic.starts, symbolic.edge_starts, symbolic.boundary,
            symbolic.panel_starts, factor.panels, x,
        )  # fmt: skip

    *apart, last = symbolic.shares
    _forward_apart(symbolic, forward, apart, x)
    forward(last, x)
    backward(last)
    in_threads(backward, apart)
    solution = np.empty_like(right)
    solution[symbolic.order] = x.reshape(right.shape)
    return solution


def _forward_apart(
    symbolic: Symbolic, forward: Callable[[Ints, Floats], None], apart: list[Ints], x: Floats
) -> None:
    """The shares of the threads; what both add to the places after them is summed here."""
    if not apart:
        return
    copy = x.copy()
    waiting = _coordinates(symbolic, symbolic.shares[-1])
    copy[waiting] = 0.0
    in_threads(lambda job: forward(*job), [(apart[0], x), (apart[1], copy)])
    mine = _coordinates(symbolic, apart[1])
    x[mine] = copy[mine]
    x[waiting] += copy[waiting]


def _coordinates(symbolic: Symbolic, share: Ints) -> NDArray[np.bool_]:
    """Which unknowns the groups of a share own."""
    owned = np.zeros(len(symbolic.starts) - 1, bool)
    owned[share] = True
    return np.repeat(owned, 3 * np.diff(symbolic.starts))


def divide(parents: Ints, work: Floats) -> tuple[Ints, Ints, Ints]:
    """Groups for two threads with about the same work, and those that wait for both.

    The largest subtree is split at its root until the subtrees can be dealt out evenly.
    """
    total = work.copy()
    first = np.arange(len(parents))
    for t, parent in enumerate(parents.tolist()):
        if parent >= 0:
            total[parent] += total[t]
            first[parent] = min(first[parent], first[t])
    pieces = np.flatnonzero(parents < 0).tolist()
    for _ in range(60):
        pieces.sort(key=lambda t: -total[t])
        hands, sums = _deal(pieces, total)
        if max(sums) <= 0.53 * sum(sums) or total[pieces[0]] < 0.02 * sum(sums):
            break
        pieces = pieces[1:] + np.flatnonzero(parents == pieces[0]).tolist()
    owner = np.full(len(parents), 2)
    for hand, pile in enumerate(hands):
        for t in pile:
            owner[first[t] : t + 1] = hand
    return tuple(np.flatnonzero(owner == hand) for hand in range(3))  # pyright: ignore[reportReturnType]


def _deal(pieces: list[int], total: Floats) -> tuple[tuple[list[int], list[int]], list[float]]:
    """Deal pieces, largest first, to the hand that holds less."""
    hands: tuple[list[int], list[int]] = ([], [])
    sums = [0.0, 0.0]
    for t in pieces:
        hand = int(sums[1] < sums[0])
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
        boundary[first:top] = np.sort(boundary[first:top])
        edges[t + 1] = top
        if top + 2 * len(order) > len(boundary):
            boundary = np.concatenate((boundary, np.empty_like(boundary)))
    return edges, boundary[: edges[groups]].copy(), _relative(starts, tree, edges, boundary)


@kernel
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
        row, column = max(places[b]), min(places[b])
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
    top, most = base, base
    for t in share:
        bottom, c = top, tree[t, 1]
        while c >= 0:
            if inside[c]:
                bottom = min(bottom, stack[c, 1])
            c = tree[c, 2]
        stack[t, 0], stack[t, 1] = top, bottom
        most = max(most, top + sizes[t])
        top = bottom + sizes[t]
    return most


@kernel
def _scatter(blocks: Floats, targets: Ints, panels: Floats) -> None:
    for b in range(len(blocks)):
        at, stride, flip = targets[b]
        for i in range(3):
            for j in range(3):
                panels[at + j * stride + i] = blocks[b, j, i] if flip else blocks[b, i, j]


@kernel
def _add_child(
    child: Floats, relative: Ints, panel: Floats, update: Floats, m: int, k: int
) -> None:
    """Add a child's leftover to the front of its parent (lower triangles, by columns)."""
    count = len(relative)
    for b in range(count):
        for j in range(3):
            column = 3 * relative[b] + j
            if column < m:
                target = panel[column * (m + k) : (column + 1) * (m + k)]
            else:
                # Shifted by m, so that rows are counted from the top of the front.
                target = update[(column - m) * k : (column - m + 1) * k]
            skip = 0 if column < m else m
            source = child[(3 * b + j) * 3 * count : (3 * b + j + 1) * 3 * count]
            for a in range(b, count):
                at = np.uint64(3 * relative[a] - skip)
                for i in range(3):
                    target[at + np.uint64(i)] += source[3 * a + i]


@kernel
def _factor(
    share: Ints, starts: Ints, tree: Ints, edges: Ints, relative: Ints, panel_starts: Ints,
    places: Ints, panels: Floats, stack: Floats,
) -> int:  # fmt: skip
    """Eliminate the groups of a share, one after the other; 1 where a pivot failed."""
    for t in share:
        m, k = 3 * (starts[t + 1] - starts[t]), 3 * (edges[t + 1] - edges[t])
        panel = panels[panel_starts[t] : panel_starts[t + 1]]
        update = stack[places[t, 0] : places[t, 0] + k * k]
        update[:] = 0.0
        c = tree[t, 1]
        while c >= 0:
            size = 3 * (edges[c + 1] - edges[c])
            leftover = stack[places[c, 1] : places[c, 1] + size * size]
            _add_child(leftover, relative[edges[c] : edges[c + 1]], panel, update, m, k)
            c = tree[c, 2]
        if cholesky_front(panel, update, m, k) != 0:
            return 1
        if places[t, 1] < places[t, 0]:
            # Front to back, as the two may overlap.
            target = stack[places[t, 1] : places[t, 1] + k * k]
            for i in range(k * k):
                target[i] = update[i]
    return 0


@kernel
def _forward(
    share: Ints, starts: Ints, edges: Ints, boundary: Ints, panel_starts: Ints, panels: Floats,
    x: Floats,
) -> None:  # fmt: skip
    """x := L⁻¹ x over the groups of a share, in the order of elimination."""
    rest = np.empty(3 * np.max(edges[1:] - edges[:-1]))
    for t in share:
        m, k = 3 * (starts[t + 1] - starts[t]), 3 * (edges[t + 1] - edges[t])
        panel = panels[panel_starts[t] : panel_starts[t + 1]]
        forward_front(panel, x[3 * starts[t] : 3 * starts[t + 1]], rest, m, k)
        for e in range(edges[t + 1] - edges[t]):
            for i in range(3):
                x[3 * boundary[edges[t] + e] + i] += rest[3 * e + i]


@kernel
def _backward(
    share: Ints, starts: Ints, edges: Ints, boundary: Ints, panel_starts: Ints, panels: Floats,
    x: Floats,
) -> None:  # fmt: skip
    """x := L⁻ᵀ x over the groups of a share, in reverse."""
    rest = np.empty(3 * np.max(edges[1:] - edges[:-1]))
    for t in share[::-1]:
        m, k = 3 * (starts[t + 1] - starts[t]), 3 * (edges[t + 1] - edges[t])
        panel = panels[panel_starts[t] : panel_starts[t + 1]]
        for e in range(edges[t + 1] - edges[t]):
            for i in range(3):
                rest[3 * e + i] = x[3 * boundary[edges[t] + e] + i]
        backward_front(panel, x[3 * starts[t] : 3 * starts[t + 1]], rest, m, k)
