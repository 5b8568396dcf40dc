"""Strings on tangents and arcs: lengths, forces and places in closed form, on and off their discs."""

import numpy as np
import pytest

from pliant.relax.assemble.build import build
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.gradients import jacobian_at
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.network.measures import measure_angles, measure_couplings
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus


def built(nodes, around, via=(), **more):
    """A string from a to b by discs, each a node and a radius; the others are on bars from a."""
    wrap = {"nodes": ["a", "b"], "around": [{"node": n, "radius": r} for n, r in around], "via": via}
    bars = [{"nodes": ["a", name]} for name in nodes if name not in "ab"]
    return build(Mechanism.model_validate({"nodes": nodes, "bars": bars, "wraps": [{**wrap, **more}]}))


def long(net, x, turned=None):
    """The taut length at x, coming from the drawing or from angles last measured."""
    turned = np.zeros(len(net.parts.couplings.measures)) if turned is None else turned
    return measure_couplings(np.array(x, float), net.parts.couplings, turned)[0]


def by_the_way(net, poses):
    """Taut lengths along poses (F, N, 2), the angles swept going along."""
    turned, out = np.zeros(len(net.parts.couplings.measures)), []
    for x in poses:
        measure_angles(x, net.parts.couplings, turned)
        out.append(long(net, x, turned))
    return np.array(out)


def test_a_belt_between_two_discs_crosses_or_does_not():
    """From above one disc to below the other it crosses: inner tangents; else outer ones."""
    nodes = {"a": (-9, 1), "b": (9, 1), "o": (0, 0), "p": (6, 0)}
    over = built(nodes, [("o", 1), ("p", 1)])
    assert long(over, over.drawn) == pytest.approx(18, rel=1e-14)
    nodes["b"] = (9, -2)
    crossed = built(nodes, [("o", 1), ("p", 2)], via=[(0, 1), (3, 0), (6, -2)])
    across = np.arcsin(3 / 6)
    assert long(crossed, crossed.drawn) == pytest.approx(9 + 3 + np.sqrt(36 - 9) + 3 * across, rel=1e-14)


def test_the_slope_of_a_length_is_that_of_its_differences():
    """Taylor's test: what is left beyond the slope falls with the square of the step."""
    rng = np.random.default_rng(5)
    nodes = {"a": (-4, 0.2), "b": (7, -0.4), "o": (0, -0.5), "p": (3, 0.6)}
    net = built(nodes, [("o", 1), ("p", 0.8)])
    state = net.state()
    rows = jacobian_at(net, state.x, elongations(net, state))
    row = int(np.flatnonzero(rows.owners == len(net.link_names))[0])
    way = rng.normal(size=net.drawn.shape)
    slope = float((rows.matrix @ rows.gathered(way[None]))[row, 0])
    steps = np.array([1e-2, 1e-3])
    left = [abs(long(net, net.drawn + s * way) - long(net, net.drawn) - s * slope) for s in steps]
    assert left[0] > 1e-6
    assert np.log(left[0] / left[1]) / np.log(steps[0] / steps[1]) == pytest.approx(2, abs=0.05)


def test_a_string_comes_off_its_disc_and_on_at_the_other_side():
    """Its end is moved all the way round behind the disc: straight where the disc is not in the way."""
    net = built({"a": (-5, 0), "b": (4, -0.5), "o": (0, 0)}, [("o", 1)])
    angles = np.linspace(np.arctan2(-0.5, 4), np.arctan2(-0.5, 4) - 1.9 * np.pi, 400)
    poses = np.repeat(net.drawn[None], len(angles), axis=0)
    poses[:, 1] = 4 * np.column_stack([np.cos(angles), np.sin(angles)])
    found = by_the_way(net, poses)
    swept = np.abs((angles + np.pi + np.pi) % (2 * np.pi) - np.pi)
    behind = np.arccos(1 / 5) + np.arccos(1 / 4)
    on = swept > behind
    wound = np.sqrt(24) + np.sqrt(15) + (swept - behind)
    straight = np.hypot(*(poses[:, 1] - net.drawn[0]).T)
    np.testing.assert_allclose(found, np.where(on, wound, straight), rtol=1e-12)
    assert 0 < on.sum() < len(on)


def test_a_disc_that_is_left_out_is_put_back_where_it_is_cut():
    """Three discs in a row: the middle one is in the way once it has come up, and then the others are not."""
    nodes = {"a": (-9, 1), "b": (9, 1), "o": (-4, 0), "p": (0, -1), "q": (4, 0)}
    net = built(nodes, [("o", 1), ("p", 1), ("q", 1)])
    assert long(net, net.drawn) == pytest.approx(18, rel=1e-14)
    x = net.drawn.copy()
    x[3] = 0, 1
    assert long(net, x) == pytest.approx(2 * (np.sqrt(80) + np.arcsin(1 / 9)), rel=1e-14)
    x[:2, 1] = -9
    far, down = np.hypot(5, 9), np.arctan2(9, 5) + np.arcsin(1 / np.hypot(5, 9))
    up = np.arctan2(1, 4)
    arcs = 2 * (down - up) + 2 * up
    assert long(net, x) == pytest.approx(2 * np.sqrt(far**2 - 1) + 2 * np.sqrt(17) + arcs, rel=1e-14)


@pytest.mark.parametrize("radius", [0.5, 2.0])
def test_a_rope_over_a_pulley_pulls_as_much_on_either_side(radius):
    """A weight over a fixed pulley is held by its own weight; the pulley by what both strands pull."""
    nodes = {"a": (-6, -3), "b": (radius, -4), "o": (0, 0)}
    found = solve(
        Mechanism.model_validate(
            {
                "nodes": nodes,
                "ground": ["a", "o"],
                "wraps": [
                    {"nodes": ["a", "b"], "around": [{"node": "o", "radius": radius}], "via": [(0, radius)]}
                ],
                "loads": [{"node": "b", "force": (0, -7)}],
            }
        ),
        RelaxStudy(frames=1),
    )
    assert found.status is RelaxStatus.CONVERGED
    assert found.nodes["b"] == pytest.approx([radius, -4], abs=1e-9)
    (rope,) = (one for one in found.forces if one.name == "wrap a-b")
    assert rope.values[-1] == pytest.approx(7, rel=1e-9)
    far = np.hypot(6, 3)
    along = np.arctan2(3, 6) + np.arcsin(radius / far)
    strand = 7 * np.array([np.cos(along), np.sin(along)])
    assert found.reactions["a"][-1] == pytest.approx(-strand, rel=1e-8)
    assert found.reactions["o"][-1] == pytest.approx([strand[0], strand[1] + 7], rel=1e-8)


def test_a_tackle_lifts_by_half_of_what_is_hauled_in():
    """Two strands that hang straight down carry half of the weight each, and have no false friction."""
    model = {
        "nodes": {"a": (1, 0), "b": (-1, 0), "o": (0, -5)},
        "ground": ["a", "b"],
        "wraps": [{"nodes": ["a", "b"], "around": [{"node": "o", "radius": 1}], "to": 7,
                   "via": [(1, -5), (0, -6), (-1, -5)]}],
        "loads": [{"node": "o", "force": (0, -10)}],
    }  # fmt: skip
    found = solve(Mechanism.model_validate(model), RelaxStudy(frames=3))
    assert found.nodes["o"] == pytest.approx([0, -5 + (10 + np.pi - 7) / 2], abs=1e-9)
    (rope,) = (one for one in found.forces if one.name == "wrap a-b")
    np.testing.assert_allclose(rope.values, 5, rtol=1e-8)


def test_a_string_is_as_long_as_asked_however_light_its_load():
    """Beside one of 1000 N, what is rigid is so stiff that 1e-3 N leave a string within its band."""
    model = {
        "nodes": {"a": (0, 0), "p": (0, -1), "c": (5, 0), "q": (5, -1)},
        "ground": ["a", "c"],
        "strings": [{"nodes": ["a", "p"]}, {"nodes": ["c", "q"]}],
        "loads": [{"node": "p", "force": (0, -1000)}, {"node": "q", "force": (0, -1e-3)}],
    }
    found = solve(Mechanism.model_validate(model), RelaxStudy(frames=1))
    assert found.nodes["q"] == pytest.approx([5, -1], abs=1e-9)
    assert found.nodes["p"] == pytest.approx([0, -1], abs=1e-9)


def test_an_elastic_wrap_pulls_with_its_stiffness():
    model = {
        "nodes": {"a": (-4, 0), "b": (1, -4), "o": (0, -1)},
        "ground": ["a", "o"],
        "wraps": [{"nodes": ["a", "b"], "around": [{"node": "o", "radius": 1}], "stiffness": 20,
                   "via": [(0, 0)]}],
        "loads": [{"node": "b", "force": (0, -7)}],
    }  # fmt: skip
    found = solve(Mechanism.model_validate(model), RelaxStudy(frames=1))
    assert found.status is RelaxStatus.CONVERGED
    assert found.nodes["b"] == pytest.approx([1, -4 - 7 / 20], abs=1e-9)
    (rope,) = (one for one in found.forces if one.name == "wrap a-b")
    assert rope.values[-1] == pytest.approx(7, rel=1e-9)
