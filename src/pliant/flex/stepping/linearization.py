"""The linear program of a configuration, solved: what it would gain, and whether it has a bound at all.

The first program is eq. 11 as it stands. Later ones bound each rotation, not each body's
travel, which would stall a long assembly. A program that turns out unbounded is solved again
with the relative motion of neighbours bounded.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from pliant.core.arrays import Floats, Ints
from pliant.flex.contact.selection import add_edges
from pliant.flex.diagnosis.unbounded import recession_direction, smallest_relaxation
from pliant.flex.geometry.parts import Parts
from pliant.flex.lp.program import Program
from pliant.flex.lp.solvers import solve_program
from pliant.flex.problem.joints import Joint, Linear, join_linear
from pliant.flex.problem.system import System
from pliant.flex.stepping.corners import best_corner_edges
from pliant.flex.stepping.step import (
    AcceptedStep,
    Configuration,
    LinearStep,
    TurnBound,
    configuration_at,
    is_usable,
    take_step,
)

# Accuracies, of that to which the motion converges.
FIRST = 1e-4
LATER = 0.02
ROUGH = 1.0  # where only what is gained counts, and whether that is enough
ROUNDS = 8  # in which edges that bodies run into are put into a program


def linear_step(
    system: System, here: Configuration, turn: TurnBound | None, accuracy: float = LATER
) -> LinearStep:
    """Solve the program at a place; rotations up to `turn`, or any where None.

    The first program, with any rotation, is the one whose duals are reported; of the others
    only the step counts, to an accuracy relative to that of the motion.
    """
    tolerance = (FIRST if turn is None else accuracy) * system.tolerance
    bound = np.full((len(system.parts.free), 3), np.inf)
    bound[:, 2] = np.inf if turn is None else turn
    if system.study.corners == "exact":
        with system.clock.phase("lp"):
            here = replace(here, contacts=best_corner_edges(system, here, bound))
    with system.clock.phase("program"):
        program = system.program(here.contacts.rows, here.poses, bound)
    with system.clock.phase("lp"):
        solution, relaxed = solve_program(program, system.study.solver, tolerance), 0.0
        motion = None
        if not is_usable(system, program, solution):
            motion = recession_direction(system, program)
        if motion is None and not is_usable(system, program, solution) and program.gaps.min(initial=0.0) < 0:
            program, relaxed = _relax(program)
            solution = solve_program(program, system.study.solver, tolerance)
        if motion is None and not is_usable(system, program, solution):
            # It can be satisfied, so that it has no bound: between edges that are all but parallel,
            # what is gained for ever is next to nothing beside the travel.
            motion = recession_direction(system, program, slowest=0.0)
    return LinearStep(system, here, program, solution, motion, relaxed)


def _relax(program: Program) -> tuple[Program, float]:
    """Give way on every row by the least that makes the program feasible, and a hundredth more.

    A step that ended in a small overlap can leave rows that no motion satisfies all at once.
    """
    relaxation = smallest_relaxation(program)
    if not 0 < relaxation < np.inf:
        return program, 0.0
    give = 1.01 * relaxation
    return replace(program, gaps=np.where(program.equal, program.gaps, program.gaps + give)), give


def step_with_new_contacts(
    system: System, linear: LinearStep, enough: float, turn: TurnBound
) -> tuple[LinearStep, AcceptedStep | None]:
    """As far as a linear step leads, and that step as it was taken; None where it leads nowhere.

    Where bodies would run into edges that have no rows, these are put into the program, and it
    is asked again: that decides on which side of a corner a vertex passes.
    """
    for _ in range(ROUNDS):
        if linear.endless is not None:
            linear = linear_step(with_trust_region(system, linear.here), linear.here, turn)
        if not is_usable(system, linear.program, linear.solution) or abs(linear.gain) <= enough:
            return linear, None
        moved = take_step(system, linear, turn)
        here, near = linear.here, linear.here.contacts.near
        if moved is None and near.most is not None:  # bodies are in the way that are not among the nearest
            every = configuration_at(system, here.poses, near.reach, here.contacts, every=True)
            linear = linear_step(system, every, turn)
            continue
        if moved is None or moved.crossings is None:
            return linear, moved
        contacts = add_edges(system.parts, linear.here.contacts, moved.crossings)
        linear = linear_step(system, replace(linear.here, contacts=contacts), turn)
    return linear, None


def with_trust_region(system: System, here: Configuration) -> System:
    """The system with rows that bound how far neighbours move relative to each other.

    |R(−θ₁)(x₂ − x₁)| and |θ₂ − θ₁| times the radius may change by the reach at most, to
    first order; bodies that no chain of neighbours joins to a fixed one may travel as far.
    """
    pairs = here.contacts.near.pairs
    pairs = np.concatenate([pairs, _to_ground(system.parts, _unconnected_bodies(system.parts, pairs))])
    reach = here.contacts.near.reach
    return _with_rows(system, _relative_rows(system, here.poses, pairs, reach, reach))


def with_travel_bounds(system: System, poses: Floats, radius: float, swing: float | None = None) -> System:
    """The system with rows that keep every body within a radius of where it is.

    By turns no point goes further than that, or than a `swing`.
    """
    pairs = _to_ground(system.parts, system.parts.free)
    return _with_rows(
        system, _relative_rows(system, poses, pairs, radius, radius if swing is None else swing)
    )


def with_loss_bounds(system: System, poses: Floats, loss: float) -> System:
    """The system with rows that let no body lose more of the objective than that from where it is."""
    wanted = system.objective.weights(poses)
    bodies = system.parts.free[np.abs(wanted[system.parts.free]).max(axis=1) > 0]
    return _with_rows(system, _rows_along(system, bodies, wanted[bodies], loss, poses))


def with_half_way_back(system: System, poses: Floats, end: Floats) -> System:
    """The system with rows that let no body go more than half of its way back to where it was at an end.

    By |Δ|² for turns times half of the size. Down from a top the loss is −kΔ², and its slope
    promises to regain just that on half of the way: what goes beyond the top is had elsewhere.
    """
    arm = np.array([1.0, 1.0, system.parts.size / 2])
    gone = (poses - end) * arm
    length = np.linalg.norm(gone, axis=1)
    bodies = system.parts.free[length[system.parts.free] > 0]
    along = gone[bodies] / length[bodies, None] * arm
    return _with_rows(system, _rows_along(system, bodies, along, length[bodies] / 2, poses))


def _rows_along(system: System, bodies: Ints, along: Floats, back: Floats | float, poses: Floats) -> Linear:
    """Rows that let bodies (K,) go back by so much at most along directions (K, 3) from poses."""
    blocks = np.stack([np.zeros_like(along), along], axis=1)
    offset = back - (along * poses[bodies]).sum(axis=1)
    source = np.full(len(bodies), len(system.joints.joints))
    return Linear(_to_ground(system.parts, bodies), blocks, offset, source)


def _to_ground(parts: Parts, bodies: Ints) -> Ints:
    return np.stack([np.full(len(bodies), parts.count), bodies], axis=1)


def _with_rows(system: System, rows: Linear) -> System:
    joints = replace(
        system.joints,
        joints=(*system.joints.joints, Joint("trust", (), "the step's own bound")),
        linear=join_linear([system.joints.linear, rows]),
    )
    return replace(system, joints=joints)


def _unconnected_bodies(parts: Parts, pairs: Ints) -> Ints:
    """Moving bodies that are not joined, neighbour by neighbour, to a fixed one."""
    ones = np.ones(len(pairs))
    graph = coo_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(parts.count, parts.count))
    label = connected_components(graph, directed=False)[1]
    held = np.isin(label, label[parts.moving[:-1] < 0])
    return np.flatnonzero(~held)


def _relative_rows(system: System, poses: Floats, pairs: Ints, radius: float, swing: float) -> Linear:
    first, second = pairs.T
    arm = poses[second, :2] - poses[first, :2]
    arm[first == system.parts.count] = 0.0
    size = np.append(system.parts.radius, 1.0)[second]
    change = np.zeros((len(pairs), 3, 2, 3))  # of x, y and turn, by pose of first and second
    change[:, 0, 0] = np.stack([-np.ones(len(arm)), np.zeros(len(arm)), arm[:, 1]], axis=1)
    change[:, 1, 0] = np.stack([np.zeros(len(arm)), -np.ones(len(arm)), -arm[:, 0]], axis=1)
    change[:, 0, 1, 0] = change[:, 1, 1, 1] = 1.0
    change[:, 2, 0, 2], change[:, 2, 1, 2] = -size, size
    blocks = np.concatenate([change, -change]).reshape(-1, 2, 3)
    bodies = np.tile(np.repeat(pairs, 3, axis=0), (2, 1))
    most = np.tile(np.array([radius, radius, swing]), 2 * len(pairs))
    offset = most - (blocks * poses[bodies]).sum(axis=(1, 2))
    return Linear(bodies, blocks, offset, np.full(len(bodies), len(system.joints.joints)))
