"""The order of rules: found from the drawing alone, with words for what is missing or too much."""

import numpy as np
import pytest

from pliant.core.errors import InputError
from pliant.linkage.generate import TRIAD, chain, four_bar, jansen, linkage, meet, places, slider_crank, triad
from pliant.linkage.kinematics.follow import follow
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.structure.constraints import errors
from pliant.linkage.structure.rule import RuleKind
from pliant.linkage.structure.sides import sides


def rules(model):
    return {
        step.get("joint", "+".join(step.get("joints", ()))): step["rule"]
        for step in compile_plan(model).describe()
    }


def test_a_four_bar_is_ground_motor_triangle():
    assert rules(four_bar(4, 1, 3, 3)) == {"A": "fixed", "D": "fixed", "B": "motor", "C": "triangle"}


def test_every_joint_of_the_jansen_leg_is_found_alone():
    found = rules(jansen())
    assert [found[f"P{k}"] for k in range(1, 6)] == ["triangle", "triangle", "point", "triangle", "point"]


def test_the_order_of_links_and_joints_does_not_matter():
    model = jansen()
    shuffled = model.model_copy(
        update={
            "links": tuple(
                link.model_copy(update={"joints": link.joints[::-1]}) for link in model.links[::-1]
            ),
            "joints": dict(reversed(model.joints.items())),
        }
    )
    angles = np.linspace(0, 6, 30)[None]
    first, second = compile_plan(model), compile_plan(shuffled)
    one, two = follow(first, angles).poses, follow(second, angles).poses
    for name in model.joints:
        a, b = (plan.structure.names.index(name) for plan in (first, second))
        np.testing.assert_allclose(one.x[a], two.x[b], atol=1e-11)


def test_a_joint_in_the_middle_of_a_bar_is_a_point():
    model = linkage({"A": 0, "B": 1j, "P": 2 + 2j, "C": 4 + 3j, "D": 5}, "AD", ("A B", "B P C", "C D"))
    assert rules(model)["P"] == "point"
    poses = follow(compile_plan(model), np.linspace(0, 0.5, 9)[None]).poses
    assert errors(poses.plan.structure.rows, poses.drawn, poses.points).max() < 1e-14


def test_a_flat_triangle_of_three_bars_is_rigid():
    joints = {"A": 0, "B": 1j, "P": 2 + 2j, "C": 4 + 3j, "D": 5}
    model = linkage(joints, "AD", ("A B", "B C", "B P", "P C", "C D"))
    assert rules(model)["P"] == "point"


def test_a_slider_is_found_on_its_line():
    model = slider_crank(1, 3, 0.2)
    assert rules(model)["P"] == "slider"
    poses = follow(compile_plan(model), np.linspace(0, 6, 50)[None]).poses
    np.testing.assert_allclose(poses.x[2, 1], 0.2, atol=1e-15)


def test_a_slider_may_ride_on_a_link_that_is_known():
    joints = {"A": 0, "B": 1 + 0.5j, "C": 3 + 2j, "D": 4, "E": 2.5 + 4j, "F": 5 + 3j}
    model = linkage(
        joints,
        "ADF",
        ("A B", "B C", "C D", "F E"),
        sliders=[{"joint": "E", "on": "B-C", "along": [[1, 3], [3, 4.5]]}],
    )
    assert rules(model)["E"] == "slider"
    poses = follow(compile_plan(model), np.linspace(0, 0.4, 20)[None]).poses
    assert errors(poses.plan.structure.rows, poses.drawn, poses.points).max() < 1e-13


def test_a_triad_is_found_together_and_only_it():
    joints = places(triad()) | {"K": 5 + 6j, "L": 9 + 5j}
    model = linkage(joints, "OGHL", (*TRIAD, "D K", "K L"))
    found = rules(model)
    assert found["C+D+E"] == "coupled"
    assert found["K"] == "triangle"


def test_the_smallest_group_is_taken_first():
    """Two triads one behind the other are two groups of three joints, not one of six."""
    second = {"C2": 6 + 5j, "D2": 8 + 6.5j, "E2": 8 + 3j, "G2": 6 + 9j, "H2": 11 + 3j}
    links = (*TRIAD, "D C2", "C2 D2 E2", "G2 D2", "H2 E2")
    plan = compile_plan(linkage(places(triad()) | second, ("O", "G", "H", "G2", "H2"), links))
    assert [sorted(plan.structure.names[k] for k in group.joints) for group in plan.groups] == [
        ["C", "D", "E"],
        ["C2", "D2", "E2"],
    ]


def test_what_is_not_held_is_named_and_counted():
    with pytest.raises(InputError, match=r"C, D, E are not held: 1 freedom is left"):
        compile_plan(linkage(places(triad()), "OGH", TRIAD[:-1]))
    with pytest.raises(InputError, match=r"C is not held: 1 freedom is left.*Add 1 motor"):
        compile_plan(linkage({"A": 0, "B": 1j, "C": 3}, "A", ("A B", "B C")))


def test_what_is_held_too_often_is_named():
    b = 1j
    joints = {"A": 0, "B": b, "C": meet(b, 3, 4, 3), "D": 4, "E": 1.5 - 2j}
    with pytest.raises(InputError, match=r"too many"):
        compile_plan(linkage(joints, "ADE", ("A B", "B C", "C D", "E C")))


def test_a_third_crank_that_fits_is_no_fault():
    joints = {"A": 0, "B": 1j, "C": 3 + 1j, "D": 3, "E": 5 + 1j, "F": 5}
    plan = compile_plan(linkage(joints, "ADF", ("A B", "B C E", "C D", "E F")))
    assert plan.redundancy == 1


def test_a_flat_drawing_has_no_side():
    with pytest.raises(InputError, match=r"B, C and D are drawn in one line"):
        compile_plan(linkage({"A": 0, "B": 1, "C": 3, "D": 5}, "AD", ("A B", "B C", "C D")))


def test_a_group_drawn_in_a_dead_centre_says_so():
    """Three bars that meet in one point let their plate turn about it, for a moment."""
    joints = {"O": -6 - 1j, "A": -4, "C": -1, "D": 1j, "E": 1, "G": 4j, "H": 4}
    with pytest.raises(InputError, match=r"dead centre: where C, D, E go"):
        compile_plan(linkage(joints, "OGH", TRIAD))


def test_sides_are_those_of_the_drawing():
    for side in (1, -1):
        plan = compile_plan(four_bar(4, 1, 3, 3, side=side))
        assert sides(plan.ops, plan.drawn)[3] == side == plan.signs[3]


def test_a_long_chain_is_ordered_from_end_to_end():
    plan = compile_plan(chain(1000))
    assert (plan.codes[-1000:] == RuleKind.TRIANGLE).all()


def test_a_linkage_that_is_locked_for_good_is_not_told_to_be_turned():
    """The crank points at D and the two bars are just long enough: turned either way they do not reach."""
    stretched, free = {"A": 0, "B": 1, "C": 2, "D": 4}, {"A": 0, "B": -1, "C": 1.5, "D": 4}
    with pytest.raises(InputError, match="locked for good"):
        compile_plan(linkage(stretched, "AD", ("A B", "B C", "C D")))
    with pytest.raises(InputError, match="turned a little further"):
        compile_plan(linkage(free, "AD", ("A B", "B C", "C D")))
