"""Sparse Cholesky factors of matrices with 3x3 blocks on the graph of the bodies.

N = L Lᵀ is computed front by front: a group of bodies (`dissection`) is eliminated as a
small dense matrix by LAPACK, and what is left over its boundary is added to the front
of its parent. `analyse` looks at the graph only; `factor` may then be called for any
numbers on that graph.

This is the multifrontal method of Duff and Reid, as textbooks have it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.kernel import inner, kernel
from pliant.core.threads import in_threads
from pliant.flex.lp.compiled_blas import backward_front, cholesky_front, forward_front
from pliant.flex.lp.symbolic import Symbolic, analyse

__all__ = ["Factor", "Symbolic", "analyse", "factor", "solve"]


@dataclass(frozen=True)
class Factor:
    """L of a matrix on the graph of `symbolic`."""

    symbolic: Symbolic
    panels: Floats  # columns of every group, one group after the other
    stack: Floats  # where leftovers lay; of no use but to be written over
    failed: bool  # a pivot was not positive: the panels are no factor


def factor(symbolic: Symbolic, blocks: Floats, spent: Factor | None = None) -> Factor:
    """L of a symmetric matrix given by its blocks, (B + P, 3, 3).

    The first B are the diagonal; block B + p holds the rows of the first body of
    `symbolic.pairs[p]` and the columns of the second. A factor on the same graph that nobody needs
    any more is written over: fresh memory of a large one takes a quarter as long as its numbers.
    """
    if spent is None:
        panels, stack = np.zeros(symbolic.panel_starts[-1]), np.empty(symbolic.stack_size)
    else:
        panels, stack = spent.panels, spent.stack
        panels.fill(0.0)
    _scatter(blocks, symbolic.targets, panels)

    def work(share: Ints) -> int:
        return _factor(
            share, symbolic.starts, symbolic.tree, symbolic.edge_starts, symbolic.relative,
            symbolic.panel_starts, symbolic.stack, panels, stack,
        )  # fmt: skip

    *apart, last = symbolic.shares
    failed = any(in_threads(work, apart)) or work(last)
    return Factor(symbolic, panels, stack, bool(failed))


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
    """Go through the shares of the threads and sum what they add to the places after them."""
    if not apart:
        return
    waiting = _coordinates(symbolic, symbolic.shares[-1])
    blank = np.where(waiting, 0.0, x)
    copies = [x, *(blank.copy() for _ in apart[1:])]
    in_threads(lambda job: forward(*job), list(zip(apart, copies, strict=True)))
    for share, copy in zip(apart[1:], copies[1:], strict=True):
        mine = _coordinates(symbolic, share)
        x[mine] = copy[mine]
        x[waiting] += copy[waiting]


def _coordinates(symbolic: Symbolic, share: Ints) -> Bools:
    """Which unknowns the groups of a share own."""
    owned = np.zeros(len(symbolic.starts) - 1, bool)
    owned[share] = True
    return np.repeat(owned, 3 * np.diff(symbolic.starts))


@kernel
def _scatter(blocks: Floats, targets: Ints, panels: Floats) -> None:
    for b in range(len(blocks)):
        at, stride, flip = targets[b]
        for i in range(3):
            for j in range(3):
                panels[at + j * stride + i] = blocks[b, j, i] if flip else blocks[b, i, j]


@inner
def _add_child(child: Floats, relative: Ints, panel: Floats, update: Floats, m: int, k: int) -> None:
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
    for i in range(len(share)):
        t = int(share[i])
        m, k = 3 * int(starts[t + 1] - starts[t]), 3 * int(edges[t + 1] - edges[t])
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
            for j in range(k * k):
                target[j] = update[j]
    return 0


@kernel
def _forward(
    share: Ints, starts: Ints, edges: Ints, boundary: Ints, panel_starts: Ints, panels: Floats,
    x: Floats,
) -> None:  # fmt: skip
    """Set x := L⁻¹ x over the groups of a share, in the order of elimination."""
    rest = np.empty(3 * np.max(edges[1:] - edges[:-1]))
    for i in range(len(share)):
        t = int(share[i])
        m, k = 3 * int(starts[t + 1] - starts[t]), 3 * int(edges[t + 1] - edges[t])
        panel = panels[panel_starts[t] : panel_starts[t + 1]]
        forward_front(panel, x[3 * starts[t] : 3 * starts[t + 1]], rest, m, k)
        for e in range(edges[t + 1] - edges[t]):
            for j in range(3):
                x[3 * boundary[edges[t] + e] + j] += rest[3 * e + j]


@kernel
def _backward(
    share: Ints, starts: Ints, edges: Ints, boundary: Ints, panel_starts: Ints, panels: Floats,
    x: Floats,
) -> None:  # fmt: skip
    """Set x := L⁻ᵀ x over the groups of a share, in reverse."""
    rest = np.empty(3 * np.max(edges[1:] - edges[:-1]))
    for i in range(len(share) - 1, -1, -1):
        t = int(share[i])
        m, k = 3 * int(starts[t + 1] - starts[t]), 3 * int(edges[t + 1] - edges[t])
        panel = panels[panel_starts[t] : panel_starts[t + 1]]
        for e in range(edges[t + 1] - edges[t]):
            for j in range(3):
                rest[3 * e + j] = x[3 * boundary[edges[t] + e] + j]
        backward_front(panel, x[3 * starts[t] : 3 * starts[t + 1]], rest, m, k)
