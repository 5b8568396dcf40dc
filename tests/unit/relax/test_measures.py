"""Lengths, angles, travels and dihedrals: their values, their slopes, and whole turns."""

import numpy as np
import pytest

from pliant.relax.assemble.build import build
from pliant.relax.model import Mechanism
from pliant.relax.network.elements import ANGLE, DIHEDRAL, LENGTH, TRAVEL
from pliant.relax.network.measures import couple, measure, measure_angles, measure_couplings

PLANE = {"o": (0.3, -0.2), "p": (1.7, 0.4), "q": (-0.6, 2.1), "r": (2.2, 1.9)}
SPACE = {"o": (0.3, -0.2, 0.1), "p": (1.7, 0.4, -0.5), "q": (-0.6, 2.1, 0.8), "r": (2.2, 1.9, 1.4)}
WHEELS = {"wheels": [["o", "p"], ["q", "r"]], "ratio": -1.5}
RACK = {"wheel": ["o", "p"], "rack": "q", "radius": 0.7}
CIRCUIT = {"lines": [["o", "p"], ["q", "r"]], "areas": [1, 3]}

CASES = {
    "a length in the plane": (PLANE, LENGTH, {"cylinders": [CIRCUIT]}),
    "a length in space": (SPACE, LENGTH, {"cylinders": [CIRCUIT]}),
    "an angle in the plane": (PLANE, ANGLE, {"gears": [WHEELS], "bars": [{"nodes": ["p", "q"]}]}),
    "an angle in space": (SPACE, ANGLE, {"gears": [WHEELS | {"axis": [1, -2, 2]}]}),
    "a travel in the plane": (PLANE, TRAVEL, {"gears": [RACK | {"along": [3, 4]}]}),
    "a travel in space": (SPACE, TRAVEL, {"gears": [RACK | {"along": [1, 2, -2], "axis": [0, 1, 1]}]}),
    "a dihedral": (SPACE, DIHEDRAL, {"rotors": [{"joint": "o", "axis": "p", "arms": ["q", "r"], "to": 1}]}),
}


def network(nodes, elements):
    used = {"bars": [{"nodes": list(pair)} for pair in ("or", "pq")]}
    return build(Mechanism.model_validate({"nodes": nodes, **used, **elements}))


def first_of(kind, net):
    return int(np.flatnonzero(net.parts.couplings.measures == kind)[0])


@pytest.mark.parametrize(("nodes", "kind", "elements"), CASES.values(), ids=CASES)
def test_slopes_pass_a_taylor_test(nodes, kind, elements):
    net = network(nodes, elements)
    m, x, way = first_of(kind, net), net.drawn, np.random.default_rng(1).normal(size=net.drawn.shape)
    slope, unused = np.zeros((4, x.shape[1])), np.zeros((4, x.shape[1]))
    value = measure(x, net.parts.couplings, m, 0.0, slope)
    rate = (slope * way[net.parts.couplings.measured[m]]).sum()
    steps = 0.02 * 0.5 ** np.arange(4)
    left = np.array(
        [measure(x + h * way, net.parts.couplings, m, value, unused) - value - h * rate for h in steps]
    )
    if kind == TRAVEL:  # linear
        np.testing.assert_allclose(left, 0, atol=1e-14)
    else:
        np.testing.assert_allclose(np.log2(np.abs(left[:-1] / left[1:])), 2, atol=0.1)


@pytest.mark.parametrize(("nodes", "kind", "elements"), CASES.values(), ids=CASES)
def test_slopes_of_a_coupling_are_those_of_its_measures_weighted(nodes, kind, elements):
    net = network(nodes, elements)
    parts, x = net.parts, net.drawn
    turned = np.zeros(len(parts.couplings.measures))
    measure_angles(x, parts.couplings, turned)
    count = int(parts.couplings.firsts[1])
    slopes, at = np.empty((4 * count, x.shape[1])), np.empty(4 * count, np.int64)
    total = couple(x, parts.couplings, 0, turned, slopes, at)
    part = np.zeros((4, x.shape[1]))
    values = [measure(x, parts.couplings, m, turned[m], part) for m in range(count)]
    assert total == pytest.approx(parts.couplings.factors[:count] @ values, rel=1e-15)
    assert measure_couplings(x, parts.couplings, turned)[0] == total
    np.testing.assert_array_equal(at, parts.couplings.measured[:count].ravel())
    np.testing.assert_allclose(slopes[-4:], parts.couplings.factors[count - 1] * part, rtol=1e-15)


def test_values_are_those_of_the_textbook():
    net = network(PLANE, {"gears": [WHEELS, RACK | {"along": [3, 4]}], "cylinders": [CIRCUIT]})
    slope = np.zeros((4, 2))
    angle = measure(net.drawn, net.parts.couplings, first_of(ANGLE, net), 0.0, slope)  # of r about q
    assert angle == pytest.approx(np.arctan2(1.9 - 2.1, 2.2 + 0.6), rel=1e-15)
    travel = measure(net.drawn, net.parts.couplings, first_of(TRAVEL, net), 0.0, slope)
    assert travel == pytest.approx((3 * -0.6 + 4 * 2.1) / 5, rel=1e-15)
    length = measure(net.drawn, net.parts.couplings, first_of(LENGTH, net), 0.0, slope)
    assert length == pytest.approx(np.hypot(1.4, 0.6), rel=1e-15)


def test_a_dihedral_turns_right_handed_about_its_axis():
    nodes = {"o": (0, 0, 0), "p": (0, 0, 2), "q": (1, 0, 5), "r": (0, 3, -1)}
    net = network(nodes, {"rotors": [{"joint": "o", "axis": "p", "arms": ["q", "r"], "to": 1}]})
    assert measure(net.drawn, net.parts.couplings, 0, 0.0, np.zeros((4, 3))) == pytest.approx(
        np.pi / 2, rel=1e-15
    )


def test_an_angle_in_space_turns_right_handed_about_its_axis():
    nodes = {"o": (0, 0, 0), "p": (0.3, 0.1, 0.2), "q": (2, 0, 0), "r": (3, 1, 1)}
    axis = np.array([1.0, -2.0, 2.0]) / 3
    net = network(nodes, {"gears": [{"wheels": [["o", "p"], ["q", "r"]], "ratio": 1, "axis": axis.tolist()}]})
    slope = np.zeros((4, 3))
    measure(net.drawn, net.parts.couplings, 0, 0.0, slope)
    arm = net.drawn[3] - net.drawn[2]
    assert slope[1] @ np.cross(axis, arm) == pytest.approx(1.0, rel=1e-14)


@pytest.mark.parametrize("turn", [1.0, -1.0])
def test_angles_are_counted_over_whole_turns(turn):
    net = network(PLANE, {"gears": [WHEELS]})
    parts, x, turned = net.parts, net.drawn.copy(), np.zeros(2)
    measure_angles(x, parts.couplings, turned)
    start, arm = turned.copy(), x[3] - x[2]
    for angle in turn * np.linspace(0, 5 * np.pi, 21):
        c, s = np.cos(angle), np.sin(angle)
        x[3] = x[2] + [c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]]
        measure_angles(x, parts.couplings, turned)
    assert turned[0] - start[0] == pytest.approx(turn * 5 * np.pi, rel=1e-14)
    assert turned[1] == start[1]


@pytest.mark.parametrize("kind", [ANGLE, DIHEDRAL])
def test_an_arm_without_length_keeps_its_last_angle_and_pulls_nowhere(kind):
    nodes, _, elements = CASES["an angle in space" if kind == ANGLE else "a dihedral"]
    net = network(nodes, elements)
    m, x, slope = first_of(kind, net), net.drawn.copy(), np.ones((4, 3))
    x[net.parts.couplings.measured[m, 1]] = x[net.parts.couplings.measured[m, 0]]
    assert measure(x, net.parts.couplings, m, 7.5, slope) == 7.5
    assert not slope.any()
