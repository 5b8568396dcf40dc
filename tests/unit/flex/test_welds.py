"""Welds and bodies of several outlines: one rigid part, whose members keep their names and poses."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely

from pliant.core.errors import InputError
from pliant.core.pose import carry, uncarry
from pliant.files import model_of
from pliant.flex.geometry.parts import compile_parts
from pliant.flex.model import Assembly
from pliant.flex.result import FlexResult
from pliant.flex.solve import solve
from pliant.flex.status import FlexStatus

pytestmark = pytest.mark.usefixtures("not_shaken")


def box(left, bottom, right, top):
    return [[left, bottom], [right, bottom], [right, top], [left, top]]


def assembly(*bodies: dict, maximize: dict, **rest) -> Assembly:
    return Assembly.model_validate({"bodies": list(bodies), "study": {"maximize": [maximize]}, **rest})


CAGE = {"name": "cage", "outline": box(-9, -9, 9, 9), "holes": [box(-4.2, -3.2, 4.2, 3.2)], "fixed": True}
TEE = [[-4, 1], [4, 1], [4, 3], [-4, 3]], [[-1, -3], [1, -3], [1, 1], [-1, 1]]
TEE_OUTLINE = [[-4, 1], [-1, 1], [-1, -3], [1, -3], [1, 1], [4, 1], [4, 3], [-4, 3]]


def tee(how: str) -> tuple[list[dict], dict, str]:
    """A T in one outline, in two, or of two bodies, welded or pinned twice: bodies, joints, a name."""
    if how == "outline":
        return [{"name": "tee", "outline": TEE_OUTLINE}], {}, "tee"
    if how == "outlines":
        return [{"name": "tee", "outlines": [TEE[0], {"outline": TEE[1]}]}], {}, "tee"
    stem = uncarry(np.array([0.3, -0.1, 0.7]), np.array(TEE[1], float))
    bar = {"name": "bar", "outline": TEE[0]}
    stem = {"name": "stem", "outline": stem.tolist(), "pose": [0.3, -0.1, 0.7]}
    joints = {"welds": [{"bodies": ["bar", "stem"]}]}
    if how == "pins":
        joints = {"pins": [{"bodies": ["bar", "stem"], "at": [x, 1]} for x in (-0.5, 0.5)]}
    return [bar, stem], joints, "bar"


@pytest.mark.few(4)
@pytest.mark.parametrize("clearance", [0.0, 0.3])
@pytest.mark.parametrize("spin", [1, -1])
@pytest.mark.parametrize("how", ["outlines", "weld", "pins"])
def test_a_part_in_pieces_moves_as_the_same_part_in_one(how, spin, clearance):
    answers = []
    for kind in ("outline", how):
        bodies, joints, name = tee(kind)
        maximize = {"body": name, "spin": spin}
        answers.append(solve(assembly(CAGE, *bodies, maximize=maximize, clearance=clearance, **joints)))
    one, other = answers
    assert other.status is one.status is FlexStatus.CONVERGED
    assert other.objective == pytest.approx(one.objective, rel=1e-4)
    assert other.linear == pytest.approx(one.linear, rel=1e-5)
    assert other.columns == one.columns == 3
    assert other.overlap <= other.threshold


@pytest.mark.parametrize("seed", range(6))
def test_cells_of_a_random_part_are_the_part_however_they_are_drawn(seed):
    """Squares side by side, each in a frame of its own, turned by quarters: no gap opens at any clearance."""
    rng = np.random.default_rng(seed)
    cells = {(0, 0)}
    while len(cells) < 7:
        x, y = list(cells)[rng.integers(len(cells))]
        cells.add(
            (x + int(rng.integers(-1, 2)), y) if rng.random() < 0.5 else (x, y + int(rng.integers(-1, 2)))
        )
    base = np.array([*rng.normal(size=2), rng.uniform(-3, 3)])
    bodies = []
    for k, (x, y) in enumerate(sorted(cells)):
        quarter = rng.integers(4) * math.pi / 2
        at = carry(base, np.array([x, y], float))
        square = box(-0.5, -0.5, 0.5, 0.5)
        bodies.append({"name": f"c{k}", "outline": square, "pose": [*at.tolist(), base[2] + quarter]})
    held = {"name": "held", "outline": box(90, 90, 91, 91), "fixed": True}
    welds = [{"bodies": [body["name"] for body in bodies]}]
    whole = shapely.union_all([shapely.box(x - 0.5, y - 0.5, x + 0.5, y + 0.5) for x, y in cells])
    for clearance in (0.0, 0.2):
        model = Assembly.model_validate({"bodies": [held, *bodies], "welds": welds, "clearance": clearance})
        parts = compile_parts(model)
        assert parts.count == 2
        inset = whole.buffer(-clearance / 2, join_style="mitre")
        drawn = shapely.transform(inset, lambda points: carry(base, points))
        assert parts.polygons(parts.drawn)[1].symmetric_difference(drawn).area < 1e-4
        members = parts.member_polygons(parts.drawn)[1:]
        assert shapely.union_all(members).symmetric_difference(drawn).area < 1e-3
        assert parts.member_poses(parts.drawn) == pytest.approx(
            np.array([body.pose for body in model.bodies]), abs=1e-9
        )


def carrying(result: FlexResult) -> set[tuple[str, ...]]:
    """The pairs of bodies that carry the load."""
    return {contact.bodies for contact in result.contacts if contact.force > 1e-6}


WALL = {"name": "wall", "outline": box(-1, -20, 1, 20), "fixed": True}
LEFT = {"name": "left", "outline": box(-3, -1, -1.5, 1)}
RIGHT = {"name": "right", "outline": box(1.2, -1, 3, 1), "pose": [0, 0, 0]}


def across(**rest) -> Assembly:
    """Two blocks, welded through a wall, as around the edge of a board."""
    return assembly(WALL, LEFT, RIGHT, **{"welds": [{"bodies": ["left", "right"]}], **rest})


def test_pieces_that_are_apart_hold_each_other():
    result = solve(across(maximize={"body": "left", "direction": [1, 0]}))
    assert result.status is FlexStatus.CONVERGED
    # The gap on the left is taken up.
    assert result.objective == pytest.approx(0.5, rel=1e-4)
    back = solve(across(maximize={"body": "left", "direction": [-1, 0]}))
    assert back.objective == pytest.approx(0.2, rel=1e-4)
    assert carrying(result) == {("wall", "left")}
    assert carrying(back) == {("wall", "right")}


def rigidly(result: FlexResult, first: str, second: str) -> float:
    """By how much one body moved, seen from another, in any pose that a step ended at."""
    names = [body.name for body in result.model.bodies]
    poses = result.frames.poses[result.frames.accepted]
    a, b = (poses[:, names.index(name)] for name in (first, second))
    seen = np.concatenate([uncarry(a, b[:, :2]), b[:, 2:] - a[:, 2:]], axis=1)
    return float(np.abs(seen - seen[0]).max())


def test_members_keep_their_poses_to_each_other_in_every_frame():
    turned = {**RIGHT, "outline": box(-0.8, -1, 1, 1), "pose": [2, 0, math.pi]}
    result = solve(
        assembly(
            WALL, LEFT, turned, maximize={"body": "left", "spin": 1}, welds=[{"bodies": ["right", "left"]}]
        )
    )
    assert result.status is FlexStatus.CONVERGED
    assert result.objective > 0.1
    assert rigidly(result, "left", "right") < 1e-9
    assert result.frames.poses[0] == pytest.approx(np.array([body.pose for body in result.model.bodies]))
    assert list(result.poses) == ["wall", "left", "right"]
    assert result.motion.bodies == ("wall", "left", "right")
    for frame in result.frames.poses[result.frames.accepted]:
        shapes = [
            shapely.Polygon(carry(pose, result.shapes[shape].rings[0]))
            for pose, shape in zip(frame, result.shape_of, strict=True)
        ]
        assert shapes[0].intersection(shapely.union_all(shapes[1:])).area < 1e-3


def test_what_leaves_is_named_with_all_that_is_welded_to_it():
    result = solve(across(maximize={"body": "right", "direction": [0, 1]}))
    assert result.status is FlexStatus.FREE
    assert set(result.leaving.bodies) == {"left", "right"}
    assert np.array(result.leaving.velocities) == pytest.approx(np.array([[0, 1], [0, 1]]), abs=1e-4)
    assert result.motion.poses[-1, 1] - result.motion.poses[0, 1] == pytest.approx(
        result.motion.poses[-1, 2] - result.motion.poses[0, 2]
    )


def test_members_may_overlap_and_do_not_touch_each_other():
    block = {"name": "block", "outline": box(-2, -2, 2, 2)}
    plate = {"name": "plate", "outline": box(-3, -1, 3, 1)}
    welds, upright = [{"bodies": ["block", "plate"]}], [{"body": "plate", "rotation": 0.1}]
    along = {"body": "plate", "direction": [1, 0]}
    result = solve(assembly(CAGE, block, plate, maximize=along, welds=welds, limits=upright))
    assert result.status is FlexStatus.CONVERGED
    assert result.objective == pytest.approx(1.2, rel=1e-3)


def test_what_is_welded_to_a_fixed_body_is_fixed_and_holds_others():
    shelf = {"name": "shelf", "outline": box(-4.2, -3.2, 4.2, -1)}
    block = {"name": "block", "outline": box(-1, -0.5, 1, 1)}
    welds = [{"bodies": ["cage", "shelf"]}]
    result = solve(
        assembly(CAGE, shelf, block, maximize={"body": "block", "direction": [0, -1]}, welds=welds)
    )
    assert result.objective == pytest.approx(0.5, rel=1e-5)
    assert carrying(result) == {("shelf", "block")}
    assert result.motion.fixed.tolist() == [True, True, False]
    assert result.columns == 3


# Layers


@pytest.mark.parametrize("gap", [0.3, 0.7, 1.4])
def test_a_leaf_on_a_pinned_knuckle_still_meets_the_post(gap):
    """A pin puts the knuckle into another layer than the post, not the leaf that is welded to it."""
    post = {"name": "post", "outline": box(-2, -9, 2, 0), "fixed": True}
    knuckle = {"name": "knuckle", "outline": box(-1, -1, 1, 3)}
    leaf = {"name": "leaf", "outline": box(-8, gap, 8, gap + 1)}
    pins = [{"bodies": ["knuckle", "post"], "at": [0, -0.5]}]
    welds = [{"bodies": ["knuckle", "leaf"]}]
    result = solve(
        assembly(post, knuckle, leaf, maximize={"body": "leaf", "spin": 1}, pins=pins, welds=welds)
    )
    assert result.status is FlexStatus.CONVERGED
    # Its lower side, gap + 0.5 above the pin, comes down on the corner 2 aside from it and 0.5 above.
    arm = math.hypot(2, 0.5)
    assert result.objective == pytest.approx(math.asin((gap + 0.5) / arm) - math.atan2(0.5, 2), rel=1e-3)
    assert rigidly(result, "knuckle", "leaf") < 1e-5
    assert ("post", "leaf") in carrying(result)


@pytest.mark.parametrize("solver", ["auto", "piqp", "clarabel", "highs", "normal"])
def test_a_weld_by_two_pins_is_a_weld_with_every_solver(solver):
    """The blocks lie 0.5 and 0.2 off a wall 2 thick: so tilted, corners a diagonal apart touch both sides."""
    pinned = [{"bodies": ["left", "right"], "at": [x, 0.5]} for x in (-2, 2)]
    for joints in ({"welds": [], "pins": pinned}, {}):
        model = across(maximize={"body": "right", "spin": 1}, **joints)
        result = solve(model, model.study.model_copy(update={"solver": solver}))
        assert result.status is FlexStatus.CONVERGED
        # Facing corners are 2.7 apart and 2 up or down: across the wall no less than its thickness.
        across_at = math.hypot(2.7, 2.0)
        turn = math.acos(2.0 / across_at) - math.atan2(2.0, 2.7)
        assert result.objective == pytest.approx(turn, rel=1e-3)


# What members are named by


def test_the_centroid_that_travels_is_that_of_the_member_named():
    """About a pivot each goes its own way."""
    bodies = [
        {"name": "base", "outline": box(-50, -50, -49, -49), "fixed": True},
        {"name": "near", "outline": box(0, 0, 2, 2)},
        {"name": "far", "outline": box(8, 0, 10, 2)},
    ]
    pins = [{"bodies": ["base", "near"], "at": [1, 1]}]
    limits = [{"body": "far", "rotation": 0.2}]
    welds = [{"bodies": ["near", "far"]}]
    for name, travel in (("far", 8 * math.sin(0.2)), ("near", None)):
        maximize = {"body": name, "direction": [0, 1]}
        model = assembly(*bodies, maximize=maximize, pins=pins, limits=limits, welds=welds)
        result = solve(model)
        if travel is None:
            assert result.status is FlexStatus.LOCKED
        else:
            assert result.objective == pytest.approx(travel, rel=1e-4)


def test_a_limit_on_the_travel_of_a_member_is_on_its_own_centroid():
    bodies = [
        {"name": "base", "outline": box(-50, -50, -49, -49), "fixed": True},
        {"name": "near", "outline": box(0, 0, 2, 2)},
        {"name": "far", "outline": box(8, 0, 10, 2), "pose": [0, 0, 0]},
    ]
    joints = {
        "pins": [{"bodies": ["base", "near"], "at": [1, 1]}],
        "limits": [{"body": "far", "y": [-0.3, 0.5]}],
        "welds": [{"bodies": ["near", "far"]}],
    }
    for spin, most in ((1, 0.5), (-1, 0.3)):
        result = solve(assembly(*bodies, maximize={"body": "near", "spin": spin}, **joints))
        assert result.objective == pytest.approx(math.asin(most / 8), rel=1e-4)


def test_points_markers_and_cones_of_a_turned_member_are_in_its_own_frame():
    """A keep region around where the point is drawn, and a cone that looks along the member."""
    bodies = [
        {"name": "base", "outline": box(-50, -50, -49, -49), "fixed": True},
        {"name": "hub", "outline": box(-1, -1, 1, 1)},
        {"name": "arm", "outline": box(0, -1, 4, 1), "pose": [0, 1, math.pi / 2]},
        {"name": "target", "outline": box(-1, 19, 1, 20), "fixed": True},
    ]
    joints = {
        "welds": [{"bodies": ["hub", "arm"]}],
        "keep": [{"body": "arm", "point": [4, 0], "inside": box(-0.5, 4.5, 0.5, 5.5)}],
        "sights": [{"from": "arm", "to": "target", "apex": [4, 0], "half_angle": 0.1, "marker": [0, 19]}],
    }
    result = solve(assembly(*bodies, maximize={"body": "hub", "spin": 1}, **joints))
    assert result.status is FlexStatus.CONVERGED
    point = carry(np.array(result.poses["arm"]), np.array([4.0, 0.0]))
    assert np.abs(point - [0, 5]).max() <= 0.5 + 1e-4
    away = np.array([0, 19]) - point
    aside = math.atan2(away[1], away[0]) - result.poses["arm"][2]
    assert abs(aside) <= 0.1 + 1e-5


def test_overlaps_as_drawn_are_of_members_and_a_cure_keeps_the_weld_whole():
    """The stem stands 0.2 deep in the floor; the seam between stem and bar is no outside."""
    floor = {"name": "floor", "outline": box(-9, -5, 9, -2.8), "fixed": True}
    bodies, joints, _ = tee("weld")
    model = assembly(floor, *bodies, maximize={"body": "bar", "spin": 1}, **joints)
    result = solve(model)
    assert result.status is FlexStatus.OVERLAPPING
    assert [found.bodies for found in result.drawn] == [("floor", "stem")]
    assert result.drawn[0].depth == pytest.approx(0.2, rel=1e-4)
    assert result.cure == pytest.approx(0.2, rel=1e-4)
    cured = solve(model.model_copy(update={"clearance": 1.01 * result.cure}))
    assert cured.status is not FlexStatus.OVERLAPPING
    seam = compile_parts(model.model_copy(update={"clearance": 0.3}))
    assert seam.polygons(seam.drawn)[1].geom_type == "Polygon"


def test_where_no_clearance_cures_the_whole_weld_is_to_be_drawn_away():
    floor = {"name": "floor", "outline": box(-9, -5, 9, -2.0), "fixed": True}
    bodies, joints, _ = tee("weld")
    bodies.append({"name": "hair", "outline": box(20, 20, 30, 20.1)})
    result = solve(assembly(floor, *bodies, maximize={"body": "bar", "spin": 1}, **joints))
    assert result.lost == ("hair",)
    assert result.drawn[0].apart.bodies == ("bar", "stem")
    assert result.drawn[0].apart.distance == pytest.approx(1.0, rel=1e-5)
    assert "Draw bar, stem 1 mm further along (0, 1)." in result.summary()


# Files


def test_outlines_may_be_of_a_body_or_of_a_shared_shape_with_holes_or_without():
    pair = {"outlines": [box(0, 0, 1, 1), {"outline": box(3, 0, 6, 3), "holes": [box(4, 1, 5, 2)]}]}
    held = {"name": "held", "outline": box(90, 90, 91, 91), "fixed": True}
    own = {"name": "own", **pair}
    shared = [{"name": f"s{k}", "shape": "pair", "pose": [0, 10.0 * k, 0.5 * k]} for k in (1, 2)]
    model = Assembly.model_validate({"bodies": [held, own, *shared], "shapes": {"pair": pair}})
    parts = compile_parts(model)
    assert [polygon.area for polygon in parts.polygons(parts.drawn)] == pytest.approx([1, 9, 9, 9])
    assert parts.shape_of.tolist() == [0, 1, 2, 2]
    assert [len(shape.rings) for shape in parts.members.shapes] == [1, 3, 3]


@pytest.mark.parametrize(
    ("body", "where", "said"),
    [
        ({"outline": box(0, 0, 1, 1), "outlines": [box(0, 0, 1, 1)]}, "", "has outline and outlines"),
        ({}, "", "has none of shape, outline and outlines"),
        ({"shape": "s", "outline": box(0, 0, 1, 1)}, "", "has shape and outline"),
        (
            {"outlines": [box(0, 0, 1, 1)], "holes": [box(0.1, 0.1, 0.2, 0.2)]},
            "",
            "has holes beside outlines",
        ),
        ({"outlines": [box(0, 0, 1, 1), [[0, 0], [1, 1]]]}, ".outlines[1]", "has 2 different vertices"),
        ({"outlines": [{"outline": box(0, 0, 1, 1), "hole": []}]}, ".outlines[0].hole", "is not a key"),
        ({"outlines": [{"outline": [[0, 0], [2, 2], [2, 0], [0, 2]]}]}, ".outlines[0].outline", "cross"),
    ],
)
def test_what_is_wrong_with_outlines_is_said_where_it_is(body, where, said):
    held = {"name": "held", "outline": box(90, 90, 91, 91), "fixed": True}
    with pytest.raises(InputError) as caught:
        model_of(
            {
                "pliant": 1,
                "kind": "assembly",
                "shapes": {"s": box(0, 0, 1, 1)},
                "bodies": [held, {"name": "a", **body}],
            }
        )
    (fault,) = caught.value.faults
    assert fault.where == f"bodies[1]{where}"
    assert said in fault.problem
    assert fault.cure


def test_a_clearance_that_breaks_a_member_of_a_weld_names_it():
    bodies, joints, _ = tee("weld")
    bodies.append({"name": "hair", "outline": box(20, 20, 30, 20.1)})
    joints["welds"][0]["bodies"].append("hair")
    with pytest.raises(InputError) as caught:
        compile_parts(Assembly.model_validate({"bodies": [CAGE, *bodies], "clearance": 0.3, **joints}))
    assert [fault.where for fault in caught.value.faults] == ["bodies[3].outline"]
