"""Take an assembly apart: which part can leave, one after the other, and what stays together.

Parts leave alone where they can; where none can, groups that move as one to first order are taken out whole
and then apart; where these cannot leave either, all that moves is moved at once.

Source: [Lensgraf2020] sections VI-C, VIII, Fig. 8.
Differs: the paper stops at a direction; here each way is played until the parts are clear of the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault, InputError
from pliant.core.loops import run_loops
from pliant.core.progress import Interrupted, Progress, silent
from pliant.flex.contact.overlap import measure_overlaps, near_pairs
from pliant.flex.diagnosis.as_drawn import findings_as_drawn
from pliant.flex.model import Assembly, SeparateStudy, held_bodies, rigid_groups
from pliant.flex.problem.system import System
from pliant.flex.separation.interlocking import FirstOrder, clusters, first_order
from pliant.flex.separation.result import DisassemblyTree, Interlock, SeparationResult
from pliant.flex.separation.spread import spread_out
from pliant.flex.separation.ways_out import (
    PartialAssembly,
    WayOut,
    local_program,
    way_at_once,
    way_out,
    way_with_corner,
)
from pliant.flex.status import FlexStatus, SeparationStatus

AS_DRAWN = {
    FlexStatus.OVERLAPPING: SeparationStatus.OVERLAPPING,
    FlexStatus.VIOLATED: SeparationStatus.VIOLATED,
}


@dataclass
class _DisassemblySearch:
    """What has been found so far."""

    study: SeparateStudy
    progress: Progress
    ways: list[WayOut] = field(default_factory=list[WayOut])
    first: tuple[str, ...] = ()
    interlocks: list[Interlock] = field(default_factory=list[Interlock])
    poses: Floats = field(default_factory=lambda: np.zeros((0, 3)))


def separate(
    model: Assembly, study: SeparateStudy | None = None, progress: Progress = silent
) -> SeparationResult:
    """Take an assembly apart as far as it goes; or all that moves at once, where `together` is asked for."""
    study = study or model.study.for_command("separate")
    names = tuple(body.name for body in model.bodies)
    drawn = np.array([body.pose for body in model.bodies], np.float64)
    held = tuple(held_bodies(model)[0])
    with run_loops("flex", inf, progress):
        moving = [name for name in names if name not in held]
        if not moving:
            raise _nothing_moves()
        system, here, program = local_program(model, moving[0])
        overlaps = measure_overlaps(system.parts, here.poses, near_pairs(system.parts, here.poses))
        wrong = findings_as_drawn(model, system, overlaps)
        search = _DisassemblySearch(study, progress, poses=drawn)
        if wrong is not None:
            return _result(model, system, search, AS_DRAWN[wrong[0]], DisassemblyTree(names), None)
        as_drawn = first_order(program)
        tree = DisassemblyTree(names)
        try:
            stage = PartialAssembly(model, drawn, names)
            if study.together:
                tree = _apart_at_once(stage, search)
            else:
                search.first = tuple(_parts_that_leave(stage, held, search))
                tree = _take_apart(stage, held, search)
        except KeyboardInterrupt:
            stopped = _result(model, system, search, SeparationStatus.INTERRUPTED, tree, as_drawn)
            raise Interrupted(stopped) from None
        return _result(model, system, search, _status(search, as_drawn), tree, as_drawn)


def _take_apart(stage: PartialAssembly, held: tuple[str, ...], search: _DisassemblySearch) -> DisassemblyTree:
    """Take parts out of a group until no more can be, and then what came out whole; the tree of it."""
    whole, branches = stage.present, list[DisassemblyTree]()
    while _is_wanted(stage.present, held, search.study):
        way = _next_way(stage, held, search)
        if way is None:
            break
        search.ways.append(way)
        stage = stage.after(way)
        search.poses = stage.poses
        branches.append(_what_came_out(stage, way, search))
        stage = PartialAssembly(stage.model, search.poses, stage.present)
    if _is_wanted(stage.present, held, search.study):
        search.interlocks.append(_interlock(stage, held))
    return DisassemblyTree(whole, (*branches, DisassemblyTree(stage.present)) if branches else ())


def _what_came_out(stage: PartialAssembly, way: WayOut, search: _DisassemblySearch) -> DisassemblyTree:
    """The tree of what left together: one part, several at once, or a group to be taken apart itself."""
    if len(way.bodies) == 1:
        return DisassemblyTree(way.bodies)
    if way.at_once:
        return DisassemblyTree(way.bodies, tuple(DisassemblyTree((name,)) for name in way.bodies))
    inner = PartialAssembly(stage.model, stage.poses, way.bodies)
    units = _units(inner, ())
    return _take_apart(inner, units[0], search) if len(units) > 1 else DisassemblyTree(way.bodies)


def _is_wanted(present: tuple[str, ...], held: tuple[str, ...], study: SeparateStudy) -> bool:
    """Whether something that is still there is to be got out."""
    wanted = study.parts or present
    return any(name in present and name not in held for name in wanted)


def _units(stage: PartialAssembly, held: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The rigid bodies that are still there and not held, each by the names of its members."""
    model = stage.model_of([name for name in stage.present if name not in held], as_one=False)
    names = [body.name for body in model.bodies]
    groups = rigid_groups(model)
    return [
        tuple(names[place] for place in group)
        for group, fixed in zip(groups.groups, groups.held, strict=True)
        if not fixed
    ]


def _next_way(stage: PartialAssembly, held: tuple[str, ...], search: _DisassemblySearch) -> WayOut | None:
    """How the next part, or group, gets out: alone if one can, else as one with others, else at once."""
    units = _units(stage, held)
    if not search.ways and search.first:
        units.sort(key=lambda unit: unit[0] not in search.first)
    if search.study.parts:
        units.sort(key=lambda unit: search.study.parts[0] not in unit)
    for unit in units:
        search.progress(len(search.ways), None, f"{unit[0]}: is there a way out?")
        way = way_out(stage, unit, search.study.directions)
        if way is not None:
            return way
    groups, velocities = _first_order_groups(stage, held)
    for group in groups:
        if len(group) < len([name for unit in units for name in unit]) + len(held):
            way = way_out(stage, group, search.study.directions)
            if way is not None:
                return way
    way = way_at_once(stage, velocities) if len(velocities) > 1 else None
    if way is not None:
        return way
    for unit in units:
        search.progress(len(search.ways), None, f"{unit[0]}: is there a way with a corner?")
        way = way_with_corner(stage, unit, search.study.directions)
        if way is not None:
            return way
    return None


def _first_order_groups(
    stage: PartialAssembly, held: tuple[str, ...]
) -> tuple[list[tuple[str, ...]], dict[str, tuple[float, float]]]:
    """Groups of bodies that move as one to first order, and the velocity of each body that moves."""
    moving = [name for name in stage.present if name not in held]
    system, _, program = local_program(stage.model_of(moving, as_one=False), moving[0])
    motion = first_order(program).motion
    if motion is None:
        return [], {}
    parts = system.parts
    groups = [parts.names_of(parts.free[group]) for group in clusters(motion, program.centres)]
    fastest = float(np.abs(motion[:, :2]).max()) or 1.0
    velocities = {
        name: (float(step[0] / fastest), float(step[1] / fastest))
        for body, step in zip(parts.free, motion, strict=True)
        for name in parts.names_of(np.array([body]))
        if np.hypot(step[0], step[1]) > 1e-3 * fastest
    }
    return [group for group in groups if len(group) > 1], velocities


def _parts_that_leave(
    stage: PartialAssembly, held: tuple[str, ...], search: _DisassemblySearch
) -> Iterator[str]:
    """Parts that can leave first, each alone while all others stay."""
    units = _units(stage, held)
    for place, unit in enumerate(units):
        search.progress(place, len(units), f"{unit[0]}: can it leave first?")
        if way_out(stage, unit, search.study.directions) is not None:
            yield unit[0]


def _apart_at_once(stage: PartialAssembly, search: _DisassemblySearch) -> DisassemblyTree:
    """Move all that the first-order motion moves at once, until it is clear."""
    held = tuple(held_bodies(stage.model)[0])
    _, velocities = _first_order_groups(stage, held)
    way = way_at_once(stage, velocities) if velocities else None
    if way is None:
        search.interlocks.append(_interlock(stage, held))
        return DisassemblyTree(stage.present)
    search.ways.append(way)
    left = tuple(name for name in stage.present if name not in way.bodies)
    if any(name not in held for name in left):
        search.interlocks.append(_interlock(stage.after(way), held))
    return DisassemblyTree(
        stage.present, (*(DisassemblyTree((name,)) for name in way.bodies), DisassemblyTree(left))
    )


def _interlock(stage: PartialAssembly, held: tuple[str, ...]) -> Interlock:
    """What is left together, and whether that is proved to first order."""
    moving = [name for name in stage.present if name not in held]
    _, _, program = local_program(stage.model_of(moving, as_one=False), moving[0])
    test = first_order(program)
    return Interlock(stage.present, test.interlocked, test.unbalanced, test.least_singular)


def _status(search: _DisassemblySearch, as_drawn: FirstOrder) -> SeparationStatus:
    if not search.interlocks:
        return SeparationStatus.SEPARATES
    if search.ways:
        return SeparationStatus.PARTLY
    return SeparationStatus.INTERLOCKED if as_drawn.interlocked else SeparationStatus.STUCK


def _corners(system: System) -> list[Floats]:
    """The corners of each body of the file, in its own frame."""
    members = system.parts.members
    return [np.vstack(members.shapes[shape].rings) for shape in members.shape_of]


def _nothing_moves() -> InputError:
    return InputError([Fault("bodies", "nothing moves: every body is held", "Let one of them move")])


def _result(
    model: Assembly,
    system: System,
    search: _DisassemblySearch,
    status: SeparationStatus,
    tree: DisassemblyTree,
    as_drawn: FirstOrder | None,
) -> SeparationResult:
    parts = system.parts
    moves: dict[str, tuple[float, float, float]] = {}
    if as_drawn is not None and as_drawn.motion is not None:
        for body, (x, y, spin) in zip(parts.free, as_drawn.motion.tolist(), strict=True):
            moves |= {name: (x, y, spin) for name in parts.names_of(np.array([body]))}
    return SeparationResult(
        status=status,
        model=model,
        study=search.study,
        ways=spread_out(search.ways, parts.members.names, _corners(system)),
        first=search.first,
        moves=moves,
        tree=tree,
        interlocks=tuple(search.interlocks),
        gap=system.gap,
        shapes=parts.members.shapes,
        shape_of=parts.members.shape_of,
        drawn=np.array([body.pose for body in model.bodies], np.float64),
        seconds=dict(system.clock.seconds),
    )
