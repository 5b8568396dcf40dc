"""How each link turns, and the point about which each pair of links turns against each other.

The velocities of a link are a field v(p) = u + ω ẑ×(p − o), so two links have the same
velocity at their instant centre

    p = o + ẑ×(u_b − u_a)/(ω_b − ω_a),

and where they turn alike it lies at infinity, in the direction square to how the one slides
past the other. Two links with a joint in common have it there always. Where two links rest
against each other for an instant, the centre is the limit of those before and after: the same
quotient of the rates of u and ω.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pliant.core.arrays import Bools, Floats
from pliant.linkage.analysis.curves import cross
from pliant.linkage.kinematics.poses import LinkagePoses
from pliant.linkage.structure.rule_plan import LinkageStructure, farthest_pair

GROUND = "ground"
SMALL = 1e-9  # of the pose's largest rates: no more than rounding


@dataclass(frozen=True)
class Spins:
    """The motion of every body, the ground first: arrays (L + 1, …)."""

    names: tuple[str, ...]
    velocity: Floats  # (L + 1, F) ω, counter-clockwise
    acceleration: Floats  # (L + 1, F) dω/dt
    origin: Floats  # (2,) o
    slide: Floats  # (L + 1, 2, F) u, the velocity of the body's field at o
    slide_rate: Floats  # du/dt, at the same o


@dataclass(frozen=True)
class Centres:
    """The instant centre of two links at every pose."""

    links: tuple[str, str]
    points: Floats  # (F, 2) the centre; where not `finite` the unit vector towards it; 0 where not `moving`
    finite: Bools  # (F,)
    moving: Bools  # (F,) whether the two move against each other at all


def spins(poses: LinkagePoses, v: Floats, a: Floats) -> Spins:
    """Angular velocity and acceleration of each link, from the velocities of its joints (N, 2, F)."""
    structure, x = poses.plan.structure, poses.x
    v, a = (np.nan_to_num(rate, nan=0.0, posinf=0.0, neginf=0.0) for rate in (v, a))  # none at a toggle
    count, frames = len(structure.links) + 1, x.shape[2]
    origin = structure.drawn.mean(axis=0)
    w, dw = np.zeros((count, frames)), np.zeros((count, frames))
    u, du = np.zeros((count, 2, frames)), np.zeros((count, 2, frames))
    for number, link in enumerate(structure.links, start=1):
        i, j = farthest_pair(structure.drawn, list(link))
        bar = x[j] - x[i]
        square = (bar * bar).sum(axis=0)
        w[number], dw[number] = cross(bar, v[j] - v[i]) / square, cross(bar, a[j] - a[i]) / square
        arm = _quarter_turn(x[i] - origin[:, None])
        u[number] = v[i] - w[number] * arm
        du[number] = a[i] - dw[number] * arm - w[number] * _quarter_turn(v[i])
    return Spins((GROUND, *structure.labels), w, dw, origin, u, du)


def centres(
    poses: LinkagePoses, spins: Spins, pairs: Sequence[tuple[str, str]] | None = None
) -> tuple[Centres, ...]:
    """The instant centres of the pairs of links that are asked for, or of all, the ground among them."""
    structure = poses.plan.structure
    wanted = list(combinations(spins.names, 2)) if pairs is None else pairs
    shared = [(spins.names.index(a), spins.names.index(b)) for a, b in wanted]
    return tuple(_centre(poses, spins, a, b, _shared_joint(structure, a, b)) for a, b in shared)


def _centre(poses: LinkagePoses, spins: Spins, a: int, b: int, joint: int | None) -> Centres:
    names = spins.names[a], spins.names[b]
    frames = poses.x.shape[2]
    if joint is not None:
        return Centres(names, poses.x[joint].T.copy(), np.ones(frames, bool), np.ones(frames, bool))
    size = poses.plan.structure.size
    w, u, rests = _relative(spins.velocity, spins.slide, a, b, size)
    dw, du, stays = _relative(spins.acceleration, spins.slide_rate, a, b, size)
    w, u = np.where(rests, dw, w), np.where(rests, du, u)
    moving = ~(rests & stays)
    finite = moving & (np.abs(w) * size > SMALL * np.hypot(*u))
    scale = np.where(finite, w, np.where(moving, np.hypot(*u), 1.0))
    points = np.where(moving, _quarter_turn(u) / scale, 0.0)
    points = np.where(finite, spins.origin[:, None] + points, points)
    return Centres(names, points.T, finite, moving)


def _relative(w: Floats, u: Floats, a: int, b: int, size: float) -> tuple[Floats, Floats, Bools]:
    """Rates of b against a, and where they are nothing beside the pose's largest."""
    most = np.maximum(np.abs(w).max(axis=0) * size, np.abs(u).max(axis=(0, 1)))
    turn, slide = w[b] - w[a], u[b] - u[a]
    return turn, slide, np.maximum(np.abs(turn) * size, np.hypot(*slide)) <= SMALL * most


def _shared_joint(structure: LinkageStructure, a: int, b: int) -> int | None:
    """The joint that two bodies share, by their numbers among the spins."""
    parts = [structure.ground if n == 0 else frozenset(structure.links[n - 1]) for n in (a, b)]
    return next(iter(parts[0] & parts[1]), None)


def _quarter_turn(vectors: Floats) -> Floats:
    """ẑ×v of (2, F)."""
    return np.stack([-vectors[1], vectors[0]])
