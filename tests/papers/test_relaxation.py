"""[Lipson2006], relaxation: its equations, figures and tables, case by case."""

from __future__ import annotations

import math
from math import cos, pi, sin, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

from pliant.relax.build import build
from pliant.relax.generate import scattered, stewart, twisted
from pliant.relax.laws import STRING, force, tangent
from pliant.relax.march import knobs
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.result import RelaxResult
from pliant.relax.status import RelaxStatus
from tests.papers.relaxation_cases import (
    STEPS,
    as_printed,
    aspect_ratio,
    deviation,
    eq_5,
    made,
    mirrored,
    off_the_line,
    pulled_four_bar,
    relaxed_stewart,
    run,
    singular_frame,
    slender_tower,
    track,
    turned,
    turned_peaucellier,
)

Floats = NDArray[np.float64]

METHODS = ("sync", "async", "momentum", "auto")
BY_EVERY_METHOD = pytest.mark.parametrize("method", METHODS)
UPDATES = ("sync", "async")
BY_BOTH_UPDATES = pytest.mark.parametrize("method", UPDATES)


def step_by_step(model: Mechanism, count: int, **study: object) -> RelaxResult:
    """A frame for each iteration."""
    return run(model, frames=count, increments=count, iterations=count, **study)


# Fig. 1, eqs 1 to 4: the loop


def squeezed(dimension: int) -> Mechanism:
    """A braced frame whose bars are all longer than they are drawn."""
    places = np.random.default_rng(3).uniform(0, 4, (5, dimension)).tolist()
    pairs = ("ab", "bc", "cd", "de", "ac", "bd", "ce")
    nodes = dict(zip("abcde", places, strict=True))
    bars = [
        {"nodes": list(pair), "length": 1.5 * math.dist(nodes[pair[0]], nodes[pair[1]])} for pair in pairs
    ]
    return made(ground=["a"], nodes=nodes, stiffness=3.0, bars=bars)


@BY_BOTH_UPDATES
@pytest.mark.parametrize("dimension", [2, 3])
def test_lipson_fig_1_iterations_are_those_of_the_pseudocode(method, dimension):
    model = squeezed(dimension)
    found = step_by_step(model, 7, method=method, alpha=0.1, cap=10.0, tolerance=1e-30)
    assert found.points == pytest.approx(as_printed(model, 0.1, 7, method == "sync"), abs=1e-12)


def test_lipson_fig_1_the_two_updates_take_different_ways_to_the_same_lengths():
    ways = [run(squeezed(2), method=method) for method in UPDATES]
    assert [way.status for way in ways] == [RelaxStatus.CONVERGED] * 2
    assert max(way.length_error for way in ways) < 1e-8
    first, second = (way.points[-1] for way in ways)
    assert np.abs(first - second).max() > 1e-3


def test_lipson_eq_1_stiffness_is_modulus_times_area_over_length():
    bars = [{"nodes": ["a", "b"], "modulus": 200.0, "area": 0.5}]
    load = [{"node": "b", "force": (3, 0)}]
    model = made(ground=["a"], nodes={"a": (0, 0), "b": (4, 0)}, bars=bars, loads=load)
    assert run(model).nodes["b"] == pytest.approx([4 + 3 * 4 / (200 * 0.5), 0], abs=1e-12)


def stretched(ratio: float) -> Mechanism:
    """A string of bars between two pins, each so many times as long as it wants to be."""
    nodes = {f"n{k}": (float(k), 0.1 * (k % 2)) for k in range(7)}
    pairs = [(f"n{k}", f"n{k + 1}") for k in range(6)]
    bars = [{"nodes": pair, "length": 1.005 / ratio, "stiffness": 1.0} for pair in pairs]
    return made(ground=["n0", "n6"], nodes=nodes, bars=bars)


def test_lipson_eq_2_leaves_out_that_a_stretched_link_is_stiff_across_itself():
    """Differs: with k[(1 − τ) abs(n) + τ], τ = 1 − l₀/l, it converges where eq. 2 as printed does not."""
    model = stretched(10.0)
    printed = as_printed(model, 0.5, 200, sync=True)
    assert np.abs(np.diff(printed[-2:], axis=0)).max() > 0.1
    result = run(model, method="sync", alpha=0.5)
    assert result.status is RelaxStatus.CONVERGED
    assert track(result, "n2")[-1] == pytest.approx([2, 0], abs=1e-9)


def test_lipson_eq_2_stiffness_is_never_below_s_min():
    model = singular_frame(force=3.0, stiffness=10.0)
    first = step_by_step(model, 1, method="sync", alpha=0.5, least=40.0).points[1, 1]
    assert first == pytest.approx([0, -0.5 * 3.0 / 40.0], abs=1e-15)


def test_lipson_s_min_is_a_fraction_of_the_largest_force_over_the_largest_displacement():
    net = build(singular_frame(force=3.0, stiffness=10.0))
    least = [knobs(net, RelaxStudy(cap=cap)).least for cap in (0.1, 0.2)]
    assert least[0] == 2 * least[1]
    assert 0 < least[0] < 1e-3 * 3.0 / 0.1


def test_lipson_eq_3_the_displacement_is_capped_and_keeps_its_direction():
    frame = singular_frame(force=3.0, stiffness=10.0)
    leaning = frame.model_copy(update={"loads": (frame.loads[0].model_copy(update={"force": (4.0, -3.0)}),)})
    free = step_by_step(leaning, 1, method="sync", alpha=0.5, least=10.0, cap=1.0).points[1, 1]
    capped = step_by_step(leaning, 1, method="sync", alpha=0.5, least=10.0, cap=0.01).points[1, 1]
    assert free == pytest.approx([0.5 * 4.0 / 20.0, -0.5 * 3.0 / 10.0])
    assert capped == pytest.approx(0.01 * free / np.linalg.norm(free))


@BY_BOTH_UPDATES
def test_lipson_the_relaxation_factor_can_fall_as_the_residuals_do(method):
    """From 0.5 to 0.01: at the end an iteration takes a hundredth of what is left."""
    model = made(ground=["a"], nodes={"a": (0, 0), "b": (2, 0)}, bars=[{"nodes": ["a", "b"], "length": 1.0}])
    study = {"alpha": 0.5, "alpha_end": 0.01, "cap": 10.0, "tolerance": 1e-9}
    result = run(model, method=method, frames=1, increments=1, **study)
    left = np.concatenate(result.history)
    shares = 1 - left[1:] / left[:-1]
    assert result.status is RelaxStatus.CONVERGED
    assert shares[0] == pytest.approx(0.5)
    assert shares[-1] == pytest.approx(0.01, rel=0.05)


# Eq. 6: pseudo-inertia


def swung(eta: float) -> Floats:
    """The elongation of a spring after each of 60 iterations, let go at 1."""
    model = made(
        ground=["a"],
        nodes={"a": (0, 0), "b": (2, 0)},
        springs=[{"nodes": ["a", "b"], "stiffness": 4.0, "length": 1.0}],
    )
    study = {"alpha": 0.4, "eta": eta, "cap": 10.0, "tolerance": 1e-30}
    return track(step_by_step(model, 60, method="sync", **study), "b")[:, 0] - 1


@pytest.mark.parametrize("eta", [1.0, 0.5, 0.1])
def test_lipson_eq_6_displacements_persist_as_printed(eta):
    elongation, moved, expected = 1.0, 0.0, [1.0]
    for _ in range(60):
        moved = eta * 0.4 * -elongation + (1 - eta) * moved
        elongation += moved
        expected.append(elongation)
    assert swung(eta) == pytest.approx(expected, abs=1e-14)


def test_lipson_eq_6_inertia_overshoots_and_eta_1_does_not():
    assert swung(1.0).min() >= 0
    assert swung(0.1).min() < -0.3
    assert abs(swung(0.1)[-1]) < 0.1


def test_lipson_damping_and_inertia_can_differ_from_node_to_node():
    model = squeezed(2)
    alone = step_by_step(model, 1, method="sync", alpha=0.1).points[1]
    slow = step_by_step(model, 1, method="sync", alpha=0.1, alphas={"c": 0.02}, etas={"d": 0.5}).points[1]
    drawn = build(model).drawn
    assert (slow - drawn) == pytest.approx((alone - drawn) * [[1], [1], [0.2], [0.5], [1]], abs=1e-15)


# Fig. 2: a singular frame


@BY_EVERY_METHOD
def test_lipson_fig_2_a_singular_frame_comes_to_the_equilibrium_of_its_load(method):
    result = run(singular_frame(force=3.0, stiffness=10.0), method=method)
    drop = brentq(lambda d: 2 * 10.0 * (math.hypot(1, d) - 1) * d / math.hypot(1, d) - 3.0, 0, 5, xtol=1e-15)
    assert result.status is RelaxStatus.CONVERGED
    assert result.nodes["a"] == pytest.approx([0, -drop], abs=1e-9)
    assert np.abs(track(result, "a")[:, 0]).max() == 0.0


def test_lipson_fig_2_the_joint_first_moves_the_way_of_the_force():
    path = track(step_by_step(singular_frame(3.0, 10.0), 5, method="sync"), "a")
    assert (np.diff(path[:, 1]) < 0).all()


# Fig. 3: unstable equilibrium

PRESSED = 0.3


def symmetric() -> Floats:
    return run(slender_tower(PRESSED), method="sync").points[-1]


def leaning(**study: object) -> RelaxResult:
    return run(slender_tower(PRESSED), noise=1e-3, **study)


@pytest.mark.parametrize("method", ["sync", "momentum", "auto"])
def test_lipson_fig_3b_a_symmetrical_tower_stays_so_without_noise(method):
    result = run(slender_tower(PRESSED), method=method)
    assert result.points[-1] == pytest.approx(mirrored(result.points[-1]), abs=1e-8)
    assert result.nodes["a"] == pytest.approx([0, 6.6937], abs=1e-4)


def test_lipson_fig_3b_auto_says_that_any_disturbance_would_grow():
    notices = run(slender_tower(PRESSED)).trust.notices
    assert [notice.kind for notice in notices] == ["unstable"]


@pytest.mark.parametrize(("method", "noise"), [("async", 0.0), ("sync", 1e-3), ("auto", 1e-3)])
def test_lipson_fig_3c_it_leans_by_the_order_of_updates_or_by_noise(method, noise):
    result = run(slender_tower(PRESSED), method=method, noise=noise)
    assert abs(result.nodes["a"][0]) == pytest.approx(0.8237, abs=1e-4)
    assert result.residual < 1e-9


@pytest.mark.parametrize("method", ["sync", "auto"])
def test_lipson_fig_3c_the_noise_chooses_the_side_and_leaves_no_trace(method):
    ends = [leaning(method=method, seed=seed, tolerance=1e-13).points[-1] for seed in range(4)]
    sides = [np.sign(end[4, 0]) for end in ends]
    assert set(sides) == {-1, 1}
    left = [end if side < 0 else mirrored(end) for end, side in zip(ends, sides, strict=True)]
    assert np.ptp(left, axis=0).max() < 1e-9


def test_lipson_fig_3c_the_same_seed_gives_the_same_answer():
    first, second = (leaning(method="sync", seed=5) for _ in range(2))
    assert (first.points == second.points).all()


# Fig. 4: a force moves a four-bar along its path


def test_lipson_fig_4_the_deviation_grows_with_alpha():
    """Differs: what α adds is proportional to it, but most of the deviation is there however small α is."""
    alphas = np.array([0.1, 0.2, 0.4, 0.8])
    found = np.array([deviation(alpha, 1.0) for alpha in alphas])
    assert (np.diff(found) > 0).all()
    rates = np.diff(found) / np.diff(alphas)
    assert rates == pytest.approx(rates.mean(), rel=0.1)


def test_lipson_fig_4_the_deviation_grows_with_one_over_the_stiffness():
    stiffness = np.array([1.0, 2.0, 4.0, 8.0])
    found = np.array([deviation(0.5, k) for k in stiffness])
    powers = np.diff(np.log(found)) / np.diff(np.log(stiffness))
    assert powers == pytest.approx(-1, abs=0.3)


def test_lipson_fig_4e_joints_come_to_rest_where_the_first_two_bars_are_in_line():
    result = run(pulled_four_bar(1.0))
    reach = 2 + sqrt(10)
    x = (reach**2 - 10 + 16) / 8
    assert result.status is RelaxStatus.CONVERGED
    assert result.nodes["b"] == pytest.approx([x, sqrt(reach**2 - x**2)], abs=1e-9)
    assert result.nodes["a"] == pytest.approx(np.array(result.nodes["b"]) * 2 / reach, abs=1e-6)
