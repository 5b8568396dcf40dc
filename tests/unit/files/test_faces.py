"""Strokes to parts: shared lines, double lines, gaps, holes and islands."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.files.sheets import svg, write

from pliant.files.drawings.cutting import model_rings, offset_region
from pliant.files.drawings.drawing_reader import read_parts
from pliant.files.drawings.faces import FoundParts, find_parts
from pliant.files.drawings.joining import join_strokes, merge_points
from pliant.files.drawings.strokes import Stroke


def rectangle(x: float, y: float, wide: float, high: float) -> Stroke:
    corners = [(x, y), (x + wide, y), (x + wide, y + high), (x, y + high), (x, y)]
    return Stroke(np.array(corners, float), closed=True, name=f"{x},{y}")


def line(*points: tuple[float, float]) -> Stroke:
    return Stroke(np.array(points, float))


def found_in(*strokes: Stroke, tolerance: float = 0.1, **settings: Any) -> FoundParts:
    return find_parts(join_strokes(strokes, tolerance), tolerance, **settings)


def areas(found: FoundParts) -> list[float]:
    return sorted(part.region.area for part in found.parts)


def test_a_cut_line_parts_a_plate_in_two():
    found = found_in(rectangle(0, 0, 20, 10), line((8, 0), (8, 10)))
    assert areas(found) == [80, 120]


@pytest.mark.parametrize("off", [1e-7, 0.03, -0.03, 0.09])
def test_a_cut_that_ends_short_of_the_border_or_beyond_still_parts_it(off: float):
    found = found_in(rectangle(0, 0, 20, 10), line((8, off), (8, 10 - off)))
    assert areas(found) == pytest.approx([80, 120])
    assert not found.open_lines


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 3, 0, 1)])
def test_a_cut_may_end_on_one_that_itself_ends_short_of_the_border(order: tuple[int, ...]):
    border = line((0, 0), (10, 0), (10, 10), (0, 10), (0, 0))
    cuts = [border, line((5, 0.05), (5, 9.96)), line((5.04, 4), (9.97, 4)), line((0.03, 6), (4.95, 6))]
    found = found_in(*(cuts[k] for k in order), tolerance=0.1)
    assert sorted(areas(found)) == pytest.approx([20, 20, 30, 30], rel=0.01)


def test_a_cut_that_ends_too_far_away_is_open_and_lies_in_the_part():
    found = found_in(rectangle(0, 0, 20, 10), line((8, 0), (8, 9)))
    assert areas(found) == [200]
    assert len(found.open_lines) == found.lines_in_parts == 1


def test_a_line_drawn_twice_counts_once():
    cut = [(8, 0), (9, 5), (8, 10)]
    found = found_in(rectangle(0, 0, 20, 10), line(*cut), line(*cut[::-1]), rectangle(0, 0, 20, 10))
    assert len(found.parts) == 2
    assert found.doubled == 1


def test_a_loop_drawn_again_with_other_digits_is_the_same():
    again = Stroke(rectangle(0, 0, 20, 10).points[::-1] + 0.003, closed=True)
    found = found_in(rectangle(0, 0, 20, 10), again)
    assert areas(found) == [200]
    assert found.doubled == 1


def test_parts_that_share_edges_are_parts_and_what_they_enclose_is_none():
    ring = [rectangle(x, y, 10, 10) for x in (0, 10, 20) for y in (0, 10, 20) if (x, y) != (10, 10)]
    found = found_in(*ring)
    assert areas(found) == [100] * 8


def test_a_border_around_parts_that_fill_it_is_no_part():
    found = found_in(rectangle(0, 0, 20, 10), rectangle(0, 0, 10, 10), rectangle(10, 0, 10, 10))
    assert areas(found) == [100, 100]
    assert found.borders == 1


def test_a_loop_in_a_part_is_a_hole_and_one_in_the_hole_a_part():
    found = found_in(
        rectangle(0, 0, 40, 40), rectangle(10, 10, 20, 20), rectangle(12, 12, 10, 10), rectangle(14, 14, 2, 2)
    )
    assert areas(found) == [100 - 4, 1600 - 400]
    assert found.holes == 2
    assert areas(found_in(rectangle(0, 0, 40, 40), rectangle(10, 10, 20, 20), insides=True)) == [400, 1200]


def test_a_peg_that_touches_the_side_of_its_hole_is_still_a_part():
    found = found_in(rectangle(0, 0, 40, 40), rectangle(10, 10, 20, 20), rectangle(10, 12, 5, 5))
    assert areas(found) == [25, 1200]


def test_pieces_cut_within_a_plate_are_parts_and_no_hole():
    found = found_in(rectangle(0, 0, 40, 40), rectangle(10, 10, 20, 20), line((20, 10), (20, 30)))
    assert areas(found) == [200, 200, 1200]


def test_parts_that_overlap_are_whole_and_told():
    found = found_in(rectangle(0, 0, 20, 10), rectangle(15, 0, 20, 10))
    assert areas(found) == [200, 200]
    assert found.overlaps == ((0, 1, pytest.approx(50)),)


def test_a_nearly_closed_loop_is_closed_within_the_tolerance_and_not_beyond():
    corners = [(0, 0), (20, 0), (20, 10), (0, 10), (0, 0.07)]
    assert areas(found_in(line(*corners))) == pytest.approx([200], abs=1)
    assert not found_in(line(*corners), tolerance=0.05).parts


def test_curls_in_corners_leave_the_outline():
    corners = [(0, 0), (20, 0), (20.03, 0.04), (20, 0), (20, 10), (0, 10), (0, 0)]
    found = found_in(Stroke(np.array(corners, float), closed=True))
    assert areas(found) == [200]


def test_a_knot_that_is_thinner_than_the_tolerance_is_left_out():
    corners = [(0, 0), (20, 0), (20, 10.03), (19.97, 10), (20.02, 10.0), (0, 10), (0, 0)]
    found = found_in(Stroke(np.array(corners, float), closed=True))
    assert areas(found) == pytest.approx([200], abs=0.5)


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50)), min_size=1, max_size=40))
def test_points_are_merged_with_those_they_are_near(points: list[tuple[float, float]]):
    given_points = np.array(points)
    same = merge_points(given_points, 0.01)
    apart = np.hypot(*np.moveaxis(given_points[:, None] - given_points[None], -1, 0))
    assert (same[:, None] == same[None])[apart <= 0.01].all()
    assert (same <= np.arange(len(points))).all()
    assert (same[same] == same).all()


@given(st.integers(2, 5), st.integers(2, 5), st.floats(0, 6.3), st.floats(0.01, 100))
def test_a_grid_of_cuts_is_cut_into_its_cells_however_it_lies(
    columns: int, rows: int, turn: float, size: float
):
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) * size
    cuts = [line((0, row), (columns, row)) for row in range(rows + 1)]
    cuts += [line((column, 0), (column, rows)) for column in range(columns + 1)]
    turned = [Stroke(cut.points @ rotation.T + [3.3, -7.1]) for cut in cuts]
    found = found_in(*turned, tolerance=1e-3 * size)
    assert len(found.parts) == columns * rows
    assert areas(found) == pytest.approx([size * size] * (columns * rows), rel=1e-6)


@given(st.floats(0.01, 2))
def test_half_the_kerf_comes_off_every_side(kerf: float):
    plate = shapely.Polygon([(0, 0), (30, 0), (30, 20), (0, 20)], [[(10, 8), (20, 8), (20, 12), (10, 12)]])
    (cut,) = offset_region(plate, -kerf / 2)
    assert cut.area == pytest.approx((30 - kerf) * (20 - kerf) - (10 + kerf) * (4 + kerf))
    assert len(model_rings(cut)) == 2


def test_the_kerf_is_the_gap_between_pieces_that_are_cut_once(tmp_path: Path):
    body = '<rect width="40" height="20"/><path d="M 20 0 V 20" stroke="black"/>'
    found = read_parts(str(write(tmp_path, svg(body))), False, kerf=0.3)
    one, other = (shapely.Polygon(part["pieces"][0][0]) for part in found["parts"])
    assert one.distance(other) == pytest.approx(0.3)
