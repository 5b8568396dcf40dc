"""Pieces of a rigid body: united where they touch, inset as one, shared out to their members."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from pliant.core.pose import carry
from pliant.flex.geometry.solid import region, solid


def box(left, bottom, right, top):
    return (np.array([[left, bottom], [right, bottom], [right, top], [left, top]], float),)


def placed(piece, pose):
    return tuple(carry(np.array(pose), ring) for ring in piece)


def shape(rings) -> shapely.Geometry:
    return region(rings) if rings else shapely.Polygon()


@pytest.mark.parametrize("depth", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("angle", [0.0, 0.3, 2.1])
def test_two_halves_of_a_square_are_the_square(depth, angle):
    """Rounding parts the edges they share where they are turned."""
    pose = [3.3, -7.1, angle]
    halves = [placed(box(0, 0, 1, 2), pose), placed(box(1, 0, 2, 2), pose)]
    made = solid([[half] for half in halves], depth)
    whole = region(placed(box(depth, depth, 2 - depth, 2 - depth), pose))
    assert made.lost == ()
    assert shape(made.rings).symmetric_difference(whole).area < 1e-6 * whole.area
    assert [shape(share).area for share in made.shares] == pytest.approx([whole.area / 2] * 2, rel=1e-5)
    assert shape(made.rings).geom_type == "Polygon"
    assert len(made.rings[0]) <= 8


@pytest.mark.parametrize("depth", [0.0, 0.1])
def test_pieces_that_are_apart_are_inset_each_by_itself(depth):
    made = solid([[box(0, 0, 2, 2), box(5, 0, 7, 2)]], depth)
    assert shape(made.rings).geom_type == "MultiPolygon"
    assert shape(made.rings).bounds == pytest.approx((depth, depth, 7 - depth, 2 - depth))
    assert shape(made.rings).area == pytest.approx(2 * (2 - 2 * depth) ** 2)


def test_pieces_may_overlap_and_lie_in_each_other():
    made = solid([[box(0, 0, 4, 4)], [box(2, 2, 6, 6)], [box(1, 1, 1.5, 1.5)]], 0.1)
    union = shapely.union_all([region(box(0, 0, 4, 4)), region(box(2, 2, 6, 6))])
    assert shape(made.rings).area == pytest.approx(union.buffer(-0.1, join_style="mitre").area)
    for share, own in zip(made.shares, (box(0, 0, 4, 4), box(2, 2, 6, 6), box(1, 1, 1.5, 1.5)), strict=True):
        assert shape(share).area == pytest.approx(region(own).intersection(shape(made.rings)).area, rel=1e-4)


def test_holes_stay_and_a_ring_of_pieces_has_one():
    walls = [box(0, 0, 5, 1), box(4, 1, 5, 5), box(0, 4, 4, 5), box(0, 1, 1, 4)]
    made = solid([[wall] for wall in walls], 0.1)
    assert len(made.rings) == 2
    assert shape(made.rings).area == pytest.approx(4.8**2 - 3.2**2, rel=1e-5)


def test_pieces_that_touch_at_a_corner_are_two():
    made = solid([[box(0, 0, 1, 1)], [box(1, 1, 2, 2)]], 0.05)
    assert made.lost == ()
    assert [shape(share).area for share in made.shares] == pytest.approx([0.81, 0.81], rel=1e-5)


def test_a_neck_that_is_thinner_than_the_clearance_breaks_all_that_meet_there():
    made = solid([[box(0, 0, 2, 2)], [box(2, 1.9, 4, 4)]], 0.1)
    assert made.lost == (0, 1)


def test_a_thin_member_breaks_by_itself_unless_it_is_carried():
    thin = box(2, 0, 2.1, 2)
    assert solid([[box(0, 0, 2, 2)], [box(5, 0, 5.1, 2)]], 0.1).lost == (1,)
    assert solid([[box(0, 0, 2, 2)], [thin], [box(2.1, 0, 4, 2)]], 0.1).lost == ()
    assert solid([[box(0, 0, 2, 2)], [thin]], 0.1).lost == (1,)  # nothing of it is left at the end of another


@pytest.mark.parametrize("gap", [1e-9, 1e-3])
def test_a_gap_is_one_where_it_is_wider_than_rounding(gap):
    made = solid([[box(0, 0, 1, 1)], [box(1 + gap, 0, 2, 1)]], 0.1)
    assert (shape(made.rings).geom_type == "Polygon") == (gap < 1e-6)


def test_beside_a_piece_a_billion_times_as_long_others_are_lost_in_words():
    triangle, needle = [[0, 0], [1, 0], [0, 1]], [[3, 0], [4, 0], [3, 1e9]]
    made = solid([[(np.array(triangle, float),), (np.array(needle, float),)]], 0.05)
    assert made.lost == (0,)


def test_pieces_that_are_no_wider_than_gaps_that_are_shut_break_nothing():
    needle = (np.array([[1, 1e6], [4, 1], [1, 4.0]]),)
    others = (np.array([[5, 1], [9, 1], [9, 9.0]]),), (np.array([[1, 6], [3, 8], [1, 8.0]]),)
    made = solid([[needle, others[0]], [others[1]]], 0.0)
    assert all(np.isfinite(ring).all() for share in made.shares for ring in share)
