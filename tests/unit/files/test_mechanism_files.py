"""Mechanisms as files: schema and round trips, with every kind of element in the plane and in space."""

import math
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.files import load, model_hash, model_of, save, schema
from pliant.files.writer import plain, toml_text
from pliant.relax.checks.raw_data import ELEMENTS
from pliant.relax.model import Mechanism

FLAT: dict[str, Any] = {
    "pliant": 1,
    "kind": "mechanism",
    "title": "One of each",
    "units": "cm",
    "ground": ["a", "d"],
    "parameters": {"k": 1000},
    "tolerances": {"k": {"uniform": 50}},
    "stiffness": "k/3",
    "nodes": {"a": [0, 0], "b": [0, 2], "m": [2, "5/2"], "c": [4, 3], "d": [4, 0], "p": [2, 6], "q": [7, 1]},
    "bars": [
        {"nodes": ["a", "b"], "modulus": 200, "area": 3},
        {"nodes": ["b", "m", "c"]},
        {"nodes": ["c", "d"], "length": 3.1, "stiffness": 10},
    ],
    "strings": [{"nodes": ["p", "a"], "to": [7, 6, 5], "band": 0.01}],
    "springs": [{"nodes": ["p", "q"], "stiffness": 2, "length": 0}],
    "bumpers": [{"nodes": ["a", "c"], "length": 0.5}],
    "actuators": [{"nodes": ["b", "d"], "to": 4, "length": "9/2"}],
    "plates": [{"nodes": ["b", "c", "p"], "name": "rocker"}],
    "welds": [{"joint": "b", "arms": ["a", "c"]}],
    "rotors": [{"joint": "a", "arms": ["d", "b"], "to": ["30 deg", 1, "-90 deg"]}],
    "sliders": [{"node": "q", "on": ["c", "d"]}],
    "guides": [
        {"node": "q", "line": [1, 0], "friction": 0.2},
        {"node": "p", "curve": [[2, 6], [3, 7], [4, 6]], "closed": True},
    ],
    "gears": [
        {"wheels": [["a", "b"], ["d", "c"]], "ratio": -2, "carrier": ["a", "d"]},
        {"wheel": ["d", "c"], "rack": "q", "along": [1, 0], "radius": -0.5},
    ],
    "cylinders": [{"lines": [["a", "c"], ["b", "d"]], "areas": [1, 2], "to": [0, -1], "double": True}],
    "contacts": [{"members": [["a", "b"], ["q", "q"]], "against": [["c", "d"]], "radius": 0.1}],
    "wraps": [{"nodes": ["b", "q"], "around": [{"node": "c", "radius": 0.5}], "via": [[4, 4]], "pieces": 9}],
    "loads": [{"node": "p", "force": [0, 0], "to": [0, -5]}],
    "gravity": [0, -9.81],
    "masses": {"p": 2, "q": 0},
    "fields": [{"centre": [0, 9], "strength": -1, "power": -2}],
    "study": {"method": "sync", "trace": ["p"], "alphas": {"p": 0.1}, "etas": {"q": 0.9}, "alpha": 0.4},
}
SPACE: dict[str, Any] = {
    "pliant": 1,
    "kind": "mechanism",
    "nodes": {"a": [0, 0, 0], "b": [1, 0, 0], "c": [0, 1, 0], "d": [0, 0, 1], "e": [1, 1, 1]},
    "bars": [{"nodes": ["a", "e"]}],
    "plates": [{"nodes": ["a", "b", "c", "d"]}],
    "hinges": [{"joint": "a", "sides": [["b", "c"], ["e"]], "axis": [0, 0, 1]}],
    "rotors": [{"joint": "a", "arms": ["b", "e"], "axis": "d", "to": "1 rad"}],
    "gears": [{"wheels": [["a", "b"], ["d", "e"]], "ratio": "1/3", "axis": [0, 0, 1]}],
    "guides": [{"node": "e", "plane": [0, 0, 1]}],
    "wraps": [{"nodes": ["b", "c"], "around": [{"cylinder": ["a", "d"], "radius": 0.25}]}],
}


def back(model: Any, path: Path) -> Any:
    save(model, path)
    return load(path)


# The schema


def test_what_loads_is_valid_by_the_schema():
    jsonschema.Draft202012Validator.check_schema(schema("mechanism"))
    valid = jsonschema.Draft202012Validator(schema("mechanism")).is_valid
    for data in (FLAT, SPACE):
        assert isinstance(model_of(data), Mechanism)
        assert valid(data)
    assert not valid({**FLAT, "nodes": {}})
    assert not valid({**FLAT, "joints": {}})
    assert not valid({**FLAT, "bars": [{"nodes": ["a"]}]})
    assert not valid({**FLAT, "actuators": [{"nodes": ["a", "b"]}]})
    assert not valid({**FLAT, "nodes": {"a": [0, 0, 0, 0]}})
    assert not valid({**FLAT, "study": {"method": "guess"}})
    assert not valid({key: value for key, value in FLAT.items() if key != "nodes"})


def test_comments_and_docstrings_become_descriptions():
    found = schema("mechanism")
    assert found["description"] == "Nodes, the elements between them, what is held and what drives."
    assert found["$defs"]["Bar"]["properties"]["length"]["description"] == "default as drawn"
    assert found["$defs"]["Rotor"]["description"].startswith("Turns the second arm about a node")
    assert found["$defs"]["RelaxStudy"]["properties"]["eta"]["description"] == "below 1: pseudo-inertia"


# Round trips


def test_the_examples_have_one_of_each_element():
    assert all(key in FLAT or key in SPACE for key in ELEMENTS)
    wanted = set(Mechanism.model_fields) - {"hinges"}
    assert set(FLAT) == wanted


@pytest.mark.parametrize("suffix", [".toml", ".json"])
@pytest.mark.parametrize("data", [FLAT, SPACE])
def test_reading_back_gives_an_equal_model_with_its_nodes_in_order(
    tmp_path: Path, data: dict[str, Any], suffix: str
):
    model = model_of(data)
    again = back(model, tmp_path / f"model{suffix}")
    assert again == model
    assert isinstance(again, Mechanism)
    assert list(again.nodes) == list(data["nodes"])
    assert model_hash(again) == model_hash(model)
    assert again.study.for_command("relax") == again.study


def test_numbers_are_read_as_written():
    model = model_of(FLAT)
    assert isinstance(model, Mechanism)
    assert (model.stiffness, model.nodes["m"]) == (1000 / 3, (2, 2.5))
    assert model.rotors[0].to == (math.radians(30), 1, -math.pi / 2)
    assert model.strings[0].to == (7, 6, 5)
    assert model.actuators[0].to == 4
    assert (model.dimension, model_of(SPACE).dimension) == (2, 3)


numbers = st.floats(-1e6, 1e6, allow_nan=False)
names = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)


@st.composite
def mechanisms(draw: st.DrawFn) -> Mechanism:
    """Bars, springs and actuators between nodes of any names and places."""
    dimension = draw(st.sampled_from([2, 3]))
    nodes = draw(st.lists(names, min_size=2, max_size=6, unique=True))
    at = st.lists(numbers, min_size=dimension, max_size=dimension)
    x = st.lists(st.integers(-(10**6), 10**6), min_size=len(nodes), max_size=len(nodes), unique=True)
    places = [[first, *draw(at)[1:]] for first in draw(x)]
    lengths = st.floats(1e-6, 1e6)
    pairs = st.permutations(nodes).map(lambda order: order[:2])
    to = lengths | st.lists(lengths, min_size=1, max_size=4)
    data: dict[str, Any] = {
        "pliant": 1,
        "kind": "mechanism",
        "title": draw(names),
        "ground": draw(st.lists(st.sampled_from(nodes[1:]), max_size=1)),
        "nodes": dict(zip(nodes, places, strict=True)),
        "bars": [{"nodes": [nodes[0], name]} for name in nodes[1:]],
        "springs": [{"nodes": draw(pairs), "stiffness": draw(lengths), "length": draw(lengths)}],
        "actuators": [{"nodes": draw(pairs), "to": draw(to)}],
        "loads": [{"node": nodes[0], "force": draw(at)}],
        "masses": {nodes[0]: draw(lengths)},
        "study": {"trace": draw(st.lists(st.sampled_from(nodes), max_size=2)), "tolerance": draw(lengths)},
    }
    model = model_of(data)
    assert isinstance(model, Mechanism)
    return model


@given(model=mechanisms())
@settings(max_examples=30, deadline=None)
def test_names_and_numbers_of_any_kind_come_back(model: Mechanism, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("save")
    for name in ("model.toml", "model.json"):
        assert back(model, folder / name) == model


def test_toml_is_tidy():
    text = toml_text(plain(model_of(FLAT)))
    assert text.startswith('pliant = 1\nkind = "mechanism"\ntitle = "One of each"\nunits = "cm"\n')
    assert "\n[nodes]\na = [0, 0]\nb = [0, 2]\nm = [2, 2.5]\n" in text
    assert '\n[[bars]]\nnodes = ["b", "m", "c"]\n' in text
    assert '\n[[gears]]\nwheels = [["a", "b"], ["d", "c"]]\nratio = -2\ncarrier = ["a", "d"]\n' in text
    assert '\naround = [{ node = "c", radius = 0.5 }]\n' in text
    assert "\n[masses]\np = 2\nq = 0\n" in text
    assert text.endswith("\n[study.alphas]\np = 0.1\n\n[study.etas]\nq = 0.9\n")


def test_defaults_are_left_out():
    data = {"pliant": 1, "kind": "mechanism", "nodes": SPACE["nodes"], "plates": [{"nodes": [*"abcde"]}]}
    written = plain(model_of({**data, "units": "mm", "study": {"method": "auto"}, "bars": [], "masses": {}}))
    assert written == data
