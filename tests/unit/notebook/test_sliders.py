"""Sliders of a notebook: ranges, and what a moved slider is answered."""

from pathlib import Path
from typing import Any

import pytest

from pliant.core.errors import InputError

pytest.importorskip("anywidget", reason='pip install "pliant[notebook]"')

from pliant.notebook import sliders
from pliant.notebook.ranges import SliderRange, slider_ranges

TRAY = """
pliant = 1
kind = "assembly"
clearance = "gap"

[parameters]
gap = 0.2
width = "1/2 in"
height = "width/2 + 1"

[[bodies]]
name = "tray"
outline = [[0, 0], ["width + 4", 0], ["width + 4", "height + 4"], [0, "height + 4"]]
holes = [[[2, 2], ["width + 2", 2], ["width + 2", "height + 2"], [2, "height + 2"]]]
fixed = true

[[bodies]]
name = "block"
outline = [[2, 2], ["width + 2", 2], ["width + 2", "height + 2"], [2, "height + 2"]]

[study]
maximize = [{ body = "block", direction = [1, 0] }]
"""


@pytest.fixture
def tray(tmp_path: Path) -> Path:
    (tmp_path / "tray.toml").write_text(TRAY)
    return tmp_path / "tray.toml"


def move(widget: Any, **values: float) -> dict[str, Any]:
    widget.asked = {"turn": widget.asked["turn"] + 1, "values": {**widget.values, **values}}
    return widget.answer


def test_a_moved_slider_is_answered_with_the_model_solved_again(tray: Path):
    widget = sliders(tray, gap=(0.1, 1))
    assert widget.values == {"gap": 0.2}
    assert widget.answer["player"]["answer"]["sentence"].startswith("Moves by 0.2 mm")
    answer = move(widget, gap=0.5)
    assert answer["turn"] == 1
    assert answer["player"]["answer"]["sentence"].startswith("Moves by 0.5 mm")
    assert widget.result.objective == pytest.approx(0.5, rel=1e-6)


def test_what_cannot_be_solved_is_said_in_words_and_the_next_is_answered(tray: Path):
    widget = sliders(tray, {"clearance": (0.1, 30)})
    answer = move(widget, clearance=30)
    assert "leaves no single piece" in answer["error"]
    assert "player" not in answer
    assert move(widget, clearance=0.4)["error"] == ""


def test_without_ranges_every_parameter_that_has_a_number_has_a_slider(tray: Path):
    assert [one["name"] for one in sliders(tray).sliders] == ["gap", "width"]


def test_a_slider_starts_where_the_file_is_within_its_range():
    data = {"parameters": {"a": "1 in", "b": "a + 1"}, "bodies": [{"pose": [0, 3, 0]}], "friction": "1/4"}
    given = {
        "a": (0, 10),
        "b": (0, 10, 2),
        "bodies[0].pose[1]": (5, 0),
        "friction": (0, 1),
        "bodies[7].x": (0, 1),
    }
    assert slider_ranges(data, given) == [
        SliderRange("a", 0, 10, 0.1, 10),
        SliderRange("b", 0, 10, 2, 5),
        SliderRange("bodies[0].pose[1]", 0, 5, 0.05, 3),
        SliderRange("friction", 0, 1, 0.01, 0.25),
        SliderRange("bodies[7].x", 0, 1, 0.01, 0.5),
    ]


@pytest.mark.parametrize(
    "span", [(1,), (1, 1), (0, float("nan")), (0, 1, 0), "ab", (1, 2, 3, 4), ("a", "b"), 3]
)
def test_a_range_that_is_none_is_refused(tray: Path, span: Any):
    with pytest.raises(InputError, match=r"ranges\.gap"):
        sliders(tray, gap=span)


def test_a_model_without_parameters_asks_for_ranges():
    with pytest.raises(InputError, match="has no parameter with a number"):
        slider_ranges({"kind": "assembly"}, {})
    with pytest.raises(InputError, match="there is no such file"):
        sliders("nowhere.toml")
