"""The order of rules: from the ground and the motors outwards, joint by joint.

A joint is found as soon as two things are known of where it is: two circles (a triangle), a
circle and a line (a slider), two lines, or a link of which two joints are known (a point). A link
that turns about a known joint is found where a known pin slides in its slot. A link that slides
along another with two of its joints (a prismatic pair) turns with it, and all of its joints slide.
Linear motors push a joint along a known guide, or set the radius of a circle.

Where no joint is left that can be found alone, the smallest group that can be found together is: the
rows still open are matched to the joints they give, and a strongly connected part that needs no
other is such a group (an Assur group). What cannot be found at all is not held.

Source: [Bacher2015Supplement] section 1 names the rules; the order is left to the main paper.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from pliant.core.errors import Fault, InputError
from pliant.linkage.structure.constraints import Constraints, Equation, concatenate
from pliant.linkage.structure.coupled_groups import smallest_group
from pliant.linkage.structure.flat import refuse_flat
from pliant.linkage.structure.loci import CircleLocus, LineLocus, Locus, crossing_sine
from pliant.linkage.structure.rule import Op, RuleKind
from pliant.linkage.structure.rule_plan import (
    STRUTS,
    CoupledGroup,
    LinkageStructure,
    PrismaticPair,
    RulePlan,
    farthest_pair,
)
from pliant.linkage.structure.sides import sides


def order(structure: LinkageStructure) -> RulePlan:
    """Every joint in the order it can be found, or an InputError that says what is in the direction."""
    search = _OrderSearch(structure)
    search.add_ground_and_motors()
    while True:
        search.add_single_joints()
        open_joints = [k for k in range(len(structure.names)) if k not in search.known]
        left = [motor for motor in range(len(structure.motors)) if motor not in search.used]
        if not open_joints:
            break
        if left and not structure.travels:
            return order(structure.with_travel_points(left))
        search.coupled_joints(smallest_group(structure, search.open_rows(), open_joints))
    _refuse_unused(left)
    plan = search.plan()
    refuse_flat(plan)
    return plan


def _refuse_unused(left: list[int]) -> None:
    """Raise an InputError where a linear motor cannot set anything."""
    problem, cure = "fights the others: where its joints are follows without it", "Leave it out"
    if left:
        raise InputError([Fault(f"motors[{motor}]", problem, cure) for motor in left])


class _OrderSearch:
    """What is known so far; changed by `order` alone."""

    def __init__(self, structure: LinkageStructure) -> None:
        self.structure = structure
        self.known: set[int] = set()
        self.ops: list[Op] = []
        self.groups: list[CoupledGroup] = []
        self.used_equations = np.zeros(len(structure.links), np.int64)  # equations of each link that are used
        self.used_sliders: set[int] = set()  # sliders that are used
        self.links_of: dict[int, list[int]] = defaultdict(list)
        self.sliders_of: dict[int, list[int]] = defaultdict(list)
        self.known_of: list[list[int]] = [[] for _ in structure.links]
        self.queue: deque[int] = deque()
        self.used: set[int] = set(structure.rotary_motors)  # motors
        self.travels = dict(structure.travels)
        for number, link in enumerate(structure.links):
            for joint in link:
                self.links_of[joint].append(number)
        for number, slider in enumerate(structure.sliders):
            for joint in slider:
                self.sliders_of[joint].append(number)
        self.pairs_of: dict[int, list[PrismaticPair]] = defaultdict(list)
        for pair in structure.pairs:
            self.pairs_of[pair.link].append(pair)

    def add_ground_and_motors(self) -> None:
        """The ground, and what the motors turn."""
        for k in sorted(self.structure.ground):
            motor = self.travels.get(k, -1)
            self._add(Op(RuleKind.FIXED if motor < 0 else RuleKind.TRAVEL, k, motor=motor))
        for motor in self.structure.rotary_motors:
            pivot, driven = self.structure.motors[motor]
            for number in self.links_of[driven]:
                if pivot in self.structure.links[number]:
                    for k in self.structure.links[number]:
                        if k not in self.known:
                            self._add(Op(RuleKind.MOTOR, k, j=pivot, motor=motor))
                    self.used_equations[number] = 2 * len(self.structure.links[number]) - 3

    def add_single_joints(self) -> None:
        """Every joint that can be found alone."""
        while self.queue:
            k = self.queue.popleft()
            if k not in self.known:
                self._try_joint(k)

    def coupled_joints(self, group: CoupledGroup) -> None:
        """A group that was found together."""
        self.ops.append(Op(RuleKind.GROUP, len(self.groups)))
        self.groups.append(group)
        taken = set(group.rows.owners)
        for number, label in enumerate(self.structure.labels):
            if label in taken:
                self.used_equations[number] += group.rows.owners.count(label)
        for kind, row in _pairs(group.rows):
            if kind == Equation.LINE:
                slider = tuple(group.near[row[:3]].tolist())
                self.used_sliders |= {n for n, other in enumerate(self.structure.sliders) if other == slider}
            elif kind in (Equation.STRUT, Equation.PUSH):
                self.used.add(self.travels[int(group.near[row[2 if kind == Equation.STRUT else 3]])])
        for k in group.joints.tolist():
            self._mark_known(k)

    def open_rows(self) -> Constraints:
        """Equations that involve a joint not found yet, of motors too that set nothing yet."""
        driving = self.structure.motor_rows
        left = [row for row, motor in enumerate(self.travels.values()) if motor not in self.used]
        rows = concatenate(driving.select(np.array(left, np.int64)), self.structure.rows)
        open_ = [any(k >= 0 and k not in self.known for k in joints) for joints in rows.joints.tolist()]
        return rows.select(np.flatnonzero(open_))

    def plan(self) -> RulePlan:
        """The order, once every joint is found."""
        ops = np.array(self.ops, np.int64).reshape(-1, len(Op._fields))
        totals = np.array([2 * len(link) - 3 for link in self.structure.links])
        over = {self.structure.labels[n] for n in np.flatnonzero(totals > self.used_equations)}
        rows = self.structure.rows
        unslid = [
            self.structure.sliders[n]
            for n in range(len(self.structure.sliders))
            if n not in self.used_sliders
        ]
        spare = [
            r
            for r, (kind, joints) in enumerate(_pairs(rows))
            if (rows.owners[r] in over if kind != Equation.LINE else tuple(joints[:3]) in unslid)
        ]
        return RulePlan(
            structure=self.structure,
            ops=ops,
            signs=sides(ops, self.structure.drawn),
            groups=tuple(self.groups),
            redundant=rows.select(np.array(spare, np.int64)),
            redundancy=int((totals - self.used_equations).sum()) + len(unslid),
        )

    def _add(self, op: Op) -> None:
        self.ops.append(op)
        self._mark_known(op.k)

    def _mark_known(self, k: int) -> None:
        self.known.add(k)
        for number in self.links_of[k]:
            self.known_of[number].append(k)
            self._enqueue_link(number)
        for number in self.sliders_of[k]:
            joint, carrier = self.structure.sliders[number][0], self.structure.carriers[number]
            self.queue.append(joint)
            for link in (*self.links_of[joint], *([carrier] if carrier >= 0 else [])):
                self._enqueue_link(link)
        self.queue.extend(end for ends in self._struts_at(k) for end in ends[:1])

    def _enqueue_link(self, link: int) -> None:
        self.queue.extend(j for j in self.structure.links[link] if j not in self.known)

    def _try_joint(self, k: int) -> None:
        for number in self.links_of[k]:
            if len(self.known_of[number]) >= 2:
                i, j = farthest_pair(self.structure.drawn, self.known_of[number])
                self.used_equations[number] += 2
                self._add(Op(RuleKind.POINT, k, i=i, j=j))
                return
        if self._add_carried(k) or self._add_pushed(k):
            return
        pairs = list(combinations(self._loci(k), 2))
        best = max(pairs, key=lambda pair: crossing_sine(self.structure.drawn, k, *pair), default=None)
        if best is None or not self._add_intersection(k, *best):
            self._add_slotted(k)

    def _add_carried(self, k: int) -> bool:
        """Find a link of which one joint is known and which turns as a known one does."""
        for number in self.links_of[k]:
            if not self.known_of[number]:
                continue
            for pair in self.pairs_of[number]:
                if self._are_known(pair.base):
                    self.used_sliders.update([n for n in pair.sliders if n not in self.used_sliders][:1])
                    self._add_carried_joints(number, self.known_of[number][0], pair)
                    return True
        return False

    def _add_pushed(self, k: int) -> bool:
        """Find a joint that a motor pushes along a known guide."""
        for motor, slider in enumerate(self.structure.pushes):
            if slider >= 0 and self.structure.sliders[slider][0] == k:
                _, a, b = self.structure.sliders[slider]
                if self._are_known((a, b)):
                    self.used_sliders.add(slider)
                    self.used.add(motor)
                    self._add(Op(RuleKind.DRIVEN, k, j=a, b=b, motor=motor))
                    return True
        return False

    def _add_carried_joints(self, link: int, known: int, pair: PrismaticPair) -> None:
        """The other joints of a link, from one of them and from what it turns with."""
        a, b = pair.base
        for joint in self.structure.links[link]:
            if joint not in self.known:
                self._add(Op(RuleKind.CARRIED, joint, i=known, j=a, b=b))
        self.used_equations[link] = 2 * len(self.structure.links[link]) - 3

    def _add_slotted(self, k: int) -> None:
        """Find a link that turns about a known joint so that its slot goes through a known pin."""
        for number in self.links_of[k]:
            if not self.known_of[number]:
                continue
            pivot = self.known_of[number][0]
            for pin, (r, s), sliders in self._slot_pins(number):
                if pin == pivot:
                    continue
                drawn = self.structure.drawn
                others = [j for j in self.structure.links[number] if j not in self.known]
                far = max(others, key=lambda j: float(np.hypot(*(drawn[j] - drawn[pivot]))))
                self.used_equations[number] += 1
                self.used_sliders.update(sliders)
                self._add(Op(RuleKind.SLOT, far, i=pivot, j=pin, r=r, s=s))
                return

    def _slot_pins(self, link: int) -> Iterator[tuple[int, tuple[int, int], tuple[int, ...]]]:
        """Known pins in slots of a link, the slots' directions, and the sliders that say so."""
        for number, (joint, a, b) in enumerate(self.structure.sliders):
            if (
                self.structure.carriers[number] == link
                and joint in self.known
                and number not in self.used_sliders
            ):
                yield joint, (a, b), (number,)
        for pair in self.structure.pairs:  # what slides along it with two joints does so with all
            left = [number for number in pair.sliders if number not in self.used_sliders]
            if pair.carrier == link and left:
                for joint in self.known_of[pair.link]:
                    yield joint, pair.base, (left[0],)

    def _struts_at(self, k: int) -> Iterator[tuple[int, int]]:
        """The other end of each strut at joint k, and its motor."""
        for motor, (push, ends) in enumerate(zip(self.structure.pushes, self.structure.motors, strict=True)):
            if push == STRUTS and k in ends:
                yield ends[0] + ends[1] - k, motor

    def _are_known(self, joints: tuple[int, ...]) -> bool:
        return all(joint in self.known for joint in joints)

    def _loci(self, k: int) -> list[Locus]:
        """What is known of where joint k is: circles first, so that a pair has a circle first."""
        circles: list[Locus] = [
            CircleLocus(number, self.known_of[number][0])
            for number in self.links_of[k]
            if self.known_of[number]
        ]
        circles += [CircleLocus(-1, end, motor) for end, motor in self._struts_at(k) if end in self.known]
        lines: list[Locus] = []
        for number in self.sliders_of[k]:
            joint, a, b = self.structure.sliders[number]
            if joint == k and self._are_known((a, b)):
                lines.append(LineLocus(a, (a, b), (a, b), (number,)))
        for link in self.links_of[k]:
            for pair in self.pairs_of[link]:
                if self._are_known(pair.base):
                    lines.append(LineLocus(pair.base[0], pair.base, pair.base, pair.sliders, pair))
                    lines += [
                        LineLocus(pin, pair.base, direction, used)
                        for pin, direction, used in self._slot_pins(link)
                    ]
        return circles + lines

    def _add_intersection(self, k: int, first: Locus, second: Locus) -> bool:
        """Find joint k where two loci meet; False where these do not give it."""
        if crossing_sine(self.structure.drawn, k, first, second) < 0:
            return False
        if isinstance(first, LineLocus) and isinstance(second, LineLocus):
            guide, other = (first, second) if first.is_guide else (second, first)
            a, b = guide.direction
            self._add(Op(RuleKind.LINES, k, other.foot, a, b, -1, *other.base, *other.direction))
            self._use_line(k, guide)
            self._use_line(k, other)
        elif isinstance(first, CircleLocus) and isinstance(second, LineLocus):
            a, b = second.direction
            rule = RuleKind.SLIDER if first.motor < 0 else RuleKind.STRUT_LINE
            self._add(Op(rule, k, i=first.centre, j=a, b=b, motor=first.motor))
            self._use_circle(first)
            self._use_line(k, second)
        elif isinstance(first, CircleLocus) and isinstance(second, CircleLocus):
            first, second = (second, first) if second.motor >= 0 else (first, second)
            i, j = first.centre, second.centre
            if first.motor >= 0:
                self._add(Op(RuleKind.STRUT, k, i=i, j=j, motor=first.motor, p=second.motor))
            else:
                rigid = {i, j} <= self.structure.ground or set(self.links_of[i]) & set(self.links_of[j])
                self._add(Op(RuleKind.POINT if rigid else RuleKind.TRIANGLE, k, i=i, j=j))
            self._use_circle(first)
            self._use_circle(second)
        return True

    def _use_circle(self, circle: CircleLocus) -> None:
        """An equation of a link, or a motor, that is used."""
        if circle.motor >= 0:
            self.used.add(circle.motor)
        else:
            self.used_equations[circle.link] += 1

    def _use_line(self, k: int, line: LineLocus) -> None:
        """The sliders of a line that gave joint k, and the rest of the link where the pair is why."""
        self.used_sliders.update(line.sliders)
        if line.pair is not None:
            self._add_carried_joints(line.pair.link, k, line.pair)


def _pairs(rows: Constraints) -> list[tuple[int, list[int]]]:
    return list(zip(rows.kinds.tolist(), rows.joints.tolist(), strict=True))
