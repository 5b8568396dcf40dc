"""A search for the values that come nearest to a goal within limits, where every value costs a solve.

First a population that spreads over all ranges evolves (differential evolution, whose rounds are solved in
parallel), then the best of it is followed downhill by a quadratic model of goal and limits in a region of
trust (COBYQA). A value that is to be met is closed in on between one that is too small and one too large.
Nothing depends on how many are solved at a time: the same seed gives the same answer. All three methods are
those of `scipy.optimize`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import Bounds, NonlinearConstraint, brentq, differential_evolution, minimize

from pliant.core.arrays import Floats
from pliant.sweeps.trials import NO_ANSWER, SpentError, Trial, Trials

GLOBAL = 0.5  # of all trials: those of the population
SETTLED = 1e-2  # spread of a population's goals, over their mean, at which it has come together
RADIUS = 0.1  # of the first region of trust, over the ranges
INSIDE = 1e-7  # how far within a limit the search stays, over the limit's size: rounding must not break it
NEAR = 1e-9  # of the goal's size: no longer an improvement
CLOSE = 1e-6  # of the goal's size: a value is met


def search(trials: Trials, seed: int, start: list[float] | None, accuracy: float) -> bool:
    """Try values until the best is found as nearly as `accuracy` of the ranges says; whether it was.

    Every combination is tried where all values are listed and there are few enough.
    """
    combinations = math.prod(len(one.values) or math.inf for one in trials.variables)
    if combinations <= trials.left:
        trials.at(np.array(list(product(*(range(len(one.values)) for one in trials.variables))), float))
        return True
    free = [k for k, one in enumerate(trials.variables) if not one.values]
    rng = np.random.default_rng(seed)
    try:
        first = _scatter(trials, rng, start)
        _close_in(trials, free)
        settled = is_met(trials) or _evolve(trials, rng, first)
        return _follow(trials, free, accuracy) if free else settled
    except SpentError:
        return False


def is_met(trials: Trials) -> bool:
    """Whether a value that is sought is found within the limits."""
    best, goal = trials.best, trials.goal
    return goal.aim == "meet" and best is not None and trials.loss(best) <= CLOSE * _goal_size(trials)


def _goal_size(trials: Trials) -> float:
    """What the goal's figure is measured by: the value sought, or the spread of those found."""
    figures = [trial.goal for trial in trials.tried if math.isfinite(trial.goal)]
    spread = max(figures) - min(figures) if figures else 0.0
    sought = abs(trials.goal.value) if trials.goal.aim == "meet" else 0.0
    return sought or spread or 1.0


def population(trials: Trials) -> int:
    """How many are tried in a round."""
    return max(8, 4 + 6 * len(trials.variables))


def _scatter(trials: Trials, rng: np.random.Generator, start: list[float] | None) -> Floats:
    """A first population (S, N) all over the ranges, the file's own values among it."""
    first = _latin(population(trials), len(trials.variables), rng)
    first *= [one.last for one in trials.variables]
    if start is not None:
        first[0] = start
    trials.at(first)
    trials.measure_limits()
    return first


def _evolve(trials: Trials, rng: np.random.Generator, first: Floats) -> bool:
    """Differential evolution over all variables; whether the population came together."""
    rounds = int(GLOBAL * trials.budget / len(first)) - 1
    if rounds < 1:
        return False
    last = [one.last for one in trials.variables]
    limits = NonlinearConstraint(
        lambda x: _columns(trials, x, lambda trial: _margins(trials, trial)), 0.0, np.inf
    )
    optimum = differential_evolution(
        lambda x: _columns(trials, x, trials.loss),
        Bounds([0.0] * len(last), last),
        init=first,
        maxiter=rounds,
        tol=SETTLED,
        rng=rng,
        polish=False,
        vectorized=True,
        updating="deferred",
        integrality=[bool(one.values) for one in trials.variables],
        constraints=(limits,) if trials.limits else (),
    )
    return bool(optimum.success)


def _latin(count: int, variables: int, rng: np.random.Generator) -> Floats:
    """Points (S, N) of the unit cube, one in each of S slices of every axis."""
    slices = np.stack([rng.permutation(count) for _ in range(variables)], axis=1)
    return (slices + rng.random((count, variables))) / count


def _columns(trials: Trials, coordinates: Floats, of: Callable[[Trial], Any]) -> Floats:
    """What is asked of the trials at columns of coordinates (N, S), a column each; at (N,), of one."""
    values = np.array([of(trial) for trial in trials.at(np.atleast_2d(coordinates.T))]).T
    return values if coordinates.ndim == 2 else values[..., 0]


def _margins(trials: Trials, trial: Trial) -> list[float]:
    """How far within each limit, over its size; far beyond all where there is no answer."""
    if trials.violation(trial) >= NO_ANSWER:
        return [-NO_ANSWER] * len(trials.limits)
    return [margin / size for margin, size in zip(trial.margins, trials.sizes, strict=True)]


def _follow(trials: Trials, free: list[int], accuracy: float) -> bool:
    """From the best of the population down to the end of the slope; whether it was reached."""
    if trials.nearest is None:
        return True  # nothing has an answer, and there is no way down from there
    if trials.best is None:
        _descend(trials, free, accuracy, lambda trial: trials.violation(trial) ** 2, limited=False)
    _close_in(trials, free)
    if is_met(trials):
        return True
    size, ended = _goal_size(trials), False
    power = 2 if trials.goal.aim == "meet" else 1  # a square is smooth where the value is met
    for _ in range(3):
        before = trials.best
        ended = _descend(trials, free, accuracy, lambda trial: (trials.loss(trial) / size) ** power)
        _close_in(trials, free)
        after = trials.best
        if is_met(trials) or after is None:
            return True
        if before is not None and trials.loss(before) - trials.loss(after) <= NEAR * size:
            return ended
    return ended


def _descend(
    trials: Trials, free: list[int], accuracy: float, loss: Callable[[Trial], float], *, limited: bool = True
) -> bool:
    """COBYQA over the variables that are not listed, from the best trial; whether it came to an end."""
    begin = np.array(trials.coordinates(trials.best or trials.nearest or trials.tried[0]))
    tight = [0.0 if limit.low == limit.high else INSIDE for limit in trials.limits]
    worst = max(loss(trial) for trial in trials.tried if math.isfinite(trials.loss(trial))) + 1.0

    def trial_at(x: Floats) -> Trial:
        whole = begin.copy()
        whole[free] = x
        return trials.at(whole[np.newaxis])[0]

    def figure(x: Floats) -> float:
        trial = trial_at(x)
        return loss(trial) if math.isfinite(trials.loss(trial)) else worst

    def within(x: Floats) -> Floats:
        return np.maximum(np.array(_margins(trials, trial_at(x))) - tight, -1.0)

    limits = (NonlinearConstraint(within, 0.0, np.inf),) if limited and trials.limits else ()
    options = {"initial_tr_radius": RADIUS, "final_tr_radius": accuracy, "maxfev": trials.budget}
    bounds = Bounds(np.zeros(len(free)), np.ones(len(free)))
    optimum = minimize(
        figure, begin[free], method="COBYQA", bounds=bounds, constraints=limits, options=options
    )
    return optimum.status == 0


def _close_in(trials: Trials, free: list[int]) -> None:
    """Brent's method on the line from a trial that is below the value sought to one above.

    Both keep the limits and differ in nothing that is listed. Where a point between has no answer, or the
    figure jumps over the value, the line is left.
    """
    if trials.goal.aim != "meet" or is_met(trials):
        return
    ends = _either_side(trials, free)
    if ends is None:
        return
    low, high = (np.array(trials.coordinates(end)) for end in ends)

    def off(share: float) -> float:
        trial = trials.at((low + share * (high - low))[np.newaxis])[0]
        if not math.isfinite(trials.loss(trial)):
            raise _GapError
        return trial.goal - trials.goal.value

    try:
        brentq(off, 0.0, 1.0, xtol=1e-12, rtol=1e-12, maxiter=60, disp=False)
    except _GapError:
        return


class _GapError(Exception):
    """There is no answer at a point of the line."""


def _either_side(trials: Trials, free: list[int]) -> tuple[Trial, Trial] | None:
    """The nearest trials below and above the value sought, of the same listed values."""
    kept = sorted((trial for trial in trials.tried if trial.keeps), key=trials.loss)
    listed = [one.name for k, one in enumerate(trials.variables) if k not in free]
    for near in kept:
        for other in kept:
            same = all(near.values[name] == other.values[name] for name in listed)
            if same and (near.goal - trials.goal.value) * (other.goal - trials.goal.value) < 0:
                return near, other
    return None
