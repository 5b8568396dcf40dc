"""The inner loops of a batch: W machines side by side, each step taken for all of them at once.

A block holds W machines of one topology. What they have is stored quantity by quantity, the W
values of a quantity side by side (a lane each), so that one instruction serves several machines.
W is 64 where all machines share a topology and 1 where each has its own.

The compiler makes such instructions only if it knows W and the number of axes D, and sees that
no index is negative: hence tuples whose *lengths* give these numbers, and node numbers without a
sign. It gives up where a loop writes to many arrays, any of which might overlap another: hence
the few of them, and `pull` between what a link does to its ends and the sums of that. What is done
once a step is handed W and D as numbers, and compiled once for all of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pliant.core.arrays import Ints
from pliant.core.kernel import inner, inner_shared, kernel
from pliant.relax.network.laws import BAR, STRING

Reals = NDArray[Any]  # float32 or float64
Marks = tuple[int, ...]  # of which only the number counts


class Packed(NamedTuple):
    """B blocks of W machines with J nodes, L links and D axes."""

    ends: NDArray[np.uint32]  # (B, L, 2)
    laws: Ints  # (B, L)
    drawn: Reals  # (B, J·D·W)
    rest: Reals  # (B, L·W)
    target: Reals  # (B, L·W)
    stiffness: Reals  # (B, L·W) 0: there is no such link
    bands: Reals  # (B, L·W) `a` of strings and bumpers
    load: Reals  # (B, J·D·W)
    most: Reals  # (B, J·W) the longest step of a node along an axis; 0: it is grounded


class UpdateRule(NamedTuple):
    """The numbers of the method, in the machines' precision: a wider one would slow every loop."""

    push: Any  # ηα
    keep: Any  # 1 − η
    least: Any  # S_min
    friction: Any  # μ of the floor
    floor: bool
    tiny: Any  # added to l²: coincident nodes have a finite 1/l, and no force
    zero: Any
    half: Any
    one: Any


class Workspace(NamedTuple):
    """What a block needs while it is relaxed."""

    nodes: Reals  # (J·2D·W) x of a node, then its Δ
    sums: Reals  # (J·2D·W) R of a node, then its S
    links: Reals  # (L·2W) stiffness of a link, then its rest length now
    pull: Reals  # (2D·W) what one link adds to R and S of its first end


class BatchAnswer(NamedTuple):
    """Results of each block, over C steps of the drive and T traced nodes."""

    points: Reals  # (B, J·D·W)
    residual: Reals  # (B, W)
    errors: Reals  # (B, C·W)
    trace: Reals  # (B, C·T·D·W)


@kernel
def settle(
    packed: Packed, rule: UpdateRule, drive: Reals, traced: Ints, iterations: int,
    axes: Marks, powers: Marks, first: int, last: int, answer: BatchAnswer,
) -> None:  # fmt: skip
    """Relax the blocks from `first` to before `last`, `iterations` at each step of the drive (B, C, L, W)."""
    W, D, kind = 1 << len(powers), len(axes), packed.drawn.dtype
    J, L = packed.most.shape[1] // W, packed.laws.shape[1]
    room = Workspace(
        np.empty(J * 2 * D * W, kind),
        np.empty(J * 2 * D * W, kind),
        np.empty(L * 2 * W, kind),
        np.empty(2 * D * W, kind),
    )
    for block in range(first, last):
        _draw(packed, block, room, rule, W, D)
        for c in range(drive.shape[1]):
            _actuate(packed, block, drive, c, room, W)
            _clear(packed, block, room, rule, W, D)
            for i in range(iterations + 1):
                _add_link_forces(packed, block, room, rule, axes, powers)
                if rule.floor:
                    _remove_floor_forces(packed, room, rule, axes, powers, i < iterations)
                if i < iterations:
                    _move(packed, block, room, rule, axes, powers)
            _measure_block(packed, block, c, room, rule, W, D, answer)
            # Loops, for an assignment of slices takes numba as long to compile as all the rest.
            for t in range(len(traced)):
                at, to = 2 * traced[t] * D * W, (c * len(traced) + t) * D * W
                for w in range(D * W):
                    answer.trace[block, to + w] = room.nodes[at + w]
        for j in range(J):
            for w in range(D * W):
                answer.points[block, j * D * W + w] = room.nodes[2 * j * D * W + w]


@inner
def _draw(packed: Packed, block: int, room: Workspace, rule: UpdateRule, W: int, D: int) -> None:
    """Set the nodes to their drawn positions, at rest."""
    for j in range(packed.most.shape[1] // W):
        for w in range(D * W):
            room.nodes[2 * j * D * W + w] = packed.drawn[block, j * D * W + w]
            room.nodes[(2 * j + 1) * D * W + w] = rule.zero


@inner_shared
def _actuate(packed: Packed, block: int, drive: Reals, c: int, room: Workspace, W: int) -> None:
    """Set the rest lengths to step c of the drive."""
    N, _, F, V = drive.shape  # what is the same for all is there once
    for n in range(packed.laws.shape[1]):
        for w in range(W):
            share = drive[block % N, c, n % F, w % V]
            rest, target = packed.rest[block, n * W + w], packed.target[block, n * W + w]
            room.links[2 * n * W + w] = packed.stiffness[block, n * W + w]
            room.links[(2 * n + 1) * W + w] = rest + share * (target - rest)


@inner
def _clear(packed: Packed, block: int, room: Workspace, rule: UpdateRule, W: int, D: int) -> None:
    """R = F and S = 0, to which the links add."""
    for j in range(packed.most.shape[1] // W):
        for w in range(D * W):
            room.sums[2 * j * D * W + w] = packed.load[block, j * D * W + w]
            room.sums[(2 * j + 1) * D * W + w] = rule.zero


@inner
def _add_link_forces(
    packed: Packed, block: int, room: Workspace, rule: UpdateRule, axes: Marks, powers: Marks
) -> None:
    """Add what every link does to R and S of its ends.

    With e from one end to the other, l = |e|, and f the force: R grows by c·e with c = f/l, and S
    by (t − g)·|e|/l + g with t = df/dl and g = max(c, 0).

    Source: [Lipson2006] eqs 1 and 2.
    Differs: g, the stiffness of a stretched link across itself, as in `forces`.
    """
    W, D = 1 << len(powers), len(axes)
    x, links, pull, sums, bands = room.nodes, room.links, room.pull, room.sums, packed.bands
    for n in range(packed.laws.shape[1]):
        a, b = packed.ends[block, n, 0] * 2 * D * W, packed.ends[block, n, 1] * 2 * D * W
        law, o = packed.laws[block, n], np.uint32(n) * W
        for w in range(W):
            square = rule.tiny
            for d in range(D):
                e = x[b + d * W + w] - x[a + d * W + w]
                square += e * e
            near = rule.one / np.sqrt(square)
            k, rest = links[2 * o + w], links[2 * o + W + w]
            c, t = k - k * rest * near, k
            if law != BAR:
                c, t = _one_way(law, k, bands[block, o + w], square * near - rest, rule)
                c *= near
            g = max(c, rule.zero)
            s = max(t - g, rule.zero) * near
            for d in range(D):
                e = x[b + d * W + w] - x[a + d * W + w]
                f, held = c * e, s * abs(e) + g
                if W == 1:
                    sums[a + d] += f
                    sums[b + d] -= f
                    sums[a + D + d] += held
                    sums[b + D + d] += held
                else:
                    pull[d * W + w] = f
                    pull[(D + d) * W + w] = held
        if W > 1:
            for w in range(2 * D * W):
                sums[a + w] += pull[w]
            for w in range(D * W):
                sums[b + w] -= pull[w]
            for w in range(D * W, 2 * D * W):
                sums[b + w] += pull[w]


@inner
def _one_way(law: int, k: Any, a: Any, e: Any, rule: UpdateRule) -> tuple[Any, Any]:
    """Force f and df/dl of a string or bumper at elongation e: as in `laws`, without branches."""
    e = e if law == STRING else -e
    u = min(max(e + a, rule.zero), a + a)
    t = k * u / (a + a)
    f = t * u * rule.half + k * max(e - a, rule.zero)
    return (f if law == STRING else -f), t


@inner
def _move(packed: Packed, block: int, room: Workspace, rule: UpdateRule, axes: Marks, powers: Marks) -> None:
    """Move every node by Δ = ηα R/S + (1 − η)Δ, and clear its R and S for the next iteration.

    Source: [Lipson2006] eqs 2 to 4 and 6.
    """
    W, D = 1 << len(powers), len(axes)
    nodes, sums, load, longest = room.nodes, room.sums, packed.load, packed.most
    for j in range(packed.most.shape[1] // W):
        o = np.uint32(j) * W
        for d in range(D):
            for w in range(W):
                at = 2 * D * o + d * W + w
                most = longest[block, o + w]
                stiff = max(sums[at + D * W], rule.least)
                step = rule.push * sums[at] / stiff + rule.keep * nodes[at + D * W]
                step = step if step < most else most  # also where it is no number: forces beyond all bounds
                step = step if step > -most else -most
                nodes[at] += step
                nodes[at + D * W] = step
                sums[at] = load[block, D * o + d * W + w]
                sums[at + D * W] = rule.zero
        if rule.floor:
            for w in range(W):
                at = 2 * D * o + (D - 1) * W + w
                nodes[at] = max(nodes[at], rule.zero)


@inner
def _remove_floor_forces(
    packed: Packed, room: Workspace, rule: UpdateRule, axes: Marks, powers: Marks, moving: bool
) -> None:
    """Take from R of nodes on the floor what it holds: all that presses on it, and along it μ times that.

    Source: [Lipson2006] Table 2, "Static Friction".
    Differs: what is beyond μF_n acts, not the whole of F_p, as in `touching.stick`.
    """
    W, D = 1 << len(powers), len(axes)
    x, r = room.nodes, room.sums
    for j in range(packed.most.shape[1] // W):
        for w in range(W):
            at = 2 * j * D * W + w
            up = at + (D - 1) * W
            if x[up] > rule.zero or r[up] >= rule.zero:
                continue
            square = rule.zero
            for d in range(D - 1):
                square += r[at + d * W] * r[at + d * W]
            parallel, held = np.sqrt(square), -rule.friction * r[up]
            left = rule.one - held / parallel if parallel > held else rule.zero
            r[up] = rule.zero
            for d in range(D - 1):
                r[at + d * W] *= left
            if moving:  # Δ of a node that is held is lost
                x[up + D * W] = rule.zero
                for d in range(D - 1):
                    x[at + (D + d) * W] *= left


@inner_shared
def _measure_block(
    packed: Packed,
    block: int,
    c: int,
    room: Workspace,
    rule: UpdateRule,
    W: int,
    D: int,
    answer: BatchAnswer,
) -> None:
    """The largest |R| of free nodes and the largest length error of links, with R as just summed."""
    for w in range(W):
        largest = worst = 0.0
        for j in range(packed.most.shape[1] // W):
            square = 0.0
            for d in range(D):
                square += room.sums[(2 * j * D + d) * W + w] ** 2
            if packed.most[block, j * W + w] > rule.zero:
                largest = max(largest, square if square < np.inf else np.inf)
        for n in range(packed.laws.shape[1]):
            worst = max(worst, _length_error(packed, block, n, w, room, W, D))
        answer.residual[block, w] = np.sqrt(largest)
        answer.errors[block, c * W + w] = worst


@inner
def _length_error(packed: Packed, block: int, n: int, w: int, room: Workspace, W: int, D: int) -> float:
    """Length error of link n; 0 for a string too short and a bumper too long."""
    if packed.stiffness[block, n * W + w] == 0.0:
        return 0.0
    a, b, square = packed.ends[block, n, 0] * 2 * D * W, packed.ends[block, n, 1] * 2 * D * W, 0.0
    for d in range(D):
        square += (room.nodes[b + d * W + w] - room.nodes[a + d * W + w]) ** 2
    over = np.sqrt(square) - room.links[(2 * n + 1) * W + w]
    law = packed.laws[block, n]
    return abs(over) if law == BAR else max(over if law == STRING else -over, 0.0)
