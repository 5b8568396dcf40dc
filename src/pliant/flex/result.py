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
from pliant.core.store import model_hash, version
from pliant.flex.findings import DrawnOverlap, Leaving
from pliant.flex.forces import Contact, ForceChain
from pliant.flex.model import Assembly, FlexStudy
from pliant.flex.status import FlexStatus


@dataclass(frozen=True)
class Frames:
    """Poses along the motion: the accepted ones, and some on the way between them."""

    poses: Floats  # (F, B, 3) of the user's frames
    accepted: NDArray[np.int64]  # (A,) frames that steps ended at; the first is the drawn pose
    objective: Floats  # (F,)
    overlap: Floats  # (A,) thickness by area
    violation: Floats  # (A,) of the worst row


@dataclass(frozen=True)
class FlexResult:
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
    drawn: tuple[DrawnOverlap, ...] = ()
    leaving: Leaving | None = None
    note: str = ""

    @property
    def message(self) -> str:
        """The status as a sentence, with what is known beyond it."""
        return f"{self.status}{': ' if self.note else ''}{self.note}"

    @property
    def cure(self) -> float:
        """The clearance at which parts that overlap as drawn would come apart."""
        return self.model.clearance + max((found.depth for found in self.drawn), default=0.0)

    @property
    def poses(self) -> dict[str, tuple[float, float, float]]:
        """Where each body ends: x, y, theta of its own frame."""
        final = self.frames.poses[-1].tolist()
        return {body.name: tuple(pose) for body, pose in zip(self.model.bodies, final, strict=True)}

    @cached_property
    def motion(self) -> Motion:
        """The motion for every view: bodies, how far each moved, forces, keep regions, signals."""
        poses, accepted = self.frames.poses, self.frames.accepted
        values = np.interp(np.arange(len(poses)), accepted, np.arange(len(accepted)))
        travelled = np.hypot(*np.moveaxis(poses[..., :2] - poses[:1, :, :2], -1, 0))
        return Motion(
            axis="step",
            unit="",
            values=values,
            title=self.model.title,
            length_unit=self.model.units,
            bodies=tuple(body.name for body in self.model.bodies),
            shapes=self.shapes,
            body_shapes=self.shape_of,
            fixed=np.array([body.fixed for body in self.model.bodies]),
            poses=poses,
            body_scalars={"travel": travelled, "turn": poses[..., 2] - poses[:1, :, 2]},
            marks=(*_force_marks(self, len(poses) - 1), *_region_marks(self.model)),
            signals={
                "objective": Signal(self.model.units, self.frames.objective),
                "overlap": Signal(self.model.units, np.interp(values, np.arange(len(accepted)), self.frames.overlap)),
            },
            events=(Event(float(values[-1]), self.message, self.status.name.lower()),),
        )

    def plots(self) -> dict[str, Plot]:
        """Charts: the objective by step, and each joint's share of the linear estimate."""
        charts = {"progress": _progress_plot(self)}
        if self.contacts:
            charts["shares"] = _share_plot(self)
        return charts

    def summary(self) -> str:
        """A sentence, then the figures."""
        return "\n".join([_sentence(self), *_lines(self)])

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON has it."""
        return {
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
                {"bodies": list(found.bodies), "area": found.area, "depth": found.depth} for found in self.drawn
            ],
            "cure": self.cure if self.drawn else None,
            "leaving": _leaving_dict(self.leaving),
            "motion": self.motion.to_dict(),
        }


def _leaving_dict(leaving: Leaving | None) -> dict[str, Any] | None:
    if leaving is None:
        return None
    moves = {name: list(velocity) for name, velocity in zip(leaving.bodies, leaving.velocities, strict=True)}
    return {"velocities": moves, "proven": leaving.proven}


def _force_marks(result: FlexResult, frame: int) -> list[Mark]:
    """An arrow a loaded contact, its longest as long as a typical body, at the final pose."""
    chain = result.chain
    if chain is None or not len(chain.strength):
        return []
    spans = [np.ptp(shape.rings[0], axis=0).max() for shape in result.shapes]
    scale = float(np.median(spans)) / float(chain.strength.max())
    return [
        Mark("arrow", np.stack([point - scale * force, point]), frame, group="force", value=float(strength))
        for point, force, strength in zip(chain.points, chain.forces, chain.strength, strict=True)
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
        ticks=tuple(_joint_name(contact) for contact in shown),
        note=f"{len(shown)} of {len(result.contacts)} joints" if len(result.contacts) > most else "",
    )


def _joint_name(contact: Contact) -> str:
    names = "–".join(contact.bodies)
    return names if contact.kind == "contact" else f"{contact.kind} {names}"


def _sentence(result: FlexResult) -> str:
    unit = result.model.units
    match result.status:
        case FlexStatus.CONVERGED:
            text = f"Moves by {result.objective:.6g}{_unit(result)}; then its joints stop it."
        case FlexStatus.LOCKED:
            text = "Locked: nothing moves beyond the tolerance."
        case FlexStatus.FREE:
            away = result.leaving
            names = ", ".join(away.bodies[:6]) + (", …" if len(away.bodies) > 6 else "") if away else "a body"
            text = f"Free: {names} can leave; nothing stops the motion."
        case FlexStatus.OVERLAPPING:
            deepest = result.drawn[0]
            text = (
                f"Overlapping as drawn: {deepest.bodies[0]} and {deepest.bodies[1]} by {deepest.depth:.4g} {unit}"
                f"{_others(len(result.drawn) - 1)}. A clearance of {result.cure:.6g} {unit} cures it."
            )
        case FlexStatus.STEP_LIMIT:
            text = f"Not converged after {result.steps} steps: {result.objective:.6g}{_unit(result)} so far."
        case FlexStatus.SOLVER_FAILED:
            text = f"No solver could solve the program of step {result.steps + 1}."
    return text + (f" ({result.note})" if result.note else "")


def _others(count: int) -> str:
    return f", and {count} more pair{'s' if count > 1 else ''}" if count else ""


def _unit(result: FlexResult) -> str:
    """The objective's unit, where it has one: terms may mix travel and turn."""
    terms = result.study.maximize
    if all(term.spin is not None for term in terms):
        return " rad"
    if len(terms) == 1 and terms[0].spin is None:
        return f" {result.model.units}"
    return ""


def _lines(result: FlexResult) -> list[str]:
    if result.status is FlexStatus.OVERLAPPING:
        return [f"  {a} and {b}: {found.depth:.4g} deep" for found in result.drawn[:10] for a, b in [found.bodies]]
    linear = "no bound" if result.linear is None else f"{result.linear:.6g}"
    lines = [
        f"  linear estimate    {linear}",
        f"  steps              {result.steps}, program {result.rows} x {result.columns}",
        f"  overlap            {result.overlap:.2g} by area, {result.violation:.2g} in the worst row, "
        f"at most {result.path_overlap:.2g} on the way (gap {result.gap:.4g})",
    ]
    if result.pin_error:
        lines.append(f"  pins               polygons leave out at most {result.pin_error:.2g} of play")
    if result.leaving is not None:
        proof = "played until clear" if result.leaving.proven else "to first order"
        lines.append(f"  free to leave      {proof}: " + "; ".join(_velocity(*pair) for pair in _movers(result)))
    lines += [
        f"  {_joint_name(contact):<18} {100 * contact.share:.1f} %{_range(contact)}, force {contact.force:.4g}"
        for contact in result.contacts[:5]
    ]
    return lines


def _range(contact: Contact) -> str:
    if contact.share_range is None or contact.share_range[1] - contact.share_range[0] < 1e-6:
        return ""
    low, high = contact.share_range
    return f" ({100 * low:.1f} to {100 * high:.1f} %)"


def _movers(result: FlexResult) -> list[tuple[str, tuple[float, float, float]]]:
    away = result.leaving
    return [] if away is None else list(zip(away.bodies, away.velocities, strict=True))[:6]


def _velocity(name: str, velocity: tuple[float, float, float]) -> str:
    x, y, spin = velocity
    return f"{name} along ({x:.3g}, {y:.3g})" + (f" turning {spin:.3g}" if abs(spin) > 1e-9 else "")
