"""Runs a linkage along a path of motor angles, from the drawn pose on.

Rules need no path: every pose is closed form. Coupled groups have several solutions, and the
right one is the one that is reached from the drawing: they are followed with a prediction
along the tangent, a correction by Newton's method, and steps that are halved until the
correction is small beside the step and no determinant has changed its sign, or has gone down to 0
and up again (which is another path, that crosses there: see `bifurcations`). Only the joints of
groups are judged so: a rule after them may run to its own limit at any speed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Bools, Floats, Ints
from pliant.linkage.kinematics.coupled import determinant_rates, determinants
from pliant.linkage.kinematics.hermite import Cells, value
from pliant.linkage.kinematics.poses import LinkagePoses, concatenate_poses, positions, rates, select_poses
from pliant.linkage.structure.constraints import errors
from pliant.linkage.structure.rule_plan import RulePlan

SMALLEST = 1e-9  # radians below which a step is not halved again: something is in the way
COARSE = np.radians(4)  # of a motor: how far apart the poses are that are walked to
NEARBY = 0.05  # of the way between two of them: how much a pose between may be corrected
SLOW = 0.1  # of the smallest group a radian: a speed that a correction need not be small beside
WILD = 1e6  # sizes a radian: rates beyond it are none
TAME = 0.1  # of what would take a determinant to 0 within a step: a rate of no concern
DOOR = 1e-6  # radians before a determinant is 0 at which a group is followed no further
MOST = 0.9  # of the way to where a determinant would be 0, by its rate: how far a step may go
HEADS = 0.5  # of what it takes to be 0 at the other end of a step: a determinant that falls that fast
TRIES = 256  # steps on the way to one pose; where they do not do, it is in the way for good
CLOSED = 1e-9  # how far from holding, of the linkage's size, a row may be


@dataclass(frozen=True)
class FollowedPoses:
    """As many poses as were reached."""

    poses: LinkagePoses
    complete: bool


def follow(
    plan: RulePlan,
    angles: Floats,
    drawn: Floats | None = None,
    signs: Floats | None = None,
    near: Floats | None = None,
    finest: float = SMALLEST,
) -> FollowedPoses:
    """The linkage at motor angles (M, F); with coupled groups, walked from the drawn pose in that order.

    Only every few degrees is walked to; what lies between is corrected from a cubic through its ends,
    all at once, and walked where that is not near enough.

    Args:
        plan: of the linkage, from `compile_plan`.
        angles: of the motors, from the drawn pose (M, F) in rad.
        drawn: positions of the joints as drawn (N, 2); left out, the plan's.
        signs: sides of the rules; left out, those of the drawing.
        near: positions (N, 2) at angles[:, 0] to begin from instead.
        finest: step (rad) below which none is halved.

    Returns:
        Poses up to where a group could not be followed.
    """
    drawn = plan.drawn if drawn is None else drawn
    if not plan.groups:
        return FollowedPoses(positions(plan, angles, drawn, signs=signs), True)
    if not angles.shape[1]:
        return FollowedPoses(positions(plan, angles, drawn, np.zeros((len(drawn), 2, 0)), signs), True)
    if near is None:
        here = positions(plan, np.zeros((len(angles), 1)), drawn, drawn[:, :, None], signs)
    else:
        here = positions(plan, angles[:, :1], drawn, near[:, :, None], signs)
    marks = _coarse_samples(angles / plan.structure.spans[:, None])
    stations = _follow_samples(here, angles[:, marks], signs, finest)
    marks = marks[: len(stations)]
    x = np.empty((len(drawn), 2, angles.shape[1]))
    for mark, station in zip(marks.tolist(), stations, strict=True):
        x[:, :, mark] = station.x[:, :, 0]
    done = _fill_between(stations, marks, angles, signs, x) if len(marks) else 0
    if done < angles.shape[1]:  # as far as it goes beyond the last mark
        last = stations[-1] if stations else here
        ahead = _follow_samples(last, angles[:, done:], signs, finest)
        for f, station in enumerate(ahead, done):
            x[:, :, f] = station.x[:, :, 0]
        done += len(ahead)
    poses = positions(plan, angles[:, :done], drawn, x[:, :, :done], signs)
    return FollowedPoses(poses, done == angles.shape[1])


def _coarse_samples(angles: Floats) -> Ints:
    """Poses to walk to: the first, the last, and one every few degrees between them."""
    travelled = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(angles, axis=1)).max(axis=0))])
    passed = np.floor(travelled / COARSE)
    keep = np.concatenate([[True], np.diff(passed) > 0])
    keep[-1] = True
    return np.flatnonzero(keep)


def _follow_samples(
    here: LinkagePoses, angles: Floats, signs: Floats | None, finest: float = SMALLEST
) -> list[LinkagePoses]:
    """From pose to pose, as far as it goes."""
    reached: list[LinkagePoses] = []
    for f in range(angles.shape[1]):
        there = _continue_to(here, angles[:, f : f + 1], signs, finest)
        if there is None:
            break
        here = there
        reached.append(here)
    return reached


def _fill_between(
    stations: list[LinkagePoses], marks: Ints, angles: Floats, signs: Floats | None, x: Floats
) -> int:
    """Fill in the poses between the marks; how many poses are filled from the first on."""
    last = int(marks[-1])
    inner = np.setdiff1d(np.arange(last), marks)
    if not len(inner):
        return last + 1
    cell = np.searchsorted(marks, inner) - 1
    ends = concatenate_poses(stations)
    chord = np.diff(ends.angles, axis=1)
    before, after = select_poses(ends, slice(0, -1)), select_poses(ends, slice(1, None))
    v0, _ = rates(before, chord, np.zeros_like(chord))
    v1, _ = rates(after, chord, np.zeros_like(chord))
    u = ((angles[:, inner] - before.angles[:, cell]) * chord[:, cell]).sum(axis=0)
    u = u / np.maximum((chord[:, cell] ** 2).sum(axis=0), 1e-300)  # 0 where motors stand still
    cells = Cells(before.x[..., cell], after.x[..., cell], v0[..., cell], v1[..., cell])
    with np.errstate(all="ignore"):
        guess = value(cells, u)
    guess = np.where(np.isfinite(guess), guess, cells.f0)
    between = positions(ends.plan, angles[:, inner], ends.drawn, guess, signs)
    size, own = ends.plan.structure.size, ends.plan.coupled_joints
    far = np.abs(after.x - before.x)[own].max(axis=(0, 1)) + np.abs(v0[own]).max(axis=(0, 1))
    bad = np.abs(between.x - guess)[own].max(axis=(0, 1)) > NEARBY * far[cell] + CLOSED * size
    bad |= ~are_closed(between) | ~_same_branch(between, select_poses(before, cell))
    x[:, :, inner] = between.x
    for c in np.unique(cell[bad]).tolist():
        own = inner[cell == c]
        walked = _follow_samples(stations[c], angles[:, own], signs)
        for f, station in zip(own.tolist(), walked, strict=False):
            x[:, :, f] = station.x[:, :, 0]
    return last + 1


def _continue_to(
    here: LinkagePoses, target: Floats, signs: Floats | None, finest: float
) -> LinkagePoses | None:
    """From one pose to another, in as many steps as it takes; None where it cannot get there."""
    step = 1.0  # of what is left
    for _ in range(TRIES):
        left = target - here.angles
        span = _motor_travel(here, left)
        if span == 0.0:
            return here
        there, barred = _step(here, here.angles + step * left, signs)
        if barred:
            return None
        if there is not None:
            here = there
            if step == 1.0:
                return here
            step = min(1.0, 2.0 * step / (1.0 - step))
        elif step * span <= finest:
            return None
        else:
            step /= 2.0
    return None


def _step(here: LinkagePoses, angles: Floats, signs: Floats | None) -> tuple[LinkagePoses | None, bool]:
    """One prediction and correction; None where they do not agree. With it, whether none will do."""
    ahead = angles - here.angles
    size, turn, own = here.plan.structure.size, _motor_travel(here, ahead), here.plan.coupled_joints
    v = _finite_velocity(here, ahead)
    guess = here.x + np.where(np.isfinite(v), v, 0.0)
    there = positions(here.plan, angles, here.drawn, guess, signs)
    if not np.isfinite(there.x[own]).all():
        return None, False
    dwelling = (
        SLOW * turn * here.plan.group_size
    )  # a group that comes to rest and turns back has no speed there
    allowed = 0.25 * max(float(np.abs(v[own]).max()), dwelling) if v[own].any() else 2 * turn * size
    if np.abs(there.x - guess)[own].max() > allowed + CLOSED * size:
        return None, False
    if not (are_closed(there)[0] and _same_branch(here, there)[0]):
        return None, False
    crosses, barred = _crosses_other_path(here, there, ahead, v)
    return (None if crosses else there), barred


def _motor_travel(here: LinkagePoses, ahead: Floats) -> float:
    """How far the motors go in a step (M, 1), in radians or what is like them."""
    return float(np.abs(ahead / here.plan.structure.spans[:, None]).max())


def _finite_velocity(here: LinkagePoses, ahead: Floats) -> Floats:
    """Velocities (N, 2, 1) by a step; 0 at a change point, which has none."""
    size, turn = here.plan.structure.size, _motor_travel(here, ahead)
    v = rates(here, ahead, np.zeros_like(ahead))[0]
    return v if (np.abs(v[here.plan.coupled_joints]) <= WILD * turn * size).all() else np.zeros_like(v)


def _crosses_other_path(
    here: LinkagePoses, there: LinkagePoses, ahead: Floats, v: Floats
) -> tuple[bool, bool]:
    """Whether two paths of a group may cross within a step, and whether it ends as good as at the crossing.

    By its rate a determinant heads for 0 within the step, or from both of its ends. At a crossing it
    does so straight, and nearer by rounding would decide between the paths; at a fold its square does.
    """
    turn = _motor_travel(here, ahead)
    with np.errstate(all="ignore"):
        for group in here.plan.groups:
            before = float(determinant_rates(group, here.drawn, here.x, v)[0])
            if before > -TAME:
                continue
            after = float(determinant_rates(group, there.drawn, there.x, _finite_velocity(there, ahead))[0])
            if before < -MOST or (before < -HEADS and after > HEADS):
                return True, False
            sizes = [abs(float(determinants(group, end.drawn, end.x)[0])) for end in (here, there)]
            steeper = sizes[1] * abs(after) / (sizes[0] * abs(before))  # 1 where it goes straight
            if turn < -after * DOOR and steeper**2 < sizes[0] / sizes[1]:
                return True, True
    return False, False


def are_closed(poses: LinkagePoses) -> Bools:
    """(F,) whether every equation of the coupled groups is solved; rules that do not close are `limits`'s."""
    size, fits = poses.plan.structure.size, np.ones(poses.x.shape[2], bool)
    for group in poses.plan.groups:
        wrong = errors(group.rows, poses.drawn[group.near], poses.points[:, group.near])
        fits &= np.max(wrong, axis=1, initial=0.0) <= CLOSED * size
    return fits


def _same_branch(here: LinkagePoses, there: LinkagePoses) -> Bools:
    """(F,) whether no group has gone through a toggle between two poses."""
    same = np.ones(here.x.shape[2], bool)
    for group in here.plan.groups:
        before = determinants(group, here.drawn, here.x)
        same &= np.sign(before) == np.sign(determinants(group, there.drawn, there.x))
    return same
