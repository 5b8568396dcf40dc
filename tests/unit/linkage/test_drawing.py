from collections.abc import Iterable

import numpy as np
import pytest
import shapely
from numpy.testing import assert_allclose

import pliant.view
from pliant.core.arrays import Floats
from pliant.core.motion import Mark, Motion, Signal
from pliant.core.pose import carry
from pliant.linkage.drawing import picture, skeleton
from pliant.linkage.generate import linkage
from pliant.linkage.model import Linkage
from pliant.view.symbols import curve

ANGLES = np.linspace(0, 2 * np.pi, 120, endpoint=False)
DEGREES = np.degrees(ANGLES)


def pairs(*columns) -> Floats:
    """Complex columns (F,) as joints (F, N, 2)."""
    joints = np.stack(np.broadcast_arrays(*columns), axis=1)
    return np.stack([joints.real, joints.imag], axis=-1)


def drawn(names: str, points: Floats, ground: str, links: Iterable[str], **rest) -> Linkage:
    return linkage(dict(zip(names, points[0] @ [1, 1j], strict=True)), ground, links, **rest)


def four_bar(height: float = 3.0) -> tuple[Linkage, Floats]:
    """A(0,0) B(0,1) C(3,2) D(4,0), with P(2, height) on the coupler."""
    b = 1j * np.exp(1j * ANGLES)
    along, arms = 4 - b, (abs(3 + 1j), abs(-1 + 2j))
    foot = (arms[0] ** 2 - arms[1] ** 2 + abs(along) ** 2) / (2 * abs(along))
    c = b + along / abs(along) * (foot + 1j * np.sqrt(arms[0] ** 2 - foot**2))
    p = b + (c - b) * (2 + (height - 1) * 1j) / (3 + 1j)
    points = pairs(0j, b, c, 4 + 0j, p)
    return drawn("ABCDP", points, "AD", ("A B", "B C P", "C D")), points


def slider_crank() -> tuple[Linkage, Floats]:
    b = np.exp(1j * (ANGLES + 0.8))
    points = pairs(0j, b, b.real + np.sqrt(9 - b.imag**2) + 0j)
    sliders = [{"joint": "C", "along": [[0, 0], [1, 0]]}]
    motors = [{"joint": "A", "drives": "B", "direction": "cw"}]
    return drawn("ABC", points, "A", ("A B", "B C"), motors=motors, sliders=sliders), points


def quick_return() -> tuple[Linkage, Floats]:
    b = 2j + np.exp(1j * (ANGLES + 0.3))
    points = pairs(0j, 2j, b, 4.2 * b / abs(b))
    return drawn("OABD", points, "OA", ("A B", "O D"), sliders=[{"joint": "B", "on": "O-D"}]), points


def outline(motion: Motion, body: str, frame: int) -> shapely.Polygon:
    index = motion.bodies.index(body)
    rings = [carry(motion.poses[frame, index], ring) for ring in motion.shapes[index].rings]
    return shapely.Polygon(rings[0], rings[1:])


def of_group(motion: Motion, group: str) -> list[Mark]:
    return [mark for mark in motion.marks if mark.group == group]


def test_every_link_holds_its_joints_in_every_pose():
    model, points = four_bar()
    motion = picture(model, DEGREES, points)
    for frame in range(0, len(points), 7):
        for link in model.links:
            plate = outline(motion, link.label, frame)
            assert all(plate.contains(shapely.Point(points[frame, "ABCDP".index(j)])) for j in link.joints)


def test_a_link_keeps_its_shape_although_the_drawing_is_far_from_the_first_pose():
    model, points = four_bar()
    late = picture(model, DEGREES, np.roll(points, -40, axis=0))
    index = late.bodies.index("B-C-P")
    assert_allclose(carry(late.poses[0, index], np.array([2.0, 2.0])), points[40, 4], atol=1e-12)


def test_a_link_of_two_joints_is_a_slim_bar_and_one_of_three_a_plate():
    model, points = four_bar()
    motion = picture(model, DEGREES, points)
    bar, plate = (outline(motion, name, 0) for name in ("C-D", "B-C-P"))
    width = bar.area / np.hypot(1, 2)
    assert 0.015 < width / np.ptp(points, axis=(0, 1)).max() < 0.05
    assert plate.area > shapely.Polygon([[0, 1], [3, 2], [2, 3]]).area
    assert motion.bodies.index("B-C-P") == 0  # behind the bars


def test_collinear_joints_make_a_bar_through_all_of_them():
    turned = np.exp(1j * ANGLES)
    points = pairs(0j, turned, 3 * turned)
    model = drawn("AMB", points, "A", ("A M B",), motors=[{"joint": "A", "drives": "B"}])
    bar = outline(picture(model, DEGREES, points), "A-M-B", 0)
    assert_allclose(bar.bounds[1] + bar.bounds[3], 0, atol=1e-12)
    assert bar.bounds[3] < 0.1
    assert bar.contains(shapely.LineString([[0, 0], [3, 0]]))


def test_links_of_ground_joints_alone_are_fixed():
    model, points = four_bar()
    grounded = model.model_copy(
        update={"links": (*model.links, model.links[0].model_copy(update={"joints": ("A", "D")}))}
    )
    motion = picture(grounded, DEGREES, points)
    assert [name for name, fixed in zip(motion.bodies, motion.fixed, strict=True) if fixed] == ["A-D"]


def test_a_curve_closes_after_a_whole_turn_and_not_after_part_of_one():
    model, points = four_bar()
    (whole,) = of_group(picture(model, DEGREES, points, traced=["P"]), "trace")
    assert whole.text == "P"
    assert_allclose(whole.points[-1], whole.points[0])
    assert_allclose(whole.points[:-1], points[:, 4])
    (part,) = of_group(picture(model, DEGREES[:90], points[:90], traced=["P"]), "trace")
    assert_allclose(part.points, points[:90, 4])


def test_a_curve_whose_last_place_is_its_first_again_is_closed_too():
    path = np.vstack([pairs(np.exp(1j * ANGLES))[:, 0], [[1.0, 0.0]]])
    assert_allclose(curve(path)[-1], path[0])


def test_each_ground_joint_stands_on_hatched_ground():
    model, points = four_bar()
    marks = of_group(picture(model, DEGREES, points), "ground")
    apexes = [mark.points[0] for mark in marks if mark.kind == "polygon"]
    assert_allclose(apexes, [[0, 0], [4, 0]])
    hatching = [mark.points for mark in marks if mark.kind == "curve"]
    assert all((line[:, 1] < 0).all() and len(np.unique(line[:, 1].round(9))) == 2 for line in hatching)


@pytest.mark.parametrize(("direction", "sense"), [("ccw", 1), ("cw", -1)])
def test_the_motors_arrow_starts_past_the_crank_and_points_its_way(direction, sense):
    model, points = four_bar()
    motors = (model.motors[0].model_copy(update={"direction": direction}),)
    arc, head = of_group(picture(model.model_copy(update={"motors": motors}), DEGREES, points), "motor")
    path = (
        np.unwrap(np.arctan2(arc.points[:, 1], arc.points[:, 0])) - np.pi / 2
    )  # from the crank, which is up
    assert (sense * np.diff(path) > 0).all()
    assert 0 < sense * path[0] < sense * path[-1] < np.pi
    tip, *wings = np.arctan2(*head.points.T[::-1])
    assert all(sense * (tip - wing) % (2 * np.pi) < 0.5 for wing in wings)


def test_a_block_rides_on_its_fixed_guide_and_never_beyond_it():
    model, points = slider_crank()
    motion = picture(model, DEGREES, points)
    (rail,) = of_group(motion, "guide")
    top = rail.points[:, 1].max()
    for frame in range(0, len(points), 5):
        left, bottom, right, _ = outline(motion, "slider C", frame).bounds
        assert bottom == pytest.approx(top)
        assert rail.points[:, 0].min() < left < points[frame, 2, 0] < right < rail.points[:, 0].max()


def test_a_block_on_a_link_stays_in_its_slot():
    model, points = quick_return()
    motion = picture(model, DEGREES, points)
    assert not of_group(motion, "guide")
    for frame in range(0, len(points), 5):
        lever, block = outline(motion, "O-D", frame), outline(motion, "slider B", frame)
        (slot,) = lever.interiors
        assert block.intersection(lever).area < 1e-9
        assert shapely.Polygon(slot).buffer(1e-9).contains(block)


def test_joints_are_points_with_names_and_the_rest_is_passed_on():
    model, points = four_bar()
    extra = Mark("label", np.zeros((1, 2)), text="toggle")
    signal = Signal("deg", ANGLES.copy())
    motion = picture(model, DEGREES, points, marks=[extra], signals={"mu": signal}, title="Mine")
    assert motion.point_names == tuple("ABCDP")
    assert (motion.axis, motion.unit, motion.length_unit, motion.title) == (
        "motor angle",
        "deg",
        "mm",
        "Mine",
    )
    assert motion.marks[-1] is extra
    assert motion.signals["mu"] is signal
    assert Motion.from_dict(motion.to_dict()).to_dict() == motion.to_dict()


def test_before_an_edit_shows_what_changed_and_the_curve_that_was():
    (model, points), (_, old) = four_bar(), four_bar(3.5)
    marks = of_group(picture(model, DEGREES, points, traced=["P"], before=old), "before")
    assert len(marks) == 2  # the coupler and the curve of P: crank and rocker are as they were
    assert_allclose(marks[1].points[:-1], old[:, 4])
    assert any(np.allclose(place, old[0, 4]) for place in marks[0].points)


def test_before_may_be_curves_alone():
    model, points = four_bar()
    marks = of_group(picture(model, DEGREES, points, before=points[:, 3:] + 0.1), "before")
    assert_allclose(marks[1].points[:-1], points[:, 4] + 0.1)
    assert len(marks) == 2


def test_a_skeleton_runs_through_the_joints_of_each_link():
    model, points = four_bar()
    crank, coupler, rocker = skeleton(model, points[30], "limit")
    assert {mark.group for mark in (crank, coupler, rocker)} == {"limit"}
    assert_allclose(sorted(crank.points.tolist()), sorted(points[30, [0, 1]].tolist()))
    assert_allclose(coupler.points[0], coupler.points[-1])
    assert len(coupler.points) == 4


@pytest.mark.parametrize("make", [four_bar, slider_crank, quick_return])
def test_one_pose_is_a_picture_too(make):
    model, points = make()
    still = picture(model, np.zeros(1), points[:1].copy(), traced=["B"])
    assert still.frames == 1
    pliant.view.figure(still)


def test_size_does_not_matter():
    model, points = four_bar()
    joints = {name: (1e-3 * x, 1e-3 * y) for name, (x, y) in model.joints.items()}
    small = picture(model.model_copy(update={"joints": joints}), DEGREES, 1e-3 * points, traced=["P"])
    full = picture(model, DEGREES, points, traced=["P"])
    for mine, other in zip(small.marks, full.marks, strict=True):
        assert_allclose(1e3 * mine.points, other.points, atol=1e-9)
    for mine, other in zip(small.shapes, full.shapes, strict=True):
        assert_allclose(1e3 * mine.rings[0], other.rings[0], atol=1e-9)
