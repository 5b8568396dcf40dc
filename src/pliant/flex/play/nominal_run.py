"""The nominal run of a driven assembly: every pin centred, and every contact as far from touching as it gets.

At each angle of the drive the poses q satisfy the pins taken as pivots and the angle, r(q) = 0. What
these leave open, such as a piston within its bore, is at the analytic centre of its contacts,

    min −Σ log d_i(q)  subject to  r(q) = 0

found by Newton's method from the angle before. The drive is turned in small steps, so that a linkage
stays on its branch; where no step, however short, leads on, it stops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats
from pliant.flex.contact.distance import Rows, gaps_and_blocks
from pliant.flex.contact.overlap import measure_overlaps, near_pairs
from pliant.flex.model import Assembly
from pliant.flex.problem.joints import pivot_rows
from pliant.flex.problem.system import System
from pliant.flex.stepping.step import Configuration, configuration_at

STRIDE = np.radians(2.0)  # of the drive, at most
SHORTEST = 1e-5 * STRIDE
NEWTON = 40
CLOSED = 1e-10  # of the assembly's extent: pins that are off by less are centred
CENTRED = 1e-3  # of the gap: moves of parts between their contacts that are shorter count as none
NEAREST = 0.05  # of the gap: a contact that is nearer, or violated, pushes as if it were that far
LEAST = 1e-3  # of the assembly's extent: nearer to where the speeds lead, a pose is on the same branch
RANK = 1e-9  # of the largest singular value: less is none


@dataclass(frozen=True)
class NominalPose:
    """Where everything is at one angle of the drive, and how fast it goes there."""

    angle: float  # rad, from the drawn pose
    here: Configuration
    speed: Floats  # (M, 3) of the moving bodies, by radian of the drive


class StoppedError(Exception):
    """The drive cannot be turned further; says why."""

    def __init__(self, angle: float, why: str) -> None:
        super().__init__(why)
        self.angle = angle


@dataclass(frozen=True)
class NominalRun:
    """A drive to be turned, with the pins of its assembly as pivots."""

    system: System
    drive: int  # place of its rigid body
    pivots: Rows  # of every pin

    def poses_at(self, angles: Floats) -> Iterator[NominalPose]:
        """The nominal pose at each angle (F,), in order; a StoppedError where the drive gets no further."""
        at = self._settled(0.0, self.system.parts.drawn, None)
        if at is None:
            raise StoppedError(0.0, "its pins cannot all be centred as drawn")
        for angle in angles.tolist():
            at = self._turned_to(at, angle)
            yield at

    def _turned_to(self, at: NominalPose, angle: float) -> NominalPose:
        """Turn the drive in strides, shorter ones where Newton's method does not find the next pose."""
        stride = STRIDE
        while abs(angle - at.angle) > 0:
            ahead = angle - at.angle
            there = at.angle + np.sign(ahead) * min(stride, abs(ahead))
            poses = self._moved(at.here.poses, at.speed * (there - at.angle))
            found = self._settled(there, poses, at)
            if found is None:
                stride /= 2
                if stride < SHORTEST:
                    raise StoppedError(at.angle, "its pins hold it: it can turn no further")
                continue
            self._check_clear(found)
            at, stride = found, min(2 * stride, STRIDE)
        return at

    def _check_clear(self, at: NominalPose) -> None:
        parts = self.system.parts
        overlaps = measure_overlaps(parts, at.here.poses, near_pairs(parts, at.here.poses))
        if overlaps.worst > self.system.threshold:
            first, second = overlaps.pairs[int(np.argmax(overlaps.thickness))]
            raise StoppedError(at.angle, f"{parts.names[first]} runs into {parts.names[second]}")

    def _settled(self, angle: float, poses: Floats, before: NominalPose | None) -> NominalPose | None:
        """The nominal pose at an angle by Newton's method from a guess; None where it does not converge."""
        system, start = self.system, poses
        here = configuration_at(system, poses, system.reach, before.here.contacts if before else None)
        for _ in range(NEWTON):
            missed, slopes = self._pins(here.poses, angle)
            step, loose = self._newton_step(here, missed, slopes)
            tight = float(np.abs(missed).max()) <= CLOSED * system.parts.extent
            if tight and loose <= CENTRED * (system.gap or system.parts.size):
                if before is not None and self._has_leapt(before.here.poses, start, here.poses):
                    return None
                return NominalPose(angle, here, self._speed(here, slopes))
            poses = self._moved(here.poses, step)
            here = configuration_at(system, poses, system.reach, here.contacts)
        return None

    def _pins(self, poses: Floats, angle: float) -> tuple[Floats, Floats]:
        """How far each pin is off its centre and the drive off its angle, r; and ∂r/∂q, (R, 3M) scaled.

        A turn counts as the travel of a body's outermost point, in r and in q alike.
        """
        parts = self.system.parts
        radius = float(parts.radius[self.drive])
        missed, blocks = gaps_and_blocks(self.pivots, poses)
        off = (poses[self.drive, 2] - parts.drawn[self.drive, 2] - angle) * radius
        slopes = np.zeros((len(missed) + 1, len(parts.free), 3))
        for side, body in enumerate((self.pivots.edge_body, self.pivots.point_body)):
            moving = np.flatnonzero(parts.moving[body] >= 0)
            slopes[moving, parts.moving[body[moving]]] += blocks[moving, side]
        slopes[-1, parts.moving[self.drive], 2] = radius
        return np.append(missed, off), (slopes * self._scale).reshape(len(slopes), -1)

    @property
    def _scale(self) -> Floats:
        """The unit of each unknown, (M, 3): a length, and a turn that moves the outermost point by it."""
        radius = self.system.parts.radius[self.system.parts.free]
        return np.stack([np.ones_like(radius), np.ones_like(radius), 1 / radius], axis=1)

    def _newton_step(self, here: Configuration, missed: Floats, slopes: Floats) -> tuple[Floats, float]:
        """The step (M, 3) of Newton's method, and how far it moves parts between their contacts."""
        closing, open_ways = _least_step(slopes, -missed)
        if not open_ways.shape[1]:
            return closing.reshape(-1, 3) * self._scale, 0.0
        push, stiffness = self._contact_push(here)
        reduced = open_ways.T @ stiffness @ open_ways
        reduced[np.diag_indices_from(reduced)] += 1e-9 * max(float(np.trace(reduced)), 1e-300)
        along = np.linalg.solve(reduced, open_ways.T @ (push - stiffness @ closing))
        step = closing + open_ways @ along
        return step.reshape(-1, 3) * self._scale, float(np.abs(open_ways @ along).max())

    def _contact_push(self, here: Configuration) -> tuple[Floats, Floats]:
        """Minus the gradient of −Σ log d, and its Hessian to first order, in scaled unknowns.

        Over contacts and all other rows that no pin has, such as limits.
        """
        system = self.system
        bound = np.full((len(system.parts.free), 3), np.inf)
        program = system.program(here.contacts.rows, here.poses, bound)
        source = np.concatenate([system.rows(here.contacts.rows).source, system.joints.linear.source])
        others = program.take(~program.equal & ~np.isin(source, self.pivots.source))
        slopes = others.full_matrix() * self._scale.ravel()
        near = NEAREST * system.gap if system.gap else 1e-9 * system.parts.size
        weight = 1 / np.maximum(others.gaps, near)
        return slopes.T @ weight, (slopes * weight[:, None] ** 2).T @ slopes

    def _speed(self, here: Configuration, slopes: Floats) -> Floats:
        """How all moves with the drive, by radian, contacts kept as they are as far as they can be."""
        ahead = np.zeros(len(slopes))
        ahead[-1] = self.system.parts.radius[self.drive]
        closing, open_ways = _least_step(slopes, ahead)
        if open_ways.shape[1]:
            _, stiffness = self._contact_push(here)
            reduced = open_ways.T @ stiffness @ open_ways
            reduced[np.diag_indices_from(reduced)] += 1e-9 * max(float(np.trace(reduced)), 1e-300)
            closing = closing - open_ways @ np.linalg.solve(reduced, open_ways.T @ stiffness @ closing)
        return closing.reshape(-1, 3) * self._scale

    def _moved(self, poses: Floats, step: Floats) -> Floats:
        moved = poses.copy()
        moved[self.system.parts.free] += step
        return moved

    def _has_leapt(self, before: Floats, guess: Floats, poses: Floats) -> bool:
        """Whether a pose is further from where speeds led than they led: then it is on another branch."""
        free, scale = self.system.parts.free, self._scale
        led, off = (
            np.abs((one - other)[free] / scale).max() for one, other in ((guess, before), (poses, guess))
        )
        return bool(off > max(led, LEAST * self.system.parts.extent))


def nominal_run(model: Assembly, system: System, drive: str) -> NominalRun:
    """The run of an assembly whose drive is turned."""
    parts = system.parts
    pairs = [(pin, *(parts.index(name) for name in pin.bodies)) for pin in model.pins]
    rows = [
        pivot_rows(hole, peg, np.array(pin.at), parts, place)
        for place, (pin, hole, peg) in enumerate(pairs)
        if hole != peg and pin.clearance > 0
    ]
    return NominalRun(system, parts.index(drive), Rows.join(system.joints.pivots, *rows))


def _least_step(slopes: Floats, wanted: Floats) -> tuple[Floats, Floats]:
    """The least x with slopes · x = wanted, as well as can be, and a basis of what the slopes leave open."""
    left, sizes, right = np.linalg.svd(slopes, full_matrices=True)
    rank = int((sizes > RANK * sizes[0]).sum())
    return right[:rank].T @ ((left[:, :rank].T @ wanted) / sizes[:rank]), right[rank:].T
