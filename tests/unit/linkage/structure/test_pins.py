"""Joints of one link at one place are one pin with several names: everything is as with one name."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pliant import gallery
from pliant.core.errors import PliantError
from pliant.linkage import Drag
from pliant.linkage.editing.edit import edit
from pliant.linkage.generate import four_bar, jansen
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.kinematics.variants import variant_curves
from pliant.linkage.model import EditStudy, Linkage, TraceStudy
from pliant.linkage.solve import solve
from pliant.linkage.structure.pins import other_names


def split(model: Linkage) -> Linkage:
    """The same linkage with a name of its own for every link on a pin but the first: "B", "B2", "B3"."""
    data = json.loads(model.model_dump_json(exclude_defaults=True))
    first: dict[str, dict] = {}
    for link in data["links"]:
        for place, name in enumerate(list(link["joints"])):
            if name in first:
                twin = f"{name}{sum(key.startswith(name) for key in data['joints']) + 1}"
                data["joints"][twin] = data["joints"][name]
                first[name]["joints"].append(twin)
                link["joints"][place] = twin
                link.setdefault("name", "-".join(link["joints"]).replace(twin, name))
            first.setdefault(name, link)
            link.setdefault("name", "-".join(link["joints"]))
    for motor in data["motors"]:
        if motor.get("joint") in first:  # the motor's link has this name
            motor["joint"] = next(
                j for j in _of(data, motor["drives"]) if data["joints"][j] == data["joints"][motor["joint"]]
            )
    return Linkage.model_validate(data)


def _of(data: dict, joint: str) -> list[str]:
    return next(link["joints"] for link in data["links"] if joint in link["joints"])


NAMES = ["jansen", "klann", "quick-return", "slider-crank", "six-bar-coupled", "lift-table", "peaucellier"]


@pytest.mark.few(3)
@pytest.mark.parametrize("name", NAMES)
def test_a_linkage_whose_pins_have_a_name_for_each_link_runs_as_before(name):
    model = gallery.load(name)
    other = split(model)
    assert len(other.joints) > len(model.joints)
    before, after = solve(model), solve(other)
    assert after.status is before.status
    assert after.limits == pytest.approx(before.limits) if before.limits else after.limits is None
    assert len(after.plan.groups) == len(before.plan.groups)
    size = before.plan.structure.size
    for joint, places in after.joints.items():
        np.testing.assert_allclose(places, before.joints[pin(other, joint)], atol=1e-9 * size)
    assert after.motion.points.shape[1] == len(other.joints)
    assert "nan" not in json.dumps(after.to_dict()).lower()


def pin(model: Linkage, joint: str) -> str:
    twins = other_names(model.joints, (link.joints for link in model.links), model.ground)
    return twins.get(joint, joint)


def test_rates_bands_forces_and_layers_are_those_of_one_name():
    model = gallery.load("slider-crank")
    study = TraceStudy(velocity=True, acceleration=True, tolerance=0.1, layers=True, samples=24, trace=("S",))
    one, other = solve(model, study).to_dict(), solve(split(model), study).to_dict()
    for key in ("velocity", "acceleration"):
        for joint in model.joints:
            np.testing.assert_allclose(other[key][joint], one[key][joint], atol=1e-9)
    assert other["bands"].keys() == one["bands"].keys()
    for joint, band in one["bands"].items():
        assert other["bands"][joint]["worst"] == pytest.approx(band["worst"], rel=1e-9)
    torques = [data["forces"]["torques"][0]["torque"] for data in (one, other)]
    np.testing.assert_allclose(torques[1], torques[0], atol=1e-9 * max(torques[0]))
    assert other["layers"]["count"] == one["layers"]["count"]


def test_an_edit_and_a_drag_keep_a_pin_together_and_do_what_they_did():
    model = jansen()
    other, asked = split(model), {"move": [{"joint": "P5", "to": [-32, -92]}], "keep": {"curves": ["P5"]}}
    one, again = (edit(each, EditStudy.model_validate(asked)).model for each in (model, other))
    for joint, place in again.joints.items():
        assert place == pytest.approx(one.joints[pin(other, joint)], abs=1e-3)
    drags = [Drag(each, "P3") for each in (model, other)]
    for x, y in ((1, 0), (2, 1), (3, 3)):
        events = [drag.to(np.add(drag.start, (x, y))) for drag in drags]
    for joint, place in events[1].joints.items():
        assert place == pytest.approx(events[0].joints[pin(other, joint)], abs=1e-3)
    twin = next(joint for joint in other.joints if joint not in model.joints and joint.startswith("P3"))
    place = tuple(np.add(model.joints["P3"], (1, 1)))
    moved = edit(other, EditStudy.model_validate({"move": [{"joint": twin, "to": place}]})).model
    assert moved.joints["P3"] == moved.joints[twin] == pytest.approx(place, abs=1e-3)


def test_a_batch_runs_a_pin_with_two_names_and_refuses_to_part_it():
    model = four_bar(4, 1, 3.5, 3)
    plans = [compile_plan(each) for each in (model, split(model))]
    angles = np.linspace(0, 2 * np.pi, 50)
    found = [
        variant_curves(plan, plan.drawn[None], angles, plan.structure.names.index("C"))[0] for plan in plans
    ]
    np.testing.assert_allclose(found[1], found[0], atol=1e-12)
    parted = plans[1].drawn.copy()
    parted[plans[1].structure.twins[0][0]] += 0.1
    with pytest.raises(PliantError, match="are one pin of this plan"):
        variant_curves(plans[1], parted[None], angles, 2)


def test_a_pivot_on_the_ground_may_have_several_names():
    """Two levers of one shaft, each with a name of its own for it, both on the ground or one."""
    joints = {"A": [0, 0], "A2": [0, 0], "B": [1, 0], "C": [3, 2], "D": [4, 0], "E": [0, 1.5]}
    links = [{"joints": ["A", "A2", "B", "E"]}, {"joints": ["B", "C"]}, {"joints": ["C", "D"]}]
    for ground in (["A", "D"], ["A", "A2", "D"], ["A2", "D"]):
        motor = {"joint": ground[0], "drives": "B"}
        model = Linkage(ground=ground, joints=joints, links=links, motors=[motor])
        result = solve(model)
        assert (result.status.name, result.plan.redundancy, result.freedoms) == ("RUNS", 0, 1)
        np.testing.assert_allclose(result.joints["A2"], 0, atol=1e-12)
