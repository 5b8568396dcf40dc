"""Linkages by their dimensions: drawn as they were asked for."""

from __future__ import annotations

import math

import pytest

from pliant.linkage.generate import (
    chain,
    four_bar,
    jansen,
    linkage,
    meet,
    places,
    slider_crank,
    triad,
    turning_triad,
)
from pliant.linkage.model import Linkage, Motor
from pliant.linkage.solve import solve

JANSEN = {
    "A C": 15, "B P1": 41.5, "C P1": 50, "B P2": 39.3, "C P2": 61.9, "B P3": 40.1,
    "P1 P3": 55.8, "P3 P4": 39.4, "P2 P4": 36.7, "P2 P5": 49, "P4 P5": 65.7,
}  # fmt: skip


def lengths(model: Linkage, *pairs: str) -> list[float]:
    z = places(model)
    return [abs(z[p] - z[q]) for p, q in (pair.split() for pair in pairs)]


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize(("p", "r", "q", "s"), [(0, 5, 6, 5), (1 + 2j, 3, -2 + 1j, 1.5), (2j, 1, 1j, 1.9)])
def test_circles_meet_at_both_distances_and_on_the_side_asked_for(p, r, q, s, side):
    z = meet(p, r, q, s, side)
    assert (abs(z - p), abs(z - q)) == pytest.approx((r, s), rel=1e-14)
    assert math.copysign(1, ((z - p) / (q - p)).imag) == side


def test_circles_that_touch_meet_between_their_centres():
    assert meet(0, 2, 5, 3) == meet(0, 2, 5, 3, -1) == 2


@pytest.mark.parametrize(("r", "s"), [(1, 1), (5, 1)])
def test_circles_apart_or_one_inside_the_other_do_not_meet(r, s):
    with pytest.raises(ValueError, match=f"circles of radius {r} and {s}, 3 apart, do not meet"):
        meet(0, r, 3j, s)


def test_the_first_link_is_turned_unless_motors_are_given():
    joints = {"A": 0, "B": 1j, "C": 3 + 2j, "D": 4}
    model = linkage(joints, "AD", ("A B", "B C", "C D"))
    assert model.motors == (Motor(joint="A", drives="B"),)
    assert [link.label for link in model.links] == ["A-B", "B-C", "C-D"]
    other = linkage(joints, "AD", ("A B", "B C", "C D"), motors=[{"joint": "D", "drives": "C"}], title="back")
    assert (other.motors, other.title) == ((Motor(joint="D", drives="C"),), "back")


def test_places_are_what_a_linkage_was_drawn_from():
    joints = {"A": 0j, "B": 1j, "C": 3 + 2j, "D": 4 + 0j}
    assert places(linkage(joints, "AD", ("A B", "B C", "C D"))) == joints


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("angle", [0.0, 1.0, 4.0])
def test_a_four_bar_has_its_lengths_its_angle_and_its_side(angle, side):
    model = four_bar(4, 1, 3.5, 3, angle, side)
    assert lengths(model, "A D", "A B", "B C", "C D") == pytest.approx([4, 1, 3.5, 3], rel=1e-14)
    z = places(model)
    assert z["B"] == pytest.approx(complex(math.cos(angle), math.sin(angle)))
    assert math.copysign(1, ((z["C"] - z["B"]) / (z["D"] - z["B"])).imag) == side
    assert model.ground == ("A", "D")


def test_a_point_of_the_coupler_is_told_as_a_multiple_of_it():
    model = four_bar(4, 1, 3.5, 3, point=0.4 + 0.7j)
    z = places(model)
    assert (z["P"] - z["B"]) / (z["C"] - z["B"]) == pytest.approx(0.4 + 0.7j)
    assert [link.label for link in model.links] == ["A-B", "B-C-P", "C-D"]


def test_a_four_bar_that_cannot_be_closed_is_not_drawn():
    with pytest.raises(ValueError, match="do not meet"):
        four_bar(4, 1, 1, 1)


@pytest.mark.parametrize("offset", [0.0, 0.7, -1.5])
def test_a_slider_crank_has_its_lengths_and_its_slider_at_the_offset_to_the_right(offset):
    model = slider_crank(1, 3, offset, angle=2.0)
    assert lengths(model, "A B", "B P") == pytest.approx([1, 3], rel=1e-14)
    z = places(model)
    assert z["P"].imag == offset
    assert z["P"].real > z["B"].real
    assert solve(model).joints["P"][:, 1] == pytest.approx(offset, abs=1e-14)


@pytest.mark.parametrize("angle", [0.0, 2.5])
def test_jansens_leg_has_his_lengths(angle):
    assert lengths(jansen(angle), *JANSEN) == pytest.approx(list(JANSEN.values()), rel=1e-13)
    assert solve(jansen(angle)).limits is None


def test_a_chain_is_as_long_as_asked_and_every_dyad_a_parallelogram():
    model = chain(4)
    assert len(model.links) == 1 + 2 * 4
    assert model.ground == ("G0", "G1", "G2", "G3", "G4")
    assert lengths(model, *(f"G{k} T{k}" for k in range(5))) == [1] * 5
    assert lengths(model, *(f"T{k} T{k + 1}" for k in range(4))) == [3] * 4
    assert model.motors[0].range == pytest.approx((math.radians(-50), math.radians(50)))
    assert chain(1, motors=[{"joint": "G0", "drives": "T0"}]).motors[0].range is None


@pytest.mark.slow
def test_the_joints_of_a_triad_are_found_together_and_one_of_the_two_turns_fully():
    limited, free = solve(triad()), solve(turning_triad())
    for result in (limited, free):
        (group,) = result.plan.groups
        assert sorted(result.plan.structure.names[k] for k in group.joints) == ["C", "D", "E"]
    assert limited.limits is not None
    assert free.limits is None
