"""The paper's iteration: its numbers by hand, and every knob of it."""

import numpy as np
import pytest

from pliant.relax.assemble.build import build
from pliant.relax.generate import stewart
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.solvers.published import update_factors
from pliant.relax.solvers.relaxation import CUT, DriveLeg, accelerate, perturb_nodes, sweep_buffers, sweeps

# a on the ground; a-b is 5 long where 6 is asked for, b-c is 3 where 4 is. Nothing is stretched.
NODES = {"a": (0, 0), "b": (3, 4), "c": (6, 4)}
SPRINGS = [
    {"nodes": ["a", "b"], "stiffness": 1, "length": 6},
    {"nodes": ["b", "c"], "stiffness": 2, "length": 4},
]
FAR = 100.0  # a cap that never holds


def network(nodes=NODES, **elements):
    return build(Mechanism.model_validate({"nodes": nodes, "ground": list(nodes)[:1], **elements}))


def studied(**values):
    return RelaxStudy(**{"method": "sync", "alpha": 0.5, "cap": FAR, **values})


def iterated(net, study, count=1, tolerance=-1.0):
    """The state after so many iterations at the start of the drive, their residuals, what they hand on."""
    state, scratch, residuals = net.state(), sweep_buffers(*net.drawn.shape), np.empty(count)
    leg = DriveLeg(*(np.stack([value, value]) for value in net.drive.at(0.0)))
    made = sweeps(
        study.method == "sync", state, net.parts, update_factors(net, study), leg, 1.0, 1.0, 0, tolerance,
        scratch, residuals,
    )  # fmt: skip
    return state, residuals[:made], scratch


def by_eqs_1_and_2(x):
    """R and S of b and c, of links that are not stretched."""
    r, s = np.zeros((3, 2)), np.zeros((3, 2))
    for (i, j), k, rest in [((0, 1), 1, 6), ((1, 2), 2, 4)]:
        for here, there in ((i, j), (j, i)):
            length = np.hypot(*(x[there] - x[here]))
            n = (x[there] - x[here]) / length
            r[here] += k * (length - rest) * n
            s[here] += k * np.abs(n)
    return r[1:], s[1:]


THREE = network(springs=SPRINGS)
# One node on a line through the ground: its elongation e is all there is, and S = k = 1.
LINE = network({"o": (0, 0), "p": (1.5, 0)}, springs=[{"nodes": ["o", "p"], "stiffness": 1, "length": 1}])


# Eqs 1 to 4


def test_lipson_fig_1b_one_synchronous_iteration_by_hand():
    """R_b = −1·(−0.6, −0.8) − 2·(1, 0) and S_b = (0.6, 0.8) + 2·(1, 0); R_c = (2, 0) and S_c = (2, 0)."""
    state, residuals, _ = iterated(THREE, studied())
    np.testing.assert_allclose(state.x[1], [3 + 0.5 * -1.4 / 2.6, 4 + 0.5 * 0.8 / 0.8], rtol=1e-15)
    np.testing.assert_allclose(state.x[2], [6 + 0.5 * 2 / 2, 4], rtol=1e-15)
    assert state.x[0].tolist() == [0, 0]
    assert residuals == pytest.approx([2], rel=1e-15)


def test_lipson_fig_1a_one_asynchronous_iteration_by_hand():
    """b moves as above; then c is √(3.269…² + 0.5²) = 3.307 from it, where 4 is asked for."""
    state, residuals, _ = iterated(THREE, studied(method="async"))
    np.testing.assert_allclose(state.x[1], [3 - 0.7 / 2.6, 4.5], rtol=1e-15)
    lacking = 4 - np.hypot(3 + 0.7 / 2.6, 0.5)
    np.testing.assert_allclose(state.x[2], [6 + 0.5 * lacking, 4 - 0.5 * lacking], rtol=1e-14)
    assert residuals == pytest.approx([np.hypot(1.4, 0.8)], rel=1e-15)  # of b; c's is 2 · 0.693 by then


def test_a_stretched_link_is_stiff_across_itself():
    """a-b is 5 long where 4 is asked for: τ = 1/5, and S_b = 0.8·(0.6, 0.8) + 0.2."""
    net = network({"a": (0, 0), "b": (3, 4)}, springs=[{"nodes": ["a", "b"], "stiffness": 1, "length": 4}])
    for method in ("sync", "async"):
        state, _, _ = iterated(net, studied(method=method))
        np.testing.assert_allclose(state.x[1], [3 - 0.3 / 0.68, 4 - 0.4 / 0.84], rtol=1e-15)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize(("share", "falls"), [(0.98, True), (1.02, False)])
def test_alpha_must_stay_below_one_over_the_root_of_the_dimension(dimension, share, falls):
    """A link across all axes between two nodes reaches the bound of a synchronous update."""
    nodes = {"g": (9.0,) * dimension, "a": (0.0,) * dimension, "b": (1.0,) * dimension}
    springs = [{"nodes": ["a", "b"], "stiffness": 1, "length": 1.01 * np.sqrt(dimension)}]
    springs += [{"nodes": ["g", "a"], "stiffness": 1e-12}]
    net = network(nodes, springs=springs)
    _, residuals, _ = iterated(net, studied(alpha=share / np.sqrt(dimension)), 60)
    assert (residuals[-1] < residuals[0]) == falls


def test_it_stops_where_the_residual_is_below_the_tolerance():
    _, residuals, _ = iterated(LINE, studied(), 100, tolerance=1e-3)
    assert len(residuals) == 10  # 0.5 · 0.5⁹ is the first below
    assert residuals == pytest.approx(0.5 * 0.5 ** np.arange(10), rel=1e-12)


# Knobs


@pytest.mark.parametrize("method", ["sync", "async"])
def test_each_node_may_have_an_alpha_of_its_own(method):
    whole, _, _ = iterated(THREE, studied(method=method))
    part, _, _ = iterated(THREE, studied(method=method, alphas={"b": 0.125}))
    np.testing.assert_allclose(part.x[1] - THREE.drawn[1], (whole.x[1] - THREE.drawn[1]) / 4, rtol=1e-14)


def test_eq_6_keeps_a_share_of_the_last_displacement():
    study = studied(eta=0.25, etas={"c": 0.75})
    first, second = (iterated(THREE, study, count)[0].x[1:] for count in (1, 2))
    r, s = by_eqs_1_and_2(THREE.drawn)
    eta, start = np.array([[0.25], [0.75]]), THREE.drawn[1:]
    np.testing.assert_allclose(first - start, eta * 0.5 * r / np.maximum(s, 1e-12), atol=1e-15)
    r, s = by_eqs_1_and_2(np.vstack([THREE.drawn[:1], first]))
    np.testing.assert_allclose(
        second - first, eta * 0.5 * r / np.maximum(s, 1e-12) + (1 - eta) * (first - start), atol=1e-14
    )


def test_pseudo_inertia_carries_a_node_beyond_its_place():
    def least(eta):
        return min(iterated(LINE, studied(eta=eta), count)[0].x[1, 0] for count in range(1, 40))

    assert least(1.0) >= 1.0 - 1e-12
    assert least(0.2) < 0.9


@pytest.mark.parametrize("method", ["sync", "async"])
def test_no_displacement_is_longer_than_the_cap_and_its_direction_stays(method):
    free, _, _ = iterated(THREE, studied(method=method))
    held, _, _ = iterated(THREE, studied(method=method, cap=0.1))
    way, capped = free.x[1] - THREE.drawn[1], held.x[1] - THREE.drawn[1]
    assert np.hypot(*capped) == pytest.approx(0.1, rel=1e-14)
    np.testing.assert_allclose(capped, 0.1 * way / np.hypot(*way), rtol=1e-14)


@pytest.mark.parametrize("method", ["sync", "async"])
def test_lipson_fig_2_where_there_is_no_stiffness_s_min_stands_in(method):
    """A load across two bars in line moves their joint by α F / S_min, and then they hold it."""
    net = network(
        {"a": (0, 0), "p": (1, 0), "b": (2, 0), "g": (5, 5)},
        bars=[{"nodes": ["a", "p"]}, {"nodes": ["p", "b"]}, {"nodes": ["b", "g"]}],
        loads=[{"node": "p", "force": (0, -0.03)}],
        stiffness=100,
    )
    state, _, _ = iterated(net, studied(method=method, least=2.0))
    np.testing.assert_allclose(state.x[1], [1, -0.5 * 0.03 / 2], rtol=1e-14)


def test_alpha_falls_with_the_residual_to_its_end():
    """On a line each iteration takes α of what is left, so that residuals tell it."""
    study = studied(alpha_end=0.05, tolerance=1e-8)
    _, residuals, _ = iterated(LINE, study, 2000, tolerance=1e-8)
    alpha = 1 - residuals[1:] / residuals[:-1]
    assert alpha[0] == pytest.approx(0.5, rel=1e-12)
    assert (np.diff(alpha[:-2]) < 1e-7).all()
    assert alpha[-2] == pytest.approx(0.05, rel=0.02)
    half = np.searchsorted(-residuals, -np.sqrt(residuals[0] * 1e-8))  # half-way down, by the logarithm
    assert alpha[half + 1] == pytest.approx(np.sqrt(0.5 * 0.05), rel=0.02)


@pytest.mark.parametrize("method", ["sync", "async"])
def test_calm_cuts_alpha_at_a_node_that_flips_and_nowhere_else(method):
    """With α = 1.9 p goes to and fro, and q, with an α of its own, does not."""
    net = network(
        {"o": (0, 0), "p": (1.5, 0), "q": (0, 1.5)},
        springs=[{"nodes": ["o", name], "stiffness": 1, "length": 1} for name in "pq"],
    )
    values = {"method": method, "alpha": 1.9, "alphas": {"q": 0.9}}
    _, wild, _ = iterated(net, studied(**values), 12)
    _, calmed, scratch = iterated(net, studied(calm=True, **values), 12)
    assert wild[2] == pytest.approx(0.5 * 0.9**2, rel=1e-12)
    assert calmed[2] == pytest.approx(0.5 * 0.9 * abs(1 - CUT * 1.9), rel=1e-12)
    assert calmed[-1] < 0.1 * wild[-1]
    assert scratch.share[1] < 0.8
    assert scratch.share[2] == 1


def test_stiffness_is_averaged_with_the_last():
    study = studied(average=0.75)
    first, second = (iterated(THREE, study, count)[0].x for count in (1, 2))
    _, before = by_eqs_1_and_2(THREE.drawn)
    r, now = by_eqs_1_and_2(first)
    mean = 0.75 * before + 0.25 * now
    np.testing.assert_allclose(second[1] - first[1], 0.5 * r[0] / mean[0], rtol=1e-13)
    assert second[2, 0] - first[2, 0] == pytest.approx(0.5 * r[1, 0] / mean[1, 0], rel=1e-13)


# Noise


def test_noise_is_as_large_as_asked_for_and_leaves_the_ground():
    net = build(stewart(1))
    x = net.drawn.copy()
    perturb_nodes(x, net.parts.guides, 0.1, 3, 0)
    away = x - net.drawn
    assert not away[:3].any()
    assert 0.05 < np.abs(away[3:]).max() <= 0.1
    assert len(np.unique(away[3:])) == 9
    assert away[3:].min() < -0.02 < 0.02 < away[3:].max()


def test_noise_is_that_of_its_seed_and_its_turn():
    net = build(stewart(1))
    shaken = []
    for seed, turn in [(3, 0), (3, 0), (4, 0), (3, 1), (0, 3)]:
        x = net.drawn.copy()
        perturb_nodes(x, net.parts.guides, 0.1, seed, turn)
        shaken.append(x)
    np.testing.assert_array_equal(shaken[0], shaken[1])
    assert len(np.unique(np.round(shaken, 12), axis=0)) == 4


def test_noise_leaves_nodes_on_their_guides():
    net = network(
        {"o": (0, 0), "p": (1, 0), "q": (0, 2)},
        bars=[{"nodes": ["p", "q"]}, {"nodes": ["o", "p"]}],
        guides=[{"node": "p", "line": (1, 0)}],
    )
    x = net.drawn.copy()
    perturb_nodes(x, net.parts.guides, 0.1, 1, 0)
    assert x[1, 1] == 0 != x[1, 0] - 1


@pytest.mark.parametrize("method", ["sync", "async"])
def test_noise_leaves_no_trace_in_the_answer(method):
    study = studied(method=method, frames=1, increments=50)
    noisy = study.model_copy(update={"noise": 0.01})
    clean, dirty = (iterated(THREE, one, 20)[0].x for one in (study, noisy))
    assert 1e-3 < np.abs(clean - dirty).max() < 0.5
    clean, dirty = (iterated(THREE, one, 4000, 1e-13) for one in (study, noisy))
    assert len(dirty[1]) > 50  # it does not stop before the noise is gone
    for state, residuals, _ in (clean, dirty):
        assert residuals[-1] <= 1e-13
        assert np.hypot(*state.x[1]) == pytest.approx(6, abs=1e-12)
        assert np.hypot(*(state.x[2] - state.x[1])) == pytest.approx(4, abs=1e-12)


# Momentum


def accelerated(net, study, count, tolerance=0.0):
    state, residuals = net.state(), np.empty(count)
    scratch = sweep_buffers(*net.drawn.shape)
    made, age = accelerate(state, net.parts, update_factors(net, study), tolerance, 0, scratch, residuals)
    return state, residuals[:made], age


def test_momentum_grows_with_age_and_starts_anew_uphill():
    """On a line: e ← e + Δ, Δ = −α e + (t − 1)/(t + 2) Δ, with t from 1 again where Δ leads uphill."""
    _, residuals, _ = accelerated(LINE, studied(alpha=0.2), 40)
    e, step, age, expected, restarts = 0.5, 0.0, 0, [], 0
    for _ in range(40):
        expected.append(abs(e))
        restarts += -e * step < 0
        age = 0 if -e * step < 0 else age + 1
        step = -0.2 * e + (max(age - 1, 0) / (age + 2)) * step
        e += step
    assert restarts > 1
    np.testing.assert_allclose(residuals, expected, rtol=1e-9, atol=1e-15)


def test_momentum_needs_far_fewer_iterations():
    net = build(stewart(2))
    state = net.state(share=1.0)
    study = RelaxStudy(method="momentum")
    residuals = np.empty(20_000)
    made, _ = accelerate(
        state, net.parts, update_factors(net, study), 1e-10, 0, sweep_buffers(*net.drawn.shape), residuals
    )
    still, slow = net.state(share=1.0), np.empty(20_000)
    leg = DriveLeg(*(np.stack([value, value]) for value in net.drive.at(1.0)))
    plain = sweeps(
        True,
        still,
        net.parts,
        update_factors(net, study),
        leg,
        1.0,
        1.0,
        0,
        1e-10,
        sweep_buffers(*net.drawn.shape),
        slow,
    )
    assert residuals[made - 1] <= 1e-10
    assert 3 * made < plain


# Guides and friction


@pytest.mark.parametrize("method", ["sync", "async"])
def test_guided_nodes_stay_on_their_guides(method):
    ring = [(2 * np.cos(t), 2 * np.sin(t)) for t in np.linspace(0, 2 * np.pi, 9)[:-1]]
    net = network(
        {"o": (0, 0), "p": (2, 0), "q": (2, 3)},
        guides=[{"node": "p", "curve": ring, "closed": True}, {"node": "q", "line": (1, 1)}],
        springs=[
            {"nodes": ["p", "q"], "stiffness": 1, "length": 0},
            {"nodes": ["o", "p"], "stiffness": 1e-9},
        ],
    )
    state, residuals, _ = iterated(net, studied(method=method), 3000, 1e-12)
    assert residuals[-1] <= 1e-12
    assert state.x[2, 1] - state.x[2, 0] == pytest.approx(1, abs=1e-14)
    # p and q meet where the line, y = x + 1, meets the ring
    np.testing.assert_allclose(state.x[1], state.x[2], atol=1e-6)


@pytest.mark.parametrize("method", ["sync", "async"])
@pytest.mark.parametrize(("pull", "slides"), [(0.45, 0), (0.6, 0.1)])
def test_friction_on_a_guide_holds_what_it_can(method, pull, slides):
    """Pressed down by 1 with μ = 0.5: a spring of stiffness 1 pulls until 0.5 is left of it."""
    net = network(
        {"o": (0, 0), "p": (2, 0)},
        springs=[{"nodes": ["o", "p"], "stiffness": 1, "length": 2 - pull}],
        guides=[{"node": "p", "line": (1, 0), "friction": 0.5}],
        loads=[{"node": "p", "force": (0, -1)}],
    )
    state, _, _ = iterated(net, studied(method=method), 500)
    np.testing.assert_allclose(state.x[1], [2 - slides, 0], atol=1e-9)
