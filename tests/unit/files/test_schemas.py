from typing import Any

import jsonschema
import pytest

from pliant.core.errors import InputError
from pliant.files import model_of, schema
from pliant.flex.model import Assembly

GOOD: dict[str, Any] = {
    "pliant": 1,
    "kind": "assembly",
    "clearance": 0.1,
    "shapes": {
        "tab": [[0, 0], [10, 0], [10, 4], [12, 5], [10, 6], [10, 10], [0, 10]],
        "ring": {"outline": [[0, 0], [9, 0], [9, 9], [0, 9]], "holes": [[[1, 1], [2, 1], ["3/2", 2]]]},
        "two": {"outlines": [[[0, 0], [1, 0], [0, 1]], [[3, 0], [4, 0], [3, 1]]]},
    },
    "bodies": [
        {"name": "base", "shape": "tab", "pose": [0, 0, 0], "fixed": True},
        {"name": "arm", "shape": "ring", "pose": [20, 0, "30 deg"]},
        {"name": "tip", "outlines": [[[0, 0], [1, 0], [0, 1]], {"outline": [[3, 0], [9, 0], [9, 9]]}]},
        {"name": "end", "shape": "two"},
    ],
    "welds": [{"bodies": ["arm", "tip", "end"]}],
    "pins": [{"bodies": ["arm", "base"], "at": [0, 0], "clearance": 0.05}],
    "keep": [{"body": "arm", "point": [2, 0], "inside": [[1, 1], [2, 1], [2, 2], [1, 2]]}],
    "sights": [{"from": "arm", "to": "base", "axis": "90 deg", "half_angle": "30 deg", "marker": [0, 0]}],
    "limits": [{"body": "arm", "rotation": "5 deg", "x": [-1, 1]}],
    "study": {
        "maximize": [{"body": "arm", "direction": [1, 0]}, {"radial": [0, 0]}, {"gather": "arm"}],
        "flex": {"steps": 5},
    },
}


def valid(data: Any) -> bool:
    return jsonschema.Draft202012Validator(schema("assembly")).is_valid(data)


def test_what_loads_is_valid_and_the_schema_itself_is():
    jsonschema.Draft202012Validator.check_schema(schema("assembly"))
    assert model_of(GOOD)
    assert valid(GOOD)


@pytest.mark.parametrize(
    "change",
    [
        {"pliant": 2},
        {"kind": "linkage"},
        {"bodies": []},
        {"colour": "red"},
        {"clearance": [1]},
        {"bodies": [{"shape": "tab"}]},
        {"bodies": [{"name": "a", "shape": "tab", "pose": [0, 0]}]},
        {"study": {"solver": "simplex"}},
        {"study": {"stepz": 3}},
        {"welds": [{"bodies": ["arm"]}]},
        {"shapes": {"two": {"outlines": []}}},
    ],
)
def test_what_an_editor_can_see_to_be_wrong_is_not_valid(change: dict[str, Any]):
    assert not valid({**GOOD, **change})


@pytest.mark.parametrize("key", ["pliant", "kind", "bodies"])
def test_the_first_keys_are_required(key: str):
    assert not valid({name: value for name, value in GOOD.items() if name != key})


def test_descriptions_are_those_of_the_fields_and_need_no_source():
    assert (
        Assembly.model_fields["clearance"].description == "every outline is inset by half of it; at least 0"
    )

    found = schema("assembly")
    assert found["description"] == "Rigid parts that touch, and what else holds them."
    assert (
        found["properties"]["clearance"]["description"] == "every outline is inset by half of it; at least 0"
    )
    assert found["$defs"]["Pin"]["properties"]["clearance"]["description"] == "diametral; 0 is a pivot"
    assert "maximize" in found["$defs"]["Study"]["properties"]


def test_an_unknown_kind_gets_the_nearest():
    with pytest.raises(InputError, match="Did you mean 'assembly'"):
        schema("asembly")
