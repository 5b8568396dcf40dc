"""What an edit asks for, as residuals of the poses and their exact derivatives.

A term gives residuals r (m,) in lengths and their Jacobian (m, 2N) by the drawn positions. The
edit minimises the sum of their mean squares. Distances to curves are taken at the nearest
point, along the normal: the point itself may slide along freely (variable projection).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.core.motion import Mark
from pliant.linkage.editing.samples import length_slopes, nearest_points, neighbours, peak_bounds
from pliant.linkage.kinematics.drive import MotorDrive
from pliant.linkage.kinematics.poses import LinkagePoses, jacobian, positions, rates, select_poses

TermResiduals = tuple[Floats, Floats]  # (m,), (m, 2N)
RING = 0.012  # of the size: a place that is asked for, drawn


@dataclass(frozen=True)
class EditView:
    """A drawing at the sampled poses, then at the moments that the terms asked for."""

    poses: LinkagePoses
    derivatives: Floats  # (N, 2, N, 2, F)
    count: int  # sampled poses

    @property
    def drawn(self) -> Floats:
        """Drawn positions (N, 2)."""
        return self.poses.drawn

    def path(self, joint: int) -> Floats:
        """A joint at the sampled poses, (F, 2)."""
        return self.poses.x[joint, :, : self.count].T

    def slopes(self, joint: int, frames: slice | Ints | None = None) -> Floats:
        """Its Jacobian there, (F, 2, 2N)."""
        at = slice(0, self.count) if frames is None else frames
        d = self.derivatives[joint]
        return np.moveaxis(d.reshape(2, -1, d.shape[-1])[:, :, at], 2, 0)


class EditTerm(Protocol):
    """A target or a soft keep."""

    @property
    def name(self) -> str:
        """What it asks for, in words."""
        ...

    @property
    def weight(self) -> float:
        """How much it counts."""
        ...

    @property
    def kept(self) -> bool:
        """Whether it is a keep, which gives way to targets."""
        ...

    def moments(self, poses: LinkagePoses) -> Floats:
        """Path parameters at which it also needs the linkage, given the sampled poses."""
        ...

    def residuals(self, view: EditView, moments: slice) -> TermResiduals:
        """Residuals in lengths, and their Jacobian."""
        ...

    def count(self, r: Floats) -> int:
        """How many residuals the mean of their squares is over."""
        ...

    def worst_distance(self, r: Floats) -> float:
        """How far off it is at its worst place, given its residuals."""
        ...

    def marks(self, size: float) -> list[Mark]:
        """What it asks for, drawn beside a linkage of this size; nothing where that has no place."""
        ...


@dataclass(frozen=True)
class PositionTerm:
    """Joints at places, at given moments; where free, whenever they come nearest."""

    name: str
    weight: float
    joint: int
    places: Floats  # (K, 2)
    t: Floats | None  # (K,), or nearest
    drive: MotorDrive
    sampled: Floats  # (F,) of t
    kept: bool = False

    def moments(self, poses: LinkagePoses) -> Floats:
        """The given moments, or those of the nearest approach, by Newton's method."""
        if self.t is not None:
            return self.t
        path = poses.x[self.joint, :, : len(self.sampled)].T
        squared_distances = ((path[None] - self.places[:, None]) ** 2).sum(axis=2)
        t = self.sampled[np.argmin(squared_distances, axis=1)]
        cell = float(np.diff(self.sampled).max())
        low, high = t - cell, t + cell
        if not self.drive.closed:
            low, high = np.maximum(low, self.sampled[0]), np.minimum(high, self.sampled[-1])
        if poses.plan.groups:
            return t  # following a group to other moments costs more than the sample is off
        for _ in range(4):
            there = positions(poses.plan, self.drive.angles(t % 1.0 if self.drive.closed else t), poses.drawn)
            v, a = rates(there, self.drive.slopes(t), np.zeros_like(there.angles))
            away = there.x[self.joint].T - self.places
            v, a = v[self.joint].T, a[self.joint].T
            slope, curve = (away * v).sum(axis=1), (v * v).sum(axis=1) + (away * a).sum(axis=1)
            curve = np.where(curve > 0, curve, (v * v).sum(axis=1) + 1e-300)
            t = np.clip(t - slope / curve, low, high)
        return t % 1.0 if self.drive.closed else t

    def marks(self, size: float) -> list[Mark]:
        """A point each."""
        return [ring_mark(place, size) for place in self.places]

    def count(self, r: Floats) -> int:
        """All of them."""
        return len(r)

    def worst_distance(self, r: Floats) -> float:
        """The largest distance."""
        return largest_distance(r) if self.t is not None else float(np.abs(r).max(initial=0.0))

    def residuals(self, view: EditView, moments: slice) -> TermResiduals:
        """Both coordinates at given moments; only across the curve at nearest ones."""
        away = view.poses.x[self.joint, :, moments].T - self.places
        slopes = view.slopes(self.joint, moments)
        if self.t is not None:
            return away.ravel(), slopes.reshape(-1, slopes.shape[2])
        there = select_poses(view.poses, moments)
        v, _ = rates(there, np.ones_like(there.angles), np.zeros_like(there.angles))
        along = v[self.joint].T
        return _normal_residuals(away, slopes, along / np.maximum(np.hypot(*along.T), 1e-300)[:, None])


def target_mark(points: Floats) -> Mark:
    """What is asked for, as views draw it."""
    return Mark("curve", points, group="target")


def ring_mark(place: Floats, size: float) -> Mark:
    """A place that is asked for: a small ring."""
    turn = np.linspace(0, 2 * np.pi, 25)
    return target_mark(place + RING * size * np.stack([np.cos(turn), np.sin(turn)], axis=1))


def largest_distance(r: Floats) -> float:
    """The largest distance, of residuals that are coordinates in pairs."""
    return float(np.hypot(r[0::2], r[1::2]).max(initial=0.0))


class SampledTerm:
    """A term that needs the linkage at no moment beyond the samples."""

    def moments(self, poses: LinkagePoses) -> Floats:
        """None."""
        return np.zeros(0)

    def worst_distance(self, r: Floats) -> float:
        """The largest of them."""
        return float(np.abs(r).max(initial=0.0))

    def marks(self, size: float) -> list[Mark]:
        """Nothing."""
        return []

    def count(self, r: Floats) -> int:
        """All of them."""
        return len(r)


@dataclass(frozen=True)
class DrawnTerm(SampledTerm):
    """A joint at a place in the drawn pose."""

    name: str
    weight: float
    joint: int
    place: Floats  # (2,)
    kept: bool = False

    def marks(self, size: float) -> list[Mark]:
        """A point."""
        return [ring_mark(self.place, size)]

    def worst_distance(self, r: Floats) -> float:
        """The largest distance."""
        return largest_distance(r)

    def residuals(self, view: EditView, moments: slice) -> TermResiduals:
        """The drawn position itself."""
        slope = np.zeros((2, view.drawn.size))
        slope[[0, 1], [2 * self.joint, 2 * self.joint + 1]] = 1.0
        return view.drawn[self.joint] - self.place, slope


@dataclass(frozen=True)
class CurveTerm(SampledTerm):
    """A curve pose by pose: scaled, shifted, or kept."""

    name: str
    weight: float
    joint: int
    places: Floats  # (F, 2)
    kept: bool = False

    def marks(self, size: float) -> list[Mark]:
        """The curve, unless it is the one there was."""
        return [] if self.kept else [target_mark(self.places)]

    def worst_distance(self, r: Floats) -> float:
        """The largest distance."""
        return largest_distance(r)

    def residuals(self, view: EditView, moments: slice) -> TermResiduals:
        """Both coordinates at every pose."""
        slopes = view.slopes(self.joint)
        return (view.path(self.joint) - self.places).ravel(), slopes.reshape(-1, slopes.shape[2])


@dataclass(frozen=True)
class PathTerm(SampledTerm):
    """A curve that runs along another, at any pace: every pose on it, every part of it covered."""

    name: str
    weight: float
    joint: int
    places: Floats  # (K, 2) finely spaced
    closed: bool
    cycle: bool
    kept: bool = False

    def marks(self, size: float) -> list[Mark]:
        """The curve."""
        return [target_mark(np.concatenate([self.places, self.places[:1]]) if self.closed else self.places)]

    def residuals(self, view: EditView, moments: slice) -> TermResiduals:
        """From every pose to the wanted curve, and from the wanted curve to the nearest of this one."""
        path, slopes = view.path(self.joint), view.slopes(self.joint)
        on = nearest_points(path, self.places, self.closed)
        to_wanted = _normal_residuals(path - on.places, slopes, on.directions)
        on = nearest_points(self.places, path, self.cycle)
        share, second = on.shares[:, None, None], (on.segments + 1) % len(path)
        mixed = (1 - share) * slopes[on.segments] + share * slopes[second]
        covering = _normal_residuals(on.places - self.places, mixed, on.directions)
        return np.concatenate([to_wanted[0], covering[0]]), np.concatenate([to_wanted[1], covering[1]])


@dataclass(frozen=True)
class SpreadTerm(SampledTerm):
    """Some poses of a point on one line (flatten), or at one place (dwell)."""

    name: str
    weight: float
    joint: int
    frames: Ints
    straight: bool
    kept: bool = False

    def worst_distance(self, r: Floats) -> float:
        """The largest distance."""
        return float(np.abs(r).max(initial=0.0)) if self.straight else largest_distance(r)

    def residuals(self, view: EditView, moments: slice) -> TermResiduals:
        """Distances from the mean: across the best line, or both ways."""
        path = view.path(self.joint)[self.frames]
        away = path - path.mean(axis=0)
        slopes = view.slopes(self.joint, self.frames)
        slopes = slopes - slopes.mean(axis=0)
        if not self.straight:
            return away.ravel(), slopes.reshape(-1, slopes.shape[2])
        normal = np.linalg.svd(away, full_matrices=False)[2][-1]
        return away @ normal, np.einsum("c,fcp->fp", normal, slopes)


@dataclass(frozen=True)
class TimingTerm(SampledTerm):
    """How far along its curve a point is at each pose, as a share of the whole."""

    name: str
    weight: float
    joint: int
    shares: Floats  # (F,)
    length: float
    kept: bool = True

    def residuals(self, view: EditView, moments: slice) -> TermResiduals:
        """Differences of the shares, as lengths."""
        path, slopes = view.path(self.joint), view.slopes(self.joint)
        steps = np.diff(path, axis=0)
        lengths = np.maximum(np.hypot(*steps.T), 1e-300)
        grow = np.einsum("fc,fcp->fp", steps / lengths[:, None], np.diff(slopes, axis=0))
        along = np.concatenate([[0.0], np.cumsum(lengths)])
        growing = np.concatenate([np.zeros((1, grow.shape[1])), np.cumsum(grow, axis=0)])
        share = along / along[-1]
        slope = (growing - share[:, None] * growing[-1]) / along[-1]
        return (share - self.shares) * self.length, slope * self.length


@dataclass(frozen=True)
class LengthTerm(SampledTerm):
    """Distances of drawn joints."""

    name: str
    weight: float
    pairs: Ints  # (K, 2)
    wanted: Floats  # (K,)
    kept: bool = False

    def residuals(self, view: EditView, moments: slice) -> TermResiduals:
        """Length minus what it shall be."""
        lengths, slopes = length_slopes(view.drawn, self.pairs)
        return lengths - self.wanted, slopes


@dataclass(frozen=True)
class EnclosureTerm(SampledTerm):
    """Joints inside a convex polygon at every pose: what sticks out counts."""

    name: str
    weight: float
    joints: Ints
    corners: Floats  # (E, 2)
    normals: Floats  # (E, 2) of the edges, outwards
    offsets: Floats  # (E,)
    poses: int
    closed: bool  # whether the last pose is followed by the first
    kept: bool = False

    def marks(self, size: float) -> list[Mark]:
        """The polygon."""
        return [target_mark(np.concatenate([self.corners, self.corners[:1]]))]

    def count(self, r: Floats) -> int:
        """Every joint at every pose, those inside too, so that the sum is smooth where one comes in."""
        return len(self.joints) * self.poses

    def residuals(self, view: EditView, moments: slice) -> TermResiduals:
        """How far each joint sticks out across each edge, where it does."""
        x = view.poses.x[self.joints, :, : view.count]
        across = np.einsum("ec,kcf->ekf", self.normals, x)
        out = peak_bounds(across, self.closed) - self.offsets[:, None, None]
        edge, joint, frame = np.nonzero(out > 0)
        before, after = neighbours(frame, view.count, self.closed)
        bend = across[edge, joint, before] - 2 * across[edge, joint, frame] + across[edge, joint, after]
        share = (np.sign(bend) / 8)[:, None]

        def slopes(frames: Ints) -> Floats:
            d = view.derivatives[self.joints[joint], :, :, :, frames]
            return np.einsum("mc,mcp->mp", self.normals[edge], d.reshape(len(edge), 2, view.drawn.size))

        beside = slopes(before) + slopes(after)
        return out[edge, joint, frame], (1 - 2 * share) * slopes(frame) + share * beside


def evaluate_poses(
    terms: Iterable[EditTerm], sampled: LinkagePoses, drive: MotorDrive, t: Floats
) -> tuple[EditView, list[slice]]:
    """The poses at the samples and at the terms' moments, with derivatives; and where each term's are."""
    moments = [term.moments(sampled) for term in terms]
    cuts = np.cumsum([len(t), *map(len, moments)]).tolist()
    poses = sampled
    if cuts[-1] > len(t):
        everything = np.concatenate([t, *moments])
        near = _nearest_samples(sampled, t, everything) if sampled.plan.groups else None
        poses = positions(sampled.plan, drive.angles(everything), sampled.drawn, near)
    view = EditView(poses, jacobian(poses), len(t))
    return view, [slice(a, b) for a, b in pairwise(cuts)]


def _nearest_samples(sampled: LinkagePoses, t: Floats, everything: Floats) -> Floats:
    nearest = np.argmin(np.abs(t[:, None] - everything[None]), axis=0)
    return np.ascontiguousarray(sampled.x[:, :, nearest])


def _normal_residuals(away: Floats, slopes: Floats, along: Floats) -> TermResiduals:
    """The part of (K, 2) distances that is normal to the curve.

    Where the nearest place is an end of the curve, the distance has a part along it that does
    not vanish: there the distance's own direction is taken.
    """
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1)
    lengths = np.hypot(*away.T)
    slanted = np.abs((away * along).sum(axis=1)) > 0.5 * lengths
    own = away / np.maximum(lengths, 1e-300)[:, None]
    normal = np.where((slanted & (lengths > 0))[:, None], own, normal)
    return (away * normal).sum(axis=1), np.einsum("kc,kcp->kp", normal, slopes)
