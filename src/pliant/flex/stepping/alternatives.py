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

from pliant.core.arrays import Bools, Floats, Ints
from pliant.flex.contact.distance import contact_points, gaps, gaps_and_blocks
from pliant.flex.contact.overlap import measure_overlaps
from pliant.flex.contact.selection import (
    RowsPastEnds,
    Selection,
    distance_beyond_ends,
    flip_corners,
    rows_past_ends,
    select,
    with_rows_past_ends,
    without_rows,
)
from pliant.flex.lp.solvers import solve_program
from pliant.flex.problem.system import System
from pliant.flex.stepping.linearization import (
    LATER,
    ROUGH,
    linear_step,
    step_with_new_contacts,
    with_travel_bounds,
)
from pliant.flex.stepping.step import (
    AcceptedStep,
    Configuration,
    LinearStep,
    TurnBound,
    configuration_at,
    is_usable,
    largest_travel,
    take_step,
)

KEEP = 1e3  # what the objective weighs beside the sliding: nothing is given up for it
ALONE = 12  # loaded corners up to which each is turned alone
RELEASES = 5
NEARBY = (1 / 16, 1 / 128)  # of how far bodies would go: so near they are kept where that leads nowhere
LOADED = 1e-4  # of the largest force: what carries less than that holds nothing
ACROSS = 1e-3  # rad between two edges that do not lie along each other
FEW = 200  # moving bodies up to which slides and ways past tips are tried, too
FEWER = 12  # the same for shorter steps
SLIDES = 3  # lengths of a slide that are tried: by less than a quarter nothing gets past an end


def alternative_step(
    system: System, linear: LinearStep, small: AcceptedStep | None, enough: float, turn: TurnBound
) -> AcceptedStep | None:
    """A step that gains where the program of a pose has nothing more to gain; None: it is at rest.

    `small` is the step of that program as it was taken, where there is one.
    """
    could_gain = _alternatives_could_gain(system, linear, enough, turn)
    if could_gain:
        for other in _alternatives(system, linear, enough, turn):
            moved = _gaining_step(system, linear, other, enough, turn)
            if moved is not None:
                return moved
        past = (
            _gaining_step(system, linear, other, enough, turn)
            for other in without_touching_tips(system, linear, turn)
        )
        # Rows have no order but that of the file: the best of them is the same however it is written.
        best = max((moved for moved in past if moved), key=lambda moved: moved.there.value, default=None)
        if best is not None:
            return best
    if len(system.parts.free) > FEW:
        return None
    return _sliding_step(system, linear, small, enough, turn, could_gain)


def _gaining_step(
    system: System, linear: LinearStep, other: LinearStep, enough: float, turn: TurnBound
) -> AcceptedStep | None:
    """The step of another program at a pose at rest, where it gains; few bodies are kept near, too."""
    _, moved = step_with_new_contacts(system, other, enough, turn)
    high = linear.here.value + enough
    if moved is not None and moved.there.value <= high and len(system.parts.free) <= FEWER:
        _, moved = nearby_step(system, other, enough, turn)
    return moved if moved is not None and moved.there.value > high else None


def nearby_step(
    system: System, linear: LinearStep, enough: float, turn: TurnBound
) -> tuple[LinearStep, AcceptedStep | None]:
    """The same program with bodies kept near, where no longer step gains, and the step that then does.

    What a body may slide at no loss a program lets it slide as far as it can: past the one place
    where there was something to gain, or so far that what is lost to second order is more than that.
    """
    travel, here = largest_travel(system, linear.here, linear.solution.step), linear.here
    for share in NEARBY:
        near = with_travel_bounds(system, here.poses, max(share * travel, system.threshold))
        linear, moved = step_with_new_contacts(near, linear_step(near, here, turn), enough, turn)
        if moved is not None and moved.crossings is None and moved.there.value > here.value + enough:
            return linear, moved
    return linear, None


def _alternatives_could_gain(system: System, linear: LinearStep, enough: float, turn: TurnBound) -> bool:
    """Whether anything would be gained if what may be let go or turned were not there at all.

    Leaving rows out bounds what any other rows in their place could gain: one program where
    there is nothing to be had, instead of one for each thing that could be tried.
    """
    loose = _loose_rows(system, linear)
    if not (loose & _loaded_rows(linear)).any():
        return False
    contacts = without_rows(linear.here.contacts, loose)
    return _gains_by(system, linear, contacts, max(enough, linear.gain + 0.5 * enough), turn)


def _loose_rows(system: System, linear: LinearStep) -> Bools:
    """Rows (R,) that may be let go or turned: past the ends of edges, at corners, of touching tips."""
    contacts = linear.here.contacts
    loose = distance_beyond_ends(system.parts, linear.here.poses, contacts) > 0.1 * system.threshold
    loose[contacts.corner] = True
    return loose | _rows_of_touching_tips(system, linear)


def _gains_by(
    system: System, linear: LinearStep, contacts: Selection, enough: float, turn: TurnBound
) -> bool:
    """Whether the program of a pose gains enough with other contacts."""
    other = linear_step(system, replace(linear.here, contacts=contacts), turn, ROUGH)
    return other.endless is not None or other.gain > enough


def _alternatives(system: System, linear: LinearStep, enough: float, turn: TurnBound) -> Iterator[LinearStep]:
    """The same pose with other rows: without those past their edges' ends, or other ones at corners."""
    yield from without_released_rows(system, linear, enough, turn)
    here, near = linear.here, linear.here.contacts.near
    other = "average" if system.study.corners == "chosen" else "chosen"
    contacts = select(system.parts, here.poses, near, None, other, 0.1 * system.threshold)
    asked = linear_step(system, replace(here, contacts=contacts), turn)
    yield asked
    chosen = linear if system.study.corners == "chosen" else asked
    corners = _flippable_corners(system, chosen)
    if len(corners):
        yield linear_step(system, _with_flipped_corners(system, chosen.here, corners), turn)
    if 1 < len(corners) <= ALONE:
        yield from (
            linear_step(system, _with_flipped_corners(system, chosen.here, corners[[k]]), turn)
            for k in range(len(corners))
        )


def without_touching_tips(system: System, linear: LinearStep, turn: TurnBound) -> Iterator[LinearStep]:
    """The program without each of the rows that hold one tip on another."""
    here = linear.here
    for tip in np.flatnonzero(_rows_of_touching_tips(system, linear))[:ALONE]:
        passed = np.arange(len(here.contacts.rows)) == tip
        yield linear_step(system, replace(here, contacts=without_rows(here.contacts, passed)), turn)


def _rows_of_touching_tips(system: System, linear: LinearStep) -> Bools:
    """Loaded rows (R,) of two corners that touch tip to tip: each at the end of the other's edge.

    Either edge alone could hold the other body; a program with both knows no way past the tips.
    Edges that lie along each other are no such choice.
    """
    poses, contacts, near = linear.here.poses, linear.here.contacts, 0.1 * system.threshold
    if len(system.parts.free) > FEW:
        return np.zeros(len(contacts.rows), np.bool_)
    loaded = _loaded_rows(linear)
    at = np.abs(distance_beyond_ends(system.parts, poses, contacts)) <= near
    at &= loaded | (gaps(contacts.rows, poses) <= near)
    if at.sum() < 2:
        return np.zeros(len(at), np.bool_)
    rows = contacts.rows.take(at)
    point, normal = contact_points(rows, poses)
    crosswise = (rows.edge_body[:, None] == rows.point_body) & (rows.point_body[:, None] == rows.edge_body)
    apart = np.abs(point[:, None] - point).max(axis=-1) > 2 * near
    across = np.abs(normal[:, None, 0] * normal[:, 1] - normal[:, None, 1] * normal[:, 0]) > ACROSS
    at[at] = (crosswise & ~apart & across).any(axis=1)
    return at & loaded


def without_released_rows(
    system: System, linear: LinearStep, enough: float, turn: TurnBound
) -> Iterator[LinearStep]:
    """The program without the rows that hold bodies past the ends of their edges, until none is left."""
    for _ in range(RELEASES):
        contacts = linear.here.contacts
        past = distance_beyond_ends(system.parts, linear.here.poses, contacts) > 0.1 * system.threshold
        past &= _loaded_rows(linear)
        if not past.any():
            return
        linear = linear_step(system, replace(linear.here, contacts=without_rows(contacts, past)), turn)
        if linear.endless is not None or linear.gain > enough:
            yield linear
            return


def _loaded_rows(linear: LinearStep) -> Bools:
    """Contacts that carry part of the load."""
    force = linear.solution.forces[: len(linear.here.contacts.rows)]
    return force > LOADED * np.abs(linear.solution.forces).max(initial=0.0)


def _flippable_corners(system: System, linear: LinearStep) -> Ints:
    """Loaded corners whose vertex is outside both edges, so that it may pass on either side."""
    contacts = linear.here.contacts
    if not len(contacts.corner):
        return np.zeros(0, np.int64)
    every = np.ones(len(contacts.corner), np.bool_)
    outside = gaps(flip_corners(system.parts, contacts, every).rows, linear.here.poses)[contacts.corner]
    return np.flatnonzero(_loaded_rows(linear)[contacts.corner] & (outside >= -0.1 * system.threshold))


def _with_flipped_corners(system: System, here: Configuration, corners: Ints) -> Configuration:
    which = np.zeros(len(here.contacts.corner), np.bool_)
    which[corners] = True
    return replace(here, contacts=flip_corners(system.parts, here.contacts, which))


def _sliding_step(
    system: System,
    linear: LinearStep,
    small: AcceptedStep | None,
    enough: float,
    turn: TurnBound,
    could_gain: bool,
) -> AcceptedStep | None:
    """A slide that loses nothing, after which the motion goes on past the end of an edge.

    A vertex that presses on an edge near its end gains nothing by sliding along it, to first
    order, until it has slid past: then the corner is free to pass on the other side. Where no
    alternative could gain, a slide by which no vertex gets past an end gains nothing either; nor
    does one by which none does but those that the small step has got past without a gain: to
    first order what a program has to gain does not depend on where along its rows it is asked.
    """
    contacts = linear.here.contacts
    force = linear.solution.forces[: len(contacts.rows)]
    pressing = np.flatnonzero(force > 1e-3 * np.abs(linear.solution.forces).max(initial=0.0))
    past = rows_past_ends(system.parts, linear.here.poses, contacts, pressing)
    rows = past.rows
    if not len(past.group):
        return None
    sliding = np.zeros((system.parts.count + 1, 3))
    blocks = gaps_and_blocks(rows, linear.here.poses)[1]
    np.add.at(sliding, rows.edge_body, blocks[:, 0])
    np.add.at(sliding, rows.point_body, blocks[:, 1])
    wish = sliding[system.parts.free]
    tried = _passed_by_small_step(system, small, past)
    moved = _going_on(system, linear, small, past.group, enough, turn) if small and tried.any() else None
    tips, many = bool(past.tips.any()), len(system.parts.free) > FEWER
    freed, vain = None, False
    if moved is None and tips and many:
        freed = _side_step(system, _without_rows(linear, past.tips), wish, enough)
        # What gets past no end where tips hold nothing does not where they do.
        vain = not could_gain and not (_passed_ends(system, freed, past) & ~tried).any()
    if moved is not None or vain:
        return moved
    slide = _side_step(system, linear, wish, enough)
    passes = _passed_ends(system, slide, past) | tried
    new = passes & ~tried
    if slide is not None and (could_gain or _passing_could_gain(system, linear, past, new, enough, turn)):
        moved = _slide_past_end(system, linear, slide, past.group, enough, turn)
    if moved is not None or not tips:
        return moved
    freed = freed if many else _side_step(system, _without_rows(linear, past.tips), wish, enough)
    more = _passed_ends(system, freed, past)
    if freed is None or (many and not (more & ~passes).any()):
        return None
    if not (could_gain or _passing_could_gain(system, linear, past, more & ~tried, enough, turn)):
        return None
    return _slide_past_tips(system, linear, freed, past, enough, turn)


def _slide_past_tips(
    system: System, linear: LinearStep, slide: LinearStep, past: RowsPastEnds, enough: float, turn: TurnBound
) -> AcceptedStep | None:
    """A slide without the rows of tips as it is taken, where tips have got past each other by it."""
    moved = _slide_past_end(system, linear, slide, past.group, enough, turn)
    if moved is None:
        return None
    rows = linear.here.contacts.rows.take(past.tips)
    held = np.stack([rows.edge_body, rows.point_body], axis=1)
    # Where tip has not got past tip, each is beside the other, and edges cross.
    apart = measure_overlaps(system.parts, moved.there.poses, held).worst <= 0.1 * system.threshold
    return moved if apart else None


def _passed_ends(system: System, slide: LinearStep | None, past: RowsPastEnds) -> Bools:
    """Which vertices (K,) get past an end by a slide: to first order, and a tenth more for what turns add."""
    if slide is None:
        return np.zeros(len(past.group), np.bool_)
    distance, blocks = gaps_and_blocks(past.rows, slide.here.poses)
    step = np.zeros((system.parts.count + 1, 3))
    step[system.parts.free] = slide.solution.step
    moved = step[np.stack([past.rows.edge_body, past.rows.point_body], axis=1)]
    change = np.einsum("rij,rij->r", blocks, moved)
    moves = (change > 0.1 * system.threshold) & (distance < 0)
    return moves & (distance + 1.1 * change > -system.threshold)


def _passed_by_small_step(system: System, small: AcceptedStep | None, past: RowsPastEnds) -> Bools:
    """Which vertices (K,) of more than a few bodies get past an end by the small step, taken whole."""
    whole = small is not None and small.crossings is None and small.fraction == 1.0
    few = len(system.parts.free) <= FEWER
    return _passed_ends(system, small.linear if small and whole and not few else None, past)


def _passing_could_gain(
    system: System, linear: LinearStep, past: RowsPastEnds, passes: Bools, enough: float, turn: TurnBound
) -> bool:
    """Whether once some vertices (K,) are past ends more could be had, where from here no alternative gains.

    No more than with the rows of the edges that they get to, without all that may be let go.
    """
    if not passes.any() or len(system.parts.free) <= FEWER:
        return bool(passes.any())
    contacts = without_rows(linear.here.contacts, past.tips | _loose_rows(system, linear))
    return _gains_by(system, linear, with_rows_past_ends(contacts, past, passes), enough, turn)


def _slide_past_end(
    system: System, linear: LinearStep, slide: LinearStep, groups: Ints, enough: float, turn: TurnBound
) -> AcceptedStep | None:
    """A slide as it is taken, where more can be had from its end."""
    if largest_travel(system, slide.here, slide.solution.step) <= 0.1 * system.threshold:
        return None  # nothing slides
    moved = take_step(system, slide, turn, SLIDES)
    if moved is None or moved.crossings is not None:
        return None
    return _going_on(system, linear, moved, groups, enough, turn)


def _going_on(
    system: System, linear: LinearStep, moved: AcceptedStep, groups: Ints, enough: float, turn: TurnBound
) -> AcceptedStep | None:
    """A step past the ends of edges, where more can be had from its end."""
    contacts = linear.here.contacts
    # Selected again: only having been outside both edges lets a vertex change from one to the other.
    there = configuration_at(system, moved.there.poses, moved.there.contacts.near.reach, moved.there.contacts)
    if system.study.corners == "chosen":
        passed = np.isin(there.contacts.near.keys[there.contacts.corner_group], contacts.near.keys[groups])
        there = replace(there, contacts=flip_corners(system.parts, there.contacts, passed))
    could_reach = there.value + linear_step(system, there, turn, ROUGH).gain
    return replace(moved, there=there) if could_reach > linear.here.value + enough else None


def _without_rows(linear: LinearStep, rows: Bools) -> LinearStep:
    """The same program without some of its contacts' rows."""
    contacts, poses = without_rows(linear.here.contacts, rows), linear.here.poses
    program = linear.system.program(contacts.rows, poses, linear.program.bound)
    return replace(linear, here=replace(linear.here, contacts=contacts), program=program)


def _side_step(system: System, linear: LinearStep, wish: Floats, enough: float) -> LinearStep | None:
    """The step that goes furthest along a wish (M, 3) and loses nothing of the objective."""
    arm = np.array([1.0, 1.0, 1.0 / system.parts.size])
    most = float(np.abs(linear.program.cost * arm).max(initial=0.0))
    if most == 0:
        return None
    scale = KEEP * float(np.abs(wish * arm).max()) / most
    wished = replace(linear.program, cost=scale * linear.program.cost + wish)
    solution = solve_program(wished, system.study.solver, LATER * system.tolerance / KEEP)
    lost = float((linear.program.cost * solution.step).sum())
    if not is_usable(system, wished, solution) or lost < -0.1 * enough:
        return None
    return replace(linear, solution=replace(solution, objective=min(lost, 0.0)), relaxed=0.0)
