"""From relaxation to Newton: (K + λ diag S) Δ = R.

λ → ∞ is the paper's displacement with α = 1/λ, λ → 0 is Newton's method; λ rises where a step
does not bring the energy or the residual down, and falls where it does (Levenberg and Marquardt).
Steps bend round corners (see `bending`), and go straight where that does not help.

Source: [Lipson2006] eqs 1 to 4 for R, S and K; the paper solves nothing together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel
from pliant.relax.factors.elimination import Order
from pliant.relax.factors.skyline import factorise, solve
from pliant.relax.mechanics.bending import bend, distortion, spins
from pliant.relax.mechanics.forces import evaluate, restrain
from pliant.relax.mechanics.guides import hold_nodes
from pliant.relax.mechanics.segment_contact import limit_displacements
from pliant.relax.mechanics.stiffness import allowed_directions, assemble
from pliant.relax.network.elements import FIXED, FREE, Contacts, Elements, State
from pliant.relax.network.measures import measure_angles

MOST_LAMBDA = 1e12
ROUNDING = 2.0**-52
SLOW, LEAVE = 3, 20  # steps of little use before the whole stiffness is tried, and without it where it failed
ROUNDED = 6  # steps that gain less than half, close to rounding
STANDING = 1e-9  # λ with which a stiffness that is not positive gives way
GAIN, LESS = 0.05, 0.9  # of what a step promises, and of the force: friction has kinks to jump across
WIDEST = 0.5  # distortion of a step
NARROWEST = 1e-10  # distortion of a step down to which it is only made shorter where contacts close
SMALL = 1e-5  # radians: from here on a straight step is as good, and rounded less


class Limits(NamedTuple):
    """Bounds of a step."""

    least: float  # stiffness of a node
    near: float  # elongation below which the whole stiffness is right
    floor: float  # of λ
    bends: bool
    whole: bool  # the whole stiffness from the first step on: of what is at rest under load
    span: float  # that displacements are measured by beside distortions; inf: not at all


class Settled(NamedTuple):
    """How Newton's steps ended: residual (N), whether at rest, distortion."""

    residual: float  # the largest force left on a node
    steps: int  # factorisations
    distorted: float  # sum of the distortions on the way
    soft: bool  # the whole stiffness is not positive: it gives way
    at_rest: bool
    clean: bool  # every step was taken in full, at the least λ
    first: float  # how far the first two steps went, as distortions, or shares of the span
    second: float


class Scratch(NamedTuple):
    """Work arrays of a step."""

    r: Floats  # (N, D) forces
    s: Floats  # (N, D) stiffness
    push: Floats  # (N, D) what contacts push with
    grip: Floats  # (N,)
    allowed: Floats  # (N, D, D)
    m: Floats  # K and its factor
    flat: Floats  # (n D,)
    right: Floats  # (n, D)
    step: Floats  # (N, D)
    spin: Floats  # (N, 3)
    here: Floats  # (N, D)
    there: Floats  # (N, D)
    caps: Floats  # (N,)


@kernel
def settle(
    state: State, parts: Elements, order: Order, limits: Limits, tolerance: float, most: int, bound: float
) -> Settled:
    """Bring a mechanism to rest in place, in at most so many factorisations and distorting it so far.

    With none, it stays where it is, and is only looked at.
    """
    work = _scratch(state.x, order)
    energy, worst = _evaluate(state, parts, work)
    floor = _rounding_residual(state.x, order.node, work.s)
    near = _strength(work.s, order.node) * limits.near
    lam, rise, wide, made, gone, soft, stuck, slow = limits.floor, 0.0, WIDEST, 0, 0.0, False, 0, 0
    whole, clean, sizes, steps = limits.whole or worst < near, True, (0.0, 0.0), 0
    while worst > max(tolerance, floor) and made < most and gone <= bound and lam <= MOST_LAMBDA:
        made += 1
        if not _direction(state, parts, order, limits, whole, lam, work):
            soft, clean = soft or whole, False
            lam = max(10.0 * lam, 1e-6 if whole else 1e-12)
            if whole and lam > 1.0:
                whole, slow, lam = False, -LEAVE, limits.floor
            continue
        far, turn, cut = _measure(state.x, parts.touch, order, wide, work)
        clean = clean and not cut
        promised = _predicted_gain(order.node, work, lam, limits.least)
        gain, less = (GAIN * promised, LESS) if len(state.gripped) > 0 else (0.0, 1.0)
        bends = limits.bends and turn > SMALL
        taken, now, worse = _try(state, parts, order, bends, energy - gain, less * worst, work)
        if not taken:
            # Shorter first: λ keeps long mechanisms from bending, which is what they do most easily.
            wide, clean = 0.25 * far, False
            if len(parts.touch.radius) > 0 and wide > NARROWEST:
                continue  # a contact that closes on the way asks for no other direction
            lam, rise = (lam, 4.0) if rise == 0.0 else (max(rise * lam, 1e-12), 2.0 * rise)
            continue
        kept = (energy - now) / promised if now < energy else 1.0  # of less force, within rounding
        lam = max(lam * max(0.1, 1.0 - (2.0 * kept - 1.0) ** 3) if kept > 0.25 else lam, limits.floor)
        rise, wide, gone = 0.0, min(4.0 * wide, WIDEST), gone + far
        if steps < 2:
            size = max(far, _step_length(work.step) / limits.span)
            sizes = (size, 0.0) if steps == 0 else (sizes[0], size)
        steps += 1
        stuck = stuck + 1 if 0.5 * worst < worse < 1e3 * floor else 0
        slow = slow + 1 if worse > 0.3 * worst else min(slow, 0)
        whole = worse < near or slow >= SLOW or (whole and worse < 0.3 * worst)
        energy, worst = now, worse
        floor = max(floor, _rounding_residual(state.x, order.node, work.s))  # contacts close on the way
        if stuck > ROUNDED:
            break  # above what was reckoned with
    if most == 0:
        soft = not _direction(state, parts, order, limits, len(work.r) > 0, STANDING, work)
    at_rest = worst <= max(tolerance, 4.0 * floor)
    return Settled(worst, made, gone, soft, at_rest, clean, sizes[0], sizes[1])


@inner
def _scratch(x: Floats, order: Order) -> Scratch:
    n, d = x.shape
    places = len(order.node)
    return Scratch(
        np.zeros((n, d)), np.zeros((n, d)), np.zeros((n, d)), np.zeros(n), np.zeros((n, d, d)),
        np.empty(order.rows[-1]), np.empty(places * d), np.empty((places, d)), np.empty((n, d)),
        np.empty((n, 3)), np.empty((n, d)), np.empty((n, d)), np.empty(n),
    )  # fmt: skip


@inner
def _measure(
    x: Floats, touch: Contacts, order: Order, wide: float, work: Scratch
) -> tuple[float, float, bool]:
    """Spread the solution over the nodes, no longer than allowed.

    Its distortion, its largest spin, and whether it had to be made shorter.
    """
    _spread(order.place, work.flat, work.step)
    spins(x, work.step, order.edges, work.spin)
    far = distortion(x, work.step, work.spin, order.edges, order.sizes)
    share = min(1.0, wide / far) if far > 0.0 else 1.0
    if len(touch.radius) > 0:
        share = min(share, _passable_share(x, work.step, touch, work.caps))
    return far * share, _scale_step(work.step, work.spin, share), share < 1.0


@inner
def _step_length(step: Floats) -> float:
    """Largest displacement of a node."""
    most = 0.0
    for i in range(len(step)):
        square = 0.0
        for c in range(step.shape[1]):
            square += step[i, c] * step[i, c]
        most = max(most, square)
    return np.sqrt(most)


@inner
def _try(
    state: State, parts: Elements, order: Order, bends: bool, energy: float, worst: float, work: Scratch
) -> tuple[bool, float, float]:
    """Take the step bent, or else straight, if energy or force fall below what is given; what they are then.

    Bent steps obey no bound on each node, which contacts need.
    """
    _copy(state.x, work.here)
    for straight in range(2):
        if straight:
            _sum(work.here, work.step, state.x)
        elif bends and len(parts.touch.radius) == 0:
            bend(work.here, work.step, work.spin, order, work.there, work.right)
            _copy(work.there, state.x)
        else:
            continue
        now, worse = _evaluate(state, parts, work)
        if np.isfinite(now) and (now < energy - 1e-14 * abs(energy) or worse < worst):
            if len(state.turned) > 0:
                measure_angles(state.x, parts.couplings, state.turned)
            return True, now, worse
    _copy(work.here, state.x)
    energy, worst = _evaluate(state, parts, work)
    return False, energy, worst


@inner
def _predicted_gain(node: Ints, work: Scratch, lam: float, least: float) -> float:
    """Decrease of the energy that the quadratic model predicts: ½ Δ·(R + λ S Δ)."""
    total = 0.0
    for i in node:
        for c in range(work.r.shape[1]):
            stiff = lam * max(work.s[i, c], least)
            total += 0.5 * work.step[i, c] * (work.r[i, c] + stiff * work.step[i, c])
    return max(total, 1e-300)


@inner
def _copy(source: Floats, target: Floats) -> None:
    for i in range(len(source)):
        for c in range(source.shape[1]):
            target[i, c] = source[i, c]


@inner
def _sum(first: Floats, second: Floats, target: Floats) -> None:
    for i in range(len(first)):
        for c in range(first.shape[1]):
            target[i, c] = first[i, c] + second[i, c]


@inner
def _scale_step(step: Floats, spin: Floats, share: float) -> float:
    """Take a share of a step and its spins; the largest spin."""
    most = 0.0
    for i in range(len(step)):
        for c in range(step.shape[1]):
            step[i, c] *= share
        for c in range(3):
            spin[i, c] *= share
            most = max(most, abs(spin[i, c]))
    return most


@inner
def _evaluate(state: State, parts: Elements, work: Scratch) -> tuple[float, float]:
    """Project nodes onto their guides and evaluate forces; the energy, and the largest force."""
    guides, r, x = parts.guides, work.r, state.x
    kinds = guides.kinds
    for i in range(len(r)):
        if kinds[i] not in (FREE, FIXED):
            hold_nodes(guides, i, x)
    energy = evaluate(state, parts, r, work.s, work.push, work.grip)
    worst = 0.0
    for i in range(len(r)):
        square = 0.0
        if kinds[i] not in (FREE, FIXED):
            restrain(guides, i, x[i], r[i], work.push[i], 0.0)
        for c in range(r.shape[1]):
            if kinds[i] == FIXED:
                r[i, c] = 0.0
            square += r[i, c] * r[i, c]
        worst = max(worst, square)
    return energy, np.sqrt(worst)


@inner
def _direction(
    state: State, parts: Elements, order: Order, limits: Limits, whole: bool, lam: float, work: Scratch
) -> bool:
    """Solve for the step, in `flat`; False where the matrix is not positive."""
    m, flat, r, s, allowed = work.m, work.flat, work.r, work.s, work.allowed
    guides, node, rows = parts.guides, order.node, order.rows
    some = allowed_directions(state.x, guides, allowed)
    assemble(state, parts, order, allowed, whole, m)
    d = r.shape[1]
    for p in range(len(node)):
        i = node[p]
        stiff = limits.least
        for c in range(d):
            row = p * d + c
            stiff = max(stiff, s[i, c])
            m[rows[row + 1] - 1] += lam * max(s[i, c], limits.least)
            flat[row] = r[i, c]
        if some and guides.kinds[i] != FREE:
            _hold_directions(order, p, d, stiff, allowed[i], m)
    if not factorise(m, order.first, rows):
        return False
    solve(m, order.first, rows, flat)
    return True


@inner
def _hold_directions(order: Order, p: int, d: int, stiff: float, allowed: Floats, m: Floats) -> None:
    """Make the directions stiff that the guide of the node at place p does not allow."""
    for c in range(d):
        for g in range(c + 1):
            row = p * d + c
            part = (1.0 if c == g else 0.0) - allowed[c, g]
            m[order.rows[row] + p * d + g - order.first[row]] += stiff * part


@inner
def _spread(place: Ints, flat: Floats, step: Floats) -> None:
    d = step.shape[1]
    for i in range(len(step)):
        for c in range(d):
            step[i, c] = 0.0 if place[i] < 0 else flat[place[i] * d + c]


@inner
def _passable_share(x: Floats, step: Floats, touch: Contacts, caps: Floats) -> float:
    """The share of a step with which no pair passes through itself."""
    for i in range(len(caps)):
        caps[i] = np.inf
    limit_displacements(x, touch, caps)
    share = 1.0
    for i in range(len(step)):
        square = 0.0
        for c in range(step.shape[1]):
            square += step[i, c] * step[i, c]
        far = np.sqrt(square)
        if far > caps[i]:
            share = min(share, caps[i] / far)
    return share


@inner
def _strength(s: Floats, node: Ints) -> float:
    most = 0.0
    for i in node:
        for c in range(s.shape[1]):
            most = max(most, s[i, c])
    return most


@inner
def _rounding_residual(x: Floats, node: Ints, s: Floats) -> float:
    """The residual that rounding leaves: a few units in the last place of the coordinates, times S."""
    most = 0.0
    for i in range(len(x)):  # on the ground too: lengths and gaps are rounded by their far ends
        for c in range(s.shape[1]):
            most = max(most, abs(x[i, c]))
    return 2.0 * ROUNDING * most * _strength(s, node)


def is_stable(state: State, parts: Elements, order: Order, limits: Limits) -> bool:
    """Whether a mechanism at rest returns after a small disturbance: K is positive."""
    return not settle(state, parts, order, limits, 0.0, 0, 0.0).soft
