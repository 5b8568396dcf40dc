"""Shaking the parts: from an end, lean another way for a while and climb again.

A program at rest knows its pose only. Bodies that lie against each other may have to slide or
roll before there is more to gain; a push to the side, in a direction that chance has given,
finds most of that. Next to nothing of the objective is given up for it, and no body goes
further than a few gaps, or than it has come: what lies on a table is not carried to its edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pliant.core.pose import Floats, turn
from pliant.core.progress import Progress
from pliant.flex.contact.distance import gaps
from pliant.flex.contact.selection import beyond_ends
from pliant.flex.diagnosis.unbounded import Ending
from pliant.flex.problem.system import System
from pliant.flex.stepping.alternatives import released
from pliant.flex.stepping.ascent import FINEST, climb
from pliant.flex.stepping.linearization import promise, within
from pliant.flex.stepping.step import Place, place
from pliant.flex.stepping.trajectory import Walk

FEW, SHORT = 12, 500  # moving bodies and rows up to which parts are shaken: a second or two
MORE, LONGER = 60, 4000  # the same where parts rattle: some seconds
KEEPS = (100.0, 30.0, 10.0, 3.0, 1.0)  # what the objective weighs beside the push
LOSS = 0.01  # of how far a lean may lead, and no more of the objective is lost on it
LEANS = 4  # in a row, each from where the last one stopped
ROUNDS = 8  # of such leans that gain nothing
MOST_ROUNDS = 20
LITTLE = 0.1
FAR = 0.5  # of the rounds go as far as half of a body's size, where all seems locked
STEPS = 3  # of a lean
STOPS = 3  # on the way of a lean, at most
CLIMBS = 8  # that gain nothing, be they promising


def worth_shaking(system: System, walk: Walk) -> bool:
    """Whether an end is shaken: of few parts always, of more where they rattle.

    Where gaps are small against the parts, a program sees all that they can do from where they are.
    """
    parts, rows = system.parts, len(walk.here.contacts.rows)
    few, short = (MORE, LONGER) if system.rattles else (FEW, SHORT)
    return len(parts.free) <= few and rows <= short


def shaken(system: System, walk: Walk, ending: Ending, progress: Progress) -> Ending:
    """Shake the parts at the end of a walk until that gains nothing; the walk then goes to the better end."""
    chance = np.random.default_rng(0)
    idle = climbs = 0
    for _ in range(MOST_ROUNDS):
        if idle >= ROUNDS or climbs >= CLIMBS or not ending.status.at_rest:
            break
        idle += 1
        progress(walk.steps, None, f"objective {walk.here.value:.6g}, shaken")
        for aside in _leans(system, walk, chance):
            climbs += 1
            back = Walk(walk.model, system, _worth(system, aside[-1].here), looks_far=False)
            found = climb(system, back, system.study.steps)
            gained = back.here.value - walk.here.value
            if found.status.endless or (found.status.at_rest and gained > walk.enough):
                if found.status.endless or back.here.value > _worth_it(walk):
                    idle = climbs = 0
                walk.follow(*aside, back)
                ending = found
                break
            idle += _little_play(system, walk, aside)
    return ending


def _worth_it(walk: Walk) -> float:
    """The least value of the objective for which a walk is followed on from its end."""
    return walk.here.value + max(3 * walk.enough, FINEST * walk.system.objective.size(walk.here.poses))


def _little_play(system: System, walk: Walk, aside: list[Walk]) -> bool:
    """Whether leans together moved no body by more than a little of its size: half as many rounds will do."""
    gone = np.abs(aside[-1].here.poses - walk.here.poses)[:, :2].max()
    return bool(gone < LITTLE * system.parts.size)


def _leans(system: System, walk: Walk, chance: np.random.Generator) -> Iterator[list[Walk]]:
    """Leans from the end of a walk, one after the other, as far as each place that promises a better end.

    Each stops anywhere on its way, and the next one leads on from there: parts that slide at no
    loss get to all places of that plateau, no further from the end than a few gaps, than they came
    to it or than a tenth of a body's size, nor than half of that size; where all seems locked, as
    far as half of it.
    """
    gone = float(np.hypot(*(walk.here.poses - system.parts.drawn)[:, :2].T).max())
    far = chance.random() < FAR and abs(walk.here.value) <= system.least
    radius = system.parts.size / 2
    if not far:
        radius = min(max(system.reach, gone, system.parts.size / 10), radius)
    near = within(system, walk.here.poses, radius)
    least = walk.here.value - LOSS * radius * system.weight
    aside = [walk]
    for last in range(1 - LEANS, 1):
        start = aside[-1]
        there = _lean_either_way(near, start, random_push(system, chance), chance.choice(KEEPS))
        there = _until_lost(system, there, least)
        for share in _shares(system, start.here, there.here, chance):
            stop = there.stopped(share)
            if _promises(system, _worth(system, stop.here), _worth_it(walk)):
                yield [*aside[1:], stop]
        aside.append(there.stopped(chance.random()))
        if last == 0:
            yield aside[1:]


def _until_lost(system: System, walk: Walk, least: float) -> Walk:
    """A walk as far as the objective is worth at least that."""
    worth = np.array([system.objective.value(poses) for poses in walk.frames])
    low = np.flatnonzero(worth[1:] < least)
    if not len(low):
        return walk
    before, after = worth[low[0]], worth[low[0] + 1]
    return walk.stopped_on(int(low[0]), float((before - least) / (before - after)))


def _shares(system: System, start: Place, there: Place, chance: np.random.Generator) -> Floats:
    """Shares of the way of a lean at which to stop: between any two at which a contact begins or ends.

    A part that slides along others may fit between them in one place only, and that place is
    where a vertex has slid off one edge and not yet onto another.
    """
    changes = [np.array([0.0, 1.0])]
    for at in (start, there):
        touching = gaps(at.contacts.rows, at.poses) <= 2 * system.threshold
        before, after = (
            beyond_ends(system.parts, poses, at.contacts)[touching] for poses in (start.poses, there.poses)
        )
        ends = before * after < 0
        changes.append(before[ends] / (before[ends] - after[ends]))
    between = np.unique(np.round(np.concatenate(changes), 6))
    low, high = between[:-1], between[1:]
    shares = chance.permutation(low + (high - low) * chance.random(len(low)))[:STOPS]
    return np.append(shares, chance.random(STOPS - len(shares)))


def _worth(system: System, here: Place) -> Place:
    """A place to which a lean has led, valued by the system's own objective."""
    return replace(here, value=system.objective.value(here.poses))


def _promises(system: System, here: Place, value: float) -> bool:
    """Whether the program at a place promises a greater value, once rows past their edges' ends let go."""
    found = promise(system, here, system.study.turn)
    every = (found, *released(system, found, value - here.value, system.study.turn))
    return any(one.endless is not None or here.value + one.gain > value for one in every)


def _lean_either_way(system: System, start: Walk, push: Floats, keep: float) -> Walk:
    """Where a push leads to; or one the other way, where it leads nowhere."""
    there = lean(system, start, push, keep)
    return there if there.steps else lean(system, start, -push, keep)


def random_push(system: System, chance: np.random.Generator) -> Floats:
    """A load (B + 1, 3) on the moving bodies, of a random direction, 1 on the greatest body's scale.

    Drawn in the order of the bodies' names and from the objective's own direction, so that the
    same assembly written down in another order, or lying another way, is pushed alike.
    """
    parts = system.parts
    order = sorted(parts.free, key=lambda body: parts.names_of(np.array([body])))
    push = np.zeros((parts.count + 1, 3))
    push[order] = chance.normal(size=(len(order), 3))
    push[:, :2] = turn(np.array(_bearing(system)), push[:, :2])
    push[:, 2] *= parts.size
    return push / max(float(np.abs(push / (1.0, 1.0, parts.size)).max()), 1e-300)


def _bearing(system: System) -> float:
    """The direction in which the objective moves a body most; of a turn, where that body is."""
    parts = system.parts
    wanted = system.objective.weights(parts.drawn)[: parts.count]
    most = int(np.abs(wanted * (1.0, 1.0, 1.0 / parts.size)).max(axis=1).argmax())
    along = wanted[most, :2]
    if not along.any():
        along = parts.drawn[most, :2] - parts.drawn[: parts.count, :2].mean(axis=0)
    return float(np.arctan2(along[1], along[0]))


def lean(system: System, walk: Walk, push: Floats, keep: float, far: bool = False) -> Walk:
    """Where a push leads to from the end of a walk, beside the objective times `keep`.

    Who goes far looks for contacts at all distances first.
    """
    objective, poses = system.objective, walk.here.poses
    arm = np.array([1.0, 1.0, 1.0 / system.parts.size])
    scale = float(np.abs(objective.weights(poses) * arm).max()) or 1.0
    leaning = replace(
        objective,
        linear=keep * objective.linear + scale * push,
        direction=keep * objective.direction,
        drawn=0.0,
        spin=None,
    )
    leaning = replace(leaning, drawn=leaning.value(poses))
    tilted = replace(system, objective=leaning)
    aside = Walk(walk.model, tilted, place(tilted, poses, walk.reach, None), looks_far=far)
    climb(tilted, aside, STEPS, wander=True)
    return aside
