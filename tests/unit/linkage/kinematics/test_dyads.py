"""Dyads with sliding pairs: closed form, exact derivatives, and what a group solved together would give."""

import numpy as np
import pytest
from pydantic import ValidationError

from pliant.core.errors import InputError
from pliant.linkage.editing.guards import openness_gradients
from pliant.linkage.editing.terms import EditView
from pliant.linkage.generate import linkage, scotch_yoke
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.poses import gradient, jacobian, openness, positions, rates
from pliant.linkage.model import Linkage
from pliant.linkage.solve import solve
from pliant.linkage.status import TraceStatus
from pliant.linkage.structure.constraints import errors
from pliant.linkage.structure.rule import SIDED
from pliant.linkage.structure.rule_plan import RulePlan

ALONG = [[0, 0.1], [1, 0.1]]
TURNED = np.linspace(-0.15, 0.15, 7)[None]


def a_quick_return() -> Linkage:
    joints = {"A": 0, "B": 30 + 3j, "D": 2 - 40j, "E": 60 + 40j, "F": 108 + 60j}
    sliders = [{"joint": "B", "on": "D-E"}, {"joint": "F", "along": [[0, 60], [1, 60.1]]}]
    return linkage(joints, "AD", ("A B", "D E", "E F"), sliders=sliders)


def a_slot_beside_its_pivot() -> Linkage:
    joints = {"A": 0, "B": 30 + 3j, "D": 2 - 70j, "E": 60 + 40j, "G": 10 - 30j}
    slot = {"joint": "B", "on": "D-E-G", "along": [[0, 1], [3, 7]]}
    return linkage(joints, "AD", ("A B", "D E G"), sliders=[slot])


def a_tangent() -> Linkage:
    guides = [{"joint": "P", "on": "O-A"}, {"joint": "P", "along": [[1, 0], [1, 1]]}]
    return linkage({"O": 0, "A": 0.8 + 0.6j, "P": 1 + 0.75j}, "O", ("O A",), sliders=guides)


def a_scotch_yoke() -> Linkage:
    joints = {"A": 0, "B": 1 + 0.5j, "S": 2 + 0.1j, "T": 4 + 0.1j, "U": 3 + 1j}
    slot = {"joint": "B", "on": "S-T-U", "along": [[0, 0], [0.2, 1]]}
    guides = [{"joint": "S", "along": ALONG}, {"joint": "T", "along": ALONG}]
    return linkage(joints, "A", ("A B", "S T U"), sliders=[*guides, slot])


def a_telescope() -> Linkage:
    joints = {"A": 0, "B": 1 + 0.5j, "D": 5 + 0.3j, "E": 2 + 0.1j, "K": 2.5 + 0.2j, "L": 3.5 + 0.25j}
    guides = [{"joint": "K", "on": "D-E"}, {"joint": "L", "on": "D-E", "along": [[5, 0.3], [2, 0.1]]}]
    return linkage(joints, "AD", ("A B", "D E", "B K L"), sliders=guides)


def a_block_on_a_rail() -> Linkage:
    joints = {"A": 0, "B": 1 + 0.5j, "S": 3 + 0.1j, "T": 4 + 0.1j, "K": 3.5 + 0.7j}
    guides = [{"joint": "S", "along": ALONG}, {"joint": "T", "along": ALONG}]
    return linkage(joints, "A", ("A B", "B K", "S T K"), sliders=guides)


def pushed(*motors: dict, **rest) -> dict:
    return {"motors": [{"range": [-0.15, 0.15], **motor} for motor in motors], **rest}


def a_strut() -> Linkage:
    joints = {"A": 0, "K": 2 + 1j, "C": 4 + 2.3j, "G": 3 - 1j}
    return linkage(joints, "AG", ("A K C",), **pushed({"strut": ["G", "K"]}))


def two_struts() -> Linkage:
    return linkage({"A": 0, "G": 3, "K": 2 + 1j, "L": 1 + 2j}, "AG", ("K L",), **pushed(
        {"strut": ["G", "K"]}, {"strut": ["K", "A"]}, {"strut": ["A", "L"]}
    ))  # fmt: skip


def a_strut_on_a_rail() -> Linkage:
    joints = {"G": -1j, "S": 2 + 0.3j, "P": 4 + 1j, "D": 5 - 1j}
    rail = [{"joint": "S", "along": [[0, 0.3], [1, 0.4]]}]
    return linkage(joints, "GD", ("S P", "P D"), **pushed({"strut": ["G", "S"]}, sliders=rail))


def a_driven_slider_on_a_driven_arm() -> Linkage:
    joints = {"A": 0, "B": 2 + 1j, "S": 1.2 + 1j, "P": 3 + 2.5j, "D": 4 - 0.5j}
    arm = [{"joint": "S", "on": "A-B", "along": [[0, 0.4], [2, 1.3]]}]
    both = pushed({"slider": "S"}, {"joint": "A", "drives": "B"}, sliders=arm)
    return linkage(joints, "AD", ("A B", "S P", "P D"), **both)


DYADS = {
    "strut": (a_strut, {"strut", "point"}),
    "two struts": (two_struts, {"strut"}),
    "strut on a rail": (a_strut_on_a_rail, {"strut on a line", "triangle"}),
    "driven slider": (a_driven_slider_on_a_driven_arm, {"driven", "motor", "triangle"}),
    "quick return": (a_quick_return, {"slot", "slider"}),
    "slot beside its pivot": (a_slot_beside_its_pivot, {"slot", "point"}),
    "tangent": (a_tangent, {"lines"}),
    "scotch yoke": (a_scotch_yoke, {"lines", "carried"}),
    "telescope": (a_telescope, {"slot", "carried"}),
    "block on a rail": (a_block_on_a_rail, {"slider", "carried"}),
}


def turned(plan: RulePlan) -> np.ndarray:
    """Angles or travels (M, 7) of all motors, about the drawn pose."""
    return TURNED * np.linspace(1, 0.5, len(plan.structure.motors))[:, None]


every = pytest.mark.parametrize("name", DYADS)


@every
def test_a_dyad_with_sliding_pairs_is_found_in_closed_form(name):
    make, wanted = DYADS[name]
    plan = compile_plan(make())
    assert not plan.groups
    assert not plan.redundancy
    assert wanted <= {entry["rule"] for entry in plan.describe()}
    poses = positions(plan, turned(plan))
    assert errors(plan.structure.rows, poses.drawn, poses.points).max() < 1e-14 * plan.structure.size
    np.testing.assert_allclose(poses.x[:, :, 3], plan.drawn, atol=1e-15 * plan.structure.size)


@every
def test_its_rates_are_those_of_differences(name):
    plan = compile_plan(DYADS[name][0]())
    angles = turned(plan)
    step, ones = 1e-5, np.ones_like(angles)
    here, ahead, behind = (positions(plan, angles + way * step) for way in (0, 1, -1))
    v, a = rates(here, ones, 0 * ones)
    size = plan.structure.size
    np.testing.assert_allclose((ahead.x - behind.x) / (2 * step), v, atol=1e-8 * size)
    np.testing.assert_allclose((ahead.x - 2 * here.x + behind.x) / step**2, a, atol=1e-4 * size)
    _, dc = openness(here, v, ones)
    c = [openness(poses, v)[0] for poses in (ahead, behind)]
    np.testing.assert_allclose((c[0] - c[1]) / (2 * step), dc, atol=1e-9)


@every
def test_its_jacobian_passes_a_taylor_test_and_the_gradient_agrees(name):
    plan = compile_plan(DYADS[name][0]())
    rng = np.random.default_rng(0)
    way, size = rng.normal(size=plan.drawn.shape), plan.structure.size
    here = positions(plan, turned(plan))
    d = jacobian(here)
    slopes = np.einsum("kcpef,pe->kcf", d, way)
    left = []
    for step in (1e-3, 1e-4):
        moved = positions(plan, turned(plan), plan.drawn + step * size * way)
        left.append(np.abs(moved.x - here.x - step * size * slopes).max())
    assert np.log10(left[0] / left[1]) == pytest.approx(2, abs=0.1)
    given = rng.normal(size=here.x.shape)
    np.testing.assert_allclose(np.einsum("kcpef,kcf->pe", d, given), gradient(here, given), atol=1e-12)


@every
def test_the_slopes_of_its_guards_pass_a_taylor_test(name):
    plan = compile_plan(DYADS[name][0]())
    way, size = np.random.default_rng(1).normal(size=plan.drawn.shape), plan.structure.size
    here = positions(plan, turned(plan))
    c = openness(here, np.zeros_like(here.x))[0]
    rules = np.flatnonzero(np.isin(plan.codes, SIDED))
    pairs = np.array([(o, f) for o in rules for f in range(TURNED.shape[1])])
    slopes = openness_gradients(EditView(here, jacobian(here), TURNED.shape[1]), c, pairs) @ way.ravel()
    left = []
    for step in (1e-3, 1e-4):
        moved = positions(plan, turned(plan), plan.drawn + step * size * way)
        there = openness(moved, np.zeros_like(moved.x))[0]
        left.append(np.abs((there - c)[pairs[:, 0], pairs[:, 1]] - step * size * slopes).max())
    assert np.log10(left[0] / left[1]) == pytest.approx(2, abs=0.1)


def test_a_scotch_yoke_moves_by_the_cosine_of_its_crank():
    result = solve(scotch_yoke(2, 0.3))
    assert result.status.name == "RUNS"
    np.testing.assert_allclose(result.joints["S"][:, 0], 3 + 2 * np.cos(0.3 + result.angles), atol=1e-14)


def test_the_transmission_angle_of_a_slot_is_that_between_it_and_the_line_to_its_pin():
    result = solve(a_slot_beside_its_pivot())
    (one,) = [found for found in result.transmissions if found.rule == "slot"]
    pin = result.joints["B"] - result.joints["D"]
    arm, drawn = result.joints["E"] - result.joints["D"], np.array([60 - 2, 40 + 70.0])
    turned = (arm @ np.array([1, 1j])) / complex(*drawn) * complex(3, 6)
    sine = np.abs(np.imag(np.conj(turned) * (pin @ np.array([1, 1j])))) / np.abs(turned) / np.hypot(*pin.T)
    np.testing.assert_allclose(one.angles, np.pi / 2 - np.abs(np.arcsin(sine)), atol=1e-9)


def test_a_strut_sets_the_distance_of_its_joints_and_stops_where_they_cannot_part_further():
    motor = {"strut": ["G", "K"], "range": [0, 5], "speed": 2}
    joints = {"A": 0, "K": 2 + 1j, "G": 3 - 1j}
    result = solve(linkage(joints, "AG", ("A K",), motors=[motor]))
    drawn, arm, base = abs(-1 + 2j), abs(2 + 1j), abs(3 - 1j)
    assert result.status.name == "LIMITED"
    assert result.limits == (0.0, pytest.approx(arm + base - drawn, abs=1e-12))
    apart = np.hypot(*(result.joints["K"] - result.joints["G"]).T)
    np.testing.assert_allclose(apart, drawn + result.angles, atol=1e-7)
    np.testing.assert_allclose(result.absolute[0], drawn + result.angles)
    assert "mm of the motor" in result.summary()
    assert result.motion.axis == "motor travel"
    assert result.motion.unit == "mm"
    assert result.drive.seconds == 2.5


def test_a_driven_slider_goes_along_its_guide_whatever_its_length():
    for long in (1, 7):
        rail = [{"joint": "S", "along": [[0, 0], [long, 0]]}]
        motor = {"slider": "S", "range": [0, 0.5]}
        result = solve(
            linkage({"S": 1, "P": 2 + 1j, "D": 3}, "D", ("S P", "P D"), sliders=rail, motors=[motor])
        )
        np.testing.assert_allclose(result.joints["S"][:, 0], 1 + result.angles, atol=1e-15)
        assert result.status.name == "RUNS"


def test_the_push_of_a_strut_is_that_of_the_levers_it_works_on():
    """A beam hinged at A and loaded at its end: the moments about A balance."""
    joints = {"A": 0, "K": 3 + 0j, "C": 6 + 0j, "G": 3 - 4j}
    motor, load = {"strut": ["G", "K"], "range": [0, 1]}, {"joint": "C", "force": [0, -10]}
    forces = solve(linkage(joints, "AG", ("A K C",), motors=[motor], loads=[load])).forces
    assert forces.torques[0, 0] == pytest.approx(20)
    assert forces.disagreement < 1e-12
    assert forces.peaks[0].kind == "push"
    assert forces.to_dict()["torques"][0]["push"][0] == pytest.approx(20)


BAD_MOTORS = {
    "neither": ({"range": [0, 1]}, "has not one of joint with drives, slider, and strut"),
    "without end": ({"slider": "S"}, "pushes without end"),
    "degrees": ({"slider": "S", "range": [0, "30 deg"]}, "travels in the file's unit of length"),
    "no slider": ({"slider": "P", "range": [0, 1]}, "'P' has no slider"),
    "one part": ({"strut": ["S", "P"], "range": [0, 1]}, "held apart by one part"),
    "unknown": ({"strut": ["S", "Z"], "range": [0, 1]}, "'Z'"),
    "turns": ({"slider": "S", "range": [0, 1], "direction": "cw"}, "a direction or turns"),
}


@pytest.mark.parametrize("name", BAD_MOTORS)
def test_a_linear_motor_that_makes_no_sense_is_refused(name):
    motor, problem = BAD_MOTORS[name]
    rail = [{"joint": "S", "along": [[0, 0], [1, 0]]}]
    with pytest.raises(ValidationError, match=problem):
        linkage({"S": 1, "P": 2 + 1j, "D": 3}, "D", ("S P", "P D"), sliders=rail, motors=[motor])


def test_linear_motors_that_fight_or_push_a_group_are_refused():
    rail = [{"joint": "S", "along": [[0, 0], [1, 0]]}]
    both = [{"slider": "S", "range": [0, 1]}, {"strut": ["D", "S"], "range": [0, 1]}]
    model = linkage({"S": 1, "P": 2 + 1j, "D": 3}, "D", ("S P", "P D"), sliders=rail, motors=both)
    with pytest.raises(InputError, match=r"motors\[1\]: fights the others"):
        compile_plan(model)


def scissors(**motor) -> Linkage:
    """A scissor lift, 300 high, on a cylinder of 150 between the quarter points of its legs."""
    data = {
        "joints": {
            **{"A": [0, 0], "B": [800, 0], "M": [400, 150], "C": [800, 300], "D": [0, 300]},
            **{"E": [200, 75], "F": [200, 225]},
        },
        "ground": ["A"],
        "links": [{"joints": list("AEMC")}, {"joints": list("BMFD")}],
        "sliders": [{"joint": "B", "along": [[0, 0], [1, 0]]}],
        "motors": [{"strut": ["E", "F"], **motor}],
    }
    return Linkage.model_validate(data)


@pytest.mark.parametrize(
    ("motor", "low", "high"),
    [
        ({"range": [0, -200]}, -150, 0),
        ({"range": [0, -150]}, -150, 0),
        ({"range": [-200, 100]}, -150, 100),
        ({"range": [-400, 400]}, -150, np.hypot(400, 150) - 150),
        ({"profile": [0, -200, 0]}, -150, 0),
    ],
)
def test_a_strut_is_drawn_in_no_further_than_to_no_length(motor, low, high):
    """The table is on the floor then; and the lift is highest where the legs stand upright."""
    result = solve(scissors(**motor))
    assert result.status is TraceStatus.LIMITED
    assert result.limits == pytest.approx([low, high], abs=1e-6)
    assert "E, F meet: their strut has no length left" in result.summary()
    assert "change point" not in result.summary()


def test_a_strut_whose_ends_cannot_meet_goes_as_far_as_its_bar_lets_it_whatever_is_asked_for():
    """K goes round A at √5 from it, and G is √10 away."""
    asked = Linkage.model_validate(
        {**a_strut().model_dump(exclude_none=True), "motors": [{"strut": ["G", "K"], "range": [-10, 10]}]}
    )
    result = solve(asked)
    assert result.limits == pytest.approx([10**0.5 - 5**0.5 - 5**0.5, 10**0.5], abs=1e-9)
    assert "no length left" not in result.summary()
