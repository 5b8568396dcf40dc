"""Cantilevers as springs: closed forms, what follows from the drawing, and beams that are not those drawn."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import pliant
from pliant.core.errors import InputError
from pliant.snap.handbook.materials import material
from pliant.snap.model import Beam, Fastener, SnapStudy
from pliant.snap.solve import solve
from pliant.snap.springs.beam import (
    beam_row,
    cantilever,
    exact_stiffness,
    handbook_stiffness,
    rest_strain,
    strain_limit,
    taper_compliance,
)
from pliant.snap.start.checks import beam_faults

HOOK = [[-1, "9/4"], [-1, -15], [0, -15], [3, -11], [1, "-51/5"], [1, "9/4"]]
HOUSING = [["6/5", "-123/10"], [12, "-123/10"], [12, 0], ["6/5", 0]]
PC = {"thickness": 2, "width": 8, "material": "PC"}


def clip(outline: Any = HOOK, root: Any = None, **keys: Any) -> Fastener:
    """A hook whose nose is 13.25 from its root, drawn 2.25 above the hinge."""
    beam = {"length": 15, **PC, **{key: value for key, value in keys.items() if key not in PAWL}}
    if beam["length"] is None:
        del beam["length"]
    pawl = {key: value for key, value in keys.items() if key in PAWL}
    return Fastener.model_validate(
        {
            "friction": "1/5",
            "root": {"velocity": [0, -1], "until": 17, **(root or {})},
            "pawls": [{"name": "hook", "hinge": [0, "67/4"], "outline": outline, "beam": beam, **pawl}],
            "obstacles": [{"outline": HOUSING}],
        }
    )


PAWL = {"preload", "stops", "rest"}


def stiffness(model: Fastener) -> Fraction:
    return exact_stiffness(model, model.pawls[0])


def faults(model: Fastener) -> list[str]:
    return [str(fault) for fault in beam_faults(model)]


def test_the_stiffness_is_exact_and_that_of_the_closed_forms():
    assert stiffness(clip()) == Fraction(9, 4) * 2400 * 64 / 12 / 15
    straight = [[-1, "1/10"], [-1, -15], [0, -15], [3, -13], [1, -12], [1, "1/10"]]
    assert stiffness(clip(straight, hinge="root")) == 3 * Fraction(2400 * 64, 12) / 15
    odd = stiffness(clip(thickness=0.1, width=0.7, modulus=1.1))
    assert odd == Fraction(9, 4) * Fraction(11, 10) * Fraction(7, 10) / 1000 / 12 / 15


def test_length_root_and_nose_follow_from_the_drawing():
    drawn = cantilever(clip(length=None), clip(length=None).pawls[0])
    assert (drawn.axis, drawn.length, drawn.behind) == ((0, -1), 13.25, 2.25)
    assert (drawn.starts, drawn.nose, drawn.tip) == (10.2, 11, 15)
    turned = clip(length=None, rest="1 u")  # by 90 degrees, counter-clockwise
    assert cantilever(turned, turned.pawls[0]).axis == pytest.approx((1, 0))
    said = cantilever(clip(), clip().pawls[0])
    assert (said.said, said.length) == (15, 13.25)  # it bends up to its nose


@pytest.mark.parametrize("length", [5, 10, 25, 40])
def test_a_length_that_is_not_the_drawing_s_is_a_fault(length: float):
    (said,) = faults(clip(length=length))
    assert said.startswith(f"pawls[0].beam.length: is {length}, and the nose is drawn ")
    assert "Give length = 13.25" in said
    with pytest.raises(InputError, match="the nose is drawn"):
        solve(clip(length=length))


@pytest.mark.parametrize("outline", [HOOK, [[-1, 12], *HOOK[1:5], [1, 12]]])
@pytest.mark.parametrize("hinge", ["root", "pseudo-rigid"])
def test_the_length_that_is_offered_is_one_that_the_nose_is_at(outline: Any, hinge: str):
    (said,) = faults(clip(outline, length=60, hinge=hinge))
    offered = float(said.split("Give length = ")[1].split(",")[0])
    again = faults(clip(outline, length=offered, hinge=hinge))
    assert not any("the nose is drawn" in fault for fault in again)


def test_a_hinge_that_is_not_where_the_beam_says_is_a_fault():
    (said,) = faults(clip([[-1, 6], *HOOK[1:5], [1, 6]]))
    assert said == (
        "pawls[0].beam: has its root 2.25 mm behind the hinge (0.15 of its length), and is drawn to begin "
        "6 mm behind it. Move the hinge to 0.15 of the length from where the beam begins"
    )
    under_a_lid = {"outline": [[-3, 19], [9, 19], [9, 21], [-3, 21]]}
    assert faults(clip([[-1, 6], *HOOK[1:5], [1, 6]], under_a_lid)) == []  # it begins where the lid does


def test_a_length_that_is_nearly_the_drawing_s_is_a_note():
    (said,) = solve(clip(), SnapStudy(frames=2)).remarks
    assert (
        said == "The beam of 'hook' is said to be 15 mm long, and its nose is drawn 13.25 from its root: "
        "it bends up to there."
    )
    assert solve(clip(length=None), SnapStudy(frames=2)).remarks == ()


def test_a_beam_takes_what_it_does_not_say_from_its_material():
    own = clip(material=None, modulus=material("PC").modulus)
    assert stiffness(own) == stiffness(clip())
    assert strain_limit(clip().pawls[0].beam) == material("PC").strain_limit
    assert strain_limit(Beam(**PC, strain_limit=0.02)) == 0.02
    assert strain_limit(Beam(thickness=1, width=1, modulus=2000)) is None


def test_a_taper_and_a_base_that_gives_make_it_softer():
    """Straight from the root to half the thickness, and to a quarter of the width."""
    assert taper_compliance(Beam(**PC, tip_thickness=1)) == pytest.approx(1.636, abs=5e-4)
    assert taper_compliance(Beam(**PC, tip_width=2)) == pytest.approx(1.283, abs=5e-4)
    s = np.linspace(0, 1, 100_001)
    slow = 3 * np.trapezoid((1 - s) ** 2 / (1 - 0.5 * s) ** 3, s)
    assert taper_compliance(Beam(**PC, tip_thickness=1)) == pytest.approx(slow, rel=1e-8)
    given = clip(magnification=1.25)
    assert stiffness(given) == stiffness(clip()) * 4 / 5
    pawl = clip().pawls[0]
    assert handbook_stiffness(clip(), pawl, 0.0) == pytest.approx(3 * 2400 * 64 / 12 / 13.25**3)


def test_the_strain_of_a_preload_is_there_before_anything_touches():
    held = clip(preload=200, stops=["-25 deg", 0])
    force = 200 / 11  # at the nose, which is that far from the hinge
    little = force * 13.25 / (2400 * 64 / 12) * 1  # M h / (2 EI), bent little
    assert rest_strain(beam_row(held, held.pawls[0])) == pytest.approx(little, rel=0.03)
    loose = solve(clip(stops=["-25 deg", 0]), SnapStudy(frames=2)).to_dict()["strain"]["hook"]
    tight = solve(held, SnapStudy(frames=2)).to_dict()["strain"]["hook"]
    assert tight["peak"] > loose["peak"] + 0.9 * little
    away = solve(held.model_copy(update={"obstacles": (far(),)}), SnapStudy(frames=2))
    assert away.to_dict()["strain"]["hook"]["peak"] == pytest.approx(little, rel=0.03)


def far() -> Any:
    return clip().obstacles[0].model_copy(update={"at": (Fraction(99), Fraction(0))})


def test_secant_moduli_must_rise_in_strain_and_be_known():
    with pytest.raises(pliant.InputError, match="the table has none"):
        Beam(thickness=1, width=1, material="POM", secant=True)
    with pytest.raises(pliant.InputError, match="strains do not rise"):
        Beam(**PC, secant=[[0.02, 2000], [0.01, 2200]])
    with pytest.raises(pliant.InputError, match="secant"):
        Beam(**PC, secant=[[0.01 * k, 2000] for k in range(1, 7)])
    soft = pliant.solve(clip(secant=True), frames=2)
    stiff = pliant.solve(clip(), frames=2)
    assert 0.7 < soft.peak_force / stiff.peak_force < 0.8  # 1815 of 2400 from 2 % on
