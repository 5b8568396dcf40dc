"""Lengths and unknowns that are determined together: Assur's groups.

Where a mechanism has as many lengths that hold as ways to move, the slopes J of its lengths can be put into
block triangular form: each group of lengths fixes as many unknowns, once those of the groups before it are
known. A chain of platforms has a group for each platform, a linkage
of dyads one for each dyad. Newton's steps then factorise one small matrix after the other.

The form follows from a maximum matching of lengths with unknowns, and strong components.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, inner_fast
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.gradients import gradient_rows
from pliant.relax.network.elements import FIXED, FREE
from pliant.relax.network.network import Network
from pliant.relax.solvers.increment_measures import parity

LARGEST = 90  # unknowns of a group: beyond, factors of the whole stiffness are quicker


class Groups(NamedTuple):
    """n unknowns and as many lengths, in g groups. Cells are the numbers of J, row by row."""

    starts: Ints  # (N + 1,) the first unknown of each node
    rows: Ints  # (n,) the rows of all groups, one after the other
    place: Ints  # (n,) where each unknown is, counted through the groups
    firsts: Ints  # (g + 1,) where each group begins
    factors: Ints  # (g + 1,) where the factor of each group begins
    inside: Ints  # (I,) cells of a group's own unknowns
    spots: Ints  # (I,) where in the factors they go
    outside: Ints  # (O,) cells of unknowns of groups before, by row as the groups have them
    known: Ints  # (O,) the places of these
    outsides: Ints  # (n + 1,) where those of each row begin
    parity: float  # −1 where the determinant of J is of the other sign than that of the groups


def assur_groups(net: Network) -> tuple[Groups, Ints] | None:
    """Assur groups of a mechanism, and the link of each row; None where lengths alone do not decide it.

    For links between nodes that move freely or not at all; what else there is, `follow` takes as a whole.
    """
    parts = net.parts
    others = len(parts.couplings.laws) + len(parts.rails.laws) + len(parts.touch.radius)
    guided = (parts.guides.kinds != FREE) & (parts.guides.kinds != FIXED)
    if others or guided.any() or net.loaded or net.shown < len(net.drawn):
        return None
    state = net.state()
    rows = gradient_rows(net, state.x, elongations(net, state))
    count = len(rows.over)
    if not count or count != len(rows.ways):
        return None
    ends, columns = rows.ends, rows.columns[: rows.ends[-1]]
    pattern = sparse.csr_matrix((np.ones(len(columns)), columns, ends), shape=(count, count))
    matched: Any = maximum_bipartite_matching(pattern, perm_type="column").astype(np.int64)
    order = _order_rows(pattern[:, matched]) if (matched >= 0).all() else None
    if order is None or np.diff(order[1]).max() > LARGEST:
        return None
    return _place_cells(rows.starts, ends, columns, matched, *order), rows.owners


def _place_cells(
    starts: Ints, ends: Ints, columns: Ints, matched: Ints, ranked: Ints, firsts: Ints
) -> Groups:
    """Where every cell goes, of rows as groups rank them and the unknown that each is matched with."""
    count, widths = len(ranked), np.diff(firsts)
    place, line, owner = (np.empty(count, np.int64) for _ in range(3))
    factors = np.append(0, np.cumsum(widths**2))
    place[matched[ranked]] = line[ranked] = np.arange(count)
    owner[ranked] = np.repeat(np.arange(len(widths)), widths)  # the group of each row
    row = np.repeat(np.arange(count), np.diff(ends))  # of each cell
    across = place[columns] - firsts[owner[row]]
    inside, outside = np.flatnonzero(across >= 0), np.flatnonzero(across < 0)
    own = owner[row[inside]]
    spots = factors[own] + (line[row[inside]] - firsts[own]) * widths[own] + across[inside]
    outside = outside[np.argsort(line[row[outside]], kind="stable")]
    outsides = np.searchsorted(line[row[outside]], np.arange(count + 1)).astype(np.int64)
    return Groups(
        starts, ranked, place, firsts, factors, inside, spots, outside, place[columns[outside]], outsides,
        parity(ranked) * parity(place),
    )  # fmt: skip


def _order_rows(square: Any) -> tuple[Ints, Ints] | None:
    """Rows by group, each after those that it needs, and where the groups begin."""
    count, labels = connected_components(square, directed=True, connection="strong")
    near = sparse.coo_matrix(square)
    if (labels[near.row] < labels[near.col]).any():  # scipy numbers components so, but does not promise it
        return None
    ranked = np.argsort(labels, kind="stable").astype(np.int64)
    return ranked, np.searchsorted(labels[ranked], np.arange(count + 1)).astype(np.int64)


@inner
def factorise_groups(groups: Groups, values: Floats, lu: Floats, swaps: Ints) -> tuple[float, float, float]:
    """Factorise every group; the sign of the determinant, the least pivot and the largest.

    `lu` takes the factors row by row, `swaps` (n,) which row was taken for each pivot.
    """
    for k in range(len(lu)):
        lu[k] = 0.0
    for k in range(len(groups.spots)):
        lu[groups.spots[k]] += values[groups.inside[k]]
    sign, least, most = 1.0, np.inf, 0.0
    for g in range(len(groups.firsts) - 1):
        first, m = groups.firsts[g], groups.firsts[g + 1] - groups.firsts[g]
        block = lu[groups.factors[g] : groups.factors[g + 1]].reshape(m, m)
        for k in range(m):
            best, largest = k, abs(block[k, k])
            for i in range(k + 1, m):
                if abs(block[i, k]) > largest:
                    best, largest = i, abs(block[i, k])
            swaps[first + k] = best
            if best != k:
                sign = -sign
                for j in range(m):
                    block[k, j], block[best, j] = block[best, j], block[k, j]
            least, most = min(least, largest), max(most, largest)
            if largest == 0.0:
                return 0.0, 0.0, most
            sign = sign if block[k, k] > 0.0 else -sign
            inverse = 1.0 / block[k, k]
            for i in range(k + 1, m):
                share = inverse * block[i, k]
                block[i, k] = share
                if share != 0.0:
                    _subtract(block[i, k + 1 :], share, block[k, k + 1 :])
    return sign, least, most


@inner_fast
def _subtract(row: Floats, share: float, other: Floats) -> None:
    for j in range(len(row)):
        row[j] -= share * other[j]


@inner
def solve_groups(groups: Groups, values: Floats, over: Floats, lu: Floats, swaps: Ints, y: Floats) -> None:
    """Fill y (n,) with the solution of J y = −over, by the places of unknowns."""
    for g in range(len(groups.firsts) - 1):
        first, m, base = groups.firsts[g], groups.firsts[g + 1] - groups.firsts[g], groups.factors[g]
        for i in range(first, first + m):
            left = -over[groups.rows[i]]
            for k in range(groups.outsides[i], groups.outsides[i + 1]):
                left -= values[groups.outside[k]] * y[groups.known[k]]
            y[i] = left
        for k in range(first, first + m):
            best = first + swaps[k]
            y[k], y[best] = y[best], y[k]
        for i in range(m):
            left, row = y[first + i], base + i * m
            for k in range(i):
                left -= lu[row + k] * y[first + k]
            y[first + i] = left
        for i in range(m - 1, -1, -1):
            left, row = y[first + i], base + i * m
            for k in range(i + 1, m):
                left -= lu[row + k] * y[first + k]
            y[first + i] = left / lu[row + i]
