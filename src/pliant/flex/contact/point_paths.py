"""The ways of points of bodies, seen from other bodies, as poses follow each other.

What is the same for all points of one body that another sees is found once a pair of bodies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pliant.core.arrays import Bools, Floats, Ints
from pliant.flex.contact.insets import Insets
from pliant.flex.geometry.parts import Parts

MOST_PIECES = 64  # of the way from frame to frame
AT_ONCE = 16384  # places of points that are found together

# Where bodies are seen in others' centroid frames, x and y, and cos and sin of how they are turned there.
Places = tuple[Floats, Floats, Floats, Floats]


@dataclass(frozen=True)
class Views:
    """How bodies (N,) see the owners (N,) of points, as user poses (F, B, 3) follow each other."""

    parts: Parts
    poses: Floats
    body: Ints
    owner: Ints

    @cached_property
    def pairs(self) -> tuple[Ints, Ints, Ints]:
        """The bodies and owners, each pair once (P,), and the pair of each (N,)."""
        code, pair = np.unique(self.body * self.parts.count + self.owner, return_inverse=True)
        return code // self.parts.count, code % self.parts.count, pair

    @cached_property
    def places(self) -> Places:
        """Where owners are in each frame, (F, P) each."""
        return self.places_at(self.poses)

    def places_at(self, poses: Floats) -> Places:
        """Where they are at other poses (F, B, 3)."""
        body, owner, _ = self.pairs
        x, y, angle = np.moveaxis(poses, 2, 0)
        along, up = _between(x, body, owner), _between(y, body, owner)
        cosine, sine = np.cos(angle), np.sin(angle)
        c, s = cosine.take(body, axis=1), sine.take(body, axis=1)
        cosine, sine = cosine.take(owner, axis=1), sine.take(owner, axis=1)
        cosine, sine = c * cosine + s * sine, c * sine - s * cosine
        (left, low), (x, y) = self.parts.origins[body].T, self.parts.origins[owner].T
        across = c * along + s * up - (cosine * x - sine * y) + left
        upward = c * up - s * along - (sine * x + cosine * y) + low
        return across, upward, cosine, sine

    @cached_property
    def bends(self) -> tuple[Floats, Floats]:
        """The largest |p''| of the ways of owners' origins, and how much it is more an arm, (P,) each.

        Bodies go from frame to frame in unit time. In the frame of body 1, p = R(−θ₁)w + R(θ₂ − θ₁)v
        with w = x₂ − x₁, so that p'' = −R(−θ₁)(2ω₁Jw' + ω₁²w) − (ω₂ − ω₁)²R(θ₂ − θ₁)v: with w' constant
        the first is largest at an end, and small where neighbours go round together.
        """
        body, owner, _ = self.pairs
        x, y, angle = (_between(each, body, owner) for each in np.moveaxis(self.poses, 2, 0))
        u, v, turned = x[1:] - x[:-1], y[1:] - y[:-1], angle[1:] - angle[:-1]
        spin = (self.poses[1:, :, 2] - self.poses[:-1, :, 2]).take(body, axis=1)
        twice, square, most = 2 * spin, spin * spin, np.zeros(len(body))
        for at in (slice(None, -1), slice(1, None)):
            bent = (square * x[at] - twice * v) ** 2 + (square * y[at] + twice * u) ** 2
            most = np.maximum(most, bent.max(axis=0, initial=0.0))
        return np.sqrt(most), (turned * turned).max(axis=0, initial=0.0)

    def most_travel(self, start: Places) -> tuple[Floats, Floats]:
        """A bound on how far from their places at a start owners get, and how much more an arm, (P,) each."""
        across, upward, cosine, sine = (now - then for now, then in zip(self.places, start, strict=True))
        shift, turned = across * across + upward * upward, cosine * cosine + sine * sine
        return np.sqrt(shift.max(axis=0)), np.sqrt(turned.max(axis=0))


@dataclass(frozen=True)
class Paths:
    """The ways of points (G,) in the frames of bodies (G,)."""

    views: Views
    row: Ints  # (G,) of the views
    vertex: Ints  # (G,) that each point is, or is beside
    at: Floats  # (G, 2) the points in the centroid frames of their own bodies
    corner: Bools  # (G,) whether it is one of an inset outline

    @classmethod
    def of_vertices(cls, parts: Parts, poses: Floats, vertex: Ints, body: Ints) -> Paths:
        """Those of vertices themselves, along user poses (F, B, 3)."""
        views = Views(parts, poses, body, parts.outlines.body[vertex])
        still = np.zeros(len(vertex), np.bool_)
        return cls(views, np.arange(len(vertex)), vertex, parts.outlines.point[vertex], still)

    def of_corners(self, insets: Insets, depth: float) -> Paths:
        """Those of the corners beside these vertices, of their bodies inset by so much."""
        which, at = insets.corners_beside(self.vertex, depth)
        return Paths(self.views, self.row[which], self.vertex[which], at, np.ones(len(which), np.bool_))

    def join(self, others: Paths) -> Paths:
        """These, and others of the same views after them."""
        return Paths(
            self.views,
            np.append(self.row, others.row),
            np.append(self.vertex, others.vertex),
            np.vstack([self.at, others.at]),
            np.append(self.corner, others.corner),
        )

    def take(self, which: Ints) -> Paths:
        """Some of them."""
        return Paths(self.views, self.row[which], self.vertex[which], self.at[which], self.corner[which])

    @property
    def body(self) -> Ints:
        """The bodies from which each is seen, (G,)."""
        return self.views.body[self.row]

    @property
    def owner(self) -> Ints:
        """The bodies that the points are of, (G,)."""
        return self.views.owner[self.row]

    @property
    def pair(self) -> Ints:
        """The pair of bodies of each, (G,)."""
        return self.views.pairs[2][self.row]

    @property
    def point(self) -> Floats:
        """The points in the user's frames of their bodies, (G, 2)."""
        return self.at - self.views.parts.origins[self.owner]

    @property
    def region(self) -> Ints:
        """Which of `Insets.regions` each must not meet, (G,)."""
        parts = self.views.parts
        return parts.shape_of[self.body] + len(parts.shapes) * self.corner

    @cached_property
    def curvature(self) -> Floats:
        """The largest |p''| of each way, as bodies go from frame to frame in unit time, (G,)."""
        most, turned = self.views.bends
        return most[self.pair] + turned[self.pair] * np.hypot(*self.point.T)

    def pieces(self, chord: float) -> Ints:
        """Into how many pieces, a power of 2, ways from frame to frame are cut for chords to err less."""
        wanted = np.ceil(np.sqrt(self.curvature / (8 * chord)))
        return np.exp2(np.ceil(np.log2(np.clip(wanted, 1, MOST_PIECES)))).astype(np.int64)

    def within_travel(self, start: Floats, distance: Floats) -> Ints:
        """Which of them may get as far as a distance (G,) from where they are at user poses (B, 3)."""
        places = self.views.places_at(start[None])
        shift, turned = self.views.most_travel(places)
        bend, pair = self.curvature / 8, self.pair
        kept = np.flatnonzero(shift[pair] + turned[pair] * np.hypot(*self.at.T) + bend >= distance)
        left, low = next(self.take(kept).some_frames_at_once(places))
        most = np.zeros(len(kept))
        for x, y in self.take(kept).some_frames_at_once(self.views.places):
            np.maximum(most, ((x - left) ** 2 + (y - low) ** 2).max(axis=0), out=most)
        return kept[np.sqrt(most) + bend[kept] >= distance[kept]]

    def box(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Left, bottom, right and top of where the points are seen in the frames, (G,) each."""
        left, bottom, right, top = np.full((4, len(self.row)), np.inf)
        for x, y in self.some_frames_at_once(self.views.places):
            for nearest, at in ((left, x), (bottom, y), (right, -x), (top, -y)):
                np.minimum(nearest, at.min(axis=0), out=nearest)
        return left, bottom, -right, -top

    def some_frames_at_once(self, places: Places) -> Iterator[tuple[Floats, Floats]]:
        """X and y of the points in the centroid frames of the bodies, (K, G) each, by K frames at a time.

        All at once they would be so large that to be given the memory takes longer than to fill it.
        """
        pair, count = self.pair, 1 + AT_ONCE // (1 + len(self.row))
        for begin in range(0, len(places[0]), count):
            yield self._seen([each[begin : begin + count].take(pair, axis=1) for each in places])

    def seen(self, count: int) -> tuple[Floats, Floats]:
        """X and y of the points in the centroid frames of the bodies, in so many pieces: (T, G) each."""
        views, pair = self.views, self.pair
        if count > 1:
            t, every = np.arange(count)[:, None, None] / count, views.poses
            between = every[:-1, None] + t * (every[1:] - every[:-1])[:, None]  # (F − 1, count, B, 3)
            views = self._views_of(np.concatenate([between.reshape(-1, *every.shape[1:]), every[-1:]]))
            pair = views.pairs[2]
        return self._seen([each.take(pair, axis=1) for each in views.places])

    def at_start(self) -> Floats:
        """Where the points are first, in the centroid frames of the bodies, (G, 2)."""
        views = self._views_of(self.views.poses[:1])
        x, y = self._seen([each[0, views.pairs[2]] for each in views.places])
        return np.stack([x, y], axis=1)

    def _views_of(self, poses: Floats) -> Views:
        """How the bodies of these alone see each other, at user poses (F, B, 3)."""
        return Views(self.views.parts, poses, self.body, self.owner)

    def _seen(self, places: Sequence[Floats]) -> tuple[Floats, Floats]:
        """X and y of the points where the places of their owners are known, (…, G) each."""
        (x, y), (across, upward, cosine, sine) = self.at.T, places
        return across + (cosine * x - sine * y), upward + (sine * x + cosine * y)


def _between(values: Floats, body: Ints, owner: Ints) -> Floats:
    """How much more values (F, B) are for owners (P,) than for bodies (P,), (F, P)."""
    return values.take(owner, axis=1) - values.take(body, axis=1)
