"""Mechanisms of bars by pseudo-arclength continuation: independent of pliant, dense, and slow.

Positions x, forces f, the share λ of the weights w that they carry and the share s of the drive are followed
together along

    Jᵀ f = λ w,    |f|² + λ² = 1,    lengths(x) = l(s)

so that forces which grow without bound, as they do towards a lock, are a way to λ = 0 as smooth as any other.
Where nothing is heavy and nothing is free, x and s alone. The way ends at s = 1, at a fold (s turns back, or
λ comes to 0), where the reduced stiffness loses its sign, or where branches meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEP, SMALLEST = 0.05, 1e-11
CLEAR, NOISE = 1e-6, 1e-7  # of the way: so near to where ways part rounding leads astray, and by so much
DEPENDENT = 1e-5  # of the least singular value of the slopes at the start
INDEFINITE = 1e-4  # over the size: a form that is more is positive
UNBOUNDED = 1e-8  # λ: forces are so many times the weights, and s is as near to its end as λ²


@dataclass(frozen=True)
class Bars:
    """E bars between N nodes, the first G of them on the ground, and what their lengths are driven to."""

    places: Floats  # (N, D)
    grounded: int
    ends: NDArray[np.int64]  # (E, 2)
    targets: Floats  # (E,) lengths at the end
    gravity: Floats | None = None  # (D,) on a mass of 1 at each node

    def model(self) -> dict[str, Any]:
        """The same as a file of pliant's."""
        names = [f"n{k}" for k in range(len(self.places))]
        start = self.lengths(self.places)
        bars, actuators = [], []
        for (i, j), first, last in zip(self.ends.tolist(), start, self.targets, strict=True):
            pair = {"nodes": (names[i], names[j])}
            if first == last:
                bars.append(pair)
            else:
                actuators.append({**pair, "to": float(last)})
        data: dict[str, Any] = {
            "nodes": dict(zip(names, self.places.tolist(), strict=True)),
            "ground": names[: self.grounded],
            "bars": bars,
            "actuators": actuators,
        }
        return data if self.gravity is None else {**data, "gravity": self.gravity.tolist()}

    def lengths(self, x: Floats) -> Floats:
        """(E,)"""
        return np.linalg.norm(x[self.ends[:, 1]] - x[self.ends[:, 0]], axis=1)

    def slopes(self, x: Floats) -> Floats:
        """J (E, free coordinates)."""
        count, d = x.shape
        out = np.zeros((len(self.ends), count, d))
        along = x[self.ends[:, 1]] - x[self.ends[:, 0]]
        along /= np.linalg.norm(along, axis=1)[:, None]
        rows = np.arange(len(self.ends))
        out[rows, self.ends[:, 1]] += along
        out[rows, self.ends[:, 0]] -= along
        return out[:, self.grounded :].reshape(len(self.ends), -1)

    def bent(self, x: Floats, f: Floats) -> Floats:
        """Σ f ∇²length (free, free)."""
        count, d = x.shape
        first, second = self.ends.T
        away = x[second] - x[first]
        far = np.linalg.norm(away, axis=1)
        along = away / far[:, None]
        blocks = (f / far)[:, None, None] * (np.eye(d) - along[:, :, None] * along[:, None, :])
        out = np.zeros((count, count, d, d))
        for i, j, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
            np.add.at(out, (i, j), sign * blocks)
        kept = out[self.grounded :, self.grounded :].transpose(0, 2, 1, 3)
        return kept.reshape(kept.shape[0] * d, -1)


@dataclass(frozen=True)
class Ending:
    """How a way ends: "end", "fold" (a lock), "dead centre", "snap", "unstable", "lost"; where, the pose."""

    kind: str
    share: float
    x: Floats


def followed(bars: Bars, start: Floats, scale: float = 1.0) -> Ending:
    """The first thing that happens on the way from a pose (N, D) at rest."""
    way, seen = _Way(bars, start), list[tuple[float, float]]()
    z, tangent, step = way.begin()
    limit = 20_000
    for _ in range(limit):
        ahead = way.corrected(z + step * tangent, tangent, z + step * tangent)
        if ahead is None:
            step *= 0.5
            if step < SMALLEST:
                return Ending("lost", z[-1], way.x(z))
            continue
        turned = way.tangent(ahead, tangent)
        if turned @ tangent < 0.98:
            if step < 1e-9:  # a corner: branches meet, and the one it came on goes on unstable
                return way.ending("unstable", _vanishing(seen, z[-1]), z)
            step *= 0.5
            continue
        kind = way.event(z, ahead, turned)
        if kind:
            if step > 1e-10:
                step *= 0.5
                continue
            at = _vanishing(seen, z[-1]) if kind == "unstable" else z[-1]
            return way.ending(kind, at, z)
        if way.forces:
            seen.append((ahead[-1], way.stiffness(ahead) / ahead[-2]))
        if ahead[-1] >= 1.0:
            return Ending("end", 1.0, way.x(way.at_end(z, ahead)))
        z, tangent, step = ahead, turned, min(1.5 * step, STEP * scale)
    return Ending("lost", z[-1], way.x(z))


def _vanishing(seen: list[tuple[float, float]], last: float) -> float:
    """Where a stiffness is 0 that falls towards it: by three poses that rounding has not reached."""
    chosen = [one for one in seen if abs(one[0] - last) > CLEAR * abs(one[0] - seen[0][0])][-3:]
    near = sorted(chosen, key=lambda one: one[1])
    if len(near) < 3 or near[0][1] > 1e-2 * seen[0][1]:
        return last
    shares, stiff = np.array([one[0] for one in near]), np.array([one[1] for one in near])
    found = float(np.polyval(np.polyfit(stiff / stiff[-1], shares - last, 2), 0.0)) + last
    return found if abs(found - last) <= NOISE else last


class _Way:
    def __init__(self, bars: Bars, start: Floats) -> None:
        self.bars, self.start = bars, start
        self.first, self.change = bars.lengths(bars.places), bars.targets - bars.lengths(bars.places)
        self.size = float(np.ptp(bars.places, axis=0).max())
        self.heavy = bars.gravity is not None
        self.free = start.size - bars.grounded * start.shape[1]
        self.square = self.free == len(bars.ends)
        count = len(start) - bars.grounded
        self.weight = np.tile(bars.gravity, count) if bars.gravity is not None else np.zeros(self.free)
        self.unit = float(np.abs(self.weight).max()) or 1.0
        self.sign: float | None = None

    def x(self, z: Floats) -> Floats:
        out = self.start.copy()
        out[self.bars.grounded :] = (z[: self.free] * self.size).reshape(-1, out.shape[1])
        return out

    @property
    def forces(self) -> bool:
        return self.heavy and not self.square

    def begin(self) -> tuple[Floats, Floats, float]:
        x = self.start[self.bars.grounded :].ravel() / self.size
        f = np.linalg.lstsq(self.bars.slopes(self.start).T, self.weight, rcond=None)[0] / self.unit
        carried = np.append(f, 1.0) / np.linalg.norm(np.append(f, 1.0))
        z = np.concatenate([x, carried if self.forces else [], [0.0]])
        tangent = np.zeros(len(z))
        tangent[-1] = 1.0
        return z, self.tangent(z, tangent), 1e-3

    def residual(self, z: Floats) -> Floats:
        x, s = self.x(z), z[-1]
        lengths = (self.bars.lengths(x) - self.first - s * self.change) / self.size
        if not self.forces:
            return lengths
        carried, part = z[self.free : -1], z[-2]
        left = self.bars.slopes(x).T @ carried[:-1] - part * self.weight / self.unit
        return np.concatenate([left, lengths, [carried @ carried - 1.0]])

    def matrix(self, z: Floats) -> Floats:
        x, e = self.x(z), len(self.bars.ends)
        j = self.bars.slopes(x)
        rate = -(self.change / self.size)[:, None]
        if not self.forces:
            return np.hstack([j, rate])
        out = np.zeros((self.free + e + 1, self.free + e + 2))
        out[: self.free, : self.free] = self.bars.bent(x, z[self.free : -2]) * self.size
        out[: self.free, self.free : -2] = j.T
        out[: self.free, -2] = -self.weight / self.unit
        out[self.free : -1, : self.free] = j
        out[self.free : -1, -1:] = rate
        out[-1, self.free : -1] = 2.0 * z[self.free : -1]
        return out

    def tangent(self, z: Floats, before: Floats) -> Floats:
        m = np.vstack([self.matrix(z), before])
        right = np.zeros(len(z))
        right[-1] = 1.0
        found = np.linalg.solve(m, right) if self.free <= len(self.bars.ends) or self.forces else None
        if found is None:
            null = np.linalg.svd(self.matrix(z))[2][-1]
            found = null * np.sign(null @ before)
        return found / np.linalg.norm(found)

    def corrected(self, z: Floats, tangent: Floats, guess: Floats) -> Floats | None:
        start = guess
        for turn in range(12):
            r = np.concatenate([self.residual(z), [tangent @ (z - guess)]])
            if np.abs(r).max() < 1e-13:
                return z
            try:
                step = np.linalg.solve(np.vstack([self.matrix(z), tangent]), r)
            except np.linalg.LinAlgError:
                return None
            z = z - step
            if not np.isfinite(z).all() or np.abs(z - start).max() > 0.2:
                return None
            if turn > 3 and np.abs(step).max() < 1e-14:
                return z
        return z if np.abs(self.residual(z)).max() < 1e-11 else None

    def event(self, z: Floats, ahead: Floats, turned: Floats) -> str:
        if self.forces:
            if ahead[-2] <= UNBOUNDED:
                return self.fold(ahead)
            stiff = self.stiffness(ahead)
            return "snap" if turned[-1] <= 0.0 else "unstable" if stiff < 0.0 else ""
        if turned[-1] <= 0.0:
            return "fold"
        if self.square:
            sign = float(np.linalg.slogdet(self.bars.slopes(self.x(ahead)))[0])
            self.sign = self.sign or float(np.linalg.slogdet(self.bars.slopes(self.x(z)))[0])
            if sign != self.sign:
                return "singular"
        return ""

    def ending(self, kind: str, share: float, z: Floats) -> Ending:
        """Named; where lengths depend on each other that did not at the start, it is a fold."""
        first, last = (
            np.linalg.svd(self.bars.slopes(x), compute_uv=False)[-1] for x in (self.start, self.x(z))
        )
        return Ending(self.fold(z) if last < DEPENDENT * first else kind, share, self.x(z))

    def fold(self, z: Floats) -> str:
        """A fold, or a dead centre: whether ½ yᵀ (Σ p ∇²length) y = p·d > 0 for no way y with J y = 0.

        With Jᵀ p = 0 and d what the drive asks for; assemblies beyond it are displaced by y or by −y.
        """
        left, sizes, right = np.linalg.svd(self.bars.slopes(self.x(z)))
        p, ways = left[:, len(sizes) - 1], right[len(sizes) - 1 :].T
        p = p * np.sign(p @ self.change)
        form = np.linalg.eigvalsh(ways.T @ self.bars.bent(self.x(z), p) @ ways) * self.size
        return "dead centre" if form[-1] > INDEFINITE else "fold"

    def stiffness(self, z: Floats) -> float:
        """The least eigenvalue of the stiffness among what lengths leave free."""
        x = self.x(z)
        j = self.bars.slopes(x)
        _, sizes, turns = np.linalg.svd(j)
        ways = turns[int((sizes > 1e-10).sum()) :].T
        bent = self.bars.bent(x, z[self.free : -2])
        return float(np.linalg.eigvalsh(ways.T @ bent @ ways).min(initial=np.inf))

    def at_end(self, z: Floats, ahead: Floats) -> Floats:
        """The pose at s = 1 between two."""
        share = (1.0 - z[-1]) / (ahead[-1] - z[-1])
        guess = z + share * (ahead - z)
        fixed = np.zeros(len(z))
        fixed[-1] = 1.0
        guess[-1] = 1.0
        found = self.corrected(guess, fixed, guess)
        return guess if found is None else found


def random_bars(seed: int) -> Bars:
    """Joints added one by one, each on as many bars as it has coordinates, or fewer; some are driven."""
    rng = np.random.default_rng(seed)
    d, heavy = int(rng.integers(2, 4)), bool(rng.integers(2))
    loose = heavy and bool(rng.integers(2))
    grounded = d + int(rng.integers(0, 2))
    places = list(rng.uniform(-3, 3, (grounded, d)))
    ends: list[tuple[int, int]] = []
    for _ in range(int(rng.integers(1, 6))):
        new, place = len(places), rng.uniform(-3, 3, d)
        count = d - (1 if loose and rng.random() < 0.4 else 0)
        chosen = rng.choice(new, count, replace=False)
        ends += [(int(k), new) for k in chosen]
        places.append(place)
    used = np.unique(ends)
    grounded = int((used < grounded).sum())
    where, pairs = np.array(places)[used], np.searchsorted(used, np.array(ends))
    lengths = np.linalg.norm(where[pairs[:, 1]] - where[pairs[:, 0]], axis=1)
    targets = lengths.copy()
    driven = rng.choice(len(pairs), min(len(pairs), int(rng.integers(1, 3))), replace=False)
    targets[driven] *= rng.uniform(0.5, 1.7, len(driven))
    gravity = None
    if heavy:
        gravity = np.zeros(d)
        gravity[-1] = -9.81
    return Bars(where, grounded, pairs, targets, gravity)
