"""The whole fastener: legs one after another, pawls and root side by side, and the way back from anywhere."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.unit.snap.one_pawl import CLASP, EXACT, FLOAT, HILL, HOOK, SLAB, TEE, TIP, angle, box, fastener

from pliant.snap.force.force_curve import pawl_angles
from pliant.snap.generate import motion_diode, two_hooks
from pliant.snap.model import Fastener
from pliant.snap.sweep.plan import (
    Course,
    clearing_time,
    path_until,
    piece_at,
    plan_legs,
    travel_back,
    travel_in,
    united_obstacles,
)

both = pytest.mark.parametrize("arithmetic", [EXACT, FLOAT], ids=["exact", "float"])


def there(model: Fastener, arithmetic: Any) -> tuple[Course, ...]:
    return travel_in(model, arithmetic, united_obstacles(model))


def there_and_back(model: Fastener, arithmetic: Any) -> tuple[tuple[Course, ...], tuple[Course, ...]]:
    fixed = united_obstacles(model)
    ways = travel_in(model, arithmetic, fixed)
    return ways, travel_back(model, arithmetic, fixed, ways)


def told(course: Course, pawl: str = "pawl") -> list[tuple[str, float]]:
    """A pawl's events and the leg's own t of each, on the way back too."""
    sense = -1 if course.back else 1
    return [(e.kind, round(sense * e.point.t, 9) + 0.0) for e in course.paths[pawl].events]


def turned_at(course: Course, t: float) -> float:
    """The pawl's angle at the leg's own t."""
    path, at = course.paths["pawl"], -t if course.back else t
    piece = next(p for p in path.pieces if p.start.t - 1e-12 <= at <= p.end.t + 1e-12)
    return float(pawl_angles(path, piece, np.array([at]))[0])


def over_the_hill(until: Any, **more: Any) -> Fastener:
    return fastener(TIP, HILL, root={"velocity": (1, 0), "until": until}, **more)


# Legs


@both
@pytest.mark.parametrize("cuts", [[3], [8], [12, 13], ["25/3", 14, "43/3"]])
def test_a_leg_in_parts_is_as_good_as_one(cuts, arithmetic):
    """Cut at rest, on arcs at irrational angles, at events and along a flat contact."""
    ends = [Fraction(0), *map(Fraction, cuts), Fraction(20)]
    plan = [{"velocity": (1, 0), "until": b - a} for a, b in pairwise(ends)]
    courses = there(fastener(TIP, HILL, root={"plan": plan}), arithmetic)
    assert [course.cause for course in courses] == ["until"] * len(plan)
    whole = there(over_the_hill(20), arithmetic)[0]
    for begin, course in zip(ends, courses, strict=False):
        for t in np.linspace(course.begins, course.ends, 7)[1:-1]:
            assert turned_at(course, t) == pytest.approx(turned_at(whole, t + float(begin)), abs=1e-9)
    assert sum(course.travel for course in courses) == pytest.approx(20)


@both
def test_legs_turn_corners_and_keep_what_the_leg_before_left(arithmetic):
    """Down, over a wall with the tip leaning back on its corner, and up: onto the wall's top, and off it."""
    plan = [
        {"velocity": (0, -1), "until": 8},
        {"velocity": (1, 0), "until": 4},
        {"velocity": (0, 1), "until": 9},
    ]
    courses = there(fastener(TIP, box(3, -20, 9, -11), root={"plan": plan}), arithmetic)
    assert [course.cause for course in courses] == ["until"] * 3
    assert [course.offset for course in courses] == [(0, 0), (0, -8), (4, -8)]
    assert told(courses[0]) == []
    assert told(courses[1]) == [("contact", 2.6)]
    # Then the corner is at (-1, -3) of the hinge, on an edge 5/√26 from it.
    leaning = math.atan2(-3, -1) - math.atan2(-1, 5) + math.acos(5 / math.sqrt(260))
    assert angle(courses[1].paths["pawl"].end) == pytest.approx(leaning)
    top = ("change", pytest.approx(math.sqrt(24) - 3))
    assert told(courses[2]) == [top, ("release", 2)]  # what presses on is no new contact


@both
def test_a_plan_ends_with_the_first_leg_that_cannot_be_finished(arithmetic):
    plan = [
        {"velocity": (0, 1), "until": 1},
        {"velocity": (0, "1/2"), "until": 5},
        {"velocity": (1, 0), "until": 5},
    ]
    courses = there(fastener(CLASP, SLAB, root={"plan": plan}, hinge=(0, 2)), arithmetic)
    assert [course.cause for course in courses] == ["until", "jam"]
    assert courses[1].ends == pytest.approx(2 * (math.sqrt(10) - 3))
    assert courses[1].by == "pawl"


def test_without_an_end_a_leg_clears_everything():
    model = motion_diode()
    (leg,) = plan_legs(model)
    assert leg.until == clearing_time(model, leg.velocity)
    lowest = min(y for part in model.obstacles for _, y in model.outline(part))
    assert 9 - leg.until + math.hypot(4, 1) < lowest


# Several pawls and the root


@both
def test_the_first_to_end_ends_all(arithmetic):
    course = there(two_hooks(), arithmetic)[0]
    assert (course.cause, course.by, course.ends) == ("stop", "root", 8)
    course = there(two_hooks(friction=Fraction(7, 10)), arithmetic)[0]
    assert (course.cause, course.by) == ("lock", "left")
    assert course.ends == pytest.approx(2.6763228)


@both
def test_a_pawl_cut_off_by_another_is_where_its_arc_is_then(arithmetic):
    """The hook's arc goes on to t = 2.7; the root sits down at t = 2."""
    model = fastener(
        HOOK,
        TEE,
        root={"velocity": (0, -1), "until": 20, "outline": box(-5, 3, 5, 4)},
        hinge=(-4, 9),
    )
    course = there(model, arithmetic)[0]
    assert (course.by, course.ends) == ("root", 2)
    cut = path_until(course.paths["pawl"], course.end)
    assert angle(cut.end) == pytest.approx(turned_at(course, 2.0))
    assert -0.19 < angle(cut.end) < 0
    again = travel_back(model, arithmetic, united_obstacles(model), (course,))[0]
    assert told(again) == [("contact", 2), ("release", 1.5)]


@both
@pytest.mark.parametrize("side", [1, -1])
def test_an_arc_with_a_flat_line_through_it_is_cut_off_on_the_arc(side, arithmetic):
    """At 90° its edge is parallel to the way: that solves its equation at any t. The root sits at t = 4.5."""
    pawl = [(side * x, y) for x, y in box(-1, -1, 3, 0)]
    block = [(side * x, y) for x, y in box(1, -6, 2, -5)]
    root = {"velocity": (0, -1), "until": 20, "outline": box(-36, -1, -34, 0)}
    model = fastener(pawl, block, box(-40, -60, -30, "-11/2"), root=root)
    ways, again = there_and_back(model, arithmetic)
    assert (ways[0].by, ways[0].ends) == ("root", 4.5)
    # The corner is at (1, -1/2) of the hinge: sin θ + cos θ / 2 = 1.
    assert angle(path_until(ways[0].paths["pawl"], ways[0].end).end) == pytest.approx(side * 0.6435011088)
    assert told(again[0]) == [("contact", 4.5), ("release", 4)]


# Back


@both
@pytest.mark.parametrize("until", [8, 10, 12, 13, "57/4"])
def test_from_anywhere_on_its_way_a_pawl_goes_back_as_it_came(until, arithmetic):
    """Mid-arc on either contact, at an event, along the flat top, on the far slope: without friction."""
    ways, again = there_and_back(over_the_hill(until), arithmetic)
    assert (again[0].cause, again[0].ends) == ("until", 0)
    for t in np.linspace(5, float(Fraction(until)), 9)[:-1]:
        assert turned_at(again[0], t) == pytest.approx(turned_at(ways[0], t), abs=1e-9)
    assert told(again[0])[-1] == ("release", 6)


@both
def test_from_a_jam_the_way_back_is_open(arithmetic):
    model = fastener(CLASP, SLAB, root={"velocity": (0, 1), "until": 5}, hinge=(0, 2))
    ways, again = there_and_back(model, arithmetic)
    assert ways[0].cause == "jam"
    assert (again[0].cause, again[0].ends) == ("until", 0)
    assert told(again[0])[-1] == ("release", 1)


@both
def test_from_a_jam_between_two_stones_a_diode_goes_back(arithmetic):
    ways, again = there_and_back(motion_diode(start=(0, -9), velocity=(0, 1)), arithmetic)
    assert ways[0].cause == "jam"
    assert (again[0].cause, again[0].ends) == ("until", 0)


@both
def test_from_a_friction_lock_the_way_back_is_open_where_it_does_not_resist(arithmetic):
    ways, again = there_and_back(two_hooks(friction=Fraction(7, 10)), arithmetic)
    assert ways[0].cause == "lock"
    assert (again[0].cause, again[0].begins) == ("until", pytest.approx(-ways[0].ends))
    assert told(again[0], "left")[-1] == ("release", 1.5)


@both
def test_from_where_a_snap_has_landed_and_locked_it_goes_back(arithmetic):
    """A peg lets the pawl go; its shoulder comes down on a point beside the hinge, and sticks at once."""
    shoulders = [(-2, -1), ("-1/4", -1), (0, -4), ("1/4", -1), (2, -1), (2, 1), (-2, 1)]
    peg, point = (
        [(4, -3), ("7/2", -7), ("9/2", -7)],
        [("83/10", "-6/5"), ("113/10", "-17/10"), ("113/10", "-7/10")],
    )
    model = fastener(shoulders, peg, point, root={"velocity": (1, 0), "until": 20}, friction="2/5")
    ways, again = there_and_back(model, arithmetic)
    landing = ways[0].paths["pawl"].events[-2]
    assert (landing.kind, ways[0].cause) == ("lands", "lock")
    assert again[0].begins == pytest.approx(-landing.point.t)
    start = again[0].paths["pawl"].events[0].point
    assert (start.t, angle(start)) == pytest.approx((-landing.point.t, angle(landing.point)))


@both
def test_friction_can_lock_the_way_back_only(arithmetic):
    ways, again = there_and_back(two_hooks(friction=Fraction(3, 5)), arithmetic)
    assert ways[0].by == "root"
    assert again[0].cause == "lock"
    assert again[0].travel == pytest.approx(11 / 3)


@both
def test_a_snap_is_not_gone_back_on(arithmetic):
    """Past the hill the tip is at rest; on the way back it meets the slope, and leans the other way."""
    _, again = there_and_back(over_the_hill(20), arithmetic)
    assert told(again[0])[0][0] == "contact"
    assert max(angle(piece.end) for piece in again[0].paths["pawl"].pieces) > 0


@both
def test_a_plan_of_legs_is_gone_back_leg_by_leg(arithmetic):
    plan = [{"velocity": (1, 0), "until": "25/3"}, {"velocity": (1, "1/4"), "until": 2}]
    ways, again = there_and_back(fastener(TIP, HILL, root={"plan": plan}), arithmetic)
    assert [(course.leg, course.back) for course in again] == [(1, True), (0, True)]
    for way, course in zip(reversed(ways), again, strict=True):
        for t in np.linspace(way.begins, way.ends, 7)[1:-1]:
            assert turned_at(course, t) == pytest.approx(turned_at(way, t), abs=1e-9)
    assert angle(again[-1].paths["pawl"].end) == 0


@both
def test_a_stop_s_way_back_is_open(arithmetic):
    ways, again = there_and_back(over_the_hill(20, stops=("-1/4 u", "1/4 u")), arithmetic)
    assert ways[0].cause == "stop"
    assert told(again[0]) == [("contact", pytest.approx(152 / 17)), ("release", 6)]


@both
def test_a_piece_is_found_by_its_t(arithmetic):
    path = there(over_the_hill(20), arithmetic)[0].paths["pawl"]
    motions = [piece_at(path, arithmetic.number(Fraction(t))) for t in (3, 8, 13, 17)]
    assert [piece.motion for piece in motions if piece] == ["rest", "arc", "flat", "rest"]
    assert piece_at(path, arithmetic.number(Fraction(21))) is None
