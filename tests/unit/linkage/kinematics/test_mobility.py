"""Freedoms: Grübler's count against bodies and joints, the true number, and who is to blame for a lock."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from pliant.core.errors import InputError
from pliant.linkage.generate import linkage
from pliant.linkage.kinematics import mobility
from pliant.linkage.kinematics.mobility import compile_plan, freedoms, grubler, refuse_locked
from pliant.linkage.model import Linkage
from pliant.linkage.structure.order import order
from pliant.linkage.structure.rule_plan import RulePlan, structure

FOUR_BAR = {"A": 0, "B": 0.2 + 1j, "C": 3.2 + 1.3j, "D": 3}
PARALLELOGRAM = {"A": 0, "B": 0.2 + 1j, "C": 3.2 + 1j, "D": 3, "E": 1 + 0.5j, "F": 1.2 + 1.5j}
TRAMMEL = {"O": 0, "M": 1 + 0.5j, "X": 2, "Y": 1j}
AXES = [{"joint": "X", "along": [[0, 0], [1, 0]]}, {"joint": "Y", "along": [[0, 0], [0, 1]]}]


def drawn(joints: dict[str, complex], ground: str, links: str, motors: str = "AB", **rest) -> Linkage:
    """Joints have one letter, so that links and motors are words; those that are not used are left out."""
    used = {name: at for name, at in joints.items() if name in ground + links}
    driven = [{"joint": a, "drives": b} for a, b in motors.split()]
    return linkage(used, ground, map(" ".join, links.split()), motors=driven, **rest)


def planned(model: Linkage) -> RulePlan:
    """Without the refusal."""
    return order(structure(model))


def refusal(model: Linkage):
    with pytest.raises(InputError) as caught:
        compile_plan(model)
    return caught.value.faults


@pytest.mark.parametrize(
    ("model", "bodies", "full", "half"),
    [
        (drawn(FOUR_BAR, "AD", "AB BC CD"), 4, 4, 0),
        (drawn(FOUR_BAR | {"P": 1 + 2j}, "AD", "AB BCP CD"), 4, 4, 0),
        # Watt's: a second four-bar on the rocker's other side
        (drawn(FOUR_BAR | {"E": 4 + 1j, "F": 5 + 2j, "G": 6}, "ADG", "AB BC CDE EF FG"), 6, 7, 0),
        # Stephenson's, where the coupler drives two more
        (drawn(FOUR_BAR | {"P": 2 + 2j, "F": 5 + 2j, "G": 6}, "ADG", "AB BCP CD PF FG"), 6, 7, 0),
        # three links at one pin are two joints
        (drawn(FOUR_BAR | {"F": 5 + 2j, "G": 6}, "ADG", "AB BC CD CF FG"), 6, 7, 0),
        # a pin in a slot leaves two ways to move
        (drawn(FOUR_BAR, "A", "AB BC", sliders=[{"joint": "C", "along": [[0, 0], [1, 0]]}]), 3, 2, 1),
        (drawn(FOUR_BAR, "AD", "AB DC", sliders=[{"joint": "B", "on": "D-C"}]), 3, 2, 1),
        (
            drawn(FOUR_BAR, "AD", "AB DC", sliders=[{"joint": "B", "on": "D-C", "along": [[0, 0], [1, 1]]}]),
            3,
            2,
            1,
        ),
        # a truss in place of a plate
        (drawn(FOUR_BAR | {"P": 1 + 2j}, "AD", "AB BC CP PB CD"), 6, 7, 0),
        (drawn(PARALLELOGRAM, "ADE", "AB BCF CD EF"), 5, 6, 0),
        (drawn(FOUR_BAR, "AD", "AB BC CD BD"), 5, 6, 0),
    ],
)
def test_grublers_count_of_rows_is_that_of_bodies_and_joints(model, bodies, full, half):
    assert grubler(structure(model)) == 3 * (bodies - 1) - 2 * full - half


@pytest.mark.parametrize(
    ("model", "counted", "true"),
    [
        (drawn(FOUR_BAR, "AD", "AB BC CD"), 1, 1),
        (drawn(PARALLELOGRAM, "ADE", "AB BCF CD EF"), 0, 1),
        (drawn(TRAMMEL, "O", "OM XMY", "OM", sliders=AXES), 0, 1),
        (drawn(FOUR_BAR, "AD", "AB BC CD BD"), 0, 0),
        (drawn(FOUR_BAR, "AD", "AB BC CD", "AB DC"), 1, 1),
        (drawn(FOUR_BAR | {"E": 6, "F": 6 + 2j}, "ADE", "AB BC CF EF CD", "AB EF"), 1, 1),
        (drawn(FOUR_BAR | {"E": 6, "F": 6 + 2j}, "AE", "AB BC CF EF", "AB EF"), 2, 2),
    ],
)
def test_true_freedoms_see_through_repeated_equations(model, counted, true):
    plan = planned(model)
    assert (grubler(plan.structure), freedoms(plan)) == (counted, true)


def test_freedoms_do_not_depend_on_the_unit_of_length():
    for scale in (1e-3, 1e3):
        scaled = {name: scale * at for name, at in PARALLELOGRAM.items()}
        assert freedoms(planned(drawn(scaled, "ADE", "AB BCF CD EF"))) == 1
        bent = scaled | {"E": scale * (1.2 + 0.5j)}
        assert freedoms(planned(drawn(bent, "ADE", "AB BCF CD EF"))) == 0


@pytest.mark.parametrize(
    "model",
    [drawn(PARALLELOGRAM, "ADE", "AB BCF CD EF"), drawn(TRAMMEL, "O", "OM XMY", "OM", sliders=AXES)],
)
def test_a_redundant_linkage_that_moves_is_not_refused(model):
    assert planned(model).redundancy == 1
    refuse_locked(planned(model))


def test_two_motors_on_one_freedom_fight():
    (fault,) = refusal(drawn(FOUR_BAR, "AD", "AB BC CD", "AB DC"))
    assert fault.where == "motors"
    assert fault.problem == "2 motors but 1 freedom: motors[1] fights motors[0]"


def test_a_lock_names_the_link_to_remove_and_not_the_ones_beside_it():
    (fault,) = refusal(drawn(FOUR_BAR, "AD", "AB BC CD BD"))
    assert fault.where == "links"
    assert fault.problem == "motors[0] cannot turn: B-D holds A, B and D with 1 equation too many"
    assert fault.cure.startswith("Remove it")


def test_removing_any_of_the_links_a_lock_names_frees_the_motor():
    joints = FOUR_BAR | {"P": 2 + 2j, "E": 2.5}
    links = "AB BCP CD PE"
    (fault,) = refusal(drawn(joints, "ADE", links))
    assert "B-C-P, C-D and P-E hold A, B, C, D, P and E with 1 equation too many" in fault.problem
    for kept in ("AB BCP CD", "AB BCP PE"):
        assert freedoms(planned(drawn(joints, "ADE", kept))) == 1


def test_a_slider_too_many_is_named_as_such():
    model = drawn(
        FOUR_BAR | {"P": 2 + 2j}, "AD", "AB BCP CD", sliders=[{"joint": "P", "along": [[0, 0], [1, 0]]}]
    )
    (fault,) = refusal(model)
    assert "B-C-P, C-D and slider P hold A, B, C, D and P with" in fault.problem


def test_only_the_motor_that_is_locked_is_named():
    far = {"P": 10, "Q": 10.2 + 1j, "R": 13 + 1.2j, "S": 13}
    (fault,) = refusal(drawn(FOUR_BAR | far, "ADPS", "AB BC CD PQ QR RS QS", "AB PQ"))
    assert fault.problem == "motors[1] cannot turn: Q-S holds P, Q and S with 1 equation too many"


def test_a_parallelogram_drawn_with_too_few_digits_is_told_so():
    (fault,) = refusal(drawn(PARALLELOGRAM | {"F": 1.2 + 1.5001j}, "ADE", "AB BCF CD EF"))
    assert "draw more digits" in fault.cure


def test_rows_and_rates_without_direction_count_as_none():
    assert mobility._rank(mobility._unit(np.zeros((2, 3)))) == 0


def test_a_motor_whose_arm_has_shrunk_to_a_point_is_told_by_its_ends():
    plan = planned(drawn(FOUR_BAR, "AD", "AB BC CD AC"))
    at = plan.structure.drawn.copy()
    at[plan.structure.names.index("B")] = at[plan.structure.names.index("A")]
    shrunk = dataclasses.replace(plan, structure=dataclasses.replace(plan.structure, drawn=at))
    fault = mobility._locked_fault(shrunk, np.array([0]), 1.0)
    assert fault.problem == "motors[0] cannot turn: A and B are at one place"
    assert fault.names == ("A", "B")
