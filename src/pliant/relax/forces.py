"""Residual forces, effective stiffness and energy of a mechanism, element by element.

    R_i = Σ k_j (l_j − l₀j) n_j + F_i                                     eq. 1
    S_i = Σ k_j abs(n_j)                                                  eq. 2

Source: [Lipson2006] eqs 1 and 2, Table 2.
Differs: a stretched link is stiff across itself too, which eq. 2 leaves out: with
τ = max(0, 1 − l₀/l) a link adds k [(1 − τ) abs(n) + τ], eq. 2 where nothing is stretched, which
keeps α < 1/√D safe where strings and springs carry a load. Elements of more than two nodes add
the sums of the absolute rows of their stiffness, which bounds it.
"""

from __future__ import annotations

import numpy as np

from pliant.core.kernel import kernel
from pliant.relax.guiding import project
from pliant.relax.laws import BAR, force, stored, tangent
from pliant.relax.measures import couple
from pliant.relax.network import FIXED, FREE, Floats, Ints, Parts, State
from pliant.relax.touching import contact_forces, stick


@kernel
def evaluate(
    state: State, parts: Parts, r: Floats, s: Floats, push: Floats, grip: Floats
) -> float:
    """Forces r (N, D) and stiffness s (N, D) on every node; the energy.

    `push` (N, D) gets what contacts push with, and `grip` (N,) what friction can hold.
    """
    energy = others(state, parts, r, s, push, grip)
    return energy + link_forces(
        state.x, state.rest, state.carried, parts.ends, parts.stiffness, parts.laws, parts.bands, r, s
    )


@kernel
def others(state: State, parts: Parts, r: Floats, s: Floats, push: Floats, grip: Floats) -> float:
    """The same without the links."""
    energy = 0.0
    for i in range(len(r)):
        for c in range(r.shape[1]):
            r[i, c] = state.loads[i, c]
            s[i, c] = 0.0
            energy -= state.loads[i, c] * state.x[i, c]
    if len(parts.rails) + len(parts.coupling_laws) + len(parts.field_power) > 0:
        energy += _rails(state, parts, r, s)
        energy += _couplings(state, parts, r, s)
        energy += _fields(state, parts, r, s)
    if len(parts.touch.radius) > 0:
        energy += contact_forces(state.x, parts.touch, r, s, push, grip)
    return energy


@kernel
def link_forces(
    x: Floats, rest: Floats, carried: Floats, ends: Ints, stiffness: Floats, laws: Ints, bands: Floats,
    r: Floats, s: Floats,
) -> float:  # fmt: skip
    """Add what the links do to r and s; their energy.

    Arrays, not the tuples that hold them: this is called every iteration, and each array of a tuple
    that is passed costs as much as a link.
    """
    d, energy = x.shape[1], 0.0
    for e in range(len(ends)):
        i, j = ends[e, 0], ends[e, 1]
        p, q = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1]
        z = x[j, 2] - x[i, 2] if d == 3 else 0.0
        length = np.sqrt(p * p + q * q + z * z)
        if length == 0.0:
            continue  # no direction: other elements, or the noise, move its ends apart
        over, k = length - rest[e], stiffness[e]
        if laws[e] == BAR:
            f = k * over
            energy += 0.5 * f * over
        else:
            f = force(laws[e], k, bands[e], over)
            energy += stored(laws[e], k, bands[e], over)
            k = tangent(laws[e], k, bands[e], over)
        energy += carried[e] * over
        per = (f + carried[e]) / length
        across = max(per, 0.0)
        along = max(k - across, 0.0) / length
        r[i, 0] += per * p
        r[i, 1] += per * q
        r[j, 0] -= per * p
        r[j, 1] -= per * q
        sx, sy = along * abs(p) + across, along * abs(q) + across
        s[i, 0] += sx
        s[i, 1] += sy
        s[j, 0] += sx
        s[j, 1] += sy
        if d == 3:
            r[i, 2] += per * z
            r[j, 2] -= per * z
            sz = along * abs(z) + across
            s[i, 2] += sz
            s[j, 2] += sz
    return energy


@kernel
def rail(x: Floats, parts: Parts, q: int, away: Floats) -> tuple[float, float]:
    """How far along its line the node of rail q is, from 0 to 1 between the two, and how far `away`."""
    p, a, b = parts.rails[q, 0], parts.rails[q, 1], parts.rails[q, 2]
    dot = square = 0.0
    for c in range(x.shape[1]):
        dot += (x[p, c] - x[a, c]) * (x[b, c] - x[a, c])
        square += (x[b, c] - x[a, c]) ** 2
    at = dot / square if square > 0.0 else 0.0
    far = 0.0
    for c in range(x.shape[1]):
        away[c] = x[p, c] - x[a, c] - at * (x[b, c] - x[a, c])
        far += away[c] * away[c]
    return at, np.sqrt(far)


@kernel
def _rails(state: State, parts: Parts, r: Floats, s: Floats) -> float:
    """A node and the line through two others: the nearest point of the line shares the force."""
    d = state.x.shape[1]
    away = np.empty(d)
    energy = 0.0
    for q in range(len(parts.rails)):
        at, far = rail(state.x, parts, q, away)
        law, k, a = parts.rail_laws[q], parts.rail_stiffness[q], parts.rail_bands[q]
        over = far - parts.rail_rest[q]
        energy += stored(law, k, a, over)
        f, rate = force(law, k, a, over), tangent(law, k, a, over)
        whole = 1.0 + abs(1.0 - at) + abs(at)
        for g in range(3):
            share = 1.0 if g == 0 else (at - 1.0 if g == 1 else -at)
            node = parts.rails[q, g]
            for c in range(d):
                if far > 0.0:
                    r[node, c] -= f * share * away[c] / far
                s[node, c] += rate * abs(share) * whole
    return energy


@kernel
def _couplings(state: State, parts: Parts, r: Floats, s: Floats) -> float:
    d = state.x.shape[1]
    most = 0
    for c in range(len(parts.coupling_laws)):
        most = max(most, parts.firsts[c + 1] - parts.firsts[c])
    slope, nodes = np.empty((4 * most, d)), np.empty(4 * most, np.int64)
    energy = 0.0
    for c in range(len(parts.coupling_laws)):
        count = 4 * (parts.firsts[c + 1] - parts.firsts[c])
        over = couple(state.x, parts, c, state.turned, slope, nodes) - state.goal[c]
        law, k, a = parts.coupling_laws[c], parts.coupling_stiffness[c], parts.coupling_bands[c]
        f = force(law, k, a, over) + state.coupling_carried[c]
        energy += stored(law, k, a, over) + state.coupling_carried[c] * over
        whole = np.abs(slope[:count]).sum() * tangent(law, k, a, over)
        for g in range(count):
            for h in range(d):
                r[nodes[g], h] -= f * slope[g, h]
                s[nodes[g], h] += whole * abs(slope[g, h])
    return energy


@kernel
def _fields(state: State, parts: Parts, r: Floats, s: Floats) -> float:
    """Strength · mass · distance^power towards a point, with its potential."""
    x, d = state.x, state.x.shape[1]
    energy = 0.0
    for g in range(len(parts.field_power)):
        power = parts.field_power[g]
        for i in range(len(x)):
            far = 0.0
            for c in range(d):
                far += (parts.field_at[g, c] - x[i, c]) ** 2
            far = np.sqrt(far)
            if far == 0.0 or parts.masses[i] == 0.0:
                continue
            pull = parts.field_strength[g] * parts.masses[i]
            f = pull * far**power
            energy += pull * (np.log(far) if power == -1.0 else far ** (power + 1.0) / (power + 1.0))
            for c in range(d):
                r[i, c] += f * (parts.field_at[g, c] - x[i, c]) / far
                s[i, c] += abs(f) / far * max(1.0, abs(power))
    return energy


@kernel
def restrain(parts: Parts, i: int, x: Floats, r: Floats, push: Floats, grip: float) -> None:
    """Take from the force r (D,) on node i what its guide and the friction there hold."""
    if parts.guides[i] != FREE:
        if parts.guides[i] == FIXED:
            r[:] = 0.0
            return
        mu = parts.guide_friction[i]
        whole = r.copy() if mu > 0.0 else r
        project(parts, i, x, r)
        if mu > 0.0:
            normal = whole - r
            pressure = np.sqrt((normal * normal).sum())
            if pressure > 0.0:
                stick(r, normal / pressure, pressure, mu)
    if grip > 0.0:
        pressure = np.sqrt((push * push).sum())
        if pressure > 0.0:
            stick(r, push / pressure, 1.0, grip)
