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

from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel
from pliant.relax.network.elements import Couplings

TURN = 2.0 * np.pi
CUTS = 1e-12  # of a radius: so deep a tangent may cut a disc, by rounding


class WoundString(NamedTuple):
    """One string around discs: its first end, n discs, its last end."""

    nodes: Ints  # (n + 2,) in their middles
    rho: Floats  # (n + 2,) radii, negative where it goes by clockwise; 0 at the ends
    last: Floats  # (n + 2,) angles swept about them as last measured, or as drawn where they have not been


@kernel
def wind(x: Floats, couplings: Couplings, c: int, turned: Floats, slope: Floats, nodes: Ints) -> float:
    """Taut length of string c and its gradient (4 (n + 1), 2) by the nodes, four for each tangent."""
    own = _turns(couplings, c, turned)
    on = np.empty(len(own.nodes), np.int64)
    last = taut(x, own, on) - 1
    total = 0.0
    for k in range(4 * (len(on) - 1)):
        nodes[k] = own.nodes[0]
        slope[k, 0] = slope[k, 1] = 0.0
    for s in range(last):
        a, b = on[s], on[s + 1]
        t, p, q = tangent_line(x, own, a, b)
        total += t
        slope[4 * s, 0], slope[4 * s, 1], slope[4 * s + 1, 0], slope[4 * s + 1, 1] = -p, -q, p, q
        nodes[4 * s], nodes[4 * s + 1] = own.nodes[a], own.nodes[b]
        if s > 0:
            total += abs(own.rho[a]) * arc(x, own, on[s - 1], a, b)
    return float(total)


@inner
def _turns(couplings: Couplings, c: int, turned: Floats) -> WoundString:
    """String c, of what its coupling and its angles say."""
    first, count = couplings.firsts[c], couplings.firsts[c + 1] - couplings.firsts[c]
    nodes, rho, last = np.empty(count + 1, np.int64), np.zeros(count + 1), np.zeros(count + 1)
    for k in range(count):
        m = first + k
        nodes[k] = couplings.measured[m, 0]
        last[k] = turned[m] if turned[m] != 0.0 else couplings.frames[m, 0, 1]
        rho[k] = couplings.frames[m, 0, 0] if last[k] >= 0.0 else -couplings.frames[m, 0, 0]
    nodes[count] = couplings.measured[first + count - 1, 1]
    return WoundString(nodes, rho, last)


@kernel
def taut(x: Floats, own: WoundString, on: Ints) -> int:
    """Fill `on` with the ends and the discs that the taut string touches, in order; their number."""
    on[0], count = 0, 1
    for k in range(1, len(on)):
        on[count] = k
        count = _drop_negative_arcs(x, own, on, count + 1, -1)
    for _ in range(4 * len(on)):
        at, disc = _deepest_cut(x, own, on, count)
        if at < 0:
            break
        for s in range(count, at + 1, -1):
            on[s] = on[s - 1]
        on[at + 1] = disc
        count = _drop_negative_arcs(x, own, on, count + 1, disc)
    return count


@inner
def _deepest_cut(x: Floats, own: WoundString, on: Ints, count: int) -> tuple[int, int]:
    """After which place a tangent cuts a disc that was left out, and which one, the deepest; −1 for none."""
    worst, at, disc = 0.0, -1, -1
    for s in range(count - 1):
        t, p, q = tangent_line(x, own, on[s], on[s + 1])
        start = own.nodes[on[s]]
        for k in range(on[s] + 1, on[s + 1]):
            node, radius = own.nodes[k], abs(own.rho[k])
            i, j = x[node, 0] - x[start, 0], x[node, 1] - x[start, 1]
            off = p * j - q * i + own.rho[on[s]]
            deep = radius - (off if own.rho[k] > 0.0 else -off)
            if 0.0 < p * i + q * j < t and deep > worst + CUTS * radius:
                worst, at, disc = deep, s, k
    return at, disc


@inner
def _drop_negative_arcs(x: Floats, own: WoundString, on: Ints, count: int, kept: int) -> int:
    """Drop discs with a negative arc, all but one, from the last on; the number left."""
    s = count - 2
    while s > 0:
        if s < count - 1 and on[s] != kept and arc(x, own, on[s - 1], on[s], on[s + 1]) < 0.0:
            for g in range(s, count - 1):
                on[g] = on[g + 1]
            count, s = count - 1, min(s + 1, count - 2)
        s -= 1
    return count


@inner
def arc(x: Floats, own: WoundString, p: int, k: int, q: int) -> float:
    """Angle of contact on disc k in its sense, from p to q (rad); negative where the string is off it."""
    side, node = 1.0 if own.rho[k] > 0.0 else -1.0, own.nodes[k]
    swept = side * sweep(x, own, p, k, q)
    for other in (p, q):
        i, j = x[own.nodes[other], 0] - x[node, 0], x[own.nodes[other], 1] - x[node, 1]
        near = side * (own.rho[k] - own.rho[other]) / max(np.sqrt(i * i + j * j), 1e-300)
        swept -= np.arccos(min(max(near, -1.0), 1.0))
    return float(swept)


@inner
def sweep(x: Floats, own: WoundString, p: int, k: int, q: int) -> float:
    """Angle at the centre of disc k from p to q (rad), continued over whole turns."""
    node, a, b = own.nodes[k], own.nodes[p], own.nodes[q]
    i, j = x[a, 0] - x[node, 0], x[a, 1] - x[node, 1]
    g, h = x[b, 0] - x[node, 0], x[b, 1] - x[node, 1]
    angle = np.arctan2(i * h - j * g, i * g + j * h)
    return float(angle - TURN * np.round((angle - own.last[k]) / TURN))


@inner
def tangent_line(x: Floats, own: WoundString, p: int, q: int) -> tuple[float, float, float]:
    """Length of the tangent from p to q, and its unit vector u."""
    a, b = own.nodes[p], own.nodes[q]
    i, j = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1]
    square, between = i * i + j * j, own.rho[q] - own.rho[p]
    t = np.sqrt(max(square - between * between, 0.0))
    size = max(np.sqrt(square * (t * t + between * between)), 1e-300)
    return t, (t * i + between * j) / size, (t * j - between * i) / size


@inner
def keep_angles(x: Floats, couplings: Couplings, c: int, turned: Floats) -> None:
    """Store the angles that string c sweeps about its discs as the reference for the next."""
    own = _turns(couplings, c, turned)
    on, s = np.empty(len(own.nodes), np.int64), 0
    taut(x, own, on)
    for k in range(1, len(on) - 1):
        while on[s + 1] < k:
            s += 1
        after = on[s + 2] if on[s + 1] == k else on[s + 1]
        turned[couplings.firsts[c] + k] = sweep(x, own, on[s], k, after)


def course(x: Floats, couplings: Couplings, c: int, turned: Floats, points: int) -> Floats:
    """Polyline (n points, 2) of string c between its ends, with so many points on each arc."""
    own = _turns(couplings, c, turned)
    spots = np.empty(len(own.nodes), np.int64)
    on = spots[: taut(x, own, spots)].tolist()
    out = np.empty((len(own.nodes) - 2, points, 2))
    here = x[own.nodes[0]]
    for k in range(1, len(own.nodes) - 1):
        if k in on:
            at, rho = on.index(k), own.rho[k]
            _, p, q = tangent_line(x, own, on[at - 1], k)
            turns = np.linspace(0.0, arc(x, own, on[at - 1], k, on[at + 1]), points)
            angles = np.arctan2(-p, q) + np.sign(rho) * turns
            out[k - 1] = x[own.nodes[k]] + rho * np.column_stack([np.cos(angles), np.sin(angles)])
            here = out[k - 1, -1]
        else:
            out[k - 1] = here
    return out.reshape(-1, 2)
