"""A mechanism at the poses of its motion, with what all its parts are drawn by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.relax.model import Mechanism, NamePair
from pliant.relax.network.network import Network

BAR = 0.024  # width of a bar over the room the nodes take up
SHORT = 0.12  # the same over the usual length of a link, where it is many links from end to end
SOLID = 2000  # links beyond which bars in the plane are lines
STANDING = 300  # faces, or barrels, beyond which plates and actuators in space are lines alone


class DrawnLine(NamedTuple):
    """Strokes from one node to another by way of points that have no name; a node may be missing."""

    start: int | None
    between: Floats  # (F, K, D)
    end: int | None
    element: str = ""  # whose forces it shows


@dataclass(frozen=True)
class FramePoses:
    """A mechanism at F poses of its N nodes, hidden ones last."""

    model: Mechanism
    net: Network
    shares: Floats  # (F,) of the drive
    x: Floats  # (F, N, D)
    # (F, E + C + Q) of links, couplings and rails, such as "force"
    scalars: Mapping[str, Floats] = field(default_factory=lambda: {})
    turned: Floats | None = None  # (F, M) angles over whole turns; as drawn where there are none

    @property
    def spatial(self) -> bool:
        """Whether it is in space."""
        return self.x.shape[2] == 3

    @cached_property
    def solid(self) -> bool:
        """Whether parts have a width: in the plane, unless there are too many to tell apart."""
        return not self.spatial and len(self.net.link_names) <= SOLID

    @cached_property
    def size(self) -> float:
        """The longest side of the room that all poses take up."""
        return float(np.ptp(self.x[:, : self.net.shown], axis=(0, 1)).max()) or 1.0

    @cached_property
    def width(self) -> float:
        """Of a bar."""
        own = (self.net.parts.links.ends < self.net.shown).all(axis=1) & ~self.net.hidden
        usual = float(np.median(self.rests[0][own])) if own.any() else self.size
        return min(BAR * self.size, SHORT * usual) or BAR * self.size

    @cached_property
    def ground(self) -> frozenset[str]:
        """The nodes that are held."""
        return frozenset(self.model.ground)

    @cached_property
    def number(self) -> dict[str, int]:
        """Of the model's own nodes."""
        return {name: k for k, name in enumerate(self.model.nodes)}

    def numbers(self, names: Iterable[str]) -> list[int]:
        """Of some of the model's own nodes."""
        return [self.number[name] for name in names]

    def path(self, name: str) -> Floats:
        """The places of a node, (F, D)."""
        return self.x[:, self.number[name]]

    def drawn(self, name: str) -> Floats:
        """Where the model has a node, (D,)."""
        return self.net.drawn[self.number[name]]

    def still(self, *names: str) -> bool:
        """Whether nodes are held."""
        return self.ground.issuperset(names)

    def lengths(self, pair: NamePair) -> Floats:
        """How far apart two nodes are, (F,)."""
        return np.linalg.norm(self.path(pair[1]) - self.path(pair[0]), axis=1)

    def directions(self, pair: NamePair) -> Floats:
        """Unit vectors from one node to another, (F, D); 0 where they meet."""
        return unit(self.path(pair[1]) - self.path(pair[0]))

    @cached_property
    def rests(self) -> Floats:
        """Lengths at rest of every link, (F, E)."""
        return np.stack([self.net.drive.at(share)[0] for share in self.shares.tolist()])

    @cached_property
    def loads(self) -> Floats:
        """Forces on the model's own nodes, (F, N, D)."""
        shown = self.net.shown
        return np.stack([self.net.drive.at(share)[2][:shown] for share in self.shares.tolist()])

    @cached_property
    def _owners(self) -> dict[str, Ints]:
        """Links, couplings and rails by the name of their element."""
        groups: dict[str, list[int]] = {}
        for k, name in enumerate((*self.net.link_names, *self.net.coupling_names, *self.net.rail_names)):
            groups.setdefault(name, []).append(k)
        return {name: np.array(rows) for name, rows in groups.items()}

    def scalar(self, name: str, element: str) -> Floats:
        """Of an element the strongest of its parts' in each frame, (F,); not a number where it has none."""
        if element not in self._owners:
            return np.full(len(self.x), np.nan)
        mine = self.scalars[name][:, self._owners[element]]
        return mine[np.arange(len(mine)), np.abs(mine).argmax(axis=1)]


def unit(vectors: Floats) -> Floats:
    """Vectors (…, D) brought to length 1; 0 stays 0."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(length > 0, length, 1.0)


def perpendiculars(ways: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors across unit vectors (F, 3), which do not spin about them on the way."""
    first = np.empty_like(ways)
    before = np.eye(3)[np.abs(ways[0]).argmin()]
    for k, direction in enumerate(ways):
        before = before - (before @ direction) * direction
        if np.linalg.norm(before) < 1e-6:  # it turned by a right angle in one frame
            before = np.eye(3)[np.abs(direction).argmin()] - direction[np.abs(direction).argmin()] * direction
        before = first[k] = before / np.linalg.norm(before)
    return first, np.cross(ways, first)
