"""Linkages as files: schema, round trips, and files of edits."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.solved import names_of_kind

from pliant import gallery
from pliant.core.errors import InputError
from pliant.files import load, load_edits, model_hash, model_of, save, schema
from pliant.files.writer import plain, toml_text
from pliant.linkage.model import EditStudy, Linkage

FOUR_BAR: dict[str, Any] = {
    "pliant": 1,
    "kind": "linkage",
    "ground": ["A", "D"],
    "joints": {"A": [0, 0], "B": [0, 1], "C": [3, "2/1"], "D": [4, 0], "P": [2, 3]},
    "links": [
        {"joints": ["A", "B"], "length": 1},
        {"joints": ["B", "C", "P"], "name": "rod"},
        {"joints": ["C", "D"]},
    ],
    "motors": [{"joint": "A", "drives": "B", "direction": "cw", "range": ["-40 deg", 1]}],
    "sliders": [{"joint": "P", "on": "C-D"}],
    "loads": [{"joint": "P", "force": [0, -1]}, {"link": "rod", "torque": 2, "at": [1, 1]}],
    "study": {
        "trace": ["P"],
        "samples": 100,
        "tolerances": {"A-B": 0.1, "D.x": 0.2},
        "edit": {
            "move": [{"joint": "P", "to": [2, 4], "at": "10 deg"}],
            "curves": [{"point": "P", "scale": [2, 1]}, {"point": "C", "through": [[0, 0]], "at": [0]}],
            "lengths": [{"joints": ["A", "B"], "scale": 2}],
            "enclosure": [{"box": [[-9, -9], [9, 9]]}],
            "keep": {"ground": False, "lengths": [["B", "C"]], "symmetry": [{"pairs": [["B", "C"]]}]},
            "guard": {"transmission": "20 deg"},
        },
    },
}
LINKAGES = names_of_kind("linkage")


def edits(folder: Path, text: str, name: str = "edits.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def refusal(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_edits(path, model_of(FOUR_BAR))
    return str(caught.value).splitlines()


# The schema


def test_what_loads_is_valid_by_the_schema():
    jsonschema.Draft202012Validator.check_schema(schema("linkage"))
    valid = jsonschema.Draft202012Validator(schema("linkage")).is_valid
    assert model_of(FOUR_BAR)
    assert valid(FOUR_BAR)
    assert not valid({**FOUR_BAR, "motors": []})
    assert not valid({**FOUR_BAR, "bodies": []})
    assert not valid({**FOUR_BAR, "links": [{"joints": ["A"]}]})
    assert not valid({**FOUR_BAR, "study": {"edit": {"moves": []}}})


def test_comments_and_docstrings_become_descriptions():
    found = schema("linkage")
    assert found["description"] == "Joints, the links between them, what is held and what turns."
    assert found["$defs"]["Motor"]["properties"]["range"]["description"] == "swept once; default: whole turns"
    assert found["$defs"]["LinkageStudy"]["properties"]["samples"]
    assert found["$defs"]["EditStudy"]["description"].startswith("An edit")


# Round trips


@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_reading_back_gives_an_equal_model_with_its_joints_in_order(tmp_path: Path, suffix: str):
    for name, model in {"own": model_of(FOUR_BAR), **{n: gallery.load(n) for n in LINKAGES}}.items():
        path = tmp_path / f"{name}{suffix}"
        save(model, path)
        back = load(path)
        assert back == model
        assert isinstance(back, Linkage)
        assert list(back.joints) == list(model.joints)
        assert model_hash(back) == model_hash(model)
        for command in ("trace", "edit"):
            assert back.study.for_command(command) == model.study.for_command(command)


numbers = st.floats(-1e6, 1e6, allow_nan=False)
names = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)


@given(
    joints=st.lists(names, min_size=2, max_size=5, unique=True),
    places=st.lists(st.tuples(numbers, numbers), min_size=5, max_size=5, unique_by=lambda p: round(p[0])),
    title=names,
    samples=st.integers(2, 99),
)
@settings(max_examples=30, deadline=None)
def test_names_and_numbers_of_any_kind_come_back(
    joints: list[str],
    places: list[tuple[float, float]],
    title: str,
    samples: int,
    tmp_path_factory: pytest.TempPathFactory,
):
    pivot, driven = joints[:2]
    data = {
        "pliant": 1,
        "kind": "linkage",
        "title": title,
        "ground": [pivot],
        "joints": dict(zip(joints, places, strict=False)),
        "links": [{"joints": joints}],
        "motors": [{"joint": pivot, "drives": driven}],
        "study": {"samples": samples, "trace": [driven], "edit": {"keep": {"joints": [pivot]}}},
    }
    model = model_of(data)
    folder = tmp_path_factory.mktemp("save")
    for name in ("model.toml", "model.json"):
        save(model, folder / name)
        assert load(folder / name) == model


def test_toml_is_tidy():
    text = toml_text(plain(model_of(FOUR_BAR)))
    assert text.startswith(
        'pliant = 1\nkind = "linkage"\nground = ["A", "D"]\n\n[joints]\nA = [0, 0]\nB = [0, 1]\n'
    )
    assert '\n[[links]]\njoints = ["A", "B"]\nlength = 1\n' in text
    assert '\n[study.edit]\nmove = [{ joint = "P", to = [2, 4], at = ' in text
    assert "\n[study.edit.keep]\nground = false\n" in text


# Files of edits


GOOD = """
pliant = 1
kind = "edits"
samples = 50
move = [{ joint = "P", to = ["5/2", 3] }]
[keep]
joints = ["B"]
"""


def test_edits_are_read_from_toml_and_json(tmp_path: Path):
    study = load_edits(edits(tmp_path, GOOD), model_of(FOUR_BAR))
    assert isinstance(study, EditStudy)
    assert (study.samples, study.move[0].to, study.keep.joints) == (50, (2.5, 3), ("B",))
    data = {"pliant": 1, "kind": "edits", "samples": 50, "move": [{"joint": "P", "to": [2.5, 3]}]}
    text = json.dumps({**data, "keep": {"joints": ["B"]}})
    assert load_edits(edits(tmp_path, text, "edits.json"), model_of(FOUR_BAR)) == study


def test_every_fault_of_an_edits_file_is_placed_in_that_file(tmp_path: Path):
    text = GOOD.replace('"P"', '"Q"').replace('joints = ["B"]', 'lengths = [["A", "C"]]')
    path = edits(tmp_path, text)
    assert refusal(path) == [
        f"{path}: move[0].joint: 'Q' is not a joint of this model. There are: A, B, C, D, P",
        f"{path}: keep.lengths[0]: 'A' and 'C' are not two joints of one link (given [\"A\", \"C\"]). "
        "Joints in a link with A: B",
    ]
    path = edits(tmp_path, GOOD.replace("samples = 50", "samples = 2\nmoves = 3"))
    assert refusal(path) == [
        f"{path}: samples: must be at least 4 (given 2). Give a number that is at least 4",
        f"{path}: moves: is not a key of an edit study (given 3). Did you mean 'move'?",
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("pliant = 1\n", "", "pliant: is missing: the version of the file format"),
        ('kind = "edits"\n', "", 'kind: is missing: what the file is. Write kind = "edits"'),
        ('kind = "edits"', 'kind = "edit"', 'kind: is "edit", not "edits". Write kind = "edits"'),
        ('kind = "edits"', 'kind = ["edits"]', 'kind: is ["edits"], not "edits"'),
    ],
)
def test_a_file_of_edits_says_what_it_is(tmp_path: Path, old: str, new: str, said: str):
    assert said in refusal(edits(tmp_path, GOOD.replace(old, new)))[0]


def test_a_linkage_is_not_taken_for_edits_nor_edits_for_a_model(tmp_path: Path):
    save(model_of(FOUR_BAR), tmp_path / "bar.toml")
    (said,) = refusal(tmp_path / "bar.toml")
    assert 'Give the model first: "pliant edit MODEL --edits FILE"' in said
    with pytest.raises(
        InputError, match=r"'edits' are edits of a linkage, .* \"pliant edit MODEL --edits FILE\""
    ):
        load(edits(tmp_path, GOOD))
