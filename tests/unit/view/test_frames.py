"""When frames are shown, what comes round, and which frames tell a motion."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import pliant.view
from pliant.core.motion import Event, Motion, Shape
from pliant.view import frames


@pytest.fixture
def latch() -> Motion:
    """A bar that goes down 10 in 14 frames; at 4 it turns back, in three frames between."""
    values = np.array([0.0, 1, 2, 3, 4, 4, 4, 4, 4, 5, 6, 7, 8, 9, 10])
    turned = np.array([0.0, 0, 0.4, 0.6, 0.8, 0.6, 0.4, 0.2, 0, 0, 0, 0, 0, 0, 0])
    return Motion(
        "travel",
        "mm",
        values,
        bodies=("bar",),
        shapes=(Shape((np.array([[0.0, 0.0], [8.0, 0.0], [8.0, 1.0], [0.0, 1.0]]),)),),
        body_shapes=np.zeros(1, np.int64),
        fixed=np.array([False]),
        poses=np.stack([0 * values, -values, turned], axis=1)[:, None],
        events=(Event(1.0, "contact"), Event(4.0, "snap"), Event(4.0 + 1e-15, "rests")),
    )


def test_frames_lie_along_the_axis_unless_it_turns_back(blocks):
    assert_allclose(frames.timeline(replace(blocks, values=np.array([4.0, 2, 1, 0]))), [0, 0.5, 0.75, 1])
    assert_allclose(frames.timeline(replace(blocks, values=np.array([0.0, 1, 0, 1]))), [0, 1 / 3, 2 / 3, 1])
    assert frames.frame_at(blocks, 0.5) == pytest.approx(1.5)


@pytest.mark.parametrize("again", [1.0, 1 + 1e-15])
def test_what_moves_while_the_axis_stands_still_takes_a_frames_share_a_frame(blocks, again):
    moving = replace(blocks, values=np.array([0.0, 1, again, 4]))
    assert_allclose(frames.timeline(moving), np.array([0, 1 / 4, 1 / 4 + 1 / 3, 4 / 3]) / (4 / 3))
    falling = replace(blocks, values=np.array([4.0, 3, 4 - again, 0]))
    assert_allclose(frames.timeline(falling), frames.timeline(moving))


@pytest.mark.parametrize("turned", [0.0, 1e-9])
def test_what_rests_while_the_axis_stands_still_takes_no_time(blocks, turned):
    poses = blocks.poses.copy()
    poses[2] = poses[1]
    poses[2, 1, 2] = turned  # no more than rounding
    resting = replace(blocks, values=np.array([0.0, 1, 1, 4]), poses=poses)
    assert_allclose(frames.timeline(resting), [0, 0.25, 0.25, 1])


def test_a_snap_that_only_turns_takes_time(latch):
    line = frames.timeline(latch)
    assert_allclose(np.diff(line)[4:8], 1 / 14 / (1 + 4 / 14))
    assert_allclose(np.diff(line)[[0, 1, 2, 3, 8, 9]], 1 / 10 / (1 + 4 / 14))


def test_points_that_move_while_the_axis_stands_still_take_time(linkage):
    still = replace(linkage, values=np.array([0.0, 1, 2, 3, 4, 4, 5, 6, 7, 8]))
    assert np.diff(frames.timeline(still))[4] == pytest.approx(1 / 9 / (1 + 1 / 9))


@pytest.mark.parametrize(
    ("path", "closed"),
    [
        ([0, 1, 1 + 1j, 1j], True),
        ([0, 1, 1 + 1j, 1j, 0], True),
        ([0, 1, 2, 3], False),
        ([0, 1, 2, 12], False),  # a long last step is not a way back
        ([0, 10, 11, 11.5, 11.6], False),
        ([0, 0, 0, 0], False),
        ([0, 1, 0], False),  # forth and back in three frames is no round
        ([0, 0.1, 0.3, 1, 2, 2 + 2j, 2j, 1j, 0.7j], True),  # uneven steps, the gap like its neighbours
    ],
)
def test_a_path_closes_when_its_ends_are_neighbours(path, closed):
    places = np.array(path, complex)
    assert frames.closes(np.stack([places.real, places.imag], axis=1)) is closed


def test_a_bar_that_only_turns_comes_round_after_a_whole_turn_and_not_before(crank):
    bar = replace(crank, point_names=(), points=np.zeros((1, 0, 2)), marks=())
    assert frames.cycles(bar)
    assert not frames.cycles(replace(bar, values=bar.values[:30], poses=bar.poses[:30].copy()))


def test_what_comes_round_is_farthest_from_its_start_half_way(crank, blocks):
    assert frames.farthest_frame(crank) == 36
    assert frames.farthest_frame(blocks) == 3
    rests = replace(blocks, poses=blocks.poses[[0, 3, 3, 1]].copy())
    assert frames.farthest_frame(rests) == 1


def test_a_motion_without_events_between_its_ends_is_told_evenly(blocks, linkage):
    assert frames.telling_frames(linkage, 4) == [0, 3, 6, 9]
    assert frames.telling_frames(replace(linkage, events=(Event(np.pi / 2, "stops"),)), 4) == [0, 3, 6, 9]
    assert frames.telling_frames(linkage, 1) == [0]
    assert frames.telling_frames(blocks, 9) == [0, 1, 2, 3]
    assert frames.telling_frames(Motion("t", "", np.zeros(1)), 3) == [0]


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (1, [0]),
        (2, [0, 14]),
        (3, [0, 8, 14]),  # of both sides of the snap, the one farther from the ends
        (4, [0, 4, 8, 14]),
        (5, [0, 1, 4, 8, 14]),
        (6, [0, 1, 4, 8, 11, 14]),  # and the middle of the widest gap
    ],
)
def test_ends_come_first_then_both_sides_of_a_snap_then_other_events_then_what_is_between(latch, count, told):
    assert frames.telling_frames(latch, count) == told


def test_both_sides_of_an_event_where_nothing_moves_are_told_only_if_there_is_room(latch):
    resting = replace(latch, poses=latch.poses * np.array([1.0, 1.0, 0.0]))
    assert frames.telling_frames(resting, 4) == [0, 1, 4, 14]
    assert frames.telling_frames(resting, 5) == [0, 1, 4, 8, 14]


def test_a_filmstrip_of_what_comes_round_shows_no_pose_twice(crank):
    titles = [axes.get_title() for axes in pliant.view.filmstrip(crank, frames=4).axes]
    assert titles == ["angle 0 deg", "angle 90 deg", "angle 180 deg", "angle 270 deg"]
    points, poses = (np.concatenate([rows, rows[:1]]) for rows in (crank.points, crank.poses))
    again = replace(crank, values=np.append(crank.values, 360.0), points=points, poses=poses)
    assert [axes.get_title() for axes in pliant.view.filmstrip(again, frames=4).axes] == titles


def test_the_end_of_what_comes_round_is_not_told_where_events_are(crank):
    points, poses = (np.concatenate([rows, rows[:1]]) for rows in (crank.points, crank.poses))
    events = (Event(100.0, "toggles"), Event(360.0, "is back"))
    again = replace(crank, values=np.append(crank.values, 360.0), points=points, poses=poses, events=events)
    assert frames.telling_frames(again, 3) == [0, 20, 46]
