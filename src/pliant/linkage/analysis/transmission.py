"""How well motion is passed on: the transmission angle at every joint that is found from two others.

    triangle  μ = the angle between the two bars at the joint,         cos μ = |c|
    slider    μ = the angle between the bar and the guide's normal,    cos μ = |c|
    lines     μ = the angle between them,                              sin μ = 1 − c
    slot      μ = the angle between it and the line from the pivot to its pin

with c of `rules.fill_openness`, folded into [0, π/2]: π/2 is best, 0 is a toggle, where the joint is
held in no direction. Joints that are found together have the angle that two bars would have
whose matrix is as near to singular: with σ the least singular value of the rows, each of length
one, two bars have σ = √2 sin(μ/2).

The worst pose is looked for between the samples too: c and its slope at the samples give a cubic
for each cell, and its summit is set right at exactly found poses. There the motors are taken to
go straight from one sample to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.linkage.kinematics import hermite
from pliant.linkage.kinematics.hermite import Cells
from pliant.linkage.kinematics.poses import LinkagePoses, openness, positions, rates, select_poses
from pliant.linkage.structure.constraints import gradients
from pliant.linkage.structure.rule import SIDED, RuleKind
from pliant.linkage.structure.rule_plan import CoupledGroup, RulePlan

CORRECTIONS = 3  # each gains the digits that a sample has against its neighbour
ROUNDING = 1e-14
POSSIBLE = 1.01  # |c| is at most 1 in any pose, and its cubic little more


@dataclass(frozen=True)
class Transmission:
    """The transmission angle of one joint, or of joints found together, along the run."""

    joints: tuple[str, ...]
    sources: tuple[str, ...]  # joints it is found from; none for those found together
    rule: str  # "triangle", "slider" or "coupled"
    angles: Floats  # (F,) in [0, π/2]
    worst: float  # the least angle, between samples too
    pose: float  # where: 3.5 is half-way from sample 3 to the next
    at: tuple[float, ...]  # motor angles there

    @property
    def margin(self) -> float:
        """The sine of μ at the worst pose: 0 is a toggle."""
        return float(np.sin(self.worst))


def transmissions(poses: LinkagePoses, closed: bool) -> tuple[Transmission, ...]:
    """The transmission angle at every triangle, slider and group.

    `closed` where the last pose is followed by the first.
    """
    path = _cells(poses, closed)
    return (
        *_rule_transmissions(poses, path),
        *(_group_transmission(poses, path, group) for group in poses.plan.groups),
    )


def toggle_margin(transmissions: Sequence[Transmission]) -> Transmission | None:
    """The joint with the least sin μ of all, its pose and angle; None where nothing can toggle."""
    return min(transmissions, key=lambda one: one.worst, default=None)


@dataclass(frozen=True)
class _Cells:
    """The cells between neighbouring samples, with their ends' velocities by the cell's own s."""

    left: Ints  # (C,)
    right: Ints
    steps: Floats  # (M, C) what the motors turn from left to right
    before: LinkagePoses  # at the left ends
    after: LinkagePoses
    v0: Floats  # (N, 2, C)
    v1: Floats


def _cells(poses: LinkagePoses, closed: bool) -> _Cells:
    count = poses.x.shape[2]
    steps = np.diff(poses.angles, axis=1)
    left = np.arange(count if closed and count > 1 else count - 1)
    if len(left) == count:
        ahead = poses.angles[:, -1:] + steps[:, -1:] - poses.angles[:, :1]
        whole = 2 * np.pi * np.round(ahead / (2 * np.pi))
        steps = np.concatenate([steps, poses.angles[:, :1] + whole - poses.angles[:, -1:]], axis=1)
    right = (left + 1) % count
    before, after = select_poses(poses, left), select_poses(poses, right)
    v0, v1 = (rates(end, steps, np.zeros_like(steps))[0] for end in (before, after))
    return _Cells(left, right, steps, before, after, _finite(v0), _finite(v1))


def _rule_transmissions(poses: LinkagePoses, path: _Cells) -> list[Transmission]:
    plan = poses.plan
    rules = np.flatnonzero(np.isin(plan.codes, SIDED))
    c = np.clip(openness(poses, np.zeros_like(poses.x))[0][rules], -1.0, 1.0)
    sampled = np.argmax(np.abs(c), axis=1)
    most, pose = np.abs(c)[np.arange(len(rules)), sampled], sampled.astype(float)
    if len(path.left) and len(rules):
        summit, place = _summits(path, rules)
        most, pose = np.maximum(most, summit), np.where(summit > most, place, pose)
    return [
        Transmission(
            joints=(plan.structure.names[plan.rules[o].k],),
            sources=tuple(
                dict.fromkeys(
                    plan.structure.names[k]
                    for k in (plan.rules[o].i, plan.rules[o].j, plan.rules[o].b)
                    if k >= 0
                )
            ),
            rule=RuleKind(plan.rules[o].rule).text,
            angles=np.arccos(cosines(plan, poses.drawn, o, np.abs(c[n]))),
            worst=float(np.arccos(cosines(plan, poses.drawn, o, np.array(min(most[n], 1.0))))),
            pose=float(pose[n]),
            at=_angles(poses, path, float(pose[n])),
        )
        for n, o in enumerate(rules.tolist())
    ]


def cosines(plan: RulePlan, drawn: Floats, o: int, c: Floats) -> Floats:
    """The cosine of μ of a rule, from |c| of `rules.fill_openness`."""
    op = plan.rules[o]
    if op.rule == RuleKind.LINES:  # c = 1 − sin μ
        return np.sqrt(np.maximum(1 - (1 - c) ** 2, 0.0))
    if op.rule != RuleKind.SLOT:
        return c
    slot, pin = drawn[op.s] - drawn[op.r], drawn[op.j] - drawn[op.i]
    square = float(pin @ pin)
    offset = float(slot[0] * pin[1] - slot[1] * pin[0]) ** 2 / float(slot @ slot)
    away = square / c - (square - offset)  # squared, of the pin from the pivot
    return np.minimum(np.sqrt(offset / np.maximum(away, offset)), 1.0) if offset > 0 else np.zeros_like(c)


def _summits(path: _Cells, rules: Ints) -> tuple[Floats, Floats]:
    """The largest |c| of each rule inside a cell, and its place among the poses."""
    c0, d0 = openness(path.before, path.v0, path.steps)
    c1, d1 = openness(path.after, path.v1, path.steps)
    cells = Cells(*(_finite(part[rules]) for part in (c0, c1, d0, d1)))  # the samples count joints that meet
    s = hermite.stationary_points(cells)  # (2, R, C)
    heights = np.moveaxis(np.abs(hermite.value(cells, s)), 1, 0).reshape(len(rules), -1)
    heights[heights > POSSIBLE] = -1.0  # by a slope that is rounding, behind a change point
    best = np.argmax(heights, axis=1)
    row = np.arange(len(rules))
    cell, s = best % len(path.left), np.moveaxis(s, 1, 0).reshape(len(rules), -1)[row, best]
    chosen = Cells(*(part[row, cell] for part in cells))
    largest, place = np.zeros(len(rules)), np.zeros(len(rules))
    for _ in range(CORRECTIONS):
        middle = _interpolated_poses(path, cell, s)
        v, _ = rates(middle, path.steps[:, cell], np.zeros_like(middle.angles))
        c, slope = (_finite(part[rules, row]) for part in openness(middle, _finite(v), path.steps[:, cell]))
        level = np.abs(c) >= largest - ROUNDING  # of two that are level the later, better placed
        largest, place = np.maximum(largest, np.abs(c)), np.where(level, path.left[cell] + s, place)
        bend = hermite.second_slope(chosen, s)
        s = np.clip(s - np.divide(slope, bend, out=np.zeros_like(s), where=bend != 0), 0.0, 1.0)
    return largest, place


def _interpolated_poses(path: _Cells, cell: Ints, s: Floats) -> LinkagePoses:
    """The linkage inside cells (B,) at s (B,), on the sides it has there by its neighbours."""
    ends = [part[:, :, cell] for part in (path.before.x, path.after.x, path.v0, path.v1)]
    near = hermite.value(Cells(*ends), s)
    angles = path.before.angles[:, cell] + s * path.steps[:, cell]
    plan, drawn = path.before.plan, path.before.drawn
    poses = positions(plan, angles, drawn, near)
    kinds, which = np.unique(_sides(plan, near), axis=1, return_inverse=True)
    for n, signs in enumerate(np.ascontiguousarray(kinds.T)):
        at = np.flatnonzero(which.ravel() == n)
        if (signs != plan.signs).any():
            poses.x[:, :, at] = positions(plan, angles[:, at], drawn, near[:, :, at], signs).x
    return poses


def _sides(plan: RulePlan, x: Floats) -> Floats:
    """`order.sides` of many poses (N, 2, B) at once: (K, B)."""
    signs = np.zeros((len(plan.ops), x.shape[2]))
    for o, (rule, k, i, j, b, _, p, q, first, last) in enumerate(plan.rules):
        if rule in (RuleKind.TRIANGLE, RuleKind.STRUT):
            base, bar = x[j] - x[i], x[k] - x[i]
            signs[o] = np.sign(base[0] * bar[1] - base[1] * bar[0])
        elif rule in (RuleKind.SLIDER, RuleKind.STRUT_LINE):
            signs[o] = np.sign(((x[k] - x[i]) * (x[b] - x[j])).sum(axis=0))
        elif rule == RuleKind.SLOT:
            slot = _turned_line(plan.drawn, (first, last), (i, k), x)
            signs[o] = np.sign((slot * (x[j] - x[i])).sum(axis=0))
        elif rule == RuleKind.LINES:
            guide, other = x[b] - x[j], _turned_line(plan.drawn, (first, last), (p, q), x)
            signs[o] = np.sign(guide[0] * other[1] - guide[1] * other[0])
    return signs


def _turned_line(drawn: Floats, line: tuple[int, int], base: tuple[int, int], x: Floats) -> Floats:
    """The drawn direction of a line (2, B), turned with a base of two joints."""
    r, s = line
    p, q = base
    factor = complex(*(drawn[s] - drawn[r])) / complex(*(drawn[q] - drawn[p]))
    across = x[q] - x[p]
    turned = factor * (across[0] + 1j * across[1])
    return np.stack([turned.real, turned.imag])


def _group_transmission(poses: LinkagePoses, path: _Cells, group: CoupledGroup) -> Transmission:
    sigma = _least_singular(group, poses)
    first = int(np.argmin(sigma))
    worst, pose = float(sigma[first]), float(first)
    ends = np.flatnonzero(path.right == first), np.flatnonzero(path.left == first)
    if all(len(end) for end in ends):  # a neighbour on either side: the lowest point of a parabola
        (before,), (after,) = ends
        low, here, high = (float(sigma[n]) ** 2 for n in (path.left[before], first, path.right[after]))
        bend = low - 2 * here + high
        s = 0.5 * (low - high) / bend if bend > 0 else 0.0
        cell, s = (after, s) if s >= 0 else (before, 1 + s)
        between = float(_least_singular(group, _interpolated_poses(path, np.array([cell]), np.array([s])))[0])
        if between < worst:
            worst, pose = between, float(path.left[cell] + s)
    return Transmission(
        joints=tuple(poses.plan.structure.names[k] for k in group.joints),
        sources=(),
        rule=RuleKind.GROUP.text,
        angles=_as_angle(sigma),
        worst=float(_as_angle(np.array(worst))),
        pose=pose,
        at=_angles(poses, path, pose),
    )


def _least_singular(group: CoupledGroup, poses: LinkagePoses) -> Floats:
    points = np.ascontiguousarray(np.moveaxis(poses.x[group.near], 2, 0))
    slopes = gradients(group.rows, poses.drawn[group.near], points)[:, :, group.own]
    rows = slopes.reshape(len(points), len(group.rows), -1)
    rows = rows / np.linalg.norm(rows, axis=2, keepdims=True)
    return np.asarray(np.linalg.svd(rows, compute_uv=False)[:, -1], np.float64)


def _as_angle(sigma: Floats) -> Floats:
    return 2 * np.arcsin(np.minimum(sigma, 1.0) / np.sqrt(2))


def _angles(poses: LinkagePoses, path: _Cells, pose: float) -> tuple[float, ...]:
    """Motor angles at a place among the poses."""
    cell = int(pose)
    angles = poses.angles[:, cell]
    if pose > cell:
        angles = angles + (pose - cell) * path.steps[:, cell]
    return tuple(float(angle) for angle in angles)


def _finite(v: Floats) -> Floats:
    """Velocities with 0 where a joint upstream is at its toggle and has none."""
    return np.where(np.isfinite(v), v, 0.0)
