"""What comes back from a flex study: the motion, the numbers, and who is to blame for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.core.motion import Event, Floats, Mark, Motion, Shape, Signal
from pliant.core.plot import Plot, Series
from pliant.core.pose import carry
from pliant.core.store import model_hash, sayable, version
from pliant.flex.drawn import DrawnOverlap, Violation
from pliant.flex.findings import Leaving, Turning
from pliant.flex.forces import Contact, ForceChain
from pliant.flex.model import Assembly, FlexStudy
from pliant.flex.rigid import rigid
from pliant.flex.status import FlexStatus
from pliant.view.shown import Shown

WAY_OUT = 12  # frames in which what can leave does


@dataclass(frozen=True)
class Frames:
    """Poses along the motion: the accepted ones, and some on the way between them."""

    poses: Floats  # (F, B, 3) of the user's frames
    accepted: NDArray[np.int64]  # (A,) frames that steps ended at; the first is the drawn pose
    objective: Floats  # (F,)
    overlap: Floats  # (A,) thickness by area
    violation: Floats  # (A,) of the worst row


@dataclass(frozen=True)
class Restarts:
    """Where climbs from several poses ended, the first from the drawn one."""

    objectives: tuple[float, ...]

    @property
    def agreeing(self) -> int:
        """How many of them end within 1 % of the best."""
        best = max(self.objectives)
        return sum(value >= best - 0.01 * abs(best) for value in self.objectives)


@dataclass(frozen=True, repr=False, eq=False)
class FlexResult(Shown):
    """How far the assembly went, how it ended, and what held it."""

    status: FlexStatus
    model: Assembly
    study: FlexStudy
    objective: float  # reached
    linear: float | None  # the first program's estimate; None where it has no bound
    left: float | None  # what the last program still promised
    steps: int
    violation: float  # of the worst row at the end
    overlap: float  # thickest at any accepted pose: area over the length it is shared along
    path_overlap: float  # a bound on the overlap between the frames
    gap: float
    threshold: float
    rows: int
    columns: int
    contacts: tuple[Contact, ...]
    chain: ForceChain | None  # forces at the end, under the unit load
    frames: Frames
    shapes: tuple[Shape, ...]  # inset
    shape_of: NDArray[np.int64]  # (B,)
    pin_error: float
    solvers: tuple[str, ...]
    relaxed: float
    seconds: Mapping[str, float]
    drawn: tuple[DrawnOverlap, ...] = ()  # pairs that overlap as drawn, the deepest first
    needed: float = 0.0  # the clearance at which they would all come apart
    lost: tuple[str, ...] = ()  # bodies that such a clearance leaves in pieces, or nothing of
    violated: tuple[Violation, ...] = ()  # what does not hold as drawn, the worst first
    leaving: Leaving | None = None
    turning: Turning | None = None
    restarts: Restarts | None = None
    note: str = ""

    @property
    def message(self) -> str:
        """The status as a sentence, with what is known beyond it."""
        return f"{self.status}{': ' if self.note else ''}{self.note}"

    @property
    def cure(self) -> float | None:
        """The clearance at which parts that overlap as drawn come apart and stay whole; None: none does."""
        return self.needed if self.drawn and not self.lost else None

    @property
    def poses(self) -> dict[str, tuple[float, float, float]]:
        """Where each body ends: x, y, theta of its own frame."""
        final = self.frames.poses[-1].tolist()
        return {body.name: tuple(pose) for body, pose in zip(self.model.bodies, final, strict=True)}

    @cached_property
    def motion(self) -> Motion:
        """The motion for every view: bodies, how far each moved, forces, keep regions, signals.

        It is paced by travel: how far, frame by frame, the body that moves most has gone. What can leave
        by a straight way does so after the last step, where nothing is measured.
        """
        stepped, accepted, out = self.frames.poses, self.frames.accepted, _way_out(self)
        poses = np.concatenate([stepped, out])
        values = _travel(self, poses)
        overlap = np.interp(np.arange(len(stepped)), accepted, self.frames.overlap)
        unmeasured = np.full(len(out), np.nan)
        held = rigid(self.model).why(self.model)
        travelled = np.hypot(*np.moveaxis(poses[..., :2] - poses[:1, :, :2], -1, 0))
        return Motion(
            axis="travel",
            unit=self.model.units,
            values=values,
            title=self.model.title,
            length_unit=self.model.units,
            bodies=tuple(body.name for body in self.model.bodies),
            shapes=self.shapes,
            body_shapes=self.shape_of,
            fixed=np.array([body.name in held for body in self.model.bodies]),
            poses=poses,
            body_scalars={"travel": travelled, "turn": poses[..., 2] - poses[:1, :, 2]},
            marks=(*_force_marks(self, len(stepped) - 1), *_region_marks(self.model)),
            signals={
                "objective": Signal(self.model.units, np.append(self.frames.objective, unmeasured)),
                "overlap": Signal(self.model.units, np.append(overlap, unmeasured)),
            },
            events=(Event(float(values[len(stepped) - 1]), self.message, self.status.name.lower()),),
        )

    def plots(self) -> dict[str, Plot]:
        """Charts: the objective by step, and each joint's share of the linear estimate."""
        charts = {"progress": _progress_plot(self)}
        if self.contacts:
            charts["shares"] = _share_plot(self)
        return charts

    def summary(self) -> str:
        """A sentence, then the figures."""
        from pliant.flex.report import lines, sentence

        return "\n".join([sentence(self), *lines(self)])

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON has it."""
        data = {
            "kind": "assembly",
            "command": "flex",
            "status": self.status.name.lower(),
            "message": self.message,
            "seconds": dict(self.seconds),
            "version": version(),
            "model": model_hash(self.model),
            "objective": self.objective,
            "linear": self.linear,
            "left": self.left,
            "steps": self.steps,
            "violation": self.violation,
            "overlap": self.overlap,
            "path_overlap": self.path_overlap,
            "gap": self.gap,
            "threshold": self.threshold,
            "rows": self.rows,
            "columns": self.columns,
            "solvers": list(self.solvers),
            "pin_error": self.pin_error,
            "relaxed": self.relaxed,
            "poses": {name: list(pose) for name, pose in self.poses.items()},
            "contacts": [contact.to_dict() for contact in self.contacts],
            "overlapping": [
                {
                    "bodies": list(found.bodies),
                    "area": found.area,
                    "depth": found.depth,
                    "apart": None if found.apart is None else vars(found.apart),
                }
                for found in self.drawn
            ],
            "cure": self.cure,
            "violated": [vars(found) for found in self.violated],
            "leaving": _leaving_dict(self.leaving),
            "turning": _turning_dict(self.turning),
            "restarts": None if self.restarts is None else list(self.restarts.objectives),
        }
        return {**sayable(data), "motion": self.motion.to_dict()}


def _travel(result: FlexResult, poses: Floats) -> Floats:
    """How far the body that moves most from each frame to the next has gone in all, (F,)."""
    corners = [np.vstack(shape.rings) for shape in result.shapes]
    middles = np.array([ring.mean(axis=0) for ring in corners])
    radii = np.array([np.hypot(*(ring - ring.mean(axis=0)).T).max() for ring in corners])
    moved = np.diff(carry(poses, middles[result.shape_of]), axis=0)
    turned = np.abs(np.diff(poses[..., 2], axis=0)) * radii[result.shape_of]
    return np.append(0.0, np.cumsum((np.hypot(*np.moveaxis(moved, -1, 0)) + turned).max(axis=1)))


def _way_out(result: FlexResult) -> Floats:
    """What leaves by a straight way that was played, going as far as the assembly is large: (K, B, 3)."""
    last, away = result.frames.poses[-1], result.leaving
    if away is None:
        return np.zeros((0, *last.shape))
    number = {body.name: k for k, body in enumerate(result.model.bodies)}
    velocity = np.zeros_like(last)
    for name, direction in zip(away.bodies, away.velocities, strict=True):
        velocity[number[name], :2] = direction
    outlines = [np.vstack(result.shapes[k].rings) for k in result.shape_of]
    corners = np.vstack([carry(pose, ring) for pose, ring in zip(last, outlines, strict=True)])
    share = np.arange(1, WAY_OUT + 1)[:, None, None] / WAY_OUT
    return last + share * float(np.ptp(corners, axis=0).max()) * velocity


def _leaving_dict(leaving: Leaving | None) -> dict[str, Any] | None:
    if leaving is None:
        return None
    moves = {name: list(velocity) for name, velocity in zip(leaving.bodies, leaving.velocities, strict=True)}
    return {"velocities": moves}


def _turning_dict(turning: Turning | None) -> dict[str, Any] | None:
    if turning is None:
        return None
    return {"turns": dict(zip(turning.bodies, turning.turns, strict=True)), "proven": turning.proven}


def _force_marks(result: FlexResult, frame: int) -> list[Mark]:
    """An arrow a loaded contact, its longest as long as a typical body, at the final pose."""
    chain = result.chain
    if chain is None or not len(chain.strength):
        return []
    spans = [np.ptp(np.vstack(shape.rings), axis=0).max() for shape in result.shapes]
    arrows = float(np.median(spans)) * (
        chain.forces / chain.strength.max()
    )  # which may be as small as numbers go
    return [
        Mark("arrow", np.stack([point - arrow, point]), frame, group="force", value=float(strength))
        for point, arrow, strength in zip(chain.points, arrows, chain.strength, strict=True)
    ]


def _region_marks(model: Assembly) -> list[Mark]:
    return [Mark("polygon", np.array(keep.inside), group="keep", text=keep.body) for keep in model.keep]


def _progress_plot(result: FlexResult) -> Plot:
    steps = np.arange(len(result.frames.accepted), dtype=np.float64)
    reached = result.frames.objective[result.frames.accepted]
    series = [Series("reached", steps, reached)]
    if result.linear is not None:
        series.append(Series("linear estimate", steps, np.full(len(steps), result.linear)))
    return Plot("Objective by step", "step", f"objective ({result.model.units})", tuple(series))


def _share_plot(result: FlexResult, most: int = 15) -> Plot:
    shown = result.contacts[:most]
    place = np.arange(len(shown), dtype=np.float64)
    share = np.array([contact.share for contact in shown])
    ranges = [contact.share_range or (contact.share, contact.share) for contact in shown]
    low, high = np.array(ranges).T
    return Plot(
        "Each joint's share of the linear estimate",
        "joint",
        "share",
        (Series("share", place, share, "bars", low=low.copy(), high=high.copy()),),
        ticks=tuple(contact.name for contact in shown),
        note=f"{len(shown)} of {len(result.contacts)} joints" if len(result.contacts) > most else "",
    )
