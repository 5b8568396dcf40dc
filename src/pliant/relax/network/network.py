"""A mechanism compiled: its elements, the drive and the names of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import TypeVar

import numpy as np

from pliant.core.arrays import Bools, Floats, Ints
from pliant.relax.network.elements import FIXED, USED, Elements, State
from pliant.relax.network.laws import BAR
from pliant.relax.network.measures import measure_angles

T = TypeVar("T")


CORNER = 1e-9  # of a pace: so much a pace changes at a waypoint that is a corner


@dataclass(frozen=True)
class Drive:
    """Driven values at W equally spaced shares of the drive, from 0 to 1."""

    rest: Floats  # (W, E)
    goal: Floats  # (W, C)
    loads: Floats  # (W, N, D)

    def at(self, share: float) -> tuple[Floats, Floats, Floats]:
        """Rest lengths, coupling goals and loads at a share of the drive."""
        spot = min(max(share, 0.0), 1.0) * (len(self.rest) - 1)
        k = min(int(spot), max(len(self.rest) - 2, 0))
        t, after = spot - k, min(k + 1, len(self.rest) - 1)

        def between(values: Floats) -> Floats:
            if t == 0.0 or not values.strides[0]:
                return values[k].copy()
            return values[after].copy() if t == 1.0 else values[k] + t * (values[after] - values[k])

        return between(self.rest), between(self.goal), between(self.loads)

    @cached_property
    def knots(self) -> tuple[float, ...]:
        """Shares of the drive at which a driven rate changes, and 1; none where nothing is driven."""
        count = len(self.rest) - 1
        if not count:
            return ()
        bends = np.zeros(max(count - 1, 0), np.bool_)
        for values in (self.rest, self.goal, self.loads):
            flat = values.reshape(count + 1, -1)
            if count > 1 and flat.shape[1] and flat.strides[0]:
                change = np.diff(flat, axis=0)
                near = CORNER * np.abs(change).max(axis=0)
                bends |= (np.abs(np.diff(change, axis=0)) > near).any(axis=1)
        return (*((np.flatnonzero(bends) + 1) / count).tolist(), 1.0)


@dataclass(frozen=True)
class Network:
    """A compiled mechanism: elements, drive and names."""

    names: tuple[str, ...]  # of nodes: the model's own, then hidden ones
    shown: int  # how many are the model's own
    drawn: Floats  # (N, D)
    parts: Elements
    drive: Drive
    link_names: tuple[str, ...]  # (E,) what each link is of, such as "bar a-b"
    coupling_names: tuple[str, ...]  # (C,)
    rail_names: tuple[str, ...]  # (Q,)
    rigid: Bools  # (E,) its length shall hold: not springs
    hidden: Bools  # (E,) auxiliary: not drawn, and no part of collisions
    simplices: Ints = field(default_factory=lambda: np.zeros((0, 3), np.int64))  # (B, D + 1) must keep sides
    body_names: tuple[str, ...] = ()  # (B,)
    edges: Ints = field(
        default_factory=lambda: np.zeros((0, 2), np.int64)
    )  # (G, 2) nodes that share an element
    stiffness: float = 1.0  # of what is rigid
    rails_hold: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))  # (Q,) rigid, not elastic
    touches_hold: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))  # (T,)
    couplings_hold: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))  # (C,)

    @cached_property
    def size(self) -> float:
        """Longest side of the drawing's bounding box (length)."""
        return float(np.ptp(self.drawn, axis=0).max())

    @cached_property
    def scales(self) -> Floats:
        """Reference length of each link, coupling and rail (E + C + Q,), for relative errors.

        Of links the drawn rest length, where that is more.
        """
        parts, size = self.parts, self.size or 1.0
        ends = self.drawn[parts.links.ends]
        links = np.maximum(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), self.drive.rest[0])
        rails = self.drawn[parts.rails.nodes]
        lines = np.linalg.norm(rails[:, 2] - rails[:, 1], axis=1)
        extents = np.concatenate([links, self._extents, lines])
        return np.where(extents > 0.0, extents, size)

    @property
    def _extents(self) -> Floats:
        """Largest distance between the nodes of each coupling's measures (C,)."""
        couplings = self.parts.couplings
        used = np.array(USED)[couplings.measures]  # (M,) nodes that each measure reads
        first, last = couplings.measured[:, :1], np.arange(4) < used[:, None]
        at = self.drawn[np.where(last, couplings.measured, first)]  # (M, 4, D)
        low, high = at.min(axis=1), at.max(axis=1)
        starts = couplings.firsts[:-1]
        if not len(starts):
            return np.zeros(0)
        own = np.maximum.reduceat((high - low).max(axis=1), starts)
        spread = np.maximum.reduceat(high, starts) - np.minimum.reduceat(low, starts)
        return np.where(own > 0.0, own, spread.max(axis=1))

    @cached_property
    def loaded(self) -> bool:
        """Whether loads, fields, springs or preloads act on the mechanism."""
        parts = self.parts
        bilateral = (parts.links.laws == BAR).all() and (parts.couplings.laws == BAR).all()
        rails = (parts.rails.laws == BAR).all() and self.rails_hold.all()
        held = self.rigid.all() and self.couplings_hold.all() and self.touches_hold.all()
        free = bilateral and rails and held
        return bool(self.drive.loads.any() or len(parts.fields.power) or not free)

    @property
    def free(self) -> Bools:
        """Whether each node can move (N,)."""
        return self.parts.guides.kinds != FIXED

    def state(self, x: Floats | None = None, share: float = 0.0) -> State:
        """State at positions x (default: as drawn) and a share of the drive; angles count from here."""
        x = (self.drawn if x is None else x).copy()
        parts = self.parts
        turned = np.zeros(len(parts.couplings.measures))
        if len(turned):
            measure_angles(x, parts.couplings, turned)
        given = np.zeros(len(parts.links.ends)), np.zeros(len(parts.couplings.laws))
        others = np.zeros((len(parts.rails.laws), x.shape[1])), np.zeros(len(parts.touch.radius))
        smooth = np.zeros((0, x.shape[1])), np.zeros((0, 4), np.int64), np.zeros((0, 0))
        return State(x, *self.drive.at(share), turned, *given, *others, *smooth)

    def touch_name(self, pair: int) -> str:
        """Name of a contact pair, such as "contact p on u-v"."""
        a, b, c, d = (self.names[node] for node in self.parts.touch.ends[pair])
        first, second = (one if one == other else f"{one}-{other}" for one, other in ((a, b), (c, d)))
        return f"contact {first} on {second}"

    def aim(self, state: State, share: float) -> None:
        """Set the drive of a state to a share."""
        rest, goal, state.loads[:] = self.drive.at(share)
        state.rest[:], state.goal[:] = rest - state.given, goal - state.coupling_given


def once(function: Callable[[Network], T]) -> Callable[[Network], T]:
    """Cache a function of a network on the network, which never changes."""
    name = f"{function.__module__}.{function.__name__}"

    @wraps(function)
    def kept(net: Network) -> T:
        if name not in net.__dict__:
            net.__dict__[name] = function(net)
        return net.__dict__[name]

    return kept
