"""Layers: every answer is checked against shapes drawn pose by pose, and against every other stack."""

import json
from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

import pliant
from pliant import gallery
from pliant.linkage.analysis import stacking
from pliant.linkage.analysis.layers import assign_layers
from pliant.linkage.generate import jansen, linkage, places, slider_crank
from pliant.linkage.kinematics.follow import follow
from pliant.linkage.kinematics.mobility import compile_plan
from pliant.linkage.model import Linkage

TURN = np.linspace(0, 2 * np.pi, 120, endpoint=False)


def points_of(model: Linkage, angles: np.ndarray = TURN) -> np.ndarray:
    return follow(compile_plan(model), angles[None]).poses.points


def crank_rocker() -> Linkage:
    return linkage({"A": 0, "B": 1j, "C": 3 + 2j, "D": 4}, "AD", ("A B", "B C", "C D"))


def drag_link() -> Linkage:
    """Both cranks turn fully, each past the other's pivot."""
    return linkage({"A": 0, "B": 2j, "C": 1.8 + 1.6j, "D": 0.5}, "AD", ("A B", "B C", "C D"))


def peg_in_the_way() -> Linkage:
    """A crank-rocker, and a lever on a pivot of its own that the coupler sweeps over."""
    joints = places(crank_rocker()) | {"P": 1.5 + 1.9j, "Q": 1 + 3.6j, "E": 3 + 4.4j}
    return linkage(joints, "ADE", ("A B", "B C P", "C D", "P Q", "Q E"))


def quick_return() -> Linkage:
    joints = {"A": 1j, "B": 1 + 1.4j, "D": -1.5j, "E": 0.9 + 4j}
    return linkage(joints, "AD", ("A B", "D E"), sliders=[{"joint": "B", "on": "D-E"}])


def jansens(*angles: float) -> Linkage:
    """A leg on each of the crank's pins, at these angles; joints of the second are A, B, C.1, P1.1, …"""
    joints: dict[str, complex] = {}
    links = [" ".join(["A", *(f"C.{n}" for n in range(len(angles)))])]
    for n, angle in enumerate(angles):
        leg = jansen(angle)
        named = {name: name if name in leg.ground else f"{name}.{n}" for name in leg.joints}
        joints |= {named[name]: z for name, z in places(leg).items()}
        links += [" ".join(named[name] for name in link.joints) for link in leg.links[1:]]
    return linkage(joints, "AB", links)


MODELS = {
    "crank rocker": (crank_rocker(), 0.1),
    "drag link": (drag_link(), 0.1),
    "peg in the way": (peg_in_the_way(), 0.1),
    "slider crank": (slider_crank(1, 3, angle=np.pi / 2), 0.2),
    "quick return": (quick_return(), 0.2),
    "Jansen": (jansen(), 3.0),
    "two Jansen legs": (jansens(0.0, 2.1), 3.0),
}
models = pytest.mark.parametrize(("model", "width"), MODELS.values(), ids=MODELS.keys())


def brute(model: Linkage, points: np.ndarray, width: float) -> tuple[set, set]:
    """Pairs of links that meet, and (link, joint) where a link passes another's pin, pose by pose."""
    names = list(model.joints)
    holders = {name: {link.label for link in model.links if name in link.joints} for name in names}
    for slider in model.sliders:
        holders[slider.joint] |= {slider.on} - {None}
    grounded = {*model.ground, *(slider.joint for slider in model.sliders if slider.on is None)}
    pins = [name for name in names if len(holders[name]) > (name not in grounded)]
    meet = {frozenset(pair) for name in pins for pair in combinations(holders[name], 2)}
    passed = set()
    for frame in range(len(points)):
        place = dict(zip(names, points[frame], strict=False))
        plates = {}
        for link in model.links:
            ends = [place[name] for name in link.joints]
            carried = [slider.joint for slider in model.sliders if slider.on == link.label]
            ends += [at for name in carried for at in ridden(points, names, link, name, frame)]
            plates[link.label] = shapely.MultiPoint(ends).convex_hull.buffer(width / 2, quad_segs=64)
        for a, b in combinations(plates, 2):
            if plates[a].intersects(plates[b]):
                meet.add(frozenset((a, b)))
        for name in pins:
            disc = shapely.Point(place[name]).buffer(width / 2, quad_segs=64)  # the pin and its air
            passed |= {(a, name) for a in plates if a not in holders[name] and plates[a].intersects(disc)}
    return meet, {(link, name, name in grounded, frozenset(holders[name])) for link, name in passed}


def ridden(points: np.ndarray, names: list[str], link, joint: str, frame: int) -> list:
    """Where a carried joint ever is on its link, put where the link is in one frame."""
    z = points @ [1, 1j]
    first, second = (z[:, names.index(name)] for name in link.joints[:2])
    own = (z[:, names.index(joint)] - first) / (second - first)
    there = first[frame] + own * (second - first)[frame]
    return [(at.real, at.imag) for at in there]


def violations(layers: dict[str, int], meet: set, passed: set) -> list:
    wrong: list = [pair for pair in meet if len({layers[link] for link in pair}) == 1]
    for link, joint, grounded, holders in passed:
        stack = [layers[holder] for holder in holders]
        above, below = layers[link] > max(stack), layers[link] < min(stack)
        wrong += [] if above or (below and not grounded) else [(link, joint)]
    return wrong


@pytest.mark.few(3)
@models
def test_layers_keep_apart_all_that_shapes_drawn_pose_by_pose_show(model, width):
    points = points_of(model)
    found = assign_layers(model, points, width)
    wrong = violations(found.layers, *brute(model, points, width))
    assert set(wrong) == {(hit.link, hit.pin) for hit in found.collisions}
    assert found.proven
    assert sorted(set(found.layers.values())) == list(range(found.count))


@pytest.mark.parametrize("name", ["crank rocker", "drag link", "peg in the way", "quick return", "Jansen"])
def test_no_other_stack_is_better(name):
    model, width = MODELS[name]
    points = points_of(model)
    found = assign_layers(model, points, width)
    meet, passed = brute(model, points, width)
    labels = list(found.layers)
    if found.collisions:
        stacks = product(range(len(labels)), repeat=len(labels))
        least = min(len(violations(dict(zip(labels, stack, strict=True)), meet, passed)) for stack in stacks)
        assert least == len(found.collisions)
    else:
        stacks = product(range(found.count - 1), repeat=len(labels))
        assert all(violations(dict(zip(labels, stack, strict=True)), meet, passed) for stack in stacks)


def test_four_bar_needs_two_layers():
    found = assign_layers(crank_rocker(), points_of(crank_rocker()), 0.1)
    assert found.layers == {"A-B": 0, "B-C": 1, "C-D": 0}
    assert found.describe()[0] == "2 layers, the fewest possible: 0: A-B, C-D; 1: B-C."


def test_a_coupler_that_crosses_a_ground_pin_is_above_the_links_on_it():
    model = crank_rocker()
    points = points_of(model)
    reach = shapely.linestrings(points[:, [1, 2]])
    assert shapely.distance(reach, shapely.points(points[:, 0])).min() < 0.1
    assert assign_layers(model, points, 0.1).layers["B-C"] > assign_layers(model, points, 0.1).layers["A-B"]


def test_two_cranks_that_turn_past_each_others_ground_pins_cannot_be_stacked():
    model = drag_link()
    points = points_of(model)
    found = assign_layers(model, points, 0.1)
    assert len(found.collisions) == 1
    hit = found.collisions[0]
    assert (hit.link, hit.pin) in {("A-B", "D"), ("C-D", "A")}
    ends, pin = ([0, 1], 3) if hit.link == "A-B" else ([2, 3], 0)
    nearest = shapely.distance(shapely.linestrings(points[:, ends]), shapely.points(points[:, pin]))
    assert nearest[hit.frame] == nearest.min() < 0.1
    sentences = found.describe()
    assert sentences[0].startswith("No order of layers is free of collisions")
    assert sentences[1] == f"Link {hit.link} runs into the pin at {hit.pin} at pose {hit.frame}."


def test_a_swing_short_of_the_pin_can_be_stacked():
    found = assign_layers(drag_link(), points_of(drag_link(), np.linspace(-0.5, 0.5, 60)), 0.1)
    assert not found.collisions
    assert found.count == 2


def test_wider_links_meet_sooner():
    model = crank_rocker()
    points = points_of(model)
    crank, rocker = (shapely.linestrings(points[:, pair]) for pair in ([0, 1], [2, 3]))
    apart = shapely.distance(crank, rocker).min()
    narrow = assign_layers(model, points, 0.99 * apart).layers
    wide = assign_layers(model, points, 1.01 * apart).layers
    assert narrow["A-B"] == narrow["C-D"]
    assert wide["A-B"] != wide["C-D"]


def test_a_link_that_carries_a_guide_is_on_the_pin_of_what_slides():
    found = assign_layers(quick_return(), points_of(quick_return()), 0.2)
    assert found.layers["A-B"] != found.layers["D-E"]


def test_a_joint_of_one_link_has_no_pin():
    model = linkage({"A": 0, "B": 1j, "P": 1 + 1j}, "A", ("A B P",))
    assert assign_layers(model, points_of(model), 0.1).layers == {"A-B-P": 0}


def test_jansen_leg_of_360_poses_takes_three_layers():
    points = points_of(jansen(), np.linspace(0, 2 * np.pi, 360, endpoint=False))
    assert assign_layers(jansen(), points, 3.0).count == 3


def test_two_legs_on_one_flat_crank_run_into_each_others_pins():
    model, width = MODELS["two Jansen legs"]
    found = assign_layers(model, points_of(model), width)
    assert {hit.pin for hit in found.collisions} <= {"C.0", "C.1"}
    assert len(found.collisions) == 2


def test_a_search_cut_short_says_so(monkeypatch):
    stopped = SimpleNamespace(x=None, status=1)
    monkeypatch.setattr(stacking, "milp", lambda *_, **__: stopped)
    model, width = MODELS["two Jansen legs"]
    points = points_of(model)
    found = assign_layers(model, points, width)
    assert not found.proven
    assert found.describe()[0].startswith("No order of layers was found")
    wrong = violations(found.layers, *brute(model, points, width))
    assert set(wrong) == {(hit.link, hit.pin) for hit in found.collisions}


def test_a_stack_that_was_not_pressed_says_so(monkeypatch):
    monkeypatch.setattr(stacking, "milp", lambda *_, **__: SimpleNamespace(x=None, status=1))
    pins = [stacking.StackPin(name, (k, k + 1), False, np.zeros((1, 2))) for k, name in enumerate("PQR")]
    stack = stacking.find_stack(4, pins, [(0, 1), (1, 2), (2, 3), (0, 3)], [stacking.Passing(3, 0, 0)], 1.0)
    assert stack.rows.tolist() == [0, 1, 0, 2]
    assert stack.fewest_collisions
    assert not stack.fewest_layers


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_random_conflicts_are_stacked_as_well_as_any_enumeration_does(seed):
    rng = np.random.default_rng(seed)
    links, labels = 4, "abcd"
    pins, meetings, passings, meet, passed = [], [], [], set(), set()
    for number in range(rng.integers(1, 5)):
        members = tuple(int(k) for k in rng.choice(links, 2, replace=False))
        pins.append(stacking.StackPin(str(number), members, bool(rng.random() < 0.4), np.zeros((1, 2))))
        meetings.append(members)
        meet.add(frozenset(labels[k] for k in members))
        for link in set(range(links)) - set(members):
            if rng.random() < 0.6:
                passings.append(stacking.Passing(link, number, 0))
                holders = frozenset(labels[k] for k in members)
                passed.add((labels[link], str(number), pins[-1].grounded, holders))
    stack = stacking.find_stack(links, pins, meetings, passings, 5.0)
    assert stack.fewest_collisions
    assert stack.fewest_layers
    every = [dict(zip(labels, rows, strict=True)) for rows in product(range(links), repeat=links)]
    counts = [len(violations(rows, meet, passed)) for rows in every]
    mine = dict(zip(labels, stack.rows.tolist(), strict=True))
    assert len(violations(mine, meet, passed)) == min(counts)
    if min(counts) == 0:
        fewest = min(max(rows.values()) for rows, wrong in zip(every, counts, strict=True) if not wrong)
        assert max(mine.values()) == fewest


def test_layers_are_plain_json():
    found = assign_layers(drag_link(), points_of(drag_link()), 0.1)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["layers"] == found.layers
    assert data["collisions"][0]["frame"] == found.collisions[0].frame


@pytest.mark.parametrize("width", [2.0, 6.0])
def test_a_link_that_passes_a_pin_of_the_ground_is_above_all_links_on_it(width: float):
    model = gallery.load("klann")
    result = pliant.solve(model, layers=True, width=width)
    rows, frames = result.layers.layers, result.poses.points[:, : len(model.joints)]
    at = {name: frames[:, number] for number, name in enumerate(model.joints)}
    assert not result.layers.collisions
    for joint in model.ground:
        members = [link.label for link in model.links if joint in link.joints]
        for link in (link for link in model.links if link.label not in members):
            shapes = shapely.convex_hull(
                shapely.multipoints(np.stack([at[name] for name in link.joints], axis=1))
            )
            near = shapely.distance(shapes, shapely.points(at[joint])).min() < width
            assert not near or rows[link.label] > max(rows[name] for name in members), (link.label, joint)
