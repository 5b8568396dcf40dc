"""Newton's steps: how fast they come to rest, what bounds them, and that nothing makes them NaN."""

import numpy as np
import pytest

from pliant.relax.assemble.build import build
from pliant.relax.factors.elimination import elimination_order
from pliant.relax.generate import stewart, stewart_end
from pliant.relax.mechanics.forces import evaluate
from pliant.relax.model import Mechanism
from pliant.relax.solvers.newton import WIDEST, Limits, is_stable, settle

LIMITS = Limits(least=1e-6, near=1e-3, floor=1e-14, bends=True, whole=False, span=np.inf)
LOOSE = LIMITS._replace(floor=1e-9)  # as it must be where there are freedoms
PLATFORMS = build(stewart(2))


def network(nodes, **elements):
    return build(Mechanism.model_validate({"nodes": nodes, **elements}))


def pairs(*names, **values):
    return [{"nodes": list(pair), **values} for pair in names]


def settled(net, x=None, share=1.0, limits=LIMITS, tolerance=1e-11, most=200, bound=np.inf):
    """The state after so many steps, and what is said of it."""
    state = net.state(x, share)
    return state, settle(state, net.parts, elimination_order(net), limits, tolerance, most, bound)


def energy(net, state):
    x = state.x
    r, s, push, grip = np.empty_like(x), np.empty_like(x), np.zeros_like(x), np.zeros(len(x))
    return evaluate(state, net.parts, r, s, push, grip)


def disturbed(net, x, seed, size):
    noise = np.random.default_rng(seed).normal(size=x.shape, scale=size)
    return x + noise * net.free[:, None]


# How fast


def test_platforms_come_to_rest_where_their_legs_say():
    state, found = settled(PLATFORMS)
    assert found.at_rest
    assert found.residual < 1e-12
    np.testing.assert_allclose(state.x, stewart_end(2), atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_near_a_solution_each_step_squares_the_error(seed):
    x = disturbed(PLATFORMS, stewart_end(2), seed, 1e-2)
    residuals = [settled(PLATFORMS, x, tolerance=1e-16, most=most)[1].residual for most in range(4)]
    assert residuals[1] < residuals[0] ** 2
    assert residuals[2] < residuals[1] ** 2
    assert residuals[3] < 1e-13


@pytest.mark.parametrize("seed", range(6))
def test_the_energy_of_a_frame_never_rises(seed):
    x = disturbed(PLATFORMS, PLATFORMS.drawn, seed, 3.0)
    states = [settled(PLATFORMS, x, most=most)[0] for most in range(12)]
    energies = [energy(PLATFORMS, state) for state in states]
    assert (np.diff(energies) <= 1e-14 * energies[0]).all()
    assert energies[-1] < 1e-20 < energies[0]


LOADED = {
    "springs": {"springs": pairs("ab", "bc", "cd", "da", "ae", "be", stiffness=1, length=5)},
    "strings": {"strings": pairs("ab", "bc", "cd", "da", length=2), "bumpers": pairs("ac", "be", length=5)},
    "weights": {"bars": pairs("ab", "bc", "cd", "de"), "gravity": (0, -1)},
    "contacts": {
        "springs": pairs("ac", "be", "cd", stiffness=1, length=1),
        "contacts": [{"members": [["a", "b"], ["c", "d"], ["e", "e"]], "radius": 1.5}],
    },
}
FIVE = {"a": (0, 0), "b": (3, 0.4), "c": (3.2, 4), "d": (-0.3, 3.8), "e": (1.4, 1.7)}


@pytest.mark.few(4)
@pytest.mark.parametrize("elements", LOADED.values(), ids=LOADED)
@pytest.mark.parametrize("seed", range(3))
def test_every_step_brings_the_energy_or_the_largest_force_down(elements, seed):
    net = network(FIVE, ground=["a"], **{"bars": pairs("de"), **elements})
    x = disturbed(net, net.drawn, seed, 1.0)
    runs = [settled(net, x, limits=LOOSE, most=most) for most in range(25)]
    fell = np.diff([energy(net, state) for state, _ in runs]) <= 0
    assert (fell | (np.diff([found.residual for _, found in runs]) <= 0)).all()
    assert settled(net, x, limits=LOOSE, most=400)[1].at_rest


def test_steps_that_bend_come_round_where_straight_ones_crawl():
    """A mast of 40 platforms that twists by 2400 degrees in one go."""
    net = build(stewart(40))
    bent, straight = (
        settled(net, share=0.02, limits=LIMITS._replace(bends=bends))[1] for bends in (True, False)
    )
    assert bent.at_rest
    assert bent.steps < straight.steps


# What bounds them


def test_no_more_steps_are_made_than_allowed():
    for most in (0, 1, 3):
        found = settled(PLATFORMS, most=most)[1]
        assert found.steps == most
        assert not found.at_rest


@pytest.mark.parametrize("bound", [0.1, 0.3])
def test_it_stops_where_it_is_distorted_by_more_than_the_bound(bound):
    whole = settled(PLATFORMS)[1].distorted
    state, found = settled(PLATFORMS, bound=bound)
    assert bound < found.distorted <= bound + WIDEST
    assert found.distorted < whole
    assert not found.at_rest
    assert np.isfinite(state.x).all()


def test_what_is_at_rest_is_left_alone():
    state, found = settled(PLATFORMS, stewart_end(2))
    assert (found.steps, found.distorted, found.at_rest) == (0, 0, True)
    np.testing.assert_array_equal(state.x, stewart_end(2))


def test_the_ground_stays():
    state, _ = settled(PLATFORMS)
    np.testing.assert_array_equal(state.x[~PLATFORMS.free], PLATFORMS.drawn[~PLATFORMS.free])


# Guides


def test_nodes_come_to_rest_on_their_guides():
    ring = [(3 * np.cos(t), 3 * np.sin(t)) for t in np.linspace(0, 2 * np.pi, 13)[:-1]]
    net = network(
        {"o": (0, 0), "p": (3, 0), "q": (7, 0)},
        ground=["o"],
        guides=[{"node": "p", "curve": ring, "closed": True}, {"node": "q", "line": (1, 0)}],
        bars=pairs("pq"),
        springs=[{"nodes": ["o", "q"], "stiffness": 1, "length": 2}],
    )
    state, found = settled(net, disturbed(net, net.drawn, 1, 0.3), limits=LOOSE)
    assert found.at_rest
    assert np.hypot(*state.x[1]) == pytest.approx(3, abs=0.01)  # the spline through the ring
    np.testing.assert_allclose(state.x[2], [2, 0], atol=1e-9)  # where the spring is as long as it would be
    assert np.hypot(*(state.x[2] - state.x[1])) == pytest.approx(4, rel=1e-9)


def test_a_plane_in_space_holds_a_node_that_is_pulled_out_of_it():
    net = network(
        {"a": (0, 0, 0), "b": (2, 0, 0), "c": (1, 1, 4)},
        ground=["a", "c"],
        guides=[{"node": "b", "plane": (0, 0, 1)}],
        springs=[*pairs("bc", stiffness=5, length=1), *pairs("ab", stiffness=1e-3)],
    )
    state, found = settled(net, limits=LOOSE)
    assert found.at_rest
    np.testing.assert_allclose(state.x[1], [1, 1, 0], atol=1e-3)
    assert state.x[1, 2] == 0


# Singular and senseless starts

STARTS = {
    "all nodes at one place": np.zeros((4, 2)),
    "two nodes at one place": np.array([[0, 0], [1, 0], [1, 0], [0, 1.0]]),
    "all in line": np.array([[0, 0], [1, 0], [2, 0], [3, 0.0]]),
    "folded": np.array([[0, 0], [1, 0], [0, 0], [1, 0.0]]),
    "far away": np.array([[0, 0], [1e6, 0], [0, 1e6], [-1e6, 1.0]]),
}


@pytest.mark.parametrize("x", STARTS.values(), ids=STARTS)
@pytest.mark.parametrize("more", [{}, {"gravity": (0, -1)}, {"strings": pairs("bd", length=0.5)}])
def test_no_start_leads_to_what_is_not_a_number(x, more):
    square = {"a": (0, 0), "b": (1, 0), "c": (1, 1), "d": (0, 1)}
    net = network(square, ground=["a"], bars=pairs("ab", "bc", "cd", "da", "ac"), **more)
    state, found = settled(net, x, limits=LOOSE)
    assert np.isfinite(state.x).all()
    assert np.isfinite(found.residual)


def test_a_straight_chain_that_must_buckle_stays_straight_and_is_known_to_be_soft():
    """By symmetry nothing pushes it aside; its whole stiffness is not positive."""
    net = network(
        {"a": (0, 0), "b": (1, 0), "c": (2, 0)},
        ground=["a", "c"],
        actuators=[{"nodes": ["a", "b"], "to": 1.2}],
        bars=pairs("bc"),
    )
    state, found = settled(net, limits=LOOSE)
    assert found.at_rest
    assert found.soft
    np.testing.assert_allclose(state.x[1], [1.1, 0], atol=1e-9)
    assert not is_stable(state, net.parts, elimination_order(net), LOOSE)
    aside, found = settled(net, np.array([[0, 0], [1, 1e-3], [2, 0]]), limits=LOOSE)
    assert found.at_rest
    assert aside.x[1] == pytest.approx([1.11, np.sqrt(1.44 - 1.11**2)], rel=1e-9)
    assert is_stable(aside, net.parts, elimination_order(net), LOOSE)


@pytest.mark.parametrize(("way", "fine"), [(-1, True), (1, False)])
def test_a_weight_hangs_but_does_not_stand_on_a_pendulum(way, fine):
    net = network({"o": (0, 0), "p": (0, way)}, ground=["o"], bars=pairs("op"), gravity=(0, -1))
    state, found = settled(net, limits=LOOSE)
    assert found.at_rest
    assert state.x[1, 0] == 0
    assert is_stable(state, net.parts, elimination_order(net), LOOSE) == fine


def test_angles_are_counted_on_while_it_goes():
    """A rotor asked for two and a half turns at once is not taken for half a turn."""
    net = network(
        {"o": (0, 0), "p": (1, 0), "q": (2, 0)},
        ground=["o", "q"],
        bars=pairs("op"),
        rotors=[{"joint": "o", "arms": ["q", "p"], "to": "900 deg"}],
    )
    state = net.state()
    for share in np.linspace(0.1, 1, 10):
        net.aim(state, share)
        assert settle(state, net.parts, elimination_order(net), LIMITS, 1e-11, 100, np.inf).at_rest
    np.testing.assert_allclose(state.x[1], [-1, 0], atol=1e-9)
    assert state.turned[0] - state.turned[1] == pytest.approx(5 * np.pi, rel=1e-9)
