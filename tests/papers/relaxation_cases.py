"""The mechanisms of [Lipson2006] that its figures show, what is measured on them, and its loop as printed."""

from __future__ import annotations

from math import cos, hypot, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.relax.assemble.build import build
from pliant.relax.generate import stewart
from pliant.relax.model import Mechanism
from pliant.relax.network.network import Network
from pliant.relax.result import RelaxResult
from pliant.relax.solve import solve

Floats = NDArray[np.float64]

METHODS = ("sync", "async", "momentum", "auto")
UPDATES = ("sync", "async")
STEPS = 2500  # iterations that the paper's actuators take from 10 and 20 to 15, by 0.002


def made(**fields: Any) -> Mechanism:
    return Mechanism.model_validate(fields)


def run(model: Mechanism, **study: Any) -> RelaxResult:
    return solve(model, model.study.model_copy(update=study))


def track(result: RelaxResult, name: str) -> Floats:
    """Where a node is at every frame (F, D)."""
    return result.points[:, list(result.model.nodes).index(name)]


# Figs 2 to 4


def singular_frame(force: float, stiffness: float) -> Mechanism:
    """Fig. 2: two bars in line, and a force across them at the joint `a` between."""
    return made(
        ground=["l", "r"],
        nodes={"l": (-1, 0), "a": (0, 0), "r": (1, 0)},
        bars=[{"nodes": [end, "a"], "stiffness": stiffness} for end in "lr"],
        loads=[{"node": "a", "force": (0, -force)}],
    )


def slender_tower(force: float) -> Mechanism:
    """Fig. 3: a slender symmetrical tower pressed at its top `a`; slack guys catch it where it leans."""
    nodes = {"d": (-1, 0), "e": (1, 0), "b": (-1, 4), "c": (1, 4), "a": (0, 7), "f": (-6, 0), "g": (6, 0)}
    stiff, soft = ("ab", "ac", "bc", "bd", "ce"), ("be", "cd")
    return made(
        ground=list("defg"),
        nodes=nodes,
        bars=[
            *({"nodes": list(pair), "stiffness": 1.0} for pair in stiff),
            *({"nodes": list(pair), "stiffness": 0.3} for pair in soft),
        ],
        strings=[{"nodes": ["a", end], "length": hypot(6, 7) + 0.3, "stiffness": 1.0} for end in "fg"],
        loads=[{"node": "a", "force": (0, 0), "to": (0, -force)}],
    )


def mirrored(x: Floats) -> Floats:
    """The poses (…, 7, 2) of the tower as seen in a mirror: left and right nodes exchanged."""
    return x[..., [1, 0, 3, 2, 4, 6, 5], :] * [-1.0, 1.0]


def pulled_four_bar(stiffness: float, force: float = 0.2) -> Mechanism:
    """Fig. 4: a four-bar, and a force on its joint `b`."""
    return made(
        ground=["o", "p"],
        nodes={"o": (0, 0), "a": (0, 2), "b": (3, 3), "p": (4, 0)},
        stiffness=stiffness,
        bars=[{"nodes": list(pair)} for pair in ("oa", "ab", "bp")],
        loads=[{"node": "b", "force": (2 * force / hypot(2, 1), force / hypot(2, 1))}],
    )


def deviation(alpha: float, stiffness: float, travel: float = 0.5) -> float:
    """How far `b` is off its arc about `p` when it has gone so far."""
    count = round(40 * stiffness / alpha)
    study = {"alpha": alpha, "frames": 40, "increments": count, "iterations": count, "tolerance": 1e-30}
    b = track(run(pulled_four_bar(stiffness), method="sync", **study), "b")
    gone = np.linalg.norm(b - b[0], axis=1)
    if gone[-1] < travel:
        raise ValueError(f"b went {gone[-1]} only, in {count} iterations")
    return float(np.interp(travel, gone, np.abs(np.linalg.norm(b - [4, 0], axis=1) - hypot(1, 3))))


# Fig. 5


def aspect_ratio(points: Floats) -> float:
    """Short over long side of the tight box around points (P, 2)."""
    away = points - points.mean(axis=0)
    axes = np.linalg.svd(away, full_matrices=False)[2]
    long, short = np.ptp(away @ axes.T, axis=0)
    return float(short / long)


# Figs 6 and 7


def relaxed_stewart(platforms: int, periods: int, steps: int = STEPS, **study: Any) -> RelaxResult:
    """Chained platforms driven in so many iterations, and held for as many in each further period."""
    model, count = stewart(platforms, "alt"), steps * periods
    held = tuple(leg.model_copy(update={"to": (15.0,) * periods}) for leg in model.actuators)
    settings = {"method": "sync", "alpha": 0.9, "frames": periods, "tolerance": 1e-30, **study}
    model = model.model_copy(update={"actuators": held})
    return run(model, **settings, increments=count, iterations=count)


def off_the_line(result: RelaxResult, platforms: int) -> Floats:
    """How far a corner in the middle is from the line through those below and above it (F,).

    At the target, plates that are an even number of stages apart are one above the other.
    """
    middle = 2 * (platforms // 4)
    low, here, high = (track(result, f"{level}a") for level in (0, middle, platforms))
    along = (high - low) / np.linalg.norm(high - low, axis=1)[:, None]
    away = here - low
    return np.linalg.norm(away - (away * along).sum(axis=1)[:, None] * along, axis=1)


# The loop as printed


def as_printed(model: Mechanism, alpha: float, iterations: int, sync: bool, least: float = 1e-9) -> Floats:
    """Positions (T + 1, N, D) by eqs 1 to 4 as in Fig. 1: (b) where `sync`, and else (a)."""
    net = build(model)
    x, free = net.drawn.copy(), np.flatnonzero(net.free)
    path = [x.copy()]
    for _ in range(iterations):
        for nodes in [free] if sync else [[node] for node in free]:
            forces, stiffness = _eqs_1_and_2(net, x)
            x[nodes] += alpha * forces[nodes] / np.maximum(stiffness[nodes], least)
        path.append(x.copy())
    return np.array(path)


def _eqs_1_and_2(net: Network, x: Floats) -> tuple[Floats, Floats]:
    ends, rest, loads = net.parts.links.ends, net.drive.rest[0], net.drive.loads[0]
    spans = x[ends[:, 1]] - x[ends[:, 0]]
    lengths = np.linalg.norm(spans, axis=1)
    ways = spans / lengths[:, None]
    k = net.parts.links.stiffness[:, None]
    pulls, forces, stiffness = k * (lengths - rest)[:, None] * ways, loads.copy(), np.zeros_like(x)
    for end, sign in ((0, 1.0), (1, -1.0)):
        np.add.at(forces, ends[:, end], sign * pulls)
        np.add.at(stiffness, ends[:, end], k * np.abs(ways))
    return forces, stiffness


def turned(point: Floats, angle: float) -> Floats:
    """A point of the plane, turned about the origin."""
    return np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]]) @ point
