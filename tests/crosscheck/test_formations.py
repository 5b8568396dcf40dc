"""Flocks on the way through doors, judged from their frames alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.crosscheck.formations import least_gap, least_view

from pliant.flex.generate import flock, flock_through_door
from pliant.flex.result import FlexResult
from pliant.flex.solve import solve
from pliant.flex.status import FlexStatus


@pytest.fixture(scope="module")
def passed() -> FlexResult:
    return solve(flock_through_door(66, 4.5))


def test_a_flock_goes_through_a_door_without_a_collision_and_in_view_all_the_way(passed):
    assert passed.status is FlexStatus.CONVERGED
    assert least_gap(passed, passed.threshold) >= -passed.threshold
    assert least_view(passed, passed.threshold) >= -passed.threshold


@pytest.mark.slow
def test_a_flock_squeezes_without_a_collision_and_in_view_all_the_way():
    squeezed = solve(flock(21))
    assert least_gap(squeezed, squeezed.threshold) >= -squeezed.threshold
    assert least_view(squeezed, squeezed.threshold) >= -squeezed.threshold


@pytest.mark.parametrize("spoilt", ["collides", "looks away"])
def test_a_robot_that_collides_or_looks_away_between_frames_is_found(passed, spoilt):
    """The way there and back is as drawn at all its ends but one."""
    poses = passed.frames.poses.copy()
    robot = next(place for place, body in enumerate(passed.model.bodies) if body.name == "r1")
    other = next(place for place, body in enumerate(passed.model.bodies) if body.name == "r2")
    ends = np.stack([poses[0], poses[0]])
    if spoilt == "collides":
        ends[1, robot, :2] = 2 * ends[0, other, :2] - ends[0, robot, :2]  # right through it
        ends[1, other, 0] += 1e-9
    else:
        ends[1, robot, 2] += np.pi
    wrong = replace(passed, frames=replace(passed.frames, poses=ends))
    measure = least_gap if spoilt == "collides" else least_view
    assert measure(wrong, passed.threshold) == -np.inf


@pytest.mark.slow
def test_1024_robots_go_through_a_door_of_eight_and_a_half_without_a_collision_and_in_view():
    passed = solve(flock_through_door(1024, 8.5))
    assert passed.status is FlexStatus.CONVERGED
    assert least_gap(passed, passed.threshold) >= -passed.threshold
    assert least_view(passed, passed.threshold) >= -passed.threshold
