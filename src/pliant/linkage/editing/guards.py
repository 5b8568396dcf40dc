"""Hard guards over the whole cycle: nothing flips, tears or vanishes, transmission stays above its bound.

Every triangle and slider has c with |c| < 1 (`rules.fill_openness`); the guard is |c| ≤ √(1 − m²) for
the margin m, or |c| ≤ cos μ for a least transmission angle μ. A linkage that breaks a guard as
drawn may not break it further, and is pulled back inside. No length of a link shrinks below a
share of what it was, and no three joints of a link are turned over: the height of their triangle
stays positive as it was drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.linkage.editing.openness import dyad_openness_gradient
from pliant.linkage.editing.samples import height_slopes, heights, length_slopes, peak_bounds
from pliant.linkage.editing.terms import EditView, TermResiduals
from pliant.linkage.kinematics.poses import LinkagePoses, openness
from pliant.linkage.model import EditStudy
from pliant.linkage.structure.rule import SIDED, Op, RuleKind
from pliant.linkage.structure.rule_plan import RulePlan, farthest_pair

WATCHED = 0.15  # rows within this of their bound take part in a step
MOST = 150
AIM = 1e-3  # of c: how far inside a broken guard is pulled
REMAINS = 0.02  # of the height of three joints of a link: what must remain of it
THIN = 1e-6  # of their distance: three joints that are nearer to one line have no side to be turned from
WHOLE = 8  # joints of a link of which any three are watched; of more, those with its first two
INSIDE = 1e-5  # a step aims this far inside, so that what it neglects does not break the guard


@dataclass(frozen=True)
class Guards:
    """The bound of each rule: what is wanted, and what must hold now."""

    ops: Ints  # (G,) rows of the plan's ops
    wanted: Floats  # (G,)
    bounds: Floats  # (G,) the wanted one, or what the drawing had where that was worse
    closed: bool  # whether the last sample is followed by the first
    pairs: Ints  # (L, 2) joints that links hold apart
    least: Floats  # (L,) how near they may come
    plates: Ints  # (P, 3) three joints of a link, counter-clockwise as drawn
    heights: Floats  # (P,) how low their triangle may become

    def peaks(self, c: Floats) -> Floats:
        """What |c| may reach about each sample, (G, F)."""
        return peak_bounds(np.abs(c[self.ops]), self.closed)

    def are_broken(self, drawn: Floats, c: Floats) -> bool:
        """Whether a drawing with these c (K, F) breaks a guard."""
        if (self.peaks(c) > self.bounds[:, None]).any():
            return True
        i, j = self.pairs.T
        if (np.hypot(*(drawn[i] - drawn[j]).T) < self.least).any():
            return True
        return bool((heights(drawn, self.plates) < self.heights).any())

    def length_rows(self, drawn: Floats) -> tuple[Floats, Floats]:
        """Rows (L + P, 2N) and room for a step that leaves lengths long and triangles high enough."""
        lengths, slopes = length_slopes(drawn, self.pairs)
        high, rising = height_slopes(drawn, self.plates)
        room = np.concatenate([lengths - self.least, high - self.heights])
        return -np.concatenate([slopes, rising]), np.maximum(room, 0.0)

    def openness_rows(
        self, view: EditView, c: Floats, inside: float, watched: float
    ) -> tuple[Floats, Floats, Ints]:
        """Linear rows (R, 2N) and room (R,) for a step, and the (rule, pose) of each that is `watched`."""
        room = self.bounds[:, None] - self.peaks(c)
        at = np.argwhere(room < watched)
        at = at[np.argsort(room[at[:, 0], at[:, 1]])[:MOST]]
        pairs = np.stack([self.ops[at[:, 0]], at[:, 1]], axis=1)
        slopes = np.sign(c[pairs[:, 0], pairs[:, 1]])[:, None] * openness_gradients(view, c, pairs)
        return slopes, np.maximum(room[at[:, 0], at[:, 1]] - inside, 0.0), pairs

    def violations(self, view: EditView, c: Floats, inside: float) -> tuple[Floats, Floats]:
        """Rows (R, 2N) of what is not `inside` its bound, and by how much (R,)."""
        over = self.peaks(c) - (self.bounds - inside)[:, None]
        at = np.argwhere(over > 0)
        at = at[np.argsort(-over[at[:, 0], at[:, 1]])[:MOST]]
        pairs = np.stack([self.ops[at[:, 0]], at[:, 1]], axis=1)
        slopes = np.sign(c[pairs[:, 0], pairs[:, 1]])[:, None] * openness_gradients(view, c, pairs)
        lengths, growing = length_slopes(view.drawn, self.pairs)
        high, rising = height_slopes(view.drawn, self.plates)
        short, low = lengths < self.least, high < self.heights
        rows = np.concatenate([slopes, -growing[short], -rising[low]])
        much = [over[at[:, 0], at[:, 1]], (self.least - lengths)[short], (self.heights - high)[low]]
        return rows, np.concatenate(much)

    def restoring_residuals(self, view: EditView, c: Floats) -> TermResiduals:
        """What is not well inside the wanted bound, of rules that were beyond it as drawn, as residuals."""
        if not (self.bounds > self.wanted).any():
            return np.zeros(0), np.zeros((0, view.drawn.size))
        over = self.peaks(c) - (self.wanted - AIM)[:, None]
        at = np.argwhere((over > 0) & (self.bounds > self.wanted)[:, None])
        pairs = np.stack([self.ops[at[:, 0]], at[:, 1]], axis=1)
        sign = np.sign(c[pairs[:, 0], pairs[:, 1]])
        return over[at[:, 0], at[:, 1]], sign[:, None] * openness_gradients(view, c, pairs)


def edit_guards(plan: RulePlan, study: EditStudy, c: Floats, closed: bool) -> Guards:
    """The guards of an edit that begins at a drawing with these c (K, F)."""
    ops = np.flatnonzero(np.isin(plan.codes, SIDED))
    wanted = np.sqrt(1 - study.guard.margin**2)
    if study.guard.transmission is not None:
        wanted = min(wanted, np.cos(study.guard.transmission) - INSIDE)
    own = [_pins_of(plan, link) for link in plan.structure.links]
    pairs = np.array([pair for link in own for pair in combinations(link, 2)])
    least = study.guard.remain * length_slopes(plan.drawn, pairs)[0]
    # Of two lines c is 1 − sin of their angle, not its cosine: the same margin is another bound.
    every = np.where(plan.codes[ops] == RuleKind.LINES, 1 - np.sqrt(1 - wanted**2), wanted)
    plates = _plates(plan)
    initial = Guards(ops, every, every, closed, pairs, least, plates, REMAINS * heights(plan.drawn, plates))
    now = initial.peaks(c).max(axis=1, initial=0.0) + 1e-12
    return replace(initial, bounds=np.maximum(every, np.minimum(now, 1 - 1e-9)))


def _pins_of(plan: RulePlan, link: tuple[int, ...]) -> list[int]:
    """The pins of a link, without points of guides and other names."""
    return [k for k in link if k not in plan.structure.guide_points | plan.structure.duplicates]


def _plates(plan: RulePlan) -> Ints:
    """Three joints of a link that are not in one line (P, 3): first the two that are farthest apart."""
    plates: list[tuple[int, int, int]] = []
    for link in plan.structure.links:
        own = _pins_of(plan, link)
        triples = combinations(own, 3) if len(own) <= WHOLE else ((own[0], own[1], k) for k in own[2:])
        for triple in triples:
            i, j = farthest_pair(plan.drawn, list(triple))
            (k,) = set(triple) - {i, j}
            base, arm = plan.drawn[j] - plan.drawn[i], plan.drawn[k] - plan.drawn[i]
            area = float(base[0] * arm[1] - base[1] * arm[0])
            if abs(area) > THIN * float(base @ base):
                plates.append((i, j, k) if area > 0 else (j, i, k))
    return np.array(plates, np.int64).reshape(-1, 3)


def openness_at(poses: LinkagePoses, count: int) -> Floats:
    """The c (K, F) of every rule at the first poses."""
    c, _ = openness(poses, np.zeros_like(poses.x))
    return c[:, :count]


def openness_gradients(view: EditView, c: Floats, pairs: Ints) -> Floats:
    """∂c/∂x̄ (R, 2N) for pairs (rule, pose)."""
    out = np.zeros((len(pairs), *view.drawn.shape))
    kinds = view.poses.plan.codes[pairs[:, 0]]
    for row, kind in enumerate(kinds.tolist()):
        if kind not in (RuleKind.TRIANGLE, RuleKind.SLIDER):
            o, f = pairs[row].tolist()
            out[row] = dyad_openness_gradient(view, view.poses.plan.rules[o], f, float(c[o, f]))
    for kind, fill in ((RuleKind.TRIANGLE, _add_triangle), (RuleKind.SLIDER, _add_slider)):
        rows = np.flatnonzero(kinds == kind)
        if len(rows):
            o, f = pairs[rows].T
            columns = dict(zip(Op._fields, view.poses.plan.ops[o].T, strict=True))
            k, i, j, b = (columns[letter] for letter in "kijb")
            fill(out, rows, (k, i, j, b, f), c[o, f], view)
    return out.reshape(len(pairs), view.drawn.size)


def _add_triangle(
    out: Floats, rows: Ints, places: tuple[Ints, Ints, Ints, Ints, Ints], value: Floats, view: EditView
) -> None:
    """The rate of c = (|x̄_k − x̄_i|² + |x̄_k − x̄_j|² − |x_j − x_i|²) / (2 |x̄_k − x̄_i| |x̄_k − x̄_j|)."""
    k, i, j, _, f = places
    drawn, x, d = view.drawn, view.poses.x, view.derivatives
    bars = drawn[k] - drawn[i], drawn[k] - drawn[j]
    squares = [(bar**2).sum(axis=1) for bar in bars]
    over = 1 / np.sqrt(squares[0] * squares[1])
    apart = (over * (x[i, :, f] - x[j, :, f]).T)[:, :, None, None]
    with np.errstate(invalid="ignore"):  # a triangle that does not close has no rate
        for axis in range(2):
            out[rows] += apart[axis] * (d[j, axis, :, :, f] - d[i, axis, :, :, f])
    for other, bar, square in zip((i, j), bars, squares, strict=True):
        share = (over - value / square)[:, None] * bar
        out[rows, k] += share
        out[rows, other] -= share


def _add_slider(
    out: Floats, rows: Ints, places: tuple[Ints, Ints, Ints, Ints, Ints], value: Floats, view: EditView
) -> None:
    """The rate of c = [(x_b − x_a) × (x_i − x_a) − (x̄_b − x̄_a) × (x̄_k − x̄_a)] / (|x̄_k − x̄_i| |x̄_b − x̄_a|)."""
    k, i, a, b, f = places
    drawn, x, d = view.drawn, view.poses.x, view.derivatives
    bar, guide = drawn[k] - drawn[i], drawn[b] - drawn[a]
    scale = 1 / (np.hypot(*bar.T) * np.hypot(*guide.T))
    u, p = x[b, :, f] - x[a, :, f], x[i, :, f] - x[a, :, f]
    turned = d[b, :, :, :, f] - d[a, :, :, :, f]
    moved = d[i, :, :, :, f] - d[a, :, :, :, f]
    out[rows] += np.einsum("rc,rcpe->rpe", _perp(u), moved) * scale[:, None, None]
    out[rows] -= np.einsum("rc,rcpe->rpe", _perp(p), turned) * scale[:, None, None]
    arm = drawn[k] - drawn[a]
    of_k, of_b = -_perp(guide) * scale[:, None], _perp(arm) * scale[:, None]
    for joint, slope in ((k, of_k), (b, of_b), (a, -of_k - of_b)):
        out[rows, joint] += slope
    for joint, other, line in ((k, i, bar), (b, a, guide)):
        shrink = (value / (line**2).sum(axis=1))[:, None] * line
        out[rows, joint] -= shrink
        out[rows, other] += shrink


def _perp(v: Floats) -> Floats:
    """The vector w with w·z = v × z."""
    return np.stack([-v[:, 1], v[:, 0]], axis=1)
