"""Materials that snap-fits are made of: how stiff they are, how far they may be strained, how they rub.

Values are for room temperature and typical grades, to begin a design with; the supplier's data sheet of the
grade goes before them. The modulus is that of small strains. At the strain of a snap the secant modulus is
lower (polycarbonate: 1815 N/mm² at 2 %, where 2400 is its modulus), so that forces come out too large by as
much; a beam takes a `modulus` of its own, or `secant` moduli. The strain is for joining
once. For joints that are often taken apart the guides allow about 60 % of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pliant.core.errors import Fault, InputError

CoefficientRange = tuple[float, float]

BAYER = "Bayer, Snap-Fit Joints for Plastics: A Design Guide"
DUPONT = "DuPont, General Design Principles, Module I, lug-type snap-fits, used once"
RULE = "70 % of the yield strain (DSM, Maximum Allowable Short-Term Strain)"
RUBS = "friction: " + BAYER + ", table 3"
USUAL = "modulus: data sheets"


@dataclass(frozen=True)
class FrictionRange:
    """Coefficients of friction as published, from the lowest to the highest."""

    on_steel: CoefficientRange
    on_itself: CoefficientRange | None


@dataclass(frozen=True)
class Material:
    """A material of the table, and where its values come from."""

    name: str  # as files give it
    modulus: float  # N/mm²
    strain_limit: float  # for a single joining
    friction: FrictionRange | None  # on steel and on itself
    source: str  # of the figures
    secant: tuple[tuple[float, float], ...] = ()  # strains and the secant modulus at each, N/mm²


def material(name: str) -> Material:
    """The material of that name.

    Args:
        name: as MATERIALS has it.

    Returns:
        Its moduli, strain and friction.

    Raises:
        InputError: there is none; it says which is nearest.

    >>> material("PC").strain_limit
    0.04
    """
    if name not in MATERIALS:
        raise InputError([Fault("material", *unknown_material(name))])
    return MATERIALS[name]


def unknown_material(name: str) -> tuple[str, str]:
    """The fault and the cure, of a name that is not in the table.

    >>> unknown_material("pom")
    ("'pom' is not in the table of materials", "Did you mean 'POM'?")
    """
    from difflib import get_close_matches

    plain = {known.casefold(): known for known in MATERIALS}
    near = get_close_matches(name.casefold(), plain, 1)
    cure = f"Did you mean {plain[near[0]]!r}?" if near else f"There are: {', '.join(MATERIALS)}"
    return f"{name!r} is not in the table of materials", cure


def _friction(low: float, high: float, on_itself: float | None = None) -> FrictionRange:
    """Friction on steel, and the factor by which the guide has it larger on the same material."""
    return FrictionRange((low, high), None if on_itself is None else (low * on_itself, high * on_itself))


def _materials() -> Iterator[Material]:
    nylon, acetal = _friction(0.30, 0.40, 1.5), _friction(0.20, 0.35, 1.5)
    olefins = f"{USUAL}; strain: {RULE}; {RUBS}"
    lugs = f"{USUAL}; strain: {DUPONT}; {RUBS}"
    like = f"{USUAL}; strain: as nylon 66 of {DUPONT}; {RUBS}"
    yield Material("POM", 2800, 0.06, acetal, f"{lugs}; strain of a homopolymer of medium flow")
    yield Material("PA6 dry", 3000, 0.04, nylon, like)
    yield Material("PA6 conditioned", 1100, 0.06, nylon, like)
    yield Material("PA66 dry", 3100, 0.04, nylon, lugs)
    yield Material("PA66 conditioned", 1400, 0.06, nylon, f"{lugs}; at 50 % relative humidity")
    yield Material("PA66-GF30 dry", 9500, 0.01, nylon, f"{lugs}; strain 0.8 to 1.2 %")
    yield Material("PA66-GF30 conditioned", 6500, 0.015, nylon, f"{lugs}; strain 1.5 to 2 %")
    yield Material("PBT", 2600, 0.025, _friction(0.35, 0.40), olefins)
    yield Material("PP", 1500, 0.06, _friction(0.25, 0.30, 1.5), f"{olefins}; homopolymer")
    yield Material("PE-HD", 1000, 0.06, _friction(0.20, 0.25, 2.0), olefins)
    yield Material("ABS", 2300, 0.02, _friction(0.50, 0.65, 1.2), olefins)
    guide = f"{USUAL}; strain: {BAYER}, table 2"
    yield Material("PC", 2400, 0.04, _friction(0.45, 0.55, 1.2), f"{guide}; {RUBS}", ((0.02, 1815),))
    yield Material("PC/ABS", 2300, 0.025, None, f"{guide}, 2.5 to 3.5 %; no friction published there")
    brittle = "half the strain at break, 4 to 5 % (DSM, Maximum Allowable Short-Term Strain)"
    yield Material("PMMA", 3200, 0.02, _friction(0.50, 0.60, 1.2), f"{USUAL}; strain: {brittle}; {RUBS}")
    printed = "typical of printed parts, with the layers along the beam; no guide has them; test a print"
    yield Material("PLA", 3500, 0.012, None, f"{printed}; strain 1 to 1.5 %")
    yield Material("PETG", 2100, 0.02, None, f"{printed}; strain 1.7 to 3 %")
    steel = "modulus: EN 10270-1; strain: a bending stress of about 1000 N/mm², typical"
    yield Material("spring steel", 206_000, 0.005, None, steel)


MATERIALS = {each.name: each for each in _materials()}
SECANT = tuple(each.name for each in MATERIALS.values() if each.secant)  # those with a secant modulus
