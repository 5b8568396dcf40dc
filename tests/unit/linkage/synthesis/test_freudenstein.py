"""Function generation: the pairs asked for are met when the linkage is run, or it is said why not."""

from __future__ import annotations

import numpy as np
import pytest

from pliant.core.errors import PliantError
from pliant.linkage.generate import places
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import positions
from pliant.linkage.synthesis import generate, precision_points

GOOD = [(0.6, 0.9), (1.0, 1.15), (1.6, 1.6)]


def four_bar_output(a: float, b: float, c: float, d: float, crank: np.ndarray) -> np.ndarray:
    """Rocker angles by the law of cosines, coupler above."""
    tip = a * np.exp(1j * crank) - d
    return np.angle(tip) - np.arccos((np.abs(tip) ** 2 + c**2 - b**2) / (2 * c * np.abs(tip)))


def test_three_pairs_are_met_when_the_linkage_is_run():
    found = generate(GOOD)
    plan = compile_plan(found.linkage)
    crank = np.array([pair[0] for pair in GOOD])
    x = positions(plan, (crank - crank[0])[None]).x
    names = plan.structure.names
    rocker = x[names.index("C")] - x[names.index("D")]
    arm = x[names.index("B")]
    sign = np.sign(found.ratios[1]), np.sign(found.ratios[0])
    np.testing.assert_allclose(np.arctan2(*(sign[0] * rocker)[::-1]), [pair[1] for pair in GOOD], atol=1e-12)
    np.testing.assert_allclose(np.arctan2(*(sign[1] * arm)[::-1]), crank, atol=1e-12)
    assert np.abs(found.errors).max() < 1e-12
    assert found.findings == ()


def test_the_lengths_of_a_known_four_bar_come_back():
    crank = np.array([0.4, 0.9, 1.7])
    rocker = four_bar_output(1.0, 3.0, 2.5, 3.2, crank)
    found = generate(list(zip(crank, rocker, strict=True)), ground=3.2)
    joints = places(found.linkage)
    lengths = [abs(joints[p] - joints[q]) for p, q in ("AB", "BC", "CD", "DA")]
    np.testing.assert_allclose(lengths, [1.0, 3.0, 2.5, 3.2], rtol=1e-10)
    assert found.ratios == pytest.approx((3.2, 3.2 / 2.5, (1 - 9 + 2.5**2 + 3.2**2) / (2 * 2.5)))


def test_more_pairs_are_met_as_nearly_as_least_squares_can():
    crank = np.linspace(0.4, 1.7, 9)
    exact = four_bar_output(1.0, 3.0, 2.5, 3.2, crank)
    assert np.abs(generate(list(zip(crank, exact, strict=True))).errors).max() < 1e-10
    wrong = exact + 1e-3 * np.cos(7 * np.arange(9))
    errors = np.abs(generate(list(zip(crank, wrong, strict=True))).errors)
    assert 1e-4 < errors.max() < 3e-3


def test_the_structural_error_is_zero_at_the_precision_points_and_less_than_with_even_spacing():
    """y = x² from 1 to 2, both bars turning 60 degrees."""
    crank, rocker = np.radians([90, 150]), np.radians([60, 120])

    def wanted(angle: np.ndarray) -> np.ndarray:
        x = 1 + (angle - crank[0]) / (crank[1] - crank[0])
        return rocker[0] + (x**2 - 1) / 3 * (rocker[1] - rocker[0])

    pairs = precision_points(np.square, (1, 2), tuple(crank), tuple(rocker))
    even = np.linspace(*crank, 3)
    spaced, evenly = generate(pairs), generate(list(zip(even, wanted(even), strict=True)))
    at_points = spaced.structural_error(wanted, np.array([pair[0] for pair in pairs]))
    assert np.abs(at_points).max() < 1e-12
    between, rival = (found.structural_error(wanted, np.linspace(*crank, 200)) for found in (spaced, evenly))
    around = spaced.structural_error(wanted, np.array([[at - 0.01, at + 0.01] for at, _ in pairs]).ravel())
    assert (around[::2] * around[1::2] < 0).all()
    assert np.abs(between).max() < 0.8 * np.abs(rival).max() < np.radians(0.05)


def test_precision_points_are_spaced_as_chebyshev_says():
    pairs = np.array(precision_points(lambda x: 2 * x, (0, 10), (0, 1), (1, 3), count=4))
    share = 0.5 - 0.5 * np.cos(np.pi * np.array([1, 3, 5, 7]) / 8)
    np.testing.assert_allclose(pairs, np.stack([share, 1 + 2 * share], axis=1), atol=1e-15)


def test_a_pair_met_only_by_the_other_assembly_is_a_finding():
    crank = np.array([0.3, 1.2, 2.2])
    rocker = four_bar_output(1.0, 3.0, 2.5, 3.2, crank)
    tip = np.exp(1j * crank[2]) - 3.2
    rocker[2] = 2 * np.angle(tip) - rocker[2]  # mirrored in the line from B to D
    found = generate(list(zip(crank, rocker, strict=True)), ground=3.2)
    assert [text.split(" (")[0] for text in found.findings] == ["pair 3"]
    assert found.findings[0].endswith("is met only with the coupler on the other side")
    assert abs(found.errors[2]) > 0.1


def test_a_dead_centre_between_the_pairs_is_a_finding():
    """Ground 4, crank 3, coupler 2, rocker 2.5: between these two crank angles it cannot be assembled."""
    crank = np.array([-1.2, 1.0, 2 * np.pi - 1.1])
    rocker = four_bar_output(3.0, 2.0, 2.5, 4.0, crank)
    found = generate(list(zip(crank, rocker, strict=True)), ground=4.0)
    assert "locked at" in found.findings[0]
    at = float(found.findings[0].split("locked at ")[1].split()[0])
    assert 78.58484 < at < 78.58484 + 3


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([(0, 1), (1, 2)], "three or more pairs"),
        ([(0.5, 1), (0.5, 1), (1, 2)], "do not determine a four-bar"),
        ([(0.1, 0.1), (0.2, 0.2), (0.5, 0.5)], "do not determine a four-bar"),  # every parallelogram does it
    ],
)
def test_pairs_that_give_no_linkage_are_refused_with_a_cure(pairs, said):
    with pytest.raises(PliantError, match=said):
        generate(pairs)


def test_a_function_that_ends_where_it_began_has_no_range():
    with pytest.raises(PliantError, match="its range has no width"):
        precision_points(np.cos, (0, 2 * np.pi), (0, 1), (0, 1))
