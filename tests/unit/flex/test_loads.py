"""Loads as an objective: what rests under forces and weights, and what each contact carries."""

import json
from math import hypot, pi, sqrt

import numpy as np
import pytest
from click.testing import CliRunner

import pliant
from pliant import InputError
from pliant.cli import main
from pliant.flex.status import FlexStatus


def box(left, bottom, right, top):
    return [[left, bottom], [right, bottom], [right, top], [left, top]]


def edge(name, x, y=0.0):
    """A knife edge whose tip is at x."""
    return {"name": name, "outline": [[-2, -8], [2, -8], [0, 0]], "pose": [x, y, 0], "fixed": True}


def beam_on_edges(*places, length=100.0, gap=0.1, **beam):
    stops = {
        "name": "stops",
        "outlines": [box(-8, -8, -gap, 10), box(length + gap, -8, length + 8, 10)],
        "fixed": True,
    }
    body = {"name": "beam", "outline": box(0, 0, length, 6), **beam}
    edges = [edge(f"e{k}", x, -gap) for k, x in enumerate(places)]
    return {"pliant": 1, "kind": "assembly", "bodies": [stops, *edges, body]}


def carried(result):
    return {reaction.name: reaction for reaction in result.reactions}


@pytest.mark.parametrize(
    ("first", "second", "at", "force"), [(20, 80, 5, 20), (10, 90, 50, 0), (40, 55, 60, 7)]
)
def test_a_beam_on_two_edges_shares_its_load_by_the_lever_rule(first, second, at, force):
    weight = 4 * 9.81
    load = [{"body": "beam", "force": [0, -force], "point": [at, 6]}] if force else []
    model = beam_on_edges(first, second, mass=4)
    result = pliant.solve(model, gravity=[0, -9.81], load=load)
    assert result.status.at_rest
    right = (weight * (50 - first) + force * (at - first)) / (second - first)
    found = carried(result)
    assert found["e0–beam"].force == pytest.approx((0, right - weight - force), abs=1e-5 * weight)
    assert found["e1–beam"].force == pytest.approx((0, -right), abs=1e-5 * weight)
    assert found["e1–beam"].at[0] == pytest.approx(second, abs=1e-3)
    assert found["e1–beam"].size_range == pytest.approx((right, right), rel=1e-5)  # the two are all there is


def test_with_three_edges_the_middle_one_carries_anything_from_nothing_to_all():
    """Without elasticity statics leaves it open; the ends of the range are the lever rules of two edges."""
    result = pliant.solve(beam_on_edges(10, 50, 90, mass=2), gravity=[0, -10])
    found = carried(result)
    assert found["e1–beam"].size_range == pytest.approx((0, 20), abs=1e-4)
    assert found["e0–beam"].size_range == pytest.approx((0, 10), abs=1e-4)
    assert sum(reaction.force[1] for reaction in result.reactions) == pytest.approx(-20, rel=1e-5)


def test_a_block_in_a_vee_presses_its_walls_as_a_wedge_does():
    """Both faces of a right-angled groove carry W/√2."""
    groove = [[-30, -10], [30, -10], [30, 20], [20, 20], [0, 0], [-20, 20], [-30, 20]]
    block = {"name": "block", "outline": [[0, 0.1], [5, 5.1], [0, 10.1], [-5, 5.1]], "mass": 3.0}
    data = {
        "pliant": 1,
        "kind": "assembly",
        "bodies": [{"name": "vee", "outline": groove, "fixed": True}, block],
    }
    result = pliant.solve(data, gravity=[0, -9.81])
    (only,) = result.reactions  # both walls are of one body: their sum is the weight
    assert only.force == pytest.approx((0, -3 * 9.81), abs=1e-4)
    weight = 3 * 9.81
    assert sum(contact.force for contact in result.contacts) == pytest.approx(2 * weight / sqrt(2), rel=1e-3)


def test_a_three_pinned_arch_has_the_thrust_of_statics():
    """Two rigid halves, span 2a and rise h, each of weight W at x from its foot: H = W x / h."""
    span, rise, weight = 100.0, 40.0, 50.0
    left = {"name": "left", "outline": box(-50, 0, -2, 8), "mass": weight / 10}
    right = {"name": "right", "outline": box(2, 0, 50, 8), "mass": weight / 10}
    ground = {"name": "ground", "outline": box(-60, -30, 60, -20), "fixed": True}
    pins = [
        {"bodies": ["left", "ground"], "at": [-span / 2, 0], "clearance": 0.01, "sides": 64},
        {"bodies": ["right", "ground"], "at": [span / 2, 0], "clearance": 0.01, "sides": 64},
        {"bodies": ["left", "right"], "at": [0, rise], "clearance": 0.01, "sides": 64},
    ]
    data = {"pliant": 1, "kind": "assembly", "bodies": [ground, left, right], "pins": pins}
    found = carried(pliant.solve(data, gravity=[0, -10]))
    thrust = weight * 24 / rise
    assert found["pin left–right"].size == pytest.approx(thrust, rel=2e-3)
    assert found["pin left–ground"].size == pytest.approx(hypot(thrust, weight), rel=2e-3)
    # The names say whose the force is: on left, the ground pushes inwards and up.
    assert found["pin left–ground"].force == pytest.approx((thrust, weight), rel=2e-3)


@pytest.mark.slow
def test_every_body_of_an_arch_of_blocks_is_in_balance():
    """The gallery's round arch under its own weight: forces on each block add up to none."""
    arch = pliant.gallery.load("round-arch")
    fixed = {body.name for body in arch.bodies if body.fixed}
    result = pliant.solve(arch.with_(density=1.0, study={"gravity": [0, -1]}))
    assert result.status.at_rest
    total = {body.name: np.zeros(2) for body in arch.bodies}
    for reaction in result.reactions:
        first, second = reaction.bodies
        total[first] += reaction.force
        total[second] -= reaction.force
    on_ground = sum(total[name] for name in fixed)
    weights = {term.body: np.array(term.direction) for term in result.study.maximize}
    whole = sum(weights.values())
    assert on_ground == pytest.approx(whole, abs=1e-5 * abs(whole[1]))
    for name, weight in weights.items():
        assert total[name] + weight == pytest.approx((0, 0), abs=1e-4 * abs(whole[1]))


def test_a_torque_is_held_by_a_couple():
    """A square peg of half width h in a square hole, turned with M: the work is that of its turn."""
    wall = {
        "name": "wall",
        "outline": box(-20, -20, 20, 20),
        "holes": [box(-5.1, -5.1, 5.1, 5.1)],
        "fixed": True,
    }
    data = {"pliant": 1, "kind": "assembly", "bodies": [wall, {"name": "peg", "outline": box(-5, -5, 5, 5)}]}
    result = pliant.solve(data, load=[{"body": "peg", "torque": 100}])
    assert result.status.at_rest
    assert result.objective == pytest.approx(100 * (pi / 4 - np.arccos(5.1 / (5 * sqrt(2)))), rel=1e-2)


def test_areas_weigh_where_no_mass_is_given_and_forces_have_no_unit_then():
    result = pliant.solve(beam_on_edges(20, 80), gravity=[0, -1])
    assert sum(reaction.force[1] for reaction in result.reactions) == pytest.approx(-600, rel=1e-5)
    assert " N" not in result.summary()
    weighed = pliant.solve(beam_on_edges(20, 80) | {"density": 0.5}, gravity=[0, -1])
    assert sum(reaction.force[1] for reaction in weighed.reactions) == pytest.approx(-300, rel=1e-5)
    assert " N" in weighed.summary()


def test_what_nothing_holds_against_its_load_is_free():
    result = pliant.solve(beam_on_edges(20, 80, mass=1), gravity=[0, 9.81])
    assert result.status is FlexStatus.FREE
    assert result.reactions == ()


@pytest.mark.parametrize(
    ("study", "said"),
    [
        ({"gravity": [0, 0]}, "points nowhere"),
        ({"load": [{"body": "beam"}]}, "neither force nor torque"),
        ({"load": [{"body": "beem", "force": [0, 1]}]}, "Did you mean 'beam'"),
        ({"load": [{"body": "beam", "torque": 1, "point": [0, 0]}]}, "has a point and no force"),
        ({"gravity": [0, -1], "maximize": [{"body": "beam", "spin": 1}]}, "has both maximize and gravity"),
        ({"load": [{"body": "e0", "force": [0, -1]}]}, "e0"),
        ({"load": [{"body": "beam", "force": [0, 0]}]}, "load"),
    ],
)
def test_loads_that_say_nothing_are_refused(study, said):
    with pytest.raises(InputError) as refused:
        pliant.solve(beam_on_edges(20, 80) | {"study": study})
    assert said in str(refused.value)


def test_a_flag_asks_for_another_motion_than_the_loads():
    model = pliant.load(beam_on_edges(20, 80, mass=1) | {"study": {"flex": {"gravity": [0, -9.81]}}})
    assert model.study.for_command("flex").loaded
    moved = pliant.solve(model, maximize=[{"body": "beam", "direction": [1, 0]}], gravity=None)
    assert moved.linear == pytest.approx(0.1, rel=1e-3)
    assert moved.reactions == ()


def test_the_command_tells_forces_in_newtons(tmp_path):
    file = tmp_path / "beam.toml"
    pliant.save(pliant.gallery.load("loaded-beam"), file)
    told = tmp_path / "told.json"
    done = CliRunner().invoke(main, ["flex", str(file), "--json", str(told)], catch_exceptions=False)
    assert "left–beam carries 44.62 N" in done.output
    assert [one["size"] for one in json.loads(told.read_text())["reactions"]] == pytest.approx(
        [44.62, 14.62], rel=1e-3
    )
