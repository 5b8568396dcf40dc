"""The witness: a motion without any overlap, found by flexing parts that are a little larger.

Flex allows a hundredth of a gap of overlap. Parts grown by somewhat more than what it is allowed then do not
touch as they are drawn. That is not taken for granted: the way is checked by distances, and counts as far as
it is free.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.flex.model import Assembly, Body, Keep, Limit
from pliant.flex.problem.system import System
from pliant.flex.proof.free_path import free_legs, kept_legs, pivot_error, with_ground
from pliant.flex.proof.witness import centroid_poses
from pliant.flex.result import FlexResult, Frames
from pliant.flex.solve import solve

MARGINS = (0.003, 0.01, 0.03)  # of the gap: how much less of it is left for the witness
ALLOWED = 0.3  # of that: how much of it a step may use up


@dataclass(frozen=True)
class FreeWitness:
    """A motion, cut where it is no longer known to be free, and what it reaches."""

    result: FlexResult
    objective: float
    margin: float
    pivot_error: float


def find_witness(model: Assembly, system: System, found: FlexResult) -> FreeWitness:
    """The best of some motions that are free of overlap; what flex found, as far as it is, where none is."""
    gap = system.gap or 1e-3 * system.parts.size
    best = _cut(system, found, 0.0)
    for share in MARGINS:
        margin = share * gap
        if best.objective >= (1 - 2 * share) * found.objective:
            break
        study = system.study.model_copy(update={"threshold": ALLOWED * margin})
        grown = _grown(model, margin)
        tried = _cut(system, solve(grown, study), margin)
        best = tried if tried.objective > best.objective else best
    return best


def _grown(model: Assembly, margin: float) -> Assembly:
    """The model with so much less room everywhere: gaps, pins, keep regions and limits."""
    changes: dict[str, Any] = {
        "bodies": tuple(_grown_body(body, model.clearance, margin) for body in model.bodies),
        "pins": tuple(
            pin.model_copy(update={"clearance": max(pin.clearance - 2 * margin, 0.5 * pin.clearance)})
            for pin in model.pins
        ),
        "keep": tuple(_smaller_keep(keep, margin) for keep in model.keep),
        "limits": tuple(_smaller_limit(limit, margin) for limit in model.limits),
    }
    return model.model_copy(update=changes)


def _grown_body(body: Body, clearance: float, margin: float) -> Body:
    """A body with so much less clearance; where it has none, that is larger than drawn."""
    own = clearance if body.clearance is None else body.clearance
    return body.model_copy(update={"clearance": own - margin})


def _smaller_keep(keep: Keep, margin: float) -> Keep:
    inner = shapely.Polygon(keep.inside).buffer(-0.5 * margin, join_style="mitre")
    if inner.is_empty:
        return keep
    ring = shapely.get_coordinates(inner)[:-1]
    return keep.model_copy(update={"inside": tuple((float(x), float(y)) for x, y in ring)})


def _smaller_limit(limit: Limit, margin: float) -> Limit:
    """Travel that the limit allows less by the margin, as far as the drawn pose is still within it."""
    changes = {
        axis: (min(low + 0.5 * margin, max(low, -1e-300)), max(high - 0.5 * margin, min(high, 1e-300)))
        for axis in ("x", "y")
        if (span := getattr(limit, axis)) is not None
        for low, high in (span,)
    }
    return limit.model_copy(update=changes)


def _cut(system: System, found: FlexResult, margin: float) -> FreeWitness:
    """A motion up to the highest place of it that is reached without overlap of the parts as drawn."""
    parts, frames = system.parts, found.frames
    users = _user_frames(system, frames.poses)
    free = min(free_legs(parts, users), kept_legs(system, users))
    poses = with_ground(centroid_poses(parts, frames.poses))
    values = np.array([system.objective.value(each) for each in poses])
    top = int(values[: free + 1].argmax())
    end = top + 1
    accepted = frames.accepted[frames.accepted < end]
    kept = Frames(
        poses=frames.poses[:end],
        accepted=accepted,
        objective=values[:end],
        overlap=np.zeros(len(accepted)),
        violation=frames.violation[: len(accepted)],
    )
    result = replace(found, frames=kept, objective=float(values[top]), overlap=0.0, path_overlap=0.0)
    return FreeWitness(result, float(values[top]), margin, pivot_error(system, users[:end]))


def _user_frames(system: System, poses: Floats) -> Floats:
    """Poses (F, B, 3) of the user's frames of bodies, from those of the file's bodies (F, U, 3)."""
    return system.parts.user_poses(with_ground(centroid_poses(system.parts, poses)))
