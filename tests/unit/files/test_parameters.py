"""Parameters of model files: expressions become numbers, everywhere and in every kind."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import pliant
from pliant.core.errors import InputError
from pliant.files import load, model_of, save

SQUARE = [[0, 0], ["w", 0], ["w", "h"], [0, "h"]]
TRAY: dict[str, Any] = {
    "pliant": 1,
    "kind": "assembly",
    "clearance": "gap",
    "parameters": {"h": "w/2 + 1", "w": "1/2 in", "gap": 0.1, "tilt": "2 deg"},
    "bodies": [
        {"name": "base", "outline": SQUARE, "fixed": True},
        {"name": "w", "outline": SQUARE, "pose": ["w + 1", 0, "3*tilt"]},
    ],
    "study": {"maximize": [{"body": "w", "direction": [1, 0]}], "steps": "2*4"},
}


def faults_of(data: dict[str, Any], **changes: Any) -> list[str]:
    with pytest.raises(InputError) as error:
        model_of(data, parameters=changes)
    return [str(fault) for fault in error.value.faults]


def test_expressions_are_numbers_in_the_model():
    model = model_of(TRAY)
    assert model.bodies[1].outline[2] == (12.7, 7.35)
    assert model.bodies[1].pose == pytest.approx((13.7, 0, 6 * 3.141592653589793 / 180), rel=1e-15)
    assert (model.clearance, model.study.steps) == (0.1, 8)
    assert model.parameters["h"] == 7.35


def test_names_are_names_even_where_a_parameter_is_called_so():
    assert model_of(TRAY).bodies[1].name == "w"


def test_a_change_goes_before_the_file_and_what_depends_on_it_follows():
    model = model_of(TRAY, parameters={"w": 20, "gap": "0.01 in"})
    assert model.bodies[0].outline[2] == (20, 11)
    assert model.clearance == 0.254


@pytest.mark.parametrize("path", ["clearance", "bodies[1].pose[0]"])
def test_a_key_is_changed_by_its_path(path: str):
    model = model_of(TRAY, parameters={path: "gap + 3"})
    assert {"clearance": model.clearance}.get(path, model.bodies[1].pose[0]) == 3.1


def test_a_saved_model_is_the_same_when_it_is_read(tmp_path: Path):
    model = model_of(TRAY)
    for name in ("model.toml", "model.json"):
        save(model, tmp_path / name)
        assert load(tmp_path / name) == model


def test_python_may_write_tuples_and_fractions():
    data = {**TRAY, "parameters": {**TRAY["parameters"], "w": Fraction(127, 10)}}
    data["bodies"] = tuple({**body, "outline": tuple(map(tuple, SQUARE))} for body in TRAY["bodies"])
    assert model_of(data) == model_of(TRAY)


def test_fasteners_stay_exact():
    model = pliant.gallery.load("two-hooks")
    data = {**pliant.files.writer.plain(model), "parameters": {"mu": "1/3"}, "friction": "mu^2"}
    assert model_of(data).friction == Fraction(1, 9)


def test_units_need_no_parameters():
    data = {**TRAY, "parameters": {"w": 3, "h": 4, "tilt": 0}, "clearance": "1/100 in"}
    assert model_of(data).clearance == 0.254


def test_variables_of_a_search_are_still_read_by_their_former_key():
    data = pliant.files.writer.plain(pliant.gallery.load("cantilever-snap"))
    former = {("parameters" if key == "variables" else key): value for key, value in data.items()}
    assert model_of(former) == model_of(data)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"w": "h"}, "parameters.h: depends on itself: h → w → h"),
        ({"w": "2*("}, 'parameters.w: "2*(" ends where a number should be'),
        ({"gap": "tilt"}, 'clearance: "gap" is an angle, and a length is wanted'),
        ({"gpa": 1}, "gpa: is no parameter and no key of this file. Did you mean 'gap'?"),
        ({"bodies[7].pose": 1}, "bodies[7].pose: is no parameter and no key"),
        ({"study.steps": "7 / 2"}, 'study.steps: "7 / 2" is 3.5, no whole number'),
        ({"gap": True}, "parameters.gap: true is no number"),
        (
            {"units": "cells"},
            "parameters.w: \"1/2 in\" is in 'in', and the file's own unit is none of length",
        ),
    ],
)
def test_what_is_wrong_is_said_once_with_its_place(changes: dict[str, Any], said: str):
    found = faults_of(TRAY, **changes)
    assert len(found) == 1
    assert found[0].startswith(said)


def test_a_parameter_that_nothing_depends_on_is_not_changed_in_silence():
    data = {**TRAY, "parameters": {**TRAY["parameters"], "idle": 1}}
    assert model_of(data)
    assert "nothing in the file depends on it" in faults_of(data, idle=2)[0]


@pytest.mark.parametrize(("name", "what"), [("mm", "a unit"), ("sin", "a function"), ("pi", "a constant")])
def test_a_parameter_is_not_called_as_something_else(name: str, what: str):
    data = {**TRAY, "parameters": {**TRAY["parameters"], name: 1}}
    assert faults_of(data)[0] == f"parameters.{name}: is called as {what} is. Choose another name"


def test_other_faults_of_the_file_are_listed_beside_those_of_parameters():
    data = {**TRAY, "colour": "red", "parameters": {**TRAY["parameters"], "w": "2 +"}}
    assert [fault.split(":")[0] for fault in faults_of(data)] == ["parameters.w", "colour"]
