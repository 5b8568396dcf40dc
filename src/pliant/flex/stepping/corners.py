"""Two convex corners face to face: outside one edge or the other, decided exactly.

d₁ + J₁Δq ≥ −m z,  d₂ + J₂Δq ≥ −m (1 − z),  z ∈ {0, 1}

makes the either-or of every corner a binary of a mixed-integer program. HiGHS solves it;
the edges it chooses then make an ordinary program, whose duals are forces. For small
assemblies: the heuristic that `flex.contact.selection` follows from step to step is compared with it.

Source: [Lensgraf2020] section V-A names the either-or and leaves it open.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import Bounds, milp
from scipy.sparse import coo_array, csr_array, diags_array, hstack, vstack

from pliant.core.arrays import Bools, Floats
from pliant.core.errors import PliantError
from pliant.flex.contact.selection import Selection, flip_corners
from pliant.flex.lp.dependent import dependent_rows
from pliant.flex.lp.program import Program
from pliant.flex.lp.solvers import in_natural_units
from pliant.flex.problem.system import System
from pliant.flex.stepping.step import Configuration

MOST_CORNERS = 400
SECONDS = 60.0


def best_corner_edges(system: System, here: Configuration, bound: Floats) -> Selection:
    """The contacts of a place with the best edge at every corner, within `bound` of it."""
    contacts = here.contacts
    count = len(contacts.corner)
    if count > MOST_CORNERS:
        raise PliantError(
            f'corners = "exact": {count} corners face each other, more than {MOST_CORNERS}; '
            'the mixed-integer program would not end. Use corners = "chosen".'
        )
    if count == 0:
        return contacts
    other = flip_corners(system.parts, contacts, np.ones(count, np.bool_))
    chosen_rows = system.program(contacts.rows, here.poses, bound)
    other_rows = system.program(other.rows, here.poses, bound)
    return flip_corners(system.parts, contacts, _choose(chosen_rows, other_rows, contacts))


def _choose(chosen: Program, other: Program, contacts: Selection) -> Bools:
    """Which corners do better with the other edge, in the natural units of the program."""
    units = in_natural_units(chosen)[1]
    own, length = units.columns.ravel(), float(units.columns[0, 0])
    columns = diags_array(own / length)
    corner, count = contacts.corner, len(contacts.corner)
    slack = 4.0 * contacts.near.reach / length  # nothing goes further than this in a step
    relaxed = coo_array((np.full(count, slack), (corner, np.arange(count))), shape=(len(chosen.gaps), count))
    first = hstack([chosen.matrix() @ columns, relaxed])
    second = hstack([other.matrix()[corner] @ columns, -slack * csr_array(np.eye(count))])
    low = np.concatenate([-chosen.gaps / length, -other.gaps[corner] / length - slack])
    high = np.full(len(low), np.inf)
    equal = np.flatnonzero(chosen.equal)
    follows = dependent_rows(chosen)[equal]
    high[equal[~follows]] = low[equal[~follows]]
    low[equal[follows]] = -np.inf
    most = np.concatenate([chosen.bound.ravel() / own, np.ones(count)])
    least = np.concatenate([-chosen.bound.ravel() / own, np.zeros(count)])
    ends: Any = (least, most)  # SciPy's stubs know single numbers only
    answer = milp(
        c=-np.concatenate([chosen.cost.ravel() * own / units.objective, np.zeros(count)]),
        constraints=(vstack([first, second]).tocsr(), low, high),
        bounds=Bounds(*ends),
        integrality=np.concatenate([np.zeros(chosen.cost.size), np.ones(count)]),
        options={"time_limit": SECONDS},
    )
    if answer.x is None:
        return np.zeros(count, np.bool_)
    return np.asarray(answer.x[-count:] > 0.5)
