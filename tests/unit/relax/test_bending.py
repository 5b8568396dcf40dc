"""Steps read as rotations: rigid motions stay rigid however far, and small steps stay what they are."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pliant.relax.assemble.build import build
from pliant.relax.factors.elimination import elimination_order
from pliant.relax.generate import stewart
from pliant.relax.mechanics.bending import bend, distortion, spins
from pliant.relax.model import Mechanism
from pliant.relax.network.network import Network

PLANE = {"a": (0, 0), "b": (3, 0.4), "c": (3.2, 4), "d": (-0.3, 3.8), "e": (1.4, 1.7)}
FRAME = ("ab", "bc", "cd", "da", "ae", "be", "ce")


def frame(*ground):
    bars = [{"nodes": list(pair)} for pair in FRAME]
    return build(Mechanism.model_validate({"nodes": PLANE, "bars": bars, "ground": ground}))


def platforms(**changes):
    return build(stewart(2).model_copy(update=changes))


FLOATING = {"in the plane": frame(), "in space": platforms(ground=())}
GROUNDED = {"in the plane": frame("a"), "in space": platforms(ground=("0a",))}
everywhere = pytest.mark.parametrize("net", FLOATING.values(), ids=FLOATING)
on_the_ground = pytest.mark.parametrize("net", GROUNDED.values(), ids=GROUNDED)


def rotation(net, angle, about=None):
    """A turn of the whole, in space about an axis askew: where it leads, and the step it begins with."""
    arms = net.drawn - (net.drawn.mean(axis=0) if about is None else about)
    if net.drawn.shape[1] == 2:
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        return net.drawn + arms @ (turn - np.eye(2)).T, angle * np.column_stack([-arms[:, 1], arms[:, 0]])
    axis = angle * np.array([1, -2, 2]) / 3
    return net.drawn + Rotation.from_rotvec(axis).apply(arms) - arms, np.cross(axis, arms)


def spun(net, step):
    spin = np.empty((len(step), 3))
    spins(net.drawn, step, net.edges, spin)
    return spin


def bent(net: Network, step):
    there, right = np.empty_like(step), np.empty((len(elimination_order(net).node), step.shape[1]))
    bend(net.drawn, step, spun(net, step), elimination_order(net), there, right)
    return there


def distorted(net, step):
    return distortion(net.drawn, step, spun(net, step), net.edges, elimination_order(net).sizes)


def lengths(net, x):
    return np.linalg.norm(x[net.edges[:, 1]] - x[net.edges[:, 0]], axis=1)


@everywhere
@pytest.mark.parametrize("angle", [0.3, 2.5, -3.0])
def test_a_step_that_begins_a_rotation_is_bent_into_it(net, angle):
    there, step = rotation(net, angle)
    found = bent(net, step)
    np.testing.assert_allclose(lengths(net, found), lengths(net, net.drawn), rtol=1e-8)
    np.testing.assert_allclose(found, there, atol=1e-6 * net.size)
    straight = lengths(net, net.drawn + step) / lengths(net, net.drawn)
    assert straight.max() > np.sqrt(1 + 0.8 * angle**2)  # which a straight one would tear


@everywhere
def test_no_rigid_motion_is_a_distortion(net):
    for angle in (0.01, 1.0, 3.0):
        assert distorted(net, rotation(net, angle)[1] + 7.0) < 1e-7


@everywhere
def test_the_spin_of_a_rotation_is_its_vector_at_every_node(net):
    axis = [0, 0, 0.7] if net.drawn.shape[1] == 2 else 0.7 * np.array([1, -2, 2]) / 3
    np.testing.assert_allclose(spun(net, rotation(net, 0.7)[1]), [axis] * len(net.drawn), rtol=1e-7)


@everywhere
def test_a_translation_goes_straight(net):
    step = np.broadcast_to(np.arange(1.0, net.drawn.shape[1] + 1), net.drawn.shape).copy()
    np.testing.assert_allclose(bent(net, step), net.drawn + step, atol=1e-6 * net.size)
    assert distorted(net, step) < 1e-15


@on_the_ground
def test_a_small_step_is_straight_to_second_order(net):
    way = np.random.default_rng(3).normal(size=net.drawn.shape) * net.free[:, None]
    steps = 1e-2 * 0.5 ** np.arange(4)
    left = [np.abs(bent(net, h * way) - net.drawn - h * way).max() for h in steps]
    assert left[0] > 1e-6
    np.testing.assert_allclose(np.log2(np.divide(left[:-1], left[1:])), 2, atol=0.05)


@on_the_ground
def test_what_stands_on_one_node_turns_about_it(net):
    there, step = rotation(net, 2.0, about=net.drawn[0])
    np.testing.assert_allclose(bent(net, step), there, atol=1e-7 * net.size)


def test_what_is_on_the_ground_stays():
    net = platforms()
    way = np.random.default_rng(3).normal(size=net.drawn.shape)
    np.testing.assert_array_equal(bent(net, way)[~net.free], net.drawn[~net.free])


@on_the_ground
@pytest.mark.parametrize("growth", [0.02, 0.5])
def test_growth_is_a_distortion_of_that_share_and_turns_nothing(net, growth):
    step = growth * (net.drawn - net.drawn[0])
    assert np.abs(spun(net, step)).max() < 1e-14
    assert distorted(net, step) == pytest.approx(growth, rel=1e-12)
    np.testing.assert_allclose(bent(net, step), net.drawn + step, atol=1e-12 * net.size)


def test_a_chain_turns_by_what_its_neighbours_agree_on():
    """Halves of a bar bent in the middle: both spin by the angle, the middle by their mean."""
    nodes = {"a": (-1, 0), "b": (0, 0), "c": (1, 0)}
    bars = [{"nodes": list(pair)} for pair in ("ab", "bc")]
    net = build(Mechanism.model_validate({"nodes": nodes, "bars": bars}))
    step = np.array([[0, 0.1], [0, 0], [0, 0.3]])
    np.testing.assert_allclose(spun(net, step)[:, 2], [-0.1, 0.1, 0.3], rtol=1e-14)


def test_in_space_a_straight_chain_turns_across_itself_only():
    nodes = {"a": (-1, 0, 0), "b": (0, 0, 0), "c": (1, 0, 0)}
    bars = [{"nodes": list(pair)} for pair in ("ab", "bc")]
    net = build(Mechanism.model_validate({"nodes": nodes, "bars": bars}))
    step = np.array([[0, -0.2, 0.1], [0, 0, 0], [0, 0.2, -0.1]])
    np.testing.assert_allclose(spun(net, step), [[0, 0.1, 0.2]] * 3, rtol=1e-8, atol=1e-15)


def test_nodes_drawn_at_one_place_have_a_finite_step():
    nodes = {"a": (0, 0, 0), "b": (0, 0, 0), "c": (0, 0, 0)}
    springs = [{"nodes": list(pair), "stiffness": 1} for pair in ("ab", "bc")]
    net = build(Mechanism.model_validate({"nodes": nodes, "springs": springs}))
    step = np.array([[0, 1.0, 0], [2, 0, 0], [0, 0, 3]])
    np.testing.assert_allclose(bent(net, step), step, atol=1e-6)
    assert np.isfinite(distorted(net, step))


def test_an_edge_that_may_vanish_is_measured_by_its_surroundings():
    """A slider a hair's breadth from the end of its line, 4 long, moves by 0.1."""
    nodes = {"a": (0, 0), "b": (4, 0), "s": (4 - 1e-6, 0)}
    sliders = [{"node": "s", "on": ["a", "b"]}]
    net = build(Mechanism.model_validate({"nodes": nodes, "ground": ["a", "b"], "sliders": sliders}))
    step = np.array([[0, 0], [0, 0], [-0.1, 0]])
    assert distorted(net, step) == pytest.approx(0.1 / 4, rel=1e-6)
