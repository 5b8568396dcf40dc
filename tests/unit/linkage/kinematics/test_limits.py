"""How far motors go: exact limits and change points, against closed forms."""

import numpy as np
import pytest

from pliant.linkage.generate import TRIAD, four_bar, linkage, meet, places, slider_crank, triad
from pliant.linkage.kinematics import follow
from pliant.linkage.kinematics.drive import motor_drive
from pliant.linkage.kinematics.limits import motion_range, poses_at
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.model import Linkage
from pliant.linkage.solve import solve
from pliant.linkage.structure.coupled_groups import group_of
from pliant.linkage.structure.rule import RuleKind
from pliant.linkage.structure.rule_plan import RulePlan


def limits(model: Linkage) -> tuple[float, float] | None:
    return solve(model).limits


@pytest.mark.parametrize("angle", [-1.2, 0.1, 0.9])
def test_the_limit_of_a_non_grashof_crank_is_exact(angle):
    """Stretched out, coupler and rocker are 4.5 long: cos θ = (4² + 3² − 4.5²)/(2·4·3)."""
    exact = np.arccos((16 + 9 - 4.5**2) / 24)
    low, high = limits(four_bar(4, 3, 2, 2.5, angle))
    assert low + angle == pytest.approx(-exact, abs=1e-12)
    assert high + angle == pytest.approx(exact, abs=1e-12)


def test_a_crank_that_folds_its_coupler_stops_there():
    """Folded, coupler and rocker are |5 − 1.5| apart."""
    exact = np.arccos((16 + 1 - 3.5**2) / 8)
    low, high = limits(four_bar(4, 1, 5, 1.5, 2.5))
    assert low + 2.5 == pytest.approx(exact, abs=1e-12)
    assert high + 2.5 == pytest.approx(2 * np.pi - exact, abs=1e-12)


def test_a_clockwise_motor_has_the_mirrored_limits():
    forward = limits(four_bar(4, 3, 2, 2.5, 0.5))
    back = limits(four_bar(4, 3, 2, 2.5, 0.5, motors=[{"joint": "A", "drives": "B", "direction": "cw"}]))
    np.testing.assert_allclose(back, (-forward[1], -forward[0]), atol=1e-12)


def test_a_slider_stops_where_its_rod_stands_square_to_the_guide():
    """A crank longer than its rod: sin θ = ± rod / crank."""
    exact = np.arcsin(1.5 / 2)
    low, high = limits(slider_crank(2, 1.5, angle=0.2))
    assert low + 0.2 == pytest.approx(-exact, abs=1e-12)
    assert high + 0.2 == pytest.approx(exact, abs=1e-12)


def test_a_dip_between_two_samples_is_not_jumped():
    """Lengths that fail to close by a hair, over far less than a sample: half a degree wide."""
    short = 1e-6
    gap = four_bar(4, 1, 2.5, 2.5 - short, 0.5, study={"samples": 12})
    result = solve(gap)
    exact = np.arccos((16 + 1 - (5 - short) ** 2) / 8)
    assert result.status.name == "LIMITED"
    assert max(result.limits) + 0.5 == pytest.approx(exact, abs=1e-9)
    assert np.pi - exact < np.radians(0.2)


@pytest.mark.parametrize("angle", [0.3, 1.0, 4.0])
def test_a_parallelogram_has_its_change_points_at_0_and_180_degrees(angle):
    model = four_bar(3, 1, 3, 1, angle, side=1 if angle < np.pi else -1)
    plan, path = compile_plan(model), motor_drive(model, 360)
    found = motion_range(plan, path)
    assert found.above is None
    at = np.sort([(path.angles(np.array([c.t]))[0, 0] + angle) % (2 * np.pi) for c in found.changes])
    at[at > 2 * np.pi - 1e-6] -= 2 * np.pi
    np.testing.assert_allclose(np.sort(at), [0, np.pi], atol=1e-7)


def test_a_parallelogram_keeps_its_side_or_goes_straight_on():
    for branch, parallel in (("side", False), ("smooth", True)):
        result = solve(four_bar(3, 1, 3, 1, 1.0, study={"branch": branch}))
        coupler = result.joints["C"] - result.joints["B"]
        assert (np.abs(coupler - [3, 0]).max() < 1e-6) == parallel
        assert all(change.crossed == parallel for change in result.reached.changes)
        assert np.isfinite(result.velocities).all()
        assert np.isfinite(result.accelerations).all()


def test_a_nearly_parallel_four_bar_has_no_change_point():
    assert solve(four_bar(3, 0.999, 3, 1, 1.0)).status.name == "RUNS"


def test_a_limit_further_down_the_line_counts():
    """A free four-bar drives a dyad that cannot follow all the way."""
    joints = places(four_bar(4, 1, 3, 3))
    joints |= {"E": 5 + 3j, "F": meet(joints["C"], 1.6, 5 + 3j, 1.2)}
    model = linkage(joints, "ADE", ("A B", "B C", "C D", "C F", "F E"))
    result = solve(model)
    assert result.status.name == "LIMITED"
    apart = np.hypot(*(result.joints["C"] - np.array([5.0, 3.0])).T)
    assert abs(apart[[0, -1]] - 2.8).max() < 1e-6


def test_a_range_beyond_the_limit_is_swept_as_far_as_it_goes():
    motor = {"joint": "A", "drives": "B", "range": ["-30 deg", "170 deg"]}
    result = solve(four_bar(4, 3, 2, 2.5, 0.5, motors=[motor]))
    exact = np.arccos((16 + 9 - 4.5**2) / 24) - 0.5
    assert result.status.name == "LIMITED"
    assert result.angles[0] == pytest.approx(np.radians(-30))
    assert result.angles[-1] == pytest.approx(exact, abs=1e-6)
    assert result.reached.below is None


def as_group(plan: RulePlan) -> RulePlan:
    """The same plan with its triangle solved as a coupled group."""
    from dataclasses import replace

    ops = plan.ops.copy()
    at = int(np.flatnonzero(ops[:, 0] == RuleKind.TRIANGLE)[0])
    k = int(ops[at, 1])
    rows = np.flatnonzero((plan.structure.rows.joints == k).any(axis=1))
    ops[at] = (RuleKind.GROUP, 0, *[-1] * 8)
    return replace(plan, ops=ops, groups=(group_of(np.array([k]), plan.structure.rows.select(rows)),))


@pytest.mark.parametrize("lengths", [(4, 3, 2, 2.5), (4, 1, 5, 1.5)])
def test_a_coupled_group_has_the_limits_of_the_triangle_it_stands_for(lengths):
    model = four_bar(*lengths, 0.5 if lengths[1] == 3 else 2.5)
    plan, path = compile_plan(model), motor_drive(model, 360)
    closed, coupled = motion_range(plan, path), motion_range(as_group(plan), path)
    assert coupled.low == pytest.approx(closed.low, abs=1e-11)
    assert coupled.high == pytest.approx(closed.high, abs=1e-11)
    assert coupled.above.how == "locked together"


def test_poses_of_a_coupled_group_are_those_of_its_triangle():
    model = four_bar(4, 1, 3, 3)
    plan, path = compile_plan(model), motor_drive(model, 90)
    found = motion_range(plan, path)
    closed = poses_at(plan, path, found, path.samples)
    coupled = poses_at(as_group(plan), path, found, path.samples)
    np.testing.assert_allclose(coupled.x, closed.x, atol=1e-13)


@pytest.mark.slow
def test_the_limits_of_a_triad_are_where_its_three_bars_meet_in_a_point():
    """At the limit the bars A-C, G-D and H-E, prolonged, pass through one point."""
    result = solve(triad())
    assert result.status.name == "LIMITED"
    assert result.reached.above.joints == ("C", "D", "E")
    for t in (result.reached.low, result.reached.high):
        near, nearer = (_unconcurrent(result, t * (1 - away)) for away in (1e-5, 1e-7))
        assert nearer / near == pytest.approx(0.1, abs=0.01)  # a square root of what is left of the way
        assert nearer < 1e-3


def _unconcurrent(result, t: float) -> float:
    """The volume of three lines' unit coordinates: 0 where they pass through one point."""
    poses = poses_at(result.plan, result.drive, result.reached, np.array([t]))
    at = dict(zip(result.plan.structure.names, poses.points[0], strict=True))
    lines = [np.cross([*at[a], 1], [*at[b], 1]) for a, b in ("AC", "GD", "HE")]
    return abs(np.linalg.det(np.array(lines) / np.linalg.norm(lines, axis=1, keepdims=True)))


@pytest.mark.slow
@pytest.mark.parametrize(("scale", "origin"), [(1e-6, 0), (1e6, 0), (1, 1e6 - 1e6j), (1e-3, 5 + 5j)])
def test_limits_and_change_points_do_not_depend_on_units_nor_on_the_origin(scale, origin):
    drawn = {name: scale * z + origin for name, z in places(triad()).items()}
    low, high = limits(linkage(drawn, "OGH", TRIAD))
    wanted = limits(triad())
    assert (low, high) == pytest.approx(wanted, abs=1e-9)
    drawn = {name: scale * z + origin for name, z in places(four_bar(3, 1, 3, 1)).items()}
    assert len(solve(linkage(drawn, "AD", ("A B", "B C", "C D"))).reached.changes) == 2


@pytest.mark.parametrize("lengths", [(4, 3, 2, 3), (4, 3, 2, 2.5), (5, 3, 2, 4)])
def test_a_limit_on_a_sample_is_found(lengths):
    """The path is sampled every half degree from the drawn pose: here the limit is one of the samples."""
    ground, crank, coupler, rocker = lengths
    exact = np.arccos((ground**2 + crank**2 - (coupler + rocker) ** 2) / (2 * ground * crank))
    for halves in range(1, 30):
        drawn = exact - np.radians(halves / 2)
        assert limits(four_bar(*lengths, drawn))[1] + drawn == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize(("short", "before"), [(1e-7, 0.2), (1e-6, 0.05), (1e-5, 0.6)])
def test_a_narrow_gap_is_met_on_its_near_side(short, before):
    """A four-bar that all but passes its change point, drawn a little before the gap."""
    exact = np.pi - np.arccos(((6 - short) ** 2 - 20) / 16)
    assert limits(four_bar(4, 2, 4, 2 - short, exact - np.radians(before)))[1] == pytest.approx(
        np.radians(before), abs=1e-9
    )


def wheels(angle: float, branch: str) -> Linkage:
    """Three cranks joined by two rods, as a locomotive's."""
    arm = 2 * np.exp(1j * angle)
    joints = {"A": 0, "B": arm, "C": 4 + arm, "D": 4, "H": 8 + arm, "G": 8}
    return linkage(joints, "ADG", ("A B", "B C", "C D", "C H", "H G"), study={"branch": branch})


@pytest.mark.parametrize("angle", np.radians([33.3, 70, 110]))
def test_wheels_on_one_rod_go_round_together_or_each_its_own_way(angle):
    straight = solve(wheels(angle, "smooth"))
    np.testing.assert_allclose(straight.joints["H"] - straight.joints["B"], [[8, 0]] * 360, atol=1e-6)
    for result in (straight, solve(wheels(angle, "side"))):
        assert sorted(change.joint for change in result.reached.changes) == ["C", "C", "H", "H"]
        assert np.isfinite(result.accelerations).all()
        assert result.error < 1e-12


@pytest.mark.few(2)
@pytest.mark.parametrize("angle", [70, 70.13, 33.33])
@pytest.mark.parametrize("branch", ["side", "smooth"])
def test_a_coupled_group_is_followed_past_a_change_point_before_it(angle, branch):
    base = places(four_bar(4, 1, 4, 1, np.radians(angle)))
    joints = {**base, "P": 9 + 7j, "Q": 5, "R": 7 + 10j, "F": 5j, "G": 11 + 5j}
    links = ("A B", "B C", "C D", "C P", "P Q R", "Q F", "R G")
    result = solve(linkage(joints, "ADFG", links, study={"branch": branch}))
    assert result.status.name == "CHANGE_POINTS"
    assert len(result.reached.changes) == 2
    assert result.error < 1e-12
    if branch == "smooth":
        np.testing.assert_allclose(result.joints["C"] - result.joints["B"], [[4, 0]] * 360, atol=1e-6)


@pytest.mark.parametrize("span", [(-90, 20), (0, 90)])
def test_a_change_point_at_an_end_of_the_range_is_reported(span):
    motor = {"joint": "A", "drives": "B", "range": [f"{end} deg" for end in span]}
    result = solve(four_bar(4, 2, 4, 2, np.pi / 2, motors=[motor]))
    assert [change.joint for change in result.reached.changes] == ["C"]
    assert np.isfinite(result.velocities).all()
    assert np.isfinite(result.accelerations).all()


def test_a_kite_does_not_jump_where_its_two_feet_meet():
    result = solve(four_bar(1, 1, 2, 2))
    assert [change.crossed for change in result.reached.changes] == [True]
    assert np.hypot(*np.diff(result.joints["C"], axis=0).T).max() < 0.1
    assert not result.closed  # a turn of the crank ends on the other side


# A coupled group, and a rule after it with a limit of its own: quick-returns that drive a ram


def quick_return(b, d, e, s, along) -> Linkage:
    sliders = [{"joint": "B", "on": "D-E"}, {"joint": "S", "along": along}]
    return linkage({"A": 0, "B": b, "D": d, "E": e, "S": s}, "AD", ["A B", "D E", "E S"], sliders=sliders)


RAMS = {
    "folded": quick_return(-0.8 - 1.3j, -0.6 + 1j, -0.85 - 1.9j, 0.85 + 0.1j, ((0, 0), (1, 0.9))),
    "stretched": quick_return(-0.2 - 0.8j, 0.9 + 0.6j, -0.9 - 1.7j, -2.3 - 4.2j, ((0, 0), (-1, 0.01))),
}


@pytest.mark.parametrize("ram", RAMS)
def test_a_ram_behind_a_slotted_lever_stops_where_its_rod_is_square_to_its_guide(ram, monkeypatch):
    """The slot is some way beside D, so that the lever is at arg(B − D) − arcsin(beside/|B − D|)."""
    tries, step = [], follow._step

    def counted(*given):
        tries.append(1)
        assert len(tries) < 20_000  # not in steps of 1e-8 rad
        return step(*given)

    monkeypatch.setattr(follow, "_step", counted)
    model = RAMS[ram]
    high = limits(model)[1]
    at = {name: complex(*place) for name, place in model.joints.items()}
    first, second = (complex(*point) for point in model.sliders[1].along)
    way = (second - first) / abs(second - first)

    lever = at["E"] - at["D"]
    beside = (lever.conjugate() * (at["B"] - at["D"])).imag / abs(lever)

    def short(angle: float) -> float:
        """By how much the rod from the lever's end is too short to reach the guide."""
        away = at["B"] * np.exp(1j * angle) - at["D"]
        end = at["D"] + abs(lever) * np.exp(1j * (np.angle(away) - np.arcsin(beside / abs(away))))
        return abs(((at["S"] - end) * way.conjugate()).imag) - abs(at["S"] - at["E"])

    assert short(high) == pytest.approx(0, abs=1e-9)
    assert all(short(angle) < 0 for angle in np.linspace(0, high, 200)[:-1])
