import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from pliant.core.model import Gap, Length, NotNegative, Positive
from pliant.core.quantity import Angle, Coordinate, Number, angle, exact, number


@given(st.fractions())
def test_fractions_are_read_without_rounding(value: Fraction):
    assert exact(f"{value.numerator}/{value.denominator}") == value


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_decimals_are_read_without_rounding(value: Decimal):
    assert exact(value) == Fraction(value)


@given(st.floats(-1e6, 1e6))
def test_degrees_become_radians(value: float):
    assert angle(f"{value:.6f} deg") == pytest.approx(math.radians(value), abs=1e-8)


@pytest.mark.parametrize("text", ["", "one", "1/0", "1//2", "0x10", "1e9999", "30 dg", "nan", "1 2"])
def test_what_is_no_number_is_refused_with_a_cure(text: str):
    with pytest.raises(PydanticCustomError) as caught:
        number(text)
    assert caught.value.context["cure"]


UNFIT = [True, None, [], float("nan"), float("inf"), Decimal("sNaN"), 10**5000]


@pytest.mark.parametrize("value", UNFIT, ids=[f"case {index}" for index in range(len(UNFIT))])
def test_what_a_double_cannot_hold_is_refused(value: object):
    with pytest.raises(PydanticCustomError):
        number(value)


def test_a_length_takes_no_unit():
    with pytest.raises(PydanticCustomError, match="plain number"):
        number("3 mm")


RANGES = {
    Coordinate: ([0, -1e9, 1e9, 1e-300], [1.0000001e9, -1e308]),
    Number: ([0, -1e18, 1e-300], [1.1e18, -1e300]),
    Angle: ([0, -1e6, "360 deg"], [1.1e6, "1e300 deg"]),
    Length: ([1e-9, 1e9], [0, -1, 0.9e-9, 1e-320, 1.1e9]),
    Gap: ([0, 1e-9, 1e9], [-1, 1e-320, 1.1e9]),
    Positive: ([1e-18, 1e18], [0, 1e-19, 1e-320, 1.1e18]),
    NotNegative: ([0, 1e-18, 1e18], [-1, 1e-320, 1.1e18]),
}


@pytest.mark.parametrize("kind", RANGES, ids=["coordinate", "number", "angle", "length", "gap", "+", "0+"])
def test_every_quantity_has_a_range_and_a_cure_beyond_it(kind):
    read, (inside, outside) = TypeAdapter(kind).validate_python, RANGES[kind]
    for value in inside:
        read(value)
    for value in outside:
        with pytest.raises(ValidationError) as caught:
            read(value)
        error = caught.value.errors()[0]
        assert error["type"] in ("greater_than", "greater_than_equal") or error["ctx"]["cure"]
