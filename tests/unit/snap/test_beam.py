"""Cantilevers as springs: closed forms, and a beam that is bent far, integrated."""

from fractions import Fraction
from math import atan2, cos, hypot, radians
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_bvp

from pliant.snap.beam import RADIUS, deflection, exact_stiffness, stiffness, strain, strain_limit
from pliant.snap.materials import material
from pliant.snap.model import Beam


def beam(**keys: Any) -> Beam:
    return Beam(**{"length": 10, "thickness": 1, "width": 6, "modulus": 2000, **keys})


def test_the_stiffness_is_that_of_the_closed_forms():
    flexural = 2000 * 6 * 1**3 / 12
    assert stiffness(beam()) == 2.25 * flexural / 10
    assert stiffness(beam(hinge="root")) == 3 * flexural / 10


def test_the_stiffness_is_exact_in_the_decimals_that_were_written():
    found = exact_stiffness(beam(length=0.3, thickness=0.1, width=0.7, modulus=1.1))
    assert found == Fraction(9, 4) * Fraction(11, 10) * Fraction(7, 10) / 1000 / 12 / Fraction(3, 10)


def test_a_hinge_at_the_root_has_the_force_of_a_beam_bent_little():
    """P = 3 EI δ/L³, and a strain of M h/(2 EI) at the root with M = P L."""
    bent = beam(hinge="root")
    angle = 1e-4
    force = stiffness(bent) * angle / bent.length
    assert force == pytest.approx(3 * 1000 * deflection(bent, angle) / bent.length**3, rel=1e-8)
    assert strain(bent, angle) == pytest.approx(force * bent.length * bent.thickness / 2 / 1000, rel=1e-8)


def test_strain_is_the_same_whichever_way_it_is_bent_and_never_falls_again():
    bent = beam()
    angles = np.linspace(0, 3, 31)
    strains = [strain(bent, angle) for angle in angles]
    assert strains[0] == 0
    assert strains == [strain(bent, -angle) for angle in angles]
    assert np.all(np.diff(strains) >= 0)


def test_a_beam_takes_what_it_does_not_say_from_its_material():
    made = beam(modulus=None, material="POM")
    assert stiffness(made) == pytest.approx(stiffness(beam(modulus=material("POM").modulus)), rel=1e-15)
    assert strain_limit(made) == material("POM").strain_limit
    assert strain_limit(beam(material="POM", strain_limit=0.02)) == 0.02
    assert strain_limit(beam()) is None


def bent_far(force: float) -> tuple[float, float, float]:
    """The tip, and the curvature at the root, of a beam with EI = L = 1 and a force across its first line.

    θ'' = −P cos θ, θ(0) = 0, θ'(1) = 0.
    """
    along = np.linspace(0, 1, 51)
    guess = np.array([force * along / 3, force * (1 - along), along, force * along**2 / 6])
    found = solve_bvp(
        lambda _, y: np.array([y[1], -force * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])]),
        lambda a, b: np.array([a[0], b[1], a[2], a[3]]),
        along,
        guess,
        tol=1e-8,
    )
    assert found.success
    return float(found.y[2, -1]), float(found.y[3, -1]), float(found.y[1, 0])


@pytest.mark.parametrize("force", [0.1, 0.5, 1, 2, 3])
def test_the_pseudo_rigid_hinge_follows_a_beam_that_is_bent_far(force: float):
    """To 45 degrees: its tip on the circle within 0.3 %, its force within 4 %."""
    like = Beam(length=1, thickness=1, width=12, modulus=1)
    x, y, _ = bent_far(force)
    angle = atan2(y, x - (1 - RADIUS))
    assert hypot(x - (1 - RADIUS), y) == pytest.approx(RADIUS, rel=3e-3)
    assert deflection(like, angle) == pytest.approx(y, rel=3e-3)
    assert stiffness(like) * angle == pytest.approx(force * cos(angle) * RADIUS, rel=4e-2)


def test_the_strain_is_within_four_per_cent_to_twenty_degrees():
    like = Beam(length=1, thickness=0.1, width=12, modulus=1)
    for force in (0.1, 0.5, 0.95):
        x, y, curvature = bent_far(force)
        angle = atan2(y, x - (1 - RADIUS))
        assert angle < radians(20)
        assert strain(like, angle) == pytest.approx(curvature * 0.1 / 2, rel=4e-2)
