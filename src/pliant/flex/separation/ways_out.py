"""Ways out of an assembly: parts, alone or as one, moved until they are clear of all that stays.

A way is played: an ascent of flex along a direction that the contacts leave free, with everything else
held, until the parts can go straight for ever (`flex.solve`); so every motion here has been swept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.pose import carry
from pliant.flex.lp.program import Program
from pliant.flex.lp.solvers import solve_program
from pliant.flex.model import Assembly, FlexStudy, Term, Weld
from pliant.flex.problem.system import System, compile_system
from pliant.flex.result import FlexResult
from pliant.flex.solve import solve
from pliant.flex.status import FlexStatus
from pliant.flex.stepping.step import Configuration, configuration_at

FRAMES = 10  # of the straight stretch at the end of a way
BESIDE = 0.15  # of the size of what stays: how far from it parts are put down
STEPS = 60  # of an ascent: ways out are short, or none
ALIKE = 0.999  # cosine: directions nearer to each other are one


@dataclass(frozen=True)
class WayOut:
    """Parts taken out of an assembly: the frames of all bodies of the file, and which way they leave."""

    bodies: tuple[str, ...]
    frames: Floats  # (F, B, 3), the first where the way begins
    directions: tuple[tuple[float, float], ...]  # of each of the bodies at the end, the fastest 1 long
    at_once: bool  # bodies that leave different ways at the same time


@dataclass(frozen=True)
class PartialAssembly:
    """An assembly some parts of which have been taken away: poses of all, and who is still there."""

    model: Assembly
    poses: Floats  # (B, 3) of the bodies of the file
    present: tuple[str, ...]

    def model_of(self, moving: Sequence[str], as_one: bool) -> Assembly:
        """The assembly as it stands with only some bodies free to move, as one or each for itself."""
        places = {body.name: place for place, body in enumerate(self.model.bodies)}
        bodies = tuple(
            self.model.bodies[places[name]].model_copy(
                update={"pose": tuple(self.poses[places[name]].tolist()), "fixed": name not in moving}
            )
            for name in self.present
        )
        here = set(self.present)
        welds = tuple(weld for weld in map(lambda weld: _among(weld, here), self.model.welds) if weld)
        if as_one and len(moving) > 1:
            welds = (*welds, Weld(bodies=tuple(moving)))
        joints = {
            "pins": tuple(pin for pin in self.model.pins if here.issuperset(pin.bodies)),
            "keep": tuple(keep for keep in self.model.keep if keep.body in here),
            "sights": tuple(sight for sight in self.model.sights if {sight.viewer, sight.to} <= here),
            "limits": tuple(limit for limit in self.model.limits if limit.body in here),
        }
        return self.model.model_copy(update={"bodies": bodies, "welds": welds, **joints})

    def after(self, way: WayOut) -> PartialAssembly:
        """The assembly once parts have been taken out."""
        left = tuple(name for name in self.present if name not in way.bodies)
        return PartialAssembly(self.model, way.frames[-1], left)


def _among(weld: Weld, here: set[str]) -> Weld | None:
    names = tuple(name for name in weld.bodies if name in here)
    return weld.model_copy(update={"bodies": names}) if len(names) > 1 else None


def way_out(stage: PartialAssembly, names: tuple[str, ...], directions: int) -> WayOut | None:
    """A way on which bodies leave as one while all others stay; None where none is found."""
    model = stage.model_of(names, as_one=True)
    for direction in free_directions(model, names[0], directions):
        study = FlexStudy(maximize=(Term(body=names[0], direction=direction),), steps=STEPS)
        result = solve(model, study)
        if result.status is FlexStatus.FREE and result.leaving is not None:
            return _played_way(stage, result, at_once=False)
    return None


def way_at_once(stage: PartialAssembly, velocities: dict[str, tuple[float, float]]) -> WayOut | None:
    """A way on which bodies leave at the same time, each along its own velocity; None where none is found."""
    model = stage.model_of(tuple(velocities), as_one=False)
    terms = tuple(Term(body=name, direction=velocity) for name, velocity in velocities.items())
    result = solve(model, FlexStudy(maximize=terms, steps=STEPS))
    if result.status is FlexStatus.FREE and result.leaving is not None:
        return _played_way(stage, result, at_once=True)
    return None


def local_program(model: Assembly, moving: str) -> tuple[System, Configuration, Program]:
    """The contacts and joints of an assembly as it stands, as a program over all that moves."""
    system = compile_system(model, FlexStudy(maximize=(Term(body=moving, spin=1.0),)))
    here = configuration_at(system, system.parts.drawn, system.reach, None)
    bound = np.full((len(system.parts.free), 3), np.inf)
    return system, here, system.program(here.contacts.rows, here.poses, bound)


def free_directions(model: Assembly, name: str, count: int) -> Iterator[tuple[float, float]]:
    """Directions in which a body may leave: those that its contacts, closed, let it go to first order.

    max d·ẋ subject to J q̇ ≥ 0, |q̇| ≤ 1, for `count` directions d around: each answer is a direction. Parts
    that rattle may get out where they could not with closed contacts: of them the compass is tried as well.
    """
    system, _, program = local_program(model, name)
    place = int(system.parts.moving[system.parts.index(name)])
    arm = np.array([1.0, 1.0, 1.0 / system.parts.size])
    closed = np.zeros_like(program.gaps)
    given: list[Floats] = []
    for angle in 2 * np.pi * np.arange(count) / count:
        wanted = np.array([np.cos(angle), np.sin(angle)])
        cost = np.zeros_like(program.cost)
        cost[place, :2] = wanted
        asked = replace(program, gaps=closed, cost=cost, bound=np.tile(arm, (len(cost), 1)))
        step = solve_program(asked, tolerance=1e-7).step[place, :2]
        speed = float(np.hypot(*step))
        if speed > 1e-4 and step @ wanted > 1e-4:
            direction = step / speed
            if all(direction @ other < ALIKE for other in given):
                given.append(direction)
                yield float(direction[0]), float(direction[1])
    for angle in np.pi / 4 * np.arange(8) if system.rattles else ():
        yield float(np.cos(angle)), float(np.sin(angle))


def _played_way(stage: PartialAssembly, result: FlexResult, at_once: bool) -> WayOut:
    """The way of a result with its straight end, for all bodies of the file."""
    leaving = result.leaving
    assert leaving is not None
    names = {body.name: place for place, body in enumerate(stage.model.bodies)}
    own = [names[body.name] for body in result.model.bodies]
    frames = np.repeat(stage.poses[None], len(result.frames.poses), axis=0)
    frames[:, own] = result.frames.poses
    velocity = np.zeros((len(names), 2))
    for name, direction in zip(leaving.bodies, leaving.velocities, strict=True):
        velocity[names[name]] = direction
    distance = _until_beside(stage, result, frames[-1], velocity)
    share = np.arange(1, FRAMES + 1)[:, None, None] / FRAMES
    out = np.repeat(frames[-1:], FRAMES, axis=0)
    out[..., :2] += share * distance * velocity
    return WayOut(leaving.bodies, np.concatenate([frames, out]), leaving.velocities, at_once)


def _until_beside(stage: PartialAssembly, result: FlexResult, poses: Floats, velocity: Floats) -> float:
    """How far parts must go until their box is beside that of what stays, with some room between."""
    names = {body.name: place for place, body in enumerate(stage.model.bodies)}
    boxes = {}
    for place, body in enumerate(result.model.bodies):
        ring = np.vstack(result.shapes[result.shape_of[place]].rings)
        boxes[body.name] = carry(poses[names[body.name]], ring)
    leaving = [name for name in boxes if np.any(velocity[names[name]])]
    rest = [corners for name, corners in boxes.items() if name not in leaving]
    if not rest:
        return 0.0
    stays = np.vstack(rest)
    low, high = stays.min(axis=0), stays.max(axis=0)
    room = BESIDE * float(np.ptp(stays, axis=0).max())
    return max(
        distance_until_clear(boxes[name], velocity[names[name]], low - room, high + room) for name in leaving
    )


def distance_until_clear(corners: Floats, velocity: Floats, low: Floats, high: Floats) -> float:
    """How far until a box along a velocity leaves another along some axis."""
    ways = [
        (high[axis] - corners[:, axis].min()) / velocity[axis]
        if velocity[axis] > 0
        else (low[axis] - corners[:, axis].max()) / velocity[axis]
        for axis in range(2)
        if abs(velocity[axis]) > 1e-9
    ]
    return max(min(ways, default=0.0), 0.0)
