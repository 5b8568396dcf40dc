"""Cubics between samples: they repeat cubics exactly, and find where these turn and cross."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pliant.linkage.kinematics.hermite import (
    Cells,
    second_slope,
    slope,
    stationary_points,
    value,
    zero_crossing,
)

numbers = st.floats(-10, 10).filter(lambda q: q == 0 or abs(q) > 1e-3)


def cells(polynomial: np.polynomial.Polynomial) -> Cells:
    rate = polynomial.deriv()
    return Cells(*(np.array([side]) for side in (polynomial(0), polynomial(1), rate(0), rate(1))))


@given(st.lists(numbers, min_size=4, max_size=4), st.floats(0, 1))
def test_a_cubic_is_repeated_with_its_slope_and_bend(coefficients, s):
    polynomial = np.polynomial.Polynomial(coefficients)
    found, at = cells(polynomial), np.array([s])
    assert value(found, at)[0] == pytest.approx(polynomial(s), abs=1e-11)
    assert slope(found, at)[0] == pytest.approx(polynomial.deriv()(s), abs=1e-11)
    assert second_slope(found, at)[0] == pytest.approx(polynomial.deriv(2)(s), abs=1e-10)


@pytest.mark.parametrize(
    ("rate", "places"),
    [
        ([0.08, -0.6, 1.0], [0.2, 0.4]),  # (s − 0.2)(s − 0.4)
        ([-0.5, 1.0], [0.5]),  # a parabola
        ([-0.9, -0.1, 1.0], []),  # (s − 1)(s + 0.9): at the end, and outside
        ([1.0, 0.0, 1.0], []),
        ([0.0], []),
    ],
)
def test_a_cubic_turns_where_its_slope_has_roots_inside(rate, places):
    found = stationary_points(cells(np.polynomial.Polynomial(rate).integ()))[:, 0]
    assert sorted(s for s in found if s > 1e-9) == pytest.approx(places)


@given(st.floats(0.001, 0.999), st.booleans())
def test_a_crossing_is_found_to_the_last_bits(root, down):
    polynomial = (
        np.polynomial.Polynomial([-root, 1]) * np.polynomial.Polynomial([2, 1, 1]) * (-1 if down else 1)
    )
    assert zero_crossing(cells(polynomial))[0] == pytest.approx(root, abs=1e-13)
