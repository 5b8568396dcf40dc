"""Where a motion comes to rest: what is tried before that is called its end.

A program at rest sees the lines of edges, not where edges end. Three things may keep bodies
from what is free: a row whose vertex is past the end of its edge, where nothing stops it; a
corner that is passed on the one side and could be passed on the other; a vertex that presses
on an edge and would slip off its end, had it slid there. Each is tried as a step of its own,
judged by its way like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pliant.core.pose import Floats
from pliant.flex.contact.distance import Ints, gaps, gaps_and_blocks
from pliant.flex.contact.neighbours import Bools
from pliant.flex.contact.overlap import overlaps
from pliant.flex.contact.selection import beyond_ends, flip, leave_out, past_ends, select
from pliant.flex.lp.solvers import solve_program
from pliant.flex.problem.system import System
from pliant.flex.stepping.linearization import LATER, promise, stepped
from pliant.flex.stepping.step import Moved, Place, Promise, move, place, usable

KEEP = 1e3  # what the objective weighs beside the sliding: nothing is given up for it
ALONE = 12  # loaded corners up to which each is turned alone
RELEASES = 5
LOADED = 1e-4  # of the largest force: what carries less than that holds nothing
FEW, MORE = 60, 200  # moving bodies up to which a slide is tried too: of tight parts, and where they rattle


def go_on(system: System, found: Promise, enough: float, turn: float) -> Moved | None:
    """A step that gains where the program of a place promises nothing more; None: it is at rest."""
    if _could_gain(system, found, enough, turn):
        for other in _alternatives(system, found, enough, turn):
            _, moved = stepped(system, other, enough, turn)
            if moved is not None and moved.there.value > found.here.value + enough:
                return moved
    few = MORE if system.rattles else FEW
    return _slide(system, found, enough, turn) if len(system.parts.free) <= few else None


def _could_gain(system: System, found: Promise, enough: float, turn: float) -> bool:
    """Whether anything would be gained if what may be let go or turned were not there at all.

    Leaving rows out bounds what any other rows in their place could gain: one program where
    there is nothing to be had, instead of one for each thing that could be tried.
    """
    contacts = found.here.contacts
    loose = beyond_ends(system.parts, found.here.poses, contacts) > 0.1 * system.threshold
    loose[contacts.corner] = True
    if not (loose & _loaded(found)).any():
        return False
    without = promise(system, replace(found.here, contacts=leave_out(contacts, loose)), turn)
    return without.endless is not None or without.gain > enough


def _alternatives(system: System, found: Promise, enough: float, turn: float) -> Iterator[Promise]:
    """The same pose with other rows: without those past their edges' ends, or other ones at corners."""
    yield from released(system, found, enough, turn)
    here, near = found.here, found.here.contacts.near
    other = "average" if system.study.corners == "chosen" else "chosen"
    contacts = select(system.parts, here.poses, near, None, other, 0.1 * system.threshold)
    asked = promise(system, replace(here, contacts=contacts), turn)
    yield asked
    chosen = found if system.study.corners == "chosen" else asked
    corners = _turnable(system, chosen)
    if len(corners):
        yield promise(system, _turned(system, chosen.here, corners), turn)
    if 1 < len(corners) <= ALONE:
        yield from (
            promise(system, _turned(system, chosen.here, corners[[k]]), turn) for k in range(len(corners))
        )


def released(system: System, found: Promise, enough: float, turn: float) -> Iterator[Promise]:
    """The program without the rows that hold bodies past the ends of their edges, until none is left."""
    for _ in range(RELEASES):
        contacts = found.here.contacts
        past = beyond_ends(system.parts, found.here.poses, contacts) > 0.1 * system.threshold
        past &= _loaded(found)
        if not past.any():
            return
        found = promise(system, replace(found.here, contacts=leave_out(contacts, past)), turn)
        if found.endless is not None or found.gain > enough:
            yield found
            return


def _loaded(found: Promise) -> Bools:
    """Contacts that carry part of the load."""
    force = found.solution.forces[: len(found.here.contacts.rows)]
    return force > LOADED * np.abs(found.solution.forces).max(initial=0.0)


def _turnable(system: System, found: Promise) -> Ints:
    """Loaded corners whose vertex is outside both edges, so that it may pass on either side."""
    contacts = found.here.contacts
    if not len(contacts.corner):
        return np.zeros(0, np.int64)
    every = np.ones(len(contacts.corner), np.bool_)
    outside = gaps(flip(system.parts, contacts, every).rows, found.here.poses)[contacts.corner]
    return np.flatnonzero(_loaded(found)[contacts.corner] & (outside >= -0.1 * system.threshold))


def _turned(system: System, here: Place, corners: Ints) -> Place:
    which = np.zeros(len(here.contacts.corner), np.bool_)
    which[corners] = True
    return replace(here, contacts=flip(system.parts, here.contacts, which))


def _slide(system: System, found: Promise, enough: float, turn: float) -> Moved | None:
    """A slide that loses nothing, after which the motion goes on past the end of an edge.

    A vertex that presses on an edge near its end gains nothing by sliding along it, to first
    order, until it has slid past: then the corner is free to pass on the other side.
    """
    contacts = found.here.contacts
    force = found.solution.forces[: len(contacts.rows)]
    pressing = np.flatnonzero(force > 1e-3 * np.abs(found.solution.forces).max(initial=0.0))
    groups, rows, tips = past_ends(system.parts, found.here.poses, contacts, pressing)
    if not len(groups):
        return None
    sliding = np.zeros((system.parts.count + 1, 3))
    blocks = gaps_and_blocks(rows, found.here.poses)[1]
    np.add.at(sliding, rows.edge_body, blocks[:, 0])
    np.add.at(sliding, rows.point_body, blocks[:, 1])
    wish = sliding[system.parts.free]
    moved = _slid(system, found, found, wish, groups, enough, turn)
    if moved is not None or not tips.any():
        return moved
    moved = _slid(system, found, _without(found, tips), wish, groups, enough, turn)
    held = np.stack([contacts.rows.edge_body[tips], contacts.rows.point_body[tips]], axis=1)
    if moved is None or overlaps(system.parts, moved.there.poses, held).worst > 0.1 * system.threshold:
        return None  # tip has not got past tip: each is beside the other, and edges cross
    return moved


def _slid(
    system: System, found: Promise, by: Promise, wish: Floats, groups: Ints, enough: float, turn: float
) -> Moved | None:
    """A slide along a wish (M, 3) by a program with the rows of `by`, where more can be had from its end."""
    contacts = found.here.contacts
    slide = _beside(system, by, wish, enough)
    moved = None if slide is None else move(system, slide, turn)
    if moved is None or moved.crossings is not None:
        return None
    # Selected again: only having been outside both edges lets a vertex change from one to the other.
    there = place(system, moved.there.poses, moved.there.contacts.near.reach, moved.there.contacts)
    if system.study.corners == "chosen":
        passed = np.isin(there.contacts.near.keys[there.contacts.corner_group], contacts.near.keys[groups])
        there = replace(there, contacts=flip(system.parts, there.contacts, passed))
    could_reach = there.value + promise(system, there, turn).gain
    return replace(moved, there=there) if could_reach > found.here.value + enough else None


def _without(found: Promise, rows: Bools) -> Promise:
    """The same program without some of its contacts' rows."""
    contacts, poses = leave_out(found.here.contacts, rows), found.here.poses
    program = found.system.program(contacts.rows, poses, found.program.bound)
    return replace(found, here=replace(found.here, contacts=contacts), program=program)


def _beside(system: System, found: Promise, wish: Floats, enough: float) -> Promise | None:
    """The step that goes furthest along a wish (M, 3) and loses nothing of the objective."""
    arm = np.array([1.0, 1.0, 1.0 / system.parts.size])
    most = float(np.abs(found.program.cost * arm).max(initial=0.0))
    if most == 0:
        return None
    scale = KEEP * float(np.abs(wish * arm).max()) / most
    wished = replace(found.program, cost=scale * found.program.cost + wish)
    solution = solve_program(wished, system.study.solver, LATER * system.tolerance / KEEP)
    lost = float((found.program.cost * solution.step).sum())
    if not usable(system, wished, solution) or lost < -0.1 * enough:
        return None
    return replace(found, solution=replace(solution, objective=min(lost, 0.0)), relaxed=0.0)
