"""Points (t, u) of algebraic numbers: every sign is right, however near to zero."""

from __future__ import annotations

import math
from typing import Any

import pytest
from flint import fmpq, fmpz_poly

from pliant.snap.arithmetic.algebraic import Algebraic, compare
from pliant.snap.arithmetic.exact import ExactArithmetic, ExactPoint
from pliant.snap.arithmetic.polynomials import nearest_float

HUGE = 10**40
HAIR = fmpq(1, HUGE)
ONE = fmpz_poly([1])
BESIDE = fmpq(70710678118654752440084436210484903928, 10**38)  # √½ to within 5e-39, and less


def root(*coefficients: int, low: Any = 0, high: Any = 2) -> Algebraic:
    """The one root of a polynomial, from its constant term up, between two rationals."""
    return Algebraic(fmpz_poly(list(coefficients)), fmpq(low), fmpq(high))


def half_root() -> Algebraic:
    """√½."""
    return root(-1, 0, 2)


def on_diagonal() -> ExactPoint:
    """u = t = √½, by the line t - u = 0."""
    return ExactPoint(half_root(), 0, (ONE, fmpz_poly([0, -1])))


def after_a_snap() -> ExactPoint:
    """u = √½ at t = √3, which have nothing to do with each other."""
    return ExactPoint(half_root(), 0, None, root(-3, 0, 1))


# Points


def test_a_point_on_a_line_has_its_time_as_a_number_and_as_a_float():
    point = on_diagonal()
    assert point.t == point.angle == pytest.approx(math.sqrt(0.5), abs=1e-15)
    assert abs(point.t - math.sqrt(0.5)) <= point.slack < 1e-11
    assert compare(point.time, half_root()) == 0


def test_where_a_flat_line_crosses_time_is_that_of_the_other_branch():
    """(2u - 1)(t - 3) = 0 at u = 1/2: t is 3, not 0/0."""
    point = ExactPoint(Algebraic.of(fmpq(1, 2)), 0, (fmpz_poly([-1, 2]), fmpz_poly([3, -6])))
    assert point.t == 3
    assert point.after(fmpq(3)) == 0


def test_a_time_that_floats_cannot_tell_is_narrowed_until_they_do():
    """t = 1 / (u - v) with v the rational beside √½: some 1e38, though u is known to 53 bits at first."""
    line = fmpz_poly([-int(BESIDE.p), int(BESIDE.q)]), fmpz_poly([-int(BESIDE.q)])
    point = ExactPoint(half_root(), 0, line)
    right = nearest_float(2 * BESIDE / (fmpq(1, 2) - BESIDE * BESIDE))  # (u + v) / (u² - v²)
    assert abs(point.t) > 1e37
    assert point.t == pytest.approx(right, rel=1e-12)
    assert point.slack <= 1e-12 * abs(point.t)


# Signs


def test_a_sign_is_zero_where_it_is_and_only_there():
    """2 u t - 1 vanishes at u = t = √½."""
    point = on_diagonal()
    assert point.sign(fmpz_poly([0, 2]), fmpz_poly([-1])) == 0
    for off in (1, -1):
        assert point.sign(fmpz_poly([0, 2 * HUGE]), fmpz_poly([-HUGE + off])) == off


def test_a_line_that_falls_turns_no_sign_round():
    """The same point by u - t = 0."""
    falling = ExactPoint(half_root(), 0, (fmpz_poly([-1]), fmpz_poly([0, 1])))
    for a, b in (([0, 2 * HUGE], [-HUGE + 1]), ([0, 2 * HUGE], [-HUGE - 1]), ([-3], [2])):
        assert falling.sign(fmpz_poly(a), fmpz_poly(b)) == on_diagonal().sign(fmpz_poly(a), fmpz_poly(b)) != 0


def test_after_a_snap_time_and_angle_are_compared_as_the_numbers_they_are():
    """√3 against 2 √½, and lines whose t does not count at this angle."""
    point = after_a_snap()
    assert point.sign(ONE, fmpz_poly([0, -2])) == 1
    assert point.sign(-ONE, fmpz_poly([0, 2])) == -1
    assert point.sign(fmpz_poly([-1, 0, 2]), fmpz_poly([5])) == 1  # 2u² - 1 = 0 beside t
    assert point.sign(fmpz_poly([-1, 0, 2]), fmpz_poly([0, 0, 2]) - ONE) == 0
    same = ExactPoint(half_root(), 0, None, half_root())
    assert same.sign(ONE, fmpz_poly([0, -1])) == 0


@pytest.mark.parametrize("point", [on_diagonal(), ExactPoint(half_root(), 0, None, half_root())])
def test_later_and_earlier_are_told_apart_by_a_hair(point):
    assert point.against(half_root()) == 0
    for off in (HAIR, -HAIR):
        beside = Algebraic.of(BESIDE + off)
        assert point.against(beside) == point.after(BESIDE + off) == -compare(beside, half_root())
    assert (point.after(fmpq(0)), point.after(fmpq(1))) == (1, -1)
    assert point.against(root(-3, 0, 1)) == -1


def test_at_a_rational_moment_nothing_is_later_or_earlier():
    point = ExactArithmetic.moment(half_root(), 0, fmpq(22, 7))
    assert (point.after(fmpq(22, 7)), point.after(fmpq(22, 7) - HAIR), point.after(fmpq(22, 7) + HAIR)) == (
        0,
        1,
        -1,
    )


# Where a pawl that snaps meets a contact


def at_time(time: Algebraic) -> ExactPoint:
    return ExactPoint(Algebraic.of(fmpq(0)), 0, None, time)


def test_of_the_angles_of_conjugate_times_only_this_one_s_is_met():
    """u = t / 2 at t = √2: the polynomial has -√½ as well, which belongs to -√2."""
    found = ExactArithmetic.landing(at_time(root(-2, 0, 1)), ONE, fmpz_poly([0, -2]), -1.0, 1.0)
    assert [compare(u, half_root()) for u in found] == [0]


def test_at_a_rational_time_both_roots_within_reach_are_met_in_order():
    """2 (1 + u²) - 5 u = 0: 1/2 and 2."""
    curve = fmpz_poly([1, 0, 1]), fmpz_poly([0, -5])
    point = at_time(Algebraic.of(fmpq(2)))
    assert [u.near for u in ExactArithmetic.landing(point, *curve, 0.0, 3.0)] == [0.5, 2.0]
    assert [u.near for u in ExactArithmetic.landing(point, *curve, 0.0, 1.0)] == [0.5]


@pytest.mark.parametrize("time", [Algebraic.of(fmpq(2)), root(-4, 0, 1), root(-2, 0, 1, high=3)])
def test_a_curve_that_is_only_touched_is_met_once(time):
    """t (1 + u²) - 2 t u = 0 at any t: u = 1 twice. The second 2 is written as a root of t² - 4."""
    found = ExactArithmetic.landing(at_time(time), fmpz_poly([1, -2, 1]), fmpz_poly([]), 0.0, 2.0)
    assert [u.near for u in found] == [1.0]


def test_a_curve_s_flat_line_is_met_at_every_time():
    """(2u - 1)(t - 5u) = 0 at t = √2: u = 1/2, and u = √2 / 5."""
    alpha, beta = fmpz_poly([-1, 2]), fmpz_poly([-1, 2]) * fmpz_poly([0, -5])
    found = ExactArithmetic.landing(at_time(root(-2, 0, 1)), alpha, beta, 0.0, 1.0)
    assert [u.near for u in found] == pytest.approx([math.sqrt(2) / 5, 0.5])
    assert compare(found[1], Algebraic.of(fmpq(1, 2))) == 0


# Strips, and numbers between others


def test_a_strip_holds_the_angle_and_no_other_root():
    u, own, beside = half_root(), fmpz_poly([-1, 0, 2]), fmpz_poly([-int(BESIDE.p), int(BESIDE.q)])
    far, constant = fmpz_poly([-3, 4]), fmpz_poly([7])
    low, high = ExactArithmetic.strip(u, [own, beside, far, constant])
    assert own(low) < 0 < own(high)
    assert beside(low) * beside(high) > 0
    assert far(low) * far(high) > 0
    assert high - low < fmpq(1, 10**37)


def test_a_strip_is_wide_where_nothing_is_near():
    low, high = ExactArithmetic.strip(half_root(), [fmpz_poly([-1, 0, 2])])
    assert high - low == fmpq(1, 2**9)


def test_an_angle_that_is_a_root_many_times_over_does_not_narrow_its_strip():
    own = fmpz_poly([-1, 0, 2]) ** 3
    low, high = ExactArithmetic.strip(half_root(), [own])
    assert own(low) < 0 < own(high)
    assert high - low == fmpq(1, 2**9)


def test_between_two_numbers_is_a_rational_one_however_near_they_are():
    for one, other in ((half_root(), Algebraic.of(BESIDE)), (Algebraic.of(BESIDE), half_root())):
        found = ExactArithmetic.between(one, other)
        assert found.is_rational
        assert {compare(found, one), compare(found, other)} == {-1, 1}


def test_between_equal_numbers_is_the_number():
    assert compare(ExactArithmetic.between(half_root(), root(-1, 0, 0, 0, 4)), half_root()) == 0
