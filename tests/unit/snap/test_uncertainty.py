"""Starts that are not known: bands of outcomes, and starts that no fastener could have."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from tests.unit.snap.one_pawl import box, fastener, ring

from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.result import SnapResult
from pliant.snap.solve import solve

TIP = ring((-1, 0), (0, -4), (1, 0))
FLOOR = box(-20, -9, 20, -8)
PILLAR = box(4, -20, 6, 20)  # a pawl that starts 3 to 7 to the right is in it


def model(*obstacles: Any, **keys: Any) -> Fastener:
    root = {"velocity": [0, -1], "until": 2, **keys.pop("root", {})}
    return fastener(TIP, *obstacles, root=root, **keys)


def mapped(fastener: Fastener, arithmetic: str = "float", **study: Any) -> SnapResult:
    return solve(fastener, SnapStudy(uncertain=True, arithmetic=arithmetic, frames=2, **study))


def bands(result: SnapResult) -> list[tuple[float, float, str]]:
    assert result.outcomes is not None
    return [(round(b.low, 6), round(b.high, 6), b.outcome.inside) for b in result.outcomes.bands]


@pytest.mark.parametrize("arithmetic", ["exact", "float"])
def test_starts_inside_an_obstacle_are_told_with_its_name_and_not_followed(arithmetic):
    """The pawl is 2 wide and the pillar 2: it is inside from 3 to 7 to the right."""
    result = mapped(model(FLOOR, PILLAR), arithmetic, region=[(0, 0), (9, 0)])
    found = bands(result)
    assert [band for band in found if band[2]] == [(3, 7, "obstacle 2")]
    assert (found[0][0], found[-1][1]) == (0, 9)
    assert all(high == low for (_, high, _), (low, _, _) in pairwise(found))
    assert result.outcomes is not None
    (held,) = (band for band in result.outcomes.bands if band.outcome.inside)
    assert (held.outcome.cause, held.outcome.by, held.contact) == ("inside", "pawl", None)
    assert held.exact == ("3", "7")


def test_they_are_said_in_words_and_in_json():
    result = mapped(model(FLOOR, PILLAR), region=[(0, 0), (5, 0)])
    assert "starts aside       3 to 5 mm: pawl is inside obstacle 2 there, not followed" in result.summary()
    assert result.to_dict()["outcomes"]["bands"][-1]["inside"] == "obstacle 2"
    assert result.to_dict()["outcomes"]["bands"][0]["inside"] is None


def test_to_touch_is_not_to_be_inside():
    result = mapped(model(FLOOR, PILLAR), region=[(0, 0), (3, 0)])
    assert not any(inside for _, _, inside in bands(result))


def test_where_a_slope_is_met_at_the_start_the_place_is_closed_in_on():
    """An overhang of 1 to 10 is at x = 3 where the pawl's right corner, (1, 0), meets it; its foot, at 3.02,
    is passed by that corner a little later, which is no change of the outcome.
    """
    overhang = ring(("151/50", "-1/5"), (9, "-1/5"), (9, 4), ("13/5", 4))
    result = mapped(model(FLOOR, overhang, root={"until": 5}), region=[(0, 0), (4, 0)])
    assert result.outcomes is not None
    (held,) = (band for band in result.outcomes.bands if band.outcome.inside)
    assert (held.low, held.high) == (pytest.approx(2, abs=1e-7), 4)
    assert held.exact[0] == ""


def test_a_root_that_lies_in_an_obstacle_is_told_by_its_name():
    beside = fastener(
        TIP, FLOOR, box(4, 5, 6, 7), root={"velocity": [0, -1], "until": 2, "outline": box(-1, 5, 1, 6)}
    )
    found = mapped(beside, region=[(0, 0), (9, 0)])
    assert found.outcomes is not None
    held = [band for band in found.outcomes.bands if band.outcome.inside]
    assert [(round(b.low, 6), round(b.high, 6), b.outcome.by) for b in held] == [(3, 7, "root")]


def test_without_obstacles_in_the_region_nothing_is_inside():
    found = bands(mapped(model(FLOOR), region=[(-3, 0), (3, 0)]))
    assert [inside for _, _, inside in found] == [""]
