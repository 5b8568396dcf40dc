"""How a fastener's motion looks: where its parts are, what presses, and what is said to happen."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import shapely
from numpy.testing import assert_allclose
from tests.unit.snap.one_pawl import HILL, TIP, box, fastener, ring

import pliant.view
from pliant import gallery
from pliant.core.motion import Motion
from pliant.core.pose import carry
from pliant.core.store import json_text
from pliant.snap import drawing
from pliant.snap.faults import ROOT
from pliant.snap.force.snap_trajectory import SnapEvent
from pliant.snap.generate import motion_diode, random_fastener, ratchet, two_hooks
from pliant.snap.model import Fastener, SnapStudy
from pliant.snap.result import SnapResult
from pliant.snap.solve import solve
from pliant.view.frames import telling_frames


@cache
def hooks(friction: Fraction) -> SnapResult:
    return solve(two_hooks(friction), SnapStudy(reverse=True))


@cache
def diode() -> SnapResult:
    return solve(motion_diode(), SnapStudy(reverse=True))


def outline(motion: Motion, body: int, frame: int) -> shapely.Polygon:
    (ring,) = motion.shapes[motion.body_shapes[body]].rings
    return shapely.Polygon(carry(motion.poses[frame, body], ring))


def marks(motion: Motion, group: str, frame: int):
    return [mark for mark in motion.marks if mark.group == group and mark.frame == frame]


def frames_at(motion: Motion, travel: float) -> list[int]:
    return np.flatnonzero(np.abs(motion.values - travel) < 1e-9).tolist()


def along(result: SnapResult) -> list[tuple[float, SnapEvent]]:
    """Every event, by the travel since the start."""
    assert result.way_back is not None
    there = [(event.travel, event) for event in result.way_in.events]
    return there + [(result.way_in.travel + event.travel, event) for event in result.way_back.events]


@pytest.mark.parametrize("design", [motion_diode(), two_hooks(Fraction(3, 10)), two_hooks(Fraction(7, 10))])
def test_at_every_event_there_is_a_frame_with_its_angle(design):
    result = solve(design, SnapStudy(reverse=True))
    motion, model = result.motion, result.model
    for travel, event in along(result):
        found = frames_at(motion, travel)
        assert found
        if event.pawl == ROOT:
            continue
        pawl = next(pawl for pawl in model.pawls if pawl.name == event.pawl)
        poses = motion.poses[found, motion.bodies.index(event.pawl)]
        assert np.abs(poses[:, 2] - pawl.rest.angle - event.angle).min() < 1e-9
        sunk = min(travel, 2 * result.way_in.travel - travel)
        assert_allclose(poses[:, :2], [[float(pawl.hinge[0]), float(pawl.hinge[1]) - sunk]] * len(found))


def test_travel_grows_on_the_way_back_while_the_root_returns():
    motion = hooks(Fraction(3, 10)).motion
    root = motion.poses[:, motion.bodies.index(ROOT)]
    assert (np.diff(motion.values) >= 0).all()
    assert_allclose(motion.values[[0, -1]], [0, 16])
    assert_allclose(root[[0, -1]], 0, atol=1e-12)
    assert_allclose(root[:, 1].min(), -8)
    assert_allclose(root[frames_at(motion, 8.0), 1], -8)


def test_frames_are_spread_along_the_whole_way_as_many_as_asked_for():
    result = solve(motion_diode(), SnapStudy(reverse=True, frames=11))
    asked = np.linspace(0, result.motion.values[-1], 11)
    assert np.abs(result.motion.values[:, None] - asked).min(axis=0).max() < 1e-9
    assert result.motion.frames < 11 + 2 * 8 + 2 * drawing.TURNING  # events twice, and two snaps


def test_a_snap_is_pure_rotation_with_nothing_that_presses():
    motion = diode().motion
    for travel, ends in ((10, (61.928, 48.982)), (15, (61.928, 0))):
        frames = frames_at(motion, travel)
        poses = motion.poses[frames, motion.bodies.index("pawl")]
        assert len(frames) == drawing.TURNING + 2
        assert_allclose(poses[:, :2], poses[:1, :2].repeat(len(frames), axis=0))
        assert_allclose(np.degrees(poses[[0, -1], 2]), ends, atol=1e-3)
        assert (np.diff(poses[:, 2]) < -0.01).all()
        assert not any(marks(motion, "force", frame) for frame in frames[1:-1])


@pytest.mark.parametrize("seed", [1, 4, 6, 8])
def test_parts_never_overlap_in_any_frame(seed):
    motion = solve(random_fastener(seed), SnapStudy(reverse=True, frames=20, arithmetic="float")).motion
    still = [outline(motion, body, 0) for body in np.flatnonzero(motion.fixed)]
    for frame in range(motion.frames):
        moving = [outline(motion, body, frame) for body in np.flatnonzero(~motion.fixed)]
        assert max(one.intersection(other).area for one in moving for other in still) < 1e-9


def test_a_pawl_stands_as_its_spring_holds_it_and_equal_parts_share_a_shape():
    model = Fastener.model_validate(
        {
            "shapes": {"tip": [[-1, 0], [0, -3], [1, 0]]},
            "root": {"velocity": [2, -1], "until": 3},
            "pawls": [{"name": "p", "hinge": [1, 4], "shape": "tip", "stiffness": 1, "rest": "1/5 u"}],
            "obstacles": [{"shape": "tip", "at": [-8, 1]}, {"shape": "tip", "at": [-8, -5]}],
        }
    )
    motion = solve(model, SnapStudy(frames=4)).motion
    assert motion.bodies == ("obstacle 1", "obstacle 2", "p")
    assert motion.fixed.tolist() == [True, True, False]
    assert len(motion.shapes) == 1
    assert_allclose(motion.poses[:, :2, :2], [[[-8, 1], [-8, -5]]] * 4)
    assert_allclose(motion.poses[:, 2], [[1 + 2 * t, 4 - t, 2 * np.arctan(1 / 5)] for t in (0, 1, 2, 3)])
    assert_allclose(motion.values, np.sqrt(5) * np.arange(4))


def test_arrows_press_where_a_pawl_touches_and_turn_it_from_its_rest():
    motion = hooks(Fraction(3, 10)).motion
    tee = outline(motion, motion.bodies.index("T"), 0)
    seen = 0
    for frame in range(motion.frames):
        for mark in marks(motion, "force", frame):
            seen += 1
            tail, tip = mark.points
            name = min(
                ("left", "right"),
                key=lambda n: outline(motion, motion.bodies.index(n), frame).distance(shapely.Point(tip)),
            )
            body = motion.bodies.index(name)
            assert outline(motion, body, frame).exterior.distance(shapely.Point(tip)) < 1e-9
            assert tee.exterior.distance(shapely.Point(tip)) < 1e-9
            lever, push = tip - motion.poses[frame, body, :2], tip - tail
            assert (lever[0] * push[1] - lever[1] * push[0]) * motion.poses[frame, body, 2] > 0
    assert seen > 50


def test_forces_that_nearly_lock_look_no_larger_than_large_ones():
    lengths = [
        np.hypot(*(mark.points[1] - mark.points[0]))
        for mark in hooks(Fraction(7, 10)).motion.marks
        if mark.group == "force"
    ]
    reach = np.hypot(0.5, 8)
    assert_allclose(max(lengths), drawing.LONGEST * reach)
    assert len(lengths) > 100
    assert sum(np.isclose(lengths, max(lengths))) > 10


def test_a_lock_leaves_finite_numbers_that_can_be_saved():
    result = hooks(Fraction(7, 10))
    assert "lock" in {event.kind for event in result.events}
    force = result.motion.signals["force against the motion"].values
    lock = frames_at(result.motion, result.way_in.travel)[0]
    assert 100 < force[lock] == force[:lock].max() < 1e5
    assert Motion.from_dict(result.motion.to_dict()).frames == result.motion.frames
    assert json_text(result.motion.to_dict())


def test_signals_are_the_force_and_every_pawls_angle():
    result = hooks(Fraction(3, 10))
    signals = result.motion.signals
    assert {name: signal.unit for name, signal in signals.items()} == {
        "force against the motion": "N",
        "work so far": "N·mm",
        "angle of left": "deg",
        "angle of right": "deg",
    }
    assert_allclose(signals["force against the motion"].values.max(), result.way_in.peak)
    assert_allclose(signals["angle of left"].values, -signals["angle of right"].values, atol=1e-9)


def test_a_force_that_jumps_has_a_frame_on_either_side():
    motion = hooks(Fraction(3, 10)).motion
    change = next(event.at for event in motion.events if event.kind == "change")
    frames = frames_at(motion, change)
    force = motion.signals["force against the motion"].values
    assert len(frames) == 2
    assert force[frames[0]] > force[frames[1]] + 10


def test_what_happens_to_several_pawls_at_once_is_one_event():
    events = hooks(Fraction(3, 5)).motion.events
    assert [(round(event.at, 3), event.text) for event in events] == [
        (1.5, "left and right: contact"),
        (2.708, "left and right: change"),
        (3.708, "left and right: change"),
        (4.333, "left and right: release"),
        (8.0, "root collision"),
        (8.0, "turns back"),
        (11.667, "left and right: contact"),
        (11.667, "left and right: lock"),
        (2.708, "peak in 112.8 N, work 31.5 N·mm"),
    ]


def test_what_happens_is_written_under_the_picture_until_something_else_does():
    motion = diode().motion
    lowest = min(
        outline(motion, body, frame).bounds[1]
        for body in range(len(motion.bodies))
        for frame in range(motion.frames)
    )
    said = {frame: [mark.text for mark in marks(motion, "event", frame)] for frame in range(motion.frames)}
    assert max(map(len, said.values())) == 1
    first, *turning, last = frames_at(motion, 10.0)
    assert said[frames_at(motion, 5.5)[0]] == ["contact"]
    assert [said[frame] for frame in (first, *turning)] == [["snap from a vertex"]] * (drawing.TURNING + 1)
    assert said[last] == ["lands"]
    assert said[motion.frames - 1] == ["jam"]
    assert said[0] == said[frames_at(motion, 17.0)[0]] == []
    assert all(mark.points[0, 1] < lowest for mark in motion.marks if mark.group == "event")


def test_a_caption_says_who_where_others_do_not_take_part():
    motion = solve(two_hooks(drop=5), SnapStudy(arithmetic="float")).motion
    said = {mark.text for mark in motion.marks if mark.group == "event"}
    assert "contact" in said
    assert "left: release" in said


BAR = ring((0, 0), (4, 0), (4, "1/4"), (0, "1/4"))
SPIKE = ring((2, -6), ("3/2", -9), ("5/2", -9))


def said_at(motion: Motion, travel: float) -> list[list[str]]:
    """What is written under each of the frames at a travel, and under the one after."""
    frames = frames_at(motion, travel)
    return [[mark.text for mark in marks(motion, "event", frame)] for frame in (*frames, frames[-1] + 1)]


def test_the_end_of_the_way_in_is_not_captioned_by_what_the_way_back_begins_with():
    """A bar leans on a spike as the root sits down, and so it does as it sets out again."""
    seat, root = box(-3, -12, -2, -9), {"velocity": [0, -1], "until": 9, "outline": box(-3, -1, -2, 0)}
    motion = solve(fastener(BAR, SPIKE, seat, root=root), SnapStudy(reverse=True)).motion
    assert said_at(motion, 8.0) == [["root collision"], ["contact"]]
    freely = fastener(BAR, SPIKE, root={"velocity": [0, -1], "until": 8})
    assert said_at(solve(freely, SnapStudy(reverse=True)).motion, 8.0) == [[], ["contact"]]


def test_a_way_back_that_is_held_at_once_has_a_frame_for_saying_so():
    """A tip that trails on a level top is pushed into it by the way back."""
    model = fastener(TIP, HILL, root={"velocity": [1, 0], "until": 13}, friction="3/2")
    result = solve(model, SnapStudy(reverse=True))
    assert result.way_back is not None
    assert (result.status.name, result.way_back.status.name, result.way_back.travel) == (
        "THROUGH",
        "STUCK",
        0,
    )
    motion = result.motion
    frames = frames_at(motion, 13.0)
    assert frames == [motion.frames - 2, motion.frames - 1]
    assert [[mark.text for mark in marks(motion, "event", frame)] for frame in frames] == [[], ["lock"]]
    assert_allclose(motion.poses[frames[0]], motion.poses[frames[1]])


def test_how_fast_the_root_is_moved_changes_no_frame():
    """Ten billion times as fast it is all over within a nanosecond; the bar ends leaning all the same."""
    films = []
    for pace in (1, 10**10):
        root = {"velocity": [0, -pace], "until": f"8/{pace}"}
        films.append(solve(fastener(BAR, SPIKE, root=root), SnapStudy(frames=5)).motion)
    assert_allclose(films[1].values, films[0].values)
    assert_allclose(films[1].poses, films[0].poses, atol=1e-9)
    assert films[1].poses[-1, -1, 2] == pytest.approx(np.pi / 4)
    assert [(event.at, event.text) for event in films[1].events][:1] == [(6, "pawl: contact")]


def test_hinges_are_rings_where_the_pawls_turn():
    motion = hooks(Fraction(3, 10)).motion
    for frame in (0, motion.frames // 3):
        rings = marks(motion, "hinge", frame)
        hinges = motion.poses[frame, -2:, :2]
        assert_allclose([mark.points[:-1].mean(axis=0) for mark in rings], hinges)


def test_legs_follow_one_another():
    plan = [{"velocity": [0, -1], "until": 2}, {"velocity": [3, 0], "until": 1}]
    model = two_hooks().model_copy(update={"root": two_hooks().root.model_validate({"plan": plan})})
    motion = solve(model, SnapStudy(frames=6, reverse=True, arithmetic="float")).motion
    left = motion.poses[:, motion.bodies.index("left"), :2] - [-4, 9]
    ways = {0.0: (0, 0), 2.0: (0, -2), 5.0: (3, -2), 8.0: (0, -2), 10.0: (0, 0)}
    for travel, way in ways.items():
        assert_allclose(left[frames_at(motion, travel)], [way] * len(frames_at(motion, travel)), atol=1e-9)
        assert frames_at(motion, travel)


def test_a_fastener_that_jams_at_once_is_one_frame():
    model = Fastener.model_validate(
        {
            "root": {"velocity": [0, -1], "until": 5},
            "pawls": [
                {
                    "name": "peg",
                    "hinge": [0, 0],
                    "outline": [[-1, 0], [0, -2], [1, 0]],
                    "stiffness": 1,
                    "stops": [0, 0],
                }
            ],
            "obstacles": [{"outline": [[-3, -4], [3, -4], [3, -2], [-3, -2]]}],
        }
    )
    motion = solve(model).motion
    assert motion.values.tolist() == [0.0]
    assert_allclose(motion.poses[0, -1], 0)
    assert [event.text for event in motion.events] == ["peg: stop"]


def test_where_contacts_are_too_many_they_have_no_frames_of_their_own(monkeypatch):
    result = solve(ratchet(4), SnapStudy(frames=15, arithmetic="float"))
    whole = result.motion
    monkeypatch.setattr(drawing, "CROWD", 3)
    motion = drawing.motion(result)
    assert motion.frames < 16 < whole.frames
    shared = [whole.frame_of(value) for value in motion.values]
    assert_allclose(motion.poses, whole.poses[shared], atol=1e-9)
    assert motion.events == whole.events


def test_views_draw_it():
    sheet = pliant.view.figure(diode())
    texts = {text.get_text() for text in sheet.axes[0].texts}
    assert {"A", "B", "C", "pawl", "jam"} <= texts


def test_the_title_has_the_verdict_and_the_film_both_peaks_the_strain_and_the_work():
    result = solve(gallery.load("cantilever-snap"), SnapStudy(reverse=True))
    motion = result.motion
    assert motion.title == "A cantilever snap-fit: 59.9 N in, 44.7 N out, strain 3.5 % of 4 %"
    peaks = [event for event in motion.events if event.kind == "peak"]
    assert [event.text.split(",")[0] for event in peaks] == ["peak in 59.94 N", "peak out 44.73 N"]
    force = motion.signals["force against the motion"].values
    for event, way in zip(peaks, result.ways, strict=True):
        frame = motion.frame_of(event.at)
        assert force[frame] == pytest.approx(way.peak, rel=1e-6)
        assert any("peak" in mark.text for mark in marks(motion, "event", frame))
        assert frame in telling_frames(motion, 5)
    assert motion.signals["strain of hook"].values.max() == pytest.approx(3.51, abs=0.01)
    work = sum(way.work for way in result.ways)
    assert motion.signals["work so far"].values[-1] == pytest.approx(work, rel=1e-4)


def test_a_preload_strains_a_beam_before_it_touches_and_its_work_is_that_of_the_report():
    latch = [[1, -1], [1, 1], [-10, 1], [-10, 0], [-7, -3], [-6, -1]]
    beam = {"length": 12, "thickness": 1, "width": 5, "material": "POM"}
    pawl = {
        "name": "latch",
        "hinge": [0, 0],
        "outline": latch,
        "beam": beam,
        "preload": 60,
        "stops": [-0.4, 0],
    }
    keeper = [[-14, -4], [-11, -4], [-11, "-3/2"], [-14, "-3/2"]]
    model = Fastener.model_validate(
        {
            "friction": "0.1",
            "root": {"velocity": [-1, 0], "until": 10},
            "pawls": [pawl],
            "obstacles": [{"outline": keeper}],
        }
    )
    result = solve(model, SnapStudy())
    assert "here 31.17 N, as it is preloaded, which no handbook counts, and the nose" in result.summary()
    motion = result.motion
    strain = motion.signals["strain of latch"].values
    assert strain[0] == strain[-1] == pytest.approx(3.167, abs=1e-3)
    assert motion.signals["work so far"].values[-1] == pytest.approx(result.way_in.work, rel=1e-6)
    (peak,) = [event for event in motion.events if event.kind == "peak"]
    assert [mark.text for mark in marks(motion, "event", motion.frame_of(peak.at))] == [
        "change, peak in 31.17 N, work 12.7 N·mm"
    ]


def test_the_title_says_what_blocks_it_and_what_is_overstrained():
    assert hooks(Fraction(7, 10)).motion.title.endswith(": stuck on the way in")
    short = solve(gallery.load("short-snap"), SnapStudy()).motion
    assert short.title == "A snap-fit that is too short: 283 N in, overstrain 9 % of 4 %"
