"""Running a linkage: every ending, what is reported, and what is in the result."""

import json
import warnings

import numpy as np
import pytest

import pliant
from pliant.linkage.generate import (
    chain,
    four_bar,
    jansen,
    linkage,
    places,
    slider_crank,
    triad,
    turning_triad,
)
from pliant.linkage.kinematics import limits
from pliant.linkage.kinematics.reach import MotionLimit
from pliant.linkage.model import TraceStudy
from pliant.linkage.solve import solve
from pliant.linkage.status import TraceStatus


def test_a_crank_rocker_runs_all_the_way_round():
    result = solve(four_bar(4, 1, 3, 3))
    assert result.status is TraceStatus.RUNS
    assert result.limits is None
    assert result.closed
    assert result.summary().startswith("Runs all the way round.")


def test_a_parallelogram_runs_through_change_points():
    result = solve(four_bar(3, 1, 3, 1))
    assert result.status is TraceStatus.CHANGE_POINTS
    assert [notice.kind for notice in result.warnings] == ["change point", "change point"]
    assert "two ways" in result.summary().splitlines()[0]


def test_a_non_grashof_crank_is_limited_and_says_where_and_why():
    result = solve(four_bar(4, 3, 2, 2.5, 0.5))
    assert result.status is TraceStatus.LIMITED
    assert "C is stretched" in result.summary().splitlines()[0]
    assert [notice.kind for notice in result.warnings] == ["limit", "limit"]
    assert np.isfinite(result.velocities).all()
    assert not result.closed


def test_a_spare_crank_that_fits_only_as_drawn_locks():
    """P-F is a radius of the curve's circle of curvature: it fits to second order, and no further."""
    model = four_bar(4, 1, 3, 3, point=0.5 + 0.5j)
    run = solve(model)
    at, v, a = (arrays[4, :, 0] @ [1, 1j] for arrays in (run.poses.x, run.velocities, run.accelerations))
    normal = 1j * v / abs(v)
    centre = at + normal * abs(v) ** 2 / (a * normal.conjugate()).real
    locked = solve(linkage(places(model) | {"F": centre}, "ADF", ("A B", "B C P", "C D", "P F")))
    assert locked.status is TraceStatus.LOCKED
    assert locked.error > 1e-3
    assert any(notice.kind == "redundant" for notice in locked.warnings)


def test_a_group_that_is_lost_is_no_answer(monkeypatch):
    monkeypatch.setattr(
        "pliant.linkage.kinematics.limits._group_limit", lambda s: MotionLimit(float(s.t[3]), ("C",), "lost")
    )
    result = solve(triad())
    assert result.status is TraceStatus.LOST
    assert result.status.exit_code == 3
    assert result.summary().startswith("Not followed")


def test_a_spare_crank_that_fits_is_noted():
    joints = {"A": 0, "B": 1j, "C": 3 + 1j, "D": 3, "E": 5 + 1j, "F": 5}
    result = solve(
        linkage(joints, "ADF", ("A B", "B C E", "C D", "E F"), study={"branch": "smooth", "tolerance": 0.1})
    )
    assert result.freedoms == 1
    assert result.grubler == 0
    assert any("they fit all the way" in notice.text for notice in result.warnings)
    assert result.bands == {}
    assert any("locks it" in notice.text for notice in result.warnings)


def test_velocities_and_accelerations_are_derivatives_in_time():
    result = solve(jansen(study={"samples": 2000}))
    dt = result.drive.seconds / 2000
    speed = (np.roll(result.poses.x, -1, axis=2) - np.roll(result.poses.x, 1, axis=2)) / (2 * dt)
    np.testing.assert_allclose(result.velocities, speed, atol=2e-3 * np.abs(speed).max())
    change = (np.roll(result.velocities, -1, axis=2) - np.roll(result.velocities, 1, axis=2)) / (2 * dt)
    np.testing.assert_allclose(result.accelerations, change, atol=5e-3 * np.abs(change).max())


def test_what_is_traced_by_default_are_the_ends_of_links():
    assert solve(jansen()).traced == ("P5",)
    assert solve(four_bar(4, 1, 3, 3)).traced == ("B", "C")
    assert solve(slider_crank(1, 3)).traced == ("B", "P")


def test_absolute_angles_are_those_of_the_arm():
    result = solve(four_bar(4, 1, 3, 3, angle=0.7))
    arm = result.joints["B"] @ [1, 1j]
    np.testing.assert_allclose(np.exp(1j * result.absolute[0]), arm, atol=1e-13)


@pytest.mark.slow
def test_the_whole_result_is_json_without_nan():
    for model in (
        jansen(study={"tolerance": 0.1, "layers": True, "jacobian": True, "velocity": True, "centres": True}),
        four_bar(3, 1, 3, 1, study={"tolerance": 0.1, "acceleration": True, "jacobian": True}),
        four_bar(4, 3, 2, 2.5, 0.5, loads=[{"joint": "C", "force": [0, -1]}], study={"tolerance": 0.1}),
        triad(study={"tolerance": 0.01, "jacobian": True}),
    ):
        data = json.loads(json.dumps(pliant.solve(model).to_dict(), allow_nan=False))
        assert set(data) >= {"kind", "command", "status", "message", "seconds", "version", "model"}
        assert set(data) >= {"angles", "joints", "order", "limits", "warnings", "motion"}


def test_the_jacobian_of_a_traced_point_has_a_block_for_every_joint():
    result = solve(jansen(study={"samples": 10, "jacobian": True}))
    foot = np.array(result.to_dict()["jacobian"]["P5"])
    assert foot.shape == (10, 2, 8, 2)
    np.testing.assert_allclose(foot[0, :, 7], np.eye(2), atol=1e-12)
    np.testing.assert_allclose(foot[0, :, :7], 0, atol=1e-11)


def test_every_plot_and_the_motion_can_be_drawn():
    result = solve(jansen(study={"tolerance": 0.1}, loads=[{"joint": "P5", "force": [0, 30]}]))
    assert set(result.plots()) == {"coordinates", "speed", "transmission", "torque", "bands", "sensitivity"}
    groups = {mark.group for mark in result.motion.marks}
    assert {"trace", "band", "statistical", "force"} <= groups


def test_a_long_chain_moves_as_its_first_link():
    result = solve(chain(200, study={"samples": 7}))
    tips = np.array([result.joints[f"T{k}"] for k in range(201)])
    expected = tips[0] + np.stack([3 * np.arange(201.0), np.zeros(201)], axis=1)[:, None]
    np.testing.assert_allclose(tips, expected, atol=1e-10)


def test_a_range_that_cannot_be_reached_shows_the_way_to_where_it_stops():
    motor = {"joint": "A", "drives": "B", "range": [2.0, 2.2]}
    result = solve(four_bar(4, 3, 2, 3, np.pi / 4, motors=[motor]))
    assert result.status is TraceStatus.LIMITED
    assert result.error < 1e-12
    assert result.angles[-1] == pytest.approx(np.pi / 4, abs=1e-6)


def test_limits_are_those_of_what_was_run():
    profile = {"joint": "A", "drives": "B", "profile": np.radians([0, 80, 10, 60, -60, -120, -30]).tolist()}
    assert solve(four_bar(4, 3, 2, 3, np.radians(0.7), motors=[profile])).limits[1] == pytest.approx(
        np.radians(80)
    )
    led = {"joint": "A", "drives": "B", "range": ["30 deg", "170 deg"]}
    assert solve(four_bar(4, 3, 2, 2.5, 0.2, motors=[led])).limits[0] == pytest.approx(np.radians(30))


def test_a_motor_that_stands_still_does_not_stop_the_clock():
    joints = {"A": 0, "B": 1j, "C": 3 + 3j, "E": 6 + 1j, "D": 6}
    motors = [
        {"joint": "A", "drives": "B", "profile": [0, 0, 0, 0]},
        {"joint": "D", "drives": "E", "profile": [0, 0.1, 0.2, 0.3]},
    ]
    result = solve(linkage(joints, "AD", ("A B", "B C", "C E", "E D"), motors=motors))
    assert result.drive.seconds == pytest.approx(0.3)
    assert np.isfinite(result.velocities).all()


def test_several_turns_enclose_what_one_does():
    for turns in (1, 2, 3):
        motor = {"joint": "A", "drives": "B", "turns": turns}
        data = solve(four_bar(4, 1, 3, 3, motors=[motor])).to_dict()["curves"]["B"]
        assert data["area"] == pytest.approx(np.pi)
        assert data["length"] == pytest.approx(2 * np.pi)


def test_a_small_linkage_far_from_the_origin_is_measured_about_itself():
    here = places(four_bar(4, 1, 3, 3))
    far = {name: 1e6 + 1e6j + 1e-2 * z for name, z in here.items()}
    near, away = (solve(linkage(at, "AD", ("A B", "B C", "C D"))).to_dict()["curves"] for at in (here, far))
    assert away["B"]["area"] == pytest.approx(np.pi * 1e-4, rel=1e-4)
    assert away["C"]["time_ratio"] == pytest.approx(near["C"]["time_ratio"], rel=1e-3)


@pytest.mark.slow
def test_a_pose_in_which_rates_have_no_bound_raises_no_warning():
    """A parallelogram drawn very much askew, beside the pose in which it folds."""
    joints = {"A": 0, "B": 1j, "C": 1e6 + 1j, "D": 3, "P": 1.5 + 1j}
    model = linkage(joints, "AD", ["A B", "B P C", "D C"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = solve(model, model.study.model_copy(update={"branch": "smooth"}))
        assert "Not followed: " in result.summary()


def test_a_run_to_infinity_is_an_ending_of_its_own():
    guides = [{"joint": "P", "on": "O-A"}, {"joint": "P", "along": [[1, 0], [1, 1]]}]
    result = solve(linkage({"O": 0, "A": 0.8 + 0.6j, "P": 1 + 0.75j}, "O", ("O A",), sliders=guides))
    assert result.status is TraceStatus.UNBOUNDED
    np.testing.assert_allclose(result.limits, np.array([-0.5, 0.5]) * np.pi - np.arctan(0.75), atol=1e-12)
    assert "P runs off to infinity" in result.summary()
    assert np.abs(result.joints["P"]).max() < 12  # what is shown ends ten sizes away
    assert {notice.kind for notice in result.warnings} >= {"infinity"}
    assert {end["how"] for end in result.to_dict()["ends"]} == {"infinite"}


def test_joints_found_together_are_followed_as_far_as_work_allows(monkeypatch):
    monkeypatch.setattr(limits, "FOLLOWED", 1.5)
    result = solve(turning_triad(), TraceStudy(samples=20))
    assert result.status is TraceStatus.WORK_LIMIT
    assert result.limits == (0.0, pytest.approx(1.5))
    assert "followed no further" in result.summary()


def test_a_joint_that_is_not_there_is_refused_and_the_nearest_is_named():
    result = solve(four_bar(4, 1, 3, 3, point=0.5))
    for ask in (result.track, result.speed, result.number):
        with pytest.raises(pliant.PliantError, match=r"'Q' is no joint of this linkage. Joints: A, "):
            ask("Q")
