"""The order of rules: from the ground and the motors outwards, joint by joint.

A joint is found as soon as two things are known of where it is: two circles (a triangle), a
circle and a line (a slider), or a link of which two joints are known (a point). Where no joint
is left that can be found alone, the smallest group that can be found together is: the rows
still open are matched to the joints they give, and a strongly connected part that needs no
other is such a group (an Assur group). What cannot be found at all is not held.

Source: [Bacher2015Supplement] section 1 names the rules; the order is left to the main paper.
"""

from __future__ import annotations

from collections import defaultdict, deque
from itertools import combinations
from typing import Any

import numpy as np

from pliant.core.errors import Fault, InputError
from pliant.linkage.constraints import LINE, Constraints, gradients
from pliant.linkage.plan import Group, Plan, Structure, farthest
from pliant.linkage.rules import FIXED, GROUP, MOTOR, POINT, SLIDER, TRIANGLE, Floats, Ints, fill_sides

Locus = tuple[str, int, int, int]  # "circle", link, centre, -1; or "line", slider, a, b


def order(structure: Structure) -> Plan:
    """Every joint in the order it can be found, or an InputError that says what is in the way."""
    search = _Search(structure)
    search.begin()
    while True:
        search.outwards()
        open_joints = [k for k in range(len(structure.names)) if k not in search.known]
        if not open_joints:
            break
        search.together(_smallest_group(structure, search.open_rows(), open_joints))
    plan = search.plan()
    _refuse_flat(plan)
    return plan


class _Search:
    """What is known so far; changed by `order` alone."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.known: set[int] = set()
        self.ops: list[tuple[int, int, int, int, int, int]] = []
        self.groups: list[Group] = []
        self.spent = np.zeros(len(structure.links), np.int64)  # equations of each link that are used
        self.slid: set[int] = set()  # sliders that are used
        self.links_of: dict[int, list[int]] = defaultdict(list)
        self.sliders_of: dict[int, list[int]] = defaultdict(list)
        self.known_of: list[list[int]] = [[] for _ in structure.links]
        self.waiting: deque[int] = deque()
        for number, link in enumerate(structure.links):
            for joint in link:
                self.links_of[joint].append(number)
        for number, slider in enumerate(structure.sliders):
            for joint in slider:
                self.sliders_of[joint].append(number)

    def begin(self) -> None:
        """The ground, and what the motors turn."""
        for k in sorted(self.structure.ground):
            self._found(k, (FIXED, k, -1, -1, -1, -1))
        for motor, (pivot, driven) in enumerate(self.structure.motors):
            for number in self.links_of[driven]:
                if pivot in self.structure.links[number]:
                    for k in self.structure.links[number]:
                        if k not in self.known:
                            self._found(k, (MOTOR, k, -1, pivot, -1, motor))
                    self.spent[number] = 2 * len(self.structure.links[number]) - 3

    def outwards(self) -> None:
        """Every joint that can be found alone."""
        while self.waiting:
            k = self.waiting.popleft()
            if k not in self.known:
                self._try(k)

    def together(self, group: Group) -> None:
        """A group that was found together."""
        self.ops.append((GROUP, len(self.groups), -1, -1, -1, -1))
        self.groups.append(group)
        taken = set(group.rows.owners)
        for number, label in enumerate(self.structure.labels):
            if label in taken:
                self.spent[number] += group.rows.owners.count(label)
        for kind, row in _pairs(group.rows):
            if kind == LINE:
                slider = tuple(group.near[row].tolist())
                self.slid |= {n for n, other in enumerate(self.structure.sliders) if other == slider}
        for k in group.joints.tolist():
            self._mark(k)

    def open_rows(self) -> Constraints:
        """Equations that involve a joint not found yet."""
        rows = self.structure.rows
        open_ = [any(k >= 0 and k not in self.known for k in joints) for joints in rows.joints.tolist()]
        return rows.pick(np.flatnonzero(open_))

    def plan(self) -> Plan:
        """The order, once every joint is found."""
        ops = np.array(self.ops, np.int64).reshape(-1, 6)
        totals = np.array([2 * len(link) - 3 for link in self.structure.links])
        over = {self.structure.labels[n] for n in np.flatnonzero(totals > self.spent)}
        rows = self.structure.rows
        unslid = [self.structure.sliders[n] for n in range(len(self.structure.sliders)) if n not in self.slid]
        spare = [
            r
            for r, (kind, joints) in enumerate(_pairs(rows))
            if (rows.owners[r] in over if kind != LINE else tuple(joints) in unslid)
        ]
        return Plan(
            structure=self.structure,
            ops=ops,
            signs=sides(ops, self.structure.drawn),
            groups=tuple(self.groups),
            spare=rows.pick(np.array(spare, np.int64)),
            spares=int((totals - self.spent).sum()) + len(unslid),
        )

    def _found(self, k: int, op: tuple[int, int, int, int, int, int]) -> None:
        self.ops.append(op)
        self._mark(k)

    def _mark(self, k: int) -> None:
        self.known.add(k)
        for number in self.links_of[k]:
            self.known_of[number].append(k)
            self.waiting.extend(j for j in self.structure.links[number] if j not in self.known)
        for number in self.sliders_of[k]:
            self.waiting.append(self.structure.sliders[number][0])

    def _try(self, k: int) -> None:
        for number in self.links_of[k]:
            if len(self.known_of[number]) >= 2:
                i, j = farthest(self.structure.drawn, self.known_of[number])
                self.spent[number] += 2
                self._found(k, (POINT, k, i, j, -1, -1))
                return
        pairs = list(combinations(self._loci(k), 2))
        best = max(pairs, key=lambda pair: self._openness(k, *pair), default=None)
        if best is not None:
            self._meet(k, *best)

    def _loci(self, k: int) -> list[Locus]:
        """What is known of where joint k is: circles first, so that a pair has a circle first."""
        circles: list[Locus] = [
            ("circle", number, self.known_of[number][0], -1)
            for number in self.links_of[k]
            if self.known_of[number]
        ]
        lines: list[Locus] = []
        for number in self.sliders_of[k]:
            joint, a, b = self.structure.sliders[number]
            if joint == k and a in self.known and b in self.known:
                lines.append(("line", number, a, b))
        return circles + lines[: 1 if circles else 0]

    def _openness(self, k: int, first: Locus, second: Locus) -> float:
        """How squarely the two cross in the drawing: the best pair is the one farthest from flat."""
        drawn = self.structure.drawn
        bar = drawn[k] - drawn[first[2]]
        other = drawn[k] - drawn[second[2]] if second[0] == "circle" else drawn[second[3]] - drawn[second[2]]
        lengths = np.hypot(*bar) * np.hypot(*other)
        if second[0] == "line":
            return abs(float(bar @ other)) / lengths
        return -1.0 if first[2] == second[2] else abs(float(bar[0] * other[1] - bar[1] * other[0])) / lengths

    def _meet(self, k: int, first: Locus, second: Locus) -> None:
        i, j = first[2], second[2]
        if second[0] == "line":
            self.spent[first[1]] += 1
            self.slid.add(second[1])
            self._found(k, (SLIDER, k, i, j, second[3], -1))
            return
        if i == j:
            return  # two links between the same two joints are no triangle
        self.spent[first[1]] += 1
        self.spent[second[1]] += 1
        rigid = {i, j} <= self.structure.ground or set(self.links_of[i]) & set(self.links_of[j])
        self._found(k, (POINT if rigid else TRIANGLE, k, i, j, -1, -1))


def sides(ops: Ints, drawn: Floats) -> Floats:
    """The side of every rule in a drawing (K,): see `rules.fill_sides`."""
    signs = np.empty(len(ops))
    fill_sides(ops, drawn, signs)
    return signs


def _refuse_flat(plan: Plan) -> None:
    names = plan.structure.names
    faults = [
        Fault(
            f"joints.{names[k]}",
            f"{names[i]}, {names[k]} and {names[j]} are drawn in one line, so that the side {names[k]} goes "
            "to is not defined"
            if rule == TRIANGLE
            else f"the bar from {names[i]} to {names[k]} is drawn square to the guide of {names[k]}, so that "
            "the way it goes is not defined",
            "Draw the linkage with its motor turned a little further",
        )
        for (rule, k, i, j, _, _), sign in zip(plan.ops.tolist(), plan.signs.tolist(), strict=True)
        if rule in (TRIANGLE, SLIDER) and sign == 0
    ]
    if faults:
        raise InputError(faults)


def _smallest_group(structure: Structure, rows: Constraints, joints: list[int]) -> Group:
    """The fewest open joints that open rows determine by themselves."""
    import scipy.linalg
    from scipy import sparse
    from scipy.sparse import csgraph

    slopes = _normal(rows, structure.drawn, joints)
    rank = np.linalg.matrix_rank(slopes, tol=1e-9) if slopes.size else 0
    if rank < 2 * len(joints):
        raise InputError([_not_held(structure, rows, joints, rank)])
    factors: Any = scipy.linalg.qr(slopes.T, mode="economic", pivoting=True)
    chosen = rows.pick(np.sort(factors[2][: 2 * len(joints)]))
    place = {joint: at for at, joint in enumerate(joints)}
    touches = np.zeros((len(chosen), len(joints)), bool)
    for row, involved in enumerate(chosen.joints.tolist()):
        touches[row, [place[k] for k in involved if k in place]] = True
    given = csgraph.maximum_bipartite_matching(
        sparse.csr_matrix(np.repeat(touches, 2, axis=1)), perm_type="row"
    )  # the row that gives each coordinate
    needs = np.zeros((len(joints), len(joints)), bool)
    for coordinate, row in enumerate(given.tolist()):
        needs[coordinate // 2] |= touches[row]
    count, part = csgraph.connected_components(sparse.csr_matrix(needs), connection="strong")
    alone = [c for c in range(count) if not needs[part == c][:, part != c].any()]
    smallest = min(alone, key=lambda c: int((part == c).sum()))
    members = np.flatnonzero(part == smallest)
    own = np.sort(given.reshape(-1, 2)[members].ravel()).astype(np.int64)
    return _group(np.array(joints, np.int64)[members], chosen.pick(own))


def _group(joints: Ints, rows: Constraints) -> Group:
    near = np.unique(rows.joints[rows.joints >= 0])
    local = np.where(rows.joints >= 0, np.searchsorted(near, rows.joints), -1)
    return Group(joints, Constraints(rows.kinds, local, rows.owners), near, np.searchsorted(near, joints))


def _normal(rows: Constraints, drawn: Floats, joints: list[int]) -> Floats:
    slopes = gradients(rows, drawn, drawn[None])[0][:, joints].reshape(len(rows), 2 * len(joints))
    return slopes / np.maximum(np.linalg.norm(slopes, axis=1, keepdims=True), 1e-300)


def _not_held(structure: Structure, rows: Constraints, joints: list[int], rank: int) -> Fault:
    """Under-constrained, or only so in the drawn pose: a shaken drawing tells the two apart."""
    shaken = structure.drawn + 0.05 * structure.size * np.random.default_rng(0).normal(
        size=structure.drawn.shape
    )
    slopes = _normal(rows, shaken, joints)
    usual = np.linalg.matrix_rank(slopes, tol=1e-9) if slopes.size else 0
    if usual == 2 * len(joints):
        listed = ", ".join(structure.names[k] for k in joints)
        problem = f"the drawn pose is a dead centre: where {listed} go from here is not defined"
        return Fault("joints", problem, "Draw the linkage with its motor turned a little further")
    missing = 2 * len(joints) - usual
    loose = _loose(slopes, usual, joints) if slopes.size else joints
    listed = ", ".join(structure.names[k] for k in loose)
    problem = f"{listed} {'is' if len(loose) == 1 else 'are'} not held: {missing} "
    problem += f"{'freedom is' if missing == 1 else 'freedoms are'} left when the motors are held"
    cure = f"Add {missing} motor{'s' if missing > 1 else ''}, links between these joints and the rest, "
    return Fault("links", problem, cure + "or put some on the ground")


def _loose(slopes: Floats, rank: int, joints: list[int]) -> list[int]:
    """Joints that some free motion moves."""
    _, _, v = np.linalg.svd(slopes)
    moved = np.linalg.norm(v[rank:].reshape(-1, len(joints), 2), axis=(0, 2))
    return [k for k, much in zip(joints, moved, strict=True) if much > 1e-6]


def _pairs(rows: Constraints) -> list[tuple[int, list[int]]]:
    return list(zip(rows.kinds.tolist(), rows.joints.tolist(), strict=True))
