"""Perturbation: from an end, push the parts aside for a while and ascend again.

A program at rest knows its pose only. Bodies that lie against each other may have to slide or
roll before there is more to gain; a push to the side, in a direction that chance has given,
finds most of that. Next to nothing of the objective is given up for it, and no body goes
further than half of the largest one's size: what lies on a table is not carried to its edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.progress import Progress
from pliant.flex.contact.distance import gaps
from pliant.flex.contact.selection import distance_beyond_ends
from pliant.flex.diagnosis.unbounded import Ending
from pliant.flex.problem.system import System
from pliant.flex.status import FlexStatus
from pliant.flex.stepping.alternatives import without_released_rows, without_touching_tips
from pliant.flex.stepping.ascent import FINEST, ascend
from pliant.flex.stepping.linearization import (
    linear_step,
    with_half_way_back,
    with_loss_bounds,
    with_travel_bounds,
)
from pliant.flex.stepping.pushes import TURNED, leans
from pliant.flex.stepping.step import Configuration, configuration_at
from pliant.flex.stepping.trajectory import Trajectory, without_choices

FEW, SHORT = 12, 500  # moving bodies and rows up to which parts are pushed: a second or two
MORE, LONGER = 60, 4000  # the same where parts rattle: some seconds
LOSS = 0.01  # of how far a push may lead, and no more of the objective is lost on it
ROUNDS = 8  # of such leans that gain nothing
AFTER_GAINS = 3  # times as many, where leans have gained something, and where all seems locked
LEAST_ROUNDS = 5  # where parts rattle, be leans little
MOST_ROUNDS = 60
LITTLE = 0.1  # of a body's size: half as many rounds will do, and at a tenth of that a quarter
FAR = 0.5  # of the rounds go as far as half of the largest body's size, where all seems locked
STEPS = 2  # of a push
SLIDING = 6  # steps of a slide
STRAIGHT = 0.1  # of what may be lost on a slide is gone by turns: it passes what it would catch on, turned
JUST = 0.02  # of a stretch between two changes of contact: so near to one, too, a push stops
SHY = 0.1  # of the overlap that is allowed: a gain of less is none, and not worth going elsewhere for
ASCENTS = 8  # that gain nothing, be they promising, once what is most wanted has been slid alone


def is_worth_perturbing(system: System, trajectory: Trajectory) -> bool:
    """Whether an end is perturbed: of few parts always, of more where they rattle.

    Where gaps are small against the parts, a program sees all that they can do from where they are.
    """
    parts, rows = system.parts, len(trajectory.here.contacts.rows)
    few, short = (MORE, LONGER) if system.rattles else (FEW, SHORT)
    return len(parts.free) <= few and rows <= short


def perturb_end(system: System, trajectory: Trajectory, ending: Ending, progress: Progress) -> Ending:
    """Push the parts at the end of a trajectory until that gains nothing; it then goes to the better end."""
    chance = np.random.default_rng(0)
    idle = ascents = tried = 0
    patience = AFTER_GAINS if _seems_locked(system, trajectory) else 1
    least = LEAST_ROUNDS if system.rattles else 0
    for done in range(MOST_ROUNDS):
        idled = idle >= patience * ROUNDS and done >= least
        spent = idled or (ascents >= patience * ASCENTS and tried > TURNED)
        if spent or not ending.status.at_rest:
            break
        idle, gone = idle + 1, 0.0
        progress(trajectory.steps, None, f"objective {trajectory.here.value:.6g}, shaken")
        for aside in _sideways_trajectories(system, trajectory, chance, tried):
            if not aside:
                continue
            ascents += 1
            start, overlap = _with_own_value(system, aside[-1].here), aside[-1].overlaps[-1]
            back = Trajectory(trajectory.model, system, start, looks_far=False, overlap=overlap)
            end = ascend(system, back, system.study.steps)
            gained = back.here.value - trajectory.here.value
            enough = max(trajectory.enough, SHY * system.threshold * system.weight)
            if end.status.endless or (end.status.at_rest and gained > enough):
                if end.status.endless or back.here.value > _least_better_value(trajectory):
                    idle, ascents, tried, patience = 0, 0, -1, AFTER_GAINS
                trajectory.extend(*aside, back)
                ending = _ending_of_whole(trajectory, end)
                break
            away = np.abs(aside[-1].here.poses - trajectory.here.poses)[:, :2].max()
            gone = max(gone, float(away) / system.parts.size)
        else:
            idle += _spared_rounds(gone)
        tried += 1
    return ending


def _ending_of_whole(trajectory: Trajectory, end: Ending) -> Ending:
    """The ending of a trajectory whose last walk ended so: a walk knows nothing of the turns before it."""
    turning = trajectory.turning() if end.status.at_rest else None
    return end if turning is None else Ending(FlexStatus.TURNING, turning=turning)


def _seems_locked(system: System, trajectory: Trajectory) -> bool:
    """Whether next to nothing has been gained beside what there is to move."""
    nothing = max(system.least, FINEST * system.parts.size * system.weight)
    return abs(trajectory.here.value) <= nothing


def _least_better_value(trajectory: Trajectory) -> float:
    """The least value of the objective for which a trajectory goes on from its end."""
    return trajectory.here.value + max(
        3 * trajectory.enough, FINEST * trajectory.system.objective.size(trajectory.here.poses)
    )


def _spared_rounds(gone: float) -> int:
    """How many more rounds to spare where no leans of one moved a body by more of its size than that."""
    return int(gone < LITTLE) + 2 * int(gone < LITTLE**2)


def _sideways_trajectories(
    system: System, trajectory: Trajectory, chance: np.random.Generator, tried: int
) -> Iterator[list[Trajectory]]:
    """Pushes from an end, one after the other, as far as each configuration from which more could be had.

    Each stops anywhere on its way, and the next one leads on from there: parts that slide at no
    loss get to all places of that plateau. Slides go as far from the end as half of the largest
    body's size, and others do where all seems locked; else no further than a few gaps, than parts
    came to the end or than a tenth of a body's size.
    """
    poses, parts = trajectory.here.poses, system.parts
    gone = float(np.hypot(*(poses - parts.drawn)[:, :2].T).max())
    far = chance.random() < FAR and _seems_locked(system, trajectory)
    most = float(parts.radius[parts.free].max())
    radius = most if far else min(max(system.reach, gone, parts.size / 10), most)
    near, hair = with_travel_bounds(system, poses, radius), LOSS * most
    least = trajectory.here.value - LOSS * radius * system.weight
    aside = [trajectory]
    for lean in leans(system, chance, tried):
        start = aside[-1]
        if lean.slides:
            level = with_travel_bounds(system, poses, most, STRAIGHT * hair)
            level = with_loss_bounds(level, poses, hair * system.weight)
            there = push_aside(level, start, lean.push, lean.keep, SLIDING, reach=most)
        else:
            there = _cut_at_loss(system, _push_aside_either_way(near, start, lean.push, lean.keep), least)
        if not there.steps or not _is_clear(system, there):
            continue
        touching = 2 * system.threshold + (hair if lean.slides else 0.0)
        for share in _stopping_shares(system, start.here, there.here, touching, chance)[: lean.stops]:
            stop = there.cut_at_share(share)
            here = _with_own_value(system, stop.here)
            if _is_clear(system, stop) and _promises_more(system, trajectory, here):
                yield [*aside[1:], stop]
        cut = there.cut_at_share(chance.random()) if lean.stops else there
        aside.append(cut if _is_clear(system, cut) else there)
    yield aside[1:]


def _is_clear(system: System, trajectory: Trajectory) -> bool:
    """Whether no row is violated where a trajectory was cut: what begins there may overlap by as much."""
    return trajectory.here.violation <= 2 * system.threshold


def _cut_at_loss(system: System, trajectory: Trajectory, least: float) -> Trajectory:
    """A trajectory as far as the objective is worth at least that, or no less than where it begins."""
    worth = system.objective.values(np.array(trajectory.frames))
    least = min(least, worth[0])
    low = np.flatnonzero(worth[1:] < least)
    if not len(low):
        return trajectory
    before, after = worth[low[0]], worth[low[0] + 1]
    return trajectory.cut_on_leg(int(low[0]), float((before - least) / (before - after)))


def _stopping_shares(
    system: System, start: Configuration, there: Configuration, touching: float, chance: np.random.Generator
) -> Floats:
    """Shares of the way of a push at which to stop: between any two at which a contact begins or ends.

    In contact are vertices that are as near to an edge as `touching`.

    A part that slides along others may fit between them in one place only, and that place is
    where a vertex has slid off one edge and not yet onto another: at its least near where that
    begins or ends.
    """
    changes = [np.array([0.0, 1.0])]
    for at in (start, there):
        held = gaps(at.contacts.rows, at.poses) <= touching
        before, after = (
            distance_beyond_ends(system.parts, poses, at.contacts)[held]
            for poses in (start.poses, there.poses)
        )
        ends = before * after < 0
        changes.append(before[ends] / (before[ends] - after[ends]))
    between = np.unique(np.round(np.concatenate(changes), 6))
    low, high = between[:-1], between[1:]
    within = low + (high - low) * chance.random(len(low))
    beside = np.concatenate([low + (high - low) * JUST, high - (high - low) * JUST])[1:]
    return np.concatenate([[1.0], chance.permutation(within), chance.permutation(beside)])


def _with_own_value(system: System, here: Configuration) -> Configuration:
    """A configuration to which a push has led, valued by the system's own objective."""
    return replace(here, value=system.objective.value(here.poses))


def _promises_more(system: System, end: Trajectory, here: Configuration) -> bool:
    """Whether the program of a pose gets higher than an end, once rows past ends or at tips let go.

    The way back to that end does not count.
    """
    turn, value = system.study.turn, _least_better_value(end)
    onward = with_half_way_back(system, here.poses, end.here.poses)
    linear = linear_step(onward, here, turn)
    every = chain(
        [linear],
        without_released_rows(onward, linear, value - here.value, turn),
        without_touching_tips(onward, linear, turn),
    )
    return any(one.endless is not None or here.value + one.gain > value for one in every)


def _push_aside_either_way(system: System, start: Trajectory, push: Floats, keep: float) -> Trajectory:
    """Where a push leads to; or one the other way, where it leads nowhere."""
    there = push_aside(system, start, push, keep)
    return there if there.steps else push_aside(system, start, -push, keep)


def push_aside(
    system: System,
    trajectory: Trajectory,
    push: Floats,
    keep: float,
    steps: int = STEPS,
    far: bool = False,
    reach: float = 0.0,
) -> Trajectory:
    """Where a push leads to in some steps from the end of a trajectory, beside the objective times `keep`.

    Contacts are looked for within `reach` to begin with; who goes far looks at all distances first.
    """
    objective, poses = system.objective, trajectory.here.poses
    wanted = objective.weights(poses)
    scale = max(np.hypot(*wanted[:, :2].T).max(), np.abs(wanted[:, 2]).max() / system.parts.size) or 1.0
    leaning = replace(
        objective,
        linear=keep * objective.linear + scale * push,
        direction=keep * objective.direction,
        drawn=0.0,
        spin=None,
    )
    leaning = replace(leaning, drawn=leaning.value(poses))
    tilted = replace(system, objective=leaning)
    reach = max(reach, trajectory.reach)
    start = configuration_at(tilted, poses, reach, without_choices(trajectory.here.contacts))
    aside = Trajectory(trajectory.model, tilted, start, far, trajectory.overlaps[-1])
    ascend(tilted, aside, steps, wander=True)
    return aside
