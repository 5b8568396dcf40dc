"""The gallery's mechanisms go where they are known to go."""

import math
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from click.testing import CliRunner
from tests.solved import loaded, names_of_kind, solved

import pliant
from pliant import gallery
from pliant.cli import main
from pliant.core.pose import turn
from pliant.core.store import json_text
from pliant.relax.checks.raw_data import ELEMENTS
from pliant.relax.generate import stewart_end
from pliant.relax.model import Mechanism
from pliant.relax.status import RelaxStatus

MECHANISMS = names_of_kind("mechanism")
ENDINGS = {"random": RelaxStatus.LOCKED, "magnets": RelaxStatus.BRANCH_DOUBTFUL}
LONG = {"cam", "collision", "crane", "tensegrity"}  # two seconds and more
GIVING = {
    "singular",
    "slender",
    "pulled",
    "incline",
    "conveyor",
    "crawler",
    "random",
}  # elastic, relaxed under load, or locked


def quick_unless_long(names: Iterable[str]) -> list[Any]:
    return [pytest.param(name, marks=[pytest.mark.slow] if name in LONG else []) for name in names]


def path(name: str, node: str) -> np.ndarray:
    return solved(name).points[:, list(loaded(name).nodes).index(node)]


def end(name: str, node: str) -> np.ndarray:
    return path(name, node)[-1]


def angles(name: str, start: str, tip: str) -> np.ndarray:
    """Of the line from one node to another, by how much it has turned since the first frame."""
    way = path(name, tip) - path(name, start)
    found = np.unwrap(np.arctan2(way[:, 1], way[:, 0]))
    return found - found[0]


def drawn(model: Mechanism, pair: tuple[str, str]) -> float:
    return math.dist(*(model.nodes[node] for node in pair))


def rigid(model: Mechanism) -> Iterator[tuple[str, str]]:
    """Pairs of nodes that keep their distance."""
    for body in (*model.bars, *model.plates):
        yield from combinations(body.nodes, 2)


@pytest.mark.parametrize("name", quick_unless_long(MECHANISMS))
def test_each_mechanism_ends_as_it_is_meant_to(name: str):
    result = solved(name)
    assert result.status is ENDINGS.get(name, RelaxStatus.CONVERGED), result.summary()
    assert json_text(result.to_dict())  # numbers that JSON can say


@pytest.mark.parametrize("name", quick_unless_long(name for name in MECHANISMS if name not in GIVING))
def test_bars_and_plates_keep_their_lengths_all_the_way(name: str):
    model = loaded(name)
    size = np.ptp(list(model.nodes.values()), axis=0).max()
    for pair in rigid(model):
        first, second = (path(name, node) for node in pair)
        lengths = np.linalg.norm(second - first, axis=1)
        np.testing.assert_allclose(lengths, drawn(model, pair), rtol=0, atol=1e-8 * size, err_msg=str(pair))


def test_every_element_of_the_schema_is_in_some_mechanism():
    for key in (*ELEMENTS, "loads", "fields", "gravity", "masses"):
        assert any(getattr(model, key) for model in map(loaded, MECHANISMS)), key


def test_every_figure_of_lipson_with_a_mechanism_has_a_model():
    shown = " ".join(map(gallery.describe, MECHANISMS))
    for figure in (2, 3, 4, 5, 6, 8, 9):
        assert f"Lipson's Fig. {figure}" in shown


# The paper's figures


def test_the_singular_frame_sags_until_its_bars_carry_the_load():
    x, y = end("singular", "a")
    length = math.hypot(100, y)
    assert abs(x) < 1e-9
    assert 2 * 50 * (length - 100) * -y / length == pytest.approx(250, rel=1e-9)


def test_the_mast_leans_over_with_noise_and_stays_upright_without():
    assert abs(end("slender", "a")[0]) > 50
    upright = pliant.solve(loaded("slender"), method="sync", noise=0)
    assert abs(upright.nodes["a"][0]) < 1e-9
    assert upright.nodes["a"][1] > 99


def test_the_pulled_four_bar_keeps_near_its_circles_until_crank_and_coupler_are_in_line():
    reach = np.linalg.norm(path("pulled", "b") - [60, 0], axis=1)
    assert np.abs(reach - 50).max() < 0.5
    (ax, ay), (bx, by) = end("pulled", "a"), end("pulled", "b")
    assert np.ptp(path("pulled", "b")[:, 0]) > 20
    assert abs(ax * by - ay * bx) < 1e-6


def test_the_inversor_draws_a_true_straight_line():
    line = path("inversor", "F")
    assert np.ptp(line[:, 0]) < 1e-12 * 15.75
    assert np.ptp(line[:, 1]) == pytest.approx(2 * 15.75 * math.tan(math.radians(30)), rel=1e-3)


def test_ten_platforms_twist_to_where_all_their_legs_are_15_long():
    np.testing.assert_allclose(solved("stewart-10").points[-1], stewart_end(10), atol=1e-11 * 100)


def test_the_random_mechanism_locks_and_says_which_parts_carry_it():
    result = solved("random")
    assert 0.7 < result.assessment.locks_at < 0.9
    assert {name for name, _ in result.assessment.carriers} >= {"actuator n2-n3", "bar n1-n6"}


def test_the_finger_bends_at_every_joint():
    bones = [angles("finger", *pair) for pair in (("mcp", "pip"), ("pip", "dip"), ("dip", "tip"))]
    bends = np.degrees(np.diff([np.zeros(len(bones[0])), *bones], axis=0))[:, -1]
    assert (bends < -35).all()
    assert (bends > -80).all()


# Straight lines


def test_sarrus_table_goes_straight_up_and_down_and_does_not_turn():
    table = [path("sarrus", node) for node in "ijklm"]
    for node in table:
        np.testing.assert_allclose(node[:, :2] - node[0, :2], 0, atol=1e-11 * 80)
        np.testing.assert_allclose(node[:, 2], table[0][:, 2], atol=1e-11 * 80)
    assert np.ptp(table[0][:, 2]) > 40


def test_the_scissor_lift_rises_by_three_storeys_and_stays_level():
    np.testing.assert_allclose(end("scissor-lift", "G"), [0, 240], atol=1e-9)
    left, right = path("scissor-lift", "G"), path("scissor-lift", "H")
    np.testing.assert_allclose(left[:, 1], right[:, 1], atol=1e-9)


def test_the_evolved_line_is_as_straight_as_it_says():
    away = path("evolved-line", "e")
    away = away - away.mean(axis=0)
    along, across = np.ptp(away @ np.linalg.svd(away, full_matrices=False)[2].T, axis=0)
    assert along > 39
    assert across < 0.0034


# Gears, cams and grooves


def test_the_carrier_turns_by_the_planetary_ratio():
    assert angles("planetary", "O", "S")[-1] == pytest.approx(4 * math.pi, abs=1e-9)
    for planet in ("P1", "P2", "P3"):
        assert angles("planetary", "O", planet)[-1] == pytest.approx(4 * math.pi * 20 / 70, abs=1e-9)


def test_ten_turns_lift_the_rack_by_what_the_ratios_say():
    lift = end("gear-train", "T") - path("gear-train", "T")[0]
    np.testing.assert_allclose(lift, [0, 10 * 2 * math.pi * 8 / 7.5], atol=1e-8)


@pytest.mark.slow
def test_the_follower_is_as_high_as_the_cams_support():
    turned = 2 * math.pi * solved("cam").shares
    wanted = 1 + np.maximum(20, 8 + 24 * np.cos(turned))
    # A polygon with a corner every 10 degrees is 20 (1 - cos 5 deg) = 0.076 too small at most.
    found = path("cam", "f")[:, 1]
    assert (found < wanted + 0.02).all()
    assert (found > wanted - 0.1).all()


def test_the_roller_keeps_to_its_groove_and_its_slot():
    roller, arm = path("groove", "roller"), path("groove", "arm")
    cross = roller[:, 0] * arm[:, 1] - roller[:, 1] * arm[:, 0]
    assert np.abs(cross / 60).max() < 0.02
    distance = np.linalg.norm(roller, axis=1)
    assert distance.min() == pytest.approx(20, abs=0.1)
    assert 39 < distance.max() < 41


def test_the_engines_piston_goes_by_twice_the_crank_in_its_cylinder():
    stroke = np.linalg.norm(path("reuleaux", "Q") - path("reuleaux", "L"), axis=1)
    assert np.ptp(stroke) == pytest.approx(60, abs=0.1)


# Hydraulics


def test_the_loaders_bucket_stays_level_while_the_arm_rises():
    arm, bucket = angles("loader", "A", "W"), angles("loader", "W", "lip")
    rising = solved("loader").shares <= 2 / 3
    assert math.degrees(np.ptp(arm[rising])) > 40
    assert math.degrees(np.abs(bucket[rising]).max()) < 0.2
    assert math.degrees(bucket[-1]) < -20


def test_the_excavators_cylinders_are_as_long_as_oil_was_pumped_in():
    model = loaded("excavator")
    for circuit in model.cylinders:
        (line,) = circuit.lines
        for step, volume in enumerate(circuit.to, 1):
            at = round(step / 4 * (len(solved("excavator").frames) - 1))
            length = np.linalg.norm(path("excavator", line[1])[at] - path("excavator", line[0])[at])
            assert length == pytest.approx(drawn(model, line) + volume, abs=1e-12)


# Strings


def test_the_hook_rises_by_half_the_rope_and_the_rope_pulls_half_the_weight():
    lift = end("hoist", "hook")[1] - path("hoist", "hook")[0, 1]
    assert lift == pytest.approx((3 * 60 + 30 + 20 * math.pi - 212) / 2, abs=1e-8)
    (rope,) = (one.values for one in solved("hoist").forces if one.name == "wrap beam-winch")
    np.testing.assert_allclose(rope, 100, rtol=1e-8)


@pytest.mark.slow
def test_the_prism_twists_to_150_degrees_and_is_tight_there():
    centre = [np.mean([end("tensegrity", f"{row}{k}") for k in range(3)], axis=0) for row in "ab"]
    foot, top = (
        end("tensegrity", name)[:2] - middle[:2] for name, middle in zip(("a0", "b1"), centre, strict=True)
    )
    turned = math.atan2(foot[0] * top[1] - foot[1] * top[0], foot @ top)
    assert math.degrees(turned) == pytest.approx(150, abs=0.01)
    frame, names = solved("tensegrity").frames[-1], solved("tensegrity").network.link_names
    forces = dict(zip(names, frame.elongations.link_forces, strict=True))
    assert min(force for name, force in forces.items() if name.startswith("string")) > 1
    assert max(force for name, force in forces.items() if name.startswith("bar")) < -1


# Contact, friction and fields


@pytest.mark.slow
def test_the_arms_touch_and_do_not_pass_through_each_other():
    arms = shapely.linestrings(
        np.stack([path("collision", node) for node in "apbq"], axis=1).reshape(-1, 2, 2, 2)
    )
    away = shapely.distance(arms[:, 0], arms[:, 1])
    assert away.min() > 5.9
    assert (away < 6.001).sum() > 20


def _tangent(first, last, radii):
    """How long a rope is between two circles, passed clockwise where a radius is positive; its slope."""
    away, less = np.subtract(last, first), radii[0] - radii[1]
    far = math.hypot(*away)
    return math.sqrt(far**2 - less**2), math.atan2(away[1], away[0]) - math.asin(less / far)


def _rope(roller, weight):
    """The way of the tensioner's rope: up, over the left pulley, under the roller, over the right one."""
    left, right = (0, 0), (60, 0)
    strand, slope = _tangent(left, right, (12, 8))
    (down, first), (up, second) = _tangent(left, roller, (12, -10)), _tangent(roller, right, (-10, 8))
    if second <= first:  # it is above the rope
        return 40 + 12 * (math.pi / 2 - slope) + strand + 8 * (slope + math.pi / 2) - weight[1]
    arcs = 12 * (math.pi / 2 - first) + 10 * (second - first) + 8 * (second + math.pi / 2)
    return 40 + arcs + down + up - weight[1]


def test_the_tensioners_rope_keeps_its_length_over_arcs_and_tangents():
    roller, weight = path("tensioner", "roller"), path("tensioner", "weight")
    lengths = [_rope(*at) for at in zip(roller, weight, strict=True)]
    assert lengths == pytest.approx([lengths[0]] * 61, abs=1e-8)
    assert weight[:, 0] == pytest.approx(68, abs=1e-8)
    lifted = weight[:, 1] > weight[0, 1] + 1e-8
    assert not lifted[: int(60 * 10 / 33)].any(), "the roller is not there yet"
    assert lifted[-1]


def test_the_tensioners_roller_is_pushed_by_both_strands():
    roller = path("tensioner", "roller")[-1]
    slopes = _tangent((0, 0), roller, (12, -10))[1], _tangent(roller, (60, 0), (-10, 8))[1]
    forces = {one.name: one.values for one in solved("tensioner").forces}
    assert forces["wrap floor-weight"] == pytest.approx(30, abs=1e-6)
    up = 30 * (math.sin(slopes[1]) - math.sin(slopes[0]))
    assert forces["actuator top-roller"][-1] == pytest.approx(-up, abs=1e-6)


def test_the_block_sticks_until_the_spring_pulls_hard_enough():
    hook, block = path("incline", "hook"), path("incline", "block")
    pull = np.linalg.norm(hook - block, axis=1) - 30
    weight, slope, friction = 20, math.radians(30), 0.3
    most = weight * (math.sin(slope) + friction * math.cos(slope))
    least = weight * (math.sin(slope) - friction * math.cos(slope))
    moved = np.linalg.norm(np.diff(block, axis=0), axis=1) > 0.1
    assert pull.max() == pytest.approx(most, abs=1e-6)
    assert pull[-1] == pytest.approx(least, abs=1e-6)
    assert 0.2 < moved.mean() < 0.9


def test_the_conveyor_carries_its_box_until_the_spring_pulls_as_hard_as_friction():
    """Out by 40 and back by 15: the box stays at 20 while the belt slips, and goes back with it."""
    box = path("conveyor", "box")
    belt = path("conveyor", "l")[:, 0] + 80
    assert box[:, 0] == pytest.approx(
        np.where(np.arange(41) <= 20, np.minimum(belt, 20), belt - 20), abs=1e-8
    )
    assert box[:, 1] == pytest.approx(5, abs=1e-9)


def test_the_crawler_gets_on_by_as_much_in_every_stride():
    strides = np.diff(path("crawler", "e")[::60, 0])
    assert len(strides) == 3
    assert strides[1] > 8
    assert strides[2] == pytest.approx(strides[1], rel=0.01)


def test_the_crawler_always_stands_on_the_floor():
    feet = np.stack([path("crawler", node)[:, 1] for node in "abcde"])[:, 1:]
    assert -1 < feet.min() <= feet.min(axis=0).max() < 0.1


def test_magnets_draw_the_ball_and_drive_it_away():
    ahead = path("magnets", "ball")[:, 0] - path("magnets", "trolley")[:, 0]
    trolley = path("magnets", "trolley")[:, 0]
    assert (ahead[trolley < -60] > 0).all()
    assert ahead[np.abs(trolley) < 20].max() < 0


# In space


def test_the_platform_takes_every_pose_of_its_tour():
    result = solved("stewart")
    top = result.points[:, 6:]
    share = result.shares
    up = np.sin(math.pi * share) ** 2
    middle = top.mean(axis=1)
    np.testing.assert_allclose(middle[:, 2], 90 + 30 * up, atol=1e-9)
    np.testing.assert_allclose(np.hypot(middle[:, 0], middle[:, 1]), 15 * up, atol=1e-9)
    normal = np.cross(top[:, 2] - top[:, 0], top[:, 4] - top[:, 0])
    tilt = np.arccos(np.clip(np.abs(normal[:, 2]) / np.linalg.norm(normal, axis=1), 0, 1))
    np.testing.assert_allclose(tilt, 0.3 * up, atol=1e-7)


def test_the_doors_pin_is_where_two_equal_leaves_put_it():
    turned = math.acos(38.4 / 40) - angles("door", "jamb", "m")
    np.testing.assert_allclose(path("door", "pin")[:, 0], 80 * np.cos(turned), atol=1e-9)
    np.testing.assert_allclose(path("door", "pin")[:, 1:], [[0, 120]] * len(turned), atol=1e-9)


@pytest.mark.slow
def test_the_weight_hangs_plumb_under_the_cranes_tip():
    string = path("crane", "weight") - path("crane", "tip")
    np.testing.assert_allclose(string, [[0, 0, -15]] * len(string), atol=1e-4)
    slewed = np.arctan2(end("crane", "tip")[1], end("crane", "tip")[0])
    assert math.degrees(slewed) == pytest.approx(-35, abs=1e-6)


# Others


def test_the_sketch_is_exact_at_last():
    wanted = {
        "A": (0, 0),
        "B": (80, 0),
        "C": (80, 60),
        "D": (0, 60),
        "M": (40, 60),
        "G": (25, 40),
        "H": (55, 40),
    }
    roof = np.array([40.0, 60.0]) + turn(np.radians(30.0 * np.arange(1, 6)), np.array([40.0, 0.0]))
    wanted |= {f"p{k}": tuple(place) for k, place in enumerate(roof, 1)}
    for node, place in wanted.items():
        np.testing.assert_allclose(end("sketch", node), place, atol=1e-10, err_msg=node)


def test_the_clamp_presses_hardest_at_its_dead_centre():
    pad = 22 - np.linalg.norm(path("clamp", "T") - [122, -12], axis=1)
    hardest = int(pad.argmax())
    pin, toggle = path("clamp", "B")[hardest], path("clamp", "C")[hardest]
    assert 0.9 < solved("clamp").shares[hardest] < 1
    assert abs(pin[0] * toggle[1] - pin[1] * toggle[0]) / np.linalg.norm(toggle) < 1
    assert 0 < pad[-1] < pad.max()


# The demo


def test_the_demo_lays_out_a_mechanism_and_counts_its_elements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(
        "pliant.view.animation.animate", lambda motion, path, **how: path.write_bytes(b"GIF89a")
    )
    result = CliRunner().invoke(main, ["demo", "inversor", "-o", str(tmp_path)])
    assert result.exit_code == 0, result.stderr
    page = (tmp_path / "index.html").read_text()
    assert "1 example, 8 parts" in page
    assert 'class="badge sound">converged<' in page
    assert (tmp_path / "inversor.html").exists()
