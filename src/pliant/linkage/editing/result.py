"""What comes back from an edit: the new linkage, what was achieved, and what resisted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pliant.core.motion import Mark, Motion
from pliant.core.plot import Plot, Series
from pliant.core.store import model_hash, sayable, version
from pliant.linkage.model import EditStudy, Linkage, TraceStudy
from pliant.linkage.status import EditStatus
from pliant.linkage.structure.plan import structure
from pliant.view.shown import Shown

SHOWN = 360  # poses of the motion


@dataclass(frozen=True)
class Achieved:
    """One target, or a keep that gives way to targets: how far off at its worst place, before and after."""

    name: str
    before: float
    after: float
    reached: bool
    kept: bool = False  # a keep
    unit: str = ""  # of before and after, where it is not the model's


@dataclass(frozen=True)
class Resistance:
    """What held the targets back, and its share of their pull."""

    kind: str  # "guard" or "keep"
    what: str
    share: float
    angle: float | None = None  # of the first motor, where it is one pose that resists

    def __str__(self) -> str:
        at = "" if self.angle is None else f" at {np.degrees(self.angle):.4g} deg"
        return f"{self.what}{at}"


@dataclass(frozen=True, repr=False, eq=False)
class EditResult(Shown):
    """The linkage before and after."""

    status: EditStatus
    original: Linkage
    model: Linkage  # after
    study: EditStudy
    achieved: tuple[Achieved, ...]
    resisted: tuple[Resistance, ...]
    wanted: tuple[Mark, ...]  # what was asked for, to be drawn
    steps: int
    seconds: Mapping[str, float]

    @property
    def message(self) -> str:
        """The status as a sentence, with what stood in the way."""
        guards = [str(found) for found in self.resisted if found.kind == "guard"]
        return str(self.status) + (f": {guards[0]}" if guards else "")

    @property
    def moved(self) -> dict[str, float]:
        """How far each joint of the drawing moved."""
        return {
            name: float(np.hypot(x - self.original.joints[name][0], y - self.original.joints[name][1]))
            for name, (x, y) in self.model.joints.items()
        }

    @property
    def lengths(self) -> dict[str, tuple[float, float]]:
        """Every length that a link fixes, before and after."""
        before, after = structure(self.original), structure(self.model)
        found: dict[str, tuple[float, float]] = {}
        for link in before.links:
            for at, i in enumerate(link):
                for j in link[at + 1 :]:
                    apart = [float(np.hypot(*(s.drawn[i] - s.drawn[j]))) for s in (before, after)]
                    found[f"{before.names[i]}-{before.names[j]}"] = (apart[0], apart[1])
        return found

    @cached_property
    def motion(self) -> Motion:
        """The linkage after the edit, with what it was before drawn faint and what was asked dotted."""
        from pliant.linkage.drawing import picture
        from pliant.linkage.solve import solve

        named = [edit.point for edit in self.study.curves] + [move.joint for move in self.study.move]
        traced = tuple(dict.fromkeys((*named, *self.study.keep.curves)))
        study = TraceStudy(trace=traced, samples=SHOWN)
        before, after = solve(self.original, study), solve(self.model, study)
        count = len(self.model.joints)
        return picture(
            self.model,
            np.degrees(after.angles),
            after.poses.points[:, :count],
            traced=after.traced,
            before=before.poses.points[:, :count],
            marks=self.wanted,
        )

    def plots(self) -> dict[str, Plot]:
        """How far off each target was and is; which lengths changed."""
        charts: dict[str, Plot] = {}
        shown = [target for target in self.achieved if not target.unit]
        if shown:
            place = np.arange(len(shown), dtype=np.float64)
            charts["targets"] = Plot(
                "How far off each target is",
                "target",
                f"worst distance ({self.model.units})",
                (
                    Series("before", place, np.array([target.before for target in shown]), "bars"),
                    Series("after", place, np.array([target.after for target in shown]), "bars"),
                ),
                ticks=tuple(target.name for target in shown),
            )
        changes = {name: after / before - 1 for name, (before, after) in self.lengths.items()}
        charts["lengths"] = Plot(
            "Change of each length",
            "length",
            "change (%)",
            (
                Series(
                    "change",
                    np.arange(len(changes), dtype=np.float64),
                    100 * np.array(list(changes.values())),
                    "bars",
                ),
            ),
            ticks=tuple(changes),
        )
        return charts

    def summary(self) -> str:
        """A sentence, then the figures."""
        lines = [f"{self.message[0].upper()}{self.message[1:]}."]
        for target in self.achieved:
            unit = target.unit or self.model.units
            done = "kept" if target.kept else "reached"
            mark = done if target.reached else f"off by {target.after:.4g} {unit}"
            was = "" if target.kept else f" (was {target.before:.4g} {unit})"
            lines.append(f"  {target.name}: {mark}{was}")
        lines += [f"  {100 * found.share:3.0f} % of the pull held by: {found}" for found in self.resisted[:5]]
        farthest = sorted(self.moved.items(), key=lambda entry: -entry[1])[:3]
        moved = ", ".join(f"{name} by {much:.4g}" for name, much in farthest if much > 0)
        return "\n".join(
            [*lines, f"  moved              {moved or 'nothing'}", f"  steps              {self.steps}"]
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON has it."""
        data = {
            "kind": "linkage",
            "command": "edit",
            "status": self.status.name.lower(),
            "message": self.message,
            "seconds": dict(self.seconds),
            "version": version(),
            "model": model_hash(self.original),
            "edited": self.model.model_dump(mode="json", exclude_defaults=True, by_alias=True),
            "achieved": [vars(target).copy() for target in self.achieved],
            "resisted": [vars(found).copy() for found in self.resisted],
            "moved": self.moved,
            "lengths": {name: list(pair) for name, pair in self.lengths.items()},
            "steps": self.steps,
        }
        return {**sayable(data), "motion": self.motion.to_dict()}
