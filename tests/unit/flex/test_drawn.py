"""What is wrong as drawn: constraints that do not hold, overlaps, and cures that leave parts whole."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import shapely

import pliant
from pliant.core.errors import InputError
from pliant.core.pose import carry
from pliant.flex.geometry.parts import compile_parts
from pliant.flex.model import Assembly
from pliant.flex.solve import solve
from pliant.flex.status import FlexStatus


def box(left, bottom, right, top):
    return [[left, bottom], [right, bottom], [right, top], [left, top]]


def scaled(value, unit):
    """Lengths of plain data in another unit; what is an angle or a name stays."""
    if isinstance(value, dict):
        same = ("axis", "half_angle", "rotation", "direction", "fixed")
        return {key: item if key in same else scaled(item, unit) for key, item in value.items()}
    if isinstance(value, list):
        return [scaled(item, unit) for item in value]
    return value * unit if isinstance(value, int | float) and not isinstance(value, bool) else value


def assembly(*bodies: dict, unit: float = 1.0, direction=(1, 0), **rest) -> Assembly:
    maximize = [{"body": bodies[-1]["name"], "direction": list(direction)}]
    data = scaled({"bodies": list(bodies), **rest}, unit)
    return Assembly.model_validate({**data, "study": {"maximize": maximize}})


def frame(half: float, play: float = 0.1) -> dict:
    inner, outer = half + play, half + play + 2
    return {
        "name": "frame",
        "outline": box(-outer, -outer, outer, outer),
        "holes": [box(-inner, -inner, inner, inner)],
        "fixed": True,
    }


def peg(half: float) -> dict:
    return {"name": "peg", "outline": box(-half, -half, half, half)}


@pytest.mark.parametrize("unit", [1e-3, 1.0, 300.0])
@pytest.mark.parametrize("half", [1.0, 5.0])
@pytest.mark.parametrize(
    ("aim", "apex", "distance", "angle"),
    [
        (1.5, [-50, 0], 50 * math.sin(1.4), 1.4),  # beside the cone
        (math.pi, [-50, 0], 50.0, math.pi - 0.1),  # behind it: the apex is nearest
        (-0.2, [-9, 3], math.hypot(9, 3) * math.sin(math.atan2(3, 9) - 0.3), None),
        (0.2, [-9, 3], math.hypot(9, 3) * math.sin(math.atan2(3, 9) + 0.1), None),
    ],
)
def test_a_sight_that_does_not_see_its_marker_as_drawn_is_a_finding(half, unit, aim, apex, distance, angle):
    """A peg in a closed frame flew out of it."""
    sight = {"from": "frame", "to": "peg", "apex": apex, "axis": aim, "half_angle": 0.1}
    result = solve(assembly(frame(half), peg(half), unit=unit, sights=[sight]))
    expected = distance * unit
    assert result.status is FlexStatus.VIOLATED
    assert result.status.exit_code == 0
    assert (result.steps, result.objective, len(result.frames.poses)) == (0, 0.0, 1)
    (found,) = result.violated
    assert (found.where, found.bodies) == ("sights[0]", ("frame", "peg"))
    assert found.distance == pytest.approx(expected)
    assert angle is None or found.angle == pytest.approx(angle)
    text = result.summary()
    assert text.startswith("Violated as drawn: sights[0]: the marker on peg lies ")
    assert f"{expected:.4g} mm ({math.degrees(found.angle):.4g}°) outside the cone of frame." in text


@pytest.mark.few(2)
@pytest.mark.parametrize("turned", [0.0, 0.4])
@pytest.mark.parametrize("off", [[2.0, 0.0], [-0.3, 0.0], [0.7, 0.5]])
def test_a_point_outside_its_keep_region_as_drawn_is_a_finding(turned, off):
    arm = {"name": "arm", "outline": box(-1, -1, 8, 1), "pose": [3, 2, turned]}
    base = {"name": "base", "outline": box(-9, -9, -8, -8), "fixed": True}
    point = np.array([7.0, 0.5])
    there = carry(np.array(arm["pose"]), point)
    inside = [[0.5, 0], [1, 0.5], [0.5, 1], [0, 0.5]]  # its corners are half a unit from its middle
    region = (np.array(inside) - [0.5, 0.5] + there + off).tolist()
    fine = (np.array(inside) - [0.5, 0.5] + there).tolist()
    keep = [{"body": "arm", "point": point.tolist(), "inside": r} for r in (fine, region)]
    result = solve(assembly(base, arm, keep=keep))
    missed = shapely.Polygon(region).distance(shapely.Point(there))
    if missed == 0:
        assert result.status is not FlexStatus.VIOLATED
        return
    assert result.status is FlexStatus.VIOLATED
    assert [(v.where, v.bodies) for v in result.violated] == [("keep[1]", ("arm",))]
    assert result.violated[0].distance == pytest.approx(missed)
    assert "keep[1]: its point of arm lies" in result.summary()


@pytest.mark.parametrize("unit", [1e-2, 1.0, 1e4])
@pytest.mark.parametrize(
    ("limit", "key", "missed"),
    [
        ({"x": [1, 2]}, "x", 1.0),
        ({"x": [-3, -0.5]}, "x", 0.5),
        ({"y": [0.25, 0.25]}, "y", 0.25),
        ({"rotation": [0.1, 0.3]}, "rotation", 0.1),
        ({"rotation": [-0.3, -0.2]}, "rotation", 0.2),
    ],
)
def test_a_range_that_leaves_out_the_drawn_pose_is_a_finding(limit, key, missed, unit):
    model = assembly(frame(5), peg(5), unit=unit, limits=[{"body": "peg"}, {"body": "peg", **limit}])
    result = solve(model)
    assert result.status is FlexStatus.VIOLATED
    (found,) = result.violated
    assert found.where == f"limits[1].{key}"
    if key == "rotation":
        assert found.angle == pytest.approx(missed)
        assert found.distance == pytest.approx(missed * 5 * math.sqrt(2) * unit)
        assert f"by {math.degrees(missed):.4g}°. A range counts from" in result.summary()
    else:
        assert found.angle is None
        assert found.distance == pytest.approx(missed * unit)
        assert f"leaves out the drawn pose by {missed * unit:.4g} mm" in result.summary()


def test_the_worst_comes_first_the_rest_are_counted_and_all_are_listed():
    limits = [{"body": "peg", "x": [0.2, 1], "y": [-1, -0.4]}]
    keep = [{"body": "peg", "inside": box(0.3, -1, 1, 1)}]
    result = solve(assembly(frame(5), peg(5), limits=limits, keep=keep))
    assert [found.where for found in result.violated] == ["limits[0].y", "keep[0]", "limits[0].x"]
    first, *rest = result.summary().splitlines()
    assert "limits[0].y" in first
    assert ", and 2 more constraints." in first
    assert len(rest) == 3
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert data["status"] == "violated"
    assert [found["where"] for found in data["violated"]] == ["limits[0].y", "keep[0]", "limits[0].x"]
    assert data["violated"][1] == {
        "where": "keep[0]", "bodies": ["peg"], "distance": pytest.approx(0.3), "angle": None
    }  # fmt: skip


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_what_is_missed_by_less_than_the_threshold_is_none(share):
    """The same scale as for overlaps: a hundredth of the gap."""
    threshold = solve(assembly(frame(5), peg(5))).threshold
    region = box(share * threshold, -1, 1, 1)
    result = solve(assembly(frame(5), peg(5), keep=[{"body": "peg", "inside": region}]))
    assert (result.status is FlexStatus.VIOLATED) == (share > 1)
    if share < 1:
        assert result.objective == pytest.approx(0.1, rel=1e-4)


def test_a_fixed_body_outside_its_keep_region_violates_it_too():
    keep = [{"body": "frame", "inside": box(1, 1, 2, 2)}]
    result = solve(assembly(frame(5), peg(5), keep=keep))
    assert result.violated[0].bodies == ("frame",)


def test_overlaps_as_drawn_come_before_what_is_violated_and_both_are_listed():
    result = solve(assembly(frame(5, play=-0.2), peg(5), limits=[{"body": "peg", "x": [1, 2]}]))
    assert result.status is FlexStatus.OVERLAPPING
    assert [found.where for found in result.violated] == ["limits[0].x"]
    assert "limits[0].x" in result.summary()


# Cures


CROSSES = {
    "thin plate": (box(0, 0, 10, 0.2), box(5, -5, 5.3, 5), (5.0, (1, 0))),
    "thin peg": (box(0, 0, 10, 2), box(7, -5, 7.3, 5), (3.0, (1, 0))),
    "off the middle": (box(0, 0, 10, 2), box(2, -5, 2.3, 9), (2.3, (-1, 0))),
    "short peg": (box(0, 0, 10, 0.2), box(5, -0.4, 5.3, 0.3), (0.3, (0, -1))),
    "swallowed": (box(-5, -1, 5, 0), box(-0.2, -0.5, 0.2, -0.3), (0.5, (0, 1))),
}


@pytest.mark.few(10)
@pytest.mark.parametrize("unit", [1e-3, 1.0, 40.0])
@pytest.mark.parametrize("turned", [0.0, 0.7])
@pytest.mark.parametrize("case", CROSSES)
def test_where_no_clearance_cures_parts_are_to_be_drawn_apart(case, turned, unit):
    """A clearance that takes all of a part away is no cure: the way apart is said instead."""
    plate, bar, (distance, direction) = CROSSES[case]
    pose = [3, -2, turned]
    bodies = [
        {"name": "a", "outline": plate, "pose": pose, "fixed": True},
        {"name": "peg", "outline": bar, "pose": pose},
    ]
    for body in bodies:
        body["outline"] = (unit * np.array(body["outline"])).tolist()
        body["pose"] = [unit * pose[0], unit * pose[1], turned]
    model = assembly(*bodies)
    result = solve(model)
    assert result.status is FlexStatus.OVERLAPPING
    assert result.cure is None
    assert result.to_dict()["cure"] is None
    apart = result.drawn[0].apart
    assert apart.bodies == ("peg",)
    assert apart.distance == pytest.approx(unit * distance, rel=1e-6)
    world = carry(np.array([0, 0, turned]), np.array(direction, float))
    assert np.array(apart.direction) == pytest.approx(world, abs=1e-9)
    assert "No clearance cures it" in result.summary()
    assert f"Draw peg {unit * distance:.6g} mm further along" in result.summary()
    shift = 1.0001 * apart.distance * np.array(apart.direction)
    x, y, angle = bodies[1]["pose"]
    mended = {**bodies[1], "pose": [x + shift[0], y + shift[1], angle]}
    assert solve(assembly(bodies[0], mended)).status is not FlexStatus.OVERLAPPING


def test_a_clearance_that_breaks_a_third_part_is_no_cure_either():
    """The two that overlap are thick; a shim beside them would be gone."""
    blocks = [
        {"name": "floor", "outline": box(-5, -3, 5, 0), "fixed": True},
        {"name": "block", "outline": box(-2, -0.4, 2, 4)},
    ]
    shim = {"name": "shim", "outline": box(3, 5, 9, 5.3)}
    assert solve(assembly(*blocks)).cure == pytest.approx(0.4, rel=1e-6)
    result = solve(assembly(*blocks, shim))
    assert (result.cure, result.lost) == (None, ("shim",))
    assert result.drawn[0].apart.distance == pytest.approx(0.4, rel=1e-6)
    assert "leaves no single piece of shim. Draw block 0.4 mm further along (0, 1)." in result.summary()


@pytest.mark.few(8)
@pytest.mark.parametrize("seed", range(20))
def test_a_cure_that_is_named_parts_everything_and_leaves_every_part_whole(seed):
    rng = np.random.default_rng(seed)
    bodies = []
    for k in range(4):
        width, height = rng.uniform(0.3, 4, 2)
        pose = [*rng.uniform(-2.5, 2.5, 2).tolist(), rng.uniform(0, 6)]
        bodies.append({"name": f"b{k}", "outline": box(0, 0, width, height), "pose": pose})
    bodies[0]["fixed"] = True
    model = assembly(*bodies)
    result = solve(model)
    if result.status is not FlexStatus.OVERLAPPING:
        return
    if result.cure is not None:
        cured = model.model_copy(update={"clearance": 1.0005 * result.cure})
        assert len(compile_parts(cured).names) == 4
        assert solve(cured).status is not FlexStatus.OVERLAPPING
    for found in result.drawn if result.cure is None else ():
        polygons = {
            body["name"]: shapely.Polygon(carry(np.array(body["pose"]), np.array(body["outline"])))
            for body in bodies
        }
        move = 1.000001 * found.apart.distance * np.array(found.apart.direction)
        (other,) = set(found.bodies) - set(found.apart.bodies)
        moved = shapely.affinity.translate(polygons[found.apart.bodies[0]], *move)
        assert moved.intersection(polygons[other]).area < 1e-9


def test_a_press_fit_is_refused_with_the_least_that_goes_together():
    box = [[0, 0], [1, 0], [1, 1], [0, 1]]
    data = {
        "pliant": 1,
        "kind": "assembly",
        "clearance": -0.02,
        "bodies": [
            {"name": "a", "outline": box, "fixed": True},
            {"name": "b", "outline": box, "pose": [0.95, 0, 0]},
        ],
        "study": {"maximize": [{"body": "b", "direction": [1, 0]}]},
    }
    with pytest.raises(InputError, match=r"clearance: is -0.02: a press fit.*is 0.05 mm: a and b"):
        pliant.solve(data)
    assert pliant.solve({**data, "clearance": 0.05001}).status is not FlexStatus.OVERLAPPING
    assert pliant.solve({**data, "clearance": 0.0489}).status is FlexStatus.OVERLAPPING
    apart = [data["bodies"][0], {**data["bodies"][1], "pose": [2, 0, 0]}]
    with pytest.raises(InputError, match="go together as drawn is 0"):
        pliant.play({**data, "bodies": apart})
    pins = [{"bodies": ["a", "b"], "at": [1, 0], "clearance": -0.1}]
    with pytest.raises(
        InputError, match=r"pins\[0\].clearance: is -0.1: a press fit.*least that goes together is 0"
    ):
        pliant.solve({**data, "clearance": 0, "pins": pins})
