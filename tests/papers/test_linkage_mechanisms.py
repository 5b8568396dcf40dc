"""Mechanisms with a property that is known exactly, or a figure that is: each is built and run.

A construction X ← (i: r_i, j: r_j, ±) puts X at r_i from i and r_j from j, left of i → j for +, so
that the drawn pose is exact to rounding. Angles count from the drawn pose.
"""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
from numpy.typing import NDArray

import pliant
from pliant.linkage.generate import chain, four_bar, jansen, linkage, meet
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import openness, positions, rates
from pliant.linkage.model import Linkage

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]


def run(model: Linkage, angles: Floats) -> dict[str, Complexes]:
    """Every joint at motor angles from the drawn pose, as complex numbers."""
    plan = compile_plan(model)
    x = positions(plan, np.atleast_2d(angles)).x
    return dict(zip(plan.structure.names, x[:, 0] + 1j * x[:, 1], strict=True))


def dot(u: Complexes, v: Complexes) -> Floats:
    return (u * np.conj(v)).real


# Straight lines


def test_peaucellier_lipkin_draws_a_straight_line_to_rounding():
    z = {"S": 1.5 + 0j, "O": 0j, "A": 3 + 0j}
    z["B"] = meet(z["O"], 5, z["A"], 3, 1)
    z["C"] = meet(z["O"], 5, z["A"], 3, -1)
    z["P"] = meet(z["B"], 3, z["C"], 3, 1)
    model = linkage(z, "SO", ("S A", "O B", "O C", "A B", "A C", "B P", "C P"))
    theta = np.linspace(-math.pi / 2, math.pi / 2, 181)
    found = run(model, theta)
    assert found["P"].real == pytest.approx(np.full(181, 16 / 3), rel=1e-13)
    assert found["P"].imag == pytest.approx(16 / 3 * np.tan(theta / 2), abs=1e-12)


def hoeken(theta: float) -> Linkage:
    """P = 2C − B: C is the middle of the coupler."""
    return four_bar(2, 1, 2.5, 2.5, theta, point=2)


def test_hoekens_tracer_sees_the_crank_and_the_pivot_at_a_right_angle():
    """C is as far from B as from P and D: Thales."""
    found = run(hoeken(1.0), np.linspace(0, 2 * math.pi, 361))
    assert np.abs(dot(found["B"] - 2, found["P"] - 2)).max() <= 1e-13 * 25


def test_hoekens_linkage_is_nearly_straight_for_half_a_turn():
    """By Thales y = 2(2 − c)√((5 + c)/(5 − 4c)), c = cos θ: 4 at c = 0 and −1, most at c = −5/8."""
    theta = np.append(np.linspace(math.pi / 2, 3 * math.pi / 2, 181), math.acos(-5 / 8))
    found = run(hoeken(math.pi), theta - math.pi)
    c = np.cos(theta)
    assert found["P"].imag == pytest.approx(2 * (2 - c) * np.sqrt((5 + c) / (5 - 4 * c)), rel=1e-13)
    assert found["P"].imag.min() == pytest.approx(4, abs=1e-13)
    assert found["P"].imag.max() == pytest.approx(math.sqrt(1029) / 8, abs=1e-13)  # 4.00975
    assert np.ptp(found["P"].real) == pytest.approx(4, abs=1e-13)  # from (0, 4) to (4, 4)


@pytest.mark.parametrize("driven", ["A B", "D C"])
def test_chebyshev_4_5_2_passes_three_points_of_a_line(driven):
    """(−2, 4) is a toggle of the arm at D and (2, 4) of that at A: each arm is driven to the other two."""
    z = {"A": -2 + 0j, "D": 2 + 0j, "B": 1 + 4j}
    z["C"] = meet(z["B"], 2, z["D"], 5, -1)
    z["P"] = (z["B"] + z["C"]) / 2
    other = "C D" if driven == "A B" else "A B"
    model = linkage(z, "AD", (driven, "B C P", other))
    quarter = math.pi / 2 - math.atan2(4, 3)
    side = 1 if driven == "A B" else -1
    found = run(model, np.array([0.0, side * quarter]))
    assert found["P"] == pytest.approx([4j, -2 * side + 4j], abs=1e-13)


def watt() -> Linkage:
    """Drawn with the midpoint of the coupler at the node of its curve."""
    z = {"A": -2.5 + 0j, "D": 2.5 + 0j}
    z["B"] = meet(z["A"], 2, 0j, 1, 1)
    z["C"] = -z["B"]
    z["P"] = 0j
    return linkage(z, "AD", ("A B", "B C P", "C D"))


def watt_angles(samples: int) -> Floats:
    """All the crank can do, less 1e-6 rad at either end: |BD| ≤ 4, so that cos θ ≥ 13/20."""
    theta = math.acos(0.65)
    drawn = math.atan2(math.sqrt(1 - 0.65**2), 1.85)
    return np.linspace(-theta + 1e-6, theta - 1e-6, samples) - drawn


def test_watts_midpoint_lies_on_his_sextic():
    """r² = 4 − (2.5 sin t ± √(1 − 6.25 cos² t))², cleared of its root and of t: a curve of degree six."""
    p = run(watt(), watt_angles(1001))["P"]
    x, y, r = p.real**2, p.imag**2, np.abs(p) ** 2
    sextic = ((4 - r) * r - 6.25 * (y - x) - r) ** 2 - 25 * y * (r - 6.25 * x)
    assert np.abs(sextic).max() <= 1e-12
    assert r.max() > 1  # it went somewhere


def test_watts_polar_formula_gives_the_radius_of_the_midpoint():
    p = run(watt(), watt_angles(1001))["P"]
    p = p[np.abs(p) > 0.1]
    sine, cosine = p.imag / np.abs(p), p.real / np.abs(p)
    root = np.sqrt(np.maximum(1 - 6.25 * cosine**2, 0))
    both = np.stack([4 - (2.5 * sine + sign * root) ** 2 for sign in (1, -1)])
    # At the root's own zero its rounding is √ε of the radius, not ε.
    safe = root > 0.05
    assert safe.sum() > 500
    assert np.abs(both - np.abs(p) ** 2).min(axis=0)[safe].max() <= 1e-12


def test_roberts_passes_three_points_of_the_line_of_his_pivots():
    rise = math.sqrt(1.2**2 - 0.25)
    z = {"A": 0j, "D": 2 + 0j, "B": 0.5 + rise * 1j, "C": 1.5 + rise * 1j, "P": 1 + 0j}
    model = linkage(z, "AD", ("A B", "B C P", "C D"))
    at_left = meet(z["A"], 1.2, meet(z["A"], 1.2, z["D"], 1.2, 1), 1, 1)  # P on A: C is above the middle
    at_right = meet(z["A"], 1.2, z["D"], 1.2, 1)  # P on D: B is above the middle
    angles = np.angle(np.array([at_left, z["B"], at_right])) - np.angle(z["B"])
    assert run(model, angles)["P"] == pytest.approx([0, 1, 2], abs=1e-13)


# Legs


def test_jansens_foot_stands_swings_and_encloses_what_is_known_of_it():
    plan = compile_plan(jansen())
    angles = np.arange(20_000)[None] * 2 * math.pi / 20_000
    poses = positions(plan, angles)
    foot = poses.x[plan.structure.names.index("P5")]
    assert foot[:, 0] == pytest.approx([-43.16011, -91.75693], abs=5e-6)
    assert foot.min(axis=1) == pytest.approx([-71.52155, -91.83389], abs=5e-6)
    assert foot.max(axis=1) == pytest.approx([-3.61313, -69.37671], abs=5e-6)
    v, _ = rates(poses, np.ones_like(angles), np.zeros_like(angles))
    v = v[plan.structure.names.index("P5")]
    area = np.mean(foot[0] * v[1] - foot[1] * v[0]) * math.pi
    assert abs(area) == pytest.approx(875.936, abs=5e-4)


def test_klanns_foot_keeps_within_its_known_box():
    z = {
        "M": 41.395 + 26.641j,
        "A": 27.690 + 19.705j,
        "B": 27.690 + 31.092j,
        "C": 36.033 + 25.415j,
        "D": 21.501 + 22.089j,
        "E": 10.879 + 21.918j,
        "F": 19.432 + 32.923j,
        "foot": 0j,
    }
    model = linkage(z, "MAB", ("M C", "A D", "C D E", "B F", "E F foot"))
    foot = run(model, np.linspace(0, 2 * math.pi, 20_001))["foot"]
    assert [foot.real.min(), foot.real.max()] == pytest.approx([-0.277, 24.975], abs=5e-4)
    assert [foot.imag.min(), foot.imag.max()] == pytest.approx([-0.726, 16.120], abs=5e-4)


# Copies


def test_a_pantograph_copies_its_pencil_two_and_a_half_times():
    z = {"O": 0j, "S": 4 + 1j, "P": 5.2 + 1j}
    z["A"] = meet(z["O"], 3, z["P"], 2.5, 1)
    z["B"] = 2.5 * z["A"]
    z["C"] = meet(z["P"], 4.5, z["B"], 2.5, -1)
    z["Q"] = z["B"] + 2.5 * (z["C"] - z["B"])
    model = linkage(z, "OS", ("S P", "O A B", "A P", "P C", "B C Q"))
    found = run(model, np.linspace(0, 2 * math.pi, 361))
    assert found["Q"] == pytest.approx(2.5 * found["P"], abs=1e-12)
    assert np.abs(found["P"] - z["S"]) == pytest.approx(np.full(361, 1.2), rel=1e-13)


def parallelogram() -> Linkage:
    return linkage({"A": 0j, "D": 3 + 0j, "B": 1j, "C": 3 + 1j}, "AD", ("A B", "B C", "C D"))


def test_a_parallelogram_carries_its_coupler_without_turning_it():
    theta = np.linspace(-1.4, 1.4, 141)
    found = run(parallelogram(), theta)
    assert found["C"] - found["B"] == pytest.approx(np.full(141, 3), abs=1e-13)


def test_a_parallelogram_is_flat_where_its_bars_are_in_line():
    """The change points, 0 and π of the crank: both bars at C lie in one line there."""
    plan = compile_plan(parallelogram())
    angles = np.array([[-math.pi / 2, math.pi / 2, 0.3]])
    poses = positions(plan, angles)
    v, _ = rates(poses, np.ones_like(angles), np.zeros_like(angles))
    c, _ = openness(poses, v)
    assert np.abs(c).max(axis=0) == pytest.approx([1, 1, math.cos(math.pi / 2 - 0.3)], abs=1e-14)


def test_a_parallelogram_is_warned_about_at_both_its_change_points():
    result = pliant.solve(parallelogram(), samples=360)
    named = sorted(warning["angle"] for warning in result.to_dict()["warnings"])
    assert named == pytest.approx([math.pi / 2, 3 * math.pi / 2], abs=1e-6)


# Limits


def limited(drawn: float) -> Linkage:
    """Ground 4, crank 3, coupler 2, rocker 2.5: no bar can turn fully."""
    return four_bar(4, 3, 2, 2.5, drawn)


@pytest.mark.parametrize("drawn", [0.0, 0.5, -1.2])
def test_a_crank_that_cannot_turn_fully_has_its_limits_found_exactly(drawn):
    """|BD| ≤ 4.5: 25 − 24 cos θ ≤ 20.25, wherever the drawing is."""
    reach = math.acos(4.75 / 24)
    assert math.degrees(reach) == pytest.approx(78.58484, abs=5e-6)
    low, high = pliant.solve(limited(drawn)).limits
    assert [low, high] == pytest.approx([-reach - drawn, reach - drawn], abs=1e-9)


def test_watts_limits_are_where_rocker_and_coupler_are_in_line():
    low, high = pliant.solve(watt()).limits
    theta = math.acos(0.65)
    drawn = math.atan2(math.sqrt(1 - 0.65**2), 1.85)
    assert [low, high] == pytest.approx([-theta - drawn, theta - drawn], abs=1e-9)


def test_a_crank_that_turns_fully_has_no_limits():
    assert pliant.solve(jansen()).limits is None


def test_a_limit_narrower_than_half_a_degree_is_found():
    """A kite whose crank passes its other pivot by 0.001 whips C round, out of E's reach for 0.15°."""
    z = {"A": 0j, "D": 1 + 0j, "G": 1 + 5j, "B": cmath.rect(1.001, 2.003)}
    z["C"] = meet(z["B"], 2, z["D"], 2, 1)
    z["E"] = meet(z["C"], 3, z["G"], 3.4, 1)
    model = linkage(z, "ADG", ("A B", "B C", "C D", "C E", "E G"))
    near = run(model, np.linspace(4.275, 4.285, 10_001))
    blocked = np.abs(near["C"] - z["G"]) > 6.4
    assert 20 < blocked.sum() < 5000
    assert pliant.solve(model).limits is not None


# Long chains


def test_a_chain_of_a_thousand_dyads_carries_its_tip_along_unchanged():
    count = 1000
    found = run(chain(count), np.radians([-50, -20, 0, 50]))
    tips = np.stack([found[f"T{k}"] for k in range(count + 1)])
    expected = found["T0"] + 3 * np.arange(count + 1)[:, None]
    assert np.abs(tips - expected).max() <= 1e-12 * 3 * count
