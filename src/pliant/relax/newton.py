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
from pliant.relax.network import FIXED, FREE, Floats, Parts, State
from pliant.relax.order import Order
from pliant.relax.skyline import factorise, solve
from pliant.relax.stiffness import allow, assemble
from pliant.relax.touching import room

MOST_LAMBDA = 1e4
ROUNDING = 2.0**-52
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
    shape = len(order.node) * d
    r, s, push = np.zeros((count, d)), np.zeros((count, d)), np.zeros((count, d))
    grip, allowed, m = np.zeros(count), np.zeros((count, d, d)), np.empty(order.rows[-1])
    there, here, step = np.empty((count, d)), np.empty((count, d)), np.empty((count, d))
    right, spin = np.empty((len(order.node), d)), np.empty((count, 3))
    flat, caps = np.empty((shape, 1)), np.empty(count)
    energy, worst = _look(state, parts, r, s, push, grip)
    floor = _floor(state, order, s)
    lam, made, gone, soft, stuck = limits.floor, 0, 0.0, False, 0
    while worst > max(tolerance, floor) and made < most and gone <= bound:
        some = allow(x, parts, allowed)
        whole = worst < 1e-3 * _strength(s, order) * limits.cap
        if not _direction(state, parts, order, limits, allowed, some, whole, lam, r, s, m, flat):
            made += 1
            soft = whole or soft
            if not whole or not _direction(
                state, parts, order, limits, allowed, some, False, lam, r, s, m, flat
            ):
                lam = max(10.0 * lam, 1e-12)
                if lam > MOST_LAMBDA:
                    break
                continue
        made += 1
        _spread(order, flat, step)
        spins(x, step, order.edges, spin)
        far = distortion(x, step, spin, order.edges)
        if len(parts.touch.radius) > 0:
            caps[:] = np.inf
            room(x, parts.touch, caps)
            scale = _fits(step, caps)
            far *= scale
            step *= scale
            spin *= scale
        if far > 0.5:
            step *= 0.5 / far
            spin *= 0.5 / far
            far = 0.5
        here[:] = x
        taken = False
        for way in range(2):
            if way == 0:
                if not limits.bends or len(parts.touch.radius) > 0 or np.abs(spin).max() < SMALL:
                    continue
                bend(here, step, spin, order, there, right)
            else:
                there[:] = here + step
            x[:] = there
            _hold(state, parts)
            now, worse = _look(state, parts, r, s, push, grip)
            if np.isfinite(now) and (now < energy - 1e-14 * abs(energy) or worse < worst):
                taken = True
                break
        if taken:
            soft = False
            gone += far
            stuck = stuck + 1 if worse > 0.5 * worst and worse < 1e3 * floor else 0
            energy, worst = now, worse
            measure_angles(x, parts, state.turned)
            lam = max(0.1 * lam, limits.floor)
            if stuck > 6:
                break  # rounding, above what was reckoned with
        else:
            x[:] = here
            energy, worst = _look(state, parts, r, s, push, grip)
            lam = max(30.0 * lam, 1e-10)
            if lam > MOST_LAMBDA:
                break
    return Settled(worst, made, gone, soft, worst <= max(tolerance, 4.0 * floor))


@kernel
def _look(state: State, parts: Parts, r: Floats, s: Floats, push: Floats, grip: Floats) -> tuple[float, float]:
    """Forces as guides and ground leave them; the energy, and the largest."""
    energy = evaluate(state, parts, r, s, push, grip)
    worst = 0.0
    for i in range(len(r)):
        if parts.guides[i] == FIXED:
            r[i] = 0.0
        elif parts.guides[i] != FREE:
            restrain(parts, i, state.x[i], r[i], push[i], 0.0)
        square = 0.0
        for c in range(r.shape[1]):
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
        if some and parts.guides[i] != FREE:
            stiff = max(s[i].max(), limits.least)  # for the directions that are not allowed
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
    step[:] = 0.0
    for p in range(len(order.node)):
        for c in range(d):
            step[order.node[p], c] = flat[p * d + c, 0]


@kernel
def _fits(step: Floats, caps: Floats) -> float:
    """The share of a step that no node's cap forbids."""
    share = 1.0
    for i in range(len(step)):
        far = np.sqrt((step[i] * step[i]).sum())
        if far > caps[i]:
            share = min(share, caps[i] / far)
    return share


@kernel
def _hold(state: State, parts: Parts) -> None:
    for i in range(len(state.x)):
        if parts.guides[i] not in (FREE, FIXED):
            hold(parts, i, state.x)


@kernel
def _strength(s: Floats, order: Order) -> float:
    most = 0.0
    for i in order.node:
        for c in range(s.shape[1]):
            most = max(most, s[i, c])
    return most


@kernel
def _floor(state: State, order: Order, s: Floats) -> float:
    """The residual that rounding leaves: a few units in the last place of the coordinates, times S."""
    most = 0.0
    for i in order.node:
        for c in range(s.shape[1]):
            most = max(most, abs(state.x[i, c]))
    return 2.0 * ROUNDING * most * _strength(s, order)


@kernel
def stands(state: State, parts: Parts, order: Order, limits: Limits) -> bool:
    """Whether a mechanism at rest would come back if it were disturbed."""
    count, d = state.x.shape
    r, s, push = np.zeros((count, d)), np.zeros((count, d)), np.zeros((count, d))
    grip, allowed, m = np.zeros(count), np.zeros((count, d, d)), np.empty(order.rows[-1])
    flat = np.empty((len(order.node) * d, 1))
    _look(state, parts, r, s, push, grip)
    some = allow(state.x, parts, allowed)
    return _direction(state, parts, order, limits, allowed, some, True, 1e-9, r, s, m, flat)
