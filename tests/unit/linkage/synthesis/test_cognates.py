"""Roberts and Chebyshev: three four-bars, one curve."""

from __future__ import annotations

import numpy as np
import pytest

from pliant.core.errors import PliantError
from pliant.linkage.generate import linkage, places
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import positions
from pliant.linkage.model import Linkage
from pliant.linkage.synthesis import cognates

CRANK_ROCKER = {"A": 0, "D": 4, "B": 0.6 + 1.2j, "C": 3.4 + 2.6j, "P": 2.5 + 4.1j}
TWO_CRANKS = {"A": 0, "D": 1, "B": 1 + 3j, "C": 4 + 2.5j, "P": 3 + 5j}


def four_bar(joints: dict[str, complex], **motor) -> Linkage:
    motors = [{"joint": "A", "drives": "B", **motor}]
    return linkage(joints, "AD", ("A B", "B C P", "C D"), motors=motors)


def run(model: Linkage, angles: np.ndarray) -> dict[str, np.ndarray]:
    """Complex positions of every joint at the motor angles."""
    plan = compile_plan(model)
    x = positions(plan, angles[None]).x
    return dict(zip(plan.structure.names, x[:, 0] + 1j * x[:, 1], strict=True))


def turned(z: np.ndarray) -> np.ndarray:
    """How far a bar has turned from its first pose."""
    return np.unwrap(np.angle(z / z[0]))


@pytest.mark.parametrize("joints", [CRANK_ROCKER, TWO_CRANKS])
def test_the_right_cognate_traces_the_same_points_at_the_same_motor_angles(joints):
    model = four_bar(joints)
    _, right = cognates(model)
    angles = np.linspace(0, 2 * np.pi, 181)
    np.testing.assert_allclose(run(right, angles)["P"], run(model, angles)["P"], rtol=0, atol=1e-10)


@pytest.mark.parametrize(("joints", "span"), [(CRANK_ROCKER, 0.8), (TWO_CRANKS, 2 * np.pi)])
def test_the_left_cognate_traces_the_same_points_as_it_turns_with_the_coupler(joints, span):
    """Of a crank and rocker it rocks, so it is driven over a part of the way only."""
    model = four_bar(joints)
    left, _ = cognates(model)
    given = run(model, np.linspace(0, span, 181))
    np.testing.assert_allclose(
        run(left, turned(given["C"] - given["B"]))["P"], given["P"], rtol=0, atol=1e-10
    )


def test_the_bars_of_the_cognates_turn_as_those_of_the_given_one():
    model = four_bar(CRANK_ROCKER)
    _, right = cognates(model)
    angles = np.linspace(0, 2 * np.pi, 181)
    given, other = run(model, angles), run(right, angles)
    for bar, like in ((("D", "B"), ("B", "C")), (("B", "C"), ("D", "C")), (("E", "C"), ("A", "B"))):
        mine = turned(other[bar[1]] - other[bar[0]])
        np.testing.assert_allclose(mine, turned(given[like[1]] - given[like[0]]), rtol=0, atol=1e-10)


def test_the_three_ground_joints_are_similar_to_the_coupler():
    left, right = cognates(four_bar(CRANK_ROCKER))
    a, d, b, c, p = CRANK_ROCKER.values()
    assert left.joints["E"] == pytest.approx(right.joints["E"])
    assert (places(left)["E"] - a) / (d - a) == pytest.approx((p - b) / (c - b))


def test_the_right_cognate_is_driven_as_the_given_linkage():
    _, right = cognates(four_bar(CRANK_ROCKER, direction="cw", range=(0, 1), speed=3))
    motor = right.motors[0]
    assert (motor.joint, motor.direction, motor.range, motor.speed) == ("E", "cw", (0, 1), 3)


def test_the_cognate_of_a_cognate_is_the_linkage_itself():
    """Seen from E, the left cognate of the right one has the ground E and A, and so on round the three."""
    _, right = cognates(four_bar(CRANK_ROCKER))
    back = {place for other in cognates(right) for place in places(other).values()}
    for place in CRANK_ROCKER.values():
        assert min(abs(place - other) for other in back) < 1e-12


def test_what_is_no_four_bar_is_refused():
    joints = CRANK_ROCKER | {"E": 6 + 3j, "F": 7}
    six = linkage(joints, "ADF", ("A B", "B C P", "C D", "P E", "E F"))
    with pytest.raises(PliantError, match="5 moving links is no four-bar"):
        cognates(six)


def test_a_point_that_is_not_on_the_coupler_is_refused_with_those_that_are():
    with pytest.raises(PliantError, match=r"C: cognates need a point of the coupler.*: P\."):
        cognates(four_bar(CRANK_ROCKER), "C")
