"""Angles as half-angle tangents: what is taken, how far it is from what was asked, and what is refused."""

from decimal import Decimal
from fractions import Fraction
from math import cos, isclose, pi, radians, sin
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from pliant.snap.arithmetic.half_angle import FINEST, NONE, HalfAngle, HalfAngleOf, half_angle

ADAPTER = TypeAdapter(HalfAngleOf)


@pytest.mark.parametrize(
    ("given", "u"),
    [
        (0, 0),
        ("0 deg", 0),
        ("90 deg", 1),
        ("-90 deg", -1),
        ("1/5 u", Fraction(1, 5)),
        (" -0.25 u ", Fraction(-1, 4)),
        ("3 u", 3),
    ],
)
def test_angles_with_a_simple_tangent_are_exact(given: Any, u: Fraction):
    found = half_angle(given)
    assert found.u == u
    assert found.rounding == 0


@given(st.floats(-3.1, 3.1))
def test_other_angles_are_near_what_was_asked_and_say_how_near(asked: float):
    found = half_angle(asked)
    assert found.u.denominator <= FINEST or abs(found.u) < 1e-3
    assert found.asked == asked
    assert isclose(found.angle - asked, found.rounding, abs_tol=1e-15)
    assert abs(found.rounding) <= 1 / FINEST


@given(st.fractions(-50, 50, max_denominator=10**6))
def test_the_matrix_of_a_rational_tangent_is_a_rotation_exactly(u: Fraction):
    found = half_angle(f"{u} u")
    cosine, sine = found.matrix
    assert cosine**2 + sine**2 == 1
    assert float(cosine) == pytest.approx(cos(found.angle), abs=1e-12)
    assert float(sine) == pytest.approx(sin(found.angle), abs=1e-12)


def test_numbers_of_files_are_radians():
    assert half_angle(Decimal("0.5")).asked == 0.5
    assert half_angle("30 deg").asked == radians(30)
    assert half_angle(NONE) is NONE


@given(st.floats(-3.1, 3.1) | st.fractions(-50, 50, max_denominator=1000).map(lambda u: f"{u} u"))
def test_a_written_angle_is_read_as_the_same(asked: Any):
    found = half_angle(asked)
    assert ADAPTER.validate_python(ADAPTER.dump_python(found)) == found


@pytest.mark.parametrize("given", [pi, -pi, "180 deg", "1 turn", "u", "1/0 u", "2 deg u", True, None, [1]])
def test_what_is_no_angle_below_half_a_turn_is_refused(given: Any):
    with pytest.raises(PydanticCustomError):
        half_angle(given)
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(given)


def test_half_a_turn_is_told_with_what_is_allowed():
    with pytest.raises(PydanticCustomError) as caught:
        half_angle("200 deg")
    assert caught.value.message() == "3.49066 rad is half a turn or more"
    assert caught.value.context["cure"] == "Give an angle between -180 and 180 degrees"


def test_a_turn_compares_by_what_is_taken_and_what_was_asked():
    assert half_angle("1/2 u") == HalfAngle(Fraction(1, 2), half_angle("1/2 u").asked)
