"""A linkage compiled to arrays: its joints, the order of its rules, and what holds it together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pliant.core.arrays import Floats, Ints
from pliant.linkage.model import Linkage, Motor
from pliant.linkage.structure.constraints import Constraints, Equation
from pliant.linkage.structure.pins import other_names
from pliant.linkage.structure.rule import Op, RuleKind

TURNS, STRUTS = -1, -2  # what motors do that push no slider
PARALLEL = 1e-9  # sine of the angle of two guides that are one


@dataclass(frozen=True)
class CoupledGroup:
    """Joints that no rule gives one by one: solved together."""

    joints: Ints  # (U,)
    rows: Constraints  # 2U of them, of `near` by place
    near: Ints  # (L,) the joints of those rows, its own and known ones
    own: Ints  # (U,) places of its own in `near`


@dataclass(frozen=True)
class PrismaticPair:
    """A link that slides along another, or along the ground, with two of its joints: the two turn as one."""

    link: int
    carrier: int  # -1 is the ground
    base: tuple[int, int]  # two points of the guide
    sliders: tuple[int, int]


@dataclass(frozen=True)
class LinkageStructure:
    """Joints by number: those of the model in its order, then the points of sliders' guides."""

    names: tuple[str, ...]  # (N,)
    drawn: Floats  # (N, 2)
    ground: frozenset[int]
    links: tuple[tuple[int, ...], ...]  # joints and guide points of each link
    labels: tuple[str, ...]
    motors: tuple[tuple[int, int], ...]  # (pivot, driven); of a linear one (guide, joint), or a strut's ends
    pushes: tuple[int, ...]  # of each motor: TURNS, STRUTS, or the number of the slider it pushes
    turns: Floats  # (M,) the paper's λ: 1 counter-clockwise, −1 clockwise
    sliders: tuple[tuple[int, int, int], ...]  # (joint, a, b)
    carriers: tuple[int, ...]  # of each slider: the link that carries its guide, or -1
    rows: Constraints
    travels: tuple[tuple[int, int], ...] = ()  # points that go along x by a motor's travel, and the motor
    twins: tuple[tuple[int, int], ...] = ()  # joints that are another name of a pin, and the joint it is

    def cosines_and_sines(self, angles: Floats) -> tuple[Floats, Floats]:
        """Cosines and sines (M, F) of the motors' signed angles (M, F); of linear ones the travel, and 0."""
        signed = self.turns[:, None] * angles
        linear = np.array([push != TURNS for push in self.pushes])[:, None]
        return np.where(linear, signed, np.cos(signed)), np.where(linear, 0.0, np.sin(signed))

    @cached_property
    def spans(self) -> Floats:
        """(M,) what each motor goes that is like a radian: of a linear one, the linkage's size."""
        return np.array([1.0 if push == TURNS else self.size for push in self.pushes])

    @property
    def rotary_motors(self) -> list[int]:
        """The motors that turn."""
        return [m for m, push in enumerate(self.pushes) if push == TURNS]

    @cached_property
    def own(self) -> Ints:
        """The joints, without the points of guides."""
        return np.array([k for k in range(len(self.names)) if k not in self.guide_points], np.int64)

    @cached_property
    def duplicates(self) -> frozenset[int]:
        """The joints that are another name of a pin."""
        return frozenset(twin for twin, _ in self.twins)

    @cached_property
    def pins(self) -> dict[str, int]:
        """The joint that each name stands for: of a pin with several names, the one that is found."""
        return {name: dict(self.twins).get(k, k) for k, name in enumerate(self.names)}

    @cached_property
    def size(self) -> float:
        """The longest side of the drawn joints' box."""
        return float(np.ptp(self.drawn[self.own], axis=0).max())

    @cached_property
    def centre(self) -> Floats:
        """The mean of the drawn joints (2,)."""
        return self.drawn[self.own].mean(axis=0)

    @property
    def relative_rounding(self) -> float:
        """The rounding of the drawing, over its size: large where it is drawn far from the origin."""
        return float(np.finfo(np.float64).eps * np.abs(self.drawn).max() / self.size)

    @cached_property
    def guide_points(self) -> frozenset[int]:
        """Points of guides that are no joints: all but those of guides through a link's first two joints."""
        return frozenset(point for point, _ in self.travels) | frozenset(
            end
            for (_, a, b), carrier in zip(self.sliders, self.carriers, strict=True)
            for end in (a, b)
            if carrier < 0 or (a, b) != self.links[carrier][:2]
        )

    @cached_property
    def pairs(self) -> tuple[PrismaticPair, ...]:
        """The prismatic pairs: two joints of one link on parallel guides of one other."""
        pairs: list[PrismaticPair] = []
        for number, link in enumerate(self.links):
            on: dict[int, int] = {}
            for slider, ((joint, a, b), carrier) in enumerate(zip(self.sliders, self.carriers, strict=True)):
                if joint not in link or carrier == number:
                    continue
                first = on.setdefault(carrier, slider)
                other, c, d = self.sliders[first]
                if other == joint or any(pair.link == number and pair.carrier == carrier for pair in pairs):
                    continue
                u, v = self.drawn[b] - self.drawn[a], self.drawn[d] - self.drawn[c]
                if abs(u[0] * v[1] - u[1] * v[0]) <= PARALLEL * np.hypot(*u) * np.hypot(*v):
                    pairs.append(PrismaticPair(number, carrier, (c, d), (first, slider)))
        return tuple(pairs)

    @cached_property
    def motor_rows(self) -> Constraints:
        """What motors with a travel point set, a row each."""
        kinds: list[int] = []
        table = np.full((len(self.travels), 4), -1)
        for row, (point, motor) in enumerate(self.travels):
            push = self.pushes[motor]
            kinds.append(Equation.STRUT if push == STRUTS else Equation.PUSH)
            joints = (*self.motors[motor], point) if push == STRUTS else (*self.sliders[push], point)
            table[row, : len(joints)] = joints
        owners = tuple(f"motors[{motor}]" for _, motor in self.travels)
        return Constraints(np.array(kinds, np.int64), table, owners)

    def with_travel_points(self, motors: list[int]) -> LinkageStructure:
        """The same with a travel point for each of some linear motors, drawn at the first joint."""
        count = len(self.names)
        points = range(count, count + len(motors))
        return replace(
            self,
            names=(*self.names, *(f"motors[{motor}].travel" for motor in motors)),
            drawn=np.concatenate([self.drawn, np.repeat(self.drawn[:1], len(motors), axis=0)]),
            ground=self.ground | frozenset(points),
            travels=tuple(zip(points, motors, strict=True)),
        )

    @property
    def free_joints(self) -> list[int]:
        """Joints that are not on the ground."""
        return [k for k in range(len(self.names)) if k not in self.ground]


class PlanStage(NamedTuple):
    """Rows of `ops` from first to last, or one coupled group."""

    first: int
    last: int
    group: CoupledGroup | None


@dataclass(frozen=True)
class RulePlan:
    """The order in which positions are found."""

    structure: LinkageStructure
    ops: Ints  # (K, 10) a row for each rule, as `Op` has it
    signs: Floats  # (K,) the side of each triangle and slider in the drawing; 0 where it is flat
    groups: tuple[CoupledGroup, ...]
    redundant: Constraints  # rows that no rule uses: they hold of themselves, or the linkage is locked
    redundancy: int  # how many equations there are beyond those that the rules use

    @property
    def drawn(self) -> Floats:
        """Drawn positions (N, 2), guide points last."""
        return self.structure.drawn

    @cached_property
    def coupled_joints(self) -> Ints:
        """The joints of all coupled groups."""
        return np.concatenate([np.zeros(0, np.int64), *(group.joints for group in self.groups)])

    @cached_property
    def group_size(self) -> float:
        """The longest side of the drawn box of the smallest group and what it hangs on; 0 without groups."""
        return min((float(np.ptp(self.drawn[g.near], axis=0).max()) for g in self.groups), default=0.0)

    @cached_property
    def rules(self) -> tuple[Op, ...]:
        """The rows of `ops` with names."""
        return tuple(Op(*row) for row in self.ops.tolist())

    @cached_property
    def codes(self) -> Ints:
        """(K,) the rule of each row."""
        return self.ops[:, 0]

    @cached_property
    def stages(self) -> list[PlanStage]:
        """Runs of rules, and coupled groups between them, which stand alone."""
        cuts = {0, len(self.ops)}
        for at in np.flatnonzero(self.codes == RuleKind.GROUP).tolist():
            cuts |= {at, at + 1}
        groups = [self.groups[op.k] if op.rule == RuleKind.GROUP else None for op in self.rules]
        return [PlanStage(first, last, groups[first]) for first, last in pairwise(sorted(cuts))]

    @cached_property
    def dependencies(self) -> tuple[Ints, Ints]:
        """(starts, joints): joints[starts[k]:starts[k + 1]] are the drawn joints that x_k depends on."""
        dependencies: dict[int, set[int]] = {}
        for op in self.rules:
            if op.rule == RuleKind.GROUP:
                group = self.groups[op.k]
                near = set(group.near.tolist())
                reached = near.union(*(dependencies[p] for p in near if p in dependencies))
                dependencies.update({joint: reached for joint in group.joints.tolist()})
            else:
                near = set(source_joints(op))
                dependencies[op.k] = near.union({op.k}, *(dependencies[p] for p in near if p in dependencies))
        lists = [sorted(dependencies[k]) for k in range(len(self.drawn))]
        starts = np.cumsum([0, *map(len, lists)])
        return starts, np.array([p for joints in lists for p in joints], np.int64)

    def joint_names(self, group: CoupledGroup) -> tuple[str, ...]:
        """The joints of a group, without the points of guides that ride along."""
        return tuple(
            self.structure.names[k] for k in group.joints.tolist() if k not in self.structure.guide_points
        )

    def describe(self) -> list[dict[str, object]]:
        """The order of the rules in words: rule, joint, and what it is found from."""
        names = self.structure.names
        entries: list[dict[str, object]] = []
        for op in self.rules:
            entry: dict[str, object] = {"rule": RuleKind(op.rule).text}
            if op.rule == RuleKind.GROUP:
                entries.append({**entry, "joints": list(self.joint_names(self.groups[op.k]))})
                continue
            entry["joint"] = names[op.k]
            entry["from"] = list(dict.fromkeys(names[s] for s in source_joints(op) if s != op.k))
            entries.append({**entry, "motor": op.motor} if op.motor >= 0 else entry)
        return entries


def source_joints(op: Op) -> list[int]:
    """The joints that a rule finds its own from, in the order of its row."""
    more = (op.p, op.q, op.r, op.s) if op.rule in (RuleKind.LINES, RuleKind.SLOT) else ()
    return [joint for joint in (op.i, op.j, op.b, *more) if joint >= 0]


def structure(model: Linkage) -> LinkageStructure:
    """The model with names as numbers."""
    names = list(model.joints)
    drawn = [model.joints[name] for name in names]
    number = {name: index for index, name in enumerate(names)}
    ground = {number[name] for name in model.ground}
    twins = other_names(model.joints, (link.joints for link in model.links), model.ground)
    number |= {twin: number[pin] for twin, pin in twins.items()}
    links = _link_joints(model, names, number)
    counts = [len(link) for link in links]
    labels = tuple(link.label for link in model.links)
    sliders: list[tuple[int, int, int]] = []
    carriers: list[int] = []
    for slider in model.sliders:
        carrier = -1 if slider.on is None else labels.index(slider.on)
        if slider.along is None:
            a, b = links[carrier][:2]
        else:
            a, b = len(names), len(names) + 1
            names += [f"{slider.joint}.guide.{end}" for end in (1, 2)]
            drawn += list(slider.along)
            if carrier < 0:
                ground |= {a, b}
            else:
                links[carrier] += [a, b]
        sliders.append((number[slider.joint], a, b))
        carriers.append(carrier)
    positions = np.array(drawn, np.float64)
    for twin in twins:
        positions[names.index(twin)] = positions[number[twin]]
    driving = [_motor_joints(motor, number, sliders) for motor in model.motors]
    return LinkageStructure(
        names=tuple(names),
        drawn=positions,
        ground=frozenset(ground),
        links=tuple(map(tuple, links)),
        labels=labels,
        motors=tuple(driven for driven, _ in driving),
        pushes=tuple(push for _, push in driving),
        turns=np.array([1.0 if motor.direction == "ccw" else -1.0 for motor in model.motors]),
        sliders=tuple(sliders),
        carriers=tuple(carriers),
        rows=_constraint_rows(positions, links, labels, sliders, names, counts),
        twins=tuple((names.index(twin), number[twin]) for twin in twins),
    )


def _link_joints(model: Linkage, names: list[str], number: dict[str, int]) -> list[list[int]]:
    """The joints of each link: its pins, then their other names, each in the first link that has it so."""
    members: list[list[int]] = []
    riding: set[str] = set(model.ground)
    for link in model.links:
        pins = list(dict.fromkeys(number[name] for name in link.joints))
        others = [
            name
            for name in link.joints
            if names[number[name]] != name and names[number[name]] in link.joints and name not in riding
        ]
        riding |= set(others)
        members.append([*pins, *(names.index(name) for name in others)])
    return members


def _motor_joints(
    motor: Motor, number: dict[str, int], sliders: list[tuple[int, int, int]]
) -> tuple[tuple[int, int], int]:
    """The two joints of a motor, and what it does."""
    if motor.slider is not None:
        slider = next(n for n, (joint, _, _) in enumerate(sliders) if joint == number[motor.slider])
        return (sliders[slider][1], sliders[slider][0]), slider
    if motor.strut is not None:
        return (number[motor.strut[0]], number[motor.strut[1]]), STRUTS
    return (number[str(motor.joint)], number[str(motor.drives)]), TURNS


def _constraint_rows(
    drawn: Floats,
    links: list[list[int]],
    labels: tuple[str, ...],
    sliders: list[tuple[int, int, int]],
    names: list[str],
    joints_of: list[int],
) -> Constraints:
    """Rows of the links, with two joints as their base, and of the sliders."""
    kinds: list[int] = []
    joints: list[tuple[int, int, int]] = []
    owners: list[str] = []
    for link, label, count in zip(links, labels, joints_of, strict=True):
        i, j = farthest_pair(drawn, link[:count])
        others = [k for k in link if k not in (i, j)]
        kinds += [Equation.LENGTH, *[Equation.POINT_X, Equation.POINT_Y] * len(others)]
        joints += [(i, j, -1), *[(k, i, j) for k in others for _ in range(2)]]
        owners += [label] * (1 + 2 * len(others))
    for slider in sliders:
        kinds.append(Equation.LINE)
        joints.append(slider)
        owners.append(f"slider {names[slider[0]]}")
    table = np.full((len(joints), 4), -1)
    table[:, :3] = np.array(joints, np.int64).reshape(-1, 3)
    return Constraints(np.array(kinds, np.int64), table, tuple(owners))


def farthest_pair(drawn: Floats, joints: list[int]) -> tuple[int, int]:
    """The two joints of a link that are farthest apart, in the order of the link."""
    if len(joints) == 2:
        return joints[0], joints[1]
    at = drawn[joints]
    distances = np.hypot(*np.moveaxis(at[:, None] - at[None], -1, 0))
    i, j = sorted(divmod(int(np.argmax(distances)), len(joints)))
    return joints[i], joints[j]
