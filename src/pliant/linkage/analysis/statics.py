"""Static forces: what holds a loaded linkage still, at every pose (equations in `balance`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from pliant.core.arrays import Bools, Floats
from pliant.core.motion import Mark
from pliant.core.plot import Plot, Series
from pliant.linkage.analysis.balance import Push, normals, pushes_of, solve_balance, unknowns_of
from pliant.linkage.analysis.curves import cross
from pliant.linkage.kinematics.poses import LinkagePoses, rates
from pliant.linkage.model import Linkage
from pliant.linkage.structure.rule_plan import TURNS

LONGEST = 0.2  # arrow of the greatest force, of the linkage's size
SHOWN = 1e-6  # of the greatest force: smaller ones have no arrow

ReactionKind = Literal["torque", "push", "pin", "ground", "slider"]


@dataclass(frozen=True)
class StaticPeak:
    """The greatest of one force or torque along the poses."""

    kind: ReactionKind
    name: str  # of the joint that the motor, pin, pivot or guide is at
    value: float  # magnitude
    frame: int
    angle: float  # of the first motor, there


@dataclass(frozen=True)
class Statics:
    """Torques and forces that hold the loads, at F poses; forces are vectors in the world."""

    angles: Floats  # (M, F) of the motors
    motors: tuple[tuple[str, str], ...]  # (M,) pivot and driven joint
    torques: Floats  # (M, F) of each motor on its link, counter-clockwise; of a linear one its push, in N
    pushes: tuple[bool, ...]  # (M,) whether it pushes
    pins: tuple[tuple[str, str], ...]  # (I,) joint and link
    reactions: Floats  # (I, 2, F) of the pin on the link; the link puts the opposite on the pin
    grounds: tuple[str, ...]  # (G,)
    supports: Floats  # (G, 2, F) of the ground on the pivot
    sliders: tuple[tuple[str, str], ...]  # (S,) joint, and the link that carries the guide, or "ground"
    guides: Floats  # (S, 2, F) of the guide on the joint; what carries the guide gets the opposite
    balanced: Bools  # (F,) false at a toggle, where nothing finite holds the loads
    determinate: bool  # whether these are the only forces that balance
    units: str
    disagreement: float = 0.0  # with virtual work, of the greatest torque, or of the loads' on a crank's arm

    @property
    def peaks(self) -> tuple[StaticPeak, ...]:
        """The greatest torque of each motor, then the greatest force of each kind at each joint."""
        peaks = list(self._peaks()) if self.balanced.any() else []
        return tuple(sorted(peaks, key=lambda peak: (peak.kind not in ("torque", "push"), -peak.value)))

    def to_dict(self) -> dict[str, Any]:
        """As the result's JSON has it."""
        pins, grounds, sliders = (
            [force.T.tolist() for force in group] for group in (self.reactions, self.supports, self.guides)
        )
        of_motor = zip(self.motors, self.torques.tolist(), strict=True)
        of_pin = zip(self.pins, pins, strict=True)
        of_slider = zip(self.sliders, sliders, strict=True)
        return {
            "torques": [
                {"joint": joint, "drives": to, "push" if pushes else "torque": torque}
                for ((joint, to), torque), pushes in zip(of_motor, self.pushes, strict=True)
            ],
            "pins": [{"joint": joint, "link": link, "force": force} for (joint, link), force in of_pin],
            "ground": dict(zip(self.grounds, grounds, strict=True)),
            "sliders": [{"joint": joint, "on": on, "force": force} for (joint, on), force in of_slider],
            "balanced": self.balanced.tolist(),
            "determinate": self.determinate,
            "disagreement": self.disagreement,
            "peaks": [vars(peak).copy() for peak in self.peaks],
        }

    def _peaks(self) -> Iterator[StaticPeak]:
        for (joint, to), torque, pushes in zip(self.motors, self.torques, self.pushes, strict=True):
            yield self._peak("push" if pushes else "torque", to if pushes else joint, np.abs(torque))
        strength = np.hypot(self.reactions[:, 0], self.reactions[:, 1])
        members: dict[str, list[int]] = {}
        for at, (joint, _) in enumerate(self.pins):
            members.setdefault(joint, []).append(at)
        for joint, at in members.items():
            yield self._peak("pin", joint, strength[at].max(axis=0))
        for joint, support in zip(self.grounds, self.supports, strict=True):
            yield self._peak("ground", joint, np.hypot(*support))
        for (joint, _), guide in zip(self.sliders, self.guides, strict=True):
            yield self._peak("slider", joint, np.hypot(*guide))

    def _peak(self, kind: ReactionKind, name: str, strength: Floats) -> StaticPeak:
        frame = int(np.argmax(np.where(self.balanced, strength, -1.0)))
        return StaticPeak(kind, name, float(strength[frame]), frame, float(self.angles[0, frame]))


def forces(model: Linkage, poses: LinkagePoses) -> Statics | None:
    """The torques and forces that hold the model's loads at every pose; None where it has no loads."""
    if not model.loads:
        return None
    structure = poses.plan.structure
    unknowns, pushes = unknowns_of(model, structure), pushes_of(model, poses)
    balance = solve_balance(unknowns, pushes, poses)
    ends = np.cumsum([2 * len(unknowns.pins), 2 * len(unknowns.ground), len(structure.sliders)])
    reactions, supports, along, torques = np.split(balance.forces, ends)
    names, labels = structure.names, (*structure.labels, "ground")
    statics = Statics(
        angles=poses.angles,
        motors=tuple((names[pivot], names[driven]) for pivot, driven in structure.motors),
        torques=np.where([[push == TURNS] for push in structure.pushes], structure.size, 1.0) * torques,
        pushes=tuple(push != TURNS for push in structure.pushes),
        pins=tuple((names[k], labels[link]) for k, link in unknowns.pins.tolist()),
        reactions=reactions.reshape(len(unknowns.pins), 2, -1),
        grounds=tuple(names[k] for k in unknowns.ground),
        supports=supports.reshape(len(unknowns.ground), 2, -1),
        sliders=tuple(
            (names[slider[0]], labels[carrier])
            for slider, carrier in zip(structure.sliders, structure.carriers, strict=True)
        ),
        guides=along[:, None] * normals(structure, poses.x),
        balanced=balance.balanced,
        determinate=unknowns.equations == unknowns.count,
        units=model.units,
    )
    return replace(statics, disagreement=_disagreement(statics, model, poses, ~balance.singular))


def virtual_torques(model: Linkage, poses: LinkagePoses) -> Floats:
    """(M, F) by virtual work, −Σ (F·∂x/∂φ + τ·∂θ/∂φ), φ counter-clockwise: the same torques from rates."""
    torques = np.zeros_like(poses.angles)
    pushes = pushes_of(model, poses)
    for motor, turn in enumerate(poses.plan.structure.turns.tolist()):
        w = np.zeros_like(poses.angles)
        w[motor] = 1.0
        v, _ = rates(poses, w, np.zeros_like(w))
        with np.errstate(invalid="ignore"):  # at a toggle rates have no bound
            for push in pushes:
                work = push.torque * _spin(push, poses.x, v) if push.torque else 0.0
                torques[motor] -= turn * (push.force @ push.of(v) + work)
    return torques


def arrows(
    statics: Statics, model: Linkage, poses: LinkagePoses, frame: int, scale: float | None = None
) -> list[Mark]:
    """Forces at one pose as arrows from their joints, and loads as arrows to where they act.

    An arrow is `scale` times its force long; by default, the longest is a fifth of the linkage.
    The pin of two links has an arrow for each: what it does to that link.
    """
    place = dict(zip(poses.plan.structure.names, poses.x[..., frame], strict=True))
    pins, sliders = ([joint for joint, _ in entries] for entries in (statics.pins, statics.sliders))
    pushes = pushes_of(model, poses)
    reactions = np.concatenate([statics.reactions, statics.supports, statics.guides])[..., frame]
    vectors = np.concatenate([reactions, [push.force for push in pushes]])
    strength = np.hypot(*vectors.T)
    greatest = max(float(strength.max()), 1e-300)
    arms = vectors * (LONGEST * poses.plan.structure.size / greatest if scale is None else scale)
    tips = np.array([push.of(poses.x)[:, frame] for push in pushes])
    tails = np.array([place[joint] for joint in (*pins, *statics.grounds, *sliders)])
    starts = np.concatenate([tails, tips - arms[len(tails) :]])
    return [
        Mark("arrow", np.stack([start, start + arm]), frame, group=group, value=float(much))
        for start, arm, much, group in zip(
            starts, arms, strength, ["force"] * len(tails) + ["load"] * len(tips), strict=True
        )
        if much > SHOWN * greatest
    ]


def torque_plot(statics: Statics) -> Plot:
    """The torque, or the push, of every motor along the poses that can be held."""
    kept = statics.balanced
    turning = not any(statics.pushes)
    axis = "motor angle (deg)" if turning else "motor angle (deg), or travel"
    quantity = f"torque, counter-clockwise (N·{statics.units})"
    motors = zip(statics.motors, statics.angles, statics.torques, strict=True)
    return Plot(
        "Motor torque that holds the loads",
        axis,
        quantity if turning else f"{quantity}, or push (N)",
        tuple(
            Series(f"motor {joint}-{driven}", (1.0 if push else 180 / np.pi) * angles[kept], torque[kept])
            for ((joint, driven), angles, torque), push in zip(motors, statics.pushes, strict=True)
        ),
        note="" if kept.all() else f"{int((~kept).sum())} poses at a toggle left out",
    )


def _spin(push: Push, x: Floats, v: Floats) -> Floats:
    """The angular rate (F,) of the link that is pushed."""
    across, rate = x[push.j] - x[push.i], v[push.j] - v[push.i]
    return cross(across, rate) / np.square(across).sum(axis=0)


def _disagreement(statics: Statics, model: Linkage, poses: LinkagePoses, regular: Bools) -> float:
    sure = statics.balanced & regular
    virtual = virtual_torques(model, poses)[:, sure]
    pivots, driven = np.array(poses.plan.structure.motors).T
    arm = float(np.hypot(*(poses.drawn[driven] - poses.drawn[pivots]).T).max())
    loads = max(arm * float(np.hypot(*load.force)) + abs(load.torque) for load in model.loads)
    difference = float(np.abs(statics.torques[:, sure] - virtual).max(initial=0.0))
    return difference / max(float(np.abs(virtual).max(initial=0.0)), loads, 1e-300)
