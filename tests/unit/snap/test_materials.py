"""The table of materials: values that are of the order of a snap-fit's, each with where it comes from."""

import pytest

from pliant.core.errors import InputError
from pliant.snap.handbook.materials import MATERIALS, material

PLASTICS = [found for found in MATERIALS.values() if found.name != "spring steel"]


@pytest.mark.parametrize("found", MATERIALS.values(), ids=lambda found: found.name)
def test_every_value_says_where_it_comes_from(found):
    assert material(found.name) is found
    assert "strain" in found.source
    assert "modulus: " in found.source or "typical" in found.source
    assert (found.friction is not None) == ("friction: " in found.source)


@pytest.mark.parametrize("found", PLASTICS, ids=lambda found: found.name)
def test_plastics_are_as_stiff_and_as_extensible_as_plastics_are(found):
    assert 500 <= found.modulus <= 12_000
    assert 0.005 <= found.strain_limit <= 0.1
    # What is filled or brittle is stiff and takes little strain; no stress is beyond what plastics bear.
    assert found.modulus * found.strain_limit <= 200


def test_friction_is_a_range_and_larger_on_the_same_material_than_on_steel():
    for found in MATERIALS.values():
        if found.friction is not None:
            low, high = found.friction.on_steel
            assert 0.1 < low < high < 0.7
            assert found.friction.on_itself is None or found.friction.on_itself[0] >= low


def test_moisture_makes_nylon_softer_and_glass_makes_it_stiff():
    for name in ("PA6", "PA66", "PA66-GF30"):
        dry, wet = material(f"{name} dry"), material(f"{name} conditioned")
        assert dry.modulus > 1.4 * wet.modulus
        assert dry.strain_limit < wet.strain_limit
    assert material("PA66-GF30 dry").modulus > 2.5 * material("PA66 dry").modulus


def test_the_example_of_the_guide_has_the_friction_of_its_table():
    """Bayer, Snap-Fit Joints for Plastics, p. 16: polycarbonate on polycarbonate, 4 % and μ = 0.6."""
    found = material("PC")
    assert found.strain_limit == 0.04
    low, high = found.friction.on_itself
    assert low < 0.6 < high


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("pom", "Did you mean 'POM'?"),
        ("PA66", "Did you mean 'PA66 dry'?"),
        ("Spring Steel", "Did you mean 'spring steel'?"),
        ("unobtainium", "There are: POM, PA6 dry, "),
    ],
)
def test_a_material_that_is_not_there_is_told_with_the_nearest(name: str, cure: str):
    with pytest.raises(InputError) as caught:
        material(name)
    assert str(caught.value).startswith(f"material: {name!r} is not in the table of materials. {cure}")
