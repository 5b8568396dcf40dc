"""An interior-point method for the linear program of one step, on its normal equations.

maximise c·x  subject to  s = J x + d ≥ 0 (= 0 at pivots),  with forces y ≥ 0

Newton's method on  J x + d = s,  Jᵀ y + c = 0,  s y = μ  with μ driven to zero.
Eliminating Δs and Δy leaves  N Δx = r  with  N = Jᵀ diag(y/s) J:  three unknowns a body
and one block for each two bodies that touch, whatever the number of contacts between
them. That is why it beats solvers that factor the whole system.

Predictor, corrector and starting point after Mehrotra, the further corrector after
Gondzio, taking only a share of each after Colombo and Gondzio: textbook knowledge, none
of the papers was opened.
Differs: d ≥ 0 makes Δq = 0 feasible, so only the forces of the starting point are
computed; a pivot is a row of fixed weight whose force is a proximal multiplier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pliant.core.arrays import Floats
from pliant.flex.lp.blas import one_blas_thread
from pliant.flex.lp.cholesky import Factor, Symbolic, analyse, factor, solve
from pliant.flex.lp.gathered import (
    Gathered,
    NewtonTerms,
    blend,
    gather,
    measure,
    normal_blocks,
    product,
    pull,
    push,
    recentre,
    transposed_product,
)
from pliant.flex.lp.program import Program

# Iterations in all, and without a better point: degenerate programs of 10⁵ bodies take 90.
LIMIT = 300
PATIENCE = 30

# Correctors after Mehrotra's, at most, and how much further than the direction so far each tries to go. One
# that tried for a little further made 29,929 bodies take 56 iterations; these take 35. A corrector goes
# through the factor's numbers twice, so that one is worth it for so many multiplications a number.
CORRECTORS = 5
WORTH = 50.0
FURTHER = (1.5, 0.3)

# Added to the diagonal of N, whose entries are near 1 at first: holds bodies that
# nothing touches where they are.
RIDGE = 1e-13

# Added to the diagonal relative to itself, for pivots that cancel; grows where one fails.
NOISE = 1e-15

# Every contact gives way by this much a unit of force *change*, so that no weight in N
# exceeds its inverse and every pivot gets just that: a proximal term, gone at the
# optimum. Without it N of a 1000 x 10 beam has no usable factor after thirty iterations;
# ten times as much costs iterations everywhere.
SOFTNESS = 1e-8

# How far to go towards the nearest contact.
STOP_SHORT = 0.995


@dataclass(frozen=True)
class Iterate:
    """An iterate: s > 0 and y > 0 on inequalities, s = 0 and any y on equalities."""

    x: Floats  # (B, 3)
    s: Floats  # (M,)
    y: Floats  # (M,)


@dataclass(frozen=True)
class Residuals:
    """How far a point is from optimal."""

    miss: Floats  # (M,) J x + d − s
    unbalanced: Floats  # (B, 3) Jᵀ y + c
    mean: float  # μ, of s y over the inequalities
    worst: float  # largest of violation, unbalanced load and relative gap
    accuracy: float  # unbalanced load that the next direction may leave


@dataclass(frozen=True)
class NormalEquations:
    """The Newton equations at a point, factored."""

    rows: Gathered
    weights: Floats  # (M,) y / (s + ε y)
    factor: Factor


@dataclass(frozen=True)
class SearchDirection:
    """A way to go, and how far s and y can follow it."""

    dx: Floats
    ds: Floats
    dy: Floats
    lengths: tuple[float, float]


@dataclass(frozen=True)
class InteriorSolution:
    """Where the iteration ended."""

    step: Floats  # (B, 3)
    forces: Floats  # (R,)
    iterations: int
    message: str


def solve_interior(program: Program, tolerance: float) -> InteriorSolution:
    """The optimum of a program in natural units (`solvers`), to `tolerance`."""
    return prepare_interior(program)(program, tolerance)


def prepare_interior(program: Program) -> Callable[[Program, float], InteriorSolution]:
    """What solves a program with any cost: its rows gathered and the order of elimination are kept."""
    rows = gather(program)
    symbolic = analyse(rows.pairs[: rows.coupled], program.centres)
    return lambda asked, tolerance: _iterate(asked, rows, symbolic, tolerance)


def _iterate(program: Program, rows: Gathered, symbolic: Symbolic, tolerance: float) -> InteriorSolution:
    """Newton's steps until the point is optimal, or none brings it nearer."""
    with one_blas_thread():
        point = _start(rows, symbolic, program.cost)
        best, lowest, since, system = point, np.inf, 0, None
        iteration, message = 0, "iteration limit"
        for iteration in range(LIMIT):
            state = _state(rows, program.cost, point, tolerance)
            if state.worst < lowest:
                best, lowest, since = point, state.worst, iteration
            if lowest <= tolerance:
                return _result(program, rows, best, iteration, "converged")
            if iteration - since > PATIENCE or not np.isfinite(state.worst):
                message = "no progress"
                break
            system = _system(rows, symbolic, point, system and system.factor)
            if system.factor.failed:
                message = "no factor"
                break
            point = _advance(point, _corrected_direction(system, point, state))
    return _result(program, rows, best, iteration, message)


def _start(rows: Gathered, symbolic: Symbolic, cost: Floats) -> Iterate:
    """Start from x = 0, where the gaps are as given, and forces that balance c in the least-squares sense.

    The shift that makes the forces positive is Mehrotra's.
    """
    free = rows.equal == 0
    s = np.where(free, np.maximum(rows.gaps, 0.1), 0.0)
    zero = rows.nothing
    system = _system(rows, symbolic, Iterate(0 * cost, np.ones_like(s), np.ones_like(s)))
    dx = solve(system.factor, cost)
    one = np.ones_like(s)
    y = pull(rows, NewtonTerms(one, zero, zero), dx, one, one, 0.0)[1]
    if not free.any():
        return Iterate(np.zeros_like(cost), s, y)
    y = np.where(free, y + max(-1.5 * float(y[free].min()), 0.0), y)
    lift = 0.5 * float(np.sum(y[free] * s[free]) / np.sum(s[free]))
    return Iterate(np.zeros_like(cost), s, np.where(free, y + max(lift, 1e-3), y))


def _state(rows: Gathered, cost: Floats, point: Iterate, tolerance: float) -> Residuals:
    miss, load, violation = measure(rows, point.x, point.s, point.y)
    unbalanced = load + cost
    primal, dual = float(np.sum(cost * point.x)), float(np.sum(point.y * rows.gaps))
    gap = abs(primal - dual) / (1 + abs(primal))
    count = max(np.count_nonzero(point.s), 1)
    mean = float(np.sum(point.s * point.y)) / count
    # Unbalanced load r shifts the gap by r·x, so it has to stay below what is left of it.
    open_gap = max(mean * count, tolerance * (1 + abs(primal)))
    accuracy = 0.1 * min(
        max(tolerance, _largest_magnitude(unbalanced)), open_gap / max(float(np.sum(np.abs(point.x))), 1.0)
    )
    worst = max(violation, _largest_magnitude(unbalanced), gap)
    return Residuals(miss, unbalanced, mean, worst, accuracy)


def _system(
    rows: Gathered, symbolic: Symbolic, point: Iterate, factorization: Factor | None = None
) -> NormalEquations:
    """N at a point and its factor, in the place of one that is spent.

    More is added to the diagonal until there is a factor.
    """
    weights = np.full_like(point.y, 1 / SOFTNESS)
    np.divide(point.y, point.s + SOFTNESS * point.y, out=weights, where=rows.equal == 0)
    blocks = normal_blocks(rows, weights)
    each, noise = np.arange(3), NOISE
    while True:
        held = blocks.copy()
        held[: rows.bodies, each, each] *= 1 + noise
        held[: rows.bodies, each, each] += RIDGE
        factorization = factor(symbolic, held, factorization)
        if not factorization.failed or noise > 1e-6:
            return NormalEquations(rows, weights, factorization)
        noise *= 100


def _corrected_direction(system: NormalEquations, point: Iterate, state: Residuals) -> SearchDirection:
    """Mehrotra's direction, corrected as long as that lengthens the step."""
    s, y = point.s, point.y
    ahead = _direction(system, point, state.miss, state.unbalanced, -s * y)
    count = max(np.count_nonzero(s), 1)
    reached = product(s, y, ahead.ds, ahead.dy, ahead.lengths) / count
    aim = state.mean * float(np.clip((reached / max(state.mean, 1e-300)) ** 3, 1e-6, 1.0))
    direction = _blended_direction(system, point, ahead, aim - ahead.ds * ahead.dy)
    symbolic = system.factor.symbolic
    for _ in range(int(np.clip(symbolic.work / symbolic.panel_starts[-1] / WORTH, 1, CORRECTORS))):
        alpha, beta = (min(1.0, FURTHER[0] * length + FURTHER[1]) for length in direction.lengths)
        target = recentre(s, y, direction.ds, direction.dy, (alpha, beta), aim)
        better = _blended_direction(system, point, direction, target)
        if sum(better.lengths) < sum(direction.lengths) + 0.02:
            break
        direction = better
    return _balanced_direction(system, point, direction, state)


def _balanced_direction(
    system: NormalEquations, point: Iterate, direction: SearchDirection, state: Residuals
) -> SearchDirection:
    """The direction refined until Jᵀ Δy + unbalanced = 0 as nearly as matters.

    The rest r is measured on Δy, and Δs and Δy are corrected, not computed anew: in
    long assemblies bodies travel 10⁵ gaps, and J Δx of such a Δx loses what J of its
    correction keeps.
    """
    rows, zero = system.rows, system.rows.nothing
    dx, ds, dy = direction.dx, direction.ds, direction.dy
    lengths, size = direction.lengths, np.inf
    for _ in range(4):
        left = state.unbalanced + transposed_product(rows, dy)
        if _largest_magnitude(left) <= state.accuracy or _largest_magnitude(left) > 0.5 * size:
            break
        size = _largest_magnitude(left)
        more = solve(system.factor, left)
        es, ey, *_ = pull(rows, NewtonTerms(system.weights, zero, zero), more, point.s, point.y, SOFTNESS)
        dx, ds, dy = dx + more, ds + es, dy + ey
        lengths = blend(point.s, ds, zero, rows.equal)[1], blend(point.y, dy, zero, rows.equal)[1]
    return SearchDirection(dx, ds, dy, lengths)


def _blended_direction(
    system: NormalEquations, point: Iterate, direction: SearchDirection, target: Floats
) -> SearchDirection:
    """A direction with the best share of the correction that adds `target` to s y."""
    more = _direction(system, point, system.rows.nothing, np.zeros_like(point.x), target)
    equal = system.rows.equal
    primal, alpha = blend(point.s, direction.ds, more.ds, equal)
    dual, beta = blend(point.y, direction.dy, more.dy, equal)
    _scale_and_add(more.dx, primal, direction.dx)
    _scale_and_add(more.ds, primal, direction.ds)
    _scale_and_add(more.dy, dual, direction.dy)
    return replace(more, lengths=(alpha, beta))


def _scale_and_add(part: Floats, share: float, to: Floats) -> None:
    """Set part := share · part + to, in its place."""
    part *= share
    part += to


def _direction(
    system: NormalEquations, point: Iterate, miss: Floats, unbalanced: Floats, target: Floats
) -> SearchDirection:
    """Newton's direction:  J Δx + miss = Δs,  Jᵀ Δy + unbalanced = 0,  s Δy + y Δs = target."""
    rows, terms = system.rows, NewtonTerms(system.weights, miss, target)
    right = unbalanced + push(rows, terms, point.s + SOFTNESS * point.y)
    dx = solve(system.factor, right)
    ds, dy, alpha, beta = pull(rows, terms, dx, point.s, point.y, SOFTNESS)
    return SearchDirection(dx, ds, dy, (alpha, beta))


def _advance(point: Iterate, direction: SearchDirection) -> Iterate:
    alpha, beta = (min(1.0, STOP_SHORT * length) for length in direction.lengths)
    return Iterate(
        point.x + alpha * direction.dx,
        point.s + alpha * direction.ds,
        point.y + beta * direction.dy,
    )


def _result(
    program: Program, rows: Gathered, point: Iterate, iterations: int, message: str
) -> InteriorSolution:
    """The point in the order of the program's rows."""
    forces = np.zeros(len(program.gaps))
    contact = rows.source >= 0
    forces[rows.source[contact]] = point.y[contact]
    return InteriorSolution(point.x, forces, iterations, message)


def _largest_magnitude(values: Floats) -> float:
    return float(np.abs(values).max(initial=0.0))
