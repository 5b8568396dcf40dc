"""Random arms with strings and walls, followed by one angle alone: an oracle for what lets go and takes hold.

A bar about a joint carries a load that changes and a spring; strings, one of them reeled, and a wall bound
its angle. Of pliant the oracle takes where it begins to rest, and nothing else: with the energy E(θ, t) and
bounds g(θ, t) ≥ 0 it goes downhill until E' changes its sign or a bound is met, at every share of the drive.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, hypot, pi, sin

import numpy as np
from scipy.optimize import brentq

from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus

STEPS, DOWN = 400, 1e-3  # shares of the drive, and radians of a step downhill
SUDDEN, SHORT = 2e-2, 1e-3  # radians between two shares that are looked into, and that are no jump
PLACE = 1e-13  # radians


@dataclass(frozen=True)
class Arm:
    """A bar of a length about (0, 0), drawn at an angle."""

    length: float
    drawn: float
    loads: tuple[tuple[float, float], tuple[float, float]]  # at the start and the end of the drive
    spring: tuple[float, float, float, float]  # anchor, stiffness, rest length
    strings: tuple[tuple[float, float, float, float], ...]  # anchor, length at the start and at the end
    wall: (
        tuple[float, float] | None
    )  # the direction of its normal, and how far the bar's end stays ahead of it

    def model(self) -> dict[str, object]:
        """The mechanism for pliant: a node a, the arm's end b."""
        b = [self.length * cos(self.drawn), self.length * sin(self.drawn)]
        nodes: dict[str, list[float]] = {"a": [0, 0], "b": b, "s": list(self.spring[:2])}
        strings: list[dict[str, object]] = []
        for i, (x, y, first, last) in enumerate(self.strings):
            nodes[f"g{i}"] = [x, y]
            one: dict[str, object] = {"nodes": [f"g{i}", "b"], "length": first}
            strings.append(one if first == last else {**one, "to": last})
        fields: dict[str, object] = {}
        if self.wall is not None:
            way, far = self.wall
            normal, along = (cos(way), sin(way)), (-sin(way), cos(way))
            for name, at in (("u", -9 * self.length), ("v", 9 * self.length)):
                nodes[name] = [(far - RADIUS) * n + at * t for n, t in zip(normal, along, strict=True)]
            fields["contacts"] = [{"members": [["b", "b"]], "against": [["u", "v"]], "radius": RADIUS}]
        spring = {"nodes": ["s", "b"], "stiffness": self.spring[2], "length": self.spring[3]}
        return {
            "ground": [name for name in nodes if name != "b"],
            "nodes": nodes,
            "bars": [{"nodes": ["a", "b"]}],
            "springs": [spring],
            "strings": strings,
            "loads": [{"node": "b", "force": list(self.loads[0]), "to": list(self.loads[1])}],
            **fields,
        }


RADIUS = 0.2


def random_arm(seed: int) -> Arm:
    """An arm that is within its bounds as drawn."""
    rng = np.random.default_rng(seed)
    length, drawn = rng.uniform(1, 3), rng.uniform(-pi, pi)
    b = length * np.array([cos(drawn), sin(drawn)])
    first, last = rng.normal(size=(2, 2)) * rng.uniform(1, 6)
    anchor = rng.normal(size=2) * 4
    spring = (*anchor, rng.uniform(0.2, 3), rng.uniform(0.3, 1.5) * float(np.linalg.norm(anchor - b)))
    strings = []
    for i in range(int(rng.integers(1, 3))):
        at = rng.normal(size=2) * 4
        long = float(np.linalg.norm(at - b)) * rng.uniform(1.0, 1.3)
        strings.append((*at, long, long * rng.uniform(0.5, 1.1) if i == 0 else long))
    way = rng.uniform(-pi, pi)
    wall = (
        (way, float(b @ [cos(way), sin(way)]) - rng.uniform(0.1, 1) * length) if rng.random() < 0.6 else None
    )
    return Arm(length, drawn, (tuple(first), tuple(last)), spring, tuple(strings), wall)


def slope(arm: Arm, angle: float, share: float) -> float:
    """E' of an arm."""
    x, y = arm.length * cos(angle), arm.length * sin(angle)
    fx, fy = (a + share * (b - a) for a, b in zip(*arm.loads, strict=True))
    sx, sy, k, rest = arm.spring
    far = hypot(x - sx, y - sy)
    pull = k * (far - rest) / far
    return (fx - pull * (x - sx)) * y + (pull * (y - sy) - fy) * x


def bend(arm: Arm, angle: float, share: float) -> float:
    """E'' of an arm, by differences."""
    return slope(arm, angle + 1e-5, share) - slope(arm, angle - 1e-5, share)


def bounds(arm: Arm, angle: float, share: float) -> list[float]:
    """What must not be negative: slack of strings, and the way to the wall."""
    x, y = arm.length * cos(angle), arm.length * sin(angle)
    slack = [first + share * (last - first) - hypot(x - gx, y - gy) for gx, gy, first, last in arm.strings]
    return slack if arm.wall is None else [*slack, x * cos(arm.wall[0]) + y * sin(arm.wall[0]) - arm.wall[1]]


def peaks(arm: Arm) -> list[float]:
    """Angles at which the bounds are farthest from being met."""
    strings = [atan2(y, x) for x, y, _, _ in arm.strings]
    return strings if arm.wall is None else [*strings, arm.wall[0]]


def next_step(arm: Arm, angle: float, way: float) -> float:
    """The next angle on a way downhill: where a bound is met soonest, if it is nearer than a step.

    A bound that only just forbids what lies there would else be stepped over.
    """
    lowest = [((peak + pi - angle) * way) % (2 * pi) for peak in peaks(arm)]
    return angle + way * min([DOWN, *(far for far in lowest if far > PLACE)])


def settled(arm: Arm, angle: float, share: float) -> float | None:
    """Where an arm comes to rest from an angle; None where its bounds leave it none near by."""
    for k, peak in enumerate(peaks(arm)):
        if bounds(arm, angle, share)[k] < 0.0:
            top = peak + 2 * pi * round((angle - peak) / (2 * pi))
            if bounds(arm, top, share)[k] < 0.0:
                return None
            angle = brentq(lambda q, k=k: bounds(arm, q, share)[k], angle, top, xtol=PLACE)
    if min(bounds(arm, angle, share)) < -1e-12:
        return None
    way = -1.0 if slope(arm, angle, share) > 0.0 else 1.0
    for _ in range(int(2 * pi / DOWN)):
        ahead = next_step(arm, angle, way)
        low = min(range(len(bounds(arm, ahead, share))), key=lambda k: bounds(arm, ahead, share)[k])
        if bounds(arm, ahead, share)[low] < 0.0:
            if bounds(arm, angle, share)[low] <= 1e-12:
                return angle
            end = brentq(lambda q, low=low: bounds(arm, q, share)[low], angle, ahead, xtol=PLACE)
            if way * slope(arm, end, share) < 0.0:
                return end
            ahead = end
        if (
            bend(arm, angle, share) > 0.0 > bend(arm, ahead, share)
        ):  # a rest and a top may be nearer than a step
            flat = brentq(lambda q: bend(arm, q, share), angle, ahead)
            ahead = flat if way * slope(arm, flat, share) >= 0.0 else ahead
        if way * slope(arm, ahead, share) >= 0.0:
            return brentq(lambda q: slope(arm, q, share), angle, ahead, xtol=PLACE)
        angle = ahead
    return None


def followed(arm: Arm, start: float) -> tuple[str, float, float]:
    """How an arm at rest goes on: "end", "snap" or "lock", at which share, and the angle before it."""
    angle, share = start, 0.0
    while share < 1.0:
        ahead = min(share + 1.0 / STEPS, 1.0)
        there = settled(arm, angle, ahead)
        low, high, here = share, ahead, angle
        while there is None or abs(there - here) > (SUDDEN if high == ahead and low == share else SHORT):
            if high - low < 1e-14:
                return "lock" if there is None else "snap", high, here
            middle = 0.5 * (low + high)
            between = settled(arm, here, middle)
            if between is None or (there is not None and abs(between - here) > abs(there - between)):
                high, there = middle, between
            else:
                low, here = middle, between
        there = settled(arm, angle, ahead)
        assert there is not None
        angle, share = there, ahead
    return "end", 1.0, angle


def difference(arm: Arm, frames: int) -> tuple[str, str]:
    """How the oracle ends, and what pliant says otherwise; nothing where both agree.

    Where pliant says that it did not come to rest, nothing is claimed, and the first is "no claim".
    """
    model = Mechanism.model_validate(arm.model())
    result, end = solve(model, RelaxStudy(frames=frames)), list(model.nodes).index("b")
    if result.status is RelaxStatus.NOT_CONVERGED:
        return "no claim", ""
    start, last = (atan2(frame.x[end, 1], frame.x[end, 0]) for frame in (result.frames[0], result.frames[-1]))
    kind, share, angle = followed(arm, start)
    told = [(one.kind, one.share) for one in result.assessment.notices if one.kind != "fallback"]
    if kind == "end":
        off = abs((last - angle + pi) % (2 * pi) - pi)
        fits = not told and result.status is RelaxStatus.CONVERGED and off < 1e-6
    else:
        names = ("snap",) if kind == "snap" else ("stop", "fold", "lock")
        fits = bool(told) and told[0][0] in names and abs(told[0][1] - share) <= 1e-9
    return kind, "" if fits else f"pliant: {result.status.name} {told}, the oracle: {kind} at {share}"
