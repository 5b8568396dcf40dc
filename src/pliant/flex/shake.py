"""Shaking the parts: from an end, lean another way for a while and climb again.

A program at rest knows its pose only. Bodies that lie against each other may have to slide or
roll before there is more to gain; a push to the side, in a direction that chance has given,
finds most of that. Next to nothing of the objective is given up for it, and no body goes
further than a few gaps: what lies on a table is not carried to its edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pliant.core.pose import Floats
from pliant.flex.climb import climb
from pliant.flex.findings import Ending
from pliant.flex.promise import promise, within
from pliant.flex.status import FlexStatus
from pliant.flex.step import place
from pliant.flex.system import System
from pliant.flex.walk import Walk

KEEPS = (100.0, 30.0, 10.0, 3.0)  # what the objective weighs beside the push: little is given up for it
LEANS = 4  # in a row, each from where the last one stopped
ROUNDS = 6  # of such leans that gain nothing
MOST_ROUNDS = 20
STEPS = 3  # of a lean
CLIMBS = 5  # that gain nothing, be they promising


def shaken(system: System, walk: Walk, ending: Ending) -> Ending:
    """Shake the parts at the end of a walk until that gains nothing; the walk then goes to the better end."""
    chance = np.random.default_rng(0)
    idle = climbs = 0
    for _ in range(MOST_ROUNDS):
        at_rest = ending.status in (FlexStatus.CONVERGED, FlexStatus.LOCKED)
        if idle == ROUNDS or climbs >= CLIMBS or not at_rest:
            break
        idle += 1
        for aside in _leans(system, walk, chance):
            climbs += 1
            back = Walk(walk.model, system, place(system, aside[-1].here.poses, system.reach, None))
            found = climb(system, back, system.study.steps)
            better = back.here.value > walk.here.value + 3 * walk.enough
            if better or found.status in (FlexStatus.FREE, FlexStatus.TURNING):
                walk.follow(*aside, back)
                ending, idle, climbs = found, 0, 0
                break
    return ending


def _leans(system: System, walk: Walk, chance: np.random.Generator) -> Iterator[list[Walk]]:
    """Leans from the end of a walk, one after the other, as far as each place that promises a better end.

    Each stops anywhere on its way, and the next one leads on from there, the same way while
    nothing is in it: parts that slide at no loss get to all places of that plateau.
    """
    radius = min(system.reach, system.parts.size / 2)
    aside, push, keep = [walk], random_push(system, chance), chance.choice(KEEPS)
    for last in range(1 - LEANS, 1):
        start = aside[-1].here.poses
        there = _lean_either_way(within(system, start, radius), aside[-1], push, keep)
        gone = float(np.abs(there.here.poses - start)[:, :2].max())
        if gone < 0.9 * radius:
            there = there.stopped(chance.random())
            push, keep = random_push(system, chance), chance.choice(KEEPS)
        aside.append(there)
        here = place(system, there.here.poses, system.reach, None)
        found = promise(system, here, system.study.turn)
        promising = here.value + found.gain > walk.here.value + 3 * walk.enough
        if last == 0 or promising or found.endless is not None:
            yield aside[1:]


def _lean_either_way(system: System, start: Walk, push: Floats, keep: float) -> Walk:
    """Where a push leads to; or one the other way, where it leads nowhere."""
    there = lean(system, start, push, 1.0, own=keep)
    return there if there.steps else lean(system, start, -push, 1.0, own=keep)


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
