"""Elimination: every node once, every element within its rows, and the graph's factor."""

from itertools import pairwise

import numpy as np
import pytest

from pliant.relax.assemble.build import build
from pliant.relax.factors.elimination import ANCHOR, elimination_order, factor_size
from pliant.relax.generate import peaucellier, random_mechanism, stewart
from pliant.relax.model import Mechanism

PLANE = {"a": (0, 0), "b": (4, 0), "c": (4, 3), "d": (0, 3), "e": (2, 1), "f": (7, 1)}


def network(nodes, **elements):
    return build(Mechanism.model_validate({"nodes": nodes, **elements}))


def pairs(*names):
    return [{"nodes": list(pair)} for pair in names]


NETWORKS = {
    "Peaucellier": build(peaucellier()),
    "four platforms": build(stewart(4)),
    "random links": build(random_mechanism(3, joints=40, links=70, driven=5)),
    "a plate, a slider and a circuit": network(
        PLANE,
        ground=["f"],
        plates=[{"nodes": ["a", "b", "c", "d"]}],
        sliders=[{"node": "e", "on": ["a", "b"]}],
        cylinders=[{"lines": [["e", "f"], ["c", "f"]]}],
    ),
    "contacts": network(
        PLANE, bars=pairs("ab", "cd", "ef"), contacts=[{"members": [["a", "b"], ["c", "d"]], "radius": 1}]
    ),
}
every_network = pytest.mark.parametrize("net", NETWORKS.values(), ids=NETWORKS)


def shared(net):
    """Pairs of nodes that an element has together, found one element at a time."""
    parts = net.parts
    groups = [set(ends) for ends in parts.links.ends.tolist()]
    groups += [set(nodes) for nodes in parts.rails.nodes.tolist()]
    groups += [set(ends) for ends in parts.touch.ends.tolist()]
    for low, high in zip(parts.couplings.firsts[:-1], parts.couplings.firsts[1:], strict=True):
        groups.append(set(parts.couplings.measured[low:high].ravel().tolist()))
    return {(i, j) for group in groups for i in group for j in group if i < j}


def filled(first, rows, values):
    """(n, n) a matrix of rows stored from their first column to the diagonal."""
    matrix = np.zeros((len(first), len(first)))
    for i, (start, row) in enumerate(zip(first, rows, strict=False)):
        matrix[i, start : i + 1] = values[row : row + i + 1 - start]
    return matrix


@every_network
def test_every_node_that_can_move_has_one_place(net):
    found = elimination_order(net)
    assert sorted(found.node.tolist()) == np.flatnonzero(net.free).tolist()
    assert found.place[found.node].tolist() == list(range(len(found.node)))
    assert (found.place[~net.free] == -1).all()


@every_network
def test_rows_reach_back_to_all_they_share_an_element_with(net):
    found, d = elimination_order(net), net.drawn.shape[1]
    for pair in shared(net):
        low, high = sorted(found.place[list(pair)].tolist())
        if low >= 0:
            assert (found.first[high * d : high * d + d] <= low * d).all()


@every_network
def test_rows_follow_each_other_and_are_counted_beforehand(net):
    found = elimination_order(net)
    lengths = np.arange(len(found.first)) - found.first + 1
    assert (np.diff(found.rows) == lengths).all()
    assert factor_size(net) == found.rows[-1] == lengths.sum()


@every_network
def test_the_graph_is_factored(net):
    found = elimination_order(net)
    lower = filled(found.graph_first, found.graph_rows, found.graph)
    laplacian = np.zeros((len(net.drawn), len(net.drawn)))
    for i, j in net.edges.tolist():
        laplacian[[i, j], [i, j]] += 1
        laplacian[[i, j], [j, i]] -= 1
    expected = laplacian[np.ix_(found.node, found.node)] + ANCHOR * np.eye(len(found.node))
    np.testing.assert_allclose(lower @ lower.T, expected, atol=1e-13)


def test_a_chain_keeps_to_the_diagonal_however_its_nodes_are_named():
    names = [f"n{k}" for k in np.random.default_rng(5).permutation(30)]
    net = network(
        {name: (k, 0.1 * (-1) ** k) for k, name in sorted(enumerate(names), key=lambda item: item[1])},
        ground=names[:1],
        bars=pairs(*pairwise(names)),
    )
    found = elimination_order(net)
    assert (np.arange(29) - found.graph_first <= 1).all()


def test_edges_are_compared_with_themselves_where_rigid_and_else_with_their_surroundings():
    """The slider's edges to its line, and a spring of no length, may vanish without a distortion."""
    net = network(
        {"a": (0, 0), "b": (4, 0), "s": (3, 0), "t": (3, 0), "u": (3, 2)},
        ground=["a", "b"],
        sliders=[{"node": "s", "on": ["a", "b"]}],
        springs=[{"nodes": ["s", "t"], "stiffness": 1, "length": 0}],
        bars=pairs("tu"),
    )
    sizes = {
        tuple(net.names[k] for k in edge): size
        for edge, size in zip(net.edges.tolist(), elimination_order(net).sizes, strict=True)
    }
    assert sizes[("t", "u")] == 0
    assert sizes[("a", "s")] == sizes[("b", "s")] == 3  # s has no edge longer than that to a
    assert sizes[("s", "t")] == 2  # the bar t-u
    assert sizes[("a", "b")] == 4
