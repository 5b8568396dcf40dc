"""The schema of a linkage: what its parts say by themselves, and which study is whose."""

import math
from typing import Any

import pytest
from pydantic import ValidationError

from pliant import gallery
from pliant.core.errors import InputError
from pliant.files import model_of
from pliant.linkage.model import (
    CurveEdit,
    EditStudy,
    JointEnclosure,
    JointMove,
    LengthEdit,
    Link,
    Linkage,
    LinkageLoad,
    LinkageSlider,
    LinkageStudy,
    Motor,
    TraceStudy,
)

FOUR_BAR: dict[str, Any] = {
    "pliant": 1,
    "kind": "linkage",
    "ground": ["A", "D"],
    "joints": {"A": [0, 0], "B": [0, 1], "C": [3, 2], "D": [4, 0]},
    "links": [{"joints": ["A", "B"], "name": "crank"}, {"joints": ["B", "C"]}, {"joints": ["C", "D"]}],
    "motors": [{"joint": "A", "drives": "B"}],
}


def test_a_link_is_called_by_its_name_or_its_joints():
    assert Link(joints=("A", "B"), name="crank").label == "crank"
    assert Link(joints=("B", "C", "P")).label == "B-C-P"


def test_joints_keep_the_order_of_the_file():
    names = ["D", "C", "A", "B"]
    joints = {name: FOUR_BAR["joints"][name] for name in names}
    assert list(model_of({**FOUR_BAR, "joints": joints}).joints) == names


def test_a_linkage_is_frozen_and_equal_to_one_of_the_same_parts():
    model = model_of(FOUR_BAR)
    assert isinstance(model, Linkage)
    assert model == Linkage(
        ground=("A", "D"), joints=model.joints, links=model.links, motors=(Motor(joint="A", drives="B"),)
    )
    with pytest.raises(ValidationError, match="frozen"):
        model.title = "other"  # type: ignore[misc]


def test_faults_between_parts_are_found_in_python_too():
    model = model_of(FOUR_BAR)
    with pytest.raises(ValidationError, match="'Q' is not a joint of this model"):
        Linkage.model_validate(
            {**dict(model), "study": LinkageStudy(edit=EditStudy(move=(JointMove(joint="Q", to=(0, 0)),)))}
        )


def test_angles_may_be_written_in_degrees():
    motor = Motor.model_validate({"joint": "A", "drives": "B", "range": ["-40 deg", 1]})
    assert motor.range == (math.radians(-40), 1)


def test_trace_takes_the_common_keys_and_edit_its_own_table():
    study = LinkageStudy.model_validate({"samples": 50, "trace": ["P"], "edit": {"samples": 30}})
    assert study.for_command("trace") == TraceStudy(samples=50, trace=("P",))
    assert study.for_command("edit") == EditStudy(samples=30)
    assert LinkageStudy(samples=50).for_command("edit") == EditStudy()


REFUSED: dict[str, tuple[type[Any], dict[str, Any], str]] = {
    "range and profile": (
        Motor,
        {"joint": "A", "drives": "B", "range": [0, 1], "profile": [0, 1]},
        "has both range and profile",
    ),
    "a range of no width": (Motor, {"joint": "A", "drives": "B", "range": [1, 1]}, "has a range of no width"),
    "next to no range": (Motor, {"strut": ["A", "B"], "range": [0, 5e-324]}, "has a range of no width"),
    "a profile of one angle": (Motor, {"joint": "A", "drives": "B", "profile": [1]}, "at least 2"),
    "a motor that stands": (Motor, {"joint": "A", "drives": "B", "speed": 0}, "greater than 0"),
    "a slider on nothing": (LinkageSlider, {"joint": "P"}, "has neither along nor on"),
    "a guide of no direction": (
        LinkageSlider,
        {"joint": "P", "along": [[1, 1], [1, 1]]},
        "slides along two equal points",
    ),
    "a load on nothing": (LinkageLoad, {"force": [1, 0]}, "has neither of joint and link"),
    "a load on a joint and a link": (
        LinkageLoad,
        {"joint": "A", "link": "A-B"},
        "has both of joint and link",
    ),
    "a torque on a joint": (LinkageLoad, {"joint": "A", "torque": 1}, "has a torque or a place on a joint"),
    "a curve with no wish": (CurveEdit, {"point": "P"}, "has 0 of through, follow"),
    "a curve with two wishes": (CurveEdit, {"point": "P", "scale": 2, "shift": [1, 0]}, "has 2 of through"),
    "times that match no points": (
        CurveEdit,
        {"point": "P", "through": [[0, 0], [1, 1]], "at": [0]},
        "does not match",
    ),
    "times of no points": (CurveEdit, {"point": "P", "scale": 2, "at": [0]}, "does not match"),
    "a length of nothing": (LengthEdit, {"to": 2}, "needs one of joints and link"),
    "a length with no value": (LengthEdit, {"joints": ["A", "B"]}, "one of to and scale"),
    "a length of a whole link": (LengthEdit, {"link": "A-B", "to": 2}, "gives a link one length"),
    "an enclosure of nothing": (JointEnclosure, {}, "has neither of box and polygon"),
    "an enclosure of two kinds": (
        JointEnclosure,
        {"box": [[0, 0], [1, 1]], "polygon": [[0, 0], [1, 0], [0, 1]]},
        "has both of box and polygon",
    ),
    "no samples": (TraceStudy, {"samples": 1}, "greater than or equal to 2"),
    "a link of one joint": (Link, {"joints": ["A"]}, "at least 2"),
    "a link of no length": (Link, {"joints": ["A", "B"], "length": 0}, "greater than 0"),
    "an unknown key": (Link, {"joints": ["A", "B"], "lenght": 1}, "not permitted"),
    "a number that is none": (JointMove, {"joint": "A", "to": [float("nan"), 0]}, "not a finite number"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_parts_that_make_no_sense_are_refused(case: str):
    kind, data, said = REFUSED[case]
    with pytest.raises(ValidationError, match=said):
        kind.model_validate(data)


@pytest.mark.parametrize("key", ["ground", "joints", "links", "motors"])
def test_what_a_linkage_cannot_do_without_is_asked_for(key: str):
    with pytest.raises(InputError, match=rf"{key}: is missing\. Add {key} = "):
        model_of({name: value for name, value in FOUR_BAR.items() if name != key})


@pytest.mark.slow
def test_every_linkage_of_the_gallery_is_equal_to_what_its_own_fields_make():
    for name in gallery.names():
        model = gallery.load(name)
        if isinstance(model, Linkage):
            assert Linkage.model_validate(dict(model)) == model
