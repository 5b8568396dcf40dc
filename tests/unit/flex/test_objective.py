"""Objectives: zero as drawn, what they say they are, and with the right gradient."""

from __future__ import annotations

import numpy as np
import pytest

from pliant.core.pose import carry
from pliant.flex.geometry.parts import compile_parts
from pliant.flex.model import Assembly, Term
from pliant.flex.problem.joints import compile_joints
from pliant.flex.problem.objective import compile_objective

TRIANGLE = [[-1, -1], [3, -1], [-1, 2]]
KINDS = {
    "direction": {"body": "a", "direction": [2, -1]},
    "point": {"body": "a", "direction": [2, -1], "point": [3, -1]},
    "spin": {"body": "b", "spin": -3},
    "radial": {"radial": [1, 1]},
    "gather": {"gather": "a", "axis": [1, 1]},
    "weighted": {"body": "a", "direction": [0, 1], "point": [1, 1], "weight": 2.5},
}


def compiled(*terms: dict):
    model = Assembly.model_validate(
        {
            "bodies": [
                {"name": "base", "outline": TRIANGLE, "fixed": True},
                {"name": "a", "outline": TRIANGLE, "pose": [5, 1, 0.4]},
                {"name": "b", "outline": TRIANGLE, "pose": [9, -2, -0.3]},
            ],
            "study": {"maximize": list(terms)},
        }
    )
    parts = compile_parts(model)
    return parts, *compile_objective(model.study.maximize, parts, compile_joints(model, parts), parts.drawn)


def random_poses(parts, seed: int = 0):
    poses = parts.drawn.copy()
    poses[parts.free] += np.random.default_rng(seed).normal(size=(len(parts.free), 3))
    return poses


@pytest.mark.parametrize("kind", KINDS)
def test_every_objective_is_zero_as_drawn(kind):
    parts, objective, _ = compiled(KINDS[kind])
    assert objective.value(parts.drawn) == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_the_values_of_many_poses_are_those_of_each(kind):
    parts, objective, _ = compiled(KINDS[kind])
    frames = np.array([random_poses(parts, seed) for seed in range(4)])
    assert objective.values(frames) == pytest.approx([objective.value(poses) for poses in frames])


@pytest.mark.parametrize("kind", KINDS)
def test_the_weights_are_the_gradient_of_the_value(kind):
    """A Taylor test: what the gradient leaves of a step falls with the step's square, or is nothing."""
    parts, objective, _ = compiled(KINDS[kind])
    poses = random_poses(parts)
    step = np.random.default_rng(1).normal(size=poses.shape)
    change = (objective.weights(poses) * step).sum()
    sizes = 10.0 ** -np.arange(1, 5)
    errors = [abs(objective.value(poses + h * step) - objective.value(poses) - h * change) for h in sizes]
    if max(errors) > 1e-9:
        assert np.diff(np.log10(errors)) / np.diff(np.log10(sizes)) == pytest.approx(2.0, abs=0.15)
    else:
        assert kind not in {"point", "weighted"}  # only points of turning bodies curve


def test_a_direction_is_the_travel_of_the_centroid_times_its_length():
    parts, objective, _ = compiled(KINDS["direction"])
    poses = parts.drawn.copy()
    poses[1] += [0.3, 0.1, 2.0]
    assert objective.value(poses) == pytest.approx(2 * 0.3 - 0.1)


def test_a_point_is_followed_where_the_user_put_it():
    parts, objective, _ = compiled(KINDS["point"])
    poses = random_poses(parts)
    corner = np.array([3.0, -1.0])
    travel = carry(parts.user_poses(poses)[1], corner) - carry(parts.user_poses(parts.drawn)[1], corner)
    assert objective.value(poses) == pytest.approx(travel @ [2, -1])


def test_spin_is_the_turn_times_its_number():
    parts, objective, _ = compiled(KINDS["spin"])
    poses = parts.drawn.copy()
    poses[2, 2] -= 0.25
    assert objective.value(poses) == pytest.approx(0.75)


def test_radial_is_the_travel_of_every_body_away_from_the_centre():
    parts, objective, _ = compiled(KINDS["radial"])
    poses = random_poses(parts)
    away = parts.drawn[:-1, :2] - [1, 1]
    away /= np.hypot(*away.T)[:, None]
    assert objective.value(poses) == pytest.approx((away * (poses - parts.drawn)[:-1, :2]).sum())


def test_a_body_at_the_very_centre_has_no_radial_weight():
    parts, objective, _ = compiled({"radial": [0.0, 0.0]})
    centre = parts.drawn[1, :2]
    _, at_centre, _ = compiled({"radial": centre.tolist()})
    assert objective.weights(parts.drawn)[1, :2] @ objective.weights(parts.drawn)[1, :2] == pytest.approx(1)
    assert at_centre.weights(parts.drawn)[1].tolist() == [0, 0, 0]


def test_gather_is_the_loss_of_distance_from_the_line_through_the_leader():
    parts, objective, joints = compiled(KINDS["gather"])
    axis = np.array([1, 1]) / np.sqrt(2)
    poses = (
        parts.drawn
        + 0.1 * np.random.default_rng(3).normal(size=parts.drawn.shape) * (parts.moving >= 0)[:, None]
    )
    moving = parts.free  # a fixed body cannot gather
    apart = [np.abs((at[moving, :2] - at[1, :2]) @ axis).sum() for at in (parts.drawn, poses)]
    assert objective.value(poses) == pytest.approx(apart[0] - apart[1])
    assert joints.joints[-1].kind == "gather"
    assert joints.linear.gaps(parts.drawn).min() > 0


def test_nobody_may_cross_the_line_it_gathers_to():
    parts, _, joints = compiled(KINDS["gather"])
    poses = parts.drawn.copy()
    poses[2, :2] = parts.drawn[1, :2] - [4, 4]
    before, after = joints.linear.gaps(parts.drawn), joints.linear.gaps(poses)
    assert before.min() >= 0 > after.min()


def test_terms_add_up():
    parts, one, _ = compiled(KINDS["point"])
    _, other, _ = compiled(KINDS["spin"])
    _, both, _ = compiled(KINDS["point"], KINDS["spin"])
    poses = random_poses(parts)
    assert both.value(poses) == pytest.approx(one.value(poses) + other.value(poses))


def test_a_weight_multiplies():
    parts, plain, _ = compiled({**KINDS["weighted"], "weight": 1.0})
    _, weighted, _ = compiled(KINDS["weighted"])
    poses = random_poses(parts)
    assert weighted.value(poses) == pytest.approx(2.5 * plain.value(poses))


def test_a_term_needs_one_kind_and_its_body():
    for wrong in ({}, {"direction": [1, 0]}, {"body": "a", "spin": 1, "direction": [1, 0]}, {"body": "a"}):
        with pytest.raises(ValueError, match=r"needs one of|names no body"):
            Term.model_validate(wrong)
