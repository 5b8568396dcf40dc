"""The stiffness K of a mechanism at a pose: the Hessian of its energy, or what is positive of it.

A link adds (k − f/l) n nᵀ + f/l to the blocks of its two nodes. Where it pushes, f/l is negative
and K may have directions in which the mechanism gives way; and where it pulls, f/l holds it from
turning, though a turn costs nothing. `whole` keeps both, which close to rest is right, and else
f/l is left out, which keeps K positive and lets parts turn as far as they like. Elements of more nodes
add k g gᵀ with the slope g of what they measure.
"""

from __future__ import annotations

import numpy as np

from pliant.core.kernel import kernel
from pliant.relax.forces import rail
from pliant.relax.guiding import basis
from pliant.relax.laws import BAR, force, tangent
from pliant.relax.measures import couple
from pliant.relax.network import FIXED, FREE, Floats, Ints, Parts, State
from pliant.relax.order import Order
from pliant.relax.touching import contact_gradient


@kernel
def assemble(state: State, parts: Parts, order: Order, allowed: Floats, whole: bool, m: Floats) -> None:
    """Fill m with K, rows as `order` has them; `allowed` (N, D, D) projects on what guides allow."""
    m[:] = 0.0
    _links(state, parts, order, allowed, whole, m)
    if len(parts.rails) > 0:
        _rails(state, parts, order, allowed, m)
    if len(parts.coupling_laws) > 0:
        _couplings(state, parts, order, allowed, m)
    if len(parts.field_power) > 0:
        _fields(state, parts, order, m)
    if len(parts.touch.radius) > 0:
        _touches(state, parts, order, allowed, m)


@kernel
def allow(x: Floats, parts: Parts, allowed: Floats) -> bool:
    """Fill `allowed` for nodes on guides; whether there are any."""
    d = x.shape[1]
    some = False
    ways = np.empty((d, d))
    for i in range(len(x)):
        if parts.guides[i] == FREE or parts.guides[i] == FIXED:
            continue
        some = True
        allowed[i] = 0.0
        for w in range(basis(parts, i, x[i], ways)):
            for c in range(d):
                for g in range(d):
                    allowed[i, c, g] += ways[w, c] * ways[w, g]
    return some


@kernel
def _add(order: Order, p: int, q: int, d: int, c: int, g: int, value: float, m: Floats) -> None:
    """Add to the number of coordinate c at place p and g at place q; only what is below the diagonal."""
    row, column = p * d + c, q * d + g
    if row >= column:
        m[order.rows[row] + column - order.first[row]] += value


@kernel
def _block(
    order: Order, parts: Parts, allowed: Floats, i: int, j: int, block: Floats, m: Floats
) -> None:
    """Add a block for the nodes i and j; for i = j the whole of it, else once for both triangles."""
    d = block.shape[0]
    if order.place[i] < 0 or order.place[j] < 0:
        return
    if order.place[i] < order.place[j]:
        i, j, block = j, i, block.T.copy()
    p, q = order.place[i], order.place[j]
    if parts.guides[i] != FREE:
        block = allowed[i] @ block
    if parts.guides[j] != FREE:
        block = block @ np.ascontiguousarray(allowed[j].T)
    for c in range(d):
        for g in range(d):
            _add(order, p, q, d, c, g, block[c, g], m)


@kernel
def _links(
    state: State, parts: Parts, order: Order, allowed: Floats, whole: bool, m: Floats
) -> None:
    x, d = state.x, state.x.shape[1]
    n, block = np.zeros(3), np.empty((d, d))
    for e in range(len(parts.ends)):
        i, j = parts.ends[e, 0], parts.ends[e, 1]
        length = 0.0
        for c in range(d):
            n[c] = x[j, c] - x[i, c]
            length += n[c] * n[c]
        length = np.sqrt(length)
        if length == 0.0:
            continue
        over = length - state.rest[e]
        law, k, a = parts.laws[e], parts.stiffness[e], parts.bands[e]
        f, rate = force(law, k, a, over) + state.carried[e], tangent(law, k, a, over)
        across = f / length if whole else 0.0
        if parts.guides[i] == FREE and parts.guides[j] == FREE:
            p, q = max(order.place[i], order.place[j]), min(order.place[i], order.place[j])
            _link(order.rows, order.first, p, q, n[:d], (rate - across) / (length * length), across, m)
            continue
        for c in range(d):
            for g in range(d):
                block[c, g] = (rate - across) * n[c] * n[g] / length**2 + (across if c == g else 0.0)
        _block(order, parts, allowed, i, i, block, m)
        _block(order, parts, allowed, j, j, block, m)
        _block(order, parts, allowed, i, j, -block, m)


@kernel
def _link(
    rows: Ints, first: Ints, p: int, q: int, n: Floats, along: float, across: float, m: Floats
) -> None:
    """A link between two nodes that move freely, at the places p > q."""
    d = len(n)
    for c in range(d):
        own, other = rows[p * d + c] - first[p * d + c], rows[q * d + c] - first[q * d + c]
        for g in range(d):
            value = along * n[c] * n[g] + (across if c == g else 0.0)
            m[own + q * d + g] -= value
            if g <= c:
                m[own + p * d + g] += value
                m[other + q * d + g] += value


@kernel
def _rank_one(
    order: Order, parts: Parts, allowed: Floats, nodes: Ints, slope: Floats, k: float, m: Floats
) -> None:
    """Add k g gᵀ, with g (K, D) by the nodes (K,), any of which may come twice."""
    count, d = slope.shape
    for a in range(count):
        if parts.guides[nodes[a]] != FREE:
            slope[a] = allowed[nodes[a]] @ slope[a]
    for a in range(count):
        p = order.place[nodes[a]]
        if p < 0 or (slope[a] == 0.0).all():
            continue
        for b in range(count):
            q = order.place[nodes[b]]
            if q < 0 or q > p or (slope[b] == 0.0).all():
                continue
            for c in range(d):
                for g in range(d):
                    _add(order, p, q, d, c, g, k * slope[a, c] * slope[b, g], m)


@kernel
def _couplings(state: State, parts: Parts, order: Order, allowed: Floats, m: Floats) -> None:
    d = state.x.shape[1]
    most = 0
    for c in range(len(parts.coupling_laws)):
        most = max(most, parts.firsts[c + 1] - parts.firsts[c])
    slope, nodes = np.empty((4 * most, d)), np.empty(4 * most, np.int64)
    for c in range(len(parts.coupling_laws)):
        count = 4 * (parts.firsts[c + 1] - parts.firsts[c])
        over = couple(state.x, parts, c, state.turned, slope, nodes) - state.goal[c]
        k = tangent(parts.coupling_laws[c], parts.coupling_stiffness[c], parts.coupling_bands[c], over)
        _rank_one(order, parts, allowed, nodes[:count], slope[:count], k, m)


@kernel
def _rails(state: State, parts: Parts, order: Order, allowed: Floats, m: Floats) -> None:
    """Across the line; with a distance to keep, along the way to the node first of all."""
    x, d = state.x, state.x.shape[1]
    away, block, shares = np.empty(d), np.empty((d, d)), np.empty(3)
    for q in range(len(parts.rails)):
        at, far = rail(x, parts, q, away)
        law, k, a = parts.rail_laws[q], parts.rail_stiffness[q], parts.rail_bands[q]
        over = far - parts.rail_rest[q]
        f, rate = force(law, k, a, over), tangent(law, k, a, over)
        across = rate if law == BAR else (max(f / far, 0.0) if far > 0.0 else 0.0)
        line = x[parts.rails[q, 2]] - x[parts.rails[q, 1]]
        square = (line * line).sum()
        for c in range(d):
            for g in range(d):
                block[c, g] = across * ((1.0 if c == g else 0.0) - line[c] * line[g] / square)
                if far > 0.0:
                    block[c, g] += (rate - across) * away[c] * away[g] / (far * far)
        shares[0], shares[1], shares[2] = 1.0, at - 1.0, -at
        for g in range(3):
            for h in range(g + 1):
                i, j = parts.rails[q, g], parts.rails[q, h]
                _block(order, parts, allowed, i, j, shares[g] * shares[h] * block, m)


@kernel
def _fields(state: State, parts: Parts, order: Order, m: Floats) -> None:
    """What keeps a field from being left: f/distance, where it attracts."""
    x, d = state.x, state.x.shape[1]
    for g in range(len(parts.field_power)):
        for i in range(len(x)):
            if parts.guides[i] != FREE or parts.masses[i] == 0.0:
                continue
            far = np.sqrt(((parts.field_at[g] - x[i]) ** 2).sum())
            if far > 0.0:
                f = parts.field_strength[g] * parts.masses[i] * far ** (parts.field_power[g] - 1.0)
                for c in range(d):
                    _add(order, order.place[i], order.place[i], d, c, c, max(f, 0.0), m)


@kernel
def _touches(state: State, parts: Parts, order: Order, allowed: Floats, m: Floats) -> None:
    d = state.x.shape[1]
    slope = np.empty(4 * d)
    for t in range(len(parts.touch.radius)):
        _, k = contact_gradient(state.x, parts.touch, t, slope)
        if k > 0.0:
            _rank_one(order, parts, allowed, parts.touch.ends[t], slope.reshape(4, d), k, m)
