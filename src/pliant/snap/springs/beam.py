"""A cantilever as the spring of a pawl: what of it is drawn, its stiffness, and the row `elastica` reads.

The pawl that is swept is rigid and turns about a hinge, which stands for the beam: `pseudo-rigid`, 0.15 L
from the root, about which the tip of a bent beam goes round nearly in a circle; or `root`. Forces, strain and
slope are not that pawl's: they are those of the beam itself, bent as far (`elastica`).

Units: a beam is in the file's unit of length, and its modulus in N for the square of that unit. A label of
units scales nothing, and the table of materials has N/mm²: where a file is not in mm, a beam needs a modulus
of its own.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pliant.snap.geometry.cantilever import Cantilever
from pliant.snap.geometry.cantilever import cantilever as drawn_cantilever
from pliant.snap.handbook.materials import material
from pliant.snap.model import Beam, Fastener, Pawl
from pliant.snap.springs.elastica import HELD, LENGTH, SECANT, SLOPE0, WIDTH, preloaded_tip

HINGE = {"pseudo-rigid": 0.15, "root": 0.0}  # of the length: how far the hinge is from the root
FACTOR = {"pseudo-rigid": Fraction(9, 4), "root": Fraction(3)}  # of EI/L
GRAIN = 1000  # parts of a unit of length that a pivot is rounded to: it is good to no more
PLACES, WEIGHTS = np.polynomial.legendre.leggauss(20)


def cantilever(model: Fastener, pawl: Pawl) -> Cantilever:
    """What follows from the drawing of a pawl with a beam, and what its beam says."""
    assert pawl.beam is not None
    return drawn_cantilever(model.outline_at_rest(pawl), pawl.beam.length, HINGE[pawl.beam.hinge])


def exact_stiffness(model: Fastener, pawl: Pawl) -> Fraction:
    """The torsional stiffness in N·unit/rad of the hinge that stands for a beam bent little.

    2.25 EI/L, or 3 EI/L with the hinge at the root; less by what a taper and the base give. Without rounding
    of dimensions read as the decimals they print as, where the section is constant and the base rigid.

    Source: Howell, Compliant Mechanisms, 2001: 0.85 · 2.65 EI/L, the characteristic radius factor times the
    stiffness coefficient of a beam with a force across its end. At the root: P = 3 EI δ/L³ on an arm L.
    """
    beam = pawl.beam
    assert beam is not None
    length, thickness, width, modulus = map(
        _decimal, (cantilever(model, pawl).said, beam.thickness, beam.width, elastic_modulus(beam))
    )
    stiff = FACTOR[beam.hinge] * modulus * width * thickness**3 / (12 * length)
    gives = taper_compliance(beam) * beam.magnification
    return stiff if gives == 1.0 else stiff / _decimal(gives)


def taper_compliance(beam: Beam) -> float:
    """How much further a tapered beam bends at its tip than one with the section of its root.

    3 ∫ (1 − s)² / (b h³) ds over the length, b and h over those of the root.

    >>> taper_compliance(Beam(length=10, thickness=1, width=6, modulus=2000))
    1.0
    """
    if beam.tip_thickness is None and beam.tip_width is None:
        return 1.0
    s = 0.5 * (1 + PLACES)
    thick, wide = 1 + (taper(beam) - 1) * s, 1 + (width_ratio(beam) - 1) * s
    return float(np.sum(1.5 * WEIGHTS * (1 - s) ** 2 / (wide * thick**3)))


def pivot_of(model: Fastener, pawl: Pawl) -> tuple[Fraction, Fraction]:
    """From the hinge, the point of a beam bent little that its end turns about under any force there.

    A force through it pushes the nose nowhere aside: where it lies in the friction cone, the beam locks. From
    the end it is (I₂ + C)/(I₁ + C) of the length, Iₙ = ∫ (1 − s)ⁿ/(b h³) ds with b, h over those of the root
    and C the give of the base: two thirds, where the section is constant and the base rigid.
    """
    beam = pawl.beam
    assert beam is not None
    drawn, s = cantilever(model, pawl), 0.5 * (1 + PLACES)
    soft = 0.5 * WEIGHTS / ((1 + (width_ratio(beam) - 1) * s) * (1 + (taper(beam) - 1) * s) ** 3)
    base = (beam.magnification - 1) * taper_compliance(beam) / 3
    lever = (float(np.sum(soft * (1 - s) ** 2)) + base) / (float(np.sum(soft * (1 - s))) + base)
    out = drawn.length * (1 - lever) - drawn.behind
    x, y = (Fraction(round(out * value * GRAIN), GRAIN) for value in drawn.axis)
    return x, y


def taper(beam: Beam) -> float:
    """The thickness at the nose over that at the root."""
    return (beam.tip_thickness or beam.thickness) / beam.thickness


def width_ratio(beam: Beam) -> float:
    """The width at the nose over that at the root."""
    return (beam.tip_width or beam.width) / beam.width


def handbook_stiffness(model: Fastener, pawl: Pawl, strain: float) -> float:
    """The force at the nose for each unit that it goes aside, P/y = 3 EI/L³, as the handbooks have it.

    With the secant modulus at a strain, less by taper and Q. Source: Bayer, Snap-Fit Joints for Plastics: A
    Design Guide, table 1.
    """
    beam = pawl.beam
    assert beam is not None
    flexural = elastic_modulus(beam) * _secant_ratio(beam, strain) * beam.width * beam.thickness**3 / 12
    return 3 * flexural / cantilever(model, pawl).length ** 3 / (taper_compliance(beam) * beam.magnification)


def beam_row(model: Fastener, pawl: Pawl) -> tuple[float, ...]:
    """A beam as `elastica` reads it, from LENGTH on."""
    beam = pawl.beam
    assert beam is not None
    drawn = cantilever(model, pawl)
    scale = elastic_modulus(beam) * beam.width * beam.thickness**3 / 12 / drawn.length**2
    row = np.zeros(WIDTH)
    row[LENGTH:HELD] = (
        drawn.length, *drawn.axis, drawn.behind, scale, beam.thickness / 2 / drawn.length,
        taper(beam), width_ratio(beam), (beam.magnification - 1) * taper_compliance(beam) / 3,
        (drawn.behind + drawn.starts) / drawn.length,
    )  # fmt: skip
    points = secant_points(beam)
    row[SECANT : SECANT + 2 * len(points)] = [value for point in points for value in point]
    if pawl.preload:
        force, softer = -float(pawl.preload) / (drawn.length - drawn.behind), 1.0
        for _ in range(20):  # the preload's own strain softens what it bends
            slope, strain = preloaded_tip(force / (scale * softer), row)
            row[HELD], row[SLOPE0] = force / (scale * softer), slope
            softer = _secant_ratio(beam, strain)
    return tuple(row[LENGTH:].tolist())


def rest_strain(row: tuple[float, ...]) -> float:
    """Of a beam as `beam_row` has it, while nothing but its preload bends it."""
    whole = np.array([0.0, 0.0, *row])
    return preloaded_tip(whole[HELD], whole)[1] if whole[HELD] else 0.0


def secant_points(beam: Beam) -> tuple[tuple[float, float], ...]:
    """Strains, rising, and the secant modulus at each over that of small strains; none if not asked for."""
    if beam.secant is False:
        return ()
    points = material(beam.material or "").secant if beam.secant is True else beam.secant
    return tuple((strain, modulus / elastic_modulus(beam)) for strain, modulus in points)


def _secant_ratio(beam: Beam, strain: float) -> float:
    """The secant modulus at a strain over that of small strains."""
    strains, moduli = zip((0.0, 1.0), *secant_points(beam), strict=True)
    return float(np.interp(strain, strains, moduli))


def elastic_modulus(beam: Beam) -> float:
    """The beam's own modulus at small strains, or that of its material."""
    return beam.modulus if beam.modulus is not None else material(beam.material or "").modulus


def strain_limit(beam: Beam) -> float | None:
    """The strain that the beam may have: its own limit, or its material's; None where neither is given."""
    if beam.strain_limit is not None:
        return beam.strain_limit
    return material(beam.material).strain_limit if beam.material is not None else None


def _decimal(value: float) -> Fraction:
    return Fraction(repr(value))
