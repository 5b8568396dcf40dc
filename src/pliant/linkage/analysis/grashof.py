"""What kind of four-bar or slider-crank each loop of a linkage is.

A four-bar loop is the ground, two bodies pivoted on it, and one that joins the two. With s and
l its shortest and longest lengths and p, q the others, some link turns fully against the rest
where s + l ≤ p + q (Grashof), and which one is the shortest says what the loop is. The crank of
a slider-crank turns fully where |offset| + r ≤ l.

Bodies are links, and what links make rigid between them: three that share joints in a triangle.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations, product
from typing import Literal

import numpy as np

from pliant.linkage.structure.rule_plan import LinkageStructure

EQUAL = 1e-9  # s + l and p + q that differ by less, of their sum, are a change point

FourBarKind = Literal[
    "crank-rocker", "rocker-crank", "double-crank", "double-rocker", "triple-rocker", "change point"
]
BY_SHORTEST: tuple[FourBarKind, ...] = ("double-crank", "crank-rocker", "double-rocker", "rocker-crank")
SIDES = ("ground", "input", "coupler", "output")


@dataclass(frozen=True)
class LoopBody:
    """Joints that keep their distances, and the links that see to it."""

    joints: frozenset[int]
    links: tuple[str, ...]


@dataclass(frozen=True)
class FourBar:
    """A loop A-B-C-D: A and D on the ground, A-B the input, B-C the coupler, D-C the output."""

    joints: tuple[str, str, str, str]
    lengths: tuple[float, float, float, float]  # ground, input, coupler, output
    driven: bool  # by a motor at A; if not, which side is the input is a matter of order
    kind: FourBarKind

    @property
    def bars(self) -> tuple[str, str, str, str]:
        """Ground, input, coupler and output by their joints."""
        a, b, c, d = self.joints
        return f"{a}-{d}", f"{a}-{b}", f"{b}-{c}", f"{d}-{c}"

    @property
    def longest(self) -> str:
        """Which side is the longest: a triple-rocker's kind."""
        return SIDES[int(np.argmax(self.lengths))]

    @property
    def input_turns(self) -> bool:
        """Whether the input can turn fully, as far as this loop goes."""
        return _turns_fully(*self.lengths)

    @property
    def output_turns(self) -> bool:
        """Whether the output can turn fully, as far as this loop goes."""
        ground, first, coupler, last = self.lengths
        return _turns_fully(ground, last, coupler, first)

    def describe(self) -> str:
        """One sentence: the loop, its kind and why, and what turns."""
        s, p, q, longest = sorted(self.lengths)
        sign = "=" if self.kind == "change point" else "<" if s + longest < p + q else ">"
        why = f"s + l = {s + longest:.6g} {sign} p + q = {p + q:.6g}"
        ground, first, _, last = self.bars
        turns = {True: "turns fully", False: "rocks"}
        moves = f"{first} {turns[self.input_turns]}, {last} {turns[self.output_turns]}"
        detail = f", its {self.longest} the longest" if self.kind == "triple-rocker" else ""
        return f"{'-'.join(self.joints)} is a {self.kind}{detail} ({why}): on the ground {ground}, {moves}."


@dataclass(frozen=True)
class SliderCrank:
    """A crank A-B, a rod B-P, and P on a fixed guide that passes A at a distance."""

    joints: tuple[str, str, str]
    crank: float
    rod: float
    offset: float  # ≥ 0, of A from the line that P keeps to
    driven: bool  # by a motor at A

    @property
    def turns(self) -> bool:
        """Whether the crank can turn fully: |offset| + r ≤ l."""
        return self.offset + self.crank <= self.rod * (1 + EQUAL)

    def describe(self) -> str:
        """One sentence: the loop, and whether its crank turns."""
        a, b, p = self.joints
        sign = "≤" if self.turns else ">"
        why = f"offset + r = {self.offset + self.crank:.6g} {sign} l = {self.rod:.6g}"
        moves = "turns fully" if self.turns else "only rocks"
        return f"{a}-{b}-{p} is a slider-crank ({why}): its crank {a}-{b} {moves}."


def bodies(structure: LinkageStructure) -> list[LoopBody]:
    """The rigid bodies: the ground first, then links, merged where they share two joints or a triangle."""
    merged = [LoopBody(structure.ground, ("ground",))]
    merged += [LoopBody(frozenset(j), (n,)) for j, n in zip(structure.links, structure.labels, strict=True)]
    while (merge := _rigid_together(merged)) is not None:
        first = min(merge)
        joined = LoopBody(
            frozenset().union(*(merged[n].joints for n in merge)),
            tuple(name for n in sorted(merge) for name in merged[n].links),
        )
        merged = [
            joined if n == first else body for n, body in enumerate(merged) if n == first or n not in merge
        ]
    return merged


def _rigid_together(bodies: list[LoopBody]) -> set[int] | None:
    """Two bodies that share two joints, or three that share three."""
    members: dict[int, list[int]] = defaultdict(list)
    for number, body in enumerate(bodies):
        for joint in body.joints:
            members[joint].append(number)
    shared: dict[int, dict[int, int]] = defaultdict(dict)  # the joint that two bodies share
    for joint, numbers in members.items():
        for a, b in combinations(numbers, 2):
            if b in shared[a]:
                return {a, b}
            shared[a][b] = shared[b][a] = joint
    for a in range(1, len(bodies)):  # of three, two are not the ground
        for b in shared[a]:
            for c in set(shared[a]) & set(shared[b]) if b > a else ():
                if len({shared[a][b], shared[a][c], shared[b][c]}) == 3:
                    return {a, b, c}
    return None


def four_bars(structure: LinkageStructure) -> tuple[FourBar, ...]:
    """Every four-bar loop with the ground in it, the driven side first."""
    ground, *moving = bodies(structure)
    arms = _arms(ground, moving)
    loops: list[FourBar] = []
    for body in moving:
        free = sorted(body.joints - ground.joints)
        for b, c in combinations(free if len(free) == len(body.joints) else (), 2):
            for (first, a), (last, d) in product(arms[b], arms[c]):
                if a != d and first is not last and body is not first and body is not last:
                    ends = (a, b, c, d)
                    backwards = _is_driven(structure, last, d) and not _is_driven(structure, first, a)
                    ends, turned = (ends[::-1], last) if backwards else (ends, first)
                    loops.append(_four_bar(structure, ends, _is_driven(structure, turned, ends[0])))
    return tuple(loops)


def slider_cranks(structure: LinkageStructure) -> tuple[SliderCrank, ...]:
    """Every crank and rod that move a joint along a fixed guide."""
    ground, *moving = bodies(structure)
    arms = _arms(ground, moving)
    loops: list[SliderCrank] = []
    for (p, g, h), carrier in zip(structure.sliders, structure.carriers, strict=True):
        for rod in moving if carrier < 0 else ():
            for b in sorted(rod.joints - {p}) if p in rod.joints else ():
                loops += [
                    _slider_crank(structure, (a, b, p), (g, h), _is_driven(structure, crank, a))
                    for crank, a in arms[b]
                    if crank is not rod and p not in crank.joints
                ]
    return tuple(loops)


def _arms(ground: LoopBody, moving: list[LoopBody]) -> dict[int, list[tuple[LoopBody, int]]]:
    """Of each joint: the bodies that pivot it on the ground, and where."""
    arms: dict[int, list[tuple[LoopBody, int]]] = defaultdict(list)
    for body in moving:
        for pivot in body.joints & ground.joints:
            for joint in body.joints - {pivot}:
                arms[joint].append((body, pivot))
    return arms


def _is_driven(structure: LinkageStructure, body: LoopBody, pivot: int) -> bool:
    turned = (structure.motors[motor] for motor in structure.rotary_motors)
    return any(pivot == at and tip in body.joints for at, tip in turned)


def _four_bar(structure: LinkageStructure, joints: tuple[int, ...], driven: bool) -> FourBar:
    at = structure.drawn[list(joints)]
    first, coupler, last, ground = (float(length) for length in np.hypot(*(np.roll(at, -1, axis=0) - at).T))
    lengths = (ground, first, coupler, last)
    s, p, q, longest = sorted(lengths)
    if abs(s + longest - p - q) <= EQUAL * sum(lengths):
        kind: FourBarKind = "change point"
    else:
        kind = BY_SHORTEST[lengths.index(s)] if s + longest < p + q else "triple-rocker"
    a, b, c, d = (structure.names[k] for k in joints)
    return FourBar((a, b, c, d), lengths, driven, kind)


def _turns_fully(ground: float, arm: float, coupler: float, other: float) -> bool:
    """The arm turns fully where its tip stays within the other two's reach of the far pivot."""
    slack = EQUAL * (ground + arm + coupler + other)
    return arm + ground <= coupler + other + slack and abs(ground - arm) >= abs(coupler - other) - slack


def _slider_crank(
    structure: LinkageStructure, joints: tuple[int, int, int], guide: tuple[int, int], driven: bool
) -> SliderCrank:
    a, b, p = structure.drawn[list(joints)]
    along = structure.drawn[guide[1]] - structure.drawn[guide[0]]
    away = a - p
    offset = abs(float(along[0] * away[1] - along[1] * away[0])) / float(np.hypot(*along))
    names = tuple(structure.names[k] for k in joints)
    crank, rod = float(np.hypot(*(b - a))), float(np.hypot(*(p - b)))
    return SliderCrank((names[0], names[1], names[2]), crank, rod, offset, driven)
