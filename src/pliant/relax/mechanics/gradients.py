"""How elongations change as nodes move: J, a row for each element that holds, a column for each way to go.

    elongations(x + y) = elongations(x) + J y + O(y²)

Rows are those of rigid links, of couplings, of rails and of touches, in this order: of strings only
the taut ones, of bumpers and touches those that press. A rail without a distance to keep has a row
for each direction across its line. Elements between nodes that all are on the ground have none.

Columns are the ways that guides leave to each node. Hidden nodes that no row speaks of, such as the
pieces of a slack string, have none: where they lie says nothing about the mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pliant.core.arrays import Bools, Floats, Ints
from pliant.core.kernel import inner, kernel
from pliant.relax.mechanics.elongation import Elongations
from pliant.relax.mechanics.forces import rail
from pliant.relax.mechanics.guides import basis
from pliant.relax.mechanics.segment_contact import contact_slope
from pliant.relax.network.elements import USED, Contacts, Couplings, Guides, Links, Rails
from pliant.relax.network.laws import BAR, BUMPER, STRING
from pliant.relax.network.measures import couple
from pliant.relax.network.network import Network


@dataclass(frozen=True)
class Jacobian:
    """Jacobian J (R, U) of held elongations by unknowns, with the element of each row."""

    matrix: Any  # (R, U) sparse.csr_array
    owners: Ints  # (R,) elements: links, then couplings, rails and touches, numbered through
    over: Floats  # (R,) elongations
    stiffness: Floats  # (R,)
    laws: Ints  # (R,)
    nodes: Ints  # (U,) which node goes
    ways: Floats  # (U, D) which way: those of a node are orthonormal
    shape: tuple[int, int]  # N, D

    def spread(self, y: Floats) -> Floats:
        """Displacements (K, N, D) of all nodes from unknowns (U, K)."""
        out = np.zeros((self.shape[0], y.shape[1], self.shape[1]))
        np.add.at(out, self.nodes, y[:, :, None] * self.ways[:, None, :])
        return out.transpose(1, 0, 2)

    def gathered(self, moves: Floats) -> Floats:
        """Unknowns (U, K) from displacements (K, N, D), projected on what guides allow."""
        return np.einsum("kud,ud->uk", moves[:, self.nodes], self.ways)


class ActiveElements(NamedTuple):
    """Which elements have rows in J."""

    links: Ints
    couplings: Ints
    rails: Ints
    touches: Ints


class GradientRows(NamedTuple):
    """J as it is filled."""

    starts: Ints  # (N + 1,) the first unknown of each node
    ways: Floats  # (U, D)
    ends: Ints  # (R + 1,) cells ends[r] to ends[r + 1] are those of row r
    columns: Ints
    values: Floats
    owners: Ints  # (R,)
    over: Floats  # (R,)


def jacobian_at(
    net: Network, x: Floats, stretch: Elongations, chosen: ActiveElements | None = None
) -> Jacobian:
    """J at x (N, D), where elongations are as found; of those elements that are chosen, if any are."""
    parts, rows = net.parts, gradient_rows(net, x, stretch, chosen)
    used, owners = rows.ends[-1], rows.owners
    cells = rows.values[:used], rows.columns[:used], rows.ends
    matrix = sparse.csr_array(cells, (len(owners), len(rows.ways)))
    matrix.sum_duplicates()
    groups = parts.links, parts.couplings, parts.rails
    stiffness = np.concatenate([*(group.stiffness for group in groups), parts.touch.stiffness])
    laws = np.concatenate([*(group.laws for group in groups), np.full(len(parts.touch.radius), BUMPER)])
    nodes = np.repeat(np.arange(len(x)), np.diff(rows.starts))
    return Jacobian(matrix, owners, rows.over, stiffness[owners], laws[owners], nodes, rows.ways, x.shape)


def gradient_rows(
    net: Network, x: Floats, stretch: Elongations, chosen: ActiveElements | None = None
) -> GradientRows:
    """The rows of J, a node as often as its element names it."""
    parts, chosen = net.parts, chosen or holding(net, stretch)
    rows = _room(x, net, chosen)
    over = stretch.links, stretch.couplings, stretch.rails
    _fill(x, parts.links, parts.couplings, parts.rails, parts.touch, chosen, over, stretch.turned, rows)
    return rows


def holding(net: Network, stretch: Elongations) -> ActiveElements:
    """Rigid elements with a node that can move."""
    moves, (links, rails, couplings, _, touch, _) = net.free, net.parts
    moved = np.concatenate([[0], np.cumsum(moves[couplings.measured].any(axis=1))])[couplings.firsts]
    chosen = (
        _acts(stretch.links, links) & net.rigid & moves[links.ends].any(axis=1),
        _acts(stretch.couplings, couplings) & net.couplings_hold & (np.diff(moved) > 0),
        _acts(stretch.rails, rails) & moves[rails.nodes].any(axis=1),
    )
    pairs = stretch.touching
    first, second, third = map(np.flatnonzero, chosen)
    return ActiveElements(first, second, third, pairs[moves[touch.ends[pairs]].any(axis=1)])


def _acts(over: Floats, group: Links | Couplings | Rails) -> Bools:
    """Whether an element can carry force: taut strings, pressed bumpers, and all two-way ones."""
    taut, pressed = over > -group.bands, over < group.bands
    return (group.laws == BAR) | np.where(group.laws == STRING, taut, pressed)


def _room(x: Floats, net: Network, chosen: ActiveElements) -> GradientRows:
    """Rows to be filled, with as many cells as they may need."""
    parts, (count, d) = net.parts, x.shape
    starts, ways = np.zeros(count + 1, np.int64), np.empty((count * d, d))
    _ways(x, parts.guides, _present(net, chosen), starts, ways)
    railed = int(np.where(_rails_on_line(parts.rails)[chosen.rails], d - 1, 1).sum())
    size = len(chosen.links) + len(chosen.couplings) + railed + len(chosen.touches)
    measures = int(np.diff(parts.couplings.firsts)[chosen.couplings].sum())
    most = d * (2 * len(chosen.links) + 4 * measures + 3 * railed + 4 * len(chosen.touches))
    cells = np.zeros(size + 1, np.int64), np.empty(most, np.int64), np.empty(most)
    return GradientRows(starts, ways[: starts[-1]], *cells, np.empty(size, np.int64), np.empty(size))


def _present(net: Network, chosen: ActiveElements) -> Bools:
    """(N,) the model's own nodes, and hidden ones that a row speaks of."""
    parts, present = net.parts, np.arange(len(net.drawn)) < net.shown
    if net.shown == len(present):
        return present
    owner = np.repeat(np.arange(len(parts.couplings.laws)), np.diff(parts.couplings.firsts))
    present[parts.links.ends[chosen.links]] = True
    present[parts.couplings.measured[np.isin(owner, chosen.couplings)]] = True
    present[parts.rails.nodes[chosen.rails]] = True
    present[parts.touch.ends[chosen.touches]] = True
    return present


def _rails_on_line(rails: Rails) -> Bools:
    """(Q,) rails that keep their node on the line."""
    return (rails.laws == BAR) & (rails.rest == 0.0)


@kernel
def _ways(x: Floats, guides: Guides, present: Bools, starts: Ints, ways: Floats) -> None:
    d = x.shape[1]
    out = np.empty((d, d))
    for i in range(len(x)):
        freedoms = basis(guides, i, x[i], out) if present[i] else 0
        for k in range(freedoms):
            for c in range(d):
                ways[starts[i] + k, c] = out[k, c]
        starts[i + 1] = starts[i] + freedoms


@kernel
def _fill(
    x: Floats, links: Links, couplings: Couplings, rails: Rails, touch: Contacts, chosen: ActiveElements,
    over: tuple[Floats, Floats, Floats], turned: Floats, rows: GradientRows,
) -> None:  # fmt: skip
    """The rows of all elements, one kind after the other."""
    row = link_rows(x, links, chosen.links, over[0], rows)
    first = len(links.laws)
    row = coupling_rows(x, couplings, chosen.couplings, over[1], turned, rows, row, first)
    first += len(couplings.laws)
    row = rail_rows(x, rails, chosen.rails, over[2], rows, row, first)
    first += len(rails.laws)
    _touches(x, touch, chosen.touches, rows, row, first)


@inner
def link_rows(x: Floats, links: Links, chosen: Ints, over: Floats, rows: GradientRows) -> int:
    """The rows of links; how many."""
    d = x.shape[1]
    n, row = np.empty(d), 0
    for e in chosen:
        i, j = links.ends[e, 0], links.ends[e, 1]
        square = 0.0
        for c in range(d):
            n[c] = x[j, c] - x[i, c]
            square += n[c] * n[c]
        for c in range(d):  # a link of no length has no direction, and its row is 0
            n[c] /= np.sqrt(square) if square > 0.0 else 1.0
        _add(rows, row, j, n, 1.0)
        _add(rows, row, i, n, -1.0)
        row = _close(rows, row, e, float(over[e]))
    return row


@inner
def coupling_rows(
    x: Floats,
    couplings: Couplings,
    chosen: Ints,
    over: Floats,
    turned: Floats,
    rows: GradientRows,
    row: int,
    first: int,
) -> int:
    """The rows of couplings from `row` on, whose elements are numbered from `first`; the next row."""
    most = 0
    for k in chosen:
        most = max(most, couplings.firsts[k + 1] - couplings.firsts[k])
    slope, nodes = np.empty((4 * most, x.shape[1])), np.empty(4 * most, np.int64)
    for k in chosen:
        couple(x, couplings, k, turned, slope, nodes)
        for at in range(4 * (couplings.firsts[k + 1] - couplings.firsts[k])):
            if at % 4 < USED[couplings.measures[couplings.firsts[k] + at // 4]]:
                _add(rows, row, nodes[at], slope[at], 1.0)
        row = _close(rows, row, first + k, float(over[k]))
    return row


@inner
def rail_rows(
    x: Floats, rails: Rails, chosen: Ints, over: Floats, rows: GradientRows, row: int, first: int
) -> int:
    """Rows of rails: the nearest point of the line moves with its two nodes, by their shares."""
    d = x.shape[1]
    away, line, across = np.empty(d), np.empty(d), np.empty((d - 1, d))
    for q in chosen:
        at, far = rail(x, rails, q, away)
        for c in range(d):
            line[c] = x[rails.nodes[q, 2], c] - x[rails.nodes[q, 1], c]
        _normals(line, across)
        kept = rails.laws[q] == BAR and rails.rest[q] == 0.0
        for c in range(0 if kept or far == 0.0 else d):
            across[0, c] = away[c] / far
        for k in range(d - 1 if kept else 1):
            off = 0.0
            for c in range(d):
                off += away[c] * across[k, c]
            _add(rows, row, rails.nodes[q, 0], across[k], 1.0)
            _add(rows, row, rails.nodes[q, 1], across[k], at - 1.0)
            _add(rows, row, rails.nodes[q, 2], across[k], -at)
            row = _close(rows, row, first + q, off if kept else float(over[q]))
    return row


@inner
def _normals(line: Floats, out: Floats) -> None:
    """Orthonormal vectors (D − 1, D) across a line: the reflection of an axis onto it, but for that axis.

    The line is scratch afterwards.
    """
    length = max(np.sqrt(_square(line)), 1e-300)
    for c in range(len(line)):
        line[c] /= length
    if len(line) == 2:  # turned by a right angle, so that it goes along with the line as that turns
        out[0, 0], out[0, 1] = -line[1], line[0]
        return
    line[0] += 1.0 if line[0] >= 0.0 else -1.0
    square = _square(line)
    for k in range(len(out)):
        for c in range(len(line)):
            out[k, c] = (1.0 if c == k + 1 else 0.0) - 2.0 * line[k + 1] * line[c] / square


@inner
def _square(v: Floats) -> float:
    """The square of a vector's length."""
    square = 0.0
    for c in range(len(v)):
        square += v[c] * v[c]
    return square


@inner
def _touches(x: Floats, touch: Contacts, chosen: Ints, rows: GradientRows, row: int, first: int) -> None:
    d = x.shape[1]
    slope = np.empty(4 * d)
    for t in chosen:
        gap = contact_slope(x, touch, t, slope)
        for k in range(4):
            _add(rows, row, touch.ends[t, k], slope[k * d : k * d + d], 1.0)
        row = _close(rows, row, first + t, gap)


@inner
def _add(rows: GradientRows, row: int, node: int, slope: Floats, share: float) -> None:
    """Add the derivative by a node to a row."""
    at = rows.ends[row + 1]
    for u in range(rows.starts[node], rows.starts[node + 1]):
        value = 0.0
        for c in range(len(slope)):
            value += rows.ways[u, c] * slope[c]
        rows.columns[at], rows.values[at] = u, share * value
        at += 1
    rows.ends[row + 1] = at


@inner
def _close(rows: GradientRows, row: int, owner: int, over: float) -> int:
    """End a row; the number of the next."""
    rows.owners[row], rows.over[row] = owner, over
    if row + 2 < len(rows.ends):
        rows.ends[row + 2] = rows.ends[row + 1]
    return row + 1
