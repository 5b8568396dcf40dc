"""Pairs that may touch."""

import numpy as np
import pytest

from pliant.core.errors import InputError
from pliant.relax.assemble import contacts
from pliant.relax.assemble.build import build
from pliant.relax.model import Mechanism

NODES = {"a": (0, 0), "b": (2, 0), "c": (0, 1), "d": (2, 1), "e": (1, 3)}


def pairs(names):
    return [list(pair) for pair in names.split()]


def touch(*kinds):
    bars = [{"nodes": pair} for pair in pairs("ab cd de")]
    found = [{"radius": 0.2, **kind} for kind in kinds]
    data = {"nodes": NODES, "bars": bars, "contacts": found, "stiffness": 4}
    return build(Mechanism.model_validate(data)).parts.touch


def test_members_touch_all_others_but_those_that_share_a_node():
    found = touch({"members": pairs("ab cd de ee"), "friction": 0.3})
    assert found.ends.tolist() == [[0, 1, 2, 3], [0, 1, 3, 4], [0, 1, 4, 4], [2, 3, 4, 4]]
    assert found.radius.tolist() == [0.2] * 4
    assert found.stiffness.tolist() == [4] * 4
    assert found.friction.tolist() == [0.3] * 4


def test_members_touch_only_what_they_are_against():
    found = touch({"members": pairs("ab ee"), "against": pairs("cd de"), "stiffness": 0.5})
    assert found.ends.tolist() == [[0, 1, 2, 3], [0, 1, 3, 4], [4, 4, 2, 3]]
    assert found.stiffness.tolist() == [0.5] * 3


def test_a_pair_knows_on_which_side_it_is_drawn():
    found = touch({"members": pairs("ab ee"), "against": pairs("cd")})
    np.testing.assert_allclose(found.normal, [[0, 1], [0, -1]], atol=1e-15)


def test_several_contacts_come_one_after_the_other():
    found = touch({"members": pairs("ab cd")}, {"members": pairs("ab ee"), "radius": 0.4, "friction": 1})
    assert found.radius.tolist() == [0.2, 0.4]
    assert found.friction.tolist() == [0, 1]


def test_more_pairs_than_memory_holds_are_refused_with_a_cure(monkeypatch):
    monkeypatch.setattr(contacts, "MOST", 2)
    with pytest.raises(InputError, match=r"contacts\[0\]: its members make 3 pairs.*against"):
        touch({"members": pairs("ab cd ee")})
