"""The rows of a program gathered by pairs of bodies, and the passes over them.

All rows between two bodies lie together, so that J x, Jᵀ y and the normal matrix Jᵀ D J
are single passes over memory and every pair writes its 3x3 block once. A pass does all
an interior-point method wants of a row while the row is at hand. Passes over large
programs are shared between two threads; each adds loads up in an array of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel, kernel_fast
from pliant.core.threads import in_threads, threads
from pliant.flex.lp.program import Program

Done = TypeVar("Done")

# Gathered from which a second thread earns more than it takes to wake, on a busy machine too.
SHARED = 100_000


class PairRows(NamedTuple):
    """Rows sorted by pairs of bodies, as the compiled passes read them."""

    pairs: Ints  # (Q, 2) bodies, the greater first; -1: none
    starts: Ints  # (Q + 1,) first row of each pair
    blocks: Floats  # (M, 6) J: gradient by the first body's pose, then by the second's
    gaps: Floats  # (M,) d
    equal: Floats  # (M,) 1.0 at an equality, else 0.0


class NewtonTerms(NamedTuple):
    """What Newton's equations have at each row, (M,) each."""

    weights: Floats  # D of the normal matrix Jᵀ D J
    miss: Floats  # J x + d − s
    target: Floats  # what s y is to change by


class SlackDual(NamedTuple):
    """Slacks and duals of all rows (M,), or a step of both."""

    s: Floats
    y: Floats


@dataclass(frozen=True)
class Gathered:
    """J and d of a program with its bounds as rows, sorted by pairs of bodies.

    The first P of Q pairs couple two bodies; in the others the second body is -1.
    """

    pairs: Ints  # (Q, 2)
    coupled: int  # P
    starts: Ints  # (Q + 1,) rows of each pair
    blocks: Floats  # (M, 6)
    gaps: Floats  # (M,)
    equal: Floats  # (M,) 1.0 at an equality, else 0.0
    source: Ints  # (M,) row of the program, -1 at a bound
    bodies: int
    shares: tuple[tuple[int, int], ...]  # pairs, one range a thread

    @cached_property
    def pair_rows(self) -> PairRows:
        """What the compiled passes read."""
        return PairRows(self.pairs, self.starts, self.blocks, self.gaps, self.equal)

    @cached_property
    def nothing(self) -> Floats:
        """Zeros, (M,), that nobody writes to."""
        return np.zeros_like(self.gaps)


def gather(program: Program) -> Gathered:
    """Sort the rows of a program by pairs, with |Δq| ≤ b as rows b ± Δq ≥ 0.

    A bound of zero becomes an equality: its two rows would leave no interior. Gathered
    without a body are left out; no step changes them.
    """
    pairs, blocks, gaps, equal = _bound_rows(program)
    pairs = np.concatenate([program.pairs, pairs])
    order, starts = _order_by_pairs(pairs, len(program.cost))
    in_order, blocks = _sort_rows(
        pairs, np.concatenate([program.blocks.reshape(-1, 6), blocks]), order, starts
    )
    source = np.where(order < len(program.gaps), order, -1)
    pieces = 1 if len(order) < SHARED else threads()
    cuts = np.searchsorted(starts, np.linspace(0, len(order), pieces + 1))
    return Gathered(
        pairs=in_order,
        coupled=int((in_order[:, 1] >= 0).sum()),
        starts=starts,
        blocks=blocks,
        gaps=np.concatenate([program.gaps, gaps])[order],
        equal=np.concatenate([program.equal, equal])[order].astype(float),
        source=source,
        bodies=len(program.cost),
        shares=tuple(pairwise(cuts.tolist())),
    )


@kernel
def _order_by_pairs(pairs: Ints, bodies: int) -> tuple[Ints, Ints]:
    """The rows in order of their pairs, and where each pair's begin; those of one body come last.

    Sorted by counting, first by the lesser body of a row, then by the greater.
    """
    lesser, count = np.zeros(bodies + 1, np.int64), np.zeros(2 * bodies + 1, np.int64)
    for r in range(len(pairs)):
        first, second = max(pairs[r, 0], pairs[r, 1]), min(pairs[r, 0], pairs[r, 1])
        if first >= 0:
            lesser[max(second, 0) + 1] += 1
            count[(first if second >= 0 else bodies + first) + 1] += 1
    for b in range(bodies):
        lesser[b + 1] += lesser[b]
    for k in range(2 * bodies):
        count[k + 1] += count[k]
    by_lesser, order = np.empty(lesser[bodies], np.int64), np.empty(lesser[bodies], np.int64)
    for r in range(len(pairs)):
        first, second = max(pairs[r, 0], pairs[r, 1]), min(pairs[r, 0], pairs[r, 1])
        if first >= 0:
            by_lesser[lesser[max(second, 0)]] = r
            lesser[max(second, 0)] += 1
    for k in range(len(by_lesser)):
        r = by_lesser[k]
        first, second = max(pairs[r, 0], pairs[r, 1]), min(pairs[r, 0], pairs[r, 1])
        place = first if second >= 0 else bodies + first
        order[count[place]] = r
        count[place] += 1
    starts, pair_count = np.empty(len(order) + 1, np.int64), 0
    for k in range(len(order)):
        a, b = pairs[order[k], 0], pairs[order[k], 1]
        c, d = (pairs[order[k - 1], 0], pairs[order[k - 1], 1]) if k > 0 else (-2, -2)
        if max(a, b) != max(c, d) or min(a, b) != min(c, d):
            starts[pair_count] = k
            pair_count += 1
    starts[pair_count] = len(order)
    return order, starts[: pair_count + 1].copy()


@kernel
def _sort_rows(pairs: Ints, blocks: Floats, order: Ints, starts: Ints) -> tuple[Ints, Floats]:
    """The pairs (Q, 2), the greater body first, and the blocks of the rows in order, turned alike."""
    in_order, turned = np.empty((len(starts) - 1, 2), np.int64), np.empty((len(order), 6))
    for q in range(len(in_order)):
        first, second = pairs[order[starts[q]], 0], pairs[order[starts[q]], 1]
        in_order[q, 0], in_order[q, 1] = max(first, second), min(first, second)
    for k in range(len(order)):
        r = order[k]
        shift = 3 if pairs[r, 0] < pairs[r, 1] else 0
        for j in range(6):
            turned[k, j] = blocks[r, (j + shift) % 6]
    return in_order, turned


def _bound_rows(program: Program) -> tuple[Ints, Floats, Floats, Floats]:
    bound = program.bound.ravel()
    both, fixed = np.flatnonzero(np.isfinite(bound) & (bound > 0)), np.flatnonzero(bound == 0)
    columns = np.concatenate([both, both, fixed])
    pairs = np.stack([columns // 3, np.full(len(columns), -1)], axis=1)
    blocks = np.zeros((len(columns), 6))
    blocks[np.arange(len(columns)), columns % 3] = 1.0
    blocks[: len(both)] *= -1.0
    return pairs, blocks, bound[columns], bound[columns] == 0


def _share_work(rows: Gathered, work: Callable[[int, int], Done]) -> list[Done]:
    """`work` on each share of the pairs, in parallel where there is more than one."""
    return in_threads(lambda share: work(*share), rows.shares)


def measure(rows: Gathered, x: Floats, s: Floats, y: Floats) -> tuple[Floats, Floats, float]:
    """Find miss = J x + d − s, the load Jᵀ y, and the largest violation of a row."""
    miss = np.empty_like(s)

    def work(low: int, high: int) -> tuple[Floats, float]:
        load = np.zeros((rows.bodies, 3))
        return load, _measure(rows.pair_rows, x, SlackDual(s, y), miss, load, low, high)

    parts = _share_work(rows, work)
    return miss, _sum([load for load, _ in parts]), max(worst for _, worst in parts)


def transposed_product(rows: Gathered, y: Floats) -> Floats:
    """Jᵀ y, (B, 3)."""

    def work(low: int, high: int) -> Floats:
        load = np.zeros((rows.bodies, 3))
        _add_transposed_product(rows.pair_rows, y, load, low, high)
        return load

    return _sum(_share_work(rows, work))


def normal_blocks(rows: Gathered, weights: Floats) -> Floats:
    """Jᵀ diag(weights) J as blocks, (B + P, 3, 3): the diagonal, then the coupled pairs."""
    blocks = np.empty((rows.bodies + rows.coupled, 3, 3))

    def work(low: int, high: int) -> Floats:
        diagonal = np.zeros((rows.bodies, 3, 3))
        coupling = blocks[rows.bodies :]
        _normal_blocks(rows.pair_rows, weights, diagonal, coupling, low, high)
        return diagonal

    blocks[: rows.bodies] = _sum(_share_work(rows, work))
    return blocks


def push(rows: Gathered, terms: NewtonTerms, room: Floats) -> Floats:
    """Jᵀ (target / room − weights · miss), (B, 3), without the first term at equalities."""

    def work(low: int, high: int) -> Floats:
        load = np.zeros((rows.bodies, 3))
        _push(rows.pair_rows, terms, room, load, low, high)
        return load

    return _sum(_share_work(rows, work))


def pull(
    rows: Gathered, terms: NewtonTerms, dx: Floats, s: Floats, y: Floats, softness: float
) -> tuple[Floats, Floats, float, float]:
    """Δy = target / (s + ε y) − weights (J Δx + miss), Δs = J Δx + miss + ε Δy, and lengths.

    ε is the softness.
    The lengths are the largest, at most 1, that keep s + α Δs ≥ 0 and y + α Δy ≥ 0.
    """
    point, step = SlackDual(s, y), SlackDual(np.empty_like(s), np.empty_like(s))

    def work(low: int, high: int) -> tuple[float, float]:
        return _pull(rows.pair_rows, terms, dx, point, step, softness, low, high)

    lengths = np.min(np.array(_share_work(rows, work)), axis=0)
    return step.s, step.y, float(lengths[0]), float(lengths[1])


def blend(v: Floats, dv: Floats, ev: Floats, equal: Floats) -> tuple[float, float]:
    """The share ω of a correction that lets v + α (Δv + ω Δ'v) ≥ 0 go furthest, and that α.

    A full correction can shorten the step it is to lengthen. Ten shares are tried, the largest first.
    """
    lengths = _blend(v, dv, ev, equal)
    best = int(np.argmax(lengths))
    return (len(lengths) - best) / len(lengths), float(lengths[best])


def recentre(
    s: Floats, y: Floats, ds: Floats, dy: Floats, lengths: tuple[float, float], aim: float
) -> Floats:
    """Corrections that bring products s y far from `aim` back, were the step taken.

    Gondzio's correction: a tenth to ten times the aim counts as near.
    """
    return _recentre(s, y, ds, dy, lengths[0], lengths[1], aim)


def product(s: Floats, y: Floats, ds: Floats, dy: Floats, lengths: tuple[float, float]) -> float:
    """(s + α Δs)·(y + β Δy)."""
    return float(_product(s, y, ds, dy, lengths[0], lengths[1]))


def _sum(parts: list[Floats]) -> Floats:
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


@kernel
def _blend(v: Floats, dv: Floats, ev: Floats, equal: Floats) -> Floats:
    count = 10
    steep = np.ones(count)
    for r in range(len(v)):
        whatever = -min(dv[r], dv[r] + ev[r]) <= v[r]
        if equal[r] or whatever:
            continue  # this row lets a full step pass, whatever the share
        inverse = -1.0 / v[r]
        first, second = dv[r] * inverse, ev[r] * inverse
        for i in range(count):
            steep[i] = max(steep[i], first + (count - i) / count * second)
    return 1.0 / steep


@kernel
def _recentre(s: Floats, y: Floats, ds: Floats, dy: Floats, alpha: float, beta: float, aim: float) -> Floats:
    target = np.empty_like(s)
    for r in range(len(s)):
        v = (s[r] + alpha * ds[r]) * (y[r] + beta * dy[r])
        target[r] = max(min(max(v, 0.1 * aim), 10 * aim) - v, -10 * aim)
    return target


@kernel_fast
def _product(s: Floats, y: Floats, ds: Floats, dy: Floats, alpha: float, beta: float) -> float:
    total = 0.0
    for r in range(len(s)):
        total += (s[r] + alpha * ds[r]) * (y[r] + beta * dy[r])
    return total


@inner
def _body(x: Floats, b: int) -> tuple[float, float, float]:
    return (x[b, 0], x[b, 1], x[b, 2]) if b >= 0 else (0.0, 0.0, 0.0)


@kernel
def _measure(
    rows: PairRows, x: Floats, point: SlackDual, miss: Floats, load: Floats, low: int, high: int
) -> float:
    pairs, starts, blocks, gaps, equal = rows
    s, y, worst = point.s, point.y, 0.0
    for p in range(low, high):
        a0, a1, a2 = _body(x, pairs[p, 0])
        b0, b1, b2 = _body(x, pairs[p, 1])
        f0, f1, f2, h0, h1, h2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for r in range(starts[p], starts[p + 1]):
            g, v = blocks[r], y[r]
            slack = g[0] * a0 + g[1] * a1 + g[2] * a2 + g[3] * b0 + g[4] * b1 + g[5] * b2
            slack += gaps[r]
            worst = max(worst, abs(slack) if equal[r] else -slack)
            miss[r] = slack if equal[r] else slack - s[r]
            f0, f1, f2 = f0 + v * g[0], f1 + v * g[1], f2 + v * g[2]
            h0, h1, h2 = h0 + v * g[3], h1 + v * g[4], h2 + v * g[5]
        _add(load, pairs[p, 0], f0, f1, f2)
        _add(load, pairs[p, 1], h0, h1, h2)
    return worst


@inner
def _add(load: Floats, b: int, f0: float, f1: float, f2: float) -> None:
    if b >= 0:
        load[b, 0] += f0
        load[b, 1] += f1
        load[b, 2] += f2


@kernel
def _add_transposed_product(rows: PairRows, y: Floats, load: Floats, low: int, high: int) -> None:
    pairs, starts, blocks = rows.pairs, rows.starts, rows.blocks
    for p in range(low, high):
        f0, f1, f2, h0, h1, h2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for r in range(starts[p], starts[p + 1]):
            g, v = blocks[r], y[r]
            f0, f1, f2 = f0 + v * g[0], f1 + v * g[1], f2 + v * g[2]
            h0, h1, h2 = h0 + v * g[3], h1 + v * g[4], h2 + v * g[5]
        _add(load, pairs[p, 0], f0, f1, f2)
        _add(load, pairs[p, 1], h0, h1, h2)


@kernel
def _push(rows: PairRows, terms: NewtonTerms, room: Floats, load: Floats, low: int, high: int) -> None:
    pairs, starts, blocks, equal = rows.pairs, rows.starts, rows.blocks, rows.equal
    weights, miss, target = terms
    for p in range(low, high):
        f0, f1, f2, h0, h1, h2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for r in range(starts[p], starts[p + 1]):
            g = blocks[r]
            v = (0.0 if equal[r] else target[r] / room[r]) - weights[r] * miss[r]
            f0, f1, f2 = f0 + v * g[0], f1 + v * g[1], f2 + v * g[2]
            h0, h1, h2 = h0 + v * g[3], h1 + v * g[4], h2 + v * g[5]
        _add(load, pairs[p, 0], f0, f1, f2)
        _add(load, pairs[p, 1], h0, h1, h2)


@kernel
def _pull(
    rows: PairRows, terms: NewtonTerms, dx: Floats, point: SlackDual, step: SlackDual,
    softness: float, low: int, high: int,
) -> tuple[float, float]:  # fmt: skip
    pairs, starts, blocks, equal = rows.pairs, rows.starts, rows.blocks, rows.equal
    weights, miss, target = terms
    (s, y), (ds, dy) = point, step
    # The steepest relative decrease so far: a row is divided by only if it is steeper.
    steep_s, steep_y = 1.0, 1.0
    for p in range(low, high):
        a0, a1, a2 = _body(dx, pairs[p, 0])
        b0, b1, b2 = _body(dx, pairs[p, 1])
        for r in range(starts[p], starts[p + 1]):
            g = blocks[r]
            rise = g[0] * a0 + g[1] * a1 + g[2] * a2 + g[3] * b0 + g[4] * b1 + g[5] * b2 + miss[r]
            if equal[r]:
                ds[r], dy[r] = 0.0, -weights[r] * rise
                continue
            more = target[r] / (s[r] + softness * y[r]) - weights[r] * rise
            rise += softness * more
            ds[r], dy[r] = rise, more
            if -rise > steep_s * s[r]:
                steep_s = -rise / s[r]
            if -more > steep_y * y[r]:
                steep_y = -more / y[r]
    return 1.0 / steep_s, 1.0 / steep_y


@kernel
def _normal_blocks(
    rows: PairRows, weights: Floats, diagonal: Floats, coupling: Floats, low: int, high: int
) -> None:
    pairs, starts, blocks = rows.pairs, rows.starts, rows.blocks
    for p in range(low, high):
        a, b = pairs[p, 0], pairs[p, 1]
        a00, a01, a02, a11, a12, a22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        b00, b01, b02, b11, b12, b22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        c00, c01, c02, c10, c11, c12 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        c20, c21, c22 = 0.0, 0.0, 0.0
        for r in range(starts[p], starts[p + 1]):
            g, w = blocks[r], weights[r]
            v0, v1, v2 = w * g[0], w * g[1], w * g[2]
            a00, a01, a02 = a00 + v0 * g[0], a01 + v0 * g[1], a02 + v0 * g[2]
            a11, a12, a22 = a11 + v1 * g[1], a12 + v1 * g[2], a22 + v2 * g[2]
            c00, c01, c02 = c00 + v0 * g[3], c01 + v0 * g[4], c02 + v0 * g[5]
            c10, c11, c12 = c10 + v1 * g[3], c11 + v1 * g[4], c12 + v1 * g[5]
            c20, c21, c22 = c20 + v2 * g[3], c21 + v2 * g[4], c22 + v2 * g[5]
            v3, v4, v5 = w * g[3], w * g[4], w * g[5]
            b00, b01, b02 = b00 + v3 * g[3], b01 + v3 * g[4], b02 + v3 * g[5]
            b11, b12, b22 = b11 + v4 * g[4], b12 + v4 * g[5], b22 + v5 * g[5]
        _add_symmetric(diagonal[a], a00, a01, a02, a11, a12, a22)
        if b < 0:
            continue
        _add_symmetric(diagonal[b], b00, b01, b02, b11, b12, b22)
        c = coupling[p]
        c[0, 0], c[0, 1], c[0, 2] = c00, c01, c02
        c[1, 0], c[1, 1], c[1, 2] = c10, c11, c12
        c[2, 0], c[2, 1], c[2, 2] = c20, c21, c22


@inner
def _add_symmetric(
    block: Floats, v00: float, v01: float, v02: float, v11: float, v12: float, v22: float
) -> None:
    block[0, 0] += v00
    block[0, 1] += v01
    block[0, 2] += v02
    block[1, 0] += v01
    block[1, 1] += v11
    block[1, 2] += v12
    block[2, 0] += v02
    block[2, 1] += v12
    block[2, 2] += v22
