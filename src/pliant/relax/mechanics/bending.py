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

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, inner_shared, kernel
from pliant.relax.factors.elimination import ANCHOR, Order
from pliant.relax.factors.skyline import solve_together

Vector = tuple[float, float, float]

SINE = tuple(1.0 / (k * (k + 1)) for k in range(16, 1, -2))  # ratios of the terms of a series, the last first
COSINE = tuple(1.0 / (k * (k + 1)) for k in range(17, 2, -2))


@inner_shared
def bend(x: Floats, step: Floats, spin: Floats, order: Order, there: Floats, right: Floats) -> None:
    """Positions after a step (N, D) from x, `spins` taken as finite rotations; `right` (n, D) is scratch."""
    d = x.shape[1]
    for p in range(len(order.node)):
        for c in range(d):
            right[p, c] = ANCHOR * (x[order.node[p], c] + step[order.node[p], c])
    for e in range(len(order.edges)):
        a, b = order.edges[e, 0], order.edges[e, 1]
        u = _rotated_edge(x, step, a, b, spin)
        p, q = order.place[a], order.place[b]
        for c in range(d):
            if p >= 0:
                right[p, c] += (x[b, c] if q < 0 else 0.0) - u[c]
            if q >= 0:
                right[q, c] += (x[a, c] if p < 0 else 0.0) + u[c]
    solve_together(order.graph, order.graph_first, order.graph_rows, right)
    for i in range(len(x)):
        for c in range(d):
            there[i, c] = x[i, c] if order.place[i] < 0 else right[order.place[i], c]


@kernel
def distortion(x: Floats, step: Floats, spin: Floats, edges: Ints, sizes: Floats) -> float:
    """Largest relative change of an edge's length that the rotation of its ends does not explain."""
    worst, flat = 0.0, x.shape[1] == 2
    for e in range(len(edges)):
        a, b = edges[e, 0], edges[e, 1]
        p, q = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1]
        r = 0.0 if flat else x[b, 2] - x[a, 2]
        i, j, k = _spin_velocity(spin, a, b, p, q, r)
        change = (step[b, 0] - step[a, 0] - i) ** 2 + (step[b, 1] - step[a, 1] - j) ** 2
        change += 0.0 if flat else (step[b, 2] - step[a, 2] - k) ** 2
        square = max(p * p + q * q + r * r, sizes[e] * sizes[e])
        if square > 0.0:
            worst = max(worst, change / square)
    return np.sqrt(worst)


@inner
def _spin_velocity(spin: Floats, a: int, b: int, p: float, q: float, r: float) -> Vector:
    """ω × v, with ω the mean of the spins of two nodes and v = (p, q, r) the edge between them."""
    f, g, h = (
        0.5 * (spin[a, 0] + spin[b, 0]),
        0.5 * (spin[a, 1] + spin[b, 1]),
        0.5 * (spin[a, 2] + spin[b, 2]),
    )
    return g * r - h * q, h * p - f * r, f * q - g * p


@inner
def _rotated_edge(x: Floats, step: Floats, a: int, b: int, spin: Floats) -> Vector:
    """The edge from a to b after the step: strained, then turned (Rodrigues)."""
    flat = x.shape[1] == 2
    p, q = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1]
    r = 0.0 if flat else x[b, 2] - x[a, 2]
    i, j, k = _spin_velocity(spin, a, b, p, q, r)
    p, q = p + step[b, 0] - step[a, 0] - i, q + step[b, 1] - step[a, 1] - j
    r = 0.0 if flat else r + step[b, 2] - step[a, 2] - k
    f, g, h = (
        0.5 * (spin[a, 0] + spin[b, 0]),
        0.5 * (spin[a, 1] + spin[b, 1]),
        0.5 * (spin[a, 2] + spin[b, 2]),
    )
    cos, sinc, versed = _rotation(f * f + g * g + h * h)
    dot = versed * (f * p + g * q + h * r)
    return (
        cos * p + sinc * (g * r - h * q) + f * dot,
        cos * q + sinc * (h * p - f * r) + g * dot,
        cos * r + sinc * (f * q - g * p) + h * dot,
    )


@inner
def _rotation(square: float) -> Vector:
    """Of an angle a, cos a, (sin a)/a and (1 − cos a)/a², from its square: their series up to a radian."""
    if square > 1.0:
        a = np.sqrt(square)
        return np.cos(a), np.sin(a) / a, (1.0 - np.cos(a)) / square
    sinc = versed = 1.0
    for k in range(len(SINE)):
        sinc, versed = 1.0 - square * SINE[k] * sinc, 1.0 - square * COSINE[k] * versed
    return 1.0 - 0.5 * square * versed, sinc, 0.5 * versed


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
