"""Linkages to search among: four-bars whose crank turns fully, six-bars made of one and a dyad, swivels.

Lengths are drawn at random so that every candidate closes at every crank angle. For a
four-bar that is Grashof's condition, with the crank shortest (a crank and a rocker) or the
ground (two cranks); a dyad of bars p and q closes while |p − q| < gap < p + q, and the gap it
has to span is known once the four-bar has been run. The bar of a swivel, pinned to the crank, slides
through a block that turns about D: it closes while its line is nearer to D, from B, than the crank comes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from pliant.core.arrays import Complex, Floats, Ints
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.variants import variant_curves
from pliant.linkage.model import Linkage
from pliant.linkage.structure.rule_plan import RulePlan
from pliant.linkage.synthesis.targets import as_points

ROOM = 0.97  # of the greatest crank that closes: so that no candidate begins at a dead centre
DRAGGED = 0.2  # share of four-bars with two cranks
ANGLES = 2 * np.pi * np.arange(48) / 48

Generator = np.random.Generator
Drawings = dict[str, Complex]  # (V,) by joint


@dataclass(frozen=True)
class Family:
    """Linkages of one structure: the crank turns B about A, and P is traced."""

    name: str
    ground: tuple[str, ...]
    links: tuple[str, ...]  # names of joints, a letter each
    sample: Callable[[Generator, int], Drawings]
    slides: tuple[tuple[str, str], ...] = ()  # a joint, and the link along whose first two joints it slides

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """Every joint, the ground first and the traced P last."""
        return tuple(dict.fromkeys("".join((*self.ground, *self.links)).replace("P", "") + "P"))

    def linkage(self, drawn: Floats, title: str = "", **motor: Any) -> Linkage:
        """The model with its joints drawn at (N, 2), and its motor driven so."""
        return Linkage.model_validate(
            {
                "title": title,
                "ground": self.ground,
                "joints": dict(zip(self.joints, map(tuple, drawn.tolist()), strict=True)),
                "links": [{"joints": tuple(link)} for link in self.links],
                "sliders": [{"joint": joint, "on": "-".join(link)} for joint, link in self.slides],
                "motors": [{"joint": "A", "drives": "B", **motor}],
                "study": {"trace": ["P"]},
            }
        )

    @cached_property
    def bars(self) -> Ints:
        """Pairs of joints of one link, (E, 2)."""
        number = {name: index for index, name in enumerate(self.joints)}
        pairs = [pair for link in self.links for pair in combinations(link, 2)]
        return np.array([[number[first], number[second]] for first, second in pairs], np.int64)

    def drawings(self, rng: Generator, count: int) -> Floats:
        """Random linkages (V, N, 2)."""
        drawn = self.sample(rng, count)
        z = np.stack([drawn[name] for name in self.joints], axis=1)
        return np.ascontiguousarray(as_points(z))

    @cached_property
    def plan(self) -> RulePlan:
        """The order of rules; the same for every member."""
        return compile_plan(self.linkage(self.drawings(np.random.default_rng(0), 1)[0]))

    @property
    def traced(self) -> int:
        """The number of joint P."""
        return len(self.joints) - 1


def extent(drawn: Floats) -> Floats:
    """How large drawings (…, N, 2) are: twice from the mean of the joints to the farthest."""
    away = drawn - drawn.mean(axis=-2, keepdims=True)
    return 2 * np.sqrt((away**2).sum(axis=-1).max(axis=-1))


def tip(first: Complex, p: Floats, second: Complex, q: Floats, side: Floats | float) -> Complex:
    """The joint at distance p from the first and q from the second, on the left for side 1."""
    base = second - first
    along = 0.5 + 0.5 * (p**2 - q**2) / np.abs(base) ** 2
    across = np.sqrt(np.maximum(p**2 / np.abs(base) ** 2 - along**2, 0))
    return first + (along + 1j * side * across) * base


def _four(rng: Generator, count: int) -> Drawings:
    """Crank at A, drawn towards D; the coupler point anywhere about the coupler."""
    rest = np.exp(rng.uniform(np.log(0.35), np.log(2.5), (count, 3)))
    longest = rest.max(axis=1)
    most = np.minimum(rest.min(axis=1), rest.sum(axis=1) - 2 * longest)
    usable = most > 0.05
    rest[~usable], most[~usable] = 1.0, 1.0
    shortest = ROOM * most * rng.uniform(0.08, 1.0, count)
    dragged = rng.random(count) < DRAGGED
    d, b, c = rest.T
    crank, ground = np.where(dragged, d, shortest), np.where(dragged, shortest, d)
    a, d = crank.astype(complex), ground.astype(complex)
    c_joint = tip(a, b, d, c, 1.0)
    shape = rng.uniform(-1.5, 2.5, count) + 1j * rng.uniform(-2, 2, count)
    return {"A": np.zeros(count, complex), "D": d, "B": a, "C": c_joint, "P": a + shape * (c_joint - a)}


FOUR = Family("four-bar", ("A", "D"), ("AB", "BCP", "CD"), _four)


def _run_four(four: Drawings) -> tuple[Complex, Complex, Complex]:
    """B, C and P of four-bars at all angles: (V, F) each."""
    z = np.stack([four[name] for name in FOUR.joints], axis=1)
    drawn = np.ascontiguousarray(as_points(z))
    points, _ = variant_curves(FOUR.plan, drawn, ANGLES[None], [FOUR.joints.index(name) for name in "BCP"])
    b, c, p = np.moveaxis(points[:, :, 0] + 1j * points[:, :, 1], 1, 0)
    return b, c, p


def _dyad(rng: Generator, first: Complex, second: Complex) -> tuple[Complex, Complex]:
    """A joint E and a point P of the bar from the first to E, both drawn, so that the dyad closes (V, F)."""
    gap, count = np.abs(first - second), len(first)
    total = gap.max(axis=1) * (1 / ROOM + rng.exponential(0.5, count))
    difference = ROOM * gap.min(axis=1) * rng.uniform(-1, 1, count)
    e = tip(
        first[:, 0],
        0.5 * (total + difference),
        second[:, 0],
        0.5 * (total - difference),
        rng.choice([-1.0, 1.0], count),
    )
    shape = rng.uniform(-1.2, 2.2, count) + 1j * rng.uniform(-1.7, 1.7, count)
    return e, first[:, 0] + shape * (e - first[:, 0])


def _random_near(rng: Generator, z: Complex, reach: Floats) -> Complex:
    return z + reach * (rng.normal(size=len(z)) + 1j * rng.normal(size=len(z)))


def _stephenson_three(rng: Generator, count: int) -> Drawings:
    """A dyad from the coupler point Q to the ground at G."""
    four = _four(rng, count)
    _, _, q = _run_four(four)
    middle = q.mean(axis=1)
    g = _random_near(rng, middle, 1.5 * np.abs(q - middle[:, None]).max(axis=1))
    e, p = _dyad(rng, q, np.broadcast_to(g[:, None], q.shape))
    return {**four, "Q": four["P"], "G": g, "E": e, "P": p}


def _watt_one(rng: Generator, count: int) -> Drawings:
    """A dyad from the coupler point Q to a point R of the rocker."""
    four = _four(rng, count)
    _, c, q = _run_four(four)
    d = four["D"][:, None]
    shape = _random_near(rng, np.ones(count, complex), np.full(count, 0.8))
    r = d + shape[:, None] * (c - d)
    e, p = _dyad(rng, q, r)
    return {**four, "Q": four["P"], "R": r[:, 0], "E": e, "P": p}


def _stephenson_one(rng: Generator, count: int) -> Drawings:
    """A dyad from a point S of the crank to a point R of the rocker."""
    four = _four(rng, count)
    b, c, _ = _run_four(four)
    d = four["D"][:, None]
    s = _random_near(rng, np.ones(count, complex), np.full(count, 0.8))[:, None] * b
    r = d + _random_near(rng, np.ones(count, complex), np.full(count, 0.8))[:, None] * (c - d)
    e, p = _dyad(rng, s, r)
    return {**four, "S": s[:, 0], "R": r[:, 0], "E": e, "P": p}


SIX = (
    Family("Stephenson III six-bar", ("A", "D", "G"), ("AB", "BCQ", "CD", "QEP", "EG"), _stephenson_three),
    Family("Watt I six-bar", ("A", "D"), ("AB", "BCQ", "CDR", "QEP", "ER"), _watt_one),
    Family("Stephenson I six-bar", ("A", "D"), ("ABS", "BC", "CDR", "SEP", "ER"), _stephenson_one),
)


def _swivel(rng: Generator, count: int) -> Drawings:
    """A bar from the crank's pin B through a block at D; its line goes through D, or passes it."""
    crank, ground = np.exp(rng.uniform(np.log(0.2), np.log(2.0), (2, count)))
    crank = np.where(np.abs(ground - crank) < 0.1 * ground, 0.5 * ground, crank)
    apart = np.abs(ground - crank)  # as drawn, B towards D: no crank angle brings them nearer
    beside = 0.8 * ROOM * apart * rng.uniform(-1, 1, count) * (rng.random(count) < 0.7)
    b, d = crank.astype(complex), ground.astype(complex)
    along = np.exp(-1j * np.arcsin(beside / apart)) * (d - b) / apart
    c = b + rng.uniform(0.6, 2.0, count) * np.maximum(crank, ground) * along
    shape = rng.uniform(-1.5, 2.5, count) + 1j * rng.uniform(-1.5, 1.5, count)
    return {"A": np.zeros(count, complex), "D": d, "B": b, "C": c, "P": b + shape * (c - b)}


SWIVEL = Family("swivel", ("A", "D"), ("AB", "BCP"), _swivel, (("D", "BCP"),))
