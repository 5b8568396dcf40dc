"""Steps along the way of a mechanism under load, by arclength: positions, forces and the drive together.

z = (x, f, s) are positions, the forces in what is rigid, and the share of the drive. The way is

    G(z) = (Jᵀ f − r, e) = 0,    A = ∂G/∂(x, f)

with J the slopes of the lengths that hold, e by how much they are off and r the forces from all else. A step
goes along the tangent of the way, and Newton's steps across it lead back: whether s goes on or turns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.gradients import Jacobian, jacobian_at
from pliant.relax.network.elements import State
from pliant.relax.network.measures import measure_angles
from pliant.relax.network.network import Network, once
from pliant.relax.solvers.dead_centres import displace_nodes
from pliant.relax.solvers.lagrange import applied_forces, force_level, row_forces, set_row_forces, stiffness

TURNS = 12  # Newton's steps back to the way
SHORTEST = 1e-3  # of the size: shorter links count as this
FORCES = 20.0  # times the largest of them: towards a fold they grow without bound, and a step doubles them
STILL, HOLDS = 1e-14, 1e-11  # of the same: a step that is none, and what is left of G
YIELD = 1e-13  # of the size, under the largest force: by so much lengths give way that repeat each other
ASTRAY = 0.3  # of a step along the way: so far Newton's steps lead from its end, at most
SHORT = 1e-6  # of the drive: over less, its rates are not compared


@dataclass(frozen=True)
class PathPoint:
    """State and share of the drive with G, A and ∂G/∂s there, x and f in their units."""

    state: State
    share: float
    rows: Jacobian
    forces: Floats  # (R,)
    left: Floats  # (U + R,) G
    matrix: Floats  # (U + R, U + R) A
    driven: Floats  # (U + R,) ∂G/∂s
    stiff: Floats  # (U, U)
    units: Floats  # (U + R,)
    largest: float  # force


def path_point(net: Network, state: State, share: float, goal: float) -> PathPoint:
    """PathPoint of a state at a share of the drive."""
    stretch = elongations(net, state)
    rows = jacobian_at(net, state.x, stretch)
    forces, right = row_forces(net, state, rows), applied_forces(net, state, rows, stretch)
    stiff, j = stiffness(net, state, rows, stretch), rows.matrix.toarray()
    there, reach = State._make(array.copy() for array in state), max(goal - share, SHORT)
    net.aim(there, share + reach)
    after = elongations(net, there)
    driven = (
        -(applied_forces(net, there, rows, after) - right),
        jacobian_at(net, there.x, after).over - rows.over,
    )
    (size, unknowns), acting = j.shape, max(np.abs(part).max(initial=0.0) for part in (forces, right))
    largest = max(float(acting), force_level(net))
    units = np.append(displacement_scales(net)[rows.nodes], np.full(size, FORCES * largest))
    matrix = np.zeros((unknowns + size, unknowns + size))
    matrix[:unknowns, :unknowns], matrix[unknowns:, :unknowns], matrix[:unknowns, unknowns:] = stiff, j, j.T
    scales = np.append(np.full(unknowns, largest), np.full(size, net.size or 1.0))
    left = np.append(j.T @ forces - right, rows.over) / scales
    matrix = matrix * units / scales[:, None]
    matrix[range(unknowns, unknowns + size), range(unknowns, unknowns + size)] = -YIELD
    return PathPoint(
        state, share, rows, forces, left, matrix,
        np.concatenate(driven) / reach / scales, stiff, units, largest,
    )  # fmt: skip


@once
def displacement_scales(net: Network) -> Floats:
    """Reference length of each node's displacement (N,): its shortest link, or the size."""
    size, links = net.size or 1.0, net.parts.links
    out = np.full(len(net.drawn), size)
    lengths = np.linalg.norm(net.drawn[links.ends[:, 1]] - net.drawn[links.ends[:, 0]], axis=1)
    for ends in links.ends.T:
        np.minimum.at(out, ends, lengths)
    return np.maximum(out, SHORTEST * size)


def tangent(spot: PathPoint, before: Floats) -> Floats | None:
    """Unit tangent of the path (U + R + 1,), pointing onwards."""
    right = np.append(np.zeros(len(spot.left)), 1.0)
    try:
        direction: Floats = np.linalg.solve(_bordered_matrix(spot, before), right).astype(np.float64)
    except np.linalg.LinAlgError:
        return None
    return direction / np.linalg.norm(direction) if np.isfinite(direction).all() else None


def _bordered_matrix(spot: PathPoint, along: Floats) -> Floats:
    return np.vstack([np.hstack([spot.matrix, spot.driven[:, None]]), along])


def correct(
    net: Network, spot: PathPoint, along: Floats, step: float, goal: float, astray: float = ASTRAY
) -> PathPoint | None:
    """Point of the path in the plane normal to `along`, so far ahead; None where Newton's method fails."""
    gone = step * along
    count = len(spot.left)
    here = path_point(
        net, displaced_state(net, spot, gone[:count], float(gone[-1])), spot.share + float(gone[-1]), goal
    )
    for turn in range(TURNS):
        try:
            y: Floats = np.linalg.solve(_bordered_matrix(here, along), -np.append(here.left, 0.0)).astype(
                np.float64
            )
        except np.linalg.LinAlgError:
            return None
        far = float(np.abs(y).max())
        if not far < astray * abs(step) + STILL:
            return None
        state = displaced_state(net, here, y[:count], float(y[-1]))
        here = path_point(net, state, here.share + float(y[-1]), goal)
        if turn and far < max(STILL, 1e-9 * abs(step)):
            break
    return here if np.abs(here.left).max() <= HOLDS else None


def displaced_state(net: Network, spot: PathPoint, y: Floats, share: float) -> State:
    """State of a point displaced by y (U + R,) in its units, with its share advanced."""
    unknowns = len(spot.rows.nodes)
    there = State._make(array.copy() for array in spot.state)
    displace_nodes(net, there, spot.rows.spread((spot.units * y)[:unknowns, None])[0])
    set_row_forces(net, there, spot.rows, spot.forces + (spot.units * y)[unknowns:])
    net.aim(there, spot.share + share)
    if len(there.turned):
        measure_angles(there.x, net.parts.couplings, there.turned)
    return there


def cosine(spot: PathPoint, first: Floats, second: Floats) -> float:
    """Cosine of the angle between two tangents, forces scaled by the largest."""
    scale = np.ones(len(first))
    scale[len(spot.rows.nodes) : -1] = FORCES
    a, b = scale * first, scale * second
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))
