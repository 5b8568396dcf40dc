"""Strings around obstacles: on which side they are drawn, how long they are, and what holds them there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.relax.assemble.build import build
from pliant.relax.assemble.wrapping import Obstacles, route
from pliant.relax.model import Mechanism
from pliant.relax.network.laws import BUMPER, STRING


def circles(*balls):
    """Obstacles (x, y(, z), radius)."""
    at = np.array([ball[:-1] for ball in balls], float)
    return Obstacles(at, np.zeros_like(at), np.array([ball[-1] for ball in balls], float))


def length(points):
    return np.linalg.norm(np.diff(points, axis=0), axis=1).sum()


def taut(a, b, centre, radius):
    """The shortest way from a to b round one side of a circle between them."""
    a, b = np.array(a, float) - centre, np.array(b, float) - centre
    far = np.linalg.norm(a), np.linalg.norm(b)
    turned = np.arccos(a @ b / (far[0] * far[1])) - sum(np.arccos(radius / f) for f in far)
    return sum(np.sqrt(f * f - radius**2) for f in far) + radius * turned


def string(nodes, wrap, **more):
    names = set(nodes) - {"a", "b"}
    bars = [{"nodes": ["a", name]} for name in sorted(names)]
    wraps = [{"nodes": ["a", "b"], **wrap}]
    return build(Mechanism.model_validate({"nodes": nodes, "bars": bars, "wraps": wraps, **more}))


@pytest.mark.parametrize("offset", [-0.8, -0.3, 0.0, 0.3, 0.8])
def test_a_string_goes_round_the_nearer_side_as_short_as_it_can(offset):
    a, b = (-3.0, 0.0), (4.0, 0.0)
    points = route(np.array([a, b]), circles((0, offset, 1)), 400)
    middle = points[np.abs(points[:, 0]).argmin()]
    assert np.sign(middle[1] - offset) == (-1 if offset > 0 else 1)  # through the middle: to the left
    assert length(points) == pytest.approx(taut(a, b, (0, offset), 1), rel=1e-5)
    assert length(points) < taut(a, b, (0, offset), 1)  # pieces are chords


def test_a_string_that_nothing_stops_is_straight_and_even():
    points = route(np.array([(0.0, 0.0), (6.0, 3.0)]), circles((3, 4, 1)), 6)
    np.testing.assert_allclose(points, [(k, k / 2) for k in range(7)], atol=1e-12)


@settings(deadline=None, max_examples=40)
@given(st.floats(-0.99, 0.99), st.floats(1.5, 5), st.floats(1.5, 5), st.integers(24, 120))
def test_pieces_are_even_and_outside(offset, left, right, count):
    points = route(np.array([(-left, 0.0), (right, 0.5)]), circles((0, offset, 1)), count)
    assert np.linalg.norm(points - [0, offset], axis=1).min() > 1 - 1e-12
    parts = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert parts.max() < 1.05 * parts.min()


def test_a_string_weaves_between_two_pulleys():
    a, b = np.array([-4.0, 0.0]), np.array([4.0, 0.0])
    points = route(np.array([a, b]), circles((-1.5, 0.4, 1), (1.5, -0.4, 1)), 600)
    # Each half ends in the middle, on the inner tangent of the two circles.
    half = taut(a, (0, 0), (-1.5, 0.4), 1)
    assert length(points) == pytest.approx(2 * half, rel=1e-5)
    np.testing.assert_allclose(points, -points[::-1], atol=1e-6)


def test_pulleys_that_overlap_are_passed_together():
    points = route(np.array([(-4.0, 0.1), (4.0, 0.1)]), circles((-0.5, 0, 1), (0.5, 0, 1)), 400)
    half = taut((-4, 0.1), (0, 1), (-0.5, 0), 1)  # to the middle between their tops
    assert length(points) == pytest.approx(2 * half, rel=1e-5)


def test_a_ball_in_space_is_passed_in_the_plane_of_its_middle():
    a, b = (-3.0, 0.2, 0.2), (4.0, 0.2, 0.2)
    points = route(np.array([a, b]), circles((0, 0, 0, 1)), 400)
    np.testing.assert_allclose(points[:, 1], points[:, 2], atol=1e-9)
    assert length(points) == pytest.approx(taut(a, b, (0, 0, 0), 1), rel=1e-5)


@pytest.mark.parametrize("beside", [0.0, 0.2])
def test_a_cylinder_is_passed_on_a_helix(beside):
    a, b = (-3.0, beside, 0.0), (4.0, beside, 2.0)
    axis = Obstacles(np.zeros((1, 3)), np.array([[0.0, 0.0, 1.0]]), np.array([1.0]))
    points = route(np.array([a, b]), axis, 400)
    flat = taut(a[:2], b[:2], (0, 0), 1)
    assert length(points) == pytest.approx(np.hypot(flat, 2), rel=1e-5)  # unrolled, it is straight
    assert np.linalg.norm(points[:, :2], axis=1).min() > 1 - 1e-12


def test_a_string_along_the_axis_of_a_cylinder_comes_out_at_its_side():
    axis = Obstacles(np.zeros((1, 3)), np.array([[0.0, 0.0, 1.0]]), np.array([0.5]))
    points = route(np.array([(0.5, 0, -2.0), (0.5, 0, 2.0)]), axis, 8)
    np.testing.assert_allclose(points[:, 0], 0.5, atol=1e-12)
    through = route(np.array([(0, 0, -2.0), (0.1, 0, 0.0), (0, 0, 2.0)]), axis, 8)
    np.testing.assert_allclose(np.linalg.norm(through[1:-1, :2], axis=1), 0.5, rtol=1e-12)


def test_cylinders_hold_a_string_with_rails():
    nodes = {"a": (-3, 0.1, 0), "b": (4, 0.1, 1), "o": (0, 0, -1), "p": (0, 0, 2)}
    net = string(nodes, {"around": [{"cylinder": ["o", "p"], "radius": 0.5}], "pieces": 30})
    parts = net.parts
    assert parts.rails.nodes.tolist() == [[4 + k, 2, 3] for k in range(29)]
    assert set(net.rail_names) == {"wrap a-b on o-p"}
    assert parts.rails.laws.tolist() == [BUMPER] * 29
    assert (parts.rails.rest == 0.5).all()
    assert parts.rails.bands == pytest.approx(5e-4)


def test_pieces_in_space_are_no_longer_than_the_smallest_radius():
    nodes = {"a": (-3, 0, 0), "b": (4, 0, 0), "o": (0, 0.05, 0)}
    net = string(nodes, {"around": [{"node": "o", "radius": 0.1}], "pieces": 4})
    pieces = net.parts.links.laws == STRING
    assert pieces.sum() == 71
    assert net.drive.rest[0, pieces].max() <= 0.1
    reeled = string(nodes, {"around": [{"node": "o", "radius": 0.1}], "pieces": 4, "to": 12})
    assert (reeled.parts.links.laws == STRING).sum() == 120


def test_a_wrap_in_space_is_a_chain_of_strings_and_hidden_bumpers():
    nodes = {"a": (-3, 0, 0), "b": (4, 0, 0), "o": (0, 0.5, 0), "p": (0, 9, 0)}
    around = [{"node": "o", "radius": 1}, {"node": "p", "radius": 2}]
    net = string(nodes, {"around": around, "pieces": 12, "to": 5}, stiffness=7)
    pieces, bumpers = (np.flatnonzero(net.parts.links.laws == law) for law in (STRING, BUMPER))
    assert net.names[net.shown :] == tuple(f"wrap 1: {k}" for k in range(1, 12))
    assert net.parts.links.ends[pieces].tolist() == [[0, 4], *([k, k + 1] for k in range(4, 14)), [14, 1]]
    assert not net.hidden[pieces].any()
    assert net.hidden[bumpers].all()
    whole = length(np.vstack([net.drawn[:1], net.drawn[net.shown :], net.drawn[1:2]]))
    np.testing.assert_allclose(net.drive.rest[:, pieces].sum(axis=1), [whole, 5], rtol=1e-12)


def test_an_elastic_wrap_in_space_is_as_stiff_as_asked_in_all():
    nodes = {"a": (-3, 0, 0), "b": (4, 0, 0), "o": (0, 0.5, 0)}
    net = string(nodes, {"around": [{"node": "o", "radius": 1}], "pieces": 20, "stiffness": 3, "length": 8})
    pieces = net.parts.links.laws == STRING
    assert 1 / (1 / net.parts.links.stiffness[pieces]).sum() == pytest.approx(3)
    assert not net.rigid[pieces].any()
    assert net.drive.rest[0, pieces].sum() == pytest.approx(8)


def test_in_the_plane_a_wrap_is_one_coupling_of_the_discs_it_goes_by():
    nodes = {"a": (-3, 0), "b": (4, 0), "o": (0, 0.5), "p": (2, 9)}
    around = [{"node": "p", "radius": 2}, {"node": "o", "radius": 1}]
    net = string(nodes, {"around": around, "to": 5}, stiffness=7)
    assert len(net.drawn) == net.shown
    assert net.coupling_names == ("wrap a-b",)
    assert net.parts.couplings.measured[:, :2].tolist() == [[0, 2], [2, 3], [3, 1]]
    assert net.parts.couplings.frames[:, 0, 0].tolist() == [0, 1, 2]
    np.testing.assert_allclose(net.drive.goal[:, 0], [taut((-3, 0), (4, 0), (0, 0.5), 1), 5], rtol=1e-14)


def test_a_path_with_points_that_is_longer_than_taut_is_as_long_as_drawn():
    nodes = {"a": (-3, 0), "b": (3, 0), "o": (0, 0)}
    net = string(nodes, {"around": [{"node": "o", "radius": 1}], "via": [(-2, -2), (2, -2)]})
    assert net.drive.goal[0, 0] == pytest.approx(4 + 2 * np.hypot(1, 2), rel=1e-14)
    assert net.parts.couplings.frames[1, 0, 1] == pytest.approx(np.pi)  # below, so counter-clockwise


def test_a_path_whose_points_cut_a_disc_is_as_long_as_it_is_taut():
    nodes = {"a": (-3, 0), "b": (3, 0), "o": (0, 0)}
    net = string(nodes, {"around": [{"node": "o", "radius": 1}], "via": [(-0.8, -0.6), (0.8, -0.6)]})
    assert net.drive.goal[0, 0] == pytest.approx(2 * (np.sqrt(8) + np.arcsin(1 / 3)), rel=1e-14)


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_string_may_go_round_a_drum_several_times(turns):
    nodes = {"a": (-5, 1), "b": (5, 1), "o": (0, 0)}
    angles = np.pi / 2 - np.arange(1, 8 * turns) * np.pi / 4
    via = [(0, 1), *zip(np.cos(angles), np.sin(angles), strict=True), (0, 1)]
    net = string(nodes, {"around": [{"node": "o", "radius": 1}], "via": via})
    assert net.drive.goal[0, 0] == pytest.approx(10 + 2 * np.pi * turns, rel=1e-14)
