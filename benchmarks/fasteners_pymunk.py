"""pymunk beside the exact sweep: a kinematic root, pawls on pivots and damped rotary springs.

Time is counted in steps. A pawl's moment makes the spring's period `period` steps, and its damping is a share
of the critical one, so that inertia and lag go with the stride: how far the root moves in a step. Forces are
the impulses of the contacts, friction included.
"""

import math
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import pymunk
from numpy.typing import NDArray

from benchmarks.fasteners import Hinged, Reading, Scene, Trace, there_and_back

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tuning:
    """How the fastener is put to pymunk."""

    name: str = "middle"
    stride: float = 4e-4  # how far the root goes in a step
    period: float = 60.0  # of a pawl on its spring, in steps
    damping: float = 0.5  # of the critical
    iterations: int = 100
    slop: float = 1e-4  # how deep contacts are let sink
    bias: float = 0.5  # of the overlap beyond that, what is left after a step
    samples: int = 800  # of a way


# Forces of the two hooks come within 15, 1 and 0.5 % of the greatest, beside corners left out; 0.2, 0.1 and
# 0.04 % on average. Longer strides jump the corners.
TUNINGS = (
    Tuning("coarse", stride=1e-3, iterations=10),
    Tuning(),
    Tuning("fine", stride=1e-4, period=100.0),
)


class World:
    """A pymunk space with a fastener in it."""

    def __init__(self, scene: Scene, tuning: Tuning) -> None:
        space = pymunk.Space()
        space.iterations = tuning.iterations
        space.collision_slop, space.collision_bias = tuning.slop, tuning.bias
        self.space = space
        self.root = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
        space.add(self.root)
        for ring in scene.obstacles:
            shape = pymunk.Poly(space.static_body, [tuple(point) for point in ring.tolist()])
            shape.friction = 1.0  # pymunk multiplies the two
            space.add(shape)
        self.hinges = [pawl.hinge for pawl in scene.pawls]
        self.pawls = [self._add(pawl, scene.friction, tuning) for pawl in scene.pawls]
        self.velocity, self.moved = scene.velocity, np.zeros(2)
        self.way = scene.velocity / math.hypot(*scene.velocity)
        self.force, self.lost, self.seconds = pymunk.Vec2d(0.0, 0.0), 0.0, 0.0

    def _add(self, pawl: Hinged, friction: float, tuning: Tuning) -> pymunk.Body:
        moment = pawl.stiffness * (tuning.period / (2 * math.pi)) ** 2
        body = pymunk.Body(moment / (0.5 * pawl.reach) ** 2, moment)
        hinge = tuple(pawl.hinge.tolist())
        body.position = hinge
        self.space.add(body)
        for ring in pawl.pieces:
            shape = pymunk.Poly(body, [tuple(point) for point in ring.tolist()])
            shape.friction = friction
            shape.filter = pymunk.ShapeFilter(group=1)  # pawls do not meet each other
            self.space.add(shape)
        damping = 2 * tuning.damping * math.sqrt(pawl.stiffness * moment)
        rest = -pawl.preload / pawl.stiffness
        self.space.add(
            pymunk.PivotJoint(self.root, body, hinge, (0.0, 0.0)),
            pymunk.DampedRotarySpring(self.root, body, rest, pawl.stiffness, damping),
        )
        if pawl.stops is not None:
            self.space.add(pymunk.RotaryLimitJoint(self.root, body, *pawl.stops))
        return body

    def step(self, t: float) -> Reading:
        """One step of length 1, so that the impulses of the contacts are forces."""
        moved = self.velocity * t
        self.root.velocity = tuple((moved - self.moved).tolist())
        self.moved = moved
        began = perf_counter()
        self.space.step(1.0)
        self.seconds += perf_counter() - began
        self.force, self.lost = pymunk.Vec2d(0.0, 0.0), 0.0
        for body, hinge in zip(self.pawls, self.hinges, strict=True):
            body.each_arbiter(self._count)
            self.lost = max(self.lost, math.hypot(*(hinge + moved - body.position)))
        return Reading(tuple(body.angle for body in self.pawls), float(self.way @ self.force), self.lost)

    def _count(self, arbiter: pymunk.Arbiter) -> None:
        self.force += arbiter.total_impulse
        self.lost = max([self.lost, *(-point.distance for point in arbiter.contact_point_set.points)])


def run(scene: Scene, tuning: Tuning | None = None) -> tuple[Trace, Trace | None]:
    """In and out again."""
    chosen = tuning or Tuning()
    return there_and_back(scene, World(scene, chosen), chosen.stride, chosen.samples)


def settings(tuning: Tuning) -> str:
    """What a benchmark prints beside the peer's times."""
    return (
        f"pymunk {pymunk.version}, {tuning.name}: {tuning.stride:g} a step, spring period {tuning.period:g} "
        f"steps, damping {tuning.damping:g} of critical, {tuning.iterations} iterations, slop "
        f"{tuning.slop:g}, bias {tuning.bias:g}"
    )
