"""Nested dissection of a graph whose nodes lie in the plane.

A set of bodies is split by a straight cut; the bodies of one side that touch the other
are the separator, eliminated last. Of four directions and all cuts between 30 % and
70 % the one with the smallest separator is taken, so slender shapes are cut across,
rings at two places, and a component that hangs on nothing for free.

George's nested dissection, as textbooks have it, with the graph deciding where to cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel

# Sets up to this many bodies are eliminated as one dense front.
LEAF = 12

# Cuts along the axes lean a little: in a regular grid a cut then moves body by body.
_DIRECTIONS = np.array([(1.0, 1e-3), (-1e-3, 1.0), (1.0, 1.0), (1.0, -1.0)])


@dataclass(frozen=True)
class Dissection:
    """An elimination order in groups, children before parents."""

    order: Ints  # (B,) body at each place of the elimination
    starts: Ints  # (T + 1,) the group t holds places starts[t] to starts[t + 1]
    parents: Ints  # (T,) group whose elimination waits for t, -1 at a root


def neighbour_lists(pairs: Ints, bodies: int) -> tuple[Ints, Ints]:
    """Neighbours of every body as (starts, bodies), from the (P, 2) adjacent pairs."""
    both = np.concatenate([pairs, pairs[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    starts = np.searchsorted(both[:, 0], np.arange(bodies + 1))
    return starts.astype(np.int64), np.ascontiguousarray(both[:, 1])


def dissect(starts: Ints, neighbours: Ints, centres: Floats, leaf: int = LEAF) -> Dissection:
    """Order the bodies so that eliminating them fills little."""
    keys = _DIRECTIONS @ centres.T
    orders = np.argsort(keys, axis=1, kind="stable")
    order, low, parents = _dissect(starts, neighbours, orders, leaf)
    rank = np.argsort(low, kind="stable")
    place = np.empty_like(rank)
    place[rank] = np.arange(len(rank))
    waiting = parents[rank]
    ends = np.append(low[rank], len(centres))
    return Dissection(order, ends, np.where(waiting < 0, -1, place[waiting]))


@inner
def _best_cut(
    starts: Ints, neighbours: Ints, segment: Ints, label: Ints, rank: Ints
) -> tuple[float, int, bool]:
    """Find the best place to cut a sorted segment: (score, bodies on the left, left gives?).

    A body of rank i with neighbours of ranks a..b is in the separator of a cut after k
    bodies on the right side if a < k ≤ i, on the left side if i < k ≤ b: two running
    sums over k give the size of every separator at once.
    """
    n = len(segment)
    own = label[segment[0]]
    for i in range(n):
        rank[segment[i]] = i
    left, right = np.zeros(n + 2, np.int64), np.zeros(n + 2, np.int64)
    for i in range(n):
        low, high = i, i
        for e in range(starts[segment[i]], starts[segment[i] + 1]):
            if label[neighbours[e]] == own:
                low, high = min(low, rank[neighbours[e]]), max(high, rank[neighbours[e]])
        right[low + 1] += 1
        right[i + 1] -= 1
        left[i + 1] += 1
        left[high + 1] -= 1
    best, at, from_left = np.inf, 0, True
    in_left, in_right = 0, 0
    for k in range(1, n):
        in_left += left[k]
        in_right += right[k]
        if 10 * k < 3 * n or 10 * k > 7 * n:
            continue
        uneven = abs(n - 2 * k) / n
        score = (min(in_left, in_right) + 0.5) * (1 + uneven)
        if score < best:
            best, at, from_left = score, k, in_left <= in_right
    return best, at, from_left


@inner
def _mark_sides(
    starts: Ints, neighbours: Ints, segment: Ints, label: Ints, rank: Ints, k: int, from_left: bool,
    side: Ints,
) -> tuple[int, int]:  # fmt: skip
    """Write 0, 1 or 2 (left, right, separator) into `side`; sizes of left and right."""
    own = label[segment[0]]
    for i in range(len(segment)):
        rank[segment[i]] = i
    lefts, rights = 0, 0
    for i in range(len(segment)):
        here = 0 if i < k else 1
        touches = False
        if (i < k) == from_left:
            for e in range(starts[segment[i]], starts[segment[i] + 1]):
                if label[neighbours[e]] == own and (rank[neighbours[e]] < k) != (i < k):
                    touches = True
        side[segment[i]] = 2 if touches else here
        lefts += not touches and here == 0
        rights += not touches and here == 1
    return lefts, rights


@inner
def _partition(orders: Ints, low: int, high: int, side: Ints, lefts: int, rights: int, buffer: Ints) -> None:
    """Bring left, right and separator together in every direction, keeping each sorted."""
    places = np.empty(3, np.int64)
    for d in range(len(orders)):
        places[0], places[1], places[2] = low, low + lefts, low + lefts + rights
        for i in range(low, high):
            body = orders[d, i]
            buffer[places[side[body]]] = body
            places[side[body]] += 1
        for i in range(low, high):
            orders[d, i] = buffer[i]


@kernel
def _dissect(starts: Ints, neighbours: Ints, orders: Ints, leaf: int) -> tuple[Ints, Ints, Ints]:
    """Order, and of every group its first place and its parent, in order of discovery."""
    bodies = orders.shape[1]
    label, side = np.zeros(bodies, np.int64), np.zeros(bodies, np.int64)
    rank, buffer = np.zeros(bodies, np.int64), np.zeros(bodies, np.int64)
    firsts, parents = [np.int64(0) for _ in range(0)], [np.int64(0) for _ in range(0)]
    waiting = [(np.int64(0), np.int64(bodies), np.int64(-1))]
    labels = 1
    while len(waiting) > 0:
        low, high, parent = waiting.pop()
        if high == low:
            continue
        lefts, rights = 0, 0
        if high - low > leaf:
            best, at, from_left, direction = np.inf, 0, True, 0
            for d in range(len(orders)):
                score, k, giver = _best_cut(starts, neighbours, orders[d, low:high], label, rank)
                if score < best:
                    best, at, from_left, direction = score, k, giver, d
            segment = orders[direction, low:high].copy()
            lefts, rights = _mark_sides(starts, neighbours, segment, label, rank, at, from_left, side)
            _partition(orders, int(low), int(high), side, lefts, rights, buffer)
        middle, top = low + lefts, low + lefts + rights
        for i in range(low, middle):
            label[orders[0, i]] = labels
        for i in range(middle, top):
            label[orders[0, i]] = labels + 1
        for i in range(top, high):
            label[orders[0, i]] = -1
        labels += 2
        group = parent
        if top < high:
            group = np.int64(len(firsts))
            firsts.append(np.int64(top))
            parents.append(parent)
        waiting.append((np.int64(low), np.int64(middle), group))
        waiting.append((np.int64(middle), np.int64(top), group))
    return orders[0].copy(), np.array(firsts), np.array(parents)
