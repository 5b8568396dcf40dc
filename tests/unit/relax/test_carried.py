"""Forces of elements and reactions of grounds along the drive, against statics."""

import json

import numpy as np
import pytest

from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.solve import solve

BRACKET = {
    "nodes": {"a": (0, 0), "b": (0, 3), "c": (4, 0)},
    "ground": ["a", "b"],
    "bars": [{"nodes": ("a", "c")}, {"nodes": ("b", "c")}],
    "loads": [{"node": "c", "force": (0, -12)}],
}


def solved(model, frames=4):
    return solve(Mechanism.model_validate(model), RelaxStudy(frames=frames))


def by_name(result):
    return {one.name: one.values for one in result.forces}


def test_a_bracket_carries_what_statics_says():
    result = solved(BRACKET)
    found = by_name(result)
    assert found["bar a-c"] == pytest.approx(np.full(5, -16), abs=1e-9)
    assert found["bar b-c"] == pytest.approx(np.full(5, 20), abs=1e-9)
    assert result.reactions["a"][-1] == pytest.approx([16, 0], abs=1e-9)
    assert result.reactions["b"][-1] == pytest.approx([-16, 12], abs=1e-9)
    assert "bar a-c is pressed with 16 N" in result.summary()
    assert "a is held with 16 N, (16, 0)" in result.summary()
    data = json.loads(json.dumps(result.to_dict()))
    assert data["forces"]["bar a-c"] == pytest.approx([-16] * 5)
    assert data["reactions"]["b"][0] == pytest.approx([-16, 12])
    assert {series.name for series in result.plots()["forces"].series} == {"bar a-c", "bar b-c"}
    assert result.motion.body_scalars["force"][-1] == pytest.approx([-16, 20])


def test_an_actuator_pushes_by_virtual_work_along_the_drive():
    """A mast a-b of length 5, a weight at its top, held by an actuator from (3, 0) to its middle."""
    result = solved(
        {
            "nodes": {"a": (0, 0), "m": (0, 2.5), "b": (0, 5), "g": (3, 0)},
            "ground": ["a", "g"],
            "bars": [{"nodes": ("a", "m", "b")}],
            "actuators": [{"nodes": ("g", "m"), "to": 2.0}],
            "masses": {"a": 0, "m": 0, "g": 0, "b": 10},
            "gravity": (0, -9.81),
        },
        frames=20,
    )
    (name, force), *_ = by_name(result).items()
    assert name == "actuator g-m"
    m, b, g = (result.points[:, k] for k in range(1, 4))
    line = (m - g) / np.linalg.norm(m - g, axis=1)[:, None]
    lever = m[:, 0] * line[:, 1] - m[:, 1] * line[:, 0]  # of the actuator's push about a
    np.testing.assert_allclose(force * lever, -98.1 * b[:, 0], atol=1e-7)
    total = sum(result.reactions.values())
    np.testing.assert_allclose(total, np.tile([0, 98.1], (21, 1)), atol=1e-8)
    assert "actuator g-m pulls" in result.summary() or "actuator g-m pushes" in result.summary()
    assert "force of actuator g-m" in result.motion.signals


@pytest.mark.parametrize("x", [1.0, 2.5, 4.0])
def test_a_beam_lies_on_two_posts_by_the_law_of_the_lever(x):
    """Posts at 0 and 5 under a beam of no weight, with 10 N pulled down along it as the drive goes on."""
    result = solved(
        {
            "nodes": {"l": (0, 0), "r": (5, 0), "a": (-1, 0.1), "m": (x, 0.1), "b": (6, 0.1)},
            "ground": ["l", "r"],
            "bars": [{"nodes": ("a", "m", "b")}],
            "guides": [{"node": "m", "line": (0, 1)}],
            "contacts": [{"members": [("a", "b")], "against": [("l", "l"), ("r", "r")], "radius": 0.1}],
            "loads": [{"node": "m", "force": (0, 0), "to": (0, -10)}],
        }
    )
    found = by_name(result)
    names = ["contact a-b on l", "contact a-b on r"]
    wanted = [-10 * (5 - x) / 5, -10 * x / 5]
    for name, force in zip(names, wanted, strict=True):
        np.testing.assert_allclose(found[name], np.linspace(0, force, 5), atol=1e-6)
        assert f"{name} is pressed with {-force:.4g} N" in result.summary()
    assert set(names) <= set(result.to_dict()["forces"])


def test_a_rotor_turns_with_the_torque_of_the_weight():
    result = solved(
        {
            "nodes": {"o": (0, 0), "g": (1, 0), "p": (2, 0)},
            "ground": ["o", "g"],
            "bars": [{"nodes": ("o", "p")}],
            "rotors": [{"joint": "o", "arms": ("g", "p"), "to": 1.0}],
            "masses": {"o": 0, "g": 0, "p": 3},
            "gravity": (0, -10),
        },
        frames=5,
    )
    (rotor,) = [one for one in result.forces if one.torque]
    np.testing.assert_allclose(rotor.values, 60 * np.cos(np.linspace(0, 1, 6)), rtol=1e-9)
    assert "rotor o turns with 60 N·mm at 0 %" in result.summary()


def test_guides_and_springs_answer_for_what_they_hold():
    """A block on a slope of 3:4, held by a spring along it."""
    result = solved(
        {
            "nodes": {"w": (0, 0), "p": (4, 3)},
            "ground": ["w"],
            "guides": [{"node": "p", "line": (4, 3)}],
            "springs": [{"nodes": ("w", "p"), "stiffness": 10}],
            "masses": {"w": 0, "p": 1},
            "gravity": (0, -10),
        }
    )
    assert by_name(result)["spring w-p"][-1] == pytest.approx(-6, abs=1e-8)
    assert result.reactions["p"][-1] == pytest.approx([-4.8, 6.4], abs=1e-8)
    assert result.reactions["w"][-1] == pytest.approx([4.8, 3.6], abs=1e-8)


@pytest.mark.parametrize("end", [(10, 2), (10, 2, 1)])
def test_the_ends_of_a_line_answer_for_what_slides_on_it(end):
    """Forces and torques about its first end are in balance; a spring and a load act on the slider."""
    end = np.array(end, float)
    rest = np.zeros(len(end) - 2)
    nodes = {"u": 0 * end, "v": end, "p": 0.4 * end, "g": np.array([4.0, 8.0, *rest])}
    model = {
        "ground": ["u", "v", "g"],
        "nodes": {name: tuple(place) for name, place in nodes.items()},
        "sliders": [{"node": "p", "on": ("u", "v")}],
        "springs": [{"nodes": ("p", "g"), "stiffness": 3.0, "length": 2.0}],
        "loads": [{"node": "p", "force": (0, -5, *rest)}],
    }
    result = solved(model, frames=1)
    reactions, load = {name: each[-1] for name, each in result.reactions.items()}, np.array([0, -5.0, *rest])
    assert sum(reactions.values()) == pytest.approx(-load, abs=1e-7)
    place = np.array(result.nodes["p"])
    across = reactions["g"] + load
    share = place @ end / (end @ end)
    assert reactions["v"] == pytest.approx(-share * across, abs=1e-6)
    assert np.linalg.norm(reactions["u"] + reactions["v"]) == pytest.approx(by_name(result)["slider p"][-1])


def test_geometry_has_no_forces_to_tell():
    result = solved({**BRACKET, "loads": []})
    assert "forces" not in result.summary()
    assert result.to_dict()["forces"] == {}
    assert "forces" not in result.plots()


def test_elements_of_one_name_are_told_apart():
    twice = {**BRACKET, "springs": [{"nodes": ("a", "c"), "stiffness": k} for k in (1, 2)]}
    assert {"spring a-c", "spring a-c (2)"} <= set(by_name(solved(twice)))
