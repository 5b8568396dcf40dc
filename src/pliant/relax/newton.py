"""From relaxation to Newton: (K + λ diag S) Δ = R.

λ → ∞ is the paper's displacement with α = 1/λ, λ → 0 is Newton's method; λ rises where a step
does not bring the energy or the residual down, and falls where it does (Levenberg and Marquardt).
Steps bend round corners (see `bending`), and go straight where that does not help.

Source: [Lipson2006] eqs 1 to 4 for R, S and K; the paper solves nothing together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.core.kernel import kernel
from pliant.relax.bending import bend, distortion, spins
from pliant.relax.forces import evaluate, restrain
from pliant.relax.guiding import hold
from pliant.relax.measures import measure_angles
from pliant.relax.network import FIXED, FREE, Floats, Ints, Parts, State
from pliant.relax.order import Order
from pliant.relax.skyline import factorise, solve
from pliant.relax.stiffness import allow, assemble
from pliant.relax.touching import Touch, room

MOST_LAMBDA = 1e12
ROUNDING = 2.0**-52
SLOW, LEAVE = 3, 20  # steps of little use before the whole stiffness is tried, and without it where it failed
WIDEST = 0.5  # distortion of a step
SMALL = 1e-5  # radians: from here on a straight step is as good, and rounded less


class Limits(NamedTuple):
    """What bounds a step."""

    least: float  # stiffness of a node
    cap: float  # displacement of a node, beside the rotation of its surroundings
    floor: float  # of λ
    bends: bool


class Settled(NamedTuple):
    """How a mechanism came to rest."""

    residual: float  # the largest force left on a node
    steps: int  # factorisations
    distorted: float  # sum of the distortions on the way
    soft: bool  # the whole stiffness is not positive: it gives way
    at_rest: bool


@kernel
def settle(
    state: State, parts: Parts, order: Order, limits: Limits, tolerance: float, most: int, bound: float
) -> Settled:
    """Bring a mechanism to rest in place, in at most so many factorisations and distorting it so far."""
    x, (count, d) = state.x, state.x.shape
    r, s, push = np.zeros((count, d)), np.zeros((count, d)), np.zeros((count, d))
    grip, allowed, m = np.zeros(count), np.zeros((count, d, d)), np.empty(order.rows[-1])
    there, here, step = np.empty((count, d)), np.empty((count, d)), np.empty((count, d))
    right, spin = np.empty((len(order.node), d)), np.empty((count, 3))
    flat, caps = np.empty((len(order.node) * d, 1)), np.empty(count)
    energy, worst = _look(state, parts, r, s, push, grip)
    floor = _floor(x, order.node, s)
    near = 1e-3 * _strength(s, order.node) * limits.cap
    touches = len(parts.touch.radius) > 0
    lam, rise, wide, made, gone, soft, stuck, slow = limits.floor, 4.0, WIDEST, 0, 0.0, False, 0, 0
    whole = worst < near
    while worst > max(tolerance, floor) and made < most and gone <= bound and lam <= MOST_LAMBDA:
        made += 1
        some = allow(x, parts.guides, allowed)
        if not _direction(state, parts, order, limits, allowed, some, whole, lam, r, s, m, flat):
            soft = soft or whole
            lam = max(10.0 * lam, 1e-6 if whole else 1e-12)
            if whole and lam > 1.0:
                whole, slow, lam = False, -LEAVE, limits.floor
            continue
        _spread(order, flat, step)
        spins(x, step, order.edges, spin)
        far = distortion(x, step, spin, order.edges)
        share = min(1.0, wide / far) if far > 0.0 else 1.0
        if touches:
            share = min(share, _fits(x, step, parts.touch, caps))
        far *= share
        turn = _shorten(step, spin, share)
        promised = _promised(order, r, s, step, lam, limits.least)
        _copy(x, here)
        taken, now, worse = False, energy, worst
        for straight in range(2):
            if straight:
                for i in range(count):
                    for c in range(d):
                        there[i, c] = here[i, c] + step[i, c]
            elif limits.bends and not touches and turn > SMALL:
                bend(here, step, spin, order, there, right)
            else:
                continue
            _copy(there, x)
            now, worse = _look(state, parts, r, s, push, grip)
            if np.isfinite(now) and (now < energy - 1e-14 * abs(energy) or worse < worst):
                taken = True
                break
        if taken:
            gone += far
            stuck = stuck + 1 if 0.5 * worst < worse < 1e3 * floor else 0
            slow = slow + 1 if worse > 0.3 * worst else min(slow, 0)
            whole = worse < near or slow >= SLOW or (whole and worse < 0.3 * worst)
            if len(state.turned) > 0:
                measure_angles(x, parts.couplings, state.turned)
            kept = (energy - now) / promised if now < energy else 0.5
            lam = max(lam * max(0.1, 1.0 - (2.0 * kept - 1.0) ** 3) if kept > 0.25 else lam, limits.floor)
            rise, wide = 4.0, min(2.0 * wide, WIDEST)
            energy, worst = now, worse
            if stuck > 6:
                break  # rounding, above what was reckoned with
        else:
            _copy(here, x)
            energy, worst = _look(state, parts, r, s, push, grip)
            lam = max(rise * lam, 1e-10)
            rise *= 2.0
            wide = 0.25 * far
    return Settled(worst, made, gone, soft, worst <= max(tolerance, 4.0 * floor))


@kernel
def _promised(order: Order, r: Floats, s: Floats, step: Floats, lam: float, least: float) -> float:
    """By how much the quadratic model says that a step brings the energy down: ½ Δ·(R + λ S Δ)."""
    total = 0.0
    for i in order.node:
        for c in range(r.shape[1]):
            total += 0.5 * step[i, c] * (r[i, c] + lam * max(s[i, c], least) * step[i, c])
    return max(total, 1e-300)


@kernel
def _copy(source: Floats, target: Floats) -> None:
    for i in range(len(source)):
        for c in range(source.shape[1]):
            target[i, c] = source[i, c]


@kernel
def _shorten(step: Floats, spin: Floats, share: float) -> float:
    """Take a share of a step and its spins; the largest spin."""
    most = 0.0
    for i in range(len(step)):
        for c in range(step.shape[1]):
            step[i, c] *= share
        for c in range(3):
            spin[i, c] *= share
            most = max(most, abs(spin[i, c]))
    return most


@kernel
def _look(
    state: State, parts: Parts, r: Floats, s: Floats, push: Floats, grip: Floats
) -> tuple[float, float]:
    """Nodes back on their guides, and the forces these leave; the energy, and the largest force."""
    kinds = parts.guides.kinds
    for i in range(len(r)):
        if kinds[i] != FREE and kinds[i] != FIXED:
            hold(parts.guides, i, state.x)
    energy = evaluate(state, parts, r, s, push, grip)
    worst = 0.0
    for i in range(len(r)):
        square = 0.0
        if kinds[i] != FREE and kinds[i] != FIXED:
            restrain(parts.guides, i, state.x[i], r[i], push[i], 0.0)
        for c in range(r.shape[1]):
            if kinds[i] == FIXED:
                r[i, c] = 0.0
            square += r[i, c] * r[i, c]
        worst = max(worst, square)
    return energy, np.sqrt(worst)


@kernel
def _direction(
    state: State, parts: Parts, order: Order, limits: Limits, allowed: Floats, some: bool, whole: bool,
    lam: float, r: Floats, s: Floats, m: Floats, flat: Floats,
) -> bool:  # fmt: skip
    """Solve for the step, in `flat`; False where the matrix is not positive."""
    d = r.shape[1]
    assemble(state, parts, order, allowed, whole, m)
    for p in range(len(order.node)):
        i = order.node[p]
        for c in range(d):
            row = p * d + c
            m[order.rows[row + 1] - 1] += lam * max(s[i, c], limits.least)
            flat[row, 0] = r[i, c]
        if some and parts.guides.kinds[i] != FREE:
            stiff = limits.least  # for the directions that are not allowed
            for c in range(d):
                stiff = max(stiff, s[i, c])
            for c in range(d):
                for g in range(c + 1):
                    row = p * d + c
                    part = (1.0 if c == g else 0.0) - allowed[i, c, g]
                    m[order.rows[row] + p * d + g - order.first[row]] += stiff * part
    if not factorise(m, order.first, order.rows):
        return False
    solve(m, order.first, order.rows, flat)
    return True


@kernel
def _spread(order: Order, flat: Floats, step: Floats) -> None:
    d = step.shape[1]
    for i in range(len(step)):
        for c in range(d):
            step[i, c] = 0.0 if order.place[i] < 0 else flat[order.place[i] * d + c, 0]


@kernel
def _fits(x: Floats, step: Floats, touch: Touch, caps: Floats) -> float:
    """The share of a step with which no pair passes through itself."""
    for i in range(len(caps)):
        caps[i] = np.inf
    room(x, touch, caps)
    share = 1.0
    for i in range(len(step)):
        square = 0.0
        for c in range(step.shape[1]):
            square += step[i, c] * step[i, c]
        far = np.sqrt(square)
        if far > caps[i]:
            share = min(share, caps[i] / far)
    return share


@kernel
def _strength(s: Floats, node: Ints) -> float:
    most = 0.0
    for i in node:
        for c in range(s.shape[1]):
            most = max(most, s[i, c])
    return most


@kernel
def _floor(x: Floats, node: Ints, s: Floats) -> float:
    """The residual that rounding leaves: a few units in the last place of the coordinates, times S."""
    most = 0.0
    for i in node:
        for c in range(s.shape[1]):
            most = max(most, abs(x[i, c]))
    return 2.0 * ROUNDING * most * _strength(s, node)


@kernel
def stands(state: State, parts: Parts, order: Order, limits: Limits) -> bool:
    """Whether a mechanism at rest would come back if it were disturbed."""
    count, d = state.x.shape
    r, s, push = np.zeros((count, d)), np.zeros((count, d)), np.zeros((count, d))
    grip, allowed, m = np.zeros(count), np.zeros((count, d, d)), np.empty(order.rows[-1])
    flat = np.empty((len(order.node) * d, 1))
    _look(state, parts, r, s, push, grip)
    some = allow(state.x, parts.guides, allowed)
    return _direction(state, parts, order, limits, allowed, some, True, 1e-9, r, s, m, flat)
