"""Shaking the parts: from an end, lean another way for a while and climb again.

A program at rest knows its pose only. Bodies that lie against each other may have to slide,
roll or back off a little before there is more to gain; a push to the side, in a direction
that chance has given, finds most of that.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pliant.core.pose import Floats
from pliant.flex.climb import climb
from pliant.flex.findings import Ending
from pliant.flex.status import FlexStatus
from pliant.flex.step import place
from pliant.flex.system import System
from pliant.flex.walk import Walk

LEANS = (0.1, 0.5, 2.0)  # what the push to the side weighs beside the objective, one after the other
SHAKES = 6  # in a row that gain nothing
MOST_SHAKES = 30
STEPS = 12  # of a lean


def shaken(system: System, walk: Walk, ending: Ending) -> Ending:
    """Shake the parts at the end of a walk until that gains nothing; the walk then goes to the better end."""
    chance = np.random.default_rng(0)
    idle = 0
    for shake in range(MOST_SHAKES):
        if idle == SHAKES or ending.status not in (FlexStatus.CONVERGED, FlexStatus.LOCKED):
            break
        push = random_push(system, chance)
        aside = lean(system, walk, push, LEANS[shake % len(LEANS)])
        back = Walk(walk.model, system, place(system, aside.here.poses, system.reach, None))
        found = climb(system, back, system.study.steps)
        better = back.here.value > walk.here.value + 3 * walk.enough
        endless = found.status in (FlexStatus.FREE, FlexStatus.TURNING)
        idle = 0 if better else idle + 1
        if better or endless:
            walk.follow(aside, back)
            ending = found
    return ending


def random_push(system: System, chance: np.random.Generator) -> Floats:
    """A load (B + 1, 3) on the moving bodies, of a random direction, 1 on the greatest body's scale."""
    push = np.zeros((system.parts.count + 1, 3))
    push[system.parts.free] = chance.normal(size=(len(system.parts.free), 3))
    push[:, 2] *= system.parts.size
    return push / max(float(np.abs(push / (1.0, 1.0, system.parts.size)).max()), 1e-300)


def lean(system: System, walk: Walk, push: Floats, weight: float, own: float = 1.0) -> Walk:
    """Where a push of some weight beside the objective leads to from the end of a walk."""
    objective, poses = system.objective, walk.here.poses
    arm = np.array([1.0, 1.0, 1.0 / system.parts.size])
    scale = float(np.abs(objective.weights(poses) * arm).max()) or 1.0
    leaning = replace(
        objective,
        linear=own * objective.linear + weight * scale * push,
        direction=own * objective.direction,
        drawn=0.0,
    )
    leaning = replace(leaning, drawn=leaning.value(poses))
    tilted = replace(system, objective=leaning)
    aside = Walk(walk.model, tilted, place(tilted, poses, system.reach, None))
    climb(tilted, aside, STEPS, wander=True)
    return aside
