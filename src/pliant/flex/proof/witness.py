"""A motion that is free of overlap, and how far it gets: the lower bound."""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats
from pliant.flex.play.polytope import LocalPolytope, UnsolvedError
from pliant.flex.problem.system import System
from pliant.flex.stepping.step import configuration_at


def travel_seen(system: System, frames: Floats) -> Floats:
    """How far poses get below and above the drawn ones, (2, B + 1, 3): in frames (F, B, 3) or to first order."""
    parts = system.parts
    travel = np.zeros((2, parts.count + 1, 3))
    moved = frames - parts.drawn[:-1]
    travel[0, :-1], travel[1, :-1] = -moved.min(axis=0), moved.max(axis=0)
    polytope = LocalPolytope(system, configuration_at(system, parts.drawn, system.reach, None))
    costs: list[Floats] = []
    for place in range(len(parts.free)):
        for sign in (-1.0, 1.0):
            for part in range(3):
                cost = np.zeros((len(parts.free), 3))
                cost[place, part] = sign
                costs.append(cost)
    try:
        ends = [
            0.0 if polytope.is_free(end, cost) else max(end.objective, 0.0)
            for cost, end in zip(costs, polytope.extremes(costs), strict=True)
        ]
    except UnsolvedError:
        return travel
    linear = np.reshape(ends, (-1, 2, 3)).swapaxes(0, 1)
    travel[:, parts.free] = np.maximum(travel[:, parts.free], linear)
    return travel
