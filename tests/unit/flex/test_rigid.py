"""Which bodies are one: welds, pivots at two points, and what holds them."""

from __future__ import annotations

import pytest

from pliant.core.errors import InputError
from pliant.files import model_of
from pliant.flex.model import Assembly, rigid_groups


def square(name: str, x: float = 0.0, fixed: bool = False) -> dict:
    return {"name": name, "outline": [[0, 0], [1, 0], [1, 1], [0, 1]], "pose": [x, 0, 0], "fixed": fixed}


def model(names: str, pins: list = (), welds: list[str] = (), fixed: str = "") -> Assembly:
    """Bodies named by letters; pins as ("ab", x) or ("ab", x, clearance)."""
    return Assembly.model_validate(
        {
            "bodies": [square(n, 2.0 * k, n in fixed) for k, n in enumerate(names)]
            + [square("!", -50, True)],
            "pins": [{"bodies": list(b), "at": [x, 0], "clearance": sum(c)} for b, x, *c in pins],
            "welds": [{"bodies": list(weld)} for weld in welds],
        }
    )


def groups(*given, **rest) -> set[str]:
    made = model(*given, **rest)
    return {"".join(made.bodies[k].name for k in group) for group in rigid_groups(made).groups} - {"!"}


def held(*given, **rest) -> str:
    made = model(*given, **rest)
    return "".join(sorted(rigid_groups(made).why(made))).replace("!", "")


def test_without_welds_every_body_is_its_own():
    assert groups("abc") == {"a", "b", "c"}


def test_welds_that_share_a_body_are_one():
    assert groups("abcdef", welds=["ab", "cd", "bc"]) == {"abcd", "e", "f"}
    assert groups("fedcba", welds=["acf"]) == {"fca", "e", "d", "b"}


@pytest.mark.parametrize("count", [2, 3, 5])
def test_pivots_at_different_points_are_a_weld(count):
    assert groups("abc", [("ab", 0.1 * k) for k in range(count)]) == {"ab", "c"}


def test_one_pivot_pivots_at_one_point_and_loose_pins_are_none():
    assert groups("ab", [("ab", 0.5)]) == {"a", "b"}
    assert groups("ab", [("ab", 0.5)] * 3) == {"a", "b"}
    assert groups("ab", [("ab", 0.5), ("ab", 0.5 + 1e-9)]) == {"a", "b"}
    assert groups("ab", [("ab", 0.1, 0.01), ("ab", 0.9, 0.01), ("ab", 0.5)]) == {"a", "b"}


def test_groups_grow_until_nothing_more_is_joined():
    """C has one pivot on each of two that are welded; d one on each of two that become one so."""
    pins = [("ac", 0.1), ("bc", 0.9), ("ad", 0.2), ("cd", 0.7)]
    assert groups("abcd", pins, welds=["ab"]) == {"abcd"}
    assert groups("abcd", pins) == {"a", "b", "c", "d"}


def test_a_triangle_of_pivots_is_left_to_the_program():
    assert groups("abc", [("ab", 0), ("bc", 1), ("ca", 2)]) == {"a", "b", "c"}


def test_what_is_one_with_a_fixed_body_is_held():
    assert held("abc", welds=["ab"], fixed="a") == "ab"
    assert held("abc", [("bc", 0), ("bc", 1)], welds=["ab"], fixed="a") == "abc"


def test_pivots_on_two_fixed_bodies_hold_and_do_not_make_them_one():
    pins = [("ac", 0), ("bc", 1)]
    assert held("abc", pins, fixed="ab") == "abc"
    assert groups("abc", pins, fixed="ab") == {"a", "b", "c"}
    assert held("abc", [("ac", 0)], fixed="ab") == "ab"


@pytest.mark.parametrize(
    ("rest", "why"),
    [
        (
            {"welds": [{"bodies": ["base", "arm"]}]},
            "'arm' is one with 'base', which is fixed: nothing moves it",
        ),
        (
            {"pins": [{"bodies": ["arm", "base"], "at": [x, 0]} for x in (0, 1)]},
            "'arm' is pinned to what is fixed: nothing moves it",
        ),
    ],
)
def test_an_objective_on_what_is_held_so_is_refused_with_the_reason(rest, why):
    bodies = [square("base", fixed=True), square("arm", 2.0), square("loose", 4.0)]
    data = {"pliant": 1, "kind": "assembly", "bodies": bodies, **rest}
    with pytest.raises(InputError) as caught:
        model_of({**data, "study": {"maximize": [{"body": "arm", "spin": 1}]}})
    (fault,) = caught.value.faults
    assert (fault.where, fault.problem) == ("study.maximize[0].body", why)
    assert model_of({**data, "study": {"maximize": [{"body": "loose", "spin": 1}]}})


@pytest.mark.parametrize(
    ("welds", "where", "said"),
    [
        ([{"bodies": ["a", "x"]}], "welds[0].bodies[1]", "'x' is not a body of this model"),
        ([{"bodies": ["a", "b", "a"]}], "welds[0].bodies", "names 'a' 2 times"),
        ([{"bodies": ["a", "b"]}, {"bodies": ["a"]}], "welds[1].bodies", "at least 2"),
        ([{"body": ["a", "b"]}], "welds[0].body", "is not a key of a weld"),
    ],
)
def test_a_weld_names_two_bodies_or_more_each_once(welds, where, said):
    data = {"pliant": 1, "kind": "assembly", "bodies": [square("a", fixed=True), square("b", 2)]}
    with pytest.raises(InputError) as caught:
        model_of({**data, "welds": welds})
    (fault,) = caught.value.faults
    assert fault.where == where
    assert said in fault.problem
