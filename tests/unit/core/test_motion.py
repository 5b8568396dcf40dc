import json
from dataclasses import replace

import numpy as np
import pytest

from pliant.core.errors import InputError
from pliant.core.motion import Event, Mark, Motion, Shape, Signal
from pliant.core.plot import Plot


@pytest.fixture
def motion() -> Motion:
    """Two bodies of one shape, three points, two strokes, three frames."""
    return Motion(
        axis="step",
        unit="",
        values=np.arange(3.0),
        title="two squares",
        length_unit="mm",
        bodies=("a", "b"),
        shapes=(Shape((np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]]),)),),
        body_shapes=np.zeros(2, np.int64),
        fixed=np.array([True, False]),
        poses=np.arange(18.0).reshape(3, 2, 3),
        point_names=("p", "q", "r"),
        points=np.arange(18.0).reshape(3, 3, 2),
        strokes=np.array([[0, 1], [1, 2]]),
        body_scalars={"travel": np.ones((3, 2))},
        stroke_scalars={"load": np.ones((3, 2))},
        marks=(
            Mark("arrow", np.array([[0, 0], [1, 1.0]]), frame=2, group="force", value=3.0),
            Mark("curve", np.array([[0, 0], [1, 1.0], [0, 2], [0, 0]]), group="trace", text="p"),
        ),
        signals={"gap": Signal("mm", np.array([3.0, 2.0, 1.0]))},
        events=(Event(2.0, "touches", "contact"),),
    )


def test_what_is_saved_is_what_is_loaded(motion: Motion, tmp_path):
    motion.save(tmp_path / "motion.json")
    assert Motion.load(tmp_path / "motion.json").to_dict() == motion.to_dict()


def test_a_saved_motion_is_plain_json_without_pickle(motion: Motion, tmp_path):
    motion.save(tmp_path / "motion.json")
    assert json.loads((tmp_path / "motion.json").read_text())["bodies"] == ["a", "b"]


def test_arrays_of_a_motion_cannot_be_written(motion: Motion):
    with pytest.raises(ValueError, match="read-only"):
        motion.poses[0, 0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        motion.signals["gap"].values[0] = 1.0


def test_a_motion_of_points_alone_keeps_its_dimension_in_space():
    motion = Motion("t", "s", np.zeros(1), point_names=("p",), points=np.zeros((1, 1, 3)))
    assert Motion.from_dict(motion.to_dict()).points.shape == (1, 1, 3)


def test_arrays_that_do_not_fit_each_other_are_refused():
    with pytest.raises(ValueError, match="poses has shape"):
        Motion("step", "", np.zeros(2), bodies=("a",), poses=np.zeros((3, 1, 3)))


def test_the_frame_nearest_to_a_value_is_found(motion: Motion):
    assert motion.frame_of(1.4) == 1


def test_what_has_no_value_is_null_in_json_and_not_a_number_again(motion: Motion, tmp_path):
    load, gap = np.array([[1.0, np.nan]] * 3), np.array([np.nan, 2.0, 1.0])
    bare = replace(motion, body_scalars={"load": load}, signals={"gap": Signal("mm", gap)})
    bare.save(tmp_path / "motion.json")
    assert json.loads((tmp_path / "motion.json").read_text())["body_scalars"]["load"][0] == [1.0, None]
    again = Motion.load(tmp_path / "motion.json")
    np.testing.assert_array_equal(again.body_scalars["load"], load)
    np.testing.assert_array_equal(again.signals["gap"].values, gap)


def test_nan_is_refused_at_the_door(tmp_path):
    motion = Motion("t", "s", np.array([np.nan]))
    with pytest.raises(ValueError, match="JSON compliant"):
        motion.save(tmp_path / "motion.json")
    assert not list(tmp_path.iterdir())


def test_loading_something_else_says_so(tmp_path):
    (tmp_path / "x.json").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"x\.json: cannot be read as JSON"):
        Motion.load(tmp_path / "x.json")


def test_a_table_has_a_column_for_all_that_changes_with_units_in_its_heads():
    motion = Motion(
        axis="drive",
        unit="%",
        values=np.array([0.0, 100.0]),
        length_unit="mm",
        bodies=("wall", "peg"),
        shapes=(Shape((np.array([[0.0, 0], [1, 0], [0, 1]]),)),),
        body_shapes=np.array([0, 0]),
        fixed=np.array([True, False]),
        poses=np.array([[[0.0, 0, 0], [1, 2, 0]], [[0, 0, 0], [3, 4, np.pi / 2]]]),
        point_names=("P",),
        points=np.array([[[5.0, 6.0]], [[7.0, 8.0]]]),
        signals={"force": Signal("N", np.array([0.0, np.nan])), "share": Signal("", np.array([0.0, 1.0]))},
    )
    table = motion.table()
    assert list(table) == [
        "drive (%)", "force (N)", "share", "peg x (mm)", "peg y (mm)", "peg angle (deg)",
        "P x (mm)", "P y (mm)",
    ]  # fmt: skip
    assert table["peg angle (deg)"].tolist() == [0, 90]
    assert table["P y (mm)"].tolist() == [6, 8]


@pytest.mark.parametrize("kind", [Motion, Plot])
@pytest.mark.parametrize("data", [{}, {"axis": 1, "series": 2}, {"axis": {"values": [0]}, "series": [{}]}])
def test_data_that_is_no_motion_or_plot_is_refused_with_a_cure(kind: type[Motion] | type[Plot], data: dict):
    with pytest.raises(InputError, match=r"cannot be read .* Make the file anew with --json"):
        kind.from_dict(data)
