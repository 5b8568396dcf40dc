"""Fasteners as files: schema and round trips, every number exact."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.files import load, model_hash, model_of, save, schema
from pliant.files.kinds import kind_named
from pliant.files.writer import plain
from pliant.snap.model import Fastener, SnapStudy

FULL: dict[str, Any] = {
    "pliant": 1,
    "kind": "fastener",
    "title": "One of each",
    "units": "cm",
    "friction": "grip/3",
    "parameters": {"grip": 1},
    "tolerances": {"grip": {"normal": 0.1}},
    "shapes": {"hook": [["-1/2", "1/2"], [0, -8], [2, "-22/7"]]},
    "root": {
        "plan": [{"velocity": [0, -1], "until": 20}, {"velocity": ["1/3", 0.1], "until": "7/3"}],
        "outline": [[-5, 9], [5, 9], [5, 10], [-5, 10]],
    },
    "pawls": [
        {"name": "left", "hinge": [-4, 9], "shape": "hook", "stiffness": 100.1, "rest": "1/5 u"},
        {
            "name": "right",
            "hinge": [4, 9],
            "outline": [[0.5, 0.5], [0, -8], [-2, -5]],
            "beam": {
                "length": 8,
                "thickness": 1.25,
                "width": "16/3",
                "material": "POM",
                "modulus": 2800,
                "strain_limit": 0.04,
                "hinge": "root",
            },
            "rest": "30 deg",
            "preload": "-3/7",
            "stops": [0, 0.3],
        },
    ],
    "obstacles": [
        {"name": "T", "outline": [[-3, 0], [3, 0], [3, 1], [-3, 1]]},
        {"shape": "hook", "at": [0, "-91/10"]},
    ],
    "variables": [
        {"name": "grip", "what": "friction", "range": [0, 0.5]},
        {"name": "place", "what": "hinge", "of": "right", "along": ["3/5", 0.8], "range": [-1, 1]},
        {
            "name": "nose",
            "what": "vertices",
            "moves": [{"of": "root", "vertices": [0, 3], "by": [1, 0]}],
            "range": [-0.5, 0.5],
        },
    ],
    "study": {
        "arithmetic": "float",
        "reverse": True,
        "classify": True,
        "uncertain": True,
        "spread": "1/5 u",
        "stability": True,
        "search": True,
        "frames": 60,
        "about": [0, "1/3"],
        "directions": 36,
        "region": [[0, 0], [0.1, 0], [0, 0.1]],
        "radius": 0.05,
        "digits": 30,
        "goal": {"insert_below": 20, "hold_above": 50.5},
    },
}


def back(model: Any, path: Path) -> Any:
    save(model, path)
    return load(path)


def test_what_loads_is_valid_by_the_schema():
    jsonschema.Draft202012Validator.check_schema(schema("fastener"))
    valid = jsonschema.Draft202012Validator(schema("fastener")).is_valid
    assert isinstance(model_of(FULL), Fastener)
    assert valid(FULL)
    assert not valid({**FULL, "pawls": []})
    assert not valid({**FULL, "bodies": []})
    assert not valid({**FULL, "friction": ["much"]})
    assert not valid({**FULL, "pawls": [{"name": "a", "hinge": [0], "stiffness": 1, "outline": []}]})
    assert not valid({**FULL, "study": {"arithmetic": "fuzzy"}})
    assert not valid({key: value for key, value in FULL.items() if key != "root"})


def test_comments_and_docstrings_become_descriptions():
    found = schema("fastener")
    assert found["description"] == "Pawls on a root that translates among obstacles."
    assert found["$defs"]["Pawl"]["properties"]["stiffness"]["description"] == "N·unit/rad"
    study = found["$defs"]["SnapStudy"]["properties"]
    assert study["about"]["description"].startswith("the point of the root that torques are about")
    assert study["region"]["description"] == "offsets of the start"


def test_the_example_has_every_key():
    assert set(FULL) == set(Fastener.model_fields)
    assert set(FULL["study"]) == set(SnapStudy.model_fields)


def test_fasteners_are_solved_by_snap():
    assert kind_named("fastener").command == "snap"
    study = model_of(FULL).study
    assert study.for_command("snap") == study


@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_reading_back_gives_an_equal_model(tmp_path: Path, suffix: str):
    model = model_of(FULL)
    again = back(model, tmp_path / f"model{suffix}")
    assert again == model
    assert model_hash(again) == model_hash(model)


def test_numbers_are_read_without_rounding(tmp_path: Path):
    path = tmp_path / "exact.toml"
    path.write_text(
        'pliant = 1\nkind = "fastener"\nfriction = 0.1\n'
        "[root]\nvelocity = [0.3, -0.10000000000000000001]\n"
        '[[pawls]]\nname = "a"\nhinge = ["1/3", 5]\nstiffness = 1e2\noutline = [[0, 0], [1, 0], [0, 0.7]]\n'
        "[[obstacles]]\noutline = [[0, 0], [1, 0], [0, 1]]\n",
        encoding="utf-8",
    )
    model = load(path)
    assert isinstance(model, Fastener)
    assert model.friction == Fraction(1, 10)
    assert model.root.velocity == (Fraction(3, 10), Fraction(-(10**19) - 1, 10**20))
    assert model.pawls[0].hinge == (Fraction(1, 3), 5)
    assert model.pawls[0].outline[2] == (0, Fraction(7, 10))


numbers = st.fractions(-1000, 1000, max_denominator=10**6)
sizes = st.fractions(Fraction(1, 1000), 1000, max_denominator=10**6)
names = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)
angles = st.floats(-1.5, 1.5) | numbers.map(lambda u: f"{u} u")


@st.composite
def fasteners(draw: st.DrawFn) -> Fastener:
    """Triangles of any names, sizes and places."""

    def triangle() -> list[list[str]]:
        x, y = draw(numbers), draw(numbers)
        return [[str(x), str(y)], [str(x + draw(sizes)), str(y)], [str(x), str(y + draw(sizes))]]

    called = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    data: dict[str, Any] = {
        "root": {"velocity": [str(draw(sizes)), str(draw(numbers))], "until": str(draw(sizes))},
        "friction": str(draw(sizes)),
        "pawls": [
            {
                "name": f"pawl {name}",
                "hinge": [str(draw(numbers)), str(draw(numbers))],
                "outline": triangle(),
                "stiffness": str(draw(sizes)),
                "rest": draw(angles),
            }
            for name in called[1:]
        ],
        "obstacles": [{"name": f"block {called[0]}", "outline": triangle()}, {"outline": triangle()}],
    }
    return Fastener.model_validate(data)


@pytest.mark.slow
@given(model=fasteners(), suffix=st.sampled_from([".toml", ".json"]))
@settings(max_examples=60, deadline=None)
def test_any_fastener_is_read_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, model: Fastener, suffix: str
):
    path = tmp_path_factory.mktemp("any") / f"model{suffix}"
    assert back(model, path) == model
    assert model_of(plain(model)) == model
