"""A motion that is free of overlap, and how far it gets: the lower bound."""

from __future__ import annotations

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.pose import turn
from pliant.flex.geometry.parts import Parts
from pliant.flex.model import Assembly, FlexStudy, Term
from pliant.flex.play.polytope import LocalPolytope, UnsolvedError
from pliant.flex.problem.system import System
from pliant.flex.result import FlexResult
from pliant.flex.solve import solve
from pliant.flex.stepping.step import configuration_at

FEW = 3  # moving bodies, up to which each is moved every way to see how far it gets
STEPS = 40


def centroid_poses(parts: Parts, poses: Floats) -> Floats:
    """Poses (F, B, 3) of centroid frames, from those of the file's bodies (F, U, 3)."""
    first = [int(members[0]) for members in parts.members_of]
    own = poses[:, first]
    angle = own[..., 2] - parts.members.turn[first]
    centre = own[..., :2] - turn(angle, parts.members.origin[first])
    return np.concatenate([centre, angle[..., None]], axis=-1)


def travel_seen(model: Assembly, system: System, frames: Floats) -> tuple[Floats, bool]:
    """How far poses get below and above the drawn ones, (2, B + 1, 3): in frames (F, B, 3), and otherwise.

    Otherwise is: to first order; and where few bodies move, each moved every way. And whether some way was
    found to have no end.
    """
    parts, endless = system.parts, False
    if len(parts.free) <= FEW:
        every, endless = _moved_every_way(model, system)
        frames = np.concatenate([frames, *every])
    travel = np.zeros((2, parts.count + 1, 3))
    moved = frames - parts.drawn[:-1]
    travel[0, :-1], travel[1, :-1] = -moved.min(axis=0), moved.max(axis=0)
    travel[:, parts.free] = np.maximum(travel[:, parts.free], _linear_travel(system))
    return np.maximum(travel, 0.0), endless


def _moved_every_way(model: Assembly, system: System) -> tuple[list[Floats], bool]:
    """Poses (F, B, 3) of motions of each moving body along x, along y and in its turn; is some endless."""
    terms = [
        Term(body=system.parts.names[body], **asked)
        for body in system.parts.free
        for asked in (
            {"direction": (1.0, 0.0)}, {"direction": (-1.0, 0.0)}, {"direction": (0.0, 1.0)},
            {"direction": (0.0, -1.0)}, {"spin": 1.0}, {"spin": -1.0},
        )
    ]  # fmt: skip
    results: list[FlexResult] = [solve(model, FlexStudy(maximize=(term,), steps=STEPS)) for term in terms]
    ended = [result for result in results if not result.status.endless]
    every = [centroid_poses(system.parts, result.frames.poses) for result in ended]
    return every, len(ended) < len(results)


def _linear_travel(system: System) -> Floats:
    """How far each moving body gets below and above its drawn pose, to first order, (2, M, 3); 0: free."""
    parts = system.parts
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
        return np.zeros((2, len(parts.free), 3))
    return np.reshape(ends, (-1, 2, 3)).swapaxes(0, 1)
