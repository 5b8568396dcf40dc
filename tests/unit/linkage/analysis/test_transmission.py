"""Transmission angles: closed forms of four-bar and slider-crank, and the worst pose between samples."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from pliant.linkage.analysis.transmission import Transmission, toggle_margin, transmissions
from pliant.linkage.generate import four_bar, linkage, places, slider_crank, turning_triad
from pliant.linkage.kinematics.drive import motor_drive
from pliant.linkage.kinematics.follow import follow
from pliant.linkage.kinematics.limits import motion_range, poses_at
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import LinkagePoses, positions
from pliant.linkage.model import Linkage
from pliant.linkage.structure.constraints import errors, residuals


def cycle(model: Linkage, samples: int = 360) -> LinkagePoses:
    found = follow(compile_plan(model), np.arange(samples)[None] * 2 * np.pi / samples)
    assert found.complete
    assert errors(found.poses.plan.structure.rows, found.poses.drawn, found.poses.points).max() < 1e-9
    return found.poses


def only(found: tuple[Transmission, ...]) -> Transmission:
    (one,) = found
    return one


@pytest.mark.parametrize("lengths", [(4, 1, 3.5, 3), (1, 3, 3.5, 4), (5, 1, 4.5, 2)])
def test_a_four_bars_worst_angle_is_where_crank_and_ground_are_in_line(lengths):
    ground, first, coupler, last = lengths
    found = only(transmissions(cycle(four_bar(*lengths)), True))
    cosines = [
        (coupler**2 + last**2 - (ground + side * first) ** 2) / (2 * coupler * last) for side in (1, -1)
    ]
    side = int(np.argmax(np.abs(cosines)))
    assert found.worst == pytest.approx(np.arccos(np.abs(cosines[side])), abs=1e-12)
    assert np.exp(1j * (found.at[0] + 1.0)) == pytest.approx((-1.0, 1.0)[side], abs=1e-9)


def test_along_the_cycle_the_angle_is_that_of_the_cosine_rule():
    ground, first, coupler, last = 4.0, 1.0, 3.5, 3.0
    poses = cycle(four_bar(ground, first, coupler, last))
    angle = 1.0 + poses.angles[0]
    square = ground**2 + first**2 - 2 * ground * first * np.cos(angle)
    mu = np.arccos(np.abs(coupler**2 + last**2 - square) / (2 * coupler * last))
    found = only(transmissions(poses, True))
    assert found.angles == pytest.approx(mu, abs=1e-12)
    assert (found.joints, found.sources, found.rule) == (("C",), ("B", "D"), "triangle")


@pytest.mark.parametrize("samples", [12, 36, 1000])
def test_the_worst_pose_does_not_depend_on_the_samples(samples):
    found = only(transmissions(cycle(four_bar(4, 1, 3.5, 3), samples), True))
    assert found.worst == pytest.approx(np.arccos((3.5**2 + 3**2 - 3**2) / (2 * 3.5 * 3)), abs=1e-12)
    assert found.at[0] % (2 * np.pi) == pytest.approx(2 * np.pi - 1.0, abs=1e-6)
    assert found.pose == pytest.approx((2 * np.pi - 1.0) / (2 * np.pi) * samples, abs=1e-5)


@pytest.mark.parametrize(("r", "rod", "offset"), [(1, 3, 0), (1, 3, 0.7), (2, 5, -1.5)])
def test_a_slider_cranks_worst_angle_is_where_the_crank_stands_square_to_the_guide(r, rod, offset):
    found = only(transmissions(cycle(slider_crank(r, rod, offset)), True))
    assert found.worst == pytest.approx(np.arccos((r + abs(offset)) / rod), abs=1e-12)
    assert found.rule == "slider"


def test_a_sliders_angle_is_a_right_one_where_its_bar_lies_along_the_guide():
    poses = cycle(slider_crank(1, 3, angle=np.pi / 6), 12)
    found = only(transmissions(poses, True))
    assert found.angles[[5, 11]] == pytest.approx(np.pi / 2)  # crank at 180 and 360 degrees
    assert found.angles[2] == pytest.approx(np.arccos(1 / 3))  # at 90


def test_of_a_run_that_is_not_closed_the_end_can_be_the_worst():
    plan = compile_plan(four_bar(4, 1, 3.5, 3))
    found = only(transmissions(positions(plan, np.linspace(0.0, -0.5, 11)[None]), False))
    assert found.pose == 10
    assert found.at == (-0.5,)
    assert found.worst == found.angles[-1] < found.angles[0]


def test_in_a_change_point_nothing_is_left():
    poses = cycle(four_bar(3, 1, 3, 1, np.pi / 2 + 0.3))
    found = only(transmissions(poses, True))
    assert found.worst < 1e-7
    assert found.margin < 1e-7


def test_behind_a_change_point_the_sides_are_those_of_the_run():
    """A parallelogram that goes straight on, with a dyad behind it: against very many samples."""
    joints = {"A": 0, "B": 0.3 + 1j, "C": 3.3 + 1j, "D": 3, "P": 4 + 2j, "Q": 6 + 2j, "G": 6 - 1j}
    model = linkage(joints, "ADG", ("A B", "B C P", "D C", "P Q", "Q G"))
    plan, path = compile_plan(model), motor_drive(model, 90)
    reached = motion_range(plan, path, smooth=True)
    assert len(reached.changes) == 2
    few, many = (
        {one.joints[0]: one for one in transmissions(poses_at(plan, path, reached, np.arange(n) / n), True)}
        for n in (90, 40_000)
    )
    assert few["Q"].worst == pytest.approx(many["Q"].worst, abs=1e-9)
    assert few["Q"].worst < few["Q"].angles.min()


def test_the_toggle_margin_is_the_least_of_all_joints():
    joints = {"A": 0, "B": 1j, "C": 3 + 2j, "D": 4, "E": -3 + 2j, "F": -2.6}
    found = transmissions(cycle(linkage(joints, "ADF", ("A B", "B C", "C D", "B E", "E F"))), True)
    worst = toggle_margin(found)
    assert worst is not None
    assert {one.joints for one in found} == {("C",), ("E",)}
    assert worst.margin == min(one.margin for one in found)
    assert worst.margin == pytest.approx(np.sin(worst.worst))


def test_a_crank_alone_has_no_margin():
    plan = compile_plan(linkage({"A": 0, "B": 1}, "A", ("A B",)))
    assert toggle_margin(transmissions(positions(plan, np.zeros((1, 5))), False)) is None


def test_coupled_joints_have_the_angle_of_their_least_singular_value():
    poses = cycle(turning_triad())
    found = only(transmissions(poses, True))
    (group,) = poses.plan.groups
    here, still, step = poses.points[7][group.near], poses.drawn[group.near], 1e-6
    rows = np.empty((6, 6))
    for column, (joint, axis) in enumerate(product(group.own, range(2))):
        shift = np.zeros_like(here)
        shift[joint, axis] = step
        there, back = (residuals(group.rows, still, (here + s * shift)[None])[0] for s in (1, -1))
        rows[:, column] = (there - back) / (2 * step)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    sigma = np.linalg.svd(rows, compute_uv=False)[-1]
    assert (found.rule, set(found.joints)) == ("coupled", set("CDE"))
    assert np.sqrt(2) * np.sin(found.angles[7] / 2) == pytest.approx(sigma, abs=1e-8)


def test_the_worst_pose_of_coupled_joints_lies_between_samples():
    few, many = (only(transmissions(cycle(turning_triad(), samples), True)) for samples in (90, 3600))
    assert few.worst == pytest.approx(many.worst, abs=1e-6)
    assert few.worst < few.angles.min()
    assert few.at[0] == pytest.approx(many.at[0], abs=1e-2)


def test_angles_are_the_same_in_a_turned_moved_and_scaled_drawing():
    model = four_bar(4, 1, 3.5, 3)
    turn = 7 * np.exp(0.8j)
    moved = {name: turn * z + 3 - 2j for name, z in places(model).items()}
    other = linkage(moved, "AD", ("A B", "B C", "C D"))
    here, there = (only(transmissions(cycle(each, 40), True)) for each in (model, other))
    assert there.angles == pytest.approx(here.angles, abs=1e-11)
    assert there.worst == pytest.approx(here.worst, abs=1e-11)


def test_angles_vary_smoothly_through_the_cycle():
    """A fold of the angle at 90 degrees is a corner, never a jump."""
    found = only(transmissions(cycle(four_bar(4, 1, 3.5, 3), 720), True))
    steps = [abs(b - a) for a, b in pairwise([*found.angles, found.angles[0]])]
    assert max(steps) < 0.02
