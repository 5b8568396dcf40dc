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

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, inner_shared, kernel
from pliant.relax.mechanics.guides import project
from pliant.relax.mechanics.segment_contact import apply_friction, contact_forces
from pliant.relax.network.elements import FREE, Couplings, Elements, Fields, Guides, Rails, State
from pliant.relax.network.laws import BAR, force, stored_energy, tangent
from pliant.relax.network.measures import couple


@inner
def evaluate(state: State, parts: Elements, r: Floats, s: Floats, push: Floats, grip: Floats) -> float:
    """Residual force r (N, D) and effective stiffness s (N, D) of every node; the energy.

    `push` (N, D) gets what contacts push with, and `grip` (N,) what friction can hold.
    """
    energy, links = others(state, parts, r, s, push, grip), parts.links
    return energy + link_forces(
        state.x, state.rest, links.ends, links.stiffness, links.laws, links.bands, r, s
    )


@kernel
def forces_and_energy(state: State, parts: Elements) -> tuple[Floats, float]:
    """Force on every node (N, D) from all but ground and guides, and the energy."""
    n, d = state.x.shape
    r, s, push, grip = np.empty((n, d)), np.empty((n, d)), np.zeros((n, d)), np.zeros(n)
    energy = evaluate(state, parts, r, s, push, grip)
    return r, energy


@inner_shared
def others(state: State, parts: Elements, r: Floats, s: Floats, push: Floats, grip: Floats) -> float:
    """Force, stiffness and energy of all elements but links."""
    energy, x, loads = 0.0, state.x, state.loads
    for i in range(len(r)):
        for c in range(r.shape[1]):
            r[i, c] = loads[i, c]
            s[i, c] = 0.0
            energy -= loads[i, c] * x[i, c]
    rails, couplings, fields, touch = parts.rails, parts.couplings, parts.fields, parts.touch
    if len(rails.nodes) + len(couplings.laws) + len(fields.power) > 0:
        energy += _rails(x, rails, state.rail_given, r, s)
        energy += _couplings(x, couplings, state.goal, state.turned, r, s)
        energy += _fields(x, fields, r, s)
    if len(touch.radius) > 0:
        energy += contact_forces(x, touch, state.touch_given, r, s, push, grip)
    if len(state.gripped) > 0:
        energy += _grips(x, state.gripped, state.grips, r, s)
    return energy


@inner_shared
def link_forces(
    x: Floats, rest: Floats, ends: Ints, stiffness: Floats, laws: Ints, bands: Floats,
    r: Floats, s: Floats,
) -> float:  # fmt: skip
    """Add the links' forces to r and stiffness to s; their energy.

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
            energy += stored_energy(laws[e], k, bands[e], over)
            k = tangent(laws[e], k, bands[e], over)
        per = f / length
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


@inner
def rail(x: Floats, rails: Rails, q: int, away: Floats) -> tuple[float, float]:
    """Position of rail q's node along its line, 0 to 1 between the two nodes, and its offset `away`."""
    p, a, b = rails.nodes[q, 0], rails.nodes[q, 1], rails.nodes[q, 2]
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


@inner
def rail_pull(x: Floats, rails: Rails, given: Floats, q: int, away: Floats) -> tuple[float, float, float]:
    """The same of a rail as it is strained, with what is given in; and its elongation.

    On its line a node is taken to be further `away` by the part of `given` (Q, D) that is across the line.
    A node that is kept out is taken to be nearer, by the first number.
    """
    at, far = rail(x, rails, q, away)
    if rails.laws[q] != BAR:
        return at, far, far - rails.rest[q] - given[q, 0]
    a, b, d = rails.nodes[q, 1], rails.nodes[q, 2], x.shape[1]
    dot = square = 0.0
    for c in range(d):
        dot += given[q, c] * (x[b, c] - x[a, c])
        square += (x[b, c] - x[a, c]) ** 2
    along = dot / square if square > 0.0 else 0.0
    far = 0.0
    for c in range(d):
        away[c] += given[q, c] - along * (x[b, c] - x[a, c])
        far += away[c] * away[c]
    far = np.sqrt(far)
    return at, far, far - rails.rest[q]


@inner
def _rails(x: Floats, rails: Rails, given: Floats, r: Floats, s: Floats) -> float:
    """A node and the line through two others: the nearest point of the line shares the force."""
    d = x.shape[1]
    away, energy = np.empty(d), 0.0
    for q in range(len(rails.nodes)):
        at, far, over = rail_pull(x, rails, given, q, away)
        law, k, a = rails.laws[q], rails.stiffness[q], rails.bands[q]
        energy += stored_energy(law, k, a, over)
        f, rate = force(law, k, a, over), tangent(law, k, a, over)
        whole = 1.0 + abs(1.0 - at) + abs(at)
        for g in range(3):
            share = 1.0 if g == 0 else (at - 1.0 if g == 1 else -at)
            node = rails.nodes[q, g]
            for c in range(d):
                if far > 0.0:
                    r[node, c] -= f * share * away[c] / far
                s[node, c] += rate * abs(share) * whole
    return energy


@inner
def most_measures(couplings: Couplings) -> int:
    """Largest number of measures of a coupling."""
    most = 0
    for c in range(len(couplings.laws)):
        most = max(most, couplings.firsts[c + 1] - couplings.firsts[c])
    return most


@inner
def _couplings(x: Floats, couplings: Couplings, goal: Floats, turned: Floats, r: Floats, s: Floats) -> float:
    d, most = x.shape[1], 4 * most_measures(couplings)
    slope, nodes, energy = np.empty((most, d)), np.empty(most, np.int64), 0.0
    for c in range(len(couplings.laws)):
        count = 4 * (couplings.firsts[c + 1] - couplings.firsts[c])
        over = couple(x, couplings, c, turned, slope, nodes) - goal[c]
        law, k, a = couplings.laws[c], couplings.stiffness[c], couplings.bands[c]
        f = force(law, k, a, over)
        energy += stored_energy(law, k, a, over)
        whole = 0.0
        for g in range(count):
            for h in range(d):
                whole += abs(slope[g, h])
        whole *= tangent(law, k, a, over)
        for g in range(count):
            for h in range(d):
                r[nodes[g], h] -= f * slope[g, h]
                s[nodes[g], h] += whole * abs(slope[g, h])
    return energy


@inner
def _fields(x: Floats, fields: Fields, r: Floats, s: Floats) -> float:
    """Strength · mass · distance^power towards a point, with its potential."""
    d, energy = x.shape[1], 0.0
    for g in range(len(fields.power)):
        power = fields.power[g]
        for i in range(len(x)):
            far = 0.0
            for c in range(d):
                far += (fields.at[g, c] - x[i, c]) ** 2
            far = np.sqrt(far)
            if far == 0.0 or fields.masses[i] == 0.0:
                continue
            pull = fields.strength[g] * fields.masses[i]
            f = pull * far**power
            energy += pull * (np.log(far) if power == -1.0 else far ** (power + 1.0) / (power + 1.0))
            for c in range(d):
                r[i, c] += f * (fields.at[g, c] - x[i, c]) / far
                s[i, c] += abs(f) / far * max(1.0, abs(power))
    return energy


@inner
def slip_force(x: Floats, nodes: Ints, row: Floats, out: Floats) -> float:
    """Slip vector of a friction row less its lead, into `out` (D,); its length.

    P (Σ w x − anchor) + lead, with the numbers of the row as `friction` has them.
    """
    d, far = len(out), 0.0
    for c in range(d):
        out[c] = row[7 + d * d + d + c]
    for h in range(d):
        moved = -row[7 + d * d + h]
        for a in range(4):
            moved += row[a] * x[nodes[a], h]
        for c in range(d):
            out[c] += row[7 + c * d + h] * moved
    for c in range(d):
        far += out[c] * out[c]
    return np.sqrt(far)


@inner
def _grips(x: Floats, gripped: Ints, grips: Floats, r: Floats, s: Floats) -> float:
    """Friction forces: k times the slip, limited by what friction can hold."""
    d, energy = x.shape[1], 0.0
    away = np.empty(d)
    for g in range(len(gripped)):
        held, k = grips[g, 4], grips[g, 5]
        if held == 0.0:
            continue
        far, whole = slip_force(x, gripped[g], grips[g], away), 0.0
        sticks = k * far <= held
        more, soft = 0.0 if sticks else far - held / k, grips[g, 6]
        energy += 0.5 * k * far * far if sticks else held * (far - 0.5 * held / k) + 0.5 * soft * more * more
        pull = k if sticks else (held + soft * more) / far
        for a in range(4):
            whole += abs(grips[g, a])
        for a in range(4):
            for c in range(d):
                r[gripped[g, a], c] -= pull * grips[g, a] * away[c]
                s[gripped[g, a], c] += pull * abs(grips[g, a]) * whole
    return energy


@inner_shared
def restrain(guides: Guides, i: int, place: Floats, r: Floats, push: Floats, grip: float) -> None:
    """Remove from the force r (D,) on node i what its guide and the friction there take."""
    d = len(r)
    normal = np.empty(d)
    if guides.kinds[i] != FREE:
        for c in range(d):
            normal[c] = r[c]
        project(guides, i, place, r)
        if guides.friction[i] > 0.0:
            for c in range(d):
                normal[c] -= r[c]
            _stick(r, normal, guides.friction[i], True)
    if grip > 0.0:
        for c in range(d):
            normal[c] = push[c]
        _stick(r, normal, grip, False)


@inner
def _stick(r: Floats, normal: Floats, hold: float, share: bool) -> None:
    """Friction against a pressing force `normal`: `hold` is what it holds, or the share of the pressure."""
    square = 0.0
    for c in range(len(r)):
        square += normal[c] * normal[c]
    pressure = np.sqrt(square)
    if pressure > 0.0:
        for c in range(len(r)):
            normal[c] /= pressure
        apply_friction(r, normal, pressure if share else 1.0, hold)
