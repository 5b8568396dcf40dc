"""The checks that do not trust the rows: overlap by area, and the way between two poses."""

from __future__ import annotations

import numpy as np
import pytest

from pliant.flex.contact.distance import Rows, gaps
from pliant.flex.contact.overlap import measure_overlaps, near_pairs, path_overlap
from pliant.flex.geometry.parts import compile_parts
from pliant.flex.model import Assembly


def box(left, bottom, right, top):
    return [[left, bottom], [right, bottom], [right, top], [left, top]]


def parts_of(*bodies: dict, **rest):
    return compile_parts(Assembly.model_validate({"bodies": list(bodies), **rest}))


def overlapping_by(depth: float):
    return parts_of(
        {"name": "floor", "outline": box(-5, -1, 5, 0), "fixed": True},
        {"name": "block", "outline": box(-1, -depth, 1, 2)},
    )


PAIR = np.array([[0, 1]])


@pytest.mark.parametrize("depth", [1e-6, 0.001, 0.1])
def test_a_long_thin_overlap_is_as_thick_as_it_is_deep(depth):
    found = measure_overlaps(parts := overlapping_by(depth), parts.drawn, PAIR)
    assert found.area == pytest.approx([2 * depth], rel=1e-6)
    assert found.worst == pytest.approx(depth * 2 / (2 + depth), rel=1e-6)


def test_parts_that_touch_or_are_apart_do_not_overlap():
    for depth in (0.0, -0.1):
        parts = overlapping_by(depth)
        found = measure_overlaps(parts, parts.drawn, PAIR)
        assert found.worst == 0.0
        assert len(found.pairs) == 0


def test_corners_that_slipped_past_each_other_are_seen():
    """Neither body has a vertex in the other: a cross."""
    parts = parts_of(
        {"name": "across", "outline": box(-3, -0.01, 3, 0.01), "fixed": True},
        {"name": "up", "outline": box(-0.01, -3, 0.01, 3)},
    )
    assert measure_overlaps(parts, parts.drawn, PAIR).area == pytest.approx([0.0004])


def test_a_peg_in_a_hole_does_not_overlap_the_block_around_it():
    parts = parts_of(
        {"name": "block", "outline": box(-5, -5, 5, 5), "holes": [box(-1, -1, 1, 1)], "fixed": True},
        {"name": "peg", "outline": box(-0.9, -0.9, 0.9, 0.9)},
    )
    assert measure_overlaps(parts, parts.drawn, PAIR).worst == 0
    poses = parts.drawn.copy()
    poses[1, 0] += 0.15
    assert measure_overlaps(parts, poses, PAIR).worst == pytest.approx(0.05, rel=0.05)


def test_near_pairs_leave_out_two_fixed_bodies_and_two_joined_by_a_pin():
    bodies = [{"name": n, "outline": box(0, 0, 1, 1), "fixed": n in "ab"} for n in "abcd"]
    parts = parts_of(*bodies, pins=[{"bodies": ["d", "c"], "at": [0, 0]}])
    assert near_pairs(parts, parts.drawn).tolist() == [[0, 2], [0, 3], [1, 2], [1, 3]]


def corner_row() -> Rows:
    """A point 2 along the x axis of body 1 against the line y = 0 of body 0."""
    return Rows(
        np.array([0]),
        np.array([1]),
        np.array([[0.0, 1.0]]),
        np.zeros(1),
        np.array([[2.0, 0.0]]),
        np.array([-1]),
    )


def test_the_way_between_two_poses_is_seen_to_dip_where_both_ends_are_clear():
    before, after = np.zeros((3, 3)), np.zeros((3, 3))
    before[1], after[1] = [0, 1.95, -np.pi / 2 - 0.5], [0, 1.95, -np.pi / 2 + 0.5]
    assert gaps(corner_row(), before).min() > 0.1
    assert gaps(corner_row(), after).min() > 0.1
    assert path_overlap(corner_row(), [before, after], 0.001) >= 0.05


@pytest.mark.parametrize("seed", range(10))
def test_the_bound_on_the_way_is_no_less_than_the_deepest_of_many_places(seed):
    rng = np.random.default_rng(seed)
    before = np.zeros((3, 3))
    before[:2] = rng.normal(size=(2, 3))
    after = before.copy()
    after[:2] += 0.4 * rng.normal(size=(2, 3))
    deepest = max(-gaps(corner_row(), before + t * (after - before))[0] for t in np.linspace(0, 1, 200))
    bound = path_overlap(corner_row(), [before, after], 0.01)
    assert bound >= deepest - 1e-12
    assert bound >= 0


def test_the_bound_on_the_way_is_tight_for_small_steps():
    before, after = np.zeros((3, 3)), np.zeros((3, 3))
    before[1], after[1] = [0, 0.5, 0.0], [0.01, 0.5, 0.01]
    assert path_overlap(corner_row(), [before, after], 0.001) == 0.0


def test_no_rows_means_no_overlap_on_the_way():
    assert path_overlap(Rows.none(), [np.zeros((1, 3)), np.ones((1, 3))], 0.1) == 0.0


@pytest.mark.parametrize("allowed", [0.05, 0.15, 0.5])
def test_a_wedge_counts_by_its_width_where_that_may_be_too_much(allowed):
    """In the mean it is half as thick."""
    parts = parts_of(
        {"name": "floor", "outline": box(-5, -1, 5, 0), "fixed": True},
        {"name": "block", "outline": [[-3, 0], [3, -0.1], [3, 2], [-3, 2]]},
    )
    wide = 0.1 if allowed < 0.1 else 0.05
    assert measure_overlaps(parts, parts.drawn, PAIR, allowed).worst == pytest.approx(wide, rel=0.02)
