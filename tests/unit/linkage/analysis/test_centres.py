"""Instant centres and turning of links: known centres, Kennedy's theorem, links that do not turn."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from pliant.linkage.analysis.centres import Centres, centres, spins
from pliant.linkage.generate import linkage, slider_crank, turning_triad
from pliant.linkage.kinematics.follow import follow
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import LinkagePoses, positions, rates
from pliant.linkage.model import Linkage
from pliant.linkage.structure.constraints import errors

SIX_BAR = {"A": 0, "B": 0.3 + 1j, "C": 3 + 2j, "D": 4, "E": 5 + 1.4j, "F": 6 + 4j, "G": 9}
FOUR_BAR = linkage({name: SIX_BAR[name] for name in "ABCD"}, "AD", ("A B", "B C", "D C"))
WATT_LINKS = ("A B", "B C", "D C E", "E F", "G F")
WATT = linkage(SIX_BAR, "ADG", WATT_LINKS)
COUPLED = turning_triad()
SLIDER = slider_crank(1, 2.5, 0.2)


def cycle(
    model: Linkage, samples: int = 60, w: float = 1.0, dw: float = 0.0
) -> tuple[LinkagePoses, np.ndarray, np.ndarray]:
    found = follow(compile_plan(model), np.arange(samples)[None] * 2 * np.pi / samples)
    assert found.complete
    assert errors(found.poses.plan.structure.rows, found.poses.drawn, found.poses.points).max() < 1e-9
    one = np.ones_like(found.poses.angles)
    return found.poses, *rates(found.poses, w * one, dw * one)


def centre_of(model: Linkage, first: str, second: str, samples: int = 60) -> tuple[LinkagePoses, Centres]:
    poses, v, a = cycle(model, samples)
    (found,) = centres(poses, spins(poses, v, a), [(first, second)])
    return poses, found


def direction(bar: np.ndarray) -> np.ndarray:
    return np.unwrap(np.arctan2(bar[1], bar[0]))


@pytest.mark.parametrize("model", [FOUR_BAR, WATT, COUPLED, SLIDER])
def test_angular_rates_are_the_derivatives_of_each_links_direction(model):
    """At motor rates 1.3 and 0.4, against differences of directions: the error falls as the square."""
    plan = compile_plan(model)
    middle = follow(plan, np.linspace(0.0, 0.8, 9)[None]).poses.x[:, :, -1:]

    def error(step: float) -> float:
        times = step * np.arange(-2, 3)
        angles = (0.8 + 1.3 * times + 0.2 * times**2)[None]
        poses = positions(plan, angles, near=np.repeat(middle, 5, axis=2))
        found = spins(poses, *rates(poses, (1.3 + 0.4 * times)[None], np.full((1, 5), 0.4)))
        worst = 0.0
        for number, link in enumerate(plan.structure.links, start=1):
            theta = direction(poses.x[link[1]] - poses.x[link[0]])
            first, second = (theta[3] - theta[1]) / (2 * step), (theta[3] - 2 * theta[2] + theta[1]) / step**2
            worst = max(
                worst, abs(first - found.velocity[number, 2]), abs(second - found.acceleration[number, 2])
            )
        return worst

    assert error(2e-3) < 1e-4
    assert error(4e-3) / error(2e-3) == pytest.approx(4, rel=0.05)


def test_the_ground_does_not_turn():
    found = spins(*cycle(FOUR_BAR))
    assert found.names == ("ground", "A-B", "B-C", "D-C")
    assert not found.velocity[0].any()
    assert found.velocity[1] == pytest.approx(1.0)


def test_a_coupler_turns_about_the_point_where_crank_and_rocker_meet():
    poses, found = centre_of(FOUR_BAR, "ground", "B-C")
    a, b, c, d = poses.x
    u, w = b - a, c - d
    t = ((d - a)[0] * w[1] - (d - a)[1] * w[0]) / (u[0] * w[1] - u[1] * w[0])
    assert found.finite.all()
    assert found.points == pytest.approx((a + t * u).T, rel=1e-8)


def test_crank_and_rocker_turn_about_a_point_of_the_ground_line_that_divides_it_by_their_speeds():
    poses, found = centre_of(FOUR_BAR, "A-B", "D-C")
    turning = spins(*cycle(FOUR_BAR))
    first, last = turning.velocity[1], turning.velocity[3]
    assert found.points[:, 1] == pytest.approx(np.zeros(60), abs=1e-9)
    assert first * found.points[:, 0] == pytest.approx(last * (found.points[:, 0] - 4), abs=1e-9)
    assert poses.x[3][0] == pytest.approx(4.0)


def test_links_with_a_joint_in_common_turn_about_it():
    poses, found = centre_of(FOUR_BAR, "B-C", "D-C")
    assert found.points == pytest.approx(poses.x[2].T)
    _, pivot = centre_of(FOUR_BAR, "ground", "D-C")
    assert pivot.points == pytest.approx(np.tile([4.0, 0.0], (60, 1)))


@pytest.mark.parametrize("model", [WATT, COUPLED])
def test_kennedy_three_centres_of_three_links_lie_on_a_line(model):
    poses, v, a = cycle(model)
    found = spins(poses, v, a)
    all_of = {one.links: one for one in centres(poses, found)}
    assert len(all_of) == 15
    tried = 0
    for trio in combinations(found.names, 3):
        p, q, r = (all_of[pair].points for pair in combinations(trio, 2))
        sides = np.stack([q - p, r - p, r - q])
        finite = np.all([all_of[pair].finite for pair in combinations(trio, 2)], axis=0)
        area = np.abs(sides[0, :, 0] * sides[1, :, 1] - sides[0, :, 1] * sides[1, :, 0])
        longest = np.hypot(*np.moveaxis(sides, 2, 0)).max(axis=0)
        assert (area[finite] <= 1e-9 * np.maximum(longest[finite], 1) ** 2).all()
        tried += int(finite.sum())
    assert tried > 1000


def test_a_rod_turns_about_the_point_above_its_slider():
    poses, found = centre_of(SLIDER, "ground", "B-P", 90)
    assert found.points[:, 0] == pytest.approx(poses.x[2][0], rel=1e-9)
    x, y = poses.x[1]
    assert found.points[:, 1] == pytest.approx(poses.x[2][0] * y / x, rel=1e-6)


def test_a_parallelograms_coupler_has_its_centre_at_infinity_along_the_cranks():
    model = linkage({"A": 0, "B": 0.6 + 0.8j, "C": 3.6 + 0.8j, "D": 3}, "AD", ("A B", "B C", "D C"))
    plan = compile_plan(model)
    poses = positions(plan, np.linspace(-0.5, 1.5, 9)[None])
    v, a = rates(poses, np.ones((1, 9)), np.zeros((1, 9)))
    (found,) = centres(poses, spins(poses, v, a), [("ground", "B-C")])
    assert not found.finite.any()
    assert found.moving.all()
    crank = poses.x[1].T  # of length 1
    assert np.abs((found.points * crank).sum(axis=1)) == pytest.approx(1.0)
    assert np.hypot(*found.points.T) == pytest.approx(1.0)


def test_where_a_link_rests_for_an_instant_its_centre_is_the_limit():
    """Drawn with crank and coupler in line: the rocker and what it drives stand still."""
    joints = SIX_BAR | {"B": 0.9 + 0.6j}  # A-B-C in line
    plan = compile_plan(linkage(joints, "ADG", WATT_LINKS))

    def centre(angle: float) -> Centres:
        poses = positions(plan, np.array([[angle]]))
        found = spins(poses, *rates(poses, np.ones((1, 1)), np.zeros((1, 1))))
        return centres(poses, found, [("ground", "E-F")])[0]

    before, here, after = (centre(angle) for angle in (-1e-4, 0.0, 1e-4))
    assert here.finite.all()
    assert here.points == pytest.approx((before.points + after.points) / 2, rel=1e-6)


def test_a_linkage_at_rest_has_no_centres_and_nothing_that_is_not_a_number():
    poses, v, a = cycle(WATT, 10, 0.0, 0.0)
    for found in centres(poses, spins(poses, v, a)):
        assert np.isfinite(found.points).all()
        if found.links == ("ground", "B-C"):
            assert not found.moving.any()
            assert not found.finite.any()
            assert not found.points.any()


def test_poses_without_velocities_leave_the_others_alone():
    """A change point in the middle of a run, where the rates are not numbers."""
    poses, v, a = cycle(FOUR_BAR, 20)
    whole = centres(poses, spins(poses, v, a), [("ground", "B-C")])[0]
    v[2, :, 5], a[2, :, 5], v[2, 0, 6] = np.nan, np.inf, 1e16
    broken = centres(poses, spins(poses, v, a), [("ground", "B-C")])[0]
    others = [n for n in range(20) if n not in (5, 6)]
    assert np.isfinite(broken.points).all()
    assert broken.points[others] == pytest.approx(whole.points[others])
