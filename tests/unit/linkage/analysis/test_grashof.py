"""Kinds of four-bars and slider-cranks: by their lengths, and by what they then do."""

from __future__ import annotations

import pytest

from pliant.linkage.analysis.grashof import bodies, four_bars, slider_cranks
from pliant.linkage.generate import four_bar, linkage, slider_crank
from pliant.linkage.kinematics.drive import motor_drive
from pliant.linkage.kinematics.limits import motion_range
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.model import Linkage
from pliant.linkage.structure.rule_plan import structure

KINDS = [
    ((4, 1, 3.5, 3), "crank-rocker", True, False),
    ((1, 3, 3.5, 4), "double-crank", True, True),
    ((4, 3, 3.5, 1), "rocker-crank", False, True),
    ((4, 3, 1, 3.5), "double-rocker", False, False),
    ((4, 3, 2, 2.5), "triple-rocker", False, False),
    ((2, 3, 4, 2.5), "triple-rocker", False, False),
    ((3, 1, 3, 1), "change point", True, True),
    ((4, 2, 3, 3), "change point", True, False),
]


@pytest.mark.parametrize(("lengths", "kind", "first", "last"), KINDS)
def test_every_kind_is_told_by_its_lengths(lengths, kind, first, last):
    (loop,) = four_bars(structure(four_bar(*lengths)))
    assert loop.kind == kind
    assert loop.joints == ("A", "B", "C", "D")
    assert loop.lengths == pytest.approx(lengths)
    assert loop.driven
    assert (loop.input_turns, loop.output_turns) == (first, last)


@pytest.mark.parametrize(("lengths", "kind", "first", "last"), KINDS)
def test_the_input_turns_fully_exactly_where_the_run_does(lengths, kind, first, last):
    model = four_bar(*lengths)
    assert (motion_range(compile_plan(model), motor_drive(model, 90)).above is None) == first


@pytest.mark.parametrize(("lengths", "kind", "first", "last"), KINDS)
def test_driven_from_the_other_side_input_and_output_are_exchanged(lengths, kind, first, last):
    model = four_bar(*lengths)
    other = Linkage.model_validate(model.model_dump() | {"motors": [{"joint": "D", "drives": "C"}]})
    (loop,) = four_bars(structure(other))
    swapped = {"crank-rocker": "rocker-crank", "rocker-crank": "crank-rocker"}
    assert loop.joints == ("D", "C", "B", "A")
    assert loop.kind == swapped.get(kind, kind)
    assert (loop.input_turns, loop.output_turns) == (last, first)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e5])
def test_a_change_point_is_told_from_a_near_miss_at_any_scale(scale):
    (equal,) = four_bars(structure(four_bar(3 * scale, scale, 3 * scale, scale)))
    (short,) = four_bars(structure(four_bar(3 * scale, scale, 3 * scale, scale * (1 - 1e-6))))
    assert equal.kind == "change point"
    assert short.kind == "rocker-crank"


def test_a_triple_rocker_says_which_side_is_the_longest():
    (loop,) = four_bars(structure(four_bar(4, 3, 2, 2.5)))
    assert loop.longest == "ground"
    assert loop.describe() == (
        "A-B-C-D is a triple-rocker, its ground the longest (s + l = 6 > p + q = 5.5): "
        "on the ground A-D, A-B rocks, D-C rocks."
    )


def test_a_crank_rocker_is_described_in_a_sentence():
    (loop,) = four_bars(structure(four_bar(4, 1, 3.5, 3)))
    assert loop.describe() == (
        "A-B-C-D is a crank-rocker (s + l = 5 < p + q = 6.5): on the ground A-D, A-B turns fully, D-C rocks."
    )


def test_both_loops_of_a_crank_that_drives_two_rockers_are_found():
    joints = {"A": 0, "B": 1j, "C": 3 + 2j, "D": 4, "E": -3 + 2j, "F": -4}
    loops = four_bars(structure(linkage(joints, "ADF", ("A B", "B C", "C D", "B E", "E F"))))
    assert {loop.joints for loop in loops} == {("A", "B", "C", "D"), ("A", "B", "E", "F")}
    assert all(loop.driven for loop in loops)


def test_a_loop_behind_the_rocker_is_found_and_is_not_driven():
    joints = {"A": 0, "B": 1j, "C": 3 + 2j, "D": 4, "E": 5 + 1j, "F": 7 + 2j, "G": 8}
    loops = four_bars(structure(linkage(joints, "ADG", ("A B", "B C", "C D E", "E F", "F G"))))
    found = {frozenset(loop.joints): loop.driven for loop in loops}
    assert found == {frozenset("ABCD"): True, frozenset("DEFG"): False}


def test_a_truss_is_one_body_and_its_sides_are_bars():
    joints = {"A": 0, "B": 1j, "C": 3 + 2j, "D": 4, "P": 1.5 + 4j}
    model = linkage(joints, "AD", ("A B", "B P", "P C", "C B", "C D"))
    names = [body.links for body in bodies(structure(model))]
    assert ("B-P", "P-C", "C-B") in names
    assert len(names) == 4
    (loop,) = four_bars(structure(model))
    assert loop.joints == ("A", "B", "C", "D")


@pytest.mark.parametrize(
    ("r", "rod", "offset", "turns"),
    [(1, 3, 0, True), (1, 3, 1.9, True), (1, 3, -2, True), (1, 3, 2.1, False), (3, 2, 0, False)],
)
def test_a_slider_crank_turns_where_offset_and_crank_are_within_the_rod(r, rod, offset, turns):
    model = slider_crank(r, rod, offset, 0.4)
    (loop,) = slider_cranks(structure(model))
    assert (loop.crank, loop.rod, loop.offset) == pytest.approx((r, rod, abs(offset)))
    assert loop.turns == turns
    assert (motion_range(compile_plan(model), motor_drive(model, 90)).above is None) == turns
    assert ("turns fully" if turns else "only rocks") in loop.describe()


def test_a_four_bar_has_no_slider_crank_and_a_slider_crank_no_four_bar():
    assert slider_cranks(structure(four_bar(4, 1, 3.5, 3))) == ()
    assert four_bars(structure(slider_crank(1, 3, 0.5))) == ()
