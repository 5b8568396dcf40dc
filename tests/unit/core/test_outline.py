import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from pliant.core.outline import inset, open_ring, region_fault, ring_fault, signed_area, wind

SQUARE = np.array([[0, 0], [4, 0], [4, 4], [0, 4.0]])


@pytest.mark.parametrize(
    ("ring", "fault"),
    [
        ([[0, 0], [1, 1]], "has 2 different vertices"),
        ([[0, 0], [1, 0], [1, 0], [1, 1]], "vertex 2 repeats the one before it"),
        ([[0, 0], [9, 0], [9, 9], [0, 9], [0, 1e-320]], "vertex 0 repeats the one before it"),
        ([[7, 7], [9, 7], [9, 9], [9, 9 + 2e-15]], "vertex 3 repeats the one before it"),
        ([[0, 0], [1, 0], [2, 0]], "has no area"),
        ([[0, 0], [2, 2], [2, 0], [0, 2]], "edges 0 and 2 cross"),
        ([[0, 0], [4, 0], [4, 4], [2, 0], [0, 4]], "touch"),
        ([[0, 0], [4, 0], [4, 4], [4, -3]], "edges 0 and 2 touch"),
    ],
)
def test_each_fault_of_a_ring_is_named_and_located(ring, fault: str):
    assert fault in ring_fault(open_ring(ring))


def test_a_closed_ring_is_opened():
    assert len(open_ring([*SQUARE.tolist(), SQUARE[0].tolist()])) == 4


def test_holes_must_be_inside_and_apart():
    small = np.array([[1, 1], [2, 1], [2, 2], [1, 2.0]])
    assert region_fault([SQUARE, small]) == ""
    assert "not inside" in region_fault([SQUARE, small + 10])
    assert "holes 0 and 1 meet" in region_fault([SQUARE, small, small + 0.5])


def test_outlines_may_wind_either_way():
    outside, hole = wind([SQUARE[::-1], SQUARE[:, ::-1] / 4 + 1])
    assert signed_area(outside) > 0 > signed_area(hole)


@given(st.integers(3, 12), st.floats(0.01, 0.2), st.floats(0, 6))
def test_an_inset_takes_the_same_off_every_side(sides: int, depth: float, turn: float):
    angle = turn + 2 * np.pi * np.arange(sides) / sides
    ring = 2 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    (left,) = inset([ring], depth)
    assert len(left) == sides
    assert shapely.Polygon(ring).exterior.distance(shapely.Polygon(left)) == pytest.approx(depth, abs=1e-9)


def test_an_inset_grows_holes_and_may_leave_nothing():
    hole = np.array([[1, 1], [1, 3], [3, 3], [3, 1.0]])
    outside, grown = inset([SQUARE, hole], 0.25)
    assert abs(signed_area(outside)) == pytest.approx(3.5**2)
    assert abs(signed_area(grown)) == pytest.approx(2.5**2)
    assert inset([SQUARE], 2.5) == ()


def test_an_inset_starts_at_the_same_corner():
    assert inset([SQUARE], 1)[0].tolist() == [[1, 1], [3, 1], [3, 3], [1, 3]]
