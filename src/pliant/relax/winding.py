"""Strings around discs, in the plane: the tangents and arcs on which they lie where they are taut.

A string goes from its first end by discs to its last, past each on one side: counter-clockwise where its
middle is to the left, with the radius ρ > 0, clockwise with ρ < 0; its ends have ρ = 0. From one to the next
it lies on the tangent along u, with n to the left of u and D from middle to middle,

    D = t u + δ n,    δ = ρ₂ − ρ₁,    t² = D² − δ²

and where it has turned by w from tangent to tangent, an arc is ρ w long. As the parts move, arcs and tangents
together grow by u · dD a tangent, and u turns by n · dD / t: a tangent pulls and stiffens as a link of its
length does, between the middles.

A disc is left out where its arc would be negative, and put back where a tangent would cut it. The side and
the number of turns follow from the angle that the string sweeps about a middle, counted over whole turns.
"""

from __future__ import annotations

import numpy as np

from pliant.core.kernel import inner, kernel
from pliant.relax.network import Couplings, Floats, Ints

TURN = 2.0 * np.pi
CUTS = 1e-12  # of a radius: so deep a tangent may cut a disc, by rounding


@kernel
def wind(x: Floats, couplings: Couplings, c: int, turned: Floats, slope: Floats, nodes: Ints) -> float:
    """The length of string c where it is taut; slopes (4 (n + 1), 2) by the nodes, a tangent in each four."""
    first, count = couplings.firsts[c], couplings.firsts[c + 1] - couplings.firsts[c]
    on = np.empty(count + 1, np.int64)
    last = taut(x, couplings, c, turned, on) - 1
    total = 0.0
    for k in range(4 * count):
        nodes[k] = couplings.measured[first, 0]
        slope[k, 0] = slope[k, 1] = 0.0
    for s in range(last):
        t, p, q = tangent_line(x, couplings, c, turned, on[s], on[s + 1])
        total += t
        slope[4 * s, 0], slope[4 * s, 1], slope[4 * s + 1, 0], slope[4 * s + 1, 1] = -p, -q, p, q
        nodes[4 * s], nodes[4 * s + 1] = _node(couplings, c, on[s]), _node(couplings, c, on[s + 1])
        if s > 0:
            radius = couplings.frames[first + on[s], 0, 0]
            total += radius * arc(x, couplings, c, turned, on[s - 1], on[s], on[s + 1])
    return total


@kernel
def taut(x: Floats, couplings: Couplings, c: int, turned: Floats, on: Ints) -> int:
    """Fill `on` with the ends and the discs that string c lies on, in order; how many."""
    discs = couplings.firsts[c + 1] - couplings.firsts[c] - 1
    on[0], count = 0, 1
    for k in range(1, discs + 2):
        while count > 1 and arc(x, couplings, c, turned, on[count - 2], on[count - 1], k) < 0.0:
            count -= 1
        on[count] = k
        count += 1
    for _ in range(4 * discs):
        at, disc = _cut(x, couplings, c, turned, on, count)
        if at < 0:
            break
        for s in range(count, at + 1, -1):
            on[s] = on[s - 1]
        on[at + 1] = disc
        count = _let_go(x, couplings, c, turned, on, count + 1, disc)
    return count


@inner
def _cut(x: Floats, couplings: Couplings, c: int, turned: Floats, on: Ints, count: int) -> tuple[int, int]:
    """After which place a tangent cuts a disc that was left out, and which one, the deepest; −1 for none."""
    first = couplings.firsts[c]
    worst, at, disc = 0.0, -1, -1
    for s in range(count - 1):
        t, p, q = tangent_line(x, couplings, c, turned, on[s], on[s + 1])
        start = _node(couplings, c, on[s])
        for k in range(on[s] + 1, on[s + 1]):
            node, radius = couplings.measured[first + k, 0], couplings.frames[first + k, 0, 0]
            i, j = x[node, 0] - x[start, 0], x[node, 1] - x[start, 1]
            off = _side(couplings, c, turned, k) * (p * j - q * i + _turning(couplings, c, turned, on[s]))
            if 0.0 < p * i + q * j < t and radius - off > worst + CUTS * radius:
                worst, at, disc = radius - off, s, k
    return at, disc


@inner
def _let_go(x: Floats, couplings: Couplings, c: int, turned: Floats, on: Ints, count: int, kept: int) -> int:
    """Leave discs out, but for one, that have come to have a negative arc; how many are left."""
    s = 1
    while s < count - 1:
        if on[s] != kept and arc(x, couplings, c, turned, on[s - 1], on[s], on[s + 1]) < 0.0:
            for g in range(s, count - 1):
                on[g] = on[g + 1]
            count, s = count - 1, max(s - 1, 1)
        else:
            s += 1
    return count


@inner
def arc(x: Floats, couplings: Couplings, c: int, turned: Floats, p: int, k: int, q: int) -> float:
    """By how much the string turns on disc k, its way, from p to q: negative where it is off."""
    first = couplings.firsts[c]
    side, node = _side(couplings, c, turned, k), couplings.measured[first + k, 0]
    swept = side * sweep(x, couplings, c, turned, p, k, q)
    for other in (p, q):
        i = x[_node(couplings, c, other), 0] - x[node, 0]
        j = x[_node(couplings, c, other), 1] - x[node, 1]
        apart = max(np.sqrt(i * i + j * j), 1e-300)
        near = couplings.frames[first + k, 0, 0] - side * _turning(couplings, c, turned, other)
        swept -= np.arccos(min(max(near / apart, -1.0), 1.0))
    return swept


@inner
def sweep(x: Floats, couplings: Couplings, c: int, turned: Floats, p: int, k: int, q: int) -> float:
    """The angle at the middle of disc k from p to q, over whole turns from when it was last measured."""
    node = couplings.measured[couplings.firsts[c] + k, 0]
    a, b = _node(couplings, c, p), _node(couplings, c, q)
    i, j = x[a, 0] - x[node, 0], x[a, 1] - x[node, 1]
    g, h = x[b, 0] - x[node, 0], x[b, 1] - x[node, 1]
    angle = np.arctan2(i * h - j * g, i * g + j * h)
    return float(angle - TURN * np.round((angle - _last(couplings, c, turned, k)) / TURN))


@inner
def tangent_line(
    x: Floats, couplings: Couplings, c: int, turned: Floats, p: int, q: int
) -> tuple[float, float, float]:
    """The length of the tangent from p to q, and its direction u."""
    a, b = _node(couplings, c, p), _node(couplings, c, q)
    i, j = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1]
    square = i * i + j * j
    between = _turning(couplings, c, turned, q) - _turning(couplings, c, turned, p)
    t = np.sqrt(max(square - between * between, 0.0))
    size = max(np.sqrt(square * (t * t + between * between)), 1e-300)
    return t, (t * i + between * j) / size, (t * j - between * i) / size


@inner
def remember(x: Floats, couplings: Couplings, c: int, turned: Floats) -> None:
    """Take the angles that string c sweeps about its discs as those last measured."""
    first, discs = couplings.firsts[c], couplings.firsts[c + 1] - couplings.firsts[c] - 1
    on, swept = np.empty(discs + 2, np.int64), np.empty(discs)
    taut(x, couplings, c, turned, on)
    s = 0
    for k in range(1, discs + 1):
        while on[s + 1] < k:
            s += 1
        after = on[s + 2] if on[s + 1] == k else on[s + 1]
        swept[k - 1] = sweep(x, couplings, c, turned, on[s], k, after)
    for k in range(discs):
        turned[first + k + 1] = swept[k]


@inner
def _node(couplings: Couplings, c: int, k: int) -> int:
    """The node in the middle of disc k, or an end."""
    first, last = couplings.firsts[c], couplings.firsts[c + 1] - 1
    return couplings.measured[first + k, 0] if first + k <= last else couplings.measured[last, 1]


@inner
def _turning(couplings: Couplings, c: int, turned: Floats, k: int) -> float:
    """ρ of disc k, and 0 of the ends."""
    if k == 0 or couplings.firsts[c] + k == couplings.firsts[c + 1]:
        return 0.0
    return _side(couplings, c, turned, k) * couplings.frames[couplings.firsts[c] + k, 0, 0]


@inner
def _side(couplings: Couplings, c: int, turned: Floats, k: int) -> float:
    return 1.0 if _last(couplings, c, turned, k) >= 0.0 else -1.0


@inner
def _last(couplings: Couplings, c: int, turned: Floats, k: int) -> float:
    """The angle swept about disc k as it was last measured, or as drawn where it has not been yet."""
    m = couplings.firsts[c] + k
    return float(turned[m] if turned[m] != 0.0 else couplings.frames[m, 0, 1])


def course(x: Floats, couplings: Couplings, c: int, turned: Floats, points: int) -> Floats:
    """Where string c runs between its ends, (n points, 2): so many on each arc; those of others are one."""
    discs = couplings.firsts[c + 1] - couplings.firsts[c] - 1
    on = np.empty(discs + 2, np.int64)
    on = on[: taut(x, couplings, c, turned, on)].tolist()
    out = np.empty((discs, points, 2))
    here = x[couplings.measured[couplings.firsts[c], 0]]
    for k in range(1, discs + 1):
        if k in on:
            at = on.index(k)
            _, p, q = tangent_line(x, couplings, c, turned, on[at - 1], k)
            middle, rho = x[_node(couplings, c, k)], _turning(couplings, c, turned, k)
            turns = np.linspace(0.0, arc(x, couplings, c, turned, on[at - 1], k, on[at + 1]), points)
            angles = np.arctan2(-p, q) + np.sign(rho) * turns
            out[k - 1] = middle + rho * np.column_stack([np.cos(angles), np.sin(angles)])
            here = out[k - 1, -1]
        else:
            out[k - 1] = here
    return out.reshape(-1, 2)
