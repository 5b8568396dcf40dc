"""Pins, keep regions, sights and limits: rows that hold exactly where they should."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pliant.core.pose import carry
from pliant.flex.contact.distance import gaps
from pliant.flex.geometry.parts import compile_parts
from pliant.flex.model import Assembly
from pliant.flex.problem.joints import compile_joints

TRIANGLE = [[-1, -1], [3, -1], [-1, 2]]  # its centroid is not its origin


def compiled(**rest):
    bodies = [
        {"name": "base", "outline": TRIANGLE, "fixed": True},
        {"name": "a", "outline": TRIANGLE, "pose": [5, 1, 0.4]},
        {"name": "b", "outline": TRIANGLE, "pose": [9, -2, -0.3]},
    ]
    model = Assembly.model_validate({"bodies": bodies, **rest})
    parts = compile_parts(model)
    return parts, compile_joints(model, parts)


def moved(parts, name: str, x: float, y: float, turn: float = 0.0):
    poses = parts.drawn.copy()
    poses[parts.index(name)] += [x, y, turn]
    return poses


def test_a_pin_without_clearance_is_two_equations_that_hold_as_drawn():
    parts, joints = compiled(pins=[{"bodies": ["a", "b"], "at": [7, 0]}])
    assert len(joints.rows) == 0
    assert gaps(joints.pivots, parts.drawn) == pytest.approx([0, 0], abs=1e-12)
    off = gaps(joints.pivots, moved(parts, "b", 0.3, -0.4))
    assert np.hypot(*off) == pytest.approx(0.5)
    assert joints.pin_error == 0


def test_a_pivot_holds_when_both_bodies_turn_about_it_each_its_own_way():
    parts, joints = compiled(pins=[{"bodies": ["a", "b"], "at": [7, 0]}])
    poses = parts.drawn.copy()
    for name, turn in (("a", 0.5), ("b", -0.8)):
        arm = poses[parts.index(name), :2] - [7, 0]
        poses[parts.index(name), :2] = carry(np.array([7, 0, turn]), arm)
        poses[parts.index(name), 2] += turn
    assert gaps(joints.pivots, poses) == pytest.approx([0, 0], abs=1e-12)


@pytest.mark.parametrize("sides", [4, 8, 32])
def test_a_loose_pins_rows_allow_nothing_outside_the_disc_and_all_but_the_stated_error_inside(sides):
    parts, joints = compiled(pins=[{"bodies": ["base", "a"], "at": [4, 0], "clearance": 0.2, "sides": sides}])
    assert len(joints.rows) == sides
    assert joints.pin_error == pytest.approx(0.1 * (1 - math.cos(math.pi / sides)))
    for angle in np.linspace(0, 2 * math.pi, 57):
        along = np.array([math.cos(angle), math.sin(angle)])
        inside = gaps(joints.rows, moved(parts, "a", *(along * (0.1 - joints.pin_error - 1e-9))))
        outside = gaps(joints.rows, moved(parts, "a", *(along * (0.1 + 1e-9))))
        assert inside.min() >= 0
        assert outside.min() < 0


def test_the_pin_error_is_that_of_the_worst_pin():
    pins = [
        {"bodies": ["base", "a"], "at": [4, 0], "clearance": c, "sides": s} for c, s in ((0.2, 64), (0.1, 4))
    ]
    assert compiled(pins=pins)[1].pin_error == pytest.approx(0.05 * (1 - math.cos(math.pi / 4)))


@pytest.mark.parametrize("order", [1, -1])
def test_a_keep_region_is_convex_however_it_is_wound(order):
    ring = [[4, -1], [9, -1], [9, 6], [4, 6]][::order]
    parts, joints = compiled(keep=[{"body": "a", "point": [0.5, 0.5], "inside": ring}])
    x, y = carry(np.array([5, 1, 0.4]), np.array([0.5, 0.5]))
    assert sorted(gaps(joints.rows, parts.drawn)) == pytest.approx(sorted([x - 4, y + 1, 9 - x, 6 - y]))
    assert gaps(joints.rows, moved(parts, "a", 0, 7)).min() == pytest.approx(6 - (y + 7))


def test_a_sight_holds_inside_its_cone_and_not_beyond_or_behind():
    cone = {"from": "a", "to": "b", "apex": [0.2, 0.1], "axis": 0.3, "half_angle": 0.5, "marker": [0.4, -0.2]}
    parts, joints = compiled(sights=[cone])
    assert len(joints.rows) == 2
    apex = carry(np.array([5, 1, 0.4]), np.array([0.2, 0.1]))
    marker = carry(np.array([9, -2, -0.3]), np.array([0.4, -0.2]))
    for off, seen in ((0.0, True), (0.49, True), (-0.49, True), (0.51, False), (-0.51, False), (3.0, False)):
        angle = 0.4 + 0.3 + off
        target = apex + 3 * np.array([math.cos(angle), math.sin(angle)])
        poses = moved(parts, "b", *(target - marker))
        assert (gaps(joints.rows, poses).min() >= 0) == seen


def test_a_limit_on_rotation_is_symmetric_where_it_is_one_number():
    parts, joints = compiled(limits=[{"body": "a", "rotation": 0.2}])
    radius = parts.radius[parts.index("a")]  # the outermost point's travel: a length, as in every other row
    assert joints.linear.gaps(parts.drawn) / radius == pytest.approx([0.2, 0.2])
    turned = joints.linear.gaps(moved(parts, "a", 1, 1, 0.05))
    assert sorted(turned / radius) == pytest.approx([0.15, 0.25])


def test_a_limit_on_travel_counts_from_the_drawn_pose():
    parts, joints = compiled(limits=[{"body": "a", "x": [-0.1, 0.3], "y": [0, 2], "rotation": [-0.4, 0.1]}])
    arm = np.repeat([1, parts.radius[parts.index("a")]], [4, 2])
    assert joints.linear.gaps(parts.drawn) / arm == pytest.approx([0.1, 0.3, 0, 2, 0.4, 0.1])
    there = joints.linear.gaps(moved(parts, "a", 0.2, 1.5, 0.05))
    assert there / arm == pytest.approx([0.3, 0.1, 1.5, 0.5, 0.45, 0.05])


def test_a_limit_on_travel_is_of_the_centroid_so_that_turning_about_it_uses_up_none():
    parts, joints = compiled(limits=[{"body": "a", "x": [-0.1, 0.1], "y": [-0.1, 0.1]}])
    assert joints.linear.gaps(moved(parts, "a", 0, 0, 0.5)) == pytest.approx([0.1] * 4)


def test_a_point_of_a_body_is_where_its_own_frame_puts_it():
    parts, _ = compiled()
    expected = carry(np.array([5, 1, 0.4]), np.array([0.7, -0.3]))
    own = parts.user_poses(parts.drawn)[1]
    assert carry(own, np.array([0.7, -0.3])) == pytest.approx(expected)
    assert carry(parts.drawn[1], parts.origins[1] + [0.7, -0.3]) == pytest.approx(expected)


def test_rows_are_numbered_by_the_joint_they_belong_to():
    _, joints = compiled(
        pins=[
            {"bodies": ["a", "b"], "at": [7, 0]},
            {"bodies": ["base", "a"], "at": [4, 0], "clearance": 0.1, "sides": 4},
        ],
        keep=[{"body": "b", "inside": [[0, -9], [20, -9], [20, 9], [0, 9]]}],
        sights=[{"from": "a", "to": "b", "half_angle": 1.0}],
        limits=[{"body": "b", "rotation": 1.0}],
    )
    assert [joint.kind for joint in joints.joints] == ["pin", "pin", "keep", "sight", "limit"]
    assert joints.pivots.source.tolist() == [0, 0]
    assert joints.rows.source.tolist() == [1] * 4 + [2] * 4 + [3] * 2
    assert joints.linear.source.tolist() == [4, 4]
