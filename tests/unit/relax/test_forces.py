"""Forces are minus the gradient of the energy, and the effective stiffness bounds how fast they grow."""

import numpy as np
import pytest

from pliant.relax.assemble.build import build
from pliant.relax.mechanics.elongation import elongations
from pliant.relax.mechanics.forces import evaluate, others, restrain
from pliant.relax.mechanics.gradients import jacobian_at
from pliant.relax.model import Mechanism

PLANE = {"a": (0, 0), "b": (3, 0.4), "c": (3.2, 4), "d": (-0.3, 3.8), "e": (1.4, 1.7)}
SPACE = {"a": (0, 0, 0), "b": (3, 0.4, 0.2), "c": (3, 4, 1), "d": (0, 4, 2), "e": (1, 1, 5)}
PLACES = {2: PLANE, 3: SPACE}


def network(dimension, **elements):
    """A network of five nodes, held together by springs so weak that they hardly matter."""
    nodes = PLACES[dimension]
    idle = [{"nodes": ["a", name], "stiffness": 1e-9} for name in list(nodes)[1:]]
    data = {"nodes": nodes, "stiffness": 2, **elements}
    return build(Mechanism.model_validate({**data, "springs": [*elements.get("springs", ()), *idle]}))


def pairs(*names, **values):
    return [{"nodes": list(pair), **values} for pair in names]


def attraction(dimension, **values):
    return {"fields": [{"centre": (1.1, 0.7, -0.6)[:dimension], **values}]}


LINKS = {
    f"{name} {where}": network(dimension, **elements)
    for dimension, where in ((2, "in the plane"), (3, "in space"))
    for name, elements in {
        "bars": {"bars": pairs("ab", "bc", "de", "ce")},
        "springs stretched": {"springs": pairs("bd", "ce", stiffness=3, length=1)},
        "springs pressed": {"springs": pairs("bd", "ce", stiffness=3, length=9)},
        "springs of no length": {"springs": pairs("bd", "ce", stiffness=3, length=0)},
        "strings taut": {"strings": pairs("bd", "ce", length=2)},
        "strings within their band": {"strings": pairs("bd", "ce", length=4, band=3)},
        "bumpers pressed": {"bumpers": pairs("bd", "ce", length=7)},
        "bumpers within their band": {"bumpers": pairs("bd", "ce", length=4, band=3)},
    }.items()
}
ROTOR = {"joint": "a", "arms": ["b", "c"], "to": 1}
WHEELS = {"wheels": [["a", "b"], ["c", "d"]], "ratio": -2, "carrier": ["a", "c"]}
RACK = {"wheel": ["a", "b"], "rack": "c", "radius": 2}
LINES = {"lines": [["a", "b"], ["c", "d"]], "areas": [1, 3]}
OTHERS = {
    "rails in the plane": network(2, sliders=[{"node": "e", "on": ["a", "c"]}]),
    "rails in space": network(3, sliders=[{"node": "e", "on": ["a", "c"]}]),
    "rails that keep a distance": network(
        3, wraps=[{"nodes": ["d", "e"], "around": [{"cylinder": ["a", "b"], "radius": 4}], "pieces": 4}]
    ),
    "lengths, double-acting": network(2, cylinders=[LINES | {"double": True}]),
    "lengths, pushing only": network(3, cylinders=[LINES | {"to": 2, "band": 0.4}]),
    "angles in the plane": network(2, gears=[WHEELS]),
    "angles in space": network(3, gears=[WHEELS | {"axis": (1, -2, 2)}]),
    "rotors": network(2, rotors=[ROTOR]),
    "dihedrals": network(3, rotors=[ROTOR | {"axis": "e"}]),
    "travels in the plane": network(2, gears=[RACK | {"along": (3, 4)}]),
    "travels in space": network(3, gears=[RACK | {"along": (1, 2, -2), "axis": (0, 1, 1)}]),
    "ties": network(2, plates=[{"nodes": list("abcde")}]),
    "touches in the plane": network(
        2, contacts=[{"members": [list("ac"), list("ee"), list("bb")], "radius": 4}]
    ),
    "touches in space": network(3, contacts=[{"members": [list("ac"), list("bd"), list("ee")], "radius": 3}]),
}
FIELDS = {
    f"a field {name}": network(dimension, **attraction(dimension, **values))
    for name, dimension, values in [
        ("of springs", 2, {"strength": 0.7, "power": 1}),
        ("of gravitation", 3, {"strength": 5, "power": -2}),
        ("of a line", 2, {"strength": 5, "power": -1}),
        ("that repels", 3, {"strength": -2, "power": 2}),
        ("of one strength", 2, {"strength": 2, "power": 0}),
        ("that grows fast", 2, {"strength": 0.2, "power": 3}),
        ("of charges that repel", 3, {"strength": -5, "power": -2}),
    ]
}
LOADS = {
    "loads": network(2, loads=[{"node": "c", "force": (1, -2)}]),
    "weights": network(3, gravity=(0, 0, -9.81), masses={"b": 3, "c": 0}),
}


def looked_at(net, x, share=0.6, look=evaluate):
    """Forces (N, D), effective stiffness (N, D) and energy at x, with the drive part of the way."""
    state = net.state(x, share)
    r, s, push, grip = np.empty_like(x), np.empty_like(x), np.zeros_like(x), np.zeros(len(x))
    return r, s, look(state, net.parts, r, s, push, grip)


def moved(net, seed, size=0.3):
    return net.drawn + np.random.default_rng(seed).normal(size=net.drawn.shape, scale=size)


def hessian(net, x, share=0.6, look=evaluate, step=1e-5):
    """−∂r/∂x (N D, N D) by central differences."""
    columns = []
    for k in range(x.size):
        ahead, back = x.copy(), x.copy()
        ahead.flat[k] += step
        back.flat[k] -= step
        before, after = (looked_at(net, at, share, look)[0].ravel() for at in (back, ahead))
        columns.append((before - after) / (2 * step))
    matrix = np.array(columns)
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-6)
    return 0.5 * (matrix + matrix.T)


def least(matrix):
    """The smallest eigenvalue."""
    return np.linalg.eigvalsh(matrix)[0]


CURVED = LINKS | OTHERS | FIELDS


@pytest.mark.parametrize("net", CURVED.values(), ids=CURVED)
@pytest.mark.parametrize("seed", [1, 2])
def test_forces_are_minus_the_gradient_of_the_energy(net, seed):
    x, way = moved(net, seed), np.random.default_rng(seed + 10).normal(size=net.drawn.shape)
    r, _, energy = looked_at(net, x)
    assert np.abs(r).max() > 1e-3  # the elements act where they are looked at
    steps = 2e-3 * 0.5 ** np.arange(4)
    left = np.array([looked_at(net, x + h * way)[2] - energy + h * (r * way).sum() for h in steps])
    np.testing.assert_allclose(np.log2(np.abs(left[:-1] / left[1:])), 2, atol=0.1)


@pytest.mark.parametrize("net", LOADS.values(), ids=LOADS)
def test_loads_do_work_along_their_way_and_stiffen_nothing(net):
    idle = network(net.drawn.shape[1])
    x, way = moved(net, 1), np.random.default_rng(11).normal(size=net.drawn.shape)
    (r, s, energy), (none, soft, held) = looked_at(net, x), looked_at(idle, x)
    ahead = looked_at(net, x + way)[2] - looked_at(idle, x + way)[2]
    assert ahead - (energy - held) == pytest.approx(-((r - none) * way).sum(), rel=1e-9)
    np.testing.assert_array_equal(s, soft)


def test_weights_are_masses_times_gravity():
    r = looked_at(LOADS["weights"], LOADS["weights"].drawn)[0]
    np.testing.assert_allclose(r[:, 2], [-9.81, -29.43, 0, -9.81, -9.81], atol=1e-8)


@pytest.mark.parametrize("net", LINKS.values(), ids=LINKS)
@pytest.mark.parametrize("seed", range(4))
def test_twice_the_root_of_d_times_s_bounds_the_stiffness_of_links(net, seed):
    """So that α < 1/√D cannot overshoot, however the links are stretched."""
    x = moved(net, seed, 0.8)
    bound = 2 * np.sqrt(x.shape[1]) * np.diag(looked_at(net, x)[1].ravel())
    assert least(bound - hessian(net, x)) > -1e-6


@pytest.mark.parametrize("dimension", [2, 3])
def test_that_bound_is_reached_by_a_link_across_all_axes(dimension):
    nodes = {"a": (0,) * dimension, "b": (1,) * dimension}
    net = build(Mechanism.model_validate({"nodes": nodes, "bars": pairs("ab"), "stiffness": 5}))
    stiffness, s = hessian(net, net.drawn), np.diag(looked_at(net, net.drawn)[1].ravel())
    bound = 2 * np.sqrt(dimension)
    assert least(bound * s - stiffness) == pytest.approx(0, abs=1e-6)
    assert least(0.99 * bound * s - stiffness) < -1e-3


def test_eq_2_alone_does_not_bound_a_stretched_link():
    """A spring along x, stretched to ten times its length, is stiff across itself too."""
    nodes = {"a": (0, 0), "b": (10, 0)}
    springs = [{"nodes": ["a", "b"], "stiffness": 1, "length": 1}]
    net = build(Mechanism.model_validate({"nodes": nodes, "springs": springs}))
    stiffness, s = hessian(net, net.drawn), looked_at(net, net.drawn)[1]
    assert stiffness[1, 1] == pytest.approx(0.9, rel=1e-6)
    np.testing.assert_allclose(s, [[1, 0.9]] * 2, rtol=1e-15)  # where eq. 2 has [1, 0]


@pytest.mark.parametrize("name", [name for name in OTHERS if "touches" not in name and "keep" not in name])
def test_s_bounds_the_stiffness_of_elements_of_more_nodes(name):
    """As drawn, where the stiffness is all there is to the Hessian."""
    net = OTHERS[name]
    stiffness = hessian(net, net.drawn, 0.0, others, 1e-6)
    assert np.abs(stiffness).max() > 0.1
    assert least(np.diag(looked_at(net, net.drawn, 0.0, others)[1].ravel()) - stiffness) > -1e-6


def test_s_bounds_the_stiffness_of_what_presses_on_a_cylinder():
    net = OTHERS["rails that keep a distance"]
    x = net.drawn.copy()
    x[net.shown :] *= 0.8
    rows = jacobian_at(net, x, elongations(net, net.state(x)))
    pressing = rows.owners >= len(net.link_names)
    assert pressing.sum() > 2
    matrix = rows.matrix[pressing].toarray()
    stiffness = np.zeros((x.size, x.size))
    at = 3 * rows.nodes + np.argmax(rows.ways, axis=1)
    stiffness[np.ix_(at, at)] = (matrix.T * rows.stiffness[pressing]) @ matrix
    assert least(np.diag(looked_at(net, x, 0.0, others)[1].ravel()) - stiffness) > -1e-12


@pytest.mark.parametrize("net", FIELDS.values(), ids=FIELDS)
@pytest.mark.parametrize("seed", range(3))
def test_s_bounds_the_stiffness_of_fields(net, seed):
    x = moved(net, seed)
    assert least(np.diag(looked_at(net, x)[1].ravel()) - hessian(net, x)) > -1e-6


def test_links_that_have_no_direction_pull_nowhere():
    net = network(2, bars=pairs("bc"))
    x = net.drawn.copy()
    x[1:] = x[0]
    r, s, energy = looked_at(net, x)
    assert not r.any()
    assert not s.any()
    assert np.isfinite(energy)


def test_a_node_in_the_middle_of_a_field_is_pulled_nowhere():
    net = network(2, **attraction(2, strength=5, power=-2))
    x = net.drawn.copy()
    x[1] = (1.1, 0.7)
    r, _, energy = looked_at(net, x)
    np.testing.assert_allclose(r[1], 0, atol=1e-8)
    assert np.isfinite(energy)


# What guides and friction hold


def restrained(net, node, force, push=(0.0, 0.0), grip=0.0):
    left = np.array(force, float)
    restrain(net.parts.guides, node, net.drawn[node], left, np.array(push), grip)
    return left


def test_a_guide_leaves_of_a_force_what_it_allows():
    net = network(2, guides=[{"node": "b", "line": (3, 4)}, {"node": "c", "plane": (0, 2)}])
    np.testing.assert_allclose(restrained(net, 1, (5, 0)), [1.8, 2.4], rtol=1e-15)
    np.testing.assert_allclose(restrained(net, 2, (5, 7)), [5, 0], atol=1e-15)
    np.testing.assert_array_equal(restrained(net, 3, (5, 7)), [5, 7])


@pytest.mark.parametrize(("along", "left"), [(0.5, 0), (1.0, 0), (1.5, 0.5), (-4, -3)])
def test_friction_on_a_guide_takes_its_share_of_the_pressure_from_what_is_along(along, left):
    net = network(2, guides=[{"node": "b", "line": (1, 0), "friction": 0.5}])
    np.testing.assert_allclose(restrained(net, 1, (along, -2)), [left, 0], atol=1e-15)


@pytest.mark.parametrize(("across", "left"), [(0.3, 0), (0.9, 0.2), (-0.9, -0.2)])
def test_friction_of_a_contact_holds_what_it_can_across_the_push(across, left):
    net = network(2)
    found = restrained(net, 1, (across, 1.5), push=(0, 3), grip=0.7)
    np.testing.assert_allclose(found, [left, 1.5], atol=1e-15)
