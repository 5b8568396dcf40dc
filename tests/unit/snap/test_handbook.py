"""The handbook's force, the hinged hook's, and where both lock."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pliant.snap.generate import cantilever_hook
from pliant.snap.handbook.formulas import deflection_force, hinged_force, lock_friction, mating_force
from pliant.snap.solve import solve

ramps = st.floats(0.05, 1.5)
frictions = st.floats(0, 1.5)
arms = st.floats(0.5, 50)


def test_bayer_p_16_polycarbonate_hook():
    """P = 32.5 N on a ramp of 30° with μ = 0.6 takes 58.5 N."""
    assert mating_force(32.5, np.radians(30), 0.6) == pytest.approx(58.5, abs=0.05)


def test_the_force_across_is_the_springs_torque_over_its_arm():
    assert deflection_force(100, -0.2, 8) == pytest.approx(2.5)
    assert deflection_force([100, 200], 0.2, 8).tolist() == pytest.approx([2.5, 5])


@given(ramps, frictions)
def test_the_handbooks_force_is_its_formula_below_the_lock_and_infinite_beyond(ramp: float, friction: float):
    lost = friction * np.tan(ramp)
    assume(abs(lost - 1) > 1e-9)
    wanted = (friction + np.tan(ramp)) / (1 - lost) if lost < 1 else np.inf
    assert mating_force(7, ramp, friction) == pytest.approx(7 * wanted, rel=1e-6)


@given(ramps, frictions, arms, st.floats(-20, 20), st.sampled_from([-1, 1]))
def test_a_hinged_hooks_force_is_that_of_its_torques(
    ramp: float, friction: float, along: float, beside: float, way: int
):
    """On the hook goes f = N (n − μ s), and r × f balances the spring; x is −x on the way back."""
    push = -1.0  # the ramp pushes the hook to the left of the motion's line
    contact = np.array([beside, -along])
    normal = np.array([push * np.cos(ramp), way * np.sin(ramp)])
    rubbing = np.array([-push * np.sin(ramp), way * np.cos(ramp)])
    unit = normal + friction * rubbing
    torque = contact[0] * unit[1] - contact[1] * unit[0]
    assume(abs(torque) > 1e-6 * np.hypot(*contact))
    wanted = 30.0 / -torque * way * unit[1] if torque < 0 else np.inf
    found = hinged_force(100, 0.3, along, way * beside, ramp, friction)
    assert found == pytest.approx(wanted, rel=1e-6)


def test_a_contact_on_the_hinges_line_has_the_handbooks_force():
    ramp, friction = np.radians(25), 0.2
    wanted = mating_force(deflection_force(100, 0.1, 9), ramp, friction)
    gaps = [abs(hinged_force(100, 0.1, 9, x, ramp, friction) - wanted) for x in (0.9, 0.09, 0.009)]
    assert gaps[0] == pytest.approx(10 * gaps[1], rel=0.1)
    assert gaps[1] == pytest.approx(10 * gaps[2], rel=0.02)
    assert hinged_force(100, 0.1, 9, 0, ramp, friction) == pytest.approx(float(wanted), rel=1e-12)


@given(ramps, arms, st.floats(-20, 20))
def test_the_force_grows_without_bound_towards_the_friction_that_locks(
    ramp: float, along: float, beside: float
):
    lock = float(lock_friction(ramp, along, beside))
    assume(1e-3 < lock < 1e3)
    below, above = (hinged_force(1, 1, along, beside, ramp, lock * (1 + by)) for by in (-1e-6, 1e-6))
    assert below > 1e3 * np.sin(ramp + np.arctan(lock)) / np.hypot(along, beside)
    assert above == np.inf


def test_lock_frictions_of_closed_forms():
    assert lock_friction(np.radians(30), 5) == pytest.approx(1 / np.tan(np.radians(30)))
    # x = L: tan(α + ρ) = 1.
    assert lock_friction(np.radians(20), 3, 3) == pytest.approx(np.tan(np.radians(25)))
    assert lock_friction(np.radians(60), 3, 3) == 0
    # Beside the hinge on the free side, and a ramp so shallow that no friction is enough.
    assert lock_friction(np.radians(5), 3, -3) == np.inf
    assert lock_friction(0.1, [5, 5], [0, 1]).shape == (2,)


@pytest.mark.parametrize("friction", [Fraction(0), Fraction(1, 5), Fraction(1, 2)])
def test_a_solved_hook_has_the_hinged_hooks_force_while_its_edge_is_on_the_ramp(friction: Fraction):
    """Its edge is 3 beside its hinge and 10 below it; the ramp rises by a half, from t = 1.5 on."""
    (curve,) = solve(cantilever_hook(friction=friction)).way_in.curves
    on = (curve.t > 1.5) & (curve.t < 3.25)
    angle = curve.angles["hook"][on]
    beside, along = 3 * np.cos(angle) + 10 * np.sin(angle), 10 * np.cos(angle) - 3 * np.sin(angle)
    wanted = hinged_force(100, angle, along, beside, np.arctan(0.5), float(friction))
    assert np.count_nonzero(on) > 10
    assert curve.total[on] == pytest.approx(wanted, rel=1e-12)
