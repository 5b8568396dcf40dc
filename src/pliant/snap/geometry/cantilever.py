"""A beam as it is drawn: where it points, where its nose is, and where the root behind it begins."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats
from pliant.snap.arithmetic.numbers import RationalVector


@dataclass(frozen=True)
class Cantilever:
    """A pawl's beam as it is drawn, at rest: where it points, and distances along it from the hinge."""

    axis: tuple[float, float]  # a unit vector, from the root to the nose
    said: float  # its length, as the beam says or, if it does not, as drawn
    behind: float  # how far the root is behind the hinge
    rear: float  # how far the outline goes back behind the hinge
    starts: float  # how far out the nose begins to stand out from the shank
    nose: float  # how far out the nose is: what stands out farthest to a side
    tip: float  # how far out the outline ends

    @property
    def length(self) -> float:
        """From the root to where the nose is held: no further than the nose."""
        return min(self.said, self.behind + self.nose)


def cantilever(outline: Sequence[RationalVector], length: float | None, share: float) -> Cantilever:
    """What follows from the outline (V, 2) of a pawl about its hinge at rest, and what its beam says.

    The axis is along the longest edge, through the hinge, which is at a share of the length from the root.
    Without a length of its own, the beam goes from where the outline ends behind the hinge to the nose.
    """
    drawn = (z.as_integer_ratio() for point in outline for z in point)
    corners = np.array([over / under for over, under in drawn]).reshape(-1, 2)
    edges = np.roll(corners, -1, axis=0) - corners
    longest = edges[int(np.hypot(*edges.T).argmax())]
    axis = longest / math.hypot(*longest)
    if (corners @ axis).max() < -(corners @ axis).min():
        axis = -axis
    along, aside = corners @ axis, corners @ np.array([-axis[1], axis[0]])
    ahead = np.where(along > 0, np.abs(aside), -1.0)
    farthest = np.flatnonzero(ahead >= ahead.max() * (1 - 1e-9))
    nose = int(farthest[along[farthest].argmin()])
    rear = float(-along.min())
    return Cantilever(
        axis=(float(axis[0]), float(axis[1])),
        said=rear + float(along[nose]) if length is None else length,
        behind=rear if length is None else share * length,
        rear=rear,
        starts=_nose_start(along, aside * np.sign(aside[nose]), nose),
        nose=float(along[nose]),
        tip=float(along.max()),
    )


def _nose_start(along: Floats, aside: Floats, nose: int) -> float:
    """How far out an outline begins to stand out to the side of its nose, seen from the hinge."""
    count = len(along)
    inward = -1 if along[nose - 1] < along[(nose + 1) % count] else 1
    place = nose
    while aside[(place + inward) % count] < aside[place] - 1e-12 and along[(place + inward) % count] > 0:
        place = (place + inward) % count
    return float(min(along[place], along[nose]))


def root_behind(drawn: Cantilever, hinge: RationalVector, root: Sequence[RationalVector]) -> Iterator[float]:
    """How far behind the hinge, along the beam, the root's outline begins."""
    origin = np.array([float(value) for value in hinge])
    corners = np.array([[float(x), float(y)] for x, y in root]) - origin
    ax, ay = drawn.axis
    along, aside = -(corners @ np.array([ax, ay])), corners @ np.array([-ay, ax])
    for k in range(len(corners)):
        one, other = aside[k - 1], aside[k]
        if min(one, other) <= 0 <= max(one, other):
            share = 0.0 if one == other else one / (one - other)
            yield float(along[k - 1] + share * (along[k] - along[k - 1]))
