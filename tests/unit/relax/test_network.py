"""A compiled mechanism: what its drive sets, and the states it is brought into."""

import numpy as np
import pytest

from pliant.relax.assemble.build import build
from pliant.relax.factors.elimination import elimination_order, places
from pliant.relax.model import Mechanism
from pliant.relax.network.network import Drive

NODES = {"a": (0, 0), "b": (3, 0), "c": (3, 4), "d": (1, 7)}
MODEL = {
    "nodes": NODES,
    "ground": ["a", "b"],
    "bars": [{"nodes": ["b", "c"]}, {"nodes": ["c", "d"]}],
    "actuators": [{"nodes": ["a", "c"], "to": (7, 6)}],
    "rotors": [{"joint": "b", "arms": ["a", "c"], "to": -1}],
    "loads": [{"node": "d", "force": (1, 0), "to": (3, -2)}],
}


@pytest.fixture
def net():
    return build(Mechanism.model_validate(MODEL))


# The drive


def test_the_drive_goes_evenly_from_each_waypoint_to_the_next(net):
    at = net.link_names.index("actuator a-c")
    lengths = [net.drive.at(share)[0][at] for share in (0, 0.25, 0.5, 0.75, 1)]
    assert lengths == pytest.approx([5, 6, 7, 6.5, 6], rel=1e-15)


def test_goals_and_loads_go_along(net):
    arm = 3  # of the rotor: the shorter of its two
    start, half = (net.drive.at(share)[1][0] for share in (0.0, 0.5))
    assert half - start == pytest.approx(-0.5 * arm, rel=1e-14)
    np.testing.assert_allclose(net.drive.at(0.5)[2][3], [2, -1], rtol=1e-15)


def test_beyond_its_ends_the_drive_stands_still(net):
    for beyond, end in [(-0.5, 0.0), (1.5, 1.0)]:
        for one, other in zip(net.drive.at(beyond), net.drive.at(end), strict=True):
            np.testing.assert_array_equal(one, other)


def test_the_drive_ends_at_its_last_value_to_the_last_bit():
    rng = np.random.default_rng(3)
    values = rng.uniform(0.1, 10.0, (3, 200))
    drive = Drive(values, np.zeros((3, 0)), np.zeros((3, 1, 2)))
    np.testing.assert_array_equal(drive.at(1.0)[0], values[-1])
    np.testing.assert_array_equal(drive.at(0.5)[0], values[1])


def test_a_drive_of_one_step_is_the_same_everywhere():
    drive = Drive(np.array([[2.0]]), np.zeros((1, 0)), np.zeros((1, 1, 2)))
    assert [drive.at(share)[0].tolist() for share in (0, 0.4, 1)] == [[2.0]] * 3


def test_what_the_drive_gives_may_be_written_to(net):
    rest, goal, loads = net.drive.at(0.5)
    before = net.drive.at(0.5)[0].copy()
    for values in (rest, goal, loads):
        values[:] = 99
    np.testing.assert_array_equal(net.drive.at(0.5)[0], before)
    assert net.drive.at(0.0)[2][3].tolist() == [1, 0]


# States


def test_a_state_starts_as_drawn_and_leaves_the_drawing_alone(net):
    state = net.state()
    np.testing.assert_array_equal(state.x, list(NODES.values()))
    state.x[:] = 0
    assert net.drawn[2].tolist() == [3, 4]


def test_a_state_may_start_anywhere_on_the_drive(net):
    x = net.drawn + 1
    state = net.state(x, 0.5)
    np.testing.assert_array_equal(state.x, x)
    for mine, wanted in zip((state.rest, state.goal, state.loads), net.drive.at(0.5), strict=True):
        np.testing.assert_array_equal(mine, wanted)


def test_angles_count_from_where_a_state_starts(net):
    state = net.state()
    wanted = {(1, 2): np.pi / 2, (1, 0): np.pi}  # of c about b, and of a about b
    for nodes, angle in zip(net.parts.couplings.measured[:, :2].tolist(), state.turned, strict=True):
        assert angle == pytest.approx(wanted[tuple(nodes)], rel=1e-15)


def test_to_aim_is_to_set_what_the_drive_asks_less_what_is_given_in(net):
    state = net.state()
    state.given[0], state.coupling_given[0] = 0.25, -0.5
    net.aim(state, 0.5)
    rest, goal, loads = net.drive.at(0.5)
    np.testing.assert_allclose(state.rest - rest, [-0.25, 0, 0], atol=1e-15)
    np.testing.assert_allclose(state.goal - goal, [0.5], atol=1e-15)
    np.testing.assert_array_equal(state.loads, loads)
    np.testing.assert_array_equal(state.x, net.drawn)


# What is known of it


def test_the_size_is_the_longest_side_of_the_drawing(net):
    assert net.size == 7


def test_nodes_on_the_ground_are_not_free(net):
    assert net.free.tolist() == [False, False, True, True]


def test_the_order_of_elimination_is_found_once(net):
    assert elimination_order(net) is elimination_order(net)
    np.testing.assert_array_equal(elimination_order(net).place, places(net)[0])


LOADS = {
    "nothing": ({}, False),
    "a weight": ({"gravity": (0, -1)}, True),
    "a spring": ({"springs": [{"nodes": ["a", "d"], "stiffness": 1}]}, True),
    "an elastic bar": ({"bars": [*MODEL["bars"], {"nodes": ["a", "d"], "stiffness": 1}]}, True),
    "a string": ({"strings": [{"nodes": ["a", "d"]}]}, True),
    "a bumper": ({"bumpers": [{"nodes": ["a", "d"], "length": 1}]}, True),
    "a cylinder that only pushes": ({"cylinders": [{"lines": [["a", "d"]]}]}, True),
    "a cylinder that pulls too": ({"cylinders": [{"lines": [["a", "d"]], "double": True}]}, False),
    "a field": ({"fields": [{"centre": (0, 0), "strength": 1}]}, True),
    "a contact": ({"contacts": [{"members": [["a", "b"], ["c", "d"]], "radius": 1}]}, False),
    "a soft contact": (
        {"contacts": [{"members": [["a", "b"], ["c", "d"]], "radius": 1, "stiffness": 2}]},
        True,
    ),
    "a soft slider": ({"sliders": [{"node": "d", "on": ["a", "b"], "stiffness": 2}]}, True),
    "a slider": ({"sliders": [{"node": "d", "on": ["a", "b"]}]}, False),
}


@pytest.mark.parametrize(("more", "loaded"), LOADS.values(), ids=LOADS)
def test_it_is_loaded_where_anything_but_rigid_lengths_pulls_or_pushes(more, loaded):
    plain = {key: value for key, value in MODEL.items() if key != "loads"}
    assert build(Mechanism.model_validate(plain | more)).loaded == loaded
