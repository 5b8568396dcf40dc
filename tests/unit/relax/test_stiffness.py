"""K: the Hessian of the energy, row by row, and what guides leave of it."""

import numpy as np
import pytest

from pliant.relax.assemble.build import build
from pliant.relax.factors.elimination import elimination_order
from pliant.relax.generate import stewart
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.forces import evaluate
from pliant.relax.mechanics.gradients import jacobian_at
from pliant.relax.mechanics.stiffness import allowed_directions, assemble
from pliant.relax.model import Mechanism

PLANE = {"a": (0, 0), "b": (3, 0.4), "c": (3.2, 4), "d": (-0.3, 3.8), "e": (1.4, 1.7)}
SPACE = {"a": (0, 0, 0), "b": (3, 0.4, 0.2), "c": (3, 4, 1), "d": (0, 4, 2), "e": (1, 1, 5)}


def network(nodes, **elements):
    return build(Mechanism.model_validate({"nodes": nodes, "stiffness": 2, **elements}))


def pairs(*names, **values):
    return [{"nodes": list(pair), **values} for pair in names]


BARS = {"bars": pairs("ab", "bc", "cd", "da", "ae", "ce")}
LINKS = {
    "bars in the plane": network(PLANE, ground=["a"], **BARS),
    "bars in space": network(SPACE, **BARS),
    "strings and bumpers": network(
        PLANE,
        ground=["a"],
        bars=pairs("ab", "de"),
        strings=[*pairs("bc", length=2), *pairs("bd", length=4, band=3)],
        bumpers=[*pairs("ad", length=7), *pairs("ce", length=3, band=2.5)],
    ),
    "springs in space": network(SPACE, ground=["d"], springs=pairs("ab", "bc", "de", stiffness=3, length=1)),
    "a platform": build(stewart(1)),
}
OTHERS = {
    "rails": {"sliders": [{"node": "e", "on": ["a", "c"]}]},
    "circuits": {"cylinders": [{"lines": [["a", "b"], ["c", "d"]], "areas": [1, 3], "double": True}]},
    "gears": {"gears": [{"wheels": [["a", "b"], ["c", "d"]], "ratio": -2, "carrier": ["a", "c"]}]},
    "racks": {"gears": [{"wheel": ["a", "b"], "rack": "c", "along": (1, 2), "radius": 2}]},
    "rotors": {"rotors": [{"joint": "a", "arms": ["b", "c"], "to": 1}]},
    "plates": {"plates": [{"nodes": list("abcde")}]},
    "touches": {"contacts": [{"members": [list("ac"), list("ee"), list("bb")], "radius": 4}]},
}


def moved(net, seed, size=0.5):
    x = net.drawn + np.random.default_rng(seed).normal(size=net.drawn.shape, scale=size)
    x[~net.free] = net.drawn[~net.free]
    return x


def assembled(net, x, whole, share=0.0):
    """K (n D, n D), nodes in the order of the network, those on the ground left out."""
    order, d = elimination_order(net), x.shape[1]
    allowed, m = np.empty((len(x), d, d)), np.full(order.rows[-1], np.nan)
    allowed_directions(x, net.parts.guides, allowed)
    assemble(net.state(x, share), net.parts, order, allowed, whole, m)
    matrix = np.zeros((len(order.first),) * 2)
    for row, first in enumerate(order.first):
        matrix[row, first : row + 1] = m[order.rows[row] : order.rows[row + 1]]
    matrix += np.tril(matrix, -1).T
    back = (order.place[order.place >= 0][:, None] * d + np.arange(d)).ravel()
    return matrix[np.ix_(back, back)]


def forces(net, x, share):
    r, s, push, grip = np.empty_like(x), np.empty_like(x), np.zeros_like(x), np.zeros(len(x))
    evaluate(net.state(x, share), net.parts, r, s, push, grip)
    return r[net.free].ravel()


def differences(net, x, share=0.0, step=1e-5):
    """−∂R/∂x by central differences, of nodes that can move."""
    columns = []
    for i in np.flatnonzero(net.free):
        for c in range(x.shape[1]):
            way = np.zeros_like(x)
            way[i, c] = step
            columns.append((forces(net, x - way, share) - forces(net, x + way, share)) / (2 * step))
    return np.array(columns).T


@pytest.mark.parametrize("net", LINKS.values(), ids=LINKS)
@pytest.mark.parametrize("seed", range(3))
def test_the_whole_stiffness_of_links_is_minus_the_slope_of_the_forces(net, seed):
    x = moved(net, seed)
    np.testing.assert_allclose(assembled(net, x, True, 0.4), differences(net, x, 0.4), atol=1e-7)


@pytest.mark.parametrize("net", LINKS.values(), ids=LINKS)
def test_without_what_holds_or_pushes_across_links_it_never_gives_way(net):
    for seed in range(6):
        assert np.linalg.eigvalsh(assembled(net, moved(net, seed, 1.5), False))[0] > -1e-12


def test_a_pressed_link_gives_way_across_itself_and_only_the_whole_stiffness_says_so():
    net = network({"a": (0, 0), "b": (2, 0)}, ground=["a"], bars=pairs("ab", length=4))
    np.testing.assert_allclose(assembled(net, net.drawn, True), [[2, 0], [0, -2]], atol=1e-15)
    np.testing.assert_allclose(assembled(net, net.drawn, False), [[2, 0], [0, 0]], atol=1e-15)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("name", [name for name in OTHERS if name != "touches"])
def test_as_drawn_the_stiffness_of_other_elements_is_the_slope_of_the_forces(name, whole):
    net = network(PLANE | {"e": (1.6, 2)}, ground=["d"], springs=_weak(), **OTHERS[name])
    found = assembled(net, net.drawn, whole)
    np.testing.assert_allclose(found, differences(net, net.drawn, step=1e-4), atol=2e-6)
    assert np.abs(found).max() > 0.1


@pytest.mark.parametrize("name", OTHERS)
def test_elsewhere_it_is_made_of_the_slopes_of_what_is_measured(name):
    net = network(PLANE, ground=["d"], springs=_weak(), **OTHERS[name])
    x = moved(net, 3, 0.1)
    rows = jacobian_at(net, x, elongations(net, net.state(x)))
    gauss = (rows.matrix.T * rows.stiffness) @ rows.matrix.toarray()
    shown = (rows.nodes[:, None] * 2 + np.argmax(rows.ways, axis=1)[:, None]).ravel()
    wanted = np.zeros((2 * len(x),) * 2)
    wanted[np.ix_(shown, shown)] = gauss
    free = np.repeat(net.free, 2)
    np.testing.assert_allclose(assembled(net, x, False), wanted[np.ix_(free, free)], atol=1e-8)


def _weak():
    """Springs so that no node is without an element."""
    return [{"nodes": ["a", name], "stiffness": 1e-10} for name in "bcde"]


def test_fields_stiffen_where_they_attract_and_nowhere_else():
    for strength, stiff in [(3.0, 3.0), (-3.0, 0.0)]:
        field = {"centre": (-1, -1), "strength": strength, "power": 1}
        net = network({"a": (0, 0), "b": (3, 0)}, springs=pairs("ab", stiffness=1e-12), fields=[field])
        np.testing.assert_allclose(assembled(net, net.drawn, False), stiff * np.eye(4), atol=1e-11)


GUIDED = {
    "a line": {"node": "b", "line": (1, 2)},
    "a plane": {"node": "b", "plane": (2, -1)},
    "a curve": {"node": "b", "curve": [(2, 0), (3, 0.4), (4, 2)]},
}


@pytest.mark.parametrize("guide", GUIDED.values(), ids=GUIDED)
@pytest.mark.parametrize(
    "elements", [BARS, BARS | OTHERS["gears"], BARS | OTHERS["rails"], BARS | OTHERS["touches"]]
)
@pytest.mark.parametrize("whole", [True, False])
def test_guides_leave_of_it_what_they_allow_on_both_sides(guide, elements, whole):
    loose, net = network(PLANE, **elements), network(PLANE, guides=[guide], **elements)
    x = moved(net, 4, 0.1)
    allowed = np.empty((5, 2, 2))
    assert allowed_directions(x, net.parts.guides, allowed)
    projector = np.zeros((10, 10))
    for i in range(5):
        projector[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = allowed[i]
    whole_of = assembled(loose, x, whole)
    np.testing.assert_allclose(assembled(net, x, whole), projector @ whole_of @ projector, atol=1e-12)


def test_what_is_allowed_is_a_projector_of_as_many_ways_as_the_guide_leaves():
    guides = [
        {"node": "b", "line": (1, -2, 2)},
        {"node": "c", "plane": (0, 0.1, 1)},
        {"node": "e", "curve": [(1, 1, 5), (2, 2, 4), (2, 4, 4)]},
    ]
    net = network(SPACE, ground=["a"], guides=guides, **BARS)
    allowed = np.empty((5, 3, 3))
    assert allowed_directions(net.drawn, net.parts.guides, allowed)
    np.testing.assert_allclose(allowed @ allowed, allowed, atol=1e-14)
    np.testing.assert_allclose(allowed, allowed.transpose(0, 2, 1), atol=1e-15)
    np.testing.assert_allclose(np.trace(allowed, axis1=1, axis2=2), [3, 1, 2, 3, 1], rtol=1e-14)
    assert not allowed_directions(LINKS["bars in space"].drawn, LINKS["bars in space"].parts.guides, allowed)
