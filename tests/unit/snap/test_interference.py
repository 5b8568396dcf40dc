"""Pawls that would run into each other or into the root: said, with how far it had gone."""

from __future__ import annotations

import math
import time
from typing import Any

import pytest
from tests.unit.snap.one_pawl import box, ring

from pliant.snap.arithmetic.floating import FloatArithmetic
from pliant.snap.model import Fastener
from pliant.snap.questions.interference import interferences
from pliant.snap.sweep.plan import travel_in, united_obstacles

BAR = ring((0, 0), (4, 0), (4, "1/4"), (0, "1/4"))  # leans on a spike by tan θ = (t - 6) / 2
SPIKE = ring((2, -6), ("3/2", -9), ("5/2", -9))
REACH = math.hypot(4, 0.25)  # of the bar's upper corner


def model(outline: Any = None, **keys: Any) -> Fastener:
    return Fastener.model_validate(
        {
            "root": {"velocity": [0, -1], "until": 9, "outline": outline},
            "pawls": [{"name": "bar", "hinge": [0, 0], "outline": BAR, "stiffness": 100}],
            "obstacles": [{"outline": SPIKE}],
            **keys,
        }
    )


def said(fastener: Fastener) -> list[str]:
    return list(interferences(fastener, travel_in(fastener, FloatArithmetic(), united_obstacles(fastener))))


def begins(sentence: str) -> float:
    return float(sentence.split("from ")[1].split(maxsplit=1)[0])


def test_a_pawl_that_turns_into_the_root_is_said_with_how_far_it_had_gone():
    """The bar's upper corner comes to the root's underside, 2 above the hinge."""
    (sentence,) = said(model(box(3, 2, 5, 3)))
    assert sentence.startswith("'bar' and 'root' overlap from ")
    assert sentence.endswith(" mm on: pawls and the root do not stop each other.")
    angle = math.asin(2 / REACH) - math.atan(1 / 16)
    assert begins(sentence) == pytest.approx(6 + 2 * math.tan(angle), abs=2e-3)


def test_a_root_that_is_far_enough_away_is_not_mentioned():
    """At t = 9 the bar leans by atan 3/2: its corner is 3.5 above the hinge, and no further."""
    assert REACH * math.sin(math.atan(1.5) + math.atan(1 / 16)) < 3.5
    assert said(model(box(-1, "7/2", 5, 4))) == []


def test_without_an_outline_the_root_is_in_nobody_s_way():
    assert said(model()) == []


def test_parts_that_overlap_as_drawn_clash_only_where_they_overlap_more():
    """A root about the hinge is overlapped by the bar at every angle, at rest by the most of it."""
    assert said(model(box(-1, -1, 5, 1))) == []
    (sentence,) = said(model(box(-1, "1/8", 5, 4)))
    assert begins(sentence) == pytest.approx(6, abs=1e-2)


def test_of_two_pawls_that_lean_towards_each_other_both_are_named():
    """Their tips, on levers of 5, slide on a floor until they meet at x = 4, 3 below their hinges."""
    left = {"name": "left", "hinge": [0, 0], "outline": ring((0, 0), (3, -4), (3, 0)), "stiffness": 1}
    right = {"name": "right", "hinge": [8, 0], "outline": ring((0, 0), (-3, -4), (-3, 0)), "stiffness": 1}
    pair = model(pawls=[left, right], obstacles=[{"outline": box(1, -9, 7, -8)}])
    (sentence,) = said(pair)
    assert sentence.startswith("'left' and 'right' overlap")
    assert begins(sentence) == pytest.approx(5, abs=1e-2)  # thin wedges overlap by little at first


def test_how_far_it_had_gone_counts_from_the_start_of_the_plan():
    """Three to the right first, and then down at half the speed, with the root as far above the bar."""
    plan = [{"velocity": [2, 0], "until": "3/2"}, {"velocity": [0, "-1/2"], "until": 18}]
    pawl = {"name": "bar", "hinge": [-3, 0], "outline": BAR, "stiffness": 100}
    root = {"plan": plan, "outline": box(0, 2, 2, 3)}
    (sentence,) = said(model(box(3, 2, 5, 3)))
    (later,) = said(model(pawls=[pawl], root=root))
    assert begins(later) == pytest.approx(3 + begins(sentence), abs=2e-3)


def test_hooks_in_a_row_are_looked_at_by_their_boxes_first():
    """Thirty hooks beside each other: only neighbours can meet, and these are too far apart to."""
    hook = ring((-1, "9/4"), (-1, -15), (0, -15), (3, -11), (1, "-51/5"), (1, "9/4"))
    pawls = [
        {"name": f"h{k}", "hinge": [20 * k, "67/4"], "outline": hook, "stiffness": 100} for k in range(30)
    ]
    walls = [{"outline": box(20 * k + 2, -40, 20 * k + 12, -k)} for k in range(30)]
    row = model(pawls=pawls, obstacles=walls, root={"velocity": [0, -1], "until": 30})
    began = time.process_time()
    courses = travel_in(row, FloatArithmetic(), united_obstacles(row))
    moved = time.process_time() - began
    assert list(interferences(row, courses)) == []
    assert time.process_time() - began - moved < 0.5 + moved  # it was cubic in the number of hooks: minutes
