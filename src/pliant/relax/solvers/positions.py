"""Newton's steps to a pose that lengths decide alone: J Δ = −e, one group of lengths after the other.

Steps bend round corners (see `bending`), and none is made shorter: where one would have to be, the increment
that asked for it is too large.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.kernel import inner
from pliant.relax.factors.elimination import Order
from pliant.relax.mechanics.bending import bend, distortion, spins
from pliant.relax.solvers.assur_groups import Groups, factorise_groups, solve_groups
from pliant.relax.solvers.increment_measures import JUMP, SHRINKS
from pliant.relax.solvers.newton import ROUNDED, ROUNDING, SMALL, WIDEST

TURNS = 12  # factorisations of an increment


class Bounds(NamedTuple):
    """Thresholds by which an increment is judged."""

    tolerance: float  # of forces
    rounding: float  # of lengths, as shares of their scales
    stiffness: float  # of a node, at most
    size: float  # of the mechanism
    bends: bool


class Pose(NamedTuple):
    """What changes as the drive goes on."""

    x: Floats  # (N, D)
    rest: Floats  # (n,)


class GroupStructure(NamedTuple):
    """What does not: n links that hold, and the groups they fall into."""

    ends: Ints  # (n, 2)
    stiffness: Floats  # (n,)
    scales: Floats  # (n,) that errors are shares of
    rest: Floats  # (W, n) rest lengths at equal steps of the drive; one row where they do not change
    simplices: Ints  # (B, D + 1) bodies, which must keep their sides
    order: Order
    groups: Groups


class NewtonBuffers(NamedTuple):
    """Work arrays of the steps."""

    values: Floats  # (cells,) of J
    over: Floats  # (n,) elongations
    lu: Floats  # factors of the groups
    swaps: Ints  # (n,)
    y: Floats  # (n,)
    force: Floats  # (N, D)
    step: Floats  # (N, D)
    spin: Floats  # (N, 3)
    here: Floats  # (N, D)
    right: Floats  # (n, D)


class GroupSteps(NamedTuple):
    """Outcome of Newton's steps."""

    at_rest: bool
    residual: float
    made: int  # factorisations
    distorted: float
    first: float  # how far the first two steps went
    second: float
    wide: float  # distortion of a first step that was too far to be taken, else 0


@inner
def newton(
    own: GroupStructure,
    pose: Pose,
    work: NewtonBuffers,
    bounds: Bounds,
    tolerance: float,
    bound: float,
    ready: bool,
) -> GroupSteps:
    """Newton's steps to a pose, none of them shortened; `ready`: the factors are those of where it begins."""
    x, groups, edges = pose.x, own.groups, own.order.edges
    energy, worst = fill_system(own, pose, work)
    floor = 2.0 * ROUNDING * _largest_coordinate(x) * bounds.stiffness
    made, gone, first, second, stuck, taken = 0, 0.0, 0.0, 0.0, 0, True
    while taken and worst > max(tolerance, floor) and made < TURNS and gone <= bound and stuck <= ROUNDED:
        if made > 0 or not ready:
            taken = factorise_groups(groups, work.values, work.lu, work.swaps)[1] > 0.0
        made += 1
        solve_groups(groups, work.values, work.over, work.lu, work.swaps, work.y)
        _spread(groups, work.y, work.step)
        spins(x, work.step, edges, work.spin)
        far = distortion(x, work.step, work.spin, edges, own.order.sizes)
        if made == 2 and bound < np.inf and first > JUMP and far > SHRINKS * first:
            taken = False  # it will not do: see `_smooth`
        if not (taken and far <= WIDEST and gone + far <= bound):
            return GroupSteps(False, worst, made, gone, first, second, far if taken and made == 1 else 0.0)
        bends = bounds.bends and _largest_spin(work.spin) > SMALL
        taken, energy, worse = _try(own, pose, work, bends, energy, worst)
        if taken:
            gone += far
            first, second = (far, 0.0) if made == 1 else (first, far if made == 2 else second)
            stuck = stuck + 1 if 0.5 * worst < worse < 1e3 * floor else 0
            worst = worse
    return GroupSteps(worst <= max(tolerance, 4.0 * floor), worst, made, gone, first, second, 0.0)


@inner
def _try(
    own: GroupStructure, pose: Pose, work: NewtonBuffers, bends: bool, energy: float, worst: float
) -> tuple[bool, float, float]:
    """Take the step bent, or else straight, if energy or force fall; what they are then."""
    x, here = pose.x, work.here
    copy(x, here)
    now = worse = np.inf
    for straight in range(0 if bends else 1, 3):  # at last, it stays where it was
        if straight == 0:
            bend(here, work.step, work.spin, own.order, x, work.right)
        else:
            for i in range(len(x)):
                for c in range(x.shape[1]):
                    x[i, c] = here[i, c] + (work.step[i, c] if straight == 1 else 0.0)
        now, worse = fill_system(own, pose, work)
        if straight < 2 and np.isfinite(now) and (now < energy - 1e-14 * energy or worse < worst):
            return True, now, worse
    return False, now, worse


@inner
def fill_system(own: GroupStructure, pose: Pose, work: NewtonBuffers) -> tuple[float, float]:
    """Fill J and the elongations; the energy, and the largest force on a node."""
    energy = _fill(
        pose.x, own.ends, pose.rest, own.stiffness, own.order.place, work.values, work.over, work.force
    )
    worst = 0.0
    for i in range(len(work.force)):
        square = 0.0
        for c in range(work.force.shape[1]):
            square += work.force[i, c] * work.force[i, c]
        if own.order.place[i] >= 0:
            worst = max(worst, square)
    return energy, np.sqrt(worst)


@inner
def _fill(
    x: Floats,
    ends: Ints,
    rest: Floats,
    stiffness: Floats,
    place: Ints,
    values: Floats,
    over: Floats,
    force: Floats,
) -> float:
    """J, its cells as `slopes` has them, elongations, and the forces on nodes; the energy."""
    n, d = x.shape
    at, energy = 0, 0.0
    for i in range(n):
        for c in range(d):
            force[i, c] = 0.0
    for row in range(len(ends)):
        i, j = ends[row, 0], ends[row, 1]
        p, q = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1]
        r = x[j, 2] - x[i, 2] if d == 3 else 0.0
        length = np.sqrt(p * p + q * q + r * r)
        scale = 1.0 / length if length > 0.0 else 0.0
        over[row] = length - rest[row]
        pull = stiffness[row] * over[row]
        energy += 0.5 * pull * over[row]
        p, q, r = scale * p, scale * q, scale * r
        for node in (j, i):
            force[node, 0] += pull * p
            force[node, 1] += pull * q
            if d == 3:
                force[node, 2] += pull * r
            if place[node] >= 0:
                values[at], values[at + 1] = p, q
                if d == 3:
                    values[at + 2] = r
                at += d
            p, q, r = -p, -q, -r
    return energy


@inner
def _largest_coordinate(x: Floats) -> float:
    """The largest coordinate."""
    most = 0.0
    for i in range(len(x)):
        for c in range(x.shape[1]):
            most = max(most, abs(x[i, c]))
    return most


@inner
def scratch(pose: Pose, own: GroupStructure) -> NewtonBuffers:
    """Room for the steps of a mechanism."""
    groups, (count, d) = own.groups, pose.x.shape
    n, cells = len(groups.rows), len(groups.inside) + len(groups.outside)
    return NewtonBuffers(
        np.empty(cells), np.empty(n), np.empty(groups.factors[-1]), np.empty(n, np.int64), np.empty(n),
        np.empty((count, d)), np.zeros((count, d)), np.empty((count, 3)), np.empty((count, d)),
        np.empty((len(own.order.node), d)),
    )  # fmt: skip


@inner
def _spread(groups: Groups, y: Floats, step: Floats) -> None:
    """Displacements of nodes from unknowns, by their places."""
    for i in range(len(step)):
        for c in range(step.shape[1]):
            step[i, c] = 0.0
        for u in range(groups.starts[i], groups.starts[i + 1]):
            step[i, u - groups.starts[i]] = y[groups.place[u]]


@inner
def _largest_spin(spin: Floats) -> float:
    most = 0.0
    for i in range(len(spin)):
        for c in range(3):
            most = max(most, abs(spin[i, c]))
    return most


@inner
def copy(source: Floats, target: Floats) -> None:
    """Copy positions (N, D)."""
    for i in range(len(source)):
        for c in range(source.shape[1]):
            target[i, c] = source[i, c]
