import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pliant.core.pose import carry, dot, turn, uncarry

NUMBER = st.floats(-100, 100)


@given(st.tuples(NUMBER, NUMBER, NUMBER), st.tuples(NUMBER, NUMBER))
def test_uncarry_undoes_carry(pose, point):
    pose, point = np.array(pose), np.array(point)
    assert np.allclose(uncarry(pose, carry(pose, point)), point, atol=1e-9)


@given(NUMBER, st.tuples(NUMBER, NUMBER), st.tuples(NUMBER, NUMBER))
def test_turning_keeps_inner_products(angle, first, second):
    first, second = np.array(first), np.array(second)
    turned = dot(turn(np.array(angle), first), turn(np.array(angle), second))
    assert np.isclose(turned, first @ second, atol=1e-8)


def test_poses_and_points_broadcast():
    assert carry(np.zeros((5, 1, 3)), np.zeros((4, 2))).shape == (5, 4, 2)
