"""A fit as an answer: a linkage in the target's own place and size, and how good it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.linkage.analysis.transmission import transmissions
from pliant.linkage.kinematics.poses import positions
from pliant.linkage.synthesis.families import extent
from pliant.linkage.synthesis.polish import Fit, redraw_at_start
from pliant.linkage.synthesis.result import SynthesizedLinkage, turn_of
from pliant.linkage.synthesis.targets import PathTarget, as_complex, as_points

VERTICES = 1000  # of the target that strays are measured from
FRAMES = 180  # of the curve that is shown
ROUNDING = 1e-12  # error over the target's size that is none


def answer_of(target: PathTarget, fit: Fit) -> SynthesizedLinkage:
    """A fit as a linkage of the target's own place and size, drawn where it meets its first point."""
    fit = redraw_at_start(fit)
    direction = 1.0 if fit.phases[-1] >= 0 else -1.0
    span = turn_of(fit, target)
    turns = np.linspace(0, direction * span, FRAMES, endpoint=not target.closed)
    plan = fit.family.plan
    poses = positions(plan, turns[None], fit.drawn, signs=fit.signs)
    x, joints = poses.x, transmissions(poses, target.closed)
    centre = np.array([target.centre.real, target.centre.imag])
    motor: dict[str, Any] = {"direction": "ccw" if direction > 0 else "cw"}
    if not target.closed:
        motor["range"] = (0.0, span)
    return SynthesizedLinkage(
        linkage=fit.family.linkage(fit.drawn * target.size + centre, _title(fit), **motor),
        fit=fit,
        points=np.moveaxis(x, 2, 0) * target.size + centre,
        rms=fit.rms,
        greatest=fit.greatest,
        stray=_stray(target, x[fit.family.traced]),
        transmission=min((joint.worst for joint in joints), default=np.pi / 2),
        extent=float(extent(fit.drawn)),
    )


def _title(fit: Fit) -> str:
    return f"{fit.family.name[0].upper()}{fit.family.name[1:]}, {percent(fit.rms)} off its target"


def _stray(target: PathTarget, path: Floats) -> float:
    """The farthest that the curve (2, F) goes from the target."""
    if target.through:
        return 0.0
    some = target.given[:: -(-len(target.given) // VERTICES)]
    xy = as_points((as_complex(some) - target.centre) / target.size)
    line = shapely.linearrings(xy) if target.closed and len(xy) > 2 else shapely.linestrings(xy)
    return float(shapely.distance(line, shapely.points(path.T)).max())


def percent(share: float) -> str:
    """A share in percent, with three digits."""
    return f"{100 * share:.3g} %" if share > ROUNDING else "0 %"
