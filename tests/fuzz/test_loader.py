"""Whatever a file holds, the loader gives a model or an InputError, and nothing else."""

import copy
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.originals import DATA, FASTENER, LINKAGE, MECHANISM, SPATIAL

from pliant.core.errors import InputError
from pliant.files import edits_of, load, load_any, model_of
from pliant.relax.checks.raw_data import ELEMENTS

TOML = b"""pliant = 1
kind = "assembly"
clearance = 0.1
[shapes]
tab = [[0, 0], [10, 0], [10, 10], [0, 10]]
ring = { outline = [[0, 0], [9, 0], [0, 9]], holes = [[[1, 1], [2, 1], [1, 2]]] }
[[bodies]]
name = "base"
shape = "tab"
fixed = true
[[bodies]]
name = "arm"
shape = "ring"
pose = [12, 0, "30 deg"]
[[pins]]
bodies = ["arm", "base"]
at = [0, 0]
[[limits]]
body = "arm"
rotation = [0, "5 deg"]
[study]
maximize = [{ body = "arm", direction = [1, 0] }]
"""
EDITS: dict[str, Any] = {"pliant": 1, "kind": "edits", **LINKAGE["study"]["edit"]}
JSON = json.dumps(DATA).encode()
FOUR_BAR = json.dumps(LINKAGE).encode()
NETWORK = json.dumps(MECHANISM).encode()
MODEL = model_of(LINKAGE)

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["base", "arm", "A", "B", "crank", "A-B", "30 deg", "22/7", "1/0", Decimal("NaN")])
    | st.integers(4000, 5000).map(lambda digits: 16**digits)  # as TOML's 0xfff…
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
)
KEYS = [
    "pliant",
    "kind",
    "shapes",
    "bodies",
    "pins",
    "keep",
    "sights",
    "limits",
    "study",
    "name",
    "outline",
    "flex",
    "ground",
    "joints",
    "links",
    "motors",
    "sliders",
    "loads",
    "length",
    "drives",
    "profile",
    "along",
    "on",
    "trace",
    "tolerances",
    "edit",
    "lengths",
    "nodes",
    *ELEMENTS,
    "arms",
    "axis",
    "curve",
    "wheels",
    "around",
    "via",
    "masses",
    "root",
    "pawls",
    "obstacles",
    "variables",
    "plan",
    "hinge",
    "beam",
    "stops",
    "moves",
]


def refusal(read: Callable[[], Any]) -> InputError | None:
    try:
        read()
    except InputError as error:
        return error
    return None


def only_refused(path: Path) -> None:
    for read in (load, load_any):
        error = refusal(lambda read=read: read(path))
        assert error is None or all(line.startswith(str(path)) for line in str(error).splitlines())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@given(content=st.binary(max_size=200), suffix=st.sampled_from([".toml", ".json", ".txt"]))
@settings(max_examples=100, deadline=None)
def test_random_bytes_are_refused_in_words(folder: Path, content: bytes, suffix: str):
    path = folder / f"random{suffix}"
    path.write_bytes(content)
    only_refused(path)


@st.composite
def mutated(draw: st.DrawFn, content: bytes) -> bytes:
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.sampled_from([0, 0, 1, 1, 5, 30])))
        piece = draw(
            st.binary(max_size=3)
            | st.sampled_from(
                [b"[", b"]", b"{", b"}", b'"', b"nan", b"NaN", b"-", b"1e999", b"0", b"true", b"null"]
            )
            | st.integers(0, len(content)).map(lambda at, whole=content: whole[at : at + 12])
        )
        content = content[:start] + piece + content[end:]
    return content


CLIP = json.dumps(FASTENER).encode()
ORIGINALS = [(TOML, ".toml"), (JSON, ".json"), (FOUR_BAR, ".json"), (NETWORK, ".json"), (CLIP, ".json")]


@given(data=st.data(), original=st.sampled_from(ORIGINALS))
@settings(max_examples=100, deadline=None)
def test_mutated_files_load_or_are_refused_in_words(
    folder: Path, data: st.DataObject, original: tuple[bytes, str]
):
    path = folder / f"mutated{original[1]}"
    path.write_bytes(data.draw(mutated(original[0])))
    only_refused(path)


@st.composite
def transplanted(draw: st.DrawFn, *originals: dict[str, Any]) -> Any:
    """A good model with a random value somewhere in it."""
    data = copy.deepcopy(draw(st.sampled_from(originals)))
    place: Any = data
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = draw(st.sampled_from([*keys, draw(st.sampled_from(KEYS))])) if isinstance(place, dict) else None
        key = key if key is not None else draw(st.sampled_from(keys))
        inner = place.get(key) if isinstance(place, dict) else place[key]
        if not inner or not isinstance(inner, dict | list) or draw(st.booleans()):
            place[key] = draw(values)
            return data
        place = inner


@pytest.mark.slow
@given(
    data=transplanted(DATA, LINKAGE, MECHANISM, SPATIAL, FASTENER)
    | st.dictionaries(st.sampled_from(KEYS), values)
    | values,
    kind=st.sampled_from(["assembly", "linkage", "mechanism", "fastener"]),
)
@settings(max_examples=100, deadline=None)
def test_random_structures_make_models_or_are_refused_in_words(data: Any, kind: str):
    key = {"assembly": "bodies", "linkage": "links", "mechanism": "bars", "fastener": "pawls"}[kind]
    points = "nodes" if kind == "mechanism" else "joints"
    given = data if isinstance(data, dict) else {"pliant": 1, "kind": kind, points: {"A": [0, 0]}, key: data}
    error = refusal(lambda: model_of(given, "x"))
    assert error is None or (error.faults and str(error).encode())


@pytest.mark.slow
@given(data=transplanted(EDITS))
@settings(max_examples=100, deadline=None)
def test_random_edits_are_read_or_refused_in_words(data: dict[str, Any]):
    error = refusal(lambda: edits_of(data, MODEL, "x"))
    assert error is None or (error.faults and str(error).encode())


def test_the_originals_are_good(folder: Path):
    for content, suffix in ((TOML, ".toml"), (JSON, ".json")):
        path = folder / f"good{suffix}"
        path.write_bytes(content)
        assert load(path).bodies[1].name == "arm"
    assert [model_of(data).kind for data in (MECHANISM, SPATIAL)] == ["mechanism"] * 2
    assert model_of(FASTENER).kind == "fastener"
    assert edits_of(EDITS, MODEL).move[0].joint == "P"
