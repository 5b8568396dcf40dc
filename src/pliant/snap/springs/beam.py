"""A cantilever as the spring of a pawl: what of it is drawn, its stiffness, and the row that `bend` reads.

The pawl that is swept is rigid and turns about a hinge, which stands for the beam: `pseudo-rigid`, 0.15 L
from the root, about which the tip of a bent beam goes round nearly in a circle; or `root`. Forces, strain and
slope are not that pawl's: they are those of the beam itself, bent as far (`bend`).

Units: a beam is in the file's unit of length, and its modulus in N for the square of that unit. A label of
units scales nothing, and the table of materials has N/mm²: where a file is not in mm, a beam needs a modulus
of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pliant.core.arrays import Floats
from pliant.core.errors import Fault
from pliant.snap.handbook.materials import material
from pliant.snap.model import Beam, Fastener, Pawl
from pliant.snap.springs.elastica import HELD, LENGTH, SECANT, SLOPE0, WIDTH, held_by
from pliant.snap.start.placement import turned_outline

HINGE = {"pseudo-rigid": 0.15, "root": 0.0}  # of the length: how far the hinge is from the root
FACTOR = {"pseudo-rigid": Fraction(9, 4), "root": Fraction(3)}  # of EI/L
WITHIN = 0.15  # of the length: how far what is said of a beam may be from what is drawn
GRAIN = 1000  # parts of a unit of length that a pivot is rounded to: it is good to no more
PLACES, WEIGHTS = np.polynomial.legendre.leggauss(20)


@dataclass(frozen=True)
class Cantilever:
    """A pawl's beam as it is drawn, at rest: where it points, and distances along it from the hinge."""

    axis: tuple[float, float]  # a unit vector, from the root to the nose
    said: float  # its length, as the beam says or, if it does not, as drawn
    behind: float  # how far the root is behind the hinge
    rear: float  # how far the outline goes back behind the hinge
    starts: float  # how far out the nose begins to stand out from the shank
    nose: float  # how far out the nose is: what stands out farthest to a side
    tip: float  # how far out the outline ends

    @property
    def length(self) -> float:
        """From the root to where the nose is held: no further than the nose."""
        return min(self.said, self.behind + self.nose)


def cantilever(model: Fastener, pawl: Pawl) -> Cantilever:
    """What follows from the drawing of a pawl with a beam, and what its beam says.

    The axis is along the longest edge, through the hinge. Without a length of its own, the beam goes from
    where the outline ends behind the hinge to the nose.
    """
    assert pawl.beam is not None
    drawn = (z.as_integer_ratio() for point in turned_outline(model, pawl) for z in point)
    corners = np.array([over / under for over, under in drawn]).reshape(-1, 2)
    edges = np.roll(corners, -1, axis=0) - corners
    longest = edges[int(np.hypot(*edges.T).argmax())]
    axis = longest / math.hypot(*longest)
    if (corners @ axis).max() < -(corners @ axis).min():
        axis = -axis
    along, aside = corners @ axis, corners @ np.array([-axis[1], axis[0]])
    ahead = np.where(along > 0, np.abs(aside), -1.0)
    farthest = np.flatnonzero(ahead >= ahead.max() * (1 - 1e-9))
    nose = int(farthest[along[farthest].argmin()])
    rear, length = float(-along.min()), pawl.beam.length
    return Cantilever(
        axis=(float(axis[0]), float(axis[1])),
        said=rear + float(along[nose]) if length is None else length,
        behind=rear if length is None else HINGE[pawl.beam.hinge] * length,
        rear=rear,
        starts=_starts(along, aside * np.sign(aside[nose]), nose),
        nose=float(along[nose]),
        tip=float(along.max()),
    )


def _starts(along: Floats, aside: Floats, nose: int) -> float:
    """How far out an outline begins to stand out to the side of its nose, seen from the hinge."""
    count = len(along)
    inward = -1 if along[nose - 1] < along[(nose + 1) % count] else 1
    place = nose
    while aside[(place + inward) % count] < aside[place] - 1e-12 and along[(place + inward) % count] > 0:
        place = (place + inward) % count
    return float(min(along[place], along[nose]))


def beam_faults(model: Fastener) -> Iterator[Fault]:
    """Beams that are not those of the drawing: their length, or where the hinge is on them."""
    for index, pawl in enumerate(model.pawls):
        if pawl.beam is not None:
            yield from _faults(model, pawl, f"pawls[{index}].beam")


def _faults(model: Fastener, pawl: Pawl, where: str) -> Iterator[Fault]:
    assert pawl.beam is not None
    drawn, unit = cantilever(model, pawl), model.units
    least, most = (1 - WITHIN) * (drawn.behind + drawn.nose), (1 + WITHIN) * (drawn.behind + drawn.tip)
    said, share = "" if pawl.beam.length is None else ".length", HINGE[pawl.beam.hinge]
    if not least <= drawn.said <= most:
        between = f"{drawn.behind + drawn.nose:.4g} {unit} from the root"
        yield Fault(
            where + said,
            f"is {drawn.said:g}, and the nose is drawn {between}",
            f"Give length = {_fitting(drawn, share):.4g}, draw it so, or leave the length to the drawing",
        )
        return
    ends = [drawn.rear, *_backwards(model, pawl, drawn)]
    off = min(abs(share * drawn.said - end) for end in ends)
    if off > WITHIN * drawn.said:
        yield Fault(
            where,
            f"has its root {share * drawn.said:.4g} {unit} behind the hinge ({share:g} of its length), and "
            f"is drawn to begin {min(ends):.4g} {unit} behind it",
            f"Move the hinge to {share:g} of the length from where the beam begins",
        )


def _fitting(drawn: Cantilever, share: float) -> float:
    """A length up to the nose, from where the beam begins if its hinge is at its share of that."""
    whole = drawn.rear + drawn.nose
    return whole if abs(share * whole - drawn.rear) <= WITHIN * whole else drawn.nose / (1 - share)


def _backwards(model: Fastener, pawl: Pawl, drawn: Cantilever) -> Iterator[float]:
    """How far behind the hinge, along the beam, the root's outline begins."""
    if model.root.outline is None:
        return
    hinge = np.array([float(value) for value in pawl.hinge])
    corners = np.array([[float(x), float(y)] for x, y in model.root.outline]) - hinge
    ax, ay = drawn.axis
    along, aside = -(corners @ np.array([ax, ay])), corners @ np.array([-ay, ax])
    for k in range(len(corners)):
        one, other = aside[k - 1], aside[k]
        if min(one, other) <= 0 <= max(one, other):
            share = 0.0 if one == other else one / (one - other)
            yield float(along[k - 1] + share * (along[k] - along[k - 1]))


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
    gives = softening(beam) * beam.magnification
    return stiff if gives == 1.0 else stiff / _decimal(gives)


def softening(beam: Beam) -> float:
    """How much further a tapered beam bends at its tip than one with the section of its root.

    3 ∫ (1 − s)² / (b h³) ds over the length, b and h over those of the root.

    >>> softening(Beam(length=10, thickness=1, width=6, modulus=2000))
    1.0
    """
    if beam.tip_thickness is None and beam.tip_width is None:
        return 1.0
    s = 0.5 * (1 + PLACES)
    thick, wide = 1 + (taper(beam) - 1) * s, 1 + (narrowing(beam) - 1) * s
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
    soft = 0.5 * WEIGHTS / ((1 + (narrowing(beam) - 1) * s) * (1 + (taper(beam) - 1) * s) ** 3)
    base = (beam.magnification - 1) * softening(beam) / 3
    lever = (float(np.sum(soft * (1 - s) ** 2)) + base) / (float(np.sum(soft * (1 - s))) + base)
    out = drawn.length * (1 - lever) - drawn.behind
    x, y = (Fraction(round(out * value * GRAIN), GRAIN) for value in drawn.axis)
    return x, y


def taper(beam: Beam) -> float:
    """The thickness at the nose over that at the root."""
    return (beam.tip_thickness or beam.thickness) / beam.thickness


def narrowing(beam: Beam) -> float:
    """The width at the nose over that at the root."""
    return (beam.tip_width or beam.width) / beam.width


def handbook_stiffness(model: Fastener, pawl: Pawl, strain: float) -> float:
    """The force at the nose for each unit that it goes aside, P/y = 3 EI/L³, as the handbooks have it.

    With the secant modulus at a strain, less by taper and Q. Source: Bayer, Snap-Fit Joints for Plastics: A
    Design Guide, table 1.
    """
    beam = pawl.beam
    assert beam is not None
    flexural = elastic_modulus(beam) * _secant(beam, strain) * beam.width * beam.thickness**3 / 12
    return 3 * flexural / cantilever(model, pawl).length ** 3 / (softening(beam) * beam.magnification)


def bending(model: Fastener, pawl: Pawl) -> tuple[float, ...]:
    """A beam as `bend` reads it, from LENGTH on."""
    beam = pawl.beam
    assert beam is not None
    drawn = cantilever(model, pawl)
    scale = elastic_modulus(beam) * beam.width * beam.thickness**3 / 12 / drawn.length**2
    row = np.zeros(WIDTH)
    row[LENGTH:HELD] = (
        drawn.length, *drawn.axis, drawn.behind, scale, beam.thickness / 2 / drawn.length,
        taper(beam), narrowing(beam), (beam.magnification - 1) * softening(beam) / 3,
        (drawn.behind + drawn.starts) / drawn.length,
    )  # fmt: skip
    points = secant_points(beam)
    row[SECANT : SECANT + 2 * len(points)] = [value for point in points for value in point]
    if pawl.preload:
        force, softer = -float(pawl.preload) / (drawn.length - drawn.behind), 1.0
        for _ in range(20):  # the preload's own strain softens what it bends
            slope, strain = held_by(force / (scale * softer), row)
            row[HELD], row[SLOPE0] = force / (scale * softer), slope
            softer = _secant(beam, strain)
    return tuple(row[LENGTH:].tolist())


def rest_strain(row: tuple[float, ...]) -> float:
    """Of a beam as `bending` has it, while nothing but its preload bends it."""
    whole = np.array([0.0, 0.0, *row])
    return held_by(whole[HELD], whole)[1] if whole[HELD] else 0.0


def secant_points(beam: Beam) -> tuple[tuple[float, float], ...]:
    """Strains, rising, and the secant modulus at each over that of small strains; none if not asked for."""
    if beam.secant is False:
        return ()
    points = material(beam.material or "").secant if beam.secant is True else beam.secant
    return tuple((strain, modulus / elastic_modulus(beam)) for strain, modulus in points)


def _secant(beam: Beam, strain: float) -> float:
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
