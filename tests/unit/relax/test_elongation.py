"""How far elements are from what they shall measure, and which of that is an error."""

import numpy as np
import pytest

from pliant.relax.assemble.build import build
from pliant.relax.mechanics.elongation import elongations, errors, unbalance
from pliant.relax.model import Mechanism

NODES = {"a": (0, 0), "b": (3, 4), "c": (6, 0), "p": (3, 1)}


def network(nodes=NODES, **elements):
    idle = [{"nodes": ["a", name], "stiffness": 1e-3} for name in list(nodes)[1:]]
    data = {"nodes": nodes, "stiffness": 2, **elements}
    return build(Mechanism.model_validate({**data, "springs": [*elements.get("springs", ()), *idle]}))


def of(net, name, values):
    (at,) = [e for e, link in enumerate(net.link_names) if link == name]
    return values[at]


def test_links_are_longer_than_their_rest_lengths_by_so_much():
    net = network(
        bars=[{"nodes": ["a", "b"], "length": 4}],
        actuators=[{"nodes": ["b", "c"], "to": 9}],
    )
    found = elongations(net, net.state(share=0.25))
    assert of(net, "bar a-b", found.links) == pytest.approx(1, rel=1e-15)
    assert of(net, "bar a-b", found.link_forces) == pytest.approx(2, rel=1e-15)
    assert of(net, "actuator b-c", found.links) == pytest.approx(-1, rel=1e-15)  # 5 where 6 is asked for
    assert of(net, "actuator b-c", found.link_forces) == pytest.approx(-2, rel=1e-15)


def test_slack_strings_and_free_bumpers_are_elongated_but_carry_nothing():
    net = network(
        strings=[{"nodes": ["a", "b"], "length": 7}, {"nodes": ["a", "c"], "length": 5}],
        bumpers=[{"nodes": ["b", "c"], "length": 1}, {"nodes": ["b", "p"], "length": 4}],
    )
    found = elongations(net, net.state())
    wrong = errors(net, found)[0]
    expected = {
        "string a-b": (-2, 0, 0),
        "string a-c": (1, 2, 1),
        "bumper b-c": (4, 0, 0),
        "bumper b-p": (-1, -2, 1),
    }
    for name, (over, force, error) in expected.items():
        assert of(net, name, found.links) == pytest.approx(over, rel=1e-14)
        assert of(net, name, found.link_forces) == pytest.approx(force, rel=1e-14)
        assert of(net, name, wrong) == pytest.approx(error, rel=1e-14)


def test_springs_and_elastic_bars_make_no_error():
    net = network(
        bars=[{"nodes": ["a", "b"], "length": 4}, {"nodes": ["b", "c"], "length": 4, "stiffness": 1}],
        springs=[{"nodes": ["c", "p"], "length": 2, "stiffness": 1}],
    )
    found = errors(net, elongations(net, net.state()))[0]
    assert of(net, "bar a-b", found) == pytest.approx(1, rel=1e-15)
    assert of(net, "bar b-c", found) == of(net, "spring c-p", found) == 0


def test_a_rail_is_as_long_as_its_node_is_away_from_the_line():
    net = network(sliders=[{"node": "p", "on": ["a", "c"], "stiffness": 3}])
    found = elongations(net, net.state())
    assert found.rails.tolist() == [1]
    assert found.rail_forces.tolist() == [3]
    assert errors(net, found)[1].tolist() == [0], "elastic, as it has a stiffness of its own"
    rigid = network(sliders=[{"node": "p", "on": ["a", "c"]}])
    assert errors(rigid, elongations(rigid, rigid.state()))[1].tolist() == [1]


def test_a_coupling_is_elongated_by_what_its_goal_lacks():
    """Two cylinders, areas 1 and 2, pump in 6: over the larger area, 3 in all."""
    lines = {"lines": [["a", "b"], ["b", "c"]], "areas": [1, 2], "to": 6}
    both, pushes = (network(cylinders=[lines | {"double": double}]) for double in (True, False))
    for net in (both, pushes):
        found = elongations(net, net.state(share=0.5))
        assert found.couplings == pytest.approx([-1.5], rel=1e-14)
        assert found.coupling_forces == pytest.approx([-3], rel=1e-14)
        assert errors(net, found)[2] == pytest.approx([1.5], rel=1e-14)
    stretched = NODES | {"b": (3, 9)}
    x = np.array(list(stretched.values()), float)
    for net, error in ((both, True), (pushes, False)):
        assert (errors(net, elongations(net, net.state(x)))[2] > 0) == error


def test_what_is_given_in_against_a_load_is_no_elongation_but_a_force():
    net = network(bars=[{"nodes": ["a", "b"]}], cylinders=[{"lines": [["b", "c"]], "double": True}])
    state = net.state()
    state.given[0], state.coupling_given[0] = 0.1, 0.2
    net.aim(state, 0.0)
    found = elongations(net, state)
    assert found.links[0] == pytest.approx(0, abs=1e-15)
    assert found.link_forces[0] == pytest.approx(0.2, rel=1e-14)
    assert found.couplings[0] == pytest.approx(0, abs=1e-15)
    assert found.coupling_forces[0] == pytest.approx(0.4, rel=1e-14)
    assert max(part.max(initial=0) for part in errors(net, found)) < 1e-15


def test_what_bars_leave_on_nodes_is_their_pulls_added_up():
    """Two bars of a corner, 0.1 and 0.2 too long, pull with 10 times that; the ground may be pulled."""
    x = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 3.0]])
    ends, rest = np.array([[0, 1], [0, 2]]), np.array([1.9, 2.8])
    held, free = np.array([-1, 0, 1]), np.array([0, 1, 2])
    assert unbalance(x, rest, ends, np.full(2, 10.0), held) == pytest.approx(2.0)
    assert unbalance(x, rest, ends, np.full(2, 10.0), free) == pytest.approx(np.hypot(1.0, 2.0))
