"""Studies in stages, places to go to, rows with the nearest bodies only."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import pliant
from pliant.core.errors import InputError
from pliant.core.progress import Interrupted
from pliant.flex.generate import flock, flock_through_door
from pliant.flex.model import Assembly
from pliant.flex.report import describe, summary, to_dict
from pliant.flex.result import FlexResult
from pliant.flex.solve import check, solve
from pliant.flex.status import FlexStatus

SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]


def walled(stages: list[dict[str, Any]], gap: float = 2.0, **more: Any) -> Assembly:
    """A unit square left of a wall with a gap in it, level with the gap's lower edge and below it."""
    wall = [[0, 0], [1, 0], [1, 5], [0, 5]]
    bodies = [
        {"name": "low", "outline": wall, "pose": [5, -5, 0], "fixed": True},
        {"name": "high", "outline": wall, "pose": [5, gap, 0], "fixed": True},
        {"name": "box", "outline": SQUARE, "pose": [1, -3, 0]},
    ]
    return Assembly.model_validate({"bodies": bodies, "study": {"stages": stages}, **more})


def to(x: float, y: float) -> dict[str, Any]:
    return {"maximize": [{"body": "box", "to": [x, y]}]}


def test_a_body_goes_round_a_corner_in_two_stages_and_not_in_one():
    around = solve(walled([to(1.5, 1), to(9.5, 1)]))
    assert around.status is FlexStatus.CONVERGED
    assert [end.status for end in around.stages] == [FlexStatus.CONVERGED] * 2
    assert around.objective == pytest.approx(3.5 + 8.0, abs=0.01)
    assert np.hypot(*(np.array(around.poses["box"][:2]) - (9.0, 0.5))) < 0.5  # its corner: it may have turned
    straight = solve(walled([to(9.5, -2.5)]))
    assert straight.status is FlexStatus.BLOCKED


def test_who_is_stuck_is_told_with_where_and_by_what():
    stopped = solve(walled([to(1.5, 0.4), to(9.5, 0.4)], gap=0.9))
    assert stopped.status is FlexStatus.BLOCKED
    assert [end.status for end in stopped.stages] == [FlexStatus.CONVERGED, FlexStatus.BLOCKED]
    (stuck,) = stopped.stages[1].stuck
    assert stuck.body == "box"
    assert stuck.distance == pytest.approx(5.0, abs=0.5)  # its side at the wall, or as far in as it turns
    assert set(stuck.held_by) <= {"low", "high"}
    assert stuck.held_by
    assert "box is" in stopped.message
    assert "stage 2 of 2" in stopped.message
    assert "Blocked in stage 2" in summary(stopped)


def test_a_place_is_never_gone_past():
    result = solve(walled([to(1.5, 1), to(9.5, 1)]))
    centre = [_centre(result, frame)[0] for frame in range(len(result.frames.poses))]
    assert max(centre) <= 9.5 + 2e-3 * 1.5
    assert centre[-1] == pytest.approx(9.5, abs=2e-3)


def _centre(result: FlexResult, frame: int) -> tuple[float, float]:
    x, y, turn = result.frames.poses[frame, 2]
    return x + 0.5 * np.cos(turn) - 0.5 * np.sin(turn), y + 0.5 * np.sin(turn) + 0.5 * np.cos(turn)


def test_what_a_stage_holds_holds_in_that_stage_only():
    held = {**to(1.5, 1), "limits": [{"body": "box", "x": [-0.1, 0.1], "rotation": 0.0}]}
    result = solve(walled([held, to(3.5, 1)]))
    assert result.status is FlexStatus.CONVERGED
    first = result.stages[0].steps
    x = result.frames.poses[: result.frames.accepted[first] + 1, 2, 0]
    assert np.abs(x - 1).max() <= 0.1 + result.threshold
    assert _centre(result, -1)[0] == pytest.approx(3.5, abs=2e-3)


def test_a_stage_whose_region_does_not_hold_where_it_starts_says_so():
    far = {**to(3.5, 1), "keep": [{"body": "box", "inside": [[20, 20], [30, 20], [30, 30]]}]}
    result = solve(walled([to(1.5, 1), far]))
    assert result.status is FlexStatus.VIOLATED
    assert "keep region of box" in result.message
    assert "stage 2 of 2" in result.message
    assert "Violated at the start of stage 2" in summary(result)


def test_the_result_of_stages_says_them_in_words_and_json():
    result = solve(walled([to(1.5, 1), to(9.5, 1)]))
    assert "Goes through all of its 2 stages" in summary(result)
    data = json.loads(json.dumps(to_dict(result)))
    assert [stage["status"] for stage in data["stages"]] == ["converged", "converged"]
    assert result.frames.objective[-1] == pytest.approx(result.objective)
    assert (np.diff(result.frames.accepted) > 0).all()
    assert dict(describe(result.model))["stage 2"] == "box to (9.5, 1)"


def test_a_stop_keeps_the_stages_that_are_done():
    def stop(done: int, total: int | None, text: str) -> None:
        if text.startswith("stage 2"):
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        solve(walled([to(1.5, 1), to(9.5, 1)]), progress=stop)
    kept = stopped.value.result
    assert [end.status for end in kept.stages] == [FlexStatus.CONVERGED, FlexStatus.STEP_LIMIT]
    assert _centre(kept, -1)[1] == pytest.approx(1.0, abs=2e-3)


@pytest.mark.parametrize(
    ("study", "key", "said"),
    [
        (
            {"stages": [to(1, 1)], "maximize": [{"body": "box", "spin": 1}]},
            "study",
            "both maximize and stages",
        ),
        ({"stages": [to(1, 1)], "restarts": 2}, "study", "restarts beside stages"),
        ({"stages": [{"maximize": [{"to": [1, 1]}]}]}, "study.stages[0].maximize[0]", "names no body"),
        ({"stages": [{"maximize": [{"body": "bix", "to": [1, 1]}]}]}, "maximize[0].body", "box"),
        ({"stages": [{**to(1, 1), "keep": [{"body": "bix", "inside": SQUARE}]}]}, "keep[0].body", "box"),
        ({"stages": [{"maximize": [{"body": "low", "to": [1, 1]}]}]}, "maximize[0].body", "fixed"),
        ({"stages": [{"maximize": []}]}, "study.stages[0].maximize", ""),
        ({"maximize": [{"body": "box", "spin": 1}], "neighbours": 0}, "study.neighbours", ""),
    ],
)
def test_bad_stages_are_refused_with_their_key(study, key, said):
    data = walled([to(1, 1)]).model_dump(mode="json", by_alias=True, exclude_defaults=True)
    with pytest.raises(InputError) as refused:
        pliant.load({**data, "kind": "assembly", "pliant": 1, "study": study})
    assert key in str(refused.value)
    assert said in str(refused.value)


def test_a_first_stage_to_where_a_body_is_already_is_refused_by_check_and_solve_alike():
    model = walled([to(1.5, -2.5), to(1.5, 1)])
    for ask in (check, solve):
        with pytest.raises(
            InputError, match=r"study\.stages\[0\]\.maximize\[0\]\.to: 'box' is there already"
        ):
            ask(model)


CANCELLING = {
    "maximize": [
        {"body": "box", "direction": [1, 1]},
        {"body": "box", "direction": [-1, -1]},
    ]
}


@pytest.mark.parametrize(
    ("idle", "why"),
    [
        (to(1.5, 1), "'box' is there already"),
        (CANCELLING, "its terms cancel each other"),
        ({"maximize": [{"gather": "box", "axis": [1, 0]}]}, "stands on the line through 'box' already"),
        (
            {"maximize": [{"gather": "box", "axis": [1, 0]}, *to(1.5, 1)["maximize"]]},
            "'box' is there already",
        ),
    ],
)
def test_a_stage_with_nothing_to_gain_where_it_starts_ends_at_once_and_says_so(idle, why):
    for place, count in ((1, 3), (1, 2)):  # in the middle, and last
        stages = [to(1.5, 1), idle, to(3.5, 1)][:count]
        model = walled(stages)
        check(model)
        result = solve(model)
        assert result.status is FlexStatus.CONVERGED
        assert (result.stages[place].steps, result.stages[place].objective) == (0, 0.0)
        assert [end.status for end in result.stages] == [FlexStatus.CONVERGED] * count
        told = f"stage 2 of {count}: there is nothing to gain where it starts: "
        assert told in result.message
        assert why in result.message
        assert told in summary(result).partition("\n")[0]
        json.dumps(to_dict(result), allow_nan=False)
        assert result.motion.frames == len(result.frames.poses)


@pytest.mark.parametrize("place", [(1.5, 1), (1.5, 1.2), (2, 0), (1.2, -1.4)])
def test_who_was_led_to_a_place_is_there_however_it_is_rounded(place):
    result = solve(walled([to(*place)] * 4))
    assert [end.steps for end in result.stages[1:]] == [0, 0, 0]
    assert _centre(result, -1) == pytest.approx(place, abs=2e-3)


def test_a_stage_whose_terms_cancel_blocks_where_a_body_has_not_come_to_its_place():
    held = {"maximize": [*to(9.5, 1)["maximize"], {"body": "box", "direction": [-1, 0]}]}
    result = solve(walled([to(1.5, 1), held]))
    assert result.status is FlexStatus.BLOCKED
    assert "mm from its place; there is nothing to gain where it starts: its terms cancel" in result.message
    assert result.stages[1].stuck[0].distance == pytest.approx(8.0, abs=0.01)
    assert result.stages[1].stuck[0].held_by == ()


def test_a_region_that_does_not_hold_is_told_before_that_there_is_nothing_to_gain():
    far = {**to(1.5, 1), "keep": [{"body": "box", "inside": [[20, 20], [30, 20], [30, 30]]}]}
    assert solve(walled([to(1.5, 1), far])).status is FlexStatus.VIOLATED


def test_a_door_narrower_than_a_robot_is_refused_and_one_of_its_own_blocks():
    with pytest.raises(ValueError, match="a robot is 1 wide"):
        flock_through_door(6, 1.05)
    model = flock_through_door(6, 1.3)
    posts = {"left_post": -0.74, "right_post": 0.74}  # 0.98 between them
    moved = [
        body.model_copy(update={"pose": (posts[body.name], *body.pose[1:])}) if body.name in posts else body
        for body in model.bodies
    ]
    result = solve(model.model_copy(update={"bodies": tuple(moved)}))
    assert result.status is FlexStatus.BLOCKED
    assert len(result.stages[-1].stuck) == 6  # nobody got through
    assert {"left_post", "right_post"} & set(
        result.stages[-1].stuck[0].held_by + result.stages[-1].stuck[-1].held_by
    )


@pytest.mark.slow
def test_rows_with_the_nearest_robots_only_are_fewer_and_nobody_collides():
    every, nearest = (
        solve(flock(21, study=flock(21).study.model_copy(update={"neighbours": most}))) for most in (None, 2)
    )
    assert nearest.rows < every.rows
    assert nearest.status is FlexStatus.CONVERGED
    assert nearest.path_overlap <= nearest.threshold
