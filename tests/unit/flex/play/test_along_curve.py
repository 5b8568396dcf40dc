"""Loose linkages: the play of a point at each angle of a crank, against closed forms and random play."""

import json
from itertools import product
from math import cos, pi, radians, sqrt

import numpy as np
import pytest
from click.testing import CliRunner

import pliant
from pliant import InputError
from pliant.cli import main
from pliant.flex.generate import pinned_links
from pliant.flex.play.curve_drawing import band_rings, magnification
from pliant.flex.status import PlayStatus

A, B, C, D, P = (np.array(at, float) for at in ((0, 0), (10, 30), (70, 50), (80, 0), (45, 85)))
CLEARANCES = np.array([0.05, 0.1, 0.2, 0.1])  # of the pins at A, B, C and D


def turned(vector, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


def tip(angle, off):
    """The tip of the coupler, each peg off its hole's centre by off (4, 2): two circles that meet."""
    start, end = A + off[0] + turned(B - A, angle) + off[1], D + off[3] + off[2]
    long, rocker = np.hypot(*(C - B)), np.hypot(*(C - D))
    apart = end - start
    distance = np.hypot(*apart)
    along = (long**2 - rocker**2 + distance**2) / (2 * distance)
    way = apart / distance
    joint = start + along * way + sqrt(long**2 - along**2) * np.array([-way[1], way[0]])
    spin = np.arctan2(*(joint - start)[::-1]) - np.arctan2(*(C - B)[::-1])
    return start + turned(P - B, spin)


def influence(point, angle, pins, step=1e-5):
    """∂P/∂(offset of each pin), (2, pins, 2), by central differences."""
    made = np.zeros((2, pins, 2))
    for pin, axis in product(range(pins), range(2)):
        off = np.zeros((pins, 2))
        off[pin, axis] = step
        made[:, pin, axis] = (point(angle, off) - point(angle, -off)) / (2 * step)
    return made


@pytest.fixture(scope="module")
def four_bar():
    return pliant.play(pliant.gallery.load("loose-four-bar"), samples=37)


def test_the_play_of_a_four_bar_is_that_of_its_influence_coefficients(four_bar):
    curve = four_bar.curve
    assert four_bar.status is PlayStatus.BOUNDED
    assert np.degrees(curve.angles) == pytest.approx(np.linspace(0, 360, 37))
    for k, angle in enumerate(curve.angles):
        assert curve.curve[k] == pytest.approx(tip(angle, np.zeros((4, 2))), abs=1e-7)
        by_pin = influence(tip, angle, 4)
        left = np.array([-curve.tangents[k, 1], curve.tangents[k, 0]])
        for way, extents in ((left, curve.across[k]), (curve.tangents[k], curve.along[k])):
            play = np.hypot(*np.tensordot(way, by_pin, 1).T) @ (CLEARANCES / 2)
            assert extents == pytest.approx((play, play), rel=1e-4)


def test_each_pin_of_a_four_bar_has_its_share_and_shares_are_all_there_is(four_bar):
    curve = four_bar.curve
    assert curve.shares.sum(axis=1) == pytest.approx(np.ones(37))
    assert curve.along_shares.sum(axis=1) == pytest.approx(np.ones(37))
    places = [curve.joints.index(f"pin {name}") for name in PINS]
    for k in range(0, 37, 5):
        left = np.array([-curve.tangents[k, 1], curve.tangents[k, 0]])
        part = np.hypot(*np.tensordot(left, influence(tip, curve.angles[k], 4), 1).T) * CLEARANCES
        assert curve.across_parts[k, places] == pytest.approx(part, abs=1e-4 * part.sum())


PINS = ("crank–ground", "coupler–crank", "coupler–rocker", "rocker–ground")


def test_the_way_along_is_the_way_the_point_goes(four_bar):
    curve, none = four_bar.curve, np.zeros((4, 2))
    for k, angle in enumerate(curve.angles):
        ahead = tip(angle + 1e-6, none) - tip(angle - 1e-6, none)
        assert curve.tangents[k] == pytest.approx(ahead / np.hypot(*ahead), abs=1e-5)


def test_random_play_of_every_pin_stays_within_the_band_and_nearly_fills_it(four_bar):
    """Pegs anywhere in holes a hundredth as wide, the loops closed exactly: second order is then nothing."""
    curve, generator, small = four_bar.curve, np.random.default_rng(5), CLEARANCES[:, None] / 2 / 100
    for k in range(0, 36, 6):
        angle = curve.angles[k]
        spread = generator.normal(size=(400, 4, 2))
        spread *= small / np.linalg.norm(spread, axis=2, keepdims=True)
        left = np.array([-curve.tangents[k, 1], curve.tangents[k, 0]])
        by_pin = np.tensordot(left, influence(tip, angle, 4), 1)  # (4, 2): each peg pushed the worst way
        worst = by_pin / np.linalg.norm(by_pin, axis=1, keepdims=True) * small
        off = [left @ (tip(angle, one) - curve.curve[k]) for one in (*spread, worst)]
        assert max(map(abs, off)) <= 1.001 * curve.across[k, 1] / 100
        assert off[-1] >= 0.999 * curve.across[k, 1] / 100


def test_the_piston_of_a_slider_crank_has_the_play_of_its_rod():
    """Along the stroke, with the rod at φ: (Σ c/2 + g |sin φ|) / cos φ; across it the gap g of the rails."""
    curve = pliant.play(pliant.gallery.load("loose-slider-crank"), samples=25).curve
    gap, half = 0.1, (0.05 + 0.1 + 0.1) / 2
    for k, angle in enumerate(curve.angles):
        pin = turned(np.array([0, 30]), angle)
        sine = pin[1] / 90
        cosine = sqrt(1 - sine**2)
        assert curve.curve[k] == pytest.approx((pin[0] + 90 * cosine, 0), abs=1e-3 * gap)
        along = (half + gap * abs(sine)) / cosine
        assert curve.along[k] == pytest.approx((along, along), rel=2e-3)
        assert curve.across[k] == pytest.approx((gap, gap), rel=2e-3)
        if k % 12 != 6:  # in the dead centres the piston's own gap has no part
            part = curve.along_parts[k, curve.joints.index("frame–piston")]
            assert part == pytest.approx(2 * gap * abs(sine) / cosine, abs=2e-3 * along)


@pytest.mark.slow
def test_the_foot_of_a_loose_jansen_leg_has_the_play_of_its_ten_pins():
    """All loops closed at once by Newton's method, each of the ten pegs off its hole in turn."""
    model = pliant.gallery.load("loose-jansen")
    curve = pliant.play(model, samples=4, directions=4).curve
    names = [body.name for body in model.bodies]
    drawn = [(names.index(pin.bodies[0]), names.index(pin.bodies[1]), np.array(pin.at)) for pin in model.pins]
    foot = np.array(model.study.play.point)

    def closure(unknown, angle, off):
        poses = np.concatenate([np.zeros((1, 3)), np.reshape(unknown, (-1, 3))])
        apart = [
            poses[hole, :2] + turned(at, poses[hole, 2]) - poses[peg, :2] - turned(at, poses[peg, 2]) - shift
            for (hole, peg, at), shift in zip(drawn, off, strict=True)
        ]
        return np.append(np.ravel(apart), poses[1, 2] - angle)

    for k, angle in enumerate(curve.angles[:-1]):
        start = curve.poses[k, 1:].ravel()

        def at(angle, off, start=start):
            unknown = start.copy()
            for _ in range(6):
                missed = closure(unknown, angle, off)
                slopes = [
                    closure(unknown + step, angle, off) - missed for step in 1e-7 * np.eye(len(unknown))
                ]
                unknown = unknown - np.linalg.solve(np.array(slopes).T / 1e-7, missed)
            pose = unknown[-3:]
            return pose[:2] + turned(foot, pose[2])

        by_pin = influence(at, angle, len(drawn), step=1e-4)
        left = np.array([-curve.tangents[k, 1], curve.tangents[k, 0]])
        play = np.hypot(*np.tensordot(left, by_pin, 1).T).sum() * 0.05
        assert curve.across[k] == pytest.approx((play, play), rel=1e-3)
    assert len(curve.joints) == 10


def rocking(clearance=0.1):
    """A four-bar whose links do not let its crank turn round."""
    joints = {"A": (0.0, 0.0), "B": (0.0, 40.0), "C": (50.0, 40.0), "D": (60.0, 0.0)}
    links = {"crank": "AB", "coupler": "BC", "rocker": "CD"}
    return pinned_links(joints, links, "AD", clearance)


def test_a_crank_that_cannot_turn_round_stops_where_its_links_are_in_line():
    result = pliant.play(rocking(), body="coupler", drive="crank", angles=[0, "200 deg"], samples=21)
    assert result.status is PlayStatus.STOPPED
    curve = result.curve
    assert curve.stopped is not None
    reach = 50 + np.hypot(10, 40)  # |BD| with coupler and rocker in line; the law of cosines
    cosine = (40**2 + 60**2 - reach**2) / (2 * 40 * 60)
    assert curve.stopped[0] == pytest.approx(np.arccos(cosine) - pi / 2, abs=1e-5)
    assert np.degrees(curve.angles) == pytest.approx([0, 10, 20, 30, 40])
    assert "crank stops at 40.59" in result.summary()


def test_pins_without_clearance_leave_no_play():
    curve = pliant.play(rocking(0.0), body="coupler", drive="crank", angles=[0, "20 deg"], samples=3).curve
    assert np.abs(curve.widths).max() < 1e-6


def test_a_collision_ends_the_run():
    model = pliant.gallery.load("loose-four-bar")
    flat = model.with_(bodies=[body.model_copy(update={"layer": 0}) for body in model.bodies])
    result = pliant.play(flat)
    assert result.status is PlayStatus.STOPPED
    assert "runs into" in result.message


def test_twice_the_clearance_is_twice_the_play():
    one, two = (
        pliant.play(
            rocking(c), body="coupler", point=[50, 40], drive="crank", angles=[0, "30 deg"], samples=4
        )
        for c in (0.1, 0.2)
    )
    assert two.curve.across == pytest.approx(2 * one.curve.across, rel=1e-3)
    assert two.curve.shares == pytest.approx(one.curve.shares, abs=1e-3)


def test_the_band_covers_the_curve_and_is_magnified_to_be_seen(four_bar):
    import shapely

    factor = magnification(four_bar.curve)
    assert factor in (1, 2, 5, 10, 20, 50)
    band = shapely.union_all(
        [shapely.make_valid(shapely.Polygon(ring)) for ring in band_rings(four_bar.curve, factor)]
    )
    assert shapely.buffer(band, 1e-6).covers(shapely.LineString(four_bar.curve.curve))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"drive": "crank"}, "names no body"),
        ({"body": "coupler", "drive": "krank"}, "Did you mean 'crank'"),
        ({"body": "coupler", "drive": "ground"}, "is fixed"),
        ({"body": "coupler", "drive": "crank", "spin": True}, "both drive and spin"),
        ({"body": "coupler", "drive": "crank", "angles": [1, 1]}, "end where they begin"),
        ({"body": "coupler", "drive": "crank", "samples": 1}, "samples"),
    ],
)
def test_what_cannot_be_driven_is_refused(asked, said):
    with pytest.raises(InputError) as refused:
        pliant.play(rocking(), **asked)
    assert said in str(refused.value)


def test_the_command_draws_the_band_and_writes_it(tmp_path):
    file = tmp_path / "four-bar.toml"
    pliant.save(pliant.gallery.load("loose-four-bar"), file)
    picture, told = tmp_path / "band.png", tmp_path / "band.json"
    asked = [
        "play",
        str(file),
        "--angles",
        "0, 40 deg",
        "--frames",
        "3",
        "-o",
        str(picture),
        "--json",
        str(told),
    ]
    done = CliRunner().invoke(main, asked, catch_exceptions=False)
    assert done.exit_code == 0
    assert "across its curve" in done.output
    assert picture.stat().st_size > 1000
    curve = json.loads(told.read_text())["curve"]
    assert curve["angles"] == pytest.approx([0, radians(20), radians(40)])
    assert cos(curve["angles"][1]) == pytest.approx(cos(radians(20)))
    assert {joint["name"] for joint in curve["joints"]} == {f"pin {name}" for name in PINS}


def test_two_pins_between_the_same_bodies_both_have_their_share():
    gate = pliant.gallery.load("gate")
    result = pliant.play(gate, body=next(b.name for b in gate.bodies if not b.fixed))
    assert result.point is not None
    stack = result.point.stack_up
    assert stack is not None
    names = [part.name for part in stack.parts]
    assert len(set(names)) == len(names)
    assert sum(part.forward for part in stack.parts) == pytest.approx(result.point.linear[1], rel=1e-3)


def test_bodies_of_different_layers_never_meet():
    box = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
    wall = {"name": "wall", "outline": box, "pose": [3, 0, 0], "fixed": True}
    block = {"name": "block", "outline": box}
    study = {"maximize": [{"body": "block", "direction": [1, 0]}]}
    limits = [{"body": "block", "x": [-10, 10], "y": [0, 0], "rotation": 0}]
    data = {"pliant": 1, "kind": "assembly", "bodies": [wall, block], "limits": limits, "study": study}
    assert pliant.solve(data).objective == pytest.approx(1, rel=1e-3)
    data["bodies"] = [wall, {**block, "layer": 1}]
    assert pliant.solve(data).objective == pytest.approx(10, rel=1e-3)
