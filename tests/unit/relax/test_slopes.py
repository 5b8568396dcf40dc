"""J: which elements have rows, which nodes have columns, and that it is the derivative."""

from dataclasses import replace

import numpy as np
import pytest

from pliant.relax.assemble.build import build
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.gradients import jacobian_at
from pliant.relax.mechanics.guides import hold_nodes
from pliant.relax.model import Mechanism

PLANE = {"a": (0, 0), "b": (3, 0), "c": (3.2, 4), "d": (-0.3, 3.8), "e": (1.4, 1.7)}
SPACE = {"a": (0, 0, 0), "b": (3, 0, 0.2), "c": (3, 4, 1), "d": (0, 4, 2), "e": (1, 1, 5), "f": (2, 3, 3)}


def network(nodes, **elements):
    """A network of `nodes`, with springs so that none is without an element."""
    idle = [{"nodes": ["a", name], "stiffness": 1} for name in list(nodes)[1:]]
    data = {"nodes": nodes, "stiffness": 1, **elements}
    return build(Mechanism.model_validate({**data, "springs": idle}))


def rows_of(net, x=None):
    state = net.state(x)
    return jacobian_at(net, state.x, elongations(net, state))


def names_of(net, rows):
    names = (*net.link_names, *net.coupling_names, *net.rail_names)
    touches = [f"touch {t}" for t in range(len(net.parts.touch.radius))]
    return [[*names, *touches][owner] for owner in rows.owners]


def pairs(*names):
    return [{"nodes": list(pair)} for pair in names]


def over_at(net, y):
    """Elongations of the rows where the nodes are displaced by y (N, D) and guided nodes held."""
    state = net.state()
    state.x[:] += y
    for i in np.flatnonzero(net.free):
        hold_nodes(net.parts.guides, i, state.x)
    return jacobian_at(net, state.x, elongations(net, state)).over


EVERYTHING = {
    "bars and actuators": network(
        PLANE, bars=pairs("ab", "bc", "de"), actuators=[{"nodes": ["a", "d"], "to": 9}]
    ),
    "plates in the plane": network(PLANE, plates=[{"nodes": list("abcde")}]),
    "plates in space": network(SPACE, plates=[{"nodes": list("abcdef")}]),
    "rotors in the plane": network(PLANE, rotors=[{"joint": "a", "arms": ["b", "c"], "to": 1}]),
    "rotors in space": network(SPACE, rotors=[{"joint": "a", "arms": ["b", "c"], "axis": "e", "to": 1}]),
    "hinges": network(SPACE, hinges=[{"joint": "a", "sides": [["b"], ["c"]], "axis": (1, 2, 1)}]),
    "gears": network(PLANE, gears=[{"wheels": [["a", "b"], ["c", "d"]], "ratio": -2, "carrier": ["a", "c"]}]),
    "racks": network(PLANE, gears=[{"wheel": ["a", "b"], "rack": "c", "along": (1, 2), "radius": 2}]),
    "circuits": network(PLANE, cylinders=[{"lines": [["a", "b"], ["c", "d"]], "double": True}]),
    "sliders in the plane": network(PLANE, sliders=[{"node": "e", "on": ["a", "b"]}]),
    "sliders in space": network(SPACE | {"e": (1.5, 0, 0.1)}, sliders=[{"node": "e", "on": ["a", "b"]}]),
    "strings and bumpers": network(
        PLANE,
        strings=[{"nodes": ["a", "c"], "length": 2}],
        bumpers=[{"nodes": ["b", "d"], "length": 9}],
    ),
    "strings on cylinders": network(
        SPACE | {"e": (-1, 2, 0.4), "f": (4, 2.1, 0.4)},
        wraps=[{"nodes": ["e", "f"], "around": [{"cylinder": ["a", "d"], "radius": 1}], "length": 4}],
    ),
    "contacts in the plane": network(
        PLANE, contacts=[{"members": [["a", "c"], ["e", "e"], ["b", "b"]], "radius": 4}]
    ),
    "contacts in space": network(SPACE, contacts=[{"members": [["a", "c"], ["b", "d"]], "radius": 3}]),
    "guides in the plane": network(
        PLANE,
        ground=["d"],
        bars=pairs("ab", "bc", "cd", "ac"),
        guides=[
            {"node": "a", "line": (1, 2)},
            {"node": "b", "plane": (1, 3)},
            {"node": "c", "curve": [(2, 3), (3.2, 4), (4, 6)]},
        ],
    ),
    "guides in space": network(
        SPACE,
        bars=pairs("ab", "bc", "cd", "ac", "be"),
        guides=[
            {"node": "a", "line": (1, 2, -1)},
            {"node": "b", "plane": (1, 3, 2)},
            {"node": "c", "curve": [(2, 3, 0), (3, 4, 1), (4, 6, 1)]},
        ],
    ),
}


@pytest.mark.parametrize("name", EVERYTHING)
def test_elongations_change_by_j_y_up_to_second_order(name):
    net = EVERYTHING[name]
    rows = rows_of(net)
    assert len(rows.over) > 0
    y = np.random.default_rng(5).normal(size=(len(rows.nodes), 1))
    off = [
        np.abs(over_at(net, h * rows.spread(y)[0]) - rows.over - h * (rows.matrix @ y)[:, 0]).max()
        for h in (1e-4, 1e-5)
    ]
    # A hundredth, or rounding where elongations are straight.
    assert off[1] <= 0.012 * off[0] + 1e-14
    assert np.abs(rows.matrix @ y).max() > 0.1


# Rows


def test_rows_come_by_kind():
    net = network(
        PLANE,
        sliders=[{"node": "e", "on": ["a", "b"]}],
        rotors=[{"joint": "a", "arms": ["b", "c"], "to": 1}],
        bars=pairs("cd", "de"),
        contacts=[{"members": [["a", "c"]], "against": [["e", "e"]], "radius": 2}],
    )
    rows = rows_of(net)
    assert names_of(net, rows) == ["bar c-d", "bar d-e", "rotor a", "slider e", "touch 0"]
    assert rows.stiffness.tolist() == [1] * 5


def test_springs_and_elastic_bars_have_no_rows():
    net = network(PLANE, bars=[*pairs("cd"), {"nodes": ["b", "c"], "stiffness": 3}])
    assert names_of(net, rows_of(net)) == ["bar c-d"]


@pytest.mark.parametrize(("length", "taut"), [(4.9, True), (5.0, True), (5.0004, True), (5.1, False)])
def test_strings_have_rows_where_they_are_taut_or_about_to_be(length, taut):
    net = network({"a": (0, 0), "b": (3, 4)}, strings=[{"nodes": ["a", "b"], "length": length}])
    assert names_of(net, rows_of(net)) == ["string a-b"] * taut


@pytest.mark.parametrize(("length", "pressed"), [(4.9, False), (4.9997, True), (5.1, True)])
def test_bumpers_have_rows_where_they_press(length, pressed):
    net = network({"a": (0, 0), "b": (3, 4)}, bumpers=[{"nodes": ["a", "b"], "length": length}])
    assert names_of(net, rows_of(net)) == ["bumper a-b"] * pressed


def test_cylinders_that_only_push_have_rows_where_they_do():
    net = network(PLANE, cylinders=[{"lines": [["a", "b"]]}])
    state = net.state()
    found = elongations(net, state)
    wide, tight = (replace(found, couplings=np.array([by])) for by in (0.1, -0.1))
    assert len(jacobian_at(net, state.x, wide).over) == 0
    assert jacobian_at(net, state.x, tight).over.tolist() == [-0.1]


def test_contacts_have_rows_where_they_touch():
    members = [["a", "c"], ["e", "e"]]
    for radius, touching in [(0.02, False), (1.0, True)]:
        net = network(PLANE, contacts=[{"members": members, "radius": radius}])
        assert len(rows_of(net).over) == touching


def test_a_slider_has_a_row_for_each_direction_across_its_line():
    for nodes, count in [(PLANE, 1), (SPACE, 2)]:
        net = network(nodes, sliders=[{"node": "e", "on": ["a", "b"]}])
        rows = rows_of(net)
        assert names_of(net, rows) == ["slider e"] * count
        line = np.subtract(nodes["b"], nodes["a"])
        at = np.dot(nodes["e"], line) / np.dot(line, line)
        assert np.linalg.norm(rows.over) == pytest.approx(np.linalg.norm(nodes["e"] - at * line))
        along = np.zeros((1, *net.drawn.shape))
        along[0, list(nodes).index("e")] = line
        np.testing.assert_allclose(rows.matrix @ rows.gathered(along), 0, atol=1e-14)


def test_what_is_between_grounded_nodes_has_no_row():
    net = network(
        PLANE,
        ground=["a", "b", "c", "e"],
        bars=pairs("ab", "bd"),
        sliders=[{"node": "c", "on": ["a", "b"]}],
        plates=[{"nodes": list("abce")}],
        contacts=[{"members": [["a", "b"]], "against": [["c", "c"], ["d", "d"]], "radius": 5}],
    )
    assert len(net.coupling_names) == 2
    assert names_of(net, rows_of(net)) == ["bar b-d", "touch 1"]


def test_a_link_of_no_length_says_nothing():
    net = network(PLANE, bars=pairs("ab"))
    x = net.drawn.copy()
    x[1] = x[0]
    assert not rows_of(net, x).matrix.toarray().any()


# Columns


def test_a_node_has_a_column_for_each_way_its_guide_leaves():
    rows = rows_of(EVERYTHING["guides in space"])
    assert np.bincount(rows.nodes).tolist() == [1, 2, 1, 3, 3, 3]
    rows = rows_of(EVERYTHING["guides in the plane"])
    assert np.bincount(rows.nodes).tolist() == [1, 1, 1, 0, 2]


@pytest.mark.parametrize("name", EVERYTHING)
def test_unknowns_are_displacements_and_back(name):
    rows = rows_of(EVERYTHING[name])
    y = np.random.default_rng(3).normal(size=(len(rows.nodes), 4))
    assert rows.spread(y).shape == (4, *rows.shape)
    np.testing.assert_allclose(rows.gathered(rows.spread(y)), y, atol=1e-14)


def test_pieces_of_a_slack_string_have_no_columns():
    nodes = {"a": (-3, -1.5, 0), "b": (3, -1.5, 0), "o": (0, 0, 0)}
    for length, pieces in [(6.0, 23), (12.0, 0)]:
        wrap = {"nodes": ["a", "b"], "around": [{"node": "o", "radius": 1}], "length": length}
        net = network(nodes, ground=["o"], wraps=[wrap])
        assert len(net.names) == 26
        assert len(rows_of(net).nodes) == 3 * (2 + pieces)
