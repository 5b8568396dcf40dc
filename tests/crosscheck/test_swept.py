"""The judge's own measure of overlaps on the way: it finds what is there, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely
from tests.crosscheck.judge import judge
from tests.crosscheck.played import Played, objective_of, played
from tests.crosscheck.swept import deepest, inscribed, strained, widths

import pliant
from pliant.flex.model import Assembly
from pliant.flex.result import FlexResult


def peg_and_wall(**rest: object) -> Assembly:
    """A peg 2 wide, 1 from a wall that is 0.1 thin, in a closed frame."""
    return Assembly.model_validate(
        {
            "bodies": [
                {
                    "name": "frame",
                    "outline": [[-9, -9], [9, -9], [9, 9], [-9, 9]],
                    "holes": [[[-8, -3], [8, -3], [8, 3], [-8, 3]]],
                    "fixed": True,
                },
                {"name": "wall", "outline": [[2, -3], [2.1, -3], [2.1, 3], [2, 3]], "fixed": True},
                {"name": "peg", "outline": [[-1, -1], [1, -1], [1, 1], [-1, 1]]},
            ],
            "study": {"maximize": [{"body": "peg", "direction": [1, 0]}]},
            **rest,
        }
    )


@pytest.fixture(scope="module")
def result() -> FlexResult:
    return pliant.solve(peg_and_wall())


def going(result: FlexResult, *peg: tuple[float, float, float]) -> FlexResult:
    """The same result with frames in which the peg goes elsewhere."""
    poses = np.zeros((len(peg), 3, 3))
    poses[:, 2] = peg
    play = played(result)
    end = float(objective_of(play).value(play.centred(poses[-1])))
    return replace(result, objective=end, frames=replace(result.frames, poses=poses))


def way(result: FlexResult, *peg: tuple[float, float, float]) -> Played:
    return played(going(result, *peg))


def test_a_peg_that_jumps_through_a_wall_is_found_in_the_wall(result):
    play = way(result, (0, 0, 0), (0.5, 0, 0), (5, 0, 0))
    found = deepest(play, 1e-3)
    assert found.width == pytest.approx(0.1, rel=0.01)
    assert found.pair == ("wall", "peg")
    assert 1 < found.frame < 2


def test_a_turning_peg_that_grazes_the_wall_between_two_frames_is_found(result):
    """Its corner reaches √2 − 1 beyond its side; in a right angle d deep a circle is 2(√2 − 1)d wide."""
    found = deepest(way(result, (0.62, 0, 0), (0.62, 0, np.pi / 2)), 1e-4)
    depth = 0.62 + np.sqrt(2) - 2
    assert found.width == pytest.approx(2 * (np.sqrt(2) - 1) * depth, rel=0.02)
    assert found.frame == pytest.approx(0.5, abs=0.1)


def test_a_free_way_is_free_and_its_bound_is_what_was_of_no_interest(result):
    found = deepest(way(result, (0, 0, 0), (0.99, 0, 0), (0.99, 1.9, 0)), 1e-3)
    assert found.width == pytest.approx(-0.01)
    assert found.bound <= 1e-3


def test_sliding_along_a_wall_is_no_overlap(result):
    found = deepest(way(result, (1, -2, 0), (1, 2, 0)), 1e-4)
    assert found.width == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("width", [1.0, 1e-3, 1e-7])
def test_the_width_of_a_sliver_is_its_thickness(width):
    sliver = shapely.box(0, 0, 3, width)
    assert inscribed(np.array([sliver]))[0] == pytest.approx(min(width, 3), rel=5e-3)


def test_widths_agree_with_the_largest_inscribed_circle_of_shapely():
    rng = np.random.default_rng(1)
    blobs = [shapely.MultiPoint(rng.normal(size=(8, 2))).convex_hull for _ in range(40)]
    first, second = np.array(blobs[:20]), np.array(blobs[20:])
    shared = shapely.intersection(first, second)
    circles = 2 * shapely.length(shapely.maximum_inscribed_circle(shared, tolerance=1e-4))
    assert widths(first, second) == pytest.approx(circles, rel=5e-3, abs=1e-3)


def test_apart_the_width_is_minus_the_distance():
    apart = widths(np.array([shapely.box(0, 0, 1, 1)]), np.array([shapely.box(3, 0, 4, 1)]))
    assert apart == pytest.approx([-2.0])


SIGHT = {"apex": [0.25, -5], "axis": "120 deg", "half_angle": "30 deg"}
HELD = {
    "a pin": {"pins": [{"bodies": ["frame", "peg"], "at": [0, 0], "clearance": 0.5}]},
    "a keep region": {"keep": [{"body": "peg", "inside": [[-1, -1], [0.25, -1], [0.25, 1], [-1, 1]]}]},
    "a limit": {"limits": [{"body": "peg", "x": [-1, 0.25]}]},
    "a sight": {"sights": [SIGHT | {"from": "frame", "to": "peg"}]},
}


@pytest.mark.few(2)
@pytest.mark.parametrize("name", HELD)
def test_a_joint_that_is_left_by_a_tenth_is_strained_by_that(name):
    result = pliant.solve(peg_and_wall(**HELD[name]))
    assert strained(way(result, (0, 0, 0), (0.2, 0, 0))).depth == 0
    assert strained(way(result, (0, 0, 0), (0.35, 0, 0), (0, 0, 0))).depth == pytest.approx(0.1, abs=1e-6)


def test_the_judge_tells_a_way_through_a_wall_from_a_free_one(result):
    assert judge(result).kinds() == []
    through = judge(going(result, (0, 0, 0), (5, 0, 0)))
    assert {"through", "bound"} <= set(through.kinds())


def test_the_judge_finds_an_end_that_is_short_of_the_wall(result):
    assert judge(going(result, (0, 0, 0), (0.9, 0, 0))).kinds() == ["short"]
    assert judge(going(result, (0, 0, 0), (0.995, 0, 0))).kinds() == []


def test_the_judge_takes_no_walk_through_a_wall_for_a_gain(result):
    at_the_wall = judge(going(result, (0, 0, 0), (1, 0, 0)))
    assert at_the_wall.climb.claimed == pytest.approx(0, abs=1e-3)


def test_the_judge_finds_an_objective_that_is_not_that_of_the_last_frame(result):
    wrong = replace(result, objective=1.2 * result.objective)
    assert "objective" in judge(wrong).kinds()
