"""The stiffness K of a mechanism at a pose: the Hessian of its energy, or what is positive of it.

A link adds (k − f/l) n nᵀ + f/l to the blocks of its two nodes. Where it pushes, f/l is negative
and K may have directions in which the mechanism gives way; and where it pulls, f/l holds it from
turning, though a turn costs nothing. `whole` keeps both, which close to rest is right, and else
f/l is left out, which keeps K positive and lets parts turn as far as they like. Elements of more nodes
add k g gᵀ with the slope g of what they measure.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner
from pliant.relax.factors.elimination import Order
from pliant.relax.mechanics.forces import most_measures, rail_pull, slip_force
from pliant.relax.mechanics.guides import basis
from pliant.relax.mechanics.segment_contact import contact_slope
from pliant.relax.network.elements import (
    FIXED,
    FREE,
    WOUND,
    Contacts,
    Couplings,
    Elements,
    Fields,
    Guides,
    Links,
    Rails,
    State,
)
from pliant.relax.network.laws import BAR, force, tangent
from pliant.relax.network.measures import couple

JUST = 1e-9  # of its radius: a pair so near resists before it touches, as it soon will


@inner
def assemble(state: State, parts: Elements, order: Order, allowed: Floats, whole: bool, m: Floats) -> None:
    """Fill m with K, rows as `order` has them; `allowed` (N, D, D) projects on what guides allow."""
    for k in range(len(m)):
        m[k] = 0.0
    spot = MatrixLayout(order.place, order.rows, order.first, parts.guides.kinds, allowed)
    _links(state.x, parts.links, state.rest, spot, whole, m)
    if len(parts.rails.nodes) > 0:
        _rails(state.x, parts.rails, state.rail_given, spot, m)
    if len(parts.couplings.laws) > 0:
        _couplings(state.x, parts.couplings, state.goal, state.turned, spot, whole, m)
    if len(parts.fields.power) > 0:
        _fields(state.x, parts.fields, spot, whole, m)
    if len(parts.touch.radius) > 0:
        _touches(state.x, parts.touch, state.touch_given, spot, m)
    if len(state.gripped) > 0:
        _grips(state.x, state.gripped, state.grips, spot, m)


class MatrixLayout(NamedTuple):
    """Where the numbers of a node go."""

    place: Ints  # (N,)
    rows: Ints  # (n D + 1,)
    first: Ints  # (n D,)
    kinds: Ints  # (N,) of guides
    allowed: Floats  # (N, D, D)


@inner
def allowed_directions(x: Floats, guides: Guides, allowed: Floats) -> bool:
    """Fill `allowed`; whether there are guides at all."""
    d = x.shape[1]
    some = False
    ways = np.empty((d, d))
    for i in range(len(x)):
        if guides.kinds[i] == FREE or guides.kinds[i] == FIXED:
            for c in range(d):
                for g in range(d):
                    allowed[i, c, g] = 1.0 if c == g else 0.0
            continue
        some = True
        count = basis(guides, i, x[i], ways)
        for c in range(d):
            for g in range(d):
                allowed[i, c, g] = 0.0
                for w in range(count):
                    allowed[i, c, g] += ways[w, c] * ways[w, g]
    return some


@inner
def _add(spot: MatrixLayout, p: int, q: int, d: int, c: int, g: int, value: float, m: Floats) -> None:
    """Add to the number of coordinate c at place p and g at place q; only what is below the diagonal."""
    row, column = p * d + c, q * d + g
    if row >= column:
        m[spot.rows[row] + column - spot.first[row]] += value


@inner
def _block(spot: MatrixLayout, i: int, j: int, share: float, block: Floats, m: Floats) -> None:
    """Add a symmetric block, times `share`, for the nodes i and j; for i ≠ j once for both triangles."""
    d = block.shape[0]
    if spot.place[i] < 0 or spot.place[j] < 0:
        return
    if spot.place[i] < spot.place[j]:
        i, j = j, i
    p, q = spot.place[i], spot.place[j]
    for c in range(d):
        for g in range(d):
            value = block[c, g]
            if spot.kinds[i] != FREE or spot.kinds[j] != FREE:
                value = 0.0
                for a in range(d):
                    for b in range(d):
                        value += spot.allowed[i, c, a] * block[a, b] * spot.allowed[j, g, b]
            _add(spot, p, q, d, c, g, share * value, m)


@inner
def _links(x: Floats, links: Links, rest: Floats, spot: MatrixLayout, whole: bool, m: Floats) -> None:
    d = x.shape[1]
    n, block = np.zeros(d), np.empty((d, d))
    for e in range(len(links.ends)):
        i, j = links.ends[e, 0], links.ends[e, 1]
        length = 0.0
        for c in range(d):
            n[c] = x[j, c] - x[i, c]
            length += n[c] * n[c]
        length = np.sqrt(length)
        if length == 0.0:
            continue
        over = length - rest[e]
        law, k, a = links.laws[e], links.stiffness[e], links.bands[e]
        f, rate = force(law, k, a, over), tangent(law, k, a, over)
        across = f / length if whole else 0.0
        along = (rate - across) / (length * length)
        if spot.kinds[i] == FREE and spot.kinds[j] == FREE:
            p, q = int(max(spot.place[i], spot.place[j])), int(min(spot.place[i], spot.place[j]))
            _link(spot.rows, spot.first, p, q, n, along, across, m)
            continue
        for c in range(d):
            for g in range(d):
                block[c, g] = along * n[c] * n[g] + (across if c == g else 0.0)
        _block(spot, i, i, 1.0, block, m)
        _block(spot, j, j, 1.0, block, m)
        _block(spot, i, j, -1.0, block, m)


@inner
def _link(rows: Ints, first: Ints, p: int, q: int, n: Floats, along: float, across: float, m: Floats) -> None:
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


@inner
def _rank_one(spot: MatrixLayout, nodes: Ints, count: int, slope: Floats, k: float, m: Floats) -> None:
    """Add k g gᵀ, with g (K, D) by the first `count` nodes, any of which may come twice."""
    d = slope.shape[1]
    g = np.empty(d)
    for a in range(count):
        if spot.kinds[nodes[a]] != FREE:
            for c in range(d):
                g[c] = slope[a, c]
            for c in range(d):
                slope[a, c] = 0.0
                for h in range(d):
                    slope[a, c] += spot.allowed[nodes[a], c, h] * g[h]
    for a in range(count):
        p = int(spot.place[nodes[a]])
        if p < 0 or not _some(slope, a):
            continue
        for b in range(count):
            q = int(spot.place[nodes[b]])
            if q < 0 or q > p or not _some(slope, b):
                continue
            for c in range(d):
                for h in range(d):
                    _add(spot, p, q, d, c, h, k * slope[a, c] * slope[b, h], m)


@inner
def _some(slope: Floats, a: int) -> bool:
    some = False
    for c in range(slope.shape[1]):
        some = some or slope[a, c] != 0.0
    return some


@inner
def _couplings(
    x: Floats, couplings: Couplings, goal: Floats, turned: Floats, spot: MatrixLayout, whole: bool, m: Floats
) -> None:
    d, most = x.shape[1], 4 * most_measures(couplings)
    slope, nodes = np.empty((most, d)), np.empty(most, np.int64)
    for c in range(len(couplings.laws)):
        count = 4 * (couplings.firsts[c + 1] - couplings.firsts[c])
        over = couple(x, couplings, c, turned, slope, nodes) - goal[c]
        k = tangent(couplings.laws[c], couplings.stiffness[c], couplings.bands[c], over)
        if whole and couplings.measures[couplings.firsts[c]] == WOUND:
            f = force(couplings.laws[c], couplings.stiffness[c], couplings.bands[c], over)
            _tangents(x, nodes, count, slope, f, spot, m)
        _rank_one(spot, nodes, count, slope, k, m)


@inner
def _tangents(
    x: Floats, nodes: Ints, count: int, slope: Floats, f: float, spot: MatrixLayout, m: Floats
) -> None:
    """Across each tangent of a string what a link of its length has, f/t; f is what the string pulls with."""
    block = np.empty((2, 2))
    for g in range(0, count, 4):
        i, j, p, q = nodes[g], nodes[g + 1], slope[g + 1, 0], slope[g + 1, 1]
        t = p * (x[j, 0] - x[i, 0]) + q * (x[j, 1] - x[i, 1])
        if t <= 0.0:
            continue
        block[0, 0], block[1, 1], block[0, 1] = f / t * q * q, f / t * p * p, -f / t * p * q
        block[1, 0] = block[0, 1]
        _block(spot, i, i, 1.0, block, m)
        _block(spot, j, j, 1.0, block, m)
        _block(spot, i, j, -1.0, block, m)


@inner
def _rails(x: Floats, rails: Rails, given: Floats, spot: MatrixLayout, m: Floats) -> None:
    """Across the line; with a distance to keep, along the way to the node first of all."""
    d = x.shape[1]
    away, line, block, shares = np.empty(d), np.empty(d), np.empty((d, d)), np.empty(3)
    for q in range(len(rails.nodes)):
        at, far, over = rail_pull(x, rails, given, q, away)
        law, k, a = rails.laws[q], rails.stiffness[q], rails.bands[q]
        f, rate = force(law, k, a, over), tangent(law, k, a, over)
        across = rate if law == BAR else (max(f / far, 0.0) if far > 0.0 else 0.0)
        square = 0.0
        for c in range(d):
            line[c] = x[rails.nodes[q, 2], c] - x[rails.nodes[q, 1], c]
            square += line[c] * line[c]
        for c in range(d):
            for g in range(d):
                block[c, g] = across * ((1.0 if c == g else 0.0) - line[c] * line[g] / max(square, 1e-300))
                if far > 0.0:
                    block[c, g] += (rate - across) * away[c] * away[g] / (far * far)
        shares[0], shares[1], shares[2] = 1.0, at - 1.0, -at
        for g in range(3):
            for h in range(g + 1):
                _block(spot, rails.nodes[q, g], rails.nodes[q, h], shares[g] * shares[h], block, m)


@inner
def _fields(x: Floats, fields: Fields, spot: MatrixLayout, whole: bool, m: Floats) -> None:
    """With f the pull at a distance r: p f/r along the way to the centre, f/r across; or what is positive."""
    d = x.shape[1]
    n, block = np.empty(d), np.empty((d, d))
    for g in range(len(fields.power)):
        for i in range(len(x)):
            if spot.place[i] < 0 or fields.masses[i] == 0.0:
                continue
            square = 0.0
            for c in range(d):
                n[c] = fields.at[g, c] - x[i, c]
                square += n[c] * n[c]
            if square == 0.0:
                continue
            across = fields.strength[g] * fields.masses[i] * square ** (0.5 * (fields.power[g] - 1.0))
            along = fields.power[g] * across
            if not whole:
                across, along = max(across, 0.0), max(along, 0.0)
            for c in range(d):
                for h in range(d):
                    block[c, h] = (along - across) * n[c] * n[h] / square + (across if c == h else 0.0)
            _block(spot, i, i, 1.0, block, m)


@inner
def _touches(x: Floats, touch: Contacts, given: Floats, spot: MatrixLayout, m: Floats) -> None:
    d = x.shape[1]
    slope = np.empty(4 * d)
    for t in range(len(touch.radius)):
        if contact_slope(x, touch, t, slope) <= given[t] + JUST * touch.radius[t]:
            _rank_one(spot, touch.ends[t], 4, slope.reshape(4, d), touch.stiffness[t], m)


@inner
def _grips(x: Floats, gripped: Ints, grips: Floats, spot: MatrixLayout, m: Floats) -> None:
    """The stiffness k where friction sticks; where it slips, what turns its direction."""
    d = x.shape[1]
    away, block = np.empty(d), np.empty((d, d))
    for g in range(len(gripped)):
        held, k = grips[g, 4], grips[g, 5]
        if held == 0.0:
            continue
        far = slip_force(x, gripped[g], grips[g], away)
        sticks = k * far <= held
        soft = grips[g, 6]
        across = k if sticks else (held + soft * (far - held / k)) / far
        for c in range(d):
            for h in range(d):
                block[c, h] = across * grips[g, 7 + c * d + h]
                if not sticks:
                    block[c, h] += (soft - across) * away[c] * away[h] / (far * far)
        for a in range(4):
            for b in range(a + 1):
                share = grips[g, a] * grips[g, b]
                if share != 0.0:
                    _block(spot, gripped[g, a], gripped[g, b], share, block, m)
