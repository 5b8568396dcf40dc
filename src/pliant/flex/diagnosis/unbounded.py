"""Findings about a motion: parts that can leave, programs that cannot be satisfied.

A solver's status word decides none of them. Freedom is decided by a program of its own (the
recession cone), infeasibility by the smallest relaxation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import shapely
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack, vstack

from pliant.core.arrays import Floats, Geometries, Ints
from pliant.flex.lp.program import Program
from pliant.flex.lp.solvers import in_natural_units, solve_program
from pliant.flex.problem.system import System
from pliant.flex.status import FlexStatus

ALIKE = 4  # decimals to which velocities of bodies that go together agree; the fastest is 1
MOST_WAYS = 20  # different ones, beyond which nothing is played
SLOWEST = 1e-5  # of the load: what gains less than that with its travel is taken to be held


@dataclass(frozen=True)
class Leaving:
    """Bodies that can go straight for ever, played collision-free until clear of the rest."""

    bodies: tuple[str, ...]
    velocities: tuple[tuple[float, float], ...]  # the fastest is 1


@dataclass(frozen=True)
class Turning:
    """Bodies that turn right round, and by how much they had turned when that was seen."""

    bodies: tuple[str, ...]
    turns: tuple[float, ...]  # rad
    proven: bool  # the way closes on itself, collision-free, so that it can be gone again and again


@dataclass(frozen=True)
class Ending:
    """How a motion ended, and what was found with that."""

    status: FlexStatus
    note: str = ""
    leaving: Leaving | None = None
    turning: Turning | None = None


def recession_direction(
    system: System, program: Program, turning: bool = True, slowest: float = SLOWEST
) -> Floats | None:
    """A motion (M, 3) that gains for ever as far as the rows can tell: J q̇ ≥ 0, |q̇| ≤ 1, c·q̇ > 0.

    It gains more than the `slowest` share of what the same motion would gain along the load.

    Differs: the paper reads unboundedness off the solver; solvers confuse it with failure.
    """
    arm = np.array([1.0, 1.0, 1.0 / system.parts.size if turning else 0.0])
    bounded = replace(program, gaps=np.zeros_like(program.gaps), bound=np.tile(arm, (len(program.cost), 1)))
    solution = solve_program(bounded, tolerance=1e-8)
    most = float(np.abs(program.cost * arm).max())
    return solution.step if most > 0 and solution.objective > slowest * most else None


def find_leaving(system: System, poses: Floats, program: Program) -> Leaving | None:
    """Bodies that can go straight for ever and get clear of the rest as they do; None: none is seen to."""
    motion = recession_direction(system, program, turning=False)
    if motion is None:
        return None
    alone = np.where(np.abs(program.cost).max(axis=1, keepdims=True) > 0, motion, 0.0)
    if program.change(alone).min(initial=0.0) >= -1e-6:  # what is not asked to go stays
        motion = alone
    speed = np.hypot(motion[:, 0], motion[:, 1])
    goes = speed > 1e-3 * speed.max()
    movers, parts = system.parts.free[goes], system.parts
    velocity = _common_velocities(motion[goes, :2] / speed.max())
    if not _gets_clear(system, poses, movers, velocity):
        return None
    ways = zip(movers, velocity.tolist(), strict=True)
    return Leaving(
        bodies=parts.names_of(movers),
        velocities=tuple((x, y) for body, (x, y) in ways for _ in parts.members_of[body]),
    )


def bodies_turned_round(system: System, poses: Floats) -> Ints:
    """Moving bodies that have turned right round since they were drawn."""
    turned = np.abs(poses - system.parts.drawn)[system.parts.free, 2]
    return system.parts.free[turned > 2 * np.pi]


def frame_up_to_turns(frames: Floats, poses: Floats) -> tuple[int, Floats]:
    """The frame (of F, B + 1, 3) most like some poses when whole turns do not count; as many turns on.

    Only frames from which a body has turned at least once since.
    """
    turns = np.round((poses - frames)[..., 2] / (2 * np.pi))
    then = frames.copy()
    then[..., 2] += 2 * np.pi * turns
    unlike = np.abs(then - poses).max(axis=(1, 2))
    unlike[np.abs(turns).max(axis=1) < 1] = np.inf
    best = int(np.argmin(unlike))
    return best, then[best]


def _common_velocities(velocity: Floats) -> Floats:
    """Velocities (K, 2), where those that are all but the same are one: bodies that go together."""
    _, label = np.unique(velocity.round(ALIKE), axis=0, return_inverse=True)
    label = label.ravel()
    return np.array([velocity[label == each].mean(axis=0) for each in label])


def _gets_clear(system: System, poses: Floats, movers: Ints, velocity: Floats) -> bool:
    """Play a translation of movers (K,) by velocities (K, 2) until all is passed: whether nothing is hit.

    Movers that do not all go the same way may still meet each other; they are played against
    each other in the frame of each. What is played is what is said, to the last digit: over a long way
    a ten-thousandth is much.
    """
    parts = system.parts
    polygons = parts.polygons(poses)
    every = np.zeros((parts.count, 2))
    every[movers] = velocity
    groups, label = np.unique(every, axis=0, return_inverse=True)
    label = label.ravel()
    low, high = np.reshape(shapely.total_bounds(polygons), (2, 2))
    ways = groups * 2 * float(np.hypot(*(high - low))) / float(np.hypot(*velocity.T).min())
    for here in range(len(ways)):
        for there in range(here):
            relative = ways[here] - ways[there]
            if _sweep_hits(polygons[label == here], polygons[label == there], relative, system.threshold):
                return False
    return len(ways) <= MOST_WAYS


def _sweep_hits(moving: Geometries, still: Geometries, travel: Floats, allowed: float) -> bool:
    """Whether what moves gets deeper than is allowed into what stands still: into that inset by so much."""
    insets = shapely.STRtree(shapely.buffer(still, -allowed, join_style="mitre"))
    return any(insets.query(_swept(one, travel), predicate="intersects").size for one in moving)


def _swept(polygon: shapely.Geometry, travel: Floats) -> Geometries:
    """What a polygon passes over when it is translated: itself, and a band of each of its sides."""
    rings = [shapely.get_coordinates(ring) for ring in shapely.get_parts(shapely.boundary(polygon))]
    start = np.concatenate([ring[:-1] for ring in rings])
    end = np.concatenate([ring[1:] for ring in rings])
    sides = np.stack([start, end, end + travel, start + travel], axis=1)
    bands: Geometries = np.asarray(shapely.convex_hull(np.asarray(shapely.polygons(sides))))
    return np.array([polygon, *bands.tolist()], np.object_)


def smallest_relaxation(program: Program) -> float:
    """How much every distance must be relaxed for the program to have a solution; 0: none.

    min e subject to J Δq + d + e ≥ 0 (equalities within ± e), e ≥ 0.

    Solved in natural units, where e is weighed by what each row was divided by.
    """
    own, units = in_natural_units(program)
    most = float(units.rows.max(initial=0.0)) or 1.0
    matrix, give = own.matrix(), csr_array(units.rows[:, None] / most)
    rows = [hstack([-matrix, -give])]
    rest = [own.gaps]
    if own.equal.any():
        rows.append(hstack([matrix[own.equal], -give[own.equal]]))
        rest.append(-own.gaps[own.equal])
    bounds = [(-b if np.isfinite(b) else None, b if np.isfinite(b) else None) for b in own.bound.ravel()]
    cost = np.zeros(own.cost.size + 1)
    cost[-1] = 1.0
    answer = linprog(cost, vstack(rows), np.concatenate(rest), bounds=[*bounds, (0, None)], method="highs")
    return float(answer.x[-1]) * units.objective / most if answer.x is not None else float("inf")
