"""What comes back from running a linkage: positions, rates, limits, warnings, and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pliant.core.motion import Event, Motion, Signal
from pliant.core.plot import Plot
from pliant.core.store import model_hash, version
from pliant.linkage.drive import Drive
from pliant.linkage.limits import Reach
from pliant.linkage.model import Linkage, TraceStudy
from pliant.linkage.plan import Plan
from pliant.linkage.poses import Poses, jacobian
from pliant.linkage.rules import Floats
from pliant.linkage.status import TraceStatus


@dataclass(frozen=True)
class Warning:
    """Something to know about a pose: the first motor's angle there, and a sentence."""

    angle: float | None  # radians from the drawn pose; None where it is of no pose
    text: str
    kind: str = ""


@dataclass(frozen=True)
class TraceResult:
    """A linkage at F poses. Arrays by joint have the guide points of sliders last."""

    status: TraceStatus
    model: Linkage
    study: TraceStudy
    drive: Drive
    reached: Reach
    t: Floats  # (F,) path parameter
    poses: Poses
    velocities: Floats  # (N, 2, F) in time
    accelerations: Floats  # (N, 2, F)
    error: float  # largest error of any length, at any pose
    seconds: Mapping[str, float]

    @property
    def plan(self) -> Plan:
        """The order of rules that was found."""
        return self.poses.plan

    @property
    def angles(self) -> Floats:
        """(F,) of the first motor, in radians from the drawn pose."""
        return self.poses.angles[0]

    @property
    def absolute(self) -> Floats:
        """(M, F) directions of the motors' arms in radians, counter-clockwise from x."""
        structure = self.plan.structure
        arms = [structure.drawn[driven] - structure.drawn[pivot] for pivot, driven in structure.motors]
        start = np.array([np.arctan2(arm[1], arm[0]) for arm in arms])
        return start[:, None] + structure.turns[:, None] * self.poses.angles

    @property
    def limits(self) -> tuple[float, float] | None:
        """The angles of the first motor between which the linkage can run; None where nothing limits it."""
        if self.reached.above is None and self.reached.below is None:
            return None
        low, high = self.drive.angles(np.array([self.reached.low, self.reached.high]))[0].tolist()
        return min(low, high), max(low, high)

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
    def warnings(self) -> tuple[Warning, ...]:
        """Limits and change points, in the order of the motor's angle."""
        found: list[Warning] = []
        for stop in (self.reached.below, self.reached.above):
            if stop is not None:
                text = f"the motor can go no further: {', '.join(stop.joints)} {_is(stop.joints)} {stop.how}"
                found.append(Warning(self._angle(stop.t), text, "limit"))
        for change in self.reached.changes:
            side = "crosses to the other side" if change.crossed else "keeps its side"
            text = f"change point: {change.joint} can go on in two ways; here it {side}"
            found.append(Warning(self._angle(change.t), text, "change point"))
        return tuple(found)

    def _angle(self, t: float) -> float:
        return float(self.drive.angles(np.array([t]))[0, 0])

    @cached_property
    def motion(self) -> Motion:
        """The motion for every view."""
        from pliant.linkage.drawing import picture

        count = len(self.model.joints)
        turning = bool((np.diff(self.angles) > 0).all() or (np.diff(self.angles) < 0).all())
        values = np.degrees(self.angles) if turning else self.t * self.drive.seconds
        events = [
            Event(float(np.degrees(w.angle)), w.text, w.kind) for w in self.warnings if w.angle is not None
        ]
        speeds = {
            f"speed of {name}": Signal(
                f"{self.model.units}/s", np.hypot(*self.velocities[self._number(name)])
            )
            for name in self.traced
        }
        return picture(
            self.model,
            values,
            self.poses.points[:, :count],
            traced=self.traced,
            signals=speeds,
            events=events if turning else [],
            axis="motor angle" if turning else "time",
            unit="deg" if turning else "s",
        )

    def _number(self, name: str) -> int:
        return self.plan.structure.names.index(name)

    def plots(self) -> dict[str, Plot]:
        """Charts of the quantities along the cycle."""
        return {}

    def summary(self) -> str:
        """A sentence, then the figures."""
        return str(self.status)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON has it."""
        data: dict[str, Any] = {
            "kind": "linkage",
            "command": "trace",
            "status": self.status.name.lower(),
            "message": str(self.status),
            "seconds": dict(self.seconds),
            "version": version(),
            "model": model_hash(self.model),
            "angles": self.angles.tolist(),
            "absolute": self.absolute.tolist(),
            "joints": {name: path.tolist() for name, path in self.joints.items()},
            "order": self.plan.describe(),
            "limits": None if self.limits is None else list(self.limits),
            "warnings": [vars(warning).copy() for warning in self.warnings],
            "length_error": self.error,
        }
        for key, wanted, arrays in (
            ("velocity", self.study.velocity, self.velocities),
            ("acceleration", self.study.acceleration, self.accelerations),
        ):
            if wanted:
                data[key] = {name: arrays[k].T.tolist() for k, name in enumerate(self.model.joints)}
        if self.study.jacobian:
            d = jacobian(self.poses)
            data["jacobian"] = {
                name: np.moveaxis(d[self._number(name)], 3, 0).tolist() for name in self.traced
            }
        return {**data, "motion": self.motion.to_dict()}


def _is(names: tuple[str, ...]) -> str:
    return "is" if len(names) == 1 else "are"
