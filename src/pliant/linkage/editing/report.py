"""An edit in words, as a motion, in charts and as plain data."""

from __future__ import annotations

from typing import Any

import numpy as np

from pliant.core.motion import Motion
from pliant.core.plot import Plot, Series
from pliant.core.store import opening, sayable
from pliant.linkage.drawing import picture
from pliant.linkage.editing.result import EditResult
from pliant.linkage.model import TraceStudy
from pliant.linkage.solve import solve

SHOWN = 360  # poses of the motion


def motion(result: EditResult) -> Motion:
    """The linkage after the edit, with what it was before drawn faint and what was asked dotted."""
    named = [edit.point for edit in result.study.curves] + [move.joint for move in result.study.move]
    traced = tuple(dict.fromkeys((*named, *result.study.keep.curves)))
    study = TraceStudy(trace=traced, samples=SHOWN)
    before, after = solve(result.original, study), solve(result.model, study)
    count = len(result.model.joints)
    return picture(
        result.model,
        np.degrees(after.angles),
        after.poses.points[:, :count],
        traced=after.traced,
        before=before.poses.points[:, :count],
        marks=result.wanted,
    )


def plots(result: EditResult) -> dict[str, Plot]:
    """How far off each target was and is; which lengths changed."""
    charts: dict[str, Plot] = {}
    shown = [target for target in result.achieved if not target.unit]
    if shown:
        place = np.arange(len(shown), dtype=np.float64)
        charts["targets"] = Plot(
            "How far off each target is",
            "target",
            f"worst distance ({result.model.units})",
            (
                Series("before", place, np.array([target.before for target in shown]), "bars"),
                Series("after", place, np.array([target.after for target in shown]), "bars"),
            ),
            ticks=tuple(target.name for target in shown),
        )
    # Joints drawn at one place are at no distance, which has no share that it could change by.
    changes = {name: after / before - 1 for name, (before, after) in result.lengths.items() if before}
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


def summary(result: EditResult) -> str:
    """A sentence, then the figures."""
    lines = [f"{result.message[0].upper()}{result.message[1:]}."]
    for target in result.achieved:
        unit = target.unit or result.model.units
        done = "kept" if target.kept else "reached"
        mark = done if target.reached else f"off by {target.after:.4g} {unit}"
        was = "" if target.kept else f" (was {target.before:.4g} {unit})"
        lines.append(f"  {target.name}: {mark}{was}")
    lines += [
        f"  {100 * resistance.share:3.0f} % of the pull held by: {resistance}"
        for resistance in result.resisted[:5]
    ]
    farthest = sorted(result.moved.items(), key=lambda entry: -entry[1])[:3]
    moved = ", ".join(f"{name} by {much:.4g}" for name, much in farthest if much > 0)
    return "\n".join(
        [*lines, f"  moved              {moved or 'nothing'}", f"  steps              {result.steps}"]
    )


def in_radians(result: EditResult) -> tuple[str, ...]:
    """Key paths of the plain data that are angles: of motors that turn."""
    turning = [k for k, motor in enumerate(result.model.motors) if not motor.linear]
    return tuple(f"edited.motors.{k}.{key}" for k in turning for key in ("range", "profile"))


def to_dict(result: EditResult) -> dict[str, Any]:
    """Everything, as JSON has it."""
    data = {
        **opening("linkage", "edit", result.status, result.message, result.seconds, result.original),
        "edited": result.model.model_dump(mode="json", exclude_defaults=True, by_alias=True),
        "achieved": [vars(target).copy() for target in result.achieved],
        "resisted": [vars(resistance).copy() for resistance in result.resisted],
        "moved": result.moved,
        "lengths": {name: list(pair) for name, pair in result.lengths.items()},
        "steps": result.steps,
    }
    return {**sayable(data), "motion": result.motion.to_dict()}
