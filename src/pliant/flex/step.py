"""One step along a solution of the linear program: how far, and onto the curved constraints.

A step of the program moves bodies along straight lines, so that distances err by half the
square of the rotation. Moving on by t·Δq and then correcting, by a few weighted
Gauss–Newton steps, until the distances are those the program promised,

    min Σ w_i (d_i(q) − g_i)²,  g = d + t·JΔq,  w_i = 1 / max(g_i, ε)²

lets a step be as long as the contacts last instead of as long as the linearisation does.

Source: [Lensgraf2020] section V-B for the search over t.
Differs: the correction is ours; the paper shortens the step until the error is small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.pose import Floats
from pliant.flex.contact import Selection, find_neighbours, relative_travel, select
from pliant.flex.normal import least_squares
from pliant.flex.program import Program, Solution
from pliant.flex.system import System

CORRECTIONS = 6
HALVINGS = 12
DEBUG=False


@dataclass(frozen=True)
class Place:
    """A pose of the assembly with its contacts, and how far the worst row is violated."""

    poses: Floats  # (B + 1, 3)
    contacts: Selection
    overlap: float
    value: float  # of the objective


def place(system: System, poses: Floats, reach: float, before: Selection | None) -> Place:
    """Select the contacts of a pose, from the neighbours known before while they hold."""
    near = before.near if before else None
    if near is None or near.reach != reach or not near.still_hold(system.parts, poses):
        near = find_neighbours(system.parts, poses, reach)
    corners = "average" if system.study.corners == "average" else "chosen"
    contacts = select(system.parts, poses, near, before, corners, 0.1 * system.threshold)
    overlap = system.overlap(contacts.rows, poses)
    return Place(poses, contacts, overlap, system.objective.value(poses))


def travel(system: System, here: Place, step: Floats) -> float:
    """How far neighbours would go relative to each other, at most, to first order."""
    parts, pairs = system.parts, here.contacts.near.pairs
    moved = np.zeros_like(here.poses)
    moved[parts.free] = step
    if not len(pairs):
        return float(np.abs(step[:, :2]).max(initial=0.0))
    first, second = pairs.T
    arm = here.poses[second, :2] - here.poses[first, :2]
    swing = moved[first, 2, None] * np.stack([-arm[:, 1], arm[:, 0]], axis=1)
    apart = moved[second, :2] - moved[first, :2] - swing
    spin = np.abs(moved[second, 2] - moved[first, 2]) * parts.radius[second]
    return float((np.hypot(*apart.T) + spin).max())


def advance(system: System, here: Place, program: Program, step: Floats, fraction: float) -> Floats:
    """The pose a fraction of a step away, corrected onto the distances the program promised."""
    parts = system.parts
    rows = system.rows(here.contacts.rows)
    promised = program.gaps + fraction * program.change(step)
    promised[~program.equal] = np.maximum(promised[~program.equal], 0.0)
    promised[program.equal] = 0.0
    weights = 1.0 / np.maximum(promised, system.threshold) ** 2
    poses = here.poses.copy()
    poses[parts.free] += fraction * step
    last=np.inf
    for _ in range(CORRECTIONS):
        error = system.gaps(rows, poses) - promised
        now = np.abs(error * np.sqrt(weights)).max(initial=0)
        tight = promised<system.threshold
        if DEBUG: print('   corr', np.abs(error).max(), np.abs(error[tight]).max(initial=0), (-error[tight]).max(initial=0))
        if np.abs(error[tight]).max(initial=0.0) < 1e-4*system.threshold or now > 0.5*last:
            break
        last=now
        poses[parts.free] += least_squares(system.program(here.contacts.rows, poses, program.bound), -error, weights)
    return poses


def search(
    system: System, here: Place, program: Program, solution: Solution, longest: float, reach: float
) -> tuple[Place, float] | None:
    """The longest fraction of a step, halving from `longest`, that overlaps by no more than is allowed.

    Where the step starts with an overlap, half of it is allowed to be left, or the search
    would stall before the overlap is mended.
    """
    allowed = max(system.threshold, here.overlap / 2)
    fraction = longest
    for _ in range(HALVINGS):
        poses = advance(system, here, program, solution.step, fraction)
        there = place(system, poses, reach, here.contacts)
        if there.overlap <= allowed:
            return there, fraction
        fraction /= 2
    return None


__all__ = ["Place", "advance", "place", "relative_travel", "search", "travel"]
