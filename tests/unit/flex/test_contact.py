"""Which distances become rows: one for each convex vertex and neighbour, with the nearest edge."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from pliant.core.pose import carry
from pliant.flex.contact.distance import contact_points, gaps
from pliant.flex.contact.neighbours import find_neighbours, gap_scale, relative_travel
from pliant.flex.contact.selection import flip_corners, select, unforeseen_crossings
from pliant.flex.contact.sweep import Crossings
from pliant.flex.geometry.parts import compile_parts
from pliant.flex.model import Assembly


def box(left, bottom, right, top):
    return [[left, bottom], [right, bottom], [right, top], [left, top]]


def parts_of(*bodies: dict, **rest):
    return compile_parts(Assembly.model_validate({"bodies": list(bodies), **rest}))


def selected(parts, poses=None, reach=0.5, before=None, **options):
    poses = parts.drawn if poses is None else poses
    near = find_neighbours(parts, poses, reach)
    return select(parts, poses, near, before, **options)


def stacked(gap: float = 0.1, width: float = 1.0):
    """A block above a wide floor."""
    return parts_of(
        {"name": "floor", "outline": box(-5, -1, 5, 0), "fixed": True},
        {"name": "block", "outline": box(-width, gap, width, gap + 2)},
    )


def test_a_block_on_a_floor_has_a_row_for_each_of_its_lower_corners():
    parts = stacked()
    rows = selected(parts).rows
    points, normals = contact_points(rows, parts.drawn)
    assert sorted(points.round(12).tolist()) == [[-1, 0.1], [1, 0.1]]
    assert gaps(rows, parts.drawn) == pytest.approx([0.1, 0.1])
    assert normals == pytest.approx(np.array([[0, 1], [0, 1]]))


def test_either_body_of_a_pair_supplies_vertices():
    parts = parts_of(
        {"name": "left", "outline": box(0, 0, 2, 2), "fixed": True},
        {"name": "right", "outline": box(2.1, -1, 4, 1)},
    )
    rows = selected(parts).rows
    points = contact_points(rows, parts.drawn)[0]
    owners = {
        name: points[rows.point_body == body].round(12).tolist() for body, name in enumerate(parts.names)
    }
    assert owners == {"left": [[2, 0]], "right": [[2.1, 1]]}


def test_beyond_the_reach_there_are_no_rows():
    assert len(selected(stacked(gap=0.6)).rows) == 0
    assert len(selected(stacked(gap=0.4)).rows) == 2


def test_the_reach_changes_no_nearest_edge():
    parts = stacked(width=0.2)
    few, many = selected(parts, reach=0.15).rows, selected(parts, reach=1.5).rows
    near = gaps(many, parts.drawn) <= 0.15
    assert sorted(gaps(many, parts.drawn)[near]) == pytest.approx(sorted(gaps(few, parts.drawn)))


def test_reflex_vertices_never_touch_first_and_have_no_rows():
    notch = [[0, 0], [4, 0], [4, 2], [2.5, 2], [2.5, 1], [1.5, 1], [1.5, 2], [0, 2]]
    parts = parts_of(
        {"name": "notch", "outline": notch, "fixed": True}, {"name": "key", "outline": box(1.6, 1.1, 2.4, 4)}
    )
    points = contact_points(selected(parts).rows, parts.drawn)[0]
    assert [1.5, 1.0] not in points.tolist()
    assert [2.5, 1.0] not in points.tolist()


def test_in_a_reflex_corner_a_vertex_has_a_row_with_both_walls():
    ell = [[0, 0], [4, 0], [4, 1], [1, 1], [1, 4], [0, 4]]
    parts = parts_of(
        {"name": "ell", "outline": ell, "fixed": True}, {"name": "block", "outline": box(1.1, 1.2, 3, 3)}
    )
    rows = selected(parts).rows
    points, normals = contact_points(rows, parts.drawn)
    here = (np.abs(points - [1.1, 1.2]) < 1e-9).all(axis=1)
    walls = {
        tuple(np.round(n).astype(int)): d
        for n, d in zip(normals[here], gaps(rows, parts.drawn)[here], strict=True)
    }
    assert walls == {(1, 0): pytest.approx(0.1), (0, 1): pytest.approx(0.2)}


def test_behind_a_thin_wall_the_far_side_is_no_row():
    wall = {"name": "wall", "outline": box(0, 0, 0.05, 4), "fixed": True}
    parts = parts_of(wall, {"name": "block", "outline": box(0.15, 1, 2, 3)})
    rows = selected(parts, reach=1.0).rows
    assert gaps(rows, parts.drawn).min() == pytest.approx(0.1)
    assert (contact_points(rows, parts.drawn)[1][rows.edge_body == 0] @ [1, 0]).min() > 0.5


def test_a_vertex_in_a_narrow_slot_has_rows_with_both_facing_walls():
    slot = [[0, 0], [5, 0], [5, 3], [3, 3], [3, 1], [2, 1], [2, 3], [0, 3]]
    tongue = {"name": "tongue", "outline": [[2.5, 1.5], [2.8, 4], [2.2, 4]]}
    parts = parts_of({"name": "slot", "outline": slot, "fixed": True}, tongue)
    rows = selected(parts, reach=0.8).rows
    points, normals = contact_points(rows, parts.drawn)
    tip = (np.abs(points - [2.5, 1.5]) < 1e-9).all(axis=1)
    assert {tuple(n.round().astype(int)) for n in normals[tip]} >= {(1, 0), (-1, 0)}


def test_fixed_bodies_have_no_rows_with_each_other():
    parts = parts_of(
        {"name": "a", "outline": box(0, 0, 1, 1), "fixed": True},
        {"name": "b", "outline": box(1.1, 0, 2, 1), "fixed": True},
        {"name": "c", "outline": box(0, 5, 1, 6)},
    )
    assert len(selected(parts).rows) == 0


def test_bodies_joined_by_a_pin_have_no_rows_with_each_other():
    bodies = (
        {"name": "a", "outline": box(0, 0, 1, 1), "fixed": True},
        {"name": "b", "outline": box(1.1, 0, 2, 1)},
    )
    assert len(selected(parts_of(*bodies)).rows) > 0
    assert len(selected(parts_of(*bodies, pins=[{"bodies": ["a", "b"], "at": [1, 0.5]}])).rows) == 0


def corners_apart(x: float = 0.1, y: float = 0.05):
    """Two squares corner to corner: the upper right one is x to the right and y above."""
    return parts_of(
        {"name": "low", "outline": box(-2, -2, 0, 0), "fixed": True},
        {"name": "high", "outline": box(x, y, x + 2, y + 2)},
    )


def test_between_two_convex_corners_a_vertex_has_one_row_and_the_other_edge_is_known():
    parts = corners_apart()
    contacts = selected(parts)
    assert len(contacts.corner) == len(contacts.rows)
    points, normals = contact_points(contacts.rows, parts.drawn)
    at = (np.abs(points - [0.1, 0.05]) < 1e-9).all(axis=1)
    assert at.sum() == 1
    assert normals[at][0] == pytest.approx([1, 0])  # the edge it is further outside of


def test_flipping_a_corner_takes_the_other_edge_and_flipping_twice_changes_nothing():
    parts = corners_apart()
    contacts = selected(parts)
    every = np.ones(len(contacts.corner), bool)
    once = flip_corners(parts, contacts, every)
    twice = flip_corners(parts, once, every)
    assert sorted(gaps(contacts.rows, parts.drawn)) == pytest.approx([0.1] * len(every))
    assert sorted(gaps(once.rows, parts.drawn)) == pytest.approx([0.05] * len(every))
    assert gaps(twice.rows, parts.drawn) == pytest.approx(gaps(contacts.rows, parts.drawn))
    assert twice.edge.tolist() == contacts.edge.tolist()
    assert flip_corners(parts, contacts, ~every) is contacts


def test_the_average_normal_stands_on_the_corner_halfway_between_its_edges():
    parts = corners_apart(0.1, 0.1)
    rows = selected(parts, corners="average").rows
    _, normals = contact_points(rows, parts.drawn)
    assert np.abs(normals) == pytest.approx(np.full((len(rows), 2), np.sqrt(0.5)))
    assert gaps(rows, parts.drawn) == pytest.approx(np.full(len(rows), 0.1 * np.sqrt(2)))


def test_a_corner_keeps_the_edge_it_had_while_that_still_holds():
    parts = corners_apart(0.1, 0.05)
    first = selected(parts)
    poses = parts.drawn.copy()
    poses[1, :2] += [-0.06, 0.05]  # now further above than beside
    fresh, kept = selected(parts, poses), selected(parts, poses, before=first)
    assert sorted(gaps(fresh.rows, poses)) == pytest.approx([0.1] * len(fresh.rows))
    assert sorted(gaps(kept.rows, poses)) == pytest.approx([0.04] * len(kept.rows))


def test_candidates_hold_until_a_body_has_moved_by_the_margin():
    parts = stacked()
    near = find_neighbours(parts, parts.drawn, 0.5)
    assert near.margin > 0
    for share, holds in ((0.9, True), (1.1, False)):
        poses = parts.drawn.copy()
        poses[1, 0] += share * near.margin
        assert near.still_hold(parts, poses) == holds


def test_moving_all_bodies_together_is_no_relative_travel():
    parts = stacked()
    poses = parts.drawn.copy()
    turn = 0.8
    poses[:2, :2] = carry(np.array([3.0, -4.0, turn]), parts.drawn[:2, :2])
    poses[:2, 2] += turn
    pairs = np.array([[0, 1]])
    assert relative_travel(parts, pairs, parts.drawn, poses) == pytest.approx([0.0], abs=1e-12)


def test_relative_travel_bounds_the_travel_of_every_vertex_seen_from_the_other_body():
    parts = stacked()
    rng = np.random.default_rng(0)
    corners = np.array(box(-1, -1, 1, 1), float)
    for _ in range(20):
        poses = parts.drawn.copy()
        poses[1] += 0.3 * rng.normal(size=3)
        moved = np.hypot(*(carry(poses[1], corners) - carry(parts.drawn[1], corners)).T)
        assert moved.max() <= relative_travel(parts, np.array([[0, 1]]), parts.drawn, poses)[0] + 1e-12


def test_a_vertex_in_a_curved_hole_has_rows_with_its_nearest_edges_and_not_with_all_in_reach():
    angle = 2 * np.pi * np.arange(80) / 80
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    hole = (1.05 * ring).tolist()
    parts = parts_of(
        {"name": "hub", "outline": box(-3, -3, 3, 3), "holes": [hole], "fixed": True},
        {"name": "disc", "outline": ring.tolist()},
    )
    rows = selected(parts, reach=0.3).rows
    edges_in_reach = 2 * 0.25 / (1.05 * 2 * np.pi / 80)  # about 6 a vertex
    assert 80 <= len(rows) <= 3 * 80 < 80 * edges_in_reach
    assert len(np.unique(contact_points(rows, parts.drawn)[0].round(9), axis=0)) == 80
    distance = shapely.distance(
        parts.polygons(parts.drawn)[0], shapely.points(contact_points(rows, parts.drawn)[0])
    )
    assert (gaps(rows, parts.drawn) >= distance - 1e-9).all()


def test_the_typical_gap_is_the_clearance_or_the_median_distance_of_what_moves_to_the_nearest():
    parts = parts_of(
        {"name": "a", "outline": box(0, 0, 1, 1), "fixed": True},
        {"name": "b", "outline": box(1.2, 0, 2.2, 1)},
        {"name": "c", "outline": box(2.6, 0, 3.6, 1)},
        {"name": "d", "outline": box(4.1, 0, 5.1, 1)},
        {"name": "e", "outline": box(9, 0, 10, 1), "fixed": True},
        {"name": "f", "outline": box(10.01, 0, 11, 1), "fixed": True},
    )
    assert gap_scale(parts, 0.05) == 0.05
    assert gap_scale(parts, 0.0) == pytest.approx(0.4)  # of 0.2, 0.4 and 0.5


def test_a_body_alone_has_no_gap():
    assert gap_scale(parts_of({"name": "a", "outline": box(0, 0, 1, 1), "fixed": True}), 0.0) == 0.0


def test_where_nothing_is_near_no_crossing_is_one_of_what_is_near():
    parts = stacked(gap=100.0)
    contacts = selected(parts, reach=0.5)
    one = np.zeros(1, np.int64)
    assert len(contacts.near.keys) == 0
    assert not unforeseen_crossings(
        parts, parts.drawn, contacts, Crossings(one, one, 0.0, lambda: one), 0.1
    ).any
