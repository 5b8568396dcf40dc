"""What path synthesis finds: linkages ready to run, and how near their curves are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import shapely

from pliant.core.arrays import Floats
from pliant.core.motion import Mark, Motion
from pliant.core.plot import Plot, Series
from pliant.core.status import ANSWERED, INTERRUPTED, NO_ANSWER, Status, Tone
from pliant.core.store import model_hash, sayable, version
from pliant.linkage.analysis.transmission import transmissions
from pliant.linkage.drawing import picture
from pliant.linkage.kinematics.poses import positions
from pliant.linkage.model import Linkage
from pliant.linkage.synthesis.families import extent
from pliant.linkage.synthesis.matching import TURN
from pliant.linkage.synthesis.polish import Fit, redrawn
from pliant.linkage.synthesis.targets import Target, as_complex, as_points
from pliant.view.symbols import curve

VERTICES = 1000  # of the target that strays are measured from
FRAMES = 180  # of the curve that is shown
ROUNDING = 1e-12  # error over the target's size that is none
GOOD = np.pi / 6  # a transmission angle that is good enough
BINDS = 0.003  # what a joint that binds counts for, over the target's size
SMALL = 2.0  # a linkage, over the target's size, that is small enough
ROOM = 0.0003  # what each such size more counts for
TOLERATED = 0.05  # how far the curve may stray between the target's points before it counts as error


class SynthesisStatus(Status):
    """Every ending of `path`."""

    FOUND = "linkages were found for the target", ANSWERED, Tone.SOUND
    NONE = "no candidate could be brought to the target", NO_ANSWER
    STOPPED = "the search was stopped before its end", INTERRUPTED


@dataclass(frozen=True)
class Answer:
    """One linkage. Errors and its extent are over the target's size."""

    linkage: Linkage
    fit: Fit
    points: Floats  # (F, N, 2) where its joints are, as far as its motor is driven
    rms: float  # from the target to the curve
    greatest: float
    stray: float  # the farthest that the curve goes from the target; 0 where only points are given
    transmission: float  # the least transmission angle on its way, rad
    extent: float  # the longest side of the box about its drawn joints

    @property
    def kind(self) -> str:
        """What sort of linkage it is."""
        return self.fit.family.name

    @property
    def score(self) -> float:
        """What answers are ranked by: how far off they are, and how hard to build.

        A curve that goes elsewhere too is a worse one; so is a linkage that binds, or that is large.
        """
        flat, large = max(0.0, 1 - self.transmission / GOOD), max(0.0, self.extent / SMALL - 1)
        return self.rms + max(0.0, self.stray - TOLERATED) + BINDS * flat + ROOM * large

    @property
    def path(self) -> Floats:
        """The curve that P traces, (F, 2)."""
        return self.points[:, -1]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, for JSON."""
        return {
            "kind": self.kind,
            "rms": self.rms,
            "greatest": self.greatest,
            "stray": self.stray,
            "transmission": self.transmission,
            "extent": self.extent,
            "path": self.path.tolist(),
            "linkage": self.linkage.model_dump(mode="json", exclude_unset=True),
        }


@dataclass(frozen=True)
class Synthesis:
    """The answers, best first."""

    status: SynthesisStatus
    target: Target
    answers: tuple[Answer, ...]
    candidates: int
    seed: int
    seconds: dict[str, float]

    @cached_property
    def motion(self) -> Motion:
        """The best linkage as it runs, with the target and the curves of the others."""
        wanted = _target_marks(self.target)
        if not self.answers:
            return Motion("drawn", "", np.zeros(1), marks=tuple(wanted))
        best, *others = self.answers
        marks = [
            Mark("curve", curve(other.path), group="trace", text=f"answer {number}")
            for number, other in enumerate(others, 2)
        ]
        degrees = np.linspace(0, np.degrees(_span(best.fit, self.target)), len(best.points))
        return picture(best.linkage, degrees, best.points, traced=("P",), marks=[*marks, *wanted])

    def plots(self) -> dict[str, Plot]:
        """How far each target point is from each answer's curve."""
        along = np.asarray(self.target.fractions)
        series = tuple(
            Series(f"{number}: {answer.kind}", along, np.hypot(*answer.fit.gaps))
            for number, answer in enumerate(self.answers, 1)
        )
        return {"error": Plot("Error along the target", "along the target", "error over size", series)}

    def summary(self) -> str:
        """The sentence, and a line for each answer."""
        if not self.answers:
            return f"No linkage: {self.status} ({self.candidates} tried)."
        best = self.answers[0]
        said = f"Best of {self.candidates}: a {best.kind}, {_percent(best.rms)} of the target's size off."
        if self.status is SynthesisStatus.STOPPED:
            said += " (stopped before the end)"
        heads = ("rms", "greatest", "stray", "transmission", "size")
        lines = [f"  {'':3}{'linkage':<24}{''.join(f'{head:>14}' for head in heads)}"]
        lines += [
            f"  {number:<3}{answer.kind:<24}{_percent(answer.rms):>14}{_percent(answer.greatest):>14}"
            f"{_percent(answer.stray):>14}{f'{np.degrees(answer.transmission):.3g}°':>14}{answer.extent:>14.3g}"
            for number, answer in enumerate(self.answers, 1)
        ]
        return "\n".join([said, *lines])

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, for JSON."""
        data = {
            "kind": "linkage",
            "command": "synthesize",
            "status": self.status.name.lower(),
            "message": str(self.status),
            "seconds": self.seconds,
            "version": version(),
            "model": model_hash(self.answers[0].linkage) if self.answers else None,
            "target": self.target.given.tolist(),
            "closed": self.target.closed,
            "candidates": self.candidates,
            "seed": self.seed,
            "answers": [answer.to_dict() for answer in self.answers],
        }
        return {**sayable(data), "motion": self.motion.to_dict()}


def _target_marks(target: Target) -> list[Mark]:
    """The drawn curve, or a cross at each point to pass."""
    given = target.given
    if target.through:
        arm = 0.02 * target.size * np.array([[[-1, -1], [1, 1]], [[-1, 1], [1, -1]]])
        return [Mark("segment", point + stroke, group="target") for point in given for stroke in arm]
    return [Mark("curve", np.vstack([given, given[:1]]) if target.closed else given, group="target")]


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %" if share > ROUNDING else "0 %"


def _span(found: Fit, target: Target) -> float:
    """How far the motor turns in its own direction: a turn, or from the first point to the last."""
    return TURN if target.closed else float(np.abs(found.phases).max())


def answer_of(target: Target, found: Fit) -> Answer:
    """A fit as a linkage of the target's own place and size, drawn where it meets its first point."""
    found = redrawn(found)
    way = 1.0 if found.phases[-1] >= 0 else -1.0
    span = _span(found, target)
    turns = np.linspace(0, way * span, FRAMES, endpoint=not target.closed)
    plan = found.family.plan
    poses = positions(plan, turns[None], found.drawn, signs=found.signs)
    x, joints = poses.x, transmissions(poses, target.closed)
    centre = np.array([target.centre.real, target.centre.imag])
    motor: dict[str, Any] = {"direction": "ccw" if way > 0 else "cw"}
    if not target.closed:
        motor["range"] = (0.0, span)
    return Answer(
        linkage=found.family.linkage(found.drawn * target.size + centre, _title(found), **motor),
        fit=found,
        points=np.moveaxis(x, 2, 0) * target.size + centre,
        rms=found.rms,
        greatest=found.greatest,
        stray=_stray(target, x[found.family.traced]),
        transmission=min((joint.worst for joint in joints), default=np.pi / 2),
        extent=float(extent(found.drawn)),
    )


def _title(found: Fit) -> str:
    return f"{found.family.name[0].upper()}{found.family.name[1:]}, {_percent(found.rms)} off its target"


def _stray(target: Target, path: Floats) -> float:
    """The farthest that the curve (2, F) goes from the target."""
    if target.through:
        return 0.0
    some = target.given[:: -(-len(target.given) // VERTICES)]
    xy = as_points((as_complex(some) - target.centre) / target.size)
    line = shapely.linearrings(xy) if target.closed and len(xy) > 2 else shapely.linestrings(xy)
    return float(shapely.distance(line, shapely.points(path.T)).max())
