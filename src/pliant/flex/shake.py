"""Shaking the parts: from an end, lean another way for a while and climb again.

A program at rest knows its pose only. Bodies that lie against each other may have to slide or
roll before there is more to gain; a push to the side, in a direction that chance has given,
finds most of that. Next to nothing of the objective is given up for it, and no body goes
further than a few gaps: what lies on a table is not carried to its edge.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pliant.core.pose import Floats
from pliant.flex.climb import climb
from pliant.flex.findings import Ending
from pliant.flex.promise import within
from pliant.flex.status import FlexStatus
from pliant.flex.step import place
from pliant.flex.system import System
from pliant.flex.walk import Walk

KEEP = 30.0  # what the objective weighs beside the push: next to nothing is given up for it
SHAKES = 6  # in a row that gain nothing
MOST_SHAKES = 30
STEPS = 12  # of a lean
STRAY = 4  # leans in a row, each from where the last one stopped


def shaken(system: System, walk: Walk, ending: Ending) -> Ending:
    """Shake the parts at the end of a walk until that gains nothing; the walk then goes to the better end.

    Each lean starts where the last one stopped, somewhere on its way: parts that may slide at no
    loss get to all places of that plateau, not to its corners alone.
    """
    chance = np.random.default_rng(0)
    idle, strayed = 0, list[Walk]()
    for _ in range(MOST_SHAKES):
        if idle == SHAKES or ending.status not in (FlexStatus.CONVERGED, FlexStatus.LOCKED):
            break
        if len(strayed) == STRAY:
            strayed.clear()
        start = strayed[-1] if strayed else walk
        near = within(system, start.here.poses, min(system.reach, system.parts.size / 2))
        strayed.append(_aside(near, start, random_push(system, chance)))
        if system.objective.value(strayed[-1].here.poses) <= walk.here.value + walk.enough:
            strayed[-1].stop(chance.choice((0.3, 0.6, 1.0)) * (0.5 + chance.random()))
        back = Walk(walk.model, system, place(system, strayed[-1].here.poses, system.reach, None))
        found = climb(system, back, system.study.steps)
        better = back.here.value > walk.here.value + 3 * walk.enough
        endless = found.status in (FlexStatus.FREE, FlexStatus.TURNING)
        idle = 0 if better else idle + 1
        if better or endless:
            walk.follow(*strayed, back)
            strayed.clear()
            ending = found
    return ending


def _aside(system: System, start: Walk, push: Floats) -> Walk:
    """Where a push leads to; or one the other way, where it leads nowhere."""
    there = lean(system, start, push, 1.0, own=KEEP)
    return there if there.steps else lean(system, start, -push, 1.0, own=KEEP)


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
