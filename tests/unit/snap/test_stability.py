"""How far variables may go before other things happen: places that can be worked out on paper."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from tests.unit.snap.one_pawl import FLOAT, box, fastener, ring

from pliant.snap.generate import two_hooks
from pliant.snap.model import Fastener
from pliant.snap.questions.stability import Margin, margins

CORNER = ring((0, 0), (3, -4), (4, 0))
FLOOR = box(0, -9, 20, -8)


def model(*variables: dict[str, Any], friction: Any = 0) -> Fastener:
    """A tip 3 to the right of its hinge comes down on a floor that begins under the hinge."""
    plain = fastener(CORNER, FLOOR, root={"velocity": [0, -1], "until": 5}, friction=friction)
    return Fastener.model_validate({**plain.model_dump(exclude={"study"}), "variables": variables})


def by_name(fastener: Fastener) -> dict[str, Margin]:
    return {margin.name: margin for margin in margins(fastener, FLOAT)}


def test_friction_may_rise_to_where_it_locks():
    """Two hooks lock from 11/16 on."""
    found = by_name(two_hooks())["friction"]
    assert (found.value, found.low, found.low_ends, found.high_ends) == (0, 0, False, True)
    assert found.high == pytest.approx(11 / 16, abs=1e-7)


def test_friction_may_fall_to_where_it_lets_go():
    """A tip at (3, -4) locks at once from 3/4 on, and as it slides out it holds ever less."""
    found = by_name(model(friction=1))["friction"]
    assert found.low_ends
    assert found.low == pytest.approx(3 / 4, abs=1e-7)
    assert (found.high, found.high_ends) == (3, False)


def test_a_start_may_lie_aside_until_the_tip_passes_the_floor_s_end():
    """To the left by 3; to the right it is tried as far as the pawl is large, and nothing changes."""
    found = by_name(model())["start aside"]
    assert (found.value, found.high, found.low_ends, found.high_ends) == (0, 4, True, False)
    assert found.low == pytest.approx(-3, abs=1e-7)


def test_a_stiffer_spring_changes_nothing():
    found = by_name(model({"name": "k", "what": "stiffness", "of": "pawl", "range": (10, 1000)}))["k"]
    assert found == Margin("k", 100.0, 10.0, 1000.0, low_ends=False, high_ends=False)
    assert found.to_dict()["high_ends"] is False


def test_a_variable_may_go_to_where_another_contact_comes_first():
    """The floor's end, drawn 3 to the right for a unit, passes under the tip."""
    drawn = {"name": "p", "what": "vertices", "moves": [{"of": "obstacle 1", "vertices": [3], "by": (3, 0)}]}
    found = by_name(model({**drawn, "range": (0, 2)}))["p"]
    assert found.high == pytest.approx(1, abs=1e-7)
    assert found.high_ends


def test_a_value_that_no_file_could_have_ends_a_margin():
    """The floor is 1 thick."""
    thinned = {
        "name": "p",
        "what": "vertices",
        "moves": [{"of": "obstacle 1", "vertices": [0, 1], "by": (0, 1)}],
    }
    found = by_name(model({**thinned, "range": (0, 2)}))["p"]
    assert found.high == pytest.approx(1, abs=1e-7)
    assert found.high_ends


def test_friction_that_is_a_variable_is_varied_as_that_alone():
    names = [
        m.name
        for m in margins(model({"name": "mu", "what": "friction", "range": (0, Fraction(1, 2))}), FLOAT)
    ]
    assert names == ["start aside", "mu"]
