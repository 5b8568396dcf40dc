"""The drive of a mechanism that its lengths decide alone, increment by increment in one compiled loop.

Where lengths are as many as ways to move, and nothing but them acts, a pose is found by

    J Δ = −e

one group of lengths after the other (see `groups`). Each increment is judged as `follow` judges it: at rest,
lengths held, no body inside out, straight to where it ends and no faster than before, the determinant of J of
one sign and no pivot near 0. It is halved where it fails; where halving comes to what `follow` takes for
close to an event, the loop ends before it, and the event is located and named there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner, kernel
from pliant.relax.factors.elimination import elimination_order
from pliant.relax.network.network import Network, once
from pliant.relax.solvers.assur_groups import assur_groups, factorise_groups
from pliant.relax.solvers.increment_measures import (
    BOUND,
    DODGE,
    FINE,
    FREE,
    GROWS,
    JUMP,
    LEAST,
    NONE,
    SHORT,
    SHRINKS,
    SLOWEST,
    STEADY,
    length_rounding,
)
from pliant.relax.solvers.increment_measures import HOLDS as LENGTHS
from pliant.relax.solvers.newton import WIDEST
from pliant.relax.solvers.positions import (
    Bounds,
    GroupSteps,
    GroupStructure,
    NewtonBuffers,
    Pose,
    copy,
    fill_system,
    newton,
    scratch,
)

WIDENED = 0.97  # of the widest step: as wide an increment is made that was too wide
WORK = 3e6  # numbers of factors, after which it is time for a word

NEAR, THERE, PAUSE = range(3)  # why a run ends: close to an event, at its goal, or to be gone on with
HELD, JUMPED, MEETS = range(3)  # how an increment ends: it holds, it does not, two branches meet at its end


class DriveState(NamedTuple):
    """Where the drive is, and what the next increment is compared with."""

    share: float
    step: float  # the next increment
    speed: float  # the fastest it went: displacement over the share of the drive
    last: float  # that of the last increment; below 0 where there is none to compare with
    sign: float  # of the determinant of the groups; 0: that of where it begins
    made: int  # factorisations of its increments
    drawn: int  # and of its frames
    kept: int  # frames
    why: int  # NEAR, THERE or PAUSE


class FrameBuffers(NamedTuple):
    """Frames that are wanted on the way, to be filled."""

    shares: Floats  # (F,)
    x: Floats  # (F, N, D)
    residuals: Floats  # (F,)
    made: Ints  # (F,) factorisations until there


@once
def structure(net: Network) -> GroupStructure | None:
    """Group structure for the compiled loop; None where it does not apply."""
    decided = assur_groups(net)
    if decided is None:
        return None
    (groups, chosen), links, rest = decided, net.parts.links, net.drive.rest
    return GroupStructure(
        ends=links.ends[chosen],
        stiffness=links.stiffness[chosen],
        scales=net.scales[chosen],
        rest=np.array((rest if rest.strides[0] else rest[:1])[:, chosen], order="C"),
        simplices=net.simplices,
        order=elimination_order(net),
        groups=groups,
    )


def bounds(net: Network, tolerance: float, bends: bool) -> Bounds:
    """Thresholds by which increments are judged; the tolerance is a force (N)."""
    return Bounds(tolerance, length_rounding(net), _peak_stiffness(net), net.size, bends)


@once
def _peak_stiffness(net: Network) -> float:
    """Largest sum of stiffnesses at a node."""
    links = net.parts.links
    return float(np.bincount(links.ends.ravel(), np.repeat(links.stiffness, 2)).max(initial=0.0))


def frame_buffers(net: Network, shares: list[float]) -> FrameBuffers:
    """Room for frames."""
    count = len(shares)
    return FrameBuffers(
        np.array(shares), np.empty((count, *net.drawn.shape)), np.empty(count), np.empty(count, np.int64)
    )


@kernel
def follow_groups(
    pose: Pose, own: GroupStructure, bounds: Bounds, going: DriveState, goal: float, frames: FrameBuffers
) -> DriveState:
    """Bring a mechanism along its drive to a goal, or until close to an event; `pose` in place."""
    work = scratch(pose, own)
    before, after = _copy_pose(pose), _copy_pose(pose)
    share, step, speed, last = going.share, going.step, going.speed, going.last
    fill_system(own, pose, work)
    found_sign, least, most = factorise_groups(own.groups, work.values, work.lu, work.swaps)
    sign, why, made, drawn, kept = going.sign if going.sign != 0.0 else found_sign, NEAR, 0, 0, 0
    ready = least > NONE * most  # as True and False by name `newton` would be compiled once for each
    if not ready or found_sign * sign < 0.0:
        return DriveState(share, step, speed, last, sign, made, drawn, kept, NEAR)
    while share < goal:
        left = goal - share
        asked = step
        if left < 1.5 * step:
            step = left if left <= step else 0.5 * left
        ahead = goal if step == left else share + step
        _restore_pose(pose, before)
        _aim(own.rest, ahead, pose.rest)
        steps = newton(own, pose, work, bounds, bounds.tolerance, BOUND, ready)
        far = _displacement(before.x, pose.x)
        judgement = _judge(own, pose, work, bounds, steps, before.x, sign)
        if judgement == HELD and steps.distorted > JUMP and not _smooth(steps, far / step, speed, last):
            judgement = JUMPED
        ready = judgement != JUMPED
        if judgement == MEETS and ahead == goal:
            judgement = HELD
        made, more = made + steps.made, 0
        if judgement == HELD and kept < len(frames.shares) and frames.shares[kept] <= ahead:
            _restore_pose(pose, after)
            more, tried = _frames(own, pose, work, bounds, frames, kept, ahead, before, after, made + drawn)
            _restore_pose(after, pose)
            ready, drawn = share > goal, drawn + tried  # no more
        if judgement != HELD or more < 0:
            _restore_pose(before, pose)
            if more < 0 or step <= SHORT:
                break
            step *= DODGE if judgement == MEETS else 0.5
            ready = steps.wide > 0.0
            if ready:  # the first step is as many times larger as its increment
                step *= 2.0 * WIDENED * WIDEST / steps.wide
            continue
        last = far / step
        speed = max(speed, last if step > SLOWEST else 0.0)
        share, kept = ahead, kept + more
        step = max((4.0 if steps.distorted < 0.4 * BOUND else 2.0) * step, asked)
        if (made + drawn) * len(work.lu) > WORK:
            why = PAUSE
            break
    return DriveState(share, step, speed, last, sign, made, drawn, kept, THERE if share == goal else why)


@inner
def _frames(
    own: GroupStructure, pose: Pose, work: NewtonBuffers, bounds: Bounds, pictures: FrameBuffers, kept: int,
    ahead: float, before: Pose, after: Pose, already: int,
) -> tuple[int, int]:  # fmt: skip
    """Keep the frames of an increment; how many, or −1 where one does not come to rest; factorisations."""
    limit = 2.0 * _displacement(before.x, after.x) + JUMP * bounds.size
    count, made = 0, 0
    while kept + count < len(pictures.shares) and pictures.shares[kept + count] <= ahead:
        at = kept + count
        share = pictures.shares[at]
        fits = share == ahead
        for start in range(3 if share < ahead else 1):
            if share == ahead or start == 2:
                _restore_pose(after, pose)
            elif start == 1 or count == 0:
                _restore_pose(before, pose)
            _aim(own.rest, share, pose.rest)
            if share < ahead:
                steps = newton(own, pose, work, bounds, bounds.tolerance, np.inf, share == ahead)
                made += steps.made
                fits = steps.at_rest and _displacement(before.x, pose.x) <= limit
                if fits and _largest_error(own.scales, work.over) <= LENGTHS:
                    break
                fits = False
        if not fits:
            return -1, made
        steps = newton(own, pose, work, bounds, FINE * bounds.tolerance, np.inf, share == ahead and made == 0)
        made += steps.made
        pictures.residuals[at], pictures.made[at] = steps.residual, already + made
        copy(pose.x, pictures.x[at])
        count += 1
    return count, made


@inner
def _smooth(steps: GroupSteps, pace: float, speed: float, last: float) -> bool:
    """Whether Newton's steps converged directly, at about the last increment's speed."""
    steady = last < 0.0 or pace <= max(GROWS * last, LEAST * speed)
    return steady and steps.second <= max(SHRINKS * steps.first, STEADY)


@inner
def _judge(
    own: GroupStructure,
    pose: Pose,
    work: NewtonBuffers,
    bounds: Bounds,
    steps: GroupSteps,
    before: Floats,
    sign: float,
) -> int:
    """Whether an increment holds, but for how fast it went; if so, the factors are those of its end."""
    if not steps.at_rest or steps.distorted > BOUND:
        return JUMPED
    if _largest_error(own.scales, work.over) > FREE:
        newton(own, pose, work, bounds, FINE * bounds.tolerance, np.inf, not steps.at_rest)
        if _largest_error(own.scales, work.over) > FREE + bounds.rounding:
            return JUMPED
    if not _same_sides(own.simplices, before, pose.x):
        return JUMPED
    now, least, most = factorise_groups(own.groups, work.values, work.lu, work.swaps)
    if least <= NONE * most:
        return MEETS
    return HELD if now * sign > 0.0 else JUMPED


@inner
def _largest_error(scales: Floats, over: Floats) -> float:
    """The largest error of a length, as a share of its scale."""
    worst = 0.0
    for row in range(len(scales)):
        worst = max(worst, abs(over[row]) / scales[row])
    return worst


@inner
def _aim(table: Floats, share: float, out: Floats) -> None:
    """Rest lengths at a share of the drive, as `Drive.at` has them."""
    spot = min(max(share, 0.0), 1.0) * (len(table) - 1)
    k = min(int(spot), max(len(table) - 2, 0))
    t, after = spot - k, min(k + 1, len(table) - 1)
    if t == 1.0:
        k, t = after, 0.0
    for e in range(len(out)):
        out[e] = table[k, e] + t * (table[after, e] - table[k, e]) if t > 0.0 else table[k, e]


@inner
def _same_sides(simplices: Ints, before: Floats, after: Floats) -> bool:
    """Whether no body turned inside out."""
    same = True
    for b in range(len(simplices)):
        same = same and _side(simplices[b], before) * _side(simplices[b], after) >= 0.0
    return same


@inner
def _side(nodes: Ints, x: Floats) -> float:
    """The volume of a simplex, or its area, with its sign; times a constant."""
    o, a, b = nodes[0], nodes[1], nodes[2]
    p, q = x[a, 0] - x[o, 0], x[a, 1] - x[o, 1]
    u, v = x[b, 0] - x[o, 0], x[b, 1] - x[o, 1]
    if x.shape[1] == 2:
        return p * v - q * u
    r, w, c = x[a, 2] - x[o, 2], x[b, 2] - x[o, 2], nodes[3]
    f, g, h = x[c, 0] - x[o, 0], x[c, 1] - x[o, 1], x[c, 2] - x[o, 2]
    return f * (q * w - r * v) + g * (r * u - p * w) + h * (p * v - q * u)


@inner
def _displacement(first: Floats, second: Floats) -> float:
    """Largest displacement of a node."""
    most = 0.0
    for i in range(len(first)):
        square = 0.0
        for c in range(first.shape[1]):
            square += (second[i, c] - first[i, c]) ** 2
        most = max(most, square)
    return np.sqrt(most)


@inner
def _copy_pose(pose: Pose) -> Pose:
    return Pose(pose.x.copy(), pose.rest.copy())


@inner
def _restore_pose(source: Pose, target: Pose) -> None:
    copy(source.x, target.x)
    for e in range(len(source.rest)):
        target.rest[e] = source.rest[e]
