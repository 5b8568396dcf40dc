"""Slipping past an edge's end: what a linear program at rest cannot see.

A vertex that presses on an edge near its end gains nothing by sliding along it, to first
order, until it has slid past: then the corner is free to pass on the other side. So when a
motion has come to rest, the bodies are slid, at no loss, as far past such ends as they go,
and the program is asked again with those corners the other way.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pliant.flex.contact import flip, past_ends
from pliant.flex.distance import gaps_and_blocks
from pliant.flex.lp.solvers import solve_program
from pliant.flex.promise import LATER, promise
from pliant.flex.step import Place, Promise, move, place, usable
from pliant.flex.system import System

KEEP = 1e3  # what the objective weighs beside the sliding: nothing is given up for it


def slip(system: System, found: Promise, turn: float) -> tuple[Promise, Place, float] | None:
    """A slide that loses nothing and lets the motion go on: its promise, its end, its fraction.

    The end has the corners it slid past the other way round.
    """
    contacts = found.here.contacts
    arm = np.array([1.0, 1.0, 1.0 / system.parts.size])
    most = float(np.abs(found.program.cost * arm).max(initial=0.0))
    if system.study.corners != "chosen" or most == 0:
        return None
    force = found.solution.forces[: len(contacts.rows)]
    loaded = np.flatnonzero(force > 1e-3 * np.abs(found.solution.forces).max(initial=0.0))
    groups, rows = past_ends(system.parts, found.here.poses, contacts, loaded)
    if not len(groups):
        return None
    sliding = np.zeros((system.parts.count + 1, 3))
    blocks = gaps_and_blocks(rows, found.here.poses)[1]
    np.add.at(sliding, rows.edge_body, blocks[:, 0])
    np.add.at(sliding, rows.point_body, blocks[:, 1])
    sliding = sliding[system.parts.free]
    scale = KEEP * float(np.abs(sliding * arm).max()) / most
    cost = scale * found.program.cost + sliding
    solution = solve_program(
        replace(found.program, cost=cost), system.study.solver, LATER * system.tolerance / KEEP
    )
    if not usable(system, replace(found.program, cost=cost), solution):
        return None
    enough = system.tolerance * abs(found.here.value) + system.least
    lost = float((found.program.cost * solution.step).sum())
    if lost < -0.1 * enough:
        return None
    slide = replace(found, solution=replace(solution, objective=min(lost, 0.0)), relaxed=0.0)
    moved = move(system, system, slide, turn)
    if moved is None:
        return None
    # Selected again: only having been outside both edges lets a vertex change from one to the other.
    there = place(system, moved[0].poses, moved[0].contacts.near.reach, moved[0].contacts)
    passed = np.isin(there.contacts.near.keys[there.contacts.corner_group], contacts.near.keys[groups])
    there = replace(there, contacts=flip(system.parts, there.contacts, passed))
    could_reach = there.value + promise(system, there, turn).gain
    return (slide, there, moved[1]) if could_reach > found.here.value + enough else None
