"""What is built in Python, or read, and refused: with a cure, and with the names it is about."""

from typing import Any

import pytest

import pliant
from pliant.files import model_of
from pliant.flex.model import Body, Region
from pliant.snap.model import SnapStudy

BAR = {
    "pliant": 1,
    "kind": "linkage",
    "ground": ["A", "D"],
    "joints": {"A": [0, 0], "B": [0, 1], "C": [3, 2], "D": [4, 0]},
    "links": [{"joints": ["A", "B"]}, {"joints": ["B", "C"]}, {"joints": ["C", "D"]}],
    "motors": [{"joint": "A", "drives": "B"}],
}
TRIANGLE = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))


def test_a_model_built_in_python_is_refused_with_every_fault_and_cure():
    with pytest.raises(pliant.InputError) as caught:
        pliant.Assembly(bodies=(Body(name="a", outline=TRIANGLE, fixed=True),), clearence=2, units=3)  # type: ignore[call-arg]
    assert [fault.where for fault in caught.value.faults] == ["units", "clearence"]
    assert "Did you mean 'clearance'?" in str(caught.value)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: Body(name="a", outline=TRIANGLE[:2]), "outline: has 2 different vertices"),
        (lambda: Body(name="a"), "has none of shape, outline and outlines"),
        (lambda: Region(outline=TRIANGLE, holes=(((5, 5), (6, 5), (5, 6)),)), "Holes lie inside"),
        (lambda: pliant.FlexStudy(stepz=3), "is not a key of a flex study .* Did you mean 'steps'?"),
        (lambda: SnapStudy(frames="many"), "frames: must be a whole number"),
        (lambda: pliant.Mechanism(nodes={}), "nodes"),
    ],
)
def test_parts_and_studies_built_in_python_are_too(build: Any, said: str):
    with pytest.raises(pliant.InputError, match=said):
        build()


def test_a_hole_outside_its_body_is_one_fault_of_the_file():
    body = {"name": "a", "fixed": True, "outline": TRIANGLE, "holes": [[[5, 5], [6, 5], [5, 6]]]}
    with pytest.raises(pliant.InputError, match="Holes lie inside the outline"):
        model_of({"pliant": 1, "kind": "assembly", "bodies": [body]})


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"joints": {**BAR["joints"], "Q": [5, 5]}}, ("Q",)),  # in no link
        ({"motors": [{"joint": "A", "drives": "C"}]}, ("C", "A")),
        ({"links": [*BAR["links"], {"joints": ["C", "B"]}]}, ("C", "B")),
        ({"ground": ["A", "D", "Z"]}, ("Z",)),
    ],
)
def test_a_fault_carries_the_names_it_is_about(change: dict[str, Any], names: tuple[str, ...]):
    with pytest.raises(pliant.InputError) as caught:
        model_of({**BAR, **change})
    assert caught.value.faults[0].names == names


def test_a_fault_found_after_loading_carries_names_too():
    model = model_of({**BAR, "ground": ["A"], "links": BAR["links"]})
    with pytest.raises(pliant.InputError) as caught:
        pliant.solve(model)
    assert set(caught.value.faults[0].names) <= set(BAR["joints"])
    assert caught.value.faults[0].names


HELD = {"name": "a", "fixed": True, "outline": TRIANGLE}
STILL = {"pliant": 1, "kind": "assembly", "bodies": [HELD, {**HELD, "name": "b", "fixed": False}]}
SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]
OVER = {
    **{"pliant": 1, "kind": "fastener", "root": {"velocity": [0, -1]}},
    "pawls": [{"name": "hook", "hinge": [0, 0], "outline": SQUARE, "stiffness": 1}],
    "obstacles": [{"name": "wall", "outline": SQUARE}],
}
CROSSED = {
    **{"pliant": 1, "kind": "mechanism", "ground": ["p"]},
    "nodes": {"p": [0, 0], "q": [2, 2], "r": [0, 2], "s": [2, 0]},
    "bars": [{"nodes": ["p", "q"]}, {"nodes": ["r", "s"]}],
    "contacts": [{"members": [["p", "q"], ["r", "s"]], "radius": 0.1}],
}


@pytest.mark.parametrize(
    ("data", "names"),
    [
        ({**STILL, "study": {"maximize": [{"body": "a", "direction": [1, 0]}]}}, ("a",)),
        ({**STILL, "study": {"maximize": [{"body": "b", "direction": [1, 0], "weight": 0}]}}, ("b",)),
        ({**STILL, "study": {"load": [{"body": "a", "force": [1, 0]}]}}, ("a",)),
        (OVER, ("hook", "wall")),
        (CROSSED, ("p", "q", "r", "s")),
    ],
)
def test_a_fault_carries_the_parts_that_it_quotes(data: dict[str, Any], names: tuple[str, ...]):
    with pytest.raises(pliant.InputError) as caught:
        pliant.solve(model_of(data))
    assert caught.value.faults[0].names == names
