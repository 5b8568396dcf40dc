"""The stack-up of one play: each joint's part in it, and what the parts add up to.

By strong duality the extent of the local polytope along a direction is Σ y_i d_i over its rows, so
that each joint has a part a_j ≥ 0 in it (`diagnosis.contact_forces`). As tolerance engineers add them up:

- worst case: Σ a_j, all joints at their worst at once; it can be reached;
- root sum of squares: (Σ a_j²)^½;
- Monte Carlo: Σ u_j a_j with the place u_j of each joint within its play drawn from −1 to 1, all
  equally likely and each for itself. Below 0 the parts are those of the extent the other way.

Source: worst case and RSS as in Chase and Parkinson's survey, cited by [Lensgraf2020] as [34], which
was not opened; the parts by joint are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats

CHUNK = 2_000_000  # random numbers at a time
TAIL = 0.00135  # of a normal distribution beyond three standard deviations, on either side


@dataclass(frozen=True)
class Contribution:
    """What one joint contributes to an extent."""

    bodies: tuple[str, ...]
    amount: float  # length or rad
    share_range: tuple[float, float] | None  # of the extent, where forces are not unique


NOTHING = Contribution((), 0.0, None)


@dataclass(frozen=True)
class JointPart:
    """What one joint contributes to a play, either way."""

    name: str  # as reports have it, such as "a–b" or "pin a–b"
    bodies: tuple[str, ...]
    forward: float  # length or rad, of the extent along the direction
    backward: float  # of the extent the other way
    share: float  # of both together
    share_range: tuple[float, float] | None = None  # of the extent forward, where forces are not unique


@dataclass(frozen=True)
class StackUp:
    """Worst case, root sum of squares and Monte Carlo of one play, forward and backward."""

    parts: tuple[JointPart, ...]  # the largest share first
    worst: tuple[float, float]  # backward and forward, both ≥ 0
    rss: tuple[float, float]
    deviation: float  # of the Monte Carlo values
    percentiles: tuple[float, float]  # 0.135 % and 99.865 % of them, with sign
    draws: int


def stack_up(parts: tuple[JointPart, ...], draws: int, seed: int) -> StackUp:
    """Add the parts of the joints up."""
    backward, forward = (np.array([getattr(part, way) for part in parts]) for way in ("backward", "forward"))
    values = _random_values(backward, forward, draws, seed)
    low, high = np.quantile(values, (TAIL, 1 - TAIL)) if len(parts) else (0.0, 0.0)
    return StackUp(
        parts=parts,
        worst=(float(backward.sum()), float(forward.sum())),
        rss=(float(np.sqrt((backward**2).sum())), float(np.sqrt((forward**2).sum()))),
        deviation=float(values.std()) if len(parts) else 0.0,
        percentiles=(float(low), float(high)),
        draws=draws,
    )


def joint_parts(
    forward: Mapping[str, Contribution], backward: Mapping[str, Contribution]
) -> tuple[JointPart, ...]:
    """What joints contribute either way, by name, put together; the largest share first."""
    total = sum(one.amount for way in (forward, backward) for one in way.values()) or 1.0
    parts: list[JointPart] = []
    for name in dict.fromkeys([*forward, *backward]):
        ahead, back = (way.get(name, NOTHING) for way in (forward, backward))
        share = (ahead.amount + back.amount) / total
        bodies = ahead.bodies or back.bodies
        parts.append(JointPart(name, bodies, ahead.amount, back.amount, share, ahead.share_range))
    return tuple(sorted(parts, key=lambda part: -part.share))


def _random_values(backward: Floats, forward: Floats, draws: int, seed: int) -> Floats:
    """Σ u_j a_j of each sample, (S,)."""
    generator = np.random.default_rng(seed)
    rows = max(CHUNK // max(len(forward), 1), 1)
    values = np.empty(draws)
    for start in range(0, draws, rows):
        place = generator.uniform(-1.0, 1.0, (min(rows, draws - start), len(forward)))
        values[start : start + rows] = (np.where(place > 0, forward, backward) * place).sum(axis=1)
    return values
