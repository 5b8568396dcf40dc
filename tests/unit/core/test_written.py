"""Numbers as reports write them."""

import math

from hypothesis import given
from hypothesis import strategies as st

from pliant.core.written import figure, vector_text, within

directions = st.floats(0, 2 * math.pi)
sizes = st.floats(1e-6, 1e6)


@given(st.sampled_from([0, 1, 2, 3]), sizes)
def test_a_direction_along_an_axis_is_written_so_whatever_its_angle_was_computed_by(quarters, length):
    turn = quarters * math.pi / 2
    written = vector_text((length * math.cos(turn), length * math.sin(turn)))
    assert sorted(part.lstrip("-") for part in written[1:-1].split(", ")) == ["0", figure(length)]


@given(directions, sizes)
def test_a_direction_is_written_to_six_digits(turn, length):
    point = length * math.cos(turn), length * math.sin(turn)
    read = [float(part) for part in vector_text(point)[1:-1].split(", ")]
    assert math.dist(read, point) < 1e-5 * length


def test_a_point_at_the_origin_of_a_large_thing_is_written_as_the_origin():
    assert vector_text((2e-14, -3e-13, 0.0), size=100.0) == "(0, 0, 0)"
    assert vector_text((2e-14, -3e-13)) != "(0, 0)"


def test_what_is_left_of_an_angle_is_none():
    assert figure(-1.4e-15, 360.0) == "0"


@given(st.floats(1e-3, 1e6), st.floats(1e-9, 1e3))
def test_no_digit_is_written_that_the_error_would_change_but_the_first(value, error):
    written = float(within(value, error))
    unit = 10.0 ** math.ceil(math.log10(error))
    assert abs(written - value) <= max(0.5 * unit, 1e-5 * value) or written == float(f"{value:.1g}")
