"""Steps that bend round corners.

A long mechanism turns by many radians while its links hardly stretch: a straight step Δ would
tear it. So Δ is read as a rotation ω at every node, fitted to its edges,

    (Σ |v|² − v vᵀ) ω = Σ v × δ        v an edge at the node, δ = Δ_j − Δ_i

and what is left of each edge, v + δ − ω × v, its strain. Edges are turned exactly, and the
nodes put where they fit those edges best, by one solve with the graph's Laplacian, whose factor
is kept. How far an edge changes beside the rotation of its ends is its distortion, which no
rigid motion, however far, makes any larger: small distortions keep to the branch.
"""

from __future__ import annotations

import numpy as np

from pliant.core.kernel import inner, kernel
from pliant.relax.network import Floats, Ints
from pliant.relax.order import ANCHOR, Order
from pliant.relax.skyline import solve


@inner
def bend(x: Floats, step: Floats, spin: Floats, order: Order, there: Floats, right: Floats) -> None:
    """Where a step (N, D) from x leads when its `spins` are taken as rotations; `right` (n, D) is scratch."""
    d = x.shape[1]
    u = np.zeros(3)
    for p in range(len(order.node)):
        for c in range(d):
            right[p, c] = ANCHOR * (x[order.node[p], c] + step[order.node[p], c])
    for e in range(len(order.edges)):
        a, b = order.edges[e, 0], order.edges[e, 1]
        _turned(x, step, a, b, spin, u)
        p, q = order.place[a], order.place[b]
        for c in range(d):
            if p >= 0:
                right[p, c] += (x[b, c] if q < 0 else 0.0) - u[c]
            if q >= 0:
                right[q, c] += (x[a, c] if p < 0 else 0.0) + u[c]
    solve(order.graph, order.graph_first, order.graph_rows, right)
    for i in range(len(x)):
        for c in range(d):
            there[i, c] = x[i, c] if order.place[i] < 0 else right[order.place[i], c]


@kernel
def distortion(x: Floats, step: Floats, spin: Floats, edges: Ints, sizes: Floats) -> float:
    """By how much of its length, or its size, an edge changes at most, beside the rotation of its ends."""
    worst = 0.0
    for e in range(len(edges)):
        a, b = edges[e, 0], edges[e, 1]
        change = square = 0.0
        for c in range(x.shape[1]):
            turned = _across(x, a, b, spin, c)
            change += (step[b, c] - step[a, c] - turned) ** 2
            square += (x[b, c] - x[a, c]) ** 2
        square = max(square, sizes[e] * sizes[e])
        if square > 0.0:
            worst = max(worst, change / square)
    return np.sqrt(worst)


@inner
def _across(x: Floats, a: int, b: int, spin: Floats, c: int) -> float:
    """Coordinate c of ω × v, ω the mean of both ends' and v the edge between them."""
    if x.shape[1] == 2:
        w = 0.5 * (spin[a, 2] + spin[b, 2])
        return -w * (x[b, 1] - x[a, 1]) if c == 0 else w * (x[b, 0] - x[a, 0])
    g, h = (c + 1) % 3, (c + 2) % 3
    wg, wh = 0.5 * (spin[a, g] + spin[b, g]), 0.5 * (spin[a, h] + spin[b, h])
    return wg * (x[b, h] - x[a, h]) - wh * (x[b, g] - x[a, g])


@inner
def _turned(x: Floats, step: Floats, a: int, b: int, spin: Floats, out: Floats) -> None:
    """The edge from a to b after the step: strained, then turned (Rodrigues)."""
    d = x.shape[1]
    for c in range(d):
        out[c] = x[b, c] - x[a, c] + step[b, c] - step[a, c] - _across(x, a, b, spin, c)
    if d == 2:
        w = 0.5 * (spin[a, 2] + spin[b, 2])
        cos, sin = np.cos(w), np.sin(w)
        out[0], out[1] = cos * out[0] - sin * out[1], sin * out[0] + cos * out[1]
        return
    p, q, r = (
        0.5 * (spin[a, 0] + spin[b, 0]),
        0.5 * (spin[a, 1] + spin[b, 1]),
        0.5 * (spin[a, 2] + spin[b, 2]),
    )
    angle = np.sqrt(p * p + q * q + r * r)
    if angle < 1e-12:
        return
    p, q, r = p / angle, q / angle, r / angle
    cos, sin = np.cos(angle), np.sin(angle)
    dot = (p * out[0] + q * out[1] + r * out[2]) * (1.0 - cos)
    x0, x1, x2 = out[0], out[1], out[2]
    out[0] = cos * x0 + sin * (q * x2 - r * x1) + p * dot
    out[1] = cos * x1 + sin * (r * x0 - p * x2) + q * dot
    out[2] = cos * x2 + sin * (p * x1 - q * x0) + r * dot


@kernel
def spins(x: Floats, step: Floats, edges: Ints, spin: Floats) -> None:
    """Fill `spin` (N, 3) with the rotation the step is nearest to at each node; in the plane, the last."""
    for i in range(len(x)):
        spin[i, 0] = spin[i, 1] = spin[i, 2] = 0.0
    if x.shape[1] == 2:
        square = np.zeros(len(x))
        for e in range(len(edges)):
            a, b = edges[e, 0], edges[e, 1]
            p, q = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1]
            turn = p * (step[b, 1] - step[a, 1]) - q * (step[b, 0] - step[a, 0])
            for i in (a, b):
                spin[i, 2] += turn
                square[i] += p * p + q * q
        for i in range(len(x)):
            spin[i, 2] = spin[i, 2] / square[i] if square[i] > 0.0 else 0.0
        return
    m = np.zeros((len(x), 6))  # xx yy zz xy xz yz
    for e in range(len(edges)):
        a, b = edges[e, 0], edges[e, 1]
        p, q, r = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        f, g, h = step[b, 0] - step[a, 0], step[b, 1] - step[a, 1], step[b, 2] - step[a, 2]
        for i in (a, b):
            spin[i, 0] += q * h - r * g
            spin[i, 1] += r * f - p * h
            spin[i, 2] += p * g - q * f
            m[i, 0] += q * q + r * r
            m[i, 1] += p * p + r * r
            m[i, 2] += p * p + q * q
            m[i, 3] -= p * q
            m[i, 4] -= p * r
            m[i, 5] -= q * r
    for i in range(len(x)):
        _solve_3(m[i], spin[i])


@inner
def _solve_3(m: Floats, x: Floats) -> None:
    """A symmetric system of three; where all edges of a node are in line, the least rotation."""
    small = 1e-9 * (m[0] + m[1] + m[2]) + 1e-300
    a, b, c, p, q, s = m[0] + small, m[1] + small, m[2] + small, m[3], m[4], m[5]
    det = a * (b * c - s * s) - p * (p * c - s * q) + q * (p * s - b * q)
    if det == 0.0:
        x[0] = x[1] = x[2] = 0.0
        return
    u, v, w = x[0], x[1], x[2]
    x[0] = (u * (b * c - s * s) - p * (v * c - s * w) + q * (v * s - b * w)) / det
    x[1] = (a * (v * c - s * w) - u * (p * c - s * q) + q * (p * w - v * q)) / det
    x[2] = (a * (b * w - v * s) - p * (p * w - v * q) + u * (p * s - b * q)) / det
