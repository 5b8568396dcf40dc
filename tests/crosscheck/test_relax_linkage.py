"""One linkage by two methods: pliant.linkage by its rules, pliant.relax by forces land on the same poses.

A link of two joints is a bar and one of more a plate; a motor is a rotor against a node on the ground; a
guide that is fixed is a line, and one on a link is a slider.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pliant import gallery
from pliant.linkage.generate import four_bar, jansen, linkage, meet, slider_crank, triad, turning_triad
from pliant.linkage.kinematics import follow
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.model import Linkage, LinkageSlider, Motor
from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.result import RelaxResult
from pliant.relax.solve import solve
from pliant.relax.status import RelaxStatus

Floats = NDArray[np.float64]


def mechanism_of(model: Linkage, turns: Floats) -> Mechanism:
    """The same linkage, its motors (M, F) turned by as much at equal steps of the drive."""
    nodes = {name: tuple(map(float, at)) for name, at in model.joints.items()}
    datum = {
        f"datum {motor.joint}": (nodes[motor.joint][0] + 1, nodes[motor.joint][1]) for motor in model.motors
    }
    links = [list(link.joints) for link in model.links]
    return Mechanism.model_validate(
        {
            "ground": [*model.ground, *datum],
            "nodes": nodes | datum,
            "bars": [{"nodes": joints} for joints in links if len(joints) == 2],
            "plates": [{"nodes": joints} for joints in links if len(joints) > 2],
            "rotors": [rotor_of(motor, row) for motor, row in zip(model.motors, turns, strict=True)],
            "guides": [guide_of(slider) for slider in model.sliders if slider.on is None],
            "sliders": [slider_of(slider, model) for slider in model.sliders if slider.on is not None],
        }
    )


def rotor_of(motor: Motor, turns: Floats) -> dict[str, Any]:
    sign = 1.0 if motor.direction == "ccw" else -1.0
    return {
        "joint": motor.joint,
        "arms": [f"datum {motor.joint}", motor.drives],
        "to": (sign * turns).tolist(),
    }


def guide_of(slider: LinkageSlider) -> dict[str, Any]:
    (x, y), (u, v) = slider.along
    return {"node": slider.joint, "line": (float(u - x), float(v - y))}


def slider_of(slider: LinkageSlider, model: Linkage) -> dict[str, Any]:
    """Lines through two joints of a link only: those of the models below."""
    carrier = next(link for link in model.links if link.label == slider.on)
    return {"node": slider.joint, "on": list(carrier.joints[:2])}


def relaxed(model: Linkage, turns: Floats, **study: Any) -> RelaxResult:
    settings = RelaxStudy.model_validate({"frames": turns.shape[1], **study})
    return solve(mechanism_of(model, turns), settings)


def apart(model: Linkage, result: RelaxResult, turns: Floats) -> Floats:
    """How far each joint is from where its rules put it, over the size, at frames after the drawn."""
    plan = compile_plan(model)
    order = [plan.structure.names.index(name) for name in model.joints]
    expected = follow.follow(plan, turns).poses.points[:, order]
    return np.abs(result.points[1:, : len(order)] - expected) / np.ptp(expected, axis=(0, 1)).max()


def watt_six_bar() -> Linkage:
    """Watt's first: two ternary links, B-C-P and D-C-E, that share C, and the dyad P-F-E on them."""
    z = {"A": 0j, "D": 4 + 0j, "B": 1j}
    z["C"] = meet(z["B"], 3.5, z["D"], 3, 1)
    z["P"] = meet(z["B"], 2.5, z["C"], 2, 1)
    z["E"] = meet(z["D"], 3.6, z["C"], 1.6, -1)
    z["F"] = meet(z["P"], 4, z["E"], 3, 1)
    return linkage(z, "AD", ("A B", "B C P", "D C E", "P F", "E F"))


TURNING = {
    "four-bar": four_bar(4, 1, 3, 2.5, point=0.5 + 0.8j),
    "four-bar, crossed": four_bar(4, 1, 3, 2.5, side=-1, point=0.5 - 0.8j),
    "slider-crank": slider_crank(1, 3, offset=0.4),
    "Watt's first six-bar": watt_six_bar(),
    "Jansen's leg": jansen(0.3),
    "Klann's leg": gallery.load("klann"),
    "a plate on three bars": turning_triad(),
    "Hoeken's linkage": gallery.load("hoeken"),
    "a slotted lever": gallery.load("quick-return"),
}


@pytest.mark.parametrize("model", TURNING.values(), ids=TURNING)
def test_relax_and_linkage_put_every_joint_at_the_same_place_through_a_turn(model):
    turns = np.linspace(0, 2 * math.pi, 13)[None, 1:]
    result = relaxed(model, turns)
    assert result.status is RelaxStatus.CONVERGED
    assert apart(model, result, turns).max() < 1e-9


@pytest.mark.parametrize("method", ["sync", "async", "momentum"])
@pytest.mark.parametrize("name", ["four-bar", "Watt's first six-bar", "Jansen's leg"])
def test_relaxation_lands_on_the_same_poses_as_far_as_its_tolerance(name, method):
    model, turns = TURNING[name], np.array([[0.3, 0.6]])
    result = relaxed(model, turns, method=method, settle=True, alpha=0.7)
    assert result.status is RelaxStatus.CONVERGED
    assert apart(model, result, turns).max() < 1e-7


def test_two_motors_land_on_the_same_poses():
    model = gallery.load("two-motor")
    turns = np.array([[0.5, 1.0, 1.5, 2.0], [-0.3, -0.6, -0.9, -1.2]])
    assert apart(model, relaxed(model, turns), turns).max() < 1e-9


def test_a_plate_on_three_bars_goes_as_far_as_the_linkage_does():
    """`limits` of the linkage is where relax locks."""
    model, turns = triad(), np.linspace(0, 2 * math.pi, 41)[None, 1:]
    found = follow.follow(compile_plan(model), turns)
    reached = len(found.poses.points)
    assert not found.complete
    assert 0 < reached < 39
    result = relaxed(model, turns)
    assert result.status is RelaxStatus.LOCKED
    assert reached / 40 < result.assessment.locks_at < (reached + 1) / 40
    assert apart(model, relaxed(model, turns[:, :reached]), turns[:, :reached]).max() < 1e-9
