"""Equations of static balance of every link and every pin, and their solution pose by pose.

Unknown are the force R of the pin of joint k on each link that meets there, the force G of the
ground on each ground pivot, the force s·n of each guide on its joint, square to the guide, and the
torque T of each motor on its link, or its push along a strut or a guide:

    link   Σ R + Σ F − Σ s·n = 0,   Σ (x_k − c)×R + Σ ((p − c)×F + τ) − Σ s·(x_k − c)×n + T = 0
    pin    −Σ R + G + s·n + F = 0

with loads F at p and τ, c one joint of the link, and s·n of the guides that the link carries. There
are `plan.spares` more unknowns than equations; with spares, the answer given is that of the least
sum of squares (torques over the linkage's size), one of many; all of them have the same torques.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsmr, splu

from pliant.core.arrays import Bools, Floats, Ints
from pliant.linkage.analysis.curves import cross
from pliant.linkage.kinematics.poses import LinkagePoses, select_poses
from pliant.linkage.model import Linkage, LinkageLoad
from pliant.linkage.structure.rule_plan import STRUTS, TURNS, LinkageStructure, farthest_pair

DENSE = 120  # unknowns beyond which each pose is a sparse matrix of its own
ENTRIES = 2_000_000  # of matrices that are in memory at a time
# Positions at a toggle are known to √ε of the linkage's size: forces greater than this, in units of
# the load, are that rounding, and the pose is taken for the toggle it is.
LARGEST = 1e7
BALANCED = 1e-9  # of the greatest force: more is left over only where nothing finite holds the load

MatrixEntries = tuple[Ints, Ints, Floats]  # rows, columns, values (E, F) or one for all


@dataclass(frozen=True)
class Push:
    """A load, at the point x_i + ratio·(x_j − x_i) of complex positions: of a joint, j = i and ratio 0."""

    link: int  # -1: on the pin of joint i
    i: int
    j: int
    ratio: complex
    force: Floats  # (2,)
    torque: float

    def of(self, x: Floats) -> Floats:
        """The point (2, F) of positions (N, 2, F), or of velocities its velocity."""
        a, b = self.ratio.real, self.ratio.imag
        across = x[self.j] - x[self.i]
        return x[self.i] + a * across + b * np.stack([-across[1], across[0]])


def pushes_of(model: Linkage, poses: LinkagePoses) -> list[Push]:
    """The model's loads, ready to be carried along."""
    return [_push(load, model, poses) for load in model.loads]


def _push(load: LinkageLoad, model: Linkage, poses: LinkagePoses) -> Push:
    structure = poses.plan.structure
    force = np.array(load.force)
    if load.joint is not None:
        k = structure.names.index(load.joint)
        return Push(-1, k, k, 0j, force, 0.0)
    link = structure.labels.index(str(load.link))
    joints = [structure.names.index(name) for name in model.links[link].joints]
    i, j = farthest_pair(poses.drawn, joints)
    at = poses.drawn[joints].mean(axis=0) if load.at is None else np.array(load.at)
    ratio = complex(*(at - poses.drawn[i])) / complex(*(poses.drawn[j] - poses.drawn[i]))
    return Push(link, i, j, ratio, force, load.torque)


@dataclass(frozen=True)
class Unknowns:
    """What is to be found, in this order: pins (I, 2), ground (G, 2), guides (S,), motors (M,)."""

    pins: Ints  # (I, 2) joint and link
    ground: Ints  # (G,)
    turned: Ints  # the link of each motor that turns
    motors: int  # M, with those that push
    equations: int
    count: int


def unknowns_of(model: Linkage, structure: LinkageStructure) -> Unknowns:
    """The forces and torques of a linkage, whose joints come before the points of its guides."""
    joints = len(model.joints)
    pins = [(k, link) for link, members in enumerate(structure.links) for k in members if k < joints]
    ground = sorted(k for k in structure.ground if k < joints)
    turned = [
        next(link for link, members in enumerate(structure.links) if {pivot, driven} <= set(members))
        for pivot, driven in (structure.motors[motor] for motor in structure.rotary_motors)
    ]
    motors = len(structure.motors)
    return Unknowns(
        pins=np.array(pins, np.int64),
        ground=np.array(ground, np.int64),
        turned=np.array(turned, np.int64),
        motors=motors,
        equations=3 * len(structure.links) + 2 * joints,
        count=2 * len(pins) + 2 * len(ground) + len(structure.sliders) + motors,
    )


def normals(structure: LinkageStructure, x: Floats) -> Floats:
    """(S, 2, F) square to each guide, of length one."""
    _, a, b = np.array(structure.sliders, np.int64).reshape(-1, 3).T
    along = x[b] - x[a]
    along = along / np.hypot(along[:, :1], along[:, 1:])
    return np.stack([-along[:, 1], along[:, 0]], axis=1)


# Equations: rows 3l, 3l + 1 of forces on link l and 3l + 2 of moments, over the size; then two a pin


@dataclass(frozen=True)
class _System:
    """Sparse equations A x = b of F poses: entries (rows, columns, values)."""

    shape: tuple[int, int]
    rows: Ints  # (E,)
    columns: Ints  # (E,)
    values: Floats  # (E, F)
    right: Floats  # (R, F)

    def times(self, x: Floats) -> Floats:
        """A x, pose by pose."""
        out = np.zeros_like(self.right)
        np.add.at(out, self.rows, self.values * x[self.columns])
        return out


def _system(unknowns: Unknowns, pushes: list[Push], poses: LinkagePoses) -> _System:
    structure, x = poses.plan.structure, poses.x
    entries = [
        *_pin_entries(unknowns, structure, x),
        *_guide_entries(unknowns, structure, x),
        *_motor_entries(unknowns, structure, x),
    ]
    shapes = [(len(rows), x.shape[2]) for rows, _, _ in entries]
    values = [np.broadcast_to(entry[2], shape) for entry, shape in zip(entries, shapes, strict=True)]
    return _System(
        shape=(unknowns.equations, unknowns.count),
        rows=np.concatenate([rows for rows, _, _ in entries]),
        columns=np.concatenate([columns for _, columns, _ in entries]),
        values=np.concatenate(values),
        right=_right_sides(unknowns, pushes, structure, x),
    )


def _pin_entries(unknowns: Unknowns, structure: LinkageStructure, x: Floats) -> list[MatrixEntries]:
    """What pins, ground and motors do to links and pins."""
    k, link = unknowns.pins.T
    pin = 2 * np.arange(len(k))
    support = 2 * len(k) + 2 * np.arange(len(unknowns.ground))
    torque = unknowns.count - unknowns.motors + np.array(structure.rotary_motors, np.int64)
    row, of_pin, of_pivot = 3 * link, _pin_row(structure, k), _pin_row(structure, unknowns.ground)
    arm = _arm(structure, x, k, link)
    one = np.ones(1)
    return [
        (row, pin, one),
        (row + 1, pin + 1, one),
        (row + 2, pin, -arm[:, 1]),
        (row + 2, pin + 1, arm[:, 0]),
        (of_pin, pin, -one),
        (of_pin + 1, pin + 1, -one),
        (of_pivot, support, one),
        (of_pivot + 1, support + 1, one),
        (3 * unknowns.turned + 2, torque, one),
    ]


def _guide_entries(unknowns: Unknowns, structure: LinkageStructure, x: Floats) -> list[MatrixEntries]:
    """What guides do to the joints that slide on them, and these to the links that carry the guides."""
    k = np.array([slider[0] for slider in structure.sliders], np.int64)
    guide = unknowns.count - unknowns.motors - len(k) + np.arange(len(k))
    normal, of_pin = normals(structure, x), _pin_row(structure, k)
    on = np.array([at for at, carrier in enumerate(structure.carriers) if carrier >= 0], np.int64)
    link = np.array(structure.carriers, np.int64)[on]
    back = -normal[on]
    moment = cross(_arm(structure, x, k[on], link).swapaxes(0, 1), back.swapaxes(0, 1))
    return [
        (of_pin, guide, normal[:, 0]),
        (of_pin + 1, guide, normal[:, 1]),
        (3 * link, guide[on], back[:, 0]),
        (3 * link + 1, guide[on], back[:, 1]),
        (3 * link + 2, guide[on], moment),
    ]


def _motor_entries(unknowns: Unknowns, structure: LinkageStructure, x: Floats) -> Iterator[MatrixEntries]:
    """What linear motors do: along the strut on both its ends, or along the guide on joint and carrier."""
    for motor, push in enumerate(structure.pushes):
        if push == TURNS:
            continue
        column = np.array([unknowns.count - unknowns.motors + motor])
        start, end = structure.motors[motor] if push == STRUTS else structure.sliders[push][1:]
        along = x[end] - x[start]
        along = along / np.hypot(*along)
        at, from_ = structure.motors[motor][1], structure.motors[motor][0]
        for c in range(2):
            yield np.array([_pin_row(structure, at) + c]), column, along[c : c + 1]
            if push == STRUTS:
                yield np.array([_pin_row(structure, from_) + c]), column, -along[c : c + 1]
        carrier = structure.carriers[push] if push >= 0 else -1
        if carrier >= 0:
            for c in range(2):
                yield np.array([3 * carrier + c]), column, -along[c : c + 1]
            arm = _arm(structure, x, np.array([at]), np.array([carrier]))[0]
            yield np.array([3 * carrier + 2]), column, -cross(arm, along)[None]


def _right_sides(unknowns: Unknowns, pushes: list[Push], structure: LinkageStructure, x: Floats) -> Floats:
    right = np.zeros((unknowns.equations, x.shape[2]))
    for push in pushes:
        row = _pin_row(structure, push.i) if push.link < 0 else 3 * push.link
        right[row : row + 2] -= push.force[:, None]
        if push.link >= 0:
            lever = push.of(x) - x[structure.links[push.link][0]]
            right[row + 2] -= (cross(lever, push.force) + push.torque) / structure.size
    return right


def _pin_row(structure: LinkageStructure, joint: Any) -> Any:
    return 3 * len(structure.links) + 2 * joint


def _arm(structure: LinkageStructure, x: Floats, joints: Ints, links: Ints) -> Floats:
    """From the first joint of each link, over the size: (K, 2, F)."""
    first = np.array([members[0] for members in structure.links])
    return (x[joints] - x[first[links]]) / structure.size


# Solutions


@dataclass(frozen=True)
class Balance:
    """The forces of F poses, in the order of `Unknowns`; torques over the linkage's size."""

    forces: Floats  # (C, F)
    singular: Bools  # (F,) a toggle: the least that comes nearest to balance
    balanced: Bools  # (F,)


def solve_balance(unknowns: Unknowns, pushes: list[Push], poses: LinkagePoses) -> Balance:
    """Balance every pose, as many at a time as there is memory for."""
    count = unknowns.count
    at_once = max(1, ENTRIES // (count**2 if count <= DENSE else 4 * count))
    parts = [
        _balance(_system(unknowns, pushes, select_poses(poses, slice(start, start + at_once))))
        for start in range(0, max(poses.x.shape[2], 1), at_once)
    ]
    return Balance(
        np.concatenate([part.forces for part in parts], axis=1),
        np.concatenate([part.singular for part in parts]),
        np.concatenate([part.balanced for part in parts]),
    )


def _balance(system: _System) -> Balance:
    square = system if system.shape[0] == system.shape[1] else _least_norm_system(system)
    x = (_solve_dense(square) if system.shape[1] <= DENSE else _solve_sparse(square))[: system.shape[1]]
    load = np.abs(system.right).max(axis=0)
    singular = ~(np.abs(x).max(axis=0) <= LARGEST * load)  # true of NaN as well
    for frame in np.flatnonzero(singular).tolist():
        x[:, frame] = _solve_nearest(system, frame)
    left = np.abs(system.times(x) - system.right).max(axis=0)
    return Balance(x, singular, left <= BALANCED * np.maximum(load, np.abs(x).max(axis=0)))


def _least_norm_system(system: _System) -> _System:
    """Min |x|² with A x = b, as a square system of x and multipliers: [[I, Aᵀ], [A, 0]]."""
    equations, unknowns = system.shape
    same, below = np.arange(unknowns), unknowns + system.rows
    one = np.ones((unknowns, system.right.shape[1]))
    return _System(
        shape=(equations + unknowns, equations + unknowns),
        rows=np.concatenate([same, system.columns, below]),
        columns=np.concatenate([same, below, system.columns]),
        values=np.concatenate([one, system.values, system.values]),
        right=np.concatenate([0.0 * one, system.right]),
    )


def _solve_dense(system: _System) -> Floats:
    """(C, F), NaN at exactly singular poses."""
    a = np.zeros((system.right.shape[1], *system.shape))
    a[:, system.rows, system.columns] = system.values.T
    b = system.right.T[..., None]
    x: Floats = np.full(b.shape, np.nan)
    try:
        x[:] = np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        regular = np.linalg.slogdet(a)[0] != 0
        x[regular] = np.linalg.solve(a[regular], b[regular])
    return x[..., 0].T


def _solve_sparse(system: _System) -> Floats:
    """(C, F), NaN at exactly singular poses: one factorisation a pose."""
    x = np.full_like(system.right, np.nan)
    for frame in range(x.shape[1]):
        try:
            x[:, frame] = splu(_matrix(system, frame)).solve(system.right[:, frame])
        except RuntimeError:  # exactly singular: NaN, as in `_solve_dense`
            continue
    return x


def _solve_nearest(system: _System, frame: int) -> Floats:
    """The forces of least squares that come nearest to balance, without directions beyond LARGEST."""
    a, b = _matrix(system, frame), system.right[:, frame]
    if not np.isfinite(system.values[:, frame]).all():  # joints fall together, and a direction is none
        return np.zeros(system.shape[1])
    if system.shape[1] <= DENSE:
        return np.linalg.pinv(a.toarray(), rcond=1 / LARGEST) @ b
    return lsmr(a, b, atol=1e-12, btol=1e-12, conlim=LARGEST, maxiter=4 * system.shape[1])[0]


def _matrix(system: _System, frame: int) -> Any:
    entries = (system.values[:, frame], (system.rows, system.columns))
    return sparse.csc_array(entries, shape=system.shape)
