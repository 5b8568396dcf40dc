"""Downhill to rest where lengths hold all the way: how a mechanism falls that has lost its stability.

Among the ways Z that lengths leave free, a step goes by g/|κ| along each: g = Zᵀ r are the forces along them
and κ their stiffnesses, those that are negative turned round, so that it goes down there too. Lengths are
then made to hold again, and the step is taken if the forces did work along it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.gradients import Jacobian, jacobian_at
from pliant.relax.network.elements import State
from pliant.relax.network.measures import measure_angles
from pliant.relax.network.network import Network
from pliant.relax.solvers.dead_centres import displace_nodes
from pliant.relax.solvers.lagrange import (
    HOLDS,
    applied_forces,
    force_level,
    free_modes,
    set_row_forces,
    settle_exactly,
    stiffness,
)

STEPS, TURNS = 2000, 12
LONGEST, LEAST = 0.05, 1e-9  # of the size: steps
CALM = 1e-6  # of the forces: little enough for Newton's steps
SOFT = 1e-12  # of the largest stiffness: less of it is none
ASTRAY = 0.5  # of a step: so far lengths may lead from its end


def descend(net: Network, state: State) -> bool:
    """Let a state go down to a stable rest, in place; whether it comes to one."""
    size, reach = net.size or 1.0, 0.01
    if not _enforce_lengths(net, state, LONGEST * size):
        return False
    for _ in range(STEPS):
        rows, right, values, ways = _free_modes_at(net, state)
        level = max(float(np.abs(right).max(initial=0.0)), force_level(net))
        along = ways.T @ right
        if np.abs(along).max(initial=0.0) <= CALM * level and (values > 0.0).all():
            return settle_exactly(net, state).at_rest
        step = along / np.maximum(np.abs(values), SOFT * (np.abs(values).max(initial=0.0) or 1.0))
        far = float(np.linalg.norm(step)) / size
        if reach < LEAST or not far > 0.0:
            return False
        there = State._make(array.copy() for array in state)
        y = ways @ (step * min(1.0, reach / far))
        displace_nodes(net, there, rows.spread(y[:, None])[0])
        if (
            _enforce_lengths(net, there, ASTRAY * float(np.abs(y).max()))
            and _work(net, state, there, rows, right) > 0.0
        ):
            for array, new in zip(state, there, strict=True):
                array[:] = new
            reach = min(2.0 * reach, LONGEST)
        else:
            reach = 0.25 * min(reach, far)
    return False


class _FreeModes(NamedTuple):
    """What the lengths leave free at a state: K ways of U unknowns."""

    rows: Jacobian
    right: Floats  # (U,) forces on the unknowns
    values: Floats  # (K,) stiffnesses
    ways: Floats  # (U, K)


def _free_modes_at(net: Network, state: State) -> _FreeModes:
    """Rows, forces, and stiffness and modes of what the lengths leave free; rows carry their forces."""
    stretch = elongations(net, state)
    rows = jacobian_at(net, state.x, stretch)
    right = applied_forces(net, state, rows, stretch)
    set_row_forces(
        net, state, rows, np.linalg.lstsq(rows.matrix.T.toarray(), right, rcond=None)[0].astype(np.float64)
    )
    values, ways = free_modes(rows, stiffness(net, state, rows, elongations(net, state)))
    return _FreeModes(rows, right, values, ways)


def _enforce_lengths(net: Network, state: State, most: float) -> bool:
    """Restore the lengths by the least displacement, up to a limit; whether they hold."""
    start = state.x.copy()
    for _ in range(TURNS):
        rows = jacobian_at(net, state.x, elongations(net, state))
        if np.abs(rows.over).max(initial=0.0) <= HOLDS * (net.size or 1.0):
            return True
        y = -np.linalg.lstsq(rows.matrix.toarray(), rows.over, rcond=None)[0].astype(np.float64)
        displace_nodes(net, state, rows.spread(y[:, None])[0])
        if len(state.turned):
            measure_angles(state.x, net.parts.couplings, state.turned)
        if not np.abs(state.x - start).max() <= most:
            return False
    return False


def _work(net: Network, state: State, there: State, rows: Jacobian, right: Floats) -> float:
    """Work of the forces between two states, by the trapezoid rule."""
    stretch = elongations(net, there)
    after = jacobian_at(net, there.x, stretch)
    moves = rows.gathered((there.x - state.x)[None])[:, 0]
    return float(moves @ (right + applied_forces(net, there, after, stretch)))
