"""Verdicts along the whole way, against closed forms and an independent continuation, whatever the frames."""

from __future__ import annotations

import numpy as np
import pytest
from tests.crosscheck.continuation import Bars, followed, random_bars
from tests.crosscheck.mechanisms import FRAMES, difference

from pliant.relax.model import Mechanism, RelaxStudy
from pliant.relax.result import RelaxResult
from pliant.relax.solve import solve
from pliant.relax.solvers import auto
from pliant.relax.solvers.critical import PathStretch
from pliant.relax.status import RelaxStatus


def pairs(*names: str, **values: object) -> list[dict[str, object]]:
    return [{"nodes": list(pair), **values} for pair in names]


def solved(frames: int, model: dict[str, object], **study: object) -> RelaxResult:
    return solve(Mechanism.model_validate(model), RelaxStudy.model_validate({"frames": frames, **study}))


def kinds(result: RelaxResult) -> list[str]:
    return [notice.kind for notice in result.assessment.notices if notice.kind != "fallback"]


ELBOW = {
    "nodes": {"a": (0, 0), "b": (3, 0), "c": (1.5, 2)},
    "ground": ["a", "b"],
    "bars": pairs("ac"),
}


@pytest.mark.parametrize("frames", FRAMES)
def test_a_drive_stops_at_every_waypoint_and_locks_on_its_first_way_out(frames):
    """To and fro between 6 and 2.5, sixty times, where the elbow reaches 5.5."""
    found = solved(frames, {**ELBOW, "actuators": pairs("bc", to=[6, 2.5] * 60)})
    assert found.status is RelaxStatus.LOCKED
    assert found.assessment.locks_at == pytest.approx(3 / 3.5 / 120, abs=1e-9)
    assert kinds(found) == ["fold"]


@pytest.mark.parametrize("frames", FRAMES)
def test_a_drive_within_reach_meets_every_waypoint(frames):
    found = solved(frames, {**ELBOW, "actuators": pairs("bc", to=[5.4, 2.5, 5.4, 2.5])})
    assert found.status is RelaxStatus.CONVERGED
    assert found.nodes["c"] == pytest.approx([1.5, 2], abs=1e-9)


@pytest.mark.few(1)
@pytest.mark.parametrize("frames", FRAMES)
def test_a_lock_under_load_is_no_success(frames):
    """A pendulum hangs on the elbow, which is asked for 5.53 and reaches 5.5."""
    model = {**ELBOW, "nodes": {**ELBOW["nodes"], "p": (1.5, 1)}, "bars": pairs("ac", "cp")}
    found = solved(frames, {**model, "actuators": pairs("bc", to=5.53), "gravity": (0, -9.81)})
    assert found.status is RelaxStatus.LOCKED
    assert found.assessment.locks_at == pytest.approx(3 / 3.03, abs=1e-9)
    assert {name for name, _ in found.assessment.carriers} >= {"actuator b-c", "bar a-c"}


def test_a_far_node_does_not_hide_a_strain():
    """Two bars of one pair of nodes that differ by 5e-4 of themselves, 1e4 away from another bar."""
    found = solved(
        1,
        {
            "nodes": {"a": (0, 0), "b": (1, 0), "u": (1e4, 0), "v": (1e4, 1)},
            "ground": ["a", "u"],
            "bars": [*pairs("ab"), *pairs("ab", length=1.0005), *pairs("uv")],
        },
    )
    assert found.status is RelaxStatus.OVER_CONSTRAINED


DEAD = {
    "nodes": {"a": (0, 0), "c": (1, 0), "b": (2, 0)},
    "ground": ["a"],
    "bars": pairs("ac", "cb"),
    "guides": [{"node": "b", "line": (1, 0)}],
    "actuators": pairs("ab", to=1.2),
}


@pytest.mark.parametrize("frames", FRAMES)
def test_a_dead_centre_is_told_with_both_ways_and_one_can_be_chosen(frames):
    found = solved(frames, DEAD)
    assert found.status is RelaxStatus.DEAD_CENTRE
    assert "c can go on along (0, 1) or (0, -1)" in found.summary()
    assert sorted(np.sign(way.x[1, 1]) for way in found.assessment.ways) == [-1, 1]
    for way, side in (("first", 1), ("second", -1)):
        chosen = solved(frames, DEAD, way=way)
        assert chosen.status is RelaxStatus.CONVERGED
        assert chosen.nodes["c"] == pytest.approx([0.6, 0.8 * side], abs=1e-9)


def test_a_straight_elbow_that_is_pulled_longer_is_locked_and_no_dead_centre():
    found = solved(1, {**DEAD, "actuators": pairs("ab", to=2.2)})
    assert found.status is RelaxStatus.LOCKED
    assert found.assessment.locks_at == pytest.approx(0, abs=2e-9)


@pytest.mark.few(2)
@pytest.mark.parametrize("frames", FRAMES)
def test_a_truss_snaps_through_at_its_limit_load(frames):
    """Von Mises's: the load 2 k y (l₀/l − 1) is largest where y² = l₀^⅔ − 1."""
    found = solved(
        frames,
        {
            "nodes": {"a": (-1, 0), "b": (1, 0), "c": (0, 0.5)},
            "ground": ["a", "b"],
            "springs": pairs("ac", "bc", stiffness=100),
            "loads": [{"node": "c", "force": (0, 0), "to": (0, -12)}],
        },
    )
    rest = np.hypot(1, 0.5)
    top = np.sqrt(rest ** (2 / 3) - 1)
    limit = 200 * top * (rest / np.hypot(1, top) - 1)
    assert found.status is RelaxStatus.BRANCH_DOUBTFUL
    assert kinds(found) == ["snap"]
    assert not found.assembly_kept
    assert found.assessment.notices[0].share == pytest.approx(limit / 12, abs=2e-9)


@pytest.mark.slow
def test_what_does_not_balance_is_not_at_rest():
    """A lift without a cylinder falls; its load slides off the end of the platform for ever."""
    nodes = {
        "a": (0, 0), "b": (900, 0), "m1": (450, 150), "c": (0, 300), "d": (900, 300), "m2": (450, 450),
        "e": (0, 600), "f": (900, 600), "load": (450, 600),
    }  # fmt: skip
    bars = [["a", "m1", "d"], ["b", "m1", "c"], ["c", "m2", "f"], ["d", "m2", "e"]]
    found = solved(
        1,
        {
            "nodes": nodes,
            "ground": ["a"],
            "bars": [{"nodes": nodes} for nodes in bars],
            "guides": [{"node": "b", "line": (1, 0)}, {"node": "load", "line": (0, 1)}],
            "sliders": [{"node": "load", "on": ["e", "f"]}],
            "gravity": (0, -9.81),
            "masses": {"load": 200, "a": 0, "b": 5, "c": 5, "d": 5, "e": 5, "f": 5, "m1": 10, "m2": 10},
        },
    )
    assert found.status is RelaxStatus.NOT_CONVERGED
    assert not found.assembly_kept


@pytest.mark.parametrize("method", ["momentum", "sync"])
def test_strings_that_are_drawn_tight_are_no_contradiction(method):
    """A weight on two strings that the drawing has a little too short for where it is."""
    model = {
        "nodes": {"o": (0, 0), "w": (3, 0), "p": (1.5, -1)},
        "ground": ["o", "w"],
        "strings": [*pairs("op", "wp", length=1.9), *pairs("ow", length=3)],
        "loads": [{"node": "p", "force": (0, -1)}],
        "stiffness": 1e4,
    }
    found = solved(2, {**model, "nodes": {**model["nodes"], "p": (1.5, -1.17)}}, method=method)
    assert found.status is RelaxStatus.CONVERGED


def test_a_rotor_that_cannot_turn_is_off_by_an_angle():
    found = solved(
        1,
        {
            "nodes": {"o": (0, 0), "g": (1, 0), "p": (2, 0), "q": (2, 2)},
            "ground": ["o", "g", "q"],
            "bars": pairs("op", "pq"),
            "rotors": [{"joint": "o", "arms": ["g", "p"], "to": 0.5}],
        },
    )
    assert found.status is RelaxStatus.LOCKED
    assert "rotor o (off by" in found.summary()
    assert "°)" in found.summary().splitlines()[0]


@pytest.mark.few(1)
@pytest.mark.parametrize("frames", [1, 60])
def test_a_fold_that_a_long_step_leads_over_is_located_and_drawn_where_it_is(frames):
    """Forces of 435 N hide those that grow towards the fold, until a step has led to its other side."""
    bars = random_bars(200672)
    found = solved(frames, bars.model())
    end = followed(bars, found.frames[0].x)
    assert end.kind == "fold"
    assert found.assessment.locks_at == pytest.approx(end.share, abs=1e-9)
    assert kinds(found) == ["fold"]
    drawn = {frame.share: frame.x for frame in found.frames if frame.share <= end.share + 1e-9}
    assert len(drawn) == 2 + int(end.share * frames)
    assert max(drawn) == pytest.approx(end.share, abs=1e-9)
    assert drawn[max(drawn)] == pytest.approx(end.x, abs=1e-6)


@pytest.mark.slow
def test_a_fold_is_located_by_increments_too_where_the_exact_way_is_lost(monkeypatch):
    """From 2e-6 of the drive before it; a node that swings freely comes to no stand in the search for it."""
    monkeypatch.setattr(auto, "follow_stretch", lambda *_: PathStretch([]))
    found = solved(1, random_bars(200672).model())
    assert found.assessment.locks_at == pytest.approx(0.7368477088311663, abs=1e-9)  # see above
    assert kinds(found) == ["fold"]


def judged(bars: Bars, frames: int) -> None:
    """Whether pliant says what an independent continuation from the same start finds."""
    _, found = difference(bars, frames)
    assert not found


@pytest.mark.few(6)
@pytest.mark.parametrize(
    "seed", [1, 2, 3, 5, 6, 8, 10, 11, 14, 31, 66, 74, 461, 1001, pytest.param(1346, marks=pytest.mark.slow)]
)
def test_random_mechanisms_end_as_an_independent_continuation_says(seed):
    judged(random_bars(seed), FRAMES[seed % 3])


@pytest.mark.slow
@pytest.mark.parametrize("frames", FRAMES)
@pytest.mark.parametrize("seed", range(20, 40))
def test_random_mechanisms_end_the_same_whatever_the_frames(seed, frames):
    judged(random_bars(seed), frames)
