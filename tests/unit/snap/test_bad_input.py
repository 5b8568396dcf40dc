"""Every fault of a fastener's file is told with its place, what was given, and a cure."""

import copy
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from pliant.core.errors import InputError
from pliant.files import model_of
from pliant.files.studies import chosen_study
from pliant.snap.model import DIGITS, Fastener

HOOK = [["-1/2", "1/2"], [0, -8], [2, -5]]
GOOD: dict[str, Any] = {
    "pliant": 1,
    "kind": "fastener",
    "friction": 0.3,
    "shapes": {"hook": HOOK},
    "root": {"velocity": [0, -1], "until": 20, "outline": [[-5, 9], [5, 9], [5, 10], [-5, 10]]},
    "pawls": [
        {"name": "left", "hinge": [-4, 9], "shape": "hook", "stiffness": 100, "stops": ["-20 deg", "1/5 u"]},
        {
            "name": "right",
            "hinge": [4, 9],
            "outline": [[0.5, 0.5], [0, -8], [-2, -5], [0.5, 0.5]],
            "beam": {"length": 8, "thickness": 1, "width": 5, "material": "POM"},
            "preload": -3,
            "stops": [0, "20 deg"],
        },
    ],
    "obstacles": [
        {"name": "T", "outline": [[-3, 0], [3, 0], [3, 1], [-3, 1]]},
        {"outline": [[0, 0], [1, 0], [0, 1]], "at": [0, -9]},
    ],
    "variables": [
        {"name": "grip", "what": "friction", "range": [0, 0.5]},
        {"name": "spring", "what": "stiffness", "of": "left", "range": [50, "400/3"]},
        {"name": "place", "what": "hinge", "of": "right", "along": [1, 0], "range": [-1, 1]},
        {
            "name": "nose",
            "what": "vertices",
            "moves": [
                {"of": "left", "vertices": [2], "by": [0, 1]},
                {"of": "right", "vertices": [2], "by": [0, 1]},
                {"of": "root", "vertices": [0, 3], "by": [1, 0]},
                {"of": "obstacle 2", "vertices": [1], "by": [1, 0]},
            ],
            "range": [-0.5, 0.5],
        },
    ],
}
Change = Callable[[dict[str, Any]], Any]


def faults(change: Change) -> list[str]:
    """What is said about the fastener after a change; empty where it is still good."""
    data = copy.deepcopy(GOOD)
    change(data)
    try:
        model_of(data)
    except InputError as error:
        return [str(fault) for fault in error.faults]
    return []


def put(*place: str | int, **keys: Any) -> Change:
    """Keys of a table within the file."""

    def change(data: dict[str, Any]) -> None:
        table: Any = data
        for part in place:
            table = table[part]
        table.update(keys)

    return change


def drop(*place: str | int) -> Change:
    """A key of a table left out."""

    def change(data: dict[str, Any]) -> None:
        table: Any = data
        for part in place[:-1]:
            table = table[part]
        del table[place[-1]]

    return change


def outlined(*points: list[Any]) -> Change:
    return put("obstacles", 0, outline=list(points))


def test_the_fastener_itself_is_good():
    assert faults(lambda data: None) == []


# Single values


CORNERS = "List the corners in order around the part, each once"
VALUES = {
    "a root that does not move": (
        put("root", velocity=[0, "0/3"]),
        'root.velocity: is (0, 0): the root would not move (given [0, "0/3"]). '
        "Give a velocity such as [0, -1]",
    ),
    "negative friction": (
        put(friction="-1/10"),
        'friction: must be at least 0 (given "-1/10"). Give a number that is at least 0',
    ),
    "negative stiffness": (
        put("pawls", 0, stiffness=-1),
        "pawls[0].stiffness: must be at least 0 (given -1). Give a number that is at least 0",
    ),
    "an end at the start": (
        put("root", until=0),
        "root.until: must be more than 0 (given 0). Give a number that is more than 0",
    ),
    "an end before the start": (
        put("root", until=-0.5),
        "root.until: must be more than 0 (given -0.5). Give a number that is more than 0",
    ),
    "a number that is none": (
        put("root", velocity=[float("nan"), 0]),
        "root.velocity[0]: nan is not a finite number. Give a number that a double can hold",
    ),
    "a number that is too long": (
        put("root", velocity=["1e200", 0]),
        f'root.velocity[0]: has more than {DIGITS} digits as a fraction (given "1e200"). '
        "Round it, or choose another unit",
    ),
    "a fraction of nothing": (
        put("root", velocity=["1/0", 0]),
        "root.velocity[0]: '1/0' is not a number. The part below the line must not be 0",
    ),
    "half a turn": (
        put("pawls", 0, rest="180 deg"),
        'pawls[0].rest: 3.14159 rad is half a turn or more (given "180 deg"). '
        "Give an angle between -180 and 180 degrees",
    ),
    "an outline that crosses itself": (
        outlined([0, 0], [2, 2], [2, 0], [0, 2]),
        "obstacles[0].outline: edges 0 and 2 cross; an outline must not cross itself "
        f"(given [[0, 0], [2, 2], [2, 0], [0, 2]]). {CORNERS}",
    ),
    "an outline without area": (
        outlined([0, 0], [1, 1], [2, 2]),
        f"obstacles[0].outline: has no area (given [[0, 0], [1, 1], [2, 2]]). {CORNERS}",
    ),
    "an outline of two corners": (
        outlined([0, 0], [1, 1], [0, 0]),
        "obstacles[0].outline: has 2 different vertices; an outline needs at least 3 "
        f"(given [[0, 0], [1, 1], [0, 0]]). {CORNERS}",
    ),
    "a shape with a corner twice": (
        put("shapes", hook=[[0, 0], [1, 0], [1, "0/1"], [0, 1]]),
        "shapes.hook: vertex 2 repeats the one before it "
        f'(given [[0, 0], [1, 0], [1, "0/1"], [0, 1]]). {CORNERS}',
    ),
    "a way that leads nowhere": (
        put("variables", 2, along=[0, 0]),
        "variables[2].along: is (0, 0), which points nowhere (given [0, 0]). Give a direction such as [1, 0]",
    ),
    "a goal of nothing": (
        put(study={"goal": {}}),
        "study.goal: asks for nothing (given {}). Give insert_below = 20, hold_above = 50, or both",
    ),
    "a leg that does not move": (
        put("root", velocity=None, until=None, plan=[{"velocity": [0, 0], "until": 1}]),
        "root.plan[0].velocity: is (0, 0): the root would not move (given [0, 0]). "
        "Give a velocity such as [0, -1]",
    ),
}


@pytest.mark.parametrize("case", VALUES)
def test_values_that_cannot_be_are_told_with_place_value_and_cure(case: str):
    change, wanted = VALUES[case]
    assert faults(change) == [wanted]


# Names


NUMBERED = "has no vertex 3: its last is 2 (given 3). Number the corners from 0 to 2, as they are listed"
UNKNOWN = {
    "pawls[0].shape": (
        put("pawls", 0, shape="hok"),
        "'hok' is not a shape of this model. Did you mean 'hook'?",
    ),
    "obstacles[0].shape": (
        put("obstacles", 0, outline=None, shape="wall"),
        "'wall' is not a shape of this model. There are: hook",
    ),
    "pawls[1].beam.material": (
        put("pawls", 1, "beam", material="pom"),
        "'pom' is not in the table of materials. Did you mean 'POM'?",
    ),
    "variables[1].of": (
        put("variables", 1, of="lft"),
        "'lft' is not a pawl of this model. Did you mean 'left'?",
    ),
    "variables[2].of": (
        put("variables", 2, of="T"),
        "'T' is not a pawl of this model. There are: left, right",
    ),
    "variables[3].moves[0].of": (
        put("variables", 3, "moves", 0, of="bottom"),
        "'bottom' is not a part of this model. There are: root, left, right, T, obstacle 2",
    ),
    "variables[3].moves[0].vertices[1]": (
        put("variables", 3, "moves", 0, vertices=[0, 3]),
        f"'left' {NUMBERED}",
    ),
    "variables[3].moves[1].vertices[0]": (
        put("variables", 3, "moves", 1, vertices=[3]),
        f"'right' {NUMBERED}",
    ),
}


@pytest.mark.parametrize("vertex", [3.0, Decimal("3"), Decimal("3E+0")])
def test_a_vertex_that_is_not_there_is_none_however_its_number_is_written(vertex: float | Decimal):
    assert faults(put("variables", 3, "moves", 0, vertices=[0, vertex]))


@pytest.mark.parametrize("place", UNKNOWN)
def test_what_is_not_there_is_told_where_it_is_named(place: str):
    change, wanted = UNKNOWN[place]
    assert faults(change) == [f"{place}: {wanted}"]


def test_a_root_without_an_outline_has_no_vertices_to_move():
    (said,) = faults(drop("root", "outline"))
    assert said.startswith("variables[3].moves[2].of: 'root' is not a part of this model. ")


TWICE = {
    "two pawls": (
        put("pawls", 1, name="left"),
        "pawls[1].name: 'left' cannot be told apart: pawls[0] is called so too. Name it otherwise",
    ),
    "a pawl and an obstacle": (
        put("obstacles", 0, name="right"),
        "obstacles[0].name: 'right' cannot be told apart: pawls[1] is called so too. Name it otherwise",
    ),
    "an obstacle and the root": (
        put("obstacles", 0, name="root"),
        "obstacles[0].name: 'root' cannot be told apart: the root is called so. Name it otherwise",
    ),
    "an obstacle and one that is called by its number": (
        put("obstacles", 0, name="obstacle 2"),
        "obstacles[1]: 'obstacle 2' cannot be told apart: obstacles[0] is called so too. Name it otherwise",
    ),
    "two variables": (
        put("variables", 1, name="grip"),
        "variables[1].name: 'grip' is the name of variables[0] too. Name it otherwise",
    ),
}


@pytest.mark.parametrize("case", TWICE)
def test_names_that_two_bear_are_told(case: str):
    change, wanted = TWICE[case]
    assert wanted in faults(change)


# Parts that contradict themselves


CONTRADICTIONS = {
    "an outline and a shape": (
        put("pawls", 0, outline=HOOK),
        "pawls[0]: needs one of outline and shape. Draw an outline, or name one of [shapes]",
    ),
    "no outline and no shape": (
        drop("obstacles", 1, "outline"),
        "obstacles[1]: needs one of outline and shape. Draw an outline, or name one of [shapes]",
    ),
    "a stiffness and a beam": (
        put("pawls", 1, stiffness=3),
        "pawls[1]: needs one of stiffness and beam. Give stiffness = 100, or a beam",
    ),
    "no stiffness and no beam": (
        drop("pawls", 0, "stiffness"),
        "pawls[0]: needs one of stiffness and beam. Give stiffness = 100, or a beam",
    ),
    "stops above rest": (
        put("pawls", 0, stops=["5 deg", "9 deg"]),
        'pawls[0]: has stops that do not hold its rest between them. Give stops = ["-20 deg", "30 deg"]',
    ),
    "stops in the wrong order": (
        put("pawls", 0, stops=["20 deg", "-20 deg"]),
        'pawls[0]: has stops that do not hold its rest between them. Give stops = ["-20 deg", "30 deg"]',
    ),
    "a preload with no stop": (
        put("pawls", 0, stops=None, preload="1/2"),
        'pawls[0]: has a preload that no stop at its rest holds. Give stops = ["-20 deg", 0]',
    ),
    "a preload away from its stop": (
        put("pawls", 1, preload=3),
        'pawls[1]: has a preload that no stop at its rest holds. Give stops = ["-20 deg", 0]',
    ),
    "a negative preload with its stop elsewhere": (
        put("pawls", 0, preload=-3),
        'pawls[0]: has a preload that no stop at its rest holds. Give stops = [0, "20 deg"]',
    ),
    "a beam of nothing": (
        drop("pawls", 1, "beam", "material"),
        'pawls[1].beam: has neither material nor modulus. Give material = "POM", or modulus = 2800',
    ),
    "a velocity and a plan": (
        put("root", until=None, plan=[{"velocity": [0, 1], "until": 1}]),
        "root: needs one of velocity and plan. Give velocity = [0, -1], or a plan of legs",
    ),
    "no velocity and no plan": (
        drop("root", "velocity"),
        "root: needs one of velocity and plan. Give velocity = [0, -1], or a plan of legs",
    ),
    "an end beside a plan": (
        put("root", velocity=None, plan=[{"velocity": [0, 1], "until": 1}]),
        "root: has until beside a plan. Give `until` in each leg",
    ),
    "a range that falls": (
        put("variables", 0, range=[0.5, 0]),
        "variables[0]: has a range that does not rise. Give range = [lowest, highest]",
    ),
    "a range of one value": (
        put("variables", 2, range=[1, "3/3"]),
        "variables[2]: has a range that does not rise. Give range = [lowest, highest]",
    ),
    "a friction that may be negative": (
        put("variables", 0, range=[-0.1, 0.5]),
        "variables[0]: lets friction be negative. Begin the range at 0 or above",
    ),
    "a hinge that moves nowhere": (
        drop("variables", 2, "along"),
        "variables[2]: is of hinge and needs `along`. Add along = [1, 0]",
    ),
    "a stiffness of nobody": (
        drop("variables", 1, "of"),
        'variables[1]: is of stiffness and needs `of`. Add of = "…", a pawl',
    ),
    "a friction of a pawl": (
        put("variables", 0, of="left"),
        "variables[0]: is of friction, and `of` says nothing there. Leave it out",
    ),
    "vertices that stay": (
        put("variables", 3, moves=[]),
        "variables[3]: is of vertices and needs `moves`. "
        'Add moves = [{ of = "…", vertices = [0], by = [1, 0] }]',
    ),
}


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_parts_that_contradict_themselves_are_told_with_a_cure(case: str):
    change, wanted = CONTRADICTIONS[case]
    (said,) = faults(change)
    place, _, cure = wanted.rpartition(". ")
    assert said.startswith(f"{place} (given {{ ")
    assert said.endswith(f"). {cure}")


# Units


def test_a_material_has_its_modulus_in_millimetres_and_says_so_elsewhere():
    assert faults(put(units="in")) == [
        "pawls[1].beam.material: 'POM' has its modulus in N/mm², and the model is in 'in'. "
        'Give the beam a modulus in N for a square of that unit, or the model units = "mm"'
    ]


def test_a_modulus_of_its_own_serves_in_any_unit():
    data = copy.deepcopy(GOOD)
    data["units"] = "in"
    data["pawls"][1]["beam"]["modulus"] = 2e6
    assert isinstance(model_of(data), Fastener)


# Many at once, and what is read exactly


def test_every_fault_is_told_at_once():
    def change(data: dict[str, Any]) -> None:
        for each in (
            put(friction=-1, colour="red"),
            put("root", velocity=[0, 0]),
            put("pawls", 0, shape="hok"),
            put("variables", 1, of="lft"),
            put("obstacles", 0, outline=[[0, 0], [1, 0]]),
        ):
            each(data)

    places = [said.partition(": ")[0] for said in faults(change)]
    wanted = ["friction", "colour", "root.velocity", "pawls[0].shape", "variables[1].of"]
    assert sorted(places) == sorted([*wanted, "obstacles[0].outline"])


def test_floats_are_read_as_the_decimals_they_print_as():
    found = model_of({**GOOD, "friction": 0.1, "root": {"velocity": [1e-3, -0.7]}, "variables": []})
    assert found.friction == Fraction(1, 10)
    assert found.root.velocity == (Fraction(1, 1000), Fraction(-7, 10))


def test_keywords_of_a_study_are_checked_like_a_file():
    model = model_of(GOOD)
    assert chosen_study(model, None, {"radius": 0.1, "about": [1, 0.2]}).about == (1, Fraction(1, 5))
    with pytest.raises(InputError) as caught:
        chosen_study(model, None, {"radius": -1, "reverze": True})
    assert [str(fault) for fault in caught.value.faults] == [
        "reverze: is no keyword of solve (given true). Did you mean 'reverse'?",
        "radius: must be at least 0 (given -1). Give a number that is at least 0",
    ]
