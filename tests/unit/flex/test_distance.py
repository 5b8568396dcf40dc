"""Distance rows: signs, frames and the closed-form gradient."""

from __future__ import annotations

import numpy as np
import pytest

from pliant.flex.contact.distance import Rows, contact_points, gaps, gaps_and_blocks


def row(normal, offset, point, edge_body=0, point_body=1) -> Rows:
    return Rows(
        np.array([edge_body]),
        np.array([point_body]),
        np.array([normal], float),
        np.array([offset], float),
        np.array([point], float),
        np.array([-1]),
    )


POSES = np.array([[0.0, 0, 0], [5.0, 0, 0], [0, 0, 0]])


def test_a_point_outside_the_line_has_a_positive_distance_and_one_inside_a_negative():
    rows = row((1, 0), 2.0, (-1, 0))  # the line x = 2 of body 0, the point (4, 0) of body 1
    assert gaps(rows, POSES).tolist() == [2.0]
    inside = POSES.copy()
    inside[1, 0] = 2.5
    assert gaps(rows, inside).tolist() == [-0.5]


def test_the_line_turns_with_its_body():
    turned = POSES.copy()
    turned[0, 2] = np.pi / 2  # the line is now y = 2 and the point below it
    assert gaps(row((1, 0), 2.0, (-1, 0)), turned) == pytest.approx([-2.0])


def test_the_point_turns_with_its_body():
    turned = POSES.copy()
    turned[1, 2] = np.pi  # the point is now at (6, 0)
    assert gaps(row((1, 0), 2.0, (-1, 0)), turned) == pytest.approx([4.0])


def test_moving_both_bodies_alike_changes_no_distance():
    rows = row((0.6, 0.8), 1.3, (-1, 2))
    angle, shift = 0.7, np.array([3.0, -8.0])
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    moved = POSES.copy()
    moved[:2, :2] = POSES[:2, :2] @ rotation.T + shift
    moved[:2, 2] += angle
    assert gaps(rows, moved) == pytest.approx(gaps(rows, POSES))


def test_the_gradient_pushes_the_bodies_apart_with_equal_and_opposite_forces():
    distance, blocks = gaps_and_blocks(row((0.6, 0.8), 1.3, (-1, 2)), POSES)
    assert distance == pytest.approx(gaps(row((0.6, 0.8), 1.3, (-1, 2)), POSES))
    assert blocks[0, 0, :2] == pytest.approx(-blocks[0, 1, :2])
    assert blocks[0, 1, :2] == pytest.approx([0.6, 0.8])


def test_the_contact_point_is_the_vertex_and_the_normal_is_the_lines():
    turned = POSES.copy()
    turned[0, 2] = np.pi / 2
    points, normals = contact_points(row((1, 0), 2.0, (-1, 0.5)), turned)
    assert points[0] == pytest.approx([4.0, 0.5])
    assert normals[0] == pytest.approx([0.0, 1.0])


def test_rows_join_in_order_and_none_is_the_empty_join():
    first, second = row((1, 0), 1.0, (0, 0)), row((0, 1), 2.0, (0, 0))
    assert Rows.join(first, Rows.none(), second).offset.tolist() == [1.0, 2.0]
    assert len(Rows.none()) == 0
    assert gaps(Rows.none(), POSES).shape == (0,)
    assert gaps_and_blocks(Rows.none(), POSES)[1].shape == (0, 2, 3)
