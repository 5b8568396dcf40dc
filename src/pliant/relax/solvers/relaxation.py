"""The paper's relaxation, as published: forces, effective stiffness, displacement, update.

    Δ_i = α R_i / S_i, capped, S_i at least S_min                         eqs 2, 3
    x_i ← x_i + Δ_i, nodes on the ground excepted                          eq. 4
    Δ_i ← η α R_i / S_i + (1 − η) Δ_i                                     eq. 6

`sweeps` makes the two updates of Fig. 1: synchronous (all forces, then all displacements) and
asynchronous (each node moves before the next one looks). `accelerate` is eq. 6 with a momentum that
grows with age, (t − 1)/(t + 2), and starts anew where it goes uphill.

Source: [Lipson2006] eqs 2 to 4 and 6, Fig. 1.
Differs: in the asynchronous update links are looked at node by node, elements of more nodes once
an iteration. The paper's η is constant; that of `accelerate` is Nesterov's sequence with restart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel
from pliant.relax.mechanics.forces import link_forces, others, restrain
from pliant.relax.mechanics.guides import hold_nodes
from pliant.relax.mechanics.segment_contact import limit_displacements
from pliant.relax.network.elements import FIXED, FREE, Contacts, Elements, Guides, State
from pliant.relax.network.laws import BAR, force, tangent
from pliant.relax.network.measures import measure_angles

CUT, MEND, LOWEST = 0.7, 1.02, 0.02  # of α at a node that flips to and fro, at one that does not, at least


class Factors(NamedTuple):
    """Update factors α, η, S_min and caps."""

    alpha: Floats  # (N,)
    eta: Floats  # (N,)
    fall: float  # α ends at this share of itself, as residuals fall to the tolerance
    calm: bool
    average: float  # share of the last stiffness in the next
    least: float  # S_min
    cap: float  # Δ_max
    noise: float  # of displacements, at first
    fading: float  # iterations over which the noise dies away
    seed: int


class SweepBuffers(NamedTuple):
    """Work arrays of the iterations."""

    moved: Floats  # (N, D) the last displacement
    stiff: Floats  # (N, D) the last stiffness
    felt: Floats  # (N, D) the last residual
    share: Floats  # (N,) of α left at each node
    extra: Floats  # (N, D) forces of elements that are not compiled; none where there are none
    extra_stiff: Floats  # (N, D)


class DriveLeg(NamedTuple):
    """Start and end values of one leg of the drive."""

    rest: Floats  # (2, E)
    goal: Floats  # (2, C)
    loads: Floats  # (2, N, D)


def sweep_buffers(nodes: int, dimension: int, extra: bool = False) -> SweepBuffers:
    """Arrays for a mechanism that has not moved yet."""
    shape, more = (nodes, dimension), (nodes if extra else 0, dimension)
    moved, stiff, felt = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    return SweepBuffers(moved, stiff, felt, np.ones(nodes), np.zeros(more), np.zeros(more))


@kernel
def sweeps(  # noqa: PLR0912  one loop: tuples that are handed on cost as much as the work
    sync: bool, state: State, parts: Elements, knobs: Factors, leg: DriveLeg, first: float, last: float,
    done: int, tolerance: float, work: SweepBuffers, residuals: Floats,
) -> int:  # fmt: skip
    """Iterations of a leg from the share `first` of it to `last`, one for each of `residuals`, filled.

    Stops early where the residual is below the tolerance; how many were made. `done` is how many
    went before, by which the noise fades.
    """
    x, links, guides, touch = state.x, parts.links, parts.guides, parts.touch
    count, (n, d) = len(residuals), x.shape
    r, s, push = np.empty((n, d)), np.empty((n, d)), np.zeros((n, d))
    grip, caps, start = np.zeros(n), np.full(n, knobs.cap), -1.0
    held = _has_reactions(parts)
    for t in range(count):
        if t == 0 or first != last:
            _aim(state, leg, first + (last - first) * (t + 1.0) / count)
        if len(touch.radius) > 0:
            _caps(x, touch, knobs.cap, caps)
        fall = 1.0
        if t > 0 and knobs.fall < 1.0:
            fall = _damping_share(residuals[t - 1], start, tolerance, knobs.fall)
        if _has_links_only(parts):
            _begin(state.loads, r, s)
        else:
            others(state, parts, r, s, push, grip)
        if len(work.extra) > 0:
            _add(work, r, s)
        if sync:
            link_forces(
                x, state.rest, links.ends, links.stiffness, links.laws, links.bands, r, s,
            )  # fmt: skip
            if held:
                _restrain(x, guides, r, push, grip)
            if knobs.calm or knobs.average > 0.0:
                _damp_oscillation(knobs.calm, knobs.average, r, s, work.felt, work.share, work.stiff)
            worst = _displace(
                x, guides.kinds, knobs.alpha, fall, work.share, knobs.eta, knobs.least, caps,
                work.moved, r, s,
            )  # fmt: skip
            if held:
                _hold(x, guides)
        else:
            worst = _each_moves(state, parts, knobs, fall, caps, work, r, s, push, grip)
        fade = knobs.noise * max(0.0, 1.0 - (done + t) / max(knobs.fading, 1.0))
        if fade > 0.0:
            perturb_nodes(x, guides, fade, knobs.seed, done + t)
        if len(state.turned) > 0:
            measure_angles(x, parts.couplings, state.turned)
        residuals[t] = worst
        start = max(start, worst)
        if worst <= tolerance and fade == 0.0:
            return t + 1
    return count


@inner
def _has_links_only(parts: Elements) -> bool:
    """Whether there are links and nothing else."""
    more = len(parts.rails.nodes) + len(parts.couplings.laws) + len(parts.fields.power)
    return more + len(parts.touch.radius) == 0


@inner
def _has_reactions(parts: Elements) -> bool:
    """Whether anything but the ground keeps nodes from moving: guides, or friction."""
    held = len(parts.touch.radius) > 0
    for kind in parts.guides.kinds:
        held = held or kind not in (FREE, FIXED)
    return held


@inner
def _begin(loads: Floats, r: Floats, s: Floats) -> None:
    for i in range(len(r)):
        for c in range(r.shape[1]):
            r[i, c] = loads[i, c]
            s[i, c] = 0.0


@inner
def _restrain(x: Floats, guides: Guides, r: Floats, push: Floats, grip: Floats) -> None:
    for i in range(len(r)):
        if guides.kinds[i] != FIXED and (guides.kinds[i] != FREE or grip[i] > 0.0):
            restrain(guides, i, x[i], r[i], push[i], grip[i])


@inner
def _hold(x: Floats, guides: Guides) -> None:
    for i in range(len(x)):
        if guides.kinds[i] != FREE and guides.kinds[i] != FIXED:
            hold_nodes(guides, i, x)


@inner
def _add(work: SweepBuffers, r: Floats, s: Floats) -> None:
    """Add forces and stiffness of elements that are not compiled."""
    for i in range(len(work.extra)):
        for c in range(r.shape[1]):
            r[i, c] += work.extra[i, c]
            s[i, c] += work.extra_stiff[i, c]


@inner
def _caps(x: Floats, touch: Contacts, cap: float, caps: Floats) -> None:
    """Largest displacement of each node in an iteration (N,)."""
    for i in range(len(caps)):
        caps[i] = cap
    limit_displacements(x, touch, caps)


@inner
def _aim(state: State, leg: DriveLeg, share: float) -> None:
    for e in range(len(state.rest)):
        state.rest[e] = leg.rest[0, e] + share * (leg.rest[1, e] - leg.rest[0, e])
    for c in range(len(state.goal)):
        state.goal[c] = leg.goal[0, c] + share * (leg.goal[1, c] - leg.goal[0, c])
    for i in range(len(state.loads)):
        for c in range(state.loads.shape[1]):
            state.loads[i, c] = leg.loads[0, i, c] + share * (leg.loads[1, i, c] - leg.loads[0, i, c])


@inner
def _damping_share(worst: float, start: float, tolerance: float, fall: float) -> float:
    """The share of α left: 1 at the largest residual, `fall` at the tolerance, even in the logarithm."""
    if worst <= tolerance or start <= tolerance:
        return fall
    return fall ** (1.0 - np.log(worst / tolerance) / np.log(start / tolerance))


@inner
def _each_moves(
    state: State, parts: Elements, knobs: Factors, fall: float, caps: Floats, work: SweepBuffers,
    r: Floats, s: Floats, push: Floats, grip: Floats,
) -> float:  # fmt: skip
    """The asynchronous update; the largest residual."""
    worst, x, links, kinds, eta = 0.0, state.x, parts.links, parts.guides.kinds, knobs.eta
    for i in range(len(r)):
        if kinds[i] == FIXED:
            continue
        _gather(
            x, i, links.starts, links.star, links.ends, state.rest, links.stiffness, links.laws, links.bands,
            r, s,
        )  # fmt: skip
        if kinds[i] != FREE or grip[i] > 0.0:
            restrain(parts.guides, i, x[i], r[i], push[i], grip[i])
        if knobs.calm or knobs.average > 0.0:
            one = slice(i, i + 1)
            _damp_oscillation(
                knobs.calm, knobs.average, r[one], s[one], work.felt[one], work.share[one], work.stiff[one]
            )
        step = eta[i] * knobs.alpha[i] * fall * work.share[i]
        worst = max(worst, _move(x, i, step, 1.0 - eta[i], knobs.least, caps[i], work.moved, r, s))
        if kinds[i] != FREE:
            hold_nodes(parts.guides, i, x)
    return np.sqrt(worst)


@inner
def _gather(
    x: Floats, i: int, starts: Ints, star: Ints, ends: Ints, rest: Floats, stiffness: Floats, laws: Ints,
    bands: Floats, r: Floats, s: Floats,
) -> None:  # fmt: skip
    """Add the forces and stiffness of its links to node i."""
    d = x.shape[1]
    for at in range(starts[i], starts[i + 1]):
        e = star[at]
        j = ends[e, 1] if ends[e, 0] == i else ends[e, 0]
        p, q = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1]
        z = x[j, 2] - x[i, 2] if d == 3 else 0.0
        length = np.sqrt(p * p + q * q + z * z)
        if length == 0.0:
            continue
        over, law, k, a = length - rest[e], int(laws[e]), float(stiffness[e]), float(bands[e])
        f = k * over if law == BAR else force(law, k, a, over)
        k = k if law == BAR else tangent(law, k, a, over)
        f /= length
        across = max(f, 0.0)
        along = max(k - across, 0.0) / length
        r[i, 0] += f * p
        r[i, 1] += f * q
        s[i, 0] += along * abs(p) + across
        s[i, 1] += along * abs(q) + across
        if d == 3:
            r[i, 2] += f * z
            s[i, 2] += along * abs(z) + across


@inner
def _damp_oscillation(
    calm: bool, average: float, r: Floats, s: Floats, felt: Floats, share: Floats, stiff: Floats
) -> None:
    """Cut α at nodes whose residual turns round, and average their stiffness with the last."""
    for i in range(len(r)):
        along = 0.0
        for c in range(r.shape[1]):
            along += r[i, c] * felt[i, c]
            felt[i, c] = r[i, c]
            if average > 0.0 and stiff[i, c] > 0.0:
                s[i, c] = average * stiff[i, c] + (1.0 - average) * s[i, c]
            stiff[i, c] = s[i, c]
        if calm:
            share[i] = max(CUT * share[i], LOWEST) if along < 0.0 else min(MEND * share[i], 1.0)


@inner
def _displace(
    x: Floats, kinds: Ints, alpha: Floats, fall: float, share: Floats, eta: Floats, least: float,
    caps: Floats, moved: Floats, r: Floats, s: Floats,
) -> float:  # fmt: skip
    """Move all nodes; the length of the largest residual."""
    worst = 0.0
    for i in range(len(r)):
        if kinds[i] != FIXED:
            step = eta[i] * alpha[i] * fall * share[i]
            worst = max(worst, _move(x, i, step, 1.0 - eta[i], least, caps[i], moved, r, s))
    return np.sqrt(worst)


@inner
def _move(
    x: Floats, i: int, step: float, keep: float, least: float, cap: float, moved: Floats, r: Floats, s: Floats
) -> float:
    """Eqs 3, 4 and 6 with the cap, of node i; its residual, squared."""
    square = far = 0.0
    for c in range(r.shape[1]):
        square += r[i, c] * r[i, c]
        moved[i, c] = step * r[i, c] / max(s[i, c], least) + keep * moved[i, c]
        far += moved[i, c] * moved[i, c]
    short = cap / np.sqrt(far) if far > cap * cap else 1.0
    for c in range(r.shape[1]):
        moved[i, c] *= short
        x[i, c] += moved[i, c]
    return square


@kernel
def perturb_nodes(x: Floats, guides: Guides, size: float, seed: int, turn: int) -> None:
    """Move every node by up to so much, any way; the same ways for the same seed and turn."""
    for i in range(len(x)):
        if guides.kinds[i] == FIXED:
            continue
        for c in range(x.shape[1]):
            x[i, c] += size * _random(seed, turn, i * x.shape[1] + c)
        if guides.kinds[i] != FREE:
            hold_nodes(guides, i, x)


@inner
def _random(seed: int, turn: int, count: int) -> float:
    """A number from −1 to 1 that looks like chance."""
    mixed = _mix_bits(_mix_bits(np.uint64(seed), np.uint64(turn)), np.uint64(count))
    return float(mixed >> np.uint64(11)) * 2.0**-52 - 1.0


@inner
def _mix_bits(first: np.uint64, second: np.uint64) -> np.uint64:
    """The bits of two numbers, mixed (Steele, Lea and Flood's way)."""
    mixed = np.uint64(first) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(second) * np.uint64(
        0xD1B54A32D192ED03
    )
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@kernel
def accelerate(
    state: State,
    parts: Elements,
    knobs: Factors,
    tolerance: float,
    age: int,
    work: SweepBuffers,
    residuals: Floats,
) -> tuple[int, int]:
    """Iterations at one place of the drive, until the residual is small; how many, and the age."""
    x, links, guides, touch = state.x, parts.links, parts.guides, parts.touch
    n, d = x.shape
    r, s, push = np.empty((n, d)), np.empty((n, d)), np.zeros((n, d))
    grip, caps, held = np.zeros(n), np.full(n, knobs.cap), _has_reactions(parts)
    for t in range(len(residuals)):
        if _has_links_only(parts):
            _begin(state.loads, r, s)
        else:
            others(state, parts, r, s, push, grip)
        link_forces(
            x, state.rest, links.ends, links.stiffness, links.laws, links.bands, r, s,
        )  # fmt: skip
        if len(work.extra) > 0:
            _add(work, r, s)
        if len(touch.radius) > 0:
            _caps(x, touch, knobs.cap, caps)
        if held:
            _restrain(x, guides, r, push, grip)
        residuals[t], along = _uphill(guides.kinds, r, work.moved)
        if residuals[t] <= tolerance:
            return t + 1, age
        age = 0 if along < 0.0 else age + 1
        keep = (age - 1.0) / (age + 2.0) if age > 0 else 0.0
        _move_with_momentum(
            x, guides.kinds, knobs.alpha, keep, knobs.least, caps, grip, push, work.moved, r, s
        )
        if held:
            _hold(x, guides)
        if len(state.turned) > 0:
            measure_angles(x, parts.couplings, state.turned)
    return len(residuals), age


@inner
def _uphill(kinds: Ints, r: Floats, moved: Floats) -> tuple[float, float]:
    """Largest residual, and the power of the forces along the motion."""
    worst = along = 0.0
    for i in range(len(r)):
        square = 0.0
        if kinds[i] != FIXED:
            for c in range(r.shape[1]):
                square += r[i, c] * r[i, c]
                along += r[i, c] * moved[i, c]
        worst = max(worst, square)
    return np.sqrt(worst), along


@inner
def _move_with_momentum(
    x: Floats, kinds: Ints, alpha: Floats, keep: float, least: float, caps: Floats, grip: Floats,
    push: Floats, moved: Floats, r: Floats, s: Floats,
) -> None:  # fmt: skip
    """Move by the forces and by a share of the last displacement; what friction holds does not coast.

    Nor does anything the way a contact pushes it: it would coast out of it, and fall back from afar.
    """
    for i in range(len(r)):
        if kinds[i] == FIXED:
            continue
        still, out, square = grip[i] > 0.0, 0.0, 0.0
        for c in range(r.shape[1]):
            still = still and r[i, c] == 0.0
            out += moved[i, c] * push[i, c]
            square += push[i, c] * push[i, c]
        if out > 0.0 and square > 0.0:
            for c in range(r.shape[1]):
                moved[i, c] -= out / square * push[i, c]
        _move(x, i, alpha[i], 0.0 if still else keep, least, caps[i], moved, r, s)
