"""Downhill to rest where lengths hold all the way: how a mechanism falls that has lost its stability.

Among the ways Z that lengths leave free, a step goes by g/|κ| along each: g = Zᵀ r are the forces along them
and κ their stiffnesses, those that are negative turned round, so that it goes down there too. Lengths are
then made to hold again, and the step is taken if the forces did work along it.
"""

from __future__ import annotations

import numpy as np

from pliant.relax.assemble.network import Floats, Network, State
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.gradients import Slopes, slopes
from pliant.relax.mechanics.measures import measure_angles
from pliant.relax.solvers.dead_centres import displaced
from pliant.relax.solvers.lagrange import (
    HOLDS,
    force_level,
    left_free,
    pulled,
    put,
    settle_exactly,
    stiffness,
)

STEPS, TURNS = 2000, 12
LONGEST, LEAST = 0.05, 1e-9  # of the size: steps
CALM = 1e-6  # of the forces: little enough for Newton's steps
SOFT = 1e-12  # of the largest stiffness: less of it is none
ASTRAY = 0.5  # of a step: so far lengths may lead from its end


def fallen(net: Network, state: State) -> bool:
    """Let a state go down to a stable rest, in place; whether it comes to one."""
    size, reach = net.size or 1.0, 0.01
    if not _held(net, state, LONGEST * size):
        return False
    for _ in range(STEPS):
        rows, right, values, ways = _look(net, state)
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
        displaced(net, there, rows.spread(y[:, None])[0])
        if _held(net, there, ASTRAY * float(np.abs(y).max())) and _work(net, state, there, rows, right) > 0.0:
            for array, new in zip(state, there, strict=True):
                array[:] = new
            reach = min(2.0 * reach, LONGEST)
        else:
            reach = 0.25 * min(reach, far)
    return False


def _look(net: Network, state: State) -> tuple[Slopes, Floats, Floats, Floats]:
    """Rows, the forces on the unknowns, and how stiff the ways are that lengths leave, with these ways."""
    found = elongations(net, state)
    rows = slopes(net, state.x, found)
    right = pulled(net, state, rows, found)
    put(net, state, rows, np.linalg.lstsq(rows.matrix.T.toarray(), right, rcond=None)[0].astype(np.float64))
    values, ways = left_free(rows, stiffness(net, state, rows, elongations(net, state)))
    return rows, right, values, ways


def _held(net: Network, state: State, most: float) -> bool:
    """Make lengths hold by displacements that are the least; whether they do, no further than so."""
    start = state.x.copy()
    for _ in range(TURNS):
        rows = slopes(net, state.x, elongations(net, state))
        if np.abs(rows.over).max(initial=0.0) <= HOLDS * (net.size or 1.0):
            return True
        y = -np.linalg.lstsq(rows.matrix.toarray(), rows.over, rcond=None)[0].astype(np.float64)
        displaced(net, state, rows.spread(y[:, None])[0])
        if len(state.turned):
            measure_angles(state.x, net.parts.couplings, state.turned)
        if not np.abs(state.x - start).max() <= most:
            return False
    return False


def _work(net: Network, state: State, there: State, rows: Slopes, right: Floats) -> float:
    """Of the forces from one state to another, by those at both ends."""
    found = elongations(net, there)
    after = slopes(net, there.x, found)
    moves = rows.gathered((there.x - state.x)[None])[:, 0]
    return float(moves @ (right + pulled(net, there, after, found)))
