"""Motor paths: turns, ranges, profiles, several motors, and their rates in time."""

from types import SimpleNamespace

import numpy as np
import pytest

from pliant.linkage.generate import four_bar, linkage
from pliant.linkage.kinematics.drive import motor_drive
from pliant.linkage.solve import solve


def with_motor(**motor):
    return four_bar(4, 1, 3, 3, motors=[{"joint": "A", "drives": "B", **motor}])


def test_uniform_samples_are_those_of_the_paper():
    path = motor_drive(with_motor(), 8)
    np.testing.assert_allclose(path.angles(path.samples)[0], np.arange(8) * np.pi / 4)
    assert path.closed


def test_several_turns_are_one_longer_path():
    path = motor_drive(with_motor(turns=3), 12)
    np.testing.assert_allclose(path.angles(path.samples)[0], np.arange(12) * np.pi / 2)


def test_half_a_turn_does_not_close():
    path = motor_drive(with_motor(turns=0.5), 3)
    assert not path.closed
    np.testing.assert_allclose(path.angles(path.samples)[0], [0, np.pi / 2, np.pi])


def test_a_range_passes_the_drawn_pose_or_is_led_to():
    path = motor_drive(with_motor(range=(-1, 3)), 5)
    assert path.origin == 0.25
    led = motor_drive(with_motor(range=(1, 3)), 5)
    assert led.origin == -1
    np.testing.assert_allclose(led.angles(np.array([-1.0, 0.0, 1.0]))[0], [0, 1, 3])


@pytest.mark.parametrize(("resting", "origin"), [((0, 0), 0.25), ((0.5, 0.5), -1.0)])
def test_a_motor_that_rests_leaves_the_drawn_pose_to_the_others(resting, origin):
    motors = [with_motor(profile=profile).motors[0] for profile in (resting, (-1, 3))]
    assert motor_drive(SimpleNamespace(motors=motors), 2).origin == origin
    assert motor_drive(with_motor(profile=(0, 0)), 2).origin == 0


def test_a_clockwise_motor_turns_its_arm_clockwise():
    result = solve(with_motor(direction="cw", range=(0, 1)))
    assert result.absolute[0, -1] == pytest.approx(1.0 - 1.0)
    np.testing.assert_allclose(result.joints["B"][-1], [1, 0], atol=1e-12)


def test_a_profile_is_followed_sample_by_sample():
    profile = (0.0, 0.1, 0.4, 0.9, 0.7)
    result = solve(with_motor(profile=profile))
    np.testing.assert_allclose(result.angles, profile)
    arm = np.exp(1j * (1.0 + np.array(profile)))
    np.testing.assert_allclose(result.joints["B"] @ [1, 1j], arm, atol=1e-14)
    assert result.motion.axis == "time"


def test_the_rates_of_a_profile_are_those_of_its_spline():
    """A parabola is its own spline: φ = t² over one second."""
    t = np.linspace(0, 1, 11)
    path = motor_drive(with_motor(profile=tuple((t**2).tolist())), 11)
    w, dw = path.rates(path.samples)
    np.testing.assert_allclose(w[0], 2 * t, atol=1e-12)
    np.testing.assert_allclose(dw[0], 2, atol=1e-9)


def test_speed_sets_the_clock():
    slow, fast = solve(with_motor(speed=1)), solve(with_motor(speed=4))
    np.testing.assert_allclose(fast.velocities, 4 * slow.velocities, atol=1e-12)
    np.testing.assert_allclose(fast.accelerations, 16 * slow.accelerations, atol=1e-11)
    assert fast.drive.seconds == pytest.approx(2 * np.pi / 4)


def test_two_motors_run_in_step():
    joints = {"A": 0, "B": 1j, "C": 3 + 3j, "E": 6 + 1j, "D": 6}
    motors = [{"joint": "A", "drives": "B"}, {"joint": "D", "drives": "E", "direction": "cw", "turns": 2}]
    result = solve(linkage(joints, "AD", ("A B", "B C", "C E", "E D"), motors=motors))
    np.testing.assert_allclose(result.poses.angles[1], 2 * result.poses.angles[0])
    np.testing.assert_allclose(result.absolute[1], np.pi / 2 - 2 * result.angles)
