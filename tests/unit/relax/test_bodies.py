"""Rigid bodies: as many rows as freedoms taken, and none that a rigid motion stretches."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from pliant.relax.assemble.build import build
from pliant.relax.model import Mechanism
from pliant.relax.network.measures import measure_couplings


def plate(points, **more):
    nodes = {f"n{k}": tuple(point) for k, point in enumerate(np.asarray(points, float).tolist())}
    return build(Mechanism.model_validate({"nodes": nodes, "plates": [{"nodes": list(nodes)}], **more}))


def stretches(net, x):
    """By how much every row of a network is off at x (N, D), over the size."""
    ends = net.parts.links.ends
    links = np.linalg.norm(x[ends[:, 1]] - x[ends[:, 0]], axis=1) - net.drive.rest[0]
    ties = (
        measure_couplings(x, net.parts.couplings, np.zeros(len(net.parts.couplings.measures)))
        - net.drive.goal[0]
    )
    return np.concatenate([links, ties]) / net.size


def jacobian(net, x, step=1e-6):
    """By central differences: rows by coordinates."""
    ways = step * np.eye(x.size).reshape(-1, *x.shape)
    return np.array([(stretches(net, x + way) - stretches(net, x - way)) / (2 * step) for way in ways]).T


def moved(x, seed):
    """A random rigid motion of x."""
    if x.shape[1] == 3:
        turn = Rotation.random(rng=seed).as_matrix()
    else:
        turn = Rotation.from_euler("z", np.random.default_rng(seed).uniform(0, 6)).as_matrix()[:2, :2]
    return x @ turn.T + np.random.default_rng(seed).normal(size=x.shape[1])


def shapes():
    """Nodes on a line, in a plane or beside both, and thin ones: (name, points, freedoms of the body)."""
    rng = np.random.default_rng(3)
    line, flat, full = rng.uniform(size=(6, 1)), rng.uniform(size=(7, 2)), rng.uniform(size=(9, 3))
    tilt, slope = rng.normal(size=(2, 3)), rng.normal(size=(1, 3))
    thin = np.array([1, 0.003])
    return {
        "a triangle": (flat[:3], 3),
        "a plane body": (flat, 3),
        "nodes on a line in the plane": (line @ rng.normal(size=(1, 2)), 3),
        "a plane body that is nearly a line": (flat * thin, 3),
        "a triangle in space": (flat[:3] @ tilt, 6),
        "a tetrahedron": (full[:4], 6),
        "a body in space": (full, 6),
        "nodes in a plane in space": (flat @ tilt, 6),
        "nodes on a line in space": (line @ slope, 5),
        "a body nearly in a plane": (full * [1, 1, 0.003], 6),
        "a body nearly on a line": (full * [1, 0.003, 0.002], 6),
        "a plate nearly on a line in space": (flat * thin @ tilt, 6),
    }


@pytest.mark.parametrize(("points", "freedoms"), shapes().values(), ids=shapes())
def test_a_body_has_a_row_for_each_freedom_it_takes(points, freedoms):
    net = plate(points)
    rows = jacobian(net, net.drawn)
    assert len(rows) == net.drawn.size - freedoms
    values = np.linalg.svd(rows, compute_uv=False)
    assert values[-1] > 0.02 * values[0]  # none depends on the others, not even nearly


@pytest.mark.parametrize(("points", "freedoms"), shapes().values(), ids=shapes())
def test_a_rigid_motion_stretches_nothing(points, freedoms):
    net = plate(points)
    for seed in range(5):
        np.testing.assert_allclose(stretches(net, moved(net.drawn, seed)), 0, atol=1e-12)


@settings(deadline=None, max_examples=50)
@given(
    st.sampled_from([2, 3]),
    st.integers(3, 12),
    st.integers(0, 2**32 - 1),
    st.lists(st.sampled_from([1.0, 0.3, 1e-2, 1e-4, 0.0]), min_size=3, max_size=3),
)
def test_any_body_is_held_without_stretch_and_keeps_its_sides(dimension, count, seed, thickness):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, dimension)) * [1.0, *thickness][:dimension]
    net = plate(points)
    np.testing.assert_allclose(stretches(net, moved(net.drawn, seed)), 0, atol=1e-12)
    for corners in net.drawn[net.simplices]:
        size = np.ptp(corners, axis=0).max()
        assert abs(np.linalg.det(corners[1:] - corners[0])) > 1e-4 * size**dimension


@pytest.mark.slow
def test_a_body_of_ten_thousand_nodes_is_tied_to_four():
    net = plate(np.random.default_rng(0).normal(size=(10_000, 3)))
    assert net.parts.links.ends.shape == (6, 2)
    assert len(net.coupling_names) == 3 * 9996
    assert net.parts.couplings.factors.reshape(-1, 5).sum(axis=1) == pytest.approx(0, abs=1e-12)


def test_corners_are_far_apart():
    points = np.random.default_rng(2).normal(size=(40, 3))
    net = plate(points)
    (corners,) = net.drawn[net.simplices]
    widest = max(np.linalg.norm(a - b) for a, b in combinations(points, 2))
    assert np.linalg.norm(corners[1] - corners[0]) > 0.9 * widest


def test_a_thin_body_gets_hidden_nodes_beside_it():
    net = plate([(0, 0), (10, 0), (5, 0.01)])
    assert net.names[net.shown :] == ("plate n0-n1-n2: 1 beside it",)
    assert net.drawn[3] == pytest.approx([5, 5], abs=1e-12)
    assert net.hidden.tolist() == [False, True, True]
    assert net.parts.fields.masses.tolist() == [1, 1, 1, 0]


def test_a_weld_is_a_body_of_its_joint_and_arms():
    nodes = {"a": (0, 0), "b": (2, 0), "c": (3, 2)}
    bars = [{"nodes": ["a", "b"]}, {"nodes": ["b", "c"]}]
    weld = [{"joint": "b", "arms": ["a", "c"]}]
    net = build(Mechanism.model_validate({"nodes": nodes, "bars": bars, "welds": weld}))
    assert net.link_names == ("bar a-b", "bar b-c", "weld b")
    assert net.hidden.tolist() == [False, False, True]
    assert net.body_names == ("weld b",)


def test_a_straight_weld_holds_too():
    nodes = {"a": (0, 0), "b": (2, 0), "c": (5, 0)}
    weld = [{"joint": "b", "arms": ["a", "c"]}]
    net = build(Mechanism.model_validate({"nodes": nodes, "welds": weld}))
    assert np.linalg.matrix_rank(jacobian(net, net.drawn), tol=1e-6) == 3


def test_nodes_of_a_bar_stay_where_they_are_drawn_on_it():
    nodes = {"a": (0, 0, 0), "m": (1, 1, 0), "b": (4, 4, 0)}
    net = build(Mechanism.model_validate({"nodes": nodes, "bars": [{"nodes": ["a", "m", "b"]}]}))
    assert net.link_names == ("bar a-b",)
    assert net.coupling_names == ("bar a-b",) * 3
    assert sorted(net.parts.couplings.factors[:3]) == pytest.approx([-0.75, -0.25, 1])


def test_an_elastic_plate_gives_way_in_its_links_and_not_in_its_ties():
    points = [(0, 0), (4, 0), (4, 4), (0, 4)]
    nodes = {f"n{k}": point for k, point in enumerate(points)}
    plates = [{"nodes": list(nodes), "stiffness": 3}]
    net = build(Mechanism.model_validate({"nodes": nodes, "plates": plates, "stiffness": 50}))
    assert net.parts.links.stiffness.tolist() == [3, 3, 3]
    assert not net.rigid.any()
    assert net.parts.couplings.stiffness.tolist() == [50, 50]


def hinge():
    nodes = {"o": (0, 0, 0), "p": (2, 0, 0), "q": (2, 0, 1), "r": (-1, 1, 0)}
    sides = {"joint": "o", "sides": [["p", "q"], ["r"]], "axis": [0, 0, 3]}
    return build(Mechanism.model_validate({"nodes": nodes, "hinges": [sides]}))


def test_a_hinge_leaves_one_freedom_between_its_sides():
    net = hinge()
    rows = jacobian(net, net.drawn)
    assert len(rows) == np.linalg.matrix_rank(rows, tol=1e-6) == net.drawn.size - 6 - 1


def test_a_hinge_turns_about_its_axis_without_stretch():
    net = hinge()
    x = net.drawn.copy()
    x[3] = Rotation.from_euler("z", 1.1).apply(x[3])
    np.testing.assert_allclose(stretches(net, moved(x, 4)), 0, atol=1e-12)


def test_a_hinge_has_a_hidden_node_on_its_axis():
    net = hinge()
    arm = (2 + 5**0.5 + 2**0.5) / 3
    assert net.names[net.shown :] == ("hinge 1: axis",)
    assert net.drawn[-1] == pytest.approx([0, 0, arm])
    assert set(net.link_names) == {"hinge o"}
    assert net.hidden.all()
