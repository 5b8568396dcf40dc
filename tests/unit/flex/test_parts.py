"""Assemblies compiled to arrays: windings, centroids, insets, holes and shared shapes."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from pliant.core.errors import InputError
from pliant.core.pose import carry
from pliant.flex.geometry.parts import compile_parts
from pliant.flex.model import Assembly

SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4]]
ELL = [[0, 0], [4, 0], [4, 1], [1, 1], [1, 4], [0, 4]]


def parts_of(*bodies: dict, **rest):
    held = {"name": "held", "outline": [[100, 0], [101, 0], [101, 1]], "fixed": True}
    return compile_parts(Assembly.model_validate({"bodies": [*bodies, held], **rest}))


def test_the_frame_of_a_body_is_at_its_centroid_and_unturned_where_the_pose_is():
    parts = parts_of({"name": "a", "outline": SQUARE, "pose": [10, 20, np.pi / 2]})
    assert parts.drawn[0] == pytest.approx([8, 22, np.pi / 2])
    assert parts.user_poses(parts.drawn)[0] == pytest.approx([10, 20, np.pi / 2])


def test_polygons_lie_where_the_user_drew_them():
    parts = parts_of({"name": "a", "outline": ELL, "pose": [10, 20, 0.3]})
    drawn = shapely.Polygon(carry(np.array([10, 20, 0.3]), np.array(ELL, float)))
    made = parts.polygons(parts.drawn)[0]
    assert made.symmetric_difference(drawn).area < 1e-12


@pytest.mark.parametrize("ring", [ELL, ELL[::-1]])
def test_normals_point_out_of_the_material_whichever_way_the_outline_is_wound(ring):
    parts = parts_of({"name": "a", "outline": ring})
    lines, body = parts.outlines, parts.polygons(np.zeros_like(parts.drawn))[0]
    own = lines.body == 0
    middle = (lines.point + lines.point[lines.follow])[own] / 2
    assert not shapely.contains_xy(body, *(middle + 1e-6 * lines.normal[own]).T).any()
    assert shapely.contains_xy(body, *(middle - 1e-6 * lines.normal[own]).T).all()


@pytest.mark.parametrize("hole", [[[1, 1], [3, 1], [3, 3], [1, 3]], [[1, 1], [1, 3], [3, 3], [3, 1]]])
def test_a_holes_corners_are_reflex_and_its_normals_point_into_it(hole):
    parts = parts_of({"name": "a", "outline": SQUARE, "holes": [hole]})
    lines = parts.outlines
    own = lines.body == 0
    assert own.sum() == 8
    assert lines.convex[own].sum() == 4
    middle = (lines.point + lines.point[lines.follow])[own] / 2
    body = parts.polygons(np.zeros_like(parts.drawn))[0]
    assert not shapely.contains_xy(body, *(middle + 1e-6 * lines.normal[own]).T).any()
    assert body.area == pytest.approx(12)


def test_turns_of_each_ring_add_up_to_a_full_turn():
    parts = parts_of({"name": "a", "outline": SQUARE, "holes": [[[1, 1], [3, 1], [2, 3]]]})
    lines = parts.outlines
    assert lines.turn[:4].sum() == pytest.approx(2 * np.pi)
    assert lines.turn[4:7].sum() == pytest.approx(-2 * np.pi)


def test_a_vertex_on_a_straight_side_is_not_convex():
    parts = parts_of({"name": "a", "outline": [[0, 0], [2, 0], [4, 0], [4, 4], [0, 4]]})
    assert parts.outlines.convex[parts.outlines.body == 0].sum() == 4


def test_half_the_clearance_is_taken_off_every_side_of_a_body_and_of_its_holes():
    parts = parts_of(
        {"name": "a", "outline": SQUARE, "holes": [[[1, 1], [3, 1], [3, 3], [1, 3]]]}, clearance=0.2
    )
    made = parts.polygons(parts.drawn)[0]
    assert made.bounds == pytest.approx((0.1, 0.1, 3.9, 3.9))
    assert shapely.Polygon(made.interiors[0]).bounds == pytest.approx((0.9, 0.9, 3.1, 3.1))


def test_a_clearance_that_leaves_nothing_of_a_body_names_it_and_every_other_one():
    thin = [[0, 0], [4, 0], [4, 0.1], [0, 0.1]]
    with pytest.raises(InputError) as caught:
        parts_of(
            {"name": "a", "outline": thin},
            {"name": "b", "shape": "leaf", "pose": [0, 9, 0]},
            shapes={"leaf": thin},
            clearance=0.2,
        )
    assert [fault.where for fault in caught.value.faults] == ["bodies[0].outline", "shapes.leaf"]


def test_a_clearance_that_cuts_a_body_in_two_is_refused():
    dumbbell = [
        [0, 0],
        [2, 0],
        [2, 0.95],
        [4, 0.95],
        [4, 0],
        [6, 0],
        [6, 2],
        [4, 2],
        [4, 1.05],
        [2, 1.05],
        [2, 2],
        [0, 2],
    ]
    with pytest.raises(InputError, match="leaves no single piece"):
        parts_of({"name": "a", "outline": dumbbell}, clearance=0.2)


def test_bodies_of_one_shape_share_it_and_keep_their_own_poses():
    parts = parts_of(
        {"name": "a", "shape": "ell", "pose": [0, 0, 0]},
        {"name": "b", "shape": "ell", "pose": [9, 0, 1.0]},
        shapes={"ell": ELL},
    )
    assert parts.shape_of.tolist() == [0, 0, 1]
    assert len(parts.members.shapes) == 2
    first, second, _ = parts.polygons(parts.drawn)
    there = carry(np.array([9, 0, 1.0]), np.array(ELL, float))
    assert second.symmetric_difference(shapely.Polygon(there)).area < 1e-12
    assert first.symmetric_difference(shapely.Polygon(ELL)).area < 1e-12


def test_a_shared_shape_may_have_holes():
    region = {"outline": SQUARE, "holes": [[[1, 1], [3, 1], [3, 3], [1, 3]]]}
    parts = parts_of({"name": "a", "shape": "ring"}, shapes={"ring": region})
    assert parts.polygons(parts.drawn)[0].area == pytest.approx(12)


def test_fixed_bodies_and_the_ground_do_not_move():
    parts = parts_of({"name": "a", "outline": SQUARE}, {"name": "b", "outline": SQUARE, "pose": [9, 0, 0]})
    assert parts.moving.tolist() == [0, 1, -1, -1]
    assert parts.free.tolist() == [0, 1]
    assert parts.index("b") == 1
    assert parts.count == 3


def test_bodies_joined_by_a_pin_are_exempt_from_collision_in_either_order():
    parts = parts_of(
        {"name": "a", "outline": SQUARE},
        {"name": "b", "outline": SQUARE},
        pins=[{"bodies": ["b", "a"], "at": [0, 0]}],
    )
    assert parts.exempt == {(0, 1)}
