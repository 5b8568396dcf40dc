"""Linkages against their formulas: quick-return rams, tangents, parallelograms driven by their coupler.

Each family is run in closed form and, with `as_group`, as joints that are found together.
"""

from dataclasses import replace

import numpy as np
import pytest

from pliant.linkage.generate import linkage
from pliant.linkage.kinematics.drive import motor_drive
from pliant.linkage.kinematics.follow import follow
from pliant.linkage.kinematics.limits import motion_range
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import gradient, jacobian, rates, select_poses
from pliant.linkage.model import Linkage
from pliant.linkage.solve import solve
from pliant.linkage.structure.coupled_groups import group_of
from pliant.linkage.structure.rule import RuleKind
from pliant.linkage.structure.rule_plan import RulePlan

TURN = 2 * np.pi


def as_group(plan: RulePlan, rule: int, *owners: str) -> RulePlan:
    """The same plan with one rule solved by Newton's method, as the rows of some links and sliders."""
    at = int(np.flatnonzero(plan.ops[:, 0] == rule)[0])
    own = [n for n, owner in enumerate(plan.structure.rows.owners) if owner in owners]
    ops, signs = plan.ops.copy(), plan.signs.copy()
    group = group_of(plan.ops[at, 1:2], plan.structure.rows.select(np.array(own)))
    ops[at], signs[at] = (RuleKind.GROUP, 0, *[-1] * 8), 0.0
    return replace(plan, ops=ops, signs=signs, groups=(group,))


class Ram:
    """A crank A-B, a slotted lever D-E that it turns, and a rod E-S to a ram S on a line."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.b = rng.uniform(0.5, 1.5) * np.exp(1j * rng.uniform(0, TURN))
        self.d = complex(*rng.uniform(-2, 2, 2))
        self.arm = rng.uniform(1, 4) * rng.choice([1, -1])
        self.e = self.lever(0.0)
        self.s = self.e + rng.uniform(0.5, 4) * np.exp(1j * rng.uniform(0, TURN))
        self.way = np.exp(1j * rng.uniform(0, TURN))

    def lever(self, angle):
        """The tip of the lever, with the crank turned by an angle."""
        pin = self.b * np.exp(1j * angle) - self.d
        return self.d + self.arm * pin / abs(pin)

    def model(self) -> Linkage:
        joints = {"A": 0, "B": self.b, "D": self.d, "E": self.e, "S": self.s}
        line = [[z.real, z.imag] for z in (self.s, self.s + self.way)]
        sliders = [{"joint": "B", "on": "D-E"}, {"joint": "S", "along": line}]
        return linkage(joints, "AD", ("A B", "D E", "E S"), sliders=sliders)

    def over(self, angle):
        """How much farther than its rod the lever's tip is from the ram's line."""
        away = np.imag(np.conj(self.way) * (self.lever(angle) - self.s))
        return np.abs(away) - abs(self.e - self.s)

    def limit(self, way: int) -> float | None:
        """How far the crank turns one way, by halving."""
        angles = way * np.linspace(0, TURN, 20_001)
        beyond = np.flatnonzero(self.over(angles) > 0)
        if not len(beyond):
            return None
        inside, outside = angles[beyond[0] - 1], angles[beyond[0]]
        for _ in range(100):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if self.over(middle) <= 0 else (inside, middle)
        return inside


def agrees(ram: Ram, low: float | None, high: float | None) -> bool:
    """Whether limits of the crank, None where there are none, are the ram's to 1e-9."""
    wanted = ram.limit(-1), ram.limit(1)
    if None in wanted:
        return low is None and high is None
    return low is not None and max(abs(low - wanted[0]), abs(high - wanted[1])) < 1e-9


@pytest.mark.slow
def test_three_hundred_rams_have_the_limits_of_their_formula():
    rng = np.random.default_rng(1)
    for _ in range(300):
        ram = Ram(rng)
        result = solve(ram.model())
        assert agrees(ram, *(result.limits or (None, None))), vars(ram)
        np.testing.assert_allclose(result.joints["E"] @ [1, 1j], ram.lever(result.angles), atol=1e-11)


@pytest.mark.slow
def test_a_lever_that_is_followed_leaves_the_rams_limits_to_the_ram():
    rng = np.random.default_rng(2)
    for _ in range(20):
        ram = Ram(rng)
        model = ram.model()
        path = motor_drive(model, 360)
        found = motion_range(as_group(compile_plan(model), RuleKind.SLOT, "D-E", "slider B"), path)
        ends = [float(path.angles(np.array([t]))[0, 0]) for t in (found.low, found.high)]
        assert agrees(ram, *(ends if found.above else (None, None))), vars(ram)


@pytest.mark.parametrize("coupled", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_tangent_runs_off_to_infinity_at_its_pole(coupled):
    rng = np.random.default_rng(3)
    for _ in range(4 if coupled else 10):
        angle, away, turned = rng.uniform(0.1, 1.2), rng.choice([0.01, 0.1, 1, 10]), rng.uniform(0, TURN)
        foot, up = away * np.exp(1j * turned), 1j * np.exp(1j * turned)
        joints = {"O": 0, "A": np.exp(1j * (turned + angle)), "P": foot + away * np.tan(angle) * up}
        guide = {"joint": "P", "along": [[z.real, z.imag] for z in (foot, foot + up)]}
        model = linkage(joints, "O", ("O A",), sliders=[{"joint": "P", "on": "O-A"}, guide])
        plan = compile_plan(model)
        found = motion_range(
            as_group(plan, RuleKind.LINES, "slider P") if coupled else plan, motor_drive(model, 360)
        )
        assert found.high * TURN == pytest.approx(np.pi / 2 - angle, abs=1e-9)
        assert found.low * TURN == pytest.approx(-np.pi / 2 - angle, abs=1e-9)
        assert {found.above.how, found.below.how} == {"infinite"}
        assert found.above.joints == ("P",)


def coupler_driven(rng: np.random.Generator) -> tuple[Linkage, complex, complex, float]:
    """A parallelogram A-B-C-D driven by a crank F-Q about the centre of the circle of its coupler point P.

    With it A, the arm B − A, and the arm's angle to the ground.
    """
    ground, turned = rng.uniform(1, 4), np.exp(1j * rng.uniform(0, TURN))
    angle = rng.uniform(0, TURN)
    a, arm = complex(*rng.normal(size=2)), rng.uniform(0.4, 0.9) * ground * np.exp(1j * angle) * turned
    d = a + ground * turned
    beside = complex(rng.uniform(0.2, 0.8), rng.uniform(-1, 1)) * ground * turned
    q = a + beside + rng.uniform(0.3, 1.2) * ground * np.exp(1j * rng.uniform(0, TURN))
    joints = {"A": a, "D": d, "F": a + beside, "B": a + arm, "C": d + arm, "P": a + arm + beside, "Q": q}
    return linkage(joints, "ADF", ("F Q", "A B", "B C P", "C D", "P Q")), a, arm, angle


@pytest.mark.slow
def test_joints_found_together_go_straight_on_through_change_points():
    rng = np.random.default_rng(4)
    for samples in (24, 36, 100, 36, 24, 60):
        model, a, arm, angle = coupler_driven(rng)
        result = solve(model, model.study.model_copy(update={"samples": samples}))
        assert result.status.name == "CHANGE_POINTS"
        assert result.limits is None
        first = (-angle) % np.pi
        met = [change.t * TURN for change in result.reached.changes]
        np.testing.assert_allclose(met, [first, first + np.pi], atol=1e-9)
        wanted = a + arm * np.exp(1j * result.angles)
        assert len(wanted) == samples
        np.testing.assert_allclose(result.joints["B"] @ [1, 1j], wanted, atol=1e-8)
        assert "straight on" in result.warnings[0].text


class Scissor:
    """Two legs that cross in their middles, A on the ground and B on the floor, and what a motor pushes."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.half, self.tilt = rng.uniform(1, 3), rng.uniform(0.3, 1.0)
        self.low, self.high = rng.uniform(0.2, 0.8, 2) * self.half  # of the cylinder's ends from the middle
        self.turned, self.shift = np.exp(1j * rng.uniform(0, TURN)), complex(*rng.uniform(-9, 9, 2))

    def joints(self, tilt):
        leg = self.half * np.exp(1j * np.asarray(tilt))
        middle, other = leg, -np.conj(leg)
        flat = {
            "A": 0 * leg, "B": middle - other, "M": middle, "C": 2 * leg, "D": middle + other,
            "E": middle - self.low / self.half * leg, "F": middle + self.high / self.half * other,
        }  # fmt: skip
        return {name: self.shift + self.turned * at for name, at in flat.items()}

    def model(self, motor) -> Linkage:
        joints = self.joints(self.tilt)
        floor = [[z.real, z.imag] for z in (self.shift, self.shift + self.turned)]
        slider = {"joint": "B", "along": floor}
        legs = ("A E M C", "B M F D")
        return linkage(joints, "A", legs, sliders=[slider], motors=[motor])


@pytest.mark.parametrize("seed", range(4))
def test_a_cylinder_between_two_moving_legs_drives_them_all_together(seed):
    rng = np.random.default_rng(seed)
    lift = Scissor(rng)
    result = solve(lift.model({"strut": ["E", "F"], "range": [-0.1, 0.1], "speed": 0.1}))
    apart = np.abs(lift.joints(lift.tilt)["E"] - lift.joints(lift.tilt)["F"]) + result.angles
    cosine = (lift.low**2 + lift.high**2 - apart**2) / (2 * lift.low * lift.high)  # of twice the tilt
    tilt = np.arccos(np.clip(cosine, -1, 1)) / 2
    for name, path in lift.joints(tilt).items():
        np.testing.assert_allclose(result.joints[name] @ [1, 1j], path, atol=1e-9)


def test_rates_and_derivatives_of_what_a_motor_drives_together_are_those_of_its_equations():
    rng = np.random.default_rng(3)
    for motor in ({"strut": ["E", "F"], "range": [-0.1, 0.1]}, {"slider": "B", "range": [-0.1, 0.1]}):
        plan = compile_plan(Scissor(rng).model(motor))
        angles, h = np.array([[0.0, 0.03]]), 1e-5
        x = follow(
            plan, np.concatenate([angles - h, angles, angles + h], axis=1)[:, [0, 2, 4, 1, 3, 5]]
        ).poses.x
        poses = select_poses(follow(plan, angles).poses, slice(1, 2))
        v, a = rates(poses, np.ones((1, 1)), np.zeros((1, 1)))
        before, here, after = x[:, :, 3], x[:, :, 4], x[:, :, 5]
        np.testing.assert_allclose(v[..., 0], (after - before) / (2 * h), atol=1e-7)
        np.testing.assert_allclose(a[..., 0], (after - 2 * here + before) / h**2, atol=1e-3)
        d, way = jacobian(poses)[..., 0], rng.normal(size=plan.drawn.shape)
        way[list(dict(plan.structure.travels))] = 0.0
        near = [follow(plan, angles, plan.drawn + s * h * way).poses.x[:, :, 1] for s in (-1, 1)]
        change = (near[1] - near[0]) / (2 * h)
        np.testing.assert_allclose(np.einsum("kcpe,pe->kc", d, way), change, atol=1e-6)
        slope = rng.normal(size=poses.x.shape)
        wanted = np.einsum("kc,kcpe->pe", slope[..., 0], d)
        np.testing.assert_allclose(gradient(poses, slope), wanted, atol=1e-9)
