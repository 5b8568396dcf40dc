"""Driven values at equal steps of one drive."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pliant.relax.assemble.waypoints import sample_paths, steps


def test_steps_meet_every_waypoint():
    assert steps([(1.0,), (1.0, 2.0), (0.0, 1.0, 2.0), (0.0,) * 7]) == 6


def test_nothing_driven_takes_no_step():
    assert steps([(1.0,), (2.0,)]) == 0
    np.testing.assert_array_equal(sample_paths([(1.0,), (2.0,)], 0), [[1, 2]])


def test_too_many_steps_are_as_many_as_the_longest_path_has():
    assert steps([(0.0,) * 48, (0.0,) * 44]) == 47  # 47 · 43 = 2021
    assert steps([(0.0,) * 48, (0.0,) * 42]) == 47 * 41


def test_values_in_between_are_linear():
    values = sample_paths([(0.0, 6.0), (5.0,), (1.0, 3.0, 0.0)], 6)
    np.testing.assert_allclose(values[:, 0], range(7), rtol=1e-15)
    np.testing.assert_array_equal(values[:, 1], 5)
    np.testing.assert_allclose(values[:, 2], [1, 5 / 3, 7 / 3, 3, 2, 1, 0], rtol=1e-15)


@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9).map(tuple), min_size=1, max_size=5))
def test_every_waypoint_is_met_to_the_last_digit(paths):
    count = steps(paths)
    values = sample_paths(paths, count)
    assert values.shape == (count + 1, len(paths))
    for column, path in zip(values.T, paths, strict=True):
        met = column[:: count // (len(path) - 1)] if len(path) > 1 else column[:1]
        assert met.tolist() == list(path)


def test_what_stands_still_takes_no_room():
    values = sample_paths([(1.0,)] * 1000, 2000)
    assert values.strides[0] == 0
    assert values.shape == (2001, 1000)


def test_paths_of_an_odd_length_are_interpolated():
    values = sample_paths([(0.0, 1.0, 0.0)], 3)
    np.testing.assert_allclose(values[:, 0], [0, 2 / 3, 2 / 3, 0], rtol=1e-15)
    assert sample_paths([(2.0, 4.0)], 1) == pytest.approx(np.array([[2.0], [4.0]]))
