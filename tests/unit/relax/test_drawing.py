"""How a mechanism looks: bodies in the plane, lines and faces in space, and what stands beside them."""

from itertools import pairwise

import numpy as np
import pytest
import shapely
from numpy.testing import assert_allclose

import pliant.view
from pliant.core.motion import Motion
from pliant.core.pose import carry
from pliant.relax.drawing import _rings, drawn_frame
from pliant.relax.drawing import motion as motion_of
from pliant.relax.model import Mechanism
from pliant.relax.solve import solve
from pliant.relax.solvers.record import Notice
from pliant.relax.status import RelaxStatus
from pliant.relax.symbols.wheels import Wheel, _outline

TURNS = np.radians(np.linspace(0, 143, 11))


def mechanism(nodes, **elements) -> Mechanism:
    return Mechanism.model_validate({"nodes": nodes, **elements})


def round_about(centre, place, angles):
    """A place turned about a centre, (F, 2)."""
    away = complex(*np.subtract(place, centre)) * np.exp(1j * np.asarray(angles))
    return np.asarray(centre) + np.column_stack([away.real, away.imag])


def at(model: Mechanism, **paths):
    """Places (F, N, D) of a model's nodes: as drawn, but for those with a path."""
    frames = max((len(path) for path in paths.values()), default=1)
    return np.stack(
        [
            np.broadcast_to(paths.get(name, place), (frames, len(place)))
            for name, place in model.nodes.items()
        ],
        axis=1,
    )


def outline(motion: Motion, body: int, frame: int) -> shapely.Polygon:
    rings = [carry(motion.poses[frame, body], ring) for ring in motion.shapes[motion.body_shapes[body]].rings]
    return shapely.Polygon(rings[0], rings[1:])


def outlines(motion: Motion, name: str, frame: int) -> list[shapely.Polygon]:
    return [outline(motion, body, frame) for body, other in enumerate(motion.bodies) if other == name]


def of_group(motion: Motion, group: str, frame: int | None = None):
    return [mark for mark in motion.marks if mark.group == group and mark.frame in (None, frame)]


def crank(**elements) -> Mechanism:
    nodes = {"o": (0, 0), "p": (10, 0), "h": (-8, 0)}
    rotor = {"joint": "o", "arms": ["h", "p"], "to": "143 deg"}
    return mechanism(nodes, ground=["o", "h"], bars=[{"nodes": ["o", "p"]}], rotors=[rotor], **elements)


def turned_crank():
    return at(crank(), p=round_about((0, 0), (10, 0), TURNS))


# In the plane


def test_a_bar_holds_its_nodes_in_every_pose_and_nodes_are_points_with_names(by_hand):
    places = turned_crank()
    motion = motion_of(by_hand(crank(), places))
    assert motion.point_names == ("o", "p", "h")
    assert_allclose(motion.points, places)
    for frame in range(len(places)):
        (bar,) = outlines(motion, "bar o-p", frame)
        assert all(bar.contains(shapely.Point(place)) for place in places[frame, :2])
        assert not bar.contains(shapely.Point(places[frame, 2]))


def test_a_plate_turns_with_its_nodes_and_a_held_one_is_fixed(by_hand):
    nodes = {"a": (0, 0), "b": (4, 0), "c": (1, 3), "d": (9, 9), "e": (8, 5), "f": (12, 6)}
    model = mechanism(
        nodes,
        ground=["a", "d", "e", "f"],
        plates=[{"nodes": ["a", "b", "c"], "name": "wing"}, {"nodes": ["d", "e", "f"], "name": "base"}],
    )
    places = at(model, **{name: round_about((0, 0), nodes[name], TURNS) for name in "bc"})
    motion = motion_of(by_hand(model, places))
    for frame in range(len(places)):
        (wing,) = outlines(motion, "wing", frame)
        triangle = shapely.Polygon(places[frame, :3])
        assert wing.contains(triangle)
        assert wing.difference(triangle.buffer(1.1 * 0.5 * 0.024 * 15)).area < 1e-9
    assert dict(zip(motion.bodies, motion.fixed.tolist(), strict=True)) == {"wing": False, "base": True}


@pytest.mark.parametrize("longest", [12, 25, 55])
def test_tubes_of_an_actuator_reach_from_node_to_node_however_long_it_gets(by_hand, longest):
    model = mechanism(
        {"a": (0, 0), "b": (0, 10)}, ground=["a"], actuators=[{"nodes": ["b", "a"], "to": longest}]
    )
    reach = np.linspace(10, longest, 9)
    motion = motion_of(by_hand(model, at(model, b=np.column_stack([0.6 * reach, 0.8 * reach]))))
    assert motion.signals["length of b-a"].values[-1] == pytest.approx(longest)
    for frame, length in enumerate(reach):
        tubes = outlines(motion, "actuator b-a", frame)
        whole = shapely.union_all(tubes)
        assert whole.buffer(1e-9).covers(shapely.LineString([(0, 0), (0.6 * length, 0.8 * length)]))
        assert whole.minimum_rotated_rectangle.length / 2 < length + 3 * 0.024 * longest  # and no farther
    assert tubes[-1].area > tubes[0].area  # the barrel, at the held node, is the widest


def test_a_bar_that_gives_way_is_a_stroke_and_a_rigid_one_is_not(by_hand):
    model = mechanism(
        {"a": (0, 0), "b": (10, 0), "c": (10, 10)},
        ground=["a"],
        bars=[{"nodes": ["a", "b"], "stiffness": 1}, {"nodes": ["b", "c"]}],
    )
    motion = motion_of(by_hand(model, at(model, b=[(10, 0), (13, 0)], c=[(10, 10), (13, 10)])))
    assert motion.bodies == ("bar b-c",)
    assert motion.strokes.tolist() == [[0, 1]]


def test_elastic_bars_are_strokes_all_of_them_where_one_gives_way(by_hand):
    model = mechanism(
        {"a": (0, 0), "b": (10, 0), "c": (10, 10)},
        ground=["a"],
        bars=[{"nodes": list(pair), "stiffness": 1} for pair in ("ab", "bc")],
    )
    gave = at(model, b=[(10, 0), (13, 0)], c=[(10, 10), (13, 10)])
    assert motion_of(by_hand(model, gave)).strokes.tolist() == [[0, 1], [1, 2]]
    assert motion_of(by_hand(model, at(model))).bodies == ("bar a-b", "bar b-c")


@pytest.mark.parametrize(("plates", "strokes"), [([], 1), ([{"nodes": ["k", "l", "m"]}], 0)])
def test_a_slider_has_a_line_to_slide_on_unless_it_slides_on_a_plate(plates, strokes):
    nodes = {"k": (0, 0), "l": (20, 0), "m": (10, -8), "s": (8, 0)}
    springs = [{"nodes": ["m", "k"], "stiffness": 1}] if not plates else []
    model = mechanism(
        nodes, ground=["k"], plates=plates, springs=springs, sliders=[{"node": "s", "on": ["k", "l"]}]
    )
    assert drawn_frame(model).strokes.tolist().count([0, 1]) == strokes


def test_a_tight_string_is_straight_and_a_slack_one_hangs_in_a_curve_as_long_as_it_is(by_hand):
    model = mechanism(
        {"a": (0, 0), "b": (10, 0)}, ground=["a"], strings=[{"nodes": ["a", "b"], "length": 10.5}]
    )
    motion = motion_of(by_hand(model, at(model, b=[(10.5, 0), (10, 0)])))
    chain = [0, *range(2, motion.points.shape[1]), 1]
    assert sorted(motion.strokes.tolist()) == sorted([list(pair) for pair in pairwise(chain)])
    tight, slack = motion.points[:, chain]
    assert_allclose(tight[:, 1], 0, atol=1e-9)
    assert slack[:, 1].min() < -1
    assert_allclose(np.linalg.norm(np.diff(slack, axis=0), axis=1).sum(), 10.5, rtol=0.01)
    assert motion.point_names[2:] == ("",) * (len(chain) - 2)


@pytest.mark.parametrize("end", [(10, 0), (6, 8), (4, 5, 6)])
def test_a_spring_is_a_zigzag_or_a_coil_between_its_nodes(by_hand, end):
    start = (0,) * len(end)
    model = mechanism({"a": start, "b": end}, ground=["a"], springs=[{"nodes": ["a", "b"], "stiffness": 2}])
    motion = motion_of(by_hand(model, at(model, b=[end, tuple(1.5 * x for x in end)])))
    way = np.array(end) / np.linalg.norm(end)
    for points in motion.points:
        away = points[2:] - np.outer(points[2:] @ way, way)
        radii = np.linalg.norm(away, axis=1)
        assert radii.max() < 0.1 * np.linalg.norm(end)
        if len(end) == 3:
            assert_allclose(radii, radii[0], rtol=1e-9)
        else:
            assert_allclose(away[2:-1] + away[1:-2], 0, atol=1e-12)  # to and fro


def test_a_wrapped_string_runs_through_its_hidden_nodes_round_its_obstacle():
    model = mechanism(
        {"a": (-20, 0), "b": (20, 0), "o": (0, 0)},
        ground=["a", "o"],
        wraps=[{"nodes": ["a", "b"], "around": [{"node": "o", "radius": 6}], "via": [[0, 7]]}],
    )
    motion = drawn_frame(model)
    away = np.linalg.norm(motion.points[0, 3:], axis=1)
    assert away.min() > 0.97 * 6
    assert len(motion.strokes) == len(away) + 1
    (disc,) = outlines(motion, "disc o", 0)
    assert disc.area == pytest.approx(np.pi * 36, rel=0.01)


def test_gears_mesh_without_running_into_each_other(by_hand):
    nodes = {"o": (0, 0), "p": (0, 10), "q": (25, 0), "r": (25, 15), "t": (40, -15)}
    model = mechanism(
        nodes,
        ground=["o", "q"],
        bars=[{"nodes": ["o", "p"]}, {"nodes": ["q", "r"]}],
        gears=[
            {"wheels": [["o", "p"], ["q", "r"]], "ratio": "-2/3"},
            {"wheel": ["q", "r"], "rack": "t", "along": [1, 0], "radius": 15},
        ],
        guides=[{"node": "t", "line": [1, 0]}],
    )
    turns = np.linspace(0, 0.9, 19)
    places = at(
        model,
        p=round_about((0, 0), (0, 10), turns),
        r=round_about((25, 0), (25, 15), -2 / 3 * turns),
        t=np.column_stack([40 - 10 * turns, np.full(19, -15.0)]),
    )
    motion = motion_of(by_hand(model, places))
    for frame in range(19):
        (small,), (large,) = (outlines(motion, f"wheel {name}", frame) for name in "oq")
        (rack,) = outlines(motion, "rack t", frame)
        tooth = (np.pi * 10 / 15) * 1.5  # about its area
        for first, second in ((small, large), (large, rack)):
            assert first.intersection(second).area < 0.2 * tooth
            assert first.distance(second) < 0.2
    assert small.buffer(0).bounds[2] > 10 > small.representative_point().x
    assert large.area > small.area


def test_a_planet_turns_inside_its_ring(by_hand):
    nodes = {"o": (0, 0), "q": (16, 0), "p": (22, 0), "r": (0, 22)}
    model = mechanism(
        nodes,
        ground=["o", "r"],
        bars=[{"nodes": ["o", "q"]}, {"nodes": ["q", "p"]}],
        gears=[{"wheels": [["q", "p"], ["o", "r"]], "ratio": "3/11", "carrier": ["o", "q"]}],
    )
    turns = np.linspace(0, 1.2, 13)
    middle = round_about((0, 0), (16, 0), turns)
    spin = turns * (1 - 22 / 6)  # θ_p − θ_c = 11/3 (0 − θ_c)
    marked = middle + 6 * np.column_stack([np.cos(spin), np.sin(spin)])
    motion = motion_of(by_hand(model, at(model, q=middle, p=marked)))
    for frame in range(13):
        (ring,), (planet,) = (outlines(motion, f"wheel {name}", frame) for name in "oq")
        assert len(ring.interiors) == 1
        assert ring.intersection(planet).area < 0.5
        assert shapely.Polygon(ring.exterior).contains(planet)
    assert motion.fixed[motion.bodies.index("wheel o")]


def test_wheels_that_turn_the_same_way_side_by_side_have_a_belt(by_hand):
    model = mechanism(
        {"o": (0, 0), "p": (0, 6), "q": (30, 5), "r": (30, 9)},
        ground=["o", "q"],
        bars=[{"nodes": ["o", "p"]}, {"nodes": ["q", "r"]}],
        gears=[{"wheels": [["o", "p"], ["q", "r"]], "ratio": 2}],
    )
    belt = drawn_frame(model).points[0, 4:]
    assert_allclose(belt[0], belt[-1], atol=1e-9)
    whole = shapely.Polygon(belt)
    for centre, radius in (((0, 0), 6), ((30, 5), 3)):
        assert whole.buffer(0.05).contains(shapely.Point(centre).buffer(0.97 * radius))
    assert whole.length == pytest.approx(2 * np.hypot(30, 5) + np.pi * 9, rel=0.02)


def test_a_block_rides_on_its_rail_and_a_collar_turns_with_its_bar(by_hand):
    model = mechanism(
        {"o": (0, 0), "t": (20, 0), "s": (8, 0), "g": (0, -10)},
        ground=["o"],
        bars=[{"nodes": ["o", "t"]}, {"nodes": ["s", "g"]}],
        sliders=[{"node": "s", "on": ["o", "t"]}],
        guides=[{"node": "g", "line": [1, 0]}],
    )
    angles = np.linspace(0, 0.6, 5)
    places = at(
        model,
        t=round_about((0, 0), (20, 0), angles),
        s=round_about((0, 0), (8, 0), angles),
        g=np.column_stack([np.linspace(0, 6, 5), np.full(5, -10.0)]),
    )
    motion = motion_of(by_hand(model, places))
    (rail,) = of_group(motion, "guide")
    for frame in range(5):
        (block,), (collar,) = outlines(motion, "guide g", frame), outlines(motion, "slider s", frame)
        assert block.bounds[1] == pytest.approx(rail.points[:, 1].max())
        assert rail.points[:, 0].min() < block.bounds[0] < block.bounds[2] < rail.points[:, 0].max()
        assert_allclose(shapely.get_coordinates(collar.centroid), places[frame, 2:3], atol=1e-9)
        slope = np.tan(angles[frame])
        (x0, y0), (x1, y1) = shapely.get_coordinates(collar.exterior)[:2]
        assert (y1 - y0) / (x1 - x0) == pytest.approx(slope, abs=1e-9)


def test_what_collides_is_as_thick_as_the_distance_at_which_it_touches():
    nodes = {"a": (0, 5), "b": (8, 5), "c": (3, 9), "l": (-10, 0), "r": (20, 0)}
    bars = [{"nodes": ["a", "b"]}, {"nodes": ["b", "c"]}]
    floor = {"members": [["a", "b"], ["c", "c"]], "against": [["l", "r"]], "radius": 2}
    motion = drawn_frame(mechanism(nodes, ground=["l", "r"], bars=bars, contacts=[floor]))
    (bar,), (ball,) = outlines(motion, "bar a-b", 0), outlines(motion, "disc c", 0)
    assert bar.bounds[1] == pytest.approx(3)
    assert ball.bounds[3] == pytest.approx(11, abs=0.01)
    loose = [*bars, {"nodes": ["l", "r"]}]
    among = drawn_frame(mechanism(nodes, ground=["l"], bars=loose, contacts=[floor]))
    (bar,) = outlines(among, "bar a-b", 0)
    assert bar.bounds[1] == pytest.approx(4)  # half each


def test_a_weld_has_a_gusset_in_its_corner_but_not_along_a_straight_line():
    nodes = {"a": (0, 0), "b": (10, 0), "c": (10, 8), "d": (20, 0)}
    bars = [{"nodes": ["a", "b"]}, {"nodes": ["b", "c"]}, {"nodes": ["b", "d"]}]
    bent = drawn_frame(mechanism(nodes, ground=["a"], bars=bars, welds=[{"joint": "b", "arms": ["a", "c"]}]))
    (gusset,) = outlines(bent, "weld b", 0)
    assert gusset.contains(shapely.Point(9.6, 0.4))
    straight = drawn_frame(
        mechanism(nodes, ground=["a"], bars=bars, welds=[{"joint": "b", "arms": ["a", "d"]}])
    )
    assert not outlines(straight, "weld b", 0)


# Beside it


def test_held_nodes_stand_on_hatched_ground_and_those_above_hang_from_it():
    model = mechanism(
        {"a": (0, 0), "b": (10, 1), "s": (10, 12)},
        ground=["a", "s"],
        bars=[{"nodes": ["a", "b"]}],
        springs=[{"nodes": ["s", "b"], "stiffness": 1}],
    )
    stand, hatch, hang, ceiling = of_group(drawn_frame(model), "ground")
    assert_allclose(stand.points[0], [0, 0])
    assert stand.points[1:, 1].max() < 0
    assert hatch.points[:, 1].max() < 0
    assert_allclose(hang.points[0], [10, 12])
    assert hang.points[1:, 1].min() > 12
    assert ceiling.points[:, 1].min() > 12


def test_a_floor_is_hatched_on_the_side_where_nothing_is():
    model = mechanism(
        {"l": (0, 0), "r": (20, 4), "a": (5, 9), "b": (12, 9)},
        ground=["l", "r"],
        bars=[{"nodes": ["a", "b"]}],
        contacts=[{"members": [["a", "b"]], "against": [["l", "r"]], "radius": 1}],
    )
    (floor,) = of_group(drawn_frame(model), "ground")
    assert (floor.points @ [-0.2, 1]).max() < 1e-9
    assert (floor.points @ [-0.2, 1]).min() < -0.1


def test_a_curve_leads_through_its_points_and_a_field_is_marked():
    points = [[0, 0], [4, 3], [9, 3], [12, 0]]
    model = mechanism(
        {"k": (4, 3), "m": (4, 9)},
        bars=[{"nodes": ["k", "m"]}],
        guides=[{"node": "k", "curve": points}],
        fields=[{"centre": [1, 8], "strength": 2}],
    )
    curve, *rings = of_group(drawn_frame(model), "guide")
    assert all(np.linalg.norm(curve.points - point, axis=1).min() < 1e-9 for point in points)
    assert_allclose([ring.points.mean(axis=0) for ring in rings], [[1, 8]] * 2, atol=0.1)


@pytest.mark.parametrize(("to", "sense"), [("140 deg", 1), ("-140 deg", -1)])
def test_a_motor_has_an_arrow_ahead_of_its_arm_that_points_the_way_it_turns(by_hand, to, sense):
    model = crank(study={"frames": 10}).model_copy(
        update={"rotors": (crank().rotors[0].model_copy(update={"to": np.radians(140) * sense}),)}
    )
    arc, head = of_group(motion_of(by_hand(model, turned_crank())), "motor")
    angles = np.unwrap(np.arctan2(*arc.points.T[::-1]))
    assert (sense * np.diff(angles) > 0).all()
    assert 0 < sense * angles[0] < sense * angles[-1] < np.pi
    assert sense * (np.arctan2(*head.points[0][::-1]) - angles[-1]) > 0


def test_loads_are_arrows_that_grow_and_weights_are_those_of_nodes_that_can_move(by_hand):
    model = crank(loads=[{"node": "p", "force": [0, 1], "to": [0, 4]}], gravity=[0, -2], masses={"p": 0})
    motion = motion_of(by_hand(model, turned_crank()))
    for frame, place in enumerate(turned_crank()[:, 1]):
        (load,) = of_group(motion, "load", frame)
        assert_allclose(load.points[0], place)
        assert load.value == pytest.approx(1 + 3 * frame / 10)
        assert load.points[1, 1] - place[1] == pytest.approx(0.16 * 20 * load.value / 4, rel=0.2)
    assert not of_group(motion, "weight", 0)
    heavy = motion_of(by_hand(crank(gravity=[0, -2]), turned_crank()))
    assert [len(of_group(heavy, "weight", frame)) for frame in (0, 10)] == [1, 1]


def test_traced_nodes_leave_curves(by_hand):
    model = crank(study={"trace": ["p"]})
    (trace,) = of_group(motion_of(by_hand(model, turned_crank())), "trace")
    assert trace.text == "p"
    assert_allclose(trace.points, turned_crank()[:, 1])


# In space


def tripod(**elements) -> Mechanism:
    nodes = {"a": (0, 0, 0), "b": (6, 0, 0), "c": (0, 6, 0), "t": (1, 1, 5)}
    actuators = [{"nodes": [name, "t"], "to": 8} for name in "bc"]
    bars = [{"nodes": ["a", "t"]}]
    return mechanism(nodes, ground=["a", "b", "c"], actuators=actuators, bars=bars, **elements)


def lifted():
    return at(tripod(), t=np.column_stack([np.linspace(1, 2, 5), np.ones(5), np.linspace(5, 7, 5)]))


def test_in_space_bars_are_strokes_and_actuators_rods_in_barrels(by_hand):
    motion = motion_of(by_hand(tripod(), lifted()))
    assert not motion.bodies
    assert [0, 3] in motion.strokes.tolist()
    for frame, top in enumerate(lifted()[:, 3]):
        barrels = of_group(motion, "actuator", frame)
        assert [mark.points[0].tolist() for mark in barrels] == [[6, 0, 0], [0, 6, 0]]
        for number, barrel in enumerate(barrels):
            rod = motion.points[frame, motion.strokes[np.flatnonzero(motion.strokes[:, 1] == 3)[number + 1]]]
            assert_allclose(rod, [barrel.points[1], top])  # it goes on where the barrel ends
            assert_allclose(
                np.cross(barrel.points[1] - barrel.points[0], top - barrel.points[0]), 0, atol=1e-12
            )


def test_in_space_a_plate_has_faces_that_go_with_its_nodes(by_hand):
    flat = {"a": (0, 0, 1), "b": (4, 0, 1), "c": (4, 4, 1), "d": (0, 4, 1), "m": (2, 2, 1)}
    model = mechanism(flat, plates=[{"nodes": list(flat)}])
    places = at(model)[0] + np.arange(3.0)[:, None, None] * [1, 2, 3]
    motion = motion_of(by_hand(model, places))
    for frame in range(3):
        (face,) = of_group(motion, "plate", frame)
        assert shapely.Polygon(face.points[:, :2]).area == pytest.approx(16)
        assert_allclose(face.points[:, 2], 1 + 3 * frame)
    assert len(motion.strokes) == 4  # its edges, once each; m is inside


def test_a_body_in_space_has_the_faces_of_its_hull():
    cube = {f"{x}{y}{z}": (x, y, z) for x in (0, 2) for y in (0, 2) for z in (0, 2)}
    motion = drawn_frame(mechanism(cube, plates=[{"nodes": list(cube)}]))
    faces = of_group(motion, "plate")
    assert len(faces) == 6
    assert all(len(face.points) == 4 for face in faces)
    middles = sorted(face.points.mean(axis=0).tolist() for face in faces)
    assert middles == sorted([[0, 1, 1], [2, 1, 1], [1, 0, 1], [1, 2, 1], [1, 1, 0], [1, 1, 2]])
    assert len(motion.strokes) == 12


def test_a_thousand_plates_in_space_are_edges_alone():
    nodes = {f"n{k}": (k % 40, k // 40, (k * k) % 7) for k in range(903)}
    plates = [{"nodes": [f"n{3 * k + j}" for j in range(3)]} for k in range(301)]
    motion = drawn_frame(mechanism(nodes, plates=plates))
    assert not of_group(motion, "plate")
    assert len(motion.strokes) == 903


def test_hinges_balls_and_wheels_of_space_are_lines_about_their_axes():
    nodes = {"j": (0, 0, 0), "u": (5, 0, 0), "v": (-5, 1, 0), "o": (9, 9, 9), "e": (0, 9, 9), "f": (20, 9, 9)}
    model = mechanism(
        nodes,
        ground=["j", "o", "e", "f"],
        bars=[{"nodes": ["j", "u"]}, {"nodes": ["j", "v"]}],
        hinges=[{"joint": "j", "sides": [["u"], ["v"]], "axis": [0, 0, 2]}],
        wraps=[{"nodes": ["e", "f"], "around": [{"node": "o", "radius": 3}]}],
        gears=[{"wheels": [["j", "u"], ["j", "v"]], "ratio": -1, "axis": [0, 0, 1]}],
    )
    motion = drawn_frame(model)
    points = motion.points[0]
    pin = [points[pair] for pair in motion.strokes if np.ptp(points[pair][:, :2]) < 1e-9]
    assert len(pin) == 1
    assert_allclose(pin[0].mean(axis=0), 0, atol=1e-12)
    away = np.linalg.norm(points - [9, 9, 9], axis=1)
    assert np.isclose(away, 3, rtol=1e-9).sum() >= 75  # three circles of 25 points
    wheel = points[np.isclose(points[:, 2], 0) & np.isclose(np.linalg.norm(points, axis=1), 5)]
    assert len(wheel) >= 25


# What a result adds


def test_the_axis_is_the_drive_and_signals_have_units(by_hand):
    motion = motion_of(by_hand(crank(units="in", stiffness=3), turned_crank(), loads=np.full(11, 2.0)))
    assert (motion.axis, motion.unit, motion.length_unit) == ("drive", "%", "in")
    assert_allclose(motion.values, np.linspace(0, 100, 11))
    units = {name: signal.unit for name, signal in motion.signals.items()}
    assert units == {
        "angle at o": "deg",
        "torque of rotor o": "N·in",
        "residual": "N",
        "length error": "in",
        "internal load": "N",
        "smallest singular value": "",
    }
    assert_allclose(motion.signals["angle at o"].values, np.linspace(0, 143, 11))
    assert_allclose(motion.signals["internal load"].values, 2)


def test_forces_colour_bodies_and_strokes_where_there_are_any(by_hand):
    model = mechanism(
        {"a": (0, 0), "b": (10, 0), "c": (20, 0)},
        ground=["a", "c"],
        bars=[{"nodes": ["a", "b"]}],
        springs=[{"nodes": ["b", "c"], "stiffness": 2, "length": 8}],
        stiffness=500,
    )
    motion = motion_of(by_hand(model, at(model, b=[(10, 0), (10.001, 0)])))
    assert_allclose(motion.stroke_scalars["force"][0], 4)
    assert motion.body_scalars["force"][1, 0] == pytest.approx(500 * 0.001)
    assert "force" not in motion_of(by_hand(crank(), turned_crank())).body_scalars


def test_notices_are_events_and_so_is_a_lock(by_hand):
    notices = (Notice(0.25, "it went on by a jump", "branch"),)
    events = motion_of(by_hand(crank(), turned_crank(), notices=notices, locks_at=0.5)).events
    assert [(event.at, event.kind) for event in events] == [(25, "branch"), (50, "lock")]
    assert events[1].text == "locks at 50% of the drive"


def test_what_carries_an_internal_load_is_marked_in_the_last_frame(by_hand):
    found = {"carriers": (("bar o-p", -3.0), ("rotor o", 1.0)), "locks_at": 0.3}
    motion = motion_of(by_hand(crank(), turned_crank(), status=RelaxStatus.LOCKED, **found))
    (mark,) = of_group(motion, "internal load", 10)
    assert mark.value == 3
    assert_allclose(mark.points, turned_crank()[-1, :2])
    assert motion.body_scalars["internal load"].shape == (11, len(motion.bodies))


def test_ways_to_move_are_arrows_across_the_bar_that_swings():
    model = mechanism(
        {"a": (0, 0), "b": (6, 8)}, ground=["a"], bars=[{"nodes": ["a", "b"]}], study={"frames": 1}
    )
    (arrow,) = of_group(motion_of(solve(model)), "freedom", 1)
    assert_allclose(arrow.points[0], [6, 8])
    assert np.dot(arrow.points[1] - arrow.points[0], [6, 8]) == pytest.approx(0, abs=1e-9)


def test_more_ways_to_move_than_can_be_told_apart_are_not_drawn():
    nodes = {f"n{k}": (k, k % 2) for k in range(9)}
    bars = [{"nodes": [f"n{k}", f"n{k + 1}"]} for k in range(8)]
    result = solve(mechanism(nodes, ground=["n0"], bars=bars, study={"frames": 1}))
    assert result.freedoms == 8
    assert not [mark for mark in motion_of(result).marks if mark.group.startswith("freedom")]


# Any of it


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_size_does_not_matter(by_hand, factor):
    full, model = motion_of(by_hand(crank(), turned_crank())), crank()
    small = model.model_copy(
        update={"nodes": {name: tuple(factor * x for x in at) for name, at in model.nodes.items()}}
    )
    other = motion_of(by_hand(small, factor * turned_crank()))
    for mine, theirs in zip(other.marks, full.marks, strict=True):
        assert_allclose(mine.points / factor, theirs.points, atol=1e-9)
    for mine, theirs in zip(other.shapes, full.shapes, strict=True):
        assert_allclose(mine.rings[0] / factor, theirs.rings[0], atol=1e-9)


@pytest.mark.parametrize("make", [crank, tripod])
def test_a_picture_is_drawn_by_every_view_and_survives_a_file(by_hand, make, tmp_path):
    places = turned_crank() if make is crank else lifted()
    motion = motion_of(by_hand(make(gravity=(0,) * (places.shape[2] - 1) + (-1,)), places))
    motion.save(tmp_path / "motion.json")
    assert Motion.load(tmp_path / "motion.json").to_dict() == motion.to_dict()
    pliant.view.save_figure(pliant.view.figure(motion, scalar=None), tmp_path / "a.png", dpi=40)
    pliant.view.save_figure(pliant.view.filmstrip(motion, frames=2), tmp_path / "b.svg")
    pliant.view.animate(motion, tmp_path / "a.gif", seconds=0.3, fps=10, dpi=40)
    pliant.view.write_player(motion, tmp_path / "a.html")


@pytest.mark.parametrize("teeth", [3, 4, 5, 9, 11])
@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("width", [1e-4, 1e-2])
def test_a_wheel_with_few_teeth_is_of_one_piece(teeth, inner, width):
    """On a thin rim its hollow is wider than the gaps between the teeth are deep."""
    wheel = _outline(Wheel(("o", "p"), radius=1.0, teeth=teeth, inner=inner), 0.0, width)
    assert wheel.geom_type == "Polygon"
    assert len(_rings(wheel)[0]) > teeth


def test_of_several_pieces_the_largest_is_drawn():
    pieces = shapely.union(shapely.box(0, 0, 1, 1), shapely.box(5, 0, 8, 3))
    assert_allclose(_rings(pieces)[0].min(axis=0), [5, 0])


@pytest.mark.parametrize("ratio", [-1e6, -1e-6, 1e6])
def test_wheels_of_very_unequal_size_have_no_millions_of_teeth(ratio):
    nodes = {"o": [0, 0], "p": [1, 0], "c": [10, 0], "d": [11, 0]}
    bars = [{"nodes": ["o", "p"]}, {"nodes": ["c", "d"]}]
    model = mechanism(
        nodes, ground=["o", "c"], bars=bars, gears=[{"wheels": [["o", "p"], ["c", "d"]], "ratio": ratio}]
    )
    assert sum(len(ring) for shape in drawn_frame(model).shapes for ring in shape.rings) < 50_000


def test_a_rack_on_a_tiny_wheel_is_a_smooth_bar(by_hand):
    nodes = {"o": [0, 0], "p": [1, 0], "r": [0, -1], "q": [5, -1]}
    rack = {"wheel": ["o", "p"], "rack": "r", "along": [1, 0], "radius": 1e-6}
    model = mechanism(
        nodes,
        ground=["o", "q"],
        bars=[{"nodes": ["o", "p"]}],
        actuators=[{"nodes": ["q", "r"], "to": 9}],
        gears=[rack],
    )
    motion = motion_of(by_hand(model, at(model, r=np.array([[0.0, -1.0], [-4.0, -1.0]]))))
    (bar,) = outlines(motion, "rack r", 0)
    assert len(bar.exterior.coords) == 5
