"""The friction at which a fastener starts to lock: exact, so that the least bit less does not."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import fmpq
from tests.unit.snap.one_pawl import EXACT, FLOAT

from pliant.snap.arithmetic.polynomials import fraction
from pliant.snap.force.lock_friction import LockThreshold, lock_threshold
from pliant.snap.generate import cantilever_hook, motion_diode, random_fastener, ring, two_hooks, vector
from pliant.snap.model import Fastener, Obstacle, Pawl, Root
from pliant.snap.sweep.plan import Course, travel_back, travel_in, united_obstacles

HAIR = Fraction(1, 10**9)


def courses(model: Fastener, friction: Fraction, reverse: bool = False) -> tuple[Course, ...]:
    fixed = united_obstacles(model)
    there = travel_in(model, EXACT, fixed, friction if not reverse else Fraction(0))
    return travel_back(model, EXACT, fixed, there, friction) if reverse else there


def locks(model: Fastener, friction: Fraction, reverse: bool = False) -> bool:
    return courses(model, friction, reverse)[-1].cause == "lock"


def of(model: Fastener, reverse: bool = False) -> LockThreshold | None:
    return lock_threshold(courses(model, Fraction(0), reverse))


def just_below_and_above(found: LockThreshold) -> tuple[Fraction, Fraction]:
    """Rationals a hair away, whether the number itself is rational or not."""
    number = found.friction.reduced
    number.refine(fmpq(1, 10**12))
    return fraction(number.low) - HAIR, fraction(number.high) + HAIR


@pytest.mark.parametrize(("reverse", "wanted"), [(False, Fraction(11, 16)), (True, Fraction(23, 39))])
def test_two_hooks_lock_at_a_rational_friction_and_not_below(reverse, wanted):
    model = two_hooks()
    found = of(model, reverse)
    assert found is not None
    assert found.friction.reduced.is_rational
    assert fraction(found.friction.reduced.low) == wanted
    assert found.value == float(wanted)
    assert locks(model, wanted, reverse)
    assert locks(model, wanted + HAIR, reverse)
    assert not locks(model, wanted - HAIR, reverse)
    assert not locks(model, wanted - Fraction(1, 10**60), reverse)


def test_the_threshold_says_who_locks_and_when():
    found = of(two_hooks())
    assert found is not None
    assert found.pawl in ("left", "right")
    assert found.t == pytest.approx(2.708497378)
    above = courses(two_hooks(), Fraction(11, 16))[-1]
    assert above.ends == pytest.approx(found.t)


def test_an_irrational_threshold_lies_between_rationals_that_do_not_and_do_lock():
    found = of(cantilever_hook(retention=Fraction(3, 2)), reverse=True)
    assert found is not None
    assert not found.friction.reduced.is_rational
    below, above = just_below_and_above(found)
    assert not locks(cantilever_hook(retention=Fraction(3, 2)), below, reverse=True)
    assert locks(cantilever_hook(retention=Fraction(3, 2)), above, reverse=True)


@pytest.mark.few(15)
@pytest.mark.parametrize("seed", [*range(40), 90, 116])
def test_random_fasteners_lock_above_their_threshold_and_not_below(seed):
    model = random_fastener(seed)
    found = of(model)
    if found is None:
        assert not locks(model, Fraction(10**6))
    else:
        below, above = just_below_and_above(found)
        assert locks(model, above)
        assert below <= 0 or not locks(model, below)


@pytest.mark.parametrize("seed", range(15))
def test_floats_find_the_same_threshold(seed):
    model = random_fastener(seed)
    fixed, exact = united_obstacles(model), of(model)
    found = lock_threshold(travel_in(model, FLOAT, fixed, Fraction(0)))
    assert (found is None) == (exact is None)
    if found is not None and exact is not None:
        assert found.value == pytest.approx(exact.value, rel=1e-7)
        assert (found.pawl, found.t) == (exact.pawl, pytest.approx(exact.t, abs=1e-7))


def test_a_contact_that_never_resists_never_locks():
    """A trailing tip dragged over a hill."""
    model = Fastener(
        root=Root(velocity=vector(1, 0), until=Fraction(20)),
        pawls=(
            Pawl(
                name="tip", hinge=vector(0, 0), outline=ring((-1, 0), (-3, -4), (1, 0)), stiffness=Fraction(1)
            ),
        ),
        obstacles=(Obstacle(outline=ring((5, -6), (14, -6), (10, -3), (8, -3))),),
    )
    assert of(model) is None
    assert not locks(model, Fraction(10**9))


def test_what_would_lock_after_the_root_sits_does_not_count():
    """The pawl's way goes on to a contact that would lock at 0.693, but the root sits by then."""
    model = random_fastener(116)
    assert courses(model, Fraction(0))[-1].by == "root"
    found = of(model)
    assert found is None or found.t <= courses(model, Fraction(0))[-1].ends
    assert not locks(model, Fraction(4, 5))


def test_a_motion_diode_s_jam_needs_no_friction():
    model = motion_diode(start=(0, -9), velocity=(0, 1))
    found = of(model)
    assert found is not None
    below, above = just_below_and_above(found)
    assert courses(model, below)[-1].cause == "jam"
    assert courses(model, above)[-1].cause == "lock"


@pytest.mark.parametrize("arithmetic", [EXACT, FLOAT], ids=["exact", "float"])
def test_without_friction_nothing_locks_though_the_least_friction_would(arithmetic):
    """A corner in line with the hinge and the motion: the threshold is 0, and not reached."""
    block, beam = ring((-1, 0), (1, 0), (1, 1), (-1, 1)), ring((3, 2), (30, 2), (30, 3), (3, 3))
    model = Fastener(
        root=Root(velocity=vector(1, 1), until=Fraction(10)),
        pawls=(Pawl(name="pawl", hinge=vector(0, 0), outline=block, stiffness=Fraction(100)),),
        obstacles=(Obstacle(outline=beam),),
    )
    ways = travel_in(model, arithmetic, united_obstacles(model))
    found = lock_threshold(ways)
    assert found is not None
    assert (ways[-1].cause, found.value) == ("until", 0)
    assert not found.locks_at(Fraction(0))
    assert found.locks_at(HAIR)
    assert travel_in(model, arithmetic, united_obstacles(model), HAIR)[-1].cause == "lock"
