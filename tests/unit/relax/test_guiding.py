"""Nodes on lines, planes and curves: what is left of a force, and the way back onto the guide."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.relax.assemble.build import build
from pliant.relax.mechanics.guides import basis, hold_nodes, nearest_spot, project
from pliant.relax.model import Mechanism
from pliant.relax.network.elements import CURVE

WAVE = [(0.0, 0.0), (1.0, 1.2), (2.2, 0.4), (3.0, -1.0), (4.5, 0.3)]
RING = [(2.0, 0.0), (0.0, 1.5), (-2.0, 0.3), (-0.5, -1.5)]
HELIX = [(np.cos(t), np.sin(t), 0.3 * t) for t in np.linspace(0, 9, 12)]

GUIDES = {
    "line in the plane": (2, {"line": [3, 1]}),
    "plane in the plane": (2, {"plane": [1, 2]}),
    "open curve in the plane": (2, {"curve": WAVE}),
    "closed curve in the plane": (2, {"curve": RING, "closed": True}),
    "line in space": (3, {"line": [1, -2, 2]}),
    "plane in space": (3, {"plane": [0, 0.1, 1]}),
    "curve in space": (3, {"curve": HELIX}),
    "segment in space": (3, {"curve": [(0, 0, 0), (1, 2, 3)]}),
}
numbers = st.floats(-5, 5)
vectors = st.tuples(numbers, numbers, numbers)
guides = st.sampled_from(list(GUIDES))


def guided(dimension, guide, at=(0.4, -0.3, 0.2)):
    """The parts of a mechanism whose node 1 is on the guide."""
    nodes = {"o": (9, 9, 9)[:dimension], "p": at[:dimension]}
    elements = {"bars": [{"nodes": ["o", "p"]}], "guides": [{"node": "p", **guide}], "ground": ["o"]}
    return build(Mechanism.model_validate({"nodes": nodes, **elements})).parts


PARTS = {name: guided(dimension, guide) for name, (dimension, guide) in GUIDES.items()}


def held(parts, place):
    """A place, brought onto the guide."""
    x = np.array([place, place], float)
    hold_nodes(parts.guides, 1, x)
    return x[1]


def left_of(parts, place, v):
    left = np.array(v, float)
    project(parts.guides, 1, place, left)
    return left


def ways(parts, place):
    out = np.empty((len(place), len(place)))
    return out[: basis(parts.guides, 1, place, out)]


@settings(deadline=None)
@given(guides, vectors)
def test_what_is_held_stays_where_it_is(name, place):
    parts = PARTS[name]
    place = held(parts, place[: GUIDES[name][0]])
    np.testing.assert_allclose(held(parts, place), place, atol=1e-12)


@settings(deadline=None)
@given(guides, vectors, vectors)
def test_projecting_twice_is_projecting_once_and_takes_never_more_than_there_is(name, place, v):
    parts, dimension = PARTS[name], GUIDES[name][0]
    place = held(parts, place[:dimension])
    left = left_of(parts, place, v[:dimension])
    np.testing.assert_allclose(left_of(parts, place, left), left, atol=1e-12)
    assert np.dot(left, np.array(v[:dimension]) - left) == pytest.approx(0, abs=1e-12)


@settings(deadline=None)
@given(guides, vectors, vectors)
def test_what_is_left_lies_in_the_basis(name, place, v):
    parts, dimension = PARTS[name], GUIDES[name][0]
    place = held(parts, place[:dimension])
    rows = ways(parts, place)
    np.testing.assert_allclose(rows @ rows.T, np.eye(len(rows)), atol=1e-12)
    left, whole = left_of(parts, place, v[:dimension]), rows.T @ (rows @ v[:dimension])
    taken = parts.guides.kinds[1] == CURVE and not left.any()  # it leads beyond the end of the curve
    if not taken:
        np.testing.assert_allclose(left, whole, atol=1e-12)


@settings(deadline=None)
@given(guides, vectors, st.floats(0, 1))
def test_a_small_step_along_the_basis_stays_on_the_guide(name, place, share):
    parts, dimension = PARTS[name], GUIDES[name][0]
    place, step = held(parts, place[:dimension]), 1e-4
    rows = ways(parts, place)
    ahead = place + step * (share * rows[0] + (1 - share) * rows[-1])
    off = np.linalg.norm(held(parts, ahead) - ahead)
    at_end = parts.guides.kinds[1] == CURVE and not left_of(parts, place, ahead - place).any()
    assert off < (2 * step if at_end else 30 * step**2)


@settings(deadline=None)
@given(guides, vectors)
def test_nothing_on_a_guide_is_nearer_than_where_a_node_is_held(name, place):
    parts, place = PARTS[name], np.array(place[: GUIDES[name][0]])
    found = held(parts, place)
    if parts.guides.kinds[1] != CURVE:
        np.testing.assert_allclose(ways(parts, found) @ (place - found), 0, atol=1e-12)
        return
    powers = np.linspace(0, 1, 200)[:, None] ** [3, 2, 1, 0]
    curve = np.einsum("uk,pkd->upd", powers, parts.guides.pieces)
    assert np.linalg.norm(found - place) <= np.linalg.norm(curve - place, axis=2).min() + 1e-12


@pytest.mark.parametrize(("end", "outward"), [(0, -1), (-1, 1)])
def test_the_end_of_an_open_curve_is_a_stop(end, outward):
    parts = PARTS["open curve in the plane"]
    tip = np.array(WAVE[end])
    (way,) = ways(parts, tip)
    way *= outward * np.sign(way[0])  # this curve runs to the right
    assert not left_of(parts, tip, way).any()
    assert left_of(parts, tip, -way) == pytest.approx(-way)
    assert held(parts, tip + 0.1 * way) == pytest.approx(tip, abs=1e-14)


def test_a_closed_curve_has_no_end():
    parts = PARTS["closed curve in the plane"]
    (way,) = ways(parts, np.array(RING[0]))
    for v in (way, -way):
        assert left_of(parts, np.array(RING[0]), v) == pytest.approx(v)
    spots = [
        nearest_spot(parts.guides.pieces, True, np.array(RING[0]) + step * way) for step in (-1e-3, 1e-3)
    ]
    assert max(spots) > 3.99
    assert min(spots) < 0.01


def test_the_ground_allows_nothing_and_a_free_node_everything():
    net = build(
        Mechanism.model_validate(
            {"nodes": {"o": (0, 0), "p": (1, 0)}, "bars": [{"nodes": ["o", "p"]}], "ground": ["o"]}
        )
    )
    v, out = np.array([3.0, 4.0]), np.empty((2, 2))
    project(net.parts.guides, 1, net.drawn[1], v)
    assert v.tolist() == [3, 4]
    assert basis(net.parts.guides, 1, net.drawn[1], out) == 2
    assert out.tolist() == [[1, 0], [0, 1]]
    project(net.parts.guides, 0, net.drawn[0], v)
    assert v.tolist() == [0, 0]
    assert basis(net.parts.guides, 0, net.drawn[0], out) == 0


def test_a_line_passes_through_its_node_as_drawn():
    parts = guided(2, {"line": [0, 2]}, at=(3, 1))
    assert held(parts, (5, 7)).tolist() == [3, 7]
    assert left_of(parts, np.array([3.0, 1.0]), (5, 7)).tolist() == [0, 7]


def test_a_node_drawn_beside_its_curve_is_moved_onto_it():
    nodes = {"o": (9, 9), "p": (1.0, 3.0)}
    guides = [{"node": "p", "curve": [(0, 0), (4, 0)]}]
    net = build(Mechanism.model_validate({"nodes": nodes, "bars": [{"nodes": ["o", "p"]}], "guides": guides}))
    assert net.drawn.tolist() == [[9, 9], [1, 0]]
    assert net.drive.rest[0, 0] == pytest.approx(np.hypot(8, 9))


@pytest.mark.parametrize("points", [WAVE, HELIX, [(0, 0), (3, 4)]])
def test_curves_pass_through_their_points(points):
    parts = guided(len(points[0]), {"curve": points})
    np.testing.assert_allclose(parts.guides.pieces[:, 3], points[:-1], atol=1e-13)
    np.testing.assert_allclose(parts.guides.pieces.sum(axis=1), points[1:], atol=1e-13)


def test_a_closed_curve_is_smooth_where_it_closes():
    parts = PARTS["closed curve in the plane"]
    points = np.array(RING)
    lengths = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
    ends, starts = parts.guides.pieces[-1], parts.guides.pieces[0]
    np.testing.assert_allclose(
        (ends * [[3], [2], [1], [0]]).sum(axis=0) / lengths[-1], starts[2] / lengths[0], atol=1e-13
    )
    np.testing.assert_allclose(
        (6 * ends[0] + 2 * ends[1]) / lengths[-1] ** 2, 2 * starts[1] / lengths[0] ** 2, atol=1e-13
    )


def test_the_curves_of_several_guides_are_told_apart():
    nodes = {"p": (0, 0), "q": (2, 0), "r": (1, 0)}
    guides = [
        {"node": "q", "curve": RING, "closed": True},
        {"node": "r", "line": [0, 1], "friction": 0.3},
        {"node": "p", "curve": WAVE},
    ]
    bars = [{"nodes": ["p", "q"]}, {"nodes": ["q", "r"]}]
    parts = build(Mechanism.model_validate({"nodes": nodes, "bars": bars, "guides": guides})).parts
    assert parts.guides.curve_starts.tolist() == [0, 4, 8]
    assert parts.guides.curve_closed.tolist() == [True, False]
    assert parts.guides.curve[[1, 0]].tolist() == [0, 1]
    assert parts.guides.friction.tolist() == [0, 0, 0.3]
