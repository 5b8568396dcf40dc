"""The stiffness of what is rigid, where the model does not say."""

import pytest

from pliant.relax.assemble.build import build
from pliant.relax.model import Mechanism

NODES = {"a": (0, 0), "b": (4, 0), "c": (0, 2)}
BAR = {"nodes": ["a", "b"]}


def stiffness(**more):
    data = {"nodes": NODES, "bars": [BAR, {"nodes": ["a", "c"]}], **more}
    return build(Mechanism.model_validate(data)).parts.links.stiffness[1]


def test_pure_geometry_has_stiffness_one():
    assert stiffness() == 1
    assert stiffness(strings=[{"nodes": ["b", "c"]}], actuators=[{"nodes": ["b", "c"], "to": 3}]) == 1


def test_the_model_may_say_it():
    assert stiffness(stiffness=25, springs=[{"nodes": ["b", "c"], "stiffness": 10}]) == 25


OTHERS = {
    "springs": ({"springs": [{"nodes": ["b", "c"], "stiffness": 10}]}, 10),
    "elastic bars": ({"bars": [BAR | {"stiffness": 6}, {"nodes": ["a", "c"]}]}, 6),
    "bars of a material": ({"bars": [BAR | {"modulus": 20, "area": 3}, {"nodes": ["a", "c"]}]}, 15),
    "elastic strings": ({"strings": [{"nodes": ["b", "c"], "stiffness": 7}]}, 7),
    "loads": ({"loads": [{"node": "b", "force": [3, 4]}]}, 5 / 4),
    "what loads grow to": ({"loads": [{"node": "b", "force": [0, 0], "to": [6, 8]}]}, 10 / 4),
    "weights": ({"gravity": [0, -8], "masses": {"b": 3}}, 3 * 8 / 4),
    "fields": ({"fields": [{"centre": [0, 0], "strength": -2, "power": 2}]}, 2 * 16 / 4),
    "fields without bound": ({"fields": [{"centre": [0, 0], "strength": 2, "power": -1}]}, 2 / 4e-3 / 4),
}


@pytest.mark.parametrize(("more", "largest"), OTHERS.values(), ids=OTHERS)
def test_what_is_rigid_is_a_thousand_times_as_stiff_as(more, largest):
    assert stiffness(**more) == pytest.approx(10_000 * largest, rel=1e-12)


def test_what_weighs_and_pulls_nothing_changes_nothing():
    assert stiffness(gravity=[0, 0], loads=[{"node": "b", "force": [0, 0]}]) == 1
