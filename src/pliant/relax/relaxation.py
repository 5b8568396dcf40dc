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

from pliant.core.kernel import kernel
from pliant.relax.forces import evaluate, others, restrain
from pliant.relax.guiding import hold
from pliant.relax.laws import BAR, force, tangent
from pliant.relax.measures import measure_angles
from pliant.relax.network import FIXED, FREE, Floats, Ints, Parts, State
from pliant.relax.touching import Touch, room

CUT, MEND, LOWEST = 0.7, 1.02, 0.02  # of α at a node that flips to and fro, at one that does not, at least


class Knobs(NamedTuple):
    """How displacements are made of forces."""

    alpha: Floats  # (N,)
    eta: Floats  # (N,)
    fall: float  # α ends at this share of itself, as residuals fall to the tolerance
    calm: bool
    average: float  # share of the last stiffness in the next
    least: float  # S_min
    cap: float  # Δ_max
    noise: float  # of displacements, at first
    fading: float  # iterations over which the noise dies away


class Work(NamedTuple):
    """Arrays that iterations hand on to each other."""

    moved: Floats  # (N, D) the last displacement
    stiff: Floats  # (N, D) the last stiffness
    felt: Floats  # (N, D) the last residual
    share: Floats  # (N,) of α left at each node
    extra: Floats  # (N, D) forces of elements that are not compiled; none where there are none
    extra_stiff: Floats  # (N, D)


class Leg(NamedTuple):
    """What the drive goes from and to."""

    rest: Floats  # (2, E)
    goal: Floats  # (2, C)
    loads: Floats  # (2, N, D)


def work(nodes: int, dimension: int, extra: bool = False) -> Work:
    """Arrays for a mechanism that has not moved yet."""
    shape, more = (nodes, dimension), (nodes if extra else 0, dimension)
    moved, stiff, felt = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    return Work(moved, stiff, felt, np.ones(nodes), np.zeros(more), np.zeros(more))


@kernel
def sweeps(
    sync: bool, state: State, parts: Parts, knobs: Knobs, leg: Leg, first: float, last: float, done: int,
    tolerance: float, work: Work, residuals: Floats,
) -> int:  # fmt: skip
    """Iterations of a leg from the share `first` of it to `last`, one for each of `residuals`, filled.

    Stops early where the residual is below the tolerance; how many were made. `done` is how many
    went before, by which the noise fades.
    """
    count, d = len(residuals), state.x.shape[1]
    n = len(state.x)
    r, s, push = np.empty((n, d)), np.empty((n, d)), np.zeros((n, d))
    grip, caps, start = np.zeros(n), np.empty(n), -1.0
    for t in range(count):
        if t == 0 or first != last:
            _aim(state, leg, first + (last - first) * (t + 1.0) / count)
        _caps(state.x, parts.touch, knobs.cap, caps)
        fall = 1.0
        if t > 0 and knobs.fall < 1.0:
            fall = _fallen(residuals[t - 1], start, tolerance, knobs.fall)
        if sync:
            evaluate(state, parts, r, s, push, grip)
            _add(work, r, s)
            worst = _all_move(state, parts, knobs, fall, caps, work, r, s, push, grip)
        else:
            others(state, parts, r, s, push, grip)
            _add(work, r, s)
            worst = _each_moves(state, parts, knobs, fall, caps, work, r, s, push, grip)
        fade = knobs.noise * max(0.0, 1.0 - (done + t) / max(knobs.fading, 1.0))
        if fade > 0.0:
            shake(state, parts, fade)
        if len(state.turned) > 0:
            measure_angles(state.x, parts.couplings, state.turned)
        residuals[t] = worst
        start = max(start, worst)
        if worst <= tolerance and fade == 0.0:
            return t + 1
    return count


@kernel
def _add(work: Work, r: Floats, s: Floats) -> None:
    """What elements that are not compiled add."""
    for i in range(len(work.extra)):
        for c in range(r.shape[1]):
            r[i, c] += work.extra[i, c]
            s[i, c] += work.extra_stiff[i, c]


@kernel
def _caps(x: Floats, touch: Touch, cap: float, caps: Floats) -> None:
    """How far each node may go."""
    for i in range(len(caps)):
        caps[i] = cap
    if len(touch.radius) > 0:
        room(x, touch, caps)


@kernel
def _aim(state: State, leg: Leg, share: float) -> None:
    for e in range(len(state.rest)):
        state.rest[e] = leg.rest[0, e] + share * (leg.rest[1, e] - leg.rest[0, e])
    for c in range(len(state.goal)):
        state.goal[c] = leg.goal[0, c] + share * (leg.goal[1, c] - leg.goal[0, c])
    for i in range(len(state.loads)):
        for c in range(state.loads.shape[1]):
            state.loads[i, c] = leg.loads[0, i, c] + share * (leg.loads[1, i, c] - leg.loads[0, i, c])


@kernel
def _fallen(worst: float, start: float, tolerance: float, fall: float) -> float:
    """The share of α left: 1 at the largest residual, `fall` at the tolerance, even in the logarithm."""
    if worst <= tolerance or start <= tolerance:
        return fall
    return fall ** (1.0 - np.log(worst / tolerance) / np.log(start / tolerance))


@kernel
def _all_move(
    state: State, parts: Parts, knobs: Knobs, fall: float, caps: Floats, work: Work,
    r: Floats, s: Floats, push: Floats, grip: Floats,
) -> float:  # fmt: skip
    """The synchronous update; the largest residual."""
    worst = 0.0
    for i in range(len(r)):
        if parts.guides.kinds[i] == FIXED:
            continue
        if parts.guides.kinds[i] != FREE or grip[i] > 0.0:
            restrain(parts.guides, i, state.x[i], r[i], push[i], grip[i])
        if knobs.calm or knobs.average > 0.0:
            _steady(knobs.calm, knobs.average, r[i], s[i], work.felt[i], work.share[i : i + 1], work.stiff[i])
        alpha = knobs.alpha[i] * fall * work.share[i]
        worst = max(worst, _displace(r[i], s[i], alpha, knobs.eta[i], knobs.least, caps[i], work.moved[i]))
    for i in range(len(r)):
        if parts.guides.kinds[i] != FIXED:
            for c in range(r.shape[1]):
                state.x[i, c] += work.moved[i, c]
            if parts.guides.kinds[i] != FREE:
                hold(parts.guides, i, state.x)
    return worst


@kernel
def _each_moves(
    state: State, parts: Parts, knobs: Knobs, fall: float, caps: Floats, work: Work,
    r: Floats, s: Floats, push: Floats, grip: Floats,
) -> float:  # fmt: skip
    """The asynchronous update; the largest residual."""
    worst = 0.0
    for i in range(len(r)):
        if parts.guides.kinds[i] == FIXED:
            continue
        star = parts.links.star[parts.links.starts[i] : parts.links.starts[i + 1]]
        _gather(
            state.x,
            i,
            star,
            parts.links.ends,
            state.rest,
            parts.links.stiffness,
            parts.links.laws,
            parts.links.bands,
            r[i],
            s[i],
        )
        if parts.guides.kinds[i] != FREE or grip[i] > 0.0:
            restrain(parts.guides, i, state.x[i], r[i], push[i], grip[i])
        if knobs.calm or knobs.average > 0.0:
            _steady(knobs.calm, knobs.average, r[i], s[i], work.felt[i], work.share[i : i + 1], work.stiff[i])
        alpha = knobs.alpha[i] * fall * work.share[i]
        worst = max(worst, _displace(r[i], s[i], alpha, knobs.eta[i], knobs.least, caps[i], work.moved[i]))
        for c in range(r.shape[1]):
            state.x[i, c] += work.moved[i, c]
        if parts.guides.kinds[i] != FREE:
            hold(parts.guides, i, state.x)
    return worst


@kernel
def _gather(
    x: Floats, i: int, star: Ints, ends: Ints, rest: Floats, stiffness: Floats, laws: Ints, bands: Floats,
    r: Floats, s: Floats,
) -> None:  # fmt: skip
    """Add what the links of node i do to it."""
    d = x.shape[1]
    for e in star:
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
        r[0] += f * p
        r[1] += f * q
        s[0] += along * abs(p) + across
        s[1] += along * abs(q) + across
        if d == 3:
            r[2] += f * z
            s[2] += along * abs(z) + across


@kernel
def _steady(
    calm: bool, average: float, r: Floats, s: Floats, felt: Floats, share: Floats, stiff: Floats
) -> None:
    """Cut α at a node whose residual turns round, and average its stiffness with the last."""
    if calm:
        along = 0.0
        for c in range(len(r)):
            along += r[c] * felt[c]
            felt[c] = r[c]
        share[0] = max(CUT * share[0], LOWEST) if along < 0.0 else min(MEND * share[0], 1.0)
    if average > 0.0:
        for c in range(len(s)):
            if stiff[c] > 0.0:
                s[c] = average * stiff[c] + (1.0 - average) * s[c]
            stiff[c] = s[c]


@kernel
def _displace(
    r: Floats, s: Floats, alpha: float, eta: float, least: float, cap: float, moved: Floats
) -> float:
    """Eqs 3 and 6 with the cap; the length of the residual."""
    square = far = 0.0
    for c in range(len(r)):
        square += r[c] * r[c]
        moved[c] = eta * alpha * r[c] / max(s[c], least) + (1.0 - eta) * moved[c]
        far += moved[c] * moved[c]
    if far > cap * cap:
        for c in range(len(r)):
            moved[c] *= cap / np.sqrt(far)
    return np.sqrt(square)


@kernel
def shake(state: State, parts: Parts, size: float) -> None:
    """Move every node by up to so much, any way."""
    for i in range(len(state.x)):
        if parts.guides.kinds[i] != FIXED:
            for c in range(state.x.shape[1]):
                state.x[i, c] += size * (2.0 * np.random.random() - 1.0)
            if parts.guides.kinds[i] != FREE:
                hold(parts.guides, i, state.x)


@kernel
def seed(number: int) -> None:
    """Start the noise of compiled loops anew."""
    np.random.seed(number)


@kernel
def accelerate(
    state: State, parts: Parts, knobs: Knobs, tolerance: float, age: int, work: Work, residuals: Floats
) -> tuple[int, int]:
    """Iterations at one place of the drive, until the residual is small; how many, and the age."""
    n, d = state.x.shape
    r, s, push = np.empty((n, d)), np.empty((n, d)), np.zeros((n, d))
    grip, caps = np.zeros(n), np.empty(n)
    for t in range(len(residuals)):
        evaluate(state, parts, r, s, push, grip)
        _add(work, r, s)
        _caps(state.x, parts.touch, knobs.cap, caps)
        worst = along = 0.0
        for i in range(n):
            if parts.guides.kinds[i] != FREE or grip[i] > 0.0:
                restrain(parts.guides, i, state.x[i], r[i], push[i], grip[i])
            square = 0.0
            for c in range(d):
                square += r[i, c] * r[i, c]
                along += r[i, c] * work.moved[i, c]
            worst = max(worst, square)
        residuals[t] = np.sqrt(worst)
        if residuals[t] <= tolerance:
            return t + 1, age
        age = 0 if along < 0.0 else age + 1
        keep = (age - 1.0) / (age + 2.0) if age > 0 else 0.0
        for i in range(n):
            if parts.guides.kinds[i] == FIXED:
                continue
            far, still = 0.0, True
            for c in range(d):
                still = still and r[i, c] == 0.0
            for c in range(d):
                step = knobs.alpha[i] * r[i, c] / max(s[i, c], knobs.least)
                # What friction holds does not coast.
                work.moved[i, c] = step + (0.0 if still and grip[i] > 0.0 else keep * work.moved[i, c])
                far += work.moved[i, c] ** 2
            if far > caps[i] * caps[i]:
                for c in range(d):
                    work.moved[i, c] *= caps[i] / np.sqrt(far)
            for c in range(d):
                state.x[i, c] += work.moved[i, c]
            if parts.guides.kinds[i] != FREE:
                hold(parts.guides, i, state.x)
        measure_angles(state.x, parts.couplings, state.turned)
    return len(residuals), age
