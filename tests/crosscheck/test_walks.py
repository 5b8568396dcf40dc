"""The judge's walks: they see overlaps as shapely does, climb from ends cut short, and stay at true ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely
from tests.crosscheck.assemblies import assembly, bent, convex
from tests.crosscheck.judge import play_length
from tests.crosscheck.played import Played, played
from tests.crosscheck.walking import falls, overlap
from tests.crosscheck.walks import climbed

import pliant
from pliant.core.pose import carry
from pliant.flex.model import Assembly


def test_the_compiled_loop_sees_overlaps_as_shapely_does():
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(400):
        rings = [make(rng, 1.0) for make in rng.choice([convex, bent], 2)]
        poses = np.column_stack([rng.uniform(-1, 1, (2, 2)), rng.uniform(-np.pi, np.pi, 2)])
        meets = shapely.Polygon(carry(poses[0], rings[0])).intersects(
            shapely.Polygon(carry(poses[1], rings[1]))
        )
        follow = np.concatenate([np.roll(np.arange(len(ring)), -1) for ring in rings])
        ends = (0, len(rings[0]), len(rings[0]), len(follow))
        assert overlap(poses, 0, 1, np.concatenate(rings), follow, *ends, 4.0) == meets
        seen.add(meets)
    assert seen == {True, False}


@pytest.mark.parametrize(("x", "overlaps"), [(0.0, False), (0.7, True), (2.0, True), (5.0, False)])
def test_what_lies_in_a_hole_does_not_overlap_what_is_around_it(x, overlaps):
    square = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
    points = np.concatenate([2.5 * square, 1.5 * square[::-1], square])
    follow = np.array([1, 2, 3, 0, 5, 6, 7, 4, 1, 2, 3, 0])
    poses = np.array([[0.0, 0, 0], [x, 0, 0]])
    assert overlap(poses, 0, 1, points, follow, 0, 8, 8, 12, 10.0) == overlaps


def cut(play: Played, share: float) -> Played:
    """The same play, ended on its way where it has gained so much of what it does in the end."""
    fine = np.linspace(0, 1, 201)[:-1, None, None]
    ways = (play.frames[:-1, None] * (1 - fine) + play.frames[1:, None] * fine).reshape(
        -1, *play.frames.shape[1:]
    )
    gained = play.objective.value(play.centred(ways))
    end = int(np.argmax(gained >= share * gained[-1]))
    return replace(play, frames=np.stack([play.frames[0], ways[end]]))


@pytest.mark.slow
@pytest.mark.parametrize("family", ["tray", "chain", "tiling", "dovetail", "tenon"])
@pytest.mark.parametrize("seed", range(2))
def test_a_walk_from_an_end_cut_3_percent_short_finds_most_of_it(family, seed):
    play = played(pliant.solve(assembly(family, 700 + seed)))
    short = cut(play, 0.97)
    found = climbed(short, play_length(play))
    assert found.relative > 0.01


def peg(direction: tuple[float, float], spin: float | None = None) -> Assembly:
    """A square peg, 4 wide, in a hole 4.6 by 4.4."""
    term = {"body": "peg", "spin": spin} if spin else {"body": "peg", "direction": direction}
    hole = [[-2.3, -2.2], [2.3, -2.2], [2.3, 2.2], [-2.3, 2.2]]
    block = [[-4, -4], [4, -4], [4, 4], [-4, 4]]
    return Assembly.model_validate(
        {
            "bodies": [
                {"name": "block", "outline": block, "holes": [hole], "fixed": True},
                {"name": "peg", "outline": [[-2, -2], [2, -2], [2, 2], [-2, 2]]},
            ],
            "study": {"maximize": [term]},
        }
    )


@pytest.mark.parametrize(("direction", "end"), [((1.0, 0.0), 0.3), ((1.0, 0.5), 0.4), ((0.0, -1.0), 0.2)])
def test_a_walk_from_the_drawn_pose_reaches_the_play_of_a_peg_and_no_more(direction, end):
    play = played(pliant.solve(peg(direction)))
    found = climbed(replace(play, frames=play.frames[:1]), play_length(play))
    assert found.gain == pytest.approx(end, rel=0.01)
    assert found.gain <= end + 1e-3 * play_length(play)


def test_a_walk_from_the_true_end_of_a_turn_finds_nothing():
    play = played(pliant.solve(peg((1.0, 0.0), spin=1.0)))
    assert climbed(play, play_length(play)).relative < 1e-3


def test_a_walk_does_not_leap_over_a_valley_to_a_higher_end():
    """After a full turn a point of the peg is where it was; half way it was lower."""
    play = played(pliant.solve(peg((1.0, 0.0))))
    goal = play.objective
    here, there = play.frames[-1].copy(), play.frames[-1].copy()
    there[1, 2] += 2 * np.pi
    target = (0 * goal.linear, np.array([1]), np.array([[0.0, 3.0]]), np.array([[0.0, 1.0]]), 3.0)
    assert falls(here, there, here.copy(), target, -0.1)
    there[1, 2] = here[1, 2] + 0.2
    assert not falls(here, there, here.copy(), target, -0.1)
