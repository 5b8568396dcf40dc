"""What comes back from running a linkage: positions, rates, limits, warnings, and what they mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import TYPE_CHECKING

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import PliantError
from pliant.core.faults import name_cure
from pliant.linkage.analysis.centres import Centres, Spins, centres, spins
from pliant.linkage.analysis.curves import Sweep, Track, swept_region, track
from pliant.linkage.analysis.dimension_sensitivity import (
    Bands,
    Dimension,
    bands,
    dimensions,
    sensitivities,
    tolerances,
)
from pliant.linkage.analysis.grashof import FourBar, SliderCrank, four_bars, slider_cranks
from pliant.linkage.analysis.transmission import Transmission, toggle_margin, transmissions
from pliant.linkage.kinematics.drive import MotorDrive
from pliant.linkage.kinematics.mobility import freedoms, grubler
from pliant.linkage.kinematics.poses import LinkagePoses
from pliant.linkage.kinematics.reach import MotionRange
from pliant.linkage.model import Linkage, TraceStudy
from pliant.linkage.status import TraceStatus
from pliant.linkage.structure.rule_plan import STRUTS, TURNS, LinkageStructure, RulePlan
from pliant.view.shown import Shown

if TYPE_CHECKING:
    from pliant.linkage.analysis.layers import Layers
    from pliant.linkage.analysis.statics import Statics

WIDTH = 0.02  # of the linkage's size: links whose width nobody gave


@dataclass(frozen=True)
class TraceNotice:
    """Something to know about a pose: the first motor's angle there, and a sentence."""

    angle: float | None  # radians from the drawn pose; None where it is of no one pose
    text: str
    kind: str


@dataclass(frozen=True, repr=False, eq=False)
class TraceResult(Shown):
    """A linkage at F poses. Arrays by joint have the guide points of sliders last.

    What costs more than the run itself is computed when it is first asked for.
    """

    status: TraceStatus  # how it ended
    model: Linkage  # that was run
    study: TraceStudy  # what was asked
    drive: MotorDrive  # the motors' angles over the path parameter
    reached: MotionRange  # part of the path that can be run
    t: Floats  # (F,) path parameter
    poses: LinkagePoses  # positions (N, 2, F) of the joints
    velocities: Floats  # (N, 2, F) in time
    accelerations: Floats  # (N, 2, F)
    error: float  # largest error of any length, at any pose
    seconds: Mapping[str, float]  # by phase

    @property
    def plan(self) -> RulePlan:
        """The order of rules that was found."""
        return self.poses.plan

    @property
    def closed(self) -> bool:
        """Whether the last pose is followed by the first: every side that was crossed was crossed back."""
        crossed = Counter(change.op for change in self.reached.changes if change.crossed)
        even = all(times % 2 == 0 for times in crossed.values())
        return self.drive.closed and self.limits is None and even

    @property
    def angles(self) -> Floats:
        """(F,) of the first motor, in radians from the drawn pose."""
        return self.poses.angles[0]

    @property
    def absolute(self) -> Floats:
        """(M, F) directions of the motors' arms in radians, counter-clockwise from x.

        Of a strut its length, and of a driven slider how far it is from the first point of its guide.
        """
        structure = self.plan.structure
        start = np.array([_start(structure, motor) for motor in range(len(structure.motors))])
        return start[:, None] + structure.turns[:, None] * self.poses.angles

    @property
    def scale(self) -> tuple[float, str, str]:
        """What the first motor's angle is shown by: a factor, its name, and the unit."""
        linear = self.model.motors[0].linear
        return (1.0, "motor travel", self.model.units) if linear else (180 / np.pi, "motor angle", "deg")

    @property
    def limits(self) -> tuple[float, float] | None:
        """The angles of the first motor between which the linkage can run; None where nothing limits it."""
        if not self.reached.limits:
            return None
        low, high = self.reached.low, self.reached.high
        led = self.drive.origin < 0 or self.drive.lowest >= 0  # what leads to the path is no part of it
        low = max(low, 0.0) if led and high >= 0 else low
        inner = self.drive.knots[(self.drive.knots > low) & (self.drive.knots < high)]
        angles = self.drive.angles(np.concatenate([[low], inner, [high]]))[0]
        return float(angles.min()), float(angles.max())

    @property
    def joints(self) -> dict[str, Floats]:
        """Positions (F, 2) of every joint."""
        return {name: self.poses.x[k].T for k, name in enumerate(self.model.joints)}

    @cached_property
    def traced(self) -> tuple[str, ...]:
        """The joints that are followed: those asked for, or the ends of links, or all that move."""
        if self.study.trace:
            return self.study.trace
        counts = {name: 0 for name in self.model.joints if name not in self.model.ground}
        for link in self.model.links:
            for name in link.joints:
                if name in counts:
                    counts[name] += 1
        slid = {slider.joint for slider in self.model.sliders}
        ends = tuple(name for name, count in counts.items() if count == 1 and name not in slid)
        return ends or tuple(counts)

    @cached_property
    def warnings(self) -> tuple[TraceNotice, ...]:
        """Limits, change points, poor transmission and redundant links, in words."""
        return tuple(self._presentation("warnings"))

    @property
    def freedoms(self) -> int:
        """How many ways it can truly move, from the rank of its equations in the drawn pose."""
        return freedoms(self.plan)

    @property
    def grubler(self) -> int:
        """How many ways it can move by Grübler's count."""
        return grubler(self.plan.structure)

    @cached_property
    def loops(self) -> tuple[FourBar | SliderCrank, ...]:
        """The four-bars and slider-cranks in it, classified."""
        return (*four_bars(self.plan.structure), *slider_cranks(self.plan.structure))

    @cached_property
    def transmissions(self) -> tuple[Transmission, ...]:
        """Transmission angles along the cycle, each with its worst pose."""
        return transmissions(self.poses, self.closed)

    @property
    def toggle(self) -> Transmission | None:
        """The joint that comes nearest to a toggle, and where."""
        return toggle_margin(self.transmissions)

    @cached_property
    def tracks(self) -> dict[str, Track]:
        """The paths of the traced joints, in seconds."""
        return {name: self.track(name) for name in self.traced}

    def track(self, name: str) -> Track:
        """One joint's path in time: see `analysis.curves` for its length, area, box and time ratio.

        Args:
            name: of the joint.

        Returns:
            The path; t is in seconds.

        Raises:
            PliantError: there is no such joint.
        """
        k, count, turns = self.number(name), len(self.t), self.cycles
        period = self.drive.seconds / turns if self.closed and count % turns == 0 else None
        once = slice(0, count // turns if period is not None else count)
        t = (self.t[once] - self.t[0]) * self.drive.seconds
        x, v, a = (arrays[k][:, once] for arrays in (self.poses.x, self.velocities, self.accelerations))
        return track(t, x, v, a, period)

    @property
    def cycles(self) -> int:
        """How many times over the path goes through the same poses: the turns that all motors share."""
        return gcd(*(int(motor.turns) for motor in self.model.motors)) if self.drive.closed else 1

    def speed(self, name: str) -> Floats:
        """How fast a joint goes, (F,).

        Args:
            name: of the joint.

        Returns:
            |v| in the model's unit per second.

        Raises:
            PliantError: there is no such joint.
        """
        return np.hypot(*self.velocities[self.number(name)])

    @cached_property
    def swept(self) -> Sweep:
        """The room that all joints take up together."""
        return swept_region([self.track(name) for name in self.model.joints])

    @cached_property
    def spins(self) -> Spins:
        """Angular velocities and accelerations of the links."""
        return spins(self.poses, self.velocities, self.accelerations)

    @cached_property
    def centres(self) -> tuple[Centres, ...]:
        """Instant centres of every pair of links, the ground included."""
        return centres(self.poses, self.spins)

    @cached_property
    def dimensions(self) -> tuple[Dimension, ...]:
        """What a workshop could get wrong."""
        return dimensions(self.plan)

    @cached_property
    def sensitivities(self) -> Floats:
        """(D, N, 2, F): how far each joint moves for a unit of each dimension, at the same motor angle."""
        return sensitivities(self.poses, self.dimensions)

    @cached_property
    def bands(self) -> dict[str, Bands]:
        """Tolerance bands of the traced joints; none without tolerances, or where a wrong length locks it."""
        if self.plan.redundancy or (self.study.tolerance is None and not self.study.tolerances):
            return {}
        limits = tolerances(self.dimensions, self.study.tolerance, self.study.tolerances)
        by_joint: dict[str, Bands] = {}
        for name in self.traced:
            k = self.number(name)
            v, a = self.velocities[k], self.accelerations[k]
            by_joint[name] = bands(v, a, self.sensitivities[:, k], limits)
        return by_joint

    @cached_property
    def forces(self) -> Statics | None:
        """Motor torques and joint reactions that hold the loads; None without loads."""
        if not self.model.loads:
            return None
        from pliant.linkage.analysis.statics import forces

        return forces(self.model, self.poses)

    @cached_property
    def layers(self) -> Layers:
        """Links in layers, so that none runs into another."""
        from pliant.linkage.analysis.layers import assign_layers

        width = WIDTH * self.plan.structure.size if self.study.width is None else self.study.width
        return assign_layers(self.model, self.poses.points[:, : len(self.model.joints)], width)

    def number(self, name: str) -> int:
        """The place of a joint in the arrays.

        Args:
            name: of the joint.

        Returns:
            Its index, from 0.

        Raises:
            PliantError: there is no such joint.
        """
        names = self.plan.structure.names
        if name not in names:
            raise PliantError(f"{name!r} is no joint of this linkage. {name_cure(name, names, 'Joints')}.")
        return names.index(name)


def _start(structure: LinkageStructure, motor: int) -> float:
    """Where a motor is in the drawing: the direction of its arm, its length, or its place on the guide."""
    pivot, driven = structure.motors[motor]
    arm, push = structure.drawn[driven] - structure.drawn[pivot], structure.pushes[motor]
    if push == TURNS:
        return float(np.arctan2(arm[1], arm[0]))
    if push == STRUTS:
        return float(np.hypot(*arm))
    _, a, b = structure.sliders[push]
    direction = structure.drawn[b] - structure.drawn[a]
    return float(arm @ direction / np.hypot(*direction))
