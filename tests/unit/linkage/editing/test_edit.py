"""Editing: each target is reached, each keep kept, each guard held, and what resists is named."""

import numpy as np
import pytest
from pydantic import ValidationError

import pliant
from pliant.core.errors import InputError
from pliant.core.progress import Interrupted
from pliant.linkage.analysis.transmission import transmissions
from pliant.linkage.editing.edit import edit
from pliant.linkage.editing.samples import nearest_points
from pliant.linkage.generate import four_bar, jansen, linkage, places, slider_crank, triad
from pliant.linkage.model import EditStudy, JointEnclosure, Linkage
from pliant.linkage.solve import solve
from pliant.linkage.status import EditStatus

FOOT = np.array(jansen().joints["P5"])


def made(model: Linkage | None = None, **asked):
    return edit(model or jansen(), EditStudy.model_validate(asked))


def at(model: Linkage, joint: str, angle: float) -> np.ndarray:
    motor = model.motors[0].model_copy(update={"profile": (0.0, angle)})
    return solve(model.model_copy(update={"motors": (motor,)})).joints[joint][-1]


def apart(model: Linkage, a: str, b: str) -> float:
    return float(np.hypot(*(np.array(model.joints[a]) - np.array(model.joints[b]))))


def test_a_joint_is_drawn_elsewhere():
    result = made(move=[{"joint": "P5", "to": [-40, -94]}])
    assert result.status is EditStatus.REACHED
    np.testing.assert_allclose(result.model.joints["P5"], [-40, -94], atol=1e-4)


def test_a_drag_moves_a_joint_where_it_is_held():
    result = made(move=[{"joint": "P5", "to": [-45, -71], "at": "190 deg"}])
    assert result.status is EditStatus.REACHED
    np.testing.assert_allclose(at(result.model, "P5", np.radians(190)), [-45, -71], atol=1e-4)


def test_the_least_change_is_made():
    """Only the foot is moved, because nothing else needs to be."""
    result = made(move=[{"joint": "P5", "to": [-40, -94]}])
    moved = {name for name, much in result.moved.items() if much > 0.02}
    assert moved == {"P5"}


def test_a_curve_goes_through_points_whenever_it_likes():
    wanted = [[-40.0, -66.0], [-75.0, -88.0]]
    result = made(curves=[{"point": "P5", "through": wanted}])
    assert result.status is EditStatus.REACHED
    path = solve(result.model, result.model.study.model_copy(update={"samples": 20_000})).joints["P5"]
    found = nearest_points(np.array(wanted), path, closed=True)
    np.testing.assert_allclose(found.places, wanted, atol=2e-4)


def test_a_curve_goes_through_points_on_time():
    result = made(curves=[{"point": "P5", "through": [[-38, -62]], "at": ["200 deg"]}])
    np.testing.assert_allclose(at(result.model, "P5", np.radians(200)), [-38, -62], atol=1e-3)


def test_a_curve_of_another_leg_is_followed():
    """The curve of a leg with other dimensions can be followed exactly, and is."""
    other = jansen().model_copy(update={"joints": {**jansen().joints, "P4": (-70.0, -34.0)}})
    curve = solve(other, other.study.model_copy(update={"samples": 300, "trace": ("P5",)})).joints["P5"]
    result = made(curves=[{"point": "P5", "follow": curve.tolist()}])
    before, after = result.achieved[0].before, result.achieved[0].after
    assert after < 0.05 * before


def test_a_curve_is_scaled_as_far_as_the_leg_can():
    result = made(curves=[{"point": "P5", "scale": [1, 1.4]}])
    heights = [np.ptp(solve(model).joints["P5"][:, 1]) for model in (result.original, result.model)]
    assert heights[1] / heights[0] == pytest.approx(1.4, abs=0.05)


def test_a_curve_is_flattened():
    result = made(curves=[{"point": "P5", "flatten": ["-80 deg", "90 deg"]}])
    for model, least, most in ((result.original, 0.3, 5.0), (result.model, 0.0, 0.01)):
        run = solve(model)
        turned = (run.angles + np.radians(80)) % (2 * np.pi) <= np.radians(170)
        path = run.joints["P5"][turned]
        off = np.linalg.svd(path - path.mean(axis=0))[1][-1] / np.sqrt(len(path))
        assert least <= off <= most


def test_a_rocker_dwells():
    result = made(jansen(), curves=[{"point": "P3", "dwell": ["100 deg", "140 deg"]}])
    assert result.achieved[0].after < 0.1 * result.achieved[0].before


def test_everything_fits_a_box_and_a_polygon():
    for room in (
        {"box": [[-100, -95], [20, 30]]},
        {"polygon": [[-100, -95], [20, -95], [20, 30], [-100, 30]]},
    ):
        result = made(enclosure=[room])
        assert result.status is EditStatus.REACHED
        points = solve(result.model).poses.points
        assert points.min(axis=(0, 1)) == pytest.approx([-100, -95], abs=20)
        assert (points.min(axis=(0, 1)) >= np.array([-100, -95]) - 1e-3).all()
        assert (points.max(axis=(0, 1)) <= np.array([20, 30]) + 1e-3).all()


def test_lengths_become_what_is_asked():
    result = made(lengths=[{"joints": ["P2", "P5"], "to": 56}, {"link": "B-P1-P3", "scale": 1.05}])
    assert apart(result.model, "P2", "P5") == pytest.approx(56, abs=1e-3)
    for a, b in (("B", "P1"), ("B", "P3"), ("P1", "P3")):
        assert apart(result.model, a, b) == pytest.approx(1.05 * apart(jansen(), a, b), rel=1e-4)


def test_kept_links_keep_their_shape_and_kept_joints_their_place():
    keep = {"links": ["P2-P4-P5"], "lengths": [["C", "P1"]], "joints": ["P1"]}
    result = made(move=[{"joint": "P3", "to": [-72, 12]}], keep=keep)
    for a, b in (("P2", "P4"), ("P2", "P5"), ("P4", "P5"), ("C", "P1")):
        assert apart(result.model, a, b) == pytest.approx(apart(jansen(), a, b), rel=1e-12)
    assert result.model.joints["P1"] == jansen().joints["P1"]


def test_the_ground_stays_unless_it_is_moved_or_let_go():
    stayed = made(curves=[{"point": "P5", "shift": [3, 0]}])
    assert all(stayed.model.joints[name] == jansen().joints[name] for name in "AB")
    moved = made(move=[{"joint": "B", "to": [-39, -8]}])
    assert moved.model.joints["B"] == pytest.approx((-39, -8), abs=1e-3)
    free = made(curves=[{"point": "P5", "shift": [3, 0]}], keep={"ground": False})
    assert free.status is EditStatus.REACHED
    np.testing.assert_allclose(free.model.joints["A"], [3, 0], atol=0.5)


def test_a_kept_curve_gives_way_as_little_as_it_must():
    loose = made(move=[{"joint": "P1", "to": [-20, 32]}])
    kept = made(move=[{"joint": "P1", "to": [-20, 32]}], keep={"curves": ["P5"]})
    foot = solve(jansen()).joints["P5"]
    off = [np.hypot(*(solve(result.model).joints["P5"] - foot).T).max() for result in (loose, kept)]
    assert kept.status is EditStatus.REACHED
    assert off[1] < 0.1 * off[0]


def test_timing_is_kept_while_the_shape_changes():
    asked = {"curves": [{"point": "P5", "scale": [1, 1.4]}]}
    shares = []
    for keep in ({}, {"timing": ["P5"]}):
        path = solve(made(**asked, keep=keep).model).joints["P5"]
        along = np.cumsum(np.hypot(*np.diff(path, axis=0).T))
        shares.append(along / along[-1])
    path = solve(jansen()).joints["P5"]
    along = np.cumsum(np.hypot(*np.diff(path, axis=0).T))
    before = along / along[-1]
    assert np.abs(shares[1] - before).max() < np.abs(shares[0] - before).max()


def test_a_symmetry_is_kept():
    """A symmetric four-bar, one rocker's tip pulled: the other goes along."""
    model = four_bar(
        4, 3, 2, 3, angle=np.arccos(1 / 3), motors=[{"joint": "A", "drives": "B", "range": [-0.2, 0.2]}]
    )
    mirror = {"pairs": [["B", "C"]], "through": [2, 0], "axis": [0, 1]}
    result = made(model, move=[{"joint": "B", "to": [0.9, 3.0]}], keep={"symmetry": [mirror]})
    assert result.status is EditStatus.REACHED
    np.testing.assert_allclose(result.model.joints["C"], [3.1, 3.0], atol=1e-5)


def test_an_edit_that_would_tear_the_linkage_goes_as_far_as_it_can_and_says_what_stops_it():
    model = four_bar(4, 1, 3, 3)
    result = made(model, lengths=[{"joints": ["A", "B"], "to": 4}], keep={"links": ["B-C", "C-D"]})
    assert result.status is EditStatus.GUARDED
    assert any(found.kind == "guard" and "C would come too near" in found.what for found in result.resisted)
    assert "C would come too near" in result.message
    run = solve(result.model)
    assert run.limits is None
    assert 1.5 < apart(result.model, "A", "B") < 2  # 2 is where the four-bar is Grashof's no more
    assert min(one.margin for one in transmissions(run.poses, True)) >= 0.05 - 1e-4


def test_guards_hold_at_every_angle_after_any_edit():
    for asked in (
        {"curves": [{"point": "P5", "scale": 2.0}]},
        {"curves": [{"point": "P5", "shift": [60, 60]}]},
        {"move": [{"joint": "P1", "to": [20, -40]}]},
        {"move": [{"joint": "C", "to": [60, 0]}]},
    ):
        result = made(**asked)
        run = solve(result.model)
        assert run.limits is None
        assert not run.reached.changes
        np.testing.assert_array_equal(run.plan.signs, solve(jansen()).plan.signs)


def test_a_transmission_angle_is_asked_for_and_reached():
    result = made(keep={"curves": ["P5"]}, guard={"transmission": "20 deg"})
    assert result.status is EditStatus.REACHED
    run = solve(result.model)
    assert min(one.worst for one in run.transmissions) >= np.radians(20)
    assert min(one.worst for one in solve(jansen()).transmissions) < np.radians(9)


def test_no_length_vanishes():
    result = made(slider_crank(1, 3), lengths=[{"joints": ["A", "B"], "to": 0.01}])
    assert apart(result.model, "A", "B") == pytest.approx(0.1, rel=1e-3)
    assert apart(result.model, "A", "B") >= 0.1
    assert result.status is EditStatus.GUARDED
    assert "A-B would become too short" in result.message


def test_targets_that_contradict_each_other_are_a_compromise():
    result = made(move=[{"joint": "P5", "to": [-40, -90]}, {"joint": "P5", "to": [-44, -90]}])
    assert result.status is EditStatus.COMPROMISE
    assert result.model.joints["P5"][0] == pytest.approx(-42, abs=1e-3)


def test_a_linkage_that_passes_change_points_cannot_be_edited():
    result = made(four_bar(3, 1, 3, 1), move=[{"joint": "C", "to": [3.5, 1]}])
    assert result.status is EditStatus.UNREADY
    assert result.model == result.original


def test_too_few_iterations_are_said():
    result = made(curves=[{"point": "P5", "scale": 1.2}], iterations=2)
    assert result.status is EditStatus.ITERATION_LIMIT
    assert result.achieved[0].after < result.achieved[0].before


def test_an_edit_that_would_not_run_between_samples_is_not_made(monkeypatch):
    monkeypatch.setattr("pliant.linkage.editing.edit.runs_as_before", lambda _problem, _edited: False)
    result = made(move=[{"joint": "P5", "to": [-40, -94]}], samples=20)
    assert result.status is EditStatus.TORN
    assert result.model == result.original


def test_a_limited_linkage_is_edited_over_what_it_can_reach():
    result = made(four_bar(4, 3, 2, 2.5, 0.5), move=[{"joint": "C", "to": [4.2, 2.4]}])
    assert result.status is EditStatus.REACHED
    low, high = solve(result.original).limits
    new_low, new_high = solve(result.model).limits
    span = high - low
    assert new_low <= low + 0.02 * span
    assert new_high >= high - 0.02 * span


def test_a_coupled_linkage_is_edited_too():
    motor = {"joint": "O", "drives": "A", "range": [-0.6, 0.6]}
    result = made(triad(motors=[motor]), move=[{"joint": "D", "to": [4.3, 4.1], "at": 0.3}])
    assert result.status is EditStatus.REACHED
    np.testing.assert_allclose(at(result.model, "D", 0.3), [4.3, 4.1], atol=1e-4)


def test_ctrl_c_keeps_what_is_done():
    def stop(done: int, _total: int | None, _text: str) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        edit(jansen(), EditStudy.model_validate({"curves": [{"point": "P5", "scale": 1.2}]}), stop)
    result = caught.value.result
    assert result.achieved[0].after < result.achieved[0].before


def test_the_result_says_what_moved_and_can_be_drawn_and_saved(tmp_path):
    result = made(curves=[{"point": "P5", "scale": [1.15, 1]}])
    assert "scaled by 1.15" in result.summary()
    groups = {mark.group for mark in result.motion.marks}
    assert {"trace", "before", "target"} <= groups
    assert set(result.plots()) == {"targets", "lengths"}
    data = result.to_dict()
    assert data["command"] == "edit"
    pliant.save(result.model, tmp_path / "new.toml")
    assert pliant.load(tmp_path / "new.toml") == result.model


def shaper(**slider) -> Linkage:
    """A crank A-B whose pin slides in an arm D-E."""
    joints = {"A": 0, "B": 1, "D": -3j, "E": 4 / 3 + 1j}
    return linkage(joints, "AD", ("A B", "D E"), sliders=[{"joint": "B", "on": "D-E", **slider}])


@pytest.mark.parametrize("slider", [{}, {"along": [[0, -3], [4 / 3, 1]]}, {"along": [[0.3, -2.1], [1, 0]]}])
def test_a_guide_rides_on_its_link_while_that_is_edited(slider):
    result = made(shaper(**slider), move=[{"joint": "E", "to": [1.6, 1.2]}])
    assert result.status is EditStatus.REACHED
    kept = made(
        shaper(**slider),
        move=[{"joint": "D", "to": [0.1, -3]}, {"joint": "E", "to": [4 / 3 + 0.1, 1]}],
        keep={"links": ["D-E"]},
    )
    assert kept.status is EditStatus.REACHED


def test_how_long_a_guide_is_drawn_does_not_matter():
    results = []
    for far in (1, 1e6):
        guide = [{"joint": "P", "along": [[-far, 0], [far, 0]]}]
        model = linkage(places(slider_crank(1, 3)), "A", ("A B", "B P"), sliders=guide)
        results.append(made(model, curves=[{"point": "P", "shift": [0.5, 0]}]))
    assert results[0].status is results[1].status is EditStatus.COMPROMISE
    assert results[1].achieved[0].after == pytest.approx(results[0].achieved[0].after, rel=1e-3)


def test_spare_links_go_on_fitting_or_nothing_moves():
    joints = {"A": 0, "B": 1j, "C": 4 + 1j, "D": 4, "E": 2 + 1j, "G": 2}
    motor = {"joint": "A", "drives": "B", "range": [-0.6, 0.6]}
    model = linkage(joints, "ADG", ("A B", "B E C", "C D", "G E"), motors=[motor])
    result = made(model, move=[{"joint": "C", "to": [4.2, 1.2]}])
    assert solve(result.model).error < 1e-6


@pytest.mark.parametrize(
    ("asked", "where"),
    [
        ({"move": [{"joint": "C", "to": [2.5, 3], "at": 2.0}]}, "move[0].at"),
        ({"curves": [{"point": "C", "flatten": [2.0, 2.5]}]}, "curves[0].flatten"),
        ({"curves": [{"point": "C", "dwell": [0.1, 0.101]}]}, "curves[0].dwell"),
        ({"curves": [{"point": "C", "through": [[1, 1]], "at": [-3.0]}]}, "curves[0].at"),
    ],
)
def test_angles_that_the_motor_does_not_have_are_refused(asked, where):
    motor = {"joint": "A", "drives": "B", "range": [-0.7, 0.7]}
    with pytest.raises(InputError) as caught:
        made(four_bar(4, 1, 3, 3, motors=[motor]), **asked)
    assert [fault.where for fault in caught.value.faults] == [where]


def test_a_span_may_be_the_whole_turn_or_go_past_its_end():
    def flat(*span):
        curve = {"point": "C", "flatten": span}
        return made(four_bar(4, 1, 3, 3), curves=[curve], iterations=1).achieved[0].before

    assert flat(0, 2 * np.pi) > 0.05
    assert flat("340 deg", "20 deg") == pytest.approx(flat("-20 deg", "20 deg"))


def test_transmission_of_joints_found_together_counts():
    motor = {"joint": "O", "drives": "A", "range": [-0.6, 0.6]}
    result = made(triad(motors=[motor]), guard={"transmission": "80 deg"})
    assert result.status is not EditStatus.REACHED
    assert result.achieved[0].before > 10


@pytest.mark.parametrize(
    ("keep", "name"),
    [
        ({"symmetry": [{"pairs": [["A", "D"]], "through": [5, 0]}]}, "symmetry of A and D"),
        ({"symmetry": [{"pairs": [["B", "C"]]}], "joints": ["B", "C"]}, "symmetry of B and C"),
    ],
)
def test_keeps_that_cannot_be_kept_are_refused(keep, name):
    with pytest.raises(InputError, match=f"the {name} cannot be kept"):
        made(four_bar(4, 1, 3, 3), move=[{"joint": "C", "to": [3, 3]}], keep=keep)


def test_the_timing_of_a_joint_that_stands_is_kept():
    result = made(four_bar(4, 1, 3, 3), move=[{"joint": "C", "to": [3, 3]}], keep={"timing": ["A"]})
    assert result.status is EditStatus.REACHED


def test_what_holds_back_is_called_by_its_name():
    keep = {"links": ["A-B"], "lengths": [["A", "B"], ["B", "C"]], "joints": ["B"]}
    result = made(four_bar(4, 1, 3, 3), move=[{"joint": "C", "to": [5, 3]}], keep=keep)
    assert "length of B-C" in {found.what for found in result.resisted}
    assert all(found.share <= 1 for found in result.resisted)


def test_how_far_off_is_a_distance():
    model = four_bar(4, 1, 3, 3)
    at = np.array(model.joints["C"])
    for way in ([1.0, 0.0], [np.sqrt(0.5), np.sqrt(0.5)]):
        result = made(model, move=[{"joint": "C", "to": (at + way).tolist()}], keep={"joints": ["C"]})
        assert result.achieved[0].after == pytest.approx(1)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_an_edit_does_not_depend_on_units(scale):
    drawn = {name: scale * z for name, z in places(jansen()).items()}
    links = [" ".join(link.joints) for link in jansen().links]
    move = [{"joint": "P3", "to": [-72 * scale, 12 * scale]}]
    result = made(linkage(drawn, "AB", links), move=move, keep={"links": ["P2-P4-P5"], "joints": ["P1"]})
    assert result.status is EditStatus.REACHED
    assert apart(result.model, "P2", "P5") == pytest.approx(scale * apart(jansen(), "P2", "P5"), rel=1e-11)


@pytest.mark.parametrize(
    "room",
    [
        {"box": [[1, 0], [1, 0]]},
        {"polygon": [[0, 0], [4, 0], [1, 1], [0, 4]]},
        {"polygon": [[0, 0], [1, 0], [2, 0]]},
    ],
)
def test_rooms_without_an_inside_are_refused(room):
    with pytest.raises(ValidationError):
        JointEnclosure.model_validate(room)


def test_a_guide_that_moved_with_its_link_is_in_the_new_linkage():
    """What was edited is what runs: E is at the place asked for at that angle."""
    along = [[0.3, -2.1], [1, 0]]
    result = made(shaper(along=along), move=[{"joint": "E", "to": [1.7, 1.1], "at": 0.4}])
    assert result.status is EditStatus.REACHED
    np.testing.assert_allclose(at(result.model, "E", 0.4), [1.7, 1.1], atol=1e-4)
    assert result.model.sliders[0].along != shaper(along=along).sliders[0].along


def test_joints_that_no_target_asks_for_stay_where_they_are():
    """The least change that puts P4 elsewhere is to put P4 elsewhere."""
    leg = jansen()
    x, y = leg.joints["P4"]
    edited = edit(leg, EditStudy(move=[{"joint": "P4", "to": [x + 1, y]}])).model
    for name, place in edited.joints.items():
        assert place == pytest.approx((x + 1, y) if name == "P4" else leg.joints[name], abs=1e-5)


def over(model: Linkage, a: str, b: str, c: str) -> float:
    """Twice the area of three joints, positive counter-clockwise."""
    at = [complex(*model.joints[name]) for name in (a, b, c)]
    return float(((at[1] - at[0]).conjugate() * (at[2] - at[0])).imag)


@pytest.mark.slow
def test_no_edit_turns_a_plate_over():
    """The guards of the cycle do not see it: a plate turned over runs as well."""
    leg = jansen()
    plates = [("P2", "P4", "P5"), ("B", "P1", "P3")]
    for to in ([60, -20], [-150, 60], [20, 40], [-100, -20], [0, 0.5]):
        result = made(move=[{"joint": "P5", "to": to}])
        for plate in plates:
            assert over(leg, *plate) * over(result.model, *plate) > 0, (to, plate)


def test_what_holds_a_plate_up_is_named():
    result = made(move=[{"joint": "P5", "to": [60, -20]}], keep={"joints": ["P2", "P4"]})
    assert result.status is EditStatus.GUARDED
    assert "P2-P4-P5 would be turned over" in [found.what for found in result.resisted]


def test_a_foot_is_moved_ten_sizes_away():
    result = made(move=[{"joint": "P5", "to": [-43, -1500]}])
    assert result.status is EditStatus.REACHED
