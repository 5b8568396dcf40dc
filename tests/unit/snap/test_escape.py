"""Ways back out, direction by direction."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from tests.unit.snap.leaving import at_rest, model_of, seated
from tests.unit.snap.one_pawl import fastener, grid_case

from pliant import gallery
from pliant.snap.arithmetic.floating import FloatArithmetic
from pliant.snap.generate import two_hooks, vector
from pliant.snap.questions.diode.escape import (
    EscapeAttempt,
    Sector,
    rational_direction,
    sectors,
    try_direction,
)

ROOM = [(9, 0), (10, 0), (10, 1)]
BLOCK = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
SLIP = [(0, 0), (0, "-1/4"), ("1/4", 0)]


def tried(angle: float, out: bool) -> EscapeAttempt:
    return EscapeAttempt(rational_direction(angle), out, None, 0.0)


@pytest.mark.parametrize("angle", [0.0, 1e-5, 0.3, math.pi / 2, 2.0, 3.1, -0.7, -3.0, 7.0])
def test_a_heading_is_a_rational_direction_within_a_billionth(angle):
    x, y = rational_direction(angle)
    assert isinstance(x, Fraction)
    assert math.remainder(math.atan2(y, x) - angle, 2 * math.pi) == pytest.approx(0, abs=1e-9)


def test_a_seat_is_where_the_plan_ends_and_out_as_far_back_as_it_came():
    start = seated(two_hooks())
    assert (start.offset, start.backwards, start.far) == (vector(0, -8), vector(0, 1), 8)
    assert set(start.rest.points) == {"left", "right", "root"}


def test_out_is_measured_along_the_plan():
    """Slantwise it is further, and sideways it is never out."""
    start = at_rest(model_of(SLIP, ROOM), far=5)
    assert start.course(vector(1, 2)).ends == 2.5
    assert start.course(vector(0, 1)).ends == 5


def test_with_nothing_in_its_way_it_escapes_for_no_force():
    found = try_direction(at_rest(model_of(SLIP, ROOM), far=5), vector(0, 1))
    assert (found.open, found.locks_from, found.force) == (True, None, 0)


def test_a_root_that_meets_something_does_not_escape():
    start = at_rest(model_of(SLIP, [(-5, 3), (5, 3), (5, 4), (-5, 4)], root=BLOCK), far=5)
    found = try_direction(start, vector(0, 1))
    assert (found.open, found.force) == (False, math.inf)
    assert not found.escapes(Fraction(0))


def test_friction_shuts_what_is_open_without_it():
    start = seated(gallery.load("diode-friction"))
    found = try_direction(start, start.backwards)
    assert found.open
    assert found.force == math.inf
    assert (found.escapes(Fraction(1, 10)), found.escapes(Fraction(3, 10))) == (True, False)


def test_neighbours_that_end_alike_are_one_sector():
    row = [tried(1.0, True), tried(0.6, False), tried(0.8, True), tried(1.2, False), tried(1.4, False)]
    found = sectors(row, Fraction(0))
    assert [(round(s.first, 6), round(s.last, 6), s.escapes) for s in found] == [
        (0.6, 0.6, False), (0.8, 1.0, True), (1.2, 1.4, False),
    ]  # fmt: skip


def test_sectors_are_counted_from_the_first_direction_across_half_a_turn():
    found = sectors([tried(math.pi, True), tried(-3.0, True), tried(3.0, False)], Fraction(0))
    assert [sector.escapes for sector in found] == [False, True]
    assert found[1] == Sector(pytest.approx(math.pi), pytest.approx(2 * math.pi - 3), True)


def test_by_floats_a_pawl_that_snaps_off_and_lands_again_at_one_place_comes_to_an_end():
    """It went round in circles for a million events: each landing was a little earlier than the snap."""
    case = grid_case(24)
    model = fastener(case["pawl"], *case["outlines"], root={"velocity": case["velocity"]})
    course = seated(model, FloatArithmetic()).course(
        (Fraction(-29688876553, 57203723929), Fraction(331752, 239173))
    )
    assert len(course.paths["pawl"].events) < 1000
