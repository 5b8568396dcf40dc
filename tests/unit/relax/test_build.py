"""A model as arrays: what each element becomes, what drives it, and that it fits the drawing."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pliant.relax.assemble.build import build
from pliant.relax.model import Bar, Mechanism
from pliant.relax.network.elements import ANGLE, DIHEDRAL, FIXED, FREE, LENGTH, TRAVEL
from pliant.relax.network.laws import BAR, BUMPER, STRING, stored_energy
from pliant.relax.network.measures import measure_couplings

SQUARE = {"a": (0, 0), "b": (3, 0), "c": (3, 4), "d": (0, 4)}
CUBE = {"a": (0, 0, 0), "b": (3, 0, 0), "c": (3, 4, 1), "d": (0, 4, 2), "e": (1, 1, 5)}


def network(nodes, **elements):
    """A network of `nodes`, with springs that use those which nothing else does."""
    idle = [{"nodes": [first, name], "stiffness": 1} for first in list(nodes)[:1] for name in list(nodes)[1:]]
    data = {"nodes": nodes, "stiffness": 1, **elements}
    return build(Mechanism.model_validate({**data, "springs": [*elements.get("springs", ()), *idle]}))


def own(net):
    """The numbers of links but for those springs."""
    return [e for e, name in enumerate(net.link_names) if not name.startswith("spring a-")]


def nodes_of(*names):
    return [{"nodes": list(pair)} for pair in names]


# Links


def test_a_bar_holds_its_drawn_length_or_its_own():
    net = network(SQUARE, bars=[*nodes_of("ac"), {"nodes": ["a", "b"], "length": 2.5}])
    assert [net.link_names[e] for e in own(net)] == ["bar a-c", "bar a-b"]
    assert net.drive.rest[0, own(net)].tolist() == [5, 2.5]
    assert net.parts.links.ends[own(net)].tolist() == [[0, 2], [0, 1]]
    assert net.parts.links.laws[own(net)].tolist() == [BAR, BAR]
    assert net.rigid[own(net)].all()


def test_a_bar_of_a_material_is_as_stiff_as_it_is_short():
    net = network(SQUARE, bars=[{"nodes": ["a", "c"], "modulus": 200, "area": 2}], stiffness=9)
    assert net.parts.links.stiffness[0] == 200 * 2 / 5
    assert not net.rigid[0]


def test_each_kind_of_link_has_its_name_and_law():
    net = network(
        SQUARE,
        bars=nodes_of("cd"),
        actuators=[{"nodes": ["b", "c"], "to": 6}],
        strings=nodes_of("bd"),
        bumpers=[{"nodes": ["c", "b"], "length": 2}],
        springs=[{"nodes": ["d", "b"], "stiffness": 3, "length": 1}],
    )
    found = {net.link_names[e]: (net.parts.links.laws[e], net.rigid[e]) for e in own(net)}
    assert found == {
        "bar c-d": (BAR, True),
        "actuator b-c": (BAR, True),
        "spring d-b": (BAR, False),
        "string b-d": (STRING, True),
        "bumper c-b": (BUMPER, True),
    }
    assert not net.hidden.any()


def test_strings_and_bumpers_tighten_over_a_ten_thousandth_of_their_length():
    bumpers = [{"nodes": ["c", "b"], "length": 2}, {"nodes": ["c", "d"], "length": 2, "band": 0.3}]
    net = network(SQUARE, strings=nodes_of("bd"), bumpers=bumpers)
    assert net.parts.links.bands[own(net)] == pytest.approx([5e-4, 2e-4, 0.3])


def test_an_element_of_its_own_stiffness_is_elastic():
    net = network(SQUARE, strings=[{"nodes": ["b", "d"], "stiffness": 7}, *nodes_of("bc")], stiffness=50)
    assert net.parts.links.stiffness[own(net)].tolist() == [7, 50]
    assert net.rigid[own(net)].tolist() == [False, True]


def test_what_is_said_twice_is_one_link():
    plates = [{"nodes": ["a", "b", "c"], "name": "base"}, {"nodes": ["a", "c", "d"]}]
    net = network(SQUARE, bars=nodes_of("cb", "bc"), plates=plates)
    names = [net.link_names[e] for e in own(net)]
    assert sorted(names) == ["bar c-b", "plate a-c-d", "plate a-c-d", "plate base", "plate base"]


def test_two_lengths_for_one_pair_of_nodes_are_both_kept():
    bars = [*nodes_of("ab"), {"nodes": ["b", "a"], "length": 3.5}]
    net = network(SQUARE, bars=bars, actuators=[{"nodes": ["a", "b"], "to": 4}])
    assert net.drive.rest[0, own(net)].tolist() == [3, 3.5, 3]


def test_elastic_bars_side_by_side_are_both_kept():
    net = network(SQUARE, bars=[{"nodes": ["a", "b"], "stiffness": 2}] * 2)
    assert net.parts.links.stiffness[own(net)].tolist() == [2, 2]


def test_the_star_of_a_node_is_the_links_that_meet_there():
    net = network(SQUARE, bars=nodes_of("bc", "cd", "bd"))
    starts, star = net.parts.links.starts, net.parts.links.star
    for node in range(4):
        found = set(star[starts[node] : starts[node + 1]].tolist())
        assert found == set(np.flatnonzero((net.parts.links.ends == node).any(axis=1)).tolist())
    assert starts[-1] == len(star) == 2 * len(net.parts.links.ends)


# The drive


def test_an_actuator_goes_from_its_start_through_its_waypoints():
    bars = [{"nodes": ["a", "b"], "to": 6}, {"nodes": ["b", "c"], "length": 2, "to": [3, 7]}]
    net = network(SQUARE, actuators=bars)
    assert net.drive.rest[:, own(net)].T.tolist() == [[3, 4.5, 6], [2, 3, 7]]
    assert net.drive.at(0.75)[0][own(net)].tolist() == [5.25, 5]


def test_everything_driven_shares_one_drive():
    net = network(
        SQUARE,
        actuators=[{"nodes": ["a", "b"], "to": [4, 5]}],
        strings=[{"nodes": ["b", "d"], "to": [4, 3, 2]}],
        rotors=[{"joint": "a", "arms": ["b", "d"], "to": ["90 deg"]}],
        cylinders=[{"lines": [["c", "d"]], "to": 6}],
        loads=[{"node": "c", "force": [1, 0], "to": [7, 6]}],
    )
    drive = net.drive
    assert drive.rest.shape[0] == drive.goal.shape[0] == drive.loads.shape[0] == 7
    assert drive.rest[:, own(net)[1]].tolist() == pytest.approx([5, 4.5, 4, 3.5, 3, 2.5, 2])
    assert drive.goal[:, 0] - drive.goal[0, 0] == pytest.approx(3 * np.linspace(0, np.pi / 2, 7))
    assert drive.goal[:, 1] == pytest.approx(3 + np.arange(7))
    np.testing.assert_allclose(drive.loads[:, 2], [(1 + k, k) for k in range(7)], rtol=1e-15)
    assert not drive.loads[:, [0, 1, 3]].any()


def test_nothing_driven_is_one_step_and_takes_no_room():
    net = network(SQUARE, bars=nodes_of("bc"))
    assert net.drive.rest.shape == (1, 4)
    assert net.drive.loads.shape == (1, 4, 2)
    np.testing.assert_array_equal(net.drive.at(0.4)[0], net.drive.rest[0])


# Couplings


def coupled(net, x=None):
    state = net.state(x)
    return measure_couplings(state.x, net.parts.couplings, state.turned)


def turned(net, node, about, angle, axis=None):
    """The drawing with one node turned about another."""
    x = net.drawn.copy()
    turn = Rotation.from_rotvec(angle * np.array([0, 0, 1] if axis is None else axis)).as_matrix()
    arm = x[node] - x[about]
    x[node] = x[about] + turn[: len(arm), : len(arm)] @ arm
    return x


def test_couplings_measure_their_goals_as_drawn():
    planar = network(
        SQUARE,
        rotors=[{"joint": "a", "arms": ["c", "d"], "to": 1}],
        gears=[
            {"wheels": [["a", "b"], ["c", "d"]], "ratio": -2, "carrier": ["a", "c"]},
            {"wheel": ["a", "b"], "rack": "c", "along": [3, 4], "radius": 2},
        ],
        cylinders=[{"lines": [["a", "c"], ["b", "d"]], "areas": [1, 4]}],
        plates=[{"nodes": ["a", "b", "c", "d"]}],
    )
    spatial = network(
        CUBE,
        rotors=[{"joint": "a", "arms": ["c", "d"], "axis": "e", "to": 1}],
        gears=[{"wheels": [["a", "b"], ["c", "d"]], "ratio": 3, "axis": [1, 1, 1]}],
        plates=[{"nodes": ["a", "b", "c", "d", "e"]}],
    )
    for net in (planar, spatial):
        np.testing.assert_allclose(coupled(net), net.drive.goal[0], atol=1e-14)


def test_a_rotor_turns_its_second_arm_against_its_first():
    net = network(SQUARE, rotors=[{"joint": "a", "arms": ["b", "d"], "to": ["0.5", "1.5"]}])
    assert net.coupling_names == ("rotor a",)
    assert net.parts.couplings.measures.tolist() == [ANGLE, ANGLE]
    assert net.drive.goal[:, 0] == pytest.approx(3 * (np.pi / 2 + np.array([0, 0.5, 1.5])))  # arm 3
    assert coupled(net, turned(net, 3, 0, 0.5)) == pytest.approx(net.drive.goal[1])


def test_a_rotor_in_space_turns_about_its_axis():
    nodes = {"a": (0, 0, 0), "b": (3, 0, 7), "d": (0, 4, 1), "e": (0, 0, 2)}
    net = network(nodes, rotors=[{"joint": "a", "arms": ["b", "d"], "axis": "e", "to": 0.5}])
    assert net.parts.couplings.measures.tolist() == [DIHEDRAL]
    assert net.drive.goal[:, 0] == pytest.approx(3 * (np.pi / 2 + np.array([0, 0.5])))  # 3 from the axis
    assert coupled(net, turned(net, 2, 0, 0.5)) == pytest.approx(net.drive.goal[1])


@pytest.mark.parametrize("ratio", [-2.0, 0.5])
def test_a_gear_is_at_rest_where_its_wheels_turn_in_its_ratio(ratio):
    net = network(SQUARE, gears=[{"wheels": [["a", "b"], ["d", "c"]], "ratio": ratio}])
    assert net.coupling_names == ("gear a-d",)
    x = turned(net, 1, 0, 0.3)
    x[2] = turned(net, 2, 3, 0.3 * ratio)[2]
    assert coupled(net, x) == pytest.approx(net.drive.goal[0], abs=1e-14)
    off = coupled(net, turned(net, 2, 3, 0.1)) - net.drive.goal[0]
    assert off == pytest.approx(3 * 0.1)  # as an arc of the second wheel


def test_a_planetary_gear_counts_from_its_carrier():
    net = network(SQUARE, gears=[{"wheels": [["a", "b"], ["d", "c"]], "ratio": -2, "carrier": ["a", "d"]}])
    x = net.drawn @ [[np.cos(0.4), np.sin(0.4)], [-np.sin(0.4), np.cos(0.4)]]  # all of it turns
    assert coupled(net, x) == pytest.approx(net.drive.goal[0], abs=1e-14)


def test_a_gear_in_space_turns_right_handed_about_its_axis():
    axis = np.array([1.0, 2.0, 2.0]) / 3
    net = network(CUBE, gears=[{"wheels": [["a", "b"], ["c", "d"]], "ratio": 2, "axis": (5 * axis).tolist()}])
    x = turned(net, 1, 0, 0.3, axis)
    x[3] = turned(net, 3, 2, 0.6, axis)[3]
    assert coupled(net, x) == pytest.approx(net.drive.goal[0], abs=1e-14)
    assert coupled(net, turned(net, 3, 2, 0.6, axis)) > net.drive.goal[0]


def test_a_rack_travels_its_radius_for_each_radian():
    net = network(SQUARE, gears=[{"wheel": ["a", "b"], "rack": "c", "along": [0, 5], "radius": -2}])
    assert net.coupling_names == ("gear a-c",)
    assert net.parts.couplings.measures.tolist() == [TRAVEL, ANGLE]
    x = turned(net, 1, 0, 0.3)
    x[2] += [9, -0.6]
    assert coupled(net, x) == pytest.approx(net.drive.goal[0], abs=1e-14)


def test_a_circuit_holds_its_volume_and_pushes_only():
    circuit = {"lines": [["a", "c"], ["b", "c"]], "areas": [1, 2], "to": 3}
    net = network(SQUARE, cylinders=[circuit])
    assert net.coupling_names == ("cylinder a-c, b-c",)
    assert net.parts.couplings.measures.tolist() == [LENGTH, LENGTH]
    assert net.parts.couplings.factors.tolist() == [0.5, 1]
    assert net.drive.goal[:, 0].tolist() == [5 / 2 + 4, 5 / 2 + 4 + 3 / 2]
    (law,), (band,) = net.parts.couplings.laws, net.parts.couplings.bands
    assert band == pytest.approx(5e-4)
    assert stored_energy(law, 1.0, band, 0.1) == 0 < stored_energy(law, 1.0, band, -0.1)
    double = network(SQUARE, cylinders=[circuit | {"double": True}])
    assert double.parts.couplings.laws.tolist() == [BAR]


# Rails, ground, loads and fields


def test_a_slider_is_a_rail_without_distance():
    net = network(SQUARE, sliders=[{"node": "c", "on": ["a", "b"]}], stiffness=6)
    assert net.rail_names == ("slider c",)
    assert net.parts.rails.nodes.tolist() == [[2, 0, 1]]
    assert (net.parts.rails.rest[0], net.parts.rails.laws[0], net.parts.rails.stiffness[0]) == (0, BAR, 6)


def test_the_ground_is_fixed_and_nothing_else():
    net = network(SQUARE, ground=["c", "a"])
    assert net.parts.guides.kinds.tolist() == [FIXED, FREE, FIXED, FREE]
    assert net.free.tolist() == [False, True, False, True]


def test_weights_are_loads_on_the_models_own_nodes():
    plates = [{"nodes": ["a", "b", "c", "d"]}]
    thin = {"a": (0, 0), "b": (3, 0.01), "c": (6, 0), "d": (9, 0.02)}
    net = network(
        thin, plates=plates, gravity=[0, -10], masses={"b": 0.5}, loads=[{"node": "c", "force": [1, 1]}]
    )
    assert len(net.names) == 5  # one beside the thin plate
    assert net.parts.fields.masses.tolist() == [1, 0.5, 1, 1, 0]
    assert net.drive.loads[0].tolist() == [[0, -10], [0, -5], [1, -9], [0, -10], [0, 0]]


def test_fields_keep_their_centre_strength_and_power():
    fields = [{"centre": [1, 2], "strength": -3}, {"centre": [0, 0], "strength": 2, "power": -2}]
    parts = network(SQUARE, fields=fields).parts
    assert parts.fields.at.tolist() == [[1, 2], [0, 0]]
    assert parts.fields.strength.tolist() == [-3, 2]
    assert parts.fields.power.tolist() == [1, -2]


# Edges and arrays


def test_nodes_share_an_edge_where_they_share_an_element():
    elements = {"bars": nodes_of("ab"), "sliders": [{"node": "c", "on": ["a", "b"]}]}
    gears = [{"wheel": ["d", "e"], "rack": "b", "along": [1, 0], "radius": 1}]
    nodes = {**SQUARE, "e": (7, 7), "f": (9, 9)}
    strings = [{"nodes": ["e", "f"]}]
    net = build(Mechanism.model_validate({"nodes": nodes, **elements, "gears": gears, "strings": strings}))
    pairs = [(net.names[i], net.names[j]) for i, j in net.edges.tolist()]
    assert pairs == [("a", "b"), ("a", "c"), ("b", "c"), ("b", "d"), ("b", "e"), ("d", "e"), ("e", "f")]


def test_all_nodes_of_a_circuit_share_edges():
    nodes = {f"n{k}": (k % 2, k) for k in range(12)}
    lines = [[f"n{k}", f"n{k + 1}"] for k in range(0, 12, 2)]
    net = build(Mechanism.model_validate({"nodes": nodes, "cylinders": [{"lines": lines}]}))
    assert len(net.edges) == 12 * 11 / 2


def test_a_network_of_nodes_alone_has_empty_arrays_of_the_right_kind():
    nodes = {"a": (0, 0, 1), "b": (1, 0, 0)}
    guides = [{"node": "a", "line": [1, 0, 0]}, {"node": "b", "plane": [0, 0, 2]}]
    net = build(Mechanism.model_validate({"nodes": nodes, "guides": guides}))
    links, rails, couplings, *_ = net.parts
    assert (links.ends.shape, rails.nodes.shape) == ((0, 2), (0, 3))
    assert (couplings.measured.shape, couplings.frames.shape) == ((0, 4), (0, 2, 3))
    assert net.parts.guides.pieces.shape == (0, 4, 3)
    assert net.parts.touch.normal.shape == (0, 3)
    assert net.simplices.shape == (0, 4)
    assert net.edges.shape == (0, 2)
    assert net.state().rest.shape == (0,)


def test_arrays_have_one_type_each_whatever_is_in_them():
    """Loops are compiled once for all mechanisms of a dimension, not once for each that lacks something."""
    bare = network(SQUARE, bars=nodes_of("bc"))
    full = network(
        SQUARE,
        plates=[{"nodes": ["a", "b", "c", "d"]}],
        guides=[{"node": "c", "curve": [[3, 4], [5, 5], [6, 7]]}],
        sliders=[{"node": "c", "on": ["a", "b"]}],
        contacts=[{"members": [["a", "b"], ["c", "d"]], "radius": 0.1}],
        fields=[{"centre": [1, 2], "strength": -3}],
    )
    for one, other in zip(flat(bare.parts), flat(full.parts), strict=True):
        assert (one.dtype, one.ndim) == (other.dtype, other.ndim)
        assert one.flags.c_contiguous
        assert other.flags.c_contiguous


def flat(parts):
    return [array for part in parts for array in (part if isinstance(part, tuple) else [part])]


@pytest.mark.slow
def test_a_hundred_thousand_nodes_compile_to_a_link_a_bar():
    side = 316
    nodes = {f"{i},{j}": (i, j) for i in range(side) for j in range(side)}
    across = [(f"{i},{j}", f"{i + 1},{j}") for i in range(side - 1) for j in range(side)]
    along = [(f"{i},{j}", f"{i},{j + 1}") for i in range(side) for j in range(side - 1)]
    bars = tuple(Bar.model_construct(nodes=pair) for pair in across + along)
    net = build(Mechanism.model_construct(nodes=nodes, bars=bars))
    assert net.parts.links.ends.shape == net.edges.shape == (2 * side * (side - 1), 2)
