"""Forces to any number of digits: enclosures that hold what paper and pencil give."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx
from tests.unit.snap.one_pawl import HILL, TIP, box, ring, swept

from pliant.core.errors import PliantError
from pliant.snap.force.certified import ForceEnclosure, certified_force
from pliant.snap.geometry.features import EDGE, VERTEX
from pliant.snap.sweep.path import Path, PathPiece

CORNER = ring((0, 0), (3, -4), (6, 0))  # comes down on a floor 8 below: its lever is 5 long
FLOOR = box(1, -9, 9, -8)
BAR = ring((0, 0), (4, 0), (4, "1/4"), (0, "1/4"))  # comes down on a spike 2 beside its hinge
SPIKE = ring((2, -6), ("3/2", -9), ("5/2", -9))
SPRING = Fraction(100), Fraction(0)


def sliding(path: Path, t: float) -> PathPiece:
    return next(piece for piece in path.pieces if piece.contacts and piece.start.t < t < piece.end.t)


def enclosed(
    path: Path, t: int, spring: tuple[Fraction, Fraction] = SPRING, friction: str = "0", digits: int = 50
) -> ForceEnclosure:
    return certified_force(path, sliding(path, t), Fraction(t), spring, Fraction(friction), digits)


def assert_told(ball: arb, right: arb, digits: int) -> None:
    """The ball holds what is right, and is no wider than so many digits."""
    assert (ball - right).contains(0)
    assert ball.rad() <= abs(right) * arb(10) ** (1 - digits)


@pytest.mark.parametrize("digits", [5, 50, 400])
def test_a_vertex_on_a_floor_presses_by_its_torque_over_its_lever(digits):
    """At t = 5 the lever (3, -4) has become (4, -3): θ = asin 4/5 - asin 3/5, and the force 100 θ / 4."""
    path = swept(CORNER, FLOOR)
    assert sliding(path, 5).contacts[0][0] == VERTEX
    found = enclosed(path, 5, digits=digits)
    with ctx.workprec(2000):
        angle = (arb(4) / 5).asin() - (arb(3) / 5).asin()
        assert_told(found.angle, angle, digits)
        assert_told(found.against, 25 * angle, digits)
        assert_told(found.force[1], 25 * angle, digits)
    assert found.force[0].contains(0)


def test_friction_drags_along_the_floor_against_the_way_it_slides():
    """To the right, so that N (4 - 3μ) = 100 θ and the drag is -μ N."""
    found = enclosed(swept(CORNER, FLOOR), 5, friction="3/10")
    with ctx.workprec(500):
        press = 100 * ((arb(4) / 5).asin() - (arb(3) / 5).asin()) / (arb(4) - arb(9) / 10)
        assert_told(found.force[0], -press * 3 / 10, 50)
        assert_told(found.force[1], press, 50)
        assert_told(found.against, press, 50)


def test_an_edge_on_a_spike_is_pressed_at_right_angles_to_itself():
    """At t = 8 the bar leans by 45° on the spike at (2, 2) from its hinge: 100 π/4 over a lever of √8."""
    path = swept(BAR, SPIKE)
    assert sliding(path, 8).contacts[0][0] == EDGE
    found = enclosed(path, 8)
    with ctx.workprec(500):
        assert_told(found.angle, arb.pi() / 4, 50)
        assert_told(found.force[0], -25 * arb.pi() / 4, 50)
        assert_told(found.against, 25 * arb.pi() / 4, 50)


def test_a_preload_is_taken_from_the_torque():
    found = enclosed(swept(BAR, SPIKE), 8, spring=(Fraction(100), Fraction(-10)))
    with ctx.workprec(500):
        assert_told(found.against, (25 * arb.pi() + 10) / 4, 50)


def test_along_a_level_top_the_angle_is_a_number_of_its_own():
    """The tip's lever, 5 long, is 3 below the hinge there: cos θ = 3/5."""
    path = swept(TIP, HILL, velocity=(1, 0))
    piece = sliding(path, 13)
    assert piece.motion == "flat"
    found = certified_force(path, piece, Fraction(13), SPRING, Fraction(1, 2), 60)
    with ctx.workprec(500):
        assert_told(found.angle, -(arb(3) / 5).acos(), 60)
        # Levers of 4 across and 3 down: N (4 + 3/2) = 100 |θ|, and half of N is drag.
        assert_told(found.against, 100 * (arb(3) / 5).acos() / (arb(4) + arb(3) / 2) / 2, 60)


def test_where_a_contact_lets_go_no_number_of_digits_can_be_told():
    """At 43/3 the tip's arc turns about."""
    path = swept(TIP, HILL, velocity=(1, 0))
    piece = next(piece for piece in reversed(path.pieces) if piece.contacts)
    with pytest.raises(PliantError, match=r"t = 43/3: .* cannot be told to 20 digits. Choose another t"):
        certified_force(path, piece, Fraction(43, 3), SPRING, Fraction(0), 20)
